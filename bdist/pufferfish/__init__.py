"""Pufferfish privacy in hidden Markov models: what observations tell about the data, exactly.

model = bdist.pufferfish.load("above-threshold.hmm")
bdist.pufferfish.decide(model, epsilon="ln 16").answer        # VIOLATED, with the word
bdist.pufferfish.optimise(model, lengths="1..11").worst       # the loss at each length, and the worst word
bdist.pufferfish.certify(model, ["start", "12", "bot"])       # is this word a counterexample?
bdist.pufferfish.narrow(model, "1.21", "1.28")                # a tester's interval, refined
bdist.pufferfish.deltas(model, epsilon="1")                   # (epsilon, delta), through chains
"""

from __future__ import annotations

from bdist.pufferfish.answers import Decision, Growth, LengthLoss, Loss, Witness, WordCheck
from bdist.pufferfish.certificate import check
from bdist.pufferfish.delta import Deltas, PairDelta
from bdist.pufferfish.library import certify, decide, deltas, narrow, optimise
from bdist.pufferfish.model import (
    Case,
    HiddenMarkovModel,
    HiddenState,
    Initial,
    Lengths,
    Neighbours,
    Pair,
    Prior,
    Range,
    Scenario,
    Words,
)
from bdist.pufferfish.refinement import Refinement
from bdist.pufferfish.text import load_hidden_model as load
from bdist.pufferfish.vectors import probabilities

__all__ = [
    "Case",
    "Decision",
    "Deltas",
    "Growth",
    "HiddenMarkovModel",
    "HiddenState",
    "Initial",
    "LengthLoss",
    "Lengths",
    "Loss",
    "Neighbours",
    "Pair",
    "PairDelta",
    "Prior",
    "Range",
    "Refinement",
    "Scenario",
    "Witness",
    "WordCheck",
    "Words",
    "certify",
    "check",
    "decide",
    "deltas",
    "load",
    "narrow",
    "optimise",
    "probabilities",
]

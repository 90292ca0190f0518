"""Differentially private automata: linear-time privacy of programs with unbounded inputs.

automaton = bdist.dipa.load("svt.dipa")
decision = bdist.dipa.decide(automaton)
decision.answer, decision.value               # HOLDS with the weight, or VIOLATED
bdist.dipa.witness_for(automaton, decision.violation, epsilon=Fraction(1), ratio=Fraction(1000))
"""

from __future__ import annotations

from bdist.dipa.automaton import Automaton, ControlState, Guard, Noise, Real, Transition
from bdist.dipa.decision import Decision, Kind, Violation, decide
from bdist.dipa.probability import Enclosure, Step, path_probability
from bdist.dipa.text import load_automaton as load
from bdist.dipa.witness import Witness, witness_for, witnesses

__all__ = [
    "Automaton",
    "ControlState",
    "Decision",
    "Enclosure",
    "Guard",
    "Kind",
    "Noise",
    "Real",
    "Step",
    "Transition",
    "Violation",
    "Witness",
    "decide",
    "load",
    "path_probability",
    "witness_for",
    "witnesses",
]

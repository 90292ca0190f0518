"""Pufferfish privacy in hidden Markov models: what observations tell about the data, exactly.

    model = bdist.pufferfish.load("above-threshold.hmm")
    bdist.pufferfish.decide(model, epsilon="ln 16").answer        # VIOLATED, with the word
    bdist.pufferfish.optimise(model, lengths="1..11").worst       # the loss at each length, its worst word
    bdist.pufferfish.certify(model, ["start", "12", "bot"])       # is this word a counterexample?
    bdist.pufferfish.narrow(model, "1.21", "1.28")                # a tester's interval, refined
    bdist.pufferfish.deltas(model, epsilon="1")                   # (epsilon, delta), through chains
    bdist.pufferfish.secrets_at(model, "well", range(1, 6))       # the state at step i, as another model
    bdist.pufferfish.watched_after(model, 3)                      # the observer misses 3 observations
    bdist.pufferfish.table(model)                                 # words as formulas in the parameters
    bdist.pufferfish.channel(model, lengths=3).capacity           # what so many observations tell
    bdist.pufferfish.sample(model, 10_000, lengths=3)             # as a tester would find it

Numbers are Fraction, int or str and mean exactly what they say; epsilon may also be a str such as "ln 2".
``lengths`` is 5 (words of that length), "1..5" or "any"; ``words`` is "all" or "common"; ``at`` gives values
to all parameters. A pair of ``pairs`` names both directions, and with ``directed`` only the one written. What
is not given is what the scenario says. With a ``time_limit`` in seconds the answer is what is proved by then.
Every certificate in an answer has been checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bdist.budget import Budget
from bdist.exact.epsilon import Epsilon
from bdist.exact.rationals import as_rational
from bdist.pufferfish import answers
from bdist.pufferfish.answers import (
    DEFAULT_PRECISION,
    Decision,
    Growth,
    LengthLoss,
    Loss,
    Refinement,
    Witness,
    WordCheck,
)
from bdist.pufferfish.certificate import check
from bdist.pufferfish.closed_forms import Formula, Row, Table, tabulate
from bdist.pufferfish.delta import Deltas, PairDelta, true_deltas
from bdist.pufferfish.later import secrets_at
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
from bdist.pufferfish.question import LengthsGiven, Pairs, Value, ask
from bdist.pufferfish.sampling import Estimate, estimate
from bdist.pufferfish.text import load_hidden_model as load
from bdist.pufferfish.vectors import probabilities
from bdist.pufferfish.vulnerability import Bracket, Channel, read_channel
from bdist.pufferfish.window import watched_after

__all__ = [
    "Bracket",
    "Case",
    "Channel",
    "Decision",
    "Deltas",
    "Estimate",
    "Formula",
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
    "Row",
    "Scenario",
    "Table",
    "Witness",
    "WordCheck",
    "Words",
    "certify",
    "channel",
    "check",
    "decide",
    "deltas",
    "load",
    "narrow",
    "optimise",
    "probabilities",
    "sample",
    "secrets_at",
    "table",
    "watched_after",
]


def decide(
    model: HiddenMarkovModel,
    scenario: str | None = None,
    *,
    epsilon: Epsilon | Value | None = None,
    lengths: LengthsGiven = None,
    words: Words | str | None = None,
    pairs: Pairs | None = None,
    directed: bool = False,
    at: Mapping[str, Value] | None = None,
    backend: str = "search",
    time_limit: float | None = None,
) -> Decision:
    """Whether a model is epsilon-Pufferfish private (Definition 3.2 of Liu, Wang and Zhang).

    Ensures: HOLDS and VIOLATED carry a certificate that has been checked; UNKNOWN carries the reason.
    Raises: ParameterError, BackendError where a backend is not installed, InternalError.
    """
    question = ask(
        model, scenario, pairs=pairs, directed=directed, words=words, lengths=lengths, epsilon=epsilon, at=at
    )
    return answers.decide(question, Budget.for_answer(time_limit), backend)


def optimise(
    model: HiddenMarkovModel,
    scenario: str | None = None,
    *,
    lengths: LengthsGiven = None,
    words: Words | str | None = None,
    pairs: Pairs | None = None,
    directed: bool = False,
    at: Mapping[str, Value] | None = None,
    time_limit: float | None = None,
) -> Loss:
    """The smallest e^epsilon at each length, the worst word and pair, and whether it grows without end.

    Raises: ParameterError, InternalError.
    """
    question = ask(model, scenario, pairs=pairs, directed=directed, words=words, lengths=lengths, at=at)
    return answers.optimise(question, Budget.for_answer(time_limit))


def certify(
    model: HiddenMarkovModel,
    word: Sequence[str],
    scenario: str | None = None,
    *,
    epsilon: Epsilon | Value | None = None,
    words: Words | str | None = None,
    pairs: Pairs | None = None,
    directed: bool = False,
    at: Mapping[str, Value] | None = None,
) -> WordCheck:
    """Whether a word is a counterexample, as a statistical tester may say: its ratio under every pair.

    Raises: ParameterError, InternalError.
    """
    question = ask(model, scenario, pairs=pairs, directed=directed, words=words, epsilon=epsilon, at=at)
    return answers.certify(question, word)


def narrow(
    model: HiddenMarkovModel,
    low: Value,
    high: Value,
    scenario: str | None = None,
    *,
    precision: Value = DEFAULT_PRECISION,
    lengths: LengthsGiven = None,
    words: Words | str | None = None,
    pairs: Pairs | None = None,
    directed: bool = False,
    at: Mapping[str, Value] | None = None,
    time_limit: float | None = None,
) -> Refinement:
    """The least epsilon, starting from the interval that a statistical tester suggests.

    Raises: ParameterError, InternalError.
    """
    question = ask(model, scenario, pairs=pairs, directed=directed, words=words, lengths=lengths, at=at)
    ends = as_rational(low, "low"), as_rational(high, "high")
    return answers.refine(question, *ends, as_rational(precision, "precision"), Budget.for_answer(time_limit))


def deltas(
    model: HiddenMarkovModel,
    scenario: str | None = None,
    *,
    epsilon: Epsilon | Value | None = None,
    lengths: LengthsGiven = None,
    words: Words | str | None = None,
    pairs: Pairs | None = None,
    directed: bool = False,
    at: Mapping[str, Value] | None = None,
    time_limit: float | None = None,
) -> Deltas:
    """The least delta of (epsilon, delta)-Pufferfish privacy for each pair, from both sides, with attacks.

    Raises: ParameterError, UnsupportedError, InternalError.
    """
    question = ask(
        model, scenario, pairs=pairs, directed=directed, words=words, lengths=lengths, epsilon=epsilon, at=at
    )
    return true_deltas(question, Budget.for_answer(time_limit))


def table(
    model: HiddenMarkovModel,
    scenario: str | None = None,
    *,
    of: Sequence[Sequence[str]] | None = None,
    lengths: LengthsGiven = None,
    words: Words | str | None = None,
    pairs: Pairs | None = None,
    directed: bool = False,
    at: Mapping[str, Value] | None = None,
) -> Table:
    """The probabilities of these words, or of all of the lengths asked for, and their ratios, as formulas.

    Raises: ParameterError, InternalError.
    """
    question = ask(model, scenario, pairs=pairs, directed=directed, words=words, lengths=lengths, at=at)
    return tabulate(question, of)


def channel(
    model: HiddenMarkovModel,
    scenario: str | None = None,
    *,
    prior: Mapping[str, Value] | None = None,
    lengths: LengthsGiven = None,
    pairs: Pairs | None = None,
    at: Mapping[str, Value] | None = None,
    time_limit: float | None = None,
) -> Channel:
    """What so many observations tell of the sides of all pairs: vulnerabilities, min-capacity.

    ``prior`` is on the sides; without one it is that of the scenario, if its secrets exclude each other, or
    uniform.
    Raises: ParameterError, InternalError.
    """
    question = ask(model, scenario, pairs=pairs, lengths=lengths, at=at)
    return read_channel(question, prior, Budget.for_answer(time_limit))


def sample(
    model: HiddenMarkovModel,
    runs: int,
    scenario: str | None = None,
    *,
    seed: int = 1,
    lengths: LengthsGiven = None,
    words: Words | str | None = None,
    pairs: Pairs | None = None,
    directed: bool = False,
    at: Mapping[str, Value] | None = None,
) -> Estimate:
    """The word that a tester finds in so many runs of each side, with a confidence interval for its ratio.

    Raises: ParameterError.
    """
    question = ask(model, scenario, pairs=pairs, directed=directed, words=words, lengths=lengths, at=at)
    return estimate(question, runs, seed)

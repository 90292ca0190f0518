"""The library's calls: a model, a scenario by name or pairs, and numbers as a program has them.

Numbers are Fraction, int or str and mean exactly what they say; epsilon may also be a str such as "ln 2".
``lengths`` is 5 (words of that length), "1..5" or "any"; ``words`` is "all" or "common"; ``at`` gives values
to all parameters. A pair of ``pairs`` names both directions, and with ``directed`` only the one written. What
is not given is what the scenario says. With a ``time_limit`` in seconds the answer is
what is proved by then. Every certificate in an answer has been checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bdist.budget import Budget
from bdist.errors import ParameterError
from bdist.exact.epsilon import Epsilon
from bdist.exact.reading import as_rational
from bdist.pufferfish import answers
from bdist.pufferfish.answers import Decision, Loss, WordCheck
from bdist.pufferfish.delta import Deltas, true_deltas
from bdist.pufferfish.model import HiddenMarkovModel, Words
from bdist.pufferfish.question import LengthsGiven, Pairs, Question, Value, ask
from bdist.pufferfish.refinement import DEFAULT_PRECISION, Refinement, refine

BACKENDS = ("search", "z3")


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
    return decide_question(question, backend, Budget.for_answer(time_limit))


def decide_question(question: Question, backend: str, budget: Budget) -> Decision:
    """Decide a question by a backend. Raises: as `decide`."""
    if backend not in BACKENDS:
        raise ParameterError(f"there is no backend '{backend}'; there are {', '.join(BACKENDS)}")
    if backend == "z3":
        from bdist.pufferfish.smt import decide_by_z3

        return decide_by_z3(question, budget)
    return answers.decide(question, budget)


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
    return refine(question, *ends, as_rational(precision, "precision"), Budget.for_answer(time_limit))


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

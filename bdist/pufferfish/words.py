"""The probabilities of one word, exactly: the forward algorithm, with numbers and with polynomials.

This is what certifies a counterexample that somebody brings along, from a statistical tester say: the word
is followed from both sides, and the two probabilities either are that far apart or they are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bdist.errors import ParameterError
from bdist.pufferfish.cleared import ClearedModel, Point
from bdist.pufferfish.model import HiddenMarkovModel, Pair, resembling


def probabilities(
    model: HiddenMarkovModel, pair: Pair, word: Sequence[str], at: Point | None = None
) -> tuple[Fraction, Fraction]:
    """Pr(word | first) and Pr(word | second), with parameters at these values.

    Raises: ParameterError where an observation is unknown.
    """
    check_word(model, word)
    cleared = ClearedModel(model, at)
    return (
        _probability(cleared, cleared.distribution(pair.first, pair.prior), word),
        _probability(cleared, cleared.distribution(pair.second, pair.prior), word),
    )


def _probability(cleared: ClearedModel, start: dict[int, Fraction], word: Sequence[str]) -> Fraction:
    states = cleared.model.states
    weights, shown = dict(start), dict(start)
    for position, observation in enumerate(word):
        if position:
            weights = {}
            for number, weight in shown.items():
                for target, entry in states[number].row or ():
                    weights[target] = weights.get(target, Fraction(0)) + weight * cleared.number(entry)
        shown = {}
        for number, weight in weights.items():
            emitted = dict(states[number].observations).get(observation)
            if emitted is not None and weight:
                shown[number] = weight * cleared.number(emitted)
    return sum(shown.values(), Fraction(0))


def check_word(model: HiddenMarkovModel, word: Sequence[str]) -> None:
    """Raises: ParameterError where the word is empty or has an observation that the model has not."""
    if not word:
        raise ParameterError("the word is empty; it needs at least one observation")
    for observation in word:
        if observation not in model.observations:
            known = resembling(observation, model.observations)
            raise ParameterError(f"the model never shows '{observation}'{known}")

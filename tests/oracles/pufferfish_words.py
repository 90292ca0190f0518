"""What the observations of a hidden Markov model tell, by definition: every word is looked at.

The probability of a word is that a run shows it first; a run that has halted shows nothing more. Everything
is a Fraction, parameters have values, priors are conditioned here by hand, and a branch is left out only
where both sides give it the probability 0. An infinite ratio, or loss, is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bdist.pufferfish.model import HiddenMarkovModel, Pair, Scenario
from tests.oracles.hidden_models import value_of

Point = Mapping[str, Fraction]
Vector = dict[int, Fraction]
Word = tuple[str, ...]
Ratio = Fraction | None

NOWHERE: Point = {}
NOTHING = Fraction(0)


@dataclass(frozen=True)
class Seen:
    """A word with its probabilities under both sides of a pair, which are not both 0."""

    pair: Pair
    word: Word
    first: Fraction
    second: Fraction

    @property
    def ratio(self) -> Ratio:
        """How much more likely the word is under the first; None where only the first can show it."""
        return None if self.second == 0 else self.first / self.second

    def counts(self, words: str) -> bool:
        """Whether it counts: 0/0 never does, and with ``common`` neither does what one side never shows."""
        return words == "all" or (self.first > 0 and self.second > 0)


# --- models at a point -----------------------------------------------------------------------------------


def beginning(model: HiddenMarkovModel, side: str, prior: str | None, at: Point = NOWHERE) -> Vector:
    """The distribution of the first state: of a state, of an initial distribution, or given a secret."""
    if prior is not None:
        joint: list[tuple[int, Fraction]] = []
        for scenario in model.scenarios:
            for candidate in scenario.priors:
                if candidate.name == prior:
                    joint += [
                        (case.state, value_of(case.probability, model, at))
                        for case in candidate.cases
                        if side in case.secrets
                    ]
        likely = sum((share for _, share in joint), NOTHING)
        return {
            state: sum((share for where, share in joint if where == state), NOTHING) / likely
            for state, _ in joint
        }
    for number, state in enumerate(model.states):
        if state.name == side:
            return {number: Fraction(1)}
    (initial,) = [initial for initial in model.initials if initial.name == side]
    return {state: value_of(entry, model, at) for state, entry in initial.row}


@dataclass(frozen=True)
class Numbers:
    """A model at a point: what each state shows, and its row, or None where it halts."""

    shows: tuple[dict[str, Fraction], ...]
    rows: tuple[Vector | None, ...]

    @staticmethod
    def of(model: HiddenMarkovModel, at: Point) -> Numbers:
        """All entries of a model at a point."""
        return Numbers(
            tuple({o: value_of(e, model, at) for o, e in state.observations} for state in model.states),
            tuple(
                None if state.row is None else {t: value_of(e, model, at) for t, e in state.row}
                for state in model.states
            ),
        )

    @property
    def observations(self) -> list[str]:
        """All observations, sorted."""
        return sorted({observation for shown in self.shows for observation in shown})

    def show(self, weights: Vector, observation: str) -> Vector:
        """How likely it is to be in each state and to show the observation there."""
        shown = {state: weight * self.shows[state].get(observation, 0) for state, weight in weights.items()}
        return {state: weight for state, weight in shown.items() if weight}

    def move(self, shown: Vector) -> Vector:
        """Where runs are one step later, without those that halt."""
        after: Vector = {}
        for state, weight in shown.items():
            for target, share in (self.rows[state] or {}).items():
                after[target] = after.get(target, NOTHING) + weight * share
        return after

    def halted(self, shown: Vector) -> Fraction:
        """How likely it is that the run halts here."""
        return sum((weight for state, weight in shown.items() if self.rows[state] is None), NOTHING)


def total(vector: Vector) -> Fraction:
    """The sum of all weights."""
    return sum(vector.values(), NOTHING)


# --- words -----------------------------------------------------------------------------------------------


def probability(
    model: HiddenMarkovModel, side: str, prior: str | None, word: Sequence[str], at: Point = NOWHERE
) -> Fraction:
    """How likely a run shows a word first."""
    numbers = Numbers.of(model, at)
    shown: Vector = {}
    weights = beginning(model, side, prior, at)
    for observation in word:
        shown = numbers.show(weights, observation)
        weights = numbers.move(shown)
    return total(shown)


def look(model: HiddenMarkovModel, pair: Pair, word: Sequence[str], at: Point = NOWHERE) -> Seen:
    """A word under a pair. Both probabilities may be 0 here."""
    first, second = (probability(model, side, pair.prior, word, at) for side in (pair.first, pair.second))
    return Seen(pair, tuple(word), first, second)


def words_seen(model: HiddenMarkovModel, pair: Pair, length: int, at: Point = NOWHERE) -> Iterator[Seen]:
    """All words of a length that one side of the pair can show."""
    numbers = Numbers.of(model, at)

    def longer(word: Word, first: Vector, second: Vector) -> Iterator[Seen]:
        for observation in numbers.observations:
            now = (*word, observation)
            one, other = numbers.show(first, observation), numbers.show(second, observation)
            if not one and not other:
                continue
            if len(now) == length:
                yield Seen(pair, now, total(one), total(other))
            else:
                yield from longer(now, numbers.move(one), numbers.move(other))

    sides = [beginning(model, side, pair.prior, at) for side in (pair.first, pair.second)]
    return longer((), sides[0], sides[1])


def largest(ratios: Sequence[Ratio]) -> Ratio:
    """The largest ratio, where None is infinite; 0 where there is none."""
    if None in ratios:
        return None
    return max((ratio for ratio in ratios if ratio is not None), default=NOTHING)


def at_most(ratio: Ratio, bound: Ratio) -> bool:
    """Whether a ratio is at most a bound, either of which may be infinite."""
    return bound is None or (ratio is not None and ratio <= bound)


def loss(
    model: HiddenMarkovModel, pairs: Sequence[Pair], length: int, words: str = "all", at: Point = NOWHERE
) -> Ratio:
    """The largest ratio of a word of that length that counts, under any of the pairs; 0 if none counts."""
    return largest(
        [seen.ratio for pair in pairs for seen in words_seen(model, pair, length, at) if seen.counts(words)]
    )


def directed(scenario: Scenario, secrets: Sequence[str]) -> list[Pair]:
    """The pairs that a scenario asks about, each in one direction, secrets under every prior."""
    found: list[Pair] = []
    for neighbours in scenario.neighbours:
        under = [prior.name for prior in scenario.priors] if neighbours.first in secrets else [None]
        for prior in under:
            found.append(Pair(neighbours.first, neighbours.second, prior))
            if neighbours.both:
                found.append(Pair(neighbours.second, neighbours.first, prior))
    return found


# --- sets of words ---------------------------------------------------------------------------------------


def outcomes(
    model: HiddenMarkovModel, side: str, prior: str | None, most: int, at: Point = NOWHERE
) -> dict[Word, Fraction]:
    """All that a run may show until it halts, or until it has shown so many observations.

    An observation tells whether the run halts with it; so no outcome is the beginning of another one.
    """
    numbers = Numbers.of(model, at)
    found: dict[Word, Fraction] = {}

    def follow(word: Word, weights: Vector) -> None:
        for observation in numbers.observations:
            shown = numbers.show(weights, observation)
            now = (*word, observation)
            ended = total(shown) if len(now) == most else numbers.halted(shown)
            if ended:
                found[now] = found.get(now, NOTHING) + ended
            if shown and len(now) < most:
                follow(now, numbers.move(shown))

    follow((), beginning(model, side, prior, at))
    return found


def delta(model: HiddenMarkovModel, pair: Pair, alpha: Fraction, most: int, at: Point = NOWHERE) -> Fraction:
    """The most that Pr(W | first) - alpha Pr(W | second) can be, over all sets W of outcomes."""
    one = outcomes(model, pair.first, pair.prior, most, at)
    other = outcomes(model, pair.second, pair.prior, most, at)
    return sum((max(NOTHING, share - alpha * other.get(word, 0)) for word, share in one.items()), NOTHING)


def still_running(
    model: HiddenMarkovModel, side: str, prior: str | None, after: int, at: Point = NOWHERE
) -> Fraction:
    """How likely a run has not halted with its first observations, so many of them."""
    numbers = Numbers.of(model, at)
    weights = beginning(model, side, prior, at)
    for _ in range(after):
        every: Vector = {}
        for observation in numbers.observations:
            for state, weight in numbers.show(weights, observation).items():
                every[state] = every.get(state, NOTHING) + weight
        weights = numbers.move(every)
    return total(weights)


# --- epsilon ---------------------------------------------------------------------------------------------


def exponential(epsilon: Fraction, terms: int = 60) -> tuple[Fraction, Fraction]:
    """Two numbers around e^epsilon, by its series; the rest is less than twice the first term left out.

    Requires: 0 <= epsilon <= terms / 2.
    """
    term, low = Fraction(1), NOTHING
    for number in range(terms):
        low += term
        term *= epsilon / (number + 1)
    return low, low + 2 * term


def allows(epsilon: Fraction, ratio: Ratio) -> bool:
    """Whether a ratio is at most e^epsilon, which is irrational unless epsilon is 0."""
    if ratio is None:
        return False
    low, high = exponential(epsilon)
    if ratio <= low:
        return True
    assert ratio >= high, "the series is too short for this ratio"
    return False

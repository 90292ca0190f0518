"""The tester's side: words sampled from a model, and what they tell of the loss, with a confidence interval.

A tester runs both sides of a pair and compares how often words come up. To be honest he must not look for
the worst word and measure it in the same runs. So the first half of the runs finds a word, and the second
half alone measures it. For each side the interval of a frequency is Hoeffding's, each with half of what is
left to chance: with N runs a probability is within sqrt(ln(4 / (1 - confidence)) / (2 N)) of its frequency,
on both sides at once, for every N and every probability. Between the quotients of the ends lies the ratio of
the word, and the loss is at least that.

A word is an event here as in all of this theory: the run begins with it. So a run counts for all of its
beginnings whose length is asked about. Rows are sampled exactly, by a uniform integer below the row's common
denominator; the same seed gives the same runs. Beside the estimate stands what is true: the ratio of the
word, and the loss that was proved.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import inf, lcm, log, sqrt
from typing import Generic, TypeVar

from bdist.errors import ParameterError
from bdist.family import Draw
from bdist.pufferfish.model import Pair, Words
from bdist.pufferfish.question import Question
from bdist.pufferfish.vectors import NumberModel, probabilities
from bdist.report import OneLine

T = TypeVar("T")

CONFIDENCE = 0.99
LONGEST = 1_000  # observations of a run
MOST_SHOWN = 10_000_000  # observations of all runs


@dataclass(frozen=True, repr=False)
class Estimate(OneLine):
    """How often a word was seen in so many runs of each side; ``ratio`` is exact, None if infinite.

    ``low_approx`` and ``high_approx`` hold the ratio with the stated confidence.
    """

    question: Question
    pair: Pair
    word: tuple[str, ...]
    runs: int
    seed: int
    first: int
    second: int
    probabilities: tuple[Fraction, Fraction]

    @property
    def ratio(self) -> Fraction | None:
        """The exact ratio of the word."""
        first, second = self.probabilities
        return first / second if second else None

    @property
    def radius_approx(self) -> float:
        """How far a probability is from its frequency at most, with that confidence on both sides."""
        return sqrt(log(4 / (1 - CONFIDENCE)) / (2 * self.runs))

    @property
    def low_approx(self) -> float:
        """The lower end of the interval for the ratio."""
        return max(self.first / self.runs - self.radius_approx, 0.0) / min(
            self.second / self.runs + self.radius_approx, 1.0
        )

    @property
    def high_approx(self) -> float:
        """The upper end; infinite where the second side may have no such word."""
        least = self.second / self.runs - self.radius_approx
        return min(self.first / self.runs + self.radius_approx, 1.0) / least if least > 0 else inf


def estimate(question: Question, runs: int, seed: int = 1) -> Estimate:
    """The word that a tester finds, measured in fresh runs; ``runs`` are made of each side of each pair.

    Raises: ParameterError where parameters have no values, runs are too few, or runs are too long.
    """
    if runs < 2:
        raise ParameterError(f"{runs} runs are too few; one half finds a word, the other one measures it")
    if question.is_parametric:
        raise ParameterError("what is sampled depends on the parameters; give values for all of them")
    most = question.lengths.most
    if most is None or most > LONGEST:
        raise ParameterError(f"runs that are sampled need a length of at most {LONGEST}; give one")
    sides = dict.fromkeys((side, pair.prior) for pair in question.pairs for side in (pair.first, pair.second))
    if len(sides) * runs * most > MOST_SHOWN:
        raise ParameterError(
            f"that is more than {MOST_SHOWN} observations; ask for fewer runs, or fewer pairs"
        )
    sampler = _Sampler(question, Draw(seed))
    finding, measuring = runs // 2, runs - runs // 2
    found = {side: sampler.counts(*side, finding, most) for side in sides}
    fresh = {side: sampler.counts(*side, measuring, most) for side in sides}
    radius = sqrt(log(4 / (1 - CONFIDENCE)) / (2 * finding))
    best: tuple[float, Pair, tuple[str, ...]] | None = None
    for pair in question.pairs:
        first, second = found[pair.first, pair.prior], found[pair.second, pair.prior]
        for word, count in first.items():
            if question.words is Words.COMMON and not second[word]:
                continue
            low = (count / finding - radius) / (second[word] / finding + radius)
            if best is None or low > best[0]:
                best = low, pair, word
    if best is None:
        raise ParameterError("no word was seen that counts; ask for more runs")
    _, pair, word = best
    seen, other = (fresh[side, pair.prior][word] for side in (pair.first, pair.second))
    exact = probabilities(question.model, pair, word, question.at or question.any_point())
    return Estimate(question, pair, word, measuring, seed, seen, other, exact)


class _Sampler:
    def __init__(self, question: Question, dice: Draw) -> None:
        self._question, self._dice = question, dice
        self._cleared = NumberModel(question.model, point=question.at or question.any_point())
        self._shown = [
            _Row((o, self._cleared.number(e)) for o, e in state.observations)
            for state in question.model.states
        ]
        self._rows = [
            None if state.row is None else _Row((t, self._cleared.number(e)) for t, e in state.row)
            for state in question.model.states
        ]

    def counts(self, side: str, prior: str | None, runs: int, most: int) -> Counter[tuple[str, ...]]:
        """How many of so many runs begin with a word, for all words of the lengths asked about."""
        start = _Row(self._cleared.distribution(side, prior).items())
        least, found = self._question.lengths.least, Counter[tuple[str, ...]]()
        for _ in range(runs):
            state, word = start.draw(self._dice), list[str]()
            for length in range(1, most + 1):
                word.append(self._shown[state].draw(self._dice))
                if length >= least:
                    found[tuple(word)] += 1
                row = self._rows[state]
                if row is None:
                    break
                state = row.draw(self._dice)
        return found


class _Row(Generic[T]):
    """A distribution as integers over one denominator."""

    def __init__(self, entries: Iterable[tuple[T, Fraction]]) -> None:
        items = [(item, p) for item, p in entries if p]
        self._below = lcm(*(p.denominator for _, p in items))
        self._items = [item for item, _ in items]
        self._sums = list(accumulate(p.numerator * (self._below // p.denominator) for _, p in items))

    def draw(self, dice: Draw) -> T:
        """One of the items."""
        return self._items[bisect_right(self._sums, dice.below(self._below))]

"""An attack replayed by chance, for the sceptic: run the chain many times and count.

Rows are sampled exactly, by a uniform integer below the row's common denominator; nothing is rounded. The
interval around a frequency is Hoeffding's: with N runs the true probability is within
sqrt(ln(2/(1-confidence)) / (2N)) of it with at least the stated confidence, for every N and every
probability. It is a little wider than the best known intervals and needs no tables.

A test that goes round may read for long. A run that is undecided after so many labels counts as not
accepted, and how many these were is part of the answer: the interval is then one of being accepted within
that many labels. How many runs are made is settled beforehand, from the length of the test alone: to stop
when there is enough, or when time is up, would make the interval a lie.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from math import log, sqrt

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import ParameterError
from bdist.traces.attack import Test

CONFIDENCE = 0.99
RUNS = 10_000
LONGEST_RUN = 1_000  # labels that are read of a run whose test goes round
_LABELS = 1_000_000  # that are read in all, about, where nobody said how many runs to make
_FEWEST_RUNS = 100


@dataclass(frozen=True)
class Frequency:
    """How often a test accepted in a number of runs, and how often it was ``undecided`` after ``length``
    labels; None where it decides every run.
    """

    hits: int
    runs: int
    undecided: int = 0
    length: int | None = None

    @property
    def estimate_approx(self) -> float:
        """The relative frequency."""
        return self.hits / self.runs

    @property
    def interval_approx(self) -> tuple[float, float]:
        """Hoeffding's interval."""
        radius = sqrt(log(2 / (1 - CONFIDENCE)) / (2 * self.runs))
        return max(0.0, self.estimate_approx - radius), min(1.0, self.estimate_approx + radius)


def usual_runs(test: Test) -> int:
    """How many runs are made of a test where nobody says how many: fewer where it reads many labels."""
    longest = test.longest
    return RUNS if longest is None else min(RUNS, max(_FEWEST_RUNS, _LABELS // longest))


def simulate(chain: LabelledMarkovChain, state: str, test: Test, runs: int, seed: int) -> Frequency:
    """Run the chain from a state and count how often the test accepts its labels.

    Requires: runs >= 1. The same seed gives the same runs.
    """
    if runs < 1:
        raise ParameterError(f"the number of runs is {runs}; it must be at least 1")
    length = LONGEST_RUN if test.longest is None else None
    chance = random.Random(f"{seed}/{state}")  # noqa: S311 - no secret depends on it
    hits = undecided = 0
    for walk in islice(_walks(chain, chain.index(state), chance), runs):
        read = test.reader()
        accepted = next((said for said in map(read, islice(walk, length)) if said is not None), None)
        hits += accepted is True
        undecided += accepted is None
    return Frequency(hits, runs, undecided, length)


def _walks(chain: LabelledMarkovChain, start: int, chance: random.Random) -> Iterator[Iterator[str]]:
    """The labels of one run after the other."""
    labels, rows = chain.labels, chain.integer_rows
    cumulative: dict[int, list[int]] = {}

    def walk() -> Iterator[str]:
        state = start
        while True:
            yield labels[state]
            row = rows[state]
            if state not in cumulative:
                cumulative[state] = list(accumulate(row.numerators))
            state = row.targets[bisect_right(cumulative[state], chance.randrange(row.denominator))]

    while True:
        yield walk()

"""An attack replayed by chance, for the sceptic: run the chain many times and count.

Rows are sampled exactly, by a uniform integer below the row's common denominator; nothing is rounded. The
interval around a frequency is Hoeffding's: with N runs the true probability is within
sqrt(ln(2/(1-confidence)) / (2N)) of it with at least the stated confidence, for every N and every
probability. It is a little wider than the best known intervals and needs no tables.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log, sqrt

from bdist.errors import ParameterError
from bdist.models.chain import LabelledMarkovChain

CONFIDENCE = 0.99


@dataclass(frozen=True)
class Frequency:
    """How often an event happened in a number of runs."""

    hits: int
    runs: int

    @property
    def estimate_approx(self) -> float:
        """The relative frequency."""
        return self.hits / self.runs

    @property
    def interval_approx(self) -> tuple[float, float]:
        """Hoeffding's interval."""
        radius = sqrt(log(2 / (1 - CONFIDENCE)) / (2 * self.runs))
        return max(0.0, self.estimate_approx - radius), min(1.0, self.estimate_approx + radius)


def simulate(
    chain: LabelledMarkovChain, state: str, prefixes: Iterable[Sequence[str]], runs: int, seed: int
) -> Frequency:
    """Run the chain from a state and count how often its labels begin with one of the prefixes.

    Requires: runs >= 1. The same seed gives the same runs.
    """
    if runs < 1:
        raise ParameterError(f"the number of runs is {runs}; it must be at least 1")
    accepted = {tuple(prefix) for prefix in prefixes}
    longest = max((len(prefix) for prefix in accepted), default=0)
    cumulative = [list(accumulate(row.numerators)) for row in chain.integer_rows]
    chance = random.Random(f"{seed}/{state}")  # noqa: S311 - no secret depends on it
    hits = sum(
        _accepts(chain, chain.index(state), accepted, longest, cumulative, chance) for _ in range(runs)
    )
    return Frequency(hits, runs)


def _accepts(
    chain: LabelledMarkovChain,
    state: int,
    accepted: set[tuple[str, ...]],
    longest: int,
    cumulative: list[list[int]],
    chance: random.Random,
) -> bool:
    seen: tuple[str, ...] = ()
    for _ in range(longest):
        seen = (*seen, chain.labels[state])
        if seen in accepted:
            return True
        row = chain.integer_rows[state]
        state = row.targets[bisect_right(cumulative[state], chance.randrange(row.denominator))]
    return False

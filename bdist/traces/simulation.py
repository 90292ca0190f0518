"""An attack replayed by chance, for the sceptic: run the chain many times and count.

Rows are sampled exactly, by a uniform integer below the row's common denominator; nothing is rounded. The
interval around a frequency is Hoeffding's: with N runs the true probability is within
sqrt(ln(2/(1-confidence)) / (2N)) of it with at least the stated confidence, for every N and every
probability. It is a little wider than the best known intervals and needs no tables.

A run goes down the prefixes as a tree, label by label, and ends where it leaves it. To compare all labels so
far with all prefixes at every step would be quadratic in their length, and a prefix that is read from a file
may be long.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log, sqrt

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import ParameterError

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
    tree = _Branch()
    for prefix in prefixes:
        tree.insert(prefix)
    cumulative = [list(accumulate(row.numerators)) for row in chain.integer_rows]
    chance = random.Random(f"{seed}/{state}")  # noqa: S311 - no secret depends on it
    start = chain.index(state)
    hits = sum(_accepts(chain, start, tree, cumulative, chance) for _ in range(runs))
    return Frequency(hits, runs)


class _Branch(dict[str, "_Branch"]):
    """The prefixes that begin with what led here, by their next label."""

    accepts = False

    def insert(self, prefix: Sequence[str]) -> None:
        branch = self
        for label in prefix:
            branch = branch.setdefault(label, _Branch())
        branch.accepts = True


def _accepts(
    chain: LabelledMarkovChain,
    state: int,
    tree: _Branch,
    cumulative: list[list[int]],
    chance: random.Random,
) -> bool:
    branch = tree.get(chain.labels[state])
    while branch is not None:
        if branch.accepts:
            return True
        row = chain.integer_rows[state]
        state = row.targets[bisect_right(cumulative[state], chance.randrange(row.denominator))]
        branch = branch.get(chain.labels[state])
    return False

"""Uniform draws that mean the same on every machine and every Python, for families that have a seed.

Python promises a stable sequence for ``Random.random`` only; the algorithms of ``sample``, ``shuffle`` and
``randrange`` may change from version to version. So everything here is drawn from ``getrandbits``, the raw
output of the Mersenne twister, and what is built on it (a uniform number by rejection, a subset by Floyd's
method, 1987) is written out below. A chain named in a bug report stays that chain, and tests pin some.
"""

from __future__ import annotations

import random
from itertools import pairwise

from bdist.family import IntegerParameter

DENOMINATOR = IntegerParameter(
    "denominator", 12, "common denominator of all probabilities", least=1, most=10**12
)
SEED = IntegerParameter("seed", 1, "seed of the generator", least=0, most=2**64 - 1)


class Draw:
    """Uniform draws, all of them from ``getrandbits``."""

    def __init__(self, seed: int) -> None:
        self._bits = random.Random(seed).getrandbits  # noqa: S311 - reproducible, not secret

    def below(self, limit: int) -> int:
        """A number in 0 .. limit - 1, by rejection."""
        while True:
            number = self._bits(limit.bit_length())
            if number < limit:
                return number

    def subset(self, population: int, size: int) -> list[int]:
        """A subset of 0 .. population - 1, in increasing order, by Floyd's method."""
        chosen: set[int] = set()
        for newest in range(population - size, population):
            candidate = self.below(newest + 1)
            chosen.add(newest if candidate in chosen else candidate)
        return sorted(chosen)

    def composition(self, total: int, parts: int) -> list[int]:
        """Positive integers, ``parts`` of them, that sum to ``total``."""
        cuts = [0, *(cut + 1 for cut in self.subset(total - 1, parts - 1)), total]
        return [right - left for left, right in pairwise(cuts)]

    def shuffled(self, items: list[int]) -> list[int]:
        """The items in random order (Fisher and Yates)."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items

"""Vectors of rationals on the states, as integers over one denominator.

Most of the checker's time goes into sums over states. A sum of fractions looks for common divisors at every
term, a sum of integers at none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple, TypeVar

_K = TypeVar("_K")


class Vector(NamedTuple):
    """A vector ≥ 0: ``numerators[i] / denominator`` at the state i, and 0 where i is not listed.

    Every numerator is positive. In lowest terms, where nothing divides the denominator and all numerators,
    two vectors are equal if and only if these two members are.
    """

    numerators: dict[str, int]
    denominator: int

    @staticmethod
    def of(entries: Mapping[str, Fraction]) -> Vector:
        """The vector with these entries. Requires: they are positive."""
        m = common_denominator(entries.values())
        return Vector(scaled(entries, m), m)

    def total(self) -> Fraction:
        """The sum of all entries."""
        return Fraction(sum(self.numerators.values()), self.denominator)

    def divided(self, q: Fraction) -> Vector:
        """The vector divided by q, in lowest terms. Requires: q > 0."""
        numerators = {i: x * q.denominator for i, x in self.numerators.items()}
        denominator = self.denominator * q.numerator
        common = gcd(denominator, *numerators.values())
        return Vector({i: x // common for i, x in numerators.items()}, denominator // common)


def scaled(entries: Mapping[_K, Fraction], m: int) -> dict[_K, int]:
    """The entries times m. Requires: these are integers."""
    return {key: x.numerator * (m // x.denominator) for key, x in entries.items()}


def common_denominator(numbers: Iterable[Fraction]) -> int:
    """The least number that is a multiple of all denominators."""
    return lcm(*[x.denominator for x in numbers])

"""Vectors of rationals on the states, as integers over one denominator.

Most of the checker's time goes into sums over states. A sum of fractions looks for common divisors at every
term, a sum of integers at none. The price is that every number becomes as long as the common denominator. A
row of the model is within limits, which the reader of the model holds; a vector of a certificate may be all
of primes, so its integers are counted as work before they are made.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple, TypeVar

from .digits import size
from .limits import PIECE, Work

_K = TypeVar("_K")

_FEW, _SHORT = 16, 2**64


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
        m = lcm(*[x.denominator for x in entries.values()])
        return Vector(scaled(entries, m), m)

    def total(self) -> Fraction:
        """The sum of all entries."""
        return Fraction(sum(self.numerators.values()), self.denominator)

    def extent(self) -> tuple[int, int]:
        """How many entries there are, and at most how many bits an entry has."""
        return len(self.numerators), self.denominator.bit_length()

    def divided(self, q: Fraction) -> Vector:
        """The vector divided by q, in lowest terms. Requires: q > 0."""
        numerators = {i: x * q.denominator for i, x in self.numerators.items()}
        denominator = self.denominator * q.numerator
        common = gcd(denominator, *numerators.values())
        return Vector({i: x // common for i, x in numerators.items()}, denominator // common)


def scaled(entries: Mapping[_K, Fraction], m: int) -> dict[_K, int]:
    """The entries times m. Requires: these are integers."""
    return {key: x.numerator * (m // x.denominator) for key, x in entries.items()}


def common_denominator(numbers: Collection[Fraction], work: Work) -> int:
    """The least number that is a multiple of all denominators, where there is room for the numbers times it.

    Raises: TooLarge.
    """
    m = least_common_multiple([x.denominator for x in numbers], work)
    work.hold(len(numbers), m.bit_length())
    if m.bit_length() >= PIECE:
        work.spend(1, m.bit_length(), sum(map(size, numbers)))
    return m


def least_common_multiple(numbers: Collection[int], work: Work) -> int:
    """The least common multiple, found in steps that are counted. Raises: TooLarge."""
    if len(numbers) <= _FEW and max(numbers, default=1) < _SHORT:  # as most are: then it is short too
        work.spend(len(numbers))
        return lcm(*numbers)
    m = 1
    for x in set(numbers):
        work.spend(4, m.bit_length(), x.bit_length())
        m = lcm(m, x)
    return m

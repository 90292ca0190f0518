"""Where a polynomial is at least 0: its Bernstein coefficients on a box, SPEC-PUFFERFISH section 1.

On a box, a polynomial is a mixture of its Bernstein coefficients with weights that are at least 0, so it is
at least 0 where they are. That is a proof, and no search for a minimum. The converse fails only near zeros
of the polynomial, or where it is nearly 0; smaller boxes help there.

With x = l + (h − l) t and u = t / (1 − t), a power of x is

    x^k = (l + h u)^k (1 + u)^(n−k) / (1 + u)^n,

so the coefficients of u^I, when the powers are multiplied out, are C(n, I) times the Bernstein coefficient
b_I. With the common denominator D of l and h, multiplied in n times, they are integers. One parameter after
the other is treated like that, and signs are all that is looked at, so what is found is b_I up to a
positive factor that depends on I. A coefficient that is not in the dictionary is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb, lcm
from typing import NamedTuple

from ..core.limits import Work
from .polynomials import Polynomial, degrees, longest

MOST_BOXES = 4096


class Range(NamedTuple):
    """The values of a parameter between two ends."""

    low: Fraction
    high: Fraction


Box = tuple[Range, ...]


def signed_coefficients(polynomial: Polynomial, box: Box, work: Work) -> Polynomial:
    """The Bernstein coefficients that are not 0, each times some positive number. Raises: TooLarge."""
    found = polynomial
    for place, degree in enumerate(degrees(polynomial, len(box))):
        if degree:
            found = _along(found, place, _powers(box[place], degree, work), work)
    return found


def at_least_zero(polynomial: Polynomial, box: Box, work: Work) -> bool:
    """Whether all Bernstein coefficients on the box are at least 0. Raises: TooLarge."""
    return all(c >= 0 for c in signed_coefficients(polynomial, box, work).values())


def shown_at_least_zero(polynomial: Polynomial, box: Box, work: Work) -> bool:
    """Whether the polynomial is shown to be ≥ 0, on the box or on its parts. Raises: TooLarge."""
    ends = [sorted({0, degree}) for degree in degrees(polynomial, len(box))]
    waiting, looked_at = [(box, 0)], 0
    while waiting:
        if looked_at == MOST_BOXES:
            return False
        looked_at += 1
        part, depth = waiting.pop()
        found = signed_coefficients(polynomial, part, work)
        if all(c >= 0 for c in found.values()):
            continue
        if not part or any(found.get(corner, 0) < 0 for corner in product(*ends)):
            return False
        place = depth % len(part)
        low, high = part[place]
        work.reduce((low + high).denominator.bit_length())
        middle = (low + high) / 2
        halves = (Range(middle, high), Range(low, middle))
        waiting += [((*part[:place], half, *part[place + 1 :]), depth + 1) for half in halves]
    return True


def _along(polynomial: Polynomial, place: int, powers: Sequence[Sequence[int]], work: Work) -> Polynomial:
    """Replace x^k, for the parameter at a place, by the k-th of these polynomials in u."""
    bits, by = longest([polynomial]), max(map(int.bit_length, (c for power in powers for c in power)))
    terms = len(polynomial) * len(powers)
    work.spend(terms, bits, by)
    work.hold(terms, bits + by)
    found: Polynomial = {}
    for exponents, c in polynomial.items():
        before, after = exponents[:place], exponents[place + 1 :]
        for k, factor in enumerate(powers[exponents[place]]):
            if factor:
                key = (*before, k, *after)
                found[key] = found.get(key, 0) + c * factor
    return {exponents: c for exponents, c in found.items() if c}


def _powers(ends: Range, n: int, work: Work) -> list[list[int]]:
    """For each k the coefficients of (l + h u)^k (1 + u)^(n−k), times the n-th power of a denominator."""
    below = lcm(ends.low.denominator, ends.high.denominator)
    low, high = (end.numerator * (below // end.denominator) for end in ends)
    longest_base = max(low.bit_length(), high.bit_length(), below.bit_length())
    work.spend(4 * (n + 1) * (n + 1), (n + 1) * longest_base, longest_base)
    work.hold((n + 1) * (n + 1), (n + 1) * longest_base)
    return _all_powers(low, high, below, n)


@lru_cache(maxsize=64)
def _all_powers(low: int, high: int, below: int, n: int) -> list[list[int]]:
    """All (low + high u)^k (below + below u)^(n−k): each is the one before, divided and multiplied."""
    found = [[comb(n, i) * below**n for i in range(n + 1)]]
    for _ in range(n):
        quotient, last = [], 0
        for c in found[-1][:-1]:
            last = c // below - last
            quotient.append(last)
        found.append([low * x + high * y for x, y in zip((*quotient, 0), (0, *quotient), strict=True)])
    return found

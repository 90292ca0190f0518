"""Sums of rationals over one denominator, within limits.

A sum of ``Fraction`` looks for common divisors at every term. Over one denominator it is a sum of integers,
several times as fast. But the common denominator of a thousand fractions may be a thousand times as long as
each of them, and so are the integers then: a row of 10 MB, in a file that somebody sent, can ask for more
memory than there is. No chain of ours has rows like that. So a row has a common denominator of at most
332,000 bits, which is 100,000 digits, and all rows of a chain together, each over its common denominator,
have at most 2^31 bits. The checker holds models to the same limits, so that what we accept it can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

ROW_BITS = 332_000
ROWS_BITS = 2**31


def sum_over_one_denominator(numbers: Sequence[Fraction]) -> tuple[int, int] | None:
    """The sum as a numerator and the common denominator, not in lowest terms.

    None where the common denominator has more than ROW_BITS bits.
    """
    denominator = 1
    for number in numbers:
        denominator = lcm(denominator, number.denominator)
        if denominator.bit_length() > ROW_BITS:
            return None
    return sum(number.numerator * (denominator // number.denominator) for number in numbers), denominator

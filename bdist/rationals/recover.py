"""The fraction of least denominator in an interval, by continued fractions.

The classical Stern-Brocot argument: if the interval holds an integer, the least one is the answer; otherwise
both ends share their integer part, and the answer is that part plus the reciprocal of the simplest fraction
between the reciprocals of what is left, with the ends swapped. It takes as many steps as the ends' continued
fractions agree.
"""

from __future__ import annotations

from fractions import Fraction


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction p/q with low <= p/q <= high, q least, and then p least.

    Requires: 0 <= low <= high.
    """
    if low < 0 or low > high:
        raise ValueError(f"need 0 <= low <= high, got {low} and {high}")
    quotients: list[int] = []
    while True:
        whole = -(-low.numerator // low.denominator)
        if whole <= high:
            break
        part = whole - 1
        quotients.append(part)
        low, high = 1 / (high - part), 1 / (low - part)
    value = Fraction(whole)
    for part in reversed(quotients):
        value = part + 1 / value
    return value

"""The two exact number types and the one door between them.

Everything a user sees is a ``fractions.Fraction``: standard library, hashable, printable. Everything inside a
solver is FLINT's ``fmpq``, about five times as fast and backed by subquadratic big-integer arithmetic. They
do not mix in one expression, on purpose: a ``Fraction`` that strays into a hot loop raises a TypeError
instead of making it slow.

Here is also the fraction of least denominator in an interval, by continued fractions. That is the last step
of a binary search for an unknown rational: once the bracket is narrower than 1/B^2, for a bound B on the
denominator, it holds one rational with such a denominator, and that is the simplest one in it. The classical
Stern-Brocot argument: if the interval holds an integer, the least one is the answer; otherwise both ends
share their integer part, and the answer is that part plus the reciprocal of the simplest fraction between the
reciprocals of what is left, with the ends swapped. It takes as many steps as the ends' continued fractions
agree. An end may be open: a threshold that is violated excludes itself.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

_LARGEST = 1e300  # beyond it a product with a short number may not be one any more

ZERO = fmpq(0)
ONE = fmpq(1)


def to_fmpq(value: Fraction | int) -> fmpq:
    """The fmpq equal to a Fraction or an int."""
    return fmpq(value.numerator, value.denominator)


def approximate(value: fmpq) -> float:
    """The float nearest to an fmpq, of any number of digits; what is beyond 1e300 counts as that."""
    above, below = int(value.p), int(value.q)
    if above.bit_length() - below.bit_length() > 1000:
        return _LARGEST if value > 0 else -_LARGEST
    return min(max(above / below, -_LARGEST), _LARGEST)


def to_fraction(value: fmpq) -> Fraction:
    """The Fraction equal to an fmpq."""
    return Fraction(int(value.p), int(value.q))


def point_value(point: arb) -> Fraction:
    """The Fraction equal to a ball of radius 0, such as an end of an enclosure."""
    mantissa, exponent = point.man_exp()  # raises where the ball is not a point
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def simplest_between(
    low: Fraction, high: Fraction, *, open_low: bool = False, open_high: bool = False
) -> Fraction | None:
    """The least fraction of least denominator between low and high; None where there is none.

    Requires: 0 <= low. An end belongs to the interval unless it is open.
    """
    if low < 0:
        raise ValueError(f"need 0 <= low, got {low}")
    if low > high or (low == high and (open_low or open_high)):
        return None
    top: Fraction | None = high  # None is infinity
    quotients: list[int] = []
    while True:
        below = low.numerator // low.denominator
        whole = below if low == below and not open_low else below + 1  # the least integer from here on
        if top is None or whole < top or (whole == top and not open_high):
            break
        # No integer is inside, so the interval lies within [whole - 1, whole].
        quotients.append(whole - 1)
        rest = low - (whole - 1)
        low, top = 1 / (top - (whole - 1)), 1 / rest if rest else None
        open_low, open_high = open_high, open_low
    value = Fraction(whole)
    for part in reversed(quotients):
        value = part + 1 / value
    return value

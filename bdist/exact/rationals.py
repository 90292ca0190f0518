"""The two exact number types and the one door between them.

Everything a user sees is a ``fractions.Fraction``: standard library, hashable, printable. Everything inside a
solver is FLINT's ``fmpq``, about five times as fast and backed by subquadratic big-integer arithmetic. They
do not mix in one expression, on purpose: a ``Fraction`` that strays into a hot loop raises a TypeError
instead of making it slow.
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

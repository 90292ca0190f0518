"""epsilon = ln alpha, on the side that is named.

ln alpha is irrational for every rational alpha but 1. A guarantee that was computed at alpha holds for every
epsilon at or above ln alpha, an attack counts against every epsilon at or below it; so a logarithm that is
shown or computed with is rounded, up for the former and down for the latter, and the direction is in the
function's name.

FLINT's ball arithmetic encloses the logarithm rigorously. An alpha just above 1 has a tiny logarithm, and a
ball around alpha would drown it; alpha - 1 is exact, so the precision grows with the number of digits of
alpha. As with the exponential, the fraction of least denominator on the sound side of the enclosure is taken,
here within a relative distance of 2^-60: short, and exact to more digits than are ever printed.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from bdist.errors import InternalError, ParameterError
from bdist.exact.display import decimal_down, decimal_up
from bdist.exact.fast import fast
from bdist.exact.reading import rational_text
from bdist.exact.recover import simplest_between

_RELATIVE_WIDTH = Fraction(1, 2**60)
_GUARD_BITS = 128


def log_down(alpha: Fraction) -> Fraction:
    """A short rational epsilon with (1 - 2^-59) ln alpha <= epsilon <= ln alpha. Raises: ParameterError
    where alpha < 1.
    """
    low, _ = _enclosure(alpha)
    return _shortest(low * (1 - _RELATIVE_WIDTH), low)


def log_up(alpha: Fraction) -> Fraction:
    """A short rational epsilon with ln alpha <= epsilon <= (1 + 2^-59) ln alpha. Raises: ParameterError
    where alpha < 1.
    """
    _, high = _enclosure(alpha)
    return _shortest(high, high * (1 + _RELATIVE_WIDTH))


def log_text(alpha: Fraction, digits: int = 12) -> str:
    """ln alpha in decimals, cut and marked; both ends where the digits are not decided by the enclosure."""
    if alpha == 1:
        return "0"
    low, high = log_down(alpha), log_up(alpha)
    cut = decimal_down(low, digits)
    return f"{cut}..." if cut == decimal_down(high, digits) else f"{cut} to {decimal_up(high, digits)}"


def _enclosure(alpha: Fraction) -> tuple[Fraction, Fraction]:
    if alpha < 1:
        raise ParameterError(f"alpha = {rational_text(alpha)} is below 1; its logarithm is no epsilon")
    if alpha == 1:
        return Fraction(0), Fraction(0)
    bits = _GUARD_BITS + 2 * max(alpha.numerator.bit_length(), alpha.denominator.bit_length())
    with ctx.workprec(bits):
        ball = arb(fast(alpha)).log()
        return max(Fraction(0), _exact_value(ball.lower())), _exact_value(ball.upper())


def _shortest(low: Fraction, high: Fraction) -> Fraction:
    found = simplest_between(low, high)
    if found is None:
        raise InternalError(f"the enclosure [{low}, {high}] of a logarithm is empty")
    return found


def _exact_value(point: arb) -> Fraction:
    mantissa, exponent = point.man_exp()  # raises where the ball is not a point
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)

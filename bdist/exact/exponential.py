"""alpha = e^epsilon, on the sound side.

e^epsilon is irrational for every rational epsilon but 0, so no exact computation can be carried out at it.
The true delta falls as alpha grows, so a *guarantee* at epsilon may be computed at any rational alpha at or
below e^epsilon, and an *attack* at any rational at or above it. The direction is in the function's name. Note
that bd_alpha itself is not monotone in alpha: bd at a lower alpha bounds the true delta at epsilon, it does
not bound bd at e^epsilon.

e^epsilon is enclosed by FLINT's ball arithmetic, which is rigorous. Inside the enclosure's sound side we take
the fraction of least denominator within a relative distance of 2^-40: short numbers keep every later exact
step fast, and 1e-12 is far below anything a privacy budget is stated to.
"""

from __future__ import annotations

import re
from fractions import Fraction

from flint import arb, ctx

from bdist.errors import InternalError, ParameterError
from bdist.exact.fast import fast
from bdist.exact.reading import as_rational
from bdist.exact.recover import simplest_between

LARGEST_EPSILON = 1000
_RELATIVE_WIDTH = Fraction(1, 2**40)
_LOGARITHM = re.compile(r"\s*ln\s*\(?\s*([0-9][0-9./eE+-]*)\s*\)?\s*")


def exponential_down(epsilon: Fraction) -> Fraction:
    """A short rational alpha with e^epsilon (1 - 2^-40) <= alpha <= e^epsilon, and alpha >= 1.

    Requires: 0 <= epsilon <= LARGEST_EPSILON.
    """
    if epsilon == 0:
        return Fraction(1)
    low, _ = _enclosure(epsilon)
    return _shortest(max(Fraction(1), low * (1 - _RELATIVE_WIDTH)), low)


def exponential_up(epsilon: Fraction) -> Fraction:
    """A short rational alpha with e^epsilon <= alpha <= e^epsilon (1 + 2^-39).

    Requires: 0 <= epsilon <= LARGEST_EPSILON.
    """
    if epsilon == 0:
        return Fraction(1)
    _, high = _enclosure(epsilon)
    return _shortest(high, high * (1 + _RELATIVE_WIDTH))


def alpha_of(epsilon: object) -> tuple[Fraction, bool]:
    """The alpha at which a guarantee for ``epsilon`` is computed, and whether it equals e^epsilon.

    ``epsilon`` is a Fraction, an int, a str with a number, or a str ``ln q`` with a rational q >= 1, which is
    exact.
    Raises: ParameterError where it is negative, too large or not a number.
    """
    if isinstance(epsilon, str):
        logarithm = _LOGARITHM.fullmatch(epsilon)
        if logarithm:
            alpha = as_rational(logarithm[1], "epsilon")
            if alpha < 1:
                raise ParameterError(
                    f"epsilon = {epsilon.strip()} is negative; it must be at least 0, such as ln 3"
                )
            return alpha, True
    value = as_rational(epsilon, "epsilon")
    if value < 0:
        raise ParameterError(f"epsilon = {value} is negative; it must be at least 0")
    if value > LARGEST_EPSILON:
        raise ParameterError(
            f"epsilon = {value} is above {LARGEST_EPSILON}; no privacy is left to measure there"
        )
    return exponential_down(value), value == 0


def _shortest(low: Fraction, high: Fraction) -> Fraction:
    found = simplest_between(low, high)
    if found is None:
        raise InternalError(f"the enclosure [{low}, {high}] of an exponential is empty")
    return found


def _enclosure(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    with ctx.workprec(128):
        ball = arb(fast(epsilon)).exp()
        # For a tiny epsilon the ball contains 1; e^epsilon > 1 then sharpens its lower end.
        return max(Fraction(1), _exact_value(ball.lower())), _exact_value(ball.upper())


def _exact_value(point: arb) -> Fraction:
    mantissa, exponent = point.man_exp()  # raises where the ball is not a point
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)

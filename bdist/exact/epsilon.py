"""A privacy budget epsilon and alpha = e^epsilon: each from the other, on the sound side, and compared.

e^epsilon is irrational for every rational epsilon but 0 (Lindemann), and ln alpha for every rational alpha
but 1. The true delta falls as alpha grows, so a *guarantee* at epsilon may be computed at any rational alpha
at or below e^epsilon, and an *attack* at any rational at or above it. The other way round, a guarantee that
was computed at alpha holds for every epsilon at or above ln alpha, and an attack counts against every epsilon
at or below it. The direction is in the function's name. Note that bd_alpha itself is not monotone in alpha:
bd at a lower alpha bounds the true delta at epsilon, it does not bound bd at e^epsilon.

FLINT's ball arithmetic encloses both rigorously. On the sound side of the enclosure we take the fraction of
least denominator within a relative distance of 2^-40 for alpha and 2^-60 for epsilon: short numbers keep
every later exact step fast, and an epsilon is exact to more digits than are ever printed. An alpha just above
1 has a tiny logarithm, so the precision grows with the number of digits of alpha.

Whether p <= e^epsilon q has an exact answer for rational p and q all the same. With epsilon = ln c it is
p <= c q; with another rational epsilon p/q is never equal to e^epsilon, and an enclosure that is refined
until p/q is outside of it decides. An `Epsilon` is either of the two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from bdist.errors import InternalError, ParameterError
from bdist.exact.rationals import (
    ROW_BITS,
    as_rational,
    decimal_down,
    decimal_up,
    point_value,
    rational_text,
    simplest_between,
    to_fmpq,
)
from bdist.printing import beginning

LARGEST_EPSILON = 1000
_WIDTH_OF_ALPHA = Fraction(1, 2**40)
_WIDTH_OF_EPSILON = Fraction(1, 2**60)
_GUARD_BITS = 128
_LARGEST_FACTOR = 100
_DECIMALS = 7

_NUMBER = r"([0-9][0-9./eE+-]*)"
_LOGARITHM = re.compile(rf"\s*(?:{_NUMBER}\s*\*?\s*)?ln\s*\(?\s*{_NUMBER}\s*\)?\s*")

_ANY_LOGARITHM = re.compile(r"\bl(?:og|g|d)(?![a-z])", re.IGNORECASE)


def exponential_down(epsilon: Fraction) -> Fraction:
    """A short rational alpha with e^epsilon (1 - 2^-40) <= alpha <= e^epsilon, and alpha >= 1.

    Requires: 0 <= epsilon <= LARGEST_EPSILON.
    """
    if epsilon == 0:
        return Fraction(1)
    low, _ = _enclose_exponential(epsilon)
    return _shortest(max(Fraction(1), low * (1 - _WIDTH_OF_ALPHA)), low)


def exponential_up(epsilon: Fraction) -> Fraction:
    """A short rational alpha with e^epsilon <= alpha <= e^epsilon (1 + 2^-39).

    Requires: 0 <= epsilon <= LARGEST_EPSILON.
    """
    if epsilon == 0:
        return Fraction(1)
    _, high = _enclose_exponential(epsilon)
    return _shortest(high, high * (1 + _WIDTH_OF_ALPHA))


def log_down(alpha: Fraction) -> Fraction:
    """A short rational epsilon with (1 - 2^-59) ln alpha <= epsilon <= ln alpha. Raises: ParameterError
    where alpha < 1.
    """
    low, _ = _enclose_logarithm(alpha)
    return _shortest(low * (1 - _WIDTH_OF_EPSILON), low)


def log_up(alpha: Fraction) -> Fraction:
    """A short rational epsilon with ln alpha <= epsilon <= (1 + 2^-59) ln alpha. Raises: ParameterError
    where alpha < 1.
    """
    _, high = _enclose_logarithm(alpha)
    return _shortest(high, high * (1 + _WIDTH_OF_EPSILON))


def log_text(alpha: Fraction, digits: int = 12) -> str:
    """ln alpha in decimals, cut and marked; both ends where the digits are not decided by the enclosure."""
    if alpha == 1:
        return "0"
    low, high = log_down(alpha), log_up(alpha)
    cut = decimal_down(low, digits)
    return f"{cut}..." if cut == decimal_down(high, digits) else f"{cut} to {decimal_up(high, digits)}"


def alpha_of(epsilon: object) -> tuple[Fraction, bool]:
    """The alpha at which a guarantee for ``epsilon`` is computed, and whether it equals e^epsilon.

    Raises: as `Epsilon.of`.
    """
    read = Epsilon.of(epsilon)
    return read.alpha_down(), read.alpha is not None


def rational_beside(given: object, *, up: bool = False) -> Fraction:
    """A rational epsilon as it is, and for ln q a short decimal just below it, or just above.

    Raises: as `Epsilon.of`.
    """
    read = Epsilon.of(given)
    if read.alpha is None or read.alpha == 1:
        return read.value or Fraction(0)
    if up:
        return Fraction(decimal_up(log_up(read.alpha), _DECIMALS))
    return Fraction(decimal_down(log_down(read.alpha), _DECIMALS))


@dataclass(frozen=True)
class Epsilon:
    """epsilon = ``value``, or epsilon = ln ``alpha``: exactly one of them is given."""

    value: Fraction | None
    alpha: Fraction | None = None

    def __post_init__(self) -> None:
        if self.value == 0:  # which is ln 1: one form for one number
            object.__setattr__(self, "value", None)
            object.__setattr__(self, "alpha", Fraction(1))

    @staticmethod
    def of(given: object) -> Epsilon:
        """From a Fraction, an int, a text with a number, or a text such as ``ln 2`` or ``4 ln 2``.

        Raises: ParameterError where it is negative, too large or no such number.
        """
        if isinstance(given, Epsilon):
            return given
        if isinstance(given, str) and _ANY_LOGARITHM.search(given):
            raise ParameterError(
                f"epsilon: '{beginning(given)}' may be to the base e, 2 or 10; for the natural logarithm "
                "write ln, such as 'ln 3'"
            )
        logarithm = _LOGARITHM.fullmatch(given) if isinstance(given, str) else None
        if logarithm is not None:
            return _multiple_of_logarithm(logarithm[1], logarithm[2])
        value = as_rational(given, "epsilon")
        if value < 0:
            raise ParameterError(f"epsilon = {rational_text(value)} is negative; it must be at least 0")
        if value > LARGEST_EPSILON:
            raise ParameterError(
                f"epsilon = {rational_text(value)} is above {LARGEST_EPSILON}; no privacy is left there"
            )
        return Epsilon(value)

    @property
    def text(self) -> str:
        """As a user writes it."""
        if self.alpha is not None:
            return "0" if self.alpha == 1 else f"ln {rational_text(self.alpha)}"
        return rational_text(self.value or Fraction(0))

    def alpha_down(self) -> Fraction:
        """A rational at or just below e^epsilon."""
        return self.alpha if self.alpha is not None else exponential_down(self.value or Fraction(0))

    def alpha_up(self) -> Fraction:
        """A rational at or just above e^epsilon."""
        return self.alpha if self.alpha is not None else exponential_up(self.value or Fraction(0))

    def allows(self, ratio: Fraction | None) -> bool:
        """Whether ratio <= e^epsilon; None is an infinite ratio."""
        if ratio is None:
            return False
        if self.alpha is not None:
            return ratio <= self.alpha
        if ratio <= 1:
            return True
        bits = 64 + max(ratio.numerator.bit_length(), ratio.denominator.bit_length())
        while True:
            with ctx.workprec(bits):
                ball, exact = arb(to_fmpq(self.value or Fraction(0))).exp(), arb(to_fmpq(ratio))
                if exact < ball or exact > ball:
                    return bool(exact < ball)
            bits *= 2


def _multiple_of_logarithm(factor: str | None, of: str) -> Epsilon:
    alpha = as_rational(of, "epsilon")
    if alpha < 1:
        raise ParameterError(f"epsilon = ln {rational_text(alpha)} is negative; it must be at least 0")
    times = Fraction(1) if factor is None else as_rational(factor, "epsilon")
    if times.denominator != 1 or times > _LARGEST_FACTOR:
        raise ParameterError(
            f"epsilon = {rational_text(times)} ln {rational_text(alpha)}: the factor must be a whole number "
            f"of at most {_LARGEST_FACTOR}"
        )
    bits = max(alpha.numerator.bit_length(), alpha.denominator.bit_length())
    if times > 1 and bits * times.numerator > ROW_BITS:
        raise ParameterError(
            f"epsilon = {times.numerator} ln of a number of {bits} bits: its power has more than {ROW_BITS}"
        )
    return Epsilon(None, alpha**times.numerator)


def _enclose_exponential(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    with ctx.workprec(_GUARD_BITS):
        ball = arb(to_fmpq(epsilon)).exp()
        # For a tiny epsilon the ball contains 1; e^epsilon > 1 then sharpens its lower end.
        return max(Fraction(1), point_value(ball.lower())), point_value(ball.upper())


def _enclose_logarithm(alpha: Fraction) -> tuple[Fraction, Fraction]:
    if alpha < 1:
        raise ParameterError(f"alpha = {rational_text(alpha)} is below 1; its logarithm is no epsilon")
    if alpha == 1:
        return Fraction(0), Fraction(0)
    bits = _GUARD_BITS + 2 * max(alpha.numerator.bit_length(), alpha.denominator.bit_length())
    with ctx.workprec(bits):
        ball = arb(to_fmpq(alpha)).log()
        return max(Fraction(0), point_value(ball.lower())), point_value(ball.upper())


def _shortest(low: Fraction, high: Fraction) -> Fraction:
    found = simplest_between(low, high)
    if found is None:
        raise InternalError(f"the enclosure [{low}, {high}] is empty")
    return found

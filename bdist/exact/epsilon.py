"""A privacy budget: a rational epsilon, or ln of a rational, compared with ratios of probabilities exactly.

Whether p <= e^epsilon q has an exact answer for rational p and q. With epsilon = ln c it is p <= c q. With a
rational epsilon other than 0, e^epsilon is irrational (Lindemann), so p/q is never equal to it, and an
enclosure that is refined until p/q is outside of it decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from bdist.errors import ParameterError
from bdist.exact.exponential import LARGEST_EPSILON, exponential_down, exponential_up
from bdist.exact.fast import fast
from bdist.exact.reading import as_rational, rational_text

_LOGARITHM = re.compile(r"\s*(?:([0-9][0-9./eE+-]*)\s*\*?\s*)?ln\s*\(?\s*([0-9][0-9./eE+-]*)\s*\)?\s*")
_LARGEST_FACTOR = 100
_MOST_BITS = 332_000  # of a power: what it is written as can be read again, with at most 100,000 digits


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
        logarithm = _LOGARITHM.fullmatch(given) if isinstance(given, str) else None
        if logarithm is not None:
            return _logarithm(logarithm[1], logarithm[2])
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
                ball, exact = arb(fast(self.value or Fraction(0))).exp(), arb(fast(ratio))
                if exact < ball or exact > ball:
                    return bool(exact < ball)
            bits *= 2


def _logarithm(factor: str | None, of: str) -> Epsilon:
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
    if times > 1 and bits * times.numerator > _MOST_BITS:
        raise ParameterError(
            f"epsilon = {times.numerator} ln of a number of {bits} bits: its power has more than {_MOST_BITS}"
        )
    return Epsilon(None, alpha**times.numerator)

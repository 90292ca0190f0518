"""A number as a model file writes it: ``p/q``, a decimal, or a decimal with an exponent, perhaps with a sign.

It is read exactly and within limits: a short text such as ``1e999999999`` may be a number that fits into no
memory.
"""

from __future__ import annotations

import re
from fractions import Fraction

from .digits import integer
from .limits import LARGEST_EXPONENT, MODEL_DIGITS

# possessive, so that a long text that is no number is refused after one pass, not after one for each digit
_RATIO = re.compile(r"[+-]?+[0-9]++/[0-9]++")
_DECIMAL = re.compile(r"[+-]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]{1,12}+)?+")


class BadNumber(Exception):
    """What is wrong with a number; the message goes on after the number itself."""


def read_number(text: str, what: str = "number") -> Fraction:
    """The number that is written. Raises: BadNumber, which says what it should be."""
    if _RATIO.fullmatch(text):
        above, below = map(_integer, text.split("/"))
        if below == 0:
            raise BadNumber("has denominator zero")
        return Fraction(above, below)
    if not _DECIMAL.fullmatch(text):
        raise BadNumber(f"is not a {what} such as 1/2, 0.5 or 1e-4")
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, decimals = mantissa.partition(".")
    power = int(exponent or "0")
    if abs(power) > LARGEST_EXPONENT:
        raise BadNumber(f"has an exponent beyond {LARGEST_EXPONENT}")
    return _integer(whole + decimals) * Fraction(10) ** (power - len(decimals))


def _integer(text: str) -> int:
    digits = len(text.lstrip("+-"))
    if digits > MODEL_DIGITS:
        raise BadNumber(f"has {digits} digits, and at most {MODEL_DIGITS} are read")
    return integer(text)

"""Numbers as text: integers and rationals of any length, and numbers as a model file writes them.

CPython refuses ``int(text)`` and ``str(number)`` beyond 4300 digits (a limit that the environment may lower
to 640), because its own conversion takes quadratic time. Exact distances are often longer. The limit is a
setting of the whole process, and a checker has no business changing it, so this module halves long numbers
until the pieces are short, and uses only ``int`` and ``str`` on those. Nothing here decides whether a proof
holds, except that a number must be read as the number that is written.

A model file writes ``p/q``, a decimal, or a decimal with an exponent, perhaps with a sign. It is read exactly
and within limits: a short text such as ``1e999999999`` may be a number that fits into no memory.
"""

from __future__ import annotations

import re
from fractions import Fraction

from .limits import LARGEST_EXPONENT, MODEL_DIGITS

_PIECE = 500  # digits converted at once: below the lowest limit that CPython can be set to
_READABLE = 80  # characters of a number that an error message shows in full
_LONG_WHOLE = 10_000  # bits of the whole part of a number, of which a message shows how many digits there are


def integer(text: str) -> int:
    """The integer that is written. Requires: an optional sign and decimal digits, nothing else."""
    if len(text) <= _PIECE:
        return int(text)
    if text.startswith("-"):
        return -_natural(text[1:])
    return _natural(text.removeprefix("+"))


def _natural(digits: str) -> int:
    if len(digits) <= _PIECE:
        return int(digits)
    tail = len(digits) // 2
    power: int = 10**tail
    return _natural(digits[:-tail]) * power + _natural(digits[-tail:])


def integer_text(value: int) -> str:
    """An integer in decimal."""
    if value < 0:
        return "-" + integer_text(-value)
    if value.bit_length() <= 3 * _PIECE:  # a decimal digit takes more than 3 bits
        return str(value)
    tail = value.bit_length() * 3 // 20  # about half of its digits, of which there are 0.301 a bit
    head, rest = divmod(value, 10**tail)
    return integer_text(head) + integer_text(rest).zfill(tail)


def rational_text(value: Fraction) -> str:
    """``p/q`` in lowest terms with q > 1, or ``p``."""
    numerator = integer_text(value.numerator)
    return numerator if value.denominator == 1 else f"{numerator}/{integer_text(value.denominator)}"


def size(value: Fraction) -> int:
    """The bits of a number."""
    return value.numerator.bit_length() + value.denominator.bit_length()


def comparison(left: Fraction, sign: str, right: Fraction) -> str:
    """Two numbers and the sign between them for an error message, shortened where they are long."""
    if size(left) + size(right) <= 8 * _READABLE:  # a decimal digit takes less than 4 bits
        exact = f"{rational_text(left)} {sign} {rational_text(right)}"
        if len(exact) <= 2 * _READABLE:
            return exact
    gap = left.numerator * right.denominator - right.numerator * left.denominator
    bits = gap.bit_length() - (left.denominator * right.denominator).bit_length()
    return f"{brief(left)} {sign} {brief(right)} (apart by about 10^{bits * 3 // 10})"


def brief(value: Fraction) -> str:
    """A number for an error message: exact where it is short, else its first digits."""
    if size(value) <= 4 * _READABLE:
        exact = rational_text(value)
        if len(exact) <= _READABLE:
            return exact
    sign = "-" if value < 0 else ""
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    if bits > _LONG_WHOLE:
        return f"about {sign}10^{bits * 30103 // 100_000}"
    whole, rest = divmod(abs(value.numerator) * 10**12 // value.denominator, 10**12)
    digits = integer_text(whole)
    if len(digits) > _READABLE:
        return f"{sign}{digits[:12]}... ({len(digits)} digits)"
    return f"{sign}{digits}.{rest:012d}..."


# possessive, so that a long text that is no number is refused after one pass, not after one for each digit
_RATIO = re.compile(r"[+-]?+[0-9]++/[0-9]++")
_DECIMAL = re.compile(r"[+-]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]{1,12}+)?+")


class BadNumber(Exception):
    """What is wrong with a number; the message goes on after the number itself."""


def read_number(text: str, what: str = "number") -> Fraction:
    """The number that is written. Raises: BadNumber, which says what it should be."""
    if _RATIO.fullmatch(text):
        above, below = map(_short_integer, text.split("/"))
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
    return _short_integer(whole + decimals) * Fraction(10) ** (power - len(decimals))


def _short_integer(text: str) -> int:
    digits = len(text.lstrip("+-"))
    if digits > MODEL_DIGITS:
        raise BadNumber(f"has {digits} digits, and at most {MODEL_DIGITS} are read")
    return integer(text)

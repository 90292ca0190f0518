"""Numbers: as text, of any length, and as integers over one denominator.

CPython refuses ``int(text)`` and ``str(number)`` beyond 4300 digits (a limit that the environment may lower
to 640), because its own conversion takes quadratic time. Exact distances are often longer. The limit is a
setting of the whole process, and a checker has no business changing it, so this module halves long numbers
until the pieces are short, and uses only ``int`` and ``str`` on those.

Most of the checker's time goes into sums over states. A sum of fractions looks for common divisors at every
term, a sum of integers at none; so rows and vectors are integers over one denominator. The price is that
every number becomes as long as that. A row of the model is within limits, which the reader of the model
holds; a vector of a certificate may be all of primes, so its integers are counted as work before they are
made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fractions import Fraction
from math import lcm
from typing import TypeVar

from .limits import LARGEST_EXPONENT, MODEL_DIGITS, PIECE, Work

_K = TypeVar("_K")

_PIECE = 500  # digits converted at once: below the lowest limit that CPython can be set to
_FEW, _SHORT = 16, 2**64
# possessive, so that a long text that is no number is refused after one pass, not after one for each digit
_RATIO = re.compile(r"([+-]?+[0-9]++)/([0-9]++)")
_DECIMAL = re.compile(r"([+-]?+)(?=\.?[0-9])([0-9]*+)\.?+([0-9]*+)(?:[eE]([+-]?+[0-9]{1,12}+))?+")


# --- as text ----------------------------------------------------------------------------------------------


def integer(text: str) -> int:
    """The integer that is written. Requires: an optional sign and decimal digits, nothing else."""
    if len(text) <= _PIECE:
        return int(text)
    digits = text.lstrip("+-")
    tail = len(digits) // 2
    power: int = 10**tail
    value = integer(digits[:-tail]) * power + integer(digits[-tail:])
    return -value if text.startswith("-") else value


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


def brief(value: Fraction) -> str:
    """A number for an error message: exact where it is short, else its first digits, or how large it is."""
    if size(value) <= 260:  # about 80 digits
        return rational_text(value)
    sign, bits = "-" if value < 0 else "", value.numerator.bit_length() - value.denominator.bit_length()
    if bits > 40:
        return f"about {sign}10^{bits * 30103 // 100_000}"
    whole, rest = divmod(abs(value.numerator) * 10**12 // value.denominator, 10**12)
    return f"{sign}{whole}.{rest:012d}..."


def comparison(left: Fraction, sign: str, right: Fraction) -> str:
    """Two numbers and the sign between them for an error message."""
    return f"{brief(left)} {sign} {brief(right)}"


class BadNumber(Exception):
    """What is wrong with a number; the message goes on after the number itself."""


def read_number(text: str, what: str = "number") -> Fraction:
    """The number in a model: ``p/q``, a decimal, or one with an exponent, perhaps with a sign, read exactly.

    Raises: BadNumber, where it is none, which says what it should be, or is beyond the limits.
    """
    if ratio := _RATIO.fullmatch(text):
        above, below = map(_short_integer, ratio.groups())
        if below == 0:
            raise BadNumber("has denominator zero")
        return Fraction(above, below)
    decimal = _DECIMAL.fullmatch(text)
    if decimal is None:
        raise BadNumber(f"is not a {what} such as 1/2, 0.5 or 1e-4")
    sign, whole, decimals, exponent = decimal.groups()
    power = int(exponent or "0")
    if abs(power) > LARGEST_EXPONENT:
        raise BadNumber(f"has an exponent beyond {LARGEST_EXPONENT}")
    return _short_integer(sign + whole + decimals) * Fraction(10) ** (power - len(decimals))


def _short_integer(text: str) -> int:
    digits = len(text.lstrip("+-"))
    if digits > MODEL_DIGITS:
        raise BadNumber(f"has {digits} digits, and at most {MODEL_DIGITS} are read")
    return integer(text)


# --- over one denominator ---------------------------------------------------------------------------------


def size(value: Fraction) -> int:
    """The bits of a number."""
    return value.numerator.bit_length() + value.denominator.bit_length()


def scaled(entries: Mapping[_K, Fraction], m: int) -> dict[_K, int]:
    """The entries times m. Requires: these are integers."""
    return {key: x.numerator * (m // x.denominator) for key, x in entries.items()}


def common_denominator(numbers: Collection[Fraction], work: Work) -> int:
    """The least number that is a multiple of all denominators, where there is room for the numbers times it.

    Raises: TooLarge.
    """
    m = least_common_multiple([x.denominator for x in numbers], work)
    work.hold(len(numbers), m.bit_length())
    if m.bit_length() >= PIECE:
        work.spend(1, m.bit_length(), sum(map(size, numbers)))
    return m


def least_common_multiple(numbers: Collection[int], work: Work) -> int:
    """The least common multiple, found in steps that are counted. Raises: TooLarge."""
    if len(numbers) <= _FEW and max(numbers, default=1) < _SHORT:  # as most are: then it is short too
        work.spend(len(numbers))
        return lcm(*numbers)
    m = 1
    for x in set(numbers):
        work.spend(4, m.bit_length(), x.bit_length())
        m = lcm(m, x)
    return m

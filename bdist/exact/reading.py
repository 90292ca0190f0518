"""Rationals as text, never through a float, and how long they may be.

A user writes probabilities and parameters as ``p/q``, as a decimal or with an exponent, and means exactly
that number. ``float`` is refused everywhere: 1.0002 as a float is 1.000199999999999978..., a different alpha
with a different, and much longer, exact answer.

Numbers may be a stranger's, so their length is limited. An exponent turns a short text into a long number,
``1e999999999`` into one that fits into no memory: exponents go to 1,000, three times as far as those of
floats. Digits that are written out are paid for by whoever writes them: there may be 100,000 in an integer.

A sum of ``Fraction`` looks for common divisors at every term; over one denominator it is a sum of integers,
several times as fast. But the common denominator of a thousand fractions may be a thousand times as long as
each of them. So a row has one of at most ROW_BITS, which is 100,000 digits, and all rows together, each over
its common denominator, have at most ROWS_BITS. The checker holds models to the same limits.

CPython refuses to convert integers of more than 4300 digits to or from text, a guard against quadratic-time
parsing. Exact distances can be longer, so both directions go through FLINT here, which is subquadratic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from numbers import Rational

from flint import fmpz

from bdist.errors import ParameterError
from bdist.printing import beginning

LARGEST_EXPONENT = 1_000
MOST_DIGITS = 100_000
ROW_BITS = 332_000  # of a common denominator: those of a number of 100,000 digits
ROWS_BITS = 2**31

_RATIO = re.compile(r"([+-]?[0-9]+)(?:/([0-9]+))?")
_DECIMAL = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,12}))?")
_CPYTHON_DIGITS = 4300


def parse_rational(text: str, most_digits: int = MOST_DIGITS) -> Fraction:
    """Read ``p/q``, a decimal, or a decimal with an exponent, exactly.

    Raises: ParameterError with the text, where it is not such a number, its denominator is zero, it has more
    digits than allowed above or below the line, or an exponent beyond LARGEST_EXPONENT.
    """
    body = text.strip()
    ratio = _RATIO.fullmatch(body)
    if ratio:
        for digits in (ratio[1].lstrip("+-"), ratio[2] or ""):
            _check_digits(text, digits, most_digits)
        numerator = _integer(ratio[1])
        denominator = _integer(ratio[2]) if ratio[2] else 1
        if denominator == 0:
            raise ParameterError(f"'{beginning(text)}' has denominator zero")
        return Fraction(numerator, denominator)
    decimal = _DECIMAL.fullmatch(body)
    if not decimal or not (decimal[2] or decimal[3]):
        raise ParameterError(
            f"'{beginning(text)}' is not a number; write p/q, a decimal such as 0.25, or 1e-4"
        )
    sign, whole, fraction, exponent = decimal[1], decimal[2], decimal[3] or "", int(decimal[4] or 0)
    if abs(exponent) > LARGEST_EXPONENT:
        raise ParameterError(f"'{beginning(text)}' has an exponent beyond {LARGEST_EXPONENT}")
    _check_digits(text, whole + fraction, most_digits)
    mantissa = _integer(sign + whole + fraction)
    power = exponent - len(fraction)
    return Fraction(mantissa * 10**power) if power >= 0 else Fraction(mantissa, 10**-power)


def as_rational(value: object, what: str) -> Fraction:
    """Turn a library caller's number into a Fraction: Fraction, int and str are exact, a float is refused.

    Requires: ``what`` names the parameter, for the message.
    Raises: ParameterError.
    """
    if isinstance(value, bool):
        raise ParameterError(f"{what} is the bool {value}; give a Fraction, an int or a str")
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, str):
        try:
            return parse_rational(value)
        except ParameterError as error:
            raise ParameterError(f"{what}: {error}") from None
    if isinstance(value, float) or hasattr(value, "__float__"):
        raise ParameterError(
            f"{what} is the {type(value).__name__} {value!r}, which is a binary approximation and not the "
            f'number you wrote; give a str such as "{value}", a Fraction or an int'
        )
    raise ParameterError(f"{what} is a {type(value).__name__}; give a Fraction, an int or a str")


def rational_text(value: Fraction) -> str:
    """The exact text ``p/q`` (``p`` where q is 1), of any length."""
    numerator = _digits(value.numerator)
    return numerator if value.denominator == 1 else f"{numerator}/{_digits(value.denominator)}"


def sum_over_one_denominator(numbers: Sequence[Fraction]) -> tuple[int, int] | None:
    """The sum as a numerator and the common denominator, not in lowest terms.

    None where the common denominator has more than ROW_BITS bits.
    """
    denominator = 1
    for number in numbers:
        denominator = lcm(denominator, number.denominator)
        if denominator.bit_length() > ROW_BITS:
            return None
    return sum(number.numerator * (denominator // number.denominator) for number in numbers), denominator


def _check_digits(text: str, digits: str, most: int) -> None:
    if len(digits) > most:
        raise ParameterError(f"'{beginning(text)}' has {len(digits)} digits; at most {most} are read")


def _integer(digits: str) -> int:
    return int(digits) if len(digits) < _CPYTHON_DIGITS else int(fmpz(digits.removeprefix("+")))


def _digits(value: int) -> str:
    # 3 bits a digit is an underestimate of 3.32, so the guard errs to the side of FLINT.
    return str(value) if value.bit_length() < 3 * _CPYTHON_DIGITS else str(fmpz(value))

"""Exact rationals: two types, read from text, and printed as decimals that are true.

*Types.* Everything a user sees is a ``fractions.Fraction``: standard library, hashable, printable. Everything
inside a solver is FLINT's ``fmpq``, about five times as fast and backed by subquadratic big-integer
arithmetic. They do not mix in one expression, on purpose: a ``Fraction`` that strays into a hot loop raises a
TypeError instead of making it slow.

Here is also the fraction of least denominator in an interval, by continued fractions. That is the last step
of a binary search for an unknown rational: once the bracket is narrower than 1/B^2, for a bound B on the
denominator, it holds one rational with such a denominator, and that is the simplest one in it. The classical
Stern-Brocot argument: if the interval holds an integer, the least one is the answer; otherwise both ends
share their integer part, and the answer is that part plus the reciprocal of the simplest fraction between the
reciprocals of what is left, with the ends swapped. It takes as many steps as the ends' continued fractions
agree. An end may be open: a threshold that is violated excludes itself.

*As text*, never through a float. A user writes probabilities and parameters as ``p/q``, as a decimal or with
an exponent, and means exactly that number. A ``float`` is refused: 1.0002 as a float is
1.000199999999999978..., a different alpha with a different, and much longer, exact answer. 0.5 is the number
that was written; it is refused, too, so that a program which works with 0.5 does not fail with 0.1. The
message says which of the two it is, and what to write.

Numbers may be a stranger's, so their length is limited. An exponent turns a short text into a long number,
``1e999999999`` into one that fits into no memory: exponents go to 1,000, three times as far as those of
floats. Digits that are written out are paid for by whoever writes them: there may be 100,000 in an integer.

A sum of ``Fraction`` looks for common divisors at every term; over one denominator it is a sum of integers,
several times as fast. But the common denominator of a thousand fractions may be a thousand times as long as
each of them. So a row has one of at most ROW_BITS, which is 100,000 digits, and all rows together, each over
its common denominator, have at most ROWS_BITS. The checker holds models to the same limits.

CPython refuses to convert integers of more than 4300 digits to or from text, a guard against quadratic-time
parsing. Exact distances can be longer, so both directions go through FLINT here, which is subquadratic.

*As decimals.* A bound is printed rounded away from the truth it guards: lower bounds down, upper bounds up,
below zero as above it. A value whose decimal expansion ends early is printed whole; any other exact value is
cut towards zero, and the cut is marked. Callers do not look at the sign: an advantage may be negative, and a
caller that forgets it prints a lie.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, lcm, log, nextafter
from numbers import Rational

from flint import arb, fmpq, fmpz

from bdist.errors import ParameterError
from bdist.printing import beginning

_LARGEST = 1e300  # beyond it a product with a short number may not be one any more

ZERO = fmpq(0)
ONE = fmpq(1)


def log_approx(ratio: Fraction) -> float:
    """The logarithm of a positive rational, however long it is."""
    return log(ratio.numerator) - log(ratio.denominator)


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
    """Turn a library caller's number into a Fraction: Fraction, int, str and Decimal are exact; no float is
    taken.

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
    if isinstance(value, Decimal):
        return as_rational(str(value), what)
    if hasattr(value, "__float__"):
        with suppress(TypeError, ValueError, OverflowError):  # an array has the method, too
            raise ParameterError(f"{what} is {_float_refused(float(value))}")
    raise ParameterError(f"{what} is a {type(value).__name__}; give a Fraction, an int or a str")


def _float_refused(value: float) -> str:
    """Why a float is not taken for a number, and what to write instead."""
    text = repr(value)
    if not isfinite(value):
        return f"{text}, which is not a number that can be computed with"
    exact = Fraction(value)
    if parse_rational(text) == exact:
        shown = f"Fraction({exact.numerator}, {exact.denominator})" if exact.denominator > 1 else f"{exact}"
        return (
            f"the float {text}; write '{text}' or {shown}: most floats are not the number that was written "
            "(this one is), so none is taken"
        )
    return (
        f"the float {text}, and no float is {text}: this one is {decimal_cut(exact, 20)}; write '{text}', or "
        f"Fraction({text}) where you mean the float itself"
    )


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


_LONGEST_FRACTION = 40
_SHORT_BITS, _SHORT_DIGITS = 70, 7


def decimal_down(value: Fraction, digits: int = 12) -> str:
    """The largest decimal with that many significant digits that is at most ``value``."""
    return f"-{_decimal(-value, digits, up=True)}" if value < 0 else _decimal(value, digits, up=False)


def decimal_up(value: Fraction, digits: int = 12) -> str:
    """The least decimal with that many significant digits that is at least ``value``."""
    return f"-{_decimal(-value, digits, up=False)}" if value < 0 else _decimal(value, digits, up=True)


def decimal_cut(value: Fraction, digits: int = 12, mark: str = "...") -> str:
    """The value in decimals where they end within that many digits; else its first digits and a mark."""
    decimal = decimal_up(value, digits) if value < 0 else decimal_down(value, digits)
    return decimal if Fraction(decimal) == value else f"{decimal}{mark}"


def exact_text(value: Fraction, digits: int = 12) -> str:
    """``p/q = decimal`` where the decimal ends, ``p/q = decimal...`` (cut, not rounded) where it does not.

    A fraction too long to read is left out in favour of its decimal and its size.
    """
    fraction = rational_text(value)
    if value.denominator == 1:
        return fraction
    decimal = decimal_cut(value, digits)
    if len(fraction) > _LONGEST_FRACTION:
        return f"{decimal} (a fraction of {sum(map(str.isdigit, fraction))} digits)"
    return f"{fraction} = {decimal}"


def short_text(value: Fraction) -> str:
    """A number in a few characters: ``p/q`` where that is short, else its first digits and a mark."""
    if value.numerator.bit_length() + value.denominator.bit_length() <= _SHORT_BITS:
        return rational_text(value)
    return decimal_cut(value, _SHORT_DIGITS)


def float_down(value: Fraction) -> float:
    """The nearest float that is at most ``value``."""
    found = float(value)
    return nextafter(found, -inf) if Fraction(found) > value else found


def float_up(value: Fraction) -> float:
    """The nearest float that is at least ``value``."""
    found = float(value)
    return nextafter(found, inf) if Fraction(found) < value else found


def counted(number: int, what: str, several: str | None = None) -> str:
    """A number of things: ``1 pair``, ``2 pairs``; ``several`` is the plural where it is not with an s."""
    return f"{number} {what if number == 1 else several or what + 's'}"


def _decimal(value: Fraction, digits: int, *, up: bool) -> str:
    if value == 0:
        return "0"
    # The exponent of the first significant digit, from bit lengths, corrected exactly.
    exponent = int((value.numerator.bit_length() - value.denominator.bit_length()) * 0.30103)
    while Fraction(10) ** exponent > value:
        exponent -= 1
    while Fraction(10) ** (exponent + 1) <= value:
        exponent += 1
    places = max(digits - 1 - exponent, 0)
    numerator = value.numerator * 10**places
    scaled = -(-numerator // value.denominator) if up else numerator // value.denominator
    if exponent < -6:
        mantissa = str(scaled).rstrip("0")
        power = exponent + (len(str(scaled)) - digits)
        return f"{mantissa[0]}.{mantissa[1:]}e{power}" if len(mantissa) > 1 else f"{mantissa}e{power}"
    whole, fraction = divmod(scaled, 10**places)
    tail = str(fraction).rjust(places, "0").rstrip("0") if places else ""
    return f"{whole}.{tail}" if tail else str(whole)

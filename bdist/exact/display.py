"""Decimal renderings that never claim more than they show.

A bound is printed rounded away from the truth it guards: lower bounds down, upper bounds up, below zero as
above it. A value whose decimal expansion ends early is printed whole; any other exact value is cut towards
zero, and the cut is marked. Callers do not look at the sign: an advantage may be negative, and a caller that
forgets it prints a lie.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.exact.reading import rational_text

_LONGEST_FRACTION = 40


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

"""Decimal renderings that never claim more than they show.

A bound is printed rounded away from the truth it guards: lower bounds down, upper bounds up. A value whose
decimal expansion ends early is printed whole; any other exact value is cut, and the cut is marked.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.rationals.reading import rational_text

_LONGEST_FRACTION = 40


def decimal_down(value: Fraction, digits: int = 12) -> str:
    """The largest decimal with that many significant digits that is at most ``value`` (``value`` >= 0)."""
    return _decimal(value, digits, up=False)


def decimal_up(value: Fraction, digits: int = 12) -> str:
    """The least decimal with that many significant digits that is at least ``value`` (``value`` >= 0)."""
    return _decimal(value, digits, up=True)


def exact_text(value: Fraction, digits: int = 12) -> str:
    """``p/q = decimal`` where the decimal ends, ``p/q = decimal...`` (cut, not rounded) where it does not.

    A fraction too long to read is left out in favour of its decimal and its size.
    """
    decimal = decimal_down(value, digits)
    cut = Fraction(decimal) != value
    fraction = rational_text(value)
    if value.denominator == 1:
        return fraction
    if len(fraction) > _LONGEST_FRACTION:
        return f"{decimal}... (a fraction of {len(fraction) - 1} digits)"
    return f"{fraction} = {decimal}..." if cut else f"{fraction} = {decimal}"


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

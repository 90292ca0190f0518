"""Round numbers on axes, computed exactly, so that a tick says what it stands at."""

from __future__ import annotations

from fractions import Fraction

from bdist.exact.display import decimal_down

_ROUND = (Fraction(1), Fraction(2), Fraction(5))


def ticks(low: Fraction, high: Fraction, most: int) -> list[Fraction]:
    """At most that many multiples of 1, 2 or 5 times a power of ten, from ``low`` to ``high``.

    Requires: low < high, most >= 2.
    """
    power = Fraction(1)
    while power * most > high - low:
        power /= 10
    while True:
        for factor in _ROUND:
            step = factor * power
            first, last = -(-low // step), high // step
            if last - first + 1 <= most:
                return [step * k for k in range(int(first), int(last) + 1)]
        power *= 10


def tick_text(value: Fraction) -> str:
    """A tick in decimals, which end because it is round."""
    return decimal_down(value)

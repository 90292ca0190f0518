"""Whether p ≤ e^ε q + d, for rationals: the one place where a number is not rational.

What is decided is a sum of parts, max (α − e^ε β) w over low ≤ w ≤ high: a function of e^ε that does not
increase, and consists of pieces of lines, with rational ends. So it is decided from a lower or an upper end
of an enclosure: if the sum is exactly d at e^ε, which is irrational, then it is d on a whole piece.

Most comparisons are over before e^ε is looked at: e^ε is at least 1 and at least 2^⌊ε⌋. Otherwise e^ε is
enclosed by its Taylor series in integers over 2^b, with ε and every term rounded down for the lower end and
up for the upper one. The series is cut off after a term number i with 2ε ≤ i + 1: from there on each term is
at most half of the one before, so all that are left out are at most the last that was added. b is doubled
until the sum is decided. It ends, as e^ε is irrational for a rational ε > 0 (Lindemann).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from ..core.limits import Work
from ..core.numbers import size
from .formulas import Privacy

_FIRST_BITS = 128


class Term(NamedTuple):
    """A term of a difference, (α − e^ε β) w, with bounds of w; all are at least 0."""

    alpha: Fraction
    beta: Fraction
    low: Fraction
    high: Fraction


class Bound:
    """The test p ≤ e^ε q + d for one ε and d; it remembers how closely e^ε has been enclosed."""

    def __init__(self, privacy: Privacy, work: Work) -> None:
        self._base = privacy.base
        self._exponent = privacy.exponent
        self._delta = privacy.delta
        self._work = work
        self._known: dict[int, tuple[int, int]] = {}

    def holds(self, p: Fraction, q: Fraction) -> bool:
        """Whether p ≤ e^ε q + d, for q ≥ 0. Raises: TooLarge."""
        return self.holds_for_parts([Term(p, q, Fraction(1), Fraction(1))])

    def holds_for_parts(self, parts: Sequence[Term]) -> bool:
        """Whether Σ max (α − e^ε β) w ≤ d, where w is any number from low to high. Raises: TooLarge."""
        if self._base is not None or self._exponent == 0:
            return self._sum(parts, self._base or Fraction(1)) <= self._delta
        longest = max((size(number) for part in parts for number in part), default=1)
        first = min(int(self._exponent), 2 * longest + 64)
        if self._sum(parts, Fraction(1 << first)) <= self._delta:  # e^ε > 2^ε
            return True
        if not any(part.beta * part.low for part in parts):
            # no matter how large e^ε is, the parts without β stay, and others are at least 0
            stay = [part for part in parts if not part.beta]
            if self._sum(stay, Fraction(1)) > self._delta:
                return False
        bits = _FIRST_BITS
        while True:
            lower, upper = self._enclosure(bits)
            if self._sum(parts, Fraction(lower, 1 << bits)) <= self._delta:
                return True
            if self._sum(parts, Fraction(upper, 1 << bits)) > self._delta:
                return False
            bits *= 2

    def _sum(self, parts: Sequence[Term], power: Fraction) -> Fraction:
        """The sum, as integers over one denominator, which is reduced in the end only."""
        above, below = 0, 1
        p, q = power.numerator, power.denominator
        bits = size(power)
        for alpha, beta, low, high in parts:
            longest = size(alpha) + size(beta) + bits
            self._work.spend(4, longest, longest)
            rest = alpha.numerator * beta.denominator * q - p * beta.numerator * alpha.denominator
            value = high if rest >= 0 else low
            longest += size(value) + below.bit_length()
            self._work.spend(6, longest, longest)
            under = alpha.denominator * beta.denominator * q * value.denominator
            common = lcm(below, under)
            above = above * (common // below) + rest * value.numerator * (common // under)
            below = common
        self._work.reduce(above.bit_length() + below.bit_length())
        return Fraction(above, below)

    def _enclosure(self, bits: int) -> tuple[int, int]:
        """Integers l, u with l ≤ 2^bits e^ε ≤ u."""
        if bits not in self._known:
            exact = self._exponent
            self._work.reduce(size(exact) + bits)
            low = (exact.numerator << bits) // exact.denominator
            high = low + 1  # ε 2^bits ≤ high
            lower_term = upper_term = 1 << bits
            lower = upper = upper_term
            i = 0
            while upper_term > 1 or 2 * high > (i + 1) << bits:
                i += 1
                long = upper_term.bit_length()
                self._work.spend(4, long + high.bit_length(), high.bit_length())
                lower_term = (lower_term * low >> bits) // i
                upper_term = -((-upper_term * high >> bits) // i)  # >> and // round down, so this rounds up
                lower += lower_term
                upper += upper_term
            self._known[bits] = lower, upper + upper_term
        return self._known[bits]

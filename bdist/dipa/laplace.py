"""One Laplace sample: where it falls, and how its comparison with the stored value depends on that value.

A sample of rate r and mean m has the density (r/2) exp(-r |z - m|). Units are chosen by the caller such that
rates are integers; means and ends of intervals are exact rationals. Every result here is a number in FLINT's
ball arithmetic, at the precision that is set when it is computed: a ball holds the true value whatever the
precision, a low one only makes it wide.

Three questions are asked of a sample. Its mass on an interval; its density; and the probability that it lies
in an interval and on one side of x, as a function of x. On a part of the real line that no mean and no end of
an interval cuts, the last two have a simple form: the density is one exponential in x, the comparison a
constant plus one exponential. Only that shape, a `Factor`, enters the integrals.

Differences of nearly equal numbers are avoided where that is free, so that a narrow interval or a far tail
keeps its relative precision: masses go through exp(u) - 1, comparisons right of the mean through upper tails
and left of it through lower ones. What is left, a constant less one exponential, loses digits only near the
far end of an interval, and the caller's precision pays for them.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

_HALF = fmpq(1, 2)


@dataclass(frozen=True, slots=True)
class Interval:
    """From low to high; None is infinite. Whether an end belongs to it has no weight."""

    low: fmpq | None = None
    high: fmpq | None = None

    @property
    def ends(self) -> tuple[fmpq, ...]:
        """The finite ends."""
        return tuple(end for end in (self.low, self.high) if end is not None)

    def is_above(self, point: fmpq) -> bool:
        """Whether no number of the interval is below the point."""
        return self.low is not None and point <= self.low

    def is_below(self, point: fmpq) -> bool:
        """Whether no number of the interval is above the point."""
        return self.high is not None and self.high <= point

    def misses(self, other: Interval) -> bool:
        """Whether the two have at most one number in common."""
        above = other.high is not None and self.is_above(other.high)
        return above or (other.low is not None and self.is_below(other.low))


@dataclass(frozen=True, slots=True)
class Factor:
    """The function constant + coefficient exp(rate t) of a place t, counted from some origin.

    Where it is a constant, the coefficient is exactly zero; where it is one exponential, the constant is.
    """

    constant: arb
    coefficient: arb
    rate: int


@dataclass(frozen=True, slots=True)
class Laplace:
    """The density (rate/2) exp(-rate |z - mean|)."""

    rate: int
    mean: fmpq

    def mass(self, interval: Interval) -> arb:
        """The probability of an interval. Requires: low <= high."""
        low, high = interval.low, interval.high
        if low is None or high is None:
            return self._half_line(interval)
        if interval.is_above(self.mean):
            return self._half_exponential(low) * self._lost(low, high)
        if interval.is_below(self.mean):
            return self._half_exponential(high) * self._lost(low, high)
        return _HALF * (self._lost(low, self.mean) + self._lost(self.mean, high))

    def density(self, cell: Interval, origin: fmpq) -> Factor:
        """The density at origin + t. Requires: the mean is not inside the cell."""
        rate = -self.rate if cell.is_above(self.mean) else self.rate
        return Factor(arb(0), self.rate * self._half_exponential(origin), rate)

    def comparison(self, *, upward: bool, interval: Interval, cell: Interval, origin: fmpq) -> Factor | None:
        """The probability that a sample z in the interval has z >= x (upward) or z < x, at x = origin + t.

        Requires: neither the mean nor an end of the interval is inside the cell.
        Ensures: None where the probability is zero on the whole cell.
        """
        if cell.misses(interval):
            holds = upward == (interval.low is not None and cell.is_below(interval.low))
            return Factor(self.mass(interval), arb(0), 0) if holds else None
        # x is in the interval, so z is between x and the far end: a difference of tails on one side.
        right = cell.is_above(self.mean)
        end = interval.high if upward else interval.low
        if end is None and upward == right:
            far = arb(0)
        else:
            far = self.mass(Interval(end, None) if right else Interval(None, end))
        near = self._half_exponential(origin)
        rate = -self.rate if right else self.rate
        return Factor(-far, near, rate) if upward == right else Factor(far, -near, rate)

    def _half_line(self, interval: Interval) -> arb:
        if not interval.ends:
            return arb(1)
        (end,) = interval.ends
        outside = interval.is_above(self.mean) or interval.is_below(self.mean)
        tail = self._half_exponential(end)
        return tail if outside else 1 - tail

    def _half_exponential(self, point: fmpq) -> arb:
        return arb(-self.rate * abs(point - self.mean)).exp() * _HALF

    def _lost(self, low: fmpq, high: fmpq) -> arb:
        """1 - exp(-rate (high - low)): the part of an exponential tail that is spent between two points."""
        return -(arb(self.rate * (low - high)).expm1())

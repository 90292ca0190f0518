"""Renyi divergences of a privacy-loss distribution, and the best constant of concentrated privacy.

For probabilities p = r q of the ratios r, the Renyi divergence of order a > 1 is

    D_a = ln(M(a)) / (a - 1),    M(a) = sum p r^(a-1),

infinite where p > 0 = q. For integer orders the moment M(a) is rational and the logarithm is enclosed. For
other orders all is enclosed: M(a) - 1 = sum p (e^((a-1) ln r) - 1), as the p sum to 1, and this form loses
nothing where the loss is small. D_1 is the Kullback-Leibler divergence, sum p ln r, the limit of D_a as a
falls to 1.

rho-zCDP says that D_a <= rho a for every a > 1. The least rho is a supremum over a half line, and bracketed:

* from below by D_a / a at any a, and by D_1;
* from above on [a1, a2]: phi(a) = (a - 1) D_a = ln M(a) is convex with phi(1) = 0, so it is below its chord,
  phi(a) <= sigma (a - 1) - c with c >= 0, and D_a / a = phi(a) / (a (a - 1)) is at most

      g(y) = (sigma y - c) / (y (y + 1)),   y = a - 1,

  which rises up to y* = (c + sqrt(c^2 + sigma c)) / sigma and falls from there. On [1, a2] the chord gives
  D_(a2). The error is of second order in a2 - a1, except at 1, where it is of the first;
* from above on [a, infinity): D_infinity / a.

Best first: the interval with the largest bound is halved, geometrically as seen from 1, until the bracket
is narrow or enough has been computed.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, gcd

from flint import arb, ctx, fmpq

from bdist.exact.rationals import point_value, to_fmpq, to_fraction
from bdist.traces.loss import Masses

Ends = tuple[Fraction, Fraction]

MOMENT_BITS = 2**24  # of numerators and denominators, beyond which a moment is only enclosed
_PRECISION = 192
_SHOWN_BITS = 64
_MOST_TERMS = 4_000_000  # evaluated in one search
_NARROW = Fraction(1, 10**10)
_LARGEST_ORDER = 2**40


def moment(masses: Masses, order: int) -> Fraction:
    """sum p (p/q)^(order-1). Requires: no atom has p > 0 = q; an integer order of at least 2."""
    terms = []
    for p, q in zip(masses.s, masses.t, strict=True):
        if p:
            common = gcd(p, q)
            terms.append(fmpq(p * (p // common) ** (order - 1), (q // common) ** (order - 1)))
    while len(terms) > 1:  # by pairs, so that few sums are long
        rest = terms[len(terms) - len(terms) % 2 :]
        terms = [one + other for one, other in zip(terms[::2], terms[1::2], strict=False)] + rest
    return to_fraction(terms[0] / masses.denominator)


def moment_is_short(masses: Masses, order: int) -> bool:
    """Whether the moment of an integer order can be computed in a moment."""
    bits = {
        (q // gcd(p, q)).bit_length() * (order - 1) + p.bit_length()
        for p, q in zip(masses.s, masses.t, strict=True)
        if p and q
    }
    return sum(bits) <= MOMENT_BITS


def logarithm(value: Fraction, divisor: int) -> Ends:
    """ln(value) / divisor from both sides. Requires: value >= 1."""
    with ctx.workprec(_PRECISION):
        return _ends(arb(to_fmpq(value - 1)).log1p() / divisor)


@dataclass(frozen=True)
class Losses:
    """The losses ln(p/q) of a distribution without infinite ones, and their probabilities p, enclosed.

    Requires: masses whose sums are the denominator, and no p > 0 = q.
    """

    masses: Masses

    @cached_property
    def _terms(self) -> Sequence[tuple[arb, arb]]:
        with ctx.workprec(_PRECISION):
            scale = arb(self.masses.denominator)
            return [
                (arb(p) / scale, (arb(p - q) / q).log1p())
                for p, q in zip(self.masses.s, self.masses.t, strict=True)
                if p
            ]

    def divergence(self, order: Fraction) -> Ends:
        """D_order from both sides; for order 1 the Kullback-Leibler divergence. Requires: order >= 1."""
        with ctx.workprec(_PRECISION):
            if order == 1:
                return _ends(self._kullback_leibler())
            return _ends(self._log_moment(order) / arb(to_fmpq(order - 1)))

    def zcdp(self) -> Ends:
        """The least rho with D_a <= rho a for all a > 1, from both sides."""
        if all(p == q for p, q in zip(self.masses.s, self.masses.t, strict=True)):
            return Fraction(0), Fraction(0)
        with ctx.workprec(_PRECISION):
            return _Search(self).run()

    def _kullback_leibler(self) -> arb:
        return sum((p * loss for p, loss in self._terms), arb(0))

    def _log_moment(self, order: Fraction) -> arb:
        power = arb(to_fmpq(order - 1))
        return sum((p * (power * loss).expm1() for p, loss in self._terms), arb(0)).log1p()


class _Search:
    """Branch and bound for sup D_a / a. Lower and upper ends are fractions, phi is kept as enclosures."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._left = max(30, min(600, _MOST_TERMS // len(losses._terms)))
        self._lower = max(Fraction(0), point_value(losses._kullback_leibler().lower()))
        self._open: list[tuple[Fraction, Fraction, Fraction, arb, arb]] = []

    def run(self) -> Ends:
        """Both ends."""
        self._phi(Fraction(2))
        largest = point_value(self._losses._terms[-1][1].upper())
        last = Fraction(_LARGEST_ORDER)
        if self._lower > 0:
            last = min(last, max(Fraction(2), Fraction(ceil(largest / self._lower))))
        beyond = largest / last
        self._push(Fraction(1), last, arb(0), self._phi(last))
        while self._left > 0:
            upper = max(beyond, -self._open[0][0])
            if upper - self._lower <= _NARROW * upper:
                break
            if -self._open[0][0] < beyond:
                break
            _, start, end, at_start, at_end = heapq.heappop(self._open)
            middle = _middle(start, end)
            at_middle = self._phi(middle)
            self._push(start, middle, at_start, at_middle)
            self._push(middle, end, at_middle, at_end)
        upper = max(self._lower, beyond, -self._open[0][0])
        return _shortened(self._lower, up=False), _shortened(upper, up=True)

    def _phi(self, order: Fraction) -> arb:
        """ln M(order), and what it proves from below."""
        self._left -= 1
        phi = self._losses._log_moment(order)
        value = phi / arb(to_fmpq(order * (order - 1)))
        self._lower = max(self._lower, point_value(value.lower()))
        return phi

    def _push(self, start: Fraction, end: Fraction, at_start: arb, at_end: arb) -> None:
        bound = self._bound(start, end, at_start, at_end)
        heapq.heappush(self._open, (-bound, start, end, at_start, at_end))

    @staticmethod
    def _bound(start: Fraction, end: Fraction, at_start: arb, at_end: arb) -> Fraction:
        """An upper end of D_a / a for a from start to end."""
        first, last = arb(to_fmpq(start - 1)), arb(to_fmpq(end - 1))
        if start == 1:
            return point_value((at_end / last).upper())
        slope = (at_end - at_start) / (last - first)
        drop = (slope * first - at_start).nonnegative_part()  # is at least 0, as phi is convex
        best = (drop + (drop * drop + slope * drop).sqrt()) / slope

        def chord(y: arb) -> arb:
            return (slope * y - drop) / (y * (y + 1))

        if best <= first:
            return point_value(chord(first).upper())
        if best >= last:
            return point_value(chord(last).upper())
        if best.lower() > 0:
            found = chord(best).upper()
            if found.is_finite():
                return point_value(found)
        # D_a rises with a, so this holds in any case
        return point_value((at_end / last / (first + 1)).upper())


def _middle(start: Fraction, end: Fraction) -> Fraction:
    if start == 1:
        return 1 + (end - 1) / 8
    if end - 1 <= 4 * (start - 1):
        return (start + end) / 2
    size = floor((end - 1) / (start - 1)).bit_length() // 2
    return 1 + (start - 1) * (1 << size)


def _ends(value: arb) -> Ends:
    """Both ends of an enclosure of a number that is at least 0, as short fractions."""
    low, high = point_value(value.lower()), point_value(value.upper())
    return max(Fraction(0), _shortened(low, up=False)), max(Fraction(0), _shortened(high, up=True))


def _shortened(value: Fraction, *, up: bool) -> Fraction:
    """A fraction at or above (below) one that is at most a little larger (smaller)."""
    if value == 0:
        return value
    shift = _SHOWN_BITS - (abs(value.numerator).bit_length() - value.denominator.bit_length())
    scaled = value * Fraction(2) ** shift
    return Fraction(ceil(scaled) if up else floor(scaled)) / Fraction(2) ** shift

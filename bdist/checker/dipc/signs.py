"""F ≥ 0, or F > 0, on an interval of ε: the four proofs of SPEC.md section 3, followed with integers.

*Enclosures.* F = Σ P_k(ε) e^(k ε) has the sign of G = Σ P_k(ε) e^(−(K − k) ε), where K is the
largest k, and all exponentials of G are at most 1. They are enclosed between two integers over a power of
two, rounded down and up. Everything else is exact.

On an interval [a, a + w] put ε = a + w t. The Taylor polynomial of G at a, in t, with the remainder of each
e^(−x) (which is between 0 and the first term that is left out) has coefficients whose lower bounds are
enough: in the Bernstein basis, where t is from 0 to 1, all combinations have positive weights; and if all
Bernstein coefficients are positive, so is the polynomial. If not, the interval is cut in two. An enclosure
of F on boxes alone would need boxes as small as F is small compared with its terms, and these cancel to high
order near 0. At 0 the same polynomial is exact; its first coefficients vanish, the next one is positive, and
the rest is divided by that power of t.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb, factorial, lcm

from ..core import TooLarge
from ..core.limits import Work
from ..core.numbers import size
from .document import Interval, Proof
from .exponentials import ONE, Exponential

# --- proofs ---


_MOST_POWER = 1000  # of a factor


class NotShown(Exception):
    """Why a proof does not show what it should."""


class Prover:
    """Follows proofs on one interval."""

    def __init__(self, interval: Interval, work: Work) -> None:
        self._interval = interval
        self._work = work

    def verify(self, function: Exponential, proof: Proof) -> bool:
        """Follow a proof that F ≥ 0 on the interval: whether it shows F > 0. Raises: NotShown, TooLarge."""
        if proof.kind == "factors":
            return self._factors(function, proof)
        if proof.kind == "point":
            return self._point(function)
        if not function:
            raise NotShown("the function is 0")
        if proof.kind == "chain":
            return self._chain(function)
        self._cover(function, proof.points)
        return True

    def _point(self, function: Exponential) -> bool:
        q = self._interval.point
        if q is None:
            raise NotShown("a point is no proof on an interval that is none")
        sign = Signs(function, self._work).at(q) if function else 0
        if sign < 0 or (sign == 0 and not self._vanishes(function, q)):
            raise NotShown("it is not positive at the point")
        return sign > 0

    def _vanishes(self, function: Exponential, q: Fraction) -> bool:
        """Whether all polynomials of F are 0 at q."""
        rows = function.polynomials.values()
        self._work.spend(4 * len(function.terms), size(q) * max(map(len, rows), default=0), function.bits)
        return not any(sum(c * q**j for j, c in enumerate(row)) for row in rows)

    def _chain(self, function: Exponential) -> bool:
        interval = self._interval
        rows = list(function.polynomials.values())
        if len(rows) > 1:
            if not chain(function, self._work):
                raise NotShown("a derivative in the chain is negative at 0")
            return True  # for all ε > 0
        moved = shifted(rows[0], interval.low, self._work)  # all derivatives there, up to factorials
        belongs = interval.has_low
        if min(moved) < 0 and interval.high is not None:
            downwards = shifted(rows[0], interval.high, self._work)
            moved = [c if j % 2 == 0 else -c for j, c in enumerate(downwards)]
            belongs = interval.has_high
        if min(moved) < 0:
            raise NotShown("a derivative of the polynomial is negative at the low end")
        return bool(moved[0]) or not (belongs or interval.point is not None)

    def _cover(self, function: Exponential, points: tuple[Fraction, ...]) -> None:
        signs, interval = Signs(function, self._work), self._interval
        first, last = points[0], points[-1]
        if first <= 0:
            raise NotShown("the cover does not begin above 0")
        if interval.low > 0:
            if first > interval.low:
                raise NotShown("the cover begins above the low end")
        elif not signs.positive_up_to(first):
            raise NotShown("it is not shown to be positive from 0 to the first point")
        if interval.high is not None:
            if last < interval.high:
                raise NotShown("the cover ends below the high end")
        elif not signs.positive_from(last):
            raise NotShown("its leading term does not outweigh the others from the last point on")
        if not signs.positive_between(first, last, points[1:-1]):
            raise NotShown("it is not shown to be positive between the points")

    def _factors(self, function: Exponential, proof: Proof) -> bool:
        product, positive = ONE, True
        for factor, power, reason in proof.factors:
            if power > _MOST_POWER:
                raise NotShown(f"a power above {_MOST_POWER}")
            product = product.times(factor.power(power, self._work), self._work)
            if power % 2 == 0:
                positive = False
            elif reason is None:
                raise NotShown("a factor with an odd power has no proof")
            else:
                positive = self.verify(factor, reason) and positive
        if product.normal_form != function.normal_form:
            raise NotShown("the product of the factors is something else")
        return positive


def chain(function: Exponential, work: Work) -> bool:
    """Whether F and all that follows are ≥ 0 at 0: divide by e^(k ε) for the least k, and differentiate."""
    terms = dict(function.terms)
    while terms:
        if sum(c for (_, j), c in terms.items() if j == 0) < 0:
            return False
        low = min(k for k, _ in terms)
        widest = max(max(k for k, _ in terms) - low, function.grid).bit_length()
        work.spend(2 * len(terms), max(map(int.bit_length, terms.values())), widest)
        found: dict[tuple[int, int], int] = {}
        for (k, j), c in terms.items():
            if k != low:
                found[k - low, j] = found.get((k - low, j), 0) + c * (k - low)
            if j:
                found[k - low, j - 1] = found.get((k - low, j - 1), 0) + c * j * function.grid
        terms = {key: c for key, c in found.items() if c}
    return True


# --- enclosures ---


BITS = 192  # of an enclosure to begin with
MOST_BITS = 8192  # and in the end
WIDEST = 2  # (K − k) w, beyond which an interval is cut before it is looked at
ORDERS = 12  # of a Taylor polynomial, beyond the degree of the P_k
MOST_DEGREE = 1000
MOST_CUTS = 48  # of an interval, one after the other
_GUARD = 64


def exponential(x: Fraction, bits: int, work: Work) -> tuple[int, int]:
    """Integers low, high with low ≤ e^(−x) 2^bits ≤ high. Requires: x ≥ 0. Raises: TooLarge."""
    if x >= bits:
        return 0, 1  # e^(−x) < 2^(−x)
    halvings = (x.numerator // x.denominator).bit_length() + 1  # x / 2^halvings ≤ 1/2
    precision = bits + halvings + _GUARD + 2 * int(x)
    work.spend(2 * precision // 8 + halvings, precision, precision)
    y = x / 2**halvings
    low_y, high_y = (
        (y.numerator << precision) // y.denominator,
        -((-y.numerator << precision) // y.denominator),
    )
    low = high = low_term = high_term = 1 << precision
    i = 1
    while high_term > 1:
        low_term = (low_term * low_y >> precision) // i
        high_term = -((-high_term * high_y >> precision) // i)  # both rounded up
        low, high = low + low_term, high + high_term
        i += 1
    high += 2  # a term after the last one is at most half of the one before
    for _ in range(halvings):
        low, high = low * low >> precision, -(-high * high >> precision)
    top = 1 << precision + bits
    return top // high, -(-top // low)


class Signs:
    """An exponential polynomial, prepared for questions about its sign. Requires: it is not 0."""

    def __init__(self, function: Exponential, work: Work) -> None:
        self._work = work
        self._grid = function.grid
        self._rows = list(function.polynomials.items())
        self._top = self._rows[-1][0]  # K, on the grid
        self._degree = max(len(row) for _, row in self._rows) - 1
        self._bits = max(abs(c).bit_length() for _, row in self._rows for c in row)
        if self._degree > MOST_DEGREE:
            raise TooLarge(f"a sign of a polynomial of a degree above {MOST_DEGREE}")

    def at(self, q: Fraction, most_bits: int = MOST_BITS) -> int:
        """The sign at a rational, or 0 if all P_k are 0 there, or it is not known with so many bits.

        Requires: q > 0. Raises: TooLarge.
        """
        values = self._values(q)
        bits = BITS
        while bits <= most_bits and any(value for _, value in values):
            bounds = self._exponentials(q, bits)
            low = sum(value * bounds[k][value < 0] for k, value in values)
            high = sum(value * bounds[k][value >= 0] for k, value in values)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            bits *= 2
        return 0

    def positive_between(self, low: Fraction, high: Fraction, cuts: Sequence[Fraction] = ()) -> bool:
        """Whether the function is shown to be > 0 on [low, high], which is cut at these points first.

        Requires: 0 ≤ low ≤ high. Raises: TooLarge.
        """
        waiting = [(a, b, MOST_CUTS) for a, b in pairwise((low, *cuts, high))]
        while waiting:
            a, b, left = waiting.pop()
            if not self._too_wide(a, b) and self._positive_on_box(a, b):
                continue
            if not left or a == b or self.at(a, BITS) < 0:  # there is nothing to hope for
                return False
            waiting += [((a + b) / 2, b, left - 1), (a, (a + b) / 2, left - 1)]
        return True

    def positive_up_to(self, high: Fraction) -> bool:
        """Whether the function is shown to be > 0 on (0, high]. Raises: TooLarge."""
        first = self._first_order()
        for _ in range(MOST_CUTS):
            if not self._too_wide(Fraction(0), high) and self._positive_on_box(Fraction(0), high, first):
                return True
            if not self.positive_between(high / 2, high):
                return False
            high /= 2
        return False

    def positive_from(self, low: Fraction) -> bool:
        """Whether the function is shown to be > 0 on [low, ∞), by its leading term alone. Raises: TooLarge.

        P_K(low + s) has coefficients ≥ 0, the first c > 0, and Σ |c_(k,j)| j!/g^j e^(−g low) < c over all
        other k, where c_(k,j) are the coefficients of P_k(low + s) and g = K − k: for j!/g^j ≥ s^j e^(−g s).
        """
        leading = shifted(self._rows[-1][1], low, self._work)
        if leading[0] <= 0 or min(leading) < 0:
            return False
        bounds = self._exponentials(low, BITS)
        total = Fraction(0)
        for k, row in self._rows[:-1]:
            g = Fraction(self._top - k, self._grid)
            self._work.spend(8 * len(row) ** 2, size(low) * len(row), self._bits)
            part = sum(abs(c) * factorial(j) / g**j for j, c in enumerate(shifted(row, low, self._work)))
            total += part * Fraction(bounds[k][1], 1 << BITS)
        return total < leading[0]

    # --- parts ---

    def _too_wide(self, low: Fraction, high: Fraction) -> bool:
        return (self._top - self._rows[0][0]) * (high - low) > WIDEST * self._grid

    def _values(self, q: Fraction) -> list[tuple[int, int]]:
        """P_k(q), times the denominator of q to the power of the degree."""
        terms, d = sum(len(row) for _, row in self._rows), self._degree
        self._work.spend(4 * terms, size(q) * (d + 1), self._bits)
        return [
            (k, sum(c * q.numerator**j * q.denominator ** (d - j) for j, c in enumerate(row)))
            for k, row in self._rows
        ]

    def _exponentials(self, q: Fraction, bits: int) -> dict[int, tuple[int, int]]:
        """Bounds of e^(−(K − k) q) times 2^bits for each k."""
        return {k: exponential(q * (self._top - k) / self._grid, bits, self._work) for k, _ in self._rows}

    def _positive_on_box(self, low: Fraction, high: Fraction, first: int = 0) -> bool:
        """Whether it is shown at once; at 0, after a division by the first power that does not vanish."""
        bounds = self._exponentials(low, BITS) if low else {k: (1, 1) for k, _ in self._rows}
        order = first + self._degree + ORDERS
        coefficients = [0] * (order + 1)
        for k, row in self._rows:
            down, up = bounds[k]
            exact, last = self._expanded(k, row, low, high, order)
            for i, c in enumerate(exact):
                coefficients[i] += c * (down if c >= 0 else up)
            coefficients[order] += last * up
        return bernstein_positive(coefficients[first:], self._work)

    def _first_order(self) -> int:
        """The order of the first Taylor coefficient at 0 that does not vanish."""
        i = 0
        while True:
            # i! times the coefficient, times a power of the grid
            width = max(self._grid, *(abs(k) for k, _ in self._rows)).bit_length() + 8
            self._work.spend(4 * sum(len(row) for _, row in self._rows), width * i, width * i)
            total = sum(
                c * k ** (i - j) * self._grid**j * (factorial(i) // factorial(i - j))
                for k, row in self._rows
                for j, c in enumerate(row[: i + 1])
            )
            if total:
                return i
            i += 1

    def _expanded(
        self, k: int, row: list[int], low: Fraction, high: Fraction, order: int
    ) -> tuple[list[int], int]:
        """P_k(low + w t) e^(−g w t) as Σ_{i < order} c_i t^i + c t^order with c at least the last number.

        w = high − low and g = K − k; all numbers are times one positive integer that depends on low, high and
        the order alone.
        """
        b = lcm(low.denominator, high.denominator)
        a, w = int(low * b), int((high - low) * b)
        d = self._degree
        width = (b * self._grid * max(self._top - k, 1) * max(w, 1)).bit_length()
        self._work.spend((order + len(row)) * (len(row) + 2), width * order, self._bits + b.bit_length() * d)
        self._work.hold(2 * order, width * order)
        shifted_row = [0] * len(row)
        for j, c in enumerate(row):
            if c:
                for i in range(j + 1):
                    shifted_row[i] += c * b ** (d - j) * comb(j, i) * a ** (j - i) * w**i
        g, unit = (self._top - k) * w, b * self._grid
        series = _series(order)  # order! / i!
        # (−g w / (b grid))^i / i!, times (b grid)^order order!
        terms, up = [0] * (order + 1), 1
        unit_powers = [1]
        for _ in range(order):
            unit_powers.append(unit_powers[-1] * unit)
        for i in range(order + 1):
            terms[i] = up * unit_powers[order - i] * series[i]
            up *= -g
            if not g:
                break
        found = [sum(q * terms[i - j] for j, q in enumerate(shifted_row[: i + 1])) for i in range(order)]
        last = sum(min(q * terms[order - j], 0) for j, q in enumerate(shifted_row))
        return found, last


@cache
def _series(order: int) -> list[int]:
    return [factorial(order) // factorial(i) for i in range(order + 1)]


def bernstein_positive(coefficients: list[int], work: Work) -> bool:
    """Whether Σ c_i t^i has positive Bernstein coefficients on [0, 1]. Raises: TooLarge."""
    n = len(coefficients) - 1
    work.spend(n * n // 2 + n, max((abs(c).bit_length() for c in coefficients), default=0) + n)
    scaled = [c * x for c, x in zip(coefficients, _bernstein_scales(n), strict=True)]
    # Σ_j C(i, j) f_j for i = 0, ..., n, by adding neighbours as in Pascal's triangle
    for _ in range(n + 1):
        if scaled[0] <= 0:
            return False
        scaled = [x + y for x, y in pairwise(scaled)]
    return True


@cache
def _bernstein_scales(n: int) -> list[int]:
    """1 / C(n, j), times their common denominator."""
    common = lcm(*(comb(n, j) for j in range(n + 1)))
    return [common // comb(n, j) for j in range(n + 1)]


def shifted(row: Sequence[int], by: Fraction, work: Work) -> list[Fraction]:
    """The coefficients of P(by + s). Raises: TooLarge.

    With by = p / q and n the degree, q^n P((p + t) / q) has integer coefficients, which are those of t; no
    common divisor is looked for until the end.
    """
    p, q, last = by.numerator, by.denominator, len(row) - 1
    longest = max((abs(c).bit_length() for c in row), default=0) + last * max(p.bit_length(), q.bit_length())
    work.spend(len(row) ** 2, longest, p.bit_length())
    for _ in row:
        work.reduce(longest)
    found = [c * q ** (last - j) for j, c in enumerate(row)]
    for i in range(len(found)):
        for j in range(last - 1, i - 1, -1):
            found[j] += p * found[j + 1]
    return [Fraction(c * q**j, q**last) for j, c in enumerate(found)]

"""Is an exponential polynomial F nowhere negative on an interval of eps? With a proof, or with a point.

Three ways, the cheapest first:

* *Chain*: divide by e^(k eps) for the least exponent, look at the value at 0, differentiate, and again, until
  nothing is left. If no value is negative, integrating back shows F > 0 on (0, infinity). Only rationals
  take part. Most inequalities of private programs are proved so.
* *Points*: floats look for places where F seems negative; a ball decides.
* *Cover*: near 0 by the Taylor expansion, far out because the largest exponent wins, and boxes between.

F may touch 0 without crossing it, and then no box around that point is ever small enough. By Lindemann's
theorem, at any eps other than 0, an irreducible factor of F in Q[x, y] has simple zeros and no two factors
share one. So, where boxes run out, F is factored, even powers are left out, and what is left is strictly
positive or changes its sign.

The end points of the interval are never looked at, unless it is one point: F is continuous.

Enclosures are balls (Arb). On a box around c with radius r, F lies within t_1 r + ... of t_0, where t_j are
the Taylor coefficients at c; the last of them is taken over the whole box, which covers the remainder
(Taylor's theorem with Lagrange's remainder). Plain ball arithmetic, the same with one coefficient, would need
many more boxes: the terms of F are large and cancel. FLINT's precision is a setting of the whole process;
here it is set for a block and restored.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial

from flint import arb, arb_poly, arb_series, ctx, fmpq, fmpq_mpoly, fmpq_poly, fmpz

from bdist.budget import Budget
from bdist.dipc.exponentials import RING, ExponentialPolynomial, normal_form
from bdist.dipc.program import Interval
from bdist.exact.rationals import approximate, to_fmpq

_MOST_BOXES = 600
_MOST_HALVINGS = 60
_MOST_CHAIN = 2_000
_CLEARLY = 1e-6  # of the size of the terms
_MOST_SUSPECTS = 8
_FARTHEST = Fraction(2) ** 40


@dataclass(frozen=True)
class Chain:
    """Values at 0 of all derivatives of the chain are not negative; F > 0 on (0, infinity)."""


@dataclass(frozen=True)
class Cover:
    """F > 0 up to the first point, on the boxes between the points, and from the last one on."""

    points: tuple[Fraction, ...]


@dataclass(frozen=True)
class Point:
    """The interval is one point, and F >= 0 there."""


@dataclass(frozen=True)
class Factors:
    """F is a product of powers; odd ones have a proof of being positive, even ones need none."""

    factors: tuple[tuple[ExponentialPolynomial, int, Proof | None], ...]


Proof = Chain | Cover | Point | Factors


@dataclass(frozen=True)
class Negative:
    """A point of the interval where F < 0."""

    epsilon: Fraction


@dataclass(frozen=True)
class Undecided:
    """Why neither a proof nor a point was found."""

    reason: str


Decided = Proof | Negative | Undecided


def decide(f: ExponentialPolynomial, interval: Interval, budget: Budget) -> Decided:
    """Whether F >= 0 on an interval. Requires: F is in normal form and not 0. Raises: Stopped."""
    if interval.low == interval.high:
        return _at_point(f, interval.low)
    found = _decide_whole(f, interval, budget)
    return _by_factors(f, interval, budget) if isinstance(found, Undecided) else found


def _decide_whole(f: ExponentialPolynomial, interval: Interval, budget: Budget) -> Decided:
    """By a chain, a point or a cover, without a factorisation."""
    if chain_holds(f, interval):
        return Chain()
    budget.check()
    return _negative_among(f, _suspects(f, interval)) or _cover(f, interval, budget)


def is_strict(f: ExponentialPolynomial, proof: Proof, interval: Interval) -> bool:
    """Whether F > 0, and not only F >= 0, on all of the interval for which there is this proof."""
    if isinstance(proof, Factors) and any(power % 2 == 0 for _, power, _ in proof.factors):
        return False
    ends = ((interval.low, interval.has_low), (interval.high, interval.has_high))
    return all(end is None or not belongs or sign_at(f, end) == 1 for end, belongs in ends)


def _at_point(f: ExponentialPolynomial, point: Fraction) -> Decided:
    sign = sign_at(f, point)
    if sign is None:
        return Undecided(f"the sign at epsilon = {point} is not decided with 65536 bits")
    return Negative(point) if sign < 0 else Point()


def chain_holds(f: ExponentialPolynomial, interval: Interval) -> bool:
    """Whether the chain of derivatives proves F > 0 for eps > 0, or a polynomial F from an end inwards."""
    if not f.is_polynomial:
        return _no_value_is_negative(f, dict(f.terms))
    ((_, polynomial),) = f.terms
    upwards = {0: polynomial(fmpq_poly([to_fmpq(interval.low), 1]))}
    if _no_value_is_negative(f, upwards):
        return True
    if interval.high is None:
        return False
    return _no_value_is_negative(f, {0: polynomial(fmpq_poly([to_fmpq(interval.high), -1]))})


def _no_value_is_negative(f: ExponentialPolynomial, terms: dict[int, fmpq_poly]) -> bool:
    """Whether a function and its derivatives, exponents divided out one by one, are not negative at 0."""
    zero = 0
    for _ in range(_MOST_CHAIN):
        if not terms:
            return True
        least = min(terms)
        if sum((polynomial[0] for polynomial in terms.values()), zero) < 0:
            return False
        following = {}
        for k, polynomial in terms.items():
            rate = f.exponent(k - least)
            derived = polynomial.derivative() + polynomial * rate if k != least else polynomial.derivative()
            if derived:
                following[k] = derived
        terms = following
    return False


# --- points where F may be negative ---


def _negative_among(f: ExponentialPolynomial, points: Iterable[Fraction]) -> Negative | None:
    return next((Negative(point) for point in points if sign_at(f, point) == -1), None)


def _suspects(f: ExponentialPolynomial, interval: Interval) -> Iterator[Fraction]:
    """Simple rationals of the interior at which floats say that F is negative, or nothing; near 1 first."""
    shape = [(k / f.unit, [approximate(c) for c in polynomial.coeffs()]) for k, polynomial in f.terms]
    clear, doubtful = [], []
    for point in _grid(interval):
        value = _approx(shape, float(point))
        if value < -_CLEARLY:
            clear.append((abs(math.log(float(point))), point))
        elif value < 0 or math.isnan(value):
            doubtful.append((value, point))
    for _, point in [*sorted(clear), *doubtful][:_MOST_SUSPECTS]:
        yield point


def _grid(interval: Interval) -> Iterator[Fraction]:
    low, high = interval.low, interval.high
    if high is None:
        steps = [
            Fraction(n) for n in (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 27, 32, 48, 64, 100, 150, 256, 500)
        ]
        steps += [Fraction(1, n) for n in (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 1024)]
        steps += [Fraction(n, 2) for n in (3, 5, 7, 9)]
        yield from (low + step for step in sorted(steps))
        return
    cuts = 48
    for n in range(1, cuts):
        yield low + (high - low) * Fraction(n, cuts)
    for n in range(6, 16):
        yield low + (high - low) / 2**n
        yield high - (high - low) / 2**n


def _approx(shape: list[tuple[float, list[float]]], at: float) -> float:
    """F in floating point, over the sum of the absolute values of its terms, with rounding allowed for."""
    top = shape[-1][0]
    total = size = 0.0
    for exponent, coefficients in shape:
        factor = math.exp((exponent - top) * at)
        for c in reversed(_terms_at(coefficients, at)):
            total += c * factor
            size += abs(c) * factor
    if size == 0.0 or math.isinf(size):
        return math.nan
    return total / size if abs(total) > 1e-13 * size else 0.0


def _terms_at(coefficients: list[float], at: float) -> list[float]:
    power, found = 1.0, []
    for c in coefficients:
        found.append(c * power)
        power *= at
    return found


# --- covers ---


def _cover(f: ExponentialPolynomial, interval: Interval, budget: Budget) -> Decided:
    first = _first_point(f, interval)
    if not isinstance(first, Fraction):
        return first
    last = _last_point(f, interval, first)
    if not isinstance(last, Fraction):
        return last
    # Boxes between the two, the widest first, halved until each is shown to be positive.
    points, boxes = {first, last}, 0
    queue = [(-(last - first), first, last)] if first < last else []
    while queue:
        budget.check()
        _, low, high = heapq.heappop(queue)
        boxes += 1
        if boxes > _MOST_BOXES:
            return Undecided(f"{_MOST_BOXES} boxes do not cover it")
        if is_positive_on(f, low, high):
            continue
        middle = _between(low, high)
        if sign_at(f, middle, 1 << 10) == -1:
            return Negative(middle)
        points.add(middle)
        for start, end in ((low, middle), (middle, high)):
            heapq.heappush(queue, (start - end, start, end))
    return Cover(tuple(sorted(points)))


def _between(low: Fraction, high: Fraction) -> Fraction:
    """The middle, or in the sense of ratios the middle where the ends are far apart."""
    if low > 0 and high > 4 * low:
        wanted = math.sqrt(float(low) * float(high))
        exponent = math.floor(math.log2(wanted)) - 3
        step = Fraction(2) ** exponent
        middle = step * round(wanted / float(step))
        if low < middle < high:
            return middle
    return (low + high) / 2


def _first_point(f: ExponentialPolynomial, interval: Interval) -> Fraction | Negative | Undecided:
    """Up to where the expansion at 0 shows that F is positive; the lower end where it is not 0."""
    if interval.low > 0:
        return interval.low
    high = interval.high
    order, value = first_coefficient(f)
    point = Fraction(4) if high is None else high
    for _ in range(_MOST_HALVINGS):
        if value > 0 and is_positive_near_zero(f, point, order):
            return point
        if value < 0 and point != high and sign_at(f, point, 1 << 10) == -1:
            return Negative(point)
        point /= 2
    return Undecided("the expansion at 0 does not show the sign near 0")


def _last_point(
    f: ExponentialPolynomial, interval: Interval, first: Fraction
) -> Fraction | Negative | Undecided:
    """From where on the largest exponent wins; the upper end where there is one."""
    if interval.high is not None:
        return max(interval.high, first)
    point = max(first, Fraction(1))
    falls = f.terms[-1][1].leading_coefficient() < 0
    while point <= _FARTHEST:
        if falls:
            if sign_at(f, point, 1 << 10) == -1:
                return Negative(point)
        elif is_positive_beyond(f, point):
            return point
        point *= 2
    return Undecided("it is not shown that the largest exponent wins")


# --- factors ---


def _by_factors(f: ExponentialPolynomial, interval: Interval, budget: Budget) -> Decided:
    """Even powers left out, the rest is strictly positive or changes its sign."""
    content, factors = _in_ring(f).factor()
    if len(factors) == 1 and factors[0][1] == 1:
        return Undecided(f"{_MOST_BOXES} boxes do not cover it, and it has no factors")
    sign = 1 if content > 0 else -1
    parts: list[tuple[ExponentialPolynomial, int, Proof | None]] = []
    for factor, power in factors:
        part = normal_form(factor, f.unit)
        if int(power) % 2 == 0:
            parts.append((part, int(power), None))
            continue
        proof = _decide_whole(part, interval, budget)
        if isinstance(proof, Negative):
            part, sign = normal_form(-factor, f.unit), -sign
            proof = _decide_whole(part, interval, budget)
        if isinstance(proof, Undecided):
            return proof
        if isinstance(proof, Negative):
            return _near_crossing(f, part, interval, proof.epsilon)
        parts.append((part, int(power), proof))
    if sign > 0:
        return Factors(tuple(parts))
    nowhere = Undecided("F is nowhere positive, and no point was found where it is negative")
    return _negative_among(f, _grid(interval)) or nowhere


def _near_crossing(
    f: ExponentialPolynomial, part: ExponentialPolynomial, interval: Interval, start: Fraction
) -> Decided:
    """A point where F is negative, near a zero of one of its odd factors: signs change there."""
    found = _negative_among(f, _grid(interval))
    nowhere = Undecided("a factor changes its sign, and no point was found where F is negative")
    other = next((point for point in _grid(interval) if sign_at(part, point) == 1), None)
    if found is not None or other is None:
        return found or nowhere
    # Bisect towards the zero of the factor: on one of its sides F is negative, and few points are near it.
    low, high = start, other
    for _ in range(200):
        if found := _negative_among(f, (low, high)):
            return found
        middle = (low + high) / 2
        low, high = (middle, high) if sign_at(part, middle) == -1 else (low, middle)
    return nowhere


def _in_ring(f: ExponentialPolynomial) -> fmpq_mpoly:
    terms: dict[tuple[int, ...], int | fmpz | fmpq] = {}
    for k, polynomial in f.terms:
        terms.update({(j, k): c for j, c in enumerate(polynomial.coeffs()) if c})
    return RING.from_dict(terms)


# --- enclosures: at a point, on a box, near 0, and far out ---


ORDER = 8  # Taylor coefficients on a box
PRECISION = 192  # bits


def taylor(f: ExponentialPolynomial, at: arb, order: int) -> list[arb]:
    """The first coefficients of F(at + s) in s."""
    total = arb_series([0], order)
    for k, polynomial in f.terms:
        shifted = arb_series(arb_poly(polynomial.coeffs())(arb_poly([at, 1])), order)
        if k:
            exponent = arb(f.exponent(k))
            shifted = shifted * arb_series([exponent * at, exponent], order).exp()
        total = total + shifted
    found: list[arb] = [total[j] for j in range(order)]
    return found


def value_at(f: ExponentialPolynomial, point: Fraction, precision: int = PRECISION) -> arb:
    """F at a rational point, as a ball."""
    with ctx.workprec(precision):
        at = to_fmpq(point)
        total = arb(0)
        for k, polynomial in f.terms:
            total += arb(polynomial(at)) * arb(f.exponent(k) * at).exp()
        return total


def sign_at(f: ExponentialPolynomial, point: Fraction, most: int = 1 << 16) -> int | None:
    """The sign of F at a rational point other than 0; None if ``most`` bits do not tell.

    By Lindemann's theorem F is 0 there only if every polynomial is.
    """
    at = to_fmpq(point)
    if all(polynomial(at) == 0 for _, polynomial in f.terms):
        return 0
    precision = PRECISION
    while precision <= most:
        ball = value_at(f, point, precision)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        precision *= 2
    return None


def is_positive_on(f: ExponentialPolynomial, low: Fraction, high: Fraction) -> bool:
    """Whether the enclosure on [low, high] shows that F > 0 there."""
    with ctx.workprec(PRECISION):
        middle, radius = to_fmpq((low + high) / 2), arb(to_fmpq((high - low) / 2))
        at = taylor(f, arb(middle), ORDER)
        box = arb(middle, radius.upper()) if low < high else arb(middle)
        last = taylor(f, box, ORDER + 1)[ORDER] if low < high else arb(0)
        return bool(_lower(at, last, radius) > 0)


def _lower(coefficients: Sequence[arb], last: arb, radius: arb) -> arb:
    """A lower bound of the sum of t_j s^j for |s| <= radius."""
    slack = last.abs_upper()
    for t in reversed(coefficients[1:]):
        slack = slack * radius + t.abs_upper()
    return coefficients[0] - slack * radius


def first_coefficient(f: ExponentialPolynomial) -> tuple[int, fmpq]:
    """The order of F at 0 and the Taylor coefficient there, exactly. Requires: F is not 0.

    The order is below the number of all coefficients: exponential monomials are solutions of one linear
    differential equation of that order.
    """
    most = sum(len(polynomial.coeffs()) for _, polynomial in f.terms)
    for order in range(most):
        value = coefficient_at_zero(f, order)
        if value:
            return order, value
    raise ArithmeticError("an exponential polynomial that is not 0 has a first coefficient")


def coefficient_at_zero(f: ExponentialPolynomial, order: int) -> fmpq:
    """The Taylor coefficient at 0."""
    total = fmpq(0)
    for k, polynomial in f.terms:
        exponent = f.exponent(k)
        for j, c in enumerate(polynomial.coeffs()[: order + 1]):
            total += c * exponent ** (order - j) / factorial(order - j)
    return total


def is_positive_near_zero(f: ExponentialPolynomial, high: Fraction, order: int) -> bool:
    """Whether F > 0 on (0, high], by its expansion at 0, which begins at that order."""
    with ctx.workprec(PRECISION):
        exact = [arb(coefficient_at_zero(f, order + j)) for j in range(ORDER)]
        half = arb(to_fmpq(high / 2))
        last = taylor(f, arb(to_fmpq(high / 2), half.upper()), order + ORDER + 1)[order + ORDER]
        return bool(_lower(exact, last, arb(to_fmpq(high))) > 0)


def is_positive_beyond(f: ExponentialPolynomial, low: Fraction) -> bool:
    """Whether F > 0 on [low, infinity): the largest exponent wins over all others.

    With s = eps - low and g the distance of exponents, s^j e^(-g s) <= j! / g^j.
    """
    top, leading = f.terms[-1]
    shift = fmpq_poly([to_fmpq(low), 1])
    ahead = leading(shift).coeffs()
    if any(c < 0 for c in ahead) or ahead[0] <= 0:
        return False
    with ctx.workprec(PRECISION):
        total = arb(0)
        for k, polynomial in f.terms[:-1]:
            gap = f.exponent(top - k)
            bound = sum(
                (abs(c) * factorial(j) / gap**j for j, c in enumerate(polynomial(shift).coeffs())), fmpq(0)
            )
            total += arb(bound) * (arb(-gap) * arb(to_fmpq(low))).exp()
        return bool(total < arb(ahead[0]))

"""The probability that linear comparisons of independent noise hold: variables are integrated out one by one.

Noise is centred at 0 and has the density (a/2) e^(-a|v|), or the discrete one in proportion to e^(-a|v|).
All that is known about some variables is a `Factor`: disjoint regions of their space, with a function on
each, a sum of terms c v^n w^m ... e^(lam v + mu w + ... + kappa). To eliminate a variable, multiply the
factors that it occurs in (regions intersect, empty ones go), and integrate over it: on a region it runs from
its largest lower bound to its least upper one, and which these are depends on the other variables, so the
region is cut where they cross (Fourier-Motzkin). Regions that are equal again are merged.

Where the comparisons form a tree, as in sparse vector (a star) and noisy max, each factor has one variable
besides, the regions are intervals, and their number grows by one with each comparison: message passing comes
out by itself. Cycles and sums of several variables take more regions and no other idea.

*Regions.* An inequality is a `Form` (coefficients, constant), meant as coefficients . W + constant >= 0, with
integers that have no common divisor. Over integers the constant is rounded down accordingly, which loses no
point. A region is a set of forms of different directions. Over reals it counts as empty if it has no inner
point: boundaries have probability zero, so pieces may share them. Emptiness is decided by Fourier-Motzkin
elimination. Over integers that may call a region not empty that has no integer point; nothing is then lost
but time, since in one dimension the answer is exact, and all regions end there.

*Integrals and sums.* Laplace and discrete Laplace noise differ in the calculus only. A term is

    c  v^n ...  e^((lam v + ... + kappa) h)        divided by atoms, for integers

Over reals (`REAL`) coordinates are scaled so that h = 1 in front of them: v stands for a multiple of
epsilon x, and a constant b of the program becomes b h, where h is a multiple of epsilon. So constants carry a
power of h with them (``rest`` counts it), integrals of e^(lam v) divide by numbers only, and probabilities
are sums of P(epsilon) e^(k epsilon) with polynomials P. Over integers (`INTEGER`) sums of
e^(lam v h) divide by 1 - e^(-s h); ``rest`` lists these atoms with their powers, as ((s, power), ...).

Costs: a sparse vector with five queries about 2 ms, a cycle of five variables about 15 ms, of six 40 ms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb, factorial, floor, gcd, lcm
from typing import Any, TypeVar

from flint import fmpq

from bdist.errors import InternalError, UnsupportedError
from bdist.exact.rationals import to_fmpq

# --- integrals of reals and sums of integers ---


Exact = int | Fraction  # a Fraction only where it is not whole: these are keys, and integers are fast ones
Atoms = tuple[tuple[int, int], ...]
Rest = int | Atoms
Piece = tuple[fmpq, int, Exact, Rest]  # c, n, kappa, rest: c v^n e^(kappa h), with what rest says


def tidy(value: Exact) -> Exact:
    """An integer where the value is one."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


@cache
def _integral(n: int, lam: Exact) -> tuple[Piece, ...]:
    if lam == 0:
        return ((fmpq(1, n + 1), n + 1, 0, 0),)
    inverse = 1 / to_fmpq(lam)
    return tuple(
        ((-1) ** (n - k) * fmpq(factorial(n), factorial(k)) * inverse ** (n - k + 1), k, 0, 0)
        for k in range(n, -1, -1)
    )


@cache
def _sum(n: int, lam: Exact) -> tuple[Piece, ...]:
    """For w = e^(lam h): S(v) = w^v q(v) with w q(v + 1) - q(v) = v^n, coefficient by coefficient.

    That is q_n = 1 / (w - 1) and q_j = -w / (w - 1) times the sum of q_i comb(i, j) over i > j. Where lam is
    0 it is the polynomial with the differences v^n.
    """
    if lam == 0:
        return tuple((c, power, 0, ()) for power, c in enumerate(_faulhaber(n)) if c)
    if not isinstance(lam, int):
        raise TypeError("exponents of integers are scaled to integers")
    size = abs(lam)
    sign, shift = (-1, 0) if lam < 0 else (1, -size)  # 1 / (w - 1) = sign e^(shift h) / (1 - e^(-size h))
    found: dict[int, dict[tuple[int, int], fmpq]] = {n: {(shift, 1): fmpq(sign)}}
    for j in range(n - 1, -1, -1):
        total: dict[tuple[int, int], fmpq] = {}
        for i in range(j + 1, n + 1):
            for (kappa, power), c in found[i].items():
                key = kappa + shift + lam, power + 1
                total[key] = total.get(key, fmpq(0)) - sign * comb(i, j) * c
        found[j] = total
    return tuple(
        (c, j, kappa, ((size, power),))
        for j, terms in found.items()
        for (kappa, power), c in terms.items()
        if c
    )


def _faulhaber(n: int) -> list[fmpq]:
    """The coefficients of S with S(v + 1) - S(v) = v^n and S(0) = 0."""
    coefficients = [fmpq(0)] * (n + 2)
    wanted = [fmpq(0)] * n + [fmpq(1)]
    for power in range(n, -1, -1):
        c = wanted[power] / (power + 1)
        coefficients[power + 1] = c
        for lower in range(power + 1):
            wanted[lower] -= c * comb(power + 1, lower)
    return coefficients


def _merged(left: Atoms, right: Atoms) -> Atoms:
    """Atoms with their powers, of a product."""
    return _all_atoms(left, right) if left and right else left or right


@cache
def _all_atoms(left: Atoms, right: Atoms) -> Atoms:
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items()))


@dataclass(frozen=True)
class Calculus:
    """How to integrate, or to sum."""

    gap: int  # between x <= b and not x <= b: 0 for reals, 1 for integers
    none: Rest  # what ``rest`` is where there is nothing
    weight: Callable[[int], fmpq]  # the factor of e^(-scale |v|) that is left inside of the integral
    # pieces whose sum times e^(lam v h) has the derivative (the difference) v^n e^(lam v h), by n and lam
    primitive: Callable[[int, Exact], Sequence[Piece]]
    product: Callable[[Any, Any], Rest]  # the rest of a product
    constant: Callable[[int], Rest]  # what the power of a constant of the program leaves in ``rest``


# Integrals over reals, by parts: the density is (scale / 2) e^(-scale |v|), powers of h add up.
REAL = Calculus(0, 0, lambda scale: fmpq(scale, 2), _integral, operator.add, lambda power: power)
# Sums over integers; the factor (1 - e^(-s)) / (1 + e^(-s)) of the density is put in at the end.
INTEGER = Calculus(1, (), lambda _: fmpq(1), _sum, _merged, lambda _: ())


# --- regions ---


Form = tuple[tuple[int, ...], Exact]
Region = frozenset[Form]

EVERYWHERE: Region = frozenset()


def form_of(coefficients: Iterable[Exact], constant: Exact, gap: int) -> Form:
    """The inequality as a form: integers without a common divisor, over integers with a rounded constant."""
    listed = tuple(coefficients)
    scale = lcm(*(c.denominator for c in listed)) if listed else 1
    whole = tuple(int(c * scale) for c in listed)
    divisor = gcd(*whole) if listed else 0
    if divisor == 0:
        return whole, constant
    constant = Fraction(constant) * scale / divisor
    if gap:
        constant = floor(constant)
    elif constant.denominator == 1:
        constant = constant.numerator
    return tuple(c // divisor for c in whole), constant


def region_of(forms: Iterable[Form], gap: int) -> Region | None:
    """The region of these inequalities, or None where it is empty."""
    tightest: dict[tuple[int, ...], Exact] = {}
    for direction, constant in forms:
        if not any(direction):
            if constant < 0:
                return None
            continue
        known = tightest.get(direction)
        if known is None or constant < known:
            tightest[direction] = constant
    for direction, constant in tightest.items():
        opposite = tightest.get(tuple(-c for c in direction))
        if opposite is not None and _is_gone(constant + opposite, gap):
            return None
    if len(tightest) > 2 and len(next(iter(tightest))) > 1 and _is_empty(tightest, gap):
        return None
    return frozenset(tightest.items())


def _is_gone(width: Exact, gap: int) -> bool:
    """Whether nothing, or no inner point, is in an interval of that width."""
    return width < 0 or (gap == 0 and width == 0)


def _is_empty(forms: dict[tuple[int, ...], Exact], gap: int) -> bool:
    """Fourier-Motzkin elimination of all coordinates, the last one first."""
    current = forms
    for _ in range(len(next(iter(forms)))):
        following: dict[tuple[int, ...], Exact] = {}
        lower = [(d, c) for d, c in current.items() if d[-1] > 0]
        upper = [(d, c) for d, c in current.items() if d[-1] < 0]
        for d, c in current.items():
            if d[-1] == 0:
                following[d[:-1]] = min(c, following.get(d[:-1], c))
        for d, c in lower:
            for e, b in upper:
                combined = [x * -e[-1] + y * d[-1] for x, y in zip(d[:-1], e[:-1], strict=True)]
                constant = c * -e[-1] + b * d[-1]
                if not any(combined):
                    if _is_gone(constant, gap):
                        return True
                    continue
                direction, constant = form_of(combined, constant, 0)
                following[direction] = min(constant, following.get(direction, constant))
        current = following
    return False


# --- elimination ---


Key = tuple[tuple[Exact, ...], tuple[int, ...], Exact, Rest]  # lam and powers by variable, kappa, rest
Terms = dict[Key, fmpq]
Bound = tuple[tuple[Exact, ...], Exact]  # the value coefficients . W + constant
Result = dict[tuple[Exact, Rest], fmpq]

MOST_REGIONS = 20_000

_T = TypeVar("_T")


@dataclass(frozen=True)
class Factor:
    """A function of some variables, by regions."""

    scope: tuple[int, ...]
    pieces: tuple[tuple[Region, Terms], ...]


Comparison = tuple[tuple[tuple[int, int], ...], int]  # ((variable, coefficient), ...), constant: ... >= 0


def probability(scales: Sequence[int], comparisons: Iterable[Comparison], calculus: Calculus) -> Result:
    """The sum over (kappa, rest) of c e^(kappa h), with what rest says. Requires: scales > 0.

    Raises: UnsupportedError where there are too many regions, or integers with factors that do not divide.
    """
    factors = [_density(v, scale, calculus) for v, scale in enumerate(scales)]
    factors += [_indicator(comparison, calculus) for comparison in comparisons]
    left = set(range(len(scales)))
    while left:
        v = min(left, key=lambda u: (len({w for f in factors if u in f.scope for w in f.scope}), u))
        left.remove(v)
        touched = [factor for factor in factors if v in factor.scope]
        factors = [factor for factor in factors if v not in factor.scope]
        factors.append(_integrated(_multiplied(touched, v, calculus), calculus))
    total: Terms = {((), (), 0, calculus.none): fmpq(1)}
    for factor in factors:
        terms = factor.pieces[0][1] if factor.pieces else {}
        total = _times(total, terms, calculus)
    return {(kappa, rest): c for (_, _, kappa, rest), c in total.items()}


def _density(v: int, scale: int, calculus: Calculus) -> Factor:
    weight = calculus.weight(scale)
    above: Region = frozenset((((1,), 0),))
    below: Region = frozenset((((-1,), -calculus.gap),))
    return Factor(
        (v,),
        (
            (above, {((-scale,), (0,), 0, calculus.none): weight}),
            (below, {((scale,), (0,), 0, calculus.none): weight}),
        ),
    )


def _indicator(comparison: Comparison, calculus: Calculus) -> Factor:
    entries, constant = comparison
    scope = tuple(v for v, _ in entries)
    region = region_of([form_of([c for _, c in entries], constant, calculus.gap)], calculus.gap)
    zeros = (0,) * len(scope)
    return Factor(scope, () if region is None else ((region, {(zeros, zeros, 0, calculus.none): fmpq(1)}),))


def _multiplied(factors: Sequence[Factor], last: int, calculus: Calculus) -> Factor:
    """The product, with one variable as the last of its scope."""
    scope = (*sorted({v for factor in factors for v in factor.scope} - {last}), last)
    pieces: list[tuple[Region, Terms]] | None = None
    for factor in sorted(factors, key=lambda f: len(f.scope)):
        widened = _widened(factor, scope)
        if pieces is None:
            pieces = widened
            continue
        products = []
        for region, terms in pieces:
            for other, others in widened:
                both = region_of((*region, *other), calculus.gap)
                if both is not None:
                    products.append((both, _times(terms, others, calculus)))
        if len(products) > MOST_REGIONS:
            raise UnsupportedError(
                f"the comparisons of noise cut space into more than {MOST_REGIONS} regions"
            )
        pieces = products
    return Factor(scope, tuple(pieces or ()))


def _widened(factor: Factor, scope: tuple[int, ...]) -> list[tuple[Region, Terms]]:
    """The pieces of a factor as functions of more variables."""
    if factor.scope == scope:
        return list(factor.pieces)
    places = [factor.scope.index(v) if v in factor.scope else None for v in scope]

    def spread(values: tuple[_T, ...], nothing: _T) -> tuple[_T, ...]:
        return tuple(nothing if place is None else values[place] for place in places)

    return [
        (
            frozenset((spread(direction, 0), constant) for direction, constant in region),
            {
                (spread(lam, 0), spread(powers, 0), kappa, rest): c
                for (lam, powers, kappa, rest), c in terms.items()
            },
        )
        for region, terms in factor.pieces
    ]


def _times(left: Terms, right: Terms, calculus: Calculus) -> Terms:
    product: Terms = {}
    combine = calculus.product
    for (lam, powers, kappa, rest), c in left.items():
        for (mu, degrees, shift, other), d in right.items():
            key = (
                tuple([x + y for x, y in zip(lam, mu, strict=True)]),
                tuple([x + y for x, y in zip(powers, degrees, strict=True)]),
                kappa + shift,
                combine(rest, other),
            )
            known = product.get(key)
            product[key] = c * d if known is None else known + c * d
    return {key: c for key, c in product.items() if c}


def _integrated(factor: Factor, calculus: Calculus) -> Factor:
    """The integral over the last variable of the scope."""
    found: dict[Region, Terms] = {}
    for region, terms in factor.pieces:
        for place, values in _over_last(region, terms, calculus):
            sums = found.setdefault(place, {})
            for key, c in values.items():
                known = sums.get(key)
                sums[key] = c if known is None else known + c
    pieces = []
    for region, sums in found.items():
        kept = {key: c for key, c in sums.items() if c}
        if kept:
            pieces.append((region, kept))
    return Factor(factor.scope[:-1], tuple(pieces))


def _over_last(region: Region, terms: Terms, calculus: Calculus) -> list[tuple[Region, Terms]]:
    """The integral over a region, cut where one bound takes over from another."""
    gap = calculus.gap
    # What the region says about the last variable v: v >= each of these, v <= each of those, and the rest.
    lowers: list[Bound] = []
    uppers: list[Bound] = []
    kept: list[Form] = []
    for direction, constant in sorted(region, key=repr):
        if direction[-1] == 0:
            kept.append((direction[:-1], constant))
        else:
            (lowers if direction[-1] > 0 else uppers).append(_bound(direction, constant, gap))
    # The primitive at each bound, once; a sum up to b is a difference that ends at b + 1, hence the gap.
    below: dict[Bound | None, Terms] = {low: _primitive_at(terms, low, 0, calculus) for low in lowers}
    above: dict[Bound | None, Terms] = {up: _primitive_at(terms, up, gap, calculus) for up in uppers}
    if not lowers:
        below[None] = _at_end(terms, -1)
    if not uppers:
        above[None] = _at_end(terms, 1)
    # For each pair of bounds, where they are the ones that count: no other is larger (less), and low <= up.
    found = []
    for low, down in below.items():
        largest = _cuts(low, lowers, 1, gap)
        for up, top in above.items():
            cuts = [*kept, *largest, *_cuts(up, uppers, -1, gap)]
            if low is not None and up is not None:
                cuts.append(_difference(up, low, 0, gap))
            place = region_of(cuts, gap)
            if place is None:
                continue
            values = dict(top)
            for key, c in down.items():
                known = values.get(key)
                values[key] = -c if known is None else known - c
            found.append((place if any(d for d, _ in place) else EVERYWHERE, values))
    return found


def _bound(direction: tuple[int, ...], constant: Exact, gap: int) -> Bound:
    """The value that direction . (W, v) + constant >= 0 bounds v by."""
    factor = -direction[-1]
    if gap and abs(factor) != 1:
        raise UnsupportedError(
            "comparisons of several discrete Laplace variables with factors other than 1 and -1 "
            "are not supported"
        )
    if factor in (1, -1):
        return tuple(c * factor for c in direction[:-1]), constant * factor
    return tuple(tidy(Fraction(c, factor)) for c in direction[:-1]), tidy(Fraction(constant) / factor)


def _cuts(chosen: Bound | None, bounds: Sequence[Bound], sign: int, gap: int) -> list[Form]:
    """Where one bound is the largest (sign 1) or the least (sign -1); of equal ones the first counts."""
    found, seen = [], False
    for other in bounds:
        if chosen is None:
            continue
        if other == chosen:
            seen = True
            continue
        slack = 0 if seen else gap
        found.append(
            _difference(chosen, other, slack, gap) if sign > 0 else _difference(other, chosen, slack, gap)
        )
    return found


def _difference(larger: Bound, smaller: Bound, slack: int, gap: int) -> Form:
    """larger - smaller - slack >= 0."""
    return form_of(
        [x - y for x, y in zip(larger[0], smaller[0], strict=True)], larger[1] - smaller[1] - slack, gap
    )


def _at_end(terms: Terms, sign: int) -> Terms:
    """The primitive at plus or minus infinity, which is 0 if every term falls in that direction."""
    if any(sign * lam[-1] >= 0 for lam, _, _, _ in terms):
        raise InternalError("an integral over noise does not converge")
    return {}


def _primitive_at(terms: Terms, bound: Bound, shift: int, calculus: Calculus) -> Terms:
    """The primitive of the terms in the last variable, at a bound plus a shift."""
    slopes, constant = bound[0], bound[1] + shift
    found: Terms = {}
    for (lam, powers, kappa, rest), c in terms.items():
        last = lam[-1]
        exponents = tuple([tidy(x + last * s) for x, s in zip(lam[:-1], slopes, strict=True)])
        base = tidy(kappa + last * constant)
        for factor, n, more, atoms in calculus.primitive(powers[-1], last):
            together = calculus.product(rest, atoms)
            for degrees, d, power in _power(slopes, constant, n):
                key = (
                    exponents,
                    tuple([x + y for x, y in zip(powers[:-1], degrees, strict=True)]),
                    base + more,
                    calculus.product(together, calculus.constant(power)),
                )
                value = c * factor * d
                known = found.get(key)
                found[key] = value if known is None else known + value
    return found


def _power(slopes: tuple[Exact, ...], constant: Exact, n: int) -> list[tuple[tuple[int, ...], fmpq, int]]:
    """(slopes . W + constant)^n as (powers of W, coefficient, power of the constant)."""
    current = {((0,) * len(slopes), 0): fmpq(1)}
    linear = [(place, to_fmpq(s)) for place, s in enumerate(slopes) if s]
    for _ in range(n):
        following: dict[tuple[tuple[int, ...], int], fmpq] = {}
        for (degrees, power), c in current.items():
            for place, s in linear:
                key = (*degrees[:place], degrees[place] + 1, *degrees[place + 1 :]), power
                following[key] = following.get(key, fmpq(0)) + c * s
            if constant:
                key = degrees, power + 1
                following[key] = following.get(key, fmpq(0)) + c * to_fmpq(constant)
        current = following
    return [(degrees, c, power) for (degrees, power), c in current.items() if c]

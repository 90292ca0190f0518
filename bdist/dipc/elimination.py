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

Costs: a sparse vector with five queries about 2 ms, a cycle of five variables about 15 ms, of six 40 ms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from flint import fmpq

from bdist.dipc.calculus import Calculus, Exact, Rest, exact, tidy
from bdist.dipc.regions import EVERYWHERE, Form, Region, form_of, region_of
from bdist.errors import InternalError, UnsupportedError

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
    lowers: list[Bound] = []
    uppers: list[Bound] = []
    kept: list[Form] = []
    for direction, constant in sorted(region, key=repr):
        if direction[-1] == 0:
            kept.append((direction[:-1], constant))
        else:
            (lowers if direction[-1] > 0 else uppers).append(_bound(direction, constant, gap))
    below: dict[Bound | None, Terms] = {low: _primitive_at(terms, low, 0, calculus) for low in lowers}
    above: dict[Bound | None, Terms] = {up: _primitive_at(terms, up, gap, calculus) for up in uppers}
    if not lowers:
        below[None] = _at_end(terms, -1)
    if not uppers:
        above[None] = _at_end(terms, 1)
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
        if any(direction[:-1]):
            raise UnsupportedError(
                "comparisons of several discrete Laplace variables with factors other than 1 and -1 "
                "are not supported"
            )
        quotient = Fraction(constant) / factor
        whole = -((-quotient.numerator) // quotient.denominator) if factor < 0 else quotient.__floor__()
        return (0,) * (len(direction) - 1), whole
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
    linear = [(place, exact(s)) for place, s in enumerate(slopes) if s]
    for _ in range(n):
        following: dict[tuple[tuple[int, ...], int], fmpq] = {}
        for (degrees, power), c in current.items():
            for place, s in linear:
                key = (*degrees[:place], degrees[place] + 1, *degrees[place + 1 :]), power
                following[key] = following.get(key, fmpq(0)) + c * s
            if constant:
                key = degrees, power + 1
                following[key] = following.get(key, fmpq(0)) + c * exact(constant)
        current = following
    return [(degrees, c, power) for (degrees, power), c in current.items() if c]

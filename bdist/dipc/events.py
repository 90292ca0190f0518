"""What a run has assumed about its noise, and how likely that is.

Comparisons of noise are not tossed for: both outcomes are followed, and each run keeps the set of
inequalities that it has assumed, its *event*. With weight 1 for each of these branches, a run that ends is
multiplied by the probability of its event: conditional probabilities along the way would multiply to the
same, and nothing is ever divided by an exponential polynomial (the semantics of section 6.2 of the paper
does).

The probability is a product over the parts of the event that share no sample. Parts are brought into a
canonical order, centred at 0 as all samples are, so that inputs that differ by a shift, or queries in another
order, ask for the same integral, which is computed once.

*Elimination*: variables are integrated out one by one. Noise is centred at 0 and has the density (a/2)
e^(-a|v|), or the discrete one in proportion to e^(-a|v|). All that is known about some variables is a
`Factor`: disjoint regions of their space, with a function on each, a sum of terms c v^n w^m ... e^(lam v + mu
w + ... + kappa). To eliminate a variable, multiply the factors that it occurs in (regions intersect, empty
ones go), and integrate over it: on a region it runs from its largest lower bound to its least upper one, and
which these are depends on the other variables, so the region is cut where they cross (Fourier-Motzkin).
Regions that are equal again are merged.

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
Integers that are compared with factors, as in 2 x <= 3 y, are summed up residue by residue: with x = 3 v + r
and y = 2 w + s that is v <= w + (3 s - 2 r) / 6, rounded down.

Costs: a sparse vector with five queries about 2 ms, a cycle of five variables about 15 ms, of six 40 ms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, comb, factorial, floor, gcd, lcm, prod
from typing import Any, NamedTuple

from flint import fmpq

from bdist.dipc.exponentials import ONE, ZERO, ClosedForm, exponential, sum_of
from bdist.dipc.program import Exact, tidy
from bdist.dipc.values import COMPARE, Linear
from bdist.errors import InternalError, UnsupportedModel
from bdist.exact.rationals import to_fmpq

Direction = tuple[tuple[int, int], ...]  # (sample, coefficient), coprime
Event = frozenset[tuple[Direction, Exact]]  # direction . samples + constant >= 0
NOTHING: Event = frozenset()


@dataclass(frozen=True, slots=True)
class Sample:
    """One draw of noise: its scale is a multiple of epsilon."""

    is_integer: bool
    scale: Fraction
    draw: int = 0  # the number of its statement


@dataclass(frozen=True)
class Part:
    """Inequalities of an event that hang together, with samples numbered in a canonical order."""

    is_integer: bool
    scales: tuple[Fraction, ...]
    comparisons: tuple[tuple[Direction, Exact], ...]


def outcomes(form: Linear, sign: str, event: Event, samples: Sequence[Sample]) -> list[tuple[bool, Event]]:
    """Both outcomes of ``form sign 0``, each with what is assumed then; impossible ones are left out."""
    if not form.entries:
        return [(COMPARE[sign](form.constant, 0), event)]
    if not samples[form.entries[0][0]].is_integer:
        if sign in ("==", "!="):
            return [(sign == "!=", event)]  # almost surely
        above = sign in (">", ">=")
        cases = [(above, [form]), (not above, [-form])]
    else:
        cases = _integer_cases(form, sign)
    found = []
    for truth, forms in cases:
        extended: Event | None = event
        for assumed in forms:
            extended = None if extended is None else assume(assumed, extended, samples)
        if extended is not None:
            found.append((truth, extended))
    return found


def _integer_cases(form: Linear, sign: str) -> list[tuple[bool, list[Linear]]]:
    """As for reals, but < and <= differ, and equality happens."""
    unit = lcm(*(c.denominator for _, c in form.entries))
    form = form * unit
    entries, c = form.entries, form.constant
    at_least = Linear(entries, c.__floor__())  # form >= 0
    below = -Linear(entries, at_least.constant + 1)
    more = Linear(entries, ceil(c) - 1)  # form > 0
    at_most = -Linear(entries, more.constant + 1)
    if sign in (">=", "<"):
        return [(sign == ">=", [at_least]), (sign == "<", [below])]
    if sign in (">", "<="):
        return [(sign == ">", [more]), (sign == "<=", [at_most])]
    return [(sign == "==", [at_least, at_most]), (sign == "!=", [more]), (sign == "!=", [below])]


def assume(form: Linear, event: Event, samples: Sequence[Sample]) -> Event | None:
    """The event with ``form >= 0`` as well, itself where it says so; None where that has probability 0."""
    gap = 1 if samples[form.entries[0][0]].is_integer else 0
    numbers = [sample for sample, _ in form.entries]
    coefficients, constant = form_of([c for _, c in form.entries], form.constant, gap)
    direction = tuple(zip(numbers, coefficients, strict=True))
    extended = _tightened(event, direction, constant)
    if extended == event:
        return event
    used = {sample for other, _ in event for sample, _ in other}
    if not used.issuperset(numbers):  # a sample that nothing bounds decides it either way
        return extended
    if not _is_possible(direction, extended, gap):
        return None
    opposite = tuple((sample, -c) for sample, c in direction)
    excluded = _tightened(event, opposite, -constant - gap)
    return extended if _is_possible(opposite, excluded, gap) else event


def _tightened(event: Event, direction: Direction, constant: Exact) -> Event:
    """The event with one more comparison; of two in the same direction the tighter one is kept."""
    known = dict(event)
    known[direction] = min(constant, known.get(direction, constant))
    return frozenset(known.items())


def _is_possible(direction: Direction, event: Event, gap: int) -> bool:
    """Whether the part of an event around a direction is more than a set of measure 0."""
    part = next(part for part in _connected(event) if any(other == direction for other, _ in part))
    order = sorted({sample for other, _ in part for sample, _ in other})
    forms = []
    for other, constant in part:
        entries = dict(other)
        forms.append((tuple(entries.get(sample, 0) for sample in order), constant))
    return region_of(forms, gap) is not None


def _connected(event: Iterable[tuple[Direction, Exact]]) -> list[list[tuple[Direction, Exact]]]:
    """The comparisons that share samples, directly or not, together."""
    groups: list[tuple[set[int], list[tuple[Direction, Exact]]]] = []
    for comparison in sorted(event):
        here = {sample for sample, _ in comparison[0]}
        joined = [comparison]
        apart = []
        for there, members in groups:
            if here & there:
                here |= there
                joined += members
            else:
                apart.append((there, members))
        groups = [*apart, (here, joined)]
    return [members for _, members in groups]


def parts_of(event: Event, samples: Sequence[Sample]) -> list[Part]:
    """The independent parts of an event, each in its canonical order."""
    return [_canonical(members, samples) for members in _connected(event)]


def _canonical(members: Sequence[tuple[Direction, Exact]], samples: Sequence[Sample]) -> Part:
    """Samples in the order of their scales and of what is compared with them."""
    about: dict[int, list[object]] = {}
    for direction, constant in members:
        for sample, c in direction:
            others = sorted((samples[other].scale, d) for other, d in direction if other != sample)
            about.setdefault(sample, []).append((c, constant, others))
    order = sorted(
        about, key=lambda sample: (samples[sample].scale, sorted(about[sample], key=repr).__repr__())
    )
    place = {sample: number for number, sample in enumerate(order)}
    renamed = sorted(
        (tuple(sorted((place[sample], c) for sample, c in direction)), constant)
        for direction, constant in members
    )
    first = samples[order[0]]
    return Part(first.is_integer, tuple(samples[sample].scale for sample in order), tuple(renamed))


def likelihood_of(part: Part) -> ClosedForm:
    """The probability of a part. Raises: UnsupportedModel."""
    scales = lcm(*(scale.denominator for scale in part.scales))
    constants = lcm(*(constant.denominator for _, constant in part.comparisons))
    rates = [int(scale * scales) for scale in part.scales]
    comparisons = [(direction, int(constant * constants)) for direction, constant in part.comparisons]
    step = Fraction(1, scales * constants)  # the h of `elimination` is that times epsilon
    by_atoms: dict[Atoms, dict[tuple[Fraction, int], fmpq]] = {}
    strides = _strides(part) if part.is_integer else [1] * len(rates)
    for offsets in product(*map(range, strides)):
        lattice = list(zip(strides, offsets, strict=True))
        found = probability(rates, comparisons, INTEGER if part.is_integer else REAL, lattice)
        for (kappa, rest), c in found.items():
            power, atoms = (rest, ()) if isinstance(rest, int) else (0, rest)
            terms = by_atoms.setdefault(atoms, {})
            key = Fraction(kappa) * step, power
            terms[key] = terms.get(key, fmpq(0)) + c * to_fmpq(step) ** power
    total = ZERO
    for atoms, terms in by_atoms.items():
        summand = sum_of(terms)
        for size, power in atoms:
            for _ in range(power):
                summand = summand / (ONE - exponential(-size * step))
        total = total + summand
    if part.is_integer:
        for scale in part.scales:
            falls = exponential(-scale)
            total = total * (ONE - falls) / (ONE + falls)
    return total


MOST_RESIDUES = 1_000


def _strides(part: Part) -> list[int]:
    """Numbers m such that, with x = m v + r, the variables of each comparison have equal factors.

    Then division leaves factors of 1 and -1. Where a cycle of comparisons asks for two different ratios there
    are no such numbers, and where there would be too many residues r they are of no use; then all are 1.
    """
    strides = [1] * len(part.scales)
    while prod(strides) <= MOST_RESIDUES:
        before = list(strides)
        for direction, _ in part.comparisons:
            factor = lcm(*(abs(c) * strides[v] for v, c in direction)) if len(direction) > 1 else 0
            for v, c in direction:
                strides[v] = factor // abs(c) or strides[v]
        if strides == before:
            return strides
    return [1] * len(part.scales)


# --- integrals of reals and sums of integers ---


Atoms = tuple[tuple[int, int], ...]
Rest = int | Atoms
Piece = tuple[fmpq, int, Exact, Rest]  # c, n, kappa, rest: c v^n e^(kappa h), with what rest says


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
    if len(tightest) > 2 and _is_empty(tightest, gap):
        return None
    return frozenset(tightest.items())


def _is_gone(width: Exact, gap: int) -> bool:
    """Whether nothing, or no inner point, is in an interval of that width."""
    return width < 0 or (gap == 0 and width == 0)


def _is_empty(forms: dict[tuple[int, ...], Exact], gap: int) -> bool:
    """Fourier-Motzkin elimination of all coordinates, the last one first."""
    current = forms
    for v in reversed(range(len(next(iter(forms))))):
        lower = [(d, c) for d, c in current.items() if d[v] > 0]
        upper = [(d, c) for d, c in current.items() if d[v] < 0]
        following = {d: c for d, c in current.items() if d[v] == 0}
        for d, c in lower:
            for e, b in upper:
                combined = [x * -e[v] + y * d[v] for x, y in zip(d, e, strict=True)]
                constant = c * -e[v] + b * d[v]
                if not any(combined):
                    if _is_gone(constant, gap):
                        return True
                    continue
                direction, constant = form_of(combined, constant, 0)
                following[direction] = min(constant, following.get(direction, constant))
        current = following
    return False


# --- elimination ---


Vector = tuple[Exact, ...]  # an entry for each variable
Key = tuple[Vector, tuple[int, ...], Exact, Rest]  # lam and powers by variable, kappa, rest
Terms = dict[Key, fmpq]
Pieces = Sequence[tuple[Region, Terms]]  # a function by regions
Bound = tuple[Vector, Exact]  # the value coefficients . W + constant
Result = dict[tuple[Exact, Rest], fmpq]

MOST_REGIONS = 20_000

Comparison = tuple[tuple[tuple[int, int], ...], int]  # ((variable, coefficient), ...), constant: ... >= 0


class Factor(NamedTuple):
    """A function of some variables."""

    scope: frozenset[int]
    pieces: Pieces


def probability(
    scales: Sequence[int],
    comparisons: Iterable[Comparison],
    calculus: Calculus,
    lattice: Sequence[tuple[int, int]],
) -> Result:
    """The sum over (kappa, rest) of c e^(kappa h), with what rest says. Requires: scales > 0.

    ``lattice`` has m and r with 0 <= r < m for each sample, of which only the values m v + r are counted;
    over reals they are 1 and 0. v is not negative where m v + r is not.

    Raises: UnsupportedModel where there are too many regions, or integers with factors that do not divide.
    """
    zeros = (0,) * len(scales)
    one: Terms = {(zeros, zeros, 0, calculus.none): fmpq(1)}
    factors = []
    for v, (scale, (stride, offset)) in enumerate(zip(scales, lattice, strict=True)):
        sides: list[tuple[Region, Terms]] = []
        for sign, constant in ((1, 0), (-1, -calculus.gap)):  # v >= 0, and -v - gap >= 0
            lam = (*zeros[:v], -sign * scale * stride, *zeros[v + 1 :])
            density: Terms = {(lam, zeros, -sign * scale * offset, calculus.none): calculus.weight(scale)}
            sides.append((frozenset((((*zeros[:v], sign, *zeros[v + 1 :]), constant),)), density))
        factors.append(Factor(frozenset((v,)), sides))
    for entries, constant in comparisons:
        coefficients = dict(entries)
        direction = [coefficients.get(v, 0) * stride for v, (stride, _) in enumerate(lattice)]
        constant += sum(c * lattice[v][1] for v, c in entries)
        region = region_of([form_of(direction, constant, calculus.gap)], calculus.gap)
        factors.append(Factor(frozenset(coefficients), [] if region is None else [(region, one)]))
    left = set(range(len(scales)))
    while left:
        v = min(left, key=lambda u: (len(_joined(f.scope for f in factors if u in f.scope)), u))
        left.remove(v)
        touched = [factor for factor in factors if v in factor.scope]
        factors = [factor for factor in factors if v not in factor.scope]
        scope = _joined(factor.scope for factor in touched) - {v}
        factors.append(Factor(scope, _integrated(_multiplied(touched, calculus), v, calculus)))
    total = one
    for factor in factors:
        total = _times(total, factor.pieces[0][1] if factor.pieces else {}, calculus)
    return {(kappa, rest): c for (_, _, kappa, rest), c in total.items()}


def _joined(scopes: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset().union(*scopes)


def _multiplied(factors: Iterable[Factor], calculus: Calculus) -> Pieces:
    first, *others = sorted(factors, key=lambda factor: len(factor.scope))
    pieces = first.pieces
    for factor in others:
        pieces = [
            (both, _times(terms, more, calculus))
            for region, terms in pieces
            for other, more in factor.pieces
            if (both := region_of((*region, *other), calculus.gap)) is not None
        ]
        if len(pieces) > MOST_REGIONS:
            raise UnsupportedModel(
                f"the comparisons of noise cut space into more than {MOST_REGIONS} regions"
            )
    return pieces


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


def _integrated(pieces: Pieces, v: int, calculus: Calculus) -> Pieces:
    """The integral over a variable; regions that are equal then are merged."""
    found: dict[Region, Terms] = {}
    for region, terms in pieces:
        for place, values in _over(v, region, terms, calculus):
            sums = found.setdefault(place, {})
            for key, c in values.items():
                known = sums.get(key)
                sums[key] = c if known is None else known + c
    merged = ((region, {key: c for key, c in sums.items() if c}) for region, sums in found.items())
    return [(region, terms) for region, terms in merged if terms]


def _over(v: int, region: Region, terms: Terms, calculus: Calculus) -> list[tuple[Region, Terms]]:
    """The integral over a region, cut where one bound takes over from another."""
    gap = calculus.gap
    # What the region says about v: v >= each of these, v <= each of those, and the rest.
    lowers: list[Bound] = []
    uppers: list[Bound] = []
    kept: list[Form] = []
    for direction, constant in sorted(region, key=repr):
        if direction[v] == 0:
            kept.append((direction, constant))
        else:
            (lowers if direction[v] > 0 else uppers).append(_bound(v, direction, constant, gap))
    # The primitive at each bound, once; a sum up to b is a difference that ends at b + 1, hence the gap.
    below: dict[Bound | None, Terms] = {low: _primitive_at(terms, v, low, 0, calculus) for low in lowers}
    above: dict[Bound | None, Terms] = {up: _primitive_at(terms, v, up, gap, calculus) for up in uppers}
    if not lowers:
        below[None] = _at_end(terms, v, -1)
    if not uppers:
        above[None] = _at_end(terms, v, 1)
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
            found.append((place, values))
    return found


def _bound(v: int, direction: tuple[int, ...], constant: Exact, gap: int) -> Bound:
    """The value that direction . W + constant >= 0 bounds v by."""
    factor = -direction[v]
    if gap and abs(factor) != 1:
        raise UnsupportedModel(
            "comparisons of discrete Laplace variables with factors other than 1 and -1 form a cycle, or "
            "have large factors; such programs are not supported"
        )
    others = (*direction[:v], 0, *direction[v + 1 :])
    if factor in (1, -1):
        return tuple(c * factor for c in others), constant * factor
    return tuple(tidy(Fraction(c, factor)) for c in others), tidy(Fraction(constant) / factor)


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


def _at_end(terms: Terms, v: int, sign: int) -> Terms:
    """The primitive at plus or minus infinity, which is 0 if every term falls in that direction."""
    if any(sign * lam[v] >= 0 for lam, _, _, _ in terms):
        raise InternalError("an integral over noise does not converge")
    return {}


def _primitive_at(terms: Terms, v: int, bound: Bound, shift: int, calculus: Calculus) -> Terms:
    """The primitive of the terms in v, at a bound plus a shift."""
    slopes, constant = bound[0], bound[1] + shift
    found: Terms = {}
    for (lam, powers, kappa, rest), c in terms.items():
        rate = lam[v]
        sums = [tidy(x + rate * s) for x, s in zip(lam, slopes, strict=True)]
        exponents = (*sums[:v], 0, *sums[v + 1 :])
        others = (*powers[:v], 0, *powers[v + 1 :])
        base = tidy(kappa + rate * constant)
        for factor, n, more, atoms in calculus.primitive(powers[v], rate):
            together = calculus.product(rest, atoms)
            for degrees, d, power in _power(slopes, constant, n):
                key = (
                    exponents,
                    tuple([x + y for x, y in zip(others, degrees, strict=True)]),
                    base + more,
                    calculus.product(together, calculus.constant(power)),
                )
                value = c * factor * d
                known = found.get(key)
                found[key] = value if known is None else known + value
    return found


def _power(slopes: Vector, constant: Exact, n: int) -> list[tuple[tuple[int, ...], fmpq, int]]:
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

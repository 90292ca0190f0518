"""What a run has assumed about its noise, and how likely that is.

Comparisons of noise are not tossed for: both outcomes are followed, and each run keeps the set of
inequalities that it has assumed, its *event*. With weight 1 for each of these branches, a run that ends is
multiplied by the probability of its event: conditional probabilities along the way would multiply to the
same, and nothing is ever divided by an exponential polynomial (the semantics of section 6.2 of the paper
does).

The probability is a product over the parts of the event that share no sample. Parts are brought into a
canonical order, centred at 0 as all samples are, so that inputs that differ by a shift, or queries in another
order, ask for the same integral, which is computed once (`elimination`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm

from flint import fmpq

from bdist.dipc.elimination import (
    INTEGER,
    REAL,
    Atoms,
    form_of,
    probability,
    region_of,
)
from bdist.dipc.exponentials import ONE, ZERO, ClosedForm, exponential, sum_of
from bdist.dipc.program import Exact
from bdist.dipc.values import COMPARE, Linear
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
    """The probability of a part. Raises: UnsupportedError."""
    scales = lcm(*(scale.denominator for scale in part.scales))
    constants = lcm(*(constant.denominator for _, constant in part.comparisons))
    found = probability(
        [int(scale * scales) for scale in part.scales],
        [(direction, int(constant * constants)) for direction, constant in part.comparisons],
        INTEGER if part.is_integer else REAL,
    )
    step = Fraction(1, scales * constants)  # the h of `elimination` is that times epsilon
    by_atoms: dict[Atoms, dict[tuple[Fraction, int], fmpq]] = {}
    for (kappa, rest), c in found.items():
        power, atoms = (rest, ()) if isinstance(rest, int) else (0, rest)
        by_atoms.setdefault(atoms, {})[Fraction(kappa) * step, power] = c * to_fmpq(step) ** power
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

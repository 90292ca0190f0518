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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm

from flint import fmpq

from bdist.dipc.elimination import (
    INTEGER,
    REAL,
    Exact,
    Rest,
    form_of,
    probability,
    region_of,
)
from bdist.dipc.exponentials import ONE_RATIO, Ratio, in_ring
from bdist.dipc.values import COMPARE, Linear

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
        cases = [(above, [form]), (not above, [form.times(-1)])]
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
    form = form.times(unit)
    entries, c = form.entries, form.constant
    at_least = Linear(entries, c.__floor__())  # form >= 0
    below = Linear(entries, 0).times(-1).plus(-at_least.constant - 1)
    more = Linear(entries, ceil(c) - 1)  # form > 0
    at_most = Linear(entries, 0).times(-1).plus(-more.constant - 1)
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


@dataclass(frozen=True)
class Integral:
    """The probability of a part, as `probability` has it, where h is ``step`` times epsilon."""

    terms: Mapping[tuple[Exact, Rest], fmpq]
    step: Fraction
    scales: tuple[Fraction, ...]

    @property
    def unit(self) -> int:
        """The least unit in which it can be written: where factors differ, constants are divided by them."""
        rates = [kappa * self.step for kappa, _ in self.terms]
        rates += [size * self.step for _, rest in self.terms if isinstance(rest, tuple) for size, _ in rest]
        return lcm(*(rate.denominator for rate in (*rates, *self.scales)))


def integral_of(part: Part) -> Integral:
    """The probability of a part. Raises: UnsupportedError."""
    scales = lcm(*(scale.denominator for scale in part.scales))
    constants = lcm(*(constant.denominator for _, constant in part.comparisons))
    terms = probability(
        [int(scale * scales) for scale in part.scales],
        [(direction, int(constant * constants)) for direction, constant in part.comparisons],
        INTEGER if part.is_integer else REAL,
    )
    return Integral(terms, Fraction(1, scales * constants), part.scales)


class Likelihoods:
    """Probabilities of events in one unit. Requires: it is a multiple of that of each integral."""

    def __init__(self, unit: int, integrals: Mapping[Part, Integral]) -> None:
        self._unit = unit
        self._integrals = integrals
        self._known: dict[Part, Ratio] = {}

    def of(self, parts: Iterable[Part]) -> Ratio:
        """The probability of independent parts together."""
        total = ONE_RATIO
        for part in parts:
            if part not in self._known:
                self._known[part] = self._written(part, self._integrals[part])
            total = total * self._known[part]
        return total

    def _written(self, part: Part, found: Integral) -> Ratio:
        step = found.step
        by_rest: dict[object, dict[tuple[Fraction, int], fmpq]] = {}
        for (kappa, rest), c in found.terms.items():
            power = rest if isinstance(rest, int) else 0
            key = None if isinstance(rest, int) else rest
            factor = fmpq(step.numerator, step.denominator) ** power
            by_rest.setdefault(key, {})[Fraction(kappa) * step, power] = c * factor
        total = in_ring({}, self._unit)
        for atoms, terms in by_rest.items():
            summand = in_ring(terms, self._unit)
            for size, power in atoms or ():  # type: ignore[attr-defined]
                for _ in range(power):
                    summand = summand / self._one_plus(-1, size * step)
            total = total + summand
        if part.is_integer:
            for scale in part.scales:
                total = total * self._one_plus(-1, scale) / self._one_plus(1, scale)
        return total

    def _one_plus(self, sign: int, rate: Fraction) -> Ratio:
        """1 + sign e^(-rate eps)."""
        return in_ring({(Fraction(0), 0): fmpq(1), (-rate, 0): fmpq(sign)}, self._unit)

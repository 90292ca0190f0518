"""Events: comparisons of samples that a run has met, whether they decide another one, and their probability.

A real or integer variable of a program is a linear form of the samples that were drawn: a constant, and a
coefficient for each sample, whose own mean is 0. The mean it was drawn with is in the constant, so that only
differences of means are left when forms are compared. A comparison is the statement that a form is < 0 (≤ 0
for integers), divided by what its coefficients have in common; an event is a set of comparisons.

Where an event does not decide a comparison, a run splits: ``Split`` is raised with the events that do, and
who evaluates an expression begins again with each of them.

The probability of an event is the product over its parts that share no sample. A part is brought to a form
in which the names of the samples do not matter: they are sorted by their scales and by how they are
compared. Parts that differ all the same are computed twice, no more. The 243 inputs and 6 outputs of a sparse
vector of five queries have 126 different parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from math import gcd, lcm
from typing import Any, NamedTuple

from ..core.limits import Work
from .document import Form
from .exponentials import ONE, Quotient
from .integrals import Space, likelihood

Parts = tuple[tuple[int, int], ...]
Comparison = tuple[Parts, Fraction]  # Σ c_i x_i + constant < 0, or ≤ 0; the c_i without common divisors
Event = frozenset[Comparison]
ALWAYS: Event = frozenset()
CERTAIN = Quotient(ONE)

_PartKey = tuple[bool, tuple[Fraction, ...], tuple[tuple[Fraction | int, ...], ...]]


class Linear(NamedTuple):
    """A real or integer value: a constant plus multiples of samples, in the order of their numbers."""

    integer: bool
    constant: Fraction
    parts: tuple[tuple[int, Fraction], ...] = ()

    def plus(self, other: Linear) -> Linear:
        """The sum; both are real, or both integer."""
        total = dict(self.parts)
        for sample, c in other.parts:
            total[sample] = total.get(sample, Fraction(0)) + c
        parts = tuple(sorted((sample, c) for sample, c in total.items() if c))
        return Linear(self.integer, self.constant + other.constant, parts)

    def times(self, factor: Fraction) -> Linear:
        """The product with a number."""
        if not factor:
            return Linear(self.integer, Fraction(0))
        parts = tuple((sample, c * factor) for sample, c in self.parts)
        return Linear(self.integer, self.constant * factor, parts)


class Split(Exception):
    """An event does not decide a comparison; each of these that refine it does."""

    def __init__(self, events: list[Event]) -> None:
        super().__init__()
        self.events = events


class Events:
    """The samples of a program, and what is known about events so far."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._numbers: dict[tuple[int, Fraction, bool], int] = {}
        self._samples: list[tuple[int, Fraction, bool]] = []  # the place of the draw, the scale, if integer
        # each is found once; what is kept for that is counted where it is found
        self._known = cache(self._find_out)
        self._part_is_possible = cache(self._find_possible)
        self._parts = cache(self._find_parts)
        self._key = cache(self._find_key)
        self._closed_form = cache(self._find_closed_form)
        self._product = cache(self._find_product)

    def sample(self, draw: int, scale: Fraction, integer: bool) -> Linear:
        """What is drawn at a place of a program that a run passes once, less its mean."""
        number = self._numbers.setdefault((draw, scale, integer), len(self._samples))
        if number == len(self._samples):
            self._samples.append((draw, scale, integer))
        return Linear(integer, Fraction(0), ((number, Fraction(1)),))

    def _scale(self, sample: int) -> Fraction:
        return self._samples[sample][1]

    def kind(self, sample: int) -> tuple[bool, Fraction]:
        """Whether a sample is an integer, and its scale: all that counts of it."""
        _, scale, integer = self._samples[sample]
        return integer, scale

    def named(self, constant: Fraction, parts: Iterable[tuple[int, Fraction | int]]) -> Form:
        """A form with its samples as certificates name them."""
        return constant, frozenset((*self._samples[sample][:2], Fraction(c)) for sample, c in parts)

    # --- comparisons ---

    def decide(self, difference: Linear, sign: str, event: Event) -> bool:
        """Whether a form stands in this relation to 0. Raises: Split if the event does not say; TooLarge."""
        if not difference.parts:
            return holds(difference.constant, sign)
        less, more = difference, difference.times(Fraction(-1))
        if sign in ("==", "!="):
            return self._equal(less, more, event) == (sign == "==")
        form = less if sign in ("<", "<=") else more
        comparison = _comparison(form, sign in ("<", ">"))
        known = self._known(comparison, event)
        if known is None:
            ways = (comparison, _opposite(comparison, form.integer))
            raise Split([self._assume(event, way) for way in ways])
        return known

    def _equal(self, less: Linear, more: Linear, event: Event) -> bool:
        """Whether a form is 0: for reals almost never."""
        if not less.integer:
            return False
        ways = [_comparison(less, False), _comparison(more, False)]
        known = [self._known(way, event) for way in ways]
        if False in known:
            return False
        if None not in known:
            return True
        strict = (_comparison(form, True) for form in (less, more))
        apart = [self._assume(event, way) for way in strict if self._known(way, event) is not False]
        raise Split([self._assume(self._assume(event, ways[0]), ways[1]), *apart])

    def _assume(self, event: Event, comparison: Comparison) -> Event:
        """The event with a comparison that it does not exclude: where it is new it replaces a weaker one."""
        if self._known(comparison, event):
            return event
        return frozenset({known for known in event if known[0] != comparison[0]} | {comparison})

    def _find_out(self, comparison: Comparison, event: Event) -> bool | None:
        """Whether the event says that the comparison holds, or that it does not, or neither."""
        if comparison in event:
            return True
        self._work.keep(1, 0)
        samples = {sample for parts, _ in event for sample, _ in parts}
        if not all(sample in samples for sample, _ in comparison[0]):
            return None  # a sample that nothing bounds decides it either way
        opposite = _opposite(comparison, self._samples[comparison[0][0][0]][2])
        if not self._is_possible(event | {opposite}):
            return True
        return None if self._is_possible(event | {comparison}) else False

    def _is_possible(self, event: Event) -> bool:
        return all(self._part_is_possible(part) for part in self._parts(event))

    def _find_possible(self, part: Event) -> bool:
        samples, integer = self._samples_of(part)
        space = Space(len(samples), integer, self._work)
        rows = [space.constraint(row) for row in _rows(part, samples)]
        self._work.keep(len(part), 0)
        return False not in rows and space.feasible(tuple(row for row in rows if not isinstance(row, bool)))

    def _samples_of(self, part: Event) -> tuple[list[int], bool]:
        samples = sorted({sample for parts, _ in part for sample, _ in parts})
        return samples, self._samples[samples[0]][2]

    # --- probabilities ---

    def probability(self, event: Event) -> Quotient:
        """The probability that all comparisons hold. Raises: TooLarge."""
        return self._product(tuple(sorted(map(self._key, self._parts(event)))))

    def _find_closed_form(self, key: _PartKey) -> Quotient:
        integer, scales, rows = key
        return likelihood(scales, rows, integer, self._work)

    def _find_product(self, keys: tuple[_PartKey, ...]) -> Quotient:
        found = CERTAIN
        for key in keys:
            closed_form = self._closed_form(key)
            found = closed_form if found is CERTAIN else found.times(closed_form, self._work)
        self._work.keep(len(found.numerator.terms), found.numerator.bits)
        return found

    def _find_parts(self, event: Event) -> list[Event]:
        """The sets of comparisons that share no sample."""
        groups: list[tuple[set[int], list[Comparison]]] = []
        for comparison in event:
            mine, members = {sample for sample, _ in comparison[0]}, [comparison]
            apart = []
            for samples, others in groups:
                if mine.isdisjoint(samples):
                    apart.append((samples, others))
                else:
                    mine |= samples
                    members += others
            groups = [*apart, (mine, members)]
        self._work.spend(len(event) * (len(groups) + 1))
        self._work.keep(len(event) + 1, 0)
        return [frozenset(members) for _, members in groups]

    def _find_key(self, part: Event) -> _PartKey:
        """The part, with its samples in an order that their numbers have no influence on, if that is easy."""
        samples, integer = self._samples_of(part)
        seen: dict[int, list[Any]] = {sample: [] for sample in samples}
        for parts, constant in part:
            for sample, c in parts:
                others = sorted((x, self._scale(other)) for other, x in parts if other != sample)
                seen[sample].append((c, constant, others))
        self._work.spend(20 * (len(part) + 1))
        self._work.keep(3 * len(part), 0)
        order = sorted(samples, key=lambda sample: (self._scale(sample), sorted(seen[sample]), sample))
        scales = tuple(self._scale(sample) for sample in order)
        return integer, scales, tuple(sorted(_rows(part, order)))


def holds(value: Fraction, sign: str) -> bool:
    """Whether a number stands in a relation to 0."""
    if sign in ("==", "!="):
        return (value == 0) == (sign == "==")
    if sign in ("<", "<="):
        return value < 0 or (value == 0 and sign == "<=")
    return value > 0 or (value == 0 and sign == ">=")


def _comparison(form: Linear, strict: bool) -> Comparison:
    """That a form is < 0, or ≤ 0, in its normal form. Requires: there is a sample in it."""
    scale = lcm(*(c.denominator for _, c in form.parts))
    common = gcd(*(c.numerator * (scale // c.denominator) for _, c in form.parts))
    parts = tuple((sample, int(c * scale) // common) for sample, c in form.parts)
    constant = form.constant * scale / common
    if form.integer:  # Σ c x ≤ −constant, with integers on the left side
        most = -(constant.numerator // -constant.denominator)
        constant = Fraction(most + 1 if strict and most == constant else most)
    return parts, constant


def _opposite(comparison: Comparison, integer: bool) -> Comparison:
    parts, constant = comparison
    return tuple((sample, -c) for sample, c in parts), 1 - constant if integer else -constant


def _rows(part: Iterable[Comparison], samples: list[int]) -> list[tuple[Fraction | int, ...]]:
    """Comparisons as the coefficients of these samples, and the constant."""
    found: list[tuple[Fraction | int, ...]] = []
    for parts, constant in part:
        coefficients = dict(parts)
        found.append((*(coefficients.get(sample, 0) for sample in samples), constant))
    return found

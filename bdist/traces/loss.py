"""The privacy-loss distribution of two states: everything that an observer of traces can learn, in one list.

An event is worth to an attacker what its likelihood ratio says. The *privacy-loss distribution* lists, for
each ratio r that occurs, the probability s from the first state and t from the second of seeing it, s = r t.
From this finite list everything follows, exactly and for all alpha = e^epsilon at once:

* lv_alpha(s, t) = sum max(0, s - alpha t), the delta of the first order; convex, piecewise linear, falling;
* lv_alpha(t, s) = sum max(0, t - alpha s) = alpha lv_(1/alpha)(s, t) - alpha + 1, of the other order;
* the least epsilon for a delta, which is the logarithm of a rational; the total variation; the largest ratio;
* the trade-off function of hypothesis tests, whose vertices are partial sums of the list;
* moments of the ratio, and so Renyi divergences (`renyi`); products, and so composition (`composition`).

A list is also what a convex function with these properties *is*: a function h on alpha >= 0 that is convex,
falls from 1 at 0 and is at least max(0, 1 - alpha) has a jump of slope at each breakpoint r, which is the t
of the atom of that ratio, and its value at infinity is the s of the infinite one. So a lower (upper) bound of
delta for every alpha is again a list: `PrivacyLoss.below` and `PrivacyLoss.above` make the best one. One list
*dominates* another where its delta is at least as large for every alpha >= 0; then it is so in both orders,
for every divergence and after every composition (Blackwell, 1951).

Numbers get long (7,000 bits after a thousand compositions) and lists too, so the list is kept a second time
as integers over one denominator with sums from each atom to the end. A delta is then a binary search, one
product and one reduced fraction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from math import lcm
from typing import Any, NamedTuple

from flint import fmpz

from bdist.errors import ParameterError
from bdist.exact.rationals import as_rational, counted, exact_text, rational_text, short_text
from bdist.report import OneLine

_KEY_BITS = 64
_LONG_BITS = 1_000

Number = Fraction | int | str
Vertex = tuple[Fraction, Fraction]


_MOST_ROWS = 10  # of a table in a notebook


class Masses(NamedTuple):
    """Atoms (s[i], t[i]) / denominator: integers, at least 0, whose sums need not be the denominator."""

    denominator: int
    s: Sequence[int]
    t: Sequence[int]


@dataclass(frozen=True, slots=True, repr=False)
class Atom(OneLine):
    """The probabilities, from the first state and from the second, of one likelihood ratio."""

    s: Fraction
    t: Fraction

    @property
    def ratio(self) -> Fraction | None:
        """s / t; None for an infinite one."""
        return self.s / self.t if self.t else None


@dataclass(frozen=True, slots=True, repr=False)
class Piece(OneLine):
    """delta = p - alpha q for alpha from ``start`` to ``end`` (None: without end)."""

    start: Fraction
    end: Fraction | None
    p: Fraction
    q: Fraction


@dataclass(frozen=True, repr=False)
class Rates(OneLine):
    """Of a test: it says "first" with at least the one probability from that state, and with at most the
    other from the second state.
    """

    true_positive: Fraction
    false_positive: Fraction

    def gain(self, alpha: Fraction) -> Fraction:
        """What the test proves about delta from below, at any alpha."""
        return self.true_positive - alpha * self.false_positive


@dataclass(frozen=True)
class _Table:
    """The atoms over one denominator, by increasing ratio, and their sums from each to the end."""

    denominator: int
    s: list[int]
    t: list[int]
    s_sums: list[int]
    t_sums: list[int]

    @classmethod
    def of(cls, denominator: int, s: list[int], t: list[int]) -> _Table:
        return cls(denominator, s, t, _sums_to_the_end(s), _sums_to_the_end(t))

    def above(self, numerator: int, denominator: int) -> int:
        """The first atom with a ratio above this one; their number where there is none."""
        low, high = 0, len(self.s)
        while low < high:
            middle = (low + high) // 2
            if self.s[middle] * denominator > numerator * self.t[middle]:
                high = middle
            else:
                low = middle + 1
        return low

    def scaled_delta(self, numerator: int, denominator: int) -> tuple[int, int]:
        """delta at numerator / denominator, as a numerator and a denominator."""
        first = self.above(numerator, denominator)
        value = self.s_sums[first] * denominator - numerator * self.t_sums[first]
        return value, self.denominator * denominator

    def delta(self, numerator: int, denominator: int) -> Fraction:
        return Fraction(*self.scaled_delta(numerator, denominator))

    def masses(self) -> Masses:
        return Masses(self.denominator, self.s, self.t)

    def in_flint(self) -> _Table:
        """The same in FLINT's integers where numbers are long: their products take a fraction of the time."""
        if self.denominator.bit_length() < _LONG_BITS:
            return self
        # they do all that is done with integers here, and are handed to nobody
        lists: Any = [[fmpz(x) for x in column] for column in (self.s, self.t, self.s_sums, self.t_sums)]
        return _Table(self.denominator, *lists)


@dataclass(frozen=True, repr=False)
class PrivacyLoss(OneLine):
    """A privacy-loss distribution: atoms by increasing ratio, 0 first and infinity last.

    Requires: ratios are distinct, no atom is (0, 0), both sums are exactly 1. `PrivacyLoss.of` arranges any
    list so.
    Raises: ParameterError where the atoms are not like that.
    """

    atoms: tuple[Atom, ...]

    def __post_init__(self) -> None:
        _ = self._table

    @cached_property
    def _table(self) -> _Table:
        denominator, s, t = _over_one_denominator([(atom.s, atom.t) for atom in self.atoms])
        for index, (before, after) in enumerate(pairwise(zip(s, t, strict=True))):
            if before[0] * after[1] >= after[0] * before[1]:
                raise ParameterError(
                    f"atom {index + 1} of a privacy-loss distribution has no larger ratio than the last; "
                    "PrivacyLoss.of sorts and merges them"
                )
        if any(p == q == 0 for p, q in zip(s, t, strict=True)):
            raise ParameterError("an atom of a privacy-loss distribution is (0, 0); PrivacyLoss.of drops it")
        _check_sums(denominator, s, t)
        return _Table.of(denominator, s, t)

    @classmethod
    def _trusted(cls, atoms: tuple[Atom, ...], table: _Table) -> PrivacyLoss:
        """An object whose table is known."""
        made = object.__new__(cls)
        made.__dict__["atoms"] = atoms
        made.__dict__["_table"] = table
        return made

    @classmethod
    def of(cls, pairs: Iterable[tuple[Number, Number]]) -> PrivacyLoss:
        """From probabilities in any order; equal ratios are merged and (0, 0) is dropped.

        Raises: ParameterError where one is negative or no exact number, or a sum is not exactly 1.
        """
        given = _read(pairs)
        denominator, s, t = _over_one_denominator(given)
        _check_sums(denominator, s, t)
        return cls._arranged(Masses(denominator, s, t), given)

    @classmethod
    def _arranged(
        cls, masses: Masses, given: Sequence[tuple[Fraction, Fraction]] | None = None
    ) -> PrivacyLoss:
        """Sort and merge atoms whose sums are 1; ``given`` are the same, as reduced fractions."""
        denominator = masses.denominator
        atoms: list[Atom] = []
        s: list[int] = []
        t: list[int] = []
        for group in _by_ratio(masses):
            p, q = sum(masses.s[i] for i in group), sum(masses.t[i] for i in group)
            s.append(p)
            t.append(q)
            if given is not None and len(group) == 1:
                atoms.append(Atom(*given[group[0]]))
            else:
                atoms.append(Atom(Fraction(p, denominator), Fraction(q, denominator)))
        return cls._trusted(tuple(atoms), _Table.of(denominator, s, t))

    @classmethod
    def below(cls, pairs: Iterable[tuple[Number, Number]]) -> PrivacyLoss:
        """The best lower bound with sums 1 that a list proves.

        Requires: h(alpha) = sum max(0, p - alpha q) is at most the true lv_alpha for every alpha >= 0; the
        sums may be anything that this allows.
        Ensures: its delta is max(0, 1 - alpha, h), which no true lv_alpha is below.
        Raises: ParameterError where a number is negative, or h(0) = sum p is above 1, which no lv is.

        1 - alpha is above h up to one crossing, as h(0) <= 1 and h is convex. From there on the atoms are
        those of h; what is missing of both sums is one atom, whose ratio is the crossing.
        """
        denominator, s, t = _over_one_denominator(given := _read(pairs))
        missing_s, missing_t = denominator - sum(s), denominator - sum(t)
        if missing_s < 0:
            raise ParameterError(
                f"a lower bound of lv_alpha is at most 1 at alpha = 0; the first sum is "
                f"{exact_text(1 - Fraction(missing_s, denominator))}"
            )
        order = [i for group in _by_ratio(Masses(denominator, s, t)) for i in group]
        kept = 0
        for i in order:
            if missing_t >= 0 and missing_s * t[i] <= s[i] * missing_t:
                break
            missing_s, missing_t, kept = missing_s + s[i], missing_t + t[i], kept + 1
        rest = (Fraction(missing_s, denominator), Fraction(missing_t, denominator))
        return cls.of([rest, *(given[i] for i in order[kept:])])

    @classmethod
    def above(cls, pairs: Iterable[tuple[Number, Number]]) -> PrivacyLoss:
        """The best upper bound with sums 1 that a list proves.

        Requires: h(alpha) = sum max(0, p - alpha q) is at least the true lv_alpha for every alpha >= 0; the
        sums may be anything that this allows.
        Ensures: its delta is the greatest convex function below min(1, h), which no true lv_alpha is above,
        as that is convex.
        Raises: ParameterError where a number is negative, or h is below max(0, 1 - alpha) somewhere, which no
        lv is.

        That function is the line from (0, 1) that touches h, and h from there on. The line of h right of a
        breakpoint meets alpha = 0 at the sum of p above the breakpoint, so it touches where that sum passes
        1: what exceeds 1 is cut off at the low ratios. What then misses of q has ratio 0.
        """
        atoms = without_excess(pairs)
        missing_s, missing_t = (1 - _sum([pair[side] for pair in atoms]) for side in (0, 1))
        if missing_s or missing_t < 0:
            raise ParameterError(
                "an upper bound of lv_alpha is at least 1 - alpha for every alpha; this list is below"
            )
        return cls.of([*atoms, (missing_s, missing_t)])

    def _essence(self) -> str:
        variation = short_text(self.total_variation)
        return f"{counted(len(self.atoms), 'atom')}, total variation {variation}"

    def _repr_html_(self) -> str:
        """The atoms as a small table, for a notebook."""
        from bdist.chains.drawings.markup import element, small_table

        shown = self.atoms[:_MOST_ROWS]
        rows = [
            ("∞" if atom.ratio is None else exact_text(atom.ratio), exact_text(atom.s), exact_text(atom.t))
            for atom in shown
        ]
        table = small_table(("ratio", "s", "t"), rows, len(self.atoms) - len(shown))
        return element("div", element("p", self._essence()), table)

    def delta(self, alpha: Number) -> Fraction:
        """lv_alpha(s, t) = sum max(0, s - alpha t), exactly. Raises: ParameterError where alpha < 0."""
        value = as_rational(alpha, "alpha")
        if value < 0:
            raise ParameterError(f"alpha = {rational_text(value)} is below 0")
        return self._table.delta(value.numerator, value.denominator)

    def test(self, alpha: Fraction) -> Rates:
        """The test "the likelihood ratio exceeds alpha", whose gain there is delta."""
        table = self._table
        first = table.above(alpha.numerator, alpha.denominator)
        return Rates(*(Fraction(x[first], table.denominator) for x in (table.s_sums, table.t_sums)))

    def swapped(self) -> PrivacyLoss:
        """The distribution of the other order, t against s."""
        table = self._table
        s, t = table.t[::-1], table.s[::-1]
        atoms = tuple(Atom(atom.t, atom.s) for atom in reversed(self.atoms))
        return self._trusted(atoms, _Table.of(table.denominator, s, t))

    def least_alpha(self, delta: Number) -> Fraction | None:
        """The least alpha >= 1 with delta(alpha) <= delta; None where no finite one has it.

        delta(alpha) falls until it reaches the infinite atom's s, so the answer is on the piece that ends at
        the first breakpoint where it is at most ``delta``. Raises: ParameterError where delta < 0.
        """
        wanted = as_rational(delta, "delta")
        if wanted < 0:
            raise ParameterError(f"delta = {rational_text(wanted)} is below 0")
        table = self._table
        one = table.denominator
        target, unit = wanted.numerator * one, wanted.denominator

        def reached(p: int, q: int) -> bool:
            value, scale = table.scaled_delta(p, q)  # at the alpha p / q, over scale = one * q
            return value * unit <= target * (scale // one)

        if reached(1, 1):
            return Fraction(1)
        low, high = table.above(1, 1), len(table.s)
        while low < high:
            middle = (low + high) // 2
            if table.t[middle] and not reached(table.s[middle], table.t[middle]):
                low = middle + 1
            else:
                high = middle
        # On the piece that ends at the ratio of atom ``low`` delta is s_sums - alpha t_sums; if that atom is
        # infinite or there is none, delta is constant beyond the last breakpoint and above what is wanted.
        if low == len(table.s) or table.t[low] == 0:
            return None
        return Fraction(table.s_sums[low] * unit - target, table.t_sums[low] * unit)

    def pieces(self) -> tuple[Piece, ...]:
        """delta as a function of alpha from 1 on, piece by piece; the last one has no end."""
        return self._pieces

    @cached_property
    def _pieces(self) -> tuple[Piece, ...]:
        table = self._table
        first = table.above(1, 1)
        starts = [Fraction(1)]
        found = []
        for index in range(first, len(self.atoms) + 1):
            atom = self.atoms[index] if index < len(self.atoms) else None
            end = None if atom is None else atom.ratio
            p, q = (Fraction(x[index], table.denominator) for x in (table.s_sums, table.t_sums))
            found.append(Piece(starts[-1], end, p, q))
            if end is None:
                break
            starts.append(end)
        return tuple(found)

    @property
    def total_variation(self) -> Fraction:
        """delta at epsilon = 0, which is also the advantage of the best guess of which of the two it was."""
        return self._table.delta(1, 1)

    @property
    def max_ratio(self) -> Fraction | None:
        """e^epsilon for the least epsilon with delta = 0; None for infinity."""
        return self.atoms[-1].ratio

    @property
    def infinite_mass(self) -> Fraction:
        """The probability of what the second state never does: delta is at least that, at every alpha."""
        return self.atoms[-1].s if self.atoms[-1].t == 0 else Fraction(0)

    def tradeoff(self) -> tuple[Vertex, ...]:
        """The vertices (false positive, true positive) of the best tests, from (0, 0) to (1, 1).

        The best test of each size says "first state" from some ratio on (Neyman and Pearson); between two
        vertices it tosses a coin. 1 - true positive is the trade-off function of f-DP at the false positive.
        """
        one = self._table.denominator
        sums = zip(self._table.t_sums, self._table.s_sums, strict=True)
        return tuple((Fraction(q, one), Fraction(p, one)) for q, p in reversed(list(sums)))

    def renyi_moment(self, order: int) -> Fraction | None:
        """sum s^n t^(1-n), whose logarithm over n - 1 is the Renyi divergence of order n; None for infinity.

        Raises: ParameterError where the order is not an integer of at least 2.
        """
        if isinstance(order, bool) or not isinstance(order, int) or order < 2:
            raise ParameterError(f"the moment of order {order!r} is not offered; n must be an integer >= 2")
        if self.infinite_mass:
            return None
        from bdist.traces.renyi import moment  # when first used

        return moment(self._table.masses(), order)

    def dominates(self, other: PrivacyLoss) -> bool:
        """Whether other.delta(alpha) <= self.delta(alpha) for every alpha >= 0.

        The difference of the two is linear between breakpoints, and bends downwards at those of ``other``; so
        it is least at a breakpoint of this one, at 0, where both are 1, or towards infinity.
        """
        if other.infinite_mass > self.infinite_mass:
            return False
        mine, theirs = self._table.in_flint(), other._table.in_flint()
        place = 0
        for index, (p, q) in enumerate(zip(mine.s, mine.t, strict=True)):
            if q == 0:
                continue
            while place < len(theirs.s) and theirs.s[place] * q <= p * theirs.t[place]:
                place += 1
            own = mine.s_sums[index + 1] * q - p * mine.t_sums[index + 1]
            others = theirs.s_sums[place] * q - p * theirs.t_sums[place]
            if others * mine.denominator > own * theirs.denominator:
                return False
        return True

    def masses(self) -> Masses:
        """The atoms as integers over one denominator."""
        return self._table.masses()

    def compose(self, other: PrivacyLoss) -> PrivacyLoss:
        """The distribution of two independent releases, exactly.

        Raises: UnsupportedError where that has too many atoms; `compose_up` and `compose_down` always answer.
        """
        return _composed([(self, 1), (other, 1)])

    def compose_up(self, other: PrivacyLoss) -> PrivacyLoss:
        """The distribution of two independent releases, or one that dominates it."""
        return _composed([(self, 1), (other, 1)], up=True)

    def compose_down(self, other: PrivacyLoss) -> PrivacyLoss:
        """The distribution of two independent releases, or one that it dominates."""
        return _composed([(self, 1), (other, 1)], up=False)

    def self_compose(self, times: int) -> PrivacyLoss:
        """The distribution of so many independent releases, exactly. Raises: as `compose`."""
        return _composed([(self, times)])

    def self_compose_up(self, times: int) -> PrivacyLoss:
        """The distribution of so many independent releases, or one that dominates it."""
        return _composed([(self, times)], up=True)

    def self_compose_down(self, times: int) -> PrivacyLoss:
        """The distribution of so many independent releases, or one that it dominates."""
        return _composed([(self, times)], up=False)


Factors = Sequence[tuple[PrivacyLoss, int]]


def _composed(factors: Factors, up: bool | None = None) -> PrivacyLoss:
    """Independent releases: rounded to one side where that is long, or, without a side, exactly."""
    from bdist.traces.composition import bounded_composition, required_composition  # when first used

    return required_composition(factors) if up is None else bounded_composition(factors, up=up)


def without_excess(pairs: Iterable[tuple[Number, Number]]) -> list[tuple[Fraction, Fraction]]:
    """What is left of a list where all of p in excess of a sum of 1 is cut off at the low ratios.

    Ensures: the function of the result is the greatest convex one below min(1, h), where h(0) >= 1, as
    `PrivacyLoss.above` explains; by decreasing ratio.
    """
    denominator, s, t = _over_one_denominator(given := _read(pairs))
    atoms: list[tuple[Fraction, Fraction]] = []
    left = denominator
    for i in (i for group in reversed(_by_ratio(Masses(denominator, s, t))) for i in group):
        if s[i] >= left:
            if left:
                share = Fraction(left, s[i])
                atoms.append((given[i][0] * share, given[i][1] * share))
            break
        left -= s[i]
        atoms.append(given[i])
    return atoms


def atoms_document(atoms: Sequence[Atom]) -> list[dict[str, str]]:
    """Atoms as a JSON array."""
    return [
        {
            "ratio": "inf" if atom.ratio is None else rational_text(atom.ratio),
            "s": rational_text(atom.s),
            "t": rational_text(atom.t),
        }
        for atom in atoms
    ]


def _read(pairs: Iterable[tuple[Number, Number]]) -> list[tuple[Fraction, Fraction]]:
    """The pairs as fractions, without those of which nothing can be seen."""
    read = ((as_rational(p, "a probability"), as_rational(q, "a probability")) for p, q in pairs)
    return [pair for pair in read if any(pair)]


def _over_one_denominator(pairs: Sequence[tuple[Fraction, Fraction]]) -> tuple[int, list[int], list[int]]:
    denominator = 1
    for pair in pairs:
        for number in pair:
            if number < 0:
                raise ParameterError(f"a probability is {rational_text(number)}, which is below 0")
            if denominator % number.denominator:
                denominator = lcm(denominator, number.denominator)
    s, t = (
        [number.numerator * (denominator // number.denominator) for number in side]
        for side in (zip(*pairs, strict=True) if pairs else ((), ()))
    )
    return denominator, s, t


def _check_sums(denominator: int, s: Sequence[int], t: Sequence[int]) -> None:
    for name, side in (("first", s), ("second", t)):
        if sum(side) != denominator:
            found = exact_text(Fraction(sum(side), denominator))
            raise ParameterError(
                f"the {name} probabilities of a privacy-loss distribution sum to {found}, not 1"
            )


def _sum(numbers: Sequence[Fraction]) -> Fraction:
    denominator, scaled, _ = _over_one_denominator([(number, number) for number in numbers])
    return Fraction(sum(scaled), denominator)


def _sums_to_the_end(values: list[int]) -> list[int]:
    return [*accumulate(reversed(values), initial=0)][::-1]


def _by_ratio(masses: Masses) -> list[list[int]]:
    """The positions of atoms, those of one ratio together, by increasing ratio; without (0, 0).

    Ratios are ordered by their first 64 bits, and by exact fractions only where these are the same.
    """
    s, t = masses.s, masses.t
    keys = [_key(p, q) for p, q in zip(s, t, strict=True)]
    order = sorted((i for i in range(len(keys)) if s[i] or t[i]), key=keys.__getitem__)
    groups: list[list[int]] = []
    for key, alike in groupby(order, key=keys.__getitem__):
        same = list(alike)
        if len(same) == 1 or key in (_LEAST, _LARGEST):
            groups.append(same)
            continue
        ratios = {i: Fraction(s[i], t[i]) for i in same}
        same.sort(key=ratios.__getitem__)
        groups.extend(list(equal) for _, equal in groupby(same, key=ratios.__getitem__))
    return groups


_LEAST, _LARGEST = (-1, 0, 0), (1, 0, 0)


def _key(p: int, q: int) -> tuple[int, int, int]:
    """Where a ratio is: 0 first and infinity last; between them an exponent and the leading bits."""
    if p == 0:
        return _LEAST
    if q == 0:
        return _LARGEST
    exponent = p.bit_length() - q.bit_length()
    shift = _KEY_BITS - exponent
    leading = (p << shift) // q if shift >= 0 else p // (q << -shift)
    if leading >> _KEY_BITS:  # the quotient is at least 2^exponent, and has one bit more
        return (0, exponent + 1, leading >> 1)
    return (0, exponent, leading)

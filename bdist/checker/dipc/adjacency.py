"""The adjacent inputs of a program, and what may stand side by side on two of them.

Forty million pairs of inputs (nine queries on three values) would take minutes to go through, and what is
asked of a pair depends on two entries of the table only. So `Adjacency.compared` is handed a function on the
inputs, as numbers, and finds all pairs of its values on adjacent inputs.

The function is folded from the last variable on: what it says about an input whose first variables are known
is a number for each value of the next one, and equal such rows get one number in their turn. Then two inputs
are read from the first variable on, next to each other. At each variable there are pairs of numbers, and what
is left of the distance; each is followed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from ..core import TooLarge
from ..core.limits import Work
from .document import Point
from .program import Program

_MOST_PAIRS = 1_000_000
_NOWHERE = -1

Fold = list[dict[int, int]]  # rows: from places of values to numbers of the next variable


class _Beside(NamedTuple):
    """Two beginnings: their numbers, what is left of the distance, and whether they are the same so far."""

    one: int
    other: int
    left: Fraction
    same: bool


class _Way(NamedTuple):
    """The last values of two beginnings, and the way to them."""

    before: _Way | None
    one: int
    other: int


class Adjacency:
    """The adjacent inputs of a program, as SPEC.md section 1 defines them."""

    def __init__(self, program: Program, work: Work) -> None:
        self._program, self._work = program, work
        self._norm, self._bound = program.adjacent
        self._listed: dict[Point, dict[Point, None]] = {}
        self._near: list[list[tuple[int, Fraction]]] = []
        if self._norm == "pairs":
            for left, right in self._bound:
                if left != right:
                    self._listed.setdefault(left, {})[right] = None
                    self._listed.setdefault(right, {})[left] = None
        else:
            self._near = [self._distances(x) for x in program.domain]
            self._place = {x: place for place, x in enumerate(program.domain)}

    def _distances(self, x: Fraction) -> list[tuple[int, Fraction]]:
        """The values that a variable may have instead, by their places, and what that costs."""
        self._work.spend(4 * len(self._program.domain))
        self._work.keep(len(self._program.domain), 0)
        found = []
        for place, y in enumerate(self._program.domain):
            cost = Fraction(x != y) if self._norm == "l0" else abs(x - y)
            if cost <= self._bound:
                found.append((place, Fraction(0) if self._norm == "linf" else cost))
        return found

    def is_input(self, point: Point) -> bool:
        """Whether there is a value of the domain for each input."""
        return len(point) == len(self._program.inputs) and set(point) <= set(self._program.domain)

    def adjacent(self, left: Point, right: Point) -> bool:
        """Whether two inputs are adjacent."""
        if self._norm == "pairs":
            return right in self._listed.get(left, {})
        budget = self._bound
        for x, y in zip(left, right, strict=True):
            cost = dict(self._near[self._place[x]]).get(self._place[y])
            if cost is None or cost > budget:
                return False
            budget -= cost
        return left != right

    def inputs(self) -> Iterator[Point]:
        """All inputs that have a neighbour: one of their values can be another one. Raises: TooLarge."""
        if self._norm == "pairs":
            yield from self._listed
            return
        free = {x for x, near in zip(self._program.domain, self._near, strict=True) if len(near) > 1}
        for point in product(self._program.domain, repeat=len(self._program.inputs)):
            self._work.spend(4)
            if not free.isdisjoint(point):
                yield point

    def count(self) -> int:
        """How many ordered pairs of adjacent inputs there are. Raises: TooLarge."""
        if self._norm == "pairs":
            return sum(map(len, self._listed.values()))
        reached = {self._bound: 1}
        for _ in self._program.inputs:
            further: dict[Fraction, int] = {}
            for left, times in reached.items():
                for near in self._near:
                    self._work.spend(4 * len(near))
                    for _, cost in near:
                        if cost <= left:
                            further[left - cost] = further.get(left - cost, 0) + times
            reached = further
        equal: int = len(self._program.domain) ** len(self._program.inputs)
        return sum(reached.values()) - equal

    def compared(self, values: Mapping[Point, int]) -> Iterator[tuple[int, int | None, Point, Point]]:
        """The pairs of values on adjacent inputs, each once, with two such inputs.

        Values are numbers from 0 on. The first input has one; the second need not, which gives None.
        Raises: TooLarge.
        """
        if self._norm == "pairs":
            seen = set()
            for one, value in values.items():
                for other in self._listed.get(one, {}):
                    pair = (value, values.get(other))
                    self._work.spend(4)
                    if pair not in seen:
                        seen.add(pair)
                        yield (*pair, one, other)
            return
        if not values:
            return
        reached: dict[_Beside, _Way | None] = {_Beside(0, 0, self._bound, True): None}
        for rows in self._folded(values):
            reached = self._further(rows, reached)
        ends: dict[tuple[int, int], _Way | None] = {}
        for (first, second, _, same), way in reached.items():
            if not same:
                ends.setdefault((first, second), way)
        for (first, second), way in ends.items():
            yield (first, None if second == _NOWHERE else second, *self._points(way))

    def _folded(self, values: Mapping[Point, int]) -> list[Fold]:
        """For each variable, from the first one on, the rows that there are."""
        base = len(self._program.domain)
        numbered: dict[int, int] = {}
        for point, value in values.items():
            code = 0
            for x in point:
                code = code * base + self._place[x]
            numbered[code] = value
        found: list[Fold] = []
        for _ in self._program.inputs:
            self._work.spend(10 * len(numbered) + 10)
            rows: dict[int, dict[int, int]] = {}
            for code, value in numbered.items():
                rows.setdefault(code // base, {})[code % base] = value
            kinds: dict[frozenset[tuple[int, int]], int] = {}
            numbered = {
                code: kinds.setdefault(frozenset(row.items()), len(kinds)) for code, row in rows.items()
            }
            found.append([dict(kind) for kind in kinds])
        found.reverse()
        return found

    def _further(self, rows: Fold, reached: dict[_Beside, _Way | None]) -> dict[_Beside, _Way | None]:
        found: dict[_Beside, _Way | None] = {}
        for (one, other, left, same), way in reached.items():
            beside = {} if other == _NOWHERE else rows[other]
            for x, first in rows[one].items():
                near = self._near[x]
                self._work.spend(6 * len(near))
                for y, cost in near:
                    if cost <= left:
                        here = _Beside(first, beside.get(y, _NOWHERE), left - cost, same and x == y)
                        if here not in found:
                            found[here] = _Way(way, x, y)
            if len(found) > _MOST_PAIRS:
                raise TooLarge(f"more than {_MOST_PAIRS} pairs of classes of adjacent inputs")
        self._work.keep(8 * len(found), 0)
        return found

    def _points(self, way: _Way | None) -> tuple[Point, Point]:
        pairs = []
        while way is not None:
            pairs.append((self._program.domain[way.one], self._program.domain[way.other]))
            way = way.before
        return tuple(x for x, _ in reversed(pairs)), tuple(y for _, y in reversed(pairs))

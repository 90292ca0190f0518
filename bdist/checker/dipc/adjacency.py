"""The inputs of a program, and which of them are adjacent."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..core.limits import Work
from .expansion import Program
from .text import Point


class Adjacency:
    """The adjacent inputs of a program, as SPEC-DIPC section 1 defines them."""

    def __init__(self, program: Program, work: Work) -> None:
        self._program, self._work = program, work
        self._listed: dict[Point, dict[Point, None]] = {}
        for left, right in program.pairs:
            if left != right:
                self._listed.setdefault(left, {})[right] = None
                self._listed.setdefault(right, {})[left] = None
        self._near = {x: self._distances(x) for x in program.domain} if program.norm else {}

    def _distances(self, x: Fraction) -> list[tuple[Fraction, Fraction]]:
        """The values of the domain with what it costs to differ by them, the radius at most."""
        self._work.spend(4 * len(self._program.domain))
        self._work.keep(len(self._program.domain), 0)
        found = []
        for y in self._program.domain:
            cost = Fraction(x != y) if self._program.norm == "l0" else abs(x - y)
            if cost <= self._program.radius:
                found.append((y, cost))
        return found

    def adjacent(self, left: Point, right: Point) -> bool:
        """Whether two inputs are adjacent."""
        return any(neighbour == right for neighbour in self.neighbours(left))

    def is_input(self, point: Point) -> bool:
        """Whether there is a value of the domain for each input."""
        return len(point) == len(self._program.inputs) and set(point) <= set(self._program.domain)

    def neighbours(self, point: Point) -> Iterator[Point]:
        """All inputs that are adjacent to one. Raises: TooLarge."""
        if self._program.norm is None:
            yield from self._listed.get(point, {})
            return
        adds_up = self._program.norm != "linf"
        partial: list[tuple[Point, Fraction]] = [((), self._program.radius)]
        while partial:
            begun, left = partial.pop()
            self._work.spend(4)
            if len(begun) == len(point):
                if begun != point:
                    yield begun
                continue
            for value, cost in self._near[point[len(begun)]]:
                if cost <= left:
                    partial.append(((*begun, value), left - cost if adds_up else left))

    def inputs(self) -> Iterator[Point]:
        """All inputs that have a neighbour. Raises: TooLarge."""
        if self._program.norm is None:
            yield from self._listed
            return
        partial: list[Point] = [()]
        while partial:
            begun = partial.pop()
            self._work.spend(4)
            if len(begun) < len(self._program.inputs):
                partial += [(*begun, value) for value in self._program.domain]
            elif next(self.neighbours(begun), None) is not None:
                yield begun

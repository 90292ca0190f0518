"""Inputs, which of them are adjacent, and which of their classes are.

All inputs are the product of the domain, one factor for each input variable. Seven queries on {-1, 0, 1} have
2,187 inputs and 821,356 ordered pairs of adjacent ones, nine have 19,683 and 40 million. What is asked of
pairs depends on little, though: on the two probabilities of an output, and these are a few hundred. So inputs
come in classes, numbered by whoever asks (by the probability of one output, say), and `Neighbours.compared`
finds the pairs of classes that adjacent inputs have, with an example of each, and looks at no pair twice.

The classes are drawn as a diagram: an input is read variable by variable, and beginnings that all
completions lead to the same classes are one node. Two inputs are read side by side, with what is left of
the distance: every beginning of a neighbour can be completed, by changing nothing more. A state of that walk
is the two nodes, what is left, and whether there was a difference yet; so its steps are in proportion to the
pairs of nodes, which for probabilities that do not care about the order of queries are few (3,025 at most
for nine queries, where there are 40 million pairs of inputs).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

from bdist.budget import Budget
from bdist.dipc.program import ListedPairs, Norm, Point, Program, Within, error_at, tidy
from bdist.dipc.rules import check_declarations
from bdist.errors import ProgramError

MOST_INPUTS = 100_000
MOST_PAIRS = 1_000_000  # of values that are near each other, of classes, and of nodes in a layer

_LONG = 256  # bits of a common denominator
_ABSENT = -1
_MOST_SUMS = 10 * MOST_PAIRS  # of distances, in one round

Cost = Fraction | int
_Examples = dict[tuple[int, int], tuple[Point, Point]]


def inputs_of(program: Program) -> tuple[Point, ...]:
    """All inputs, a value for each of ``program.input_names``, in lexicographic order.

    Raises: ProgramError where there are more than MOST_INPUTS.
    """
    count, values = 1, len(program.domain)
    for _ in program.input_names:
        count *= values
        if count > MOST_INPUTS:
            shown = f"{values} values for each of {len(program.input_names)} input variables"
            raise _error(program, f"there are more than {MOST_INPUTS} inputs: {shown}")
    return tuple(product(sorted(program.domain), repeat=len(program.input_names)))


class Neighbours:
    """The adjacent inputs of a program: ``inputs`` that have a neighbour, and the ``count`` of ordered pairs.

    Listed pairs are in the order of the text, each followed by its reverse; otherwise all is in lexicographic
    order.
    """

    def __init__(self, program: Program, budget: Budget | None = None) -> None:
        """Raises: ProgramError where there are too many, or pairs that are listed are not of inputs."""
        check_declarations(program)
        self._program = program
        self._limits = budget or Budget()
        self._domain = sorted(program.domain)
        self._listed: tuple[tuple[Point, Point], ...] | None = None
        adjacency = program.adjacency
        if isinstance(adjacency, ListedPairs):
            both = ((one, other) for pair in adjacency.pairs for one, other in (pair, pair[::-1]))
            self._listed = tuple(dict.fromkeys((one, other) for one, other in both if one != other))
            self.inputs = tuple(sorted({point for pair in self._listed for point in pair}))
            self.count = len(self._listed)
            return
        self._near, self._budget = self._costs(adjacency)
        points = inputs_of(program)
        self._places = {point: place for place, point in enumerate(points)}
        moving = {self._domain[x] for x, near in enumerate(self._near) if len(near) > 1}
        self.inputs = tuple(point for point in points if not moving.isdisjoint(point))
        self.count = self._counted() - len(points)

    def compared(self, classes: Mapping[Point, int]) -> _Examples:
        """The pairs of classes of adjacent inputs, each with an example.

        Classes are numbers from 0 on; inputs without one are left out on the first side, and are in the class
        -1 on the second. Raises: ProgramError where there are too many pairs; Stopped.
        """
        found: _Examples = {}
        if self._listed is not None:
            for one, other in self._listed:
                if one in classes:
                    found.setdefault((classes[one], classes.get(other, _ABSENT)), (one, other))
            return found
        if not classes:
            return found
        states: dict[Any, Any] = {(0, 0, self._budget, False): None}
        for nodes in self._diagram(classes):
            states = self._side_by_side(nodes, states)
        for (first, second, _, differs), way in states.items():
            if differs and (first, second) not in found:
                found[first, second] = self._points(way)
        return found

    def _diagram(self, classes: Mapping[Point, int]) -> list[list[dict[int, int]]]:
        """For each variable its nodes: from (places of) values to nodes of the next one, or to classes."""
        base, levels = len(self._domain), []
        layer = {self._places[point]: number for point, number in classes.items()}
        for _ in self._program.input_names:
            grouped: dict[int, dict[int, int]] = {}
            for place, node in layer.items():
                grouped.setdefault(place // base, {})[place % base] = node
            numbers: dict[tuple[tuple[int, int], ...], int] = {}
            layer = {
                place: numbers.setdefault(tuple(sorted(row.items())), len(numbers))
                for place, row in grouped.items()
            }
            levels.append([dict(row) for row in numbers])
        return levels[::-1]

    def _side_by_side(self, nodes: list[dict[int, int]], states: dict[Any, Any]) -> dict[Any, Any]:
        """One variable further; a state has the way by which it was reached first."""
        following: dict[Any, Any] = {}
        for (first, second, left, differs), way in states.items():
            self._limits.check()
            theirs = nodes[second] if second != _ABSENT else {}
            for x, node in nodes[first].items():
                for y, cost in self._near[x]:
                    if cost <= left:
                        state = (node, theirs.get(y, _ABSENT), left - cost, differs or x != y)
                        if state not in following:
                            following[state] = (way, x, y)
            if len(following) > MOST_PAIRS:
                raise self._too_many("classes of adjacent inputs to compare")
        return following

    def _points(self, way: Any) -> tuple[Point, Point]:
        one: list[Fraction] = []
        other: list[Fraction] = []
        while way is not None:
            way, x, y = way
            one.append(self._domain[x])
            other.append(self._domain[y])
        return tuple(one[::-1]), tuple(other[::-1])

    def _counted(self) -> int:
        """Pairs of adjacent inputs, equal ones included."""
        ways: dict[Cost, int] = {self._budget: 1}  # by what is left of the distance
        costs: dict[Cost, int] = {}
        for near in self._near:
            for _, cost in near:
                costs[cost] = costs.get(cost, 0) + 1
        for _ in self._program.input_names:
            following: dict[Cost, int] = {}
            if len(ways) * len(costs) > _MOST_SUMS:
                raise self._too_many("distances of adjacent inputs")
            for left, count in ways.items():
                for cost, times in costs.items():
                    if cost <= left:
                        following[left - cost] = following.get(left - cost, 0) + count * times
            ways = following
        return sum(ways.values())

    def _costs(self, adjacency: Within) -> tuple[list[list[tuple[int, Cost]]], Cost]:
        """What each change of a variable takes, by places in the domain, and how much there is.

        In integers, unless they were long ones. With the maximum norm variables do not share the distance,
        and near values cost nothing.
        """
        domain, distance = self._domain, adjacency.distance
        reach = [self._reach(place, adjacency) for place in range(len(domain))]
        if sum(len(near) for near in reach) - len(domain) > MOST_PAIRS:
            raise self._too_many("adjacent inputs")
        if adjacency.norm is Norm.LINF:
            return [[(y, 0) for y in near] for near in reach], 0
        if adjacency.norm is Norm.L0:
            return [[(y, int(y != x)) for y in near] for x, near in enumerate(reach)], distance // 1
        unit = distance.denominator
        for value in domain:
            unit = lcm(unit, value.denominator)
            if unit.bit_length() > _LONG:
                unit = 1
                break
        values: list[Cost] = [tidy(value * unit) for value in domain]
        found: list[list[tuple[int, Cost]]] = []
        for x, near in enumerate(reach):
            found.append([])
            for y in near:
                cost: Cost = values[y] - values[x]
                found[x].append((y, cost if y > x else -cost))
        return found, distance * unit

    def _reach(self, place: int, adjacency: Within) -> range:
        """The places of the values that a variable with this one may have in a neighbour."""
        if adjacency.norm is Norm.L0:
            return range(len(self._domain)) if adjacency.distance >= 1 else range(place, place + 1)
        value = self._domain[place]
        low, high = value - adjacency.distance, value + adjacency.distance
        return range(bisect_left(self._domain, low), bisect_right(self._domain, high))

    def _too_many(self, what: str) -> ProgramError:
        return _error(self._program, f"there are more than {MOST_PAIRS} pairs of {what}")


def _error(program: Program, message: str) -> ProgramError:
    return error_at(message, program.adjacency.place, program.source)

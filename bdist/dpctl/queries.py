"""All sequences of queries at once: does one tell two neighbours apart?

A query scheduler takes the same actions from both neighbours. The difference p_s - a p_t after some actions
is a signed vector on nodes (`rests`), and what can still come of it is at most its positive part times the
most that can be won, and its negative part times the least: so a beginning of a sequence whose bound is
small enough need not be followed. The tree of beginnings that were followed is the proof (SPEC-DPCTL, part
II). In most processes many actions do the same at a step; these share a branch.

Without the bound it would be the enumeration of the paper, with as many sequences as actions to the power
of the length.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from bdist.budget import Budget
from bdist.dpctl.rests import Nodes
from bdist.errors import UnsupportedError
from bdist.rationals.fast import ZERO

Tree = dict[int, "Tree"] | None
Vector = dict[int, fmpq]

MOST_BRANCHES = 200_000
DEEPEST = 50  # actions in a tree: a certificate writes them as objects within objects


@dataclass(frozen=True)
class Told:
    """A sequence of actions, and the difference that it makes."""

    actions: tuple[int, ...]
    difference: fmpq


class QuerySearch:
    """The sequences of actions from two nodes, at a factor for the second."""

    def __init__(self, nodes: Nodes, actions: int, factor: fmpq, budget: Budget) -> None:
        self._nodes = nodes
        self._actions = actions
        self._factor = factor
        self._budget = budget
        self._branches = 0

    def prove(self, first: int, second: int, most: fmpq) -> Tree | Told:
        """A tree that proves that no difference is above ``most``, or a sequence with one that is."""
        return self._prove(self._start(first, second), most, ())

    def largest(self, first: int, second: int, least: fmpq = ZERO) -> Told | None:
        """The sequence with the largest difference above ``least``; None where there is none."""
        best: Told | None = None
        bound = least

        def explore(vector: Vector, actions: tuple[int, ...]) -> None:
            nonlocal best, bound
            value = self._bound(vector)
            if value <= bound:
                return
            if self._is_over(vector):
                best, bound = Told(actions, value), value
                return
            children = sorted(self._children(vector), key=lambda child: self._bound(child[1]), reverse=True)
            for members, child in children:
                explore(child, (*actions, members[0]))

        explore(self._start(first, second), ())
        return best

    def _start(self, first: int, second: int) -> Vector:
        vector = {first: fmpq(1)}
        vector[second] = vector.get(second, ZERO) - self._factor
        return {node: value for node, value in vector.items() if value}

    def _prove(self, vector: Vector, most: fmpq, actions: tuple[int, ...]) -> Tree | Told:
        value = self._bound(vector)
        if value <= most:
            return None
        if self._is_over(vector):
            return Told(actions, value)
        if len(actions) >= DEEPEST:
            raise UnsupportedError(f"sequences of more than {DEEPEST} queries are not proved")
        tree: dict[int, Tree] = {}
        children = sorted(self._children(vector), key=lambda child: self._bound(child[1]), reverse=True)
        for members, child in children:
            found = self._prove(child, most, (*actions, members[0]))
            if isinstance(found, Told):
                return found
            for action in members:
                tree[action] = found
        return tree

    def _children(self, vector: Vector) -> list[tuple[list[int], Vector]]:
        """The vectors after each action, those actions together that do the same."""
        self._budget.check()
        groups: dict[object, tuple[list[int], Vector]] = {}
        for action in range(self._actions):
            child = self._nodes.after(vector, action)
            key = tuple(sorted((node, str(value)) for node, value in child.items()))
            groups.setdefault(key, ([], child))[0].append(action)
        self._branches += len(groups)
        if self._branches > MOST_BRANCHES:
            raise UnsupportedError(f"the sequences of queries branch more than {MOST_BRANCHES} times")
        return list(groups.values())

    def _bound(self, vector: Vector) -> fmpq:
        high, low = self._nodes.high, self._nodes.low
        total = ZERO
        for node, value in vector.items():
            total += value * (high[node] if value > 0 else low[node])
        return total

    def _is_over(self, vector: Vector) -> bool:
        return all(self._nodes.won[node] is not None for node in vector)

"""Trees of queries: that no sequence of actions makes a difference of more than d, SPEC-DPCTL section 8.

A node of a tree stands at two vectors on nodes of the formula, what has become of the two states after the
same actions. What is won from there later is the same for both, whatever it is: so a leaf is tested node by
node. A sequence may be long, so the walk has a stack of its own; and a node that several actions lead to is
looked at once for each pair of vectors. Of these pairs it remembers the SHA-256 only, so that the memory does
not grow with the vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from ..core.chain import shown
from ..core.digits import size
from ..core.limits import Work
from ..core.steps import Rejected
from .decision_document import Tree, TreeNode
from .decision_nodes import Nodes, Vector
from .formula_powers import Bound, Part

_OTHERS = "*"  # in a tree, all actions that it does not name

Vectors = tuple[Vector, Vector]


class _Visit(NamedTuple):
    """A node of the tree that is being looked at, and the actions that are left with their nodes.

    Of those that are done it is noted what they do, as others may do the same and lead to the same node.
    """

    vectors: Vectors
    left: Iterator[tuple[int, int]]
    done: set[tuple[int, tuple[int, ...]]]


class TreeWalk:
    """The walk through one tree, which stands at ``place`` in the certificate."""

    def __init__(
        self, tree: Tree, actions: dict[str, int], nodes: Nodes, bound: Bound, place: str, work: Work
    ) -> None:
        self._tree = tree
        self._actions = actions
        self._nodes = nodes
        self._bound = bound
        self._place = place
        self._work = work
        self._others = None if _OTHERS in actions else _OTHERS
        self._seen: set[bytes] = set()

    def check(self, first: int, second: int) -> None:
        """From these two nodes of the formula. Raises: Rejected, TooLarge."""
        self._work.spend(len(self._tree))
        root: Vectors = {first: Fraction(1)}, {second: Fraction(1)}
        with self._work.forgotten():
            open_visits = self._entered(0, root)
            while open_visits:
                visit = open_visits[-1]
                action, number = next(visit.left, (-1, -1))
                if action < 0:
                    open_visits.pop()
                    self._keep(visit.vectors, -1)
                    continue
                key = number, self._nodes.kind(visit.vectors, action)
                if key in visit.done:
                    continue
                visit.done.add(key)
                after = self._nodes.step(visit.vectors[0], action), self._nodes.step(visit.vectors[1], action)
                open_visits += self._entered(number, after)

    def _entered(self, number: int, vectors: Vectors) -> list[_Visit]:
        """The visit of a node at these vectors; none if it is a leaf, or was looked at before."""
        if self._is_known(number, vectors):
            return []
        node = self._tree[number]
        if node is None:
            self._check_leaf(number, vectors)
            return []
        self._keep(vectors, 1)
        return [_Visit(vectors, iter(self._following(number, node)), set())]

    def _is_known(self, number: int, vectors: Vectors) -> bool:
        digest = hashlib.sha256(b"%d" % number)
        for vector in vectors:
            digest.update(b"|")
            for n in sorted(vector):
                value = vector[n]
                self._work.spend(4, size(value))
                digest.update(b";%d:%x/%x" % (n, value.numerator, value.denominator))
        found = digest.digest()
        if found in self._seen:
            return True
        self._work.keep(1, 0)
        self._seen.add(found)
        return False

    def _check_leaf(self, number: int, vectors: Vectors) -> None:
        alpha, beta = vectors
        zero = Fraction(0)
        parts = [
            Part(alpha.get(n, zero), beta.get(n, zero), self._nodes.low(n), self._nodes.high(n))
            for n in dict.fromkeys((*alpha, *beta))
        ]
        if not self._bound.holds_for_parts(parts):
            raise Rejected("holds", f"{self._place}[{number}]: at this leaf more than d may be left")

    def _following(self, number: int, node: TreeNode) -> list[tuple[int, int]]:
        """The actions of the model, each with the number of the node after it."""
        after, place = node or {}, f"{self._place}[{number}]"
        self._work.spend(len(after) + len(self._actions))
        self._work.hold(len(self._actions), 0)
        for name, later in after.items():
            if name not in self._actions and name != self._others:
                raise Rejected("holds", f"{place} has {shown(name)}, not an action of the model")
            if not number < later < len(self._tree):
                what = f"not the number of a later node, of which the last is {len(self._tree) - 1}"
                raise Rejected("holds", f"{place}.{shown(name)} is {later}, {what}")
        found: list[tuple[int, int]] = []
        for name, action in self._actions.items():
            given = after.get(name, after.get(_OTHERS) if self._others else None)
            if given is None:
                raise Rejected("holds", f"{place} has no node for the action {shown(name)}")
            found.append((action, given))
        return found

    def _keep(self, vectors: Vectors, times: int) -> None:
        """Count the vectors of an open visit, or forget them."""
        actions = len(self._actions)  # what they do has a number for each entry of the vectors, at most
        for vector in vectors:
            self._work.spend(1 + len(vector))
            numbers = 3 + len(vector) + actions * (1 + len(vector) // 16)
            bits = max(map(size, vector.values()), default=0)
            if times > 0:
                self._work.keep(numbers, bits)
            else:
                self._work.release(numbers, bits)

"""All sequences of queries at once: does one tell two neighbours apart?

A query scheduler takes the same actions from both neighbours. The difference p_s - a p_t after some actions
is a signed vector on nodes (`progression`), and what can still come of it is at most its positive part times
the most that can be won, and its negative part times the least: so a beginning of a sequence whose bound is
small enough need not be followed. The tree of beginnings that were followed is the proof (SPEC.md, part II).
In most processes many actions do the same at a step; these share a branch. And different beginnings may
lead to the same vector: what follows is looked at once, so the tree is in truth a graph, and sequences of
hundreds of queries, of which there are more than can be listed, may have a short proof.

Without the bound it would be the enumeration of the paper, with as many sequences as actions to the power
of the length.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from flint import fmpq

from bdist.budget import Budget
from bdist.dpctl.progression import Nodes
from bdist.errors import UnsupportedError
from bdist.exact.rationals import ZERO

TreeNode = dict[int, int] | None  # the number of the node after each action; a leaf is None
Tree = tuple[TreeNode, ...]  # the root is the first; numbers are of later nodes
Vector = dict[int, fmpq]

MOST_BRANCHES = 200_000

_Key = frozenset[tuple[int, str]]
_LEAF = 0  # among the finished nodes


@dataclass(frozen=True)
class Distinguisher:
    """A sequence of actions, and the difference that it makes."""

    actions: tuple[int, ...]
    difference: fmpq


class _Child(NamedTuple):
    """What some actions lead to, all the same, and a bound on what can come of it."""

    actions: list[int]
    vector: Vector
    key: _Key
    bound: fmpq


@dataclass
class _Frame:
    """A beginning that is being followed: what is left to look at, the best last, and what was found."""

    key: _Key
    waiting: list[_Child]
    after: dict[int, int] = field(default_factory=dict)


class QuerySearch:
    """The sequences of actions from two nodes, at a factor for the second."""

    def __init__(self, nodes: Nodes, actions: int, factor: fmpq, budget: Budget) -> None:
        self._nodes = nodes
        self._actions = actions
        self._factor = factor
        self._budget = budget
        self._branches = 0

    def prove(self, first: int, second: int, most: fmpq) -> Tree | Distinguisher:
        """A tree that proves that no difference is above ``most``, or a sequence with one that is.

        Raises: UnsupportedError where there are too many beginnings to follow; Stopped.
        """
        finished: list[TreeNode] = [None]  # those that come later in the tree come first here
        known: dict[_Key, int] = {}
        frames = [self._root(first, second)]
        while True:
            frame = frames[-1]
            if not frame.waiting:
                # all that can follow this beginning is proved: it is a node of the tree
                frames.pop()
                finished.append(frame.after)
                known[frame.key] = len(finished) - 1
                _settle(frames[-1], len(finished) - 1)
            else:
                child = frame.waiting[-1]
                # a leaf where the bound suffices, or a node that another beginning has led to before
                number = _LEAF if child.bound <= most else known.get(child.key)
                if number is not None:
                    _settle(frame, number)
                elif self._is_over(child.vector):
                    # nothing is open any more, so the bound is the difference, and it is too large
                    return Distinguisher(_actions(frames), child.bound)
                else:
                    frames.append(_Frame(child.key, self._children(child.vector)))
            if len(frames) == 1 and not frames[0].waiting:
                return _turned(finished)

    def largest(self, first: int, second: int, least: fmpq = ZERO) -> Distinguisher | None:
        """The sequence with the largest difference above ``least``; None where there is none."""
        best: Distinguisher | None = None
        bound = least
        known: set[_Key] = set()  # what they lead to is at most the bound by now
        frames = [self._root(first, second)]
        while frames:
            frame = frames[-1]
            if not frame.waiting:
                frames.pop()
                if frames:
                    frames[-1].waiting.pop()
                continue
            child = frame.waiting[-1]
            # branch and bound; what was looked at under a smaller bound cannot beat a larger one
            if child.bound > bound and child.key not in known:
                known.add(child.key)
                if not self._is_over(child.vector):
                    frames.append(_Frame(child.key, self._children(child.vector)))
                    continue
                best, bound = Distinguisher(_actions(frames), child.bound), child.bound
            frame.waiting.pop()
        return best

    def _root(self, first: int, second: int) -> _Frame:
        """A frame above the root, with the root as the only thing to look at."""
        vector = {first: fmpq(1)}
        vector[second] = vector.get(second, ZERO) - self._factor
        vector = {node: value for node, value in vector.items() if value}
        return _Frame(frozenset(), [_Child([], vector, _key(vector), self._bound(vector))])

    def _children(self, vector: Vector) -> list[_Child]:
        """The vectors after each action, those actions together that do the same; the largest bound last."""
        self._budget.check()
        found: dict[_Key, _Child] = {}
        for actions in self._nodes.groups(vector, self._actions):
            child = self._nodes.after(vector, actions[0])
            key = _key(child)
            if key in found:
                found[key].actions.extend(actions)
            else:
                found[key] = _Child(actions, child, key, self._bound(child))
        self._branches += len(found)
        if self._branches > MOST_BRANCHES:
            raise UnsupportedError(f"the sequences of queries branch more than {MOST_BRANCHES} times")
        return sorted(found.values(), key=lambda child: child.bound)

    def _bound(self, vector: Vector) -> fmpq:
        high, low = self._nodes.high, self._nodes.low
        total = ZERO
        for node, value in vector.items():
            total += value * (high[node] if value > 0 else low[node])
        return total

    def _is_over(self, vector: Vector) -> bool:
        return all(self._nodes.won[node] is not None for node in vector)


def _key(vector: Vector) -> _Key:
    """What two vectors have in common if they are equal; the hash of an fmpq takes longer than its text."""
    return frozenset((node, str(value)) for node, value in vector.items())


def _actions(frames: list[_Frame]) -> tuple[int, ...]:
    """The sequence that is being looked at; the first frame is above the root."""
    return tuple(frame.waiting[-1].actions[0] for frame in frames[1:])


def _settle(frame: _Frame, number: int) -> None:
    """Note which node follows after the actions that were looked at last."""
    for action in frame.waiting.pop().actions:
        frame.after[action] = number


def _turned(finished: list[TreeNode]) -> Tree:
    """The nodes in an order in which later ones follow: a node is finished after those that follow it."""
    last = len(finished) - 1
    if last == _LEAF:
        return (None,)
    return tuple(
        None if node is None else {action: last - number for action, number in node.items()}
        for node in reversed(finished)
    )

"""Bounded formulas on a decision process: what is left of them, what can be won, and which queries can tell.
SPEC section 8.

The rest of a formula after a state depends on one thing only: in which of its maximal state subformulas,
each a set of states, the state is. So states that are in the same of them are of one *sort*. Formulas are
kept in a table, each once, with a number; sets are told apart by their elements, and a conjunction is a set
of numbers, so that what differs in order or repetition only is the same. Rests and nodes are found when they
are asked for, with a stack of their own in place of recursion, as there may be 10,000 steps.

Different formulas may say the same, and it is not clear from their form which do. But nodes are won or lost
after finitely many steps. So classes are found from the end: two nodes of a state are the same if the nodes
that follow them, state by state, are; a node is won, or lost, if all that follow it are. That is the same
partition whatever formulas are simplified, and the coarsest that the proof in section 9 allows.

A *tree of queries* shows that no sequence of actions makes a difference of more than d. A node of the tree
stands at two vectors on nodes of the formula, what has become of the two states after the same actions. What
is won from there later is the same for both, whatever it is: so a leaf is tested node by node. Numbers of
nodes grow along every sequence of actions. So nodes are taken in the order of their numbers, and when one
comes, all vectors are known that it stands at, each once.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, TypeVar

from ..core import Rejected, TooLarge
from ..core.limits import Work
from ..core.numbers import size
from ..core.text import shown
from .elimination import mean
from .formulas import AND, NEXT, NOT, TRUE, WITHIN, Formula, Leaves, StateSet
from .powers import Bound, Term
from .process import Process

MOST_NODES = 2_000_000

_SET = "set"
_OTHERS = "*"  # in a tree, all actions that it does not name
LOST, WON = 0, 1  # classes, and the formulas false and true
_Key = tuple[str | int, ...]
Vector = dict[int, Fraction]  # by classes
Vectors = tuple[Vector, Vector]
TreeNode = dict[str, int] | None  # the number of the node after each action; a leaf is None
Tree = tuple[TreeNode, ...]
_K = TypeVar("_K")


def _settled(
    first: _K,
    known: dict[_K, int],
    needs: Callable[[_K], list[_K]],
    found: Callable[[_K, list[int]], int],
    work: Work,
) -> int:
    """``known[first]``, from what it needs, and so on, with a stack in place of recursion."""
    waiting = [first]
    while waiting:
        work.spend(1)
        top = waiting[-1]
        if top in known:
            waiting.pop()
            continue
        needed = needs(top)
        work.spend(len(needed))
        missing = [key for key in needed if key not in known]
        if missing:
            work.hold(len(waiting) + len(missing), 0)
            waiting.extend(missing)
        else:
            work.keep(1, 0)
            known[top] = found(top, [known[key] for key in needed])
    return known[first]


class _Rests:
    """The table of formulas, by numbers, and their rests after states, which are told apart by sorts."""

    def __init__(self, leaves: Leaves, work: Work) -> None:
        self._leaves = leaves
        self._work = work
        self._sets: dict[StateSet, int] = {}
        for inside in leaves.values():
            work.spend(1 + len(inside) // 8)
            self._sets.setdefault(inside, len(self._sets))
        count = max(map(len, self._sets))
        work.spend(count * len(self._sets))
        work.keep(count * (1 + len(self._sets) // 16), 0)
        columns = zip(*self._sets, strict=True)  # of each state, in which of the sets it is
        found: dict[tuple[int, ...], int] = {}
        self.sorts = [found.setdefault(column, len(found)) for column in columns]
        self._members = list(found)
        self._keys: list[_Key] = [("false",), (TRUE,)]
        self._numbers: dict[_Key, int] = {key: number for number, key in enumerate(self._keys)}
        self._known: dict[tuple[int, int], int] = {}

    def number(self, formula: Formula) -> int:
        """That of a bounded formula."""
        if formula.is_state_formula:
            inside = self._leaves[id(formula)]
            if 0 not in inside or 1 not in inside:
                return inside[0]  # WON is 1, LOST is 0
            return self._add((_SET, self._sets[inside]))
        parts = [self.number(part) for part in formula.parts]
        if formula.kind == NOT:
            return self._not(parts[0])
        if formula.kind == AND:
            return self._and(parts)
        if formula.kind == NEXT:
            return self._add((NEXT, *parts))
        return self._add((WITHIN, formula.data[0], *parts))

    def rest(self, formula: int, sort: int) -> int:
        """The rest of a formula after a state of a sort."""
        return _settled((formula, sort), self._known, self._operands, self._rest, self._work)

    def _operands(self, place: tuple[int, int]) -> list[tuple[int, int]]:
        """What the rest of a formula depends on: those of its operands, after the same sort of states."""
        formula, sort = place
        kind, *parts = self._keys[formula]
        if kind not in (NOT, AND, WITHIN):
            return []
        return [(int(part), sort) for part in parts[kind == WITHIN :]]

    def _rest(self, place: tuple[int, int], rests: list[int]) -> int:
        key, sort = self._keys[place[0]], place[1]
        if key[0] == NOT:
            return self._not(rests[0])
        if key[0] == AND:
            return self._and(rests)
        if key[0] == _SET:
            return self._members[sort][int(key[1])]
        if key[0] == NEXT:
            return int(key[1])
        if key[0] == WITHIN:
            _, steps, through, to = key
            if steps == 0:
                return rests[1]
            later = self._add((WITHIN, int(steps) - 1, through, to))
            return self._not(self._and([self._not(rests[1]), self._not(self._and([rests[0], later]))]))
        return WON if key == (TRUE,) else LOST

    def _not(self, part: int) -> int:
        if part in (WON, LOST):
            return WON + LOST - part
        key = self._keys[part]
        return int(key[1]) if key[0] == NOT else self._add((NOT, part))

    def _and(self, parts: list[int]) -> int:
        found: set[int] = set()
        for part in parts:
            key = self._keys[part]
            inner = {int(n) for n in key[1:]} if key[0] == AND else {part}
            self._work.spend(len(inner))
            found |= inner
        found.discard(WON)
        if LOST in found or any(self._numbers.get((NOT, part)) in found for part in found):
            return LOST
        if len(found) < 2:
            return next(iter(found), WON)
        return self._add((AND, *sorted(found)))

    def _add(self, key: _Key) -> int:
        self._work.spend(len(key))
        if key not in self._numbers:
            self._work.keep(2 + len(key), 0)
            self._numbers[key] = len(self._keys)
            self._keys.append(key)
        return self._numbers[key]


class _Class(NamedTuple):
    """A state, or -1 where it is won or lost, the classes that follow by states, and what can be won."""

    state: int
    after: dict[int, int]
    low: Fraction
    high: Fraction


class Nodes:
    """The nodes of one bounded formula, up to classes."""

    def __init__(self, process: Process, formula: Formula, leaves: Leaves, work: Work) -> None:
        self._process = process
        self._work = work
        self._rests = _Rests(leaves, work)
        self._formula = self._rests.number(formula)
        self._known: dict[tuple[int, int], int] = {}  # the classes of nodes
        self._numbers: dict[tuple[int, ...], int] = {}
        self._classes = [_Class(-1, {}, Fraction(value), Fraction(value)) for value in (LOST, WON)]

    def of_state(self, s: int) -> int:
        """The class of the node of a state. Raises: TooLarge."""
        first = s, self._rests.rest(self._formula, self._rests.sorts[s])
        return _settled(first, self._known, self._following, self._class, self._work)

    def low(self, number: int) -> Fraction:
        """The least probability, over all schedulers, to win from a node of a class."""
        return self._classes[number].low

    def high(self, number: int) -> Fraction:
        """The largest."""
        return self._classes[number].high

    def kind(self, vectors: tuple[Vector, Vector], action: int) -> tuple[int, ...]:
        """What an action does to vectors: it does the same as another one if this is the same."""
        self._work.spend(len(vectors[0]) + len(vectors[1]))
        rows = self._process.rows[action]
        places = (self._classes[number].state for vector in vectors for number in vector)
        return tuple(id(rows[state]) for state in places if state >= 0)

    def step(self, vector: Vector, action: int) -> Vector:
        """The vector after an action. Raises: TooLarge."""
        found: Vector = {}
        for number, weight in vector.items():
            here = self._classes[number]
            entries = [(number, weight)]
            if here.state >= 0:
                row, below = self._process.rows[action][here.state], self._process.sums[action][here.state]
                bits = size(weight) + 2 * below.bit_length()
                self._work.spend(4 * len(row), bits, bits)
                entries = [(here.after[t], weight * Fraction(p, below)) for t, p in row.items()]
            for after, part in entries:
                before = found.get(after, Fraction(0))
                self._work.reduce(size(before) + size(part))
                self._work.hold(len(found) + 1, size(part))
                found[after] = before + part
        return found

    def _following(self, node: tuple[int, int]) -> list[tuple[int, int]]:
        """The nodes that follow one; none if it is won or lost."""
        if len(self._known) >= MOST_NODES:
            raise TooLarge(f"the formula has more than {MOST_NODES} nodes")
        state, formula = node
        if formula in (WON, LOST):
            return []
        targets = self._process.following(state)
        self._work.spend(len(targets))
        return [(t, self._rests.rest(formula, self._rests.sorts[t])) for t in targets]

    def _class(self, node: tuple[int, int], after: list[int]) -> int:
        state, formula = node
        if formula in (WON, LOST):
            return formula
        for end in (WON, LOST):
            if all(number == end for number in after):
                return end
        signature = (state, *after)
        if signature not in self._numbers:
            self._work.keep(4 + 2 * len(after), 0)
            following = dict(zip(self._process.following(state), after, strict=True))
            low = min(self._means(state, {t: self.low(n) for t, n in following.items()}))
            high = max(self._means(state, {t: self.high(n) for t, n in following.items()}))
            self._work.keep(2, max(size(low), size(high)))
            self._numbers[signature] = len(self._classes)
            self._classes.append(_Class(state, following, low, high))
        return self._numbers[signature]

    def _means(self, state: int, values: dict[int, Fraction]) -> list[Fraction]:
        """The means of the values of the next states, after actions that do not do the same."""
        found = []
        for row, total in self._process.different_rows(state):
            above, below = mean(row, total, values, self._work)
            self._work.reduce(above.bit_length() + below.bit_length())
            found.append(Fraction(above, below))
        return found


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
        self._standing: dict[int, dict[object, Vectors]] = {}  # by nodes of the tree that have not come yet

    def check(self, first: int, second: int) -> None:
        """From these two nodes of the formula. Raises: Rejected, TooLarge."""
        self._work.spend(len(self._tree))
        with self._work.forgotten():
            self._arrive(0, ({first: Fraction(1)}, {second: Fraction(1)}))
            for number, node in enumerate(self._tree):
                standing = self._standing.pop(number, {})
                following = self._following(number, node or {}) if standing else []
                for vectors in standing.values():
                    self._leave(vectors, following)

    def _leave(self, vectors: Vectors, following: list[tuple[int, int]]) -> None:
        """Go on with each action, once for those that do the same and lead to the same node."""
        self._work.release(*_extent(vectors))
        done: set[tuple[int, tuple[int, ...]]] = set()
        self._work.hold(len(following) * (1 + len(vectors[0]) + len(vectors[1])) // 16, 0)
        for action, number in following:
            key = number, self._nodes.kind(vectors, action)
            if key not in done:
                done.add(key)
                alpha, beta = (self._nodes.step(vector, action) for vector in vectors)
                self._arrive(number, (alpha, beta))

    def _arrive(self, number: int, vectors: Vectors) -> None:
        """A leaf is checked at once, another node when it comes."""
        if self._tree[number] is None:
            alpha, beta = vectors
            zero, nodes = Fraction(0), self._nodes
            parts = [
                Term(alpha.get(n, zero), beta.get(n, zero), nodes.low(n), nodes.high(n))
                for n in dict.fromkeys((*alpha, *beta))
            ]
            if not self._bound.holds_for_parts(parts):
                raise Rejected("holds", f"{self._place}[{number}]: at this leaf more than d may be left")
            return
        numbers, bits = _extent(vectors)
        self._work.spend(4 * numbers, bits)
        standing = self._standing.setdefault(number, {})
        key = tuple(frozenset(vector.items()) for vector in vectors)
        if key not in standing:
            self._work.keep(numbers, bits)
            standing[key] = vectors

    def _following(self, number: int, after: dict[str, int]) -> list[tuple[int, int]]:
        """The actions of the model, each with the number of the node after it."""
        place = f"{self._place}[{number}]"
        self._work.spend(len(after) + len(self._actions))
        self._work.hold(len(self._actions), 0)
        for name, later in after.items():
            if name not in self._actions and name != self._others:
                raise Rejected("holds", f"{place} has {shown(name)}, not an action of the model")
            if not number < later < len(self._tree):
                what = f"not the number of a later node, of which the last is {len(self._tree) - 1}"
                raise Rejected("holds", f"{place}.{shown(name)} is {later}, {what}")
        others = after.get(_OTHERS) if self._others else None
        found: list[tuple[int, int]] = []
        for name, action in self._actions.items():
            given = after.get(name, others)
            if given is None:
                raise Rejected("holds", f"{place} has no node for the action {shown(name)}")
            found.append((action, given))
        return found


def _extent(vectors: Vectors) -> tuple[int, int]:
    """How many numbers two vectors take, and at most how many bits each has."""
    longest = max(size(value) for vector in vectors for value in vector.values())
    return 8 + 2 * (len(vectors[0]) + len(vectors[1])), longest

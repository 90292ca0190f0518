"""The probability of a path formula, by taking its temporal operators out one after the other.

The innermost operator speaks of sets of states only. Whether it holds at a point of a run depends on the
state there and on whether it holds at the next point; so a run that is marked, at each point, with whether
it holds is again a run of a Markov chain, whose states are the old ones in up to two copies, *it holds* and
*it does not* (Courcoubetis and Yannakakis 1995). In that chain the operator is a set of states, and the
next one is innermost. At the end the formula is a set of states, and its probability a sum of weights. For
the bounded until the copies are the numbers of steps that it still takes.

No automaton is built, so nothing is determinised: k operators cost at most 2^k copies of the chain, and
those of probability 0 are never made. An until takes one sparse linear system, solved exactly, component by
component (`bdist.exact.linear`); its solution is all that a certificate needs (SPEC.md).

Unambiguous automata would do with one system for a whole formula, on a larger product; they are what the
tests compare with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from flint import fmpq

from bdist.budget import Budget
from bdist.errors import InternalError, UnsupportedError
from bdist.exact.linear import solve_affine
from bdist.exact.rationals import ONE, ZERO

Row = dict[int, fmpq]
Marks = list[bool]

MOST_STATES = 2_000_000
MOST_ENTRIES = 20_000_000
_NEVER = -1  # the number of steps to something that does not happen in time


@dataclass
class _CurrentChain:
    """A chain of copies: rows, for each copy its weight and the state of the model that it comes from."""

    rows: list[Row]
    weights: list[fmpq]
    origins: list[int]


@dataclass(frozen=True)
class _Copies:
    """For each old state its copies: a kind and a weight; and where they stand in the new chain."""

    of: list[dict[int, fmpq]]
    places: list[dict[int, int]]
    parents: list[int]
    kinds: list[int]


class Eliminator:
    """The current chain, and the sets that the parts of a formula have become."""

    def __init__(self, rows: Sequence[Row], budget: Budget) -> None:
        self.chain = _CurrentChain(list(rows), [ONE] * len(rows), list(range(len(rows))))
        self.sets: list[Marks] = []
        self.solutions: list[list[fmpq]] = []
        self._budget = budget

    def add_set(self, marks: Marks) -> int:
        """Name a set of current states."""
        self.sets.append(marks)
        return len(self.sets) - 1

    def next(self, inside: Marks, last: bool) -> int:
        """Eliminate X; the number of the set that it becomes. After the last operator no rows are made."""
        rows = self.chain.rows
        x = [_total(p for t, p in row.items() if inside[t]) for row in rows]
        copies = _two_copies(x)

        def row_of(r: int, kind: int) -> Row:
            # given that X holds (or not), the next state is inside (or not), and is any copy of itself
            scale = 1 / copies.of[r][kind]
            chosen = {t: p * scale for t, p in rows[r].items() if inside[t] == bool(kind)}
            return _spread(chosen, copies)

        return self._replace(copies, row_of, last, bool)

    def until(self, left: Marks, right: Marks, last: bool) -> int:
        """Eliminate U; its solution is noted."""
        rows = self.chain.rows
        x = self._solution(left, right)
        self.solutions.append(x)
        copies = _two_copies(x)

        def row_of(r: int, kind: int) -> Row:
            if right[r] or not left[r]:  # decided here, so that anything may follow
                return _spread(rows[r], copies)
            # not decided yet: U holds here if and only if it does at the next state
            scale = 1 / copies.of[r][kind]
            return {
                copies.places[t][kind]: p * copies.of[t][kind] * scale
                for t, p in rows[r].items()
                if kind in copies.of[t]
            }

        return self._replace(copies, row_of, last, bool)

    def within(self, bound: int, left: Marks, right: Marks, last: bool) -> int:
        """Eliminate U<=k: copies by the number of steps that are left."""
        rows = self.chain.rows
        layer = [ONE if marked else ZERO for marked in right]
        found: list[dict[int, fmpq]] = [{0: ONE} if marked else {} for marked in right]
        for steps in range(1, bound + 1):
            self._budget.check()
            layer = [
                _total(p * layer[t] for t, p in row.items()) if left[r] and not right[r] else ZERO
                for r, row in enumerate(rows)
            ]
            if not any(layer):
                break
            for r, value in enumerate(layer):
                if value:
                    found[r][steps] = value
        for r, kinds in enumerate(found):
            rest = ONE - _total(kinds.values())
            if rest:
                found[r] = {**kinds, _NEVER: rest}
        copies = _copies(found)

        def row_of(r: int, kind: int) -> Row:
            if right[r] or not left[r]:
                return _spread(rows[r], copies)
            scale = 1 / copies.of[r][kind]
            # one step less is left at the next state; never within k from here is not within k - 1 from there
            wanted = (bound, _NEVER) if kind == _NEVER else (kind - 1,)
            return {
                copies.places[t][after]: p * copies.of[t][after] * scale
                for t, p in rows[r].items()
                for after in wanted
                if after in copies.of[t]
            }

        return self._replace(copies, row_of, last, lambda kind: kind != _NEVER)

    def probabilities(self, marks: Marks, states: int) -> list[fmpq]:
        """For each state of the model the weight of its copies in a set."""
        result = [ZERO] * states
        for origin, weight, marked in zip(self.chain.origins, self.chain.weights, marks, strict=True):
            if marked:
                result[origin] += weight
        return result

    def _solution(self, left: Marks, right: Marks) -> list[fmpq]:
        """The probability of the until from each current state."""
        rows = self.chain.rows
        can = _reaching(rows, left, right)
        unknown = [r for r in range(len(rows)) if can[r] and not right[r]]
        number = {r: k for k, r in enumerate(unknown)}
        self._budget.check()
        solved = solve_affine(
            [{number[t]: p for t, p in rows[r].items() if t in number} for r in unknown],
            [_total(p for t, p in rows[r].items() if right[t]) for r in unknown],
        )
        if solved is None:
            raise InternalError("the system of an until has no unique solution")
        x = [ONE if marked else ZERO for marked in right]
        for r, value in zip(unknown, solved, strict=True):
            x[r] = value
        return x

    def _replace(
        self,
        copies: _Copies,
        row_of: Callable[[int, int], Row],
        last: bool,
        is_marked: Callable[[int], bool],
    ) -> int:
        """Put the copies in place of the states; the number of the set of those that are marked."""
        if len(copies.parents) > MOST_STATES:
            raise UnsupportedError(f"the formula needs more than {MOST_STATES} copies of states")
        rows: list[Row] = []
        entries = 0
        for parent, kind in zip(copies.parents, copies.kinds, strict=True) if not last else ():
            row = row_of(parent, kind)
            entries += len(row)
            rows.append(row)
            if entries > MOST_ENTRIES:
                raise UnsupportedError(f"the formula needs more than {MOST_ENTRIES} transitions of copies")
            if len(rows) % 1024 == 0:
                self._budget.check()
        before = self.chain
        self.chain = _CurrentChain(
            rows,
            [
                before.weights[r] * copies.of[r][kind]
                for r, kind in zip(copies.parents, copies.kinds, strict=True)
            ],
            [before.origins[r] for r in copies.parents],
        )
        self.sets = [[marks[r] for r in copies.parents] for marks in self.sets]
        return self.add_set([is_marked(kind) for kind in copies.kinds])


def _two_copies(x: Sequence[fmpq]) -> _Copies:
    """Where it holds with probability x: copies 1 and 0, of which those of probability 0 are not made."""
    return _copies([{kind: w for kind, w in ((1, value), (0, ONE - value)) if w} for value in x])


def _copies(of: list[dict[int, fmpq]]) -> _Copies:
    places: list[dict[int, int]] = []
    parents: list[int] = []
    kinds: list[int] = []
    for r, weights in enumerate(of):
        places.append({})
        for kind in weights:
            places[-1][kind] = len(parents)
            parents.append(r)
            kinds.append(kind)
    return _Copies(of, places, parents, kinds)


def _spread(row: Row, copies: _Copies) -> Row:
    """A row to states as a row to their copies."""
    return {
        copies.places[t][kind]: p * weight for t, p in row.items() for kind, weight in copies.of[t].items()
    }


def _reaching(rows: Sequence[Row], left: Marks, right: Marks) -> Marks:
    """From which states there is a way to ``right`` through ``left``."""
    before: list[list[int]] = [[] for _ in rows]
    for r, row in enumerate(rows):
        if left[r] and not right[r]:
            for t in row:
                before[t].append(r)
    found = list(right)
    stack = [r for r, marked in enumerate(right) if marked]
    while stack:
        for r in before[stack.pop()]:
            if not found[r]:
                found[r] = True
                stack.append(r)
    return found


def _total(values: Iterable[fmpq]) -> fmpq:
    total = ZERO
    for value in values:
        total += value
    return total

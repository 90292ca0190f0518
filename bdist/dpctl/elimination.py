"""The probability of a path formula on a Markov chain: temporal operators are taken out one after the other.

The innermost operator speaks of sets of states only. Whether it holds at a point of a run depends on the
state there and on whether it holds at the next point; so a run that is marked, at each point, with whether it
holds is again a run of a Markov chain, whose states are the old ones in up to two copies, *it holds* and
*it does not* (Courcoubetis and Yannakakis 1995). In that chain the operator is a set of states, and the next
one is innermost. At the end the formula is a set of states, and its probability a sum of weights. For the
bounded until the copies are the numbers of steps that it still takes.

No automaton is built, so nothing is determinised: k operators cost at most 2^k copies of the chain, and
those of probability 0 are never made. An until takes one sparse linear system, solved exactly, component by
component (`bdist.exact.linear`); its solution is all that a certificate needs (SPEC.md). Unambiguous automata
would do with one system for a whole formula, on a larger product; they are what the tests compare with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from flint import fmpq

from bdist.budget import Budget
from bdist.dpctl.formulas import And, Formula, Next, Not, Until, is_state_formula, operands_of
from bdist.errors import InternalError, UnsupportedError
from bdist.exact.linear import solve_affine
from bdist.exact.rationals import ONE, ZERO

MOST_STATES = 2_000_000
MOST_ENTRIES = 20_000_000

Row = dict[int, fmpq]
Marks = Sequence[bool | None]  # a set of states; in it there is no None
_FAILS = 0  # the kind of the copies where an operator does not hold; in others it does, in several ways

Weights = list[dict[int, fmpq]]  # of each state, by the kinds of its copies; none of them is 0
Follow = Callable[[int, int, int], tuple[int, ...] | None]  # the kinds at t after r and its kind; None: all


def path_probabilities(
    rows: list[Row], formula: Formula, marks_of: Callable[[Formula], Marks], budget: Budget
) -> tuple[list[fmpq], list[list[fmpq]]]:
    """The probability of a formula from each state, and the solutions of its untils, in their order.

    ``marks_of`` gives the states of each maximal state subformula.
    """
    eliminator = _Eliminator(rows, marks_of, budget)
    return eliminator.probabilities(formula), eliminator.solutions


class _Eliminator:
    """The current chain, of copies of the states of a model, and the sets that parts of a formula became.

    A copy has a weight and an origin, the state of the model that it is of. The sets wait on a stack for the
    operator that they belong to. The rows of a chain are made when an operator asks for them, so never after
    the last.
    """

    def __init__(self, rows: list[Row], marks_of: Callable[[Formula], Marks], budget: Budget) -> None:
        """``marks_of`` gives the states of each maximal state subformula."""
        self.solutions: list[list[fmpq]] = []
        self._rows: Callable[[], list[Row]] = lambda: rows
        self._weights = [ONE] * len(rows)
        self._origins = list(range(len(rows)))
        self._stack: list[Marks] = []
        self._marks_of = marks_of
        self._budget = budget

    def probabilities(self, formula: Formula) -> list[fmpq]:
        """The probability of a formula from each state of the model; solutions of untils are noted."""
        result = [ZERO] * len(self._origins)
        self._visit(formula)
        for origin, weight, marked in zip(self._origins, self._weights, self._stack.pop(), strict=True):
            if marked:
                result[origin] += weight
        return result

    def _visit(self, formula: Formula) -> None:
        """Put the set of current states that a formula becomes on the stack."""
        if is_state_formula(formula):
            marks = self._marks_of(formula)
            self._stack.append([marks[origin] for origin in self._origins])
            return
        for inner in operands_of(formula):
            self._visit(inner)
        right = self._stack.pop()
        match formula:
            case Not():
                self._stack.append([not marked for marked in right])
            case And():
                self._stack.append([a and b for a, b in zip(self._stack.pop(), right, strict=True)])
            case Next():
                self._next(right)
            case Until(bound=None):
                self._until(self._stack.pop(), right)
            case Until(bound=int(bound)):
                self._within(bound, self._stack.pop(), right)
            case _:
                raise InternalError(f"{type(formula).__name__} is no path operator")

    def _next(self, inside: Marks) -> None:
        likely = [_total(p for t, p in row.items() if inside[t]) for row in self._rows()]
        # given that X holds (or not), the next state is inside (or not), and is any copy of itself
        self._split(_two_copies(likely), lambda _, kind, t: None if bool(inside[t]) == bool(kind) else ())

    def _until(self, left: Marks, right: Marks) -> None:
        x = until_values(self._rows(), left, right, self._budget)
        self.solutions.append(x)
        # where it is not decided yet, U holds here if and only if it does at the next state
        self._split(_two_copies(x), lambda r, kind, _: (kind,) if left[r] and not right[r] else None)

    def _within(self, bound: int, left: Marks, right: Marks) -> None:
        """Copies by the number of steps that are left, and one."""
        rows = self._rows()
        layer = [ONE if marked else ZERO for marked in right]
        weights: Weights = [{1: ONE} if marked else {} for marked in right]
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
                    weights[r][steps + 1] = value
        for kinds in weights:
            rest = ONE - _total(kinds.values())
            if rest:
                kinds[_FAILS] = rest

        def follow(r: int, kind: int, _: int) -> tuple[int, ...] | None:
            if right[r] or not left[r]:
                return None
            # one step less is left at the next state; not within k from here is not within k - 1 from there
            return (bound + 1, _FAILS) if kind == _FAILS else (kind - 1,)

        self._split(weights, follow)

    def _split(self, weights: Weights, follow: Follow) -> None:
        """Put copies in place of the states, and the set of those where the operator holds on the stack.

        A copy goes to the copies that may follow it, in proportion to their weights.
        """
        old = self._rows()
        parents = [r for r, kinds in enumerate(weights) for _ in kinds]
        marks = [kind for kinds in weights for kind in kinds]
        if len(parents) > MOST_STATES:
            raise UnsupportedError(f"the formula needs more than {MOST_STATES} copies of states")
        numbers = iter(range(len(parents)))
        places = [{kind: next(numbers) for kind in kinds} for kinds in weights]

        def make_rows() -> list[Row]:
            rows: list[Row] = []
            entries = 0
            for r, mark in zip(parents, marks, strict=True):
                row: Row = {}
                for t, p in old[r].items():
                    allowed = follow(r, mark, t)
                    after = weights[t] if allowed is None else [k for k in allowed if k in weights[t]]
                    row.update((places[t][kind], p * weights[t][kind]) for kind in after)
                if any(follow(r, mark, t) is not None for t in old[r]):
                    scale = 1 / weights[r][mark]  # which is what those that may follow have in all
                    row = {place: p * scale for place, p in row.items()}
                rows.append(row)
                entries += len(row)
                if entries > MOST_ENTRIES:
                    raise UnsupportedError(
                        f"the formula needs more than {MOST_ENTRIES} transitions of copies"
                    )
                if len(rows) % 1024 == 0:
                    self._budget.check()
            return rows

        self._rows = cache(make_rows)
        kept = (weight for kinds in weights for weight in kinds.values())
        self._weights = [self._weights[r] * weight for r, weight in zip(parents, kept, strict=True)]
        self._origins = [self._origins[r] for r in parents]
        self._stack = [[inside[r] for r in parents] for inside in self._stack]
        self._stack.append([mark != _FAILS for mark in marks])


def _two_copies(x: Sequence[fmpq]) -> Weights:
    """Where it holds with probability x: copies 1 and 0, of which those of probability 0 are not made."""
    return [{kind: w for kind, w in ((1, value), (_FAILS, ONE - value)) if w} for value in x]


def until_values(rows: Sequence[Row], left: Marks, right: Marks, budget: Budget) -> list[fmpq]:
    """The probability of ``left`` U ``right`` from each state of a chain."""
    can = _reaching(rows, left, right)
    unknown = [r for r in range(len(rows)) if can[r] and not right[r]]
    number = {r: k for k, r in enumerate(unknown)}
    budget.check()
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


def _reaching(rows: Sequence[Row], left: Marks, right: Marks) -> list[bool]:
    """From which states there is a way to ``right`` through ``left``."""
    before: list[list[int]] = [[] for _ in rows]
    for r, row in enumerate(rows):
        if left[r] and not right[r]:
            for t in row:
                before[t].append(r)
    found = [bool(marked) for marked in right]
    stack = [r for r, marked in enumerate(right) if marked]
    while stack:
        for r in before[stack.pop()]:
            if not found[r]:
                found[r] = True
                stack.append(r)
    return found


def _total(values: Iterable[fmpq]) -> fmpq:
    return sum(values, ZERO)

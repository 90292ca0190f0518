"""What is left of a bounded formula after a state, and the graph of all that can be left.

A formula without an unbounded until is decided after finitely many states. After each of them it is replaced
by its *rest*, a formula about what comes then (known as the progression of formulas, Bacchus and Kabanza
2000). A node is a state with the rest after it; all that matters of
the past is in the rest, so the most and the least that schedulers can reach are found from the end backwards,
node by node, and a distribution on nodes is all that a sequence of queries works on.

Rests are simplified a little, so that equal ones are met again: there are few of them (for the words of
length k about k).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import fmpq

from bdist.budget import Budget
from bdist.dpctl.formulas import FALSE, TRUE, And, Formula, Next, Not, Until, is_state_formula, operands_of
from bdist.errors import InternalError, UnsupportedError
from bdist.exact.rationals import ONE, ZERO

MOST_NODES = 1_000_000
_NODES_BETWEEN_CHECKS = 1000

Satisfies = Callable[[Formula, int], bool]
Successors = list[tuple[int, fmpq]]


def is_bounded(formula: Formula) -> bool:
    """Whether a path formula has no unbounded until."""
    if is_state_formula(formula):
        return True
    if isinstance(formula, Until) and formula.bound is None:
        return False
    return all(map(is_bounded, operands_of(formula)))


def _rest_after(formula: Formula, state: int, satisfies: Satisfies) -> Formula:
    """The rest of a bounded formula after a state."""
    if is_state_formula(formula):
        return TRUE if satisfies(formula, state) else FALSE
    if isinstance(formula, Next):
        return formula.inner
    if isinstance(formula, Not):
        return _not(_rest_after(formula.inner, state, satisfies))
    if isinstance(formula, And):
        left = _rest_after(formula.left, state, satisfies)
        return FALSE if left == FALSE else _and(left, _rest_after(formula.right, state, satisfies))
    if isinstance(formula, Until) and formula.bound is not None:
        now = _rest_after(formula.right, state, satisfies)
        if now == TRUE or formula.bound == 0:
            return now
        before = _rest_after(formula.left, state, satisfies)
        # f U<=k g is g now, or f now and f U<=k-1 g from the next state on
        later = _and(before, Until(formula.left, formula.right, formula.bound - 1))
        return _not(_and(_not(now), _not(later)))
    raise InternalError(f"{type(formula).__name__} is not bounded")


def _not(formula: Formula) -> Formula:
    return formula.inner if isinstance(formula, Not) else Not(formula)


def _and(left: Formula, right: Formula) -> Formula:
    if FALSE in (left, right):
        return FALSE
    if left in (TRUE, right):
        return right
    return left if right == TRUE else And(left, right)


@dataclass
class Nodes:
    """Nodes by number: whether each is won, lost or open (None), and where each action leads from it."""

    won: list[bool | None]
    successors: list[list[Successors]]
    starts: dict[int, int]  # the node of each state of the model that was asked for
    high: list[fmpq]
    low: list[fmpq]

    def groups(self, vector: dict[int, fmpq], actions: int) -> list[list[int]]:
        """The actions, those together whose rows are the same wherever the vector is."""
        here = [self.successors[node] for node in vector if self.won[node] is None]
        found: dict[tuple[int, ...], list[int]] = {}
        for action in range(actions):
            found.setdefault(tuple(id(rows[action]) for rows in here), []).append(action)
        return list(found.values())

    def after(self, vector: dict[int, fmpq], action: int) -> dict[int, fmpq]:
        """A vector on nodes after an action: won and lost nodes keep their entries."""
        result: dict[int, fmpq] = {}
        for node, value in vector.items():
            if self.won[node] is not None:
                result[node] = result.get(node, ZERO) + value
                continue
            for target, p in self.successors[node][action]:
                result[target] = result.get(target, ZERO) + value * p
        return {node: value for node, value in result.items() if value}


def nodes_of(
    formula: Formula,
    states: Sequence[int],
    rows: Sequence[Sequence[Successors]],
    satisfies: Satisfies,
    budget: Budget,
) -> Nodes:
    """All nodes that a bounded formula leads to from these states; ``rows[state][action]`` are the moves.

    Raises: UnsupportedError where there are more than MOST_NODES; Stopped.
    """
    number: dict[tuple[int, Formula], int] = {}
    order: list[tuple[int, Formula]] = []

    def node(state: int, before: Formula) -> int:
        key = (state, _rest_after(before, state, satisfies))
        if key not in number:
            number[key] = len(order)
            order.append(key)
            if len(order) > MOST_NODES:
                raise UnsupportedError(f"the formula needs more than {MOST_NODES} nodes")
        return number[key]

    starts = {state: node(state, formula) for state in states}
    won: list[bool | None] = []
    successors: list[list[Successors]] = []
    place = 0
    while place < len(order):
        if place % _NODES_BETWEEN_CHECKS == 0:
            budget.check()
        state, rest = order[place]
        won.append(True if rest == TRUE else False if rest == FALSE else None)
        made: dict[int, Successors] = {}  # rows that are one in the process are one here
        for row in rows[state] if won[-1] is None else ():
            if id(row) not in made:
                made[id(row)] = [(node(t, rest), p) for t, p in row]
        successors.append([made[id(row)] for row in rows[state]] if made else [])
        place += 1
    high, low = _extremes(won, successors)
    return Nodes(won, successors, starts, high, low)


def _extremes(
    won: Sequence[bool | None], successors: Sequence[Sequence[Successors]]
) -> tuple[list[fmpq], list[fmpq]]:
    """The most and the least that can be won from each node, from the end backwards."""
    high: list[fmpq | None] = [None if w is None else ONE if w else ZERO for w in won]
    low = list(high)
    for start in range(len(won)):
        stack = [start]  # in place of recursion: a formula may look 10,000 steps ahead
        while stack:
            node = stack[-1]
            if high[node] is not None:
                stack.pop()
                continue
            waiting = [t for row in successors[node] for t, _ in row if high[t] is None]
            if waiting:
                stack += waiting
                continue
            different = {id(row): row for row in successors[node]}.values()
            high[node] = max(_expected(row, high) for row in different)
            low[node] = min(_expected(row, low) for row in different)
            stack.pop()
    return [x for x in high if x is not None], [x for x in low if x is not None]


def _expected(row: Successors, values: Sequence[fmpq | None]) -> fmpq:
    total = ZERO
    for target, p in row:
        value = values[target]
        if value is None:
            raise InternalError("a value is used before it is known")
        total += p * value
    return total

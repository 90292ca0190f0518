"""A path formula on a Markov decision process: the most and the least probability, and what queries tell.

State formulas inside are sets of states, whatever they say; states and actions are numbers.

**Bounded formulas**, without an unbounded until, are decided after finitely many states. After each of them
the formula is replaced by its *rest*, a formula about what comes then (known as the progression of formulas,
Bacchus and Kabanza 2000). A node is a state with the rest after it; all that matters of the past is in the
rest, so the most and the least that schedulers can reach are found from the end backwards, node by node, and
a distribution on nodes is all that a sequence of queries works on. Rests are simplified a little, so that
equal ones are met again: there are few of them (for the words of length k about k).

*All sequences of queries at once.* A query scheduler takes the same actions from both neighbours. The
difference p_s - a p_t after some actions is a signed vector on nodes, and what can still come of it is at
most its positive part times the most that can be won, and its negative part times the least: so a beginning
of a sequence whose bound is small enough need not be followed. The tree of beginnings that were followed is
the proof (SPEC.md, part II). In most processes many actions do the same at a step; these share a branch. And
different beginnings may lead to the same vector: what follows is looked at once, so the tree is in truth a
graph, and sequences of hundreds of queries, of which there are more than can be listed, may have a short
proof. Without the bound it would be the enumeration of the paper, with as many sequences as actions to the
power of the length.

**An until** of state formulas, and not one, is solved by policy iteration. For the most probability it begins
with choices that lead towards the goal wherever there is a way, and changes a choice only where another is
strictly better; when nothing changes, the values are a solution of the optimality equation that is attained,
so they are the least one, and right. For the least probability the states from which the goal can be avoided
are found first, on the graph, and set to 0; outside of them the solution is unique, so any fixed point will
do. Each round is one sparse linear system, solved exactly (`bdist.exact.linear`). Queries tell two states
apart by one action that is repeated for ever, or it is not known whether they do.

**All other formulas** are an until on a larger process: a node is again a state with the rest after it, and
what is to be reached are the nodes from which the formula can be made almost surely true (`winning`). The
least probability is one minus the most probability of the negation, on the same nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeAlias

from flint import fmpq

from bdist.budget import Budget
from bdist.dpctl.answers import PartClaims, Tree
from bdist.dpctl.elimination import Marks, path_probabilities, until_values
from bdist.dpctl.formulas import (
    FALSE,
    TRUE,
    And,
    Atom,
    Formula,
    Next,
    Not,
    Private,
    Truth,
    Until,
    is_state_formula,
    operands_of,
    text_of,
)
from bdist.dpctl.winning import FALSE as FALSE_REST
from bdist.dpctl.winning import TRUE as TRUE_REST
from bdist.dpctl.winning import Rest, Rests, winning_nodes
from bdist.errors import InternalError, UnsupportedError
from bdist.exact.linear import solve_affine
from bdist.exact.rationals import ONE, ZERO, to_fmpq, to_fraction
from bdist.printing import beginning

_LONGEST_SHOWN = 80
MOST_NODES = 1_000_000
MOST_BRANCHES = 200_000
_NODES_BETWEEN_CHECKS = 1000

Successors = list[tuple[int, fmpq]]
Actions = tuple[int, ...]
Choices = list[int]  # an action for each state
Vector = dict[int, fmpq]  # on nodes
Path: TypeAlias = "BoundedPath | UntilPath | GeneralPath"


@dataclass(frozen=True)
class Moves:
    """A process by numbers: ``rows[state][action]``, and names. Equal rows of a state are one object."""

    rows: Sequence[Sequence[Successors]]
    states: Sequence[str]
    actions: Sequence[str]


def path_on(moves: Moves, formula: Formula, marks_of: Callable[[Formula], Marks], budget: Budget) -> Path:
    """A path formula with its values.

    ``marks_of`` gives the states of each maximal state subformula.
    Raises: UnsupportedError where it needs too many nodes; Stopped.
    """
    budget.check()
    if is_bounded(formula):
        return BoundedPath(moves, formula, marks_of, budget)
    until = formula.inner if isinstance(formula, Not) else formula
    if isinstance(until, Until) and is_state_formula(until.left) and is_state_formula(until.right):
        sides = marks_of(until.left), marks_of(until.right)
        return UntilPath(moves, *sides, budget, negated=until is not formula)
    return GeneralPath(moves, formula, marks_of, budget)


def brief(formula: Formula) -> str:
    """The text of a formula for a message."""
    return beginning(text_of(formula), _LONGEST_SHOWN)


def is_bounded(formula: Formula) -> bool:
    """Whether a path formula has no unbounded until."""
    is_unbounded = isinstance(formula, Until) and formula.bound is None
    return is_state_formula(formula) or (not is_unbounded and all(map(is_bounded, operands_of(formula))))


# --- an until ----------------------------------------------------------------------------------------------


class _EndlessPath:
    """A formula that no number of states need decide; its methods are those of `BoundedPath`."""

    def __init__(self, moves: Moves, budget: Budget) -> None:
        self._moves = moves
        self._budget = budget
        self._known: dict[int, list[fmpq]] = {}

    def _repeated(self, action: int) -> list[fmpq]:
        """The probability from each state where one action is taken always."""
        raise NotImplementedError

    def value(self, state: int, actions: Actions) -> Fraction:
        """The probability where the one action is taken always."""
        action = actions[0]
        if action not in self._known:
            self._known[action] = self._repeated(action)
        return to_fraction(self._known[action][state])

    def completed(self, states: Sequence[int], actions: Actions) -> Actions:
        """The one action."""
        return actions

    def compare(self, formula: Private, first: int, second: int) -> tuple[Tree | None, Actions]:
        """An action that tells the two states apart. Raises: UnsupportedError where none does; Stopped."""
        for action in range(len(self._moves.actions)):
            if not formula.bounds(self.value(first, (action,)), self.value(second, (action,))):
                return None, (action,)
        one, other = self._moves.states[first], self._moves.states[second]
        raise UnsupportedError(
            "the sufficient condition of Proposition 2 fails, and no single query, repeated, tells "
            f"{one} from {other}; in general it is undecidable"
        )


class UntilPath(_EndlessPath):
    """An until of two sets of states, or the negation of one."""

    def __init__(
        self, moves: Moves, left: Marks, right: Marks, budget: Budget, *, negated: bool = False
    ) -> None:
        super().__init__(moves, budget)
        self._left, self._right = left, right
        self._negated = negated

    @cached_property
    def high(self) -> list[fmpq]:
        """The most probability."""
        return [ONE - value for value in self.least[0]] if self._negated else self.most[0]

    @cached_property
    def low(self) -> list[fmpq]:
        """The least."""
        return [ONE - value for value in self.most[0]] if self._negated else self.least[0]

    def proof(
        self, *, high: bool = True, low: bool = True, attained: bool = True, repeated: Collection[int] = ()
    ) -> PartClaims:
        """What proves the values: those of the until itself, and choices of actions that attain them.

        With the solutions where one of the ``repeated`` actions is taken always.
        """
        upper, lower = (low, high) if self._negated else (high, low)
        names = self._moves.actions
        return PartClaims(
            upper=_fractions(self.most[0]) if upper else None,
            lower=_fractions(self.least[0]) if lower else None,
            most=tuple(names[a] for a in self.most[1]) if upper and attained else None,
            least=tuple(names[a] for a in self.least[1]) if lower and attained else None,
            repeated=tuple((names[a], (_fractions(self._solution(a)),)) for a in sorted(repeated)),
        )

    def _repeated(self, action: int) -> list[fmpq]:
        solution = self._solution(action)
        return [ONE - value for value in solution] if self._negated else solution

    def _solution(self, action: int) -> list[fmpq]:
        return self._values([action] * len(self._moves.rows), self._left)

    def _values(self, choices: Choices, left: Marks) -> list[fmpq]:
        """The probability of the until in the chain that these choices make."""
        chain = [dict(self._moves.rows[state][action]) for state, action in enumerate(choices)]
        return until_values(chain, left, self._right, self._budget)

    @cached_property
    def most(self) -> tuple[list[fmpq], Choices]:
        """The most probability of the until from each state, and choices that attain it."""
        return self._improved(self._toward(), self._left, 1)

    @cached_property
    def least(self) -> tuple[list[fmpq], Choices]:
        """The least probability of the until from each state, and choices that attain it."""
        avoiding, choices = self._avoiding_states()
        inside = [marked and not avoided for marked, avoided in zip(self._left, avoiding, strict=True)]
        return self._improved(choices, inside, -1)

    def _improved(self, choices: Choices, left: Marks, sign: int) -> tuple[list[fmpq], Choices]:
        """Policy iteration: choices are changed where another one is strictly better, until none is."""
        while True:
            values, changed = self._values(choices, left), False
            for state, actions in enumerate(self._moves.rows):
                if self._right[state] or not left[state]:
                    continue
                best = values[state]
                for action, row in enumerate(actions):
                    value = _mean(row, values)
                    if (value - best) * sign > 0:
                        best, choices[state], changed = value, action, True
            if not changed:
                return values, choices

    def _avoiding_states(self) -> tuple[list[bool], Choices]:
        """The largest set of states from which the goal can be avoided, and choices that stay in it."""
        inside = [not marked for marked in self._right]
        choices = [0] * len(inside)
        changed = True
        while changed:
            changed = False
            for state, actions in enumerate(self._moves.rows):
                if not inside[state] or not self._left[state]:
                    continue
                stay = next((a for a, row in enumerate(actions) if all(inside[t] for t, _ in row)), None)
                if stay is None:
                    inside[state], changed = False, True
                else:
                    choices[state] = stay
        return inside, choices

    def _toward(self) -> Choices:
        """Choices that come closer to the goal with positive probability, where they can."""
        found = list(self._right)
        choices = [0] * len(found)
        changed = True
        while changed:
            changed = False
            for state, actions in enumerate(self._moves.rows):
                if found[state] or not self._left[state]:
                    continue
                for action, row in enumerate(actions):
                    if any(found[t] for t, _ in row):
                        choices[state], found[state], changed = action, True, True
                        break
        return choices


@dataclass(frozen=True)
class Nodes:
    """The nodes of any formula: a process of states with the rest after them, and which of them are winning.

    They are numbered in the order in which they are met: those of the states, then what follows each node, by
    actions and then by states. ``states`` are the states that they are of. From ``won`` nodes the formula can
    be made almost surely true, and from ``lost`` ones its negation.
    """

    moves: Moves
    states: Sequence[int]
    won: list[bool]
    lost: list[bool]


def nodes_of(moves: Moves, formula: Formula, marks_of: Callable[[Formula], Marks], budget: Budget) -> Nodes:
    """The nodes of a formula. Raises: UnsupportedError where there are too many of them; Stopped."""
    targets = [[sorted({t for t, _ in row}) for row in _different(rows)] for rows in moves.rows]
    rests, opposite = (
        Rests(formula, marks_of, len(moves.rows), negated=negated) for negated in (False, True)
    )
    number: dict[tuple[int, Rest], int] = {}
    order: list[tuple[int, Rest, Rest]] = []

    def node(state: int, before: Rest, negated: Rest) -> int:
        key = (state, rests.after(before, rests.letters[state]))
        if key not in number:
            number[key] = len(order)
            order.append((*key, opposite.after(negated, opposite.letters[state])))
            if len(order) > MOST_NODES:
                raise UnsupportedError(f"the formula needs more than {MOST_NODES} nodes")
        return number[key]

    for state in range(len(moves.rows)):
        node(state, rests.formula, opposite.formula)
    made_rows: list[list[Successors]] = []
    for place, (state, rest, negated) in enumerate(order):  # which grows meanwhile
        if place % _NODES_BETWEEN_CHECKS == 0:
            budget.check()
        rows = moves.rows[state]
        if rest in (TRUE_REST, FALSE_REST):  # decided: what comes does not matter
            made_rows.append([[(place, ONE)]] * len(rows))
            continue
        made: dict[int, Successors] = {}  # rows that are one in the process are one here
        for row in rows:
            if id(row) not in made:
                made[id(row)] = [(node(t, rest, negated), p) for t, p in sorted(row)]
        made_rows.append([made[id(row)] for row in rows])
    won = winning_nodes(rests, targets.__getitem__, budget)
    lost = winning_nodes(opposite, targets.__getitem__, budget)
    return Nodes(
        Moves(made_rows, [moves.states[state] for state, _, _ in order], moves.actions),
        [state for state, _, _ in order],
        [(state, rest) in won for state, rest, _ in order],
        [(state, rest) in lost for state, _, rest in order],
    )


class GeneralPath(_EndlessPath):
    """Any formula, as an until on its nodes."""

    def __init__(
        self, moves: Moves, formula: Formula, marks_of: Callable[[Formula], Marks], budget: Budget
    ) -> None:
        """Raises: UnsupportedError where there are too many nodes or operators; Stopped."""
        super().__init__(moves, budget)
        self._formula, self._marks_of = formula, marks_of
        nodes = nodes_of(moves, formula, marks_of, budget)
        everywhere = [True] * len(nodes.states)
        self._won, self._lost = (
            UntilPath(nodes.moves, everywhere, goal, budget) for goal in (nodes.won, nodes.lost)
        )

    @cached_property
    def high(self) -> list[fmpq]:
        """The most probability from each state, over all schedulers."""
        return self._won.high[: len(self._moves.rows)]

    @cached_property
    def low(self) -> list[fmpq]:
        """The least."""
        return [ONE - value for value in self._lost.high[: len(self._moves.rows)]]

    def proof(
        self, *, high: bool = True, low: bool = True, attained: bool = True, repeated: Collection[int] = ()
    ) -> PartClaims:
        """What proves the values: those of all nodes, and choices of actions that attain them.

        With the solutions of the chains where one of the ``repeated`` actions is taken always.
        """
        names = self._moves.actions
        least = [ONE - value for value in self._lost.high] if low else []
        return PartClaims(
            upper=_fractions(self._won.high) if high else None,
            lower=_fractions(least) if low else None,
            most=tuple(names[a] for a in self._won.most[1]) if high and attained else None,
            least=tuple(names[a] for a in self._lost.most[1]) if low and attained else None,
            repeated=tuple((names[a], tuple(map(_fractions, self._chain(a)[1]))) for a in sorted(repeated)),
        )

    def _repeated(self, action: int) -> list[fmpq]:
        return self._chain(action)[0]

    def _chain(self, action: int) -> tuple[list[fmpq], list[list[fmpq]]]:
        """The probabilities where one action is taken always, and the solutions that they come from."""
        rows = [dict(by_action[action]) for by_action in self._moves.rows]
        return path_probabilities(rows, self._formula, self._marks_of, self._budget)


def _different(rows: Sequence[Successors]) -> list[Successors]:
    """The rows of a state, those that actions share once."""
    return list({id(row): row for row in rows}.values())


def never_exceeded(moves: Moves, values: Sequence[fmpq], budget: Budget) -> list[fmpq]:
    """The least numbers that are at least these, and at least the mean of them after every action.

    They are what can be had by stopping at the right time (Snell's envelope), and are found by policy
    iteration: nobody goes on at first, and wherever going on is strictly better, it is done. No states can
    come to lead into each other only: the best of them would not have gained by going on.
    """
    chosen: dict[int, Successors] = {}
    found = list(values)
    while True:
        budget.check()
        changed = False
        for state, rows in enumerate(moves.rows):
            best = found[state]
            for row in _different(rows):
                mean = _mean(row, found)
                if mean > best:
                    best, chosen[state], changed = mean, row, True
        if not changed:
            return found
        going = list(chosen)
        number = {state: k for k, state in enumerate(going)}
        solved = solve_affine(
            [{number[t]: p for t, p in chosen[state] if t in number} for state in going],
            [sum((p * values[t] for t, p in chosen[state] if t not in number), ZERO) for state in going],
        )
        if solved is None:
            raise InternalError("states go on for ever, and none of them gains by it")
        for state, value in zip(going, solved, strict=True):
            found[state] = value


def _mean(row: Successors, values: Sequence[fmpq]) -> fmpq:
    return sum((p * values[target] for target, p in row), ZERO)


def _fractions(values: Sequence[fmpq]) -> tuple[Fraction, ...]:
    return tuple(map(to_fraction, values))


# --- bounded formulas --------------------------------------------------------------------------------------


class BoundedPath:
    """A bounded formula, with all nodes that it leads to.

    Nodes are numbers. Each is won, lost or open (None), and an open one has a row for each action.
    """

    def __init__(
        self, moves: Moves, formula: Formula, marks_of: Callable[[Formula], Marks], budget: Budget
    ) -> None:
        """Raises: UnsupportedError where there are more than MOST_NODES; Stopped."""
        self.moves = moves
        self.budget = budget
        self.won: list[bool | None] = []
        self.successors: list[list[Successors]] = []
        sets: dict[tuple[bool | None, ...], int] = {}
        abstract = _with_sets(formula, marks_of, sets)
        self.starts = self._make_nodes(abstract, list(sets))  # the node of each state
        self.most, self.least = self._extremes()  # that can be won from each node

    @cached_property
    def high(self) -> list[fmpq]:
        """The most probability from each state, over all schedulers."""
        return [self.most[node] for node in self.starts]

    @cached_property
    def low(self) -> list[fmpq]:
        """The least."""
        return [self.least[node] for node in self.starts]

    def proof(self, **_wanted: object) -> PartClaims:
        """What a certificate says of these values: nothing, as the checker finds the nodes itself."""
        return PartClaims()

    def value(self, state: int, actions: Actions) -> Fraction:
        """The probability from a state with these actions. Requires: they decide the formula."""
        vector = {self.starts[state]: ONE}
        for action in actions:
            vector = self.after(vector, action)
        return to_fraction(sum((value for node, value in vector.items() if self.won[node]), ZERO))

    def completed(self, states: Sequence[int], actions: Actions) -> Actions:
        """The actions as far as it takes to decide the formula from these states, and others if need be."""
        vector = dict.fromkeys((self.starts[state] for state in states), ONE)
        done: list[int] = []
        while not self.is_over(vector):
            done.append(actions[len(done)] if len(done) < len(actions) else 0)
            vector = self.after(vector, done[-1])
        return tuple(done)

    def compare(self, formula: Private, first: int, second: int) -> tuple[Tree | None, Actions]:
        """A proof that with no actions p is more than e^epsilon p' + delta; or None, and actions that may.

        They do with a rational just below e^epsilon.
        Raises: UnsupportedError where the sequences branch too much; Stopped.
        """
        factor = to_fmpq(formula.epsilon.alpha_down())
        search = _QuerySearch(self, factor, to_fmpq(formula.delta), until_one_is_found=True)
        tree, actions = search.run(self.starts[first], self.starts[second])
        return (tree, ()) if actions is None else (None, actions)

    def largest(self, first: int, second: int, factor: fmpq, least: fmpq) -> Actions | None:
        """The actions with the largest p - factor p', if that is above a number. Raises: as `compare`."""
        search = _QuerySearch(self, factor, least, until_one_is_found=False)
        found = search.run(self.starts[first], self.starts[second])[1]
        return None if found is None else self.completed((first, second), found)

    def groups(self, vector: Vector) -> list[list[int]]:
        """The actions, those together whose rows are the same wherever the vector is."""
        here = [self.successors[node] for node in vector if self.won[node] is None]
        found: dict[Actions, list[int]] = {}
        for action in range(len(self.moves.actions)):
            found.setdefault(tuple(id(rows[action]) for rows in here), []).append(action)
        return list(found.values())

    def after(self, vector: Vector, action: int) -> Vector:
        """A vector on nodes after an action: won and lost nodes keep their entries."""
        result: Vector = {}
        for node, value in vector.items():
            if self.won[node] is not None:
                result[node] = result.get(node, ZERO) + value
                continue
            for target, p in self.successors[node][action]:
                result[target] = result.get(target, ZERO) + value * p
        return {node: value for node, value in result.items() if value}

    def is_over(self, vector: Vector) -> bool:
        """Whether the formula is decided wherever the vector is."""
        return all(self.won[node] is not None for node in vector)

    def _make_nodes(self, formula: Formula, sets: Sequence[Marks]) -> list[int]:
        number: dict[tuple[int, Formula], int] = {}
        order: list[tuple[int, Formula]] = []

        def node(state: int, before: Formula) -> int:
            key = (state, _rest_after(before, state, sets))
            if key not in number:
                number[key] = len(order)
                order.append(key)
                if len(order) > MOST_NODES:
                    raise UnsupportedError(f"the formula needs more than {MOST_NODES} nodes")
            return number[key]

        starts = [node(state, formula) for state in range(len(self.moves.rows))]
        for place, (state, rest) in enumerate(order):  # which grows meanwhile
            if place % _NODES_BETWEEN_CHECKS == 0:
                self.budget.check()
            self.won.append(True if rest == TRUE else False if rest == FALSE else None)
            rows = self.moves.rows[state] if self.won[-1] is None else ()
            made: dict[int, Successors] = {}  # rows that are one in the process are one here
            for row in rows:
                if id(row) not in made:
                    made[id(row)] = [(node(t, rest), p) for t, p in row]
            self.successors.append([made[id(row)] for row in rows])
        return starts

    def _extremes(self) -> tuple[list[fmpq], list[fmpq]]:
        """The most and the least that can be won from each node, from the end backwards."""
        high = [ONE if won else ZERO for won in self.won]
        low = list(high)
        is_known = [won is not None for won in self.won]
        for start in range(len(self.won)):
            stack = [start]  # in place of recursion: a formula may look 10,000 steps ahead
            while stack:
                node = stack[-1]
                waiting = [t for row in self.successors[node] for t, _ in row if not is_known[t]]
                if is_known[node] or not waiting:
                    stack.pop()
                else:
                    stack += waiting
                if not is_known[node] and not waiting:
                    different = {id(row): row for row in self.successors[node]}.values()
                    high[node] = max(_mean(row, high) for row in different)
                    low[node] = min(_mean(row, low) for row in different)
                    is_known[node] = True
        return high, low


def _with_sets(
    formula: Formula, marks_of: Callable[[Formula], Marks], sets: dict[tuple[bool | None, ...], int]
) -> Formula:
    """A bounded formula whose maximal state subformulas are propositions, the numbers of sets."""
    if is_state_formula(formula):
        marks = tuple(marks_of(formula))
        if all(marks):
            return TRUE
        return Atom(str(sets.setdefault(marks, len(sets)))) if any(marks) else FALSE
    operands = [_with_sets(inner, marks_of, sets) for inner in operands_of(formula)]
    if isinstance(formula, Until):
        return Until(operands[0], operands[1], formula.bound)
    return (And if isinstance(formula, And) else Not if isinstance(formula, Not) else Next)(*operands)


def _rest_after(formula: Formula, state: int, sets: Sequence[Marks]) -> Formula:
    """The rest of a bounded formula after a state."""
    match formula:
        case Truth():
            return TRUE
        case Atom(name):
            return TRUE if sets[int(name)][state] else FALSE
        case Next(inner):
            return inner
        case Not(inner):
            return _not(_rest_after(inner, state, sets))
        case And(left, right):
            now = _rest_after(left, state, sets)
            return FALSE if now == FALSE else _and(now, _rest_after(right, state, sets))
        case Until(left, right, int(bound)):
            now = _rest_after(right, state, sets)
            if now == TRUE or bound == 0:
                return now
            # f U<=k g is g now, or f now and f U<=k-1 g from the next state on
            later = _and(_rest_after(left, state, sets), Until(left, right, bound - 1))
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


# --- all sequences of queries ------------------------------------------------------------------------------

_Key = frozenset[tuple[int, str]]
_LEAF = 0  # among the finished nodes


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

    def settle(self, number: int) -> None:
        """Note which node follows after the actions that were looked at last."""
        for action in self.waiting.pop().actions:
            self.after[action] = number


class _QuerySearch:
    """The sequences of actions from two nodes, at a factor for the second, by branch and bound.

    A difference above ``most`` is sought, and then the largest one, unless one is enough.
    """

    def __init__(self, path: BoundedPath, factor: fmpq, most: fmpq, *, until_one_is_found: bool) -> None:
        self._path = path
        self._factor = factor
        self._most = most
        self._one_is_enough = until_one_is_found
        self._branches = 0

    def run(self, first: int, second: int) -> tuple[Tree, Actions | None]:
        """A sequence with such a difference; where there is none, the tree is the proof.

        Raises: UnsupportedError where there are too many beginnings to follow; Stopped.
        """
        finished: list[dict[int, int] | None] = [None]  # those that come later in the tree come first here
        known: dict[_Key, int] = {}
        told: Actions | None = None
        frames = [self._root(first, second)]
        while frames[0].waiting:
            frame = frames[-1]
            if not frame.waiting:
                # all that can follow this beginning is looked at: it is a node of the tree
                frames.pop()
                known[frame.key] = len(finished)
                frames[-1].settle(len(finished))
                finished.append(frame.after)
                continue
            child = frame.waiting[-1]
            # a leaf where the bound suffices, or a node that another beginning has led to before
            number = _LEAF if child.bound <= self._most else known.get(child.key)
            if number is None and self._path.is_over(child.vector):
                # nothing is open any more, so the bound is the difference, and it is too large
                told = tuple(above.waiting[-1].actions[0] for above in frames[1:])
                if self._one_is_enough:
                    break
                self._most, number = child.bound, _LEAF
            if number is None:
                frames.append(_Frame(child.key, self._children(child.vector)))
            else:
                frame.settle(number)
        return self._tree(finished), told

    def _root(self, first: int, second: int) -> _Frame:
        """A frame above the root, with the root as the only thing to look at."""
        vector = {first: ONE}
        vector[second] = vector.get(second, ZERO) - self._factor
        vector = {node: value for node, value in vector.items() if value}
        return _Frame(frozenset(), [_Child([], vector, _key(vector), self._bound(vector))])

    def _children(self, vector: Vector) -> list[_Child]:
        """The vectors after each action, those actions together that do the same; the largest bound last."""
        self._path.budget.check()
        found: dict[_Key, _Child] = {}
        for actions in self._path.groups(vector):
            child = self._path.after(vector, actions[0])
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
        most, least = self._path.most, self._path.least
        return sum((v * (most[node] if v > 0 else least[node]) for node, v in vector.items()), ZERO)

    def _tree(self, finished: list[dict[int, int] | None]) -> Tree:
        """The nodes in an order in which later ones follow: a node is finished after those that follow it."""
        last, actions = len(finished) - 1, self._path.moves.actions
        if last == _LEAF:
            return (None,)
        return tuple(
            None if node is None else _by_name({a: last - number for a, number in node.items()}, actions)
            for node in reversed(finished)
        )


def _key(vector: Vector) -> _Key:
    """What two vectors have in common if they are equal; the hash of an fmpq takes longer than its text."""
    return frozenset((node, str(value)) for node, value in vector.items())


def _by_name(node: dict[int, int], actions: Sequence[str]) -> dict[str, int]:
    """A node by the names of actions; what most actions have in common stands once, under *."""
    ((common, times),) = Counter(node.values()).most_common(1)
    is_short = times > 1 and "*" not in actions
    named = {actions[a]: n for a, n in sorted(node.items()) if not is_short or n != common}
    return {**named, "*": common} if is_short else named

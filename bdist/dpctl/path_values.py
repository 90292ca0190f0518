"""A path formula on a Markov decision process: its most and its least probability, from every state.

Bounded formulas have nodes (`progression`), on which sequences of queries act. An until is solved by policy
iteration. For the most probability it begins with choices that lead towards the goal wherever there is a way,
and changes a choice only where another is strictly better; when nothing changes, the values are a solution of
the optimality equation that is attained, so they are the least one, and right. For the least probability the
states from which the goal can be avoided are found first, on the graph, and set to 0; outside of them the
solution is unique, so any fixed point will do. Each round is one sparse linear system, solved exactly
(`bdist.exact.linear`).

State formulas inside are sets of states here, whatever they say. States and actions are numbered in the order
of their names, as in a certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from flint import fmpq

from bdist.budget import Budget
from bdist.chains.formats.propositions import propositions_of
from bdist.dpctl.elimination import Eliminator, Marks
from bdist.dpctl.formulas import And, Atom, Formula, Next, Not, Truth, Until, is_state_formula
from bdist.dpctl.mdp import MarkovDecisionProcess, Row
from bdist.dpctl.progression import Nodes, Successors, is_bounded, nodes_of
from bdist.errors import InternalError
from bdist.exact.rationals import ONE, ZERO, to_fmpq

Pairs = Iterable[tuple[str, str]]
Rows = Sequence[Sequence[Successors]]
Choices = list[int]


class NumberedProcess:
    """A process with neighbours, by numbers: ``rows[state][action]``; equal rows of a state are one."""

    def __init__(self, process: MarkovDecisionProcess, pairs: Pairs) -> None:
        """Raises: ParameterError where a pair names a state that is none."""
        self.names = sorted(process.states)
        self.actions = tuple(sorted(process.actions))
        self.number = {name: k for k, name in enumerate(self.names)}
        order = [process.actions.index(action) for action in self.actions]
        places = [process.index(name) for name in self.names]
        known = {label: frozenset(propositions_of(label)) for label in set(process.labels)}
        self.propositions = [known[process.labels[place]] for place in places]
        self.rows: list[list[Successors]] = []
        for place in places:
            made: dict[Row, Successors] = {}  # actions that do the same have one row, not two that are equal
            for row in process.rows[place]:
                if row not in made:
                    made[row] = [(self.number[process.states[t]], to_fmpq(p)) for t, p in row]
            self.rows.append([made[process.rows[place][action]] for action in order])
        kept: dict[frozenset[str], tuple[str, str]] = {}
        for s, t in pairs:
            process.index(s), process.index(t)
            if s != t:
                kept.setdefault(frozenset((s, t)), (s, t))
        self.pairs = tuple(kept.values())
        self.neighbours: list[list[int]] = [[] for _ in self.names]
        for s, t in self.pairs:
            self.neighbours[self.number[s]].append(self.number[t])
            self.neighbours[self.number[t]].append(self.number[s])


def has_values(formula: Formula) -> bool:
    """Whether a path formula is of a form that `PathValues` knows: bounded, or an until, or not that."""
    return is_bounded(formula) or _until_of(formula) is not None


class PathValues:
    """A path formula on a process: the most and the least probability, and nodes where it is bounded."""

    def __init__(
        self,
        process: NumberedProcess,
        formula: Formula,
        marks_of: Callable[[Formula], Marks],
        budget: Budget,
    ) -> None:
        """``marks_of`` gives the states of each maximal state subformula.

        Requires: `has_values`.
        Raises: UnsupportedError where it needs too many nodes; Stopped.
        """
        self.process = process
        self._budget = budget
        self._repeated: dict[int, list[fmpq]] = {}
        self.nodes: Nodes | None = None
        self.negated = False
        until = _until_of(formula)
        if until is not None:
            self.negated = isinstance(formula, Not)
            self._left, self._right = marks_of(until.left), marks_of(until.right)
            return
        sets: dict[tuple[bool, ...], int] = {}
        abstract = _with_sets(formula, marks_of, sets)
        listed = list(sets)

        def satisfies(part: Formula, state: int) -> bool:
            return _satisfies(part, state, listed)

        self.nodes = nodes_of(abstract, range(len(process.names)), process.rows, satisfies, budget)

    @cached_property
    def _most(self) -> tuple[list[fmpq], Choices]:
        return _largest_until(self.process.rows, self._left, self._right, self._budget)

    @cached_property
    def _least(self) -> tuple[list[fmpq], Choices]:
        return _least_until(self.process.rows, self._left, self._right, self._budget)

    @property
    def upper(self) -> list[fmpq]:
        """The most probability of the until from each state. Requires: it is one."""
        return self._most[0]

    @property
    def lower(self) -> list[fmpq]:
        """The least probability of the until from each state."""
        return self._least[0]

    @property
    def most(self) -> tuple[str, ...]:
        """Actions, one for each state, that attain `upper`."""
        return tuple(self.process.actions[a] for a in self._most[1])

    @property
    def least(self) -> tuple[str, ...]:
        """Actions, one for each state, that attain `lower`."""
        return tuple(self.process.actions[a] for a in self._least[1])

    @cached_property
    def high(self) -> list[fmpq]:
        """The most probability of the formula from each state, over all schedulers."""
        if self.nodes is not None:
            return [self.nodes.high[self.nodes.starts[s]] for s in range(len(self.process.names))]
        return [ONE - value for value in self.lower] if self.negated else self.upper

    @cached_property
    def low(self) -> list[fmpq]:
        """The least."""
        if self.nodes is not None:
            return [self.nodes.low[self.nodes.starts[s]] for s in range(len(self.process.names))]
        return [ONE - value for value in self.upper] if self.negated else self.lower

    def bounded_nodes(self) -> Nodes:
        """The nodes. Requires: the formula is bounded."""
        if self.nodes is None:
            raise InternalError("only bounded formulas have nodes")
        return self.nodes

    def completed(self, states: Sequence[int], actions: Sequence[int]) -> tuple[int, ...]:
        """A sequence of actions that goes on until a bounded formula is decided from these states."""
        nodes = self.bounded_nodes()
        vector = dict.fromkeys((nodes.starts[state] for state in states), ONE)
        done: list[int] = []
        while any(nodes.won[node] is None for node in vector):
            done.append(actions[len(done)] if len(done) < len(actions) else 0)
            vector = nodes.after(vector, done[-1])
        return tuple(done)

    def won(self, state: int, actions: Sequence[int]) -> fmpq:
        """The probability of a bounded formula under a sequence of actions."""
        nodes = self.bounded_nodes()
        vector = {nodes.starts[state]: ONE}
        for action in actions:
            vector = nodes.after(vector, action)
        return sum((value for node, value in vector.items() if nodes.won[node]), ZERO)

    def repeated(self, action: int) -> list[fmpq]:
        """The solution of the until where one action is taken always."""
        if action not in self._repeated:
            rows = self.process.rows
            solution = _until_in(rows, [action] * len(rows), self._left, self._right, self._budget)
            self._repeated[action] = solution
        return self._repeated[action]

    def value_repeated(self, action: int, state: int) -> fmpq:
        """The probability of the formula, an until or not one, where one action is taken always."""
        value = self.repeated(action)[state]
        return ONE - value if self.negated else value


def _until_in(rows: Rows, choices: Sequence[int], left: Marks, right: Marks, budget: Budget) -> list[fmpq]:
    """The probability of the until in the chain that these choices make."""
    chain = [dict(rows[state][action]) for state, action in enumerate(choices)]
    eliminator = Eliminator(chain, budget)
    eliminator.until(left, right, last=True)
    return eliminator.solutions[0]


def _largest_until(rows: Rows, left: Marks, right: Marks, budget: Budget) -> tuple[list[fmpq], Choices]:
    """The most probability from each state, and choices that attain it."""
    choices = _toward(rows, left, right)
    while True:
        values = _until_in(rows, choices, left, right, budget)
        if not _improve(rows, choices, values, left, right, 1):
            return values, choices


def _least_until(rows: Rows, left: Marks, right: Marks, budget: Budget) -> tuple[list[fmpq], Choices]:
    """The least probability from each state, and choices that attain it."""
    avoiding, choices = _avoiding_states(rows, left, right)
    inside = [marked and not avoided for marked, avoided in zip(left, avoiding, strict=True)]
    while True:
        values = _until_in(rows, choices, inside, right, budget)
        if not _improve(rows, choices, values, inside, right, -1):
            return values, choices


def _avoiding_states(rows: Rows, left: Marks, right: Marks) -> tuple[Marks, Choices]:
    """The largest set of states from which ``right`` can be avoided, and choices that stay in it."""
    inside = [not marked for marked in right]
    choices = [0] * len(rows)
    changed = True
    while changed:
        changed = False
        for state, actions in enumerate(rows):
            if not inside[state] or not left[state]:
                continue
            stay = next((a for a, row in enumerate(actions) if all(inside[t] for t, _ in row)), None)
            if stay is None:
                inside[state], changed = False, True
            else:
                choices[state] = stay
    return inside, choices


def _toward(rows: Rows, left: Marks, right: Marks) -> Choices:
    """Choices that come closer to ``right`` through ``left`` with positive probability, where they can."""
    choices = [0] * len(rows)
    found = list(right)
    changed = True
    while changed:
        changed = False
        for state, actions in enumerate(rows):
            if found[state] or not left[state]:
                continue
            for action, row in enumerate(actions):
                if any(found[t] for t, _ in row):
                    choices[state], found[state], changed = action, True, True
                    break
    return choices


def _improve(rows: Rows, choices: Choices, values: list[fmpq], left: Marks, right: Marks, sign: int) -> bool:
    """Change choices where another one is strictly better; whether one was changed."""
    changed = False
    for state, actions in enumerate(rows):
        if right[state] or not left[state]:
            continue
        best = values[state]
        for action, row in enumerate(actions):
            value = ZERO
            for target, p in row:
                value += p * values[target]
            if (value - best) * sign > 0:
                best, choices[state], changed = value, action, True
    return changed


def _until_of(formula: Formula) -> Until | None:
    """The until of state formulas that a formula is, or that it is not of."""
    until = formula.inner if isinstance(formula, Not) else formula
    if not isinstance(until, Until) or until.bound is not None:
        return None
    return until if is_state_formula(until.left) and is_state_formula(until.right) else None


def _with_sets(
    formula: Formula, marks_of: Callable[[Formula], Marks], sets: dict[tuple[bool, ...], int]
) -> Formula:
    """A bounded formula whose maximal state subformulas are propositions, the numbers of sets."""
    if is_state_formula(formula):
        marks = tuple(marks_of(formula))
        if all(marks):
            return Truth()
        return Atom(str(sets.setdefault(marks, len(sets)))) if any(marks) else Not(Truth())
    if isinstance(formula, Not):
        return Not(_with_sets(formula.inner, marks_of, sets))
    if isinstance(formula, Next):
        return Next(_with_sets(formula.inner, marks_of, sets))
    if isinstance(formula, And | Until):
        left, right = (_with_sets(side, marks_of, sets) for side in (formula.left, formula.right))
        return And(left, right) if isinstance(formula, And) else Until(left, right, formula.bound)
    raise InternalError(f"{type(formula).__name__} is no path operator")


def _satisfies(formula: Formula, state: int, sets: Sequence[tuple[bool, ...]]) -> bool:
    if isinstance(formula, Truth):
        return True
    if isinstance(formula, Atom):
        return sets[int(formula.name)][state]
    if isinstance(formula, Not):
        return not _satisfies(formula.inner, state, sets)
    if isinstance(formula, And):
        return _satisfies(formula.left, state, sets) and _satisfies(formula.right, state, sets)
    raise InternalError(f"{type(formula).__name__} is no set of states")

"""A path formula on a Markov decision process: its most and its least probability, from every state.

Bounded formulas have nodes (`rests`), on which sequences of queries act; an until has the values of policy
iteration (`reachability`). State formulas inside are sets of states here, whatever they say. States and
actions are numbered in the order of their names, as in a certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from flint import fmpq

from bdist.budget import Budget
from bdist.chains.formats.propositions import propositions_of
from bdist.dpctl.elimination import Marks
from bdist.dpctl.formulas import And, Atom, Formula, Next, Not, Truth, Until, is_state_formula
from bdist.dpctl.mdp import MarkovDecisionProcess, Row
from bdist.dpctl.reachability import Choices, complement, largest_until, least_until, until_in
from bdist.dpctl.rests import Nodes, Successors, is_bounded, nodes_of
from bdist.errors import InternalError
from bdist.exact.fast import ONE, ZERO, fast

Pairs = Iterable[tuple[str, str]]


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
                    made[row] = [(self.number[process.states[t]], fast(p)) for t, p in row]
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
        return largest_until(self.process.rows, self._left, self._right, self._budget)

    @cached_property
    def _least(self) -> tuple[list[fmpq], Choices]:
        return least_until(self.process.rows, self._left, self._right, self._budget)

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
        return complement(self.lower) if self.negated else self.upper

    @cached_property
    def low(self) -> list[fmpq]:
        """The least."""
        if self.nodes is not None:
            return [self.nodes.low[self.nodes.starts[s]] for s in range(len(self.process.names))]
        return complement(self.upper) if self.negated else self.lower

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
            solution = until_in(rows, [action] * len(rows), self._left, self._right, self._budget)
            self._repeated[action] = solution
        return self._repeated[action]

    def value_repeated(self, action: int, state: int) -> fmpq:
        """The probability of the formula, an until or not one, where one action is taken always."""
        value = self.repeated(action)[state]
        return ONE - value if self.negated else value


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

"""Which states satisfy a formula: sets of states from the inside out, with what a certificate needs.

A state formula becomes a set of states. P and D need the probabilities of a path formula from every state
(`elimination`), and D compares those of neighbours: p <= e^epsilon p' + delta, decided exactly for a
rational epsilon as well (`bdist.exact.epsilon`). Subformulas are evaluated in the order of SPEC-DPCTL,
since that is the order in which a certificate lists the solutions of their linear systems; equal ones are
computed once and listed as often as they occur.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import fmpq

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats.propositions import propositions_of
from bdist.dpctl.elimination import Eliminator, Marks
from bdist.dpctl.formulas import (
    And,
    Atom,
    Comparison,
    Formula,
    Next,
    Not,
    Private,
    Probability,
    Truth,
    Until,
    is_state_formula,
)
from bdist.errors import InternalError
from bdist.exact.epsilon import Epsilon
from bdist.exact.fast import fast, slow

Solutions = tuple[tuple[fmpq, ...], ...]


@dataclass(frozen=True)
class Evaluated:
    """What a formula has become: a set, or probabilities, by number; and the solutions it took, in order."""

    marks: Marks
    values: tuple[Fraction, ...] | None
    solutions: Solutions


class Evaluator:
    """A chain with neighbours; states are numbered in the order of their names."""

    def __init__(self, chain: LabelledMarkovChain, pairs: Iterable[tuple[str, str]], budget: Budget) -> None:
        self.names = sorted(chain.states)
        self._chain = chain
        self._budget = budget
        self._number = {name: number for number, name in enumerate(self.names)}
        self._neighbours: list[list[int]] = [[] for _ in self.names]
        for s, t in pairs:
            i, j = self._number[s], self._number[t]
            if i != j:
                self._neighbours[i].append(j)
                self._neighbours[j].append(i)
        self._known: dict[tuple[Formula, bool], Evaluated] = {}

    @cached_property
    def _rows(self) -> list[dict[int, fmpq]]:
        numbers = [self._number[name] for name in self._chain.states]
        rows: list[dict[int, fmpq]] = [{} for _ in self.names]
        for state, row in enumerate(self._chain.rows):
            rows[numbers[state]] = {numbers[t]: fast(p) for t, p in row}
        return rows

    @cached_property
    def _propositions(self) -> list[frozenset[str]]:
        known: dict[str, frozenset[str]] = {}
        result = []
        for name in self.names:
            label = self._chain.label(name)
            if label not in known:
                known[label] = frozenset(propositions_of(label))
            result.append(known[label])
        return result

    def neighbours_of(self, state: int) -> Sequence[int]:
        """The other states that a state is a neighbour of."""
        return self._neighbours[state]

    def states_of(self, formula: Formula) -> Evaluated:
        """The states that satisfy a state formula."""
        key = (formula, False)
        if key not in self._known:
            self._known[key] = self._state_set(formula)
        return self._known[key]

    def probabilities_of(self, formula: Formula) -> Evaluated:
        """The probability of a path formula from every state."""
        key = (formula, True)
        if key not in self._known:
            self._known[key] = self._path_values(formula)
        return self._known[key]

    def _state_set(self, formula: Formula) -> Evaluated:
        if isinstance(formula, Truth):
            return Evaluated([True] * len(self.names), None, ())
        if isinstance(formula, Atom):
            return Evaluated([formula.name in there for there in self._propositions], None, ())
        if isinstance(formula, Not):
            inner = self.states_of(formula.inner)
            return Evaluated([not marked for marked in inner.marks], None, inner.solutions)
        if isinstance(formula, And):
            left, right = self.states_of(formula.left), self.states_of(formula.right)
            both = [a and b for a, b in zip(left.marks, right.marks, strict=True)]
            return Evaluated(both, None, left.solutions + right.solutions)
        if isinstance(formula, Probability | Private):
            inner = self.probabilities_of(formula.inner)
            values = inner.values or ()
            if isinstance(formula, Probability):
                marks = [compares(value, formula.comparison, formula.bound) for value in values]
            else:
                marks = [self.offender(formula, values, state) is None for state in range(len(values))]
            return Evaluated(marks, inner.values, inner.solutions)
        raise InternalError(f"{type(formula).__name__} is no state formula")

    def offender(self, formula: Private, values: Sequence[Fraction], state: int) -> int | None:
        """A neighbour whose probability is too far from that of a state; None where there is none."""
        here = values[state]
        for other in self._neighbours[state]:
            there = values[other]
            if not (
                close(here, there, formula.epsilon, formula.delta)
                and close(there, here, formula.epsilon, formula.delta)
            ):
                return other
        return None

    def _path_values(self, formula: Formula) -> Evaluated:
        if is_state_formula(formula):
            inner = self.states_of(formula)
            values = tuple(Fraction(int(marked)) for marked in inner.marks)
            return Evaluated(inner.marks, values, inner.solutions)
        leaves: list[Evaluated] = []
        self._collect(formula, leaves)
        eliminator = Eliminator(self._rows, self._budget)
        for leaf in leaves:
            eliminator.add_set(leaf.marks)
        walk = _Walk(eliminator, _temporal_operators(formula))
        marks = walk.marks_of(formula)
        found = eliminator.probabilities(marks, len(self.names))
        solutions = tuple(solution for leaf in leaves for solution in leaf.solutions)
        solutions += tuple(tuple(solution) for solution in eliminator.solutions)
        return Evaluated([], tuple(map(slow, found)), solutions)

    def _collect(self, formula: Formula, leaves: list[Evaluated]) -> None:
        """The maximal state subformulas, evaluated, from left to right."""
        if is_state_formula(formula):
            leaves.append(self.states_of(formula))
        elif isinstance(formula, And | Until):
            self._collect(formula.left, leaves)
            self._collect(formula.right, leaves)
        elif isinstance(formula, Not | Next):
            self._collect(formula.inner, leaves)


class _Walk:
    """A path formula, operator by operator; the sets of its maximal state subformulas come in order."""

    def __init__(self, eliminator: Eliminator, operators: int) -> None:
        self._eliminator = eliminator
        self._left = operators
        self._leaf = 0

    def marks_of(self, formula: Formula) -> Marks:
        """The set that the whole formula becomes."""
        return self._marks(self._visit(formula))

    def _visit(self, formula: Formula) -> Formula | int | tuple[object, ...]:
        """A Boolean expression over numbered sets."""
        if is_state_formula(formula):
            self._leaf += 1
            return self._leaf - 1
        if isinstance(formula, Not):
            return ("not", self._visit(formula.inner))
        if isinstance(formula, And):
            left = self._visit(formula.left)
            return ("and", left, self._visit(formula.right))
        if isinstance(formula, Next):
            inner = self._visit(formula.inner)
            return self._eliminator.next(self._marks(inner), self._is_last())
        if isinstance(formula, Until):
            left, right = self._visit(formula.left), self._visit(formula.right)
            sets = self._marks(left), self._marks(right)
            if formula.bound is not None:
                return self._eliminator.within(formula.bound, *sets, self._is_last())
            return self._eliminator.until(*sets, self._is_last())
        raise InternalError(f"{type(formula).__name__} is no path operator")

    def _is_last(self) -> bool:
        self._left -= 1
        return self._left == 0

    def _marks(self, expression: object) -> Marks:
        if isinstance(expression, int):
            return self._eliminator.sets[expression]
        if not isinstance(expression, tuple):
            raise InternalError("an expression is a number or a tuple")
        if expression[0] == "not":
            return [not marked for marked in self._marks(expression[1])]
        left, right = self._marks(expression[1]), self._marks(expression[2])
        return [a and b for a, b in zip(left, right, strict=True)]


def compares(value: Fraction, comparison: Comparison, bound: Fraction) -> bool:
    """Whether a probability compares so with a bound."""
    return {
        Comparison.LESS: value < bound,
        Comparison.AT_MOST: value <= bound,
        Comparison.AT_LEAST: value >= bound,
        Comparison.MORE: value > bound,
    }[comparison]


def close(first: Fraction, second: Fraction, epsilon: Epsilon, delta: Fraction) -> bool:
    """Whether first <= e^epsilon second + delta, exactly."""
    if first <= delta:
        return True
    return second > 0 and epsilon.allows((first - delta) / second)


def _temporal_operators(formula: Formula) -> int:
    """How many temporal operators stand outside of P and D."""
    if is_state_formula(formula):
        return 0
    if isinstance(formula, And | Until):
        inner = _temporal_operators(formula.left) + _temporal_operators(formula.right)
        return inner + isinstance(formula, Until)
    if isinstance(formula, Not | Next):
        return _temporal_operators(formula.inner) + isinstance(formula, Next)
    raise InternalError(f"{type(formula).__name__} is no path formula")

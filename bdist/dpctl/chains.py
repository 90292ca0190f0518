"""Model checking of dpCTL* on Markov chains: which states satisfy a formula, why others not, what is tight.

`check` answers for every state, and for each that does not satisfy the formula it says which part fails, by
which neighbour, with both probabilities. `probabilities` are those of a path formula. `tight` takes a
formula D and asks the other way round: the smallest delta at its epsilon, and the smallest epsilon at its
delta, with which it holds in the states that are asked for. Both are maxima over neighbours: epsilon is ln
of a rational, and delta is rational where e^epsilon is.

The (epsilon, delta) of D is about one event. For delta > 0 it is weaker than differential privacy, which is
about all sets of outputs: `bdist delta` on the same chain gives the stronger one.

A state formula becomes a set of states, from the inside out. P and D need the probabilities of a path formula
from every state (`elimination`), and D compares those of neighbours: p <= e^epsilon p' + delta, decided
exactly for a rational epsilon as well (`bdist.exact.epsilon`). Subformulas are evaluated in the order of
SPEC.md, since that is the order in which a certificate lists the solutions of their linear systems; equal
ones are computed once and listed as often as they occur.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import fmpq

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.formats.propositions import propositions_of
from bdist.chains.relation import Relation
from bdist.dpctl.certificate import ChainCertificate, vouch
from bdist.dpctl.elimination import Eliminator, Marks
from bdist.dpctl.formulas import (
    And,
    Atom,
    Formula,
    Next,
    Not,
    Private,
    Probability,
    Truth,
    Until,
    is_state_formula,
    operands_of,
    require_neighbours,
    require_privacy,
    require_state_formula,
)
from bdist.dpctl.parser import parse_for
from bdist.errors import InternalError
from bdist.exact.epsilon import Epsilon
from bdist.exact.rationals import to_fmpq, to_fraction
from bdist.results import Answer, Statistics

Pairs = Relation | Iterable[tuple[str, str]]
Solutions = tuple[tuple[fmpq, ...], ...]
# of sets by numbers: one itself, the complement of one expression, or what two have in common
_Expression = int | tuple["_Expression"] | tuple["_Expression", "_Expression"]


@dataclass(frozen=True)
class Failure:
    """Why a state does not satisfy a formula: the part that fails, and with D the neighbour.

    Probabilities are of the path formula of that part: from the state, and from the neighbour.
    """

    state: str
    part: Formula
    neighbour: str | None
    probabilities: tuple[Fraction, ...]


@dataclass(frozen=True)
class Checked:
    """The states that satisfy a formula, and for each other one why not; certified."""

    formula: Formula
    satisfied: frozenset[str]
    failures: Mapping[str, Failure]
    certificate: ChainCertificate
    stats: Statistics

    def answer(self, states: Iterable[str]) -> Answer:
        """Whether all of these states satisfy the formula."""
        return Answer.HOLDS if self.satisfied.issuperset(states) else Answer.VIOLATED


@dataclass(frozen=True)
class Probabilities:
    """How likely a path formula is from every state; certified."""

    formula: Formula
    values: Mapping[str, Fraction]
    certificate: ChainCertificate
    stats: Statistics


@dataclass(frozen=True)
class Tight:
    """The smallest parameters of D, with the two states that need them, the first the more likely one.

    ``ratio`` is e^epsilon for the smallest epsilon at the delta of the formula, None where none will do;
    ``delta`` the smallest delta at its epsilon, as a bracket, whose ends agree where e^epsilon is rational.
    """

    formula: Private
    ratio: Fraction | None
    ratio_at: tuple[str, str] | None
    delta: tuple[Fraction, Fraction]
    delta_at: tuple[str, str] | None
    found: Probabilities


def check(
    chain: LabelledMarkovChain,
    formula: Formula | str,
    pairs: Pairs = (),
    *,
    budget: Budget | None = None,
) -> Checked:
    """Which states satisfy a state formula, with these neighbours.

    Ensures: the certificate was checked.
    Raises: FormatError for a text that is no formula; ParameterError where it is no state formula, a
    proposition or a state is unknown, or there is a D and no neighbours; UnsupportedError where it is too
    large; Stopped where the budget is.
    """
    parsed = parse_for(chain.labels, "chain", formula)
    require_state_formula(parsed)
    start, relation = time.monotonic(), _relation(chain, pairs)
    require_neighbours(parsed, relation)
    evaluator = _Evaluator(chain, relation, budget or Budget())
    found = evaluator.states_of(parsed)
    satisfied = tuple(name for name, marked in zip(evaluator.names, found.marks, strict=True) if marked)
    certificate = ChainCertificate(
        fingerprint(chain), tuple(relation), parsed, found.solutions, satisfied=satisfied
    )
    stats = _vouched(chain, certificate, start, budget)
    failures = {
        name: _failure(evaluator, parsed, number)
        for number, name in enumerate(evaluator.names)
        if not found.marks[number]
    }
    return Checked(parsed, frozenset(satisfied), failures, certificate, stats)


def probabilities(
    chain: LabelledMarkovChain,
    formula: Formula | str,
    pairs: Pairs = (),
    *,
    budget: Budget | None = None,
) -> Probabilities:
    """The probability of a path formula from every state. Ensures, Raises: as `check`."""
    parsed = parse_for(chain.labels, "chain", formula)
    start, relation = time.monotonic(), _relation(chain, pairs)
    require_neighbours(parsed, relation)
    evaluator = _Evaluator(chain, relation, budget or Budget())
    found = evaluator.probabilities_of(parsed)
    values = dict(zip(evaluator.names, found.values, strict=True))
    certificate = ChainCertificate(
        fingerprint(chain),
        tuple(relation),
        parsed,
        found.solutions,
        probabilities=tuple(values.items()),
    )
    return Probabilities(parsed, values, certificate, _vouched(chain, certificate, start, budget))


def tight(
    chain: LabelledMarkovChain,
    formula: Formula | str,
    pairs: Pairs,
    *,
    states: Sequence[str] | None = None,
    budget: Budget | None = None,
) -> Tight:
    """The smallest epsilon and the smallest delta for which a formula D holds, in these states or in all.

    Raises: ParameterError where it is not of the form D[...] (...); as `check` otherwise.
    """
    parsed = require_privacy(parse_for(chain.labels, "chain", formula))
    relation = _relation(chain, pairs)
    require_neighbours(parsed, relation)
    found = probabilities(chain, parsed.inner, relation, budget=budget)
    asked = set(chain.states if states is None else states)
    ordered = [(s, t) for pair in relation for s, t in (pair, pair[::-1]) if asked & set(pair)]
    ratio, ratio_at = _largest_ratio(found.values, ordered, parsed.delta)
    delta, delta_at = _largest_delta(found.values, ordered, parsed.epsilon)
    return Tight(parsed, ratio, ratio_at, delta, delta_at, found)


def _largest_ratio(
    values: Mapping[str, Fraction], pairs: Sequence[tuple[str, str]], delta: Fraction
) -> tuple[Fraction | None, tuple[str, str] | None]:
    """The largest (p - delta) / p', at least 1, and where it is; None where p' is 0."""
    best, where = Fraction(1), None
    for s, t in pairs:
        excess = values[s] - delta
        if excess > 0 and values[t] == 0:
            return None, (s, t)
        if excess > best * values[t]:
            best, where = excess / values[t], (s, t)
    return best, where


def _largest_delta(
    values: Mapping[str, Fraction], pairs: Sequence[tuple[str, str]], epsilon: Epsilon
) -> tuple[tuple[Fraction, Fraction], tuple[str, str] | None]:
    """The largest p - e^epsilon p', at least 0, from both sides, and where it is."""
    down, up = epsilon.alpha_down(), epsilon.alpha_up()
    low, high, where = Fraction(0), Fraction(0), None
    for s, t in pairs:
        above = values[s] - down * values[t]
        if above > high:
            high, where = above, (s, t)
        low = max(low, values[s] - up * values[t])
    return (low, high), where


def _failure(evaluator: _Evaluator, formula: Formula, state: int) -> Failure:
    """The part of a formula because of which a state does not satisfy it."""
    name = evaluator.names[state]
    if isinstance(formula, And):
        left = evaluator.states_of(formula.left)
        return _failure(evaluator, formula.right if left.marks[state] else formula.left, state)
    if isinstance(formula, Not) and isinstance(formula.inner, Not):
        return _failure(evaluator, formula.inner.inner, state)
    if isinstance(formula, Probability | Private):
        values = evaluator.probabilities_of(formula.inner).values
        other = evaluator.offender(formula, values, state) if isinstance(formula, Private) else None
        if other is not None:
            return Failure(name, formula, evaluator.names[other], (values[state], values[other]))
        return Failure(name, formula, None, (values[state],))
    return Failure(name, formula, None, ())


def _relation(chain: LabelledMarkovChain, pairs: Pairs) -> Relation:
    return pairs if isinstance(pairs, Relation) else Relation.of(chain, pairs)


def _vouched(
    chain: LabelledMarkovChain, certificate: ChainCertificate, start: float, budget: Budget | None
) -> Statistics:
    times = vouch(chain, certificate, start, budget)
    return {**times, "systems": len(certificate.solutions), "states": len(chain)}


@dataclass(frozen=True)
class _Evaluated:
    """What a formula has become: a set, or probabilities, by number; and the solutions it took, in order."""

    marks: Marks
    values: tuple[Fraction, ...]
    solutions: Solutions


class _Evaluator:
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
        self._known: dict[tuple[Formula, bool], _Evaluated] = {}

    @cached_property
    def _rows(self) -> list[dict[int, fmpq]]:
        numbers = [self._number[name] for name in self._chain.states]
        rows: list[dict[int, fmpq]] = [{} for _ in self.names]
        for state, row in enumerate(self._chain.rows):
            rows[numbers[state]] = {numbers[t]: to_fmpq(p) for t, p in row}
        return rows

    @cached_property
    def _propositions(self) -> list[frozenset[str]]:
        known = {label: frozenset(propositions_of(label)) for label in set(self._chain.labels)}
        return [known[self._chain.label(name)] for name in self.names]

    def states_of(self, formula: Formula) -> _Evaluated:
        """The states that satisfy a state formula."""
        key = (formula, False)
        if key not in self._known:
            self._known[key] = self._state_set(formula)
        return self._known[key]

    def probabilities_of(self, formula: Formula) -> _Evaluated:
        """The probability of a path formula from every state."""
        key = (formula, True)
        if key not in self._known:
            self._known[key] = self._path_values(formula)
        return self._known[key]

    def _state_set(self, formula: Formula) -> _Evaluated:
        if isinstance(formula, Truth):
            return _Evaluated([True] * len(self.names), (), ())
        if isinstance(formula, Atom):
            return _Evaluated([formula.name in there for there in self._propositions], (), ())
        if isinstance(formula, Not):
            inner = self.states_of(formula.inner)
            return _Evaluated([not marked for marked in inner.marks], (), inner.solutions)
        if isinstance(formula, And):
            left, right = self.states_of(formula.left), self.states_of(formula.right)
            both = [a and b for a, b in zip(left.marks, right.marks, strict=True)]
            return _Evaluated(both, (), left.solutions + right.solutions)
        if isinstance(formula, Probability | Private):
            inner = self.probabilities_of(formula.inner)
            values = inner.values
            if isinstance(formula, Probability):
                marks = [formula.accepts(value) for value in values]
            else:
                marks = [self.offender(formula, values, state) is None for state in range(len(values))]
            return _Evaluated(marks, inner.values, inner.solutions)
        raise InternalError(f"{type(formula).__name__} is no state formula")

    def offender(self, formula: Private, values: Sequence[Fraction], state: int) -> int | None:
        """A neighbour whose probability is too far from that of a state; None where there is none."""
        return next(
            (t for t in self._neighbours[state] if not formula.accepts(values[state], values[t])), None
        )

    def _path_values(self, formula: Formula) -> _Evaluated:
        if is_state_formula(formula):
            inner = self.states_of(formula)
            values = tuple(Fraction(int(marked)) for marked in inner.marks)
            return _Evaluated(inner.marks, values, inner.solutions)
        leaves = [self.states_of(part) for part in _state_parts(formula)]
        eliminator = Eliminator(self._rows, self._budget)
        for leaf in leaves:
            eliminator.add_set(leaf.marks)
        walk = _Walk(eliminator, _temporal_operators(formula))
        marks = walk.marks_of(formula)
        found = eliminator.probabilities(marks, len(self.names))
        solutions = tuple(solution for leaf in leaves for solution in leaf.solutions)
        solutions += tuple(tuple(solution) for solution in eliminator.solutions)
        return _Evaluated([], tuple(map(to_fraction, found)), solutions)


class _Walk:
    """A path formula, operator by operator; the sets of its maximal state subformulas come in order."""

    def __init__(self, eliminator: Eliminator, operators: int) -> None:
        self._eliminator = eliminator
        self._left = operators
        self._leaf = 0

    def marks_of(self, formula: Formula) -> Marks:
        """The set that the whole formula becomes."""
        return self._marks(self._visit(formula))

    def _visit(self, formula: Formula) -> _Expression:
        """What a formula is of numbered sets, which may still be translated to another chain."""
        if is_state_formula(formula):
            self._leaf += 1
            return self._leaf - 1
        if isinstance(formula, Not):
            return (self._visit(formula.inner),)
        if isinstance(formula, And):
            return self._visit(formula.left), self._visit(formula.right)
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

    def _marks(self, expression: _Expression) -> Marks:
        if isinstance(expression, int):
            return self._eliminator.sets[expression]
        first, *others = map(self._marks, expression)
        if not others:
            return [not marked for marked in first]
        return [a and b for a, b in zip(first, others[0], strict=True)]


def _state_parts(formula: Formula) -> Iterator[Formula]:
    """The maximal state subformulas, from left to right."""
    if is_state_formula(formula):
        yield formula
        return
    for inner in operands_of(formula):
        yield from _state_parts(inner)


def _temporal_operators(formula: Formula) -> int:
    """How many temporal operators stand outside of P and D."""
    if is_state_formula(formula):
        return 0
    return isinstance(formula, Next | Until) + sum(map(_temporal_operators, operands_of(formula)))

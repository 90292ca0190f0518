"""The formula of BD-THRESHOLD (Fig. 5 of the paper, with the dual corrected), as data for the encoders.

bd_alpha(s,t) <= theta iff there is a table d with d(s,t) <= theta that Gamma does not raise: for every pair p
and both directions

    leak + sum over blocks of min { w.d + |b| : w, b >= 0, out_i(w) + b_i - alpha in_i(w) >= c_i }  <=  d(p).

An encoder needs that for few pairs, with few variables. What is done here, once for all of them: a label on
which the objective c has one sign needs no variables, but contributes a constant leak, or nothing; only pairs
are listed that the query reaches through blocks with both signs; and a pair all of whose inequalities are
constant has its value fixed, so that products with it become linear.

*Which states.* A block holds the states where c is not zero: few variables, and a solution is a certificate,
but a table may be missed where a detour through another state of the label is cheaper. So a block also holds
the states that a question has noted as detours (`question`), and a formula without a solution is tried again
when there are new ones. Only with all states of its labels (``exhaustive``) may it be called infeasible on
its own account. Pairs that an added state brings along are explored.

*Size.* An arc is a variable, a product and a handful of rows, two kilobytes in the hands of an encoder. A
formula of more than half a million of them is refused before it is made.

*From a proposal to a proof.* A rational solution is checked as it is (`evidence_of`). A float solver, or one
whose solution is not rational, hands over a table d that is almost a pre-fixed point. Couplings that are
optimal at d, found in exact arithmetic, are then almost as good as the best ones, and `value_of_couplings` is
what they prove exactly (`evidence_from_table`). Where that misses theta by a hair, because a tie was decided
by rounding, couplings are improved at the proved table, as long as that helps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from flint import fmpq

from bdist.distances.lift import Lift
from bdist.distances.pairs import Direction, PairSpace
from bdist.distances.run import Run, UpperEvidence
from bdist.distances.strategy import value_of_couplings
from bdist.errors import InternalError
from bdist.exact.rationals import ONE, ZERO, to_fraction
from bdist.thresholds.question import Question, Stats

MOST_ARCS = 500_000
Couplings = dict[int, tuple[Lift, ...]]


@dataclass(frozen=True)
class Term:
    """A block with both signs: the states that may take part in couplings, and the objective on them."""

    states: tuple[int, ...]
    coefficients: tuple[fmpq, ...]

    def arcs(self) -> list[tuple[int, int]]:
        """The ordered pairs of different states."""
        return [(i, j) for i in self.states for j in self.states if i != j]


@dataclass(frozen=True)
class Inequality:
    """Leak plus the terms' minima is at most the pair's value; ``leaks`` come from blocks with one sign."""

    pair: int
    direction: Direction
    leaks: Mapping[int, fmpq]
    terms: tuple[Term, ...]

    @property
    def leak(self) -> fmpq:
        """The constant part."""
        return sum(self.leaks.values(), ZERO)


@dataclass(frozen=True)
class Formula:
    """The two inequalities of each pair that the query reaches; ``fixed`` pairs are constants, ``free`` ones
    unknowns.
    """

    question: Question
    inequalities: Mapping[int, tuple[Inequality, ...]]
    fixed: Mapping[int, fmpq]
    free: tuple[int, ...]

    @property
    def space(self) -> PairSpace:
        """The explored pairs."""
        return self.question.space

    @property
    def query(self) -> int:
        """The pair in question."""
        return self.question.pair

    @property
    def open_inequalities(self) -> list[Inequality]:
        """The inequalities of free pairs."""
        return [x for pair, both in self.inequalities.items() if pair not in self.fixed for x in both]


@dataclass(frozen=True)
class Coupling:
    """A proposed solution of one inequality's terms."""

    w: Mapping[tuple[int, int], fmpq]
    b: Mapping[int, fmpq]


class FormulaTooLarge(Exception):
    """A formula has more arcs than are worth handing to a solver."""

    def __init__(self) -> None:
        super().__init__(f"the formula has more than {MOST_ARCS} arcs")


def formulas_of(question: Question) -> Iterator[Formula]:
    """The formula of a question; if the question says so, and it differs, then that with all states as well.

    Raises: Stopped, FormulaTooLarge.
    """
    formula = formula_of(question)
    yield formula
    if question.exhaustive:
        whole = formula_of(question, exhaustive=True)
        if whole.inequalities != formula.inequalities:
            yield whole


def formula_of(question: Question, *, exhaustive: bool = False) -> Formula:
    """The formula for a question, with the states of the supports and noted detours, or with all states.

    Explores the pairs of the states in it. Raises: Stopped, FormulaTooLarge.
    """
    space, query = question.space, question.pair
    arcs = 0
    inequalities: dict[int, tuple[Inequality, ...]] = {}
    fixed: dict[int, fmpq] = {}
    seen, waiting = {query}, [query]
    while waiting:
        question.budget.check()
        pair = waiting.pop()
        both = tuple(_inequality(question, pair, direction, exhaustive) for direction in Direction)
        inequalities[pair] = both
        if not any(x.terms for x in both):
            fixed[pair] = max(x.leak for x in both)
        for term in (term for inequality in both for term in inequality.terms):
            arcs += len(term.states) ** 2
            if arcs > MOST_ARCS:
                raise FormulaTooLarge
            space.explore(arc for arc in term.arcs() if arc not in space.number)
            met = {space.number[arc] for arc in term.arcs()} - seen
            seen |= met
            waiting += sorted(met)
    return Formula(question, inequalities, fixed, tuple(sorted(inequalities.keys() - fixed.keys())))


def _inequality(question: Question, pair: int, direction: Direction, exhaustive: bool) -> Inequality:
    leaks: dict[int, fmpq] = {}
    terms = []
    for block in question.space.objective(pair, direction):
        if block.mixed:
            detours = question.detours.get((pair, direction), ())
            states = {*block.coefficients, *(block.members if exhaustive else detours)}
            inside = tuple(i for i in block.members if i in states)
            terms.append(Term(inside, tuple(block.coefficients.get(i, ZERO) for i in inside)))
        else:
            leaks |= {i: c for i, c in block.coefficients.items() if c > 0}
    return Inequality(pair, direction, leaks, tuple(terms))


def evidence_of(
    formula: Formula, values: Mapping[int, fmpq], couplings: Mapping[tuple[int, Direction], Coupling]
) -> UpperEvidence:
    """The evidence that a solution is: values of the free pairs and couplings of their inequalities.

    Raises: InternalError where it is no solution after all.
    """
    table = dict(formula.fixed) | dict(values)
    lifts: dict[int, tuple[Lift, ...]] = dict.fromkeys(formula.inequalities, ())
    for inequality in chain.from_iterable(formula.inequalities.values()):
        coupling = couplings.get((inequality.pair, inequality.direction), Coupling({}, {}))
        w = {arc: x for arc, x in coupling.w.items() if x}
        b = {i: x for i, x in (*inequality.leaks.items(), *coupling.b.items()) if x}
        cost = sum(b.values(), ZERO) + sum(
            (x * table[formula.space.number[arc]] for arc, x in w.items()), ZERO
        )
        if cost > table[inequality.pair] or not _is_coupling(formula.space, inequality, w, b):
            raise InternalError("a solver's solution of the threshold formula does not satisfy it")
        lifts[inequality.pair] += (Lift(cost, {}, w, b),)
    return UpperEvidence(formula.space, table, lifts)


def _is_coupling(
    space: PairSpace, inequality: Inequality, w: Mapping[tuple[int, int], fmpq], b: Mapping[int, fmpq]
) -> bool:
    """Whether w, b >= 0 and out_i(w) + b_i - alpha in_i(w) >= c_i for every state."""
    balance: dict[int, fmpq] = dict(b)
    for (i, j), x in w.items():
        balance[i] = balance.get(i, ZERO) + x
        balance[j] = balance.get(j, ZERO) - space.alpha * x
    for block in space.objective(inequality.pair, inequality.direction):
        for i, c in block.coefficients.items():
            balance[i] = balance.get(i, ZERO) - c
    return all(x >= 0 for x in (*w.values(), *b.values(), *balance.values()))


def evidence_from_table(
    formula: Formula, proposal: Mapping[int, fmpq], theta: Fraction, stats: Stats
) -> UpperEvidence | None:
    """Evidence for d(query) <= theta from a proposed table; None where it is not good enough.

    Raises: Stopped.
    """
    run = formula.question.run_high()
    table = _table(formula, {**formula.fixed, **proposal})
    couplings: Couplings = {}
    best: fmpq | None = None
    while True:
        couplings = _optimal_couplings(run, formula.query, table, couplings)
        stats["linear_programs"] = run.tally.solved
        values = value_of_couplings(formula.space, couplings)
        if values is None:
            return None
        reached = values[formula.query]
        if to_fraction(reached) <= theta:
            return UpperEvidence(formula.space, values, couplings)
        if best is not None and reached >= best:
            return None
        best = reached
        table = _table(formula, values)


def _table(formula: Formula, values: Mapping[int, fmpq]) -> list[fmpq]:
    """The values, within [0, 1], and 1 elsewhere."""
    table = formula.space.constant(ONE)
    for pair, value in values.items():
        table[pair] = min(max(value, fmpq(0)), ONE)
    return table


def _optimal_couplings(run: Run, query: int, table: list[fmpq], before: Couplings) -> Couplings:
    """Optimal couplings of the query and of every pair that they put weight on, and so forth."""
    found: Couplings = {}
    waiting = [query]
    while waiting:
        run.budget.check()
        pair = waiting.pop()
        if pair in found:
            continue
        found[pair] = run.lifter.lifts(pair, table, before.get(pair))
        waiting += [run.space.number[arc] for lift in found[pair] for arc in lift.w]
    return found

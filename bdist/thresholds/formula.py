"""The formula of BD-THRESHOLD (Fig. 5 of the paper, with the dual corrected), as data for the encoders.

bd_alpha(s,t) <= theta iff there is a table d with d(s,t) <= theta that Gamma does not raise: for every pair p
and both directions

    leak + sum over blocks of min { w.d + |b| : w, b >= 0, out_i(w) + b_i - alpha in_i(w) >= c_i }  <=  d(p).

An encoder needs that for few pairs, with few variables. What is done here, once for all of them:

* a label on which the objective c has one sign needs no variables: it contributes a constant leak, or
  nothing;
* only pairs are listed that the query reaches through blocks with both signs, each once for both orders of
  its states;
* a pair all of whose inequalities are constant has its value fixed, and products with it become linear.

*Breadth.* With "supports" a block holds the states where c is not zero: few variables, and a solution is
still a certificate, but a table may be missed where a detour through another state of the label is cheaper.
With "labels" it holds all states of the label, and nothing is missed. Encoders try the first and fall back on
the second; only the second may ever be called infeasible.

*Size.* An arc is a variable, a product and a handful of rows, two kilobytes in the hands of an encoder. A
formula of more than half a million of them is refused before it is made; a label with three hundred states
and as many pairs that matter has ten times that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from flint import fmpq

from bdist.distances.lift import Lift
from bdist.distances.pairs import Block, Direction, PairSpace
from bdist.distances.run import UpperEvidence
from bdist.errors import InternalError
from bdist.exact.fast import ZERO
from bdist.thresholds.question import Question

BREADTHS = ("supports", "labels")
MOST_ARCS = 500_000


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
    """All inequalities that the query reaches; ``fixed`` pairs are constants, ``free`` ones unknowns."""

    space: PairSpace
    query: int
    inequalities: tuple[Inequality, ...]
    fixed: Mapping[int, fmpq]
    free: tuple[int, ...]

    @property
    def open_inequalities(self) -> list[Inequality]:
        """The inequalities of free pairs."""
        return [x for x in self.inequalities if x.pair not in self.fixed]


@dataclass(frozen=True)
class Coupling:
    """A proposed solution of one inequality's terms."""

    w: Mapping[tuple[int, int], fmpq]
    b: Mapping[int, fmpq]


class FormulaTooLarge(Exception):
    """A formula has more arcs than are worth handing to a solver."""

    def __init__(self) -> None:
        super().__init__(f"the formula has more than {MOST_ARCS} arcs")


def formulas_of(question: Question, breadths: Iterable[str]) -> Iterator[Formula]:
    """The formulas for a query at several breadths, in order, without repetition.

    Raises: Stopped, FormulaTooLarge.
    """
    last: Formula | None = None
    for breadth in breadths:
        formula = formula_of(question, breadth)
        if last is None or formula.inequalities != last.inequalities:
            yield formula
        last = formula


def formula_of(question: Question, breadth: str) -> Formula:
    """The formula for a query at a breadth. Raises: Stopped, FormulaTooLarge."""
    space, query = question.space, question.pair
    arcs = 0
    inequalities: list[Inequality] = []
    fixed: dict[int, fmpq] = {}
    free: list[int] = []
    seen, waiting = {query}, [query]
    while waiting:
        question.budget.check()
        pair = waiting.pop()
        both = [_inequality(space, pair, direction, breadth) for direction in Direction]
        inequalities += both
        if any(x.terms for x in both):
            free.append(pair)
        else:
            fixed[pair] = max(x.leak for x in both)
        for inequality in both:
            for term in inequality.terms:
                arcs += len(term.states) ** 2
                if arcs > MOST_ARCS:
                    raise FormulaTooLarge
                for arc in term.arcs():
                    number = space.number[arc]
                    if number not in seen:
                        seen.add(number)
                        waiting.append(number)
    return Formula(space, query, tuple(inequalities), fixed, tuple(sorted(free)))


def _inequality(space: PairSpace, pair: int, direction: Direction, breadth: str) -> Inequality:
    leaks: dict[int, fmpq] = {}
    terms = []
    for block in space.objective(pair, direction):
        if block.mixed:
            terms.append(_term(block, breadth))
        else:
            leaks |= {i: c for i, c in block.coefficients.items() if c > 0}
    return Inequality(pair, direction, leaks, tuple(terms))


def _term(block: Block, breadth: str) -> Term:
    states = block.members if breadth == "labels" else tuple(block.coefficients)
    return Term(states, tuple(block.coefficients.get(i, ZERO) for i in states))


def evidence_of(
    formula: Formula, values: Mapping[int, fmpq], couplings: Mapping[tuple[int, Direction], Coupling]
) -> UpperEvidence:
    """The evidence that a solution is: values of the free pairs and couplings of their inequalities.

    Raises: InternalError where it is no solution after all.
    """
    table = dict(formula.fixed) | dict(values)
    lifts: dict[int, list[Lift]] = {}
    for inequality in formula.inequalities:
        coupling = couplings.get((inequality.pair, inequality.direction), Coupling({}, {}))
        w = {arc: x for arc, x in coupling.w.items() if x}
        b = {i: x for i, x in (*inequality.leaks.items(), *coupling.b.items()) if x}
        cost = sum(b.values(), ZERO) + sum(
            (x * table[formula.space.number[arc]] for arc, x in w.items()), ZERO
        )
        if cost > table[inequality.pair] or not _is_coupling(formula.space, inequality, w, b):
            raise InternalError("a solver's solution of the threshold formula does not satisfy it")
        lifts.setdefault(inequality.pair, []).append(Lift(cost, {}, w, b))
    return UpperEvidence(formula.space, table, {pair: (both[0], both[1]) for pair, both in lifts.items()})


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

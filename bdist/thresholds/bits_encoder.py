"""The clauses of one round of `sat-bits`, and the way back from a model to a table with couplings.

The essay is in `by_sat_bits`; the arithmetic is in `circuits`. Everything is an inequality, so all sums are
one-sided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget
from bdist.distances.run import UpperEvidence
from bdist.exact.fast import ZERO, fast
from bdist.thresholds.bits_plan import (
    Arc,
    Grid,
    Place,
    Plan,
    ceiling,
    direct_arcs,
    floor,
    flow_bounds,
    margins,
    positive_part,
    uncoupled,
)
from bdist.thresholds.circuits import Circuit, Sense, Sum, Vector, constant, decode
from bdist.thresholds.formula import Coupling, Inequality, Term, evidence_of

_MOST_CLAUSES = 2_000_000


@dataclass(frozen=True)
class Number:
    """A nonnegative integer, known or not, and its largest value."""

    bits: Vector
    most: int


class TooLarge(Exception):
    """A CNF would exceed what is worth handing to a solver. Caught in this module."""


class Encoder:
    """The formula on a grid, as a CNF, and what a model of it says."""

    def __init__(self, plan: Plan, grid: Grid) -> None:
        self.plan = plan
        self.grid = grid
        self.circuit = Circuit()
        self.distances: dict[int, Number] = {}
        self.weights: dict[Place, dict[Arc, Number]] = {}
        self._space = plan.formula.space
        self._alpha = plan.formula.space.alpha
        self._waiting: list[int] = []

    def encode(self, theta: Fraction, budget: Budget) -> None:
        """Add the clauses of d(query) <= theta and of all inequalities of the plan.

        Raises: Stopped, TooLarge.
        """
        query = self._distance(self.plan.formula.query)
        self.circuit.require_at_most_constant(query.bits, floor(fast(theta) * self.grid.values))
        while self._waiting:
            for inequality in self.plan.inequalities[self._waiting.pop()]:
                budget.check()
                if len(self.circuit.clauses) > _MOST_CLAUSES:
                    raise TooLarge
                self._inequality(inequality)

    def _distance(self, pair: int) -> Number:
        """The numerator of a pair's value; that of a free pair is met for the first time here."""
        fixed, both = self.plan.formula.fixed, self.plan.inequalities[pair]
        if pair not in self.distances:
            if pair in fixed:
                most = ceiling(fixed[pair] * self.grid.values)
                self.distances[pair] = Number(constant(most), most)
            else:
                most = ceiling(max(map(uncoupled, both)) * self.grid.values)
                number = self.distances[pair] = Number(self.circuit.fresh(most), most)
                least = ceiling(max(x.leak for x in both) * self.grid.values)
                self.circuit.require_at_least_constant(number.bits, least)
                self._waiting.append(pair)
        return self.distances[pair]

    def _inequality(self, inequality: Inequality) -> None:
        """leak + sum w d + sum b <= d(pair), times both denominators."""
        place = inequality.pair, inequality.direction
        unit, weights = self.grid.weights[place], self.weights.setdefault(place, {})
        cost, allowed = Sum(self.circuit, Sense.AT_LEAST), Sum(self.circuit, Sense.AT_MOST)
        constant_cost = inequality.leak
        for term, arcs in zip(inequality.terms, self.plan.arcs[place], strict=True):
            if arcs == direct_arcs(term):
                constant_cost += self._transport(term, unit, cost, weights)
            else:
                constant_cost += self._flow(term, arcs, unit, cost, weights)
        cost.add_constant(ceiling(constant_cost * unit * self.grid.values))
        value = self._distance(inequality.pair)
        allowed.add(value.bits, unit, value.most)
        self.circuit.require_at_most(cost.vector(), allowed.vector())

    def _transport(self, term: Term, unit: int, cost: Sum, weights: dict[Arc, Number]) -> fmpq:
        """Clauses of a term without detours; its sum w d is added to ``cost``, its sum b is returned.

        The smaller side is sent completely. So each sum over it is bounded below, and above unless exceeding
        it is harmless, as for rows; each sum over the other side is bounded above.
        """
        rows, columns = margins(term, self._alpha, unit)
        sent = min(sum(rows.values()), sum(columns.values()))
        by_rows = sent == sum(rows.values())
        forced = len(columns if by_rows else rows) == 1
        out = {i: Sum(self.circuit, Sense.AT_MOST if by_rows else Sense.AT_LEAST) for i in rows}
        into = {j: Sum(self.circuit, Sense.AT_LEAST if by_rows else Sense.EXACT) for j in columns}
        for i, j in direct_arcs(term):
            most = min(rows[i], columns[j])
            weight = Number(constant(most) if forced else self.circuit.fresh(most), most)
            self._use((i, j), weight, cost, weights)
            out[i].add(weight.bits, 1, most)
            into[j].add(weight.bits, 1, most)
        if not forced:
            for i, total in out.items():
                self._bound(total, rows[i], at_least=by_rows, at_most=not by_rows)
            for j, total in into.items():
                self._bound(total, columns[j], at_least=not by_rows, at_most=True)
        return positive_part(term) - fmpq(sent, unit)

    def _bound(self, total: Sum, limit: int, at_least: bool, at_most: bool) -> None:
        needed = at_most and total.most > limit
        if at_least or needed:
            vector = total.vector()
            if at_least:
                self.circuit.require_at_least_constant(vector, limit)
            if needed:
                self.circuit.require_at_most_constant(vector, limit)

    def _flow(self, term: Term, arcs: list[Arc], unit: int, cost: Sum, weights: dict[Arc, Number]) -> fmpq:
        """Clauses of a term with detours; its cost is added to ``cost`` but for a constant, which is
        returned.

        For every state: q (out + b) >= q c + p in, where alpha = p/q. b_i is a number on the grid and the
        part of c_i that the grid cannot express.
        """
        p, q = int(self._alpha.p), int(self._alpha.q)
        coefficients = dict(zip(term.states, term.coefficients, strict=True))
        most = flow_bounds(term, arcs, self._alpha, unit)
        given = {i: Sum(self.circuit, Sense.AT_MOST) for i in term.states}
        due = {i: Sum(self.circuit, Sense.AT_LEAST) for i in term.states}
        for i, j in arcs:
            weight = Number(self.circuit.fresh(most[i, j]), most[i, j])
            self._use((i, j), weight, cost, weights)
            given[i].add(weight.bits, q, weight.most)
            due[j].add(weight.bits, p, weight.most)
        rest = ZERO
        for i, c in coefficients.items():
            if c > 0:
                need = floor(c * unit)
                rest += c - fmpq(need, unit)
                unpaid = self.circuit.fresh(need)
                cost.add(unpaid, self.grid.values, need)
                given[i].add(unpaid, q, need)
                due[i].add_constant(q * need)
            else:
                given[i].add_constant(floor(-c * q * unit))
            self.circuit.require_at_most(due[i].vector(), given[i].vector())
        return rest

    def _use(self, arc: Arc, weight: Number, cost: Sum, weights: dict[Arc, Number]) -> None:
        distance = self._distance(self._space.number[arc])
        cost.add_product(weight.bits, distance.bits, weight.most * distance.most)
        weights[arc] = weight

    def evidence(self, model: list[int]) -> UpperEvidence:
        """What a model says; b is what the weights leave to pay.

        Free pairs outside the plan go without coupling.
        """
        values = {
            pair: fmpq(decode(self.distances[pair].bits, model), self.grid.values)
            if pair in self.distances
            else max(map(uncoupled, self.plan.inequalities[pair]))
            for pair in self.plan.formula.free
        }
        couplings = {}
        for inequality in self.plan.formula.open_inequalities:
            place = inequality.pair, inequality.direction
            w = {
                arc: fmpq(decode(weight.bits, model), self.grid.weights[place])
                for arc, weight in self.weights.get(place, {}).items()
            }
            couplings[place] = Coupling(w, _unpaid(inequality, w, self._alpha))
        return evidence_of(self.plan.formula, values, couplings)

    def legend(self, theta: Fraction) -> Iterator[str]:
        """What the CNF encodes and where, for the reader of a DIMACS file."""
        names, pairs = self._space.chain.states, self._space.pairs
        query = " ".join(names[i] for i in pairs[self.plan.formula.query])
        yield f"bdist sat-bits: is bd({query}) <= {theta} at alpha = {self._alpha}?"
        yield "satisfiable: yes; unsatisfiable: there is no certificate on this grid, which proves nothing"
        yield f"distances are D / {self.grid.values}; bits least significant first; variable 1 is true"
        for pair, number in self.distances.items():
            yield f"D {' '.join(names[i] for i in pairs[pair])}: {_listed(number.bits)}"
        for (pair, direction), weights in self.weights.items():
            yield (
                f"coupling of {' '.join(names[i] for i in pairs[pair])}, {direction.name.lower()}, "
                f"weights are W / {self.grid.weights[pair, direction]}"
            )
            for (i, j), weight in weights.items():
                yield f"W {names[i]} {names[j]}: {_listed(weight.bits)}"


def _unpaid(inequality: Inequality, w: Mapping[Arc, fmpq], alpha: fmpq) -> dict[int, fmpq]:
    """The least b with which w is a coupling."""
    b = {i: c for term in inequality.terms for i, c in zip(term.states, term.coefficients, strict=True)}
    for (i, j), weight in w.items():
        b[i] -= weight
        b[j] += alpha * weight
    return {i: x for i, x in b.items() if x > 0}


def _listed(bits: Vector) -> str:
    return " ".join(map(str, bits)) or "0 throughout"

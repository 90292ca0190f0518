"""Backend `milp`: the threshold formula made linear by complementarity, for a branch and bound.

The products w_ij d(i,j) in "min over couplings of w.d + |b| <= d(p)" are bilinear. By LP duality the minimum
equals the objective f.c of any function f that is feasible for d and complementary to some coupling (w, b);
and f.c is linear. Complementarity is one binary variable for each of

    w_ij > 0   only if   f_i - alpha f_j = d(i,j)           an arc is used only if it is tight
    b_i  > 0   only if   f_i = 1
    f_i  > 0   only if   out_i + b_i - alpha in_i = c_i     a state is valued only if its demand is just met

with constants for the two big-M rows of each: w_ij <= 1, d(i,j) - f_i + alpha f_j <= Gamma(1)(i,j) + alpha,
b_i <= max(0, c_i), surplus_i <= max(0, -c_i) (at an optimum of least mass; should that ever fail, the program
is too small and the answer UNKNOWN, never wrong). b_i is left out where c_i <= 0: whoever sends to such a
state pays less by leaking itself.

A float MILP proves nothing. Its table is a proposal, which `proposals` turns into a bound; "infeasible" is a
hint.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget
from bdist.distances.lift import Lifter
from bdist.distances.pairs import Direction
from bdist.distances.run import UpperEvidence
from bdist.errors import ParameterError
from bdist.exact.fast import ONE
from bdist.lp import DEFAULT_ENGINE, Tally, engine_named
from bdist.processes import call
from bdist.results import Answer
from bdist.thresholds.formula import Formula, Term, formulas_of
from bdist.thresholds.milp import MILP_SOLVERS, MilpStatus, MixedProgram
from bdist.thresholds.proposals import evidence_from_table
from bdist.thresholds.question import Backend, Finding, Options, Question, Session

_GRID = 2**60


class _MilpSession:
    def __init__(self, question: Question, options: Options) -> None:
        solver = options.milp_solver
        if solver not in MILP_SOLVERS:
            raise ParameterError(
                f"there is no MILP solver '{solver}'; choose one of {', '.join(MILP_SOLVERS)}"
            )
        self._question = question
        self._search = MILP_SOLVERS[solver]
        self._solver = solver
        self._breadths = options.breadths
        self._tally = Tally()
        self._lifter = Lifter(question.space, engine_named(DEFAULT_ENGINE), self._tally)

    def decide(self, theta: Fraction) -> Finding:
        if theta < 0:
            return Finding(Answer.UNKNOWN, reason="distances are never negative", hint=Answer.VIOLATED)
        stats: dict[str, int | float | str] = {
            "milp_solver": self._solver,
            "solver_seconds": 0.0,
            "peak_memory": 0,
        }
        uncertified = False
        for formula in formulas_of(self._question, self._breadths):
            if formula.query in formula.fixed:
                return self._constant(formula, theta)
            program, columns = encode(formula, theta, self._question.budget)
            stats |= {
                "variables": len(program.lower),
                "binaries": sum(program.integer),
                "rows": len(program.rows),
            }
            start = time.monotonic()
            reply = call(self._search, program, self._question.budget)
            stats["solver_seconds"] = float(stats["solver_seconds"]) + round(time.monotonic() - start, 6)
            stats["peak_memory"] = max(int(stats["peak_memory"]), reply.peak_memory)
            if reply.result.status is MilpStatus.INFEASIBLE:
                continue
            evidence = self._certified(formula, {p: reply.result.point[j] for p, j in columns.items()}, theta)
            stats["linear_programs"] = self._tally.solved
            if evidence is not None:
                return Finding(Answer.HOLDS, upper=evidence, stats=stats)
            uncertified = True
        if uncertified:
            reason = "a solution was found in floating point, and its couplings do not prove the threshold"
            return Finding(Answer.UNKNOWN, reason=reason, hint=Answer.HOLDS, stats=stats)
        reason = "no solution in floating point, which proves nothing"
        return Finding(Answer.UNKNOWN, reason=reason, hint=Answer.VIOLATED, stats=stats)

    def _constant(self, formula: Formula, theta: Fraction) -> Finding:
        """The query's distance depends on no other pair: there is nothing to search for."""
        evidence = self._certified(formula, {}, theta)
        if evidence is not None:
            return Finding(Answer.HOLDS, upper=evidence)
        return Finding(Answer.UNKNOWN, reason="the distance is a constant above theta", hint=Answer.VIOLATED)

    def _certified(
        self, formula: Formula, proposal: Mapping[int, float], theta: Fraction
    ) -> UpperEvidence | None:
        table = {pair: fmpq(round(x * _GRID), _GRID) for pair, x in proposal.items()}
        return evidence_from_table(self._lifter, formula, table, theta, self._question.budget)


def encode(formula: Formula, theta: Fraction, budget: Budget) -> tuple[MixedProgram, dict[int, int]]:
    """The mixed-integer program of a formula at a threshold, and the column of each free pair's value.

    Raises: Stopped.
    """
    program = MixedProgram()
    largest = _values_at_one(formula)
    columns = {pair: program.column(0.0, largest[pair]) for pair in formula.free}
    program.upper[columns[formula.query]] = min(largest[formula.query], float(theta))
    for inequality in formula.open_inequalities:
        budget.check()
        value_row = [(columns[inequality.pair], -1.0)]
        for term in inequality.terms:
            value_row += _encode_term(program, formula, term, columns)
        program.at_most(value_row, -float(inequality.leak))  # leak + f.c <= d(p)
    return program, columns


def _values_at_one(formula: Formula) -> dict[int, float]:
    """Gamma of the table that is 1 everywhere: an upper bound that keeps the big-M constants small."""
    space = formula.space
    return {pair: float(max(space.gain(pair, side) for side in Direction)) for pair in formula.free}


def _encode_term(
    program: MixedProgram, formula: Formula, term: Term, columns: Mapping[int, int]
) -> list[tuple[int, float]]:
    """Variables and complementarity of one term; returns its value f.c as a row."""
    alpha = float(formula.space.alpha)
    f = {i: program.column(0.0, 1.0) for i in term.states}
    surplus: dict[int, list[tuple[int, float]]] = {i: [] for i in term.states}  # out_i + b_i - alpha in_i
    for i, j in term.arcs():
        pair = formula.space.number[i, j]
        fixed = formula.fixed.get(pair)
        if fixed is not None and fixed >= ONE:
            continue  # an arc at distance 1 is no better than a leak
        w, used = program.column(0.0, 1.0), program.column(0.0, 1.0, integer=True)
        surplus[i].append((w, 1.0))
        surplus[j].append((w, -alpha))
        # f_i - alpha f_j <= d(i,j), with equality where the arc is used
        row, constant = [(f[i], 1.0), (f[j], -alpha)], 0.0
        if fixed is None:
            row.append((columns[pair], -1.0))
            largest = program.upper[columns[pair]] + alpha
        else:
            constant = float(fixed)
            largest = constant + alpha
        program.at_most(row, constant)
        program.at_most([(w, 1.0), (used, -1.0)], 0.0)
        program.at_most([(k, -x) for k, x in row] + [(used, largest)], largest - constant)
    for i, c in zip(term.states, term.coefficients, strict=True):
        if c > 0:
            b, full = program.column(0.0, float(c)), program.column(0.0, 1.0, integer=True)
            surplus[i].append((b, 1.0))
            program.at_most([(b, 1.0), (full, -float(c))], 0.0)
            program.at_most([(f[i], -1.0), (full, 1.0)], 0.0)
        demand = [(k, -x) for k, x in surplus[i]]
        program.at_most(demand, -float(c))  # the demand is met
        most = max(0.0, -float(c))
        if most == 0.0:  # no surplus at a state that demands
            program.at_most(surplus[i], float(c))
            continue
        valued = program.column(0.0, 1.0, integer=True)
        program.at_most([(f[i], 1.0), (valued, -1.0)], 0.0)
        program.at_most([*surplus[i], (valued, most)], float(c) + most)
    return [(f[i], float(c)) for i, c in zip(term.states, term.coefficients, strict=True) if c]


def open_session(question: Question, options: Options) -> Session:
    """A session of mixed-integer programs."""
    return _MilpSession(question, options)


BACKEND = Backend(
    "milp", "complementarity as binary variables, for HiGHS or CBC; certifies HOLDS", False, open_session
)

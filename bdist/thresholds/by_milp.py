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

A float MILP proves nothing: feasibility is up to a tolerance, and "infeasible" is the conclusion of a search
in floating point. A table is a proposal, which `evidence_from_table` turns into a bound; "infeasible" is a
hint. The program is plain data that can be sent to another process, the same for HiGHS and for PuLP with CBC.
Their statuses are mapped totally: one that we do not know raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from flint import fmpq

from bdist.budget import Budget
from bdist.distances.pairs import Direction
from bdist.errors import ParameterError
from bdist.exact.rationals import ONE
from bdist.lp.highs import highs_model, new_highs, run_highs
from bdist.lp.pulp_cbc import pulp_problem, run_cbc
from bdist.results import Answer
from bdist.thresholds.formula import Formula, Term, evidence_from_table, formulas_of
from bdist.thresholds.question import Finding, Options, Question, ask_solver, new_stats

TOLERANCE = 1e-9
_GRID = 2**60


@dataclass
class MixedProgram:
    """lower <= x <= upper, rows.x <= limits, x[j] integer where ``integer[j]``: any such x will do."""

    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    integer: list[bool] = field(default_factory=list)
    rows: list[list[tuple[int, float]]] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)

    def column(self, lower: float, upper: float, *, integer: bool = False) -> int:
        """Add a variable and return its number."""
        self.lower.append(lower)
        self.upper.append(upper)
        self.integer.append(integer)
        return len(self.lower) - 1

    def at_most(self, row: list[tuple[int, float]], limit: float) -> None:
        """Add the constraint row.x <= limit."""
        self.rows.append(row)
        self.limits.append(limit)


def search_with_highs(program: MixedProgram) -> tuple[float, ...] | None:
    """A point by HiGHS's branch and bound, or None where it finds the program infeasible."""
    import highspy

    highs = new_highs(mip_feasibility_tolerance=TOLERANCE, primal_feasibility_tolerance=TOLERANCE)
    costs = [0.0] * len(program.lower)
    model = highs_model(costs, program.lower, program.upper, program.rows, program.limits)
    kinds = highspy.HighsVarType
    model.integrality_ = [kinds.kInteger if flag else kinds.kContinuous for flag in program.integer]
    return tuple(highs.getSolution().col_value) if run_highs(highs, model) else None


def search_with_pulp(program: MixedProgram) -> tuple[float, ...] | None:
    """The same by PuLP with the CBC that it brings."""
    import pulp

    variables = [
        pulp.LpVariable(f"x{j}", low, high, cat="Integer" if flag else "Continuous")
        for j, (low, high, flag) in enumerate(zip(program.lower, program.upper, program.integer, strict=True))
    ]
    problem = pulp_problem(variables, [0.0] * len(variables), program.rows, program.limits)
    found = run_cbc(problem, ["primalT", str(TOLERANCE), "integerT", str(TOLERANCE)])
    return tuple(x.varValue or 0.0 for x in variables) if found else None


DEFAULT_SOLVER = "highs"
MILP_SOLVERS: Mapping[str, Callable[[MixedProgram], tuple[float, ...] | None]] = MappingProxyType(
    {"highs": search_with_highs, "pulp": search_with_pulp}
)


class MilpSession:
    """The backend at work on one pair of states."""

    def __init__(self, question: Question, options: Options) -> None:
        solver = options.milp_solver or DEFAULT_SOLVER
        if solver not in MILP_SOLVERS:
            raise ParameterError(
                f"there is no MILP solver '{solver}'; choose one of {', '.join(MILP_SOLVERS)}"
            )
        self._question = question
        self._search = MILP_SOLVERS[solver]
        self._solver = solver

    def decide(self, theta: Fraction) -> Finding:
        """HOLDS with couplings that are optimal at the solver's table; UNKNOWN where they prove too little.

        Raises: Stopped, BackendError.
        """
        if theta < 0:
            return Finding(Answer.UNKNOWN, reason="distances are never negative", hint=Answer.VIOLATED)
        budget, stats = self._question.budget, {"milp_solver": self._solver, **new_stats()}
        reason, hint = "no solution in floating point, which proves nothing", Answer.VIOLATED
        for formula in formulas_of(self._question):
            if formula.query in formula.fixed:  # it depends on no other pair: there is nothing to search for
                evidence = evidence_from_table(formula, {}, theta, stats)
                if evidence is not None:
                    return Finding(Answer.HOLDS, upper=evidence)
                return Finding(
                    Answer.UNKNOWN, reason="the distance is a constant above theta", hint=Answer.VIOLATED
                )
            program, columns = encode(formula, theta, budget)
            stats |= {
                "variables": len(program.lower),
                "binaries": sum(program.integer),
                "rows": len(program.rows),
            }
            point = ask_solver(self._search, program, budget, stats)
            if point is None:
                continue
            table = {pair: fmpq(round(point[j] * _GRID), _GRID) for pair, j in columns.items()}
            evidence = evidence_from_table(formula, table, theta, stats)
            if evidence is not None:
                return Finding(Answer.HOLDS, upper=evidence, stats=stats)
            reason = "a solution was found in floating point, and its couplings do not prove the threshold"
            hint = Answer.HOLDS
        return Finding(Answer.UNKNOWN, reason=reason, hint=hint, stats=stats)


def encode(formula: Formula, theta: Fraction, budget: Budget) -> tuple[MixedProgram, dict[int, int]]:
    """The mixed-integer program of a formula at a threshold, and the column of each free pair's value.

    Raises: Stopped.
    """
    program = MixedProgram()
    space = formula.space
    # Gamma of the table that is 1 everywhere: an upper bound that keeps the big-M constants small
    largest = {pair: float(max(space.gain(pair, side) for side in Direction)) for pair in formula.free}
    columns = {pair: program.column(0.0, largest[pair]) for pair in formula.free}
    program.upper[columns[formula.query]] = min(largest[formula.query], float(theta))
    for inequality in formula.open_inequalities:
        budget.check()
        value_row = [(columns[inequality.pair], -1.0)]
        for term in inequality.terms:
            value_row += _encode_term(program, formula, term, columns)
        program.at_most(value_row, -float(inequality.leak))  # leak + f.c <= d(p)
    return program, columns


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
        row, constant = [(f[i], 1.0), (f[j], -alpha)], 0.0 if fixed is None else float(fixed)
        largest = constant + alpha
        if fixed is None:
            row.append((columns[pair], -1.0))
            largest = program.upper[columns[pair]] + alpha
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

"""PuLP with the CBC solver that it brings: values and multipliers that propose a basis.

PuLP shows a solution, not a basis, so one is read off: a variable strictly inside its box must be basic, a
row with a positive multiplier must be tight. Where that is not a square system (a degenerate vertex), rows
that hold with equality up to rounding are added, or variables at an end of their box whose reduced cost is
about zero, as long as they raise the exact rank. What comes out is a guess like any other and is certified or
refused exactly. CBC runs as a separate process: this backend is for comparison, not for speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bdist.errors import BackendError
from bdist.lp.highs import Real, Rows
from bdist.lp.program import Basis, LinearProgram, Place, tight_matrix

_ROUNDING = 1e-7


def propose(program: LinearProgram) -> Basis | None:
    """A basis read off CBC's solution; None where the program is infeasible or none could be read off."""
    import pulp

    variables = [pulp.LpVariable(f"x{j}", 0, float(cap)) for j, cap in enumerate(program.caps)]
    minimised = [-float(cost) for cost in program.objective]
    problem = pulp_problem(variables, minimised, program.rows, program.limits)
    return _read_off(program, problem, variables) if run_cbc(problem) else None


def pulp_problem(variables: list[Any], costs: list[float], rows: Rows, limits: Sequence[Real]) -> Any:
    """Minimise costs.x subject to rows.x <= limits, as PuLP has it; the rows are called r0, r1, ..."""
    import pulp

    problem = pulp.LpProblem("program", pulp.LpMinimize)
    problem += pulp.lpSum(cost * x for cost, x in zip(costs, variables, strict=True))
    for k, (row, limit) in enumerate(zip(rows, limits, strict=True)):
        problem += pulp.lpSum(float(entry) * variables[j] for j, entry in row) <= float(limit), f"r{k}"
    return problem


def run_cbc(problem: Any, options: Sequence[str] = ()) -> bool:
    """Whether CBC finds an optimum; not where it finds the problem infeasible. Raises: BackendError."""
    import pulp

    try:
        status = problem.solve(pulp.PULP_CBC_CMD(msg=False, options=list(options)))
    except pulp.PulpSolverError as error:
        raise BackendError(f"PuLP could not run its CBC solver: {error}") from None
    if status not in (pulp.LpStatusOptimal, pulp.LpStatusInfeasible):
        raise BackendError(f"CBC stopped with the status '{pulp.LpStatus[status]}'")
    return bool(status == pulp.LpStatusOptimal)


def _read_off(program: LinearProgram, problem: Any, variables: list[Any]) -> Basis | None:
    point = [variable.varValue or 0.0 for variable in variables]
    reduced = [variable.dj or 0.0 for variable in variables]
    rows = [problem.constraints[f"r{k}"] for k in range(len(program.rows))]
    must_rows = [k for k, row in enumerate(rows) if abs(row.pi or 0.0) > _ROUNDING]
    may_rows = [
        k for k, row in enumerate(rows) if k not in set(must_rows) and abs(row.slack or 0.0) <= _ROUNDING
    ]
    inside = [
        j
        for j, (x, cap) in enumerate(zip(point, program.caps, strict=True))
        if _ROUNDING < x < float(cap) - _ROUNDING
    ]
    at_end = [j for j in range(len(point)) if j not in set(inside) and abs(reduced[j]) <= _ROUNDING]
    tight, basic = _square(program, must_rows, may_rows, inside, at_end)
    if len(tight) != len(basic):
        return None
    places = tuple(
        Place.BASIC if j in basic else Place.UPPER if x > float(cap) / 2 else Place.LOWER
        for j, (x, cap) in enumerate(zip(point, program.caps, strict=True))
    )
    return Basis(places, tuple(sorted(tight)))


def _square(
    program: LinearProgram, must_rows: list[int], may_rows: list[int], inside: list[int], at_end: list[int]
) -> tuple[set[int], set[int]]:
    """Grow (rows, variables) to a square system of full rank, if the candidates allow it."""
    tight, basic = list(must_rows), list(inside)
    for k in may_rows:
        if len(tight) >= len(basic):
            break
        if tight_matrix(program, [*tight, k], basic).rank() > len(tight):
            tight.append(k)
    for j in at_end:
        if len(basic) >= len(tight):
            break
        if tight_matrix(program, tight, [*basic, j]).rank() > len(basic):
            basic.append(j)
    return set(tight), set(basic)

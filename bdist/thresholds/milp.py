"""Mixed-integer programs through HiGHS and through PuLP with CBC, in floating point.

A program is plain data that can be sent to another process. What comes back is a status and a point, both no
more than a proposal: feasibility is up to a tolerance, and "infeasible" is the conclusion of a search in
floating point. Statuses are mapped totally: one that we do not know raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from types import MappingProxyType
from typing import Any

from bdist.errors import BackendError

TOLERANCE = 1e-9


class MilpStatus(Enum):
    """How a search ended."""

    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"


@dataclass
class MixedProgram:
    """minimise cost.x subject to lower <= x <= upper, rows.x <= limits, x[j] integer where ``integer[j]``."""

    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    cost: list[float] = field(default_factory=list)
    integer: list[bool] = field(default_factory=list)
    rows: list[list[tuple[int, float]]] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)

    def column(self, lower: float, upper: float, *, integer: bool = False) -> int:
        """Add a variable and return its number."""
        self.lower.append(lower)
        self.upper.append(upper)
        self.cost.append(0.0)
        self.integer.append(integer)
        return len(self.lower) - 1

    def at_most(self, row: list[tuple[int, float]], limit: float) -> None:
        """Add the constraint row.x <= limit."""
        self.rows.append(row)
        self.limits.append(limit)


@dataclass(frozen=True)
class MilpOutcome:
    """How the search ended, and the point that it found."""

    status: MilpStatus
    point: tuple[float, ...] = ()


def search_with_highs(program: MixedProgram) -> MilpOutcome:
    """HiGHS's branch and bound."""
    import numpy as np

    highspy: Any = import_module("highspy")
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(program.lower), len(program.rows)
    model.col_cost_ = np.array(program.cost)
    model.col_lower_, model.col_upper_ = np.array(program.lower), np.array(program.upper)
    model.row_lower_ = np.full(len(program.rows), -highspy.kHighsInf)
    model.row_upper_ = np.array(program.limits)
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.cumsum([0, *(len(row) for row in program.rows)]).astype(np.int32)
    model.a_matrix_.index_ = np.array([j for row in program.rows for j, _ in row], dtype=np.int32)
    model.a_matrix_.value_ = np.array([x for row in program.rows for _, x in row])
    model.integrality_ = [
        highspy.HighsVarType.kInteger if flag else highspy.HighsVarType.kContinuous
        for flag in program.integer
    ]
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("mip_feasibility_tolerance", TOLERANCE)
    highs.setOptionValue("primal_feasibility_tolerance", TOLERANCE)
    if highs.passModel(model) == highspy.HighsStatus.kError:
        raise BackendError("HiGHS refused the mixed-integer program")
    highs.run()
    status = highs.getModelStatus()
    if status == highspy.HighsModelStatus.kOptimal:
        return MilpOutcome(MilpStatus.FEASIBLE, tuple(highs.getSolution().col_value))
    if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
        return MilpOutcome(MilpStatus.INFEASIBLE)
    raise BackendError(f"HiGHS stopped with the status '{highs.modelStatusToString(status)}'")


def search_with_pulp(program: MixedProgram) -> MilpOutcome:
    """PuLP with the CBC that it brings."""
    import pulp

    problem = pulp.LpProblem("threshold", pulp.LpMinimize)
    variables = [
        pulp.LpVariable(f"x{j}", low, high, cat="Integer" if flag else "Continuous")
        for j, (low, high, flag) in enumerate(zip(program.lower, program.upper, program.integer, strict=True))
    ]
    problem += pulp.lpSum(c * x for c, x in zip(program.cost, variables, strict=True))
    for k, (row, limit) in enumerate(zip(program.rows, program.limits, strict=True)):
        problem += pulp.lpSum(entry * variables[j] for j, entry in row) <= limit, f"r{k}"
    options = ["primalT", str(TOLERANCE), "integerT", str(TOLERANCE)]
    status = problem.solve(pulp.PULP_CBC_CMD(msg=False, options=options))
    if status == pulp.LpStatusOptimal:
        return MilpOutcome(MilpStatus.FEASIBLE, tuple(x.varValue or 0.0 for x in variables))
    if status == pulp.LpStatusInfeasible:
        return MilpOutcome(MilpStatus.INFEASIBLE)
    raise BackendError(f"CBC stopped with the status '{pulp.LpStatus[status]}'")


MILP_SOLVERS: Mapping[str, Callable[[MixedProgram], MilpOutcome]] = MappingProxyType(
    {"highs": search_with_highs, "pulp": search_with_pulp}
)

"""HiGHS through highspy: a float dual simplex that proposes a basis.

Presolve is off, because it can return points without a basis and costs more than programs of this size; so is
logging. One HiGHS instance a thread is kept and reloaded: making one costs more than solving with it.
"""

from __future__ import annotations

import threading
from typing import Any

from bdist.errors import BackendError
from bdist.lp.program import Basis, LinearProgram, Place

_local = threading.local()


def propose(program: LinearProgram) -> Basis | None:
    """The basis at which HiGHS stops; None where it finds the program infeasible or stops without a basis."""
    import highspy  # imported when first used: together they cost a fifth of a second
    import numpy as np

    highs = _instance(highspy)
    count, rows = len(program.objective), len(program.rows)
    starts = np.zeros(rows + 1, dtype=np.int32)
    columns: list[int] = []
    values: list[float] = []
    for k, row in enumerate(program.rows):
        for j, entry in row:
            columns.append(j)
            values.append(float(entry))
        starts[k + 1] = len(columns)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = count, rows
    model.sense_ = highspy.ObjSense.kMaximize
    model.col_cost_ = np.array([float(c) for c in program.objective])
    model.col_lower_ = np.zeros(count)
    model.col_upper_ = np.array([float(u) for u in program.caps])
    model.row_lower_ = np.full(rows, -highspy.kHighsInf)
    model.row_upper_ = np.array([float(h) for h in program.limits])
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = starts
    model.a_matrix_.index_ = np.array(columns, dtype=np.int32)
    model.a_matrix_.value_ = np.array(values)
    if highs.passModel(model) == highspy.HighsStatus.kError:
        raise BackendError("HiGHS refused the linear program")
    highs.run()
    status = highs.getModelStatus()
    if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
        return None
    if status != highspy.HighsModelStatus.kOptimal:
        raise BackendError(f"HiGHS stopped with the status '{highs.modelStatusToString(status)}'")
    basis = highs.getBasis()
    if not basis.valid:
        return None
    places = {
        highspy.HighsBasisStatus.kLower: Place.LOWER,
        highspy.HighsBasisStatus.kUpper: Place.UPPER,
        highspy.HighsBasisStatus.kBasic: Place.BASIC,
    }
    try:
        columns_at = tuple(places[status] for status in basis.col_status)
    except KeyError as error:
        raise BackendError(f"HiGHS gave a variable the basis status {error}") from None
    tight = tuple(k for k, status in enumerate(basis.row_status) if status != highspy.HighsBasisStatus.kBasic)
    return Basis(columns_at, tight)


def _instance(highspy: Any) -> Any:
    highs = getattr(_local, "highs", None)
    if highs is None:
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.setOptionValue("presolve", "off")
        highs.setOptionValue("threads", 1)
        _local.highs = highs
    return highs

"""HiGHS through highspy: a float dual simplex that proposes a basis, and what else is given to HiGHS.

Presolve is off, because it can return points without a basis and costs more than programs of this size; so is
logging. One HiGHS instance a thread is kept and reloaded: making one costs more than solving with it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from flint import fmpq

from bdist.errors import BackendError
from bdist.lp.program import Basis, LinearProgram, Place

Real = float | fmpq
Rows = Sequence[Sequence[tuple[int, Real]]]

_local = threading.local()


def propose(program: LinearProgram) -> Basis | None:
    """The basis at which HiGHS stops; None where it finds the program infeasible or stops without a basis."""
    import highspy  # imported when first used: together with numpy it costs a fifth of a second

    if not hasattr(_local, "highs"):
        _local.highs = new_highs(presolve="off", threads=1)
    highs = _local.highs
    nothing = [0.0] * len(program.objective)
    model = highs_model(program.objective, nothing, program.caps, program.rows, program.limits)
    model.sense_ = highspy.ObjSense.kMaximize
    if not run_highs(highs, model):
        return None
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


def highs_model(
    costs: Sequence[Real], lower: Sequence[Real], upper: Sequence[Real], rows: Rows, limits: Sequence[Real]
) -> Any:
    """costs.x subject to rows.x <= limits and lower <= x <= upper, as HiGHS is given it."""
    import highspy
    import numpy as np

    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(costs), len(rows)
    model.col_cost_, model.col_lower_, model.col_upper_ = map(_floats, (costs, lower, upper))
    model.row_lower_, model.row_upper_ = np.full(len(rows), -highspy.kHighsInf), _floats(limits)
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    model.a_matrix_.index_ = np.array([j for row in rows for j, _ in row], dtype=np.int32)
    model.a_matrix_.value_ = _floats([entry for row in rows for _, entry in row])
    return model


def _floats(numbers: Sequence[Real]) -> Any:
    import numpy as np

    return np.array([float(number) for number in numbers])


def run_highs(highs: Any, model: Any) -> bool:
    """Whether HiGHS finds an optimum; not where it finds the program infeasible. Raises: BackendError."""
    import highspy

    if highs.passModel(model) == highspy.HighsStatus.kError:
        raise BackendError("HiGHS refused the program")
    highs.run()
    status = highs.getModelStatus()
    if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
        return False
    if status != highspy.HighsModelStatus.kOptimal:
        raise BackendError(f"HiGHS stopped with the status '{highs.modelStatusToString(status)}'")
    return True


def new_highs(**options: str | float) -> Any:
    """An instance of HiGHS that prints nothing, with some options."""
    highspy: Any = import_module("highspy")
    highs = highspy.Highs()
    for name, value in {"output_flag": False, **options}.items():
        highs.setOptionValue(name, value)
    return highs

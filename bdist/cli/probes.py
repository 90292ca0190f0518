"""A tiny problem for every engine, with an answer that is known: does it work on this machine?

An import that succeeds says little. A wheel built for another processor, a missing CBC binary or a library of
the wrong version show when something is solved, sometimes by ending the process. So every probe solves,
compares with ==, and is run in a process of its own. It raises BackendError where the answer is wrong; other
exceptions are the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from flint import fmpq

from bdist.budget import Budget, Stopped
from bdist.errors import BackendError
from bdist.lp import highs, pulp_cbc, simplex, smt
from bdist.lp.batch import new_batch
from bdist.lp.program import Basis, LinearProgram, Optimum, certify_basis
from bdist.processes import call
from bdist.thresholds.circuits import solve_cnf

PATIENCE = 60.0  # seconds


def trouble(name: str) -> str | None:
    """Why the probe of an engine fails, or None where it succeeds. Requires: ``name`` is one of `PROBES`."""
    try:
        call(_run, name, Budget(PATIENCE))
    except Stopped:
        return f"no answer within {PATIENCE:g} s"
    except BackendError as error:
        return str(error).rpartition("failed: ")[2]
    return None


def _run(name: str) -> bool:
    """What the process does; it must return something."""
    PROBES[name]()
    return True


def lift() -> LinearProgram:
    """max f0 - f1/4 subject to f0 - 2 f1 <= 1/2: at f = (1, 1/4) it is 15/16."""
    return LinearProgram(
        [fmpq(1), fmpq(-1, 4)], [((0, fmpq(1)), (1, fmpq(-2)))], [fmpq(1, 2)], [fmpq(1), fmpq(1)]
    )


def kernel() -> None:
    """The compiled kernel, or what stands in for it."""
    import numpy as np

    batch = new_batch(2.0, "kernel")
    first = np.zeros(1, dtype=np.int32)
    batch.append(
        np.array([2], dtype=np.int32), np.array([1.0, -0.25]), np.array([-1, 0, -1, -1], dtype=np.int32)
    )
    value = batch.solve(first, np.array([0.5]), 1)[0]
    _expect(float(value), 0.9375)
    _expect(batch.functions(first).tolist(), [1.0, 0.25])


def highs_simplex() -> None:
    """HiGHS."""
    _check_proposal(highs.propose)


def pulp_with_cbc() -> None:
    """PuLP and the CBC that it brings."""
    _check_proposal(pulp_cbc.propose)


def exact_simplex() -> None:
    """The exact simplex, on FLINT's rationals."""
    _check_optimum(simplex.maximise(lift()))


def cadical_sat() -> None:
    """CaDiCaL through python-sat."""
    _expect(solve_cnf([[1, 2], [-1, 2], [1, -2]]), [1, 2])
    _expect(solve_cnf([[1], [-1]]), None)


def z3_reals() -> None:
    """Z3 on nonlinear real arithmetic."""
    outcome = smt.solve_script("(declare-const x Real) (assert (= (* x x) 4.0)) (assert (> x 0.0))")
    _expect((outcome.status, outcome.values), (smt.SmtStatus.SAT, {"x": Fraction(2)}))


def matplotlib_svg() -> None:
    """matplotlib, by drawing a line into memory."""
    from io import BytesIO

    from matplotlib.figure import Figure

    figure, drawing = Figure(), BytesIO()
    figure.add_subplot().plot([0, 1], [1, 0])
    figure.savefig(drawing, format="svg")
    _expect(b"</svg>" in drawing.getvalue(), True)


def _check_proposal(propose: Callable[[LinearProgram], Basis | None]) -> None:
    basis = propose(lift())
    _check_optimum(None if basis is None else certify_basis(lift(), basis))


def _check_optimum(optimum: Optimum | None) -> None:
    _expect(None if optimum is None else optimum.value, fmpq(15, 16))


def _expect(found: object, wanted: object) -> None:
    if found != wanted:
        raise BackendError(f"answers {found} where {wanted} is right")


PROBES: Mapping[str, Callable[[], None]] = MappingProxyType(
    {
        "kernel": kernel,
        "highs": highs_simplex,
        "pulp": pulp_with_cbc,
        "exact": exact_simplex,
        "cadical": cadical_sat,
        "z3": z3_reals,
        "matplotlib": matplotlib_svg,
    }
)

"""Linear-programming engines behind one small interface, and the one function that makes their answers exact.

An engine *proposes* a basis; `solve` turns it into an exact optimum or, where the proposal does not hold
(floats cannot tell ties below 1e-9 apart), solves with the exact simplex instead. So every engine returns the
same value, with ==, and only the time differs. Many programs of the one shape that lifts have are better
solved at once: see `batch`.

The table below is the one place that names engines: the command line, the solver of single programs and the
batches read it. A module that proposes is loaded when it is first asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType

from bdist.errors import ParameterError
from bdist.lp import simplex
from bdist.lp.program import Basis, LinearProgram, Optimum, certify_basis, starting_basis

_LARGEST = 10**15  # solvers in floating point refuse coefficients from here on


@dataclass(frozen=True)
class Engine:
    """One way to solve small linear programs.

    ``proposer`` is the module here whose ``propose`` is asked; None for the exact simplex, which proposes
    nothing. ``asked_from`` is the number of variables from which it is asked at all, and ``compiled`` says
    that batches go to the compiled kernel, where there is one.
    """

    name: str
    proposer: str | None
    asked_from: int = 0
    compiled: bool = False

    def propose(self, program: LinearProgram) -> Basis | None:
        """The basis that the engine believes to be optimal; None where it has none, or proposes nothing."""
        if self.proposer is None or any(abs(c) >= _LARGEST for row in program.rows for _, c in row):
            return None
        basis: Basis | None = import_module(f"{__name__}.{self.proposer}").propose(program)
        return basis


@dataclass
class Tally:
    """How the linear programs of a computation were settled."""

    solved: int = 0
    kept: int = 0
    proposed: int = 0
    repaired: int = 0


ENGINES: Mapping[str, Engine] = MappingProxyType(
    {
        engine.name: engine
        for engine in (
            # the exact simplex up to 7 variables, where it is faster than any float solver, and HiGHS beyond
            Engine("auto", "highs", asked_from=8, compiled=True),
            Engine("highs", "highs"),
            Engine("pulp", "pulp_cbc"),
            Engine("exact", None),
            # the compiled simplex for lifts, and HiGHS where it does not apply
            Engine("kernel", "batch", compiled=True),
        )
    }
)
DEFAULT_ENGINE = "auto"


def engine_named(name: str) -> Engine:
    """Look an engine up. Raises: ParameterError with the names there are."""
    try:
        return ENGINES[name]
    except KeyError:
        raise ParameterError(f"there is no LP backend '{name}'; choose one of {', '.join(ENGINES)}") from None


def solve(
    program: LinearProgram, engine: Engine, *, start: Basis | None = None, tally: Tally | None = None
) -> Optimum | None:
    """The exact optimum of a program, or None where it is infeasible.

    ``start`` is a basis that may still be optimal, as after a small change of the program; it is tried first
    and costs one exact check.
    """
    tally = tally if tally is not None else Tally()
    tally.solved += 1
    if not program.rows:
        tally.kept += 1
        return certify_basis(program, starting_basis(program))
    if start is not None:
        kept = certify_basis(program, start)
        if kept is not None:
            tally.kept += 1
            return kept
    if len(program.objective) >= engine.asked_from:
        proposal = engine.propose(program)
        if proposal is not None:
            certified = certify_basis(program, proposal)
            if certified is not None:
                tally.proposed += 1
                return certified
            tally.repaired += 1
            return simplex.maximise(program, proposal)
    return simplex.maximise(program, start)

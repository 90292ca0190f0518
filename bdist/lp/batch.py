"""Directed lifts by the thousand, in floating point, behind one interface.

    maximise  sum c_i f_i   subject to   0 <= f_i <= 1   and   f_i - alpha f_j <= d(i,j)

A *batch* holds many such programs over one table: costs and the numbers of the table's entries are given
once, the table with every solve. Each program starts from the basis at which it ended last time, which suits
a sequence of tables that converge. Values, functions, couplings and bases are proposals; whoever states a
result certifies a basis with `program.certify_basis`.

Two classes have the interface. The compiled one, `bdist.lp._kernel.Batch` with its sources in `kernel/`,
takes about a microsecond a program where HiGHS takes a few hundred to be given it, and uses several threads.
The portable one works wherever Python does, and solves through HiGHS, PuLP or the exact simplex. Which one it
is changes the time and, where optima are not unique, which of them is found; not the values.

Why not numba: it weighs more than everything else together, and compiles again in each fresh process. Why not
Cython or the C API by hand: the part that matters is plain C++ either way, and nanobind checks the arrays.

The environment variable ``BDIST_KERNEL=off`` hides the compiled class, for comparison and in case of trouble.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from bdist.lp import engine_named, highs
from bdist.lp.program import Basis, LinearProgram, Place

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    Integers: TypeAlias = npt.NDArray[np.int32]
    Offsets: TypeAlias = npt.NDArray[np.int64]
    Reals: TypeAlias = npt.NDArray[np.float64]
    Places: TypeAlias = npt.NDArray[np.uint8]

SWITCH = "BDIST_KERNEL"
PLACES = (Place.LOWER, Place.UPPER, Place.BASIC)  # by number, as `Batch.bases` gives them
MOST_VARIABLES = 1024
_ONE_THREAD = 1_000  # unknowns for which threads cost more than they save


class Batch(Protocol):
    """Many directed lifts over one table.

    Arrays are one-dimensional, contiguous and of the type that is written; anything else is a TypeError, and
    wrong lengths or numbers are a ValueError.
    """

    def __len__(self) -> int:
        """How many programs there are."""

    def append(self, sizes: Integers, costs: Reals, arcs: Integers) -> None:
        """Add programs, numbered on from the last.

        Requires: ``costs`` has n entries a program, and ``arcs`` has n*n: at i*n+j the number of the table's
        entry that bounds f_i - alpha f_j, or -1 for no constraint, as always for i = j.
        """

    def solve(self, programs: Integers, table: Reals, threads: int) -> Reals:
        """The optimal values, the same for every number of threads; NaN where the solver failed.

        Requires: no program twice; no entry of the table that is read is NaN or negative. Ensures: an entry
        of 1 or more is no constraint and never tight.
        """

    def functions(self, programs: Integers) -> Reals:
        """The last optimal f of programs, one after another. Raises: ValueError without a solution."""

    def couplings(self, programs: Integers) -> tuple[Offsets, Integers, Reals, Reals]:
        """The last optimal multipliers: offsets into what follows, positions i*n+j, weights; caps b_i of all.

        Only positive weights are listed, in the order of their positions.
        """

    def bases(self, programs: Integers) -> tuple[Places, Offsets, Integers]:
        """The last bases: places as in `PLACES`, offsets, and the positions i*n+j of tight arcs in order."""


class Presence(Enum):
    """Whether the compiled class can be used."""

    COMPILED = "compiled"
    SWITCHED_OFF = "switched off"
    MISSING = "missing"


@dataclass(frozen=True)
class KernelState:
    """Whether the compiled class can be used; with what it was compiled, or why it cannot."""

    presence: Presence
    detail: str


def kernel_state() -> KernelState:
    """Look for the compiled class."""
    if os.environ.get(SWITCH, "").strip().lower() in ("off", "0"):
        return KernelState(Presence.SWITCHED_OFF, f"by {SWITCH}={os.environ[SWITCH]}")
    try:
        return KernelState(Presence.COMPILED, str(compiled_module().COMPILER))
    except ImportError as error:
        return KernelState(Presence.MISSING, str(error))


def compiled_module() -> Any:
    """The compiled kernel. Requires: it is there."""
    return import_module("bdist.lp._kernel")


def new_batch(alpha: float, engine: str = "auto") -> Batch:
    """An empty batch.

    ``auto`` and ``kernel`` are the compiled class where it is there, and HiGHS otherwise; ``highs``, ``pulp``
    and ``exact`` are the portable class with that engine. Raises: ParameterError for another engine,
    ValueError unless alpha is finite and at least 1.
    """
    chosen = engine_named(engine)
    if chosen.compiled and kernel_state().presence is Presence.COMPILED:
        compiled: Batch = compiled_module().Batch(alpha)
        return compiled
    from bdist.lp.portable_batch import PortableBatch  # it needs numpy, which is slow to import

    return PortableBatch(alpha, engine_named("highs") if chosen.compiled else chosen)


def solve_dense(matrix: Reals, right: Reals) -> Reals | None:
    """The solution of a square system, None where it is singular; on one thread unless it is large."""
    import numpy as np

    if len(right) <= _ONE_THREAD and kernel_state().presence is Presence.COMPILED:
        found: Reals = compiled_module().solve_dense(np.ascontiguousarray(matrix).ravel(), right)
        return found if len(found) == len(right) else None
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None


def propose(program: LinearProgram) -> Basis | None:
    """The kernel's basis of one program, for the interface that solves them one at a time.

    A program that is not a directed lift goes to HiGHS, and so does every one where there is no kernel.
    """
    arcs = _positions_of_arcs(program)
    if arcs is None or kernel_state().presence is not Presence.COMPILED:
        return highs.propose(program)
    import numpy as np

    count = len(program.objective)
    numbers = np.full(count * count, -1, dtype=np.int32)
    numbers[arcs] = np.arange(len(arcs), dtype=np.int32)
    batch = new_batch(float(-min(entry for _, entry in program.rows[0])), "kernel")
    batch.append(np.array([count], dtype=np.int32), np.array([float(c) for c in program.objective]), numbers)
    first = np.zeros(1, dtype=np.int32)
    if np.isnan(batch.solve(first, np.array([float(h) for h in program.limits]), 1)[0]):
        return highs.propose(program)
    places, _, tight = batch.bases(first)
    row_at = {position: k for k, position in enumerate(arcs)}
    return Basis(tuple(PLACES[p] for p in places), tuple(row_at[int(position)] for position in tight))


def _positions_of_arcs(program: LinearProgram) -> list[int] | None:
    """The position i*n+j of every row, or None unless the program is a directed lift with a constraint."""
    count = len(program.objective)
    if not program.rows or count > MOST_VARIABLES or any(cap != 1 for cap in program.caps):
        return None
    positions = []
    alphas = set()
    for row, limit in zip(program.rows, program.limits, strict=True):
        if len(row) != 2 or limit < 0:
            return None
        (i, one), (j, minus_alpha) = sorted(row, key=lambda item: item[1], reverse=True)
        if one != 1 or minus_alpha > -1 or i == j:
            return None
        positions.append(i * count + j)
        alphas.add(minus_alpha)
    return positions if len(alphas) == 1 and len(set(positions)) == len(positions) else None

"""Batches of directed lifts without the compiled kernel, over the engines that are always there.

An engine proposes a basis, and the point and the multipliers are computed from the basis by a small dense
solve, so that all engines are read in one way, and none's idea of a tolerance (HiGHS's is 1e-7) enters the
result. A basis that turns out infeasible beyond 1e-10 is repaired by the exact simplex, on the rational
numbers that the floats are. The basis of the last solve is tried first: where it holds no engine is asked.

What it costs: some hundred microseconds where the last basis holds, half a millisecond where HiGHS is asked,
and a process where CBC is. It is for machines without a compiler, and for comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import index

import numpy as np
import numpy.typing as npt
from flint import fmpq

from bdist.errors import InternalError
from bdist.exact.rationals import ONE, approximate
from bdist.lp import Engine, simplex
from bdist.lp.batch import MOST_VARIABLES, PLACES
from bdist.lp.program import Basis, LinearProgram, Optimum, Place, starting_basis

Integers = npt.NDArray[np.int32]
Reals = npt.NDArray[np.float64]

_TOLERANCE = 1e-10
_NEGLIGIBLE = 1e-13


@dataclass(frozen=True)
class _Rows:
    """The constraints that a table gives a program: f[heads] - alpha f[tails] <= bounds."""

    positions: Integers
    heads: Integers
    tails: Integers
    bounds: Reals


@dataclass(frozen=True)
class _Solution:
    """An optimal basis with its point and its multipliers; rows are named by position."""

    places: tuple[Place, ...]
    tight: tuple[int, ...]
    point: Reals
    weights: Reals
    caps: Reals


@dataclass
class _Entry:
    size: int
    costs: Reals
    numbers: Integers
    solution: _Solution | None = None


class PortableBatch:
    """Many directed lifts over one table; see `bdist.lp.batch.Batch`."""

    def __init__(self, alpha: float, engine: Engine) -> None:
        self._alpha = float(alpha)
        if not 1 <= self._alpha < float("inf"):
            raise ValueError("alpha must be a finite number and at least 1")
        self._engine = engine
        self._entries: list[_Entry] = []

    def __len__(self) -> int:
        return len(self._entries)

    def append(self, sizes: Integers, costs: Reals, arcs: Integers) -> None:
        """Add programs."""
        _check_type("sizes", sizes, np.int32)
        _check_type("costs", costs, np.float64)
        _check_type("arcs", arcs, np.int32)
        if np.any(sizes < 1) or np.any(sizes > MOST_VARIABLES):
            raise ValueError(f"a size is not between 1 and {MOST_VARIABLES}")
        wide = sizes.astype(np.int64)
        if len(costs) != wide.sum():
            raise ValueError(f"there are {len(costs)} costs, and the sizes add up to {wide.sum()}")
        if len(arcs) != (wide**2).sum():
            total = (wide**2).sum()
            raise ValueError(f"there are {len(arcs)} arcs, and the squares of the sizes add up to {total}")
        if not np.all(np.isfinite(costs)):
            raise ValueError("a cost is not finite")
        if np.any(arcs < -1):
            raise ValueError("an arc has a number below -1")
        added = []
        cost = cell = 0
        for size in map(int, sizes):
            numbers = arcs[cell : cell + size * size].copy()
            if np.any(numbers[:: size + 1] >= 0):
                raise ValueError("an arc from a variable to itself must be -1")
            added.append(_Entry(size, costs[cost : cost + size].copy(), numbers))
            cost, cell = cost + size, cell + size * size
        self._entries.extend(added)

    def solve(self, programs: Integers, table: Reals, threads: int) -> Reals:
        """The optimal values; the number of threads is of no consequence."""
        chosen = self._chosen(programs)
        _check_type("table", table, np.float64)
        if index(threads) < 1:
            raise ValueError("the number of threads must be at least 1")
        if len(np.unique(programs)) < len(programs):
            twice = next(int(p) for k, p in enumerate(programs) if p in programs[:k])
            raise ValueError(f"program {twice} is asked for twice")
        for number, entry in zip(programs, chosen, strict=True):
            largest = int(entry.numbers.max())
            if largest >= len(table):
                raise ValueError(f"program {number} reads entry {largest} of a table of {len(table)}")
            read = table[entry.numbers[entry.numbers >= 0]]
            if not np.all(read >= 0):
                raise ValueError("the table has NaN or a negative number where a program reads it")
        values = np.empty(len(chosen))
        for k, entry in enumerate(chosen):
            entry.solution = self._solve(entry, table)
            values[k] = max(float(entry.costs @ entry.solution.point), 0.0)
        return values

    def functions(self, programs: Integers) -> Reals:
        """The last optimal functions."""
        points = [solution.point for _, solution in self._solved(programs)]
        return np.concatenate([np.empty(0), *points])

    def couplings(self, programs: Integers) -> tuple[npt.NDArray[np.int64], Integers, Reals, Reals]:
        """The last optimal multipliers."""
        offsets, arcs, weights = [0], [np.empty(0, dtype=np.int32)], [np.empty(0)]
        caps = [np.empty(0)]
        for entry, solution in self._solved(programs):
            least = _NEGLIGIBLE * max(1.0, float(np.abs(entry.costs).max()))
            kept = solution.weights > least
            arcs.append(np.array(solution.tight, dtype=np.int32)[kept])
            weights.append(solution.weights[kept])
            caps.append(np.where(solution.caps > least, solution.caps, 0.0))
            offsets.append(offsets[-1] + int(kept.sum()))
        return (
            np.array(offsets, dtype=np.int64),
            np.concatenate(arcs),
            np.concatenate(weights),
            np.concatenate(caps),
        )

    def bases(self, programs: Integers) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], Integers]:
        """The last bases."""
        places: list[int] = []
        offsets, tight = [0], list[int]()
        for _, solution in self._solved(programs):
            places.extend(PLACES.index(place) for place in solution.places)
            tight.extend(solution.tight)
            offsets.append(len(tight))
        return (
            np.array(places, dtype=np.uint8),
            np.array(offsets, dtype=np.int64),
            np.array(tight, dtype=np.int32),
        )

    def _chosen(self, programs: Integers) -> list[_Entry]:
        _check_type("programs", programs, np.int32)
        for number in programs:
            if not 0 <= number < len(self._entries):
                raise ValueError(f"there is no program {number} in a batch of {len(self._entries)}")
        return [self._entries[number] for number in programs]

    def _solved(self, programs: Integers) -> Iterator[tuple[_Entry, _Solution]]:
        for number, entry in zip(programs, self._chosen(programs), strict=True):
            if entry.solution is None:
                raise ValueError(f"program {number} has no solution yet")
            yield entry, entry.solution

    def _solve(self, entry: _Entry, table: Reals) -> _Solution:
        rows = _rows(entry, table)
        row_at = {int(position): k for k, position in enumerate(rows.positions)}
        if entry.solution is not None and all(position in row_at for position in entry.solution.tight):
            last = Basis(entry.solution.places, tuple(row_at[p] for p in entry.solution.tight))
            kept = self._solution(entry, rows, last)
            if kept is not None:
                return kept
        program = self._program(entry, rows)
        proposal: Basis | None = starting_basis(program)
        if program.rows and self._engine.proposer is not None:
            proposal = self._engine.propose(program)
        found = None if proposal is None else self._solution(entry, rows, proposal)
        if found is not None:
            return found
        optimum = simplex.maximise(program, proposal)
        if optimum is None:
            raise InternalError("a directed lift has no feasible function, though f = 0 always is one")
        return _solution_of(optimum, rows)

    def _program(self, entry: _Entry, rows: _Rows) -> LinearProgram:
        """The program over the rational numbers that its floats are."""
        minus_alpha = -_exact(self._alpha)
        return LinearProgram(
            [_exact(c) for c in entry.costs],
            [((int(i), ONE), (int(j), minus_alpha)) for i, j in zip(rows.heads, rows.tails, strict=True)],
            [_exact(bound) for bound in rows.bounds],
            [ONE] * entry.size,
        )

    def _solution(self, entry: _Entry, rows: _Rows, basis: Basis) -> _Solution | None:
        """The solution that a basis describes, or None where it is not optimal up to rounding."""
        tight = np.array(sorted(basis.tight), dtype=np.intp)
        basic = np.array([place is Place.BASIC for place in basis.places])
        if len(tight) != basic.sum():
            return None
        matrix = np.zeros((len(tight), entry.size))
        matrix[np.arange(len(tight)), rows.heads[tight]] = 1.0
        matrix[np.arange(len(tight)), rows.tails[tight]] = -self._alpha
        point = np.array([1.0 if place is Place.UPPER else 0.0 for place in basis.places])
        square = matrix[:, basic]
        try:
            point[basic] = np.linalg.solve(square, rows.bounds[tight] - matrix[:, ~basic] @ point[~basic])
            weights = np.linalg.solve(square.T, entry.costs[basic])
        except np.linalg.LinAlgError:
            return None
        reduced = entry.costs - weights @ matrix
        upper = np.array([place is Place.UPPER for place in basis.places])
        lower = np.array([place is Place.LOWER for place in basis.places])
        excess = point[rows.heads] - self._alpha * point[rows.tails] - rows.bounds
        dual = _TOLERANCE * max(1.0, float(np.abs(entry.costs).max()))
        optimal = (
            np.all(point >= -_TOLERANCE)
            and np.all(point <= 1 + _TOLERANCE)
            and np.all(excess <= _TOLERANCE)
            and np.all(weights >= -dual)
            and np.all(reduced[upper] >= -dual)
            and np.all(reduced[lower] <= dual)
        )
        if not optimal:
            return None
        positions = tuple(int(position) for position in rows.positions[tight])
        return _Solution(
            basis.places, positions, np.clip(point, 0.0, 1.0), weights, np.where(upper, reduced, 0.0)
        )


def _rows(entry: _Entry, table: Reals) -> _Rows:
    positions = np.flatnonzero(entry.numbers >= 0).astype(np.int32)
    bounds = table[entry.numbers[positions]]
    binding = bounds < 1
    positions = positions[binding]
    heads, tails = np.divmod(positions, np.int32(entry.size))
    return _Rows(positions, heads, tails, bounds[binding])


def _solution_of(optimum: Optimum, rows: _Rows) -> _Solution:
    tight = sorted(optimum.basis.tight)
    return _Solution(
        optimum.basis.places,
        tuple(int(rows.positions[k]) for k in tight),
        np.array([approximate(x) for x in optimum.point]),
        np.array([approximate(optimum.row_multipliers[k]) for k in tight]),
        np.array([approximate(b) for b in optimum.cap_multipliers]),
    )


def _exact(number: float) -> fmpq:
    return fmpq(*float(number).as_integer_ratio())


def _check_type(name: str, array: object, dtype: type[np.generic]) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
        raise TypeError(f"{name} must be a one-dimensional array of {dtype.__name__}")
    if not array.flags.c_contiguous:
        raise TypeError(f"{name} must be contiguous")

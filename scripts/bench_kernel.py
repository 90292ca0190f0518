"""Microseconds a linear program: the compiled kernel, cold and warm, against HiGHS.

    python scripts/bench_kernel.py [--programs N] [--variables N] [--rows N] [--alpha A] [--seed N]

Random directed lifts, each with a constraint for every ordered pair of variables, of which about ``--rows``
can bind. *cold* is a first solve. *warm* is a solve after every entry of the table has moved by up to a
hundredth, and *settled* one after nothing has moved. *HiGHS, fresh* is what one program costs the engine
``highs``: a model is filled, passed and solved without presolve. *HiGHS, kept* is what it costs where each
program has a model of its own, of which only the right-hand sides change, as the naive loop of `bdist bench`
has it: what the warm kernel must be compared with. The last column is the ratio to the warm kernel in the
same run. Every value of HiGHS is compared with the kernel's.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from flint import fmpq

from bdist.cli.bench.naive import Program, Shape
from bdist.lp import highs
from bdist.lp.batch import Batch, Presence, kernel_state, new_batch
from bdist.lp.program import LinearProgram, certify_basis

BY_HIGHS = 200  # programs; it is slow, and the mean is steady
REPEATS = 5  # of every measurement; the fastest counts


@dataclass(frozen=True)
class Case:
    """Random programs of one size, and two tables that differ a little."""

    alpha: float
    size: int
    costs: npt.NDArray[np.float64]
    arcs: npt.NDArray[np.int32]
    tables: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]

    def batch(self) -> Batch:
        """All of them in a new batch."""
        batch = new_batch(self.alpha, "kernel")
        batch.append(np.full(len(self.costs), self.size, np.int32), self.costs.ravel(), self.arcs.ravel())
        return batch

    def program(self, k: int) -> LinearProgram:
        """One of them at the first table, for an engine."""
        bounds = self.tables[0][self.arcs[k]]
        rows = [(i, j) for i in range(self.size) for j in range(self.size) if i != j and bounds[i, j] < 1]
        alpha = _exact(self.alpha)
        return LinearProgram(
            [_exact(c) for c in self.costs[k]],
            [((i, fmpq(1)), (j, -alpha)) for i, j in rows],
            [_exact(bounds[i, j]) for i, j in rows],
            [fmpq(1)] * self.size,
        )


def main() -> None:
    """Measure and print."""
    arguments = _arguments()
    if kernel_state().presence is not Presence.COMPILED:
        sys.exit(f"bench_kernel.py: the kernel is {kernel_state().presence.value}: {kernel_state().detail}")
    case = _random_case(arguments)
    everything = np.arange(arguments.programs, dtype=np.int32)
    times: dict[str, list[float]] = {"kernel, cold": [], "kernel, warm": [], "kernel, settled": []}
    for _ in range(REPEATS):
        batch = case.batch()
        for name, table in zip(times, (case.tables[0], case.tables[1], case.tables[1]), strict=True):
            begin = time.perf_counter()
            batch.solve(everything, table, 1)
            times[name].append((time.perf_counter() - begin) / arguments.programs)
    first, second = (case.batch().solve(everything, table, 1) for table in case.tables)
    times["HiGHS, fresh"] = [_time_of_fresh(case, first)]
    times["HiGHS, kept"] = [_time_of_kept(case, second)]
    warm = min(times["kernel, warm"])
    print(f"{arguments.variables} variables, {arguments.rows} rows that can bind, alpha {arguments.alpha:g}")
    for name, seconds in times.items():
        print(f"{name:<16} {1e6 * min(seconds):10.3f} us {min(seconds) / warm:10.1f}")


def _time_of_fresh(case: Case, values: npt.NDArray[np.float64]) -> float:
    count = min(BY_HIGHS, len(values))
    programs = [case.program(k) for k in range(count)]
    highs.propose(programs[0])  # imports
    begin = time.perf_counter()
    bases = [highs.propose(program) for program in programs]
    seconds = (time.perf_counter() - begin) / count
    for program, basis, value in zip(programs, bases, values, strict=False):
        optimum = None if basis is None else certify_basis(program, basis)
        if optimum is not None:
            _compare(float(optimum.value), value)
    return seconds


def _time_of_kept(case: Case, values: npt.NDArray[np.float64]) -> float:
    count = min(BY_HIGHS, len(values))
    shape = Shape([list(range(case.size))], case.alpha)
    programs = [Program(shape, case.costs[k], "off") for k in range(count)]
    first, second = ([table[case.arcs[k]] for k in range(count)] for table in case.tables)
    for program, bounds in zip(programs, first, strict=True):
        program.value(bounds)
    begin = time.perf_counter()
    found = [program.value(bounds) for program, bounds in zip(programs, second, strict=True)]
    seconds = (time.perf_counter() - begin) / count
    for optimum, value in zip(found, values, strict=False):
        _compare(optimum, value)
    return seconds


def _compare(highs_value: float, kernel_value: float) -> None:
    if abs(highs_value - kernel_value) > 1e-9:
        sys.exit(f"bench_kernel.py: HiGHS finds {highs_value} and the kernel {kernel_value}")


def _random_case(arguments: argparse.Namespace) -> Case:
    random = np.random.default_rng(arguments.seed)
    size, count = arguments.variables, arguments.programs
    left, right = random.random((2, count, size))
    costs = left / left.sum(1, keepdims=True) - arguments.alpha * right / right.sum(1, keepdims=True)
    entries = 5000
    binding = random.random(entries) * size * (size - 1) < arguments.rows
    table = np.where(binding, random.random(entries) / 2, 1.0)
    moved = np.where(binding, np.clip(table + (random.random(entries) - 0.5) / 50, 0.0, 0.99), 1.0)
    arcs = random.integers(0, entries, (count, size, size), dtype=np.int32)
    arcs[:, np.arange(size), np.arange(size)] = -1
    return Case(arguments.alpha, size, costs, arcs, (table, moved))


def _exact(number: float) -> fmpq:
    return fmpq(*float(number).as_integer_ratio())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=5000, help="how many (default 5000)")
    parser.add_argument("--variables", type=int, default=10, help="of each program (default 10)")
    parser.add_argument("--rows", type=int, default=30, help="that can bind, on average (default 30)")
    parser.add_argument("--alpha", type=float, default=1.0002, help="(default 1.0002)")
    parser.add_argument("--seed", type=int, default=1, help="of the random programs (default 1)")
    return parser.parse_args()


if __name__ == "__main__":
    main()

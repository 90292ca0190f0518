"""One suite for every class of batches: the compiled kernel and the portable one with each of its engines.

The truth is the exact simplex on rational costs and tables, of which the batch is given the floats. In a
normal install the compiled kernel must be there: its tests are left out only where BDIST_KERNEL=off asks for
that.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from flint import fmpq

from bdist.errors import ParameterError
from bdist.lp import ENGINES, simplex, solve
from bdist.lp.batch import (
    MOST_VARIABLES,
    PLACES,
    SWITCH,
    Batch,
    KernelState,
    Presence,
    kernel_state,
    new_batch,
    propose,
    solve_dense,
)
from bdist.lp.portable_batch import PortableBatch
from bdist.lp.program import Basis, LinearProgram, certify_basis

OFF = kernel_state().presence is Presence.SWITCHED_OFF
NAMES = ["highs", "exact"] if OFF else ["kernel", "highs", "exact"]
ALPHAS = [fmpq(1), fmpq(5001, 5000), fmpq(2)]
FEW = [fmpq(0), fmpq(0), fmpq(1, 4), fmpq(1, 3), fmpq(1, 2), fmpq(2, 3), fmpq(1), fmpq(1)]

Integers = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Lift:
    """A directed lift over a table of rationals: costs, and the number of the entry at every position."""

    alpha: fmpq
    costs: list[fmpq]
    numbers: list[int]

    def program(self, table: list[fmpq]) -> tuple[LinearProgram, list[int]]:
        """The exact program, and the position of every row."""
        n = len(self.costs)
        positions = [p for p, number in enumerate(self.numbers) if number >= 0 and table[number] < 1]
        rows = [((p // n, fmpq(1)), (p % n, -self.alpha)) for p in positions]
        limits = [table[self.numbers[p]] for p in positions]
        return LinearProgram(self.costs, rows, limits, [fmpq(1)] * n), positions


def ints(*values: int) -> Integers:
    return np.array(values, dtype=np.int32)


def floats(values: list[fmpq]) -> npt.NDArray[np.float64]:
    return np.array([float(value) for value in values])


def distribution(source: random.Random, size: int, tied: bool) -> list[fmpq]:
    weights = [source.randint(0, 2 if tied else 1000) for _ in range(size)]
    weights[source.randrange(size)] += 1
    return [fmpq(weight, sum(weights)) for weight in weights]


def random_table(source: random.Random, tied: bool) -> list[fmpq]:
    return [source.choice(FEW) if tied else fmpq(source.randint(0, 1300), 1000) for _ in range(60)]


def random_lift(source: random.Random, alpha: fmpq, size: int, tied: bool) -> Lift:
    left, right = distribution(source, size, tied), distribution(source, size, tied)
    costs = [p - alpha * q for p, q in zip(left, right, strict=True)]
    numbers = [
        -1 if i == j or source.random() < 0.1 else source.randrange(60)
        for i in range(size)
        for j in range(size)
    ]
    return Lift(alpha, costs, numbers)


def filled(name: str, lifts: list[Lift]) -> tuple[Batch, Integers]:
    batch = new_batch(float(lifts[0].alpha), name)
    batch.append(
        ints(*(len(lift.costs) for lift in lifts)),
        floats([c for lift in lifts for c in lift.costs]),
        ints(*(number for lift in lifts for number in lift.numbers)),
    )
    return batch, np.arange(len(lifts), dtype=np.int32)


def basis_of(batch: Batch, k: int, positions: list[int]) -> Basis:
    places, offsets, tight = batch.bases(ints(k))
    assert list(offsets) == [0, len(tight)]
    row_at = {position: row for row, position in enumerate(positions)}
    return Basis(tuple(PLACES[place] for place in places), tuple(row_at[int(p)] for p in tight))


def assert_solved(lift: Lift, table: list[fmpq], batch: Batch, k: int, value: float) -> bool:
    """Value, function and coupling are right up to 1e-9; returns whether the basis is exactly optimal."""
    program, positions = lift.program(table)
    basis = basis_of(batch, k, positions)
    certified = certify_basis(program, basis)
    truth = certified or simplex.maximise(program)
    assert truth is not None
    assert value == pytest.approx(float(truth.value), abs=1e-9)
    alpha, n, bounds = float(lift.alpha), len(lift.costs), floats(table)
    costs, f = floats(lift.costs), batch.functions(ints(k))
    assert np.all((f >= 0) & (f <= 1))
    for position in positions:
        i, j = divmod(position, n)
        assert f[i] - alpha * f[j] <= bounds[lift.numbers[position]] + 1e-9
    assert costs @ f == pytest.approx(value, abs=1e-9)
    offsets, arcs, weights, caps = batch.couplings(ints(k))
    assert list(offsets) == [0, len(arcs)]
    assert np.all(weights > 0)
    assert np.all(caps >= 0)
    covered = caps.copy()
    cost = caps.sum()
    for position, weight in zip(arcs, weights, strict=True):
        i, j = divmod(int(position), n)
        covered[i] += weight
        covered[j] -= alpha * weight
        cost += weight * bounds[lift.numbers[position]]
    assert np.all(covered >= costs - 1e-9)
    assert cost == pytest.approx(value, abs=1e-9)
    return certified is not None


def cases(sizes: range, each: int) -> Iterator[tuple[random.Random, fmpq, bool, list[Lift]]]:
    for alpha in ALPHAS:
        for tied in (False, True):
            source = random.Random(f"{alpha} {tied}")  # noqa: S311 - tests
            lifts = [random_lift(source, alpha, size, tied) for size in sizes for _ in range(each)]
            yield source, alpha, tied, lifts


def test_the_kernel_is_there() -> None:
    """Not skipped where it is missing: a build that failed silently must show."""
    state = kernel_state()
    assert state.presence is (Presence.SWITCHED_OFF if OFF else Presence.COMPILED), state.detail
    assert isinstance(new_batch(1.5), PortableBatch) == OFF


@pytest.mark.parametrize("name", NAMES)
def test_solutions_agree_with_the_exact_simplex_along_a_sequence_of_tables(name: str) -> None:
    certified = total = 0
    sizes, each = (range(2, 21), 4) if name == "kernel" else (range(2, 9), 1)
    for source, _, tied, lifts in cases(sizes, each):
        batch, everything = filled(name, lifts)
        for turn in range(3):
            table = random_table(source, tied)
            values = batch.solve(everything, floats(table), 1 + turn % 2)
            for k, (lift, value) in enumerate(zip(lifts, values, strict=True)):
                certified += assert_solved(lift, table, batch, k, float(value))
                total += 1
    assert certified >= 0.98 * total


@pytest.mark.skipif(OFF, reason=f"{SWITCH}=off")
def test_the_kernel_agrees_with_highs() -> None:
    for source, alpha, tied, lifts in cases(range(2, 13), 1):
        table = floats(random_table(source, tied))
        found = []
        for name in ("kernel", "highs"):
            batch, everything = filled(name, lifts)
            found.append(batch.solve(everything, table, 1))
        assert found[0] == pytest.approx(found[1], abs=1e-9), alpha


def test_pulp_agrees_too() -> None:
    source = random.Random(5)  # noqa: S311 - tests
    lifts = [random_lift(source, fmpq(2), size, True) for size in (2, 3, 5)]
    batch, everything = filled("pulp", lifts)
    table = random_table(source, True)
    for k, value in enumerate(batch.solve(everything, floats(table), 1)):
        assert_solved(lifts[k], table, batch, k, float(value))


@pytest.mark.parametrize("name", NAMES)
def test_warm_is_cold(name: str) -> None:
    for source, _, tied, lifts in cases(range(2, 8), 2):
        warm, everything = filled(name, lifts)
        for _ in range(3):
            table = floats(random_table(source, tied))
            warm_values = warm.solve(everything, table, 1)
            cold_values = filled(name, lifts)[0].solve(everything, table, 1)
            assert warm_values == pytest.approx(cold_values, abs=1e-11)
            assert warm.solve(everything, table, 1) == pytest.approx(warm_values, abs=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_threads_changes_no_bit(name: str) -> None:
    source = random.Random(7)  # noqa: S311 - tests
    count = 400 if name == "kernel" else 40
    lifts = [random_lift(source, ALPHAS[1], source.randint(2, 8), k % 2 == 0) for k in range(count)]
    batches = [filled(name, lifts) for _ in range(3)]
    for turn in range(3):
        table = floats(random_table(source, turn == 0))
        kept: list[list[bytes]] = []
        for (batch, everything), threads in zip(batches, (1, 2, 5), strict=True):
            arrays: list[npt.NDArray[Any]] = [batch.solve(everything, table, threads)]
            arrays += [batch.functions(everything), *batch.couplings(everything), *batch.bases(everything)]
            kept.append([array.tobytes() for array in arrays])
        assert kept[0] == kept[1] == kept[2]


@pytest.mark.parametrize("name", NAMES)
def test_programs_can_be_chosen_and_added_later(name: str) -> None:
    source = random.Random(3)  # noqa: S311 - tests
    lifts = [random_lift(source, fmpq(2), size, False) for size in (2, 3, 4, 5)]
    table = floats(random_table(source, False))
    whole, everything = filled(name, lifts)
    values = whole.solve(everything, table, 1)
    batch, _ = filled(name, lifts[:2])
    for lift in lifts[2:]:
        batch.append(ints(len(lift.costs)), floats(lift.costs), ints(*lift.numbers))
    assert len(batch) == 4
    assert list(batch.solve(ints(3, 0), table, 1)) == [values[3], values[0]]
    assert batch.functions(ints(0, 3)).tolist() == whole.functions(ints(0, 3)).tolist()
    with pytest.raises(ValueError, match="program 1 has no solution"):
        batch.functions(ints(1))


@pytest.mark.parametrize("name", NAMES)
def test_the_dtypes_of_results(name: str) -> None:
    batch, everything = filled(name, [Lift(fmpq(2), [fmpq(1), fmpq(-1, 4)], [-1, 0, -1, -1])])
    assert batch.solve(everything, np.array([0.5]), 1).tolist() == [0.9375]
    assert [a.dtype.str[1:] for a in batch.couplings(everything)] == ["i8", "i4", "f8", "f8"]
    assert [a.dtype.str[1:] for a in batch.bases(everything)] == ["u1", "i8", "i4"]
    assert [a.tolist() for a in batch.couplings(everything)] == [[0, 1], [1], [0.125], [0.875, 0.0]]
    assert [a.tolist() for a in batch.bases(everything)] == [[1, 2], [0, 1], [1]]
    assert batch.functions(everything).tolist() == [1.0, 0.25]
    nothing = ints()
    assert batch.solve(nothing, np.array([0.5]), 2).tolist() == []
    assert [a.tolist() for a in batch.couplings(nothing)] == [[0], [], [], []]


@pytest.mark.parametrize("name", NAMES)
def test_entries_of_one_or_more_are_no_constraints(name: str) -> None:
    batch, everything = filled(name, [Lift(fmpq(2), [fmpq(1), fmpq(-1, 4)], [-1, 0, -1, -1])])
    for entry, value in [(0.5, 0.9375), (1.0, 1.0), (math.inf, 1.0), (0.75, 0.96875), (1.5, 1.0)]:
        assert batch.solve(everything, np.array([entry]), 1).tolist() == [value]
        assert (len(batch.bases(everything)[2]) == 0) == (entry >= 1)


@pytest.mark.parametrize("name", NAMES)
def test_wrong_values_are_refused(name: str) -> None:
    for alpha in (0.99, math.nan, math.inf):
        with pytest.raises(ValueError, match="alpha"):
            new_batch(alpha, name)
    batch = new_batch(2.0, name)
    two, good = ints(2), np.array([1.0, -1.0])
    wrong: list[tuple[Integers, npt.NDArray[np.float64], Integers, str]] = [
        (ints(0), np.array([]), ints(), "size"),
        (ints(-1), np.array([1.0]), ints(-1), "size"),
        (ints(MOST_VARIABLES + 1), good, ints(-1), "size"),
        (two, np.array([1.0]), ints(-1, 0, 0, -1), "1 costs, and the sizes add up to 2"),
        (two, good, ints(-1, 0, 0), "3 arcs, and the squares of the sizes add up to 4"),
        (two, np.array([1.0, math.nan]), ints(-1, 0, 0, -1), "not finite"),
        (two, np.array([1.0, -math.inf]), ints(-1, 0, 0, -1), "not finite"),
        (two, good, ints(-1, -2, 0, -1), "below -1"),
        (two, good, ints(0, 0, 0, -1), "itself"),
    ]
    for sizes, costs, arcs, message in wrong:
        with pytest.raises(ValueError, match=message):
            batch.append(sizes, costs, arcs)
    assert len(batch) == 0
    batch.append(two, good, ints(-1, 3, 0, -1))
    table = np.array([0.5, math.nan, -1.0, 0.25])
    for programs, entries, threads, message in [
        (ints(1), table, 1, "no program 1 in a batch of 1"),
        (ints(-1), table, 1, "no program -1"),
        (ints(0, 0), table, 1, "program 0 is asked for twice"),
        (ints(0), table[:3].copy(), 1, "reads entry 3 of a table of 3"),
        (ints(0), table, 0, "threads"),
        (ints(0), np.array([0.5, 0.0, 0.0, math.nan]), 1, "NaN or a negative"),
        (ints(0), np.array([-0.5, 0.0, 0.0, 0.0]), 1, "NaN or a negative"),
    ]:
        with pytest.raises(ValueError, match=message):
            batch.solve(programs, entries, threads)
    for question in (batch.functions, batch.couplings, batch.bases):
        with pytest.raises(ValueError, match="program 0 has no solution"):
            question(ints(0))
    assert batch.solve(ints(0), table, 1).tolist() == [0.625]  # entries that no program reads may be anything
    with pytest.raises(ValueError, match="NaN or a negative"):
        batch.solve(ints(0), np.full(4, math.nan), 1)
    assert batch.functions(ints(0)).tolist() == [1.0, 0.375]  # the last solution stays


@pytest.mark.parametrize("name", NAMES)
def test_wrong_types_are_refused(name: str) -> None:
    batch, everything = filled(name, [Lift(fmpq(2), [fmpq(1), fmpq(-1)], [-1, 0, -1, -1])])
    table = np.array([0.5])
    for programs in ([0], np.array([0]), np.zeros((1, 1), np.int32), np.zeros(1), np.zeros(4, np.int32)[::2]):
        with pytest.raises(TypeError):
            batch.solve(programs, table, 1)  # type: ignore[arg-type]
    for entries in ([0.5], table.astype(np.float32), np.zeros((2, 2)), np.zeros(4)[::2], None):
        with pytest.raises(TypeError):
            batch.solve(everything, entries, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        batch.solve(everything, table, 1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        batch.append(np.array([2.0]), table, everything)
    table.flags.writeable = False
    assert batch.solve(everything, table, 1).tolist() == [0.75]


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ParameterError, match="auto, highs, pulp, exact, kernel"):
        new_batch(2.0, "gurobi")


def test_the_engine_for_single_programs_agrees_and_leaves_other_shapes_to_highs() -> None:
    for source, _, tied, lifts in cases(range(2, 7), 2):
        table = random_table(source, tied)
        for lift in lifts:
            program, _ = lift.program(table)
            found, truth = solve(program, ENGINES["kernel"]), simplex.maximise(program)
            assert found is not None
            assert truth is not None
            assert found.value == truth.value
    one, half = fmpq(1), fmpq(1, 2)
    arc = ((0, one), (1, fmpq(-2)))
    others = [
        LinearProgram([one, -one], [arc], [half], [half, one]),  # a cap that is not 1
        LinearProgram([one, -one], [arc, arc], [half, half], [one, one]),  # one arc twice
        LinearProgram([one, -one], [arc, ((1, one), (0, fmpq(-3)))], [half, half], [one, one]),  # two alphas
        LinearProgram([one, -one], [((0, one),)], [half], [one, one]),  # no arc
        LinearProgram([one, -one], [((0, one), (1, -half))], [half], [one, one]),  # alpha below 1
        LinearProgram([one, -one], [arc], [-half], [one, one]),  # a negative limit
    ]
    for program in others:
        basis, truth = propose(program), simplex.maximise(program)
        assert basis is not None
        assert truth is not None
        certified = certify_basis(program, basis)
        assert certified is not None
        assert certified.value == truth.value


def test_the_kernel_can_be_switched_off() -> None:
    code = "from bdist.lp.batch import kernel_state, new_batch; s = kernel_state()"
    code += "; print(s.presence.value, '|', s.detail, '|', type(new_batch(2.0, 'kernel')).__name__)"
    for value in ("off", "0"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, SWITCH: value},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == f"switched off | by {SWITCH}={value} | PortableBatch\n"


def test_a_missing_kernel_is_said_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    monkeypatch.setitem(sys.modules, "bdist.lp._kernel", None)
    state = kernel_state()
    assert state == KernelState(Presence.MISSING, state.detail)
    assert "bdist.lp._kernel" in state.detail
    assert isinstance(new_batch(2.0), PortableBatch)


@pytest.mark.parametrize("size", [1, 2, 7, 60])
def test_dense_systems_have_their_solution_or_none(size: int) -> None:
    """Rows in any order, zeros where a pivot would stand, and a system that has no one solution."""
    rng = np.random.default_rng(size)
    matrix = rng.permutation(np.eye(size) + np.triu(rng.random((size, size)), 1))
    right = rng.random(size)
    found = solve_dense(matrix, right)
    assert found is not None
    assert np.allclose(matrix @ found, right, rtol=0, atol=1e-9)
    matrix[-1] = matrix[0] if size > 1 else 0.0
    assert solve_dense(np.round(matrix), right) is None

"""Arithmetic circuits: exhaustive at small widths, sampled at larger ones, and functional."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Cadical195

from bdist.thresholds.circuits import TRUE, Circuit, Number, Sense, Sum, constant

Operation = Callable[[Sum, Number, Number], None]


def plus(total: Sum, a: Number, b: Number) -> None:
    total.add(a)
    total.add(b)


def times(total: Sum, a: Number, b: Number) -> None:
    total.add_product(a, b)


def five_times(total: Sum, a: Number, b: Number) -> None:
    total.add(a, 5)


def mixed(total: Sum, a: Number, b: Number) -> None:
    total.add_product(a, b)
    total.add(a, 3)
    total.add_constant(2)


OPERATIONS: list[tuple[Operation, Callable[[int, int], int]]] = [
    (plus, lambda x, y: x + y),
    (times, lambda x, y: x * y),
    (five_times, lambda x, y: 5 * x),
    (mixed, lambda x, y: x * y + 3 * x + 2),
]


def assumptions(number: Number, value: int) -> list[int]:
    """Literals that fix a number of variables to a value."""
    return [bit if value >> k & 1 else -bit for k, bit in enumerate(number.bits)]


@pytest.mark.parametrize("sense", Sense)
@pytest.mark.parametrize(("operation", "truth"), OPERATIONS)
@pytest.mark.parametrize("largest", [(1, 1), (3, 7), (7, 5), (31, 3)])
def test_sums_promise_one_side_and_allow_the_truth(
    sense: Sense, operation: Operation, truth: Callable[[int, int], int], largest: tuple[int, int]
) -> None:
    circuit = Circuit()
    a, b = map(circuit.fresh, largest)
    total = Sum(circuit, sense)
    operation(total, a, b)
    result = total.number()
    with Cadical195(bootstrap_with=circuit.clauses) as solver:
        for x in range(largest[0] + 1):
            for y in range(largest[1] + 1):
                right, fixed = truth(x, y), assumptions(a, x) + assumptions(b, y)
                assert solver.solve(assumptions=fixed + assumptions(result, right))
                for other in range(1 << len(result.bits)):
                    promised = other >= right if sense is Sense.AT_LEAST else other <= right
                    if not promised:
                        assert not solver.solve(assumptions=fixed + assumptions(result, other))


@pytest.mark.parametrize("limit", range(-1, 18))
def test_comparisons_with_constants_and_vectors(limit: int) -> None:
    below, above = Circuit(), Circuit()
    a, b = below.fresh(15), above.fresh(15)
    below.require_at_most_constant(a, limit)
    above.require_at_least_constant(b, limit)
    with Cadical195(bootstrap_with=below.clauses) as solver:
        assert [x for x in range(16) if solver.solve(assumptions=assumptions(a, x))] == list(
            range(min(limit, 15) + 1)
        )
    with Cadical195(bootstrap_with=above.clauses) as solver:
        assert [x for x in range(16) if solver.solve(assumptions=assumptions(b, x))] == list(
            range(max(limit, 0), 16)
        )
    if limit >= 0:
        circuit = Circuit()
        a = circuit.fresh(15)
        circuit.require_at_most(a, constant(limit))
        with Cadical195(bootstrap_with=circuit.clauses) as solver:
            assert [x for x in range(16) if solver.solve(assumptions=assumptions(a, x))] == list(
                range(min(limit, 15) + 1)
            )


def test_comparisons_of_unknown_numbers() -> None:
    circuit = Circuit()
    a, b = circuit.fresh(7), circuit.fresh(15)
    circuit.require_at_most(a, b)
    with Cadical195(bootstrap_with=circuit.clauses) as solver:
        for x in range(8):
            for y in range(16):
                assert solver.solve(assumptions=assumptions(a, x) + assumptions(b, y)) == (x <= y)


@pytest.mark.parametrize("most", range(20))
def test_fresh_numbers_take_every_value_up_to_their_bound(most: int) -> None:
    circuit = Circuit()
    a = circuit.fresh(most)
    with Cadical195(bootstrap_with=circuit.clauses) as solver:
        values = {x for x in range(1 << len(a.bits)) if solver.solve(assumptions=assumptions(a, x))}
    assert values == set(range(most + 1))


@pytest.mark.parametrize("sense", Sense)
@given(st.integers(0, 2**20), st.integers(0, 2**16), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_wide_products_and_sums(sense: Sense, x: int, y: int, z: int) -> None:
    circuit = Circuit()
    a, b = circuit.fresh(2**20), circuit.fresh(2**16)
    total = Sum(circuit, sense)
    total.add_product(a, b)
    total.add_constant(z)
    result, truth = total.number(), x * y + z
    fixed = assumptions(a, x) + assumptions(b, y)
    wrong = truth - 1 if sense is Sense.AT_LEAST else truth + 1
    with Cadical195(bootstrap_with=circuit.clauses) as solver:
        assert solver.solve(assumptions=fixed + assumptions(result, truth))
        if 0 <= wrong < 1 << len(result.bits):
            assert not solver.solve(assumptions=fixed + assumptions(result, wrong))


@pytest.mark.parametrize("sense", Sense)
def test_constants_are_folded(sense: Sense) -> None:
    circuit = Circuit()
    a, total = circuit.fresh(7), Sum(circuit, sense)
    before = circuit.variables, list(circuit.clauses)
    total.add_product(a, constant(4))
    assert total.number().bits[2:] == a.bits
    total = Sum(circuit, sense)
    total.add_product(constant(6), constant(7))
    assert total.number() == constant(42)
    assert (circuit.variables, circuit.clauses) == before
    assert circuit.clauses[0] == [TRUE]


def test_dimacs_is_read_back(tmp_path: Path) -> None:
    circuit = Circuit()
    total = Sum(circuit, Sense.AT_LEAST)
    total.add_product(circuit.fresh(7), circuit.fresh(7))
    total.number()
    path = tmp_path / "out.cnf"
    circuit.write_dimacs(path, ["what it is", "two\nlines"])
    lines = path.read_text().splitlines()
    assert lines[:3] == ["c what it is", "c two", "c lines"]
    assert lines[3] == f"p cnf {circuit.variables} {len(circuit.clauses)}"
    assert [[int(x) for x in line.split()[:-1]] for line in lines[4:]] == circuit.clauses

"""Arithmetic circuits: exhaustive at small widths, sampled at larger ones, and functional."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Cadical195

from bdist.thresholds.circuits import FALSE, TRUE, Circuit, Sense, Sum, Vector, constant, decode

Operation = Callable[[Circuit, Vector, Vector], Vector]


def plus(circuit: Circuit, a: Vector, b: Vector) -> Vector:
    total = Sum(circuit)
    total.add(a)
    total.add(b)
    return total.vector()


def times(circuit: Circuit, a: Vector, b: Vector) -> Vector:
    total = Sum(circuit)
    total.add_product(a, b)
    return total.vector()


def five_times(circuit: Circuit, a: Vector, b: Vector) -> Vector:
    total = Sum(circuit)
    total.add(a, 5)
    return total.vector()


OPERATIONS: list[tuple[Operation, Callable[[int, int], int]]] = [
    (plus, lambda x, y: x + y),
    (times, lambda x, y: x * y),
    (five_times, lambda x, y: 5 * x),
]


def assumptions(vector: Vector, value: int) -> list[int]:
    """Literals that fix a vector of variables to a value."""
    return [bit if value >> k & 1 else -bit for k, bit in enumerate(vector)]


@pytest.mark.parametrize(("operation", "truth"), OPERATIONS)
@pytest.mark.parametrize("widths", [(1, 1), (2, 3), (4, 4), (5, 2)])
def test_every_pair_of_operands(
    operation: Operation, truth: Callable[[int, int], int], widths: tuple[int, int]
) -> None:
    circuit = Circuit()
    a, b = (circuit.fresh((1 << width) - 1) for width in widths)
    result = operation(circuit, a, b)
    with Cadical195(bootstrap_with=circuit.clauses) as solver:
        for x in range(1 << widths[0]):
            for y in range(1 << widths[1]):
                fixed = assumptions(a, x) + assumptions(b, y)
                assert solver.solve(assumptions=fixed)
                assert decode(result, solver.get_model()) == truth(x, y)
                wrong = [-bit for bit in assumptions(result, truth(x, y))]
                for bit in wrong:  # the circuit is a function: no output bit can be otherwise
                    assert bit == FALSE or not solver.solve(assumptions=[*fixed, bit])


@pytest.mark.parametrize("sense", [Sense.AT_LEAST, Sense.AT_MOST])
def test_one_sided_products_promise_one_side_and_allow_the_truth(sense: Sense) -> None:
    circuit = Circuit()
    a, b = circuit.fresh(7), circuit.fresh(5)
    total = Sum(circuit, sense)
    total.add_product(a, b)
    total.add(a, 3)
    total.add_constant(2)
    result = total.vector()
    with Cadical195(bootstrap_with=circuit.clauses) as solver:
        for x in range(8):
            for y in range(6):
                truth = x * y + 3 * x + 2
                fixed = assumptions(a, x) + assumptions(b, y)
                assert solver.solve(assumptions=fixed + assumptions(result, truth))
                for other in range(1 << len(result)):
                    promised = other >= truth if sense is Sense.AT_LEAST else other <= truth
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
        values = {x for x in range(1 << len(a)) if solver.solve(assumptions=assumptions(a, x))}
    assert values == set(range(most + 1))


@given(st.integers(0, 2**20), st.integers(0, 2**16), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_wide_products_and_sums(x: int, y: int, z: int) -> None:
    circuit = Circuit()
    a, b = circuit.fresh(2**20), circuit.fresh(2**16)
    total = Sum(circuit)
    total.add_product(a, b)
    total.add_constant(z)
    result = total.vector()
    with Cadical195(bootstrap_with=circuit.clauses) as solver:
        assert solver.solve(assumptions=assumptions(a, x) + assumptions(b, y))
        assert decode(result, solver.get_model()) == x * y + z


def test_gates_fold_constants_and_repeat_nothing() -> None:
    circuit = Circuit()
    a, b = circuit.new(), circuit.new()
    assert circuit.both(a, TRUE) == a
    assert circuit.both(a, -a) == FALSE
    assert circuit.either(a, TRUE) == TRUE
    assert circuit.parity(a, a) == FALSE
    assert circuit.majority(a, -a, b) == b
    before = len(circuit.clauses)
    assert circuit.both(a, b) == circuit.both(b, a)
    assert len(circuit.clauses) == before + 3
    assert times(circuit, constant(6), constant(7)) == constant(42)


def test_dimacs_is_read_back(tmp_path: Path) -> None:
    circuit = Circuit()
    times(circuit, circuit.fresh(7), circuit.fresh(7))
    path = tmp_path / "out.cnf"
    circuit.write_dimacs(path, ["what it is", "two\nlines"])
    lines = path.read_text().splitlines()
    assert lines[:3] == ["c what it is", "c two", "c lines"]
    assert lines[3] == f"p cnf {circuit.variables} {len(circuit.clauses)}"
    assert [[int(x) for x in line.split()[:-1]] for line in lines[4:]] == circuit.clauses

"""Chains from NumPy, SciPy, NetworkX and dicts, and back; floats only in a way that is named."""

from __future__ import annotations

import struct
import subprocess
import sys
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from bdist import BackendError, LabelledMarkovChain, ModelError, ParameterError
from bdist.chains.conversions import from_networkx, number_reader, to_networkx, to_scipy_approx
from tests.oracles.strategies import chains

COIN = LabelledMarkovChain.from_rows({"s0": ("a", {"s0": "1/4", "s1": "3/4"}), "s1": ("b", {"s1": 1})})
THIRDS = np.array([[1 / 3, 2 / 3], [0.0, 1.0]])


def matrix(values: Any, floats: str | None = None) -> LabelledMarkovChain:
    return LabelledMarkovChain.from_matrix(values, ["a", "b"], floats=floats)


@pytest.mark.parametrize(
    "make",
    [
        *(np.array, sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.lil_array),
        *(sparse.csr_matrix, sparse.dok_array, sparse.bsr_array),
    ],
)
def test_dense_and_sparse_matrices(make: Any) -> None:
    values = make([[0.25, 0.75], [0.0, 1.0]])
    for floats in ("shortest", "simplest", "exact"):
        assert matrix(values, floats) == COIN
    with pytest.raises(ParameterError, match=r"probability of 's0' -> 's0' is the float 0\.25; write"):
        matrix(values)
    assert matrix(make([[0, 1], [1, 0]])).row("s0") == {"s1": 1}


def test_matrices_of_exact_numbers_and_named_states() -> None:
    values = np.array([[Fraction(1, 4), "3/4"], [0, 1]], dtype=object)
    chain = LabelledMarkovChain.from_matrix(values, ("a", "b"), ("x", "y"), name="n")
    assert chain.row("x") == {"x": Fraction(1, 4), "y": Fraction(3, 4)}
    assert chain.name == "n"


def test_thirds_are_thirds_only_where_floats_are_read_as_the_simplest() -> None:
    assert matrix(THIRDS, "simplest").row("s0") == {"s0": Fraction(1, 3), "s1": Fraction(2, 3)}
    with pytest.raises(ModelError, match="'s0' sums to 9999999999999999/10000000000000000, not to 1"):
        matrix(THIRDS, "shortest")
    third = matrix(THIRDS.astype(np.float32), "simplest")
    assert third.row("s0") == {"s0": Fraction(1, 3), "s1": Fraction(2, 3)}
    tenth = np.array([[0.1, 0.9], [0.0, 1.0]], dtype=np.float32)
    assert matrix(tenth, "shortest").row("s0") == {"s0": Fraction(1, 10), "s1": Fraction(9, 10)}
    with pytest.raises(ModelError, match="sums to"):
        matrix(np.array([[0.1, 0.9], [0.0, 1.0]]), "exact")


def test_rows_of_floats() -> None:
    rows = {"s": ("a", {"s": 0.1, "t": "9/10"}), "t": ("b", {"t": 1.0})}
    assert LabelledMarkovChain.from_rows(rows, floats="shortest").row("s")["s"] == Fraction(1, 10)
    with pytest.raises(ParameterError, match="is the float"):
        LabelledMarkovChain.from_rows(rows)
    with pytest.raises(
        ParameterError, match="floats is 'nearest'; it must be shortest, simplest, exact or N"
    ):
        LabelledMarkovChain.from_rows(rows, floats="nearest")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.5, 1.5, np.float32("nan"), np.float16(2)])
@pytest.mark.parametrize("floats", ["shortest", "simplest", "exact"])
def test_floats_that_are_no_probabilities(value: Any, floats: str) -> None:
    with pytest.raises(ParameterError, match=r"x is the float .*, not between 0 and 1"):
        number_reader(floats)(value, "x")


def test_long_doubles_and_bools_are_refused() -> None:
    with pytest.raises(ParameterError, match="x is a longdouble; floats of more than 64 bits"):
        number_reader("exact")(np.longdouble(0.5), "x")
    with pytest.raises(ParameterError, match="x is the bool True"):
        number_reader("exact")(True, "x")


@given(st.floats(0, 1))
def test_what_each_reading_of_a_float_promises(value: float) -> None:
    shortest, simplest, exact = (number_reader(way)(value, "x") for way in ("shortest", "simplest", "exact"))
    assert float(shortest) == float(simplest) == float(exact) == value
    assert exact == Fraction(value)
    assert shortest == Fraction(repr(value))
    assert simplest.denominator <= min(shortest.denominator, exact.denominator)


@given(st.integers(0, 2**15), st.integers(1, 2**15))
def test_small_fractions_come_back_from_their_floats(numerator: int, denominator: int) -> None:
    assume(numerator <= denominator)
    assert number_reader("simplest")(numerator / denominator, "x") == Fraction(numerator, denominator)


@given(st.integers(0, 0x3F800000))
def test_the_simplest_fraction_of_a_short_float_rounds_to_it(bits: int) -> None:
    value = np.float32(struct.unpack("<f", struct.pack("<I", bits))[0])
    here = Fraction(float(value))
    # By distances: to round to 64 bits on the way to 32 would be to round twice.
    others = [Fraction(float(np.nextafter(value, np.float32(end)))) for end in (-1, 2)]
    for way in ("shortest", "simplest"):
        found = number_reader(way)(value, "x")
        assert all(abs(found - here) <= abs(found - other) for other in others)
        assert found.denominator <= here.denominator or way == "shortest"


@given(st.integers(0x2400, 0x3C00))
@settings(max_examples=40, deadline=None)
def test_no_fraction_that_rounds_to_a_float_is_simpler(bits: int) -> None:
    def half(bits: int) -> np.float16:
        return np.float16(struct.unpack("<e", struct.pack("<H", bits))[0])

    below, here, above = (Fraction(float(half(b))) for b in (bits - 1, bits, bits + 1))
    low, high = (below + here) / 2, (here + above) / 2
    found = number_reader("simplest")(half(bits), "x")
    for denominator in range(1, found.denominator + 1):
        numerator = -(-low.numerator * denominator // low.denominator)
        is_tie_to_the_other = Fraction(numerator, denominator) == low and bits % 2 == 1
        first = Fraction(numerator + is_tie_to_the_other, denominator)
        if first < high or (first == high and bits % 2 == 0):
            assert found == first
            return
    raise AssertionError(f"{found} does not round to {half(bits)}")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ones((2, 3), dtype=int), "the matrix has the shape 2x3; it must be square"),
        (np.ones(2, dtype=int), "the matrix has the shape 2; it must be square"),
        (np.eye(3, dtype=int), "3 rows, 3 states and 2 labels; the numbers must agree"),
        (sparse.csr_array(np.ones((1, 2), dtype=int)), "the matrix has the shape 1x2; it must be square"),
        (sparse.coo_array(([1, 1, 1], ([0, 0, 1], [0, 0, 1]))), "row 0 of the matrix stores column 0 twice"),
        ([[1, 0], [1]], "the row of state 's1' has 1 entries for 2 states"),
        (np.array([[2, -1], [0, 1]]), "state 's0' goes to 's1' with probability -1, not positive"),
    ],
)
def test_matrices_that_do_not_fit(values: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        matrix(values)


@given(chains())
@settings(max_examples=20, deadline=None)
def test_networkx_and_back(chain: LabelledMarkovChain) -> None:
    assert from_networkx(to_networkx(chain)) == chain
    renamed = to_networkx(chain, label="sees", probability="weight")
    assert from_networkx(renamed, label="sees", probability="weight") == chain


@given(chains(max_denominator=8))
@settings(max_examples=20, deadline=None)
def test_scipy_and_back(chain: LabelledMarkovChain) -> None:
    approx = to_scipy_approx(chain)
    assert approx.shape == (len(chain), len(chain))
    again = LabelledMarkovChain.from_matrix(approx, chain.labels, floats="simplest")
    assert again == chain
    floats = [[float(chain.row(s).get(t, 0)) for t in chain.states] for s in chain.states]
    assert approx.toarray().tolist() == floats


def test_graphs_with_other_nodes_names_and_floats() -> None:
    graph = nx.DiGraph(name="die")
    graph.add_node(1, label="a")
    graph.add_node((2, "x"), label="b")
    graph.add_edge(1, (2, "x"), probability=2 / 3)
    graph.add_edge(1, 1, probability="1/3")
    graph.add_edge((2, "x"), 1, probability=1)
    chain = from_networkx(graph, floats="simplest")
    assert chain.states == ("1", "(2, 'x')")
    assert chain.row("1") == {"1": Fraction(1, 3), "(2, 'x')": Fraction(2, 3)}
    assert chain.name == "die"
    with pytest.raises(ParameterError, match=r"probability of '1' -> .* where you mean the float itself"):
        from_networkx(graph)
    with pytest.raises(ModelError, match="node '1' has no attribute 'colour'"):
        from_networkx(graph, label="colour")
    with pytest.raises(ModelError, match=r"the edge '1' -> .* has no attribute 'weight'"):
        from_networkx(graph, probability="weight")


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.Graph(), "the graph is not directed"),
        (nx.MultiDiGraph(), "the graph is a multigraph"),
        (nx.DiGraph(), "a chain needs at least one state"),
    ],
)
def test_graphs_that_are_no_chains(graph: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        from_networkx(graph)


def test_two_nodes_of_one_name_are_refused() -> None:
    graph = nx.DiGraph()
    graph.add_node(1, label="a")
    graph.add_node("1", label="a")
    with pytest.raises(ModelError, match="state '1' is declared twice"):
        from_networkx(graph)


@pytest.mark.parametrize(
    ("package", "convert", "hint"),
    [
        ("networkx", to_networkx, "pip install networkx"),
        ("scipy.sparse", to_scipy_approx, "pip install scipy"),
    ],
)
def test_a_missing_package_is_named(
    package: str, convert: Any, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(BackendError, match=hint):
        convert(COIN)


def test_reading_models_loads_no_heavy_package() -> None:
    heavy = ("numpy", "scipy", "networkx", "stormpy", "subprocess")
    modules = "bdist.chains.formats, bdist.chains.conversions, sys"
    code = f"import {modules}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""Random and layered chains: reproducible from their parameters, and of the promised shape."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bdist
from bdist.chains.families import FAMILIES, MOST_STATES, layered_chain, make_family, random_chain
from bdist.chains.formats import lmc
from bdist.errors import ParameterError

SHAPES = ("general", "acyclic")


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int, int, int, int]:
    """States, labels, degree, denominator and seed that are admitted together."""
    states = draw(st.integers(1, 15))
    degree = draw(st.integers(1, states))
    denominator = draw(st.integers(degree, 200))
    return states, draw(st.integers(1, states)), degree, denominator, draw(st.integers(0, 2**64 - 1))


def test_a_seed_means_the_same_chain_for_ever() -> None:
    chain = random_chain(states=3, labels=2, degree=2, denominator=10, seed=7)
    rows = [[(j, str(p)) for j, p in row] for row in chain.rows]
    assert chain.labels == ("l1", "l1", "l0")
    assert rows == [
        [(0, "9/10"), (2, "1/10")],
        [(0, "1/10"), (1, "9/10")],
        [(0, "1/5"), (2, "4/5")],
    ]


@given(sizes(), st.sampled_from(SHAPES))
def test_the_parameters_determine_the_chain(size: tuple[int, int, int, int, int], shape: str) -> None:
    states, labels, degree, denominator, seed = size
    assert random_chain(states, labels, degree, denominator, seed, shape) == random_chain(
        states, labels, degree, denominator, seed, shape
    )


@given(sizes())
def test_general_rows_keep_degree_and_denominator(size: tuple[int, int, int, int, int]) -> None:
    states, labels, degree, denominator, seed = size
    chain = random_chain(states, labels, degree, denominator, seed)
    assert chain.states == tuple(f"s{i}" for i in range(states))
    assert set(chain.labels) == {f"l{k}" for k in range(labels)}
    for row in chain.rows:
        assert len(row) == degree
        assert all((p * denominator).denominator == 1 for _, p in row)


@given(sizes())
def test_acyclic_rows_go_forward(size: tuple[int, int, int, int, int]) -> None:
    states, labels, degree, denominator, seed = size
    chain = random_chain(states, labels, degree, denominator, seed, "acyclic")
    assert set(chain.labels) == {f"l{k}" for k in range(labels)}
    for i, row in enumerate(chain.rows[:-1]):
        assert len(row) == min(degree, states - 1 - i)
        assert all(j > i for j, _ in row)
        assert all((p * denominator).denominator == 1 for _, p in row)
    assert chain.rows[-1] == ((states - 1, Fraction(1)),)


def test_seeds_differ() -> None:
    assert len({random_chain(seed=seed) for seed in range(50)}) == 50


def test_every_subset_of_targets_occurs() -> None:
    seen = {tuple(j for j, _ in random_chain(4, 1, 2, 2, seed).rows[0]) for seed in range(200)}
    assert seen == {(i, j) for i in range(4) for j in range(i + 1, 4)}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"states": 3, "labels": 4}, "labels is 4; it must be at most states, which is 3"),
        ({"states": 2, "degree": 3}, "degree is 3; it must be at most states, which is 2"),
        ({"degree": 3, "denominator": 2}, "degree is 3; it must be at most denominator, which is 2"),
        ({"states": 0}, "states is 0; it must be an integer from 1 to 10000"),
        ({"seed": -1}, "seed is -1; it must be an integer from 0 to"),
    ],
)
def test_parameters_are_checked(values: dict[str, int], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        random_chain(**values)


@st.composite
def layered_sizes(draw: st.DrawFn) -> tuple[int, int, int, int, int, int]:
    """Layers, width, labels, degree, denominator and seed that are admitted together."""
    width = draw(st.integers(1, 6))
    degree = draw(st.integers(1, width))
    denominator = draw(st.integers(degree, 200))
    layers, labels = draw(st.integers(1, 5)), draw(st.integers(1, 26))
    return layers, width, labels, degree, denominator, draw(st.integers(0, 2**64 - 1))


def test_a_seed_means_the_same_layered_chain_for_ever() -> None:
    chain = layered_chain(layers=3, width=3, labels=2, degree=2, denominator=10, seed=7)
    assert lmc.write(chain).splitlines() == [
        "lmc layered-7",
        "s0.0 [0.b] -> 1/10 s1.0, 9/10 s1.1",
        "s0.1 [0.a] -> 1/10 s1.0, 9/10 s1.1",
        "s0.2 [0.a] -> 7/10 s1.0, 3/10 s1.2",
        "s1.0 [1.b] -> 1/5 s2.0, 4/5 s2.2",
        "s1.1 [1.b] -> 1/5 s2.0, 4/5 s2.2",
        "s1.2 [1.a] -> 7/10 s2.0, 3/10 s2.2",
        "s2.0 [2.a] -> 1 s2.0",
        "s2.1 [2.a] -> 1 s2.1",
        "s2.2 [2.a] -> 1 s2.2",
    ]


@given(layered_sizes())
def test_rows_lead_to_the_next_layer_and_labels_name_their_own(
    size: tuple[int, int, int, int, int, int],
) -> None:
    layers, width, labels, degree, denominator, _ = size
    chain = layered_chain(*size)
    assert chain == layered_chain(*size)
    assert len(chain) == layers * width
    symbols = [chr(ord("a") + k) for k in range(labels)]
    for i, (state, label, row) in enumerate(zip(chain.states, chain.labels, chain.rows, strict=True)):
        layer = i // width
        assert state == f"s{layer}.{i % width}"
        assert label in [f"{layer}.{symbol}" for symbol in symbols]
        if layer == layers - 1:
            assert row == ((i, Fraction(1)),)
        else:
            assert len(row) == degree
            assert {j // width for j, _ in row} == {layer + 1}  # forward only, so there is no cycle
            assert all((p * denominator).denominator == 1 for _, p in row)


def test_every_subset_of_targets_and_every_symbol_occurs() -> None:
    chains = [layered_chain(2, 4, 3, 2, 2, seed) for seed in range(200)]
    seen = {tuple(j for j, _ in chain.rows[0]) for chain in chains}
    assert seen == set(combinations(range(4, 8), 2))
    assert {chain.labels[0] for chain in chains} == {"0.a", "0.b", "0.c"}


def test_it_is_registered_with_its_defaults() -> None:
    assert FAMILIES["layered"].name == "layered"
    assert make_family("layered") == layered_chain(10, 6, 2, 2, 12, 1)
    assert make_family("layered", {"layers": "3", "seed": "5"}) == layered_chain(layers=3, seed=5)


def test_a_hundred_thousand_states_are_admitted() -> None:
    parameters = {parameter.name: parameter for parameter in FAMILIES["layered"].parameters}
    assert parameters["layers"].read(2000) == 2000
    assert parameters["width"].read(50) == 50
    assert MOST_STATES >= 2000 * 50


@pytest.mark.parametrize("alpha", ["1", "11/10", "2"])
def test_explored_and_strategy_values_are_equal(alpha: str) -> None:
    chain = layered_chain(layers=5, width=5, labels=2, seed=3)
    pairs = [
        (chain.states[i], chain.states[j])
        for label, members in chain.states_by_label.items()
        if label.startswith("0.")
        for i, j in combinations(members, 2)
    ]
    values = [
        bdist.distance(chain, *pair, alpha=alpha, method="explore", precision=0).value for pair in pairs
    ]
    assert values == [bdist.distance(chain, *pair, alpha=alpha, method="strategy").value for pair in pairs]
    assert any(0 < value < 1 for value in values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"width": 2, "degree": 3}, "degree is 3; it must be at most width, which is 2"),
        ({"degree": 3, "denominator": 2}, "degree is 3; it must be at most denominator, which is 2"),
        ({"layers": 100_000, "width": 11}, "100000 layers of 11 states are more than 1000000 states"),
        ({"labels": 27}, "labels is 27; it must be an integer from 1 to 26"),
        ({"layers": 0}, "layers is 0; it must be an integer from 1 to"),
    ],
)
def test_parameters_of_layered_chains_are_checked(values: dict[str, int], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        layered_chain(**values)

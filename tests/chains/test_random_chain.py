"""Random chains: what they promise of every row, and that a seed means the same chain for ever."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bdist.chains.random_chains import Shape, random_chain
from bdist.errors import ParameterError

SHAPES: tuple[Shape, ...] = ("general", "acyclic")


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
def test_the_parameters_determine_the_chain(size: tuple[int, int, int, int, int], shape: Shape) -> None:
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
        random_chain(**values)  # type: ignore[arg-type]

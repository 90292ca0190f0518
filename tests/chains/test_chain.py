"""The model: what it accepts, what it refuses, what it shows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bdist import LabelledMarkovChain, ModelError, ParameterError
from bdist.chains.chain import canonical_form, fingerprint

COIN = {"s": ("a", {"s": "1/3", "t": "2/3"}), "t": ("b", {"t": 1})}


def test_views_of_a_chain() -> None:
    chain = LabelledMarkovChain.from_rows(COIN, name="coin")
    assert len(chain) == 2
    assert chain.row("s") == {"s": Fraction(1, 3), "t": Fraction(2, 3)}
    assert chain.label("t") == "b"
    assert chain.integer_rows[0].numerators == (1, 2)
    assert chain.integer_rows[0].denominator == 3
    assert "coin" in repr(chain)


def test_the_three_ways_to_build_one_agree() -> None:
    by_rows = LabelledMarkovChain.from_rows(COIN)
    by_triples = LabelledMarkovChain.from_rows(
        [(s, label, row) for s, (label, row) in COIN.items()], name="other"
    )
    by_matrix = LabelledMarkovChain.from_matrix([["1/3", Fraction(2, 3)], [0, 1]], ["a", "b"], ["s", "t"])
    assert by_rows == by_triples == by_matrix
    assert hash(by_rows) == hash(by_matrix)
    assert LabelledMarkovChain.from_matrix(np.eye(2, dtype=int).tolist(), ["a", "b"]).states == ("s0", "s1")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"s": ("a", {"s": "999/1000"})}, "'s' sums to 999/1000"),
        ({"s": ("a", {"s": 2, "t": -1}), "t": ("a", {"t": 1})}, "'t' with probability -1"),
        ({"s": ("a", {"u": 1})}, "'u', which is not a state"),
        ({"s": ("a", {})}, "sums to 0"),
        ({}, "at least one state"),
        ({"s\n": ("a", {"s\n": 1})}, "control character"),
        ({"s": (3, {"s": 1})}, "names and labels are str"),
    ],
)
def test_what_is_no_chain_is_refused_with_the_place_and_the_value(
    rows: dict[str, tuple[str, dict[str, object]]], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        LabelledMarkovChain.from_rows(rows)


def test_duplicates_shapes_and_floats_are_refused() -> None:
    with pytest.raises(ModelError, match="declared twice"):
        LabelledMarkovChain.from_rows([("s", "a", {"s": 1}), ("s", "a", {"s": 1})])
    with pytest.raises(ModelError, match="numbers must agree"):
        LabelledMarkovChain.from_matrix([[1]], ["a", "b"])
    with pytest.raises(ModelError, match="2 entries for 1"):
        LabelledMarkovChain.from_matrix([[1, 0]], ["a"])
    with pytest.raises(ParameterError, match="is the float"):
        LabelledMarkovChain.from_matrix([[1.0]], ["a"])


def test_an_unknown_state_is_answered_with_near_ones() -> None:
    with pytest.raises(ParameterError, match="no state 'S'; this chain has s"):
        LabelledMarkovChain.from_rows(COIN).index("S")


def test_the_fingerprint_is_of_the_chain_and_not_of_its_spelling() -> None:
    chain = LabelledMarkovChain.from_rows(COIN)
    reordered = LabelledMarkovChain.from_rows(dict(reversed(COIN.items())), name="x")
    assert chain != reordered
    assert fingerprint(chain) == fingerprint(reordered)
    assert canonical_form(chain) == '[["s","a",[["s","1/3"],["t","2/3"]]],["t","b",[["t","1"]]]]'
    relabelled = LabelledMarkovChain.from_rows({**COIN, "t": ("a", {"t": 1})})
    assert fingerprint(chain) != fingerprint(relabelled)

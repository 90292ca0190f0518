"""The oracle that looks at every word, against numbers by hand and against a second way to compute them."""

from __future__ import annotations

from fractions import Fraction
from math import e

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.pufferfish.families import make_hidden_model
from bdist.pufferfish.model import HiddenMarkovModel, HiddenState, Pair
from tests.oracles import pufferfish_words as oracle
from tests.oracles.hidden_models import start_of, word_probability
from tests.oracles.pufferfish_models import Asked, small_models

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
ALWAYS = Fraction(1)
# one shows x and halts, or a and goes on with the same; two shows a and then x
PAIR = Pair("one", "two")
MODEL = HiddenMarkovModel(
    (
        HiddenState("end", (("x", ALWAYS),), None),
        HiddenState("one", (("a", ALWAYS),), ((0, HALF), (1, HALF))),
        HiddenState("two", (("a", THIRD), ("b", 2 * THIRD)), ((0, ALWAYS),)),
    )
)


def test_ratios_by_hand() -> None:
    assert oracle.look(MODEL, PAIR, ("a", "x")).ratio == HALF / THIRD
    assert oracle.look(MODEL, PAIR, ("a", "a")).ratio is None
    assert oracle.look(MODEL, PAIR, ("b",)).ratio == 0
    assert [oracle.loss(MODEL, [PAIR], k) for k in (1, 2, 3)] == [3, None, None]
    assert [oracle.loss(MODEL, [PAIR], k, "common") for k in (1, 2, 3)] == [3, Fraction(3, 2), 0]


def test_outcomes_by_hand() -> None:
    assert oracle.outcomes(MODEL, "one", None, 2) == {("a", "x"): HALF, ("a", "a"): HALF}
    assert oracle.outcomes(MODEL, "two", None, 3) == {("a", "x"): THIRD, ("b", "x"): 2 * THIRD}
    assert oracle.delta(MODEL, PAIR, Fraction(1), 1) == 2 * THIRD
    assert oracle.delta(MODEL, PAIR, Fraction(3, 2), 2) == HALF
    assert oracle.still_running(MODEL, "one", None, 3) == Fraction(1, 4)
    assert oracle.still_running(MODEL, "two", None, 2) == 0


def test_conditioning_by_hand() -> None:
    """Example 4.5 as printed: the second row of the paper's Table 1."""
    model, p = make_hidden_model("hidden-geometric"), Fraction(1, 5)
    found = [
        oracle.probability(model, "not-zero", "people-as-printed", (f"out{k}",), {"p": p}) for k in range(3)
    ]
    first = (4 - 3 * p) / (12 - 6 * p)
    assert found == [first, first, 2 / (6 - 3 * p)]


@pytest.mark.parametrize("epsilon", [Fraction(0), HALF, Fraction(3), Fraction(7)])
def test_exponential(epsilon: Fraction) -> None:
    low, high = oracle.exponential(epsilon)
    assert low <= high < low + Fraction(1, 10**12)
    assert float(low) == pytest.approx(e ** float(epsilon))
    assert oracle.allows(epsilon, low)
    assert not oracle.allows(epsilon, high + Fraction(1, 10**12))


@settings(max_examples=30, deadline=None)
@given(small_models(), st.integers(1, 3))
def test_words_have_the_probabilities_of_the_other_oracle(asked: Asked, length: int) -> None:
    model = asked.model
    for pair in asked.pairs:
        seen = list(oracle.words_seen(model, pair, length))
        for word in seen:
            assert (word.first, word.second) == tuple(
                word_probability(model, start_of(model, side, pair.prior, {}), word.word, {})
                for side in (pair.first, pair.second)
            )
        both = [sum(word.first for word in seen), sum(word.second for word in seen)]
        for side, shown in zip((pair.first, pair.second), both, strict=True):
            assert shown == oracle.still_running(model, side, pair.prior, length - 1)
            assert sum(oracle.outcomes(model, side, pair.prior, length).values()) == 1


@settings(max_examples=30, deadline=None)
@given(small_models(), st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(3)]), st.integers(1, 3))
def test_delta_grows_with_the_length_and_is_0_where_the_loss_is_small(
    asked: Asked, alpha: Fraction, most: int
) -> None:
    for pair in asked.pairs:
        found = oracle.delta(asked.model, pair, alpha, most)
        assert 0 <= found <= oracle.delta(asked.model, pair, alpha, most + 1) <= 1
        losses = [oracle.loss(asked.model, [pair], length) for length in range(1, most + 1)]
        if oracle.at_most(oracle.largest(losses), alpha):
            assert found == 0

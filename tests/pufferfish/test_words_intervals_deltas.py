"""Words that somebody brings along, intervals of a tester, and deltas: all against the oracle."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bdist import pufferfish
from bdist.errors import BdistError, ParameterError, UnsupportedError
from bdist.pufferfish import Deltas, Refinement
from bdist.pufferfish.model import HiddenMarkovModel, HiddenState, Pair
from bdist.results import Answer
from tests.oracles import pufferfish_words as oracle
from tests.oracles.pufferfish_models import INSIDE, NOTHING_IN_COMMON, Asked, points, small_models

INSTANCES = Path(__file__).parents[2] / "instances" / "pufferfish"
WORDS = st.sampled_from(["all", "common"])
ONE = Fraction(1)
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def improved() -> HiddenMarkovModel:
    return pufferfish.load(INSTANCES / "noisy-max-improved.hmm")


# --- certify ---------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(small_models(), WORDS, st.data())
def test_a_word_has_its_ratio_under_every_pair_under_which_it_counts(
    asked: Asked, words: str, data: st.DataObject
) -> None:
    letters = st.sampled_from(asked.model.observations)
    word = tuple(data.draw(st.lists(letters, min_size=1, max_size=4)))
    found = pufferfish.certify(asked.model, word, epsilon="ln 2", words=words)
    expected = {}
    for pair in asked.pairs:
        seen = oracle.look(asked.model, pair, word)
        if (seen.first or seen.second) and seen.counts(words):
            expected[pair] = seen
    listed = {witness.pair: witness.ratio for witness in found.witnesses}
    assert len(listed) == len(found.witnesses)
    for pair, seen in expected.items():
        assert listed.get(pair, Fraction(0)) == seen.ratio  # a ratio of 0 may be left out
    assert listed.keys() <= expected.keys()
    for witness in found.witnesses:
        seen = expected[witness.pair]
        assert (witness.word, witness.probabilities) == (word, (seen.first, seen.second))
    ratios = [witness.ratio for witness in found.witnesses]
    assert all(oracle.at_most(later, ratios[0]) for later in ratios)
    violated = any(not oracle.at_most(ratio, Fraction(2)) for ratio in ratios)
    assert found.answer is (Answer.VIOLATED if violated else Answer.HOLDS)
    pufferfish.check(asked.model, found.certificate)


@settings(max_examples=15, deadline=None)
@given(small_models(parameters=1), WORDS, st.data())
def test_a_word_at_parameter_values(asked: Asked, words: str, data: st.DataObject) -> None:
    at = data.draw(points(asked.model))
    seen = next(oracle.words_seen(asked.model, asked.pairs[0], 1, at))
    found = pufferfish.certify(asked.model, seen.word, words=words, at=at)
    assert found.answer is None
    ratios = {witness.pair: witness.ratio for witness in found.witnesses}
    if seen.counts(words):
        assert ratios.get(asked.pairs[0], Fraction(0)) == seen.ratio
    else:
        assert asked.pairs[0] not in ratios


@pytest.mark.parametrize(
    ("word", "epsilon", "answer", "ratio"),
    [
        (["start", "answer1"], "1.2", Answer.VIOLATED, Fraction(24, 7)),
        (["start", "answer1"], "ln 24/7", Answer.HOLDS, Fraction(24, 7)),
        (["start"], "0", Answer.HOLDS, ONE),
        (["answer1"], "0", Answer.HOLDS, None),
        (["start", "answer1", "answer1"], "0", Answer.HOLDS, None),
    ],
)
def test_words_of_noisy_max(word: list[str], epsilon: str, answer: Answer, ratio: Fraction | None) -> None:
    found = pufferfish.certify(improved(), word, "neighbours", epsilon=epsilon)
    assert found.answer is answer
    if ratio is None:
        assert not found.witnesses, "the word is impossible"
    else:
        assert found.witnesses[0].ratio == ratio


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (["start", "answer4"], r"never shows 'answer4'; did you mean 'answer[123]'\?"),
        (["strat"], r"never shows 'strat'; did you mean 'start'\?"),
        (["zzz"], r"never shows 'zzz'$"),
        ([], "the word is empty"),
    ],
)
def test_words_that_are_refused(word: list[str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        pufferfish.certify(improved(), word, "neighbours", epsilon=1)


# --- narrow ----------------------------------------------------------------------------------------------


def check_interval(found: Refinement, loss: Fraction) -> None:
    """ln of the loss is in the interval, or 0 if that is negative."""
    assert oracle.exponential(found.lower)[0] <= max(loss, ONE)
    assert found.upper is not None
    assert max(loss, ONE) <= oracle.exponential(found.upper)[1]
    if found.exact is not None:
        assert found.exact == loss
    for decision in found.decisions:
        assert decision.answer is (Answer.HOLDS if decision.epsilon.allows(loss) else Answer.VIOLATED)


@pytest.mark.parametrize(
    ("low", "high"), [("1.21", "1.28"), ("0", "10"), ("0.1", "0.2"), ("1.5", "2.5"), ("1.232", "1.233")]
)
def test_a_testers_interval_that_is_right_too_low_or_too_high(low: str, high: str) -> None:
    found = pufferfish.narrow(improved(), low, high, "neighbours")
    loss = Fraction(24, 7)
    check_interval(found, loss)
    assert found.upper is not None
    assert found.upper - found.lower <= Fraction(1, 1000)
    assert found.limit is None
    if (low, high) == ("1.21", "1.28"):
        assert found.exact == loss
        assert found.violated is not None
        assert found.violated.witness is not None
        assert found.violated.witness.ratio == loss
        assert found.proved is not None
        assert found.proved.bound == loss


@settings(max_examples=25, deadline=None)
@given(small_models(), WORDS, st.sampled_from([("0", "1/10"), ("1/2", "1"), ("0", "3"), ("4", "5")]))
@example(NOTHING_IN_COMMON, "common", ("0", "1"))
def test_intervals_of_small_models(asked: Asked, words: str, ends: tuple[str, str]) -> None:
    loss = oracle.largest([oracle.loss(asked.model, asked.pairs, k, words) for k in (1, 2, 3)])
    found = pufferfish.narrow(asked.model, *ends, lengths="1..3", words=words)
    if loss is None:
        assert found.upper is None
        assert found.limit is not None
        assert found.violated is not None
        assert found.violated.witness is not None
        assert found.exact is None
    else:
        check_interval(found, loss)
        assert found.upper is not None
        assert found.upper - found.lower <= Fraction(1, 1000)


def test_an_interval_is_narrowed_where_the_supremum_is_not_attained_by_a_rational() -> None:
    """ln (3 / sqrt 8) = 0.0588915...: halving [0, 1] ten times is enough for 1/1000."""
    found = pufferfish.narrow(INSIDE.model, 0, 1, lengths=1)
    assert found.upper is not None
    assert Fraction(57, 1000) < found.lower <= Fraction(58892, 10**6)
    assert Fraction(58891, 10**6) <= found.upper <= found.lower + Fraction(1, 1000)
    assert found.limit is None


def test_an_interval_is_narrowed_where_the_supremum_is_a_limit() -> None:
    """Example 6.2 of the paper: ln(40/21) = 0.644357..., as pA -> 0 and pB, pC -> 1."""
    found = pufferfish.narrow(improved(), "0.6", "0.7", "independent")
    assert found.upper is not None
    assert found.upper - found.lower <= Fraction(1, 1000)
    assert found.exact in (None, Fraction(40, 21))
    assert oracle.exponential(found.lower)[0] <= Fraction(40, 21) <= oracle.exponential(found.upper)[1]


@pytest.mark.parametrize(("low", "high"), [("2", "1"), ("-1", "1"), ("1", "1")])
def test_ends_that_are_refused(low: str, high: str) -> None:
    with pytest.raises(ParameterError, match="0 <= LOW < HIGH"):
        pufferfish.narrow(improved(), low, high, "neighbours")


# --- deltas ----------------------------------------------------------------------------------------------

ALPHAS = st.sampled_from([ONE, Fraction(3, 2), Fraction(3)])


def true_delta(asked: Asked, pair: Pair, both: bool, alpha: Fraction, most: int) -> Fraction:
    mirrored = Pair(pair.second, pair.first, pair.prior)
    orders = [pair, mirrored] if both else [pair]
    return max(oracle.delta(asked.model, order, alpha, most) for order in orders)


def check_deltas(found: Deltas, asked: Asked, alpha: Fraction, most: int) -> None:
    listed = set()
    for each in found.pairs:
        pair = each.pair
        listed |= {pair, Pair(pair.second, pair.first, pair.prior)} if each.both else {pair}
        expected = true_delta(asked, pair, each.both, alpha, most)
        bracket = each.found.bracket
        assert bracket.lower.value <= expected <= bracket.upper.value
        assert bracket.width <= Fraction(1, 10**6)  # runs are short, so nothing is left open
    assert listed == set(asked.pairs)
    worst = max(true_delta(asked, each.pair, each.both, alpha, most) for each in found.pairs)
    assert found.worst.found.bracket.lower.value <= worst <= found.worst.found.bracket.upper.value
    assert found.answer(Fraction(1)) is Answer.HOLDS
    if all(each.found.bracket.width == 0 for each in found.pairs):
        assert found.answer(worst) is Answer.HOLDS
        if worst > 0:
            assert found.answer(worst * Fraction(999, 1000)) is Answer.VIOLATED


@settings(max_examples=30, deadline=None)
@given(small_models(), ALPHAS, st.integers(1, 3))
def test_deltas_of_runs_that_halt_or_are_cut(asked: Asked, alpha: Fraction, most: int) -> None:
    found = pufferfish.deltas(asked.model, epsilon=f"ln {alpha}", lengths=f"1..{most}")
    check_deltas(found, asked, alpha, most)


@settings(max_examples=10, deadline=None)
@given(small_models(parameters=1), ALPHAS, st.data())
def test_deltas_at_parameter_values(asked: Asked, alpha: Fraction, data: st.DataObject) -> None:
    at = data.draw(points(asked.model))
    found = pufferfish.deltas(asked.model, epsilon=f"ln {alpha}", lengths="1..2", at=at)
    for each in found.pairs:
        orders = [each.pair]
        if each.both:
            orders.append(Pair(each.pair.second, each.pair.first, each.pair.prior))
        expected = max(oracle.delta(asked.model, order, alpha, 2, at) for order in orders)
        assert each.found.bracket.lower.value <= expected <= each.found.bracket.upper.value


@settings(max_examples=8, deadline=None)
@given(small_models(halting=True), ALPHAS)
def test_deltas_of_all_runs_enclose_what_can_be_enumerated(asked: Asked, alpha: Fraction) -> None:
    """What is not seen after four observations adds at most the probability that the run still goes on."""
    found = pufferfish.deltas(asked.model, epsilon=f"ln {alpha}", lengths="any", time_limit=1)
    for each in found.pairs:
        orders = [each.pair]
        if each.both:
            orders.append(Pair(each.pair.second, each.pair.first, each.pair.prior))
        known = [oracle.delta(asked.model, order, alpha, 4) for order in orders]
        rest = [oracle.still_running(asked.model, order.first, order.prior, 4) for order in orders]
        bracket = each.found.bracket
        assert bracket.lower.value <= bracket.upper.value
        assert max(known) <= bracket.upper.value
        assert bracket.lower.value <= max(sum(parts) for parts in zip(known, rest, strict=True))


# one: a, then x or y evenly; two: a or b, then x; they halt
HALTING = Asked(
    HiddenMarkovModel(
        (
            HiddenState("one", (("a", ONE),), ((2, ONE),)),
            HiddenState("two", (("a", THIRD), ("b", 2 * THIRD)), ((3, ONE),)),
            HiddenState("even", (("x", HALF), ("y", HALF)), None),
            HiddenState("end", (("x", ONE),), None),
        )
    ),
    (Pair("one", "two"),),
)


@pytest.mark.parametrize(
    ("lengths", "first", "second"),
    [
        (1, Fraction(1, 2), Fraction(2, 3)),  # a: 1 - 3/2 1/3; b: 2/3
        (2, Fraction(1, 2), Fraction(2, 3)),  # ax: 1/2 - 3/2 1/3 = 0, ay: 1/2; bx: 2/3, ax: 1/3 - 3/4 < 0
        ("any", Fraction(1, 2), Fraction(2, 3)),
    ],
)
def test_deltas_by_hand_in_each_direction(lengths: int | str, first: Fraction, second: Fraction) -> None:
    for pair, directed, expected in [
        (("one", "two"), True, first),
        (("two", "one"), True, second),
        (("one", "two"), False, max(first, second)),
        (("two", "one"), False, max(first, second)),
    ]:
        found = pufferfish.deltas(
            HALTING.model, pairs=[pair], directed=directed, epsilon="ln 3/2", lengths=lengths
        )
        (only,) = found.pairs
        assert only.both is not directed
        bracket = only.found.bracket
        assert (bracket.lower.value, bracket.upper.value) == (expected, expected)


def test_a_rational_budget_gives_a_narrow_bracket() -> None:
    epsilon = Fraction(1, 10)
    found = pufferfish.deltas(
        HALTING.model, pairs=[("one", "two")], directed=True, epsilon=epsilon, lengths=2
    )
    low, high = (
        oracle.delta(HALTING.model, HALTING.pairs[0], alpha, 2) for alpha in oracle.exponential(epsilon)[::-1]
    )
    bracket = found.pairs[0].found.bracket
    assert bracket.lower.value <= high
    assert bracket.upper.value >= low
    assert bracket.width < Fraction(1, 10**6)


def test_common_words_have_no_delta() -> None:
    model = pufferfish.load(INSTANCES / "above-threshold.hmm")
    with pytest.raises(UnsupportedError, match=r"sets of words.*only one side can show"):
        pufferfish.deltas(model, epsilon=1)


@pytest.mark.parametrize(
    ("scenario", "epsilon", "message"),
    [
        ("contagious", "1", "delta depends on p; give values"),
        ("nobody", "1", "there is no scenario 'nobody'"),
    ],
)
def test_questions_without_a_delta(scenario: str, epsilon: str, message: str) -> None:
    model = pufferfish.load(INSTANCES / "geometric.hmm")
    with pytest.raises(BdistError, match=message):
        pufferfish.deltas(model, scenario, epsilon=epsilon)

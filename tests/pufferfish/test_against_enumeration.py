"""Losses and decisions agree with an oracle that looks at every word of small models."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log
from pathlib import Path

import pytest
from hypothesis import example, given, note, settings
from hypothesis import strategies as st

from bdist import pufferfish
from bdist.exact.epsilon import Epsilon
from bdist.pufferfish import Decision, LengthLoss, Loss, Witness
from bdist.pufferfish import text as hmm
from bdist.pufferfish.model import HiddenMarkovModel, HiddenState, Pair
from bdist.results import Answer
from tests.oracles import pufferfish_words as oracle
from tests.oracles.pufferfish_models import (
    INSIDE,
    NOTHING_IN_COMMON,
    Asked,
    one_parameter,
    points,
    small_models,
)

MODELS = Path(__file__).parent / "models"
WORDS = st.sampled_from(["all", "common"])
LITTLE = Fraction(1, 10**6)
ONE = Fraction(1)


def losses_of(
    asked: Asked, lengths: range, words: str, at: oracle.Point = oracle.NOWHERE
) -> list[oracle.Ratio]:
    return [oracle.loss(asked.model, asked.pairs, length, words, at) for length in lengths]


def check_witness(
    witness: Witness | None, asked: Asked, words: str, ratio: oracle.Ratio, at: oracle.Point = oracle.NOWHERE
) -> None:
    """It is a word that counts, under a pair that was asked about, and the oracle says the same of it."""
    assert witness is not None
    assert witness.pair in asked.pairs
    seen = oracle.look(asked.model, witness.pair, witness.word, at)
    assert seen.first > 0 or ratio == 0
    assert seen.counts(words)
    assert seen.ratio == witness.ratio == ratio
    assert witness.probabilities == (seen.first, seen.second)


def check_lengths(
    found: Loss, asked: Asked, asked_for: range, words: str, at: oracle.Point = oracle.NOWHERE
) -> None:
    """Every length that was asked for has the enumerated loss; one that is left out has no word."""
    losses = {each.length: each for each in found.lengths}
    for length in asked_for:
        expected = oracle.loss(asked.model, asked.pairs, length, words, at)
        loss = losses.get(length)
        if loss is None:
            assert oracle.at_most(expected, found.beyond)
            assert expected == found.beyond == 0
            continue
        assert loss.lower == loss.upper == expected
        assert loss.exact
        if loss.witness is None:
            assert expected == 0
        else:
            assert len(loss.witness.word) == length
            check_witness(loss.witness, asked, words, expected, at)
    every = oracle.largest(losses_of(asked, asked_for, words, at))
    assert found.complete
    if set(losses) <= set(asked_for):
        assert found.upper == every
        worst = found.worst
        assert worst is None or worst.lower == every


# --- optimise --------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(small_models(), WORDS)
@example(NOTHING_IN_COMMON, "common")
def test_the_loss_at_every_length_is_that_of_all_words(asked: Asked, words: str) -> None:
    found = pufferfish.optimise(asked.model, lengths="1..4", words=words)
    assert found.question.pairs == tuple(dict.fromkeys(asked.pairs))
    assert [loss.length for loss in found.lengths] == [1, 2, 3, 4][: len(found.lengths)]
    check_lengths(found, asked, range(1, 5), words)


@settings(max_examples=30, deadline=None)
@given(
    small_models(),
    WORDS,
    st.sampled_from([(3, range(3, 4)), ("1..3", range(1, 4)), ("2..4", range(2, 5)), ((2, 3), range(2, 4))]),
)
def test_lengths_in_every_spelling(
    asked: Asked, words: str, lengths: tuple[int | str | tuple[int, int], range]
) -> None:
    given_as, meant = lengths
    found = pufferfish.optimise(asked.model, lengths=given_as, words=words)
    assert {loss.length for loss in found.lengths} <= set(meant)
    check_lengths(found, asked, meant, words)


@settings(max_examples=20, deadline=None)
@given(small_models(), WORDS, st.data())
def test_pairs_that_are_given_take_the_place_of_the_scenarios(
    asked: Asked, words: str, data: st.DataObject
) -> None:
    states = [state.name for state in asked.model.states]
    chosen = data.draw(
        st.lists(
            st.tuples(st.sampled_from(states), st.sampled_from(states)).filter(lambda p: p[0] != p[1]),
            min_size=1,
            max_size=3,
            unique=True,
        )
    )
    one_way = tuple(Pair(*pair) for pair in chosen)
    both_ways = tuple(dict.fromkeys(each for pair in one_way for each in (pair, pair.mirrored)))
    for directed, pairs in ((True, one_way), (False, both_ways)):
        found = pufferfish.optimise(asked.model, pairs=chosen, directed=directed, lengths="1..3", words=words)
        assert found.question.pairs == pairs
        check_lengths(found, Asked(asked.model, pairs), range(1, 4), words)


@settings(max_examples=30, deadline=None)
@given(small_models(), WORDS)
def test_beyond_bounds_the_losses_at_further_lengths(asked: Asked, words: str) -> None:
    found = pufferfish.optimise(asked.model, lengths="1..2", words=words)
    if found.beyond is not None:
        for loss in losses_of(asked, range(3, 6), words):
            assert oracle.at_most(loss, found.beyond)


def test_beyond_is_found_and_not_too_small() -> None:
    """Runs that show the same for ever: the loss at all lengths is that at the first."""
    third = Fraction(1, 3)
    states = (
        HiddenState("s0", (("a", third), ("b", 2 * third)), ((2, ONE),)),
        HiddenState("s1", (("a", 2 * third), ("b", third)), ((2, ONE),)),
        HiddenState("s2", (("a", ONE),), ((2, ONE),)),
    )
    found = pufferfish.optimise(HiddenMarkovModel(states), pairs=[("s0", "s1")], lengths="any")
    assert found.beyond == 2
    assert (found.complete, found.upper) == (True, Fraction(2))


# --- words of any length ---------------------------------------------------------------------------------


@settings(max_examples=12, deadline=None)
@given(small_models(max_states=3), WORDS)
@example(NOTHING_IN_COMMON, "common")
def test_one_bound_for_all_lengths(asked: Asked, words: str) -> None:
    """No word breaks it; the word that is shown has its ratio; and deciding agrees on both sides."""
    found = pufferfish.optimise(asked.model, lengths="any", words=words)
    enumerated = oracle.largest(losses_of(asked, range(1, 6), words))
    if found.growth is not None:
        return
    worst = found.worst
    if worst is not None and worst.witness is not None:
        check_witness(worst.witness, asked, words, worst.lower)
        if worst.lower is None:
            return
        assert enumerated is not None
        assert enumerated <= worst.lower or len(worst.witness.word) < 6
    assert found.upper is None or oracle.at_most(enumerated, found.upper)
    if found.limit is None:
        assert found.upper is not None
        decided = pufferfish.decide(
            asked.model, epsilon=f"ln {max(found.upper, ONE)}", lengths="any", words=words
        )
        assert decided.answer is Answer.HOLDS
    if worst is not None and worst.lower is not None and worst.lower * (1 - LITTLE) > 1:
        alpha = worst.lower * (1 - LITTLE)
        decided = pufferfish.decide(asked.model, epsilon=f"ln {alpha}", lengths="any", words=words)
        assert decided.answer is Answer.VIOLATED
        assert decided.witness is not None
        check_witness(decided.witness, asked, words, decided.witness.ratio)


@pytest.mark.parametrize(
    ("name", "least", "most"), [("alike", ONE, ONE), ("drift", Fraction(3624999, 10**6), Fraction(29, 8))]
)
def test_models_that_layers_did_not_settle(name: str, least: Fraction, most: Fraction) -> None:
    """The states of the one never become alike, and the loss of the other is approached and not attained."""
    model = pufferfish.load(MODELS / f"{name}.hmm")
    found = pufferfish.optimise(model)
    assert found.limit is None
    assert found.upper == most
    assert found.worst is not None
    assert found.worst.lower is not None
    assert least <= found.worst.lower <= most
    holds = pufferfish.decide(model, epsilon=f"ln {most}")
    assert (holds.answer, holds.bound) == (Answer.HOLDS, most)
    if least > 1:
        assert pufferfish.decide(model, epsilon=f"ln {least}").answer is Answer.VIOLATED


def test_with_parameters_words_of_any_length_have_a_bound_from_both_sides() -> None:
    """No word at some values breaks it; and it is close to a word's ratio."""
    model = pufferfish.load(MODELS / "tilt.hmm")
    found = pufferfish.optimise(model)
    assert found.limit is None
    assert found.worst is not None
    assert found.worst.lower is not None
    assert found.upper is not None
    assert found.worst.lower <= found.upper < found.worst.lower * Fraction(102, 100)
    pairs = model.pairs_of(model.scenarios[0])
    for p in (Fraction(26, 100), Fraction(1, 2), Fraction(74, 100)):
        for length in (1, 3, 5):
            assert oracle.at_most(oracle.loss(model, pairs, length, "all", {"p": p}), found.upper)
    assert pufferfish.decide(model, epsilon="ln 2").answer is Answer.HOLDS
    assert pufferfish.decide(model, epsilon="ln 3/2").answer is Answer.VIOLATED


def test_with_parameters_words_that_return_to_the_same_are_settled() -> None:
    """Two states that never meet and show the same: after every observation they are as before."""
    shows = "[q x, 1-q y]"
    model = hmm.read(f"hmm\nparameter q in (0, 1)\nu {shows} -> 1 u\nw {shows} -> 1 w\n")
    decided = pufferfish.decide(model, pairs=[("u", "w")], epsilon=0, lengths="any")
    assert (decided.answer, decided.bound) == (Answer.HOLDS, ONE)
    assert pufferfish.optimise(model, pairs=[("u", "w")], lengths="any").upper == 1


def test_a_word_between_e_to_epsilon_and_what_it_is_rounded_to_is_no_violation() -> None:
    """The ratio of x is above the rational by which e is bounded from below, and below e."""
    rounded, gap = Epsilon.of(1).alpha_down(), Fraction(1)
    while not Epsilon.of(1).allows(rounded + gap):
        gap /= 2
    ratio = rounded + gap
    share = 1 / (2 * ratio)
    states = (
        HiddenState("s0", (("x", Fraction(1, 2)), ("y", Fraction(1, 2))), ((2, ONE),)),
        HiddenState("s1", (("x", share), ("y", 1 - share)), ((2, ONE),)),
        HiddenState("s2", (("z", ONE),), ((2, ONE),)),
    )
    model = HiddenMarkovModel(states)
    found = pufferfish.decide(model, pairs=[("s0", "s1")], directed=True, epsilon=1, lengths="any")
    assert (found.answer, found.bound) == (Answer.HOLDS, ratio)


# --- decide ----------------------------------------------------------------------------------------------


def check_decision(
    decision: Decision, asked: Asked, words: str, loss: oracle.Ratio, allowed: bool, lengths: range
) -> None:
    note(f"{decision.epsilon.text}: {decision.answer}")
    assert decision.answer is (Answer.HOLDS if allowed else Answer.VIOLATED)
    assert decision.certificate is not None
    if allowed:
        assert decision.witness is None
        assert decision.bound is not None
        assert oracle.at_most(loss, decision.bound)
        assert decision.epsilon.allows(decision.bound)
    else:
        witness = decision.witness
        assert witness is not None
        assert len(witness.word) in lengths
        check_witness(witness, asked, words, witness.ratio)
        assert not decision.epsilon.allows(witness.ratio)


@settings(max_examples=50, deadline=None)
@given(
    small_models(), WORDS, st.sampled_from([("1..3", range(1, 4)), (2, range(2, 3)), ("2..4", range(2, 5))])
)
@example(NOTHING_IN_COMMON, "common", ("1..3", range(1, 4)))
def test_decisions_at_below_and_above_the_loss(
    asked: Asked, words: str, lengths: tuple[int | str, range]
) -> None:
    loss = oracle.largest(losses_of(asked, lengths[1], words))

    def decide(alpha: Fraction) -> Decision:
        return pufferfish.decide(asked.model, epsilon=f"ln {alpha}", lengths=lengths[0], words=words)

    if loss is None:
        check_decision(decide(Fraction(10**9)), asked, words, loss, False, lengths[1])
        return
    threshold = max(loss, ONE)
    check_decision(decide(threshold), asked, words, loss, True, lengths[1])
    check_decision(decide(threshold * (1 + LITTLE)), asked, words, loss, True, lengths[1])
    if loss * (1 - LITTLE) >= 1:
        check_decision(decide(loss * (1 - LITTLE)), asked, words, loss, False, lengths[1])


# s1 shows a and goes to s0; s0 shows a or b, evenly, and goes to s1
TURNS = HiddenMarkovModel(
    (
        HiddenState("s0", (("a", Fraction(1, 2)), ("b", Fraction(1, 2))), ((1, ONE),)),
        HiddenState("s1", (("a", ONE),), ((0, ONE),)),
    )
)


@pytest.mark.parametrize(
    ("lengths", "words", "answer"),
    [
        (2, "common", Answer.HOLDS),
        (3, "common", Answer.VIOLATED),
        (4, "common", Answer.HOLDS),
        ("2..4", "common", Answer.VIOLATED),
        (4, "all", Answer.VIOLATED),
    ],
)
def test_decisions_where_shorter_words_do_not_count(lengths: int | str, words: str, answer: Answer) -> None:
    """From s1, the ratio of aaa is 2, those of aa and aaaa are 1; abaa is impossible in s0."""
    decision = pufferfish.decide(TURNS, pairs=[("s0", "s1")], epsilon="ln 3/2", lengths=lengths, words=words)
    assert decision.answer is answer


@settings(max_examples=30, deadline=None)
@given(small_models(), WORDS, st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(7, 10), Fraction(2)]))
def test_decisions_at_rational_budgets(asked: Asked, words: str, epsilon: Fraction) -> None:
    loss = oracle.largest(losses_of(asked, range(1, 4), words))
    decision = pufferfish.decide(asked.model, epsilon=epsilon, lengths="1..3", words=words)
    check_decision(decision, asked, words, loss, oracle.allows(epsilon, loss), range(1, 4))


@settings(max_examples=30, deadline=None)
@given(small_models(), WORDS, st.sampled_from(["0", "ln 3/2", "1", "ln 7"]))
def test_decisions_about_all_lengths_agree_with_those_that_were_enumerated(
    asked: Asked, words: str, epsilon: str
) -> None:
    decision = pufferfish.decide(asked.model, epsilon=epsilon, lengths="any", words=words, time_limit=1)
    losses = losses_of(asked, range(1, 6), words)
    if decision.answer is Answer.HOLDS:
        assert all(decision.epsilon.allows(loss) for loss in losses)
        assert oracle.at_most(oracle.largest(losses), decision.bound)
    elif decision.answer is Answer.VIOLATED:
        assert decision.witness is not None
        check_witness(decision.witness, asked, words, decision.witness.ratio)
        assert not decision.epsilon.allows(decision.witness.ratio)
    else:
        assert decision.reason
        assert all(decision.epsilon.allows(loss) for loss in losses[: decision.holds_up_to])


# --- parameters ------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 2).flatmap(small_models), WORDS, st.data())
def test_parameters_with_values(asked: Asked, words: str, data: st.DataObject) -> None:
    at = data.draw(points(asked.model))
    found = pufferfish.optimise(asked.model, lengths="1..3", words=words, at=at)
    for loss in found.lengths:
        assert loss.witness is None or (loss.witness.limit is None and loss.witness.at in (None, at))
    check_lengths(found, asked, range(1, 4), words, at)


def check_approached(loss: LengthLoss, asked: Asked, words: str) -> None:
    """The lower bound is the ratio of the word at a point, or the limit of such ratios from a direction."""
    witness = loss.witness
    if witness is None:
        assert loss.lower == 0
        return
    assert witness.pair in asked.pairs
    assert (len(witness.word), witness.ratio) == (loss.length, loss.lower)
    at = witness.at or {each.name: (each.low + each.high) / 2 for each in asked.model.parameters}
    if witness.limit is None:
        check_witness(witness, asked, words, loss.lower, at)
        return
    assert witness.probabilities is None
    errors = []
    for step in (Fraction(1, 2**30), Fraction(1, 2**60)):
        near = {name: value + step * witness.limit[name] for name, value in at.items()}
        assert all(each.low < near[each.name] < each.high for each in asked.model.parameters)
        seen = oracle.look(asked.model, witness.pair, witness.word, near)
        assert seen.first > 0 or seen.second > 0
        assert seen.counts(words)
        if loss.lower is None:
            errors.append(Fraction(0) if seen.ratio is None else 1 / seen.ratio)
        else:
            assert seen.ratio is not None
            errors.append(abs(seen.ratio - loss.lower) / max(loss.lower, ONE))
    assert errors[1] <= errors[0]
    assert errors[1] < Fraction(1, 2**30)


def check_parametric(asked: Asked, words: str, lengths: range, at: oracle.Point, time_limit: float) -> None:
    most = lengths[-1]
    found = pufferfish.optimise(asked.model, lengths=f"1..{most}", words=words, time_limit=time_limit)
    by_length = {loss.length: loss for loss in found.lengths}
    for length in lengths:
        ratio = oracle.loss(asked.model, asked.pairs, length, words, at)
        loss = by_length.get(length)
        if loss is None:
            assert found.limit is not None or oracle.at_most(ratio, found.beyond)
            continue
        assert loss.bounded or found.limit, "a length without a bound needs a reason"
        assert not loss.bounded or oracle.at_most(ratio, loss.upper)
        assert not loss.bounded or oracle.at_most(loss.lower, loss.upper)
        assert loss.exact == (loss.bounded and loss.lower == loss.upper)
        check_approached(loss, asked, words)


@settings(max_examples=12, deadline=None)
@given(small_models(parameters=1, max_states=3), WORDS, st.data())
def test_losses_over_a_parameter(asked: Asked, words: str, data: st.DataObject) -> None:
    check_parametric(asked, words, range(1, 4), data.draw(points(asked.model)), 1)


@settings(max_examples=12, deadline=None)
@given(small_models(parameters=2, max_states=3), WORDS, st.data())
def test_losses_over_two_parameters(asked: Asked, words: str, data: st.DataObject) -> None:
    check_parametric(asked, words, range(1, 3), data.draw(points(asked.model)), 1)


@settings(max_examples=15, deadline=None)
@given(
    small_models(parameters=1, max_states=3), WORDS, st.sampled_from(["0", "ln 2", "1", "ln 10"]), st.data()
)
def test_decisions_over_a_parameter(asked: Asked, words: str, epsilon: str, data: st.DataObject) -> None:
    decision = pufferfish.decide(asked.model, epsilon=epsilon, lengths="1..2", words=words, time_limit=1)
    losses = losses_of(asked, range(1, 3), words, data.draw(points(asked.model)))
    if decision.answer is Answer.HOLDS:
        assert all(oracle.at_most(loss, decision.bound) for loss in losses)
        assert decision.epsilon.allows(decision.bound)
    elif decision.answer is Answer.VIOLATED:
        witness = decision.witness
        assert witness is not None
        assert not decision.epsilon.allows(witness.ratio)
        check_approached(
            LengthLoss(len(witness.word), witness.ratio, None, witness, bounded=False), asked, words
        )
    else:
        assert decision.reason


def test_a_supremum_inside_of_a_range_is_bounded_from_both_sides() -> None:
    (loss,) = pufferfish.optimise(INSIDE.model, lengths=1).lengths
    assert loss.lower is not None
    assert Fraction(106, 100) ** 2 < loss.lower**2 < Fraction(9, 8)
    assert loss.bounded
    assert loss.upper is not None
    assert Fraction(9, 8) < loss.upper**2 < Fraction(107, 100) ** 2


@pytest.mark.parametrize(
    ("epsilon", "answer"),
    [("ln 107/100", Answer.HOLDS), ("ln 106/100", Answer.VIOLATED), ("3/50", Answer.HOLDS)],
)
def test_decisions_near_a_supremum_inside_of_a_range(epsilon: str, answer: Answer) -> None:
    assert pufferfish.decide(INSIDE.model, epsilon=epsilon, lengths=1).answer is answer


def test_a_word_that_is_impossible_at_one_point_inside_of_a_range() -> None:
    """(p - 1/2)^2 is 0 there, so under the other side the word has an infinite ratio."""
    asked = one_parameter(0, 1, {1: ONE}, {2: ONE, 1: -ONE, 0: Fraction(1, 4)})
    (loss,) = pufferfish.optimise(asked.model, lengths=1).lengths
    assert (loss.lower, loss.upper, loss.bounded) == (None, None, True)


# --- growth ----------------------------------------------------------------------------------------------


def check_growth(model: HiddenMarkovModel, growth: pufferfish.Growth, words: str) -> None:
    """Rounds of the block bring the ratio above bounds that the first one is far from."""
    assert growth.factor > 1
    assert growth.block
    assert growth.suffix

    def ratio(rounds: int) -> oracle.Ratio:
        word = (*growth.prefix, *growth.block * rounds, *growth.suffix)
        seen = oracle.look(model, growth.pair, word)
        assert seen.first > 0
        assert seen.counts(words)
        return seen.ratio

    beginning = [ratio(rounds) for rounds in range(1, 5)]
    first = beginning[0]
    if first is None:
        assert words == "all"
        return
    wanted = 1000 * max(first, ONE)
    rounds = ceil(log(10**6 * wanted) / log(growth.factor)) + 1
    if rounds > 400:  # too slow to be seen
        return
    late = ratio(rounds)
    assert late is None or late > wanted
    more = ratio(rounds + 10)
    assert late is None or more is None or more >= late * growth.factor**9


@settings(max_examples=35, deadline=None)
@given(small_models(halting=False), WORDS)
def test_growth_is_as_claimed(asked: Asked, words: str) -> None:
    found = pufferfish.optimise(asked.model, lengths="1..4", words=words)
    if found.growth is not None:
        assert found.growth.pair in asked.pairs
        assert found.beyond is None
        check_growth(asked.model, found.growth, words)


@pytest.mark.parametrize("words", ["all", "common"])
def test_two_coins_are_told_apart_in_the_long_run(words: str) -> None:
    third = Fraction(1, 3)
    coins = (
        HiddenState("one", (("a", third), ("b", 2 * third)), ((0, ONE),)),
        HiddenState("two", (("a", 2 * third), ("b", third)), ((1, ONE),)),
    )
    model = HiddenMarkovModel(coins)
    found = pufferfish.optimise(model, pairs=[("one", "two")], lengths="1..3", words=words)
    assert [loss.lower for loss in found.lengths] == [2, 4, 8]
    assert found.growth is not None
    assert found.growth.factor == 2 ** len(found.growth.block)
    check_growth(model, found.growth, words)
    decision = pufferfish.decide(
        model, pairs=[("one", "two")], directed=True, epsilon=20, lengths="any", words=words
    )
    assert decision.answer is Answer.VIOLATED
    assert decision.witness is not None
    assert set(decision.witness.word) == {"b"}

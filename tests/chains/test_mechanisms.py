"""Randomised response, surveys and the geometric mechanism: their rows, by hand and by formula."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bdist.chains.families import double_survey, geometric_mechanism, randomised_response, survey
from bdist.errors import ParameterError

proper = st.fractions(min_value=0, max_value=1, max_denominator=50).filter(lambda p: 0 < p < 1)


def test_one_question_by_hand() -> None:
    chain = randomised_response()
    assert chain.states == ("yes", "no", "says-yes", "says-no", "end")
    assert chain.labels == ("start", "start", "says-yes", "says-no", "end")
    assert chain.row("yes") == {"says-yes": Fraction(3, 4), "says-no": Fraction(1, 4)}
    assert chain.row("no") == {"says-yes": Fraction(1, 4), "says-no": Fraction(3, 4)}
    assert chain.row("says-yes") == {"end": 1}
    assert chain.row("end") == {"end": 1}


def test_two_questions_remember_the_truth_until_the_last_answer() -> None:
    chain = randomised_response(Fraction(2, 3), 2)
    assert chain.row("no") == {"no.1.says-no": Fraction(2, 3), "no.1.says-yes": Fraction(1, 3)}
    assert chain.row("no.1.says-yes") == {"says-no": Fraction(2, 3), "says-yes": Fraction(1, 3)}
    assert chain.row("yes.1.says-yes") == {"says-yes": Fraction(2, 3), "says-no": Fraction(1, 3)}
    assert chain.label("no.1.says-yes") == "says-yes"


@given(proper, st.integers(1, 20))
def test_size_of_randomised_response(truth: Fraction, questions: int) -> None:
    assert len(randomised_response(truth, questions)) == 4 * questions + 1


@pytest.mark.parametrize(("truth", "questions"), [(Fraction(1), 1), (Fraction(0), 1), (Fraction(1, 2), 0)])
def test_parameters_of_randomised_response_are_checked(truth: Fraction, questions: int) -> None:
    with pytest.raises(ParameterError, match="it must be"):
        randomised_response(truth, questions)


def test_four_counts_by_hand() -> None:
    chain = geometric_mechanism(3, Fraction(1, 2))
    assert chain.states == tuple(f"{kind}{i}" for kind in ("count", "out") for i in range(4))
    assert list(chain.row("count0").values()) == [Fraction(k, 12) for k in (8, 2, 1, 1)]
    assert list(chain.row("count1").values()) == [Fraction(k, 6) for k in (2, 2, 1, 1)]
    assert list(chain.row("count3").values()) == [Fraction(k, 12) for k in (1, 1, 2, 8)]
    assert chain.row("out2") == {"out2": 1}
    assert set(chain.labels[:4]) == {"start"}
    assert chain.labels[4:] == ("out0", "out1", "out2", "out3")


@given(st.integers(1, 12), proper)
def test_neighbouring_counts_differ_by_the_ratio_at_the_ends_and_never_by_more(
    largest: int, ratio: Fraction
) -> None:
    chain = geometric_mechanism(largest, ratio)
    assert len(chain) == 2 * (largest + 1)
    for count in range(largest):
        here, there = chain.row(f"count{count}"), chain.row(f"count{count + 1}")
        quotients = [here[out] / there[out] for out in here]
        assert max(quotients) == quotients[0] == 1 / ratio
        assert min(quotients) == quotients[-1] == ratio


@pytest.mark.parametrize(("largest", "ratio"), [(0, Fraction(1, 2)), (201, Fraction(1, 2)), (3, Fraction(1))])
def test_parameters_of_the_geometric_mechanism_are_checked(largest: int, ratio: Fraction) -> None:
    with pytest.raises(ParameterError, match="it must be"):
        geometric_mechanism(largest, ratio)


def test_the_survey_by_hand() -> None:
    chain = survey()
    assert chain.states == ("plus", "minus", "s", "t", "sink")
    assert chain.labels == ("diagnosis", "diagnosis", "out1", "out0", "sink")
    assert chain.row("plus") == {"s": Fraction(3, 4), "t": Fraction(1, 4)}
    assert chain.row("minus") == {"s": Fraction(1, 4), "t": Fraction(3, 4)}
    assert chain.row("s") == chain.row("t") == chain.row("sink") == {"sink": 1}


@given(proper)
def test_surveys_are_coins_of_their_own(truth: Fraction) -> None:
    """A truthful coin, or a fair one: every answer, first or second, is that of one survey."""
    once, twice = survey(truth), double_survey(truth)
    assert once.row("plus")["s"] == once.row("minus")["t"] == truth + (1 - truth) / 2
    for diagnosis in ("plus", "minus"):
        answers = once.row(diagnosis)
        assert twice.row(diagnosis) == {f"{diagnosis}.{answer}": p for answer, p in answers.items()}
        for answer in answers:
            assert twice.row(f"{diagnosis}.{answer}") == answers
            assert twice.label(f"{diagnosis}.{answer}") == once.label(answer)
    assert [once.row(state) for state in ("s", "t")] == [twice.row(state) for state in ("s", "t")]


@pytest.mark.parametrize("truth", [Fraction(0), Fraction(1), Fraction(-1, 2)])
def test_a_survey_needs_a_coin(truth: Fraction) -> None:
    for make in (survey, double_survey):
        with pytest.raises(ParameterError, match="parameter truth is"):
            make(truth)

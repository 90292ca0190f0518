"""The backend z3 never contradicts the search; what it finds is certified, and what it believes is a hint.

Every call starts a process, so there are few of them.
"""

from __future__ import annotations

import importlib.util
from fractions import Fraction

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from bdist import pufferfish
from bdist.errors import ParameterError
from bdist.pufferfish import Decision
from bdist.results import Answer
from tests.oracles import pufferfish_words as oracle
from tests.oracles.pufferfish_models import INSIDE, Asked, small_models
from tests.tools import missing

few = settings(deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate), print_blob=True)
WORDS = st.sampled_from(["all", "common"])


@pytest.fixture(autouse=True, scope="module")
def _z3() -> None:
    if importlib.util.find_spec("z3") is None:
        missing("z3-solver is not installed")


def compare(asked: Asked, words: str, epsilon: str, lengths: str) -> tuple[Decision, Decision]:
    """Both decisions, where z3's is what it may be beside that of the search."""
    searched, solved = (
        pufferfish.decide(
            asked.model, epsilon=epsilon, lengths=lengths, words=words, backend=backend, time_limit=limit
        )
        for backend, limit in (("search", 2), ("z3", 4))
    )
    assert solved.answer is not Answer.HOLDS, "z3 proves nothing that could be checked"
    if solved.answer is Answer.VIOLATED:
        assert searched.answer is not Answer.HOLDS
        assert solved.certificate is not None
        pufferfish.check(asked.model, solved.certificate)
        witness = solved.witness
        assert witness is not None
        assert witness.pair in asked.pairs
        assert not solved.epsilon.allows(witness.ratio)
        if witness.limit is None:
            seen = oracle.look(asked.model, witness.pair, witness.word, witness.at or oracle.NOWHERE)
            assert (seen.ratio, seen.counts(words)) == (witness.ratio, True)
    else:
        assert solved.certificate is None
        assert solved.reason
        assert solved.hint in (None, Answer.HOLDS)
        if solved.hint is Answer.HOLDS:
            assert searched.answer is not Answer.VIOLATED
    return searched, solved


@settings(few, max_examples=5)
@given(small_models(), WORDS, st.booleans())
def test_models_with_numbers(asked: Asked, words: str, allowed: bool) -> None:
    """At the loss itself, and just below."""
    losses = [oracle.loss(asked.model, asked.pairs, length, words) for length in (1, 2, 3)]
    loss = oracle.largest(losses)
    alpha = Fraction(7) if loss is None else max(loss, Fraction(1))
    if not allowed and loss is not None and loss > 1:
        alpha = max(loss - Fraction(1, 10**6), Fraction(1))
    searched, solved = compare(asked, words, f"ln {alpha}", "1..3")
    holds = oracle.at_most(loss, alpha)
    assert searched.answer is (Answer.HOLDS if holds else Answer.VIOLATED)
    assert (solved.answer, solved.hint) == (
        (Answer.UNKNOWN, Answer.HOLDS) if holds else (Answer.VIOLATED, None)
    )


@settings(few, max_examples=3)
@given(small_models(parameters=1, max_states=3), WORDS, st.sampled_from(["ln 2", "ln 9", "1"]))
def test_models_with_a_parameter(asked: Asked, words: str, epsilon: str) -> None:
    compare(asked, words, epsilon, "1..2")


@settings(few, max_examples=2)
@given(small_models(parameters=2, max_states=3), WORDS, st.sampled_from(["ln 2", "ln 9", "1"]))
def test_models_with_two_parameters(asked: Asked, words: str, epsilon: str) -> None:
    compare(asked, words, epsilon, "1..2")


@pytest.mark.parametrize("alpha", ["107/100", "106/100"])
def test_a_supremum_inside_of_a_range(alpha: str) -> None:
    """3 / sqrt 8 = 1.0606... is between the two."""
    searched, solved = compare(INSIDE, "all", f"ln {alpha}", "1..1")
    if alpha == "107/100":
        assert (searched.answer, solved.answer) == (Answer.HOLDS, Answer.UNKNOWN)
        assert solved.hint is Answer.HOLDS
    else:
        assert searched.answer is solved.answer is Answer.VIOLATED


def test_a_backend_that_does_not_exist() -> None:
    with pytest.raises(ParameterError, match="there is no backend 'z4'; there are search, z3"):
        pufferfish.decide(INSIDE.model, epsilon=1, backend="z4")

"""Questions begin with the pairs of the supports: answers must not depend on what was left out at first.

Every answer is held against the oracle (`tests.oracles.supports`), which leaves nothing out, on chains that
are made to need what is left out (`tests.oracles.traps`): states outside the supports, copies of states that
are merged, clocks, cycles. Short cuts that are for large chains only are forced on small ones as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product

import pytest

from bdist import Answer, CertificateError, LabelledMarkovChain, check, distance, threshold
from bdist.budget import Budget
from bdist.certificates.document import Certificate
from bdist.chains.families import make_family
from bdist.distances.compute import Skew
from bdist.thresholds import question as questions
from bdist.thresholds.by_game import sat_lp_session, strategy_session
from bdist.thresholds.decide import BACKENDS, decide_threshold
from bdist.thresholds.question import Finding, Options, Question, settings_of
from tests.oracles import supports
from tests.oracles.traps import survey, traps

COUNT = 54
TRAPS = list(islice(traps(seed=31), COUNT))
TINY = Fraction(1, 10**9)
GAMES = {"strategy": strategy_session, "sat-lp": sat_lp_session}


@pytest.fixture
def short_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What words tell is used, and states are merged, however small the chain."""
    monkeypatch.setattr(questions, "is_small", lambda *_: False)
    monkeypatch.setattr(questions, "_WORTH_MERGING", 1)


def truth(number: int) -> Fraction:
    trap = TRAPS[number]
    return supports.distances(trap.chain, trap.alpha)[trap.pair]


def questions_about(chain: LabelledMarkovChain, pair: tuple[str, str], alpha: str) -> Iterator[Question]:
    for setting in settings_of(chain, pair):
        if setting.has_same_label(pair):
            yield Question.about(setting, pair, Skew(Fraction(alpha)), Budget())


@pytest.mark.parametrize("number", range(0, COUNT, 3), ids=lambda n: f"{n}-{TRAPS[n].name}")
def test_complete_backends_agree_with_the_oracle(number: int) -> None:
    assert_agrees(number)


@pytest.mark.usefixtures("short_cuts")
@pytest.mark.parametrize("number", range(COUNT), ids=lambda n: f"{n}-{TRAPS[n].name}")
def test_complete_backends_agree_with_the_oracle_when_pushed(number: int) -> None:
    assert_agrees(number)


def assert_agrees(number: int) -> None:
    trap, value = TRAPS[number], truth(number)
    for backend in GAMES:
        for theta in (value, value - TINY, value / 2):
            verdict = threshold(trap.chain, *trap.pair, alpha=trap.alpha, theta=theta, backend=backend)
            assert verdict.answer is (Answer.HOLDS if value <= theta else Answer.VIOLATED)
            assert verdict.certificate is not None
            check(trap.chain, verdict.certificate)
    backend = list(GAMES)[number % 2]
    found = distance(trap.chain, *trap.pair, alpha=trap.alpha, method="search", backend=backend)
    assert found.value == value


@pytest.mark.usefixtures("short_cuts")
@pytest.mark.parametrize("backend", GAMES)
def test_one_session_answers_any_thresholds_in_any_order(backend: str) -> None:
    """Also while another session explores pairs of the same question."""
    for number in range(0, COUNT, 6):
        trap, value = TRAPS[number], truth(number)
        for question in islice(questions_about(trap.chain, trap.pair, trap.alpha), 1):
            session, other = GAMES[backend](question, Options()), strategy_session(question, Options())
            merged_value = Fraction(0)
            for theta in (value * 9 / 10, value, value / 3, value - TINY, Fraction(1)):
                answer = session.decide(theta).answer
                if value <= theta:
                    assert answer is Answer.HOLDS
                if answer is Answer.VIOLATED:
                    assert theta < value
                    merged_value = max(merged_value, theta)
                other.decide(theta / 2)
            upper, lower = other.close()
            assert upper is not None
            assert lower is not None
            assert merged_value < upper.bound(question.pair) == lower.bound(question.pair) <= value


def test_supports_do_not_always_do() -> None:
    """Without this the tests above would not say much: outside states are met, and noted."""
    chain = make_family("outside-states")
    (question,) = questions_about(chain, ("s", "t"), "2")
    first = question.run_high()
    session = strategy_session(question, Options())
    assert session.decide(Fraction(1, 5)).answer is Answer.HOLDS
    assert question.detour_count == 0
    assert session.decide(Fraction(1, 6)).answer is Answer.VIOLATED
    assert session.decide(Fraction(23, 120)).answer is Answer.HOLDS
    assert session.decide(Fraction(23, 120) - TINY).answer is Answer.VIOLATED
    assert {chain.states[k] for noted in question.detours.values() for k in noted} >= {"k", "l"}
    assert len(first.space) == len(question.space)  # it grew in place
    assert sum(trap.name in ("crowds", "outside", "rings") for trap in TRAPS) > COUNT // 3


@pytest.mark.parametrize("backend", ["milp", "smt"])
@pytest.mark.parametrize("confirm", [True, False])
def test_formulas_take_in_the_states_that_matter(backend: str, confirm: bool) -> None:
    """The backend itself answers in the end: after strategy iteration has shown the way, or alone."""
    chain, theta = make_family("outside-states"), Fraction(23, 120)
    budget, skew = Budget(), Skew(Fraction(2))
    verdict = decide_threshold(chain, ("s", "t"), skew, theta, backend, budget, confirm=confirm)
    assert verdict.answer is Answer.HOLDS
    assert verdict.reason is None


class _Gloomy:
    """Believes, without proof, that every threshold is violated."""

    def __init__(self, *_: object) -> None:
        pass

    def decide(self, _: Fraction) -> Finding:
        return Finding(Answer.UNKNOWN, reason="it says so", hint=Answer.VIOLATED)


def test_a_wrong_hint_is_overruled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bdist.thresholds.decide.BACKENDS", {**BACKENDS, "milp": _Gloomy})
    for theta, answer in ((Fraction(23, 120), Answer.HOLDS), (Fraction(19, 100), Answer.VIOLATED)):
        verdict = threshold(make_family("outside-states"), "s", "t", alpha=2, theta=theta, backend="milp")
        assert verdict.answer is answer
        assert verdict.reason == "milp: it says so; certified by strategy iteration"


@pytest.mark.usefixtures("short_cuts")
@pytest.mark.parametrize("backend", GAMES)
def test_a_smaller_distance_of_merged_states_is_not_taken_for_the_distance(backend: str) -> None:
    """With merged states the bound of three diners is lower, by couplings of states that are merged."""
    chain, value = make_family("dining-cryptographers", {"diners": 3}), Fraction(99, 125_000)
    merged, _ = questions_about(chain, ("s0", "s1"), "1.0002")
    assert strategy_session(merged, Options()).decide(value - TINY).answer is Answer.HOLDS
    for theta, answer in ((value, Answer.HOLDS), (value - TINY, Answer.VIOLATED)):
        found = decide_threshold(chain, ("s0", "s1"), Skew(Fraction(5001, 5000)), theta, backend, Budget())
        assert found.answer is answer


def survey_of(questions_asked: int) -> LabelledMarkovChain:
    vectors = ["".join(word) for word in product("01", repeat=questions_asked)]
    return LabelledMarkovChain.from_rows(survey(vectors, [Fraction(3, 4)] * questions_asked))


def test_ordinary_mechanisms_need_no_pairs_beyond_their_supports() -> None:
    cases = [
        (survey_of(3), ("000", "001"), 7),
        (make_family("randomised-response", {"questions": 20, "truth": Fraction(3, 4)}), ("yes", "no"), 39),
    ]
    for chain, pair, pairs in cases:
        value = distance(chain, *pair, alpha="1.1", precision=0).value
        for theta in (value, value - TINY):
            verdict = threshold(chain, *pair, alpha="1.1", theta=theta, backend="sat-lp")
            assert verdict.stats["pairs"] == pairs


def test_proofs_lean_on_clock_words_and_merged_states() -> None:
    """A certificate without what it leans on is refused."""
    response = make_family("randomised-response", {"questions": 8, "truth": Fraction(3, 4)})
    for chain, pair, parts in [
        (survey_of(3), ("000", "111"), ({"words": 0}, {"merged": None})),
        (response, ("yes", "no"), ({"clock": None},)),
    ]:
        value = distance(chain, *pair, alpha="1.1", precision=0).value
        verdict = threshold(chain, *pair, alpha="1.1", theta=value - TINY, backend="sat-lp")
        certificate = verdict.certificate
        assert isinstance(certificate, Certificate)
        assert check(chain, certificate).claims[0].lower == value
        for part in parts:
            with pytest.raises(CertificateError):
                check(chain, replace(certificate, **part))

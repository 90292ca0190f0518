"""One contract for every threshold backend: small instances, theta just below, at and just above the known
value.

A backend may answer UNKNOWN with a reason. It may never contradict the truth, and HOLDS and VIOLATED come
with a checked certificate.
"""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bdist import Answer, LabelledMarkovChain, ParameterError, Verdict, check, distance, load, threshold
from bdist.chains.families import make_family
from bdist.thresholds.decide import BACKENDS
from bdist.thresholds.question import Options
from tests.oracles.strategies import alphas, chains
from tests.papers.test_expected_values import INSTANCES

SMALL = [
    pytest.param("figure-one/chain.lmc", "s0", "s1", "1", Fraction(1, 5), id="figure-one"),
    pytest.param("figure-one/chain.lmc", "s0", "s1", "3/2", Fraction(0), id="figure-one-zero"),
    pytest.param("randomised-response/one-question.lmc", "yes", "no", "1", Fraction(1, 2), id="response"),
    pytest.param("lemma-three-erratum/chain.lmc", "q0", "q1", "2", Fraction(13, 50), id="erratum"),
    pytest.param("not-monotone/chain.lmc", "s", "t", "5/2", Fraction(1, 80), id="not-monotone"),
    pytest.param("outside-states/chain.lmc", "s", "t", "2", Fraction(23, 120), id="outside"),
]
STEP = Fraction(1, 1000)


def assert_sound(verdict: Verdict, chain: LabelledMarkovChain, value: Fraction, theta: Fraction) -> None:
    assert verdict.answer is not (Answer.VIOLATED if value <= theta else Answer.HOLDS)
    assert verdict.bracket.lower.value <= value <= verdict.bracket.upper.value
    if verdict.answer is Answer.UNKNOWN:
        assert verdict.reason
        assert verdict.certificate is None
        return
    assert verdict.certificate is not None
    claim = check(chain, verdict.certificate).claims[0]
    assert claim.upper <= theta if verdict.answer is Answer.HOLDS else claim.lower > theta


@pytest.mark.parametrize("backend", ["strategy", "sat-lp"])
@pytest.mark.parametrize(("model", "s", "t", "alpha", "value"), SMALL)
@pytest.mark.parametrize("offset", [-STEP, Fraction(0), STEP])
def test_complete_backends_decide_small_instances(
    backend: str, model: str, s: str, t: str, alpha: str, value: Fraction, offset: Fraction
) -> None:
    chain = load(INSTANCES / model)
    theta = value + offset
    verdict = threshold(chain, s, t, alpha=alpha, theta=theta, backend=backend)
    assert_sound(verdict, chain, value, theta)
    assert verdict.answer is (Answer.HOLDS if offset >= 0 else Answer.VIOLATED)


@pytest.mark.parametrize("backend", ["milp", "smt"])
@pytest.mark.parametrize(("model", "s", "t", "alpha", "value"), SMALL)
def test_incomplete_backends_certify_small_instances_and_hint_below(
    backend: str, model: str, s: str, t: str, alpha: str, value: Fraction
) -> None:
    chain = load(INSTANCES / model)
    at = threshold(chain, s, t, alpha=alpha, theta=value, backend=backend)
    assert at.answer is Answer.HOLDS
    assert_sound(at, chain, value, value)
    below = value - STEP
    alone = threshold(chain, s, t, alpha=alpha, theta=below, backend=backend, confirm=False)
    assert alone.answer is Answer.UNKNOWN
    assert alone.hint is Answer.VIOLATED
    assert_sound(alone, chain, value, below)


@pytest.mark.parametrize(("model", "s", "t", "alpha", "value"), SMALL)
def test_bits_certify_nothing_below_the_value(
    model: str, s: str, t: str, alpha: str, value: Fraction
) -> None:
    """(That they certify the value itself is tested with them.)"""
    chain, below = load(INSTANCES / model), value - STEP
    found = threshold(
        chain, s, t, alpha=alpha, theta=below, backend="sat-bits", confirm=False, time_limit=1.5
    )
    assert_sound(found, chain, value, below)


@pytest.mark.parametrize("backend", ["milp", "smt"])
def test_a_hint_is_confirmed_by_strategy_iteration(backend: str) -> None:
    chain = make_family("figure-one")
    confirmed = threshold(chain, "s0", "s1", alpha=1, theta="1/10", backend=backend)
    assert confirmed.answer is Answer.VIOLATED
    assert "certified by strategy iteration" in str(confirmed.reason)
    assert_sound(confirmed, chain, Fraction(1, 5), Fraction(1, 10))


@pytest.mark.parametrize("solver", ["highs", "pulp"])
def test_two_diners_are_certified_by_both_milp_solvers(solver: str) -> None:
    chain = load(INSTANCES / "dining-cryptographers" / "two.lmc")
    verdict = threshold(
        chain, "s0", "s1", alpha="1.0002", theta="1/2500", backend="milp", options=Options(milp_solver=solver)
    )
    assert verdict.answer is Answer.HOLDS
    assert verdict.bracket.upper.value == Fraction(1, 2500)


@pytest.mark.parametrize("backend", ["strategy", "sat-lp"])
def test_two_diners_are_decided_both_ways(backend: str) -> None:
    chain = load(INSTANCES / "dining-cryptographers" / "two.lmc")
    theta = Fraction(1, 2500)
    assert threshold(chain, "s0", "s1", alpha="1.0002", theta=theta, backend=backend).answer is Answer.HOLDS
    below = threshold(chain, "s0", "s1", alpha="1.0002", theta=theta - Fraction(1, 10**6), backend=backend)
    assert below.answer is Answer.VIOLATED
    assert_sound(below, chain, theta, theta - Fraction(1, 10**6))


@pytest.mark.parametrize("backend", ["strategy", "sat-lp"])
@given(
    chains(max_states=6),
    alphas(),
    st.fractions(min_value=0, max_value=1, max_denominator=20),
    st.integers(-1, 1),
)
@settings(max_examples=40, deadline=None)
def test_complete_backends_decide_random_thresholds(
    backend: str, chain: LabelledMarkovChain, alpha: Fraction, theta: Fraction, tie: int
) -> None:
    assume(len(chain) > 1 and chain.labels[0] == chain.labels[1])
    value = distance(chain, "s0", "s1", alpha=alpha).value
    for question in (theta, value + tie * Fraction(1, 10**9)):
        verdict = threshold(chain, "s0", "s1", alpha=alpha, theta=question, backend=backend)
        assert verdict.answer is (Answer.HOLDS if value <= question else Answer.VIOLATED)
        assert_sound(verdict, chain, value, question)


@pytest.mark.parametrize("backend", ["milp", "smt"])
@given(chains(max_states=4, max_denominator=4), alphas(), st.sampled_from([-STEP, Fraction(0), STEP]))
@settings(max_examples=6, deadline=None)  # a process a question
def test_incomplete_backends_are_sound_on_random_chains(
    backend: str, chain: LabelledMarkovChain, alpha: Fraction, offset: Fraction
) -> None:
    assume(len(chain) > 1 and chain.labels[0] == chain.labels[1])
    value = distance(chain, "s0", "s1", alpha=alpha).value
    theta = value + offset
    verdict = threshold(
        chain, "s0", "s1", alpha=alpha, theta=theta, backend=backend, confirm=False, time_limit=5
    )
    assert_sound(verdict, chain, value, theta)


@pytest.mark.parametrize("backend", BACKENDS)
def test_trivial_pairs(backend: str) -> None:
    chain = make_family("figure-one")
    same = threshold(chain, "s0", "s0", alpha=1, theta=0, backend=backend)
    assert same.answer is Answer.HOLDS
    different = threshold(chain, "s2", "s3", alpha=1, theta="99/100", backend=backend)
    assert different.answer is Answer.VIOLATED
    assert threshold(chain, "s2", "s3", alpha=1, theta=1, backend=backend).answer is Answer.HOLDS


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("theta", ["-1/2", "1", "3/2"])
def test_thresholds_at_and_beyond_the_ends(backend: str, theta: str) -> None:
    chain = make_family("figure-one")
    verdict = threshold(chain, "s0", "s1", alpha=1, theta=theta, backend=backend)
    assert verdict.answer is (Answer.VIOLATED if Fraction(theta) < 0 else Answer.HOLDS)


def test_a_verdict_is_no_bool() -> None:
    with pytest.raises(TypeError, match="UNKNOWN"):
        bool(threshold(make_family("figure-one"), "s0", "s1", alpha=1, theta=1))


def test_wrong_parameters_are_refused() -> None:
    chain = make_family("figure-one")
    with pytest.raises(ParameterError, match="no threshold backend 'magic'"):
        threshold(chain, "s0", "s1", alpha=1, theta=1, backend="magic")
    with pytest.raises(ParameterError, match="no MILP solver 'magic'"):
        threshold(chain, "s0", "s1", alpha=1, theta=1, backend="milp", options=Options(milp_solver="magic"))
    with pytest.raises(ParameterError, match="theta is the float"):
        threshold(chain, "s0", "s1", alpha=1, theta=0.5)  # type: ignore[arg-type]


def test_a_time_limit_is_an_answer() -> None:
    chain = load(INSTANCES / "dining-cryptographers" / "three.lmc")
    verdict = threshold(chain, "s0", "s1", alpha="1.0002", theta="1/5000", backend="smt", time_limit=0.5)
    assert verdict.answer is Answer.UNKNOWN
    assert verdict.reason == "time limit of 0.5 s reached"
    assert verdict.evidence is None


def test_certificates_of_verdicts_name_the_model() -> None:
    chain = make_family("figure-one")
    verdict = threshold(chain, "s0", "s1", alpha=1, theta="1/4", backend="sat-lp")
    assert verdict.certificate is not None
    assert json.loads(verdict.certificate.to_json())["claims"] == [
        {"pair": ["s0", "s1"], "lower": "0", "upper": "1/5"}
    ]

"""The bit-blasted backend: what it must certify, and that it never certifies too much."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist import Answer, ParameterError, check, distance, threshold
from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import make_family
from bdist.distances.pairs import PairSpace
from bdist.thresholds.by_sat_bits import BitsSession
from bdist.thresholds.question import Options, Question


@pytest.mark.parametrize(
    ("family", "s", "t", "alpha", "theta"),
    [
        ("figure-one", "s0", "s1", "1", "1/5"),
        ("figure-one", "s0", "s1", "3/2", "0"),
        ("randomised-response", "yes", "no", "1", "1/2"),
        ("randomised-response", "yes", "no", "3", "0"),
        ("lemma-three-erratum", "q0", "q1", "2", "27/100"),
        ("lemma-three-erratum", "q0", "q1", "2", "13/50"),  # by a detour within the supports
        ("not-monotone", "s", "t", "5/2", "1/80"),  # by a detour through a state outside
        ("outside-states", "s", "t", "2", "23/120"),  # by two of them
    ],
)
def test_small_instances_are_certified(family: str, s: str, t: str, alpha: str, theta: str) -> None:
    chain = make_family(family)
    verdict = threshold(chain, s, t, alpha=alpha, theta=theta, backend="sat-bits")
    assert verdict.answer is Answer.HOLDS
    assert verdict.certificate is not None
    assert check(chain, verdict.certificate).claims[0].upper <= Fraction(theta)


def four_states(seed: int) -> tuple[LabelledMarkovChain, str, str]:
    denominator = 4 + seed % 3
    chain = make_family(
        "random", {"states": 4, "labels": 2, "denominator": denominator, "degree": 2, "seed": seed}
    )
    s, t = (chain.states[i] for i in next(m for m in chain.states_by_label.values() if len(m) > 1)[:2])
    return chain, s, t


@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize(("alpha", "slack"), [("11/10", Fraction(1, 16)), ("2", Fraction(1, 64))])
def test_random_chains_of_four_states_a_little_above_their_value(
    seed: int, alpha: str, slack: Fraction
) -> None:
    chain, s, t = four_states(seed)
    theta = distance(chain, s, t, alpha=alpha).value + slack
    verdict = threshold(chain, s, t, alpha=alpha, theta=theta, backend="sat-bits", time_limit=3600)
    assert verdict.answer is Answer.HOLDS
    assert verdict.certificate is not None
    assert check(chain, verdict.certificate).claims[0].upper <= theta


@given(st.integers(1, 10**6), st.sampled_from([1, 2, 4]), st.sampled_from([4, 7]))
@settings(max_examples=10, deadline=None)
def test_nothing_is_certified_below_the_value(seed: int, part: int, bits: int) -> None:
    chain, s, t = four_states(seed)
    theta = distance(chain, s, t, alpha="3/2").value * Fraction(part, part + 1)
    if theta > 0:
        i, j = chain.index(s), chain.index(t)
        space = PairSpace(chain, Fraction(3, 2), [(i, j)])
        session = BitsSession(Question(space, space.number[i, j], Budget(20)), Options(bits=bits))
        assert session.decide(theta).answer is Answer.UNKNOWN


def test_an_unsatisfiable_grid_is_no_proof() -> None:
    chain = make_family("outside-states")
    verdict = threshold(chain, "s", "t", alpha=2, theta="1/10", backend="sat-bits", options=Options(bits=4))
    assert verdict.answer is Answer.UNKNOWN
    assert "not a proof that bd > theta" in str(verdict.reason)
    assert "denominators" in str(verdict.reason)


def test_bits_are_bounded_and_the_cnf_is_written(tmp_path: Path) -> None:
    chain = make_family("lemma-three-erratum")
    with pytest.raises(ParameterError, match="bits"):
        threshold(chain, "q0", "q1", alpha=2, theta="1/2", backend="sat-bits", options=Options(bits=65))
    path = tmp_path / "out.cnf"
    verdict = threshold(
        chain, "q0", "q1", alpha=2, theta="1/2", backend="sat-bits", options=Options(bits=8, dimacs=path)
    )
    assert verdict.answer is Answer.HOLDS
    text = path.read_text()
    assert text.startswith("c bdist sat-bits: is bd(q0 q1) <= 1/2 at alpha = 2?")
    assert f"p cnf {verdict.stats['variables']} {verdict.stats['clauses']}" in text


def test_two_diners_are_certified_at_their_distance() -> None:
    """Also a test of the way to the solver's process: the clauses are far more than a pipe holds at once."""
    chain = make_family("dining-cryptographers")
    verdict = threshold(
        chain, "s0", "s1", alpha="5001/5000", theta="1/2500", backend="sat-bits", time_limit=3600
    )
    assert verdict.answer is Answer.HOLDS

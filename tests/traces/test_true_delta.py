"""ld, lv and tv: against brute force on short chains, and in their order everywhere."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings

from bdist import LabelledMarkovChain, check, checker, distance, distance_table, load, true_delta
from bdist.chains.families import make_family
from bdist.chains.formats import lmc
from tests.oracles import naive, traces
from tests.oracles.strategies import alphas, chains
from tests.papers.test_expected_values import INSTANCES

DINERS = [("two.lmc", "7501/25000000"), ("two-stepwise.lmc", "7501/25000000")]
DINERS += [("three.lmc", "17501/50000000"), ("three-stepwise.lmc", "17501/50000000")]


@pytest.mark.parametrize(("model", "value"), DINERS)
def test_the_true_delta_of_dining_cryptographers(model: str, value: str) -> None:
    """On every presentation: it is a property of the traces."""
    chain = load(INSTANCES / "dining-cryptographers" / model)
    found = true_delta(chain, "s0", "s1", alpha="1.0002")
    assert found.distance.value == Fraction(value)
    assert found.attack is not None
    assert found.attack.advantage(Fraction(5001, 5000)) == Fraction(value)


def naive_ld(chain: LabelledMarkovChain, alpha: Fraction) -> dict[tuple[str, str], Fraction]:
    """ld_alpha by Kleene iteration with the naive lift; for layered chains."""
    table = {(s, t): Fraction(0) for s in chain.states for t in chain.states}
    while True:
        following = {
            (s, t): naive.directed_lift(
                naive.distribution(chain, s), naive.distribution(chain, t), table, alpha
            )
            if chain.label(s) == chain.label(t)
            else Fraction(1)
            for s in chain.states
            for t in chain.states
        }
        if following == table:
            return table
        table = following


@given(chains(max_states=6, acyclic=True), alphas())
@settings(max_examples=30, deadline=None)
def test_ld_agrees_with_naive_iteration(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    truth = naive_ld(chain, alpha)
    tables = (
        distance_table(chain, alpha=alpha, quantity="ld", method="strategy"),
        distance_table(chain, alpha=alpha, quantity="ld", method="iterate", tolerance=0),
    )
    for table in tables:
        for pair, found in table.items():
            assert found.value == truth[pair]


@given(chains(max_states=6), alphas())
@settings(max_examples=30, deadline=None)
def test_ld_is_a_fixed_point_on_cyclic_chains(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    table = distance_table(chain, alpha=alpha, quantity="ld")
    d = naive.all_pairs(chain, lambda s, t: table[s, t].value)
    for s, t in table:
        lifted = naive.directed_lift(naive.distribution(chain, s), naive.distribution(chain, t), d, alpha)
        assert lifted == d[s, t]


@given(chains(max_states=7, acyclic=True, shared_labels=True), alphas())
@settings(max_examples=60, deadline=None)
def test_acyclic_chains_close_at_the_brute_force_value(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    assume(len(chain) > 1)
    truth = traces.lv(chain, "s0", "s1", alpha, len(chain) + 1)
    backward = traces.lv(chain, "s1", "s0", alpha, len(chain) + 1)
    one_way = true_delta(chain, "s0", "s1", alpha=alpha, quantity="lv", tolerance=0)
    both = true_delta(chain, "s0", "s1", alpha=alpha, tolerance=0)
    assert one_way.distance.value == truth
    assert both.distance.value == max(truth, backward)


@given(chains(max_states=6), alphas())
@settings(max_examples=40, deadline=None)
def test_lower_is_at_most_tv_at_most_ld_at_most_bd(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    assume(len(chain) > 1 and chain.labels[0] == chain.labels[1])
    truth = true_delta(chain, "s0", "s1", alpha=alpha, tolerance="1/1000", max_beliefs=400).distance
    check(chain, truth.certificate)
    ld = [distance(chain, *pair, alpha=alpha, quantity="ld").value for pair in (("s0", "s1"), ("s1", "s0"))]
    bd = distance(chain, "s0", "s1", alpha=alpha).value
    assert truth.bracket.lower.value <= max(ld) <= bd
    assert truth.bracket.lower.value <= truth.bracket.upper.value
    merged = distance(chain, "s0", "s1", alpha=alpha, quotient=True)
    assert truth.bracket.lower.value <= merged.value <= bd


@given(chains(max_states=6), alphas(), alphas())
@settings(max_examples=30, deadline=None)
def test_tv_falls_as_alpha_grows(chain: LabelledMarkovChain, one: Fraction, other: Fraction) -> None:
    assume(len(chain) > 1)
    small, large = min(one, other), max(one, other)
    at_small = true_delta(chain, "s0", "s1", alpha=small, max_beliefs=300).distance.bracket
    at_large = true_delta(chain, "s0", "s1", alpha=large, max_beliefs=300).distance.bracket
    assert at_large.lower.value <= at_small.upper.value


def test_most_random_chains_close_quickly() -> None:
    """At least nine of ten chains with 6 states, 2 labels, out-degree 3, denominators up to 12 reach width
    1e-6.
    """
    close = tried = 0
    for seed in range(1, 11):
        chain = make_family(
            "random", {"states": 6, "labels": 2, "degree": 3, "denominator": 12, "seed": seed}
        )
        s, t = next(members for members in chain.states_by_label.values() if len(members) > 1)[:2]
        found = true_delta(chain, chain.states[s], chain.states[t], alpha="11/10", max_beliefs=5_000)
        tried += 1
        close += found.distance.bracket.width <= Fraction(1, 10**6)
    assert close >= 0.9 * tried


def test_an_epsilon_is_bracketed_from_the_right_sides() -> None:
    chain = load(INSTANCES / "dining-cryptographers" / "two.lmc")
    found = true_delta(chain, "s0", "s1", epsilon="0.0002")
    at = {
        alpha: true_delta(chain, "s0", "s1", alpha=alpha).distance.value
        for alpha in ("1.0002", "1.000200021")
    }
    assert at["1.000200021"] <= found.bracket.lower.value <= found.bracket.upper.value <= at["1.0002"]
    assert found.bracket.certified
    assert not found.bracket.exact


def test_trivial_pairs() -> None:
    chain = make_family("figure-one")
    assert true_delta(chain, "s0", "s0", alpha=1).distance.value == 0
    different = true_delta(chain, "s2", "s3", alpha=1)
    assert different.distance.value == 1
    assert different.attack is not None
    assert different.attack.advantage(Fraction(1)) == 1


def test_limits_are_answers() -> None:
    chain = make_family("random", {"states": 12, "labels": 2, "seed": 4})
    s, t = chain.states_by_label["l0"][:2]
    found = true_delta(chain, chain.states[s], chain.states[t], alpha="1.01", tolerance=0, max_beliefs=50)
    assert found.distance.limit == "limit of 50 beliefs reached"
    assert found.distance.bracket.width > 0
    hurried = true_delta(chain, chain.states[s], chain.states[t], alpha="1.01", tolerance=0, time_limit=1e-9)
    assert hurried.distance.limit is not None


@pytest.mark.parametrize("quantity", ["bd", "ld"])
def test_sharpened_claims_are_rejected(quantity: str) -> None:
    chain = make_family("random", {"states": 6, "labels": 2, "seed": 1})
    s, t = (chain.states[i] for i in next(m for m in chain.states_by_label.values() if len(m) > 1)[:2])
    found = distance(chain, s, t, alpha="11/10", quantity=quantity)
    document = json.loads(found.certificate.to_json())
    text = lmc.write(chain)
    checker.check(text, json.dumps(document))
    for side, sign in (("upper", -1), ("lower", 1)):
        forged = json.loads(json.dumps(document))
        forged["claims"][0][side] = str(Fraction(document["claims"][0][side]) + sign * Fraction(1, 10**5))
        with pytest.raises(checker.Rejected) as caught:
            checker.check(text, json.dumps(forged))
        assert caught.value.step == f"claim-{side}"

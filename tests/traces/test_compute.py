"""Profiles of chains: against brute force over words, against closed forms, and against their own checker."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from random import Random

import pytest
from hypothesis import assume, given, settings

from bdist import LabelledMarkovChain, check, checker
from bdist.chains.formats import lmc
from bdist.traces import compute
from bdist.traces.beliefs import Futures, Graph, Limits, explore_all
from bdist.traces.compute import ProfileSettings, compute_profile
from bdist.traces.loss import PrivacyLoss
from bdist.traces.profile import Order, Profile
from tests.oracles import traces
from tests.oracles.strategies import alphas, chains

ALPHAS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(3)]


def randomised_response(truths: list[Fraction]) -> LabelledMarkovChain:
    """Questions, each answered truly with its probability; the two states have opposite true answers."""
    rows: dict[str, tuple[str, dict[str, Fraction]]] = {}
    last = len(truths)
    for side in "st":
        for k, truth in enumerate(truths):
            yes = truth if side == "s" else 1 - truth
            names = [(f"{side}0", "start")] if k == 0 else [(f"{side}{k}y", "yes"), (f"{side}{k}n", "no")]
            for name, label in names:
                after = [f"{side}{k + 1}y", f"{side}{k + 1}n"] if k + 1 < last else ["y", "n"]
                rows[name] = label, {after[0]: yes, after[1]: 1 - yes}
    for name, label in (("y", "yes"), ("n", "no"), ("end", "end")):
        rows[name] = label, {"end": Fraction(1)}
    return LabelledMarkovChain.from_rows(rows)


def binomial(k: int, truth: Fraction) -> PrivacyLoss:
    """The distribution of so many answers, by the number of those that are yes."""
    return PrivacyLoss.of(
        (
            comb(k, i) * truth**i * (1 - truth) ** (k - i),
            comb(k, i) * (1 - truth) ** i * truth ** (k - i),
        )
        for i in range(k + 1)
    )


RETRY = LabelledMarkovChain.from_rows(
    {
        "s": ("start", {"ws": "1/2", "a": "3/10", "b": "1/5"}),
        "t": ("start", {"wt": "1/2", "a": "1/5", "b": "3/10"}),
        "ws": ("wait", {"ws": "1/2", "a": "3/10", "b": "1/5"}),
        "wt": ("wait", {"wt": "1/2", "a": "1/5", "b": "3/10"}),
        "a": ("a", {"a": 1}),
        "b": ("b", {"b": 1}),
    }
)
COINS = LabelledMarkovChain.from_rows(
    {
        f"{coin}{side}": (side, {f"{coin}h": heads, f"{coin}t": 1 - heads})
        for coin, heads in (("s", Fraction(51, 100)), ("t", Fraction(49, 100)))
        for side in "ht"
    }
)


@given(chains(max_states=7, acyclic=True, shared_labels=True))
@settings(max_examples=60, deadline=None)
def test_acyclic_chains_have_the_atoms_of_brute_force(chain: LabelledMarkovChain) -> None:
    assume(len(chain) > 1)
    found = compute_profile(chain, ("s0", "s1"))
    words = [traces.words(chain, state, len(chain) + 1) for state in ("s0", "s1")]
    truth = PrivacyLoss.of(
        (words[0].get(w, 0), words[1].get(w, 0)) for w in words[0].keys() | words[1].keys()
    )
    assert found.exact
    assert found.pessimistic == truth


@given(chains(max_states=6), alphas())
@settings(max_examples=40, deadline=None)
def test_short_words_bound_cyclic_chains_from_below(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    """What words of a few labels tell is no more than the upper end, and a focus changes nothing true."""
    assume(len(chain) > 1)
    few = ProfileSettings(max_beliefs=150)
    everywhere = compute_profile(chain, ("s0", "s1"), few)
    focused = compute_profile(chain, ("s0", "s1"), ProfileSettings(focus=(alpha,), max_beliefs=150))
    seen = traces.lv(chain, "s0", "s1", alpha, 5)
    for found in (everywhere, focused):
        bracket = found.delta(alpha=alpha, order=Order.FORWARD)
        assert seen <= bracket.upper.value
        assert bracket.lower.value <= bracket.upper.value
    assert everywhere.delta(alpha=alpha).lower.value <= focused.delta(alpha=alpha).upper.value
    assert focused.delta(alpha=alpha).lower.value <= everywhere.delta(alpha=alpha).upper.value


@pytest.mark.parametrize("k", [1, 5, 20, 100])
def test_randomised_response_is_binomial(k: int) -> None:
    truth = Fraction(51, 100)
    found = compute_profile(randomised_response([truth] * k), ("s0", "t0"))
    assert found.exact
    assert found.pessimistic == binomial(k, truth)
    assert found.stats["beliefs"] == k + 1


def test_a_grid_of_powers_is_as_good_as_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "_MOST_WEIGHTS", 100)
    truth = Fraction(51, 100)
    found = compute_profile(randomised_response([truth] * 40), ("s0", "t0"))
    assert found.stats["method"] == "grid"
    exact = binomial(40, truth)
    assert found.pessimistic.dominates(exact)
    assert exact.dominates(found.optimistic)
    for order in (Order.FORWARD, Order.BACKWARD):
        assert all(found.delta(alpha=alpha, order=order).width < Fraction(1, 10**9) for alpha in ALPHAS)


def test_a_grid_bounds_different_coins_from_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(3)  # noqa: S311 - no secret depends on it
    chain = randomised_response([Fraction(chance.randint(51, 60), 101) for _ in range(10)])
    exact = compute_profile(chain, ("s0", "t0"))
    assert exact.exact
    monkeypatch.setattr(compute, "_MOST_WEIGHTS", 100)
    found = compute_profile(chain, ("s0", "t0"), ProfileSettings(width=Fraction(1, 10**4)))
    assert found.stats["method"] == "grid"
    assert found.pessimistic.dominates(exact.pessimistic)
    assert exact.optimistic.dominates(found.optimistic)
    assert found.delta(alpha="11/10").width <= Fraction(1, 10**4)


def test_a_loop_closes() -> None:
    found = compute_profile(RETRY, ("s", "t"))
    assert found.exact
    assert found.stats["beliefs"] == 3
    assert found.delta(alpha="11/10").upper.value == Fraction(4, 25)


def test_two_coins_for_ever_are_told_apart() -> None:
    found = compute_profile(COINS, ("sh", "th"))
    assert found.exact
    assert found.total_variation.lower.value == 1
    assert found.epsilon(delta=0).closed_form == "inf"


def test_a_ratio_that_drifts_is_bounded_on_a_grid() -> None:
    """At each step one may stop; until then the ratio changes each time round."""
    rows = {
        f"{coin}{side}": (
            side,
            {f"{coin}h": heads / 2, f"{coin}t": (1 - heads) / 2, "end": Fraction(1, 2)},
        )
        for coin, heads in (("s", Fraction(2, 3)), ("t", Fraction(1, 3)))
        for side in "ht"
    } | {"end": ("end", {"end": Fraction(1)})}
    found = compute_profile(LabelledMarkovChain.from_rows(rows), ("sh", "th"))
    assert found.stats["method"] == "grid"
    # after n labels the ratio is 2^d with d heads more than tails
    truth = sum(
        max(Fraction(0), comb(n, i) * (Fraction(2**i) - 2 * 2 ** (n - i)) / (2 ** (n + 1) * 3**n))
        for n in range(60)
        for i in range(n + 1)
    )  # all but 2^-60 of it
    bracket = found.delta(alpha=2, order=Order.FORWARD)
    assert bracket.lower.value <= truth + Fraction(1, 2**50)
    assert truth <= bracket.upper.value
    assert bracket.width < Fraction(1, 10**6)


def test_trace_equivalence_closes_what_bisimilarity_leaves_open() -> None:
    """s decides at once what t decides later; nobody can see the difference."""
    rows = {
        "s": ("start", {"sx": "1/2", "sy": "1/2"}),
        "t": ("start", {"tm": 1}),
        "sx": ("go", {"x": 1}),
        "sy": ("go", {"y": 1}),
        "tm": ("go", {"x": "1/2", "y": "1/2"}),
        "x": ("x", {"s": 1}),
        "y": ("y", {"s": "1/3", "t": "2/3"}),
    }
    chain = LabelledMarkovChain.from_rows(rows)
    found = compute_profile(chain, ("s", "t"))
    assert found.exact
    assert found.total_variation.upper.value == 0
    futures = Futures.of(chain, ("s", "t"))
    spanned = futures.spanned([futures.at("s")])
    assert spanned is not None
    assert len(spanned) < len(futures)


def test_the_graph_up_to_two_scales_is_small() -> None:
    chain = randomised_response([Fraction(51, 100)] * 30)
    graph = Graph.of(Futures.of(chain, ("s0", "t0")), ("s0", "t0"), one_scale=False)
    assert explore_all(graph, Limits(1000, 10**6, lambda: None)) is None
    assert len(graph.nodes) == 31


def test_a_focus_is_exact_where_it_was_asked() -> None:
    """The sign rule leaves beliefs open that do not matter there."""
    chance = Random(5)  # noqa: S311 - no secret depends on it
    rows = {}
    for i in range(8):
        weights = [chance.randint(0, 3) for _ in range(8)]
        weights[(i + 1) % 8] += 1
        rows[f"q{i}"] = "ab"[i % 2], {f"q{j}": Fraction(w, sum(weights)) for j, w in enumerate(weights) if w}
    chain = LabelledMarkovChain.from_rows(rows)
    found = compute_profile(chain, ("q0", "q2"), ProfileSettings(focus=(Fraction(3, 2),)))
    assert found.delta(alpha="3/2").width == 0
    assert found.certificate is not None
    assert check(chain, found.certificate).pair == ("q0", "q2")


def _forged(found: Profile, name: str, change: Fraction) -> str:
    """The certificate with a little more mass where it counts: from the largest ratio to the smallest."""
    assert found.certificate is not None
    document = json.loads(found.certificate.to_json())
    claim = document["claim"]
    atoms = claim[name]
    atoms[-1][1] = str(Fraction(atoms[-1][1]) + change)
    atoms[0][1] = str(Fraction(atoms[0][1]) - change)
    return json.dumps(document)


@pytest.mark.parametrize("change", [Fraction(1, 10**6), -Fraction(1, 10**6)])
def test_claims_that_say_more_or_less_are_rejected(change: Fraction) -> None:
    """An exact claim cannot be moved either way."""
    chain = randomised_response([Fraction(51, 100)] * 5)
    found = compute_profile(chain, ("s0", "t0"))
    with pytest.raises(checker.Rejected) as caught:
        checker.check_profile(lmc.write(chain), _forged(found, "atoms", change))
    assert caught.value.step == "claim"


def test_limits_are_answers() -> None:
    chain = randomised_response([Fraction(51, 100)] * 12)
    few = compute_profile(chain, ("s0", "t0"), ProfileSettings(max_beliefs=5))
    assert not few.exact
    assert few.limit == "limit of 5 beliefs reached"
    assert few.pessimistic.dominates(binomial(12, Fraction(51, 100)))
    assert binomial(12, Fraction(51, 100)).dominates(few.optimistic)


def test_states_with_different_labels() -> None:
    found = compute_profile(RETRY, ("s", "a"))
    assert found.exact
    assert found.total_variation.upper.value == 1
    assert found.certificate is not None
    assert check(RETRY, found.certificate).nodes == 0


def test_numbers_longer_than_python_writes_by_itself() -> None:
    """A belief may have entries of thousands of digits; its certificate holds them all the same."""
    tiny = Fraction(1, 10**2500)
    rows = {
        "s": ("start", {"x": tiny, "y": 1 - tiny}),
        "t": ("start", {"x": 1 - tiny, "y": tiny}),
        "x": ("go", {"a": tiny, "b": 1 - tiny}),
        "y": ("go", {"a": Fraction(1, 3), "b": Fraction(2, 3)}),
        "a": ("a", {"a": Fraction(1)}),
        "b": ("b", {"b": Fraction(1)}),
    }
    found = compute_profile(LabelledMarkovChain.from_rows(rows), ("s", "t"))
    assert found.exact
    assert found.total_variation.upper.value == (1 - 2 * tiny) * (Fraction(1, 3) - tiny)


def test_a_loop_that_is_met_again_and_again_is_rounded_often_enough() -> None:
    """What a leaf gets in every round, with all that was rounded before, stays within the claim."""
    rows = {
        f"{coin}{side}": (side, {f"{coin}h": heads * 9 / 10, f"{coin}t": (1 - heads) * 9 / 10, "end": "1/10"})
        for coin, heads in (("s", Fraction(2, 3)), ("t", Fraction(1, 2)))
        for side in "ht"
    } | {"end": ("end", {"end": 1})}
    width = Fraction(1, 10**4)
    found = compute_profile(LabelledMarkovChain.from_rows(rows), ("sh", "th"), ProfileSettings(width=width))
    assert found.stats["method"] == "grid"
    assert found.delta(alpha="11/10").width <= width

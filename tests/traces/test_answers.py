"""What is asked of profiles: ld, lv and tv against brute force on short chains and in their order everywhere;
points and tests, which order is worse, curves and the least epsilon.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bdist
from bdist import check, checker, distance, distance_table, load, true_delta
from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import make_family
from bdist.chains.formats import lmc
from bdist.distances.compute import Skew
from bdist.errors import ParameterError
from bdist.exact.epsilon import log_down, log_up
from bdist.traces.answers import (
    compute_curve,
    compute_epsilon,
    largest_gap,
    narrow_points,
    points_of,
    worse_stretches,
)
from bdist.traces.compute import ProfileSettings, compute_profile
from bdist.traces.loss import PrivacyLoss
from bdist.traces.profile import BOTH_ORDERS, Order, Profile
from tests.oracles import naive, traces
from tests.oracles.strategies import alphas, chains

INSTANCES = Path(__file__).parents[2] / "instances"
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


LOOPS = LabelledMarkovChain.from_rows(
    {
        "s": ("start", {"s": "1/2", "e": "1/2"}),
        "t": ("start", {"t": "1/3", "e": "2/3"}),
        "e": ("end", {"e": 1}),
    }
)
"""The likelihood ratio of n rounds grows like (3/2)^n: no epsilon will do for delta 0, and every prefix that
is possible for one is possible for the other."""

APART = LabelledMarkovChain.from_rows(
    {
        "s": ("start", {"a": "1/2", "b": "1/2"}),
        "t": ("start", {"a": "1/2", "c": "1/2"}),
        "a": ("a", {"a": 1}),
        "b": ("b", {"b": 1}),
        "c": ("c", {"c": 1}),
    }
)

LOPSIDED = LabelledMarkovChain.from_rows(
    {
        "s": ("start", {"x": "1/2", "y": "1/2"}),
        "t": ("start", {"x": "9/10", "y": "1/10"}),
        "x": ("x", {"x": 1}),
        "y": ("y", {"y": 1}),
    }
)
"""s over t: 1/2 - alpha/10 up to 5; t over s: 9/10 - alpha/2 up to 9/5. They meet at alpha = 1."""


def response() -> LabelledMarkovChain:
    return bdist.load(INSTANCES / "randomised-response/one-question.lmc")


@st.composite
def losses(draw: st.DrawFn) -> PrivacyLoss:
    sides = [draw(st.lists(st.integers(0, 9), min_size=5, max_size=5).filter(any)) for _ in range(2)]
    return PrivacyLoss.of(
        (Fraction(p, sum(sides[0])), Fraction(q, sum(sides[1]))) for p, q in zip(*sides, strict=True)
    )


ALPHAS = [Fraction(1), Fraction(21, 20), Fraction(3, 2), Fraction(2), Fraction(7, 2), Fraction(50)]


@settings(max_examples=60)
@given(losses())
def test_points_are_the_deltas_and_tests_attain_them(loss: PrivacyLoss) -> None:
    profile = Profile.of(("s", "t"), loss)
    for alpha, point in zip(ALPHAS, points_of(profile, [Skew(a) for a in ALPHAS]), strict=True):
        for order, expected in ((Order.FORWARD, loss), (Order.BACKWARD, loss.swapped())):
            side = point.of(order)
            assert side.delta.lower.value == side.delta.upper.value == expected.delta(alpha)
            test = side.test
            assert max(Fraction(0), test.gain(alpha)) == expected.delta(alpha)
            above = [atom for atom in expected.atoms if atom.s > alpha * atom.t]
            assert test.true_positive == sum(atom.s for atom in above)
            assert test.false_positive == sum(atom.t for atom in above)
            for other in ALPHAS:
                assert test.gain(other) <= expected.delta(other), "a tangent is below"
        assert point.worse.upper == profile.delta(alpha=alpha).upper


@settings(max_examples=60)
@given(losses())
def test_the_worse_order_is_the_larger_delta(loss: PrivacyLoss) -> None:
    stretches = worse_stretches(Profile.of(("s", "t"), loss))
    assert stretches[0].start == 1
    assert stretches[-1].end is None
    forward, backward = loss.delta, loss.swapped().delta
    for stretch, after in zip(stretches, [*stretches[1:], None], strict=True):
        assert after is None or (after.start == stretch.end and after.order is not stretch.order)
        end = stretch.start + 1 if stretch.end is None else stretch.end
        for k in range(5):
            alpha = stretch.start + (end - stretch.start) * k / 4
            difference = forward(alpha) - backward(alpha)
            if stretch.order is Order.WORSE:
                assert difference == 0
            else:
                assert difference >= 0 if stretch.order is Order.FORWARD else difference <= 0


@settings(max_examples=40)
@given(losses(), losses())
def test_the_gap_is_the_largest_of_all(one: PrivacyLoss, other: PrivacyLoss) -> None:
    low, high = (one, other) if other.dominates(one) else (other, one)
    if not high.dominates(low):
        low = PrivacyLoss.of([(1, 1)])
    gap = largest_gap(Profile(("s", "t"), low, high))
    found = []
    for below, above in ((low, high), (low.swapped(), high.swapped())):
        ratios = [atom.ratio for loss in (below, above) for atom in loss.atoms if atom.ratio is not None]
        places = [Fraction(1), *(r for r in ratios if r >= 1), Fraction(10**9)]
        found += [above.delta(a) - below.delta(a) for a in places]
    assert gap == max(found)


def test_lopsided_states_have_a_worse_order() -> None:
    profile = bdist.profile(LOPSIDED, "s", "t")
    assert profile.exact
    assert [(stretch.start, stretch.order) for stretch in worse_stretches(profile)] == [
        (Fraction(1), Order.FORWARD),
        (Fraction(5), Order.WORSE),
    ]
    (point,) = points_of(profile, [Skew(Fraction(3, 2))])
    assert point.forward.delta.upper.value == Fraction(7, 20)
    assert point.backward.delta.upper.value == Fraction(3, 20)
    assert point.worse_order is Order.FORWARD
    document = point.document()
    assert (document["alpha"], document["lower"], document["upper"]) == ("3/2", "7/20", "7/20")


def test_an_open_profile_is_narrowed_where_it_is_asked() -> None:
    chain, pair = bdist.load(INSTANCES / "random/eight-states.lmc"), ("s0", "s3")
    chosen = ProfileSettings(max_beliefs=40)
    profile = compute_profile(chain, pair, chosen)
    skews = [Skew(Fraction(21, 20)), Skew.of(None, "1/5")]
    points, closer = narrow_points(chain, profile, skews, chosen)
    before = points_of(profile, skews)
    for point, wide in zip(points, before, strict=True):
        assert wide.worse.lower.value <= point.worse.lower.value <= point.worse.upper.value
        assert point.worse.upper.value <= wide.worse.upper.value
    assert (closer is None) == all(point.worse.width <= chosen.width for point in before)
    stopped = Budget()
    stopped.stop.set()
    assert narrow_points(chain, profile, skews, ProfileSettings(budget=stopped)) == (before, None)


# --- curves ---


def test_a_curve_is_the_profile_at_points() -> None:
    """count0 and count1 of ratio 1/2: the true delta is 2/3 - alpha/3 up to alpha 2, and 0 from there."""
    chain = bdist.load(INSTANCES / "geometric/four-counts.lmc")
    curve = compute_curve(chain, ("count0", "count1"), ("1/3", "1"), 6)
    assert curve.limit is None
    assert curve.profile.exact
    assert (curve.epsilons[0], curve.epsilons[-1], len(curve.points)) == (Fraction(1, 3), Fraction(1), 6)
    assert list(curve.epsilons) == sorted(curve.epsilons)
    for epsilon, point in zip(curve.epsilons, curve.points, strict=True):
        assert log_down(point.skew.alpha) <= epsilon <= log_up(point.skew.attack_alpha)
        assert point.worse.upper.value == max(Fraction(0), (2 - point.skew.alpha) / 3)
        assert point.worse.lower.value == max(Fraction(0), (2 - point.skew.attack_alpha) / 3)
    assert compute_curve(chain, ("count0", "count1"), (0, 0), 1).epsilons == (Fraction(0),)


@pytest.mark.parametrize(
    ("ends", "message"),
    [(("1", "0"), "range of epsilon"), (("-1", "1"), "is negative"), (("0", "1001"), "above 1000")],
)
def test_bad_ranges_are_refused(ends: tuple[str, str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        bdist.curve(response(), "yes", "no", epsilon=ends)


def test_a_stopped_curve_is_sound() -> None:
    budget = Budget()
    budget.stop.set()
    curve = compute_curve(bdist.load(INSTANCES / "random/eight-states.lmc"), ("s0", "s3"), (0, 1), 3, budget)
    assert curve.limit == "interrupted"
    assert curve.points[0].worse.lower.value <= Fraction(2795, 10368) <= curve.points[0].worse.upper.value


# --- the least epsilon ---


@pytest.mark.parametrize(
    ("file", "pair", "delta", "alpha"),
    [
        ("randomised-response/one-question.lmc", ("yes", "no"), "0", "3"),
        ("randomised-response/one-question.lmc", ("yes", "no"), "1/4", "2"),
        ("randomised-response/one-question.lmc", ("yes", "no"), "1/2", "1"),
        ("geometric/four-counts.lmc", ("count0", "count1"), "0", "2"),
        ("geometric/four-counts.lmc", ("count1", "count0"), "0", "2"),
        ("dining-cryptographers/two.lmc", ("s0", "s1"), "7501/25000000", "5001/5000"),
        ("dining-cryptographers/three.lmc", ("s0", "s1"), "0.0001", "834/833"),
        ("not-monotone/chain.lmc", ("s", "t"), "0", "2"),
        ("random/eight-states.lmc", ("s0", "s3"), "1/4", "5/4"),
    ],
)
def test_exact_answers(file: str, pair: tuple[str, str], delta: str, alpha: str) -> None:
    chain = bdist.load(INSTANCES / file)
    found = bdist.least_epsilon(chain, *pair, delta=delta)
    assert found.exact
    assert found.limit is None
    assert found.upper_alpha == Fraction(alpha)
    assert found.certificate is not None
    refuting = found.refuting_test()
    if found.upper_alpha == 1:
        assert refuting is None
    else:
        assert refuting is not None
        assert refuting[1].gain(Fraction(alpha)) == Fraction(delta)
        assert refuting[1].gain(Fraction(alpha) - Fraction(1, 10**9)) > Fraction(delta)


def test_both_orders_count() -> None:
    assert bdist.least_epsilon(LOPSIDED, "s", "t", delta=0).upper_alpha == 5
    found = bdist.least_epsilon(LOPSIDED, "t", "s", delta=0)
    assert found.upper_alpha == 5
    refuting = found.refuting_test()
    assert refuting is not None
    assert refuting[0] is Order.BACKWARD


def test_disjoint_supports_have_no_finite_epsilon() -> None:
    found = bdist.least_epsilon(APART, "s", "t", delta="1/4")
    assert found.is_impossible
    assert found.exact
    assert (found.upper, found.lower) == (None, None)
    refuting = found.refuting_test()
    assert refuting is not None
    assert (refuting[1].true_positive, refuting[1].false_positive) == (Fraction(1, 2), Fraction(0))
    # delta = 1/2 pays for exactly that.
    assert bdist.least_epsilon(APART, "s", "t", delta="1/2").upper_alpha == 1


def test_an_answer_that_is_no_breakpoint_is_bracketed() -> None:
    """Accepting after n rounds has p = 2^-n and q = 3^-n; for delta 1/100 the best n is 5."""
    best = (Fraction(1, 32) - Fraction(1, 100)) * 243
    for tolerance in (Fraction(1, 10), Fraction(1, 10**6)):
        found = compute_epsilon(LOOPS, ("s", "t"), Fraction(1, 100), tolerance)
        assert found.limit is None
        assert found.lower_alpha is not None
        assert found.upper_alpha is not None
        assert found.lower_alpha <= best <= found.upper_alpha <= found.lower_alpha * (1 + tolerance)


def test_unbounded_ratios_end_in_an_honest_unknown() -> None:
    found = bdist.least_epsilon(LOOPS, "s", "t", delta=0)
    assert found.upper_alpha is None
    assert not found.exact
    assert not found.is_impossible
    assert found.limit is not None
    assert found.lower_alpha is not None
    assert found.lower_alpha > 1000


def test_a_stopped_search_says_so() -> None:
    budget = Budget()
    budget.stop.set()
    found = compute_epsilon(
        bdist.load(INSTANCES / "random/eight-states.lmc"),
        ("s0", "s3"),
        Fraction(26, 100),
        budget=budget,
    )
    assert found.limit == "interrupted"
    assert found.lower_alpha is not None
    assert found.upper_alpha is None or found.lower_alpha <= found.upper_alpha


def test_the_focus_of_a_profile_may_be_an_epsilon() -> None:
    profile = bdist.profile(response(), "yes", "no", epsilon="ln 2", width="1/100", max_beliefs=100)
    assert profile.delta(alpha=2).upper.value == Fraction(1, 4)
    for parameters, message in (
        ({"alpha": 2, "epsilon": 1}, "exactly one of alpha and epsilon"),
        ({"width": -1}, "width = -1 is negative"),
        ({"max_beliefs": 0}, "max_beliefs = 0 must be at least 1"),
    ):
        with pytest.raises(ParameterError, match=message):
            bdist.profile(response(), "yes", "no", **parameters)


def test_functions_of_an_open_profile_bound_it_from_both_sides() -> None:
    profile = bdist.profile(LOOPS, "s", "t")
    for order, (low, high) in zip(BOTH_ORDERS, profile.sides(), strict=True):
        for alpha in ALPHAS:
            truth = _loops_delta(alpha, order)
            assert low.delta(alpha) <= truth <= high.delta(alpha)


def _loops_delta(alpha: Fraction, order: Order) -> Fraction:
    """The sum over the number of rounds, with what is left after two hundred of them."""
    total = Fraction(0)
    for n in range(200):
        p, q = Fraction(1, 2) ** (n + 1), Fraction(1, 3) ** n * Fraction(2, 3)
        total += max(Fraction(0), p - alpha * q if order is Order.FORWARD else q - alpha * p)
    return total

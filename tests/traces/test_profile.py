"""Profiles: both orders, both sides, closed forms, enclosures and what is printed."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from itertools import pairwise
from math import expm1, log, tanh

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.certificates import Document
from bdist.errors import BackendError, ParameterError
from bdist.exact.epsilon import exponential_down, exponential_up
from bdist.results import Bound, Evidence
from bdist.traces.loss import PrivacyLoss, Vertex
from bdist.traces.plot import plot_profiles
from bdist.traces.profile import Enclosure, Order, Profile
from bdist.traces.renyi import Losses

F = Fraction
PAIR = ("s", "t")
NOTHING = PrivacyLoss.of([(1, 1)])
EVERYTHING = PrivacyLoss.of([(1, 0), (0, 1)])


@st.composite
def losses(draw: st.DrawFn, least: int = 0) -> PrivacyLoss:
    weights = st.tuples(st.integers(least, 9), st.integers(least, 9))
    drawn = draw(
        st.lists(weights, min_size=1, max_size=5).filter(
            lambda found: any(p for p, _ in found) and any(q for _, q in found)
        )
    )
    s, t = sum(p for p, _ in drawn), sum(q for _, q in drawn)
    return PrivacyLoss.of([(F(p, s), F(q, t)) for p, q in drawn])


@st.composite
def open_profiles(draw: st.DrawFn) -> tuple[Profile, PrivacyLoss]:
    """A profile and the distribution that it is about: atoms added from below, split from above."""
    true = draw(losses())
    atoms = [(atom.s, atom.t) for atom in true.atoms]
    cut = draw(st.integers(1, len(atoms)))
    added = [(sum((p for p, _ in atoms[:cut]), F(0)), sum((q for _, q in atoms[:cut]), F(0))), *atoms[cut:]]
    share = draw(st.fractions(0, 1, max_denominator=5))
    split = [half for p, q in atoms for half in ((p * share, q), (p * (1 - share), F(0)))]
    return Profile(PAIR, PrivacyLoss.of(added), PrivacyLoss.of(split), limit="a test"), true


def response(truth: Fraction) -> Profile:
    return Profile.of(PAIR, PrivacyLoss.of([(truth, 1 - truth), (1 - truth, truth)]))


def direct_moment(loss: PrivacyLoss, order: int) -> Fraction:
    return sum((atom.s**order * atom.t ** (1 - order) for atom in loss.atoms if atom.s), F(0))


def contains(found: Enclosure, value: arb) -> bool:
    assert found.lower is not None
    assert found.upper is not None
    low, high = (arb(fmpq(end.numerator, end.denominator)) for end in (found.lower.value, found.upper.value))
    return not value < low and not value > high


# --- delta and epsilon ----------------------------------------------------------------------------------


@given(losses(), st.fractions(1, 9, max_denominator=20))
def test_orders_are_those_of_the_distribution(loss: PrivacyLoss, alpha: Fraction) -> None:
    profile = Profile.of(PAIR, loss)
    forward = profile.delta(alpha=alpha, order=Order.FORWARD)
    backward = profile.delta(alpha=alpha, order=Order.BACKWARD)
    assert forward.exact
    assert forward.lower.value == loss.delta(alpha)
    assert backward.lower.value == loss.swapped().delta(alpha)
    assert profile.delta(alpha=alpha).upper.value == max(forward.upper.value, backward.upper.value)


@given(open_profiles(), st.fractions(1, 9, max_denominator=20), st.sampled_from(Order))
def test_the_truth_is_between_the_sides(
    case: tuple[Profile, PrivacyLoss], alpha: Fraction, order: Order
) -> None:
    profile, true = case
    known = Profile.of(PAIR, true)
    delta, exact = profile.delta(alpha=alpha, order=order), known.delta(alpha=alpha, order=order)
    assert delta.lower.value <= exact.lower.value <= delta.upper.value
    found = profile.epsilon(delta=F(1, 7), order=order)
    value = known.epsilon(delta=F(1, 7), order=order).lower_alpha
    assert found.upper_alpha is None or (value is not None and value <= found.upper_alpha)
    assert value is None or (found.lower_alpha is not None and found.lower_alpha <= value)
    assert profile.total_variation.lower.value <= true.total_variation <= profile.advantage.upper.value


def test_a_rational_epsilon_is_answered_from_both_sides() -> None:
    profile = response(F(3, 4))
    found = profile.delta(epsilon="1/2")
    assert found.lower.value == F(3, 4) - exponential_up(F(1, 2)) / 4
    assert found.upper.value == F(3, 4) - exponential_down(F(1, 2)) / 4
    assert 0 < found.width < F(1, 10**10)
    assert profile.delta(epsilon="ln 2").exact
    assert profile.delta(epsilon="ln 2").lower.value == F(1, 4)
    assert profile.delta(epsilon=0).lower.value == F(1, 2)


def test_the_least_epsilon_has_a_closed_form() -> None:
    profile = response(F(3, 4))
    assert profile.epsilon(delta=0).closed_form == "ln(3)"
    assert profile.epsilon(delta="1/10").closed_form == "ln(13/5)"
    assert profile.epsilon(delta="1/2").closed_form == "0"
    assert profile.epsilon(delta="1/10").text == "ln(13/5) = 0.955511445027 to 0.955511445028"
    assert profile.max_divergence() == profile.epsilon(delta=0)
    assert Profile.of(PAIR, EVERYTHING).epsilon(delta="1/2").closed_form == "inf"
    open_one = Profile(PAIR, NOTHING, profile.pessimistic).epsilon(delta=0)
    assert open_one.closed_form is None
    assert not open_one.exact
    assert open_one.text == "0 to 1.09861228867"
    assert open_one.document() == {
        "delta": "0",
        "lower_alpha": "1",
        "upper_alpha": "3",
        "exact": False,
        "closed_form": None,
        "lower": "0",
        "upper": "1.09861228867",
    }
    unknown = Profile(PAIR, NOTHING, EVERYTHING).epsilon(delta=0)
    assert (unknown.lower, unknown.upper) == (Bound(F(0), Evidence.EXACT), None)
    assert unknown.text == "0 to inf"


def test_what_does_not_apply_is_refused() -> None:
    profile = response(F(3, 4))
    with pytest.raises(ParameterError, match="exactly one"):
        profile.delta()
    with pytest.raises(ParameterError, match="exactly one"):
        profile.delta(alpha=2, epsilon=1)
    with pytest.raises(ParameterError, match="below 1"):
        profile.delta(alpha="1/2")
    with pytest.raises(ParameterError, match="from 0 to 1"):
        profile.epsilon(delta=2)
    with pytest.raises(ParameterError, match="no order of two states; there are worse, forward, backward"):
        profile.delta(alpha=2, order="sideways")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="below 1"):
        profile.renyi("1/2")
    with pytest.raises(ParameterError, match="at least 1"):
        profile.self_compose(0)


# --- tests of hypotheses --------------------------------------------------------------------------------


def test_the_trade_off_of_both_orders_is_the_hull_of_both() -> None:
    loss = PrivacyLoss.of([("1/2", "1/4"), ("1/2", "1/2"), (0, "1/4")])
    profile = Profile.of(PAIR, loss)
    assert profile.tradeoff().pessimistic == loss.tradeoff()
    assert profile.tradeoff(Order.BACKWARD).optimistic == loss.swapped().tradeoff()
    corners: tuple[Vertex, ...] = (
        (F(0), F(0)),
        (F(0), F(1, 4)),
        (F(1, 2), F(3, 4)),
        (F(3, 4), F(1)),
        (F(1), F(1)),
    )
    hull = profile.tradeoff(Order.WORSE).pessimistic
    both = [*loss.tradeoff(), *loss.swapped().tradeoff()]
    assert set(hull) <= set(both)
    for x, y in both:
        for (a, b), (c, d) in pairwise(hull):
            assert (d - b) * (x - a) >= (y - b) * (c - a)
    assert loss.swapped().tradeoff() == (corners[0], corners[1], (F(1, 2), F(3, 4)), corners[4])


# --- divergences ----------------------------------------------------------------------------------------


@given(losses(least=1), st.integers(2, 6), st.sampled_from(Order))
def test_integer_orders_are_the_logarithms_of_exact_moments(
    loss: PrivacyLoss, number: int, order: Order
) -> None:
    found = Profile.of(PAIR, loss).renyi(number, order)
    moments = {
        Order.FORWARD: [direct_moment(loss, number)],
        Order.BACKWARD: [direct_moment(loss.swapped(), number)],
        Order.WORSE: [direct_moment(loss, number), direct_moment(loss.swapped(), number)],
    }[order]
    assert found.moment == max(moments)
    with ctx.workprec(400):
        assert contains(
            found, arb(fmpq(found.moment.numerator, found.moment.denominator)).log() / (number - 1)
        )
    assert found.upper is not None
    assert found.lower is not None
    assert found.upper.value - found.lower.value <= F(1, 10**15)


@given(losses(least=1), st.fractions(1, 8, max_denominator=7).filter(lambda x: x > 1))
def test_other_orders_are_enclosed(loss: PrivacyLoss, number: Fraction) -> None:
    with ctx.workprec(600):
        power = arb(fmpq(number.numerator, number.denominator)) - 1
        total = arb(0)
        for atom in loss.atoms:
            s, ratio = (arb(fmpq(x.numerator, x.denominator)) for x in (atom.s, atom.s / atom.t))
            total += s * ratio**power
        low, high = Losses(loss.masses()).divergence(number)
        assert contains(Enclosure.of(low, high, Evidence.EXACT), total.log() / power)
        assert high - low <= F(1, 10**15)


@given(losses(least=1), st.integers(2, 6))
def test_both_ways_agree_on_integer_orders(loss: PrivacyLoss, number: int) -> None:
    exact = Profile.of(PAIR, loss).renyi(number, Order.FORWARD)
    low, high = Losses(loss.masses()).divergence(F(number))
    assert exact.lower is not None
    assert exact.upper is not None
    assert low <= exact.upper.value
    assert exact.lower.value <= high


def test_order_one_is_kullback_leibler() -> None:
    found = response(F(3, 4)).renyi(1)
    with ctx.workprec(300):
        assert contains(found, arb(3).log() / 2)
    assert found.moment is None


def test_infinite_ratios_make_divergences_infinite() -> None:
    loss = PrivacyLoss.of([("1/2", 0), ("1/2", 1)])
    profile = Profile.of(PAIR, loss)
    for number in (1, 2, "5/2"):
        assert profile.renyi(number, Order.FORWARD).upper is None
        assert profile.renyi(number).text == "inf"
        assert profile.renyi(number, Order.BACKWARD).upper is not None
    assert profile.zcdp().lower is None
    backward = profile.zcdp(Order.BACKWARD)  # D_a = ln 2 for every a
    with ctx.workprec(300):
        assert contains(backward, arb(2).log())
    half_open = Profile(PAIR, NOTHING, loss)
    nothing = Bound(F(0), Evidence.EXACT)
    assert (half_open.zcdp().lower, half_open.zcdp().upper) == (nothing, None)
    assert (half_open.renyi(2).lower, half_open.renyi(2).upper) == (nothing, None)


@pytest.mark.parametrize("truth", [F(51, 100), F(3, 4), F(99, 100), F(10**6 - 1, 10**6)])
def test_zcdp_of_randomised_response_is_its_kullback_leibler_divergence(truth: Fraction) -> None:
    """epsilon tanh(epsilon / 2): for two outcomes the supremum is the limit at order 1."""
    found = response(truth).zcdp()
    assert found.lower is not None
    assert found.upper is not None
    epsilon = log(truth / (1 - truth))
    assert float(found.lower.value) == pytest.approx(epsilon * tanh(epsilon / 2), rel=1e-8)
    assert 0 <= found.upper.value - found.lower.value <= found.upper.value / 10**8


@settings(max_examples=40)
@given(losses(least=1))
def test_zcdp_is_above_all_orders_and_attained(loss: PrivacyLoss) -> None:
    found = Profile.of(PAIR, loss).zcdp(Order.FORWARD)
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower.value <= found.upper.value
    assert found.upper.value - found.lower.value <= found.upper.value / 10**6
    best = F(0)
    for number in [F(1), *(1 + F(5, 4) ** k for k in range(-30, 25))]:
        low, high = Losses(loss.masses()).divergence(number)
        assert low / number <= found.upper.value
        best = max(best, high / number)
    assert best <= found.upper.value
    assert best >= found.lower.value * F(98, 100)  # the orders above are dense enough for that


def test_zcdp_with_a_supremum_inside() -> None:
    """A rare large loss: D_a / a is largest at an order of about 6, far from both ends."""
    rare = F(1, 10**4)
    loss = PrivacyLoss.of([(rare, rare / 1000), (1 - rare, 1 - rare / 1000)])
    losses_ = Losses(loss.masses())
    found = Profile.of(PAIR, loss).zcdp(Order.FORWARD)
    assert found.lower is not None
    assert found.upper is not None
    assert losses_.divergence(F(1))[1] < found.lower.value / 10
    assert found.upper.value - found.lower.value <= found.upper.value / 10**8
    assert max(losses_.divergence(F(k, 50))[1] / F(k, 50) for k in range(51, 600)) <= found.upper.value


def test_permute_and_flip_closed_forms() -> None:
    """Noisy max of two options by permute-and-flip, scores equal or one apart: two outcomes each."""
    x = F(1, 2)  # e^(-epsilon / 2) for the epsilon 2 ln 2
    even = (F(1, 2), F(1, 2))
    apart = (1 - x / 2, x / 2)
    profile = Profile.of(PAIR, PrivacyLoss.of(zip(even, apart, strict=True)))
    assert profile.max_divergence().closed_form == "ln(2)"
    assert profile.total_variation.lower.value == F(1, 4)
    assert profile.renyi(2, Order.FORWARD).moment == F(1, 4) / F(3, 4) + F(1, 4) / F(1, 4)
    assert profile.renyi(2, Order.BACKWARD).moment == F(9, 16) * 2 + F(1, 16) * 2
    assert profile.delta(alpha="3/2").upper.value == F(1, 8)


# --- composition ----------------------------------------------------------------------------------------


@given(open_profiles(), losses())
def test_composition_keeps_the_truth_between_the_sides(
    case: tuple[Profile, PrivacyLoss], other: PrivacyLoss
) -> None:
    profile, true = case
    found = profile.compose(Profile.of(("u", "v"), other))
    exact = true.compose(other)
    assert found.pessimistic.dominates(exact)
    assert exact.dominates(found.optimistic)
    assert found.pair == ("s + u", "t + v")
    assert found.limit == "a test"


def test_composition_is_exact_and_then_rounded() -> None:
    profile = response(F(51, 100))
    exact = profile.self_compose(1000)
    assert exact.exact
    assert exact.limit is None
    assert exact.pair == PAIR
    rounded = profile.self_compose(30_000)
    assert not rounded.exact
    assert rounded.limit == "the composition is rounded to a grid of ratios"
    assert rounded.stats["releases"] == 30_000
    for order in Order:
        found = rounded.delta(epsilon=3, order=order)
        assert 0 <= found.width < F(1, 10**9)
        assert found.lower.evidence is Evidence.EXACT
    assert profile.compose(profile, profile) == profile.self_compose(3)


def test_composition_is_no_stronger_than_its_factors() -> None:
    loss = response(F(3, 4)).pessimistic
    unchecked = Profile(PAIR, loss, loss, evidence=Evidence.UNCHECKED)
    certified = Profile(PAIR, loss, loss, evidence=Evidence.CERTIFIED)
    assert unchecked.compose(certified).total_variation.unchecked
    assert certified.self_compose(2).evidence is Evidence.EXACT
    assert certified.total_variation.certified


# --- what is printed ------------------------------------------------------------------------------------


class _Proof(Document):
    def to_json(self) -> str:
        return "a long proof"


def test_a_profile_prints_as_one_line_without_its_proof() -> None:
    loss = response(F(51, 100)).self_compose(200).pessimistic
    profile = Profile(("a\nb", "<t>"), loss, loss, certificate=_Proof())
    assert "\n" not in repr(profile)
    assert len(repr(profile)) < 200
    for text in (repr(profile), profile._repr_svg_()):
        assert "long proof" not in text
    assert "<t>" not in profile._repr_svg_()
    open_one = Profile(PAIR, NOTHING, response(F(3, 4)).pessimistic, limit="time is up")
    assert repr(open_one) == "Profile(s, t: open, 0 <= total variation <= 0.5, exact; time is up)"
    assert repr(response(F(3, 4))) == "Profile(s, t: exact, 2 atoms, total variation = 1/2, exact)"


def test_the_document_holds_the_atoms() -> None:
    profile = Profile.of(PAIR, PrivacyLoss.of([("1/2", 0), ("1/2", 1)]))
    document = json.loads(json.dumps(profile.document()))
    assert {name: document[name] for name in ("pair", "exact", "atoms", "limit", "evidence", "stats")} == {
        "pair": ["s", "t"],
        "exact": True,
        "atoms": [{"ratio": "1/2", "s": "1/2", "t": "1"}, {"ratio": "inf", "s": "1/2", "t": "0"}],
        "limit": None,
        "evidence": "exact",
        "stats": {},
    }
    assert document["total_variation"]["upper"] == "1/2"
    assert document["max_divergence"]["worse"]["closed_form"] == "inf"
    open_one = Profile(PAIR, NOTHING, EVERYTHING, limit="time is up").document()
    assert open_one["optimistic"] == [{"ratio": "1", "s": "1", "t": "1"}]
    assert open_one["limit"] == "time is up"
    assert "atoms" not in open_one


@pytest.mark.parametrize(
    "profile",
    [
        response(F(3, 4)),
        response(F(51, 100)).self_compose(50),
        Profile(PAIR, NOTHING, response(F(3, 4)).pessimistic),
        Profile.of(PAIR, NOTHING),
        Profile(("$a$", "b_{"), NOTHING, EVERYTHING),
    ],
)
def test_a_plot_shows_both_sides(profile: Profile) -> None:
    axes = profile.plot()
    assert len(axes.lines) == (1 if profile.exact else 2)
    assert len(axes.collections) == (0 if profile.exact else 1)
    axes.figure.canvas.draw()
    drawn = np.asarray(axes.lines[0].get_ydata())
    assert float(drawn[0]) == pytest.approx(float(profile.total_variation.upper.value))
    again = response(F(2, 3)).plot(axes)
    assert again is axes


def test_several_profiles_are_drawn_on_axes_that_stay_their_owners() -> None:
    own = Profile.of(PAIR, NOTHING).plot()
    axes = own.figure.add_subplot(122)
    axes.set_title("mine")
    axes.set_xlabel("privacy")
    response(F(3, 4)).plot(axes, label="one", linestyle=":", epsilon=(0, 1))
    open_one = Profile(PAIR, NOTHING, response(F(3, 4)).pessimistic)
    plot_profiles({"$two$": response(F(2, 3)), "open": open_one}, axes, epsilon=("1/2", 2.0))
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("mine", "privacy", "δ")
    assert len({line.get_color() for line in axes.lines}) == len(axes.lines) == 3
    assert axes.lines[0].get_linestyle() == ":"
    legend = axes.get_legend()
    assert legend is not None
    texts = [text.get_text().strip() for text in legend.get_texts()]
    assert texts == ["one", "$two$", "open (the true δ lies between)"]
    assert [line.get_xdata()[-1] for line in axes.lines] == [1.0, 2.0, 2.0]  # type: ignore[index]
    axes.figure.canvas.draw()
    alone = plot_profiles([response(F(2, 3)), response(F(3, 4))], log=True)
    assert alone.get_yscale() == "log"
    for wrong in ((1, 1), (-1, 2), (0, 1e9)):
        with pytest.raises(ParameterError, match="no range"):
            plot_profiles([response(F(2, 3))], epsilon=wrong)
    with pytest.raises(ParameterError, match="1 to 8 profiles, not 0"):
        plot_profiles([])


def test_a_plot_without_matplotlib_is_refused_kindly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BackendError, match="bdist\\[plot\\]"):
        response(F(3, 4)).plot()


def test_small_losses_keep_their_digits() -> None:
    tiny = F(1, 10**30)
    profile = Profile.of(PAIR, PrivacyLoss.of([((1 + tiny) / 2, F(1, 2)), ((1 - tiny) / 2, F(1, 2))]))
    found = profile.renyi(2, Order.FORWARD)
    assert found.moment == 1 + tiny**2
    assert found.lower is not None
    assert found.upper is not None
    assert float(found.lower.value) == pytest.approx(1e-60, rel=1e-12)
    assert float(found.upper.value) == pytest.approx(1e-60, rel=1e-12)
    enclosed = Losses(profile.pessimistic.masses()).divergence(F(2))
    assert 0 <= enclosed[0] <= found.upper.value
    assert found.lower.value <= enclosed[1] <= F(expm1(1e-50))

"""Exchange with dp_accounting: bounds stay on their side in both directions, judged exactly."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.errors import BackendError, ParameterError
from bdist.exact.epsilon import exponential_down
from bdist.traces.accounting import Adjacency, from_dp_accounting, to_dp_accounting
from bdist.traces.loss import PrivacyLoss
from bdist.traces.profile import Profile

F = Fraction
ALPHAS = [F(1, 20), F(1, 3), F(9, 10), F(1), F(101, 100), F(3, 2), F(3), F(17), F(200)]
STEPS = [1e-4, 1e-2, 0.37]


@st.composite
def losses(draw: st.DrawFn) -> PrivacyLoss:
    weights = st.tuples(st.integers(0, 9), st.integers(0, 9))
    drawn = draw(
        st.lists(weights, min_size=1, max_size=5).filter(
            lambda found: any(p for p, _ in found) and any(q for _, q in found)
        )
    )
    s, t = sum(p for p, _ in drawn), sum(q for _, q in drawn)
    return PrivacyLoss.of([(F(p, s), F(q, t)) for p, q in drawn])


def their_delta(pmf: Any, alpha: Fraction) -> arb:
    """The function that their floats stand for, enclosed to 90 digits."""
    dense = pmf.to_dense_pmf()
    total = arb(float(dense._infinity_mass))
    exact = arb(fmpq(alpha.numerator, alpha.denominator))
    for index, mass in enumerate(dense._probs):
        loss = arb(float(dense._discretization)) * (index + int(dense._lower_loss))
        if mass:
            total += arb(float(mass)) * (1 - exact * (-loss).exp()).max(arb(0))
    return total


def corners(*distributions: PrivacyLoss) -> list[Fraction]:
    found = {atom.ratio for loss in distributions for atom in loss.atoms}
    return [*ALPHAS, *(ratio for ratio in found if ratio is not None)]


def ball(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


@settings(max_examples=40)
@given(losses(), st.booleans(), st.sampled_from(STEPS[1:]))
def test_theirs_is_on_the_side_that_it_says(loss: PrivacyLoss, pessimistic: bool, step: float) -> None:
    theirs = to_dp_accounting(loss, pessimistic=pessimistic, step=step)
    turned = loss.swapped()
    with ctx.workprec(300):
        for ours, pmf in ((loss, theirs._pmf_remove), (turned, theirs._pmf_add)):
            for alpha in corners(ours):
                exact, found = ball(ours.delta(alpha)), their_delta(pmf, alpha)
                assert not (found < exact if pessimistic else found > exact)


@settings(max_examples=40)
@given(losses(), st.booleans(), st.sampled_from(STEPS[1:]), st.sampled_from(Adjacency))
def test_there_and_back_stays_on_its_side(
    loss: PrivacyLoss, pessimistic: bool, step: float, adjacency: Adjacency
) -> None:
    back = from_dp_accounting(to_dp_accounting(loss, pessimistic=pessimistic, step=step), adjacency)
    ours = loss if adjacency is Adjacency.REMOVE else loss.swapped()
    assert back.dominates(ours) if pessimistic else ours.dominates(back)


@settings(max_examples=30)
@given(losses(), st.booleans(), st.sampled_from(STEPS[1:]), st.integers(2, 6))
def test_what_they_composed_is_read_on_its_side(
    loss: PrivacyLoss, pessimistic: bool, step: float, times: int
) -> None:
    if loss.infinite_mass == 1:
        return  # dp_accounting takes the logarithm of 0
    theirs = to_dp_accounting(loss, pessimistic=pessimistic, step=step)._pmf_remove
    composed = _distribution(theirs.self_compose(times))
    back = from_dp_accounting(composed)
    with ctx.workprec(300):
        for alpha in ALPHAS:
            found, theirs_there = ball(back.delta(alpha)), their_delta(composed._pmf_remove, alpha)
            if pessimistic:  # up to what exceeds a sum of 1, which is cut off
                excess = their_delta(composed._pmf_remove, F(0)) - 1
                assert not found < theirs_there - excess.max(arb(0))
            else:
                assert not found > theirs_there.max(1 - ball(alpha)).max(arb(0))


def _distribution(pmf: Any) -> Any:
    from dp_accounting.pld import privacy_loss_distribution

    return privacy_loss_distribution.PrivacyLossDistribution(pmf)


@pytest.mark.parametrize("pessimistic", [True, False])
def test_masses_that_are_no_probabilities_stay_on_their_side(pessimistic: bool) -> None:
    """Fourier transforms leave masses below 0, and sums that are not 1."""
    from dp_accounting.pld import pld_pmf

    for masses, infinite in [
        ({-9: -1e-3, 0: 0.6, 3: 0.3, 5: -1e-2}, 0.1),
        ({-60: 1e-9, 0: 0.7, 2: 0.3}, 0.01),
        ({-2: 0.2, 1: 0.7}, 0.05),
        ({-2: 0.2, 1: 0.7}, -0.05),
        ({0: -0.1, 1: -0.2}, 0.1),
    ]:
        pmf = pld_pmf.create_pmf(masses, 0.5, infinite, pessimistic)
        found = from_dp_accounting(_distribution(pmf))
        if pessimistic:  # nobody knows where what is missing of 1 would be
            positive = [mass for mass in [*masses.values(), infinite] if mass > 0]
            assert found.infinite_mass >= 1 - sum(map(F, positive))
        with ctx.workprec(300):
            excess = (their_delta(pmf, F(0)) - 1).max(arb(0))
            for alpha in [F(k, 7) for k in range(1, 120)]:
                ours, theirs = ball(found.delta(alpha)), their_delta(pmf, alpha)
                if pessimistic:
                    assert not ours < theirs - excess
                else:
                    assert not ours > theirs.max(1 - ball(alpha)).max(arb(0))


def test_their_answers_agree_with_ours() -> None:
    loss = PrivacyLoss.of([("3/4", "1/4"), ("1/4", "3/4")])
    exact = loss.self_compose(10)
    up = to_dp_accounting(loss).self_compose(10)
    down = to_dp_accounting(loss, pessimistic=False).self_compose(10)
    for epsilon in (F(0), F(1), F(3)):
        value = float(exact.delta(exponential_down(epsilon)))
        assert up.get_delta_for_epsilon(float(epsilon)) == pytest.approx(value, rel=1e-3)
        assert down.get_delta_for_epsilon(float(epsilon)) == pytest.approx(value, rel=1e-2)


def test_a_mechanism_of_theirs_can_be_composed_with_ours() -> None:
    from dp_accounting.pld import privacy_loss_distribution

    laplace = privacy_loss_distribution.from_laplace_mechanism(2.0, value_discretization_interval=0.01)
    theirs = from_dp_accounting(laplace)
    ours = PrivacyLoss.of([("3/4", "1/4"), ("1/4", "3/4")])
    both = theirs.compose_up(ours)
    assert both.dominates(ours)
    assert float(both.delta(1)) > float(theirs.delta(1)) > 0


def test_what_cannot_be_exchanged_is_refused() -> None:
    loss = PrivacyLoss.of([("3/4", "1/4"), ("1/4", "3/4")])
    for step in (0.0, -1.0, float("nan"), float("inf"), 1):
        with pytest.raises(ParameterError, match="positive float"):
            to_dp_accounting(loss, step=step)
    with pytest.raises(ParameterError, match="larger step"):
        to_dp_accounting(loss, step=1e-8)
    with pytest.raises(ParameterError, match="no PrivacyLossDistribution"):
        from_dp_accounting(loss)
    with pytest.raises(ParameterError, match="there are remove and add"):
        from_dp_accounting(to_dp_accounting(loss), "both")  # type: ignore[arg-type]


def test_without_dp_accounting_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "dp_accounting"]:
        monkeypatch.setitem(sys.modules, name, None)
    loss = PrivacyLoss.of([(1, 1)])
    with pytest.raises(BackendError, match=r"pip install 'bdist\[accounting\]'"):
        to_dp_accounting(loss)
    with pytest.raises(BackendError, match=r"pip install 'bdist\[accounting\]'"):
        from_dp_accounting(loss)


def test_another_version_of_theirs_is_refused() -> None:
    class Unknown:
        pass

    with pytest.raises(BackendError, match="does not know"):
        from_dp_accounting(_distribution(Unknown()))


@pytest.mark.parametrize("loss", [PrivacyLoss.of([(1, 0), (0, 1)]), PrivacyLoss.of([(1, 1)])])
def test_nothing_and_everything_go_there_and_back(loss: PrivacyLoss) -> None:
    for pessimistic in (True, False):
        assert from_dp_accounting(to_dp_accounting(loss, pessimistic=pessimistic)) == loss


def test_a_profile_goes_to_theirs_and_back() -> None:
    profile = Profile.of(("s", "t"), PrivacyLoss.of([("3/4", "1/4"), ("1/4", "3/4")]))
    above = from_dp_accounting(profile.to_dp_accounting())
    below = from_dp_accounting(profile.to_dp_accounting(pessimistic=False))
    assert above.dominates(profile.pessimistic)
    assert profile.optimistic.dominates(below)

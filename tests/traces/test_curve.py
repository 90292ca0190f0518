"""Curves: what a point proves, what the envelopes prove in between, and the pictures."""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import bdist
from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import load
from bdist.distances.compute import Skew
from bdist.errors import BackendError, ParameterError
from bdist.exact.epsilon import exponential_down, exponential_up, log_down, log_up
from bdist.results import Evidence
from bdist.traces.attack import carried_lower
from bdist.traces.best_upper import best_upper, natural_alphas
from bdist.traces.curve import Curve, CurveSettings, compute_curve
from bdist.traces.curve_plot import write_plot
from bdist.traces.true_delta import TraceSettings, compute_trace_distance

INSTANCES = Path(__file__).parents[2] / "instances"
GEOMETRIC = ("geometric/four-counts.lmc", ("count0", "count1"), ("0", "1"))
DINERS = ("dining-cryptographers/two.lmc", ("s0", "s1"), ("0", "0.001"))
NOT_MONOTONE = ("not-monotone/chain.lmc", ("s", "t"), ("1/10", "1"))
RESPONSE = ("randomised-response/one-question.lmc", ("yes", "no"), ("0", "3/2"))
CASES = [GEOMETRIC, DINERS, NOT_MONOTONE, RESPONSE]

Case = tuple[str, tuple[str, str], tuple[str, str]]


def curve_of(case: Case, quantity: str = "tv", points: int = 9) -> tuple[LabelledMarkovChain, Curve]:
    file, pair, ends = case
    chain = load(INSTANCES / file)
    return chain, compute_curve(chain, pair, ends, quantity, CurveSettings(points=points))


def true_delta(chain: LabelledMarkovChain, pair: tuple[str, str], alpha: Fraction) -> Fraction:
    return compute_trace_distance(chain, pair, Skew(alpha), "tv", TraceSettings()).distance.value


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("quantity", ["tv", "bd", "ld"])
def test_the_true_delta_is_between_the_envelopes(case: Case, quantity: str) -> None:
    chain, curve = curve_of(case, quantity)
    chance = random.Random(1)  # noqa: S311
    first, last = curve.points[0].epsilon, curve.points[-1].epsilon
    for _ in range(8):
        alpha = exponential_down(first + (last - first) * Fraction(chance.randint(0, 10**6), 10**6))
        exact = true_delta(chain, curve.pair, alpha)
        # ln(alpha) is between the two rationals, so the bounds there are on the outer sides.
        assert curve.lower_at(log_up(alpha)) <= exact <= curve.upper_at(log_down(alpha))


@pytest.mark.parametrize("quantity", ["tv", "bd", "ld"])
def test_points_are_certified_ordered_and_at_sound_alphas(quantity: str) -> None:
    _, curve = curve_of(NOT_MONOTONE, quantity)
    epsilons = [point.epsilon for point in curve.points]
    assert epsilons == sorted(set(epsilons))
    assert epsilons[0] == Fraction(1, 10)
    assert epsilons[-1] == 1
    assert curve.limit is None
    for point in curve.points:
        assert point.alpha_down <= exponential_up(point.epsilon)
        assert log_down(point.alpha_down) <= point.epsilon <= log_up(point.alpha_up)
        assert point.upper.evidence is Evidence.CERTIFIED
        assert 0 <= point.lower.value <= point.upper.value <= 1


@pytest.mark.parametrize("case", CASES)
def test_envelopes_never_rise(case: Case) -> None:
    _, curve = curve_of(case, "bd")
    first, last = curve.points[0].epsilon, curve.points[-1].epsilon
    places = sorted([first + (last - first) * k / 57 for k in range(58)] + [p.epsilon for p in curve.points])
    for envelope in (curve.upper_at, curve.lower_at):
        values = [envelope(place) for place in places]
        assert values == sorted(values, reverse=True)


def test_envelopes_beyond_the_ends_claim_nothing_unproved() -> None:
    _, curve = curve_of(NOT_MONOTONE)
    assert curve.upper_at(0) == 1
    assert curve.lower_at("1/100") == max(point.lower.value for point in curve.points)
    assert curve.lower_at(5) == 0
    assert curve.upper_at(5) == min(point.upper.value for point in curve.points)
    with pytest.raises(ParameterError, match="float"):
        curve.upper_at(0.5)  # type: ignore[arg-type]


def test_the_geometric_curve_is_the_known_one() -> None:
    """count0 and count1 of ratio 1/2: the true delta is 2/3 - alpha/3 up to alpha 2, and 0 from there."""
    _, curve = curve_of(GEOMETRIC, points=25)
    assert len(curve.points) == 25
    for point in curve.points:
        assert point.upper.value == max(Fraction(0), (2 - point.alpha_down) / 3)
        assert point.lower.value == max(Fraction(0), (2 - point.alpha_up) / 3)
    assert any(point.alpha_down == 2 for point in curve.points)


def test_refinement_leaves_flat_parts_alone() -> None:
    chain = load(INSTANCES / GEOMETRIC[0])
    curve = compute_curve(chain, ("count0", "count1"), ("1", "20"), "tv", CurveSettings(points=25))
    assert [point.epsilon for point in curve.points] == [1, 20]
    one = compute_curve(chain, ("count0", "count1"), ("0", "0"), "tv", CurveSettings(points=1))
    assert len(one.points) == 1
    assert one.lower_at(0) == one.upper_at(0) == Fraction(1, 3)


def test_bd_below_a_skew_can_be_the_better_bound() -> None:
    chain = load(INSTANCES / NOT_MONOTONE[0])
    pair, alpha = ("s", "t"), Fraction(5, 2)
    here, best = best_upper(chain, pair, alpha, "bd", count=0), best_upper(chain, pair, alpha, "bd")
    assert (here.bracket.upper.value, here.alpha) == (Fraction(1, 80), alpha)
    assert best.bracket.upper.value == 0
    assert best.alpha == 2
    assert best.certificate.alpha == 2
    assert {Fraction(2), Fraction(4)} <= set(natural_alphas(chain))
    assert best_upper(chain, pair, alpha, "tv").bracket.upper.value == 0


def test_ld_counts_in_its_worse_order() -> None:
    chain = LabelledMarkovChain.from_rows(
        {
            "s": ("start", {"x": 1}),
            "t": ("start", {"x": "1/4", "y": "3/4"}),
            "x": ("x", {"x": 1}),
            "y": ("y", {"y": 1}),
        }
    )
    for pair in (("s", "t"), ("t", "s")):
        assert best_upper(chain, pair, Fraction(4), "ld").bracket.upper.value == Fraction(3, 4)
    assert best_upper(chain, ("s", "s"), Fraction(4), "ld").bracket.upper.value == 0


def test_a_lower_bound_is_carried_over_soundly() -> None:
    chain = load(INSTANCES / RESPONSE[0])
    found = compute_trace_distance(chain, ("yes", "no"), Skew(Fraction(2)), "tv", TraceSettings()).distance
    assert carried_lower(found.bracket.lower, found.alpha, Fraction(2)) == found.bracket.lower
    for alpha in (Fraction(2001, 1000), Fraction(5, 2), Fraction(3), Fraction(100)):
        carried = carried_lower(found.bracket.lower, found.alpha, alpha)
        assert 0 <= carried.value <= true_delta(chain, ("yes", "no"), alpha)
        assert carried.evidence is Evidence.EXACT
    assert carried_lower(
        found.bracket.lower, found.alpha, Fraction(2001, 1000)
    ).value > found.value - Fraction(1, 1000)


def test_a_stopped_curve_has_the_points_so_far() -> None:
    chain = load(INSTANCES / GEOMETRIC[0])
    budget = Budget()
    budget.stop.set()
    curve = compute_curve(chain, ("count0", "count1"), (0, 1), "bd", CurveSettings(budget=budget))
    assert len(curve.points) == 1
    assert curve.limit == "interrupted"
    assert curve.lower_at(0) <= Fraction(1, 3) <= curve.upper_at(0)


@pytest.mark.parametrize("ends", [("1", "0"), ("-1", "1"), ("0", "1001")])
def test_bad_ranges_are_refused(ends: tuple[str, str]) -> None:
    chain = load(INSTANCES / GEOMETRIC[0])
    with pytest.raises(ParameterError, match="range of epsilon"):
        compute_curve(chain, ("count0", "count1"), ends)


def test_other_bad_parameters_are_refused() -> None:
    chain = load(INSTANCES / GEOMETRIC[0])
    with pytest.raises(ParameterError, match="at least 2"):
        bdist.curve(chain, "count0", "count1", epsilon=(0, 1), points=1)
    with pytest.raises(ParameterError, match="'lv' does not bound"):
        bdist.curve(chain, "count0", "count1", epsilon=(0, 1), quantity="lv")


def test_plots_are_written_and_repeat_themselves(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    _, curve = curve_of(DINERS)
    one_point = Curve(curve.pair, curve.quantity, curve.points[:1])
    write_plot(curve, tmp_path / "curve.png", log=True)
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    for log in (False, True):
        write_plot(one_point, tmp_path / "point.svg", log=log)
    for name in ("first.svg", "second.svg"):
        write_plot(curve, tmp_path / name, title="diners")
    text = (tmp_path / "first.svg").read_text(encoding="utf-8")
    assert "the true δ lies here" in text
    assert "diners" in text
    assert (tmp_path / "second.svg").read_text(encoding="utf-8") == text
    with pytest.raises(ParameterError, match=r"must end in \.png or \.svg"):
        write_plot(curve, tmp_path / "curve.bmp")
    with pytest.raises(ParameterError, match="cannot write"):
        write_plot(curve, tmp_path / "nowhere" / "curve.png")


def test_without_matplotlib_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, curve = curve_of(GEOMETRIC, points=2)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BackendError, match=r"pip install 'bdist\[plot\]'"):
        write_plot(curve, tmp_path / "curve.png")

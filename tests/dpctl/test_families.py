"""Families of Markov decision processes, and subsampling: rows by hand, and the paper's numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

import pytest
from flint import arb, ctx

from bdist.chains.subsampling import subsampling_majority
from bdist.dpctl.families import DECISION_PROCESSES, above_threshold_process, interactive_survey, neighbours
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.errors import ParameterError

Best = Callable[[Iterable[Fraction]], Fraction]


def test_order() -> None:
    assert list(DECISION_PROCESSES) == ["interactive-survey", "above-threshold-process"]


def test_the_interactive_survey_by_hand() -> None:
    process = interactive_survey()
    assert process.states == ("plus", "minus", "s", "t", "sink")
    assert process.labels == ("diagnosis", "diagnosis", "out1", "out0", "sink")
    assert process.row("plus", "L") == {"s": Fraction(3, 4), "t": Fraction(1, 4)}
    assert process.row("plus", "H") == {"s": Fraction(4, 5), "t": Fraction(1, 5)}
    assert process.row("minus", "L") == {"s": Fraction(1, 4), "t": Fraction(3, 4)}
    assert process.row("minus", "H") == {"s": Fraction(1, 5), "t": Fraction(4, 5)}
    assert {str(process.row(state, action)) for state in ("s", "t", "sink") for action in "LH"} == {
        str({"sink": Fraction(1)})
    }


# --- above threshold -----------------------------------------------------------------------------------


def extreme(process: MarkovDecisionProcess, state: str, bots: int, best: Best, left: int = 2) -> Fraction:
    """The best probability, over all schedulers, of ``bot`` so many times, then ``top``."""
    number = process.index(state)
    if left == 0:
        if bots == 0:
            return Fraction(process.labels[number] == "top")
        if process.labels[number] != "bot":
            return Fraction(0)
        return extreme(process, state, bots - 1, best)
    return best(
        sum((p * extreme(process, process.states[t], bots, best, left - 1) for t, p in row), Fraction(0))
        for row in set(process.rows[number])
    )


def difference(process: MarkovDecisionProcess, one: str, other: str, bots: int) -> Fraction:
    """Proposition 2 at epsilon = 0: the delta that no two schedulers exceed."""
    sides = [(one, other), (other, one)]
    return max(extreme(process, s, bots, max) - extreme(process, t, bots, min) for s, t in sides)


def test_the_papers_neighbours_of_above_threshold() -> None:
    """The paper has .17 for the pair and .74 for all; these are the exact values (of Proposition 2)."""
    process = above_threshold_process()
    found = [difference(process, "top.t3.r5", "bottom.t3.r4", bots) for bots in range(3)]
    assert found == [Fraction(379, 3840), Fraction(1661, 10240), Fraction(86281, 552960)]
    assert max(difference(process, *pair, 1) for pair in neighbours()) == Fraction(1873, 2560)


def test_rows_of_above_threshold() -> None:
    process = above_threshold_process(2)
    assert process.actions == ("00", "01", "10", "11", "12", "21", "22")
    assert len(process.states) == 2 * (9 + 9 + 2) + 1
    noisy = {
        "top.noisy0.r1": Fraction(4, 5),
        "top.noisy1.r1": Fraction(3, 20),
        "top.noisy2.r1": Fraction(1, 20),
    }
    for action in process.actions:
        assert process.row("top.t0.r1", action) == noisy
        assert process.row("top.noisy1.r1", action) == {
            "top.noisy1.below": Fraction(1, 3),
            "above": Fraction(2, 3),
        }
        assert process.row("bottom.noisy0.r0", action) == process.row("above", action) == {"above": 1}
        assert process.row("top.noisy2.below", action) == {f"top.noisy2.r{action[0]}": 1}
        assert process.row("bottom.noisy2.below", action) == {f"bottom.noisy2.r{action[1]}": 1}
    assert len(neighbours(2)) == 3 * 7
    assert ("top.t1.r0", "bottom.t1.r1") in neighbours(2)
    assert ("top.t1.r0", "bottom.t1.r2") not in neighbours(2)


def test_actions_with_two_digits_are_not_confused() -> None:
    process = above_threshold_process(11)
    assert len(set(process.actions)) == 12 + 2 * 11
    assert process.row("bottom.noisy3.below", "10.11") == {"bottom.noisy3.r11": 1}


# --- subsampling ---------------------------------------------------------------------------------------


def test_subsampling_by_hand() -> None:
    """One sample: red unless more blue than red members are in it."""
    q = Fraction(1, 10)
    chain = subsampling_majority(samples=1)
    assert chain.row("rrr") == {"red1": 1}
    blue = {"rrb": q * (1 - q) ** 2, "rbb": (1 - q) * (1 - (1 - q) ** 2) + q**3}
    blue["bbb"] = 1 - (1 - q) ** 3
    for members, share in blue.items():
        assert chain.row(members) == {"red0": share, "red1": 1 - share}
    assert chain.row("red0").keys() == {"answers0", "silent"}
    assert chain.row("red1").keys() == {"answers1", "silent"}
    assert chain.row("answers1") == {"one": 1}
    assert [chain.label(state) for state in ("one", "zero", "silent")] == ["out1", "out0", "bot"]


@pytest.mark.parametrize("epsilon", [Fraction(1, 3), Fraction(1), Fraction(5)])
@pytest.mark.parametrize("rate", [Fraction(1, 20), Fraction(1, 4), Fraction(1, 2)])
def test_the_truth_lies_between_the_two_sides(epsilon: Fraction, rate: Fraction) -> None:
    samples, delta = 4, Fraction(1, 10)
    lower = subsampling_majority(samples, rate, epsilon, delta, "lower")
    upper = subsampling_majority(samples, rate, epsilon, delta, "upper")
    for c in range(samples + 1):
        answer = "answers1" if 2 * c >= samples else "answers0"
        low, high = lower.row(f"red{c}")[answer], upper.row(f"red{c}")[answer]
        r = Fraction(abs(2 * c - samples), 4 * samples) / rate - 1
        assert low <= high <= low * (1 + Fraction(1, 2**38))
        assert (low == high) == (r == 0)
        if r != 0:
            with ctx.workprec(200):
                bar = -_ball(delta).log() / _ball(epsilon) - _ball(r)
                size = (-_ball(epsilon) * abs(bar)).exp() / 2
                truth = size if bar > 0 else 1 - size
                assert _ball(low) < truth < _ball(high)


def _ball(number: Fraction) -> arb:
    return arb(number.numerator) / arb(number.denominator)


def test_subsampling_refuses_what_it_cannot_enclose() -> None:
    with pytest.raises(ParameterError, match="epsilon r exceeds 1000"):
        subsampling_majority(rate=Fraction(1, 10**6))
    with pytest.raises(ParameterError, match="parameter side is 'middle'"):
        subsampling_majority(side="middle")

"""The formulas of Liu, Wang and Zhang, on Markov chains (section 6) and decision processes (section 7).

Published values stand beside ours.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from bdist import LabelledMarkovChain, dpctl, load
from bdist.dpctl.families import above_threshold_process, neighbours
from bdist.dpctl.text import load_decision_process
from bdist.results import Answer
from tests.cli.runner import ROOT

MODELS = ROOT / "instances" / "dpctl"
DIAGNOSES = [("plus", "minus")]
COUNTS = [(f"count{k}", f"count{k + 1}") for k in range(5)]


def model(name: str) -> LabelledMarkovChain:
    return load(MODELS / f"{name}.lmc")


def holds(name: str, formula: str, pairs: list[tuple[str, str]]) -> bool:
    asked = {state for pair in pairs for state in pair}
    return dpctl.check(model(name), formula, pairs).answer(asked) is Answer.HOLDS


@pytest.mark.parametrize(
    ("name", "path", "pairs", "published"),
    [
        ("survey", "X out1", DIAGNOSES, "3"),
        ("survey", "X out0", DIAGNOSES, "3"),
        *(("geometric-five", f"X out{k}", COUNTS, "2") for k in range(6)),
        ("double-survey", "X (out1 & X out1)", DIAGNOSES, "9"),
        ("double-survey", "X X out1", DIAGNOSES, "3"),
    ],
)
def test_the_published_epsilon_is_tight(
    name: str, path: str, pairs: list[tuple[str, str]], published: str
) -> None:
    alpha = Fraction(published)
    assert dpctl.tight(model(name), f"D[eps=0] ({path})", pairs).ratio == alpha
    assert holds(name, f"D[eps=ln {published}, delta=0] ({path})", pairs)
    below = alpha - Fraction(1, 10**6)
    assert not holds(name, f"D[eps=ln {below}, delta=0] ({path})", pairs)


def test_conjunctions_over_all_outputs() -> None:
    both = "D[eps=ln 3, delta=0] (X out1) & D[eps=ln 3, delta=0] (X out0)"
    assert holds("survey", both, DIAGNOSES)
    counts = "forall a in {out0, out1, out2, out3, out4, out5}: D[eps=ln 2, delta=0] (X a)"
    assert holds("geometric-five", counts, COUNTS)
    twice = "forall a in {out0, out1}, b in {out0, out1}: D[eps=ln 9, delta=0] (X (a & X b))"
    assert holds("double-survey", twice, DIAGNOSES)
    assert not holds("double-survey", twice.replace("ln 9", "ln 8"), DIAGNOSES)


def test_the_nested_formula() -> None:
    nested = "D[eps=ln 3, delta=0] (X (out1 & D[eps=ln 3, delta=0] (X out1)))"
    assert holds("double-survey", nested, DIAGNOSES)
    inner = dpctl.check(model("double-survey"), "D[eps=ln 3, delta=0] (X out1)", DIAGNOSES)
    assert inner.satisfied == frozenset(model("double-survey").states)


def test_composition_is_better_than_its_theorem_says() -> None:
    """Section 6: (0, 1/2) for one survey and, in place of (0, 1), for two: 9/16 - 1/16."""
    once = dpctl.tight(model("survey"), "D[eps=0] (X out1)", DIAGNOSES)
    twice = dpctl.tight(model("double-survey"), "D[eps=0] (X (out1 & X out1))", DIAGNOSES)
    half = Fraction(1, 2)
    assert once.delta.exact
    assert once.delta == twice.delta
    assert once.delta.upper.value == half
    assert twice.found.values["plus"] == Fraction(9, 16)
    assert twice.found.values["minus"] == Fraction(1, 16)
    assert holds("double-survey", "D[eps=0, delta=1/2] (X (out1 & X out1))", DIAGNOSES)
    assert not holds("double-survey", "D[eps=0, delta=0.499] (X (out1 & X out1))", DIAGNOSES)


# --- section 7: decision processes ----------------------------------------------------------------------


def test_the_interactive_survey_for_all_outputs() -> None:
    """Fig. 5: ln 4 with the more accurate query, ln 3 with the other one alone."""
    process = load_decision_process(MODELS / "interactive-survey.mdp")
    schema = "forall a in {out0, out1}: D[eps=ln 4, delta=0] (X a)"
    assert dpctl.check_process(process, schema, DIAGNOSES).answer(["plus", "minus"]) is Answer.HOLDS
    below = dpctl.check_process(process, schema.replace("ln 4", "ln 3.999"), DIAGNOSES)
    assert below.answers["plus"] is Answer.VIOLATED
    assert below.witnesses["plus"].actions == ("H",)
    assert dpctl.tight_process(process, "D[eps=0] (X out1)", DIAGNOSES).ratio == 4


# (X^k bot) top for k = 0, 1, 2; each query takes two steps, and what is above stays above
ABOVE = "forall k in 2..6: D[eps={}, delta={}] (X^k top & !X^k-1 top)"
FIRST_PAIR = [("top.t3.r5", "bottom.t3.r4")]


@pytest.mark.parametrize(
    ("epsilon", "delta", "pairs", "answer"),
    [
        ("0", "0.17", FIRST_PAIR, Answer.HOLDS),  # published
        ("0", "379/3840", FIRST_PAIR, Answer.HOLDS),  # the least, over all sequences of queries
        ("0", "378/3840", FIRST_PAIR, Answer.VIOLATED),
        ("1", "0.74", neighbours(5), Answer.HOLDS),  # published
        ("ln 8", "0", FIRST_PAIR, Answer.HOLDS),  # for as many queries; each one more doubles it
        ("ln 7.999", "0", FIRST_PAIR, Answer.VIOLATED),
    ],
)
def test_above_threshold_with_its_schema(
    epsilon: str, delta: str, pairs: list[tuple[str, str]], answer: Answer
) -> None:
    checked = dpctl.check_process(above_threshold_process(), ABOVE.format(epsilon, delta), pairs)
    assert checked.answer({state for pair in pairs for state in pair}) is answer
    assert len(checked.certificate.parts) == 5

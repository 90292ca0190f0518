"""``bdist modelcheck`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.runner import CHECKER, ROOT, answer_of, run_bdist, run_checker

MODELS = ROOT / "instances" / "dpctl"
SURVEY, DOUBLE, GEOMETRIC = (
    str(MODELS / f"{name}.lmc") for name in ("survey", "double-survey", "geometric-five")
)
NEIGHBOURS = ("--pairs", "plus:minus")


def asked(*arguments: str, code: int = 0, command: str = "modelcheck") -> str:
    return answer_of(command, *arguments, code=code)


def test_a_formula_that_holds() -> None:
    text = asked(SURVEY, "D[eps=ln 3] (X out1) & D[eps=ln 3] (X out0)", *NEIGHBOURS)
    assert " holds        certified" in text.splitlines()[0]
    assert "  holds in  plus, minus" in text


def test_a_formula_that_is_violated_names_the_part_the_neighbour_and_both_probabilities() -> None:
    text = asked(SURVEY, "D[eps=ln 3] (X out1) & D[eps=ln 2] (X out0)", *NEIGHBOURS, code=1)
    assert " is violated        certified" in text.splitlines()[0]
    assert "  fails in  plus: D[eps=ln 2, delta=0] (X out0)" in text
    assert "probability 1/4 = 0.25, and 3/4 = 0.75 from its neighbour minus" in text
    document = json.loads(asked(SURVEY, "D[eps=ln 2] (X out0)", *NEIGHBOURS, "--json", code=1))
    assert document["answer"] == "violated"
    failures = {failure["state"]: failure["probabilities"] for failure in document["failures"]}
    assert failures == {"plus": ["1/4", "3/4"], "minus": ["3/4", "1/4"]}


def test_a_path_formula_is_answered_with_its_probabilities() -> None:
    text = asked(DOUBLE, "X (out1 & X out1)", "--state", "plus", "--state", "minus")
    assert "        exact, certified" in text.splitlines()[0]
    assert "  plus      9/16 = 0.5625" in text
    assert "  minus     1/16 = 0.0625" in text


def test_tight_parameters() -> None:
    text = asked(DOUBLE, "D[eps=0] (X (out1 & X out1))", *NEIGHBOURS, "--tight")
    assert "  epsilon   ln(9) = 2.197224..., at delta = 0, exact" in text
    assert "  delta     1/2 = 0.5, at epsilon = 0, exact" in text
    document = json.loads(asked(DOUBLE, "D[eps=0] (X (out1 & X out1))", *NEIGHBOURS, "--tight", "--json"))
    assert (document["epsilon"], document["delta"]) == ("ln 9", ["1/2", "1/2"])


def test_schemas() -> None:
    formula = "forall a in {out0, out1, out2, out3, out4, out5}: D[eps=ln 2] (X a)"
    pairs = ",".join(f"count{k}:count{k + 1}" for k in range(5))
    assert " holds        certified" in asked(GEOMETRIC, formula, "--pairs", pairs)
    asked(GEOMETRIC, formula.replace("ln 2", "ln 3/2"), "--pairs", pairs, code=1)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((SURVEY, "D[eps=ln 3] (X out7)", *NEIGHBOURS), 2, "no state has the proposition 'out7'"),
        ((SURVEY, "D[eps=ln 3 (X out1)", *NEIGHBOURS), 4, "<formula>:1:"),
        ((SURVEY, "D[eps=0] (X out1)", "--tight"), 2, "D is about neighbours"),
        ((SURVEY, "D[eps=0] (X out1)"), 2, "D is about neighbours"),
        ((SURVEY, "P>=1 [F D[eps=0] (X out1)] & !out1"), 2, "D is about neighbours"),
        ((SURVEY, "X D[eps=0] (X out1)"), 2, "D is about neighbours"),
        ((SURVEY, "D[eps=0] (X out1)", "--pairs", "plus:plus"), 2, "no two different states are neighbours"),
        ((SURVEY, "D[eps=0] (X out1)", "--enclosure", SURVEY), 2, "D is about neighbours"),
        ((str(MODELS / "interactive-survey.mdp"), "D[eps=0] (X out1)"), 2, "D is about neighbours"),
        ((str(MODELS / "interactive-survey.mdp"), "X D[eps=0] (X out1)"), 2, "D is about neighbours"),
        ((SURVEY, "X out1", *NEIGHBOURS, "--tight"), 2, "is not of the form D[...] (...)"),
        ((SURVEY, "X out1", "--state", "nobody"), 2, "nobody"),
        ((SURVEY, "X out1", "--pairs", "plus:nobody"), 2, "nobody"),
        (("nowhere.lmc", "X out1"), 4, "nowhere.lmc"),
    ],
)
def test_wrong_questions_are_refused_in_one_line(arguments: tuple[str, ...], code: int, message: str) -> None:
    done = run_bdist("modelcheck", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("bdist: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


def test_states_without_neighbours_are_named_where_a_d_is_asked_of_them() -> None:
    note = "  note      without neighbours, so that a D holds of itself: "
    assert note not in asked(SURVEY, "D[eps=ln 3] (X out1)", *NEIGHBOURS)
    assert f"{note}s\n" in asked(SURVEY, "D[eps=ln 3] (X out1)", *NEIGHBOURS, "--state", "s")
    assert f"{note}s, t, sink\n" in asked(SURVEY, "P>=1 [X D[eps=0] (X out1)]", *NEIGHBOURS)
    document = json.loads(asked(SURVEY, "X D[eps=0] (X out1)", *NEIGHBOURS, "--json"))
    assert document["without_neighbours"] == ["s", "t", "sink"]
    assert "without_neighbours" not in json.loads(asked(SURVEY, "X out1", *NEIGHBOURS, "--json"))


# --- Markov decision processes -------------------------------------------------------------------------

INTERACTIVE = str(MODELS / "interactive-survey.mdp")


def test_a_process_is_asked_for_all_sequences_of_queries() -> None:
    assert "  holds in  plus, minus" in asked(INTERACTIVE, "D[eps=ln 4] (X out1)", *NEIGHBOURS)
    text = asked(INTERACTIVE, "D[eps=ln 3] (X out1)", *NEIGHBOURS, code=1)
    assert "  fails in  plus\n            queries H\n" in text
    assert "probability 4/5 = 0.8, and 1/5 = 0.2 from its neighbour minus" in text


def test_an_until_on_a_process_may_be_unknown_and_is_never_wrong() -> None:
    assert " holds        certified" in asked(INTERACTIVE, "D[eps=ln 4] (F out1)", *NEIGHBOURS)
    text = asked(INTERACTIVE, "D[eps=ln 3.9] (F out1)", *NEIGHBOURS, code=1)
    assert "  fails in  plus\n            queries H\n" in text


def test_compound_formulas_on_a_process_name_the_part_that_fails() -> None:
    formula = "forall a in {out0, out1}: D[eps=ln 4] (X a)"
    assert " holds        certified" in asked(INTERACTIVE, formula, *NEIGHBOURS)
    text = asked(INTERACTIVE, "D[eps=ln 4] (X out1) & D[eps=ln 3] (X out0)", *NEIGHBOURS, code=1)
    assert "  fails in  plus: D[eps=ln 3, delta=0] (X out0)\n            queries H\n" in text
    nested = "P>=1 [X !D[eps=ln 3] (X out1)] | P>=3/4 [X (out1 & D[eps=0] (X sink))]"
    text = asked(INTERACTIVE, nested, *NEIGHBOURS, code=1)
    assert "  holds in  plus" in text
    assert "  fails in  minus\n  proof" in text
    document = json.loads(asked(INTERACTIVE, f"({nested}) & !diagnosis", *NEIGHBOURS, "--json", code=1))
    assert document["witnesses"]["plus"]["part"] == "!diagnosis"
    assert document["stats"]["parts"] == 4


def test_what_is_not_decided_says_why() -> None:
    many = " & ".join(f"G F X^{k} out1" for k in range(6))
    text = asked(INTERACTIVE, f"D[eps=0] ({many}) & X^0 diagnosis", *NEIGHBOURS, code=3)
    assert " is not decided" in text.splitlines()[0]
    assert "certified" not in text
    assert "  unknown   plus, minus\n  reason    the formula has 12 operators" in text
    document = json.loads(asked(INTERACTIVE, f"D[eps=0] ({many})", *NEIGHBOURS, "--json", code=3))
    assert document["reasons"]["plus"].startswith("the formula has 12 operators")
    asked(INTERACTIVE, f"D[eps=0] ({many}) | diagnosis", *NEIGHBOURS)


def test_extremes_and_tight_parameters_of_a_process() -> None:
    text = asked(INTERACTIVE, "F out1", "--state", "plus")
    assert "        exact, certified" in text.splitlines()[0]
    assert "  plus      3/4 = 0.75 to 4/5 = 0.8" in text
    best = asked(INTERACTIVE, "D[eps=0] (X out1)", *NEIGHBOURS, "--tight")
    assert "        certified" in best.splitlines()[0]
    assert "  epsilon   ln(4) = 1.386294..., at delta = 0, exact" in best
    assert "  delta     3/5 = 0.6, at epsilon = 0, over all sequences of queries" in best
    assert best.count("  queries   H") == 1
    document = json.loads(asked(INTERACTIVE, "D[eps=0] (X out1)", *NEIGHBOURS, "--tight", "--json"))
    assert (document["epsilon"], document["delta"]) == ("ln 4", ["3/5", "3/5"])
    assert document["epsilon_at"]["probabilities"] == ["4/5", "1/5"]
    none = asked(INTERACTIVE, "D[eps=0] (X (out1 & X out1))", "--pairs", "plus:s", "--tight")
    assert "  epsilon   0, at delta = 0, exact" in none
    none = asked(INTERACTIVE, "D[eps=0] (X out1)", "--pairs", "plus:s", "--tight")
    assert "  epsilon   none will do at delta = 0" in none
    until = asked(INTERACTIVE, "D[eps=0] (F out1)", *NEIGHBOURS, "--tight")
    assert "        certified" in until.splitlines()[0]
    assert "  coarse    delta 3/5 = 0.6, at epsilon = 0, by Proposition 2" in until
    assert "  epsilon " not in until


@pytest.mark.parametrize(
    ("model", "formula", "code"),
    [
        (DOUBLE, "D[eps=ln 9] (X (out1 & X out1))", 0),
        (DOUBLE, "D[eps=2, delta=1/9] (X (out1 & X out1))", 0),
        (DOUBLE, "D[eps=ln 3] (F out1)", 0),
        (DOUBLE, "X X out1", 0),
        (DOUBLE, "P>=1/2 [X out1]", 1),
        (INTERACTIVE, "D[eps=ln 4] (X out1)", 0),
        (INTERACTIVE, "D[eps=ln 3] (X out1)", 1),
        (INTERACTIVE, "D[eps=ln 3] (F out1)", 1),
        (INTERACTIVE, "P>=1/4 [F out1]", 1),
        (INTERACTIVE, "F out1", 0),
        (INTERACTIVE, "X P>=1 [X sink]", 0),
        (INTERACTIVE, "D[eps=ln 4] (X out1) & !D[eps=ln 3] (F D[eps=0] (X out1))", 1),
        (INTERACTIVE, "--tight D[eps=0] (X out1)", 0),
        (INTERACTIVE, "--tight D[eps=0] (F out1)", 0),
    ],
)
def test_certificates_pass_both_checkers(model: str, formula: str, code: int, tmp_path: Path) -> None:
    proof = str(tmp_path / "proof.json")
    tight = ["--tight"] if formula.startswith("--tight ") else []
    formula = formula.removeprefix("--tight ")
    asked(model, formula, *NEIGHBOURS, *tight, "--certificate", proof, code=code)
    assert asked(model, proof, command="check").startswith("accepted  about the formula [")
    done = run_checker(CHECKER, model, proof)
    assert (done.returncode, done.stdout[:9]) == (0, "accepted:")
    report = json.loads(asked(model, proof, "--json", command="check"))
    assert report["accepted"] is True
    if model == INTERACTIVE:
        assert report["holds"] or report["violated"] or report["extremes"]
        assert bool(report["queries"]) == (bool(tight) and "F out1" not in formula)
    forged = json.loads(Path(proof).read_text(encoding="utf-8"))
    forged["formula"] = ["not", forged["formula"]]
    Path(proof).write_text(json.dumps(forged), encoding="utf-8")
    assert asked(model, proof, command="check", code=1).startswith("rejected at ")

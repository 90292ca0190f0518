"""Decision processes in files of every kind, and enclosures, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bdist.chains.formats import ReadOptions
from bdist.dpctl import kind as process_kind
from bdist.dpctl.formats import load_decision_process
from bdist.dpctl.mdp import fingerprint
from tests.cli.runner import CHECKER, ROOT, answer_of, document_of, run_bdist, run_checker

MODELS = "instances/dpctl"
PROGRAM = f"{MODELS}/interactive-survey.prism"
PROCESS = f"{MODELS}/interactive-survey.mdp"
LOWER, UPPER = f"{MODELS}/subsampling-lower.lmc", f"{MODELS}/subsampling-upper.lmc"
SINK = ("--sink", "over")
NEIGHBOURS = ("--pairs", '"s=0":"s=1"')
TEAM_STATES = ("rrr", "rrb", "rbb", "bbb")
TEAMS = ("--pairs", "rrr:rrb,rrb:rbb,rbb:bbb")


@pytest.fixture(scope="module")
def explicit(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The survey from its program, as Storm's file."""
    path = tmp_path_factory.mktemp("drn") / "survey.drn"
    done = run_bdist("convert", PROGRAM, str(path), *SINK)
    told = f"{path}: 5 states, 2 actions, 14 transitions, 4 labels\n"
    assert (done.returncode, done.stdout) == (0, told), done.stderr
    return str(path)


def _of_program(*arguments: str, code: int = 0) -> str:
    """What a command says of the program, with a note about the sink."""
    done = run_bdist(*arguments)
    sink = "'over' is a new state, which stays, with the label {}; 2" if "over" in arguments else "'s=3' is a"
    assert f"bdist: {PROGRAM}: the sink {sink}" in done.stderr
    assert done.returncode == code
    return done.stdout


def test_a_program_is_checked_and_its_certificate_as_well(tmp_path: Path) -> None:
    text = _of_program("modelcheck", PROGRAM, "D[eps=ln 3] (X out1)", *NEIGHBOURS, *SINK, code=1)
    assert text.startswith(
        "interactive-survey.prism: D[eps=ln 3, delta=0] (X out1) is violated        certified"
    )
    proof = str(tmp_path / "proof.json")
    _of_program("modelcheck", PROGRAM, "D[eps=ln 4] (X out1)", *NEIGHBOURS, *SINK, "--certificate", proof)
    assert _of_program("check", PROGRAM, proof, *SINK).startswith("accepted")
    assert _of_program("check", PROGRAM, proof, "--sink", "s=3", code=1).startswith("rejected at model")


def test_an_explicit_file_answers_as_the_process(explicit: str, tmp_path: Path) -> None:
    text = answer_of("modelcheck", explicit, "F out1", "--state", "s0")
    assert "  s0        3/4 = 0.75 to 4/5 = 0.8" in text
    back = tmp_path / "survey.mdp"
    answer_of("convert", explicit, str(back))
    process = load_decision_process(back)
    assert process.states == ("s0", "s1", "s2", "s3", "s4")
    assert process.rows == load_decision_process(ROOT / PROGRAM, ReadOptions(sink="over")).rows
    document = document_of(run_bdist("validate", explicit, "--json"))
    assert document.pop("fingerprint") == fingerprint(process)
    sizes = {"states": 5, "actions": 2, "transitions": 14, "labels": 4}
    assert document == {"ok": True, "file": explicit, **sizes}


def test_show_lists_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    text = answer_of("show", PROCESS)
    assert text.startswith(
        "interactive-survey: a Markov decision process of 5 states, 2 actions, 14 transitions"
    )
    assert "  choice        the action matters in 2 states: plus, minus\n" in text
    assert "  absorbing     1 state: sink\n" in text
    assert "\nplus H -> 4/5 s, 1/5 t\n" in text
    document = json.loads(answer_of("show", PROCESS, "--json"))
    assert (document["actions"], document["choosing"]) == (["L", "H"], ["plus", "minus"])
    assert document["labels"] == {"diagnosis": 2, "out1": 1, "out0": 1, "sink": 1}
    monkeypatch.setattr(process_kind, "LISTED_LINES", 10)
    assert answer_of("show", PROCESS).endswith(
        "\nnot listed: 14 lines; at most 10 are listed (bdist convert writes it)\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("validate", PROGRAM, "--deadlocks", "refuse"), 4, "state 's=2' has no choice (a deadlock); --dead"),
        (("validate", PROCESS, *SINK), 2, "sink is not an option of .mdp files, which has no options"),
        (("validate", LOWER, *SINK), 2, "sink is not an option of .lmc files"),
        (
            ("show", PROCESS, "--draw", "a.svg"),
            2,
            "a Markov decision process is listed as it is, and not drawn",
        ),
        (
            ("convert", PROCESS, "a.lmc"),
            2,
            "no writer of decision processes for the suffix '.lmc'; written are",
        ),
        (("convert", LOWER, "a.mdp"), 2, ".mdp files hold decision processes, and this is a chain"),
        (("delta", PROCESS, "plus", "minus", "--alpha", "1"), 4, "not a chain; ask: bdist modelcheck"),
        (("modelcheck", PROCESS, "F out1", "--enclosure", UPPER), 4, "not a chain; ask: bdist modelcheck"),
        (
            ("modelcheck", LOWER, "F out1", "--enclosure", f"{MODELS}/survey.lmc"),
            4,
            "is in one chain and not in",
        ),
        (("modelcheck", LOWER, "F out1", "--enclosure", UPPER, "--tight"), 2, "no --tight for an enclosure"),
    ],
)
def test_wrong_questions_are_refused_in_one_line(arguments: tuple[str, ...], code: int, message: str) -> None:
    done = run_bdist(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("bdist: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


# --- enclosures --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "code", "verdict"),
    [
        ("D[eps=1/2, delta=1/100] (F out1) & D[eps=1/2, delta=1/100] (F out0)", 0, "holds"),
        ("D[eps=1/4, delta=1/100] (F out1)", 1, "is violated"),
        ("D[eps=0, delta=0.0474923218022] (F out1)", 3, "is not decided"),
    ],
)
def test_a_verdict_on_all_chains_between_two(formula: str, code: int, verdict: str, tmp_path: Path) -> None:
    out = tmp_path / "proof.json"
    enclosed = ("modelcheck", LOWER, formula, "--enclosure", UPPER, *TEAMS)
    text = answer_of(*enclosed, "--certificate", str(out), code=code)
    first = text.splitlines()[0]
    assert first.startswith("between subsampling-lower.lmc and subsampling-upper.lmc: D[eps=")
    assert first.endswith(f" {verdict}" + ("" if code == 3 else "        certified"))
    document = json.loads(answer_of(*enclosed, "--json", code=code))
    assert document["answer"] == ("holds", "violated", None, "unknown")[code]
    checked = json.loads(answer_of("check", LOWER, str(out), "--json"))
    assert checked["other"] == document["other"]
    assert set(checked["holds"]) & set(TEAM_STATES) == {
        s for s, a in document["answers"].items() if a == "holds"
    }


def test_bounds_of_a_path_formula_have_a_certificate(tmp_path: Path) -> None:
    out = str(tmp_path / "proof.json")
    enclosed = ("modelcheck", LOWER, "F out1", "--enclosure", UPPER, "--state", "rrb")
    assert "  rrb       in [0.1765921317146, 0.1765921317148]" in answer_of(*enclosed, "--certificate", out)
    bounds = json.loads(answer_of(*enclosed, "--json"))["bounds"]
    assert json.loads(answer_of("check", LOWER, out, "--json"))["probabilities"]["rrb"] == bounds["rrb"]
    done = run_checker(CHECKER, ROOT / LOWER, Path(out))
    assert done.returncode == 0
    assert "in all chains between the model and that with the fingerprint" in done.stdout

"""``bdist curve`` and ``bdist epsilon`` as a user types them."""

from __future__ import annotations

import csv
import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from bdist.cli import main
from tests.cli.runner import ROOT, document_of
from tests.cli.runner import run_bdist as bdist

TWO = "instances/dining-cryptographers/two.lmc"
GEOMETRIC = "instances/geometric/four-counts.lmc"
RESPONSE = "instances/randomised-response/one-question.lmc"
EIGHT = "instances/random/eight-states.lmc"


def run_here(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    """The exit code, without the cost of a process."""
    monkeypatch.setattr(sys, "argv", ["bdist", *arguments])
    with pytest.raises(SystemExit) as done:
        main()
    return done.value.code


def test_a_curve_as_table_csv_and_picture(tmp_path: Path) -> None:
    table, picture = tmp_path / "curve.csv", tmp_path / "curve.svg"
    files = ["--csv", str(table), "--plot", str(picture), "--log"]
    done = bdist("curve", GEOMETRIC, "count0", "count1", "--epsilon", "0..1", "--points", "7", *files)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "true delta between count0 and count1, at most by tv, at least by attacks"
    assert lines[1].split() == ["epsilon", "delta", "at", "least", "delta", "at", "most"]
    assert lines[2].split() == ["0", "0.3333333", "0.3333334"]
    assert len(lines) == 10
    assert "count0 and count1 in geometric" in picture.read_text(encoding="utf-8")
    with table.open(encoding="utf-8", newline="") as source:
        rows = list(csv.DictReader(source))
    assert list(rows[0]) == [
        "epsilon",
        "lower",
        "upper",
        "envelope_lower",
        "envelope_upper",
        "alpha_down",
        "alpha_up",
    ]
    assert len(rows) == 7
    for row in rows:
        exact_up = max(Fraction(0), (2 - Fraction(row["alpha_down"])) / 3)
        exact_down = max(Fraction(0), (2 - Fraction(row["alpha_up"])) / 3)
        assert Fraction(row["lower"]) <= exact_down <= exact_up <= Fraction(row["upper"])
        assert Fraction(row["envelope_lower"]) <= Fraction(row["envelope_upper"])


def test_a_curve_as_json() -> None:
    arguments = ["--epsilon", "1/3..1/2", "--points", "3", "--quantity", "bd", "--json"]
    document = json.loads(bdist("curve", RESPONSE, "yes", "no", *arguments).stdout)
    assert (document["pair"], document["quantity"], document["limit"]) == (["yes", "no"], "bd", None)
    points = document["points"]
    assert [points[0]["epsilon"], points[-1]["epsilon"]] == ["1/3", "1/2"]
    assert len(points) == 3
    for point in points:
        assert point["evidence"] == {"lower": "exact", "upper": "certified"}
        assert Fraction(point["upper"]) == (3 - Fraction(point["alpha_down"])) / 4
        assert Fraction(point["lower"]) == (3 - Fraction(point["alpha_up"])) / 4
        assert Fraction(point["envelope_upper"]) <= Fraction(point["upper"])
        assert Fraction(point["envelope_lower"]) >= Fraction(point["lower"])


def test_a_curve_that_runs_out_of_time() -> None:
    done = bdist("curve", EIGHT, "s0", "s3", "--epsilon", "0..1", "--time-limit", "0.001")
    assert done.returncode == 3
    assert "cut short with 1 point: time limit of 0.001 s reached" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--epsilon", "2"], "is not a range"),
        (["--epsilon", "0..x"], "--epsilon: 'x' is not a number"),
        (["--epsilon", "1..0"], "must be increasing"),
        (["--epsilon", "0..1", "--quantity", "lv"], "'lv' does not bound"),
        (["--epsilon", "0..1", "--plot", "curve.pdf"], "must end in .png or .svg"),
        (["--epsilon", "0..1", "--log"], "give --plot as well"),
        (["--epsilon", "0..1", "--points", "1"], "--points"),
        (["--epsilon", "0..1", "--time-limit", "-1"], "positive number of seconds"),
        ([], "--epsilon"),
    ],
)
def test_wrong_curves_are_refused(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_here(monkeypatch, "curve", str(ROOT / GEOMETRIC), "count0", "count1", *arguments)
    printed = capsys.readouterr()
    assert code == 2
    assert message in printed.err
    assert printed.out == ""


def test_epsilon_with_its_certificate(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = bdist("epsilon", TWO, "s0", "s1", "--delta", "7501/25000000", "--certificate", str(out))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == [
        "least epsilon(s0, s1) for delta 7501/25000000 = ln(5001/5000) = 0.000199980002666..."
        "        exact, certified from above",
        "  privacy   (ln(5001/5000), 7501/25000000)-differential privacy holds, and for no smaller epsilon",
    ]
    assert "every alpha below 5001/5000 is refuted" in done.stdout
    accepted = bdist("check", TWO, str(out))
    assert accepted.returncode == 0
    assert "tv(s0, s1) at alpha 5001/5000" in accepted.stdout


def test_epsilon_as_json() -> None:
    document = document_of(bdist("epsilon", RESPONSE, "yes", "no", "--delta", "0", "--json"))
    assert document == {
        "pair": ["yes", "no"],
        "delta": "0",
        "possible": True,
        "lower_alpha": "3",
        "upper_alpha": "3",
        "lower_epsilon": "1.09861228866",
        "upper_epsilon": "1.09861228867",
        "exact": True,
        "attack": {
            "pair": ["yes", "no"],
            "prefixes": [["start", "says-yes"]],
            "probabilities": ["3/4", "1/4"],
            "complete": True,
        },
        "refutation": None,
        "reason": None,
        "limit": None,
    }


def test_no_epsilon_at_all(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = bdist("epsilon", EIGHT, "s0", "s3", "--delta", "0.1", "--certificate", str(out))
    assert done.returncode == 0
    assert done.stdout.startswith("least epsilon(s0, s3) for delta 1/10: there is none        exact\n")
    assert "traces that begin with l0 l1 have probability 1/4 = 0.25 from s3 and 0 from s0" in done.stdout
    assert "was not written" in done.stderr
    assert not out.exists()


def test_an_unknown_epsilon_has_its_exit_code(tmp_path: Path) -> None:
    model = tmp_path / "loops.lmc"
    model.write_text("lmc\ns [a] -> 1/2 s, 1/2 e\nt [a] -> 1/3 t, 2/3 e\ne [e] -> 1 e\n", encoding="utf-8")
    done = bdist("epsilon", str(model), "s", "t", "--delta", "0")
    assert done.returncode == 3
    assert "no upper bound found; limit of alpha 2^64 reached" in done.stdout
    done = bdist("epsilon", str(model), "s", "t", "--delta", "0.01", "--tolerance", "1/2")
    assert done.returncode == 0
    assert "<= least epsilon(s, t) for delta 1/100 <=" in done.stdout
    assert "proved bracket, certified from above\n" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--delta", "2"], "must be from 0 to 1"),
        (["--delta", "-0.1"], "must be from 0 to 1"),
        (["--delta", "zero"], "--delta: 'zero' is not a number"),
        (["--delta", "0", "--tolerance", "-1"], "tolerance = -1 is negative"),
        ([], "--delta"),
    ],
)
def test_wrong_epsilons_are_refused(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_here(monkeypatch, "epsilon", str(ROOT / RESPONSE), "yes", "no", *arguments)
    assert code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("command", [["epsilon", "--delta", "0"], ["curve", "--epsilon", "0..1"]])
def test_unknown_states_are_refused(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here(monkeypatch, *command, str(ROOT / RESPONSE), "yes", "nil") == 2
    assert "nil" in capsys.readouterr().err

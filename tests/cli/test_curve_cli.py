"""``bdist curve`` and ``bdist epsilon`` as a user types them."""

from __future__ import annotations

import csv
import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from bdist.budget import Budget
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
    done = bdist("curve", GEOMETRIC, "count0", "count1", "--epsilon", "0..1", "--points", "5", *files)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "true delta between count0 and count1        exact, certified",
        "  epsilon  delta at least  delta at most  worse order",
        "  0        0.3333333       0.3333334      both",
        "  0.25     0.2386581       0.2386582      both",
        "  0.5      0.1170929       0.117093       both",
        "  0.75     0               0              both",
        "  1        0               0              both",
        "between two rows: the chord in e^epsilon is above, the tangents of --json are below",
    ]
    assert "count0 and count1 in geometric" in picture.read_text(encoding="utf-8")
    with table.open(encoding="utf-8", newline="") as source:
        rows = list(csv.DictReader(source))
    assert list(rows[0]) == [
        *("epsilon", "lower", "upper", "worse_order", "alpha_down", "alpha_up"),
        *("true_positive", "false_positive"),
    ]
    assert len(rows) == 5
    for row in rows:
        exact_up = max(Fraction(0), (2 - Fraction(row["alpha_down"])) / 3)
        exact_down = max(Fraction(0), (2 - Fraction(row["alpha_up"])) / 3)
        assert Fraction(row["lower"]) <= exact_down <= exact_up <= Fraction(row["upper"])


def test_a_curve_as_json() -> None:
    arguments = ["--epsilon", "1/3..1/2", "--points", "3", "--json"]
    document = json.loads(bdist("curve", RESPONSE, "yes", "no", *arguments).stdout)
    assert (document["pair"], document["exact"], document["limit"]) == (["yes", "no"], True, None)
    points = document["points"]
    assert [points[0]["epsilon"], points[-1]["epsilon"]] == ["1/3", "1/2"]
    assert len(points) == 3
    for point in points:
        assert point["evidence"] == {"lower": "certified", "upper": "certified"}
        assert Fraction(point["upper"]) == (3 - Fraction(point["alpha_down"])) / 4
        assert Fraction(point["lower"]) == (3 - Fraction(point["alpha_up"])) / 4
        assert (point["true_positive"], point["false_positive"]) == ("3/4", "1/4")


def test_a_curve_that_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Budget, "exhausted", lambda self: "limit of 0 looks reached")
    done = bdist("curve", EIGHT, "s0", "s3", "--epsilon", "0..1", "--points", "2")
    assert done.returncode == 3
    assert "wider than it should be: limit of 0 looks reached" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--epsilon", "2"], "is not a range"),
        (["--epsilon", "0..x"], "epsilon: 'x' is not a number"),
        (["--epsilon", "1..0"], "must be increasing"),
        (["--epsilon", "0..1", "--quantity", "bd"], "No such option"),
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
    assert done.stdout.splitlines() == [
        "least epsilon(s0, s1) for delta 7501/25000000 = ln(5001/5000) = 0.000199980002666..."
        "        exact, certified",
        "  privacy   (ln(5001/5000), 7501/25000000)-differential privacy holds, and for no smaller epsilon",
        "  attack    a test says 's0' with probability 2501/5000 = 0.5002 from s0",
        "            and with probability 2499/5000 = 0.4998 from s1",
        "            every alpha below 5001/5000 is refuted; 'bdist attack' tells what to look for",
    ]
    assert bdist("check", TWO, str(out)).returncode == 0


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
        "closed_form": "ln(3)",
        "attack": {
            "pair": ["yes", "no"],
            "true_positive": "3/4",
            "false_positive": "1/4",
            "exact": True,
        },
        "limit": None,
    }


def test_no_epsilon_at_all(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = bdist("epsilon", EIGHT, "s0", "s3", "--delta", "0.1", "--certificate", str(out))
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "least epsilon(s0, s3) for delta 1/10: there is none        exact, certified",
        "  attack    a test says 's3' with probability at least 0.25 from s3",
        "            and never from s0",
        "            every epsilon is refuted; 'bdist attack' tells what to look for",
    ]
    assert bdist("check", EIGHT, str(out)).returncode == 0


def test_an_unknown_epsilon_has_its_exit_code(tmp_path: Path) -> None:
    model = tmp_path / "loops.lmc"
    model.write_text("lmc\ns [a] -> 1/2 s, 1/2 e\nt [a] -> 1/3 t, 2/3 e\ne [e] -> 1 e\n", encoding="utf-8")
    done = bdist("epsilon", str(model), "s", "t", "--delta", "0")
    assert done.returncode == 3
    assert "no upper bound found; " in done.stdout
    done = bdist("epsilon", str(model), "s", "t", "--delta", "0.01", "--tolerance", "1/2")
    assert done.returncode == 0
    assert "<= least epsilon(s, t) for delta 1/100 <=" in done.stdout
    assert "        certified bracket\n" in done.stdout


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

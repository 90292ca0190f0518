"""``bdist profile`` as a user types it."""

from __future__ import annotations

import csv
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from bdist.traces.loss import PrivacyLoss
from tests.cli.runner import ROOT, answer_of, document_of, refusal_of
from tests.cli.runner import run_bdist as bdist

TWO = "instances/dining-cryptographers/two.lmc"
THREE = "instances/dining-cryptographers/three.lmc"
GEOMETRIC = "instances/geometric/four-counts.lmc"
RESPONSE = "instances/randomised-response/one-question.lmc"
EIGHT = "instances/random/eight-states.lmc"
RETRY = """lmc "retry"
s [try] -> 1/2 fs, 3/10 yes, 1/5 no
t [try] -> 1/2 ft, 1/5 yes, 3/10 no
fs [fail] -> 1 s
ft [fail] -> 1 t
yes [yes] -> 1 yes
no [no] -> 1 no
"""
LOPSIDED = """lmc
s [start] -> 1/2 x, 1/2 y
t [start] -> 9/10 x, 1/10 y
x [x] -> 1 x
y [y] -> 1 y
"""


def model_of(folder: Path, text: str) -> str:
    path = folder / "model.lmc"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_an_exact_profile_is_a_function_in_pieces() -> None:
    said = answer_of("profile", RESPONSE, "yes", "no", "--at", "ln 2", "--delta", "1/10", "--renyi", "2")
    lines = said.splitlines()
    assert lines[:9] == [
        "privacy profile of yes and no        exact, certified",
        "  yes over no, and no over yes",
        "    epsilon from            to                      delta =",
        "    0                       ln(3) = 1.098612288...  3/4 - e^epsilon 1/4",
        "    ln(3) = 1.098612288...  on                      0",
        "  worse             the same in both orders",
        "  total variation   1/2 = 0.5; the best guess which of the two it was is right with probability "
        "3/4 = 0.75",
        "  max divergence    ln(3) = 1.098612288..., in both orders",
        "  delta             1/4 = 0.25 at epsilon ln 2; in both orders",
    ]
    assert lines[9] == "  least epsilon     ln(13/5) = 0.955511445... for delta 1/10"
    assert lines[10] == "  Renyi             ln(7/3) = 0.847297860387... of order 2, in the worse order"
    assert lines[11].startswith("  proof             2 beliefs, checked in ")
    assert lines[12].startswith("  work              beliefs, ")


def test_orders_are_named(tmp_path: Path) -> None:
    said = answer_of("profile", model_of(tmp_path, LOPSIDED), "s", "t", "--alpha", "3/2")
    assert "  s over t\n" in said
    assert "  t over s\n" in said
    assert "1/2 - e^epsilon 1/10" in said
    assert "9/10 - e^epsilon 1/2" in said
    assert "  worse             s over t up to epsilon ln(5), the same in both orders from there on" in said
    assert "  max divergence    s over t: ln(5) = 1.609437912...; t over s: ln(9/5) = 0.5877866649..." in said
    assert "  delta             7/20 = 0.35 at alpha 3/2; s over t 0.35, t over s 0.15" in said


def test_a_profile_as_json() -> None:
    arguments = ["--alpha", "2", "--at", "0.5", "--delta", "0", "--renyi", "3", "--zcdp", "--json"]
    document = document_of(bdist("profile", RESPONSE, "yes", "no", *arguments))
    assert document["exact"] is True
    assert document["pair"] == ["yes", "no"]
    assert document["atoms"] == [
        {"ratio": "1/3", "s": "1/4", "t": "3/4"},
        {"ratio": "3", "s": "3/4", "t": "1/4"},
    ]
    half, two = document["points"]  # epsilons come first
    assert (two["alpha"], two["lower"], two["upper"]) == ("2", "1/4", "1/4")
    assert two["forward"] == {
        "lower": "1/4",
        "upper": "1/4",
        "true_positive": "3/4",
        "false_positive": "1/4",
    }
    assert half["epsilon"] == "0.5"
    assert Fraction(half["lower"]) < Fraction(half["upper"]) < Fraction(half["lower"]) + Fraction(1, 10**9)
    assert document["total_variation"]["upper"] == "1/2"
    assert document["max_divergence"]["worse"]["closed_form"] == "ln(3)"
    assert document["least_epsilon"][0]["upper_alpha"] == "3"
    assert document["renyi"][0]["moment"] == str(Fraction(3, 4) * 9 + Fraction(1, 4) * Fraction(1, 9))
    assert Fraction(document["zcdp"]["lower"]) <= Fraction(document["zcdp"]["upper"])
    assert (document["limit"], document["width"], document["runs"]) == (None, "0", 1)


@pytest.mark.parametrize(
    ("file", "delta"), [(TWO, "7501/25000000"), (THREE, "17501/50000000")], ids=["two", "three"]
)
def test_the_diners(file: str, delta: str) -> None:
    document = document_of(bdist("profile", file, "s0", "s1", "--alpha", "1.0002", "--json"))
    assert document["exact"]
    assert document["points"][0]["lower"] == document["points"][0]["upper"] == delta


def test_retry_is_exact_from_few_beliefs(tmp_path: Path) -> None:
    model = model_of(tmp_path, RETRY)
    document = document_of(bdist("profile", model, "s", "t", "--alpha", "11/10", "--json"))
    assert document["exact"]
    assert document["points"][0]["upper"] == "4/25"
    assert document["stats"]["beliefs"] <= 4


def test_an_open_profile_has_two_sides() -> None:
    done = bdist("profile", EIGHT, "s0", "s3", "--json")
    document = document_of(done)
    assert done.returncode == 3
    assert not document["exact"]
    assert "atoms" not in document
    low, high = (
        PrivacyLoss.of((atom["s"], atom["t"]) for atom in document[side])
        for side in ("optimistic", "pessimistic")
    )
    assert high.dominates(low)
    assert document["limit"]
    assert Fraction(document["width"]) > 0
    text = bdist("profile", EIGHT, "s0", "s3")
    assert text.returncode == 3
    assert "certified bracket, at most " in text.stdout.splitlines()[0]
    assert "s0 over s3: at least" in text.stdout
    wide = bdist("profile", EIGHT, "s0", "s3", "--width", "1")
    assert wide.returncode == 0


def test_points_of_an_open_profile_are_narrow_where_they_are_asked(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    arguments = ["--alpha", "21/20", "--certificate", str(out)]
    done = bdist("profile", EIGHT, "s0", "s3", *arguments)
    assert done.returncode == 0, done.stdout
    assert "proved by a certificate of their own, out-points.json" in done.stdout
    for name in ("out.json", "out-points.json"):
        assert bdist("check", EIGHT, str(tmp_path / name)).returncode == 0
    document = document_of(bdist("profile", EIGHT, "s0", "s3", "--alpha", "21/20", "--json"))
    (point,) = document["points"]
    assert Fraction(point["upper"]) - Fraction(point["lower"]) <= Fraction(1, 10**6)


def test_many_pieces_are_cut_in_text_and_whole_in_csv(tmp_path: Path) -> None:
    out = tmp_path / "pieces.csv"
    said = answer_of("profile", RESPONSE, "yes", "no", "--compose", "40", "--csv", str(out))
    assert said.startswith("privacy profile of yes and no, 40 independent runs        exact\n")
    assert re.search(r"\.\.\. [0-9]+ more, all in --json and --csv", said)
    with out.open(encoding="utf-8", newline="") as source:
        rows = [row for row in csv.DictReader(source) if row["first"] == "yes"]
    assert len(rows) == 21
    for row in rows:
        assert row["side"] == "exact"
        if row["to_alpha"] != "inf":
            alpha = Fraction(row["to_alpha"])
            assert Fraction(row["p"]) - alpha * Fraction(row["q"]) >= 0
    assert rows[0]["from_alpha"] == "1"
    assert rows[-1]["to_alpha"] == "inf"


def test_runs_compose() -> None:
    arguments = ["--compose", "2", "--alpha", "1", "--renyi", "2", "--zcdp", "--json"]
    document = document_of(bdist("profile", RESPONSE, "yes", "no", *arguments))
    assert document["runs"] == 2
    assert document["points"][0]["upper"] == "1/2"  # (9, 6, 1)/16 against (1, 6, 9)/16
    assert document["renyi"][0]["moment"] == str(Fraction(7, 3) ** 2)
    assert len(document["atoms"]) == 3


def test_several_pairs_in_one_picture(tmp_path: Path) -> None:
    picture, table, page = tmp_path / "many.svg", tmp_path / "many.csv", tmp_path / "many.html"
    more = ["--and", "count0:count2", "--and", f"{RESPONSE}:yes:no"]
    files = ["--plot", str(picture), "--csv", str(table), "--html", str(page)]
    said = answer_of("profile", GEOMETRIC, "count0", "count1", *more, *files)
    assert said.count("privacy profile of ") == 3
    drawn = picture.read_text(encoding="utf-8")
    for name in ("count0 and count1 in four-counts.lmc", "yes and no in one-question.lmc"):
        assert name in drawn
        assert name in page.read_text(encoding="utf-8")
    with table.open(encoding="utf-8", newline="") as source:
        assert len({row["pair"] for row in csv.DictReader(source)}) == 3
    document = document_of(bdist("profile", GEOMETRIC, "count0", "count1", *more, "--json"))
    assert [other["pair"] for other in document["others"]] == [["count0", "count2"], ["yes", "no"]]


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_picture_repeats_itself(tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    for path in (first, second):
        answer_of("profile", GEOMETRIC, "count0", "count1", "--plot", str(path), "--log")
    assert first.read_bytes() == second.read_bytes()


def test_no_finite_epsilon(tmp_path: Path) -> None:
    said = answer_of("profile", EIGHT, "s0", "s3", "--delta", "0.1", "--alpha", "2")
    assert "  least epsilon     there is none for delta 1/10" in said


def test_a_profile_that_runs_out_of_time() -> None:
    done = bdist("profile", EIGHT, "s0", "s3", "--time-limit", "0.001")
    assert done.returncode == 3
    assert "privacy profile of s0 and s3" in done.stdout or "time limit" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--at", "-1"], "epsilon = -1 is negative"),
        (["--alpha", "1/2"], "alpha = 1/2 is below 1"),
        (["--delta", "2"], "must be from 0 to 1"),
        (["--renyi", "1/2"], "at least 1"),
        (["--width", "-1"], "width = -1 is negative"),
        (["--compose", "0"], "--compose"),
        (["--log"], "give --plot as well"),
        (["--plot", "out.pdf"], "must end in .png or .svg"),
        (["--and", "yes"], "must be S:T or FILE:S:T"),
        (["--and", "yes:"], "must be S:T or FILE:S:T"),
        (["--and", "yes:nil"], "nil"),
        (["--and", "yes:no", "--certificate", "out.json"], "is for one pair"),
        (["--and", "yes:no"] * 8, "has room for 7"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], message: str) -> None:
    assert message in refusal_of("profile", RESPONSE, "yes", "no", *arguments, code=2)


def test_a_file_that_is_not_there() -> None:
    assert "none.lmc" in refusal_of("profile", RESPONSE, "yes", "no", "--and", "none.lmc:a:b", code=4)


def test_the_certificate_is_checked_by_everybody(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    answer_of("profile", GEOMETRIC, "count0", "count2", "--certificate", str(out))
    assert json.loads(out.read_text(encoding="utf-8"))["format"] == "bdist-profile"
    assert bdist("check", GEOMETRIC, str(out)).returncode == 0


def test_the_model_is_not_overwritten(tmp_path: Path) -> None:
    model = tmp_path / "model.lmc"
    text = (ROOT / "instances/randomised-response/one-question.lmc").read_text(encoding="utf-8")
    model.write_text(text, encoding="utf-8")
    for option in ("--csv", "--html", "--certificate"):
        done = bdist("profile", str(model), "yes", "no", option, str(model))
        assert done.returncode == 2
        assert "it is the model" in done.stderr
    assert (
        bdist("delta", str(model), "yes", "no", "--alpha", "2", "--certificate", str(model)).returncode == 2
    )
    pairs = ("--pairs", "yes:no", "--alpha", "2", "--report", str(model))
    assert bdist("audit", str(model), *pairs).returncode == 2
    assert model.read_text(encoding="utf-8") == text

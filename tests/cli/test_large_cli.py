"""Large chains on the command line: brackets, jobs, certificates with words, time that is up."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from tests.cli.runner import run_bdist as bdist

BD_ALONE = ("--alpha", "1.1", "--no-true-delta")
NINE_DIGITS = Fraction(1, 10**9)


@pytest.fixture(scope="module")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "thirty.lmc"
    parameters = ("--param", "states=30", "--param", "labels=2", "--param", "seed=5")
    assert bdist("make", "random", *parameters, "-o", str(path)).returncode == 0
    return path


def test_four_diners_are_explored_and_their_certificate_is_checked(tmp_path: Path) -> None:
    model, proof = tmp_path / "four.lmc", tmp_path / "proof.json"
    bdist("make", "dining-cryptographers", "--param", "diners=4", "-o", str(model))
    done = bdist(
        "delta", str(model), "s0", "s1", "--alpha", "1.0002", "--certificate", str(proof), "--no-true-delta"
    )
    assert done.returncode == 0
    assert "= 7351/6250000 = 0.00117616        exact, certified" in done.stdout
    assert "explore:" in done.stdout
    assert json.loads(proof.read_text())["version"] == 1
    assert bdist("check", str(model), str(proof)).returncode == 0
    document = json.loads(proof.read_text())
    proof.write_text(json.dumps(document | {"words": 0}))
    refused = bdist("check", str(model), str(proof))
    assert refused.returncode == 1
    assert "rejected at lower-f" in refused.stdout


def test_precision_gives_a_bracket_of_that_width(thirty: Path) -> None:
    exact = json.loads(bdist("delta", str(thirty), "s1", "s2", *BD_ALONE, "--json").stdout)
    for width in ("1e-9", "1/1000"):
        done = bdist("delta", str(thirty), "s1", "s2", *BD_ALONE, "--precision", width, "--json")
        assert done.returncode == 0
        bracket = json.loads(done.stdout)
        assert bracket["limit"] is None
        lower, upper = Fraction(bracket["lower"]), Fraction(bracket["upper"])
        assert lower <= Fraction(exact["lower"]) <= Fraction(exact["upper"]) <= upper
        assert upper - lower <= Fraction(width)


def test_jobs_do_not_change_the_certificate(thirty: Path, tmp_path: Path) -> None:
    texts = []
    for jobs in ("1", "2"):
        out = tmp_path / f"jobs-{jobs}.json"
        arguments = (*BD_ALONE, "--precision", "1e-9", "--jobs", jobs, "--certificate", str(out))
        assert bdist("delta", str(thirty), "s1", "s2", *arguments).returncode == 0
        texts.append(out.read_text())
    assert texts[0] == texts[1]


def test_a_table_of_brackets(thirty: Path) -> None:
    done = bdist("table", str(thirty), "--alpha", "1.1", "--precision", "1e-9", "--json")
    assert done.returncode == 0
    for entry in json.loads(done.stdout)["distances"]:
        assert Fraction(entry["upper"]) - Fraction(entry["lower"]) <= NINE_DIGITS


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--precision", "-1"), 2, "negative"),
        (("--precision", "narrow"), 2, "precision"),
        (("--precision", "1e-9", "--method", "strategy"), 2, "takes no precision"),
        (("--jobs", "0"), 2, "jobs"),
    ],
)
def test_senseless_options(thirty: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    done = bdist("delta", str(thirty), "s1", "s2", "--alpha", "1.1", *arguments)
    assert done.returncode == code
    assert message in done.stderr


def test_time_that_is_up_leaves_a_bracket(thirty: Path) -> None:
    done = bdist("delta", str(thirty), "s1", "s2", "--alpha", "1.1", "--time-limit", "0.001")
    assert done.returncode == 3
    assert "certified bracket; time limit" in done.stdout


def test_different_labels_need_no_bracket(thirty: Path) -> None:
    done = bdist("delta", str(thirty), "s0", "s1", "--alpha", "1.1", "--precision", "1e-9")
    assert done.returncode == 0
    assert "= 1        exact, certified" in done.stdout

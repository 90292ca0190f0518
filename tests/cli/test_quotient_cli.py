"""``bdist quotient`` as a user types it."""

from __future__ import annotations

import json
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

import bdist
from bdist.chains.chain import fingerprint
from tests.cli.runner import refusal_of, run_bdist

TWO = "instances/dining-cryptographers/two.lmc"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_bdist("quotient", *arguments)


def pairs_of_twins(count: int) -> str:
    """Twins x0 = y0, x1 = y1, ... with a label a pair, and two hermits."""
    twins = [f"{name}{k} [l{k}] -> 1 {name}{k}" for k in range(count) for name in "xy"]
    return "\n".join(["lmc", *twins, "hermit [h] -> 1 hermit", '"old hermit" [H] -> 1 hermit', ""])


def test_sizes_classes_and_a_file(tmp_path: Path) -> None:
    out = tmp_path / "merged.lmc"
    done = run(TWO, "-o", str(out))
    assert done.returncode == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "states: 19, and 7 after merging those that are bisimilar"
    assert "  p0.HH.0.differ = p0.TT.0.differ = p1.HT.0.differ = p1.TH.0.differ" in lines
    assert lines[-1] == f"{out}: 7 states, 4 labels"
    assert len(lines) == 6
    merged = bdist.load(out)
    assert bdist.distance(merged, "s0", "s1", alpha="1.0002").value == Fraction(7501, 25000000)
    again = run(str(out))
    assert again.stdout == "states: 7, no two of them bisimilar\n"


def test_json_has_the_classes_and_the_model(tmp_path: Path) -> None:
    out = tmp_path / "merged.lmc"
    document = json.loads(run(TWO, "--json", "-o", str(out)).stdout)
    assert document["states"] == 19
    assert document["classes"] == 7
    assert [len(members) for members in document["merged"]] == [4, 4, 4, 4]
    assert document["output"] == str(out)
    assert document["model"] == out.read_text()
    assert document["fingerprint"] == fingerprint(bdist.load(out))
    assert json.loads(run(TWO, "--json").stdout)["output"] is None


def test_twenty_classes_are_shown_and_the_rest_counted(tmp_path: Path) -> None:
    path = tmp_path / "twins.lmc"
    path.write_text(pairs_of_twins(20))
    assert run(str(path)).stdout.splitlines() == [
        "states: 42, and 22 after merging those that are bisimilar",
        *(f"  x{k} = y{k}" for k in range(20)),
    ]
    path.write_text(pairs_of_twins(25))
    lines = run(str(path)).stdout.splitlines()
    assert lines[0] == "states: 52, and 27 after merging those that are bisimilar"
    assert lines[20:] == ["  x19 = y19", "  and 5 more classes with more than one member"]
    assert len(json.loads(run(str(path), "--json").stdout)["merged"]) == 25


def test_a_long_class_is_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "one-label.lmc"
    path.write_text("\n".join(["lmc", *(f"s{i} [a] -> 1 s{(i + 1) % 10}" for i in range(10)), ""]))
    assert run(str(path)).stdout.splitlines() == [
        "states: 10, and 1 after merging those that are bisimilar",
        "  s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 2 more",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["none.lmc"], 4, "none.lmc: cannot be read"),
        ([TWO, "-o", "no/such/folder/x.lmc"], 2, "cannot write"),
        ([], 2, "Missing argument"),
    ],
)
def test_wrong_input_is_one_line_and_a_code(arguments: list[str], code: int, message: str) -> None:
    assert message in refusal_of("quotient", *arguments, code=code)

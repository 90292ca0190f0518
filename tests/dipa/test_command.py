"""``bdist dipa`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.runner import ROOT, refusal_of, run_bdist

DIPA = ROOT / "instances" / "dipa"


def test_a_private_automaton() -> None:
    done = run_bdist("dipa", str(DIPA / "sparse-vector.dipa"))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    privacy = "is private: epsilon-differentially private for every epsilon        certified"
    assert lines[0] == f"sparse-vector {privacy}"
    assert lines[1] == "  weight    1/2 at q0 -> q1  (output bot, x := insample)"
    assert lines[2] == "            1/2 at q1 -> stop  (if insample >= x, output top)"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("descending-order", "leaking cycle"),
        ("below-then-above", "leaking pair"),
        ("sparse-vector-leaking-threshold", "disclosed store"),
    ],
)
def test_a_leak_is_shown_with_numbers(name: str, kind: str) -> None:
    done = run_bdist("dipa", str(DIPA / f"{name}.dipa"), "--ratio", "20", "--json")
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert (document["answer"], document["violation"]["kind"]) == ("violated", kind)
    last = document["witnesses"][-1]
    assert float(last["ratio_at_least"]) >= 20
    for one, other in zip(*last["inputs"], strict=True):
        assert abs(eval_rational(one) - eval_rational(other)) <= 1
    text = run_bdist("dipa", str(DIPA / f"{name}.dipa"), "--ratio", "20")
    assert text.returncode == 1
    assert f"is not private for any bound: {kind}        certified" in text.stdout
    assert "ratio at least" in text.stdout


def eval_rational(text: str) -> float:
    above, _, below = text.partition("/")
    return int(above) / int(below or 1)


def test_the_certificate_is_accepted_by_the_checker(tmp_path: Path) -> None:
    for name, code in (("sparse-vector", 0), ("below-then-above", 1)):
        model, proof = str(DIPA / f"{name}.dipa"), str(tmp_path / f"{name}.json")
        done = run_bdist("dipa", model, "--certificate", proof, "--no-witness")
        assert done.returncode == code
        assert "witness" not in done.stdout
        checked = run_bdist("check", model, proof)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        other = str(DIPA / "descending-order.dipa")
        assert run_bdist("check", other, proof).returncode == 1


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", 4, "dipa"),
        ("dipa\nstate q0 [1/2]\n", 4, "initialisation: the initial state 'q0' has 0 transitions, not one"),
        (
            "dipa\nstate q0 [1/2]\nstate q1 [1]\nq0 -> q1 true / a x := insample\n"
            "q1 -> q1 insample < x / b\n",
            4,
            "reads no input",
        ),
        (
            "dipa\nstate q0 [1/2]\nstate q1 input [1]\nq0 -> q1 true / a x := insample\n"
            "q1 -> q1 insample < x / b\nq1 -> q0 insample >= x / b\n",
            4,
            "output distinction",
        ),
        (
            "dipa\nstate q0 [1/2]\nstate q1 input [1]\nq0 -> q1 true / a x := insample\n"
            "q1 -> q1 insample < x / b\nq1 -> q0 true / c\n",
            4,
            "determinacy",
        ),
    ],
)
def test_bad_files_get_one_line(tmp_path: Path, text: str, code: int, message: str) -> None:
    path = tmp_path / "bad.dipa"
    path.write_text(text, encoding="utf-8")
    assert message in refusal_of("dipa", str(path), code=code)


def test_bad_parameters() -> None:
    model = str(DIPA / "descending-order.dipa")
    assert run_bdist("dipa", model, "--epsilon", "0").returncode == 2
    assert run_bdist("dipa", model, "--ratio", "x").returncode == 2
    assert run_bdist("dipa", "none.dipa").returncode == 4
    chain = str(ROOT / "instances/figure-one/chain.lmc")
    assert run_bdist("dipa", chain).returncode == 4
    assert run_bdist("delta", model, "a", "b", "--alpha", "1").returncode == 4

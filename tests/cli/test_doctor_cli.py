"""``bdist doctor`` on this installation, and on ones with something missing, wrong or crashing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bdist.lp.batch import SWITCH, kernel_state
from tests.cli.runner import run_process

REQUIRED = ["HiGHS", "PuLP with CBC", "exact simplex", "CaDiCaL"]
OPTIONAL = ["Z3", "matplotlib"]


def examined(code: int) -> dict[str, Any]:
    done = run_process("doctor", "--json")
    assert done.stderr == ""
    assert done.returncode == code, done.stdout
    document: dict[str, Any] = json.loads(done.stdout)
    document["engines"] = {engine["name"]: engine for engine in document["engines"]}
    return document


def shadow(name: str, code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a module in front of an installed one."""
    (folder / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))


def test_everything_works_here() -> None:
    document = examined(0)
    engines = document["engines"]
    assert list(engines) == REQUIRED + OPTIONAL
    assert {engine["state"] for engine in engines.values()} == {"works"}
    assert [name for name in engines if engines[name]["required"]] == REQUIRED
    assert document["cores"] >= 1
    assert document["kernel"]["state"] == kernel_state().presence.value


def test_the_report_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "off")
    done = run_process("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("bdist ")
    assert lines[3] == f"  kernel    switched off: by {SWITCH}=off; HiGHS stands in for it"
    assert [line.split()[-1] for line in lines[5:]] == ["works"] * 6


def test_a_missing_extra_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module is broken and the package there, or else both are gone: either way the rest works."""
    shadow("z3", "raise ImportError('no z3 here')", tmp_path, monkeypatch)
    found = examined(0)["engines"]["Z3"]
    assert (found["state"], found["required"]) == ("broken", False)
    assert "pip install 'bdist[smt]'" in found["detail"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import os; os.abort()", "killed by SIGABRT"),
        ("raise RuntimeError('for another processor')", "RuntimeError: for another processor"),
    ],
)
def test_a_required_engine_that_fails_is_said(
    code: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shadow("pysat", code, tmp_path, monkeypatch)
    found = examined(5)["engines"]
    assert found["CaDiCaL"]["state"] == "broken"
    assert reason in found["CaDiCaL"]["detail"]
    assert {found[name]["state"] for name in (*REQUIRED[:-1], *OPTIONAL)} == {"works"}

"""``bdist doctor`` on this installation, and on ones with something missing, wrong or crashing."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from bdist.cli import doctor
from bdist.lp.batch import SWITCH, kernel_state
from tests.cli.runner import ROOT, run_bdist

REQUIRED = ["HiGHS", "PuLP with CBC", "exact simplex", "CaDiCaL"]
OPTIONAL = ["Z3", "matplotlib", "Storm", "UMB files", "dp_accounting", "Dask", "pandas", "Graphviz"]


def examined(code: int) -> dict[str, Any]:
    done = run_bdist("doctor", "--json")
    assert done.stderr == ""
    assert done.returncode == code, done.stdout
    document: dict[str, Any] = json.loads(done.stdout)
    document["engines"] = {engine["name"]: engine for engine in document["engines"]}
    return document


def shadow(modules: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put modules in front of installed ones; and examine no more than solvers and Graphviz."""
    few = [engine for engine in doctor.ENGINES if engine.name in (*REQUIRED, "Z3", "Graphviz")]
    monkeypatch.setattr(doctor, "ENGINES", tuple(few))
    for name, code in modules.items():
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))


def test_everything_works_here() -> None:
    document = examined(0)
    engines = document["engines"]
    assert list(engines) == REQUIRED + OPTIONAL
    there = {name for name, engine in engines.items() if engine["version"] is not None}
    there |= {"Graphviz"} if shutil.which("dot") else set()
    assert there >= set(REQUIRED)
    for name, engine in engines.items():
        assert engine["state"] == ("works" if name in there else "missing"), engine
    assert [name for name in engines if engines[name]["required"]] == REQUIRED
    assert document["cores"] >= 1
    assert document["kernel"]["state"] == kernel_state().presence.value


def test_every_extra_that_users_install_is_examined() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    told = {engine.install for engine in doctor.ENGINES}
    assert {f"pip install 'bdist[{extra}]'" for extra in extras.keys() - {"test", "docs", "release"}} <= told


def test_the_report_for_people_and_a_missing_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a kernel that is switched off nor an extra that is broken is a fault: the rest works."""
    monkeypatch.setenv(SWITCH, "off")
    shadow({"z3": "raise ImportError('no z3 here')"}, tmp_path, monkeypatch)
    monkeypatch.setattr(doctor, "dot_program", lambda: None)
    done = run_bdist("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("bdist ")
    assert lines[3] == f"  kernel    switched off: by {SWITCH}=off; HiGHS stands in for it"
    assert lines[4].startswith("  verified  checker ")
    broken, missing = (line for line in lines[6:] if not line.endswith("works"))
    assert "Z3" in broken
    assert "no z3 here; reinstall z3-solver" in broken or "pip install 'bdist[smt]'" in broken
    assert " ".join(missing.split()).startswith("Graphviz dot missing, optional: install Graphviz")
    assert len(lines[6:]) == 6


def test_required_engines_that_fail_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {"pysat": "import os; os.abort()", "pulp": "raise RuntimeError('for another processor')"}
    shadow(broken, tmp_path, monkeypatch)
    found = examined(5)["engines"]
    reasons = {
        "CaDiCaL": "killed by SIGABRT",
        "PuLP with CBC": "RuntimeError: for another processor",
    }
    for name, engine in found.items():
        assert engine["state"] == ("broken" if name in reasons else "works")
        assert reasons.get(name, "") in (engine["detail"] or "")

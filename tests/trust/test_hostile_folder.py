"""A stranger's folder: whoever looks at a model in it runs none of the code that lies beside it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bdist import processes
from bdist.budget import Budget
from bdist.chains.drawings.layout import dot_program
from bdist.errors import ParameterError
from bdist.processes import call, module_path
from bdist.queries import Backend

ROOT = Path(__file__).parents[2]
SCRIPT = Path(sys.executable).with_name("bdist")
TRAPS = (
    *("pickle.py", "ctypes.py", "tempfile.py", "json.py", "resource.py", "numpy.py", "highspy.py", "pulp.py"),
    *("sitecustomize.py", "usercustomize.py", "z3.py", "typer.py", "matplotlib.py", "distributed.py"),
    *("stormpy/__init__.py", "pysat/__init__.py", "bdist/__init__.py", "bdist/processes.py"),
)
PROGRAM = """dtmc
module coin
  x : [0..1] init 0;
  [] true -> 1/2:(x'=0) + 1/2:(x'=1);
endmodule
label "one" = x=1;
"""
CHAIN = """lmc five
s0 [l1] -> 1/6 s1, 5/6 s3
s1 [l0] -> 7/12 s0, 5/12 s3
s2 [l1] -> 1/12 s3, 11/12 s4
s3 [l0] -> 1/3 s2, 2/3 s3
s4 [l0] -> 1/12 s0, 11/12 s2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with models, and modules that leave a mark beside it when they are imported."""
    made = tmp_path / "download"
    mark = tmp_path / "marks"
    mark.mkdir()
    for trap in TRAPS:
        path = made / trap
        path.parent.mkdir(parents=True, exist_ok=True)
        name = trap.replace("/", "-")
        path.write_text(
            f"open({str(mark / name)!r}, 'w').close()\nraise ImportError('trap')\n", encoding="utf-8"
        )
    for program in ("dot", "cbc", "z3", "python", "python3"):
        path = made / program
        path.write_text(f"#!/bin/sh\ntouch '{mark}/program-{program}'\n", encoding="utf-8")
        path.chmod(0o755)
    (made / "matplotlibrc").write_text(
        "axes.facecolor: 123456\nsavefig.facecolor: 123456\n", encoding="utf-8"
    )
    shutil.copy(ROOT / "instances" / "geometric" / "four-counts.lmc", made / "four.lmc")
    (made / "five.lmc").write_text(CHAIN, encoding="utf-8")
    (made / "coin.prism").write_text(PROGRAM, encoding="utf-8")
    return made


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The installed script, as somebody types it in that folder; without a mark left behind."""
    done = subprocess.run(
        [SCRIPT, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    marks = sorted(path.name for path in (folder.parent / "marks").iterdir())
    assert marks == [], done.stderr
    assert done.returncode in (0, 1, 3), done.stderr
    return done


@pytest.mark.parametrize("backend", Backend)
def test_thresholds(folder: Path, backend: str) -> None:
    question = ("five.lmc", "s0", "s2", "--alpha", "11/10", "--theta", "1/2")
    done = run(folder, "threshold", *question, "--backend", backend)
    assert ("solver seconds" in done.stdout) == (backend in ("milp", "sat-bits", "smt"))  # a process ran


def test_helpers_of_an_audit(folder: Path) -> None:
    helpers = ("--jobs", "2", "--memory-limit", "2G")
    done = run(folder, "audit", "four.lmc", "--pairs", "count0:count1", "--epsilon", "ln 2", *helpers)
    assert "HOLDS" in done.stdout


def test_programs_through_storm(folder: Path) -> None:
    assert "2 states" in run(folder, "show", "coin.prism").stdout


def test_the_doctor(folder: Path) -> None:
    found = json.loads(run(folder, "doctor", "--json").stdout)
    assert {engine["state"] for engine in found["engines"]} == {"works"}


def test_a_benchmark(folder: Path) -> None:
    cell = ("--family", "randomised-response", "--sizes", "1", "--at", "value", "--backend", "sat-bits")
    run(folder, "bench", *cell, "--time-limit", "60")


def test_figures_do_not_follow_the_settings_of_a_folder(folder: Path) -> None:
    command = ("curve", "four.lmc", "count0", "count1", "--epsilon", "0..1", "--points", "2", "--plot")
    run(folder, *command, "here.svg")
    (folder / "matplotlibrc").unlink()
    run(folder, *command, "there.svg")
    assert (folder / "here.svg").read_bytes() == (folder / "there.svg").read_bytes()


def test_drawings_by_a_program_on_a_relative_path(folder: Path) -> None:
    """A dot of the current folder is not asked, whichever way the path of programs leads there."""
    programs = os.pathsep.join([".", "", "../download", os.environ["PATH"]])
    run(folder, "show", "four.lmc", "--draw", "out.svg", PATH=programs)


def test_no_program_on_the_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for path in (".", "", "../download"):
        monkeypatch.setenv("PATH", path)
        assert dot_program() is None


def test_the_path_of_modules_names_no_folder_that_we_only_stand_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, other, script = tmp_path / "here", tmp_path / "other", tmp_path / "script"
    for made in (here, other, script):
        made.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(script / "mine.py"), raising=False)
    passing = ["", ".", "../here", str(here), str(script), f"{script}/../here"]
    monkeypatch.setattr(sys, "path", [*passing, str(other)])
    assert module_path() == [str(other), str(ROOT)]
    monkeypatch.chdir(ROOT)  # a checkout that is not installed
    monkeypatch.setattr(sys, "path", [str(ROOT), str(other)])
    assert module_path() == [str(ROOT), str(other)]


def test_only_functions_of_bdist_are_called_in_a_process() -> None:
    with pytest.raises(ParameterError, match="'posixpath' is not a module of bdist, and is not run"):
        call(os.path.basename, "x", Budget())
    with pytest.raises(ParameterError, match="'bdistx' is not a module of bdist"):
        processes.start("bdistx", ())
    with pytest.raises(ParameterError, match="'os' is not a module of bdist"):
        processes.run_child([str(os.getppid()), "os", "getcwd", ""])


def test_a_checkout_that_is_not_installed(tmp_path: Path) -> None:
    """``python -m bdist`` beside the package: its children find it, though nothing is installed."""
    skipped = shutil.ignore_patterns("__pycache__", "kernel")
    shutil.copytree(ROOT / "bdist", tmp_path / "bdist", ignore=skipped)
    (tmp_path / "coin.prism").write_text(PROGRAM, encoding="utf-8")
    marking = f"import os; open(f'{tmp_path}/ran-{{os.getpid()}}', 'w').close()\n"
    with (tmp_path / "bdist" / "chains" / "formats" / "prism.py").open("a", encoding="utf-8") as file:
        file.write(marking)
    packages = os.pathsep.join(entry for entry in sys.path if entry.endswith("site-packages"))
    done = subprocess.run(  # without the files of site-packages, so without an installed bdist
        [sys.executable, "-S", "-m", "bdist", "show", "coin.prism"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": packages},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 states" in done.stdout
    assert len(list(tmp_path.glob("ran-*"))) == 2  # in this copy of bdist, here and in the child


def test_processes_are_started_in_one_place() -> None:
    """All but Graphviz, which is no interpreter and runs on a text of ours."""
    starting = re.compile(
        r"subprocess\.(Popen\(|run|call|check)|sys\.executable|os\.(system|popen|fork|exec|spawn)"
        r"|ProcessPoolExecutor|multiprocessing\.(Pool|Process|get_context)"
    )
    files = sorted((ROOT / "bdist").rglob("*.py"))
    found = {path.name for path in files if starting.search(path.read_text(encoding="utf-8"))}
    assert found == {"processes.py", "layout.py"}

"""The command line as a user types it.

`run_bdist` runs the whole command in this process: the arguments, what is printed on both streams and the
exit code are those of the program, and the half second that a new interpreter takes is saved some hundred
times. `run_process` starts a real process from the root of the project, for what depends on the environment
or on what is loaded; `run_signalled` starts one that gets a signal in the middle of its work, at a moment
that does not depend on the machine; `run_checker` starts the checker without bdist. Tests of the README run
its commands as they are.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from bdist import __version__
from bdist.cli import main
from bdist.report import SCHEMA

ROOT = Path(__file__).parents[2]
CHECKER = ROOT / "bdist" / "checker"


def run_bdist(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run `bdist` with arguments in this process and return its output and exit code."""
    out, err = io.StringIO(), io.StringIO()
    command = ["bdist", *arguments]
    code: object = 0
    with (
        mock.patch.object(sys, "argv", command),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        _folder(cwd),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    return subprocess.CompletedProcess(
        command, code if isinstance(code, int) else int(code is not None), out.getvalue(), err.getvalue()
    )


def answer_of(*arguments: str, code: int = 0) -> str:
    """What a command prints that ends with an exit code and has nothing to complain about."""
    done = run_bdist(*arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def refusal_of(*arguments: str, code: int) -> str:
    """The one line, or the usage, with which a command refuses what it is asked."""
    done = run_bdist(*arguments)
    assert (done.returncode, done.stdout) == (code, ""), done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    if "Usage" not in done.stderr:
        assert done.stderr.startswith("bdist: ")
        assert done.stderr.count("\n") == 1
    return done.stderr


def document_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The one JSON object that a command printed, without the versions that it must begin with."""
    document: dict[str, Any] = json.loads(done.stdout)
    assert list(document)[:2] == ["bdist", "schema"]
    assert (document.pop("bdist"), document.pop("schema")) == (__version__, SCHEMA)
    return document


def run_process(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run ``python -m bdist`` with arguments and return its output and exit code."""
    return subprocess.run(
        [sys.executable, "-m", "bdist", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def run_checker(
    folder: Path, *files: str | Path, options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run the checker that lies in a folder on a model and a certificate, with the standard library only."""
    # -W error: a warning would be a traceback, and the checker gives no cause for one
    command = [sys.executable, "-I", "-S", "-W", "error", *options, str(folder), *map(str, files)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=folder.parent, check=False)
    assert "Traceback" not in done.stderr
    return done


_SIGNALLED = """
import os, signal, sys
from bdist import budget

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it

number, moment, arguments = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
asked, exhausted = 0, budget.Budget.exhausted

def counted(self):
    global asked
    asked += 1
    if asked == moment:
        os.kill(os.getpid(), number)
    return exhausted(self)

budget.Budget.exhausted = counted
sys.argv = ["bdist", *arguments]
from bdist import __version__
from bdist.cli import main
from bdist.report import SCHEMA
main()
"""


def run_signalled(
    number: signal.Signals, moment: int, *arguments: str, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run ``bdist`` in a process that gets a signal when some budget is asked for the n-th time."""
    return subprocess.run(
        [sys.executable, "-c", _SIGNALLED, str(int(number)), str(moment), *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)

"""The command line as a user types it.

`run_bdist` runs the whole command in this process: the arguments, what is printed on both streams and the
exit code are those of the program, and the half second that a new interpreter takes is saved some hundred
times. `run_process` starts a real process from the root of the project, for what depends on the environment
or on what is loaded; tests of signals start their own, and those of the README run its commands as they are.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from bdist.cli import main

ROOT = Path(__file__).parents[2]


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


def run_process(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run ``python -m bdist`` with arguments and return its output and exit code."""
    return subprocess.run(
        [sys.executable, "-m", "bdist", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
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

"""Exit code 1 is an answer: whatever merely goes wrong ends in 70, or quietly, and says so in one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bdist.dpctl.formats import load_model
from tests.cli.runner import ROOT, run_bdist

MODEL = str(ROOT / "instances/geometric/four-counts.lmc")
BDIST = [sys.executable, "-m", "bdist"]


def break_reading(monkeypatch: pytest.MonkeyPatch, action: Callable[[], None]) -> None:
    """Let something happen while a model is read."""

    def broken(*arguments: object) -> object:
        action()
        return load_model(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("bdist.dpctl.formats.load_model", broken)


def raising(error: BaseException) -> Callable[[], None]:
    def action() -> None:
        raise error

    return action


@pytest.mark.parametrize(
    "error",
    [
        *(KeyError("x\n\u202e"), RecursionError("deep"), AssertionError(), ZeroDivisionError("by zero")),
        *(
            OSError(5, "Input/output error"),
            SystemExit(1),
            SystemExit(0),
            UnicodeDecodeError("a", b"", 0, 1, ""),
        ),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_mistake_of_ours_is_70_and_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: BaseException
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    break_reading(monkeypatch, raising(error))
    done = run_bdist("show", MODEL)
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr.count("\n") == 1
    assert "\u202e" not in done.stderr
    assert f"{type(error).__name__}: " in done.stderr
    assert "please report it with the command and the model" in done.stderr
    [saved] = tmp_path.iterdir()
    assert f"(the traceback is in {saved})" in done.stderr
    assert "Traceback" in saved.read_text(encoding="utf-8")


def test_no_memory_is_70(monkeypatch: pytest.MonkeyPatch) -> None:
    break_reading(monkeypatch, raising(MemoryError()))
    done = run_bdist("show", MODEL)
    assert (done.returncode, done.stderr.count("\n")) == (70, 1)
    assert done.stderr.startswith("bdist: out of memory; ")


def test_an_unwritable_folder_for_the_traceback_is_no_second_mistake(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    break_reading(monkeypatch, raising(KeyError("x")))
    done = run_bdist("show", MODEL)
    assert (done.returncode, done.stderr.count("\n")) == (70, 1)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_before_there_is_anything_to_answer_ends_quietly(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    number = getattr(signal, name)
    before = signal.getsignal(number)
    break_reading(monkeypatch, lambda: os.kill(os.getpid(), number))
    done = run_bdist("show", MODEL)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "bdist: interrupted\n")
    assert signal.getsignal(number) is before


def test_a_signal_that_was_ignored_stays_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    break_reading(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGHUP))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        done = run_bdist("show", MODEL)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [("show", MODEL), ("show", MODEL, "--json"), ("--help",), ("make",)])
def test_an_answer_that_cannot_be_printed_is_70(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*BDIST, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False
        )
    assert done.returncode == 70
    assert done.stderr == "bdist: cannot write to standard output: No space left on device\n"


def test_a_reader_that_has_gone_is_no_complaint() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*BDIST, "make", "figure-one"], stdout=writing, stderr=subprocess.PIPE, cwd=ROOT, check=False
        )
        alone = subprocess.run([*BDIST, "nothing"], stdout=writing, stderr=writing, cwd=ROOT, check=False)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")
    assert alone.returncode in (2, 141)


@pytest.mark.parametrize("environment", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_an_encoding_without_the_character_spells_it_out(tmp_path: Path, environment: dict[str, str]) -> None:
    path = tmp_path / "m.lmc"
    path.write_text('lmc "ε日本"\n"ε" [a] -> 1 "ε"\n', encoding="utf-8")
    done = subprocess.run(
        [*BDIST, "show", str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONCOERCECLOCALE": "0", **environment},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"\\u03b5\\u65e5\\u672c: 1 state")


def test_closed_streams_are_nobodys_file(tmp_path: Path) -> None:
    """Otherwise the first file that is opened would be standard output."""
    command = f"exec {sys.executable} -m bdist make figure-one -o {tmp_path / 'out.lmc'} <&- >&- 2>&-"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=ROOT, check=False)
    assert done.returncode == 0
    assert (tmp_path / "out.lmc").read_text(encoding="utf-8").startswith("lmc ")


def test_the_checker_alone_has_no_1_but_a_rejection(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    made = run_bdist("delta", MODEL, "count0", "count1", "--alpha", "2", "--certificate", str(path))
    assert made.returncode == 0
    alone = [sys.executable, "-I", "-S", str(ROOT / "bdist/checker"), MODEL, str(path)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(alone, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 70
    assert done.stderr == "nothing is decided: OSError: [Errno 28] No space left on device\n"

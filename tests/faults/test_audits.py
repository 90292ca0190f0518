"""Nothing lost: an audit that is hit anywhere is had again with --resume, with the same findings.

The disk is full at every write in turn, memory runs out at several places, the process kills itself at every
write, or at every table that is longer than it may live. Where it is hit is counted, never timed. A forked
child stands for a process that dies, so that the modules are imported once.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bdist.audits import findings as audit_findings
from bdist.audits.entries import TaskRunner
from bdist.audits.journal import Journal
from bdist.audits.pool import Pool
from bdist.audits.report import document
from tests.cli.runner import ROOT, run_bdist

MODEL = str(ROOT / "instances/geometric/four-counts.lmc")
REST = ("--epsilon", "1/2", "--delta", "1/10", "--jobs", "1", "--distances", "--json")
COMMAND = ("audit", MODEL, "--pairs", "count0:count1,count1:count2", *REST)
SMALL = ("audit", MODEL, "--pairs", "count0:count1", *REST)  # it has every kind of write
FILES = ("--certificates", "proofs", "--report", "report.html")
PAIRS = 2
WRITES = 30  # more than an audit has


def findings(text: str) -> object:
    """The answer and what is proved of every pair, in whatever certificate and however long it took."""
    found = json.loads(text)
    for pair in found["pairs"]:
        del pair["seconds"]
        for proof in (pair["bd"], *pair["ld"], pair["tv"]):
            assert len(proof.pop("certificate")) == 64
    return found["answer"], found["limit"], found["pairs"]


def undisturbed(command: tuple[str, ...], folder: Path) -> object:
    done = run_bdist(*command, *FILES, cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    return findings(done.stdout)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> object:
    return undisturbed(COMMAND, tmp_path_factory.mktemp("undisturbed"))


@pytest.fixture(scope="module")
def expected_of_small(tmp_path_factory: pytest.TempPathFactory) -> object:
    return undisturbed(SMALL, tmp_path_factory.mktemp("undisturbed"))


def check_all_is_had_again(folder: Path, expected: object, command: tuple[str, ...] = COMMAND) -> None:
    """Resume, or begin anew where nothing was kept; then everything is there, and nothing else."""
    resume = ("--resume",) if list(folder.glob("*.jsonl")) else ()
    done = run_bdist(*command, *FILES, *resume, cwd=folder)
    assert done.returncode == 1, done.stderr
    assert findings(done.stdout) == expected
    check_files(folder, done.stdout)
    assert list(folder.glob("*.jsonl")) == []


def check_files(folder: Path, text: str) -> None:
    proofs = [p for pair in json.loads(text)["pairs"] for p in (pair["bd"], *pair["ld"], pair["tv"])]
    names = sorted({proof["certificate"] for proof in proofs})
    checked = run_bdist("check", "proofs/model.lmc", *(f"proofs/{name}.json" for name in names), cwd=folder)
    assert checked.returncode == 0, checked.stderr
    assert (folder / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


def hit(monkeypatch: pytest.MonkeyPatch, number: int, happens: Callable[[], None]) -> Callable[[], bool]:
    """Let something happen at the n-th time that something is forced to the disk; whether it did."""
    original, calls = os.fsync, 0

    def counted(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == number:
            happens()
        original(descriptor)

    monkeypatch.setattr(os, "fsync", counted)
    return lambda: calls >= number


def disk_full() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_at_every_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected_of_small: object
) -> None:
    for number in range(1, WRITES):
        folder = tmp_path / str(number)
        folder.mkdir()
        with monkeypatch.context() as patched:
            was_hit = hit(patched, number, disk_full)
            done = run_bdist(*SMALL, *FILES, cwd=folder)
        if not was_hit():
            break
        assert done.returncode in (1, 3, 70), done.stderr
        assert list(folder.glob("**/*.tmp")) == []
        if done.returncode == 70:
            assert "No space left on device" in done.stderr
            told = json.loads(done.stdout)  # the answer is told all the same, if there is one
            assert list(told) == ["bdist", "schema", "error"] or findings(done.stdout) == expected_of_small
        if done.returncode == 1 and list(folder.glob("*.jsonl")) == []:  # it was a folder that was not synced
            assert findings(done.stdout) == expected_of_small
            check_files(folder, done.stdout)
            continue
        check_all_is_had_again(folder, expected_of_small, SMALL)
    assert 8 < number < WRITES - 1


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_is_killed_at_every_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected_of_small: object
) -> None:
    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    for number in range(1, WRITES):
        folder = tmp_path / str(number)
        folder.mkdir()
        with monkeypatch.context() as patched:
            hit(patched, number, die)
            if not died(lambda folder=folder: run_bdist(*SMALL, *FILES, cwd=folder)):  # type: ignore[misc]
                break
        check_all_is_had_again(folder, expected_of_small, SMALL)
    assert 8 < number < WRITES - 1


@pytest.mark.parametrize(
    ("owner", "name", "number"),
    [
        *((TaskRunner, "entries", number) for number in (1, 2, 4)),
        *((Journal, "append", number) for number in (1, 2)),
        *((audit_findings, "write_text", number) for number in (1, 3)),
        (document, "write_text", 1),
    ],
)
def test_no_memory_at_several_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: object, owner: Any, name: str, number: int
) -> None:
    original, calls = getattr(owner, name), 0

    def failing(*arguments: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            raise MemoryError
        return original(*arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, failing)
        done = run_bdist(*COMMAND, *FILES, cwd=tmp_path)
    assert done.returncode in (1, 3, 70), done.stderr
    assert "Traceback" not in done.stderr
    check_all_is_had_again(tmp_path, expected)


def died(work: Callable[[], object]) -> bool:
    """Do work in a child; whether it was killed."""
    child = os.fork()
    if child == 0:
        signal.alarm(300)  # should it hang
        try:
            work()
        finally:
            os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert not os.WIFSIGNALED(status) or os.WTERMSIG(status) == signal.SIGKILL
    return os.WIFSIGNALED(status)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_never_lives_for_a_long_table_gets_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: object
) -> None:
    entries = TaskRunner.entries

    def short(self: TaskRunner, task: Any, stop: Any) -> Any:
        if len(task.pairs) > 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return entries(self, task, stop)

    monkeypatch.setattr(TaskRunner, "entries", short)
    out = tmp_path / "out"

    def attempt() -> None:
        resume = ("--resume",) if (tmp_path / "j").exists() else ()
        done = run_bdist(*COMMAND, "--journal", "j", *resume, cwd=tmp_path)
        out.write_text(done.stdout, encoding="utf-8")

    deaths = 0
    while died(attempt):
        deaths += 1
        assert deaths <= 3 * PAIRS + 1, "it does not get any further"
    assert deaths > 0
    assert findings(out.read_text(encoding="utf-8")) == expected


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_gets_the_verdict_so_far_and_the_rest_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: object, name: str
) -> None:
    entries = TaskRunner.entries

    def asked_to_end(self: TaskRunner, task: Any, stop: Any) -> Any:
        if not stop.is_set():
            os.kill(os.getpid(), getattr(signal, name))
        return entries(self, task, stop)

    with monkeypatch.context() as patched:
        patched.setattr(TaskRunner, "entries", asked_to_end)
        done = run_bdist(*COMMAND, cwd=tmp_path)
    assert done.returncode in (1, 3), done.stderr
    assert json.loads(done.stdout)["limit"] == "interrupted"
    assert "stopping with what is proved so far" in done.stderr
    assert "--resume goes on with it" in done.stderr
    check_all_is_had_again(tmp_path, expected)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_second_signal_gives_up_and_leaves_nothing_running_and_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    number, scratch = getattr(signal, name), tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    start, started = Pool._start, []

    def interrupted(self: Pool) -> Any:
        helper = start(self)
        started.append(helper)
        self._helpers.append(helper)
        assert list(scratch.iterdir())
        for _ in range(2):
            os.kill(os.getpid(), number)
        raise AssertionError("the second signal did not end it")

    monkeypatch.setattr(Pool, "_start", interrupted)
    done = run_bdist(*COMMAND, "--memory-limit", "4G", cwd=tmp_path)
    assert done.returncode == 128 + number, done.stderr
    assert done.stderr.endswith("bdist: interrupted\n")
    assert list(scratch.iterdir()) == []
    [helper] = started
    assert helper.process.returncode is not None


def test_a_journal_of_another_audit_is_not_said_to_be_of_use(tmp_path: Path) -> None:
    first = run_bdist(*COMMAND, "--journal", "j", cwd=tmp_path)
    assert first.returncode == 1
    for arguments in ((*COMMAND, "--epsilon", "1", "--resume"), COMMAND):
        done = run_bdist(*arguments, "--journal", "j", cwd=tmp_path)
        assert done.returncode in (2, 4)
        assert "what is proved is kept" not in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_verdict_that_cannot_be_printed_keeps_the_journal(tmp_path: Path, monkeypatch: Any) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("bdist.cli.audit.print_report", lambda report, as_json: disk_full())
        done = run_bdist(*COMMAND, cwd=tmp_path)
    assert done.returncode == 70
    [journal] = tmp_path.glob("*.jsonl")
    assert f"what is proved is kept in {journal.name}; --resume goes on with it" in done.stderr

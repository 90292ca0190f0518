"""Helper processes for an audit: they share the work, and may die.

A helper is a fresh interpreter that is handed the runner once, then tasks one after another, and sends
entries back as they are made, then a note that the task is done, or what went wrong. Helpers are processes
and not threads because the proofs are Python, and because a process can be limited: one that holds more
memory than a pair may is asked to stop at four fifths of the limit, answers with what it has proved, and is
killed at the limit; one that overruns its time by far, deep in foreign code that does not look up, is killed
too. When a helper dies, the task that it was at is tried once more, a group of pairs one by one; a pair that
ran into its limits, or whose helper died again, stays with what was proved, and the reason is told. After a
task that took much memory a helper is replaced, since memory once taken is seldom given back.

Both sides are here: `Pool` is the auditor's, `main` and `serve` are what a helper runs.

Why not `concurrent.futures`: when one of its processes dies, all its futures fail.
"""

from __future__ import annotations

import pickle
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import IO

from bdist import processes
from bdist.audits.entries import Entry, Outcome, Task, TaskRunner, failure_of, part_of
from bdist.budget import Budget, StopSign
from bdist.errors import BdistError
from bdist.processes import held_memory, size_text

_POLL_SECONDS = 0.05
_LAST_SECONDS = 5.0  # a helper that has hung up may take to end
_GRACE_FACTOR, _GRACE_SECONDS = 3.0, 30.0  # a task may overrun its time by that before it is killed
_UNREADABLE = "its process sent a message that cannot be read"
_SOFT_SHARE = 0.8  # of the memory limit: from there on a computation is asked to come to an end
_LOOK_SECONDS = 0.05


@dataclass(frozen=True)
class Done:
    """A helper's message that its task is finished, or what went wrong with it.

    ``unreadable`` is for a message that is not one, of which this stands in its place.
    """

    failure: str | None = None
    unreadable: bool = False


@dataclass
class _Helper:
    """A process, our end of the pipe, where it complains, and what it is at."""

    process: subprocess.Popen[bytes]
    pipe: Connection
    complaints: IO[bytes]
    task: Task | None = None
    began: float = 0.0
    entries: list[Entry] = field(default_factory=list)

    def kill(self) -> None:
        processes.kill(self.process)
        self.pipe.close()
        self.complaints.close()

    def last_words(self) -> str:
        """Why it died, for a message; one that hung up and lives on is killed."""
        try:
            code = self.process.wait(_LAST_SECONDS)
        except subprocess.TimeoutExpired:
            processes.kill(self.process)
            return "its process hung up"
        if code < 0:
            return f"its process was ended by {processes.signal_name(-code)}"
        self.complaints.seek(0)
        lines = self.complaints.read().decode(errors="replace").strip().splitlines()
        return f"its process failed: {lines[-1][:200]}" if lines else f"its process ended with code {code}"


class Pool:
    """A number of helpers; use it as a context, which ends them."""

    def __init__(
        self, runner: TaskRunner, helpers: int, budget: Budget, memory_limit: int | None = None
    ) -> None:
        self._runner, self._budget, self._memory_limit = runner, budget, memory_limit
        self._helpers: list[_Helper] = []
        self._most = helpers
        self._folder = tempfile.TemporaryDirectory(prefix="bdist-audit-")
        self._runner_file = Path(self._folder.name).absolute() / "runner"

    def __enter__(self) -> Pool:
        with self._runner_file.open("wb") as file:
            pickle.dump(self._runner, file)
        return self

    def __exit__(self, *_: object) -> None:
        for helper in self._helpers:
            helper.kill()
        self._helpers.clear()
        self._folder.cleanup()

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Do tasks, in any order, and yield what comes of each; nothing more once the budget is used up."""
        waiting = deque(tasks)
        while not self._budget.exhausted() and (waiting or self._busy()):
            self._hand_out(waiting)
            ready = wait([helper.pipe for helper in self._busy()], timeout=_POLL_SECONDS)
            for helper in [h for h in self._busy() if h.pipe in ready]:
                yield from self._settled(helper, self._message(helper), waiting)
            for helper in self._busy():
                reason = self._overrun(helper)
                if reason is not None:
                    yield from self._settled(helper, Done(reason), waiting, dead=True)

    def _busy(self) -> list[_Helper]:
        return [helper for helper in self._helpers if helper.task is not None]

    def _hand_out(self, waiting: deque[Task]) -> None:
        while waiting and len(self._busy()) < self._most:
            idle = next((helper for helper in self._helpers if helper.task is None), None)
            if idle is None:
                idle = self._start()
                self._helpers.append(idle)
            idle.task, idle.began, idle.entries = waiting.popleft(), time.monotonic(), []
            try:
                idle.pipe.send(idle.task)
            except OSError:  # it died while it was idle; its message will say so
                continue

    def _start(self) -> _Helper:
        ours, theirs = Pipe()
        complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the helper
        limit = str(self._memory_limit or 0)
        process = processes.start(
            "bdist.audits.pool",
            (str(theirs.fileno()), str(self._runner_file), limit),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
            pass_fds=(theirs.fileno(),),
        )
        theirs.close()
        return _Helper(process, ours, complaints)

    def _message(self, helper: _Helper) -> Entry | Done | None:
        """The next message of a helper, or None where it is dead."""
        try:
            message = helper.pipe.recv()
        except (EOFError, OSError):
            return None
        except Exception:  # whatever a message that is no pickle, or half of one, may lead to
            message = None
        return message if isinstance(message, Entry | Done) else Done(_UNREADABLE, unreadable=True)

    def _settled(
        self, helper: _Helper, message: Entry | Done | None, waiting: deque[Task], dead: bool = False
    ) -> Iterator[Outcome]:
        """What a message settles; a task of several pairs whose helper failed goes back, pair by pair."""
        if isinstance(message, Entry):
            helper.entries.append(message)
            if helper.task is not None:
                yield part_of(helper.task, message)
            return
        task = helper.task
        helper.task = None
        failure = helper.last_words() if message is None else message.failure
        limit = self._memory_limit
        useless = message is None or message.unreadable or dead
        if useless or (limit is not None and held_memory(helper.process.pid) > limit // 2):
            helper.kill()
            self._helpers.remove(helper)
        if task is None:
            return
        if failure is not None and (len(task.pairs) > 1 or (message is None and task.attempt == 1)):
            waiting.extendleft(task.one_by_one({entry.quantity for entry in helper.entries}))
            task, failure = replace(task, pairs=()), None
        yield Outcome(task, (), failure)

    def _overrun(self, helper: _Helper) -> str | None:
        """Why a helper must be killed, if it must."""
        limit = self._memory_limit
        if limit is not None and held_memory(helper.process.pid) > limit:
            return f"memory limit of {size_text(limit)} reached"
        allowed, pairs = self._runner.time_limit, len(helper.task.pairs if helper.task else ())
        if allowed is not None:
            elapsed = time.monotonic() - helper.began
            if elapsed > allowed * pairs * _GRACE_FACTOR + _GRACE_SECONDS:
                return f"time limit of {allowed:g} s reached"
        return None


def serve(pipe: Connection, runner: TaskRunner, memory_limit: int) -> None:
    """Do tasks until the pipe is closed."""
    while True:
        try:
            task: Task = pipe.recv()
        except (EOFError, OSError):
            return
        stop = StopSign()
        finished = threading.Event()
        if memory_limit:
            if _holds_too_much(memory_limit, stop):
                pipe.send(Done(stop.reason))
                continue
            threading.Thread(target=_watch, args=(memory_limit, stop, finished), daemon=True).start()
        failure = None
        try:
            for entry in runner.entries(task, stop):
                pipe.send(entry)
        except (MemoryError, BdistError) as error:
            failure = failure_of(error)
        finished.set()
        pipe.send(Done(failure))


def _watch(limit: int, stop: StopSign, finished: threading.Event) -> None:
    """Ask a computation to come to an end before its process holds more memory than it may."""
    while not finished.wait(_LOOK_SECONDS):
        if _holds_too_much(limit, stop):
            return


def _holds_too_much(limit: int, stop: StopSign) -> bool:
    """Look once, and ask the computation to come to an end if it is time."""
    if held_memory() <= limit * _SOFT_SHARE:
        return False
    stop.reason = f"memory limit of {size_text(limit)} reached"
    stop.set()
    return True


def main(arguments: list[str]) -> None:
    """Serve over a pipe of the parent's. Requires: its handle, the file of the runner, a limit or 0."""
    handle, bench_file, memory_limit = arguments
    with Path(bench_file).open("rb") as file:
        runner: TaskRunner = pickle.load(file)  # noqa: S301 - written by our own parent
    serve(Connection(int(handle)), runner, int(memory_limit))

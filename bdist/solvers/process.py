"""Foreign solvers in a process of their own, so that they can be stopped.

A SAT solver, a branch and bound or an SMT solver may run for hours without looking up, and some cannot be
interrupted from Python at all. Each call therefore goes to a fresh interpreter: function and argument in,
result out, pickled over pipes. When the budget is used up, or the user presses Ctrl-C, the process and
whatever it started are killed; when it dies by itself (out of memory, killed by hand), the caller gets a
`BackendDied` that says so and can go on with what it has.

Why not `multiprocessing`: its spawn method imports the caller's main module again, which surprises every
script without a main guard, and its fork method duplicates a process in which solver threads may hold locks.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from bdist.budget import Budget, Stopped
from bdist.errors import BackendDied, BackendError

_POLL_SECONDS = 0.05
_WATCH_SECONDS = 0.2
_PR_SET_PDEATHSIG = 1  # Linux: a signal for this process when its parent ends

Argument = TypeVar("Argument")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Reply(Generic[Result]):
    """What a call returned and the most memory that its process held, in bytes."""

    result: Result
    peak_memory: int


def call(function: Callable[[Argument], Result], argument: Argument, budget: Budget) -> Reply[Result]:
    """Run a module-level function on a picklable argument in a process of its own.

    Raises: Stopped when the budget is used up; BackendDied where the process is killed; BackendError where
    the function raises.
    """
    name = f"{function.__module__}.{function.__qualname__}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with tempfile.TemporaryFile() as payload:
        # A file and not a pipe: what `communicate` could not write before a time-out it never writes.
        pickle.dump((function.__module__, function.__qualname__, argument), payload)
        payload.seek(0)
        process = subprocess.Popen(  # noqa: S603 - this very interpreter
            [sys.executable, "-m", "bdist.solvers.process", str(os.getpid())],
            stdin=payload,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # Ctrl-C is for us to handle, and the whole group can be killed
        )
    try:
        output, errors = _wait(process, budget)
    finally:
        _kill(process)
    if process.returncode < 0:
        raise BackendDied(f"the process of {name} was killed by {signal.Signals(-process.returncode).name}")
    if process.returncode > 0 or not output:
        last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise BackendError(f"the process of {name} failed: {last[0]}")
    reply: Reply[Result] = pickle.loads(output)  # noqa: S301 - from our own child
    return reply


def _wait(process: subprocess.Popen[bytes], budget: Budget) -> tuple[bytes, bytes]:
    while True:
        try:
            return process.communicate(timeout=_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            if budget.exhausted():
                raise Stopped from None


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def peak_memory() -> int:
    """The most memory, in bytes, that this process or one that it waited for has held.

    Not ``ru_maxrss`` of this process where it can be helped: on Linux that starts with what its starter held.
    """
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with suppress(OSError), open("/proc/self/status", encoding="ascii", errors="replace") as status:
        own = next((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), own)
    return 1024 * max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


def die_with_parent(parent: int) -> None:
    """End this process and what it started when the process that started it is gone, however it went.

    A thread looks after it. It cannot look while a solver holds the interpreter's lock, as Z3 may for many
    seconds; where the kernel offers to see to it, that is asked for too. The parent may be gone before this
    process begins, so it says who it is.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH_SECONDS)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def _serve() -> None:
    """The child's side: read one call from standard input, answer on standard output."""
    die_with_parent(int(sys.argv[1]))
    module, name, argument = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - from our own parent
    replies = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a chatty solver must not write into the reply
    function: Any = getattr(importlib.import_module(module), name)
    result = function(argument)
    peak = peak_memory()
    with os.fdopen(replies, "wb") as stream:
        # The child is __main__; the parent must find the class where it imported it from.
        reply_class = importlib.import_module("bdist.solvers.process").Reply
        pickle.dump(reply_class(result, peak), stream)


if __name__ == "__main__":
    _serve()

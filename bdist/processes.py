"""Processes that bdist starts: in one place, so that none of them runs what lies around in a folder.

A SAT solver, a branch and bound or an SMT solver may run for hours without looking up, some cannot be
interrupted from Python at all, and Storm ends its process on some programs. Each call therefore goes to a
fresh interpreter (`call`): function and argument in, result out, pickled over pipes. When the budget is used
up, or the user presses Ctrl-C, the process and whatever it started are killed; when it dies by itself (out of
memory, killed by hand), the caller gets a `BackendDied` that says so and can go on with what it has. Helpers
of an audit and the courier to a cluster live longer and speak over pipes of their own; `start` is for them.

An interpreter that is started carelessly runs strangers' code: ``python -m`` puts the current folder first on
the path of modules, and a model may lie in a folder together with a ``pickle.py``. So a child ignores the
environment's PYTHON variables and the current folder (``-E -P``), stands in the root folder, where no
stranger has put a configuration file, and is handed its path of modules by name (`module_path`): that of this
process without the current folder, without the folder of the script that was started, and without anything
relative, unless bdist itself lives there. Only modules of bdist are run, and of folders that the caller
names, as our scripts and tests do.

Why not ``-I`` alone: it forgets the user's own site-packages, where bdist or a solver may be installed. Why
not PYTHONPATH: every process further down would inherit it. Why not `multiprocessing`: its spawn method
imports the caller's main module again, which surprises every script without a main guard, and its fork method
duplicates a process in which solver threads may hold locks.

Where times are measured, starting a process and loading a solver would drown what the solver takes. A
`Worker` stays for further calls, and after `keep_processes` what is called in this process goes to workers.

How much memory a process holds or has held is asked here too, with sizes as people write them: a limit on
memory is kept by looking at the processes that work, and by killing them.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import pickle
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Generic, TypeVar

from bdist.budget import Budget, Stopped
from bdist.errors import BackendDied, BackendError, ParameterError, UnsupportedError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_POLL_SECONDS = 0.05
_WATCH_SECONDS = 0.2
_LAST_SECONDS = 5.0  # a process that has hung up may take to end
_PR_SET_PDEATHSIG = 1  # Linux: a signal for this process when its parent ends
_LONGEST_LINE = 300  # characters of what a process complained
_HOME = Path(__file__).resolve().parents[1]  # where the package lies
_NEUTRAL_FOLDER = os.sep

# What a child does first. The path goes in front of what the interpreter finds by itself, without its files.
_BEGINNING = (
    "import json, sys; given = json.loads(sys.argv[1]); "
    "sys.path[:] = given + [entry for entry in sys.path if entry not in given]; "
    "from bdist.processes import run_child; run_child(sys.argv[2:])"
)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)

Argument = TypeVar("Argument")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Reply(Generic[Result]):
    """What a call returned and the most memory that its process held, in bytes."""

    result: Result
    peak_memory: int


def call(
    function: Callable[[Argument], Result],
    argument: Argument,
    budget: Budget,
    *,
    name: str | None = None,
    folder: Path | None = None,
) -> Reply[Result]:
    """Run a module-level function of bdist on a picklable argument in a process of its own.

    ``name`` is what messages call it. A function of another package is run where ``folder`` says in which
    folder that package lies.
    Raises: Stopped when the budget is used up; BackendDied where the process is killed; BackendError where
    the function raises or the process answers with something else than a reply; ParameterError where the
    function is not one of bdist, and no folder is named.
    """
    title = name or f"{function.__module__}.{function.__qualname__}"
    if _kept is not None and folder is None:
        return _kept.setdefault(function.__module__, Worker()).call(function, argument, budget, name=title)
    with tempfile.TemporaryFile() as payload:
        # A file and not a pipe: what `communicate` could not write before a time-out it never writes.
        pickle.dump((function.__qualname__, argument), payload)
        payload.seek(0)
        process = start(
            function.__module__,
            (),
            folder=folder,
            entrance=_serve.__name__,
            stdin=payload,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    try:
        output, errors = _wait(process, budget)
    finally:
        kill(process)
    if process.returncode != 0:
        raise _failure(title, process.returncode, errors)
    return _reply(title, output)


class Worker:
    """A process that stays for one call after another; it starts with the first, and again once killed.

    ``folder`` is that of `call`.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._complaints: IO[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process that is waiting for a call, if there is one."""
        return None if self._process is None or self._process.poll() is not None else self._process.pid

    def call(
        self,
        function: Callable[[Argument], Result],
        argument: Argument,
        budget: Budget,
        *,
        name: str | None = None,
    ) -> Reply[Result]:
        """As the function `call`; the process lives on unless it must be killed."""
        title = name or f"{function.__module__}.{function.__qualname__}"
        _check_module(function.__module__, self._folder)
        if self.pid is None:
            self._start()
        try:
            answer = self._answer((function.__module__, function.__qualname__, argument), budget)
        except (EOFError, OSError):
            raise self._death(title) from None
        except BaseException:  # out of time, or something that is no answer
            self.close()
            raise
        if isinstance(answer, _Raised):
            raise BackendError(f"the process of {title} failed: {answer.text[:_LONGEST_LINE]}")
        if not isinstance(answer, Reply):
            self.close()
            raise BackendError(f"the process of {title} failed: it gave an answer that is none of ours")
        return answer

    def close(self) -> None:
        """Kill the process, if there is one, and what it has started."""
        if self._process is not None and self._pipe is not None and self._complaints is not None:
            kill(self._process)
            self._pipe.close()
            self._complaints.close()
        self._process = None

    def _start(self) -> None:
        from multiprocessing.connection import Pipe

        self.close()
        self._pipe, theirs = Pipe()
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = start(
            __name__,
            (str(theirs.fileno()), "" if self._folder is None else "another package"),
            folder=self._folder,
            entrance=answer_calls.__name__,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._complaints,
            pass_fds=(theirs.fileno(),),
        )
        theirs.close()

    def _answer(self, message: object, budget: Budget) -> object:
        assert self._pipe is not None  # noqa: S101 - it was started
        self._pipe.send(message)
        while not self._pipe.poll(_POLL_SECONDS):
            if budget.exhausted():
                raise Stopped
        return self._pipe.recv()

    def _death(self, title: str) -> BackendError:
        """Why the process is gone, which is told where it complained or by how it ended."""
        assert self._process is not None  # noqa: S101 - it was started
        assert self._complaints is not None  # noqa: S101
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_SECONDS)
        code = self._process.poll()
        self._complaints.seek(0)
        complaints = self._complaints.read()
        self.close()
        return _failure(title, -int(signal.SIGKILL) if code is None else code, complaints)


@dataclass(frozen=True)
class _Raised:
    """What a function raised in a worker, in one line."""

    text: str


_kept: dict[str, Worker] | None = None  # by the module whose functions are called


def keep_processes() -> None:
    """From now on `call`, in this process, keeps a process for each module whose functions it calls.

    For processes that measure: what is loaded once is not measured again. One thread may call.
    """
    global _kept
    _kept = {} if _kept is None else _kept


def kept_processes() -> dict[str, int]:
    """The modules that have such a process, and its number."""
    alive = {module: worker.pid for module, worker in (_kept or {}).items()}
    return {module: pid for module, pid in alive.items() if pid is not None}


def answer_calls(arguments: Sequence[str]) -> None:
    """The side of a `Worker` that answers, until the pipe is closed; it is given the number of its end."""
    from multiprocessing.connection import Connection

    number, whose = arguments
    pipe = Connection(int(number))
    while True:
        try:
            module, name, argument = pipe.recv()
        except (EOFError, OSError):
            return
        _check_module(module, whose)
        function: Any = getattr(importlib.import_module(module), name)
        _forget_peak_memory()
        try:
            answer: object = Reply(function(argument), peak_memory())
        except Exception as error:
            answer = _Raised("".join(traceback.format_exception_only(error)).strip().splitlines()[-1])
        pipe.send(answer)


def run_program(program: Path, given: bytes, budget: Budget) -> tuple[int, bytes, bytes]:
    """Run a program without arguments: its exit code, what it printed, and what it complained.

    Requires: the path is absolute, and of a program that the user has installed or built.
    Raises: Stopped when the budget is used up; BackendDied where it is killed; BackendError where it cannot
    be started.
    """
    with tempfile.TemporaryFile() as payload:
        payload.write(given)
        payload.seek(0)
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's own
                [str(program)],
                cwd=_NEUTRAL_FOLDER,
                start_new_session=True,
                stdin=payload,
                stdout=pipe,
                stderr=pipe,
            )
        except OSError as error:
            raise BackendError(f"cannot start {program}: {error.strerror or error}") from None
    try:
        output, errors = _wait(process, budget)
    finally:
        kill(process)
    if process.returncode < 0:
        raise _failure(program.name, process.returncode, errors)
    return process.returncode, output, errors


def start(
    module: str,
    arguments: Sequence[str],
    *,
    folder: Path | None = None,
    entrance: str = "main",
    **streams: Any,
) -> subprocess.Popen[bytes]:
    """Start a process that runs a module's function ``main`` on some arguments.

    It has a session to itself, so that Ctrl-C is for us to handle and the whole group can be killed. It ends
    with this process, however that ends; on Linux already with the thread that has started it. Requires:
    ``streams`` are those of `subprocess.Popen`.
    Raises: ParameterError where the module is not one of bdist, and no folder is named; BackendError where
    the system starts no process.
    """
    _check_module(module, folder)
    flags = ["-E", "-P"]
    kept = (sys.flags.no_user_site, "-s"), (sys.flags.no_site, "-S"), (sys.dont_write_bytecode, "-B")
    flags += [flag for is_set, flag in kept if is_set]
    path = [*module_path(), *([] if folder is None else [str(folder.resolve())])]
    whose = "" if folder is None else "another package"
    try:
        return subprocess.Popen(  # noqa: S603 - this very interpreter
            [
                *(sys.executable, *flags, "-c", _BEGINNING, json.dumps(path)),
                *(str(os.getpid()), module, entrance, whose, *arguments),
            ],
            cwd=_NEUTRAL_FOLDER,
            start_new_session=True,
            **streams,
        )
    except OSError as error:
        raise BackendError(f"cannot start a process of {module}: {error.strerror or error}") from None


def module_path() -> list[str]:
    """Where a child looks for modules: where we do, without folders that only happen to be looked at.

    These are the current folder, the folder of the script that was started, and what is relative to the
    current folder; the folder of bdist stays, or is added.
    """
    passing = {_resolved(os.curdir), _script_folder()}
    kept = [
        entry
        for entry in map(str, sys.path)
        if os.path.isabs(entry) and (_resolved(entry) == _HOME or _resolved(entry) not in passing)
    ]
    return kept if _HOME in map(_resolved, kept) else [*kept, str(_HOME)]


def _resolved(entry: str) -> Path | None:
    try:
        return Path(entry).resolve()
    except (OSError, ValueError):  # such as a current folder that has been removed
        return None


def _script_folder() -> Path | None:
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return None if file is None else _resolved(os.path.dirname(file) or os.curdir)


def _check_module(module: str, folder: Path | str | None) -> None:
    if not module.startswith("bdist.") and not folder:
        raise ParameterError(f"'{module}' is not a module of bdist, and is not run")


def _failure(title: str, code: int, errors: bytes) -> BackendError:
    if code < 0:
        return BackendDied(f"the process of {title} was killed by {signal_name(-code)}")
    last = errors.decode(errors="replace").strip().splitlines()[-1:] or [f"it ended with code {code}"]
    return BackendError(f"the process of {title} failed: {last[0][:_LONGEST_LINE]}")


def _reply(title: str, output: bytes) -> Reply[Any]:
    """The reply that a process has written. Raises: BackendError where it is none."""
    try:
        reply = pickle.loads(output)  # noqa: S301 - from our own child
    except Exception as error:  # whatever a text that is no pickle, or half of one, may lead to
        what = "no answer" if not output else f"an answer that cannot be read ({type(error).__name__})"
        raise BackendError(f"the process of {title} failed: it gave {what}") from None
    if not isinstance(reply, Reply):
        raise BackendError(f"the process of {title} failed: it gave an answer that is none of ours")
    return reply


def signal_name(number: int) -> str:
    """SIGKILL for 9; signals that have no name by their number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _wait(process: subprocess.Popen[bytes], budget: Budget) -> tuple[bytes, bytes]:
    while True:
        try:
            return process.communicate(timeout=_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            if budget.exhausted():
                raise Stopped from None


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process that `start` has started, and all that it has started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):  # what was not written yet is lost
                stream.close()


def peak_memory() -> int:
    """The most memory, in bytes, that this process or one that it waited for has held.

    Not ``ru_maxrss`` of this process where it can be helped: on Linux that starts with what its starter held.
    """
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with suppress(OSError), open("/proc/self/status", encoding="ascii", errors="replace") as status:
        own = next((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), own)
    return 1024 * max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


def _forget_peak_memory() -> None:
    """Let the peak of this process begin anew, where the system has that; that of its children stays."""
    with suppress(OSError), open("/proc/self/clear_refs", "w", encoding="ascii") as peaks:
        peaks.write("5")


def held_memory(process: int | str = "self") -> int:
    """The bytes of memory that a process holds now, 0 where it is gone.

    Raises: UnsupportedError on a system that does not tell.
    """
    try:
        fields = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
    except FileNotFoundError:
        if not Path("/proc/self/statm").exists():
            raise UnsupportedError("a memory limit needs /proc, which this system does not have") from None
        return 0
    except ProcessLookupError:
        return 0
    return int(fields[1]) * resource.getpagesize()


def parse_size(text: str | int) -> int:
    """Bytes from a number or a text such as 500M, 2G or 1.5GiB. Raises: ParameterError."""
    if isinstance(text, int) and not isinstance(text, bool):
        size = text
    else:
        match = _SIZE.fullmatch(str(text).strip())
        if match is None:
            raise ParameterError(f"'{str(text)[:40]}' is not a size; write bytes, or 500M, 2G, 1.5GiB")
        unit = match[2].lower()
        factor = 1024 ** "_kmgt".index(unit) if match[3] and unit else _UNITS[unit]
        size = int(float(match[1]) * factor)
    if size < 1:
        raise ParameterError(f"a size of {size} bytes; it must be positive")
    return size


def size_text(size: int) -> str:
    """A size for a message, such as 500 MB."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


def run_child(arguments: Sequence[str]) -> None:
    """The child's side: look after the parent, then do what it was started for. Raises: as `start`."""
    parent, module, entrance, whose, *rest = arguments
    _die_with_parent(int(parent))
    _check_module(module, whose)
    if entrance == _serve.__name__:
        _serve(module)
    else:
        getattr(importlib.import_module(module), entrance)(rest)


def _die_with_parent(parent: int) -> None:
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


def _serve(module: str) -> None:
    """Read one call from standard input, answer on standard output."""
    replies = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a chatty solver must not write into the reply
    name, argument = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - from our own parent
    function: Any = getattr(importlib.import_module(module), name)
    reply = Reply(function(argument), peak_memory())
    with os.fdopen(replies, "wb") as stream:
        pickle.dump(reply, stream)

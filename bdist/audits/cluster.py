"""An audit on a Dask cluster: the same tasks, on machines that come and go.

Workers run our code but not under our eyes, and the scheduler in between sees and may change everything. So
nothing that comes from a cluster is more than a text: no object is ever built from what it sends, and each
entry is a `Received` until it is checked here. What a cluster can do is to withhold, to be slow, and to send
more than memory holds. A connection can be encrypted and both sides identified by certificates (`Tls`).

Three kinds of processes take part, and this file has the side of each.

*The auditor* (`Cluster`) starts a courier and speaks JSON with it over a pipe:

    {"address", "tls", "seconds", "patience": ...}           {"connected": true} or {"refused": why}
    {"runner": in base64}                                 {"equipped": true} or {"unusable": why}
    {"number": 7, "task": in base64}                         {"number": 7, "answer": text or "trouble": why}
                                                             {"gone": why}, when there is no cluster any more

*The courier* (`Courier`, `main`) speaks with the cluster. A Dask client believes the cluster: it unpickles
types, exceptions and warnings that a worker or the scheduler sends, whatever deserialisers it was given, and
to unpickle is to run what the sender likes. So the client lives in a process that refuses every pickle which
names anything to build but texts and bytes (an audit hook at ``pickle.find_class``, the one door to functions
and classes), that accepts texts as results and nothing else, and whose streams lead nowhere. The hook is for
good and for the whole process; in the auditor's own it would forbid a user of the library his pickles. When a
worker dies, Dask gives its tasks to others; one that has brought down several is not tried again. When the
connection is lost, so is what was under way.

*A worker* (`work`) gets the runner and the tasks as bytes, which it may unpickle, since it runs our code
anyway; what comes back is one JSON text that the auditor reads as a stranger's (`read_report`), trouble
included, as an exception would travel pickled. A worker with several threads does our tasks one after
another: each uses a core fully, and the memory of two at once would be nobody's to limit.
"""

from __future__ import annotations

import asyncio
import base64
import concurrent.futures
import json
import logging
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from bdist import processes
from bdist.audits.entries import (
    LONGEST_REASON,
    Entry,
    Malformed,
    Outcome,
    Received,
    Task,
    TaskRunner,
    entry_document,
    failure_of,
    read_entry,
    read_reason,
)
from bdist.budget import Budget, StopSign
from bdist.errors import BackendError, BdistError, ParameterError, parameter
from bdist.printing import one_line

_POLL_SECONDS = 0.1
_CONNECT_SECONDS = 20
_WORKER_SECONDS = 20  # for one to come where there is none
_SCHEME = "tls://"
_LOOK_SECONDS = 0.05
_GATHER_SECONDS = 600.0  # for one answer to come over, once it is there
_MOST_ATTEMPTS = 3  # of a task whose workers died
_LONGEST_ERROR = 200  # characters

# Dask names the type of a text or of bytes that it sends by a pickle; these two build nothing else.
_HARMLESS = {("builtins", "bytes"), ("builtins", "str")}

_FAILED = "a worker of the cluster died at it, or could not run it (it needs this version of bdist)"
_NOT_TEXT = "the cluster's answer is not a text"
_NO_WORKERS = "it has no workers"
LONGEST_REPORT = 1 << 28  # characters
_MOST_ENTRIES = 10_000

_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Tls:
    """Files in PEM: who signs for the cluster, our certificate, and its key, if that is in another file."""

    ca: Path
    certificate: Path
    key: Path | None = None

    def files(self) -> dict[str, str]:
        """As Dask names them."""
        names = {"tls_ca_file": self.ca, "tls_client_cert": self.certificate}
        names["tls_client_key"] = self.key or self.certificate
        return {name: str(path.absolute()) for name, path in names.items()}


def tls_of(
    cluster: str | None, ca: str | Path | None, certificate: str | Path | None, key: str | Path | None
) -> Tls | None:
    """The files for a connection to a cluster, or None where none are named.

    Raises: ParameterError where there is no cluster, one of the files is missing, or the address is not one
    of an encrypted connection.
    """
    named = [Path(path) for path in (ca, certificate, key) if path is not None]
    if not named:
        return None
    if cluster is None:
        raise ParameterError(f"files for an encrypted connection to a cluster, but no {parameter('cluster')}")
    if ca is None or certificate is None:
        raise ParameterError(
            f"an encrypted connection to a cluster needs who signs for it ({parameter('cluster_ca')}) and a "
            f"certificate of our own ({parameter('cluster_cert')})"
        )
    if not cluster.startswith(_SCHEME):
        begins = f"for an encrypted connection the address of a cluster begins with {_SCHEME}"
        raise ParameterError(f"{begins}: '{cluster}'")
    for path in named:
        if not path.is_file():
            raise ParameterError(f"{path} is not a file")
    return Tls(Path(ca), Path(certificate), None if key is None else Path(key))


class Cluster:
    """A connection to a cluster; use it as a context, which closes it."""

    def __init__(self, address: str, runner: TaskRunner, budget: Budget, tls: Tls | None = None) -> None:
        """Raises: BackendError where Dask is not installed, nobody answers, or there are no workers."""
        self._address, self._budget = address, budget
        self._gone: str | None = None
        self._ready = False
        self._last = 0
        self._pipe, theirs = Pipe()
        self._process = processes.start(
            "bdist.audits.cluster",
            (str(theirs.fileno()),),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
        )
        theirs.close()
        try:
            files = None if tls is None else tls.files()
            limits = {"seconds": _CONNECT_SECONDS, "patience": _WORKER_SECONDS}
            self._send({"address": address, "tls": files, **limits})
            self._await("connected")
            self._send({"runner": _packed(runner)})
            self._await("equipped")
            self._ready = True
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        processes.kill(self._process)  # the scheduler then drops our tasks
        self._pipe.close()

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Do tasks, in any order, and yield what comes of each; nothing more once the budget is used up.

        Ensures: every entry is a `Received`. Where the cluster is gone, the outcomes say so.
        """
        running: dict[int, Task] = {}
        for task in tasks:
            self._submit(task, running)
        while running and not self._budget.exhausted():
            message = self._message()
            if self._gone is not None:
                yield from (Outcome(task, (), self._gone) for task in running.values())
                return
            number = None if message is None else message.get("number")
            if message is not None and number in running:
                yield from self._settled(running.pop(number), message, running)

    def _settled(self, task: Task, message: dict[str, Any], running: dict[int, Task]) -> Iterator[Outcome]:
        """What an answer settles; what is left of several pairs goes back, pair by pair."""
        if "trouble" in message:
            yield Outcome(task, (), one_line(message["trouble"]))
            return
        try:
            report = read_report(message["answer"])
        except Malformed as error:
            yield Outcome(task, (), f"the cluster's answer is none: {error}")
            return
        failure = report.failure
        if failure is not None and len(task.pairs) > 1:
            for part in task.one_by_one(report.done):
                self._submit(part, running)
            task, failure = replace(task, pairs=()), None
        yield Outcome(task, report.entries, failure)

    def _submit(self, task: Task, running: dict[int, Task]) -> None:
        self._last += 1
        running[self._last] = task
        self._send({"number": self._last, "task": _packed(task)})

    def _send(self, message: dict[str, Any]) -> None:
        if self._gone is None:
            try:
                self._pipe.send_bytes(json.dumps(message).encode("ascii"))
            except OSError:
                self._lose("the process that speaks with it ended")

    def _await(self, wanted: str) -> None:
        """Wait for a message, or until the budget is used up. Raises: BackendError where we are refused."""
        while self._gone is None and not self._budget.exhausted():
            message = self._message() or {}
            if wanted in message:
                return

    def _message(self) -> dict[str, Any] | None:
        """The next message of the courier, if one comes soon."""
        try:
            if self._gone is not None or not self._pipe.poll(_POLL_SECONDS):
                return None
            message: dict[str, Any] = json.loads(self._pipe.recv_bytes())
        except (EOFError, OSError, ValueError):
            self._lose("the process that speaks with it ended")
            return None
        if "refused" in message:
            raise BackendError(one_line(message["refused"]))
        why = message.get("gone") or message.get("unusable")
        if why is not None:
            self._lose(why)
        return message

    def _lose(self, why: str) -> None:
        """Remember that there is no cluster any more. Raises: BackendError where there never was."""
        if not self._ready:
            raise BackendError(one_line(f"the cluster at '{self._address}' cannot be used: {why}"))
        self._gone = one_line(f"the cluster at '{self._address}' is gone: {why}")


def _packed(thing: TaskRunner | Task) -> str:
    return base64.b64encode(pickle.dumps(thing)).decode("ascii")


class Refused(Exception):
    """Why there is no connection, or no work."""


class Pickled(TypeError):
    """A pickle from the cluster names something to build.

    A TypeError, which Dask takes for a thing that it cannot read and goes on.
    """


@dataclass(frozen=True)
class _Submitted:
    """A task at the cluster."""

    number: int
    packed: bytes
    attempt: int = 1


@dataclass
class Courier:
    """A client of a cluster, what the workers need, and what they are at."""

    client: Any
    pipe: Connection
    patience: float  # in seconds, for a worker to come
    runner: bytes = b""
    sent: Any = None
    running: dict[Any, _Submitted] = field(default_factory=dict)

    def serve(self) -> None:
        """Do what the auditor asks until it hangs up or the cluster is gone."""
        orders: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        # A thread reads, so that neither side waits to be read while it writes.
        threading.Thread(target=_listen, args=(self.pipe, orders), daemon=True).start()
        try:
            while _is_connected(self.client):
                with suppress(Empty):
                    while True:
                        order = orders.get(timeout=_LOOK_SECONDS)
                        if order is None:
                            return
                        self._obey(order)
                self._look()
            reason = "the connection to its scheduler is lost"
        except Exception as error:  # whatever Dask makes of a scheduler that goes or lies
            reason = _reason(error)
        self._tell({"gone": reason})

    def _obey(self, message: dict[str, Any]) -> None:
        if "runner" in message:
            self.runner = base64.b64decode(message["runner"])
            try:
                self._send_runner()
            except Refused as error:
                self._tell({"unusable": str(error)})
            else:
                self._tell({"equipped": True})
        else:
            self._submit(_Submitted(message["number"], base64.b64decode(message["task"])))

    def _send_runner(self) -> None:
        try:
            self.client.wait_for_workers(1, timeout=self.patience)
        except TimeoutError:
            raise Refused(_NO_WORKERS) from None
        self.sent = self.client.scatter(self.runner, broadcast=True, hash=False)

    def _submit(self, submitted: _Submitted) -> None:
        future = self.client.submit(work, self.sent, submitted.packed, pure=False)
        self.running[future] = submitted

    def _look(self) -> None:
        """Report what has come to an end, and give to others what was on workers that died."""
        lost = []
        for future in [future for future in self.running if future.status != "pending"]:
            finished = future.status == "finished"
            message = _fetched(self.client, future.key) if finished else {"trouble": _FAILED}
            if "trouble" in message and not _is_connected(self.client):
                return
            submitted = self.running.pop(future)
            if "answer" in message or submitted.attempt >= _MOST_ATTEMPTS:
                self._tell({"number": submitted.number, **message})
            else:
                lost.append(replace(submitted, attempt=submitted.attempt + 1))
        if lost:
            self._send_runner()  # its last copy may have been on a worker that died
        for submitted in lost:
            self._submit(submitted)

    def _tell(self, message: dict[str, Any]) -> None:
        self.pipe.send_bytes(json.dumps(message).encode("ascii"))


def _is_connected(client: Any) -> bool:
    """Whether the scheduler is there and the client listens; it stops at a message that it cannot read."""
    listening = getattr(client, "_handle_report_task", None)
    return client.status == "running" and not (listening is not None and listening.done())


def _listen(pipe: Connection, orders: SimpleQueue[dict[str, Any] | None]) -> None:
    with suppress(EOFError, OSError):
        while True:
            orders.put(json.loads(pipe.recv_bytes()))
    orders.put(None)


def _fetched(client: Any, key: str) -> dict[str, str]:
    """An answer, asked for once: `Future.result` asks for ever where a worker sends what cannot be read."""
    try:
        reply = client.sync(client.scheduler.gather, keys=[key], callback_timeout=_GATHER_SECONDS)
        result = reply["data"][key] if reply["status"] == "OK" else None
    except (Exception, asyncio.CancelledError, concurrent.futures.CancelledError):
        result = None
    if type(result) is not str or len(result) > LONGEST_REPORT:
        return {"trouble": _NOT_TEXT}
    return {"answer": result}


def connect(address: str, tls: dict[str, str] | None, seconds: float) -> Any:
    """A client that unpickles nothing, in a process that cannot any more. Raises: Refused."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise Refused("a cluster needs Dask: pip install 'bdist[cluster]'") from None
    sys.addaudithook(_refuse_pickles)
    try:
        security = None if tls is None else distributed.Security(require_encryption=True, **tls)
        return distributed.Client(
            address,
            timeout=seconds,
            security=security,
            set_as_default=False,
            deserializers=["msgpack", "error"],
        )
    except Exception as error:
        raise Refused(f"no cluster answers at '{address}': {_reason(error)}") from None


def _refuse_pickles(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "pickle.find_class" and arguments not in _HARMLESS:
        raise Pickled(f"the cluster sent a pickle with {arguments[0]}.{arguments[1]}, which is not loaded")


def _reason(error: BaseException) -> str:
    """One line of an error; those of the cluster's are pickles, and stay so."""
    if any(isinstance(argument, bytes) for argument in error.args):
        return "it sent an error that is not a text"
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0][:_LONGEST_ERROR]


def main(arguments: list[str]) -> None:
    """Serve over a pipe of the parent's. Requires: its handle."""
    logging.disable()
    pipe = Connection(int(arguments[0]))
    with suppress(EOFError, OSError):  # the auditor is gone, or will be told nothing more
        request = json.loads(pipe.recv_bytes())
        try:
            client = connect(request["address"], request["tls"], request["seconds"])
        except Refused as error:
            pipe.send_bytes(json.dumps({"refused": str(error)}).encode("ascii"))
            return
        pipe.send_bytes(json.dumps({"connected": True}).encode("ascii"))
        Courier(client, pipe, request["patience"]).serve()


@dataclass(frozen=True)
class Report:
    """What a worker says about a task: entries, which quantities it is done with, and what went wrong."""

    entries: tuple[Received, ...]
    done: frozenset[str]
    failure: str | None


def work(runner: bytes, packed: bytes) -> str:
    """On a worker: do a task with a runner, both pickled by the auditor, and report."""
    made: list[Entry] = []
    failure = None
    with _one_at_a_time:
        try:
            task: Task = pickle.loads(packed)  # noqa: S301 - from the auditor, whose code this is
            for entry in _runner(runner).entries(task, StopSign()):
                made.append(entry)  # noqa: PERF402 - what is made before a failure counts
        except (MemoryError, BdistError) as error:
            failure = failure_of(error)
        except Exception as error:  # it would travel as an object
            failure = f"a worker of the cluster failed: {type(error).__name__}: {error}"
    return json.dumps(
        {
            "entries": [entry_document(entry) for entry in made],
            "done": sorted({entry.quantity for entry in made}),
            "failure": None if failure is None else failure[:LONGEST_REASON],
        }
    )


@lru_cache(maxsize=1)
def _runner(pickled: bytes) -> TaskRunner:
    runner: TaskRunner = pickle.loads(pickled)  # noqa: S301 - from the auditor, whose code this is
    return runner


def read_report(text: str) -> Report:
    """What a worker, or whoever is in its place, has sent. Raises: Malformed."""
    if len(text) > LONGEST_REPORT:
        raise Malformed("it is too long")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise Malformed("it is not JSON, or nested too deeply") from None
    if not isinstance(document, dict):
        raise Malformed("it is not an object")
    entries, done = document.get("entries"), document.get("done")
    if not isinstance(entries, list) or len(entries) > _MOST_ENTRIES:
        raise Malformed("it has no list of entries")
    if not isinstance(done, list) or not all(isinstance(quantity, str) for quantity in done):
        raise Malformed("it does not say what is done")
    failure = read_reason(document.get("failure"), "what went wrong")
    return Report(tuple(map(read_entry, entries)), frozenset(done), failure)

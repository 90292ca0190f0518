"""An audit on a Dask cluster: the same tasks, on machines that come and go.

Workers run our code but not under our eyes, and the scheduler in between sees and may change everything. So
nothing that comes from a cluster is more than a text: a process of its own speaks with it (`courier`), no
object is ever built from what it sends, and each entry is a `Received` until it is checked here
(`recheck`). What a cluster can do is to withhold, to be slow, and to send more than memory holds.

When it is gone, the pairs that were under way keep what is proved, with that as the reason. A connection can
be encrypted and both sides identified by certificates (`Tls`).
"""

from __future__ import annotations

import base64
import json
import pickle
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Pipe
from pathlib import Path
from typing import Any

from bdist import processes
from bdist.audits.entry_text import Malformed
from bdist.audits.pool import Outcome
from bdist.audits.workbench import Task, Workbench
from bdist.audits.worker import read_report
from bdist.budget import Budget
from bdist.errors import BackendError, ParameterError
from bdist.printing import one_line

_POLL_SECONDS = 0.1
_CONNECT_SECONDS = 20
_WORKER_SECONDS = 20  # for one to come where there is none
_SCHEME = "tls://"


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
        raise ParameterError("files for an encrypted connection to a cluster, and no cluster (--cluster)")
    if ca is None or certificate is None:
        raise ParameterError(
            "an encrypted connection to a cluster needs who signs for it (--cluster-ca) and a certificate of "
            "our own (--cluster-cert)"
        )
    if not cluster.startswith(_SCHEME):
        raise ParameterError(f"with --cluster-ca the address of a cluster begins with {_SCHEME}: '{cluster}'")
    for path in named:
        if not path.is_file():
            raise ParameterError(f"{path} is not a file")
    return Tls(Path(ca), Path(certificate), None if key is None else Path(key))


class Cluster:
    """A connection to a cluster; use it as a context, which closes it."""

    def __init__(self, address: str, bench: Workbench, budget: Budget, tls: Tls | None = None) -> None:
        """Raises: BackendError where Dask is not installed, nobody answers, or there are no workers."""
        self._address, self._budget = address, budget
        self._gone: str | None = None
        self._ready = False
        self._last = 0
        self._pipe, theirs = Pipe()
        self._process = processes.start(
            "bdist.audits.courier",
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
            self.equip(bench)
            self._ready = True
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        processes.kill(self._process)  # the scheduler then drops our tasks
        self._pipe.close()

    def equip(self, bench: Workbench) -> None:
        """Work on with another workbench."""
        self._send({"luggage": _packed(bench)})
        self._await("equipped")

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


def _packed(thing: Workbench | Task) -> str:
    return base64.b64encode(pickle.dumps(thing)).decode("ascii")

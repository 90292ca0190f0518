"""The process that speaks with a Dask cluster, so that the auditor's own does not.

A Dask client believes the cluster: besides results it unpickles types, exceptions, tracebacks and warnings
that a worker or the scheduler sends, and any message may have a pickle in it, whatever deserialisers the
client was given; and it prints what a worker asks it to. To unpickle is to run what the sender likes. So the
client lives here, in a process that refuses every pickle which names anything to build but texts and bytes
(an audit hook at ``pickle.find_class``, the one door to functions and classes; what is left are numbers,
texts and their collections), that accepts texts as results and nothing else, and whose streams lead nowhere.
With the auditor it speaks JSON over a pipe:

    {"address", "tls", "seconds", "patience": ...}           {"connected": true} or {"refused": why}
    {"luggage": in base64}                                   {"equipped": true} or {"unusable": why}
    {"number": 7, "task": in base64}                         {"number": 7, "answer": text or "trouble": why}
                                                             {"gone": why}, when there is no cluster any more

The hook is for good, and for the whole process: in the auditor's own it would forbid a user of the library
his pickles. The luggage is sent to the workers once, and tasks refer to it. When a worker dies, Dask gives
its tasks to others; a task that has brought down several is not tried again. When the connection to the
scheduler is lost, everything that was under way is lost with it, and we do not wait for its return.
"""

from __future__ import annotations

import asyncio
import base64
import concurrent.futures
import json
import logging
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from typing import Any

from bdist.audits.worker import LONGEST_REPORT, work

_POLL_SECONDS = 0.05
_GATHER_SECONDS = 600.0  # for one answer to come over, once it is there
_MOST_ATTEMPTS = 3  # of a task whose workers died
_LONGEST_REASON = 200  # characters

# Dask names the type of a text or of bytes that it sends by a pickle; these two build nothing else.
_HARMLESS = {("builtins", "bytes"), ("builtins", "str")}

_FAILED = "a worker of the cluster died at it, or could not run it (it needs this version of bdist)"
_NOT_TEXT = "the cluster's answer is not a text"
_NO_WORKERS = "it has no workers"


class Refused(Exception):
    """Why there is no connection, or no work."""


class Pickled(TypeError):
    """A pickle from the cluster names something to build.

    A TypeError, which Dask takes for a thing that it cannot read and goes on.
    """


@dataclass(frozen=True)
class _Errand:
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
    luggage: bytes = b""
    sent: Any = None
    running: dict[Any, _Errand] = field(default_factory=dict)

    def serve(self) -> None:
        """Do what the auditor asks until it hangs up or the cluster is gone."""
        orders: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        # A thread reads, so that neither side waits to be read while it writes.
        threading.Thread(target=_listen, args=(self.pipe, orders), daemon=True).start()
        try:
            while _is_connected(self.client):
                with suppress(Empty):
                    while True:
                        order = orders.get(timeout=_POLL_SECONDS)
                        if order is None:
                            return
                        self._obey(order)
                self._look()
            reason = "the connection to its scheduler is lost"
        except Exception as error:  # whatever Dask makes of a scheduler that goes or lies
            reason = _reason(error)
        self._tell({"gone": reason})

    def _obey(self, message: dict[str, Any]) -> None:
        if "luggage" in message:
            self.luggage = base64.b64decode(message["luggage"])
            try:
                self._send_luggage()
            except Refused as error:
                self._tell({"unusable": str(error)})
            else:
                self._tell({"equipped": True})
        else:
            self._submit(_Errand(message["number"], base64.b64decode(message["task"])))

    def _send_luggage(self) -> None:
        try:
            self.client.wait_for_workers(1, timeout=self.patience)
        except TimeoutError:
            raise Refused(_NO_WORKERS) from None
        self.sent = self.client.scatter(self.luggage, broadcast=True, hash=False)

    def _submit(self, errand: _Errand) -> None:
        future = self.client.submit(work, self.sent, errand.packed, pure=False)
        self.running[future] = errand

    def _look(self) -> None:
        """Report what has come to an end, and give to others what was on workers that died."""
        lost = []
        for future in [future for future in self.running if future.status != "pending"]:
            finished = future.status == "finished"
            message = _fetched(self.client, future.key) if finished else {"trouble": _FAILED}
            if "trouble" in message and not _is_connected(self.client):
                return
            errand = self.running.pop(future)
            if "answer" in message or errand.attempt >= _MOST_ATTEMPTS:
                self._tell({"number": errand.number, **message})
            else:
                lost.append(replace(errand, attempt=errand.attempt + 1))
        if lost:
            self._send_luggage()  # its last copy may have been on a worker that died
        for errand in lost:
            self._submit(errand)

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
        raise Refused("--cluster needs Dask: pip install 'bdist[cluster]'") from None
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
    return lines[0][:_LONGEST_REASON]


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

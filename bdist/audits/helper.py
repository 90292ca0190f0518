"""A helper process of an audit; `pool` starts it and says what it is for.

It reads tasks from a pipe and sends back each entry as it is made, then a note that the task is done, or what
went wrong.
"""

from __future__ import annotations

import pickle
import threading
from multiprocessing.connection import Connection
from pathlib import Path

from bdist.audits.memory import held_memory, size_text
from bdist.audits.pool import Done
from bdist.audits.workbench import Task, Workbench
from bdist.budget import StopSign
from bdist.errors import BdistError

_SOFT_SHARE = 0.8  # of the memory limit: from there on a computation is asked to come to an end
_LOOK_SECONDS = 0.05


def serve(pipe: Connection, bench: Workbench, memory_limit: int) -> None:
    """Do tasks until the pipe is closed."""
    while True:
        try:
            task: Task = pipe.recv()
        except (EOFError, OSError):
            return
        stop = StopSign()
        finished = threading.Event()
        if memory_limit:
            threading.Thread(target=_watch, args=(memory_limit, stop, finished), daemon=True).start()
        failure = None
        try:
            for entry in bench.entries(task, stop):
                pipe.send(entry)
        except MemoryError:
            failure = "out of memory"
        except BdistError as error:
            failure = str(error)
        finished.set()
        pipe.send(Done(failure))


def _watch(limit: int, stop: StopSign, finished: threading.Event) -> None:
    """Ask a computation to come to an end before its process holds more memory than it may."""
    while not finished.wait(_LOOK_SECONDS):
        if held_memory() > limit * _SOFT_SHARE:
            stop.reason = f"memory limit of {size_text(limit)} reached"
            stop.set()
            return


def main(arguments: list[str]) -> None:
    """Serve over a pipe of the parent's. Requires: its handle, the file of the workbench, a limit or 0."""
    handle, luggage, memory_limit = arguments
    with Path(luggage).open("rb") as file:
        bench: Workbench = pickle.load(file)  # noqa: S301 - written by our own parent
    serve(Connection(int(handle)), bench, int(memory_limit))

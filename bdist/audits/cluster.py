"""An audit on a Dask cluster: the same tasks, on machines that come and go.

The workbench is sent to the workers once, and tasks refer to it. When a worker dies, Dask gives its tasks to
others, and the workbench along with them; a task that has brought down several workers is not tried again,
and its pairs stay with what is proved. Workers run our code but not under our eyes: what they send is checked
here before it counts (`recheck`).

A worker that runs several threads does our tasks one after another: each uses a core fully, and the memory of
two at once would be nobody's to limit.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

from bdist.audits.entries import Entry
from bdist.audits.pool import Outcome
from bdist.audits.workbench import Task, Workbench
from bdist.budget import Budget, StopSign
from bdist.errors import BackendError, BdistError

_POLL_SECONDS = 0.1
_CONNECT_SECONDS = 20
_MOST_ATTEMPTS = 3  # of a task whose workers died

_one_at_a_time = threading.Lock()


def work(bench: Workbench, task: Task) -> tuple[list[Entry], str | None]:
    """On a worker: the entries of a task, and why there are not more of them, if something went wrong."""
    made: list[Entry] = []
    with _one_at_a_time:
        try:
            for entry in bench.entries(task, StopSign()):
                made.append(entry)  # noqa: PERF402 - what is made before a failure counts
        except MemoryError:
            return made, "out of memory"
        except BdistError as error:
            return made, str(error)
    return made, None


class Cluster:
    """A connection to a cluster; use it as a context, which closes it."""

    def __init__(self, address: str, bench: Workbench, budget: Budget) -> None:
        """Raises: BackendError where Dask is not installed or nobody answers at the address."""
        self._bench, self._budget = bench, budget
        self._client = _connected(address)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def equip(self, bench: Workbench) -> None:
        """Work on with another workbench."""
        self._bench = bench

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Do tasks, in any order, and yield what comes of each; nothing more once the budget is used up."""
        from distributed import wait

        luggage = self._luggage()
        attempts = dict.fromkeys(tasks, 1)
        running = {self._submit(luggage, task): task for task in attempts}
        while running and not self._budget.exhausted():
            done = _finished(wait, list(running))
            for future in done:
                task = running.pop(future)
                reason = _trouble(future)
                if reason is None:
                    yield from self._settled(task, future.result(), running, luggage, attempts)
                elif attempts[task] >= _MOST_ATTEMPTS:
                    yield Outcome(task, (), reason)
                else:
                    attempts[task] += 1
                    luggage = self._luggage()  # its last copy may have been on the worker that died
                    running[self._submit(luggage, task)] = task
        for future in running:
            future.cancel()

    def _settled(
        self,
        task: Task,
        result: tuple[list[Entry], str | None],
        running: dict[Any, Task],
        luggage: Any,
        attempts: dict[Task, int],
    ) -> Iterator[Outcome]:
        entries, failure = result
        if failure is not None and len(task.pairs) > 1:
            for part in task.one_by_one(entries):
                attempts[part] = 1
                running[self._submit(luggage, part)] = part
            task, failure = replace(task, pairs=()), None
        yield Outcome(task, tuple(entries), failure)

    def _luggage(self) -> Any:
        try:
            return self._client.scatter(self._bench, broadcast=True, hash=False)
        except TimeoutError:
            raise BackendError("the cluster has no workers") from None

    def _submit(self, luggage: Any, task: Task) -> Any:
        return self._client.submit(work, luggage, task, pure=False)


def _connected(address: str) -> Any:
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise BackendError("--cluster needs Dask: pip install 'bdist[cluster]'") from None
    try:
        return distributed.Client(address, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError, TimeoutError) as error:
        raise BackendError(f"no cluster answers at '{address}': {str(error).splitlines()[0][:200]}") from None


def _finished(wait: Any, futures: list[Any]) -> list[Any]:
    """Those of some futures that have come to an end, after a short while at most."""
    # whatever happened, the states of the futures tell
    with suppress(TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError):
        wait(futures, timeout=_POLL_SECONDS, return_when="FIRST_COMPLETED")
    return [future for future in futures if future.status != "pending"]


def _trouble(future: Any) -> str | None:
    """Why a future has no result, if it has none."""
    if future.status == "finished":
        return None
    if future.status == "error":
        return f"a worker of the cluster failed: {str(future.exception())[:200]}"
    return f"a task on the cluster was {future.status}"

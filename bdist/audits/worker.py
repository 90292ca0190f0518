"""What a worker of a cluster does, and how its answer travels: as a text, and never as an object.

Dask would carry any object, pickled, and to unpickle is to run what the sender likes. So the workbench and
the tasks go to a worker as bytes, which it may well unpickle, since it runs our code anyway; what comes back
is one JSON text that the auditor reads as a stranger's (`read_report`). Whatever goes wrong on a worker is
part of that text: an exception would travel pickled.

A worker that runs several threads does our tasks one after another: each uses a core fully, and the memory of
two at once would be nobody's to limit.
"""

from __future__ import annotations

import json
import pickle
import threading
from dataclasses import dataclass
from functools import lru_cache

from bdist.audits.entries import Entry
from bdist.audits.entry_text import (
    LONGEST_REASON,
    Malformed,
    Received,
    entry_document,
    read_entry,
    read_reason,
)
from bdist.audits.workbench import Task, Workbench
from bdist.budget import StopSign
from bdist.errors import BdistError

LONGEST_REPORT = 1 << 28  # characters
_MOST_ENTRIES = 10_000

_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Report:
    """What a worker says about a task: entries, which quantities it is done with, and what went wrong."""

    entries: tuple[Received, ...]
    done: frozenset[str]
    failure: str | None


def work(luggage: bytes, packed: bytes) -> str:
    """On a worker: do a task at a workbench, both pickled by the auditor, and report."""
    made: list[Entry] = []
    failure = None
    with _one_at_a_time:
        try:
            task: Task = pickle.loads(packed)  # noqa: S301 - from the auditor, whose code this is
            for entry in _bench(luggage).entries(task, StopSign()):
                made.append(entry)  # noqa: PERF402 - what is made before a failure counts
        except MemoryError:
            failure = "out of memory"
        except BdistError as error:
            failure = str(error)
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
def _bench(luggage: bytes) -> Workbench:
    bench: Workbench = pickle.loads(luggage)  # noqa: S301 - from the auditor, whose code this is
    return bench


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

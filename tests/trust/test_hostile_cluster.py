"""A cluster that lies: whatever it sends, nothing of it is run here, and nothing counts that does not hold.

The scheduler and the worker live in this process, where the tests put in their place what a stranger might.
That each trap is armed is seen with a client of Dask's own, in which it snaps.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import distributed
import pytest
from distributed.core import Server
from distributed.protocol.serialize import ToPickle

from bdist import Answer, BackendError, Relation
from bdist.audits import cluster as clusters
from bdist.audits.audit import AuditSettings, run_audit
from bdist.audits.cluster import read_report
from bdist.audits.entries import Malformed, read_entry
from bdist.audits.findings import Audit
from bdist.chains.families import make_family
from bdist.distances.compute import Skew

MARKS: list[Path] = []
HONEST = clusters.work


def trap() -> tuple[Any, ...]:
    """What leaves a mark in whichever process unpickles it."""
    return exec, (f"import os; open(f'{MARKS[0]}/{{os.getpid()}}', 'w').close()",)


class Bomb:
    """An object that runs code where it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return trap()


@pytest.fixture
def marks(tmp_path: Path) -> Iterator[Path]:
    MARKS[:] = [tmp_path]
    yield tmp_path
    MARKS.clear()


def elsewhere(marks: Path) -> list[str]:
    """The processes other than this one, where the worker and the scheduler are, that left a mark."""
    return [path.name for path in marks.iterdir() if path.name != str(os.getpid())]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        dashboard_address=":0",
        silence_logs=60,
    ) as made:
        yield made


def audited(address: str, warnings: list[str] | None = None) -> Audit:
    chain = make_family("randomised-response", {})
    settings = AuditSettings(cluster=address, warn=None if warnings is None else warnings.append)
    return run_audit(chain, Relation((("yes", "no"),)), Skew.of("2", None), Fraction(0), settings)


def an_object(runner: bytes, packed: bytes) -> Any:
    return Bomb()


def an_object_inside(runner: bytes, packed: bytes) -> Any:
    return [HONEST(runner, packed), Bomb()]


def an_exception(runner: bytes, packed: bytes) -> Any:
    raise RuntimeError(Bomb())


def a_warning(runner: bytes, packed: bytes) -> Any:
    distributed.get_worker().log_event("warn", {"message": pickle.dumps(Bomb())})
    return HONEST(runner, packed)


def a_lie(runner: bytes, packed: bytes) -> str:
    document = json.loads(HONEST(runner, packed))
    for entry in document["entries"]:
        certificate = json.loads(entry["certificate"])
        certificate["claim"] = {"atoms": [["1", "1"]]}
        entry["certificate"] = json.dumps(certificate)
    return json.dumps(document)


EVILS = (an_object, an_object_inside, an_exception, a_warning)


@pytest.mark.parametrize("evil", EVILS)
@pytest.mark.filterwarnings("ignore")
def test_objects_that_run_code_are_not_built(
    evil: Callable[[bytes, bytes], Any], cluster: Any, marks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "work", evil)
    found = audited(cluster.scheduler_address)
    assert elsewhere(marks) == []
    assert (found.answer is Answer.UNKNOWN) == (evil is not a_warning)


def test_the_traps_are_armed(cluster: Any, marks: Path) -> None:
    """A client of Dask's own, in a process of its own, runs the code of each."""
    code = f"""
import contextlib, distributed, os, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
import tests.trust.test_hostile_cluster as tests
client = distributed.Client({cluster.scheduler_address!r})
for evil in tests.EVILS:
    with contextlib.suppress(Exception):
        client.submit(evil, b"", b"", pure=False).exception()
        client.submit(evil, b"", b"", pure=False).result()
    os.rename(f"{marks}/{{os.getpid()}}", f"{marks}/{{evil.__name__}}")
"""
    command = [sys.executable, "-W", "ignore", "-c", code]
    subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert sorted(elsewhere(marks)) == sorted(evil.__name__ for evil in EVILS)


def test_a_scheduler_that_sends_pickles(marks: Path) -> None:
    """In the first message already, where Dask unpickles whatever deserialisers a client was given."""
    with scheduler_that_sends_a_bomb() as address, pytest.raises(BackendError, match="no cluster answers at"):
        audited(address)
    assert elsewhere(marks) == []


class scheduler_that_sends_a_bomb:  # noqa: N801 - used as a function
    """A server in a thread that answers the question who it is with an object."""

    def __enter__(self) -> str:
        self._ready, self._end = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        assert self._ready.wait(60)
        return self._address

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    async def _serve(self) -> None:
        server: Any = Server({"identity": self._identity})  # type: ignore[no-untyped-call]
        await server.listen("tcp://127.0.0.1:0")
        self._address = str(server.address)
        self._ready.set()
        while not self._end.is_set():
            await asyncio.sleep(0.02)
        await server.close()

    def _identity(self, **_: object) -> dict[str, object]:
        return {"type": "Scheduler", "workers": {}, "bomb": ToPickle(Bomb())}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("[" * 100_000, "the cluster's answer is none: it is not JSON, or nested too deeply"),
        ('{"entries": [], "done": [], "failure": "\\u001b[2Jgone"}', "\\x1b[2Jgone"),
    ],
)
def test_texts_that_are_no_answers(
    answer: str, reason: str, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "work", lambda runner, packed: answer)
    found = audited(cluster.scheduler_address)
    assert found.answer is Answer.UNKNOWN
    assert found.findings[0].reason == reason


def test_a_certificate_of_another_claim_does_not_count(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "work", a_lie)
    warnings: list[str] = []
    chain = make_family("randomised-response", {})
    settings = AuditSettings(cluster=cluster.scheduler_address, warn=warnings.append)
    found = run_audit(chain, Relation((("yes", "no"),)), Skew.of("3/2", None), Fraction(0), settings)
    assert found.answer is Answer.UNKNOWN
    assert found.findings[0].reason == "the cluster's answer did not withstand its check"
    assert warnings
    assert all("does not hold: " in warning for warning in warnings)


def test_what_is_read_back_steers_no_terminal() -> None:
    document = {"certificate": "", "attack": None, "limit": "\x1b[2J", "allowed": None, "seconds": 0}
    assert read_entry(document).limit == "\\x1b[2J"
    with pytest.raises(Malformed, match="the entry's limit is not a text"):
        read_entry({**document, "limit": "x" * 1001})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "it is not JSON, or nested too deeply"),
        ("[]", "it is not an object"),
        ('{"entries": 1}', "it has no list of entries"),
        ('{"entries": [], "done": [1]}', "it does not say what is done"),
    ],
)
def test_texts_that_are_no_reports(text: str, complaint: str) -> None:
    with pytest.raises(Malformed, match=complaint):
        read_report(text)


def test_a_report_that_is_too_long_is_not_read() -> None:
    with pytest.raises(Malformed, match="it is too long"):
        read_report(LongText())


class LongText(str):
    """A text that says it is too long."""

    def __len__(self) -> int:
        return clusters.LONGEST_REPORT + 1


def test_what_goes_wrong_on_a_worker_is_part_of_its_text() -> None:
    report = read_report(clusters.work(b"no pickle", b"nor this"))
    assert report.entries == ()
    assert report.failure is not None
    assert report.failure.startswith("a worker of the cluster failed: ")

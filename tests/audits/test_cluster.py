"""An audit on a real Dask cluster of separate worker processes, one of which is killed while it works."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any

import pytest

from bdist import Answer, BackendError, LabelledMarkovChain, Relation
from bdist.audits import audit as auditing
from bdist.audits import cluster as clusters
from bdist.audits.audit import AuditSettings, run_audit
from bdist.audits.findings import Audit
from bdist.chains.families import make_family
from bdist.distances.compute import Skew

SKEW = Skew.of("1001/1000", None)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = import_module("distributed")
    made = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=60
    )
    with made:
        yield made


@pytest.fixture(autouse=True)
def one_task_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "ONE_TABLE", 0)
    monkeypatch.setattr(auditing, "GROUP", 1)


def subject() -> tuple[LabelledMarkovChain, Relation]:
    chain = make_family("dining-cryptographers", {"diners": "3", "bias": "49/100"})
    return chain, Relation.with_label(chain, chain.labels[0])


def facts(found: Audit) -> list[object]:
    return [
        (f.pair, f.answer, f.delta, f.attack and f.attack.document(), [(p.lower, p.upper) for p in f.proofs])
        for f in found.findings
    ]


def test_a_cluster_finds_the_same_although_a_worker_is_killed(cluster: Any) -> None:
    chain, relation = subject()
    alone = run_audit(chain, relation, SKEW, Fraction(0), AuditSettings(jobs=1, distances=True))
    workers = [worker.pid for worker in cluster.workers.values()]
    assert len(set(workers)) == 2
    assert os.getpid() not in workers
    begun = threading.Event()
    killed: list[int] = []

    def murder() -> None:
        begun.wait(30)
        os.kill(workers[0], signal.SIGKILL)
        killed.append(workers[0])

    killer = threading.Thread(target=murder)
    killer.start()
    steps: list[int] = []

    def watch(progress: auditing.Progress) -> None:
        steps.append(progress.done)
        if progress.done > 0:
            begun.set()

    settings = AuditSettings(cluster=cluster.scheduler_address, watcher=watch, distances=True)
    found = run_audit(chain, relation, SKEW, Fraction(0), settings)
    begun.set()
    killer.join()
    assert killed == workers[:1]
    assert facts(found) == facts(alone)
    assert steps[-1] == 3 * len(relation)


@pytest.mark.parametrize("distances", [False, True])
def test_what_a_cluster_says_is_checked_here(
    cluster: Any, monkeypatch: pytest.MonkeyPatch, distances: bool
) -> None:
    chain, relation = subject()
    run = clusters.Cluster.run

    def lying(self: Any, tasks: Any) -> Any:
        for outcome in run(self, tasks):
            entries = []
            for entry in outcome.entries:
                document = json.loads(entry.certificate)
                for claim in document.get("claims", ()):
                    claim["lower"] = claim["upper"] = "0"
                if "claim" in document:
                    document["claim"] = {"atoms": [["1", "1"]]}
                entries.append(replace(entry, certificate=json.dumps(document)))
            yield replace(outcome, entries=tuple(entries))

    monkeypatch.setattr(clusters.Cluster, "run", lying)
    warnings: list[str] = []
    settings = AuditSettings(cluster=cluster.scheduler_address, warn=warnings.append, distances=distances)
    pairs = Relation(relation.pairs[:1])
    found = run_audit(chain, pairs, SKEW, Fraction(0), settings)
    assert found.answer is Answer.UNKNOWN
    assert found.findings[0].reason == "the cluster's answer did not withstand its check"
    assert len(warnings) == (4 if distances else 2)  # with few beliefs, with many, bd, ld
    assert all("does not hold: " in warning for warning in warnings)


def test_nobody_at_the_address_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "_CONNECT_SECONDS", 0.5)
    chain, relation = subject()
    with pytest.raises(BackendError, match=r"no cluster answers at 'tcp://127\.0\.0\.1:9'") as caught:
        run_audit(chain, relation, SKEW, Fraction(0), AuditSettings(cluster="tcp://127.0.0.1:9"))
    assert "\n" not in str(caught.value)


def test_without_dask_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(clusters, "import_module", missing)
    with pytest.raises(clusters.Refused, match=r"pip install 'bdist\[cluster\]'"):
        clusters.connect("tcp://127.0.0.1:9", None, 1)

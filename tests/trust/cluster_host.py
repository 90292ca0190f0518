"""A scheduler and one worker in a process: plain, encrypted, or one that ends in the middle of an audit."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import distributed

from bdist.audits import cluster as clusters

HONEST = clusters.work
CALLS: list[int] = []
JOURNAL: list[Path] = []


def work_once(runner: bytes, packed: bytes) -> str:
    """Do one task; at the second, end the process once the answer to the first is in the journal."""
    CALLS.append(1)
    if len(CALLS) > 1:
        while JOURNAL[0].read_bytes().count(b"\n") < 2:
            time.sleep(0.01)
        os._exit(1)
    return HONEST(runner, packed)


def main(arguments: list[str]) -> None:
    """Arguments: a journal to end after, or an empty text; the files of an encrypted connection, if any."""
    journal, *files = arguments
    if journal:
        JOURNAL.append(Path(journal))
        clusters.work = work_once
    security = None
    if files:
        ca, certificate, key = files
        own = {f"tls_{name}_cert": certificate for name in ("scheduler", "worker", "client")}
        own |= {f"tls_{name}_key": key for name in ("scheduler", "worker", "client")}
        security = distributed.Security(require_encryption=True, tls_ca_file=ca, **own)  # type: ignore[no-untyped-call]
    made = distributed.LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tls://" if files else "tcp://",
        security=security,
        dashboard_address=":0",
        silence_logs=60,
    )
    sys.stdout.write(f"{made.scheduler_address}\n")
    sys.stdout.flush()
    sys.stdin.read()

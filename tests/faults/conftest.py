"""Whoever runs the tests may ignore SIGHUP, as nohup does, and bdist goes on ignoring it; not here."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="package")
def _signals_are_not_ignored() -> Iterator[None]:
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)

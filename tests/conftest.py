"""Hypothesis searches afresh on a developer's machine and repeats itself in CI; no test is short of time.

A time limit of a command also ends its check and, a little later, the command itself, wherever it is. On a
loaded machine that could come before the answer that a test waits for; so in this process they have ten
minutes more. Tests of these two take their time away again. Nor do commands say that they are still at work,
here or in processes that tests start.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from bdist import budget
from bdist.cli import limits, ticker

settings.register_profile("ci", derandomize=True, print_blob=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "search")

PATIENCE = 600.0  # seconds


@pytest.fixture(autouse=True, scope="session")
def _patience() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget, "_LATE_SECONDS", PATIENCE)
        patch.setattr(limits, "_LATE_SECONDS", PATIENCE)
        patch.setenv(ticker.SWITCH, "off")
        yield

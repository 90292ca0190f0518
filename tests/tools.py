"""Programs and packages that only some tests need.

A machine without them skips those tests and says why; where BDIST_REQUIRE_EVERYTHING=1 is set, as in CI, a
missing one is a failure, so that nothing is ever skipped quietly.
"""

from __future__ import annotations

import os
import shutil

import pytest


def program(name: str) -> str:
    """Where a program is; skips or fails the test where it is not."""
    found = shutil.which(name)
    if found is None:
        missing(f"{name} is not on the path")
    assert found is not None
    return found


def missing(what: str) -> None:
    """Skip or fail the test, for something that is not there."""
    if os.environ.get("BDIST_REQUIRE_EVERYTHING") == "1":
        pytest.fail(f"{what}, and BDIST_REQUIRE_EVERYTHING=1 demands it")
    pytest.skip(what)

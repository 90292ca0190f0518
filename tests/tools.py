"""What only some tests need: programs, packages, a clock that does not depend on the machine, refusals.

A machine without them skips those tests and says why; where BDIST_REQUIRE_EVERYTHING=1 is set, as in CI, a
missing one is a failure, so that nothing is ever skipped quietly.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import pytest

from bdist.budget import Budget
from bdist.errors import BdistError


class Asks(Budget):
    """A budget that is used up once it has been asked some times, however fast the machine is."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.asked, self._most = 0, most

    def exhausted(self) -> str | None:
        """Why to stop, or None; this is a question."""
        self.asked += 1
        return f"limit of {self._most} questions reached" if self.asked > self._most else super().exhausted()


def refusal_by(
    read: Callable[[], object], kind: type[BdistError], source: str, line: int = 0, column: int = 0
) -> str:
    """What a reader says about what it refuses: one line, and here without the place that it begins with."""
    with pytest.raises(kind) as caught:
        read()
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 1300
    place = ":".join([source, *(str(number) for number in (line, column) if number)]) + ": "
    assert message.startswith(place), message
    return message.removeprefix(place)


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

"""Calls into processes of their own: large arguments, failures, limits, and no orphans."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from bdist.budget import Budget, Stopped
from bdist.errors import BackendDied, BackendError
from bdist.processes import call

HERE = Path(__file__).parent


def total(numbers: list[int]) -> int:
    return sum(numbers)


def fail(message: str) -> None:
    raise ValueError(message)


def kill_self(signal_number: int) -> None:
    os.kill(os.getpid(), signal_number)


def chatter(text: str) -> str:
    print(text)  # noqa: T201 - what a solver might do
    return text


def test_arguments_larger_than_a_pipe() -> None:
    numbers = list(range(500_000))
    reply = call(total, numbers, Budget(), folder=HERE)
    assert reply.result == sum(numbers)
    assert reply.peak_memory > 0


def test_a_failure_is_told() -> None:
    with pytest.raises(BackendError, match="ValueError: no such luck"):
        call(fail, "no such luck", Budget(), folder=HERE)


def test_a_death_is_told() -> None:
    with pytest.raises(BackendDied, match="killed by SIGKILL"):
        call(kill_self, 9, Budget(), folder=HERE)


def test_what_it_prints_does_not_disturb_the_reply() -> None:
    assert call(chatter, "c SAT solver", Budget(), folder=HERE).result == "c SAT solver"


def test_a_used_up_budget_stops_it() -> None:
    with pytest.raises(Stopped):
        call(time.sleep, 60, Budget(0.5), folder=HERE)

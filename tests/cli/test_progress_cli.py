"""Long work says so without a terminal: when, and with what; and short work says nothing."""

from __future__ import annotations

import threading
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from bdist.chains.formats import load
from bdist.cli import ticker
from bdist.cli.terminal import progress, status_line
from bdist.cli.ticker import Ticker
from bdist.distances.run import Progress
from tests.cli.runner import run_bdist

FIGURE = "instances/figure-one/chain.lmc"


def test_lines_come_at_distances_that_grow() -> None:
    now = 100.0
    quiet = Ticker(lambda: now)
    said = {}
    while now < 100 + 3600:
        now += 1
        line = quiet.line()
        if line is not None:
            said[now - 100] = line
    assert list(said) == [10, 30, 70, 150, 310, 630, 1230, 1830, 2430, 3030]
    assert said[70] == "at work for 0:01:10"
    quiet.has_bar, now = True, 9000.0
    assert quiet.line() is None


def test_what_a_command_knows_is_in_the_line() -> None:
    now = 0.0
    with mock.patch.object(ticker._Current, "ticker", Ticker(lambda: now)):
        with progress() as show:
            assert show is not None
            show(Progress("exploring", 2, 3, 12, Fraction(0), Fraction(1)))
            now = 10.0
            line = ticker.current().line()
        now = 60.0
        assert line == "at work for 0:00:10: round 2, exploring, 3 of 12, 0 <= bd <= 1"
        with status_line(lambda rich: ()) as update:
            assert update is not None
            update("audit", tally="2 hold", left="")
            assert ticker.current().line() == "at work for 0:01:00: audit, 2 hold"
        now = 300.0
        assert ticker.current().line() == "at work for 0:05:00"


def test_a_line_is_on_standard_error_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is not read before the line is due, however long that takes."""
    due = threading.Event()
    line = Ticker.line

    def told(self: Ticker) -> str | None:
        found = line(self)
        if found is not None:
            due.set()
        return found

    def slow(*arguments: Any) -> Any:
        assert due.wait(600)
        return load(Path(FIGURE))

    monkeypatch.delenv(ticker.SWITCH)
    monkeypatch.setattr(ticker, "FIRST", 0.001)
    monkeypatch.setattr(ticker, "GROWTH", 1.0)
    monkeypatch.setattr(Ticker, "line", told)
    with mock.patch("bdist.cli.models.load", slow):
        done = run_bdist("table", FIGURE, "--alpha", "1")
    assert done.returncode == 0
    assert done.stderr.startswith("bdist: at work for 0:00:00\n")
    assert done.stdout == run_bdist("table", FIGURE, "--alpha", "1").stdout

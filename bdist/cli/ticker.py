"""A plain line on standard error now and then, so that long work does not look like a command that hangs.

Most long runs are not watched: they write to a log, in a CI, on a machine far away. A bar that steers a
terminal is of no use there, and a line a second fills the log. So a line comes after ten seconds, and then
at distances that double, up to ten minutes: a run of an hour has twelve. Each says how long the command has
been at work, and, where it knows, with what. On a terminal the same lines come where there is no bar.

The lines come from a thread that sleeps in between, because much of what takes long (a solver, Storm, a
check) asks nobody whether it should say something. ``BDIST_PROGRESS=off`` in the environment turns them off.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

SWITCH = "BDIST_PROGRESS"
FIRST, GROWTH, LONGEST = 10.0, 2.0, 600.0  # seconds to the first line, how distances grow, and up to what


class Ticker:
    """When a line is due, and what it says."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._distance = FIRST
        self._due = self._began + FIRST
        self.doing = ""
        self.has_bar = False

    def left(self) -> float:
        """Seconds until a line is due."""
        return max(0.0, self._due - self._clock())

    def line(self) -> str | None:
        """The line that is due now, if one is, and a bar does not say it already."""
        now = self._clock()
        if now < self._due:
            return None
        self._distance = min(GROWTH * self._distance, LONGEST)
        self._due = now + self._distance
        at_work = f"at work for {timedelta(seconds=int(now - self._began))}"
        return None if self.has_bar else ": ".join(filter(None, (at_work, self.doing)))


class _Current:
    ticker = Ticker()


def current() -> Ticker:
    """The ticker of the command that runs."""
    return _Current.ticker


@contextmanager
def ticker_running(tell: Callable[[str], None]) -> Iterator[None]:
    """Around a command: lines are told as they become due."""
    ticker, ended = Ticker(), threading.Event()
    _Current.ticker = ticker
    if os.environ.get(SWITCH) == "off":
        yield
        return

    def run() -> None:
        while not ended.wait(ticker.left()):
            line = ticker.line()
            if line is not None:
                tell(line)

    thread = threading.Thread(target=run, name="ticker", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()

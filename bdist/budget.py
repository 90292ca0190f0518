"""When a computation must stop.

A computation may be stopped at any time, by its time limit or from outside, and still owes an answer. So
whatever may take long asks its budget between small steps, and work that cannot ask (a foreign solver) runs
in a process of its own that is ended when the budget is used up.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field


class Stopped(Exception):
    """The budget is used up.

    Never seen outside the package: drivers catch it and answer with what is proved.
    """


class StopSign(threading.Event):
    """Set from another thread or a signal handler to stop a computation; ``reason`` says why."""

    reason = "interrupted"


@dataclass
class Budget:
    """When to stop: after some seconds, or when ``stop`` is set."""

    seconds: float | None = None
    stop: StopSign = field(default_factory=StopSign)
    _start: float = field(default_factory=time.monotonic)

    def elapsed(self) -> float:
        """Seconds since the budget was made."""
        return time.monotonic() - self._start

    def exhausted(self) -> str | None:
        """Why to stop, or None."""
        if self.stop.is_set():
            return self.stop.reason
        if self.seconds is not None and self.elapsed() >= self.seconds:
            return f"time limit of {self.seconds:g} s reached"
        return None

    def remaining(self) -> float | None:
        """Seconds that are left, at least 0; None where there is no limit."""
        return None if self.seconds is None else max(0.0, self.seconds - self.elapsed())

    def check(self) -> None:
        """Raise Stopped if the budget is used up."""
        if self.exhausted():
            raise Stopped

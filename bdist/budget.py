"""When a computation must stop.

A computation may be stopped at any time, by its time limit or from outside, and still owes an answer. So
whatever may take long asks its budget between small steps, and work that cannot ask (a foreign solver) runs
in a process of its own that is ended when the budget is used up.

An answer is worth what its check is worth, and the check takes time too. The search therefore ends before the
limit (`Budget.for_answer`), and what the check may then take is bounded as well: a check that is not done
shortly after the limit is given up (`Budget.overdue`), and the answer is told as not certified. A fifth of
the time for the check is a compromise. Proofs take from a tenth to as much as the search that found them; a
larger share would cut more searches short than it saves checks.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from bdist.errors import ParameterError

CHECK_SHARE = 0.2  # of a time limit is kept for the check of the answer
_LATE_FACTOR, _LATE_SECONDS = 1.1, 0.5  # a check may end so much after the limit


class Stopped(Exception):
    """The budget is used up.

    Never seen outside the package: drivers catch it and answer with what is proved.
    """


class Unchecked(Stopped):
    """There is an answer, and the check of its certificate did not end in time."""

    def __init__(self) -> None:
        super().__init__("the check of the proof did not end in time")


class StopSign(threading.Event):
    """Set from another thread or a signal handler to stop a computation; ``reason`` says why.

    ``deadline`` is the moment, by the monotonic clock, at which a check in progress is given up, too.
    """

    reason = "interrupted"
    deadline: float | None = None


@dataclass
class Budget:
    """When to stop: after some seconds, less a reserve for the check, or when ``stop`` is set.

    ``memory`` is what the user allows the check, in bytes, where that is more than the checker takes by
    itself.
    """

    seconds: float | None = None
    stop: StopSign = field(default_factory=StopSign)
    reserve: float = 0.0
    start: float = field(default_factory=time.monotonic)
    memory: int | None = None

    @classmethod
    def for_answer(
        cls, seconds: float | None, stop: StopSign | None = None, start: float | None = None
    ) -> Budget:
        """The budget of an answer and its check, which may have begun earlier. Raises: ParameterError."""
        if seconds is not None and not 0 < seconds < float("inf"):
            raise ParameterError(f"a time limit of {seconds:g} s; it must be a positive number of seconds")
        reserve = CHECK_SHARE * (seconds or 0.0)
        return cls(seconds, stop or StopSign(), reserve, time.monotonic() if start is None else start)

    def elapsed(self) -> float:
        """Seconds since the budget began."""
        return time.monotonic() - self.start

    def exhausted(self) -> str | None:
        """Why to stop, or None."""
        if self.stop.is_set():
            return self.stop.reason
        if self.seconds is not None and self.elapsed() >= self.seconds - self.reserve:
            return f"time limit of {self.seconds:g} s reached"
        return None

    def remaining(self) -> float | None:
        """Seconds that are left for the search, at least 0; None where there is no limit."""
        return None if self.seconds is None else max(0.0, self.seconds - self.reserve - self.elapsed())

    def check(self) -> None:
        """Raise Stopped if the budget is used up."""
        if self.exhausted():
            raise Stopped

    def overdue(self) -> bool:
        """Whether even a check that is under way must end."""
        if self.stop.deadline is not None and time.monotonic() >= self.stop.deadline:
            return True
        return self.seconds is not None and self.elapsed() >= lateness(self.seconds)


def lateness(seconds: float) -> float:
    """When, in seconds from the start, everything under a time limit has ended."""
    return _LATE_FACTOR * seconds + _LATE_SECONDS

"""Ctrl-C, SIGTERM and SIGHUP: asked to end, a command gives what it has.

A cluster's scheduler sends SIGTERM before it takes a machine away, a terminal that is closed sends SIGHUP,
and both deserve what Ctrl-C gets: the bracket or the verdict so far, and temporary folders and helper
processes gone. While a budget is under way, the first signal sets its stop sign and the second one gives up.
At any other time (a model is being read, an answer printed) a signal raises `Interrupted`, a
KeyboardInterrupt, so that everything is tidied up on the way out; the exit code is 128 and the number of the
signal, as a shell has it.

A signal that was ignored when the command started stays ignored: that is what nohup does with SIGHUP.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # not every system has all of them


class Interrupted(KeyboardInterrupt):
    """A signal asked the command to end."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)


def give_up(number: int) -> None:
    """Raises: Interrupted."""
    raise Interrupted(number)


@contextmanager
def handled(handler: Callable[[int], None]) -> Iterator[None]:
    """Call a function with the number of each signal that comes meanwhile and was not ignored before."""
    if threading.current_thread() is not threading.main_thread():  # which alone may say so
        yield
        return

    def on_signal(number: int, frame: FrameType | None) -> None:
        handler(number)

    before = {number: signal.getsignal(number) for number in SIGNALS}
    ours = [number for number, then in before.items() if then not in (signal.SIG_IGN, None)]
    try:
        for number in ours:
            signal.signal(number, on_signal)
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])

"""What the long studies share: the command that was typed, and Ctrl-C, which stores what is done."""

from __future__ import annotations

import shlex
import signal
import sys
from types import FrameType

from bdist.budget import StopSign


def typed_command(script: str) -> str:
    """What was typed, without where the script or its output are."""
    typed = sys.argv[1:]
    kept = [
        x for k, x in enumerate(typed) if not x.startswith("--output") and typed[k - 1 : k] != ["--output"]
    ]
    return shlex.join(["python", f"scripts/{script}", *kept])


def stop_on_interrupt() -> StopSign:
    """What Ctrl-C sets; a second one ends the program."""
    stop = StopSign()

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    signal.signal(signal.SIGINT, on_interrupt)
    return stop

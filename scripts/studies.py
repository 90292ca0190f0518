"""What the long studies share: the command that was typed, and Ctrl-C, which stores what is done."""

from __future__ import annotations

import shlex
import signal
import sys
from pathlib import Path
from types import FrameType

from bdist.budget import StopSign

_FOLDERS = ("--models", "--baseline")  # options that may name one


def typed_command(script: str) -> str:
    """What was typed, without where the script, its output or what it reads are."""
    typed = [part for token in sys.argv[1:] for part in token.split("=", 1 if token.startswith("--") else 0)]
    kept = []
    for before, token in zip(["", *typed], typed, strict=False):
        if "--output" not in (before, token):
            kept.append("FOLDER" if before in _FOLDERS and Path(token).is_dir() else token)
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

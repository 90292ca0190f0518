"""Standard output and standard error of a command: nothing steers a terminal, and no loss is silent.

While a command runs, both streams are wrapped. What is written is spelled out where it must be
(`bdist.printing`), whoever wrote it and whatever name was forgotten on the way; a reporter that formats names
itself keeps them short and on one line, this is the last resort. A character that the encoding of the stream
does not have is spelled out, too, rather than an error. The wrapper hides the bytes below, which typer would
otherwise write to on its own where it takes an encoding for a mistake.

A stream that fails is told apart: a pipe whose reader has gone (``| head``) is no mistake of anybody and ends
the command quietly; a full disk loses the answer, and that is said and has its own exit code. Python flushes
both streams again when it exits, and complains in its own words; a stream that has failed is led to
``/dev/null`` before that.

A descriptor of the three that is closed when the command starts is opened on ``/dev/null``: otherwise the
first file that is opened, a journal, would be standard output.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO, cast

from bdist.errors import OutputError
from bdist.printing import lines

_SAFE = frozenset({"encoding", "errors", "closed", "isatty", "fileno", "writable"})


class _Guarded:
    """A text stream that spells out what it is given."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self.stream, self._name = stream, name

    def __getattr__(self, name: str) -> object:
        if name not in _SAFE:  # above all not ``buffer``, the bytes below
            raise AttributeError(name)
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        with self._delivered():
            self.stream.write(lines(text))
        return len(text)

    def writelines(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.write(text)

    def flush(self) -> None:
        with self._delivered():
            self.stream.flush()

    @contextmanager
    def _delivered(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(f"cannot write to {self._name}: {error.strerror or error}") from None


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Both streams wrapped, as long as a command runs."""
    _open_closed_descriptors()
    before = sys.stdout, sys.stderr
    try:
        sys.stdout = _guard(before[0], "standard output")
        sys.stderr = _guard(before[1], "standard error")
        yield
    finally:
        sys.stdout, sys.stderr = before


def bare(stream: TextIO) -> TextIO:
    """The stream below a wrapped one, for a progress bar, which steers the terminal and prints no names."""
    return stream.stream if isinstance(stream, _Guarded) else stream


def complain(message: str) -> None:
    """A line on standard error, if anybody can be told at all."""
    with suppress(OSError, OutputError, ValueError):
        sys.stderr.write(f"bdist: {message}\n")
        sys.stderr.flush()


def silence() -> None:
    """Lead the streams that cannot be written to into nothing, so that Python does not try again."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except (OSError, OutputError, ValueError):
            with suppress(OSError, ValueError):
                nothing = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nothing, stream.fileno())
                os.close(nothing)


def _guard(stream: TextIO | None, name: str) -> TextIO:
    if stream is None:
        return cast("TextIO", None)
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    return cast("TextIO", _Guarded(stream, name))


def _open_closed_descriptors() -> None:
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one

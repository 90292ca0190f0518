"""The two files, read as what they were when they were opened, and no further.

A path from a stranger may lead anywhere: to a device that never ends, to a pipe that nobody writes to, or to
a file that somebody is still writing. Only regular files are read, up to a limit, and one that changes in the
meantime is refused, as half a file may well be a file of another meaning.
"""

from __future__ import annotations

import os
import stat

_NO_WAITING = getattr(os, "O_NONBLOCK", 0)  # a pipe is opened, and refused, without waiting for its writer


class Unreadable(Exception):
    """A file cannot be read, is too large, or is no text; the message names it."""


def read_file(path: str, encoding: str, limit: int) -> str:
    """The text of a file of at most so many bytes. Raises: Unreadable."""
    try:
        data = _read_bytes(path, limit)
    except (OSError, ValueError) as error:  # ValueError: there is a null character in the path
        raise Unreadable(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path}: not UTF-8 text (byte {error.start})") from None


def _read_bytes(path: str, limit: int) -> bytes:
    with open(path, "rb", opener=_opened) as file:
        before = os.fstat(file.fileno())
        if not stat.S_ISREG(before.st_mode):
            raise Unreadable(f"{path}: cannot be read: not a regular file")
        if before.st_size > limit:
            raise Unreadable(f"{path}: {before.st_size} bytes long, and at most {limit} are read")
        data = file.read(before.st_size + 1)
        after = os.fstat(file.fileno())
    if len(data) != before.st_size or (after.st_size, after.st_mtime_ns) != (
        before.st_size,
        before.st_mtime_ns,
    ):
        raise Unreadable(f"{path}: changed while it was read")
    return data


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_WAITING)

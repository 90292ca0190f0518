"""The two files of the command as texts.

They are read as what they were when they were opened, and no further: only regular files, up to a limit, and
one that changes in the meantime is refused, as half a file may well be a file of another meaning.
"""

from __future__ import annotations

import os
import stat


class Unreadable(Exception):
    """A file cannot be read, is too large, or is no text; the message names it."""


def read_file(path: str, encoding: str, limit: int) -> str:
    """The text of a file of at most so many bytes. Raises: Unreadable."""
    # a pipe is opened, and refused, without waiting for its writer
    no_waiting = getattr(os, "O_NONBLOCK", 0)
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | no_waiting)) as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise Unreadable(f"{path}: cannot be read: not a regular file")
            if before.st_size > limit:
                raise Unreadable(f"{path}: {before.st_size} bytes long, and at most {limit} are read")
            data = file.read(before.st_size + 1)
            after = os.fstat(file.fileno())
        if (len(data), after.st_size, after.st_mtime_ns) != (*[before.st_size] * 2, before.st_mtime_ns):
            raise Unreadable(f"{path}: changed while it was read")
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path}: not UTF-8 text (byte {error.start})") from None
    except (OSError, ValueError) as error:  # ValueError: there is a null character in the path
        raise Unreadable(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None

"""Text from files that strangers wrote: whatever is in them, the answer is text or one clear refusal.

A path may lead to a device that never ends, to a pipe that nobody writes to, to a disk image, or to a file
that another program is still writing. So a file is read as it was when it was opened: its size is looked at
first, no more than that and one byte is read, and it is looked at again afterwards. A file that changed in
the meantime is refused, because the first half of a model may well be a model, with another answer. Only
regular files are read; a pipe is opened without waiting for its writer, and refused.

The limits are there to be hit by mistake only: a model of 1 GiB has some ten million states. Reading takes
two to five times the size of the file. The checker has a reader of its own with the same limits
(`bdist.checker.core.reading`).
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from bdist.errors import FormatError

MODEL_BYTES = 2**30
CERTIFICATE_BYTES = 2**28
SMALL_BYTES = 2**24  # of what people write by hand, or a program about a single answer

_NO_WAITING = getattr(os, "O_NONBLOCK", 0)
_KINDS = (
    (stat.S_ISFIFO, "a pipe; save what it brings to a file first"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def read_text(path: str | Path, encoding: str = "utf-8-sig", limit: int = MODEL_BYTES) -> str:
    """A file's text as UTF-8, with its carriage returns, so that columns are counted in the file as it is.

    Raises: FormatError where it cannot be read, is no regular file, has more bytes than the limit, changes
    while it is read, or is not text.
    """
    try:
        data = _read_bytes(path, limit)
    except (OSError, ValueError) as error:  # ValueError: there is a null character in the path
        reason = getattr(error, "strerror", None) or error
        raise FormatError(f"cannot be read: {reason}", source=path) from None
    if data.startswith(_UTF_16):
        raise FormatError("is UTF-16 text; save it as UTF-8", source=path)
    null = data.find(0)
    if null >= 0:
        raise FormatError(f"is a binary file, not text: byte {null} is zero", source=path)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte {error.start} is 0x{data[error.start]:02x}"
        raise FormatError(f"not UTF-8 text: {found}", source=path, line=line) from None


def _read_bytes(path: str | Path, limit: int) -> bytes:
    with open(path, "rb", opener=_opened) as file:
        before = os.fstat(file.fileno())
        if not stat.S_ISREG(before.st_mode):
            kind = next((what for is_kind, what in _KINDS if is_kind(before.st_mode)), "no regular file")
            raise FormatError(f"cannot be read: it is {kind}", source=path)
        if before.st_size > limit:
            raise FormatError(f"has {before.st_size} bytes; at most {limit} are read", source=path)
        data = file.read(before.st_size + 1)
        after = os.fstat(file.fileno())
    if (len(data), after.st_size, after.st_mtime_ns) != (before.st_size, before.st_size, before.st_mtime_ns):
        found = max(len(data), after.st_size)
        what = f"{before.st_size} bytes when it was opened, {found} now"
        raise FormatError(f"changed while it was read ({what}); read it when it is complete", source=path)
    return data


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_WAITING)

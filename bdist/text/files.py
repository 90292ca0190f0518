"""Files: what strangers wrote is text or one clear refusal; what bdist writes is there whole or not at all.

*Reading.* A path may lead to a device that never ends, to a pipe that nobody writes to, to a disk image, or
to a file that another program is still writing. So a file is read as it was when it was opened: its size is
looked at first, no more than that and one byte is read, and it is looked at again afterwards. A file that
changed in the meantime is refused, because the first half of a model may well be a model, with another
answer. Only regular files are read; a pipe is opened without waiting for its writer, and refused.

The limits are there to be hit by mistake only: a model of 1 GiB has some ten million states. Reading takes
two to five times the size of the file. The checker has a reader of its own with the same limits
(`bdist.checker.core.reading`).

*Writing*, in one way for all that a user asks for. A file is written under a temporary name in its own
folder, forced to the disk, and given its name in one step. A full disk, a kill or a power cut leaves what was
there before, or the new file, and never half of one. Of several files that belong together (a ``.tra`` file
and its ``.lab`` file) all are complete before the first gets its name. A kill without notice can leave a file
``.bdist-....tmp`` behind, which may be removed.

Nothing is written through a symbolic link: the link itself is replaced by the file, and what it pointed to
stays as it was. Refusing would lose an answer that took hours. Devices and pipes cannot be replaced and are
written to as they are; ``/dev/stdout``, ``/dev/stderr`` and ``/dev/fd/N`` mean the open stream. Other links
in ``/dev`` and ``/proc`` are refused. A file that is replaced keeps its permissions; one that may not be
written to is not replaced.

*Fingerprints.* A certificate names its model by the SHA-256 of its canonical text. A theory says in its
specification what the canonical text of a model is: JSON in ASCII without blanks, with states in the order of
their names. It may come in parts, so that a large one is never in memory as a whole.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from bdist.errors import BdistError, FormatError, OutputError, ParameterError

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


_NOT_THE_CALLERS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.ENFILE, errno.EMFILE)
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile("/(?:dev|proc/self)/fd/([0-9]{1,9})")
_SYSTEM = ("/dev", "/proc")


def make_folder(path: str | Path) -> None:
    """Make a folder to write into, where it is not there yet. Raises: ParameterError."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(f"cannot write {path}: {error.strerror or error}") from None


def write_text(path: str | Path, text: str | Iterable[str]) -> None:
    """Write a text file, as UTF-8; the text may come in parts.

    Raises: ParameterError where it cannot be written there, OutputError where the disk is full or fails.
    """
    _write({Path(path): _encoded([text] if isinstance(text, str) else text)})


def _encoded(parts: Iterable[str]) -> Iterator[bytes]:
    return (part.encode("utf-8") for part in parts)


def write_files(files: Mapping[Path, str | bytes]) -> None:
    """Write files that belong together: all of them or, if one cannot be written, none.

    Raises: as `write_text`.
    """
    _write({path: [made] if isinstance(made, bytes) else _encoded([made]) for path, made in files.items()})


def write_bytes(path: str | Path, parts: Iterable[bytes]) -> None:
    """Write a file from its parts. Raises: as `write_text`."""
    _write({Path(path): parts})


def _write(files: Mapping[Path, Iterable[bytes]]) -> None:
    """Complete all files under temporary names, then give them theirs."""
    prepared: list[tuple[str, Path]] = []
    try:
        for path, parts in files.items():
            with _explained(path):
                temporary = _prepared(path, parts)
                if temporary is not None:
                    prepared.append((temporary, path))
        while prepared:
            with _explained(prepared[0][1]):
                os.replace(*prepared[0])
            sync_folder(prepared.pop(0)[1].parent)
    finally:
        for temporary, _ in prepared:
            with suppress(OSError):
                os.unlink(temporary)


def write_failure(path: str | Path, error: OSError) -> BdistError:
    """The error of ours for a file that cannot be written: the caller's, or of a disk that failed."""
    kind = OutputError if error.errno in _NOT_THE_CALLERS else ParameterError
    return kind(f"cannot write {path}: {error.strerror or error}")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Around the writing of a file: errors of the system as ours."""
    try:
        yield
    except BrokenPipeError:  # the reader of a pipe has seen enough
        raise
    except OSError as error:
        raise write_failure(path, error) from None
    except UnicodeEncodeError:
        raise ParameterError(f"cannot write {path}: a name in it is not text") from None
    except ValueError as error:  # there is a null character in the path
        raise ParameterError(f"cannot write {path}: {error}") from None


def _prepared(path: Path, parts: Iterable[bytes]) -> str | None:
    """The temporary file that is to become this one; None where it is a stream, and is written to."""
    stream = _open_stream(path)
    if stream is not None:
        with os.fdopen(stream, "wb") as file:
            file.writelines(parts)
        return None
    mode = _replaced_mode(path)
    temporary = os.path.join(path.parent, f".bdist-{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(temporary, flags, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(parts)
            file.flush()
            if mode is not None:
                os.chmod(temporary, mode)
            os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    return temporary


def _open_stream(path: Path) -> int | None:
    """A descriptor for writing to what is no regular file, None for one that is or is to be."""
    name = os.fspath(path)
    match = _DESCRIPTOR.fullmatch(name)
    if name in _STREAMS or match:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        return os.dup(_STREAMS[name] if match is None else int(match[1]))
    try:
        kind = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(kind) and os.path.realpath(path.parent).startswith(_SYSTEM):
        raise OSError(errno.ELOOP, "it is a link of the system")
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISREG(kind) or stat.S_ISLNK(kind):
        return None
    return os.open(path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0))


def _replaced_mode(path: Path) -> int | None:
    """The permissions of the file that will be replaced, if there is one. Raises: PermissionError."""
    with suppress(FileNotFoundError):
        found = os.lstat(path)
        if stat.S_ISREG(found.st_mode):
            if not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return stat.S_IMODE(found.st_mode)
    return None


def sync_folder(folder: Path) -> None:
    """Force the new name to the disk, too, where the system can do that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


json_text = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


def sha256_of(parts: Iterable[str]) -> str:
    """SHA-256 of a text that comes in parts, in hexadecimal."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8"))
    return digest.hexdigest()

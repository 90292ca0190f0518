"""Files that are there whole or not at all: the one way in which bdist writes what a user asked for.

A file is written under a temporary name in its own folder, forced to the disk, and given its name in one
step. A full disk, a kill or a power cut leaves what was there before, or the new file, and never half of one.
Of several files that belong together (a ``.tra`` file and its ``.lab`` file) all are complete before the
first gets its name. A kill without notice can leave a file ``.bdist-....tmp`` behind, which may be removed.

Nothing is written through a symbolic link: the link itself is replaced by the file, and what it pointed to
stays as it was. Refusing would lose an answer that took hours. Devices and pipes cannot be replaced and are
written to as they are; ``/dev/stdout``, ``/dev/stderr`` and ``/dev/fd/N`` mean the open stream. Other links
in ``/dev`` and ``/proc`` are refused. A file that is replaced keeps its permissions; one that may not be
written to is not replaced.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from bdist.errors import BdistError, OutputError, ParameterError

_NOT_THE_CALLERS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.ENFILE, errno.EMFILE)
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile("/(?:dev|proc/self)/fd/([0-9]{1,9})")
_SYSTEM = ("/dev", "/proc")


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

"""The journal of an audit: every result on disk as soon as it is there, and none believed when read back.

A journal is a text file of JSON lines. Each line is ``{"checksum":"...","entry":{...}}`` with the SHA-256 of
the entry's own text, exactly as it stands in the line. The first line says what the audit is about: the
model's fingerprint, both alphas and how many runs are observed. Every other line holds one certificate, the
attack that came with it, and how the work went. Lines are appended, flushed and fsynced before the audit
counts them as done, so that a process that is killed loses what it was working on and nothing else. What
could not be written whole is taken back; a journal without a complete first line begins anew.

Reading it back is reading a stranger's file. The checksum finds lines that a crash or a disk has damaged, and
is no help against somebody who writes checksums of his own: every certificate is checked again against the
model at hand, every attack evaluated again. A line that fails is reported and its pairs are computed again.
Lengths and nesting are limited before anything is parsed. Two audits at once must not write to one journal;
it is locked while it is open, where the system can do that.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any

from bdist.audits.entries import Entry, EntryChecker, Malformed, entry_document, read_entry
from bdist.errors import BdistError, FormatError, ParameterError, parameter
from bdist.exact.rationals import rational_text
from bdist.text.files import sync_folder, write_failure

FORMAT = "bdist-audit-journal"
VERSION = 1
LONGEST_LINE = 1 << 28  # bytes; a certificate of ours of 1,000 states has some 10^7

_OPENING = '{"checksum":"'
_MIDDLE = '","entry":'
_START = len(_OPENING) + 64 + len(_MIDDLE)


@dataclass(frozen=True)
class Header:
    """What a journal is about."""

    model: str
    alpha: Fraction
    attack_alpha: Fraction
    runs: int = 1

    def document(self) -> dict[str, object]:
        """The entry of the first line."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "model": self.model,
            "alpha": rational_text(self.alpha),
            "attack_alpha": rational_text(self.attack_alpha),
            "runs": self.runs,
        }


@dataclass
class Journal:
    """A journal that is open for writing; ``damage`` lists what was wrong with what was there."""

    path: Path
    _file: FileIO
    damage: list[str] = field(default_factory=list)

    @classmethod
    def create(cls, path: str | Path, header: Header) -> Journal:
        """A new journal. Raises: ParameterError where there is one already or it cannot be written."""
        path = Path(path)
        try:
            file = FileIO(path, "xb")
        except FileExistsError:
            raise ParameterError(
                f"{path} is there already; go on with it ({parameter('resume', '', 'True')}), "
                "name another journal, or remove it"
            ) from None
        except OSError as error:
            raise write_failure(path, error) from None
        journal = cls(path, file)
        try:
            journal._lock()
            journal._write([_line(header.document())])
        except BaseException:
            journal.close()
            with suppress(OSError):
                path.unlink()
            raise
        sync_folder(path.parent)
        return journal

    @classmethod
    def resume(
        cls, path: str | Path, header: Header, entry_checker: EntryChecker
    ) -> tuple[Journal, list[Entry]]:
        """Open a journal to go on with it, and what is in it that withstands a new check.

        Raises: ParameterError where it cannot be opened; FormatError where it is not a journal, or is about
        another model or another epsilon.
        """
        path = Path(path)
        if path.is_symlink():
            raise ParameterError(f"cannot open {path}: it is a link; name the journal itself")
        try:
            file = FileIO(path, "r+b", opener=_opened)
        except FileNotFoundError:
            raise ParameterError(
                f"there is no journal {path} to go on with; leave out {parameter('resume')}"
            ) from None
        except OSError as error:
            raise ParameterError(f"cannot open {path}: {error.strerror or error}") from None
        journal = cls(path, file)
        try:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ParameterError(f"cannot open {path}: it is no regular file")
            journal._lock()
            if journal._was_cut_at_the_start(header):
                file.truncate(0)
                journal._write([_line(header.document())])
                return journal, []
            found = list(journal._entries(header, entry_checker))
            journal._end_last_line()
        except BaseException:
            journal.close()
            raise
        return journal, found

    def append(self, entries: list[Entry]) -> None:
        """Write entries; when this returns they are on disk.

        Raises: OutputError where the disk is full or fails, ParameterError; the journal is then as before.
        """
        self._write([_line(entry_document(entry)) for entry in entries])

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, lines: list[str]) -> None:
        end = self._file.seek(0, os.SEEK_END)
        rest = memoryview("".join(f"{line}\n" for line in lines).encode("ascii"))
        try:
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(end)
            raise write_failure(self.path, error) from None

    def _lock(self) -> None:
        try:
            import fcntl  # not on every system
        except ImportError:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ParameterError(f"{self.path} is in use by another audit") from None

    def _was_cut_at_the_start(self, header: Header) -> bool:
        """Whether the process that began it was killed before the first line was there."""
        first = f"{_line(header.document())}\n".encode("ascii")
        found = self._file.read(len(first))
        self._file.seek(0)
        return len(found) < len(first) and first.startswith(found)

    def _end_last_line(self) -> None:
        """End a line that was cut off at the end. Raises: as `append`."""
        self._file.seek(-1, os.SEEK_END)
        if self._file.read(1) != b"\n":
            self._write([""])

    def _entries(self, header: Header, entry_checker: EntryChecker) -> Iterator[Entry]:
        begun = False
        for number, line in _lines(FileIO(os.dup(self._file.fileno()), "rb")):
            try:
                document = _checked(line)
                if not begun:
                    _check_header(document, header, self.path)
                    begun = True
                    continue
                yield _entry(document, entry_checker)
            except _Damaged as error:
                if not begun:
                    raise FormatError(f"not a journal: {error}", source=self.path, line=number) from None
                self.damage.append(f"{self.path}:{number}: {error}; its pairs are computed again")


class _Damaged(Exception):
    """What is wrong with a line."""


def _opened(path: str, flags: int) -> int:
    """A descriptor, without waiting where it is a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))


def _lines(raw: FileIO) -> Iterator[tuple[int, bytes]]:
    """The lines with their numbers, each cut off shortly after the longest that is allowed."""
    number = 0
    with BufferedReader(raw) as file:
        while line := file.readline(LONGEST_LINE + 2):
            number += 1
            yield number, line
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)  # the rest of a line that is too long, if there is any


def _line(document: dict[str, object]) -> str:
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    return f"{_OPENING}{hashlib.sha256(text.encode('ascii')).hexdigest()}{_MIDDLE}{text}}}"


def _checked(line: bytes) -> dict[str, Any]:
    """The entry of a line whose checksum holds. Raises: _Damaged."""
    if not line.endswith(b"\n"):
        raise _Damaged("the line is too long" if len(line) > LONGEST_LINE else "the line is cut off")
    body = line.rstrip(b"\r\n")
    try:
        text = body.decode("ascii")
    except UnicodeDecodeError:
        raise _Damaged("the line is not ASCII text") from None
    form = text.startswith(_OPENING) and text[_START - len(_MIDDLE) : _START] == _MIDDLE
    if not (form and text.endswith("}")):
        raise _Damaged("the line does not have the form of an entry")
    entry = text[_START:-1]
    if hashlib.sha256(entry.encode("ascii")).hexdigest() != text[len(_OPENING) : len(_OPENING) + 64]:
        raise _Damaged("the checksum does not match")
    try:
        document = json.loads(entry)
    except (ValueError, RecursionError):
        raise _Damaged("the entry is not JSON, or nested too deeply") from None
    if not isinstance(document, dict):
        raise _Damaged("the entry is not an object")
    return document


def _check_header(document: dict[str, Any], header: Header, path: Path) -> None:
    expected = header.document()
    if document.get("format") != FORMAT:
        raise _Damaged(f"the first line does not say {FORMAT}")
    for key, what in (
        ("version", "version"),
        ("model", "model"),
        ("alpha", "epsilon"),
        ("attack_alpha", "epsilon"),
        ("runs", "number of runs"),
    ):
        if document.get(key) != expected[key]:
            raise FormatError(
                f"the journal is of another {what}: its {key} is {str(document.get(key))[:70]}, "
                f"this audit's is {expected[key]}",
                source=path,
            )


def _entry(document: dict[str, Any], entry_checker: EntryChecker) -> Entry:
    """An entry read back, its certificate checked and its attack evaluated anew. Raises: _Damaged."""
    try:
        return entry_checker.entry(read_entry(document))
    except (Malformed, BdistError) as error:
        raise _Damaged(str(error)) from None

"""``-`` in the place of a file: a model, a certificate or a list of neighbours from standard input.

What arrives is kept in a temporary file, under the limit on size that a file of its kind has, and read like
any other: some readers need a file (Storm, archives), and processes that help must be able to read it again.
Messages call it "standard input". The file is removed when the command ends.

A file says by its suffix what format it is in. Standard input has none, so a model is known by how it
begins: bdist's own formats begin with their name, PRISM programs have modules, ``.drn`` has ``@type``, JSON
is told apart by its members, and ``.umb`` by the first bytes of an archive. An option ``--format`` was
decided against: every model but one says what it is, and that one, ``.tra``, is two files.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bdist.errors import FormatError, ParameterError
from bdist.text.files import CERTIFICATE_BYTES, MODEL_BYTES, SMALL_BYTES

DASH = Path("-")
NAME = "standard input"

_LIMITS = {"model": MODEL_BYTES, "certificate": CERTIFICATE_BYTES}
_ARCHIVES = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"PK\x03\x04")
_ENOUGH = 2**16  # bytes in which a text says what it is, behind its comments
_COMMENT = re.compile(r"(?:\s|#[^\n]*(?:\n|\Z)|//[^\n]*(?:\n|\Z))*")
_BY_WORD = {"lmc": ".lmc", "tlmc": ".tlmc", "dipa": ".dipa", "hmm": ".hmm", "@type": ".drn"}
_BY_WORD |= dict.fromkeys(("program", "domain", "input", "output", "adjacent", "claim", "epsilon"), ".dip")
_BY_WORD |= dict.fromkeys(("dtmc", "probabilistic", "module", "const", "global", "formula"), ".pm")

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())


class _Arrived(_Path):
    """The temporary file, which is opened like any, and called what the user knows it as."""

    kept: str

    def __str__(self) -> str:
        return NAME

    def __fspath__(self) -> str:
        return self.kept

    @property
    def name(self) -> str:
        return NAME

    @property
    def stem(self) -> str:
        return NAME.replace(" ", "-")  # for names that are made from it

    @property
    def suffix(self) -> str:
        return Path(self.kept).suffix


class _Kept:
    folder: tempfile.TemporaryDirectory[str] | None = None
    used = False


@contextmanager
def keeping_input() -> Iterator[None]:
    """Around a command: standard input is not read yet, and what was kept of it goes at the end."""
    _Kept.folder, _Kept.used = None, False
    try:
        yield
    finally:
        _forget()


def _forget() -> None:
    if _Kept.folder is not None:
        _Kept.folder.cleanup()


def from_dash(kind: str, suffix: str | None = None) -> Callable[[Any], Any]:
    """A callback of an argument or option that names a file to read, or several: for ``-``, standard input.

    Without a suffix it is a model, known by how it begins. Raises: ParameterError, FormatError.
    """

    def arrived(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [_arrived(path, kind, suffix) for path in value]
        return _arrived(value, kind, suffix)

    return arrived


def _arrived(path: Path | None, kind: str, suffix: str | None) -> Path | None:
    if path != DASH:
        return path
    if _Kept.used:
        raise ParameterError("standard input can be read once only; name a file in place of one of the '-'")
    _Kept.used = True
    if sys.stdin is None or sys.stdin.isatty():
        raise ParameterError(
            f"'-' reads the {kind} from standard input, and that is the terminal; pipe it in"
        )
    limit = _LIMITS.get(kind, SMALL_BYTES)
    data = getattr(sys.stdin, "buffer", sys.stdin).read(limit + 1)
    data = data.encode() if isinstance(data, str) else data
    if len(data) > limit:
        raise FormatError(f"has more than {limit} bytes, which is the most that is read", source=NAME)
    if not data:
        raise FormatError(f"is empty; a {kind} was expected", source=NAME)
    _Kept.folder = tempfile.TemporaryDirectory(prefix="bdist-")
    kept = Path(_Kept.folder.name, f"standard-input{suffix or suffix_of(data)}")
    kept.write_bytes(data)
    found = _Arrived(kept)
    found.kept = str(kept)
    return found


def suffix_of(data: bytes) -> str:
    """The suffix that a file with this model would have. Raises: FormatError."""
    if data.startswith(_ARCHIVES) or data[257:262] == b"ustar":
        return ".umb"
    text = data[:_ENOUGH].decode("utf-8-sig", "replace")
    text = text[_COMMENT.match(text).end() :]  # type: ignore[union-attr]  # it matches the empty text
    if text.startswith("{"):
        return ".jani" if b'"jani-version"' in data else ".json"
    word = re.split(r"[^@\w]", text, maxsplit=1)[0]
    if word == "mdp":  # both PRISM's word and ours
        return ".pm" if re.search(rb"\bendmodule\b", data) else ".mdp"
    if word not in _BY_WORD:
        raise FormatError(
            "does not begin like a model; bdist's formats begin with their name, such as lmc or hmm. "
            "Save it to a file whose suffix says what it is (a .tra model needs its .lab file, too)",
            source=NAME,
        )
    return _BY_WORD[word]

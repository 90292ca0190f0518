"""What all proofs share: how a certificate is written. SPEC.md beside this file defines that of a distance.

A certificate is a JSON object with a member a line, and an item a line in its long arrays.

Lines make a certificate of a million records fit for ``grep``, ``diff`` and an editor, which one long line is
not; ``json.dumps`` with an indent would put every number on a line of its own.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path

from bdist.report import OneLine
from bdist.text.files import write_text


class Document(OneLine, ABC):
    """A certificate, of whatever kind. At a prompt it is told by its sizes; `to_json` has all of it."""

    @abstractmethod
    def to_json(self) -> str:
        """The text that the specification of its kind defines."""

    def write(self, path: str | Path) -> None:
        """Write the document to a file. Raises: as `bdist.text.files.write_text`."""
        write_text(path, self.to_json())


def document_text(members: Mapping[str, str]) -> str:
    """The text of a whole document, from the JSON texts of its members."""
    return object_text(members, 0) + "\n"


def object_text(members: Mapping[str, str], indent: int) -> str:
    """An object whose closing bracket is indented by so much, from the JSON texts of its members."""
    return _bracketed("{", (f"{json.dumps(name)}: {text}" for name, text in members.items()), "}", indent)


def array_text(items: Iterable[object], indent: int = 2) -> str:
    """An array whose closing bracket is indented by so much; empty, it stays on its line."""
    # each item becomes text before the next is made, as all of them together take several times the memory
    return _bracketed("[", map(json.dumps, items), "]", indent)


def lines_text(items: Iterable[str], indent: int = 2) -> str:
    """As `array_text`, of items that are JSON texts already."""
    return _bracketed("[", items, "]", indent)


def _bracketed(opening: str, lines: Iterable[str], closing: str, indent: int) -> str:
    pad = " " * indent
    body = ",\n".join(f"{pad}  {line}" for line in lines)
    return f"{opening}\n{body}\n{pad}{closing}" if body else opening + closing

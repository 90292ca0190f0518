"""Docstrings as the documentation shows them: what is required, ensured and raised stands apart.

In the code these clauses are lines of their own behind a text that is one paragraph with them, where Markdown
would run them together. This extension of griffe, which reads the docstrings for mkdocstrings, sets them off.
`mkdocs.yml` names it.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_CLAUSE = re.compile(r"^(Requires|Ensures|Raises):", re.MULTILINE)


class Clauses(griffe.Extension):
    """Begins a paragraph at each clause, with its name in italics."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for everything that has been read."""
        if obj.docstring is not None:
            obj.docstring.value = _CLAUSE.sub(r"\n*\1:*", obj.docstring.value)

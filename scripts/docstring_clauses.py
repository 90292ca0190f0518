"""Docstrings as the documentation shows them: clauses and examples stand apart.

In the code what is required, ensured and raised are lines of their own behind a text that is one paragraph
with them, where Markdown would run them together; and examples begin with ``>>>``, which Markdown takes for
quotes within quotes. This extension of griffe, which reads the docstrings for mkdocstrings, sets them off.
`mkdocs.yml` names it.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_CLAUSE = re.compile(r"^(Requires|Ensures|Raises):", re.MULTILINE)
_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!$).*)*", re.MULTILINE)


class Clauses(griffe.Extension):
    """Begins a paragraph at each clause, with its name in italics, and makes a block of each example."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for everything that has been read."""
        if obj.docstring is not None:
            text = _CLAUSE.sub(r"\n*\1:*", obj.docstring.value)
            obj.docstring.value = _EXAMPLE.sub(r"```pycon\n\g<0>\n```", text)

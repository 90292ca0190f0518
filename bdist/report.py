"""An answer as it is shown: for a person in lines, for a program as a JSON object, and its exit code.

What a command has found is described once, by whoever knows what it means, and printed by the terminal in the
form that was asked for. So the two forms cannot drift apart in what they know, and neither can the exit code.
The JSON object says which version of bdist wrote it, and of which schema it is: names in it are not renamed
within a schema, they only become more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SCHEMA = 1
VIOLATED = 1  # exit codes; an answer, or one that holds, has 0
LIMIT_REACHED = 3


@dataclass(frozen=True)
class Report:
    """What is printed as text or as JSON, and the exit code that says the same."""

    text: str
    document: Mapping[str, object]
    exit_code: int = 0

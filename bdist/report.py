"""An answer as it is shown: to a person in lines, to a program as a JSON object, at a prompt, in a notebook.

What a command has found is described once, by whoever knows what it means, and printed by the terminal in the
form that was asked for. So the two forms cannot drift apart in what they know, and neither can the exit code.
The JSON object says which version of bdist wrote it, and of which schema it is: names in it are not renamed
within a schema, they only become more. A result of the library gives the same object (`Answered`).

*At a prompt* every result and every model is one short line (`OneLine`): what it is, and what matters most
about it. A certificate of a megabyte or a fraction of a thousand digits is one click away and never on the
screen. A class says what matters in ``_essence``; one that does not is told by its fields, each in a few
characters. A dataclass writes a ``__repr__`` of its own over an inherited one, so it is declared with
``repr=False``; a test goes through the public classes, with contents that are as bad as they can be.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import Field, dataclass, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from bdist.errors import BackendError
from bdist.exact.rationals import counted, short_text
from bdist.printing import named, one_line, shortened

SCHEMA = 1
VIOLATED = 1  # exit codes; an answer, or one that holds, has 0
LIMIT_REACHED = 3

_LONGEST_LINE = 160  # columns of a result at a prompt
_LONGEST_VALUE = 32  # of one of its fields
_FEW = 4  # items are told one by one


@dataclass(frozen=True)
class Report:
    """What is printed as text or as JSON, and the exit code that says the same."""

    text: str
    document: Mapping[str, object]
    exit_code: int = 0


def json_text(document: Mapping[str, object]) -> str:
    """A JSON object under the versions of the tool and of the schema, as ``--json`` prints it."""
    tool = sys.modules["bdist"].__version__  # an import would point up, to all that is public
    return json.dumps({"bdist": tool, "schema": SCHEMA, **document}, indent=2)


class OneLine:
    """A result or a model, which shows itself at a prompt in one line."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shortened(one_line(self._essence()), _LONGEST_LINE)})"

    def _essence(self) -> str:
        """What matters about it; where nothing else is said, its fields."""
        own: tuple[Field[Any], ...] = fields(self) if is_dataclass(self) else ()
        shown = [field.name for field in own if field.repr]
        return ", ".join(f"{name}={short(getattr(self, name))}" for name in shown)


class Answered(OneLine):
    """A result that a command prints as a JSON object."""

    __slots__ = ()

    def document(self) -> dict[str, object]:
        """The result as a JSON object, without its certificate."""
        raise NotImplementedError

    def to_json(self) -> str:
        """The JSON object that the command of the same question prints with ``--json``, as text."""
        return json_text(self.document())


def data_frame(rows: Sequence[Mapping[str, object]]) -> Any:
    """A DataFrame of pandas. Raises: BackendError where pandas is not installed."""
    try:
        import pandas as pd
    except ImportError:
        raise BackendError("pandas, which makes data frames, is not installed; pip install pandas") from None
    return pd.DataFrame(rows)


def titled(name: str, *sizes: str) -> str:
    """A model by its name, if it has one, and its sizes."""
    return f"{f'{named(name, _LONGEST_VALUE)}: ' if name else ''}{', '.join(sizes)}"


def short(value: object) -> str:
    """Any value in a few characters: a long fraction as a decimal, a long list as its length."""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Fraction | int) and not isinstance(value, bool):
        return short_text(Fraction(value))
    if isinstance(value, str):
        return named(value, _LONGEST_VALUE)
    if isinstance(value, Mapping):
        return counted(len(value), "entry", "entries")
    if isinstance(value, Sequence | Set):
        few = len(value) <= _FEW and all(isinstance(x, str | int | Fraction) for x in value)
        return f"({', '.join(map(short, value))})" if few else counted(len(value), "item")
    if isinstance(value, OneLine) or value is None or isinstance(value, bool | float):
        return shortened(repr(value), 2 * _LONGEST_VALUE)
    return type(value).__name__

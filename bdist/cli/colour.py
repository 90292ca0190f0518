"""Colours: verdicts and evidence stand out on a terminal, and nothing else changes.

Text is coloured after it was made, by the few words below, so that whoever words an answer does not know of
colours, and the text without them is the same. Only answers are: a model, CSV or JSON that is printed may be
read by a program. ``--color auto`` asks whether the stream is a terminal, and respects NO_COLOR
(no-color.org) and TERM=dumb.
"""

from __future__ import annotations

import os
import re
from typing import Annotated, TextIO

import typer

from bdist.errors import ParameterError

CHOICES = ("auto", "always", "never")
_GOOD, _BAD, _OPEN, _FAINT = "32", "1;31", "33", "2"

_HEADLINE = (  # of the first line
    (re.compile(r"\bHOLDS\b|\bholds\b|\bis private\b|^ok:"), _GOOD),
    (re.compile(r"\bVIOLATED\b|\bis violated\b|\bis not private\b|(?<=\S )is not(?= .*private for)"), _BAD),
    (re.compile(r"\bUNKNOWN\b|\bunknown\b|\bnot decided\b"), _OPEN),
)
_CELL = r"(?:(?<=\S  )|(?<= {4}))"  # where a column begins that is not the first
_EVERYWHERE = (
    (re.compile(rf"^accepted\b|{_CELL}(?:holds|works)(?=  |$)"), _GOOD),
    (re.compile(rf"^rejected\b|{_CELL}(?:violated|broken)(?=  |:|$)"), _BAD),
    (re.compile(rf"{_CELL}(?:unknown|missing)(?=  |:|,|$)|\bnot (?:certified|checked)\b"), _OPEN),
    (
        re.compile(r"(?<= {8})(?:exact, |as enclosure, )?(?:certified|exact)(?: bracket| from both sides)?$"),
        _GOOD,
    ),
    (re.compile(r"^  [a-z]{2,9}(?= {2,})"), _FAINT),  # what a line below the headline is about
)


class _Chosen:
    when = "auto"


def choose(when: str | None) -> str | None:
    """Note what was asked for, as soon as the option is read. Raises: ParameterError."""
    if when is not None and when not in CHOICES:
        raise ParameterError(f"--color {when}: write auto, always or never")
    _Chosen.when = when or "auto"
    return when


Color = Annotated[
    str | None,
    typer.Option(
        "--color",
        metavar="|".join(CHOICES),
        help="Colour the verdict. [default: auto, on a terminal unless NO_COLOR is set]",
        callback=choose,
        is_eager=True,
    ),
]


def is_coloured(stream: TextIO) -> bool:
    """Whether text for a stream is coloured."""
    if _Chosen.when != "auto":
        return _Chosen.when == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def painted(text: str) -> str:
    """An answer with its verdict and its evidence in colours."""
    first, *others = text.split("\n")
    return "\n".join([_marked(first, (*_HEADLINE, *_EVERYWHERE)), *(_marked(o, _EVERYWHERE) for o in others)])


def painted_error(text: str) -> str:
    """What went wrong, in the colour of what is wrong."""
    return f"\x1b[{_BAD}m{text}\x1b[0m"


def _marked(line: str, rules: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    for pattern, code in rules:
        line = pattern.sub(lambda found, code=code: f"\x1b[{code}m{found[0]}\x1b[0m", line)  # type: ignore[misc]
    return line

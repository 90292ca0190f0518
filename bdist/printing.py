"""Text of strangers, made fit to be printed: nothing steers the terminal, hides, or takes too much room.

Names of states, labels, files and models come from files that anybody may have written. A terminal obeys some
characters (ESC and the other controls, of which the C1 range has one-byte forms), turns the direction of
writing at others (the bidirectional marks, embeddings and isolates), and shows nothing at all for still
others (zero-width characters, fillers, variation selectors), so that two names that differ look the same. A
name with a line break forges a line of an answer. All of these are spelled out, as JSON and Python spell
them, and nothing else is: Greek, Arabic or Chinese names are printed as they are.

What is spelled out is what ``str.isprintable`` refuses (controls, formats, separators other than the blank,
surrogates, private and unassigned characters) and the characters that Unicode calls ignorable by default
although they count as letters or marks. Where the text is a name, quotes say that it was spelled out. A name
that is too long for a line is cut in the middle, since generated names tend to differ at their ends; in JSON,
which has escapes of its own, names are whole.

Everything that prints uses these functions: messages of errors, reports, and, as the last resort, the streams
of the command line themselves, which spell out what was forgotten (`bdist.cli.terminal`).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")

LONGEST_NAME = 80  # columns of a name in a line of text
LONGEST_IN_A_BOX = 24  # of one in a drawing or a list of names
LONGEST_MESSAGE = 1000  # characters
LONGEST_FOUND = 40  # characters of what a message says was found
MOST_LABELS = 40  # of a word in a line of text
_ELLIPSIS = "\u2026"
_WIDE = 1.75  # the advance of a wide character in narrow ones

_IGNORABLE = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u061c"
)
INVISIBLE = re.compile(f"[{_IGNORABLE}]")


def is_plain(text: str) -> bool:
    """Whether every character of a text shows, and does nothing else."""
    return text.isprintable() and (text.isascii() or INVISIBLE.search(text) is None)


def one_line(text: str) -> str:
    """A text in which all that would break a line, steer a terminal or stay unseen is spelled out."""
    return text if is_plain(text) else "".join(map(spelled, text))


def lines(text: str) -> str:
    """As `one_line`, for a text of several lines."""
    return "\n".join(map(one_line, text.split("\n")))


def message_text(message: object) -> str:
    """A message in one line of a length that can be read; the middle of one that is too long is left out."""
    return _cut(one_line(_cut(str(message))))  # what is spelled out is longer


def _cut(text: str) -> str:
    if len(text) <= LONGEST_MESSAGE:
        return text
    return f"{text[: LONGEST_MESSAGE // 2]}...{text[-LONGEST_MESSAGE // 2 :]}"


def printable(name: str) -> str:
    """A name as it is, or in quotes and spelled out where it is empty or could not be named as it is."""
    if name and is_plain(name):
        return name
    return f'"{"".join(json.dumps(c, ensure_ascii=not is_plain(c))[1:-1] for c in name)}"'


def path_text(path: object) -> str:
    """The path of a file, never cut: somebody may want to open it."""
    return printable(str(path))


def named(name: object, longest: int = LONGEST_NAME) -> str:
    """A name for a line of text: cut in the middle where it is long, and `printable`."""
    return printable(shortened(str(name), longest))


def named_word(word: Sequence[str]) -> str:
    """The labels of a word, with blanks between them, and how many more there are where it is long."""
    more = len(word) - MOST_LABELS
    first = " ".join(map(named, word[:MOST_LABELS]))
    return f"{first} ... ({more} more)" if more > 0 else first


def listed(items: Sequence[Item], most: int, text: Callable[[Item], str] = named) -> str:
    """Items with commas between them, and how many more there are where they are many."""
    more = len(items) - most
    return ", ".join(map(text, items[:most])) + (f" and {more} more" if more > 0 else "")


def beginning(text: str, most: int = LONGEST_FOUND) -> str:
    """What a message says was found: the text, or its beginning and three dots where it is longer."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def shortened(name: str, longest: int = LONGEST_IN_A_BOX) -> str:
    """A name, its middle left out where it is longer than that many columns."""
    if len(name) <= longest * 4 and sum(map(advance, name)) <= longest:
        return name
    half = (longest - 1) / 2
    return f"{_taken(name, half)}{_ELLIPSIS}{_taken(name[::-1], half)[::-1]}"


def columns(text: str) -> int:
    """How many columns of a terminal a text takes, about."""
    return sum(2 if advance(character) > 1 else int(advance(character)) for character in text)


def advance(character: str) -> float:
    """How wide a character is in a typewriter face, about, in narrow ones."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    return _WIDE if unicodedata.east_asian_width(character) in ("W", "F") else 1.0


def _taken(name: str, most: float) -> str:
    """The beginning of a name that fits; marks without a width count, too, once there are many."""
    taken, room = 0, most
    for character in name[: int(most * 4)]:
        room -= advance(character)
        if room < 0:
            break
        taken += 1
    return name[:taken]


def spelled(character: str) -> str:
    """A character as it is, or as Python writes it where it would not show."""
    return character if is_plain(character) else ascii(character)[1:-1]

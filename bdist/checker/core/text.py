r"""The texts of models: what the readers of all model files share.

Each theory has a format of its own, and its reader asks for the parts that its grammar has. What a name is,
with and without double quotes, how a message names a line and shows what stands there, and how a canonical
form becomes a fingerprint is the same in all of them, and stands here.

Most read with a `Cursor`, a place in the text that knows what may come next. Blanks are space, tab and
carriage return; ``#`` outside of quotes begins a comment; a line that ends in a comma goes on in the next. In
double quotes ``\"`` and ``\\`` stand for the quote and the backslash, and any other backslash for itself.
Nothing is repaired: a row that sums to 999/1000 is refused.

A model may be a stranger's. Entries are looked at one by one, so that a line of ten million commas is refused
at the first, and the quantifiers of the patterns are possessive (``*+``): otherwise a quoted text takes 180
bytes a character, to come back to. A row is brought to one denominator, which is within limits, as are the
integers in the file and all rows taken together.
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import lcm
from typing import NoReturn

from .limits import MODEL_BYTES, ROW_BITS, ROWS_BITS
from .numbers import BadNumber, brief, read_number

Row = dict[str, Fraction]

_LONGEST_SHOWN = 200  # characters of a name in a message
_LONGEST_PART = 40  # of any other part of a text
_BARE = re.compile(r"[A-Za-z0-9_.'+-]+")
_ESCAPE = re.compile(r'\\(["\\])')

BLANKS = r"[ \t\r]*+"
NAME_PART = r"""[A-Za-z0-9_.'+-]++|"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+\""""
_COMMENT = rf"{BLANKS}(?:\#[^\n]*+)?+"
_CONTINUED = rf",(?:{_COMMENT}\n)*+"


def part(pattern: str) -> re.Pattern[str]:
    """A part of a text after blanks, for a `Cursor`; its first group is what it is."""
    return re.compile(BLANKS + pattern)


NAME, COMMA = part(f"({NAME_PART})"), part(f"({_CONTINUED})")
_WORD = part(r"([A-Za-z0-9_.'+/-]++)")
_ENTRY = part(rf"([A-Za-z0-9_.'+/-]++){BLANKS}({NAME_PART})(?:{BLANKS}({_CONTINUED}))?+")
_END = re.compile(rf"({_COMMENT}(?:\n|\Z))")
_NOTHING = re.compile(rf"((?:{_COMMENT}\n)*+(?:{_COMMENT}\Z)?+)")  # as many lines as there are


class BadModel(Exception):
    """The text does not follow its format, or is no chain or automaton; the message names the line."""


def refuse_line(line: int, message: str) -> NoReturn:
    """Refuse a model for what stands in a line."""
    raise BadModel(f"line {line}: {message}")


def check_length(text: str) -> None:
    """That a text is not too long to be read. Raises: BadModel."""
    if len(text) > MODEL_BYTES:
        refuse_line(1, f"the text has {len(text)} characters, and at most {MODEL_BYTES} are read")


def shown(name: str, longest: int = _LONGEST_SHOWN) -> str:
    """A name for a message: a plain word as it is, anything else in quotes and without control characters."""
    if len(name) > longest:
        name = name[: longest - 3] + "..."
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=not name.isprintable())


def start_of(text: str) -> str:
    """The beginning of a text for a message."""
    return shown(text, _LONGEST_PART)


def name_of(spelled: str, line: int) -> str:
    """The name that is meant by a word, or by a text with the double quotes around it. Raises: BadModel."""
    if not spelled.startswith('"'):
        return spelled
    name = _ESCAPE.sub(r"\1", spelled[1:-1])
    if any(c < " " or c == "\x7f" or "\ud800" <= c <= "\udfff" for c in name):
        what = "holds a control character or half of a surrogate pair"
        refuse_line(line, f"the name {shown(name)} {what}")
    return name


def number_of(spelled: str, line: int, what: str = "number") -> Fraction:
    """The number that is written. Raises: BadModel."""
    try:
        return read_number(spelled, what)
    except BadNumber as problem:
        refuse_line(line, f"{start_of(spelled)} {problem}")


class Fingerprinted(ABC):
    """A model with a canonical form, which its specification describes."""

    @abstractmethod
    def canonical_parts(self) -> Iterator[str]:
        """The canonical form in parts; Python orders strings by code point, as the specifications ask."""

    def fingerprint(self) -> str:
        """SHA-256 of the canonical form, in lower-case hexadecimal."""
        return fingerprint_of(self.canonical_parts())


def fingerprint_of(parts: Iterable[str]) -> str:
    """SHA-256 of a canonical form that comes in parts, in lower-case hexadecimal."""
    digest = hashlib.sha256()
    for text in parts:
        digest.update(text.encode("ascii"))
    return digest.hexdigest()


class Cursor:
    """A place in the text of a model, and its line. Raises: BadModel."""

    def __init__(self, text: str) -> None:
        check_length(text)
        self.text, self.position, self.line = text, 0, 1
        self._known: dict[str, Fraction] = {}  # probabilities that were read, which occur again and again

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What comes next, if it is this, and then it is behind."""
        found = pattern.match(self.text, self.position)
        if found is not None:
            self.position = found.end()
        return found

    def maybe(self, pattern: re.Pattern[str]) -> str:
        """The first group of what comes next, if it is this, and otherwise nothing."""
        found = self.match(pattern)
        return found[1] if found else ""

    def need(self, pattern: re.Pattern[str], expected: str) -> str:
        """The same, where it must be this."""
        return self.maybe(pattern) or self.fail(expected)

    def fail(self, expected: str) -> NoReturn:
        """Refuse what comes next."""
        end = self.text.find("\n", self.position)
        rest = self.text[self.position : end if end >= 0 else None].strip(" \t\r")
        found = "the end of the line" if not rest or rest.startswith("#") else start_of(rest)
        refuse_line(self.line, f"expected {expected}; found {found}")

    def name(self, expected: str = "a name") -> str:
        """A name."""
        return name_of(self.need(NAME, expected), self.line)

    def takes(self, word: str) -> bool:
        """Whether this word comes next, which is then behind."""
        start = self.position
        if self.maybe(_WORD) == word:
            return True
        self.position = start
        return False

    def comma(self) -> bool:
        """Whether a comma comes next; it is then behind, with the end of its line."""
        return self._passes(COMMA)

    def at_end(self) -> bool:
        """Whether the statement ends here."""
        return _END.match(self.text, self.position) is not None

    def end(self) -> None:
        """Step over the end of a statement, and over what is nothing after it."""
        if not self._passes(_END):
            self.fail("the end of the statement")
        self._passes(_NOTHING)

    def _passes(self, pattern: re.Pattern[str]) -> bool:
        found = self.match(pattern)
        self.line += found[1].count("\n") if found else 0
        return found is not None

    def begin(self, keyword: str) -> None:
        """The keyword that the text begins with, and an optional name, a caption and no part of the model."""
        self._passes(_NOTHING)
        if not self.takes(keyword):
            self.fail(f"the keyword '{keyword}' and perhaps a name")
        if not self.at_end():
            self.name("a name or the end of the line")
        self.end()

    def statements(self) -> Iterator[int]:
        """The lines where the other statements begin; in between they are read, to their ends."""
        while self.position < len(self.text):
            yield self.line
            self.end()

    def row(self, where: str, named: dict[str, int]) -> tuple[Row, int]:
        """Probabilities with targets: those that are positive, and the bits of their common denominator.

        All targets are ``named``, with their lines; in messages the row is called ``where``.
        """
        line, row, targets = self.line, Row(), set[str]()
        more: str | None = ","
        while more:
            entry = self.match(_ENTRY)
            if entry is None:
                self.fail("a probability and its target")
            number, spelled, more = entry.groups()
            name = name_of(spelled, self.line)
            if name in targets:
                refuse_line(self.line, f"the target {shown(name)} stands twice in one row")
            targets.add(name)
            named.setdefault(name, self.line)
            p = self._known.get(number)
            if p is None:
                p = self._known[number] = number_of(number, self.line, "probability")
            if p < 0:
                refuse_line(self.line, f"the probability {start_of(number)} is negative")
            if p:
                row[name] = p
            if more:
                self.line += more.count("\n")
        return row, self._checked(where, row, line)

    def _checked(self, where: str, row: Row, line: int) -> int:
        m = 1
        for p in row.values():
            m = lcm(m, p.denominator)
            if m.bit_length() > ROW_BITS:
                refuse_line(line, f"{where} has a common denominator of more than {ROW_BITS} bits")
            self.check_bits(len(row) * m.bit_length(), line)
        total = sum(p.numerator * (m // p.denominator) for p in row.values())
        if total != m:
            refuse_line(line, f"{where} sums to {brief(Fraction(total, m))}, not to 1")
        return m.bit_length()

    def check_bits(self, bits: int, line: int) -> None:
        """That rows with so many bits are within the limit."""
        if bits > ROWS_BITS:
            refuse_line(line, f"the rows up to here have more than {ROWS_BITS} bits over common denominators")

r"""The texts of models: what the readers of all model files share.

Each theory has a format of its own, and its reader asks for the parts that its grammar has. What a name is,
with and without double quotes, how a message names a line and shows what stands there, and how a canonical
form becomes a fingerprint is the same in all of them, and stands here.

Chains and decision processes have more in common (`Statements`). Every line is cut into tokens, and lines
that end in a comma go on. A token is a word, a text in double quotes (in which ``\"`` and ``\\`` stand for
the quote and the backslash, and any other backslash for itself), or one of the marks of the format. Blanks
are space, tab and carriage return; ``#`` outside of quotes begins a comment. Rows of probabilities are read
here, too, and nothing is repaired: a row that sums to 999/1000 is refused.

A model may be a stranger's. Tokens are looked at one by one, so that a line of ten million commas is refused
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
from typing import NamedTuple, NoReturn

from .digits import BadNumber, brief, read_number
from .limits import MODEL_BYTES, ROW_BITS, ROWS_BITS

Row = dict[str, Fraction]

_NAME = re.compile(r"[A-Za-z0-9_.'+-]+")
_ESCAPE = re.compile(r'\\(["\\])')
_LONGEST_SHOWN = 200  # characters of a name in a message
_LONGEST_PART = 40  # of any other part of a text


class BadModel(Exception):
    """The text does not follow its format, or is no chain or automaton; the message names the line."""


def refuse_line(line: int, message: str) -> NoReturn:
    """Refuse a model for what stands in a line."""
    raise BadModel(f"line {line}: {message}")


def check_length(text: str) -> None:
    """That a text is not too long to be read. Raises: BadModel."""
    if len(text) > MODEL_BYTES:
        refuse_line(1, f"the text has {len(text)} characters, and at most {MODEL_BYTES} are read")


def shown(name: str) -> str:
    """A name for a message: a plain word as it is, anything else in quotes and without control characters."""
    if len(name) > _LONGEST_SHOWN:
        name = name[: _LONGEST_SHOWN - 3] + "..."
    return name if _NAME.fullmatch(name) else json.dumps(name, ensure_ascii=not name.isprintable())


def start_of(text: str) -> str:
    """The beginning of a text for a message."""
    return shown(text if len(text) <= _LONGEST_PART else text[: _LONGEST_PART - 3] + "...")


def name_in_quotes(quoted: str, line: int) -> str:
    """The name that is meant by what stands between two double quotes. Raises: BadModel."""
    name = _ESCAPE.sub(r"\1", quoted)
    if any(c < " " or c == "\x7f" or "\ud800" <= c <= "\udfff" for c in name):
        what = "holds a control character or half of a surrogate pair"
        refuse_line(line, f"the name {shown(name)} {what}")
    return name


def name_of(spelled: str, line: int) -> str:
    """The name that is meant by a word, or by a text with the double quotes around it. Raises: BadModel."""
    return name_in_quotes(spelled[1:-1], line) if spelled.startswith('"') else spelled


def number_of(spelled: str, line: int) -> Fraction:
    """The number that is written. Raises: BadModel."""
    try:
        return read_number(spelled)
    except BadNumber as problem:
        refuse_line(line, f"{start_of(spelled)} {problem}")


# --- fingerprints ---


class Fingerprinted(ABC):
    """A model with a canonical form, which its specification describes."""

    @abstractmethod
    def _canonical_parts(self) -> Iterator[str]:
        """The canonical form in parts; Python orders strings by code point, as the specifications ask."""

    def canonical_form(self) -> str:
        """The JSON text of the specification."""
        return "".join(self._canonical_parts())

    def fingerprint(self) -> str:
        """SHA-256 of the canonical form, in lower-case hexadecimal."""
        return fingerprint_of(self._canonical_parts())


def fingerprint_of(parts: Iterable[str]) -> str:
    """SHA-256 of a canonical form that comes in parts, in lower-case hexadecimal."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("ascii"))
    return digest.hexdigest()


# --- statements of tokens, and rows of probabilities ---


class Token(NamedTuple):
    """A token with its line."""

    kind: str  # "mark", "word" or "quoted", or "end" where a statement ends
    text: str
    line: int

    def is_mark(self, mark: str) -> bool:
        """Whether it is this mark."""
        return self.kind == "mark" and self.text == mark

    def is_word(self, word: str) -> bool:
        """Whether it is this word, without quotes."""
        return self.kind == "word" and self.text == word

    def expected(self, mark: str) -> Token:
        """The token, if it is that mark, or for "" a name or a number. Raises: BadModel."""
        if self.kind == "end" or (self.text if self.kind == "mark" else "") != mark:
            what = f"expected {shown(mark) if mark else 'a name or a number'}"
            if self.kind == "end":
                refuse_line(self.line, f"{what} at the end of the line")
            refuse_line(self.line, f"{what}; found {shown(self.text)}")
        return self

    def name(self) -> str:
        """The name that it is. Raises: BadModel."""
        if self.kind == "quoted":
            return name_in_quotes(self.text, self.line)
        if not _NAME.fullmatch(self.text):
            refuse_line(self.line, f"{shown(self.text)} is not a name; put it in double quotes")
        return self.text


class Target(NamedTuple):
    """An entry of a row, whose probability may be 0."""

    name: str
    probability: Fraction
    line: int


class Statements:
    """The tokens of a text with these marks, to be taken one by one. Raises: BadModel.

    Each line that has any, and does not go on after a comma, ends with an "end": so within a statement there
    is a next token.
    """

    def __init__(self, text: str, marks: tuple[str, ...], unit: str = "bits") -> None:
        """``unit`` is what a message says that all rows together have too many of."""
        check_length(text)
        self._marks = " ".join(marks)
        self._pattern = re.compile(
            rf"""[ \t\r]*+ (?:
                (?P<comment> \# .* | \Z )
              | (?P<mark>    {"|".join(map(re.escape, marks))} )
              | (?P<word>    [A-Za-z0-9_.'+/-]++ )
              | " (?P<quoted> [^"\\]*+ (?: \\. [^"\\]*+ )*+ ) "
            )""",
            re.VERBOSE,
        )
        self._tokens = self._all_tokens(text)
        self._unit = unit
        self._numbers: dict[str, Fraction] = {}  # those that were read, which occur again and again
        self._bits = 0

    def __iter__(self) -> Iterator[Token]:
        return self._tokens

    def __next__(self) -> Token:
        return next(self._tokens)

    def after_keyword(self, keyword: str) -> Token:
        """What comes after the keyword that the text begins with."""
        first = next(self._tokens, Token("end", "", 1))
        if not first.is_word(keyword):
            refuse_line(first.line, f"the file does not begin with the keyword '{keyword}'")
        return next(self._tokens)

    def row(self) -> list[Target]:
        """Probabilities with their targets, to the end of the statement."""
        tokens, found = self._tokens, list[Target]()
        names: set[str] = set()
        while True:
            probability, target = next(tokens).expected(""), next(tokens).expected("")
            name = target.name()
            if name in names:
                refuse_line(target.line, f"the target {shown(name)} stands twice in one row")
            names.add(name)
            p = self._probability(probability)
            found.append(Target(name, p, target.line))
            if p:
                self._bits += p.denominator.bit_length()  # no more than over common denominators
                self.check_bits(self._bits, target.line)  # and known before the row ends
            after = next(tokens)
            if after.kind == "end":
                return found
            after.expected(",")

    def check_bits(self, bits: int, line: int) -> None:
        """That all rows up to a line, with so many bits, are within the limit."""
        if bits > ROWS_BITS:
            refuse_line(line, f"the rows up to here have more than {ROWS_BITS} {self._unit}")

    def _probability(self, token: Token) -> Fraction:
        text = token.text
        if token.kind == "word" and text in self._numbers:
            return self._numbers[text]
        try:
            value = read_number(text if token.kind == "word" else f'"{text}"', "probability")
        except BadNumber as problem:
            refuse_line(token.line, f"{start_of(text)} {problem}")
        if value < 0:
            refuse_line(token.line, f"the probability {start_of(text)} is negative")
        self._numbers[text] = value
        return value

    def _all_tokens(self, text: str) -> Iterator[Token]:
        last: Token | None = None
        for number, line in enumerate(_lines(text), start=1):
            for last in self._tokens_of(line, number):
                yield last
            if last is not None and not last.is_mark(","):
                yield Token("end", "", last.line)
                last = None
        if last is not None:
            refuse_line(last.line, "the file ends after a comma")

    def _tokens_of(self, line: str, number: int) -> Iterator[Token]:
        position = 0
        while True:
            match = self._pattern.match(line, position)
            if match is None:
                rest = line[position:].lstrip(" \t\r")
                marks = f"a name, a number or one of {self._marks}"
                what = "a closing double quote" if rest.startswith('"') else marks
                refuse_line(number, f"expected {what} at {shown(rest[:20])}")
            kind = match.lastgroup or ""
            if kind == "comment":
                return
            yield Token(kind, match[kind], number)
            position = match.end()


def _lines(text: str) -> Iterator[str]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def distribution(where: str, targets: Iterable[Target], line: int) -> tuple[Row, int]:
    """The positive entries of a row, which sum to 1, and the bits of their common denominator.

    Raises: BadModel, in which ``where`` is what the row is called.
    """
    row = {name: p for name, p, _ in targets if p}
    m = 1
    for p in row.values():
        m = lcm(m, p.denominator)
        if m.bit_length() > ROW_BITS:
            refuse_line(line, f"{where} has a common denominator of more than {ROW_BITS} bits")
    total = sum(p.numerator * (m // p.denominator) for p in row.values())
    if total != m:
        refuse_line(line, f"{where} sums to {brief(Fraction(total, m))}, not to 1")
    return row, m.bit_length()

"""The tokens of a ``.dip`` text, one after the other, each with its line and column.

A program is a stranger's, so nothing is kept but the token that is next: a text of a million semicolons takes
as long as it takes to step over them, and no list of a million of anything. A refusal says what was expected
and what was found, with line and column, both counted from 1.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from bdist.dipc.program import Place
from bdist.errors import FormatError, ParameterError
from bdist.exact.reading import parse_rational
from bdist.text.scanner import shortened

MOST_CHARACTERS = 2**20
MOST_DIGITS = 1_000
RESERVED = frozenset(
    (
        *("program", "domain", "input", "output", "adjacent", "claim", "epsilon", "delta", "function"),
        *("table", "if", "else", "while", "for", "in", "exit", "true", "false", "and", "or"),
        *("not", "eps", "exp", "abs", "min", "max", "disc"),
        *("Lap", "DLap", "Exp", "choose", "linf", "l1", "l0", "inf"),
    )
)

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_TOKEN = re.compile(
    r"[A-Za-z_][A-Za-z0-9_']*+|[0-9]++(?:\.[0-9]++)?|:=|\.\.|<=|>=|==|!=|[;,{}\[\]()~:=<>+*/-]"
)
_LETTERS = re.compile(r"[A-Za-z_]")
_DIGITS = re.compile(r"[0-9]++")


class Tokens:
    """The text and the token that is read next, which is ``text`` and empty at the end."""

    def __init__(self, whole: str, source: str | Path) -> None:
        self._whole = whole
        self._source = source
        self._offset = 0
        self._line = 1
        self._line_start = 0
        self.text = ""
        if len(whole) > MOST_CHARACTERS:
            raise FormatError(
                f"has {len(whole)} characters; at most {MOST_CHARACTERS} are read", source=source
            )
        self.step()

    @property
    def place(self) -> Place:
        """Where the next token stands."""
        return Place(self._line, self._offset - self._line_start + 1)

    def step(self) -> None:
        """Go on to the token after the next one; a character that begins none is a token by itself."""
        start = self._offset + len(self.text)
        blank = _BLANK.match(self._whole, start)
        self._offset = blank.end() if blank else start
        newlines = self._whole.count("\n", start, self._offset)
        if newlines:
            self._line += newlines
            self._line_start = self._whole.rfind("\n", start, self._offset) + 1
        found = _TOKEN.match(self._whole, self._offset)
        self.text = found[0] if found else self._whole[self._offset : self._offset + 1]

    def takes(self, text: str) -> bool:
        """Step over a word or symbol if it is next."""
        if self.text != text:
            return False
        self.step()
        return True

    def expect(self, text: str, what: str = "") -> None:
        """Step over a word or symbol. Raises: FormatError where it is not next."""
        if self.text != text:
            self.fail(what or f"'{text}'")
        self.step()

    def is_name(self) -> bool:
        """Whether a name is next, which is no reserved word."""
        return _LETTERS.match(self.text) is not None and self.text not in RESERVED

    def name(self, what: str) -> str:
        """A name. Raises: FormatError where there is none."""
        name = self.text
        if name in RESERVED:
            self.refuse(f"expected {what}; '{name}' is a reserved word")
        if not self.is_name():
            self.fail(what)
        self.step()
        return name

    def is_number(self) -> bool:
        """Whether a number is next."""
        return "0" <= self.text[:1] <= "9"

    def number(self, what: str) -> Fraction:
        """A number without a sign. Raises: FormatError where there is none, or too long a one."""
        if not self.is_number():
            self.fail(what)
        try:
            value = parse_rational(self.text, MOST_DIGITS)
        except ParameterError as error:
            self.refuse(str(error))
        self.step()
        return value

    def whole_number(self, what: str, most: int) -> int:
        """Digits, for a number from 1 on. Raises: FormatError where there are none, or it is too large."""
        place = self.place
        if not _DIGITS.fullmatch(self.text):
            self.fail(what)
        value = self.number(what)
        if not 1 <= value <= most:
            self.refuse(f"expected {what}, from 1 to {most}", place)
        return value.numerator

    def constant(self, what: str = "a constant such as 2, -1 or 1/2") -> Fraction:
        """A number with a sign and a denominator, perhaps. Raises: FormatError where there is none."""
        is_negative = self.takes("-")
        value = self.number(what)
        if self.takes("/"):
            place = self.place
            below = self.number("a denominator")
            if below == 0:
                self.refuse("the denominator is zero", place)
            value /= below
        return -value if is_negative else value

    def fail(self, expected: str, hint: str = "") -> NoReturn:
        """Raises: FormatError: one thing was expected here and another was found."""
        found = f"'{shortened(self.text)}'" if self.text else "the end of the text"
        self.refuse(f"expected {expected}, found {found}{hint}")

    def refuse(self, message: str, place: Place | None = None) -> NoReturn:
        """Raises: FormatError with a place, which is here unless another is given."""
        at = self.place if place is None else place
        raise FormatError(message, source=self._source, line=at.line, column=at.column)

"""A cursor over the text of a formula, which knows the place of what it reads.

What comes next depends on where one is: ``k+1`` is a name where a formula is expected, and a sum behind
``X^``; ``0..5`` is no decimal. So there is no list of tokens; the parser says what it looks for, and the
cursor steps over it if it is there. White space and comments may stand before anything. A refusal says what
was expected and what was found, with line and column, both counted from 1.
"""

from __future__ import annotations

import re
from typing import NoReturn

from bdist.dpctl.syntax import IDENTIFIER, RESERVED
from bdist.errors import FormatError

SOURCE = "<formula>"

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_QUOTED = re.compile(r'"([^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"')
_ESCAPED = re.compile(r'\\(["\\])')
_FORBIDDEN = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_FOUND = re.compile(r"->|[A-Za-z0-9_.'+-]+|[<>=&|^!:~*/-]+|.", re.DOTALL)
_SHOWN = 40


class Cursor:
    """The text and the place in it that is read next; ``offset`` may be set back."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.offset = 0
        self.skip()

    def skip(self) -> None:
        """Step over white space and comments."""
        blank = _BLANK.match(self.text, self.offset)
        self.offset = blank.end() if blank else self.offset

    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self.offset == len(self.text)

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Step over what matches the pattern here; the text that did."""
        found = pattern.match(self.text, self.offset)
        if found is None:
            return None
        self.offset = found.end()
        self.skip()
        return found[0]

    def takes(self, symbol: str) -> bool:
        """Step over a symbol if it stands here."""
        if not self.text.startswith(symbol, self.offset):
            return False
        self.offset += len(symbol)
        self.skip()
        return True

    def takes_word(self, word: str) -> bool:
        """Step over a reserved word if it stands here."""
        return self.word() == word and self.takes(word)

    def expect(self, symbol: str, what: str) -> None:
        """Step over a symbol. Raises: FormatError where it does not stand here."""
        if not self.takes(symbol):
            self.fail(what)

    def word(self) -> str:
        """The identifier or reserved word that stands here, or nothing; it is not stepped over."""
        found = IDENTIFIER.match(self.text, self.offset)
        return found[0] if found else ""

    def name(self, what: str) -> str:
        """The name of a proposition, bare or in quotes. Raises: FormatError where there is none."""
        return self.quoted() if self.text.startswith('"', self.offset) else self.identifier(what)

    def identifier(self, what: str) -> str:
        """An identifier that is not reserved. Raises: FormatError where there is none."""
        word = self.word()
        if not word:
            self.fail(what)
        if word in RESERVED:
            self.refuse(
                f"expected {what}, found '{word}', which is reserved; for a proposition write \"{word}\""
            )
        self.takes(word)
        return word

    def quoted(self) -> str:
        """A name in double quotes. Raises: FormatError where they are not closed or hold no name."""
        found = _QUOTED.match(self.text, self.offset)
        if found is None:
            self.refuse("this double quote is not closed in its line")
        forbidden = _FORBIDDEN.search(found[0])
        if forbidden:
            self.refuse(
                f"the name holds {forbidden[0]!a}; no name holds control characters or surrogates",
                self.offset + forbidden.start(),
            )
        self.offset = found.end()
        self.skip()
        return _ESCAPED.sub(r"\1", found[1])

    def fail(self, expected: str, hint: str = "") -> NoReturn:
        """Raises: FormatError: one thing was expected here and another was found."""
        found = _FOUND.match(self.text, self.offset)
        if found is None:
            seen = "the end of the formula"
        else:
            seen = found[0] if len(found[0]) <= _SHOWN else f"{found[0][: _SHOWN - 3]}..."
            seen = f"'{seen}'"
        self.refuse(f"expected {expected}, found {seen}{hint}")

    def refuse(self, message: str, offset: int | None = None) -> NoReturn:
        """Raises: FormatError with a place, which is here unless another is given."""
        place = self.offset if offset is None else offset
        line, column = self.line_and_column(place)
        raise FormatError(message, source=SOURCE, line=line, column=column)

    def where(self, offset: int) -> str:
        """A place, for a message about another one."""
        line, column = self.line_and_column(offset)
        return f"of line {line}, column {column}"

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Both from 1; columns are characters."""
        return self.text.count("\n", 0, offset) + 1, offset - self.text.rfind("\n", 0, offset)

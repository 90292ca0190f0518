"""The ``.lmc`` format: one state a line.

    # comment to the end of the line
    lmc two-dining-cryptographers          # keyword, optional name
    s0 [start] -> 0.49 h0, 51/100 t0       # state [label] -> probability target, probability target
    h0 [flip]  -> 1/2 "heads twice",       # a line that ends in a comma goes on in the next
                  1/2 t0

Names and labels are ``[A-Za-z0-9_.'+-]+`` or any text in double quotes, where ``\\"`` stands for a quote and
``\\\\`` for a backslash, and a backslash before anything else for itself. Probabilities are ``p/q``, decimals
or ``1e-4``, read exactly. A target may be declared later; the order of declaration is the order of the
states.

The reader is a scanner over one logical line at a time that knows what it expects next, so that every refusal
can say where and what. The checker has a second reader of its own; a test holds the two against each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from bdist.errors import FormatError, ModelError, ParameterError
from bdist.models.chain import LabelledMarkovChain, Row
from bdist.rationals.reading import parse_rational, rational_text

_BARE = re.compile(r"[A-Za-z0-9_.'+-]+")
_QUOTED = re.compile(r'"((?:[^"\\\n]|\\["\\]|\\(?!["\\]))*)"')
_NUMBER = re.compile(r"[^\s,\[\]\"#]+")
_PLAIN = re.compile(
    r"([A-Za-z0-9_.'+-]+) \[([A-Za-z0-9_.'+-]+)\] -> "
    r"([0-9.eE+/-]+ [A-Za-z0-9_.'+-]+(?:, [0-9.eE+/-]+ [A-Za-z0-9_.'+-]+)*)"
)
_BLANK = re.compile(r"[ \t\r]*")


def read(text: str, source: str | Path = "<text>") -> LabelledMarkovChain:
    """Parse ``.lmc`` text. Raises: FormatError with line and column; ModelError naming the state."""
    return _Reader(text, source).chain()


def write(chain: LabelledMarkovChain) -> str:
    """The chain as ``.lmc`` text; reading it back gives an equal chain of the same name."""
    lines = ["lmc" + (f" {_spelled(chain.name)}" if chain.name else "")]
    for state, label, row in zip(chain.states, chain.labels, chain.rows, strict=True):
        targets = ", ".join(f"{rational_text(p)} {_spelled(chain.states[j])}" for j, p in row)
        lines.append(f"{_spelled(state)} [{_spelled(label)}] -> {targets}")
    return "\n".join(lines) + "\n"


def _spelled(name: str) -> str:
    if _BARE.fullmatch(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@dataclass(frozen=True)
class _Target:
    name: str
    probability: Fraction
    line: int
    column: int


class _Reader:
    """A cursor over the text; ``line`` and ``position`` within it point at the next unread character."""

    def __init__(self, text: str, source: str | Path) -> None:
        self.lines = text.split("\n")
        self.source = source
        self.line = 0
        self.position = 0
        self._numbers: dict[str, Fraction] = {}

    def chain(self) -> LabelledMarkovChain:
        name = self._header()
        states: list[str] = []
        labels: list[str] = []
        targets: list[list[_Target]] = []
        positions: dict[str, int] = {}
        declared_at: dict[str | None, int] = {}
        for _ in self._statements():
            line, column = self.line + 1, self.position + 1
            state, label, row = self._plain_state() or self._state()
            if state in positions:
                raise FormatError(
                    f"state '{state}' is declared twice", source=self.source, line=line, column=column
                )
            positions[state] = len(states)
            declared_at[state] = line
            states.append(state)
            labels.append(label)
            targets.append(row)
        if not states:
            self._fail("a state such as: s0 [label] -> 1 s0")
        rows = tuple(
            self._resolved(state, row, positions) for state, row in zip(states, targets, strict=True)
        )
        try:
            return LabelledMarkovChain(tuple(states), tuple(labels), rows, name)
        except ModelError as error:
            line = declared_at.get(error.state, 0)
            place = f"{self.source}:{line}" if line else f"{self.source}"
            raise ModelError(f"{place}: {error}", state=error.state) from None

    def _header(self) -> str:
        if not self._next_statement():
            raise FormatError("the file is empty; it must begin with the keyword 'lmc'", source=self.source)
        keyword = _BARE.match(self.lines[self.line], self.position)
        if not keyword or keyword[0] != "lmc":
            self._fail("the keyword 'lmc' at the beginning of the file")
        self.position = keyword.end()
        self._skip_blank()
        name = "" if self._at_end() else self._name("the chain's name")
        self._end_of_line()
        return name

    def _statements(self) -> Iterator[None]:
        while self._next_statement():
            yield
            self._end_of_line()

    def _next_statement(self) -> bool:
        """Move to the first character of the next line that holds more than blanks and a comment."""
        while self.line < len(self.lines):
            self._skip_blank()
            if not self._at_end():
                return True
            self.line += 1
            self.position = 0
        self.line = len(self.lines) - 1
        self.position = len(self.lines[self.line])
        return False

    def _plain_state(self) -> tuple[str, str, list[_Target]] | None:
        """A state that takes one line without quotes and comments, as nearly all do, at a third of the cost.

        None where it is not plain, or where something about it is to be refused.
        """
        plain = _PLAIN.fullmatch(self.lines[self.line], self.position)
        if plain is None:
            return None
        row: list[_Target] = []
        column = plain.start(3) + 1
        for entry in plain[3].split(", "):
            number, name = entry.split(" ")
            try:
                probability = self._number(number)
            except ParameterError:
                return None
            row.append(_Target(name, probability, self.line + 1, column + len(number) + 1))
            column += len(entry) + 2
        if len({target.name for target in row}) < len(row) or any(target.probability < 0 for target in row):
            return None
        self.position = plain.end()
        return plain[1], plain[2], row

    def _state(self) -> tuple[str, str, list[_Target]]:
        state = self._name("a state name")
        self._symbol("[", "'[' and the label")
        label = self._name("a label")
        self._symbol("]", "']' after the label")
        self._symbol("->", "'->' and the row")
        return state, label, list(self._row())

    def _number(self, text: str) -> Fraction:
        """A number; those that were read are remembered, since the same few occur again and again."""
        known = self._numbers.get(text)
        if known is None:
            known = self._numbers[text] = parse_rational(text)
        return known

    def _row(self) -> Iterator[_Target]:
        seen: set[str] = set()
        while True:
            self._skip_blank()
            number = _NUMBER.match(self.lines[self.line], self.position)
            if not number:
                self._fail("a probability such as 1/2 or 0.5")
            try:
                probability = self._number(number[0])
            except ParameterError as error:
                self._refuse(str(error))
            if probability < 0:
                self._refuse(f"probability {number[0]} is negative")
            self.position = number.end()
            self._skip_blank()
            line, column = self.line + 1, self.position + 1
            name = self._name("the name of the target state")
            if name in seen:
                self._refuse(f"target '{name}' stands twice in one row", column=column)
            seen.add(name)
            yield _Target(name, probability, line, column)
            self._skip_blank()
            if not self._text().startswith(",", self.position):
                return
            self.position += 1
            self._skip_blank()
            if self._at_end():  # a line that ends in a comma goes on in the next
                self.line += 1
                self.position = 0
                if not (self.line < len(self.lines) and self._next_statement()):
                    self.line = len(self.lines) - 1
                    self.position = len(self.lines[self.line])
                    self._fail("another probability after ','")

    def _resolved(self, state: str, row: list[_Target], positions: dict[str, int]) -> Row:
        for target in row:
            if target.name not in positions:
                raise FormatError(
                    f"state '{state}' goes to '{target.name}', which is not declared",
                    source=self.source,
                    line=target.line,
                    column=target.column,
                )
        return tuple(sorted((positions[t.name], t.probability) for t in row if t.probability))

    def _name(self, what: str) -> str:
        self._skip_blank()
        bare = _BARE.match(self._text(), self.position)
        if bare:
            self.position = bare.end()
            return bare[0]
        quoted = _QUOTED.match(self._text(), self.position)
        if quoted:
            self.position = quoted.end()
            return re.sub(r'\\(["\\])', r"\1", quoted[1])
        if self._text().startswith('"', self.position):
            self._fail("a closing double quote on the same line")
        return self._fail(f"{what}: letters, digits and _ . ' + -, or any text in double quotes")

    def _symbol(self, symbol: str, what: str) -> None:
        self._skip_blank()
        if not self._text().startswith(symbol, self.position):
            self._fail(what)
        self.position += len(symbol)

    def _end_of_line(self) -> None:
        self._skip_blank()
        if not self._at_end():
            self._fail("the end of the line, a comment, or ',' and another transition")
        self.line += 1
        self.position = 0

    def _text(self) -> str:
        return self.lines[self.line]

    def _at_end(self) -> bool:
        return self.position >= len(self._text()) or self._text()[self.position] == "#"

    def _skip_blank(self) -> None:
        blank = _BLANK.match(self._text(), self.position)
        if blank:
            self.position = blank.end()

    def _fail(self, expected: str) -> NoReturn:
        rest = self._text()[self.position :].strip()
        found = f"'{rest[:20]}'" if rest else "the end of the line"
        self._refuse(f"expected {expected}; found {found}")

    def _refuse(self, message: str, column: int = 0) -> NoReturn:
        raise FormatError(message, source=self.source, line=self.line + 1, column=column or self.position + 1)

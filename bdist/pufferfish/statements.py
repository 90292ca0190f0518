"""One statement of a ``.hmm`` file, part by part, and the formulas in it.

The grammar is in `hmm`. The scanner knows what is expected next and says so; what a statement means together
with the others is the reader's business, so names are kept with their places until all are declared.

A formula is read where it stands, with the parameters that are declared so far, so that what is wrong with it
is refused there. Its normal form, however, depends on all parameters of the file (how a box is halved
does, SPEC-PUFFERFISH section 1), so a formula with parameters is read again at the end if there are more of
them by then. Files declare their parameters on top, and nothing is read twice; and however often a text
occurs, it is read once, as a model has many entries and few different ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from bdist.errors import ParameterError
from bdist.exact.epsilon import Epsilon
from bdist.exact.formulas import LETTERS, MOST_PARAMETERS, BadFormula, UnknownParameter, read_formula
from bdist.exact.polynomials import Entry, Ring
from bdist.exact.reading import rational_text
from bdist.pufferfish.model import Lengths, Range, Words, resembling
from bdist.text.scanner import Numbers, WordScanner

END = "the end of the line or a comment"

_NUMBER = re.compile(r"[^\s,\[\]()\"#]++")
_PIECE = re.compile(r"[^\s,\[\]()\"#]++|[()]|[ \t\r]++")
_DIGITS = re.compile(r"[0-9]++")
_LONGEST_WORDS = 9  # digits of a length
_BLANKS_IN_FORMULA = "a formula with blanks stands in parentheses, as in: (1 - p) name"


@dataclass(frozen=True, slots=True)
class Share:
    """An entry of a row, of what a state shows, or of a prior: a formula, and a name with its place."""

    formula: str
    name: str
    line: int
    column: int
    secrets: tuple[tuple[str, int, int], ...] = ()  # each with its place


@dataclass(frozen=True, slots=True)
class Sides:
    """A pair, with the places of its sides."""

    first: str
    second: str
    both: bool
    first_place: tuple[int, int]
    second_place: tuple[int, int]


class Formulas:
    """The parameters that are declared so far, and every formula that was read, by its text."""

    def __init__(self) -> None:
        self.ranges: dict[str, Range] = {}
        self._read: dict[str, tuple[Entry, int]] = {"1": (Fraction(1), 0)}

    def check(self, text: str) -> None:
        """Raises: BadFormula where it is none, or uses a parameter that is not declared yet."""
        if text in self._read:
            return
        try:
            self._read[text] = self._value(text), len(self.ranges)
        except UnknownParameter as error:
            meant = resembling(error.name, list(self.ranges))
            message = f"'{error.name}' is not a parameter that is declared above{meant}"
            raise BadFormula(message, error.offset) from None

    def entry(self, text: str) -> Entry:
        """The value of a formula that was checked, once all parameters are declared."""
        value, known = self._read[text]
        if isinstance(value, Fraction) or known == len(self.ranges):
            return value
        value = self._value(text)
        self._read[text] = value, len(self.ranges)
        return value

    def _value(self, text: str) -> Entry:
        names = sorted(self.ranges)
        box = tuple((self.ranges[name].low, self.ranges[name].high) for name in names)
        return read_formula(text, Ring(tuple(names)), box)


class StatementScanner(WordScanner):
    """The text of a ``.hmm`` file, and the place in it that is read next."""

    def __init__(self, text: str, source: str | Path) -> None:
        super().__init__(text, source)
        self.number = Numbers(signed=True)
        self.formulas = Formulas()

    def read_header(self) -> str:
        """The keyword and the optional name of the model."""
        if not self.next_statement():
            self.place.refuse("the file is empty; it must begin with the keyword 'hmm'")
        if not self.takes("hmm"):
            self.fail("the keyword 'hmm' at the beginning of the file")
        self.skip_blank()
        name = "" if self.at_end() else self.name("the model's name")
        self.next_line(END)
        return name

    def next_line(self, expected: str) -> None:
        """Step over the end of a statement. Raises: FormatError where something else stands here."""
        self.end(expected)
        self.line += 1
        self.position = 0

    def parameter(self) -> Range:
        """What follows ``parameter``. Raises: FormatError also where it is one too many, or empty."""
        self.skip_blank()
        column, name = self.position + 1, self.word()
        if not LETTERS.fullmatch(name):
            self.fail("the name of the parameter: letters, digits and _, not beginning with a digit")
        if name in self.formulas.ranges:
            self.refuse(f"parameter '{name}' is declared twice", column)
        if len(self.formulas.ranges) == MOST_PARAMETERS:
            self.refuse(f"there are more than {MOST_PARAMETERS} parameters", column)
        self.position += len(name)
        if not self.takes("in"):
            self.fail(f"'in' and the range, as in: parameter {name} in (0, 1)")
        has_low = self.sees("[")
        self.symbol("[" if has_low else "(", "'(' or '[' and the low end of the range")
        low_column = self.position + 1
        low = self._rational("the low end of the range")
        if not self.takes_comma("the high end of the range"):
            self.fail("',' and the high end of the range")
        high = self._rational("the high end of the range")
        has_high = self.sees("]")
        self.symbol("]" if has_high else ")", "')' or ']' after the range")
        if not low < high:
            ends = f"{rational_text(low)} to {rational_text(high)}"
            self.refuse(f"the range of parameter '{name}' is empty: {ends}", low_column)
        self.next_line(END)
        return Range(name, low, high, has_low, has_high)

    def shown(self) -> list[Share]:
        """What a state shows, with its brackets."""
        self.symbol("[", "'[' and what the state shows")
        line, start = self.line, self.position
        if self.sees('"') or self.word():
            column, name = self.placed_name("an observation")
            if self.sees("]"):
                self.position += 1
                return [Share("1", name, line + 1, column)]
            self.line, self.position = line, start
        found = list(self._shares("an observation", with_secrets=False))
        self.symbol("]", "',' and another probability, or ']' after what the state shows")
        return found

    def targets(self) -> list[Share]:
        """A distribution on states, to the end of the statement."""
        found = list(self._shares("a state", with_secrets=False))
        self.next_line(f"',' and another probability, {END}")
        return found

    def cases(self) -> list[Share]:
        """A distribution on states with secrets, to the end of the statement."""
        found = list(self._shares("a state", with_secrets=True))
        self.next_line(f"'[' and secrets, ',' and another case, {END}")
        return found

    def pair(self) -> Sides:
        """What follows ``pair``."""
        what = "a state, an initial distribution or a secret"
        line = self.line + 1
        first_column, first = self.placed_name(what)
        both = not self.sees("->")
        if not both:
            self.position += 2
        second_column, second = self.placed_name(what)
        self.next_line(END)
        return Sides(first, second, both, (line, first_column), (line, second_column))

    def words(self) -> Words:
        """What follows ``words``."""
        for words in Words:
            if self.takes(words.value):
                self.next_line(END)
                return words
        return self.fail("'all' or 'common'")

    def epsilon(self) -> Epsilon:
        """What follows ``epsilon``."""
        if self.takes("ln"):
            self.skip_blank()
            column = self.position + 1
            alpha = self._rational("a number")
            if alpha < 1:
                message = f"epsilon = ln {rational_text(alpha)} is negative or none; it must be at least 0"
                self.refuse(message, column)
            found = Epsilon(None, alpha)
        else:
            self.skip_blank()
            column = self.position + 1
            value = self._rational("a number such as 0.5, or 'ln' and a number")
            try:
                found = Epsilon.of(value)
            except ParameterError as error:
                self.refuse(str(error), column)
        self.next_line(END)
        return found

    def lengths(self) -> Lengths:
        """What follows ``length``."""
        if self.takes("any"):
            found = Lengths()
        else:
            least = most = self._digits("a length such as 5, 1..5 or any")
            if self.sees(".."):
                self.position += 2
                most = self._digits("the largest length")
            found = Lengths(least, most)
        self.next_line(END)
        return found

    def _shares(self, what: str, *, with_secrets: bool) -> Iterator[Share]:
        while True:
            formula = self._probability()
            self.skip_blank()
            line, column = self.line + 1, self.position + 1
            sign = self.text()[self.position : self.position + 1]
            if sign and sign in "*/^()":
                self.refuse(_BLANKS_IN_FORMULA, column)
            name = self.name(f"the name of {what}")
            self.skip_blank()
            after = self.text()[self.position : self.position + 1]
            if sign and sign in "+-" and after and after not in ",[]#":
                self.refuse(_BLANKS_IN_FORMULA, column)
            secrets = tuple(self._secrets()) if with_secrets and self.sees("[") else ()
            yield Share(formula, name, line, column, secrets)
            if not self.takes_comma("another probability"):
                return

    def _secrets(self) -> Iterator[tuple[str, int, int]]:
        self.symbol("[", "'[' and a secret")
        while True:
            self.skip_blank()
            line = self.line + 1
            column, secret = self.placed_name("a secret")
            yield secret, line, column
            if not self.takes_comma("another secret"):
                break
        self.symbol("]", "',' and another secret, or ']'")

    def _probability(self) -> str:
        """A formula, checked: it ends at a blank where no parenthesis is open."""
        self.skip_blank()
        text, start, depth = self.text(), self.position, 0
        end = start
        while (piece := _PIECE.match(text, end)) is not None:
            if piece[0] == "(":
                depth += 1
            elif piece[0] == ")":
                depth -= 1
            elif depth <= 0 and piece[0][0] in " \t\r":
                break
            end = piece.end()
        formula = text[start:end].rstrip(" \t\r")
        if not formula:
            self.fail("a probability such as 1/2, 0.5 or (1 - p)")
        try:
            self.formulas.check(formula)
        except BadFormula as error:
            hint = f"; {_BLANKS_IN_FORMULA}" if error.offset >= len(formula) and depth <= 0 else ""
            self.refuse(f"{error}{hint}", start + error.offset + 1)
        self.position = end
        return formula

    def _rational(self, what: str) -> Fraction:
        self.skip_blank()
        number = _NUMBER.match(self.text(), self.position)
        if number is None:
            self.fail(what)
        try:
            value = self.number(number[0])
        except ParameterError as error:
            self.refuse(str(error))
        self.position = number.end()
        return value

    def _digits(self, what: str) -> int:
        self.skip_blank()
        digits = _DIGITS.match(self.text(), self.position)
        if digits is None:
            self.fail(what)
        if len(digits[0].lstrip("0")) > _LONGEST_WORDS:
            self.refuse(f"a length of more than {_LONGEST_WORDS} digits")
        self.position = digits.end()
        return int(digits[0].lstrip("0") or "0")

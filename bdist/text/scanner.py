"""A cursor over text in the style of ``.lmc``: names, quotes, comments, lines that go on after a comma.

The scanner knows what it expects next, so that every refusal can say where and what. ``line`` and
``position`` point at the next unread character. Readers of a format build on it: `lmc` for chains with labels
on the states, `tlmc` for those with labels on the transitions. A `WordScanner` reads formats whose statements
begin with words of their own: `dipa` for automata, `hmm` for hidden Markov models. Formats of other tools are
read with less: a `Place`, to refuse a line, and `Numbers`.

The same few probabilities occur again and again in a file, and reading one exactly costs more than everything
else that is done with its line, so `Numbers` remembers those that were read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, NoReturn

from bdist.errors import FormatError, ModelError, ParameterError
from bdist.exact.rationals import ROWS_BITS, parse_rational
from bdist.printing import beginning

END_OF_LINE = "the end of the line or a comment"

_WORDS = re.compile(r"[^ \t\r\f\v]+")
BARE = re.compile(r"[A-Za-z0-9_.'+-]+")
# possessive, as a repetition that may be taken back takes 180 bytes a character
_QUOTED = re.compile(r'"([^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"')
_FORBIDDEN = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_UNSHOWN = "holds a control character or half of a surrogate pair"
_BLANK = re.compile(r"[ \t\r]*")


class Numbers:
    """Exact numbers by their text, each parsed once; they are probabilities unless they may have a sign."""

    def __init__(self, *, signed: bool = False) -> None:
        self._signed = signed
        self._known: dict[str, Fraction] = {}
        self._bits = 0

    def __call__(self, text: str) -> Fraction:
        """The number that a text states.

        Raises: ParameterError where it is no number, a negative probability, or one of so many long ones that
        no chain has rows like that.
        """
        known = self._known.get(text)
        if known is None:
            known = parse_rational(text)
            if known < 0 and not self._signed:
                raise ParameterError(f"probability {beginning(text)} is negative")
            self._bits += known.numerator.bit_length() + known.denominator.bit_length()
            if self._bits > 2 * ROWS_BITS:
                raise ParameterError(f"the numbers up to here have more than {2 * ROWS_BITS} bits")
            self._known[text] = known
        return known

    def decimals(self) -> dict[str, Fraction]:
        """The numbers that were written as decimals, which a program may have rounded, by their text."""
        return {
            text: value for text, value in self._known.items() if "/" not in text and not text.isdecimal()
        }


class Place:
    """A file, and how to refuse one of its lines."""

    def __init__(self, source: str | Path) -> None:
        self.source = source

    def refuse(self, message: str, line: int = 0, column: int = 0) -> NoReturn:
        """Raises: FormatError at that line."""
        raise FormatError(message, source=self.source, line=line, column=column)

    def refuse_process(self, line: int = 0) -> NoReturn:
        """Raises: FormatError: a decision process stands where a chain is asked for."""
        ask = f"bdist modelcheck {self.source} FORMULA"
        self.refuse(f"this is a Markov decision process, not a chain; ask: {ask}", line)

    def model_error(self, error: ModelError, line: int = 0, hint: str = "") -> ModelError:
        """The error of a model with the line that declares the state it is about, and a hint."""
        where = f"{self.source}:{line}" if line else f"{self.source}"
        return ModelError(f"{where}: {error}{f'; {hint}' if hint else ''}", state=error.state)


@dataclass(frozen=True)
class Target:
    """One entry of a row: where it goes, how likely, by which label if labels are on transitions, and where
    in the file it stands.
    """

    name: str
    probability: Fraction
    line: int
    column: int
    label: str = ""


class Scanner:
    """The text of one file and the place in it that is read next; ``NUMBER`` is how far a number goes, and
    ``END`` what may stand after a statement.
    """

    NUMBER: ClassVar[re.Pattern[str]] = re.compile(r"[^\s,\[\]\"#]+")
    END: ClassVar[str] = "the end of the line, a comment, or ',' and another transition"

    def __init__(self, text: str, source: str | Path) -> None:
        self.lines = text.split("\n")
        self.place = Place(source)
        self.line = 0
        self.position = 0
        self.number = Numbers()
        self.declared_at: dict[str | None, int] = {}

    def header(self, keyword: str, called: str = "the chain's name") -> str:
        """Read the keyword and the optional name of the model."""
        if not self.next_statement():
            self.place.refuse(f"the file is empty; it must begin with the keyword '{keyword}'")
        found = BARE.match(self.text(), self.position)
        if not found or found[0] != keyword:
            self.fail(f"the keyword '{keyword}' at the beginning of the file")
        self.position = found.end()
        self.skip_blank()
        name = "" if self.at_end() else self.name(called)
        self.end_of_line()
        return name

    def statements(self) -> Iterator[tuple[int, int]]:
        """Every line of the file that declares something, with its line and column."""
        while self.next_statement():
            yield self.line + 1, self.position + 1
            self.end_of_line()

    def next_statement(self) -> bool:
        """Move to the first character of the next line that holds more than blanks and a comment."""
        while self.line < len(self.lines):
            self.skip_blank()
            if not self.at_end():
                return True
            self.line += 1
            self.position = 0
        self.line = len(self.lines) - 1
        self.position = len(self.text())
        return False

    def declare(self, state: str, line: int, column: int) -> None:
        """Note where a state is declared. Raises: FormatError where it was declared before."""
        if state in self.declared_at:
            self.place.refuse(f"state '{state}' is declared twice", line, column)
        self.declared_at[state] = line

    def check_targets(self, state: str, row: list[Target]) -> None:
        """Raises: FormatError where a row goes to a state that is not declared."""
        for target in row:
            if target.name not in self.declared_at:
                self.place.refuse(
                    f"state '{state}' goes to '{target.name}', which is not declared",
                    target.line,
                    target.column,
                )

    def model_error(self, error: ModelError) -> ModelError:
        """The error of a model, with the line of the state that it is about."""
        return self.place.model_error(error, self.declared_at.get(error.state, 0))

    def row(self, *, labelled: bool) -> Iterator[Target]:
        """A row: ``probability target, ...``, or ``probability [label] target, ...`` if it is labelled."""
        seen: set[tuple[str, str]] = set()
        while True:
            probability = self.rational("a probability such as 1/2 or 0.5")
            label = self.bracketed_label() if labelled else ""
            self.skip_blank()
            line, column = self.line + 1, self.position + 1
            name = self.name("the name of the target state")
            if (label, name) in seen:
                by = f" by label '{label}'" if labelled else ""
                self.refuse(f"target '{name}'{by} stands twice in one row", column=column)
            seen.add((label, name))
            yield Target(name, probability, line, column, label)
            if not self.takes_comma("another probability"):
                return

    def takes_comma(self, what: str) -> bool:
        """Step over a comma if it stands here; a line that ends in one goes on in the next.

        Raises: FormatError where the file ends in a comma, after which ``what`` was expected.
        """
        self.skip_blank()
        if not self.text().startswith(",", self.position):
            return False
        self.position += 1
        self.skip_blank()
        if self.at_end():
            self.line += 1
            self.position = 0
            if not self.next_statement():
                self.fail(f"{what} after ','")
        return True

    def bracketed_label(self) -> str:
        """A label in square brackets."""
        self.symbol("[", "'[' and the label")
        label = self.name("a label")
        self.symbol("]", "']' after the label")
        return label

    def name(self, what: str) -> str:
        """A name, bare or in double quotes."""
        self.skip_blank()
        bare = BARE.match(self.text(), self.position)
        if bare:
            self.position = bare.end()
            return bare[0]
        quoted = _QUOTED.match(self.text(), self.position)
        if quoted:
            self.position = quoted.end()
            return unquoted(quoted[1])
        if self.text().startswith('"', self.position):
            self.fail("a closing double quote on the same line")
        return self.fail(f"{what}: letters, digits and _ . ' + -, or any text in double quotes")

    def rational(self, what: str) -> Fraction:
        """A number, read exactly."""
        self.skip_blank()
        number = self.NUMBER.match(self.text(), self.position)
        if number is None:
            self.fail(what)
        try:
            value = self.number(number[0])
        except ParameterError as error:
            self.refuse(str(error))
        self.position = number.end()
        return value

    def symbol(self, symbol: str, what: str) -> None:
        """Step over a symbol."""
        self.skip_blank()
        if not self.text().startswith(symbol, self.position):
            self.fail(what)
        self.position += len(symbol)

    def end_of_line(self, expected: str = "") -> None:
        """Step over the end of the line and a comment before it, or refuse what else is there."""
        self.skip_blank()
        if not self.at_end():
            self.fail(expected or self.END)
        self.line += 1
        self.position = 0

    def text(self) -> str:
        """The line that is read."""
        return self.lines[self.line]

    def at_end(self) -> bool:
        """Whether nothing but a comment is left of the line."""
        return self.position >= len(self.text()) or self.text()[self.position] == "#"

    def skip_blank(self) -> None:
        """Step over blanks."""
        blank = _BLANK.match(self.text(), self.position)
        if blank:
            self.position = blank.end()

    def fail(self, expected: str) -> NoReturn:
        """Raises: FormatError with what was expected here and what is there."""
        rest = self.text()[self.position :].strip()
        found = f"'{rest[:20]}'" if rest else "the end of the line"
        self.refuse(f"expected {expected}; found {found}")

    def refuse(self, message: str, column: int = 0) -> NoReturn:
        """Raises: FormatError here."""
        self.place.refuse(message, self.line + 1, column or self.position + 1)


class WordScanner(Scanner):
    """A scanner for formats with words of their own, in which no name holds a control character."""

    def name(self, what: str) -> str:
        """A name, bare or in double quotes. Raises: FormatError also for characters that no name may have."""
        self.skip_blank()
        column = self.position + 1
        name = super().name(what)
        if _FORBIDDEN.search(name):
            self.refuse(f"name '{name}' {_UNSHOWN}", column)
        return name

    def placed_name(self, what: str) -> tuple[int, str]:
        """A name and its column."""
        self.skip_blank()
        return self.position + 1, self.name(what)

    def word(self) -> str:
        """The word that stands here, empty if there is none."""
        word = BARE.match(self.text(), self.position)
        return word[0] if word else ""

    def takes(self, word: str) -> bool:
        """Step over a word if it stands here."""
        self.skip_blank()
        if self.word() != word:
            return False
        self.position += len(word)
        return True

    def sees(self, symbol: str) -> bool:
        """Whether a symbol stands here."""
        self.skip_blank()
        return self.text().startswith(symbol, self.position)

    def end(self, expected: str) -> None:
        """Raises: FormatError with what was expected where more than a comment is left of the line."""
        self.skip_blank()
        if not self.at_end():
            self.fail(expected)


def words_of(line: str) -> list[str]:
    """The words of a line; unlike ``str.split``, only blanks of ASCII part them."""
    return _WORDS.findall(line)


# --- names: how a file writes one, and how an unknown one is refused ---


def name_text(name: str, reserved: Collection[str] = ()) -> str:
    """A name as files have it: bare where it can be and no reserved word, in double quotes otherwise."""
    return name if BARE.fullmatch(name) and name not in reserved else quoted(name)


def is_unshown(name: str) -> bool:
    """Whether it holds a control character or half of a surrogate pair, as no name of a model does."""
    return not name.isprintable() and _FORBIDDEN.search(name) is not None


def check_characters(name: str, kind: str = "") -> None:
    """Raises: ModelError where a name of a model holds what no text could show."""
    if is_unshown(name):
        called = f"{kind} {name!r}" if kind else repr(name)
        raise ModelError(f"{called} {_UNSHOWN}")


def quoted(name: str) -> str:
    """A name in double quotes, in which a backslash stands before quotes and backslashes."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def unquoted(text: str) -> str:
    """The name that is written so between double quotes; inverse to `quoted`."""
    return re.sub(r'\\(["\\])', r"\1", text)


def resembling(wanted: str, names: Sequence[str]) -> str:
    """The end of a message that refuses a name: the one it resembles most, if any."""
    near = get_close_matches(wanted, names, n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def suggestion(wanted: str, names: Iterable[str]) -> str:
    """The end of a message that refuses ``wanted``: the name it resembles most, if any, and all there are."""
    known = list(names)
    near = get_close_matches(wanted, known, n=1, cutoff=0.4)
    meant = f"did you mean {near[0]}? " if near else ""
    return f"{meant}there are {', '.join(known)}" if known else "there are none"


def unknown_state(wanted: object, states: Sequence[str], model: str) -> ParameterError:
    """The refusal of a state that a model has not, with the three names nearest to it, or the first five."""
    near = get_close_matches(str(wanted), states, n=3, cutoff=0.5) or states[:5]
    listed = ", ".join(near) + (", ..." if len(states) > len(near) else "")
    return ParameterError(f"there is no state '{wanted}'; this {model} has {listed}")

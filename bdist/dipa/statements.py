"""One line of a ``.dipa`` file, part by part.

The grammar is in `dipa`. Nearly all lines of a large file are plain and are matched there as a whole; this is
the scanner for the others (comments, quotes, unusual blanks) and for everything that is wrong, so it is the
one that knows what is expected next. It reads a line at a time and remembers nothing but numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from bdist.dipa.automaton import Guard, Noise, Output, Real
from bdist.errors import ParameterError
from bdist.text.places import Numbers
from bdist.text.scanner import WordScanner

STATE_EXAMPLE = "a state such as: state q0 [1/2, 0]"
SAMPLES = {real.value: real for real in Real}

_NUMBER = re.compile(r"[^\s,\[\]\"#]+")
_END = "the end of the line or a comment"


@dataclass(frozen=True, slots=True)
class Declaration:
    """A state, with the columns of its name and of the word ``initial``, which is 0 where it is not there."""

    name: str
    column: int
    initial_column: int
    reads_input: bool
    noise: Noise
    second: Noise | None


@dataclass(frozen=True, slots=True)
class Step:
    """A transition, with the columns of its states."""

    source: str
    source_column: int
    target: str
    target_column: int
    guard: Guard
    output: Output
    assigns: bool


class LineScanner(WordScanner):
    """The line of a file that is read, and the place in it that is read next."""

    def __init__(self, source: str | Path) -> None:
        super().__init__("", source)
        self.number = Numbers(signed=True)
        self._line_number = 0

    def enter(self, text: str, line_number: int) -> bool:
        """Begin with another line; the result is whether there is a statement in it."""
        self.lines = [text]
        self.line = self.position = 0
        self._line_number = line_number
        self.skip_blank()
        return not self.at_end()

    def read_header(self) -> str:
        """The keyword and the optional name of the automaton."""
        if not self.takes("dipa"):
            self.fail("the keyword 'dipa' at the beginning of the file")
        self.skip_blank()
        name = "" if self.at_end() else self.name("the automaton's name")
        self.end(_END)
        return name

    def read_statement(self) -> Declaration | Step:
        """A state or a transition. Raises: FormatError with line and column."""
        if self.takes("state"):
            return self._read_state()
        if not self.word() and not self.sees('"'):
            self.fail(f"{STATE_EXAMPLE}, or a transition such as: q0 -> q1 true / bot")
        source_column, source = self.placed_name("the name of the source state")
        self.symbol("->", "'->' with a blank before it, and the target")
        target_column, target = self.placed_name("the name of the target state")
        guard = self._guard()
        self.symbol("/", "'/' and the output")
        output = self._output()
        assigns = self._assignment()
        self.end(_END if assigns else f"'x := insample', {_END}")
        return Step(source, source_column, target, target_column, guard, output, assigns)

    def _read_state(self) -> Declaration:
        column, name = self.placed_name("the name of the state")
        self.skip_blank()
        column_after = self.position + 1
        initial_column = column_after if self.takes("initial") else 0
        reads_input = self.takes("input")
        self.symbol("[", f"{'' if reads_input else 'input, or '}'[' and the scale coefficient")
        noise = self._noise()
        second = None
        if self.sees("["):
            self.position += 1
            second = self._noise()
        self.end(f"'[' and the noise of insample', {_END}" if second is None else _END)
        return Declaration(name, column, initial_column, reads_input, noise, second)

    def _noise(self) -> Noise:
        """What follows '[', up to the ']'."""
        d, mu = self._rational("a scale coefficient such as 1/2"), Fraction(0)
        if self.sees(","):
            self.position += 1
            mu = self._rational("a mean offset such as 0")
            self.symbol("]", "']' after the mean offset")
        else:
            self.symbol("]", "']', or ',' and the mean offset")
        return Noise(d, mu)

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

    def _guard(self) -> Guard:
        if self.takes("true"):
            return Guard.TRUE
        if not self.takes("insample"):
            self.fail("a guard: true, insample < x, or insample >= x")
        guard, sign = (Guard.LESS, "<") if self.sees("<") else (Guard.AT_LEAST, ">=")
        self.symbol(sign, "'< x' or '>= x'")
        if not self.takes("x"):
            self.fail(f"'x' after '{sign}'")
        return guard

    def _output(self) -> Output:
        self.skip_blank()
        sample = SAMPLES.get(self.word())
        name = self.name("an output (insample, insample', or a symbol)")
        return name if sample is None else sample

    def _assignment(self) -> bool:
        if not self.takes("x"):
            return False
        self.symbol(":=", "':= insample'")
        if not self.takes("insample"):
            self.fail("'insample', which is all that may be assigned to x")
        return True

    def refuse(self, message: str, column: int = 0) -> NoReturn:
        """Raises: FormatError here."""
        self.place.refuse(message, self._line_number, column or self.position + 1)

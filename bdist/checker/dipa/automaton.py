r"""The ``.dipa`` file, read from scratch, and its fingerprint.

This reader shares no code with the rest of bdist. The grammar of the format (SPEC.md section 1, in
``bdist/dipa``) is such that a line is a statement, and a statement is a regular expression: there is one for
each kind, and a line that matches none is refused. Their repetitions are possessive (``++``), as a word is
the longest run of its characters; what may follow a word is then no part of another one. Nothing is repaired.

States are numbers in the order in which the file names them first, be that in a declaration or not; in the
end all must have been declared. A sample as an output is the number 1 (insample) or 2 (insample'), so that
it is no symbol, whatever that is called.

A million transitions take some seconds. The same few numbers stand in most lines, and are read once. They are
within limits, one by one, all together, and in what they have in common.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from operator import attrgetter
from typing import NamedTuple, NoReturn

from ..core.limits import ROW_BITS, ROWS_BITS
from ..core.numbers import brief, rational_text, size
from ..core.text import (
    BLANKS,
    NAME_PART,
    Fingerprinted,
    check_length,
    name_of,
    number_of,
    refuse_line,
    shown,
    start_of,
)

TRUE, LESS, AT_LEAST = "true", "<", ">="
SAMPLE, SECOND = 1, 2
NUMBERS_BITS = 2 * ROWS_BITS  # of all different numbers of a file
COMMON_BITS = ROW_BITS  # of the common denominator of all scale coefficients

_SAMPLES = {"insample": SAMPLE, "insample'": SECOND}  # as outputs, without quotes
_TRUTH = ("false", "true")
_quoted = json.JSONEncoder(ensure_ascii=True).encode

_PART = r"[A-Za-z0-9_.'+-]"  # of a word
_COMMENT = r"(?:#.*+)?+"


def _parts(*parts: str) -> str:
    """Parts of a statement, each perhaps with blanks before it."""
    return "".join(BLANKS + part for part in parts)


def _line(*parts: str) -> re.Pattern[str]:
    """A line with a statement of these parts, and perhaps a comment."""
    return re.compile(_parts(*parts, rf"{_COMMENT}(?:\n|\Z)"))


def _word(word: str) -> str:
    return f"{word}(?!{_PART})"


_NAME = f"({NAME_PART})"
_NUMBER = r'([^\s,\[\]"#]++)'
_NOISE = _parts(r"\[", _NUMBER, f"(?:{_parts(',', _NUMBER)})?+", r"\]")
_COMPARISON = _parts(_word("insample"), "(<|>=)", _word("x"))
_ASSIGNMENT = _parts(_word("x"), ":=", _word("insample"))

_NOTHING = re.compile(rf"(?:{_parts(_COMMENT)}\n)++|{_parts(_COMMENT)}\Z")  # as many lines as there are
_HEADER = _line(_word("dipa"), f"{_NAME}?+")
_STATE = _line(
    *(_word("state"), _NAME, f"({_word('initial')})?+", f"({_word('input')})?+", _NOISE, f"(?:{_NOISE})?+")
)
_TRANSITION = _line(
    f"(?!{_word('state')})",
    *(_NAME, "->", _NAME, f"(?:{_word('true')}|{_COMPARISON})", "/", _NAME, f"({_ASSIGNMENT})?+"),
)


class Noise(NamedTuple):
    """A Laplace distribution with density (d ε/2) exp(−d ε |z − μ|), shifted by the input if one is read.

    ``form`` is what stands for it in the canonical form.
    """

    d: Fraction
    mu: Fraction
    form: str


class State(NamedTuple):
    """A control state; ``second`` is the noise of insample', where it is given."""

    name: str
    reads_input: bool
    noise: Noise
    second: Noise | None


class Transition(NamedTuple):
    """A transition between states by number; the output is a symbol, or the number of a sample."""

    source: int
    target: int
    guard: str
    output: str | int
    assigns: bool


@dataclass(frozen=True)
class Automaton(Fingerprinted):
    """States and transitions, for each state those that leave it, and the number of the initial state."""

    states: list[State]
    transitions: list[Transition]
    outgoing: list[list[Transition]]
    initial: int

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The states by name."""
        return {state.name: number for number, state in enumerate(self.states)}

    def shown(self, number: int) -> str:
        """The name of a state for a message."""
        return shown(self.states[number].name)

    def canonical_parts(self) -> Iterator[str]:
        """The form of SPEC section 1, a state at a time."""
        before = f'["dipa",{_quoted(self.states[self.initial].name)},['
        for name in sorted(self.numbers):
            number = self.numbers[name]
            _, reads_input, noise, second = self.states[number]
            moves = ",".join(
                map(self._transition_form, sorted(self.outgoing[number], key=attrgetter("guard")))
            )
            noises = f"{noise.form},{'null' if second is None else second.form}"
            yield f"{before}[{_quoted(name)},{_TRUTH[reads_input]},{noises},[{moves}]]"
            before = ","
        yield "]]"

    def _transition_form(self, move: Transition) -> str:
        _, target, guard, output, assigns = move
        written = str(output) if isinstance(output, int) else _quoted(output)
        return f'["{guard}",{written},{_TRUTH[assigns]},{_quoted(self.states[target].name)}]'


def read_automaton(text: str) -> Automaton:
    """The automaton in a ``.dipa`` text. Raises: BadModel."""
    check_length(text)
    reader = _Reader(text)
    reader.read()
    return reader.automaton()


class _Reader:
    """What a file has declared so far; states that are named and not declared have None for a record.

    Names are looked up by their spelling, with or without quotes, and made out once.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 0
        self._numbers: dict[str, int] = {}
        self._spelled: dict[str, int] = {}
        self._states: list[State | None] = []
        self._lines: list[int] = []  # where a state is declared, or until then where it is named
        self._transitions: list[Transition] = []
        self._initial: int | None = None
        self._first: int | None = None
        self._outputs: dict[str, str | int] = dict(_SAMPLES)
        self._noises: dict[tuple[str, str | None], Noise] = {}
        self._values: dict[str, Fraction] = {}
        self._bits = 0
        self._common = 1

    def read(self) -> None:
        text, start = self._text, self._after_header()
        nothing, state, transition = _NOTHING.match, _STATE.match, _TRANSITION.match
        while start < len(text):
            self._line += 1
            found = transition(text, start)
            if found is not None:
                self._add_transition(*found.groups())
            elif (found := state(text, start)) is not None:
                self._declare(*found.groups())
            elif (found := nothing(text, start)) is not None:
                self._line += max(found[0].count("\n") - 1, 0)
            else:
                what = "a state such as: state q0 [1/2, 0], or a transition such as: q0 -> q1 true / bot"
                self._fail(what, start)
            start = found.end()

    def automaton(self) -> Automaton:
        """What was read, once it is known to be an automaton. Raises: BadModel."""
        if self._first is None:
            refuse_line(self._line, "there is no state")
        states: list[State] = []
        for number, state in enumerate(self._states):
            if state is None:
                name = next(name for name, known in self._numbers.items() if known == number)
                refuse_line(self._lines[number], f"the state {shown(name)} is not declared")
            states.append(state)
        outgoing: list[list[Transition]] = [[] for _ in states]
        for move in self._transitions:
            outgoing[move.source].append(move)
        for state, moves, line in zip(states, outgoing, self._lines, strict=True):
            problem = _problem(state, moves)
            if problem is not None:
                refuse_line(line, f"state {shown(state.name)} {problem}")
        initial = self._first if self._initial is None else self._initial
        if [(move.guard, move.assigns) for move in outgoing[initial]] != [(TRUE, True)]:
            wanted = "must have one transition, with the guard true, that assigns x"
            refuse_line(self._lines[initial], f"the initial state {shown(states[initial].name)} {wanted}")
        return Automaton(states, self._transitions, outgoing, initial)

    def _after_header(self) -> int:
        """Where the line after the header begins."""
        nothing = _NOTHING.match(self._text)
        start, self._line = (nothing.end(), nothing[0].count("\n") + 1) if nothing is not None else (0, 1)
        header = _HEADER.match(self._text, start)
        if header is None:
            self._fail("the keyword 'dipa' and perhaps a name", start)
        if header[1] is not None:
            name_of(header[1], self._line)
        return header.end()

    def _add_transition(
        self, source: str, target: str, sign: str | None, output: str, assigns: str | None
    ) -> None:
        start, end, written = self._spelled.get(source), self._spelled.get(target), self._outputs.get(output)
        if start is None:
            start = self._number(source)
        if end is None:
            end = self._number(target)
        if written is None:
            written = self._outputs[output] = name_of(output, self._line)
        self._transitions.append(Transition(start, end, sign or TRUE, written, assigns is not None))

    def _declare(
        self,
        spelled: str,
        initial: str | None,
        reads_input: str | None,
        d: str,
        mu: str | None,
        second_d: str | None,
        second_mu: str | None,
    ) -> None:
        name, number = name_of(spelled, self._line), self._number(spelled)
        if self._states[number] is not None:
            refuse_line(self._line, f"state {shown(name)} is declared twice")
        second = None if second_d is None else self._noise(second_d, second_mu)
        self._states[number] = State(name, reads_input is not None, self._noise(d, mu), second)
        self._lines[number] = self._line
        if initial is not None:
            if self._initial is not None:
                refuse_line(self._line, f"state {shown(name)} is a second initial one")
            self._initial = number
        if self._first is None:
            self._first = number

    def _number(self, spelled: str) -> int:
        """The number of a state, which it gets when it is named first."""
        number = self._spelled.get(spelled)
        if number is None:
            number = self._numbers.setdefault(name_of(spelled, self._line), len(self._numbers))
            self._spelled[spelled] = number
            if number == len(self._states):
                self._states.append(None)
                self._lines.append(self._line)
        return number

    def _noise(self, d: str, mu: str | None) -> Noise:
        known = self._noises.get((d, mu))
        if known is None:
            pair = self._value(d), Fraction(0) if mu is None else self._value(mu)
            if pair[0] <= 0:
                refuse_line(self._line, f"the scale coefficient {brief(pair[0])} is not positive")
            self._common = lcm(self._common, pair[0].denominator)
            if self._common.bit_length() > COMMON_BITS:
                what = f"a common denominator of more than {COMMON_BITS} bits"
                refuse_line(self._line, f"the scale coefficients up to here have {what}")
            form = f'["{rational_text(pair[0])}","{rational_text(pair[1])}"]'
            known = self._noises[d, mu] = Noise(*pair, form)
        return known

    def _value(self, text: str) -> Fraction:
        known = self._values.get(text)
        if known is None:
            known = self._values[text] = number_of(text, self._line)
            self._bits += size(known)
            if self._bits > NUMBERS_BITS:
                refuse_line(self._line, f"the numbers up to here have more than {NUMBERS_BITS} bits")
        return known

    def _fail(self, expected: str, start: int) -> NoReturn:
        end = self._text.find("\n", start)
        line = self._text[start : len(self._text) if end < 0 else end].strip(" \t\r")
        refuse_line(self._line, f"expected {expected}; found {start_of(line)}")


def _problem(state: State, moves: list[Transition]) -> str | None:
    """Which condition of SPEC section 1 on the transitions of a state does not hold."""
    if len(moves) > 1:
        first, other = moves[0], moves[1]
        if len(moves) > 2 or TRUE in (first.guard, other.guard) or first.guard == other.guard:
            return "has guards that do not exclude each other"
        if first.output == other.output or (isinstance(first.output, int) and isinstance(other.output, int)):
            return "has outputs that do not tell its transitions apart"
    for move in moves:
        if move.guard != TRUE and not state.reads_input:
            return "reads no input and compares"
        if move.output == SECOND and state.second is None:
            return "writes insample', whose noise is not given"
    return None

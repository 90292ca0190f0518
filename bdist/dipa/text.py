"""The ``.dipa`` format: differentially private automata, one thing a line.

    # comment to the end of the line
    dipa sparse-vector                         # keyword, optional name
    state q0 [1/2, 0]                          # [scale coefficient d, mean offset mu]; reads no input
    state q1 input [1/4, 0]                    # reads an input
    state q2 [1]                               # an offset that is left out is 0
    q0 -> q1 true / bot x := insample          # source -> target guard / output, and perhaps the assignment
    q1 -> q1 insample < x / bot
    q1 -> q2 insample >= x / top

A second pair of brackets is the noise of insample', which a state needs where it writes it:

    state q1 input [2/9, 0] [1/9, 0]
    q1 -> q2 insample >= x / insample'

SPEC.md section 1 has the grammar, in which a statement is one line, and section 5 the limits on numbers. A
word is a longest run of ``A-Z a-z 0-9 _ . ' + -``, so there is a blank before ``->``. Words of the format are
not reserved, but for two, which need quotes as names: ``state`` at the beginning of a line, and ``insample``
and ``insample'`` as outputs.

The order of declaration is the order of the states, and that of the transitions counts as well. The initial
state is the one whose declaration says ``initial``; if none does, the first. A state may be used before its
declaration. What must hold beyond the form is the model's business (`bdist.dipa.automaton`), and is refused
with the line of the state.

Plain lines, as `write` has them, are matched as a whole, and what is the same in many lines is kept once:
that is all there is to reading a million transitions in seconds. All other lines and everything that is wrong
are read part by part, with a cursor that knows what is expected next. The text is not cut into lines first,
as a gigabyte of line feeds would become a list of eight. Memory is about ten times the size of the file.

Decided against: names for the parts of the noise (``[d=1/2, mu=0]``), which nobody wants to type twice, and
transitions below their states without the source, as a line would mean something else in another place.
"""

from __future__ import annotations

import re
from array import array
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from bdist.dipa.automaton import Automaton, ControlState, Guard, Noise, Output, Real, Transition
from bdist.errors import ModelError
from bdist.exact.rationals import rational_text
from bdist.text.files import read_text
from bdist.text.scanner import END_OF_LINE, Numbers, WordScanner, name_text

SUFFIX = ".dipa"

_GUARDS = {guard.value: guard for guard in Guard}
_SAMPLES = {real.value: real for real in Real}
_STATE_EXAMPLE = "a state such as: state q0 [1/2, 0]"
_WORD = r"[A-Za-z0-9_.'+-]++"
_END = r"[ \t\r]*+(?:\n|\Z)"
# possessive, so that a line of 10 MB leaves no million places to come back to
_PLAIN_TRANSITION = re.compile(
    rf"(?!state[ \t])({_WORD})[ \t]++->[ \t]++({_WORD})[ \t]++(true|insample < x|insample >= x)"
    rf"[ \t]++/[ \t]++({_WORD})([ \t]++x := insample)?+{_END}"
)
_PLAIN_NOISE = r"\[[0-9.eE+/, -]++\]"
_PLAIN_STATE = re.compile(
    rf"state[ \t]++({_WORD})[ \t]++(input[ \t]++)?+({_PLAIN_NOISE}(?: {_PLAIN_NOISE})?+){_END}"
)
_NOTHING = re.compile(r"(?:[ \t\r]*+(?:#[^\n]*+)?+\n)++")  # lines without a statement


def load_automaton(path: str | Path) -> Automaton:
    """Read a ``.dipa`` file.

    Raises: FormatError where it cannot be read or does not follow the format, with line and column;
    ModelError with the line of the state where an assumption of the model does not hold.
    """
    return read(read_text(path), path)


def read(text: str, source: str | Path = "<text>") -> Automaton:
    """Parse ``.dipa`` text. Raises: FormatError with line and column; ModelError with the state's line."""
    return _Reader(text, source).automaton()


def write(automaton: Automaton) -> str:
    """The automaton as ``.dipa`` text; reading it back gives an equal automaton of the same name."""
    lines = ["dipa" + (f" {name_text(automaton.name)}" if automaton.name else "")]
    names = [name_text(state.name, ("state",)) for state in automaton.states]
    for number, (name, state) in enumerate(zip(names, automaton.states, strict=True)):
        initial = " initial" if number == automaton.initial != 0 else ""
        reads = " input" if state.reads_input else ""
        second = "" if state.second is None else f" {_noise_text(state.second)}"
        lines.append(f"state {name}{initial}{reads} {_noise_text(state.noise)}{second}")
    for move in automaton.transitions:
        output = str(move.output) if isinstance(move.output, Real) else name_text(move.output, _SAMPLES)
        assigns = " x := insample" if move.assigns else ""
        lines.append(f"{names[move.source]} -> {names[move.target]} {move.guard.value} / {output}{assigns}")
    return "\n".join(lines) + "\n"


def _noise_text(noise: Noise) -> str:
    return f"[{rational_text(noise.d)}, {rational_text(noise.mu)}]"


class _Reader(WordScanner):
    """The line that is read, and what the file has declared so far.

    A state gets a number when it is first named, its *mention*. ``_positions`` has for each mention the
    position of the state in the order of declaration, or -1 as long as it has none, and ``_lines`` the line
    of the declaration. Where a state is named before it is declared, ``_early`` says where that was and how.
    """

    END = END_OF_LINE

    def __init__(self, text: str, source: str | Path) -> None:
        super().__init__("", source)
        self.number = Numbers(signed=True)
        self._text = text
        self._line = 0  # that is read, counted from 1
        self._initial: int | None = None
        self._mentions: dict[str, int] = {}
        self._positions = array("q")
        self._lines = array("q")
        self._early: dict[int, tuple[int, int, str]] = {}
        self._states: list[ControlState] = []
        self._sources = array("q")
        self._targets = array("q")
        self._kinds: list[tuple[Guard, Output, bool]] = []

    def automaton(self) -> Automaton:
        has_statement, start = False, 0
        while not has_statement and start < len(self._text):
            has_statement, start = self._enter_line(start)
        name = self.header("dipa", "the automaton's name")
        self._read_statements(start)
        if not self._states:
            column = len(self._text) - self._text.rfind("\n")
            message = f"expected {_STATE_EXAMPLE}; found the end of the file"
            self.place.refuse(message, self._text.count("\n") + 1, column)
        for state, mention in self._mentions.items():
            if self._positions[mention] < 0:
                line, column, how = self._early[mention]
                self.place.refuse(f"a transition {how} '{state}', which is not declared", line, column)
        positions = self._positions
        transitions = tuple(
            Transition(positions[source], positions[target], guard, output, assigns)
            for source, target, (guard, output, assigns) in zip(
                self._sources, self._targets, self._kinds, strict=True
            )
        )
        try:
            return Automaton(tuple(self._states), transitions, self._initial or 0, name)
        except ModelError as error:
            line = 0 if error.state is None else self._lines[self._mentions[error.state]]
            raise self.place.model_error(error, line) from None

    def _read_statements(self, start: int) -> None:
        """All lines from there on: those that are plain as a whole, the others part by part."""
        text, length = self._text, len(self._text)
        plain_transition, plain_state = _PLAIN_TRANSITION.match, _PLAIN_STATE.match
        mention_of = self._mentions.get
        add_source, add_target, add_kind = self._sources.append, self._targets.append, self._kinds.append
        kinds: dict[tuple[str, str, bool], tuple[Guard, Output, bool]] = {}
        noises: dict[str, tuple[Noise, Noise | None]] = {}
        while start < length:
            plain = plain_transition(text, start)
            if plain is not None:
                self._line += 1
                source, target, guard, output, assigned = plain.groups()
                mention = mention_of(source)
                add_source(self._mention(source, 1, "leaves") if mention is None else mention)
                mention = mention_of(target)
                if mention is None:
                    mention = self._mention(target, plain.start(2) - start + 1, "goes to")
                add_target(mention)
                key = guard, output, assigned is not None
                kind = kinds.get(key)
                if kind is None:
                    kind = kinds[key] = _GUARDS[guard], _SAMPLES.get(output, output), key[2]
                add_kind(kind)
                start = plain.end()
                continue
            plain = plain_state(text, start)
            if plain is not None and plain[3] in noises:
                self._line += 1
                state = ControlState(plain[1], plain[2] is not None, *noises[plain[3]])
                self._declare(state, plain.start(1) - start + 1)
                start = plain.end()
                continue
            has_statement, start = self._enter_line(start)
            if has_statement:
                self._read_statement()
                if plain is not None:
                    noises[plain[3]] = self._states[-1].noise, self._states[-1].second

    def _enter_line(self, start: int) -> tuple[bool, int]:
        """Put the cursor on the line that begins there: is a statement in it, and where is the next line?

        Lines without one are passed over together.
        """
        nothing = _NOTHING.match(self._text, start)
        if nothing is not None:
            self._line += self._text.count("\n", start, nothing.end())
            return False, nothing.end()
        end = self._text.find("\n", start)
        if end < 0:
            end = len(self._text)
        self._line += 1
        self.lines = [self._text[start:end]]
        self.line = self.position = 0
        self.skip_blank()
        return not self.at_end(), end + 1

    def _read_statement(self) -> None:
        if self.takes("state"):
            self._read_state()
        elif self.word() or self.sees('"'):
            self._read_transition()
        else:
            self.fail(f"{_STATE_EXAMPLE}, or a transition such as: q0 -> q1 true / bot")

    def _read_state(self) -> None:
        column, name = self.placed_name("the name of the state")
        self.skip_blank()
        initial_column = self.position + 1
        is_initial = self.takes("initial")
        reads_input = self.takes("input")
        self.symbol("[", f"{'' if reads_input else 'input, or '}'[' and the scale coefficient")
        noise = self._noise()
        second = None
        if self.sees("["):
            self.position += 1
            second = self._noise()
        self.end(f"'[' and the noise of insample', {END_OF_LINE}" if second is None else END_OF_LINE)
        if is_initial:
            if self._initial is not None:
                before = self._states[self._initial].name
                self.refuse(
                    f"state '{name}' is initial, as '{before}' is already; there is only one", initial_column
                )
            self._initial = len(self._states)
        self._declare(ControlState(name, reads_input, noise, second), column)

    def _read_transition(self) -> None:
        source_column, source = self.placed_name("the name of the source state")
        self.symbol("->", "'->' with a blank before it, and the target")
        target_column, target = self.placed_name("the name of the target state")
        guard = self._guard()
        self.symbol("/", "'/' and the output")
        output = self._output()
        assigns = self._assignment()
        self.end(END_OF_LINE if assigns else f"'x := insample', {END_OF_LINE}")
        for name, column, how, numbers in (
            (source, source_column, "leaves", self._sources),
            (target, target_column, "goes to", self._targets),
        ):
            mention = self._mentions.get(name)
            numbers.append(self._mention(name, column, how) if mention is None else mention)
        self._kinds.append((guard, output, assigns))

    def _declare(self, state: ControlState, column: int) -> None:
        """Add a state. Raises: FormatError where it was declared before."""
        mention = self._number(state.name)
        if self._positions[mention] >= 0:
            self.place.refuse(f"state '{state.name}' is declared twice", self._line, column)
        self._positions[mention] = len(self._states)
        self._lines[mention] = self._line
        self._states.append(state)

    def _mention(self, name: str, column: int, how: str) -> int:
        """Number a state that a transition names before its declaration, and note where."""
        mention = self._number(name)
        self._early[mention] = self._line, column, how
        return mention

    def _number(self, name: str) -> int:
        mention = self._mentions.setdefault(name, len(self._positions))
        if mention == len(self._positions):
            self._positions.append(-1)
            self._lines.append(0)
        return mention

    def _noise(self) -> Noise:
        """What follows '[', up to the ']'."""
        d, mu = self.rational("a scale coefficient such as 1/2"), Fraction(0)
        if self.sees(","):
            self.position += 1
            mu = self.rational("a mean offset such as 0")
            self.symbol("]", "']' after the mean offset")
        else:
            self.symbol("]", "']', or ',' and the mean offset")
        return Noise(d, mu)

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
        sample = _SAMPLES.get(self.word())
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
        self.place.refuse(message, self._line, column or self.position + 1)

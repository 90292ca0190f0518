r"""A hidden Markov model from its file, what it must satisfy, and its fingerprint. SPEC section 1.

This reader shares no code with the rest of bdist. First it cuts the text into statements, from left to right,
and asks at each place for the part that the grammar has there: what a run of characters is depends on that,
as ``1-p`` is a name in one place and a formula in another. Every part may have blanks before it, and after a
comma lines that are empty but for a comment. Repetitions are possessive (``++``), as a word is the longest
run of its characters; nothing is tried a second time, but for the question whether a statement is a state,
and whether a state shows a single observation.

Formulas are cut out and computed later, when all names and parameters are known: then names are resolved,
every formula is shown to be at least 0 on the ranges of the parameters, and the formulas of a distribution
sum to 1, as polynomials. Nothing is repaired. What has the formula 0 is left out.

The same few formulas stand in most lines, and are computed once, from their text; which parameters a formula
names is kept, as each must have been declared before the formula is used. All that is made here from short
texts is counted as work.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from sys import intern
from typing import NamedTuple, NoReturn

from ..core.digits import brief, rational_text, size
from ..core.limits import Work
from ..core.text import Fingerprinted, check_length, name_of, number_of, refuse_line, shown, start_of
from .polynomials import BadFormula, Box, Calculator, Formula, Range, is_constant

# --- statements ---


ONE = "1"  # the formula of an observation that stands alone
WORDS = ("all", "common")

_PART = r"[A-Za-z0-9_.'+-]"  # of a word
_BLANKS = r"[ \t\r]*+"
_COMMENT = r"(?:#[^\n]*+)?+"


def _part(part: str) -> re.Pattern[str]:
    return re.compile(f"{_BLANKS}(?:{part})")


_NAME_PART = rf'{_PART}++|"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"'
_NAME = _part(f"({_NAME_PART})")
_STATE = _part(rf"({_NAME_PART}){_BLANKS}\[")
_ALONE = _part(rf"({_NAME_PART}){_BLANKS}\]")
_WORD = _part(rf"({_PART}++)")
_LETTERS = _part(rf"([A-Za-z_][A-Za-z0-9_]*+)(?!{_PART})")
_NUMBER = _part(r'([^\s,\[\]()"#]++)')
_DIGITS = _part(r"([0-9]++)")
_OPENING, _CLOSING = _part(r"([(\[])"), _part(r"([)\]])")
_ARROW, _OPEN, _CLOSE, _DOTS = (_part(f"({mark})") for mark in ("->", r"\[", r"\]", r"\.\."))
_COMMA = _part(rf"(,(?:{_BLANKS}{_COMMENT}\n)*+)")
_END = _part(rf"({_COMMENT}(?:\n|\Z))")
_NOTHING = re.compile(
    rf"(?:{_BLANKS}{_COMMENT}\n)*+(?:{_BLANKS}{_COMMENT}\Z)?+"
)  # as many lines as there are
_GAP = re.compile(_BLANKS)
_OUTSIDE = re.compile(r'[^\s,\[\]"#()]*+')  # of a formula, where no parenthesis is open
_INSIDE = re.compile(r'[^\n,\[\]"#()]*+')  # and where one is; no part of a formula but blanks is white space


class Entry(NamedTuple):
    """A formula, and the state or the observation that has this probability."""

    formula: str
    name: str
    secrets: tuple[str, ...]  # of a case of a prior
    line: int


class Parameter(NamedTuple):
    """A parameter and its range."""

    name: str
    low: Fraction
    high: Fraction


class Distribution(NamedTuple):
    """A name with its entries, as an initial distribution and a prior are."""

    name: str
    entries: list[Entry]
    line: int
    parameters: int  # that were declared before


class StateText(NamedTuple):
    """A state as it is written."""

    name: str
    observed: list[Entry]
    row: list[Entry] | None
    line: int
    parameters: int


class Statements(NamedTuple):
    """What a file declares, in its order."""

    parameters: list[Parameter]
    states: list[StateText]
    initials: list[Distribution]
    priors: list[Distribution]
    lines: int


def read_statements(text: str) -> Statements:
    """The statements of an ``.hmm`` text. Raises: BadModel."""
    check_length(text)
    return _Reader(text).read()


class _Reader:
    """A place in the text, and what was declared before it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position, self._line, self._first_line = 0, 1, 1
        self._found = Statements([], [], [], [], 0)
        self._scenarios: set[str] = set()
        self._in_scenario = False
        self._said: set[str] = set()  # what a scenario says at most once
        self._statements = {
            "parameter": self._parameter,
            "initial": self._initial,
            "scenario": self._scenario,
            "prior": self._prior,
            "pair": self._pair,
            "words": self._words,
            "epsilon": self._epsilon,
            "length": self._length,
        }

    def read(self) -> Statements:
        self._pass_nothing()
        start = self._position
        if _STATE.match(self._text, start) or self._maybe(_WORD) != "hmm":
            self._position = start
            self._fail("the keyword 'hmm' and perhaps a name")
        if not self._at_end():
            self._name("a name or the end of the line")
            self._end()
        self._pass_nothing()
        while self._position < len(self._text):
            self._first_line = self._line
            self._statement()
            self._pass_nothing()
        return self._found._replace(lines=self._line)

    # --- statements ---

    def _statement(self) -> None:
        state = self._maybe(_STATE)
        if state:
            self._state(self._meant(state))
        else:
            start = self._position
            keyword = self._maybe(_WORD)
            if keyword not in self._statements:
                self._position = start
                what = "a state such as: s [x] -> 1 s, or one of the statements"
                self._fail(f"{what} {', '.join(self._statements)}")
            self._statements[keyword]()
        self._end()

    def _parameter(self) -> None:
        self._outside("a parameter")
        name = self._need(_LETTERS, "the name of a parameter, which is letters")
        self._keyword("in")
        self._need(_OPENING, "( or [")
        low = self._number()
        if not self._comma():
            self._fail("a comma")
        high = self._number()
        self._need(_CLOSING, ") or ]")
        if any(name == known.name for known in self._found.parameters):
            refuse_line(self._first_line, f"the parameter {name} is declared twice")
        if low >= high:
            refuse_line(self._first_line, f"the range of {name} is empty, or a single number")
        self._found.parameters.append(Parameter(name, low, high))

    def _state(self, name: str) -> None:
        self._outside("a state")
        alone = self._maybe(_ALONE)
        if alone:
            observed = [Entry(ONE, self._meant(alone), (), self._line)]
        else:
            observed = self._entries()
            self._need(_CLOSE, "a comma or ]")
        row = self._entries() if self._maybe(_ARROW) else None
        declared = len(self._found.parameters)
        self._found.states.append(StateText(name, observed, row, self._first_line, declared))

    def _initial(self) -> None:
        self._outside("an initial distribution")
        self._found.initials.append(self._distribution(with_secrets=False))

    def _prior(self) -> None:
        self._inside("prior")
        self._found.priors.append(self._distribution(with_secrets=True))

    def _scenario(self) -> None:
        name = "" if self._at_end(ahead=True) else self._name("a name or the end of the line")
        if name in self._scenarios:
            refuse_line(self._first_line, f"a second scenario is called {shown(name)}")
        self._scenarios.add(name)
        self._in_scenario = True
        self._said.clear()

    def _pair(self) -> None:
        self._inside("pair")
        self._name()
        self._maybe(_ARROW)
        self._name()

    def _words(self) -> None:
        self._once("words")
        if self._need(_WORD, "all or common") not in WORDS:
            refuse_line(self._line, "expected all or common after words")

    def _epsilon(self) -> None:
        self._once("epsilon")
        start = self._position
        if self._maybe(_WORD) != "ln":
            self._position = start
        self._number()

    def _length(self) -> None:
        self._once("length")
        start = self._position
        if self._maybe(_WORD) == "any":
            return
        self._position = start
        self._need(_DIGITS, "digits, or any")
        if self._maybe(_DOTS):
            self._need(_DIGITS, "digits")

    def _outside(self, what: str) -> None:
        if self._in_scenario:
            refuse_line(self._first_line, f"{what} stands in a scenario")

    def _inside(self, keyword: str) -> None:
        if not self._in_scenario:
            refuse_line(self._first_line, f"the statement {keyword} stands outside of any scenario")

    def _once(self, keyword: str) -> None:
        self._inside(keyword)
        if keyword in self._said:
            refuse_line(self._first_line, f"a second statement {keyword} in one scenario")
        self._said.add(keyword)

    # --- parts ---

    def _distribution(self, with_secrets: bool) -> Distribution:
        name = self._name()
        self._need(_ARROW, "->")
        entries = self._entries(with_secrets)
        return Distribution(name, entries, self._first_line, len(self._found.parameters))

    def _entries(self, with_secrets: bool = False) -> list[Entry]:
        """Formulas with names, and commas between them."""
        found = []
        while True:
            formula, line = self._formula(), self._line
            name = self._name()
            secrets = self._secrets() if with_secrets and self._maybe(_OPEN) else ()
            found.append(Entry(formula, name, secrets, line))
            if not self._comma():
                return found

    def _secrets(self) -> tuple[str, ...]:
        """The names up to a bracket."""
        found = [self._name()]
        while self._comma():
            found.append(self._name())
        self._need(_CLOSE, "a comma or ]")
        return tuple(found)

    def _formula(self) -> str:
        """The longest run of what a formula may have."""
        text, start = self._text, _end_of(_GAP, self._text, self._position)
        end, depth = _end_of(_OUTSIDE, text, start), 0
        while (mark := text[end : end + 1]) in ("(", ")"):
            depth = depth + 1 if mark == "(" else max(depth - 1, 0)
            end = _end_of(_INSIDE if depth else _OUTSIDE, text, end + 1)
        if start == end:
            self._fail("a probability")
        self._position = end
        return intern(text[start:end])

    def _number(self) -> Fraction:
        return number_of(self._need(_NUMBER, "a number"), self._line)

    def _name(self, what: str = "a name") -> str:
        return self._meant(self._need(_NAME, what))

    def _meant(self, spelled: str) -> str:
        return intern(name_of(spelled, self._line))

    def _keyword(self, word: str) -> None:
        start = self._position
        if self._maybe(_WORD) != word:
            self._position = start
            self._fail(word)

    def _maybe(self, part: re.Pattern[str]) -> str:
        """What the part is, if it comes next, which is then behind; otherwise nothing."""
        match = part.match(self._text, self._position)
        if match is None:
            return ""
        self._position = match.end()
        return match[1]

    def _need(self, part: re.Pattern[str], what: str) -> str:
        found = self._maybe(part)
        if not found:
            self._fail(what)
        return found

    def _comma(self) -> bool:
        found = self._maybe(_COMMA)
        self._line += found.count("\n")
        return found != ""

    def _at_end(self, ahead: bool = False) -> bool:
        """Whether the statement ends here; without ``ahead`` its line is then behind."""
        match = _END.match(self._text, self._position)
        if match is not None and not ahead:
            self._position = match.end()
            self._line += match[0].count("\n")
        return match is not None

    def _end(self) -> None:
        if not self._at_end():
            self._fail("the end of the statement")

    def _pass_nothing(self) -> None:
        match = _NOTHING.match(self._text, self._position)
        if match is not None:
            self._position = match.end()
            self._line += match[0].count("\n")

    def _fail(self, expected: str) -> NoReturn:
        end = self._text.find("\n", self._position)
        rest = self._text[self._position : len(self._text) if end < 0 else end].strip(" \t\r")
        found = start_of(rest) if rest and not rest.startswith("#") else "the end of the line"
        refuse_line(self._line, f"expected {expected}; found {found}")


def _end_of(part: re.Pattern[str], text: str, start: int) -> int:
    """Where a part ends that may be empty."""
    match = part.match(text, start)
    return start if match is None else match.end()


# --- the model ---


MOST_PARAMETERS = 8

_quoted = json.JSONEncoder(ensure_ascii=True).encode


class State(NamedTuple):
    """A state: what it shows, and the row of the states, by number, that come next; None where it halts."""

    name: str
    observed: dict[str, Formula]
    row: dict[int, Formula] | None


class Case(NamedTuple):
    """A case of a prior: a state by number, and the secrets that are true, sorted."""

    state: int
    secrets: tuple[str, ...]
    formula: Formula


@dataclass(frozen=True)
class HiddenModel(Fingerprinted):
    """Parameters in the order of their names, states in that of the file, and distributions by name."""

    parameters: tuple[Parameter, ...]
    states: tuple[State, ...]
    initials: dict[str, dict[int, Formula]]
    priors: dict[str, tuple[Case, ...]]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The states by name."""
        return {state.name: number for number, state in enumerate(self.states)}

    @cached_property
    def box(self) -> Box:
        """The closed ranges of the parameters."""
        return tuple(Range(low, high) for _, low, high in self.parameters)

    @cached_property
    def observations(self) -> frozenset[str]:
        """All observations that occur."""
        return frozenset(observation for state in self.states for observation in state.observed)

    def formulas(self) -> Iterator[Formula]:
        """All formulas."""
        for state in self.states:
            yield from state.observed.values()
            yield from (state.row or {}).values()
        for entries in self.initials.values():
            yield from entries.values()
        for cases in self.priors.values():
            yield from (case.formula for case in cases)

    def _canonical_parts(self) -> Iterator[str]:
        """The form of SPEC section 1, a declaration at a time."""
        yield '["hmm",'
        yield from _array(
            f"[{_quoted(name)},{_form(low)},{_form(high)}]" for name, low, high in self.parameters
        )
        yield ","
        yield from _array(self._state_form(self.states[self.numbers[name]]) for name in sorted(self.numbers))
        yield ","
        yield from _array(
            f"[{_quoted(name)},{self._row_form(self.initials[name])}]" for name in sorted(self.initials)
        )
        yield ","
        yield from _array(
            f"[{_quoted(name)},{self._cases_form(self.priors[name])}]" for name in sorted(self.priors)
        )
        yield "]"

    def _state_form(self, state: State) -> str:
        observed = ",".join(f"[{_quoted(o)},{state.observed[o].form()}]" for o in sorted(state.observed))
        row = "null" if state.row is None else self._row_form(state.row)
        return f"[{_quoted(state.name)},[{observed}],{row}]"

    def _row_form(self, row: dict[int, Formula]) -> str:
        named = {self.states[number].name: p for number, p in row.items()}
        return f"[{','.join(f'[{_quoted(name)},{named[name].form()}]' for name in sorted(named))}]"

    def _cases_form(self, cases: Sequence[Case]) -> str:
        found = []
        for state, secrets, p in sorted(cases, key=lambda case: (self.states[case.state].name, case.secrets)):
            names = ",".join(map(_quoted, secrets))
            found.append(f"[{_quoted(self.states[state].name)},[{names}],{p.form()}]")
        return f"[{','.join(found)}]"


def read_hidden_model(text: str, work: Work) -> HiddenModel:
    """The model in an ``.hmm`` text. Raises: BadModel, and TooLarge where it takes too much work to read."""
    return _Builder(read_statements(text), work).model()


def _array(items: Iterable[str]) -> Iterator[str]:
    before = "["
    for item in items:
        yield before + item
        before = ","
    yield "[]" if before == "[" else "]"


def _form(value: Fraction) -> str:
    return f'"{rational_text(value)}"'


class _Known(NamedTuple):
    """A formula that was computed, and the names of parameters in it."""

    formula: Formula
    letters: frozenset[str]


class _Builder:
    """Statements on their way to a model."""

    def __init__(self, statements: Statements, work: Work) -> None:
        self._statements, self._work = statements, work
        self._parameters = tuple(sorted(statements.parameters))
        if len(self._parameters) > MOST_PARAMETERS:
            problem = f"there are {len(self._parameters)} parameters, and at most {MOST_PARAMETERS} are read"
            refuse_line(statements.lines, problem)
        self._declared = {parameter.name: place for place, parameter in enumerate(statements.parameters)}
        numbers = {parameter.name: number for number, parameter in enumerate(self._parameters)}
        box = tuple(Range(low, high) for _, low, high in self._parameters)
        self._calculator = Calculator(numbers, box, work)
        self._known: dict[str, _Known] = {}
        self._numbers: dict[str, int] = {}
        self._kinds: dict[str, str] = {}  # of names

    def model(self) -> HiddenModel:
        """The model. Raises: BadModel, TooLarge."""
        statements = self._statements
        for number, state in enumerate(statements.states):
            if state.name in self._numbers:
                refuse_line(state.line, f"the state {shown(state.name)} is declared twice")
            self._numbers[state.name] = number
            self._kinds[state.name] = "a state"
        if not statements.states:
            refuse_line(statements.lines, "there is no state")
        states = tuple(map(self._state, statements.states))
        self._check_halting(states)
        initials = {
            found.name: self._row(found.entries, f"the initial distribution {shown(found.name)}", found)
            for found in self._once(statements.initials, "initial distribution")
        }
        priors = {found.name: self._cases(found) for found in self._once(statements.priors, "prior")}
        return HiddenModel(self._parameters, states, initials, priors)

    def _state(self, text: StateText) -> State:
        what = f"the state {shown(text.name)}"
        self._check_different(text.observed, what)
        observed = {
            entry.name: p
            for entry, p in self._formulas(text.observed, f"the observations of {what}", text)
            if p.num
        }
        row = None if text.row is None else self._row(text.row, f"the row of {what}", text)
        return State(text.name, observed, row)

    def _row(self, entries: list[Entry], what: str, text: StateText | Distribution) -> dict[int, Formula]:
        """States with their probabilities."""
        self._check_different(entries, what)
        found = [(self._number(entry), p) for entry, p in self._formulas(entries, what, text)]
        return {number: p for number, p in found if p.num}

    def _cases(self, text: Distribution) -> tuple[Case, ...]:
        """The cases of a prior."""
        what = f"the prior {shown(text.name)}"
        seen, cases = set(), []
        for entry, p in self._formulas(text.entries, what, text):
            case = Case(self._number(entry), tuple(sorted(entry.secrets)), p)
            for secret, following in zip(case.secrets, case.secrets[1:], strict=False):
                if secret == following:
                    refuse_line(entry.line, f"the secret {shown(secret)} stands twice in one case of {what}")
            for secret in case.secrets:
                self._name(secret, "a secret", entry.line)
            if case[:2] in seen:
                refuse_line(
                    entry.line, f"two cases of {what} have the state {shown(entry.name)} and the same secrets"
                )
            seen.add(case[:2])
            if p.num:
                cases.append(case)
        return tuple(cases)

    def _once(self, found: list[Distribution], kind: str) -> Iterator[Distribution]:
        """Distributions of a kind, each of which is declared once."""
        names: set[str] = set()
        for text in found:
            if text.name in names:
                refuse_line(text.line, f"the {kind} {shown(text.name)} is declared twice")
            names.add(text.name)
            if kind != "prior":
                self._name(text.name, f"an {kind}", text.line)
            yield text

    def _name(self, name: str, kind: str, line: int) -> None:
        known = self._kinds.setdefault(name, kind)
        if known != kind:
            refuse_line(line, f"{shown(name)} is {known} and {kind}")

    def _check_different(self, entries: list[Entry], what: str) -> None:
        names: set[str] = set()
        for entry in entries:
            if entry.name in names:
                refuse_line(entry.line, f"{shown(entry.name)} stands twice in {what}")
            names.add(entry.name)

    def _number(self, entry: Entry) -> int:
        number = self._numbers.get(entry.name)
        if number is None:
            refuse_line(entry.line, f"the state {shown(entry.name)} is not declared")
        return number

    def _formulas(
        self, entries: list[Entry], what: str, text: StateText | Distribution
    ) -> list[tuple[Entry, Formula]]:
        """What the formulas of a distribution are, once they are known to sum to 1."""
        found = [(entry, self._formula(entry, text.parameters)) for entry in entries]
        total = found[0][1]
        try:
            for _, p in found[1:]:
                total = self._calculator.sum(total, p)
        except BadFormula as problem:
            refuse_line(text.line, f"the sum of {what} {problem}")
        if total.num != total.den:
            exact = is_constant(total.num) and is_constant(total.den)
            value = brief(next(iter(total.num.values()), Fraction(0))) if exact else "a formula that is not 1"
            refuse_line(text.line, f"the sum of {what} is {value}{', not 1' if exact else ''}")
        return found

    def _formula(self, entry: Entry, declared: int) -> Formula:
        """A formula that is at least 0, with parameters that were declared before."""
        known = self._known.get(entry.formula)
        try:
            if known is None:
                found, letters = self._calculator.read(entry.formula)
                known = self._known[entry.formula] = _Known(self._calculator.normal(found), letters)
                for polynomial, place in (
                    (known.formula.den, "denominator"),
                    (known.formula.num, "numerator"),
                ):
                    self._work.keep(len(polynomial), max(map(size, polynomial.values()), default=0))
                    if not self._calculator.is_shown(polynomial):
                        raise BadFormula(f"is not a probability: its {place} is not shown to be at least 0")
            for letters_used in sorted(known.letters):
                if self._declared[letters_used] >= declared:
                    raise BadFormula(f"names {letters_used}, which is declared after it")
        except BadFormula as problem:
            refuse_line(entry.line, f"{start_of(entry.formula)} {problem}")
        return known.formula

    def _check_halting(self, states: tuple[State, ...]) -> None:
        """That the end of a run can be seen."""
        halting = {o: state for state in states if state.row is None for o in state.observed}
        for state, text in zip(states, self._statements.states, strict=True):
            if state.row is not None:
                for observation in state.observed:
                    if observation in halting:
                        other = shown(halting[observation].name)
                        problem = f"shows {shown(observation)}, as {other} does, which halts"
                        refuse_line(text.line, f"the state {shown(state.name)} {problem}, and does not halt")

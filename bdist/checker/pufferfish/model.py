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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from sys import intern
from typing import NamedTuple, TypeVar

from ..core.limits import Work
from ..core.numbers import brief, rational_text, size
from ..core.text import (
    BLANKS,
    NAME_PART,
    Cursor,
    Fingerprinted,
    name_of,
    number_of,
    part,
    refuse_line,
    shown,
    start_of,
)
from .polynomials import BadFormula, Box, Calculator, Formula, Range, is_constant

# --- statements ---


ONE = "1"  # the formula of an observation that stands alone
WORDS = ("all", "common")

_OUTSIDE = {"parameter": "a parameter", "initial": "an initial distribution"}  # of any scenario
_ONCE = ("words", "epsilon", "length")  # in a scenario

_WORD = part(r"([A-Za-z0-9_.'+-]++)")
_STATE = part(rf"({NAME_PART}){BLANKS}\[")
_ALONE = part(rf"({NAME_PART}){BLANKS}\]")
_LETTERS = part(r"([A-Za-z_][A-Za-z0-9_]*+)(?![A-Za-z0-9_.'+-])")
_NUMBER = part(r'([^\s,\[\]()"#]++)')
_DIGITS = part(r"([0-9]++)")
_OPENING, _CLOSING = part(r"([(\[])"), part(r"([)\]])")
_ARROW, _OPEN, _CLOSE, _DOTS = (part(f"({mark})") for mark in ("->", r"\[", r"\]", r"\.\."))
_GAP = part("()")
# pieces of a formula where no parenthesis is open, and where one is; only blanks in it are white space
_PIECE, _INNER_PIECE = re.compile(r'([^\s,\[\]"#()]++|[()])'), re.compile(r'([^\n,\[\]"#()]++|[()])')


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


class Declared(NamedTuple):
    """A state with what it shows, and perhaps its row; or an initial distribution or a prior."""

    name: str
    entries: list[Entry]
    row: list[Entry] | None
    line: int
    parameters: int  # that were declared before


class _Reader(Cursor):
    """What was declared up to a place in the text. Raises: BadModel."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._first_line = 1
        self.parameters: list[Parameter] = []
        self.states: list[Declared] = []
        self.initials: list[Declared] = []
        self.priors: list[Declared] = []
        self._scenarios: set[str] = set()
        self._said: set[str] = set()  # what a scenario says at most once
        self._statements = {
            "parameter": self._parameter,
            "initial": lambda: self.initials.append(self._distribution(with_secrets=False)),
            "scenario": self._scenario,
            "prior": lambda: self.priors.append(self._distribution(with_secrets=True)),
            "pair": self._pair,
            "words": self._words,
            "epsilon": self._epsilon,
            "length": self._length,
        }

    def read(self) -> None:
        """Read the whole text."""
        self.begin("hmm")
        for line in self.statements():
            self._first_line = line
            self._statement()

    # --- statements ---

    def _statement(self) -> None:
        state = self.maybe(_STATE)
        if state:
            self._refuse_in_scenario("a state")
            self._state(name_of(state, self.line))
            return
        start = self.position
        keyword = self.maybe(_WORD)
        if keyword not in self._statements:
            self.position = start
            what = "a state such as: s [x] -> 1 s, or one of the statements"
            self.fail(f"{what} {', '.join(self._statements)}")
        if keyword in _OUTSIDE:
            self._refuse_in_scenario(_OUTSIDE[keyword])
        elif keyword != "scenario" and not self._scenarios:
            refuse_line(self._first_line, f"the statement {keyword} stands outside of any scenario")
        if keyword in self._said:
            refuse_line(self._first_line, f"a second statement {keyword} in one scenario")
        if keyword in _ONCE:
            self._said.add(keyword)
        self._statements[keyword]()

    def _refuse_in_scenario(self, what: str) -> None:
        if self._scenarios:
            refuse_line(self._first_line, f"{what} stands in a scenario")

    def _parameter(self) -> None:
        name = self.need(_LETTERS, "the name of a parameter, which is letters")
        if not self.takes("in"):
            self.fail("in")
        self.need(_OPENING, "( or [")
        low = self._number()
        if not self.comma():
            self.fail("a comma")
        high = self._number()
        self.need(_CLOSING, ") or ]")
        if any(name == known.name for known in self.parameters):
            refuse_line(self._first_line, f"the parameter {name} is declared twice")
        if low >= high:
            refuse_line(self._first_line, f"the range of {name} is empty, or a single number")
        self.parameters.append(Parameter(name, low, high))

    def _state(self, name: str) -> None:
        alone = self.maybe(_ALONE)
        if alone:
            observed = [Entry(ONE, name_of(alone, self.line), (), self.line)]
        else:
            observed = self._entries()
            self.need(_CLOSE, "a comma or ]")
        row = self._entries() if self.maybe(_ARROW) else None
        self.states.append(Declared(name, observed, row, self._first_line, len(self.parameters)))

    def _scenario(self) -> None:
        name = "" if self.at_end() else self.name("a name or the end of the line")
        if name in self._scenarios:
            refuse_line(self._first_line, f"a second scenario is called {shown(name)}")
        self._scenarios.add(name)
        self._said.clear()

    def _pair(self) -> None:
        self.name()
        self.maybe(_ARROW)
        self.name()

    def _words(self) -> None:
        if self.need(_WORD, "all or common") not in WORDS:
            refuse_line(self.line, "expected all or common after words")

    def _epsilon(self) -> None:
        self.takes("ln")
        self._number()

    def _length(self) -> None:
        if self.takes("any"):
            return
        self.need(_DIGITS, "digits, or any")
        if self.maybe(_DOTS):
            self.need(_DIGITS, "digits")

    # --- parts ---

    def _distribution(self, with_secrets: bool) -> Declared:
        name = self.name()
        self.need(_ARROW, "->")
        return Declared(name, self._entries(with_secrets), None, self._first_line, len(self.parameters))

    def _entries(self, with_secrets: bool = False) -> list[Entry]:
        """Formulas with names, and commas between them."""
        found = []
        while True:
            formula, line = self._formula(), self.line
            name = self.name()
            secrets = self._secrets() if with_secrets and self.maybe(_OPEN) else ()
            found.append(Entry(formula, name, secrets, line))
            if not self.comma():
                return found

    def _secrets(self) -> tuple[str, ...]:
        found = [self.name()]
        while self.comma():
            found.append(self.name())
        self.need(_CLOSE, "a comma or ]")
        return tuple(found)

    def _formula(self) -> str:
        """The longest run of what a formula may have."""
        self.maybe(_GAP)
        start, depth = self.position, 0
        while piece := self.maybe(_INNER_PIECE if depth else _PIECE):
            depth = depth + 1 if piece == "(" else max(depth - 1, 0) if piece == ")" else depth
        if start == self.position:
            self.fail("a probability")
        return intern(self.text[start : self.position])

    def _number(self) -> Fraction:
        return number_of(self.need(_NUMBER, "a number"), self.line)


# --- the model ---


MOST_PARAMETERS = 8

_K = TypeVar("_K")
_json = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


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

    def canonical_parts(self) -> Iterator[str]:
        """The form of SPEC section 1, a declaration at a time."""
        names = [state.name for state in self.states]

        def table(entries: Iterable[tuple[str, Formula]]) -> list[object]:
            return [[name, formula.form()] for name, formula in sorted(entries)]

        def row(entries: dict[int, Formula]) -> list[object]:
            return table((names[state], formula) for state, formula in entries.items())

        def cases(prior: tuple[Case, ...]) -> list[object]:
            return [
                [state, secrets, p.form()]
                for state, secrets, p in sorted((names[s], x, p) for s, x, p in prior)
            ]

        yield '["hmm"'
        yield from _array(
            [name, rational_text(low), rational_text(high)] for name, low, high in self.parameters
        )
        yield from _array(
            [state.name, table(state.observed.items()), None if state.row is None else row(state.row)]
            for state in sorted(self.states, key=lambda state: state.name)
        )
        yield from _array([name, row(self.initials[name])] for name in sorted(self.initials))
        yield from _array([name, cases(self.priors[name])] for name in sorted(self.priors))
        yield "]"


def read_hidden_model(text: str, work: Work) -> HiddenModel:
    """The model in an ``.hmm`` text. Raises: BadModel, and TooLarge where it takes too much work to read."""
    reader = _Reader(text)
    reader.read()
    return _Builder(reader, work).model()


def _array(items: Iterable[object]) -> Iterator[str]:
    """An array after other parts of the canonical form, an item at a time."""
    before = ",["
    for item in items:
        yield before + _json(item)
        before = ","
    yield ",[]" if before == ",[" else "]"


class _Builder:
    """Statements on their way to a model. Raises: BadModel, TooLarge."""

    def __init__(self, statements: _Reader, work: Work) -> None:
        self._statements, self._work = statements, work
        self._parameters = tuple(sorted(statements.parameters))
        if len(self._parameters) > MOST_PARAMETERS:
            problem = f"there are {len(self._parameters)} parameters, and at most {MOST_PARAMETERS} are read"
            refuse_line(statements.line, problem)
        self._declared = {parameter.name: place for place, parameter in enumerate(statements.parameters)}
        numbers = {parameter.name: number for number, parameter in enumerate(self._parameters)}
        box = tuple(Range(low, high) for _, low, high in self._parameters)
        self._calculator = Calculator(numbers, box, work)
        self._known: dict[str, tuple[Formula, frozenset[str]]] = {}  # with the parameters in it
        self._numbers: dict[str, int] = {}
        self._kinds: dict[str, str] = {}  # of names

    def model(self) -> HiddenModel:
        """The model."""
        found = self._statements
        for number, state in enumerate(self._once(found.states, "state")):
            self._numbers[state.name] = number
            self._kinds[state.name] = "a state"
        if not found.states:
            refuse_line(found.line, "there is no state")
        states = tuple(map(self._state, found.states))
        self._check_halting(states)
        initials = {}
        for initial in self._once(found.initials, "initial distribution"):
            self._name(initial.name, "an initial distribution", initial.line)
            what = f"the initial distribution {shown(initial.name)}"
            initials[initial.name] = self._row(initial.entries, what, initial)
        priors = {prior.name: self._cases(prior) for prior in self._once(found.priors, "prior")}
        return HiddenModel(self._parameters, states, initials, priors)

    def _once(self, found: list[Declared], kind: str) -> Iterator[Declared]:
        names: set[str] = set()
        for declared in found:
            if declared.name in names:
                refuse_line(declared.line, f"the {kind} {shown(declared.name)} is declared twice")
            names.add(declared.name)
            yield declared

    def _state(self, text: Declared) -> State:
        what = f"the state {shown(text.name)}"
        self._check_different(text.entries, what)
        found = self._formulas(text.entries, f"the observations of {what}", text)
        row = None if text.row is None else self._row(text.row, f"the row of {what}", text)
        return State(text.name, {entry.name: p for entry, p in found if p.num}, row)

    def _row(self, entries: list[Entry], what: str, text: Declared) -> dict[int, Formula]:
        self._check_different(entries, what)
        found = [(self._number(entry), p) for entry, p in self._formulas(entries, what, text)]
        return {number: p for number, p in found if p.num}

    def _cases(self, text: Declared) -> tuple[Case, ...]:
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

    def _formulas(self, entries: list[Entry], what: str, text: Declared) -> list[tuple[Entry, Formula]]:
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
        try:
            if entry.formula not in self._known:
                read, names = self._calculator.read(entry.formula)
                found = self._calculator.normal(read)
                for polynomial, place in ((found.den, "denominator"), (found.num, "numerator")):
                    self._work.keep(len(polynomial), max(map(size, polynomial.values()), default=0))
                    if not self._calculator.is_shown(polynomial):
                        raise BadFormula(f"is not a probability: its {place} is not shown to be at least 0")
                self._known[entry.formula] = found, names
            formula, letters = self._known[entry.formula]
            for letter in sorted(letters):
                if self._declared[letter] >= declared:
                    raise BadFormula(f"names {letter}, which is declared after it")
        except BadFormula as problem:
            refuse_line(entry.line, f"{start_of(entry.formula)} {problem}")
        return formula

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

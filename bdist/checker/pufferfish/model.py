"""A hidden Markov model from its file: what it must satisfy, and its fingerprint. SPEC-PUFFERFISH section 1.

``hidden_text.py`` cuts the file into statements, ``formulas.py`` computes what is written for
probabilities. Here both come together, when all names and parameters are known: names are resolved, every
formula is shown to be at least 0 on the ranges of the parameters, and the formulas of a distribution sum to
1, as polynomials. Nothing is repaired. What has the formula 0 is left out.

The same few formulas stand in most lines, and are computed once, from their text; which parameters a
formula names is kept, as each must have been declared before the formula is used. All that is made here
from short texts is counted as work.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from ..core.chain import shown
from ..core.digits import brief, rational_text, size
from ..core.limits import Work
from .boxes import Box, Range
from .formulas import BadFormula, Calculator, Formula
from .polynomials import is_constant
from .text import Distribution, Entry, Parameter, Statements, StateText, read_statements, refuse, start_of

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
class HiddenModel:
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

    def canonical_form(self) -> str:
        """The JSON text of SPEC-PUFFERFISH section 1."""
        return "".join(self._canonical_parts())

    def fingerprint(self) -> str:
        """SHA-256 of the canonical form, in lower-case hexadecimal."""
        digest = hashlib.sha256()
        for part in self._canonical_parts():
            digest.update(part.encode("ascii"))
        return digest.hexdigest()

    def _canonical_parts(self) -> Iterator[str]:
        """A declaration at a time; Python orders strings by code point, as SPEC-PUFFERFISH asks."""
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
            refuse(statements.lines, problem)
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
                refuse(state.line, f"the state {shown(state.name)} is declared twice")
            self._numbers[state.name] = number
            self._kinds[state.name] = "a state"
        if not statements.states:
            refuse(statements.lines, "there is no state")
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
                    refuse(entry.line, f"the secret {shown(secret)} stands twice in one case of {what}")
            for secret in case.secrets:
                self._name(secret, "a secret", entry.line)
            if case[:2] in seen:
                refuse(
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
                refuse(text.line, f"the {kind} {shown(text.name)} is declared twice")
            names.add(text.name)
            if kind != "prior":
                self._name(text.name, f"an {kind}", text.line)
            yield text

    def _name(self, name: str, kind: str, line: int) -> None:
        known = self._kinds.setdefault(name, kind)
        if known != kind:
            refuse(line, f"{shown(name)} is {known} and {kind}")

    def _check_different(self, entries: list[Entry], what: str) -> None:
        names: set[str] = set()
        for entry in entries:
            if entry.name in names:
                refuse(entry.line, f"{shown(entry.name)} stands twice in {what}")
            names.add(entry.name)

    def _number(self, entry: Entry) -> int:
        number = self._numbers.get(entry.name)
        if number is None:
            refuse(entry.line, f"the state {shown(entry.name)} is not declared")
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
            refuse(text.line, f"the sum of {what} {problem}")
        if total.num != total.den:
            exact = is_constant(total.num) and is_constant(total.den)
            value = brief(next(iter(total.num.values()), Fraction(0))) if exact else "a formula that is not 1"
            refuse(text.line, f"the sum of {what} is {value}{', not 1' if exact else ''}")
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
            refuse(entry.line, f"{start_of(entry.formula)} {problem}")
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
                        refuse(text.line, f"the state {shown(state.name)} {problem}, and does not halt")

"""A formula on a Markov decision process, from the inside out, with three values: true, false, not decided.

Each P and D is decided in some states and perhaps not in others (`process_parts`); of a formula that consists
of them as much is known as Kleene's tables give. Inside of a path formula there are sets of states only, so
a path formula has values where each state formula in it is decided in every state. That could be refined: a
formula in which an undecided one stands only positively has a least and a largest set to be computed with.
But what is not decided is so mostly because an until is, and that is rare inside of another formula.

Equal parts are computed once, and listed as often as they occur.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bdist.budget import Budget, Stopped
from bdist.dpctl.elimination import Marks
from bdist.dpctl.formulas import And, Atom, Formula, Not, Private, Probability, Truth, is_state_formula
from bdist.dpctl.printer import text_of
from bdist.dpctl.process_certificate import PartClaims, ProcessCertificate
from bdist.dpctl.process_parts import (
    PartAnswer,
    ProcessWitness,
    Ternary,
    check_private,
    check_probability,
    undecided,
    with_both_attained,
)
from bdist.dpctl.process_paths import NumberedProcess, PathValues, has_values
from bdist.dpctl.syntax import operands_of
from bdist.errors import InternalError, UnsupportedError
from bdist.exact.fast import slow

_LONGEST_SHOWN = 80


class Undecided(Exception):
    """A path formula has no values; the message says why."""


class ProcessEvaluator:
    """What is known of formulas on one process, with neighbours."""

    def __init__(self, process: NumberedProcess, budget: Budget) -> None:
        self.process = process
        self._budget = budget
        self._known: dict[int, tuple[Formula, Ternary]] = {}  # the formulas are kept, so that ids are theirs
        self._parts: dict[Formula, PartAnswer] = {}
        self._paths: dict[Formula, PathValues | str] = {}

    def known(self, formula: Formula) -> Ternary:
        """For each state whether a state formula is true there; None where that is not decided."""
        if id(formula) not in self._known:
            self._known[id(formula)] = formula, self._ternary(formula)
        return self._known[id(formula)][1]

    def _ternary(self, formula: Formula) -> Ternary:
        if isinstance(formula, Private | Probability):
            return self.part(formula).known
        if isinstance(formula, Truth):
            return [True] * len(self.process.names)
        if isinstance(formula, Atom):
            return [formula.name in there for there in self.process.propositions]
        if isinstance(formula, Not):
            return [None if true is None else not true for true in self.known(formula.inner)]
        if isinstance(formula, And):
            left, right = self.known(formula.left), self.known(formula.right)
            return [_both(a, b) for a, b in zip(left, right, strict=True)]
        raise InternalError(f"{type(formula).__name__} is no state formula")

    def part(self, formula: Private | Probability) -> PartAnswer:
        """What is known of a P or D."""
        if formula not in self._parts:
            self._parts[formula] = self._decide(formula)
        return self._parts[formula]

    def path(self, formula: Formula) -> PathValues:
        """The values of a path formula. Raises: Undecided with the reason."""
        if formula not in self._paths:
            try:
                self._paths[formula] = self._path(formula)
            except (Undecided, UnsupportedError) as error:
                self._paths[formula] = str(error)
            except Stopped:
                self._paths[formula] = self._budget.exhausted() or "stopped"
        found = self._paths[formula]
        if isinstance(found, str):
            raise Undecided(found)
        return found

    def reason(self, formula: Formula, state: int) -> str:
        """Why a formula is not decided in a state where it is not."""
        while not isinstance(formula, Private | Probability):
            if isinstance(formula, And):
                formula = formula.left if self.known(formula.left)[state] is None else formula.right
            elif isinstance(formula, Not):
                formula = formula.inner
            else:
                raise InternalError("propositions are decided everywhere")
        return self.part(formula).reasons[state]

    def witness(self, formula: Formula, state: int) -> ProcessWitness:
        """Why a formula is false in a state where it is: the part that fails, and what shows it."""
        while True:
            if isinstance(formula, And):
                left_fails = self.known(formula.left)[state] is False
                formula = formula.left if left_fails else formula.right
            elif isinstance(formula, Not) and isinstance(formula.inner, Not):
                formula = formula.inner.inner
            elif isinstance(formula, Private | Probability):
                return self.part(formula).witnesses[state]
            else:
                return ProcessWitness(formula)

    def certificate(
        self, fingerprint: str, formula: Formula, values: dict[int, PartClaims] | None = None
    ) -> ProcessCertificate:
        """All that is known of a formula, as a document.

        ``values`` has, for some parts by their numbers, queries and extremes that are to be claimed as well.
        """
        parts: list[PartClaims] = []
        for part in parts_of(formula):
            claims, path = PartClaims(), part
            if isinstance(part, Private | Probability):
                claims, path = self.part(part).claims, part.inner
            more = (values or {}).get(len(parts))
            if more is not None:
                claims = replace(claims, queries=more.queries, extremes=more.extremes)
                if more.extremes:
                    claims = with_both_attained(claims, self.path(path))
            parts.append(claims)
        names, known = self.process.names, self.known(formula) if is_state_formula(formula) else []
        holds, violated = (
            tuple(name for name, true in zip(names, known, strict=False) if true is wanted)
            for wanted in (True, False)
        )
        return ProcessCertificate(
            fingerprint, self.process.pairs, formula, self.process.actions, tuple(parts), holds, violated
        )

    def extremes(self, formula: Formula, states: list[str]) -> PartClaims:
        """The least and the most probability of a path formula from these states, to be claimed."""
        path, number = self.path(formula), self.process.number
        return PartClaims(
            extremes=tuple((s, slow(path.low[number[s]]), slow(path.high[number[s]])) for s in states)
        )

    def _decide(self, formula: Private | Probability) -> PartAnswer:
        states = len(self.process.names)
        try:
            path = self.path(formula.inner)
            if isinstance(formula, Private):
                return check_private(formula, path, self._budget)
            return check_probability(formula, path)
        except (Undecided, UnsupportedError) as error:
            return undecided(states, str(error))
        except Stopped:
            return undecided(states, self._budget.exhausted() or "stopped")

    def _path(self, formula: Formula) -> PathValues:
        self._budget.check()
        if not has_values(formula):
            raise Undecided(
                f"'{_brief(formula)}': on processes a path formula is bounded (X, U<=k), or one until of "
                "state formulas, or not that"
            )
        return PathValues(self.process, formula, self._marks, self._budget)

    def _marks(self, formula: Formula) -> Marks:
        """The states that satisfy a formula. Raises: Undecided where it is not decided in one."""
        marks: Marks = []
        for state, true in enumerate(self.known(formula)):
            if true is None:
                name = self.process.names[state]
                where = f"'{_brief(formula)}', inside of another formula, is not decided in {name}"
                raise Undecided(f"{where}: {self.reason(formula, state)}")
            marks.append(true)
        return marks


def _brief(formula: Formula) -> str:
    text = text_of(formula)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def parts_of(formula: Formula) -> Iterator[Formula]:
    """The occurrences of P and D in the order in which they end; last, a formula that is of paths."""
    yield from _ending(formula)
    if not is_state_formula(formula):
        yield formula


def _ending(formula: Formula) -> Iterator[Formula]:
    for inner in operands_of(formula):
        yield from _ending(inner)
    if isinstance(formula, Private | Probability):
        yield formula


def _both(left: bool | None, right: bool | None) -> bool | None:
    """Kleene's conjunction."""
    if left is False or right is False:
        return False
    return None if left is None or right is None else True

"""Answers about a formula: in each state one of three values, why, and a document that a stranger can check.

**Values.** A state formula is evaluated from the inside out. Each P and D is decided in some states and
perhaps not in others; of a formula that consists of them as much is known as Kleene's tables give. How P and
D are decided is what chains, processes and all chains between two differ in (`chains`, `processes`,
`enclosures`). Where a formula does not hold, the part of it that is to blame is found on the way back in.

**Documents.** SPEC.md defines them. Part I is for chains: which states satisfy a formula, or how likely it
is, with the solutions of linear systems. Part II is for decision processes: the claims about each P and D,
with schedulers, trees of queries and values as reasons. Part III is for all chains between two, with bounds
of the probabilities. What we write ourselves is checked before it is
shown.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import ClassVar, Generic, TypeVar

from bdist import checker
from bdist.budget import Budget
from bdist.certificates import Document, array_text, document_text
from bdist.certificates.checking import vouched
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import lmc
from bdist.chains.formats.propositions import propositions_of
from bdist.dpctl import text as mdp
from bdist.dpctl.formulas import (
    And,
    Atom,
    Formula,
    Not,
    Private,
    Probability,
    Truth,
    document_of,
    is_state_formula,
    require_neighbours,
    subformulas,
    text_of,
)
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.errors import InternalError
from bdist.exact.rationals import counted, rational_text
from bdist.printing import beginning
from bdist.report import OneLine
from bdist.results import Answer, Statistics

Pairs = Iterable[tuple[str, str]]
Ternary = list[bool | None]  # for each state: true, false, or not decided
Interval = tuple[Fraction, Fraction]
Names = tuple[str, ...]
Tree = tuple[dict[str, int] | None, ...]  # nodes: the number of the node after each action; a leaf is None

_FORMULA_SHOWN = 60  # characters at a prompt
_ANSWERS = {True: Answer.HOLDS, False: Answer.VIOLATED, None: Answer.UNKNOWN}


# --- documents ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class FormulaCertificate(Document):
    """What all documents about a formula have: the fingerprint of the model, the neighbours, the formula."""

    FORMAT: ClassVar[str]

    model: str
    neighbours: tuple[tuple[str, str], ...]
    formula: Formula

    def to_json(self) -> str:
        """The document of SPEC.md; one solution or part a line."""
        head = {"format": self.FORMAT, "version": 1, "model": self.model, "neighbours": self.neighbours}
        members = {name: json.dumps(value) for name, value in head.items()}
        members["formula"] = json.dumps(document_of(self.formula))
        for own in fields(self)[3:]:
            value = getattr(self, own.name)
            is_long = own.name in ("solutions", "parts")
            members[own.name] = array_text(map(_plain, value)) if is_long else json.dumps(_plain(value))
        return document_text(members)


@dataclass(frozen=True, repr=False)
class ChainCertificate(FormulaCertificate):
    """Which states of a chain satisfy a formula, or how likely it is, and solutions of linear systems."""

    FORMAT = "bdist-dpctl-certificate"

    solutions: tuple[tuple[Fraction, ...], ...]
    satisfied: Names | None = None
    probabilities: tuple[tuple[str, Fraction], ...] | None = None


@dataclass(frozen=True, repr=False)
class PartClaims(OneLine):
    """What is claimed of one P or D, or of a path formula by itself, with the reasons; members as in SPEC.md.

    ``violated`` has states with a neighbour and actions for D, and with None for P.
    """

    upper: tuple[Fraction, ...] | None = None
    lower: tuple[Fraction, ...] | None = None
    most: Names | None = None
    least: Names | None = None
    repeated: tuple[tuple[str, tuple[tuple[Fraction, ...], ...]], ...] = ()
    trees: tuple[tuple[str, str, Tree], ...] = ()
    holds: Names = ()
    violated: tuple[tuple[str, Mapping[str, object] | None], ...] = ()
    queries: tuple[tuple[str, Names, Fraction], ...] = ()
    extremes: tuple[tuple[str, Fraction, Fraction], ...] = ()


@dataclass(frozen=True, repr=False)
class ProcessCertificate(FormulaCertificate):
    """In which states of a process a formula holds, and in which it is violated, with the reasons."""

    FORMAT = "bdist-dpctl-mdp-certificate"

    parts: tuple[PartClaims, ...]
    holds: Names = ()
    violated: Names = ()


@dataclass(frozen=True, repr=False)
class EnclosureCertificate(FormulaCertificate):
    """What holds in all chains between two, or in none; members as in SPEC.md, part III."""

    FORMAT = "bdist-dpctl-enclosure-certificate"

    other: str
    parts: tuple[tuple[tuple[Fraction, ...] | None, tuple[Fraction, ...] | None], ...]
    holds: Names = ()
    violated: Names = ()
    probabilities: tuple[tuple[str, Fraction, Fraction], ...] | None = None


def _plain(value: object) -> object:
    """Tuples and claims as they are, with texts in place of rationals."""
    if isinstance(value, PartClaims):
        return {own.name: _plain(getattr(value, own.name)) for own in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return rational_text(value) if isinstance(value, Fraction) else value


# --- answers -----------------------------------------------------------------------------------------------

Model = TypeVar("Model", bound=LabelledMarkovChain | MarkovDecisionProcess)
_Certificate = TypeVar("_Certificate", bound=FormulaCertificate | None)


@dataclass(frozen=True, repr=False)
class Failure(OneLine):
    """Why a formula does not hold in a state, or why that is not known: the part of it, and what shows it.

    Intervals are of the probability of the path formula of that part, from the state, and with D from the
    neighbour. For one chain and one sequence of queries their ends agree. On a process, D fails with
    ``actions``, of which an until repeats the one for ever, and P with what some scheduler attains; and
    ``reason`` says why a part is not decided.
    """

    part: Formula
    neighbour: str | None = None
    intervals: tuple[Interval, ...] = ()
    actions: Names = ()
    reason: str = ""

    @property
    def probabilities(self) -> tuple[Fraction, ...]:
        """The probabilities, where they are not just bounded."""
        return tuple(low for low, _ in self.intervals)


@dataclass(frozen=True, repr=False)
class Checked(OneLine, Generic[_Certificate]):
    """For every state whether it satisfies a formula, and for each that is not known to, why.

    HOLDS and VIOLATED are certified where there is a certificate.
    """

    formula: Formula
    answers: Mapping[str, Answer]
    failures: Mapping[str, Failure]
    stats: Statistics
    certificate: _Certificate

    def answer(self, states: Iterable[str]) -> Answer:
        """Whether all of these states satisfy the formula (Kleene)."""
        found = {self.answers[state] for state in states}
        return next((kind for kind in (Answer.VIOLATED, Answer.UNKNOWN) if kind in found), Answer.HOLDS)

    @property
    def satisfied(self) -> frozenset[str]:
        """The states in which the formula holds."""
        return frozenset(self.answers) - frozenset(self.failures)

    @property
    def witnesses(self) -> dict[str, Failure]:
        """What shows that the formula is violated, where it is."""
        return {state: why for state, why in self.failures.items() if self.answers[state] is Answer.VIOLATED}

    @property
    def reasons(self) -> dict[str, str]:
        """Why it is unknown whether the formula holds, where it is."""
        unknown = (state for state in self.failures if self.answers[state] is Answer.UNKNOWN)
        return {state: self.failures[state].reason for state in unknown}

    def _essence(self) -> str:
        counts = {kind: sum(found is kind for found in self.answers.values()) for kind in Answer}
        told = ", ".join(f"{kind.value} in {number}" for kind, number in counts.items() if number)
        return f"{formula_text(self.formula)}: {told} of {counted(len(self.answers), 'state')}"


def formula_text(formula: Formula) -> str:
    """A formula in a few characters."""
    return beginning(text_of(formula), _FORMULA_SHOWN)


class Evaluator(ABC, Generic[Model]):
    """One formula on one model with neighbours; the kinds of models differ in how P and D are decided.

    States are numbered in the order of their names, as in certificates.
    """

    def __init__(self, model: Model, formula: Formula, pairs: Pairs, budget: Budget | None) -> None:
        """Raises: ParameterError where a pair names a state that is none, or there is a D and no pair."""
        self.formula = formula
        self.budget = budget or Budget()
        self.start = time.monotonic()
        self.names = sorted(model.states)
        self.number = {name: k for k, name in enumerate(self.names)}
        kept: dict[frozenset[str], tuple[str, str]] = {}
        for s, t in pairs:
            model.index(s), model.index(t)
            if s != t:
                kept.setdefault(frozenset((s, t)), (s, t))
        self.pairs = tuple(kept.values())
        require_neighbours(formula, self.pairs)
        self.neighbours: list[list[int]] = [[] for _ in self.names]
        for s, t in self.pairs:
            self.neighbours[self.number[s]].append(self.number[t])
            self.neighbours[self.number[t]].append(self.number[s])
        self.model = model
        known = {label: frozenset(propositions_of(label)) for label in set(model.labels)}
        self._propositions = [known[model.labels[model.index(name)]] for name in self.names]
        self._known: dict[int, tuple[Formula, Ternary]] = {}  # the formulas are kept, so that ids are theirs

    @abstractmethod
    def decide(self, formula: Private | Probability) -> Ternary:
        """In which states a P or D is true."""

    @abstractmethod
    def failure(self, formula: Formula, state: int) -> Failure:
        """Why a formula is not known to hold in a state."""

    def known(self, formula: Formula) -> Ternary:
        """For each state whether a state formula is true there; None where that is not decided."""
        if id(formula) not in self._known:
            self._known[id(formula)] = formula, self._evaluated(formula)
        return self._known[id(formula)][1]

    def _evaluated(self, formula: Formula) -> Ternary:
        match formula:
            case Private() | Probability():
                return self.decide(formula)
            case Truth():
                return [True] * len(self.names)
            case Atom(name):
                return [name in there for there in self._propositions]
            case Not(inner):
                return [None if true is None else not true for true in self.known(inner)]
            case And(left, right):
                return [*map(conjunction_of, zip(self.known(left), self.known(right), strict=True))]
        raise InternalError(f"{type(formula).__name__} is no state formula")

    def failing_part(self, formula: Formula, state: int) -> Formula:
        """The part of a formula because of which it does not hold in a state: no conjunction of others."""
        match formula:
            case And(left, right):
                is_left = self.known(left)[state] is self.known(formula)[state]
                return self.failing_part(left if is_left else right, state)
            case Not(Not(inner)):
                return self.failing_part(inner, state)
        return formula

    def vouched(self, certificate: FormulaCertificate) -> dict[str, float]:
        """Check a certificate that we made ourselves; how long it was sought and checked.

        Raises: as `bdist.certificates.checking.vouched`.
        """
        searched, text = time.monotonic(), certificate.to_json()
        if isinstance(self.model, MarkovDecisionProcess):
            process = mdp.write(self.model)
            vouched(checker.check_decision_process, "model.mdp", process, text, self.budget)
        else:
            is_enclosure = isinstance(certificate, EnclosureCertificate)
            check = checker.check_enclosure if is_enclosure else checker.check_formula
            vouched(check, "model.lmc", lmc.write(self.model), text, self.budget)
        return {
            "seconds": round(searched - self.start, 6),
            "check_seconds": round(time.monotonic() - searched, 6),
        }

    def checked(self, stats: Statistics, certificate: _Certificate) -> Checked[_Certificate]:
        """The answer for every state. Requires: it is a state formula."""
        known = dict(zip(self.names, self.known(self.formula), strict=True))
        failures = {
            name: self.failure(self.formula, self.number[name])
            for name, true in known.items()
            if true is not True
        }
        answers = {name: _ANSWERS[true] for name, true in known.items()}
        return Checked(self.formula, answers, failures, stats, certificate)


def conjunction_of(values: Iterable[bool | None]) -> bool | None:
    """Whether all are true (Kleene)."""
    found = set(values)
    return False if False in found else None if None in found else True


def parts_of(formula: Formula) -> list[Formula]:
    """The occurrences of P and D in the order in which they end; last, a formula that is of paths."""
    parts: list[Formula] = [part for part in subformulas(formula) if isinstance(part, Private | Probability)]
    return parts if is_state_formula(formula) else [*parts, formula]


def path_of(part: Formula) -> Formula:
    """What a P or D is of, or a path formula itself."""
    return part.inner if isinstance(part, Private | Probability) else part

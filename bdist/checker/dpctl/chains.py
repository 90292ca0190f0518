"""Formulas of dpCTL* on a chain: the check of a certificate, SPEC sections 2 and 3.

The document becomes typed records (or ``Malformed``), the parts of the formula are evaluated in the order in
which they end in the text, and the claims are compared with what was found. For a path formula, its maximal
state subformulas are sets. Its other parts are taken in the order in which they end, with a stack of sets of
the current chain: an operator takes its operands from the top, and leaves what it becomes
(``elimination.py``). When the chain changes, so does everything on the stack; the sets of state subformulas
that have not come yet belong to the model, and are translated by origins when they come.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, NamedTuple

from ..core import Rejected
from ..core.chain import Model, read_model
from ..core.limits import Allowance, Work
from ..core.numbers import comparison, size
from ..core.reading import Fingerprint, Version, collector_paused, form, one_of, read_text
from ..core.text import shown
from . import FORMULA_FORMAT
from .bounded import Nodes
from .elimination import (
    Solutions,
    first_chain,
    probabilities,
)
from .formulas import (
    ALWAYS,
    UNTIL,
    WITHIN,
    Formula,
    Knowledge,
    Leaves,
    Question,
    StateSet,
    check_different,
    compares,
    complement,
    read_formula,
)
from .powers import Bound
from .process import Process

FORMULA_STEPS = ("model", "neighbours", "formula", "solution", "satisfied", "probabilities")


@dataclass(frozen=True)
class FormulaReport:
    """What an accepted certificate proves: which states satisfy the formula, or how likely it is from some.

    The formula is the array of the document as nested tuples, with rationals in place of their texts.
    """

    formula: tuple[object, ...]
    satisfied: tuple[str, ...] | None
    probabilities: tuple[tuple[str, Fraction], ...] | None
    neighbours: int  # pairs that are listed
    states: int  # of the model


def check_formula(model_text: str, certificate_text: str, allowed: Allowance | None = None) -> FormulaReport:
    """Verify a certificate against the text of an ``.lmc`` model (without a byte order mark).

    Raises: as `distances.proof.check`.
    """
    work = Work(len(model_text) + len(certificate_text), allowed)
    model = read_model(model_text)
    certificate: _Certificate = read_text(certificate_text, _document, work)
    with collector_paused():
        _verify(model, certificate, work)
    return FormulaReport(
        formula=certificate.question.formula.as_tuple(),
        satisfied=certificate.satisfied,
        probabilities=certificate.probabilities,
        neighbours=len(certificate.question.neighbours),
        states=len(model.labels),
    )


def _verify(model: Model, certificate: _Certificate, work: Work) -> None:
    question = certificate.question
    question.check(model.fingerprint(), model.labels)
    formula = question.formula
    if certificate.satisfied is None and certificate.probabilities is None:
        raise Rejected("formula", "nothing is claimed: satisfied and probabilities are null")
    if certificate.satisfied is not None and not formula.is_state_formula:
        raise Rejected("formula", "satisfied is not null, and the formula is not a state formula")
    if any(part.kind == ALWAYS for part in formula.claimed()):
        raise Rejected("formula", "D* is checked on decision processes only")
    evaluation = _Evaluation(model, certificate, work)
    likely = evaluation.probabilities()
    values = dict(zip(evaluation.names, likely, strict=True))
    if certificate.satisfied is not None:
        _check_satisfied(certificate.satisfied, values)
    if certificate.probabilities is not None:
        _check_probabilities(certificate.probabilities, values)


def _check_satisfied(claimed: tuple[str, ...], values: dict[str, Fraction]) -> None:
    check_different("satisfied", claimed, values)
    for place, name in enumerate(claimed):
        if values[name] == 0:
            raise Rejected("satisfied", f"satisfied[{place}] is {shown(name)}, which does not satisfy it")
    listed = set(claimed)
    for name, value in values.items():
        if value == 1 and name not in listed:
            raise Rejected("satisfied", f"{shown(name)} satisfies the formula and is not listed")


def _check_probabilities(claimed: tuple[tuple[str, Fraction], ...], values: dict[str, Fraction]) -> None:
    check_different("probabilities", tuple(name for name, _ in claimed), values)
    for place, (name, value) in enumerate(claimed):
        if value != values[name]:
            what = f"probabilities[{place}], of {shown(name)}: {comparison(value, '!=', values[name])}"
            raise Rejected("probabilities", what)


# --- the document ---------------------------------------------------------------------------------------


class _Certificate(NamedTuple):
    """A certificate as it is written; nothing in it is known to be true."""

    format: Annotated[str, one_of(FORMULA_FORMAT)]
    version: Version
    model: Fingerprint
    neighbours: tuple[tuple[str, str], ...]
    formula: Annotated[Formula, read_formula]
    solutions: tuple[tuple[Fraction, ...], ...]
    satisfied: tuple[str, ...] | None
    probabilities: tuple[tuple[str, Fraction], ...] | None

    @property
    def question(self) -> Question:
        """What it is about."""
        return Question(self.model, self.neighbours, self.formula)


_document = form(_Certificate)


# --- the formula ----------------------------------------------------------------------------------------


class _Evaluation:
    """The evaluation of one certificate's formula, which takes its solutions one after another."""

    def __init__(self, model: Model, certificate: _Certificate, work: Work) -> None:
        self._knowledge = Knowledge(model.labels, work)
        self.names, number = self._knowledge.names, self._knowledge.number
        self._formula = certificate.question.formula
        self._neighbours = [(number[s], number[t]) for s, t in certificate.question.neighbours]
        self._solutions = Solutions(certificate.solutions, "solutions")
        self._chain = first_chain(model, work)
        self._work = work

    def probabilities(self) -> list[Fraction]:
        """How likely the formula is from each state; a state formula 1 or 0. Raises: Rejected, TooLarge."""
        likely: list[Fraction] = []
        for part in self._formula.claimed():
            path = part.path()
            leaves = self._knowledge.leaves(path) or {}  # on a chain everything is known
            likely = self._likely(path, leaves)
            if part.is_state_formula:
                close = None if part.privacy is None else Bound(part.privacy, self._work)
                true = self._compared(likely, *part.data) if close is None else self._private(likely, close)
                self._knowledge.learn(part, true, complement(true))
        if self._formula.is_state_formula:
            likely = [Fraction(inside) for inside in self._knowledge.known(self._formula).true]
        self._solutions.check_used()
        return likely

    def _likely(self, path: Formula, leaves: Leaves) -> list[Fraction]:
        """How likely a path formula is from each state.

        Two operators with so many steps would make a copy of a state for each pair of steps; so where all
        are bounded, what is left of the formula after each state is followed, as on a process.
        """
        kinds = [part.kind for part in path.path_parts() if not part.is_state_formula]
        if kinds.count(WITHIN) < 2 or UNTIL in kinds:
            return probabilities(self._chain, path, leaves, self._solutions, self._work)
        rows, sums = list(self._chain.rows), list(self._chain.sums)
        with self._work.forgotten():
            nodes = Nodes(Process(self.names, {"": 0}, [rows], [sums], self._work), path, leaves, self._work)
            return [nodes.high(nodes.of_state(s)) for s in range(len(self.names))]

    def _compared(self, likely: list[Fraction], sign: str, threshold: Fraction) -> StateSet:
        longest = max(map(size, likely))
        self._work.spend(2 * len(likely), longest, size(threshold))
        return bytes(compares(p, sign, threshold) for p in likely)

    def _private(self, likely: list[Fraction], bound: Bound) -> StateSet:
        found = bytearray(b"\1" * len(likely))
        for s, t in self._neighbours:
            if (found[s] or found[t]) and not (
                bound.holds(likely[s], likely[t]) and bound.holds(likely[t], likely[s])
            ):
                found[s] = found[t] = 0
        return bytes(found)

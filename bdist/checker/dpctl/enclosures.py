"""Formulas of dpCTL* on all chains between two: the check of a certificate, SPEC part III.

One chain is the model file, the other is in the certificate. They have the same states, labels and supports,
so the nodes of a path formula, and from which of them it is won, are the same in every chain between them
(``general.py``, on a process with one action). The certificate has upper values of reaching the won ones,
over all rows between; the largest mean that such a row can have is found by filling. From the bounds every
``P`` and ``D`` is true, false or neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, NamedTuple

from ..core import Malformed, Rejected
from ..core.chain import Model, read_model
from ..core.limits import Allowance, Work
from ..core.numbers import comparison, size
from ..core.reading import Fingerprint, Version, collector_paused, form, one_of, read_text
from ..core.text import BadModel, shown
from . import ENCLOSURE_FORMAT
from .formulas import (
    ALWAYS,
    PARTS,
    Formula,
    Knowledge,
    Numbers,
    Question,
    StateSet,
    check_different,
    check_state,
    compares,
    read_formula,
)
from .general import General
from .powers import Bound
from .process import Process

ENCLOSURE_STEPS = (
    *("model", "neighbours", "formula", "other", "parts", "values"),
    *("claims", "probabilities"),
)

_Interval = tuple[Fraction, Fraction]
_Ends = dict[str, _Interval]  # of the entries of a row


@dataclass(frozen=True)
class EnclosureReport:
    """What an accepted certificate proves, of all chains between the model and another one.

    In which states all of them satisfy it, and in which none; or bounds on its probability. ``other`` is the
    fingerprint of the other chain. A formula is the array of the document as nested tuples, with rationals in
    place of their texts.
    """

    formula: tuple[object, ...]
    other: str
    holds: tuple[str, ...]
    violated: tuple[str, ...]
    probabilities: tuple[tuple[str, Fraction, Fraction], ...] | None
    neighbours: int  # pairs that are listed
    states: int  # of the model


def check_enclosure(
    model_text: str, certificate_text: str, allowed: Allowance | None = None
) -> EnclosureReport:
    """Verify a certificate against the text of an ``.lmc`` model (without a byte order mark).

    Raises: as `distances.proof.check`.
    """
    work = Work(len(model_text) + len(certificate_text), allowed)
    model = read_model(model_text)
    certificate: _Certificate = read_text(certificate_text, _document, work)
    with collector_paused():
        try:
            other = read_model(certificate.other)
        except BadModel as problem:
            raise Malformed(f"other: {problem}") from None
        _Check(model, other, certificate, work).verify()
    return EnclosureReport(
        formula=certificate.formula.as_tuple(),
        other=other.fingerprint(),
        holds=certificate.holds,
        violated=certificate.violated,
        probabilities=certificate.probabilities,
        neighbours=len(certificate.neighbours),
        states=len(model.labels),
    )


class _Certificate(NamedTuple):
    """A certificate as it is written; nothing in it is known to be true."""

    format: Annotated[str, one_of(ENCLOSURE_FORMAT)]
    version: Version
    model: Fingerprint
    neighbours: tuple[tuple[str, str], ...]
    formula: Annotated[Formula, read_formula]
    other: str
    parts: tuple[tuple[Numbers | None, Numbers | None], ...]
    holds: tuple[str, ...]
    violated: tuple[str, ...]
    probabilities: tuple[tuple[str, Fraction, Fraction], ...] | None


_document = form(_Certificate)


class _Check:
    """The steps, one after the other."""

    def __init__(self, model: Model, other: Model, certificate: _Certificate, work: Work) -> None:
        self._model, self._other, self._certificate, self._work = model, other, certificate, work
        self._knowledge = Knowledge(model.labels, work)
        self._names, self._number = self._knowledge.names, self._knowledge.number

    def verify(self) -> None:
        """Raises: Rejected, TooLarge."""
        certificate, work = self._certificate, self._work
        question = Question(certificate.model, certificate.neighbours, certificate.formula)
        question.check(self._model.fingerprint(), self._model.labels)
        formula = certificate.formula
        parts = formula.claimed()
        if any(part.kind == ALWAYS for part in parts):
            raise Rejected("formula", "D* is checked on decision processes only")
        if not formula.is_state_formula and (certificate.holds or certificate.violated):
            raise Rejected(
                "formula", "holds or violated is not empty, and the formula is not a state formula"
            )
        self._ends = self._between()
        if len(parts) != len(certificate.parts):
            counts = f"{len(certificate.parts)} parts, and the formula has {len(parts)}"
            raise Rejected("parts", f"the certificate has {counts}")
        bounds: list[_Interval] = []
        for place, (part, values) in enumerate(zip(parts, certificate.parts, strict=True)):
            path = part.path()
            if any(inner.kind in PARTS for inner in path.ending()):
                raise Rejected("parts", f"parts[{place}] is of a formula with P or D inside")
            with work.forgotten():
                bounds = self._bounds(path, values, f"parts[{place}]")
            if part.kind in PARTS:
                self._knowledge.learn(part, *self._decided(part, bounds))
        self._check_claims()
        self._check_probabilities(bounds)

    def _between(self) -> list[_Ends]:
        """The ends of all entries, state by state; the step ``other``."""
        one, other = self._model, self._other
        if one.labels != other.labels:
            raise Rejected("other", "the two chains do not have the same states and labels")
        found: list[_Ends] = []
        for name in self._names:
            first, second = one.rows[name], other.rows[name]
            if first.keys() != second.keys():
                raise Rejected("other", f"the two rows of {shown(name)} do not lead to the same states")
            self._work.keep(2 * len(first), 0)
            self._work.spend(len(first), max(map(size, first.values())), max(map(size, second.values())))
            found.append({t: (min(p, second[t]), max(p, second[t])) for t, p in first.items()})
        return found

    # --- values ---

    def _bounds(
        self, path: Formula, values: tuple[Numbers | None, Numbers | None], place: str
    ) -> list[_Interval]:
        """Of each state, bounds on the probability of a path formula; the step ``values``."""
        upper, lower = values
        if path.is_state_formula:
            if values != (None, None):
                raise Rejected("values", f"{place} has values, and its formula is of states")
            return [(Fraction(inside), Fraction(inside)) for inside in self._knowledge.known(path).true]
        leaves = self._knowledge.leaves(path) or {}  # without P and D everything is known
        rows = [dict.fromkeys((self._number[t] for t in ends), 1) for ends in self._ends]
        supports = Process(self._names, {"": 0}, [rows], [[len(row) for row in rows]], self._work)
        general = General(supports, path, leaves, self._work)
        opposite = None if lower is None else tuple(1 - value for value in lower)
        if upper is not None:
            self._check_upper(general.process, general.won, upper, f"{place}[0]")
        if opposite is not None:
            self._check_upper(general.process, general.lost, opposite, f"1 minus {place}[1]")
        # the nodes of the states are numbered as these are
        return [
            (
                Fraction(0) if lower is None else max(lower[s], Fraction(0)),
                Fraction(1) if upper is None else min(upper[s], Fraction(1)),
            )
            for s in range(len(self._names))
        ]

    def _check_upper(self, nodes: Process, goal: StateSet, values: Numbers, place: str) -> None:
        if len(values) != len(nodes.names):
            found = f"{len(values)} numbers, and there are {len(nodes.names)} nodes"
            raise Rejected("values", f"{place} has {found}")
        for n, value in enumerate(values):
            if value < 0 or (goal[n] and value < 1):
                least = int(goal[n])
                what = comparison(value, "<", Fraction(least))
                raise Rejected("values", f"{place}[{n}], of {shown(nodes.names[n])}: {what}")
            row = nodes.rows[0][n]
            if goal[n] or set(row) == {n}:
                continue
            ends = self._ends[self._number[nodes.names[n]]]
            most = self._filled([(values[t], *ends[nodes.names[t]]) for t in row])
            if value < most:
                what = f"{comparison(value, '<', most)}, the mean after some row between the two"
                raise Rejected("values", f"{place}[{n}], of {shown(nodes.names[n])}: {what}")

    def _filled(self, entries: list[tuple[Fraction, Fraction, Fraction]]) -> Fraction:
        """The largest mean of values (the first of each entry) over the rows between the ends."""
        longest = max(size(value) + size(low) + size(high) for value, low, high in entries)
        self._work.spend(len(entries) * (1 + len(entries).bit_length()), longest)  # to sort them
        self._work.spend(6 * len(entries), longest, longest)
        missing = 1 - sum(low for _, low, _ in entries)
        mean = Fraction(0)
        for value, low, high in sorted(entries, reverse=True):
            more = min(high - low, missing)
            missing -= more
            mean += value * (low + more)
        return mean

    # --- the formula ---

    def _decided(self, part: Formula, bounds: list[_Interval]) -> tuple[StateSet, StateSet]:
        """Where a ``P`` or ``D`` is true in all chains between, and where it is false in all."""
        true, false = bytearray(len(bounds)), bytearray(len(bounds))
        if part.privacy is None:
            sign, q = part.data
            for s, (low, high) in enumerate(bounds):
                self._work.spend(2, max(size(low), size(high)), size(q))
                ends = [compares(low, sign, q), compares(high, sign, q)]
                true[s], false[s] = all(ends), not any(ends)
            return bytes(true), bytes(false)
        close = Bound(part.privacy, self._work)
        true = bytearray(b"\1" * len(bounds))
        for names in self._certificate.neighbours:
            s, t = (self._number[name] for name in names)
            if s == t:
                continue
            (a, b), (c, d) = bounds[s], bounds[t]
            if not (close.holds(b, c) and close.holds(d, a)):
                true[s] = true[t] = 0
            if not (close.holds(a, d) and close.holds(c, b)):
                false[s] = false[t] = 1
        return bytes(true), bytes(false)

    def _check_claims(self) -> None:
        certificate = self._certificate
        if not certificate.formula.is_state_formula:
            return
        known = self._knowledge.known(certificate.formula)
        for kind, states, inside in (
            ("holds", certificate.holds, known.true),
            ("violated", certificate.violated, known.false),
        ):
            for number, name in enumerate(states):
                place = f"{kind}[{number}]"
                check_state("claims", place, name, self._number)
                if not inside[self._number[name]]:
                    raise Rejected("claims", f"{place}, of {shown(name)}: that is not known")

    def _check_probabilities(self, bounds: list[_Interval]) -> None:
        claimed = self._certificate.probabilities
        if claimed is None:
            return
        if self._certificate.formula.is_state_formula:
            raise Rejected("probabilities", "probabilities are of a path formula, and this is of states")
        check_different("probabilities", [name for name, _, _ in claimed], self._number)
        for place, (name, low, high) in enumerate(claimed):
            least, most = bounds[self._number[name]]
            self._work.spend(2, size(low) + size(high), size(least) + size(most))
            if low > least or high < most:
                raise Rejected("probabilities", f"probabilities[{place}], of {shown(name)}: not as narrow")

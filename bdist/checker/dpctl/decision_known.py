"""What is known of state formulas on a decision process, and which path formulas are usable, SPEC-DPCTL
section 8.

A certificate may leave open whether a ``P`` or ``D`` is true in a state, so there are three values, and the
tables are those of Kleene. They are kept as two sets of states, where a formula is known to be true, and
where it is known to be false. A path formula is made of sets: it can be used if of each of its maximal state
subformulas the two are all states.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..core.limits import Work
from .decision_process import Process
from .formula_chain import StateSet
from .formula_document import AND, ATOM, NOT, PRIVACY, PROBABILITY, UNTIL, Formula


class Known(NamedTuple):
    """Where a state formula is known to be true, and where it is known to be false."""

    true: StateSet
    false: StateSet


Leaves = dict[int, StateSet]  # the maximal state subformulas of a path formula, by their identities


def parts_of(formula: Formula) -> list[Formula]:
    """The occurrences of ``P`` and ``D`` in the order in which they end; last, a formula that is of paths."""
    found = [part for part in _ending(formula) if part.kind in (PROBABILITY, PRIVACY)]
    return found if formula.is_state_formula else [*found, formula]


def _ending(formula: Formula) -> Iterator[Formula]:
    """All subformulas, in the order in which they end; they do not nest deeply."""
    for part in formula.parts:
        yield from _ending(part)
    yield formula


def path_of(part: Formula) -> Formula:
    """The path formula of a part."""
    return part.parts[0] if part.kind in (PROBABILITY, PRIVACY) else part


def until_of(path: Formula) -> Formula | None:
    """The ``until`` that a path formula is, or is ``not`` of; None if it is bounded, or none of these."""
    until = path.parts[0] if path.kind == NOT else path
    return until if until.kind == UNTIL and all(part.is_state_formula for part in until.parts) else None


def is_bounded(path: Formula) -> bool:
    """Whether no ``until`` stands outside of ``P`` and ``D``."""
    return path.is_state_formula or (path.kind != UNTIL and all(map(is_bounded, path.parts)))


class Knowledge:
    """What is known of the parts so far, and of the formulas that consist of them."""

    def __init__(self, process: Process, work: Work) -> None:
        self._process = process
        self._work = work
        self._parts: dict[int, Known] = {}

    def learn(self, part: Formula, true: tuple[str, ...], false: tuple[str, ...]) -> None:
        """Note where a ``P`` or ``D`` is true and false."""
        count = len(self._process.names)
        self._work.keep(2 + count // 64, 0)
        self._work.spend(2 * count)
        sets = bytearray(count), bytearray(count)
        for states, found in zip((true, false), sets, strict=True):
            for name in states:
                found[self._process.number[name]] = 1
        self._parts[id(part)] = Known(bytes(sets[0]), bytes(sets[1]))

    def known(self, formula: Formula) -> Known:
        """What is known of a state formula. Raises: TooLarge."""
        process = self._process
        self._work.spend(2 * len(process.names))
        if formula.kind in (PROBABILITY, PRIVACY):
            return self._parts[id(formula)]
        if formula.kind == ATOM:
            true = bytes(formula.atom in process.propositions[label] for label in process.labels)
            return Known(true, _complement(true))
        inner = [self.known(part) for part in formula.parts]
        if formula.kind == NOT:
            return Known(inner[0].false, inner[0].true)
        if formula.kind == AND:
            left, right = inner
            return Known(
                bytes(map(int.__and__, left.true, right.true)),
                bytes(map(int.__or__, left.false, right.false)),
            )
        return Known(b"\1" * len(process.names), bytes(len(process.names)))

    def leaves(self, path: Formula) -> Leaves | None:
        """The sets that a path formula is made of; None if one of them is not known in every state."""
        found: Leaves = {}
        waiting = [path]
        while waiting:
            formula = waiting.pop()
            if not formula.is_state_formula:
                waiting.extend(formula.parts)
                continue
            known = self.known(formula)
            if _complement(known.true) != known.false:
                return None
            self._work.keep(1 + len(known.true) // 128, 0)
            found[id(formula)] = known.true
        return found


def _complement(states: StateSet) -> StateSet:
    return states.translate(_SWAP)


_SWAP = bytes.maketrans(b"\0\1", b"\1\0")

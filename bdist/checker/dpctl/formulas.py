r"""Formulas of dpCTL* as certificates have them, and where they are known to hold: SPEC section 1.

A formula is a JSON array; here it becomes a record, or ``Malformed``, with what can be said of it without a
model, such as whether it is a state formula. Formulas nest at most 50 deep, so whoever walks through one may
recurse. What else both kinds of certificates have is read and checked here as well: format and version, the
fingerprint of the model, pairs of neighbours.

*The parts* of a formula, its ``P`` and ``D``, are checked one after another. A certificate may leave open
whether one of them is true in a state, so there are three values, and the tables are those of Kleene. They
are kept as two sets of states, where a formula is known to be true, and where it is known to be false. A path
formula is made of sets: it can be used if of each of its maximal state subformulas the two are all states. A
set of states is a string of bytes, one for each state.

The propositions of a label are read here, too: ``{}`` has none, ``a,"b,c"`` is a list, and ``"{}"`` in quotes
is the one proposition ``{}``. A label that is nothing of that kind is its own proposition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from ..core import Rejected, TooLarge, check_fingerprint
from ..core.limits import Work
from ..core.reading import (
    Reader,
    array,
    at,
    fail,
    one_of,
    rational,
    read_name,
    refuse,
    whole_number,
)
from ..core.text import shown

DEEPEST_FORMULA = 50
MOST_STEPS_WITHIN = 10_000

TRUE, ATOM, NOT, AND = "true", "atom", "not", "and"
NEXT, UNTIL, WITHIN = "next", "until", "within"
PROBABILITY, PRIVACY, ALWAYS = "P", "D", "D*"
PARTS = (PROBABILITY, PRIVACY, ALWAYS)
TEMPORAL = (NEXT, UNTIL, WITHIN)
SIGNS = ("<", "<=", ">=", ">")

_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*+)"', re.DOTALL)
_ITEM = re.compile(r'"(?:[^"\\]|\\["\\])*+"|[^,"\\]++', re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\])')
_NOTHING = "{}"

StateSet = bytes  # a byte for each state of a chain: 1 if it is in the set
Numbers = tuple[Fraction, ...]  # one for each state, in the order of their names


class Privacy(NamedTuple):
    """How close neighbours have to be: e^ε is the base, if there is one, or else ε is the exponent."""

    base: Fraction | None
    exponent: Fraction
    delta: Fraction


@dataclass(frozen=True, eq=False)
class Formula:
    """A formula: its kind, what its array holds before the operands, and these.

    The data are, for an atom, its name; for ``within``, the number of steps; for ``P``, the sign and the
    threshold; for ``D`` and ``D*``, ε or ("ln", e^ε), and δ.
    """

    kind: str
    data: tuple[Any, ...]
    parts: tuple[Formula, ...]

    @cached_property
    def is_state_formula(self) -> bool:
        """Whether the first state of a run decides."""
        return self.kind not in TEMPORAL and (
            self.kind in PARTS or all(part.is_state_formula for part in self.parts)
        )

    @property
    def privacy(self) -> Privacy | None:
        """The parameters of a ``D`` or ``D*``, and of others None."""
        if self.kind not in (PRIVACY, ALWAYS):
            return None
        epsilon, delta = self.data
        if isinstance(epsilon, tuple):
            return Privacy(epsilon[1], Fraction(0), delta)
        return Privacy(None, epsilon, delta)

    def path(self) -> Formula:
        """What a ``P`` or ``D`` is of, and of others the formula itself."""
        return self.parts[0] if self.kind in PARTS else self

    def claimed(self) -> list[Formula]:
        """The occurrences of ``P`` and ``D`` in the order in which they end; last, a formula of paths."""
        found = [part for part in self.ending() if part.kind in PARTS]
        return found if self.is_state_formula else [*found, self]

    def ending(self, enters: Callable[[Formula], bool] = lambda _: True) -> Iterator[Formula]:
        """All subformulas, in the order in which they end, without those inside of what is not entered."""
        if enters(self):
            for part in self.parts:
                yield from part.ending(enters)
        yield self

    def path_parts(self) -> list[Formula]:
        """The formula down to its maximal state subformulas, in the order in which they end."""
        return list(self.ending(lambda part: not part.is_state_formula))

    def as_tuple(self) -> tuple[object, ...]:
        """The array of the document as nested tuples, with rationals in place of their texts."""
        return (self.kind, *self.data, *(part.as_tuple() for part in self.parts))


@dataclass(frozen=True)
class Question:
    """What a certificate is about, as it is written: a model, which states are neighbours, a formula."""

    model: str
    neighbours: tuple[tuple[str, str], ...]
    formula: Formula

    def check(self, found: str, states: Container[str]) -> None:
        """The steps ``model`` and ``neighbours``, against the model that is there. Raises: Rejected."""
        check_fingerprint(self.model, found)
        for place, pair in enumerate(self.neighbours):
            for name in pair:
                check_state("neighbours", f"neighbours[{place}]", name, states)


def check_state(step: str, place: str, name: str, states: Container[str]) -> None:
    """That a name is that of a state. Raises: Rejected."""
    if name not in states:
        raise Rejected(step, f"{place} names {shown(name)}, not a state of the model")


def check_different(step: str, claimed: Iterable[str], states: Container[str], inside: str = "") -> None:
    """That all names of the list that is called as the step are of states, each once. Raises: Rejected."""
    places: dict[str, int] = {}
    for place, name in enumerate(claimed):
        where = f"{inside}{step}[{place}]"
        check_state(step, where, name, states)
        if name in places:
            raise Rejected(step, f"{where} names {shown(name)}, as {step}[{places[name]}] does")
        places[name] = place


def read_formula(value: object, depth: int = 1) -> Formula:
    """A formula as an array."""
    items = array(value)
    if depth > DEEPEST_FORMULA:
        raise TooLarge(f"the formula is nested more than {DEEPEST_FORMULA} deep")
    if not items:
        fail("a formula", value)
    kind = at("[0]", one_of(*_FORMS), items[0])
    data, operands = _FORMS[kind]
    readers = (*data, *[lambda part: read_formula(part, depth + 1)] * operands)
    if len(items) != 1 + len(readers):
        fail(f'an array of {1 + len(readers)}, as it begins with "{kind}"', value)
    found = [at(f"[{place}]", read, items[place]) for place, read in enumerate(readers, start=1)]
    return Formula(kind, tuple(found[: len(data)]), tuple(found[len(data) :]))


def _most(value: object) -> int:
    most = whole_number("an integer from 0 on", 0)(value)
    if most > MOST_STEPS_WITHIN:
        raise TooLarge(f'a "within" has more than {MOST_STEPS_WITHIN} steps')
    return most


def _exponent(value: object) -> object:
    if isinstance(value, str):
        return _at_least(0)(value)
    if not isinstance(value, list) or len(value) != 2:
        fail('a rational as a string, or ["ln", a]', value)
    return at("[0]", one_of("ln"), value[0]), at("[1]", _at_least(1), value[1])


def _at_least(least: int) -> Reader[Fraction]:
    def read_number(value: object) -> Fraction:
        number = rational(value)
        if number < least:
            refuse(f"a number below {least}")
        return number

    return read_number


# of each kind, how what stands before the operands is read, and how many operands there are
_FORMS: dict[str, tuple[tuple[Reader[Any], ...], int]] = {
    TRUE: ((), 0),
    ATOM: ((read_name,), 0),
    NOT: ((), 1),
    AND: ((), 2),
    NEXT: ((), 1),
    UNTIL: ((), 2),
    WITHIN: ((_most,), 2),
    PROBABILITY: ((one_of(*SIGNS), rational), 1),
    PRIVACY: ((_exponent, _at_least(0)), 1),
    ALWAYS: ((_exponent, _at_least(0)), 1),
}


# --- what is known ---


Leaves = dict[int, StateSet]  # the maximal state subformulas of a path formula, by their identities


class Known(NamedTuple):
    """Where a state formula is known to be true, and where it is known to be false."""

    true: StateSet
    false: StateSet


class Knowledge:
    """What is known of the state formulas of a model, from what is known of each ``P`` and ``D``."""

    def __init__(self, labels: Mapping[str, str], work: Work) -> None:
        """``labels`` has those of all states."""
        self.names = tuple(sorted(labels))
        self.number = {name: i for i, name in enumerate(self.names)}
        self._labels = [labels[name] for name in self.names]
        self._propositions = {label: propositions(label) for label in set(self._labels)}
        self._parts: dict[int, Known] = {}
        self._work = work

    def learn(self, part: Formula, true: StateSet, false: StateSet) -> None:
        """What has been proved of one occurrence."""
        self._work.keep(2 + len(self.names) // 64, 0)
        self._parts[id(part)] = Known(true, false)

    def known(self, formula: Formula) -> Known:
        """What is known of a state formula. Raises: TooLarge."""
        self._work.spend(2 * len(self.names))
        if formula.kind in PARTS:
            return self._parts[id(formula)]
        if formula.kind == ATOM:
            having = {label for label, found in self._propositions.items() if formula.data[0] in found}
            true = bytes(label in having for label in self._labels)
            return Known(true, complement(true))
        inner = [self.known(part) for part in formula.parts]
        if formula.kind == NOT:
            return Known(inner[0].false, inner[0].true)
        if formula.kind == AND:
            left, right = inner
            false = bytes(map(int.__or__, left.false, right.false))
            return Known(intersection(left.true, right.true), false)
        return Known(b"\1" * len(self.names), bytes(len(self.names)))

    def leaves(self, path: Formula) -> Leaves | None:
        """The sets that a path formula is made of; None if one of them is not known in every state."""
        found: Leaves = {}
        for formula in path.path_parts():
            if formula.is_state_formula:
                known = self.known(formula)
                if complement(known.true) != known.false:
                    return None
                self._work.keep(1 + len(known.true) // 128, 0)
                found[id(formula)] = known.true
        return found


# --- propositions, and sets of states ---


def propositions(label: str) -> frozenset[str]:
    """What a label says that holds."""
    if label == _NOTHING:
        return frozenset()
    if names := _listed(label):
        return frozenset(names)
    content = _unquoted(label)
    if content is None or propositions(content) == {content}:  # which is no reason for quotes
        return frozenset([label])
    return frozenset([content])


def _listed(label: str) -> list[str]:
    """The names in a label that is a list of two or more, or none."""
    names, position = [], 0
    while (item := _ITEM.match(label, position)) is not None:
        content = _unquoted(item[0])
        names.append(item[0] if content is None else content)
        position = item.end()
        if position == len(label):
            break
        if label[position] != ",":
            return []
        position += 1
    else:
        return []
    ordered = all(before < after for before, after in pairwise(names))
    return names if len(names) > 1 and ordered and ",".join(map(_written, names)) == label else []


def _written(name: str) -> str:
    if name in ("", _NOTHING) or any(mark in name for mark in ',"\\'):
        return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return name


def _unquoted(text: str) -> str | None:
    match = _QUOTED.fullmatch(text)
    return None if match is None else _ESCAPE.sub(r"\1", match[1])


def complement(states: StateSet) -> StateSet:
    """All other states."""
    return states.translate(_SWAP)


def intersection(first: StateSet, second: StateSet) -> StateSet:
    """The states in both sets."""
    return bytes(map(int.__and__, first, second))


def compares(value: Fraction, sign: str, threshold: Fraction) -> bool:
    """Whether a probability compares so with the threshold of a ``P``."""
    return (value < threshold, value <= threshold, value >= threshold, value > threshold)[SIGNS.index(sign)]


_SWAP = bytes.maketrans(b"\0\1", b"\1\0")

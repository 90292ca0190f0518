r"""Formulas of dpCTL* as certificates have them: SPEC section 1.

A formula is a JSON array; here it becomes a typed record, or ``Malformed``, with what can be said of it
without a model: whether it is a state formula, and how many temporal operators a path formula has. Formulas
nest at most 50 deep, so whoever walks through one may recurse. What else both kinds of certificates have is
read and checked here as well: format and version, the fingerprint of the model, pairs of neighbours.

The propositions of a label are read here, too: ``{}`` has none, ``a,"b,c"`` is a list, and ``"{}"`` in quotes
is the one proposition ``{}``. A label that is nothing of that kind is its own proposition. A set of states is
a string of bytes, one for each state.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from ..core import Rejected, TooLarge, check_fingerprint
from ..core.reading import (
    array,
    at,
    check_format,
    fail,
    fingerprint,
    list_of,
    named,
    one_of,
    pair_of,
    rational,
    refuse,
    state,
    whole_number,
)
from ..core.text import shown

DEEPEST_FORMULA = 50
MOST_STEPS_WITHIN = 10_000

TRUE, ATOM, NOT, AND = "true", "atom", "not", "and"
NEXT, UNTIL, WITHIN = "next", "until", "within"
PROBABILITY, PRIVACY = "P", "D"
HEAD = ("format", "version", "model", "neighbours", "formula")  # of every document
TEMPORAL = (NEXT, UNTIL, WITHIN)
SIGNS = ("<", "<=", ">=", ">")

_LENGTHS = {TRUE: 1, ATOM: 2, NOT: 2, AND: 3, NEXT: 2, UNTIL: 3, WITHIN: 4, PROBABILITY: 4, PRIVACY: 4}
_OPERANDS = {TRUE: 0, ATOM: 0, AND: 2, UNTIL: 2, WITHIN: 2}  # of others one; they stand last
_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*+)"', re.DOTALL)
_ITEM = re.compile(r'"(?:[^"\\]|\\["\\])*+"|[^,"\\]++', re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\])')
_NOTHING = "{}"

StateSet = bytes  # a byte for each state of a chain: 1 if it is in the set


@dataclass(frozen=True)
class Privacy:
    """How close neighbours have to be: e^ε is the base, if there is one, or else ε is the exponent."""

    base: Fraction | None
    exponent: Fraction
    delta: Fraction


@dataclass(frozen=True, eq=False)
class Formula:
    """A formula: its kind, its operands, and what else its array holds."""

    kind: str
    parts: tuple[Formula, ...]
    atom: str = ""
    most: int = 0  # steps of "within"
    sign: str = ""
    threshold: Fraction = Fraction(0)
    privacy: Privacy | None = None

    @cached_property
    def is_state_formula(self) -> bool:
        """Whether the first state of a run decides."""
        return self.kind not in TEMPORAL and (
            self.kind in (PROBABILITY, PRIVACY) or all(part.is_state_formula for part in self.parts)
        )

    @cached_property
    def operators(self) -> int:
        """The temporal operators, without those of state subformulas."""
        if self.is_state_formula:
            return 0
        return (self.kind in TEMPORAL) + sum(part.operators for part in self.parts)

    def as_tuple(self) -> tuple[object, ...]:
        """The array of the document as nested tuples, with rationals in place of their texts."""
        data: tuple[object, ...] = ()
        if self.kind == ATOM:
            data = (self.atom,)
        elif self.kind == WITHIN:
            data = (self.most,)
        elif self.kind == PROBABILITY:
            data = (self.sign, self.threshold)
        elif self.privacy is not None:
            base = self.privacy.base
            data = (self.privacy.exponent if base is None else ("ln", base), self.privacy.delta)
        return (self.kind, *data, *(part.as_tuple() for part in self.parts))


read_states = list_of(state)
read_numbers = list_of(rational)


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


def read_question(form: str, values: Sequence[object]) -> Question:
    """The first members of a document, those of HEAD, in which the format must be this one."""
    written, version, model, neighbours, formula = values
    check_format(form, written, version)
    return Question(
        model=at(".model", fingerprint, model),
        neighbours=at(".neighbours", list_of(pair_of(state, state)), neighbours),
        formula=at(".formula", _whole_formula, formula),
    )


def _whole_formula(value: object) -> Formula:
    return _formula(value, 1)


def _formula(value: object, depth: int) -> Formula:
    items = array(value)
    if depth > DEEPEST_FORMULA:
        raise TooLarge(f"the formula is nested more than {DEEPEST_FORMULA} deep")
    if not items:
        fail("a formula", value)
    kind = at("[0]", one_of(*_LENGTHS), items[0])
    if len(items) != _LENGTHS[kind]:
        fail(f'an array of {_LENGTHS[kind]}, as it begins with "{kind}"', value)
    first = len(items) - _OPERANDS.get(kind, 1)
    parts = tuple(
        at(f"[{place}]", lambda part: _formula(part, depth + 1), items[place])
        for place in range(first, len(items))
    )
    if kind == ATOM:
        return Formula(kind, parts, atom=at("[1]", named("a proposition"), items[1]))
    if kind == WITHIN:
        return Formula(kind, parts, most=at("[1]", _most, items[1]))
    if kind == PROBABILITY:
        sign = at("[1]", one_of(*SIGNS), items[1])
        return Formula(kind, parts, sign=sign, threshold=at("[2]", rational, items[2]))
    if kind == PRIVACY:
        base, exponent = at("[1]", _exponent, items[1])
        return Formula(kind, parts, privacy=Privacy(base, exponent, at("[2]", _at_least_zero, items[2])))
    return Formula(kind, parts)


def _most(value: object) -> int:
    most = whole_number("an integer from 0 on", 0)(value)
    if most > MOST_STEPS_WITHIN:
        raise TooLarge(f'a "within" has more than {MOST_STEPS_WITHIN} steps')
    return most


def _exponent(value: object) -> tuple[Fraction | None, Fraction]:
    if isinstance(value, str):
        return None, _at_least_zero(value)
    if not isinstance(value, list) or len(value) != 2:
        fail('a rational as a string, or ["ln", a]', value)
    at("[0]", one_of("ln"), value[0])
    return at("[1]", _at_least_one, value[1]), Fraction(0)


def _at_least_zero(value: object) -> Fraction:
    number = rational(value)
    if number < 0:
        refuse("a number below 0")
    return number


def _at_least_one(value: object) -> Fraction:
    number = rational(value)
    if number < 1:
        refuse("a number below 1")
    return number


def propositions(label: str) -> frozenset[str]:
    """What a label says that holds."""
    if label == _NOTHING:
        return frozenset()
    if names := _listed(label):
        return frozenset(names)
    content = _unquoted(label)
    return frozenset([label if content is None or not _has_meaning(content) else content])


def _has_meaning(label: str) -> bool:
    """Whether a label stands for anything but itself."""
    if label == _NOTHING or _listed(label):
        return True
    content = _unquoted(label)
    return content is not None and _has_meaning(content)


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
    if sign == "<":
        return value < threshold
    if sign == "<=":
        return value <= threshold
    return value >= threshold if sign == ">=" else value > threshold


_SWAP = bytes.maketrans(b"\0\1", b"\1\0")

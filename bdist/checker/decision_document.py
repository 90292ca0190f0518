"""The certificate of a formula on a decision process: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC-DPCTL section 7. Formulas are read as for chains. Which members a witness
has depends on the formula, ``D`` or another one. Trees nest as deep as JSON may here, so whoever walks
through one may recurse.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from sys import intern

from .decision_proof import DECISION_FORMAT
from .formula_document import (
    PRIVACY,
    Formula,
    read_fingerprint,
    read_formula,
    read_pair,
    read_version,
)
from .limits import Work
from .model import shown
from .reading import JsonObject, array, at, each, expect, fail, members, rational, read_text, refuse, state

_MEMBERS = ("format", "version", "model", "neighbours", "formula")
_CLAIMS = ("upper", "lower", "trees", "holds", "violated")

Numbers = tuple[Fraction, ...]


@dataclass(frozen=True)
class Tree:
    """What follows after each action; a leaf is None instead."""

    after: dict[str, Tree | None]


@dataclass(frozen=True)
class PrivacyWitness:
    """A neighbour, and actions after which the two are apart; for an ``until``, one action and a solution."""

    neighbour: str
    actions: tuple[str, ...]
    solution: Numbers | None


@dataclass(frozen=True)
class ProbabilityWitness:
    """For an ``until``, an action for each state, and the solution with these."""

    choices: dict[str, str] | None
    solution: Numbers | None


Witness = PrivacyWitness | ProbabilityWitness


@dataclass(frozen=True)
class DecisionCertificate:
    """A certificate as it is written; nothing in it is known to be true."""

    model: str
    neighbours: tuple[tuple[str, str], ...]
    formula: Formula
    upper: Numbers | None
    lower: Numbers | None
    trees: tuple[tuple[str, str, Tree | None], ...]
    holds: tuple[str, ...]
    violated: tuple[tuple[str, Witness], ...]


def read_decision_certificate(text: str, work: Work) -> DecisionCertificate:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    return read_text(text, _certificate, work)


def _certificate(value: object) -> DecisionCertificate:
    found = members(value, (*_MEMBERS, *_CLAIMS))
    form, version, model, neighbours, formula, upper, lower, trees, holds, violated = found
    at(".format", lambda name: expect(name, DECISION_FORMAT), form)
    at(".version", read_version, version)
    read = at(".formula", read_formula, formula)
    witness = _privacy_witness if read.kind == PRIVACY else _probability_witness

    def violation(item: object) -> tuple[str, Witness]:
        name, reason = array(item, 2)
        return at("[0]", state, name), at("[1]", witness, reason)

    return DecisionCertificate(
        model=at(".model", read_fingerprint, model),
        neighbours=at(".neighbours", lambda pairs: each(pairs, read_pair), neighbours),
        formula=read,
        upper=at(".upper", _numbers, upper),
        lower=at(".lower", _numbers, lower),
        trees=at(".trees", lambda items: each(items, _tree_of_pair), trees),
        holds=at(".holds", lambda items: each(items, state), holds),
        violated=at(".violated", lambda items: each(items, violation), violated),
    )


def _numbers(value: object) -> Numbers | None:
    return None if value is None else each(value, rational)


def _tree_of_pair(value: object) -> tuple[str, str, Tree | None]:
    first, second, tree = array(value, 3)
    return at("[0]", state, first), at("[1]", state, second), at("[2]", _tree, tree)


def _tree(value: object) -> Tree | None:
    if value is None:
        return None
    return Tree({name: at(f".{shown(name)}", _tree, after) for name, after in _entries(value).items()})


def _entries(value: object) -> dict[str, object]:
    """An object with any names, each once."""
    if not isinstance(value, JsonObject):
        fail("null or an object with actions or states", value)
    found: dict[str, object] = {}
    for name, entry in value:
        if name in found:
            refuse("a member stands twice")
        found[intern(name)] = entry
    return found


def _action(value: object) -> str:
    if not isinstance(value, str):
        fail("an action", value)
    return intern(value)


def _privacy_witness(value: object) -> Witness:
    neighbour, actions, solution = members(value, ("neighbour", "actions", "solution"))
    return PrivacyWitness(
        neighbour=at(".neighbour", state, neighbour),
        actions=at(".actions", lambda items: each(items, _action), actions),
        solution=at(".solution", _numbers, solution),
    )


def _probability_witness(value: object) -> Witness:
    choices, solution = members(value, ("choices", "solution"))
    return ProbabilityWitness(
        choices=at(".choices", _choices, choices), solution=at(".solution", _numbers, solution)
    )


def _choices(value: object) -> dict[str, str] | None:
    if value is None:
        return None
    return {name: at(f".{shown(name)}", _action, choice) for name, choice in _entries(value).items()}

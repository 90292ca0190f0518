"""The certificate of a formula on a decision process: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC-DPCTL section 7. Formulas are read as for chains. A tree is an array of
nodes that name each other by numbers, so that a sequence of queries may be as long as it takes: nothing nests
deeper the longer it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from sys import intern

from ..core.chain import shown
from ..core.limits import Work
from ..core.reading import (
    JsonObject,
    array,
    at,
    each,
    expect,
    fail,
    index_of_part,
    members,
    rational,
    read_text,
    refuse,
    state,
)
from .decision_proof import DECISION_FORMAT
from .formula_document import Formula, read_fingerprint, read_formula, read_pair, read_version

_MEMBERS = ("format", "version", "model", "neighbours", "formula", "parts", "holds", "violated")
_PART = ("upper", "lower", "most", "least", "repeated", "trees", "holds", "violated", "queries", "extremes")

Numbers = tuple[Fraction, ...]
Actions = tuple[str, ...]
TreeNode = dict[str, int] | None  # the number of the node after each action; a leaf is None
Tree = tuple[TreeNode, ...]


@dataclass(frozen=True)
class Witness:
    """A neighbour, and actions after which the two are apart."""

    neighbour: str
    actions: Actions


@dataclass(frozen=True)
class Part:
    """What is claimed of one ``P`` or ``D``, or of the formula itself, with the reasons."""

    upper: Numbers | None
    lower: Numbers | None
    most: Actions | None
    least: Actions | None
    repeated: tuple[tuple[str, Numbers], ...]
    trees: tuple[tuple[str, str, Tree], ...]
    holds: tuple[str, ...]
    violated: tuple[tuple[str, Witness | None], ...]
    queries: tuple[tuple[str, Actions, Fraction], ...]
    extremes: tuple[tuple[str, Fraction, Fraction], ...]

    def is_empty(self) -> bool:
        """Whether nothing is said."""
        values = (self.upper, self.lower, self.most, self.least)
        lists = (self.repeated, self.trees, self.holds, self.violated, self.queries, self.extremes)
        return all(given is None for given in values) and not any(lists)


@dataclass(frozen=True)
class DecisionCertificate:
    """A certificate as it is written; nothing in it is known to be true."""

    model: str
    neighbours: tuple[tuple[str, str], ...]
    formula: Formula
    parts: tuple[Part, ...]
    holds: tuple[str, ...]
    violated: tuple[str, ...]


def read_decision_certificate(text: str, work: Work) -> DecisionCertificate:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    return read_text(text, _certificate, work)


def _certificate(value: object) -> DecisionCertificate:
    form, version, model, neighbours, formula, parts, holds, violated = members(value, _MEMBERS)
    at(".format", lambda name: expect(name, DECISION_FORMAT), form)
    at(".version", read_version, version)
    return DecisionCertificate(
        model=at(".model", read_fingerprint, model),
        neighbours=at(".neighbours", lambda pairs: each(pairs, read_pair), neighbours),
        formula=at(".formula", read_formula, formula),
        parts=at(".parts", lambda items: each(items, _part), parts),
        holds=at(".holds", _states, holds),
        violated=at(".violated", _states, violated),
    )


def _part(value: object) -> Part:
    found = members(value, _PART)
    upper, lower, most, least, repeated, trees, holds, violated, queries, extremes = found
    return Part(
        upper=None if upper is None else at(".upper", _numbers, upper),
        lower=None if lower is None else at(".lower", _numbers, lower),
        most=None if most is None else at(".most", _actions, most),
        least=None if least is None else at(".least", _actions, least),
        repeated=at(".repeated", lambda items: each(items, _solution), repeated),
        trees=at(".trees", lambda items: each(items, _tree_of_pair), trees),
        holds=at(".holds", _states, holds),
        violated=at(".violated", lambda items: each(items, _violation), violated),
        queries=at(".queries", lambda items: each(items, _query), queries),
        extremes=at(".extremes", lambda items: each(items, _extreme), extremes),
    )


def _numbers(value: object) -> Numbers:
    return each(value, rational)


def _states(value: object) -> tuple[str, ...]:
    return each(value, state)


def _actions(value: object) -> Actions:
    return each(value, _action)


def _action(value: object) -> str:
    if not isinstance(value, str):
        fail("an action", value)
    return intern(value)


def _solution(value: object) -> tuple[str, Numbers]:
    action, solution = array(value, 2)
    return at("[0]", _action, action), at("[1]", _numbers, solution)


def _tree_of_pair(value: object) -> tuple[str, str, Tree]:
    first, second, tree = array(value, 3)
    return at("[0]", state, first), at("[1]", state, second), at("[2]", _tree, tree)


def _tree(value: object) -> Tree:
    if not array(value):
        fail("an array with a root", value)
    return each(value, _node)


def _node(value: object) -> TreeNode:
    if value is None:
        return None
    if not isinstance(value, JsonObject):
        fail("null or an object with actions", value)
    found: dict[str, int] = {}
    for name, number in value:
        if name in found:
            refuse("a member stands twice")
        found[intern(name)] = at(f".{shown(name)}", index_of_part, number)
    return found


def _violation(value: object) -> tuple[str, Witness | None]:
    name, witness = array(value, 2)
    return at("[0]", state, name), None if witness is None else at("[1]", _witness, witness)


def _witness(value: object) -> Witness:
    neighbour, actions = members(value, ("neighbour", "actions"))
    return Witness(at(".neighbour", state, neighbour), at(".actions", _actions, actions))


def _query(value: object) -> tuple[str, Actions, Fraction]:
    name, actions, p = array(value, 3)
    return at("[0]", state, name), at("[1]", _actions, actions), at("[2]", rational, p)


def _extreme(value: object) -> tuple[str, Fraction, Fraction]:
    name, low, high = array(value, 3)
    return at("[0]", state, name), at("[1]", rational, low), at("[2]", rational, high)

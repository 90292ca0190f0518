"""The certificate document: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC section 2 and nothing of what the numbers mean. It is strict on purpose: a
member that is ignored here may be a member that a reader of the certificate relies on. Python's ``json`` is
more lenient than the specification in three places, and each is closed: repeated members (objects are kept as
lists of pairs until they are counted), ``NaN`` and ``Infinity`` (they are floats, and no float is accepted
anywhere), and ``true`` for 1 (in Python a bool is an int).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NoReturn, TypeVar

from .digits import brief, integer
from .model import shown

Pair = tuple[str, str]
_T = TypeVar("_T")
_K = TypeVar("_K")
_V = TypeVar("_V")

_RATIONAL = re.compile(r"-?[0-9]+(/[0-9]+)?")
_FINGERPRINT = re.compile(r"[0-9A-Fa-f]{64}")
_ABSENT = object()  # the value of an optional member that is not there; null is another thing, and malformed

TREE_QUANTITIES = ("lv", "tv")


class Malformed(Exception):
    """The text is not a certificate document; the message says where, as in ``upper[3].forward.w[0]``."""


@dataclass(frozen=True)
class Claim:
    """The statement lower ≤ quantity(pair) ≤ upper."""

    pair: Pair
    lower: Fraction
    upper: Fraction


@dataclass(frozen=True)
class Coupling:
    """The multipliers w(i, j) and b(i); what is not listed is 0."""

    w: dict[Pair, Fraction]
    b: dict[str, Fraction]


@dataclass(frozen=True)
class UpperRecord:
    """A value that bd_α or ld_α does not exceed at a pair, with a coupling for each direction that counts."""

    pair: Pair
    value: Fraction
    forward: Coupling
    backward: Coupling | None  # there if and only if the quantity is bd


@dataclass(frozen=True)
class LowerRecord:
    """A value that bd_α or ld_α reaches at a pair: potentials f, g, and a rank against circular proofs."""

    pair: Pair
    value: Fraction
    direction: str
    f: dict[str, Fraction]
    g: dict[str, Fraction]
    rank: int


@dataclass(frozen=True)
class Split:
    """A node where the next label is looked at: for a label c the node k that takes over and the factor q."""

    entries: dict[str, tuple[int, Fraction]]


@dataclass(frozen=True)
class Leaf:
    """A node where the attacker accepts or gives up, with a coupling that bounds what waiting could bring."""

    accepts: bool
    coupling: Coupling


@dataclass(frozen=True)
class Tree:
    """A proof of bounds on lv_α at an ordered pair; the root is the node 0."""

    pair: Pair
    nodes: tuple[Split | Leaf, ...]


@dataclass(frozen=True)
class Certificate:
    """The document, with every value of its type."""

    quantity: str
    model: str
    alpha: Fraction
    partition: tuple[tuple[str, ...], ...] | None
    claims: tuple[Claim, ...]
    upper: tuple[UpperRecord, ...]
    lower: tuple[LowerRecord, ...]
    trees: tuple[Tree, ...]  # empty where the quantity is bd or ld


def read_certificate(text: str) -> Certificate:
    """The certificate in a JSON text. Raises: Malformed."""
    names = "format version quantity model alpha claims upper lower"
    document = _members(_parsed(text), "", names, optional="partition trees")
    form, version, quantity, model, alpha, claims, upper, lower, partition, trees = document
    _expect(form, "format", "bdist-certificate")
    if type(version) is not int or version != 1:
        _fail("version", "the integer 1", version)
    if not isinstance(model, str) or not _FINGERPRINT.fullmatch(model):
        _fail("model", "a string of 64 hexadecimal digits", model)
    if claims == []:
        raise Malformed("claims: there is none, and there must be at least one")
    quantity = _expect(quantity, "quantity", "bd", "ld", "lv", "tv")
    return Certificate(
        quantity=quantity,
        model=model,
        alpha=_rational(alpha, "alpha"),
        partition=None if partition is _ABSENT else _each(partition, "partition", _class),
        claims=_each(claims, "claims", _claim),
        upper=_each(upper, "upper", partial(_upper_record, quantity)),
        lower=_lower(lower, quantity),
        trees=_trees(trees, quantity),
    )


class _Object(tuple[tuple[str, object], ...]):
    """A JSON object as its members in the order of the text, repeated ones included."""


def _parsed(text: str) -> object:
    try:
        # NaN, Infinity and numbers with a fraction come out as floats; no member of the document is one
        value: object = json.loads(text, object_pairs_hook=_Object, parse_int=integer)
    except json.JSONDecodeError as error:
        raise Malformed(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise Malformed("not a certificate: nested too deeply") from None
    return value


def _class(value: object, where: str) -> tuple[str, ...]:
    states = _each(value, where, _string)
    if len(states) < 2:
        _fail(where, "an array of two or more states", value)
    return states


def _claim(value: object, where: str) -> Claim:
    pair, lower, upper = _members(value, where, "pair lower upper")
    return Claim(
        _pair(pair, f"{where}.pair"), _rational(lower, f"{where}.lower"), _rational(upper, f"{where}.upper")
    )


def _upper_record(quantity: str, value: object, where: str) -> UpperRecord:
    if quantity == "bd":
        pair, number, forward, backward = _members(value, where, "pair value forward backward")
    else:
        pair, number, forward = _members(value, where, "pair value forward")
        backward = _ABSENT
    return UpperRecord(
        pair=_pair(pair, f"{where}.pair"),
        value=_rational(number, f"{where}.value"),
        forward=_coupling(forward, f"{where}.forward"),
        backward=None if backward is _ABSENT else _coupling(backward, f"{where}.backward"),
    )


def _coupling(value: object, where: str) -> Coupling:
    w, b = _members(value, where, "w b")
    return _multipliers(w, b, where)


def _multipliers(w: object, b: object, where: str) -> Coupling:
    return Coupling(_table(w, f"{where}.w", _pair_entry), _table(b, f"{where}.b", _state_entry))


def _lower(value: object, quantity: str) -> tuple[LowerRecord, ...]:
    if quantity in TREE_QUANTITIES and _array(value, "lower"):
        _fail("lower", f"an empty array, as the quantity is {quantity}", value)
    return _each(value, "lower", partial(_lower_record, quantity))


def _lower_record(quantity: str, value: object, where: str) -> LowerRecord:
    pair, number, direction, f, g, rank = _members(value, where, "pair value direction f g rank")
    if type(rank) is not int or rank < 1:  # type() and not isinstance(): True is an instance of int
        _fail(f"{where}.rank", "an integer of at least 1", rank)
    directions = ("forward", "backward") if quantity == "bd" else ("forward",)
    return LowerRecord(
        pair=_pair(pair, f"{where}.pair"),
        value=_rational(number, f"{where}.value"),
        direction=_expect(direction, f"{where}.direction", *directions),
        f=_table(f, f"{where}.f", _state_entry),
        g=_table(g, f"{where}.g", _state_entry),
        rank=rank,
    )


def _trees(value: object, quantity: str) -> tuple[Tree, ...]:
    if quantity not in TREE_QUANTITIES:
        if value is not _ABSENT:
            raise Malformed(f"the document: there is a member trees, and the quantity is {quantity}")
        return ()
    if value is _ABSENT:
        raise Malformed(f"the document: the member trees is missing, and the quantity is {quantity}")
    return _each(value, "trees", _tree)


def _tree(value: object, where: str) -> Tree:
    pair, nodes = _members(value, where, "pair nodes")
    if nodes == []:
        raise Malformed(f"{where}.nodes: there is none, and there must be at least one")
    return Tree(_pair(pair, f"{where}.pair"), _each(nodes, f"{where}.nodes", _node))


def _node(value: object, where: str) -> Split | Leaf:
    if not isinstance(value, _Object):
        _fail(where, "an object with split, or with leaf, w, b", value)
    if any(name == "split" for name, _ in value):
        (entries,) = _members(value, where, "split")
        return Split(_table(entries, f"{where}.split", _split_entry))
    accepts, w, b = _members(value, where, "leaf w b")
    if not isinstance(accepts, bool):
        _fail(f"{where}.leaf", "true or false", accepts)
    return Leaf(accepts, _multipliers(w, b, where))


def _split_entry(value: object, where: str) -> tuple[str, tuple[int, Fraction]]:
    label, k, q = _array(value, where, 3)
    if not isinstance(label, str):
        _fail(f"{where}[0]", "a label", label)
    if type(k) is not int:  # type() and not isinstance(): True is an instance of int
        _fail(f"{where}[1]", "an integer, the number of a node", k)
    return label, (k, _rational(q, f"{where}[2]"))


def _table(value: object, where: str, entry: Callable[[object, str], tuple[_K, _V]]) -> dict[_K, _V]:
    """Entries with different keys as a dictionary; a key that stands twice is refused, not overwritten."""
    table: dict[_K, _V] = {}
    for number, item in enumerate(_array(value, where)):
        key, amount = entry(item, f"{where}[{number}]")
        if key in table:
            raise Malformed(f"{where}[{number}]: a second entry for the same key")
        table[key] = amount
    return table


def _state_entry(value: object, where: str) -> tuple[str, Fraction]:
    state, amount = _array(value, where, 2)
    return _string(state, f"{where}[0]"), _rational(amount, f"{where}[1]")


def _pair_entry(value: object, where: str) -> tuple[Pair, Fraction]:
    i, j, amount = _array(value, where, 3)
    return (_string(i, f"{where}[0]"), _string(j, f"{where}[1]")), _rational(amount, f"{where}[2]")


def _pair(value: object, where: str) -> Pair:
    s, t = _array(value, where, 2)
    return _string(s, f"{where}[0]"), _string(t, f"{where}[1]")


def _members(value: object, where: str, names: str, optional: str = "") -> list[object]:
    """The values of exactly these members, each once, in this order; an optional one may be _ABSENT."""
    expected, others = names.split(), optional.split()
    if not isinstance(value, _Object):
        _fail(where, f"an object with {', '.join(expected)}", value)
    found: dict[str, object] = {}
    for name, member in value:
        if name not in expected and name not in others:
            raise Malformed(f"{_place(where)}: unknown member {shown(name)}")
        if name in found:
            raise Malformed(f"{_place(where)}: the member {name} stands twice")
        found[name] = member
    for name in expected:
        if name not in found:
            raise Malformed(f"{_place(where)}: the member {name} is missing")
    return [found.get(name, _ABSENT) for name in expected + others]


def _each(value: object, where: str, read: Callable[[object, str], _T]) -> tuple[_T, ...]:
    return tuple(read(item, f"{where}[{number}]") for number, item in enumerate(_array(value, where)))


def _array(value: object, where: str, length: int | None = None) -> list[object]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        _fail(where, "an array" if length is None else f"an array of {length}", value)
    return value


def _string(value: object, where: str) -> str:
    if not isinstance(value, str):
        _fail(where, "the name of a state", value)
    return value


def _expect(value: object, where: str, *allowed: str) -> str:
    if not isinstance(value, str) or value not in allowed:
        _fail(where, " or ".join(f'"{text}"' for text in allowed), value)
    return value


def _rational(value: object, where: str) -> Fraction:
    if not isinstance(value, str) or not _RATIONAL.fullmatch(value):
        _fail(where, 'a rational such as "1/2", as a string', value)
    above, _, below = value.partition("/")
    denominator = integer(below or "1")
    if denominator == 0:
        raise Malformed(f"{where}: the denominator is zero")
    return Fraction(integer(above), denominator)


def _place(where: str) -> str:
    return where or "the document"


def _fail(where: str, expected: str, value: object) -> NoReturn:
    """Refuse a value of the wrong form. It may be of any depth and size, so little of it is shown."""
    if isinstance(value, str):
        found = f"the string {json.dumps(value if len(value) <= 40 else value[:37] + '...')}"
    elif isinstance(value, list):
        found = f"an array of {len(value)}"
    elif isinstance(value, _Object):
        found = "an object"
    elif value is None or isinstance(value, bool):
        found = {None: "null", True: "true", False: "false"}[value]
    elif isinstance(value, int):
        found = f"the integer {brief(Fraction(value))}"
    else:
        found = "a number that is no integer"
    raise Malformed(f"{_place(where)}: expected {expected}; found {found}")

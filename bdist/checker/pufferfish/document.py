"""The certificate of a hidden Markov model: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC section 2. The form of a child, and of what covers it, depends
on the layer: in the first a child is a pair by its index, later a node and an observation; in the layer
after the last length, what covers it is a node of any earlier layer. Here a child is always an index and an
observation (None for a pair), and what covers it is always a layer and an index. A bound that is infinite
is None.

Which names and indices there are is the business of the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeVar

from ..core.limits import Work
from ..core.reading import (
    JsonObject,
    Reader,
    array,
    at,
    check_format,
    fail,
    fingerprint,
    index_of_part,
    list_of,
    members,
    named,
    nullable,
    one_of,
    pair_of,
    rational,
    read_text,
    refuse,
    some,
)
from ..core.text import shown

Point = dict[str, Fraction]
PairName = tuple[str, ...]  # two distributions, or two secrets and their prior
Bound = Fraction | None  # None is inf

INFINITE = "inf"

_T = TypeVar("_T")

_name = named("a name")
_names = list_of(_name)
_place = pair_of(index_of_part, index_of_part)


class Child(NamedTuple):
    """A pair by its index, or the child of a node of the layer before by an observation."""

    number: int
    observation: str | None


class Covered(NamedTuple):
    """A child with the node that stands for it, by layer and index."""

    child: Child
    by: tuple[int, int]
    factor: Fraction | None


class Layer(NamedTuple):
    """What becomes of the children of a layer; those that are closed have a bound of all words to come."""

    nodes: tuple[Child, ...]
    covered: tuple[Covered, ...]
    closed: tuple[tuple[Child, Bound], ...]


class Cut(NamedTuple):
    """A box that is cut at a value of a parameter, with what becomes of the parts."""

    parameter: str
    at: Fraction
    below: Cut | None
    above: Cut | None


class CutNode(NamedTuple):
    """How the box is cut for a node, by layer and index, and an observation."""

    layer: int
    node: int
    observation: str
    tree: Cut | None


class Upper(NamedTuple):
    """Upper bounds of the loss, one for each length and perhaps one beyond, and their proof."""

    bounds: tuple[Bound, ...]
    beyond: Fraction | None
    layers: tuple[Layer, ...]
    trees: tuple[CutNode, ...]


class LowerWord(NamedTuple):
    """A word of a pair, by its index, with its ratio, None if that is infinite, at a point or towards it."""

    pair: int
    word: tuple[str, ...]
    ratio: Bound
    at: Point | None
    toward: Point | None


class Repetition(NamedTuple):
    """The ratios of ``prefix blockⁿ suffix`` grow beyond all bounds, for a pair by its index.

    A round makes ``below`` at least ``up`` times as large, and ``above`` at most ``down`` times.
    """

    pair: int
    prefix: tuple[str, ...]
    block: tuple[str, ...]
    suffix: tuple[str, ...]
    below: dict[str, Fraction]
    above: dict[str, Fraction]
    up: Fraction
    down: Fraction


class HiddenCertificate(NamedTuple):
    """The document, with every value of its type."""

    model: str
    words: str
    at: Point | None
    pairs: tuple[PairName, ...]
    upper: Upper | None
    lower: tuple[LowerWord, ...]
    growth: tuple[Repetition, ...]


def read_hidden_certificate(text: str, work: Work) -> HiddenCertificate:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    return read_text(text, _certificate, work)


def _read(make: Any, readers: Sequence[Reader[Any]], values: list[object]) -> Any:
    """A record of members that are called as its fields, each read on its own."""
    parts = zip(make._fields, readers, values, strict=True)
    return make(*(at(f".{name}", read, value) for name, read, value in parts))


def _record(make: Any, *readers: Reader[Any]) -> Reader[Any]:
    """A reader of objects with exactly the members that are the fields of a record."""
    return lambda value: _read(make, readers, members(value, make._fields))


def _array_of(make: Callable[..., _T], *readers: Reader[Any]) -> Reader[_T]:
    """A reader of arrays of as many elements."""

    def read_array(value: object) -> _T:
        parts = enumerate(zip(readers, array(value, len(readers)), strict=True))
        return make(*(at(f"[{k}]", read, part) for k, (read, part) in parts))

    return read_array


def _certificate(value: object) -> HiddenCertificate:
    form, version, *rest = members(value, ("format", "version", *HiddenCertificate._fields))
    check_format("bdist-pufferfish-certificate", form, version)
    found: HiddenCertificate = _read(HiddenCertificate, _MEMBERS, rest)
    return found


def _pair(value: object) -> PairName:
    if not isinstance(value, list) or len(value) not in (2, 3):
        fail("an array of two names, or of two secrets and a prior", value)
    return _names(value)


def _bound(value: object) -> Bound:
    return None if value == INFINITE else rational(value)


def _some_observations(value: object) -> tuple[str, ...]:
    if value == []:
        fail("an array of one or more observations", value)
    return _names(value)


def _rationals(value: object) -> dict[str, Fraction]:
    """An object with rationals, whatever its members are called."""
    if not isinstance(value, JsonObject):
        fail("an object of rationals", value)
    found: dict[str, Fraction] = {}
    for name, item in value:
        if name in found:
            refuse(f"the member {shown(name)} stands twice")
        found[name] = at(f".{shown(name)}", rational, item)
    return found


# --- upper bounds ---


def _upper(value: object) -> Upper:
    bounds, beyond, layers, trees = members(value, ("bounds", "beyond", "layers", "trees"))
    found = at(".bounds", some(_bound), bounds)
    further = at(".beyond", nullable(rational), beyond)
    count = len(found) + (further is not None)
    return Upper(
        bounds=found,
        beyond=further,
        layers=at(".layers", partial(_layers, len(found), count), layers),
        trees=at(".trees", list_of(_cut_node), trees),
    )


def _layers(last: int, count: int, value: object) -> tuple[Layer, ...]:
    """So many layers, of which that with the number ``last`` is beyond all lengths, if it is there."""
    layers = enumerate(array(value, count))
    return tuple(at(f"[{number}]", _layer(number, number == last), layer) for number, layer in layers)


def _layer(number: int, is_last: bool) -> Reader[Layer]:
    child = _root if number == 0 else _child

    def covering(item: object) -> Covered:
        if not isinstance(item, list) or len(item) not in (2, 3):
            fail("an array of 2 or 3", item)
        first, by, *factor = item
        return Covered(
            at("[0]", child, first),
            at("[1]", _place, by) if is_last else (number, at("[1]", index_of_part, by)),
            at("[2]", rational, factor[0]) if factor else None,
        )

    return _record(Layer, list_of(child), list_of(covering), list_of(pair_of(child, _bound)))


def _root(value: object) -> Child:
    return Child(index_of_part(value), None)


_child = _array_of(Child, index_of_part, _name)


def _tree(value: object) -> Cut | None:
    """A tree; it is as deep as the document at most, which is within limits."""
    return None if value is None else _array_of(Cut, _name, rational, _tree, _tree)(value)


_cut_node = _array_of(CutNode, index_of_part, index_of_part, _name, _tree)


# --- the members of objects ---


_word = _record(LowerWord, index_of_part, _some_observations, _bound, *(2 * [nullable(_rationals)]))
_repetition = _record(
    Repetition,
    *(index_of_part, _names, _some_observations, _some_observations),
    *(_rationals, _rationals, rational, rational),
)
_MEMBERS: tuple[Reader[Any], ...] = (
    fingerprint,
    one_of("all", "common"),
    nullable(_rationals),
    some(_pair),
    nullable(_upper),
    list_of(_word),
    list_of(_repetition),
)

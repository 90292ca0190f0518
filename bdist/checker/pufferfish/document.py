"""The certificate of a hidden Markov model: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC section 2. The form of a child, and of what covers it, depends
on the layer: in the first a child is a pair by its index, later a node and an observation; in the layer
after the last length, what covers it is a node of any earlier layer. Here a child is always an index and an
observation (None for a pair), and what covers it is always a layer and an index. A bound that is infinite
is None.

Which names and indices there are is the business of the proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from ..core.limits import Work
from ..core.reading import (
    JsonObject,
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


class Closed(NamedTuple):
    """A child with a bound for all words that begin like this."""

    child: Child
    bound: Bound


@dataclass(frozen=True)
class Layer:
    """What becomes of the children of a layer."""

    nodes: tuple[Child, ...]
    covered: tuple[Covered, ...]
    closed: tuple[Closed, ...]


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


@dataclass(frozen=True)
class Upper:
    """Upper bounds of the loss, one for each length and perhaps one beyond, and their proof."""

    bounds: tuple[Bound, ...]
    beyond: Fraction | None
    layers: tuple[Layer, ...]
    trees: tuple[CutNode, ...]


@dataclass(frozen=True)
class LowerWord:
    """A word of a pair, and its ratio at a point or in the limit towards it."""

    pair: int
    word: tuple[str, ...]
    ratio: Bound
    at: Point | None
    toward: Point | None


@dataclass(frozen=True)
class Repetition:
    """A block of observations that can be repeated, with bounds of what a round does to both sides."""

    pair: int
    prefix: tuple[str, ...]
    block: tuple[str, ...]
    suffix: tuple[str, ...]
    below: dict[str, Fraction]
    above: dict[str, Fraction]
    up: Fraction
    down: Fraction


@dataclass(frozen=True)
class HiddenCertificate:
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


def _certificate(value: object) -> HiddenCertificate:
    names = ("format", "version", "model", "words", "at", "pairs", "upper", "lower", "growth")
    form, version, model, words, point, pairs, upper, lower, growth = members(value, names)
    check_format("bdist-pufferfish-certificate", form, version)
    return HiddenCertificate(
        model=at(".model", fingerprint, model),
        words=at(".words", one_of("all", "common"), words),
        at=at(".at", nullable(_rationals), point),
        pairs=at(".pairs", some(_pair), pairs),
        upper=at(".upper", nullable(_upper), upper),
        lower=at(".lower", list_of(_word), lower),
        growth=at(".growth", list_of(_repetition), growth),
    )


def _pair(value: object) -> PairName:
    if not isinstance(value, list) or len(value) not in (2, 3):
        fail("an array of two names, or of two secrets and a prior", value)
    return _names(value)


def _bound(value: object) -> Bound:
    return None if value == INFINITE else rational(value)


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
    layers = array(value, count)
    return tuple(
        at(f"[{number}]", partial(_layer, number, number == last), layer)
        for number, layer in enumerate(layers)
    )


def _layer(number: int, is_last: bool, value: object) -> Layer:
    nodes, covered, closed = members(value, ("nodes", "covered", "closed"))
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

    def closing(item: object) -> Closed:
        return Closed(*pair_of(child, _bound)(item))

    return Layer(
        nodes=at(".nodes", list_of(child), nodes),
        covered=at(".covered", list_of(covering), covered),
        closed=at(".closed", list_of(closing), closed),
    )


def _root(value: object) -> Child:
    return Child(index_of_part(value), None)


def _child(value: object) -> Child:
    return Child(*pair_of(index_of_part, _name)(value))


def _cut_node(value: object) -> CutNode:
    layer, index, observation, tree = array(value, 4)
    return CutNode(
        *(at("[0]", index_of_part, layer), at("[1]", index_of_part, index)),
        *(at("[2]", _name, observation), at("[3]", _tree, tree)),
    )


def _tree(value: object) -> Cut | None:
    """A tree; it is as deep as the document at most, which is within limits."""
    if value is None:
        return None
    parameter, place, below, above = array(value, 4)
    return Cut(
        *(at("[0]", _name, parameter), at("[1]", rational, place)),
        *(at("[2]", _tree, below), at("[3]", _tree, above)),
    )


# --- words and blocks ---


def _word(value: object) -> LowerWord:
    pair, word, ratio, point, toward = members(value, ("pair", "word", "ratio", "at", "toward"))
    return LowerWord(
        pair=at(".pair", index_of_part, pair),
        word=at(".word", _some_observations, word),
        ratio=at(".ratio", _bound, ratio),
        at=at(".at", nullable(_rationals), point),
        toward=at(".toward", nullable(_rationals), toward),
    )


def _repetition(value: object) -> Repetition:
    names = ("pair", "prefix", "block", "suffix", "below", "above", "up", "down")
    pair, prefix, block, suffix, below, above, up, down = members(value, names)
    return Repetition(
        pair=at(".pair", index_of_part, pair),
        prefix=at(".prefix", _names, prefix),
        block=at(".block", _some_observations, block),
        suffix=at(".suffix", _some_observations, suffix),
        below=at(".below", _rationals, below),
        above=at(".above", _rationals, above),
        up=at(".up", rational, up),
        down=at(".down", rational, down),
    )


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

"""The certificate of a hidden Markov model: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC section 2. The form of a child, and of what covers it, depends
on the layer: in the first a child is a pair by its index, later a node and an observation; in the layer
after the last length, what covers it is a node of any earlier layer. Here a child is always an index and an
observation (None for a pair), and what covers it is always a layer and an index. A bound that is infinite
is None.

Which names and indices there are is the business of the proof.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, NamedTuple

from ..core import Malformed
from ..core.limits import Work
from ..core.reading import (
    Fingerprint,
    Index,
    Some,
    Version,
    array,
    form,
    one_of,
    rational,
    read_text,
    refuse,
    row_of,
    table_of_members,
    tuple_of,
)

INFINITE = "inf"


def _bound(value: object) -> Fraction | None:
    return None if value == INFINITE else rational(value)


def _pair(value: object) -> tuple[str, ...]:
    found: tuple[str, ...] = form(tuple[str, ...])(value)
    return found if len(found) in (2, 3) else refuse("expected two names, or two secrets and a prior")


Point = Annotated[dict[str, Fraction], table_of_members(rational)]
PairName = Annotated[tuple[str, ...], _pair]  # two distributions, or two secrets and their prior
Bound = Annotated[Fraction | None, _bound]  # None is inf


class Child(NamedTuple):
    """A pair by its index, or the child of a node of the layer before by an observation."""

    number: Index
    observation: str | None


def _child(value: object) -> Child:
    number, observation = _seen(value) if isinstance(value, list) else (_index(value), None)
    return Child(number, observation)


class Covered(NamedTuple):
    """A child with the node that stands for it, by layer and index, and -1 for the layer of the child."""

    child: Child
    by: tuple[int, int]
    factor: Fraction | None = None


def _covered(value: object) -> Covered:
    return Covered(*(_with_factor if len(array(value)) == 3 else _without)(value))


def _cover(value: object) -> tuple[int, int]:
    layer, node = _place(value) if isinstance(value, list) else (-1, _index(value))
    return layer, node


class Layer(NamedTuple):
    """What becomes of the children of a layer; those that are closed have a bound of all words to come."""

    nodes: tuple[Annotated[Child, _child], ...]
    covered: tuple[Annotated[Covered, _covered], ...]
    closed: tuple[tuple[Annotated[Child, _child], Bound], ...]


class Cut(NamedTuple):
    """A box that is cut at a value of a parameter, with what becomes of the parts."""

    parameter: str
    at: Fraction
    below: Cut | None
    above: Cut | None


def _tree(value: object) -> Cut | None:
    """A tree; it is as deep as the document at most, which is within limits."""
    return None if value is None else Cut(*_cut(value))


_index, _seen, _place = form(Index), form(tuple[Index, str]), form(tuple[Index, Index])
_without, _with_factor = tuple_of(_child, _cover), tuple_of(_child, _cover, rational)
_cut = tuple_of(form(str), rational, _tree, _tree)


class CutNode(NamedTuple):
    """How the box is cut for a node, by layer and index, and an observation."""

    layer: Index
    node: Index
    observation: str
    tree: Annotated[Cut | None, _tree]


class Upper(NamedTuple):
    """Upper bounds of the loss, one for each length and perhaps one beyond, and their proof."""

    bounds: Some[Bound]
    beyond: Fraction | None
    layers: tuple[Layer, ...]
    trees: tuple[Annotated[CutNode, row_of(CutNode)], ...]


Combination = tuple[tuple[Index, Fraction], ...]  # vectors by their index, each with a multiplier


class Invariant(NamedTuple):
    """A bound of the loss at all lengths: vectors, and by which of them their successors are answered for.

    ``second`` are the states in which the second side may be, where only common words count.
    """

    bound: Fraction
    vectors: tuple[Point, ...]
    second: tuple[tuple[str, ...], ...]
    roots: tuple[Combination, ...]
    steps: tuple[tuple[tuple[str, Combination], ...], ...]


class LowerWord(NamedTuple):
    """A word of a pair, by its index, with its ratio, None if that is infinite, at a point or towards it."""

    pair: Index
    word: Some[str]
    ratio: Bound
    at: Point | None
    toward: Point | None


class Repetition(NamedTuple):
    """The ratios of ``prefix blockⁿ suffix`` grow beyond all bounds, for a pair by its index.

    A round makes ``below`` at least ``up`` times as large, and ``above`` at most ``down`` times.
    """

    pair: Index
    prefix: tuple[str, ...]
    block: Some[str]
    suffix: Some[str]
    below: Point
    above: Point
    up: Fraction
    down: Fraction


class HiddenCertificate(NamedTuple):
    """The document, with every value of its type."""

    format: Annotated[str, one_of("bdist-pufferfish-certificate")]
    version: Version
    model: Fingerprint
    words: Annotated[str, one_of("all", "common")]
    at: Point | None
    pairs: Some[PairName]
    upper: Upper | None
    invariant: Invariant | None
    lower: tuple[LowerWord, ...]
    growth: tuple[Repetition, ...]


_document = form(HiddenCertificate)


def read_hidden_certificate(text: str, work: Work) -> HiddenCertificate:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    certificate: HiddenCertificate = read_text(text, _document, work)
    upper = certificate.upper
    if upper is None:
        return certificate
    last, count = len(upper.bounds), len(upper.bounds) + (upper.beyond is not None)
    if len(upper.layers) != count:
        raise Malformed(f"upper.layers: expected an array of {count}; found one of {len(upper.layers)}")
    layers = (_placed(number, number == last, layer) for number, layer in enumerate(upper.layers))
    return certificate._replace(upper=upper._replace(layers=tuple(layers)))


def _placed(number: int, is_last: bool, layer: Layer) -> Layer:
    """A layer in which it is said of all that covers a child where that is."""
    children = (*layer.nodes, *(item.child for item in layer.covered), *(child for child, _ in layer.closed))
    if any((child.observation is None) != (number == 0) for child in children):
        raise Malformed(
            f"upper.layers[{number}]: a child is a pair's index in the first layer, and only there"
        )
    if any((item.by[0] >= 0) != is_last for item in layer.covered):
        raise Malformed(
            f"upper.layers[{number}]: what covers is in a layer where it is beyond, and only there"
        )
    covered = (item if is_last else item._replace(by=(number, item.by[1])) for item in layer.covered)
    return layer._replace(covered=tuple(covered))

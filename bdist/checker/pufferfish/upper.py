"""Upper bounds of the loss: all words at once, layer by layer. SPEC section 3.1.

The nodes of a layer are vector pairs after as many observations. Each child of a node is a node of the next
layer, or a node of it does at least as badly, or no word that goes on from it can do worse than a bound, or
it counts for nothing. So the words of a length, of which there are exponentially many, are followed along
as many nodes as the certificate keeps. In the layer after the last length, nodes of earlier layers do at
least as badly as all that is left: the words go round in circles, and one bound holds for all of them.

A layer is looked at together with the one before it, whose nodes are followed once: their values are
compared with the bound of the length, their children wait to be named. Only those nodes stay in memory that
the last layer names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Generic

from ..core import Rejected
from ..core.numbers import brief
from ..core.text import shown
from .document import Bound, Child, Cut, Layer, Upper
from .model import HiddenModel
from .polynomials import Box, Range
from .systems import E, System, VectorPair

Children = dict[Child, VectorPair[E]]


def verify_upper(model: HiddenModel, upper: Upper, common: bool, system: System[E]) -> None:
    """Return if the bounds are proved. Raises: Rejected, TooLarge."""
    for number, bound in enumerate(upper.bounds):  # the loss is at least 0, even where no word counts
        if bound is not None and bound < 0:
            raise Rejected("bounds", f"bounds[{number}] is {brief(bound)}, which is negative")
    _Layers(model, upper, common, system).check()
    if upper.beyond is not None:
        _check_beyond(upper, upper.beyond)


def _check_beyond(upper: Upper, beyond: Fraction) -> None:
    """The nodes that the words come back to, and those after them, keep to the bound beyond."""
    if beyond < 0:
        raise Rejected("beyond", f"beyond is {brief(beyond)}, which is negative")
    first = min((covered.by[0] for covered in upper.layers[-1].covered), default=len(upper.bounds))
    for length, bound in enumerate(upper.bounds[first:], start=first + 1):
        if not _at_most(bound, beyond):
            problem = f"the bound {_bound_text(bound)} of the length {length} is above {brief(beyond)}"
            raise Rejected("beyond", f"{problem}, and words come back to layers[{first}]")


class _Layers(Generic[E]):
    def __init__(self, model: HiddenModel, upper: Upper, common: bool, system: System[E]) -> None:
        self._model, self._upper, self._common, self._system = model, upper, common, system
        self._boxes = _read_trees(model, upper)
        self._nodes: list[VectorPair[E]] = []  # of the layer that was looked at last
        self._named: set[tuple[int, int]] = set()  # by the layer beyond all lengths
        if upper.beyond is not None:
            self._named = {covered.by for covered in upper.layers[-1].covered}
        self._kept: dict[tuple[int, int], VectorPair[E]] = {}

    def check(self) -> None:
        """The steps layers, covered, closed and bounds."""
        children = {
            Child(index, None): self._keep(pair)
            for index, pair in enumerate(self._system.roots)
            if self._counts(pair)
        }
        lowest = self._lowest_bounds()
        for number, layer in enumerate(self._upper.layers):
            if number:
                children = self._follow(number - 1, with_children=True)
            self._check_layer(number, layer, children, lowest[number])
        if self._upper.beyond is None:
            self._follow(len(self._upper.bounds) - 1, with_children=False)

    def _counts(self, pair: VectorPair[E]) -> bool:
        """Whether some word that goes on from here may count."""
        return bool(pair.alpha) and (bool(pair.beta) or not self._common)

    def _lowest_bounds(self) -> list[Bound]:
        """For each layer the least bound of a longer word."""
        found: list[Bound] = [self._upper.beyond]
        for bound in reversed(self._upper.bounds):
            found.append(bound if _at_most(bound, found[-1]) else found[-1])
        return found[::-1]

    def _keep(self, pair: VectorPair[E]) -> VectorPair[E]:
        self._system.work.keep(*self._system.extent(pair))
        return pair

    def _forget(self, pairs: Iterable[VectorPair[E]]) -> None:
        for pair in pairs:
            self._system.work.release(*self._system.extent(pair))

    # --- the step bounds ---

    def _follow(self, number: int, with_children: bool) -> Children[E]:
        """The children of the nodes of a layer, without those that count for nothing, and all values."""
        children: Children[E] = {}
        bound = self._upper.bounds[number]
        for index, node in enumerate(self._nodes):
            for observation, (a, b, child) in self._system.steps(node, with_children):
                if bound is not None and a and (b or not self._common):
                    boxes = self._boxes.get((number, index, observation), ())
                    if not self._system.bounds(bound, b, a, boxes):
                        place = f"layers[{number}].nodes[{index}] by {shown(observation)}"
                        problem = f"its ratio is above {brief(bound)}, the bound of the length {number + 1}"
                        where = ", or not shown to be below it" if self._model.parameters else ""
                        raise Rejected("bounds", f"{place}: {problem}{where}")
                if self._counts(child):
                    children[Child(index, observation)] = self._keep(child)
        return children

    # --- the steps layers, covered and closed ---

    def _check_layer(self, number: int, layer: Layer, children: Children[E], lowest: Bound) -> None:
        place = f"layers[{number}]"
        if number == len(self._upper.bounds) and layer.nodes:
            raise Rejected("layers", f"{place} has nodes, and is beyond all lengths")
        self._check_names(place, layer, children)
        nodes, expanded = [children[child] for child in layer.nodes], set(layer.nodes)
        for index, node in enumerate(nodes):
            if (number, index) in self._named:
                self._kept[number, index] = node
        for index, (child, by, factor) in enumerate(layer.covered):
            self._check_covered(f"{place}.covered[{index}]", number, nodes, children[child], by, factor)
        for index, (child, bound) in enumerate(layer.closed):
            self._check_closed(f"{place}.closed[{index}]", children[child], bound, lowest)
        self._forget(pair for child, pair in children.items() if child not in expanded)
        self._forget(pair for at, pair in enumerate(self._nodes) if (number - 1, at) not in self._kept)
        self._nodes = nodes

    def _check_names(self, place: str, layer: Layer, children: Children[E]) -> None:
        """That every child that may count is named once, and nothing else."""
        named: set[Child] = set()
        for part, names in (
            ("nodes", layer.nodes),
            ("covered", tuple(covered.child for covered in layer.covered)),
            ("closed", tuple(child for child, _ in layer.closed)),
        ):
            for index, child in enumerate(names):
                if child in named:
                    raise Rejected("layers", f"{place}.{part}[{index}]: {_shown(child)} is named before")
                if child not in children:
                    problem = f"{_shown(child)} is no child, or one that counts for nothing"
                    raise Rejected("layers", f"{place}.{part}[{index}]: {problem}")
                named.add(child)
        for child in children:
            if child not in named:
                raise Rejected("layers", f"{place} does not name {_shown(child)}")

    def _check_covered(
        self,
        place: str,
        number: int,
        nodes: list[VectorPair[E]],
        child: VectorPair[E],
        by: tuple[int, int],
        factor: Fraction | None,
    ) -> None:
        layer, index = by
        if layer == number and number < len(self._upper.bounds):
            node = nodes[index] if index < len(nodes) else None
        else:
            node = self._kept.get(by)
        if node is None:
            raise Rejected("covered", f"{place}: there is no node {index} in layers[{layer}]")
        if factor is not None and factor <= 0:
            raise Rejected("covered", f"{place}: the factor {brief(factor)} is not positive")
        if self._common and child.beta.keys() != node.beta.keys():
            raise Rejected("covered", f"{place}: the second sides are not 0 in the same states")
        if not self._system.covers(node, child, factor):
            what = "proportional to" if factor is None and self._model.parameters else "dominated by"
            raise Rejected("covered", f"{place}: the child is not {what} the node")

    def _check_closed(self, place: str, child: VectorPair[E], bound: Bound, lowest: Bound) -> None:
        if not _at_most(bound, lowest):
            problem = (
                f"the bound {_bound_text(bound)} is above that of a length to come, {_bound_text(lowest)}"
            )
            raise Rejected("closed", f"{place}: {problem}")
        if bound is None:
            return
        if bound < 0:
            raise Rejected("closed", f"{place}: the bound {brief(bound)} is negative")
        for state, a in child.alpha.items():
            b = child.beta.get(state)
            if b is None or not self._system.bounds(bound, b, a):
                name = shown(self._model.states[state].name)
                raise Rejected("closed", f"{place}: in the state {name} the bound {brief(bound)} is exceeded")


def _at_most(bound: Bound, other: Bound) -> bool:
    return other is None or (bound is not None and bound <= other)


def _bound_text(bound: Bound) -> str:
    return "inf" if bound is None else brief(bound)


def _shown(child: Child) -> str:
    index, observation = child
    if observation is None:
        return f"the pair {index}"
    return f"the child of the node {index} by {shown(observation)}"


# --- boxes that are cut ---


def _read_trees(model: HiddenModel, upper: Upper) -> dict[tuple[int, int, str], tuple[Box, ...]]:
    """For a node and an observation the boxes of its tree. Raises: Rejected."""
    found: dict[tuple[int, int, str], tuple[Box, ...]] = {}
    for number, (layer, index, observation, tree) in enumerate(upper.trees):
        place = f"trees[{number}]"
        if not model.parameters:
            raise Rejected("bounds", f"{place}: there are no parameters, and nothing to cut")
        if layer >= len(upper.bounds) or index >= len(upper.layers[layer].nodes):
            raise Rejected("bounds", f"{place}: there is no node {index} in layers[{layer}]")
        if observation not in model.observations:
            raise Rejected("bounds", f"{place}: {shown(observation)} is no observation of the model")
        if (layer, index, observation) in found:
            raise Rejected("bounds", f"{place}: a second tree for the same node and observation")
        found[layer, index, observation] = tuple(_boxes(model, place, tree, model.box))
    return found


def _boxes(model: HiddenModel, place: str, tree: Cut | None, box: Box) -> Iterator[Box]:
    """The boxes of a tree, which is as deep as the document at most."""
    if tree is None:
        yield box
        return
    names = [parameter.name for parameter in model.parameters]
    if tree.parameter not in names:
        raise Rejected("bounds", f"{place}: {shown(tree.parameter)} is not a parameter of the model")
    number = names.index(tree.parameter)
    low, high = box[number]
    if not low < tree.at < high:
        problem = f"the cut {tree.parameter} = {brief(tree.at)} is not inside of the box"
        raise Rejected("bounds", f"{place}: {problem}")
    for part, rest in ((Range(low, tree.at), tree.below), (Range(tree.at, high), tree.above)):
        yield from _boxes(model, place, rest, (*box[:number], part, *box[number + 1 :]))

"""What a search through all words leaves behind: layers of vector pairs, and who answers for whom.

A search that follows numbers and one that follows polynomials differ in what a vector pair is and in how it
is compared; what they record is the same, and is what the certificate says and the checker follows: bounds
from above, and a word for each length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, TypeVar

from bdist.pufferfish.certificate import ChildName, LayerProof, UpperProof, WordProof
from bdist.pufferfish.vectors import VectorPair

Vectors = TypeVar("Vectors")

Child = tuple[
    int, int
]  # the position of a node in the layer before, and an observation; in layer 0: pair, -1


@dataclass(frozen=True)
class AnyNode(Generic[Vectors]):
    """A vector pair that is followed, and the word of which it is the pair: the node before, an
    observation.
    """

    vectors: Vectors
    parent: AnyNode[Vectors] | None
    observation: int
    root: int

    def word(self) -> tuple[int, ...]:
        """The observations that lead here from the root."""
        backwards: list[int] = []
        node: AnyNode[Vectors] = self
        while node.parent is not None:
            backwards.append(node.observation)
            node = node.parent
        return tuple(reversed(backwards))


class Node(AnyNode[VectorPair]):
    """A node in numbers."""


@dataclass(frozen=True, slots=True)
class Best:
    """The largest ratio at one length (None where it is infinite) and its word; no node where none counts."""

    ratio: Fraction | None
    node: AnyNode[VectorPair] | None
    observation: int

    @staticmethod
    def none() -> Best:
        """What is known where no word counts."""
        return Best(Fraction(0), None, -1)

    def word(self) -> tuple[int, ...]:
        """The observations of a word with this ratio; none where no word counts."""
        return () if self.node is None else (*self.node.word(), self.observation)

    def beats(self, other: Best) -> bool:
        """Whether its ratio is larger."""
        if other.ratio is None:
            return False
        return self.ratio is None or self.ratio > other.ratio


@dataclass(frozen=True)
class Cover(Generic[Vectors]):
    """A child with its vectors, and the position of the node of its layer that answers for it."""

    child: Child
    vectors: Vectors
    by: int


@dataclass(frozen=True)
class Return(Generic[Vectors]):
    """A child of the last layer with its vectors, and layer and position of the node that answers for it."""

    child: Child
    vectors: Vectors
    by: tuple[int, int]


@dataclass
class AnyLayer(Generic[Vectors]):
    """What became of the children of the layer before."""

    nodes: list[AnyNode[Vectors]] = field(default_factory=list)
    children: list[Child] = field(default_factory=list)
    covered: list[Cover[Vectors]] = field(default_factory=list)
    closed: list[tuple[Child, Fraction]] = field(default_factory=list)


class Layer(AnyLayer[VectorPair]):
    """A layer in numbers."""


@dataclass
class AnyTrace(Generic[Vectors]):
    """All layers, and what closes the last layer, if something does.

    ``limit`` says why the search ended before the last length, if it did.
    """

    layers: list[AnyLayer[Vectors]]
    returns: list[Return[Vectors]] | None = None
    ends: list[tuple[Child, Fraction]] = field(default_factory=list)
    limit: str | None = None

    def node(self, layer: int, position: int) -> AnyNode[Vectors]:
        """A node by its place."""
        return self.layers[layer].nodes[position]

    def largest_closed(self) -> Fraction:
        """The largest constant with which something was closed."""
        constants = [c for layer in self.layers for _, c in layer.closed] + [c for _, c in self.ends]
        return max(constants, default=Fraction(0))

    def first_return(self) -> int | None:
        """The first layer that answers for a child of the last one."""
        return min((back.by[0] for back in self.returns or ()), default=None)


@dataclass
class Trace(AnyTrace[VectorPair]):
    """A trace in numbers, with the largest ratio at each length."""

    best: list[Best] = field(default_factory=list)


# --- in the words of a certificate ---


@dataclass(frozen=True)
class Exploration:
    """Bounds for the lengths 1, 2, ... with their proof, and for some lengths the best word that was found.

    ``violation`` is a word whose ratio is too large, where a search was asked to look for one.
    """

    upper: UpperProof | None
    words: Mapping[int, WordProof]
    limit: str | None
    nodes: int
    violation: WordProof | None = None


Factor = Callable[[Vectors, Vectors], Fraction | None]


def layer_proofs(
    trace: AnyTrace[Vectors],
    observations: Sequence[str],
    lengths: int,
    factor: Factor[Vectors] = lambda covered, by: None,
) -> tuple[LayerProof, ...]:
    """The layers up to a length as a certificate names them, and the last one if something closes it.

    ``factor`` is the lambda with which a pair covers another, where a certificate needs it.
    """
    proofs = []
    for depth, layer in enumerate(trace.layers[:lengths]):
        name = _namer(depth, observations)
        proofs.append(
            LayerProof(
                nodes=tuple(map(name, layer.children)),
                covered=tuple(
                    (name(cover.child), cover.by, factor(cover.vectors, layer.nodes[cover.by].vectors))
                    for cover in layer.covered
                ),
                closed=tuple((name(child), constant) for child, constant in layer.closed),
            )
        )
    if trace.returns is not None:
        name = _namer(lengths, observations)
        covered = tuple(
            (name(back.child), back.by, factor(back.vectors, trace.node(*back.by).vectors))
            for back in trace.returns
        )
        proofs.append(LayerProof((), covered, tuple((name(child), c) for child, c in trace.ends)))
    return tuple(proofs)


def beyond(trace: AnyTrace[Vectors], bounds: Sequence[Fraction | None]) -> Fraction | None:
    """A bound for all further lengths: what was closed, and the lengths to which the last layer returns."""
    if trace.returns is None:
        return None
    first = trace.first_return()
    found = [trace.largest_closed()]
    for bound in bounds[len(bounds) if first is None else first :]:
        if bound is None:
            return None
        found.append(bound)
    return max(found)


def _namer(depth: int, observations: Sequence[str]) -> Callable[[Child], ChildName]:
    if depth == 0:
        return lambda child: child[0]
    return lambda child: (child[0], observations[child[1]])

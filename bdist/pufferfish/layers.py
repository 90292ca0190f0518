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

from bdist.pufferfish.certificate import ChildName, LayerProof, Tree, UpperProof, WordProof

Vectors = TypeVar("Vectors")

# the position of a node in the layer before, and an observation; in layer 0 that of a pair, and -1
Child = tuple[int, int]


@dataclass(frozen=True)
class Node(Generic[Vectors]):
    """A vector pair that is followed, and the word that leads to it: the node before, and an observation."""

    vectors: Vectors
    parent: Node[Vectors] | None
    observation: int
    root: int

    def word(self) -> tuple[int, ...]:
        """The observations that lead here from the root."""
        backwards: list[int] = []
        node: Node[Vectors] = self
        while node.parent is not None:
            backwards.append(node.observation)
            node = node.parent
        return tuple(reversed(backwards))


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
class Layer(Generic[Vectors]):
    """What became of the children of the layer before."""

    nodes: list[Node[Vectors]] = field(default_factory=list)
    children: list[Child] = field(default_factory=list)
    covered: list[Cover[Vectors]] = field(default_factory=list)
    closed: list[tuple[Child, Fraction]] = field(default_factory=list)

    def follow(self, vectors: Vectors, child: Child, before: Layer[Vectors] | None) -> None:
        """Keep a child of the layer before, or a root where there is none, as a node."""
        parent = None if before is None else before.nodes[child[0]]
        root = child[0] if parent is None else parent.root
        self.nodes.append(Node(vectors, parent, child[1], root))
        self.children.append(child)


@dataclass
class Trace(Generic[Vectors]):
    """All layers, and what closes the last layer, if something does.

    ``limit`` says why the search ended before the last length, if it did.
    """

    layers: list[Layer[Vectors]]
    returns: list[Return[Vectors]] | None = None
    ends: list[tuple[Child, Fraction]] = field(default_factory=list)
    limit: str | None = None

    def node(self, layer: int, position: int) -> Node[Vectors]:
        """A node by its place."""
        return self.layers[layer].nodes[position]

    def size(self) -> int:
        """How many nodes it has."""
        return sum(len(layer.nodes) for layer in self.layers)

    def largest_closed(self) -> Fraction:
        """The largest constant with which something was closed."""
        constants = [c for layer in self.layers for _, c in layer.closed] + [c for _, c in self.ends]
        return max(constants, default=Fraction(0))

    def first_return(self) -> int | None:
        """The first layer that answers for a child of the last one."""
        return min((back.by[0] for back in self.returns or ()), default=None)


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


def upper_proof(
    trace: Trace[Vectors],
    observations: Sequence[str],
    bounds: Sequence[Fraction | None],
    trees: Sequence[tuple[int, int, str, Tree]] = (),
    factor: Factor[Vectors] = lambda covered, by: None,
) -> UpperProof | None:
    """The bounds for the lengths 1, 2, ..., and for all further ones where something closes the last layer.

    ``factor`` is the lambda with which a pair covers another, where a certificate needs it.
    """
    if not bounds:
        return None
    after = _beyond(trace, bounds)
    layers = _layer_proofs(trace, observations, len(bounds), factor)
    return UpperProof(
        tuple(bounds), after, layers if after is not None else layers[: len(bounds)], tuple(trees)
    )


def unsettled(upper: UpperProof | None) -> str | None:
    """Why words of any length are not bounded, if they are not."""
    if upper is not None and upper.beyond is not None:
        return None
    lengths = 0 if upper is None else len(upper.bounds)
    return f"words of up to {lengths} observations do not settle those of any length"


def _layer_proofs(
    trace: Trace[Vectors],
    observations: Sequence[str],
    lengths: int,
    factor: Factor[Vectors],
) -> tuple[LayerProof, ...]:
    """The layers up to a length as a certificate names them, and the last one if something closes it."""
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


def _beyond(trace: Trace[Vectors], bounds: Sequence[Fraction | None]) -> Fraction | None:
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

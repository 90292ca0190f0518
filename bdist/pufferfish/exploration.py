"""What a search has proved, in the words of a certificate: bounds from above, and a word for each length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from bdist.pufferfish.certificate import ChildName, LayerProof, UpperProof, WordProof
from bdist.pufferfish.traces import AnyTrace, Child

Vectors = TypeVar("Vectors")


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

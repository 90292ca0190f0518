"""The search through all words, layer by layer, in a model without parameters.

The vector pairs of all words of length d are layer d. Words are never enumerated: pairs that agree up to a
factor are one (*merged*), a pair that another dominates is *covered* by it, and a pair with alpha <= c beta
is *closed*, since no continuation has a ratio above c. All pairs of initial distributions that are compared
start in layer 0 together and may cover each other, so that asking for 42 of them costs little more than
one.

Which c closes a pair depends on the question. To *decide* whether the loss is at most c, that c does. To
*optimise*, a pair may be closed with whatever is known to be lost at every later length anyway; a beam
search (`incumbents`) provides such words first.

Every bound that the search finds is exact, and is attained: what is kept are pairs of real words. What it
records (`Trace`) is what the certificate says and the checker follows.

*Beyond.* If in the end nothing is left that would have to be followed, because all is closed, or because
every pair is covered by one that was met at an earlier length, then the bounds hold for words of every
length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from bdist.budget import Budget
from bdist.pufferfish.cleared import ClearedModel
from bdist.pufferfish.frontier import cover_from, reduce_layer
from bdist.pufferfish.model import Pair, Words
from bdist.pufferfish.numbers import VectorPair, closing_constant, is_closed
from bdist.pufferfish.traces import AnyLayer, Best, Child, Cover, Layer, Node, Return, Trace

MOST_NODES = 200_000  # of one layer; beyond it a search has lost its way

Closing = Callable[[int], Fraction | None]
Verdict = Callable[[int, Best], bool]


def search(
    cleared: ClearedModel,
    pairs: Sequence[Pair],
    most: int,
    words: Words,
    budget: Budget,
    closing: Closing = lambda depth: None,
    enough: Verdict = lambda length, best: False,
    endless: bool = False,
    most_nodes: int = MOST_NODES,
) -> Trace:
    """Follow all words up to a length.

    ``closing`` gives for a depth the constant with which a pair there may be closed; ``enough`` is asked
    after each length whether to stop. With ``endless`` the search also stops where nothing new can come. No
    layer may have more candidates than ``most_nodes``.
    """
    trace = Trace([_first_layer(cleared, pairs, words, closing)])
    for length in range(1, most + 1):
        layer = trace.layers[-1]
        best, candidates, origins = _grown(cleared, layer, words, budget, most_nodes)
        if candidates is None:
            trace.limit = budget.exhausted() or f"layer {length} has more than {most_nodes} vector pairs"
            return trace
        trace.best.append(best)
        if enough(length, best):
            return trace
        if length == most or endless:
            _try_to_end(trace, candidates, origins, words, closing(length))
            if length == most or trace.returns is not None:
                return trace
        trace.layers.append(_next_layer(candidates, origins, layer, words, closing(length)))
    return trace


def _first_layer(cleared: ClearedModel, pairs: Sequence[Pair], words: Words, closing: Closing) -> Layer:
    roots = [(cleared.root(pair), (position, -1)) for position, pair in enumerate(pairs)]
    counted = [(root, origin) for root, origin in roots if root.alpha and (root.beta or words is Words.ALL)]
    layer = Layer()
    _fill(layer, [r for r, _ in counted], [o for _, o in counted], None, words, closing(0))
    return layer


def _next_layer(
    candidates: list[VectorPair],
    origins: list[Child],
    before: AnyLayer[VectorPair],
    words: Words,
    constant: Fraction | None,
) -> Layer:
    layer = Layer()
    _fill(layer, candidates, origins, before, words, constant)
    return layer


def _fill(
    layer: Layer,
    candidates: list[VectorPair],
    origins: list[Child],
    before: AnyLayer[VectorPair] | None,
    words: Words,
    constant: Fraction | None,
) -> None:
    """Close, cover and keep candidates, in this order."""
    open_positions: list[int] = []
    for position, vectors in enumerate(candidates):
        if constant is not None and is_closed(vectors, constant):
            layer.closed.append((origins[position], closing_constant(vectors) or Fraction(0)))
        else:
            open_positions.append(position)
    reduction = reduce_layer([candidates[position] for position in open_positions], words)
    place: dict[int, int] = {}
    for kept in reduction.kept:
        origin = origins[open_positions[kept]]
        parent = None if before is None else before.nodes[origin[0]]
        root = origin[0] if parent is None else parent.root
        place[kept] = len(layer.nodes)
        layer.nodes.append(Node(candidates[open_positions[kept]], parent, origin[1], root))
        layer.children.append(origin)
    layer.covered = [
        Cover(origins[open_positions[position]], candidates[open_positions[position]], place[by])
        for position, by in reduction.covered_by.items()
    ]


def _grown(
    cleared: ClearedModel, layer: AnyLayer[VectorPair], words: Words, budget: Budget, most_nodes: int
) -> tuple[Best, list[VectorPair] | None, list[Child]]:
    """The best ratio one observation further, and all children that must be accounted for."""
    best = Best.none()
    candidates: list[VectorPair] = []
    origins: list[Child] = []
    above, below = 0, 1
    for position, node in enumerate(layer.nodes):
        if budget.exhausted() or len(candidates) > most_nodes:
            return best, None, origins
        for step in cleared.steps(node.vectors):
            if not step.second and words is Words.COMMON:
                continue
            if step.first * below > above * step.second:
                above, below = step.first, step.second
                best = Best(Fraction(above, below) if below else None, node, step.observation)
            if step.child.alpha and (step.child.beta or words is Words.ALL):
                candidates.append(step.child)
                origins.append((position, step.observation))
    return best, candidates, origins


def _try_to_end(
    trace: Trace,
    candidates: list[VectorPair],
    origins: list[Child],
    words: Words,
    constant: Fraction | None,
) -> None:
    """Account for all children by closing them or by nodes of earlier layers, if that is possible."""
    ends: list[tuple[Child, Fraction]] = []
    returns: list[Return[VectorPair]] = []
    earlier = [
        (layer, position, node.vectors)
        for layer in range(len(trace.layers) - 1, max(len(trace.layers) - 5, -1), -1)
        for position, node in enumerate(trace.layers[layer].nodes)
    ]
    vectors = [entry[2] for entry in earlier]
    for origin, candidate in zip(origins, candidates, strict=True):
        if constant is not None and is_closed(candidate, constant):
            ends.append((origin, closing_constant(candidate) or Fraction(0)))
            continue
        by = cover_from(vectors, candidate, words)
        if by is None:
            return
        returns.append(Return(origin, candidate, earlier[by][:2]))
    trace.returns, trace.ends = returns, ends

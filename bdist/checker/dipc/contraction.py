"""A loop with fewer nodes: those that no step leads back to at once are passed through.

A node k without a step to itself is left at each visit, so a step i → k followed by k → j is a step i → j
with the product of the weights, and k can go, whether j is inside of the loop or not; what arrives at k from
outside arrives at its successors instead. No fraction is made by that, and most nodes of a loop are of this
kind: the ways of a random choice, the places between two choices. The node with the fewest ways through it
goes first, and none goes that would leave more steps than `MOST_WAYS` for each that it takes away. What is
left is a linear system (``program_systems.py``), whose cost grows with the third power of its size and more.
"""

from __future__ import annotations

from ..core.limits import Work
from .exponentials import Quotient, add_quotients

MOST_WAYS = 2  # steps in place of each that a node takes away

Weights = dict[int, dict[int, Quotient]]  # from a node to its successors, inside and outside


def contract(weights: Weights, arriving: list[list[Quotient]], work: Work) -> Weights:
    """The loop without the nodes that can go; what arrives at them is passed on. Raises: TooLarge.

    Requires: the keys of ``weights`` are the nodes of the loop. Ensures: the same mass leaves it.
    """
    left = {node: dict(out) for node, out in weights.items()}
    sources: dict[int, set[int]] = {node: set() for node in left}
    for node, out in left.items():
        for target in out:
            if target in sources:
                sources[target].add(node)
    while (gone := _next(left, sources)) is not None:
        out, entries = left.pop(gone), sources.pop(gone)
        for target in out:
            if target in sources:
                sources[target].discard(gone)
        coming = add_quotients(arriving[gone], work) if arriving[gone] else None
        for target, weight in out.items():
            if coming:
                arriving[target].append(coming.times(weight, work))
            for source in entries:
                added = left[source][gone].times(weight, work)
                known = left[source].get(target)
                left[source][target] = added if known is None else add_quotients([known, added], work)
                if target in sources:
                    sources[target].add(source)
        arriving[gone].clear()
        for source in entries:
            del left[source][gone]
    return left


def _next(left: Weights, sources: dict[int, set[int]]) -> int | None:
    """The node to go next, or None."""
    best: tuple[int, int] | None = None
    for node, out in left.items():
        if node in out or len(left) == 1:
            continue
        ways, taken = len(sources[node]) * len(out), len(sources[node]) + len(out)
        if ways <= MOST_WAYS * taken and (best is None or (ways, node) < best):
            best = ways, node
    return None if best is None else best[1]

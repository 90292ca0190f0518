"""The weights of the nodes without a grid: section 4 of the SPEC.

A path from node 0 has a weight (x, y), the products of the scales of its edges, and a node has the weights of
all paths that lead there, where those with the same ratio x : y are added up. They are pushed along the
edges in the order of the nodes. Where the graph has cycles, the certificate lists the weights of some nodes,
and it is tested that what is pushed there is what is listed.

The weights of a node are integers over two denominators, one for all x and one for all y, which are known
before anything is pushed: so nothing is reduced but ratios, and those by the small numbers of one edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import NamedTuple

from ..core import Rejected
from ..core.digits import size
from ..core.limits import Work
from ..core.vectors import least_common_multiple
from .document import Atom, Profile
from .graph import Edge, longest

Ratio = tuple[int, int]  # x : y in lowest terms


class Weights(NamedTuple):
    """The weights (X / of_x, Y / of_y) by their ratios."""

    pairs: dict[Ratio, tuple[int, int]]
    of_x: int
    of_y: int


def weigh(profile: Profile, edges: Sequence[Sequence[Edge]], work: Work) -> dict[int, Weights]:
    """The weights of the leaves. Raises: Rejected at `order` or `visits`, TooLarge."""
    visits = profile.visits or {}
    for u, out in enumerate(edges):
        for edge in out:
            # every edge into such a node comes from a node with a smaller number or from a node of `visits`
            if not (edge.k in visits or u < edge.k or u in visits):
                raise Rejected("order", f"an edge leads from nodes[{u}] to nodes[{edge.k}], without visits")
    listed = {k: _listed(k, weights, profile, work) for k, weights in visits.items()}
    order = [*listed, *(v for v in range(len(edges)) if v not in listed)]
    found = _empty(edges, listed, order, work)
    if found:
        found[0].pairs[1, 1] = (found[0].of_x, found[0].of_y)  # M_0 contains (1,1)
    for u in order:
        weights = listed.get(u, found[u])
        if edges[u]:
            _push(weights, edges[u], found, work)
            if u not in listed:
                work.release(3 * len(weights.pairs), longest((weights.of_x, weights.of_y)))
                weights.pairs.clear()  # it is an inner node, and all that leads here has been pushed
    for k, weights in listed.items():
        _check_equation(f"visits, node {k}", weights, found[k], work)
    return {v: found[v] for v in order if not edges[v]}


def _listed(k: int, weights: Sequence[Atom], profile: Profile, work: Work) -> Weights:
    title = f"visits, node {k}"
    if k >= len(profile.nodes) or profile.nodes[k].next is None:  # every node of `visits` is an inner node
        raise Rejected("visits", f"{title}: this is no inner node")
    if not all(x > 0 and y > 0 for x, y in weights):  # x, y > 0
        raise Rejected("visits", f"{title}: a weight is not positive")
    of_x, of_y = (least_common_multiple([w[side].denominator for w in weights], work) for side in (0, 1))
    work.keep(3 * len(weights), of_x.bit_length() + of_y.bit_length())
    pairs: dict[Ratio, tuple[int, int]] = {}
    for x, y in weights:
        work.reduce(size(x) + size(y))
        ratio = (x / y).as_integer_ratio()
        if ratio in pairs:  # different ratios
            raise Rejected("visits", f"{title}: two weights have the same ratio")
        pairs[ratio] = (x.numerator * (of_x // x.denominator), y.numerator * (of_y // y.denominator))
    return Weights(pairs, of_x, of_y)


def _empty(
    edges: Sequence[Sequence[Edge]], listed: dict[int, Weights], order: Sequence[int], work: Work
) -> list[Weights]:
    """No weights for any node, over denominators with which all that comes are integers."""
    below = [(1, 1) for _ in edges]
    for u in order:  # what leads to a node that is not listed comes before it
        of_x, of_y = below[u] if u not in listed else listed[u][1:]
        for k, g, h in edges[u]:
            work.spend(2, longest((of_x, of_y)), size(g) + size(h))
            x, y = of_x * g.denominator, of_y * h.denominator
            below[k] = (
                least_common_multiple((below[k][0], x), work),
                least_common_multiple((below[k][1], y), work),
            )
        work.keep(2, longest((of_x, of_y)))
    return [Weights({}, of_x, of_y) for of_x, of_y in below]


def _push(weights: Weights, out: Sequence[Edge], found: Sequence[Weights], work: Work) -> None:
    """Add (g,h) M_u to M_v for the edges from a node."""
    bits = longest(number for pair in weights.pairs.values() for number in pair)
    for k, g, h in out:
        pairs, of_x, of_y = found[k]
        times_x = g.numerator * (of_x // (weights.of_x * g.denominator))
        times_y = h.numerator * (of_y // (weights.of_y * h.denominator))
        above, below = (g / h if h else Fraction(g > 0)).as_integer_ratio()
        work.spend(8 * len(weights.pairs), bits, longest((times_x, times_y, above, below)))
        before = len(pairs)
        for (p, q), (x, y) in weights.pairs.items():
            if g and h:  # (p : q) times (g : h), in lowest terms as these are
                one, two = gcd(p, below), gcd(q, above)
                ratio = p // one * (above // two), q // two * (below // one)
            else:  # the node is a closed leaf, whose weights are all 1 : 0 or all 0 : 1
                ratio = (1, 0) if g else (0, 1)
            old_x, old_y = pairs.get(ratio, (0, 0))
            pairs[ratio] = (old_x + x * times_x, old_y + y * times_y)
        work.keep(3 * (len(pairs) - before), longest((of_x, of_y)))


def _check_equation(title: str, listed: Weights, found: Weights, work: Work) -> None:
    """That a node of `visits` satisfies its equation, ratio by ratio."""
    if listed.pairs.keys() != found.pairs.keys():
        raise Rejected("visits", f"{title}: the paths that lead here have other ratios")
    for ratio, (x, _) in found.pairs.items():  # with the same ratio, y is equal where x is
        other = listed.pairs[ratio][0]
        work.spend(2, longest((x, other)), longest((found.of_x, listed.of_x)))
        if x * listed.of_x != other * found.of_x:
            raise Rejected("visits", f"{title}: the paths that lead here have another weight than is listed")

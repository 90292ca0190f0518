"""The weights of the nodes without a grid: section 4 of the SPEC.

A path from node 0 has a weight (x, y), how likely its labels are from s and from t, and a node has the
weights of all paths that lead there, where those with the same ratio x : y are added up. They are pushed
along the edges in the order of the nodes. Where the graph has cycles, the certificate lists the weights of
some nodes, and it is tested that what is pushed there is what is listed.

The weights of a node are integers over two denominators, one for all x and one for all y, which are known
before anything is pushed: so nothing is reduced but ratios, and those by the small numbers of one edge. For
that scales must be short. Probabilities are not: their numerators and denominators are masses that cancel
from edge to edge only. So on the way a weight is divided by the masses of its node's vectors as they are
written, and at the leaves multiplied by them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import NamedTuple

from ..core import Rejected
from ..core.limits import Work
from ..core.numbers import least_common_multiple, size
from .document import Atom, Profile
from .graph import Edge, longest, mass

Ratio = tuple[int, int]  # x : y in lowest terms
Held = tuple[list[tuple[int, int]], int, int]  # weights as pairs, and the denominators of x and of y


class Weights(NamedTuple):
    """The weights (X / of_x, Y / of_y) by their ratios."""

    pairs: dict[Ratio, tuple[int, int]]
    of_x: int
    of_y: int


def weigh(profile: Profile, edges: Sequence[Sequence[Edge]], work: Work) -> dict[int, Held]:
    """The weights of the leaves. Raises: Rejected at `order` or `visits`, TooLarge."""
    visits = profile.visits or {}
    masses = [(mass(node.a) or 1, mass(node.b) or 1) for node in profile.nodes]
    edges = [
        [_as_written(edge, masses[u], masses[edge.k], work) for edge in out] for u, out in enumerate(edges)
    ]
    for u, out in enumerate(edges):
        for edge in out:
            # every edge into such a node comes from a node with a smaller number or from a node of `visits`
            if not (edge.k in visits or u < edge.k or u in visits):
                raise Rejected("order", f"an edge leads from nodes[{u}] to nodes[{edge.k}], without visits")
    listed = {k: _listed(k, weights, profile, masses, work) for k, weights in visits.items()}
    order = [*listed, *(v for v in range(len(edges)) if v not in listed)]
    below = [(1, 1)] * len(edges)  # denominators with which all that comes are integers
    for u in order:  # what leads to a node that is not listed comes before it
        of_x, of_y = listed[u][1:] if u in listed else below[u]
        for k, g, h in edges[u]:
            work.spend(2, longest((of_x, of_y)), size(g) + size(h))
            x = least_common_multiple((below[k][0], of_x * g.denominator), work)
            below[k] = x, least_common_multiple((below[k][1], of_y * h.denominator), work)
        work.keep(2, longest((of_x, of_y)))
    found = [Weights({}, of_x, of_y) for of_x, of_y in below]
    if found:
        found[0].pairs[1, 1] = below[0]  # M_0 contains (1,1), and the masses of node 0 are 1
    for u in order:
        weights = listed.get(u, found[u])
        bits = longest(number for pair in weights.pairs.values() for number in pair) if edges[u] else 0
        for edge in edges[u]:
            _push(weights, bits, edge, found[edge.k], work)
        if edges[u] and u not in listed:  # an inner node, and all that leads here has been pushed
            work.release(3 * len(weights.pairs), longest((weights.of_x, weights.of_y)))
            weights.pairs.clear()
    for k, weights in listed.items():
        _check_equation(f"visits, node {k}", weights, found[k], work)
    leaves = ((v, *found[v], *masses[v]) for v in order if not edges[v])
    return {
        v: ([(x * of_a, y * of_b) for x, y in pairs.values()], of_x, of_y)
        for v, pairs, of_x, of_y, of_a, of_b in leaves
    }


def _as_written(edge: Edge, here: tuple[int, int], there: tuple[int, int], work: Work) -> Edge:
    """An edge with the scales of the vectors as they are written."""
    work.reduce(size(edge.g) + size(edge.h) + longest((*here, *there)))
    return Edge(edge.k, edge.g * Fraction(here[0], there[0]), edge.h * Fraction(here[1], there[1]))


def _listed(
    k: int, listed: Sequence[Atom], profile: Profile, masses: Sequence[tuple[int, int]], work: Work
) -> Weights:
    title = f"visits, node {k}"
    if k >= len(profile.nodes) or profile.nodes[k].next is None:  # every node of `visits` is an inner node
        raise Rejected("visits", f"{title}: this is no inner node")
    if not all(x > 0 and y > 0 for x, y in listed):  # x, y > 0
        raise Rejected("visits", f"{title}: a weight is not positive")
    weights = [(x / masses[k][0], y / masses[k][1]) for x, y in listed]
    of_x, of_y = (least_common_multiple([w[side].denominator for w in weights], work) for side in (0, 1))
    work.keep(3 * len(weights), of_x.bit_length() + of_y.bit_length())
    pairs: dict[Ratio, tuple[int, int]] = {}
    for x, y in weights:
        work.reduce(size(x) + size(y))
        pairs[(x / y).as_integer_ratio()] = int(x * of_x), int(y * of_y)
    if len(pairs) < len(weights):  # different ratios
        raise Rejected("visits", f"{title}: two weights have the same ratio")
    return Weights(pairs, of_x, of_y)


def _push(weights: Weights, bits: int, edge: Edge, into: Weights, work: Work) -> None:
    """Add (g,h) M_u to M_v for an edge from a node."""
    (_, g, h), (pairs, of_x, of_y) = edge, into
    times_x = g.numerator * (of_x // (weights.of_x * g.denominator))
    times_y = h.numerator * (of_y // (weights.of_y * h.denominator))
    above, below = (g / h).as_integer_ratio() if h else (1, 0)
    work.spend(8 * len(weights.pairs), bits, longest((times_x, times_y, above, below)))
    before = len(pairs)
    for (p, q), (x, y) in weights.pairs.items():
        one, two = gcd(p, below), gcd(q, above)  # (p : q) times (g : h), in lowest terms as these are
        ratio = p // one * (above // two), q // two * (below // one)
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

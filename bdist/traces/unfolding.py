"""The true delta from both sides: unfolding the tree of traces.

lv_alpha(s,t) = sup over events E of nu_s(E) - alpha nu_t(E) is what an attacker gains who sees the labels and
guesses; its threshold problem is undecidable, so it is bracketed. A node of the tree is a sequence of labels
with two vectors: a(i) is the probability that the chain started in s shows these labels and is now in i, b(i)
the same for t. With V(a,b) for the gain that is still possible at a node:

* V is the sum of V over the next labels, and scales with (a,b);
* V >= |a| - alpha |b| (accept whatever follows) and V >= 0 (reject it): the accepted nodes are the attack;
* V <= max { f.(a - alpha b) : 0 <= f <= 1, f_i - alpha f_j <= ld_alpha(i,j) }, because f_i = nu_i(E)
  satisfies these constraints: a directed lift with all states of the node's label.

So any finite tree gives a bracket, and expanding the leaf with the largest weighted gap is the way to shrink
it. Leaves of one depth with proportional vectors are one leaf with more weight; without that merging the tree
of a chain that forgets would grow exponentially for nothing. Merging across depths could make cycles, which
prove nothing from above (a gain that is always put off), so it is not done.

Vectors, factors and bounds are rational. Weights and priorities are floats: they only choose what to expand.
The exact bracket is summed up when it is asked for.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from flint import fmpq

from bdist.certificates.document import Coupling, Leaf, Split, Tree
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.lift import Lift
from bdist.exact.rationals import ZERO, to_fmpq, to_fraction

Vector = dict[int, fmpq]
LeafBound = Callable[[Vector], Lift]
"""From an objective a - alpha b to an upper bound on V with the coupling that proves it."""


@dataclass
class Node:
    """A node up to scale: vectors with |a| + |b| = 1, its own bounds, its children once expanded."""

    depth: int
    a: Vector
    b: Vector
    gain: fmpq
    bound: Lift
    weight_approx: float = 0.0
    second_escapes: bool = False  # whether the second state can go on with a label that the first cannot show
    children: list[tuple[str, int, fmpq]] | None = None

    @property
    def accepts(self) -> bool:
        """Whether the attacker does better to accept here than to reject."""
        return self.gain > 0

    @property
    def floor(self) -> fmpq:
        """The node's lower bound as a leaf."""
        return self.gain if self.gain > 0 else ZERO

    @property
    def gap_approx(self) -> float:
        """The width of the node's bracket as a leaf."""
        return float(self.bound.value - self.floor)


@dataclass
class Unfolding:
    """The tree of traces from an ordered pair of states, as far as it has been expanded."""

    chain: LabelledMarkovChain
    alpha: fmpq
    pair: tuple[int, int]
    leaf_bound: LeafBound
    nodes: list[Node] = field(default_factory=list)
    _known: dict[tuple[object, ...], int] = field(default_factory=dict)
    _open: list[tuple[float, int]] = field(default_factory=list)
    _rows: list[list[tuple[int, fmpq]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rows = [[(j, to_fmpq(p)) for j, p in row] for row in self.chain.rows]
        s, t = self.pair
        self._enter(0, {s: fmpq(1)}, {t: fmpq(1)}, 1.0)

    @property
    def closed(self) -> bool:
        """Whether no leaf has a gap left."""
        self._drop_stale()
        return not self._open

    def expand(self) -> None:
        """Expand the leaf with the largest weighted gap. Requires: not closed."""
        self._drop_stale()
        _, number = heapq.heappop(self._open)
        node = self.nodes[number]
        after, before = self._step(node.a), self._step(node.b)
        node.children = []
        for label, a in after.items():
            child, factor = self._enter(node.depth + 1, a, before.get(label, {}), 0.0)
            node.children.append((label, child, factor))
        node.second_escapes = any(label not in after for label in before)
        node.a, node.b = {}, {}  # no longer needed; trees are large
        self._spread(number, node.weight_approx)

    def bracket(self) -> tuple[fmpq, fmpq]:
        """The exact lower and upper bound on lv_alpha of the pair; children come after their parents."""
        lower = [ZERO] * len(self.nodes)
        upper = [ZERO] * len(self.nodes)
        for number in self.bottom_up():
            node = self.nodes[number]
            if node.children is None:
                lower[number], upper[number] = node.floor, node.bound.value
            else:
                for _, child, factor in node.children:
                    lower[number] += factor * lower[child]
                    upper[number] += factor * upper[child]
        # The root's vectors have |a| + |b| = 2 before they are scaled.
        return lower[0] * 2, upper[0] * 2

    def event(self) -> tuple[fmpq, fmpq]:
        """The exact probabilities, from the two states, of the event that the accepted leaves make up."""
        first = [ZERO] * len(self.nodes)
        second = [ZERO] * len(self.nodes)
        for number in self.bottom_up():
            node = self.nodes[number]
            for _, child, factor in node.children or ():
                first[number] += factor * first[child]
                second[number] += factor * second[child]
            if node.children is None and node.accepts:
                # gain = |a| - alpha |b| and |a| + |b| = 1
                second[number] = (1 - node.gain) / (1 + self.alpha)
                first[number] = 1 - second[number]
        return first[0] * 2, second[0] * 2

    def tree(self) -> Tree:
        """The tree as a certificate has it, with the root scaled to the pair's own vectors."""
        order = list(reversed(self.bottom_up()))
        place = {number: k for k, number in enumerate(order)}
        names = self.chain.states
        made: list[Split | Leaf] = []
        for number in order:
            node = self.nodes[number]
            if node.children is None:
                made.append(Leaf(node.accepts, _coupling(node.bound, names, 2 if number == 0 else 1)))
            else:
                scale = 2 if number == 0 else 1
                made.append(
                    Split(tuple((label, place[c], to_fraction(q * scale)) for label, c, q in node.children))
                )
        return Tree((names[self.pair[0]], names[self.pair[1]]), tuple(made))

    def bottom_up(self) -> list[int]:
        """Node numbers with every child before its parents."""
        return sorted(range(len(self.nodes)), key=lambda number: -self.nodes[number].depth)

    def _step(self, vector: Vector) -> dict[str, Vector]:
        """The vector after one step, by the label that is then seen."""
        parts: dict[str, Vector] = {}
        for i, x in vector.items():
            for j, p in self._rows[i]:
                part = parts.setdefault(self.chain.labels[j], {})
                part[j] = part.get(j, ZERO) + x * p
        return parts

    def _enter(self, depth: int, a: Vector, b: Vector, weight: float) -> tuple[int, fmpq]:
        """The node for a pair of vectors, new or known, and the factor by which it is scaled."""
        mass_a, mass_b = sum(a.values(), ZERO), sum(b.values(), ZERO)
        factor = mass_a + mass_b
        a = {i: x / factor for i, x in a.items()}
        b = {i: x / factor for i, x in b.items()}
        key = (depth, tuple(sorted(a.items(), key=_state)), tuple(sorted(b.items(), key=_state)))
        known = self._known.get(key)
        if known is not None:
            return known, factor
        objective = {
            i: c for i in sorted(a.keys() | b.keys()) if (c := a.get(i, ZERO) - self.alpha * b.get(i, ZERO))
        }
        bound = self.leaf_bound(objective) if objective else Lift(ZERO, {}, {}, {})
        number = len(self.nodes)
        node = Node(depth, a, b, (mass_a - self.alpha * mass_b) / factor, bound)
        if bound.value == node.floor:
            node.a, node.b = {}, {}  # closed: it will never be expanded
        self.nodes.append(node)
        self._known[key] = number
        if weight:
            self._spread(number, weight)
        return number, factor

    def _spread(self, number: int, weight: float) -> None:
        """Add weight to a leaf, or pass it on below a node; queue the open leaves that it reaches.

        Level by level, so that merged nodes are visited once and not once a path.
        """
        node = self.nodes[number]
        level = {number: weight} if node.children is None else self._shares({number: weight})
        while level:
            for at, more in level.items():
                node = self.nodes[at]
                node.weight_approx += more
                if node.children is None and node.bound.value > node.floor:
                    heapq.heappush(self._open, (-node.weight_approx * node.gap_approx, at))
            level = self._shares(level)

    def _shares(self, level: dict[int, float]) -> dict[int, float]:
        """The weights that the nodes of one level pass on to the next."""
        below: dict[int, float] = {}
        for number, weight in level.items():
            for _, child, factor in self.nodes[number].children or ():
                below[child] = below.get(child, 0.0) + weight * float(factor)
        return below

    def _drop_stale(self) -> None:
        """Forget queue entries of nodes that are expanded already or were queued again with more weight."""
        while self._open:
            priority, number = self._open[0]
            node = self.nodes[number]
            if node.children is None and priority == -node.weight_approx * node.gap_approx:
                return
            heapq.heappop(self._open)


def _state(item: tuple[int, fmpq]) -> int:
    return item[0]


def _coupling(lift: Lift, names: tuple[str, ...], scale: int) -> Coupling:
    return Coupling(
        tuple((names[i], names[j], to_fraction(x * scale)) for (i, j), x in sorted(lift.w.items())),
        tuple((names[i], to_fraction(x * scale)) for i, x in sorted(lift.b.items())),
    )

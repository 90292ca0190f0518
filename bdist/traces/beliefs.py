"""The graph of beliefs: what an observer who does not know the start thinks after each sequence of labels.

After a word of labels the chain that began in s is in state i with the unnormalised probability a(i), and the
one that began in t with b(i). The labels to come tell more if and only if a and b are not proportional. Two
words that lead to proportional pairs (a, b) need not be told apart, however long they are: so loops close,
and a graph of a few nodes may stand for infinitely many words. There are two such graphs.

* Up to *two* scales: a and b are each divided by what divides all their entries. A node is then a pair of
  directions, an edge has a factor for either side, and the likelihood ratio is a matter of the path, not of
  the node. k-fold randomised response has k + 1 nodes, where words fall into about k^2 / 2 classes of equal
  ratio. This graph serves all alphas at once.
* Up to *one* scale: nodes are told apart by their ratio as well. There are more of them, but each can be left
  alone once nothing is to be gained there at the alpha in question. This graph serves one alpha, and chains
  of which the first graph has no end.

A node where one side is empty, or both directions are equal, is *closed*: nothing that follows tells more.
Nodes that were not expanded are *open*. From below an open node counts as its two masses, from above as if
the state were revealed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from bdist.traces.futures import Directions, Futures


class Node(NamedTuple):
    """The pair of vectors (``left`` times direction ``a``, ``right`` times direction ``b``)."""

    a: int
    b: int
    left: int
    right: int
    depth: int = 0  # how many labels were read, where that counts


class Edge(NamedTuple):
    """With the next label ``label`` on to node ``child``: factors for both sides."""

    label: str
    child: int
    g: Fraction
    h: Fraction


@dataclass
class Graph:
    """Nodes, and the edges of those that were expanded; node 0 is the pair of states.

    ``one_scale`` says which of the two graphs it is. With it all factors of an edge agree, unless one is 0.
    With ``by_depth`` beliefs after different numbers of labels are kept apart, so that there are no cycles.
    """

    directions: Directions
    one_scale: bool
    by_depth: bool = False
    nodes: list[Node] = field(default_factory=list)
    edges: dict[int, list[Edge]] = field(default_factory=dict)
    _numbers: dict[Node, int] = field(default_factory=dict)

    @classmethod
    def of(cls, futures: Futures, pair: tuple[str, str], *, one_scale: bool, by_depth: bool = False) -> Graph:
        """The graph of the root alone."""
        directions = Directions(futures)
        graph = cls(directions, one_scale, by_depth)
        s, t = (directions.unit(futures.at(state)) for state in pair)
        graph._enter(Node(s, t, 1, 1))
        return graph

    def is_closed(self, number: int) -> bool:
        """Whether nothing that follows a node tells more."""
        node = self.nodes[number]
        return node.a == node.b or node.a == 0 or node.b == 0

    def masses(self, number: int) -> tuple[int, int]:
        """The sums of both vectors of a node."""
        node = self.nodes[number]
        return node.left * self.directions.mass(node.a), node.right * self.directions.mass(node.b)

    def vectors(self, number: int) -> tuple[dict[int, int], dict[int, int]]:
        """Both vectors of a node, by coordinate."""
        node, vectors = self.nodes[number], self.directions.vectors
        return (
            {i: node.left * x for i, x in vectors[node.a]},
            {i: node.right * x for i, x in vectors[node.b]},
        )

    def revealed(self, number: int) -> list[tuple[int, int]]:
        """The entries of both vectors of a node, coordinate by coordinate, or only which of them it is where
        entries are negative: what an attacker knows at most.
        """
        a, b = self.vectors(number)
        if any(x < 0 for x in (*a.values(), *b.values())):
            left, right = self.masses(number)
            return [(left, 0), (0, right)]
        return [(a.get(i, 0), b.get(i, 0)) for i in sorted(a.keys() | b.keys())]

    def expand(self, number: int) -> list[Edge]:
        """Add the edges of a node that is not closed, and the nodes that they lead to."""
        node, directions = self.nodes[number], self.directions
        first, second = directions.step(node.a), directions.step(node.b)
        none = (0, Fraction(0))
        edges = []
        for label in first.keys() | second.keys():
            (a, g), (b, h) = first.get(label, none), second.get(label, none)
            g, h = g * node.left, h * node.right
            left, right = (1 if a else 0), (1 if b else 0)
            if self.one_scale and a and b:
                ratio = g / h
                left, right = ratio.numerator, ratio.denominator
                g = h = g / left
            child = Node(a, b, left, right, node.depth + self.by_depth)
            edges.append(Edge(label, self._enter(child), g, h))
        edges.sort()
        self.edges[number] = edges
        return edges

    def flow(self, number: int) -> list[Edge]:
        """The edges of an inner node with probabilities in place of factors."""
        left, right = self.masses(number)
        masses = [self.masses(edge.child) for edge in self.edges[number]]
        return [
            edge._replace(g=edge.g * a / left, h=edge.h * b / right)
            for edge, (a, b) in zip(self.edges[number], masses, strict=True)
        ]

    def _enter(self, node: Node) -> int:
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return number


@dataclass(frozen=True)
class Reach:
    """How far a graph may grow: nodes, products taken, and when to stop (a reason, or None)."""

    nodes: int
    work: int
    stopped: Callable[[], str | None]


def explore_all(graph: Graph, reach: Reach) -> str | None:
    """Expand every node that is not closed, the nearest first; what stopped it, if anything did."""
    done = 0
    while done < len(graph.nodes):
        if not graph.is_closed(done) and done not in graph.edges:
            reason = _reason(graph, reach)
            if reason is not None:
                return reason
            graph.expand(done)
        done += 1
    return None


def cut_endless(graph: Graph) -> bool:
    """Make leaves of the nodes from which no leaf is reached; whether there are any.

    Whoever is there goes on for ever without an end. Either nothing more is told (the two sides are trace
    equivalent), or it is told for ever.
    """
    inner = list(graph.edges)
    into: dict[int, list[int]] = {}
    ends: list[int] = []
    for u in inner:
        for edge in graph.edges[u]:
            into.setdefault(edge.child, []).append(u)
            if edge.child not in graph.edges:
                ends.append(u)
    reaching: set[int] = set()
    while ends:
        u = ends.pop()
        if u not in reaching:
            reaching.add(u)
            ends += into.get(u, ())
    endless = [u for u in inner if u not in reaching]
    for u in endless:
        del graph.edges[u]
    return bool(endless)


Gap = Callable[[int], float]


def explore_best(graph: Graph, gap_approx: Gap, reach: Reach, narrow: float) -> str | None:
    """Expand where weight times gap is largest; what stopped it, None where nothing is open.

    Requires: a graph up to one scale; ``gap_approx`` is what a node with masses 1 in all may still gain, 0 if
    and only if nothing. Weights are floats: they only choose what to expand. A node that is reached again
    after it was expanded passes on what came late when enough of it has come, so that loops end. Once the
    open nodes add up to at most ``narrow``, the search goes on for as long again, in the hope of an end, and
    then stops.
    """
    queue = _Queue(graph, gap_approx)
    queue.offer(0, 1.0)
    most = reach.nodes
    while True:
        number = queue.next()
        if number is None:
            return None
        if queue.open_approx <= narrow:
            most = min(most, max(_FEWEST, 2 * len(graph.nodes)))
        if number not in graph.edges:
            if len(graph.nodes) >= most and most < reach.nodes:
                return f"open beliefs of a total weight below {narrow:g}"
            reason = _reason(graph, reach)
            if reason is not None:
                return reason
            graph.expand(number)
        queue.pass_on(number)


_LATE = 0.25  # of a node's weight must have come late before it is passed on
_FEWEST = 64


class _Queue:
    """The nodes by weight times gap, the largest first. Weights are of nodes whose masses are 1 in all."""

    def __init__(self, graph: Graph, gap_approx: Gap) -> None:
        self._graph, self._gap_approx = graph, gap_approx
        self._gaps: dict[int, float] = {}
        self._weights: dict[int, float] = {}
        self._passed: dict[int, float] = {}  # what of the weight of an expanded node is with its children
        self._heap: list[tuple[float, int]] = []
        self.open_approx = 0.0

    def offer(self, number: int, more: float) -> None:
        """Add weight to a node."""
        gap = self._gaps.get(number)
        if gap is None:
            closed = self._graph.is_closed(number)
            gap = self._gaps[number] = 0.0 if closed else self._gap_approx(number)
        if gap == 0.0:
            return
        total = self._weights[number] = self._weights.get(number, 0.0) + more
        if number not in self._graph.edges:
            self.open_approx += more * gap
            heapq.heappush(self._heap, (-total * gap, number))
        elif total - self._passed[number] > _LATE * self._passed[number]:
            heapq.heappush(self._heap, (-(total - self._passed[number]) * gap, number))

    def next(self) -> int | None:
        """The next node to expand, or to pass on what came late."""
        while self._heap:
            priority, number = heapq.heappop(self._heap)
            waiting = self._weights[number] - self._passed.get(number, 0.0)
            if priority == -waiting * self._gaps[number]:
                return number
        return None

    def pass_on(self, number: int) -> None:
        """Hand what a node has not passed on yet to its children. Requires: it is expanded."""
        if number not in self._passed:
            self._passed[number] = 0.0
            self.open_approx -= self._weights[number] * self._gaps[number]
        more = self._weights[number] - self._passed[number]
        self._passed[number] = self._weights[number]
        own = sum(self._graph.masses(number))
        for edge in self._graph.edges[number]:
            share = (edge.g or edge.h) * sum(self._graph.masses(edge.child)) / own
            self.offer(edge.child, more * float(share))


def _reason(graph: Graph, reach: Reach) -> str | None:
    """Why no further node may be expanded."""
    if len(graph.nodes) >= reach.nodes:
        return f"limit of {reach.nodes} beliefs reached"
    if graph.directions.work >= reach.work:
        return f"beliefs over many states, or with long numbers, after {len(graph.nodes)} of them"
    return reach.stopped()

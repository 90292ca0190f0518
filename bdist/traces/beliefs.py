"""The graph of beliefs: what an observer who does not know the start thinks after each sequence of labels.

**Coordinates: what can still be seen from a state.** An observer reads labels. After each of them what counts
about the state that the chain is in is only its *future*: the probabilities of the labels to come. Two states
with the same future are one coordinate, also where their own labels differ, because these have been read
already: after the answers "yes" and "no" of a survey that goes on in the same way, the observer has learned
what there was to learn.

There are two ways to find equal futures.

* States that are bisimilar have the same future, and so have two states whose rows agree up to bisimilarity.
  (If rows agree up to futures, they do so up to bisimilarity: targets of one future and one label are
  bisimilar.) One quotient and one look at its rows find these classes; that is done always.
* Futures are vectors, indexed by words, in a space whose dimension is at most the number of states. Where it
  is less, some futures are combinations of others: states may be *trace equivalent*, alone or mixed, without
  being bisimilar. Then coordinates are states whose futures are a basis, and the others are written in them,
  with numbers that may be negative. Now two beliefs are proportional if and only if no sequence of labels
  tells them apart, so that graphs close that otherwise go on for ever. It takes an elimination over all
  states, so it is tried only where the first way did not lead to an end.

A certificate lists the combinations, and they are checked by looking at the rows once (`SPEC.md`, section 2).

Beliefs are pairs of vectors over the coordinates, and either of them goes its own way: the *direction* of a
vector, which is the vector divided by the largest integer that divides all its entries, and a label determine
the next direction and a factor. Directions are numbered, and each is stepped once.

**The graph.** After a word of labels the chain that began in s is in state i with the unnormalised
probability a(i), and the one that began in t with b(i). The labels to come tell more if and only if a and b
are not proportional. Two words that lead to proportional pairs (a, b) need not be told apart, however long
they are: so loops close, and a graph of a few nodes may stand for infinitely many words. There are two such
graphs.

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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from flint import fmpq, fmpq_mat

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.quotient import quotient
from bdist.exact.rationals import to_fraction

Vector = tuple[tuple[int, int], ...]
"""Coordinates, increasing, with integers that are not 0."""

Step = Mapping[str, tuple[int, Fraction]]
"""By next label: the number of the next direction, and the factor."""

Combination = tuple[tuple[int, Fraction], ...]

MOST_SPANNED = 80  # coordinates, beyond which no elimination is tried
_PRIME = 2**31 - 1
_PIECE = 512  # bits of a number that count as one


@dataclass(frozen=True)
class Futures:
    """The coordinates of a chain, and how a unit of each goes on.

    ``names[k]`` is the state that coordinate k stands for, and ``number`` its inverse; ``others`` has, for
    every other state that was asked for or is reached, its combination of coordinates; ``rows[k]`` lists
    (label, coordinate, numerator) over ``denominators[k]``.
    """

    names: tuple[str, ...]
    number: Mapping[str, int]
    others: Mapping[str, Combination]
    rows: tuple[tuple[tuple[str, int, int], ...], ...]
    denominators: tuple[int, ...]

    @classmethod
    def of(cls, chain: LabelledMarkovChain, states: Iterable[str]) -> Futures:
        """The futures of some states, and of all that they reach, by equal rows.

        Raises: ParameterError where the chain has no such state.
        """
        part = chain.restricted_to_reachable(chain.index(state) for state in states)
        merged = quotient(part)
        labels, integer_rows = merged.chain.labels, merged.chain.integer_rows
        by_row: dict[object, int] = {}
        place: list[int] = []
        first: list[int] = []
        for position, row in enumerate(integer_rows):
            k = by_row.setdefault((row.targets, row.numerators, row.denominator), len(by_row))
            place.append(k)
            if k == len(first):
                first.append(position)
        names = tuple(merged.chain.states[position] for position in first)
        number = {name: k for k, name in enumerate(names)}
        return cls(
            names,
            number,
            {
                state: ((k, Fraction(1)),)
                for k, members in zip(place, merged.classes, strict=True)
                for state in members
                if state not in number
            },
            tuple(
                tuple(
                    (labels[j], place[j], x)
                    for j, x in zip(integer_rows[i].targets, integer_rows[i].numerators, strict=True)
                )
                for i in first
            ),
            tuple(integer_rows[i].denominator for i in first),
        )

    def __len__(self) -> int:
        return len(self.names)

    def at(self, state: str) -> int:
        """The coordinate with the future of a state. Requires: there is one, not a mixture of several."""
        return self.number[state] if state in self.number else self.others[state][0][0]

    def spanned(self, keep: Sequence[int]) -> Futures | None:
        """The same futures over a basis that contains those coordinates; None where they are one already.

        Requires: the coordinates in ``keep`` have independent futures.
        """
        if len(self) > MOST_SPANNED:
            return None
        closure = self._closure()
        if len(closure) == len(self):
            return None
        # an elimination modulo a prime, which only proposes
        reduced: list[tuple[int, list[int]]] = []
        basis = []
        for k in (*keep, *(k for k in range(len(self)) if k not in keep)):
            row = _reduce([values[k] for _, values in closure], reduced)
            if row is not None:
                reduced.append(row)
                basis.append(k)
        if len(basis) != len(closure):
            return None
        return self._over(sorted(basis), [word for word, _ in closure])

    def _over(self, basis: list[int], words: list[tuple[str, ...]]) -> Futures | None:
        """The futures written in some of them, which these words tell apart; None where that fails."""
        inside = {k: place for place, k in enumerate(basis)}
        table = [self._values(word) for word in words]
        square = fmpq_mat([[column[k] for k in basis] for column in table])
        outside = [k for k in range(len(self)) if k not in inside]
        right = fmpq_mat([[column[k] for k in outside] for column in table])
        solution = square.solve(right)
        combination: dict[int, Combination] = {k: ((inside[k], Fraction(1)),) for k in basis}
        for column, k in enumerate(outside):
            entries = ((place, solution[place, column]) for place in range(len(basis)))
            combination[k] = tuple((place, to_fraction(x)) for place, x in entries if x)
        stepped = [self._stepped(k, combination) for k in range(len(self))]
        # every combination must step as its state does, and be as likely
        for k in range(len(self)):
            rest = dict(stepped[k])
            for place, share in combination[k]:
                for key, value in stepped[basis[place]].items():
                    rest[key] = rest.get(key, Fraction(0)) - share * value
            if any(rest.values()) or sum(share for _, share in combination[k]) != 1:
                return None
        denominators = tuple(lcm(*(value.denominator for value in stepped[k].values())) for k in basis)
        rows = tuple(
            tuple((label, place, int(value * scale)) for (label, place), value in stepped[k].items() if value)
            for k, scale in zip(basis, denominators, strict=True)
        )
        others = {self.names[k]: combination[k] for k in outside}
        others |= {state: combination[k] for state, ((k, _),) in self.others.items()}
        names = tuple(self.names[k] for k in basis)
        return Futures(names, {name: k for k, name in enumerate(names)}, others, rows, denominators)

    def _stepped(self, k: int, combination: Mapping[int, Combination]) -> dict[tuple[str, int], Fraction]:
        """By label and coordinate of the basis, how a unit of a coordinate goes on."""
        total: dict[tuple[str, int], Fraction] = {}
        for label, j, x in self.rows[k]:
            for place, share in combination[j]:
                key = (label, place)
                total[key] = total.get(key, Fraction(0)) + Fraction(x, self.denominators[k]) * share
        return total

    def _values(self, word: tuple[str, ...]) -> list[fmpq]:
        """The probability of a word from each coordinate, its own label not counted."""
        values = [fmpq(1)] * len(self)
        for label in reversed(word):
            values = [
                sum((values[j] * x for c, j, x in row if c == label), fmpq(0)) / denominator
                for row, denominator in zip(self.rows, self.denominators, strict=True)
            ]
        return values

    def _closure(self) -> list[tuple[tuple[str, ...], list[int]]]:
        """Words whose probabilities from all coordinates, modulo a prime, span those of all words."""
        inverse = [pow(d, -1, _PRIME) if d % _PRIME else 0 for d in self.denominators]
        by_label: dict[str, list[list[tuple[int, int]]]] = {}
        for k, row in enumerate(self.rows):
            for label, j, x in row:
                matrix = by_label.setdefault(label, [[] for _ in self.rows])
                matrix[k].append((j, x * inverse[k] % _PRIME))
        start = [1] * len(self)
        found: list[tuple[tuple[str, ...], list[int]]] = []
        reduced: list[tuple[int, list[int]]] = []
        waiting: list[tuple[tuple[str, ...], list[int]]] = [((), start)]
        while waiting:
            word, values = waiting.pop(0)
            rest = _reduce(values, reduced)
            if rest is None:
                continue
            reduced.append(rest)
            found.append((word, values))
            for label, matrix in by_label.items():
                after = [sum(values[j] * x for j, x in line) % _PRIME for line in matrix]
                waiting.append(((label, *word), after))
        return found


def _reduce(row: list[int], reduced: list[tuple[int, list[int]]]) -> tuple[int, list[int]] | None:
    """A row less what others account for, scaled to 1 at its pivot, modulo the prime; None where it is 0."""
    rest = list(row)
    for pivot, other in reduced:
        factor = rest[pivot]
        if factor:
            rest = [(x - factor * y) % _PRIME for x, y in zip(rest, other, strict=True)]
    pivot = next((k for k, x in enumerate(rest) if x), -1)
    if pivot < 0:
        return None
    inverse = pow(rest[pivot], -1, _PRIME)
    return pivot, [x * inverse % _PRIME for x in rest]


@dataclass
class Directions:
    """The directions that vectors over some coordinates take, numbered; 0 is the empty one."""

    futures: Futures
    vectors: list[Vector] = field(default_factory=lambda: [()])
    _numbers: dict[Vector, int] = field(default_factory=lambda: {(): 0})
    _steps: list[Step | None] = field(default_factory=lambda: [{}])
    work: int = 0  # products that were taken, long ones several times

    def unit(self, coordinate: int) -> int:
        """The direction of one coordinate."""
        return self._number(((coordinate, 1),))

    def mass(self, number: int) -> int:
        """The sum of the entries of a direction, which is positive."""
        return sum(x for _, x in self.vectors[number])

    def step(self, number: int) -> Step:
        """Where a direction goes with each label that it can show next."""
        known = self._steps[number]
        if known is not None:
            return known
        futures, vector = self.futures, self.vectors[number]
        scale = lcm(*(futures.denominators[i] for i, _ in vector))
        pieces = 1 + max((x.bit_length() for _, x in vector), default=0) // _PIECE
        self.work += pieces * pieces * sum(len(futures.rows[i]) for i, _ in vector)  # as for divisors
        parts: dict[str, dict[int, int]] = {}
        for i, x in vector:
            factor = x * (scale // futures.denominators[i])
            for label, j, p in futures.rows[i]:
                part = parts.setdefault(label, {})
                part[j] = part.get(j, 0) + factor * p
        found = {}
        for label, part in parts.items():
            divisor = gcd(*part.values())
            if divisor:
                child = self._number(tuple((j, part[j] // divisor) for j in sorted(part) if part[j]))
                found[label] = (child, Fraction(divisor, scale))
        self._steps[number] = found
        return found

    def _number(self, vector: Vector) -> int:
        known = self._numbers.get(vector)
        if known is None:
            known = self._numbers[vector] = len(self.vectors)
            self.vectors.append(vector)
            self._steps.append(None)
        return known


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
class Limits:
    """How far a graph may grow: nodes, products taken, and when to stop (a reason, or None)."""

    nodes: int
    work: int
    stopped: Callable[[], str | None]


def explore_all(graph: Graph, reach: Limits) -> str | None:
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


def explore_best(graph: Graph, gap_approx: Gap, reach: Limits, narrow: float) -> str | None:
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


def _reason(graph: Graph, reach: Limits) -> str | None:
    """Why no further node may be expanded."""
    if len(graph.nodes) >= reach.nodes:
        return f"limit of {reach.nodes} beliefs reached"
    if graph.directions.work >= reach.work:
        return f"beliefs over many states, or with long numbers, after {len(graph.nodes)} of them"
    return reach.stopped()

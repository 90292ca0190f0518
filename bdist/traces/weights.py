"""How often each belief is met, and with which likelihood ratio: exact weights on a graph of beliefs.

A path from the root to a node has a factor x for the first side and y for the second. What counts about all
paths to a node is, for each ratio x : y, the sum of the factors. Along the edges of a graph without cycles
these sums are computed forward, node by node. On a cycle the factors repeat for ever, with the same ratio or
with a new one each time round.

* With the same ratio (a *balanced* component), as always in a graph up to one scale, the sums satisfy a
  linear system: the weight of a node is what enters it from outside plus what comes along the edges within.
  One potential a node, the ratio that it has relative to the first node of the component, reduces all ratios
  to that of the entry; there is one system for each of these.
* With a new ratio each time there are infinitely many atoms, and no finite answer; `bdist.traces.grid` has
  bounds.

A component that no path leaves has no finite weights either; `bdist.traces.beliefs.cut_endless` takes it out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd

from flint import fmpq

from bdist.exact.linear import solve_affine, strongly_connected_components
from bdist.exact.rationals import to_fmpq
from bdist.traces.beliefs import Graph

Ratio = tuple[int, int]
"""Two coprime positive integers. (As keys they are hashed ten times faster than rationals.)"""

Weights = dict[Ratio, fmpq]
"""By ratio x : y the sum of y."""

Atoms = dict[fmpq | None, tuple[fmpq, fmpq]]
"""By ratio p : q (None where q = 0) the sums of p and of q."""


class NoFiniteWeights(Exception):
    """Somewhere in the graph the ratio changes each time round."""


class TooManyWeights(Exception):
    """There are more weights, or longer ones, than are wanted."""


@dataclass
class Weighing:
    """The weights of all nodes of a graph, those on cycles, and the order in which the others follow.

    ``at[v]`` are the weights of an inner node or an open leaf with both sides; ``one_sided[v]`` is the sum of
    the one factor that a node with an empty side has.
    """

    graph: Graph
    at: dict[int, Weights] = field(default_factory=dict)
    one_sided: dict[int, fmpq] = field(default_factory=dict)
    cyclic: list[int] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    count: int = 0

    def atoms(self, shares: Sequence[Mapping[int, fmpq]] = ()) -> tuple[Atoms, Atoms]:
        """The atoms of all leaves: from below, an open leaf as its masses, and from above, revealed.

        With the ``shares`` of types, by coordinate, an open leaf counts from below as its masses a type.
        """
        below: Atoms = {}
        above: Atoms = {}
        graph = self.graph
        for v, total in self.one_sided.items():
            p, q = (fmpq(mass) * total for mass in graph.masses(v))
            for atoms in (below, above):
                _add(atoms, p, q)
        for v, weights in self.at.items():
            if v in graph.edges:
                continue
            least: Sequence[tuple[fmpq | int, fmpq | int]] = [graph.masses(v)]
            most: Sequence[tuple[fmpq | int, fmpq | int]] = least
            if not graph.is_closed(v):
                most = graph.revealed(v)
                if shares:
                    a, b = graph.vectors(v)
                    least = [(_dot(a, share), _dot(b, share)) for share in shares]
            for (n, d), y in weights.items():
                x = y * n / d
                for atoms, parts in ((below, least), (above, most)):
                    for left, right in parts:
                        _add(atoms, x * left, y * right)
        return below, above


def weigh(graph: Graph, most: int, ask: Callable[[], None]) -> Weighing:
    """The weights of all nodes. ``ask`` is called now and then, and may raise.

    Requires: from every inner node a leaf is reached.
    Raises: NoFiniteWeights, TooManyWeights where there are more than ``most``.
    """
    inner = list(graph.edges)
    place = {v: k for k, v in enumerate(inner)}
    successors = [[place[e.child] for e in graph.edges[v] if e.child in place] for v in inner]
    found = Weighing(graph)
    found.at[0] = {(1, 1): fmpq(1)}
    for component in reversed(strongly_connected_components(successors)):
        ask()
        members = [inner[k] for k in component]
        found.order += members
        if len(members) > 1 or component[0] in successors[component[0]]:
            _close_cycle(found, members)
        for v in members:
            _push(found, v, set(members))
            if found.count > most:
                raise TooManyWeights
    return found


def _push(found: Weighing, u: int, component: set[int]) -> None:
    """Pass the weights of an inner node on to its children outside its component."""
    weights = found.at.get(u, {})
    for edge in found.graph.edges[u]:
        if edge.child in component:
            continue
        g, h = to_fmpq(edge.g), to_fmpq(edge.h)
        if not g or not h:
            parts = weights.items()
            sums = (g * y * p / q for (p, q), y in parts) if g else (h * y for _, y in parts)
            found.one_sided[edge.child] = sum(sums, found.one_sided.get(edge.child, fmpq(0)))
            continue
        target = found.at.setdefault(edge.child, {})
        shift = edge.g / edge.h
        for ratio, y in weights.items():
            moved = ratio if shift == 1 else _times(ratio, shift.numerator, shift.denominator)
            before = target.get(moved)
            target[moved] = y * h if before is None else before + y * h
        found.count += len(weights)


def _times(ratio: Ratio, n: int, d: int) -> Ratio:
    """The ratio times n / d. Requires: n and d are coprime; common divisors are then those crosswise."""
    p, q = ratio
    one, other = gcd(p, d), gcd(q, n)
    return (p // one) * (n // other), (q // other) * (d // one)


def _close_cycle(found: Weighing, members: list[int]) -> None:
    """Solve for the weights of a component, which so far has what enters it."""
    graph, inside = found.graph, set(members)
    potential = _potentials(graph, members, inside)
    if potential is None:
        raise NoFiniteWeights
    place = {v: k for k, v in enumerate(members)}
    rows: list[dict[int, fmpq]] = [{} for _ in members]
    for u in members:
        for edge in graph.edges[u]:
            if edge.child in inside:
                row = rows[place[edge.child]]
                row[place[u]] = row.get(place[u], fmpq(0)) + to_fmpq(edge.h)
    entering: dict[Ratio, list[fmpq]] = {}
    for v in members:
        for ratio, y in found.at.get(v, {}).items():
            n, d = potential[v]
            constants = entering.setdefault(_times(ratio, d, n), [fmpq(0)] * len(members))
            constants[place[v]] += y
    for v in members:
        found.at[v] = {}
    for base, constants in entering.items():
        solution = solve_affine(rows, constants)
        if solution is None:
            raise NoFiniteWeights
        for v, y in zip(members, solution, strict=True):
            found.at[v][_times(base, *potential[v])] = y
        found.count += len(members)
    found.cyclic += members


def _potentials(graph: Graph, members: list[int], inside: set[int]) -> dict[int, Ratio] | None:
    """For every node of a component its ratio relative to the first one; None where two paths disagree."""
    potential = {members[0]: (1, 1)}
    waiting = [members[0]]
    while waiting:
        u = waiting.pop()
        for edge in graph.edges[u]:
            if edge.child in inside:
                shift = edge.g / edge.h
                ratio = _times(potential[u], shift.numerator, shift.denominator)
                known = potential.get(edge.child)
                if known is None:
                    potential[edge.child] = ratio
                    waiting.append(edge.child)
                elif known != ratio:
                    return None
    return potential


def _dot(vector: Mapping[int, int], share: Mapping[int, fmpq]) -> fmpq:
    return sum((share[i] * x for i, x in vector.items() if i in share), fmpq(0))


def _add(atoms: Atoms, p: fmpq, q: fmpq) -> None:
    if not p and not q:
        return
    ratio = p / q if q else None
    before = atoms.get(ratio)
    atoms[ratio] = (p, q) if before is None else (before[0] + p, before[1] + q)

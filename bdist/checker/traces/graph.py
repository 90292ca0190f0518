"""Coordinates and the graph of beliefs: sections 2 and 3 of the SPEC.

After some labels have been read, two vectors on the states are all that counts: how likely it is to be where,
from s and from t. A node of the graph holds such a pair, each vector up to a factor of its own, and an edge
is one more label. The graph comes with the certificate; here it is tested that every edge leads where the
rows of the model do, and the factors of the edges, g and h, are found.

States that are equally likely to do everything that follows may share a coordinate (`classes`), and more
generally a vector on the states may be replaced by its image under a matrix B (`basis`). Rows and vectors are
integers over one denominator: a step is a sum of products of integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ..core import Rejected
from ..core.chain import Model
from ..core.limits import Work
from ..core.text import shown
from ..core.vectors import common_denominator, least_common_multiple, scaled
from .document import Basis, Coordinate, Integers, Node, Profile


def longest(numbers: Iterable[int]) -> int:
    """The bits of the longest of some numbers."""
    return max((x.bit_length() for x in numbers), default=0)


class Rows:
    """The rows of the matrices X_c: for a coordinate the entries (c, D, n), over the row's denominator."""

    def __init__(
        self, rows: Mapping[Coordinate, Mapping[tuple[str, Coordinate], Fraction]], work: Work
    ) -> None:
        self._work = work
        self._rows: dict[Coordinate, tuple[int, list[tuple[str, Coordinate, int]]]] = {}
        for i, row in rows.items():
            m = common_denominator(row.values(), work)
            work.keep(len(row), m.bit_length())
            self._rows[i] = m, [(c, j, n) for (c, j), n in scaled(row, m).items() if n]

    def row(self, i: Coordinate) -> tuple[int, list[tuple[str, Coordinate, int]]]:
        """The denominator and the entries of a row; one that is not listed is 0."""
        return self._rows.get(i, (1, []))

    def step(self, v: Integers) -> tuple[int, dict[str, Integers]]:
        """A number m > 0, and for each label c the vector m v X_c, without zeros, where it is not 0."""
        rows = [(x, *self.row(i)) for i, x in v.items()]
        m = least_common_multiple([denominator for _, denominator, _ in rows], self._work)
        bits = longest(v.values())
        self._work.spend(len(rows) + sum(len(entries) for *_, entries in rows), bits, m.bit_length())
        self._work.hold(sum(len(entries) for *_, entries in rows), bits + m.bit_length())
        found: dict[str, Integers] = {}
        for x, denominator, entries in rows:
            factor = x * (m // denominator)
            for c, j, n in entries:
                part = found.setdefault(c, {})
                part[j] = part.get(j, 0) + factor * n
        without_zeros = ((c, {j: x for j, x in part.items() if x}) for c, part in found.items())
        return m, {c: part for c, part in without_zeros if part}


@dataclass(frozen=True)
class Coordinates:
    """The rows B_i of the states, as integers over one denominator, and the matrices X_c."""

    start: dict[str, Integers]
    denominator: int
    rows: Rows
    basis: bool

    def total(self, v: Integers) -> int:
        """v·m: the weight m is 1 everywhere, or with a basis 1 at coordinate 0 and 0 elsewhere."""
        return v.get(0, 0) if self.basis else sum(v.values())


def coordinates(model: Model, profile: Profile, work: Work) -> Coordinates:
    """The coordinates of a certificate. Raises: Rejected at `class` or `basis`, TooLarge."""
    if profile.basis is not None:
        return _with_basis(model, profile.basis, work)
    first = _names_of_classes(model, profile.classes or ())
    rows: dict[str, dict[tuple[str, str], Fraction]] = {}
    for i, row in model.rows.items():
        lumped: dict[tuple[str, str], Fraction] = {}
        for j, p in row.items():  # Σ μ_i(j) over the j in C with ℓ(j) = c
            key = (model.labels[j], first[j])
            lumped[key] = lumped.get(key, Fraction(0)) + p
        if rows.setdefault(first[i], lumped) != lumped:  # is the same as Σ μ_i'(j)
            states = f"{shown(i)} and the states before it in the class of {shown(first[i])}"
            raise Rejected("class", f"{states} are not equally likely to go to every class with every label")
    return Coordinates({i: {c: 1} for i, c in first.items()}, 1, Rows(rows, work), basis=False)


def _names_of_classes(model: Model, classes: Sequence[Sequence[str]]) -> dict[str, str]:
    """For each state the first of its class."""
    first: dict[str, str] = {}
    for number, states in enumerate(classes):
        for i in states:
            if i not in model.labels:
                raise Rejected("class", f"classes[{number}] names {shown(i)}, not a state of the model")
            if i in first:  # the classes are disjoint
                raise Rejected("class", f"classes[{number}] names {shown(i)} again")
            first[i] = states[0]
    return {i: first.get(i, i) for i in model.labels}  # a state that is in none is a class of its own


def _with_basis(model: Model, basis: Basis, work: Work) -> Coordinates:
    if basis.rows.keys() != model.labels.keys():  # rows has exactly one entry for every state
        i = next(iter(basis.rows.keys() ^ model.labels.keys()))
        raise Rejected("basis", f"{shown(i)} is a state of the model or has a row, and not both")
    for c in basis.steps:
        if c not in model.states_of:  # steps names labels of states only
            raise Rejected("basis", f"steps names {shown(c)}, not a label of the model")
    matrices: dict[Coordinate, dict[tuple[str, Coordinate], Fraction]] = {}
    for c, matrix in basis.steps.items():
        for k, entries in matrix.items():
            matrices.setdefault(k, {}).update({(c, j): x for j, x in entries.items()})
    rows = Rows(matrices, work)
    m = common_denominator([x for row in basis.rows.values() for x in row.values()], work)
    start = {i: {k: x for k, x in scaled(row, m).items() if x} for i, row in basis.rows.items()}
    for i, b in start.items():
        if b.get(0) != m:  # B_i(0) = 1
            raise Rejected("basis", f"the row of {shown(i)} is not 1 at the coordinate 0")
        vector = model.vectors[i]
        work.spend(
            sum(len(start[j]) for j in vector.numerators), m.bit_length(), vector.denominator.bit_length()
        )
        left: dict[str, Integers] = {}
        for j, p in vector.numerators.items():
            part = left.setdefault(model.labels[j], {})
            for k, x in start[j].items():
                part[k] = part.get(k, 0) + p * x
        scale, right = rows.step(b)
        for c in left.keys() | right.keys():
            found, asked = left.get(c, {}), right.get(c, {})
            for k in found.keys() | asked.keys():  # Σ_j μ_i(j) B_j over the j with ℓ(j) = c equals B_i X_c
                if found.get(k, 0) * scale != asked.get(k, 0) * vector.denominator:
                    raise Rejected(
                        "basis", f"the step of {shown(i)} with the label {shown(c)} differs at {k}"
                    )
    return Coordinates(start, m, rows, basis=True)


# --- the graph --------------------------------------------------------------------------------------------


class Edge(NamedTuple):
    """An edge to the node k with the scales g and h."""

    k: int
    g: Fraction
    h: Fraction


def check_graph(model: Model, profile: Profile, over: Coordinates, work: Work) -> list[list[Edge]]:
    """The edges out of each node. Raises: Rejected at `root`, `node` or `next`, TooLarge."""
    for i in profile.pair:
        if i not in model.labels:  # s and t are states of the model
            raise Rejected("root", f"the pair names {shown(i)}, not a state of the model")
    s, t = profile.pair
    nodes = profile.nodes
    if bool(nodes) != (model.labels[s] == model.labels[t]):  # a node if and only if ℓ(s) = ℓ(t)
        same = (
            "the same label, and there is no node" if not nodes else "different labels, and there are nodes"
        )
        raise Rejected("root", f"{shown(s)} and {shown(t)} have {same}")
    for i, vector in zip(profile.pair, (nodes[0].a, nodes[0].b) if nodes else (), strict=False):
        if {k: x * over.denominator for k, x in vector.items()} != over.start[i]:  # a = B_s and b = B_t
            raise Rejected("root", f"nodes[0] is not the row of {shown(i)}")
    names = {c for row in over.start.values() for c in row}
    for n, node in enumerate(nodes):
        _check_node(f"nodes[{n}]", node, over, names)
    return [_edges(f"nodes[{n}]", node, nodes, over.rows, work) for n, node in enumerate(nodes)]


def _check_node(title: str, node: Node, over: Coordinates, names: set[Coordinate]) -> None:
    for letter, vector in (("a", node.a), ("b", node.b)):
        if not over.basis and not (vector.keys() <= names and all(x > 0 for x in vector.values())):
            raise Rejected("node", f"{title}: {letter} has an entry < 0, or one that is not at a class")
        if vector and not over.total(vector) > 0:  # a·m > 0 or a is empty; the same for b
            raise Rejected("node", f"{title}: the weight of {letter} is not positive")
    if not node.a and not node.b:  # not both are empty
        raise Rejected("node", f"{title}: both vectors are empty")
    if node.next is not None and not (node.a and node.b):  # an inner node has neither empty
        raise Rejected("node", f"{title}: there is a next, and one of the vectors is empty")


def _edges(title: str, node: Node, nodes: Sequence[Node], rows: Rows, work: Work) -> list[Edge]:
    if node.next is None:
        return []
    (of_a, a), (of_b, b) = rows.step(node.a), rows.step(node.b)
    if node.next.keys() != a.keys() | b.keys():  # exactly those c with a^c ≠ 0 or b^c ≠ 0
        c = next(iter(node.next.keys() ^ (a.keys() | b.keys())))
        what = "has an entry and does not come next" if c in node.next else "comes next and has no entry"
        raise Rejected("next", f"{title}: the label {shown(c)} {what}")
    edges = []
    for c, k in node.next.items():
        if not 0 < k < len(nodes):  # 0 < k < number of nodes
            raise Rejected("next", f"{title}: the entry of {shown(c)} names no node after the first")
        # a^c = g a_k, b^c = h b_k for rationals g, h ≥ 0
        g, h = _factor(a.get(c, {}), nodes[k].a, of_a, work), _factor(b.get(c, {}), nodes[k].b, of_b, work)
        if g is None or h is None:
            letter = "a" if g is None else "b"
            raise Rejected(
                "next", f"{title}: with the label {shown(c)}, {letter} is no multiple of nodes[{k}]"
            )
        edges.append(Edge(k, g, h))
    return edges


def _factor(v: Integers, w: Integers, m: int, work: Work) -> Fraction | None:
    """The g ≥ 0 with v = m g w, where g = 0 if and only if w is empty; None if there is none."""
    if not proportional(v, w, work):
        return None
    if not w:
        return Fraction(0)
    i = next(iter(w))
    work.reduce(v[i].bit_length() + w[i].bit_length() + m.bit_length())
    g = Fraction(v[i], m * w[i])
    return g if g > 0 else None


def proportional(v: Integers, w: Integers, work: Work) -> bool:
    """Whether one vector is a multiple of the other, and neither or both are empty."""
    if v.keys() != w.keys():
        return False
    work.spend(2 * len(v), longest(v.values()), longest(w.values()))
    first = next(iter(v), 0)
    return all(x * w[first] == v[first] * w[i] for i, x in v.items())


def is_closed(node: Node, work: Work) -> bool:
    """A leaf is closed if a or b is empty or a = r b for some rational r."""
    return node.next is None and (not node.a or not node.b or proportional(node.a, node.b, work))

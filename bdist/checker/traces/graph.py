"""Coordinates and the graph of beliefs: sections 2 and 3 of the SPEC.

After some labels have been read, two vectors on the states are all that counts: how likely it is to be where,
from s and from t. A node of the graph holds such a pair, each vector up to a factor of its own, and an edge
is one more label. The graph comes with the certificate; here it is tested that every edge leads where the
rows of the model do, and how likely its label is on either side, g and h, is found.

A state whose future is that of a combination of other states is replaced by it (`futures`), so vectors may
have negative entries; the states that are left are the coordinates. Rows and vectors are integers over one
denominator: a step is a sum of products of integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..core import Rejected, demand
from ..core.chain import Model
from ..core.limits import Work
from ..core.numbers import common_denominator, least_common_multiple, scaled, size
from ..core.text import shown
from .document import Integers, Node, Profile

Image = dict[tuple[str, str], Fraction]  # by label and coordinate


def longest(numbers: Iterable[int]) -> int:
    """The bits of the longest of some numbers."""
    return max(map(int.bit_length, numbers), default=0)


def mass(v: Integers) -> int:
    """|v|, the sum of its entries."""
    return sum(v.values())


class Rows:
    """The rows X_c(k) of the coordinates: for k the entries (c, j, n), over the row's denominator."""

    def __init__(self, rows: Mapping[str, Image], work: Work) -> None:
        self._work = work
        self._rows: dict[str, tuple[int, list[tuple[str, str, int]]]] = {}
        for i, row in rows.items():
            m = common_denominator(row.values(), work)
            work.keep(len(row), m.bit_length())
            self._rows[i] = m, [(c, j, n) for (c, j), n in scaled(row, m).items() if n]

    def step(self, v: Integers) -> tuple[int, dict[str, Integers]]:
        """A number m > 0, and for each label c the vector m v X_c, without zeros, where it is not 0.

        Requires: v is over coordinates.
        """
        rows = [(x, *self._rows[i]) for i, x in v.items()]
        m = least_common_multiple([denominator for _, denominator, _ in rows], self._work)
        bits, count = longest(v.values()), sum(len(entries) for *_, entries in rows)
        self._work.spend(len(rows) + count, bits, m.bit_length())
        self._work.hold(count, bits + m.bit_length())
        found: dict[str, Integers] = {}
        for x, denominator, entries in rows:
            factor = x * (m // denominator)
            for c, j, n in entries:
                part = found.setdefault(c, {})
                part[j] = part.get(j, 0) + factor * n
        without_zeros = ((c, {j: x for j, x in part.items() if x}) for c, part in found.items())
        return m, {c: part for c, part in without_zeros if part}


class Coordinates(NamedTuple):
    """The vectors B_i of the states, and the rows X_c(k) of the coordinates."""

    of: dict[str, dict[str, Fraction]]
    rows: Rows


def coordinates(model: Model, profile: Profile, work: Work) -> Coordinates:
    """The coordinates of a certificate. Raises: Rejected at `future`, TooLarge."""
    futures = profile.futures or {}
    for i, entry in futures.items():  # entries name states of the model, and those k stand first in none
        for k in (i, *entry):
            if k not in model.labels or (k in futures and k in entry):
                what = "which has an entry itself" if k in model.labels else "not a state of the model"
                raise Rejected("future", f"the entry of {shown(i)} names {shown(k)}, {what}")
    of = {i: futures.get(i, {i: Fraction(1)}) for i in model.labels}
    rows = Rows({k: _image(k, model, of, work) for k in model.labels if k not in futures}, work)
    for i, entry in futures.items():
        m = common_denominator(entry.values(), work)
        numbers = scaled(entry, m)
        # for every entry |B_i| = 1
        demand("future", mass(numbers) == m, f"the entry of {shown(i)} does not sum to 1")
        scale, parts = rows.step({k: x for k, x in numbers.items() if x})
        found = {(c, k): x for c, part in parts.items() for k, x in part.items()}
        asked = _image(i, model, of, work)
        work.spend(len(asked), longest((m, scale)), max(map(size, asked.values()), default=1))
        # for every label c, Σ_j μ_i(j) B_j over the j with ℓ(j) = c equals B_i X_c
        same = found == {key: x * m * scale for key, x in asked.items() if x}
        demand("future", same, f"the entry of {shown(i)} does not have its future")
    return Coordinates(of, rows)


def _image(i: str, model: Model, of: Mapping[str, Mapping[str, Fraction]], work: Work) -> Image:
    """Σ_j μ_i(j) B_j over the j with ℓ(j) = c, for each label c."""
    image: Image = {}
    for j, p in model.rows[i].items():
        for k, x in of[j].items():
            old = image.get((model.labels[j], k), Fraction(0))
            work.reduce(size(p) + size(x) + size(old))
            image[model.labels[j], k] = old + p * x
    return image


# --- the graph --------------------------------------------------------------------------------------------


class Edge(NamedTuple):
    """An edge to the node k, and the probabilities g and h of its label from a and from b."""

    k: int
    g: Fraction
    h: Fraction


def check_graph(model: Model, profile: Profile, over: Coordinates, work: Work) -> list[list[Edge]]:
    """The edges out of each node. Raises: Rejected at `root`, `node` or `next`, TooLarge."""
    (s, t), nodes = profile.pair, profile.nodes
    for i in profile.pair:
        demand("root", i in model.labels, f"the pair names {shown(i)}, not a state of the model")
    # there is a node if and only if ℓ(s) = ℓ(t)
    what = "different labels, and there are nodes" if nodes else "the same label, and there is no node"
    same = model.labels[s] == model.labels[t]
    demand("root", bool(nodes) == same, f"{shown(s)} and {shown(t)} have {what}")
    for i, vector in zip(profile.pair, nodes[0][:2] if nodes else (), strict=False):
        whole = {k: x for k, x in over.of[i].items() if x}
        demand("root", vector == whole, f"nodes[0] is not where {shown(i)} is")  # a = B_s and b = B_t
    names = {k for vector in over.of.values() for k in vector}
    for n, (a, b, following) in enumerate(nodes):
        problem = ""
        if not (a.keys() <= names and b.keys() <= names):  # the vectors a and b are over coordinates
            problem = "an entry is not at a coordinate"
        elif (a and mass(a) <= 0) or (b and mass(b) <= 0):  # |a| > 0 or a is empty; the same for b
            problem = "a mass is not positive"
        elif not (a or b) or (following is not None and not (a and b)):
            problem = "both vectors are empty" if not (a or b) else "there is a next, and a vector is empty"
        if problem:
            raise Rejected("node", f"nodes[{n}]: {problem}")
    return [_edges(f"nodes[{n}]", node, nodes, over.rows, work) for n, node in enumerate(nodes)]


def _edges(title: str, node: Node, nodes: Sequence[Node], rows: Rows, work: Work) -> list[Edge]:
    if node.next is None:
        return []
    (of_a, a), (of_b, b) = rows.step(node.a), rows.step(node.b)
    of_a, of_b = of_a * mass(node.a), of_b * mass(node.b)
    if node.next.keys() != a.keys() | b.keys():  # exactly those c with a^c ≠ 0 or b^c ≠ 0
        c = next(iter(node.next.keys() ^ (a.keys() | b.keys())))
        what = "has an entry and does not come next" if c in node.next else "comes next and has no entry"
        raise Rejected("next", f"{title}: the label {shown(c)} {what}")
    edges = []
    for c, k in node.next.items():
        if not 0 <= k < len(nodes):
            raise Rejected("next", f"{title}: the entry of {shown(c)} names no node")
        g, h = _share(a.get(c, {}), of_a, nodes[k].a, work), _share(b.get(c, {}), of_b, nodes[k].b, work)
        if g is None or h is None:
            what = f"{'a' if g is None else 'b'} is no multiple of nodes[{k}]"
            raise Rejected("next", f"{title}: with the label {shown(c)}, {what}")
        edges.append(Edge(k, g, h))
    return edges


def _share(v: Integers, m: int, w: Integers, work: Work) -> Fraction | None:
    """The g ≥ 0 with v / m = g w / |w|, where it is 0 if and only if w is empty; None if there is none."""
    if not proportional(v, w, work):
        return None
    work.reduce(longest((mass(v), m)))
    g = Fraction(mass(v), m)
    return g if g > 0 or not w else None


def proportional(v: Integers, w: Integers, work: Work) -> bool:
    """Whether one vector is a multiple of the other, and neither or both are empty. Requires: |w| ≥ 0."""
    if v.keys() != w.keys():
        return False
    work.spend(2 * len(v), longest(v.values()), longest(w.values()))
    of_v, of_w = mass(v), mass(w)
    return all(x * of_w == of_v * w[i] for i, x in v.items())


def is_closed(node: Node, work: Work) -> bool:
    """A leaf is closed if a or b is empty or a = r b for some rational r."""
    return node.next is None and (not node.a or not node.b or proportional(node.a, node.b, work))

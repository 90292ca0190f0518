"""Trees: what an attacker gains who watches the labels, which is lv_α, from both sides.

A node stands for two vectors a, b ≥ 0 on states of one label, and bounds V(a, b), the supremum of
a(E) − α b(E) over events E. A split passes to the vectors after one more step, one part for each label; a
leaf stops, with an event for the lower bound and a coupling for the upper one. Entries point from a node to
later ones, so one pass forward computes all vectors, and one pass backward all bounds.

The vectors are as long as the model has states of a label, and a tree may have a hundred thousand nodes, so
they are integers over one denominator, and each is forgotten once its node is done. A node that many entries
name is looked at once. The numbers may grow with every step, so what is done with them is counted as work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ..core import Rejected
from ..core.chain import Model
from ..core.digits import brief, size
from ..core.limits import Work
from ..core.text import shown
from ..core.vectors import Vector, least_common_multiple
from .couplings import Multipliers, UpperTable, check_coupling, cost
from .document import Leaf, Pair, Split, Tree

ZERO = Fraction(0)


class Bounds(NamedTuple):
    """lower ≤ V(a, b) ≤ upper."""

    lower: Fraction
    upper: Fraction


NOTHING = Vector({}, 1)

Vectors = tuple[Vector, Vector]  # a and b
Branch = tuple[int, Fraction]  # k and q


def check_trees(
    model: Model, alpha: Fraction, trees: Sequence[Tree], upper: UpperTable, work: Work
) -> dict[Pair, Bounds]:
    """The bounds on lv_α that the trees prove, under ordered pairs. Raises: Rejected, TooLarge."""
    _check_tree_pairs(model, trees)
    return {
        tree.pair: _tree_bounds(_title(number, tree), tree, model, alpha, upper, work)
        for number, tree in enumerate(trees)
    }


def _check_tree_pairs(model: Model, trees: Sequence[Tree]) -> None:
    seen: dict[Pair, int] = {}
    for number, tree in enumerate(trees):
        s, t = tree.pair
        if s == t:  # s ≠ t
            raise Rejected("tree-pair", f"{_title(number, tree)} is a pair of equal states")
        if model.labels[s] != model.labels[t]:  # ℓ(s) = ℓ(t)
            labels = f"{shown(model.labels[s])} and {shown(model.labels[t])}"
            raise Rejected("tree-pair", f"{_title(number, tree)} has different labels, {labels}")
        first = seen.setdefault(tree.pair, number)
        if first != number:  # no pair stands twice
            raise Rejected("tree-pair", f"{_title(number, tree)} is the pair of trees[{first}] again")


def _tree_bounds(
    title: str, tree: Tree, model: Model, alpha: Fraction, upper: UpperTable, work: Work
) -> Bounds:
    s, t = tree.pair
    named: dict[int, Vectors] = {}  # a_k, b_k for the nodes k that are to come
    _enter(0, (Vector({s: 1}, 1), Vector({t: 1}, 1)), named, work)
    branches: dict[int, list[Branch]] = {}
    bounds: dict[int, Bounds] = {}
    for n, node in enumerate(tree.nodes):
        if n not in named:  # every node but the root is named by some entry
            raise Rejected("tree-split", f"{title}: no entry that counts names node {n}")
        vectors = named.pop(n)  # only nodes before n name n
        for vector in vectors:
            work.release(*vector.extent())
        if isinstance(node, Split):
            place = _Place(title, n, len(tree.nodes))
            branches[n] = _check_split(place, node, vectors, named, model, work)
        else:
            bounds[n] = _check_leaf(f"{title}, node {n}", node, vectors, alpha, upper, work)
    for n in reversed(branches):  # they point to later nodes, whose bounds are there already
        lower = upper_bound = ZERO
        for k, q in branches[n]:
            for number in (*bounds[k], lower, upper_bound):
                work.reduce(size(number) + size(q))
            lower += q * bounds[k].lower
            upper_bound += q * bounds[k].upper
        work.keep(2, size(lower) + size(upper_bound))
        bounds[n] = Bounds(lower, upper_bound)
    return bounds[0]


@dataclass(frozen=True)
class _Place:
    """A node of a tree: its number n, and how many nodes there are."""

    tree: str
    n: int
    size: int

    def reject(self, reason: str) -> Rejected:
        return Rejected("tree-split", f"{self.tree}, node {self.n}: {reason}")


def _check_split(
    place: _Place, node: Split, vectors: Vectors, named: dict[int, Vectors], model: Model, work: Work
) -> list[Branch]:
    """The branches that count, which are those of labels with a' ≠ 0; their vectors are entered as named."""
    next_a, next_b = (_after(model, vector, work) for vector in vectors)
    branches: list[Branch] = []
    for c, a in next_a.items():  # a is a', and not 0
        if c not in node.entries:  # for every label c with a' ≠ 0 there is an entry [c, k, q]
            raise place.reject(f"there is no entry for the label {shown(c)}")
        k, q = node.entries[c]
        if not place.n < k < place.size:  # n < k < the number of nodes
            raise place.reject(
                f"the entry for {shown(c)} names {brief(Fraction(k))}, not one of the nodes "
                f"after this one, of which the last is {place.size - 1}"
            )
        if not q > 0:  # q > 0
            raise place.reject(f"the factor of {shown(c)} is {brief(q)}, which is not positive")
        reached = (_divided(a, q, work), _divided(next_b.get(c, NOTHING), q, work))
        known = _enter(k, reached, named, work)  # a_k = a'/q and b_k = b'/q, if no earlier entry named k
        for letter, vector, expected in zip("ab", reached, known, strict=True):
            if vector != expected:  # a' = q a_k and b' = q b_k
                raise place.reject(
                    f"at the label {shown(c)}, {letter} is not {brief(q)} times the {letter} of node {k}, "
                    f"which an earlier entry names"
                )
        branches.append((k, q))
    return branches


def _enter(k: int, vectors: Vectors, named: dict[int, Vectors], work: Work) -> Vectors:
    """The vectors of the node k, which are these if it has none yet."""
    if k not in named:
        for vector in vectors:
            work.keep(*vector.extent())
        named[k] = vectors
    return named[k]


def _check_leaf(
    title: str, leaf: Leaf, vectors: Vectors, alpha: Fraction, upper: UpperTable, work: Work
) -> Bounds:
    a, b = vectors
    # w, b ≥ 0 and Σ_j w(i,j) + b(i) − α Σ_j w(j,i) ≥ a_n(i) − α b_n(i)
    multipliers = Multipliers.of(leaf.coupling, work)
    check_coupling("tree-leaf", title, multipliers, a, b, alpha, work)
    return Bounds(
        lower=a.total() - alpha * b.total() if leaf.accepts else ZERO,  # Σ a_n − α Σ b_n, or 0
        upper=cost(multipliers, upper, work),  # Σ w(i,j) U(i,j) + Σ b(i)
    )


def _after(model: Model, vector: Vector, work: Work) -> dict[str, Vector]:
    """The restrictions of Σ_i v(i) μ_i to the states of each label: those that are not 0, by label."""
    rows = model.vectors
    scale = least_common_multiple([rows[i].denominator for i in vector.numerators], work)
    terms = sum(len(rows[i].numerators) for i in vector.numerators)
    work.spend(terms, vector.denominator.bit_length(), scale.bit_length())
    work.hold(min(terms, len(rows)), vector.denominator.bit_length() + scale.bit_length())
    parts: dict[str, dict[str, int]] = {}
    for i, x in vector.numerators.items():
        factor = x * (scale // rows[i].denominator)
        for j, p in rows[i].numerators.items():
            part = parts.setdefault(model.labels[j], {})
            part[j] = part.get(j, 0) + factor * p
    return {c: Vector(part, vector.denominator * scale) for c, part in parts.items()}


def _divided(vector: Vector, q: Fraction, work: Work) -> Vector:
    """The vector divided by q."""
    bits = vector.denominator.bit_length() + size(q)
    work.hold(len(vector.numerators), bits)
    work.spend(len(vector.numerators), bits, size(q))
    work.reduce(bits)  # of all entries; it is quadratic once, and linear from then on
    return vector.divided(q)


def _title(number: int, tree: Tree) -> str:
    return f"trees[{number}] ({shown(tree.pair[0])}, {shown(tree.pair[1])})"

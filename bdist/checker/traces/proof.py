"""The proof of a privacy profile: the lists that the graph proves, and the claim (SPEC sections 4 and 7).

A list of atoms (p, q) stands for A(α) = Σ max(0, p − α q). The *optimistic* list is below lv_α(s,t) for every
α ≥ 0 and the *pessimistic* one above: they differ where the certificate stops to follow the chain, at open
leaves, and where a grid rounds. Three modules lead here: ``graph.py`` tests the coordinates and the graph,
``weights.py`` or ``grid.py`` follows the probabilities to its leaves, and ``types.py`` adds what is seen in
the long run. The claim is then compared with the lists at finitely many α.

Below, a comment with a sentence of the specification stands at the line that tests it. Lists are pairs of
integers over one number, the unit, because with fractions most of the time would go into common divisors.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core import Rejected, check_fingerprint
from ..core.chain import Model, read_model
from ..core.digits import brief, comparison, size
from ..core.limits import Allowance, Work
from ..core.vectors import common_denominator
from .document import Atom, Bounds, Integers, Lists, Node, Profile, read_profile
from .graph import Edge, check_graph, coordinates, is_closed, longest, mass
from .weights import Weights, weigh

if TYPE_CHECKING:
    from .grid import Pass

ZERO = Fraction(0)

PROFILE_STEPS = (
    *("model", "future", "root", "node", "next", "order", "visits", "sums"),
    *("type-class", "type-rest", "type-words", "type-reach", "claim"),
)


class Atoms(NamedTuple):
    """A list of atoms (p / unit, q / unit), none of them (0, 0)."""

    pairs: list[tuple[int, int]]
    unit: int


# --- the two lists ----------------------------------------------------------------------------------------

Reach = tuple[int, Sequence[Integers]]  # the r_τ as integers, over one denominator


def _proved(model: Model, profile: Profile, work: Work) -> tuple[Atoms, Atoms]:
    """The optimistic and the pessimistic list. Raises: Rejected, TooLarge."""
    over = coordinates(model, profile, work)
    edges = check_graph(model, profile, over, work)
    reach = None
    if profile.types is not None:  # what few certificates need is loaded for these
        from .types import check_types

        reach = check_types(model, profile.types, work)
    if profile.grid is None:
        low = high = weigh(profile, edges, work)
    else:
        from .grid import Pass

        relative = _relative(edges, profile.nodes, work)
        low, high = (_on_grid(profile, Pass(profile.grid, relative, up, work)) for up in (False, True))
    optimistic = _atoms(profile.nodes, low, partial(_shares, reach, False), work)
    pessimistic = _atoms(profile.nodes, high, partial(_shares, None, True), work)
    if not profile.nodes:  # for ℓ(s) ≠ ℓ(t) both lists are (1,0), (0,1)
        optimistic = pessimistic = Atoms([(1, 0), (0, 1)], 1)
    elif profile.grid is None:
        for letter, side in (("p", 0), ("q", 1)):
            total = sum(pair[side] for pair in optimistic.pairs)
            if total != optimistic.unit:  # in the optimistic list Σ p = 1 and Σ q = 1
                numbers = comparison(Fraction(total, optimistic.unit), "!=", Fraction(1))
                raise Rejected("sums", f"the {letter} of the leaves do not sum to 1, {numbers}")
    return optimistic, pessimistic


def _relative(edges: Sequence[Sequence[Edge]], nodes: Sequence[Node], work: Work) -> list[list[Edge]]:
    """The edges with g |a_k| / |a_u| and h |b_k| / |b_u| in place of g and h."""
    masses = [(mass(node.a), mass(node.b)) for node in nodes]
    found: list[list[Edge]] = []
    for (a, b), out in zip(masses, edges, strict=True):
        for edge in out:
            work.reduce(size(edge.g) + size(edge.h) + longest((a, b, *masses[edge.k])))
        found.append(
            [Edge(k, g * Fraction(masses[k][0], a), h * Fraction(masses[k][1], b)) for k, g, h in out]
        )
    return found


def _on_grid(profile: Profile, one: Pass) -> dict[int, Weights]:
    """What a pass leaves at the nodes; a/|a| and b/|b| are in place of a and b."""
    found = {}
    for v, pairs in one.run().items():
        a, b = (max(1, mass(vector)) for vector in (profile.nodes[v].a, profile.nodes[v].b))
        found[v] = Weights({(n, 1): pair for n, pair in enumerate(pairs)}, a << one.bits, b << one.bits)
    return found


Share = tuple[Fraction, Fraction]


def _atoms(
    nodes: Sequence[Node],
    weights: Mapping[int, Weights],
    share: Callable[[Node, Work], list[Share]],
    work: Work,
) -> Atoms:
    """For every node that has weights, times them, the pairs that it is worth."""
    factors: list[tuple[Weights, list[Share]]] = []
    for v, of in weights.items():
        shares = share(nodes[v], work)
        for p, q in shares:
            work.reduce(size(p) + size(q) + longest((of.of_x, of.of_y)))
        factors.append((of, [(p / of.of_x, q / of.of_y) for p, q in shares]))
    unit = common_denominator([x for _, shares in factors for pair in shares for x in pair], work)
    pairs = []
    for (found, _, _), shares in factors:
        bits = unit.bit_length() + longest(number for pair in found.values() for number in pair)
        work.keep(2 * len(found) * len(shares), bits)
        work.spend(2 * len(found) * len(shares), bits, bits)
        for p, q in shares:
            times_x, times_y = int(p * unit), int(q * unit)
            pairs += [(x * times_x, y * times_y) for x, y in found.values()]
    return Atoms([pair for pair in pairs if any(pair)], unit)


def _shares(reach: Reach | None, pessimistic: bool, node: Node, work: Work) -> list[Share]:
    """What a node is worth, as multiples of its weight (x, y)."""
    a, b = Fraction(mass(node.a)), Fraction(mass(node.b))
    if is_closed(node, work) or not (pessimistic or reach):  # the atom (x |a|, y |b|)
        return [(a, b)]
    if reach:  # the atoms (x a·r_τ, y b·r_τ), one for each type τ
        m, types = reach
        bits = longest((*node.a.values(), *node.b.values()))
        work.spend(len(types) * (len(node.a) + len(node.b)), bits, m.bit_length())
        return [(_product(node.a, r, m), _product(node.b, r, m)) for r in types]
    if min(*node.a.values(), *node.b.values()) < 0:  # (x |a|, 0) and (0, y |b|), if an entry is negative
        return [(a, ZERO), (ZERO, b)]
    # the atoms (x a(i), y b(i)) for every coordinate i
    return [(Fraction(node.a.get(i, 0)), Fraction(node.b.get(i, 0))) for i in node.a | node.b]


def _product(v: Integers, r: Integers, m: int) -> Fraction:
    return Fraction(sum(x * r.get(i, 0) for i, x in v.items()), m)


# --- the claim --------------------------------------------------------------------------------------------


def _check_claim(claim: Lists | Bounds, optimistic: Atoms, pessimistic: Atoms, work: Work) -> None:
    if isinstance(claim, Bounds):
        _check_bounds(claim, optimistic, pessimistic, work)
        return
    _check_optimistic(_claimed("optimistic", claim.optimistic, work), optimistic, work)
    _check_pessimistic(_claimed("pessimistic", claim.pessimistic, work), pessimistic, work)


def _claimed(title: str, atoms: Sequence[Atom], work: Work) -> Atoms:
    # every p, q ≥ 0, none is (0,0), Σ p = Σ q = 1
    unit = common_denominator([number for atom in atoms for number in atom], work)
    work.keep(2 * len(atoms), unit.bit_length())
    pairs = [(p.numerator * (unit // p.denominator), q.numerator * (unit // q.denominator)) for p, q in atoms]
    if not all(p >= 0 and q >= 0 and p + q > 0 for p, q in pairs):
        raise Rejected("claim", f"the {title} list has a negative number or the atom (0, 0)")
    for letter, side in (("p", 0), ("q", 1)):
        if sum(pair[side] for pair in pairs) != unit:
            raise Rejected("claim", f"the {letter} of the {title} list do not sum to 1")
    return Atoms(pairs, unit)


class _Curve:
    """The function A of a list, at ratios p : q of this list or another one.

    ⌊2^shift p/q⌋ stands for a ratio. Two different ones differ by at least 1 / (q q'), so with 2^shift ≥ q q'
    these integers differ as well: they are in the order of the ratios, and equal only where these are.
    """

    def __init__(self, atoms: Atoms, shift: int, work: Work) -> None:
        bits = longest(number for pair in atoms.pairs for number in pair)
        work.keep(4 * len(atoms.pairs), 2 * bits + shift)
        work.spend(4 * len(atoms.pairs), bits + shift, bits)
        work.spend(len(atoms.pairs) * len(atoms.pairs).bit_length())
        finite = sorted(((p << shift) // q, p, q) for p, q in atoms.pairs if q)
        self.ratios = finite  # of the list, in order: the key, p and q
        self.unit, self._bits, self._work = atoms.unit, bits, work
        self._keys = [key for key, _, _ in finite]
        endless = sum(p for p, q in atoms.pairs if not q)
        # the sums of p and q over all atoms but the first n in this order
        self._above = list(accumulate((p for _, p, _ in reversed(finite)), initial=endless))[::-1]
        self._below = list(accumulate((q for _, _, q in reversed(finite)), initial=0))[::-1]

    def at(self, ratio: tuple[int, int, int]) -> int:
        """unit q A(p/q) for a ratio: Σ max(0, p' − (p/q) q') is over the atoms with a larger ratio."""
        key, p, q = ratio
        self._work.spend(4, self._bits + 32, longest((p, q)))
        n = bisect_right(self._keys, key)
        return self._above[n] * q - p * self._below[n]


def _curves(claimed: Atoms, proved: Atoms, work: Work) -> tuple[_Curve, _Curve]:
    shift = 2 * longest(q for atoms in (claimed, proved) for _, q in atoms.pairs)
    return _Curve(claimed, shift, work), _Curve(proved, shift, work)


def _check_optimistic(claimed: Atoms, proved: Atoms, work: Work) -> None:
    a, o = _curves(claimed, proved, work)
    # A(α) ≤ O(α) at α₁, the least ratio p/q in A (0 < q), and at all ratios of the optimistic list above α₁
    first = a.ratios[0]
    for ratio in [first, *o.ratios[bisect_right(o.ratios, first[0], key=lambda ratio: ratio[0]) :]]:
        work.spend(2, longest(ratio) + a.unit.bit_length(), o.unit.bit_length())
        if not a.at(ratio) * o.unit <= o.at(ratio) * a.unit:
            raise _rejected(a, ">", o, ratio, "the optimistic list")


def _check_pessimistic(claimed: Atoms, proved: Atoms, work: Work) -> None:
    a, p = _curves(claimed, proved, work)
    for ratio in a.ratios:  # min(1, P(α)) ≤ A(α) for every ratio α of A (finite)
        work.spend(3, longest(ratio) + a.unit.bit_length(), p.unit.bit_length())
        found = a.at(ratio)
        if not (p.at(ratio) * a.unit <= found * p.unit or ratio[2] * a.unit <= found):
            raise _rejected(a, "<", p, ratio, "the pessimistic list")


def _rejected(a: _Curve, sign: str, b: _Curve, ratio: tuple[int, int, int], what: str) -> Rejected:
    _, p, q = ratio
    numbers = comparison(Fraction(a.at(ratio), a.unit * q), sign, Fraction(b.at(ratio), b.unit * q))
    return Rejected("claim", f"{what} is not proved at alpha {brief(Fraction(p, q))}, {numbers}")


def _value(atoms: Atoms, alpha: Fraction, work: Work) -> Fraction:
    """Σ max(0, p − α q)."""
    m, n = alpha.as_integer_ratio()
    work.spend(4 * len(atoms.pairs), longest(number for pair in atoms.pairs for number in pair), size(alpha))
    work.reduce(atoms.unit.bit_length() + size(alpha))
    return Fraction(sum(max(0, p * n - m * q) for p, q in atoms.pairs), atoms.unit * n)


def _check_bounds(claim: Bounds, optimistic: Atoms, pessimistic: Atoms, work: Work) -> None:
    alpha = claim.alpha
    if not alpha >= 1:  # α ≥ 1
        raise Rejected("claim", f"alpha is too small, {comparison(alpha, '<', Fraction(1))}")
    work.reduce(optimistic.unit.bit_length() + pessimistic.unit.bit_length() + 2 * size(alpha))
    proved = {  # max(O(α), 0) and min(1, P(α)); max(α O(1/α) + 1 − α, 0) and min(1, α P(1/α) + 1 − α)
        "forward": (_value(optimistic, alpha, work), _value(pessimistic, alpha, work)),
        "backward": tuple(alpha * _value(x, 1 / alpha, work) + 1 - alpha for x in (optimistic, pessimistic)),
    }
    for name, (lower, upper) in (("forward", claim.forward), ("backward", claim.backward)):
        low, high = max(proved[name][0], Fraction(0)), min(proved[name][1], Fraction(1))
        work.spend(2, size(lower) + size(upper), size(low) + size(high))
        if not lower <= low:
            raise Rejected("claim", f"{name}: the lower bound is not proved, {comparison(lower, '>', low)}")
        if not upper >= high:
            raise Rejected("claim", f"{name}: the upper bound is not proved, {comparison(upper, '<', high)}")


# --- the entry --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ProfileReport:
    """What an accepted certificate proves about the pair (s, t), and what the proof is made of.

    The claim is either optimistic ≤ lv_α(s,t) ≤ pessimistic for every α ≥ 0 (`Lists`; ``exact`` if both are
    the one list of atoms, the privacy-loss distribution), or bounds on lv_α(s,t), forward, and on lv_α(t,s),
    backward, for one α (`Bounds`).
    """

    pair: tuple[str, str]
    claim: Any  # Lists | Bounds, of which the reader of a report knows which one it is
    nodes: int
    grid: bool
    futures: bool
    types: bool


def check_profile(model_text: str, certificate_text: str, allowed: Allowance | None = None) -> ProfileReport:
    """Verify the certificate of a profile against the text of an ``.lmc`` model (without a byte order mark).

    Raises: BadModel where the model cannot be read; Malformed where the certificate is not a document of the
    specified form, and TooLarge, which is a kind of it, where it is beyond the limits; Rejected where it is
    one, and does not prove what it claims.
    """
    work = Work(len(model_text) + len(certificate_text), allowed)
    model = read_model(model_text)
    profile = read_profile(certificate_text, work)
    check_fingerprint(profile.model, model.fingerprint())
    _check_claim(profile.claim, *_proved(model, profile, work), work)
    return ProfileReport(
        pair=profile.pair,
        claim=profile.claim,
        nodes=len(profile.nodes),
        grid=profile.grid is not None,
        futures=profile.futures is not None,
        types=profile.types is not None,
    )

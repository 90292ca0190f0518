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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import TYPE_CHECKING, NamedTuple

from ..core import Rejected, check_fingerprint
from ..core.chain import Model, read_model
from ..core.limits import Allowance, Work
from ..core.numbers import brief, common_denominator, comparison, size
from .document import Atom, Claim, Integers, Node, Profile, read_profile
from .graph import check_graph, coordinates, is_closed, longest, mass
from .weights import Held, weigh

if TYPE_CHECKING:
    from .types import Reach

ZERO = Fraction(0)

PROFILE_STEPS = (
    *("model", "future", "root", "node", "next", "order", "visits"),
    *("type-class", "type-rest", "type-words", "type-reach", "claim"),
)


@dataclass(frozen=True)
class ProfileReport:
    """What an accepted certificate proves about the pair (s, t), and what the proof is made of."""

    pair: tuple[str, str]
    claim: Claim  # optimistic ≤ lv_α(s,t) ≤ pessimistic for every α ≥ 0
    nodes: int
    grid: bool
    futures: bool
    types: bool


def check_profile(model_text: str, certificate_text: str, allowed: Allowance | None = None) -> ProfileReport:
    """Verify the certificate of a profile against the text of an ``.lmc`` model (without a byte order mark).

    Raises: as `distances.proof.check`.
    """
    work = Work(len(model_text) + len(certificate_text), allowed)
    model = read_model(model_text)
    profile = read_profile(certificate_text, work)
    check_fingerprint(profile.model, model.fingerprint())
    optimistic, pessimistic = _proved(model, profile, work)
    _check_optimistic(_claimed("optimistic", profile.claim.optimistic, work), optimistic, work)
    _check_pessimistic(_claimed("pessimistic", profile.claim.pessimistic, work), pessimistic, work)
    return ProfileReport(
        pair=profile.pair,
        claim=profile.claim,
        nodes=len(profile.nodes),
        grid=profile.grid is not None,
        futures=profile.futures is not None,
        types=profile.types is not None,
    )


# --- the two lists ----------------------------------------------------------------------------------------


class Atoms(NamedTuple):
    """A list of atoms (p / unit, q / unit), none of them (0, 0)."""

    pairs: list[tuple[int, int]]
    unit: int


def _proved(model: Model, profile: Profile, work: Work) -> tuple[Atoms, Atoms]:
    """The optimistic and the pessimistic list. Raises: Rejected, TooLarge."""
    edges = check_graph(model, profile, coordinates(model, profile, work), work)
    reach = None
    if profile.types is not None:  # what few certificates need is loaded for these
        from .types import check_types

        reach = check_types(model, profile.types, work)
    if not profile.nodes:  # for ℓ(s) ≠ ℓ(t) both lists are (1,0), (0,1)
        return (Atoms([(1, 0), (0, 1)], 1),) * 2
    if profile.grid is None:
        low = high = weigh(profile, edges, work)
    else:
        from .grid import Pass

        passes = (Pass(profile.grid, edges, up, work) for up in (False, True))
        low, high = (one.run() for one in passes)
    optimistic = _atoms(profile.nodes, low, False, reach, work)
    pessimistic = _atoms(profile.nodes, high, True, None, work)
    return optimistic, pessimistic


def _atoms(
    nodes: Sequence[Node], weights: Mapping[int, Held], pessimistic: bool, reach: Reach | None, work: Work
) -> Atoms:
    """For every node that has weights, times them, the pairs that it is worth."""
    factors: list[tuple[Held, list[Atom]]] = []
    for v, of in weights.items():
        shares = _shares(nodes[v], pessimistic, reach, work)
        for p, q in shares:
            work.reduce(size(p) + size(q) + longest(of[1:]))
        factors.append((of, [(p / of[1], q / of[2]) for p, q in shares]))
    unit = common_denominator([x for _, shares in factors for pair in shares for x in pair], work)
    found = []
    for (pairs, _, _), shares in factors:
        bits = unit.bit_length() + longest(number for pair in pairs for number in pair)
        work.keep(2 * len(pairs) * len(shares), bits)
        work.spend(2 * len(pairs) * len(shares), bits, bits)
        for p, q in shares:
            times_x, times_y = int(p * unit), int(q * unit)
            found += [(x * times_x, y * times_y) for x, y in pairs]
    return Atoms([pair for pair in found if any(pair)], unit)


def _shares(node: Node, pessimistic: bool, reach: Reach | None, work: Work) -> list[Atom]:
    """What a node is worth, as multiples of its weight (x, y); a and b are here a/|a| and b/|b|, or 0."""
    if is_closed(node, work) or not (pessimistic or reach):  # the atom (x |a|, y |b|)
        return [(Fraction(bool(node.a)), Fraction(bool(node.b)))]
    (a, b), of_a, of_b = node[:2], mass(node.a), mass(node.b)
    if reach:  # the atoms (x a·r_τ, y b·r_τ), one for each type τ
        m, types = reach
        work.spend(len(types) * (len(a) + len(b)), longest((*a.values(), *b.values())), m.bit_length())
        return [(Fraction(_product(a, r), m * of_a), Fraction(_product(b, r), m * of_b)) for r in types]
    if min(*a.values(), *b.values()) < 0:  # (x |a|, 0) and (0, y |b|), if an entry is negative
        return [(Fraction(1), ZERO), (ZERO, Fraction(1))]
    # the atoms (x a(i), y b(i)) for every coordinate i
    return [(Fraction(a.get(i, 0), of_a), Fraction(b.get(i, 0), of_b)) for i in a | b]


def _product(v: Integers, r: Integers) -> int:
    return sum(x * r.get(i, 0) for i, x in v.items())


# --- the claim --------------------------------------------------------------------------------------------


def _claimed(title: str, atoms: Sequence[Atom], work: Work) -> Atoms:
    # every p, q ≥ 0, none is (0,0), Σ p = Σ q = 1
    unit = common_denominator([number for atom in atoms for number in atom], work)
    work.keep(2 * len(atoms), unit.bit_length())
    pairs = [(p.numerator * (unit // p.denominator), q.numerator * (unit // q.denominator)) for p, q in atoms]
    if not all(p >= 0 and q >= 0 and p + q > 0 for p, q in pairs):
        raise Rejected("claim", f"the {title} list has a negative number or the atom (0, 0)")
    if sum(p for p, _ in pairs) != unit or sum(q for _, q in pairs) != unit:
        raise Rejected("claim", f"the p or the q of the {title} list do not sum to 1")
    return Atoms(pairs, unit)


def _compared(one: tuple[int, int], two: tuple[int, int]) -> int:
    """Which of two ratios is the larger one; that of (p, 0) is the largest."""
    return one[0] * two[1] - two[0] * one[1]


class _Curve:
    """The function A of a list, at ratios p : q of this list or another one, which come in rising order."""

    def __init__(self, atoms: Atoms, work: Work) -> None:
        self._bits = longest(number for pair in atoms.pairs for number in pair)
        count = len(atoms.pairs)
        work.keep(2 * count, self._bits)
        work.spend(count * (4 + count.bit_length()), self._bits, self._bits)
        self.unit, self._work = atoms.unit, work
        self.pairs = sorted(atoms.pairs, key=cmp_to_key(_compared))
        # how many atoms have been passed, and the sums of p and q over all others
        self._passed, self._above, self._below = (
            0,
            sum(p for p, _ in self.pairs),
            sum(q for _, q in self.pairs),
        )

    def at(self, p: int, q: int) -> int:
        """unit q A(p/q) for a ratio: Σ max(0, p' − (p/q) q') is over the atoms with a larger ratio."""
        self._work.spend(8, self._bits + 32 + self.unit.bit_length(), longest((p, q)))
        while self._passed < len(self.pairs) and _compared(self.pairs[self._passed], (p, q)) <= 0:
            above, below = self.pairs[self._passed]
            self._passed, self._above, self._below = (
                self._passed + 1,
                self._above - above,
                self._below - below,
            )
            self._work.spend(4, self._bits, longest((p, q)))
        return self._above * q - p * self._below


def _check_optimistic(claimed: Atoms, proved: Atoms, work: Work) -> None:
    a, o = _Curve(claimed, work), _Curve(proved, work)
    # A(α) ≤ O(α) at α₁, the least ratio p/q in A (0 < q), and at all ratios of the optimistic list above α₁
    first = a.pairs[0]
    for p, q in [first, *(ratio for ratio in o.pairs if ratio[1] and _compared(first, ratio) < 0)]:
        if not a.at(p, q) * o.unit <= o.at(p, q) * a.unit:
            raise _rejected(a, ">", o, p, q, "the optimistic list")


def _check_pessimistic(claimed: Atoms, proved: Atoms, work: Work) -> None:
    a, b = _Curve(claimed, work), _Curve(proved, work)
    for p, q in a.pairs:  # min(1, P(α)) ≤ A(α) for every ratio α of A (finite)
        if q and not min(b.at(p, q) * a.unit, q * a.unit * b.unit) <= a.at(p, q) * b.unit:
            raise _rejected(a, "<", b, p, q, "the pessimistic list")


def _rejected(a: _Curve, sign: str, b: _Curve, p: int, q: int, what: str) -> Rejected:
    numbers = comparison(Fraction(a.at(p, q), a.unit * q), sign, Fraction(b.at(p, q), b.unit * q))
    return Rejected("claim", f"{what} is not proved at alpha {brief(Fraction(p, q))}, {numbers}")

"""What `sat-bits` encodes before any bit is drawn: which arcs couplings may use, and on which grids.

The essay is in `by_sat_bits`: direct couplings first, then detours that may pay, and denominators on which
natural solutions lie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from flint import fmpq

from bdist.budget import Budget
from bdist.distances.pairs import Direction
from bdist.exact.fast import ONE, ZERO
from bdist.thresholds.formula import Formula, Inequality, Term

Arc = tuple[int, int]
Place = tuple[int, Direction]

_SPARE_BITS = 2
_BITS_FOR_FACTORS = 8
_BITS_FOR_POWERS = 12


@dataclass(frozen=True)
class Plan:
    """Which arcs the couplings may use, a list a term, in the inequalities that the query then leans on."""

    formula: Formula
    arcs: Mapping[Place, tuple[list[Arc], ...]]

    @cached_property
    def inequalities(self) -> Mapping[int, list[Inequality]]:
        """The two inequalities of each pair of the formula."""
        found: dict[int, list[Inequality]] = {}
        for inequality in self.formula.inequalities:
            found.setdefault(inequality.pair, []).append(inequality)
        return found


@dataclass(frozen=True)
class Grid:
    """The denominators of a round: ``values`` of all distances, ``weights`` of each inequality's coupling."""

    values: int
    weights: Mapping[Place, int]


def grid_of(plan: Plan, theta: Fraction, bits: int, budget: Budget) -> Grid:
    """Denominators of about ``bits`` bits that express as much as possible of what is given.

    Raises: Stopped.
    """
    formula = plan.formula
    given = {*formula.fixed.values(), *(x.leak for x in formula.inequalities)}
    values = 1
    for denominator in (theta.denominator, *sorted({int(x.q) for x in given})):
        if lcm(values, denominator).bit_length() <= bits + _SPARE_BITS:
            values = lcm(values, denominator)
    while values.bit_length() <= bits:
        values *= 2
    weights = {}
    for inequality in formula.open_inequalities:
        budget.check()
        place = inequality.pair, inequality.direction
        if place in plan.arcs:
            direct = all(
                arcs == direct_arcs(term)
                for term, arcs in zip(inequality.terms, plan.arcs[place], strict=True)
            )
            weights[place] = _weight_unit(inequality.terms, formula.space.alpha, bits, direct)
    return Grid(values, weights)


def _weight_unit(terms: Sequence[Term], alpha: fmpq, bits: int, direct: bool) -> int:
    """A denominator for the weights of an inequality.

    Without detours: among the margins' own denominators and a power of two, the one on which most can be
    sent, and the smallest of those. With detours a vertex solves equations such as x + y = c, alpha x +
    alpha^2 y = c', so it is multiplied by p, p + q and p - q (alpha = p/q), and given enough bits by powers
    of two.
    """
    rows = {int(c.q) for term in terms for c in term.coefficients if c > 0}
    columns = {int((c / alpha).q) for term in terms for c in term.coefficients if c < 0}
    own = {*rows, *columns, lcm(*rows), lcm(*columns), lcm(*rows, *columns)}
    most = 1 << bits + _SPARE_BITS
    unit = max(
        {1 << bits, *(x for x in own if x <= most)},
        key=lambda unit: (sum((_kept(term, alpha, unit) for term in terms), ZERO), -unit),
    )
    if direct:
        return unit
    p, q = int(alpha.p), int(alpha.q)
    if lcm(unit, p) <= most:
        unit = lcm(unit, p)
    for factor in (p, p + q, p - q, q) if bits >= _BITS_FOR_FACTORS else ():
        if factor and unit * factor <= most:
            unit *= factor
    while bits >= _BITS_FOR_POWERS and unit < 1 << bits:
        unit *= 2
    return unit


def _kept(term: Term, alpha: fmpq, unit: int) -> fmpq:
    """How much of a term's margins is left when they are rounded down to a grid."""
    rows, columns = margins(term, alpha, unit)
    return fmpq(sum(rows.values()) + sum(columns.values()), unit)


def margins(term: Term, alpha: fmpq, unit: int) -> tuple[dict[int, int], dict[int, int]]:
    """What each state must send (c > 0) or can take in (c < 0), in whole units, rounded down."""
    signed = list(zip(term.states, term.coefficients, strict=True))
    rows = {i: floor(c * unit) for i, c in signed if c > 0}
    columns = {j: floor(-c * unit / alpha) for j, c in signed if c < 0}
    return rows, columns


def plan_of(formula: Formula, budget: Budget, *, detours: bool) -> Plan:
    """The arcs of every inequality that the query leans on, if couplings use no others. Raises: Stopped."""
    routes = _Routes(formula)
    arcs: dict[Place, tuple[list[Arc], ...]] = {}
    waiting, seen = [formula.query], {formula.query, *formula.fixed}
    inequalities = Plan(formula, {}).inequalities
    while waiting:
        for inequality in inequalities[waiting.pop()]:
            budget.check()
            chosen = tuple((routes.useful if detours else direct_arcs)(term) for term in inequality.terms)
            arcs[inequality.pair, inequality.direction] = chosen
            met = {formula.space.number[arc] for of_term in chosen for arc in of_term} - seen
            seen |= met
            waiting += sorted(met)
    return Plan(formula, arcs)


def direct_arcs(term: Term) -> list[Arc]:
    """From every state with c > 0 to every state with c < 0."""
    signed = list(zip(term.states, term.coefficients, strict=True))
    return [(i, j) for i, c in signed if c > 0 for j, other in signed if other < 0]


class _Routes:
    """Which arcs may be worth a detour, going by bounds on the distances that hold in every solution."""

    def __init__(self, formula: Formula) -> None:
        self._alpha = formula.space.alpha
        self._number = formula.space.number
        self._least, self._most = dict(formula.fixed), dict(formula.fixed)
        for inequality in formula.open_inequalities:
            pair = inequality.pair
            self._least[pair] = max(self._least.get(pair, ZERO), inequality.leak)
            self._most[pair] = max(self._most.get(pair, ZERO), uncoupled(inequality))

    def useful(self, term: Term) -> list[Arc]:
        """The direct arcs, and all arcs on paths that may cost less than the direct arc.

        A path costs d(first arc) + alpha d(second) + alpha^2 d(third) ... a unit sent, and fills up its last
        state more than the direct arc does. One that cannot cost less is never needed.
        """
        direct = direct_arcs(term)
        found: set[Arc] = set()
        for sink in {j for _, j in direct}:
            onward = self._onward(term.states, sink)
            for source in {i for i, _ in direct}:
                found |= self._detours(term.states, source, sink, onward)
        return direct if found <= set(direct) else sorted({*direct, *found})

    def _onward(self, states: tuple[int, ...], sink: int) -> dict[int, fmpq]:
        """The least that a unit can cost from each state to the sink."""
        least = {i: ZERO if i == sink else self._least[self._number[i, sink]] for i in states}
        changed = True
        while changed:
            changed = False
            for i in states:
                for j in states:
                    if i not in (j, sink):
                        through = self._least[self._number[i, j]] + self._alpha * least[j]
                        if through < least[i]:
                            least[i], changed = through, True
        return least

    def _detours(self, states: tuple[int, ...], source: int, sink: int, onward: dict[int, fmpq]) -> set[Arc]:
        limit = self._most[self._number[source, sink]]
        found: set[Arc] = set()
        reached, grown = {source: ZERO}, ONE
        for _ in states[1:]:
            following: dict[int, fmpq] = {}
            for i, so_far in reached.items():
                for j in states:
                    if j in (i, source) or i == sink:
                        continue
                    cost = so_far + grown * self._least[self._number[i, j]]
                    if cost + grown * self._alpha * onward[j] < limit:
                        found.add((i, j))
                        following[j] = min(cost, following.get(j, cost))
            reached, grown = following, grown * self._alpha
        return found


def flow_bounds(term: Term, arcs: list[Arc], alpha: fmpq, unit: int) -> dict[Arc, int]:
    """The most that an arc needs to carry: what the sinks can take, and less where no flow comes in or goes
    on.
    """
    rows, columns = margins(term, alpha, unit)
    passed = floor(sum((-c for c in term.coefficients if c < 0), ZERO) * unit / alpha)
    tails, heads = {i for i, _ in arcs}, {j for _, j in arcs}
    return {
        (i, j): min(
            passed, passed if i in heads else rows.get(i, 0), passed if j in tails else columns.get(j, 0)
        )
        for i, j in arcs
    }


def uncoupled(inequality: Inequality) -> fmpq:
    """The cost of an inequality with w = 0: an upper bound for it at every table."""
    return inequality.leak + sum(map(positive_part, inequality.terms), ZERO)


def positive_part(term: Term) -> fmpq:
    """What a term demands in all."""
    return sum((c for c in term.coefficients if c > 0), ZERO)


def floor(x: fmpq) -> int:
    """The largest integer that is at most x."""
    return int(x.p) // int(x.q)


def ceiling(x: fmpq) -> int:
    """The least integer that is at least x."""
    return -(-int(x.p) // int(x.q))

"""The upper side of a certified bracket.

Settle the game with the value 1 at all pairs that do not matter. Round the couplings w to the grid and repair
what rounding broke: b_i is the least multiple of the grid that satisfies the inequality of state i. The table
is then a fixed point up to some small eta, and u = table + eps y, rounded up, is a table that the couplings
prove once eps exceeds eta, where y = 1 + W y over the couplings that are active at the table (`growth`). A
coupling that was not active and fails becomes active.

*Zero pairs are kept exact.* A pair at distance zero has, in each direction, a coupling that leaks nothing and
stays among zero pairs. Such couplings may run in circles, where any slack would add up for ever; so they are
not rounded. The candidates come from the float table. Those whose exact lift of "1 outside the candidates" is
positive are dropped, round by round, and what is left is zero.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq

from bdist.certificates.document import Coupling, UpperRecord
from bdist.distances.explore.float_game import FloatGame, ProposalFailed, Selection
from bdist.distances.explore.grid import GRID, from_grid, on_grid_up
from bdist.distances.explore.growth import growth
from bdist.distances.explore.proposal import Demand, Proposal
from bdist.distances.lift import Lifter
from bdist.distances.lift import Slot as Start
from bdist.distances.pairs import Direction
from bdist.exact.rationals import ONE, ZERO
from bdist.lp import engine_named
from bdist.lp.batch import PLACES

_SLACK = 2e-15
_MOST_RAISES = 10
_RAISE = 4.0
_ACTIVE = 1e-9
_ZERO_APPROX = 1e-11  # a proposed value up to this may be zero

Arcs = dict[tuple[int, int], fmpq]


@dataclass(frozen=True)
class GridCoupling:
    """A coupling with all its weights on the grid, and the pairs that it depends on."""

    w: list[tuple[int, int, int, int]]  # states i, j, the number of their pair, the weight
    b: list[tuple[int, int]]
    leak: int

    def cost_is_at_most(self, bound: int, values: dict[int, int]) -> bool:
        """Whether sum w u + sum b <= bound, where a pair without a value counts as 1."""
        moved = sum(weight * values.get(pair, GRID) for _, _, pair, weight in self.w)
        return moved <= (bound - self.leak) * GRID


@dataclass(frozen=True)
class UpperSide:
    """Values on the grid with the couplings that prove them."""

    game: FloatGame
    values: dict[int, int]
    couplings: dict[int, tuple[GridCoupling, ...]]
    zero: dict[int, tuple[Arcs, ...]]

    def bound(self, pair: int) -> Fraction:
        """The upper bound at a pair."""
        return from_grid(self.values.get(pair, GRID))

    def records(self, queries: Sequence[int]) -> list[UpperRecord]:
        """The records that prove the bounds at the queries."""
        seen = {query: None for query in queries if query in self.values}
        waiting = list(seen)
        made = []
        while waiting:
            pair = waiting.pop()
            for needed in self._depends_on(pair):
                if needed in self.values and needed not in seen:
                    seen[needed] = None
                    waiting.append(needed)
            made.append(self._record(pair))
        return made

    def _record(self, pair: int) -> UpperRecord:
        ends = self.game.space.pairs[pair]
        if pair in self.zero:
            return UpperRecord.of(ends, ZERO, ((dict(sorted(arcs.items())), {}) for arcs in self.zero[pair]))
        sides = self.couplings[pair]
        couplings = (Coupling(tuple((i, j, x) for i, j, _, x in side.w), tuple(side.b)) for side in sides)
        return UpperRecord(ends, GRID, self.values[pair], tuple(couplings))

    def _depends_on(self, pair: int) -> Iterator[int]:
        if pair in self.zero:
            yield from (self.game.space.number[arc] for arcs in self.zero[pair] for arc in arcs)
        else:
            yield from (needed for coupling in self.couplings[pair] for _, _, needed, _ in coupling.w)


def prove_upper(proposal: Proposal, queries: Sequence[int], allowed: float) -> UpperSide:
    """Upper bounds at the queries; cutting pairs may raise them by about what is allowed.

    Raises: ProposalFailed, Stopped.
    """
    game = proposal.game
    demand = Demand(proposal, queries, allowed)
    proposal, pairs = demand.proposal, demand.pairs()
    few = pairs[proposal.table[pairs] <= _ZERO_APPROX]
    zero = _zero_couplings(game, few.tolist())
    pairs = pairs[~np.isin(pairs, list(zero))]
    table = np.ones(len(proposal.table))
    table[pairs] = proposal.table[pairs]
    table[list(zero)] = 0.0
    game.settle(pairs, table)
    chosen = game.select(pairs)
    costs = game.sweep(chosen, table)
    rows = game.rows(chosen)
    couplings = _grid_couplings(game, chosen)
    active = (costs >= table[pairs][:, None] - _ACTIVE).ravel()
    slack = _SLACK + 2 * max(0.0, float((costs.max(axis=1) - table[pairs]).max(initial=0.0)))
    for _ in range(_MOST_RAISES):
        game.run.pulse("bracket", 0, len(pairs))
        y = growth(game, [(rows, active)], pairs, len(table))
        up = on_grid_up(np.minimum(table + slack * y, 1.0))
        values = {pair: int(up[pair]) for pair in pairs.tolist() if up[pair] < GRID} | dict.fromkeys(zero, 0)
        failing = [
            place
            for place, pair in enumerate(pairs.tolist())
            if pair in values and not all(c.cost_is_at_most(values[pair], values) for c in couplings[pair])
        ]
        if not failing:
            return UpperSide(game, values, couplings, zero)
        for place in failing:
            active[place * game.directions : (place + 1) * game.directions] = True
        slack *= _RAISE
    raise ProposalFailed("the couplings do not prove a bound near the proposed table")


def _grid_couplings(game: FloatGame, chosen: Selection) -> dict[int, tuple[GridCoupling, ...]]:
    found: dict[int, tuple[GridCoupling, ...]] = {}
    by_slot = game.couplings(chosen)
    for pair in chosen.pairs.tolist():
        sides = []
        for direction in game.space.directions:
            w: list[tuple[int, int, float]] = []
            for slot in game.slots_of(pair, direction):
                w.extend(by_slot[slot][0])
            sides.append(_grid_coupling(game, pair, direction, w))
        found[pair] = tuple(sides)
    return found


def _grid_coupling(
    game: FloatGame, pair: int, direction: Direction, weights: list[tuple[int, int, float]]
) -> GridCoupling:
    """Round the weights and choose the least leaks with which they are a coupling."""
    number = game.space.number
    above, below = int(game.space.alpha.p), int(game.space.alpha.q)
    w = [(i, j, number[i, j], round(x * GRID)) for i, j, x in weights]
    given: dict[int, int] = {}  # (alpha in_i - out_i), times GRID and alpha's denominator
    for i, j, _, x in w:
        given[i] = given.get(i, 0) - below * x
        given[j] = given.get(j, 0) + above * x
    b: list[tuple[int, int]] = []
    for block in game.space.objective(pair, direction):
        for i, c in block.coefficients.items():
            # b_i >= c_i - out_i + alpha in_i
            p, q = int(c.p), int(c.q)
            need = -((-(p * GRID * below + given.pop(i, 0) * q)) // (q * below))
            if need > 0:
                b.append((i, need))
    for i, need in given.items():  # states outside both supports, where c_i = 0
        if need > 0:
            b.append((i, -(-need // below)))
    return GridCoupling(w, b, sum(x for _, x in b))


def _zero_couplings(game: FloatGame, candidates: Sequence[int]) -> dict[int, tuple[Arcs, ...]]:
    """The candidates that are zero, each with the weights of a leak-free coupling a direction.

    Requires: they are explored.
    """
    lifter = Lifter(game.space, engine_named("exact"), game.run.tally, game.words.bound)
    table = game.space.constant(ONE)
    found: dict[int, tuple[Arcs, ...]] = dict.fromkeys(candidates, ())
    for pair in found:
        table[pair] = ZERO
    waiting = list(found)
    while waiting:
        dropped = []
        starts = _starts(game, waiting, found)
        for pair in waiting:
            game.run.pulse("zero pairs", len(found), len(table))
            sides = [_free(game, lifter, pair, side, table, starts) for side in game.space.directions]
            arcs = tuple(side for side in sides if side is not None)
            if len(arcs) < len(sides):
                dropped.append(pair)
            else:
                found[pair] = arcs
        for pair in dropped:
            del found[pair]
            table[pair] = ONE
        lost = set(dropped)
        waiting = [
            pair
            for pair, sides in found.items()
            if any(game.space.number[arc] in lost for side in sides for arc in side)
        ]
    return found


def _starts(game: FloatGame, pairs: Sequence[int], zero: Collection[int]) -> dict[int, Start]:
    """The bases that floats find where the distance is 1 but at the zero pairs; nearly always they hold."""
    table = np.ones(len(game.space))
    table[list(zero)] = 0.0
    chosen = game.select(pairs)
    game.sweep(chosen, table)
    return {
        slot: Start(game.inside(slot), tuple(PLACES[kind] for kind in places), tuple(tight))
        for slot, (places, tight) in game.bases(chosen).items()
    }


def _free(
    game: FloatGame,
    lifter: Lifter,
    pair: int,
    direction: Direction,
    table: Sequence[fmpq],
    starts: Mapping[int, Start],
) -> Arcs | None:
    """The weights of a coupling that costs nothing at the table, if there is one."""
    arcs: Arcs = {}
    slots = iter(game.slots_of(pair, direction))
    for block in game.space.objective(pair, direction):
        if not block.mixed:
            if any(c > 0 for c in block.coefficients.values()):
                return None
            continue
        slot = next(slots)
        inside = game.inside(slot)
        program, optimum = lifter.solve_inside(inside, block.coefficients, table, starts[slot])
        if optimum.value > 0:
            return None
        arcs |= {
            arc: weight for arc, weight in zip(program.arcs, optimum.row_multipliers, strict=True) if weight
        }
    return arcs

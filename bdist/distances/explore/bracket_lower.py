"""The lower side of a certified bracket.

Settle the game with the words as boundary at all pairs that do not matter, and take l = table - eps y,
rounded down to the grid. Solving the programs again at l must give at least l; it does for the couplings W
that y = 1 + W y takes into account, and a coupling that turns out cheaper at l than the slack allows joins
them. The functions found at l are extended to all states of their labels and moved to the grid (`functions`),
which costs a few units of it; that each still shows its l is then computed in integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from flint import fmpq

from bdist.certificates.document import Stage
from bdist.distances.explore.allowance import Allowances, shares
from bdist.distances.explore.float_game import FloatGame, ProposalFailed
from bdist.distances.explore.functions import Conflict, Plan, Planner, on_grid
from bdist.distances.explore.grid import GRID, GRID_STEP, from_grid
from bdist.distances.explore.growth import growth
from bdist.distances.explore.proposal import Proposal
from bdist.distances.explore.stages import Proved, stages_of
from bdist.exact.rationals import ZERO, to_fraction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_SLACK = 2e-13
_MOST_RAISES = 10
_AT_ONCE = 512  # pairs whose programs are looked at together
_RAISE = 4.0
_NOISE = 1e-14  # what a float that stands for an exact number may be wrong by
_MARGIN = 1e-13


class NotExtendable(Exception):
    """Some functions do not extend until more pairs are explored."""

    def __init__(self, conflicts: Mapping[int, Conflict]) -> None:
        self.conflicts = conflicts
        super().__init__(f"{len(conflicts)} functions do not extend")


@dataclass(frozen=True)
class LowerSide:
    """Values on the grid with the stages that prove them."""

    game: FloatGame
    values: dict[int, int]
    stages: list[Stage]

    def bound(self, pair: int) -> Fraction:
        """The lower bound at a pair: what its function shows, or what the words do."""
        if pair in self.values:
            return from_grid(self.values[pair])
        return to_fraction(self.game.words.bound(*self.game.space.pairs[pair]))


def prove_lower(planner: Planner, proposal: Proposal, allowed: float) -> LowerSide:
    """Lower bounds at the planner's queries; cutting pairs may lower them by about what is allowed.

    Raises: NotExtendable, ProposalFailed, Stopped.
    """
    game, number = proposal.game, proposal.game.space.number
    floor = np.maximum(game.floor - _NOISE, 0.0)
    game.sweep(game.select(game.explored), proposal.table)
    exactly: set[int] = set()
    slack = _SLACK
    for _ in range(_MOST_RAISES):
        kept = _kept(proposal, planner.queries, allowed, exactly)
        if not len(kept):
            return LowerSide(game, {}, [])
        game.run.pulse("bracket", 0, len(proposal.table))
        lowered, spare = _lowered(proposal, kept, floor, slack)
        plan = planner.plan_on_grid(lowered, -_MARGIN, spare, kept.tolist())
        used = [number.get(arc) for conflict in plan.conflicts.values() for arc in conflict.arcs]
        further = set(used).difference(kept.tolist(), exactly)
        if plan.conflicts and (None in further or not further):
            raise NotExtendable(plan.conflicts)
        if plan.conflicts:
            exactly.update(pair for pair in further if pair is not None)
            continue
        side = _on_grid(plan, [query for query in planner.queries if query in plan.pairs])
        if side is not None:
            return side
        slack *= _RAISE
    raise ProposalFailed("the functions do not prove a bound near the proposed table")


def _kept(proposal: Proposal, queries: Sequence[int], allowed: float, further: Iterable[int]) -> Numbers:
    """The pairs that matter, where lower bounds at queries may fall by about what is allowed there, and at
    some further pairs not at all.

    A pair does not if the words prove enough: the distance that a function needs, which may be less than the
    distance, or the distance less the error that is allowed there. An error allowed at a pair may be larger
    at the pairs that it depends on, by the weight that its coupling puts on them (`allowance`).
    """
    game, table = proposal.game, proposal.table
    harm = table - game.floor
    allowances = Allowances(len(table), allowed)
    asking = np.array([*queries, *further], dtype=np.int64)
    allowances.ask(asking, np.array([allowed] * len(queries) + [0.0] * (len(asking) - len(queries))))
    front = allowances.look(asking, harm[asking])
    while len(front):
        asked = []
        for begin in range(0, len(front), _AT_ONCE):
            game.run.pulse("bracket", begin, len(front))
            some = front[begin : begin + _AT_ONCE]
            taken = game.taken(some, proposal.best[some])
            needs = taken.amount > np.maximum(game.floor[taken.pair] - _MARGIN, 0.0)
            spare = np.maximum(0.0, table[taken.pair] - taken.amount - _MARGIN)
            share = shares(taken.owner, taken.weight, len(some))
            error = spare + allowances.error[some][taken.owner] * share
            allowances.ask(taken.pair[needs], error[needs])
            asked.append(taken.pair[needs])
        pairs = np.concatenate(asked)
        front = allowances.look(pairs, harm[pairs])
    return allowances.looked_at()


def _lowered(
    proposal: Proposal, pairs: NDArray[np.int64], floor: Floats, slack: float
) -> tuple[Proposal, Floats]:
    """A table on the grid that the operator does not lower, in floats, and by how much it raises it.

    The kernel then holds the functions at it.
    """
    game = proposal.game
    table = floor.copy()
    game.settle(pairs, table)
    chosen = game.select(pairs)
    best = game.sweep(chosen, table).argmax(axis=1)
    side = np.zeros(len(chosen.tasks), dtype=bool)
    side[np.arange(len(pairs)) * game.directions + best] = True
    collected = [(game.rows(chosen), side)]
    spare = np.zeros(len(table))
    for _ in range(_MOST_RAISES):
        y = growth(game, collected, pairs, len(table))
        low = np.maximum(table - slack * y, floor)
        low[pairs] = np.floor(np.maximum(low[pairs], 0.0) / GRID_STEP) * GRID_STEP
        values = game.sweep(chosen, low).ravel()[side]
        if (values >= low[pairs]).all():
            everywhere = proposal.best.copy()
            everywhere[pairs] = best
            spare[pairs] = values - low[pairs]
            return replace(proposal, table=low, best=everywhere), spare
        collected.append((game.rows(chosen), side))
        slack *= 2.0  # where it is not that coupling, it is what the kernel's values may be wrong by
    raise ProposalFailed("couplings keep turning up that are cheaper at the lowered table")


def _on_grid(plan: Plan, queries: Sequence[int]) -> LowerSide | None:
    """The functions that the queries lean on; None where one falls short of its value."""
    game, proposal = plan.proposal.game, plan.proposal
    chain = game.space.chain
    proved: dict[int, Proved] = {}
    values: dict[int, int] = {}
    for pair in plan.closure(queries):
        game.run.pulse("bracket", len(proved), len(proposal.table))
        if proposal.table[pair] <= game.floor[pair] + _NOISE:
            continue  # a number below the words would only replace them
        parts, ones, objective = [], [], ZERO
        slots = iter(proposal.slots(pair))
        for block in game.space.objective(pair, proposal.direction(pair)):
            if not block.mixed:
                if next(iter(block.coefficients.values())) > 0:
                    ones.append(chain.labels[block.members[0]])
                    objective += sum(block.coefficients.values(), ZERO)
                continue
            part = plan.parts[next(slots)]
            parts.append(part)
            objective += (
                sum((c * int(part.values[i] * GRID) for i, c in block.coefficients.items()), ZERO) / GRID
            )
        values[pair] = int(proposal.table[pair] * GRID)
        if objective * GRID < values[pair]:
            return None
        number = fmpq(values[pair], GRID)
        proved[pair] = Proved(on_grid(chain, parts, ones), {proposal.ends(pair): number})
    return LowerSide(game, values, stages_of(plan, proved, {pair: plan.needs(pair) for pair in proved}))

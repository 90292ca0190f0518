"""What is explored, and the values that are proposed for it.

All pairs that the supports lead to, and that these lead to in turn, are nearly always far more than a query
needs: 3,281 for eight dining cryptographers, where the couplings that are optimal use 169, and a quarter of a
million where Crowds has a thousand states. So exploration follows the couplings. Pairs that are not explored
count as what words tell of them, which is at most their distance; a coupling that is optimal at these values
and uses explored pairs only is optimal as it is, and the others do not matter. One that uses another pair
asks for it. New pairs raise values and may turn the optimal couplings elsewhere, so this goes on until nobody
asks.

*How much is asked for.* For an exact value all that optimal couplings use. For a bracket an error is allowed
at the query, and carried from pair to pair (`allowance`); a pair that may count as 1 within the error allowed
at it need not be explored. A query on a thousand random states with ten labels needs 60 pairs of the
15,000 that all optimal couplings reach.

*In rounds.* A chain may be deep: level after level, each with a look at all values, is quadratic. So a round
explores ahead, where it follows the couplings that are optimal at the values so far, and each round may go
twice as far ahead as the last. What turns out to be superfluous costs some programs in floating point; no
proof leans on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bdist.distances.explore.allowance import Allowances, shares
from bdist.distances.explore.float_game import FloatGame
from bdist.distances.pairs import Direction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bdist.distances.explore.bounds import Arc

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_FAR = 1 << 60


@dataclass(frozen=True)
class Proposal:
    """A table in floating point with the direction that is better at each explored pair; the kernel holds the
    rest. A pair that is ``final`` needs none that is not explored, within the error that was allowed at it,
    so exploration changes its value by no more.

    Of two proposals with one ``origin`` the later has more explored pairs, and the same values and directions
    at those that are final in the earlier.
    """

    game: FloatGame
    table: Floats
    best: NDArray[np.int64]
    final: NDArray[np.bool_]
    origin: int

    def direction(self, pair: int) -> Direction:
        """The proposed direction of a pair."""
        return Direction(int(self.best[pair]))

    def ends(self, pair: int) -> Arc:
        """The two states of a pair, in the order in which its function tells them apart."""
        i, j = self.game.space.pairs[pair]
        return (i, j) if self.best[pair] == Direction.FORWARD else (j, i)

    def slots(self, pair: int) -> range:
        """The programs of a pair in its direction."""
        return self.game.slots_of(pair, self.direction(pair))

    def named(self) -> Proposal:
        """The same with all pairs that have got a name meanwhile."""
        more = len(self.game.space) - len(self.table)
        if not more:
            return self
        return replace(
            self,
            table=np.concatenate([self.table, self.game.floor[len(self.table) :]]),
            best=np.concatenate([self.best, np.zeros(more, dtype=np.int64)]),
            final=np.concatenate([self.final, np.zeros(more, dtype=bool)]),
        )


def first_proposal(game: FloatGame) -> Proposal:
    """All pairs at the lower bounds by words, for a game whose values are to be found anew."""
    origin = 0 if game.proposal is None else game.proposal.origin + 1
    size = len(game.space)
    return Proposal(
        game, game.floor.copy(), np.zeros(size, dtype=np.int64), np.zeros(size, dtype=bool), origin
    )


@dataclass(frozen=True)
class Limits:
    """Up to where exact values are worth their while: the work, and how many pairs there may be.

    Every arc of a program is looked at with the numbers that values are, which are long where pairs depend on
    each other in circles, or one after another.
    """

    work: int
    pairs: int

    def exceeded(self, proposal: Proposal) -> bool:
        """Whether there are more. The couplings that tell how long numbers are are those at the proposal."""
        game = proposal.game
        if len(game.explored) > self.pairs:
            return True
        chosen = game.select(game.explored)
        game.sweep(chosen, proposal.table)
        return float((game.lengths(chosen) * game.arcs(chosen)).sum()) > self.work


def explored(
    proposal: Proposal, sources: Sequence[int] | Numbers, allowed: float, limits: Limits | None = None
) -> Proposal | None:
    """The values of some pairs and of all that they need, within an error; 0 for what couplings use at all.

    None as soon as limits are exceeded. Raises: ProposalFailed, Stopped.
    """
    ahead, close = 1, False
    while True:
        demand = Demand(proposal, sources, allowed, ahead)
        if demand.complete and close:
            demand.proposal.final[demand.pairs()] = True
            return demand.proposal
        close = demand.complete  # otherwise values matter to the next round only
        proposal = _settled(demand.proposal, roughly=not close)
        if limits is not None and limits.exceeded(proposal):
            return None
        ahead *= 2


def _settled(proposal: Proposal, *, roughly: bool) -> Proposal:
    """With the values of all explored pairs, as far as exploration may have changed them."""
    game = proposal.game
    open_pairs = game.explored[~proposal.final[game.explored]]
    table, best = proposal.table.copy(), proposal.best.copy()
    if len(open_pairs):
        game.settle(open_pairs, table, roughly=roughly)
        best[open_pairs] = game.sweep(game.select(open_pairs), table).argmax(axis=1)
    game.proposal = replace(proposal, table=table, best=best, final=proposal.final.copy())
    return game.proposal


class Demand:
    """Which pairs some pairs need, within an error: a walk along the couplings of a proposal.

    Pairs that are not explored are, if they are asked for and not more than ``ahead`` such pairs stand
    between them and what was explored; ``complete`` says whether there were none.
    """

    def __init__(
        self, proposal: Proposal, sources: Sequence[int] | Numbers, allowed: float, ahead: int = 0
    ) -> None:
        self.game = proposal.game
        self.proposal = proposal = proposal.named()
        self.complete = True
        size = len(proposal.table)
        self._exact = allowed == 0.0
        self._allowances = Allowances(size, allowed)
        self._depth = np.full(size, _FAR)  # how far ahead of what was explored
        asking = np.asarray(sources, dtype=np.int64)
        self._depth[asking] = 0
        self._allowances.ask(asking, allowed)
        front = self._look(asking)
        while len(front):
            self.game.run.pulse("exploration", len(self.game.explored), size)
            front = self._step(front, ahead)

    def pairs(self) -> Numbers:
        """The explored pairs that are needed."""
        found = self._allowances.looked_at()
        return np.asarray(found[self.game.is_explored(found)])

    def _look(self, pairs: Numbers) -> Numbers:
        """Those that may not count as 1. For an exact value none may: floats know no number next to 1."""
        harm = 1.0 - self.proposal.table[pairs]
        return self._allowances.look(pairs, harm + self._exact)

    def _step(self, front: Numbers, ahead: int) -> Numbers:
        """What pairs ask for, where new ones are explored and get a first value."""
        game = self.game
        new = ~game.is_explored(front)
        self.complete &= not new.any()
        self._depth[front[new]] += 1
        allowed = ~new | (self._depth[front] <= ahead)
        front, new = front[allowed], new[allowed]
        if not len(front):
            return front
        game.explore(front[new])
        self._grow()
        table = self.proposal.table
        chosen = game.select(front)
        costs = game.sweep(chosen, table)
        table[front[new]] = np.maximum(table[front[new]], costs[new].max(axis=1))
        rows = game.rows(chosen)
        # what each coupling may be off by: the error allowed at its pair, and what the other direction costs
        # more
        error = np.repeat(self._allowances.error[front], game.directions)
        if not self._exact:
            error = error + np.maximum(0.0, table[front][:, None] - costs).ravel()
        share = shares(rows.task, rows.weight, len(chosen.tasks))
        self._allowances.ask(rows.pair, error[rows.task] * share)
        np.minimum.at(self._depth, rows.pair, self._depth[front][rows.task // game.directions])
        return self._look(rows.pair)

    def _grow(self) -> None:
        self.proposal = self.proposal.named()
        size = len(self.proposal.table)
        self._depth = np.concatenate([self._depth, np.full(size - len(self._depth), _FAR)])
        self._allowances.grow(size)

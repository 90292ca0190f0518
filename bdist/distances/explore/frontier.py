"""Only the pairs that matter: explore from a query until every function that the proof needs extends.

The space starts with the pairs that the supports lead to, which is enough for an upper bound. The float game
proposes a table and functions f for it; a lower bound needs those f that the query's own depends on, each
extended to all states of its labels. Where words and explored distances are too small for an extension, the
pairs in the way are explored too; where they already are, the constraint is real, the outside states join the
program, and the game is settled again. It ends when everything extends, at the latest when all pairs of the
labels concerned are explored, usually after one to three rounds with a small fraction of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bdist.distances.explore.allowance import Shares, Worklist
from bdist.distances.explore.extension import Conflict, Extender, Extension
from bdist.distances.explore.float_game import FloatGame, ProposalFailed
from bdist.distances.pairs import Direction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST_ROUNDS = 100
_DOUBT = 1e-11  # what floats may be wrong by; a conflict within that is left to rationals


@dataclass(frozen=True)
class Proposal:
    """A table in floating point with the direction that is better at each pair; the kernel holds the rest."""

    game: FloatGame
    extender: Extender
    table: Floats
    best: NDArray[np.int64]

    def direction(self, pair: int) -> Direction:
        """The proposed direction of a pair."""
        return Direction(int(self.best[pair]))


class NotExtendable(Exception):
    """Some functions do not extend until more pairs are explored."""

    def __init__(self, conflicts: dict[int, Conflict]) -> None:
        self.conflicts = conflicts
        super().__init__(f"{len(conflicts)} functions do not extend")


@dataclass(frozen=True)
class Dependencies:
    """The pairs whose lower bounds a query depends on, and the extensions of their functions by slot."""

    pairs: list[int]
    extensions: dict[int, Extension]
    conflicts: dict[int, Conflict]


def explore(game: FloatGame, queries: Sequence[int]) -> Proposal:
    """Grow the space until the functions that the queries depend on extend, as far as floats can tell.

    Raises: ProposalFailed, Stopped.
    """
    extender = Extender(game.space, game.words)
    for _ in range(_MOST_ROUNDS):
        proposal = settle_all(game, extender)
        conflicts = dependencies_of(proposal, queries, proposal.table, -_DOUBT, roughly=True).conflicts
        if not conflicts:
            return proposal
        resolve_conflicts(game, conflicts)
    raise ProposalFailed(f"functions still do not extend after {_MOST_ROUNDS} rounds of exploration")


def settle_all(game: FloatGame, extender: Extender) -> Proposal:
    """The float game on all explored pairs, from the lower bounds by words."""
    table = game.floor.copy()
    everything = range(len(game.space))
    game.settle(everything, table)
    values = game.sweep(game.select(everything), table)
    game.proposal = Proposal(game, extender, table, values.argmax(axis=1))
    return game.proposal


def dependencies_of(
    proposal: Proposal,
    queries: Iterable[int],
    table: Floats,
    margin: float,
    allowed: float = 0.0,
    *,
    roughly: bool = False,
) -> Dependencies:
    """What lower bounds at the queries depend on, with the functions of the last sweep.

    The bounds may fall by about what is ``allowed``. A pair is not needed if the words prove enough: the
    distance that a function needs, which may be less than the distance, or the distance less the error that
    is allowed there. An error allowed at a pair may be larger at the pairs that it depends on, by the weight
    that its coupling puts on them (`allowance`). ``roughly`` allows to take over the extension of a function
    that has hardly changed since the last look, which will do to find out what to explore.
    """
    game = proposal.game
    number, floor, alpha = game.space.number, game.floor, game.alpha
    found = Dependencies([], {}, {})
    work = Worklist(table - floor)
    for query in queries:
        work.require(query, allowed)
    for pair, error in work:
        found.pairs.append(pair)
        game.run.pulse("room", len(found.pairs), len(game.space))
        slots = game.slots_of(pair, proposal.direction(pair))
        weights = {slot: game.weights(slot) for slot in slots} if allowed else {}
        shares = Shares(list(weights.values()))
        for slot in slots:
            program = game.slots[slot]
            f = dict(zip(program.inside, game.function(slot).tolist(), strict=True))
            known = proposal.extender.remembered(slot, f) if roughly else None
            result = known or proposal.extender.extend(program.members, f, table, margin)
            if known is None:
                proposal.extender.remember(slot, f, result)
            if isinstance(result, Conflict):
                found.conflicts[slot] = result
            else:
                found.extensions[slot] = result
                for needed in result.depends_on:
                    work.require(needed, error if allowed else 0.0)
            for i, j, taken in _taken(f, alpha):
                needed = number[i, j]
                if taken > floor[needed] - abs(margin):
                    spare = max(0.0, table[needed] - taken - abs(margin))
                    more = shares.share(error, weights[slot].get(needed, 0.0)) if allowed else 0.0
                    work.require(needed, spare + more)
    return found


def _taken(f: dict[int, float], alpha: float) -> Iterator[tuple[int, int, float]]:
    """The pairs of states between which a function needs some distance, and how much."""
    for i, x in f.items():
        for j, y in f.items():
            if i != j and x > alpha * y:
                yield i, j, x - alpha * y


def resolve_conflicts(game: FloatGame, conflicts: dict[int, Conflict]) -> None:
    """Explore the pairs in the way of the extensions; where they are explored, widen the programs."""
    space = game.space
    missing = {
        step for conflict in conflicts.values() for step in conflict.steps() if step not in space.number
    }
    real = {
        slot: conflict.outside
        for slot, conflict in conflicts.items()
        if all(step in space.number for step in conflict.steps())
    }
    for slot, states in real.items():
        missing.update(combinations((*game.slots[slot].inside, *states), 2))
    space.explore(sorted(missing))
    if space.ordered:
        space.explore(sorted((j, i) for i, j in missing))
    game.synchronise()
    for slot, states in real.items():
        game.widen(slot, states)

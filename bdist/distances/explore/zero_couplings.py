"""Zero pairs in a certified bracket: couplings without leak, kept exact.

A pair at distance zero has, in each direction, a coupling that leaks nothing and stays among zero pairs. Such
couplings may run in circles, where any slack would add up for ever; so they are not rounded. The candidates
come from the float table. Those whose exact lift of "1 outside the candidates" is positive are dropped, round
by round, and what is left is zero.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from flint import fmpq

from bdist.distances.explore.float_game import FloatGame
from bdist.distances.lift import Lifter
from bdist.distances.lift import Slot as Start
from bdist.distances.pairs import Direction
from bdist.exact.rationals import ONE, ZERO
from bdist.lp import engine_named
from bdist.lp.batch import PLACES

Arcs = dict[tuple[int, int], fmpq]


def zero_couplings(game: FloatGame, candidates: Sequence[int]) -> dict[int, tuple[Arcs, ...]]:
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

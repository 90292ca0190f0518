"""Where the distance is zero, and the ranks that prove where it is not.

Fix the directions that count at each pair: one (a choice of the maximiser) or both. The distance is zero
exactly on the largest set Z of pairs such that each of them has, for every direction that counts, a coupling
without leak (b = 0) that stays within Z. We start from all pairs and drop, round by round, those whose lift
of the table "1 outside Z" is positive. A pair is looked at again only when its last free coupling used a pair
that has been dropped.

The round in which a pair is dropped is its *rank*, and the function g that made the lift positive is kept: it
shows that every coupling of the pair leaks or reaches a pair of smaller rank. Ranks and g are what a
lower-bound certificate needs against cycles of pairs that support each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import fmpq

from bdist.distances.lift import Lift
from bdist.distances.pairs import Direction
from bdist.distances.run import Run
from bdist.exact.fast import ONE, ZERO


@dataclass(frozen=True)
class Escape:
    """Why a pair's distance is positive: the round and direction of its drop, and the g that shows it."""

    rank: int
    direction: Direction
    g: dict[int, fmpq]


def escapes(run: Run, directions: Callable[[int], Sequence[Direction]]) -> dict[int, Escape]:
    """For each pair with a positive distance its escape; every other pair of the space has distance zero."""
    space = run.space
    table = space.constant(ZERO)
    found: dict[int, Escape] = {}
    free: list[list[Lift]] = [[] for _ in range(len(space))]
    users: list[set[int]] = [set() for _ in range(len(space))]  # pairs whose free couplings use this pair
    candidates = set(range(len(space)))
    rank = 0
    while candidates:
        rank += 1
        dropped: list[int] = []
        for done, pair in enumerate(sorted(candidates)):
            run.pulse("zero pairs", done, len(candidates))
            escape, free[pair] = _look(run, pair, directions(pair), table, free[pair], rank)
            if escape is not None:
                found[pair] = escape
                dropped.append(pair)
            for lift in free[pair]:
                for i, j in lift.w:
                    users[space.number[i, j]].add(pair)
        for pair in dropped:
            table[pair] = ONE
        candidates = {user for pair in dropped for user in users[pair] if user not in found}
    return found


def _look(
    run: Run, pair: int, directions: Sequence[Direction], table: list[fmpq], before: list[Lift], rank: int
) -> tuple[Escape | None, list[Lift]]:
    free = []
    for k, direction in enumerate(directions):
        lift = run.lifter.lift(pair, direction, table, before[k] if before else None)
        if lift.value > 0:
            return Escape(rank, direction, lift.f), []
        free.append(lift)
    return None, free

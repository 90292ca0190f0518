"""The game with the maximiser's directions fixed: the least fixed point of one direction a pair, exactly.

Policy iteration. A policy is a coupling (w, b) for each pair outside the zero set; its value solves the
linear system d(p) = w.d + |b|. We start from the couplings that are optimal when every positive pair costs 1:
every coupling of such a pair leaks sooner or later, these cost at most 1, and so the system has a nonnegative
solution. Each round re-optimises the couplings against the last value and stops when none improves; the
values fall strictly, there are finitely many vertices, and outside the zero set the fixed point is unique, so
the end is the least fixed point.

Nothing here relies on couplings having mass at most 1; with b > 0 they can have more.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from bdist.distances.lift import Lift
from bdist.distances.pairs import Direction
from bdist.distances.run import Run
from bdist.distances.zeros import Escape
from bdist.errors import InternalError
from bdist.exact.fast import ONE, ZERO
from bdist.exact.linear import solve_affine


@dataclass(frozen=True)
class MinimiserSolution:
    """The value at every pair and, for positive pairs, a lift that is optimal at that value."""

    values: list[fmpq]
    lifts: dict[int, Lift]


def solve_minimiser(
    run: Run, choice: list[Direction], positive: dict[int, Escape], start: dict[int, Lift]
) -> MinimiserSolution:
    """The least fixed point for the directions ``choice``, given which pairs are positive under it.

    ``start`` holds earlier lifts in the same directions; only their bases are used, as first guesses.
    """
    space = run.space
    pairs = sorted(positive)
    ones = [ONE if pair in positive else ZERO for pair in range(len(space))]
    lifts: dict[int, Lift] = {}
    for done, pair in enumerate(pairs):
        run.pulse("first couplings", done, len(pairs))
        lifts[pair] = run.lifter.lift(pair, choice[pair], ones, start.get(pair))
    while True:
        run.rounds += 1
        values = policy_value(run, lifts)
        improved = False
        for done, pair in enumerate(pairs):
            run.pulse("couplings", done, len(pairs))
            better = run.lifter.lift(pair, choice[pair], values, lifts[pair])
            if better.value > values[pair]:
                raise InternalError(
                    "a coupling's value is below the lift of that value, which weak duality excludes"
                )
            improved = improved or better.value < values[pair]
            lifts[pair] = better
        if not improved:
            return MinimiserSolution(values, lifts)


def policy_value(run: Run, lifts: dict[int, Lift]) -> list[fmpq]:
    """The exact value of a policy; pairs without a coupling are worth zero."""
    space = run.space
    place = {pair: k for k, pair in enumerate(lifts)}
    weights: list[dict[int, fmpq]] = []
    for lift in lifts.values():
        row: dict[int, fmpq] = {}
        for (i, j), weight in lift.w.items():
            pair = space.number[i, j]
            if pair in place:
                row[place[pair]] = row.get(place[pair], ZERO) + weight
        weights.append(row)
    solved = solve_affine(weights, [lift.leak() for lift in lifts.values()])
    if solved is None or any(x < 0 for x in solved):
        raise InternalError("a policy of the minimiser has no nonnegative value, though its start was proper")
    values = space.constant(ZERO)
    for pair, x in zip(lifts, solved, strict=True):
        values[pair] = x
    return values

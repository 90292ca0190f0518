"""What a fixed set of couplings proves: an upper bound on bd_alpha, by linear algebra alone.

Give every pair one coupling (w, b) a direction and let only the maximiser move. The least table d with w.d +
|b| <= d(p) for both couplings of every pair p is a pre-fixed point of Gamma, so it is above bd_alpha, and the
couplings certify it. It is found by policy iteration over the directions, one exact linear solve a round. Any
couplings will do for soundness; good ones make it tight. This is how couplings that somebody else proposes (a
MILP, an unfinished strategy iteration) become a bound.
"""

from __future__ import annotations

from collections.abc import Mapping

from flint import fmpq

from bdist.distances.lift import Lift
from bdist.distances.pairs import PairSpace
from bdist.exact.fast import ZERO
from bdist.exact.linear import solve_affine

_MOST_ROUNDS = 50

Row = tuple[dict[int, fmpq], fmpq]


def value_of_couplings(space: PairSpace, couplings: Mapping[int, tuple[Lift, ...]]) -> dict[int, fmpq] | None:
    """The bound that couplings prove at each of their pairs; None where they prove none.

    Requires: a coupling puts weight only on pairs that have couplings themselves.
    Ensures: 0 <= value, and at each pair both couplings cost at most the value.
    """
    place = {pair: k for k, pair in enumerate(couplings)}
    rows = [tuple(_row(space, place, lift) for lift in both) for both in couplings.values()]
    chosen = [max(space.directions, key=lambda side: couplings[pair][side].value) for pair in couplings]
    for _ in range(_MOST_ROUNDS):
        weights = [both[side][0] for both, side in zip(rows, chosen, strict=True)]
        constants = [both[side][1] for both, side in zip(rows, chosen, strict=True)]
        values = solve_affine(weights, constants)
        if values is None or any(value < 0 for value in values):
            return None
        switched = False
        for k, both in enumerate(rows):
            for side in space.directions:
                if _cost(both[side], values) > values[k]:
                    chosen[k] = side
                    switched = True
        if not switched:
            return dict(zip(couplings, values, strict=True))
    return None


def _row(space: PairSpace, place: Mapping[int, int], lift: Lift) -> Row:
    weights: dict[int, fmpq] = {}
    for arc, weight in lift.w.items():
        k = place[space.number[arc]]
        weights[k] = weights.get(k, ZERO) + weight
    return weights, lift.leak()


def _cost(row: Row, values: list[fmpq]) -> fmpq:
    weights, constant = row
    for k, weight in weights.items():
        constant += weight * values[k]
    return constant

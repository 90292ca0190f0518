"""From a table that somebody proposes to a bound that is proved.

A float solver, or one whose solution is not rational, hands over a table d that is almost a pre-fixed point.
Couplings that are optimal at d, found in exact arithmetic, are then almost as good as the best ones, and
`value_of_couplings` is what they prove exactly. Where that misses theta by a hair, because a tie was decided
by rounding, couplings are improved at the proved table, as long as that helps.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget
from bdist.distances.lift import Lift, Lifter
from bdist.distances.run import UpperEvidence
from bdist.distances.strategy import value_of_couplings
from bdist.exact.fast import ONE, slow
from bdist.thresholds.formula import Formula

Couplings = dict[int, tuple[Lift, ...]]


def evidence_from_table(
    lifter: Lifter, formula: Formula, proposal: Mapping[int, fmpq], theta: Fraction, budget: Budget
) -> UpperEvidence | None:
    """Evidence for d(query) <= theta from a proposed table; None where it is not good enough.

    Raises: Stopped.
    """
    table = _table(formula, {**formula.fixed, **proposal})
    couplings: Couplings = {}
    best: fmpq | None = None
    while True:
        budget.check()
        couplings = _optimal_couplings(lifter, formula.query, table, couplings, budget)
        values = value_of_couplings(formula.space, couplings)
        if values is None:
            return None
        reached = values[formula.query]
        if slow(reached) <= theta:
            return UpperEvidence(formula.space, values, couplings)
        if best is not None and reached >= best:
            return None
        best = reached
        table = _table(formula, values)


def _table(formula: Formula, values: Mapping[int, fmpq]) -> list[fmpq]:
    """The values, within [0, 1], and 1 elsewhere."""
    table = formula.space.constant(ONE)
    for pair, value in values.items():
        table[pair] = min(max(value, fmpq(0)), ONE)
    return table


def _optimal_couplings(
    lifter: Lifter, query: int, table: list[fmpq], before: Couplings, budget: Budget
) -> Couplings:
    """Optimal couplings of the query and of every pair that they put weight on, and so forth."""
    found: Couplings = {}
    waiting = [query]
    while waiting:
        budget.check()
        pair = waiting.pop()
        if pair in found:
            continue
        found[pair] = lifter.lifts(pair, table, before.get(pair))
        waiting += [lifter.space.number[arc] for lift in found[pair] for arc in lift.w]
    return found

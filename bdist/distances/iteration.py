"""bd_alpha by fixed-point iteration, from below and from above, with a proof at every step.

*From below*: 0, Gamma(0), Gamma(Gamma(0)), ... rises to the least fixed point. After a step from table d the
functions f found at d prove the *next* table too: they are feasible for it, because it is no smaller, and
attain it. A pair keeps its direction until a strictly larger value is found in the other one. With that rule
the zero set of the kept directions carries no value (take the pair that first reached the largest one there:
its free coupling would have had to find that value earlier), so every positive pair has an escape, and the
certificate of `run.LowerEvidence` exists.

*From above*: start with 0 where the distance is zero and 1 elsewhere, a table that Gamma does not raise. Each
further Gamma lowers it, and the couplings found at a table prove the next one, because it is no larger. This
side need not converge to bd_alpha when the least fixed point is not the only one; it is sound all the same.

On an acyclic chain both sides meet after as many steps as the chain is deep. On a cyclic one they converge
geometrically, and the exact iterates grow by a constant number of digits a step; so values with a long
denominator are rounded, lower ones down and upper ones up, to a grid far below the tolerance, which keeps
every argument above intact. `strategy` is exact and usually faster; this is the textbook way, kept as a
second opinion and for chains whose exact value is too long to want.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq, fmpz

from bdist.budget import Budget, Stopped
from bdist.distances.lift import Lift
from bdist.distances.pairs import Direction
from bdist.distances.run import LowerEvidence, Run, UpperEvidence
from bdist.distances.strategy import escapes
from bdist.exact.rationals import ONE, ZERO, to_fraction

_GRID = fmpz(2) ** 128
_LONGEST_DENOMINATOR = fmpz(2) ** 512

Lifts = list[tuple[Lift, ...]]


def iterate(run: Run, queries: Sequence[int], tolerance: Fraction) -> None:
    """Iterate from both sides until the brackets of all queries are within the tolerance, or nothing moves.

    Raises: Stopped, with the best bounds so far in the run.
    """
    below = _Below(run)
    try:
        above = _Above(run)
        while True:
            run.rounds += 1
            rose = below.step()
            fell = above.step()
            widths = [to_fraction(above.values[p] - below.values[p]) for p in queries]
            if max(widths, default=Fraction(0)) <= tolerance or not (rose or fell):
                break
    except Stopped:
        below.settle(Budget(run.budget.reserve / 2 or None))
        raise
    below.settle(run.budget)


class _Below:
    """The iterates from 0."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.values = run.space.constant(ZERO)
        self.choice = [Direction.FORWARD] * len(run.space)
        self.functions: dict[int, dict[int, fmpq]] = {}
        self._lifts: Lifts | None = None

    def step(self) -> bool:
        lifts = _sweep(self.run, "from below", self.values, self._lifts)
        rose = False
        values = list(self.values)
        for pair, both in enumerate(lifts):
            best = max(self.run.space.directions, key=lambda direction: both[direction].value)
            value = _rounded_down(both[best].value)
            if value > self.values[pair]:
                rose = True
                values[pair] = value
                self.choice[pair] = best
                self.functions[pair] = both[best].f
        self.values, self._lifts = values, lifts
        return rose

    def settle(self, allowed: Budget) -> None:
        """Turn the last table into evidence, within a budget of its own. Raises: Stopped."""
        run = self.run
        budget = run.budget
        run.budget = allowed
        try:
            positive = escapes(run, lambda pair: (self.choice[pair],))
        finally:
            run.budget = budget
        run.lower = LowerEvidence(run.space, self.values, list(self.choice), self.functions, positive)


class _Above:
    """The iterates from 1, or from 0 where the distance is zero."""

    def __init__(self, run: Run) -> None:
        self.run = run
        positive = escapes(run, lambda pair: run.space.directions)
        self.values = [ONE if pair in positive else ZERO for pair in range(len(run.space))]
        self._lifts: Lifts | None = None

    def step(self) -> bool:
        lifts = _sweep(self.run, "from above", self.values, self._lifts)
        values = [
            min(value, _rounded_up(max(lift.value for lift in both)))
            for value, both in zip(self.values, lifts, strict=True)
        ]
        fell = values != self.values
        self.values, self._lifts = values, lifts
        self.run.upper = UpperEvidence(self.run.space, values, lifts)
        return fell


def _sweep(run: Run, phase: str, table: list[fmpq], before: Lifts | None) -> Lifts:
    """The lifts of a table at every pair."""
    found: Lifts = []
    for pair in range(len(run.space)):
        run.pulse(phase, pair, len(run.space))
        found.append(run.lifter.lifts(pair, table, before[pair] if before is not None else None))
    return found


def _rounded_down(value: fmpq) -> fmpq:
    return value if value.q <= _LONGEST_DENOMINATOR else fmpq((value * _GRID).floor(), _GRID)


def _rounded_up(value: fmpq) -> fmpq:
    return value if value.q <= _LONGEST_DENOMINATOR else fmpq((value * _GRID).ceil(), _GRID)

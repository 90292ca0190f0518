"""The circumstances of one computation: its engine, its budget, who watches, and the best proof so far.

A computation may be stopped at any time, by its time limit or from outside, and still owes an answer. So
solvers ask `Run.pulse` between small steps, which raises `Stopped` when time is up, and hand every bound that
they have established to `Run.upper` or `Run.lower`; the driver catches `Stopped` and answers with what is
there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget
from bdist.distances.evidence import LowerEvidence, UpperEvidence
from bdist.distances.lift import Lifter
from bdist.distances.pairs import PairSpace
from bdist.lp import Engine, Tally


@dataclass(frozen=True)
class Progress:
    """A snapshot for whoever watches: what is going on, how far it is, and the bracket of the first query."""

    phase: str
    round: int
    done: int
    total: int
    lower: Fraction
    upper: Fraction


class Run:
    """One computation on one pair space."""

    def __init__(
        self,
        space: PairSpace,
        engine: Engine,
        budget: Budget,
        watcher: Callable[[Progress], None] | None = None,
        watched: int | None = None,
    ) -> None:
        self.space = space
        self.tally = Tally()
        self.lifter = Lifter(space, engine, self.tally)
        self.budget = budget
        self.upper: UpperEvidence | None = None
        self.lower: LowerEvidence | None = None
        self.rounds = 0
        self._watcher = watcher
        self._watched = watched

    def pulse(self, phase: str, done: int, total: int) -> None:
        """Report progress and raise Stopped if the budget is used up."""
        if self._watcher is not None:
            lower, upper = (
                self.bounds(self._watched) if self._watched is not None else (Fraction(0), Fraction(1))
            )
            self._watcher(Progress(phase, self.rounds, done, total, lower, upper))
        self.budget.check()

    def bounds(self, pair: int) -> tuple[Fraction, Fraction]:
        """The best bounds on the distance of a pair for which there is evidence."""
        lower = self.lower.bound(pair) if self.lower is not None else Fraction(0)
        upper = self.upper.bound(pair) if self.upper is not None else Fraction(1)
        return lower, upper


def work_of(runs: Sequence[Run]) -> dict[str, int]:
    """What some runs on the same queries took: the pairs of the last, and the work of all.

    No pairs where none was begun, because time was up while its pairs were listed.
    """
    return {
        "pairs": len(runs[-1].space) if runs else 0,
        "rounds": sum(run.rounds for run in runs),
        "linear_programs": sum(run.tally.solved for run in runs),
        "bases_kept": sum(run.tally.kept for run in runs),
        "bases_proposed": sum(run.tally.proposed for run in runs),
        "bases_repaired": sum(run.tally.repaired for run in runs),
    }

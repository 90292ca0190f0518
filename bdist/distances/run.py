"""The circumstances of one computation: its engine, its budget, who watches, and the best proof so far.

A computation may be stopped at any time, by its time limit or from outside, and still owes an answer. So
solvers ask `Run.pulse` between small steps, which raises `Stopped` when time is up, and hand every bound that
they have established to `Run.upper` or `Run.lower`; the driver catches `Stopped` and answers with what is
there.

What they hand over is *evidence*: tables that cover the whole pair space, with the couplings, functions and
ranks that prove them. A certificate for one pair needs only the records that the pair's record depends on,
and those that they depend on in turn: for an upper bound the pairs on which a coupling puts weight, for a
lower bound the pairs whose distance or rank bounds a difference of f or of g. That closure is often much
smaller than the space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import fmpq

from bdist.budget import Budget
from bdist.certificates.document import Escape as EscapeRecord
from bdist.certificates.document import Function, Potential, Stage, UpperRecord, numerator
from bdist.distances.lift import Lift, Lifter
from bdist.distances.pairs import Direction, PairSpace
from bdist.exact.rationals import ZERO, to_fraction
from bdist.lp import Engine, Tally

if TYPE_CHECKING:
    from bdist.distances.strategy import Escape

Table = Mapping[int, fmpq] | Sequence[fmpq]


@dataclass(frozen=True)
class UpperEvidence:
    """A table with, for each pair and direction, a coupling that costs at most the table's value."""

    space: PairSpace
    values: Table
    couplings: Mapping[int, tuple[Lift, ...]] | Sequence[tuple[Lift, ...]]

    def bound(self, pair: int) -> Fraction:
        """The upper bound at a pair."""
        return min(to_fraction(self.values[pair]), Fraction(1))

    def closure(self, pairs: Iterable[int]) -> list[int]:
        """The pairs whose records the bounds at ``pairs`` need."""
        return _closure(pairs, self._depends_on)

    def records(self, pairs: Iterable[int]) -> list[UpperRecord]:
        """The records that prove the bounds at ``pairs``."""
        return [
            UpperRecord.of(
                self.space.pairs[pair],
                self.values[pair],
                (
                    (dict(sorted(lift.w.items())), dict(sorted(lift.b.items())))
                    for lift in self.couplings[pair]
                ),
            )
            for pair in self.closure(pairs)
        ]

    def _depends_on(self, pair: int) -> Iterator[int]:
        for lift in self.couplings[pair]:
            for arc in lift.w:
                yield self.space.number[arc]


@dataclass(frozen=True)
class LowerEvidence:
    """A table with, for each positive value, a direction, an f that attains it, and an escape.

    A pair may have an escape and (still) the value 0; its f is then 0.
    """

    space: PairSpace
    values: Table
    choice: list[Direction]
    functions: dict[int, dict[int, fmpq]]
    positive: dict[int, Escape]

    def bound(self, pair: int) -> Fraction:
        """The lower bound at a pair."""
        return to_fraction(self.values[pair])

    def stages(self, pairs: Iterable[int]) -> list[Stage]:
        """The one stage that proves the bounds at ``pairs``: each function has one pair, and its escape."""
        functions, escapes = [], []
        for pair in _closure((p for p in pairs if self.values[p] > 0), self._depends_on):
            i, j = (
                self.space.pairs[pair]
                if self.choice[pair] is Direction.FORWARD
                else self.space.pairs[pair][::-1]
            )
            value, escape = self.values[pair], self.positive[pair]
            f = Potential.of(dict(sorted(self.functions.get(pair, {}).items())), {}, value)
            functions.append(Function(f, ((i, j, numerator(value, f.over)),)))
            escapes.append(
                EscapeRecord(escape.rank, Potential.of(dict(sorted(escape.g.items())), {}), ((i, j),))
            )
        return [Stage(tuple(functions), tuple(escapes))] if functions else []

    def _depends_on(self, pair: int) -> Iterator[int]:
        yield from self._bounded_by(self.functions.get(pair, {}))
        yield from self._bounded_by(self.positive[pair].g)

    def _bounded_by(self, function: dict[int, fmpq]) -> Iterator[int]:
        """The pairs {i, j} of one label with f_i - alpha f_j > 0, which the table must bound."""
        chain, alpha = self.space.chain, self.space.alpha
        for i, x in function.items():
            for j in chain.states_by_label[chain.labels[i]]:
                if i != j and x > alpha * function.get(j, ZERO):
                    yield self.space.number[i, j]


def _closure(start: Iterable[int], depends_on: Callable[[int], Iterator[int]]) -> list[int]:
    seen = set(start)
    waiting = list(seen)
    while waiting:
        for pair in depends_on(waiting.pop()):
            if pair not in seen:
                seen.add(pair)
                waiting.append(pair)
    return sorted(seen)


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
        self.pairs = len(space)  # that were looked at
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
        "pairs": runs[-1].pairs if runs else 0,
        "rounds": sum(run.rounds for run in runs),
        "linear_programs": sum(run.tally.solved for run in runs),
        "bases_kept": sum(run.tally.kept for run in runs),
        "bases_proposed": sum(run.tally.proposed for run in runs),
        "bases_repaired": sum(run.tally.repaired for run in runs),
    }

"""What the unfoldings of many pairs share: the merged chain, what matters of it, and a table of ld_alpha.

An unfolding bounds what its leaves can still gain by lifts of ld_alpha, so a table of ld_alpha on all ordered
pairs of states is wanted before the first leaf. For one pair of states that table covers what the two can
reach. For an audit of many pairs on one chain it covers what any of them can reach, and is computed once; a
reduction can be pickled, so that the processes that share the work share the table too.

Where there are too many pairs for a table, every distance counts as 1: a leaf's bound is then the positive
part of a - alpha b. When time is up, what is proved by then is a table too.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget, Stopped
from bdist.certificates.document import UpperRecord
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.quotient import Quotient, quotient
from bdist.distances.lift import Lift, Lifter
from bdist.distances.pairs import PairSpace
from bdist.distances.run import Run, UpperEvidence
from bdist.distances.strategy import solve_game
from bdist.exact.rationals import ONE, ZERO
from bdist.lp import DEFAULT_ENGINE, Tally, engine_named

_TABLE_SHARE = 0.5  # of the time, at most, goes into the table of ld
MOST_PAIRS = 20_000  # beyond that a table costs more than it saves


@dataclass(frozen=True)
class Reduction:
    """A chain, its quotient if it was merged, the part that some states reach, and the table for leaves."""

    chain: LabelledMarkovChain
    merged: Quotient | None
    part: LabelledMarkovChain
    alpha: Fraction
    evidence: UpperEvidence | None = None

    @classmethod
    def of(
        cls, chain: LabelledMarkovChain, states: Iterable[str], alpha: Fraction, merge: bool = True
    ) -> Reduction:
        """The reduction for unfoldings from some states, without a table.

        Raises: ParameterError where the chain has no such state.
        """
        merged = quotient(chain) if merge else None
        whole = cls(chain, merged, chain if merged is None else merged.chain, alpha)
        return replace(whole, part=whole._base.restricted_to_reachable(whole._named(s) for s in states))

    def with_table(self, budget: Budget) -> Reduction:
        """The same reduction with a table, if that is worth its cost, from as much time as the budget has."""
        return replace(self, evidence=_table(self.part, self.alpha, budget))

    def for_pair(self, pair: tuple[str, str], budget: Budget) -> Reduction:
        """The one for a single pair: this one with its table, or a smaller one with a table of its own.

        At most half of the time that the budget has left goes into that table.
        """
        if self.evidence is not None:
            return self
        own = replace(self, part=self._base.restricted_to_reachable(self._named(state) for state in pair))
        left = budget.remaining()
        return own.with_table(Budget(None if left is None else left * _TABLE_SHARE, budget.stop))

    def positions(self, pair: tuple[str, str]) -> tuple[int, int]:
        """Where two states of the chain are in the part."""
        s, t = (self.part.index(self._base.states[self._named(state)]) for state in pair)
        return s, t

    @property
    def _base(self) -> LabelledMarkovChain:
        return self.chain if self.merged is None else self.merged.chain

    def _named(self, state: str) -> int:
        """Where a state of the chain is in the merged chain."""
        return self._base.index(state if self.merged is None else self.merged.of(state))

    def leaves(self) -> LeafBounds:
        """Bounds for the leaves of one pair's unfoldings."""
        return LeafBounds(self)


def table_is_affordable(part: LabelledMarkovChain) -> bool:
    """Whether a table of ld_alpha on all ordered pairs of states with the same label is worth its cost."""
    members = part.states_by_label.values()
    return sum(len(m) * (len(m) - 1) for m in members) <= MOST_PAIRS


def _table(part: LabelledMarkovChain, alpha: Fraction, budget: Budget) -> UpperEvidence | None:
    if not table_is_affordable(part):
        return None
    pairs = [(i, j) for m in part.states_by_label.values() for i in m for j in m if i != j]
    run = Run(PairSpace(part, alpha, pairs, ordered=True), engine_named(DEFAULT_ENGINE), budget)
    with suppress(Stopped):
        solve_game(run)
    return run.upper


class LeafBounds:
    """Upper bounds for leaves, and the records of the table that those handed out depend on."""

    def __init__(self, reduction: Reduction) -> None:
        self._evidence = reduction.evidence
        if self._evidence is not None:
            space, values = self._evidence.space, self._evidence.values
            self._table = [min(values[p], ONE) for p in range(len(space))]
            self._lifter = Lifter(space, engine_named(DEFAULT_ENGINE), Tally())
        self._used: set[int] = set()

    def bound(self, objective: dict[int, fmpq]) -> Lift:
        """The best bound on what is still to be gained with an objective a - alpha b."""
        if self._evidence is None:
            positive = {i: c for i, c in objective.items() if c > 0}
            return Lift(sum(positive.values(), ZERO), {}, {}, positive)
        lift = self._lifter.lift_vector(objective, self._table)
        self._used |= {self._evidence.space.number[arc] for arc in lift.w}
        return lift

    def records(self) -> list[UpperRecord]:
        """The records of ld_alpha that the bounds handed out depend on."""
        return self._evidence.records(self._used) if self._evidence is not None else []

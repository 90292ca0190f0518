"""What it takes to work on an audit, and the work: the same here, in a helper process and on a cluster.

There are two kinds of tasks. *Distances* computes bd and ld, in both orders, of a group of pairs at once: the
distances of a chain depend on the same pairs of states, so a group shares its table, its proof and its check.
*Traces* brackets the true delta of one pair by unfolding the reduced chain that all pairs share
(`traces.reduction`). How far is worth going depends on what is known by then: where the distances have proved
privacy, the true delta is information, and a short unfolding will do; where the question is open, the
unfolding goes on to its limits.

A workbench is pickled once for each process that helps. A task yields entries as they are made, so that what
a process has proved is not lost with it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from fractions import Fraction

from bdist.audits.entries import Entry, Pair, Received, entry_of
from bdist.budget import Budget, StopSign
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Settings, Skew, compute_distances
from bdist.errors import BdistError
from bdist.results import Distance
from bdist.traces.attack import Attack
from bdist.traces.reduction import Reduction
from bdist.traces.true_delta import TraceDistance, TraceSettings, compute_trace_distance

SHORT_UNFOLDING = 1.5  # seconds, where the true delta does not change the verdict
DISTANCES = ("bd", "ld")
TRACES = ("tv",)


@dataclass(frozen=True)
class Task:
    """Work on some pairs: the distances of a group, one quantity or both, or the traces of one pair.

    ``upper`` is what is proved of the true delta from above by the distances, for the traces of a pair.
    """

    quantities: tuple[str, ...]
    pairs: tuple[Pair, ...]
    upper: Fraction = Fraction(1)
    attempt: int = 1

    def one_by_one(self, done: Set[str]) -> list[Task]:
        """What is left where some quantities are done, a task for each pair, to be tried again."""
        left = tuple(quantity for quantity in self.quantities if quantity not in done)
        if not left:
            return []
        return [replace(self, quantities=left, pairs=(p,), attempt=self.attempt + 1) for p in self.pairs]


@dataclass(frozen=True)
class Outcome:
    """What came of a task: its entries, and why there are not more of them, if something went wrong.

    Entries may come one by one, each in an outcome without pairs, before the outcome of the task; and where a
    task was taken apart, the pairs of the rest have outcomes of their own.
    """

    task: Task
    entries: tuple[Entry | Received, ...]
    failure: str | None = None


def part_of(task: Task, entry: Entry) -> Outcome:
    """What has come of a task that goes on."""
    return Outcome(replace(task, pairs=()), (entry,))


def failure_of(error: MemoryError | BdistError) -> str:
    """Why a task failed, in words."""
    return "out of memory" if isinstance(error, MemoryError) else str(error)


@dataclass(frozen=True)
class Workbench:
    """A chain, the parameters of an audit, and what all pairs share.

    ``time_limit`` is in seconds a pair, half for its distances and half for its traces; ``threads`` are for
    the kernel.
    """

    chain: LabelledMarkovChain
    skew: Skew
    delta: Fraction
    time_limit: float | None
    reduction: Reduction | None = None
    threads: int = 1

    def entries(self, task: Task, stop: StopSign) -> Iterator[Entry]:
        """Do the work of a task. Ensures: every certificate was checked."""
        for quantity in task.quantities:
            began = time.monotonic()
            if quantity in TRACES:
                found = [self._traces(pair, task.upper, stop) for pair in task.pairs]
            else:
                found = [(self._distances(quantity, task.pairs, stop), None)]
            # what was cut short for another reason than its time limit is worth another try at any limit
            allowed = 0.0 if stop.is_set() else self.time_limit
            seconds = time.monotonic() - began
            for distance, attack in found:
                limit = self._limit_in_words(distance, stop)
                yield entry_of(distance, seconds / len(found), limit, allowed, attack)

    def _limit_in_words(self, distance: Distance, stop: StopSign) -> str | None:
        """What cut a computation short, in terms of what the user asked for and not of a share of it."""
        if distance.limit is None or stop.is_set() or not distance.limit.startswith("time limit"):
            return distance.limit
        if self.time_limit is not None:
            return f"time limit of {self.time_limit:g} s a pair reached"
        return "not unfolded further, since the distances decide"

    def bounds_without_search(self, pair: Pair, reason: str) -> Entry:
        """The bounds on the distance of a pair that need no search, where the search failed."""
        stop = StopSign()
        stop.reason = reason
        stop.set()
        return next(self.entries(Task(("bd",), (pair,)), stop))

    def _distances(self, quantity: str, pairs: tuple[Pair, ...], stop: StopSign) -> Distance:
        """The distances of all pairs, in one certificate, as any one of them; one that was cut, if any."""
        queries = pairs if quantity == "bd" else [order for s, t in pairs for order in ((s, t), (t, s))]
        share = self._share(len(pairs) / len(DISTANCES))
        settings = Settings(budget=Budget.for_answer(share, stop), jobs=self.threads)
        found = compute_distances(self.chain, queries, self.skew, quantity, settings)
        return next((distance for distance in found if distance.limit is not None), found[0])

    def _traces(self, pair: Pair, upper: Fraction, stop: StopSign) -> tuple[Distance, Attack | None]:
        share = self._share(1)
        short = SHORT_UNFOLDING if share is None else min(share, SHORT_UNFOLDING)
        found = self._unfold(pair, Budget.for_answer(short, stop))
        if found.distance.limit is not None and share != short and self._is_open(found, upper):
            rest = None if share is None else share - short
            found = self._unfold(pair, Budget.for_answer(rest, stop))
        return found.distance, found.attack

    def _share(self, parts: float) -> float | None:
        return None if self.time_limit is None else self.time_limit / 2 * parts

    def _unfold(self, pair: Pair, budget: Budget) -> TraceDistance:
        limits = TraceSettings(budget=budget)
        return compute_trace_distance(self.chain, pair, self.skew, "tv", limits, self.reduction)

    def _is_open(self, found: TraceDistance, upper: Fraction) -> bool:
        """Whether the question of privacy is not settled by what is proved."""
        bracket = found.bracket
        return bracket.lower.value <= self.delta < min(upper, bracket.upper.value)

"""What it takes to work on an audit, and the work: the same here, in a helper process and on a cluster.

There are two kinds of tasks. *Traces* finds the true delta of one pair by following beliefs, over the futures
that all pairs share; that decides nearly everything. *Distances* computes bd and ld, in both orders, of a
group of pairs at once, where they are asked for: the distances of a chain depend on the same pairs of states,
so a group shares its table, its proof and its check.

A workbench is pickled once for each process that helps. A task yields entries as they are made, so that what
a process has proved is not lost with it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from fractions import Fraction

from bdist.audits.entries import Entry, Pair, Received, entry_of, traced
from bdist.budget import Budget, StopSign
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Settings, Skew, compute_distances
from bdist.errors import BdistError
from bdist.results import Distance
from bdist.traces.compute import DEFAULT_BELIEFS, PROFILE_WIDTH, ProfileSettings, compute_profile
from bdist.traces.futures import Futures
from bdist.traces.true_delta import TraceDistance

EASY_BELIEFS = 300  # that a pair may take before all others have had their turn
_LEAST_WIDTH = Fraction(1, 10**12)  # of a bracket, where a wider one leaves the question open
DISTANCES = ("bd", "ld")
TRACES = ("tv",)


@dataclass(frozen=True)
class Task:
    """Work on some pairs: the distances of a group, one quantity or both, or the traces of one pair.

    ``beliefs`` is how many of them traces may take.
    """

    quantities: tuple[str, ...]
    pairs: tuple[Pair, ...]
    beliefs: int = DEFAULT_BELIEFS
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

    ``time_limit`` is in seconds a pair, half of it for its distances where these are asked for; ``runs`` is
    how often the chain is observed, ``threads`` are for the kernel.
    """

    chain: LabelledMarkovChain
    skew: Skew
    delta: Fraction
    time_limit: float | None
    runs: int = 1
    futures: Futures | None = None
    distances: bool = False
    threads: int = 1

    def entries(self, task: Task, stop: StopSign) -> Iterator[Entry]:
        """Do the work of a task. Ensures: every certificate was checked."""
        for quantity in task.quantities:
            began = time.monotonic()
            if quantity in TRACES:
                found = [self._traces(pair, task.beliefs, stop) for pair in task.pairs]
            else:
                found = [entry_of(self._distances(quantity, task.pairs, stop))]
            seconds = round((time.monotonic() - began) / len(found), 6)
            for entry in found:
                limit = self._limit_in_words(entry.limit, stop)
                # what was cut short for another reason than its time limit is worth another try at any limit
                again = stop.is_set() or (task.beliefs < DEFAULT_BELIEFS and not _is_of_time(limit))
                yield replace(entry, seconds=seconds, limit=limit, allowed=0.0 if again else self.time_limit)

    def _limit_in_words(self, limit: str | None, stop: StopSign) -> str | None:
        """What cut a computation short, in terms of what the user asked for and not of a share of it."""
        if stop.is_set() or not _is_of_time(limit):
            return limit
        return f"time limit of {self.time_limit:g} s a pair reached"

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

    def _traces(self, pair: Pair, beliefs: int, stop: StopSign) -> Entry:
        """The true delta of a pair; for several runs its whole profile is needed, not one place of it."""
        budget = Budget.for_answer(self._share(1), stop)
        skew = self.skew
        focus = () if self.runs > 1 else tuple(dict.fromkeys((skew.alpha, skew.attack_alpha)))
        for width in (PROFILE_WIDTH, *((_LEAST_WIDTH,) if beliefs >= DEFAULT_BELIEFS else ())):
            settings = ProfileSettings(focus, width, beliefs, budget, self.futures)
            profile = compute_profile(self.chain, pair, settings)
            found = TraceDistance("tv", skew, profile, self.chain)
            bounds = traced(profile.optimistic, profile.pessimistic, skew, self.runs)
            is_open = bounds[0] <= self.delta < bounds[1]
            if not is_open or profile.exact or found.limit is not None:
                break
        attack = found.attack if bounds[0] > self.delta and self.runs == 1 else None
        entry = entry_of(found.distance, bounds, attack)
        # as narrow as is usual, and the question is open: there is a reason to tell, and to go on
        return replace(entry, limit=profile.limit) if is_open else entry

    def _share(self, parts: float) -> float | None:
        if self.time_limit is None:
            return None
        return self.time_limit * (parts / 2 if self.distances else parts)


def _is_of_time(limit: str | None) -> bool:
    return limit is not None and limit.startswith("time limit")

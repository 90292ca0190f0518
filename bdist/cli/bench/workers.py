"""What is done in processes of their own: finding the exact distance, and deciding one cell.

*What is timed* is the decision, from the chain in memory to the evidence: neither the start of a process, nor
the loading of libraries, nor the reading of the file, nor the check of the certificate. Two ways lead there.
One is to measure the start of each process and to subtract it; but it differs from start to start by more
than what fast backends take, and what a solver loads when it is first used cannot be told from its work. So
processes are kept warm instead. Each backend has a worker, and the solvers that a backend starts (HiGHS for
MILP, CaDiCaL for bits, Z3 for SMT) stay as well (`bdist.processes.keep_processes`). A worker first answers
small questions, which load all that is needed; only then do cells count. How long that takes, from the start
of the process, is told in the report. What is left in the times is the way to a solver's process and back.

A worker is used again if it gave an answer. If its cell came to no end, failed, or did not know, it is ended,
and the next cell has a new one, which is warm: a solver that was killed in the middle would start anew on the
clock of whoever asks next. That does happen within a decision, where a backend gives a solver less than all
of its time and goes on (sat-bits does so with each width of its numbers).

A brief decision is repeated in the worker, and the shortest of three counts.
"""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, islice
from statistics import median
from typing import TypeVar

from bdist.budget import Budget, Stopped
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.families import make_family
from bdist.cli.bench.cells import NOT_KNOWN, Case, Cell, Status
from bdist.cli.bench.plan import COLUMNS, NAIVE, REFERENCE, Instance, Member, Series
from bdist.distances.compute import Settings, Skew, compute_distance
from bdist.errors import BackendError, InternalError
from bdist.processes import Reply, Worker, keep_processes
from bdist.results import Statistics
from bdist.thresholds.decide import BACKENDS, decide_threshold

_SEEDS_TRIED = 20  # for each one that is wanted
_MOST_RUNS = 3  # of a decision that takes less than this:
_BRIEF_SECONDS = 0.5
_SETTLING = "the exact distance"  # a column of workers that no table has
_NAIVE_SHARE = 2  # the baseline may have the machine's memory divided by this: it keeps thousands of models

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class Crew:
    """Workers for several threads at once, warm, by the column that they work for."""

    def __init__(self) -> None:
        self._idle: dict[str, list[Worker]] = {}
        self._lock = threading.Lock()
        self._starts: dict[str, list[float]] = {}

    def starts(self) -> dict[str, float]:
        """How long it takes until a worker is warm, in seconds, by column; the median of its starts."""
        with self._lock:
            return {column: median(self._starts[column]) for column in COLUMNS if column in self._starts}

    def settle_series(
        self, series: Series, size: int, seeds: int, limit: float, user: Budget
    ) -> tuple[Case, ...]:
        """The cases of a size. Raises: Stopped, BackendError."""
        return self._call(
            _SETTLING, settle, (series, size, seeds, limit), seeds * patience(limit), user
        ).result

    def settle_instance(self, instance: Instance, limit: float, user: Budget) -> Case:
        """An instance with what must be known of it. Raises: Stopped, BackendError."""
        return self._call(_SETTLING, settle_instance, (instance, limit), patience(limit), user).result

    def decide(self, cell: Cell, limit: float, user: Budget) -> Cell:
        """The cell as a worker fills it in. Raises: Stopped where that had to be killed; BackendError."""
        reply = self._call(cell.backend, decide_cell, (cell, limit), patience(limit), user)
        found = reply.result
        solver = int(found.stats.get("peak_memory", 0))
        return replace(found, peak_memory=max(reply.peak_memory, solver))

    def close(self) -> None:
        """End all workers that wait."""
        with self._lock:
            for workers in self._idle.values():
                for worker in workers:
                    worker.close()
            self._idle.clear()

    def _call(
        self,
        column: str,
        function: Callable[[Argument], Result],
        argument: Argument,
        seconds: float,
        user: Budget,
    ) -> Reply[Result]:
        with self._lock:
            idle = self._idle.get(column, [])
            worker = idle.pop() if idle else None
        if worker is None or worker.pid is None:  # one that has died meanwhile would start on the clock
            worker = self._warm(column, user)
        kept = False
        try:
            reply = worker.call(function, argument, Budget(seconds, user.stop))
            kept = not isinstance(reply.result, Cell) or reply.result.status.is_answer
        finally:
            if kept:
                with self._lock:
                    self._idle.setdefault(column, []).append(worker)
            else:
                worker.close()
        return reply

    def _warm(self, column: str, user: Budget) -> Worker:
        worker, start = Worker(), time.monotonic()
        try:
            worker.call(warm_up, column, Budget(stop=user.stop))
        except BackendError:
            worker.close()  # such as a solver that is not installed: the cell will say so
            return worker
        except BaseException:
            worker.close()
            raise
        with self._lock:
            self._starts.setdefault(column, []).append(time.monotonic() - start)
        return worker


def patience(limit: float) -> float:
    """When the process of a cell is killed: it also makes the chain and has its certificate checked, which
    for a large one takes as long as to find it.
    """
    return 3 * limit + 20


def warm_up(column: str) -> None:
    """Answer small questions, so that everything is loaded. Called in a process of its own.

    One is by the column itself, and starts its solver. What all of them load for a chain that is not small
    (NumPy, the kernel, exploration) is loaded by two that are quick at it; the others may take seconds for
    the smallest.
    Raises: BackendError where a solver is not installed.
    """
    keep_processes()
    if column == NAIVE:
        _limit_memory()
    chain = LabelledMarkovChain.from_rows(
        {
            "s": ("a", {"s": Fraction(1, 6), "t": Fraction(1, 6), "u": Fraction(2, 3)}),
            "t": ("a", {"s": Fraction(1, 3), "t": Fraction(1, 12), "u": Fraction(7, 12)}),
            "u": ("a", {"s": Fraction(1, 12), "t": Fraction(1, 12), "v": Fraction(5, 6)}),
            "v": ("b", {"s": Fraction(7, 12), "u": Fraction(1, 6), "v": Fraction(1, 4)}),
        }
    )
    skew = Skew(Fraction(11, 10))
    if column in BACKENDS:
        larger = make_family("random", {"states": 16, "labels": 2, "degree": 3, "seed": 1})
        for quick in (REFERENCE, "sat-lp"):
            _decided(larger, ("s0", "s1"), skew, Fraction(9, 10), quick, Budget())
    if column == _SETTLING:
        compute_distance(chain, ("s", "t"), skew, "bd", Settings(budget=Budget()))
    else:
        _decided(chain, ("s", "t"), skew, Fraction(1, 2), column, Budget())


def settle(draft: tuple[Series, int, int, float]) -> tuple[Case, ...]:
    """The cases of a size, with their exact distances. Called in a process of its own.

    The draft is the series, the size, how many seeds are wanted, and the seconds for each.
    """
    series, size, seeds, limit = draft
    if series.pair is not None:
        return (_valued(Case(Member(series, size)), series.pair, Budget(limit)),)
    found: list[Case] = []
    for seed in range(1, _SEEDS_TRIED * seeds + 1):
        case, budget = Case(Member(series, size, seed)), Budget(limit)
        chain = case.origin.chain()
        alike = ((s, t) for s, t in combinations(chain.states, 2) if chain.label(s) == chain.label(t))
        valued = (_valued(case, pair, budget) for pair in alike)
        found += islice((x for x in valued if x.value is None or 0 < x.value < 1), 1)
        if len(found) == seeds:
            break
    nothing = "no seed has two states with the same label and a distance strictly between 0 and 1"
    return tuple(found) or (Case(Member(series, size), reason=nothing),)


def settle_instance(draft: tuple[Instance, float]) -> Case:
    """An instance with its exact distance, unless a threshold is given. Called in a process of its own."""
    instance, limit = draft
    case = Case(instance, instance.pair, states=instance.states)
    return case if instance.theta is not None else _valued(case, instance.pair, Budget(limit))


def _valued(case: Case, pair: tuple[str, str], budget: Budget) -> Case:
    chain = _chain_of(case)
    found = compute_distance(
        chain, pair, Skew(case.origin.alpha), "bd", Settings(budget=budget, precision=Fraction(0))
    )
    case = replace(case, pair=pair, states=len(chain), pairs=int(found.stats["pairs"]))
    if found.limit is not None:
        return replace(case, reason=f"{NOT_KNOWN}: {found.limit}")
    return replace(case, value=found.value)


def _chain_of(case: Case) -> LabelledMarkovChain:
    """The chain. Raises: BackendError where a file has another one than when the study began."""
    chain = case.origin.chain()
    if isinstance(case.origin, Instance) and not fingerprint(chain).startswith(case.origin.model):
        raise BackendError(f"{case.origin.file} has changed since the study began")
    return chain


def decide_cell(task: tuple[Cell, float]) -> Cell:
    """Decide the threshold of a cell by its backend alone, within so many seconds.

    Called in a process of its own. Requires: the cell has a pair and a threshold.
    """
    blank, limit = task
    runs: list[Cell] = []
    assert blank.case.pair is not None and blank.theta is not None  # noqa: S101, PT018 - required
    try:
        chain = _chain_of(blank.case)
        skew = Skew(blank.case.origin.alpha)
        while len(runs) < _MOST_RUNS:
            status, reason, stats = _decided(
                chain, blank.case.pair, skew, blank.theta, blank.backend, Budget(limit)
            )
            seconds = float(stats["seconds"])
            if seconds >= limit:
                status, reason = Status.NOT_FINISHED, f"time limit of {limit:g} s reached"
            runs.append(replace(blank, status=status, seconds=seconds, stats=stats, reason=reason))
            if seconds > _BRIEF_SECONDS or seconds >= limit:
                break
    except InternalError as error:
        return replace(blank, status=Status.BUG, reason=str(error))
    except MemoryError:
        return replace(blank, status=Status.FAILED, reason="out of memory")
    except (BackendError, ImportError) as error:
        # of an error that crossed a process, without the way that it came
        last_words = str(error).rpartition("bdist.errors.BackendError: ")[2]
        return replace(blank, status=Status.FAILED, reason=last_words)
    best = min(runs, key=lambda run: run.seconds or 0.0)
    seconds_taken = None if best.status is Status.NOT_FINISHED else best.seconds
    return replace(best, seconds=seconds_taken, runs=len(runs))


def _decided(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    skew: Skew,
    theta: Fraction,
    column: str,
    budget: Budget,
) -> tuple[Status, str | None, Statistics]:
    """A decision, the reason where it is none, and what it took. Raises: as `decide_threshold`."""
    if column == NAIVE:
        return _by_floats(chain, pair, skew, theta, budget)
    verdict = decide_threshold(chain, pair, skew, theta, column, budget, confirm=False)
    return Status(verdict.answer.value), verdict.reason, {"seconds": 0.0, **verdict.stats}


def _by_floats(
    chain: LabelledMarkovChain, pair: tuple[str, str], skew: Skew, theta: Fraction, budget: Budget
) -> tuple[Status, str | None, Statistics]:
    """What the naive loop says, which is a number and no proof."""
    from bdist.cli.bench.naive import HighsFailed, NaiveIteration

    i, j = sorted(chain.index(state) for state in pair)
    iteration = NaiveIteration(chain, float(skew.alpha), budget)
    try:
        values = iteration.solve()
    except Stopped:
        return Status.NOT_FINISHED, None, {"seconds": budget.elapsed()}
    except HighsFailed as error:
        raise BackendError(f"HiGHS: {error}") from None
    value = float(values[iteration.pairs.index((i, j))])
    stats: Statistics = {
        "seconds": round(budget.elapsed(), 6),
        "pairs": len(iteration.pairs),
        "value_approx": value,
        "sweeps": iteration.sweeps,
        "presolve": iteration.presolve,
    }
    return Status.NUMERICAL, "a value by floats alone, which proves nothing", stats


def _limit_memory() -> None:
    """Let allocations fail before the machine has no memory left, on systems where that can be asked for."""
    with suppress(OSError, ValueError):
        most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // _NAIVE_SHARE
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))

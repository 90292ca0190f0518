"""Privacy of a whole relation: what is computed for which pair, in which order, and by whom.

An audit has up to three rounds. The first follows the beliefs of every pair for a little while, which settles
most; the second goes on where the question is open. So easy pairs are answered before hard ones. Only where
the distances bd and ld are asked for as well, a third round computes them: those of all pairs from one table
with one certificate where the states that the relation reaches make few pairs, of groups where they make
many. The futures of the chain's states are found once for all.

The work is done here for a first second, which is enough for most relations on small chains; what is left
then goes to helpers, one a core, or from the beginning to a cluster. With a memory limit all work is done by
helpers, since a process cannot be trusted to limit itself.

Whatever comes back goes into the journal as soon as it is there. When the audit is stopped, the pairs that
were not reached are UNKNOWN with that reason; what is proved stands. A journal that cannot be written any
more stops the audit, too: to go on would be to lose more.

One table for all pairs is the fastest way to their distances, and the worst for a process that is killed
before it is done: resumed, it would begin with the same table, and never end. So a resumed audit takes the
distances of one pair first, then of two, four and so on, and ends if it ever lives long enough for one pair.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from pathlib import Path

from bdist.audits.cluster import Cluster, Tls
from bdist.audits.entries import (
    DISTANCES,
    EASY_BELIEFS,
    TRACES,
    Entry,
    EntryChecker,
    Outcome,
    Pair,
    Task,
    TaskRunner,
    failure_of,
    part_of,
)
from bdist.audits.findings import Audit, Ledger
from bdist.audits.journal import Header, Journal
from bdist.audits.pool import Pool
from bdist.budget import Budget, StopSign
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.relation import Relation
from bdist.distances.compute import Skew, jobs_of
from bdist.errors import BdistError, OutputError, ParameterError
from bdist.printing import named
from bdist.processes import held_memory
from bdist.results import Answer
from bdist.traces.beliefs import Futures
from bdist.traces.compute import DEFAULT_BELIEFS

JOURNAL_FAILED = "the journal cannot be written any more"
LOCAL_SECONDS = 1.0  # of work are done in this process before helpers are started
GROUP = 8  # pairs that share a table where the whole relation is too large for one
ONE_TABLE = 20_000  # pairs of states with the same label, up to which there is one table for all


@dataclass(frozen=True)
class Progress:
    """How far an audit is: steps done and in all, two or three a pair, and how many are settled which way.

    ``seconds_left`` assumes that the steps to come take as long as those so far; None before the first.
    """

    phase: str
    done: int
    total: int
    pairs: int
    holds: int
    violated: int
    seconds_left: float | None


@dataclass(frozen=True)
class AuditSettings:
    """Limits a pair, who works, where the journal is, who watches.

    ``pair_time_limit`` is in seconds and ``memory_limit`` in bytes, each for one pair; the ``budget`` is for
    all of it. ``journal`` is a path; with ``resume`` what is in it already counts, after a new check.
    ``tls`` is for the connection to the ``cluster``. ``distances`` asks for bd and ld as well; ``runs`` is
    how many independent runs an observer sees.
    """

    jobs: int | None = None
    pair_time_limit: float | None = None
    memory_limit: int | None = None
    cluster: str | None = None
    journal: Path | None = None
    resume: bool = False
    budget: Budget | None = None
    watcher: Callable[[Progress], None] | None = None
    warn: Callable[[str], None] | None = None
    tls: Tls | None = None
    distances: bool = False
    runs: int = 1


def run_audit(
    chain: LabelledMarkovChain,
    relation: Relation,
    skew: Skew,
    delta: Fraction,
    settings: AuditSettings | None = None,
) -> Audit:
    """Whether all pairs of a relation are (epsilon, delta)-differentially private, pair by pair.

    Requires: what `bdist.queries.AuditQuery` checks.
    Ensures: every bound rests on a certificate that was checked in this installation, every violation on an
    attack that was evaluated exactly.
    Raises: ParameterError, BackendError where a cluster cannot be reached, FormatError where a journal is not
    one of this audit.
    """
    chosen = settings or AuditSettings()
    if not len(relation):
        raise ParameterError("there are no two neighbours, and an audit of none would prove nothing")
    if chosen.memory_limit is not None:
        held_memory()  # says at once where this system cannot tell
    if chosen.resume and chosen.journal is None:
        raise ParameterError("an audit is resumed from a journal; name it")
    with ExitStack() as stack:
        stack.enter_context(_stopping(chosen.budget))
        return _Auditor(chain, relation, skew, delta, chosen, stack).run()


@contextmanager
def _stopping(budget: Budget | None) -> Iterator[None]:
    """Whoever works here looks at the stop sign of the budget; so it is set when the time is up."""
    left = None if budget is None else budget.remaining()
    if budget is None or left is None:
        yield
        return

    def set_sign(
        sign: StopSign = budget.stop, reason: str = f"time limit of {budget.seconds:g} s reached"
    ) -> None:
        if not sign.is_set():
            sign.reason = reason
            sign.set()

    timer = threading.Timer(left, set_sign)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _Auditor:
    """One audit."""

    def __init__(
        self,
        chain: LabelledMarkovChain,
        relation: Relation,
        skew: Skew,
        delta: Fraction,
        settings: AuditSettings,
        stack: ExitStack,
    ) -> None:
        self._chain, self._relation, self._skew, self._settings = chain, relation, skew, settings
        self._budget = settings.budget or Budget()
        self._ledger = Ledger(relation, skew, delta, settings.runs)
        self._entry_checker = EntryChecker(chain, skew, settings.runs)
        self._header = Header(fingerprint(chain), skew.alpha, skew.attack_alpha, settings.runs)
        self._jobs = jobs_of(settings.jobs)
        self._runner = TaskRunner(
            chain,
            skew,
            delta,
            settings.pair_time_limit,
            settings.runs,
            Futures.of(chain, dict.fromkeys(state for pair in relation for state in pair)),
            settings.distances,
            self._jobs,
        )
        self._stack = stack
        self._journal = self._opened_journal()
        self._began = time.monotonic()
        self._works_here = LOCAL_SECONDS > 0 and not (settings.memory_limit or settings.cluster)
        self._workers: Pool | Cluster | None = None
        self._steps = (3 if settings.distances else 2) * len(relation)
        self._done = self._found_done = 0
        self._phase = "true deltas"

    def run(self) -> Audit:
        """All rounds, and the findings."""
        limit = self._settings.pair_time_limit
        for beliefs, phase in ((EASY_BELIEFS, "easy pairs"), (DEFAULT_BELIEFS, "hard pairs")):
            self._phase = phase
            waiting = [pair for pair in self._relation if self._is_open(pair)]
            self._round([Task(TRACES, (pair,), beliefs) for pair in waiting])
        if self._settings.distances:
            self._phase = "distances"
            lacking: dict[tuple[str, ...], list[Pair]] = {}
            for pair in self._relation:
                quantities = tuple(q for q in DISTANCES if self._ledger.lacks(pair, (q,), limit))
                if quantities:
                    lacking.setdefault(quantities, []).append(pair)
            self._round(self._groups(lacking))
        stopped = self._budget.exhausted()
        if stopped is not None:
            open_pairs = (p for p in self._relation if self._ledger.answer(p) is Answer.UNKNOWN)
            self._ledger.fail(open_pairs, stopped)
        seconds = round(time.monotonic() - self._began, 6)
        return self._ledger.audit(self._header.model, self._chain, stopped, seconds)

    def _is_open(self, pair: Pair) -> bool:
        """Whether traces tell more: the answer, or the attack that an audit with a larger delta left out."""
        lacking = self._ledger.lacks(pair, TRACES, self._settings.pair_time_limit)
        return lacking or (self._settings.resume and self._ledger.lacks_attack(pair))

    def _opened_journal(self) -> Journal | None:
        path = self._settings.journal
        if path is None:
            return None
        if not self._settings.resume:
            journal = Journal.create(path, self._header)
        else:
            journal, entries = Journal.resume(path, self._header, self._entry_checker)
            for entry in entries:
                self._ledger.add(entry)
            for damage in journal.damage:
                self._warn(damage)
        self._stack.callback(journal.close)
        return journal

    def _groups(self, lacking: dict[tuple[str, ...], list[Pair]]) -> list[Task]:
        """Tasks for pairs that lack the same, all together or a few at a time."""
        tasks: list[Task] = []
        for quantities, pairs in lacking.items():
            most = len(pairs) if self._fits_one_table(pairs) else GROUP
            size = 1 if self._settings.resume else most
            while pairs:
                tasks.append(Task(quantities, tuple(pairs[:size])))
                pairs, size = pairs[size:], min(2 * size, most)
        return tasks

    def _fits_one_table(self, pairs: Iterable[Pair]) -> bool:
        reached = self._chain.reachable({self._chain.index(s) for pair in pairs for s in pair})
        counts = Counter(self._chain.labels[state] for state in reached)
        return sum(comb(n, 2) for n in counts.values()) <= ONE_TABLE

    def _round(self, tasks: list[Task]) -> None:
        there_before = len(self._relation) - sum(len(task.pairs) for task in tasks)
        self._found_done += there_before
        self._count(there_before)
        for outcome in self._outcomes(tasks):
            self._take(self._believable(outcome))
            if outcome.failure is not None:
                self._ledger.fail(outcome.task.pairs, outcome.failure)
                if "bd" in outcome.task.quantities and self._settings.distances:
                    unknown = [pair for pair in outcome.task.pairs if not self._ledger.knows("bd", pair)]
                    self._take(
                        [self._runner.bounds_without_search(pair, outcome.failure) for pair in unknown]
                    )
            self._count(len(outcome.task.pairs))

    def _take(self, entries: list[Entry]) -> None:
        """Count entries, and put them into the journal; stop where that cannot be written."""
        for entry in entries:
            self._ledger.add(entry)
        # what was cut short by a signal is an answer now, and is computed again by whoever resumes
        whole = [entry for entry in entries if entry.limit is None or not self._budget.stop.is_set()]
        if self._journal is None or not whole or self._budget.stop.reason == JOURNAL_FAILED:
            return
        try:
            self._journal.append(whole)
        except (OutputError, ParameterError) as error:
            self._warn(f"{error}; the audit stops here")
            self._budget.stop.reason = JOURNAL_FAILED
            self._budget.stop.set()

    def _outcomes(self, tasks: list[Task]) -> Iterator[Outcome]:
        waiting = deque(tasks)
        while waiting and not self._budget.exhausted():
            alone = self._jobs == 1 or len(waiting) == 1
            if not (self._works_here and (alone or time.monotonic() - self._began < LOCAL_SECONDS)):
                yield from self._started_workers().run(waiting)
                return
            yield from self._done_here(waiting.popleft())

    def _done_here(self, task: Task) -> Iterator[Outcome]:
        """Each entry of a task as it is made, and at last how the task went."""
        failure = None
        try:
            for entry in self._runner.entries(task, self._budget.stop):
                yield part_of(task, entry)
        except (MemoryError, BdistError) as error:
            failure = failure_of(error)
        yield Outcome(task, (), failure)

    def _started_workers(self) -> Pool | Cluster:
        """Helpers or a cluster for the round that is under way."""
        if self._workers is None:
            runner, settings = replace(self._runner, threads=1), self._settings
            if settings.cluster is not None:
                self._workers = Cluster(settings.cluster, runner, self._budget, settings.tls)
            else:
                self._workers = Pool(runner, self._jobs, self._budget, settings.memory_limit)
            self._stack.enter_context(self._workers)
        return self._workers

    def _believable(self, outcome: Outcome) -> list[Entry]:
        """The entries of an outcome; what a cluster sent is checked here first."""
        checked = []
        for entry in outcome.entries:
            try:
                checked.append(entry if isinstance(entry, Entry) else self._entry_checker.entry(entry))
            except BdistError as error:
                pairs = outcome.task.pairs
                listed = " and ".join(f"({named(s)}, {named(t)})" for s, t in pairs[:2])
                self._warn(f"the cluster's answer for {listed} does not hold: {error}")
                self._ledger.fail(pairs, "the cluster's answer did not withstand its check")
        return checked

    def _count(self, pairs: int) -> None:
        self._done += pairs
        if self._settings.watcher is None:
            return
        worked, left = self._done - self._found_done, None
        if worked:
            left = (time.monotonic() - self._began) * (self._steps - self._done) / worked
        settled = self._ledger.tally()
        self._settings.watcher(
            Progress(self._phase, self._done, self._steps, len(self._relation), *settled, left)
        )

    def _warn(self, message: str) -> None:
        if self._settings.warn is not None:
            self._settings.warn(message)

"""A study: the cells of a plan, measured one after the other or several at a time.

The cases of one size, or all instances, are a *batch*, and within it cells may be measured at the same time
(``jobs``). They then disturb each other: they share memory, caches and the clock of the processor. So a
report says how many there were, and one at a time is the default.

Nothing is dropped. A cell that runs into the limit is "not finished"; where no case of a size finished,
larger ones are "not tried"; a backend that is not installed has "failed". A case whose distance is not found
within the limit cannot be asked about, unless a threshold is given.

A certified answer that contradicts the exact distance, or another certified answer to the same question, is a
bug of ours, and ends the study with an internal error. A number of the naive loop contradicts nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol, TypeVar

from bdist.budget import Budget, Stopped
from bdist.cli.bench.cells import NOT_KNOWN, Case, Cell, Status
from bdist.cli.bench.plan import REFERENCE, Group, Instance, Member, Plan, Series
from bdist.cli.bench.workers import Crew, patience
from bdist.errors import BackendDied, BackendError, InternalError

_SMALLER_DID_NOT_FINISH = "smaller size did not finish"

Item = TypeVar("Item")
Made = TypeVar("Made")


class Keeper(Protocol):
    """Where cells are kept as they come."""

    def known(self, cell: Cell) -> Cell | None:
        """The cell as an earlier run has measured it, if it has."""
        ...

    def keep(self, cell: Cell) -> None:
        """Store a cell that was measured."""
        ...


@dataclass
class Study:
    """The cells of a plan that were measured, in order; ``interrupted`` if these are not all of ``total``.

    ``starts`` says in how many seconds a worker was warm, by column; ``reused`` is how many cells are from an
    earlier run.
    """

    plan: Plan
    cells: list[Cell]
    total: int
    interrupted: bool = False
    starts: Mapping[str, float] = field(default_factory=dict)
    reused: int = 0

    @property
    def groups(self) -> list[Group]:
        """What its cells are about, in order."""
        return list(dict.fromkeys(cell.case.origin.group for cell in self.cells))

    def lines(self, group: Group) -> dict[tuple[Case, str, Fraction | None], list[Cell]]:
        """The cells of a group, by case and question."""
        lines: dict[tuple[Case, str, Fraction | None], list[Cell]] = {}
        for cell in self.cells:
            if cell.case.origin.group == group:
                lines.setdefault((cell.case, cell.question, cell.theta), []).append(cell)
        return lines


Watcher = Callable[[int, int, str], None]  # cells done, of how many, and what is under way


def run_study(
    plan: Plan,
    user: Budget,
    watcher: Watcher | None = None,
    keeper: Keeper | None = None,
    crew: Crew | None = None,
) -> Study:
    """Measure the cells of a plan until all are done or ``user`` says stop.

    Raises: InternalError where answers contradict each other or the exact distance; as ``keeper``.
    """
    with ThreadPoolExecutor(plan.jobs) as pool:  # a worker ends with the thread that started it
        run = _Run(plan, user, watcher, keeper, crew or Crew(), pool)
        try:
            run.all()
        except Stopped:
            run.study.interrupted = True
        finally:
            run.crew.close()
    run.study.starts = run.crew.starts()
    return run.study


class _Run:
    """A study under way."""

    def __init__(
        self,
        plan: Plan,
        user: Budget,
        watcher: Watcher | None,
        keeper: Keeper | None,
        crew: Crew,
        pool: ThreadPoolExecutor,
    ) -> None:
        self.plan, self.user, self.crew, self._pool = plan, user, crew, pool
        self._watcher, self._keeper = watcher, keeper
        wanted = sum(self._wanted(series) for series, _ in plan.members())
        self.study = Study(plan, [], wanted + sum(map(plan.cells_of, plan.instances)))
        self._done = 0
        self._lock = threading.Lock()  # of what is counted, shown, kept and compared
        self._too_large: set[Series] = set()
        self._given_up: set[tuple[Group, str, str]] = set()
        self._truths: dict[tuple[Case, Fraction], tuple[str, Status]] = {}

    def all(self) -> None:
        """Measure everything. Raises: Stopped; InternalError."""
        if self.plan.instances:
            self._batch(self._in_parallel(self._settled, self.plan.instances))
        for series, size in self.plan.members():
            cases = self._settled_series(series, size)
            if all((case.reason or "").startswith(NOT_KNOWN) for case in cases):
                self._too_large.add(series)
            self.study.total += sum(self.plan.cells_of(x.origin) for x in cases) - self._wanted(series)
            cells = self._batch(cases)
            tried: dict[tuple[Group, str, str], set[Status]] = {}
            for cell in cells:
                tried.setdefault((series.group, cell.question, cell.backend), set()).add(cell.status)
            self._given_up |= {key for key, found in tried.items() if found == {Status.NOT_FINISHED}}

    def _wanted(self, series: Series) -> int:
        """How many cells a size of a series is, as far as that is known before."""
        seeds = self.plan.seeds if series.pair is None else 1
        return seeds * len(self.plan.questions) * len(self.plan.columns)

    def _settled_series(self, series: Series, size: int) -> tuple[Case, ...]:
        """The cases of a size. Raises: Stopped."""
        if series in self._too_large:
            return (Case(Member(series, size), reason=f"{NOT_KNOWN}: {_SMALLER_DID_NOT_FINISH}"),)
        self._tell(f"{series.title}, {series.size_name} {size}: exact distance")
        try:
            cases = self.crew.settle_series(series, size, self.plan.seeds, self.plan.limit, self.user)
        except (Stopped, BackendDied) as error:
            cases = (Case(Member(series, size), reason=self._no_distance(error)),)
        self.user.check()
        return cases

    def _settled(self, instance: Instance) -> Case:
        """An instance with its distance, if that is asked about. Raises: Stopped; BackendError."""
        blank = Case(instance, instance.pair, states=instance.states)
        if instance.theta is not None:
            return blank
        self._tell(f"{instance.title}: exact distance")
        try:
            case = self.crew.settle_instance(instance, self.plan.limit, self.user)
        except (Stopped, BackendDied) as error:
            case = replace(blank, reason=self._no_distance(error))
        self.user.check()
        return case

    def _no_distance(self, error: Exception) -> str:
        return f"{NOT_KNOWN}: {str(error) or f'not found in {patience(self.plan.limit):g} s'}"

    def _batch(self, cases: Iterable[Case]) -> list[Cell]:
        """Measure the cells of some cases. Raises: Stopped; InternalError."""
        blanks = list(self._blanks(cases))
        cells: list[Cell] = []
        try:
            self._in_parallel(self._cell, blanks, cells)
        finally:
            self.study.cells += _with_ratios(cells)
        return cells

    def _blanks(self, cases: Iterable[Case]) -> Iterator[Cell]:
        for case in cases:
            for question in self.plan.questions_about(case.origin):
                theta = case.origin.theta if isinstance(case.origin, Instance) else None
                if theta is None and case.value is not None:
                    theta = self.plan.theta(question, case.value)
                for backend in self.plan.columns:
                    yield Cell(case, question, theta, backend)

    def _cell(self, blank: Cell) -> Cell:
        """A cell, measured unless it is known or there is no hope. Raises: Stopped; InternalError."""
        self.user.check()
        known = None if self._keeper is None else self._keeper.known(blank)
        if known is not None:
            cell = known
        elif blank.theta is None:
            cell = replace(blank, reason=blank.case.reason)
        elif (blank.case.origin.group, blank.question, blank.backend) in self._given_up:
            cell = replace(blank, reason=_SMALLER_DID_NOT_FINISH)
        else:
            self._tell(f"{blank.case.origin.title}, {blank.question}: {blank.backend}")
            cell = self._measured(blank)
        with self._lock:
            self._compare(cell)
            if known is not None:
                self.study.reused += 1
            elif self._keeper is not None:
                self._keeper.keep(cell)
            self._done += 1
        return cell

    def _measured(self, blank: Cell) -> Cell:
        """The cell as its worker fills it in. Raises: Stopped."""
        try:
            cell = self.crew.decide(blank, self.plan.limit, self.user)
        except Stopped:
            self.user.check()
            reason = f"killed after {patience(self.plan.limit):g} s"
            return replace(blank, status=Status.NOT_FINISHED, reason=reason)
        except BackendError as error:
            return replace(blank, status=Status.FAILED, reason=str(error))
        self.user.check()  # what was cut short by the user is not a measurement
        return replace(cell, jobs=self.plan.jobs)

    def _compare(self, cell: Cell) -> None:
        """Raises: InternalError where an answer of ours is wrong, or two of them exclude each other."""
        title = cell.case.origin.title
        if cell.status is Status.BUG:
            raise InternalError(f"{cell.backend} in {title}: {cell.reason}")
        if not cell.status.certified or cell.theta is None:
            return
        truth = cell.backend, cell.status
        if cell.case.value is not None:
            is_below = cell.case.value <= cell.theta
            truth = "strategy iteration", Status.HOLDS if is_below else Status.VIOLATED
        who, right = self._truths.setdefault((cell.case, cell.theta), truth)
        if cell.status is not right:
            raise InternalError(
                f"{cell.backend} certified '{cell.status.value}' where {who} certified "
                f"'{right.value}': {title}, theta {cell.theta}"
            )

    def _in_parallel(
        self, work: Callable[[Item], Made], items: Iterable[Item], made: list[Made] | None = None
    ) -> list[Made]:
        """What the work makes of each item, in order; ``made`` has what was done also if something is raised.

        Raises: what the work raises; then the rest is not done.
        """
        found = [] if made is None else made
        futures = [self._pool.submit(work, item) for item in items]
        try:
            for future in futures:
                future.result()
        except BaseException as error:
            if not isinstance(error, Stopped):
                self.user.stop.set()  # the others are not wanted any more
            for future in futures:
                future.cancel()
            raise
        finally:
            wait(futures)
            found += [x.result() for x in futures if not x.cancelled() and x.exception() is None]
        return found

    def _tell(self, now: str) -> None:
        if self._watcher is not None:
            with self._lock:
                self._watcher(self._done, self.study.total, now)


def _with_ratios(cells: list[Cell]) -> list[Cell]:
    """The cells with the ratios of their times to that of the reference."""
    references = {(x.case, x.theta, x.question): x.seconds for x in cells if x.backend == REFERENCE}

    def ratio(cell: Cell) -> float | None:
        reference = references.get((cell.case, cell.theta, cell.question))
        if cell.seconds is None or reference is None:
            return None
        return cell.seconds / reference if reference else 1.0

    return [replace(cell, ratio=ratio(cell)) for cell in cells]

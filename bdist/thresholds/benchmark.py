"""The threshold backends against each other: LP, SAT, MILP and SMT on chains of growing size.

A *cell* is one backend's answer to one question, bd_alpha(s, t) <= theta, about one case. It runs in a
process of its own, so that it can be killed and its memory measured. The question is asked of the backend
alone: what an incomplete one can only hint at is not certified by another, and counts as unknown. theta is
the exact distance ("value", the hardest question: nothing but the best couplings prove it), a little more
("above"), or a little less ("below", which only complete backends can certify).

What is timed is the decision, from the chain to the evidence, without the start of the process and without
the check of the certificate, which is the same for all. A brief run is repeated and the shortest of three
counts; that also takes the loading of libraries out of the account. What cannot be taken out is that MILP,
SMT and CNF solvers are started in processes of their own, a few tenths of a second a call; the report says
how long an empty one takes. Times mean something only beside others of the same run: strategy iteration is
always measured, first, and every time is also given as a ratio to it.

*What is asked about.* A series is a family with everything fixed but one number, its size. Three families are
used, chosen for what they stress. The dining cryptographers are what the paper is about: layered, acyclic,
many pairs, and the bias of the coins decides whether the couplings are nearly balanced (49/100, where
distances are tiny) or far from it (1/3). Random chains have cycles, so that their distances are solutions of
linear systems with large denominators; several seeds show how much instances of one size differ. Repeated
randomised response is the easy end: a formula that grows without becoming difficult. A size becomes *cases*
in a process of its own (`settle`), since the thresholds to ask are relative to the exact distance and that
costs a run of strategy iteration. In a random chain the pair is the first one, in the order of the states,
with the same label and a distance strictly between 0 and 1; a seed whose chain has none is passed over.
Nothing of this depends on the clock, except that a distance which is not found within the limit is left
unknown, and its case cannot be asked about.

Nothing is dropped. A cell that runs into the limit is "not finished"; where no case of a size finished,
larger ones are "not tried"; a backend that is not installed has "failed". A certified answer that contradicts
the exact distance is a bug of ours, and ends the run with an internal error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType

from bdist.budget import Budget, Stopped
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import FAMILIES, make_family
from bdist.distances.compute import Settings, Skew, compute_distance
from bdist.errors import BackendDied, BackendError, InternalError, ParameterError
from bdist.family import Value
from bdist.processes import call, peak_memory
from bdist.results import Answer, Statistics, Verdict
from bdist.text.scanner import suggestion
from bdist.thresholds.decide import BACKENDS, backend_named, decide_threshold

REFERENCE = "strategy"
QUESTIONS = ("above", "value", "below")
DEFAULT_QUESTIONS = ("above", "value")
DEFAULT_STEP = Fraction(1, 64)
DEFAULT_LIMIT = 10.0
DEFAULT_SEEDS = 3
NOT_KNOWN = "the exact distance is not known"
_SEEDS_TRIED = 20  # for each one that is wanted
_MOST_RUNS = 3  # of a decision that takes less than this:
_BRIEF_SECONDS = 0.5
_SMALLER_DID_NOT_FINISH = "smaller size did not finish"


@dataclass(frozen=True)
class Series:
    """A family with everything fixed but its size; without a ``pair`` there are several seeds a size."""

    family: str
    title: str
    size_name: str
    sizes: tuple[int, ...]
    fixed: tuple[tuple[str, Value], ...]
    alpha: Fraction
    pair: tuple[str, str] | None = None

    def values(self, size: int, seed: int | None = None) -> dict[str, Value]:
        """The parameters of a member. A random chain cannot have more labels or targets than states."""
        values: dict[str, Value] = {self.size_name: size, **dict(self.fixed)}
        if seed is None:
            return values
        small = {name: min(size, x) for name, x in values.items() if isinstance(x, int)}
        return {**values, **small, "seed": seed}

    def check(self, size: int) -> None:
        """Raises: ParameterError where there is no member of that size."""
        parameter = next(p for p in FAMILIES[self.family].parameters if p.name == self.size_name)
        parameter.read(size)


@dataclass(frozen=True)
class Case:
    """A member of a series and a pair of its states.

    ``value`` is its exact distance, or None where it is not known, for the ``reason``.
    """

    series: Series
    size: int
    seed: int | None = None
    pair: tuple[str, str] | None = None
    value: Fraction | None = None
    states: int | None = None
    pairs: int | None = None
    reason: str | None = None

    @property
    def label(self) -> str:
        """The size and, where there are several of that size, which one."""
        return str(self.size) if self.seed is None else f"{self.size}, seed {self.seed}"

    @property
    def not_known(self) -> bool:
        """Whether the distance was too costly to find."""
        return self.reason is not None and self.reason.startswith(NOT_KNOWN)

    def chain(self) -> LabelledMarkovChain:
        """Make the chain."""
        return make_family(self.series.family, self.series.values(self.size, self.seed))


@dataclass(frozen=True)
class Draft:
    """A size of a series that is to become cases; ``limit`` in seconds for each."""

    series: Series
    size: int
    seeds: int
    limit: float


def settle(draft: Draft) -> tuple[Case, ...]:
    """The cases of a size, with their exact distances. Called in a process of its own."""
    if draft.series.pair is not None:
        return (_valued(Case(draft.series, draft.size, None, draft.series.pair), Budget(draft.limit)),)
    found: list[Case] = []
    for seed in range(1, _SEEDS_TRIED * draft.seeds + 1):
        case = _with_first_pair(Case(draft.series, draft.size, seed), Budget(draft.limit))
        if case is not None:
            found.append(case)
        if len(found) == draft.seeds:
            break
    nothing = "no seed has two states with the same label and a distance strictly between 0 and 1"
    return tuple(found) or (Case(draft.series, draft.size, reason=nothing),)


def _with_first_pair(case: Case, budget: Budget) -> Case | None:
    for pair in _same_label(case.chain()):
        valued = _valued(replace(case, pair=pair), budget)
        if valued.value is None or 0 < valued.value < 1:
            return valued
    return None


def _same_label(chain: LabelledMarkovChain) -> Iterator[tuple[str, str]]:
    for i, j in combinations(range(len(chain)), 2):
        if chain.labels[i] == chain.labels[j]:
            yield chain.states[i], chain.states[j]


def _valued(case: Case, budget: Budget) -> Case:
    chain, pair = case.chain(), case.pair
    if pair is None:
        raise ParameterError("a case without a pair has no value")
    found = compute_distance(chain, pair, Skew(case.series.alpha), "bd", Settings(budget=budget))
    case = replace(case, states=len(chain), pairs=int(found.stats["pairs"]))
    if found.limit is not None:
        return replace(case, reason=f"{NOT_KNOWN}: {found.limit}")
    return replace(case, value=found.value)


def _dining(bias: Fraction, alpha: Fraction) -> Series:
    title = f"dining cryptographers, bias {bias}"
    fixed: tuple[tuple[str, Value], ...] = (("bias", bias),)
    return Series("dining-cryptographers", title, "diners", (2, 3), fixed, alpha, ("s0", "s1"))


SERIES: Mapping[str, tuple[Series, ...]] = MappingProxyType(
    {
        "randomised-response": (
            Series(
                "randomised-response",
                "randomised response",
                "questions",
                (1, 2, 4, 8),
                (("truth", Fraction(3, 4)),),
                Fraction(3, 2),
                ("yes", "no"),
            ),
        ),
        "random": (
            Series(
                "random",
                "random chains, 2 labels, degree 3",
                "states",
                (4, 6, 8),
                (("labels", 2), ("degree", 3)),
                Fraction(11, 10),
            ),
        ),
        "dining-cryptographers": (
            _dining(Fraction(49, 100), Fraction(5001, 5000)),
            _dining(Fraction(1, 3), Fraction(11, 10)),
        ),
    }
)


def series_of(family: str) -> tuple[Series, ...]:
    """The series of a family. Raises: ParameterError with the families there are."""
    if family not in SERIES:
        raise ParameterError(f"the benchmark has no family '{family}'; {suggestion(family, SERIES)}")
    return SERIES[family]


class Status(Enum):
    """How a cell ended."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"
    NOT_FINISHED = "not finished"
    FAILED = "failed"
    NOT_TRIED = "not tried"

    @property
    def certified(self) -> bool:
        """Whether this is an answer with a checked certificate."""
        return self in (Status.HOLDS, Status.VIOLATED)

    @property
    def timed(self) -> bool:
        """Whether the backend came to an end by itself, with an answer or without."""
        return self.certified or self is Status.UNKNOWN


@dataclass(frozen=True)
class Task:
    """What the process of a cell is told."""

    case: Case
    theta: Fraction
    backend: str
    limit: float


@dataclass(frozen=True)
class Outcome:
    """What the process of a cell tells."""

    status: Status
    seconds: float | None = None
    runs: int = 0
    stats: Statistics = field(default_factory=dict)
    peak_memory: int | None = None
    reason: str | None = None
    internal_error: bool = False


def decide_cell(task: Task) -> Outcome:
    """Decide the threshold of a task by its backend alone. Called in a process of its own."""
    try:
        chain, pair = task.case.chain(), task.case.pair or ("", "")
        skew = Skew(task.case.series.alpha)
        best = Outcome(Status.UNKNOWN)
        for run in range(1, _MOST_RUNS + 1):
            budget = Budget(task.limit)
            verdict = decide_threshold(
                chain, pair, skew, task.theta, task.backend, budget, options=None, confirm=False
            )
            outcome = _outcome(verdict, task.limit)
            best = replace(_quicker(best, outcome), runs=run)
            if outcome.seconds is None or outcome.seconds > _BRIEF_SECONDS:
                break
    except InternalError as error:
        return Outcome(Status.FAILED, reason=str(error), internal_error=True)
    except (BackendError, ImportError) as error:
        return Outcome(Status.FAILED, reason=_last_words(error))
    return replace(best, peak_memory=peak_memory())


def _quicker(best: Outcome, outcome: Outcome) -> Outcome:
    if outcome.seconds is None:
        return best if best.runs else outcome
    return outcome if best.seconds is None or outcome.seconds < best.seconds else best


def _outcome(verdict: Verdict, limit: float) -> Outcome:
    seconds = float(verdict.stats["seconds"])
    if seconds >= limit:
        return Outcome(Status.NOT_FINISHED, reason=f"time limit of {limit:g} s reached", stats=verdict.stats)
    status = {
        Answer.HOLDS: Status.HOLDS,
        Answer.VIOLATED: Status.VIOLATED,
        Answer.UNKNOWN: Status.UNKNOWN,
    }[verdict.answer]
    return Outcome(status, seconds, 1, verdict.stats, reason=verdict.reason)


def _last_words(error: Exception) -> str:
    """The message of an error; of one that crossed a process, without the way that it came."""
    return str(error).rpartition("bdist.errors.BackendError: ")[2]


@dataclass(frozen=True)
class Plan:
    """What to measure; ``limit`` is in seconds a cell, ``step`` how far above and below the exact distance.

    ``sizes`` are those of a family, where they are not its usual ones.
    """

    families: tuple[str, ...] = tuple(SERIES)
    backends: tuple[str, ...] = tuple(BACKENDS)
    questions: tuple[str, ...] = DEFAULT_QUESTIONS
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    seeds: int = DEFAULT_SEEDS
    limit: float = DEFAULT_LIMIT
    step: Fraction = DEFAULT_STEP

    def __post_init__(self) -> None:
        for name in self.backends:
            backend_named(name)
        for question in self.questions:
            if question not in QUESTIONS:
                raise ParameterError(f"there is no question '{question}'; choose {', '.join(QUESTIONS)}")
        if not 0 < self.limit < float("inf"):
            raise ParameterError(f"the time limit {self.limit:g} must be a positive number of seconds")
        if not 0 < self.step < 1:
            raise ParameterError(f"the step {self.step} must be strictly between 0 and 1")
        if self.seeds < 1:
            raise ParameterError(f"the number of seeds is {self.seeds}; it must be at least 1")
        for series, size in self.members():
            series.check(size)

    def members(self) -> Iterator[tuple[Series, int]]:
        """The series of the plan with their sizes, in increasing order."""
        for family in self.families:
            for series in series_of(family):
                for size in sorted(set(self.sizes.get(family, series.sizes))):
                    yield series, size

    @property
    def columns(self) -> tuple[str, ...]:
        """The backends in the order in which they are asked; the reference is always there and first."""
        return REFERENCE, *(name for name in dict.fromkeys(self.backends) if name != REFERENCE)

    @property
    def total(self) -> int:
        """How many cells there are to be, if every size has as many cases as are wanted."""
        cases = sum(self.seeds if series.pair is None else 1 for series, _ in self.members())
        return cases * len(self.questions) * len(self.columns)


@dataclass(frozen=True)
class Cell:
    """One backend's answer to one question about one case, and what it cost.

    ``seconds`` is missing where the backend did not come to an end; ``ratio`` is to the reference, in the
    same case and question; ``peak_memory`` in bytes is that of the largest process.
    """

    case: Case
    question: str
    theta: Fraction | None
    backend: str
    status: Status
    seconds: float | None = None
    ratio: float | None = None
    runs: int = 0
    stats: Statistics = field(default_factory=dict)
    peak_memory: int | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Study:
    """The cells of a plan that were measured, in order; ``interrupted`` if these are not all."""

    plan: Plan
    cells: tuple[Cell, ...]
    total: int
    interrupted: bool


@dataclass(frozen=True)
class Tick:
    """Progress: cells done, of how many, and what is under way."""

    done: int
    total: int
    now: str


Watcher = Callable[[Tick], None]


def run_study(plan: Plan, user: Budget, watcher: Watcher | None = None) -> Study:
    """Measure the cells of a plan, one after the other, until all are done or ``user`` says stop.

    Raises: InternalError where an answer contradicts the exact distance.
    """
    work = _Work(plan, user, watcher)
    try:
        work.run()
    except Stopped:
        return Study(plan, tuple(work.cells), work.total, interrupted=True)
    return Study(plan, tuple(work.cells), work.total, interrupted=False)


def theta_of(question: str, value: Fraction, step: Fraction) -> Fraction:
    """The threshold of a question about a distance; never as far as 0 or 1, if the distance is neither."""
    if question == "above":
        return value + min(step, (1 - value) / 2)
    if question == "below":
        return value - min(step, value / 2)
    return value


class _Work:
    """A study under way."""

    def __init__(self, plan: Plan, user: Budget, watcher: Watcher | None) -> None:
        self.cells: list[Cell] = []
        self.total = plan.total
        self._plan, self._user, self._watcher = plan, user, watcher
        self._too_large: set[Series] = set()
        self._given_up: set[tuple[Series, str, str]] = set()

    def run(self) -> None:
        for series, size in self._plan.members():
            cases = self._settle(series, size)
            wanted = self._plan.seeds if series.pair is None else 1
            self.total -= (wanted - len(cases)) * len(self._plan.questions) * len(self._plan.columns)
            first = len(self.cells)
            for case in cases:
                for question in self._plan.questions:
                    self._ask(case, question)
            self._give_up(self.cells[first:])

    def _settle(self, series: Series, size: int) -> tuple[Case, ...]:
        if series in self._too_large:
            return (Case(series, size, reason=f"{NOT_KNOWN}: {_SMALLER_DID_NOT_FINISH}"),)
        self._tell(f"{series.title}, {series.size_name} {size}")
        limit, seeds = self._plan.limit, self._plan.seeds
        draft = Draft(series, size, seeds, limit)
        patience = Budget(_patience(limit) * seeds, self._user.stop)
        try:
            cases = call(settle, draft, patience).result
        except (Stopped, BackendDied) as error:
            why = str(error) or f"not found in {patience.seconds:g} s"
            cases = (Case(series, size, reason=f"{NOT_KNOWN}: {why}"),)
        self._user.check()
        if all(case.not_known for case in cases):
            self._too_large.add(series)
        return cases

    def _ask(self, case: Case, question: str) -> None:
        theta = None if case.value is None else theta_of(question, case.value, self._plan.step)
        reference: float | None = None
        for backend in self._plan.columns:
            self._tell(f"{case.series.title}, {case.series.size_name} {case.label}, {question}: {backend}")
            cell = self._cell(Cell(case, question, theta, backend, Status.NOT_TRIED))
            _check_consistency(cell)
            if backend == REFERENCE:
                reference = cell.seconds
            if cell.seconds is not None and reference is not None:
                cell = replace(cell, ratio=cell.seconds / reference if reference else 1.0)
            self.cells.append(cell)

    def _cell(self, blank: Cell) -> Cell:
        if blank.theta is None:
            return replace(blank, reason=blank.case.reason)
        if (blank.case.series, blank.question, blank.backend) in self._given_up:
            return replace(blank, reason=_SMALLER_DID_NOT_FINISH)
        limit = self._plan.limit
        task = Task(blank.case, blank.theta, blank.backend, limit)
        patience = Budget(_patience(limit), self._user.stop)
        try:
            reply = call(decide_cell, task, patience)
        except Stopped:
            self._user.check()
            return replace(blank, status=Status.NOT_FINISHED, reason=f"killed after {patience.seconds:g} s")
        except BackendError as error:
            return replace(blank, status=Status.FAILED, reason=str(error))
        self._user.check()  # what was cut short by the user is not a measurement
        outcome = reply.result
        if outcome.internal_error:
            raise InternalError(f"{blank.backend} in {blank.case.series.title}: {outcome.reason}")
        return replace(
            blank,
            status=outcome.status,
            seconds=outcome.seconds,
            runs=outcome.runs,
            stats=outcome.stats,
            peak_memory=outcome.peak_memory or reply.peak_memory,
            reason=outcome.reason,
        )

    def _give_up(self, of_one_size: list[Cell]) -> None:
        """Where a backend was tried and finished no case of a size, larger ones are not tried."""
        tried: dict[tuple[Series, str, str], set[Status]] = {}
        for cell in of_one_size:
            key = cell.case.series, cell.question, cell.backend
            tried.setdefault(key, set()).add(cell.status)
        self._given_up |= {key for key, found in tried.items() if found == {Status.NOT_FINISHED}}

    def _tell(self, now: str) -> None:
        if self._watcher is not None:
            self._watcher(Tick(len(self.cells), self.total, now))


def _patience(limit: float) -> float:
    """When the process of a cell is killed: it also starts, makes the chain and has its certificate checked,
    which for a large one takes as long as to find it.
    """
    return 3 * limit + 20


def _check_consistency(cell: Cell) -> None:
    if cell.theta is None or cell.case.value is None or not cell.status.certified:
        return
    truth = Status.HOLDS if cell.case.value <= cell.theta else Status.VIOLATED
    if cell.status is not truth:
        raise InternalError(
            f"{cell.backend} certified '{cell.status.value}' where strategy iteration certified "
            f"'{truth.value}': {cell.case.series.title}, {cell.case.series.size_name} {cell.case.label}, "
            f"theta {cell.theta}"
        )

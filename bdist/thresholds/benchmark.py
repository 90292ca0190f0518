"""The threshold backends against each other: LP, SAT, MILP and SMT on chains of growing size.

A *cell* is one backend's answer to one question, bd_alpha(s, t) <= theta, about one case, in a process of its
own, so that it can be killed and its memory measured. The backend is asked alone: what an incomplete one can
only hint at counts as unknown. theta is the exact distance ("value", the hardest question: nothing but the
best couplings prove it), a little more ("above"), or a little less ("below").

Timed is the decision, from the chain to the evidence, without the start of the process and the check of the
certificate. A brief run is repeated and the shortest of three counts, which leaves out the loading of
libraries, but not the start of the processes of MILP, SMT and CNF solvers; the report says how long an empty
one takes. Times mean something only beside others of the same run: strategy iteration is always measured,
first, and every time is also given as a ratio to it.

A *series* is a family with everything fixed but its size. The dining cryptographers are what the paper is
about: layered, acyclic, many pairs, with couplings that the bias makes nearly balanced (49/100) or not (1/3).
Random chains have cycles, so that their distances have large denominators; several seeds show how much
instances of one size differ. Repeated randomised response is the easy end. A size becomes *cases* in a
process of its own (`settle`), as thresholds are relative to the exact distance. In a random chain the pair is
the first one with the same label and a distance strictly between 0 and 1; a seed that has none is passed
over. A case whose distance is not found within the limit cannot be asked about.

Nothing is dropped. A cell that runs into the limit is "not finished"; where no case of a size finished,
larger ones are "not tried"; a backend that is not installed has "failed". A certified answer that contradicts
the exact distance is a bug of ours, and ends the run with an internal error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from itertools import combinations, islice, product
from types import MappingProxyType

from bdist.budget import Budget, Stopped
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import FAMILIES, make_family
from bdist.distances.compute import Settings, Skew, compute_distance
from bdist.errors import BackendDied, BackendError, InternalError, ParameterError
from bdist.family import Value
from bdist.processes import call, peak_memory
from bdist.results import Statistics
from bdist.text.scanner import suggestion
from bdist.thresholds.decide import BACKENDS, backend_named, decide_threshold

REFERENCE = "strategy"
QUESTIONS = ("above", "value", "below")
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


_RESPONSE = Series(
    *("randomised-response", "randomised response", "questions", (1, 2, 4, 8)),
    fixed=(("truth", Fraction(3, 4)),),
    alpha=Fraction(3, 2),
    pair=("yes", "no"),
)
_RANDOM = Series(
    *("random", "random chains, 2 labels, degree 3", "states", (4, 6, 8)),
    fixed=(("labels", 2), ("degree", 3)),
    alpha=Fraction(11, 10),
)
_DINING = tuple(
    Series(
        *("dining-cryptographers", f"dining cryptographers, bias {bias}", "diners", (2, 3)),
        fixed=(("bias", bias),),
        alpha=alpha,
        pair=("s0", "s1"),
    )
    for bias, alpha in ((Fraction(49, 100), Fraction(5001, 5000)), (Fraction(1, 3), Fraction(11, 10)))
)
SERIES: Mapping[str, tuple[Series, ...]] = MappingProxyType(
    {series[0].family: series for series in ((_RESPONSE,), (_RANDOM,), _DINING)}
)


@dataclass(frozen=True)
class Plan:
    """What to measure; ``limit`` is in seconds a cell, ``step`` how far above and below the exact distance.

    ``sizes`` are those of a family, where they are not its usual ones.
    Raises: ParameterError.
    """

    families: tuple[str, ...] = tuple(SERIES)
    backends: tuple[str, ...] = tuple(BACKENDS)
    questions: tuple[str, ...] = ("above", "value")
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    seeds: int = 3
    limit: float = 10.0
    step: Fraction = Fraction(1, 64)

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
        for family in self.families:
            if family not in SERIES:
                raise ParameterError(f"the benchmark has no family '{family}'; {suggestion(family, SERIES)}")
        for series, size in self.members():
            series.check(size)

    def members(self) -> Iterator[tuple[Series, int]]:
        """The series of the plan with their sizes, in increasing order."""
        for family in self.families:
            for series in SERIES[family]:
                for size in sorted(set(self.sizes.get(family, series.sizes))):
                    yield series, size

    @property
    def columns(self) -> tuple[str, ...]:
        """The backends in the order in which they are asked; the reference is always there and first."""
        return REFERENCE, *(name for name in dict.fromkeys(self.backends) if name != REFERENCE)

    def cells_of(self, series: Series, cases: int | None = None) -> int:
        """How many cells that many cases of a series are, by default as many as are wanted of a size."""
        wanted = self.seeds if series.pair is None else 1
        return (wanted if cases is None else cases) * len(self.questions) * len(self.columns)

    def theta(self, question: str, value: Fraction) -> Fraction:
        """The threshold of a question; never as far as 0 or 1, if the distance is neither."""
        away = {
            "above": min(self.step, (1 - value) / 2),
            "value": Fraction(0),
            "below": -min(self.step, value / 2),
        }
        return value + away[question]


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
    def title(self) -> str:
        """Which case it is, in words."""
        seed = "" if self.seed is None else f", seed {self.seed}"
        return f"{self.series.title}, {self.series.size_name} {self.size}{seed}"

    def chain(self) -> LabelledMarkovChain:
        """Make the chain."""
        return make_family(self.series.family, self.series.values(self.size, self.seed))


def settle(draft: tuple[Series, int, int, float]) -> tuple[Case, ...]:
    """The cases of a size, with their exact distances. Called in a process of its own.

    The draft is the series, the size, how many seeds are wanted, and the seconds for each.
    """
    series, size, seeds, limit = draft
    if series.pair is not None:
        return (_valued(Case(series, size), series.pair, Budget(limit)),)
    found: list[Case] = []
    for seed in range(1, _SEEDS_TRIED * seeds + 1):
        case, budget = Case(series, size, seed), Budget(limit)
        chain = case.chain()
        alike = ((s, t) for s, t in combinations(chain.states, 2) if chain.label(s) == chain.label(t))
        valued = (_valued(case, pair, budget) for pair in alike)
        found += islice((x for x in valued if x.value is None or 0 < x.value < 1), 1)
        if len(found) == seeds:
            break
    nothing = "no seed has two states with the same label and a distance strictly between 0 and 1"
    return tuple(found) or (Case(series, size, reason=nothing),)


def _valued(case: Case, pair: tuple[str, str], budget: Budget) -> Case:
    chain = case.chain()
    found = compute_distance(chain, pair, Skew(case.series.alpha), "bd", Settings(budget=budget))
    case = replace(case, pair=pair, states=len(chain), pairs=int(found.stats["pairs"]))
    if found.limit is not None:
        return replace(case, reason=f"{NOT_KNOWN}: {found.limit}")
    return replace(case, value=found.value)


class Status(Enum):
    """How a cell ended."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"
    NOT_FINISHED = "not finished"
    FAILED = "failed"
    NOT_TRIED = "not tried"
    BUG = "bug"  # a certificate of ours was rejected; no study has such a cell

    @property
    def certified(self) -> bool:
        """Whether this is an answer with a checked certificate."""
        return self in (Status.HOLDS, Status.VIOLATED)


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
    status: Status = Status.NOT_TRIED
    seconds: float | None = None
    ratio: float | None = None
    runs: int = 0
    stats: Statistics = field(default_factory=dict)
    peak_memory: int | None = None
    reason: str | None = None


def decide_cell(task: tuple[Cell, float]) -> Cell:
    """Decide the threshold of a cell by its backend alone, within so many seconds.

    Called in a process of its own. Requires: the cell has a pair and a threshold.
    """
    blank, limit = task
    runs: list[Cell] = []
    try:
        chain, skew = blank.case.chain(), Skew(blank.case.series.alpha)
        question = (blank.case.pair or ("", ""), skew, blank.theta or Fraction(0), blank.backend)
        while len(runs) < _MOST_RUNS:
            verdict = decide_threshold(chain, *question, Budget(limit), confirm=False)
            seconds = float(verdict.stats["seconds"])
            status, reason = Status(verdict.answer.value), verdict.reason
            if seconds >= limit:
                status, reason = Status.NOT_FINISHED, f"time limit of {limit:g} s reached"
            runs.append(replace(blank, status=status, seconds=seconds, stats=verdict.stats, reason=reason))
            if seconds > _BRIEF_SECONDS or seconds >= limit:
                break
    except InternalError as error:
        return replace(blank, status=Status.BUG, reason=str(error))
    except (BackendError, ImportError) as error:
        # of an error that crossed a process, without the way that it came
        last_words = str(error).rpartition("bdist.errors.BackendError: ")[2]
        return replace(blank, status=Status.FAILED, reason=last_words)
    best = min(runs, key=lambda run: run.seconds or 0.0)
    seconds_taken = None if best.status is Status.NOT_FINISHED else best.seconds
    return replace(best, seconds=seconds_taken, runs=len(runs), peak_memory=peak_memory())


@dataclass
class Study:
    """The cells of a plan that were measured, in order; ``interrupted`` if these are not all of ``total``."""

    plan: Plan
    cells: list[Cell]
    total: int
    interrupted: bool = False


Watcher = Callable[[int, int, str], None]  # cells done, of how many, and what is under way


def run_study(plan: Plan, user: Budget, watcher: Watcher | None = None) -> Study:
    """Measure the cells of a plan, one after the other, until all are done or ``user`` says stop.

    Raises: InternalError where an answer contradicts the exact distance.
    """
    study = Study(plan, [], sum(plan.cells_of(series) for series, _ in plan.members()))
    too_large: set[Series] = set()
    given_up: set[tuple[Series, str, str]] = set()

    def tell(now: str) -> None:
        if watcher is not None:
            watcher(len(study.cells), study.total, now)

    def measure(case: Case, question: str) -> Iterator[Cell]:
        """The cells of one line; each is measured unless there is no hope."""
        theta = None if case.value is None else plan.theta(question, case.value)
        reference: float | None = None
        for backend in plan.columns:
            tell(f"{case.title}, {question}: {backend}")
            cell = Cell(case, question, theta, backend)
            if theta is None:
                cell = replace(cell, reason=case.reason)
            elif (case.series, question, backend) in given_up:
                cell = replace(cell, reason=_SMALLER_DID_NOT_FINISH)
            else:
                cell = _measured(cell, plan.limit, user)
            if backend == REFERENCE:
                reference = cell.seconds
            if cell.seconds is not None and reference is not None:
                cell = replace(cell, ratio=cell.seconds / reference if reference else 1.0)
            yield cell

    try:
        for series, size in plan.members():
            if series in too_large:
                cases: tuple[Case, ...] = (
                    Case(series, size, reason=f"{NOT_KNOWN}: {_SMALLER_DID_NOT_FINISH}"),
                )
            else:
                tell(f"{series.title}, {series.size_name} {size}")
                cases = _settled(plan, series, size, user)
            if all((case.reason or "").startswith(NOT_KNOWN) for case in cases):
                too_large.add(series)
            study.total += plan.cells_of(series, len(cases)) - plan.cells_of(series)
            tried: dict[tuple[Series, str, str], set[Status]] = {}
            for case, question in product(cases, plan.questions):
                for cell in measure(case, question):
                    study.cells.append(cell)
                    tried.setdefault((series, question, cell.backend), set()).add(cell.status)
            given_up |= {key for key, found in tried.items() if found == {Status.NOT_FINISHED}}
    except Stopped:
        study.interrupted = True
    return study


def _settled(plan: Plan, series: Series, size: int, user: Budget) -> tuple[Case, ...]:
    """The cases of a size. Raises: Stopped."""
    patience = Budget(_patience(plan.limit) * plan.seeds, user.stop)
    try:
        cases = call(settle, (series, size, plan.seeds, plan.limit), patience).result
    except (Stopped, BackendDied) as error:
        why = str(error) or f"not found in {patience.seconds:g} s"
        cases = (Case(series, size, reason=f"{NOT_KNOWN}: {why}"),)
    user.check()
    return cases


def _measured(blank: Cell, limit: float, user: Budget) -> Cell:
    """The cell as its process fills it in. Raises: Stopped; InternalError where its answer is wrong."""
    patience = Budget(_patience(limit), user.stop)
    try:
        reply = call(decide_cell, (blank, limit), patience)
    except Stopped:
        user.check()
        return replace(blank, status=Status.NOT_FINISHED, reason=f"killed after {patience.seconds:g} s")
    except BackendError as error:
        return replace(blank, status=Status.FAILED, reason=str(error))
    user.check()  # what was cut short by the user is not a measurement
    cell = reply.result
    if cell.status is Status.BUG:
        raise InternalError(f"{cell.backend} in {cell.case.series.title}: {cell.reason}")
    if cell.status.certified and cell.theta is not None and cell.case.value is not None:
        truth = Status.HOLDS if cell.case.value <= cell.theta else Status.VIOLATED
        if cell.status is not truth:
            raise InternalError(
                f"{cell.backend} certified '{cell.status.value}' where strategy iteration certified "
                f"'{truth.value}': {cell.case.title}, theta {cell.theta}"
            )
    return replace(cell, peak_memory=cell.peak_memory or reply.peak_memory)


def _patience(limit: float) -> float:
    """When the process of a cell is killed: it also starts, makes the chain and has its certificate checked,
    which for a large one takes as long as to find it.
    """
    return 3 * limit + 20

"""``bdist bench``: threshold backends, LP, SAT, MILP and SMT, against each other on chains of growing size.

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

The table has a line for each case and question and a column for each backend, with its time and the ratio to
strategy iteration in the same line. A question mark says that the backend came to an end without a certified
answer, a "greater than" that it did not come to an end. Reasons are listed once, below.

Seconds are worth little without the machine and the versions of the solvers, so these are always there. The
machine is described by what decides speed; its name and its paths are nobody's business.

The figure shows time against size, a panel for each series and question, a line for each backend, both what
was measured and what was not. A filled marker is a certified answer, a cross an end without one, and an open
marker on the dashed line a cell that was still running at the limit; cells that were not tried have no
marker, and the line ends. Where there are several instances of a size, each has its marker and the line goes
through their (upper) medians. The colours are those of Okabe and Ito (2008), which most colour-blind readers
can tell apart, and each backend also has a marker of its own.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations, islice, product
from pathlib import Path
from statistics import median_high
from textwrap import wrap
from types import MappingProxyType
from typing import TYPE_CHECKING

from bdist.budget import Budget, Stopped
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.drawings.plots import check_plot_path, own_style, store_figure
from bdist.chains.families import FAMILIES, make_family
from bdist.cli.terminal import Json, interruptible, option, print_report, status_line
from bdist.cli.terminal import csv_text as text_of_rows
from bdist.distances.compute import Settings, Skew, compute_distance
from bdist.errors import BackendDied, BackendError, InternalError, ParameterError
from bdist.exact.rationals import as_rational, rational_text
from bdist.family import Value
from bdist.processes import call, peak_memory
from bdist.report import LIMIT_REACHED, Report
from bdist.results import Statistics
from bdist.text.files import write_text
from bdist.text.scanner import suggestion
from bdist.thresholds.decide import BACKENDS, backend_named, decide_threshold

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "bench"
HELP = "Compare the backends of 'bdist threshold' (LP, SAT, MILP, SMT) on families of growing size."
EXAMPLE = "Example: bdist bench --family random --sizes 4-6 --time-limit 5 --plot random.svg"

_MOST_SIZES = 1000
_PACKAGES = ("bdist", "python-flint", "highspy", "PuLP", "python-sat", "z3-solver", "numpy")
_WIDTH = 16  # of a backend's column
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_ASKED = {"above": "θ above the distance", "value": "θ = the distance", "below": "θ below the distance"}
_APART = 0.018  # between the markers of neighbouring backends, as a part of the axis
REFERENCE = "strategy"
QUESTIONS = ("above", "value", "below")
NOT_KNOWN = "the exact distance is not known"
_SEEDS_TRIED = 20  # for each one that is wanted
_MOST_RUNS = 3  # of a decision that takes less than this:
_BRIEF_SECONDS = 0.5
_SMALLER_DID_NOT_FINISH = "smaller size did not finish"


# --- the study ---


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


# --- the command ---


def command(
    family: list[str] | None = option(
        "NAME", f"A family ({', '.join(SERIES)}); may be repeated; all by default."
    ),
    backend: list[str] | None = option(
        "NAME",
        f"A backend ({', '.join(BACKENDS)}); may be repeated; all by default. {REFERENCE} is always "
        "measured, because times are shown relative to it.",
    ),
    at: list[str] | None = option(
        "|".join(QUESTIONS),
        "The threshold: the exact distance, or a little above or below it; may be repeated; "
        f"{' and '.join(Plan.questions)} by default.",
    ),
    step: str = option(
        "Q", "With --at above or below: how far from the exact distance.", default=str(Plan.step)
    ),
    sizes: str | None = option(
        "LIST", "Sizes in place of the usual ones, such as 2-4 or 4,6,8: diners, states, questions."
    ),
    seeds: int = option(None, "How many random chains of each size.", min=1, default=Plan.seeds),
    cell_limit: float = option("SECONDS", "For each backend and question.", default=Plan.limit),
    csv: Path | None = option("FILE", "Write the cells there as CSV."),
    plot: Path | None = option("FILE", "Draw time against size there (.png or .svg)."),
    json: Json = False,
) -> None:
    """Read the arguments, measure, print."""
    families = tuple(dict.fromkeys(family)) if family else Plan.families
    plan = Plan(
        families,
        tuple(backend) if backend else Plan.backends,
        tuple(dict.fromkeys(at)) if at else Plan.questions,
        dict.fromkeys(families, read_sizes(sizes)) if sizes is not None else {},
        seeds,
        cell_limit,
        as_rational(step, "--step"),
    )
    for path in (csv, plot):  # a run takes minutes; whether its results can be stored is asked before
        if path is not None and not path.absolute().parent.is_dir():
            raise ParameterError(f"cannot write {path}: there is no such folder")
    if plot is not None:
        check_plot_path(plot)
    machine = Machine.this()
    with interruptible() as budget, _progress() as watcher:
        study = run_study(plan, budget, watcher)
    if csv is not None:
        write_text(csv, csv_text(study))
    if plot is not None:
        plot_study(study, plot)
    code = LIMIT_REACHED if study.interrupted else 0
    print_report(Report(table_text(study, machine), json_document(study, machine), code), json)


def read_sizes(text: str) -> tuple[int, ...]:
    """Sizes from a list of numbers and ranges. Raises: ParameterError."""
    sizes: list[int] = []
    for part in text.split(","):
        first, dash, last = (x.strip() for x in part.partition("-"))
        ends = [first, last] if dash else [first, first]
        if not all(end.isascii() and end.isdigit() and len(end) <= 9 for end in ends):
            raise ParameterError(f"--sizes '{text}' is not a list such as 2-4 or 4,6,8")
        low, high = int(ends[0]), int(ends[1])
        if not low <= high < low + _MOST_SIZES:
            raise ParameterError(f"--sizes '{text}': {part.strip()} is not a range from small to large")
        sizes += range(low, high + 1)
    return tuple(sizes)


@contextmanager
def _progress() -> Iterator[Watcher | None]:
    """Cells done, time and what is under way, on a terminal's standard error."""

    def show(done: int, total: int, now: str) -> None:
        if update is not None:
            update(description=now, completed=done, total=total)

    with status_line(
        lambda rich: (
            *(rich.BarColumn(bar_width=20), rich.MofNCompleteColumn(), rich.TimeElapsedColumn()),
            "{task.description}",
        )
    ) as update:
        yield None if update is None else show


# --- the machine ---


@dataclass(frozen=True)
class Machine:
    """What times depend on; ``process_seconds`` is how long a process takes that does nothing."""

    cpu: str
    cores: int
    system: str
    python: str
    packages: Mapping[str, str]
    process_seconds: float

    @classmethod
    def this(cls) -> Machine:
        """The machine at hand; takes a moment, since it starts a process."""
        start = time.monotonic()
        call(_nothing, None, Budget())
        return cls(
            _cpu_model() or platform.processor() or platform.machine(),
            os.cpu_count() or 1,
            f"{platform.system()} {platform.machine()}",
            f"{platform.python_implementation()} {platform.python_version()}",
            {name: _version(name) for name in _PACKAGES},
            round(time.monotonic() - start, 6),
        )

    def lines(self) -> list[str]:
        """The description for a person to read."""
        packages = ", ".join(f"{name} {number}" for name, number in self.packages.items())
        idle = f"{duration(self.process_seconds)} for one that does nothing; included in times, once a call,"
        return [
            *_paragraph("machine", f"{self.cpu}, {self.cores} cores, {self.system}, {self.python}"),
            *_paragraph("packages", packages),
            *_paragraph("process", f"{idle} where a solver runs in its own"),
        ]


def _nothing(argument: None) -> None:
    return argument


def _cpu_model() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


# --- the table ---


def table_text(study: Study, machine: Machine) -> str:
    """The study as a table with its footnotes."""
    lines: list[str] = []
    for series in _series_of(study):
        lines += [*_section(study, series), ""]
    if study.interrupted:
        lines += [f"interrupted after {len(study.cells)} of {study.total} cells", ""]
    return "\n".join([*lines, *_legend(study.plan), *_notes(study.cells), "", *machine.lines()])


def _series_of(study: Study) -> list[Series]:
    return list(dict.fromkeys(cell.case.series for cell in study.cells))


def _section(study: Study, series: Series) -> Iterator[str]:
    pair = "" if series.pair is None else f"{series.pair[0]} and {series.pair[1]}, "
    yield f"{series.title}, by {series.size_name} ({pair}alpha {rational_text(series.alpha)})"
    yield _row("size", "pairs", "theta", study.plan.columns)
    rows: dict[tuple[Case, str], list[Cell]] = {}
    for cell in study.cells:
        if cell.case.series == series:
            rows.setdefault((cell.case, cell.question), []).append(cell)
    for (case, question), found in rows.items():
        label = f"{case.size}" if case.seed is None else f"{case.size} #{case.seed}"
        pairs = "" if case.pairs is None else f"{case.pairs}"
        texts = [_cell_text(cell, study.plan.limit, found[0].seconds) for cell in found]
        yield _row(label, pairs, question, texts)


def _row(label: str, pairs: str, question: str, texts: Iterable[str]) -> str:
    return f"  {label:<10}{pairs:>6}  {question:<5}{''.join(f'  {x:>{_WIDTH}}' for x in texts)}".rstrip()


def _cell_text(cell: Cell, limit: float, reference: float | None) -> str:
    if cell.seconds is not None:
        mark = "" if cell.status.certified else "?"
        times = "" if cell.ratio is None else _ratio(cell.ratio)
        return f"{mark}{duration(cell.seconds)} {times:>7}"
    if cell.status is Status.NOT_FINISHED:
        times = f">{_ratio(limit / reference)}" if reference else ""
        return f">{limit:g} s {times:>7}"
    return f"{cell.status.value}{'':8}"


def duration(seconds: float) -> str:
    """A time in three digits and its unit."""
    number, unit = (1000 * seconds, "ms") if seconds < 1 else (seconds, "s")
    digits = 2 if number < (0.995 if unit == "ms" else 9.995) else 1 if number < 99.95 else 0
    return f"{number:.{digits}f} {unit}"


def _ratio(ratio: float) -> str:
    if ratio >= 99_999:
        return f"{ratio:.0e}x"
    return f"{ratio:.{2 if ratio < 0.1 else 1 if ratio < 10 else 0}f}x"


def _legend(plan: Plan) -> list[str]:
    meaning = {
        "above": f"value + {plan.step}, or half way to 1",
        "value": "the exact distance",
        "below": f"value - {plan.step}, or half way to 0",
    }
    asked = "; ".join(f"{question}: {meaning[question]}" for question in plan.questions)
    times = f"of the decision alone, and as a ratio to {REFERENCE} in the same line; ?: no certified answer"
    return [*_paragraph("theta", asked), *_paragraph("times", times)]


def _notes(cells: Iterable[Cell]) -> list[str]:
    """Why cells have no certified answer, each reason once, with the backends that it concerns."""
    notes: dict[tuple[str, str], dict[str, None]] = {}
    for cell in cells:
        if cell.reason is not None and not cell.status.certified and cell.status is not Status.NOT_FINISHED:
            notes.setdefault((cell.status.value, cell.reason), {})[cell.backend] = None
    return [
        line
        for (status, reason), backends in notes.items()
        for line in _paragraph(status, f"{', '.join(backends)} ({reason})")
    ]


def _paragraph(head: str, text: str) -> list[str]:
    return wrap(text, 116, initial_indent=f"{head:<9} ", subsequent_indent=" " * 10, break_long_words=False)


# --- CSV and JSON ---

Scalar = str | int | float | None


def _parameters(cell: Cell) -> str:
    values = cell.case.series.values(cell.case.size, cell.case.seed)
    return " ".join(f"{name}={value}" for name, value in values.items())


RECORD: Mapping[str, Callable[[Cell], Scalar]] = MappingProxyType(
    {
        "family": lambda cell: cell.case.series.family,
        "parameters": _parameters,
        "size": lambda cell: cell.case.size,
        "seed": lambda cell: cell.case.seed,
        "pair": lambda cell: None if cell.case.pair is None else " ".join(cell.case.pair),
        "alpha": lambda cell: rational_text(cell.case.series.alpha),
        "states": lambda cell: cell.case.states,
        "pairs": lambda cell: cell.case.pairs,
        "value": lambda cell: None if cell.case.value is None else rational_text(cell.case.value),
        "question": lambda cell: cell.question,
        "theta": lambda cell: None if cell.theta is None else rational_text(cell.theta),
        "backend": lambda cell: cell.backend,
        "status": lambda cell: cell.status.value,
        "seconds": lambda cell: cell.seconds,
        "ratio": lambda cell: None if cell.ratio is None else round(cell.ratio, 4),
        "runs": lambda cell: cell.runs,
        "linear_programs": lambda cell: cell.stats.get("linear_programs"),
        "variables": lambda cell: cell.stats.get("variables"),
        "clauses": lambda cell: cell.stats.get("clauses"),
        "constraints": lambda cell: cell.stats.get("rows", cell.stats.get("assertions")),
        "peak_memory": lambda cell: cell.peak_memory,
        "reason": lambda cell: cell.reason,
    }
)
"""A cell as one flat record: what its members are called, and where they are found."""


def record(cell: Cell) -> dict[str, Scalar]:
    """A cell as one flat record."""
    return {name: value(cell) for name, value in RECORD.items()}


def csv_text(study: Study) -> str:
    """The cells as CSV, with a column for the time limit."""
    rows = ([*record(cell).values(), study.plan.limit] for cell in study.cells)
    return text_of_rows([[*RECORD, "time_limit"], *rows])


def json_document(study: Study, machine: Machine) -> dict[str, object]:
    """The study as a JSON object."""
    return {
        "machine": vars(machine),
        "time_limit": study.plan.limit,
        "step": rational_text(study.plan.step),
        "backends": list(study.plan.columns),
        "questions": list(study.plan.questions),
        "total": study.total,
        "interrupted": study.interrupted,
        "cells": [{**record(cell), "stats": dict(cell.stats)} for cell in study.cells],
    }


# --- the figure ---


def plot_study(study: Study, path: Path) -> None:
    """Draw a study and store it. Raises: as `check_plot_path`."""
    check_plot_path(path)
    with own_style({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}):
        store_figure(path, _figure(study), dpi=150)


def _figure(study: Study) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1)
    series, questions = _series_of(study), study.plan.questions
    rows, columns = max(len(series), 1), len(questions)
    figure = Figure(figsize=(4.6 * columns + 0.6, 2.7 * rows + 1.1), layout=layout)
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for k, one in enumerate(series):
        for j, question in enumerate(questions):
            axes = panels[k][j]
            cells = [x for x in study.cells if x.case.series == one and x.question == question]
            _panel(axes, cells, study.plan)
            axes.set_xlabel(one.size_name)
            axes.set_title(f"{one.title}; {_ASKED[question]}", fontsize=10, loc="left")
            if j == 0:
                axes.set_ylabel("seconds")
    _draw_legend(figure, study.plan)
    return figure


def _panel(axes: Axes, cells: list[Cell], plan: Plan) -> None:
    sizes = sorted({cell.case.size for cell in cells}) or [0]
    width = max(sizes[-1] - sizes[0], 1)
    axes.set_yscale("log")
    axes.axhline(plan.limit, color="0.5", linewidth=0.8, linestyle="--")
    axes.set_xticks(sizes)
    axes.set_xlim(sizes[0] - 0.12 * width, sizes[-1] + 0.12 * width)
    axes.grid(axis="y", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    for place, backend in enumerate(plan.columns):
        shift = (place - (len(plan.columns) - 1) / 2) * _APART * width
        _line(axes, [cell for cell in cells if cell.backend == backend], shift, plan.limit)


def _line(axes: Axes, cells: list[Cell], shift: float, limit: float) -> None:
    """The cells of one backend: a marker each, and a line through the medians of the sizes."""
    if not cells:
        return
    colour, marker = _look(cells[0].backend)
    heights: dict[int, list[float]] = {}
    for cell in cells:
        if cell.seconds is None and cell.status is not Status.NOT_FINISHED:
            continue
        height = limit if cell.seconds is None else max(cell.seconds, 1e-5)
        heights.setdefault(cell.case.size, []).append(height)
        crossed, filled = cell.status is Status.UNKNOWN, cell.seconds is not None
        axes.plot(
            [cell.case.size + shift],
            [height],
            linestyle="none",
            marker="x" if crossed else marker,
            markersize=6,
            markerfacecolor=colour if filled else "white",
            markeredgecolor=colour,
            markeredgewidth=1.2,
            alpha=0.9,
            zorder=3,
        )
    sizes = sorted(heights)
    medians = [median_high(heights[size]) for size in sizes]
    axes.plot([size + shift for size in sizes], medians, color=colour, linewidth=1.4)


def _look(backend: str) -> tuple[str, str]:
    place = list(BACKENDS).index(backend)
    return _COLOURS[place % len(_COLOURS)], _MARKERS[place % len(_MARKERS)]


def _draw_legend(figure: Figure, plan: Plan) -> None:
    from matplotlib.lines import Line2D

    handles = []
    for backend in plan.columns:
        colour, marker = _look(backend)
        handles.append(Line2D([], [], color=colour, marker=marker, linewidth=1.4, label=backend))
    grey = {"color": "0.4", "linestyle": "none", "markersize": 6.0}
    handles.append(Line2D([], [], marker="x", label="no certified answer", **grey))  # type: ignore[arg-type]
    unfinished = f"not finished in {plan.limit:g} s"
    handles.append(Line2D([], [], marker="o", markerfacecolor="white", label=unfinished, **grey))  # type: ignore[arg-type]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=len(handles) if len(handles) <= 5 else (len(handles) + 1) // 2,
        frameon=False,
    )

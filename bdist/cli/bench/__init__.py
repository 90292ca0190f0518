"""``bdist bench``: threshold backends, LP, SAT, MILP and SMT, against each other and against a naive loop.

A *cell* is one backend's answer to one question, bd_alpha(s, t) <= theta, about one case. The backend is
asked alone: what an incomplete one can only hint at counts as unknown. Times mean something only beside
others of the same run: strategy iteration is always measured, and every time is also given as a ratio to it.

What is asked about is in `plan` (families of growing size) and `instances` (one's own files); who answers, in
which process, and what exactly is timed, in `workers`; which cells are measured and when an answer is a bug,
in `study`; how a study is stored and gone on with, in `rows`. The baseline is `naive`.

What a researcher types, and in what order:

    bdist bench chain.lmc s t --alpha 11/10 --theta 1/5
    bdist bench models/ s t --alpha 11/10 --csv out.csv --backend smt --backend sat-lp
    bdist bench list.csv --csv out.csv --resume --cactus cactus.svg
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from bdist.chains.drawings.plots import check_plot_path
from bdist.cli.bench.figures import plot_cactus, plot_growth, plot_scatter
from bdist.cli.bench.instances import Common, read_instances
from bdist.cli.bench.machine import Machine
from bdist.cli.bench.plan import COLUMNS, NAIVE, QUESTIONS, REFERENCE, SERIES, Instance, Plan
from bdist.cli.bench.rows import Rows, json_document
from bdist.cli.bench.study import Watcher, run_study
from bdist.cli.bench.table import table_text
from bdist.cli.terminal import Json, argument, flag, interruptible, option, print_report, status_line
from bdist.errors import ParameterError
from bdist.exact.rationals import as_rational
from bdist.report import LIMIT_REACHED, Report

NAME = "bench"
HELP = "Compare the backends of 'bdist threshold' (LP, SAT, MILP, SMT) on your own models, or on families."
EXAMPLE = (
    "Example: bdist bench instances/figure-one/chain.lmc s0 s1 --alpha 1 --theta 1/5 --csv out.csv "
    "--cactus out.svg"
)

_MOST_SIZES = 1000


def command(
    file: Path | None = argument(
        "FILE",
        "A model; a folder of models; or a list, a .csv file with the columns file, s, t and, if you like, "
        "alpha and theta. Without it, families of growing size are measured.",
        default=None,
    ),
    s: str | None = argument("S", "A state, by name, in all models.", default=None),
    t: str | None = argument("T", "Another state.", default=None),
    alpha: str | None = option(
        "A", "With FILE: the skew alpha = e^epsilon, at least 1: p/q or a decimal, read exactly."
    ),
    theta: list[str] | None = option(
        "Q", "With FILE: a threshold; may be repeated. [default: thresholds relative to the exact distance]"
    ),
    family: list[str] | None = option(
        "NAME", f"A family ({', '.join(SERIES)}); may be repeated; all by default."
    ),
    backend: list[str] | None = option(
        "NAME",
        f"A backend ({', '.join(COLUMNS)}); may be repeated; all by default. {REFERENCE} is always measured, "
        f"because times are shown relative to it. {NAIVE} is a fixed-point iteration in floating point; its "
        "answers are never certified.",
    ),
    at: list[str] | None = option(
        "|".join(QUESTIONS),
        "The threshold: the exact distance, or a little above or below it; may be repeated; "
        f"{' and '.join(Plan.questions)} by default.",
    ),
    step: str | None = option(
        "Q", f"With --at above or below: how far from the exact distance. [default: {Plan.step}]"
    ),
    sizes: str | None = option(
        "LIST",
        "With --family: sizes in place of the usual ones, such as 2-4 or 4,6,8: diners, states, questions.",
    ),
    seeds: int | None = option(
        "N", f"With --family random: how many chains of each size. [default: {Plan.seeds}]", min=1
    ),
    cell_limit: float = option("SECONDS", "For each backend and question.", default=Plan.limit),
    jobs: int = option(
        "N", "Cells measured at a time. They disturb each other's times.", min=1, default=Plan.jobs
    ),
    csv: Path | None = option("FILE", "Write each cell there, as CSV, as soon as it is measured."),
    resume: bool = flag(
        "--resume",
        "Go on with the file of --csv: what it has is not measured again, unless it was cut off.",
    ),
    plot: Path | None = option("OUT", "Draw time against size (.png or .svg)."),
    cactus: Path | None = option("OUT", "Draw how many questions are answered in which time."),
    scatter: Path | None = option("OUT", "Draw two backends against each other."),
    scatter_backends: str | None = option(
        "A,B", "With --scatter: which two. [default: those that are measured, if there are two]"
    ),
    json: Json = False,
) -> None:
    """Read the arguments, measure, print."""
    if s is not None and t is None:
        raise ParameterError("which is the other state? FILE S T names two")
    if file is None:
        _refuse("your own models; name a FILE", {"--alpha": alpha, "--theta": theta})
    else:
        _refuse("families; leave FILE out", {"--family": family, "--sizes": sizes, "--seeds": seeds})
    if theta:
        _refuse("the exact distance; leave --theta out", {"--at": at, "--step": step})
    for path in (csv, plot, cactus, scatter):
        if path is not None and not path.absolute().parent.is_dir():
            raise ParameterError(f"cannot write {path}: there is no such folder")
    for path in (plot, cactus, scatter):
        if path is not None:
            check_plot_path(path)
    if resume and csv is None:
        raise ParameterError("--resume goes on with the file of --csv; name it")
    families = tuple(dict.fromkeys(family)) if family else Plan.families
    instances: tuple[Instance, ...] = ()
    if file is not None:
        pair = None if s is None or t is None else (s, t)
        instances = read_instances(file, Common(pair, alpha, tuple(theta or ())))
    plan = Plan(
        families,
        tuple(backend) if backend else Plan.backends,
        tuple(dict.fromkeys(at)) if at else Plan.questions,
        dict.fromkeys(families, read_sizes(sizes)) if sizes is not None else {},
        Plan.seeds if seeds is None else seeds,
        cell_limit,
        Plan.step if step is None else as_rational(step, "--step"),
        instances,
        jobs,
    )
    against = _scattered(scatter_backends, plan) if scatter is not None or scatter_backends else None
    if against is not None and scatter is None:
        raise ParameterError("--scatter-backends is about a picture; give --scatter as well")
    machine = Machine.this()
    rows = None if csv is None else (Rows.resume if resume else Rows.create)(csv, plan, machine)
    with (
        nullcontext() if rows is None else closing(rows),
        interruptible() as budget,
        _progress() as watcher,
    ):
        study = run_study(plan, budget, watcher, rows)
    if plot is not None:
        plot_growth(study, plot)
    if cactus is not None:
        plot_cactus(study, cactus)
    if scatter is not None and against is not None:
        plot_scatter(study, scatter, against)
    code = LIMIT_REACHED if study.interrupted else 0
    print_report(Report(table_text(study, machine), json_document(study, machine), code), json)


def _refuse(what: str, given: Mapping[str, object]) -> None:
    """Refuse options that would do nothing. Raises: ParameterError."""
    for name, value in given.items():
        if value is not None and value != []:
            raise ParameterError(f"{name} is about {what}")


def _scattered(text: str | None, plan: Plan) -> tuple[str, str]:
    """The two backends of a scatter plot. Raises: ParameterError."""
    names = plan.columns if text is None else tuple(name.strip() for name in text.split(","))
    if len(names) != 2 or names[0] == names[1]:
        listed = ",".join(plan.columns[:2])
        raise ParameterError(f"--scatter compares two backends; name them, as in --scatter-backends {listed}")
    for name in names:
        if name not in plan.columns:
            raise ParameterError(
                f"--scatter-backends: '{name}' is not measured; {', '.join(plan.columns)} are"
            )
    return names[0], names[1]


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
    """Cells done, time and what is under way, on standard error."""

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

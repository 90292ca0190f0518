"""``bdist bench``: the threshold backends against each other, on chains of growing size."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from bdist.cli.streams import bare
from bdist.cli.terminal import Json, interruptible, print_report
from bdist.errors import ParameterError
from bdist.exact.reading import as_rational
from bdist.report import LIMIT_REACHED, Report
from bdist.text.writing import write_text
from bdist.thresholds.benchmark import (
    DEFAULT_LIMIT,
    DEFAULT_QUESTIONS,
    DEFAULT_SEEDS,
    DEFAULT_STEP,
    QUESTIONS,
    REFERENCE,
    SERIES,
    Plan,
    Tick,
    Watcher,
    run_study,
)
from bdist.thresholds.benchmark_report import (
    Machine,
    check_plot,
    csv_text,
    json_document,
    plot_study,
    table_text,
)
from bdist.thresholds.decide import BACKENDS

NAME = "bench"
HELP = "Compare the backends of 'bdist threshold' (LP, SAT, MILP, SMT) on families of growing size."
EXAMPLE = "Example: bdist bench --family random --sizes 4-6 --time-limit 5 --plot random.svg"

_MOST_SIZES = 1000

Families = Annotated[
    list[str] | None,
    typer.Option(
        "--family",
        metavar="NAME",
        help=f"A family ({', '.join(SERIES)}); may be repeated; all by default.",
        show_default=False,
    ),
]
Backends = Annotated[
    list[str] | None,
    typer.Option(
        "--backend",
        metavar="NAME",
        help=f"A backend ({', '.join(BACKENDS)}); may be repeated; all by default. {REFERENCE} is always "
        "measured, because times are shown relative to it.",
        show_default=False,
    ),
]
At = Annotated[
    list[str] | None,
    typer.Option(
        "--at",
        metavar="|".join(QUESTIONS),
        help="The threshold: the exact distance, or a little above or below it; may be repeated; "
        f"{' and '.join(DEFAULT_QUESTIONS)} by default.",
        show_default=False,
    ),
]
Step = Annotated[str, typer.Option("--step", metavar="Q", help="How much is a little.")]
Sizes = Annotated[
    str | None,
    typer.Option(
        "--sizes",
        metavar="LIST",
        help="Sizes in place of the usual ones, such as 2-4 or 4,6,8: diners, states, questions.",
    ),
]
Seeds = Annotated[int, typer.Option("--seeds", min=1, help="How many random chains of each size.")]
CellLimit = Annotated[
    float, typer.Option("--cell-limit", metavar="SECONDS", help="For each backend and question.")
]
CsvOut = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the cells there as CSV.")]
PlotOut = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw time against size there (.png or .svg)."),
]


def command(
    family: Families = None,
    backend: Backends = None,
    at: At = None,
    step: Step = str(DEFAULT_STEP),
    sizes: Sizes = None,
    seeds: Seeds = DEFAULT_SEEDS,
    cell_limit: CellLimit = DEFAULT_LIMIT,
    csv: CsvOut = None,
    plot: PlotOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, measure, print."""
    families = tuple(dict.fromkeys(family)) if family else tuple(SERIES)
    plan = Plan(
        families,
        tuple(backend) if backend else tuple(BACKENDS),
        tuple(dict.fromkeys(at)) if at else DEFAULT_QUESTIONS,
        dict.fromkeys(families, read_sizes(sizes)) if sizes is not None else {},
        seeds,
        cell_limit,
        as_rational(step, "--step"),
    )
    _check_outputs(csv, plot)
    machine = Machine.this()
    with interruptible() as budget, _progress(plan.total) as watcher:
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


def _check_outputs(csv: Path | None, plot: Path | None) -> None:
    """A run takes minutes; whether its results can be stored is asked before."""
    for path in (csv, plot):
        if path is not None and not path.absolute().parent.is_dir():
            raise ParameterError(f"cannot write {path}: there is no such folder")
    if plot is not None:
        check_plot(plot)


@contextmanager
def _progress(total: int) -> Iterator[Watcher | None]:
    """Cells done, time and what is under way, on a terminal's standard error."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(file=bare(sys.stderr)), transient=True) as bar:
        task = bar.add_task("starting", total=total)

        def show(tick: Tick) -> None:
            bar.update(task, description=tick.now, completed=tick.done, total=tick.total)

        yield show

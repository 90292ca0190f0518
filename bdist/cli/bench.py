"""``bdist bench``: the threshold backends against each other, as a table, a figure, CSV and JSON.

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
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median_high
from textwrap import wrap
from types import MappingProxyType
from typing import TYPE_CHECKING

from bdist.budget import Budget
from bdist.chains.drawings.plots import check_plot_path, own_style, store_figure
from bdist.cli.terminal import Json, interruptible, option, print_report, status_line
from bdist.cli.terminal import csv_text as text_of_rows
from bdist.errors import ParameterError
from bdist.exact.rationals import as_rational, rational_text
from bdist.processes import call
from bdist.report import LIMIT_REACHED, Report
from bdist.text.files import write_text
from bdist.thresholds.benchmark import (
    QUESTIONS,
    REFERENCE,
    SERIES,
    Case,
    Cell,
    Plan,
    Series,
    Status,
    Study,
    Watcher,
    run_study,
)
from bdist.thresholds.decide import BACKENDS

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

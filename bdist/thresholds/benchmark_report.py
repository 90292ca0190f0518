"""The benchmark in print: a table, a figure, CSV and JSON for programs, and on what machine it was.

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
can tell apart, and each backend also has a marker of its own. Matplotlib is loaded only when a figure is
wanted; it draws without a display.
"""

from __future__ import annotations

import csv
import io
import os
import platform
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median_high
from textwrap import wrap
from typing import TYPE_CHECKING

from bdist.budget import Budget
from bdist.chains.drawings.plots import own_style, store_figure
from bdist.errors import BackendError, ParameterError
from bdist.exact.reading import rational_text
from bdist.processes import call
from bdist.thresholds.benchmark import REFERENCE, Case, Cell, Series, Status, Study
from bdist.thresholds.decide import BACKENDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PACKAGES = ("bdist", "python-flint", "highspy", "PuLP", "python-sat", "z3-solver", "numpy")
COLUMNS = (
    *("family", "parameters", "size", "seed", "pair", "alpha", "states", "pairs", "value"),
    *("question", "theta", "backend", "status", "seconds", "ratio", "runs"),
    *("linear_programs", "variables", "clauses", "constraints", "peak_memory", "reason", "time_limit"),
)
_WIDTH = 16  # of a backend's column
_CONSTRAINTS = ("rows", "assertions")

Scalar = str | int | float | None
SUFFIXES = (".png", ".svg")
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_ASKED = {"above": "θ above the distance", "value": "θ = the distance", "below": "θ below the distance"}
_APART = 0.018  # between the markers of neighbouring backends, as a part of the axis


@dataclass(frozen=True)
class Machine:
    """What times depend on; ``process_seconds`` is how long a process takes that does nothing."""

    cpu: str
    cores: int
    system: str
    python: str
    packages: tuple[tuple[str, str], ...]
    process_seconds: float

    @classmethod
    def this(cls) -> Machine:
        """The machine at hand; takes a moment, since it starts a process."""
        return cls(
            _cpu_model() or platform.processor() or platform.machine(),
            os.cpu_count() or 1,
            f"{platform.system()} {platform.machine()}",
            f"{platform.python_implementation()} {platform.python_version()}",
            tuple((name, _version(name)) for name in PACKAGES),
            _empty_process(),
        )

    def lines(self) -> list[str]:
        """The description for a person to read."""
        packages = ", ".join(f"{name} {number}" for name, number in self.packages)
        idle = f"{duration(self.process_seconds)} for one that does nothing; included in times, once a call,"
        return [
            *_paragraph("machine", f"{self.cpu}, {self.cores} cores, {self.system}, {self.python}"),
            *_paragraph("packages", packages),
            *_paragraph("process", f"{idle} where a solver runs in its own"),
        ]


def duration(seconds: float) -> str:
    """A time in three digits and its unit."""
    if seconds < 1:
        thousandths = 1000 * seconds
        return f"{thousandths:.{2 if thousandths < 0.995 else 1 if thousandths < 99.95 else 0}f} ms"
    return f"{seconds:.{2 if seconds < 9.995 else 1 if seconds < 99.95 else 0}f} s"


def table_text(study: Study, machine: Machine) -> str:
    """The study as a table with its footnotes."""
    lines: list[str] = []
    for series in dict.fromkeys(cell.case.series for cell in study.cells):
        lines += [*_section(study, series), ""]
    if study.interrupted:
        lines += [f"interrupted after {len(study.cells)} of {study.total} cells", ""]
    return "\n".join([*lines, *_legend(study), *_notes(study.cells), "", *machine.lines()])


def _section(study: Study, series: Series) -> Iterator[str]:
    pair = "" if series.pair is None else f"{series.pair[0]} and {series.pair[1]}, "
    yield f"{series.title}, by {series.size_name} ({pair}alpha {rational_text(series.alpha)})"
    names = "".join(f"  {name:>{_WIDTH}}" for name in study.plan.columns)
    yield f"  {'size':<10}{'pairs':>6}  {'theta':<5}{names}".rstrip()
    rows: dict[tuple[Case, str], dict[str, Cell]] = {}
    for cell in study.cells:
        if cell.case.series == series:
            rows.setdefault((cell.case, cell.question), {})[cell.backend] = cell
    for (case, question), found in rows.items():
        reference = found[REFERENCE].seconds
        texts = [
            _cell_text(found[name], study.plan.limit, reference) if name in found else ""
            for name in study.plan.columns
        ]
        label = case.label.replace(", seed ", " #")
        pairs = "" if case.pairs is None else case.pairs
        yield f"  {label:<10}{pairs:>6}  {question:<5}{''.join(f'  {x:>{_WIDTH}}' for x in texts)}".rstrip()


def _cell_text(cell: Cell, limit: float, reference: float | None) -> str:
    if cell.seconds is not None:
        mark = "" if cell.status.certified else "?"
        times = "" if cell.ratio is None else _ratio(cell.ratio)
        return f"{mark}{duration(cell.seconds)} {times:>7}"
    if cell.status is Status.NOT_FINISHED:
        times = f">{_ratio(limit / reference)}" if reference else ""
        return f">{limit:g} s {times:>7}"
    return f"{cell.status.value}{'':8}"


def _ratio(ratio: float) -> str:
    if ratio >= 99_999:
        return f"{ratio:.0e}x"
    return f"{ratio:.{2 if ratio < 0.1 else 1 if ratio < 10 else 0}f}x"


def _legend(study: Study) -> list[str]:
    plan = study.plan
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


def record(cell: Cell) -> dict[str, Scalar]:
    """A cell as one flat record."""
    case, series = cell.case, cell.case.series
    values = series.values(case.size, case.seed)
    return {
        "family": series.family,
        "parameters": " ".join(f"{name}={value}" for name, value in values.items()),
        "size": case.size,
        "seed": case.seed,
        "pair": None if case.pair is None else " ".join(case.pair),
        "alpha": rational_text(series.alpha),
        "states": case.states,
        "pairs": case.pairs,
        "value": None if case.value is None else rational_text(case.value),
        "question": cell.question,
        "theta": None if cell.theta is None else rational_text(cell.theta),
        "backend": cell.backend,
        "status": cell.status.value,
        "seconds": cell.seconds,
        "ratio": None if cell.ratio is None else round(cell.ratio, 4),
        "runs": cell.runs,
        "linear_programs": cell.stats.get("linear_programs"),
        "variables": cell.stats.get("variables"),
        "clauses": cell.stats.get("clauses"),
        "constraints": next((cell.stats[name] for name in _CONSTRAINTS if name in cell.stats), None),
        "peak_memory": cell.peak_memory,
        "reason": cell.reason,
    }


def csv_text(study: Study) -> str:
    """The cells as CSV, with a column for the time limit."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({**record(cell), "time_limit": study.plan.limit} for cell in study.cells)
    return out.getvalue()


def json_document(study: Study, machine: Machine) -> dict[str, object]:
    """The study as a JSON object."""
    return {
        "machine": {
            "cpu": machine.cpu,
            "cores": machine.cores,
            "system": machine.system,
            "python": machine.python,
            "packages": dict(machine.packages),
            "process_seconds": round(machine.process_seconds, 6),
        },
        "time_limit": study.plan.limit,
        "step": rational_text(study.plan.step),
        "backends": list(study.plan.columns),
        "questions": list(study.plan.questions),
        "total": study.total,
        "interrupted": study.interrupted,
        "cells": [{**record(cell), "stats": dict(cell.stats)} for cell in study.cells],
    }


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


def _empty_process() -> float:
    start = time.monotonic()
    call(_nothing, None, Budget())
    return time.monotonic() - start


def _nothing(argument: None) -> None:
    return argument


def check_plot(path: Path) -> None:
    """Whether a figure can be drawn and stored there, before anything is measured.

    Raises: ParameterError where the suffix is unknown, BackendError where Matplotlib is not installed.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise ParameterError(f"cannot draw '{path.name}'; its suffix must be {' or '.join(SUFFIXES)}")
    try:
        import matplotlib as mpl
    except ImportError:
        raise BackendError("figures need Matplotlib; install it with: pip install 'bdist[plot]'") from None
    mpl.use("Agg")


def plot_study(study: Study, path: Path) -> None:
    """Draw a study and store it. Raises: as `check_plot`."""
    check_plot(path)
    with own_style({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure = _figure(study)
        store_figure(path, figure, dpi=150)


def _figure(study: Study) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1)
    series = list(dict.fromkeys(cell.case.series for cell in study.cells))
    questions = list(study.plan.questions)
    rows, columns = max(len(series), 1), len(questions)
    figure = Figure(figsize=(4.6 * columns + 0.6, 2.7 * rows + 1.1), layout=layout)
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for k, one in enumerate(series):
        for j, question in enumerate(questions):
            axes = panels[k][j]
            cells = [x for x in study.cells if x.case.series == one and x.question == question]
            _panel(axes, cells, one, study)
            axes.set_title(f"{one.title}; {_ASKED[question]}", fontsize=10, loc="left")
            if j == 0:
                axes.set_ylabel("seconds")
    _draw_legend(figure, study)
    return figure


def _panel(axes: Axes, cells: list[Cell], series: Series, study: Study) -> None:
    limit = study.plan.limit
    sizes = sorted({cell.case.size for cell in cells}) or [0]
    width = max(sizes[-1] - sizes[0], 1)
    axes.set_yscale("log")
    axes.axhline(limit, color="0.5", linewidth=0.8, linestyle="--")
    axes.set_xticks(sizes)
    axes.set_xlim(sizes[0] - 0.12 * width, sizes[-1] + 0.12 * width)
    axes.set_xlabel(series.size_name)
    axes.grid(axis="y", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    names = study.plan.columns
    for place, backend in enumerate(names):
        shift = (place - (len(names) - 1) / 2) * _APART * width
        _line(axes, [cell for cell in cells if cell.backend == backend], shift, limit)


def _line(axes: Axes, cells: list[Cell], shift: float, limit: float) -> None:
    heights: dict[int, list[float]] = {}
    for cell in cells:
        height = _height(cell, limit)
        if height is None:
            continue
        heights.setdefault(cell.case.size, []).append(height)
        colour, marker = _look(cell.backend)
        face = colour if cell.status.certified else "white"
        if cell.status is Status.UNKNOWN:
            marker, face = "x", colour
        axes.plot(
            [cell.case.size + shift],
            [height],
            linestyle="none",
            marker=marker,
            markersize=6,
            markerfacecolor=face,
            markeredgecolor=colour,
            markeredgewidth=1.2,
            alpha=0.9,
            zorder=3,
        )
    if cells:
        points = sorted((size + shift, median_high(found)) for size, found in heights.items())
        axes.plot(
            [x for x, _ in points], [y for _, y in points], color=_look(cells[0].backend)[0], linewidth=1.4
        )


def _height(cell: Cell, limit: float) -> float | None:
    if cell.seconds is not None:
        return max(cell.seconds, 1e-5)
    return limit if cell.status is Status.NOT_FINISHED else None


def _look(backend: str) -> tuple[str, str]:
    place = list(BACKENDS).index(backend)
    return _COLOURS[place % len(_COLOURS)], _MARKERS[place % len(_MARKERS)]


def _draw_legend(figure: Figure, study: Study) -> None:
    from matplotlib.lines import Line2D

    handles = []
    for backend in study.plan.columns:
        colour, marker = _look(backend)
        handles.append(Line2D([], [], color=colour, marker=marker, linewidth=1.4, label=backend))
    grey = {"color": "0.4", "linestyle": "none", "markersize": 6.0}
    handles.append(Line2D([], [], marker="x", label="no certified answer", **grey))  # type: ignore[arg-type]
    unfinished = f"not finished in {study.plan.limit:g} s"
    handles.append(Line2D([], [], marker="o", markerfacecolor="white", label=unfinished, **grey))  # type: ignore[arg-type]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=len(handles) if len(handles) <= 5 else (len(handles) + 1) // 2,
        frameon=False,
    )

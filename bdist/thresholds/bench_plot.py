"""The benchmark as a figure: time against size, a panel for each series and question, a line for each
backend.

Both what was measured and what was not are shown. A filled marker is a certified answer, a cross an end
without one, and an open marker on the dashed line a cell that was still running at the limit; cells that
were not tried have no marker, and the line ends. Where there are several instances of a size, each has its
marker and the line goes through their (upper) medians. The colours are those of Okabe and Ito (2008), which
most colour-blind readers can tell apart, and each backend also has a marker of its own.

Matplotlib is loaded only here and only when a figure is wanted; it draws without a display.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median_high
from typing import TYPE_CHECKING

from bdist.chains.drawings.plots import own_style, store_figure
from bdist.errors import BackendError, ParameterError
from bdist.thresholds.bench_cases import Series
from bdist.thresholds.bench_cell import Status
from bdist.thresholds.benchmark import Cell, Study
from bdist.thresholds.decide import BACKENDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg")
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_ASKED = {"above": "θ above the distance", "value": "θ = the distance", "below": "θ below the distance"}
_APART = 0.018  # between the markers of neighbouring backends, as a part of the axis


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
    _legend(figure, study)
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


def _legend(figure: Figure, study: Study) -> None:
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

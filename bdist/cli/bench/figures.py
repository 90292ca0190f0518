"""Three pictures of a study: how times grow, how many questions are answered in which time, and two backends
against each other.

*Growth* shows time against size, a panel for each series and question, a line for each backend, both what was
measured and what was not. A filled marker is a certified answer, a cross an end without one, and an open
marker on the dashed line a cell that was still running at the limit; cells that were not tried have no
marker, and the line ends. Where there are several members of a size, each has its marker and the line goes
through their (upper) medians. One's own instances have no line: they did not grow from each other.

*Cactus* shows, for each backend, the times of its answers from the shortest to the longest: a point (n, t)
says that n questions are answered within t seconds each. Only certified answers count; the line of the naive
loop is dashed, since its answers are numbers. A line ends where the backend has no more answers.

*Scatter* shows two backends, a marker for each question that both were asked about: on the diagonal they take
the same time, on the dotted lines one takes ten times as long. Who came to no answer within the limit is on
the dashed line, with an open marker, whatever the reason. Below, everything is counted, also what is not
shown because one of the two was not tried.

The colours are those of Okabe and Ito (2008), which most colour-blind readers can tell apart, and each
backend, or group of instances, also has a marker of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median_high
from typing import TYPE_CHECKING

from bdist.chains.drawings.plots import arrange, check_plot_path, own_style, store_figure
from bdist.cli.bench.cells import Cell, Status
from bdist.cli.bench.plan import COLUMNS, GIVEN, NAIVE, Group, Instance, Plan
from bdist.cli.bench.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_ASKED = {
    "above": "θ above the distance",
    "value": "θ = the distance",
    "below": "θ below the distance",
    GIVEN: "θ as given",
}
_APART = 0.018  # between the markers of neighbouring backends, as a part of the axis
_SHORTEST = 1e-5  # seconds; what is shorter is drawn there
_MANY_TICKS = 12
_FONT = 10


def plot_growth(study: Study, path: Path) -> None:
    """Draw time against size and store it. Raises: as `check_plot_path`."""
    _stored(path, lambda: _growth(study))


def plot_cactus(study: Study, path: Path) -> None:
    """Draw answers against time and store it. Raises: as `check_plot_path`."""
    _stored(path, lambda: _cactus(study))


def plot_scatter(study: Study, path: Path, backends: tuple[str, str]) -> None:
    """Draw one backend against another and store it. Raises: as `check_plot_path`."""
    _stored(path, lambda: _scatter(study, *backends))


def _stored(path: Path, draw: Callable[[], Figure]) -> None:
    check_plot_path(path)
    with own_style({"font.size": _FONT, "axes.spines.top": False, "axes.spines.right": False}):
        store_figure(path, draw(), dpi=150)


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1))


def _look(backend: str) -> tuple[str, str]:
    place = COLUMNS.index(backend)
    return _COLOURS[place % len(_COLOURS)], _MARKERS[place % len(_MARKERS)]


def _named(backend: str) -> str:
    return f"{backend} (numerical)" if backend == NAIVE else backend


# --- growth ---


def _growth(study: Study) -> Figure:
    groups = study.groups
    panels_of = {
        group: [
            question
            for question in _ASKED
            if any(x.question == question and x.case.origin.group == group for x in study.cells)
        ]
        for group in groups
    }
    rows, columns = max(len(groups), 1), max([1, *map(len, panels_of.values())])
    figure = _figure(4.6 * columns + 0.6, 2.7 * rows + 1.1)
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for k, group in enumerate(groups):
        for j, axes in enumerate(panels[k]):
            if j >= len(panels_of[group]):
                axes.set_visible(False)
                continue
            question = panels_of[group][j]
            cells = [x for x in study.cells if x.case.origin.group == group and x.question == question]
            _panel(axes, cells, study.plan)
            axes.set_xlabel(group.size_name)
            axes.set_title(f"{group.title}; {_ASKED[question]}", fontsize=_FONT, loc="left")
            if j == 0:
                axes.set_ylabel("seconds")
    _draw_legend(figure, study.plan)
    return figure


def _panel(axes: Axes, cells: list[Cell], plan: Plan) -> None:
    sizes = sorted({cell.case.origin.size for cell in cells}) or [0]
    width = max(sizes[-1] - sizes[0], 1)
    axes.set_yscale("log")
    axes.axhline(plan.limit, color="0.5", linewidth=0.8, linestyle="--")
    if len(sizes) <= _MANY_TICKS:
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
        height = limit if cell.seconds is None else max(cell.seconds, _SHORTEST)
        heights.setdefault(cell.case.origin.size, []).append(height)
        crossed, filled = cell.status is Status.UNKNOWN, cell.seconds is not None
        axes.plot(
            [cell.case.origin.size + shift],
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
    if isinstance(cells[0].case.origin, Instance):  # which have nothing to do with each other
        return
    sizes = sorted(heights)
    medians = [median_high(heights[size]) for size in sizes]
    axes.plot([size + shift for size in sizes], medians, color=colour, linewidth=1.4)


def _draw_legend(figure: Figure, plan: Plan) -> None:
    from matplotlib.lines import Line2D

    handles = []
    for backend in plan.columns:
        colour, marker = _look(backend)
        handles.append(Line2D([], [], color=colour, marker=marker, linewidth=1.4, label=_named(backend)))
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


# --- cactus ---


def _cactus(study: Study) -> Figure:
    from matplotlib.ticker import MaxNLocator

    figure = _figure(7.2, 5.0)
    axes = figure.add_subplot()
    limit = study.plan.limit
    asked = len({(cell.case, cell.question, cell.theta) for cell in study.cells})
    times_of = {
        backend: sorted(_time(x, limit) for x in study.cells if x.backend == backend and x.status.is_answer)
        for backend in study.plan.columns
    }
    shortest = min((times[0] for times in times_of.values() if times), default=limit)
    axes.set_yscale("log")
    axes.set_ylim(min(shortest, limit / 100) / 1.6, limit * 1.6)
    axes.axhline(limit, color="0.5", linewidth=0.8, linestyle="--")
    for backend, times in times_of.items():
        colour, marker = _look(backend)
        axes.plot(
            range(1, len(times) + 1),
            times,
            color=colour,
            marker=marker,
            markersize=5,
            linewidth=1.4,
            linestyle="--" if backend == NAIVE else "-",
            label=f"{_named(backend)}: {len(times)} of {asked}",
        )
    _say_limit(axes, 0.1, limit)
    axes.set_xlim(0, max(asked, 1) + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("questions answered, the quickest first")
    axes.set_ylabel("seconds for each")
    numbers = f" ({NAIVE}: numbers)" if NAIVE in study.plan.columns else ""
    axes.set_title(f"Certified answers within {limit:g} s{numbers}", fontsize=_FONT, loc="left")
    arrange(axes)
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure


# --- scatter ---


def _scatter(study: Study, first: str, second: str) -> Figure:
    figure = _figure(6.2, 6.6)
    axes = figure.add_subplot()
    limit = study.plan.limit
    both: list[tuple[Group, Cell, Cell]] = []
    missing = 0
    for group in study.groups:
        for cells in study.lines(group).values():
            by_backend = {cell.backend: cell for cell in cells}
            pair = by_backend.get(first), by_backend.get(second)
            if pair[0] is None or pair[1] is None or Status.NOT_TRIED in (pair[0].status, pair[1].status):
                missing += 1
            else:
                both.append((group, pair[0], pair[1]))
    times = [_time(cell, limit) for _, x, y in both for cell in (x, y)]
    low, high = min([limit / 100, *times]) / 1.6, limit * 1.6
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    axes.plot([low, high], [low, high], color="0.5", linewidth=0.8)
    for factor in (0.1, 10.0):
        axes.plot([low, high], [low * factor, high * factor], color="0.6", linewidth=0.8, linestyle=":")
    axes.axvline(limit, color="0.5", linewidth=0.8, linestyle="--")
    axes.axhline(limit, color="0.5", linewidth=0.8, linestyle="--")
    _say_limit(axes, low, limit)
    for place, group in enumerate(study.groups):
        colour, marker = _COLOURS[place % len(_COLOURS)], _MARKERS[place % len(_MARKERS)]
        for is_shown in (True, False):
            points = [(x, y) for g, x, y in both if g == group and _is_answered(x, y) is is_shown]
            axes.plot(
                [_time(x, limit) for x, _ in points],
                [_time(y, limit) for _, y in points],
                linestyle="none",
                marker=marker,
                markersize=6,
                markerfacecolor=colour if is_shown else "white",
                markeredgecolor=colour,
                markeredgewidth=1.2,
                alpha=0.9,
                label=group.title if is_shown else None,
                zorder=3,
            )
    axes.set_xlabel(f"{_named(first)}, seconds")
    axes.set_ylabel(f"{_named(second)}, seconds")
    axes.set_title(_tally(first, second, both, missing), fontsize=_FONT - 1, loc="left")
    arrange(axes)
    if both:
        figure.legend(loc="outside lower center", ncols=1, frameon=False)
    return figure


def _say_limit(axes: Axes, x: float, limit: float) -> None:
    """What the dashed line is."""
    place = {"xytext": (3, 3), "textcoords": "offset points"}
    axes.annotate(f"limit {limit:g} s", (x, limit), fontsize=8, color="0.35", **place)  # type: ignore[arg-type]


def _time(cell: Cell, limit: float) -> float:
    """Where a cell is drawn: what has no answer is as far as the limit."""
    seconds = limit if cell.seconds is None or not cell.status.is_answer else cell.seconds
    return max(seconds, _SHORTEST)


def _is_answered(first: Cell, second: Cell) -> bool:
    return first.status.is_answer and second.status.is_answer


def _tally(first: str, second: str, both: Sequence[tuple[Group, Cell, Cell]], missing: int) -> str:
    """All questions, counted."""
    answered = [(x, y) for _, x, y in both if _is_answered(x, y)]
    faster = sum((x.seconds or 0) < (y.seconds or 0) for x, y in answered)
    slower = sum((x.seconds or 0) > (y.seconds or 0) for x, y in answered)
    only_first = sum(x.status.is_answer and not y.status.is_answer for _, x, y in both)
    only_second = sum(y.status.is_answer and not x.status.is_answer for _, x, y in both)
    neither = len(both) - len(answered) - only_first - only_second
    parts = [
        f"both answer {len(answered)}: {first} is faster in {faster}, {second} in {slower}",
        f"only {first} answers {only_first}, only {second} {only_second}, neither {neither}",
    ]
    return "\n".join(parts) + (f"; not tried {missing}" if missing else "")

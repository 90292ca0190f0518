"""The study as a figure: seconds against pairs, both logarithmic.

On the left all pairs of random chains, a line for each method and alpha (solid for 1, dashed beyond), with
open markers where the naive way is extrapolated. On the right single queries against the pairs explored. The
colours are those of Okabe and Ito (2008), which most colour-blind readers can tell apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bdist.chains.drawings.plots import check_plot_path
from scale.study import Line, Status, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METHODS = {"naive": ("#D55E00", "s"), "float": ("#0072B2", "o"), "certified": ("#009E73", "^")}
EXACT = ("#CC79A7", "D")
QUERIES = {"dining": ("#0072B2", "o"), "query": ("#D55E00", "s"), "layered": ("#009E73", "^")}
TITLES = {
    "dining": "dining cryptographers, exact",
    "query": "random chain, certified",
    "layered": "layered chain, file included",
}


def plot_study(study: Study, path: Path) -> None:
    """Draw a study and store it. Raises: BackendError where Matplotlib is not installed."""
    check_plot_path(path)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    settings = {
        "font.size": 10,
        "svg.hashsalt": "bdist",
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(settings):  # type: ignore[arg-type]
        figure = Figure(figsize=(10.5, 4.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        _random_panel(left, study.section("random"))
        _query_panel(right, study)
        figure.savefig(path, metadata={"Date": None})


def _random_panel(axes: Axes, lines: Sequence[Line]) -> None:
    axes.set_title("random chains, all pairs", fontsize=10, loc="left")
    axes.set_xlabel("pairs of states with the same label")
    alphas = list(dict.fromkeys(line.task.alpha for line in lines))
    for method, (colour, marker) in {**METHODS, "exact": EXACT}.items():
        for alpha in alphas:
            found = [x for x in lines if (x.task.method, x.task.alpha) == (method, alpha)]
            style = "-" if alpha == "1" else "--"
            _draw(axes, found, "pairs", (colour, marker, style), f"{method}, alpha {alpha}")
    _finish(axes)


def _query_panel(axes: Axes, study: Study) -> None:
    axes.set_title("single queries", fontsize=10, loc="left")
    axes.set_xlabel("pairs explored")
    for section, (colour, marker) in QUERIES.items():
        style = "-" if section == "dining" else "none"
        _draw(axes, study.section(section), "explored", (colour, marker, style), TITLES[section])
    _finish(axes)


def _draw(axes: Axes, lines: Sequence[Line], name: str, look: tuple[str, str, str], title: str) -> None:
    colour, marker, style = look
    points = [
        (pairs, line.seconds, line.status is Status.EXTRAPOLATED)
        for line in lines
        if line.seconds is not None and (pairs := line.number(name))
    ]
    if not points:
        return
    axes.plot(
        [x for x, _, _ in points],
        [y for _, y, _ in points],
        color=colour,
        linestyle=style,
        linewidth=1.3,
        marker=marker,
        label=title,
    )
    guessed = [(x, y) for x, y, extrapolated in points if extrapolated]
    axes.plot(
        [x for x, _ in guessed],
        [y for _, y in guessed],
        linestyle="none",
        marker=marker,
        markerfacecolor="white",
        markeredgecolor=colour,
    )


def _finish(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylabel("seconds")
    axes.grid(color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=8)
    else:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", color="0.5")

"""A picture of the losses: the least epsilon at each length, and whether it still grows."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import TYPE_CHECKING

from bdist.chains.drawings.plots import arrange, write_figure
from bdist.pufferfish.findings import Loss, Ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_UPPER, _LOWER, _GREY = "#1f5582", "#b4501e", "#555555"


def write_loss_plot(loss: Loss, path: Path, *, title: str = "") -> None:
    """Draw the losses at all lengths into a PNG or SVG file. Raises: as `write_figure`."""
    write_figure(path, lambda axes: _draw(axes, loss, title))


def _draw(axes: Axes, loss: Loss, title: str) -> None:
    counted = [one for one in loss.lengths if one.lower is None or one.lower > 0]
    lower = [(one.length, _epsilon(one.lower)) for one in counted if one.lower is not None]
    upper = [(one.length, _epsilon(one.upper)) for one in counted if one.upper is not None and not one.exact]
    marker = "o" if len(counted) <= 60 else ""
    exact = all(one.exact for one in counted)
    name = "least ε, exact" if exact else "ε of the worst word found"
    axes.plot(*_columns(lower), color=_LOWER, marker=marker, markersize=4.5, linewidth=1.2, label=name)
    if upper:
        axes.plot(*_columns(upper), color=_UPPER, linestyle="none", marker="_", label="proved upper bound")
    if loss.question.epsilon is not None:
        bound = log(loss.question.epsilon.alpha_down())
        axes.axhline(bound, color=_GREY, linestyle="--", linewidth=1)
        axes.annotate(
            f"ε = {loss.question.epsilon.text}",
            (0.01, bound),
            xycoords=("axes fraction", "data"),
            xytext=(0, 3),
            textcoords="offset points",
            fontsize=9,
            color=_GREY,
        )
    infinite = [one.length for one in counted if one.lower is None]
    if infinite:
        note = f"infinite from length {infinite[0]} on: a word is possible on one side only"
        axes.text(0.01, 0.96, note, transform=axes.transAxes, fontsize=9, color=_GREY, va="top")
    if loss.growth is not None:
        note = f"unbounded: repeating “{' '.join(loss.growth.block)}” multiplies the ratio"
        axes.text(0.01, 0.96, note, transform=axes.transAxes, fontsize=9, color=_GREY, va="top")
    axes.set_xlabel("length of the word")
    axes.set_ylabel("ε")
    axes.set_title(title or "privacy loss against the length of the word", fontsize=11)
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", integer=True)
    arrange(axes)
    axes.legend(framealpha=1, edgecolor="white", loc="lower right", fontsize=9)


def _epsilon(ratio: Ratio) -> float:
    """ln of a ratio, for the eye; ratios may be beyond what a float holds."""
    if ratio is None or ratio <= 1:
        return 0.0
    return log(ratio.numerator) - log(ratio.denominator)


def _columns(points: list[tuple[int, float]]) -> tuple[list[int], list[float]]:
    return [x for x, _ in points], [y for _, y in points]

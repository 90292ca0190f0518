"""A picture of a curve: the region in which the true delta is proved to lie, and the points that prove it.

What is drawn is what is known: the step envelopes, with the region between them filled, and a mark at every
sampled bound.

On a logarithmic axis 0 is infinitely far down. Bounds of 0 are drawn on the lower edge of the picture, a
decade or so below the least positive one, and the edge is labelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import floor as round_down
from math import log10
from pathlib import Path
from typing import TYPE_CHECKING

from bdist.chains.drawings.plots import arrange, write_figure
from bdist.traces.curve import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_REGION, _UPPER, _LOWER = "#c6d8ea", "#1f5582", "#b4501e"
_GREY = "#555555"
_PRESSED = 0.6
_LEAST_APPROX = 1e-300


@dataclass(frozen=True)
class _Steps:
    """The envelopes as polylines, in floating point."""

    epsilon_approx: list[float]
    upper_approx: list[float]
    lower_approx: list[float]


def write_plot(curve: Curve, path: Path, *, title: str = "", log: bool = False) -> None:
    """Draw a curve into a PNG or SVG file. Raises: as `write_figure`."""
    write_figure(path, lambda axes: _draw(axes, curve, title, log))


def _draw(axes: Axes, curve: Curve, title: str, log: bool) -> None:
    floor = _floor_approx(curve) if log else 0.0
    steps = _steps(curve, floor)
    epsilons = [float(point.epsilon) for point in curve.points]
    uppers = [max(floor, float(point.upper.value)) for point in curve.points]
    lowers = [max(floor, float(point.lower.value)) for point in curve.points]
    axes.fill_between(
        steps.epsilon_approx,
        steps.lower_approx,
        steps.upper_approx,
        color=_REGION,
        linewidth=0,
        label="the true δ lies here",
    )
    axes.plot(steps.epsilon_approx, steps.upper_approx, color=_UPPER, linewidth=1.1)
    axes.plot(steps.epsilon_approx, steps.lower_approx, color=_LOWER, linewidth=1.1)
    _mark(axes, epsilons, uppers, f"at most, by {curve.quantity}", "o", _UPPER, 5.5)
    _mark(axes, epsilons, lowers, "at least, by an attack", ".", _LOWER, 4.5)
    axes.set_xlabel("ε")
    axes.set_ylabel("δ")
    axes.set_title(title or f"true δ between {curve.pair[0]} and {curve.pair[1]}", fontsize=11)
    if log:
        _scale_logarithmically(axes, floor, min(lowers) <= floor)
    else:
        _scale_linearly(axes, min(lowers), max(uppers))
    _arrange(axes)


def _mark(
    axes: Axes, xs: list[float], ys: list[float], label: str, marker: str, color: str, size: float
) -> None:
    """Marks at the sampled bounds: a ring for the upper ones, a dot, inside it where they agree, below."""
    face = "white" if marker == "o" else color
    axes.plot(
        xs,
        ys,
        linestyle="none",
        marker=marker,
        color=color,
        markerfacecolor=face,
        markersize=size,
        label=label,
        clip_on=False,
        zorder=3,
    )


def _scale_logarithmically(axes: Axes, floor: float, has_zeros: bool) -> None:
    axes.set_yscale("log")
    axes.set_ylim(bottom=floor)
    if has_zeros:
        note = "bounds of 0 are drawn on the lower edge"
        axes.text(0.01, 0.02, note, transform=axes.transAxes, fontsize=8, color=_GREY)


def _scale_linearly(axes: Axes, lowest: float, highest: float) -> None:
    """From 0 up, unless that would press the curve against the upper edge."""
    if lowest > _PRESSED * highest:
        margin = 0.08 * (highest - lowest) or 0.1 * highest
        axes.set_ylim(lowest - margin, highest + margin)
    else:
        axes.set_ylim(0, 1.05 * highest if highest > 0 else 1)
    axes.ticklabel_format(axis="both", style="sci", scilimits=(-3, 4), useMathText=True)


def _arrange(axes: Axes) -> None:
    axes.margins(x=0)
    arrange(axes)
    axes.legend(framealpha=1, edgecolor="white", loc="best", fontsize=9)


def _steps(curve: Curve, floor: float) -> _Steps:
    xs: list[float] = []
    uppers: list[float] = []
    lowers: list[float] = []
    for point, after in pairwise(curve.points):
        xs += [float(point.epsilon), float(after.epsilon)]
        uppers += [max(floor, float(curve.upper_at(point.epsilon)))] * 2
        lowers += [max(floor, float(curve.lower_at(after.epsilon)))] * 2
    return _Steps(xs, uppers, lowers)


def _floor_approx(curve: Curve) -> float:
    """The lower edge of a logarithmic picture: below every positive bound, on a power of ten."""
    bounds = [float(bound.value) for point in curve.points for bound in (point.upper, point.lower)]
    positive = [x for x in bounds if x > _LEAST_APPROX]
    return 10.0 ** (round_down(log10(min(positive))) - (0 if min(bounds) > 0 else 1)) if positive else 1e-6

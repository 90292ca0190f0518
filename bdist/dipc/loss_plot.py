"""A picture of the loss against epsilon, beside what the claim allows."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from bdist.chains.drawings.plots import arrange, write_figure
from bdist.dipc.losses import Losses
from bdist.exact.reading import rational_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FOUND, _CLAIM, _GREY = "#1f5582", "#b4501e", "#555555"


def write_loss_plot(found: Losses, path: Path, *, title: str = "") -> None:
    """Draw losses into a PNG or SVG file. Raises: as `write_figure`."""
    write_figure(path, lambda axes: _draw(axes, found, title))


def _draw(axes: Axes, found: Losses, title: str) -> None:
    with_delta = any(found.claimed_deltas_approx)
    factor = "" if found.factor == 1 else f"{rational_text(found.factor)} "
    if with_delta:
        values, claimed = found.deltas_approx, found.claimed_deltas_approx
        names = f"δ that is needed at {factor}ε", "δ that is claimed"
    else:
        values = found.losses_approx
        claimed = tuple(float(found.factor) * at for at in found.epsilons)
        names = "largest ln(P / P′)", f"{factor}ε, as claimed"
    drawn = [(x, y) for x, y in zip(found.epsilons, values, strict=True) if isfinite(y)]
    marker = "o" if len(found.epsilons) == 1 else ""
    axes.plot(
        found.epsilons, claimed, color=_CLAIM, linestyle="--", marker=marker, linewidth=1.2, label=names[1]
    )
    if drawn:
        axes.plot(*zip(*drawn, strict=True), color=_FOUND, marker=marker, linewidth=1.6, label=names[0])
    if len(drawn) < len(values):
        note = "infinite: an output is possible on one side only"
        axes.text(0.01, 0.96, note, transform=axes.transAxes, fontsize=9, color=_GREY, va="top")
    axes.set_xlabel("ε, the parameter of the program")
    axes.set_ylabel("δ" if with_delta else "privacy loss")
    axes.set_title(title or "privacy loss against epsilon", fontsize=11)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    arrange(axes)
    axes.legend(framealpha=1, edgecolor="white", loc="best", fontsize=9)

"""How the privacy loss of a program depends on epsilon, beside what the claim allows: a picture.

At each epsilon of a grid, the largest ln(P(in, o) / P(in', o)) over adjacent inputs and outputs, and, for a
claim with delta, the delta that e^(t epsilon) leaves: the largest sum of max(0, D_o). The closed forms are
exact; these values are floats, good for the eye and for nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from bdist.budget import Budget
from bdist.chains.drawings.plots import arrange, write_figure
from bdist.dipc.privacy import question_of, require_probability, subject_of
from bdist.dipc.program import Interval, Program
from bdist.dipc.rules import well_formed
from bdist.exact.rationals import rational_text
from bdist.report import OneLine

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_PRECISION = 256
_POINTS = 96


@dataclass(frozen=True, repr=False)
class Losses(OneLine):
    """Values over a grid of epsilon; a loss is infinite where an output is possible on one side only."""

    factor: Fraction
    epsilons: tuple[float, ...]
    losses_approx: tuple[float, ...]
    deltas_approx: tuple[float, ...]
    claimed_deltas_approx: tuple[float, ...]


def losses(program: Program, *, budget: Budget | None = None) -> Losses:
    """The losses over the interval of a program. Raises: as `decide`, and Stopped."""
    limits = budget or Budget()
    flat = well_formed(program)
    subject, question = subject_of(flat, limits), question_of(flat)
    require_probability(program, question, limits)
    found = subject.distributions
    rows = {
        tuple(sorted((here.get(shown, -1), there.get(shown, -1)) for shown in here.keys() | there.keys()))
        for here, there in ((found.table[u], found.table[v]) for u, v in subject.rows_compared)
    }
    grid = _grid(program.interval)
    worst, needed, allowed = [], [], []
    for at in grid:
        limits.check()
        values = [*(float(form.ball(at, _PRECISION)) for form in found.ratios), 0.0]
        logs = [*(float(form.ball(at, _PRECISION).log()) for form in found.ratios), float("-inf")]
        worst.append(max((logs[a] - logs[b] for row in rows for a, b in row if a >= 0), default=0.0))
        power = exp(min(float(question.factor * at), 700.0))
        needed.append(max(sum(max(0.0, values[a] - power * values[b]) for a, b in row) for row in rows))
        allowed.append(float(question.delta.ball(at, _PRECISION)) if question.delta else 0.0)
    return Losses(question.factor, tuple(map(float, grid)), tuple(worst), tuple(needed), tuple(allowed))


def _grid(interval: Interval) -> Sequence[Fraction]:
    """Points of the interior: evenly spaced in a bounded interval, up to 8 more in an unbounded one."""
    low = interval.low
    high = low + 8 if interval.high is None else interval.high
    if low == high:
        return [low]
    return [low + (high - low) * Fraction(n, _POINTS) for n in range(1, _POINTS)]


# --- the picture ---


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

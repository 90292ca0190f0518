"""A picture of profiles: delta against epsilon, several in one figure, with the region where each is open.

Where a profile is exact its curve is a line. Where it is open, the region between its two sides is filled,
and the true delta lies in it. Lines are drawn through many points and through all breakpoints in sight, in
floating point: a picture shows, it does not prove.

On a logarithmic axis 0 is infinitely far down. What is 0 is drawn on the lower edge of the picture, a decade
or so below the least positive value, and the edge is labelled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, floor, log, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bdist.chains.drawings.plots import arrange, check_matplotlib, own_axes, own_style, write_figure
from bdist.distances.compute import Exactish
from bdist.errors import ParameterError
from bdist.exact.rationals import as_rational
from bdist.printing import named
from bdist.traces.profile import BOTH_ORDERS, Order, Profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PROFILES = 8
Range = tuple[Exactish | float, Exactish | float]
_COLORS = (
    *("#1f5582", "#b4501e", "#2f7d4f", "#7b3fa0"),
    *("#9a7b00", "#b02a63", "#357c91", "#5c5c5c"),
)
_STYLES = ("-", "--", "-.", ":")
_GREY = "#555555"
_SAMPLES, _MOST_KINKS = 300, 400
_PRESSED = 0.6
_LEAST_APPROX = 1e-300
_LARGEST_EPSILON_APPROX = 40.0


@dataclass(frozen=True)
class Line:
    """A profile as two polylines, the worse order of each side, in floating point."""

    name: str
    exact: bool
    epsilon_approx: list[float]
    lower_approx: list[float]
    upper_approx: list[float]


def telling_epsilon_approx(profiles: Sequence[Profile]) -> float:
    """Where the last of the curves has come down to a thousandth of its way to what is left at infinity."""
    ends = [1e-9]
    for profile in profiles:
        losses = [high for _, high in profile.sides()]
        first = max(loss.total_variation for loss in losses)
        rest = max(loss.infinite_mass for loss in losses)
        if first > rest:
            end = profile.epsilon(delta=rest + (first - rest) / 1000).upper
            ends.append(_LARGEST_EPSILON_APPROX if end is None else float(end.value))
    last = min(_LARGEST_EPSILON_APPROX, 1.08 * max(ends))
    return last if last > 1e-8 else 1.0


def line_of(
    profile: Profile,
    name: str,
    first_approx: float,
    last_approx: float,
    orders: Sequence[Order] = BOTH_ORDERS,
) -> Line:
    """A profile between two epsilons: the larger delta of the orders."""
    step = (last_approx - first_approx) / _SAMPLES
    places = {first_approx + step * k for k in range(_SAMPLES + 1)}
    sides = [tuple(side) for side in zip(*(profile.sides(order)[0] for order in orders), strict=True)]
    kinks = [log(piece.start) for side in sides for loss in side for piece in loss.pieces()]
    inside = [kink for kink in kinks if first_approx < kink < last_approx]
    places |= set(inside[:: max(1, len(inside) // _MOST_KINKS)])
    epsilons = sorted(places)
    alphas = [Fraction(exp(epsilon)) for epsilon in epsilons]
    lower, upper = (
        [float(max(loss.delta(max(alpha, Fraction(1))) for loss in side)) for alpha in alphas]
        for side in sides
    )
    return Line(name, profile.exact, epsilons, lower, upper)


def write_plot(
    profiles: Sequence[tuple[str, Profile]],
    path: Path,
    *,
    title: str,
    epsilon: tuple[Fraction, Fraction] | None = None,
    log_scale: bool = False,
) -> None:
    """Draw named profiles into a PNG or SVG file, over a range of epsilon or as far as there is something.

    Requires: at most MOST_PROFILES of them. Raises: as `write_figure`.
    """
    first, last = (0.0, telling_epsilon_approx([p for _, p in profiles])) if epsilon is None else epsilon
    if first == last:
        last = float(first) + 1.0
    lines = [line_of(profile, name, float(first), float(last)) for name, profile in profiles]
    write_figure(path, lambda axes: _draw(axes, lines, title, log_scale))


def draw_profile(
    profile: Profile,
    axes: Axes | None = None,
    label: str | None = None,
    epsilon: Range | None = None,
    order: Order = Order.WORSE,
    style: Mapping[str, Any] | None = None,
) -> Axes:
    """Draw one profile on axes that somebody else has, or on those of a figure of its own.

    Whoever brings axes decides about their title, scales, grid and legend.
    Raises: BackendError where matplotlib is not installed, ParameterError where the range is none.
    """
    check_matplotlib()
    pair = " and ".join(map(named, profile.pair))
    orders = BOTH_ORDERS if order is Order.WORSE else (order,)
    line = line_of(profile, label or pair, *_range([profile], epsilon), orders)
    if axes is None:
        with own_style({}):
            axes = own_axes()
            _draw(axes, [line], f"true δ between {pair}", log_scale=False)
        return axes
    (drawn,) = axes.plot(line.epsilon_approx, line.upper_approx, **{"label": _label(line), **(style or {})})
    if not line.exact:
        colour = drawn.get_color()
        axes.fill_between(
            line.epsilon_approx, line.lower_approx, line.upper_approx, color=colour, alpha=0.22, linewidth=0
        )
    if not axes.get_xlabel():
        axes.set_xlabel("ε")
    if not axes.get_ylabel():
        axes.set_ylabel("δ")
    return axes


def plot_profiles(
    profiles: Mapping[str, Profile] | Sequence[Profile],
    ax: Axes | None = None,
    *,
    epsilon: Range | None = None,
    log: bool = False,
    title: str | None = None,
) -> Axes:
    """Several profiles in one picture, with a legend: by the names that they are given, or by their states.

    They share one range of ``epsilon``, by default as far as there is something to be seen; ``log`` asks for
    a logarithmic axis of delta. ``axes.figure.savefig("out.png")`` writes the picture.
    Ensures: drawn on ``ax`` as by `Profile.plot`, or on a figure of its own, which no window shows. Figures
    are approximate.
    Raises: BackendError where matplotlib is not installed; ParameterError where there are none, or more than
    MOST_PROFILES.
    """
    check_matplotlib()
    named_ones = (
        list(profiles.items())
        if isinstance(profiles, Mapping)
        else [(" and ".join(map(named, profile.pair)), profile) for profile in profiles]
    )
    if not 0 < len(named_ones) <= MOST_PROFILES:
        raise ParameterError(f"a picture has room for 1 to {MOST_PROFILES} profiles, not {len(named_ones)}")
    ends = _range([profile for _, profile in named_ones], epsilon)
    if ax is None:
        with own_style({}):
            axes = own_axes()
            _draw(axes, [line_of(profile, name, *ends) for name, profile in named_ones], title, log)
        return axes
    for name, profile in named_ones:
        draw_profile(profile, ax, name, ends)
    if log:
        ax.set_yscale("log")
    if title is not None:
        ax.set_title(named(title), parse_math=False)
    _legend(ax)
    return ax


def _range(profiles: Sequence[Profile], epsilon: Range | None) -> tuple[float, float]:
    """The range of epsilon to draw. Raises: ParameterError where it is none."""
    if epsilon is None:
        return 0.0, telling_epsilon_approx(profiles)
    first, last = (
        end if isinstance(end, float) else float(as_rational(end, "an end of epsilon")) for end in epsilon
    )
    if not 0 <= first < last <= _LARGEST_EPSILON_APPROX:
        limit = f"{_LARGEST_EPSILON_APPROX:g}"
        raise ParameterError(f"epsilon from {first} to {last} is no range within 0 to {limit} to draw")
    return first, last


def _draw(axes: Axes, lines: Sequence[Line], title: str | None, log_scale: bool) -> None:
    least = _floor_approx(lines) if log_scale else 0.0
    for number, line in enumerate(lines):
        color, style = _COLORS[number % len(_COLORS)], _STYLES[number % len(_STYLES)]
        upper = [max(least, value) for value in line.upper_approx]
        lower = [max(least, value) for value in line.lower_approx]
        axes.plot(line.epsilon_approx, upper, color=color, linewidth=1.6, linestyle=style, label=_label(line))
        if not line.exact:
            axes.fill_between(line.epsilon_approx, lower, upper, color=color, alpha=0.22, linewidth=0)
            axes.plot(line.epsilon_approx, lower, color=color, linewidth=0.9, linestyle=style)
    axes.set_xlabel("ε")
    axes.set_ylabel("δ")
    if title is not None:
        axes.set_title(named(title), fontsize=11, parse_math=False)
    lows = [value for line in lines for value in line.lower_approx]
    highs = [value for line in lines for value in line.upper_approx]
    if log_scale:
        axes.set_yscale("log")
        axes.set_ylim(bottom=least)
        if min(lows) <= least:
            note = "what is 0 is drawn on the lower edge"
            axes.text(0.01, 0.02, note, transform=axes.transAxes, fontsize=8, color=_GREY)
    else:
        _scale_linearly(axes, min(lows), max(highs))
    axes.margins(x=0)
    arrange(axes)
    if len(lines) > 1 or not lines[0].exact:
        _legend(axes, framealpha=1, edgecolor="white", loc="best", fontsize=9)


def _legend(axes: Axes, **style: Any) -> None:
    """A legend in which names are names and no mathematics."""
    for text in axes.legend(**style).get_texts():
        text.set_parse_math(False)


def _label(line: Line) -> str:
    # a name that begins with an underscore would not be shown
    return f"\u200a{named(line.name, 48)}{'' if line.exact else ' (the true δ lies between)'}"


def _scale_linearly(axes: Axes, lowest: float, highest: float) -> None:
    """From 0 up, unless that would press the curve against the upper edge."""
    if lowest > _PRESSED * highest:
        margin = 0.08 * (highest - lowest) or 0.1 * highest
        axes.set_ylim(lowest - margin, highest + margin)
    else:
        axes.set_ylim(0, 1.05 * highest if highest > 0 else 1)
    axes.ticklabel_format(axis="both", style="sci", scilimits=(-3, 4), useMathText=True)


def _floor_approx(lines: Sequence[Line]) -> float:
    """The lower edge of a logarithmic picture: below every positive value, on a power of ten."""
    values = [value for line in lines for side in (line.lower_approx, line.upper_approx) for value in side]
    positive = [x for x in values if x > _LEAST_APPROX]
    if not positive:
        return 1e-6
    decades = floor(log10(min(positive))) - (0 if min(values) > 0 else 1)
    return 10.0 ** max(decades, floor(log10(max(positive))) - 15)

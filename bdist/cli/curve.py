"""``bdist curve``: delta against epsilon over a range, as a table, as CSV or JSON, and as a picture."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import (
    FirstState,
    Json,
    SecondState,
    check_plot,
    columns,
    csv_text,
    flag,
    interruptible,
    option,
    print_report,
)
from bdist.errors import ParameterError
from bdist.exact.rationals import decimal_cut, decimal_down, decimal_up, rational_text
from bdist.library import DEFAULT_POINTS
from bdist.printing import named
from bdist.queries import CurveQuery
from bdist.report import LIMIT_REACHED, Report
from bdist.text.files import write_text
from bdist.traces.answers import Curve, Point
from bdist.traces.profile import Order
from bdist.traces.wording import order_texts, title_text

NAME = "curve"
HELP = "The true delta of two states over a range of epsilon: their profile as a table or a picture."
EXAMPLE = (
    "Example: bdist curve instances/geometric/four-counts.lmc count0 count1 --epsilon 0..1 --plot curve.png"
)

_CSV_DIGITS = 17
_TABLE_DIGITS = 7


@reads_model
def command(
    model: Model,
    s: FirstState,
    t: SecondState,
    epsilon: str = option(
        "A..B",
        "The range of epsilon, two numbers at least 0: p/q, decimals, or 'ln q', such as '0..ln 3'.",
        default=...,
    ),
    points: int = option("N", "How many points, evenly spaced.", min=2, default=DEFAULT_POINTS),
    csv: Path | None = option("OUT", "Write the points there, as CSV."),
    plot: Path | None = option("OUT", "Draw the curve there: a .png or .svg file."),
    log: bool = flag("--log", "With --plot: a logarithmic axis for delta."),
    json: Json = False,
) -> None:
    """Read the arguments, compute, write the files, print."""
    query = CurveQuery.of(_ends(epsilon), points)
    check_plot(plot, log)
    chain = model.load()
    with interruptible() as budget:
        curve = query.answer(chain, (s, t), budget)
    if csv is not None:
        write_text(csv, _csv(curve))
    if plot is not None:
        from bdist.traces.plot import write_plot  # only where it is asked for

        title = title_text(curve.pair, chain.name)
        write_plot([(title, curve.profile)], plot, title=title, epsilon=query.epsilon, log_scale=log)
    code = LIMIT_REACHED if curve.limit is not None else 0
    print_report(Report(_table(curve), curve.document(), code), json)


def _ends(text: str) -> tuple[str, str]:
    parts = text.split("..", 1)
    if len(parts) != 2:
        raise ParameterError(f"--epsilon {text} is not a range; write two numbers, such as 0..2")
    return parts[0], parts[1]


def _table(curve: Curve) -> str:
    first, second = map(named, curve.pair)
    orders = order_texts((first, second))
    rows = [("epsilon", "delta at least", "delta at most", "worse order")]
    for epsilon, point in zip(curve.epsilons, curve.points, strict=True):
        worse = point.worse
        rows.append(
            (
                _epsilon_text(epsilon),
                decimal_down(worse.lower.value, _TABLE_DIGITS),
                decimal_up(worse.upper.value, _TABLE_DIGITS),
                orders.get(point.worse_order, "both"),
            )
        )
    strength = "exact, certified" if curve.profile.exact else "certified from both sides"
    lines = [f"true delta between {first} and {second}        {strength}"]
    lines += columns(rows, 2)
    if curve.points[-1].worse.lower.value == 1:
        lines.append("the two states are told apart with certainty")
    lines.append("between two rows: the chord in e^epsilon is above, the tangents of --json are below")
    if curve.limit is not None:
        lines.append(f"wider than it should be: {curve.limit}")
    return "\n".join(lines)


def _csv(curve: Curve) -> str:
    """Decimals rounded outwards; alphas and the rates of the tangent as exact fractions."""
    names = ("epsilon", "lower", "upper", "worse_order", "alpha_down", "alpha_up")
    rows: list[tuple[str, ...]] = [(*names, "true_positive", "false_positive")]
    for epsilon, point in zip(curve.epsilons, curve.points, strict=True):
        worse, test, skew = point.worse, point.of(Order.WORSE).test, point.skew
        ends = decimal_down(worse.lower.value, _CSV_DIGITS), decimal_up(worse.upper.value, _CSV_DIGITS)
        exact = (skew.alpha, skew.attack_alpha, test.true_positive, test.false_positive)
        rows.append((_epsilon_text(epsilon), *ends, _order_name(point), *map(rational_text, exact)))
    return csv_text(rows)


def _order_name(point: Point) -> str:
    return "both" if point.worse_order is Order.WORSE else point.worse_order.value


def _epsilon_text(epsilon: Fraction) -> str:
    """A decimal where that is exact, as it is for all points but ends such as 1/3."""
    decimal = decimal_cut(epsilon)
    return rational_text(epsilon) if decimal.endswith("...") else decimal

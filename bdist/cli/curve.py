"""``bdist curve``: delta against epsilon over a range, as a table, as CSV or JSON, and as a picture."""

from __future__ import annotations

import csv as csv_module
import io
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.drawings.plots import check_plot_path
from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import FirstState, Json, SecondState, flag, interruptible, option, print_report
from bdist.errors import ParameterError
from bdist.exact.display import decimal_cut, decimal_down, decimal_up
from bdist.exact.reading import as_rational, rational_text
from bdist.library import DEFAULT_POINTS
from bdist.printing import named
from bdist.queries import CurveQuery
from bdist.report import LIMIT_REACHED, Report
from bdist.text.writing import write_text
from bdist.traces.points import Curve, Point
from bdist.traces.profile import Order

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
    epsilon: Annotated[str, option("A..B", "The range of epsilon, two numbers at least 0: p/q or decimals.")],
    points: Annotated[int, option(None, "How many points, evenly spaced.", min=2)] = DEFAULT_POINTS,
    csv: Annotated[Path | None, option("OUT", "Write the points there, as CSV.")] = None,
    plot: Annotated[Path | None, option("OUT", "Draw the curve there: a .png or .svg file.")] = None,
    log: Annotated[bool, flag("--log", "With --plot: a logarithmic axis for delta.")] = False,
    json: Json = False,
) -> None:
    """Read the arguments, compute, write the files, print."""
    query = CurveQuery.of(_ends(epsilon), points)
    if plot is not None:
        check_plot_path(plot)
    elif log:
        raise ParameterError("--log is about the picture; give --plot as well")
    chain = model.load()
    with interruptible() as budget:
        curve = query.answer(chain, (s, t), budget)
    if csv is not None:
        write_text(csv, _csv(curve))
    if plot is not None:
        from bdist.traces.plot import write_plot  # only where it is asked for

        title = _title(chain, curve)
        write_plot([(title, curve.profile)], plot, title=title, epsilon=query.epsilon, log_scale=log)
    code = LIMIT_REACHED if curve.limit is not None else 0
    print_report(Report(_table(curve), _document(curve), code), json)


def _ends(text: str) -> tuple[Fraction, Fraction]:
    parts = text.split("..", 1)
    if len(parts) != 2:
        raise ParameterError(f"--epsilon {text} is not a range; write two numbers, such as 0..2")
    return as_rational(parts[0], "--epsilon"), as_rational(parts[1], "--epsilon")


def _title(chain: LabelledMarkovChain, curve: Curve) -> str:
    where = f" in {named(chain.name)}" if chain.name else ""
    return f"true δ between {named(curve.pair[0])} and {named(curve.pair[1])}{where}"


def _table(curve: Curve) -> str:
    first, second = map(named, curve.pair)
    orders = {Order.FORWARD: f"{first} over {second}", Order.BACKWARD: f"{second} over {first}"}
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
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    strength = "exact, certified" if curve.profile.exact else "certified from both sides"
    lines = [f"true delta between {first} and {second}        {strength}"]
    lines += ["  " + "  ".join(cell.ljust(widths[k]) for k, cell in enumerate(row)).rstrip() for row in rows]
    if curve.points[-1].worse.lower.value == 1:
        lines.append("the two states are told apart with certainty")
    lines.append("between two rows: the chord in e^epsilon is above, the tangents of --json are below")
    if curve.limit is not None:
        lines.append(f"wider than it should be: {curve.limit}")
    return "\n".join(lines)


def _csv(curve: Curve) -> str:
    """Decimals rounded outwards; alphas and the rates of the tangent as exact fractions."""
    out = io.StringIO()
    writer = csv_module.writer(out, lineterminator="\n")
    names = ["epsilon", "lower", "upper", "worse_order", "alpha_down", "alpha_up"]
    writer.writerow([*names, "true_positive", "false_positive"])
    for epsilon, point in zip(curve.epsilons, curve.points, strict=True):
        worse, test = point.worse, point.of(Order.WORSE).test
        writer.writerow(
            [
                _epsilon_text(epsilon),
                decimal_down(worse.lower.value, _CSV_DIGITS),
                decimal_up(worse.upper.value, _CSV_DIGITS),
                _order_name(point),
                *(rational_text(alpha) for alpha in (point.skew.alpha, point.skew.attack_alpha)),
                *(rational_text(rate) for rate in (test.true_positive, test.false_positive)),
            ]
        )
    return out.getvalue()


def _document(curve: Curve) -> dict[str, object]:
    return {
        "pair": list(curve.pair),
        "exact": curve.profile.exact,
        "limit": curve.limit,
        "points": [
            {
                "epsilon": rational_text(epsilon),
                "lower": rational_text(point.worse.lower.value),
                "upper": rational_text(point.worse.upper.value),
                "worse_order": _order_name(point),
                "evidence": {
                    "lower": point.worse.lower.evidence.value,
                    "upper": point.worse.upper.evidence.value,
                },
                "alpha_down": rational_text(point.skew.alpha),
                "alpha_up": rational_text(point.skew.attack_alpha),
                "true_positive": rational_text(point.of(Order.WORSE).test.true_positive),
                "false_positive": rational_text(point.of(Order.WORSE).test.false_positive),
            }
            for epsilon, point in zip(curve.epsilons, curve.points, strict=True)
        ],
    }


def _order_name(point: Point) -> str:
    return "both" if point.worse_order is Order.WORSE else point.worse_order.value


def _epsilon_text(epsilon: Fraction) -> str:
    """A decimal where that is exact, as it is for all points but ends such as 1/3."""
    decimal = decimal_cut(epsilon)
    return rational_text(epsilon) if decimal.endswith("...") else decimal

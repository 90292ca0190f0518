"""``bdist curve``: delta against epsilon, as a table, as CSV or JSON, and as a picture."""

from __future__ import annotations

import csv as csv_module
import io
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.drawings.plots import check_plot_path
from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import FirstState, Json, SecondState, interruptible, print_report
from bdist.errors import ParameterError
from bdist.exact.display import counted, decimal_down, decimal_up
from bdist.exact.reading import as_rational, rational_text
from bdist.printing import named
from bdist.queries import CurveQuery
from bdist.report import LIMIT_REACHED, Report
from bdist.text.writing import write_text
from bdist.traces.curve import CURVE_QUANTITIES, DEFAULT_POINTS, Curve
from bdist.traces.curve_plot import write_plot

NAME = "curve"
HELP = "The true delta of two states against epsilon: certified points, and a proved region between them."
EXAMPLE = (
    "Example: bdist curve instances/geometric/four-counts.lmc count0 count1 --epsilon 0..1 --plot curve.png"
)

_CSV_DIGITS = 17
_TABLE_DIGITS = 7

Range = Annotated[
    str,
    typer.Option(
        "--epsilon", metavar="A..B", help="The range of epsilon, two numbers at least 0: p/q or decimals."
    ),
]
Points = Annotated[int, typer.Option("--points", min=2, help="How many points to compute, at most.")]
Quantity = Annotated[
    str,
    typer.Option(
        "--quantity",
        metavar="|".join(CURVE_QUANTITIES),
        help="Where the upper bounds come from: tv, the true delta; bd, or ld in its worse order.",
    ),
]
CsvOut = Annotated[Path | None, typer.Option("--csv", metavar="OUT", help="Write the points there, as CSV.")]
PlotOut = Annotated[
    Path | None, typer.Option("--plot", metavar="OUT", help="Draw the curve there: a .png or .svg file.")
]
Log = Annotated[bool, typer.Option("--log", help="With --plot: a logarithmic axis for delta.")]


@reads_model
def command(
    model: Model,
    s: FirstState,
    t: SecondState,
    epsilon: Range,
    points: Points = DEFAULT_POINTS,
    quantity: Quantity = "tv",
    csv: CsvOut = None,
    plot: PlotOut = None,
    log: Log = False,
    json: Json = False,
) -> None:
    """Read the arguments, compute, write the files, print."""
    query = CurveQuery.of(_ends(epsilon), points, quantity)
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
        write_plot(curve, plot, title=_title(chain, curve), log=log)
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
    first, second = curve.pair
    rows = [("epsilon", "delta at least", "delta at most")]
    rows += [
        (
            _epsilon_text(point.epsilon),
            decimal_down(curve.lower_at(point.epsilon), _TABLE_DIGITS),
            decimal_up(curve.upper_at(point.epsilon), _TABLE_DIGITS),
        )
        for point in curve.points
    ]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    between = f"between {named(first)} and {named(second)}"
    lines = [f"true delta {between}, at most by {curve.quantity}, at least by attacks"]
    lines += ["  " + "  ".join(cell.ljust(widths[k]) for k, cell in enumerate(row)).rstrip() for row in rows]
    if curve.lower_at(curve.points[-1].epsilon) == 1:
        lines.append("the two states are told apart with certainty")
    lines.append("between two rows: at least what the lower row says, at most what the upper row says")
    if curve.limit is not None:
        lines.append(f"cut short with {counted(len(curve.points), 'point')}: {curve.limit}")
    return "\n".join(lines)


def _csv(curve: Curve) -> str:
    """Decimals rounded outwards; alphas as exact fractions."""
    out = io.StringIO()
    writer = csv_module.writer(out, lineterminator="\n")
    writer.writerow(
        ["epsilon", "lower", "upper", "envelope_lower", "envelope_upper", "alpha_down", "alpha_up"]
    )
    for point in curve.points:
        lowers = (point.lower.value, curve.lower_at(point.epsilon))
        uppers = (point.upper.value, curve.upper_at(point.epsilon))
        low, low_envelope = (decimal_down(value, _CSV_DIGITS) for value in lowers)
        high, high_envelope = (decimal_up(value, _CSV_DIGITS) for value in uppers)
        alphas = (rational_text(point.alpha_down), rational_text(point.alpha_up))
        writer.writerow([_epsilon_text(point.epsilon), low, high, low_envelope, high_envelope, *alphas])
    return out.getvalue()


def _document(curve: Curve) -> dict[str, object]:
    return {
        "pair": list(curve.pair),
        "quantity": curve.quantity,
        "limit": curve.limit,
        "points": [
            {
                "epsilon": rational_text(point.epsilon),
                "lower": rational_text(point.lower.value),
                "upper": rational_text(point.upper.value),
                "evidence": {"lower": point.lower.evidence.value, "upper": point.upper.evidence.value},
                "envelope_lower": rational_text(curve.lower_at(point.epsilon)),
                "envelope_upper": rational_text(curve.upper_at(point.epsilon)),
                "alpha_down": rational_text(point.alpha_down),
                "alpha_up": rational_text(point.alpha_up),
            }
            for point in curve.points
        ],
    }


def _epsilon_text(epsilon: Fraction) -> str:
    """A decimal where that is exact, as it is for all points but ends such as 1/3."""
    decimal = decimal_down(epsilon)
    return decimal if Fraction(decimal) == epsilon else rational_text(epsilon)

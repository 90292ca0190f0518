"""``bdist table``: all pairs at once."""

from __future__ import annotations

from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import (
    Alpha,
    CertificateOut,
    Epsilon,
    Jobs,
    Json,
    Precision,
    flag,
    interruptible,
    option,
    print_report,
    progress,
    write_certificate,
)
from bdist.distances.compute import DistanceTable
from bdist.exact.rationals import counted, decimal_down, decimal_up, exact_text
from bdist.lp import DEFAULT_ENGINE, ENGINES
from bdist.printing import named
from bdist.queries import Method, table_query
from bdist.report import LIMIT_REACHED, Report

NAME = "table"
HELP = "The distances of all pairs of states with the same label, computed together, largest first."
EXAMPLE = "Example: bdist table instances/random/eight-states.lmc --alpha 11/10"


@reads_model
def command(
    model: Model,
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    method: str = option(
        "|".join(m for m in Method if m is not Method.SEARCH),
        "explore: floats propose, rationals prove; strategy: rationals only; iterate: from both sides.",
        default="auto",
    ),
    backend: str = option(
        "|".join(ENGINES),
        "What proposes bases of linear programs; the answer is the same.",
        default=DEFAULT_ENGINE,
    ),
    precision: Precision = None,
    jobs: Jobs = None,
    tolerance: str | None = option("Q", "With --method iterate: the width at which to stop. [default: 1e-9]"),
    quotient: bool = flag("--quotient", "Merge bisimilar states first: distances can only become smaller."),
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, compute, print."""
    query = table_query(
        alpha=alpha,
        epsilon=epsilon,
        method=method,
        backend=backend,
        precision=precision,
        tolerance=tolerance,
        quotient=quotient,
        jobs=jobs,
    )
    chain = model.load()
    with interruptible() as budget, progress() as watcher:
        table = query.answer_all(chain, budget, watcher)
    if len(table):
        write_certificate(certificate, next(iter(table.values())).certificate)
    cut_short = any(distance.limit is not None for distance in table.values())
    print_report(Report(_lines(table), table.document(), LIMIT_REACHED if cut_short else 0), json)


def _lines(table: DistanceTable) -> str:
    """One line a pair, the largest distance first."""
    if not table:
        return "no two states have the same label; the distance of any two is 1"
    ordered = sorted(table.values(), key=lambda d: (-d.bracket.upper.value, -d.bracket.lower.value))
    width = max(len(f"bd({named(s)}, {named(t)})") for s, t in table)
    certified = "not certified" if ordered[0].bracket.unchecked else "certified"  # by one certificate for all
    of_quotient = " of the quotient" if ordered[0].quotient and ordered[0].alpha > 1 else ""
    lines = [f"{counted(len(table), 'pair')}{of_quotient} at {ordered[0].skew_text}, {certified}"]
    for distance in ordered:
        name = f"bd({named(distance.pair[0])}, {named(distance.pair[1])})".ljust(width)
        bracket = distance.bracket
        if bracket.width == 0:
            lines.append(f"  {name} = {exact_text(bracket.upper.value)}")
        else:
            lines.append(
                f"  {name} in [{decimal_down(bracket.lower.value)}, {decimal_up(bracket.upper.value)}]"
            )
    limit = next((d.limit for d in ordered if d.limit is not None), None)
    return "\n".join([*lines, *([f"  {limit}"] if limit else [])])

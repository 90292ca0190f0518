"""``bdist table``: all pairs at once."""

from __future__ import annotations

import typer

from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import (
    DEFAULT_TOLERANCE_TEXT,
    LIMIT_REACHED,
    Alpha,
    Backend,
    CertificateOut,
    Epsilon,
    Jobs,
    Json,
    Precision,
    TableMethod,
    Tolerance,
    alpha_text,
    distance_json,
    print_json,
    settings_of,
)
from bdist.distances.compute import DistanceTable, Skew, compute_table
from bdist.exact.display import counted, decimal_down, decimal_up, exact_text
from bdist.lp import DEFAULT_ENGINE
from bdist.printing import named
from bdist.text.writing import write_text

NAME = "table"
HELP = "The distances of all pairs of states with the same label, computed together, largest first."
EXAMPLE = "Example: bdist table instances/random/eight-states.lmc --alpha 11/10"


@reads_model
def command(
    model: Model,
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    method: TableMethod = "auto",
    backend: Backend = DEFAULT_ENGINE,
    precision: Precision = None,
    jobs: Jobs = None,
    tolerance: Tolerance = DEFAULT_TOLERANCE_TEXT,
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, compute, print."""
    skew = Skew.of(alpha, epsilon)
    chain = model.load()
    with settings_of(method, backend, tolerance, precision=precision, jobs=jobs) as settings:
        table = compute_table(chain, skew, "bd", settings)
    if certificate is not None and len(table):
        write_text(certificate, next(iter(table.values())).certificate.to_json())
    if json:
        print_json({"distances": [distance_json(distance) for distance in table.values()]})
    else:
        typer.echo(report(table))
    if any(distance.limit is not None for distance in table.values()):
        raise typer.Exit(LIMIT_REACHED)


def report(table: DistanceTable) -> str:
    """One line a pair, the largest distance first."""
    if not table:
        return "no two states have the same label; the distance of any two is 1"
    ordered = sorted(table.values(), key=lambda d: (-d.bracket.upper.value, -d.bracket.lower.value))
    width = max(len(f"bd({named(s)}, {named(t)})") for s, t in table)
    certified = "not certified" if ordered[0].bracket.unchecked else "certified"  # by one certificate for all
    lines = [f"{counted(len(table), 'pair')} at {alpha_text(ordered[0])}, {certified}"]
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

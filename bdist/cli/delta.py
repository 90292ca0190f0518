"""``bdist delta``: the main job."""

from __future__ import annotations

import typer

from bdist.cli.terminal import (
    DEFAULT_TOLERANCE_TEXT,
    LIMIT_REACHED,
    Alpha,
    Backend,
    CertificateOut,
    Epsilon,
    FirstState,
    Json,
    Method,
    ModelFile,
    SecondState,
    TimeLimit,
    Tolerance,
    alpha_text,
    distance_json,
    print_json,
    settings_of,
    write_file,
)
from bdist.distances.compute import Skew, compute_distance
from bdist.formats import load
from bdist.rationals.display import decimal_down, decimal_up, exact_text
from bdist.rationals.reading import rational_text
from bdist.results import Distance
from bdist.solvers import DEFAULT_ENGINE

NAME = "delta"
HELP = "The skewed bisimilarity distance of two states: an upper bound on delta, exact and certified."
EXAMPLE = "Example: bdist delta instances/dining-cryptographers/two.lmc s0 s1 --alpha 1.0002"


def command(
    file: ModelFile,
    s: FirstState,
    t: SecondState,
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    method: Method = "auto",
    backend: Backend = DEFAULT_ENGINE,
    tolerance: Tolerance = DEFAULT_TOLERANCE_TEXT,
    time_limit: TimeLimit = None,
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, compute, print."""
    skew = Skew.of(alpha, epsilon)
    chain = load(file)
    with settings_of(method, backend, tolerance, time_limit) as settings:
        distance = compute_distance(chain, (s, t), skew, "bd", settings)
    if certificate is not None:
        write_file(certificate, distance.certificate.to_json())
    if json:
        print_json(distance_json(distance))
    else:
        typer.echo(report(distance))
    if distance.limit is not None:
        raise typer.Exit(LIMIT_REACHED)


def report(distance: Distance) -> str:
    """The answer for a person to read: the number first, then what it means, what proves it, and what it
    took.
    """
    stats, bracket = distance.stats, distance.bracket
    title = f"bd({distance.pair[0]}, {distance.pair[1]}) at {alpha_text(distance)}"
    if bracket.exact:
        answer = f"{title} = {exact_text(bracket.upper.value)}        exact, certified"
        delta = rational_text(bracket.upper.value)
        delta = delta if len(delta) <= 40 else decimal_up(bracket.upper.value)
    else:
        low, delta = decimal_down(bracket.lower.value), decimal_up(bracket.upper.value)
        why = f"; {distance.limit}" if distance.limit else ""
        answer = f"{low} <= {title} <= {delta}        certified bracket{why}"
    epsilon = distance.epsilon if distance.epsilon is not None else f"ln({rational_text(distance.alpha)})"
    return "\n".join(
        [
            answer,
            f"  privacy   ({epsilon}, {delta})-differential privacy holds between these two states",
            f"  proof     {stats['upper_records']} upper and {stats['lower_records']} lower records, "
            f"checked in {stats['check_seconds']:.2g} s",
            f"  work      {stats['method']}: {stats['pairs']} pairs, "
            f"{stats['linear_programs']} linear programs, {stats['seconds']:.2g} s",
        ]
    )

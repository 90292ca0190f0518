"""``bdist delta``: the main job."""

from __future__ import annotations

from typing import Annotated

import typer

from bdist.cli.terminal import (
    DEFAULT_TOLERANCE_TEXT,
    LIMIT_REACHED,
    Alpha,
    CertificateOut,
    Epsilon,
    FirstState,
    Json,
    ModelFile,
    SecondState,
    TimeLimit,
    Tolerance,
    alpha_text,
    distance_json,
    interruptible,
    print_json,
    settings_of,
    write_file,
)
from bdist.distances.compute import Skew, compute_distance
from bdist.formats import load
from bdist.library import ALL_METHODS, DEFAULT_THRESHOLD_BACKEND, SEARCH
from bdist.rationals.display import decimal_down, decimal_up, exact_text
from bdist.rationals.reading import rational_text
from bdist.results import Distance
from bdist.solvers import DEFAULT_ENGINE, ENGINES
from bdist.thresholds.decide import BACKENDS
from bdist.thresholds.recovery import search_distance
from bdist.thresholds.search import Step

NAME = "delta"
HELP = "The skewed bisimilarity distance of two states: an upper bound on delta, exact and certified."
EXAMPLE = "Example: bdist delta instances/dining-cryptographers/two.lmc s0 s1 --alpha 1.0002"

Method = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="|".join(ALL_METHODS),
        help="strategy is exact; iterate brackets from both sides; search is binary search on thresholds.",
    ),
]
Backend = Annotated[
    str | None,
    typer.Option(
        "--backend",
        metavar="NAME",
        help=f"Who proposes LP bases ({', '.join(ENGINES)}), or with --method search who decides thresholds "
        f"({', '.join(BACKENDS)}); the answer is the same.",
        show_default=False,
    ),
]
Verbose = Annotated[bool, typer.Option("--verbose", help="With --method search: show every threshold call.")]


def command(
    file: ModelFile,
    s: FirstState,
    t: SecondState,
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    method: Method = "auto",
    backend: Backend = None,
    tolerance: Tolerance = DEFAULT_TOLERANCE_TEXT,
    time_limit: TimeLimit = None,
    certificate: CertificateOut = None,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Read the arguments, compute, print."""
    skew = Skew.of(alpha, epsilon)
    chain = load(file)
    if method == SEARCH:
        name = backend or DEFAULT_THRESHOLD_BACKEND
        with interruptible(time_limit) as budget:
            distance = search_distance(
                chain, (s, t), skew, name, budget, None, _show_step if verbose else None
            )
    else:
        with settings_of(method, backend or DEFAULT_ENGINE, tolerance, time_limit) as settings:
            distance = compute_distance(chain, (s, t), skew, "bd", settings)
    if certificate is not None:
        write_file(certificate, distance.certificate.to_json())
    if json:
        print_json(distance_json(distance))
    else:
        typer.echo(report(distance))
    if distance.limit is not None:
        raise typer.Exit(LIMIT_REACHED)


def _show_step(step: Step) -> None:
    """One line a threshold call, on standard error."""
    kind = "candidate" if step.is_candidate else "halving  "
    bits = step.denominator_bound_bits
    bound = f"; denominators below 2^{bits} by the linear system" if bits else ""
    typer.echo(
        f"{kind} bd <= {rational_text(step.theta)}? {step.answer.value}: "
        f"[{decimal_down(step.lower)}, {decimal_up(step.upper)}]{bound}",
        err=True,
    )


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
            f"  work      {_work(distance)}, {stats['seconds']:.2g} s",
        ]
    )


def _work(distance: Distance) -> str:
    stats = distance.stats
    if stats["method"] == SEARCH:
        by = "" if stats["finished_by"] == stats["backend"] else f", finished by {stats['finished_by']}"
        return f"search with {stats['backend']}: {stats['threshold_calls']} threshold calls{by}"
    return f"{stats['method']}: {stats['pairs']} pairs, {stats['linear_programs']} linear programs"

"""``bdist delta``: the main job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bdist.chains.chain import LabelledMarkovChain
from bdist.cli.models import Model, reads_model
from bdist.cli.reports import distance_and_truth_json, distance_report, trace_json, trace_report
from bdist.cli.terminal import (
    DEFAULT_TOLERANCE_TEXT,
    LIMIT_REACHED,
    Alpha,
    CertificateOut,
    Epsilon,
    FirstState,
    Jobs,
    Json,
    Precision,
    SecondState,
    distance_json,
    interruptible,
    print_json,
    settings_of,
)
from bdist.distances.compute import ALL_METHODS, QUANTITIES, SEARCH, Skew, compute_distance
from bdist.errors import UnsupportedError
from bdist.exact.display import decimal_down, decimal_up
from bdist.exact.reading import as_rational, rational_text
from bdist.lp import DEFAULT_ENGINE, ENGINES
from bdist.results import Distance
from bdist.text.writing import write_text
from bdist.thresholds.question import BACKEND_NAMES, DEFAULT_BACKEND
from bdist.traces.true_delta import (
    DEFAULT_MAX_LEAVES,
    TRACE_QUANTITIES,
    TRACE_TOLERANCE,
    TraceDistance,
    TraceSettings,
    compute_trace_distance,
)

if TYPE_CHECKING:
    from bdist.thresholds.search import Step

NAME = "delta"
HELP = "The skewed bisimilarity distance of two states: an upper bound on delta, exact and certified."
EXAMPLE = "Example: bdist delta instances/dining-cryptographers/two.lmc s0 s1 --alpha 1.0002"

Method = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="|".join(ALL_METHODS),
        help="explore: floats propose, rationals prove; strategy: rationals only; iterate: from both sides; "
        "search: binary search on thresholds.",
    ),
]
Backend = Annotated[
    str | None,
    typer.Option(
        "--backend",
        metavar="NAME",
        help=f"Who proposes LP bases ({', '.join(ENGINES)}), or with --method search who decides thresholds "
        f"({', '.join(BACKEND_NAMES)}); the answer is the same.",
        show_default=False,
    ),
]
TRUE_DELTA_SECONDS = 1.5

Quantity = Annotated[
    str,
    typer.Option(
        "--quantity",
        metavar="|".join((*QUANTITIES, *TRACE_QUANTITIES)),
        help="bd; ld, its one-way refinement; tv, the true delta; lv, the true delta of S over T only.",
    ),
]
OnQuotient = Annotated[
    bool,
    typer.Option(
        "--quotient", help="Merge bisimilar states first; bd and ld can only fall. (tv and lv always do.)"
    ),
]
Tolerance = Annotated[
    str | None,
    typer.Option(
        "--tolerance",
        metavar="Q",
        help="The width at which iterate (default 1e-9) or an unfolding (default 1e-6) may stop.",
        show_default=False,
    ),
]
MaxLeaves = Annotated[
    int, typer.Option("--max-leaves", min=1, help="For tv and lv: the most nodes of the unfolding.")
]
TrueDelta = Annotated[
    bool,
    typer.Option(
        "--true-delta/--no-true-delta", help=f"Also bracket the true delta, within {TRUE_DELTA_SECONDS:g} s."
    ),
]
Verbose = Annotated[bool, typer.Option("--verbose", help="With --method search: show every threshold call.")]


@reads_model
def command(
    model: Model,
    s: FirstState,
    t: SecondState,
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    quantity: Quantity = "bd",
    quotient: OnQuotient = False,
    method: Method = "auto",
    backend: Backend = None,
    precision: Precision = None,
    jobs: Jobs = None,
    tolerance: Tolerance = None,
    max_leaves: MaxLeaves = DEFAULT_MAX_LEAVES,
    true_delta: TrueDelta = True,
    certificate: CertificateOut = None,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Read the arguments, compute, print."""
    skew = Skew.of(alpha, epsilon)
    chain = model.load()
    if quantity in TRACE_QUANTITIES:
        width = TRACE_TOLERANCE if tolerance is None else as_rational(tolerance, "--tolerance")
        with interruptible() as budget:
            found = compute_trace_distance(
                chain,
                (s, t),
                skew,
                quantity,
                TraceSettings(width, budget, max_leaves, True, uncertified=True),
            )
        distance, text = found.distance, trace_report(found)
        document = distance_json(distance) | {"true_delta": trace_json(found)}
    else:
        if method == SEARCH:
            distance = _searched(chain, (s, t), skew, quantity, quotient, backend, verbose)
        else:
            stop, engine = tolerance or DEFAULT_TOLERANCE_TEXT, backend or DEFAULT_ENGINE
            with settings_of(method, engine, stop, quotient, precision, jobs) as settings:
                distance = compute_distance(chain, (s, t), skew, quantity, settings)
        truth = _truth(chain, (s, t), skew, max_leaves) if true_delta and distance.limit is None else None
        text, document = distance_report(distance, truth), distance_and_truth_json(distance, truth)
    if certificate is not None:
        write_text(certificate, distance.certificate.to_json())
    if json:
        print_json(document)
    else:
        typer.echo(text)
    if distance.limit is not None:
        raise typer.Exit(LIMIT_REACHED)


def _searched(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    skew: Skew,
    quantity: str,
    quotient: bool,
    backend: str | None,
    verbose: bool,
) -> Distance:
    if quantity != "bd" or quotient:
        raise UnsupportedError(
            "--method search computes bd of the chain as it is; leave out --quantity and --quotient"
        )
    from bdist.thresholds.search import search_distance  # with all its solvers, only where it is asked for

    name = backend or DEFAULT_BACKEND
    with interruptible() as budget:
        return search_distance(chain, pair, skew, name, budget, None, _show_step if verbose else None)


def _truth(chain: LabelledMarkovChain, pair: tuple[str, str], skew: Skew, max_leaves: int) -> TraceDistance:
    """The true delta, with a small budget of its own."""
    with interruptible(TRUE_DELTA_SECONDS) as budget:
        return compute_trace_distance(
            chain, pair, skew, "tv", TraceSettings(budget=budget, max_leaves=max_leaves)
        )


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

"""``bdist delta``: the main job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bdist.chains.chain import LabelledMarkovChain
from bdist.cli.models import Model, reads_model
from bdist.cli.reports import distance_report, trace_report
from bdist.cli.terminal import (
    Alpha,
    CertificateOut,
    Epsilon,
    FirstState,
    Jobs,
    Json,
    Precision,
    SecondState,
    interruptible,
    print_report,
    progress,
)
from bdist.errors import ParameterError
from bdist.exact.display import decimal_down, decimal_up
from bdist.exact.reading import rational_text
from bdist.lp import ENGINES
from bdist.queries import Backend, DistanceQuery, Method, Quantity, TraceQuery, distance_query
from bdist.text.writing import write_text
from bdist.traces.true_delta import DEFAULT_MAX_LEAVES, TraceDistance

if TYPE_CHECKING:
    from bdist.thresholds.search import Step

NAME = "delta"
HELP = "The skewed bisimilarity distance of two states: an upper bound on delta, exact and certified."
EXAMPLE = "Example: bdist delta instances/dining-cryptographers/two.lmc s0 s1 --alpha 1.0002"

MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="|".join(Method),
        help="explore: floats propose, rationals prove; strategy: rationals only; iterate: from both sides; "
        "search: binary search on thresholds.",
    ),
]
BackendName = Annotated[
    str | None,
    typer.Option(
        "--backend",
        metavar="NAME",
        help=f"Who proposes LP bases ({', '.join(ENGINES)}), or with --method search who decides thresholds "
        f"({', '.join(Backend)}); the answer is the same.",
        show_default=False,
    ),
]
TRUE_DELTA_SECONDS = 1.5

QuantityName = Annotated[
    str,
    typer.Option(
        "--quantity",
        metavar="|".join(Quantity),
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
    int | None,
    typer.Option(
        "--max-leaves",
        min=1,
        help=f"For the true delta: the most nodes of the unfolding. [default: {DEFAULT_MAX_LEAVES}]",
        show_default=False,
    ),
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
    quantity: QuantityName = "bd",
    quotient: OnQuotient = False,
    method: MethodName = "auto",
    backend: BackendName = None,
    precision: Precision = None,
    jobs: Jobs = None,
    tolerance: Tolerance = None,
    max_leaves: MaxLeaves = None,
    true_delta: TrueDelta = True,
    certificate: CertificateOut = None,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Read the arguments, compute, print."""
    query = distance_query(
        alpha=alpha,
        epsilon=epsilon,
        quantity=quantity,
        method=method,
        backend=backend,
        precision=precision,
        tolerance=tolerance,
        quotient=quotient,
        jobs=jobs,
        max_leaves=max_leaves,
    )
    _check_applies(query, max_leaves, true_delta, verbose)
    chain = model.load()
    if isinstance(query, TraceQuery):
        with interruptible() as budget:
            found = query.answer(chain, (s, t), budget)
        distance, report = found.distance, trace_report(found)
    else:
        with interruptible() as budget, progress() as watcher:
            distance = query.answer(chain, (s, t), budget, watcher, _show_step if verbose else None)
        truth = _truth(chain, (s, t), query, max_leaves) if true_delta and distance.limit is None else None
        report = distance_report(distance, truth)
    if certificate is not None:
        write_text(certificate, distance.certificate.to_json())
    print_report(report, json)


def _check_applies(
    query: DistanceQuery | TraceQuery, max_leaves: int | None, true_delta: bool, verbose: bool
) -> None:
    """Refuse what the terminal adds to a query where it would be ignored. Raises: ParameterError."""
    if isinstance(query, TraceQuery):
        if not true_delta:
            raise ParameterError(f"{query.quantity} is the true delta; leave out --no-true-delta")
    elif max_leaves is not None and not true_delta:
        raise ParameterError("--max-leaves is for the true delta; leave it out, or --no-true-delta")
    if verbose and not (isinstance(query, DistanceQuery) and query.method is Method.SEARCH):
        raise ParameterError("--verbose shows threshold calls; leave it out, or use --method search")


def _truth(
    chain: LabelledMarkovChain, pair: tuple[str, str], query: DistanceQuery, max_leaves: int | None
) -> TraceDistance:
    """The true delta, with a small budget of its own."""
    beside = TraceQuery(query.skew, max_leaves=DEFAULT_MAX_LEAVES if max_leaves is None else max_leaves)
    with interruptible(TRUE_DELTA_SECONDS) as budget:
        return beside.answer(chain, pair, budget, uncertified=False)


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

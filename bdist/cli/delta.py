"""``bdist delta``: the main job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bdist.chains.chain import LabelledMarkovChain
from bdist.cli.models import Model, reads_model
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
    write_certificate,
)
from bdist.errors import ParameterError
from bdist.exact.display import counted, decimal_down, decimal_up
from bdist.exact.reading import rational_text
from bdist.lp import ENGINES
from bdist.printing import named
from bdist.queries import Backend, DistanceQuery, Method, Quantity, TraceQuery, distance_query
from bdist.report import LIMIT_REACHED, Report
from bdist.results import Bracket, Distance, power_text
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
_LONGEST_FRACTION = 40

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
        distance, report = found.distance, _trace_report(found)
    else:
        with interruptible() as budget, progress() as watcher:
            distance = query.answer(chain, (s, t), budget, watcher, _show_step if verbose else None)
        truth = _truth(chain, (s, t), query, max_leaves) if true_delta and distance.limit is None else None
        report = _distance_report(distance, truth)
    write_certificate(certificate, distance.certificate)
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


# --- the report: a number first, then what it means, what proves it, and what it took ---


def _distance_report(distance: Distance, truth: TraceDistance | None) -> Report:
    """A distance, and the true delta beside it if it was computed."""
    lines = [distance.bracket.headline(_name(distance), distance.limit)]
    bound = distance.bracket
    if truth is not None:
        lines.append("  " + truth.bracket.headline("true delta", truth.distance.limit))
        bound = truth.bracket if truth.bracket.upper.value <= bound.upper.value else bound
    lines.append(_privacy(distance, bound, None if truth is None else truth.bracket))
    if truth is not None and truth.attack is not None:
        lines += truth.attack.report_lines()
    return _report(distance, lines, truth)


def _trace_report(found: TraceDistance) -> Report:
    """A bracket on lv or tv with its attack."""
    distance = found.distance
    lines = [distance.bracket.headline(_name(distance), distance.limit)]
    if not distance.alpha_is_exact:
        lines.append("  " + found.bracket.headline(f"at {power_text(distance.epsilon)}", None))
    if distance.quantity == "tv":
        lines.append(_privacy(distance, found.bracket, found.bracket))
    if found.attack is not None:
        lines += found.attack.report_lines()
    return _report(distance, lines, found)


def _report(distance: Distance, lines: list[str], truth: TraceDistance | None) -> Report:
    document = distance.document() | {"true_delta": None if truth is None else truth.document()}
    code = LIMIT_REACHED if distance.limit is not None else 0
    return Report("\n".join([*lines, _proof(distance), _work(distance)]), document, code)


def _name(distance: Distance) -> str:
    where = " of the quotient" if distance.quotient and distance.quantity in ("bd", "ld") else ""
    s, t = map(named, distance.pair)
    return f"{distance.quantity}({s}, {t}){where} at {distance.skew_text}"


def _privacy(distance: Distance, bound: Bracket, truth: Bracket | None) -> str:
    """What follows from the better upper bound; ``truth`` is the bracket on the true delta, if there is one.

    Only a true delta of 1 excludes privacy. A bd of 1 does not.
    """
    delta = bound.upper.value
    if bound.unchecked:
        return "  privacy   none is proved: the proof is not checked"
    if truth is not None and truth.lower.value == 1:
        return "  privacy   none for any delta below 1: the two states are told apart with certainty"
    if delta >= 1:
        return "  privacy   none is proved: every two states are within delta = 1"
    text = rational_text(delta)
    text = text if len(text) <= _LONGEST_FRACTION and bound.exact else decimal_up(delta)
    epsilon = distance.epsilon if distance.epsilon is not None else f"ln({rational_text(distance.alpha)})"
    one_way = " (this order only)" if distance.quantity in ("ld", "lv") and bound is distance.bracket else ""
    return f"  privacy   ({epsilon}, {text})-differential privacy holds between these two states{one_way}"


def _proof(distance: Distance) -> str:
    certificate, seconds = distance.certificate, distance.stats["check_seconds"]
    uppers, lowers = len(certificate.upper), len(certificate.lower)
    what = f"{uppers} upper and {counted(lowers, 'lower record')}"
    if certificate.trees:
        nodes = sum(len(tree.nodes) for tree in certificate.trees)
        trees = f"{counted(len(certificate.trees), 'tree')} of {counted(nodes, 'node')}"
        what = f"{trees} and {counted(uppers, 'record')}"
    elif not uppers and not lowers:
        what = "by definition"  # one state, or one class of bisimilar ones; or two labels
    checked = "not checked" if distance.bracket.unchecked else f"checked in {seconds:.2g} s"
    return f"  proof     {what}, {checked}"


def _work(distance: Distance) -> str:
    stats = distance.stats
    if stats["method"] == "search":
        by = "" if stats["finished_by"] == stats["backend"] else f", finished by {stats['finished_by']}"
        calls = counted(int(stats["threshold_calls"]), "threshold call")
        what = f"search with {stats['backend']}: {calls}{by}"
    elif stats["method"] == "unfolding":
        what = f"unfolding: {counted(int(stats['nodes']), 'node')}"
    elif not stats["pairs"] and distance.limit is not None:
        what = f"{stats['method']}: stopped while the pairs were listed"
    else:
        programs = counted(int(stats["linear_programs"]), "linear program")
        what = f"{stats['method']}: {counted(int(stats['pairs']), 'pair')}, {programs}"
    return f"  work      {what}, {stats['seconds']:.2g} s"

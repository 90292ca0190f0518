"""``bdist delta``: the main job."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from bdist.budget import Budget
from bdist.certificates.document import Certificate
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
    check_writable,
    flag,
    interruptible,
    option,
    print_report,
    progress,
    say,
    write_certificate,
)
from bdist.errors import ParameterError
from bdist.exact.rationals import counted, decimal_down, decimal_up, rational_text
from bdist.lp import ENGINES
from bdist.printing import named
from bdist.queries import Backend, DistanceQuery, Method, Quantity, TraceQuery, distance_query
from bdist.report import LIMIT_REACHED, Report
from bdist.results import Bracket, Distance
from bdist.traces.answers import TraceDistance
from bdist.traces.compute import DEFAULT_BELIEFS

if TYPE_CHECKING:
    from bdist.thresholds.search import Step

NAME = "delta"
HELP = (
    "How private two states are at one epsilon: the true delta, and its bound bd, the skewed bisimilarity "
    "distance; exact where they can be, and certified."
)
EXAMPLE = "Example: bdist delta instances/dining-cryptographers/two.lmc s0 s1 --alpha 1.0002"


_LONGEST_FRACTION = 40
_TRUTH_SHARE = 0.5  # of a time limit goes into the true delta, at most
_WHY_LARGER = (
    "  why       bd is above the true delta: it adds up what differs step by step, which an observer of "
    "labels cannot always use"
)
_TRY_THE_QUOTIENT = "; --quotient merges bisimilar states, which can bring it down"


@reads_model
def command(
    model: Model,
    s: FirstState,
    t: SecondState,
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    quantity: str = option(
        "|".join(Quantity),
        "bd; ld, its one-way refinement; tv, the true delta; lv, the true delta of S over T only.",
        default="bd",
    ),
    quotient: bool = flag(
        "--quotient",
        "Merge bisimilar states first: bd and ld can only become smaller. (For tv and lv it is always done.)",
    ),
    method: str = option(
        "|".join(Method),
        "explore: floats propose, rationals prove; strategy: rationals only; iterate: from both sides; "
        "search: binary search on thresholds.",
        default="auto",
    ),
    backend: str | None = option(
        "|".join((*ENGINES, *Backend)),
        f"What proposes bases of linear programs ({', '.join(ENGINES)}), or, with --method search, what "
        f"decides thresholds ({', '.join(Backend)}); the answer is the same.",
    ),
    precision: Precision = None,
    jobs: Jobs = None,
    tolerance: str | None = option(
        "Q", "The width at which iterate (default 1e-9) or the true delta (default 1e-6) may stop."
    ),
    max_beliefs: int | None = option(
        "N", f"For the true delta: the most beliefs to follow. [default: {DEFAULT_BELIEFS}]", min=1
    ),
    true_delta: bool = flag(
        "--true-delta/--no-true-delta", "Whether to find the true delta as well.", default=True
    ),
    bd: bool = flag(
        "--bd/--no-bd", "Whether to compute the distance, or the true delta alone.", default=True
    ),
    certificate: CertificateOut = None,
    verbose: bool = flag("--verbose", "With --method search: show every threshold call."),
    json: Json = False,
) -> None:
    """Read the arguments, compute, print: the true delta as soon as it is there."""
    if not bd:
        if quantity != "bd" or not true_delta:
            raise ParameterError("--no-bd leaves the true delta alone; leave out the other, or this")
        quantity = "tv"
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
        max_beliefs=max_beliefs,
    )
    _check_applies(query, max_beliefs, true_delta, verbose)
    check_writable(certificate, model.path)
    chain = model.load()
    if isinstance(query, TraceQuery):
        with interruptible() as budget:
            found = query.answer(chain, (s, t), budget)
        write_certificate(certificate, found.profile.certificate)
        print_report(_trace_report(found), json)
        return
    truth = None
    with interruptible() as budget, progress() as watcher:
        if true_delta:
            truth = _truth(chain, (s, t), query, max_beliefs, budget)
            if not json:
                say("\n".join(_truth_lines(truth)))
        distance = query.answer(chain, (s, t), budget, watcher, _show_step if verbose else None)
    write_certificate(certificate, distance.certificate)
    print_report(_distance_report(distance, truth), json)


def _check_applies(
    query: DistanceQuery | TraceQuery, max_beliefs: int | None, true_delta: bool, verbose: bool
) -> None:
    """Refuse what the terminal adds to a query where it would be ignored. Raises: ParameterError."""
    if isinstance(query, TraceQuery):
        if not true_delta:
            raise ParameterError(f"{query.quantity} is the true delta; leave out --no-true-delta")
    elif max_beliefs is not None and not true_delta:
        raise ParameterError("--max-beliefs is for the true delta; leave it out, or --no-true-delta")
    if verbose and not (isinstance(query, DistanceQuery) and query.method is Method.SEARCH):
        raise ParameterError("--verbose shows threshold calls; leave it out, or use --method search")


def _truth(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    query: DistanceQuery,
    max_beliefs: int | None,
    budget: Budget,
) -> TraceDistance:
    """The true delta, in at most half of the time that there is."""
    beside = TraceQuery(query.skew, max_beliefs=DEFAULT_BELIEFS if max_beliefs is None else max_beliefs)
    kept = (1 - _TRUTH_SHARE) * (budget.remaining() or 0.0)
    return beside.answer(chain, pair, replace(budget, reserve=budget.reserve + kept))


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


def _truth_lines(found: TraceDistance) -> list[str]:
    """The true delta with its attack and its proof."""
    lines = [found.bracket.headline(f"true delta{_where(found.distance)}", found.profile.limit)]
    if found.attack is not None:
        lines += found.attack.report_lines()
    return [*lines, _proof(found.distance), _work(found.distance)]


def _distance_report(distance: Distance, truth: TraceDistance | None) -> Report:
    """A distance, and what follows from it and from the true delta, which is printed already."""
    lines = [distance.bracket.headline(_name(distance), distance.limit)]
    bound, known = distance.bracket, None
    if truth is not None and not truth.bracket.unchecked:
        known = truth.bracket
        if distance.quantity == "bd" and not bound.unchecked and bound.lower.value > known.upper.value:
            lines.append(_WHY_LARGER + ("" if distance.quotient else _TRY_THE_QUOTIENT))
        bound = known if bound.unchecked or known.upper.value <= bound.upper.value else bound
    lines += [_proof(distance), _work(distance), _privacy(distance, bound, known)]
    document = distance.document() | {"true_delta": None if truth is None else truth.document()}
    code = LIMIT_REACHED if distance.limit is not None else 0
    return Report("\n".join(lines), document, code)


def _trace_report(found: TraceDistance) -> Report:
    """A bracket on lv or tv with its attack."""
    distance, lines = found.distance, _truth_lines(found)
    if found.quantity == "lv":
        lines[0] = found.bracket.headline(_name(distance), found.profile.limit)
    lines.append(_privacy(distance, found.bracket, found.bracket if found.quantity == "tv" else None))
    document = distance.document() | {"true_delta": found.document()}
    return Report("\n".join(lines), document, LIMIT_REACHED if found.limit is not None else 0)


def _name(distance: Distance) -> str:
    differs = distance.quotient and distance.quantity in ("bd", "ld") and distance.alpha > 1
    of_quotient = " of the quotient" if differs else ""
    return f"{distance.quantity}{_where(distance, of_quotient)}"


def _where(distance: Distance, of_quotient: str = "") -> str:
    s, t = map(named, distance.pair)
    return f"({s}, {t}){of_quotient} at {distance.skew_text}"


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
    if isinstance(certificate, Certificate):
        uppers, lowers = len(certificate.upper), len(certificate.lower)
        what = f"{uppers} upper and {counted(lowers, 'lower record')}"
        if not uppers and not lowers:
            what = "by definition"  # one state, or one class of bisimilar ones; or two labels
    else:
        beliefs = int(distance.stats["beliefs"])
        what = counted(beliefs, "belief") if beliefs else "by definition"
    checked = "not checked" if distance.bracket.unchecked else f"checked in {seconds:.2g} s"
    return f"  proof     {what}, {checked}"


def _work(distance: Distance) -> str:
    stats = distance.stats
    if stats["method"] == "search":
        by = "" if stats["finished_by"] == stats["backend"] else f", finished by {stats['finished_by']}"
        calls = counted(int(stats["threshold_calls"]), "threshold call")
        what = f"search with {stats['backend']}: {calls}{by}"
    elif "beliefs" in stats:
        what = str(stats["method"])
    elif not stats["pairs"] and distance.limit is not None:
        what = f"{stats['method']}: stopped while the pairs were listed"
    else:
        programs = counted(int(stats["linear_programs"]), "linear program")
        what = f"{stats['method']}: {counted(int(stats['pairs']), 'pair')}, {programs}"
    return f"  work      {what}, {stats['seconds']:.2g} s"

"""``bdist threshold``: is the distance at most theta?"""

from __future__ import annotations

from pathlib import Path

from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import (
    Alpha,
    CertificateOut,
    Epsilon,
    FirstState,
    Json,
    SecondState,
    flag,
    interruptible,
    option,
    print_report,
    write_certificate,
)
from bdist.exact.rationals import as_rational, decimal_down, decimal_up, rational_text
from bdist.printing import named
from bdist.queries import Backend, ThresholdQuery
from bdist.report import Report
from bdist.results import Answer, Verdict
from bdist.thresholds.by_milp import DEFAULT_SOLVER, MILP_SOLVERS
from bdist.thresholds.question import Options

NAME = "threshold"
HELP = "Decide whether bd <= theta (BD-THRESHOLD): exit code 0 holds, 1 violated, 3 unknown."
EXAMPLE = "Example: bdist threshold instances/figure-one/chain.lmc s0 s1 --alpha 1 --theta 1/5 --backend smt"

_HINTS = {Answer.HOLDS: "holds", Answer.VIOLATED: "is violated", Answer.UNKNOWN: "is unknown"}


@reads_model
def command(
    model: Model,
    s: FirstState,
    t: SecondState,
    theta: str = option("Q", "The threshold: p/q or a decimal, read exactly.", default=...),
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    backend: str = option("|".join(Backend), "What decides; every answer is certified.", default="strategy"),
    milp_solver: str | None = option(
        "|".join(MILP_SOLVERS), f"With --backend milp: the branch and bound. [default: {DEFAULT_SOLVER}]"
    ),
    bits: int | None = option(
        "N",
        "With --backend sat-bits: how many bits denominators may have. [default: more and more]",
        min=1,
        max=64,
    ),
    dimacs: Path | None = option("OUT", "With --backend sat-bits: write the last CNF there."),
    smt2: Path | None = option("OUT", "With --backend smt: write the last SMT-LIB script there."),
    confirm: bool = flag(
        "--confirm/--no-confirm",
        "Let strategy iteration prove an answer that a backend found and cannot prove.",
        default=True,
    ),
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, decide, print."""
    options = Options(milp_solver, bits, dimacs, smt2)
    query = ThresholdQuery.of(alpha, epsilon, as_rational(theta, "--theta"), backend, options, confirm)
    chain = model.load()
    with interruptible() as budget:
        verdict = query.answer(chain, (s, t), budget)
    write_certificate(certificate, verdict.certificate)
    print_report(_report(verdict), json)


def _report(verdict: Verdict) -> Report:
    return Report(_text(verdict), verdict.document(), verdict.answer.exit_code)


def _text(verdict: Verdict) -> str:
    question = f"bd({named(verdict.pair[0])}, {named(verdict.pair[1])}) <= {rational_text(verdict.theta)}"
    where = f"at alpha {rational_text(verdict.alpha)}"
    lines = []
    if verdict.answer is Answer.UNKNOWN:
        lines.append(f"{question} {where}: unknown")
        low, high = decimal_down(verdict.bracket.lower.value), decimal_up(verdict.bracket.upper.value)
        lines.append(f"  known     {low} <= bd <= {high}")
        if verdict.hint is not None:
            lines.append(f"  hint      it {_HINTS[verdict.hint]}, without a proof")
    else:
        lines.append(f"{question} {where}: {verdict.answer.value}        certified")
        if verdict.answer is Answer.HOLDS:
            lines.append(f"  proof     bd <= {rational_text(verdict.bracket.upper.value)}")
        else:
            lines.append(f"  proof     bd >= {rational_text(verdict.bracket.lower.value)}")
    if verdict.reason is not None:
        lines.append(f"  reason    {verdict.reason}")
    return "\n".join([*lines, f"  work      {_work(verdict)}"])


def _work(verdict: Verdict) -> str:
    """Who decided, what there was to do, and how long it took; what was not needed is left out."""
    counts = {name: value for name, value in verdict.stats.items() if name not in ("backend", "seconds")}
    done = [f"{name.replace('_', ' ')} {value}" for name, value in counts.items() if value]
    who, seconds = verdict.stats.get("backend", "strategy"), float(verdict.stats.get("seconds", 0.0))
    return f"{who}: {', '.join([*done, f'{seconds:.2g} s'])}"

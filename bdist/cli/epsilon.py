"""``bdist epsilon``: the least epsilon for a given delta."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import typer

from bdist.certificates.document import Certificate
from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import (
    CertificateOut,
    FirstState,
    Json,
    SecondState,
    interruptible,
    print_report,
    write_certificate,
)
from bdist.exact.display import decimal_cut, decimal_down, decimal_up, exact_text
from bdist.exact.epsilon import log_down, log_text, log_up
from bdist.exact.reading import as_rational, rational_text
from bdist.printing import named, path_text
from bdist.queries import EpsilonQuery
from bdist.report import LIMIT_REACHED, Report
from bdist.traces.attack import Attack
from bdist.traces.epsilon import EPSILON_TOLERANCE, EpsilonBracket, prefix_text

NAME = "epsilon"
HELP = "The least epsilon for a given delta, from both sides: certified from above, by an attack from below."
EXAMPLE = "Example: bdist epsilon instances/randomised-response/one-question.lmc yes no --delta 0"

_MOST_PREFIXES = 5
_LONGEST_FRACTION = 40

Delta = Annotated[str, typer.Option("--delta", metavar="Q", help="The delta to allow, from 0 to 1.")]
Tolerance = Annotated[
    str, typer.Option("--tolerance", metavar="Q", help="The width on epsilon at which to stop.")
]


@reads_model
def command(
    model: Model,
    s: FirstState,
    t: SecondState,
    delta: Delta,
    tolerance: Tolerance = decimal_down(EPSILON_TOLERANCE),
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, search, print."""
    query = EpsilonQuery(as_rational(delta, "--delta"), as_rational(tolerance, "--tolerance"))
    chain = model.load()
    with interruptible() as budget:
        found = query.answer(chain, (s, t), budget)
    write_certificate(certificate, found.certificate)
    if certificate is not None and found.certificate is None:
        typer.echo(f"bdist: nothing is certified, so {path_text(certificate)} was not written", err=True)
    code = LIMIT_REACHED if found.limit is not None else 0
    print_report(Report(_text(found), _document(found), code), json)


def _text(found: EpsilonBracket) -> str:
    first, second = found.pair
    name = f"least epsilon({named(first)}, {named(second)}) for delta {rational_text(found.delta)}"
    lines = [_headline(name, found)]
    if found.reason is not None:
        lines.append(f"  reason    {found.reason}")
    if found.upper_alpha is not None:
        lines.append(_privacy(found.upper_alpha, found))
    if found.attack is not None:
        lines += _attack_lines(found, found.attack)
    if found.refutation is not None and found.lower_alpha is not None:
        alpha, lower = found.refutation.alpha, found.refutation.claims[0].lower
        lines.append(
            f"  refuted   tv is at least {decimal_down(lower)} at alpha {_alpha_text(alpha)}, certified:"
        )
        lines.append(f"            every alpha below {_alpha_text(found.lower_alpha)} is refuted")
    return "\n".join(lines)


def _privacy(alpha: Fraction, found: EpsilonBracket) -> str:
    """What is certified at the upper end; that it is the least is said of the exact number only."""
    delta, text, only = rational_text(found.delta), rational_text(alpha), ""
    least = found.exact and alpha > 1
    if len(text) > _LONGEST_FRACTION:
        text = decimal_up(alpha)
        only = f", rounded up{' from the least' if least else ''}; --json has the exact alpha"
    elif least:
        only = ", and for no smaller epsilon"
    epsilon = "0" if alpha == 1 else f"ln({text})"
    return f"  privacy   ({epsilon}, {delta})-differential privacy holds{only}"


def _headline(name: str, found: EpsilonBracket) -> str:
    low, high = found.lower_alpha, found.upper_alpha
    if low is None:
        return f"{name}: there is none        exact"
    why = f"; {found.limit}" if found.limit else ""
    if high is None:
        return f"{decimal_down(log_down(low))} <= {name}        no upper bound found{why}"
    by_attack = found.attack is not None
    if found.exact:
        value = "0" if high == 1 else f"ln({_alpha_text(high)}) = {log_text(high)}"
        return f"{name} = {value}        exact, certified{' from above' if by_attack else ''}"
    strength = "proved bracket, certified from above" if by_attack else "certified bracket"
    return f"{decimal_down(log_down(low))} <= {name} <= {decimal_up(log_up(high))}        {strength}{why}"


def _alpha_text(alpha: Fraction) -> str:
    text = rational_text(alpha)
    return text if len(text) <= _LONGEST_FRACTION else decimal_cut(alpha)


def _attack_lines(found: EpsilonBracket, attack: Attack) -> list[str]:
    first, second = map(named, attack.pair)
    shown = [prefix_text(prefix) for prefix in attack.prefixes[:_MOST_PREFIXES]]
    lines = [f"  attack    say '{first}' when the labels begin with: {shown[0]}"]
    lines += [f"            or: {text}" for text in shown[1:]]
    if len(attack.prefixes) > len(shown):
        lines.append(f"            or {len(attack.prefixes) - len(shown)} more (in the list of --json)")
    lines.append(f"            probability {exact_text(attack.first)} from {first},")
    lines.append(f"            probability {exact_text(attack.second)} from {second}:")
    refuted = (
        "every epsilon"
        if found.lower_alpha is None
        else f"every alpha below {_alpha_text(found.lower_alpha)}"
    )
    lines.append(f"            {refuted} is refuted")
    return lines


def _document(found: EpsilonBracket) -> dict[str, object]:
    low, high = found.lower_alpha, found.upper_alpha
    return {
        "pair": list(found.pair),
        "delta": rational_text(found.delta),
        "possible": False if found.is_impossible else True if high is not None else None,
        "lower_alpha": None if low is None else rational_text(low),
        "upper_alpha": None if high is None else rational_text(high),
        "lower_epsilon": None if low is None else decimal_down(log_down(low)),
        "upper_epsilon": None if high is None else decimal_up(log_up(high)),
        "exact": found.exact,
        "attack": None if found.attack is None else found.attack.document(),
        "refutation": None if found.refutation is None else _refutation_json(found.refutation),
        "reason": found.reason,
        "limit": found.limit,
    }


def _refutation_json(certificate: Certificate) -> dict[str, object]:
    """The tv above delta that refutes what is below the lower end, where no attack is listed."""
    return {
        "quantity": certificate.quantity,
        "alpha": rational_text(certificate.alpha),
        "lower": rational_text(certificate.claims[0].lower),
    }

"""``bdist epsilon``: the least epsilon for a given delta."""

from __future__ import annotations

from fractions import Fraction

from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import (
    CertificateOut,
    FirstState,
    Json,
    SecondState,
    interruptible,
    option,
    print_report,
    write_certificate,
)
from bdist.exact.epsilon import log_text
from bdist.exact.rationals import (
    as_rational,
    decimal_cut,
    decimal_down,
    decimal_up,
    exact_text,
    rational_text,
)
from bdist.printing import named
from bdist.queries import EpsilonQuery
from bdist.report import LIMIT_REACHED, Report
from bdist.traces.answers import EPSILON_TOLERANCE, EpsilonBracket
from bdist.traces.profile import Order

NAME = "epsilon"
HELP = "The least epsilon for a given delta, in closed form where the profile is exact, and certified."
EXAMPLE = "Example: bdist epsilon instances/randomised-response/one-question.lmc yes no --delta 0"

_LONGEST_FRACTION = 40


@reads_model
def command(
    model: Model,
    s: FirstState,
    t: SecondState,
    delta: str = option("Q", "The delta to allow, from 0 to 1.", default=...),
    tolerance: str = option(
        "Q", "The width on epsilon at which to stop.", default=decimal_down(EPSILON_TOLERANCE)
    ),
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, search, print."""
    query = EpsilonQuery(as_rational(delta, "--delta"), as_rational(tolerance, "--tolerance"))
    chain = model.load()
    with interruptible() as budget:
        found = query.answer(chain, (s, t), budget)
    write_certificate(certificate, found.certificate)
    code = LIMIT_REACHED if found.limit is not None else 0
    print_report(Report(_text(found), found.document(), code), json)


def _text(found: EpsilonBracket) -> str:
    first, second = found.pair
    name = f"least epsilon({named(first)}, {named(second)}) for delta {rational_text(found.delta)}"
    lines = [_headline(name, found)]
    if found.upper_alpha is not None:
        lines.append(_privacy(found.upper_alpha, found))
    return "\n".join([*lines, *_test_lines(found)])


def _headline(name: str, found: EpsilonBracket) -> str:
    if found.lower is None:
        return f"{name}: there is none        exact, certified"
    why, alpha = f"; {found.limit}" if found.limit else "", found.upper_alpha
    low = decimal_down(found.lower.value)
    if alpha is None or found.upper is None:
        return f"{low} <= {name}        no upper bound found{why}"
    if found.exact:
        value = "0" if alpha == 1 else f"ln({_alpha_text(alpha)}) = {log_text(alpha)}"
        return f"{name} = {value}        exact, certified"
    return f"{low} <= {name} <= {decimal_up(found.upper.value)}        certified bracket{why}"


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


def _test_lines(found: EpsilonBracket) -> list[str]:
    """What refutes everything below: a test, by its two rates."""
    refuting = found.refuting_test()
    if refuting is None:
        return []
    order, test = refuting
    first, second = map(named, found.pair if order is Order.FORWARD else found.pair[::-1])
    if found.lower_profile.exact:
        right, wrong = exact_text(test.true_positive), exact_text(test.false_positive)
    else:
        right = f"at least {decimal_down(test.true_positive)}"
        wrong = f"at most {decimal_up(test.false_positive)}"
    lines = [f"  attack    a test says '{first}' with probability {right} from {first}"]
    if test.false_positive == 0:
        certain = ": the two states are told apart with certainty" if test.true_positive == 1 else ""
        lines.append(f"            and never from {second}{certain}")
    else:
        lines.append(f"            and with probability {wrong} from {second}")
    refuted = (
        "every epsilon is refuted"
        if found.lower_alpha is None
        else f"every alpha below {_alpha_text(found.lower_alpha)} is refuted"
    )
    lines.append(f"            {refuted}; 'bdist attack' tells what to look for")
    return lines


def _alpha_text(alpha: Fraction) -> str:
    text = rational_text(alpha)
    return text if len(text) <= _LONGEST_FRACTION else decimal_cut(alpha)

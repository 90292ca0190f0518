"""``bdist quotient``: bisimilar states merged into one, with a proof, and why others were not merged."""

from __future__ import annotations

from pathlib import Path

from bdist.budget import Budget
from bdist.certificates.merged import ProvedQuotient
from bdist.chains.chain import fingerprint
from bdist.chains.formats import lmc
from bdist.chains.quotient import Quotient
from bdist.chains.relation import parse_pairs
from bdist.cli.models import Model, reads_model
from bdist.cli.standard_input import DASH
from bdist.cli.terminal import (
    Json,
    check_writable,
    complain,
    interruptible,
    option,
    print_model,
    print_report,
)
from bdist.distances.compute import Skew
from bdist.errors import ParameterError
from bdist.exact.rationals import exact_text, rational_text
from bdist.printing import named, path_text
from bdist.queries import QuotientQuery, TraceQuery
from bdist.report import Report
from bdist.text.files import write_text

NAME = "quotient"
HELP = (
    "Merge bisimilar states (Definition 8 of the paper). The true delta does not change; bd stays the same "
    "or becomes smaller."
)
EXAMPLE = "Example: bdist quotient instances/dining-cryptographers/two.lmc -o merged.lmc"

CLASSES_SHOWN = 20
MEMBERS_SHOWN = 8
_EVENT_SECONDS = 10.0  # are spent on an event that tells two states apart


@reads_model
def command(
    model: Model,
    output: Path | None = option(
        "OUT", "Write the quotient there, as .lmc; - is standard output.", "-o", "--output"
    ),
    certificate: Path | None = option(
        "OUT", "Write the proof that merged states are bisimilar, for 'bdist check' or any other checker."
    ),
    apart: str | None = option(
        "S:T,...", "Say why these states were not merged: a step and an event that tell them apart."
    ),
    json: Json = False,
) -> None:
    """Read the chain, merge, print and write."""
    if output == DASH and (json or apart is not None):
        other = "--json" if json else "--apart"
        raise ParameterError(f"-o - and {other} both print on standard output; name a file for the quotient")
    check_writable(output, model.path)
    check_writable(certificate, model.path)
    if output is not None and certificate is not None and output.absolute() == certificate.absolute():
        raise ParameterError(f"the quotient and its certificate both go to {output}; name two files")
    pairs = [] if apart is None else list(parse_pairs(apart))
    chain = model.load()
    with interruptible() as budget:
        found = QuotientQuery(certificate=certificate is not None).answer(chain, budget)
    text = lmc.write(found.chain)
    if output is not None and output != DASH:
        write_text(output, text)
    lines = [_classes(found)]
    if certificate is not None:
        lines.append(_proof(found, certificate))
    reasons = []
    for s, t in pairs:
        with interruptible(_EVENT_SECONDS) as budget:
            reasons.append(_reason(found, s, t, budget))
    if output == DASH:
        for line in lines[1:]:  # about the certificate
            complain(line.strip())
        print_model(text)
        return
    lines += [reason.text for reason in reasons]
    if output is not None:
        sizes = f"{len(found.chain)} states, {len(found.chain.states_by_label)} labels"
        lines.append(f"{path_text(output)}: {sizes}")
    document = {
        "states": len(found.original),
        "classes": len(found.chain),
        "merged": [list(members) for members in found.merged],
        "fingerprint": fingerprint(found.chain),
        "output": None if output is None else str(output),
        "certificate": None if certificate is None else str(certificate),
        "apart": [reason.document for reason in reasons],
        "model": text,
    }
    print_report(Report("\n".join(lines), document), json)


def _proof(found: ProvedQuotient, path: Path) -> str:
    """Write the proof, and say so."""
    proof = found.certificate
    if proof is None:
        return "  proof     none is needed: nothing was merged, and no certificate is written"
    proof.write(path)
    strength = "checked" if found.unchecked is None else f"not checked: {found.unchecked}"
    return f"  proof     {path_text(path)}: the partition and {len(proof.claims)} claims bd = 0, {strength}"


def _reason(found: ProvedQuotient, s: str, t: str, budget: Budget) -> Report:
    """Why two states are not one."""
    names, pair = f"{named(s)} and {named(t)}", [s, t]
    one, other = (found.original.label(state) for state in (s, t))
    if one != other:
        text = f"{names} are apart: their labels are {named(one)} and {named(other)}"
        return Report(text, {"pair": pair, "merged": False, "labels": [one, other]})
    step = found.step_apart(s, t)
    if step is None:
        return Report(f"{names} are merged", {"pair": pair, "merged": True})
    where, p, q = step
    event = TraceQuery(Skew.of(1, None)).answer(found.chain, (found.of(s), found.of(t)), budget)
    told = {"step": {"class": where, "probabilities": [rational_text(p), rational_text(q)]}}
    lines = [
        f"{names} are apart: they go to the class of {named(where)} with the probabilities "
        f"{exact_text(p)} and {exact_text(q)}"
    ]
    if event.attack is not None:
        lines += event.attack.report_lines()
    elif event.bracket.upper.value == 0:
        lines.append("  event     none: what an observer of labels sees has the same distribution from both")
    else:
        lines.append(f"  event     none was found: {event.profile.limit}")
    attack = None if event.attack is None else event.attack.document()
    return Report("\n".join(lines), {"pair": pair, "merged": False, **told, "event": attack})


def _classes(found: Quotient) -> str:
    """Sizes, and the first classes that have more than one member."""
    merged = found.merged
    if not merged:
        return f"states: {len(found.original)}, no two of them bisimilar"
    lines = [f"states: {len(found.original)}, and {len(found.chain)} after merging those that are bisimilar"]
    lines += [f"  {_listed(members)}" for members in merged[:CLASSES_SHOWN]]
    if len(merged) > CLASSES_SHOWN:
        lines.append(f"  and {len(merged) - CLASSES_SHOWN} more classes with more than one member")
    return "\n".join(lines)


def _listed(members: tuple[str, ...]) -> str:
    shown = " = ".join(map(named, members[:MEMBERS_SHOWN]))
    return f"{shown} = {len(members) - MEMBERS_SHOWN} more" if len(members) > MEMBERS_SHOWN else shown

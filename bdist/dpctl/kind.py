"""Markov decision processes, as one kind of model among others.

What `bdist show` says of one: the numbers, where there is something to choose, and a list. The list is the
text of the ``.mdp`` format, in which a row for all actions says ``*``.

Also what a checked certificate of a formula proves of a chain or of a process, in words.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from bdist import checker
from bdist.dpctl import text as mdp
from bdist.dpctl.families import DECISION_PROCESSES
from bdist.dpctl.mdp import MarkovDecisionProcess, fingerprint
from bdist.exact.rationals import counted, exact_text, rational_text
from bdist.printing import listed, named, printable, shortened
from bdist.report import Report
from bdist.theories import ModelKind, sizes_text

LISTED_LINES = 160
_NAMES_SHOWN = 8


def sizes_of(process: MarkovDecisionProcess) -> dict[str, int]:
    """The numbers by what they count; the transitions are those of all actions."""
    return {
        "states": len(process.states),
        "actions": len(process.actions),
        "transitions": sum(len(row) for rows in process.rows for row in rows),
        "labels": len(set(process.labels)),
    }


def describe(process: MarkovDecisionProcess) -> Report:
    """What is in a process."""
    labels, sizes, known_as = Counter(process.labels), sizes_of(process), fingerprint(process)
    choosing, staying = [], []  # where actions do not all do the same; what no action leaves
    for number, (state, rows) in enumerate(zip(process.states, process.rows, strict=True)):
        if any(row != rows[0] for row in rows):
            choosing.append(state)
        if all(len(row) == 1 and row[0][0] == number for row in rows):
            staying.append(state)
    document = {
        "name": process.name,
        "fingerprint": known_as,
        **sizes,
        "labels": dict(labels),
        "actions": list(process.actions),
        "choosing": choosing,
        "absorbing": staying,
    }
    name = f"{printable(shortened(process.name, 60))}: " if process.name else ""
    lines = [f"{name}a Markov decision process of {sizes_text(sizes)}"]
    lines.append(f"  actions       {_some(process.actions)}")
    shown = [f"{printable(shortened(label))} {count}" for label, count in labels.items()]
    lines.append(f"  labels        {listed(shown, _NAMES_SHOWN, str)}")
    lines.append(f"  choice        the action matters in {_number(choosing)}")
    lines.append(f"  absorbing     {_number(staying)}")
    lines.append(f"  fingerprint   {known_as}")
    text = mdp.write(process).removesuffix("\n")
    length = text.count("\n") + 1
    if length > LISTED_LINES:
        text = f"not listed: {length} lines; at most {LISTED_LINES} are listed (bdist convert writes it)"
    return Report("\n".join([*lines, "", text]), document)


def _number(states: Sequence[str]) -> str:
    return f"{counted(len(states), 'state')}: {_some(states)}" if states else "no state"


def _some(names: Sequence[str]) -> str:
    return listed(names, _NAMES_SHOWN, lambda name: printable(shortened(name)))


KIND = ModelKind(
    name="Markov decision process",
    suffix=mdp.SUFFIX,
    type=MarkovDecisionProcess,
    families=DECISION_PROCESSES,
    write=mdp.write,
    fingerprint=fingerprint,
    sizes=sizes_of,
    made=("states", "actions"),
    describe=describe,
)


_LONGEST_LIST = 20


is_about_a_chain = checker.is_formula_certificate
check = checker.check_decision_process


def check_chain(model: str, certificate: str, allowed: checker.Allowance | None = None) -> Any:
    """The check of a certificate of a formula on a chain, or on all chains between it and another one."""
    is_enclosure = checker.is_enclosure_certificate(certificate)
    return (checker.check_enclosure if is_enclosure else checker.check_formula)(model, certificate, allowed)


def proved(report: checker.DecisionReport | checker.FormulaReport | checker.EnclosureReport) -> Report:
    """The formula as the certificate has it, and where it holds, or how likely it is."""
    if isinstance(report, checker.EnclosureReport):
        lines, document, sizes = _enclosure(report)
    elif isinstance(report, checker.FormulaReport):
        lines, document, sizes = _chain(report)
    else:
        lines, document, sizes = _process(report)
    formula, neighbours = _array(report.formula), report.neighbours
    sizes = f"{sizes}, {counted(neighbours, 'pair of neighbours', 'pairs of neighbours')} checked"
    text = "\n          ".join([f"accepted  about the formula {json.dumps(formula)}", *lines, sizes])
    shared = {"states": report.states, "neighbours": neighbours}
    return Report(text, {"accepted": True, "formula": formula, **document, **shared})


def _chain(report: checker.FormulaReport) -> tuple[list[str], dict[str, object], str]:
    states, satisfied, likely = counted(report.states, "state"), report.satisfied, report.probabilities
    lines = []
    if satisfied is not None:
        names = listed(satisfied, _LONGEST_LIST)
        lines.append(f"{len(satisfied)} of {states} satisfy it{': ' if names else ''}{names}")
    for state, value in (likely or ())[:_LONGEST_LIST]:
        lines.append(f"its probability from {named(state)} is {exact_text(value)}")
    if likely is not None and len(likely) > _LONGEST_LIST:
        lines.append(f"and so on for {len(likely) - _LONGEST_LIST} more states")
    document: dict[str, object] = {
        "satisfied": satisfied,
        "probabilities": None if likely is None else {s: rational_text(value) for s, value in likely},
    }
    return lines, document, states


def _enclosure(report: checker.EnclosureReport) -> tuple[list[str], dict[str, object], str]:
    lines = [f"in all chains between the model and that with the fingerprint {report.other}"]
    for states, verdict in ((report.holds, "it holds in"), (report.violated, "it is violated in")):
        if states:
            lines.append(f"{verdict} {listed(states, _LONGEST_LIST)}")
    likely = report.probabilities or ()
    for state, low, high in likely[:_LONGEST_LIST]:
        lines.append(f"its probability from {named(state)} is from {exact_text(low)} to {exact_text(high)}")
    if len(likely) > _LONGEST_LIST:
        lines.append(f"and so on for {len(likely) - _LONGEST_LIST} more states")
    document: dict[str, object] = {
        "other": report.other,
        "holds": report.holds,
        "violated": report.violated,
        "probabilities": {s: [rational_text(low), rational_text(high)] for s, low, high in likely},
    }
    return lines, document, counted(report.states, "state")


def _process(report: checker.DecisionReport) -> tuple[list[str], dict[str, object], str]:
    lines = []
    for states, verdict in ((report.holds, "it holds in"), (report.violated, "it is violated in")):
        if states:
            lines.append(f"{verdict} {listed(states, _LONGEST_LIST)}")
    claims: list[checker.ProvedExtremes | checker.ProvedQueries] = [*report.extremes, *report.queries]
    for claim in claims[:_LONGEST_LIST]:
        about = f"from {named(claim.state)}, {json.dumps(_array(claim.formula))}"
        if isinstance(claim, checker.ProvedExtremes):
            between = f"{exact_text(claim.low)} to {exact_text(claim.high)}"
            lines.append(f"{about} has a probability of {between}, over all schedulers")
        else:
            dots = " ..." if len(claim.actions) > _LONGEST_LIST else ""
            queries = " ".join(map(named, claim.actions[:_LONGEST_LIST])) + dots
            lines.append(f"{about} has the probability {exact_text(claim.probability)}, with {queries}")
    if len(claims) > _LONGEST_LIST:
        lines.append(f"and {len(claims) - _LONGEST_LIST} more claims")
    document = {
        "holds": report.holds,
        "violated": report.violated,
        "extremes": [_array(claim._asdict()) for claim in report.extremes],
        "queries": [_array(claim._asdict()) for claim in report.queries],
        "parts": report.parts,
        "actions": report.actions,
    }
    return lines, document, f"{counted(report.states, 'state')}, {counted(report.actions, 'action')}"


def _array(value: object) -> object:
    """Formulas as the JSON arrays that they were, and what is said of them."""
    if isinstance(value, dict):
        return {name: _array(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_array(item) for item in value]
    return rational_text(value) if isinstance(value, Fraction) else value

"""What a checked certificate of a formula proves of a chain or of a decision process, in words."""

from __future__ import annotations

import json
from fractions import Fraction

from bdist import checker
from bdist.exact.display import counted, exact_text
from bdist.exact.reading import rational_text
from bdist.printing import listed, named
from bdist.report import Report

_LONGEST_LIST = 20


is_about_a_chain = checker.is_formula_certificate
check_chain = checker.check_formula
check = checker.check_decision_process


def describe(report: checker.DecisionReport | checker.FormulaReport) -> Report:
    """The formula as the certificate has it, and where it holds, or how likely it is."""
    lines, document, sizes = _chain(report) if isinstance(report, checker.FormulaReport) else _process(report)
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

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


def check(model: str, certificate: str, allowed: checker.Allowance | None = None) -> checker.DecisionReport:
    """The independent check of a certificate against the text of a decision process."""
    return checker.check_decision_process(model, certificate, allowed)


is_about_a_chain = checker.is_formula_certificate


def check_chain(
    model: str, certificate: str, allowed: checker.Allowance | None = None
) -> checker.FormulaReport:
    """The independent check of a certificate against the text of a chain."""
    return checker.check_formula(model, certificate, allowed)


def describe(report: checker.DecisionReport | checker.FormulaReport) -> Report:
    """The formula as the certificate has it, and where it holds."""
    if isinstance(report, checker.FormulaReport):
        return Report("\n".join(_formula_lines(report)), _formula_document(report))
    return Report("\n".join(_decision_lines(report)), _decision_document(report))


def _formula_lines(report: checker.FormulaReport) -> list[str]:
    """The formula as the certificate has it, and its states or probabilities."""
    lines = [f"accepted  about the formula {json.dumps(_array(report.formula))}"]
    if report.satisfied is not None:
        states = listed(report.satisfied, _LONGEST_LIST)
        count = f"{len(report.satisfied)} of {counted(report.states, 'state')}"
        lines.append(f"          {count} satisfy it{': ' if states else ''}{states}")
    for state, value in (report.probabilities or ())[:_LONGEST_LIST]:
        lines.append(f"          its probability from {named(state)} is {exact_text(value)}")
    if len(report.probabilities or ()) > _LONGEST_LIST:
        lines.append(f"          and so on for {len(report.probabilities or ()) - _LONGEST_LIST} more states")
    sizes = f"{counted(report.states, 'state')}, {_neighbours(report.neighbours)}"
    return [*lines, f"          {sizes} checked"]


def _formula_document(report: checker.FormulaReport) -> dict[str, object]:
    likely = report.probabilities
    return {
        "accepted": True,
        "formula": _array(report.formula),
        "satisfied": None if report.satisfied is None else list(report.satisfied),
        "probabilities": None if likely is None else {s: rational_text(value) for s, value in likely},
        "states": report.states,
        "neighbours": report.neighbours,
    }


def _decision_lines(report: checker.DecisionReport) -> list[str]:
    """The formula, and in which states of the process it holds and is violated."""
    lines = [f"accepted  about the formula {json.dumps(_array(report.formula))}"]
    for states, verdict in ((report.holds, "it holds in"), (report.violated, "it is violated in")):
        if states:
            lines.append(f"          {verdict} {listed(states, _LONGEST_LIST)}")
    claims: list[checker.ProvedExtremes | checker.ProvedQueries] = [*report.extremes, *report.queries]
    for claim in claims[:_LONGEST_LIST]:
        about = f"          from {named(claim.state)}, {json.dumps(_array(claim.formula))}"
        if isinstance(claim, checker.ProvedExtremes):
            between = f"{exact_text(claim.low)} to {exact_text(claim.high)}"
            lines.append(f"{about} has a probability of {between}, over all schedulers")
        else:
            dots = " ..." if len(claim.actions) > _LONGEST_LIST else ""
            queries = " ".join(map(named, claim.actions[:_LONGEST_LIST])) + dots
            lines.append(f"{about} has the probability {exact_text(claim.probability)}, with {queries}")
    if len(claims) > _LONGEST_LIST:
        lines.append(f"          and {len(claims) - _LONGEST_LIST} more claims")
    sizes = f"{counted(report.states, 'state')}, {counted(report.actions, 'action')}"
    sizes = f"{sizes}, {_neighbours(report.neighbours)}"
    return [*lines, f"          {sizes} checked"]


def _decision_document(report: checker.DecisionReport) -> dict[str, object]:
    return {
        "accepted": True,
        "formula": _array(report.formula),
        "holds": list(report.holds),
        "violated": list(report.violated),
        "extremes": [
            {"formula": _array(path), "state": s, "low": rational_text(low), "high": rational_text(high)}
            for path, s, low, high in report.extremes
        ],
        "queries": [
            {"formula": _array(path), "state": s, "actions": list(actions), "probability": rational_text(p)}
            for path, s, actions, p in report.queries
        ],
        "parts": report.parts,
        "states": report.states,
        "actions": report.actions,
        "neighbours": report.neighbours,
    }


def _neighbours(number: int) -> str:
    return counted(number, "pair of neighbours", "pairs of neighbours")


def _array(value: object) -> object:
    """A formula as the JSON array that it was."""
    if isinstance(value, tuple):
        return [_array(item) for item in value]
    return rational_text(value) if isinstance(value, Fraction) else value

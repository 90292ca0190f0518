"""What a checked certificate of an automaton proves, in words."""

from __future__ import annotations

from bdist import checker
from bdist.exact.display import counted, exact_text
from bdist.exact.reading import rational_text
from bdist.report import Report

check = checker.check_automaton


def describe(report: checker.AutomatonReport) -> Report:
    """The weight that is proved, or the leak."""
    found = f"not private for any bound: {report.leak}"
    if report.weight is not None:
        found = f"private with the weight {exact_text(report.weight)}, times epsilon, for every epsilon"
    text = f"accepted  {found}\n          {counted(report.transitions, 'transition')} checked"
    document = {
        "accepted": True,
        "private": report.private,
        "weight": None if report.weight is None else rational_text(report.weight),
        "leak": report.leak,
        "transitions": report.transitions,
    }
    return Report(text, document)

"""Automata, as one kind of model among others, and what a checked certificate of one proves, in words."""

from __future__ import annotations

from bdist import checker
from bdist.dipa import text
from bdist.dipa.automaton import Automaton, fingerprint
from bdist.dipa.families import AUTOMATA
from bdist.exact.rationals import counted, exact_text, rational_text
from bdist.report import Report
from bdist.theories import ModelKind


def _sizes(automaton: Automaton) -> dict[str, int]:
    return {"states": len(automaton.states), "transitions": len(automaton.transitions)}


KIND = ModelKind("automaton", text.SUFFIX, Automaton, AUTOMATA, text.write, fingerprint, _sizes)


check = checker.check_automaton


def proved(report: checker.AutomatonReport) -> Report:
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

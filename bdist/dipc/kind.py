"""Programs, as one kind of model among others, and what a checked certificate of one proves, in words."""

from __future__ import annotations

from fractions import Fraction

from bdist import checker
from bdist.dipc import text
from bdist.dipc.expansion import expanded, fingerprint
from bdist.dipc.families import PROGRAMS
from bdist.dipc.program import Program
from bdist.exact.rationals import counted, exact_text, rational_text
from bdist.printing import listed, named
from bdist.report import Report
from bdist.theories import ModelKind


def _sizes(program: Program) -> dict[str, int]:
    """The inputs and outputs that there are when arrays are written out."""
    whole = expanded(program)
    return {"inputs": len(whole.inputs), "outputs": len(whole.outputs)}


KIND = ModelKind("program", text.SUFFIX, Program, PROGRAMS, text.write, fingerprint, _sizes)


_LONGEST_LIST = 20


check = checker.check_program


def proved(report: checker.ProgramReport) -> Report:
    """For which epsilon a program is private, or the counterexample."""
    return Report("\n".join(_lines(report)), _document(report))


def _lines(report: checker.ProgramReport) -> list[str]:
    delta = "0" if not report.delta else "delta"
    privacy = f"({exact_text(report.factor)} epsilon, {delta})-differentially private"
    probabilities = counted(report.probabilities, "probability", "probabilities")
    sizes = f"{probabilities}, {counted(report.inequalities, 'inequality', 'inequalities')} checked"
    lines = [f"accepted  {privacy} for every epsilon in {report.interval}"]
    if report.counterexample is None:
        neighbours = counted(report.pairs, "pair of neighbours", "pairs of neighbours")
        sizes = f"{counted(report.inputs, 'input')}, {neighbours}, {sizes}"
    else:
        point, neighbour, outputs, epsilon = report.counterexample
        lines = [f"accepted  not {privacy} at epsilon {exact_text(epsilon)}"]
        lines.append(f"          inputs {_shown_tuple(point)} and {_shown_tuple(neighbour)}")
        lines.append(f"          outputs {listed(outputs, _LONGEST_LIST, _shown_tuple)}")
    if report.delta:
        parts = (_shown_terms(k, row) for k, row in report.delta)
        lines.append(f"          with delta = {' + '.join(part for row in parts for part in row)}")
    return [*lines, f"          {sizes}"]


def _shown_tuple(values: tuple[Fraction | str, ...]) -> str:
    return f"({', '.join(named(x) if isinstance(x, str) else rational_text(x) for x in values)})"


def _shown_terms(k: Fraction, row: tuple[Fraction, ...]) -> list[str]:
    """The terms c epsilon^j e^(k epsilon) of one k."""
    powers = [("" if j == 0 else " epsilon" if j == 1 else f" epsilon^{j}", c) for j, c in enumerate(row)]
    growth = f" e^({rational_text(k)} epsilon)" if k else ""
    return [f"{rational_text(c)}{power}{growth}" for power, c in powers if c]


def _document(report: checker.ProgramReport) -> dict[str, object]:
    found: dict[str, object] = {
        "accepted": True,
        "holds": report.holds,
        "factor": rational_text(report.factor),
        "delta": [[rational_text(k), [rational_text(c) for c in row]] for k, row in report.delta],
        "interval": report.interval,
        "inputs": report.inputs,
        "pairs": report.pairs,
        "probabilities": report.probabilities,
        "inequalities": report.inequalities,
        "counterexample": None,
    }
    if report.counterexample is not None:
        point, neighbour, outputs, epsilon = report.counterexample
        found["counterexample"] = {
            "input": [rational_text(x) for x in point],
            "neighbour": [rational_text(x) for x in neighbour],
            "outputs": [
                [x if isinstance(x, str) else rational_text(x) for x in output] for output in outputs
            ],
            "epsilon": rational_text(epsilon),
        }
    return found

"""The benchmark in print: a table for a terminal, CSV and JSON for programs, and on what machine it was.

The table has a line for each case and question and a column for each backend, with its time and the ratio to
strategy iteration in the same line. A question mark says that the backend came to an end without a certified
answer, a "greater than" that it did not come to an end. Reasons are listed once, below.

Seconds are worth little without the machine and the versions of the solvers, so these are always there. The
machine is described by what decides speed; its name and its paths are nobody's business.
"""

from __future__ import annotations

import csv
import io
import os
import platform
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import wrap

from bdist.budget import Budget
from bdist.exact.reading import rational_text
from bdist.processes import call
from bdist.thresholds.bench_cases import Case, Series
from bdist.thresholds.bench_cell import Status
from bdist.thresholds.benchmark import REFERENCE, Cell, Study

PACKAGES = ("bdist", "python-flint", "highspy", "PuLP", "python-sat", "z3-solver", "numpy")
COLUMNS = (
    *("family", "parameters", "size", "seed", "pair", "alpha", "states", "pairs", "value"),
    *("question", "theta", "backend", "status", "seconds", "ratio", "runs"),
    *("linear_programs", "variables", "clauses", "constraints", "peak_memory", "reason", "time_limit"),
)
_WIDTH = 16  # of a backend's column
_CONSTRAINTS = ("rows", "assertions")

Scalar = str | int | float | None


@dataclass(frozen=True)
class Machine:
    """What times depend on; ``process_seconds`` is how long a process takes that does nothing."""

    cpu: str
    cores: int
    system: str
    python: str
    packages: tuple[tuple[str, str], ...]
    process_seconds: float

    @classmethod
    def this(cls) -> Machine:
        """The machine at hand; takes a moment, since it starts a process."""
        return cls(
            _cpu_model() or platform.processor() or platform.machine(),
            os.cpu_count() or 1,
            f"{platform.system()} {platform.machine()}",
            f"{platform.python_implementation()} {platform.python_version()}",
            tuple((name, _version(name)) for name in PACKAGES),
            _empty_process(),
        )

    def lines(self) -> list[str]:
        """The description for a person to read."""
        packages = ", ".join(f"{name} {number}" for name, number in self.packages)
        idle = f"{duration(self.process_seconds)} for one that does nothing; included in times, once a call,"
        return [
            *_paragraph("machine", f"{self.cpu}, {self.cores} cores, {self.system}, {self.python}"),
            *_paragraph("packages", packages),
            *_paragraph("process", f"{idle} where a solver runs in its own"),
        ]


def duration(seconds: float) -> str:
    """A time in three digits and its unit."""
    if seconds < 1:
        thousandths = 1000 * seconds
        return f"{thousandths:.{2 if thousandths < 0.995 else 1 if thousandths < 99.95 else 0}f} ms"
    return f"{seconds:.{2 if seconds < 9.995 else 1 if seconds < 99.95 else 0}f} s"


def table_text(study: Study, machine: Machine) -> str:
    """The study as a table with its footnotes."""
    lines: list[str] = []
    for series in dict.fromkeys(cell.case.series for cell in study.cells):
        lines += [*_section(study, series), ""]
    if study.interrupted:
        lines += [f"interrupted after {len(study.cells)} of {study.total} cells", ""]
    return "\n".join([*lines, *_legend(study), *_notes(study.cells), "", *machine.lines()])


def _section(study: Study, series: Series) -> Iterator[str]:
    pair = "" if series.pair is None else f"{series.pair[0]} and {series.pair[1]}, "
    yield f"{series.title}, by {series.size_name} ({pair}alpha {rational_text(series.alpha)})"
    names = "".join(f"  {name:>{_WIDTH}}" for name in study.plan.columns)
    yield f"  {'size':<10}{'pairs':>6}  {'theta':<5}{names}".rstrip()
    rows: dict[tuple[Case, str], dict[str, Cell]] = {}
    for cell in study.cells:
        if cell.case.series == series:
            rows.setdefault((cell.case, cell.question), {})[cell.backend] = cell
    for (case, question), found in rows.items():
        reference = found[REFERENCE].seconds
        texts = [
            _cell_text(found[name], study.plan.limit, reference) if name in found else ""
            for name in study.plan.columns
        ]
        label = case.label.replace(", seed ", " #")
        pairs = "" if case.pairs is None else case.pairs
        yield f"  {label:<10}{pairs:>6}  {question:<5}{''.join(f'  {x:>{_WIDTH}}' for x in texts)}".rstrip()


def _cell_text(cell: Cell, limit: float, reference: float | None) -> str:
    if cell.seconds is not None:
        mark = "" if cell.status.certified else "?"
        times = "" if cell.ratio is None else _ratio(cell.ratio)
        return f"{mark}{duration(cell.seconds)} {times:>7}"
    if cell.status is Status.NOT_FINISHED:
        times = f">{_ratio(limit / reference)}" if reference else ""
        return f">{limit:g} s {times:>7}"
    return f"{cell.status.value}{'':8}"


def _ratio(ratio: float) -> str:
    if ratio >= 99_999:
        return f"{ratio:.0e}x"
    return f"{ratio:.{2 if ratio < 0.1 else 1 if ratio < 10 else 0}f}x"


def _legend(study: Study) -> list[str]:
    plan = study.plan
    meaning = {
        "above": f"value + {plan.step}, or half way to 1",
        "value": "the exact distance",
        "below": f"value - {plan.step}, or half way to 0",
    }
    asked = "; ".join(f"{question}: {meaning[question]}" for question in plan.questions)
    times = f"of the decision alone, and as a ratio to {REFERENCE} in the same line; ?: no certified answer"
    return [*_paragraph("theta", asked), *_paragraph("times", times)]


def _notes(cells: Iterable[Cell]) -> list[str]:
    """Why cells have no certified answer, each reason once, with the backends that it concerns."""
    notes: dict[tuple[str, str], dict[str, None]] = {}
    for cell in cells:
        if cell.reason is not None and not cell.status.certified and cell.status is not Status.NOT_FINISHED:
            notes.setdefault((cell.status.value, cell.reason), {})[cell.backend] = None
    return [
        line
        for (status, reason), backends in notes.items()
        for line in _paragraph(status, f"{', '.join(backends)} ({reason})")
    ]


def _paragraph(head: str, text: str) -> list[str]:
    return wrap(text, 116, initial_indent=f"{head:<9} ", subsequent_indent=" " * 10, break_long_words=False)


def record(cell: Cell) -> dict[str, Scalar]:
    """A cell as one flat record."""
    case, series = cell.case, cell.case.series
    values = series.values(case.size, case.seed)
    return {
        "family": series.family,
        "parameters": " ".join(f"{name}={value}" for name, value in values.items()),
        "size": case.size,
        "seed": case.seed,
        "pair": None if case.pair is None else " ".join(case.pair),
        "alpha": rational_text(series.alpha),
        "states": case.states,
        "pairs": case.pairs,
        "value": None if case.value is None else rational_text(case.value),
        "question": cell.question,
        "theta": None if cell.theta is None else rational_text(cell.theta),
        "backend": cell.backend,
        "status": cell.status.value,
        "seconds": cell.seconds,
        "ratio": None if cell.ratio is None else round(cell.ratio, 4),
        "runs": cell.runs,
        "linear_programs": cell.stats.get("linear_programs"),
        "variables": cell.stats.get("variables"),
        "clauses": cell.stats.get("clauses"),
        "constraints": next((cell.stats[name] for name in _CONSTRAINTS if name in cell.stats), None),
        "peak_memory": cell.peak_memory,
        "reason": cell.reason,
    }


def csv_text(study: Study) -> str:
    """The cells as CSV, with a column for the time limit."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({**record(cell), "time_limit": study.plan.limit} for cell in study.cells)
    return out.getvalue()


def json_document(study: Study, machine: Machine) -> dict[str, object]:
    """The study as a JSON object."""
    return {
        "machine": {
            "cpu": machine.cpu,
            "cores": machine.cores,
            "system": machine.system,
            "python": machine.python,
            "packages": dict(machine.packages),
            "process_seconds": round(machine.process_seconds, 6),
        },
        "time_limit": study.plan.limit,
        "step": rational_text(study.plan.step),
        "backends": list(study.plan.columns),
        "questions": list(study.plan.questions),
        "total": study.total,
        "interrupted": study.interrupted,
        "cells": [{**record(cell), "stats": dict(cell.stats)} for cell in study.cells],
    }


def markdown_text(study: Study, machine: Machine, command: str, figure: str) -> str:
    """The study as a page: the command that made it, the table and the figure."""
    limit = f"{study.plan.limit:g} s a cell"
    return "\n".join(
        [
            "# Threshold backends compared",
            "",
            f"Made by `{command}`, {limit}. The question is bd_α(s, t) ≤ θ.",
            "",
            f"![time against size, a line for each backend]({figure})",
            "",
            "```text",
            table_text(study, machine),
            "```",
            "",
        ]
    )


def _cpu_model() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _empty_process() -> float:
    start = time.monotonic()
    call(_nothing, None, Budget())
    return time.monotonic() - start


def _nothing(argument: None) -> None:
    return argument

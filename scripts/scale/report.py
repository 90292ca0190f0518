"""The study in print: a page with the tables of its sections, and CSV with a line for each case."""

from __future__ import annotations

import csv
import io
import os

from bdist.thresholds.benchmark_report import Machine
from scale.findings import off_by, ratio
from scale.sections import section_text
from scale.study import SECTIONS, Plan, Study

COLUMNS = (
    *("section", "method", "size", "family", "parameters", "alpha", "pair", "precision", "status"),
    *("seconds", "ratio", "peak_memory", "states", "pairs", "explored", "linear_programs"),
    *("upper_records", "lower_records", "answered_by", "value_approx", "width", "off_by"),
    *("solve_seconds", "check_seconds", "programs", "sweeps", "kernel_sweeps", "sampled"),
    *("first_program_seconds", "later_program_seconds", "estimated_seconds", "unpresolved_seconds"),
    *("file_bytes", "read_seconds", "query_seconds", "fingerprint_seconds", "write_seconds"),
    *("checker_read_seconds", "checker_fingerprint_seconds", "runs", "fastest_seconds"),
    *("slowest_seconds", "python_seconds", "reason"),
)


def csv_text(study: Study) -> str:
    """A line for each case."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for line in study.lines:
        task = line.task
        record: dict[str, object] = {
            "section": task.section,
            "method": task.method,
            "size": task.size or None,
            "family": task.family,
            "parameters": " ".join(f"{name}={value}" for name, value in task.values),
            "alpha": task.alpha,
            "precision": task.precision if task.method in ("certified", "exact", "query", "file") else None,
            **line.figures,
            "status": line.status.value,
            "seconds": line.seconds,
            "ratio": ratio(study, line),
            "off_by": off_by(study, line) if task.method in ("naive", "float") else None,
            "peak_memory": line.peak_memory,
            "reason": line.reason,
        }
        writer.writerow({name: _short(value) for name, value in record.items()})
    return out.getvalue()


def markdown_text(study: Study, machine: Machine, command: str, figure: str) -> str:
    """The study as a page."""
    plan = study.plan
    parts = ["# How far bdist scales", "", f"Made by `{command}`, at most {plan.time_limit:g} s a case.", ""]
    if study.interrupted:
        parts += [f"Interrupted after {len(study.lines)} of {study.total} cases.", ""]
    if plan.quick:
        parts += ["A quick run on toy sizes, to see that it works; its times mean nothing.", ""]
    parts += [f"![time against pairs]({figure})", ""]
    for name in SECTIONS:
        if study.section(name):
            parts += [section_text(study, name), ""]
    unmeasured = [
        f"* {line.task.title}: {line.status.value}: {line.reason}" for line in study.lines if line.reason
    ]
    if unmeasured:
        parts += ["## Not measured", "", *unmeasured, ""]
    return "\n".join([*parts, "## Machine", "", *_machine(plan, machine), ""])


def _machine(plan: Plan, machine: Machine) -> list[str]:
    """What times depend on: `Machine.lines` without the start of a process, which no time here includes."""
    threads = "all cores" if plan.jobs is None else f"{plan.jobs} thread(s)"
    blas = os.environ.get("OPENBLAS_NUM_THREADS", "not set")
    return [
        f"* machine: {machine.cpu}, {machine.cores} cores, {machine.system}, {machine.python}",
        f"* packages: {', '.join(f'{name} {number}' for name, number in machine.packages)}",
        f"* threads: bdist on {threads}, the naive way on one; OPENBLAS_NUM_THREADS {blas}",
    ]


def _short(value: object) -> object:
    return float(f"{value:.6g}") if isinstance(value, float) else value

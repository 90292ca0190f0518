"""Privacy of programs: what a decision takes, beside the times that the paper reports.

    python scripts/bench_dipc.py [--most N] [--repeat R] [--output FILE]

Every row is a process of its own, `bdist dipc FILE --json`, timed from start to end, start-up and the
independent check of the certificate included; the parts are what it reports itself. All is measured in one
run, and the fastest of some repetitions is shown. The result is a page in Markdown.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bdist.dipc.families import make_program
from bdist.dipc.text import write


class Row(NamedTuple):
    """A program of a family, the answer that it must have, and the seconds of the paper."""

    name: str
    family: str
    values: dict[str, int]
    answer: str
    paper: str


def rows(most: int) -> Iterable[Row]:
    """Sparse vector with more and more queries, then the other programs of the paper's tables."""
    for queries in range(1, most + 1):
        yield Row("SVT", "svt", {"queries": queries}, "holds", "825" if queries == 3 else "")
    yield Row("SVT2", "svt2", {"queries": 3, "count": 1}, "holds", "768")
    yield Row("SVT2, c = 2", "svt2", {"queries": 3, "count": 2}, "holds", "")
    yield Row("SVT5", "svt5", {"queries": 3}, "violated", "2")
    yield Row("SVT5", "svt5", {"queries": 2}, "violated", "2")
    yield Row("NMax1", "nmax1", {"queries": 3}, "holds", "")
    yield Row("NMax3", "nmax3", {"queries": 3}, "violated", "310")
    yield Row("NMax4", "nmax4", {"queries": 3}, "violated", "59")
    yield Row("NMax4", "nmax4", {"queries": 1}, "violated", "2")
    yield Row("Rand1", "rand1", {"bits": 3}, "holds", "")
    yield Row("Rand2", "rand2", {"bits": 3}, "violated", "0")


class Measured(NamedTuple):
    """The statistics that a process reports, and its seconds from start to end."""

    stats: dict[str, Any]
    seconds: float


def measure(row: Row, folder: Path, repeat: int) -> Measured:
    """The fastest of some runs. Raises: SystemExit where the answer is another one."""
    file = folder / "program.dip"
    file.write_text(write(make_program(row.family, row.values)), encoding="utf-8")
    found = []
    for _ in range(repeat):
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "bdist", "dipc", str(file), "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.monotonic() - began
        document = json.loads(done.stdout) if done.stdout else {}
        if document.get("answer") != row.answer:
            raise SystemExit(f"{row.name}: {document.get('answer')}, not {row.answer}: {done.stderr}")
        found.append(Measured(document["stats"], seconds))
    return min(found, key=lambda each: each.seconds)


def cells(row: Row, found: Measured) -> list[str]:
    """A line of the table."""
    stats = found.stats
    explored, decided = float(stats["explore_seconds"]), float(stats["seconds"])
    return [
        row.name,
        str(next(iter(row.values.values()))),
        row.answer,
        *(f"{stats[name]:,}" for name in ("inputs", "pairs", "inequalities")),
        f"{explored:.3f}",
        f"{decided - explored:.3f}",
        f"{float(stats['check_seconds']):.3f}",
        f"{found.seconds:.2f}",
        row.paper,
    ]


def growth(series: Sequence[tuple[int, Measured]]) -> list[str]:
    """How the time grows with the number of adjacent pairs, by least squares in logarithms."""
    points = [
        (math.log(each.stats["pairs"]), math.log(each.stats["seconds"] + each.stats["check_seconds"]))
        for queries, each in series
        if queries >= 2
    ]
    if len(points) < 2:
        return []
    x, y = (sum(column) / len(points) for column in zip(*points, strict=True))
    slope = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)
    pairs, seconds = (math.exp(last - before) for before, last in zip(*points[-2:], strict=True))
    return [
        f"Sparse vector from 2 to {series[-1][0]} queries: exploring, deciding and checking together take a "
        f"time that grows like the number of adjacent pairs to the power {slope:.2f}; the last query makes "
        f"{pairs:.1f} times as many pairs, and {seconds:.1f} times as long. Inequalities are told apart by "
        "their normal form, and each is decided once.",
        "",
    ]


HEAD = "program | queries | answer | inputs | pairs | inequalities | exploring | deciding | checking"
HEAD += " | whole process | paper"


def page(most: int, repeat: int) -> list[str]:
    """The whole page."""
    lines = [
        "# Privacy of programs",
        "",
        f"`python scripts/bench_dipc.py --most {most} --repeat {repeat}`, Python "
        f"{platform.python_version()}, {os.cpu_count()} cores. The paper is Barthe, Chadha, Jagannath, "
        "Sistla and Viswanathan, Deciding differential privacy for programs with finite inputs and outputs "
        "(LICS 2020), whose tool is DiPC on top of Mathematica.",
        "",
        "Seconds; every row decides all adjacent pairs, all outputs and all ε > 0 at once, with a "
        "certificate that an independent checker has accepted. Inputs are from {−1, 0, 1}, for Rand from "
        "{0, 1}; c = 1 unless said, T = 0, steps −1 < 0 < 1. The paper's times (its Tables 1 and 2, both "
        "phases together) were measured on another machine, eight cores at 1.8 GHz: they say how long its "
        "way takes, and are no ratio. "
        "Where a program is not private, the search ends at the first counterexample, and only the "
        "inequalities up to there are counted.",
        "",
        f"| {HEAD} |",
        "|" + " --- |" * len(HEAD.split("|")),
    ]
    series = []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(most):
            found = measure(row, Path(folder), repeat)
            lines.append("| " + " | ".join(cells(row, found)) + " |")
            print(lines[-1], flush=True)
            if row.family == "svt":
                series.append((row.values["queries"], found))
    return [*lines, "", *growth(series)]


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="Privacy of programs: times.")
    parser.add_argument("--most", type=int, default=6, help="queries of the largest sparse vector")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each row, of which the fastest counts")
    parser.add_argument("--output", type=Path, help="write the page there")
    options = parser.parse_args()
    lines = page(options.most, options.repeat)
    if options.output is not None:
        options.output.write_text("\n".join(lines).rstrip("\n") + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Privacy of programs: what a decision takes, beside the times that the paper reports.

    python scripts/bench_dipc.py [--most N] [--repeat R] [--against PYTHON] [--output FILE]

Every row is a process of its own, `bdist dipc FILE --json`, timed from start to end, start-up and the
independent check of the certificate included; the parts are what it reports itself. All is measured in one
run, and the fastest of some repetitions is shown. With ``--against``, the bdist that another Python has
installed runs each program in turn, and its time is shown as a multiple. The counterexamples that the paper
prints are asked for at its epsilon. The result is a page in Markdown.
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
    """A program of a family, the answer that it must have, and what the paper has: answer and seconds."""

    name: str
    family: str
    values: dict[str, int]
    answer: str
    published: str = ""
    paper: str = ""


def rows(most: int) -> Iterable[Row]:
    """Sparse vector with more and more queries, then the other programs of the paper."""
    for queries in range(1, most + 1):
        published = ("holds", "825") if queries == 3 else ()
        yield Row("SVT", "svt", {"queries": queries}, "holds", *published)
    yield Row("SVT2", "svt2", {"queries": 3, "count": 1}, "holds", "holds", "768")
    yield Row("SVT2, c = 2", "svt2", {"queries": 3, "count": 2}, "holds")
    for count in (1, 2, 3):
        name = f"Sparse, c = {count}, δ = 1/100"
        yield Row(name, "sparse", {"queries": 3, "count": count}, "holds", "holds")
    yield Row("SVT5", "svt5", {"queries": 3}, "violated", "violated", "2")
    yield Row("SVT5", "svt5", {"queries": 2}, "violated", "violated", "2")
    yield Row("NMax1", "nmax1", {"queries": 3}, "holds")
    yield Row("NMax3", "nmax3", {"queries": 3}, "violated", "violated", "310")
    yield Row("NMax4", "nmax4", {"queries": 3}, "violated", "violated", "59")
    yield Row("NMax4", "nmax4", {"queries": 1}, "violated", "violated", "2")
    yield Row("Rand1", "rand1", {"bits": 3}, "holds")
    yield Row("Rand2", "rand2", {"bits": 3}, "violated", "violated", "0")
    yield Row("Rand2", "rand2", {"bits": 1}, "violated", "violated", "0")
    yield Row("Vertex cover", "vertex-cover", {"vertices": 3}, "holds")
    yield Row("Vertex cover", "vertex-cover", {"vertices": 4}, "holds")


class Printed(NamedTuple):
    """A counterexample that the paper prints in its Table 2: the inputs, the output and epsilon."""

    name: str
    family: str
    values: dict[str, int]
    inputs: tuple[list[str], list[str]]
    output: list[str]
    epsilon: str


PRINTED = (
    Printed("SVT5", "svt5", {"queries": 2}, (["-1", "0"], ["-1", "-1"]), ["0", "1"], "27"),
    Printed("NMax3", "nmax3", {"queries": 3}, (["-1"] * 3, ["0"] * 3), ["-1"], "27"),
    Printed("NMax4", "nmax4", {"queries": 1}, (["-1"], ["0"]), ["0"], "27"),
    Printed("Rand2", "rand2", {"bits": 1}, (["0"], ["1"]), ["0"], "9/34"),
)


class Measured(NamedTuple):
    """The statistics that a process reports, and its seconds from start to end."""

    stats: dict[str, Any]
    seconds: float


def run(file: Path, *options: str, python: str = sys.executable) -> tuple[dict[str, Any], float]:
    """What a process answers, and its seconds."""
    began = time.monotonic()
    done = subprocess.run(
        [python, "-m", "bdist", "dipc", str(file), "--json", *options],
        capture_output=True,
        text=True,
        check=False,
        cwd=file.parent,  # or a bdist that lies where we are would be taken
    )
    seconds = time.monotonic() - began
    return (json.loads(done.stdout) if done.stdout else {"reason": done.stderr}), seconds


def measure(row: Row, folder: Path, repeat: int, against: str | None) -> tuple[Measured, float | None]:
    """The fastest of some runs, ours and of another version. Raises: SystemExit where an answer is wrong."""
    file = folder / "program.dip"
    file.write_text(write(make_program(row.family, row.values)), encoding="utf-8")
    found, others = [], []
    for _ in range(repeat):
        document, seconds = run(file)
        if document.get("answer") != row.answer:
            reason = document.get("reason")
            raise SystemExit(f"{row.name}: {document.get('answer')}, not {row.answer}: {reason}")
        found.append(Measured(document["stats"], seconds))
        if against is not None:
            document, seconds = run(file, python=against)
            if document.get("answer") == row.answer:
                others.append(seconds)
    return min(found, key=lambda each: each.seconds), min(others, default=None)


def printed(folder: Path) -> list[str]:
    """The paper's counterexamples beside ours, at the same epsilon."""
    lines = ["", "The counterexamples of Table 2, and those that are found at the same ε:", ""]
    lines += ["| program | ε | published: inputs, output | found: inputs, output |", "| --- " * 4 + "|"]
    for each in PRINTED:
        file = folder / "program.dip"
        file.write_text(write(make_program(each.family, each.values)), encoding="utf-8")
        found = run(file, "--epsilon", each.epsilon)[0]["violation"]
        published = _shown(*each.inputs, [each.output])
        ours = _shown(found["input"], found["neighbour"], found["outputs"])
        lines.append(f"| {each.name} | {each.epsilon} | {published} | {ours} |")
    return lines


def _shown(one: list[str], other: list[str], outputs: list[list[str]]) -> str:
    points = [f"({', '.join(point)})" for point in (one, other, *outputs)]
    return f"{points[0]} and {points[1]}, {' '.join(points[2:])}"


def cells(row: Row, found: Measured, other: float | None) -> list[str]:
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
        "" if other is None else f"{other / found.seconds:.1f}",
        row.published,
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
HEAD += " | whole process | before | published | its time"


def page(most: int, repeat: int, against: str | None) -> list[str]:
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
        "{0, 1}; c = 1 unless said, T = 0, steps −1 < 0 < 1. The claim is ε, for Sparse (ε/2, δ), of which "
        "the paper says that it holds (section 8, observation 4), without a time; vertex cover it names "
        "among what other tools cannot verify, without figures. *Before* is the time of another version, as "
        "a multiple, and empty where that has no answer. The paper's times (its Tables 1 and 2, both "
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
            found, other = measure(row, Path(folder), repeat, against)
            lines.append("| " + " | ".join(cells(row, found, other)) + " |")
            print(lines[-1], flush=True)
            if row.family == "svt":
                series.append((row.values["queries"], found))
        lines += printed(Path(folder))
    return [*lines, "", *growth(series)]


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="Privacy of programs: times.")
    parser.add_argument("--most", type=int, default=6, help="queries of the largest sparse vector")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each row, of which the fastest counts")
    parser.add_argument("--against", help="a Python with another version of bdist, to compare with")
    parser.add_argument("--output", type=Path, help="write the page there")
    options = parser.parse_args()
    lines = page(options.most, options.repeat, options.against)
    if options.output is not None:
        options.output.write_text("\n".join(lines).rstrip("\n") + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

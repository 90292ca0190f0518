"""The study in print: a page with a table a section, CSV with a line a measurement, and a figure.

What did not finish is told as ``> limit``, and a ratio to it as ``> ratio``; larger cases of its series are
not asked. PASS and MISS are about this run on this machine.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from bdist.chains.drawings.plots import check_plot_path
from bdist.cli.bench.machine import Machine, duration
from scale.cases import NAIVE, SECTIONS, Case

OURS, AGAINST = "bdist", "against"
NARROW, BY_FLOATS = 1e-9, 1e-6
FIT_SECONDS = 0.1
TITLES = {
    "surveys": "Surveys, the two vectors that differ in every answer",
    "responses": "Randomised response, truth 3/4",
    "diners": "Dining cryptographers, s0 and s1, alpha 1.0002",
    "geometric": "Truncated geometric noise, counts 0 and 1",
    "tables": "All pairs of random chains, degree 3",
    "queries": "One query on random chains, 10 labels, degree 4",
    "layered": "One query on a large layered chain",
    "models": "Models of a folder, the first choice that matters",
}
TEXT = """\
Each line is one question to `bdist.distance`, or `bdist.distance_table` where all pairs are asked for: by
*default*, *exact* (precision 0), within *1e-9*, or on the bisimulation *quotient* by default. *seconds*: from
the chain in memory to the checked answer, of which *solve* and *check* are parts; the shortest of three where
it is over in half a second. *pairs*: of states with the same label; *explored*: those that bdist looked at;
*width* of the widest bracket, 0 where it is exact; *memory*: the peak of the process. alpha is 11/10 where
nothing else is said."""
NAIVE_TEXT = """\
*naive* is the loop of `bdist/cli/bench/naive.py` over all pairs of states with the same label: Γ iterated
from 0 in floats until nothing moves by more than 1e-9, one kept HiGHS model for each pair and direction over
the states of the labels concerned, of which only the right-hand sides change, started from its last basis,
presolve off where that is faster. A ratio is its time, or that of the other commit, over that of bdist."""
COLUMNS = (
    *("section", "series", "case", "alpha", "version", "way", "status", "seconds", "solve_seconds"),
    *("check_seconds", "read_seconds", "states", "pairs", "explored", "width", "value_approx", "peak_memory"),
    *("method", "limit", "reason"),
)


class Status(Enum):
    """How a measurement ended."""

    MEASURED = "measured"
    TIME_LIMIT = "time limit"
    FAILED = "failed"
    NOT_ASKED = "not asked"


@dataclass(frozen=True)
class Line:
    """A measurement, or why there is none; ``way`` is one of `cases.WAYS`, or naive."""

    case: Case
    version: str
    way: str
    status: Status
    figures: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""

    @property
    def seconds(self) -> float | None:
        """From the chain to the answer, where there is one."""
        return self.figures.get("seconds")

    def covers(self) -> bool:
        """Whether it is answered as well as it should be: certified, and within 1e-9."""
        return self.figures.get("certified") is True and self.figures["width"] <= NARROW


@dataclass(frozen=True)
class Study:
    """What was measured; ``against`` is the other commit in words."""

    lines: tuple[Line, ...]
    limit: float
    against: str | None
    interrupted: bool
    quick: bool

    def line(self, case: Case, version: str, way: str) -> Line | None:
        """The line of a case."""
        return next((x for x in self.lines if (x.case, x.version, x.way) == (case, version, way)), None)

    def ratio(self, ours: Line, other: Line | None) -> tuple[float, bool] | None:
        """How many times faster, and whether that is only a lower bound."""
        if other is None or not ours.seconds or other.status in (Status.FAILED, Status.NOT_ASKED):
            return None
        return (other.seconds or self.limit) / ours.seconds, other.status is Status.TIME_LIMIT

    def disagreements(self) -> Iterator[str]:
        """Answers to one question that exclude each other."""
        for ours in self.lines:
            if ours.version != OURS or ours.way == NAIVE or "bounds" not in ours.figures:
                continue
            others = [(self.line(ours.case, AGAINST, ours.way), 1e-15, self.against)]
            if ours.way != "quotient":
                others.append((self.line(ours.case, OURS, NAIVE), BY_FLOATS, "the naive loop"))
            for other, slack, name in others:
                gap = _gap(ours, other)
                if gap > slack:
                    yield f"{ours.case.title}, {ours.way}: {name} lies {gap:.1e} outside the bracket"

    def exponents(self, section: str) -> Iterator[str]:
        """The growth of the seconds in the states, for each series, way and version."""
        lines = [line for line in self.lines if line.case.section == section]
        for series, version, way in dict.fromkeys((x.case.series, x.version, x.way) for x in lines):
            points = [
                (math.log(x.figures["states"]), math.log(x.seconds))
                for x in lines
                if (x.case.series, x.version, x.way) == (series, version, way)
                and x.seconds
                and x.seconds > FIT_SECONDS
            ]
            middle = sum(x for x, _ in points) / max(len(points), 1)
            spread = sum((x - middle) ** 2 for x, _ in points)
            if spread > 0:
                slope = sum((x - middle) * y for x, y in points) / spread
                who = way if way == NAIVE else f"{version if version == OURS else self.against}, {way}"
                yield f"{series}, {who}: {slope:.1f}"


def _gap(ours: Line, other: Line | None) -> float:
    if other is None or "bounds" not in other.figures:
        return 0.0
    both = zip(ours.figures["bounds"], other.figures["bounds"], strict=True)
    return max((max(low - top, bottom - high) for (low, high), (bottom, top) in both), default=0.0)


def markdown_text(study: Study, machine: Machine, command: str, jobs: int | None) -> str:
    """The study as a page."""
    parts = [
        "# How far bdist scales",
        "",
        f"Made by `{command}`, at most {study.limit:g} s a measurement.",
        "",
    ]
    if study.interrupted:
        parts += ["Interrupted; the rest is missing.", ""]
    if study.quick:
        parts += ["A quick run on toy sizes, to see that it works; its times mean nothing.", ""]
    compared = f"*against* is {study.against}, measured in the same run." if study.against else ""
    parts += ["![seconds against states](scale.svg)", "", TEXT, "", NAIVE_TEXT, compared, ""]
    for section in SECTIONS:
        if any(line.case.section == section for line in study.lines):
            parts += [f"## {TITLES[section]}", "", *_table(study, section), ""]
            growth = list(study.exponents(section))
            if growth:
                fit = f"Growth, seconds as a power of the states, over cases above {FIT_SECONDS:g} s:"
                parts += [fit, "", *(f"* {text}" for text in growth), ""]
    wrong = [f"* {text}" for text in study.disagreements()]
    parts += ["## Disagreements", "", *(wrong or ["None: all answers to a question meet."]), ""]
    reasons = [
        f"* {line.case.title}, {_who(study, line)}: {line.status.value}: {line.reason}"
        for line in study.lines
        if line.reason
    ]
    if reasons:
        parts += ["## Not measured", "", *reasons, ""]
    packages = ", ".join(f"{name} {number}" for name, number in machine.packages.items())
    threads = "all cores" if jobs is None else f"{jobs} thread(s)"
    parts += [
        *("## Machine", ""),
        f"* machine: {machine.cpu}, {machine.cores} cores, {machine.system}, {machine.python}",
        f"* packages: {packages}",
        f"* threads: bdist on {threads}, the naive loop on one",
    ]
    return "\n".join([*parts, ""])


def _who(study: Study, line: Line) -> str:
    return (
        line.way if line.way == NAIVE else f"{study.against if line.version == AGAINST else OURS}, {line.way}"
    )


def _table(study: Study, section: str) -> Iterator[str]:
    names = ["case", "way", "states", "pairs", "explored", "seconds", "solve", "check", "width", "memory"]
    names += ["against", "its memory", "ratio"] if study.against else []
    names += ["naive", "ratio", "target"]
    yield f"| {' | '.join(names)} |"
    yield "|" + " ---: |" * len(names)
    for ours in study.lines:
        if ours.case.section != section or ours.version != OURS or ours.way == NAIVE:
            continue
        other = study.line(ours.case, AGAINST, ours.way)
        naive = study.line(ours.case, OURS, NAIVE)
        cells = [ours.case.title, ours.way]
        cells += [_count(ours, name) for name in ("states", "pairs", "explored")]
        cells += [_time(study, ours), *(_part(ours, name) for name in ("solve", "check"))]
        cells += ["" if "width" not in ours.figures else f"{ours.figures['width']:.0e}", _memory(ours)]
        if study.against:
            cells += [_time(study, other), _memory(other), _ratio(study.ratio(ours, other))]
        cells += [_time(study, naive), _ratio(study.ratio(ours, naive)), _verdict(study, ours, naive)]
        yield f"| {' | '.join(cell or '–' for cell in cells)} |"


def _verdict(study: Study, ours: Line, naive: Line | None) -> str:
    """What it should take, and whether it did."""
    found = []
    if ours.way in ours.case.seconds:
        goal = ours.case.seconds[ours.way]
        met = ours.seconds is not None and ours.seconds <= goal and ours.covers()
        found.append(f"{goal:g} s {'PASS' if met else 'MISS'}")
    if ours.way in ours.case.ratios:
        times, ratio = ours.case.ratios[ours.way], study.ratio(ours, naive)
        met = ratio is not None and ratio[0] >= times and ours.covers()
        unknown = not met and ours.covers() and (ratio is None or ratio[1])
        found.append(f"{times:g}x {'PASS' if met else 'not known' if unknown else 'MISS'}")
    return ", ".join(found)


def _count(line: Line, name: str) -> str:
    found = line.figures.get(name)
    return "" if found is None else f"{int(found):,}"


def _time(study: Study, line: Line | None) -> str:
    if line is None:
        return ""
    if line.status is Status.TIME_LIMIT:
        return f"> {study.limit:g} s"
    return line.status.value if line.seconds is None else duration(line.seconds)


def _part(line: Line, name: str) -> str:
    seconds = line.figures.get(f"{name}_seconds")
    return "" if seconds is None else duration(float(seconds))


def _memory(line: Line | None) -> str:
    found = None if line is None else line.figures.get("peak_memory")
    return "" if found is None else f"{found / 1e6:.0f} MB"


def _ratio(found: tuple[float, bool] | None) -> str:
    return "" if found is None else f"{'> ' if found[1] else ''}{found[0]:.{1 if found[0] < 10 else 0}f}x"


def csv_text(study: Study) -> str:
    """A line for each measurement."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for line in study.lines:
        case, bounds = line.case, line.figures.get("bounds", [])
        record = {
            **line.figures,
            "section": case.section,
            "series": case.series,
            "case": case.title,
            "alpha": case.alpha,
            "version": line.version,
            "way": line.way,
            "status": line.status.value,
            "reason": line.reason,
            "value_approx": bounds[0][1] if len(bounds) == 1 else None,
        }
        writer.writerow({k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in record.items()})
    return out.getvalue()


def plot_study(study: Study, path: Path) -> None:
    """Seconds against states, a colour a series; what did not finish is open, at its limit.

    Solid: bdist, dashed: the other commit, dotted: the naive loop. The colours are those of Okabe and Ito
    (2008), which most colour-blind readers can tell apart. Raises: BackendError without Matplotlib.
    """
    check_plot_path(path)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    colours = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
    styles = {(OURS, False): "-", (AGAINST, False): "--", (OURS, True): ":"}
    lines = [line for line in study.lines if line.case.section not in ("models", "layered")]
    colour = {name: colours[n % 8] for n, name in enumerate(dict.fromkeys(x.case.series for x in lines))}
    with mpl.rc_context({"font.size": 10, "svg.hashsalt": "bdist"}):
        figure = Figure(figsize=(10.5, 5.5), layout="constrained")
        axes = figure.subplots()
        for key in dict.fromkeys((x.case.series, x.version, x.way) for x in lines):
            drawn = [x for x in lines if (x.case.series, x.version, x.way) == key]
            points = [(_states(x), x.seconds or study.limit, x.seconds is None) for x in _shown(drawn)]
            look: dict[str, Any] = {"color": colour[key[0]], "linewidth": 1.3}
            title = f"{key[0]}, {'against, ' if key[1] == AGAINST else ''}{key[2]}"
            style = styles[key[1], key[2] == NAIVE]
            axes.plot([x for x, _, _ in points], [y for _, y, _ in points], style, label=title, **look)
            for open_ in (False, True):
                marked = [(x, y) for x, y, unfinished in points if unfinished is open_]
                face = "white" if open_ else look["color"]
                axes.plot(*zip(*marked, strict=True), "o", markerfacecolor=face, **look) if marked else None
        axes.set(xscale="log", yscale="log", xlabel="states", ylabel="seconds")
        axes.grid(color="0.9", linewidth=0.8)
        axes.set_axisbelow(True)
        if lines:
            axes.legend(frameon=False, fontsize=7, ncols=2)
        figure.savefig(path, metadata={"Date": None})


def _shown(lines: Iterable[Line]) -> list[Line]:
    return [line for line in lines if line.status in (Status.MEASURED, Status.TIME_LIMIT)]


def _states(line: Line) -> int:
    return int(line.figures["states"])

"""The study in print: a page with a table a section, and CSV with a line for each case.

What follows from the measured lines comes first: ratios, differences, exponents and targets met. Each table
says what its columns mean and what its targets are. A number with ``~`` is extrapolated, and so is a ratio to
it. PASS and MISS are about this run on this machine; toy sizes have no target.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Callable, Iterable, Sequence

from bdist.cli.bench import Machine, duration
from scale.cases import START
from scale.study import EXACT_UP_TO, PRECISION, SECTIONS, Line, Plan, Status, Study

CERTIFIED_RATIO = 20.0
DINING_SECONDS = {4: 2.0, 8: 60.0}  # by diners, about
ABOUT = 1.25
QUERY_SECONDS, QUERY_BYTES = 60.0, 2 * 10**9
START_SECONDS = 0.5
TOY = 20  # states below which a random chain has no target
FIT_SECONDS = 0.1
RANDOM_TEXT = f"""\
Family `random`, 3 labels, degree 3, seed 1. *pairs* are unordered, of two states with the same label.
*naive* is Γ iterated from 0 in floats until no entry moves by more than 1e-9, with one fresh HiGHS model
for each pair and direction over all states of the labels concerned, in so many *sweeps*. *float* is the
table in floats by the kernel, the pair space included; *off by* is how far it lies outside the certified
bounds at worst. *certified* is `bdist.distance_table` within {PRECISION}, the check included; *exact* is
the same with precision 0, up to {EXACT_UP_TO} states. A ratio is the naive time over that of the column
before it. *memory* is the peak of the certified case. Where a case of bdist takes less than half a
second, the shortest of three runs counts.

Targets: float at least 50x from 20 states and 200x from 80; certified at least 20x at every size."""

NAIVE_TEXT = """\
`~` is extrapolated, where the naive way would take more than {limit:g} s: seconds a program, over random
samples of the first sweep and of a later one, times programs a sweep, times sweeps. The sweeps are counted
on the same iteration with the kernel, over the states of the supports only: not the same programs, but they
converge at the same rate. HiGHS has its default options; *no presolve* is what the naive way would take
without presolve, always extrapolated, and no ratio is to it."""

DINING_TEXT = f"""\
s0 and s1 at alpha 1.0002, exact and certified by `bdist.distance` with precision 0. *pairs*: of states
with the same label; *explored*: those that bdist looked at; *upper*, *lower*: records of the certificate;
*seconds*: from the chain to the checked answer, of which *solve* and *check* are parts. About means at
most {ABOUT:g} times."""

PICK_TEXT = """\
sorted by what the next label alone tells about them (the sum of max(0, P − αQ) over the labels, the larger
direction; ties by declaration): *smallest* is the first, *quartile* the one a quarter of the way down."""

QUERY_TEXT = f"""\
Family `random`, 10 labels, degree 4, seed 1, alpha 1.1; certified by `bdist.distance` within {PRECISION}. The
pairs of label l0 are {PICK_TEXT} *pairs*: of
states with the same label; *explored*: those that bdist looked at; *upper*, *lower*: records of the
certificate; *value*: the upper bound; *seconds*: *solve*, *check* and what is between. Target: under a
minute and under 2 GB."""

LAYERED_TEXT = f"""\
Family `layered`, 4 labels, degree 2, seed 1, alpha 1.1; certified within {PRECISION}. The pairs of the first
layer that share a label are {PICK_TEXT} *read*:
`bdist.load` of the file; *query*: `bdist.distance`, of which *solve* and *check* are parts, as it reports
them. The next four were measured by themselves, afterwards: the model's *fingerprint* (part of the query,
in neither solve nor check); and as parts of check, the model as text for the checker (*write*), the
checker's own reading of that text (*checker reads*), and *its fingerprint* of what it read. *reading* is the
share of all five in the whole, read and query: the file is read twice, because the checker trusts nobody.
Target: reading the file dominates, with more than half of the time."""

START_TEXT = f"""\
`bdist {" ".join(START)}` as a process, its modules
compiled beforehand; and Python by itself (median). Target: under half a second."""
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


def float_target(states: int) -> float | None:
    """The ratio to the naive way that the float table should reach."""
    return 200.0 if states >= 80 else 50.0 if states >= TOY else None


def certified_target(states: int) -> float | None:
    """The ratio to the naive way that the certified table should reach."""
    return CERTIFIED_RATIO if states >= TOY else None


def naive_of(study: Study, line: Line) -> Line | None:
    """The naive line of the same random chain and alpha, if it has a time."""
    found = _same(study, line, "naive")
    return found if found is not None and found.seconds else None


def ratio(study: Study, line: Line) -> float | None:
    """How many times faster than the naive way."""
    naive = naive_of(study, line)
    if naive is None or naive.seconds is None or not line.seconds:
        return None
    return naive.seconds / line.seconds


def off_by(study: Study, line: Line) -> float | None:
    """How far the values of a table lie outside the certified bounds, at worst."""
    certified = _same(study, line, "certified")
    if certified is None or not certified.bounds or not line.bounds:
        return None
    return max(
        max(low - value, value - high, 0.0)
        for (value, _), (low, high) in zip(line.bounds, certified.bounds, strict=True)
    )


def fitted_exponent(lines: Iterable[Line], name: str) -> float | None:
    """The slope of log seconds against the log of a figure by least squares, over lines that are not brief.

    None where there are fewer than two of them.
    """
    points = [
        (math.log(x), math.log(line.seconds))
        for line in lines
        if line.seconds and line.seconds > FIT_SECONDS and (x := line.number(name))
    ]
    middle = sum(x for x, _ in points) / max(len(points), 1)
    spread = sum((x - middle) ** 2 for x, _ in points)
    return sum((x - middle) * y for x, y in points) / spread if spread > 0 else None


def dining_met(line: Line) -> bool | None:
    """Whether a number of diners took about its target, or None where it has none."""
    target = DINING_SECONDS.get(line.task.size)
    return None if target is None else line.seconds is not None and line.seconds <= ABOUT * target


def query_met(line: Line) -> bool:
    """Whether a query was answered to its precision in the time and memory of the target."""
    width = line.number("width")
    return (
        line.seconds is not None
        and line.seconds < QUERY_SECONDS
        and line.peak_memory is not None
        and line.peak_memory < QUERY_BYTES
        and width is not None
        and width <= float(PRECISION)
    )


def share_of_reading(line: Line) -> float | None:
    """The part of reading and query together that is reading the file: by bdist, and again by the checker."""
    names = ("read", "fingerprint", "write", "checker_read", "checker_fingerprint", "query")
    times = [line.number(f"{name}_seconds") for name in names]
    known = [seconds for seconds in times if seconds is not None]
    if len(known) < len(names):
        return None
    *reading, query = known
    return sum(reading) / (reading[0] + query)


def _same(study: Study, line: Line, method: str) -> Line | None:
    """The line of another method on the same random chain at the same alpha."""
    for other in study.section("random") if line.task.section == "random" else ():
        if (other.task.method, other.task.values, other.task.alpha) == (
            method,
            line.task.values,
            line.task.alpha,
        ):
            return other
    return None


def section_text(study: Study, name: str) -> str:
    """A section of the page."""
    return "\n".join(_SECTIONS[name](study))


def _random(study: Study) -> Iterable[str]:
    lines = study.section("random")
    rows = []
    for case in dict.fromkeys((line.task.size, line.task.alpha) for line in lines):
        group = {line.task.method: line for line in lines if (line.task.size, line.task.alpha) == case}
        naive, floats, certified = (group.get(name) for name in ("naive", "float", "certified"))
        rows.append(
            [
                str(case[0]),
                _figure(group.values(), "pairs"),
                case[1],
                _time(naive),
                _figure([naive], "sweeps"),
                _unpresolved(naive),
                _time(floats),
                _ratio_text(study, floats, float_target(case[0])),
                _off(study, floats),
                _time(certified),
                _ratio_text(study, certified, certified_target(case[0])),
                _time(group.get("exact")),
                _memory(certified),
            ]
        )
    yield "## All pairs of random chains\n"
    header = "states, pairs, alpha, naive, sweeps, no presolve, float, ratio, off by, certified, ratio, exact"
    yield from _table(f"{header}, memory", rows)
    yield f"\n{RANDOM_TEXT}\n"
    yield NAIVE_TEXT.format(limit=study.plan.naive_limit)
    for line in lines:
        if line.task.method == "naive" and line.status is Status.MEASURED:
            yield _held_against(study, line)


def _held_against(study: Study, line: Line) -> str:
    """How the extrapolation compares with the full run."""
    guessed, taken = line.number("estimated_seconds") or 0.0, line.seconds or 0.0
    gap = off_by(study, line)
    distance = "" if gap is None else f", at worst {gap:.0e} outside the certified bounds"
    return (
        f"\nHeld against the full run at {line.task.size} states, alpha {line.task.alpha}: "
        f"{duration(guessed)} by extrapolation and {duration(taken)} in truth, "
        f"{line.figures['kernel_sweeps']} sweeps counted and {line.figures['sweeps']} made{distance}."
    )


def _dining(study: Study) -> Iterable[str]:
    lines = study.section("dining")
    rows = []
    for line in lines:
        target = DINING_SECONDS.get(line.task.size)
        rows.append(
            [
                str(line.task.size),
                *_figures(line, "states", "pairs", "explored", "upper_records", "lower_records"),
                _time(line),
                *_times(line, "solve", "check"),
                _memory(line),
                _verdict(dining_met(line), "" if target is None else f"about {target:g} s"),
            ]
        )
    yield "## Dining cryptographers, one query\n"
    yield from _table(
        "diners, states, pairs, explored, upper, lower, seconds, solve, check, memory, target", rows
    )
    yield f"\n{DINING_TEXT}\n"
    for name, what in (("pairs", "pairs with the same label"), ("explored", "pairs explored")):
        exponent = fitted_exponent(lines, name)
        fit = "not fitted, too few cases" if exponent is None else f"{exponent:.2f}"
        yield f"* exponent of the seconds in the {what} (least squares, cases above {FIT_SECONDS:g} s): {fit}"


def _query(study: Study) -> Iterable[str]:
    rows = [
        [
            str(line.task.pair),
            *_figures(line, "pair", "states", "pairs", "explored", "upper_records", "lower_records"),
            *_figures(line, "value_approx", "width"),
            _time(line),
            *_times(line, "solve", "check"),
            _memory(line),
            _verdict(None if study.plan.quick else query_met(line), "60 s, 2 GB"),
        ]
        for line in study.section("query")
    ]
    yield "## One query on a random chain\n"
    header = "pick, pair, states, pairs, explored, upper, lower, value, width, seconds, solve, check, memory"
    yield from _table(f"{header}, target", rows)
    yield f"\n{QUERY_TEXT}"


def _layered(study: Study) -> Iterable[str]:
    rows = [
        [
            str(line.task.pair),
            *_figures(line, "pair", "states", "explored", "upper_records", "lower_records"),
            *(_times(line, "read", "query") if line.seconds else (_time(line), "")),
            *_times(line, "solve", "check", "fingerprint", "write", "checker_read", "checker_fingerprint"),
            _memory(line),
            _share(share_of_reading(line)),
            _verdict(None if study.plan.quick else (share_of_reading(line) or 0) > 0.5, "over 50%"),
        ]
        for line in study.section("layered")
    ]
    yield "## One query on a large layered chain, from a file\n"
    header = "pick, pair, states, explored, upper, lower, read, query, solve, check, fingerprint, write"
    yield from _table(f"{header}, checker reads, its fingerprint, memory, reading, target", rows)
    yield f"\n{LAYERED_TEXT}"


def _start(study: Study) -> Iterable[str]:
    rows = [
        [
            _time(line),
            *_times(line, "fastest", "slowest", "python"),
            _figure([line], "runs"),
            _verdict(line.seconds is not None and line.seconds < START_SECONDS, f"{START_SECONDS:g} s"),
        ]
        for line in study.section("start")
    ]
    yield "## From a cold start\n"
    yield from _table("median, fastest, slowest, python -c pass, runs, target", rows)
    yield f"\n{START_TEXT}"


_SECTIONS: dict[str, Callable[[Study], Iterable[str]]] = {
    "random": _random,
    "dining": _dining,
    "query": _query,
    "layered": _layered,
    "start": _start,
}


def _table(header: str, rows: Iterable[Sequence[str]]) -> Iterable[str]:
    names = header.split(", ")
    yield f"| {' | '.join(names)} |"
    yield "|" + " ---: |" * len(names)
    for row in rows:
        yield f"| {' | '.join(cell or '–' for cell in row)} |"


def _time(line: Line | None) -> str:
    if line is None:
        return ""
    if line.seconds is None:
        return line.status.value
    return f"{'~' if line.status is Status.EXTRAPOLATED else ''}{duration(line.seconds)}"


def _unpresolved(naive: Line | None) -> str:
    found = None if naive is None else naive.number("unpresolved_seconds")
    return "" if found is None else f"~{duration(found)}"


def _times(line: Line, *names: str) -> list[str]:
    found = [line.number(f"{name}_seconds") for name in names]
    return ["" if seconds is None else duration(seconds) for seconds in found]


def _ratio_text(study: Study, line: Line | None, target: float | None) -> str:
    if line is None:
        return ""
    found = ratio(study, line)
    if found is None:
        return "MISS" if target is not None and line.seconds is None else ""
    naive = naive_of(study, line)
    mark = "~" if naive is not None and naive.status is Status.EXTRAPOLATED else ""
    text = f"{mark}{found:,.{0 if found >= 10 else 1}f}x"
    return _verdict(None if target is None else found >= target, text)


def _verdict(passed: bool | None, text: str) -> str:
    return text if passed is None else f"{text} {'PASS' if passed else 'MISS'}"


def _share(part: float | None) -> str:
    return "" if part is None else f"{part:.0%}"


def _off(study: Study, line: Line | None) -> str:
    found = None if line is None else off_by(study, line)
    return "" if found is None else "0" if found == 0 else f"{found:.0e}"


def _memory(line: Line | None) -> str:
    return "" if line is None or line.peak_memory is None else f"{line.peak_memory / 10**6:,.0f} MB"


def _figures(line: Line, *names: str) -> list[str]:
    return [_figure([line], name) for name in names]


def _figure(lines: Iterable[Line | None], name: str) -> str:
    """A figure of the first line that has it."""
    for line in lines:
        found = None if line is None else line.figures.get(name)
        if isinstance(found, float):
            return f"{found:.6g}" if found >= 1e-6 or found == 0 else f"{found:.0e}"
        if found is not None:
            return f"{found:,}" if isinstance(found, int) else found
    return ""


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
        f"* packages: {', '.join(f'{name} {number}' for name, number in machine.packages.items())}",
        f"* threads: bdist on {threads}, the naive way on one; OPENBLAS_NUM_THREADS {blas}",
    ]


def _short(value: object) -> object:
    return float(f"{value:.6g}") if isinstance(value, float) else value

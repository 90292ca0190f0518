"""The tables of the report, one a section, each with what its columns mean and what its targets are.

A number with ``~`` is extrapolated, and so is a ratio to it. PASS and MISS are about this run on this
machine; toy sizes have no target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bdist.thresholds.benchmark_report import duration
from scale.cases import START
from scale.findings import (
    ABOUT,
    DINING_SECONDS,
    FIT_SECONDS,
    START_SECONDS,
    certified_target,
    dining_met,
    fitted_exponent,
    float_target,
    naive_of,
    off_by,
    query_met,
    ratio,
    share_of_reading,
)
from scale.study import EXACT_UP_TO, PRECISION, Line, Status, Study

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

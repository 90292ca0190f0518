"""The study as a table: a line for each case and question, a column for each backend.

A cell has the time and the ratio to strategy iteration in the same line. A question mark says that the
backend came to an end without a certified answer, a tilde that the answer is a number in floating point, a
"greater than" that there was no end. Reasons are listed once, below, with how long the workers take to start,
which is not in the times, and how many cells were measured at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from bdist.cli.bench.cells import Case, Cell, Status
from bdist.cli.bench.machine import Machine, duration, paragraph
from bdist.cli.bench.plan import GIVEN, NAIVE, REFERENCE, Group
from bdist.cli.bench.study import Study
from bdist.exact.rationals import decimal_cut, rational_text
from bdist.printing import one_line

_WIDTH = 16  # of a backend's column
_NAME = 40  # characters of an instance's name


def table_text(study: Study, machine: Machine) -> str:
    """The study as a table with its footnotes."""
    lines: list[str] = []
    for group in study.groups:
        lines += [*_section(study, group), ""]
    if study.interrupted:
        lines += [f"interrupted after {len(study.cells)} of {study.total} cells", ""]
    return "\n".join(
        [*lines, *_legend(study), *_notes(study.cells), *_conditions(study), "", *machine.lines()]
    )


def _section(study: Study, group: Group) -> Iterator[str]:
    yield one_line(group.heading)
    rows = [["size" if study.plan.instances == () else "file", "pairs", "theta", *study.plan.columns]]
    for (case, question, theta), found in study.lines(group).items():
        name = one_line(case.origin.name)
        label = name if len(name) <= _NAME else f"...{name[3 - _NAME :]}"
        by_backend = {cell.backend: cell for cell in found}
        reference = by_backend.get(REFERENCE)
        shortest = None if reference is None else reference.seconds
        explored = case.pairs if reference is None else reference.stats.get("pairs", case.pairs)
        pairs = "" if explored is None else f"{explored}"
        texts = [
            _cell_text(by_backend[name], study.plan.limit, shortest) if name in by_backend else ""
            for name in study.plan.columns
        ]
        rows.append([label, pairs, _asked(case, question, theta), *texts])
    first = max(10, *(len(row[0]) for row in rows))
    third = max(5, *(len(row[2]) for row in rows))
    for label, pairs, asked, *texts in rows:
        cells = "".join(f"  {text:>{_WIDTH}}" for text in texts)
        yield f"  {label:<{first}}{pairs:>6}  {asked:<{third}}{cells}".rstrip()


def _asked(case: Case, question: str, theta: Fraction | None) -> str:
    if question != GIVEN or theta is None:
        return question
    text = rational_text(theta)
    return text if len(text) <= 12 else decimal_cut(theta, 6)


def _cell_text(cell: Cell, limit: float, reference: float | None) -> str:
    if cell.seconds is not None:
        mark = "" if cell.status.certified else "~" if cell.status is Status.NUMERICAL else "?"
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
    asked = [
        f"{question}: {meaning[question]}"
        for question in plan.questions
        if any(cell.question == question for cell in study.cells)
    ]
    times = f"of the decision alone, and as a ratio to {REFERENCE} in the same line; ?: no certified answer"
    lines = [*(paragraph("theta", "; ".join(asked)) if asked else []), *paragraph("times", times)]
    if NAIVE in plan.columns:
        what = (
            "distances of all pairs iterated in floating point, one kept HiGHS model a pair and direction; "
            "its answers (~) are numbers, and certify nothing"
        )
        lines += paragraph(NAIVE, what)
    return lines


def _notes(cells: Iterable[Cell]) -> list[str]:
    """Why cells have no certified answer, each reason once, with the backends that it concerns."""
    told_elsewhere = (Status.NOT_FINISHED, Status.NUMERICAL)
    notes: dict[tuple[str, str], dict[str, None]] = {}
    for cell in cells:
        if cell.reason is not None and not cell.status.certified and cell.status not in told_elsewhere:
            notes.setdefault((cell.status.value, cell.reason), {})[cell.backend] = None
    return [
        line
        for (status, reason), backends in notes.items()
        for line in paragraph(status, f"{', '.join(backends)} ({one_line(reason)})")
    ]


def _conditions(study: Study) -> list[str]:
    """What the times do not contain, and what disturbs them."""
    lines = []
    if study.starts:
        starts = ", ".join(f"{name} {duration(seconds)}" for name, seconds in study.starts.items())
        what = "process, libraries, solvers and first small questions; before the clock, so not in the times"
        lines += paragraph("start-up", f"{starts} ({what})")
    jobs = max((cell.jobs for cell in study.cells), default=1)
    if jobs > 1:
        what = f"up to {jobs} at a time, which disturb each other; only a run with --jobs 1 has good times"
        lines += paragraph("cells", what)
    if study.reused:
        lines += paragraph("resumed", f"{study.reused} of {len(study.cells)} cells are from an earlier run")
    return lines

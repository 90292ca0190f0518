"""Cells as flat records: JSON, and a CSV file that a study can go on with.

The CSV file has a line for each cell, written and handed to the system as soon as the cell is there, so that
a study that is killed loses the cells under way and no other. Lines come in the order in which cells end.

*Resuming.* A line counts for a cell if it is about the same chain (parameters, or the file with the same
fingerprint), states, alpha, threshold and backend. It must come from the same machine with the same versions,
or times would be compared that cannot be. What depends on the time limit is read with the limit of today: a
cell that had less time and no answer is measured again, and one that took longer counts as not finished.
What failed, or was not tried, is tried again. The file is first written anew with what counts, whole or not
at all; that removes half a line that a kill has left at its end.

A file with a line that is no cell of this study belongs to another one and is refused, with the line. More
backends, sizes, files or thresholds may be asked about than before, not fewer.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from io import FileIO
from pathlib import Path
from types import MappingProxyType

from bdist.cli.bench.cells import Cell, Status
from bdist.cli.bench.machine import Machine
from bdist.cli.bench.plan import GIVEN, Plan
from bdist.cli.bench.study import Study
from bdist.cli.terminal import csv_text
from bdist.errors import FormatError, ParameterError
from bdist.exact.rationals import rational_text
from bdist.printing import one_line
from bdist.text.files import SMALL_BYTES, read_text, write_failure, write_text

Scalar = str | int | float | None


def _identity(name: str) -> Callable[[Cell], Scalar]:
    return lambda cell: cell.case.origin.identity().get(name)


def _stat(*names: str) -> Callable[[Cell], Scalar]:
    return lambda cell: next((cell.stats[name] for name in names if name in cell.stats), None)


RECORD: Mapping[str, Callable[[Cell], Scalar]] = MappingProxyType(
    {
        **{name: _identity(name) for name in ("family", "parameters", "size", "seed", "file", "model")},
        "pair": lambda cell: None if cell.case.pair is None else " ".join(cell.case.pair),
        "alpha": lambda cell: rational_text(cell.case.origin.alpha),
        "states": lambda cell: cell.case.states,
        "pairs": lambda cell: cell.stats.get("pairs", cell.case.pairs),
        "value": lambda cell: None if cell.case.value is None else rational_text(cell.case.value),
        "question": lambda cell: cell.question,
        "theta": lambda cell: None if cell.theta is None else rational_text(cell.theta),
        "backend": lambda cell: cell.backend,
        "status": lambda cell: cell.status.value,
        "seconds": lambda cell: cell.seconds,
        "runs": lambda cell: cell.runs,
        "jobs": lambda cell: cell.jobs,
        **{name: _stat(name) for name in ("linear_programs", "variables", "clauses")},
        "constraints": _stat("rows", "assertions", "constraints"),
        "value_approx": _stat("value_approx"),
        "peak_memory": lambda cell: cell.peak_memory,
        "reason": lambda cell: None if cell.reason is None else one_line(cell.reason),
    }
)
"""A cell as one flat record: what its members are called, and where they are found."""

_CIRCUMSTANCES = ("time_limit", "machine")
HEADER = (*RECORD, *_CIRCUMSTANCES)
_ASKED = (
    "family",
    "parameters",
    "file",
    "model",
    "alpha",
    "question",
    "backend",
)  # before a threshold is known
_COUNTS = ("pairs", "linear_programs", "variables", "clauses", "constraints")
_WHOLE, _FLOATS = (*_COUNTS, "runs", "jobs", "peak_memory"), ("seconds", "value_approx", "time_limit")


def record(cell: Cell) -> dict[str, Scalar]:
    """A cell as one flat record."""
    return {name: value(cell) for name, value in RECORD.items()}


def json_document(study: Study, machine: Machine) -> dict[str, object]:
    """The study as a JSON object."""
    return {
        "machine": vars(machine),
        "starts": dict(study.starts),
        "time_limit": study.plan.limit,
        "jobs": study.plan.jobs,
        "step": rational_text(study.plan.step),
        "backends": list(study.plan.columns),
        "questions": list(study.plan.questions),
        "total": study.total,
        "interrupted": study.interrupted,
        "reused": study.reused,
        "cells": [{**record(cell), "ratio": cell.ratio, "stats": dict(cell.stats)} for cell in study.cells],
    }


class Rows:
    """A CSV file of cells that is open for writing."""

    def __init__(self, path: Path, file: FileIO, plan: Plan, machine: Machine) -> None:
        self._path, self._file = path, file
        self._circumstances = (plan.limit, machine.mark)
        self._limit = plan.limit
        self._known: dict[tuple[str, ...], list[tuple[int, dict[str, str]]]] = {}

    @classmethod
    def create(cls, path: Path, plan: Plan, machine: Machine) -> Rows:
        """A new file. Raises: ParameterError where there is one already or it cannot be written."""
        try:
            file = FileIO(path, "xb")
        except FileExistsError:
            message = f"{path} is there already; go on with it (--resume), name another file, or remove it"
            raise ParameterError(message) from None
        except (OSError, ValueError) as error:
            raise _failure(path, error) from None
        rows = cls(path, file, plan, machine)
        rows._write(HEADER)
        return rows

    @classmethod
    def resume(cls, path: Path, plan: Plan, machine: Machine) -> Rows:
        """Go on with a file, if there is one.

        Raises: FormatError where it is no file of this command, or belongs to another study; ParameterError
        where it cannot be written.
        """
        if not path.exists():
            return cls.create(path, plan, machine)
        stored = _stored(path)
        for line, row in stored:
            other = _difference(row, plan, machine)
            if other is not None:
                message = f"this is of another study, {other}; name another file"
                raise FormatError(message, source=path, line=line)
        found = [(line, row) for line, row in stored if _counts(row, plan.limit)]
        write_text(path, csv_text([HEADER, *([row[name] for name in HEADER] for _, row in found)]))
        try:
            file = FileIO(path, "ab")
        except OSError as error:
            raise _failure(path, error) from None
        rows = cls(path, file, plan, machine)
        for line, row in found:
            rows._known.setdefault(tuple(row[name] for name in _ASKED), []).append((line, row))
        return rows

    def known(self, cell: Cell) -> Cell | None:
        """The cell as a line tells it. Raises: FormatError where that has another threshold."""
        mine = {name: _text(value) for name, value in record(cell).items()}
        for line, row in self._known.get(tuple(mine[name] for name in _ASKED), ()):
            if row["pair"] != mine["pair"]:
                continue
            if row["theta"] == mine["theta"]:
                return _restored(cell, row, self._limit)
            if cell.question != GIVEN and cell.theta is not None:  # several may be given
                where = f"with theta {row['theta']} where this one has {mine['theta']}"
                message = f"this is of another study, {where}; name another file"
                raise FormatError(message, source=self._path, line=line)
        return None

    def keep(self, cell: Cell) -> None:
        """Write the line of a cell. Raises: ParameterError, OutputError where that fails."""
        self._write([*record(cell).values(), *self._circumstances])

    def close(self) -> None:
        """Write no more."""
        self._file.close()

    def _write(self, row: Iterable[Scalar]) -> None:
        try:
            self._file.write(csv_text([row]).encode())
        except OSError as error:
            raise _failure(self._path, error) from None


def _failure(path: Path, error: Exception) -> Exception:
    return write_failure(path, error if isinstance(error, OSError) else OSError(0, str(error)))


def _text(value: Scalar) -> str:
    return "" if value is None else str(value)


def _stored(path: Path) -> list[tuple[int, dict[str, str]]]:
    """The lines of a file with their numbers, without half a line at its end. Raises: FormatError."""
    data = read_text(path, "latin-1", limit=64 * SMALL_BYTES)  # the cut may be in the middle of a character
    try:
        whole = data[: data.rfind("\n") + 1].encode("latin-1").decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 text: {error.reason}", source=path) from None
    reader = csv.reader(io.StringIO(whole), strict=True)
    try:
        lines = list(reader)
    except csv.Error as error:
        raise FormatError(f"this is not CSV: {error}", source=path, line=reader.line_num) from None
    if not lines and csv_text([HEADER]).startswith(data):
        return []  # it was cut in its first line
    if not lines or tuple(lines[0]) != HEADER:
        raise FormatError("this is not a table that 'bdist bench --csv' has written", source=path, line=1)
    rows = []
    for number, line in enumerate(lines[1:], 2):
        try:
            row = dict(zip(HEADER, line, strict=True))
            Status(row["status"])
            for name in _WHOLE:
                int(row[name] or 0)
            for name in _FLOATS:
                float(row[name] or 0)
        except ValueError:
            raise FormatError("this line is not one of 'bdist bench'", source=path, line=number) from None
        rows.append((number, row))
    return rows


def _counts(row: Mapping[str, str], limit: float) -> bool:
    """Whether a line need not be measured again."""
    status = Status(row["status"])
    if status in (Status.NOT_FINISHED, Status.UNKNOWN):
        return float(row["time_limit"]) >= limit
    return status not in (Status.FAILED, Status.NOT_TRIED)


def _difference(row: Mapping[str, str], plan: Plan, machine: Machine) -> str | None:
    """What a line is about that no cell of the plan is, as far as that is known before thresholds are."""
    if row["machine"] != machine.mark:
        return "measured on another machine or with other versions"
    if row["backend"] not in plan.columns:
        return f"which asked {row['backend']}"
    if row["file"]:
        alike = [x for x in plan.instances if _matches(row, x.identity(), ("file", "pair", "alpha"))]
        if not alike:
            return f"about {row['file']}, {row['pair']}, alpha {row['alpha']}"
        if alike[0].model != row["model"]:
            return f"about what {row['file']} was before it was changed"
        thetas = {"" if x.theta is None else rational_text(x.theta) for x in alike}
        if row["question"] == GIVEN and row["theta"] not in thetas:
            return f"with theta {row['theta']}"
        if row["question"] != GIVEN and ("" not in thetas or row["question"] not in plan.questions):
            return f"with the question '{row['question']}'"
        return None
    sizes = {(series.family, rational_text(series.alpha), f"{size}") for series, size in plan.members()}
    if (row["family"], row["alpha"], row["size"]) not in sizes:
        return f"about {row['family']}, size {row['size']}, alpha {row['alpha']}"
    return None if row["question"] in plan.questions else f"with the question '{row['question']}'"


def _matches(row: Mapping[str, str], other: Mapping[str, str], names: tuple[str, ...]) -> bool:
    return all(row[name] == other[name] for name in names)


def _restored(blank: Cell, row: Mapping[str, str], limit: float) -> Cell:
    """The cell of a line, as it would have ended within this limit."""

    def number(name: str) -> int | None:
        return int(row[name]) if row[name] else None

    stats: dict[str, int | float | str] = {name: int(row[name]) for name in _COUNTS if row[name]}
    if row["value_approx"]:
        stats["value_approx"] = float(row["value_approx"])
    cell = replace(
        blank,
        status=Status(row["status"]),
        seconds=float(row["seconds"]) if row["seconds"] else None,
        runs=number("runs") or 0,
        jobs=number("jobs") or 1,
        stats=stats,
        peak_memory=number("peak_memory"),
        reason=row["reason"] or None,
    )
    if cell.seconds is not None and cell.seconds >= limit:
        reason = f"time limit of {limit:g} s reached"
        return replace(cell, status=Status.NOT_FINISHED, seconds=None, reason=reason)
    return cell

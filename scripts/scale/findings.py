"""What follows from the measured lines: ratios, differences, exponents and targets met."""

from __future__ import annotations

import math
from collections.abc import Iterable

from scale.study import PRECISION, Line, Study

CERTIFIED_RATIO = 20.0
DINING_SECONDS = {4: 2.0, 8: 60.0}  # by diners, about
ABOUT = 1.25
QUERY_SECONDS, QUERY_BYTES = 60.0, 2 * 10**9
START_SECONDS = 0.5
TOY = 20  # states below which a random chain has no target
FIT_SECONDS = 0.1


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

"""What must hold of a program's declarations, before anything is said about its statements.

Names of inputs and functions differ, tables and listed neighbours have as many numbers as they should, which
the domain knows, steps increase, and the interval of epsilon holds a positive number. The rules are those of
SPEC-DIPC, section 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from bdist.dipc.program import Discretised, Function, Interval, ListedPairs, Place, Point, Program, error_at
from bdist.exact.reading import rational_text


def check_declarations(program: Program) -> None:
    """Raises: ProgramError with the place of the first declaration that breaks a rule."""
    source = program.source
    if not program.domain or len(set(program.domain)) < len(program.domain):
        raise error_at("the domain holds distinct values, at least one", Place(0, 0), source)
    if not program.inputs or not program.outputs:
        raise error_at("a program has inputs and outputs", Place(0, 0), source)
    names = [(declared.name, "an input", declared.place) for declared in program.inputs]
    names += [(function.name, "a function", function.place) for function in program.functions]
    _check_distinct(names, source)
    for output in program.outputs:
        if isinstance(output, Discretised):
            steps = output.steps
            if len(steps) < 2 or any(a >= b for a, b in pairwise(steps)):
                raise error_at("the constants of disc increase", output.place, source)
    for function in program.functions:
        _check_function(function, source)
    _check_adjacency(program)
    _check_interval(program.interval, source)
    if program.claim.factor < 0:
        claim = program.claim
        raise error_at("the claim is t * eps with t >= 0", claim.place, claim.source or source)


def _check_distinct(names: Iterable[tuple[str, str, Place]], source: str) -> None:
    seen: dict[str, str] = {}
    for name, what, place in names:
        if name in seen:
            raise error_at(f"'{name}' is the name of {seen[name]} already", place, source)
        seen[name] = what


def _check_function(function: Function, source: str) -> None:
    parameters = function.parameters
    _check_distinct(((name, "a parameter", function.place) for name in parameters), source)
    if function.body is not None:
        return
    seen: set[Point] = set()
    for arguments, _ in function.table:
        shown = f"the table of '{function.name}' has a row for {_point(arguments)}"
        if len(arguments) != len(parameters):
            wanted = f"and {len(parameters)} parameter{'s' * (len(parameters) != 1)}"
            raise error_at(f"{shown} {wanted}", function.place, source)
        if arguments in seen:
            raise error_at(f"{shown} twice", function.place, source)
        seen.add(arguments)


def _check_adjacency(program: Program) -> None:
    adjacency, source = program.adjacency, program.source
    if not isinstance(adjacency, ListedPairs):
        if adjacency.distance <= 0:
            raise error_at("the distance of neighbours is positive", adjacency.place, source)
        return
    entries, domain = len(program.input_names), frozenset(program.domain)
    for pair in adjacency.pairs:
        for point in pair:
            if len(point) != entries:
                message = f"{_point(point)} has {len(point)} entries, and there are {entries} inputs"
                raise error_at(message, adjacency.place, source)
            if not domain.issuperset(point):
                message = f"{_point(point)} has a value that is not in the domain"
                raise error_at(message, adjacency.place, source)


def _check_interval(interval: Interval, source: str) -> None:
    low, high = interval.low, interval.high
    if low < 0 or (low == 0 and interval.has_low):
        raise error_at("epsilon is positive: an interval begins with (0 or above", interval.place, source)
    if high is None:
        if interval.has_high:
            raise error_at("inf is not a value of epsilon: write inf)", interval.place, source)
    elif high < low or (high == low and not (interval.has_low and interval.has_high)):
        raise error_at("there is no epsilon in this interval", interval.place, source)


def _point(point: Point) -> str:
    shown = ", ".join(rational_text(value) for value in point[:6])
    return f"({shown}{', ...' if len(point) > 6 else ''})"

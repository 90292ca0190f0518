"""The inputs of a program, and which of them are neighbours.

All inputs are the product of the domain, one factor for each input variable, and neighbours are found from
one input at a time: entry by entry, the values that are near enough are tried with what is left of the
distance. Every beginning of a neighbour can be completed, by changing nothing more, so nothing is tried in
vain, and the time is in proportion to what is found. Too many are refused before they take all memory.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from itertools import product
from math import lcm

from bdist.dipc.program import ListedPairs, Norm, Point, Program, Within, error_at
from bdist.dipc.rules import check_declarations
from bdist.errors import ProgramError

MOST_INPUTS = 100_000
MOST_PAIRS = 1_000_000

_LONG = 256  # bits of a common denominator

_Costs = dict[Fraction, list[tuple[Fraction, Fraction | int]]]


def inputs_of(program: Program) -> tuple[Point, ...]:
    """All inputs, a value for each of ``program.input_names``, in lexicographic order.

    Raises: ProgramError where there are more than MOST_INPUTS.
    """
    count, values = 1, len(program.domain)
    for _ in program.input_names:
        count *= values
        if count > MOST_INPUTS:
            shown = f"{values} values for each of {len(program.input_names)} input variables"
            raise _error(program, f"there are more than {MOST_INPUTS} inputs: {shown}")
    return tuple(product(sorted(program.domain), repeat=len(program.input_names)))


def adjacent_pairs(program: Program) -> tuple[tuple[Point, Point], ...]:
    """All ordered pairs of different inputs that are adjacent, each once; with a pair there is its reverse.

    Listed pairs are in the order of the text, each followed by its reverse; others are in lexicographic
    order.
    Raises: ProgramError where there are more than MOST_PAIRS, or pairs that are listed are not of inputs.
    """
    check_declarations(program)
    adjacency = program.adjacency
    if isinstance(adjacency, ListedPairs):
        both = ((one, other) for pair in adjacency.pairs for one, other in (pair, pair[::-1]))
        return tuple(dict.fromkeys((one, other) for one, other in both if one != other))
    return tuple(_near_pairs(program, adjacency))


def _near_pairs(program: Program, adjacency: Within) -> list[tuple[Point, Point]]:
    domain = sorted(program.domain)
    ends = {value: _reach(domain, value, adjacency) for value in domain}
    single = sum(end - start for start, end in ends.values())
    if single - len(domain) > MOST_PAIRS:
        raise _too_many(program)
    points, pairs = inputs_of(program), list[tuple[Point, Point]]()
    costs, budget = _costs({value: domain[start:end] for value, (start, end) in ends.items()}, adjacency)
    for point in points:
        begun: list[tuple[Point, Fraction | int]] = [((), budget)]
        for value in point:
            begun = [
                ((*start, other), left - cost)
                for start, left in begun
                for other, cost in costs[value]
                if cost <= left
            ]
        pairs += [(point, other) for other, _ in begun if other != point]
        if len(pairs) > MOST_PAIRS:
            raise _too_many(program)
    return pairs


def _costs(near: dict[Fraction, list[Fraction]], adjacency: Within) -> tuple[_Costs, Fraction | int]:
    """What each change of an entry takes, and how much there is; in integers, unless they were long ones.

    With the maximum norm entries do not share the distance, and near values cost nothing.
    """
    if adjacency.norm is Norm.LINF:
        return {v: [(w, 0) for w in ws] for v, ws in near.items()}, 0
    if adjacency.norm is Norm.L0:
        return {v: [(w, int(w != v)) for w in ws] for v, ws in near.items()}, adjacency.distance // 1
    unit = adjacency.distance.denominator
    for value in near:
        unit = lcm(unit, value.denominator)
        if unit.bit_length() > _LONG:
            return {v: [(w, abs(w - v)) for w in ws] for v, ws in near.items()}, adjacency.distance
    whole = {v: (v * unit).numerator for v in near}
    costs: _Costs = {v: [(w, abs(whole[w] - whole[v])) for w in ws] for v, ws in near.items()}
    return costs, (adjacency.distance * unit).numerator


def _reach(domain: list[Fraction], value: Fraction, adjacency: Within) -> tuple[int, int]:
    """Where the values begin and end that an entry with this value may have in a neighbour."""
    if adjacency.norm is Norm.L0:
        if adjacency.distance >= 1:
            return 0, len(domain)
        place = bisect_left(domain, value)
        return place, place + 1
    low, high = value - adjacency.distance, value + adjacency.distance
    return bisect_left(domain, low), bisect_right(domain, high)


def _too_many(program: Program) -> ProgramError:
    return _error(program, f"there are more than {MOST_PAIRS} pairs of adjacent inputs")


def _error(program: Program, message: str) -> ProgramError:
    return error_at(message, program.adjacency.place, program.source)

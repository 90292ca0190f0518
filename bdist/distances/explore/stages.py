"""Stages: functions in the order in which a checker can follow them.

What leans on nothing that comes later is proved at once. Functions that lean on each other in circles are
proved together, and then each pair needs a reason why it is positive at all (`escapes`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from flint import fmpq

from bdist.certificates.document import Function, Potential, Stage, numerator
from bdist.distances.explore.bounds import Arc
from bdist.distances.explore.escapes import escapes_of
from bdist.distances.explore.functions import Plan
from bdist.exact.linear import strongly_connected_components


@dataclass(frozen=True)
class Proved:
    """A function with the directed pairs for which it proves a lower bound."""

    f: Potential
    pairs: dict[Arc, fmpq]


def stages_of(plan: Plan, proved: Mapping[int, Proved], leans: Mapping[int, Collection[int]]) -> list[Stage]:
    """The functions of some pairs in stages, given which lean on which.

    Raises: ProposalFailed where a circle has no escape.
    """
    pairs = list(proved)
    place = {pair: position for position, pair in enumerate(pairs)}
    successors = [[place[q] for q in sorted(leans[pair]) if q in place] for pair in pairs]
    level = [0] * len(pairs)
    plain: dict[int, list[Proved]] = {}
    circles: dict[int, list[list[int]]] = {}
    for component in strongly_connected_components(successors):
        members = set(component)
        below = (level[q] for p in component for q in successors[p] if q not in members)
        height = 1 + max(below, default=-1)
        for p in component:
            level[p] = height
        if len(component) == 1 and component[0] not in successors[component[0]]:
            plain.setdefault(height, []).append(proved[pairs[component[0]]])
        else:
            circles.setdefault(height, []).append(sorted(pairs[p] for p in component))
    stages = []
    before: list[Arc] = []  # pairs that are proved to be positive
    for height in range(max(level, default=-1) + 1):
        if height in plain:
            stages.append(Stage(tuple(map(_function, plain[height]))))
            before += _positive(plain[height])
        for circle in circles.get(height, []):
            functions = [proved[pair] for pair in circle]
            ends = {pair: plan.proposal.ends(pair) for pair in circle}
            stages.append(Stage(tuple(map(_function, functions)), escapes_of(plan, ends, before)))
            before += _positive(functions)
    return stages


def _positive(functions: Iterable[Proved]) -> Iterable[Arc]:
    return (arc for proved in functions for arc, value in proved.pairs.items() if value > 0)


def _function(proved: Proved) -> Function:
    over = proved.f.over
    return Function(proved.f, tuple((i, j, numerator(x, over)) for (i, j), x in proved.pairs.items()))

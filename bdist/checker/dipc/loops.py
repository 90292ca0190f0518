"""How much mass arrives at each node of a graph of weighted steps, loops included.

Nodes are taken one strongly connected component after the other, in an order in which steps lead onwards
(Tarjan). A component with one node and no step to itself passes on what it gets. Any other is a loop, and a
linear system: see ``program_systems.py``. Each of its nodes must have a way out of steps that are positive
for every ε of the interval: then it is left with probability 1 for every such ε, so I − q is regular, and
the system has the one solution that the loop means.
"""

from __future__ import annotations

from math import lcm
from typing import NamedTuple

from ..core.limits import Work
from .contraction import Weights, contract
from .exponentials import ZERO, Exponential, Factors, Quotient, add_quotients, multiplied
from .systems import Matrix, solve
from .values import Unfit


class Step(NamedTuple):
    """A step to a node, with its weight, and whether that is positive for every ε of the interval."""

    target: int
    weight: Quotient
    positive: bool


def masses(steps: list[list[Step]], first: list[Step], work: Work) -> list[Quotient]:
    """What arrives at each node, all visits taken together. Raises: Unfit, TooLarge."""
    arriving: list[list[Quotient]] = [[] for _ in steps]
    found = [Quotient(ZERO)] * len(steps)
    for step in first:
        arriving[step.target].append(step.weight)
    for component in reversed(components(steps)):
        inside = set(component)
        if any(step.target in inside for node in component for step in steps[node]):
            _loop(component, inside, steps, arriving, work)
            continue
        node = component[0]
        parts = arriving[node]
        found[node] = total = parts[0] if len(parts) == 1 else add_quotients(parts, work)
        if total:
            for step in steps[node]:
                arriving[step.target].append(total.times(step.weight, work))
    return found


def _loop(
    component: list[int],
    inside: set[int],
    steps: list[list[Step]],
    arriving: list[list[Quotient]],
    work: Work,
) -> None:
    """Pass on what leaves a loop. Raises: Unfit, TooLarge."""
    _check_ends(component, inside, steps)
    weights: Weights = {}
    for node in component:
        by_target: dict[int, list[Quotient]] = {}
        for step in steps[node]:
            if step.weight:
                by_target.setdefault(step.target, []).append(step.weight)
        weights[node] = {target: add_quotients(parts, work) for target, parts in by_target.items()}
    weights = contract(weights, arriving, work)
    place = {node: i for i, node in enumerate(weights)}
    n = len(weights)
    matrix: Matrix = [[ZERO] * n for _ in range(n)]
    leaving: list[list[tuple[int, Exponential]]] = []
    for node, successors in weights.items():
        numerators, below = _over_one_denominator(list(successors.values()), work)
        i = place[node]
        out: list[tuple[int, Exponential]] = []
        matrix[i][i] = below
        for target, numerator in zip(successors, numerators, strict=True):
            if target in place:
                j = place[target]
                matrix[i][j] = matrix[i][j].minus(numerator, work)
            else:
                out.append((target, numerator))
        leaving.append(out)
    inverse, determinant = solve(matrix, work)
    for node in weights:
        coming = add_quotients(arriving[node], work)
        if not coming:
            continue
        for i, out in enumerate(leaving):
            visits = inverse[place[node]][i]
            if visits and out:
                passed = coming.times(Quotient.ratio(visits, determinant, work), work)
                for target, numerator in out:
                    arriving[target].append(passed.times(Quotient(numerator), work))


def _check_ends(component: list[int], inside: set[int], steps: list[list[Step]]) -> None:
    """That each node has a way out by steps that are positive for every ε."""
    back: dict[int, list[int]] = {node: [] for node in component}
    leads_out: list[int] = []
    for node in component:
        for step in steps[node]:
            if step.positive:
                if step.target in inside:
                    back[step.target].append(node)
                else:
                    leads_out.append(node)
    reached = set(leads_out)
    waiting = list(reached)
    while waiting:
        for node in back[waiting.pop()]:
            if node not in reached:
                reached.add(node)
                waiting.append(node)
    if len(reached) < len(component):
        raise Unfit("a run may stay in a loop for ever, with positive probability")


def _over_one_denominator(quotients: list[Quotient], work: Work) -> tuple[list[Exponential], Exponential]:
    """Numerators over one common denominator, all with integer coefficients."""
    factors: Factors = {}
    for quotient in quotients:
        for key, (factor, power) in quotient.factors.items():
            if power > factors.get(key, (factor, 0))[1]:
                factors[key] = (factor, power)
    below = multiplied(factors.values(), work)
    found = []
    for quotient in quotients:
        missing = [
            (factor, power - quotient.factors.get(key, (factor, 0))[1])
            for key, (factor, power) in factors.items()
        ]
        found.append(quotient.numerator.times(multiplied(missing, work), work))
    scale = _common_denominator([*found, below])
    whole = [_times_integer(part, scale) for part in (*found, below)]
    return whole[:-1], whole[-1]


def _common_denominator(functions: list[Exponential]) -> int:
    return lcm(*(function.denominator for function in functions))


def _times_integer(function: Exponential, scale: int) -> Exponential:
    by = scale // function.denominator
    return Exponential({key: c * by for key, c in function.terms.items()}, function.grid)


def components(steps: list[list[Step]]) -> list[list[int]]:
    """The strongly connected components of a graph, the last ones first (Tarjan 1972), without recursion."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    is_open = [False] * len(steps)
    found: list[list[int]] = []
    for start in range(len(steps)):
        if start in order:
            continue
        stack = [(start, 0)]
        while stack:
            node, done = stack.pop()
            if done == 0:
                order[node] = low[node] = len(order)
                open_nodes.append(node)
                is_open[node] = True
            else:
                low[node] = min(low[node], low[steps[node][done - 1].target])
            for i in range(done, len(steps[node])):
                target = steps[node][i].target
                if target not in order:
                    stack += [(node, i + 1), (target, 0)]
                    break
                if is_open[target]:
                    low[node] = min(low[node], order[target])
            else:
                if low[node] == order[node]:
                    component = []
                    while True:
                        other = open_nodes.pop()
                        is_open[other] = False
                        component.append(other)
                        if other == node:
                            break
                    found.append(component)
    return found

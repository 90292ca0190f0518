"""How much mass arrives at each node of a graph of weighted steps, loops included.

Nodes are taken one strongly connected component after the other, in an order in which steps lead onwards
(Tarjan). A component with one node and no step to itself passes on what it gets. Any other is a loop. Each of
its nodes must have a way out of steps that are positive for every ε of the interval: then it is left with
probability 1 for every such ε, so I − q is regular, and the system below has the one solution that the loop
means.

*Contraction.* A node k without a step to itself is left at each visit, so a step i → k followed by k → j is a
step i → j with the product of the weights, and k can go, whether j is inside of the loop or not; what arrives
at k from outside arrives at its successors instead. No fraction is made by that, and most nodes of a loop are
of this kind: the ways of a random choice, the places between two choices. The node with the fewest ways
through it goes first, and none goes that would leave more steps than `MOST_WAYS` for each that it takes away.

*Solution.* If q(s, t) is the probability of a step and in(t) what comes from outside, the expected number of
visits v solves v(t) = in(t) + Σ_s v(s) q(s, t). With the common denominator W(s) of the steps from s, and
u(s) = v(s) / W(s), the matrix W − (W q) has exponential polynomials for entries. It is solved for a unit of
mass at each entry of the loop by Bareiss's elimination, in which every division is exact: quotients of
quotients would double in length with every state, and there is no search for common divisors here that could
shorten them. The cost grows with the third power of the size and more.
"""

from __future__ import annotations

from math import lcm
from typing import NamedTuple

from ..core.limits import Work
from .exponentials import ZERO, Exponential, Key, Quotient, add_quotients, multiplied, over_one_denominator
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
        numerators, factors = over_one_denominator(successors.values(), work)
        *numerators, below = _whole([*numerators, multiplied(factors.values(), work)])
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


def _whole(functions: list[Exponential]) -> list[Exponential]:
    """The functions times their common denominator, so that all coefficients are integers."""
    scale = lcm(*(function.denominator for function in functions))
    return [
        Exponential({key: c * (scale // f.denominator) for key, c in f.terms.items()}, f.grid)
        for f in functions
    ]


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


# --- contraction ---


MOST_WAYS = 2  # steps in place of each that a node takes away

Weights = dict[int, dict[int, Quotient]]  # from a node to its successors, inside and outside


def contract(weights: Weights, arriving: list[list[Quotient]], work: Work) -> Weights:
    """The loop without the nodes that can go; what arrives at them is passed on. Raises: TooLarge.

    Requires: the keys of ``weights`` are the nodes of the loop. Ensures: the same mass leaves it.
    """
    left = {node: dict(out) for node, out in weights.items()}
    sources: dict[int, set[int]] = {node: set() for node in left}
    for node, out in left.items():
        for target in out:
            if target in sources:
                sources[target].add(node)
    while (gone := _next_to_go(left, sources)) is not None:
        out, entries = left.pop(gone), sources.pop(gone)
        for target in out:
            if target in sources:
                sources[target].discard(gone)
        coming = add_quotients(arriving[gone], work) if arriving[gone] else None
        for target, weight in out.items():
            if coming:
                arriving[target].append(coming.times(weight, work))
            for source in entries:
                added = left[source][gone].times(weight, work)
                known = left[source].get(target)
                left[source][target] = added if known is None else add_quotients([known, added], work)
                if target in sources:
                    sources[target].add(source)
        arriving[gone].clear()
        for source in entries:
            del left[source][gone]
    return left


def _next_to_go(left: Weights, sources: dict[int, set[int]]) -> int | None:
    """The node to go next, or None."""
    best: tuple[int, int] | None = None
    for node, out in left.items():
        if node in out or len(left) == 1:
            continue
        ways, taken = len(sources[node]) * len(out), len(sources[node]) + len(out)
        if ways <= MOST_WAYS * taken and (best is None or (ways, node) < best):
            best = ways, node
    return None if best is None else best[1]


# --- linear systems without fractions ---


Matrix = list[list[Exponential]]


def solve(matrix: Matrix, work: Work) -> tuple[Matrix, Exponential]:
    """X and d ≠ 0 with matrix · X = d · identity: the adjugate and the determinant, up to one sign.

    Requires: entries are integer combinations (denominator 1); the matrix is regular. Raises: TooLarge.
    """
    n = len(matrix)
    grid = 1
    for row in matrix:
        for entry in row:
            grid = lcm(grid, entry.grid)
    rows = [
        [Exponential(dict(entry.on(grid)), grid) for entry in row]
        + [Exponential({(0, 0): 1}, grid) if i == j else Exponential({}, grid) for j in range(n)]
        for i, row in enumerate(matrix)
    ]
    before = Exponential({(0, 0): 1}, grid)
    for k in range(n):
        # Bareiss: entries are minors of the matrix, so that the division by the last pivot is exact.
        pivot = next(i for i in range(k, n) if rows[i][k])  # there is one: the matrix is regular
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], [entry.negated() for entry in rows[k]]
        for i in range(n):
            if i != k:
                factor = rows[i][k]
                rows[i] = [
                    divide(rows[k][k].times(entry, work).minus(factor.times(above, work), work), before, work)
                    if j != k
                    else Exponential({}, grid)
                    for j, (entry, above) in enumerate(zip(rows[i], rows[k], strict=True))
                ]
        before = rows[k][k]
    # the rows above were divided along (Gauss and Jordan): each diagonal entry is the determinant now
    return [row[n:] for row in rows], before


def divide(above: Exponential, below: Exponential, work: Work) -> Exponential:
    """The quotient of integer combinations on one grid, where the division is exact. Raises: TooLarge."""
    if not above or below.is_one or below.terms == {(0, 0): 1}:
        return above
    lead = max(below.terms)
    others = [(key, c) for key, c in below.terms.items() if key != lead]
    rest = dict(above.terms)
    found: dict[Key, int] = {}
    while rest:
        top = max(rest)
        work.spend(len(rest) + 4 * len(others), above.bits, below.bits)
        c, remainder = divmod(rest.pop(top), below.terms[lead])
        shift = (top[0] - lead[0], top[1] - lead[1])
        if remainder or shift[1] < 0:
            raise ArithmeticError("a division that should be exact is not")
        found[shift] = c
        for (k, j), x in others:
            key = (k + shift[0], j + shift[1])
            left = rest.get(key, 0) - c * x
            if left:
                rest[key] = left
            else:
                rest.pop(key, None)
    return Exponential(found, above.grid)

"""Cells: the points that satisfy some linear inequalities, and the question whether there are any.

A probability is an integral over a cell, variable by variable, and what is left after each is a function
that is one formula on each of some cells. A constraint is a tuple of integers c, one for each variable and
one more, and says

    c_1 z_1 + ... + c_n z_n + c_(n+1) E < 0         (real variables; E is a multiple of ε, and positive)
    c_1 z_1 + ... + c_n z_n + c_(n+1)   ≤ 0         (integer variables)

so scaling ε scales real cells, and the same formula serves for all ε. Among reals < and ≤ are the same, up
to sets of measure 0: a cell whose inequalities hold together only at its boundary is empty.

Empty cells must be found: on one, an integral over a variable without a bound may diverge, while on cells
with points every integral converges. There are two ways to decide it, both exact. If every constraint
compares two variables or bounds one, it is a graph, with a cycle that says 0 < 0 or none (Floyd and
Warshall). Otherwise the simplex method decides, with Bland's rule. For integers both decide whether there
are rational points; elimination is done with coefficients ±1 only, and then a cell with a rational point has
an integer one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd

from ..core.limits import Work

Constraint = tuple[int, ...]
Cell = tuple[Constraint, ...]  # sorted, and none follows from the others

_Number = int | Fraction


class Space:
    """So many variables, all real or all integer; remembers which cells are empty."""

    def __init__(self, variables: int, integer: bool, work: Work) -> None:
        self.variables = variables
        self.integer = integer
        self._work = work
        self._reduced: dict[frozenset[Constraint], Cell | None] = {}

    def constraint(self, numbers: Sequence[_Number]) -> Constraint | bool:
        """The constraint with these coefficients; or whether it holds, if no variable is in it."""
        scale = 1
        for number in numbers:
            scale = scale * number.denominator // gcd(scale, number.denominator)
        whole = [number.numerator * (scale // number.denominator) for number in numbers]
        if not any(whole[:-1]):
            return whole[-1] <= 0 if self.integer else whole[-1] < 0
        if self.integer:
            common = gcd(*whole[:-1])
            return (*(c // common for c in whole[:-1]), -(-whole[-1] // common))
        common = gcd(*whole)
        return tuple(c // common for c in whole)

    def opposite(self, constraint: Constraint) -> Constraint:
        """The constraint that holds where this one does not."""
        *most, last = (-c for c in constraint)
        return (*most, last + 1) if self.integer else (*most, last)

    def reduce(self, constraints: Iterable[Constraint]) -> Cell | None:
        """The cell of these constraints without those that follow from others, or None if it is empty.

        Raises: TooLarge.
        """
        wanted = frozenset(constraints)
        if wanted in self._reduced:
            return self._reduced[wanted]
        bounded = {i for c in wanted for i, x in enumerate(c[:-1]) if x}
        self._work.keep(len(wanted) * (self.variables + 1) + 1, 0)
        found = self._tightest(bounded.pop(), wanted) if len(bounded) == 1 else self._irredundant(wanted)
        self._reduced[wanted] = found
        return found

    def _tightest(self, variable: int, constraints: frozenset[Constraint]) -> Cell | None:
        """The cell of constraints that all bound the same variable."""
        self._work.spend(4 * len(constraints))
        # c z + d < 0: a bound −d/c, from above for c > 0
        above = [c for c in constraints if c[variable] > 0]
        below = [c for c in constraints if c[variable] < 0]
        high = min(above, key=lambda c: Fraction(-c[-1], c[variable]), default=None)
        low = max(below, key=lambda c: Fraction(-c[-1], c[variable]), default=None)
        if high is None or low is None:
            return tuple(c for c in (low, high) if c is not None)
        gap = Fraction(-high[-1], high[variable]) - Fraction(-low[-1], low[variable])
        if gap < 0 or (gap == 0 and not self.integer):
            return None
        return tuple(sorted((low, high)))

    def _irredundant(self, constraints: frozenset[Constraint]) -> Cell | None:
        """The constraints that do not follow from the others."""
        if not self.feasible(tuple(constraints)):
            return None
        kept = sorted(constraints)
        for constraint in list(kept):
            others = [c for c in kept if c is not constraint]
            if not self.feasible((*others, self.opposite(constraint))):
                kept = others
        return tuple(kept)

    def feasible(self, constraints: tuple[Constraint, ...]) -> bool:
        """Whether all hold at some point, for reals at one of the interior. Raises: TooLarge."""
        edges = _edges(constraints)
        if edges is not None:
            return self._no_bad_cycle(edges)
        return self._simplex(constraints)

    def _no_bad_cycle(self, edges: dict[tuple[int, int], _Number]) -> bool:
        """Whether no chain of inequalities x < y + w around a cycle says 0 < 0 (or 0 ≤ −1)."""
        nodes = {node for edge in edges for node in edge}
        self._work.spend(len(nodes) ** 3 + 1)
        distance = dict(edges)
        for middle in nodes:
            out = [(node, distance[middle, node]) for node in nodes if (middle, node) in distance]
            for node in nodes:
                there = distance.get((node, middle))
                if there is None:
                    continue
                for end, further in out:
                    way = there + further
                    known = distance.get((node, end))
                    if known is None or way < known:
                        distance[node, end] = way
        cycles = [distance[node, node] for node in nodes if (node, node) in distance]
        return all(cycle >= 0 if self.integer else cycle > 0 for cycle in cycles)

    def _simplex(self, constraints: tuple[Constraint, ...]) -> bool:
        """Minimise t ≥ 0 such that c z + d + 1 ≤ t for all constraints (and E = 1): below 1 there is room."""
        least = _least_excess(constraints, self._work)
        return least <= 1 if self.integer else least < 1


def _edges(constraints: tuple[Constraint, ...]) -> dict[tuple[int, int], _Number] | None:
    """Constraints x_i − x_j < w as {(i, j): w}, with −1 for the constant 0; None if there are others."""
    found: dict[tuple[int, int], _Number] = {}
    for constraint in constraints:
        parts = [(i, c) for i, c in enumerate(constraint[:-1]) if c]
        bound: _Number
        if len(parts) == 1:
            (i, c), bound = parts[0], constraint[-1]
            edge = (i, -1) if c > 0 else (-1, i)
            bound = -bound if abs(c) == 1 else Fraction(-bound, abs(c))
        elif len(parts) == 2 and parts[0][1] == -parts[1][1]:
            (i, c), (j, _) = parts
            edge = (i, j) if c > 0 else (j, i)
            bound = -constraint[-1] if abs(c) == 1 else Fraction(-constraint[-1], abs(c))
        else:
            return None
        if edge not in found or bound < found[edge]:
            found[edge] = bound
    return found


def _least_excess(constraints: tuple[Constraint, ...], work: Work) -> Fraction:
    """The least t ≥ 0 with c z + d + 1 ≤ t for all constraints, by the simplex method.

    A free variable is z_i = u_i − u_0 with u ≥ 0. The rows are basic = constant + Σ coefficient · nonbasic,
    with the slack b − c z + t at the beginning, where b = −d − 1.
    """
    n, m = len(constraints[0]) - 1, len(constraints)
    excess = n + 1  # the column of t, after u_1, ..., u_n and u_0
    rows = [
        [Fraction(-c[-1] - 1), *(Fraction(-x) for x in c[:-1]), Fraction(sum(c[:-1])), Fraction(1)]
        for c in constraints
    ]
    names = [*range(n + 2)]  # of the columns
    basis = [*range(n + 2, n + 2 + m)]  # of the rows
    worst = min(range(m), key=lambda r: rows[r][0])
    if rows[worst][0] >= 0:
        return Fraction(0)
    _pivot(rows, names, basis, worst, excess)
    work.spend(m * (n + 3))
    while excess in basis:
        goal = basis.index(excess)
        falling = [(names[j], j) for j in range(n + 2) if rows[goal][j + 1] < 0]
        if not falling:
            return rows[goal][0]
        _, column = min(falling)
        limits = [
            (-row[0] / row[column + 1], basis[r], r) for r, row in enumerate(rows) if row[column + 1] < 0
        ]
        least = min(limit for limit, _, _ in limits)
        ties = [(name != excess, name, r) for limit, name, r in limits if limit == least]
        _pivot(rows, names, basis, min(ties)[2], column)
        work.spend(m * (n + 3))
    return Fraction(0)


def _pivot(rows: list[list[Fraction]], names: list[int], basis: list[int], row: int, column: int) -> None:
    """Exchange the variable of a row and that of a column."""
    factor = rows[row][column + 1]
    solved = [-x / factor for x in rows[row]]
    solved[column + 1] = 1 / factor
    for r, other in enumerate(rows):
        by = other[column + 1]
        if r != row and by:
            rows[r] = [x + by * y for x, y in zip(other, solved, strict=True)]
            rows[r][column + 1] = by * solved[column + 1]
    rows[row] = solved
    names[column], basis[row] = basis[row], names[column]

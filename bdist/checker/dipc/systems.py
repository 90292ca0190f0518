"""How often a loop passes its states: a linear system over exponential polynomials, without fractions.

States of a run that lead back to each other form a loop. If q(s, t) is the probability of a step and in(t)
what comes from outside, the expected number of visits v solves v(t) = in(t) + Σ_s v(s) q(s, t). With the
common denominator W(s) of the steps from s, and u(s) = v(s) / W(s), the matrix W − (W q) has exponential
polynomials for entries. It is solved for a unit of mass at each entry of the loop by Bareiss's elimination,
in which every division is exact: quotients of quotients would double in length with every state, and there
is no search for common divisors here that could shorten them.
"""

from __future__ import annotations

from math import lcm

from ..core.limits import Work
from .exponentials import Exponential, Key

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

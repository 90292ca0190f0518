"""Small linear programs over the rationals, and what it means to have solved one.

Every LP of this package has the shape

    maximise  c.x   subject to   A x <= h,   0 <= x <= u      with finite u,

with sparse rows. The box makes life simple: the program is never unbounded, and putting each variable at the
end of the box that its cost likes gives a dual feasible start, so there is no phase one anywhere.

A *basis* says which constraints hold with equality: each variable is at its lower end, at its upper end, or
basic, and as many rows are tight as there are basic variables. A float solver's basis is the part of its
answer worth having: it is discrete, so it can be right when every printed digit is a little wrong.
`certify_basis` solves for the point that the basis describes with exact arithmetic and checks, again exactly,
that it is feasible and that its multipliers are: together a proof of optimality.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from flint import fmpq, fmpq_mat

from bdist.exact.rationals import ZERO

SparseRow = Sequence[tuple[int, fmpq]]


class Place(Enum):
    """Where a basis puts a variable."""

    LOWER = "lower"
    UPPER = "upper"
    BASIC = "basic"


@dataclass(frozen=True)
class LinearProgram:
    """maximise objective.x subject to rows[k].x <= limits[k] and 0 <= x <= caps."""

    objective: Sequence[fmpq]
    rows: Sequence[SparseRow]
    limits: Sequence[fmpq]
    caps: Sequence[fmpq]


@dataclass(frozen=True)
class Basis:
    """A place for every variable and the tight rows; as many rows are tight as variables are basic."""

    places: tuple[Place, ...]
    tight: tuple[int, ...]


@dataclass(frozen=True)
class Optimum:
    """An optimal point with its proof: multipliers >= 0 of the rows and of the caps with zero duality gap."""

    value: fmpq
    point: tuple[fmpq, ...]
    row_multipliers: tuple[fmpq, ...]
    cap_multipliers: tuple[fmpq, ...]
    basis: Basis


@dataclass(frozen=True)
class BasicSolution:
    """The point and multipliers that a basis determines, feasible or not."""

    basic: tuple[int, ...]
    point: list[fmpq]
    row_multipliers: list[fmpq]
    reduced_costs: list[fmpq]


def starting_basis(program: LinearProgram) -> Basis:
    """No row tight, each variable at the end of its box that its cost prefers: always dual feasible."""
    return Basis(tuple(Place.UPPER if c > 0 else Place.LOWER for c in program.objective), ())


def basic_solution(program: LinearProgram, basis: Basis) -> BasicSolution | None:
    """Solve exactly for the point and multipliers of a basis; None where it is singular or miscounted."""
    basic = tuple(j for j, place in enumerate(basis.places) if place is Place.BASIC)
    size = len(basic)
    if size != len(basis.tight):
        return None
    point = [
        cap if place is Place.UPPER else ZERO for cap, place in zip(program.caps, basis.places, strict=True)
    ]
    multipliers = [ZERO] * len(program.rows)
    if size:
        matrix = tight_matrix(program, basis.tight, basic)
        right = fmpq_mat(size, 1)
        for k, row_index in enumerate(basis.tight):
            # what the variables that are not basic leave; basic ones are still 0
            right[k, 0] = program.limits[row_index] - sum(
                (entry * point[j] for j, entry in program.rows[row_index] if point[j]), ZERO
            )
        costs = fmpq_mat(size, 1, [program.objective[j] for j in basic])
        try:
            solved = matrix.solve(right)
            duals = matrix.transpose().solve(costs)
        except ZeroDivisionError:
            return None
        for k, j in enumerate(basic):
            point[j] = solved[k, 0]
        for k, row_index in enumerate(basis.tight):
            multipliers[row_index] = duals[k, 0]
    reduced = list(program.objective)
    for row_index in basis.tight:
        multiplier = multipliers[row_index]
        if multiplier:
            for j, entry in program.rows[row_index]:
                reduced[j] -= multiplier * entry
    return BasicSolution(basic, point, multipliers, reduced)


def tight_matrix(program: LinearProgram, tight: Sequence[int], basic: Sequence[int]) -> fmpq_mat:
    """The tight rows of a program, as far as they are about the basic variables."""
    column = {j: k for k, j in enumerate(basic)}
    matrix = fmpq_mat(len(tight), len(basic))
    for k, row_index in enumerate(tight):
        for j, entry in program.rows[row_index]:
            if j in column:
                matrix[k, column[j]] = entry
    return matrix


def is_dual_feasible(program: LinearProgram, basis: Basis, solution: BasicSolution) -> bool:
    """Whether the multipliers of a basis prove that no feasible point is better."""
    if any(solution.row_multipliers[k] < 0 for k in basis.tight):
        return False
    for place, reduced in zip(basis.places, solution.reduced_costs, strict=True):
        if (place is Place.LOWER and reduced > 0) or (place is Place.UPPER and reduced < 0):
            return False
    return True


def violated_rows(
    program: LinearProgram, point: Sequence[fmpq], skip: Sequence[int]
) -> list[tuple[int, fmpq]]:
    """The rows that a point breaks, with the excess; rows in ``skip`` are known to be tight."""
    known = set(skip)
    found = []
    for k, (row, limit) in enumerate(zip(program.rows, program.limits, strict=True)):
        if k in known:
            continue
        left = ZERO
        for j, entry in row:
            if point[j]:
                left += entry * point[j]
        if left > limit:
            found.append((k, left - limit))
    return found


def certify_basis(program: LinearProgram, basis: Basis) -> Optimum | None:
    """The exact optimum that a basis describes, or None where the basis is not optimal. Never a wrong answer.

    Ensures: point and multipliers are feasible and complementary, so value is the maximum.
    """
    solution = basic_solution(program, basis)
    if solution is None or not is_dual_feasible(program, basis, solution):
        return None
    if any(solution.point[j] < 0 or solution.point[j] > program.caps[j] for j in solution.basic):
        return None
    if violated_rows(program, solution.point, basis.tight):
        return None
    return optimum_of(program, basis, solution)


def optimum_of(program: LinearProgram, basis: Basis, solution: BasicSolution) -> Optimum:
    """Package a basic solution that is known to be primal and dual feasible."""
    value = ZERO
    for cost, x in zip(program.objective, solution.point, strict=True):
        if x:
            value += cost * x
    caps = tuple(
        reduced if place is Place.UPPER else ZERO
        for place, reduced in zip(basis.places, solution.reduced_costs, strict=True)
    )
    return Optimum(value, tuple(solution.point), tuple(solution.row_multipliers), caps, basis)

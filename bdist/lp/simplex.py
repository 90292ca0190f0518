"""The exact solver: a dual simplex on boxed variables, in rational arithmetic.

It starts from any dual feasible basis (there always is one, see `starting_basis`) and repairs one broken
constraint a step: the constraint becomes tight, and the ratio test picks what gives way, so that the
multipliers stay proofs of an upper bound that falls to the optimum. Nothing is updated from step to step:
each step solves its small system afresh. With FLINT a system of 8 unknowns takes 5 microseconds, so a
factorisation kept up to date would save little and would be the first place to look for a bug.

The most violated constraint is repaired first. That rule can cycle, so after a number of steps that honest
instances do not reach, the smallest index is taken on both sides of the pivot (Bland's rule), which cannot. A
step that nothing bounds proves infeasibility.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from bdist.errors import InternalError
from bdist.exact.rationals import ONE, ZERO
from bdist.lp.program import (
    BasicSolution,
    Basis,
    LinearProgram,
    Optimum,
    Place,
    SparseRow,
    basic_solution,
    is_dual_feasible,
    optimum_of,
    starting_basis,
    tight_matrix,
    violated_rows,
)

_GREEDY_STEPS_A_VARIABLE = 10


@dataclass(frozen=True)
class _Broken:
    """A constraint that the current point breaks: a row, or one end of a basic variable's box.

    Indices are those of Bland's rule: variables first, then rows.
    """

    index: int
    excess: fmpq
    vector: SparseRow
    becomes: Place = Place.BASIC  # of a variable


def maximise(program: LinearProgram, start: Basis | None = None) -> Optimum | None:
    """The exact optimum, or None where no point is feasible.

    Requires: ``start``, if given, is a guess; it is used only if it turns out to be dual feasible.
    """
    basis, solution = _dual_feasible_start(program, start)
    greedy = _GREEDY_STEPS_A_VARIABLE * (len(program.objective) + 1)
    while True:
        broken = _broken_constraints(program, basis, solution)
        if not broken:
            return optimum_of(program, basis, solution)
        if greedy > 0:
            greedy -= 1
            chosen = max(broken, key=lambda b: (b.excess, -b.index))
        else:
            chosen = min(broken, key=lambda b: b.index)
        following = _pivot(program, basis, solution, chosen)
        if following is None:
            return None
        basis = following
        solved = basic_solution(program, basis)
        if solved is None:
            raise InternalError("the exact simplex met a singular basis, which its ratio test excludes")
        solution = solved


def _dual_feasible_start(program: LinearProgram, start: Basis | None) -> tuple[Basis, BasicSolution]:
    for basis in (start, starting_basis(program)):
        if basis is not None:
            solution = basic_solution(program, basis)
            if solution is not None and is_dual_feasible(program, basis, solution):
                return basis, solution
    raise InternalError("the starting basis is dual feasible by construction and was found not to be")


def _broken_constraints(program: LinearProgram, basis: Basis, solution: BasicSolution) -> list[_Broken]:
    found = []
    for j in solution.basic:
        x = solution.point[j]
        if x < 0:
            found.append(_Broken(j, -x, [(j, -ONE)], Place.LOWER))
        elif x > program.caps[j]:
            found.append(_Broken(j, x - program.caps[j], [(j, ONE)], Place.UPPER))
    variables = len(program.objective)
    for k, excess in violated_rows(program, solution.point, basis.tight):
        found.append(_Broken(variables + k, excess, program.rows[k]))
    return found


def _pivot(program: LinearProgram, basis: Basis, solution: BasicSolution, broken: _Broken) -> Basis | None:
    """Make the broken constraint tight; None where nothing gives way, which proves infeasibility.

    Raising the new constraint's multiplier by t changes the tight rows' multipliers by -t y and the reduced
    costs by -t z, where y solves A[tight, basic]^T y = vector[basic] and z = vector - y A[tight]. The first
    of them to reach zero gives way.
    """
    basic, tight = solution.basic, basis.tight
    vector = dict(broken.vector)
    y: list[fmpq] = []
    if basic:
        right = fmpq_mat(len(basic), 1, [vector.get(j, ZERO) for j in basic])
        solved = tight_matrix(program, tight, basic).transpose().solve(right)
        y = [solved[k, 0] for k in range(len(basic))]
    z = dict(vector)
    for k, weight in zip(tight, y, strict=True):
        if weight:
            for j, entry in program.rows[k]:
                z[j] = z.get(j, ZERO) - weight * entry
    variables = len(program.objective)
    candidates: list[tuple[fmpq, int]] = []  # step, and index of what gives way
    for k, weight in zip(tight, y, strict=True):
        if weight > 0:
            candidates.append((solution.row_multipliers[k] / weight, variables + k))
    for j, slope in z.items():
        place = basis.places[j]
        if (place is Place.LOWER and slope < 0) or (place is Place.UPPER and slope > 0):
            candidates.append((solution.reduced_costs[j] / slope, j))
    if not candidates:
        return None
    _, gives_way = min(candidates)
    places = list(basis.places)
    rows = [k for k in tight if variables + k != gives_way]
    if gives_way < variables:
        places[gives_way] = Place.BASIC
    if broken.index < variables:
        places[broken.index] = broken.becomes
    else:
        rows.append(broken.index - variables)
    return Basis(tuple(places), tuple(rows))

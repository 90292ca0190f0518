"""CaDiCaL through python-sat, on a whole CNF at once."""

from __future__ import annotations

from collections.abc import Sequence


def solve_cnf(clauses: Sequence[Sequence[int]]) -> list[int] | None:
    """A satisfying assignment as a list of literals, or None where there is none.

    Requires: literals are nonzero integers as in DIMACS.
    """
    from pysat.solvers import Cadical195  # imported when first used

    with Cadical195(bootstrap_with=clauses) as solver:
        return solver.get_model() if solver.solve() else None

"""Backend `sat-lp`: a SAT solver proposes the maximiser's directions, exact linear programs refute them.
Complete.

One Boolean a pair says which direction the maximiser takes there. For a proposal sigma the minimiser's side
is solved exactly, with value v. If v(s,t) > theta, the threshold is violated and v proves it. Otherwise let I
be the pairs whose other direction is strictly better at v. Every sigma' that agrees with sigma on I has v as
a pre-fixed point, so its value is at most v and cannot violate theta either: the clause "some pair of I
switches" excludes them all. If I is empty, v is bd_alpha and the threshold holds. Directions are finitely
many and every clause excludes the proposal that it came from, so this ends.

The SAT solver's saved phases start each proposal from the last one with I switched, which makes its first try
the move of strategy iteration; clauses then keep it from ever returning. They do not depend on theta, so one
session serves a whole binary search.

The solver is Glucose: it takes phases through python-sat, and formulas this small do not tell SAT solvers
apart.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bdist.distances.pairs import Direction
from bdist.distances.run import LowerEvidence, Run, UpperEvidence
from bdist.distances.strategy import Couplings, compare_directions, solve_choice
from bdist.errors import InternalError
from bdist.lp import DEFAULT_ENGINE, engine_named
from bdist.results import Answer
from bdist.thresholds.question import Finding, Options, Question


class SatLpSession:
    """The backend at work on one pair of states."""

    def __init__(self, question: Question, _: Options) -> None:
        from pysat.solvers import Glucose4  # imported when first used

        self._pair = question.pair
        self._space = question.space
        self._run = Run(question.space, engine_named(DEFAULT_ENGINE), question.budget, None, question.pair)
        self._solver: Any = Glucose4()
        self._remembered: Couplings | None = None
        self._best: LowerEvidence | None = None
        self._proof: UpperEvidence | None = None
        self._proposals = self._literals = 0

    def decide(self, theta: Fraction) -> Finding:
        """HOLDS or VIOLATED, whatever it takes. Raises: Stopped."""
        while True:
            if self._best is not None and self._best.bound(self._pair) > theta:
                return Finding(Answer.VIOLATED, lower=self._best, stats=self._stats())
            if self._proof is not None:
                return Finding(Answer.HOLDS, upper=self._proof, stats=self._stats())
            self._propose()

    def _propose(self) -> None:
        """One proposal: solve the minimiser, keep the better lower bound, and learn a clause or finish."""
        if not self._solver.solve():
            raise InternalError("all directions are excluded, though those of bd_alpha never are")
        self._proposals += 1
        true = {literal for literal in self._solver.get_model() or [] if literal > 0}
        choice = [Direction(int(pair + 1 in true)) for pair in range(len(self._space))]
        found, solution = solve_choice(self._run, choice, self._remembered)
        if self._best is None or found.bound(self._pair) > self._best.bound(self._pair):
            self._best = found
        couplings, better = compare_directions(self._run, choice, solution, self._remembered)
        self._remembered = couplings
        if better:
            self._learn(choice, better)
        else:
            self._proof = UpperEvidence(self._space, solution.values, couplings)

    def _learn(self, choice: list[Direction], better: list[int]) -> None:
        clause = [-(pair + 1) if choice[pair] else pair + 1 for pair in better]
        self._solver.add_clause(clause)
        self._literals += len(clause)
        switched = set(better)
        phases = [(pair + 1) * (1 if side ^ (pair in switched) else -1) for pair, side in enumerate(choice)]
        self._solver.set_phases(phases)

    def _stats(self) -> dict[str, int | float | str]:
        return {
            "variables": len(self._space),
            "clauses": max(self._proposals - (self._proof is not None), 0),
            "literals": self._literals,
            "proposals": self._proposals,
            "linear_programs": self._run.tally.solved,
        }

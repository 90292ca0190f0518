"""Backends `strategy` and `sat-lp`: the maximiser's directions are proposed, exact programs do the rest.

Both are complete.

A proposal sigma is a direction for each explored pair. The minimiser's side is solved exactly, with pairs
that are not explored at the high price (see `question`), and gives a value v. If no other direction is
strictly better at v anywhere, v is the value of the game on explored pairs, and its couplings prove it from
above. As soon as v(s,t) exceeds theta, sigma is asked for a proof from below, at the low price. Either that
exceeds theta too, or there is more to explore, and proposals begin again.

*strategy* lets every pair switch whose other direction is better, round by round (`distances.strategy`). It
is the reference that the others are measured against.

*sat-lp* asks a SAT solver, one Boolean a pair. Let I be the pairs whose other direction is strictly better at
v. Every sigma' that agrees with sigma on I has v as a pre-fixed point, so its value is at most v: the clause
"some pair of I switches" excludes them all, for every theta that v does not exceed. Directions are finitely
many and every clause excludes the proposal that it came from, so this ends. The solver's saved phases start
each proposal from the last one with I switched, which makes its first try the move of strategy iteration;
clauses then keep it from ever returning. Clauses do not depend on theta, so one session serves a whole binary
search; more pairs can only lower values, but the best proposal may then be an excluded one, so clauses go
when the space grows. The solver is Glucose: it takes phases through python-sat, and formulas this small do
not tell SAT solvers apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from operator import eq
from typing import Any

from bdist.distances.pairs import Direction
from bdist.distances.run import LowerEvidence, Run, UpperEvidence
from bdist.distances.strategy import Couplings, compare_directions, improvements, solve_choice
from bdist.errors import InternalError
from bdist.results import Answer
from bdist.thresholds.question import Bounds, Finding, Options, Question, Stats

Improver = Callable[[Run, Stats], Iterator[None]]


class GameSession:
    """A backend that improves directions, at work on one question."""

    def __init__(self, question: Question, improve: Improver) -> None:
        self._question = question
        self._improve = improve
        self._lower: LowerEvidence | None = None
        self._stats: Stats = {"linear_programs": 0, "rounds": 0, "widened": -1}
        self._begin()

    def _begin(self) -> None:
        self._run = self._question.run_high()
        self._steps = self._improve(self._run, self._stats)
        self._size = len(self._question.space)
        self._stats["widened"] = int(self._stats["widened"]) + 1

    def decide(self, theta: Fraction) -> Finding:
        """HOLDS or VIOLATED, whatever it takes. Raises: Stopped."""
        pair = self._question.pair
        while True:
            if self._lower is not None and self._lower.bound(pair) > theta:
                return Finding(Answer.VIOLATED, lower=self._lower, stats=self._work())
            upper, claimed = self._run.upper, self._run.lower
            if upper is not None and upper.bound(pair) <= theta:
                return Finding(Answer.HOLDS, upper=upper, stats=self._work())
            if len(self._question.space) > self._size:
                self._begin()  # another session has explored
            elif claimed is not None and claimed.bound(pair) > theta:
                self._prove(claimed, lambda bound: bound > theta)
            else:
                next(self._steps)  # ends only with equal bounds, which decide

    def close(self) -> Bounds:
        """Evidence for equal bounds, whatever it takes. Raises: Stopped."""
        pair = self._question.pair
        while True:
            if len(self._question.space) > self._size:
                self._begin()
            for _ in self._steps:
                pass
            upper = self._run.upper
            if upper is None or self._run.lower is None:
                raise InternalError("a game was solved without a value")
            value = upper.bound(pair)
            if self._lower is None or self._lower.bound(pair) < value:
                self._prove(self._run.lower, partial(eq, value))
            if self._lower is not None and self._lower.bound(pair) == value:
                return upper, self._lower

    def _prove(self, claimed: LowerEvidence, enough: Callable[[Fraction], bool]) -> None:
        """A proof of a lower bound at the low price; where it proves less, pairs were explored."""
        pair = self._question.pair
        proved = self._question.lower(claimed.choice, enough)
        if self._lower is None or proved.bound(pair) > self._lower.bound(pair):
            self._lower = proved
        if not enough(proved.bound(pair)) and len(self._question.space) == self._size:
            raise InternalError("couplings of explored pairs prove less than the best of them")

    def _work(self) -> Stats:
        run = self._run
        return {**self._stats, "linear_programs": run.tally.solved, "rounds": run.rounds}


def strategy_session(question: Question, _: Options) -> GameSession:
    """The backend `strategy`."""
    return GameSession(question, lambda run, _: improvements(run))


def sat_lp_session(question: Question, _: Options) -> GameSession:
    """The backend `sat-lp`."""
    return GameSession(question, lambda run, stats: proposals_by_sat(run, question.pair, stats))


def proposals_by_sat(run: Run, query: int, stats: Stats) -> Iterator[None]:
    """Proposals of a SAT solver: pauses whenever the run holds new evidence, ends when its bounds are equal.

    Raises: Stopped.
    """
    from pysat.solvers import Glucose4  # imported when first used

    solver: Any = Glucose4()
    remembered: Couplings | None = None
    stats |= {"variables": len(run.space), "clauses": 0, "literals": 0}
    while True:
        if not solver.solve():
            raise InternalError("all directions are excluded, though the best never are")
        stats["proposals"] = int(stats.get("proposals", 0)) + 1
        true = {literal for literal in solver.get_model() or [] if literal > 0}
        choice = [Direction(int(pair + 1 in true)) for pair in range(len(run.space))]
        found, solution = solve_choice(run, choice, remembered)
        if run.lower is None or found.bound(query) > run.lower.bound(query):
            run.lower = found
        yield
        remembered, better = compare_directions(run, choice, solution, remembered)
        if not better:
            run.upper = UpperEvidence(run.space, solution.values, remembered)
            run.lower = found
            yield
            return
        clause = [-(pair + 1) if choice[pair] else pair + 1 for pair in better]
        solver.add_clause(clause)
        stats |= {"clauses": int(stats["clauses"]) + 1, "literals": int(stats["literals"]) + len(clause)}
        switched = set(better)
        solver.set_phases([(p + 1) * (1 if side ^ (p in switched) else -1) for p, side in enumerate(choice)])

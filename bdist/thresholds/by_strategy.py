"""Backend `strategy`: strategy iteration, stopped as soon as its bounds decide the threshold.

The reference that the others are measured against. The iteration is resumed, not repeated, when the next
threshold needs sharper bounds.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.distances.run import Run
from bdist.distances.strategy import improvements
from bdist.lp import DEFAULT_ENGINE, engine_named
from bdist.results import Answer
from bdist.thresholds.question import Backend, Finding, Options, Question, Session


class _StrategySession:
    def __init__(self, question: Question) -> None:
        self._pair = question.pair
        self._run = Run(question.space, engine_named(DEFAULT_ENGINE), question.budget, None, question.pair)
        self._steps = improvements(self._run)

    def decide(self, theta: Fraction) -> Finding:
        run = self._run
        while True:
            lower, upper = run.bounds(self._pair)
            stats = {"linear_programs": run.tally.solved, "rounds": run.rounds}
            if run.upper is not None and upper <= theta:
                return Finding(Answer.HOLDS, upper=run.upper, stats=stats)
            if run.lower is not None and lower > theta:
                return Finding(Answer.VIOLATED, lower=run.lower, stats=stats)
            next(self._steps)  # ends only with equal bounds, which decide


def open_session(question: Question, options: Options) -> Session:
    """A session of strategy iteration."""
    return _StrategySession(question)


BACKEND = Backend("strategy", "strategy iteration, stopped when its bounds decide", True, open_session)

"""The least epsilon between two bounds that a statistical tester suggests, as narrow as one likes.

Section 7.3 of Liu, Wang and Zhang halves a tester's interval by decisions. A decision tells more than yes
or no here: a violation comes with a word, whose ratio is the next lower bound, and a proof with the bound
that it proves, which is the next upper one. So the interval usually closes after a few decisions, to one
number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from bdist.budget import Budget
from bdist.errors import ParameterError
from bdist.exact.epsilon import Epsilon, log_down, log_up
from bdist.pufferfish.answers import Decision, decide
from bdist.pufferfish.question import Question
from bdist.results import Answer

DEFAULT_PRECISION = Fraction(1, 1000)


@dataclass(frozen=True)
class Refinement:
    """The least epsilon is above ``lower`` = ln of the violated ratio's word, and at most ``upper``.

    ``decisions`` are all that were made, in order; the last violation and the last proof are the evidence.
    ``exact`` is the ratio whose logarithm is the least epsilon, where the two meet.
    """

    lower: Fraction
    upper: Fraction | None
    violated: Decision | None
    proved: Decision | None
    decisions: tuple[Decision, ...]
    limit: str | None

    @property
    def exact(self) -> Fraction | None:
        """The loss, if the word of the violation attains the bound of the proof."""
        if self.violated is None or self.proved is None or self.proved.bound is None:
            return None
        return self.proved.bound if self.violated.bound == self.proved.bound else None


def refine(
    question: Question,
    low: Fraction,
    high: Fraction,
    precision: Fraction = DEFAULT_PRECISION,
    budget: Budget | None = None,
) -> Refinement:
    """Decide at both ends, and then in between until the interval is as narrow as asked for, or a point.

    Where the tester is wrong at an end, the interval is extended: an epsilon at the low end that holds is an
    upper bound, one at the high end that is violated a lower bound.
    Raises: ParameterError where the bounds are not 0 <= low < high.
    """
    if not 0 <= low < high or precision <= 0:
        raise ParameterError("the bracket must be 0 <= LOW < HIGH, and the precision positive")
    limits = budget or Budget()
    state = _Interval(Fraction(0), None, None, None, [])
    for end in (low, high):
        if state.holds is None or state.upper is None or end < state.upper:
            state.take(decide(replace(question, epsilon=Epsilon.of(end)), limits))
        if state.limit is not None:
            break
    while state.limit is None and state.is_wide(precision):
        state.take(decide(replace(question, epsilon=state.next_epsilon(high)), limits))
    return Refinement(
        state.lower, state.upper, state.violated, state.holds, tuple(state.decisions), state.limit
    )


@dataclass
class _Interval:
    """What is known so far."""

    lower: Fraction
    upper: Fraction | None
    violated: Decision | None
    holds: Decision | None
    decisions: list[Decision]
    limit: str | None = None
    _at_violation: bool = False

    def take(self, decision: Decision) -> None:
        """Learn from a decision. One that is not decided at the ratio of a word itself is no loss."""
        self.decisions.append(decision)
        ratio = decision.bound
        if decision.answer is Answer.UNKNOWN:
            if not self._at_violation:
                self.limit = decision.reason
        elif decision.answer is Answer.HOLDS and ratio is not None:
            self.holds, self.upper = decision, log_up(max(ratio, Fraction(1)))
        elif ratio is None:
            self.violated, self.limit = decision, "a word is possible on one side only, so no epsilon will do"
        else:
            self.violated, self.lower = decision, log_down(ratio)

    def is_wide(self, precision: Fraction) -> bool:
        """Whether another decision is wanted."""
        if self.upper is None:
            return True
        known = None if self.violated is None else self.violated.bound
        if self.holds is not None and known == self.holds.bound:
            return False
        return self.upper - self.lower > precision

    def next_epsilon(self, high: Fraction) -> Epsilon:
        """Where to decide next: at the ratio of the last violation, often the loss itself; or in between.

        Not twice in a row, as ratios may grow by less and less.
        """
        if self.violated is not None and not self._at_violation:
            there = Epsilon(None, self.violated.bound)
            if all(decision.epsilon != there for decision in self.decisions):
                self._at_violation = True
                return there
        self._at_violation = False
        if self.upper is None:
            return Epsilon.of(max(2 * self.lower, high))
        return Epsilon.of((self.lower + self.upper) / 2)

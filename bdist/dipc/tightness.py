"""The smallest factor t for which a program is (t eps, delta)-differentially private, from both sides.

The claim is monotone in t, so a bisection would do. It would ask every inequality at every step, so instead
floats guess: the largest ln(P / P') / eps over pairs and a grid of epsilon, where sums of exponentials are
evaluated in logarithms, far out and near 0, where the supremum often is (sparse vector approaches its 3/4 as
epsilon grows). Near the guess the simplest rational is tried first, for suprema are often simple. What is
returned was decided and checked: the claim is violated at the lower end, and holds at the upper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget
from bdist.dipc.decision import Decision, decide_subject
from bdist.dipc.exponentials import ClosedForm
from bdist.dipc.privacy import (
    Question,
    Rational,
    Subject,
    posed,
    question_of,
    require_probability,
    subject_of,
)
from bdist.dipc.program import Expression, Interval, Program
from bdist.dipc.rules import well_formed
from bdist.errors import ParameterError
from bdist.exact.rationals import simplest_between
from bdist.exact.reading import as_rational
from bdist.results import Answer

PRECISION = Fraction(1, 10**4)
LARGEST = Fraction(1 << 20)
_MOST_ROUNDS = 80


@dataclass(frozen=True)
class Tight:
    """The claim is violated at ``lower`` and holds at ``upper``; both decisions come with certificates.

    ``lower`` is None where it holds at t = 0; ``upper`` where it is violated at every t that was tried, up
    to `LARGEST`, or where no t will do, and ``impossible`` says why. ``reason`` says why the two are not
    closer, where they are not.
    """

    lower: Decision | None
    upper: Decision | None
    reason: str | None
    impossible: str | None = None

    @property
    def bracket(self) -> tuple[Fraction | None, Fraction | None]:
        """The factors at the two ends."""
        return (
            None if self.lower is None else self.lower.question.factor,
            None if self.upper is None else self.upper.question.factor,
        )


def tight(
    program: Program,
    *,
    delta: Expression | Rational | None = None,
    interval: Interval | str | None = None,
    epsilon: Rational | None = None,
    precision: Rational = PRECISION,
    budget: Budget | None = None,
) -> Tight:
    """The smallest factor of epsilon, to within ``precision``. Raises: as `decide`, and Stopped."""
    width = as_rational(precision, "precision")
    if width <= 0:
        raise ParameterError(f"the precision is {precision}; it must be positive")
    limits = budget or Budget()
    asked = posed(program, None, delta, interval, epsilon)
    flat = well_formed(asked)
    question = question_of(flat)
    require_probability(asked, question, limits)
    return _Search(asked, subject_of(flat, limits), question, width, limits).run()


class _Search:
    """Decisions at several factors, and the two that are closest from both sides."""

    def __init__(
        self, program: Program, subject: Subject, question: Question, precision: Fraction, budget: Budget
    ) -> None:
        self._program = program
        self._subject = subject
        self._question = question
        self._precision = precision
        self._budget = budget
        self._lower: Decision | None = None
        self._upper: Decision | None = None
        self._reason: str | None = None

    def run(self) -> Tight:
        impossible = self._impossible()
        if impossible is not None:
            self._try(max(self._question.factor, Fraction(1)))
            return Tight(self._lower, self._upper, self._reason, impossible)
        guess = self._guess()
        for factor in self._proposals(guess):
            if not self._is_open(factor):
                continue
            self._try(factor)
            if self._is_done():
                break
        for _ in range(_MOST_ROUNDS):
            if self._is_done() or self._reason is not None:
                break
            self._try(self._next())
        return Tight(self._lower, self._upper, self._reason)

    def _is_open(self, factor: Fraction) -> bool:
        low, high = self._ends()
        return (low is None or factor > low) and (high is None or factor < high)

    def _ends(self) -> tuple[Fraction | None, Fraction | None]:
        return Tight(self._lower, self._upper, None).bracket

    def _is_done(self) -> bool:
        low, high = self._ends()
        if high is None:
            return low is not None and low >= LARGEST
        return high == 0 or (low is not None and high - low <= self._precision)

    def _try(self, factor: Fraction) -> None:
        self._budget.check()
        question = replace(self._question, factor=factor)
        found = decide_subject(self._program, self._subject, question, self._budget)
        if found.answer is Answer.HOLDS:
            self._upper = found
        elif found.answer is Answer.VIOLATED:
            self._lower = found
        else:
            self._reason = f"at {factor} eps it is not decided: {found.reason}"

    def _next(self) -> Fraction:
        """Double while nothing holds; then the simplest number in the middle third."""
        low, high = self._ends()
        if high is None:
            return Fraction(1) if not low else min(2 * low, LARGEST)
        start = low or Fraction(0)
        if low is None and high <= self._precision:
            return Fraction(0)
        third = (high - start) / 3
        return simplest_between(start + third, high - third) or (start + high) / 2

    def _proposals(self, guess: float) -> list[Fraction]:
        """The simplest number near the guess, and one a little below it; then others around the guess."""
        if not 0 <= guess < float(LARGEST):
            return []
        near = Fraction(guess).limit_denominator(10**9)
        slack = max(near, Fraction(1)) / 10**6
        simple = simplest_between(max(near - slack, Fraction(0)), near + slack) or near
        step = self._precision
        found = [simple, simple - step, near + slack, near + step / 2, near - step / 2]
        return [factor for factor in found if factor >= 0] or [Fraction(0)]

    def _impossible(self) -> str | None:
        """Why no factor will do, where that is easy to see: e^(t eps) goes to 1 as eps goes to 0."""
        if not self._question.is_pure:
            return None
        pairs = self._subject.compared()
        if any(second is None for _, second in pairs):
            return "an output is possible on one of two adjacent inputs only"
        if self._question.interval.low == 0:
            values = [_at_zero(value) for value in self._subject.distributions.ratios]
            for first, second in pairs:
                here, there = values[first], None if second is None else values[second]
                if here is not None and there is not None and here > there:
                    return "adjacent inputs are told apart even as eps goes to 0"
        return None

    def _guess(self) -> float:
        """The largest loss over a grid of epsilon, over epsilon: a hint, in floating point."""
        if not self._question.is_pure:
            return -1.0
        forms = self._subject.distributions.ratios
        pairs, best = self._subject.compared(), 0.0
        for at in _grid(self._question.interval):
            logarithms = [float(form.ball(at, 512).log()) for form in forms]
            for first, second in pairs:
                if second is not None:
                    best = max(best, (logarithms[first] - logarithms[second]) / float(at))
        return best


def _at_zero(value: ClosedForm) -> fmpq | None:
    """The limit of a probability as eps goes to 0, unless its denominator is 0 there."""
    top, bottom = (
        sum((c for (j, _), c in part.terms() if j == 0), fmpq(0))
        for part in (value.numerator, value.denominator)
    )
    return top / bottom if bottom else None


def _grid(interval: Interval) -> list[Fraction]:
    low, high = interval.low, interval.high
    if low == high:
        return [low]
    if high is not None:
        inner = [low + (high - low) * Fraction(n, 16) for n in range(1, 16)]
        ends = [low + (high - low) * Fraction(1, 10**9), high - (high - low) * Fraction(1, 10**9)]
        return [*inner, *ends]
    return [low + Fraction(2) ** k for k in range(-24, 31)]

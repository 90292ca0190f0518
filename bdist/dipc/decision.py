"""Deciding differential privacy of a program, for every epsilon of an interval at once.

The decision procedure of Barthe, Chadha, Jagannath, Sistla and Viswanathan (LICS 2020, Theorem 7.2), without
a computer-algebra system: closed forms of all output probabilities (`distributions`), the inequalities that
privacy amounts to (`privacy`), and a proof or a point for each (`positivity`).

HOLDS and VIOLATED come with a certificate that was checked. If outputs are discretised (``disc``), a
violation carries over to the program that shows the values themselves, and privacy does not; the decision
says so.

*The smallest factor* t for which the claim holds is found from both sides. The claim is monotone in t, so a
bisection would do. It would ask every inequality at every step, so instead floats guess: the largest
ln(P / P') / eps over pairs and a grid of epsilon, where sums of exponentials are evaluated in logarithms, far
out and near 0, where the supremum often is (sparse vector approaches its 3/4 as epsilon grows). Near the
guess the simplest rational is tried first, for suprema are often simple. What is returned was decided and
checked: the claim is violated at the lower end, and holds at the upper.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget, Stopped, Unchecked
from bdist.dipc.certificate import DipcCertificate, certificate_of, proofs_of, vouch
from bdist.dipc.distributions import Distributions, distributions_of, shown_point
from bdist.dipc.expansion import fingerprint
from bdist.dipc.exploration import Shown
from bdist.dipc.exponentials import ZERO, ClosedForm
from bdist.dipc.positivity import Chain, Cover, Factors
from bdist.dipc.privacy import (
    Counterexample,
    PrivacyCheck,
    Question,
    Rational,
    Subject,
    posed,
    question_of,
    require_probability,
    subject_of,
)
from bdist.dipc.program import Discretised, Expression, Interval, Program
from bdist.dipc.rules import well_formed
from bdist.errors import ParameterError, UnsupportedError
from bdist.exact.rationals import as_rational, short_text, simplest_between
from bdist.report import OneLine, titled
from bdist.results import Answer, Bound, Evidence, Statistics


@dataclass(frozen=True, repr=False)
class Violation(Counterexample):
    """A counterexample with the probabilities P(in, S) and P(in', S) of its outputs."""

    probability: ClosedForm
    other: ClosedForm


@dataclass(frozen=True, repr=False)
class Decision(OneLine):
    """Whether a program is (t eps, delta)-differentially private for all epsilon of an interval."""

    answer: Answer
    program: Program
    question: Question
    violation: Violation | None
    certificate: DipcCertificate | None
    reason: str | None
    stats: Statistics

    @property
    def discretised(self) -> bool:
        """Whether some output is: then privacy is that of the program as it stands only."""
        return any(isinstance(output, Discretised) for output in self.program.outputs)

    def _essence(self) -> str:
        why = f", {self.reason}" if self.reason is not None else ""
        factor = short_text(self.question.factor)
        return titled(self.program.name, f"{self.answer.value} with {factor} eps{why}")


def decide(
    program: Program,
    *,
    factor: Rational | None = None,
    delta: Expression | Rational | None = None,
    interval: Interval | str | None = None,
    epsilon: Rational | None = None,
    budget: Budget | None = None,
) -> Decision:
    """Decide the claim of a program, or another one, for all epsilon of its interval, or for one.

    Ensures: HOLDS and VIOLATED are certified; UNKNOWN has a reason.
    Raises: ModelError where the program breaks a rule, or a run does; ParameterError; UnsupportedError.
    """
    asked = posed(program, factor, delta, interval, epsilon)
    limits, began = budget or Budget(), time.monotonic()
    flat = well_formed(asked)
    question = question_of(flat)
    try:
        require_probability(asked, question, limits)
        subject = subject_of(flat, limits)
    except Stopped:
        stats = {"seconds": round(time.monotonic() - began, 6)}
        return _unknown(asked, question, limits.exhausted() or "stopped", stats)
    return decide_subject(asked, subject, question, limits, began)


def decide_subject(
    program: Program, subject: Subject, question: Question, budget: Budget, began: float | None = None
) -> Decision:
    """Decide a question about a program that was explored, from ``began`` on. Ensures: as `decide`."""
    explored = time.monotonic()
    start = explored if began is None else began
    stats: dict[str, int | float | str] = dict(_statistics(subject))
    run = PrivacyCheck(subject, question, budget)
    try:
        run.run()
    except Stopped:
        stats["seconds"] = round(time.monotonic() - start, 6)
        return _unknown(program, question, budget.exhausted() or "stopped", stats)
    decided = time.monotonic()
    stats["explore_seconds"] = round(explored - start, 6)
    stats["seconds"] = round(decided - start, 6)
    counterexample = run.counterexample
    if counterexample is None and run.reason is not None:
        return _unknown(program, question, run.reason, stats)
    answer = Answer.HOLDS if counterexample is None else Answer.VIOLATED
    certificate = certificate_of(fingerprint(program), run, answer)
    try:
        vouch(program, certificate, budget)
    except (UnsupportedError, Unchecked) as error:
        verb = "holds" if counterexample is None else "is violated"
        return _unknown(program, question, f"an uncertified proof that it {verb}; {error}", stats)
    kinds = [type(proof) for _, proof in proofs_of(run)]  # what is in the certificate, which was checked
    stats["inequalities"] = len(kinds)
    stats |= {"chains": kinds.count(Chain), "covers": kinds.count(Cover)}
    stats["factorisations"] = kinds.count(Factors)
    stats["check_seconds"] = round(time.monotonic() - decided, 6)
    violation = None if counterexample is None else _violation(counterexample, run.distributions)
    return Decision(answer, program, question, violation, certificate, None, stats)


def probabilities(
    program: Program, point: Sequence[Rational], *, budget: Budget | None = None
) -> dict[Shown, ClosedForm]:
    """The output distribution on one input, as functions of epsilon; exact arithmetic, not certified.

    Raises: ParameterError where it is no input; ModelError; UnsupportedError; Stopped.
    """
    flat = well_formed(program)
    wanted = tuple(as_rational(value, "an input") for value in point)
    if len(wanted) != len(flat.input_names) or not set(wanted) <= set(flat.domain):
        names = ", ".join(flat.input_names)
        raise ParameterError(
            f"{shown_point(wanted)} is not an input, which has a value of the domain for each of {names}"
        )
    found = distributions_of(flat, [wanted], flat.interval, budget or Budget())
    return {shown: found.ratios[number] for shown, number in found.table[wanted].items()}


def _violation(found: Counterexample, distributions: Distributions) -> Violation:
    sums = []
    for point in (found.point, found.neighbour):
        row = distributions.table[point]
        parts = (distributions.ratios[row[shown]] for shown in found.outputs if shown in row)
        sums.append(sum(parts, start=ZERO))
    return Violation(found.point, found.neighbour, found.outputs, found.epsilon, sums[0], sums[1])


def _statistics(subject: Subject) -> dict[str, int]:
    table = subject.distributions.table
    return {
        "inputs": len(table),
        "pairs": subject.neighbours.count,
        "outputs": len({shown for row in table.values() for shown in row}),
        "probabilities": len({number for row in table.values() for number in row.values()}),
        "states": subject.distributions.states,
    }


def _unknown(program: Program, question: Question, reason: str, stats: Statistics) -> Decision:
    return Decision(Answer.UNKNOWN, program, question, None, None, reason, stats)


# --- the smallest factor ---


PRECISION = Fraction(1, 10**4)
LARGEST = Fraction(1 << 20)
_MOST_ROUNDS = 80


@dataclass(frozen=True, repr=False)
class Tight(OneLine):
    """The smallest factor t: the claim is ``violated`` below and ``holds`` above, each with its certificate.

    ``violated`` is None where it holds at t = 0; ``holds`` where it is violated at every t that was tried, up
    to `LARGEST`, or where no t will do, and ``impossible`` says why. ``reason`` says why the two are not
    closer, where they are not.
    """

    violated: Decision | None
    holds: Decision | None
    reason: str | None
    impossible: str | None = None

    @property
    def lower(self) -> Bound | None:
        """A factor with which the claim is violated; None where it holds at 0."""
        return _factor(self.violated)

    @property
    def upper(self) -> Bound | None:
        """A factor with which the claim holds; None where none was found."""
        return _factor(self.holds)

    def _essence(self) -> str:
        low = "0 <=" if self.lower is None else f"{short_text(self.lower.value)} <"
        high = "" if self.upper is None else f" <= {short_text(self.upper.value)}"
        return f"{low} factor of eps{high}, certified"


def _factor(decision: Decision | None) -> Bound | None:
    return None if decision is None else Bound(decision.question.factor, Evidence.CERTIFIED)


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


@dataclass
class _Search:
    """Decisions at several factors, and the two that are closest from both sides."""

    program: Program
    subject: Subject
    question: Question
    precision: Fraction
    budget: Budget
    lower: Decision | None = None
    upper: Decision | None = None
    reason: str | None = None

    def run(self) -> Tight:
        impossible = self._impossible()
        if impossible is not None:
            self._try(max(self.question.factor, Fraction(1)))
            return Tight(self.lower, self.upper, self.reason, impossible)
        for factor in self._proposals(self._guess()):
            low, high = self._ends()
            if (low is None or factor > low) and (high is None or factor < high):
                self._try(factor)
                if self._is_done():
                    break
        for _ in range(_MOST_ROUNDS):
            if self._is_done() or self.reason is not None:
                break
            self._try(self._next())
        return Tight(self.lower, self.upper, self.reason)

    def _ends(self) -> tuple[Fraction | None, Fraction | None]:
        return (
            None if self.lower is None else self.lower.question.factor,
            None if self.upper is None else self.upper.question.factor,
        )

    def _is_done(self) -> bool:
        low, high = self._ends()
        if high is None:
            return low is not None and low >= LARGEST
        return high == 0 or (low is not None and high - low <= self.precision)

    def _try(self, factor: Fraction) -> None:
        self.budget.check()
        question = replace(self.question, factor=factor)
        found = decide_subject(self.program, self.subject, question, self.budget)
        if found.answer is Answer.HOLDS:
            self.upper = found
        elif found.answer is Answer.VIOLATED:
            self.lower = found
        else:
            self.reason = f"at {factor} eps it is not decided: {found.reason}"

    def _next(self) -> Fraction:
        """Double while nothing holds; then the simplest number in the middle third."""
        low, high = self._ends()
        if high is None:
            return Fraction(1) if not low else min(2 * low, LARGEST)
        start = low or Fraction(0)
        if low is None and high <= self.precision:
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
        step = self.precision
        found = [simple, simple - step, near + slack, near + step / 2, near - step / 2]
        return [factor for factor in found if factor >= 0] or [Fraction(0)]

    def _impossible(self) -> str | None:
        """Why no factor will do, where that is easy to see: e^(t eps) goes to 1 as eps goes to 0."""
        if not self.question.is_pure:
            return None
        pairs = self.subject.compared
        if any(second is None for _, second in pairs):
            return "an output is possible on one of two adjacent inputs only"
        if self.question.interval.low == 0:
            values = [_at_zero(value) for value in self.subject.distributions.ratios]
            for first, second in pairs:
                here, there = values[first], None if second is None else values[second]
                if here is not None and there is not None and here > there:
                    return "adjacent inputs are told apart even as eps goes to 0"
        return None

    def _guess(self) -> float:
        """The largest loss over a grid of epsilon, over epsilon: a hint, in floating point."""
        if not self.question.is_pure:
            return -1.0
        forms = self.subject.distributions.ratios
        pairs, best = self.subject.compared, 0.0
        for at in _grid(self.question.interval):
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

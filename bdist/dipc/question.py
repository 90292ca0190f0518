"""What is asked of a program: how much privacy, for which epsilon.

A `.dip` file comes with a claim and an interval; both can be replaced, and a single epsilon is an interval of
one point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from bdist.budget import Budget
from bdist.dipc import positivity
from bdist.dipc.declarations import check_declarations
from bdist.dipc.distributions import Distributions, Point, distributions_of, shown_point
from bdist.dipc.expansion import expanded
from bdist.dipc.exponentials import ONE_RATIO, ExpSum, cleared, in_ring, normal_form, units_of
from bdist.dipc.inputs import adjacent_pairs
from bdist.dipc.kinds import kinds_of
from bdist.dipc.program import Expression, Interval, Number, Program, error_at
from bdist.dipc.text import read_delta, read_interval
from bdist.dipc.values import Evaluator
from bdist.errors import ParameterError
from bdist.exact.reading import as_rational, rational_text

Rational = Fraction | int | str


@dataclass(frozen=True)
class Question:
    """P(in, S) <= e^(factor eps) P(in', S) + delta for adjacent inputs, all S and all eps of the interval."""

    factor: Fraction
    delta: ExpSum
    interval: Interval

    @property
    def is_pure(self) -> bool:
        """Whether delta is 0."""
        return not self.delta


@dataclass(frozen=True)
class Subject:
    """A program that was found to be well formed, laid out and explored on the inputs that matter."""

    program: Program
    pairs: tuple[tuple[Point, Point], ...]
    distributions: Distributions


def posed(
    program: Program,
    factor: Rational | None = None,
    delta: Expression | Rational | None = None,
    interval: Interval | str | None = None,
    epsilon: Rational | None = None,
) -> Program:
    """The program with another claim or interval.

    Texts are read as in a ``.dip`` file: a delta such as "exp(-eps)/100", an interval such as "(0, 2]".
    Raises: ParameterError, FormatError, ProgramError.
    """
    if interval is not None and epsilon is not None:
        raise ParameterError("ask about one epsilon or about an interval, not about both")
    claim, span = program.claim, program.interval
    if factor is not None:
        wanted = as_rational(factor, "factor")
        if wanted < 0:
            raise ParameterError(f"the factor of eps is {factor}; it must be at least 0")
        claim = replace(claim, factor=wanted)
    if isinstance(delta, str):
        claim = replace(claim, delta=read_delta(delta, "delta"), source="delta")
    elif delta is not None:
        exact = Number(Fraction(delta)) if isinstance(delta, int | Fraction) else delta
        claim = replace(claim, delta=exact, source="delta")
    if interval is not None:
        span = read_interval(interval, "interval") if isinstance(interval, str) else interval
    if epsilon is not None:
        at = as_rational(epsilon, "epsilon")
        if at <= 0:
            raise ParameterError(f"epsilon = {epsilon} must be positive")
        span = Interval(at, at, has_low=True, has_high=True)
    asked = replace(program, claim=claim, interval=span)
    check_declarations(asked)
    return asked


def question_of(program: Program) -> Question:
    """What the claim of a program says. Requires: its kinds were checked."""
    claim = program.claim
    delta = Evaluator({}, claim.source or program.source).exponential(claim.delta, {})
    return Question(claim.factor, delta, program.interval)


def require_probability(program: Program, question: Question, budget: Budget) -> None:
    """Hold 0 <= delta <= 1 for every epsilon that is asked about.

    Beyond 1 every program is private, below 0 none is, and neither says anything about this one.
    Raises: ProgramError, with an epsilon where it is not so, or with the reason why it is not known; Stopped.
    """
    claim, unit = program.claim, units_of(question.delta)
    value = in_ring(question.delta, unit)
    place, source = claim.delta.place, claim.source or program.source
    for rest, side, wanted in ((value, "below 0", "at least 0"), (ONE_RATIO - value, "above 1", "at most 1")):
        f = normal_form(cleared([rest]), unit)
        found = positivity.decide(f, question.interval, budget) if f.terms else None
        if isinstance(found, positivity.Negative):
            where = f"{side} at eps = {rational_text(found.epsilon)}"
            raise error_at(f"delta is {where}; it is a probability, from 0 to 1", place, source)
        if isinstance(found, positivity.Undecided):
            raise error_at(f"delta is not shown to be {wanted}: {found.reason}", place, source)


def well_formed(program: Program) -> Program:
    """The program with loops unrolled. Raises: ModelError where it breaks a rule of the language."""
    flat = expanded(program)
    kinds_of(flat)
    return flat


def subject_of(program: Program, budget: Budget) -> Subject:
    """Explore a program on all inputs with a neighbour. Raises: ModelError, UnsupportedError, Stopped."""
    flat = well_formed(program)
    pairs = adjacent_pairs(flat)
    if not pairs:
        raise ParameterError("no two inputs are adjacent, so there is nothing to keep private")
    inputs = sorted({point for pair in pairs for point in pair})
    return Subject(flat, pairs, distributions_of(flat, inputs, flat.interval, budget))


def distribution_on(program: Program, point: Sequence[Rational], budget: Budget) -> Distributions:
    """The distribution on one input. Raises: ParameterError where it is none; as `subject_of`."""
    flat = well_formed(program)
    wanted = tuple(as_rational(value, "an input") for value in point)
    if len(wanted) != len(flat.input_names) or not set(wanted) <= set(flat.domain):
        names = ", ".join(flat.input_names)
        raise ParameterError(
            f"{shown_point(wanted)} is not an input, which has a value of the domain for each of {names}"
        )
    return distributions_of(flat, [wanted], flat.interval, budget)

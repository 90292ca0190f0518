"""What is asked of a program, which inequalities that amounts to, and whether they hold.

A ``.dip`` file comes with a claim and an interval; both can be replaced, and a single epsilon is an interval
of one point.

Without delta: e^(t eps) P(in', o) - P(in, o) >= 0 for every ordered pair of adjacent inputs and every output.
Most of these are the same few functions (16,564 pairs and 6 outputs of a sparse vector with 5 queries need
2,056), so pairs are told apart by the numbers of the probabilities, and questions by their normal form.

With delta: the sum over outputs of max(0, D_o) is at most delta, where D_o = P(in, o) - e^(t eps) P(in', o).
At each eps that is the sum over the outputs where D_o > 0; for every set S the sum over S must be at most
delta, and those sets are enough that contain all outputs where D_o is nowhere negative and none where it is
nowhere positive. With m outputs in between that is 2^m sets in place of 2^outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, combinations
from math import lcm

from bdist.budget import Budget
from bdist.dipc.distributions import Distributions, distributions_of, shown_point
from bdist.dipc.exploration import Shown
from bdist.dipc.exponentials import (
    ONE,
    ZERO,
    ClosedForm,
    ExponentialPolynomial,
    cleared,
)
from bdist.dipc.inputs import adjacent_pairs
from bdist.dipc.positivity import Negative, Proof, Undecided, decide, is_strict, sign_at
from bdist.dipc.program import Expression, Interval, Number, Point, Program, error_at
from bdist.dipc.rules import check_declarations, well_formed
from bdist.dipc.text import read_delta, read_interval
from bdist.dipc.values import Evaluator
from bdist.errors import InternalError, ParameterError
from bdist.exact.reading import as_rational, rational_text

# --- the question ---


Rational = Fraction | int | str


@dataclass(frozen=True)
class Question:
    """P(in, S) <= e^(factor eps) P(in', S) + delta for adjacent inputs, all S and all eps of the interval."""

    factor: Fraction
    delta: ClosedForm
    interval: Interval

    @property
    def is_pure(self) -> bool:
        """Whether delta is 0."""
        return not self.delta


@dataclass(frozen=True)
class Subject:
    """A program that was explored on the inputs that matter: those with a neighbour."""

    pairs: tuple[tuple[Point, Point], ...]
    distributions: Distributions

    def compared(self) -> dict[tuple[int, int | None], tuple[Point, Point, Shown]]:
        """The different pairs of probabilities, with an example of each, in the order of the inputs."""
        table = self.distributions.table
        found: dict[tuple[int, int | None], tuple[Point, Point, Shown]] = {}
        for point, neighbour in self.pairs:
            others = table[neighbour]
            for output, number in table[point].items():
                found.setdefault((number, others.get(output)), (point, neighbour, output))
        return found


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
    claim, delta = program.claim, question.delta
    place, source = claim.delta.place, claim.source or program.source
    for rest, side, wanted in ((delta, "below 0", "at least 0"), (ONE - delta, "above 1", "at most 1")):
        f = cleared([rest])
        found = decide(f, question.interval, budget) if f.terms else None
        if isinstance(found, Negative):
            where = f"{side} at eps = {rational_text(found.epsilon)}"
            raise error_at(f"delta is {where}; it is a probability, from 0 to 1", place, source)
        if isinstance(found, Undecided):
            raise error_at(f"delta is not shown to be {wanted}: {found.reason}", place, source)


def subject_of(program: Program, budget: Budget) -> Subject:
    """Explore a program on all inputs with a neighbour. Requires: `well_formed` has made it.

    Raises: ModelError, UnsupportedError, Stopped.
    """
    pairs = adjacent_pairs(program)
    if not pairs:
        raise ParameterError("no two inputs are adjacent, so there is nothing to keep private")
    inputs = sorted({point for pair in pairs for point in pair})
    return Subject(pairs, distributions_of(program, inputs, program.interval, budget))


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


# --- the inequalities ---


MOST_MIXED = 12  # outputs whose D_o changes its sign: 2^12 sets

Key = tuple[object, ...]


@dataclass(frozen=True)
class Counterexample:
    """Adjacent inputs, outputs and an epsilon for which the inequality fails."""

    point: Point
    neighbour: Point
    outputs: tuple[Shown, ...]
    epsilon: Fraction


@dataclass
class Findings:
    """Inequalities with their proofs, and how the search ended."""

    proofs: dict[Key, tuple[ExponentialPolynomial, Proof]] = field(default_factory=dict)
    counterexample: Counterexample | None = None
    reason: str | None = None
    asked: int = 0


class PrivacyCheck:
    """One question about one program."""

    def __init__(self, subject: Subject, question: Question, budget: Budget) -> None:
        parts = (question.delta, *subject.distributions.ratios)
        self._unit = lcm(question.factor.denominator, *(part.unit for part in parts))
        self._subject = subject
        self._question = question
        self._budget = budget
        ratios = tuple(value.on(self._unit) for value in subject.distributions.ratios)
        self._found = replace(subject.distributions, ratios=ratios)
        self._refuted: dict[Key, Fraction] = {}
        self._open: dict[Key, str] = {}
        self.findings = Findings()

    @property
    def distributions(self) -> Distributions:
        """The distributions, in the unit of the question."""
        return self._found

    def run(self) -> Findings:
        """Prove or refute all inequalities; stops at the first that fails. Raises: Stopped."""
        self._prove_denominators()
        if self.findings.reason is None:
            if self._question.is_pure:
                self._run_pure()
            else:
                self._run_with_delta()
        return self.findings

    # --- inequalities ---

    def _holds(self, f: ExponentialPolynomial) -> bool:
        """Whether F >= 0 is proved; otherwise it is refuted or open."""
        if not f.terms or f.key in self.findings.proofs:
            return True
        if f.key in self._refuted or f.key in self._open:
            return False
        found = decide(f, self._question.interval, self._budget)
        self.findings.asked += 1
        if isinstance(found, Negative):
            self._refuted[f.key] = found.epsilon
        elif isinstance(found, Undecided):
            self._open[f.key] = found.reason
        else:
            self.findings.proofs[f.key] = f, found
            return True
        return False

    def _normal(self, summands: Iterable[ClosedForm]) -> ExponentialPolynomial:
        return cleared(summand.on(self._unit) for summand in summands)

    def _prove_denominators(self) -> None:
        """Every denominator is positive, or is made so: it has no zero, since probabilities are finite."""
        turned: list[ClosedForm] = []
        for value in self._found.ratios:
            if value.is_sum:
                turned.append(value)
                continue
            f = value.below()
            if not self._holds(f) and f.key in self._refuted:
                value = ClosedForm(-value.numerator, value.shift, -value.denominator, value.unit)
                f = value.below()
            turned.append(value)
            if not self._holds(f):
                if f.key in self._refuted:
                    raise InternalError("a probability has a denominator that changes its sign")
                self.findings.reason = f"a denominator is not shown to be positive: {self._open[f.key]}"
            elif f.key in self.findings.proofs and not is_strict(
                *self.findings.proofs[f.key], self._question.interval
            ):
                self.findings.reason = "a denominator is shown to be nowhere negative, and not to be positive"
        self._found = replace(self._found, ratios=tuple(turned))

    def _ratio(self, number: int | None) -> ClosedForm:
        return ZERO if number is None else self._found.ratios[number]

    def _excess(self, first: int | None, second: int | None) -> list[ClosedForm]:
        """D_o as summands."""
        return [self._ratio(first), -self._ratio(second).raised(self._question.factor)]

    # --- without delta ---

    def _run_pure(self) -> None:
        for (first, second), where in self._subject.compared().items():
            self._budget.check()
            f = self._normal([-part for part in self._excess(first, second)])
            if self._holds(f):
                continue
            point, neighbour, output = where
            if f.key in self._refuted:
                at = self._refuted[f.key]
                self.findings.counterexample = Counterexample(point, neighbour, (output,), at)
                return
            self.findings.reason = f"for {output} on {point} and {neighbour}: {self._open[f.key]}"

    # --- with delta ---

    def _run_with_delta(self) -> None:
        seen = set()
        for point, neighbour in self._subject.pairs:
            self._budget.check()
            here, there = self._found.table[point], self._found.table[neighbour]
            outputs = sorted(here.keys() | there.keys(), key=repr)
            numbers = [(here.get(output), there.get(output)) for output in outputs]
            key = tuple(sorted(numbers, key=repr))
            if key in seen:
                continue
            seen.add(key)
            refuted = self._refute(numbers) or self._cover_sets(numbers)
            if refuted is not None:
                chosen, at = refuted
                shown = tuple(outputs[place] for place in chosen)
                self.findings.counterexample = Counterexample(point, neighbour, shown, at)
                return

    def _over(
        self, numbers: Sequence[tuple[int | None, int | None]], chosen: Iterable[int]
    ) -> list[ClosedForm]:
        """delta minus the sum of D_o over a set, as summands."""
        excess = [part for place in chosen for part in self._excess(*numbers[place])]
        return [self._question.delta, *(-part for part in excess)]

    def _refute(
        self, numbers: Sequence[tuple[int | None, int | None]]
    ) -> tuple[tuple[int, ...], Fraction] | None:
        """A set and an epsilon at which it fails, if one of a few points shows it."""
        for at in _few_points(self._question.interval):
            values = [self._approx(*pair, at) for pair in numbers]
            chosen = tuple(place for place, value in enumerate(values) if value > 0)
            bound = float(self._question.delta.ball(at))
            if sum(values[place] for place in chosen) > bound * (1 + 1e-9):
                f = self._normal(self._over(numbers, chosen))
                if f.terms and sign_at(f, at) == -1:
                    return chosen, at
        return None

    def _approx(self, first: int | None, second: int | None, at: Fraction) -> float:
        grown = self._ratio(second).raised(self._question.factor)
        return float(self._ratio(first).ball(at)) - float(grown.ball(at))

    def _cover_sets(
        self, numbers: Sequence[tuple[int | None, int | None]]
    ) -> tuple[tuple[int, ...], Fraction] | None:
        always: list[int] = []
        mixed: list[int] = []
        for place, pair in enumerate(numbers):
            excess = self._excess(*pair)
            if self._holds(self._normal([-part for part in excess])):
                continue
            (always if self._holds(self._normal(excess)) else mixed).append(place)
        if len(mixed) > MOST_MIXED:
            self.findings.reason = (
                f"{len(mixed)} outputs change sides with epsilon, and at most {MOST_MIXED} are"
            )
            self.findings.reason += " decided"
            return None
        subsets = chain.from_iterable(combinations(mixed, size) for size in range(len(mixed), -1, -1))
        for more in subsets:
            self._budget.check()
            f = self._normal(self._over(numbers, (*always, *more)))
            if self._holds(f):
                continue
            if f.key in self._refuted:
                return tuple(sorted((*always, *more))), self._refuted[f.key]
            self.findings.reason = self._open[f.key]
        return None


def _few_points(interval: Interval) -> Iterator[Fraction]:
    low, high = interval.low, interval.high
    if low == high:
        yield low
    elif high is None:
        yield from (
            low + step for step in (Fraction(1), Fraction(1, 4), Fraction(4), Fraction(1, 16), Fraction(16))
        )
    else:
        yield from (low + (high - low) * Fraction(n, 8) for n in (4, 2, 6, 1, 7))

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
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from math import lcm

from bdist.budget import Budget
from bdist.dipc.adjacency import Neighbours
from bdist.dipc.distributions import Distributions, distributions_of
from bdist.dipc.exploration import Shown
from bdist.dipc.exponentials import (
    ONE,
    ZERO,
    ClosedForm,
    ExponentialPolynomial,
    cleared,
)
from bdist.dipc.positivity import Decided, Negative, Proof, Undecided, decide, is_strict, sign_at
from bdist.dipc.program import (
    Expression,
    Interval,
    Number,
    Point,
    Program,
    error_at,
)
from bdist.dipc.rules import check_declarations
from bdist.dipc.text import read_delta, read_interval
from bdist.dipc.values import Evaluator
from bdist.errors import InternalError, ParameterError
from bdist.exact.epsilon import rational_beside
from bdist.exact.rationals import as_rational, rational_text
from bdist.report import OneLine

# --- the question ---


Rational = Fraction | int | str


@dataclass(frozen=True, repr=False)
class Question(OneLine):
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

    neighbours: Neighbours
    distributions: Distributions

    @cached_property
    def compared(self) -> dict[tuple[int, int | None], tuple[Point, Point, Shown]]:
        """The different pairs of probabilities of an output, with an example of each; inputs in order."""
        by_output: dict[Shown, dict[Point, int]] = {}
        for point, row in self.distributions.table.items():
            for output, number in row.items():
                by_output.setdefault(output, {})[point] = number
        found: dict[tuple[int, int | None], tuple[Point, Point, Shown]] = {}
        for output, numbers in by_output.items():
            for (first, second), points in self.neighbours.compared(numbers).items():
                found.setdefault((first, None if second < 0 else second), (*points, output))
        return dict(sorted(found.items(), key=lambda each: each[1][:2]))

    @cached_property
    def rows_compared(self) -> tuple[tuple[Point, Point], ...]:
        """Adjacent inputs, one pair for each pair of rows of the table."""
        rows: dict[object, int] = {}
        table = self.distributions.table.items()
        classes = {point: rows.setdefault(frozenset(row.items()), len(rows)) for point, row in table}
        return tuple(self.neighbours.compared(classes).values())


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
        span = interval_at(epsilon)
    asked = replace(program, claim=claim, interval=span)
    check_declarations(asked)
    return asked


def interval_at(epsilon: object) -> Interval:
    """A single epsilon as an interval: of one rational, or around ln q, which is irrational.

    Closed forms are decided at rationals and between them. Raises: ParameterError.
    """
    low, high = rational_beside(epsilon), rational_beside(epsilon, up=True)
    if low <= 0:
        raise ParameterError(f"epsilon = {epsilon} must be positive")
    return Interval(low, high, has_low=True, has_high=True)


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
    neighbours = Neighbours(program, budget)
    if not neighbours.count:
        raise ParameterError("no two inputs are adjacent, so there is nothing to keep private")
    return Subject(neighbours, distributions_of(program, neighbours.inputs, program.interval, budget))


# --- the inequalities ---


MOST_MIXED = 12  # outputs whose D_o changes its sign: 2^12 sets

Key = tuple[object, ...]


@dataclass(frozen=True, repr=False)
class Counterexample(OneLine):
    """Adjacent inputs, outputs and an epsilon for which the inequality fails."""

    point: Point
    neighbour: Point
    outputs: tuple[Shown, ...]
    epsilon: Fraction


_Pair = tuple[int | None, int | None]  # the numbers of P(in, o) and P(in', o); None is the probability 0
_Refuted = tuple[tuple[int, ...], Fraction]  # places of outputs, and an epsilon


class PrivacyCheck:
    """One question about one program: its inequalities with their proofs, and how the search ended.

    ``distributions`` are in the unit of the question, with positive denominators. Without a counterexample
    and a ``reason`` all inequalities are proved.
    """

    def __init__(self, subject: Subject, question: Question, budget: Budget) -> None:
        parts = (question.delta, *subject.distributions.ratios)
        self._unit = lcm(question.factor.denominator, *(part.unit for part in parts))
        self._subject = subject
        self._budget = budget
        self._decided: dict[Key, tuple[ExponentialPolynomial, Decided]] = {}
        self.question = question
        ratios = tuple(value.on(self._unit) for value in subject.distributions.ratios)
        self.distributions = replace(subject.distributions, ratios=ratios)
        self.counterexample: Counterexample | None = None
        self.reason: str | None = None

    def run(self) -> None:
        """Prove or refute all inequalities; stops at the first that fails. Raises: Stopped."""
        self._prove_denominators()
        if self.reason is None:
            if self.question.is_pure:
                self._run_pure()
            else:
                self._run_with_delta()

    @property
    def proofs(self) -> dict[Key, tuple[ExponentialPolynomial, Proof]]:
        """What was proved, by `ExponentialPolynomial.key`."""
        found = self._decided.items()
        return {key: (f, p) for key, (f, p) in found if not isinstance(p, Negative | Undecided)}

    # --- inequalities ---

    def _against(self, f: ExponentialPolynomial) -> Negative | Undecided | None:
        """Why F >= 0 is not proved; None where it is."""
        if not f.terms:
            return None
        found = self._decide(f)
        return found if isinstance(found, Negative | Undecided) else None

    def _decide(self, f: ExponentialPolynomial) -> Decided:
        if f.key not in self._decided:
            self._decided[f.key] = f, decide(f, self.question.interval, self._budget)
        return self._decided[f.key][1]

    def _normal(self, summands: Iterable[ClosedForm]) -> ExponentialPolynomial:
        return cleared(summand.on(self._unit) for summand in summands)

    def _prove_denominators(self) -> None:
        """Every denominator is positive, or is made so: it has no zero, since probabilities are finite."""
        turned: list[ClosedForm] = []
        for value in self.distributions.ratios:
            if not value.is_sum:
                if isinstance(self._against(value.below()), Negative):
                    value = ClosedForm(-value.numerator, value.shift, -value.denominator, value.unit)
                self._prove_denominator(value.below())
            turned.append(value)
        self.distributions = replace(self.distributions, ratios=tuple(turned))

    def _prove_denominator(self, f: ExponentialPolynomial) -> None:
        found = self._decide(f)
        if isinstance(found, Negative):
            raise InternalError("a probability has a denominator that changes its sign")
        if isinstance(found, Undecided):
            self.reason = f"a denominator is not shown to be positive: {found.reason}"
        elif not is_strict(f, found, self.question.interval):
            self.reason = "a denominator is shown to be nowhere negative, and not to be positive"

    def _excess(self, pair: _Pair, sign: int = 1) -> list[ClosedForm]:
        """D_o, or -D_o, as summands."""
        ratios = self.distributions.ratios
        first, second = (ZERO if number is None else ratios[number] for number in pair)
        grown = second.raised(self.question.factor)
        return [first, -grown] if sign > 0 else [-first, grown]

    # --- without delta ---

    def _run_pure(self) -> None:
        for pair, (point, neighbour, output) in self._subject.compared.items():
            self._budget.check()
            problem = self._against(self._normal(self._excess(pair, -1)))
            if isinstance(problem, Negative):
                self.counterexample = Counterexample(point, neighbour, (output,), problem.epsilon)
                return
            if problem is not None:
                self.reason = f"for {output} on {point} and {neighbour}: {problem.reason}"

    # --- with delta ---

    def _run_with_delta(self) -> None:
        seen = set()
        for point, neighbour in self._subject.rows_compared:
            self._budget.check()
            here, there = self.distributions.table[point], self.distributions.table[neighbour]
            outputs = sorted(here.keys() | there.keys(), key=repr)
            pairs = [(here.get(output), there.get(output)) for output in outputs]
            key = tuple(sorted(pairs, key=repr))
            if key in seen:
                continue
            seen.add(key)
            refuted = self._refute(pairs) or self._cover_sets(pairs)
            if refuted is not None:
                chosen, at = refuted
                shown = tuple(outputs[place] for place in chosen)
                self.counterexample = Counterexample(point, neighbour, shown, at)
                return

    def _over(self, pairs: Sequence[_Pair], chosen: Iterable[int]) -> ExponentialPolynomial:
        """delta minus the sum of D_o over a set."""
        excess = (part for place in chosen for part in self._excess(pairs[place], -1))
        return self._normal((self.question.delta, *excess))

    def _refute(self, pairs: Sequence[_Pair]) -> _Refuted | None:
        """A set and an epsilon at which it fails, if one of a few points shows it."""
        for at in _few_points(self.question.interval):
            values = [sum(float(part.ball(at)) for part in self._excess(pair)) for pair in pairs]
            chosen = tuple(place for place, value in enumerate(values) if value > 0)
            bound = float(self.question.delta.ball(at))
            if sum(values[place] for place in chosen) > bound * (1 + 1e-9):
                f = self._over(pairs, chosen)
                if f.terms and sign_at(f, at) == -1:
                    return chosen, at
        return None

    def _cover_sets(self, pairs: Sequence[_Pair]) -> _Refuted | None:
        always: list[int] = []
        mixed: list[int] = []
        for place, pair in enumerate(pairs):
            if self._against(self._normal(self._excess(pair, -1))) is not None:
                above = self._against(self._normal(self._excess(pair))) is None
                (always if above else mixed).append(place)
        if len(mixed) > MOST_MIXED:
            most = f"at most {MOST_MIXED} are decided"
            self.reason = f"{len(mixed)} outputs change sides with epsilon, and {most}"
            return None
        subsets = chain.from_iterable(combinations(mixed, size) for size in range(len(mixed), -1, -1))
        for more in subsets:
            self._budget.check()
            problem = self._against(self._over(pairs, (*always, *more)))
            if isinstance(problem, Negative):
                return tuple(sorted((*always, *more))), problem.epsilon
            if problem is not None:
                self.reason = problem.reason
        return None


def _few_points(interval: Interval) -> Iterator[Fraction]:
    low, high = interval.low, interval.high
    if low == high:
        yield low
    elif high is None:
        yield from (low + Fraction(4) ** power for power in (0, -1, 1, -2, 2))
    else:
        yield from (low + (high - low) * Fraction(n, 8) for n in (4, 2, 6, 1, 7))

"""The probability of a path of a differentially private automaton, between rigorous rational bounds.

What is asked: a run reads given inputs; how likely does it take a given path, with its disclosed samples in
given intervals? All samples are Laplace and every comparison is against one stored value, so the answer is an
iterated integral of piecewise exponential polynomials. It is a sum of exponentials of rationals, in general
irrational; so it is enclosed, by FLINT's ball arithmetic, and the enclosure is widened to short rationals.

*Units.* The rates of the exponentials are sums of d eps. Lengths are measured in a unit that makes all d
on the path integers without a common divisor and absorbs epsilon. So rates are small exact integers, equal
rates are found equal, and a change of units (d -> c d with means, inputs and ends divided by c; the same with
epsilon) or a common shift gives the same enclosure, digit by digit.

*Segments.* Where a step stores its sample whatever it is, what follows does not depend on what came before.
So a path falls apart into *segments* between such steps, and into samples that are compared with nothing.
Their probabilities multiply, and equal ones are computed once.

A segment is a sequence of *stages*: a sample Z_k is stored, and samples of their own are compared with it.
The samples of a stage are independent given the stored value, so their order does not matter: equal ones are
counted and become a power, even if a cycle of the automaton interleaves them. With f_k(x) the density of the
stored value, jointly with everything up to the end of stage k,

    f_0(y) = w_0(y),    f_k(y) = w_k(y) * integral of f_{k-1} over x <= y  (if Z_k >= x is demanded; x > y
                                                                            for Z_k < x)

where w_k(y) is the density of Z_k, zero outside its interval, times the probabilities of the comparisons.
The probability of the segment is the integral of the last f_k. All of this takes place on one grid, cut at
all means and ends of intervals of the segment.

*One sample* of rate r and mean m has the density (r/2) exp(-r |z - m|). Three questions are asked of it: its
mass on an interval; its density; and the probability that it lies in an interval and on one side of x, as a
function of x. Where no mean and no end of an interval cuts, the density is one exponential in x, and the
comparison a constant plus one exponential; only that shape, a `Factor`, enters the integrals. Differences of
nearly equal numbers are avoided where that is free: masses go through exp(u) - 1, comparisons right of the
mean through upper tails and left of it through lower ones.

*Exponential polynomials.* Finitely many rational points cut the real line into cells. A function is, on each
cell, a sum over integer rates r of P_r(t) exp(r t), where t is counted from an origin at an end of the cell.
These functions are closed under products with `Factor`s and under running integrals from either side. Rates
are exact and coefficients are FLINT balls, so a rate that a product brings back to 0 is found to be 0, and
its integral is a polynomial of one degree more. P_r is kept as the list of the c_j in sum_j c_j t^j/j!: in
this basis differentiation is a shift, so Q' + rQ = P, which makes Q exp(r t) an antiderivative of P exp(r t),
is solved from the top down by q_j = (c_j - q_{j+1})/r. Products never multiply two polynomials.

*Infinite cells.* On the last cell a density has falling exponentials only, by construction and not only in
value. So the antiderivative above vanishes at infinity, and the integral from there needs no constant, which
keeps the relative precision of far tails. The first cell is its mirror image.

*Zero* is structural: a cell where a function vanishes has no terms. So an impossible path has the ball
[0, 0], and any other a positive value that some precision separates from 0.

*Why it is rigorous.* Points and rates are exact, and every other operation is one of ball arithmetic, whose
result contains the exact result for all numbers in its operands. No step is an approximation that would need
a bound of its own; rounding and cancellation make balls wide, never wrong.

*What was tried.* Cutting cells only when a step brings a new point saves at most half of the cells, but has
to move polynomials to new origins. One origin for all cells lost 1 to 20 bits more with 20 nested samples.
Polynomials as FLINT's arb_poly take a third longer. Multiplying 200 equal factors one by one takes 30 times
as long as a power.

*Precision.* Cancellation is real: the n-th power of 1 - exp(-t)/2, expanded, loses 0.58 n bits near 0. How
much is lost is seen afterwards, in the radius of the ball, and the computation is repeated with twice the
precision until the ball is narrow. The start, one bit a sample and four more a stored one beside the digits
asked for, is mostly enough. The rounds end, as an impossible path is exactly zero at any precision; but they
end anyway at MOST_BITS beyond what is asked for, when the budget is used up, or when the probability is below
2^-SMALLEST_EXPONENT, and then the best enclosure is returned with the reason.

The precision of FLINT is a global setting. It is set for the computation and restored after it; should
another thread change it meanwhile, balls become wider or the computation slower, but no enclosure wrong.

*What it costs,* on one core: 200 equal steps after one assignment 10 ms, 3,000 0.6 s; 200 steps with
different inputs 0.6 s; 40 nested assignments with different means 0.3 s, 80 3 s. Between two assignments the
number of different means enters squared; nested assignments with different means enter to about the fourth
power. Beyond some ten thousand equal steps polynomials of that degree with that many bits take minutes, and
FLINT does not look at the budget in between.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb, arb_poly, ctx, fmpq

from bdist.budget import Budget, Stopped
from bdist.dipa.automaton import Automaton, Guard, Noise, Real, Transition
from bdist.errors import InternalError, ParameterError
from bdist.exact.rationals import as_rational, point_value, rational_text, to_fmpq
from bdist.report import OneLine
from bdist.results import Bound, Bracket, Evidence

MOST_BITS = 2**15  # of precision, beyond the digits asked for
SMALLEST_EXPONENT = 100_000
_SMALLEST = arb(2) ** -SMALLEST_EXPONENT  # exact
_GUARD_BITS = 64

Ends = tuple[Fraction | None, Fraction | None]
_HALF = fmpq(1, 2)

Exponentials = dict[int, arb]  # by rate: a sum of pure exponentials on a cell
Piece = dict[int, list[arb]]  # by rate: the coefficients of t^j/j!


@dataclass(frozen=True, repr=False)
class Step(OneLine):
    """A transition that is taken, by number, with what is read and what of its output is asked for.

    ``input`` is the number that is read, given if and only if the source state reads one. ``interval``
    (lower, upper; None is infinite) is given if and only if the output is a sample: it shall fall into it.
    """

    transition: int
    input: Fraction | None = None
    interval: Ends | None = None


@dataclass(frozen=True, repr=False)
class Enclosure(Bracket):
    """lower <= the true value <= upper; ``reason`` says why it is wider than was asked for, if it is."""

    reason: str = ""

    @classmethod
    def between(cls, lower: Fraction, upper: Fraction, reason: str = "") -> Enclosure:
        """Two ends that were computed rigorously, in ball arithmetic."""
        return cls(Bound(lower, Evidence.EXACT), Bound(upper, Evidence.EXACT), reason)


def path_probability(
    automaton: Automaton,
    path: Sequence[Step],
    epsilon: Fraction,
    *,
    relative: Fraction = Fraction(1, 10**9),
    budget: Budget | None = None,
) -> Enclosure:
    """The probability that a run takes this path and its disclosed samples fall into the given intervals.

    Requires: epsilon > 0 and 0 < relative < 1.
    Ensures: upper - lower <= relative * upper, or a ``reason`` why not; an impossible path has [0, 0].
    Raises: ParameterError where the path does not start in the initial state, its transitions do not follow
    each other, or a step lacks an input or interval, has one that it must not have, or an empty interval.
    """
    epsilon, relative = as_rational(epsilon, "epsilon"), as_rational(relative, "relative")
    if epsilon <= 0:
        raise ParameterError(f"epsilon = {rational_text(epsilon)} is not positive")
    if not 0 < relative < 1:
        raise ParameterError(f"relative = {rational_text(relative)} is not between 0 and 1")
    samples = list(_samples(automaton, path))
    guessed = len(samples) + 4 * sum(sample.stored for sample in samples)
    return _enclose(_events(samples, epsilon), relative, guessed, budget or Budget())


@dataclass(frozen=True)
class _Sample:
    """A sample of a step with what is demanded of it; in the units of the automaton."""

    noise: Noise
    mean: Fraction
    ends: Ends
    guard: Guard = Guard.TRUE
    stored: bool = False


def _samples(automaton: Automaton, path: Sequence[Step]) -> Iterator[_Sample]:
    """All samples of which anything is demanded, in order. Raises: ParameterError."""
    at = automaton.initial
    for number, step in enumerate(path):
        if not 0 <= step.transition < len(automaton.transitions):
            found = f"transition number {step.transition} of {len(automaton.transitions)}"
            raise ParameterError(f"step {number} of the path takes {found}")
        transition = automaton.transitions[step.transition]
        state, here = automaton.states[transition.source], automaton.states[at]
        if transition.source != at:
            found = f"leaves state '{state.name}', and the path is in '{here.name}'"
            raise ParameterError(f"step {number} of the path {found}")
        at = transition.target
        if state.reads_input != (step.input is not None):
            wanted = "one, and the step has none" if state.reads_input else "none, and the step has one"
            raise ParameterError(f"input of step {number} of the path: state '{state.name}' reads {wanted}")
        shift = Fraction(0) if step.input is None else as_rational(step.input, f"input of step {number}")
        ends = _ends(step, number, transition)
        if transition.output is Real.SECOND and state.second is not None:
            yield _Sample(state.second, state.second.mu + shift, ends)
            ends = (None, None)
        yield _Sample(state.noise, state.noise.mu + shift, ends, transition.guard, transition.assigns)


def _ends(step: Step, number: int, transition: Transition) -> Ends:
    what, is_real = f"interval of step {number}", isinstance(transition.output, Real)
    if is_real != (step.interval is not None):
        wanted = "a sample, and the step has none" if is_real else "a symbol, and the step has one"
        raise ParameterError(f"{what} of the path: the output is {wanted}")
    lower, upper = (end if end is None else as_rational(end, what) for end in step.interval or (None, None))
    if lower is not None and upper is not None and lower > upper:
        found = f"from {rational_text(lower)} up to {rational_text(upper)}"
        raise ParameterError(f"{what} of the path is empty: {found}")
    return lower, upper


def _events(samples: Sequence[_Sample], epsilon: Fraction) -> Events:
    """The independent events, in units of length that make all rates integers without a common divisor."""
    scales = [sample.noise.d for sample in samples]
    unit = Fraction(math.gcd(*(d.numerator for d in scales)), math.lcm(*(d.denominator for d in scales)))
    length = to_fmpq(epsilon * unit)
    alone: Counter[Draw] = Counter()
    chains: list[list[tuple[Draw, Counter[Draw]]]] = []
    for sample in samples:
        interval = Interval(*(end if end is None else to_fmpq(end) * length for end in sample.ends))
        noise = Laplace(int(sample.noise.d / unit), to_fmpq(sample.mean) * length)
        draw = Draw(noise, interval, sample.guard)
        if sample.stored:
            if sample.guard is Guard.TRUE:
                chains.append([])
            chains[-1].append((draw, Counter()))
        elif sample.guard is not Guard.TRUE:
            chains[-1][-1][1][draw] += 1
        elif interval.ends:
            alone[draw] += 1
    segments = (tuple(Stage(stored, tuple(seen.items())) for stored, seen in chain) for chain in chains)
    return Events(alone, Counter(segments))


def _enclose(events: Events, relative: Fraction, guessed: int, budget: Budget) -> Enclosure:
    """Raise the precision until the enclosure is narrow, or a limit is reached.

    ``guessed`` is how many bits cancellation may take.
    """
    lower, upper = Fraction(0), Fraction(1)
    shown = math.ceil(1 / relative).bit_length() + 4
    most = MOST_BITS + shown
    bits = min(_GUARD_BITS + shown + guessed, most)
    while True:
        try:
            with ctx.workprec(bits):
                ball = events.probability(budget)
        except Stopped:
            return Enclosure.between(lower, upper, budget.exhausted() or "stopped")
        if ball.is_finite():
            with ctx.workprec(shown):
                low, high = ball.lower(), ball.upper()
            if high < _SMALLEST and not ball.is_zero():
                return Enclosure.between(
                    Fraction(0), point_value(_SMALLEST), f"it is below 2^-{SMALLEST_EXPONENT}"
                )
            lower = max(lower, point_value(low)) if low > 0 else lower
            upper = min(upper, point_value(high)) if high < 1 else upper
            if upper - lower <= relative * upper:
                return Enclosure.between(lower, upper)
        if bits == most:
            return Enclosure.between(lower, upper, f"{most} bits of working precision do not suffice")
        bits = min(2 * bits, most)


# --- segments ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Draw:
    """A sample that must fall into an interval, and on the side of x that the guard demands."""

    noise: Laplace
    interval: Interval
    guard: Guard


@dataclass(frozen=True, slots=True)
class Stage:
    """A sample that is stored, and the samples that are compared with it, each with its multiplicity."""

    stored: Draw
    compared: tuple[tuple[Draw, int], ...]

    def points(self) -> Iterator[fmpq]:
        """Where a density or a comparison changes its form."""
        for draw in (self.stored, *(draw for draw, _ in self.compared)):
            yield draw.noise.mean
            yield from draw.interval.ends

    def weight(self, cell: Cell) -> Exponentials:
        """The function w of the essay on a cell; without terms where it is zero."""
        if cell.misses(self.stored.interval):
            return {}
        factors: list[tuple[Factor, int]] = [(self.stored.noise.density(cell, cell.origin), 1)]
        for draw, count in self.compared:
            upward = draw.guard is Guard.AT_LEAST
            factor = draw.noise.comparison(
                upward=upward, interval=draw.interval, cell=cell, origin=cell.origin
            )
            if factor is None:
                return {}
            factors.append((factor, count))
        return product(factors)


Segment = tuple[Stage, ...]


@dataclass(frozen=True)
class Events:
    """The independent events of a path, each with its multiplicity."""

    alone: Counter[Draw]
    segments: Counter[Segment]

    def probability(self, budget: Budget) -> arb:
        """At the precision that is set. Raises: Stopped where the budget is used up."""
        result = arb(1)
        for draw, count in self.alone.items():
            result *= draw.noise.mass(draw.interval) ** count
        for segment, count in self.segments.items():
            result *= segment_probability(segment, budget) ** count
        return result


def segment_probability(segment: Segment, budget: Budget) -> arb:
    """The integral over all stored values of a segment. Raises: Stopped where the budget is used up."""
    cells = cut_line(point for stage in segment for point in stage.points())
    density = Piecewise(cells, [{0: [arb(1)]} for _ in cells], budget)  # the constant 1
    for number, stage in enumerate(segment):
        if number:
            density = density.integral(below=stage.stored.guard is Guard.AT_LEAST)
        density = density.times(stage.weight)
    return density.total()


# --- one sample ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Interval:
    """From low to high; None is infinite. Whether an end belongs to it has no weight."""

    low: fmpq | None = None
    high: fmpq | None = None

    @property
    def ends(self) -> tuple[fmpq, ...]:
        """The finite ends."""
        return tuple(end for end in (self.low, self.high) if end is not None)

    def is_above(self, point: fmpq) -> bool:
        """Whether no number of the interval is below the point."""
        return self.low is not None and point <= self.low

    def is_below(self, point: fmpq) -> bool:
        """Whether no number of the interval is above the point."""
        return self.high is not None and self.high <= point

    def misses(self, other: Interval) -> bool:
        """Whether the two have at most one number in common."""
        above = other.high is not None and self.is_above(other.high)
        return above or (other.low is not None and self.is_below(other.low))


@dataclass(frozen=True, slots=True)
class Factor:
    """The function constant + coefficient exp(rate t) of a place t, counted from some origin.

    Where it is a constant, the coefficient is exactly zero; where it is one exponential, the constant is.
    """

    constant: arb
    coefficient: arb
    rate: int


@dataclass(frozen=True, slots=True)
class Laplace:
    """The density (rate/2) exp(-rate |z - mean|)."""

    rate: int
    mean: fmpq

    def mass(self, interval: Interval) -> arb:
        """The probability of an interval. Requires: low <= high."""
        low, high = interval.low, interval.high
        if not interval.ends:
            return arb(1)
        if low is None or high is None:
            tail = self._half_exponential(*interval.ends)
            outside = interval.is_above(self.mean) or interval.is_below(self.mean)
            return tail if outside else 1 - tail
        if interval.is_above(self.mean):
            return self._half_exponential(low) * self._lost(low, high)
        if interval.is_below(self.mean):
            return self._half_exponential(high) * self._lost(low, high)
        return _HALF * (self._lost(low, self.mean) + self._lost(self.mean, high))

    def density(self, cell: Interval, origin: fmpq) -> Factor:
        """The density at origin + t. Requires: the mean is not inside the cell."""
        rate = -self.rate if cell.is_above(self.mean) else self.rate
        return Factor(arb(0), self.rate * self._half_exponential(origin), rate)

    def comparison(self, *, upward: bool, interval: Interval, cell: Interval, origin: fmpq) -> Factor | None:
        """The probability that a sample z in the interval has z >= x (upward) or z < x, at x = origin + t.

        Requires: neither the mean nor an end of the interval is inside the cell.
        Ensures: None where the probability is zero on the whole cell.
        """
        if cell.misses(interval):
            holds = upward == (interval.low is not None and cell.is_below(interval.low))
            return Factor(self.mass(interval), arb(0), 0) if holds else None
        # x is in the interval, so z is between x and the far end: a difference of tails on one side.
        right = cell.is_above(self.mean)
        end = interval.high if upward else interval.low
        if end is None and upward == right:
            far = arb(0)
        else:
            far = self.mass(Interval(end, None) if right else Interval(None, end))
        near = self._half_exponential(origin)
        rate = -self.rate if right else self.rate
        return Factor(-far, near, rate) if upward == right else Factor(far, -near, rate)

    def _half_exponential(self, point: fmpq) -> arb:
        return arb(-self.rate * abs(point - self.mean)).exp() * _HALF

    def _lost(self, low: fmpq, high: fmpq) -> arb:
        """1 - exp(-rate (high - low)): the part of an exponential tail that is spent between two points."""
        return -(arb(self.rate * (low - high)).expm1())


# --- exponential polynomials ---------------------------------------------------------------------------


class Cell(Interval):
    """A part of the line without breakpoints inside; places in it are counted from its origin."""

    __slots__ = ()

    @property
    def origin(self) -> fmpq:
        """The lower end, or the upper one where that is infinite."""
        origin = self.high if self.low is None else self.low
        if origin is None:
            raise InternalError("a cell is the whole line; a grid needs a breakpoint")
        return origin


def cut_line(points: Iterable[fmpq]) -> list[Cell]:
    """The cells between the points, from left to right. Requires: at least one point."""
    ends: list[fmpq | None] = [None, *sorted(set(points)), None]
    return [Cell(low, high) for low, high in pairwise(ends)]


def product(factors: Iterable[tuple[Factor, int]]) -> Exponentials:
    """The product of powers of factors, on one cell.

    Factors of one rate r are polynomials of degree 1 in exp(r t), or in its reciprocal, and are multiplied as
    polynomials, a power by repeated squaring; only products of different rates go term by term.
    """
    scalar, offset = arb(1), 0
    polynomials: dict[int, list[arb_poly]] = {}
    for factor, count in factors:
        constant, coefficient, rate = factor.constant, factor.coefficient, factor.rate
        if coefficient.is_zero():
            scalar *= constant**count
        elif constant.is_zero():
            scalar *= coefficient**count
            offset += rate * count
        elif rate > 0:
            polynomials.setdefault(rate, []).append(arb_poly([constant, coefficient]) ** count)
        else:
            polynomials.setdefault(-rate, []).append(arb_poly([coefficient, constant]) ** count)
            offset += rate * count
    result: Piece = {offset: [scalar]}
    for rate, group in polynomials.items():
        coefficients = _multiply_all(group).coeffs()
        result = _scale(result, {rate * k: value for k, value in enumerate(coefficients)})
    return {rate: value for rate, (value,) in result.items()}


class Piecewise:
    """A function by cells. Operations make new functions, and raise Stopped where the budget is used up."""

    def __init__(self, cells: Sequence[Cell], pieces: Sequence[Piece], budget: Budget) -> None:
        self.cells = cells
        self.pieces = pieces
        self._budget = budget

    def times(self, weight: Callable[[Cell], Exponentials]) -> Piecewise:
        """The product with a function that is a sum of pure exponentials on each cell."""
        pieces = []
        for cell, piece in zip(self.cells, self.pieces, strict=True):
            self._budget.check()
            pieces.append(_scale(piece, weight(cell)) if piece else piece)
        return Piecewise(self.cells, pieces, self._budget)

    def integral(self, *, below: bool) -> Piecewise:
        """The function y -> integral of this one over x <= y, or over x > y. Requires: integrable there."""
        primitives, pieces, carried = list(self._primitives()), [], arb(0)
        for primitive, start, end in primitives if below else reversed(primitives):
            if below:
                pieces.append(_plus_constant(primitive, carried - start))
            else:
                negated = {rate: [-value for value in values] for rate, values in primitive.items()}
                pieces.append(_plus_constant(negated, carried + end))
            carried += end - start
        return Piecewise(self.cells, pieces if below else pieces[::-1], self._budget)

    def total(self) -> arb:
        """The integral over the line. Requires: integrable at both ends."""
        total = arb(0)
        for _, start, end in self._primitives():
            total += end - start
        return total

    def _primitives(self) -> Iterator[tuple[Piece, arb, arb]]:
        """By cell an antiderivative, and its limits at both ends."""
        for cell, piece in zip(self.cells, self.pieces, strict=True):
            self._budget.check()
            primitive = _antiderivative(piece)
            yield primitive, *_limits(cell, primitive)


def _multiply_all(polynomials: list[arb_poly]) -> arb_poly:
    while len(polynomials) > 1:  # in a balanced tree
        pairs = zip(polynomials[::2], polynomials[1::2], strict=False)
        odd = polynomials[-1:] if len(polynomials) % 2 else []
        polynomials = [first * second for first, second in pairs] + odd
    return polynomials[0]


def _scale(piece: Piece, weights: Exponentials) -> Piece:
    """The product of two functions on a cell."""
    result: Piece = {}
    for rate, values in piece.items():
        for other, weight in weights.items():
            terms = [weight * value for value in values]
            old = result.get(rate + other, [])
            longer, shorter = (old, terms) if len(old) > len(terms) else (terms, old)
            added = [a + b for a, b in zip(longer, shorter, strict=False)]
            result[rate + other] = added + longer[len(shorter) :]
    return result


def _antiderivative(piece: Piece) -> Piece:
    """Without a constant: where all rates have one sign, it vanishes at the infinity where they do."""
    result: Piece = {}
    for rate, values in piece.items():
        if rate == 0:
            result[0] = [arb(0), *values]
            continue
        inverse = 1 / arb(rate)
        above = arb(0)
        solved = [above := (value - above) * inverse for value in reversed(values)]
        result[rate] = solved[::-1]
    return result


def _limits(cell: Cell, primitive: Piece) -> tuple[arb, arb]:
    """The values at both ends of the cell; 0 at infinity, where only exponentials that vanish are allowed."""
    at_origin = sum((values[0] for values in primitive.values()), arb(0))
    if cell.low is None:
        if any(rate <= 0 for rate in primitive):
            raise InternalError("a density does not vanish at minus infinity")
        return arb(0), at_origin
    if cell.high is None:
        if any(rate >= 0 for rate in primitive):
            raise InternalError("a density does not vanish at infinity")
        return at_origin, arb(0)
    return at_origin, _value(primitive, cell.high - cell.low)


def _value(piece: Piece, place: fmpq) -> arb:
    powers = [arb(1)]  # place^j/j!
    total = arb(0)
    for rate, values in piece.items():
        while len(powers) < len(values):
            powers.append(powers[-1] * arb(place / len(powers)))
        polynomial = sum((a * b for a, b in zip(values, powers, strict=False)), arb(0))
        total += polynomial * arb(rate * place).exp()
    return total


def _plus_constant(primitive: Piece, constant: arb) -> Piece:
    """Requires: an antiderivative, whose polynomial of rate 0 has no constant of its own."""
    if constant.is_zero():
        return primitive
    return primitive | {0: [constant, *primitive.get(0, [constant])[1:]]}

"""The probability of a path of a differentially private automaton, between rigorous rational bounds.

What is asked: a run reads given inputs; how likely does it take a given path, with its disclosed samples in
given intervals? All samples are Laplace and every comparison is against one stored value, so the answer is an
iterated integral of piecewise exponential polynomials, which `segments` takes apart and `piecewise` works
out. It is a sum of exponentials of rationals, in general irrational; so it is enclosed, by FLINT's
ball arithmetic, and the enclosure is widened to short rationals. This module reads the path, chooses units
and precision, and rounds.

*Units.* The rates of the exponentials are sums of d eps. Lengths are measured in a unit that makes all d
on the path integers without a common divisor and absorbs epsilon. So rates are small exact integers, equal
rates are found equal, and whatever only changes units (d -> c d with means, inputs and interval ends divided
by c; the same with epsilon) gives the same computation and the same enclosure, digit by digit. Only
differences of positions are used, so neither does a common shift change anything.

*Precision.* Cancellation is real. The n-th power of 1 - exp(-t)/2, expanded, loses 0.58 n bits near 0, and
samples that must be in order against the order of their means have a probability far below the terms it is
the sum of. How much is lost is not known beforehand but seen afterwards, in the radius of the ball. So the
computation is repeated with twice the precision until the ball is narrow. The start, one bit a sample and
four more a stored one beside the digits asked for, is mostly enough; rates that nearly cancel, or an order
far from that of the means, take another round or two. An impossible path is exactly zero at any precision
(see `piecewise`), so the rounds end; but they end anyway at MOST_BITS beyond what is asked for, and then the
best enclosure is returned with the reason. So it is when the budget is used up, or when the probability is
below 2^-SMALLEST_EXPONENT, which as a fraction would fill pages.

The precision of FLINT is a global setting. It is set for the computation and restored after it; should
another thread change it meanwhile, balls become wider or the computation slower, but no enclosure wrong.

*What it costs,* on one core: 200 equal steps after one assignment 10 ms, 600 30 ms, 3,000 0.6 s; 200 steps
with different inputs 0.6 s; 40 nested assignments with different means 0.3 s, 80 3 s. Between two assignments
each step with a new mean costs a cell and a factor on every cell, so their number enters squared; a further
equal step costs a term, and a bit of precision. Nested assignments with different means each add a cell, a
rate and a degree to all that follow, so their number enters to about the fourth power. Beyond some ten
thousand equal steps polynomials of that degree with that many bits take minutes, and FLINT does not look at
the budget in between.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from bdist.budget import Budget, Stopped
from bdist.dipa.automaton import Automaton, ControlState, Guard, Noise, Real, Transition
from bdist.dipa.laplace import Interval, Laplace
from bdist.dipa.segments import Draw, Events, Stage
from bdist.errors import ParameterError
from bdist.exact.fast import fast
from bdist.exact.reading import as_rational, rational_text

MOST_BITS = 2**15  # of precision, beyond the digits asked for
SMALLEST_EXPONENT = 100_000
_SMALLEST = arb(2) ** -SMALLEST_EXPONENT  # exact
_GUARD_BITS = 64

Ends = tuple[Fraction | None, Fraction | None]


@dataclass(frozen=True)
class Step:
    """A transition that is taken, by number, with what is read and what of its output is asked for.

    ``input`` is the number that is read, given if and only if the source state reads one. ``interval``
    (lower, upper; None is infinite) is given if and only if the output is a sample: it shall fall into it.
    """

    transition: int
    input: Fraction | None = None
    interval: Ends | None = None


@dataclass(frozen=True)
class Enclosure:
    """lower <= the true value <= upper; ``reason`` says why it is wider than was asked for, if it is."""

    lower: Fraction
    upper: Fraction
    reason: str = ""


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
            raise ParameterError(
                f"step {number} of the path takes transition number {step.transition} "
                f"of {len(automaton.transitions)}"
            )
        transition = automaton.transitions[step.transition]
        state = automaton.states[transition.source]
        if transition.source != at:
            raise ParameterError(
                f"step {number} of the path leaves state '{state.name}', "
                f"and the path is in '{automaton.states[at].name}'"
            )
        at = transition.target
        shift = _input(step, number, state)
        ends = _ends(step, number, transition)
        if transition.output is Real.SECOND and state.second is not None:
            yield _Sample(state.second, state.second.mu + shift, ends)
            ends = (None, None)
        yield _Sample(state.noise, state.noise.mu + shift, ends, transition.guard, transition.assigns)


def _input(step: Step, number: int, state: ControlState) -> Fraction:
    if state.reads_input != (step.input is not None):
        wanted = "one, and the step has none" if state.reads_input else "none, and the step has one"
        raise ParameterError(f"input of step {number} of the path: state '{state.name}' reads {wanted}")
    return Fraction(0) if step.input is None else as_rational(step.input, f"input of step {number}")


def _ends(step: Step, number: int, transition: Transition) -> Ends:
    is_real = isinstance(transition.output, Real)
    if is_real != (step.interval is not None):
        wanted = "a sample, and the step has none" if is_real else "a symbol, and the step has one"
        raise ParameterError(f"interval of step {number} of the path: the output is {wanted}")
    if step.interval is None:
        return None, None
    what = f"interval of step {number}"
    lower, upper = (end if end is None else as_rational(end, what) for end in step.interval)
    if lower is not None and upper is not None and lower > upper:
        raise ParameterError(
            f"{what} of the path is empty: from {rational_text(lower)} up to {rational_text(upper)}"
        )
    return lower, upper


def _events(samples: Sequence[_Sample], epsilon: Fraction) -> Events:
    """The independent events, in units of length that make all rates integers without a common divisor."""
    scales = [sample.noise.d for sample in samples]
    unit = Fraction(math.gcd(*(d.numerator for d in scales)), math.lcm(*(d.denominator for d in scales)))
    length = fast(epsilon * unit)
    alone: Counter[Draw] = Counter()
    chains: list[list[tuple[Draw, Counter[Draw]]]] = []
    for sample in samples:
        interval = Interval(*(end if end is None else fast(end) * length for end in sample.ends))
        noise = Laplace(int(sample.noise.d / unit), fast(sample.mean) * length)
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
            return Enclosure(lower, upper, budget.exhausted() or "stopped")
        if ball.is_finite():
            with ctx.workprec(shown):
                low, high = ball.lower(), ball.upper()
            if high < _SMALLEST and not ball.is_zero():
                return Enclosure(Fraction(0), _value(_SMALLEST), f"it is below 2^-{SMALLEST_EXPONENT}")
            lower = max(lower, _value(low)) if low > 0 else lower
            upper = min(upper, _value(high)) if high < 1 else upper
            if upper - lower <= relative * upper:
                return Enclosure(lower, upper)
        if bits == most:
            return Enclosure(lower, upper, f"{most} bits of working precision do not suffice")
        bits = min(2 * bits, most)


def _value(point: arb) -> Fraction:
    mantissa, exponent = point.man_exp()  # raises where the ball is not a point
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)

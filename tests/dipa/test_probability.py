"""Path probabilities against closed forms, quadrature, simulation, and the laws that they obey.

Most laws are identities between probabilities of different paths, computed along different ways: enclosures
of nine digits and more that overlap are a sharp test.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import NamedTuple

import pytest
from flint import arb, ctx, fmpq
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bdist.budget import Budget, StopSign
from bdist.dipa.automaton import Automaton, ControlState, Guard, Noise, Output, Real, Transition
from bdist.dipa.probability import (
    SMALLEST_EXPONENT,
    Draw,
    Enclosure,
    Ends,
    Factor,
    Interval,
    Laplace,
    Stage,
    Step,
    path_probability,
    product,
    segment_probability,
)
from bdist.errors import ParameterError
from bdist.exact.rationals import to_fmpq
from tests.oracles.dipa_automata import automata
from tests.oracles.dipa_runs import frequency, quadrature

ONE = Fraction(1)
ANYWHERE: Ends = (None, None)
Formula = Callable[[Callable[[Fraction], Decimal]], Decimal]


class Move(NamedTuple):
    """A step of a path through an automaton that is just that path."""

    d: Fraction = ONE
    mean: Fraction = Fraction(0)
    guard: Guard = Guard.TRUE
    assigns: bool = False
    output: Output = "o"
    ends: Ends | None = None
    second: Noise | None = None


def walk(*moves: Move) -> tuple[Automaton, list[Step]]:
    """An automaton with one path, and that path; means come half from the state and half from the input."""
    states = [
        ControlState(f"q{n}", move.guard is not Guard.TRUE, Noise(move.d, _offset(move)), move.second)
        for n, move in enumerate(moves)
    ]
    transitions = [
        Transition(n, n + 1, move.guard, move.output, move.assigns) for n, move in enumerate(moves)
    ]
    path = [
        Step(n, move.mean - _offset(move) if move.guard is not Guard.TRUE else None, move.ends)
        for n, move in enumerate(moves)
    ]
    return Automaton((*states, ControlState("end", False, Noise(ONE))), tuple(transitions)), path


def _offset(move: Move) -> Fraction:
    return move.mean if move.guard is Guard.TRUE else move.mean / 2


def probability(*moves: Move, epsilon: Fraction = ONE, relative: Fraction = Fraction(1, 10**9)) -> Enclosure:
    found = path_probability(*walk(*moves), epsilon, relative=relative)
    assert found.reason == ""
    assert 0 <= found.lower.value <= found.upper.value <= 1
    assert found.upper.value - found.lower.value <= relative * found.upper.value
    return found


def store(d: Fraction = ONE, mean: Fraction | int = 0, guard: Guard = Guard.TRUE) -> Move:
    return Move(d, Fraction(mean), guard, assigns=True)


def less(d: Fraction = ONE, mean: Fraction | int = 0) -> Move:
    return Move(d, Fraction(mean), Guard.LESS)


def at_least(d: Fraction = ONE, mean: Fraction | int = 0) -> Move:
    return Move(d, Fraction(mean), Guard.AT_LEAST)


def disclose(move: Move, low: Fraction | int | None, high: Fraction | int | None) -> Move:
    ends = (None if low is None else Fraction(low), None if high is None else Fraction(high))
    return move._replace(output=Real.SAMPLE, ends=ends)


def overlap(first: Enclosure, second: Enclosure) -> bool:
    return first.lower.value <= second.upper.value and second.lower.value <= first.upper.value


def added(first: Enclosure, second: Enclosure) -> Enclosure:
    return Enclosure.between(first.lower.value + second.lower.value, first.upper.value + second.upper.value)


def multiplied(first: Enclosure, second: Enclosure) -> Enclosure:
    return Enclosure.between(first.lower.value * second.lower.value, first.upper.value * second.upper.value)


def holds(found: Enclosure, value: Fraction) -> bool:
    return found.lower.value <= value <= found.upper.value


def decimal(formula: Formula) -> Fraction:
    """A formula with exponentials, to fifty digits; decimal arithmetic is not FLINT's."""
    with localcontext() as context:
        context.prec = 60
        value = formula(lambda u: (Decimal(u.numerator) / Decimal(u.denominator)).exp())
    return Fraction(value)


def near(found: Enclosure, value: Fraction) -> bool:
    slack = Fraction(1, 10**50)
    return found.lower.value - slack <= value <= found.upper.value + slack


# --- closed forms


@pytest.mark.parametrize("gap", [Fraction(0), Fraction(1, 3), Fraction(2), Fraction(30)])
@pytest.mark.parametrize("rate", [Fraction(1), Fraction(3, 4)])
def test_two_samples_of_one_scale(rate: Fraction, gap: Fraction) -> None:
    # With u = rate * gap >= 0: P(Z1 < Z0) = e^-u (2 + u)/4, if the mean of Z1 is larger by the gap.
    u = rate * gap
    value = decimal(lambda exp: exp(-u) * (2 + Decimal(u.numerator) / Decimal(u.denominator)) / 4)
    precise = Fraction(1, 10**30)
    assert near(probability(store(rate, -1), less(rate, gap - 1), relative=precise), value)
    assert near(probability(store(rate, gap), at_least(rate), relative=precise), value)
    assert near(probability(store(rate), at_least(rate, gap), relative=precise), 1 - value)
    assert near(probability(store(rate), store(rate, gap, Guard.LESS), relative=precise), value)


@pytest.mark.parametrize("gap", [Fraction(0), Fraction(1, 3), Fraction(20)])
@pytest.mark.parametrize(("a", "b"), [(1, 2), (3, 1), (10**6, 10**6 + 1)])
def test_two_samples_of_different_scales(a: int, b: int, gap: Fraction) -> None:
    # P(Z1 < Z0) = (b^2 e^-ag - a^2 e^-bg) / (2 (b^2 - a^2)), if the mean of Z1, of rate b, is larger by g.
    gap /= max(a, b)
    value = decimal(lambda exp: (b * b * exp(-a * gap) - a * a * exp(-b * gap)) / (2 * (b * b - a * a)))
    found = probability(store(Fraction(a)), less(Fraction(b), gap), relative=Fraction(1, 10**30))
    assert near(found, value)


@pytest.mark.parametrize("n", [1, 2, 7, 200])
def test_the_stored_sample_is_the_largest_of_equals(n: int) -> None:
    assert holds(probability(store(), *[less()] * n), Fraction(1, n + 1))
    assert holds(probability(store(), *[at_least()] * n), Fraction(1, n + 1))
    # Sparse vector with noise of one scale and all answers at the threshold: below n times, then above.
    assert holds(probability(store(), *[less()] * n, at_least()), Fraction(1, (n + 1) * (n + 2)))


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_equals_in_one_order(n: int) -> None:
    value = Fraction(1, math.factorial(n + 1))
    assert holds(probability(store(), *[store(guard=Guard.AT_LEAST)] * n), value)
    assert holds(probability(store(), *[store(guard=Guard.LESS)] * n), value)


@pytest.mark.parametrize("n", [1, 3, 30])
def test_sparse_vector_with_half_the_noise_on_the_threshold(n: int) -> None:
    # With s = e^-|x| for the threshold x, of rate 1, and queries of rate 2 at the same mean: left of the mean
    # a query is below x with probability s^2/2, right of it with 1 - s^2/2; both sides integrate over s/2.
    def below(k: int) -> Fraction:
        left = Fraction(1, 2**k * (2 * k + 1))
        right = sum((Fraction(math.comb(k, j), (-2) ** j * (2 * j + 1)) for j in range(k + 1)), Fraction(0))
        return (left + right) / 2

    answer = less(Fraction(2), 5)
    assert holds(probability(store(mean=5), *[answer] * n), below(n))
    last = at_least(Fraction(2), 5)
    assert holds(probability(store(mean=5), *[answer] * n, last), below(n) - below(n + 1))


def test_a_loop_of_an_automaton_is_walked() -> None:
    states = (ControlState("start", False, Noise(ONE, Fraction(3))), ControlState("loop", True, Noise(ONE)))
    below = Transition(1, 1, Guard.LESS, "below", assigns=False)
    above = Transition(1, 0, Guard.AT_LEAST, "above", assigns=False)
    automaton = Automaton(states, (Transition(0, 1, Guard.TRUE, "start", assigns=True), below, above))
    once = [Step(0), *[Step(1, Fraction(3))] * 9, Step(2, Fraction(3))]
    assert holds(path_probability(automaton, once, ONE), Fraction(1, 110))
    assert holds(
        path_probability(automaton, once * 3, ONE), Fraction(1, 110**3)
    )  # a fresh threshold each time


def test_the_empty_path_and_a_first_step_are_certain() -> None:
    automaton, path = walk(store())
    assert path_probability(automaton, [], ONE) == Enclosure.between(ONE, ONE)
    assert holds(path_probability(automaton, path, ONE), ONE)


@pytest.mark.parametrize(
    ("low", "high", "formula"),
    [
        (1, None, lambda exp: exp(Fraction(-2)) / 2),
        (None, 1, lambda exp: 1 - exp(Fraction(-2)) / 2),
        (None, -3, lambda exp: exp(Fraction(-6)) / 2),
        (1, 2, lambda exp: (exp(Fraction(-2)) - exp(Fraction(-4))) / 2),
        (-2, -1, lambda exp: (exp(Fraction(-2)) - exp(Fraction(-4))) / 2),
        (-2, 1, lambda exp: 1 - (exp(Fraction(-2)) + exp(Fraction(-4))) / 2),
        (0, 1, lambda exp: (1 - exp(Fraction(-2))) / 2),
    ],
)
def test_disclosed_samples(low: Fraction | None, high: Fraction | None, formula: Formula) -> None:
    """Of rate 2 around 7: stored, not compared, and second samples have the mass of the interval."""
    ends = (None if low is None else Fraction(low) + 7, None if high is None else Fraction(high) + 7)
    two, value = Fraction(2), decimal(formula)
    assert near(probability(disclose(store(two, 7), *ends)), value)
    assert near(probability(store(), disclose(Move(two, Fraction(7)), *ends)), value)
    second = Move(output=Real.SECOND, ends=ends, second=Noise(two, Fraction(7)))
    assert near(probability(store(), second), value)


def test_a_narrow_interval_far_out_keeps_its_digits() -> None:
    width = Fraction(1, 10**40)
    height = decimal(lambda exp: exp(Fraction(-100)) / 2) * width  # at the near end, where it is largest
    found = probability(disclose(store(), 100, 100 + width))
    assert found.lower.value <= height <= found.upper.value * (1 + width)


def test_a_disclosed_comparison_with_a_disclosed_threshold() -> None:
    # x in [0,1] and a sample z >= x in [0,1]: for equals one half of the square of the mass of [0,1].
    found = probability(disclose(store(), 0, 1), disclose(at_least(), 0, 1))
    assert near(found, decimal(lambda exp: ((1 - exp(Fraction(-1))) / 2) ** 2 / 2))


def test_comparisons_that_are_decided_by_their_interval() -> None:
    above, below = disclose(at_least(), 2, 3), disclose(less(), -2, 0)
    found = probability(disclose(store(), 0, 1), *[above] * 4, *[below] * 5)
    stored = decimal(lambda exp: (1 - exp(Fraction(-1))) / 2)
    high = decimal(lambda exp: (exp(Fraction(-2)) - exp(Fraction(-3))) / 2)
    low = decimal(lambda exp: (1 - exp(Fraction(-2))) / 2)
    assert near(found, stored * high**4 * low**5)


def test_impossible_paths_have_probability_zero() -> None:
    zero = Enclosure.between(Fraction(0), Fraction(0))
    assert probability(disclose(store(), 0, 1), disclose(at_least(), -2, -1)) == zero
    assert probability(disclose(store(), 0, 1), at_least(), disclose(less(), 1, 2)) == zero
    assert probability(disclose(store(), 0, 1), disclose(store(guard=Guard.LESS), 1, None)) == zero
    assert probability(store(), disclose(at_least(), 2, 2)) == zero
    assert probability(disclose(store(), 0, 0), less()) == zero
    assert probability(store(), disclose(Move(), 1, 1)) == zero


# --- against naive ways

RATES = st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(1, 3), Fraction(3, 2)])
PLACES = st.sampled_from([Fraction(k, 2) for k in range(-4, 5)]) | st.fractions(-2, 2, max_denominator=5)
GUARDS = st.sampled_from([Guard.LESS, Guard.AT_LEAST, Guard.TRUE])


@st.composite
def intervals(draw: st.DrawFn) -> Ends:
    low, high = sorted(draw(st.lists(PLACES, min_size=2, max_size=2, unique=True)))
    return draw(st.sampled_from([(low, high), (None, high), (low, None), ANYWHERE]))


@st.composite
def moves(draw: st.DrawFn, *, first: bool = False, assigns: bool = False) -> Move:
    """Any step; the first one of a path stores without a comparison."""
    guard = Guard.TRUE if first else draw(GUARDS)
    outputs: list[Output] = ["o", "o", Real.SAMPLE, Real.SECOND]
    output = draw(st.sampled_from(outputs))
    ends = draw(intervals()) if isinstance(output, Real) else None
    second = Noise(draw(RATES), draw(PLACES)) if output is Real.SECOND else None
    return Move(draw(RATES), draw(PLACES), guard, first or assigns, output, ends, second)


@st.composite
def paths(draw: st.DrawFn, stored: int, compared: int) -> list[Move]:
    """Up to so many samples stored, in any order with samples that are not; the latter may be repeated."""
    kinds = [True] * draw(st.integers(0, stored - 1)) + [False] * draw(st.integers(0, compared))
    path = [draw(moves(first=True))]
    for assigns in draw(st.permutations(kinds)):
        path += [draw(moves(assigns=assigns))] * (1 if assigns else draw(st.sampled_from([1, 1, 2, 3])))
    return path


@settings(deadline=None, max_examples=15)
@given(paths(stored=2, compared=3), st.sampled_from([Fraction(1, 2), ONE, Fraction(3)]))
def test_quadrature_agrees(path: list[Move], epsilon: Fraction) -> None:
    found = probability(*path, epsilon=epsilon)
    expected = quadrature(*walk(*path), epsilon)
    assert float(found.lower.value) - 1e-10 <= expected <= float(found.upper.value) + 1e-10


@settings(deadline=None, max_examples=25)
@given(paths(stored=5, compared=8), st.sampled_from([Fraction(1, 2), ONE]), st.integers(0, 2**32))
def test_simulation_agrees(path: list[Move], epsilon: Fraction, seed: int) -> None:
    runs = 20_000
    found = probability(*path, epsilon=epsilon)
    seen = frequency(*walk(*path), epsilon, runs=runs, seed=seed)
    # Hoeffding: farther away with probability at most 2 exp(-2 runs allowed^2) = 2e-12.
    allowed = math.sqrt(math.log(1e12) / (2 * runs))
    assert float(found.lower.value) - allowed <= seen <= float(found.upper.value) + allowed


@settings(deadline=None, max_examples=12)
@given(automata(names=st.text("abc", max_size=3)), st.data())
def test_walks_through_automata(automaton: Automaton, data: st.DataObject) -> None:
    """Against simulation; and where a walk may go two ways, they share its probability."""
    at, path = automaton.initial, list[Step]()
    while automaton.outgoing[at] and len(path) < 8:
        number = data.draw(st.integers(0, 5))  # is the same for all ways out of a state
        ways = [_step(automaton, way, Fraction(number, 3), ANYWHERE) for way in automaton.outgoing[at]]
        if len(ways) == 2:
            first, second = (path_probability(automaton, [*path, way], ONE) for way in ways)
            assert overlap(added(first, second), path_probability(automaton, path, ONE))
        way = data.draw(st.sampled_from(automaton.outgoing[at]))
        path.append(_step(automaton, way, Fraction(number, 3), data.draw(intervals())))
        at = automaton.transitions[way].target
    found = path_probability(automaton, path, ONE)
    seen = frequency(automaton, path, ONE, runs=20_000, seed=len(path))
    allowed = math.sqrt(math.log(1e12) / 40_000)
    assert float(found.lower.value) - allowed <= seen <= float(found.upper.value) + allowed


def _step(automaton: Automaton, way: int, number: Fraction, ends: Ends) -> Step:
    transition = automaton.transitions[way]
    reads_input = automaton.states[transition.source].reads_input
    is_real = isinstance(transition.output, Real)
    return Step(way, number if reads_input else None, ends if is_real else None)


NUMBERS = st.fractions(-2, 2, max_denominator=4)
FACTORS = st.tuples(NUMBERS, NUMBERS, st.sampled_from([-3, -2, -1, 1, 2, 3]))


@settings(deadline=None, max_examples=12)
@given(st.lists(st.tuples(FACTORS, st.integers(1, 4)), max_size=9), st.fractions(-1, 1, max_denominator=3))
def test_a_product_of_factors_has_the_product_of_their_values(
    powers: list[tuple[tuple[Fraction, Fraction, int], int]], place: Fraction
) -> None:
    with ctx.workprec(200):
        balls = [(Factor(arb(to_fmpq(c)), arb(to_fmpq(k)), rate), count) for (c, k, rate), count in powers]
        expected = math.prod(
            (
                (f.constant + f.coefficient * arb(to_fmpq(f.rate * place)).exp()) ** count
                for f, count in balls
            ),
            start=arb(1),
        )
        found = product(balls)
        value = sum((value * arb(to_fmpq(rate * place)).exp() for rate, value in found.items()), arb(0))
        assert value.overlaps(expected)
        assert value.rad() < arb(2) ** -100


# --- laws


@settings(deadline=None, max_examples=12)
@given(paths(stored=4, compared=5), RATES, PLACES, st.booleans())
def test_both_outcomes_together_have_the_probability_of_the_prefix(
    prefix: list[Move], d: Fraction, mean: Fraction, assigns: bool
) -> None:
    outcomes = [probability(*prefix, Move(d, mean, guard, assigns)) for guard in (Guard.LESS, Guard.AT_LEAST)]
    assert overlap(added(*outcomes), probability(*prefix))


@settings(deadline=None, max_examples=12)
@given(paths(stored=3, compared=4), st.data())
def test_an_interval_is_the_sum_of_its_parts(path: list[Move], data: st.DataObject) -> None:
    """Wherever the sample is disclosed; so is the probability at most that of a larger interval."""
    place = data.draw(st.integers(0, len(path) - 1))
    cut = data.draw(PLACES)

    def with_ends(low: Fraction | None, high: Fraction | None) -> Enclosure:
        return probability(*path[:place], disclose(path[place], low, high), *path[place + 1 :])

    whole, left, right = with_ends(None, None), with_ends(None, cut), with_ends(cut, None)
    assert overlap(added(left, right), whole)
    inner = with_ends(cut, cut + 1)
    assert overlap(added(inner, with_ends(cut + 1, None)), right)
    assert inner.lower.value <= right.upper.value
    assert right.lower.value <= whole.upper.value


@settings(deadline=None, max_examples=12)
@given(paths(stored=3, compared=3), RATES, PLACES, st.sampled_from([Fraction(1, 3), ONE]))
def test_a_larger_mean_makes_a_sample_more_often_large(
    prefix: list[Move], d: Fraction, mean: Fraction, step: Fraction
) -> None:
    small, large = (probability(*prefix, at_least(d, place)) for place in (mean, mean + step))
    assert small.lower.value <= large.upper.value
    small, large = (probability(*prefix, less(d, place)) for place in (mean, mean + step))
    assert small.upper.value >= large.lower.value


def rescaled(move: Move, d: Fraction, place: Callable[[Fraction], Fraction]) -> Move:
    """The move with its rates multiplied, and its mean and interval moved."""
    ends = move.ends and (
        None if move.ends[0] is None else place(move.ends[0]),
        None if move.ends[1] is None else place(move.ends[1]),
    )
    second = move.second and Noise(move.second.d * d, place(move.second.mu))
    return move._replace(d=move.d * d, mean=place(move.mean), ends=ends, second=second)


SCALES = st.sampled_from([Fraction(2), Fraction(1, 3), Fraction(7, 5), Fraction(10**12)])


@settings(deadline=None, max_examples=12)
@given(paths(stored=4, compared=5), SCALES)
def test_units_do_not_matter(path: list[Move], c: Fraction) -> None:
    """The same computation takes place, so the enclosures are equal."""
    found = probability(*path)
    assert probability(*(rescaled(move, c, lambda place: place / c) for move in path)) == found
    assert probability(*(rescaled(move, ONE, lambda place: place / c) for move in path), epsilon=c) == found
    assert probability(*(rescaled(move, 1 / c, lambda place: place) for move in path), epsilon=c) == found
    assert probability(*(_shifted(move, c) for move in path)) == found


def _shifted(move: Move, by: Fraction) -> Move:
    """All places moved; a second sample has the input in its mean already, and the first half of its own."""
    moved = rescaled(move, ONE, lambda place: place + by)
    if moved.second is None or moved.guard is Guard.TRUE:
        return moved
    return moved._replace(second=replace(moved.second, mu=moved.second.mu - by / 2))


@settings(deadline=None, max_examples=12)
@given(paths(stored=4, compared=5))
def test_the_mirror_image_is_as_likely(path: list[Move]) -> None:
    swapped = {Guard.LESS: Guard.AT_LEAST, Guard.AT_LEAST: Guard.LESS, Guard.TRUE: Guard.TRUE}

    def mirrored(move: Move) -> Move:
        turned = rescaled(move, ONE, lambda place: -place)
        ends = turned.ends and (turned.ends[1], turned.ends[0])
        return turned._replace(guard=swapped[move.guard], ends=ends)

    assert overlap(probability(*map(mirrored, path)), probability(*path))


@settings(deadline=None, max_examples=12)
@given(moves(first=True), st.lists(moves(), min_size=2, max_size=6), st.randoms())
def test_the_order_of_comparisons_does_not_matter(first: Move, rest: list[Move], random: Random) -> None:
    shuffled = random.sample(rest, len(rest))
    assert overlap(probability(first, *shuffled), probability(first, *rest))
    interleaved = [move for move in shuffled for _ in range(3)] + rest
    assert overlap(probability(first, *interleaved), probability(first, *rest * 4))


@settings(deadline=None, max_examples=12)
@given(paths(stored=3, compared=3), paths(stored=3, compared=3))
def test_nothing_remembers_what_came_before_an_unconditional_assignment(
    before: list[Move], after: list[Move]
) -> None:
    assert overlap(probability(*before, *after), multiplied(probability(*before), probability(*after)))
    assert overlap(
        probability(*before * 3), multiplied(*[probability(*before, *before), probability(*before)])
    )


@settings(deadline=None, max_examples=12)
@given(st.lists(st.tuples(RATES, PLACES), min_size=2, max_size=9))
@example([(ONE, Fraction(-k, 3)) for k in range(14)])
@example([(Fraction(10**9 + k, 10**9), Fraction(k * k % 7)) for k in range(8)])
def test_samples_in_rising_order_are_in_falling_order_backwards(
    samples: list[tuple[Fraction, Fraction]],
) -> None:
    def in_order(order: list[tuple[Fraction, Fraction]], guard: Guard) -> Enclosure:
        return probability(store(*order[0]), *(store(d, mean, guard) for d, mean in order[1:]))

    assert overlap(in_order(samples, Guard.AT_LEAST), in_order(samples[::-1], Guard.LESS))


# --- rigour, limits and refusals


@settings(deadline=None, max_examples=12)
@given(paths(stored=4, compared=6))
def test_a_rough_enclosure_holds_a_fine_one(path: list[Move]) -> None:
    rough = probability(*path, relative=Fraction(1, 4))
    fine = probability(*path, relative=Fraction(1, 10**60))
    assert rough.lower.value <= fine.lower.value <= fine.upper.value <= rough.upper.value


@settings(deadline=None, max_examples=12)
@given(
    st.lists(st.tuples(st.integers(1, 5), PLACES, st.booleans(), st.integers(0, 9)), min_size=2, max_size=6),
    st.sampled_from([2, 5, 10, 20, 40, 80]),
)
def test_balls_of_any_precision_hold_the_value(
    stages: list[tuple[int, Fraction, bool, int]], bits: int
) -> None:
    """Cancellation drowns the result at a low precision; the ball says so."""
    chain = []
    for number, (rate, place, upward, compared) in enumerate(stages):
        noise = Laplace(rate, fmpq(place.numerator, place.denominator))
        guard = Guard.AT_LEAST if upward else Guard.LESS
        stored = Draw(noise, Interval(), guard if number else Guard.TRUE)
        chain.append(Stage(stored, ((Draw(noise, Interval(None, fmpq(3)), guard), compared),)))
    with ctx.workprec(bits):
        rough = segment_probability(tuple(chain), Budget())
    with ctx.workprec(2000):
        fine = segment_probability(tuple(chain), Budget())
        assert rough.contains(fine)
        assert fine > 0


def test_the_precision_of_flint_is_left_alone() -> None:
    before = ctx.prec
    path_probability(*walk(store(), *[less()] * 300), ONE)
    stop = StopSign()
    stop.set()
    path_probability(*walk(store(), less()), ONE, budget=Budget(stop=stop))
    assert ctx.prec == before


def test_an_enclosure_travels_between_processes() -> None:
    found = probability(store(), less(mean=1))
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301


def test_a_used_up_budget_leaves_an_enclosure_and_a_reason() -> None:
    stop = StopSign()
    stop.set()
    found = path_probability(*walk(store(), less()), ONE, budget=Budget(stop=stop))
    assert found == Enclosure.between(Fraction(0), ONE, "interrupted")


def test_a_probability_too_small_to_write_down_is_bounded() -> None:
    found = path_probability(*walk(store(), less(mean=10**6)), ONE)
    tiny = Fraction(1, 2**SMALLEST_EXPONENT)
    assert found == Enclosure.between(Fraction(0), tiny, "it is below 2^-100000")
    below = path_probability(*walk(store(), less(mean=10**4)), ONE)
    assert below.reason == ""
    assert 0 < below.lower.value < Fraction(1, 10**4000)


def test_what_no_precision_resolves_is_enclosed_with_the_reason() -> None:
    far = Fraction(10) ** 20000  # e^-far is not even a number to FLINT, at the precisions that are tried
    found = path_probability(*walk(store(), store(mean=far, guard=Guard.LESS), at_least()), ONE)
    assert found.reason.endswith("bits of working precision do not suffice")
    assert found.lower.value == 0


AUTOMATON = Automaton(
    (
        ControlState("start", False, Noise(ONE)),
        ControlState("loop", True, Noise(ONE), Noise(ONE)),
    ),
    (
        Transition(0, 1, Guard.TRUE, "go", assigns=True),
        Transition(1, 1, Guard.LESS, "below", assigns=False),
        Transition(1, 1, Guard.AT_LEAST, Real.SAMPLE, assigns=False),
    ),
)
ZERO = Fraction(0)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ([Step(1, ZERO)], "step 0 of the path leaves state 'loop', and the path is in 'start'"),
        ([Step(0), Step(0)], "step 1 of the path leaves state 'start', and the path is in 'loop'"),
        ([Step(0), Step(3, ZERO)], "step 1 of the path takes transition number 3 of 3"),
        ([Step(-1)], "step 0 of the path takes transition number -1 of 3"),
        ([Step(0, ZERO)], "input of step 0 of the path: state 'start' reads none, and the step has one"),
        ([Step(0), Step(1)], "input of step 1 of the path: state 'loop' reads one, and the step has none"),
        ([Step(0), Step(1, ZERO, ANYWHERE)], "the output is a symbol, and the step has one"),
        (
            [Step(0), Step(2, ZERO)],
            "interval of step 1 of the path: the output is a sample, and the step has",
        ),
        ([Step(0), Step(2, ZERO, (ONE, ZERO))], "interval of step 1 of the path is empty: from 1 up to 0"),
        ([Step(0), Step(1, 0.5)], "input of step 1 is the float 0.5"),  # type: ignore[arg-type]
        ([Step(0), Step(2, ZERO, (0.5, None))], "interval of step 1 is the float 0.5"),  # type: ignore[arg-type]
    ],
)
def test_a_path_that_is_none_is_refused(path: list[Step], message: str) -> None:
    with pytest.raises(ParameterError) as refused:
        path_probability(AUTOMATON, path, ONE)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("epsilon", "relative", "message"),
    [
        (ZERO, Fraction(1, 9), "epsilon = 0 is not positive"),
        (-ONE, Fraction(1, 9), "epsilon = -1 is not positive"),
        (0.5, Fraction(1, 9), "epsilon is the float 0.5"),
        (ONE, ZERO, "relative = 0 is not between 0 and 1"),
        (ONE, ONE, "relative = 1 is not between 0 and 1"),
    ],
)
def test_parameters_out_of_range_are_refused(epsilon: Fraction, relative: Fraction, message: str) -> None:
    with pytest.raises(ParameterError) as refused:
        path_probability(AUTOMATON, [Step(0)], epsilon, relative=relative)
    assert message in str(refused.value)

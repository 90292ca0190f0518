"""Probabilities of comparisons of noise: against integrals and sums, and the laws that they obey, exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import prod
from random import Random

import numpy as np
import pytest
from flint import arb
from hypothesis import assume as suppose
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bdist.dipc.events import NOTHING, Sample, assume, likelihood_of, parts_of
from bdist.dipc.exponentials import ONE, ZERO, ClosedForm
from bdist.dipc.values import Linear
from bdist.errors import UnsupportedError, UnsupportedModel
from tests.oracles.noise_events import Comparison, integer_event, real_event

EPSILON = Fraction(3, 2)
Scales = tuple[Fraction, ...]


def closed_form(scales: Scales, comparisons: list[Comparison], *, integer: bool = False) -> ClosedForm:
    """The probability that all comparisons hold."""
    samples = [Sample(integer, scale) for scale in scales]
    event = NOTHING
    for coefficients, constant in comparisons:
        entries = tuple((v, c) for v, c in enumerate(coefficients) if c)
        extended = assume(Linear(entries, constant), event, samples)
        if extended is None:
            return ZERO
        event = extended
    parts = parts_of(event, samples)  # equal ones count as often as they stand
    return prod(map(likelihood_of, parts), start=ONE)


def opposite(comparison: Comparison, *, integer: bool) -> Comparison:
    """What holds where the comparison does not; over reals almost surely."""
    coefficients, constant = comparison
    below = -(constant.__floor__() + 1) if integer else -constant
    return [-c for c in coefficients], Fraction(below)


def random_event(random: Random, count: int, factors: tuple[int, ...]) -> tuple[Scales, list[Comparison]]:
    """Scales that are often equal, so that polynomials appear; one to four comparisons."""
    scales = tuple(Fraction(random.choice([1, 1, 2, 3]), random.choice([1, 1, 2])) for _ in range(count))
    comparisons: list[Comparison] = []
    while len(comparisons) < random.randint(1, 4):
        coefficients = [random.choice(factors) for _ in range(count)]
        if any(coefficients):
            comparisons.append((coefficients, Fraction(random.randint(-3, 3), random.choice([1, 1, 2]))))
    return scales, comparisons


REALS = (-2, -1, -1, 0, 0, 1, 1, 2)
INTEGERS = (-1, -1, 0, 0, 1, 1)


@pytest.mark.parametrize(("count", "examples"), [(1, 12), (2, 60), (3, 8)])
def test_events_of_reals_against_integrals(count: int, examples: int) -> None:
    random = Random(f"reals {count}")  # noqa: S311
    for _ in range(examples):
        scales, comparisons = random_event(random, count, REALS)
        found = float(closed_form(scales, comparisons).ball(EPSILON))
        wanted = real_event([float(scale * EPSILON) for scale in scales], comparisons)
        assert found == pytest.approx(wanted, abs=1e-9), (scales, comparisons)


@pytest.mark.parametrize(("count", "examples"), [(1, 15), (2, 60), (3, 25)])
def test_events_of_integers_against_sums(count: int, examples: int) -> None:
    random = Random(f"integers {count}")  # noqa: S311
    refused = 0
    for _ in range(examples):
        scales, comparisons = random_event(random, count, INTEGERS)
        if random.random() < 0.2:
            comparisons.append(
                ([random.choice([-2, 2, 3]), *[0] * (count - 1)], Fraction(random.randint(-3, 3)))
            )
        try:
            form = closed_form(scales, comparisons, integer=True)
        except UnsupportedError:  # a cycle asks for two different factors
            refused += 1
            continue
        wanted = integer_event([float(scale * EPSILON) for scale in scales], comparisons)
        assert float(form.ball(EPSILON)) == pytest.approx(wanted, abs=1e-9), (scales, comparisons)
    assert refused < examples / 4


def test_integers_are_compared_with_factors() -> None:
    """Two and three samples against sums; scales differ, so that remainders matter."""
    scales = (Fraction(1), Fraction(1, 2), Fraction(2))
    cases: list[list[Comparison]] = [
        [([2, -3, 0], Fraction(1))],
        [([2, 3, 0], Fraction(-5)), ([0, 5, 4], Fraction(2)), ([1, 0, 0], Fraction(3))],
        [([6, -4, 0], Fraction(3)), ([-3, 2, 0], Fraction(2))],
        [([2, 3, -4], Fraction(1))],
    ]
    for comparisons in cases:
        wanted = integer_event([float(scale * EPSILON) for scale in scales], comparisons)
        found = float(closed_form(scales, comparisons, integer=True).ball(EPSILON))
        assert found == pytest.approx(wanted, abs=1e-9), comparisons


def test_a_cycle_of_factors_is_refused() -> None:
    comparisons: list[Comparison] = [([2, -3], Fraction(0)), ([-1, 5], Fraction(4))]
    with pytest.raises(UnsupportedModel, match="form a cycle"):
        closed_form((Fraction(1), Fraction(1)), comparisons, integer=True)


def test_events_of_many_reals_against_samples() -> None:
    """Trees, a cycle, and sums of five variables."""
    samples = np.random.default_rng(5).laplace(size=(5, 100_000))
    random = Random(7)  # noqa: S311
    for edges in (
        [(0, 1), (0, 2), (0, 3), (0, 4)],
        [(0, 1), (1, 2), (2, 3), (3, 4)],
        [(0, 1), (1, 2), (2, 3), (3, 0)],
        [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)],
    ):
        scales = tuple(Fraction(random.choice([1, 1, 2])) for _ in range(5))
        comparisons: list[Comparison] = []
        for first, second in edges:
            entries = [(v == first) - (v == second) for v in range(5)]
            comparisons.append((entries, Fraction(random.randint(-1, 4), 2)))
        comparisons.append(([1, -1, 1, 0, 1], Fraction(random.randint(0, 3))))
        noise = samples / np.array([float(scale * EPSILON) for scale in scales])[:, None]
        holds = np.all([np.dot(c, noise) + float(b) >= 0 for c, b in comparisons], axis=0)
        found = float(closed_form(scales, comparisons).ball(EPSILON))
        assert abs(found - holds.mean()) < 6 * (found * (1 - found) / holds.size) ** 0.5, edges


@st.composite
def events(draw: st.DrawFn, integer: bool) -> tuple[Scales, list[Comparison]]:
    count = draw(st.integers(1, 3))
    scales = draw(st.tuples(*[st.sampled_from([Fraction(1), Fraction(2), Fraction(1, 2)])] * count))
    coefficient = st.sampled_from([-1, 0, 1] if integer else [-2, -1, 0, 1, 2])
    rows = st.lists(coefficient, min_size=count, max_size=count).filter(any)
    constant = st.sampled_from([Fraction(n, 2) for n in range(-4, 5)])
    return scales, draw(st.lists(st.tuples(rows, constant), min_size=1, max_size=3))


@pytest.mark.parametrize("integer", [False, True])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_an_event_and_where_it_first_fails_sum_to_one(integer: bool, data: st.DataObject) -> None:
    scales, comparisons = data.draw(events(integer))
    cases = [comparisons]
    for place, comparison in enumerate(comparisons):
        cases.append([*comparisons[:place], opposite(comparison, integer=integer)])
    try:
        forms = [closed_form(scales, case, integer=integer) for case in cases]
    except UnsupportedError:
        suppose(False)
    assert sum(forms, start=ZERO) == ONE
    for form in forms:
        assert form.ball(EPSILON, 512) >= (-1 if form else 0)
        assert not form or 0 < form.ball(EPSILON, 512) <= arb(1) + arb(2) ** -400


@settings(max_examples=20, deadline=None)
@given(events(False), st.permutations([0, 1, 2]), st.integers(1, 3))
def test_the_order_of_variables_and_a_common_factor_change_nothing(
    event: tuple[Scales, list[Comparison]], order: list[int], factor: int
) -> None:
    scales, comparisons = event
    order = [place for place in order if place < len(scales)]
    moved: list[Comparison] = [
        ([factor * c[place] for place in order], factor * b) for c, b in reversed(comparisons)
    ]
    forms = [closed_form(scales, comparisons), closed_form(tuple(scales[place] for place in order), moved)]
    assert forms[0] == forms[1]


@pytest.mark.parametrize("integer", [False, True])
@given(count=st.integers(2, 4))
@example(count=5)
@settings(max_examples=4, deadline=None)
def test_all_orders_are_equally_likely(integer: bool, count: int) -> None:
    """Over integers with ties: of two, the first may be the larger, the second, or none."""
    scales = (Fraction(1),) * count
    chain: list[Comparison] = [
        ([(w == v) - (w == v + 1) for w in range(count)], Fraction(-1 if integer else 0))
        for v in range(count - 1)
    ]
    found = closed_form(scales, chain, integer=integer)
    if not integer:
        factorial = len(list(permutations(range(count))))
        assert found.text() == f"1 / {factorial}"
    elif count == 2:
        tie: list[Comparison] = [([1, -1], Fraction(0)), ([-1, 1], Fraction(0))]
        assert found + found + closed_form(scales, tie, integer=True) == ONE
    else:
        assert 0 < found.ball(EPSILON) < 1


def test_equal_parts_count_twice() -> None:
    form = closed_form((Fraction(1), Fraction(1)), [([1, 0], Fraction(-2)), ([0, 1], Fraction(-2))])
    assert form.text() == "1 / (4 e^(4 eps))"


def test_factors_divide_constants() -> None:
    """Exponents finer than those of scales and constants: 2 x + y >= 1 begins at x = 1/2."""
    form = closed_form((Fraction(1), Fraction(1)), [([2, 1], Fraction(-1))])
    assert form.text() == "(-1 + 4 e^(eps/2)) / (6 e^eps)"


@pytest.mark.parametrize("integer", [False, True])
def test_what_cannot_be_has_probability_zero(integer: bool) -> None:
    scales = (Fraction(1), Fraction(1), Fraction(2))
    circle: list[Comparison] = [
        ([1, -1, 0], Fraction(0)),
        ([0, 1, -1], Fraction(0)),
        ([-1, 0, 1], Fraction(-1 if integer else 0)),
    ]
    assert not closed_form(scales, circle, integer=integer)
    half: list[Comparison] = [([1, 0, 0], Fraction(-1, 3)), ([-1, 0, 0], Fraction(2, 3))]
    assert bool(closed_form(scales, half, integer=integer)) != integer

"""The checker's closed forms and enclosures against other ways to compute the same, in floating point."""

from __future__ import annotations

import decimal
import itertools
import random
from fractions import Fraction
from math import exp, sqrt

import numpy
import pytest
from scipy.integrate import quad
from scipy.optimize import linprog

from bdist.checker import TooLarge
from bdist.checker.core.limits import Work
from bdist.checker.dipc.events import ALWAYS, Events, Linear, Split
from bdist.checker.dipc.exponentials import Exponential, Quotient
from bdist.checker.dipc.integrals import Elimination, Space, likelihood
from bdist.checker.dipc.signs import Signs, bernstein_positive, chain, exponential
from tests.oracles.noise_events import integer_event

Row = tuple[int | Fraction, ...]


def function(terms: dict[tuple[str, int], str]) -> Exponential:
    return Exponential.of({(Fraction(k), j): Fraction(c) for (k, j), c in terms.items()})


def value(found: Exponential, e: float) -> float:
    return sum(c * e**j * exp(k / found.grid * e) for (k, j), c in found.terms.items()) / found.denominator


def quotient_value(found: Quotient, e: float) -> float:
    below = 1.0
    for factor, power in found.factors.values():
        below *= value(factor, e) ** power
    return value(found.numerator, e) / below


def laplace(x: float) -> float:
    return exp(x) / 2 if x < 0 else 1 - exp(-x) / 2


# --- real samples -------------------------------------------------------------------------------------


def test_the_formulas_of_the_paper() -> None:
    """Section 3: SVT with two queries. Its r_2 is ours; in its r_1 the sign of 21 e^(eps/2) is wrong."""
    scales = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]  # threshold, first and second query
    found = Elimination(scales, [(-1, 1, 0, 1), (1, 0, -1, -1)], False, Work()).probability()
    r2 = function({("-1/2", 0): "-22/48", ("-1/4", 0): "32/48", ("-1/2", 1): "-3/48"})
    assert found.same_as(r2, Exponential.number(1), Work())
    found = Elimination(scales, [(-1, 1, 0, 0), (1, 0, -1, -1)], False, Work()).probability()
    r1 = function({("0", 0): "24/48", ("-3/4", 0): "-1/48", ("-1/2", 0): "8/48", ("-1/4", 0): "-21/48"})
    assert found.same_as(r1, Exponential.number(1), Work())
    assert not found.same_as(function({("0", 0): "1/2"}), Exponential.number(1), Work())


@pytest.mark.parametrize("seed", range(6))
def test_two_real_samples_by_quadrature(seed: int) -> None:
    """P(all a x + b y + c < 0), with the inner integral by the distribution function."""
    dice = random.Random(seed)  # noqa: S311
    scales = [Fraction(dice.choice((1, 2, 3)), dice.choice((1, 2))) for _ in range(2)]
    rows = [
        (
            dice.choice((-2, -1, 1, 2)),
            dice.choice((-1, 1, 3)),
            Fraction(dice.randint(-4, 4), dice.choice((1, 2))),
        )
        for _ in range(dice.randint(1, 3))
    ]
    e = dice.choice((0.5, 1.0, 2.0))
    first, second = (float(a) * e for a in scales)

    def inner(x: float) -> float:
        low, high = 0.0, 1.0
        for a, b, c in rows:
            bound = laplace(second * -(a * x + float(c)) / b)
            low, high = (low, min(high, bound)) if b > 0 else (max(low, bound), high)
        return first / 2 * exp(-first * abs(x)) * max(high - low, 0.0)

    kinks = {0.0, *(-float(c) / a for a, _, c in rows)}
    for (a, b, c), (a2, b2, c2) in itertools.combinations(rows, 2):
        if a * b2 != a2 * b:
            kinks.add(float((c2 * b - c * b2) / (a * b2 - a2 * b)))
    ends = [-60 / first, *sorted(kink for kink in kinks if abs(kink) < 60 / first), 60 / first]
    expected = sum(quad(inner, low, high, epsabs=1e-12)[0] for low, high in itertools.pairwise(ends))
    assert quotient_value(Elimination(scales, rows, False, Work()).probability(), e) == pytest.approx(
        expected, abs=1e-9
    )


@pytest.mark.parametrize(
    "rows",
    [
        [(1, -1, 0, 0, 0), (0, 1, -1, 0, 1), (-1, 0, 1, 0, -3)],
        [(1, -1, 0, 0, 0), (0, 0, 1, -1, 1), (1, 0, -1, 0, -1), (0, 1, 0, -1, -2)],
        [(1, 1, -1, -1, 1)],
        [(1, 2, -3, 0, 1), (0, 1, -1, 0, 1), (1, 0, 0, -1, 0)],
        [(-1, 1, 0, 0, 1), (-1, 0, 1, 0, -1), (1, 0, 0, -1, 0)],
    ],
)
def test_more_real_samples_by_simulation(rows: list[Row]) -> None:
    scales = [Fraction(1), Fraction(2), Fraction(1), Fraction(1, 2)]
    dice, count, e = numpy.random.default_rng(3), 50_000, 1.0
    samples = [dice.laplace(0, 1 / (float(a) * e), count) for a in scales]
    inside = numpy.ones(count, bool)
    for *coefficients, constant in rows:
        inside &= sum(float(c) * x for c, x in zip(coefficients, samples, strict=True)) + float(constant) < 0
    expected = inside.mean()
    found = quotient_value(Elimination(scales, rows, False, Work()).probability(), e)
    assert found == pytest.approx(expected, abs=4 * sqrt(expected * (1 - expected) / count))


@pytest.mark.parametrize("integer", [False, True])
def test_cells_sum_up_to_one(integer: bool) -> None:
    """All ways in which three comparisons in a cycle can turn out."""
    scales = [Fraction(1), Fraction(1, 3), Fraction(1)]
    rows = [(1, -1, 0, 1), (0, 1, -1, -1), (-1, 0, 1, 2)]
    total = 0.0
    for signs in itertools.product((1, -1), repeat=3):
        chosen: list[Row] = [
            (*(sign * c for c in row[:-1]), row[-1] if sign > 0 else int(integer) - row[-1])
            for sign, row in zip(signs, rows, strict=True)
        ]
        total += quotient_value(Elimination(scales, chosen, integer, Work()).probability(), 0.7)
    assert total == pytest.approx(1, abs=1e-12)


# --- integer samples ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_integer_samples_by_adding_up(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311
    n = dice.choice((1, 2, 2, 3))
    scales = [dice.choice((Fraction(1), Fraction(2), Fraction(3, 2))) for _ in range(n)]
    rows: list[tuple[int, ...]] = []
    while len(rows) < dice.randint(1, 3):
        row = (*(dice.choice((-1, 0, 1, 1, 2)) for _ in range(n)), dice.randint(-3, 3))
        if any(row[:-1]):
            rows.append(row)
    e, reach = 1.5, 24 if n < 3 else 11
    try:
        found = Elimination(scales, rows, True, Work()).probability()
    except TooLarge:
        assert any(abs(c) > 1 for row in rows for c in row[:-1])
        return
    chances = []
    for a in scales:
        w = exp(-float(a) * e)
        chances.append({i: (1 - w) / (1 + w) * w ** abs(i) for i in range(-reach, reach + 1)})
    expected = 0.0
    for point in itertools.product(range(-reach, reach + 1), repeat=n):
        if all(sum(c * x for c, x in zip(row, (*point, 1), strict=True)) <= 0 for row in rows):
            p = 1.0
            for i, chance in zip(point, chances, strict=True):
                p *= chance[i]
            expected += p
    assert quotient_value(found, e) == pytest.approx(expected, abs=1e-6)


def test_integer_samples_are_compared_with_factors() -> None:
    scales, rates = [Fraction(1), Fraction(1, 2), Fraction(2)], [1.5, 0.75, 3.0]
    cases: list[list[tuple[int, ...]]] = [
        [(-2, 3, 0, -1)],
        [(-2, -3, 0, 5), (0, -5, -4, -2), (-1, 0, 0, -3)],
        [(-6, 4, 0, -3), (3, -2, 0, -2)],
        [(-2, -3, 4, -1)],
    ]
    for rows in cases:
        wanted = integer_event(rates, [([-c for c in row[:-1]], Fraction(-row[-1])) for row in rows])
        found = quotient_value(likelihood(scales, rows, True, Work()), 1.5)
        assert found == pytest.approx(wanted, abs=1e-9), rows
    with pytest.raises(TooLarge, match="factors that remainders do not make 1"):
        likelihood(scales[:2], [(-2, 3, 0), (1, -5, -4)], True, Work())


# --- events -------------------------------------------------------------------------------------------


def test_a_comparison_is_split_once() -> None:
    events = Events(Work())
    x, y = (events.sample(place, Fraction(1), False) for place in (0, 1))
    difference = x.plus(y.times(Fraction(-1)))
    with pytest.raises(Split) as caught:
        events.decide(difference, "<", ALWAYS)
    for event, holds in zip(caught.value.events, (True, False), strict=True):
        assert events.decide(difference, "<", event) == holds
        assert events.decide(difference.times(Fraction(3)), "<=", event) == holds
        assert events.decide(difference.times(Fraction(-2)), ">", event) == holds
        assert events.decide(difference, "!=", event)
        shifted = difference.plus(Linear(False, Fraction(-1)))
        if holds:  # x < y says x < y + 1, and nothing about x < y − 1
            assert events.decide(shifted, "<", event)
            with pytest.raises(Split):
                events.decide(difference.plus(Linear(False, Fraction(1))), "<", event)
    assert events.decide(x.plus(x.times(Fraction(-1))), "==", ALWAYS)


def test_integers_tell_less_from_at_most() -> None:
    events = Events(Work())
    x = events.sample(0, Fraction(1), True)
    with pytest.raises(Split) as caught:
        events.decide(x, "==", ALWAYS)
    assert len(caught.value.events) == 3
    assert [events.decide(x, "==", event) for event in caught.value.events] == [True, False, False]
    assert [events.decide(x, "<=", event) for event in caught.value.events] == [True, True, False]
    half = x.plus(Linear(True, Fraction(1, 2)))
    assert [events.decide(half, "<=", event) for event in caught.value.events] == [False, True, False]
    assert not events.decide(half.times(Fraction(2)), "==", caught.value.events[0])


@pytest.mark.parametrize("coefficients", [(-1, 0, 1), (-2, -1, 0, 1, 3)])
def test_feasibility(coefficients: tuple[int, ...]) -> None:
    """Cells and empty ones, against the most by which all constraints hold at once, in floating point."""
    dice, seen = random.Random(2), set()  # noqa: S311
    for integer in (False, True):
        space = Space(3, integer, Work())
        for _ in range(75):
            rows = [
                (*(dice.choice(coefficients) for _ in range(3)), dice.randint(-2, 2))
                for _ in range(dice.randint(2, 6))
            ]
            rows = [row for row in rows if any(row[:-1])]
            slack = linprog(
                (0, 0, 0, -1),
                A_ub=[(*row[:-1], 1) for row in rows],
                b_ub=[-row[-1] for row in rows],
                bounds=[(None, None)] * 3 + [(None, 1)],
            ).x[-1]
            found = space.feasible(tuple(rows))
            assert found == (slack > (-1e-9 if integer else 1e-9))
            seen.add(found)
    assert seen == {True, False}


# --- functions and their signs ------------------------------------------------------------------------


def test_enclosures_of_the_exponential_function() -> None:
    decimal.getcontext().prec = 120
    for x in (
        Fraction(0),
        Fraction(1, 3),
        Fraction(1),
        Fraction(22, 7),
        Fraction(40),
        Fraction(190),
        Fraction(1, 10**9),
    ):
        low, high = exponential(x, 192, Work())
        true = (-decimal.Decimal(x.numerator) / x.denominator).exp() * 2**192
        assert low <= true <= high
        assert high - low <= 2
    assert exponential(Fraction(10**6), 64, Work()) == (0, 1)


@pytest.mark.parametrize(
    ("terms", "positive"),
    [
        ({("1", 0): "1", ("0", 0): "-1", ("0", 1): "-1", ("0", 2): "-1/2"}, True),
        ({("1", 0): "1", ("0", 0): "-1", ("0", 1): "-1", ("0", 2): "-51/100"}, False),
        ({("2", 0): "1", ("1", 0): "-4", ("0", 0): "40001/10000"}, True),
        ({("2", 0): "1", ("1", 0): "-4", ("0", 0): "39999/10000"}, False),
        ({("1/2", 1): "1", ("0", 0): "1", ("1/2", 0): "-1"}, True),
        ({("-1", 3): "1", ("0", 0): "-1", ("1/7", 0): "1"}, True),
        ({("0", 0): "1", ("1", 0): "-1", ("2", 1): "1"}, True),
        ({("0", 0): "1", ("1", 0): "-1", ("2", 1): "9/10"}, False),
    ],
)
def test_signs(terms: dict[tuple[str, int], str], positive: bool) -> None:
    found = function(terms).normalised
    least = min(value(found, i / 50) for i in range(1, 400))
    signs = Signs(found, Work())
    start = next((Fraction(2) ** i for i in range(7) if signs.positive_from(Fraction(2) ** i)), None)
    shown = start is not None and signs.positive_up_to(start)
    assert shown == positive
    assert not chain(found, Work()) or positive
    if positive:
        assert least > -1e-12
        assert signs.positive_between(Fraction(1, 100), Fraction(50), (Fraction(1), Fraction(2)))
    for q in (Fraction(1, 50), Fraction(7, 10), Fraction(5)):
        assert signs.at(q) == (1 if value(found, float(q)) > 0 else -1)


def test_a_double_zero_is_not_positive() -> None:
    square = function({("2", 0): "1", ("1", 0): "-4", ("0", 0): "4"})
    assert not Signs(square, Work()).positive_between(Fraction(1, 10), Fraction(5))
    assert not Signs(function({("0", 0): "1", ("0", 1): "-2", ("0", 2): "1"}), Work()).at(Fraction(1))


def test_bernstein_coefficients() -> None:
    assert bernstein_positive([1, -1, 1], Work())
    assert not bernstein_positive([1, -2, 1], Work())

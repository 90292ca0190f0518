"""Signs of exponential polynomials: proofs against a grid, points against evaluation to many digits.

What is shown to the procedure is also evaluated here from its list of terms, in balls of 2,000 bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.budget import Budget
from bdist.dipc.exponentials import RING, ExponentialPolynomial, normal_form
from bdist.dipc.positivity import (
    Chain,
    Cover,
    Decided,
    Factors,
    Negative,
    Point,
    Undecided,
    decide,
    is_strict,
)
from bdist.dipc.program import Interval

Terms = dict[tuple[int, int], int]  # c by (j, k): c eps^j e^(k eps / unit)
ALL = Interval()
X: Terms = {(1, 0): 1}
Y: Terms = {(0, 1): 1}


def plus(*summands: Terms | int) -> Terms:
    found: Terms = {}
    for summand in summands:
        for key, c in ({(0, 0): summand} if isinstance(summand, int) else summand).items():
            found[key] = found.get(key, 0) + c
    return {key: c for key, c in found.items() if c}


def times(*factors: Terms | int) -> Terms:
    product: Terms = {(0, 0): 1}
    for factor in factors:
        listed = {(0, 0): factor} if isinstance(factor, int) else factor
        found: Terms = {}
        for (j, k), c in product.items():
            for (m, n), d in listed.items():
                found[j + m, k + n] = found.get((j + m, k + n), 0) + c * d
        product = {key: c for key, c in found.items() if c}
    return product


def asked(terms: Terms, interval: Interval = ALL, unit: int = 1) -> Decided:
    return decide(written(terms, unit), interval, Budget())


def written(terms: Terms, unit: int = 1) -> ExponentialPolynomial:
    return normal_form(RING.from_dict({(j, k): c for (j, k), c in terms.items()}), unit)


def value(terms: Terms, unit: int, at: Fraction) -> arb:
    with ctx.workprec(2000):
        x = arb(fmpq(at.numerator, at.denominator))
        return sum((arb(c) * x**j * (x * k / unit).exp() for (j, k), c in terms.items()), arb(0))


def relative_approx(terms: Terms, unit: int, at: float) -> float:
    """F over the sum of the sizes of its terms."""
    top = max(k for _, k in terms)
    parts = [c * at**j * math.exp((k - top) * at / unit) for (j, k), c in terms.items()]
    return math.fsum(parts) / sum(map(abs, parts))


def lies_inside(at: Fraction, interval: Interval) -> bool:
    low = at > interval.low or (at == interval.low and interval.has_low)
    return low and (
        interval.high is None or at < interval.high or (at == interval.high and interval.has_high)
    )


def judge(terms: Terms, unit: int, interval: Interval, found: Decided, grid: Sequence[float]) -> None:
    """A proof has no clearly negative point on the grid; a negative point is one."""
    if isinstance(found, Negative):
        assert lies_inside(found.epsilon, interval)
        assert value(terms, unit, found.epsilon) < 0
        return
    if isinstance(found, Undecided):
        return
    assert not any(relative_approx(terms, unit, at) < -1e-9 for at in grid), terms
    if isinstance(found, Cover):
        assert list(found.points) == sorted(set(found.points))
    if is_strict(written(terms, unit), found, interval):
        inner = [Fraction(at).limit_denominator(10**6) for at in grid[::20]]
        assert all(value(terms, unit, at) > 0 for at in inner if lies_inside(at, interval))


FAR_GRID = [10 ** (n / 40 - 3) for n in range(220)]  # up to about 300
coefficients = st.integers(-6, 6).filter(bool)
polynomials = st.dictionaries(
    st.tuples(st.integers(0, 2), st.integers(0, 4)), coefficients, min_size=1, max_size=7
)


@settings(max_examples=100, deadline=None)
@given(polynomials, st.sampled_from([1, 2, 6]))
def test_on_all_epsilon(terms: Terms, unit: int) -> None:
    judge(terms, unit, ALL, asked(terms, ALL, unit), FAR_GRID)


@settings(max_examples=10, deadline=None)
@given(polynomials, polynomials, st.integers(-3, 3))
def test_squares_and_near_squares(terms: Terms, other: Terms, more: int) -> None:
    """F = g^2 h + c: zeros that touch, or that come and go with c."""
    f = plus(times(terms, terms, other), more)
    if f:
        judge(f, 1, ALL, asked(f), FAR_GRID)
    square = times(terms, terms)
    found = asked(square)
    assert not isinstance(found, Negative | Undecided)
    judge(square, 1, ALL, found, FAR_GRID)


@settings(max_examples=40, deadline=None)
@given(polynomials, st.integers(0, 8), st.integers(1, 12), st.booleans(), st.booleans())
def test_on_intervals(terms: Terms, start: int, width: int, has_low: bool, has_high: bool) -> None:
    low, high = Fraction(start, 4), Fraction(start + width, 4)
    interval = Interval(low, high, has_low and low > 0, has_high)
    grid = [float(low + (high - low) * Fraction(n, 200)) for n in range(1, 200)]
    judge(terms, 2, interval, asked(terms, interval, 2), grid)


@settings(max_examples=40, deadline=None)
@given(polynomials, st.fractions(Fraction(1, 8), 8, max_denominator=8))
def test_at_single_points(terms: Terms, at: Fraction) -> None:
    found = asked(terms, Interval(at, at, True, True))
    ball = value(terms, 1, at)
    if isinstance(found, Negative):
        assert found.epsilon == at
        assert ball < 0
    else:
        assert isinstance(found, Point)
        assert not ball < 0
        assert is_strict(written(terms), found, Interval(at, at, True, True)) == (ball > 0)


# --- zeros that touch ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "terms",
    [
        times(plus(Y, -2), plus(Y, -2)),
        times(*[plus(X, -1)] * 2, *[plus(Y, -3)] * 4),
        times(*[plus(times(X, Y), -1)] * 2, plus(Y, X)),
        times(*[plus(Y, times(-3, X))] * 2, *[plus(X, -2)] * 2, plus(Y, -1)),
        times(*[plus(times(Y, Y), times(-5, X), -1)] * 2),
    ],
)
def test_even_zeros_are_no_counterexamples(terms: Terms) -> None:
    found = asked(terms)
    assert isinstance(found, Factors)
    assert not is_strict(written(terms), found, ALL)
    raised = asked(plus(terms, times(Y, 1)))
    assert not isinstance(raised, Negative | Undecided)
    lowered = asked(plus(times(1000, terms), -1))
    assert isinstance(lowered, Negative)
    assert value(plus(times(1000, terms), -1), 1, lowered.epsilon) < 0


def test_odd_zeros_are_counterexamples_however_narrow() -> None:
    """(y - 2)^2 (x - a)(x - b) is negative between a and b only, which few points of a grid meet."""
    width = 10**6
    terms = times(
        plus(Y, -2), plus(Y, -2), plus(times(7 * width, X), -width), plus(times(7 * width, X), -width - 1)
    )
    found = asked(terms)
    assert isinstance(found, Negative)
    assert Fraction(1, 7) < found.epsilon < Fraction(width + 1, 7 * width)
    three = asked(times(*[plus(Y, -2)] * 3))
    assert isinstance(three, Negative)
    assert value(Y, 1, three.epsilon) < 2


def test_the_lower_end_may_be_a_zero() -> None:
    """(x - 1)(y + x) is positive on (1, 3], not at 1, and negative just below."""
    terms = times(plus(X, -1), plus(Y, X))
    for has_low in (True, False):
        inside = Interval(Fraction(1), Fraction(3), has_low, True)
        found = asked(terms, inside)
        assert not isinstance(found, Negative | Undecided)
        assert is_strict(written(terms), found, inside) == (not has_low)
    wider = Interval(Fraction(99, 100), Fraction(3))
    found = asked(terms, wider)
    assert isinstance(found, Negative)
    assert Fraction(99, 100) < found.epsilon < 1


def test_a_zero_at_the_upper_end_is_no_counterexample() -> None:
    """(x - 1)(3 - x) is positive on (1, 3): proved or left open, and negative on anything larger."""
    terms = times(plus(X, -1), plus(times(-1, X), 3), plus(Y, 1))
    assert not isinstance(asked(terms, Interval(Fraction(1), Fraction(3), True, True)), Negative)
    found = asked(terms, Interval(Fraction(1), Fraction(31, 10)))
    assert isinstance(found, Negative)
    assert 3 < found.epsilon < Fraction(31, 10)


def test_order_at_zero_decides_near_zero() -> None:
    """e^eps less the beginning of its series is positive, by the chain; the next term more is too much."""
    series: Terms = {(j, 0): -math.factorial(12) // math.factorial(j) for j in range(9)}
    f = plus(times(math.factorial(12), Y), series)
    assert isinstance(asked(f), Chain)
    more = plus(f, {(9, 0): -math.factorial(12) // math.factorial(9) - 1})
    found = asked(more)
    assert isinstance(found, Negative)
    assert value(more, 1, found.epsilon) < 0


def test_the_largest_exponent_wins_far_out() -> None:
    """10^40 y - y^2 is negative from 40 ln 10 = 92.1 on; y^2 - 10^40 y + 10^81 is never."""
    found = asked(plus(times(10**40, Y), times(-1, Y, Y)))
    assert isinstance(found, Negative)
    assert found.epsilon > 92
    assert isinstance(asked(plus(times(Y, Y), times(-(10**40), Y), 10**81)), Cover)
    late = plus(times(Y, X), times(-1, Y), times(-(10**30), X), 10**31)  # (x - 1) y - 10^30 (x - 10)
    judge(late, 1, ALL, asked(late), FAR_GRID)


def test_random_products_are_decided() -> None:
    """Factors with known signs: the product is never negative iff the signs of odd ones agree."""
    positive = [plus(Y, -1), plus(Y, X), plus(times(Y, Y), times(-1, X)), plus(times(X, X), 1), X]
    changing = [plus(Y, -2), plus(X, -3), plus(times(2, Y), times(-9, X))]
    random = Random(11)  # noqa: S311
    for _ in range(6):
        parts = random.sample(positive, 2)
        powers = [random.choice([0, 1, 2, 2, 4]) for _ in changing]
        terms = times(*parts, *(f for f, power in zip(changing, powers, strict=True) for _ in range(power)))
        found = asked(terms)
        assert isinstance(found, Negative) == any(power % 2 for power in powers), (parts, powers)
        judge(terms, 1, ALL, found, FAR_GRID)
        assert not isinstance(found, Undecided)

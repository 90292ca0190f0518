"""Reading, printing and enclosing numbers, and solving sparse systems of them."""

from __future__ import annotations

import random
from decimal import Decimal, getcontext
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.errors import ParameterError
from bdist.exact.epsilon import alpha_of, exponential_down, exponential_up
from bdist.exact.linear import solve_affine, strongly_connected_components
from bdist.exact.rationals import (
    as_rational,
    counted,
    decimal_down,
    decimal_up,
    exact_text,
    parse_rational,
    rational_text,
    simplest_between,
    to_fmpq,
    to_fraction,
)

FRACTIONS = st.fractions(min_value=0, max_value=10**6, max_denominator=10**9)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/2", Fraction(1, 2)),
        ("-3/6", Fraction(-1, 2)),
        ("0.49", Fraction(49, 100)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("1e-4", Fraction(1, 10000)),
        ("1.0002", Fraction(5001, 5000)),
        ("2.5E3", Fraction(2500)),
        (" 7 ", Fraction(7)),
    ],
)
def test_numbers_are_read_exactly(text: str, value: Fraction) -> None:
    assert parse_rational(text) == value


@pytest.mark.parametrize(
    "text", ["", ".", "e5", "1/0", "1/-2", "a", "1//2", "0x10", "1_000", "1e", "nan", "inf", "1 2", "٣"]
)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        parse_rational(text)


def test_a_huge_exponent_is_refused_before_it_is_computed() -> None:
    with pytest.raises(ParameterError, match="exponent"):
        parse_rational("1e999999999")


def test_numbers_beyond_the_interpreters_digit_limit() -> None:
    value = Fraction(10**9000 + 1, 3**9000)
    assert parse_rational(rational_text(value)) == value
    assert parse_rational("0." + "3" * 6000) == Fraction(10**6000 // 3, 10**6000)


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (
            0.5,
            "alpha is the float 0.5; write '0.5' or Fraction(1, 2): most floats are not the number that was",
        ),
        (np.float64(2.0), "alpha is the float 2.0; write '2.0' or 2: most floats are not"),
        (np.float32(0.1), "write '0.10000000149011612', or Fraction(0.10000000149011612) where you mean the"),
        (
            1.0002,
            "no float is 1.0002: this one is 1.0001999999999999779...; write '1.0002', or Fraction(1.0002)",
        ),
        (float("nan"), "alpha is nan, which is not a number"),
        (Decimal("Infinity"), "alpha: 'Infinity' is not a number"),
        (True, "give a Fraction, an int or a str"),
        (None, "give a Fraction"),
        ([1], "give a Fraction"),
        (np.zeros(3), "alpha is a ndarray; give a Fraction"),
    ],
)
def test_inexact_types_are_refused_with_the_reason_that_fits(value: object, advice: str) -> None:
    with pytest.raises(ParameterError) as caught:
        as_rational(value, "alpha")
    assert advice in str(caught.value)


def test_exact_types_are_taken() -> None:
    assert as_rational(np.int64(3), "x") == 3
    assert as_rational("3/4", "x") == Fraction(3, 4)
    assert as_rational(Decimal("1.0002"), "x") == Fraction(5001, 5000)
    assert to_fraction(to_fmpq(Fraction(3, 4))) == Fraction(3, 4)


@given(FRACTIONS, st.integers(1, 20))
def test_decimals_are_rounded_to_the_side_they_name(value: Fraction, digits: int) -> None:
    low, high = Fraction(decimal_down(value, digits)), Fraction(decimal_up(value, digits))
    assert low <= value <= high
    if value:
        assert high - low <= value * Fraction(10) ** (1 - digits)


def test_an_exact_value_is_whole_or_marked_as_cut() -> None:
    assert exact_text(Fraction(1, 2500)) == "1/2500 = 0.0004"
    assert exact_text(Fraction(23, 120)) == "23/120 = 0.191666666666..."
    assert exact_text(Fraction(0)) == "0"
    assert "digits" in exact_text(Fraction(1, 7**100))
    assert exact_text(Fraction(1, 10**45)) == "1e-45 (a fraction of 47 digits)"  # it ends, so no dots


def test_negative_numbers_keep_their_sign_and_their_side() -> None:
    assert exact_text(Fraction(-17, 10)) == "-17/10 = -1.7"
    assert exact_text(Fraction(-1, 3)) == "-1/3 = -0.333333333333..."
    assert exact_text(Fraction(-3)) == "-3"
    assert exact_text(Fraction(-1, 7**100)).endswith("... (a fraction of 86 digits)")
    assert (decimal_down(Fraction(-1, 3), 3), decimal_up(Fraction(-1, 3), 3)) == ("-0.334", "-0.333")
    assert (decimal_down(Fraction(-1, 3 * 10**9), 2), decimal_up(Fraction(-1, 3 * 10**9), 2)) == (
        "-3.4e-10",
        "-3.3e-10",
    )


def test_a_number_of_things_is_in_the_singular_where_it_is_one() -> None:
    assert [counted(k, "pair") for k in (0, 1, 2)] == ["0 pairs", "1 pair", "2 pairs"]
    assert counted(2, "prefix", "prefixes") == "2 prefixes"


@given(st.fractions(min_value=0, max_value=50, max_denominator=10**6))
def test_the_exponential_is_enclosed_from_the_named_side(epsilon: Fraction) -> None:
    getcontext().prec = 60
    truth = Fraction((Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp())
    slack = truth / 10**50  # what Decimal itself may be off by
    down, up = exponential_down(epsilon), exponential_up(epsilon)
    assert truth * (1 - Fraction(1, 2**39)) <= down <= truth + slack
    assert truth - slack <= up <= truth * (1 + Fraction(1, 2**38))
    assert 1 <= down <= up


@pytest.mark.parametrize(
    ("epsilon", "alpha"),
    [("ln 3", 3), ("ln(3/2)", Fraction(3, 2)), (" ln 1.5 ", Fraction(3, 2)), ("0", 1), (0, 1)],
)
def test_logarithms_and_zero_are_exact(epsilon: str | int, alpha: Fraction | int) -> None:
    assert alpha_of(epsilon) == (alpha, True)


def test_a_tiny_epsilon_stays_sound() -> None:
    alpha, exact = alpha_of("1e-60")
    assert alpha == 1
    assert not exact


@pytest.mark.parametrize("epsilon", ["-1", "ln 1/2", "ln x", "1001", 0.5])
def test_a_bad_epsilon_is_refused(epsilon: object) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        alpha_of(epsilon)


def test_epsilon_one_half_by_a_second_way() -> None:
    assert float(alpha_of("1/2")[0]) == pytest.approx(exp(0.5), rel=1e-11)


INTERVALS = st.tuples(
    st.fractions(min_value=0, max_value=3, max_denominator=30),
    st.fractions(min_value=0, max_value=3, max_denominator=30),
)


@given(INTERVALS, st.booleans(), st.booleans())
@settings(max_examples=60)
def test_the_simplest_fraction_is_the_one_that_counting_finds(
    ends: tuple[Fraction, Fraction], open_low: bool, open_high: bool
) -> None:
    low, high = min(ends), max(ends)

    def inside(x: Fraction) -> bool:
        return (low < x if open_low else low <= x) and (x < high if open_high else x <= high)

    by_counting = next(
        (
            Fraction(p, q)
            for q in range(1, 1000)
            for p in range(int(low * q), int(high * q) + 2)
            if inside(Fraction(p, q))
        ),
        None,
    )
    assert simplest_between(low, high, open_low=open_low, open_high=open_high) == by_counting


@given(FRACTIONS, st.integers(2, 10**6))
def test_a_rational_is_recovered_from_a_narrow_bracket(truth: Fraction, noise: int) -> None:
    """A bracket narrower than 1/B^2 holds one rational with a denominator up to B."""
    width = Fraction(1, 2 * truth.denominator**2 + 1)
    assert simplest_between(max(Fraction(0), truth - width / noise), truth + width / 2) == truth


def test_an_interval_must_make_sense() -> None:
    assert simplest_between(Fraction(2), Fraction(1)) is None
    assert simplest_between(Fraction(1), Fraction(1), open_low=True) is None
    with pytest.raises(ValueError, match="0 <= low"):
        simplest_between(Fraction(-1), Fraction(1))


@given(st.data())
@settings(max_examples=50)
def test_sparse_systems_are_solved_exactly(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 7))
    weight = st.builds(fmpq, st.integers(0, 3), st.just(4 * size))
    weights = [data.draw(st.dictionaries(st.integers(0, size - 1), weight, max_size=3)) for _ in range(size)]
    constants = [data.draw(st.builds(fmpq, st.integers(-5, 5), st.integers(1, 5))) for _ in range(size)]
    solution = solve_affine(weights, constants)
    assert solution is not None  # row sums are below 1
    for p in range(size):
        assert solution[p] == constants[p] + sum((x * solution[q] for q, x in weights[p].items()), fmpq(0))


@given(st.integers(20, 60), st.randoms(use_true_random=False))
@settings(max_examples=10, deadline=None)
def test_large_components_are_eliminated_exactly(size: int, draw: random.Random) -> None:
    """One ring through all unknowns makes one component; sums of weights below 1 make it regular."""
    weights = []
    for p in range(size):
        row = {(p + 1) % size: fmpq(1, draw.randint(3, 9))}
        for q in draw.sample(range(size), 2):
            row[q] = row.get(q, fmpq(0)) + fmpq(1, draw.randint(4, 9))
        weights.append(row)
    constants = [fmpq(draw.randint(0, 9), draw.randint(1, 9)) for _ in range(size)]
    solution = solve_affine(weights, constants)
    assert solution is not None
    for p in range(size):
        assert solution[p] == constants[p] + sum((x * solution[q] for q, x in weights[p].items()), fmpq(0))


def test_a_large_singular_system_has_no_answer() -> None:
    ring = [{(p + 1) % 30: fmpq(1)} for p in range(30)]
    assert solve_affine(ring, [fmpq(1)] * 30) is None


def test_a_singular_system_has_no_answer() -> None:
    assert solve_affine([{0: fmpq(1)}], [fmpq(1)]) is None
    assert solve_affine([{1: fmpq(1)}, {0: fmpq(1)}], [fmpq(0), fmpq(0)]) is None


def test_components_come_after_what_they_reach() -> None:
    graph: list[dict[int, object]] = [{1: 0}, {2: 0}, {1: 0, 3: 0}, {}, {0: 0}]
    components = [sorted(c) for c in strongly_connected_components(graph)]
    assert components == [[3], [1, 2], [0], [4]]

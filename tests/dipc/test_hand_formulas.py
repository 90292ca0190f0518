"""Closed forms that are found by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb

from bdist.dipc.decision import decide, probabilities
from bdist.dipc.exploration import Shown
from bdist.dipc.exponentials import ClosedForm
from bdist.dipc.text import read
from bdist.results import Answer

Sum = dict[Fraction, int]  # the sum of c e^(k eps), by k
HEAD = "domain {0 .. 2}; input x; output o; adjacent linf 1;"


def forms(text: str, x: int) -> dict[Shown, ClosedForm]:
    return probabilities(read(text), (Fraction(x),))


def times(*factors: Sum) -> Sum:
    product: Sum = {Fraction(0): 1}
    for factor in factors:
        found: Sum = {}
        for k, c in product.items():
            for m, d in factor.items():
                found[k + m] = found.get(k + m, 0) + c * d
        product = {k: c for k, c in found.items() if c}
    return product


def power(k: int | Fraction, c: int = 1) -> Sum:
    return {Fraction(k): c}


def plus(*summands: Sum) -> Sum:
    found: Sum = {}
    for summand in summands:
        for k, c in summand.items():
            found[k] = found.get(k, 0) + c
    return {k: c for k, c in found.items() if c}


def is_quotient(form: ClosedForm, above: Sum, below: Sum) -> bool:
    """Whether the form is above / below, as functions; it must not have powers of epsilon."""
    parts = []
    for name in ("numerator", "denominator"):
        listed = form.document()[name]
        assert isinstance(listed, list)
        scale = 48
        parts.append({Fraction(k): int(Fraction(c) * scale) for k, (c,) in listed})
    return times(parts[0], below) == times(parts[1], above)


def test_randomised_response() -> None:
    found = forms(HEAD.replace("0 .. 2", "0, 1") + "o ~ choose {x: exp(eps), 1 - x: 1};", 1)
    assert found[(1,)].text() == "e^eps / (1 + e^eps)"
    assert found[(0,)].text() == "1 / (1 + e^eps)"
    assert found[(1,)].latex() == r"\frac{e^{\varepsilon}}{1 + e^{\varepsilon}}"
    low, high = found[(1,)].enclosure(Fraction(1))
    assert Fraction(low) < Fraction(73105857863, 10**11) < Fraction(high)


def test_exponential_mechanism() -> None:
    found = forms(HEAD + "o ~ Exp(1/2*eps, v in {0, 1, 2}: -abs(v - x));", 0)
    half = Fraction(1, 2)
    below = plus(power(0), power(half), power(1))
    for v in range(3):
        assert is_quotient(found[(v,)], power(1 - v * half), below)
    twice = forms(HEAD + "o ~ Exp(eps, v in {0, 0, 1}: -v);", 0)
    assert is_quotient(twice[(0,)], power(1, 2), plus(power(1, 2), power(0)))


def test_geometric_noise_by_a_loop() -> None:
    """Success with 1 - q, q = e^-eps, counted up to 3: (1 - q) q^n, and q^3 for 3 or more."""
    loop = """
    o := 0; go := true;
    while go {
      go ~ choose {true: 1, false: exp(eps) - 1};
      if go { o := min(o + 1, 3); }
    }"""
    found = forms(HEAD + loop, 0)
    for n in range(3):
        assert is_quotient(found[(n,)], plus(power(0), power(-1, -1)), power(n))
    assert is_quotient(found[(3,)], power(-3), power(0))


def test_two_sided_geometric_noise_by_loops_is_discrete_laplace() -> None:
    loops = """
    up := 0; down := 0; go := true;
    while go { go ~ choose {true: 1, false: exp(eps) - 1}; if go { up := min(up + 1, 4); } }
    go := true;
    while go { go ~ choose {true: 1, false: exp(eps) - 1}; if go { down := min(down + 1, 4); } }
    o := min(up, 4) == 0 and down == 0 and x >= 0;"""
    both_zero = forms(HEAD + loops, 0)[(True,)]
    assert is_quotient(both_zero, times(*[plus(power(0), power(-1, -1))] * 2), power(0))
    noise = forms(HEAD + "z ~ DLap(eps, x); o := z == x + 1;", 2)[(True,)]
    assert is_quotient(noise, plus(power(0), power(-1, -1)), times(plus(power(0), power(-1)), power(1)))


def test_comparison_of_two_discrete_laplace_variables() -> None:
    """P(z = w) = (1 - q)(1 + q^2) / (1 + q)^3, and by symmetry P(z > w) is half of the rest."""
    found = forms(
        HEAD
        + "z ~ DLap(eps, 0); w ~ DLap(eps, 0); if z == w {o := 0;} else if z > w {o := 1;} else {o := 2;}",
        0,
    )
    q = power(-1)
    tie = times(plus(power(0), power(-1, -1)), plus(power(0), power(-2)))
    cube = times(*[plus(power(0), q)] * 3)
    assert is_quotient(found[(0,)], tie, cube)
    rest = plus(cube, times(power(0, -1), tie))
    assert is_quotient(found[(1,)], rest, times(power(0, 2), cube))
    assert found[(1,)] == found[(2,)]


def test_comparison_of_two_laplace_variables() -> None:
    """P(x - y > d) = (2 + eps d) e^(-eps d) / 4 for d >= 0 and equal scales."""
    found = forms(HEAD + "r ~ Lap(eps, 0); s ~ Lap(eps, x); o := r > s;", 2)[(True,)]
    assert found.text() == "(1 + eps) / (2 e^(2 eps))"
    scales = forms(HEAD + "r ~ Lap(eps, 0); s ~ Lap(2*eps, x); o := r > s;", 1)[(True,)]
    assert is_quotient(scales, plus(power(1, 4), power(0, -1)), power(2, 6))


def test_values_are_enclosed_in_any_precision() -> None:
    form = forms(HEAD + "r ~ Lap(eps, x); o := r > 0;", 1)[(True,)]
    for at in (Fraction(1, 10**9), Fraction(1), Fraction(1000)):
        wanted = 1 - (-arb(at.numerator) / at.denominator).exp() / 2
        assert form.ball(at, 256).overlaps(wanted)


@pytest.mark.parametrize(
    ("statement", "factor"),
    [
        ("o ~ choose {x: exp(eps), 1 - x: 1};", 1),
        ("r ~ Lap(eps, x); o := r > 1/2;", 1),
        ("z ~ DLap(eps, x); o := z >= 1;", 1),
        ("o ~ Exp(1/2*eps, v in {0, 1}: -abs(v - x));", Fraction(1, 2)),
    ],
)
def test_mechanisms_are_private_at_their_factor_and_not_below(statement: str, factor: Fraction) -> None:
    program = read("domain {0, 1}; input x; output o; adjacent linf 1;" + statement)
    assert decide(program, factor=Fraction(factor)).answer is Answer.HOLDS
    below = decide(program, factor=Fraction(factor) - Fraction(1, 100))
    assert below.answer is Answer.VIOLATED
    assert below.violation is not None
    at = below.violation.epsilon
    growth = (arb(at.numerator) / at.denominator * arb(99 if factor == 1 else 49) / 100).exp()
    assert below.violation.probability.ball(at) > growth * below.violation.other.ball(at)

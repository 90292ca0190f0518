"""Output distributions of programs: random ones against oracles, and closed forms found by hand."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.dipc.decision import decide, probabilities
from bdist.dipc.expansion import expanded
from bdist.dipc.exploration import Shown
from bdist.dipc.exponentials import ClosedForm
from bdist.dipc.text import read
from bdist.errors import ModelError, UnsupportedError
from bdist.results import Answer
from tests.oracles.program_runs import Outcome, distribution, frequencies
from tests.oracles.programs import random_program

RUNS = 20_000
DIGITAL = "domain {0, 1}; input x; output b; adjacent linf 1;"


def computed(text: str, point: tuple[Fraction, ...], epsilon: Fraction) -> dict[Outcome, float]:
    forms = probabilities(read(text), point)
    found: dict[Outcome, float] = {}
    for shown, form in forms.items():
        assert form
        found[tuple(map(float, shown))] = float(form.ball(epsilon))
    assert sum(found.values()) == pytest.approx(1, abs=1e-12)
    return found


def random_point(random: Random) -> tuple[Fraction, ...]:
    return Fraction(random.randint(-1, 1)), Fraction(random.randint(-1, 1))


def agree_with_runs(text: str, point: tuple[Fraction, ...], epsilon: Fraction, seed: int = 1) -> None:
    """Six standard deviations: by chance once in 10^8 outputs."""
    found = computed(text, point, epsilon)
    seen = frequencies(expanded(read(text)), point, float(epsilon), RUNS, seed)
    assert seen.keys() <= found.keys(), text
    for shown, p in found.items():
        error = 6 * (p * (1 - p) / RUNS) ** 0.5 + 5 / RUNS
        assert abs(p - seen.get(shown, 0.0)) < error, (text, point, epsilon, shown)


def agree_with_meaning(text: str, point: tuple[Fraction, ...], epsilon: Fraction) -> None:
    found = computed(text, point, epsilon)
    wanted = distribution(expanded(read(text)), point, float(epsilon))
    for shown in found.keys() | wanted.keys():
        p, q = found.get(shown, 0.0), wanted.get(shown, 0.0)
        assert p == pytest.approx(q, abs=1e-9), (text, point, epsilon, shown)


# --- random programs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_with_real_noise(seed: int) -> None:
    random = Random(seed)  # noqa: S311
    text = random_program(random, "Lap")
    agree_with_runs(text, random_point(random), Fraction(random.randint(1, 6), 2), seed)


@pytest.mark.parametrize("seed", range(8))
def test_random_programs_with_integer_noise(seed: int) -> None:
    random = Random(seed)  # noqa: S311
    text = random_program(random, "DLap")
    try:
        agree_with_runs(text, random_point(random), Fraction(random.randint(1, 6), 2), seed)
    except UnsupportedError as refusal:
        assert "factors other than 1 and -1" in str(refusal)  # noqa: PT017


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_with_two_integers_to_nine_digits(seed: int) -> None:
    random = Random(1000 + seed)  # noqa: S311
    text = random_program(random, "DLap", most=2)
    agree_with_meaning(text, random_point(random), Fraction(random.randint(6, 9)))


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(4)]))
def test_random_programs_without_noise_to_nine_digits(random: Random, epsilon: Fraction) -> None:
    agree_with_meaning(random_program(random, ""), random_point(random), epsilon)


# --- one by one ------------------------------------------------------------------------------------------


def form_of(text: str, x: int, b: object) -> str:
    return probabilities(read(DIGITAL + text), (Fraction(x),))[(b,)].text()  # type: ignore[index]


def test_booleans_that_are_comparisons_of_noise_are_compared() -> None:
    for text in (
        "r ~ Lap(eps, x); b := (r > 0) == true;",
        "r ~ Lap(eps, x); b := (r > 0) != (x > 1);",
        "r ~ Lap(eps, x); s ~ Lap(eps, 0); b := (r > s) == ((s < 0) == (r < s)); b := r > 0;",
        "r ~ Lap(eps, x); b ~ choose {r > 0: 1};",
        "r ~ Lap(eps, x); b ~ Exp(eps, v in {r > 0, r > 0}: x);",
        "function f(u) = u >= 0; r ~ Lap(eps, x); b := f(x) == (r > 0);",
    ):
        assert form_of(text, 0, True) == "1 / 2", text
        assert form_of(text, 1, True) == "(-1 + 2 e^eps) / (2 e^eps)", text
    agree_with_runs(
        DIGITAL + "r ~ Lap(eps, x); s ~ Lap(2*eps, 0); b := ((r > s) == (r > 0)) != (s > 1/2);",
        (Fraction(1),),
        Fraction(1),
    )


def test_a_choice_may_depend_on_what_was_assumed_and_assume_more() -> None:
    text = DIGITAL + "r ~ Lap(eps, x); s ~ Lap(eps, r); b ~ choose {r > s: 1, s > 0: exp(eps), false: eps};"
    for x in (0, 1):
        agree_with_runs(text, (Fraction(x),), Fraction(1))


def test_noise_is_drawn_around_noise_and_overwritten() -> None:
    text = DIGITAL + "r ~ Lap(eps, x); r ~ Lap(1/2*eps, 2*r); s := r - x; r := s + r; b := r > s/2;"
    for x in (0, 1):
        agree_with_runs(text, (Fraction(x),), Fraction(3, 2))


def test_steps_include_their_ends() -> None:
    steps = "domain {0, 1}; input x; output disc(z, -1/2 < 0 < 1); adjacent linf 1; z ~ DLap(eps, x);"
    agree_with_meaning(steps, (Fraction(0),), Fraction(3))
    agree_with_meaning(steps, (Fraction(1),), Fraction(3))
    forms = probabilities(read(steps), (Fraction(0),))
    assert forms[(Fraction(-1, 2),)].text() == "1 / (1 + e^eps)"
    assert forms[(0,)].text() == "(-1 + e^eps) / (1 + e^eps)"


def test_options_of_weight_zero_are_never_taken() -> None:
    """Neither out of a loop nor into one that has no end."""
    endless = "b := 0; while b == 0 { b ~ choose {0: 1, 1: 0}; }"
    with pytest.raises(ModelError, match="for ever"):
        probabilities(read(DIGITAL + endless), (Fraction(0),))
    avoided = "b ~ choose {0: 1, 1: eps - eps}; while b == 1 { b := 1; }"
    assert form_of(avoided, 0, 0) == "1"


def test_a_loop_that_one_epsilon_makes_endless_is_refused() -> None:
    loop = "b := 0; while b == 0 { b ~ choose {0: 1, 1: eps - 1}; }"
    assert decide(read(f"{DIGITAL} epsilon in (1, 5]; {loop}")).answer is Answer.HOLDS
    assert decide(read(DIGITAL + loop), epsilon=Fraction(2)).answer is Answer.HOLDS
    with pytest.raises(UnsupportedError, match="ends for every epsilon"):
        decide(read(f"{DIGITAL} epsilon in [1, 5]; {loop}"))
    with pytest.raises(UnsupportedError, match="ends for every epsilon"):
        decide(read(DIGITAL + loop), epsilon=Fraction(1))
    inside = loop.replace("eps - 1", "(eps - 1)*(eps - 1)")
    with pytest.raises(UnsupportedError, match="ends for every epsilon"):
        decide(read(DIGITAL + inside))


def test_a_weight_may_touch_zero_where_no_loop_depends_on_it() -> None:
    found = decide(read(f"{DIGITAL} b ~ choose {{0: 1, 1: (eps - 1)*(eps - 1)}};"))
    assert found.answer is Answer.HOLDS
    assert found.certificate is not None
    assert '["factors",' in found.certificate.to_json()


def test_weights_must_have_a_sum_at_the_ends_of_the_interval_too() -> None:
    choice = "b ~ choose {0: eps - 1, 1: eps - 1};"
    assert decide(read(f"{DIGITAL} epsilon in (1, 2]; {choice}")).answer is Answer.HOLDS
    with pytest.raises(UnsupportedError, match="sum of the weights"):
        decide(read(f"{DIGITAL} epsilon in [1, 2]; {choice}"))
    with pytest.raises(ModelError, match="negative at eps"):
        decide(read(f"{DIGITAL} epsilon in [1/2, 2]; {choice}"))


@pytest.mark.parametrize("weight", ["10 - eps", "1000 - exp(eps)"])
def test_a_denominator_may_have_a_negative_leading_coefficient(weight: str) -> None:
    """Sums of weights are positive on the interval, whatever they are beyond it."""
    text = f"{DIGITAL} epsilon in (0, 5]; b ~ choose {{x: {weight}, 1 - x: 1}};"
    found = decide(read(text))
    assert found.answer is Answer.VIOLATED
    assert found.violation is not None
    assert found.violation.epsilon < 3
    assert decide(read(text), factor=Fraction(200), interval=read(text).interval).answer is Answer.VIOLATED
    near_five = read(text.replace("(0, 5]", "[4, 5]"))
    assert decide(near_five, factor=Fraction(2)).answer is Answer.HOLDS


# --- closed forms found by hand ---


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

"""Privacy-loss distributions against sums over all atoms, all events and binomial coefficients."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, gcd

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.errors import ParameterError, UnsupportedError
from bdist.traces import composition
from bdist.traces import loss as loss_module
from bdist.traces.composition import bounded_composition, exact_composition, rounded_composition
from bdist.traces.loss import Atom, PrivacyLoss

Pairs = list[tuple[Fraction, Fraction]]

F = Fraction
ALPHAS = [F(0), F(1, 5), F(1, 2), F(9, 10), F(1), F(11, 10), F(3, 2), F(2), F(7, 2), F(40)]


@st.composite
def pairs_with_sums_one(draw: st.DrawFn, most: int = 6, largest: int = 9) -> Pairs:
    weights = st.lists(
        st.tuples(st.integers(0, largest), st.integers(0, largest)), min_size=1, max_size=most
    ).filter(lambda found: any(p for p, _ in found) and any(q for _, q in found))
    drawn = draw(weights)
    s, t = sum(p for p, _ in drawn), sum(q for _, q in drawn)
    return [(F(p, s), F(q, t)) for p, q in drawn]


@st.composite
def any_pairs(draw: st.DrawFn) -> Pairs:
    number = st.fractions(0, 1, max_denominator=12)
    return draw(st.lists(st.tuples(number, number), max_size=6))


alphas = st.one_of(st.fractions(0, 12, max_denominator=30), st.just(F(1)))


def hockey_stick(pairs: Pairs, alpha: Fraction) -> Fraction:
    """As it is defined: the sum over all atoms."""
    return sum((max(F(0), p - alpha * q) for p, q in pairs), F(0))


def best_event(pairs: Pairs, alpha: Fraction) -> Fraction:
    """As privacy is defined: the best of all events."""
    return max(
        sum((p - alpha * q for p, q in event), F(0))
        for size in range(len(pairs) + 1)
        for event in combinations(pairs, size)
    )


def product_pairs(*lists: Pairs) -> Pairs:
    """Every combination of outcomes, nothing merged."""
    result = [(F(1), F(1))]
    for pairs in lists:
        result = [(p * a, q * b) for (p, q), (a, b) in product(result, pairs)]
    return result


def response(truth: Fraction) -> PrivacyLoss:
    return PrivacyLoss.of([(truth, 1 - truth), (1 - truth, truth)])


def binomial_delta(truth: Fraction, times: int, alpha: Fraction) -> Fraction:
    """The delta of randomised response, so many times, from binomial coefficients."""
    lie = 1 - truth
    return sum(
        (
            comb(times, k) * max(F(0), truth**k * lie ** (times - k) - alpha * lie**k * truth ** (times - k))
            for k in range(times + 1)
        ),
        F(0),
    )


# --- the list -------------------------------------------------------------------------------------------


@given(pairs_with_sums_one(), alphas)
def test_delta_is_the_sum_and_the_best_event(pairs: Pairs, alpha: Fraction) -> None:
    loss = PrivacyLoss.of(pairs)
    assert loss.delta(alpha) == hockey_stick(pairs, alpha) == best_event(pairs, alpha)


@given(pairs_with_sums_one(), alphas)
def test_the_other_order_is_the_list_turned_round_and_the_formula(pairs: Pairs, alpha: Fraction) -> None:
    loss, turned = PrivacyLoss.of(pairs), [(q, p) for p, q in pairs]
    assert loss.swapped() == PrivacyLoss.of(turned)
    assert loss.swapped().swapped() == loss
    assert loss.swapped().delta(alpha) == hockey_stick(turned, alpha)
    if alpha > 0:
        assert loss.swapped().delta(alpha) == alpha * loss.delta(1 / alpha) - alpha + 1


@given(pairs_with_sums_one())
def test_atoms_are_sorted_merged_and_sum_to_one(pairs: Pairs) -> None:
    loss = PrivacyLoss.of(pairs)
    assert loss == PrivacyLoss(loss.atoms) == PrivacyLoss.of(reversed(pairs))
    assert sum(atom.s for atom in loss.atoms) == sum(atom.t for atom in loss.atoms) == 1
    ratios = [atom.ratio for atom in loss.atoms]
    finite = [ratio for ratio in ratios if ratio is not None]
    assert all(one < other for one, other in pairwise(finite))
    assert None not in ratios[:-1]
    assert pickle.loads(pickle.dumps(loss)) == loss  # noqa: S301


def test_ratios_that_agree_in_their_first_bits_are_told_apart() -> None:
    near = F(1, 3) + F(1, 2**100)
    pairs = [
        (near / 2, F(1, 6)),
        (F(1, 6), F(1, 6)),
        (F(1, 6), near / 2),
        (F(1, 2) - near / 2, F(1, 2) - near / 2),
    ]
    rest = (1 - sum(p for p, _ in pairs), 1 - sum(q for _, q in pairs))
    loss = PrivacyLoss.of([*pairs, rest])
    assert len(loss.atoms) == 3
    assert [atom.ratio for atom in loss.atoms] == [F(1, 3) / near, F(1), 3 * near]


def test_what_is_no_distribution_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"first probabilities .* sum to 1/2"):
        PrivacyLoss.of([(F(1, 2), F(1))])
    with pytest.raises(ParameterError, match="second probabilities"):
        PrivacyLoss.of([(F(1), F(2))])
    with pytest.raises(ParameterError, match="below 0"):
        PrivacyLoss.of([(F(2), F(1)), (F(-1), F(0))])
    with pytest.raises(ParameterError, match="is the float"):
        PrivacyLoss.of([(1.0, F(1))])  # type: ignore[list-item]
    half = Atom(F(1, 2), F(1, 2))
    with pytest.raises(ParameterError, match="no larger ratio"):
        PrivacyLoss((half, half))
    with pytest.raises(ParameterError, match=r"no larger ratio|is \(0, 0\)"):
        PrivacyLoss((Atom(F(0), F(0)), Atom(F(1), F(1))))
    with pytest.raises(ParameterError, match="sum to 0"):
        PrivacyLoss(())


@given(pairs_with_sums_one(), st.fractions(0, 1, max_denominator=20))
def test_the_least_alpha_is_the_least(pairs: Pairs, delta: Fraction) -> None:
    loss = PrivacyLoss.of(pairs)
    found = loss.least_alpha(delta)
    if found is None:
        assert sum(p for p, q in pairs if q == 0) > delta
        return
    assert found >= 1
    assert loss.delta(found) <= delta
    assert found == 1 or loss.delta(found) == delta
    for below in (F(1), (1 + found) / 2, found - (found - 1) / 1000):
        assert below == found or loss.delta(below) > delta


@given(pairs_with_sums_one())
def test_pieces_are_delta(pairs: Pairs) -> None:
    loss = PrivacyLoss.of(pairs)
    pieces = loss.pieces()
    assert pieces[0].start == 1
    assert pieces[-1].end is None
    assert pieces[-1].q == 0
    for one, other in pairwise(pieces):
        assert one.end == other.start
    for piece in pieces:
        end = piece.end if piece.end is not None else 2 * piece.start + 5
        for alpha in (piece.start, (piece.start + end) / 2, end):
            assert piece.p - alpha * piece.q == hockey_stick(pairs, alpha)


@given(pairs_with_sums_one())
def test_the_trade_off_is_that_of_all_tests(pairs: Pairs) -> None:
    vertices = PrivacyLoss.of(pairs).tradeoff()
    assert vertices[0] == (F(0), F(0))
    assert vertices[-1] == (F(1), F(1))
    events = {
        (sum((q for _, q in event), F(0)), sum((p for p, _ in event), F(0)))
        for size in range(len(pairs) + 1)
        for event in combinations(pairs, size)
    }
    assert set(vertices) <= events
    for x, y in events:  # no event is above the line of any two neighbours
        assert all((d - b) * (x - a) >= (y - b) * (c - a) for (a, b), (c, d) in pairwise(vertices))


@given(pairs_with_sums_one())
def test_variation_ratio_and_mass_at_infinity(pairs: Pairs) -> None:
    loss = PrivacyLoss.of(pairs)
    assert loss.total_variation == sum(abs(p - q) for p, q in pairs) / 2
    infinite = sum((p for p, q in pairs if q == 0), F(0))
    assert loss.infinite_mass == infinite
    assert loss.max_ratio == (None if infinite else max(p / q for p, q in pairs if q))


@given(pairs_with_sums_one(), st.integers(2, 5))
def test_moments_are_the_sums(pairs: Pairs, order: int) -> None:
    found = PrivacyLoss.of(pairs).renyi_moment(order)
    if any(p and not q for p, q in pairs):
        assert found is None
    else:  # merging equal ratios changes nothing
        assert found == sum((p**order / q ** (order - 1) for p, q in pairs if p), F(0))


def test_moments_of_other_orders_are_refused() -> None:
    for order in (1, 0, -3, True, F(5, 2)):
        with pytest.raises(ParameterError, match="integer >= 2"):
            response(F(3, 4)).renyi_moment(order)  # type: ignore[arg-type]


def test_parameters_out_of_range_are_refused() -> None:
    loss = response(F(3, 4))
    with pytest.raises(ParameterError, match="alpha"):
        loss.delta(F(-1))
    with pytest.raises(ParameterError, match="delta"):
        loss.least_alpha(F(-1))
    for times in (0, -1, True, 1.5):
        with pytest.raises(ParameterError, match="at least 1"):
            loss.self_compose(times)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="at least one"):
        bounded_composition([], up=True)


@given(pairs_with_sums_one(), pairs_with_sums_one())
def test_domination_is_what_all_alphas_say(first: Pairs, second: Pairs) -> None:
    one, other = PrivacyLoss.of(first), PrivacyLoss.of(second)
    breaks = {p / q for p, q in first + second if q} | {F(10**9)}
    expected = all(hockey_stick(first, alpha) >= hockey_stick(second, alpha) for alpha in breaks)
    assert one.dominates(other) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loss_module, "_LONG_BITS", 0)
        assert one.dominates(other) == expected
    assert one.dominates(one)
    assert one.swapped().dominates(other.swapped()) == expected
    assert PrivacyLoss.of([(1, 0), (0, 1)]).dominates(one)
    assert one.dominates(PrivacyLoss.of([(1, 1)]))


# --- from bounds ----------------------------------------------------------------------------------------


@given(any_pairs(), alphas)
def test_the_best_distribution_below_is_the_largest_of_three(pairs: Pairs, alpha: Fraction) -> None:
    if sum(p for p, _ in pairs) > 1:
        with pytest.raises(ParameterError, match="at most 1"):
            PrivacyLoss.below(pairs)
        return
    expected = max(F(0), 1 - alpha, hockey_stick(pairs, alpha))
    assert PrivacyLoss.below(pairs).delta(alpha) == expected


@given(any_pairs(), alphas)
def test_the_best_distribution_above_is_the_convex_minorant(pairs: Pairs, alpha: Fraction) -> None:
    def bounded(at: Fraction) -> Fraction:
        return min(F(1), hockey_stick(pairs, at))

    corners = sorted({F(0), alpha, *(p / q for p, q in pairs if q)})
    far = max(corners) + 1  # all is constant from the last corner on
    points = [(x, bounded(x)) for x in [*corners, far, 10**6 * far]]

    def minorant(at: Fraction) -> Fraction:
        """The lowest chord over a point; the part where h > 1 ends at no corner, and no chord needs it."""
        chords = [
            y + (v - y) * (at - x) / (u - x) for x, y in points for u, v in points if x <= at <= u and x < u
        ]
        return min([*chords, bounded(at)])

    possible = sum(p for p, _ in pairs) >= 1 and all(minorant(x) >= 1 - x for x, _ in points)
    if not possible:
        with pytest.raises(ParameterError, match="at least 1 - alpha"):
            PrivacyLoss.above(pairs)
        return
    assert PrivacyLoss.above(pairs).delta(alpha) == minorant(alpha)


@given(pairs_with_sums_one())
def test_both_keep_a_distribution_as_it_is(pairs: Pairs) -> None:
    assert PrivacyLoss.below(pairs) == PrivacyLoss.above(pairs) == PrivacyLoss.of(pairs)


def test_bounds_that_know_nothing() -> None:
    assert PrivacyLoss.below([]) == PrivacyLoss.of([(1, 1)])
    assert PrivacyLoss.above([(1, 0)]) == PrivacyLoss.of([(1, 0), (0, 1)])
    assert PrivacyLoss.above([(3, F(1, 2))]) == PrivacyLoss.of([(1, F(1, 6)), (0, F(5, 6))])


# --- composition ----------------------------------------------------------------------------------------


@given(pairs_with_sums_one(), pairs_with_sums_one())
def test_a_product_is_all_combinations(first: Pairs, second: Pairs) -> None:
    found = PrivacyLoss.of(first).compose(PrivacyLoss.of(second))
    assert found == PrivacyLoss.of(product_pairs(first, second))


@given(pairs_with_sums_one(most=4), st.integers(1, 5))
def test_a_power_is_all_combinations(pairs: Pairs, times: int) -> None:
    expected = PrivacyLoss.of(product_pairs(*[pairs] * times))
    assert PrivacyLoss.of(pairs).self_compose(times) == expected


@given(pairs_with_sums_one(most=4), st.integers(2, 5))
def test_a_power_by_pairs_is_that_of_polynomials(pairs: Pairs, times: int) -> None:
    loss = PrivacyLoss.of(pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composition, "_MOST_POLYNOMIAL_ATOMS", 0)
        by_pairs = loss.self_compose(times)
    assert by_pairs == loss.self_compose(times)


@given(pairs_with_sums_one(), pairs_with_sums_one())
def test_ratios_with_one_residue_are_compared_before_they_are_merged(first: Pairs, second: Pairs) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composition, "_RESIDUE", 3)
        found = PrivacyLoss.of(first).compose(PrivacyLoss.of(second))
    assert found == PrivacyLoss.of(product_pairs(first, second))


@given(st.lists(st.integers(1, 400), min_size=1, max_size=6))
def test_a_coprime_base_is_one(numbers: list[int]) -> None:
    base = composition._coprime_base(numbers)
    assert base is not None
    assert composition._coprime_base(numbers, 1) in (base, None)
    assert all(gcd(one, other) == 1 for one, other in combinations(base, 2))
    for number in numbers:
        rest = number
        for member in base:
            rest //= member ** composition._divided(rest, member)[1]
        assert rest == 1


@pytest.mark.parametrize("times", [1, 2, 17, 1000])
def test_randomised_response_many_times_is_binomial(times: int) -> None:
    found = response(F(51, 100)).self_compose(times)
    assert len(found.atoms) == times + 1
    for alpha in (F(1), F(2), F(26, 25)):
        assert found.delta(alpha) == binomial_delta(F(51, 100), times, alpha)


def test_powers_of_powers_are_exact_too() -> None:
    loss = response(F(3, 4))
    assert loss.self_compose(100).self_compose(3) == loss.self_compose(300)
    many = [(F(k, 4950), F(100 - k, 5050)) for k in range(1, 100)]  # many ratios of many primes
    rest = (1 - sum(p for p, _ in many), 1 - sum(q for _, q in many))
    assert composition.exact_power(PrivacyLoss.of([*many, rest]).masses(), 2) is not None


@settings(max_examples=40)
@given(
    st.lists(st.tuples(pairs_with_sums_one(most=4), st.integers(1, 3)), min_size=1, max_size=3),
    st.sampled_from([6, 40, 500]),
)
def test_the_grid_bounds_from_both_sides(factors: list[tuple[Pairs, int]], points: int) -> None:
    given_factors = [(PrivacyLoss.of(pairs), times) for pairs, times in factors]
    exact = exact_composition(given_factors)
    assert exact is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composition, "POINTS", points)
        patch.setattr(composition, "_MOST_POINTS", 4 * points)
        up, down = (rounded_composition(given_factors, up=side) for side in (True, False))
    assert up.dominates(exact)
    assert exact.dominates(down)
    assert up.swapped().dominates(exact.swapped())


@settings(max_examples=25)
@given(pairs_with_sums_one(most=4), st.integers(3, 7))
def test_a_coarse_grid_with_cut_tails_bounds_too(pairs: Pairs, times: int) -> None:
    loss = PrivacyLoss.of(pairs)
    exact = loss.self_compose(times)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composition, "POINTS", 10)
        patch.setattr(composition, "_MOST_POINTS", 20)
        patch.setattr(composition, "_TAIL_BITS", 6)
        patch.setattr(composition, "_MOST_POLYNOMIAL_ATOMS", 0)  # ratios are off the grid
        up, down = (rounded_composition([(loss, times)], up=side) for side in (True, False))
    assert up.dominates(exact)
    assert exact.dominates(down)


@settings(max_examples=60)
@given(pairs_with_sums_one(most=3), st.integers(1, 7), st.booleans(), st.sampled_from([7, 12]))
def test_masses_of_few_bits_are_rounded_to_the_sound_side(
    pairs: Pairs, times: int, lattice: bool, bits: int
) -> None:
    loss = PrivacyLoss.of(pairs)
    exact = loss.self_compose(times)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composition, "BITS", bits)
        patch.setattr(composition, "_ONE", 1 << bits)
        patch.setattr(composition, "_MOST_POINTS", 30)
        if not lattice:
            patch.setattr(composition, "_MOST_POLYNOMIAL_ATOMS", 0)
        up, down = (composition.grid_product([(loss.masses(), times)], up=side) for side in (True, False))
    assert sum(up.s) >= up.denominator >= sum(up.t)
    breaks = {F(0), F(10**6)}
    for found in (up, down):
        breaks |= {F(p, q) for p, q in zip(found.s, found.t, strict=True) if q}
    breaks |= {atom.ratio for atom in exact.atoms if atom.ratio is not None}
    for alpha in breaks:
        high, low = (
            hockey_stick(
                [(F(p, 1 << bits), F(q, 1 << bits)) for p, q in zip(side.s, side.t, strict=True)], alpha
            )
            for side in (up, down)
        )
        assert low <= exact.delta(alpha) <= high


@given(st.integers(1, 50), st.integers(1, 50), st.integers(-6, 2))
def test_shares_of_a_split_are_rounded_to_the_sound_side(p: int, q: int, step: int) -> None:
    one = 1 << composition.BITS
    plan = composition._Plan(1, 0.0, False, False, arb(1), True)
    with ctx.workprec(300):
        loss = arb(fmpq(p, q)).log()
        factor = composition._Factor(p + q, [(p, q)], 0, None, [loss])
        found = list(plan._shares(factor, 0, step))
        ratio, size = arb(fmpq(p, q)), arb(2) ** step
        if len(found) == 1:
            assert (ratio.log() - found[0][0] * size).contains(0)
            return
        (low, low_s, low_t), (high, high_s, high_t) = found
        below, above = (low * size).exp(), (high * size).exp()
        assert below <= ratio <= above
        up_t = (ratio - below) / (above - below)  # of q = 1, p = ratio
        up_s = up_t * above / ratio
        assert not up_s * one > high_s
        assert not (1 - up_s) * one > low_s
        assert not up_t * one < high_t
        assert not (1 - up_t) * one < low_t
        assert low_s + high_s <= one + 1  # and by no more than that


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=9), st.integers(-9, 9)
)
def test_a_coarser_grid_has_masses_on_the_sound_side(masses: list[tuple[int, int]], first: int) -> None:
    plan = composition._Plan(1, 0.0, False, False, arb(1), True)
    fine = composition._Line(-3, first, [p for p, _ in masses], [q for _, q in masses], 5)
    with ctx.workprec(300):
        coarse = plan._twice_as_coarse(fine)
        share = 1 / (1 + (arb(1) / 8).exp())
        s, t = [arb(0)] * len(coarse.s), [arb(0)] * len(coarse.s)
        for index, (p, q) in enumerate(masses, first):
            place = index // 2 - coarse.first
            up_s, up_t = (1 - share, share) if index % 2 else (arb(0), arb(0))
            s[place] += p * (1 - up_s)
            t[place] += q * (1 - up_t)
            if index % 2:
                s[place + 1] += p * up_s
                t[place + 1] += q * up_t
        assert coarse.top == 5
        assert not any(ideal > found for ideal, found in zip(s, coarse.s, strict=True))
        assert not any(ideal < found for ideal, found in zip(t, coarse.t, strict=True))


@pytest.mark.parametrize("alpha", [F(1), F(2), F(5)])
def test_the_grid_is_nearly_exact_for_two_outcomes(alpha: Fraction) -> None:
    loss = PrivacyLoss.of([(F(51, 100), F(48, 100)), (F(49, 100), F(52, 100))])
    exact = loss.self_compose(300)
    up, down = (rounded_composition([(loss, 300)], up=side) for side in (True, False))
    assert F(0) <= up.delta(alpha) - exact.delta(alpha) <= F(1, 10**15)
    assert F(0) <= exact.delta(alpha) - down.delta(alpha) <= F(1, 10**15)


def test_the_grid_is_narrow_where_ratios_do_not_repeat() -> None:
    loss = PrivacyLoss.of([("3/10", "1/4"), ("1/4", "3/10"), ("1/5", "9/40"), ("1/4", "9/40")])
    with pytest.raises(UnsupportedError, match="compose_up"):
        loss.self_compose(1000)
    up, down = loss.self_compose_up(1000), loss.self_compose_down(1000)
    assert up.dominates(down)
    for alpha in (F(1), F(2), F(50)):
        assert 0 <= up.delta(alpha) - down.delta(alpha) <= F(1, 10**6)


def test_short_compositions_to_one_side_are_exact() -> None:
    one, other = response(F(3, 4)), response(F(2, 3))
    assert one.compose_up(other) == one.compose_down(other) == one.compose(other)
    assert one.self_compose_up(5) == one.self_compose_down(5) == one.self_compose(5)
    assert bounded_composition([(one, 2), (other, 3)], up=True) == bounded_composition(
        [(one, 2), (other, 3)], up=False
    )


def test_equal_ratios_are_kept_equal_and_extreme_ones_are_placed() -> None:
    tiny = F(1, 2**3000)
    loss = PrivacyLoss.of([(tiny, F(1, 2)), (1 - tiny, F(1, 2))])
    exact = loss.self_compose(3)
    up, down = (rounded_composition([(loss, 3)], up=side) for side in (True, False))
    assert up.dominates(exact)
    assert exact.dominates(down)
    certain = PrivacyLoss.of([(1, 0), (0, 1)])
    assert (
        rounded_composition([(certain, 7)], up=True)
        == rounded_composition([(certain, 7)], up=False)
        == certain
    )
    same = PrivacyLoss.of([(1, 1)])
    assert same.self_compose(10**9) == same


# --- long lists -----------------------------------------------------------------------------------------


def test_lists_of_many_atoms_and_long_numbers() -> None:
    number = 20_000
    weights = [(i * i + 1, (number - i) * 3 + 1) for i in range(number)]
    s, t = sum(p for p, _ in weights), sum(q for _, q in weights)
    loss = PrivacyLoss.of([(F(p, s), F(q, t)) for p, q in weights])
    alpha = F(3, 2)
    expected = F(sum(max(0, 2 * p * t - 3 * q * s) for p, q in weights), 2 * s * t)
    assert loss.delta(alpha) == expected
    long = F(1, 3) + F(1, 2**7000)
    assert PrivacyLoss.of([(long, F(1, 2)), (1 - long, F(1, 2))]).delta(1) == F(1, 2) - long


def test_a_distribution_prints_as_one_line_and_in_a_notebook() -> None:
    loss = response(F(51, 100)).self_compose(1000)
    assert len(repr(loss)) < 120
    assert "\n" not in repr(loss)
    assert repr(response(F(3, 4))) == "PrivacyLoss(2 atoms, total variation 1/2)"
    shown = loss._repr_html_()
    assert shown.count("<tr>") == 11  # a head, and the first ten
    assert len(shown) < 4000

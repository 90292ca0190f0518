"""The oracle on trial: values derived by hand, and three ways to compute one number.

An oracle that is wrong is worse than none, for it makes right code look wrong and gets it "repaired". The
chains below are small enough for pencil and paper, and each is here for one reason, which its builder states.
The properties then set the primal against the dual, exactly, and exact iteration against scipy's solver.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bdist.chains.chain import LabelledMarkovChain
from tests.oracles.naive import (
    Distance,
    Measure,
    NotSettledError,
    Table,
    directed_lift,
    directed_lift_dual,
    distribution,
    gamma,
    kleene_exact,
    kleene_exact_rounds,
    kleene_float,
    lift,
    zero_table,
)
from tests.oracles.strategies import alphas, chains, distributions, symmetric_tables

Rows = dict[str, tuple[str, dict[str, Fraction | int]]]
Solver = Callable[[Measure, Measure, Distance, Fraction | int], Fraction]
F = Fraction
ABSORBING_XY: Rows = {"x": ("x", {"x": 1}), "y": ("y", {"y": 1})}


def figure_1() -> LabelledMarkovChain:
    """Figure 1 of the paper: two biased coins."""
    rows: Rows = {
        "s0": ("start", {"s2": F(2, 5), "s3": F(3, 5)}),
        "s1": ("start", {"s2": F(3, 5), "s3": F(2, 5)}),
        "s2": ("heads", {"s2": 1}),
        "s3": ("tails", {"s3": 1}),
    }
    return LabelledMarkovChain.from_rows(rows)


def erratum() -> LabelledMarkovChain:
    """A chain where the dual without its multipliers b is too large."""
    reach = {"q2": F(9, 10), "q3": F(7, 10), "q4": F(2, 5), "q5": F(3, 5), "q6": F(0)}
    rows: Rows = {
        "q0": ("start", {"q3": F(1, 10), "q4": F(7, 10), "q5": F(1, 10), "q6": F(1, 10)}),
        "q1": ("start", {"q2": F(7, 10), "q3": F(1, 5), "q5": F(1, 10)}),
    }
    rows |= {state: ("mid", {"q7": p, "q8": 1 - p}) for state, p in reach.items()}
    rows |= {"q7": ("good", {"q7": 1}), "q8": ("bad", {"q8": 1})}
    return LabelledMarkovChain.from_rows(rows)


def not_monotone() -> LabelledMarkovChain:
    """A chain where bd(s,t) falls to 0 as alpha grows, rises again, and falls again."""
    rows: Rows = {
        "s": ("start", {"i": F(1, 3), "j": F(2, 3)}),
        "t": ("start", {"j": 1}),
        "i": ("mid", {"x": F(1, 2), "y": F(1, 2)}),
        "k": ("mid", {"x": F(1, 4), "y": F(3, 4)}),
        "j": ("mid", {"x": F(1, 8), "y": F(7, 8)}),
    }
    return LabelledMarkovChain.from_rows(rows | ABSORBING_XY)


def outside(*states: str) -> LabelledMarkovChain:
    """A chain whose states s and t never go to k or l, and whose distance depends on them nevertheless."""
    twentieths = {"i": (7, 5, 8), "j": (1, 1, 18), "k": (6, 7, 7), "l": (2, 4, 14)}
    rows: Rows = {"s": ("start", {"i": F(1, 2), "j": F(1, 2)}), "t": ("start", {"i": 1})}
    for m in ("i", "j", *states):
        rows[m] = ("mid", {end: F(p, 20) for end, p in zip("xyz", twentieths[m], strict=True)})
    rows |= {end: (end, {end: 1}) for end in "xyz"}
    return LabelledMarkovChain.from_rows(rows)


def dual_lift(chain: LabelledMarkovChain, s: str, t: str, d: Table, alpha: Fraction) -> Fraction:
    mu, nu = distribution(chain, s), distribution(chain, t)
    return max(directed_lift_dual(mu, nu, d, alpha), directed_lift_dual(nu, mu, d, alpha))


# --- By hand ------------------------------------------------------------------------------------------------


def test_lift_through_an_outside_path() -> None:
    # f_a = 1 forces f_c >= 10/11, which forces f_b >= 100/121: 1 - 11/20 (10/11 + 100/121) = 1 - 1/2 - 5/11.
    mu = {"a": F(1), "b": F(0), "c": F(0)}
    nu = {"a": F(0), "b": F(1, 2), "c": F(1, 2)}
    d = {(i, j): F({i, j} == {"a", "b"}) for i in "abc" for j in "abc"}
    alpha = F(11, 10)
    assert directed_lift(mu, nu, d, alpha) == F(1, 22)
    assert directed_lift_dual(mu, nu, d, alpha) == F(1, 22)


def test_lift_reads_lists_dicts_and_functions_alike() -> None:
    mu, nu, d = (
        [F(1, 3), F(2, 3)],
        [F(1, 2), F(1, 2)],
        {(0, 0): F(0), (0, 1): F(1), (1, 0): F(1), (1, 1): F(0)},
    )
    # With d the discrete metric and alpha = 1 this is the total variation distance.
    assert lift(mu, nu, d, 1) == F(1, 6)
    assert lift(dict(enumerate(mu)), dict(enumerate(nu)), lambda i, j: F(i != j), 1) == F(1, 6)


@pytest.mark.parametrize("solve", [directed_lift, directed_lift_dual])
def test_lift_refuses_what_it_does_not_mean(solve: Solver) -> None:
    one, zero = {"a": F(1)}, {("a", "a"): F(0)}
    with pytest.raises(ValueError, match="name all states"):
        solve(one, {"b": F(1)}, zero, 1)
    with pytest.raises(ValueError, match="below 1"):
        solve(one, one, zero, F(1, 2))
    with pytest.raises(ValueError, match="negative"):
        solve(one, one, {("a", "a"): F(-1)}, 1)


@pytest.mark.parametrize(("alpha", "value"), [(F(1), F(1, 5)), (F(3, 2), F(0))])
def test_figure_1(alpha: Fraction, value: Fraction) -> None:
    table = kleene_exact(figure_1(), alpha)
    assert table["s0", "s1"] == table["s1", "s0"] == value
    assert table["s2", "s3"] == 1
    assert all(table[s, s] == 0 for s in figure_1().states)


def test_erratum_chain() -> None:
    table = kleene_exact(erratum(), F(2))
    assert table["q0", "q1"] == F(13, 50)
    assert dual_lift(erratum(), "q0", "q1", table, F(2)) == F(13, 50)


@pytest.mark.parametrize(
    ("alpha", "value"),
    [
        (F(3, 2), F(7, 96)),
        (F(19, 10), F(13, 800)),
        (F(2), F(0)),
        (F(21, 10), F(19, 5040)),
        (F(5, 2), F(1, 80)),
        (F(3), F(1, 72)),
        (F(4), F(0)),
    ],
)
def test_distance_is_not_monotone_in_alpha(alpha: Fraction, value: Fraction) -> None:
    assert kleene_exact(not_monotone(), alpha)["s", "t"] == value


def test_states_outside_the_supports_count() -> None:
    assert kleene_exact(outside("k", "l"), F(2))["s", "t"] == F(23, 120)
    # Without k and l: d(i,j) = (7-2 + 5-2)/20 = 2/5, and f_i = 0, f_j = 2/5 gives 1/2 2/5.
    assert kleene_exact(outside(), F(2))["s", "t"] == F(1, 5)


def test_cyclic_chain_converges_from_below() -> None:
    # s and t loop with 1/2 and else end in x, y: bd = 1/2 bd + 1/2 at alpha = 1, so round k has 1 - 2^(1-k).
    half = F(1, 2)
    rows: Rows = {"s": ("loop", {"s": half, "x": half}), "t": ("loop", {"t": half, "y": half})}
    chain = LabelledMarkovChain.from_rows(rows | ABSORBING_XY)
    rounds = kleene_exact_rounds(chain, 1, 5)
    assert [table["s", "t"] for table in rounds] == [0, 0, half, F(3, 4), F(7, 8), F(15, 16)]
    with pytest.raises(NotSettledError):
        kleene_exact(chain, 1, limit=5)
    assert kleene_float(chain, 1, 1e-3)["s", "t"] == pytest.approx(1, abs=1e-2)
    with pytest.raises(NotSettledError):
        kleene_float(chain, 1, 1e-3, limit=5)


# --- At random ----------------------------------------------------------------------------------------------


@given(st.data(), st.integers(1, 4), alphas())
@settings(max_examples=40, deadline=None)
def test_primal_equals_dual(data: st.DataObject, n: int, alpha: Fraction) -> None:
    mu, nu, d = data.draw(distributions(n)), data.draw(distributions(n)), data.draw(symmetric_tables(n))
    assert directed_lift(mu, nu, d, alpha) == directed_lift_dual(mu, nu, d, alpha)


@given(chains(max_states=5, acyclic=True), alphas())
@settings(max_examples=12, deadline=None)
def test_float_agrees_with_exact(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    exact, approximate = kleene_exact(chain, alpha), kleene_float(chain, alpha, 1e-9)
    assert approximate == pytest.approx({pair: float(value) for pair, value in exact.items()}, abs=1e-7)


@given(chains(max_states=5, acyclic=True, shared_labels=True), alphas())
@settings(max_examples=8, deadline=None)
def test_fixed_point_by_the_dual(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    try:
        table = kleene_exact(chain, alpha)
    except NotSettledError:
        assume(False)
    for s in chain.states:
        for t in chain.states:
            if chain.label(s) == chain.label(t):
                assert table[s, t] == dual_lift(chain, s, t, table, alpha)


@given(chains(max_states=4), alphas())
@settings(max_examples=12, deadline=None)
def test_iterates_rise_and_stay_in_the_unit_interval(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    rounds = kleene_exact_rounds(chain, alpha, 3)
    assert rounds[0] == zero_table(chain)
    assert rounds[2] == gamma(chain, alpha, rounds[1])
    for before, after in pairwise(rounds):
        assert all(0 <= before[pair] <= after[pair] <= 1 for pair in before)
    assert all(rounds[-1][s, s] == 0 for s in chain.states)

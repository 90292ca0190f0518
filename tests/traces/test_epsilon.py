"""The least epsilon for a delta: exact where the ends meet, proved from both sides elsewhere."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import bdist
from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import load
from bdist.errors import ParameterError
from bdist.exact.epsilon import exponential_down, exponential_up, log_down, log_up
from bdist.traces.attack import event_probability
from bdist.traces.epsilon import EpsilonBracket, EpsilonSettings, compute_epsilon, prefix_text
from bdist.traces.impossible import impossible_traces

INSTANCES = Path(__file__).parents[2] / "instances"

LOOPS = LabelledMarkovChain.from_rows(
    {
        "s": ("start", {"s": "1/2", "e": "1/2"}),
        "t": ("start", {"t": "1/3", "e": "2/3"}),
        "e": ("end", {"e": 1}),
    }
)
"""The likelihood ratio of n rounds grows like (3/2)^n: no epsilon will do for delta 0, and every prefix that
is possible for one is possible for the other."""

TWINS = LabelledMarkovChain.from_rows(
    {
        "s": ("start", {"x": "1/2", "y": "1/2"}),
        "t": ("start", {"x": "1/2", "z": "1/2"}),
        "x": ("x", {"x": 1}),
        "y": ("y", {"s": 1}),
        "z": ("y", {"t": 1}),
    }
)
"""s and t are bisimilar, as y and z are."""

APART = LabelledMarkovChain.from_rows(
    {
        "s": ("start", {"a": "1/2", "b": "1/2"}),
        "t": ("start", {"a": "1/2", "c": "1/2"}),
        "a": ("a", {"a": 1}),
        "b": ("b", {"b": 1}),
        "c": ("c", {"c": 1}),
    }
)


def verify(chain: LabelledMarkovChain, found: EpsilonBracket) -> None:
    """Both ends, from what the answer carries."""
    delta = found.delta
    if found.upper_alpha is not None:
        assert found.certificate is not None
        bdist.check(chain, found.certificate)
        assert found.certificate.alpha == found.upper_alpha
        assert found.certificate.claims[0].upper <= delta
    if found.attack is not None:
        p, q = (event_probability(chain, state, found.attack.prefixes) for state in found.attack.pair)
        assert (p, q) == (found.attack.first, found.attack.second)
        assert p > delta
        assert (found.lower_alpha is None) == (q == 0)
        if found.lower_alpha is not None:
            assert p - found.lower_alpha * q == delta
    assert found.exact == (found.lower_alpha == found.upper_alpha)


@pytest.mark.parametrize(
    ("file", "pair", "delta", "alpha"),
    [
        ("randomised-response/one-question.lmc", ("yes", "no"), "0", "3"),
        ("randomised-response/one-question.lmc", ("yes", "no"), "1/4", "2"),
        ("randomised-response/one-question.lmc", ("yes", "no"), "1/2", "1"),
        ("geometric/four-counts.lmc", ("count0", "count1"), "0", "2"),
        ("geometric/four-counts.lmc", ("count1", "count0"), "0", "2"),
        ("dining-cryptographers/two.lmc", ("s0", "s1"), "7501/25000000", "5001/5000"),
        ("dining-cryptographers/three.lmc", ("s0", "s1"), "0.0001", None),
        ("not-monotone/chain.lmc", ("s", "t"), "0", "2"),
        ("random/eight-states.lmc", ("s0", "s3"), "1/4", "5/4"),
    ],
)
def test_exact_answers(file: str, pair: tuple[str, str], delta: str, alpha: str | None) -> None:
    chain = load(INSTANCES / file)
    found = compute_epsilon(chain, pair, delta)
    assert found.exact
    assert found.limit is None
    assert found.reason is None
    verify(chain, found)
    if alpha is not None:
        assert found.upper_alpha == Fraction(alpha)


def test_both_orders_count() -> None:
    """s over u needs alpha 3/2 for x, u over s needs 2 for y."""
    chain = LabelledMarkovChain.from_rows(
        {
            "s": ("start", {"x": "3/4", "y": "1/4"}),
            "t": ("start", {"x": "1/4", "y": "3/4"}),
            "u": ("start", {"x": "1/2", "y": "1/2"}),
            "x": ("x", {"x": 1}),
            "y": ("y", {"y": 1}),
        }
    )
    for pair, alpha in ((("s", "u"), 2), (("u", "s"), 2), (("s", "t"), 3)):
        found = compute_epsilon(chain, pair, 0)
        verify(chain, found)
        assert found.exact
        assert found.upper_alpha == alpha


@pytest.mark.parametrize("pair", [("s", "t"), ("y", "z"), ("s", "s")])
def test_bisimilar_states_need_no_epsilon(pair: tuple[str, str]) -> None:
    found = compute_epsilon(TWINS, pair, 0)
    verify(TWINS, found)
    assert found.exact
    assert found.lower_alpha == 1
    assert found.attack is None
    assert found.upper_epsilon == 0


def test_disjoint_supports_have_no_finite_epsilon() -> None:
    found = compute_epsilon(APART, ("s", "t"), "1/4")
    verify(APART, found)
    assert found.is_impossible
    assert found.exact
    assert found.upper_epsilon is None
    assert found.lower_epsilon is None
    assert found.certificate is None
    assert found.attack is not None
    assert found.attack.prefixes == (("start", "b"),)
    assert found.reason is not None
    assert "start b have probability 1/2 = 0.5 from s and 0 from t" in found.reason
    # delta = 1/2 pays for exactly that.
    assert compute_epsilon(APART, ("s", "t"), "1/2").upper_alpha == 1


def test_the_impossible_order_may_be_the_other_one() -> None:
    chain = LabelledMarkovChain.from_rows(
        {
            "s": ("start", {"x": 1}),
            "t": ("start", {"x": "3/4", "y": "1/4"}),
            "x": ("x", {"x": 1}),
            "y": ("y", {"y": 1}),
        }
    )
    found = compute_epsilon(chain, ("s", "t"), 0)
    assert found.is_impossible
    assert found.attack is not None
    assert found.attack.pair == ("t", "s")
    assert impossible_traces(chain, ("s", "t"), Fraction(0)) is None
    assert compute_epsilon(chain, ("x", "y"), 0).is_impossible
    assert compute_epsilon(chain, ("x", "y"), 1).upper_alpha == 1


def test_many_prefixes_add_up_to_impossibility() -> None:
    """From s the chain leaves for z after any number of rounds; t never does."""
    chain = LabelledMarkovChain.from_rows(
        {
            "s": ("a", {"s": "3/4", "z": "1/4"}),
            "t": ("a", {"t": 1}),
            "z": ("z", {"z": 1}),
        }
    )
    attack = impossible_traces(chain, ("s", "t"), Fraction(9, 10))
    assert attack is not None
    assert attack.second == 0
    assert attack.first == 1 - Fraction(3, 4) ** len(attack.prefixes) > Fraction(9, 10)
    assert impossible_traces(chain, ("s", "t"), Fraction(9, 10), most=5) is None
    assert impossible_traces(chain, ("t", "s"), Fraction(0)) is None


def test_an_answer_that_is_no_breakpoint_is_bracketed() -> None:
    """Accepting after n rounds has p = 2^-n and q = 3^-n; for delta 1/100 the best n is 5."""
    found = compute_epsilon(LOOPS, ("s", "t"), "1/100", EpsilonSettings(max_leaves=500))
    verify(LOOPS, found)
    assert found.lower_alpha == Fraction(4131, 800) == (Fraction(1, 32) - Fraction(1, 100)) * 243
    assert found.upper_alpha is not None
    assert found.lower_alpha <= found.upper_alpha <= found.lower_alpha * (1 + Fraction(1, 10**6))
    assert found.limit is None
    width = Fraction(1, 10**12)
    finer = compute_epsilon(LOOPS, ("s", "t"), "1/100", EpsilonSettings(width, max_leaves=500))
    assert finer.upper_alpha is not None
    assert finer.upper_alpha <= found.lower_alpha * (1 + width)


def test_unbounded_ratios_end_in_an_honest_unknown() -> None:
    found = compute_epsilon(LOOPS, ("s", "t"), 0)
    verify(LOOPS, found)
    assert found.upper_alpha is None
    assert not found.exact
    assert not found.is_impossible
    assert found.lower_alpha is not None
    assert found.lower_alpha >= 2**64
    assert found.reason == "no alpha that was tried, up to 2^64, could be certified"
    assert found.limit == "limit of alpha 2^64 reached"


def test_a_stopped_search_says_so() -> None:
    budget = Budget()
    budget.stop.set()
    found = compute_epsilon(LOOPS, ("s", "t"), "1/100", EpsilonSettings(budget=budget))
    verify(LOOPS, found)
    assert found.limit == "interrupted"
    assert found.upper_alpha is None


def test_a_tv_above_delta_refutes_where_an_attack_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two coins thrown for ever: attacks of very many words, and no epsilon for any delta below 1."""
    chain = LabelledMarkovChain.from_rows(
        {
            "s": ("tails", {"s": "1/2", "h": "1/2"}),
            "h": ("heads", {"s": "1/2", "h": "1/2"}),
            "t": ("tails", {"t": "1/3", "k": "2/3"}),
            "k": ("heads", {"t": "1/3", "k": "2/3"}),
        }
    )
    monkeypatch.setattr("bdist.traces.attack.MOST_PREFIXES", 2)
    found = compute_epsilon(chain, ("s", "t"), "1/5", EpsilonSettings(max_leaves=24))
    verify(chain, found)
    assert found.upper_alpha is None
    assert found.attack is None
    assert found.refutation is not None
    bdist.check(chain, found.refutation)
    value, alpha = found.refutation.claims[0].lower, found.refutation.alpha
    assert found.lower_alpha is not None
    assert value - (found.lower_alpha - alpha) * (1 - value) / alpha == found.delta


@pytest.mark.parametrize("delta", ["-1/2", "2", "x"])
def test_bad_deltas_are_refused(delta: str) -> None:
    with pytest.raises(ParameterError, match="delta"):
        bdist.least_epsilon(APART, "s", "t", delta=delta)


def test_bad_tolerances_are_refused() -> None:
    with pytest.raises(ParameterError, match="tolerance"):
        bdist.least_epsilon(APART, "s", "t", delta=0, tolerance=-1)


def test_long_prefixes_are_shortened() -> None:
    assert prefix_text(("a", "b")) == "a b"
    shown = prefix_text(tuple(str(k) for k in range(100)))
    assert shown == "0 1 2 3 4 5 6 7 ... 92 93 94 95 96 97 98 99 (100 labels)"


@pytest.mark.parametrize("alpha", ["1", "2", "3/2", "5001/5000", "1e12", "1.000000000000000000000000000001"])
def test_logarithms_are_rounded_as_their_names_say(alpha: str) -> None:
    value = Fraction(alpha)
    low, high = log_down(value), log_up(value)
    assert 0 <= low <= high <= low * (1 + Fraction(1, 2**57))
    assert exponential_down(low) <= value <= exponential_up(high)
    assert value <= 1 or low > 0
    # 1 - 1/alpha < ln(alpha) < alpha - 1 without any exponential.
    assert 1 - 1 / value <= high
    assert low <= value - 1


def test_logarithms_below_one_are_refused() -> None:
    for rounded in (log_down, log_up):
        with pytest.raises(ParameterError, match="below 1"):
            rounded(Fraction(1, 2))

"""Attacks: what they accept, how probable that is, and that it can be seen to happen."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings

from bdist import LabelledMarkovChain, ParameterError, true_delta
from bdist.chains.families import make_family
from bdist.traces.attack import event_probability
from bdist.traces.simulation import Frequency, simulate
from tests.oracles import traces
from tests.oracles.strategies import alphas, chains


@given(chains(max_states=5), alphas())
@settings(max_examples=60, deadline=None)
def test_an_attack_attains_the_lower_bound_and_is_minimal(
    chain: LabelledMarkovChain, alpha: Fraction
) -> None:
    assume(len(chain) > 1)
    found = true_delta(chain, "s0", "s1", alpha=alpha, max_leaves=60)
    attack = found.attack
    if attack is None:
        assert found.distance.bracket.lower.value == 0
        return
    assert attack.complete
    assert found.event == (attack.first, attack.second)
    assert attack.advantage(alpha) == found.distance.bracket.lower.value
    for prefix in attack.prefixes:
        assert not any(other != prefix and prefix[: len(other)] == other for other in attack.prefixes)
    longest = max(len(prefix) for prefix in attack.prefixes)
    if longest <= 6:
        for state, probability in zip(attack.pair, (attack.first, attack.second), strict=True):
            by_listing = sum(
                p
                for word, p in traces.words(chain, state, longest).items()
                if any(word[: len(prefix)] == prefix for prefix in attack.prefixes)
            )
            assert by_listing == probability


def test_prefixes_must_not_overlap() -> None:
    chain = make_family("figure-one")
    label = chain.label("s0")
    with pytest.raises(ParameterError, match="list only one"):
        event_probability(chain, "s0", [(label,), (label, "x")])
    with pytest.raises(ParameterError, match="list only one"):
        event_probability(chain, "s0", [(label, "x"), (label,)])
    with pytest.raises(ParameterError, match="empty"):
        event_probability(chain, "s0", [()])
    assert event_probability(chain, "s0", []) == 0
    assert event_probability(chain, "s0", [("nothing",)]) == 0


def test_a_simulation_sees_the_probability() -> None:
    chain = make_family("dining-cryptographers", {"diners": 3, "bias": "1/4"})
    attack = true_delta(chain, "s0", "s1", alpha=1).attack
    assert attack is not None
    for state, probability in zip(attack.pair, (attack.first, attack.second), strict=True):
        frequency = simulate(chain, state, attack.prefixes, 20_000, seed=7)
        low, high = frequency.interval_approx
        assert low <= probability <= high
        assert frequency == simulate(chain, state, attack.prefixes, 20_000, seed=7)


def test_intervals_stay_within_zero_and_one() -> None:
    assert Frequency(0, 10).interval_approx[0] == 0
    assert Frequency(10, 10).interval_approx[1] == 1
    with pytest.raises(ParameterError, match="at least 1"):
        simulate(make_family("figure-one"), "s0", [], 0, 1)


def test_an_attack_with_too_many_words_lists_some_of_them() -> None:
    """Two coins of different bias, tossed for ever: the words that pay are a binomial tail, far too many to
    list.
    """
    chain = LabelledMarkovChain.from_rows(
        {
            "s": ("tails", {"s": "1/2", "h": "1/2"}),
            "h": ("heads", {"s": "1/2", "h": "1/2"}),
            "t": ("tails", {"t": "1/3", "k": "2/3"}),
            "k": ("heads", {"t": "1/3", "k": "2/3"}),
        }
    )
    found = true_delta(chain, "s", "t", alpha=2, max_leaves=600)
    assert found.attack is not None
    assert not found.attack.complete
    assert len(found.attack.prefixes) == 1000
    assert found.event[0] - 2 * found.event[1] == found.distance.bracket.lower.value
    assert 0 < found.attack.advantage(Fraction(2)) < found.distance.bracket.lower.value

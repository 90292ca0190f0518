"""bd_alpha against the naive oracles, and the laws it must obey, on random chains."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from bdist import LabelledMarkovChain, distance, distance_table
from bdist.lp import ENGINES
from tests.oracles import naive
from tests.oracles.strategies import alphas, chains

EXAMPLES = settings(max_examples=20, deadline=None)


def relabelled(chain: LabelledMarkovChain, order: list[int]) -> LabelledMarkovChain:
    """The same chain with its states renamed and declared in another order."""
    names = {state: f"renamed {state}" for state in chain.states}
    return LabelledMarkovChain.from_rows(
        (
            names[chain.states[i]],
            f"label {chain.labels[i]}",
            {names[t]: p for t, p in chain.row(chain.states[i]).items()},
        )
        for i in order
    )


@given(chains(max_states=7, acyclic=True), alphas())
@EXAMPLES
def test_acyclic_chains_agree_with_exact_iteration(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    truth = naive.kleene_exact(chain, alpha)
    for method, tolerance in (("strategy", None), ("iterate", 0)):
        table = distance_table(chain, alpha=alpha, method=method, tolerance=tolerance)
        for pair, found in table.items():
            assert found.value == truth[pair], method


@given(chains(max_states=7, acyclic=True, shared_labels=True), alphas())
@settings(max_examples=15, deadline=None)  # each of them takes a third of a second
def test_acyclic_chains_with_outside_states_from_other_layers(
    chain: LabelledMarkovChain, alpha: Fraction
) -> None:
    """A label that occurs at several depths makes pairs depend on each other across layers."""
    try:
        truth = naive.kleene_exact(chain, alpha)
    except naive.NotSettledError:
        reject()
    for pair, found in distance_table(chain, alpha=alpha).items():
        assert found.value == truth[pair]


@given(chains(max_states=6, max_labels=2), alphas())
@EXAMPLES
def test_cyclic_chains_are_fixed_points_above_every_iterate(
    chain: LabelledMarkovChain, alpha: Fraction
) -> None:
    table = distance_table(chain, alpha=alpha)
    d = naive.all_pairs(chain, lambda s, t: table[s, t].value)
    assert naive.gamma(chain, alpha, d) == d
    for iterate in naive.kleene_exact_rounds(chain, alpha, 3):
        assert all(iterate[pair] <= d[pair] for pair in d)


@given(chains(max_states=5, max_labels=2), alphas())
@settings(max_examples=6, deadline=None)
def test_cyclic_chains_agree_with_float_iteration(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    approximate = naive.kleene_float(chain, alpha, 1e-11)
    for pair, found in distance_table(chain, alpha=alpha).items():
        assert approximate[pair] <= found.value + Fraction(1, 10**6)
        assert approximate[pair] == pytest.approx(float(found.value), abs=1e-4)


@given(chains(max_states=6, max_labels=2), alphas())
@settings(max_examples=15, deadline=None)
def test_both_methods_bracket_the_same_number(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    exact = distance_table(chain, alpha=alpha, method="strategy")
    bracket = distance_table(chain, alpha=alpha, method="iterate", tolerance="1/1000", time_limit=2)
    for pair, found in bracket.items():
        assert found.bracket.lower.value <= exact[pair].value <= found.bracket.upper.value


@given(chains(max_states=6), alphas(), st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_names_and_order_do_not_matter(
    chain: LabelledMarkovChain, alpha: Fraction, chance: random.Random
) -> None:
    order = list(range(len(chain)))
    chance.shuffle(order)
    other = distance_table(relabelled(chain, order), alpha=alpha)
    for (s, t), found in distance_table(chain, alpha=alpha).items():
        assert other[f"renamed {s}", f"renamed {t}"].value == found.value


@given(chains(max_states=6), alphas())
@settings(max_examples=15, deadline=None)
def test_bd_at_alpha_is_at_most_bd_at_one(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    """It is not monotone in alpha in general, but this much holds."""
    at_one = distance_table(chain, alpha=1)
    for pair, found in distance_table(chain, alpha=alpha).items():
        assert 0 <= found.value <= at_one[pair].value <= 1


@given(chains(max_states=5), alphas())
@settings(max_examples=15, deadline=None)
def test_a_state_and_its_copy_are_at_distance_zero(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    rows = [(s, chain.label(s), chain.row(s)) for s in chain.states]
    doubled = LabelledMarkovChain.from_rows([*rows, ("copy", chain.label("s0"), chain.row("s0"))])
    assert distance(doubled, "s0", "copy", alpha=alpha).value == 0


@given(chains(max_states=6), alphas())
@settings(max_examples=12, deadline=None)
def test_one_query_equals_its_entry_in_the_table(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    for (s, t), found in distance_table(chain, alpha=alpha).items():
        assert distance(chain, t, s, alpha=alpha).value == found.value


@pytest.mark.parametrize("backend", [name for name in sorted(ENGINES) if name != "pulp"])
@given(chains(max_states=6), alphas())
@settings(max_examples=12, deadline=None)
def test_backends_agree(backend: str, chain: LabelledMarkovChain, alpha: Fraction) -> None:
    reference = distance_table(chain, alpha=alpha, backend="exact")
    for pair, found in distance_table(chain, alpha=alpha, backend=backend).items():
        assert found.value == reference[pair].value

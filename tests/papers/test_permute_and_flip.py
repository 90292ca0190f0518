"""Permute-and-flip (McKenna and Sheldon, NeurIPS 2020): its exact zCDP beside what is claimed of it.

The mechanism goes through the candidates in random order and takes one with probability
e^(epsilon (score - best) / 2); it is epsilon-differentially private. Every such mechanism is
(epsilon^2 / 2)-zCDP (Bun and Steinke, 2016). The exponential mechanism, whose *range* is bounded as well, is
(epsilon^2 / 8)-zCDP (Cesar and Rogers, 2021). Permute-and-flip has no bounded range: charged as the
exponential mechanism, it is charged up to four times too little.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

import bdist
from bdist import LabelledMarkovChain, Order
from bdist.exact.epsilon import log_down, log_up

BASE = Fraction(11, 10)  # e^(epsilon / 2)


def permute_and_flip(scores: tuple[int, ...]) -> dict[int, Fraction]:
    """The probability of each candidate, over all orders: the next one is any of those that are left."""
    best = max(scores)

    def taken(left: frozenset[int]) -> dict[int, Fraction]:
        found: dict[int, Fraction] = {}
        for k in left:
            heads = BASE ** (scores[k] - best)
            found[k] = found.get(k, Fraction(0)) + heads / len(left)
            if heads < 1:
                for j, p in taken(left - {k}).items():
                    found[j] = found.get(j, Fraction(0)) + (1 - heads) * p / len(left)
        return found

    return taken(frozenset(range(len(scores))))


def chain_of(*databases: tuple[int, ...]) -> LabelledMarkovChain:
    rows: dict[str, tuple[str, dict[str, Fraction]]] = {}
    for name, scores in zip("st", databases, strict=True):
        rows[name] = "start", {f"take {k}": p for k, p in permute_and_flip(scores).items()}
    for k in range(len(databases[0])):
        rows[f"take {k}"] = f"take {k}", {f"take {k}": Fraction(1)}
    return LabelledMarkovChain.from_rows(rows)


@pytest.mark.parametrize(
    ("first", "second"),
    [((1, 0), (0, 1)), ((1, 0, 0), (0, 1, 0)), ((2, 1, 0), (1, 2, 1)), ((3, 2, 2), (2, 3, 3))],
)
def test_the_exact_zcdp_is_between_the_two_claims(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    """For (1, 0) and (0, 1): 0.01657..., where epsilon^2 / 8 is 0.00454... and epsilon^2 / 2 is 0.0181..."""
    profile = bdist.profile(chain_of(first, second), "s", "t")
    assert profile.exact
    low, high = 2 * log_down(BASE), 2 * log_up(BASE)
    assert profile.delta(alpha=BASE**2).upper.value == 0  # it is epsilon-differentially private
    rho = profile.zcdp(Order.WORSE)
    assert rho.lower is not None
    assert rho.upper is not None
    assert rho.upper.value - rho.lower.value < Fraction(1, 10**6)
    assert rho.upper.value <= low**2 / 2
    assert rho.lower.value > high**2 / 8
    if len(first) == 2:
        assert rho.lower.value > 3 * high**2 / 8  # more than three times what a bounded range would give

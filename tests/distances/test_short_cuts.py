"""bd and ld against the oracle, where leaving something out would change them (`tests.oracles.traps`).

`scripts/fuzz.py` asks the same of as many chains as one has time for, each in all ways.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, islice, product

import pytest
from hypothesis import given, settings

from bdist import LabelledMarkovChain, distance, distance_table
from bdist.chains.families import make_family
from tests.oracles import naive, supports
from tests.oracles.comparison import FIRST, WAYS, disagreement
from tests.oracles.strategies import alphas, chains
from tests.oracles.traps import survey, traps

COUNT = 153
TRAPS = list(islice(traps(seed=19), COUNT))
OTHERS = [way for way in WAYS if way is not FIRST]


@pytest.mark.parametrize("number", range(COUNT), ids=lambda n: f"{n}-{TRAPS[n].name}")
def test_answers_are_those_of_the_oracle(number: int) -> None:
    """All pairs exactly, and two more ways to ask, in turn."""
    more = [OTHERS[(2 * number + n) % len(OTHERS)] for n in range(2)]
    assert disagreement(TRAPS[number], [FIRST, *more]) is None


def test_the_traps_are_traps() -> None:
    """On many chains the game without states outside the supports has another value."""
    few = [trap for trap in TRAPS[:60] if trap.name in ("crowds", "outside", "rings")]
    caught = 0
    for trap in few:
        truth = supports.distances(trap.chain, trap.alpha)
        without = supports.distances(trap.chain, trap.alpha, outside=False)
        assert all(truth[pair] <= without[pair] for pair in truth)
        caught += truth != without
    assert caught >= len(few) // 3


@given(chains(max_states=5), alphas())
@settings(max_examples=8, deadline=None)
def test_the_oracle_is_at_a_fixed_point_above_every_iterate(
    chain: LabelledMarkovChain, alpha: Fraction
) -> None:
    found = supports.distances(chain, alpha)
    table = naive.all_pairs(chain, lambda s, t: found[s, t])
    assert naive.gamma(chain, alpha, table) == table
    assert all(value <= table[pair] for pair, value in naive.kleene_exact_rounds(chain, alpha, 3)[-1].items())
    one_way = supports.distances(chain, alpha, "ld")
    directed = naive.all_pairs(chain, lambda s, t: one_way[s, t])
    for s, t in one_way:
        mu, nu = naive.distribution(chain, s), naive.distribution(chain, t)
        assert naive.directed_lift(mu, nu, directed, alpha) == one_way[s, t] <= found[s, t]


@given(chains(max_states=7, acyclic=True), alphas())
@settings(max_examples=10, deadline=None)
def test_the_oracle_agrees_with_plain_iteration(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    truth = naive.kleene_exact(chain, alpha)
    assert all(truth[pair] == value for pair, value in supports.distances(chain, alpha).items())


def test_the_oracle_knows_what_is_outside() -> None:
    chain = make_family("outside-states", {})
    assert supports.distances(chain, 2)["s", "t"] == Fraction(23, 120)
    assert supports.distances(chain, 2, outside=False)["s", "t"] == Fraction(1, 5)


# --- Two chains that the oracle takes too long for: it was asked once ---------------------------------------

SURVEY_OF_THREE = {1: Fraction(1, 2), 2: Fraction(3, 4), 3: Fraction(7, 8)}  # by the answers that differ
THREE_DINERS = {("s0", "s1"): Fraction(99, 125_000), ("s1", "s2"): Fraction(1, 2500)}


def test_a_survey_of_three_questions_with_all_its_starts() -> None:
    vectors = ["".join(word) for word in product("01", repeat=3)]
    chain = LabelledMarkovChain.from_rows(survey(vectors, [Fraction(3, 4)] * 3))
    for t in vectors[1:]:
        value = SURVEY_OF_THREE[t.count("1")]
        assert distance(chain, "000", t, alpha="1.1", precision=0).value == value
    found = distance_table(chain, alpha="1.1", precision="1e-9")
    for s, t in combinations(vectors, 2):
        bracket = found[s, t].bracket
        value = SURVEY_OF_THREE[sum(a != b for a, b in zip(s, t, strict=True))]
        assert bracket.lower.value <= value <= bracket.upper.value


def test_three_diners() -> None:
    chain = make_family("dining-cryptographers", {"diners": 3})
    for (s, t), value in THREE_DINERS.items():
        assert distance(chain, s, t, alpha="1.0002", precision=0).value == value
        bracket = distance(chain, s, t, alpha="1.0002").bracket
        assert bracket.lower.value <= value <= bracket.upper.value

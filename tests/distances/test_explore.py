"""The fast method against the exact one: floats propose, from the query outwards, and rationals prove.

`strategy` shares with it the exact simplex and the checker, and none of what is tested here: the kernel, the
exploration, the words, the extensions, ranks and brackets.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bdist import Distance, LabelledMarkovChain, ParameterError, distance, distance_table
from bdist.budget import Budget
from bdist.chains.families import make_family, random_chain
from bdist.chains.formats import lmc
from bdist.distances.explore import driver
from bdist.distances.explore.bracket import Sides
from bdist.distances.explore.float_game import FloatGame
from bdist.distances.explore.words import WordBounds
from bdist.distances.pairs import PairSpace
from bdist.distances.run import Run
from bdist.exact.rationals import to_fmpq, to_fraction
from bdist.lp import engine_named
from tests.oracles.strategies import alphas, chains

EXAMPLES = settings(max_examples=20, deadline=None)
NINE_DIGITS = Fraction(1, 10**9)


def pairs_of(chain: LabelledMarkovChain) -> list[tuple[str, str]]:
    return [
        (chain.states[i], chain.states[j])
        for members in chain.states_by_label.values()
        for i, j in product(members, members)
        if i < j
    ]


def random_query(seed: int) -> tuple[LabelledMarkovChain, tuple[str, str], Fraction, str]:
    """A chain of up to 24 states with a pair to ask for."""
    draw = random.Random(seed)  # noqa: S311
    chain = make_family(
        "random",
        {
            "states": draw.choice([8, 12, 16, 24]),
            "labels": draw.choice([1, 2, 3]),
            "degree": draw.choice([1, 2, 3]),
            "denominator": draw.choice([4, 6, 12]),
            "shape": draw.choice(["general", "acyclic"]),
            "seed": seed,
        },
    )
    alpha = draw.choice([Fraction(1), Fraction(10002, 10000), Fraction(11, 10), Fraction(2)])
    return chain, draw.choice(pairs_of(chain)), alpha, draw.choice(["bd", "bd", "ld"])


@given(chains(max_states=7), alphas(), st.sampled_from(["bd", "ld"]))
@EXAMPLES
def test_exact_values_are_those_of_strategy_iteration(
    chain: LabelledMarkovChain, alpha: Fraction, quantity: str
) -> None:
    expected = distance_table(chain, alpha=alpha, quantity=quantity, method="strategy")
    found = distance_table(chain, alpha=alpha, quantity=quantity, method="explore", precision=0)
    assert {pair: d.value for pair, d in found.items()} == {pair: d.value for pair, d in expected.items()}


@given(chains(max_states=7), alphas(), st.sampled_from(["bd", "ld"]), st.data())
@EXAMPLES
def test_one_query_is_enough_for_its_own_value(
    chain: LabelledMarkovChain, alpha: Fraction, quantity: str, data: st.DataObject
) -> None:
    assume(pairs_of(chain))
    s, t = data.draw(st.sampled_from(pairs_of(chain)))
    expected = distance(chain, s, t, alpha=alpha, quantity=quantity, method="strategy")
    found = distance(chain, s, t, alpha=alpha, quantity=quantity, method="explore", precision=0)
    assert found.value == expected.value


@given(chains(max_states=7), alphas(), st.sampled_from(["bd", "ld"]))
@EXAMPLES
def test_brackets_hold_the_value_and_are_narrow(
    chain: LabelledMarkovChain, alpha: Fraction, quantity: str
) -> None:
    expected = distance_table(chain, alpha=alpha, quantity=quantity, method="strategy")
    found = distance_table(chain, alpha=alpha, quantity=quantity, precision=NINE_DIGITS)
    for pair, d in found.items():
        assert d.bracket.lower.value <= expected[pair].value <= d.bracket.upper.value
        assert d.bracket.width <= NINE_DIGITS
        assert d.limit is None


@pytest.mark.parametrize("seed", range(8))
def test_floats_are_of_help_on_random_chains(seed: int) -> None:
    """The exact method is the way out; on ordinary chains it must not be needed."""
    chain, (s, t), alpha, quantity = random_query(seed)
    expected = distance(chain, s, t, alpha=alpha, quantity=quantity, method="strategy")
    exact = distance(chain, s, t, alpha=alpha, quantity=quantity, method="explore", precision=0)
    bracket = distance(chain, s, t, alpha=alpha, quantity=quantity, method="explore", precision="1e-9")
    assert exact.stats["method"] == bracket.stats["method"] == "explore"
    assert exact.value == expected.value
    assert bracket.bracket.lower.value <= expected.value <= bracket.bracket.upper.value
    assert bracket.bracket.width <= NINE_DIGITS


@pytest.mark.parametrize("seed", range(100, 103))
@pytest.mark.parametrize("precision", [0, NINE_DIGITS])
def test_the_number_of_jobs_changes_nothing(seed: int, precision: Fraction) -> None:
    chain, (s, t), alpha, quantity = random_query(seed)
    one, two = (
        distance(
            chain, s, t, alpha=alpha, quantity=quantity, method="explore", precision=precision, jobs=jobs
        )
        for jobs in (1, 2)
    )
    assert one.certificate.to_json() == two.certificate.to_json()


def test_the_environment_may_say_how_many_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    chain, (s, t), alpha, _ = random_query(101)
    monkeypatch.setenv("BDIST_JOBS", "1")
    assert distance(chain, s, t, alpha=alpha, precision="1e-9").limit is None
    monkeypatch.setenv("BDIST_JOBS", "many")
    with pytest.raises(ParameterError, match="BDIST_JOBS=many"):
        distance(chain, s, t, alpha=alpha, precision="1e-9")
    assert distance(chain, s, t, alpha=alpha, precision="1e-9", jobs=2).limit is None


@pytest.mark.parametrize("seed", range(200, 203))
def test_without_the_kernel_exact_values_are_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chain, (s, t), alpha, quantity = random_query(seed)

    def ask(precision: Fraction | int) -> Distance:
        return distance(chain, s, t, alpha=alpha, quantity=quantity, method="explore", precision=precision)

    exact, bracket = ask(0), ask(NINE_DIGITS)
    monkeypatch.setenv("BDIST_KERNEL", "off")
    exact_without, bracket_without = ask(0), ask(NINE_DIGITS)
    assert exact_without.stats["method"] == "explore"
    assert exact.value == exact_without.value
    assert bracket_without.bracket.lower.value <= exact.value <= bracket_without.bracket.upper.value
    assert bracket_without.bracket.width <= NINE_DIGITS >= bracket.bracket.width


@pytest.mark.parametrize("name", ["highs", "pulp", "exact", "kernel"])
def test_every_engine_can_propose(name: str) -> None:
    chain, (s, t), alpha, quantity = random_query(3)
    expected = distance(chain, s, t, alpha=alpha, quantity=quantity, method="strategy")
    found = distance(chain, s, t, alpha=alpha, quantity=quantity, method="explore", backend=name, precision=0)
    assert found.value == expected.value
    assert found.stats["method"] == "explore"


def test_four_diners_lean_on_few_pairs() -> None:
    chain = make_family("dining-cryptographers", {"diners": 4})
    found = distance(chain, "s0", "s1", alpha="1.0002")
    assert found.value == Fraction(7351, 6250000)
    assert found.stats["method"] == "explore"
    assert int(found.stats["pairs"]) < 400  # of 2257 pairs of states with the same label
    assert int(found.stats["lower_records"]) < 150


def test_a_large_component_is_bracketed_by_itself() -> None:
    """Past the documented size the answer is a bracket of 1e-9, unless the exact value is asked for."""
    chain = make_family("random", {"states": 70, "labels": 2, "degree": 3, "seed": 2})
    found = distance(chain, "s0", "s5", alpha="1.1")
    assert not found.bracket.exact
    assert found.bracket.width <= NINE_DIGITS
    assert found.limit is None


def test_pairs_that_hardly_ever_leak_are_exact_where_no_bracket_is_narrow_enough() -> None:
    stay = "999999999/1000000000"
    chain = LabelledMarkovChain.from_rows(
        {
            "s": ("a", {"s": stay, "x": "1/1000000000"}),
            "t": ("a", {"t": stay, "x": "1/3000000000", "y": "2/3000000000"}),
            "x": ("b", {"x": 1}),
            "y": ("c", {"y": 1}),
        }
    )
    found = distance(chain, "s", "t", alpha=1, precision=NINE_DIGITS)
    assert found.value == Fraction(2, 3)
    assert found.stats["method"] == "explore"


def test_a_bracket_in_haste_uses_the_words_of_its_certificate() -> None:
    """A space that has grown would choose another word length; the certificate has one for all."""
    chain = make_family("random", {"states": 30, "labels": 2, "seed": 5})
    query = (chain.index("s1"), chain.index("s2"))
    space = PairSpace(chain, Fraction(11, 10), [query], breadth="queries")
    run = Run(space, engine_named("auto"), Budget())
    game = FloatGame(run, WordBounds(chain, space.alpha, 1, ordered=False), "auto", 1)
    proof = driver._bracket_proof(game, Sides([0]))
    assert proof.words == 1
    assert proof.bounds[0][0] == to_fraction(game.words.bound(*game.space.pairs[0]))


def test_time_that_is_up_leaves_sound_bounds() -> None:
    chain = make_family("random", {"states": 60, "labels": 3, "degree": 3, "seed": 1})
    exact = distance(chain, "s0", "s4", alpha="1.1", precision="1e-9")
    found = distance(chain, "s0", "s4", alpha="1.1", time_limit=1e-6)
    assert found.limit is not None
    assert found.bracket.lower.value <= exact.bracket.upper.value
    assert exact.bracket.lower.value <= found.bracket.upper.value


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"precision": -1}, "negative"),
        ({"precision": "1e-9", "method": "strategy"}, "takes no precision"),
        ({"precision": "1e-9", "method": "iterate"}, "takes no precision"),
        ({"jobs": 0}, "at least 1"),
    ],
)
def test_senseless_settings_are_refused(arguments: dict[str, str], message: str) -> None:
    chain, (s, t), alpha, _ = random_query(1)
    with pytest.raises(ParameterError, match=message):
        distance(chain, s, t, alpha=alpha, **arguments)  # type: ignore[arg-type]


@given(chains(max_states=6), alphas(), st.integers(1, 3), st.booleans())
@EXAMPLES
def test_word_bounds_are_sums_over_words_and_below_the_distance(
    chain: LabelledMarkovChain, alpha: Fraction, length: int, ordered: bool
) -> None:
    words = WordBounds(chain, to_fmpq(alpha), length, ordered=ordered)
    exact = distance_table(chain, alpha=alpha, quantity="ld" if ordered else "bd", method="strategy")
    for s, t in pairs_of(chain):
        i, j = chain.index(s), chain.index(t)
        gains = [naive_gain(chain, alpha, length, i, j), naive_gain(chain, alpha, length, j, i)]
        expected = gains[0] if ordered else max(gains)
        assert to_fraction(words.bound(i, j)) == expected <= exact[s, t].value
        row = words.row_approx(i)[words.place(j)]
        assert row == pytest.approx(float(expected), abs=1e-12)
        if ordered:
            assert words.row_approx(i, backwards=True)[words.place(j)] == pytest.approx(
                float(gains[1]), abs=1e-12
            )


def naive_gain(chain: LabelledMarkovChain, alpha: Fraction, length: int, i: int, j: int) -> Fraction:
    """The sum over all words of what speaks for i, each word's probability by enumeration of paths."""
    labels = sorted(set(chain.labels))
    return sum(
        (
            max(Fraction(0), word_probability(chain, i, word) - alpha * word_probability(chain, j, word))
            for word in product(labels, repeat=length)
        ),
        Fraction(0),
    )


def word_probability(chain: LabelledMarkovChain, state: int, word: tuple[str, ...]) -> Fraction:
    if not word:
        return Fraction(1)
    return sum(
        (
            p * word_probability(chain, k, word[1:])
            for k, p in chain.rows[state]
            if chain.labels[k] == word[0]
        ),
        Fraction(0),
    )


def test_a_bracket_leans_on_what_its_certificate_proves() -> None:
    chain = random_chain(states=150, labels=2, degree=3, denominator=12, seed=12, shape="general")
    s, t = chain.states_by_label[chain.labels[0]][:2]
    found = distance(chain, chain.states[s], chain.states[t], alpha="1.05")
    assert found.bracket.upper.value - found.bracket.lower.value <= Fraction(1, 10**9)


SEVEN = """lmc
q0 [even] -> 1/2 q1, 1/2 q3
q1 [odd] -> 1/6 q2, 1/2 q3, 1/3 q4
q2 [even] -> 1/2 q0, 1/6 q3, 1/3 q5
q3 [odd] -> 1/3 q4, 1/3 q5, 1/3 q6
q4 [even] -> 1/2 q0, 1/3 q2, 1/6 q5
q5 [odd] -> 1/6 q1, 1/3 q3, 1/2 q6
q6 [even] -> 1/6 q0, 2/3 q1, 1/6 q2
"""


@pytest.mark.parametrize("quantity", ["bd", "ld"])
@pytest.mark.parametrize("alpha", [10**6, 10**13, 10**400], ids=["1e6", "1e13", "1e400"])
def test_alpha_may_be_huge(alpha: int, quantity: str) -> None:
    """Where alpha times the grid is far above 1, and where alpha is no float any more."""
    chain = lmc.read(SEVEN)
    found = distance_table(chain, alpha=alpha, quantity=quantity, method="explore", precision=0)
    exact = distance_table(chain, alpha=alpha, quantity=quantity, method="strategy")
    assert [d.value for d in found.values()] == [d.value for d in exact.values()]
    narrow = distance_table(chain, alpha=alpha, quantity=quantity, method="explore", precision="1e-9")
    assert all(d.bracket.certified for d in narrow.values())
    slow = distance(chain, "q1", "q3", alpha=alpha, quantity=quantity, method="explore", backend="highs")
    assert slow.value == exact["q1", "q3"].value


def test_pairs_that_only_rationals_see_are_explored_once() -> None:
    """An optimal coupling in rationals uses a pair that none in floats does; that is no reason to give up."""
    chain = lmc.read(
        """lmc
q0 [a] -> 5/6 q0, 1/6 q2
q1 [a] -> 1/12 q0, 11/12 q3
q2 [b] -> 1/12 q0, 1/4 q1, 2/3 q2
q3 [a] -> 1/2 q0, 1/12 q1, 1/12 q2, 1/3 q3
"""
    )
    found = distance(chain, "q3", "q1", alpha="3/2", method="explore", precision=0)
    assert found.stats["method"] == "explore"
    assert found.value == distance(chain, "q3", "q1", alpha="3/2", method="strategy").value


def test_a_direction_that_turns_while_more_is_explored() -> None:
    """A function leans on a pair that no query needs, whose two directions tie: the better one may turn."""
    moves = {  # tenths; the rest, a millionth, leads to one of two states that are seen
        "0": ("x", {"0": 5, "5": 5}),
        "1": ("y", {"6": 3, "7": 2, "9": 5}),
        "2": ("x", {"0": 5, "4": 3, "6": 2}),
        "4": ("x", {"0": 5, "1": 3, "4": 2}),
        "5": ("y", {"0": 1, "2": 7, "9": 2}),
        "6": ("y", {"0": 1, "8": 9}),
        "7": ("y", {"11": 10}),
        "8": ("x", {"4": 4, "8": 6}),
        "9": ("y", {"0": 4, "4": 6}),
        "10": ("y", {"7": 7, "11": 3}),
        "11": ("y", {"4": 10}),
        "12": ("x", {"7": 8, "10": 1, "11": 1}),
        "x": ("x", {"11": 10}),
        "y": ("x", {"11": 2, "12": 8}),
    }
    leak = Fraction(1, 10**6)
    rows = {
        state: (
            state if state in "xy" else "quiet",
            {end: leak, **{t: (1 - leak) * tenths / 10 for t, tenths in ends.items()}},
        )
        for state, (end, ends) in moves.items()
    }
    chain = LabelledMarkovChain.from_rows(rows)
    found = distance(chain, "11", "9", alpha=3, method="explore", precision=0)
    assert found.stats["method"] == "explore"
    assert found.value == distance(chain, "11", "9", alpha=3, method="strategy").value


def test_escapes_may_lead_to_pairs_of_earlier_stages() -> None:
    """No word tells q8 from q1 up to a factor of 10; what does is that others are proved to be positive."""
    chain = lmc.read(
        """lmc
q1 [a] -> 7/12 q1, 5/12 q10
q7 [a] -> 5/12 q1, 7/12 q13
q8 [a] -> 5/18 q1, 5/36 q7, 7/12 q10
q10 [b] -> 5/6 q1, 1/6 q13
q13 [b] -> 5/6 q1, 1/6 q13
"""
    )
    found = distance_table(chain, alpha=10, quantity="ld", method="explore", precision=0)
    exact = distance_table(chain, alpha=10, quantity="ld", method="strategy")
    assert {d.stats["method"] for d in found.values()} == {"explore"}
    assert [d.value for d in found.values()] == [d.value for d in exact.values()]

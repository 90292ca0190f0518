"""Families of hidden Markov models: mechanisms by definition, and the words of the models against them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, prod

import pytest

from bdist import pufferfish
from bdist.chains.families import geometric_mechanism
from bdist.errors import ParameterError
from bdist.exact.epsilon import Epsilon
from bdist.family import Value
from bdist.pufferfish import text as hmm
from bdist.pufferfish.families import (
    HIDDEN_MODELS,
    hidden_above_threshold,
    hidden_geometric,
    hidden_noisy_max,
    make_hidden_model,
    priorities,
    random_hidden_model,
)
from bdist.pufferfish.model import HiddenMarkovModel, Lengths, Neighbours, Pair, Words
from tests.oracles.hidden_models import ratio_of, start_of, word_probability

HALF = Fraction(1, 2)
NOISE = [[Fraction(n, 6) for n in row] for row in ((4, 1, 1), (2, 2, 2), (1, 1, 4))]
THRESHOLDS = [[Fraction(n, 20) for n in row] for row in ((16, 3, 1), (4, 12, 4), (1, 3, 16))]
LOSSES = {
    ("naive", "any"): {1: "1", 2: "4", 3: "8"},
    ("naive", "one"): {1: "1", 2: "2", 3: "2"},
    ("improved", "any"): {1: "1", 2: "12/5", 3: "24/7"},
    ("improved", "one"): {1: "1", 2: "8/5", 3: "40/21"},
}
PINNED = """\
hmm hidden-random-7
s0 [1/4 a0, 3/4 a1] -> 1/6 s0, 5/6 s1
s1 [1/6 a0, 5/6 a1] -> 3/4 s0, 1/4 s1
initial first -> 4/5 s0, 1/5 s1
initial second -> 2/9 s0, 7/9 s1

scenario starts
  pair first second
  words all
  length 1..5
"""


# --- the registry --------------------------------------------------------------------------------------


def test_order_and_names() -> None:
    assert list(HIDDEN_MODELS) == [
        "hidden-geometric",
        "hidden-noisy-max",
        "hidden-above-threshold",
        "hidden-random",
        "hidden-sticky",
        "hidden-sat",
    ]


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("hidden-geometri", {}, r"models 'hidden-geometri'; did you mean hidden-geometric\? "),
        ("sparse-vector", {}, "no family of hidden Markov models 'sparse-vector'; there are hidden-geom"),
        ("hidden-geometric", {"largest": "31"}, "largest is 31; it must be an integer from 1 to 30"),
        ("hidden-noisy-max", {"variant": "best"}, "variant is 'best'; it must be naive or improved"),
        ("hidden-noisy-max", {"queries": "5"}, "queries is 5; a table has at most 4; use presentation="),
        ("hidden-noisy-max", {"neighbours": "two"}, "parameter neighbours is 'two'; it must be any or one"),
        ("hidden-above-threshold", {"query": "1"}, "query is 1; it must be strictly between 0 and 1"),
        ("hidden-random", {"observations": "13"}, "observations is 13; it must be at most denominator = 12"),
        ("hidden-sat", {"satisfiable": "no", "clauses": "7"}, "clauses is 7; it must be at least 8 where"),
    ],
)  # fmt: skip
def test_refusals_say_what_there_is(name: str, values: dict[str, Value], message: str) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        make_hidden_model(name, values)
    assert "\n" not in str(caught.value)


# --- satisfiability ------------------------------------------------------------------------------------


def loss_by_assignments(model: HiddenMarkovModel, clauses: int, variables: int) -> Fraction:
    """Over all assignments, from how many clauses each makes true, which the names of states tell."""
    after = {state.name: state.row for state in model.states}
    worst = Fraction(0)
    for assignment in product(("no", "yes"), repeat=variables):
        true = 0
        for clause in range(clauses):
            so_far = "open"
            for variable, value in enumerate(assignment):
                ((target, _),) = after[f"A.{clause}.{so_far}.{variable}.{value}"] or ()
                so_far = model.states[target].name.split(".")[2]
            true += so_far == "true"
        left = Fraction(clauses - true, 2)
        worst = max(worst, (Fraction(4, 5) * true + left) / (Fraction(1, 5) * true + left))
    return worst


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("satisfiable", ["yes", "no"])
def test_the_loss_says_whether_a_formula_is_satisfiable(satisfiable: str, seed: int) -> None:
    values: dict[str, Value] = {"variables": 4, "clauses": 9, "satisfiable": satisfiable, "seed": seed}
    model = make_hidden_model("hidden-sat", values)
    found = pufferfish.optimise(model)
    expected = Fraction(4) if satisfiable == "yes" else Fraction(69, 21)
    assert loss_by_assignments(model, 9, 4) == expected
    assert found.worst is not None
    assert found.worst.lower == found.upper == expected


# --- chains that seldom move ---------------------------------------------------------------------------


def test_a_chain_that_seldom_moves_tells_a_bounded_amount_for_ever() -> None:
    model = make_hidden_model("hidden-sticky", {"states": 4})
    found = pufferfish.optimise(model, lengths="any")
    assert found.worst is not None
    assert found.worst.lower is not None
    assert found.limit is None
    assert found.upper is not None
    assert found.worst.lower < found.upper < found.worst.lower * Fraction(10**6 + 1, 10**6)
    for length in range(1, 5):
        ratio = ratio_of(model, Pair("s3", "s0"), ["high"] * length, {})
        assert ratio is not None
        assert ratio < found.worst.lower


# --- the geometric mechanism ---------------------------------------------------------------------------


@pytest.mark.parametrize(("largest", "ratio"), [(1, HALF), (2, HALF), (4, Fraction(1, 3))])
def test_the_geometric_mechanism_is_that_of_the_chain(largest: int, ratio: Fraction) -> None:
    model, chain = hidden_geometric(largest, ratio), geometric_mechanism(largest, ratio)
    assert [state.name for state in model.states] == [f"count{i}" for i in range(largest + 1)]
    for state in model.states:
        assert state.row is None
        assert dict(state.observations) == chain.row(state.name)
    for scenario in model.scenarios:
        assert (scenario.epsilon, scenario.lengths) == (Epsilon(None, 1 / ratio), Lengths(1, 1))
        assert scenario.words is Words.ALL
    neighbours = model.scenario("neighbours").neighbours
    assert neighbours == tuple(Neighbours(f"count{i}", f"count{i + 1}") for i in range(largest))


@pytest.mark.parametrize("people", [1, 2, 3, 5])
def test_what_observers_of_the_geometric_mechanism_believe(people: int) -> None:
    """All data sets, one by one; John is the first of the people."""
    model = hidden_geometric(people)
    for p in (Fraction(1, 3), Fraction(6, 7)):
        at = {"p": p}
        for secret, ill in (("c", 1), ("nc", 0)):
            others = [Fraction(0)] * (people + 1)
            for data in product((0, 1), repeat=people - 1):
                others[ill + sum(data)] += prod((p if one else 1 - p for one in data), start=Fraction(1))
            found = start_of(model, secret, "people", at)
            assert found == {count: share for count, share in enumerate(others) if share}
            assert start_of(model, secret, "family", at) == {ill * people: 1}
        whole = {i: comb(people, i) * p**i * (1 - p) ** (people - i) for i in range(people + 1)}
        assert start_of(model, "unknown", "people-as-printed", at) == whole
        rest = {i: share / (1 - whole[0]) for i, share in whole.items() if i}
        assert start_of(model, "not-zero", "people-as-printed", at) == rest


def test_the_probabilities_of_the_paper_with_two_people() -> None:
    """Table 1, with the denominators that its text has lost."""
    model = hidden_geometric()
    for p in (Fraction(1, 10), HALF, Fraction(8, 9)):
        at = {"p": p}
        unknown, present = (start_of(model, s, "people-as-printed", at) for s in ("unknown", "not-zero"))
        words = [[f"out{i}"] for i in range(3)]
        assert [word_probability(model, unknown, word, at) for word in words] == [
            (p**2 - 4 * p + 4) / 6,
            (-2 * p**2 + 2 * p + 1) / 6,
            (p**2 + 2 * p + 1) / 6,
        ]
        assert [word_probability(model, present, word, at) for word in words] == [
            (4 - 3 * p) / (12 - 6 * p),
            (4 - 3 * p) / (12 - 6 * p),
            2 / (6 - 3 * p),
        ]


# --- noisy max -----------------------------------------------------------------------------------------


@cache
def answers(queries: tuple[int, ...], variant: str) -> tuple[Fraction, ...]:
    """Algorithms 2 and 3, line by line: the largest noisy value so far, its index, and a counter."""
    runs = {(-1, 0, 0): Fraction(1)}
    for index, query in enumerate(queries):
        after: defaultdict[tuple[int, int, int], Fraction] = defaultdict(Fraction)
        for (largest, answer, count), share in runs.items():
            for noisy, likely in enumerate(NOISE[query]):
                if noisy > largest:
                    after[noisy, index, 1] += share * likely
                elif noisy < largest or variant == "naive":
                    after[largest, answer, count] += share * likely
                else:
                    stays = Fraction(count, count + 1)
                    after[largest, answer, count + 1] += share * likely * stays
                    after[largest, index, count + 1] += share * likely * (1 - stays)
        runs = after
    return tuple(
        sum((share for (_, answer, _), share in runs.items() if answer == index), Fraction(0))
        for index in range(len(queries))
    )


def neighbouring(queries: int, neighbours: str) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for one, other in product(product(range(3), repeat=queries), repeat=2):
        apart = [abs(here - there) for here, there in zip(one, other, strict=True)]
        if one != other and max(apart) <= 1 and (neighbours == "any" or sum(apart) == 1):
            yield one, other


@pytest.mark.parametrize("variant", ["naive", "improved"])
@pytest.mark.parametrize("neighbours", ["any", "one"])
@pytest.mark.parametrize("queries", [1, 2, 3])
def test_the_table_is_the_algorithm(queries: int, neighbours: str, variant: str) -> None:
    model = hidden_noisy_max(queries, variant, "table", neighbours)
    assert len(model.states) == 3**queries + queries
    for vector in product(range(3), repeat=queries):
        start = start_of(model, "q" + "".join(map(str, vector)), None, {})
        found = [word_probability(model, start, ["start", f"answer{i + 1}"], {}) for i in range(queries)]
        assert tuple(found) == answers(vector, variant)
    pairs = {(pair.first, pair.second) for pair in model.pairs_of(model.scenario("neighbours"))}
    expected = list(neighbouring(queries, neighbours))
    assert pairs == {tuple("q" + "".join(map(str, vector)) for vector in pair) for pair in expected}
    loss = max(
        here / there
        for one, other in expected
        for here, there in zip(answers(one, variant), answers(other, variant), strict=True)
    )
    assert loss == Fraction(LOSSES[variant, neighbours][queries])


@pytest.mark.parametrize("variant", ["naive", "improved"])
@pytest.mark.parametrize("neighbours", ["any", "one"])
@pytest.mark.parametrize("queries", [1, 2, 3])
def test_words_of_the_factorised_model_are_neighbours(queries: int, neighbours: str, variant: str) -> None:
    """Every common word of full length spells neighbours and an answer, with their ratio; none is missing."""
    model = hidden_noisy_max(queries, variant, "factorised", neighbours)
    scenario = model.scenario()
    assert scenario.words is Words.COMMON
    length = queries + (2 if variant == "naive" else 1)
    assert scenario.lengths == Lengths(length, length)
    spelled = set()
    for word in common_words(model, Pair("top", "bottom"), length):
        assert word[-1] == "end"
        marked = word.index("answer") if variant == "naive" else 0
        pairs = [symbol for symbol in word[:-1] if symbol != "answer"]
        one, other = tuple(int(pair[0]) for pair in pairs), tuple(int(pair[1]) for pair in pairs)
        expected = answers(one, variant)[marked] / answers(other, variant)[marked]
        assert ratio_of(model, Pair("top", "bottom"), word, {}) == expected
        spelled.add((one, other, marked))
    answered = range(queries) if variant == "naive" else [0]
    equal = [(v, v) for v in product(range(3), repeat=queries)] if neighbours == "any" else []
    wanted = [*neighbouring(queries, neighbours), *equal]
    assert spelled == {(*pair, index) for pair in wanted for index in answered}


def common_words(model: HiddenMarkovModel, pair: Pair, length: int) -> Iterator[tuple[str, ...]]:
    """All words of a length that both sides can show."""
    one_start, other_start = (set(start_of(model, side, None, {})) for side in (pair.first, pair.second))
    fronts: list[tuple[tuple[str, ...], set[int], set[int]]] = [((), one_start, other_start)]
    for _ in range(length):
        new = []
        for word, one, other in fronts:
            for symbol in model.observations:
                sides = [
                    [model.states[s] for s in side if symbol in dict(model.states[s].observations)]
                    for side in (one, other)
                ]
                if all(sides):
                    reached = [{t for state in side for t, _ in state.row or ()} for side in sides]
                    new.append(((*word, symbol), reached[0], reached[1]))
        fronts = new
    for word, _, _ in fronts:
        if all(
            word_probability(model, start_of(model, s, None, {}), word, {}) for s in (pair.first, pair.second)
        ):
            yield word


def test_four_queries_have_the_published_loss() -> None:
    """The table has it, by the algorithm; that the factorised model spells it, one word is enough to see."""
    loss = max(
        here / there
        for one, other in neighbouring(4, "any")
        if one[0] >= other[0] and list(one[1:]) == sorted(one[1:])
        for here, there in [(answers(one, "improved")[0], answers(other, "improved")[0])]
    )
    assert loss == Fraction(432, 113)
    model = hidden_noisy_max(4, "improved", "factorised")
    assert ratio_of(model, Pair("top", "bottom"), ["10", "12", "12", "12", "end"], {}) == loss


def test_factorised_models_are_small() -> None:
    naive, improved = (hidden_noisy_max(12, v, "factorised") for v in ("naive", "improved"))
    assert len(naive.states) == 60 * 12 - 33
    assert len(improved.states) == 18 * 12**2 + 3
    assert len(hidden_noisy_max(12, "improved", "factorised", "one").states) < 3 * len(improved.states)


@pytest.mark.parametrize("queries", range(1, 17))
def test_priorities_integrate_powers_exactly(queries: int) -> None:
    """The answer wins a tie with t others with probability 1/(1 + t): the integral of x^t over [0, 1]."""
    chosen = priorities(queries)
    nodes, weights = zip(*chosen, strict=True)
    assert len(set(nodes)) == queries
    assert all(0 <= node <= 1 for node in nodes)
    assert min(weights) > 0
    for ties in range(queries):
        assert sum(weight * node**ties for node, weight in chosen) == Fraction(1, 1 + ties)


@pytest.mark.parametrize("variant", ["naive", "improved"])
@pytest.mark.parametrize("differ", ["any", "one"])
def test_a_factorised_model_asks_in_one_direction(variant: str, differ: str) -> None:
    """Its words spell all neighbours, each of them both ways."""
    model = hidden_noisy_max(3, variant, "factorised", differ)
    (scenario,) = model.scenarios
    assert model.pairs_of(scenario) == (Pair("top", "bottom"),)


def test_what_observers_of_noisy_max_believe() -> None:
    """All data sets of two people with three diseases, one by one; John is the first."""
    model = hidden_noisy_max(3, "improved")
    assert [scenario.name for scenario in model.scenarios] == [
        "neighbours", "independent", "independent-as-printed", "contagious",
    ]  # fmt: skip
    shares = {"pA": Fraction(1, 3), "pB": Fraction(2, 7), "pC": Fraction(4, 5)}
    names = {state.name: number for number, state in enumerate(model.states)}

    def conditioned(on: list[tuple[tuple[int, ...], Fraction]]) -> dict[int, Fraction]:
        found: dict[int, Fraction] = {}
        for counts, share in on:
            state = names["q" + "".join(map(str, counts))]
            found[state] = found.get(state, Fraction(0)) + share
        return {state: share / sum(found.values()) for state, share in found.items()}

    worlds = []
    for data in product((0, 1), repeat=6):
        likely = prod(
            (p if ill else 1 - p for ill, p in zip(data, [*shares.values()] * 2, strict=True)),
            start=Fraction(1),
        )
        counts = tuple(data[i] + data[i + 3] for i in range(3))
        worlds.append((data, counts, likely))
    for secret, ill in (("c", 1), ("nc", 0)):
        expected = conditioned([(counts, share) for data, counts, share in worlds if data[0] == ill])
        assert start_of(model, secret, "people", shares) == expected
    for secret, excluded in (("not-zero", 0), ("not-two", 2)):
        expected = conditioned([(counts, share) for _, counts, share in worlds if counts[0] != excluded])
        assert start_of(model, secret, "people-as-printed", shares) == expected
    for secret, count in (("c", 2), ("nc", 0)):
        expected = conditioned([(counts, share) for _, counts, share in worlds if counts[0] == count])
        assert start_of(model, secret, "family", shares) == expected
    for queries, variant in ((2, "improved"), (3, "naive")):
        assert not hidden_noisy_max(queries, variant).parameters


# --- above threshold -----------------------------------------------------------------------------------


def above_threshold(threshold: int, queries: list[int], ends: bool) -> Fraction:
    """Algorithm 4: the probability of bot at every query, or of T at the last one."""
    result = Fraction(0)
    for noisy, likely in enumerate(THRESHOLDS[threshold]):
        share = likely
        for number, query in enumerate(queries):
            below = sum(NOISE[query][:noisy], Fraction(0))
            share *= 1 - below if ends and number == len(queries) - 1 else below
        result += share
    return result


@pytest.mark.parametrize("threshold", range(3))
def test_words_of_above_threshold_are_neighbours(threshold: int) -> None:
    model = hidden_above_threshold()
    spelled = 0
    for first, second in product(range(3), repeat=2):
        pair = Pair(f"top.t{threshold}.r{first}", f"bottom.t{threshold}.r{second}")
        words = list(common_words(model, pair, 5)) if abs(first - second) <= 1 else []
        for word in words:
            assert (word[0], word[1], word[2]) == ("start", f"{first}{second}", "bot")
            one, other = ([int(symbol[side]) for symbol in word[1::2]] for side in (0, 1))
            ends = word[-1] == "T"
            expected = above_threshold(threshold, one, ends) / above_threshold(threshold, other, ends)
            assert ratio_of(model, pair, word, {}) == expected
        spelled += len(words)
    assert spelled == 7 * 7 * 2


def test_above_threshold_is_not_private() -> None:
    model = hidden_above_threshold()
    for m in range(2, 8):
        word = ["start", *["12", "bot"] * (m - 1), "10", "T"]
        assert ratio_of(model, Pair("top.t2.r1", "bottom.t2.r2"), word, {}) == 2**m
    scenario = model.scenario()
    assert (scenario.words, scenario.epsilon) == (Words.COMMON, Epsilon.of("4 ln 2"))
    assert scenario.lengths == Lengths(1, 11)
    assert len(model.pairs_of(scenario)) == 2 * 3 * 7


def test_each_copy_has_symbols_of_its_own() -> None:
    model = hidden_above_threshold(Fraction(1, 3), Fraction(2, 3))
    shown = {
        copy: {o for state in model.states if state.name.startswith(copy) for o, _ in state.observations}
        for copy in ("top", "bottom")
    }
    assert shown["top"] - shown["bottom"] == {"top.low", "top.high"}
    assert shown["bottom"] - shown["top"] == {"bottom.low", "bottom.high"}
    assert shown["top"] & shown["bottom"] == {"start", "bot", "00", "01", "10", "11", "12", "21", "22"}


# --- random models -------------------------------------------------------------------------------------


def test_random_models_are_reproducible() -> None:
    assert random_hidden_model(seed=3) == random_hidden_model(seed=3)
    assert random_hidden_model(seed=3) != random_hidden_model(seed=4)
    assert hmm.write(random_hidden_model(states=2, seed=7)) == PINNED


@pytest.mark.parametrize("seed", range(5))
def test_random_models_show_everything_or_halt(seed: int) -> None:
    model = random_hidden_model(states=8, observations=3, degree=4, halting=30, seed=seed)
    assert len(model.states) == 8
    for state in model.states:
        if state.row is None:
            assert state.observations == (("end", Fraction(1)),)
        else:
            assert [o for o, _ in state.observations] == ["a0", "a1", "a2"]
            assert len(state.row) == 4
    assert model.pairs_of(model.scenario()) == (Pair("first", "second"), Pair("second", "first"))

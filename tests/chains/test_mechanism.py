"""Mechanisms as Python functions: the chain has the distribution of what is seen, and tricks are noticed."""

from __future__ import annotations

import copy
import itertools
import random
import secrets
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import factorial
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings

import bdist
from bdist.chains.mechanism import Mechanism, Rng, mechanism, shown_text
from bdist.chains.quotient import quotient
from bdist.errors import ModelError, ParameterError
from tests.oracles import mechanisms as oracle
from tests.oracles.traces import words

INPUTS = ("left", "right")
LONGEST = 20  # more than a small tree shows


def _run(function: Callable[..., Any], *inputs: Any, **more: Any) -> Mechanism:
    made: Mechanism = mechanism(function, inputs=inputs or (0,), **more)
    return made


@settings(max_examples=100, deadline=None)
@given(oracle.trees(INPUTS))
def test_the_chain_has_the_distribution_of_what_is_seen(tree: Any) -> None:
    made = _run(oracle.function(tree), *INPUTS)
    for given_input in INPUTS:
        expected = {tuple(map(str, seen)): p for seen, p in oracle.distribution(tree, given_input).items()}
        found = words(made.chain, made.state(given_input), LONGEST)
        assert all(word[0] == "start" for word in found)
        cut = {tuple(itertools.takewhile(lambda x: x != "end", word[1:])): p for word, p in found.items()}
        assert cut == expected


@settings(max_examples=50, deadline=None)
@given(oracle.trees(INPUTS))
def test_no_two_states_but_inputs_are_bisimilar(tree: Any) -> None:
    made = _run(oracle.function(tree), *INPUTS)
    merged = {state for c in quotient(made.chain).classes if len(c) > 1 for state in c}
    assert merged <= set(INPUTS)


def _outcomes(draw: Callable[[Rng], Any]) -> dict[str, Fraction]:
    made = _run(lambda rng, _: draw(rng))
    return {made.chain.label(state): p for state, p in made.chain.row("0").items()}


def test_geometric_noise_is_clamped_with_its_tails() -> None:
    # the tails, summed far out: what is left beyond is below the tolerance of the last comparison
    ratio, low, high = Fraction(1, 3), -2, 1
    expected: dict[str, Fraction] = {}
    for k in range(-60, 61):
        end = str(min(max(k, low), high))
        weight = (1 - ratio) / (1 + ratio) * ratio ** abs(k)
        expected[end] = expected.get(end, Fraction(0)) + weight
    found = _outcomes(lambda rng: rng.geometric("1/3", low, high))
    assert sum(found.values()) == 1
    assert all(0 <= found[k] - expected[k] < Fraction(1, 10**20) for k in expected)
    assert _outcomes(lambda rng: rng.geometric("1/2", 0, 0)) == {"0": 1}
    assert _outcomes(lambda rng: rng.geometric(0, -1, 1)) == {"0": 1}


def test_permutations_and_uniform_integers_are_equally_likely() -> None:
    found = _outcomes(lambda rng: rng.permutation("abcd"))
    assert set(found.values()) == {Fraction(1, factorial(4))}
    assert len(found) == factorial(4)
    assert _outcomes(lambda rng: rng.permutation("aab")) == dict.fromkeys(
        ["['a', 'a', 'b']", "['a', 'b', 'a']", "['b', 'a', 'a']"], Fraction(1, 3)
    )
    assert len(_outcomes(lambda rng: rng.permutation([1, True]))) == 2
    assert _outcomes(lambda rng: rng.uniform(7)) == {str(k): Fraction(1, 7) for k in range(7)}


def test_showing_and_returning_are_told_apart() -> None:
    made = _run(lambda rng, i: rng.show("x") if i else "x", 0, 1)
    assert bdist.true_delta(made.chain, made.state(0), made.state(1), alpha=1).bracket.upper.value == 1


def test_what_is_never_returned_is_not_shown() -> None:
    made = _run(lambda rng, i: rng.show(i), 0, 1)
    assert sorted(set(made.chain.labels)) == ["0", "1", "end", "start"]


def test_labels_of_ours_give_way_to_what_is_shown() -> None:
    def tricky(rng: Rng, i: str) -> str:
        rng.show("start")
        rng.show("cut-a")
        while rng.flip():
            pass
        return "end"

    made = _run(tricky, "a", "a#", draws=2)
    ours = {made.chain.label("a"), *made.chain.labels} - {"start", "cut-a", "end"}
    assert ours == {"start#", "end#", "cut#-a", "cut#-a#"}


def test_an_outcome_of_probability_zero_does_not_occur() -> None:
    assert _outcomes(lambda rng: 1 // rng.choose({0: 0, 1: 1})) == {"1": 1}


class _Color(Enum):
    RED = 1


def test_values_are_shown_by_texts_that_tell_them_apart() -> None:
    values = [
        None,
        True,
        1,
        -0.0,
        0.0,
        b"x",
        Fraction(1, 2),
        (1, "1"),
        [1, "1"],
        {"a": (1,)},
        _Color.RED,
        "x",
    ]
    found = _outcomes(lambda rng: rng.choose(values))
    assert len(found) == len(values)


class _Same:
    """What its heirs print hides what they are."""

    def __repr__(self) -> str:
        return "same"

    __str__ = __repr__


class _Text(_Same, str):
    __slots__ = ()


class _Number(_Same, int):
    pass


class _Tuple(_Same, tuple[int, ...]):
    pass


class _Dict(_Same, dict[int, int]):
    pass


class _Choice(_Same, Enum):
    LEFT = 1
    RIGHT = 2


@pytest.mark.parametrize("kind", [_Text, _Number, lambda x: _Tuple([x]), lambda x: _Dict({x: 0}), _Choice])
def test_a_class_that_prints_alike_hides_no_difference(kind: Callable[[int], Any]) -> None:
    for wrapped in (lambda x: x, lambda x: [x]):
        made = _run(lambda rng, x, wrapped=wrapped: wrapped(kind(x)), 1, 2)
        assert bdist.true_delta(made.chain, "1", "2", alpha=1).bracket.lower.value == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.int64(0), 0),
        (np.float64(0.5), 0.5),
        ([np.str_("a")], ["a"]),
        (defaultdict(lambda: 0, {1: 2}), defaultdict(lambda: 1, {1: 2})),
        (Fraction(3), 3),
    ],
)
def test_equal_values_are_shown_alike(one: Any, other: Any) -> None:
    assert shown_text(one) == shown_text(other)


def test_integers_of_numpy_are_integers() -> None:
    bounds = np.array([-50, 50])
    found = _outcomes(lambda rng: rng.geometric("1/3", *bounds))
    assert found == _outcomes(lambda rng: rng.geometric("1/3", -50, 50))
    assert sum(found.values()) == 1


def test_the_text_none_is_no_return_of_nothing() -> None:
    assert "None" in _run(lambda rng, _: rng.show("None")).chain.labels


def test_large_ranges_are_not_listed() -> None:
    with pytest.raises(ModelError, match="has more than 10 runs"):
        assert _run(lambda rng, _: rng.uniform(10**18), runs=10).chain
    assert 0 <= bdist.SystemRng().uniform(2**62) < 2**62


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda rng, _: rng.flip(0.5), "before any draw: probability of True is the float 0.5"),
        (lambda rng, _: rng.flip("3/2"), "flip has the probability 3/2, which is not from 0 to 1"),
        (lambda rng, _: rng.choose({1: "1/2", 2: "1/3"}), "which sum to 5/6, not to 1"),
        (lambda rng, _: rng.choose({1: "3/2", 2: "-1/2"}), "and one is negative"),
        (lambda rng, _: rng.choose([]), "choose has nothing to choose from"),
        (lambda rng, _: rng.geometric(1, -1, 1), "the ratio must be from 0 to below 1"),
        (lambda rng, _: rng.geometric("1/2", 1, 2), "low <= 0 <= high"),
        (lambda rng, _: rng.choose("ab") + 1, "after the draws 'a': TypeError: can only"),
        (lambda rng, _: object(), "a value of the type object is shown"),
        (lambda rng, _: [{1}], "a value of the type set is shown"),
        (lambda rng, _: Decimal(1), "a value of the type decimal.Decimal is shown; shown are texts"),
        (lambda rng, _: "yes\n", r"the text 'yes\n' is shown, and no label holds such a character"),
        (lambda rng, _: sys.exit(3), "before any draw: SystemExit: 3"),
        (lambda rng, _: copy.deepcopy({"rng": rng})["rng"].flip(), "rng is not copied or pickled"),
        (lambda rng, _: rng.uniform(0), "uniform(0): the count must be from 1"),
        (lambda rng, _: rng.choose({}), "choose has nothing to choose from"),
        (lambda rng, _: rng.geometric("1/2", -(10**9), 0), "and fewer than 1000000 apart"),
        (lambda rng, _: _recursive(rng), "draws=N cuts runs off"),
        (lambda rng, _: rng.choose(["1", 1]), "shows both the text '1' and a value printed like it"),
        (lambda rng, _: [rng.flip() for _ in iter(int, 1)], "a run with more than 10000 draws; draws=N"),
    ],
)
def test_what_goes_wrong_is_told_with_the_run(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        assert _run(function).chain
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def _recursive(rng: Rng) -> int:
    return 1 + _recursive(rng) if rng.flip() else 0


def test_a_run_that_fails_is_the_cause() -> None:
    with pytest.raises(ModelError) as caught:
        assert _run(lambda rng, _: 1 // rng.uniform(2)).chain
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def _clock(state: list[int]) -> int:
    state[0] += 1
    return state[0]


def _remembering() -> Callable[[Rng, Any], Any]:
    """A mechanism in which one run leaves something behind for the next."""
    memory: list[str] = []

    def run(rng: Rng, _: Any) -> Any:
        side = rng.choose(["one", "two"])
        if side == "one":
            memory.append(side)
            return side
        return len(memory)

    return run


def _swallowing(rng: Rng, _: Any) -> str:
    try:
        rng.choose(range(1 + random.randrange(2)))  # noqa: S311
        rng.choose(range(1 + random.randrange(2)))  # noqa: S311
    except BaseException:  # noqa: S110
        pass
    return "done"


@pytest.mark.parametrize(
    "function",
    [
        lambda rng, _, state=[0]: _clock(state),
        lambda rng, _: random.random(),  # noqa: S311
        lambda rng, _, state=[0]: rng.uniform(1 + _clock(state) % 3),
        lambda rng, _, state=[0]: (
            rng.choose({0: Fraction(1, 1 + _clock(state)), 1: "1/2"}) * 0
            if state[0] > 5
            else rng.flip(Fraction(1, 1 + _clock(state)))
        ),
        _remembering(),
        _swallowing,
        # counters that go round: with each call, with every second, and where only a sum tells
        lambda rng, _, state=[0]: (rng.flip(), _clock(state) % 2),
        lambda rng, _, state=[0]: (_clock(state) - 1) // 2 % 2,
        lambda rng, _, state=[0]: rng.flip(["1/3", "1/2", "1/2", "1/3"][_clock(state) % 4]),
        # the rng of an earlier run
        lambda rng, _, kept=[]: kept.append(rng) or kept[0].flip(),
        lambda rng, _, kept=[]: kept.append(rng) or (len(kept) > 1 and kept[-2].show("late")),
        lambda rng, _, kept=[]: kept.append(rng) or len(kept) < 2 or _first_or_true(kept[0]),
    ],
)
def test_randomness_from_elsewhere_is_refused(function: Callable[..., Any]) -> None:
    random.seed(1)
    with pytest.raises(ModelError, match=r"does not do the same again|sum to|rng of a run that has ended"):
        assert _run(function, 0, 1).chain


def _first_or_true(rng: Rng) -> bool:
    try:
        return bool(rng.flip())
    except Exception:
        return True


def test_a_mechanism_may_change_its_input() -> None:
    def spoiling(rng: Rng, items: list[int]) -> int:
        if rng.flip():
            items.sort()
            return 0
        return items[0]

    made = _run(spoiling, [3, 1])
    assert {made.chain.label(s) for s in made.chain.row(made.state([3, 1]))} == {"0", "3"}


def test_too_many_runs_are_refused_with_how_far_it_got() -> None:
    with pytest.raises(ModelError, match=r"has more than 10 runs; those so far have the probability 0\.0107"):
        assert _run(lambda rng, _: [rng.flip() for _ in range(10)], runs=10).chain


def test_runs_are_cut_off_even_where_everything_is_caught() -> None:
    def stubborn(rng: Rng, given_input: int) -> str:
        while True:
            try:
                if not rng.flip():
                    return "done"
            except BaseException as stopped:
                if given_input:
                    raise ValueError("caught") from stopped
                return "caught"

    made = _run(stubborn, 0, 1, draws=3)
    assert made.remainders == {"0": Fraction(1, 8), "1": Fraction(1, 8)}
    assert "caught" not in made.chain.labels


def test_inputs_are_named_as_states_are() -> None:
    made = _run(lambda rng, i: 0, (0, "x"), "0,x", 7, "x\n")
    assert made.chain.states[:4] == ("0,x", "0,x#2", "7", r"'x\n'")
    assert made.state("0,x") == "0,x#2"
    with pytest.raises(ParameterError, match="8 is no input"):
        made.state(8)


@pytest.mark.parametrize(
    ("neighbours", "expected"),
    [
        ("all", {("0,0", "0,1"), ("0,0", "1,1"), ("0,1", "1,1")}),
        ("hamming", {("0,0", "0,1"), ("0,1", "1,1")}),
        (lambda a, b: sum(a) > sum(b) + 1, {("0,0", "1,1")}),
        ([((1, 1), (0, 1))], {("1,1", "0,1")}),
    ],
)
def test_neighbours(neighbours: Any, expected: set[tuple[str, str]]) -> None:
    made = _run(lambda rng, i: 0, (0, 0), (0, 1), (1, 1), neighbours=neighbours)
    assert set(made.relation) == expected


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"inputs": []}, "a mechanism needs inputs"),
        ({"inputs": [1, 2, 1]}, "the input 1 stands twice"),
        ({"inputs": [1], "draws": 0}, "draws = 0 must be an integer, at least 1"),
        ({"inputs": [1], "draws": "40"}, "draws = '40' must be an integer"),
        ({"inputs": 5}, "inputs is a int; it must be a list"),
        ({"inputs": [np.zeros(2), np.ones(2)]}, "one of the type ndarray cannot be"),
        ({"inputs": [1, 2], "neighbours": 5}, "neighbours is a int; it must be 'all'"),
        ({"inputs": [1, 2], "neighbours": [(1, 2, 3)]}, r"has \(1, 2, 3\), which is no pair of inputs"),
        ({"inputs": [1, 2], "neighbours": "hamming"}, "some inputs are no sequences"),
        ({"inputs": [1, 2], "neighbours": "near"}, "neighbours is 'near'"),
        ({"inputs": [1, 2], "neighbours": [(1, 3)]}, "3 is no input"),
    ],
)
def test_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        assert mechanism(lambda rng, i: 0, **parameters).relation


def test_a_decorated_function_is_still_the_function() -> None:
    @bdist.mechanism(inputs=[1, 2])  # type: ignore[untyped-decorator]
    def double(rng: Rng, x: int) -> int:
        return 2 * x

    assert double(None, 4) == 8
    assert double.chain.name == "double"


def test_the_randomness_of_the_system_has_exactly_these_probabilities() -> None:
    def draws(rng: Rng, _: Any) -> list[object]:
        return [rng.flip("1/3"), rng.choose({"a": "1/4", "b": "3/4", "c": 0}), rng.uniform(3)]

    made, counts = _run(draws), Counter[str]()
    for numbers in itertools.product(range(3), range(4), range(3)):
        with mock.patch.object(secrets, "randbelow", side_effect=numbers):
            counts[str(draws(bdist.SystemRng(), 0))] += 1
    expected = {made.chain.label(state): p for state, p in made.chain.row("0").items()}
    assert {seen: Fraction(n, 36) for seen, n in counts.items()} == expected
    rng = bdist.SystemRng()
    rng.show(rng.geometric("1/2", -1, 1))
    assert rng.shown[0][0] in ("-1", "0", "1")

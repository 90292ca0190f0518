"""Families of automata: what each promises, held against the talk's definitions, read naively."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.dipa import text as dipa
from bdist.dipa.automaton import Automaton, Guard, Noise, Real, Transition, fingerprint
from bdist.dipa.families import (
    AUTOMATA,
    automaton_ladder,
    below_then_above,
    descending_order,
    leaking_threshold,
    make_automaton,
    numeric_sparse,
    random_automaton,
    sparse_vector,
    sparse_vectors,
    thresholds,
)
from bdist.errors import ParameterError
from bdist.family import Value

COEFFICIENTS = st.fractions(min_value=Fraction(1, 20), max_value=5, max_denominator=20)
PINNED = """\
dipa random-automaton-7
state q0 input [2, 3]
state q1 input [1/4, 0]
state q2 input [1, 0]
state q3 input [2, 0]
q0 -> q2 true / insample x := insample
q2 -> q3 insample < x / insample x := insample
q2 -> q1 insample >= x / a
q3 -> q3 true / c
"""
PINNED_FINGERPRINT = "f0aefc9fa93ac52e395707227278cd8016670df2bae2ae27c4f4e978abe7d6ff"


class Talk:
    """The definitions of the talk, for finite outputs and few states: everything by what reaches what."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.after = [self._reached(state) for state in range(len(automaton.states))]
        reached = self.after[automaton.initial]
        self.moves = [move for move in automaton.transitions if move.source in reached]

    def _reached(self, state: int) -> set[int]:
        found, new = {state}, [state]
        while new:
            for number in self.automaton.outgoing[new.pop()]:
                target = self.automaton.transitions[number].target
                if target not in found:
                    found.add(target)
                    new.append(target)
        return found

    def on_cycle(self, move: Transition) -> bool:
        return move.source in self.after[move.target]

    def together(self, one: Transition, other: Transition) -> bool:
        """Whether some cycle has both."""
        return other.source in self.after[one.target] and one.source in self.after[other.target]

    def leaking_cycle(self) -> bool:
        stores = [move for move in self.moves if move.assigns]
        compares = [move for move in self.moves if move.guard is not Guard.TRUE]
        return any(self.together(store, compare) for store in stores for compare in compares)

    def leaking_pair(self) -> bool:
        cycles = {
            guard: [move for move in self.moves if move.guard is guard and self.on_cycle(move)]
            for guard in (Guard.LESS, Guard.AT_LEAST)
        }
        ways = ((Guard.LESS, Guard.AT_LEAST), (Guard.AT_LEAST, Guard.LESS))
        return any(
            second.source in self._reached_by(first.target, between)
            for one, between in ways
            for first in cycles[one]
            for second in cycles[between]
        )

    def _reached_by(self, state: int, stores: Guard) -> set[int]:
        """What is reached by a path whose stores are all under that guard."""
        found, new = {state}, [state]
        while new:
            here = new.pop()
            for move in self.moves:
                allowed = not move.assigns or move.guard is stores
                if move.source == here and allowed and move.target not in found:
                    found.add(move.target)
                    new.append(move.target)
        return found

    def cost(self, move: Transition) -> Fraction:
        state = self.automaton.states[move.source]
        return state.noise.d * (2 if state.reads_input else 1)

    def weight(self) -> Fraction:
        @cache
        def heaviest(state: int) -> Fraction:
            """From there: along a cycle for nothing, and away from it by a critical transition."""
            component = {other for other in self.after[state] if state in self.after[other]}
            leaving = [move for move in self.moves if move.source in component and not self.on_cycle(move)]
            return max((self.cost(move) + heaviest(move.target) for move in leaving), default=Fraction(0))

        return heaviest(self.automaton.initial)


def private_weight(automaton: Automaton) -> Fraction | None:
    """The weight of a private automaton with finite outputs, None if it is not private."""
    talk = Talk(automaton)
    assert not any(isinstance(move.output, Real) for move in automaton.transitions)
    return None if talk.leaking_cycle() or talk.leaking_pair() else talk.weight()


# --- the registry --------------------------------------------------------------------------------------


def test_order_and_names() -> None:
    assert list(AUTOMATA) == [
        "sparse-vector",
        "sparse-vector-leaking-threshold",
        "descending-order",
        "below-then-above",
        "numeric-sparse",
        "sparse-vectors",
        "thresholds",
        "random-automaton",
        "automaton-ladder",
    ]


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        (
            "sparse-vectr",
            {},
            r"no family of automata 'sparse-vectr'; did you mean sparse-vectors?\? there are sparse-vector, ",
        ),
        ("sparse-vector", {"treshold": "1"}, r"did you mean threshold\? there are threshold, query$"),
        ("sparse-vector", {"query": "0"}, "parameter query is 0; it must be strictly between 0 and 1000000"),
        ("numeric-sparse", {"answer": "-1/9"}, "parameter answer is -1/9; it must be strictly between 0"),
        ("sparse-vectors", {"blocks": "0"}, "parameter blocks is 0; it must be an integer from 1 to 300000"),
        ("thresholds", {"last": "beside"}, "parameter last is 'beside'; it must be below or above"),
        ("random-automaton", {"reals": "101"}, "parameter reals is 101; it must be an integer from 0 to 100"),
        ("random-automaton", {"states": "0"}, "parameter states is 0; it must be an integer from 1 to"),
        (
            "automaton-ladder",
            {"transitions": "0"},
            "parameter transitions is 0; it must be an integer from 1",
        ),
    ],
)
def test_refusals_say_what_there_is(name: str, values: dict[str, Value], message: str) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        make_automaton(name, values)
    assert "\n" not in str(caught.value)


# --- the families --------------------------------------------------------------------------------------


def test_the_sparse_vector_of_the_talk() -> None:
    automaton = sparse_vector()
    assert dipa.write(automaton) == (
        "dipa sparse-vector\nstate q0 [1/2, 0]\nstate q1 input [1/4, 0]\nstate stop [1, 0]\n"
        "q0 -> q1 true / bot x := insample\nq1 -> q1 insample < x / bot\nq1 -> stop insample >= x / top\n"
    )
    assert private_weight(automaton) == 1


@given(COEFFICIENTS, COEFFICIENTS)
@settings(max_examples=10)
def test_the_weight_of_the_sparse_vector(threshold: Fraction, query: Fraction) -> None:
    assert private_weight(sparse_vector(threshold, query)) == threshold + 2 * query


def test_the_leaking_threshold_differs_from_the_sparse_vector_in_its_first_output() -> None:
    plain, leaking = sparse_vector(), leaking_threshold()
    assert leaking.states == plain.states
    assert leaking.transitions[1:] == plain.transitions[1:]
    assert leaking.transitions[0] == Transition(0, 1, Guard.TRUE, Real.SAMPLE, True)


def test_the_talks_leaks() -> None:
    descending, pair = Talk(descending_order(Fraction(1, 3))), Talk(below_then_above())
    assert (descending.leaking_cycle(), descending.leaking_pair()) == (True, False)
    assert descending.automaton.states[0].noise == Noise(Fraction(1, 3))
    assert (pair.leaking_cycle(), pair.leaking_pair()) == (False, True)


def test_numeric_sparse_answers_by_its_own_noise() -> None:
    automaton = numeric_sparse()
    asking = automaton.states[1]
    assert (asking.noise, asking.second) == (Noise(Fraction(2, 9)), Noise(Fraction(1, 9)))
    assert [move.output for move in automaton.transitions] == ["bot", "bot", Real.SECOND]
    assert numeric_sparse(answer=Fraction(3)).states[1].second == Noise(Fraction(3))


@given(st.integers(1, 6), COEFFICIENTS, COEFFICIENTS)
@settings(max_examples=20)
def test_budgets_of_fresh_thresholds_add_up(blocks: int, threshold: Fraction, query: Fraction) -> None:
    automaton = sparse_vectors(blocks, threshold, query)
    assert len(automaton.transitions) == 3 * blocks
    assert private_weight(automaton) == blocks * (threshold + 2 * query)
    assert private_weight(sparse_vectors(blocks)) == blocks


@given(st.integers(1, 6), COEFFICIENTS, COEFFICIENTS)
@settings(max_examples=20)
def test_thresholds_that_rise_are_private_until_one_is_watched_from_above(
    blocks: int, threshold: Fraction, query: Fraction
) -> None:
    weight = threshold + 2 * blocks * query
    assert private_weight(thresholds(blocks, threshold, query)) == weight
    above = private_weight(thresholds(blocks, threshold, query, "above"))
    assert above == (weight if blocks == 1 else None)


@given(st.integers(1, 40))
@settings(max_examples=25)
def test_a_ladder_has_the_transitions_asked_for_and_is_private(transitions: int) -> None:
    automaton = automaton_ladder(transitions)
    assert len(automaton.transitions) == transitions
    rungs, rest = divmod(transitions - 1, 5)
    assert private_weight(automaton) == rungs + Fraction(rest + 1, 2)
    talk = Talk(automaton)
    cycles = {
        frozenset(after & {s for s in after if i in talk.after[s]}) for i, after in enumerate(talk.after)
    }
    assert sorted(map(len, cycles)) == [1] * (rest + 1 + rungs + 1) + [2] * rungs
    assert {move.guard for move in automaton.transitions if talk.on_cycle(move)} == set(
        [Guard.LESS, Guard.AT_LEAST][: min(rungs, 2)]
    )


def test_a_large_ladder() -> None:
    automaton = make_automaton("automaton-ladder", {"transitions": "5000"})
    assert (len(automaton.states), len(automaton.transitions)) == (3_003, 5_000)


# --- random automata -----------------------------------------------------------------------------------


def test_a_seed_means_the_same_automaton_for_ever() -> None:
    assert dipa.write(random_automaton(states=4, seed=7, reals=60)) == PINNED
    assert fingerprint(random_automaton(500, 3)) == PINNED_FINGERPRINT


@given(
    st.integers(1, 12),
    st.integers(0, 2**64 - 1),
    st.lists(st.sampled_from([0, 1, 20, 50, 99, 100]), min_size=5, max_size=5),
)
@settings(max_examples=50)
def test_random_automata_are_automata(states: int, seed: int, shares: list[int]) -> None:
    automaton = random_automaton(states, seed, *shares)
    assert [state.name for state in automaton.states] == [f"q{i}" for i in range(states)]
    assert automaton == random_automaton(states, seed, *shares)
    assert dipa.read(dipa.write(automaton)) == automaton
    assert all(
        (state.second is not None) == (Real.SECOND in outputs_of(automaton, number))
        for number, state in enumerate(automaton.states)
    )


def outputs_of(automaton: Automaton, state: int) -> list[object]:
    return [automaton.transitions[number].output for number in automaton.outgoing[state]]


def test_shares_of_none_and_all() -> None:
    others = random_automaton(60, 2, assignments=0).transitions[1:]
    assert others
    assert not any(move.assigns for move in others)
    assert all(move.assigns for move in random_automaton(60, 2, assignments=100).transitions)
    assert not any(isinstance(move.output, Real) for move in random_automaton(60, 2, reals=0).transitions)
    real = random_automaton(60, 2, reals=100)
    for state, numbers in enumerate(real.outgoing):
        assert sum(isinstance(output, Real) for output in outputs_of(real, state)) == min(1, len(numbers))
    assert not any(state.reads_input for state in random_automaton(60, 2, inputs=0).states)
    assert all(state.reads_input for state in random_automaton(60, 2, inputs=100).states)
    loops = random_automaton(60, 2, loops=100).transitions[1:]
    assert all(move.source == move.target for move in loops)
    onward = random_automaton(60, 2, loops=0, backward=0).transitions
    assert all(move.source < move.target for move in onward if move.source < 59)


def test_everything_occurs_and_seeds_differ() -> None:
    many = random_automaton(400, 5)
    assert {move.output for move in many.transitions} == {"a", "b", "c", *Real}
    guards = {tuple(many.transitions[number].guard for number in numbers) for numbers in many.outgoing}
    assert guards == {(), (Guard.TRUE,), (Guard.LESS,), (Guard.AT_LEAST,), (Guard.LESS, Guard.AT_LEAST)}
    assert len({random_automaton(seed=seed) for seed in range(50)}) == 50
    verdicts = [private_weight(random_automaton(seed=seed, reals=0)) is not None for seed in range(60)]
    assert 20 < sum(verdicts) < 50

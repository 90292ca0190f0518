"""Chains from a step function: what is found, in which order, under which names, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings

import bdist
from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import ModelError, ParameterError
from tests.oracles.strategies import chains


@settings(max_examples=50, deadline=None)
@given(chains())
def test_a_chain_is_built_again_from_its_rows(chain: LabelledMarkovChain) -> None:
    states = chain.states
    assert bdist.build(states, chain.row, chain.label, names=str) == chain


def test_states_are_met_breadth_first_from_the_starts() -> None:
    chain = bdist.build(
        [5], lambda n: [(n // 2, "1/2"), (max(n - 1, 0), "1/2")], lambda n: "odd" if n % 2 else "even"
    )
    assert chain.states == ("5", "2", "4", "1", "3", "0")
    assert chain.row("1") == {"0": 1}  # both entries added


class Point(NamedTuple):
    x: int
    done: bool


@dataclass(frozen=True)
class Place:
    x: int
    s: str


@pytest.mark.parametrize(
    ("state", "name"),
    [
        ("a b", "a b"),
        ((0, "x", Fraction(1, 2)), "0,x,1/2"),
        (Point(3, True), "x=3,done=True"),
        (Place(3, "go"), "x=3,s=go"),
        (frozenset({1}), "frozenset({1})"),
        ((), "()"),
        ((np.int64(3), True), "3,True"),
        ("a\n", r"'a\n'"),
        (None, "None"),
    ],
)
def test_names(state: Any, name: str) -> None:
    assert bdist.build([state], lambda s: {s: 1}, lambda s: "a").states == (name,)


def test_names_are_made_unique() -> None:
    chain = bdist.build(["1", 1, "1#2"], lambda s: {s: 1}, lambda s: "a")
    assert chain.states == ("1", "1#2", "1#2#2")


@pytest.mark.parametrize(
    ("step", "error", "message"),
    [
        (lambda s: {s: "1/2"}, ModelError, "the row of state 's' sums to 1/2, not to 1"),
        (lambda s: {s: 0.5, "t": 0.5}, ParameterError, "is the float 0.5; write '0.5' or Fraction"),
        (lambda s: None, ModelError, "successors of state 's' are a NoneType; give {state: probability}"),
        (lambda s: [(s, 1, 2)], ModelError, r"goes to \('s', 1, 2\), which is no pair of a state and a"),
        (lambda s: [([], 1)], ModelError, r"goes to \[\], a list; a state is a hashable value"),
        (lambda s: {s + "x": 1}, ModelError, "more than 9 states: 8 of 9 were explored"),
        (lambda s: {s: 2, s + "t": -1} if s == "s" else {s: 1}, ModelError, "not positive"),
    ],
)
def test_refusals(step: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bdist.build(["s"], step, lambda s: "a", limit=9)


def test_floats_are_read_in_a_way_that_is_named() -> None:
    chain = bdist.build([0], lambda s: {0: 1 / 3, 1: 2 / 3} if s == 0 else {s: 1}, str, floats="simplest")
    assert chain.row("0") == {"0": Fraction(1, 3), "1": Fraction(2, 3)}


def test_an_exception_says_at_which_state() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        bdist.build([1], lambda s: {s - 1: 1 // s}, str)
    assert caught.value.__notes__ == ["bdist.build: at state '0'"]


def test_progress_and_limit() -> None:
    told: list[tuple[int, int]] = []
    bdist.build([0], lambda s: {min(s + 1, 2999): 1}, str, progress=lambda *at: told.append(at))
    assert told == [(1000, 1001), (2000, 2001), (3000, 3000)]
    with pytest.raises(ParameterError, match="limit = 0"):
        bdist.build([0], lambda s: {s: 1}, str, limit=0)

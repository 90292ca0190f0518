"""Leaks with numbers: adjacent inputs, rigorous probabilities, a quotient that grows without end."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, given, settings

from bdist.budget import Budget
from bdist.dipa.automaton import Automaton
from bdist.dipa.decision import Structure, decide, find_violation
from bdist.dipa.families import make_automaton
from bdist.dipa.probability import path_probability
from bdist.dipa.witness import Witness, witness_for, witnesses
from bdist.errors import ParameterError
from tests.oracles.dipa_automata import automata

LEAKING = ["sparse-vector-leaking-threshold", "descending-order", "below-then-above"]


def check(automaton: Automaton, witness: Witness) -> None:
    """The two runs take the same path with the same outputs on adjacent inputs, and the numbers are true."""
    assert [step.transition for step in witness.consistent] == [step.transition for step in witness.opposed]
    assert [step.interval for step in witness.consistent] == [step.interval for step in witness.opposed]
    for one, other in zip(witness.consistent, witness.opposed, strict=True):
        assert (one.input is None) == (other.input is None)
        if one.input is not None and other.input is not None:
            assert abs(one.input - other.input) <= 1
    for path, known in ((witness.consistent, witness.likely), (witness.opposed, witness.unlikely)):
        again = path_probability(automaton, path, witness.epsilon, relative=Fraction(1, 10**12))
        assert known.lower.value <= again.upper.value
        assert again.lower.value <= known.upper.value


@pytest.mark.parametrize("family", LEAKING)
def test_the_ratio_grows_until_it_is_as_large_as_asked_for(family: str) -> None:
    automaton = make_automaton(family)
    violation = decide(automaton).violation
    assert violation is not None
    shown = witness_for(automaton, violation, Fraction(1), Fraction(20))
    assert shown[-1].ratio >= 20
    assert all(one.ratio < other.ratio for one, other in pairwise(shown[1:]))
    for witness in shown[:4]:
        check(automaton, witness)


@pytest.mark.parametrize("epsilon", ["1/4", "3"])
def test_at_every_epsilon(epsilon: str) -> None:
    automaton = make_automaton("below-then-above")
    violation = decide(automaton).violation
    assert violation is not None
    assert witness_for(automaton, violation, Fraction(epsilon), Fraction(50))[-1].ratio >= 50


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(automata())
def test_every_violation_of_a_random_automaton_shows_in_numbers(automaton: Automaton) -> None:
    violation = find_violation(Structure(automaton))
    assume(violation is not None)
    assert violation is not None
    shown = witness_for(automaton, violation, Fraction(1), Fraction(4), Budget(20.0))
    assert shown[-1].ratio >= 4, [float(w.ratio) for w in shown]
    check(automaton, shown[0])


def test_a_budget_ends_the_search() -> None:
    automaton = make_automaton("descending-order")
    violation = decide(automaton).violation
    assert violation is not None
    budget = Budget(0.0)
    assert len(list(witnesses(automaton, violation, Fraction(1), budget))) <= 1
    with pytest.raises(ParameterError, match="must be positive"):
        next(witnesses(automaton, violation, Fraction(0)))

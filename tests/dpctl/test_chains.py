"""Model checking of dpCTL* against an oracle that computes the probabilities of runs in another way.

The package removes temporal operators one by one; the oracle (tests/oracles/dpctl_ltl.py) finds out which
sets of subformulas can be true together and solves one system for all of them. Random bounds are seldom met
exactly, so some of the tests below take the probabilities that the oracle has found as bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bdist import dpctl
from bdist.dpctl.formulas import (
    And,
    Comparison,
    Formula,
    Next,
    Not,
    Private,
    Probability,
    Until,
    mentions_privacy,
)
from bdist.errors import ParameterError
from bdist.exact.epsilon import Epsilon
from tests.oracles import dpctl_ltl as oracle
from tests.oracles.dpctl_models import Model, models, path_formulas, state_formulas, winding_models


def is_refused(model: Model, formula: Formula, ask: Callable[..., object]) -> bool:
    """Whether there is a D and nothing for it to speak of; then it must not be answered."""
    if any(s != t for s, t in model.neighbours) or not mentions_privacy(formula):
        return False
    with pytest.raises(ParameterError, match="D is about neighbours"):
        ask(model.chain, formula, model.neighbours)
    return True


def assert_same_values(model: Model, formula: Formula) -> None:
    if is_refused(model, formula, dpctl.probabilities):
        return
    found = dpctl.probabilities(model.chain, formula, model.neighbours).values
    assert dict(found) == oracle.probabilities(model.rows, model.labels, model.neighbours, formula)


def assert_same_states(model: Model, formula: Formula) -> None:
    if is_refused(model, formula, dpctl.check):
        return
    found = dpctl.check(model.chain, formula, model.neighbours).satisfied
    assert found == oracle.sat(model.rows, model.labels, model.neighbours, formula)


@given(models(max_states=5), st.data())
@settings(max_examples=50, deadline=None)
def test_probabilities(model: Model, data: st.DataObject) -> None:
    assert_same_values(model, data.draw(path_formulas(model.propositions, operators=4)))


@given(winding_models() | models(max_states=5, acyclic=True), st.data())
@settings(max_examples=30, deadline=None)
def test_probabilities_where_runs_can_be_listed(model: Model, data: st.DataObject) -> None:
    formula = data.draw(path_formulas(model.propositions, operators=4))
    found = dpctl.probabilities(model.chain, formula, model.neighbours).values
    assert dict(found) == oracle.by_runs(model.rows, model.labels, formula)


@given(models(max_states=3), st.data())
@settings(max_examples=25, deadline=None)
def test_untils_in_untils(model: Model, data: st.DataObject) -> None:
    """Four untils, nested on both sides; with bounds on some of them, of up to three steps."""
    bound = st.none() | st.none() | st.integers(0, 3)
    a, b, c, d, e = (data.draw(path_formulas(model.propositions, operators=0)) for _ in range(5))
    inner, outer = Until(a, b, data.draw(bound)), Until(c, d, data.draw(bound))
    for formula in (
        Until(inner, outer, data.draw(bound)),
        Until(Not(inner), And(e, Next(outer)), data.draw(bound)),
        Not(Until(Until(inner, e), Not(outer))),
    ):
        assert_same_values(model, formula)


@given(models(), st.data())
@settings(max_examples=30, deadline=None)
def test_probabilities_with_state_formulas_inside(model: Model, data: st.DataObject) -> None:
    assert_same_values(model, data.draw(path_formulas(model.propositions, operators=3, nesting=2)))


@given(models(), st.data())
@settings(max_examples=60, deadline=None)
def test_states(model: Model, data: st.DataObject) -> None:
    assert_same_states(model, data.draw(state_formulas(model.propositions, operators=2, nesting=2)))


@given(models(), st.data())
@settings(max_examples=25, deadline=None)
def test_a_bound_that_is_met_exactly(model: Model, data: st.DataObject) -> None:
    inner = data.draw(path_formulas(model.propositions, operators=3))
    values = oracle.probabilities(model.rows, model.labels, model.neighbours, inner)
    bound = data.draw(st.sampled_from(sorted(set(values.values()))))
    for comparison in Comparison:
        assert_same_states(model, Probability(comparison, bound, inner))


@given(models(), st.data())
@settings(max_examples=30, deadline=None)
def test_privacy_that_is_just_met(model: Model, data: st.DataObject) -> None:
    """With two states as neighbours, for alpha = p/q, for a smaller one, and with the delta that it lacks."""
    inner = data.draw(path_formulas(model.propositions, operators=2))
    values = oracle.probabilities(model.rows, model.labels, [], inner)
    pairs = [(s, t) for s in values for t in values if values[s] > values[t]]
    assume(pairs)
    s, t = data.draw(st.sampled_from(pairs))
    close = Model(model.chain, model.labels, [(t, s)])
    p, q = values[s], values[t]
    smaller = (1 + p / q) / 2 if q else Fraction(2)
    lacking = p - smaller * q
    for alpha, delta, answer in [
        *([(p / q, Fraction(0), True)] if q else []),
        (smaller, Fraction(0), False),
        (smaller, lacking, True),
        (smaller, lacking * Fraction(999, 1000), False),
    ]:
        formula = Private(Epsilon(None, alpha), delta, inner)
        assert (s in dpctl.check(model.chain, formula, close.neighbours).satisfied) is answer
        assert_same_states(close, formula)
    assert_same_states(close, Private(Epsilon(Fraction(1, 2)), Fraction(0), inner))

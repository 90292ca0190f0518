"""The oracle on trial: values derived by hand, all runs where these can be listed, and the laws of LTL."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.dpctl.formulas import And, Atom, Comparison, Formula, Next, Not, Private, Probability, Truth, Until
from bdist.exact.epsilon import Epsilon
from tests.oracles.dpctl_ltl import (
    at_most,
    bottom_components,
    by_prefixes,
    by_runs,
    ltl,
    probabilities,
    sat,
    solve,
)
from tests.oracles.dpctl_models import Model, models, path_formulas, winding_models

F = Fraction
TRUE = Truth()
A, B, C, D = (Atom(name) for name in "abcd")
Rows = dict[str, dict[str, Fraction]]
Labels = dict[str, set[str]]


def eventually(f: Formula) -> Formula:
    return Until(TRUE, f)


def always(f: Formula) -> Formula:
    return Not(eventually(Not(f)))


def implies(f: Formula, g: Formula) -> Formula:
    return Not(And(f, Not(g)))


def coin() -> tuple[Rows, Labels]:
    """Independent letters: a with 1/3, b with 2/3. From both states, what comes next is the same."""
    row = {"x": F(1, 3), "y": F(2, 3)}
    return {"x": dict(row), "y": dict(row)}, {"x": {"a"}, "y": {"b"}}


def two_ends() -> tuple[Rows, Labels]:
    """s stays (1/2), or goes to the cycle u v (1/3), or to the end w (1/6)."""
    rows: Rows = {
        "s": {"s": F(1, 2), "u": F(1, 3), "w": F(1, 6)},
        "u": {"v": F(1)},
        "v": {"u": F(1)},
        "w": {"w": F(1)},
    }
    return rows, {"s": {"a"}, "u": {"b"}, "v": {"b", "c"}, "w": {"c", "d"}}


# --- By hand ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "from_x", "from_y"),
    [
        (always(eventually(A)), 1, 1),
        (eventually(always(A)), 0, 0),
        (always(eventually(And(A, Next(And(A, Next(B)))))), 1, 1),
        (always(implies(A, Next(B))), 0, 0),
        (Until(A, B), 1, 1),
        (Until(A, And(B, Next(B))), F(2, 3), F(2, 3)),  # from x: some a's, one b, and then the next is a b
        # aa comes before bb: from a state with a: u = 1/3 + 2/3 v; with b: v = 1/3 u.
        (Until(Not(And(B, Next(B))), And(A, Next(A))), F(3, 7), F(1, 7)),
        (Next(A), F(1, 3), F(1, 3)),
        (Next(Next(And(A, Next(B)))), F(2, 9), F(2, 9)),
        (And(Next(A), Next(Next(A))), F(1, 9), F(1, 9)),
        (Until(A, B, 0), 0, 1),
        (Until(A, B, 1), F(2, 3), 1),
        (Until(A, B, 3), F(26, 27), 1),
        (Until(TRUE, And(A, Next(A)), 2), F(11, 27), F(5, 27)),  # a.., baa after x; aa., baa after y
        (Not(Until(A, B, 2)), F(1, 9), 0),
        (Not(TRUE), 0, 0),
        (And(A, Not(A)), 0, 0),
    ],
)
def test_independent_letters(formula: Formula, from_x: Fraction | int, from_y: Fraction | int) -> None:
    rows, labels = coin()
    assert ltl(rows, labels, formula) == {"x": from_x, "y": from_y}


@pytest.mark.parametrize(
    ("formula", "from_s"),
    [
        (always(eventually(C)), 1),
        (always(eventually(B)), F(2, 3)),
        (eventually(always(C)), F(1, 3)),
        (eventually(always(B)), F(2, 3)),
        (And(Until(A, B), always(implies(B, Next(B)))), F(2, 3)),
        (And(Until(A, B), always(implies(C, Next(D)))), 0),
        (And(eventually(C), always(implies(C, Next(C)))), F(1, 3)),
        (And(Until(A, C), always(implies(C, Next(D)))), F(1, 3)),
        (Until(A, Until(B, C)), 1),
        (Until(A, And(Not(A), Until(B, C))), 1),
        (Until(A, Until(B, And(C, Not(B)))), F(1, 3)),
        (Until(Until(A, B), C), F(2, 3)),  # on the way to w, a U b fails at s
        (Next(Next(B)), F(1, 2) * F(1, 3) + F(1, 3)),
        (Next(Next(Next(C))), F(1, 6) + F(1, 6) + F(1, 12) + F(1, 24)),  # ssuv, sww, ssw, sssw
        (Until(A, B, 2), F(1, 3) + F(1, 6)),
        (Until(A, D, 3), F(1, 6) * (1 + F(1, 2) + F(1, 4))),
        (Until(A, Until(B, C, 1), 1), F(1, 2)),
        (always(Until(TRUE, C, 1)), F(1, 6)),  # straight to w
        (always(Not(And(B, Next(Not(C))))), F(1, 3)),
    ],
)
def test_two_ends(formula: Formula, from_s: Fraction | int) -> None:
    rows, labels = two_ends()
    assert ltl(rows, labels, formula)["s"] == from_s


def test_each_state_of_a_cycle_has_its_own_value() -> None:
    rows, labels = two_ends()
    assert ltl(rows, labels, always(implies(C, Next(Next(C)))))["s"] == 1
    assert ltl(rows, labels, Next(C)) == {"s": F(1, 6), "u": 1, "v": 0, "w": 1}
    assert ltl(rows, labels, always(Until(Not(C), And(C, B)))) == {"s": F(2, 3), "u": 1, "v": 1, "w": 0}


def test_the_bottom_component_remembers() -> None:
    """Blocks of a's, each of length 1, 2, 3, ... with 1/2, 1/4, 1/8, ..., with one b between two of them."""
    rows: Rows = {"x": {"x": F(1, 2), "y": F(1, 2)}, "y": {"x": F(1)}}
    labels: Labels = {"x": {"a"}, "y": {"b"}}
    assert ltl(rows, labels, Until(A, And(B, Next(And(A, Next(B)))))) == {"x": F(1, 2), "y": F(1, 2)}
    never_bab_ab = always(Not(And(B, Next(Next(And(B, Next(Next(B))))))))
    assert ltl(rows, labels, never_bab_ab) == {"x": 0, "y": 0}
    # A block of three or more before one of one a:
    aaab = And(A, Next(And(A, Next(And(A, Next(B))))))
    bab = And(B, Next(Next(B)))
    # From y: bab (1/2); else y x x: then y (1/4), and again from y; else (1/4) aaab comes for sure.
    assert ltl(rows, labels, Until(Not(bab), aaab))["y"] == F(1, 4) / (1 - F(1, 4))


# --- Against enumeration ------------------------------------------------------------------------------------


def drawn(data: st.DataObject, model: Model, operators: int = 4) -> Formula:
    return data.draw(path_formulas(model.propositions, operators))


@given(models(max_states=5, acyclic=True), st.data())
@settings(max_examples=60, deadline=None)
def test_acyclic_chains_against_all_runs(model: Model, data: st.DataObject) -> None:
    formula = drawn(data, model)
    assert ltl(model.rows, model.labels, formula) == by_runs(model.rows, model.labels, formula)


@given(winding_models(), st.data())
@settings(max_examples=60, deadline=None)
def test_deterministic_cycles_against_all_runs(model: Model, data: st.DataObject) -> None:
    formula = drawn(data, model)
    assert ltl(model.rows, model.labels, formula) == by_runs(model.rows, model.labels, formula)


@given(models(max_states=4), st.data())
@settings(max_examples=40, deadline=None)
def test_what_prefixes_decide(model: Model, data: st.DataObject) -> None:
    formula = drawn(data, model)
    found = ltl(model.rows, model.labels, formula)
    for state, (low, high) in by_prefixes(model.rows, model.labels, formula, 5).items():
        assert low <= found[state] <= high


def test_prefixes_close_in() -> None:
    rows, labels = coin()
    formula = Until(Not(And(B, Next(B))), And(A, Next(A)))
    low, high = by_prefixes(rows, labels, formula, 9)["x"]
    assert low <= F(3, 7) <= high
    assert high - low < F(1, 100)


def test_runs_that_cannot_be_listed_are_refused() -> None:
    with pytest.raises(ValueError, match="exit"):
        by_runs(*two_ends(), A)


# --- Laws ---------------------------------------------------------------------------------------------------


@given(models(max_states=4), st.data())
@settings(max_examples=40, deadline=None)
def test_laws(model: Model, data: st.DataObject) -> None:
    f, g = drawn(data, model, 1), drawn(data, model, 1)
    rows, labels = model.rows, model.labels

    def p(formula: Formula) -> Mapping[str, Fraction]:
        return ltl(rows, labels, formula)

    until = Until(f, g)
    p_until, p_f, p_g, p_both = p(until), p(f), p(g), p(And(f, g))
    p_not, p_next, p_either = p(Not(until)), p(Next(until)), p(Not(And(Not(f), Not(g))))
    within = [p(Until(f, g, bound)) for bound in range(3)]
    p_expanded = p(Not(And(Not(g), Not(And(f, Next(until))))))
    p_often = p(always(eventually(f)))
    p_rarely = p(eventually(always(Not(f))))
    for s in rows:
        assert p_until[s] + p_not[s] == 1
        assert p_next[s] == sum(x * p_until[t] for t, x in rows[s].items())
        assert p_either[s] == p_f[s] + p_g[s] - p_both[s]
        assert p_expanded[s] == p_until[s]
        assert within[0][s] == p_g[s]
        assert all(fewer[s] <= more[s] for fewer, more in pairwise([*within, p_until]))
        assert p_often[s] == sum(x * p_often[t] for t, x in rows[s].items())
        assert p_often[s] + p_rarely[s] == 1
    for component in bottom_components(rows):
        often = any(p_f[s] > 0 for s in component)  # f has a chance again and again
        assert {p_often[s] for s in component} == {int(often)}


# --- dpCTL* -------------------------------------------------------------------------------------------------


def test_the_survey_of_the_paper() -> None:
    """Section 3.1: yes is answered 1 with 3/4, no with 1/4; ln 3 is met exactly, with both answers."""
    rows: Rows = {
        "+": {"1": F(3, 4), "0": F(1, 4)},
        "-": {"1": F(1, 4), "0": F(3, 4)},
        "1": {"1": F(1)},
        "0": {"0": F(1)},
    }
    labels: Labels = {"+": set(), "-": set(), "1": {"out1"}, "0": {"out0"}}
    out = Next(Atom("out1"))
    pairs = [("+", "-")]

    def private(epsilon: object, delta: Fraction | int = 0) -> Formula:
        return Private(Epsilon.of(epsilon), F(delta), out)

    assert probabilities(rows, labels, pairs, out) == {"+": F(3, 4), "-": F(1, 4), "1": 1, "0": 0}
    assert sat(rows, labels, pairs, private("ln 3")) == {"+", "-", "1", "0"}
    assert sat(rows, labels, pairs, private("ln 2")) == {"1", "0"}
    assert sat(rows, labels, pairs, private("ln 2", F(1, 4))) == {"+", "-", "1", "0"}
    assert sat(rows, labels, pairs, private(F(1))) == {"1", "0"}
    assert sat(rows, labels, pairs, private(F(11, 10))) == {"+", "-", "1", "0"}
    assert sat(rows, labels, [("-", "+"), ("1", "0")], private("ln 3")) == {"+", "-"}
    likely = Probability(Comparison.AT_LEAST, F(3, 4), out)
    assert sat(rows, labels, pairs, likely) == {"+", "1"}
    assert sat(rows, labels, pairs, And(Not(likely), private("ln 3"))) == {"-", "0"}
    assert sat(rows, labels, pairs, Probability(Comparison.MORE, F(3, 4), out)) == {"1"}
    nested = Probability(Comparison.MORE, F(1, 2), Next(Probability(Comparison.LESS, F(1), out)))
    assert sat(rows, labels, pairs, nested) == {"-", "0"}
    with pytest.raises(ValueError, match="path formula"):
        sat(rows, labels, pairs, out)


def test_e_is_between_its_convergents() -> None:
    for epsilon, low, high in [
        (F(1), F(2721, 1001), F(1457, 536)),  # convergents of e
        (F(1, 2), F(61, 37), F(94, 57)),  # bounds on its root, 1.648721...
        (F(3), F(20085, 1000), F(20086, 1000)),
    ]:
        assert at_most(low * F(1, 30), Epsilon(epsilon), F(1, 30), F(0))
        assert not at_most(high * F(1, 30), Epsilon(epsilon), F(1, 30), F(0))
        assert at_most(high * F(1, 30), Epsilon(epsilon), F(1, 30), (high - low) / 30)
    assert at_most(F(1, 4), Epsilon(F(1)), F(0), F(1, 4))
    assert not at_most(F(1, 4), Epsilon(F(1)), F(0), F(1, 5))


# --- Parts --------------------------------------------------------------------------------------------------


def test_equations() -> None:
    x, y = {"x": F(1)}, {"y": F(1)}
    assert solve([({"x": F(1), "y": F(1)}, F(3)), ({"x": F(1), "y": F(-1)}, F(1))]) == {"x": 2, "y": 1}
    assert solve([(x, F(1)), (y, F(2)), ({**x, **y}, F(3))]) == {"x": 1, "y": 2}
    with pytest.raises(ArithmeticError, match="contradict"):
        solve([(x, F(1)), (x, F(2))])
    with pytest.raises(ArithmeticError, match="more than one"):
        solve([({**x, **y}, F(1))])
    with pytest.raises(ArithmeticError, match="more than one"):
        solve([(x, F(1)), ({"y": F(0)}, F(0))])


def test_components() -> None:
    graph = {1: [2, 3], 2: [1, 4], 3: [3], 4: [5], 5: [4], 6: [3, 5]}
    assert sorted(map(sorted, bottom_components(graph))) == [[3], [4, 5]]

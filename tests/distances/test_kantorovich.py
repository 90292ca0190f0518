"""K_alpha in its three forms, for any symmetric table, with every backend."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist import ParameterError, kantorovich
from bdist.distances.kantorovich import DirectedKantorovich
from tests.oracles import naive
from tests.oracles.strategies import alphas, distributions, symmetric_tables

Numbers = dict[str, Fraction]
Pairs = dict[tuple[str, str], Fraction]


@st.composite
def problems(draw: st.DrawFn) -> tuple[Numbers, Numbers, Pairs, Fraction]:
    size = draw(st.integers(1, 4))
    names = [f"q{i}" for i in range(size)]
    mu = dict(zip(names, draw(distributions(size)), strict=True))
    nu = dict(zip(names, draw(distributions(size)), strict=True))
    table = draw(symmetric_tables(size))
    return mu, nu, {(names[i], names[j]): x for (i, j), x in table.items()}, draw(alphas())


def assert_feasible(
    directed: DirectedKantorovich, mu: Numbers, nu: Numbers, d: Pairs, alpha: Fraction
) -> None:
    """Both solutions of one program, checked term by term; their equal objectives prove both optimal."""
    f, transport = directed.f, directed.transport
    assert f is not None
    assert all(0 <= x <= 1 for x in f.values())
    assert all(f[i] - alpha * f[j] <= d[i, j] for i in f for j in f if i != j)
    assert sum(f[i] * (mu[i] - alpha * nu[i]) for i in f) == directed.value
    sent = {i: sum((x for (a, _), x in transport.omega.items() if a == i), Fraction(0)) for i in mu}
    received = {i: sum((x for (_, b), x in transport.omega.items() if b == i), Fraction(0)) for i in mu}
    assert all(x > 0 for x in (*transport.omega.values(), *transport.beta.values()))
    for i in mu:
        beta = transport.beta.get(i, Fraction(0))
        route = transport.tau.get(i, Fraction(0)) - transport.gamma.get(i, Fraction(0))
        assert sent[i] + beta - alpha * received[i] >= mu[i] - alpha * nu[i]
        assert sent[i] + beta + route == mu[i]  # the paper's variables
        assert received[i] + route / alpha <= nu[i]
    cost = sum((x * d[arc] for arc, x in transport.omega.items()), Fraction(0)) + sum(transport.beta.values())
    assert cost == directed.value


@pytest.mark.parametrize("backend", ["highs", "exact"])
@given(problems())
@settings(max_examples=30, deadline=None)
def test_primal_equals_dual_and_the_oracle(
    backend: str, problem: tuple[Numbers, Numbers, Pairs, Fraction]
) -> None:
    mu, nu, d, alpha = problem
    primal = kantorovich(mu, nu, d, alpha, form="primal", backend=backend)
    dual = kantorovich(mu, nu, d, alpha, form="dual", backend=backend)
    assert primal.forward.value == dual.forward.value == naive.directed_lift(mu, nu, d, alpha)
    assert primal.value == dual.value == naive.lift(mu, nu, d, alpha)
    for result in (primal, dual):
        assert_feasible(result.forward, mu, nu, d, alpha)
        assert_feasible(result.backward, nu, mu, d, alpha)


@given(problems())
@settings(max_examples=5, deadline=None)  # CBC is a process a call
def test_pulp_agrees_in_every_form(problem: tuple[Numbers, Numbers, Pairs, Fraction]) -> None:
    for form in ("primal", "dual", "printed"):
        assert (
            kantorovich(*problem, form=form, backend="pulp").value == kantorovich(*problem, form=form).value
        )


@given(problems())
@settings(max_examples=30, deadline=None)
def test_the_printed_form_is_never_smaller(problem: tuple[Numbers, Numbers, Pairs, Fraction]) -> None:
    printed, true = kantorovich(*problem, form="printed", backend="exact"), kantorovich(*problem)
    assert printed.forward.value >= true.forward.value
    assert printed.backward.value >= true.backward.value
    assert printed.forward.f is None


@pytest.mark.parametrize("backend", ["highs", "pulp", "exact"])
def test_the_erratum_to_lemma_three(backend: str) -> None:
    d = {("a", "b"): 1, ("a", "c"): 0, ("b", "c"): 0}
    problem = ({"a": 1}, {"b": "1/2", "c": "1/2"}, d, "11/10")
    values = {
        form: kantorovich(*problem, form=form, backend=backend).value
        for form in ("primal", "dual", "printed")
    }
    assert values == {"primal": Fraction(1, 22), "dual": Fraction(1, 22), "printed": Fraction(1, 2)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mu": {"a": "1/2"}}, "mu sums to 1/2"),
        ({"nu": {"a": 2, "b": -1}}, "nu\\(b\\) = -1 is negative"),
        ({"d": {}}, "is missing"),
        ({"d": {("a", "b"): 2}}, "outside"),
        ({"d": {("a", "b"): 1, ("b", "a"): 0}}, "symmetric"),
        ({"alpha": "0.9"}, "below 1"),
        ({"alpha": 1.5}, "the float 1.5; write '1.5' or Fraction"),
        ({"form": "triple"}, "no form 'triple'"),
        ({"backend": "gurobi"}, "no LP backend"),
    ],
)
def test_wrong_input_is_refused(change: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {
        "mu": {"a": 1},
        "nu": {"b": 1},
        "d": {("a", "b"): "1/2"},
        "alpha": 1,
        **change,
    }
    with pytest.raises(ParameterError, match=message):
        kantorovich(**arguments)  # type: ignore[arg-type]

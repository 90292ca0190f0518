"""One suite for every LP engine: exact optima, with ==, on ordinary, degenerate, tied and infeasible
programs.
"""

from __future__ import annotations

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.errors import ParameterError
from bdist.lp import ENGINES, Tally, engine_named, simplex, solve
from bdist.lp.program import Basis, LinearProgram, Optimum, Place, certify_basis, starting_basis

ENGINE_NAMES = sorted(ENGINES)


def q(numerator: int, denominator: int = 1) -> fmpq:
    return fmpq(numerator, denominator)


def assert_optimal(program: LinearProgram, optimum: Optimum) -> None:
    """Feasible point, nonnegative multipliers, and equal objectives: weak duality does the rest."""
    point = optimum.point
    assert all(0 <= x <= cap for x, cap in zip(point, program.caps, strict=True))
    for row, limit in zip(program.rows, program.limits, strict=True):
        assert sum((a * point[j] for j, a in row), q(0)) <= limit
    assert all(y >= 0 for y in (*optimum.row_multipliers, *optimum.cap_multipliers))
    covered = list(optimum.cap_multipliers)
    bound = sum((y * cap for y, cap in zip(optimum.cap_multipliers, program.caps, strict=True)), q(0))
    for y, row, limit in zip(optimum.row_multipliers, program.rows, program.limits, strict=True):
        bound += y * limit
        for j, a in row:
            covered[j] += y * a
    assert all(have >= want for have, want in zip(covered, program.objective, strict=True))
    assert bound == optimum.value == sum((c * x for c, x in zip(program.objective, point, strict=True)), q(0))


@st.composite
def programs(draw: st.DrawFn) -> LinearProgram:
    """Small programs with few distinct numbers, so that ties and degenerate vertices abound; often
    infeasible.
    """
    variables = draw(st.integers(1, 4))
    number = st.sampled_from([q(0), q(0), q(1), q(-1), q(1, 2), q(-11, 10), q(2), q(1, 3)])
    objective = draw(st.lists(number, min_size=variables, max_size=variables))
    rows, limits = [], []
    for _ in range(draw(st.integers(0, 6))):
        entries = draw(
            st.dictionaries(st.integers(0, variables - 1), number.filter(bool), min_size=1, max_size=3)
        )
        rows.append(tuple(sorted(entries.items(), key=lambda item: item[0])))
        limits.append(draw(number))
    caps = draw(st.lists(st.sampled_from([q(1), q(1, 2), q(3)]), min_size=variables, max_size=variables))
    return LinearProgram(objective, rows, limits, caps)


@pytest.mark.parametrize("name", [n for n in ENGINE_NAMES if n != "pulp"])
@given(programs())
@settings(max_examples=30, deadline=None)
def test_every_engine_agrees_with_the_exact_simplex(name: str, program: LinearProgram) -> None:
    truth = simplex.maximise(program)
    found = solve(program, ENGINES[name])
    assert (found is None) == (truth is None)
    if found is not None and truth is not None:
        assert_optimal(program, found)
        assert found.value == truth.value


@given(programs())
@settings(max_examples=12, deadline=None)  # CBC is a process a call
def test_pulp_agrees_with_the_exact_simplex(program: LinearProgram) -> None:
    truth, found = simplex.maximise(program), solve(program, ENGINES["pulp"])
    assert (None if truth is None else truth.value) == (None if found is None else found.value)


@given(programs(), st.data())
@settings(max_examples=30, deadline=None)
def test_a_wrong_guess_changes_nothing(program: LinearProgram, data: st.DataObject) -> None:
    places = tuple(data.draw(st.sampled_from(list(Place))) for _ in program.objective)
    tight = tuple(data.draw(st.sets(st.integers(0, len(program.rows) - 1)))) if program.rows else ()
    truth, found = simplex.maximise(program), solve(program, ENGINES["exact"], start=Basis(places, tight))
    assert (None if truth is None else truth.value) == (None if found is None else found.value)


def tied_below_floating_point() -> LinearProgram:
    """Two rows that differ by 1e-20: in floating point they are one, and either may be called tight."""
    tiny = q(1, 10**20)
    rows = [((0, q(1)),), ((0, q(1)),), ((0, q(1)), (1, q(-1)))]
    return LinearProgram([q(1), q(-1, 2)], rows, [q(1, 3) + tiny, q(1, 3), q(1, 4)], [q(1), q(1)])


@pytest.mark.parametrize("name", ENGINE_NAMES)
def test_ties_that_floats_cannot_see_are_decided_exactly(name: str) -> None:
    optimum = solve(tied_below_floating_point(), ENGINES[name])
    assert optimum is not None
    assert optimum.value == q(1, 4) + q(1, 24)


@pytest.mark.parametrize("name", ["highs", "pulp"])
def test_a_proposal_that_does_not_hold_is_repaired(name: str) -> None:
    """The float optimum is at the wrong one of two almost parallel rows; the exact check must notice."""
    tiny = q(1, 10**15)
    rows = [((0, q(1)), (1, q(1))), ((0, q(1) + tiny), (1, q(1)))]
    program = LinearProgram([q(1), q(1) - tiny / 2], rows, [q(1), q(1)], [q(1), q(1)])
    tally = Tally()
    found, truth = solve(program, ENGINES[name], tally=tally), simplex.maximise(program)
    assert found is not None
    assert truth is not None
    assert found.value == truth.value
    assert tally.repaired == 1


@pytest.mark.parametrize("name", ENGINE_NAMES)
def test_an_infeasible_program_has_no_optimum(name: str) -> None:
    assert solve(LinearProgram([q(1)], [((0, q(1)),)], [q(-1)], [q(1)]), ENGINES[name]) is None


def test_a_basis_is_certified_only_if_it_is_optimal() -> None:
    program = LinearProgram([q(1)], [((0, q(1)),)], [q(1, 2)], [q(1)])
    assert certify_basis(program, starting_basis(program)) is None  # x = 1 breaks the row
    assert certify_basis(program, Basis((Place.LOWER,), ())) is None  # x = 0 is feasible and not optimal
    assert certify_basis(program, Basis((Place.BASIC,), ())) is None  # miscounted
    good = certify_basis(program, Basis((Place.BASIC,), (0,)))
    assert good is not None
    assert good.value == q(1, 2)


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ParameterError, match="auto, highs, pulp, exact"):
        engine_named("gurobi")

"""The decision about automata: what must hold, and agreement with an oracle that enumerates."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings

from bdist.dipa import decision as decision_module
from bdist.dipa.automaton import Automaton, Guard, Real
from bdist.dipa.certificate import check
from bdist.dipa.decision import Kind, Structure, cost, decide, find_violation, weigh
from bdist.dipa.families import make_automaton
from bdist.errors import InternalError
from bdist.results import Answer
from tests.oracles import automata_decision as oracle
from tests.oracles.automata import automata

NAMES = {
    Kind.LEAKING_CYCLE: "leaking-cycle",
    Kind.LEAKING_PAIR: "leaking-pair",
    Kind.DISCLOSING_CYCLE: "disclosing-cycle",
    Kind.DISCLOSED_STORE: "disclosed-assignment",
    Kind.DISCLOSED_SAMPLE: "disclosed-sample",
    Kind.LATE_DISCLOSURE: "late-disclosure",
}


def test_sparse_vector_is_private_with_weight_one() -> None:
    decision = decide(make_automaton("sparse-vector", {"threshold": "1/2", "query": "1/4"}))
    assert decision.answer is Answer.HOLDS
    assert decision.value == 1
    assert decision.weight is not None
    assert len(decision.weight.path) == 2  # 1/2 for the threshold and 2 * 1/4 for the query that ends it


@pytest.mark.parametrize(
    ("family", "kind"),
    [
        ("sparse-vector-leaking-threshold", Kind.DISCLOSED_STORE),
        ("descending-order", Kind.LEAKING_CYCLE),
        ("below-then-above", Kind.LEAKING_PAIR),
    ],
)
def test_the_talks_examples_are_not_private(family: str, kind: Kind) -> None:
    decision = decide(make_automaton(family))
    assert (decision.answer, decision.weight) == (Answer.VIOLATED, None)
    assert decision.violation is not None
    assert decision.violation.kind is kind


@pytest.mark.parametrize("blocks", [1, 2, 7, 100])
def test_blocks_of_sparse_vector_add_up(blocks: int) -> None:
    assert decide(make_automaton("sparse-vectors", {"blocks": str(blocks)})).value == blocks


def test_the_second_sample_costs_its_own_coefficient() -> None:
    automaton = make_automaton("numeric-sparse")
    decision = decide(automaton)
    [writing] = [t for t in automaton.transitions if t.output is Real.SECOND]
    state = automaton.states[writing.source]
    assert state.second is not None
    first = automaton.states[automaton.initial].noise.d
    assert decision.value == first + 2 * state.noise.d + state.second.d


@settings(max_examples=200, deadline=None)
@given(automata())
def test_the_linear_time_answer_is_that_of_brute_force(automaton: Automaton) -> None:
    structure = Structure(automaton)
    found, expected = find_violation(structure), oracle.violations(automaton)
    assert (found is None) == (not expected)
    if found is not None:
        assert NAMES[found.kind] in expected
    else:
        weight = weigh(structure)
        assert weight.value == oracle.weight(automaton)
        assert sum(cost(automaton, t) for t in weight.critical) == weight.value
        assert set(weight.critical) <= set(weight.path)


@settings(max_examples=100, deadline=None)
@given(automata())
def test_a_violation_is_a_path_of_the_automaton(automaton: Automaton) -> None:
    found = find_violation(Structure(automaton))
    if found is None:
        return
    path = [*found.prefix, *found.first, *found.first, *found.between, *found.second]
    if found.kind in (Kind.DISCLOSED_STORE, Kind.DISCLOSED_SAMPLE):
        path = [*found.prefix, *found.first, *found.between, *found.second, *found.second]
    transitions = [automaton.transitions[t] for t in path]
    assert transitions[0].source == automaton.initial
    assert all(one.target == other.source for one, other in pairwise(transitions))
    allowed = Guard.AT_LEAST if found.rising else Guard.LESS
    assert all(
        not automaton.transitions[t].assigns or automaton.transitions[t].guard is allowed
        for t in found.between
    )


@settings(max_examples=60, deadline=None)
@given(automata())
def test_every_decision_comes_with_a_certificate_that_was_checked(automaton: Automaton) -> None:
    decision = decide(automaton)
    report = check(automaton, decision.certificate)
    assert (decision.answer is Answer.HOLDS) == report.private == (not oracle.violations(automaton))
    assert decision.value == report.weight


def test_an_answer_whose_certificate_does_not_hold_is_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    automaton = make_automaton("sparse-vector")
    honest = weigh(Structure(automaton))
    boast = replace(honest, value=honest.value / 2)
    monkeypatch.setattr(decision_module, "weigh", lambda structure: boast)
    with pytest.raises(InternalError, match="an answer failed its own check and is withheld"):
        decide(automaton)


@settings(max_examples=100, deadline=None)
@given(automata())
def test_only_what_is_reached_counts(automaton: Automaton) -> None:
    structure = Structure(automaton)
    states = [q for members in structure.members for q in members]
    assert len(states) == len(set(states))
    assert structure.component[automaton.initial] == 0
    for t in structure.reached:
        transition = automaton.transitions[t]
        source, target = structure.component[transition.source], structure.component[transition.target]
        assert 0 <= source <= target
        assert structure.cyclic[t] == oracle.on_a_cycle(automaton, transition)


def test_a_ladder_of_many_rungs_is_decided_in_one_go() -> None:
    decision = decide(make_automaton("automaton-ladder", {"transitions": "5000"}))
    assert decision.answer is Answer.HOLDS
    assert decision.value is not None
    assert decision.value > Fraction(900)

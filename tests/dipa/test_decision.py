"""The decision about automata, against an oracle that enumerates; and the oracle on trial.

The oracle's examples are small enough to be judged by eye, and each comes with its mirror image, where < and
>= are exchanged. Its properties then set the definitions against couplings, which know no cycle but the
repeatable transition; the simple paths against all walks up to a length, which know no argument why simple is
enough; and the weight against the price of the cheapest coupling, along walks that loop.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bdist.dipa import decision as decision_module
from bdist.dipa.automaton import Automaton, ControlState, Guard, Noise, Output, Real, Transition
from bdist.dipa.decision import Kind, Structure, cost, decide, find_violation, weigh
from bdist.dipa.families import make_automaton
from bdist.errors import InternalError
from bdist.results import Answer
from tests.oracles.dipa_automata import automata, layered_automata
from tests.oracles.dipa_decision import (
    SHIFTS,
    Path,
    coupling_price,
    mirror_image,
    no_free_coupling,
    on_a_cycle,
    violations,
    weight,
)
from tests.oracles.dipa_decision import cost as transition_cost

F = Fraction
SAMPLE, SECOND = Real.SAMPLE, Real.SECOND
GUARDS = {"": Guard.TRUE, "<": Guard.LESS, ">=": Guard.AT_LEAST}

Row = tuple[int, str, int, Output, str]
"""Source, guard, target, output, and 'x' where insample is stored, else ''."""


def build(rows: Collection[Row], silent: Collection[int] = (0,)) -> Automaton:
    """States 0, 1, ... all read an input but the ``silent``. d is 1/2 in state 0, else 1/4; d' is 1/9."""
    count = 1 + max(max(row[0], row[2]) for row in rows)
    states = (
        ControlState(f"q{q}", q not in silent, Noise(F(1, 4) if q else F(1, 2)), Noise(F(1, 9)))
        for q in range(count)
    )
    transitions = (Transition(p, q, GUARDS[guard], out, bool(x)) for p, guard, q, out, x in rows)
    return Automaton(tuple(states), tuple(transitions))


START: Row = (0, "", 1, "start", "x")
STOP_ABOVE: Row = (1, ">=", 2, "top", "")


# --- the decision ---------------------------------------------------------------------------------------


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


@settings(max_examples=100, deadline=None)
@given(automata())
def test_the_linear_time_answer_is_that_of_brute_force(automaton: Automaton) -> None:
    structure = Structure(automaton)
    found, expected = find_violation(structure), violations(automaton)
    assert (found is None) == (not expected)
    if found is not None:
        assert found.kind.value.replace(" ", "-") in expected
    else:
        weighed = weigh(structure)
        assert weighed.value == weight(automaton)
        assert sum(cost(automaton, t) for t in weighed.critical) == weighed.value
        assert set(weighed.critical) <= set(weighed.path)


@settings(max_examples=50, deadline=None)
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


def test_an_answer_whose_certificate_does_not_hold_is_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    automaton = make_automaton("sparse-vector")
    honest = weigh(Structure(automaton))
    boast = replace(honest, value=honest.value / 2)
    monkeypatch.setattr(decision_module, "weigh", lambda structure: boast)
    with pytest.raises(InternalError, match="an answer failed its own check and is withheld"):
        decide(automaton)


@settings(max_examples=40, deadline=None)
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
        assert structure.cyclic[t] == on_a_cycle(automaton, transition)


# --- the oracle: programs -------------------------------------------------------------------------------


def sparse_vector(output: Output = "top") -> Automaton:
    """The talk's example; with ``output`` SECOND it is numeric sparse."""
    return build([START, (1, "<", 1, "bottom", ""), (1, ">=", 2, output, "")])


def test_sparse_vector_has_weight_one_by_the_oracle() -> None:
    assert violations(sparse_vector()) == frozenset()
    assert not no_free_coupling(sparse_vector())
    assert weight(sparse_vector()) == 1


def test_numeric_sparse_writes_the_second_sample_and_costs_its_scale_more() -> None:
    assert violations(sparse_vector(SECOND)) == frozenset()
    assert not no_free_coupling(sparse_vector(SECOND))
    assert weight(sparse_vector(SECOND)) == 1 + F(1, 9)


VIOLATIONS: dict[str, tuple[str, Automaton]] = {
    "the talk's descending order": (
        "leaking-cycle",
        build([START, (1, "<", 1, "bottom", "x"), STOP_ABOVE]),
    ),
    "a fresh threshold each time, without input": (
        "leaking-cycle",
        build([START, (1, "<", 2, "bottom", ""), (2, "", 1, "next", "x")], silent=(0, 2)),
    ),
    "a ring that assigns beside one that does not": (
        "leaking-cycle",
        build([START, (1, "", 2, "go", ""), (2, "<", 1, "left", ""), (2, ">=", 3, "right", ""),
               (3, "", 2, "back", "x")], silent=(0, 3)),
    ),
    "the initial transition on a cycle that compares": (
        "leaking-cycle",
        build([START, (1, "<", 0, "again", "")]),
    ),
    "the talk's pair": (
        "leaking-pair",
        build([START, (1, "<", 1, "bottom", ""), STOP_ABOVE, (2, ">=", 2, "top", ""), (2, "<", 3, "e", "")]),
    ),
    "both loops at one state": (
        "leaking-pair",
        build([START, (1, "<", 1, "bottom", ""), (1, ">=", 1, "top", "")]),
    ),
    "a pair with a higher threshold between": (
        "leaking-pair",
        build([START, (1, "<", 1, "bottom", ""), (1, ">=", 2, "top", "x"), (2, ">=", 2, "top", "")]),
    ),
    "an answer each time": (
        "disclosing-cycle",
        build([START, (1, "", 1, SAMPLE, "")]),
    ),
    "a second answer each time": (
        "disclosing-cycle",
        build([START, (1, "", 1, SECOND, "")]),
    ),
    "the talk's threshold that is published": (
        "disclosed-store",
        build([(0, "", 1, SAMPLE, "x"), (1, "<", 1, "bottom", ""), STOP_ABOVE]),
    ),
    "a published threshold, then a higher one": (
        "disclosed-store",
        build([(0, "", 1, SAMPLE, "x"), (1, ">=", 2, "top", "x"), (2, ">=", 2, "top", "")]),
    ),
    "a published sample below the threshold becomes the threshold of a G-cycle": (
        "disclosed-store",
        build([START, (1, "<", 2, SAMPLE, "x"), (2, ">=", 2, "top", "")]),
    ),
    "a published sample below the threshold of a G-cycle": (
        "disclosed-sample",
        build([START, (1, "<", 2, SAMPLE, ""), (2, ">=", 2, "top", "")]),
    ),
    "numeric sparse with the sample that was compared": (
        "late-disclosure",
        sparse_vector(SAMPLE),
    ),
    "the sample that ends the L-cycle is published and kept": (
        "late-disclosure",
        build([START, (1, "<", 1, "bottom", ""), (1, ">=", 2, SAMPLE, "x")]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VIOLATIONS)
def test_each_violation_is_found_alone_and_so_is_its_mirror_image(name: str) -> None:
    kind, automaton = VIOLATIONS[name]
    for side in (automaton, mirror_image(automaton)):
        assert violations(side) == {kind}
        assert no_free_coupling(side)


PRIVATE: dict[str, tuple[Fraction, Automaton]] = {
    "after an L-cycle a lower threshold sets free": (
        F(2),
        build([START, (1, "<", 1, "b", ""), (1, ">=", 2, "t", ""), (2, "<", 3, "b", "x"),
               (3, ">=", 3, "t", ""), (3, "<", 4, "b", "")]),
    ),
    "after an L-cycle a lower threshold, and a published sample above that": (
        F(1, 2) + F(1, 2) + F(1, 2) + F(1, 4),
        build([START, (1, "<", 1, "b", ""), (1, ">=", 2, "t", ""), (2, "<", 3, "b", "x"),
               (3, ">=", 4, SAMPLE, "")]),
    ),
    "a new threshold without comparison": (
        F(1, 2) + F(1, 2) + F(1, 4),
        build([START, (1, "<", 1, "b", ""), (1, ">=", 2, "t", ""), (2, "", 3, "new", "x"),
               (3, ">=", 3, "t", "")], silent=(0, 2)),
    ),
    "a published threshold that is compared once": (
        F(1, 2),
        build([(0, "", 1, SAMPLE, "x"), STOP_ABOVE]),
    ),
    "a published sample above the threshold of a G-cycle": (
        F(1, 2) + F(1, 4),
        build([START, (1, ">=", 2, SAMPLE, ""), (2, ">=", 2, "top", "")]),
    ),
    "the second sample is written, and not the one that was compared": (
        F(1, 2) + F(1, 2) + F(1, 9),
        build([START, (1, "<", 2, SECOND, ""), (2, ">=", 2, "top", "")]),
    ),
    "noise for ever": (F(1, 2), build([START, (1, "", 1, SAMPLE, "x")], silent=(0, 1))),
    "second noise for ever": (F(1, 2), build([START, (1, "", 1, SECOND, "")], silent=(0, 1))),
    "the initial transition is the whole cycle": (F(0), build([(0, "", 0, SAMPLE, "x")])),
    "the initial transition is the whole cycle and reads": (F(0), build([(0, "", 0, "a", "x")], silent=())),
    "published noise costs nothing": (F(1, 2), build([START, (1, "", 2, SAMPLE, "")], silent=(0, 1))),
    "second noise costs as much as none": (F(3, 4), build([START, (1, "", 2, SECOND, "")], silent=(0, 1))),
    "a dead end at once": (F(1, 2), build([START])),
    "violations that nothing leads to": (
        F(1, 2),
        build([START, (2, "<", 2, "b", ""), (2, ">=", 2, "t", "x"), (3, "", 3, SAMPLE, "")]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PRIVATE)
def test_private_automata_and_their_weight(name: str) -> None:
    expected, automaton = PRIVATE[name]
    for side in (automaton, mirror_image(automaton)):
        assert violations(side) == frozenset()
        assert not no_free_coupling(side)
        assert weight(side) == expected


# --- the oracle: second opinions ------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(layered_automata())
def test_an_automaton_is_private_iff_a_coupling_costs_nothing_on_cycles(automaton: Automaton) -> None:
    assert bool(violations(automaton)) == no_free_coupling(automaton)


@settings(max_examples=100, deadline=None)
@given(layered_automata())
def test_the_mirror_image_is_as_private(automaton: Automaton) -> None:
    mirrored = mirror_image(automaton)
    assert violations(mirrored) == violations(automaton)
    assert no_free_coupling(mirrored) == no_free_coupling(automaton)
    assert weight(mirrored) == weight(automaton)


@settings(max_examples=80, deadline=None)
@given(layered_automata(), st.data())
def test_no_walk_and_no_moves_cost_a_coupling_more_than_the_weight(
    automaton: Automaton, data: st.DataObject
) -> None:
    assume(not violations(automaton))
    state, path, moves = automaton.initial, [], []
    for choice in data.draw(st.lists(st.booleans(), max_size=16)):
        leaving = automaton.outgoing[state]
        if not leaving:
            break
        transition = automaton.transitions[leaving[choice and -1]]
        reads = automaton.states[state].reads_input
        path.append(transition)
        moves.append(data.draw(st.sampled_from(SHIFTS if reads else (0,))))
        state = transition.target
    price = coupling_price(automaton, tuple(path), moves)
    assert price <= sum(transition_cost(automaton, t) for t in path) <= weight(automaton)


@pytest.mark.parametrize("output", ["top", SECOND])
def test_the_price_of_sparse_vector_is_its_weight(output: Output) -> None:
    automaton = sparse_vector(output)
    threshold, below, above = automaton.transitions
    path = (threshold, below, below, below, above)
    prices = {moves: coupling_price(automaton, path, (0, *moves)) for moves in product(SHIFTS, repeat=4)}
    assert max(prices.values()) == prices[1, 1, 1, -1] == weight(automaton)
    assert prices[0, 0, 0, 0] == 0


def walks(automaton: Automaton, start: int, longest: int) -> Iterator[Path]:
    """All paths from a state of at most ``longest`` transitions, whatever they repeat."""
    paths: list[tuple[int, Path]] = [(start, ())]
    while paths:
        state, path = paths.pop()
        yield path
        if len(path) < longest:
            for number in automaton.outgoing[state]:
                transition = automaton.transitions[number]
                paths.append((transition.target, (*path, transition)))


def found_by_walks(automaton: Automaton) -> set[str]:
    """The kinds of violation by the letter of their definitions, among walks that are long enough.

    On n states a cycle through two transitions need not exceed 2 n, nor any other walk n.
    """
    size = len(automaton.states)
    from_start = list(walks(automaton, automaton.initial, size))
    reached = {automaton.initial} | {path[-1].target for path in from_start if path}
    taken = [t for t in automaton.transitions if t.source in reached]
    cycles = [
        path for q in reached for path in walks(automaton, q, 2 * size) if path and path[-1].target == q
    ]
    found = set()
    for cycle in cycles:
        if any(t.assigns for t in cycle) and any(t.guard is not Guard.TRUE for t in cycle):
            found.add("leaking-cycle")
        if any(automaton.states[t.source].reads_input and isinstance(t.output, Real) for t in cycle):
            found.add("disclosing-cycle")
    for first, last in ((Guard.LESS, Guard.AT_LEAST), (Guard.AT_LEAST, Guard.LESS)):
        first_rings, last_rings = _rings(cycles, first), _rings(cycles, last)
        for start in reached:
            for path in walks(automaton, start, size):
                end = path[-1].target if path else start
                if any(t.assigns and t.guard is not last for t in path):
                    continue
                written_before = [t for t in taken if t.target == start and t.output is SAMPLE]
                written_after = [t for t in taken if t.source == end and t.output is SAMPLE]
                if start in first_rings and end in last_rings:
                    found.add("leaking-pair")
                if end in last_rings and any(t.assigns for t in written_before):
                    found.add("disclosed-store")
                if end in last_rings and any(not t.assigns and t.guard is first for t in written_before):
                    found.add("disclosed-sample")
                if start in first_rings and any(t.guard is last for t in written_after):
                    found.add("late-disclosure")
    return found


def _rings(cycles: list[Path], guard: Guard) -> set[int]:
    """The states where a cycle without assignment starts that has a transition with this guard."""
    return {
        cycle[0].source
        for cycle in cycles
        if not any(t.assigns for t in cycle) and any(t.guard is guard for t in cycle)
    }


@settings(max_examples=80, deadline=None)
@given(layered_automata(max_states=3))
def test_simple_paths_find_what_all_walks_find(automaton: Automaton) -> None:
    assert violations(automaton) == found_by_walks(automaton)


@pytest.mark.parametrize("name", VIOLATIONS)
def test_all_walks_find_each_violation(name: str) -> None:
    kind, automaton = VIOLATIONS[name]
    assert found_by_walks(automaton) == {kind}


@settings(max_examples=60, deadline=None)
@given(layered_automata(max_states=4))
def test_no_walk_weighs_more_than_the_weight_and_one_weighs_as_much(automaton: Automaton) -> None:
    sums = {
        sum(transition_cost(automaton, t) for t in path) for path in walks(automaton, automaton.initial, 7)
    }
    assert max(sums) == weight(automaton)

"""That an automaton is not private: the conditions of SPEC-DIPA section 3.2 on a way through it.

The way begins in the initial state and has four parts, of which the kind of the leak says what they are:
cycles, or single transitions that write their samples. Each part is followed through the automaton and then
looked at, so the time is that of reading the claim.
"""

from __future__ import annotations

from ..core.steps import Rejected
from .automaton import AT_LEAST, LESS, SAMPLE, TRUE, Automaton, Transition
from .document import (
    DISCLOSED_STORE,
    DISCLOSING_CYCLE,
    LATE_DISCLOSURE,
    LEAKING_CYCLE,
    LEAKING_PAIR,
    LeakClaim,
)
from .ways import follow

Way = list[Transition]


def verify_leak(automaton: Automaton, claim: LeakClaim) -> None:
    """Return if the claim is proved. Raises: Rejected."""
    low, high = (LESS, AT_LEAST) if claim.rising else (AT_LEAST, LESS)
    _, here = follow(automaton, automaton.initial, claim.prefix, "prefix")
    first, here = follow(automaton, here, claim.first, "first")
    _check_first(automaton, claim.kind, first, low)
    if claim.kind in (LEAKING_CYCLE, DISCLOSING_CYCLE):
        return  # the other parts are empty
    between, here = follow(automaton, here, claim.between, "between")
    for number, move in enumerate(between):
        allowed = not move.assigns or move.guard == high
        _demand(allowed, "between", f"between[{number}] stores under {move.guard}, not under {high}")
    second, _ = follow(automaton, here, claim.second, "second")
    _check_second(automaton, claim.kind, second, high)


def _check_first(automaton: Automaton, kind: str, first: Way, low: str) -> None:
    """The cycle that leaks by itself, or what bounds the stored value from below."""
    if kind == LEAKING_CYCLE:
        _check_cycle(automaton, "first", first)
        _demand(any(move.assigns for move in first), "first", "no transition of the cycle stores")
        _demand(any(move.guard != TRUE for move in first), "first", "no transition of the cycle compares")
    elif kind == DISCLOSING_CYCLE:
        _check_cycle(automaton, "first", first)
        writes = any(_writes_a_sample(automaton, move) for move in first)
        _demand(writes, "first", "no transition of the cycle reads an input and writes a sample")
    elif kind in (LEAKING_PAIR, LATE_DISCLOSURE):
        _check_comparing_cycle(automaton, "first", first, low)
    else:
        (move,) = first
        _demand(move.output == SAMPLE, "first", "the transition does not write insample")
        if kind == DISCLOSED_STORE:
            _demand(move.assigns, "first", "the transition does not store")
        else:
            _demand(not move.assigns, "first", "the transition stores")
            _demand(move.guard == low, "first", f"the guard of the transition is {move.guard}, not {low}")


def _check_second(automaton: Automaton, kind: str, second: Way, high: str) -> None:
    """What bounds it from above, and lower."""
    if kind != LATE_DISCLOSURE:
        _check_comparing_cycle(automaton, "second", second, high)
        return
    (move,) = second
    _demand(move.output == SAMPLE, "second", "the transition does not write insample")
    _demand(move.guard == high, "second", f"the guard of the transition is {move.guard}, not {high}")


def _check_comparing_cycle(automaton: Automaton, step: str, way: Way, guard: str) -> None:
    """A cycle that compares by this guard, always with the same stored value."""
    _check_cycle(automaton, step, way)
    compares = any(move.guard == guard for move in way)
    _demand(compares, step, f"no transition of the cycle has the guard {guard}")
    _demand(not any(move.assigns for move in way), step, "a transition of the cycle stores")


def _check_cycle(automaton: Automaton, step: str, way: Way) -> None:
    _demand(len(way) > 0, step, "there is no cycle")
    start, end = way[0].source, way[-1].target
    _demand(start == end, step, f"not a cycle: from {automaton.shown(start)} to {automaton.shown(end)}")


def _writes_a_sample(automaton: Automaton, move: Transition) -> bool:
    return automaton.states[move.source].reads_input and isinstance(move.output, int)


def _demand(holds: bool, step: str, problem: str) -> None:
    if not holds:
        raise Rejected(step, problem)

"""Ways through an automaton: a claim names transitions, and this module finds them and follows them.

A transition is named by the state that it leaves and its guard, which is enough, as the guards of a state
exclude each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.chain import shown
from ..core.steps import Rejected
from .automaton import Automaton, Transition
from .document import TransitionName


def follow(
    automaton: Automaton, start: int, names: Sequence[TransitionName], step: str
) -> tuple[list[Transition], int]:
    """The transitions of a path that begins in a state, and the state where it ends. Raises: Rejected."""
    here, way = start, []
    for number, (source, guard) in enumerate(names):
        if source != automaton.states[here].name:
            problem = f"leaves {shown(source)}, and the way has come to {automaton.shown(here)}"
            raise Rejected(step, f"{step}[{number}] {problem}")
        for transition in automaton.outgoing[here]:
            if transition.guard == guard:
                way.append(transition)
                here = transition.target
                break
        else:
            raise Rejected(step, f"{step}[{number}]: no transition of {shown(source)} has the guard {guard}")
    return way, here


def spread(starts: Iterable[int], neighbours: Sequence[Iterable[int]]) -> bytearray:
    """By state, whether it is one of the starts or can be reached from one."""
    found = bytearray(len(neighbours))
    waiting = []
    for start in starts:
        if not found[start]:
            found[start] = True
            waiting.append(start)
    while waiting:
        for neighbour in neighbours[waiting.pop()]:
            if not found[neighbour]:
                found[neighbour] = True
                waiting.append(neighbour)
    return found

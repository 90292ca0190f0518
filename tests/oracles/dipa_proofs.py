"""Whether the certificate of an automaton is a proof: bdist/dipa/SPEC.md section 3, read naively.

This is a second checker, for automata of a few states. It takes the automaton as data, not as text, and looks
for paths by enumeration (`dipa_decision`), where the real one spreads through a graph; it adds up costs,
where the real one compares potentials. It assumes a document of the right form.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bdist.dipa.automaton import Automaton, Guard, Real, Transition

from .dipa_decision import Path, cost, on_a_cycle, simple_paths, violations

GUARDS = {"true": Guard.TRUE, "<": Guard.LESS, ">=": Guard.AT_LEAST}


def proves(automaton: Automaton, document: dict[str, Any]) -> bool:
    """Whether a document of the right form proves what it claims; the fingerprint is not looked at."""
    return _proves_privacy(automaton, document) if document["private"] else _proves_leak(automaton, document)


def _connected(automaton: Automaton, start: int, end: int) -> bool:
    return any(True for _ in simple_paths(automaton, start, end))


def _follow(automaton: Automaton, here: int, names: list[list[str]]) -> tuple[Path, int] | None:
    """The path of that name from a state, and where it ends, if there is one."""
    way: Path = ()
    for source, sign in names:
        found = [
            t
            for t in automaton.transitions
            if t.source == here and automaton.states[here].name == source and t.guard is GUARDS[sign]
        ]
        if not found:
            return None
        way, here = (*way, found[0]), found[0].target
    return way, here


def _proves_privacy(automaton: Automaton, document: dict[str, Any]) -> bool:
    numbers = {state.name: number for number, state in enumerate(automaton.states)}
    listed = [name for names in document["components"] for name in names]
    reached = {
        state.name
        for number, state in enumerate(automaton.states)
        if _connected(automaton, automaton.initial, number)
    }
    if len(listed) != len(reached) or set(listed) != reached:
        return False
    component = {numbers[name]: k for k, names in enumerate(document["components"]) for name in names}
    for p, k in component.items():
        for q, j in component.items():
            if _connected(automaton, p, q) and (k > j or (k < j and _connected(automaton, q, p))):
                return False
            if k == j and not _connected(automaton, p, q):
                return False
    if violations(automaton):
        return False
    left = [Fraction(value) for value in document["left"]]
    critical = [t for t in automaton.transitions if t.source in component and not on_a_cycle(automaton, t)]
    if any(value < 0 for value in left) or any(
        cost(automaton, t) + left[component[t.target]] > left[component[t.source]] for t in critical
    ):
        return False
    weight, found = Fraction(document["weight"]), _follow(automaton, automaton.initial, document["path"])
    if found is None or weight != left[component[automaton.initial]]:
        return False
    return sum((cost(automaton, t) for t in found[0]), Fraction(0)) == weight


def _proves_leak(automaton: Automaton, document: dict[str, Any]) -> bool:
    whole = [*document["prefix"], *document["first"], *document["between"], *document["second"]]
    if (walked := _follow(automaton, automaton.initial, whole)) is None:
        return False
    first, between, second = (
        walked[0][sum(len(document[part]) for part in before) :][: len(document[name])]
        for name, before in (
            ("first", ["prefix"]),
            ("between", ["prefix", "first"]),
            ("second", ["prefix", "first", "between"]),
        )
    )
    low, high = (Guard.LESS, Guard.AT_LEAST) if document["rising"] else (Guard.AT_LEAST, Guard.LESS)
    rises = all(t.guard is high for t in between if t.assigns)
    match document["kind"]:
        case "leaking cycle":
            compares = any(t.guard is not Guard.TRUE for t in first)
            return _is_cycle(first) and compares and any(t.assigns for t in first)
        case "disclosing cycle":
            return _is_cycle(first) and any(
                automaton.states[t.source].reads_input and isinstance(t.output, Real) for t in first
            )
        case "leaking pair":
            return _is_watched(first, low) and rises and _is_watched(second, high)
        case "disclosed store":
            return _discloses(first[0]) and first[0].assigns and rises and _is_watched(second, high)
        case "disclosed sample":
            passes_by = _discloses(first[0]) and not first[0].assigns and first[0].guard is low
            return passes_by and rises and _is_watched(second, high)
        case "late disclosure":
            disclosed = _discloses(second[0]) and second[0].guard is high
            return _is_watched(first, low) and rises and disclosed
    raise AssertionError(document["kind"])


def _is_cycle(path: Path) -> bool:
    return len(path) > 0 and path[0].source == path[-1].target


def _is_watched(path: Path, guard: Guard) -> bool:
    """Whether it is a cycle without stores that compares in that way."""
    return _is_cycle(path) and any(t.guard is guard for t in path) and not any(t.assigns for t in path)


def _discloses(transition: Transition) -> bool:
    return transition.output is Real.SAMPLE

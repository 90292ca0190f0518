"""The privacy of automata (DiPA) as it is defined: two decisions and the weight, all by enumeration.

This module exists to be believed. Of the package it imports the model of an automaton and nothing else, and
it is meant for seven states or so. A *path* is a sequence of consecutive transitions and may repeat whatever
it likes; a *cycle* is a path that ends in the control state where it starts. Both are infinitely many, so
each definition is turned into a search among *simple* paths, those that visit no state twice (the empty path
from a state to itself is one). There are finitely many, and they are enough, by one remark used over and
over:

    A path from p to q whose transitions all satisfy a predicate can be cut to a simple path from p to q with
    transitions among its own: while a state occurs twice, drop what lies between.

* *A transition t lies on a cycle* iff there is a simple path from its target back to its source. Every path
  of the graph has a positive probability (a sample may fall on either side of x), so reachable means
  reachable in the graph.
* *A cycle through t and u* exists iff there are simple paths from the target of t to the source of u and from
  the target of u to the source of t: a cycle may be rotated to begin with t, and splits at any occurrence of
  u. The cycle found, t..u.., need not be simple, and t = u is allowed. (By determinacy simple cycles would do
  for leaking cycles: where two rings meet, two guards part, so both rings compare. The search does not rest
  on that.)
* *An L-cycle* (a cycle without assignment, with a transition u whose guard is insample < x) exists iff some
  such u has a simple path from target to source without assignment. G-cycles: the same with >=.
* *An AG-path* (all assignments on it have the guard >=) between two cycles without assignments exists iff
  there is a simple one from the source of the comparing transition of the first to that of the second: the
  pieces within the cycles hold no assignment, so they may be added or removed.
* *The mirror image* of a condition (< and >= exchanged) is the condition on the mirror image of the
  automaton.
* *The weight*: a path enters a component and never comes back; what it does inside costs nothing, and may be
  cut to a simple path. So the largest sum of costs is that of a path that visits no state twice.

The second decision, ``no_free_coupling``, knows none of these notions. It plays the proof that an automaton
is private: move every sample z_i of a run on one input to z_i + s_i, so that the guards still hold, written
samples stay, and the price d_i |s_i - (b_i - a_i)| is nothing on transitions that may be taken again and
again; a and b are the two inputs, the adversary picks b_i - a_i, and it is 0 where no input is read. All that
the future needs of the past is which shifts of the stored x are still possible, a subset of {-1, 0, 1}; the
adversary wins iff a state with the empty subset can be reached. That the two decisions agree is the theorem.
It takes no more shifts than these three: the constraints are s_i <= s_k and s_i >= s_k, and bounds that are
-1, 0 or 1 (a repeated transition must follow a move of +1 and one of -1), so a shift may be rounded.

``coupling_price`` is what the cheapest coupling along one path costs, exactly. Where the automaton is private
and the weight is right, no path and no pair of inputs may cost more than the weight: the ratio of the two
probabilities is at most e^(eps price). This bound is often below the weight, never above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from bdist.dipa.automaton import Automaton, Guard, Real, Transition

Path = tuple[Transition, ...]
Allowed = Callable[[Transition], bool]

SHIFTS = (-1, 0, 1)


# --- Paths --------------------------------------------------------------------------------------------------


def _any_transition(transition: Transition) -> bool:
    return True


def _assigns_nothing(transition: Transition) -> bool:
    return not transition.assigns


def _assigns_upwards(transition: Transition) -> bool:
    """On an AG-path: every assignment has the guard insample >= x."""
    return not transition.assigns or transition.guard is Guard.AT_LEAST


def simple_paths(
    automaton: Automaton, start: int, end: int, allowed: Allowed = _any_transition
) -> Iterator[Path]:
    """All paths of allowed transitions from state ``start`` to state ``end`` that visit no state twice."""

    def extend(path: Path, visited: tuple[int, ...]) -> Iterator[Path]:
        if visited[-1] == end:
            yield path
            return
        for transition in automaton.transitions:
            leads_on = transition.source == visited[-1] and transition.target not in visited
            if leads_on and allowed(transition):
                yield from extend((*path, transition), (*visited, transition.target))

    return extend((), (start,))


def _connected(automaton: Automaton, start: int, end: int, allowed: Allowed = _any_transition) -> bool:
    return any(True for _ in simple_paths(automaton, start, end, allowed))


def on_a_cycle(automaton: Automaton, transition: Transition) -> bool:
    """Whether some cycle has the transition; if none has, it is *critical*."""
    return _connected(automaton, transition.target, transition.source)


def _reachable_transitions(automaton: Automaton) -> list[Transition]:
    return [t for t in automaton.transitions if _connected(automaton, automaton.initial, t.source)]


def mirror_image(automaton: Automaton) -> Automaton:
    """The automaton with < and >= exchanged: the same program on the negatives of all numbers."""
    exchanged = {Guard.TRUE: Guard.TRUE, Guard.LESS: Guard.AT_LEAST, Guard.AT_LEAST: Guard.LESS}
    return replace(
        automaton, transitions=tuple(replace(t, guard=exchanged[t.guard]) for t in automaton.transitions)
    )


# --- The decision by the definitions ------------------------------------------------------------------------


def violations(automaton: Automaton) -> frozenset[str]:
    """The kinds of violation that the automaton has; it is private iff there is none.

    Each kind is looked for by itself and to the letter: an L-cycle inside a component that also assigns is
    still an L-cycle. So an implementation by components may name fewer kinds beside 'leaking-cycle'.
    """
    found = set()
    if _has_leaking_cycle(automaton):
        found.add("leaking-cycle")
    if _has_disclosing_cycle(automaton):
        found.add("disclosing-cycle")
    for side in (automaton, mirror_image(automaton)):
        if _has_leaking_pair(side):
            found.add("leaking-pair")
        if _has_disclosed_assignment(side):
            found.add("disclosed-store")
        if _has_disclosed_sample(side):
            found.add("disclosed-sample")
        if _has_late_disclosure(side):
            found.add("late-disclosure")
    return frozenset(found)


def _has_leaking_cycle(automaton: Automaton) -> bool:
    """A cycle with an assignment and a comparison."""
    reachable = _reachable_transitions(automaton)
    return any(
        _connected(automaton, assignment.target, comparison.source)
        and _connected(automaton, comparison.target, assignment.source)
        for assignment in reachable
        if assignment.assigns
        for comparison in reachable
        if comparison.guard is not Guard.TRUE
    )


def _has_disclosing_cycle(automaton: Automaton) -> bool:
    """A cycle with a transition from an input state that writes a sample, the first or the second."""
    return any(
        automaton.states[t.source].reads_input and isinstance(t.output, Real) and on_a_cycle(automaton, t)
        for t in _reachable_transitions(automaton)
    )


def _cycles_without_assignment(automaton: Automaton, guard: Guard) -> list[Transition]:
    """The transitions with this guard that lie on a cycle without assignment: one for each L- or G-cycle."""
    return [
        t
        for t in _reachable_transitions(automaton)
        if t.guard is guard
        and not t.assigns
        and _connected(automaton, t.target, t.source, allowed=_assigns_nothing)
    ]


def _has_leaking_pair(automaton: Automaton) -> bool:
    """An L-cycle, then an AG-path to a G-cycle."""
    return any(
        _connected(automaton, less.source, at_least.source, allowed=_assigns_upwards)
        for less in _cycles_without_assignment(automaton, Guard.LESS)
        for at_least in _cycles_without_assignment(automaton, Guard.AT_LEAST)
    )


def _has_disclosed_assignment(automaton: Automaton) -> bool:
    """A sample that is stored and written, then an AG-path to a G-cycle."""
    return any(
        _connected(automaton, t.target, at_least.source, allowed=_assigns_upwards)
        for t in _reachable_transitions(automaton)
        if t.assigns and t.output is Real.SAMPLE
        for at_least in _cycles_without_assignment(automaton, Guard.AT_LEAST)
    )


def _has_disclosed_sample(automaton: Automaton) -> bool:
    """A sample < x that is written and not stored, then an AG-path to a G-cycle."""
    return any(
        _connected(automaton, t.target, at_least.source, allowed=_assigns_upwards)
        for t in _reachable_transitions(automaton)
        if not t.assigns and t.guard is Guard.LESS and t.output is Real.SAMPLE
        for at_least in _cycles_without_assignment(automaton, Guard.AT_LEAST)
    )


def _has_late_disclosure(automaton: Automaton) -> bool:
    """An L-cycle, then an AG-path to a sample >= x that is written, stored or not."""
    return any(
        _connected(automaton, less.source, t.source, allowed=_assigns_upwards)
        for less in _cycles_without_assignment(automaton, Guard.LESS)
        for t in _reachable_transitions(automaton)
        if t.guard is Guard.AT_LEAST and t.output is Real.SAMPLE
    )


# --- The weight ---------------------------------------------------------------------------------------------


def cost(automaton: Automaton, transition: Transition) -> Fraction:
    """What a transition adds to the weight: nothing on a cycle, else the most that its samples may move.

    A sample that is written stays where it is; any other moves by 1 at most, towards or against its input.
    """
    state = automaton.states[transition.source]
    if on_a_cycle(automaton, transition):
        return Fraction(0)
    of_first = 0 if transition.output is Real.SAMPLE else 1
    price = state.noise.d * (of_first + 1 if state.reads_input else of_first)
    if transition.output is Real.SECOND and state.reads_input:
        assert state.second is not None
        price += state.second.d
    return price


def weight(automaton: Automaton) -> Fraction:
    """The largest sum of costs along a path from the initial state.

    It bounds the privacy loss, divided by eps, where ``violations`` is empty; elsewhere it means nothing.
    """
    return max(
        sum((cost(automaton, t) for t in path), Fraction(0))
        for end in range(len(automaton.states))
        for path in simple_paths(automaton, automaton.initial, end)
    )


# --- The decision by couplings ------------------------------------------------------------------------------


def _moves(automaton: Automaton, transition: Transition) -> tuple[int, ...]:
    """By how much the adversary may change the number that is read."""
    return SHIFTS if automaton.states[transition.source].reads_input else (0,)


def _keeps_guard(guard: Guard, shift: int, shift_of_x: int) -> bool:
    """Whether a comparison with x still holds, for all reals, after both numbers are shifted."""
    return (
        guard is Guard.TRUE
        or (guard is Guard.AT_LEAST and shift >= shift_of_x)
        or (guard is Guard.LESS and shift <= shift_of_x)
    )


def no_free_coupling(automaton: Automaton) -> bool:
    """Whether some path and some moves leave no shifts that cost nothing on the transitions on cycles."""
    start = (automaton.initial, frozenset(SHIFTS))
    seen, waiting = {start}, [start]
    while waiting:
        state, possible = waiting.pop()
        if not possible:
            return True
        for t in automaton.transitions:
            for move in _moves(automaton, t) if t.source == state else ():
                after = (t.target, frozenset(_shifts_after(automaton, t, move, possible)))
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    return False


def _shifts_after(automaton: Automaton, t: Transition, move: int, possible: frozenset[int]) -> Iterator[int]:
    """The possible shifts of x after a transition, where those before it are given."""
    repeatable = on_a_cycle(automaton, t)
    if repeatable and t.output is Real.SECOND and move != 0:
        return  # insample' is written, so it must stay, and follow its input for nothing: it cannot
    for shift in SHIFTS:
        if (t.output is Real.SAMPLE and shift != 0) or (repeatable and shift != move):
            continue
        for shift_of_x in possible:
            if _keeps_guard(t.guard, shift, shift_of_x):
                yield shift if t.assigns else shift_of_x


def coupling_price(automaton: Automaton, path: Path, moves: Sequence[int]) -> Fraction:
    """The price, divided by eps, of the cheapest shifts along a path on which the inputs move by ``moves``.

    Requires: one move in {-1, 0, 1} for each transition of a path from the initial state, 0 without input.
    Ensures: ln of the ratio of the densities of the path and its outputs, on the two inputs, is at most eps
    times this. No shift outside {-1, 0, 1} is cheaper: the price is convex and piecewise linear with corners
    at integers, and the constraints are differences, so an integral vertex is best; and to cut it off at the
    ends keeps every guard and moves no sample further from its input.
    """
    prices = dict.fromkeys(SHIFTS, Fraction(0))
    for t, move in zip(path, moves, strict=True):
        state = automaton.states[t.source]
        of_second = Fraction(0)
        if t.output is Real.SECOND:
            assert state.second is not None
            of_second = state.second.d * abs(move)
        after: dict[int, Fraction] = {}
        for shift in (0,) if t.output is Real.SAMPLE else SHIFTS:
            for shift_of_x, so_far in prices.items():
                if _keeps_guard(t.guard, shift, shift_of_x):
                    key = shift if t.assigns else shift_of_x
                    total = so_far + state.noise.d * abs(shift - move) + of_second
                    after[key] = min(total, after.get(key, total))
        prices = after
    return min(prices.values())

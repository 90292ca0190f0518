"""That an automaton is private with a weight: every condition of SPEC-DIPA section 3.1, and nothing else.

The claim lists the components in order. With that, and that each is strongly connected, a transition lies on
a cycle if and only if both of its ends are in one component. What must not be there is then a matter of
looking at transitions and of spreading along some of them, from all places where a stretch may begin at once.
The weight is a longest path in an acyclic graph: ``left`` is a potential, which bounds every path from above,
and the path of the claim attains it. Nothing is added up along it, as sums of many fractions are long; the
path goes, where it costs anything, along transitions at which the potential is tight.

All of that is linear in the texts, but for the numbers in ``left``, each of which is compared at every
transition into and out of its component; that is counted as work.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..core.chain import shown
from ..core.digits import brief, comparison, size
from ..core.limits import Work
from ..core.steps import Rejected
from .automaton import AT_LEAST, LESS, SAMPLE, SECOND, TRUE, Automaton, Transition
from .document import (
    DISCLOSED_SAMPLE,
    DISCLOSED_STORE,
    DISCLOSING_CYCLE,
    LATE_DISCLOSURE,
    LEAKING_CYCLE,
    LEAKING_PAIR,
    PrivacyClaim,
)
from .ways import follow, spread

_NOWHERE = -1  # the component of a state that is not reached


def verify_privacy(automaton: Automaton, claim: PrivacyClaim, work: Work) -> None:
    """Return if the claim is proved. Raises: Rejected, TooLarge."""
    component = _components(automaton, claim)
    _check_order(automaton, component)
    _check_connected(automaton, claim, component)
    repeatable = [
        move for move in automaton.transitions if component[move.source] == component[move.target] != _NOWHERE
    ]
    _check_cycles(automaton, component, repeatable)
    for rising in (True, False):
        _check_stretches(automaton, component, repeatable, rising)
    critical = [
        move for move in automaton.transitions if _NOWHERE != component[move.source] != component[move.target]
    ]
    _Weights(automaton, claim, component, work).check(critical)


def _components(automaton: Automaton, claim: PrivacyClaim) -> list[int]:
    """For each state the number of its component."""
    component = [_NOWHERE] * len(automaton.states)
    for number, names in enumerate(claim.components):
        for name in names:
            state = automaton.numbers.get(name)
            if state is None:
                problem = f"names {shown(name)}, not a state of the automaton"
                raise Rejected("components", f"components[{number}] {problem}")
            if component[state] != _NOWHERE:
                problem = f"names {shown(name)}, as components[{component[state]}] does"
                raise Rejected("components", f"components[{number}] {problem}")
            component[state] = number
    reached = spread([automaton.initial], [[move.target for move in moves] for moves in automaton.outgoing])
    for state, number in enumerate(component):
        if reached[state] and number == _NOWHERE:
            problem = "is in no component, and is reached"
            raise Rejected("components", f"{automaton.shown(state)} {problem}")
        if not reached[state] and number != _NOWHERE:
            problem = f"names {automaton.shown(state)}, which is not reached"
            raise Rejected("components", f"components[{number}] {problem}")
    return component


def _check_order(automaton: Automaton, component: list[int]) -> None:
    """No transition leads to an earlier component; from those that are reached none leads elsewhere."""
    for move in automaton.transitions:
        before, after = component[move.source], component[move.target]
        if after < before:
            way = f"{_named(automaton, move)} leads from components[{before}] to components[{after}]"
            raise Rejected("order", f"{way}, which stands before it")


def _check_connected(automaton: Automaton, claim: PrivacyClaim, component: list[int]) -> None:
    """Inside a component every state is reached from the first one, and reaches it."""
    following: list[list[int]] = [[] for _ in automaton.states]
    preceding: list[list[int]] = [[] for _ in automaton.states]
    for source, target, *_ in automaton.transitions:
        if component[source] == component[target]:
            following[source].append(target)
            preceding[target].append(source)
    firsts = [automaton.numbers[names[0]] for names in claim.components]
    for neighbours, problem in (
        (following, "there is no way inside it from {} to {}"),
        (preceding, "there is no way inside it to {} from {}"),
    ):
        found = spread(firsts, neighbours)
        for state, number in enumerate(component):
            if number != _NOWHERE and not found[state]:
                ends = problem.format(automaton.shown(firsts[number]), automaton.shown(state))
                raise Rejected("connected", f"components[{number}]: {ends}")


def _check_cycles(automaton: Automaton, component: list[int], repeatable: list[Transition]) -> None:
    """No component stores and compares, and none writes a sample that depends on an input."""
    storing = {component[move.source]: move for move in repeatable if move.assigns}
    for move in repeatable:
        number = component[move.source]
        if move.guard != TRUE and number in storing:
            others = f"{_named(automaton, storing[number])} stores, and {_named(automaton, move)} compares"
            raise Rejected(_step(LEAKING_CYCLE), f"components[{number}]: {others}")
    for move in repeatable:
        if automaton.states[move.source].reads_input and isinstance(move.output, int):
            problem = f"{_named(automaton, move)} reads an input and writes a sample"
            raise Rejected(_step(DISCLOSING_CYCLE), f"components[{component[move.source]}]: {problem}")


def _check_stretches(
    automaton: Automaton, component: list[int], repeatable: list[Transition], rising: bool
) -> None:
    """Along stores that are all under ``>=`` no bound is followed by a lower one; or the mirror image."""
    low, high = (LESS, AT_LEAST) if rising else (AT_LEAST, LESS)
    neighbours = [
        [move.target for move in moves if not move.assigns or move.guard == high]
        for moves in automaton.outgoing
    ]
    ending = {component[move.source] for move in repeatable if move.guard == high}

    def check_end(kind: str, beginning: str, starts: Iterable[int]) -> bytearray:
        """No cycle with the guard ``high`` is found from there; the result is what is found."""
        found = spread(starts, neighbours)
        for state, number in enumerate(component):
            if found[state] and number in ending:
                way = f"a way with stores under {high} only leads from {beginning}"
                problem = f"{way} to a cycle with the guard {high} in components[{number}]"
                raise Rejected(_step(kind), problem)
        return found

    cycle = f"a cycle with the guard {low}"
    on_cycles = {component[move.source] for move in repeatable if move.guard == low}
    in_cycles = (state for state, number in enumerate(component) if number in on_cycles)
    after_cycles = check_end(LEAKING_PAIR, cycle, in_cycles)
    written = [
        move for move in automaton.transitions if move.output == SAMPLE and component[move.source] != _NOWHERE
    ]
    stored = (move.target for move in written if move.assigns)
    check_end(DISCLOSED_STORE, "a store that writes its sample", stored)
    compared = (move.target for move in written if not move.assigns and move.guard == low)
    check_end(DISCLOSED_SAMPLE, f"a sample with the guard {low} that is written", compared)
    for move in written:
        if move.guard == high and after_cycles[move.source]:
            way = f"a way with stores under {high} only leads from {cycle}"
            problem = f"{way} to {_named(automaton, move)}, which writes its sample"
            raise Rejected(_step(LATE_DISCLOSURE), problem)


class _Weights:
    """What critical transitions cost, and what the claim says can still be spent."""

    def __init__(self, automaton: Automaton, claim: PrivacyClaim, component: list[int], work: Work) -> None:
        self._automaton, self._claim, self._component, self._work = automaton, claim, component, work
        self._left = [(value.numerator, value.denominator) for value in claim.left]
        self._sizes = [above.bit_length() + below.bit_length() for above, below in self._left]

    def check(self, critical: list[Transition]) -> None:
        """The steps left, weight and path."""
        claim, component = self._claim, self._component
        for number, value in enumerate(claim.left):
            if value < 0:
                raise Rejected("left", f"left[{number}] is {brief(value)}, which is negative")
        for move in critical:
            if self._excess(move) > 0:
                raise Rejected("left", f"{self._what(move)} exceed left[{component[move.source]}]")
        whole = claim.left[component[self._automaton.initial]]
        if claim.weight != whole:
            numbers = comparison(claim.weight, "!=", whole)
            raise Rejected("weight", f"the weight is not what is left at the beginning, {numbers}")
        self._check_path()

    def _check_path(self) -> None:
        """The path costs the weight: what is left at its end is nothing, and nowhere less than it cost."""
        component = self._component
        way, end = follow(self._automaton, self._automaton.initial, self._claim.path, "path")
        for move in way:
            if component[move.source] != component[move.target] and self._excess(move) < 0:
                raise Rejected("path", f"{self._what(move)} are less than left[{component[move.source]}]")
        rest = self._claim.left[component[end]]
        if rest != 0:
            problem = f"the path ends in {self._automaton.shown(end)}, where {brief(rest)} is left"
            raise Rejected("path", problem)

    def _excess(self, move: Transition) -> int:
        """The sign of cost + left after − left before, without a search for common divisors."""
        source, target = self._component[move.source], self._component[move.target]
        cost, over = self._cost(move)
        (before, before_over), (after, after_over) = self._left[source], self._left[target]
        bits = cost.bit_length() + over.bit_length() + self._sizes[source] + self._sizes[target]
        self._work.spend(5, bits, bits)
        return (cost * after_over + after * over) * before_over - before * (over * after_over)

    def _cost(self, move: Transition) -> tuple[int, int]:
        """What a critical transition costs, in multiples of ε: numerator and denominator."""
        state = self._automaton.states[move.source]
        moved = 0 if move.output == SAMPLE else 1
        d = state.noise.d
        cost, over = d.numerator * (moved + state.reads_input), d.denominator
        if move.output == SECOND and state.reads_input and state.second is not None:
            other = state.second.d
            self._work.spend(3, size(d), size(other))
            cost, over = cost * other.denominator + other.numerator * over, over * other.denominator
        return cost, over

    def _what(self, move: Transition) -> str:
        target = self._component[move.target]
        cost, after = brief(Fraction(*self._cost(move))), brief(self._claim.left[target])
        return f"the cost {cost} of {_named(self._automaton, move)} and left[{target}] = {after}"


def _named(automaton: Automaton, move: Transition) -> str:
    """A transition for a message."""
    return f"({automaton.shown(move.source)}, {move.guard})"


def _step(kind: str) -> str:
    return kind.replace(" ", "-")

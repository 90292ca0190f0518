"""Is an automaton private, for every epsilon, on inputs of any length? In linear time, and with a proof.

The decision of Chadha, Sistla and Viswanathan (LICS 2021): an automaton leaks without bound exactly if its
graph has one of six shapes, and otherwise it is (weight * eps)-private for every eps > 0.

*The graph.* A transition is *critical* if it lies on no cycle, that is if it leads from one strongly
connected component to another; a run takes each critical transition at most once, and the others as often as
it likes. Everything is decided about the components and the transitions between them. A component is an
*L-cycle* if a comparison ``insample < x`` lies on a cycle of it, and a *G-cycle* if one with ``>=`` does.
Only what the initial state reaches counts.

*The coupling.* Fix a path and two adjacent input sequences a and b, |a_i - b_i| <= 1. Map the samples z_i of
a run on a to z_i + s_i, with constants s_i. If the map respects all guards and all disclosed values, then
P_a(path) <= exp(eps * cost) P_b(path), where step i costs d_i |s_i - (b_i - a_i)|, or d_i |s_i| where no
input is read: the densities at z_i and at z_i + s_i differ by no more. Which shifts respect the guards? With
x = z_k, ``>=`` needs s_i >= s_k, ``<`` needs s_i <= s_k, and a disclosed sample needs s_i = 0.

A step on a cycle may be repeated without end and must cost nothing, so there s_i = b_i - a_i, which may be
anything in [-1, 1]. Let sigma_k in [-1, 1] be the shift of the k-th stored value. Then

* an L-cycle while x is the k-th value needs sigma_k = 1, and a G-cycle sigma_k = -1;
* a value that is disclosed where it is stored needs sigma_k = 0; a disclosed sample that is compared with x
  needs sigma_k <= 0 if the guard is ``>=``, and sigma_k >= 0 if it is ``<``;
* a value that is stored under ``>=`` needs sigma_k >= sigma_(k-1), under ``<`` sigma_k <= sigma_(k-1); under
  true it is free.

If such sigma exist, all costs are bounded by the weight (below), whatever the length of the path. They do not
exist exactly if somewhere along a stretch of stores that are all ``>=`` (an AG-path: sigma cannot fall) a
lower bound is followed by a smaller upper bound, or along one of ``<`` (an AL-path) an upper bound by a
larger lower one. The bounds are +-1 from cycles and 0 from disclosures, so these are the cases, each with its
mirror image (L and G, ``<`` and ``>=``, AG and AL exchanged):

* *leaking pair*: an L-cycle, an AG-path, a G-cycle (1 > -1);
* *disclosed store*: a store whose sample is disclosed, an AG-path, a G-cycle (0 > -1);
* *disclosed sample*: a sample that is disclosed and not stored, with guard ``<``, an AG-path, a G-cycle;
* *late disclosure*: an L-cycle, an AG-path, a sample with guard ``>=`` that is disclosed (1 > 0).

A path without stores is both an AG-path and an AL-path. Two more cases concern cycles alone. A *leaking
cycle* has a store and a comparison: its steps must cost nothing, and so must those that they are compared
with, which no shift does for all inputs. A *disclosing cycle* discloses a sample that depends on an input
again and again, and each time that costs d |a_i - b_i|.

*The second sample*, insample', is compared with nothing and stored nowhere. If it is disclosed, its own shift
is 0; that constrains no other shift. In an input state it costs d' more, which is harmless once and ruinous
on a cycle, so it makes a disclosing cycle like insample; in a state without input it costs nothing.

*Conversely*, each of these cases breaks privacy for every bound: repeat the cycles n times, with inputs that
fit the guards in one run and contradict them in the other. The probability of the path is then the integral
of n-th powers, and the quotient of the two grows geometrically in n (`witness` does it, with numbers).

*Determinacy* saves the remaining worry. A store on a cycle under guard true would be free and yet used later,
after the cycle is left, and then cost something. But a state with a true guard has no other transition, so a
cycle without comparisons is never left.

*The weight* is the largest sum of costs along a path. Steps on cycles cost nothing, and a critical transition
costs what the coupling can need there:

* 2d where an input is read: the sample's shift and the inputs' difference are each between -1 and 1;
* d where none is read: the shift alone;
* d and 0 in these two cases if the sample is disclosed, because then it is not shifted at all;
* and d' more where the second sample is disclosed and an input is read.

The talk has the first two; the others are ours, and are less than the talk's rule for finite outputs would
give. Critical transitions lead from component to component, so this is a longest path in an acyclic graph.

*What it costs.* Components by Tarjan's algorithm, six searches and one pass over the critical transitions:
all of it linear in the automaton, and iterative, so a million transitions take seconds. Costs are summed as
integers over a common denominator, as a sum of fractions would look for common divisors at every term.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from bdist.budget import Budget
from bdist.dipa.automaton import Automaton, Guard, Noise, Real, fingerprint
from bdist.dipa.certificate import DipaCertificate, vouch
from bdist.exact.linear import strongly_connected_components
from bdist.exact.reading import rational_text
from bdist.results import Answer, Statistics


class Kind(Enum):
    """The ways in which an automaton can leak without bound."""

    LEAKING_CYCLE = "leaking cycle"
    LEAKING_PAIR = "leaking pair"
    DISCLOSING_CYCLE = "disclosing cycle"
    DISCLOSED_STORE = "disclosed store"
    DISCLOSED_SAMPLE = "disclosed sample"
    LATE_DISCLOSURE = "late disclosure"


@dataclass(frozen=True)
class Violation:
    """A way through the automaton that breaks privacy: transitions by number.

    ``prefix`` leads from the initial state to ``first``, ``between`` from its end to ``second``. ``first`` is
    a cycle, or for the disclosed store and sample one transition; ``second`` is empty for a single cycle, one
    transition for the late disclosure, and a cycle otherwise. ``rising`` says that the stores between are all
    ``>=`` (the case as the essay words it), and not that it is the mirror image.
    """

    kind: Kind
    rising: bool
    prefix: tuple[int, ...]
    first: tuple[int, ...]
    between: tuple[int, ...] = ()
    second: tuple[int, ...] = ()


@dataclass(frozen=True)
class Weight:
    """The weight, a path that attains it, and by component what can still be spent from there on.

    ``critical`` are the transitions of the path that cost something.
    """

    value: Fraction
    path: tuple[int, ...]
    critical: tuple[int, ...]
    left: tuple[Fraction, ...]


@dataclass(frozen=True)
class Decision:
    """HOLDS with the weight, for which the automaton is (weight * eps)-private for all eps > 0, or VIOLATED.

    Either way the certificate has been checked; there is no third answer.
    """

    answer: Answer
    automaton: Automaton
    weight: Weight | None
    violation: Violation | None
    certificate: DipaCertificate
    stats: Statistics

    @property
    def value(self) -> Fraction | None:
        """The weight, where the automaton is private."""
        return None if self.weight is None else self.weight.value


def decide(automaton: Automaton, *, budget: Budget | None = None) -> Decision:
    """Decide differential privacy of an automaton (Chadha, Sistla and Viswanathan, LICS 2021).

    Ensures: the certificate was checked by the independent checker.
    Raises: InternalError where it does not hold; UnsupportedError where it is too long to be checked;
    Unchecked where the check does not end in time.
    """
    began = time.monotonic()
    structure = Structure(automaton)
    violation = find_violation(structure)
    weight: Weight | None = None
    if violation is None:
        weight = weigh(structure)
        certificate = certify_privacy(structure, weight)
    else:
        certificate = certify_leak(automaton, violation)
    solved = time.monotonic()
    vouch(automaton, certificate, budget)
    stats: Statistics = {
        "states": len(automaton.states),
        "transitions": len(automaton.transitions),
        "reached": len(structure.reached),
        "components": len(structure.members),
        "seconds": round(solved - began, 6),
        "check_seconds": round(time.monotonic() - solved, 6),
    }
    answer = Answer.HOLDS if violation is None else Answer.VIOLATED
    return Decision(answer, automaton, weight, violation, certificate, stats)


def certify_privacy(structure: Structure, weight: Weight) -> DipaCertificate:
    """The certificate that an automaton is private with this weight."""
    automaton = structure.automaton
    names = [state.name for state in automaton.states]
    members = {
        "private": True,
        "weight": rational_text(weight.value),
        "components": tuple([names[q] for q in members] for members in structure.members),
        "left": tuple(map(rational_text, weight.left)),
        "path": automaton.transition_names(weight.path),
    }
    return DipaCertificate(fingerprint(automaton), members)


def certify_leak(automaton: Automaton, violation: Violation) -> DipaCertificate:
    """The certificate that an automaton is not private, by this violation."""
    members: dict[str, object] = {"private": False, "kind": violation.kind.value, "rising": violation.rising}
    for part in ("prefix", "first", "between", "second"):
        members[part] = automaton.transition_names(getattr(violation, part))
    return DipaCertificate(fingerprint(automaton), members)


# --- the graph ------------------------------------------------------------------------------------------


class Search:
    """A breadth-first search along allowed transitions from some states, with the ways back."""

    def __init__(
        self, automaton: Automaton, starts: Iterable[int], allowed: Sequence[bool] | None = None
    ) -> None:
        self._transitions, outgoing = automaton.transitions, automaton.outgoing
        self._came_by = dict.fromkeys(starts, -1)  # the transition by which a state was found first
        waiting = deque(self._came_by)
        while waiting:
            for t in outgoing[waiting.popleft()]:
                target = self._transitions[t].target
                if target not in self._came_by and (allowed is None or allowed[t]):
                    self._came_by[target] = t
                    waiting.append(target)

    def __contains__(self, state: int) -> bool:
        return state in self._came_by

    def path_to(self, state: int) -> list[int]:
        """The transitions of a shortest path from a start to a state. Requires: it was found."""
        path: list[int] = []
        while (t := self._came_by[state]) >= 0:
            path.append(t)
            state = self._transitions[t].source
        return path[::-1]


class Structure:
    """Components and cycles of the reachable part of an automaton.

    ``component[q]`` is the number of a state's component, -1 where the state is not reached; ``members`` are
    the states by component, in topological order: no transition leads to a smaller number. ``cyclic[t]`` says
    whether a transition is reached and lies on a cycle, and ``reached`` lists the transitions that are
    reached.
    """

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self._from_initial = Search(automaton, [automaton.initial])
        transitions, found = automaton.transitions, self._from_initial
        parts = strongly_connected_components(
            [
                [transitions[t].target for t in numbers] if state in found else []
                for state, numbers in enumerate(automaton.outgoing)
            ]
        )
        self.members: list[list[int]] = []
        self.component = [-1] * len(automaton.states)
        for part in reversed(parts):  # the algorithm completes a component after all that it leads to
            if part[0] in found:
                for state in part:
                    self.component[state] = len(self.members)
                self.members.append(list(part))
        self.reached = [t for t, transition in enumerate(transitions) if transition.source in found]
        component = self.component
        self.cyclic = [False] * len(transitions)
        for t in self.reached:
            transition = transitions[t]
            self.cyclic[t] = component[transition.source] == component[transition.target]

    def components_with(self, wanted: Callable[[int], bool]) -> dict[int, int]:
        """The components with a transition of some kind on a cycle, each with the first such transition."""
        component, transitions = self.component, self.automaton.transitions
        first: dict[int, int] = {}
        for t in self.reached:
            if self.cyclic[t] and wanted(t):
                first.setdefault(component[transitions[t].source], t)
        return first

    def guarded(self, guard: Guard) -> dict[int, int]:
        """The L-cycles or G-cycles: components with that guard on a cycle, and a transition that has it."""
        transitions = self.automaton.transitions
        return self.components_with(lambda t: transitions[t].guard is guard)

    def prefix_to(self, state: int) -> list[int]:
        """A shortest path from the initial state. Requires: the state is reached."""
        return self._from_initial.path_to(state)

    def path_within(self, start: int, end: int) -> list[int]:
        """A shortest path inside a component. Requires: both states are in it."""
        return Search(self.automaton, [start], self.cyclic).path_to(end) if start != end else []

    def cycle_from(self, state: int, t: int) -> list[int]:
        """A cycle from a state through a transition of its component."""
        transition = self.automaton.transitions[t]
        there = self.path_within(state, transition.source)
        return [*there, t, *self.path_within(transition.target, state)]


# --- violations -----------------------------------------------------------------------------------------


def find_violation(structure: Structure) -> Violation | None:
    """The first violation in the order of `Kind`, if there is any."""
    if (cycle := _leaking_cycle(structure)) is not None:
        return cycle
    directions = [_Direction(structure, rising) for rising in (True, False)]
    for direction in directions:
        if (pair := direction.leaking_pair()) is not None:
            return pair
    if (cycle := _disclosing_cycle(structure)) is not None:
        return cycle
    for direction in directions:
        if (found := direction.early_disclosure() or direction.late_disclosure()) is not None:
            return found
    return None


def _leaking_cycle(structure: Structure) -> Violation | None:
    """A cycle with a store and a comparison."""
    transitions = structure.automaton.transitions
    stores = structure.components_with(lambda t: transitions[t].assigns)
    compares = structure.components_with(lambda t: transitions[t].guard is not Guard.TRUE)
    for component, store in stores.items():
        if component not in compares:
            continue
        first, cycle = transitions[store], [store]
        if first.guard is not Guard.TRUE:  # it compares itself, which makes the shortest cycle
            cycle += structure.path_within(first.target, first.source)
        else:
            other = transitions[compares[component]]
            cycle += [*structure.path_within(first.target, other.source), compares[component]]
            cycle += structure.path_within(other.target, first.source)
        prefix = structure.prefix_to(first.source)
        return Violation(Kind.LEAKING_CYCLE, True, tuple(prefix), tuple(cycle))
    return None


def _disclosing_cycle(structure: Structure) -> Violation | None:
    """A cycle that writes a sample that depends on an input."""
    states, transitions = structure.automaton.states, structure.automaton.transitions

    def discloses(t: int) -> bool:
        return states[transitions[t].source].reads_input and isinstance(transitions[t].output, Real)

    for t in structure.components_with(discloses).values():
        source = transitions[t].source
        prefix, cycle = structure.prefix_to(source), structure.cycle_from(source, t)
        return Violation(Kind.DISCLOSING_CYCLE, True, tuple(prefix), tuple(cycle))
    return None


class _Direction:
    """The cases of one direction: AG-paths as the essay words them, or their mirror images."""

    def __init__(self, structure: Structure, rising: bool) -> None:
        self._structure, self._rising = structure, rising
        self._transitions = structure.automaton.transitions
        self._lower, self._upper = (Guard.LESS, Guard.AT_LEAST) if rising else (Guard.AT_LEAST, Guard.LESS)
        self._sources = structure.guarded(self._lower)  # L-cycles
        self._targets = structure.guarded(self._upper)  # G-cycles
        self._allowed = [not t.assigns or t.guard is self._upper for t in self._transitions]
        starts = [state for component in self._sources for state in structure.members[component]]
        self._after_cycles = self._search(starts)

    def leaking_pair(self) -> Violation | None:
        """An L-cycle, an AG-path, a G-cycle."""
        state = self._target_in(self._after_cycles)
        if state is None:
            return None
        return self._after_cycle(Kind.LEAKING_PAIR, state, self._target_cycle(state))

    def late_disclosure(self) -> Violation | None:
        """An L-cycle, an AG-path, a disclosed sample with guard ``>=``."""
        for t in self._structure.reached:
            transition = self._transitions[t]
            discloses = transition.guard is self._upper and transition.output is Real.SAMPLE
            if discloses and transition.source in self._after_cycles:
                return self._after_cycle(Kind.LATE_DISCLOSURE, transition.source, [t])
        return None

    def early_disclosure(self) -> Violation | None:
        """A disclosed store, or a disclosed sample with guard ``<``, an AG-path, a G-cycle."""
        for kind in (Kind.DISCLOSED_STORE, Kind.DISCLOSED_SAMPLE):
            disclosing = {
                self._transitions[t].target: t for t in self._structure.reached if self._discloses(t, kind)
            }
            after = self._search(disclosing)
            state = self._target_in(after)
            if state is not None:
                between = after.path_to(state)
                opening = disclosing[self._start(between, state)]
                prefix = self._structure.prefix_to(self._transitions[opening].source)
                return self._violation(kind, prefix, [opening], between, self._target_cycle(state))
        return None

    def _search(self, starts: Iterable[int]) -> Search:
        return Search(self._structure.automaton, starts, self._allowed)

    def _discloses(self, t: int, kind: Kind) -> bool:
        transition = self._transitions[t]
        if transition.output is not Real.SAMPLE or transition.assigns != (kind is Kind.DISCLOSED_STORE):
            return False
        return transition.assigns or transition.guard is self._lower

    def _target_in(self, found: Search) -> int | None:
        """A state of a G-cycle that a search has found."""
        members = (self._structure.members[component] for component in self._targets)
        return next((state for states in members for state in states if state in found), None)

    def _target_cycle(self, state: int) -> list[int]:
        return self._structure.cycle_from(state, self._targets[self._structure.component[state]])

    def _start(self, path: list[int], end: int) -> int:
        """Where a path begins that ends in a state, and may be empty."""
        return self._transitions[path[0]].source if path else end

    def _after_cycle(self, kind: Kind, state: int, second: list[int]) -> Violation:
        between = self._after_cycles.path_to(state)
        start = self._start(between, state)
        cycle = self._structure.cycle_from(start, self._sources[self._structure.component[start]])
        return self._violation(kind, self._structure.prefix_to(start), cycle, between, second)

    def _violation(self, kind: Kind, *parts: list[int]) -> Violation:
        return Violation(kind, self._rising, *map(tuple, parts))


# --- the weight -----------------------------------------------------------------------------------------


def cost(automaton: Automaton, t: int) -> Fraction:
    """What a critical transition costs, in multiples of eps."""
    return Fraction(_Costs(automaton)[t], automaton.common_denominator)


class _Costs:
    """Costs of transitions as integers, in parts of the common denominator."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._known: dict[int, int] = {}  # by the identity of a noise, of which there are few

    def __getitem__(self, t: int) -> int:
        transition = self._automaton.transitions[t]
        state, output = self._automaton.states[transition.source], transition.output
        total = self._parts(state.noise) * ((output is not Real.SAMPLE) + state.reads_input)
        if output is Real.SECOND and state.reads_input and state.second is not None:
            total += self._parts(state.second)
        return total

    def _parts(self, noise: Noise) -> int:
        parts = self._known.get(id(noise))
        if parts is None:
            unit = self._automaton.common_denominator
            parts = self._known[id(noise)] = noise.d.numerator * (unit // noise.d.denominator)
        return parts


def weigh(structure: Structure) -> Weight:
    """The weight of an automaton without violations."""
    automaton, component = structure.automaton, structure.component
    costs = _Costs(automaton)
    left = [0] * len(structure.members)
    best: list[int | None] = [None] * len(structure.members)
    for number in range(len(structure.members) - 1, -1, -1):
        for state in structure.members[number]:
            for t in automaton.outgoing[state]:
                if structure.cyclic[t]:
                    continue
                spent = costs[t] + left[component[automaton.transitions[t].target]]
                if spent > left[number]:
                    left[number], best[number] = spent, t
    path: list[int] = []
    critical: list[int] = []
    here = automaton.initial
    while (chosen := best[component[here]]) is not None:
        transition = automaton.transitions[chosen]
        path += [*structure.path_within(here, transition.source), chosen]
        critical.append(chosen)
        here = transition.target
    shares = tuple(Fraction(amount, automaton.common_denominator) for amount in left)
    return Weight(shares[component[automaton.initial]], tuple(path), tuple(critical), shares)

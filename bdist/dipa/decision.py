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

*The second sample*, insample', is compared with nothing and stored nowhere, so it constrains no other shift.
Where it is disclosed in an input state it costs d' more, which is harmless once and makes a disclosing cycle
on a cycle; in a state without input it costs nothing.

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

The talk has the first two; the others are ours, and less than the talk's rule for finite outputs would give.
Critical transitions lead from component to component, so this is a longest path in an acyclic graph.

*What it costs.* Components by Tarjan's algorithm, a few searches and one pass over the critical transitions:
all of it linear in the automaton, and iterative, so a million transitions take seconds. Costs are summed as
integers over a common denominator.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from bdist import checker
from bdist.budget import Budget
from bdist.certificates import Document, array_text, document_text
from bdist.certificates.checking import vouched
from bdist.dipa import text as dipa
from bdist.dipa.automaton import Automaton, Guard, Real, fingerprint
from bdist.exact.linear import strongly_connected_components
from bdist.exact.rationals import rational_text, short_text
from bdist.report import OneLine, titled
from bdist.results import Answer, Statistics


class Kind(Enum):
    """The ways in which an automaton can leak without bound."""

    LEAKING_CYCLE = "leaking cycle"
    LEAKING_PAIR = "leaking pair"
    DISCLOSING_CYCLE = "disclosing cycle"
    DISCLOSED_STORE = "disclosed store"
    DISCLOSED_SAMPLE = "disclosed sample"
    LATE_DISCLOSURE = "late disclosure"


@dataclass(frozen=True, repr=False)
class Violation(OneLine):
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


@dataclass(frozen=True, repr=False)
class Weight(OneLine):
    """The weight, a path that attains it, and by component what can still be spent from there on.

    ``critical`` are the transitions of the path that cost something.
    """

    value: Fraction
    path: tuple[int, ...]
    critical: tuple[int, ...]
    left: tuple[Fraction, ...]


@dataclass(frozen=True, repr=False)
class Decision(OneLine):
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

    def _essence(self) -> str:
        name = titled(self.automaton.name, self.answer.value)
        if self.weight is not None:
            return f"{name}, private with {short_text(self.weight.value)} eps for every eps > 0"
        return name if self.violation is None else f"{name} by a {self.violation.kind.value}"


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

    def path_to(self, state: int) -> tuple[int, ...]:
        """The transitions of a shortest path from a start to a state. Requires: it was found."""
        path: list[int] = []
        while (t := self._came_by[state]) >= 0:
            path.append(t)
            state = self._transitions[t].source
        return tuple(reversed(path))


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

    def on_cycles(self, guard: Guard) -> dict[int, int]:
        """The states of all L-cycles, or G-cycles, each with a transition of its cycle that compares so."""
        transitions = self.automaton.transitions
        found = self.components_with(lambda t: transitions[t].guard is guard)
        return {state: t for component, t in found.items() for state in self.members[component]}

    def prefix_to(self, state: int) -> tuple[int, ...]:
        """A shortest path from the initial state. Requires: the state is reached."""
        return self._from_initial.path_to(state)

    def path_within(self, start: int, end: int) -> tuple[int, ...]:
        """A shortest path inside a component. Requires: both states are in it."""
        return Search(self.automaton, [start], self.cyclic).path_to(end) if start != end else ()

    def cycle_from(self, state: int, t: int) -> tuple[int, ...]:
        """A cycle from a state through a transition of its component."""
        transition = self.automaton.transitions[t]
        there = self.path_within(state, transition.source)
        return (*there, t, *self.path_within(transition.target, state))


# --- violations -----------------------------------------------------------------------------------------


def find_violation(structure: Structure) -> Violation | None:
    """The first violation in the order of `Kind`, if there is any."""
    return next((found for found in _violations(structure) if found is not None), None)


def _violations(structure: Structure) -> Iterator[Violation | None]:
    """Each case that there is, or None."""
    yield _leaking_cycle(structure)
    for rising in (True, False):
        yield _stretch(structure, Kind.LEAKING_PAIR, rising)
    yield _disclosing_cycle(structure)
    for rising in (True, False):
        for kind in (Kind.DISCLOSED_STORE, Kind.DISCLOSED_SAMPLE, Kind.LATE_DISCLOSURE):
            yield _stretch(structure, kind, rising)


def _leaking_cycle(structure: Structure) -> Violation | None:
    """A cycle with a store and a comparison."""
    transitions = structure.automaton.transitions
    stores = structure.components_with(lambda t: transitions[t].assigns)
    compares = structure.components_with(lambda t: transitions[t].guard is not Guard.TRUE)
    for component, store in stores.items():
        if component not in compares:
            continue
        first = transitions[store]
        cycle: tuple[int, ...] = (store,)
        if first.guard is not Guard.TRUE:  # it compares itself, which makes the shortest cycle
            cycle += structure.path_within(first.target, first.source)
        else:
            other = transitions[compares[component]]
            cycle += (*structure.path_within(first.target, other.source), compares[component])
            cycle += structure.path_within(other.target, first.source)
        return Violation(Kind.LEAKING_CYCLE, True, structure.prefix_to(first.source), cycle)
    return None


def _disclosing_cycle(structure: Structure) -> Violation | None:
    """A cycle that writes a sample that depends on an input."""
    states, transitions = structure.automaton.states, structure.automaton.transitions

    def discloses(t: int) -> bool:
        return states[transitions[t].source].reads_input and isinstance(transitions[t].output, Real)

    for t in structure.components_with(discloses).values():
        source = transitions[t].source
        cycle = structure.cycle_from(source, t)
        return Violation(Kind.DISCLOSING_CYCLE, True, structure.prefix_to(source), cycle)
    return None


def _stretch(structure: Structure, kind: Kind, rising: bool) -> Violation | None:
    """A bound of a stored value, an AG-path (or its mirror image) that keeps it, and one that contradicts it.

    What bounds a value is found by states: the transition of an L-cycle, or the sample that is disclosed, by
    the states where the path can begin, and what contradicts it by those where it can end.
    """
    transitions = structure.automaton.transitions
    lower, upper = (Guard.LESS, Guard.AT_LEAST) if rising else (Guard.AT_LEAST, Guard.LESS)
    written = [t for t in structure.reached if transitions[t].output is Real.SAMPLE]
    if kind is not Kind.LEAKING_PAIR and not written:
        return None
    is_early = kind in (Kind.DISCLOSED_STORE, Kind.DISCLOSED_SAMPLE)
    if kind is Kind.DISCLOSED_STORE:
        first = {transitions[t].target: t for t in written if transitions[t].assigns}
    elif kind is Kind.DISCLOSED_SAMPLE:
        compared = (t for t in written if transitions[t].guard is lower and not transitions[t].assigns)
        first = {transitions[t].target: t for t in compared}
    else:
        first = structure.on_cycles(lower)
    if kind is Kind.LATE_DISCLOSURE:
        last = {transitions[t].source: t for t in written if transitions[t].guard is upper}
    else:
        last = structure.on_cycles(upper)
    found = Search(structure.automaton, first, [not t.assigns or t.guard is upper for t in transitions])
    end = next((state for state in last if state in found), None)
    if end is None:
        return None
    between = found.path_to(end)
    start = transitions[between[0]].source if between else end
    return Violation(
        kind,
        rising,
        prefix=structure.prefix_to(transitions[first[start]].source if is_early else start),
        first=(first[start],) if is_early else structure.cycle_from(start, first[start]),
        between=between,
        second=(last[end],) if kind is Kind.LATE_DISCLOSURE else structure.cycle_from(end, last[end]),
    )


# --- the weight -----------------------------------------------------------------------------------------


def cost(automaton: Automaton, t: int) -> Fraction:
    """What a critical transition costs, in multiples of eps."""
    return Fraction(_parts_of_cost(automaton, t), automaton.common_denominator)


def _parts_of_cost(automaton: Automaton, t: int) -> int:
    """The same in parts of the common denominator."""
    transition = automaton.transitions[t]
    state, output = automaton.states[transition.source], transition.output
    total = automaton.coefficients[id(state.noise)] * ((output is not Real.SAMPLE) + state.reads_input)
    if output is Real.SECOND and state.reads_input:
        total += automaton.coefficients[id(state.second)]
    return total


def weigh(structure: Structure) -> Weight:
    """The weight of an automaton without violations."""
    automaton, component = structure.automaton, structure.component
    left = [0] * len(structure.members)
    best: list[int | None] = [None] * len(structure.members)
    for number in range(len(structure.members) - 1, -1, -1):
        for state in structure.members[number]:
            for t in automaton.outgoing[state]:
                if structure.cyclic[t]:
                    continue
                spent = _parts_of_cost(automaton, t) + left[component[automaton.transitions[t].target]]
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


# --- the certificate ------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class DipaCertificate(Document):
    """A proof that the automaton with that fingerprint is private with some weight, or that it is not.

    `SPEC.md` beside this file defines it. For a private automaton it lists the strongly connected components
    in topological order and what each can still spend, which is all that the checker needs to see, in one
    pass over the transitions, that nothing leaks and that the weight is right. For one that is not it holds
    the way through the automaton that breaks privacy. ``members`` are those of SPEC.md section 2 beyond the
    first three; tuples are written an item a line.
    """

    model: str
    members: Mapping[str, object]

    def to_json(self) -> str:
        """The document; one component or transition a line."""
        every = {"format": "bdist-dipa-certificate", "version": 1, "model": self.model, **self.members}
        return document_text(
            {
                name: array_text(value) if isinstance(value, tuple) else json.dumps(value)
                for name, value in every.items()
            }
        )


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


def vouch(
    automaton: Automaton, certificate: DipaCertificate, budget: Budget | None = None
) -> checker.AutomatonReport:
    """What the independent checker finds proved by a certificate that we made ourselves.

    Raises: as `bdist.certificates.checking.vouched`.
    """
    model = dipa.write(automaton)
    return vouched(checker.check_automaton, "model.dipa", model, certificate.to_json(), budget)

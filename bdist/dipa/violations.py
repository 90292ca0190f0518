"""What makes an automaton leak, and that nothing else does.

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

If such sigma exist, all costs are bounded by the weight (`weight`), whatever the length of the path. They do
not exist exactly if somewhere along a stretch of stores that are all ``>=`` (an AG-path: sigma cannot fall) a
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

Everything is found by six searches through the graph, in linear time.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from bdist.dipa.automaton import Guard, Real
from bdist.dipa.structure import Search, Structure


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


def find_violation(structure: Structure) -> Violation | None:
    """The first violation in the order of `Kind`, if there is any."""
    cycle = _leaking_cycle(structure)
    if cycle is not None:
        return cycle
    directions = [_Direction(structure, rising) for rising in (True, False)]
    for direction in directions:
        if (pair := direction.leaking_pair()) is not None:
            return pair
    disclosing = structure.components_with(structure.discloses)
    for t in disclosing.values():
        source = structure.automaton.transitions[t].source
        prefix = structure.path(structure.automaton.initial, source)
        return Violation(Kind.DISCLOSING_CYCLE, True, tuple(prefix), tuple(structure.cycle_through(t)))
    for direction in directions:
        if (found := direction.early_disclosure() or direction.late_disclosure()) is not None:
            return found
    return None


def _leaking_cycle(structure: Structure) -> Violation | None:
    transitions = structure.automaton.transitions
    stores = structure.components_with(lambda t: transitions[t].assigns)
    compares = structure.components_with(lambda t: transitions[t].guard is not Guard.TRUE)
    for component, t in stores.items():
        if component in compares:
            prefix = structure.path(structure.automaton.initial, transitions[t].source)
            cycle = structure.cycle_through(t, _best_comparison(structure, t, compares[component]))
            return Violation(Kind.LEAKING_CYCLE, True, tuple(prefix), tuple(cycle))
    return None


def _best_comparison(structure: Structure, store: int, other: int) -> int:
    """The store itself where it compares, which makes the shortest cycle; otherwise the other transition."""
    return store if structure.automaton.transitions[store].guard is not Guard.TRUE else other


class _Direction:
    """The cases of one direction: AG-paths as the essay words them, or their mirror images."""

    def __init__(self, structure: Structure, rising: bool) -> None:
        self._structure, self._rising = structure, rising
        self._transitions = structure.automaton.transitions
        lower, upper = (Guard.LESS, Guard.AT_LEAST) if rising else (Guard.AT_LEAST, Guard.LESS)
        self._lower, self._upper = lower, upper
        self._sources = structure.guarded(lower)  # L-cycles
        self._targets = structure.guarded(upper)  # G-cycles
        self._allowed = [not t.assigns or t.guard is upper for t in self._transitions]
        starts = [state for component in self._sources for state in structure.members[component]]
        self._after_cycles = Search(structure, starts, self._allowed)

    def leaking_pair(self) -> Violation | None:
        """An L-cycle, an AG-path, a G-cycle."""
        for component, t in self._targets.items():
            for state in self._structure.members[component]:
                if state in self._after_cycles:
                    return self._after_cycle(Kind.LEAKING_PAIR, state, self._cycle_from(state, t))
        return None

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
            after = Search(self._structure, disclosing, self._allowed)
            for component, t in self._targets.items():
                for state in self._structure.members[component]:
                    if state in after:
                        between = after.path_to(state)
                        opening = disclosing[after.start_of(state)]
                        prefix = self._structure.path(
                            self._structure.automaton.initial, self._transitions[opening].source
                        )
                        cycle = self._cycle_from(state, t)
                        return Violation(
                            kind, self._rising, tuple(prefix), (opening,), tuple(between), tuple(cycle)
                        )
        return None

    def _discloses(self, t: int, kind: Kind) -> bool:
        transition = self._transitions[t]
        if transition.output is not Real.SAMPLE or transition.assigns != (kind is Kind.DISCLOSED_STORE):
            return False
        return transition.assigns or transition.guard is self._lower

    def _after_cycle(self, kind: Kind, state: int, second: list[int]) -> Violation:
        structure = self._structure
        between = self._after_cycles.path_to(state)
        start = self._after_cycles.start_of(state)
        cycle = self._cycle_from(start, self._sources[structure.component[start]])
        prefix = structure.path(structure.automaton.initial, start)
        return Violation(kind, self._rising, tuple(prefix), tuple(cycle), tuple(between), tuple(second))

    def _cycle_from(self, state: int, t: int) -> list[int]:
        """A cycle from a state through a transition of its component."""
        transition, here = self._transitions[t], self._structure.component[state]
        there = self._structure.path(state, transition.source, here)
        return [*there, t, *self._structure.path(transition.target, state, here)]

"""The weight of an automaton that leaks only boundedly: it is (weight * eps)-private for every eps.

The weight is the largest sum of costs along a path. Steps on cycles cost nothing, and a critical transition,
which is taken at most once, costs what the coupling of `violations` can need there:

* 2d where an input is read: the sample's shift and the inputs' difference are each between -1 and 1;
* d where none is read: the shift alone;
* d and 0 in these two cases if the sample is disclosed, because then it is not shifted at all;
* and d' more where the second sample is disclosed and an input is read.

The talk has the first two; the others are ours, and are less than the talk's rule for finite outputs would
give. Critical transitions lead from component to component, so this is a longest path in an acyclic graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bdist.dipa.automaton import Automaton, Noise, Real
from bdist.dipa.structure import Structure


@dataclass(frozen=True)
class Weight:
    """The weight, a path that attains it, and by component what can still be spent from there on.

    ``critical`` are the transitions of the path that cost something.
    """

    value: Fraction
    path: tuple[int, ...]
    critical: tuple[int, ...]
    left: tuple[Fraction, ...]


def cost(automaton: Automaton, t: int) -> Fraction:
    """What a critical transition costs, in multiples of eps."""
    unit = automaton.common_denominator
    return Fraction(_Costs(automaton, unit)[t], unit)


class _Costs:
    """Costs of transitions as integers, in parts of a common denominator."""

    def __init__(self, automaton: Automaton, unit: int) -> None:
        self._automaton, self._unit = automaton, unit
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
            parts = self._known[id(noise)] = noise.d.numerator * (self._unit // noise.d.denominator)
        return parts


def weigh(structure: Structure) -> Weight:
    """The weight of an automaton without violations."""
    automaton, component = structure.automaton, structure.component
    unit = automaton.common_denominator  # costs are counted in parts of it, as integers
    costs = _Costs(automaton, unit)
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
        path += [*structure.path(here, transition.source, component[here]), chosen]
        critical.append(chosen)
        here = transition.target
    shares = tuple(Fraction(amount, unit) for amount in left)
    return Weight(shares[component[automaton.initial]], tuple(path), tuple(critical), shares)

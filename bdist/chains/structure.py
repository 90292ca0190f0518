"""The shape of a chain: its strongly connected components, and its clock.

A component is *bottom* if no transition leaves it; every run ends up in one of these and visits all of it
again and again. A chain is called acyclic here if every run stops moving: its only cycles are states that go
to themselves with probability 1. On such chains all distances are sums over finitely many paths, which is why
they are fast, and why it is worth knowing. The algorithm is Tarjan's, iterative and linear, and lives with
the linear systems that needed it first.

*Clocks.* Many models are layered: every run from a state takes the same number of steps to a label that marks
an end, as the rounds of a protocol or the questions of a survey. Two states with different numbers of steps
left can be told apart for sure, whatever their labels say: wait until one of the two is at its end. Their
distance is 1. So each label may say the number as well, and no distance changes, but states that used to
share a label do not any more. That matters because a directed lift is over *all* states of a label: with the
clock 20-fold randomised response has 39 pairs of states to compare, and without it 1,339.

A certificate names the labels that mark an end and nothing else (SPEC, member ``clock``); the number of steps
is recomputed, in time linear in the chain. Here the ends are the labels of the states on cycles: on a cycle
no clock runs down. Chains in which some state has two numbers, or in which the labels already say it all,
have no clock. (Cutting a chain into a part with a clock and a part without would not be sound: a state
without one may behave as any other.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bdist.chains.chain import LabelledMarkovChain
from bdist.exact.linear import strongly_connected_components


@dataclass(frozen=True)
class Components:
    """The components, by positions of states.

    Members increase within a component, and components are ordered by their first members; ``bottom`` are
    those that nothing leaves and ``top`` those that nothing else enters.
    """

    members: tuple[tuple[int, ...], ...]
    bottom: tuple[tuple[int, ...], ...]
    top: tuple[tuple[int, ...], ...]
    acyclic: bool


def components(chain: LabelledMarkovChain) -> Components:
    """The strongly connected components of the transitions of a chain."""
    successors = [[j for j, _ in row] for row in chain.rows]
    members = tuple(sorted(tuple(sorted(part)) for part in strongly_connected_components(successors)))
    number = [0] * len(chain)
    for k, part in enumerate(members):
        for i in part:
            number[i] = k
    left, entered = set(), set()
    for i, targets in enumerate(successors):
        for j in targets:
            if number[i] != number[j]:
                left.add(number[i])
                entered.add(number[j])
    moving = any(len(row) > 1 and any(j == i for j, _ in row) for i, row in enumerate(chain.rows))
    return Components(
        members,
        tuple(part for k, part in enumerate(members) if k not in left),
        tuple(part for k, part in enumerate(members) if k not in entered),
        len(members) == len(chain) and not moving,
    )


@dataclass(frozen=True)
class Clock:
    """The labels that mark an end, and the chain whose labels say how many steps are left."""

    ends: tuple[str, ...]
    chain: LabelledMarkovChain


def read_clock(chain: LabelledMarkovChain) -> Clock | None:
    """The clock of a chain, if it has one that tells two states of one label apart."""
    successors = [[target for target, _ in row] for row in chain.rows]
    components = strongly_connected_components(successors)  # what a state leads to comes before it
    ends = {
        chain.labels[state]
        for component in components
        for state in component
        if len(component) > 1 or state in successors[state]
    }
    left = [0] * len(chain.states)
    for component in components:
        state = component[0]
        if chain.labels[state] in ends:
            continue
        first, *others = {left[target] for target in successors[state]}
        if others:
            return None
        left[state] = first + 1
    labels = tuple(f"{label}@{steps}" for label, steps in zip(chain.labels, left, strict=True))
    if len(set(labels)) == len(chain.states_by_label):
        return None
    return Clock(tuple(sorted(ends)), replace(chain, labels=labels))

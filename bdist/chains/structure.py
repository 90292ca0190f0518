"""The shape of a chain: its strongly connected components.

A component is *bottom* if no transition leaves it; every run ends up in one of these and visits all of it
again and again. A chain is called acyclic here if every run stops moving: its only cycles are states that go
to themselves with probability 1. On such chains all distances are sums over finitely many paths, which is why
they are fast, and why it is worth knowing. The algorithm is Tarjan's, iterative and linear, and lives with
the linear systems that needed it first.
"""

from __future__ import annotations

from dataclasses import dataclass

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

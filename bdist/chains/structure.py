"""The shape of a chain: its strongly connected components, and its size in a few numbers.

A component is *bottom* if no transition leaves it; every run ends up in one of these and visits all of it
again and again. A chain is called acyclic here if every run stops moving: its only cycles are states that go
to themselves with probability 1. On such chains all distances are sums over finitely many paths, which is why
they are fast, and why it is worth knowing. The algorithm is Tarjan's, iterative and linear, and lives with
the linear systems that needed it first.

A summary is what one wants to know of a model file before asking it anything: sizes say what a question will
cost, components where a chain goes round, classes how much of it is there twice, and denominators how long
exact answers may become. All of it is linear in the size of the chain, up to the logarithm of the quotient.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.quotient import bisimulation_classes
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
class Summary:
    """Counts of a chain.

    ``labels`` counts states by label, the most frequent first. ``components`` and ``bottom`` are strongly
    connected components by the names of their states, the largest first; ``classes`` are the bisimulation
    classes of two or more states. ``denominators`` are the largest that probabilities have in lowest terms,
    each with the first transition that has it.
    """

    states: int
    transitions: int
    labels: Mapping[str, int]
    components: tuple[tuple[str, ...], ...]
    bottom: tuple[tuple[str, ...], ...]
    acyclic: bool
    class_count: int
    classes: tuple[tuple[str, ...], ...]
    denominators: tuple[tuple[int, tuple[str, str]], ...]


def summarise(chain: LabelledMarkovChain, most_denominators: int = 3) -> Summary:
    """The numbers of a chain."""
    found = components(chain)
    classes = bisimulation_classes(chain)
    counts = {label: len(members) for label, members in chain.states_by_label.items()}
    return Summary(
        len(chain),
        sum(map(len, chain.rows)),
        dict(sorted(counts.items(), key=lambda entry: -entry[1])),
        _largest_first(chain, found.members),
        _largest_first(chain, found.bottom),
        found.acyclic,
        len(classes),
        tuple(_names(chain, members) for members in classes if len(members) > 1),
        _denominators(chain, most_denominators),
    )


def _largest_first(
    chain: LabelledMarkovChain, parts: tuple[tuple[int, ...], ...]
) -> tuple[tuple[str, ...], ...]:
    return tuple(_names(chain, part) for part in sorted(parts, key=lambda part: -len(part)))


def _names(chain: LabelledMarkovChain, members: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(chain.states[i] for i in members)


def _denominators(chain: LabelledMarkovChain, most: int) -> tuple[tuple[int, tuple[str, str]], ...]:
    first: dict[int, tuple[str, str]] = {}
    for i, row in enumerate(chain.rows):
        for j, p in row:
            first.setdefault(p.denominator, (chain.states[i], chain.states[j]))
    return tuple((q, first[q]) for q in sorted(first, reverse=True)[:most])

"""A chain in a few numbers: what one wants to know of a model file before asking it anything.

Sizes say what a question will cost, components where a chain goes round, classes how much of it is there
twice, and denominators how long exact answers may become. All of it is linear in the size of the chain, up to
the logarithm of the quotient.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.components import components
from bdist.chains.quotient import bisimulation_classes


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

"""Probabilistic bisimilarity (Definition 8 of Chistikov, Murawski and Purser) and the quotient chain.

Two states are bisimilar if they have the same label and the same probability of going to each class of
bisimilar states. To merge them changes no probability of any sequence of labels, hence not tv_alpha, the true
delta. It may change bd_alpha, and only for the better. Let d be bd_alpha of the chain and d'(C, D) the least
d(s, t) with s in C and t in D. A function on classes that is feasible for d' is, read as a function on
states, feasible for d and has the same objective. So the lift of d' at (C, D) is at most d(s, t) for every
such s and t, d' is a pre-fixed point of the quotient's operator, and the quotient's bd_alpha is below it,
strictly where merged states share one value of f that bisimilar but distinct ones would not: two dining
cryptographers at alpha = 1.0002 have bd = 0.0004 as drawn and 0.00030004 merged, which is the true delta. A
bound for the quotient is a bound for the chain, but another number: it is offered and never taken silently.

The classes are found by refining the partition by labels. A *splitter* is a block of an earlier partition;
each block is split by the probability of going to it, and the parts become splitters themselves, all but the
largest, about which the others tell everything. A state is then in at most log2(n) + 1 splitters, and m
transitions cost O(m log n) (expected: equal weights are found by hashing). The smaller half is Hopcroft's
(1971); for Markov chains this is the algorithm of Derisavi, Hermanns and Sanders (2003) as simplified by
Valmari and Franceschinis (2010). Bisimilarity is Larsen and Skou's (1991). Weights are integers over one
denominator a row, in lowest terms when they are compared; ``Fraction`` took two to six times as long. Making
every part a splitter is quadratic on a ring with one marked state: 89 s for 20,000 states, against 0.16 s.
``scripts/measure_quotient.py``: 100,000 states with 400,000 transitions take one to three seconds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd

from bdist.chains.chain import IntegerRow, LabelledMarkovChain, Row
from bdist.report import OneLine, titled


@dataclass(frozen=True, repr=False)
class Quotient(OneLine):
    """A chain with its bisimilar states merged.

    ``chain`` is the quotient, each state named after the first member of its class; ``classes`` lists the
    classes by the names of their members. Classes are ordered by their first members and members as
    ``original`` declares them, so that ``chain.states[k] == classes[k][0]``.
    """

    chain: LabelledMarkovChain
    classes: tuple[tuple[str, ...], ...]
    original: LabelledMarkovChain

    def of(self, state: str) -> str:
        """The name, in the quotient, of the class of a state of the original chain.

        Raises: ParameterError, with the nearest names, where the original chain has no such state.
        """
        return self._representatives[self.original.states[self.original.index(state)]]

    @property
    def merged(self) -> tuple[tuple[str, ...], ...]:
        """The classes of two or more states."""
        return tuple(members for members in self.classes if len(members) > 1)

    def _repr_svg_(self) -> str | None:
        """The quotient as a drawing, for a notebook."""
        return self.chain._repr_svg_()

    def _essence(self) -> str:
        return titled(self.original.name, f"{len(self.original)} states merged into {len(self.chain)}")

    @cached_property
    def _representatives(self) -> dict[str, str]:
        return {member: members[0] for members in self.classes for member in members}


def quotient(chain: LabelledMarkovChain, apart: Collection[int] = ()) -> Quotient:
    """The quotient by probabilistic bisimilarity; the chain itself where no two states are bisimilar.

    No two of the states in ``apart`` are merged, and they represent their classes.
    Ensures: bd_alpha of two classes is at most bd_alpha of any two of their members, and tv_alpha is equal.
    """
    classes = bisimulation_classes(chain, apart)
    classes = tuple(tuple(sorted(members, key=lambda i: (i not in apart, i))) for members in classes)
    named = tuple(tuple(chain.states[i] for i in members) for members in classes)
    if len(classes) == len(chain):
        return Quotient(chain, named, chain)
    number = [0] * len(chain)
    for k, members in enumerate(classes):
        for i in members:
            number[i] = k
    merged = LabelledMarkovChain(
        tuple(members[0] for members in named),
        tuple(chain.labels[members[0]] for members in classes),
        tuple(_merged_row(chain.integer_rows[members[0]], number) for members in classes),
        f"{chain.name}-quotient" if chain.name else "",
    )
    return Quotient(merged, named, chain)


def _merged_row(row: IntegerRow, number: Sequence[int]) -> Row:
    total: dict[int, int] = {}
    for target, numerator in zip(row.targets, row.numerators, strict=True):
        total[number[target]] = total.get(number[target], 0) + numerator
    return tuple((k, Fraction(total[k], row.denominator)) for k in sorted(total))


def bisimulation_classes(
    chain: LabelledMarkovChain, apart: Collection[int] = ()
) -> tuple[tuple[int, ...], ...]:
    """The classes of probabilistic bisimilarity, as positions of states: the coarsest partition in which the
    states of a class have the same label and the same probability of going to each class.

    No two of the states in ``apart`` are in one class.
    Ensures: members increase within a class, classes are ordered by their first members.
    """
    coarsest = _refined(chain, list(chain.states_by_label.values()))
    if not apart:
        return coarsest
    blocks: list[list[int]] = []
    for members in coarsest:
        single = [i for i in members if i in apart][1:]
        blocks += [[i for i in members if i not in single], *([i] for i in single)]
    return coarsest if len(blocks) == len(coarsest) else _refined(chain, blocks)


def _refined(chain: LabelledMarkovChain, blocks: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The coarsest bisimulation that is finer than a partition."""
    partition = _Partition(blocks)
    arrows = _Arrows(chain)
    # All rows sum to 1, so what is known for every block but one is known for that one.
    largest = max(range(len(partition)), key=partition.size)
    pending = set(range(len(partition))) - {largest}
    while pending and len(partition) < len(chain):
        weights = arrows.weights_into(partition.members(pending.pop()))
        for block, groups in arrows.groups(weights, partition).items():
            _split(block, groups, partition, pending)
    return partition.classes()


def _split(block: int, groups: list[list[int]], partition: _Partition, pending: set[int]) -> None:
    """Make a block of each group and of the rest of ``block``, and all but the largest of them pending.

    Where ``block`` was pending its parts all are, for then nothing is known about their union.
    """
    if sum(map(len, groups)) == partition.size(block):  # no rest; the largest group stays where it is
        groups.remove(max(groups, key=len))
    parts = [partition.carve(block, group) for group in groups]
    if block not in pending:
        parts.append(block)
        parts.remove(max(parts, key=partition.size))
    pending.update(parts)


class _Partition:
    """A partition of 0 .. n-1 that only ever gets finer.

    Every block is a stretch ``first[b] : end[b]`` of ``order``; ``place`` inverts ``order``. Carving a group
    out of a block costs the size of the group, whatever the size of the block.
    """

    def __init__(self, blocks: Sequence[Sequence[int]]) -> None:
        self.order = [i for block in blocks for i in block]
        self.place = [0] * len(self.order)
        self.block_of = [0] * len(self.order)
        self.first: list[int] = []
        self.end: list[int] = []
        for position, i in enumerate(self.order):
            self.place[i] = position
        for b, block in enumerate(blocks):
            self.first.append(self.end[-1] if self.end else 0)
            self.end.append(self.first[b] + len(block))
            for i in block:
                self.block_of[i] = b

    def __len__(self) -> int:
        return len(self.first)

    def size(self, block: int) -> int:
        return self.end[block] - self.first[block]

    def members(self, block: int) -> list[int]:
        return self.order[self.first[block] : self.end[block]]

    def carve(self, block: int, group: Sequence[int]) -> int:
        """Make ``group``, a part of ``block`` and not all of it, a block of its own; its number."""
        order, place = self.order, self.place
        new, front = len(self.first), self.first[block]
        for position, i in enumerate(group, front):
            hole, displaced = place[i], order[position]
            order[hole], place[displaced] = displaced, hole
            order[position], place[i] = i, position
            self.block_of[i] = new
        self.first.append(front)
        self.first[block] = front + len(group)
        self.end.append(front + len(group))
        return new

    def classes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(sorted(tuple(sorted(self.members(b))) for b in range(len(self))))


class _Arrows:
    """The transitions by target: ``into[j]`` lists (i, x) for every i that goes to j with probability
    x / ``denominators[i]``.
    """

    def __init__(self, chain: LabelledMarkovChain) -> None:
        self.into: list[list[tuple[int, int]]] = [[] for _ in chain.rows]
        self.denominators = [row.denominator for row in chain.integer_rows]
        for i, row in enumerate(chain.integer_rows):
            for target, numerator in zip(row.targets, row.numerators, strict=True):
                self.into[target].append((i, numerator))

    def weights_into(self, splitter: Sequence[int]) -> dict[int, int]:
        """For every state that goes to the splitter, the numerator of the probability that it does."""
        weights: dict[int, int] = {}
        for target in splitter:
            for i, numerator in self.into[target]:
                weights[i] = weights.get(i, 0) + numerator
        return weights

    def groups(self, weights: dict[int, int], partition: _Partition) -> dict[int, list[list[int]]]:
        """For each block that may be split, its states with a weight, grouped by equal probability."""
        found: dict[int, dict[tuple[int, int], list[int]]] = {}
        for i, weight in weights.items():
            block = partition.block_of[i]
            if partition.end[block] - partition.first[block] == 1:
                continue
            denominator = self.denominators[i]
            divisor = gcd(weight, denominator)
            lowest_terms = weight // divisor, denominator // divisor
            found.setdefault(block, {}).setdefault(lowest_terms, []).append(i)
        return {block: list(groups.values()) for block, groups in found.items()}

"""The programs of pairs as arrays: which states they are about, with which coefficients, on which pairs.

A pair is *named*, which gives it a number, when a program mentions it, and *explored*, which gives it
programs of its own, when somebody asks. The compiled kernel does both (`lp/kernel/exploration.hpp`);
`PortableSupports` is the same in Python, for machines without a compiler.

Coefficients mu - alpha nu are floats, but their signs are exact, since they decide which programs there are.
So every probability p comes with the rank of p, and with that of alpha p, among all such numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bdist.chains.chain import LabelledMarkovChain
from bdist.exact.linear import strongly_connected_components
from bdist.exact.rationals import approximate, to_fmpq, to_fraction
from bdist.lp import engine_named
from bdist.lp.batch import Presence, compiled_module, kernel_state

if TYPE_CHECKING:
    from flint import fmpq
    from numpy.typing import NDArray

    Integers = NDArray[np.int32]
    Offsets = NDArray[np.int64]
    Reals = NDArray[np.float64]
    Explored = tuple[Reals, Integers, Integers, Integers, Reals, Integers, Integers, Integers]


class Supports(Protocol):
    """Names and explores the pairs of a chain."""

    def name(self, first: Integers, second: Integers) -> Integers:
        """The numbers of pairs of states, which are given in the order in which they are first asked for; -1
        for two equal states, or two with different labels. Unless ordered, (i, j) and (j, i) are one pair.
        """

    def explore(self, pairs: Integers) -> Explored:
        """The tasks of pairs, by number: one a direction, forward first.

        Constants and numbers of programs by task; sizes by program; states inside and their coefficients,
        program by program; the numbers of the pairs among them, row by row, -1 on the diagonal. Last the
        states of the pairs that were named meanwhile.
        """


@dataclass(frozen=True)
class _Rows:
    """The rows of a chain as arrays; transitions from state i are those from offsets[i] to offsets[i + 1]."""

    offsets: Offsets
    targets: Integers
    masses: Reals
    ranks: Integers
    skewed_ranks: Integers
    labels: Integers

    @classmethod
    def of(cls, chain: LabelledMarkovChain, alpha: Fraction) -> _Rows:
        """The rows of a chain, with ranks."""
        offsets = np.zeros(len(chain.rows) + 1, dtype=np.int64)
        offsets[1:] = np.cumsum([len(row) for row in chain.rows])
        different: dict[tuple[int, int], int] = {}
        targets, entries = [], []
        for row in chain.rows:
            for k, p in row:
                targets.append(k)
                entries.append(different.setdefault((p.numerator, p.denominator), len(different)))
        plain = [Fraction(*parts) for parts in different]
        ranks = _ranks([*plain, *(alpha * p for p in plain)])
        which = np.array(entries, dtype=np.int64)
        number = {label: k for k, label in enumerate(chain.states_by_label)}
        return cls(
            offsets,
            np.array(targets, dtype=np.int32),
            np.array([float(p) for p in plain])[which],
            ranks[which],
            ranks[len(plain) + which],
            np.array([number[label] for label in chain.labels], dtype=np.int32),
        )


def _ranks(values: list[Fraction]) -> Integers:
    """The position of each number among all in order, equal ones alike.

    By floats first: rounding to nearest keeps the order, so only what rounds to one float is compared
    exactly.
    """
    floats = [approximate(to_fmpq(x)) for x in values]
    ranks = np.zeros(len(values), dtype=np.int32)
    rank = 0
    for _, group in groupby(sorted(range(len(values)), key=floats.__getitem__), key=floats.__getitem__):
        for _, equal in groupby(sorted(group, key=values.__getitem__), key=values.__getitem__):
            ranks[list(equal)] = rank
            rank += 1
    return ranks


def new_supports(chain: LabelledMarkovChain, alpha: fmpq, engine: str, *, ordered: bool) -> Supports:
    """The compiled class where an engine's batches are compiled, and the portable one otherwise."""
    rows = _Rows.of(chain, to_fraction(alpha))
    if engine_named(engine).compiled and kernel_state().presence is Presence.COMPILED:
        parts = (rows.offsets, rows.targets, rows.masses, rows.ranks, rows.skewed_ranks, rows.labels)
        compiled: Supports = compiled_module().Supports(*parts, approximate(alpha), ordered)
        return compiled
    return PortableSupports(rows, approximate(alpha), ordered=ordered)


class PortableSupports:
    """Supports without the compiled kernel."""

    def __init__(self, rows: _Rows, alpha: float, *, ordered: bool) -> None:
        self._rows, self._alpha, self._ordered = rows, alpha, ordered
        self._labels = rows.labels.tolist()
        self._number: dict[tuple[int, int], int] = {}
        self._pairs: list[tuple[int, int]] = []

    def name(self, first: Integers, second: Integers) -> Integers:
        """Give numbers."""
        return np.array(
            [self._of(i, j) for i, j in zip(first.tolist(), second.tolist(), strict=True)], np.int32
        )

    def explore(self, pairs: Integers) -> Explored:
        """The tasks of pairs."""
        named = len(self._pairs)
        constants: list[float] = []
        costs: list[float] = []
        counts: list[int] = []
        sizes: list[int] = []
        inside: list[int] = []
        arcs: list[int] = []
        for pair in pairs.tolist():
            i, j = self._pairs[pair]
            for mu, nu in ((i, j),) if self._ordered else ((i, j), (j, i)):
                constant, programs = 0.0, 0
                for block in self._blocks(mu, nu):
                    if len({positive for _, _, positive in block}) == 2:
                        programs += 1
                        states = [k for k, _, _ in block]
                        sizes.append(len(states))
                        inside += states
                        costs += [cost for _, cost, _ in block]
                        for a in range(len(states)):  # named in the order of the upper triangle
                            for b in range(a + 1, len(states)):
                                self._of(states[a], states[b])
                                self._of(states[b], states[a])
                        arcs += [self._of(a, b) for a in states for b in states]
                    elif block[0][2]:
                        constant += sum(cost for _, cost, _ in block)
                constants.append(constant)
                counts.append(programs)
        first, second = ([pair[side] for pair in self._pairs[named:]] for side in (0, 1))
        return (
            np.array(constants, dtype=np.float64),
            np.array(counts, dtype=np.int32),
            np.array(sizes, dtype=np.int32),
            np.array(inside, dtype=np.int32),
            np.array(costs, dtype=np.float64),
            np.array(arcs, dtype=np.int32),
            np.array(first, dtype=np.int32),
            np.array(second, dtype=np.int32),
        )

    def _of(self, i: int, j: int) -> int:
        if i == j or self._labels[i] != self._labels[j]:
            return -1
        pair = (i, j) if self._ordered or i < j else (j, i)
        found = self._number.setdefault(pair, len(self._pairs))
        if found == len(self._pairs):
            self._pairs.append(pair)
        return found

    def _blocks(self, i: int, j: int) -> Iterable[list[tuple[int, float, bool]]]:
        """The states with nonzero coefficients by label, with coefficients and whether these are positive."""
        mu, nu = self._row(i), self._row(j)
        blocks: dict[int, list[tuple[int, float, bool]]] = {}
        for k, (mass, rank, _) in mu.items():
            other, _, skewed = nu.get(k, (0.0, -1, -1))
            if rank != skewed:
                blocks.setdefault(self._labels[k], []).append((k, mass - self._alpha * other, rank > skewed))
        for k, (mass, _, _) in nu.items():
            if k not in mu:
                blocks.setdefault(self._labels[k], []).append((k, -self._alpha * mass, False))
        return blocks.values()

    def _row(self, i: int) -> dict[int, tuple[float, int, int]]:
        rows = self._rows
        part = slice(int(rows.offsets[i]), int(rows.offsets[i + 1]))
        columns: list[Any] = [rows.masses[part], rows.ranks[part], rows.skewed_ranks[part]]
        parts = zip(*(column.tolist() for column in columns), strict=True)
        return dict(zip(rows.targets[part].tolist(), parts, strict=True))


@dataclass(frozen=True)
class Components:
    """Strongly connected components in the order of their dependencies, by node.

    A component has a larger number than those that it leads to, and a level that is one more than the highest
    of theirs; it is cyclic if some way leads from it to itself.
    """

    component: Integers
    level: Integers
    cyclic: NDArray[np.bool_]

    @classmethod
    def of(cls, starts: Offsets, targets: Integers) -> Components:
        """Of a graph: edges from node v lead to targets[starts[v]] and so on; those to -1 are left out."""
        if kernel_state().presence is Presence.COMPILED:
            component, level, cyclic = compiled_module().components(starts, targets)
            return cls(component, level, cyclic.astype(bool))
        ends, nodes = starts.tolist(), targets.tolist()
        successors = [[w for w in nodes[a:b] if w >= 0] for a, b in pairwise(ends)]
        count = len(successors)
        found = cls(np.zeros(count, np.int32), np.zeros(count, np.int32), np.zeros(count, bool))
        for number, members in enumerate(strongly_connected_components(successors)):
            reached = {w for v in members for w in successors[v]}
            below = (int(found.level[w]) for w in reached.difference(members))
            found.component[members] = number
            found.level[members] = 1 + max(below, default=-1)
            found.cyclic[members] = not reached.isdisjoint(members)
        return found

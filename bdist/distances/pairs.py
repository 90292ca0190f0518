"""Pairs of states, the unknowns of bd_alpha, and the directions in which each is compared.

bd(s,t) is 0 where s = t and 1 where the labels differ; only the unordered pairs of two states with the same
label are unknown. Each has two directed lifts: *forward* compares mu_s with mu_t (s the state declared
first), *backward* mu_t with mu_s.

A query needs only the pairs on which its value can depend. A directed lift splits by label (states with
different labels never constrain each other), and a label matters only where the objective mu - alpha nu has
both signs on it: with one sign the best f is 0 or 1 throughout. All states of such a label count, also those
outside both supports, because bd_alpha is no pseudometric and a detour through an outside state can be
cheaper. `PairSpace` is closed under that dependency.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from itertools import combinations

from flint import fmpq

from bdist.models.chain import LabelledMarkovChain
from bdist.rationals.fast import ZERO, fast


class Direction(IntEnum):
    """Which row of a pair plays mu: that of the first state, or that of the second."""

    FORWARD = 0
    BACKWARD = 1

    @property
    def other(self) -> Direction:
        """The opposite direction."""
        return Direction(1 - self)


@dataclass(frozen=True)
class Block:
    """The part of an objective mu - alpha nu on the states of one label: nonzero coefficients by state."""

    members: tuple[int, ...]
    coefficients: dict[int, fmpq]

    @property
    def mixed(self) -> bool:
        """Whether both signs occur, so that the distances between the members matter."""
        return any(c > 0 for c in self.coefficients.values()) and any(
            c < 0 for c in self.coefficients.values()
        )


class PairSpace:
    """The pairs that a set of queries depends on, numbered, with their objectives.

    For bd, ``pairs[p]`` is (i, j) with i < j, and ``number[i, j]`` and ``number[j, i]`` are p. In an
    *ordered* space, for ld, (i, j) and (j, i) are two pairs, and only the forward direction counts.
    """

    def __init__(
        self,
        chain: LabelledMarkovChain,
        alpha: Fraction,
        queries: Iterable[tuple[int, int]],
        *,
        ordered: bool = False,
    ) -> None:
        self.directions = (Direction.FORWARD,) if ordered else (Direction.FORWARD, Direction.BACKWARD)
        self._ordered = ordered
        self.chain = chain
        self.alpha = fast(alpha)
        self.pairs: list[tuple[int, int]] = []
        self.number: dict[tuple[int, int], int] = {}
        self._rows = [{j: fast(p) for j, p in row} for row in chain.rows]
        self._objectives: list[tuple[tuple[Block, ...], ...]] = []
        self._close(queries)

    def __len__(self) -> int:
        return len(self.pairs)

    def objective(self, pair: int, direction: Direction) -> tuple[Block, ...]:
        """The objective mu - alpha nu of a pair in a direction, by label."""
        return self._objectives[pair][direction]

    def gain(self, pair: int, direction: Direction) -> fmpq:
        """The directed lift of the table that is 1 everywhere: all that the objective can give."""
        blocks = self.objective(pair, direction)
        return sum((c for block in blocks for c in block.coefficients.values() if c > 0), ZERO)

    def constant(self, value: fmpq) -> list[fmpq]:
        """The table with the same value at every pair."""
        return [value] * len(self.pairs)

    def _close(self, queries: Iterable[tuple[int, int]]) -> None:
        entered: set[str] = set()
        for i, j in queries:
            self._enter(i, j)
        done = 0
        while done < len(self.pairs):
            i, j = self.pairs[done]
            objectives = tuple(
                self._blocks(*((i, j) if d is Direction.FORWARD else (j, i))) for d in self.directions
            )
            self._objectives.append(objectives)
            for block in (block for blocks in objectives for block in blocks):
                label = self.chain.labels[block.members[0]]
                if label not in entered and block.mixed:
                    entered.add(label)
                    for first, second in combinations(block.members, 2):
                        self._enter(first, second)
                        self._enter(second, first)
            done += 1

    def _enter(self, i: int, j: int) -> None:
        if i != j and self.chain.labels[i] == self.chain.labels[j] and (i, j) not in self.number:
            self.number[i, j] = len(self.pairs)
            if not self._ordered:
                self.number[j, i] = len(self.pairs)
                i, j = min(i, j), max(i, j)
            self.pairs.append((i, j))

    def _blocks(self, i: int, j: int) -> tuple[Block, ...]:
        mu, nu = self._rows[i], self._rows[j]
        by_label: dict[str, dict[int, fmpq]] = {}
        for state in sorted(mu.keys() | nu.keys()):
            coefficient = mu.get(state, ZERO) - self.alpha * nu.get(state, ZERO)
            if coefficient:
                by_label.setdefault(self.chain.labels[state], {})[state] = coefficient
        return tuple(Block(self.chain.states_by_label[label], part) for label, part in by_label.items())

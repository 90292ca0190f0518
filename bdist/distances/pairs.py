"""Pairs of states, the unknowns of bd_alpha, and the directions in which each is compared.

bd(s,t) is 0 where s = t and 1 where the labels differ; only the unordered pairs of two states with the same
label are unknown. Each has two directed lifts: *forward* compares mu_s with mu_t (s the state declared
first), *backward* mu_t with mu_s.

A query needs only the pairs on which its value can depend. A directed lift splits by label (states with
different labels never constrain each other), and a label matters only where the objective mu - alpha nu has
both signs on it: with one sign the best f is 0 or 1 throughout. All states of such a label can count, also
those outside both supports, because bd_alpha is no pseudometric and a detour through an outside state can be
cheaper. So there are two ways to close a set of pairs:

* by *labels*: all pairs of a label that matters. Complete, and quadratic in the size of the label's class;
* by *supports*: the pairs among the states with a nonzero coefficient. Often a few per cent of the former.
  The value computed there is an upper bound, and whether it is the distance is seen afterwards.

A space of the *queries* alone is not closed. `explore` starts with it, and adds the pairs that it finds to be
needed: nearly always far fewer than the supports lead to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Literal

from flint import fmpq

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.exact.rationals import ZERO, to_fmpq

Breadth = Literal["labels", "supports", "queries"]

_BETWEEN_LOOKS = 256  # pairs explored from one look at the budget to the next


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

    @cached_property
    def mixed(self) -> bool:
        """Whether both signs occur, so that the distances between the members matter."""
        if len(self.coefficients) == 1:
            return False
        signs = {c > 0 for c in self.coefficients.values()}
        return len(signs) == 2


class PairSpace:
    """The pairs that a set of queries depends on, numbered, with their objectives.

    For bd, ``pairs[p]`` is (i, j) with i < j, and ``number[i, j]`` and ``number[j, i]`` are p. In an
    *ordered* space, for ld, (i, j) and (j, i) are two pairs, and only the forward direction counts.
    A space closed by ``supports`` may grow; numbers stay.
    """

    def __init__(
        self,
        chain: LabelledMarkovChain,
        alpha: Fraction,
        queries: Iterable[tuple[int, int]],
        *,
        ordered: bool = False,
        breadth: Breadth = "labels",
        budget: Budget | None = None,
    ) -> None:
        self.directions = (Direction.FORWARD,) if ordered else (Direction.FORWARD, Direction.BACKWARD)
        self.ordered = ordered
        self._breadth = breadth
        self._budget = budget
        self._entered: set[str] = set()
        self.chain = chain
        self.alpha = to_fmpq(alpha)
        self.pairs: list[tuple[int, int]] = []
        self.number: dict[tuple[int, int], int] = {}
        self._rows: dict[int, dict[int, fmpq]] = {}
        self._skewed: dict[int, dict[int, fmpq]] = {}
        self._objectives: dict[int, tuple[tuple[Block, ...], ...]] = {}
        self.explore(queries)

    def __len__(self) -> int:
        return len(self.pairs)

    def objective(self, pair: int, direction: Direction) -> tuple[Block, ...]:
        """The objective mu - alpha nu of a pair in a direction, by label."""
        found = self._objectives.get(pair)
        if found is None:
            i, j = self.pairs[pair]
            found = tuple(
                self._blocks(*((i, j) if d is Direction.FORWARD else (j, i))) for d in self.directions
            )
            self._objectives[pair] = found
        return found[direction]

    def gain(self, pair: int, direction: Direction) -> fmpq:
        """The directed lift of the table that is 1 everywhere: all that the objective can give."""
        blocks = self.objective(pair, direction)
        return sum((c for block in blocks for c in block.coefficients.values() if c > 0), ZERO)

    def constant(self, value: fmpq) -> list[fmpq]:
        """The table with the same value at every pair."""
        return [value] * len(self.pairs)

    def explore(self, queries: Iterable[tuple[int, int]]) -> None:
        """Add pairs, and what they depend on. Raises: Stopped."""
        done = len(self.pairs)
        for i, j in queries:
            self._enter(i, j)
        while self._breadth != "queries" and done < len(self.pairs):
            if self._budget is not None and done % _BETWEEN_LOOKS == 0:
                self._budget.check()
            for direction in self.directions:
                for block in self.objective(done, direction):
                    if block.mixed:
                        for first, second in combinations(self._related(block), 2):
                            self._enter(first, second)
                            self._enter(second, first)
            done += 1

    def _related(self, block: Block) -> Iterable[int]:
        """The states of a block whose pairs must be there."""
        if self._breadth == "supports":
            return block.coefficients
        label = self.chain.labels[block.members[0]]
        if label in self._entered:
            return ()
        self._entered.add(label)
        return block.members

    def _enter(self, i: int, j: int) -> None:
        if i != j and self.chain.labels[i] == self.chain.labels[j] and (i, j) not in self.number:
            self.number[i, j] = len(self.pairs)
            if not self.ordered:
                self.number[j, i] = len(self.pairs)
                i, j = min(i, j), max(i, j)
            self.pairs.append((i, j))

    def _blocks(self, i: int, j: int) -> tuple[Block, ...]:
        """mu - alpha nu by label."""
        (mu, _), (_, skewed_nu) = self._row(i), self._row(j)
        labels = self.chain.labels
        by_label: dict[str, dict[int, fmpq]] = {}
        for state, probability in mu.items():
            skewed = skewed_nu.get(state)
            coefficient = probability if skewed is None else probability + skewed
            if coefficient:
                by_label.setdefault(labels[state], {})[state] = coefficient
        for state, skewed in skewed_nu.items():
            if state not in mu:
                by_label.setdefault(labels[state], {})[state] = skewed
        return tuple(Block(self.chain.states_by_label[label], part) for label, part in by_label.items())

    def _row(self, i: int) -> tuple[dict[int, fmpq], dict[int, fmpq]]:
        """A row, and the row times -alpha."""
        row = self._rows.get(i)
        if row is None:
            row = self._rows[i] = {k: to_fmpq(p) for k, p in self.chain.rows[i]}
            self._skewed[i] = {k: -self.alpha * p for k, p in row.items()}
        return row, self._skewed[i]

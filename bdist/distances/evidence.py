"""What a solver leaves behind as proof, and the part of it that a claim needs.

A solver's tables cover its whole pair space. A certificate for one pair needs only the records that the
pair's record leans on, and those that they lean on in turn: for an upper bound the pairs on which a coupling
puts weight, for a lower bound the pairs whose distance makes room for f or whose rank makes room for g. That
closure is often much smaller than the space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import fmpq

from bdist.certificates.document import Coupling, LowerRecord, UpperRecord
from bdist.distances.lift import Lift
from bdist.distances.pairs import Direction, PairSpace
from bdist.exact.fast import ZERO, slow

if TYPE_CHECKING:
    from bdist.distances.zeros import Escape

Table = Mapping[int, fmpq] | Sequence[fmpq]


@dataclass(frozen=True)
class UpperEvidence:
    """A table with, for each pair and direction, a coupling that costs at most the table's value."""

    space: PairSpace
    values: Table
    couplings: Mapping[int, tuple[Lift, ...]] | Sequence[tuple[Lift, ...]]

    def bound(self, pair: int) -> Fraction:
        """The upper bound at a pair."""
        return min(slow(self.values[pair]), Fraction(1))

    def closure(self, pairs: Iterable[int]) -> list[int]:
        """The pairs whose records the bounds at ``pairs`` need."""
        return _closure(pairs, self._leans_on)

    def records(self, pairs: Iterable[int]) -> list[UpperRecord]:
        """The records that prove the bounds at ``pairs``."""
        names = self.space.chain.states
        made = []
        for pair in self.closure(pairs):
            i, j = self.space.pairs[pair]
            couplings = tuple(_coupling(lift, names) for lift in self.couplings[pair])
            made.append(UpperRecord((names[i], names[j]), slow(self.values[pair]), *couplings))
        return made

    def _leans_on(self, pair: int) -> Iterator[int]:
        for lift in self.couplings[pair]:
            for arc in lift.w:
                yield self.space.number[arc]


@dataclass(frozen=True)
class LowerEvidence:
    """A table with, for each positive value, a direction, an f that attains it, and an escape.

    A pair may have an escape and (still) the value 0; its f is then 0.
    """

    space: PairSpace
    values: Table
    choice: list[Direction]
    functions: dict[int, dict[int, fmpq]]
    positive: dict[int, Escape]

    def bound(self, pair: int) -> Fraction:
        """The lower bound at a pair."""
        return slow(self.values[pair])

    def records(self, pairs: Iterable[int]) -> list[LowerRecord]:
        """The records that prove the bounds at ``pairs``."""
        names = self.space.chain.states
        made = []
        for pair in _closure((p for p in pairs if self.values[p] > 0), self._leans_on):
            i, j = self.space.pairs[pair]
            escape = self.positive[pair]
            made.append(
                LowerRecord(
                    (names[i], names[j]),
                    slow(self.values[pair]),
                    "forward" if self.choice[pair] is Direction.FORWARD else "backward",
                    tuple((names[k], slow(x)) for k, x in sorted(self.functions.get(pair, {}).items())),
                    tuple((names[k], slow(x)) for k, x in sorted(escape.g.items())),
                    escape.rank,
                )
            )
        return made

    def _leans_on(self, pair: int) -> Iterator[int]:
        yield from self._room_for(self.functions.get(pair, {}))
        yield from self._room_for(self.positive[pair].g)

    def _room_for(self, function: dict[int, fmpq]) -> Iterator[int]:
        """The pairs {i, j} of one label with f_i - alpha f_j > 0, where the table must make room."""
        chain, alpha = self.space.chain, self.space.alpha
        for i, x in function.items():
            for j in chain.states_by_label[chain.labels[i]]:
                if i != j and x > alpha * function.get(j, ZERO):
                    yield self.space.number[i, j]


def _closure(start: Iterable[int], leans_on: Callable[[int], Iterator[int]]) -> list[int]:
    seen = set(start)
    waiting = list(seen)
    while waiting:
        for pair in leans_on(waiting.pop()):
            if pair not in seen:
                seen.add(pair)
                waiting.append(pair)
    return sorted(seen)


def _coupling(lift: Lift, names: tuple[str, ...]) -> Coupling:
    return Coupling(
        tuple((names[i], names[j], slow(x)) for (i, j), x in sorted(lift.w.items())),
        tuple((names[i], slow(x)) for i, x in sorted(lift.b.items())),
    )

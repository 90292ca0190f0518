"""Exact bounds from an exact fixed point: the records of a certificate, or what stands in their way.

The upper records are the couplings of both directions. A lower record is the f of the chosen direction,
extended to all states of its labels. The extension is first looked for in floating point with a margin
(`extension`), which is right unless distances tie; then it is computed exactly, as the least one. If there is
none, the function does not extend and the conflict is handed back: more pairs must be explored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from flint import fmpq

from bdist.certificates.document import Coupling, LowerRecord, UpperRecord
from bdist.distances.explore.exact_game import ExactGame, Part
from bdist.distances.explore.extension import Conflict, Extension
from bdist.distances.explore.potentials import Potential, between, exactly
from bdist.distances.explore.ranks import rank_pairs
from bdist.distances.pairs import Direction
from bdist.exact.rationals import ONE, ZERO, to_fraction

_MARGIN = 1e-11  # slack that is asked for where floats decide


@dataclass
class LowerFunctions:
    """The lower bounds that some queries depend on: functions by pair, and what does not extend, by slot."""

    functions: dict[int, Potential] = field(default_factory=dict)
    conflicts: dict[int, Conflict] = field(default_factory=dict)


class ExactProof:
    """Records from an exact game."""

    def __init__(self, exact: ExactGame) -> None:
        self._exact = exact
        self._game = exact.proposal.game
        self._space = self._game.space
        self._words = self._game.words
        self._alpha = self._space.alpha
        self._table = np.array([float(to_fraction(x)) for x in exact.values])

    def lower_functions(self, queries: Iterable[int]) -> LowerFunctions:
        """The functions that lower bounds at the queries need."""
        found = LowerFunctions()
        waiting: list[int] = []
        seen: set[int] = set()

        def require(pair: int) -> None:
            if pair not in seen:
                seen.add(pair)
                if self._exact.values[pair] > self._words.bound(*self._space.pairs[pair]):
                    waiting.append(pair)

        for query in queries:
            require(query)
        while waiting:
            pair = waiting.pop()
            self._game.run.pulse("proof", len(found.functions), len(self._space))
            f = Potential()
            for part in self._exact.parts[pair][self._exact.choice[pair]]:
                if part.slot is None:
                    if part.value > 0:
                        f.rest[self._space.chain.labels[part.block.members[0]]] = ONE
                    continue
                for needed in self._extend(part, f, found):
                    require(needed)
            found.functions[pair] = f
        return found

    def upper_records(self, queries: Iterable[int]) -> list[UpperRecord]:
        """The records that prove the values from above."""
        seen = dict.fromkeys(queries)
        waiting = list(seen)
        records = []
        while waiting:
            pair = waiting.pop()
            sides = self._exact.parts[pair]
            couplings = [self._coupling(parts) for parts in sides]
            names = self._names(pair)
            records.append(UpperRecord(names, to_fraction(self._exact.values[pair]), *couplings))
            for needed in (self._space.number[arc] for parts in sides for part in parts for arc in part.w):
                if needed not in seen:
                    seen[needed] = None
                    waiting.append(needed)
        return records

    def lower_records(self, needed: LowerFunctions) -> list[LowerRecord]:
        """The records that prove the values from below. Raises: ProposalFailed, Stopped."""
        chain = self._space.chain
        choice = {pair: self._exact.choice[pair] for pair in needed.functions}
        ranks = rank_pairs(self._game.run, self._exact.proposal.extender, choice)
        return [
            LowerRecord(
                self._names(pair),
                to_fraction(self._exact.values[pair]),
                "forward" if choice[pair] is Direction.FORWARD else "backward",
                f.entries(chain),
                ranks[pair].g.entries(chain),
                ranks[pair].rank,
                f.rests(),
                ranks[pair].g.rests(),
            )
            for pair, f in needed.functions.items()
        ]

    def bounds(self, pair: int) -> tuple[Fraction, Fraction]:
        """The value of a pair, from both sides."""
        value = to_fraction(self._exact.values[pair])
        return value, value

    def _extend(self, part: Part, f: Potential, found: LowerFunctions) -> list[int]:
        """Extend a part's function into ``f``; the pairs that it depends on."""
        members = part.block.members
        approx = {k: float(to_fraction(x)) for k, x in part.f.items()}
        for margin in (_MARGIN, 0.0):
            proposed = self._exact.proposal.extender.extend(members, approx, self._table, margin)
            if isinstance(proposed, Extension):
                rest = between(*proposed.rest)
                listed = part.f | {k: exactly(x) for k, x in proposed.listed.items()}
                needed = self._dependencies(members, listed, rest)
                if needed is not None:
                    break
        else:
            extension, path = self._exact.lifter.extend(part.f, members, self._exact.values)
            listed, rest = part.f | extension, ZERO
            needed = self._dependencies(members, listed, rest) if path is None else None
            if needed is None:
                found.conflicts[part.slot or 0] = self._paths(part, path or [])
                return []
        if rest:
            f.rest[self._space.chain.labels[members[0]]] = rest
        f.listed.update({k: x for k, x in listed.items() if x != rest})
        return needed

    def _dependencies(
        self, members: tuple[int, ...], listed: dict[int, fmpq], rest: fmpq
    ) -> list[int] | None:
        """The pairs whose distance a function needs beyond the words; None where some are too close.

        Floats single out the constraints that come near the words; those are looked at exactly.
        """
        values = [listed.get(k, rest) for k in members]
        approx = np.full(len(members), float(to_fraction(rest)))
        for k, x in listed.items():
            approx[self._words.place(k)] = float(to_fraction(x))
        words = self._exact.proposal.extender.words
        found: list[int] = []
        for i, x in listed.items():
            own = float(to_fraction(x))
            for backwards in (False, True):
                taken = approx - self._game.alpha * own if backwards else own - self._game.alpha * approx
                near = (taken > words.row(i, backwards=backwards) - _MARGIN) & (taken > -_MARGIN)
                for place in np.nonzero(near)[0].tolist():
                    k = members[place]
                    first, second = (k, i) if backwards else (i, k)
                    gap = values[place] - self._alpha * x if backwards else x - self._alpha * values[place]
                    if k == i or gap <= 0 or gap <= self._words.bound(first, second):
                        continue
                    number = self._space.number.get((first, second))
                    if number is None or gap > self._exact.values[number]:
                        return None
                    found.append(number)
        return found

    def _paths(self, part: Part, path: list[int]) -> Conflict:
        """All paths in over the states of ``path`` and out again; the exact search does not say which."""
        return Conflict(tuple((i, k, j) for k in path for i in part.f for j in part.f if i != j))

    def _coupling(self, parts: list[Part]) -> Coupling:
        names = self._space.chain.states
        return Coupling(
            tuple(
                (names[i], names[j], to_fraction(x)) for part in parts for (i, j), x in sorted(part.w.items())
            ),
            tuple((names[i], to_fraction(x)) for part in parts for i, x in sorted(part.b.items())),
        )

    def _names(self, pair: int) -> tuple[str, str]:
        i, j = self._space.pairs[pair]
        return self._space.chain.states[i], self._space.chain.states[j]

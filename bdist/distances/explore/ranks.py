"""Ranks: why pairs that depend on each other are positive all the same.

A lower bound proves d <= distance for pairs whose functions need each other's distances, possibly in circles.
What keeps a circle from supporting itself is an escape: a function g, in the same direction as f, that shows
every coupling of the pair to leak or to reach a pair of smaller rank, or one that the words prove positive.
Most pairs escape at once, because some label is likelier from one state than alpha times from the other; the
rest are ranked round by round with lifts of 0/1 tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from bdist.distances.explore.extension import Conflict, Extender
from bdist.distances.explore.float_game import ProposalFailed
from bdist.distances.explore.lower_bounds import RankBounds
from bdist.distances.explore.potentials import Potential
from bdist.distances.lift import Lifter
from bdist.distances.pairs import Direction
from bdist.distances.run import Run
from bdist.exact.rationals import ONE, ZERO, to_fraction
from bdist.lp import engine_named

_MARGIN = 1e-12


@dataclass(frozen=True)
class Ranked:
    """A pair's rank and the g that shows it."""

    rank: int
    g: Potential


def rank_pairs(run: Run, extender: Extender, choice: Mapping[int, Direction]) -> dict[int, Ranked]:
    """Rank pairs in the given directions; the others count as positive where the words say so.

    Raises: ProposalFailed where a pair cannot be ranked, Stopped.
    """
    words, space = extender.explored.words, run.space
    found: dict[int, Ranked] = {}
    for pair, side in choice.items():
        i, j = space.pairs[pair] if side is Direction.FORWARD else reversed(space.pairs[pair])
        gain, labels = words.gain(i, j)
        if gain > 0:
            found[pair] = Ranked(1, Potential({}, dict.fromkeys(labels, ONE)))
    if len(found) < len(choice):
        _Rounds(run, extender, choice, found).complete()
    return found


class _Rounds:
    """The pairs of rank two and more."""

    def __init__(
        self, run: Run, extender: Extender, choice: Mapping[int, Direction], found: dict[int, Ranked]
    ) -> None:
        self._run, self._extender, self._choice, self._found = run, extender, choice, found
        words, space = extender.explored.words, run.space

        def positive(i: int, j: int) -> fmpq:
            return ONE if words.bound(i, j) > 0 else ZERO

        self._lifter = Lifter(space, engine_named("exact"), run.tally, positive)
        self._table = [
            (ONE if pair in found else ZERO) if pair in choice else self._positive(i, j, positive)
            for pair, (i, j) in enumerate(space.pairs)
        ]
        self._ranked = np.full(len(space), -1.0)
        self._ranked[list(choice)] = [1.0 if pair in found else 0.0 for pair in choice]

    def _positive(self, i: int, j: int, exactly: Callable[[int, int], fmpq]) -> fmpq:
        """1 where the words say that a pair is positive; exact where floats cannot tell."""
        words = self._extender.explored.words
        return ONE if words.row_approx(i)[words.place(j)] > _MARGIN else exactly(i, j)

    def complete(self) -> None:
        """Rank round by round: each depends on pairs ranked in earlier rounds only."""
        rank = 1
        while len(self._found) < len(self._choice):
            rank += 1
            bounds = RankBounds(self._extender.explored, self._ranked)
            fresh: dict[int, Ranked] = {}
            for pair in [pair for pair in self._choice if pair not in self._found]:
                self._run.pulse("ranks", len(self._found), len(self._choice))
                g = self._escape(pair, bounds)
                if g is not None:
                    fresh[pair] = Ranked(rank, g)
            if not fresh:
                raise ProposalFailed("a positive pair has no rank among the explored pairs")
            self._found.update(fresh)
            for pair in fresh:
                self._table[pair] = ONE
                self._ranked[pair] = 1.0

    def _escape(self, pair: int, bounds: RankBounds) -> Potential | None:
        """A g for a pair that depends on what is ranked so far."""
        space, side = self._run.space, self._choice[pair]
        g = Potential()
        gain = ZERO
        for block in space.objective(pair, side):
            inside = tuple(block.coefficients)
            _, optimum = self._lifter.solve_inside(inside, block.coefficients, self._table, None)
            if not optimum.value:
                continue
            values = dict(zip(inside, optimum.point, strict=True))
            approx = {k: float(to_fraction(x)) for k, x in values.items()}
            extension = self._extender.extend_within(bounds, block.members, approx, _MARGIN)
            if isinstance(extension, Conflict):
                return self._escape_exactly(pair)
            gain += optimum.value
            g.extend(block.members, values, extension, space.chain)
        return g if gain > 0 else None

    def _escape_exactly(self, pair: int) -> Potential | None:
        """The same by a lift over all states of the labels."""
        space, side = self._run.space, self._choice[pair]
        lift = self._lifter.lift(pair, side, self._table)
        if not lift.value:
            return None
        g = Potential()
        for block in space.objective(pair, side):
            g.add(block.members, lift.f, space.chain)
        return g

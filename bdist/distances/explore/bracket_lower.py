"""The lower side of a certified bracket.

Settle the game with the words as boundary at all pairs that do not matter, and take l = table - eps y,
rounded down. Solving the programs again at l must give at least l; it does for the couplings W that y = 1 +
W y takes into account, and a coupling that turns out cheaper at l than the slack allows joins them. The
functions found at l are extended to all states of their labels (`extension`), rounded down, and lowered until
every constraint f_i - alpha f_j <= l(i,j) holds on integers, which costs a few units of the grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from flint import fmpq

from bdist.certificates.document import LowerRecord
from bdist.distances.explore.extension import Extension
from bdist.distances.explore.float_game import FloatGame, ProposalFailed
from bdist.distances.explore.frontier import Dependencies, NotExtendable, Proposal, dependencies_of
from bdist.distances.explore.grid import GRID, from_grid, on_grid_down
from bdist.distances.explore.growth import growth
from bdist.distances.explore.ranks import Ranked, rank_pairs
from bdist.distances.pairs import Direction
from bdist.exact.rationals import ZERO, to_fraction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SLACK = 2e-13
_MOST_RAISES = 10
_RAISE = 4.0
_NOISE = 1e-14  # what a float that stands for an exact number may be wrong by
_MARGIN = 1e-13
_NEAR = 1e-11  # constraints with more slack than this are looked at only if functions fall by much
_NEAR_IS_ENOUGH = GRID // 10**12


@dataclass(frozen=True)
class GridFunction:
    """A function on the grid: listed states, and one value for the rest of each label."""

    listed: dict[int, int]
    rest: dict[str, int]


@dataclass(frozen=True)
class LowerSide:
    """Values on the grid with the functions and ranks that prove them."""

    proposal: Proposal
    values: dict[int, int]
    functions: dict[int, GridFunction]
    ranks: dict[int, Ranked]

    def bound(self, pair: int) -> Fraction:
        """The lower bound at a pair: what its record says, or what the words do."""
        if pair in self.functions:
            return from_grid(self.values[pair])
        game = self.proposal.game
        return to_fraction(game.words.bound(*game.space.pairs[pair]))

    def records(self) -> list[LowerRecord]:
        """The records that prove the bounds."""
        chain, pairs = self.proposal.game.space.chain, self.proposal.game.space.pairs
        made = []
        for pair, f in self.functions.items():
            g = self.ranks[pair].g
            i, j = pairs[pair]
            made.append(
                LowerRecord(
                    (chain.states[i], chain.states[j]),
                    from_grid(self.values[pair]),
                    "forward" if self.proposal.direction(pair) is Direction.FORWARD else "backward",
                    tuple((chain.states[k], from_grid(x)) for k, x in f.listed.items()),
                    g.entries(chain),
                    self.ranks[pair].rank,
                    tuple((label, from_grid(x)) for label, x in f.rest.items() if x),
                    g.rests(),
                )
            )
        return made


def prove_lower(proposal: Proposal, queries: Sequence[int], allowed: float) -> LowerSide:
    """Lower bounds at the queries; cutting pairs may lower them by about what is allowed.

    Raises: NotExtendable, ProposalFailed, Stopped.
    """
    game = proposal.game
    floor = np.maximum(game.floor - _NOISE, 0.0)
    game.sweep(game.select(range(len(game.space))), proposal.table)
    kept = np.zeros(len(proposal.table), dtype=bool)
    first = dependencies_of(proposal, queries, proposal.table, -_MARGIN, allowed, roughly=True)
    if first.conflicts:
        raise NotExtendable(first.conflicts)
    kept[first.pairs] = True
    slack = _SLACK
    for _ in range(_MOST_RAISES):
        game.run.pulse("bracket", 0, len(proposal.table))
        lowered = _lowered(proposal, kept, floor, slack)
        plan = dependencies_of(lowered, queries, lowered.table, -_MARGIN, roughly=True)
        if not plan.conflicts:
            plan = dependencies_of(lowered, queries, lowered.table, -_MARGIN)
        if plan.conflicts:
            kept[_missed(game, plan, kept)] = True
            continue
        side = _on_grid(lowered, plan)
        if side is not None:
            return side
        slack *= _RAISE
    raise ProposalFailed("the functions do not prove a bound near the proposed table")


def _lowered(proposal: Proposal, kept: NDArray[np.bool_], floor: Floats, slack: float) -> Proposal:
    """A table that the operator does not lower, in floats; the kernel then holds the functions at it."""
    game = proposal.game
    pairs = np.nonzero(kept)[0]
    table = floor.copy()
    game.settle(pairs.tolist(), table)
    chosen = game.select(pairs)
    best = game.sweep(chosen, table).argmax(axis=1)
    side = np.zeros(len(chosen.tasks), dtype=bool)
    side[np.arange(len(pairs)) * game.directions + best] = True
    collected = [(game.rows(chosen), side)]
    for _ in range(_MOST_RAISES):
        y = growth(collected, pairs, game.directions, len(table))
        low = np.maximum(table - slack * y, floor)
        values = game.sweep(chosen, low).ravel()[side]
        if (values >= low[pairs]).all():
            everywhere = proposal.best.copy()
            everywhere[pairs] = best
            return Proposal(game, proposal.extender, low, everywhere)
        collected.append((game.rows(chosen), side))
    raise ProposalFailed("couplings keep turning up that are cheaper at the lowered table")


def _missed(game: FloatGame, plan: Dependencies, kept: NDArray[np.bool_]) -> list[int]:
    """Explored pairs that were cut and are in the way of an extension after all. Raises: NotExtendable."""
    number = game.space.number
    steps = {number.get(step) for conflict in plan.conflicts.values() for step in conflict.steps()}
    missed = [pair for pair in steps if pair is not None and not kept[pair]]
    if not missed:
        raise NotExtendable(plan.conflicts)
    return missed


def _on_grid(proposal: Proposal, plan: Dependencies) -> LowerSide | None:
    """Round the table and the functions; None where a function falls short of its value."""
    game = proposal.game
    grid = on_grid_down(proposal.table)
    values = {pair: int(grid[pair]) for pair in plan.pairs}
    rounding = _Rounding(proposal, values)
    functions: dict[int, GridFunction] = {}
    for pair in plan.pairs:
        game.run.pulse("bracket", len(functions), len(plan.pairs))
        f = rounding.function(pair, plan.extensions)
        if f is None:
            return None
        functions[pair] = f
    choice = {pair: proposal.direction(pair) for pair in plan.pairs}
    return LowerSide(proposal, values, functions, rank_pairs(game.run, proposal.extender, choice))


class _Rounding:
    """Functions of the kernel, moved to the grid so that all constraints hold there."""

    def __init__(self, proposal: Proposal, values: dict[int, int]) -> None:
        self._proposal = proposal
        self._game = proposal.game
        self._values = values
        # what the certificate proves, and nothing else: pairs without a record have what the words say
        self._proved = self._game.floor.copy()
        recorded = list(values)
        self._proved[recorded] = proposal.table[recorded]
        self._above = int(self._game.space.alpha.p)
        self._below = int(self._game.space.alpha.q)

    def function(self, pair: int, extensions: dict[int, Extension]) -> GridFunction | None:
        """The function of a pair on the grid; None where its objective is below the pair's value."""
        game = self._game
        direction = self._proposal.direction(pair)
        labels = game.space.chain.labels
        listed: dict[int, int] = {}
        rest: dict[str, int] = {}
        objective = ZERO
        slots = iter(game.slots_of(pair, direction))
        for block in game.space.objective(pair, direction):
            label = labels[block.members[0]]
            if not block.mixed:
                gain = sum(block.coefficients.values(), ZERO)
                if gain > 0:
                    rest[label] = GRID
                    objective += gain * GRID
                continue
            slot = next(slots)
            f, others = self._part(slot, extensions[slot])
            rest[label] = others
            listed.update({k: x for k, x in f.items() if x != others})
            for i, c in block.coefficients.items():
                objective += c * fmpq(f[i])
        return GridFunction(listed, rest) if objective >= self._values[pair] else None

    def _part(self, slot: int, extension: Extension) -> tuple[dict[int, int], int]:
        """A part of a function on the grid: the listed states, and the rest."""
        program = self._game.slots[slot]
        values = dict(zip(program.inside, self._game.function(slot).tolist(), strict=True))
        values |= extension.listed
        f = {k: max(0, min(GRID, int(x * GRID))) for k, x in values.items()}
        low, high = extension.rest
        rest = 0 if low <= 0.0 else GRID if high >= 1.0 else max(0, min(GRID, int((low + high) * GRID) >> 1))
        near = self._near(values, program.members, _NEAR)
        lowered, rest_lowered = self._lowered(dict(f), rest, near, program.members)
        if any(x - lowered[k] > _NEAR_IS_ENOUGH for k, x in f.items()):
            near = self._near(values, program.members, 2.0)
            lowered, rest_lowered = self._lowered(dict(f), rest, near, program.members)
        return lowered, rest_lowered

    def _lowered(
        self, f: dict[int, int], rest: int, near: dict[int, list[int]], members: tuple[int, ...]
    ) -> tuple[dict[int, int], int]:
        """Lower a function until f_i <= l(i,j) + alpha f_j wherever it could fail."""
        has_rest = len(f) < len(members)
        slack = self._slack_to_rest(f, members) if has_rest else {}
        above, below = self._above, self._below
        settled = False
        while not settled:
            settled = True
            for i, others in near.items():
                most = min((self._between(i, j) + above * f[j] // below for j in others), default=GRID)
                if most < f[i]:
                    f[i] = most
                    settled = False
            if has_rest:
                for i, (out, into) in slack.items():
                    if f[i] * below > above * rest and out + above * rest // below < f[i]:
                        f[i] = out + above * rest // below
                        settled = False
                    if rest * below > above * f[i] and into + above * f[i] // below < rest:
                        rest = into + above * f[i] // below
                        settled = False
        return f, rest

    def _near(
        self, values: dict[int, float], members: tuple[int, ...], margin: float
    ) -> dict[int, list[int]]:
        """For each listed state the others towards which its constraint is nearly tight."""
        places = self._game.words.places(members[0])
        bounds = self._proposal.extender.laid_over(self._proved)
        at = np.array([places[k] for k in values])
        x = np.array(list(values.values()))
        distances = bounds.rows(self._game.space.chain.labels[members[0]], at)[:, at]
        taken = x[:, None] - self._game.alpha * x
        tight = (taken > distances - margin) & (taken > -margin)
        np.fill_diagonal(tight, val=False)
        states = list(values)
        found: dict[int, list[int]] = {}
        for a, b in zip(*np.nonzero(tight), strict=True):
            found.setdefault(states[a], []).append(states[b])
        return found

    def _between(self, i: int, j: int) -> int:
        """l(i, j) on the grid, from below."""
        number = self._game.space.number.get((i, j))
        known = self._values.get(number) if number is not None else None
        if known is not None:
            return known
        words = self._game.words
        return max(0, int((words.row_approx(i)[words.place(j)] - _NOISE) * GRID))

    def _slack_to_rest(self, f: dict[int, int], members: tuple[int, ...]) -> dict[int, tuple[int, int]]:
        """For each listed state the least l(i,k) and the least l(k,i) over the unlisted members k."""
        places = self._game.words.places(members[0])
        label = self._game.space.chain.labels[members[0]]
        bounds = self._proposal.extender.laid_over(self._proved)
        at = np.array([places[k] for k in f])
        unlisted = np.ones(len(members), dtype=bool)
        unlisted[at] = False
        out, into = (
            np.maximum(bounds.rows(label, at, backwards=backwards)[:, unlisted].min(axis=1) - _NOISE, 0.0)
            for backwards in (False, True)
        )
        return dict(
            zip(f, zip(on_grid_down(out).tolist(), on_grid_down(into).tolist(), strict=True), strict=True)
        )

"""Stages: functions in the order in which a checker can follow them.

What leans on nothing that comes later is proved at once. Functions that lean on each other in circles are
proved together, and then each pair needs a reason why it is positive at all.

*Escapes* are these reasons. What keeps a circle from supporting itself is that every pair of it escapes: some
event, or some function g, in the direction of its f, shows every coupling of the pair to leak or to reach a
pair that is positive already, by an earlier stage or by a smaller rank. Nearly always a word does, which a
checker finds by itself: pairs are ranked by the fewest labels with which some word is more than alpha times
as likely from one state as from the other. The pairs that words do not tell apart are ranked round by round,
with the machinery that finds functions, on distances that are 1 where a pair is known to be positive and 0
elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flint import fmpq

from bdist.certificates.document import Escape, Function, Potential, Stage, numerator
from bdist.distances.explore.bounds import Arc, Distances
from bdist.distances.explore.float_game import FloatGame, ProposalFailed
from bdist.distances.explore.functions import Part, Plan, Planner, on_grid
from bdist.distances.explore.grid import GRID
from bdist.exact.linear import strongly_connected_components
from bdist.exact.rationals import ZERO

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SURELY_POSITIVE = 1e-12  # a float above this stands for a positive number
_LEAST = 1e-9  # what a g must gain


@dataclass(frozen=True)
class Proved:
    """A function with the directed pairs for which it proves a lower bound."""

    f: Potential
    pairs: dict[Arc, fmpq]


def stages_of(plan: Plan, proved: Mapping[int, Proved], leans: Mapping[int, Collection[int]]) -> list[Stage]:
    """The functions of some pairs in stages, given which lean on which.

    Raises: ProposalFailed where a circle has no escape.
    """
    pairs = list(proved)
    place = {pair: position for position, pair in enumerate(pairs)}
    successors = [[place[q] for q in sorted(leans[pair]) if q in place] for pair in pairs]
    level = [0] * len(pairs)
    plain: dict[int, list[Proved]] = {}
    circles: dict[int, list[list[int]]] = {}
    for component in strongly_connected_components(successors):
        members = set(component)
        below = (level[q] for p in component for q in successors[p] if q not in members)
        height = 1 + max(below, default=-1)
        for p in component:
            level[p] = height
        if len(component) == 1 and component[0] not in successors[component[0]]:
            plain.setdefault(height, []).append(proved[pairs[component[0]]])
        else:
            circles.setdefault(height, []).append(sorted(pairs[p] for p in component))
    stages = []
    before: list[Arc] = []  # pairs that are proved to be positive
    for height in range(max(level, default=-1) + 1):
        if height in plain:
            stages.append(Stage(tuple(map(_function, plain[height]))))
            before += _positive(plain[height])
        for circle in circles.get(height, []):
            functions = [proved[pair] for pair in circle]
            ends = {pair: plan.proposal.ends(pair) for pair in circle}
            stages.append(Stage(tuple(map(_function, functions)), _escapes(plan, ends, before)))
            before += _positive(functions)
    return stages


def _positive(functions: Iterable[Proved]) -> Iterable[Arc]:
    return (arc for proved in functions for arc, value in proved.pairs.items() if value > 0)


def _function(proved: Proved) -> Function:
    over = proved.f.over
    return Function(proved.f, tuple((i, j, numerator(x, over)) for (i, j), x in proved.pairs.items()))


class _Positive(Distances):
    """1 where a pair is known to be positive: by its rank, which is 0 in earlier stages, or by the words."""

    def __init__(self, game: FloatGame, ranks: Mapping[Arc, int | None], below: int) -> None:
        super().__init__(game.space.chain, game.words, ordered=game.space.ordered)
        self._by_state: dict[tuple[int, bool], list[tuple[int, float]]] = defaultdict(list)
        for (i, j), rank in ranks.items():
            positive = 1.0 if rank is not None and rank < below else 0.0
            self._by_state[i, False].append((j, positive))
            self._by_state[j, game.space.ordered].append((i, positive))

    def words_row(self, k: int, *, backwards: bool) -> Floats:
        """The 0/1 bounds of a state."""
        row = (super().words_row(k, backwards=backwards) > _SURELY_POSITIVE).astype(np.float64)
        place = self.place(self._chain.states_by_label[self._chain.labels[k]])
        for other, positive in self._by_state[k, backwards]:
            row[place[other]] = positive
        return row


def _escapes(plan: Plan, pairs: Mapping[int, Arc], proved: Iterable[Arc]) -> tuple[Escape, ...]:
    """Escapes for the pairs of a circular stage that need one, given with the directions of their functions,
    and the pairs that earlier stages prove to be positive.

    Raises: ProposalFailed where a pair cannot be ranked, Stopped.
    """
    words = plan.proposal.game.words
    ranks: dict[Arc, int | None] = dict.fromkeys(proved, 0) | dict.fromkeys(pairs.values())
    seen: dict[int, tuple[list[Arc], dict[int, Arc]]] = defaultdict(
        lambda: ([], {})
    )  # by length: right, wrong
    waiting: dict[int, Arc] = {}
    for pair, ends in pairs.items():
        difference = words.first_difference(*ends)
        if difference is None:
            waiting[pair] = ends
        elif difference[1]:
            seen[difference[0]][0].append(ends)
        else:
            seen[difference[0]][1][pair] = ends
    escapes: list[Escape] = []
    rank = 0
    pair_of = {ends: pair for pair, ends in pairs.items()}
    circle = (
        False  # some pair was told apart in the wrong order, and needs others that words would rank later
    )
    for length in sorted(seen):
        right, wrong = seen[length]
        if circle:
            waiting |= {pair_of[ends]: ends for ends in right} | wrong
            continue
        if right:
            rank += 1
            ranks.update(dict.fromkeys(right, rank))
        rank = _rounds(plan, ranks, wrong, rank, escapes)
        circle = bool(wrong)
        waiting |= wrong
    _rounds(plan, ranks, waiting, rank, escapes)
    if waiting:
        raise ProposalFailed("a positive pair has no rank among the explored pairs")
    return tuple(escapes)


def _rounds(
    plan: Plan, ranks: dict[Arc, int | None], pairs: dict[int, Arc], rank: int, escapes: list[Escape]
) -> int:
    """Rank round by round, as far as that goes, and take out what is ranked; returns the last rank."""
    while pairs:
        found = _round(plan, ranks, pairs, rank + 1)
        if not found:
            break
        rank += 1
        for pair, escape in found.items():
            escapes.append(escape)
            ranks[pairs.pop(pair)] = rank
    return rank


def _round(
    plan: Plan, ranks: Mapping[Arc, int | None], pairs: Mapping[int, Arc], rank: int
) -> dict[int, Escape]:
    """Those of some pairs for which a function escapes to pairs of smaller rank."""
    game = plan.proposal.game
    planner = Planner(game, (), _Positive(game, ranks, rank))
    slots = [slot for pair in pairs for slot in plan.proposal.slots(pair)]
    parts = planner.positive(slots, plan.proposal, _LEAST)
    found = {}
    for pair, ends in pairs.items():
        blocks = {
            block.members: block.coefficients
            for block in game.space.objective(pair, plan.proposal.direction(pair))
        }
        mine = [
            part
            for slot in plan.proposal.slots(pair)
            if (part := parts.get(slot)) and _gains(part, blocks[part.members])
        ]
        if mine:
            found[pair] = Escape(rank, on_grid(game.space.chain, mine), (ends,))
    return found


def _gains(part: Part, coefficients: Mapping[int, fmpq]) -> bool:
    """Whether a function on the grid is positive for an objective; moving it there may have taken all."""
    return sum((c * int(part.values[i] * GRID) for i, c in coefficients.items()), ZERO) > 0

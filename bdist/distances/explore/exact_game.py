"""The exact value of the game, starting from a proposal in floating point.

The proposal says which pairs are zero, which direction is better at each pair, and a basis for every linear
program. From that, the exact work is one linear system and one exact look at every program: the couplings of
the better directions determine the values, and if at these values every basis is optimal and no other
direction is better, they are a fixed point. Where a basis is not optimal the exact simplex repairs it,
directions switch where the other one is strictly better, and the system is solved again: strategy iteration
with a start so good that it seldom moves.

That a fixed point is the *least* one is not argued here. The lower bound that is made from it (`exact_proof`)
has its own reasons and stands on its own, as does the upper bound by the couplings.

If a system is singular or a value negative, the start was not proper, and the caller takes the method that
needs no proposal (`strategy`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import InitVar, dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from flint import fmpq

from bdist.certificates.document import UpperRecord
from bdist.distances.explore.float_game import FloatGame, ProposalFailed
from bdist.distances.explore.proposal import Demand, Proposal
from bdist.distances.lift import Lifter
from bdist.distances.lift import Slot as Start
from bdist.distances.pairs import Block, Direction
from bdist.exact.linear import solve_affine
from bdist.exact.rationals import ZERO
from bdist.lp.batch import PLACES

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ZERO_APPROX = 1e-11  # a proposed value up to this is first tried as zero
_MOST_ROUNDS = 60


@dataclass
class Part:
    """One label's part of a directed lift: value, f and (w, b) on the states inside; its slot, if any."""

    block: Block
    value: fmpq
    f: dict[int, fmpq]
    w: dict[tuple[int, int], fmpq]
    b: dict[int, fmpq]
    slot: int | None = None


class _Values(dict[int, fmpq]):
    """Values by pair; what has none counts as its lower bound by words."""

    def __init__(self, game: FloatGame) -> None:
        super().__init__()
        self._game = game

    def __missing__(self, pair: int) -> fmpq:
        return self._game.words.bound(*self._game.space.pairs[pair])


@dataclass
class ExactGame:
    """The values of some pairs and of all that they need, and the parts of each directed lift at these
    values.
    """

    proposal: Proposal
    lifter: Lifter
    sources: InitVar[Sequence[int]]
    choice: dict[int, Direction] = field(default_factory=dict)
    parts: dict[int, tuple[list[Part], ...]] = field(default_factory=dict)
    _bases: dict[int, Start] = field(default_factory=dict)  # of each slot, the last that was optimal

    def __post_init__(self, sources: Sequence[int]) -> None:
        self.values = _Values(self.proposal.game)
        self.solve(self.proposal, sources)

    def solve(self, proposal: Proposal, sources: Iterable[int]) -> None:
        """Find a fixed point on some pairs and all that these need, starting with what depends on nothing;
        pairs that have values keep them.

        Requires: these are of the same origin. Raises: ProposalFailed, Stopped.
        """
        self.proposal = proposal
        game, table = proposal.game, proposal.table
        pairs = Demand(proposal, list(sources), 0.0).pairs()
        pairs = pairs[[pair not in self.parts for pair in pairs.tolist()]]
        self.choice |= {pair: proposal.direction(pair) for pair in pairs.tolist()}
        self.parts |= dict.fromkeys(pairs.tolist(), ())
        self._bases |= self._proposed_bases(pairs)
        graph = game.graph(pairs)
        order = np.argsort(graph.component, kind="stable")
        for begin, end in pairwise([0, *np.cumsum(np.bincount(graph.component)).tolist()]):
            component = pairs[order[begin:end]].tolist()
            if graph.cyclic[order[begin]]:
                for pair in component:
                    near = float(table[pair])
                    self.values[pair] = ZERO if near <= _ZERO_APPROX else fmpq(*near.as_integer_ratio())
                self._settle(component, {pair for pair in component if not self.values[pair]})
            else:
                self._look(component[0])
                pair = component[0]
                self.values[pair] = self.value_of(pair, self.choice[pair])
            game.run.pulse("exact", int(end), len(pairs))

    def _settle(self, component: list[int], zero: set[int]) -> None:
        """The values of pairs that depend on each other, by strategy iteration from the proposal."""
        for pair in component:
            self._look(pair)
            self.choice[pair] = self.proposal.direction(pair)
        for _ in range(_MOST_ROUNDS):
            self.proposal.game.run.rounds += 1
            for pair, value in zip(component, self._evaluate(component, zero), strict=True):
                self.values[pair] = value
            changed = False
            for pair in component:
                self._look(pair)
                if self.value_of(pair, self.choice[pair]) != self.values[pair]:
                    changed = True
                    zero.discard(pair)
            if not changed:
                return
        raise ProposalFailed(f"no fixed point after {_MOST_ROUNDS} exact rounds")

    def _look(self, pair: int) -> None:
        """Solve the programs of a pair at the present values, and turn to the better direction."""
        game = self.proposal.game
        game.run.pulse("exact", pair, len(game.space))
        self.parts[pair] = tuple(self._lift(pair, side) for side in game.space.directions)
        best = max(game.space.directions, key=lambda side: self.value_of(pair, side))
        if self.value_of(pair, best) > self.value_of(pair, self.choice[pair]):
            self.choice[pair] = best

    def value_of(self, pair: int, side: Direction) -> fmpq:
        """The directed lift of the last look at a pair."""
        return sum((part.value for part in self.parts[pair][side]), ZERO)

    def upper_records(self, queries: Iterable[int]) -> tuple[list[UpperRecord], set[int]]:
        """The records that prove the values from above, and the pairs that are missing for that: a coupling
        that is optimal in rationals may use others than floats had thought.
        """
        game = self.proposal.game
        space = game.space
        missing: set[int] = set()
        seen = dict.fromkeys(queries)
        waiting = list(seen)
        records = []
        while waiting:
            pair = waiting.pop()
            sides = self.parts[pair]
            couplings = []
            for parts in sides:
                w: dict[tuple[int, int], fmpq] = {}
                b: dict[int, fmpq] = {}
                for part in parts:
                    w |= part.w
                    b |= part.b
                couplings.append((dict(sorted(w.items())), dict(sorted(b.items()))))
            records.append(UpperRecord.of(space.pairs[pair], self.values[pair], couplings))
            for needed in (space.number[arc] for w, _ in couplings for arc in w):
                if needed not in self.parts:
                    missing.add(needed)
                elif needed not in seen:
                    seen[needed] = None
                    waiting.append(needed)
        return records, missing

    def _lift(self, pair: int, side: Direction) -> list[Part]:
        game = self.proposal.game
        slots = iter(game.slots_of(pair, side))
        parts = []
        for block in game.space.objective(pair, side):
            if not block.mixed:
                good = {i: c for i, c in block.coefficients.items() if c > 0}
                parts.append(Part(block, sum(good.values(), ZERO), {}, {}, good))
                continue
            slot = next(slots)
            inside = game.inside(slot)
            program, optimum = self.lifter.solve_inside(
                inside, block.coefficients, self.values, self._bases[slot]
            )
            self._bases[slot] = program.slot_of(optimum.basis)
            parts.append(
                Part(
                    block,
                    optimum.value,
                    dict(zip(inside, optimum.point, strict=True)),
                    {
                        arc: weight
                        for arc, weight in zip(program.arcs, optimum.row_multipliers, strict=True)
                        if weight
                    },
                    {i: x for i, x in zip(inside, optimum.cap_multipliers, strict=True) if x},
                    slot,
                )
            )
        return parts

    def _proposed_bases(self, pairs: Sequence[int] | NDArray[np.int64]) -> dict[int, Start]:
        game = self.proposal.game
        bases = game.bases(game.select(pairs))
        return {
            slot: Start(game.inside(slot), tuple(PLACES[kind] for kind in places), tuple(tight))
            for slot, (places, tight) in bases.items()
        }

    def _evaluate(self, component: list[int], zero: set[int]) -> list[fmpq]:
        """The values of the couplings in the chosen directions; those of other pairs are known."""
        number = self.proposal.game.space.number
        place = {pair: position for position, pair in enumerate(component)}
        weights: list[dict[int, fmpq]] = []
        constants: list[fmpq] = []
        for pair in component:
            row: dict[int, fmpq] = {}
            constant = ZERO
            for part in self.parts[pair][self.choice[pair]] if pair not in zero else ():
                constant += sum(part.b.values(), ZERO)
                for arc, weight in part.w.items():
                    needed = number[arc]
                    if needed not in place:
                        constant += weight * self.values[needed]
                    elif needed not in zero:
                        row[place[needed]] = row.get(place[needed], ZERO) + weight
            weights.append(row)
            constants.append(constant)
        solved = solve_affine(weights, constants)
        if solved is None or any(x < 0 or x > 1 for x in solved):
            raise ProposalFailed("the proposed couplings have no value")
        return solved

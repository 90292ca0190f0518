"""The exact value of the game on explored pairs, starting from a proposal in floating point.

The proposal says which pairs are zero, which direction is better at each pair, and a basis for every linear
program. From that, the exact work is one linear system and one exact look at every program: the couplings of
the better directions determine the values, and if at these values every basis is optimal and no other
direction is better, they are a fixed point. Where a basis is not optimal the exact simplex repairs it,
directions switch where the other one is strictly better, and the system is solved again: strategy iteration
with a start so good that it seldom moves.

That a fixed point is the *least* one is not argued here. The lower bound that is made from it (`lower_proof`)
has ranks and stands on its own, as does the upper bound by the couplings.

If a system is singular or a value negative, the start was not proper, and the caller takes the method that
needs no proposal (`strategy`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flint import fmpq

from bdist.distances.explore.float_game import ProposalFailed
from bdist.distances.explore.frontier import Proposal
from bdist.distances.lift import Lifter
from bdist.distances.lift import Slot as Start
from bdist.distances.pairs import Block, Direction
from bdist.exact.linear import solve_affine
from bdist.exact.rationals import ZERO
from bdist.lp.program import Place

_ZERO_APPROX = 1e-11  # a proposed value up to this is first tried as zero
_MOST_ROUNDS = 60
_PLACES = (Place.LOWER, Place.UPPER, Place.BASIC)


@dataclass
class Part:
    """One label's part of a directed lift: value, f and (w, b) on the states inside; its slot, if any."""

    block: Block
    value: fmpq
    f: dict[int, fmpq]
    w: dict[tuple[int, int], fmpq]
    b: dict[int, fmpq]
    slot: int | None = None


@dataclass
class ExactGame:
    """The values of all explored pairs, and the parts of each directed lift at these values."""

    proposal: Proposal
    lifter: Lifter
    values: list[fmpq] = field(default_factory=list)
    choice: list[Direction] = field(default_factory=list)
    parts: list[tuple[list[Part], ...]] = field(default_factory=list)
    _bases: dict[int, Start] = field(default_factory=dict)  # of each slot, the last that was optimal

    def solve(self) -> None:
        """Find a fixed point of the operator. Raises: ProposalFailed, Stopped."""
        game = self.proposal.game
        pairs = range(len(game.space))
        zero = {pair for pair in pairs if self.proposal.table[pair] <= _ZERO_APPROX}
        self.choice = [self.proposal.direction(pair) for pair in pairs]
        self.values = [
            ZERO if pair in zero else fmpq(*float(self.proposal.table[pair]).as_integer_ratio())
            for pair in pairs
        ]
        self._bases = self._proposed_bases()
        self.parts = []
        for pair in pairs:
            game.run.pulse("exact", pair, len(pairs))
            self.parts.append(tuple(self._lift(pair, side) for side in game.space.directions))
        for _ in range(_MOST_ROUNDS):
            game.run.rounds += 1
            self.values = self._evaluate(zero)
            if not self._improve(zero):
                return
        raise ProposalFailed(f"no fixed point after {_MOST_ROUNDS} exact rounds")

    def value_of(self, pair: int, side: Direction) -> fmpq:
        """The directed lift of the last look at a pair."""
        return sum((part.value for part in self.parts[pair][side]), ZERO)

    def _improve(self, zero: set[int]) -> bool:
        """Look at every program with the current values; whether something had to change."""
        game = self.proposal.game
        changed = False
        for pair in range(len(game.space)):
            game.run.pulse("exact", pair, len(game.space))
            self.parts[pair] = tuple(self._lift(pair, side) for side in game.space.directions)
            best = max(game.space.directions, key=lambda side: self.value_of(pair, side))
            if self.value_of(pair, best) != self.values[pair]:
                changed = True
                zero.discard(pair)
            if self.value_of(pair, best) > self.value_of(pair, self.choice[pair]):
                self.choice[pair] = best
        return changed

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
            inside = game.slots[slot].inside
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

    def _proposed_bases(self) -> dict[int, Start]:
        game = self.proposal.game
        bases = game.bases(game.select(range(len(game.space))))
        return {
            slot: Start(game.slots[slot].inside, tuple(_PLACES[kind] for kind in places), tuple(tight))
            for slot, (places, tight) in bases.items()
        }

    def _evaluate(self, zero: set[int]) -> list[fmpq]:
        space = self.proposal.game.space
        weights: list[dict[int, fmpq]] = []
        constants: list[fmpq] = []
        for pair, side in enumerate(self.choice):
            row: dict[int, fmpq] = {}
            constant = ZERO
            if pair not in zero:
                for part in self.parts[pair][side]:
                    constant += sum(part.b.values(), ZERO)
                    for arc, weight in part.w.items():
                        needed = space.number[arc]
                        if needed not in zero:
                            row[needed] = row.get(needed, ZERO) + weight
            weights.append(row)
            constants.append(constant)
        solved = solve_affine(weights, constants)
        if solved is None or any(x < 0 or x > 1 for x in solved):
            raise ProposalFailed("the proposed couplings have no value")
        return solved

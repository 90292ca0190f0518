"""The directed lift K>(d)(mu, nu), solved exactly: one move of the game.

    max { sum f_i c_i : 0 <= f <= 1, f_i - alpha f_j <= d(i,j) }                         (the maximiser's)
  = min { sum w_ij d(i,j) + sum b_i : w, b >= 0, out_i(w) + b_i - alpha in_i(w) >= c_i } (the minimiser's)

with c = mu - alpha nu, out_i(w) = sum_j w_ij and in_i(w) = sum_j w_ji.

The two are dual linear programs, and one solve yields both. Everything here is per label, see `pairs`.

*Lazily, with all states of a label.* Most states of a label do not matter, but any may: with k outside both
supports the chain of constraints f_i <= d(i,k) + alpha f_k, f_k <= d(k,j) + alpha f_j can be tighter than f_i
<= d(i,j) + alpha f_j. So we solve with the states T where c is not zero, and then ask whether f extends to
the others: the least extension is L_k = max(0, (f_i - d(i,k))/alpha, (L_l - d(l,k))/alpha), a longest-path
computation, and f extends iff L_k <= d(k,j) + alpha f_j for all k outside and j in T. Where that fails, all
states on the failing path join T. Testing each outside state alone is not enough; two can bind together.

*Warm starts.* The caller passes the previous lift of the same pair and direction; its basis is tried first,
which costs one exact check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from flint import fmpq

from bdist.distances.pairs import Block, Direction, PairSpace
from bdist.errors import InternalError
from bdist.exact.rationals import ONE, ZERO
from bdist.lp import Engine, Tally, solve
from bdist.lp.program import Basis, LinearProgram, Optimum, Place

Table = Sequence[fmpq] | Mapping[int, fmpq]


@dataclass(frozen=True)
class Slot:
    """What to try first when the same block is solved again: its states, their places, the tight arcs."""

    inside: tuple[int, ...]
    places: tuple[Place, ...]
    tight: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Lift:
    """An optimal f and an optimal coupling (w, b), with equal objectives.

    ``f`` holds the positive values, on all states of the labels involved; ``w`` and ``b`` the positive
    weights. ``slots`` remembers the basis of each block that needed a program, by its members.
    """

    value: fmpq
    f: dict[int, fmpq]
    w: dict[tuple[int, int], fmpq]
    b: dict[int, fmpq]
    slots: dict[tuple[int, ...], Slot] = field(default_factory=dict)

    def leak(self) -> fmpq:
        """The part of the coupling's cost that does not depend on the table."""
        return sum(self.b.values(), ZERO)


class Lifter:
    """Solves directed lifts in one pair space with one engine.

    A table covers the pairs of the space. In a space that does not hold all pairs of a label, ``base`` says
    what the others count as.
    """

    def __init__(
        self,
        space: PairSpace,
        engine: Engine,
        tally: Tally,
        base: Callable[[int, int], fmpq] | None = None,
    ) -> None:
        self.space = space
        self.engine = engine
        self.tally = tally
        self._base = base

    def lift(self, pair: int, direction: Direction, table: Table, previous: Lift | None = None) -> Lift:
        """The directed lift of a table at a pair.

        Requires: 0 <= table. Ensures: f and (w, b) are exactly feasible, with objective and cost equal to
        ``value``.
        """
        whole = Lift(ZERO, {}, {}, {})
        value = ZERO
        for block in self.space.objective(pair, direction):
            value += self._solve_block(block, table, previous, whole)
        return Lift(value, whole.f, whole.w, whole.b, whole.slots)

    def lifts(self, pair: int, table: Table, previous: Sequence[Lift] | None = None) -> tuple[Lift, ...]:
        """The directed lifts of a table at a pair, one for each direction that counts."""
        return tuple(
            self.lift(pair, direction, table, None if previous is None else previous[direction])
            for direction in self.space.directions
        )

    def lift_vector(self, coefficients: dict[int, fmpq], table: Table) -> Lift:
        """The lift of a table for any objective on states of one label.

        Requires: the space holds all pairs of states with that label.
        """
        whole = Lift(ZERO, {}, {}, {})
        members = self.space.chain.states_by_label[self.space.chain.labels[next(iter(coefficients))]]
        value = self._solve_block(Block(members, coefficients), table, None, whole)
        return Lift(value, whole.f, whole.w, whole.b, whole.slots)

    def _solve_block(self, block: Block, table: Table, previous: Lift | None, whole: Lift) -> fmpq:
        coefficients = block.coefficients
        if all(c < 0 for c in coefficients.values()):
            return ZERO  # f = 0
        if not block.mixed:
            whole.b.update(coefficients)  # f = 1 on every state of the label
            whole.f.update(dict.fromkeys(block.members, ONE))
            return sum(coefficients.values(), ZERO)
        slot = previous.slots.get(block.members) if previous is not None else None
        inside = slot.inside if slot is not None else tuple(coefficients)
        while True:
            program, optimum = self.solve_inside(inside, coefficients, table, slot)
            f = dict(zip(inside, optimum.point, strict=True))
            extension, path = self.extend(f, block.members, table)
            if path is None:
                break
            inside, slot = (*inside, *path), None
        whole.f.update({i: x for i, x in (*f.items(), *extension.items()) if x})
        whole.b.update({i: x for i, x in zip(inside, optimum.cap_multipliers, strict=True) if x})
        for (i, j), weight in zip(program.arcs, optimum.row_multipliers, strict=True):
            if weight:
                whole.w[i, j] = weight
        whole.slots[block.members] = program.slot_of(optimum.basis)
        return optimum.value

    def solve_inside(
        self, inside: tuple[int, ...], coefficients: dict[int, fmpq], table: Table, start: Slot | None
    ) -> tuple[ArcProgram, Optimum]:
        """The lift over some states of a label only, whether or not its f extends to the others."""
        program = self.program(inside, coefficients, table)
        optimum = solve(program.linear, self.engine, start=program.basis_of(start), tally=self.tally)
        if optimum is None:
            raise InternalError("a directed lift has no feasible function, though f = 0 always is one")
        return program, optimum

    def distance(self, i: int, j: int, table: Table) -> fmpq:
        """The table's entry at a pair of states, or what the pair counts as where the space has none."""
        number = self.space.number.get((i, j))
        if number is not None:
            return table[number]
        if self._base is None:
            raise InternalError("a lift needs the distance of a pair that its space does not hold")
        return self._base(i, j)

    def program(self, inside: tuple[int, ...], coefficients: dict[int, fmpq], table: Table) -> ArcProgram:
        """The linear program over some states of a label."""
        arcs, rows, limits = [], [], []
        minus_alpha = -self.space.alpha
        for a, i in enumerate(inside):
            for b, j in enumerate(inside):
                if a != b:
                    distance = self.distance(i, j, table)
                    if distance < 1:  # f_i - alpha f_j <= 1 says nothing
                        arcs.append((i, j))
                        rows.append(((a, ONE), (b, minus_alpha)))
                        limits.append(distance)
        objective = [coefficients.get(i, ZERO) for i in inside]
        return ArcProgram(LinearProgram(objective, rows, limits, [ONE] * len(inside)), inside, arcs)

    def extend(
        self, f: dict[int, fmpq], members: tuple[int, ...], table: Table
    ) -> tuple[dict[int, fmpq], list[int] | None]:
        """The least extension of f to the other members, or the outside states of a path that forbids one."""
        outside = [k for k in members if k not in f]
        alpha = self.space.alpha
        least: dict[int, fmpq] = {}
        reached_from: dict[int, int] = {}
        sources = [(i, x) for i, x in f.items() if x]
        for k in outside:
            best, via = ZERO, -1
            for i, x in sources:
                if x > best:  # otherwise (x - d)/alpha cannot beat best/alpha
                    excess = x - self.distance(i, k, table)
                    if excess > best:
                        best, via = excess, i
            if via >= 0:
                least[k] = best / alpha
                reached_from[k] = via
        waiting = list(least)
        while waiting:
            source = waiting.pop()
            for k in outside:
                if k != source:
                    push = (least[source] - self.distance(source, k, table)) / alpha
                    if push > least.get(k, ZERO):
                        least[k] = push
                        reached_from[k] = source
                        waiting.append(k)
        for k, need in least.items():
            for j, x in f.items():
                if need > self.distance(k, j, table) + alpha * x:
                    path = [k]
                    while reached_from[path[-1]] not in f:
                        path.append(reached_from[path[-1]])
                    return {}, path
        return least, None


@dataclass(frozen=True)
class ArcProgram:
    """A lift's linear program with the arc (i, j) behind each row; arcs at distance 1 are left out."""

    linear: LinearProgram
    inside: tuple[int, ...]
    arcs: list[tuple[int, int]]

    def slot_of(self, basis: Basis) -> Slot:
        """What to remember of an optimal basis."""
        return Slot(self.inside, basis.places, tuple(self.arcs[k] for k in basis.tight))

    def basis_of(self, slot: Slot | None) -> Basis | None:
        """The basis that a slot describes here; None where one of its tight arcs has left the program."""
        if slot is None:
            return None
        row = {arc: k for k, arc in enumerate(self.arcs)}
        if any(arc not in row for arc in slot.tight):
            return None
        return Basis(slot.places, tuple(row[arc] for arc in slot.tight))

"""The game in floating point: a proposal for every pair, direction and coupling, to be checked by rationals.

A table is an array of floats, one a pair. A *task* is a pair with a direction; it consists of a constant (the
labels on which the objective has one sign) and of the linear programs of its mixed labels, each over the
states *inside* it. The programs go to the kernel in batches.

`FloatGame.settle` computes the least fixed point on a set of pairs, the others being a fixed boundary: 1 for
an upper bound, a lower bound for a lower one. Strongly connected components are taken in the order of their
dependencies, level by level, so that what a component depends on is final when its turn comes; an acyclic
pair is solved once. In a component the operator is iterated. It converges as slowly as the chain leaks; where
that would take long, the table jumps to the value of the couplings that the last sweep chose (policy
iteration, by a dense solve where the component is small and by cheap sweeps where it is not), if that is
nearer to a fixed point. Jumping after every sweep was tried and is slower on most chains: a sweep costs a
microsecond a program.

Nothing here is trusted. A wrong float costs time, not truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from itertools import chain as joined
from math import log
from typing import TYPE_CHECKING

import numpy as np

from bdist.distances.explore.words import WordBounds
from bdist.distances.pairs import Direction, PairSpace
from bdist.distances.run import Run
from bdist.errors import BdistError
from bdist.exact.linear import strongly_connected_components
from bdist.exact.rationals import approximate
from bdist.lp.batch import new_batch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bdist.distances.explore.functions import Proposal

_STILL = 2e-15  # a sweep that moves nothing by more is the last one
_NOISE = 1e-13  # a sweep that moves nothing by more, and no less than the last, is the last one
_MOST_SWEEPS = 5_000
_SWEEPS_BEFORE_A_JUMP = 12
_DENSE = 1_500  # the largest component whose policies are evaluated by a dense solve
_EVALUATIONS = 100  # cheap sweeps in place of a solve, in a larger component

if TYPE_CHECKING:
    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]


class ProposalFailed(BdistError):
    """Floating point found no proposal; an exact method must do without one."""


@dataclass(frozen=True)
class Slot:
    """One linear program of a task: the label's members, the states inside, their coefficients."""

    members: tuple[int, ...]
    inside: tuple[int, ...]
    costs: tuple[float, ...]


@dataclass(frozen=True)
class Selection:
    """Some pairs with the tasks, slots and kernel programs behind them, gathered once for many sweeps."""

    pairs: Numbers
    tasks: Numbers
    slots: Numbers
    programs: NDArray[np.int32]
    owner: Numbers  # for each slot the place of its task in ``tasks``


@dataclass(frozen=True)
class Rows:
    """The couplings of some tasks as sparse rows: task, pair needed, weight; and each task's leak."""

    task: Numbers
    pair: Numbers
    weight: Floats
    leak: Floats

    def cost(self, table: Floats) -> Floats:
        """What each task's coupling costs at a table."""
        moved = np.bincount(self.task, self.weight * table[self.pair], minlength=len(self.leak))
        return np.asarray(moved + self.leak, dtype=np.float64)


def _move(table: Floats, chosen: Selection, values: Floats) -> float:
    """By how much a sweep moves the table, at most."""
    return float(np.abs(values.max(axis=1) - table[chosen.pairs]).max())


def _sweeps_left(move: float, last: float) -> float:
    """How many sweeps it will take at the present rate."""
    rate = move / last
    return log(_STILL / move) / log(rate) if 0.0 < rate < 1.0 else float("inf")


class FloatGame:
    """The tasks of a pair space that may grow, and the kernel's programs for them."""

    def __init__(self, run: Run, words: WordBounds, engine: str, threads: int) -> None:
        self.run = run
        self.space: PairSpace = run.space
        self.words = words
        self.alpha = approximate(self.space.alpha)
        self.engine, self.threads = engine, threads
        self._batch = new_batch(self.alpha, engine)
        self.slots: list[Slot] = []
        self._program: list[int] = []  # of each slot
        self._arcs: list[list[int]] = []  # of each slot, n x n pair numbers, row by row
        self._first_slot: list[int] = [0]  # of each task, and one more
        self._constant: list[float] = []  # of each task
        self.floor = np.zeros(0)  # the lower bound by words, of each pair
        self.proposal: Proposal | None = None  # the last one, for whoever is cut short
        self.synchronise()

    @property
    def directions(self) -> int:
        """How many tasks a pair has."""
        return len(self.space.directions)

    def synchronise(self) -> None:
        """Make tasks for the pairs that the space has gained."""
        space = self.space
        fresh: list[int] = []
        for pair in range(len(self._constant) // self.directions, len(space)):
            for direction in space.directions:
                constant = 0.0
                for block in space.objective(pair, direction):
                    costs = {i: approximate(c) for i, c in block.coefficients.items()}
                    if block.mixed:
                        fresh.append(len(self.slots))
                        self.slots.append(Slot(block.members, tuple(costs), tuple(costs.values())))
                    else:
                        constant += max(0.0, sum(costs.values()))
                self._constant.append(constant)
                self._first_slot.append(len(self.slots))
        self._program.extend([-1] * len(fresh))
        self._arcs.extend([[] for _ in fresh])
        self._submit(fresh)
        known = len(self.floor)
        more = [
            self.words.row_approx(i)[self.words.place(j)] for i, j in space.pairs[known:]
        ]  # for bd a row holds the larger direction
        self.floor = np.concatenate([self.floor, np.array(more, dtype=np.float64)])
        self._constants = np.array(self._constant, dtype=np.float64)
        self._starts = np.array(self._first_slot, dtype=np.int64)

    def widen(self, slot: int, states: Iterable[int]) -> None:
        """Put more states inside a program. Requires: the space holds the pairs among all of them."""
        old = self.slots[slot]
        more = tuple(k for k in states if k not in old.inside)
        self.slots[slot] = Slot(old.members, old.inside + more, old.costs + (0.0,) * len(more))
        self._submit([slot])

    def slots_of(self, pair: int, direction: Direction) -> range:
        """The programs of a task."""
        task = pair * self.directions + direction
        return range(self._first_slot[task], self._first_slot[task + 1])

    def select(self, pairs: Sequence[int] | Numbers) -> Selection:
        """Gather what sweeps over some pairs need."""
        chosen = np.asarray(pairs, dtype=np.int64)
        tasks = (chosen[:, None] * self.directions + np.arange(self.directions)).ravel()
        counts = self._starts[tasks + 1] - self._starts[tasks]
        owner = np.repeat(np.arange(len(tasks)), counts)
        first = np.cumsum(counts) - counts
        slots = np.arange(len(owner)) - np.repeat(first, counts) + np.repeat(self._starts[tasks], counts)
        return Selection(chosen, tasks, slots, self._programs[slots], owner)

    def sweep(self, chosen: Selection, table: Floats) -> Floats:
        """The directed lifts of a table, one row a pair and one column a direction."""
        values = self._batch.solve(chosen.programs, table, self.threads)
        self.run.tally.solved += len(chosen.programs)
        if np.isnan(values).any():
            raise ProposalFailed("a linear program defeated floating point")
        sums = np.bincount(chosen.owner, values, minlength=len(chosen.tasks))
        return np.asarray((self._constants[chosen.tasks] + sums).reshape(-1, self.directions))

    def rows(self, chosen: Selection) -> Rows:
        """The couplings of the last sweep."""
        offsets, positions, weights, caps = self._batch.couplings(chosen.programs)
        counts = np.diff(offsets)
        sizes = [len(self.slots[slot].inside) for slot in chosen.slots]
        arcs = [self._arcs[slot] for slot in chosen.slots]
        begin = np.concatenate([[0], np.cumsum([len(a) for a in arcs], dtype=np.int64)])[:-1]
        flat = np.fromiter(joined.from_iterable(arcs), dtype=np.int64)
        pair = flat[np.repeat(begin, counts) + positions] if len(positions) else np.zeros(0, dtype=np.int64)
        leak = self._constants[chosen.tasks] + np.bincount(
            np.repeat(chosen.owner, sizes), caps, minlength=len(chosen.tasks)
        )
        return Rows(np.repeat(chosen.owner, counts), pair, weights, leak)

    def functions(self, slots: Sequence[int]) -> list[tuple[float, ...]]:
        """The optimal f of the last sweep, on the states inside some programs."""
        if not slots:
            return []
        values = tuple(self._batch.functions(self._programs[slots]).tolist())
        ends = list(accumulate(len(self.slots[slot].inside) for slot in slots))
        return [values[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]

    def weights(self, slot: int) -> dict[int, float]:
        """The weights of the last sweep's coupling in one program, by pair needed."""
        _, positions, weights, _ = self._batch.couplings(self._programs[slot : slot + 1])
        arcs = self._arcs[slot]
        found: dict[int, float] = {}
        for position, weight in zip(positions.tolist(), weights.tolist(), strict=True):
            found[arcs[position]] = found.get(arcs[position], 0.0) + weight
        return found

    def couplings(
        self, chosen: Selection
    ) -> dict[int, tuple[list[tuple[int, int, float]], list[tuple[int, float]]]]:
        """The optimal (w, b) of the last sweep by slot, on states."""
        offsets, positions, weights, caps = self._batch.couplings(chosen.programs)
        found = {}
        start = 0
        ends = offsets.tolist()
        places, amounts, leaks = positions.tolist(), weights.tolist(), caps.tolist()
        for k, slot in enumerate(chosen.slots.tolist()):
            inside = self.slots[slot].inside
            size = len(inside)
            w = [
                (inside[places[a] // size], inside[places[a] % size], amounts[a])
                for a in range(ends[k], ends[k + 1])
            ]
            b = [(inside[a], leaks[start + a]) for a in range(size) if leaks[start + a] > 0.0]
            start += size
            found[slot] = (w, b)
        return found

    def bases(self, chosen: Selection) -> dict[int, tuple[list[int], list[tuple[int, int]]]]:
        """The bases of the last sweep by slot: places of the states inside, and the tight arcs."""
        places, offsets, tight = self._batch.bases(chosen.programs)
        found, start = {}, 0
        kinds, ends, arcs = places.tolist(), offsets.tolist(), tight.tolist()
        for k, slot in enumerate(chosen.slots.tolist()):
            inside = self.slots[slot].inside
            size = len(inside)
            rows = [(inside[arcs[a] // size], inside[arcs[a] % size]) for a in range(ends[k], ends[k + 1])]
            found[slot] = (kinds[start : start + size], rows)
            start += size
        return found

    def settle(self, pairs: Sequence[int], table: Floats) -> None:
        """Solve the game on some pairs in place; every other entry of the table is a boundary.

        Requires: the entries at the pairs are at most the solution; zeros will do.
        Raises: ProposalFailed, Stopped.
        """
        done = 0
        for level in self.levels(pairs):
            acyclic = [component[0] for component, cyclic in level if not cyclic]
            if acyclic:
                chosen = self.select(acyclic)
                table[chosen.pairs] = self.sweep(chosen, table).max(axis=1)
            cyclic = [pair for component, is_cyclic in level if is_cyclic for pair in component]
            if cyclic:
                self._iterate(cyclic, table)
            done += sum(len(component) for component, _ in level)
            self.run.pulse("proposal", done, len(pairs))

    def _iterate(self, pairs: list[int], table: Floats) -> None:
        """Sweep until nothing moves; where that would take long, jump to the value of the couplings."""
        chosen = self.select(pairs)
        place = np.full(len(table), -1, dtype=np.int64)
        place[chosen.pairs] = np.arange(len(pairs))
        last, wait = np.inf, _SWEEPS_BEFORE_A_JUMP
        for count in range(_MOST_SWEEPS):
            values = self.sweep(chosen, table)
            move = _move(table, chosen, values)
            table[chosen.pairs] = values.max(axis=1)
            if move <= _STILL or (move <= _NOISE and move >= 0.5 * last):
                break
            self.run.rounds += 1
            self.run.pulse("proposal", count, _MOST_SWEEPS)
            wait -= 1
            if wait <= 0:
                if _sweeps_left(move, last) > _SWEEPS_BEFORE_A_JUMP:
                    self._jump(chosen, values.argmax(axis=1), place, table)
                wait = _SWEEPS_BEFORE_A_JUMP
            last = move

    def _jump(self, chosen: Selection, best: Numbers, place: Numbers, table: Floats) -> None:
        """Move the table to the value of the last sweep's couplings, if that is nearer to a fixed point."""
        value = self._evaluate(chosen, best, place, table)
        if value is None:
            return
        trial = table.copy()
        trial[chosen.pairs] = value
        here = _move(table, chosen, self.sweep(chosen, table))
        if _move(trial, chosen, self.sweep(chosen, trial)) < here:
            table[chosen.pairs] = value

    def _evaluate(self, chosen: Selection, best: Numbers, place: Numbers, table: Floats) -> Floats | None:
        """The value of the couplings of the last sweep in the better directions, as far as it is cheap."""
        rows = self.rows(chosen)
        wanted = np.arange(len(chosen.pairs)) * self.directions + best
        kept = wanted[rows.task // self.directions] == rows.task
        task, pair, weight = rows.task[kept] // self.directions, rows.pair[kept], rows.weight[kept]
        inner = place[pair]
        outer = inner < 0
        fixed = rows.leak[wanted] + np.bincount(
            task[outer], weight[outer] * table[pair[outer]], minlength=len(wanted)
        )
        task, inner, weight = task[~outer], inner[~outer], weight[~outer]
        if len(wanted) <= _DENSE:
            matrix = np.eye(len(wanted))
            np.subtract.at(matrix, (task, inner), weight)
            try:
                solved = np.linalg.solve(matrix, fixed)
            except np.linalg.LinAlgError:
                return None
            fits = np.isfinite(solved).all() and solved.min() >= -1e-12 and solved.max() <= 1 + 1e-9
            return np.asarray(np.clip(solved, 0.0, 1.0)) if fits else None
        values = table[chosen.pairs]
        for _ in range(_EVALUATIONS):
            values = fixed + np.bincount(task, weight * values[inner], minlength=len(wanted))
        return np.asarray(np.clip(values, 0.0, 1.0))

    def levels(self, pairs: Sequence[int]) -> list[list[tuple[list[int], bool]]]:
        """Strongly connected components by level: each depends only on components of lower levels."""
        place = {pair: k for k, pair in enumerate(pairs)}
        successors: list[list[int]] = []
        for pair in pairs:
            first = self._first_slot[pair * self.directions]
            last = self._first_slot[(pair + 1) * self.directions]
            targets = {q for slot in range(first, last) for q in self._arcs[slot]}
            successors.append([place[q] for q in targets if q in place])
        level_of = [0] * len(pairs)
        levels: list[list[tuple[list[int], bool]]] = []
        for component in strongly_connected_components(successors):
            members = set(component)
            level = 1 + max(
                (level_of[q] for p in component for q in successors[p] if q not in members), default=-1
            )
            for p in component:
                level_of[p] = level
            while len(levels) <= level:
                levels.append([])
            cyclic = len(component) > 1 or component[0] in successors[component[0]]
            levels[level].append(([pairs[p] for p in component], cyclic))
        return levels

    def _submit(self, slots: list[int]) -> None:
        number = self.space.number
        sizes: list[int] = []
        costs: list[float] = []
        flat: list[int] = []
        first = len(self._batch)
        for k, slot in enumerate(slots):
            program = self.slots[slot]
            arcs = [-1 if i == j else number[i, j] for i in program.inside for j in program.inside]
            sizes.append(len(program.inside))
            costs.extend(program.costs)
            flat.extend(arcs)
            self._arcs[slot] = arcs
            self._program[slot] = first + k
        if slots:
            self._batch.append(
                np.array(sizes, dtype=np.int32),
                np.array(costs, dtype=np.float64),
                np.array(flat, dtype=np.int32),
            )
        self._programs = np.array(self._program, dtype=np.int32)

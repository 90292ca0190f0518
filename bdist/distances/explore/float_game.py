"""The game in floating point: a proposal for every pair, direction and coupling, to be checked by rationals.

A table is an array of floats, one a pair that has a name. A pair that is *explored* has a *task* a direction;
it consists of a constant (the labels on which the objective has one sign) and of the linear programs of its
mixed labels, each over the states *inside* it. The programs go to the kernel in batches. A pair that is named
only has an entry in the table that nothing changes: its lower bound by words, or 1.

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

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from bdist.distances.explore.supports import Components, new_supports
from bdist.distances.explore.words import WordBounds
from bdist.distances.pairs import Direction, PairSpace
from bdist.distances.run import Run
from bdist.errors import BdistError, InternalError
from bdist.exact.rationals import approximate
from bdist.lp.batch import new_batch, solve_dense

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from bdist.distances.explore.proposal import Proposal

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_STILL = 2e-15  # a sweep that moves nothing by more is the last one
_NOISE = 1e-13  # a sweep that moves nothing by more, and no less than the last, is the last one
_MOST_SWEEPS = 5_000
_FEW_SWEEPS = 4
_SWEEPS_BEFORE_A_JUMP = 12
_DENSE = 1_500  # the largest component whose policies are evaluated by a dense solve
_BETWEEN_LOOKS = 4_096  # pairs explored from one look at the budget to the next
_EVALUATIONS = 100  # cheap sweeps in place of a solve, in a larger component


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


@dataclass(frozen=True)
class Taken:
    """What functions take of the distances of pairs, f_i - alpha f_j where it is positive, with the weight
    that the coupling puts there; ``owner`` is the place of the pair whose function it is.
    """

    owner: Numbers
    pair: Numbers
    amount: Floats
    weight: Floats


def _move(table: Floats, chosen: Selection, values: Floats) -> float:
    """By how much a sweep moves the table, at most."""
    return float(np.abs(values.max(axis=1) - table[chosen.pairs]).max())


def _sweeps_left(move: float, last: float) -> float:
    """How many sweeps it will take at the present rate."""
    rate = move / last
    return log(_STILL / move) / log(rate) if 0.0 < rate < 1.0 else float("inf")


class _Column:
    """An array that grows at its end."""

    def __init__(self, kind: Any) -> None:
        self._data: NDArray[Any] = np.zeros(64, dtype=kind)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def all(self) -> NDArray[Any]:
        """What is in it."""
        return self._data[: self._size]

    def extend(self, values: ArrayLike) -> None:
        """Add values at the end."""
        added = np.asarray(values, dtype=self._data.dtype)
        size = self._size + len(added)
        if size > len(self._data):
            grown = np.zeros(2 * size, dtype=self._data.dtype)
            grown[: self._size] = self.all
            self._data = grown
        self._data[self._size : size] = added
        self._size = size


def spans(starts: Numbers, counts: Numbers) -> Numbers:
    """The positions of some runs of an array, one run after another."""
    first = np.cumsum(counts) - counts
    return np.asarray(np.arange(int(counts.sum())) - np.repeat(first - starts, counts), dtype=np.int64)


class FloatGame:
    """The tasks of the pairs that were explored, and the kernel's programs for them."""

    def __init__(self, run: Run, words: WordBounds, engine: str, threads: int) -> None:
        self.run = run
        self.space: PairSpace = run.space
        self.words = words
        self.alpha = approximate(self.space.alpha)
        self.engine, self.threads = engine, threads
        self._supports = new_supports(self.space.chain, self.space.alpha, engine, ordered=self.space.ordered)
        self._batch = new_batch(self.alpha, engine)
        self._explored = _Column(np.int64)
        self._place = _Column(np.int64)  # of each pair among the explored ones, or -1
        self._floor = _Column(np.float64)
        self._constants = _Column(np.float64)  # of tasks
        self._first_slot = _Column(np.int64)  # of tasks, and one more
        self._first_slot.extend([0])
        self._program = _Column(np.int32)  # of slots, and so on
        self._size = _Column(np.int64)
        self._inside_from = _Column(np.int64)
        self._arcs_from = _Column(np.int64)
        self._inside = _Column(np.int32)  # states, slot by slot
        self._costs = _Column(np.float64)
        self._arcs = _Column(np.int32)  # n x n pair numbers, row by row
        self.proposal: Proposal | None = None  # the last one, for whoever is cut short
        first, second = np.array(self.space.pairs, dtype=np.int32).reshape(-1, 2).T.copy()
        self._supports.name(first, second)
        self._note_names(0)

    @property
    def directions(self) -> int:
        """How many tasks a pair has."""
        return len(self.space.directions)

    @property
    def floor(self) -> Floats:
        """The lower bound by words, of each pair."""
        return self._floor.all

    @property
    def explored(self) -> Numbers:
        """The pairs that have tasks, in the order in which they got them."""
        return self._explored.all

    def is_explored(self, pairs: Numbers | Sequence[int]) -> NDArray[np.bool_]:
        """Which of some pairs have tasks."""
        return np.asarray(self._place.all[pairs] >= 0)

    def has_explored(self, arc: tuple[int, int]) -> bool:
        """Whether a pair of states has tasks."""
        number = self.space.number.get(arc)
        return number is not None and bool(self._place.all[number] >= 0)

    def name(self, arcs: Sequence[tuple[int, int]]) -> Numbers:
        """The numbers of pairs of two states with one label, which get one where they have none."""
        named = len(self.space)
        first, second = np.array(arcs, dtype=np.int32).reshape(-1, 2).T.copy()
        numbers = self._supports.name(first, second)
        fresh = {int(n): arc for n, arc in zip(numbers, arcs, strict=True) if n >= named}
        self.space.explore(fresh[number] for number in range(named, named + len(fresh)))
        self._note_names(named)
        return np.asarray(numbers, dtype=np.int64)

    def explore(self, pairs: Numbers) -> Numbers:
        """Make tasks for those of some pairs that have none, and name the pairs that these mention.

        Returns: the pairs that were explored. Raises: Stopped.
        """
        fresh = np.unique(pairs[self._place.all[pairs] < 0])
        for begin in range(0, len(fresh), _BETWEEN_LOOKS):
            self.run.pulse("exploration", len(self._explored), len(self.space))
            self._explore(fresh[begin : begin + _BETWEEN_LOOKS])
        return fresh

    def _explore(self, pairs: Numbers) -> None:
        named = len(self.space)
        constants, counts, sizes, inside, costs, arcs, first, second = self._supports.explore(
            pairs.astype(np.int32)
        )
        self._place.all[pairs] = len(self._explored) + np.arange(len(pairs))
        self._explored.extend(pairs)
        self.run.pairs = len(self._explored)
        self._constants.extend(constants)
        self._first_slot.extend(self._first_slot.all[-1] + np.cumsum(counts))
        self._program.extend(len(self._batch) + np.arange(len(sizes)))
        self._note_programs(sizes, inside, costs, arcs)
        self._batch.append(sizes, costs, arcs)
        self.space.explore(zip(first.tolist(), second.tolist(), strict=True))
        self._note_names(named)

    def _note_programs(self, sizes: ArrayLike, inside: ArrayLike, costs: ArrayLike, arcs: ArrayLike) -> None:
        many = np.asarray(sizes, dtype=np.int64)
        self._size.extend(many)
        self._inside_from.extend(len(self._inside) + np.cumsum(many) - many)
        self._arcs_from.extend(len(self._arcs) + np.cumsum(many**2) - many**2)
        self._inside.extend(inside)
        self._costs.extend(costs)
        self._arcs.extend(arcs)

    def _note_names(self, first: int) -> None:
        """What every pair has that got a name, from a number on."""
        names = self.space.pairs[first:]
        if len(self.space) != len(self._place) + len(names):
            raise InternalError("the kernel and the space of pairs number them differently")
        self._place.extend(np.full(len(names), -1))
        floor = np.zeros(len(names))
        by_state: dict[int, list[int]] = defaultdict(list)
        for k, (i, _) in enumerate(names):
            by_state[i].append(k)
        for i, members in by_state.items():  # for bd a row holds the larger direction
            floor[members] = self.words.row_approx(i)[[self.words.place(names[k][1]) for k in members]]
        self._floor.extend(floor)

    def widen(self, slot: int, states: Iterable[int]) -> None:
        """Put more states inside a program."""
        old = self.slot(slot)
        inside = (*old.inside, *(k for k in states if k not in old.inside))
        costs = np.array([*old.costs, *[0.0] * (len(inside) - len(old.costs))])
        arcs = np.full((len(inside), len(inside)), -1, dtype=np.int32)
        places = list(permutations(range(len(inside)), 2))
        arcs[tuple(zip(*places, strict=True))] = self.name([(inside[a], inside[b]) for a, b in places])
        self._program.all[slot] = len(self._batch)
        self._size.all[slot] = len(inside)
        self._inside_from.all[slot] = len(self._inside)
        self._arcs_from.all[slot] = len(self._arcs)
        self._inside.extend(inside)
        self._costs.extend(costs)
        self._arcs.extend(arcs.ravel())
        self._batch.append(np.array([len(inside)], dtype=np.int32), costs, arcs.ravel())

    def inside(self, slot: int) -> tuple[int, ...]:
        """The states of a program."""
        begin = self._inside_from.all[slot]
        return tuple(self._inside.all[begin : begin + self._size.all[slot]].tolist())

    def slot(self, slot: int) -> Slot:
        """A program with its label and its coefficients."""
        inside = self.inside(slot)
        begin = self._inside_from.all[slot]
        chain = self.space.chain
        costs = tuple(self._costs.all[begin : begin + len(inside)].tolist())
        return Slot(chain.states_by_label[chain.labels[inside[0]]], inside, costs)

    def slots_of(self, pair: int, direction: Direction) -> range:
        """The programs of a task. Requires: the pair is explored."""
        task = int(self._place.all[pair]) * self.directions + direction
        first, last = self._first_slot.all[task : task + 2].tolist()
        return range(first, last)

    def select(self, pairs: Sequence[int] | Numbers) -> Selection:
        """Gather what sweeps over some pairs need. Requires: they are explored."""
        chosen = np.asarray(pairs, dtype=np.int64)
        tasks = (self._place.all[chosen][:, None] * self.directions + np.arange(self.directions)).ravel()
        starts = self._first_slot.all[tasks]
        counts = self._first_slot.all[tasks + 1] - starts
        slots = spans(starts, counts)
        return Selection(
            chosen, tasks, slots, self._program.all[slots], np.repeat(np.arange(len(tasks)), counts)
        )

    def sweep(self, chosen: Selection, table: Floats) -> Floats:
        """The directed lifts of a table, one row a pair and one column a direction."""
        values = self._batch.solve(chosen.programs, table, self.threads)
        self.run.tally.solved += len(chosen.programs)
        if np.isnan(values).any():
            raise ProposalFailed("a linear program defeated floating point")
        sums = np.bincount(chosen.owner, values, minlength=len(chosen.tasks))
        return np.asarray((self._constants.all[chosen.tasks] + sums).reshape(-1, self.directions))

    def rows(self, chosen: Selection) -> Rows:
        """The couplings of the last sweep."""
        offsets, positions, weights, caps = self._batch.couplings(chosen.programs)
        counts = np.diff(offsets)
        pair = self._arcs.all[np.repeat(self._arcs_from.all[chosen.slots], counts) + positions]
        leaks = np.bincount(
            np.repeat(chosen.owner, self._size.all[chosen.slots]), caps, minlength=len(chosen.tasks)
        )
        leak: Floats = self._constants.all[chosen.tasks] + leaks
        return Rows(np.repeat(chosen.owner, counts), pair.astype(np.int64), weights, leak)

    def functions(self, slots: Sequence[int]) -> list[tuple[float, ...]]:
        """The optimal f of the last sweep, on the states inside some programs."""
        if not slots:
            return []
        values = tuple(self._batch.functions(self._program.all[slots]).tolist())
        ends = np.cumsum(self._size.all[slots]).tolist()
        return [values[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]

    def taken(self, pairs: Numbers, directions: Numbers) -> Taken:
        """What the optimal f of the last sweep take of distances, and what the couplings put there."""
        tasks = self._place.all[pairs] * self.directions + directions
        starts = self._first_slot.all[tasks]
        counts = self._first_slot.all[tasks + 1] - starts
        slots = spans(starts, counts)
        programs, sizes = self._program.all[slots], self._size.all[slots]
        arcs = spans(self._arcs_from.all[slots], sizes**2)
        first = np.cumsum(sizes**2) - sizes**2  # of each slot's arcs among them
        place = np.arange(len(arcs)) - np.repeat(first, sizes**2)
        size = np.repeat(sizes, sizes**2)
        begin = np.repeat(np.cumsum(sizes) - sizes, sizes**2)
        f = self._batch.functions(programs)
        amount = f[begin + place // size] - self.alpha * f[begin + place % size]
        offsets, positions, weights, _ = self._batch.couplings(programs)
        weight = np.zeros(len(arcs))
        weight[np.repeat(first, np.diff(offsets)) + positions] = weights
        owner = np.repeat(np.repeat(np.arange(len(pairs)), counts), sizes**2)
        pair = self._arcs.all[arcs].astype(np.int64)
        there = (pair >= 0) & (amount > 0.0)
        return Taken(owner[there], pair[there], amount[there], weight[there])

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
            inside = self.inside(slot)
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
            inside = self.inside(slot)
            size = len(inside)
            rows = [(inside[arcs[a] // size], inside[arcs[a] % size]) for a in range(ends[k], ends[k + 1])]
            found[slot] = (kinds[start : start + size], rows)
            start += size
        return found

    def settle(self, pairs: Sequence[int] | Numbers, table: Floats, *, roughly: bool = False) -> None:
        """Solve the game on some pairs in place; every other entry of the table is a boundary.

        Requires: the entries at the pairs are at most the solution; zeros will do. Ensures: so they are
        again; ``roughly`` takes a few sweeps only, in the order of the last couplings.
        Raises: ProposalFailed, Stopped.
        """
        chosen = np.asarray(pairs, dtype=np.int64)
        if roughly and len(chosen):
            selected = self.select(chosen)
            table[chosen] = self.sweep(selected, table).max(axis=1)
            graph = self.coupled(selected)
        else:
            graph = self.graph(chosen)
        order = np.argsort(graph.level, kind="stable")
        for begin, end in pairwise([0, *np.cumsum(np.bincount(graph.level)).tolist()]):
            level = order[begin:end]
            acyclic, cyclic = chosen[level[~graph.cyclic[level]]], chosen[level[graph.cyclic[level]]]
            if len(acyclic):
                selected = self.select(acyclic)
                table[acyclic] = self.sweep(selected, table).max(axis=1)
            if len(cyclic):
                self._iterate(cyclic, table, _FEW_SWEEPS if roughly else _MOST_SWEEPS)
            self.run.pulse("proposal", int(end), len(chosen))

    def arcs(self, chosen: Selection) -> Numbers:
        """How many arcs the programs of each pair have."""
        counts = self._size.all[chosen.slots] ** 2
        found = np.bincount(chosen.owner // self.directions, counts, minlength=len(chosen.pairs))
        return found.astype(np.int64)

    def graph(self, pairs: Numbers) -> Components:
        """How explored pairs depend on each other by their programs."""
        place = np.full(len(self.space), -1, dtype=np.int32)
        place[pairs] = np.arange(len(pairs))
        chosen = self.select(pairs)
        counts = self._size.all[chosen.slots] ** 2
        arcs = self._arcs.all[spans(self._arcs_from.all[chosen.slots], counts)]
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.arcs(chosen))])
        return Components.of(starts, np.where(arcs >= 0, place[arcs], -1).astype(np.int32))

    def coupled(self, chosen: Selection) -> Components:
        """How pairs depend on each other by the couplings of the last sweep."""
        return Components.of(*self._couplings_among(chosen))

    def lengths(self, chosen: Selection) -> Numbers:
        """About how many digits the exact value of each pair has: one for each pair of the circles and of the
        longest way by which it depends on others, by the couplings of the last sweep.
        """
        starts, targets = self._couplings_among(chosen)
        component = Components.of(starts, targets).component
        source = component[np.repeat(np.arange(len(chosen.pairs)), np.diff(starts))]
        edges = np.unique(np.stack([source, component[targets]])[:, targets >= 0], axis=1)
        size = np.bincount(component).tolist()
        below = [0] * len(size)
        length = list(size)
        for c, d in edges.T.tolist():  # by c; what a component leads to has a smaller number, and is done
            if d != c:
                below[c] = max(below[c], length[d])
                length[c] = size[c] + below[c]
        return np.array(length, dtype=np.int64)[component]

    def _couplings_among(self, chosen: Selection) -> tuple[Numbers, NDArray[np.int32]]:
        rows = self.rows(chosen)
        place = np.full(len(self.space), -1, dtype=np.int32)
        place[chosen.pairs] = np.arange(len(chosen.pairs))
        source = rows.task // self.directions
        order = np.argsort(source, kind="stable")
        starts = np.searchsorted(source[order], np.arange(len(chosen.pairs) + 1))
        return starts.astype(np.int64), place[rows.pair[order]]

    def _iterate(self, pairs: Numbers, table: Floats, most: int) -> None:
        """Sweep until nothing moves; where that would take long, jump to the value of the couplings."""
        chosen = self.select(pairs)
        place = np.full(len(table), -1, dtype=np.int64)
        place[chosen.pairs] = np.arange(len(pairs))
        last, wait = np.inf, _SWEEPS_BEFORE_A_JUMP
        for count in range(most):
            values = self.sweep(chosen, table)
            move = _move(table, chosen, values)
            table[chosen.pairs] = values.max(axis=1)
            if move <= _STILL or (move <= _NOISE and move >= 0.5 * last):
                break
            self.run.rounds += 1
            self.run.pulse("proposal", count, most)
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
            solved = solve_dense(matrix, fixed)
            if solved is None:
                return None
            fits = np.isfinite(solved).all() and solved.min() >= -1e-12 and solved.max() <= 1 + 1e-9
            return np.asarray(np.clip(solved, 0.0, 1.0)) if fits else None
        values = table[chosen.pairs]
        for _ in range(_EVALUATIONS):
            values = fixed + np.bincount(task, weight * values[inner], minlength=len(wanted))
        return np.asarray(np.clip(values, 0.0, 1.0))

"""Functions that prove lower bounds: for each pair that matters one that extends to all states of its labels.

The kernel hands over one optimal f of a program over the states of the supports. What it needs of the states
outside, it often does not get, though another f of the same value would: with many states that behave nearly
alike, as the states of a survey with one start a vector of answers, almost always. So the states in the way
join the program *at the lower bounds that are known already* and it is solved again; their pairs need not be
explored for that. If the value stays, the new f is as good and extends further; a few rounds are enough.

If the value falls, the coupling that is now cheaper says why: it runs over pairs whose known bounds are too
small. They are explored, and proved before the present one; and if they all are, the detour is real: the
outside states join the program for good.

Pairs that depend on each other in circles are taken at their proposed values, all of them together. To treat
a pair in progress as if nothing were known of it would find conflicts that are none, and wrong values.

Tried besides: what the function f of a pair shows of others (e = P f gives e_x - alpha e_y for *all* x and y
of one label), asked before a pair is explored. With extensions as they come, from the middle of what is
possible, it saved a tenth of the pairs and cost more than it saved. Tried instead: explore the pairs of all
paths that are too short for the first f. On a survey of five questions that explores 1,500 pairs where the
supports lead to 60.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from bdist.certificates.document import Potential
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.explore.bounds import Arc, Distances
from bdist.distances.explore.float_game import FloatGame, ProposalFailed, Slot
from bdist.distances.explore.grid import GRID
from bdist.distances.pairs import Direction
from bdist.exact.rationals import to_fraction
from bdist.lp.batch import Batch, new_batch
from bdist.lp.extension import EXTENDED, OBSTRUCTED, Extended, Grid, extend

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST_ROUNDS = 60  # of a program that grows
_MOST_PLANS = 200
_LEAST_WEIGHT = 1e-9  # of an arc that a coupling is said to use
_LOST = 1e-14  # a value that falls by less has not fallen
_GAIN = 1e-9  # by how much a function must show more of a pair than is known
_NEEDED = 1e-12  # a function that takes less than this beyond the words does not need the pair
DOUBT = 1e-11  # what floats may be wrong by; a conflict within that is left to rationals


@dataclass(frozen=True)
class Proposal:
    """A table in floating point with the direction that is better at each pair; the kernel holds the rest."""

    game: FloatGame
    table: Floats
    best: NDArray[np.int64]

    def direction(self, pair: int) -> Direction:
        """The proposed direction of a pair."""
        return Direction(int(self.best[pair]))

    def ends(self, pair: int) -> Arc:
        """The two states of a pair, in the order in which its function tells them apart."""
        i, j = self.game.space.pairs[pair]
        return (i, j) if self.direction(pair) is Direction.FORWARD else (j, i)


@dataclass(frozen=True)
class Part:
    """A function on the states of one label: named values, a range for the rest, the pairs it needs.

    ``inside`` are the states of its program, which is the game's own, or number ``wide`` of the wider ones.
    """

    inside: tuple[int, ...]
    wide: int | None
    values: dict[int, float]
    extended: Extended
    needs: tuple[Arc, ...]


@dataclass(frozen=True)
class Conflict:
    """A cheaper coupling over states outside a program: the arcs that it uses, and those states."""

    arcs: tuple[Arc, ...]
    outside: tuple[int, ...]


@dataclass
class Plan:
    """Functions by program, and what does not extend."""

    proposal: Proposal
    parts: dict[int, Part] = field(default_factory=dict)
    conflicts: dict[int, Conflict] = field(default_factory=dict)
    levels: dict[int, int] = field(default_factory=dict)  # of pairs
    pair_of: dict[int, int] = field(default_factory=dict)  # of programs
    learnt: set[int] = field(default_factory=set)  # programs whose conflicts more knowledge may resolve
    all_explored: bool = True  # whether every explored pair may be used

    def slots(self, pair: int) -> range:
        """The programs of a pair in its direction."""
        return self.proposal.game.slots_of(pair, self.proposal.direction(pair))

    def needs(self, pair: int) -> set[int]:
        """The pairs whose functions that of a pair leans on."""
        number = self.proposal.game.space.number
        parts = (self.parts[slot] for slot in self.slots(pair) if slot in self.parts)
        return {number[arc] for part in parts for arc in part.needs}

    def closure(self, queries: Iterable[int]) -> list[int]:
        """The pairs whose functions bounds at some pairs need."""
        found = dict.fromkeys(queries)
        waiting = list(found)
        while waiting:
            for needed in self.needs(waiting.pop()):
                if needed not in found:
                    found[needed] = None
                    waiting.append(needed)
        return list(found)


def settle_all(game: FloatGame) -> Proposal:
    """The float game on all explored pairs, from the lower bounds by words."""
    table = game.floor.copy()
    everything = range(len(game.space))
    game.settle(everything, table)
    values = game.sweep(game.select(everything), table)
    game.proposal = Proposal(game, table, values.argmax(axis=1))
    return game.proposal


def leaning(proposal: Proposal, queries: Iterable[int]) -> list[int]:
    """The pairs that the functions of the last sweep lead to from some, where words are not enough."""
    game, alpha = proposal.game, proposal.game.alpha
    number, floor, table = game.space.number, game.floor, proposal.table
    found = {pair: None for pair in queries if table[pair] > floor[pair] + _NEEDED}
    waiting = list(found)
    while waiting:
        pair = waiting.pop()
        game.run.budget.check()
        for slot in game.slots_of(pair, proposal.direction(pair)):
            f = game.function(slot).tolist()
            inside = game.slots[slot].inside
            for i, x in zip(inside, f, strict=True):
                for j, y in zip(inside, f, strict=True):
                    taken = x - alpha * y
                    if taken > 0.0 and i != j:
                        needed = number[i, j]
                        short = min(taken, table[needed]) > floor[needed] + _NEEDED
                        if short and needed not in found:
                            found[needed] = None
                            waiting.append(needed)
    return list(found)


class Detour(Exception):
    """States outside the supports lower a distance, in a chain that was to have none such."""


@dataclass
class _Task:
    """A program whose function is to be extended."""

    slot: int
    program: Slot
    inside: tuple[int, ...]
    f: list[float]
    least: float  # the value that it must have
    wide: int | None = None
    rounds: int = 0

    def __post_init__(self) -> None:
        self.first = tuple(round(x, 11) for x in self.f)


@dataclass(frozen=True)
class _Earlier:
    """What became of a program's function in an earlier plan, with what was known of the pairs it needed."""

    first: tuple[float, ...]
    part: Part
    needs: NDArray[np.int64]
    known: Floats


class Planner:
    """Finds functions that extend; keeps the wider programs, and what was learnt of who depends on whom."""

    def __init__(
        self, game: FloatGame, distances: Distances | None = None, *, no_detours: bool = False
    ) -> None:
        self.game = game
        self.no_detours = no_detours
        self._first: Proposal | None = None
        space = game.space
        self.distances = distances or Distances(space.chain, game.words, ordered=space.ordered)
        self.wanted: set[int] = set()
        self._further: dict[int, set[int]] = {}  # pairs that functions lean on beyond those of their supports
        self._wide: dict[tuple[int, ...], Batch] = {}
        self._earlier: dict[int, _Earlier] = {}  # by program
        self._rounds = 0
        self._margin, self._grid = 0.0, False
        self._on_grid = Grid.of(to_fraction(space.alpha))
        self._spare: Floats | None = None

    def complete(
        self,
        proposal: Proposal,
        queries: Iterable[int],
        margin: float,
        *,
        grid: bool = False,
        spare: Floats | None = None,
        kept: Iterable[int] | None = None,
    ) -> Plan:
        """Functions for the queries and for all that these lean on, from those of the kernel's last sweep.

        Distances are those of the proposal's table, at ``kept`` only some pairs if that is given. A pair may
        lose ``spare`` of its value. What is left of conflicts needs unexplored pairs, or wider programs.
        Raises: ProposalFailed, Stopped.
        """
        number = self.game.space.number
        if kept is None:
            self.wanted.update(leaning(proposal, {*queries, *self.wanted}))
        else:
            self.wanted = set(kept)
        while True:
            self._rounds += 1
            if self._rounds > _MOST_PLANS:
                raise ProposalFailed(f"functions still do not extend after {_MOST_PLANS} attempts")
            plan = self.plan(proposal, sorted(self.wanted), margin, grid=grid, spare=spare)
            plan.all_explored = kept is None
            self._learn(plan)
            if not plan.learnt or any(arc not in number for c in plan.conflicts.values() for arc in c.arcs):
                return plan

    def _learn(self, plan: Plan) -> None:
        """Note on which pairs programs depend besides those of their supports, as conflicts show it."""
        number = self.game.space.number
        fresh: set[int] = set()
        for slot, conflict in plan.conflicts.items():
            pair = plan.pair_of[slot]
            further = self._further.setdefault(pair, set())
            level = plan.levels[pair]
            for arc in conflict.arcs:
                other = number.get(arc)
                if other is not None and other not in further and plan.levels.get(other, level + 1) > level:
                    further.add(other)
                    fresh.add(other)
                    plan.learnt.add(slot)
        self.wanted.update(leaning(plan.proposal, fresh) if plan.all_explored else fresh)

    def plan(
        self,
        proposal: Proposal,
        pairs: Sequence[int],
        margin: float,
        *,
        grid: bool = False,
        spare: Floats | None = None,
    ) -> Plan:
        """Functions for some pairs in their directions; of other pairs only the words are known.

        A function that is about the same as in an earlier plan, and leans on what is known as well as then,
        is taken over, unless it is to be on the grid.
        """
        game = self.game
        self.distances.forget()
        self._margin, self._grid, self._spare = margin, grid, spare
        plan = Plan(proposal)
        laid = np.zeros(len(game.space), dtype=bool)
        for height, level in enumerate(game.levels(pairs, self._further)):
            members = [pair for component, _ in level for pair in component]
            game.run.pulse("functions", len(plan.parts), len(pairs))
            self.distances.lay((game.space.pairs[pair] for pair in members), proposal.table[members].tolist())
            plan.levels.update(dict.fromkeys(members, height))
            laid[members] = True
            tasks = []
            for pair in members:
                for slot in plan.slots(pair):
                    plan.pair_of[slot] = pair
                    task = self._task(plan, pair, slot)
                    if not self._taken_over(plan, task, laid):
                        tasks.append(task)
            self._extend_all(plan, tasks)
        return plan

    def resolve(self, plan: Plan) -> None:
        """Explore the pairs among the states that cheaper couplings use; where they are explored, widen the
        programs. (The pairs of the couplings alone would do, and take twice as many rounds.)
        """
        space = self.game.space
        missing: set[Arc] = set()
        real: dict[int, Conflict] = {}
        for slot, conflict in plan.conflicts.items():
            if any(arc not in space.number for arc in conflict.arcs):
                missing.update(permutations(dict.fromkeys(k for arc in conflict.arcs for k in arc), 2))
            elif slot not in plan.learnt:
                real[slot] = conflict
        for slot, conflict in real.items():
            missing.update(permutations((*self.game.slots[slot].inside, *conflict.outside), 2))
        space.explore(sorted(missing))
        self.game.synchronise()
        for slot, conflict in real.items():
            self.game.widen(slot, conflict.outside)

    def positive(self, slots: Iterable[int], proposal: Proposal, least: float) -> dict[int, Part]:
        """Functions of some programs, on the grid, that gain at least so much; for programs that have one."""
        self._margin, self._grid = 0.0, True
        plan = Plan(proposal)
        programs = self.game.slots
        tasks = [_Task(slot, programs[slot], programs[slot].inside, [], least) for slot in slots]
        self._extend_all(plan, tasks)
        return plan.parts

    def stay_above(self, proposal: Proposal, queries: Iterable[int]) -> None:
        """Note that a proposal was made. Raises: Detour where detours have lowered a query and may not."""
        first = self._first = self._first or proposal
        if self.no_detours and any(proposal.table[q] < first.table[q] - DOUBT for q in queries):
            raise Detour

    def basis(self, part: Part, members: tuple[int, ...]) -> tuple[list[int], list[Arc]]:
        """The basis of a wider program: the places of its states, and its tight arcs."""
        places, _, tight = self._wide[members].bases(np.array([part.wide], dtype=np.int32))
        size = len(part.inside)
        return places.tolist(), [(part.inside[a // size], part.inside[a % size]) for a in tight.tolist()]

    def _taken_over(self, plan: Plan, task: _Task, laid: NDArray[np.bool_]) -> bool:
        """Whether an earlier plan has an extension of the same function that still holds."""
        earlier = self._earlier.get(task.slot)
        if earlier is None or self._grid or earlier.first != task.first:
            return False
        table = plan.proposal.table
        if not laid[earlier.needs].all() or (table[earlier.needs] < earlier.known - DOUBT).any():
            return False
        plan.parts[task.slot] = earlier.part
        return True

    def _task(self, plan: Plan, pair: int, slot: int) -> _Task:
        program = self.game.slots[slot]
        f = self.game.function(slot).tolist()
        value = sum(c * x for c, x in zip(program.costs, f, strict=True))
        lost = _LOST if self._spare is None else float(self._spare[pair]) / (2 * len(plan.slots(pair)))
        return _Task(slot, program, program.inside, f, value - lost)

    def _extend_all(self, plan: Plan, tasks: list[_Task]) -> None:
        """Extend the functions of some programs, each as far as it takes."""
        number = self.game.space.number
        by_label: dict[tuple[int, ...], list[_Task]] = defaultdict(list)
        for task in tasks:
            by_label[task.program.members].append(task)
        for members, waiting in by_label.items():
            place = self.distances.place(members)
            while waiting:
                self.game.run.budget.check()
                self._solve_wider(plan, members, [t for t in waiting if len(t.inside) > len(t.f)])
                waiting = [task for task in waiting if task.slot not in plan.conflicts]
                rows = self.distances.of(members, (k for task in waiting for k in task.inside))
                found = extend(
                    rows,
                    [([place[k] for k in task.inside], task.f) for task in waiting],
                    self.game.alpha,
                    self._margin,
                    self._on_grid if self._grid else None,
                    self.game.threads,
                )
                again: list[_Task] = []
                for task, result in zip(waiting, found, strict=True):
                    states = [members[k] for k in result.named]
                    if result.status == EXTENDED:
                        part = plan.parts[task.slot] = _part(task, result, members)
                        if not self._grid:
                            needs = np.array([number[arc] for arc in part.needs], dtype=np.int64)
                            known = plan.proposal.table[needs]
                            self._earlier[task.slot] = _Earlier(task.first, part, needs, known)
                    elif result.status == OBSTRUCTED:
                        fresh = tuple(k for k in states if k not in task.inside)
                        task.inside += fresh
                        task.rounds += 1
                        if fresh and task.rounds <= _MOST_ROUNDS:
                            again.append(task)
                        else:
                            plan.conflicts[task.slot] = _conflict(task, permutations(task.inside, 2))
                    else:
                        self.distances.of(members, states)
                        again.append(task)
                waiting = again

    def _solve_wider(self, plan: Plan, members: tuple[int, ...], tasks: list[_Task]) -> None:
        """New functions of programs whose states have become more; those that lose value are conflicts."""
        if not tasks:
            return
        rows = self.distances.of(members, (k for task in tasks for k in task.inside))
        place = self.distances.place(members)
        batch = self._wide.setdefault(members, new_batch(self.game.alpha, self.game.engine))
        sizes: list[int] = []
        costs: list[float] = []
        numbers: list[NDArray[np.int32]] = []
        for task in tasks:
            at = np.array([place[k] for k in task.inside])
            arcs = rows.index[at][:, None] * np.int32(len(members)) + at[None, :]
            np.fill_diagonal(arcs, -1)
            task.wide = len(batch) + len(sizes)
            sizes.append(len(at))
            costs.extend([*task.program.costs, *[0.0] * (len(at) - len(task.program.costs))])
            numbers.append(arcs.ravel())
        batch.append(
            np.array(sizes, dtype=np.int32),
            np.array(costs, dtype=np.float64),
            np.concatenate(numbers).astype(np.int32),
        )
        known = self.distances.of(members).known
        programs = np.array([task.wide for task in tasks], dtype=np.int32)
        values = batch.solve(programs, known.ravel(), self.game.threads).tolist()
        self.game.run.tally.solved += len(tasks)
        for task, value in zip(tasks, values, strict=True):
            if value >= task.least:
                task.f = batch.functions(np.array([task.wide], dtype=np.int32)).tolist()
                continue
            failed = value != value
            arcs = permutations(task.inside, 2) if failed else self._used(batch, task)
            plan.conflicts[task.slot] = _conflict(task, arcs)

    def _used(self, batch: Batch, task: _Task) -> list[Arc]:
        _, positions, weights, _ = batch.couplings(np.array([task.wide], dtype=np.int32))
        size = len(task.inside)
        used = positions[weights > _LEAST_WEIGHT].tolist()
        return [(task.inside[a // size], task.inside[a % size]) for a in used]


def on_grid(chain: LabelledMarkovChain, parts: Iterable[Part], ones: Iterable[str] = ()) -> Potential:
    """Functions on several labels, on the grid, as certificates have them; 1 on some labels."""
    named: list[tuple[int, int]] = []
    rest = [(label, GRID) for label in ones]
    for part in parts:
        others = int(part.extended.value * GRID)
        if others:
            rest.append((chain.labels[part.inside[0]], others))
        named += [(k, value) for k, x in part.values.items() if (value := int(x * GRID)) != others]
    return Potential(GRID, tuple(named), tuple(rest))


def _part(task: _Task, result: Extended, members: tuple[int, ...]) -> Part:
    values = {members[k]: x for k, x in zip(result.named, result.values, strict=True)}
    needs = tuple((members[i], members[j]) for i, j in result.needs)
    return Part(task.inside, task.wide, values, result, needs)


def _conflict(task: _Task, arcs: Iterable[Arc]) -> Conflict:
    used = tuple(arcs)
    known = set(task.program.inside)
    return Conflict(used, tuple(dict.fromkeys(k for arc in used for k in arc if k not in known)))

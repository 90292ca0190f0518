"""Functions that prove lower bounds: for each pair that matters one that extends to all states of its labels.

The kernel hands over one optimal f of a program over the states of the supports. What it needs of the states
outside, it often does not get, though another f of the same value would: with many states that behave nearly
alike, as the states of a survey with one start a vector of answers, almost always. So the states in the way
join the program *at the lower bounds that are known already* and it is solved again; their pairs need not be
explored for that. If the value stays, the new f is as good and extends further; a few rounds are enough.

If the value falls, the coupling that is now cheaper says why: it runs over pairs whose known bounds are too
small. They are explored; and if they all are, the detour is real: the outside states join the program.

*What is known* are the proposed values of all explored pairs, and the words of others. What a function takes
of a pair beyond its words, it needs: that pair is given a function in turn, so that only what the queries
lean on is ever looked at. Functions may need each other in circles; that is put in order afterwards
(`stages`). To treat a pair in progress as if nothing were known of it would find conflicts that are none, and
wrong values.

*Little by little.* A pair that is explored later changes no value and no function that was found before, as
nothing that was there depends on it. So a round takes what is new only, and the rounds may be many: with
eight dining cryptographers there are fifty, most of them for a single pair. Only where a program is widened
do values fall, and with them perhaps functions; then those that stay are found out.

Tried besides: what the function f of a pair shows of others (e = P f gives e_x - alpha e_y for *all* x and y
of one label), asked before a pair is explored. With extensions as they come, from the middle of what is
possible, it saved a tenth of the pairs and cost more than it saved. Tried instead: explore the pairs of all
paths that are too short for the first f. On a survey of five questions that explores 1,500 pairs where the
supports lead to 60. And pairs in the order in which they depend on each other, each knowing only of those
before it: that took twice as many rounds, and left as many circles without a reason (see `stages`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from bdist.certificates.document import Potential
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.explore.bounds import Arc, Distances
from bdist.distances.explore.float_game import FloatGame, ProposalFailed, Slot
from bdist.distances.explore.grid import GRID
from bdist.distances.explore.proposal import Proposal, explored, first_proposal
from bdist.distances.pairs import Direction
from bdist.errors import InternalError
from bdist.exact.rationals import to_fraction
from bdist.lp.batch import Batch, new_batch
from bdist.lp.extension import EXTENDED, OBSTRUCTED, Extended, Grid, extend

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_MOST_ROUNDS = 60  # of a program that grows
_LEAST_WEIGHT = 1e-9  # of an arc that a coupling is said to use
_LOST = 1e-14  # a value that falls by less has not fallen
_SAME = 1e-11  # functions that differ by less are the same
_NEEDED = 1e-12  # a bound that is no more than this above the words needs no function
DOUBT = 1e-11  # what floats may be wrong by; a conflict within that is left to rationals


@dataclass(frozen=True)
class Part:
    """A function on the states of one label: named values, a range for the rest, the pairs it needs.

    ``inside`` are the states of its program, which is the game's own, or number ``wide`` of the wider ones;
    ``first`` is what the game's own had proposed.
    """

    members: tuple[int, ...]
    inside: tuple[int, ...]
    wide: int | None
    first: tuple[float, ...]
    extended: Extended
    needs: tuple[int, ...]

    @cached_property
    def values(self) -> dict[int, float]:
        """The values of the states that are named."""
        return {self.members[k]: x for k, x in zip(self.extended.named, self.extended.values, strict=True)}


@dataclass(frozen=True)
class Conflict:
    """A cheaper coupling of a pair over states outside a program: the arcs that it uses, and those states."""

    pair: int
    arcs: tuple[Arc, ...]
    outside: tuple[int, ...]


@dataclass
class Plan:
    """Functions by program, for the queries and all pairs that these lean on, and what does not extend."""

    proposal: Proposal
    pairs: dict[int, None] = field(default_factory=dict)
    parts: dict[int, Part] = field(default_factory=dict)
    conflicts: dict[int, Conflict] = field(default_factory=dict)
    reopened: list[int] = field(default_factory=list)  # pairs that had conflicts

    def needs(self, pair: int) -> set[int]:
        """The pairs whose functions that of a pair leans on."""
        return {p for slot in self.proposal.slots(pair) if slot in self.parts for p in self.parts[slot].needs}

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


class Detour(Exception):
    """States outside the supports lower a distance, in a chain that was to have none such."""


@dataclass
class _Task:
    """A program whose function is to be extended."""

    pair: int
    slot: int
    program: Slot
    inside: tuple[int, ...]
    first: tuple[float, ...]
    least: float  # the value that the function must have
    wide: int | None = None
    rounds: int = 0

    def __post_init__(self) -> None:
        self.f: Sequence[float] = self.first


@dataclass(frozen=True)
class _Manner:
    """How functions are extended: the margin by which distances are read too small; what a pair may lose."""

    margin: float
    spare: Floats | None = None
    grid: Grid | None = None


class Planner:
    """Finds functions that extend, for some queries; keeps the proposal, and the programs that it widened."""

    def __init__(
        self,
        game: FloatGame,
        queries: Sequence[int],
        distances: Distances | None = None,
        *,
        no_detours: bool = False,
    ) -> None:
        self.game = game
        self.queries = queries
        self.allowed = 0.0  # the error at a query within which pairs are not explored
        self.no_detours = no_detours
        space = game.space
        self.distances = distances or Distances(space.chain, game.words, ordered=space.ordered)
        self._wide: dict[tuple[int, ...], Batch] = {}
        self._on_grid = Grid.of(to_fraction(space.alpha))
        self.wanted: set[int] = set()  # pairs that proofs lean on, as rationals have found
        self._plan: Plan | None = None
        self._first: Proposal | None = None

    def start(self, proposal: Proposal) -> None:
        """Take a proposal, and of the functions at hand those that it leaves as they are.

        Raises: Detour where detours have lowered a query and may not.
        """
        self._first = first = self._first or proposal
        if self.no_detours and any(proposal.table[q] < first.table[q] - DOUBT for q in self.queries):
            raise Detour
        earlier, self._plan = self._plan, Plan(proposal)
        self.distances.forget()
        self._lay(proposal, self.game.explored)
        if earlier is None:
            return
        slots = list(earlier.parts)
        functions = self.game.functions(slots)
        for slot, f in zip(slots, functions, strict=True):
            part = earlier.parts[slot]
            needs = list(part.needs)
            if (
                len(f) == len(part.first)
                and all(abs(x - y) <= _SAME for x, y in zip(f, part.first, strict=True))
                and (proposal.table[needs] >= earlier.proposal.table[needs] - DOUBT).all()
            ):
                self._plan.parts[slot] = part

    def explore(self, allowed: float) -> None:
        """Let the queries have all that they need, within an error that may be smaller than before."""
        self.allowed = allowed
        earlier = self.game.proposal or first_proposal(self.game)
        found = self._explored(replace(earlier, final=np.zeros_like(earlier.final)), np.array(self.queries))
        if self._plan is None or len(found.table) > len(earlier.table) or (found.table > earlier.table).any():
            self.start(found)

    def start_anew(self, further: Iterable[int] = ()) -> None:
        """Take a proposal that is found anew, with some further pairs explored; it may move all values."""
        sources = np.array([*self.queries, *sorted(self.wanted.union(further))], dtype=np.int64)
        self.start(self._explored(first_proposal(self.game), sources))

    def complete(self, *, widening: bool = True) -> bool:
        """Functions for the queries, for the pairs that are wanted besides, and for all that these lean on.

        Explores until there are no conflicts but those within what floats may be wrong by, and widens
        programs where detours are real; or, without ``widening``, stops there. Returns whether that was not
        the case.
        Requires: it was given a proposal. Raises: ProposalFailed, Stopped, Detour.
        """
        while True:
            plan = self.plan
            table, floor = plan.proposal.table, self.game.floor
            queries = [query for query in self.queries if table[query] > floor[query] + _NEEDED]
            self._follow(plan, [*queries, *sorted(self.wanted), *plan.reopened], _Manner(-DOUBT))
            plan.reopened = []
            if not plan.conflicts:
                return True
            if not widening and any(map(self._is_real, plan.conflicts.values())):
                return False
            self.resolve()

    @property
    def plan(self) -> Plan:
        """The functions at hand."""
        if self._plan is None:
            raise InternalError("functions were asked for before there was a proposal")
        return self._plan

    def turn(self, choice: Mapping[int, Direction]) -> None:
        """Take other directions, where rationals have found them to be better."""
        plan = self.plan
        best = plan.proposal.best.copy()
        best[list(choice)] = list(choice.values())
        self._plan = Plan(replace(plan.proposal, best=best), parts=plan.parts)

    def plan_on_grid(self, proposal: Proposal, margin: float, spare: Floats, known: Sequence[int]) -> Plan:
        """Functions on the grid at a proposal below the present one, which holds at some pairs only.

        A pair may lose ``spare`` of its value. Raises: Stopped.
        """
        plan = Plan(proposal)
        self.distances.forget()
        self.distances.lay([self.game.space.pairs[pair] for pair in known], proposal.table[known])
        at = set(known)
        queries = [query for query in self.queries if query in at]
        self._follow(plan, queries, _Manner(margin, spare, self._on_grid))
        return plan

    def positive(self, slots: Iterable[int], proposal: Proposal, least: float) -> dict[int, Part]:
        """Functions of some programs, on the grid, that gain at least so much; for programs that have one."""
        plan = Plan(proposal)
        programs = {slot: self.game.slot(slot) for slot in slots}
        tasks = [_Task(-1, slot, program, program.inside, (), least) for slot, program in programs.items()]
        self._extend_all(plan, tasks, _Manner(0.0, grid=self._on_grid))
        return plan.parts

    def resolve(self, conflicts: Mapping[int, Conflict] | None = None) -> None:
        """Explore the pairs that the cheaper couplings of conflicts use; where they are explored, the detour
        is real, and the programs are widened. The conflicts are those of the plan, unless others are given.

        Raises: Detour, ProposalFailed, Stopped.
        """
        plan = self.plan
        conflicts = plan.conflicts if conflicts is None else conflicts
        plan.conflicts = {}
        self._reopen(conflict.pair for conflict in conflicts.values())
        for slot in conflicts:
            plan.parts.pop(slot, None)
        real = {slot: conflict for slot, conflict in conflicts.items() if self._is_real(conflict)}
        unknown = [
            arc for conflict in conflicts.values() for arc in conflict.arcs if not self.game.has_explored(arc)
        ]
        further = self.game.name(list(dict.fromkeys(unknown))) if unknown else np.zeros(0, dtype=np.int64)
        for slot, conflict in real.items():
            if not conflict.outside:  # the same program had another value: more rounds would not end
                raise ProposalFailed("floats disagree about the value of a program")
            self.game.widen(slot, conflict.outside)
        if real:
            self.start_anew(further.tolist())
        else:
            self._rise(self._explored(plan.proposal, further))

    def _is_real(self, conflict: Conflict) -> bool:
        """Whether the values of all pairs are known that make a conflict."""
        return all(map(self.game.has_explored, conflict.arcs))

    def _rise(self, proposal: Proposal) -> None:
        """Take a proposal with more explored pairs.

        A function may lean on a pair that no query needs, whose own needs were not explored then. Its value
        may have risen and its direction have turned; then its function is looked for again.
        """
        plan, earlier = self.plan, self.plan.proposal.named()
        known = np.where(earlier.final, earlier.table, -1.0)
        pairs = self.game.explored
        plan.proposal = proposal
        moved = [
            pair
            for pair in plan.pairs
            if proposal.best[pair] != earlier.best[pair] or proposal.table[pair] > earlier.table[pair] + DOUBT
        ]
        self._reopen(moved)
        for pair in moved:
            for slot in earlier.slots(pair):
                plan.parts.pop(slot, None)
        self._lay(proposal, pairs[proposal.table[pairs] > known[pairs]])

    def _reopen(self, pairs: Iterable[int]) -> None:
        """Let functions of some pairs be looked for again."""
        plan = self.plan
        for pair in pairs:
            if pair in plan.pairs:
                del plan.pairs[pair]
                plan.reopened.append(pair)

    def _explored(self, proposal: Proposal, sources: Numbers) -> Proposal:
        found = explored(proposal, sources, self.allowed)
        if found is None:
            raise InternalError("an exploration without a limit was ended by one")
        return found

    def basis(self, part: Part) -> tuple[list[int], list[Arc]]:
        """The basis of a wider program: the places of its states, and its tight arcs."""
        places, _, tight = self._wide[part.members].bases(np.array([part.wide], dtype=np.int32))
        size = len(part.inside)
        return places.tolist(), [(part.inside[a // size], part.inside[a % size]) for a in tight.tolist()]

    def _lay(self, proposal: Proposal, pairs: Numbers) -> None:
        """Let the values of some pairs be known."""
        names = self.game.space.pairs
        self.distances.lay([names[pair] for pair in pairs.tolist()], proposal.table[pairs])

    def _follow(self, plan: Plan, pairs: Iterable[int], manner: _Manner) -> None:
        """Functions for some pairs and for all that these lean on, as far as the plan does not have them."""
        waiting = [pair for pair in dict.fromkeys(pairs) if pair not in plan.pairs]
        while waiting:
            self.game.run.pulse("functions", len(plan.pairs), len(self.game.space))
            plan.pairs.update(dict.fromkeys(waiting))
            slots_of = {pair: plan.proposal.slots(pair) for pair in waiting}
            self._extend_all(plan, self._tasks(plan, slots_of, manner), manner)
            slots = (slot for slots in slots_of.values() for slot in slots if slot in plan.parts)
            needed = dict.fromkeys(pair for slot in slots for pair in plan.parts[slot].needs)
            waiting = [pair for pair in needed if pair not in plan.pairs]

    def _tasks(self, plan: Plan, slots_of: Mapping[int, range], manner: _Manner) -> list[_Task]:
        """The programs of some pairs that have no function yet, with the ones that the kernel found last."""
        wanted = [
            (pair, slot) for pair, slots in slots_of.items() for slot in slots if slot not in plan.parts
        ]
        tasks = []
        for (pair, slot), f in zip(wanted, self.game.functions([slot for _, slot in wanted]), strict=True):
            program = self.game.slot(slot)
            value = sum(c * x for c, x in zip(program.costs, f, strict=True))
            lost = _LOST if manner.spare is None else float(manner.spare[pair]) / (2 * len(slots_of[pair]))
            tasks.append(_Task(pair, slot, program, program.inside, f, value - lost))
        return tasks

    def _extend_all(self, plan: Plan, tasks: Sequence[_Task], manner: _Manner) -> None:
        """Extend the functions of some programs, each as far as it takes."""
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
                    manner.margin,
                    manner.grid,
                    self.game.threads,
                )
                again: list[_Task] = []
                for task, result in zip(waiting, found, strict=True):
                    if result.status == EXTENDED:
                        plan.parts[task.slot] = self._part(task, result, members)
                        continue
                    states = [members[k] for k in result.named]
                    if result.status == OBSTRUCTED:
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

    def _part(self, task: _Task, result: Extended, members: tuple[int, ...]) -> Part:
        number = self.game.space.number
        needs = tuple(dict.fromkeys(number[members[i], members[j]] for i, j in result.needs))
        return Part(members, task.inside, task.wide, task.first, result, needs)

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


def _conflict(task: _Task, arcs: Iterable[Arc]) -> Conflict:
    used = tuple(arcs)
    known = set(task.program.inside)
    outside = tuple(dict.fromkeys(k for arc in used for k in arc if k not in known))
    return Conflict(task.pair, used, outside)

"""A threshold question: which pairs of states it is about, and what a backend may answer.

*The pairs that matter.* bd_alpha(s, t) is the value of a game on pairs of states with the same label, and a
move of the game is over all states of some labels. Most of these are outside the supports of the two rows in
question, and hardly any of them counts; but one that counts lowers the value, and which ones do is seen only
when the game is solved. So a question begins with the pairs that the supports reach (they are *explored*),
and every other pair has two prices:

* 1 is too much, or right. The value at this price is an upper bound. Couplings then use explored pairs only
  (an arc at 1 is no better than a leak, and left out), and are a proof as they are.
* What is known of it at once, by what the words of some labels tell, is too little, or right. The value at
  this price is a lower bound. The functions behind it respect all states of the labels, whether their pairs
  are explored or not, and are a proof as they are.

Where the two decide a threshold differently, a coupling at the low price leans on pairs that are not
explored: had it none, it would prove the same bound at the high price. These pairs are explored, and the
question is asked again. There are finitely many, so that ends. It is refinement by counterexamples (Clarke,
Grumberg, Jha, Lu and Veith, 2000): the counterexample is a function that does not extend to all states. The
outside states that couplings have used are noted for those who write formulas (`formula`).

*Fewer pairs to begin with.* A clock (`bdist.chains.structure`) splits labels and changes no distance. States
that the two do not reach are merged as far as they are bisimilar, where that halves the chain; no distance
grows by that, so "violated" stands, and "holds" does if its couplings are about states that are reached
(`Setting.holds_in_given`). If they are not, the chain itself is asked about. Chains that have few pairs
anyway have them all explored at once, which saves the start of NumPy for the words.

*What it saves.* Four questions of a survey, all answers different: 9 pairs to see that a threshold holds and
21 to see that it is violated, of 4,033. 40-fold randomised response: 79 of 6,163. Five dining cryptographers:
97 and 624 of 6,321.

*Tried instead.* To start over at both prices after each step took half as long again. So the low price is
followed with the same directions until it is enough or leans on nothing. To keep bases from step to step, or
to look at outside states with explored pairs only, saved nothing. To take the pairs from `distances.explore`
is faster where many are needed; but then backends would be compared on what is left for them after another
method has solved the question.

*Answers.* A backend opens a *session* for a question and is then asked about any number of thresholds, as a
binary search does; what one taught may help with the next. It answers with a `Finding`: HOLDS with the
evidence of an upper bound, VIOLATED with that of a lower bound, or UNKNOWN with the reason and, possibly, a
hint. Findings are claims of a backend; `decide` turns them into certificates and has those checked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from flint import fmpq

from bdist.budget import Budget
from bdist.certificates.document import Certificate, Claim
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.quotient import Quotient, quotient
from bdist.chains.structure import read_clock
from bdist.distances.compute import Skew, is_small, partition_of
from bdist.distances.lift import Lift, Lifter, Table
from bdist.distances.pairs import Direction, PairSpace
from bdist.distances.run import LowerEvidence, Run, UpperEvidence
from bdist.distances.strategy import MinimiserSolution, solve_choice
from bdist.exact.rationals import ONE, ZERO
from bdist.lp import DEFAULT_ENGINE, engine_named
from bdist.processes import call
from bdist.results import Answer, Statistics

if TYPE_CHECKING:
    from bdist.distances.explore.words import WordBounds

DEFAULT_BACKEND = "strategy"

_WORTH_MERGING = 2  # times fewer states, or the chain is taken as it is

Argument = TypeVar("Argument")
Result = TypeVar("Result")
Stats = dict[str, int | float | str]
Arc = tuple[int, int]
Bounds = tuple[UpperEvidence | None, LowerEvidence | None]


@dataclass(frozen=True)
class Setting:
    """The chain that a question is about, as a certificate tells it: the chain as given, the labels that mark
    an end if there is a clock, and the states that are left, some of them for others that were merged.
    """

    given: LabelledMarkovChain
    ends: tuple[str, ...] | None
    fewer: Quotient
    reached: Collection[str]

    @property
    def chain(self) -> LabelledMarkovChain:
        """The chain whose pairs are asked about."""
        return self.fewer.chain

    def holds_in_given(self, upper: UpperEvidence, pair: int) -> bool:
        """Whether an upper bound is one for the chain as given: it is not about states that were merged."""
        names = self.chain.states
        return self.chain is self.fewer.original or all(
            names[i] in self.reached for p in upper.closure([pair]) for i in upper.space.pairs[p]
        )

    def has_same_label(self, pair: tuple[str, str]) -> bool:
        """Whether two states have the same label and, with a clock, as many steps left."""
        first, second = (self.chain.labels[self.chain.index(state)] for state in pair)
        return first == second

    def certificate(
        self, pair: tuple[str, str], skew: Skew, question: Question, bounds: Bounds
    ) -> Certificate:
        """A certificate from the evidence for both ends. Requires: `holds_in_given` of the upper."""
        (upper, lower), number = bounds, question.pair
        claim = Claim(
            pair,
            lower.bound(number) if lower is not None else Fraction(0),
            upper.bound(number) if upper is not None else Fraction(1),
        )
        return Certificate(
            fingerprint(self.given),
            "bd",
            skew.alpha,
            (claim,),
            tuple(upper.records([number])) if upper is not None else (),
            tuple(lower.stages([number])) if lower is not None else (),
            self.chain.states,
            words=question.words.length if lower is not None and question.words is not None else 0,
            clock=self.ends,
            merged=partition_of(self.fewer) if lower is not None else None,
        )


def settings_of(chain: LabelledMarkovChain, pair: tuple[str, str]) -> Iterator[Setting]:
    """The chain with a clock, if it has one: first with states merged, where that pays, then as it is."""
    clock = read_clock(chain)
    timed, ends = (chain, None) if clock is None else (clock.chain, clock.ends)
    inside = set(timed.reachable({timed.index(state) for state in pair}))
    reached = frozenset(timed.states[k] for k in inside)
    if _WORTH_MERGING * len(inside) <= len(timed):
        merged = quotient(timed, inside)
        if _WORTH_MERGING * len(merged.chain) <= len(timed):
            yield Setting(chain, ends, merged, reached)
    yield Setting(chain, ends, Quotient(timed, tuple((state,) for state in timed.states), timed), reached)


@dataclass(frozen=True)
class Question:
    """Two states that carry the same label, the pairs explored for them, and what is known of the others.

    ``detours`` are the states outside a pair's supports that couplings have been seen to use. With
    ``exhaustive``, a formula without a solution is tried with all states of its labels as well.
    """

    space: PairSpace
    pair: int
    budget: Budget
    words: WordBounds | None = None
    exhaustive: bool = False
    detours: dict[tuple[int, Direction], set[int]] = field(default_factory=dict)

    @classmethod
    def about(
        cls, setting: Setting, pair: tuple[str, str], skew: Skew, budget: Budget, *, exhaustive: bool = False
    ) -> Question:
        """The question with the pairs that the supports reach. Raises: Stopped.

        Requires: the states of the pair differ and have the same label in the setting.
        """
        chain = setting.chain
        query = chain.index(pair[0]), chain.index(pair[1])
        if is_small(chain, [query]):  # all pairs, since there are few: nothing is left to be explored
            space = PairSpace(chain, skew.alpha, [query], budget=budget)
            return cls(space, space.number[query], budget, None, exhaustive)
        from bdist.distances.explore.words import WordBounds  # with NumPy, where that pays

        space = PairSpace(chain, skew.alpha, [query], breadth="supports", budget=budget)
        words = WordBounds.in_space(space)
        return cls(space, space.number[query], budget, words, exhaustive)

    def known(self, i: int, j: int) -> fmpq:
        """What is known at once of the distance of two states with the same label: a lower bound."""
        return ZERO if self.words is None else self.words.bound(i, j)

    def run_high(self) -> Run:
        """A run in which pairs that are not explored cost 1: its upper evidence is a proof."""
        return self._run(Lifter, lambda i, j: ONE)

    def lower(self, choice: Sequence[Direction], enough: Callable[[Fraction], bool]) -> LowerEvidence:
        """What a choice of directions proves, pairs that are not explored costing what is known of them.

        As long as that is not enough, what its couplings lean on is explored, and the choice continued with
        the direction that has more to gain. Requires: a direction for each pair that is explored.
        Ensures: it is enough, or the couplings lean on explored pairs only. Raises: Stopped.
        """
        while True:
            run = self._run(_LowLifter, self.known)
            fresh = range(len(choice), len(self.space))
            choice = [*choice, *(max(Direction, key=lambda side: self.space.gain(p, side)) for p in fresh)]
            evidence, solution = solve_choice(run, choice, None)
            lean = self._leaning(run.lifter, choice, solution)
            if not lean or enough(evidence.bound(self.pair)):
                fields = (evidence.values, evidence.choice, evidence.functions, evidence.positive)
                return _Lower(self.space, *fields, self.known)
            self.space.explore(sorted(lean))

    def _leaning(self, lifter: Lifter, choice: Sequence[Direction], solution: MinimiserSolution) -> set[Arc]:
        """The pairs that are not explored, and that the couplings of the pair in question lead to."""
        lean: set[Arc] = set()
        seen, waiting = {self.pair}, [self.pair]
        while waiting:
            pair = waiting.pop()
            lift = solution.lifts.get(pair) or lifter.lift(pair, choice[pair], solution.values)
            if isinstance(lift, _LowLift):
                lean |= lift.outside.keys()
            self.note(pair, choice[pair], lift)
            following = {self.space.number[arc] for arc in lift.w} - seen
            seen |= following
            waiting += following
        return lean

    def note(self, pair: int, direction: Direction, lift: Lift) -> None:
        """Take down the states outside the supports that a coupling uses."""
        supports = {i for block in self.space.objective(pair, direction) for i in block.coefficients}
        outside = lift.outside if isinstance(lift, _LowLift) else {}
        used = {i for arc in (*lift.w, *outside) for i in arc} - supports
        if used:
            self.detours.setdefault((pair, direction), set()).update(used)

    def note_all(self, upper: UpperEvidence) -> None:
        """Take them down for all couplings of an upper bound of the pair in question."""
        for pair in upper.closure([self.pair]):
            for direction, lift in zip(self.space.directions, upper.couplings[pair], strict=True):
                self.note(pair, direction, lift)

    @property
    def detour_count(self) -> int:
        """How many states are noted; it grows when formulas do."""
        return sum(map(len, self.detours.values()))

    def _run(self, lifter: type[Lifter], base: Callable[[int, int], fmpq]) -> Run:
        run = Run(self.space, engine_named(DEFAULT_ENGINE), self.budget, None, self.pair)
        run.lifter = lifter(self.space, run.lifter.engine, run.tally, base)
        return run


@dataclass(frozen=True)
class _Lower(LowerEvidence):
    """Evidence whose functions respect what is ``known`` of pairs that are not explored."""

    known: Callable[[int, int], fmpq]

    def _bounded_by(self, function: dict[int, fmpq]) -> Iterator[int]:
        """The pairs that the function needs to be further apart than is known without a proof."""
        chain, alpha, number = self.space.chain, self.space.alpha, self.space.number
        for i, x in function.items():
            for j in chain.states_by_label[chain.labels[i]]:
                gap = x - alpha * function.get(j, ZERO)
                if i != j and gap > 0 and (i, j) in number and gap > self.known(i, j):
                    yield number[i, j]


@dataclass(frozen=True)
class _LowLift(Lift):
    """A lift whose coupling also has weight on pairs that are not explored, at what is known of them.

    That weight is not in ``w``. What it costs is in ``b``, as a constant that no table changes.
    """

    outside: Mapping[Arc, fmpq] = field(default_factory=dict)


class _LowLifter(Lifter):
    """Solves lifts where pairs that are not explored have a fixed price, as `strategy` can work with them."""

    def lift(self, pair: int, direction: Direction, table: Table, previous: Lift | None = None) -> Lift:
        """The directed lift, with the fixed part of the coupling apart."""
        found = super().lift(pair, direction, table, previous)
        outside = {arc: x for arc, x in found.w.items() if arc not in self.space.number}
        if not outside:
            return found
        w = {arc: x for arc, x in found.w.items() if arc not in outside}
        b = dict(found.b)
        for (i, j), x in outside.items():
            b[i] = b.get(i, ZERO) + x * self.distance(i, j, table)
        return _LowLift(found.value, found.f, w, b, found.slots, outside)


@dataclass(frozen=True)
class Options:
    """What a backend may be told: the MILP solver, bit widths, where to write the CNF or the SMT script."""

    milp_solver: str | None = None  # which is highs
    bits: int | None = None
    dimacs: Path | None = None
    smt2: Path | None = None


@dataclass(frozen=True)
class Finding:
    """A backend's answer to one threshold."""

    answer: Answer
    upper: UpperEvidence | None = None
    lower: LowerEvidence | None = None
    reason: str | None = None
    hint: Answer | None = None
    stats: Statistics = field(default_factory=dict)


class Session(Protocol):
    """A backend at work on one question."""

    def decide(self, theta: Fraction) -> Finding:
        """Answer one threshold, within the question's budget."""
        ...


Opener = Callable[[Question, Options], Session]
"""A backend: what opens a session. Raises: BackendError where its solver is not installed."""


def new_stats() -> Stats:
    """What `ask_solver` adds to."""
    return {"solver_seconds": 0.0, "peak_memory": 0}


def ask_solver(
    solver: Callable[[Argument], Result], problem: Argument, budget: Budget, stats: Stats
) -> Result:
    """A solver's answer from a process of its own; ``stats`` add up what that took.

    Raises: Stopped, BackendDied, BackendError.
    """
    start = time.monotonic()
    try:
        reply = call(solver, problem, budget)
    finally:
        taken = float(stats["solver_seconds"]) + time.monotonic() - start
        stats["solver_seconds"] = round(taken, 6)
    stats["peak_memory"] = max(int(stats["peak_memory"]), reply.peak_memory)
    return reply.result

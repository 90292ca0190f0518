"""The exact distance by strategy iteration: bd_alpha as the value of a two-player game.

At each pair a maximiser picks one of two directions and a minimiser answers with a coupling. For fixed
directions the minimiser's side is solved exactly. Then every pair whose other direction is strictly better at
that value switches, and the round repeats. When nothing switches, the value v is a fixed point of the full
operator and at most its least one, hence bd_alpha.

Why it ends: for alpha = 1 both directions have equal lifts and nothing ever switches. For alpha > 1 the
values grow strictly from round to round (the zero set of the new directions carries no value of the old ones,
since a coupling without leak has mass at most 1, and outside it a ratio argument applies), and there are
finitely many choices of directions. In practice it takes one to three rounds.

The paper reaches the number through an NP oracle and a binary search; `thresholds` is for that. This way
needs no oracle, and it leaves proofs on both sides: couplings in both directions at v for the upper one, the
functions f of the chosen directions with ranks for the lower one.

*Where the distance is zero.* Fix the directions that count at each pair: one (a choice of the maximiser) or
both. The distance is zero exactly on the largest set Z of pairs such that each of them has, for every
direction that counts, a coupling without leak (b = 0) that stays within Z. We start from all pairs and drop,
round by round, those whose lift of the table "1 outside Z" is positive. A pair is looked at again only when
its last free coupling used a pair that has been dropped. The round in which a pair is dropped is its *rank*,
and the function g that made the lift positive is kept: it shows that every coupling of the pair leaks or
reaches a pair of smaller rank. Ranks and g are what a lower-bound certificate needs against cycles of pairs
that support each other.

*With the directions fixed*, the least fixed point is found by policy iteration. A policy is a coupling (w, b)
for each pair outside the zero set; its value solves the linear system d(p) = w.d + |b|. We start from the
couplings that are optimal when every positive pair costs 1: every coupling of such a pair leaks sooner or
later, these cost at most 1, and so the system has a nonnegative solution. Each round re-optimises the
couplings against the last value and stops when none improves; the values fall strictly, there are finitely
many vertices, and outside the zero set the fixed point is unique, so the end is the least fixed point.
Nothing here relies on couplings having mass at most 1; with b > 0 they can have more.

*What a fixed set of couplings proves.* Give every pair one coupling (w, b) a direction and let only the
maximiser move. The least table d with w.d + |b| <= d(p) for both couplings of every pair p is a pre-fixed
point of Gamma, so it is above bd_alpha, and the couplings certify it. It is found by policy iteration over
the directions, one exact linear solve a round. Any couplings will do for soundness; good ones make it tight.
This is how couplings that somebody else proposes (a MILP, an unfinished strategy iteration) become a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq

from bdist.distances.lift import Lift
from bdist.distances.pairs import Direction, PairSpace
from bdist.distances.run import LowerEvidence, Run, UpperEvidence
from bdist.errors import InternalError
from bdist.exact.linear import solve_affine
from bdist.exact.rationals import ONE, ZERO


@dataclass(frozen=True)
class Escape:
    """Why a pair's distance is positive: the round and direction of its drop, and the g that shows it."""

    rank: int
    direction: Direction
    g: dict[int, fmpq]


def escapes(run: Run, directions: Callable[[int], Sequence[Direction]]) -> dict[int, Escape]:
    """For each pair with a positive distance its escape; every other pair of the space has distance zero."""
    space = run.space
    table = space.constant(ZERO)
    found: dict[int, Escape] = {}
    free: list[list[Lift]] = [[] for _ in range(len(space))]
    users: list[set[int]] = [set() for _ in range(len(space))]  # pairs whose free couplings use this pair
    candidates = set(range(len(space)))
    rank = 0
    while candidates:
        rank += 1
        dropped: list[int] = []
        for done, pair in enumerate(sorted(candidates)):
            run.pulse("zero pairs", done, len(candidates))
            escape, free[pair] = _escape(run, pair, directions(pair), table, free[pair], rank)
            if escape is not None:
                found[pair] = escape
                dropped.append(pair)
            for lift in free[pair]:
                for i, j in lift.w:
                    users[space.number[i, j]].add(pair)
        for pair in dropped:
            table[pair] = ONE
        candidates = {user for pair in dropped for user in users[pair] if user not in found}
    return found


def _escape(
    run: Run, pair: int, directions: Sequence[Direction], table: list[fmpq], before: list[Lift], rank: int
) -> tuple[Escape | None, list[Lift]]:
    free = []
    for k, direction in enumerate(directions):
        lift = run.lifter.lift(pair, direction, table, before[k] if before else None)
        if lift.value > 0:
            return Escape(rank, direction, lift.f), []
        free.append(lift)
    return None, free


@dataclass(frozen=True)
class MinimiserSolution:
    """The value at every pair and, for positive pairs, a lift that is optimal at that value."""

    values: list[fmpq]
    lifts: dict[int, Lift]


def solve_minimiser(
    run: Run, choice: list[Direction], positive: dict[int, Escape], start: dict[int, Lift]
) -> MinimiserSolution:
    """The least fixed point for the directions ``choice``, given which pairs are positive under it.

    ``start`` holds earlier lifts in the same directions; only their bases are used, as first guesses.
    """
    space = run.space
    pairs = sorted(positive)
    ones = [ONE if pair in positive else ZERO for pair in range(len(space))]
    lifts: dict[int, Lift] = {}
    for done, pair in enumerate(pairs):
        run.pulse("first couplings", done, len(pairs))
        lifts[pair] = run.lifter.lift(pair, choice[pair], ones, start.get(pair))
    while True:
        run.rounds += 1
        values = policy_value(run, lifts)
        improved = False
        for done, pair in enumerate(pairs):
            run.pulse("couplings", done, len(pairs))
            better = run.lifter.lift(pair, choice[pair], values, lifts[pair])
            if better.value > values[pair]:
                raise InternalError(
                    "a coupling's value is below the lift of that value, which weak duality excludes"
                )
            improved = improved or better.value < values[pair]
            lifts[pair] = better
        if not improved:
            return MinimiserSolution(values, lifts)


def policy_value(run: Run, lifts: dict[int, Lift]) -> list[fmpq]:
    """The exact value of a policy; pairs without a coupling are worth zero."""
    space = run.space
    place = {pair: k for k, pair in enumerate(lifts)}
    weights: list[dict[int, fmpq]] = []
    for lift in lifts.values():
        row: dict[int, fmpq] = {}
        for (i, j), weight in lift.w.items():
            pair = space.number[i, j]
            if pair in place:
                row[place[pair]] = row.get(place[pair], ZERO) + weight
        weights.append(row)
    solved = solve_affine(weights, [lift.leak() for lift in lifts.values()])
    if solved is None or any(x < 0 for x in solved):
        raise InternalError("a policy of the minimiser has no nonnegative value, though its start was proper")
    values = space.constant(ZERO)
    for pair, x in zip(lifts, solved, strict=True):
        values[pair] = x
    return values


_MOST_SWITCHES = 50

Row = tuple[dict[int, fmpq], fmpq]


def value_of_couplings(space: PairSpace, couplings: Mapping[int, tuple[Lift, ...]]) -> dict[int, fmpq] | None:
    """The bound that couplings prove at each of their pairs; None where they prove none.

    Requires: a coupling puts weight only on pairs that have couplings themselves.
    Ensures: 0 <= value, and at each pair both couplings cost at most the value.
    """
    place = {pair: k for k, pair in enumerate(couplings)}
    rows = [tuple(_row(space, place, lift) for lift in both) for both in couplings.values()]
    chosen = [max(space.directions, key=lambda side: couplings[pair][side].value) for pair in couplings]
    for _ in range(_MOST_SWITCHES):
        weights = [both[side][0] for both, side in zip(rows, chosen, strict=True)]
        constants = [both[side][1] for both, side in zip(rows, chosen, strict=True)]
        values = solve_affine(weights, constants)
        if values is None or any(value < 0 for value in values):
            return None
        switched = False
        for k, both in enumerate(rows):
            for side in space.directions:
                if _cost(both[side], values) > values[k]:
                    chosen[k] = side
                    switched = True
        if not switched:
            return dict(zip(couplings, values, strict=True))
    return None


def _row(space: PairSpace, place: Mapping[int, int], lift: Lift) -> Row:
    weights: dict[int, fmpq] = {}
    for arc, weight in lift.w.items():
        k = place[space.number[arc]]
        weights[k] = weights.get(k, ZERO) + weight
    return weights, lift.leak()


def _cost(row: Row, values: list[fmpq]) -> fmpq:
    weights, constant = row
    for k, weight in weights.items():
        constant += weight * values[k]
    return constant


Couplings = list[tuple[Lift, ...]]


def solve_game(run: Run) -> None:
    """Compute bd_alpha exactly at every pair; the run then holds evidence for equal bounds.

    Raises: Stopped, with the best bounds so far in the run.
    """
    for _ in improvements(run):
        pass


def improvements(run: Run) -> Iterator[None]:
    """Strategy iteration in steps: pauses whenever the run holds new evidence, and ends when it is exact.

    For callers who need no more than a certain bound. Raises: Stopped.
    """
    choice, remembered = _first_choice(run)
    yield
    while True:
        run.lower, solution = solve_choice(run, choice, remembered)
        yield
        couplings, better = compare_directions(run, choice, solution, remembered)
        if not better:
            run.upper = UpperEvidence(run.space, solution.values, couplings)
            yield
            return
        bound = value_of_couplings(run.space, dict(enumerate(couplings)))
        if bound is not None:
            run.upper = UpperEvidence(run.space, bound, couplings)
            yield
        remembered = couplings
        for pair in better:
            choice[pair] = choice[pair].other


def solve_choice(
    run: Run, choice: list[Direction], remembered: Couplings | None
) -> tuple[LowerEvidence, MinimiserSolution]:
    """The value of a choice of directions, which is a lower bound on bd_alpha, with its evidence.

    ``remembered`` are earlier lifts of every pair in both directions; their bases are first guesses.
    """
    positive = escapes(run, lambda pair: (choice[pair],))
    start = {} if remembered is None else {pair: remembered[pair][choice[pair]] for pair in positive}
    solution = solve_minimiser(run, choice, positive, start)
    functions = {pair: lift.f for pair, lift in solution.lifts.items()}
    return LowerEvidence(run.space, solution.values, list(choice), functions, positive), solution


def compare_directions(
    run: Run, choice: list[Direction], solution: MinimiserSolution, remembered: Couplings | None
) -> tuple[Couplings, list[int]]:
    """Optimal lifts at the value of a choice, and the pairs whose other direction is better.

    Ensures: if no direction is better, the value is a fixed point of Gamma, hence bd_alpha.
    """
    couplings: Couplings = []
    better: list[int] = []
    for pair in range(len(run.space)):
        run.pulse("directions", pair, len(run.space))
        known = {choice[pair]: solution.lifts.get(pair)}
        before = None if remembered is None else remembered[pair]
        lifts = tuple(
            known.get(side)
            or run.lifter.lift(pair, side, solution.values, None if before is None else before[side])
            for side in run.space.directions
        )
        if any(lift.value > solution.values[pair] for lift in lifts):
            better.append(pair)
        couplings.append(lifts)
    return couplings, better


def _first_choice(run: Run) -> tuple[list[Direction], Couplings]:
    """At each pair the direction whose lift is larger when every pair costs 1, and those lifts.

    Leaves a first upper bound in the run.
    """
    ones = run.space.constant(ONE)
    lifts: Couplings = []
    for pair in range(len(run.space)):
        run.pulse("first directions", pair, len(run.space))
        lifts.append(run.lifter.lifts(pair, ones))
    choice = [max(run.space.directions, key=lambda side: both[side].value) for both in lifts]
    values = [both[side].value for both, side in zip(lifts, choice, strict=True)]
    run.upper = UpperEvidence(run.space, values, lifts)
    return choice, lifts

"""The exact distance by strategy iteration: bd_alpha as the value of a two-player game.

At each pair a maximiser picks one of two directions and a minimiser answers with a coupling. For fixed
directions the minimiser's side is solved exactly (`minimiser`). Then every pair whose other direction is
strictly better at that value switches, and the round repeats. When nothing switches, the value v is a fixed
point of the full operator and at most its least one, hence bd_alpha.

Why it ends: for alpha = 1 both directions have equal lifts and nothing ever switches. For alpha > 1 the
values grow strictly from round to round (the zero set of the new directions carries no value of the old ones,
since a coupling without leak has mass at most 1, and outside it a ratio argument applies), and there are
finitely many choices of directions. In practice it takes one to three rounds.

The paper reaches the number through an NP oracle and a binary search; `thresholds` is for that. This way
needs no oracle, and it leaves proofs on both sides: couplings in both directions at v for the upper one, the
functions f of the chosen directions with ranks for the lower one.
"""

from __future__ import annotations

from collections.abc import Iterator

from bdist.distances.couplings import value_of_couplings
from bdist.distances.evidence import LowerEvidence, UpperEvidence
from bdist.distances.lift import Lift
from bdist.distances.minimiser import MinimiserSolution, solve_minimiser
from bdist.distances.pairs import Direction
from bdist.distances.run import Run
from bdist.distances.zeros import escapes
from bdist.exact.fast import ONE

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

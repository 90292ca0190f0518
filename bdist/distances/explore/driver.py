"""Bounds with proofs by way of a proposal: explore, settle in floating point, prove in rationals.

The driver of the fast method. It explores from the queries (`functions`), then finds the exact values
(`exact_game`, `exact_proof`) or a certified bracket (`bracket`). What it returns are the records of a
certificate, which has yet to pass the checker.

*Exact or bracket?* A cyclic component of k pairs is a linear system of k unknowns, whose solution has on the
order of k digits, and every program is then looked at with numbers of that length, by us and by the checker.
Measured on all pairs of random chains, exact values take 1.0 s where the largest component has 200 pairs, 1.8
s at 380, 7 s at 820 (620 digits) and 24 s at 1650, and a bracket of width 1e-9 takes 0.7, 1.3, 3 and 7 s. So
past `EXACT_UP_TO` pairs in one component the answer is a bracket, unless the exact value is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from flint import fmpq

from bdist.budget import Budget, Stopped
from bdist.certificates.document import Stage, UpperRecord
from bdist.distances.explore.bracket import anytime_bracket, prove_bracket
from bdist.distances.explore.bracket_lower import LowerSide
from bdist.distances.explore.bracket_upper import UpperSide
from bdist.distances.explore.exact_game import ExactGame
from bdist.distances.explore.exact_proof import ExactProof
from bdist.distances.explore.float_game import FloatGame, ProposalFailed
from bdist.distances.explore.functions import Detour, Planner, settle_all
from bdist.distances.explore.words import WordBounds
from bdist.distances.lift import Lifter
from bdist.distances.pairs import PairSpace
from bdist.distances.run import Run
from bdist.exact.linear import strongly_connected_components
from bdist.exact.rationals import to_fraction
from bdist.lp import engine_named

EXACT_UP_TO = 500
EXACT_AS_FALLBACK_UP_TO = 4_000  # where a bracket is not narrow enough
DEFAULT_PRECISION = Fraction(1, 10**9)
_GRACE = 0.75  # seconds a side, to make the best of a computation that is cut short
_MOST_ROUNDS = 50
_MOST_FIRST_BOUNDS = 100


@dataclass(frozen=True)
class Proof:
    """Records of a certificate, the word length that they rely on, and the bounds that they prove by pair."""

    upper: list[UpperRecord]
    lower: list[Stage]
    words: int
    bounds: dict[int, tuple[Fraction, Fraction]]
    shortfall: str | None = None  # why it is wider than was asked for, if it is


def prove(
    run: Run,
    queries: Sequence[int],
    engine: str,
    jobs: int,
    precision: Fraction | None,
    *,
    no_detours: bool = False,
) -> Proof:
    """Exact values of the queries, or a bracket of the given width; None lets the size decide, 0 is exact.

    Ensures: where time was up after a proposal, the bracket that this yields (anytime).
    Raises: ProposalFailed where floating point is of no help; Stopped where there is no proposal yet; with
    ``no_detours`` Detour as soon as states outside the supports are seen to lower a distance.
    """
    if not queries:
        return Proof([], [], 0, {})
    game = FloatGame(run, WordBounds.in_space(run.space), engine, jobs)
    budget = run.budget
    try:
        if precision == 0:
            return _prove_exactly(game, queries, no_detours=no_detours)
        component = _largest_component(game)
        if precision is None and component <= EXACT_UP_TO:
            return _prove_exactly(game, queries, no_detours=no_detours)
        return _prove_narrowly(
            game, queries, precision or DEFAULT_PRECISION, component, no_detours=no_detours
        )
    except Stopped:
        return _prove_anytime(game, queries, budget)


def _prove_narrowly(
    game: FloatGame, queries: Sequence[int], width: Fraction, component: int, *, no_detours: bool
) -> Proof:
    """A bracket of some width; the value where floats provide none, as with pairs that hardly ever leak.

    Raises: ProposalFailed, Stopped.
    """
    too_large = component > EXACT_AS_FALLBACK_UP_TO
    try:
        proof = _bracket_proof(game, queries, *prove_bracket(game, queries, width, no_detours=no_detours))
    except ProposalFailed:
        if too_large:
            raise
    else:
        if all(high - low <= width for low, high in proof.bounds.values()):
            return proof
        if too_large:
            return replace(proof, shortfall="floating point proves no narrower bracket")
    return _prove_exactly(game, queries, no_detours=no_detours)


def _prove_anytime(game: FloatGame, queries: Sequence[int], budget: Budget) -> Proof:
    """A bracket from the last proposal, within half of what is kept for the check. Raises: Stopped."""
    proposal = game.proposal
    if proposal is None or len(proposal.table) != len(game.space):
        raise Stopped
    grace = min(_GRACE, budget.reserve / 4) if budget.reserve else _GRACE
    upper, lower = anytime_bracket(proposal, queries, grace)
    if upper is None and lower is None:
        raise Stopped
    return replace(_bracket_proof(game, queries, upper, lower), shortfall=budget.exhausted())


def _bracket_proof(
    game: FloatGame, queries: Sequence[int], upper: UpperSide | None, lower: LowerSide | None
) -> Proof:
    """The records of both sides; a side that is missing is what is known at once."""
    first = first_bounds(game.space, queries, game.words) if upper is None or lower is None else None
    bounds = {}
    for query in queries:
        low, high = first.bounds[query] if first is not None else (Fraction(0), Fraction(1))
        bounds[query] = (
            lower.bound(query) if lower is not None else low,
            upper.bound(query) if upper is not None else high,
        )
    return Proof(
        upper.records(queries) if upper is not None else first.upper if first is not None else [],
        lower.stages if lower is not None else [],
        game.words.length,
        bounds,
    )


def first_bounds(space: PairSpace, queries: Sequence[int], words: WordBounds | None = None) -> Proof:
    """What is known at once: the words from below, and all that the objective can give from above.

    For the first of many queries only, since this is for a computation whose time is up.
    """
    words = words or WordBounds.in_space(space)
    records: list[UpperRecord] = []
    bounds: dict[int, tuple[Fraction, Fraction]] = {}
    for query in queries:
        i, j = space.pairs[query]
        if len(records) == _MOST_FIRST_BOUNDS:
            bounds[query] = (Fraction(0), Fraction(1))
            continue
        couplings: list[tuple[dict[tuple[int, int], fmpq], dict[int, fmpq]]] = [
            (
                {},
                {
                    k: c
                    for block in space.objective(query, side)
                    for k, c in block.coefficients.items()
                    if c > 0
                },
            )
            for side in space.directions
        ]
        upper = max(space.gain(query, side) for side in space.directions)
        records.append(UpperRecord.of((i, j), upper, couplings))
        bounds[query] = (to_fraction(words.bound(i, j)), to_fraction(upper))
    return Proof(records, [], words.length, bounds)


def _prove_exactly(game: FloatGame, queries: Sequence[int], *, no_detours: bool) -> Proof:
    """The values of the queries: explore, find the fixed point in rationals, replay the proof, and again.

    Raises: ProposalFailed, Stopped.
    """
    planner, words = Planner(game, queries, no_detours=no_detours), game.words
    lifter = Lifter(game.space, engine_named("exact"), game.run.tally, words.bound)
    planner.start(settle_all(game))
    exact = ExactGame(planner.plan.proposal, lifter)
    # the couplings of the supports alone will do if no detour turns out to be cheaper
    upper, values = exact.upper_records(queries), [exact.values[query] for query in queries]
    proof: ExactProof | None = None
    for _ in range(_MOST_ROUNDS):
        plan = planner.complete()
        if exact.proposal.origin == plan.proposal.origin:
            exact.solve(plan.proposal)
        else:
            exact, proof = ExactGame(plan.proposal, lifter), None
        found = [exact.values[query] for query in queries]
        if found != values and no_detours:
            raise Detour
        if any(exact.choice[pair] != plan.proposal.direction(pair) for pair in plan.pairs):
            planner.turn(exact.choice)
            continue
        proof = proof or ExactProof(exact, planner)
        stages = proof.stages(queries)
        if proof.conflicts:
            planner.resolve(proof.conflicts)
        elif proof.missing:
            planner.wanted |= proof.missing
        else:
            records = upper if found == values else exact.upper_records(queries)
            bounds = {query: (x, x) for query, x in zip(queries, map(to_fraction, found), strict=True)}
            return Proof(records, stages, words.length, bounds)
    raise ProposalFailed(f"functions still do not extend after {_MOST_ROUNDS} rounds")


def _largest_component(game: FloatGame) -> int:
    """The most pairs that depend on each other in a circle, as far as explored."""
    table = game.floor.copy()
    game.settle(range(len(table)), table)
    chosen = game.select(range(len(table)))
    game.sweep(chosen, table)
    rows = game.rows(chosen)
    source = rows.task // game.directions
    order = np.argsort(source, kind="stable")
    starts = np.searchsorted(source[order], np.arange(len(table) + 1)).tolist()
    targets = rows.pair[order].tolist()
    successors = [targets[starts[p] : starts[p + 1]] for p in range(len(table))]
    return max((len(part) for part in strongly_connected_components(successors)), default=0)

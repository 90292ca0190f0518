"""Bounds with proofs by way of a proposal: explore, settle in floating point, prove in rationals.

The driver of the fast method. It explores from the queries (`proposal`), finds functions for lower bounds
(`functions`), then the exact values (`exact_game`, `exact_proof`) or a certified bracket (`bracket`). What it
returns are the records of a certificate, which has yet to pass the checker.

*Exact or bracket?* A cyclic component of k pairs is a linear system of k unknowns, whose solution has on the
order of k digits, and every program is then looked at with numbers of that length, by us and by the checker.
Measured on all pairs of random chains, exact values take 1.0 s where the largest component has 200 pairs, 1.8
s at 380, 7 s at 820 (620 digits) and 24 s at 1650, and a bracket of width 1e-9 takes 0.7, 1.3, 3 and 7 s.
What counts is the length of numbers times the arcs of programs that are looked at: Herman's protocol with
nine processes has only 231 pairs, but hundreds of arcs each. So past `EXACT_WORK` (500 pairs of a random
chain) the answer is a bracket, unless the exact value is asked for; and so it is past `EXACT_PAIRS` in all,
each of which takes a millisecond in rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget, Stopped
from bdist.certificates.document import Stage, UpperRecord
from bdist.distances.explore.bracket import Sides, prove_bracket, widen_bracket
from bdist.distances.explore.exact_game import ExactGame
from bdist.distances.explore.exact_proof import ExactProof
from bdist.distances.explore.float_game import FloatGame, ProposalFailed
from bdist.distances.explore.functions import Detour, Planner
from bdist.distances.explore.proposal import Limits, Proposal, explored, first_proposal
from bdist.distances.explore.words import WordBounds
from bdist.distances.lift import Lifter
from bdist.distances.pairs import PairSpace
from bdist.distances.run import Run
from bdist.exact.rationals import to_fraction
from bdist.lp import engine_named

EXACT_WORK = 12_000_000
EXACT_PAIRS = 4_000
_FALLBACK = Limits(64 * EXACT_WORK, 5 * EXACT_PAIRS)  # where a bracket is not narrow enough
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
    planner = Planner(game, queries, no_detours=no_detours)
    sides = Sides(queries)
    budget = run.budget
    try:
        if precision is None or precision == 0:
            limits = Limits(EXACT_WORK, EXACT_PAIRS) if precision is None else None
            proposal = explored(first_proposal(game), queries, 0.0, limits)
            if proposal is not None:
                return _prove_exactly(planner, proposal)
        return _prove_narrowly(planner, precision or DEFAULT_PRECISION, sides)
    except Stopped:
        reason = budget.exhausted()
    return _prove_widely(game, sides, budget, reason)


def _prove_narrowly(planner: Planner, width: Fraction, sides: Sides) -> Proof:
    """A bracket of some width; the value where floats provide none, as with pairs that hardly ever leak.

    Raises: ProposalFailed, Stopped.
    """
    game = planner.game
    with suppress(ProposalFailed):
        prove_bracket(planner, width, sides)
    if sides.width() <= width:
        return _bracket_proof(game, sides)
    proposal = explored(first_proposal(game), planner.queries, 0.0, _FALLBACK)
    if proposal is not None:
        return _prove_exactly(Planner(game, planner.queries, no_detours=planner.no_detours), proposal)
    return _prove_widely(game, sides, game.run.budget, "floating point proves no narrower bracket")


def _prove_widely(game: FloatGame, sides: Sides, budget: Budget, reason: str | None) -> Proof:
    """A bracket from what was found and from the last proposal, within half of what is kept for the check.

    Raises: Stopped where there is nothing.
    """
    if game.proposal is None:
        raise Stopped
    grace = min(_GRACE, budget.reserve / 4) if budget.reserve else _GRACE
    widen_bracket(game.proposal.named(), sides, grace)
    if sides.upper is None and sides.lower is None:
        raise Stopped
    return replace(_bracket_proof(game, sides), shortfall=reason)


def _bracket_proof(game: FloatGame, sides: Sides) -> Proof:
    """The records of both sides; a side that is missing is what is known at once."""
    queries, upper, lower = sides.queries, sides.upper, sides.lower
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


def _prove_exactly(planner: Planner, proposal: Proposal) -> Proof:
    """The values of the queries: find the fixed point in rationals, replay the proof, explore what it lacks,
    and again.

    Requires: a proposal for the queries and all that they need. Raises: ProposalFailed, Stopped, Detour.
    """
    game, queries, words = planner.game, planner.queries, planner.game.words
    planner.allowed = 0.0
    lifter = Lifter(game.space, engine_named("exact"), game.run.tally, words.bound)
    planner.start(proposal)
    plain: ExactGame | None = None
    if not planner.complete(widening=False):
        plain = ExactGame(
            planner.plan.proposal, lifter, queries
        )  # its couplings will do if no detour turns out to be cheaper
    exact: ExactGame | None = None
    proof: ExactProof | None = None
    further: set[int] = set()  # pairs that couplings use in rationals, and in floats do not
    for _ in range(_MOST_ROUNDS):
        planner.complete()
        plan = planner.plan
        if exact is not None and exact.proposal.origin == plan.proposal.origin:
            exact.solve(plan.proposal, plan.pairs)
        else:
            exact, proof = ExactGame(plan.proposal, lifter, [*queries, *plan.pairs, *further]), None
        found = [exact.values[query] for query in queries]
        source = exact
        if plain is not None and [plain.values[query] for query in queries] == found:
            source = plain
        elif plain is not None and planner.no_detours:
            raise Detour
        records, missing = source.upper_records(queries)
        if missing:
            further |= missing
            planner.start_anew(further)
            plain = None if source is plain else plain
            continue
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
            bounds = {query: (x, x) for query, x in zip(queries, map(to_fraction, found), strict=True)}
            return Proof(records, stages, words.length, bounds)
    raise ProposalFailed(f"functions still do not extend after {_MOST_ROUNDS} rounds")

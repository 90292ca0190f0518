"""A certified bracket from a table in floating point, without any exact linear system.

Exact values of a cyclic chain have thousands of digits, because they solve a linear system with as many
unknowns as there are pairs. A bracket of width 1e-9 need not: all its numbers lie on one grid, and every
inequality of the certificate is tested on integers. The two sides are `bracket_upper` and `bracket_lower`;
both first cut away the pairs that hardly matter to the query, and cut less if the bracket turns
out wider than was asked for.

A bracket costs a few sweeps of the kernel and one pass in Python over the pairs that matter, whatever the
number of states. It fails only where errors grow too much, because some pairs hardly ever leak.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TypeVar

from bdist.budget import Budget, Stopped
from bdist.distances.explore.bracket_lower import LowerSide, NotExtendable, prove_lower
from bdist.distances.explore.bracket_upper import UpperSide, prove_upper
from bdist.distances.explore.float_game import ProposalFailed
from bdist.distances.explore.functions import Planner
from bdist.distances.explore.proposal import Proposal

_Side = TypeVar("_Side", UpperSide, LowerSide)

_FIRST_SHARE = 0.2  # of the precision, for what the cut pairs contribute on one side
_FINER = 32.0
_MOST_ATTEMPTS = 5
_MOST_EXPLORATIONS = 50
_WIDEST, _NARROWEST = 0.1, 1e-10


def prove_bracket(planner: Planner, precision: Fraction) -> tuple[UpperSide, LowerSide]:
    """Both sides of a bracket no wider than the precision, if floats can provide it; else the best found.

    Raises: ProposalFailed where there is none, Stopped.
    """
    queries = planner.queries
    share = _FIRST_SHARE * float(precision)
    best: tuple[UpperSide, LowerSide] | None = None
    for _ in range(_MOST_ATTEMPTS):
        planner.explore(share)
        upper = prove_upper(planner.plan.proposal, queries, share)
        lower = _lower_side(planner, share)
        narrower = best is None or 2 * _width(upper, lower, queries) < _width(*best, queries)
        if narrower:
            best = upper, lower
        if not narrower or _width(upper, lower, queries) <= precision:
            break  # narrow enough, or what is cut is not what makes it wide
        share /= _FINER
    if best is None:
        raise ProposalFailed("no bracket was attempted")
    return best


def anytime_bracket(
    proposal: Proposal, queries: Sequence[int], seconds: float
) -> tuple[UpperSide | None, LowerSide | None]:
    """The best bracket that a proposal yields in some seconds a side: wide first, then narrower.

    For a computation that is cut short. A side is None where not even a wide bound was found.
    """
    return (
        _narrowing(proposal, seconds, lambda share: prove_upper(proposal, queries, share)),
        _narrowing(
            proposal, seconds, lambda share: prove_lower(Planner(proposal.game, queries), proposal, share)
        ),
    )


def _narrowing(proposal: Proposal, seconds: float, prove: Callable[[float], _Side]) -> _Side | None:
    """The last of ever better bounds on one side that was found in time."""
    proposal.game.run.budget = Budget(seconds)
    found: _Side | None = None
    share = _WIDEST
    with suppress(Stopped, ProposalFailed):
        while share >= _NARROWEST:
            with suppress(NotExtendable):
                found = prove(share)
            share /= _FINER
    return found


def _lower_side(planner: Planner, share: float) -> LowerSide:
    """The lower side, exploring further where its functions do not extend."""
    for _ in range(_MOST_EXPLORATIONS):
        try:
            return prove_lower(planner, planner.plan.proposal, share)
        except NotExtendable as error:
            planner.resolve(error.conflicts)
    raise ProposalFailed(f"functions still do not extend after {_MOST_EXPLORATIONS} explorations")


def _width(upper: UpperSide, lower: LowerSide, queries: Sequence[int]) -> Fraction:
    return max(upper.bound(query) - lower.bound(query) for query in queries)

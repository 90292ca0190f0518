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
from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget, Stopped
from bdist.distances.explore.bracket_lower import LowerSide, NotExtendable, prove_lower
from bdist.distances.explore.bracket_upper import UpperSide, prove_upper
from bdist.distances.explore.float_game import ProposalFailed
from bdist.distances.explore.functions import Planner
from bdist.distances.explore.proposal import Proposal

_FIRST_SHARE = 0.2  # of the precision, for what the cut pairs contribute on one side
_FINER = 32.0
_MOST_ATTEMPTS = 5
_MOST_EXPLORATIONS = 50
_WIDEST, _NARROWEST = 0.1, 1e-10


@dataclass
class Sides:
    """The best bounds so far on either side; None where not even a wide one was found."""

    queries: Sequence[int]
    upper: UpperSide | None = None
    lower: LowerSide | None = None

    def take(self, side: UpperSide | LowerSide) -> None:
        """Keep a side, if its bounds are better on the whole."""
        if isinstance(side, UpperSide):
            if self.upper is None or self._sum(side) < self._sum(self.upper):
                self.upper = side
        elif self.lower is None or self._sum(side) > self._sum(self.lower):
            self.lower = side

    def width(self) -> Fraction:
        """The width at the worst query."""
        if self.upper is None or self.lower is None:
            return Fraction(1)
        upper, lower = self.upper, self.lower
        return max(upper.bound(query) - lower.bound(query) for query in self.queries)

    def _sum(self, side: UpperSide | LowerSide) -> Fraction:
        return sum((side.bound(query) for query in self.queries), Fraction(0))


def prove_bracket(planner: Planner, precision: Fraction, sides: Sides) -> None:
    """Find both sides of a bracket no wider than the precision, if floats can provide it; else the best.

    Raises: ProposalFailed, Stopped; what was found is kept.
    """
    share = _FIRST_SHARE * float(precision)
    width = Fraction(2)
    for _ in range(_MOST_ATTEMPTS):
        planner.explore(share)
        sides.take(prove_upper(planner.plan.proposal, planner.queries, share))
        sides.take(_lower_side(planner, share))
        if sides.width() <= precision or 2 * sides.width() >= width:
            break  # narrow enough, or what is cut is not what makes it wide
        width = sides.width()
        share /= _FINER


def widen_bracket(proposal: Proposal, sides: Sides, seconds: float) -> None:
    """Find what a proposal yields in some seconds a side: wide first, then narrower.

    For a computation that is cut short.
    """
    queries = sides.queries
    _narrowing(proposal, sides, seconds, lambda share: prove_upper(proposal, queries, share))
    planner = Planner(proposal.game, queries)
    _narrowing(proposal, sides, seconds, lambda share: prove_lower(planner, proposal, share))


def _narrowing(
    proposal: Proposal, sides: Sides, seconds: float, prove: Callable[[float], UpperSide | LowerSide]
) -> None:
    """Take ever better bounds on one side, as long as there is time."""
    proposal.game.run.budget = Budget(seconds)
    share = _WIDEST
    with suppress(Stopped, ProposalFailed):
        while share >= _NARROWEST:
            with suppress(NotExtendable):
                sides.take(prove(share))
            share /= _FINER


def _lower_side(planner: Planner, share: float) -> LowerSide:
    """The lower side, exploring further where its functions do not extend."""
    for _ in range(_MOST_EXPLORATIONS):
        try:
            return prove_lower(planner, planner.plan.proposal, share)
        except NotExtendable as error:
            planner.resolve(error.conflicts)
    raise ProposalFailed(f"functions still do not extend after {_MOST_EXPLORATIONS} explorations")

"""A lower bound on the true delta at one alpha says something at every larger alpha."""

from __future__ import annotations

from fractions import Fraction

from bdist.results import Bound, Evidence


def carried_lower(bound: Bound, alpha: Fraction, above: Fraction) -> Bound:
    """A lower bound on tv or lv at ``alpha``, carried over to a larger one.

    An event with p - alpha q >= v has q <= (1 - v) / alpha, because p <= 1; so at ``above`` its advantage is
    at least v - (above - alpha) (1 - v) / alpha. Nothing of the event itself has to be known.
    Requires: above >= alpha.
    """
    if above == alpha:
        return bound
    value = bound.value - (above - alpha) * (1 - bound.value) / alpha
    return Bound(max(Fraction(0), value), Evidence.EXACT)

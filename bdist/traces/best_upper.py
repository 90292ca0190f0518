"""The best upper bound on the true delta at an alpha, from this alpha or from one a little below.

The true delta falls as alpha grows, so an upper bound that was computed at a smaller alpha holds at a larger
one too. bd_alpha and ld_alpha do not fall: on `instances/not-monotone` bd is 0 at alpha 2 and 1/80 at 5/2. So
the least of several values is a bound, and it can be strictly better than the value at alpha itself.

Where to look? The bounds are least where a likelihood ratio is matched exactly, and these are made of
quotients of transition probabilities; so the quotients at or below alpha are tried, nearest first. They are
also short fractions, so that a computation at one of them costs no more than one at alpha.

The true delta is about both orders of the pair: bd bounds both, ld only one, so for ld both are computed, in
one certificate, and the larger one counts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from fractions import Fraction

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Settings, Skew, compute_distance, compute_distances
from bdist.results import Distance
from bdist.traces.true_delta import TraceSettings, compute_trace_distance

NATURAL_COUNT = 2
_MOST_PROBABILITIES = 40


def natural_alphas(chain: LabelledMarkovChain) -> list[Fraction]:
    """The quotients above 1 of two transition probabilities, increasing.

    Where there are very many probabilities, those of the most frequent ones.
    """
    counts = Counter(p for row in chain.rows for _, p in row)
    frequent = [p for p, _ in counts.most_common(_MOST_PROBABILITIES)]
    return sorted({p / q for p in frequent for q in frequent if p > q})


class UpperBounds:
    """Upper bounds on the true delta of one pair from one quantity, remembered by alpha."""

    def __init__(self, chain: LabelledMarkovChain, pair: tuple[str, str], quantity: str) -> None:
        """Requires: the quantity is tv, bd or ld, which bound the true delta of a pair."""
        self._chain, self._pair, self._quantity = chain, pair, quantity
        self._natural = natural_alphas(chain)
        self._known: dict[Fraction, Distance] = {}

    def at(self, alpha: Fraction, budget: Budget) -> Distance:
        """The quantity at an alpha; of the two orders of ld, the larger."""
        known = self._known.get(alpha)
        if known is not None and known.limit is None:
            return known
        found = self._compute(Skew(alpha), budget)
        if known is None or found.bracket.upper.value <= known.bracket.upper.value:
            self._known[alpha] = found
        return self._known[alpha]

    def best(self, alpha: Fraction, budget: Budget, count: int = NATURAL_COUNT) -> Distance:
        """The least of the quantity at alpha and at the nearest natural alphas below; the first one on a tie.

        Ensures: ``.alpha`` of the answer is at most alpha, so that its upper bound holds at alpha.
        """
        best = self.at(alpha, budget)
        end = bisect_left(self._natural, alpha)
        for below in reversed(self._natural[max(0, end - count) : end]):
            if best.bracket.upper.value == 0 or budget.exhausted():
                break
            best = min(best, self.at(below, budget), key=lambda found: found.bracket.upper.value)
        return best

    def _compute(self, skew: Skew, budget: Budget) -> Distance:
        chain, pair = self._chain, self._pair
        if self._quantity == "tv":
            return compute_trace_distance(chain, pair, skew, "tv", TraceSettings(budget=budget)).distance
        settings = Settings(budget=budget)
        if self._quantity == "bd":
            return compute_distance(chain, pair, skew, "bd", settings)
        orders = [pair] if pair[0] == pair[1] else [pair, (pair[1], pair[0])]
        found = compute_distances(chain, orders, skew, "ld", settings)
        return max(found, key=lambda distance: distance.bracket.upper.value)


def best_upper(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    alpha: Fraction,
    quantity: str = "bd",
    budget: Budget | None = None,
    count: int = NATURAL_COUNT,
) -> Distance:
    """The least upper bound on the true delta at alpha from bd, ld or tv at alpha and ``count`` alphas below.

    Ensures: the certificate was checked, and is of the answer's ``.alpha``, which is at most alpha.
    """
    return UpperBounds(chain, pair, quantity).best(alpha, budget or Budget(), count)

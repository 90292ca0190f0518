"""Which pairs a bracket can do without: errors that are allowed, carried from pair to pair.

A bound at a query may be off by a small error. So may the bounds that it depends on, and by more: a coupling
multiplies the error of a pair by the weight that it puts there. A pair whose rough bound (1 from above, the
words from below) is within the error allowed at it need not be looked at, nor what only it depends on.

Pairs are looked at in waves, all that were asked for at once. Who is asked again within an error that is much
smaller is looked at again; not below a share of the error at the query, or circles would never end.

How an error is shared among the pairs needed is a rule of thumb. The width that comes out is measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_LEAST_SHARE = 1 / 64  # of the error at a query, anywhere
_MUCH_SMALLER = 0.25
_LEAST_MASS = 0.25  # an allowed error grows at most by its inverse from a pair to the next


class Allowances:
    """The errors that are allowed at pairs, and which of them were looked at; 0 at a query allows none."""

    def __init__(self, size: int, at_queries: float) -> None:
        self._least = at_queries * _LEAST_SHARE
        self.error = np.full(size, np.inf)
        self._looked = np.full(size, np.inf)  # the error when a pair was looked at last

    def grow(self, size: int) -> None:
        """Let there be more pairs."""
        more = np.full(size - len(self.error), np.inf)
        self.error = np.concatenate([self.error, more])
        self._looked = np.concatenate([self._looked, more])

    def ask(self, pairs: Numbers, errors: Floats | float) -> None:
        """Ask for pairs, within errors."""
        np.minimum.at(self.error, pairs, np.maximum(errors, self._least))

    def look(self, pairs: Numbers, harm: Floats) -> Numbers:
        """Which of some pairs are to be looked at, given what leaving each out costs; they are then."""
        pairs, first = np.unique(pairs, return_index=True)
        error = self.error[pairs]
        wanted = (harm[first] > error) & (error < _MUCH_SMALLER * self._looked[pairs])
        found = pairs[wanted]
        self._looked[found] = error[wanted]
        return np.asarray(found, dtype=np.int64)

    def looked_at(self) -> Numbers:
        """The pairs that were looked at."""
        return np.asarray(np.nonzero(self._looked < np.inf)[0], dtype=np.int64)


def shares(owner: Numbers, weight: Floats, owners: int) -> Floats:
    """By what to multiply the error of a coupling at each of the pairs that it depends on, some with weight
    0.

    ``owner`` is the coupling, of so many.
    """
    mass = np.maximum(np.bincount(owner, weight, minlength=owners), _LEAST_MASS)
    arcs = np.bincount(owner, weight > 0.0, minlength=owners)
    by_weight = np.where(weight > 0.0, 2 * arcs[owner] * weight, np.inf)
    return np.asarray(1.0 / np.minimum(mass[owner], by_weight), dtype=np.float64)

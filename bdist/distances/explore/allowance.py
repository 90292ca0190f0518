"""Which pairs a bracket can do without: errors that are allowed, carried from pair to pair.

A bound at a query may be off by a small error. So may the bounds that it depends on, and by more: a coupling
multiplies the error of a pair by the weight that it puts there. A pair whose rough bound (1 from above, the
words from below) is within the error allowed at it need not be looked at, nor what only it depends on. Pairs
are taken in the order of what they are allowed, the strictest first, so that each is looked at once.

How an error is shared among the pairs needed is a rule of thumb. The width that comes out is measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST_MASS = 0.25  # an allowed error grows at most by its inverse from a pair to the next


class Worklist:
    """Pairs to look at, each once, with the error allowed at it; ``harm`` is what leaving one out costs."""

    def __init__(self, harm: NDArray[np.float64], done: Iterable[int] = ()) -> None:
        self._harm = harm
        self._seen = set(done)
        self._waiting: list[tuple[float, int]] = []

    def require(self, pair: int, error: float) -> None:
        """Ask for a pair, unless it may be left out."""
        if pair not in self._seen and self._harm[pair] > error:
            heappush(self._waiting, (error, pair))

    def __iter__(self) -> Iterator[tuple[int, float]]:
        """The pairs, while more are asked for."""
        while self._waiting:
            error, pair = heappop(self._waiting)
            if pair not in self._seen:
                self._seen.add(pair)
                yield pair, error


class Shares:
    """How an error at a pair is shared among the pairs that its coupling depends on, given by weight."""

    def __init__(self, rows: Sequence[dict[int, float]]) -> None:
        self._mass = max(_LEAST_MASS, sum(sum(row.values()) for row in rows))
        self._arcs = sum(len(row) for row in rows)

    def share(self, error: float, weight: float = 0.0) -> float:
        """The error allowed at a pair with some weight; with none it is that of an even share."""
        return error / (min(self._mass, 2 * self._arcs * weight) if weight else self._mass)

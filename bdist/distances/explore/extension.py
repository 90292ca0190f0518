"""Whether a function on the states inside a program extends to all states of the label.

A directed lift is over *all* states of a label: a state k outside the program allows f on the inside only if
some value f_k satisfies

    f_i - alpha f_k <= d(i,k)   and   f_k - alpha f_j <= d(k,j)      for all i, j inside,

and the values of several outside states must agree with each other likewise. Let Lo be the least extension
(a longest-path computation from the inside) and Hi the greatest one (a shortest-path computation towards it).
f extends exactly if Lo <= Hi.

*A short way to write an extension.* For every number c the function min(Hi, max(Lo, c)) extends f: the
constraints between outside states are kept by maxima and minima, and a constant satisfies them. So one c for
the whole label is enough, with exceptions where c is not between Lo_k and Hi_k; and where one c fits between
all *direct* bounds, nothing but the rows of the inside states is looked at. That is the usual case, and why a
certificate lists a few states and one value for the rest of a label.

*Which distances.* The words (see `words`) are asked first: they need no proof in the certificate. If they are
too small, the distances of explored pairs are taken where they are larger; if these are too small as well,
there is a conflict: a path i, k, ..., j that is shorter than f allows. Its pairs are to be explored, and if
they are already, the constraint is real and the outside states of the path belong inside.

All of this is in floating point, with a margin: positive where the result is to be proved (distances are read
a little too small), negative where a conflict is to be certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bdist.distances.explore.lower_bounds import Explored, LowerBounds, TableBounds
from bdist.distances.explore.words import WordBounds
from bdist.distances.pairs import PairSpace
from bdist.exact.rationals import approximate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Extension:
    """A value for the rest of the label, anywhere between two numbers; exceptions; the pairs it depends on.

    ``depends_on`` are explored pairs whose distance was needed because the words were not enough.
    """

    rest: tuple[float, float]
    listed: dict[int, float]
    depends_on: frozenset[int]


_ABOUT_THE_SAME = 1e-9
_ALL_INSIDE = Extension((0.0, 1.0), {}, frozenset())


@dataclass(frozen=True)
class Conflict:
    """Paths from an inside state over outside ones to an inside state that are too short for f."""

    paths: tuple[tuple[int, ...], ...]

    def steps(self) -> Iterator[tuple[int, int]]:
        """The pairs of states along the paths."""
        for path in self.paths:
            yield from pairwise(path)

    @property
    def outside(self) -> tuple[int, ...]:
        """The states between the ends."""
        return tuple(dict.fromkeys(k for path in self.paths for k in path[1:-1]))


class Extender:
    """Extends functions on one pair space; explored distances are read from a table."""

    def __init__(self, space: PairSpace, words: WordBounds) -> None:
        self.explored = Explored(space, words)
        self.words = LowerBounds(words)
        self.alpha = approximate(space.alpha)
        self._last: tuple[Floats, int, TableBounds] | None = None
        self._remembered: dict[int, tuple[dict[int, float], Extension]] = {}

    def extend(
        self, members: tuple[int, ...], inside: dict[int, float], table: Floats, margin: float
    ) -> Extension | Conflict:
        """Extend a function given on the states inside, with the words if possible, else with the table."""
        if len(inside) == len(members):
            return _ALL_INSIDE
        plain = _Attempt(self, self.words, members, inside, margin).extension()
        if plain is not None:
            return plain
        return self.extend_within(self.laid_over(table), members, inside, margin)

    def extend_within(
        self, bounds: LowerBounds, members: tuple[int, ...], inside: dict[int, float], margin: float
    ) -> Extension | Conflict:
        """Extend a function with these bounds on distances."""
        if len(inside) == len(members):
            return _ALL_INSIDE
        attempt = _Attempt(self, bounds, members, inside, margin)
        return attempt.extension() or attempt.conflict()

    def remember(self, slot: int, f: dict[int, float], result: Extension | Conflict) -> None:
        """Keep an extension for a look at the same program again."""
        if isinstance(result, Extension):
            self._remembered[slot] = (f, result)

    def remembered(self, slot: int, f: dict[int, float]) -> Extension | None:
        """The last extension for a program, if its function is still about the same."""
        known = self._remembered.get(slot)
        if known is None or known[0].keys() != f.keys():
            return None
        same = all(abs(x - y) <= _ABOUT_THE_SAME for x, y in zip(known[0].values(), f.values(), strict=True))
        return known[1] if same else None

    def laid_over(self, table: Floats) -> TableBounds:
        """The words with a table laid over; made once for a table."""
        size = len(self.explored.space)
        if self._last is None or self._last[0] is not table or self._last[1] != size:
            self._last = (table, size, TableBounds(self.explored, table))
        return self._last[2]


class _Attempt:
    """One computation of Lo and Hi; positions are places in the label's class."""

    def __init__(
        self,
        extender: Extender,
        bounds: LowerBounds,
        members: tuple[int, ...],
        inside: dict[int, float],
        margin: float,
    ) -> None:
        self._extender = extender
        self._bounds = bounds
        self._members = members
        self._inside = inside
        self._alpha = extender.alpha
        self._margin = margin
        places = extender.explored.words.places(members[0])
        self._places = places
        self._label = extender.explored.space.chain.labels[members[0]]
        at = np.array([places[k] for k in inside])
        f = np.array(list(inside.values()))
        self._outside = np.ones(len(members), dtype=bool)
        self._outside[at] = False
        self._sources, self._sinks = at[f > 0.0], at[f < 1.0]
        self._low, self._high = np.zeros(len(members)), np.ones(len(members))
        if len(self._sources):
            needed = (f[f > 0.0, None] - bounds.rows(self._label, self._sources) + margin) / self._alpha
            self._low = np.clip(needed.max(axis=0), 0.0, 1.0)
            self._low_from = needed
        if len(self._sinks):
            allowed = (
                bounds.rows(self._label, self._sinks, backwards=True)
                - margin
                + self._alpha * f[f < 1.0, None]
            )
            self._high = np.clip(allowed.min(axis=0), 0.0, 1.0)
            self._high_from = allowed
        self._low[at], self._high[at] = 0.0, 1.0
        self._low_via: NDArray[np.int64] | None = None  # of states that another outside state moved
        self._high_via: NDArray[np.int64] | None = None

    def extension(self) -> Extension | None:
        """An extension, if there is one."""
        low, high = float(self._low.max()), float(self._high.min())
        if low <= high:
            return Extension((low, high), {}, self._dependencies(low, high, {}))
        if (self._low > self._high).any():
            return None
        self._propagate()
        if (self._low > self._high).any():
            return None
        rest = self._busiest()
        listed = {}
        for place in np.nonzero(self._outside & ((self._low > rest) | (self._high < rest)))[0].tolist():
            listed[self._members[place]] = float(min(self._high[place], max(self._low[place], rest)))
        return Extension((rest, rest), listed, self._dependencies(rest, rest, listed))

    def conflict(self) -> Conflict:
        """The paths in the way. Requires: there is no extension."""
        broken = np.nonzero(self._low > self._high)[0].tolist()
        return Conflict(tuple(self._path_through(place) for place in broken))

    def _propagate(self) -> None:
        """Carry Lo and Hi from outside states to outside states until nothing moves.

        Lo only falls along a step and Hi only rises, so that no state is its own reason.
        """
        self._low_via = np.full(len(self._members), -1, dtype=np.int64)
        self._high_via = np.full(len(self._members), -1, dtype=np.int64)
        fresh = np.nonzero(self._low > 0.0)[0]
        while len(fresh):
            level = self._low[fresh, None]
            pushed = np.minimum(
                (level - self._bounds.rows(self._label, fresh) + self._margin) / self._alpha, level
            )
            best = pushed.max(axis=0)
            moved = self._outside & (best > self._low)
            self._low[moved] = best[moved]
            self._low_via[moved] = fresh[pushed.argmax(axis=0)][moved]
            fresh = np.nonzero(moved)[0]
        fresh = np.nonzero(self._high < 1.0)[0]
        while len(fresh):
            level = self._high[fresh, None]
            pulled = np.maximum(
                self._bounds.rows(self._label, fresh, backwards=True) - self._margin + self._alpha * level,
                level,
            )
            best = pulled.min(axis=0)
            moved = self._outside & (best < self._high)
            self._high[moved] = best[moved]
            self._high_via[moved] = fresh[pulled.argmin(axis=0)][moved]
            fresh = np.nonzero(moved)[0]

    def _path_through(self, place: int) -> tuple[int, ...]:
        before, after = [place], [place]
        while self._outside[before[-1]]:
            before.append(self._before(before[-1]))
        while self._outside[after[-1]]:
            after.append(self._after(after[-1]))
        return tuple(self._members[k] for k in (*reversed(before), *after[1:]))

    def _before(self, place: int) -> int:
        """The state that Lo comes from."""
        if self._low_via is not None and self._low_via[place] >= 0:
            return int(self._low_via[place])
        return int(self._sources[int(self._low_from[:, place].argmax())])

    def _after(self, place: int) -> int:
        """The state that Hi comes from."""
        if self._high_via is not None and self._high_via[place] >= 0:
            return int(self._high_via[place])
        return int(self._sinks[int(self._high_from[:, place].argmin())])

    def _busiest(self) -> float:
        """The number that lies between Lo and Hi for as many outside states as possible."""
        low, high = np.sort(self._low[self._outside]), np.sort(self._high[self._outside])
        candidates = np.unique(np.concatenate([[0.0], low]))
        inside = np.searchsorted(low, candidates, side="right") - np.searchsorted(
            high, candidates, side="left"
        )
        return float(candidates[int(np.argmax(inside))])

    def _dependencies(self, low: float, high: float, listed: dict[int, float]) -> frozenset[int]:
        """The explored pairs without whose distance the extension would break a constraint."""
        words, number = self._extender.words, self._extender.explored.space.number
        if self._bounds is words:
            return frozenset()
        named = {**self._inside, **listed}
        at = np.array([self._places[k] for k in named])
        x = np.array(list(named.values()))
        value = np.full(len(self._members), 0.5 * (low + high))
        value[at] = x
        out = x[:, None] - self._alpha * value > words.rows(self._label, at) - self._margin
        into = value - self._alpha * x[:, None] > words.rows(self._label, at, backwards=True) - self._margin
        states = list(named)
        found = {
            number.get((states[a], self._members[k]))
            for a, k in zip(*np.nonzero(out & self._outside), strict=True)
        }
        found |= {
            number.get((self._members[k], states[a]))
            for a, k in zip(*np.nonzero(into & self._outside), strict=True)
        }
        return frozenset(pair for pair in found if pair is not None)

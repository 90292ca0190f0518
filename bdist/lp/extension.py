"""Functions on a few states of a label, extended to all of its states.

A directed lift is over *all* states of a label: a state k outside its program allows f on the states inside
only if some value f_k satisfies

    f_i - alpha f_k <= d(i,k)   and   f_k - alpha f_j <= d(k,j)      for all i, j inside,

and the values of several outside states must agree with each other likewise. Let Lo be the least extension
(a longest-path computation from the inside) and Hi the greatest one (a shortest-path computation towards it).
f extends exactly if Lo <= Hi.

*A short way to write an extension.* For every number c the function min(Hi, max(Lo, c)) extends f: the
constraints between outside states are kept by maxima and minima, and a constant satisfies them. So one c for
the whole label is enough, with exceptions where c is not between Lo_k and Hi_k. If one c fits all *direct*
bounds, nothing but the rows of the inside states is looked at. That is the usual case, and why a certificate
names a few states and one value for the rest of a label. Otherwise c is what fits most states, and only the
bounds of the exceptions are carried on: f_k - alpha f_l > 0 needs f_k > c or f_l < c.

*Which distances.* There are two tables of them: *words*, which need no proof, and *known*, at least as large,
which need one. The words are tried first, and what a function needs beyond them is told pair by pair.

*On a grid.* A function that is to be part of a certificate as it is, is rounded down to multiples of a grid
and lowered until every constraint holds there, which integers decide.

The compiled kernel does this for thousands of functions in parallel (`kernel/extension.hpp`); `_extend_one`
is the same in NumPy, for machines without a compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bdist.lp.batch import Presence, compiled_module, kernel_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.int32]

EXTENDED, OBSTRUCTED, ROWS_MISSING = 0, 1, 2
_TIGHT = 1e-12  # how near to the words a function may come without leaning on them
_MOST_OBSTACLES = 4
_PLACES = 50  # the grid are the multiples of 2^-50: sums of a few such numbers are exact in floats


@dataclass(frozen=True)
class Rows:
    """Rows of distances of one label, by place: d(i, .) by words and as known, and d(., i) likewise.

    ``index`` says where the row of a state is, or -1. Where d is symmetric both directions are one array.
    """

    index: Places
    words: Floats
    words_in: Floats
    known: Floats
    known_in: Floats


@dataclass(frozen=True)
class Grid:
    """Multiples of 2^-50 as integers, and alpha times 2^shift, rounded down.

    An alpha above 2^50 is as good as 2^50: the multiple of any positive number on the grid is at least 1.
    """

    alpha: int
    shift: int

    @classmethod
    def of(cls, alpha: Fraction) -> Grid:
        """The grid for a privacy parameter of at least 1."""
        alpha = min(alpha, Fraction(1 << _PLACES))
        shift = 62 - (alpha.numerator // alpha.denominator).bit_length()
        return cls((alpha.numerator << shift) // alpha.denominator, shift)


@dataclass(frozen=True)
class Extended:
    """A function on a whole label, or why there is none.

    ``rest`` is the range of values that all states may have that are not named; ``named`` the others, the
    states inside first; ``needs`` the pairs whose known distance is used where the words are not enough.
    Where it does not extend, ``named`` has the states in the way, or those whose rows are missing.
    """

    status: int
    rest: tuple[float, float]
    named: list[int]
    values: list[float]
    needs: list[tuple[int, int]]

    @property
    def value(self) -> float:
        """One value for the rest: 0 or 1 where they will do."""
        low, high = self.rest
        return 0.0 if low <= 0.0 else 1.0 if high >= 1.0 else 0.5 * (low + high)


def extend(
    rows: Rows,
    functions: Sequence[tuple[Sequence[int], Sequence[float]]],
    alpha: float,
    margin: float,
    grid: Grid | None,
    threads: int,
) -> list[Extended]:
    """Extend functions, each given by places and values; distances are read too small by the margin.

    With a ``grid`` the values are on it and satisfy all constraints there.
    """
    if kernel_state().presence is not Presence.COMPILED:
        return [_extend_one(rows, places, values, alpha, margin, grid) for places, values in functions]
    offsets = np.zeros(len(functions) + 1, dtype=np.int64)
    offsets[1:] = np.cumsum([len(places) for places, _ in functions])
    flat = [k for places, _ in functions for k in places]
    amounts = [x for _, values in functions for x in values]
    arrays = compiled_module().extend(
        *(table.ravel() for table in (rows.words, rows.words_in, rows.known, rows.known_in)),
        rows.index,
        offsets,
        np.array(flat, dtype=np.int32),
        np.array(amounts, dtype=np.float64),
        alpha,
        margin,
        *((0, 0) if grid is None else (grid.alpha, grid.shift)),
        threads,
    )
    status, low, high, named_at, named, values, needed_at, source, target = (a.tolist() for a in arrays)
    found = []
    for k, state in enumerate(status):
        a, b, c, d = named_at[k], named_at[k + 1], needed_at[k], needed_at[k + 1]
        needs = list(zip(source[c:d], target[c:d], strict=True))
        found.append(Extended(state, (low[k], high[k]), named[a:b], values[a:b], needs))
    return found


def _extend_one(
    rows: Rows, places: Sequence[int], values: Sequence[float], alpha: float, margin: float, grid: Grid | None
) -> Extended:
    missing = [k for k in places if rows.index[k] < 0]
    if missing:
        return Extended(ROWS_MISSING, (0.0, 1.0), missing, [], [])
    for out, back in ((rows.words, rows.words_in), (rows.known, rows.known_in)):
        attempt = _Attempt(rows.index, out, back, places, values, alpha, margin)
        if attempt.status != OBSTRUCTED:
            break
    if attempt.status != EXTENDED:
        return Extended(attempt.status, (0.0, 1.0), attempt.places, [], [])
    return attempt.told(rows) if grid is None else attempt.moved_to_grid(rows, grid)


class _Attempt:
    """Lo and Hi with one table; positions are places in the label."""

    def __init__(
        self,
        index: Places,
        out: Floats,
        back: Floats,
        places: Sequence[int],
        values: Sequence[float],
        alpha: float,
        margin: float,
    ) -> None:
        self._index, self._out, self._back, self._alpha, self._margin = index, out, back, alpha, margin
        self._inside = np.array(places, dtype=np.int64)
        self._f = np.array(values, dtype=np.float64)
        size = len(index)
        self._named = np.zeros(size, dtype=bool)
        self._named[self._inside] = True
        self._low, self._high = np.zeros(size), np.ones(size)
        self._low_via, self._high_via = np.full(size, -1), np.full(size, -1)
        at = index[self._inside]
        sources, sinks = self._f > 0.0, self._f < 1.0
        if sources.any():
            pushed = (self._f[sources, None] - out[at[sources]] + margin) / alpha
            self._low = np.clip(pushed.max(axis=0), 0.0, 1.0)
        if sinks.any():
            pulled = back[at[sinks]] - margin + alpha * self._f[sinks, None]
            self._high = np.clip(pulled.min(axis=0), 0.0, 1.0)
        self.places: list[int] = []
        self.status = self._extend()

    def _extend(self) -> int:
        outside = ~self._named
        low = max(0.0, float(self._low[outside].max(initial=0.0)))
        high = min(1.0, float(self._high[outside].min(initial=1.0)))
        self.rest = (low, high)
        if low <= high:
            return EXTENDED
        if self._obstacles():
            return OBSTRUCTED
        lows, highs = np.sort(self._low[outside]), np.sort(self._high[outside])
        candidates = np.unique(lows)
        held = np.searchsorted(lows, candidates, side="right") - np.searchsorted(highs, candidates)
        rest = float(candidates[int(np.argmax(held))])
        self.rest = (rest, rest)
        self._carry(rest)
        if self.places:
            return ROWS_MISSING
        return OBSTRUCTED if self._obstacles() else EXTENDED

    def _carry(self, rest: float) -> None:
        """Bounds of states that are not at the rest bind other outside states; no other does."""
        outside = ~self._named
        work = np.nonzero(outside & (self._low > rest))[0].tolist()
        while work:
            k = work.pop()
            if self._index[k] < 0:
                self.places.append(k)
                continue
            pushed = (self._low[k] - self._out[self._index[k]] + self._margin) / self._alpha
            pushed = np.minimum(pushed, self._low[k])  # no state is its own reason
            moved = np.nonzero(outside & (pushed > self._low))[0]
            self._low[moved], self._low_via[moved] = pushed[moved], k
            work.extend(moved[pushed[moved] > rest].tolist())
        work = np.nonzero(outside & (self._high < rest))[0].tolist()
        while work:
            k = work.pop()
            if self._index[k] < 0:
                self.places.append(k)
                continue
            pulled = self._back[self._index[k]] - self._margin + self._alpha * self._high[k]
            pulled = np.maximum(pulled, self._high[k])
            moved = np.nonzero(outside & (pulled < self._high))[0]
            self._high[moved], self._high_via[moved] = pulled[moved], k
            work.extend(moved[pulled[moved] < rest].tolist())

    def _obstacles(self) -> bool:
        excess = np.where(self._named, -1.0, self._low - self._high)
        worst = np.argsort(-excess, kind="stable")[:_MOST_OBSTACLES]
        found: dict[int, None] = {}
        for first in worst[excess[worst] > 0.0].tolist():
            for via in (self._low_via, self._high_via):
                k = first
                while k >= 0:
                    found[k] = None
                    k = int(via[k])
        self.places = list(found)
        return bool(found)

    def _function(self, value: float) -> tuple[Floats, list[int]]:
        """The function with a value for the rest, and the states that do not have it."""
        f = np.clip(value, self._low, self._high)
        exceptions = np.nonzero(~self._named & (f != value))[0]
        f[self._inside] = self._f
        return f, [*self._inside.tolist(), *exceptions.tolist()]

    def told(self, rows: Rows) -> Extended:
        value = Extended(EXTENDED, self.rest, [], [], []).value
        f, named = self._function(value)
        return self._with_needs(rows, f, named, self.rest)

    def moved_to_grid(self, rows: Rows, grid: Grid) -> Extended:
        """Lower everything to the grid until all constraints hold with numbers on it."""
        scale = 2.0**_PLACES
        value = Extended(EXTENDED, self.rest, [], [], []).value
        values, named = self._function(value)
        others = sorted(set(range(len(values))).difference(named))
        rest = int(value * scale)
        f = [int(x * scale) for x in np.clip(values, 0.0, 1.0).tolist()]
        for k in others:
            f[k] = rest
        out = {i: np.floor(rows.known[rows.index[i]] * scale).tolist() for i in named}
        back = {i: np.floor(rows.known_in[rows.index[i]] * scale).tolist() for i in named}
        moved = True
        while moved:
            moved = False
            for i in named:
                bounds = (int(d) + ((grid.alpha * x) >> grid.shift) for d, x in zip(out[i], f, strict=True))
                most = min((bound for k, bound in enumerate(bounds) if k != i), default=f[i])
                if most < f[i]:
                    f[i], moved = most, True
                allowed = (grid.alpha * f[i]) >> grid.shift
                most = min((int(back[i][k]) + allowed for k in others), default=rest)
                if most < rest:
                    rest, moved = most, True
                    for k in others:
                        f[k] = rest
        return self._with_needs(rows, np.array(f) / scale, named, (rest / scale, rest / scale))

    def _with_needs(self, rows: Rows, f: Floats, named: list[int], rest: tuple[float, float]) -> Extended:
        known = set(named)
        needs: list[tuple[int, int]] = []
        for i in named:
            at = rows.index[i]
            given = f[i] - self._alpha * f
            given[i] = 0.0
            leaning = (given > 0.0) & (given > rows.words[at] - _TIGHT)
            leaning &= rows.known[at] > rows.words[at] + _TIGHT
            needs.extend((i, k) for k in np.nonzero(leaning)[0].tolist())
            taken = f - self._alpha * f[i]
            leaning = (taken > 0.0) & (taken > rows.words_in[at] - _TIGHT)
            leaning &= rows.known_in[at] > rows.words_in[at] + _TIGHT
            needs.extend((k, i) for k in np.nonzero(leaning)[0].tolist() if k not in known)
        return Extended(EXTENDED, rest, named, f[named].tolist(), needs)

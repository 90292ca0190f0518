"""Tables of numbers d(i,j), for different states i and j with the same label.

A table knows how to compute each of its numbers, and does so when it is looked at, once. Where a potential
has one value on many states, its constraints between them and a state i hold if the one with the least d
does. So a table also lists the states in rising order of d(i,k) or of d(k,i): one sort for a state, instead
of a loop over all states in every record. What is computed is kept, and both are counted as work: a short
certificate can ask for the numbers of all pairs of a long model.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key

from ..core.chain import Model
from ..core.limits import Work

Ratio = tuple[int, int]  # x/y is (x, y), with y > 0, and not always in lowest terms
NIL: Ratio = (0, 1)
UNIT: Ratio = (1, 1)

_Listed = tuple[str, Ratio]


class Table:
    """d, entered or else computed; if it is symmetric, d(i,j) = d(j,i) is one number."""

    def __init__(
        self, model: Model, symmetric: bool, compute: Callable[[str, str], Ratio], work: Work
    ) -> None:
        self.work = work
        self._model = model
        self._symmetric = symmetric
        self._compute = compute
        self._rows: dict[str, dict[str, Ratio]] = {state: {} for state in model.labels}
        self._rising: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})  # rows, columns

    def at(self, i: str, j: str) -> Ratio:
        """d(i,j). Requires: i ≠ j, and they have the same label. Raises: TooLarge."""
        value = self._rows[i].get(j)
        if value is None:
            value = self._compute(i, j)
            self.work.keep(1, value[1].bit_length())
            self._set(i, j, value)
        return value

    def enter(self, i: str, j: str, value: Ratio) -> None:
        """Let d(i,j) be this number."""
        self._set(i, j, value)
        for rising in self._rising:  # what was sorted with another number is forgotten
            rising.pop(i, None)
            rising.pop(j, None)

    def rising_from(self, i: str) -> list[str]:
        """The other states k with the label of i, that with the least d(i,k) first."""
        rows, _ = self._rising
        if i not in rows:
            rows[i] = self._sorted([(k, self.at(i, k)) for k in self._peers(i)])
        return rows[i]

    def rising_to(self, j: str) -> list[str]:
        """The other states k with the label of j, that with the least d(k,j) first."""
        if self._symmetric:
            return self.rising_from(j)
        _, columns = self._rising
        if j not in columns:
            columns[j] = self._sorted([(k, self.at(k, j)) for k in self._peers(j)])
        return columns[j]

    def _peers(self, i: str) -> list[str]:
        return [k for k in self._model.states_of[self._model.labels[i]] if k != i]

    def _set(self, i: str, j: str, value: Ratio) -> None:
        self._rows[i][j] = value
        if self._symmetric:
            self._rows[j][i] = value

    def _sorted(self, listed: list[_Listed]) -> list[str]:
        def difference(one: _Listed, other: _Listed) -> int:
            (_, (x, y)), (_, (u, v)) = one, other
            return x * v - u * y  # has the sign of x/y − u/v

        longest = max((max(ratio).bit_length() for _, ratio in listed), default=0)
        self.work.spend(len(listed) * len(listed).bit_length(), longest, longest)
        return [k for k, _ in sorted(listed, key=cmp_to_key(difference))]

"""Lower bounds on the distances within a label, as matrices: what limits the functions of a proof.

`LowerBounds` is what `extension` asks: d(i,k) for a state i and all states k of its label at once. There are
three kinds. `LowerBounds` itself are the words, which need no record in a certificate; `TableBounds` lays a
table over them, where explored pairs have what the table says if that is more; `RankBounds` has the 0/1
bounds of ranks, where pairs count as 1 if they are known to be positive. The matrix of a label is made when
it is first needed and kept; of a very large label only the rows are that are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bdist.distances.explore.words import WordBounds
from bdist.distances.pairs import PairSpace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_LARGEST_MATRIX = 1_500  # states of a label
_SURELY_POSITIVE = 1e-12  # a float above this stands for a positive number


class Explored:
    """Which entries of a label's matrix are explored pairs; follows a space that grows."""

    def __init__(self, space: PairSpace, words: WordBounds) -> None:
        self.space = space
        self.words = words
        self._known = 0
        self._entries: dict[int, list[tuple[int, int]]] = {}  # i -> places k and numbers of pairs (i, k)
        self._entries_back: dict[int, list[tuple[int, int]]] = {} if space.ordered else self._entries

    def of(self, i: int, *, backwards: bool) -> tuple[Numbers, Numbers]:
        """The places k and the numbers of the explored pairs (i, k), or (k, i) backwards."""
        for number in range(self._known, len(self.space)):
            a, b = self.space.pairs[number]
            self._entries.setdefault(a, []).append((self.words.place(b), number))
            self._entries_back.setdefault(b, []).append((self.words.place(a), number))
        self._known = len(self.space)
        found = (self._entries_back if backwards else self._entries).get(i, [])
        table = np.array(found, dtype=np.int64).reshape(-1, 2)
        return table[:, 0], table[:, 1]


class LowerBounds:
    """The words: d(i,k) is at least what the next few labels say."""

    def __init__(self, words: WordBounds) -> None:
        self._words = words
        self._matrices: dict[str, Floats | None] = {}

    def matrix(self, label: str) -> Floats | None:
        """d(i,k) by places in the label; None where the label is too large for a matrix."""
        if label not in self._matrices:
            members = self._words.chain.states_by_label[label]
            small = len(members) <= _LARGEST_MATRIX
            self._matrices[label] = (
                np.array([self._row(i, backwards=False) for i in members]) if small else None
            )
        return self._matrices[label]

    def row(self, i: int, *, backwards: bool) -> Floats:
        """d(i,k), or d(k,i) backwards, for the members k of i's label."""
        matrix = self.matrix(self._words.chain.labels[i])
        if matrix is None:
            return self._row(i, backwards=backwards)
        place = self._words.place(i)
        return matrix[:, place] if backwards else matrix[place]

    def rows(self, label: str, places: Numbers, *, backwards: bool = False) -> Floats:
        """The rows of the states at some places of a label."""
        matrix = self.matrix(label)
        if matrix is not None:
            return np.asarray(matrix[:, places].T if backwards else matrix[places])
        members = self._words.chain.states_by_label[label]
        return np.array([self._row(members[place], backwards=backwards) for place in places.tolist()])

    def _row(self, i: int, *, backwards: bool) -> Floats:
        return self._words.row_approx(i, backwards=backwards)


class TableBounds(LowerBounds):
    """The words, or what a table says of explored pairs if that is more."""

    def __init__(self, explored: Explored, table: Floats) -> None:
        super().__init__(explored.words)
        self._explored = explored
        self._table = table

    def _row(self, i: int, *, backwards: bool) -> Floats:
        row = super()._row(i, backwards=backwards).copy()
        places, numbers = self._explored.of(i, backwards=backwards)
        row[places] = np.maximum(row[places], self._table[numbers])
        return row


class RankBounds(LowerBounds):
    """1 where a pair is known to be positive: by its rank if it has a record, by the words otherwise.

    ``ranked`` is 1 or 0 at pairs with a record and negative at the others.
    """

    def __init__(self, explored: Explored, ranked: Floats) -> None:
        super().__init__(explored.words)
        self._explored = explored
        self._ranked = ranked

    def _row(self, i: int, *, backwards: bool) -> Floats:
        row = (super()._row(i, backwards=backwards) > _SURELY_POSITIVE).astype(np.float64)
        places, numbers = self._explored.of(i, backwards=backwards)
        known = self._ranked[numbers]
        row[places[known >= 0.0]] = known[known >= 0.0]
        return row

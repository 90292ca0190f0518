"""A lower bound on the distance of any two states that costs no linear program: the next few labels.

P_i(u) is the probability that the next m states after i carry the labels u = c1...cm. For two states with the
same label

    B(i,j) = sum over words u of max(0, P_i(u) - alpha P_j(u))        (for bd the larger of both directions)

is at most bd(i,j), and for ld, at most ld(i,j): an observer who looks at m labels and accepts the words that
speak for i gains that much, and no coupling prevents it. (By induction on m: f_i = P_i(accepted words) is
feasible for the bound with m - 1 labels, and its objective is the bound with m.)

What for? A directed lift involves every state of a label. Almost all of them lie outside both supports, and
almost all of those are irrelevant because they are *far enough* from the states inside; to know that, a rough
lower bound is enough. With it a query on a chain of hundreds of states depends on some dozens of pairs, where
all pairs of a label would be tens of thousands, and certificates shrink alike: a checker computes B itself
(SPEC, member ``words``).

Tried instead: one label only (m = 1), which is free but leaves a hundred times more pairs to look at for four
dining cryptographers; and lower bounds by iterating Gamma on all pairs, which is what this is to avoid.

Rows of B are computed in floating point for proposals (`row_approx`, a whole class at once), single entries
in rationals for decisions (`bound`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from flint import fmpq

from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.pairs import PairSpace
from bdist.exact.rationals import ONE, ZERO, approximate, to_fmpq

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Mass = TypeVar("_Mass")

_LONGEST = 16  # labels
_MOST_WORDS = 64  # from a state, on the average
_SAMPLE = 200  # states over which the average is taken
_MOST_CACHED = 30_000_000  # floats in rows that are kept


class WordBounds:
    """B for one chain, alpha and length, computed where it is asked for."""

    def __init__(self, chain: LabelledMarkovChain, alpha: fmpq, length: int = 1, *, ordered: bool) -> None:
        self.chain = chain
        self.alpha = alpha
        self._ordered = ordered
        self._alpha_approx = approximate(alpha)
        self._numbers: dict[tuple[str, int], int] = {}  # a word is its first label and the number of the rest
        # by length, state, word
        self._exact: defaultdict[int, dict[int, dict[int, fmpq]]] = defaultdict(dict)
        self._approx: defaultdict[int, dict[int, dict[int, float]]] = defaultdict(dict)
        self._classes: dict[str, _Class] = {}
        self._rows: dict[tuple[int, bool], NDArray[np.float64]] = {}
        self._bounds: dict[tuple[int, int], fmpq] = {}
        self._cached = 0
        self.length = length

    @classmethod
    def in_space(cls, space: PairSpace) -> WordBounds:
        """Bounds for the pairs of a space, with as many labels as leave few words a state."""
        words = cls(space.chain, space.alpha, ordered=space.ordered)
        states = sorted(space.chain.reachable({state for pair in space.pairs for state in pair}))
        sample = states[:: 1 + len(states) // _SAMPLE]
        while words.length < _LONGEST:
            if words._words_from(sample, words.length + 1) > _MOST_WORDS * len(sample):
                break
            words.length += 1
        return words

    def bound(self, i: int, j: int) -> fmpq:
        """B(i, j). Requires: two different states with the same label."""
        if not self._ordered and i > j:
            i, j = j, i
        found = self._bounds.get((i, j))
        if found is None:
            found = self._directed(i, j)
            if not self._ordered:
                found = max(found, self._directed(j, i))
            self._bounds[i, j] = found
        return found

    def first_difference(self, i: int, j: int) -> tuple[int, bool] | None:
        """The fewest labels with which some word tells two states apart, and whether one then speaks for i.

        A word tells them apart if one of its two probabilities is more than alpha times the other; for ld
        only that of i counts. None where no word of the length at hand does.
        """
        for length in range(1, self.length + 1):
            mine, theirs = self._exact_vector(i, length), self._exact_vector(j, length)
            forward = any(p > self.alpha * theirs.get(word, ZERO) for word, p in mine.items())
            if forward or (
                not self._ordered and any(p > self.alpha * mine.get(word, ZERO) for word, p in theirs.items())
            ):
                return length, forward
        return None

    def row_approx(self, i: int, *, backwards: bool = False) -> NDArray[np.float64]:
        """B(i, k), or B(k, i) backwards, for the members k of i's class; at k = i it is 0."""
        key = (i, backwards and self._ordered)
        found = self._rows.get(key)
        if found is None:
            found = self._row(i, key[1])
            self._cached += len(found)
            if self._cached > _MOST_CACHED:
                self._rows.clear()
                self._cached = len(found)
            self._rows[key] = found
        return found

    def place(self, k: int) -> int:
        """The position of a state among the members of its class."""
        return self._class_of(self.chain.labels[k]).place[k]

    def _words_from(self, states: Sequence[int], length: int) -> int:
        return sum(len(self._approx_vector(i, length)) for i in states)

    def _row(self, i: int, backwards: bool) -> NDArray[np.float64]:
        group = self._class_of(self.chain.labels[i])
        own = self._approx_vector(i, self.length)
        columns = np.fromiter((group.column[word] for word in own), dtype=np.int64, count=len(own))
        mine = np.fromiter(own.values(), dtype=np.float64, count=len(own))
        theirs = group.matrix[:, columns]
        forward = np.maximum(mine - self._alpha_approx * theirs, 0.0).sum(axis=1)
        backward = np.maximum(1.0 - np.minimum(theirs, self._alpha_approx * mine).sum(axis=1), 0.0)
        one_way = backward if backwards else forward
        row = one_way if self._ordered else np.maximum(forward, backward)
        row[group.place[i]] = 0.0
        row.setflags(write=False)
        return np.asarray(row, dtype=np.float64)

    def _class_of(self, label: str) -> _Class:
        found = self._classes.get(label)
        if found is None:
            members = self.chain.states_by_label[label]
            found = _Class(members, [self._approx_vector(k, self.length) for k in members])
            self._classes[label] = found
        return found

    def _directed(self, i: int, j: int) -> fmpq:
        second = self._exact_vector(j, self.length)
        total = ZERO
        for word, mass in self._exact_vector(i, self.length).items():
            gain = mass - self.alpha * second.get(word, ZERO)
            if gain > 0:
                total += gain
        return total

    def _exact_vector(self, i: int, length: int) -> dict[int, fmpq]:
        found = self._exact[length].get(i)
        if found is None:
            found = {0: ONE} if length == 0 else {}
            for k, p in self.chain.rows[i] if length else ():
                weight = to_fmpq(p)
                for word, mass in self._word_numbers(k, self._exact_vector(k, length - 1)):
                    found[word] = found.get(word, ZERO) + weight * mass
            self._exact[length][i] = found
        return found

    def _approx_vector(self, i: int, length: int) -> dict[int, float]:
        found = self._approx[length].get(i)
        if found is None:
            found = {0: 1.0} if length == 0 else {}
            for k, p in self.chain.rows[i] if length else ():
                weight = float(p)
                for word, mass in self._word_numbers(k, self._approx_vector(k, length - 1)):
                    found[word] = found.get(word, 0.0) + weight * mass
            self._approx[length][i] = found
        return found

    def _word_numbers(self, k: int, rests: dict[int, _Mass]) -> list[tuple[int, _Mass]]:
        label = self.chain.labels[k]
        numbers = self._numbers
        return [(numbers.setdefault((label, rest), len(numbers) + 1), mass) for rest, mass in rests.items()]


class _Class:
    """The word vectors of the states with one label, as a matrix."""

    def __init__(self, members: tuple[int, ...], vectors: list[dict[int, float]]) -> None:
        self.place = {k: position for position, k in enumerate(members)}
        self.column: dict[int, int] = {}
        for vector in vectors:
            for word in vector:
                self.column.setdefault(word, len(self.column))
        self.matrix = np.zeros((len(members), len(self.column)))
        for position, vector in enumerate(vectors):
            for word, mass in vector.items():
                self.matrix[position, self.column[word]] = mass

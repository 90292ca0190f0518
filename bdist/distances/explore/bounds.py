"""What is known of the distances within a label, as rows of floats: what limits the functions of a proof.

Two tables of lower bounds: the *words*, which a checker computes itself, and the *known* ones, which are at
least as large: the proposed value of a pair that is explored, where that is more, for which a function must
then be found. Rows are made when they are first asked for, so that memory goes with the states that a proof
touches and not with the square of the chain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.explore.words import WordBounds
from bdist.lp.extension import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_NOISE = 1e-14  # what a float that stands for an exact number may be wrong by
Arc = tuple[int, int]


@dataclass
class _Label:
    """The rows of one label; ``filled`` of them are made."""

    members: tuple[int, ...]
    place: dict[int, int]
    index: NDArray[np.int32]
    words: Floats
    words_in: Floats
    known: Floats
    known_in: Floats
    filled: int = 0
    # distances beyond the words, with the place of the other state: from a place, and to it
    laid: dict[int, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    laid_in: dict[int, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))


class Distances:
    """Lower bounds by label, for the states that are asked for."""

    def __init__(self, chain: LabelledMarkovChain, words: WordBounds, *, ordered: bool) -> None:
        self._chain = chain
        self._ordered = ordered
        self._words = words
        self._labels: dict[str, _Label] = {}

    def of(self, members: tuple[int, ...], states: Iterable[int] = ()) -> Rows:
        """The rows of a label, with those of some of its states at least."""
        label = self._label(members)
        missing = [k for k in dict.fromkeys(states) if label.index[label.place[k]] < 0]
        if missing:
            self._fill(label, missing)
        made = slice(0, max(1, label.filled))
        words, known = label.words[made], label.known[made]
        if not self._ordered:
            return Rows(label.index, words, words, known, known)
        return Rows(label.index, words, label.words_in[made], known, label.known_in[made])

    def place(self, members: tuple[int, ...]) -> dict[int, int]:
        """The positions of states in their label."""
        return self._label(members).place

    def forget(self) -> None:
        """Let nothing be known but the words."""
        for label in self._labels.values():
            label.known[: label.filled] = label.words[: label.filled]
            label.known_in[: label.filled] = label.words_in[: label.filled]
            label.laid.clear()
            label.laid_in.clear()

    def lay(self, arcs: Sequence[Arc], values: Floats) -> None:
        """Let more be known of some pairs."""
        fresh: dict[str, list[tuple[int, int, float]]] = defaultdict(list)
        for (i, j), value in zip(arcs, values.tolist(), strict=True):
            name = self._chain.labels[i]
            place = self._label(self._chain.states_by_label[name]).place
            fresh[name].append((place[i], place[j], value))
        for name, laid in fresh.items():
            label = self._labels[name]
            for i, j, value in laid:
                label.laid[i].append((j, value))
                label.laid_in[j].append((i, value))
            self._put(label, laid)

    def words_row(self, k: int, *, backwards: bool) -> Floats:
        """What is known without a proof of the distances from a state, or to it, a little too small."""
        return np.maximum(self._words.row_approx(k, backwards=backwards) - _NOISE, 0.0)

    def _label(self, members: tuple[int, ...]) -> _Label:
        name = self._chain.labels[members[0]]
        found = self._labels.get(name)
        if found is None:
            size = len(members)
            words, words_in, known, known_in = (
                np.zeros((rows, size)) for rows in (1, int(self._ordered)) * 2
            )
            place = {k: position for position, k in enumerate(members)}
            index = np.full(size, -1, dtype=np.int32)
            found = _Label(members, place, index, words, words_in, known, known_in)
            self._labels[name] = found
        return found

    def _fill(self, label: _Label, states: Sequence[int]) -> None:
        first, end, size = label.filled, label.filled + len(states), len(label.members)
        both = (("words", "known", False), ("words_in", "known_in", True))
        for words, known, backwards in both[: 1 + self._ordered]:
            for name in (words, known):
                table = getattr(label, name)
                if end > len(table):
                    larger = np.zeros((max(end, min(2 * end, size)), size))
                    larger[:first] = table[:first]
                    setattr(label, name, larger)
            for position, k in enumerate(states, first):
                getattr(label, words)[position] = self.words_row(k, backwards=backwards)
            getattr(label, known)[first:end] = getattr(label, words)[first:end]
        label.index[[label.place[k] for k in states]] = np.arange(first, end)
        label.filled = end
        fresh = [label.place[k] for k in states]
        self._put(label, [(i, j, value) for i in fresh for j, value in label.laid[i]])
        self._put(label, [(i, j, value) for j in fresh for i, value in label.laid_in[j]])

    def _put(self, label: _Label, entries: Sequence[tuple[int, int, float]]) -> None:
        if not entries or not label.filled:
            return
        source, target, values = (np.array(column) for column in zip(*entries, strict=True))
        back = label.known_in if self._ordered else label.known
        for i, j, table in ((source, target, label.known), (target, source, back)):
            at = label.index[i]
            there = at >= 0
            np.maximum.at(table, (at[there], j[there]), values[there])

"""Traces that one state can show and another cannot: why no finite epsilon may do.

If the labels shown by s begin, with probability above delta, with a prefix that has probability 0 from t,
then (epsilon, delta)-differential privacy fails for every epsilon: no factor e^epsilon lifts 0. To find such
prefixes, follow the probabilities of s together with the mere set of states in which t can be. Where that set
becomes empty, the prefix is impossible from t, and its probability from s is counted.

The likeliest prefixes are followed first. Where every state that s can be in is among those of t, nothing is
to be found below. For delta = 0 one prefix suffices, and what can follow depends on the two sets only, so
each pair of sets is looked at once and the search is complete; for delta > 0 it may end without an answer at
a limit of prefixes. (Nor is it the only reason why no epsilon may do: two coins of different bias, thrown for
ever, are told apart with certainty by their frequencies, and every finite prefix is possible for both.)
"""

from __future__ import annotations

import heapq
from fractions import Fraction

from flint import fmpq

from bdist.chains.chain import LabelledMarkovChain
from bdist.exact.rationals import ZERO, to_fmpq
from bdist.traces.attack import Attack, Prefix, event_probability

MOST_PREFIXES = 5000

_Vector = dict[int, fmpq]
_Waiting = tuple[float, int, Prefix, _Vector, frozenset[int]]


def impossible_traces(
    chain: LabelledMarkovChain, pair: tuple[str, str], delta: Fraction, most: int = MOST_PREFIXES
) -> Attack | None:
    """An event with probability above delta from the first state and 0 from the second, or None.

    Ensures: the probabilities of the answer are exact, of the prefixes listed. None proves that there is no
    such event only where delta is 0 and fewer than ``most`` prefixes were looked at.
    """
    found = _Search(chain, delta, most).prefixes(chain.index(pair[0]), chain.index(pair[1]))
    first, second = (event_probability(chain, state, found) for state in pair)
    return Attack(pair, found, first, second) if first > delta and second == 0 else None


class _Search:
    def __init__(self, chain: LabelledMarkovChain, delta: Fraction, most: int) -> None:
        self._labels = chain.labels
        self._rows = [[(j, to_fmpq(p)) for j, p in row] for row in chain.rows]
        self._delta, self._most = to_fmpq(delta), most
        self._waiting: list[_Waiting] = []
        self._seen: set[tuple[frozenset[int], frozenset[int]]] = set()
        self._found: list[Prefix] = []
        self._mass = ZERO
        self._looked = 0

    def prefixes(self, s: int, t: int) -> tuple[Prefix, ...]:
        """Prefixes possible from s and not from t, until their probability exceeds delta or the limit."""
        same = self._labels[s] == self._labels[t]
        self._meet((self._labels[s],), {s: fmpq(1)}, frozenset([t]) if same else frozenset())
        while self._waiting and self._mass <= self._delta and self._looked < self._most:
            _, _, prefix, vector, others = heapq.heappop(self._waiting)
            reached = self._after(others)
            for label, part in self._step(vector).items():
                self._meet((*prefix, label), part, reached.get(label, frozenset()))
        return tuple(sorted(self._found))

    def _meet(self, prefix: Prefix, vector: _Vector, others: frozenset[int]) -> None:
        self._looked += 1
        mass = sum(vector.values(), ZERO)
        if not others:
            self._found.append(prefix)
            self._mass += mass
        elif not (vector.keys() <= others or self._is_old(vector, others)):
            heapq.heappush(self._waiting, (-float(mass), self._looked, prefix, vector, others))

    def _is_old(self, vector: _Vector, others: frozenset[int]) -> bool:
        if self._delta:
            return False
        key = (frozenset(vector), others)
        old = key in self._seen
        self._seen.add(key)
        return old

    def _step(self, vector: _Vector) -> dict[str, _Vector]:
        parts: dict[str, _Vector] = {}
        for i, x in vector.items():
            for j, p in self._rows[i]:
                part = parts.setdefault(self._labels[j], {})
                part[j] = part.get(j, ZERO) + x * p
        return parts

    def _after(self, states: frozenset[int]) -> dict[str, frozenset[int]]:
        parts: dict[str, set[int]] = {}
        for i in states:
            for j, _ in self._rows[i]:
                parts.setdefault(self._labels[j], set()).add(j)
        return {label: frozenset(part) for label, part in parts.items()}

"""One layer of the search: which vector pairs are kept, and who answers for the others.

A layer holds the vector pairs that words of one length lead to. Of these, one that is dominated by another
(`bdist.pufferfish.vectors`) need not be followed. What is kept is found in two passes. Candidates come in
the order of their ratios so far, and each is dropped if a kept one dominates it; then the kept ones are
looked at from the weakest on, as a later one may dominate an earlier one. Domination is transitive, so
whoever is dropped points in the end at one that is kept.

A layer may have thousands of candidates, and comparing each with each in exact arithmetic would be the
whole cost of the search. So floats propose: the vectors are arrays, and one line of NumPy finds those of
the kept that seem to dominate a candidate; integers then decide. A float that underflows only hides a
domination.

Convex combinations of kept pairs could answer for more (a linear program for each candidate). They were
tried: on the models at hand nearly nothing more is dropped, and what is dropped is paid for with a factor
list in the certificate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bdist.pufferfish.model import Words
from bdist.pufferfish.vectors import Vector, VectorPair, dominates

Floats = npt.NDArray[np.float64]

_SLACK = 1 + 1e-9
_FIRST_LOOK = 64


@dataclass(frozen=True)
class Reduction:
    """The positions of the candidates that are kept, and for each other one the position that covers it."""

    kept: tuple[int, ...]
    covered_by: dict[int, int]


def reduce_layer(candidates: Sequence[VectorPair], words: Words) -> Reduction:
    """Keep candidates such that every other one is dominated by one that is kept.

    Where only common words count, one covers another only if their second sides are nonzero in the same
    states: SPEC section 4 says why.
    """
    covered_by: dict[int, int] = {}
    first_of: dict[object, int] = {}
    groups: dict[object, list[int]] = {}
    for position, pair in enumerate(candidates):
        twin = first_of.setdefault(pair.key, position)
        if twin != position:
            covered_by[position] = twin
            continue
        group = frozenset(pair.beta) if words is Words.COMMON else None
        groups.setdefault(group, []).append(position)
    kept: list[int] = []
    for members in groups.values():
        kept += _reduce_group(candidates, members, covered_by)
    for position in list(covered_by):
        last = covered_by[position]
        while last in covered_by:
            last = covered_by[last]
        covered_by[position] = last
    return Reduction(tuple(sorted(kept)), covered_by)


def _reduce_group(
    candidates: Sequence[VectorPair], members: list[int], covered_by: dict[int, int]
) -> list[int]:
    if len(members) == 1:
        return members
    ordered = sorted(members, key=lambda position: _rank(candidates[position]), reverse=True)
    floats = _FloatPairs([candidates[position] for position in ordered])
    alive = _Kept(floats)
    for number, position in enumerate(ordered):
        by = alive.dominator(number)
        if by is None:
            alive.add(number)
        else:
            covered_by[position] = ordered[by]
    strong = _Kept(floats)
    for number in reversed(alive.numbers):
        by = strong.dominator(number)
        if by is None:
            strong.add(number)
        else:
            covered_by[ordered[number]] = ordered[by]
    return [ordered[number] for number in strong.numbers]


def _rank(pair: VectorPair) -> float:
    below = sum(pair.beta.values())
    if not below:
        return float("inf")
    above = sum(pair.alpha.values())
    shift = max(above.bit_length(), below.bit_length()) - 1000
    return (above >> shift) / max(below >> shift, 1) if shift > 0 else above / below


def cover_from(pairs: Sequence[VectorPair], candidate: VectorPair, words: Words) -> int | None:
    """The position of a pair that covers the candidate, or None."""
    for position, pair in enumerate(pairs):
        if words is Words.COMMON and pair.beta.keys() != candidate.beta.keys():
            continue
        if dominates(pair, candidate):
            return position
    return None


class _FloatPairs:
    """Pairs of one group as floats, over their largest entries, and as integers."""

    def __init__(self, pairs: list[VectorPair]) -> None:
        self.pairs = pairs
        largest = [_largest(pair) for pair in pairs]
        self.alpha = _as_floats([pair.alpha for pair in pairs], largest)
        self.beta = _as_floats([pair.beta for pair in pairs], largest)
        with np.errstate(divide="ignore", over="ignore"):
            self.inverse = 1 / self.alpha  # infinite where alpha is 0


class _Kept:
    """Those of the pairs that are kept, in rows side by side, so that one pair is compared with all at once.

    The first of them are the most likely to dominate, so they are looked at alone first.
    """

    def __init__(self, floats: _FloatPairs) -> None:
        self.numbers: list[int] = []
        self._floats = floats
        self._inverse = np.empty_like(floats.inverse)
        self._beta = np.empty_like(floats.beta)

    def add(self, number: int) -> None:
        """Keep a pair."""
        row = len(self.numbers)
        self._inverse[row], self._beta[row] = self._floats.inverse[number], self._floats.beta[number]
        self.numbers.append(number)

    def dominator(self, number: int) -> int | None:
        """One of those kept that dominates the pair of that number, or None."""
        alpha, bound = self._floats.alpha[number], self._floats.beta[number] * _SLACK
        there = np.flatnonzero(alpha)
        start, end = 0, _FIRST_LOOK
        while start < len(self.numbers):
            inverse, beta = self._inverse[start : min(end, len(self.numbers))], self._beta
            least = (alpha[there] * inverse[:, there]).max(axis=1, initial=0)
            with np.errstate(invalid="ignore"):  # infinite times 0: it does not dominate, as nan is not less
                seems = (least[:, None] * beta[start : start + len(least)] <= bound).all(axis=1)
            for row in np.flatnonzero(seems):
                by = self.numbers[start + int(row)]
                if dominates(self._floats.pairs[by], self._floats.pairs[number]):
                    return by
            start, end = end, len(self.numbers)
        return None


def _largest(pair: VectorPair) -> int:
    return max(max(pair.alpha.values()), max(pair.beta.values(), default=0))


def _as_floats(vectors: list[Vector], largest: list[int]) -> Floats:
    columns = {
        state: column for column, state in enumerate(sorted({s for vector in vectors for s in vector}))
    }
    result: Floats = np.zeros((len(vectors), len(columns)))
    for line, (vector, most) in enumerate(zip(vectors, largest, strict=True)):
        for state, value in vector.items():
            result[line, columns[state]] = value / most
    return result

"""Blocks of observations whose repetition makes the ratio grow beyond all bounds.

The words of largest ratio repeat themselves as they get longer: in the discrete above threshold the pair of
queries 1 and 2, answered *below* again and again, doubles the ratio each time. A block acts on the weights
of either side as a nonnegative matrix M, and what it does when it is repeated is a matter of growth rates:
the first side's weights grow like the largest eigenvalue that they take part in, those of the second side
at most like the largest that they can reach. So a proof needs no eigenvalue, only two vectors
(SPEC 3.4):

    below = v > 0 on some states with alpha > 0,         v M >= up v,
    above = w > 0 on all states that beta can reach,     w M <= down w,        up > down.

v is found on one strongly connected component at a time, as the eigenvector in floats, rounded; for w there
are three proposals: all ones, which is exact where M is diagonal, the eigenvector of all, and a solution of
w (I - M/x) = 1 for an x between the two rates. Rates are then computed exactly, as the worst quotient of
entries, and compared. All parts of the best words are tried as blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import numpy.typing as npt

from bdist.exact.linear import strongly_connected_components
from bdist.pufferfish.certificate import GrowthProof, WordProof
from bdist.pufferfish.model import Pair, Words
from bdist.pufferfish.vectors import NumberModel, Vector, VectorPair, scaled, summed

Matrix = dict[int, dict[int, int]]  # from a state to a state, both by number
Rates = dict[int, Fraction]  # a vector, by state
Floats = npt.NDArray[np.float64]

MOST_BLOCKS = 400
_ROUNDS = 200
_DIGITS = 10**6


def find_growth(
    cleared: NumberModel, pairs: Sequence[Pair], words: Words, candidates: Iterable[WordProof]
) -> GrowthProof | None:
    """A block in one of the words that can be repeated with growing ratio; the one that grows most."""
    best: GrowthProof | None = None
    for candidate in candidates:
        root = cleared.root(pairs[candidate.pair])
        # where a block may begin and end, with something after it; short ones first
        blocks = combinations(range(len(candidate.word)), 2)
        for start, end in sorted(blocks, key=lambda ends: (ends[1] - ends[0], ends[0]))[:MOST_BLOCKS]:
            proof = _growth(cleared, root, candidate, start, end, words)
            if proof is not None and (best is None or _rate_approx(proof) > _rate_approx(best)):
                best = proof
        if best is not None:
            return _trimmed(cleared, root, best, words)
    return None


def _trimmed(cleared: NumberModel, root: VectorPair, proof: GrowthProof, words: Words) -> GrowthProof:
    """The same with fewer copies of the block around it, as few before it as a proof needs."""
    block, prefix, suffix = proof.block, proof.prefix, proof.suffix
    copies = 1
    while suffix[: len(block)] == block and len(suffix) > len(block):
        suffix, copies = suffix[len(block) :], copies + 1
    while prefix[-len(block) :] == block:
        prefix, copies = prefix[: -len(block)], copies + 1
    for _ in range(copies):
        word = WordProof(proof.pair, prefix + block + suffix, None)
        found = _growth(cleared, root, word, len(prefix), len(prefix + block), words)
        if found is not None and _rate_approx(found) >= _rate_approx(proof):
            return found
        prefix += block
    return proof


def _rate_approx(proof: GrowthProof) -> float:
    """The growth for each observation."""
    return math.pow(float(proof.up / proof.down), 1 / len(proof.block))


def _growth(
    cleared: NumberModel, root: VectorPair, candidate: WordProof, start: int, end: int, words: Words
) -> GrowthProof | None:
    numbers = [cleared.observation_numbers[name] for name in candidate.word]
    block, suffix = numbers[start:end], numbers[end:]
    reached = root
    for observation in numbers[:start]:
        reached = scaled(cleared.moved(reached.alpha, observation), cleared.moved(reached.beta, observation))
    if not reached.alpha or not reached.beta:
        return None
    first, second = _matrix(cleared, reached.alpha, block), _matrix(cleared, reached.beta, block)
    below = _growing(cleared, first, set(reached.alpha), suffix)
    above, down = _bounding(second)
    if below is None or below[1] <= down or down <= 0:
        return None
    if words is Words.COMMON and not _always_common(cleared, second, set(reached.beta), suffix):
        return None
    states, round_weight = cleared.model.states, cleared.weight_of_one ** len(block)
    return GrowthProof(
        candidate.pair,
        candidate.word[:start],
        candidate.word[start:end],
        candidate.word[end:],
        below={states[s].name: value for s, value in below[0].items()},
        above={states[s].name: value for s, value in above.items()},
        up=below[1] / round_weight,
        down=down / round_weight,
    )


def _matrix(cleared: NumberModel, start: Iterable[int], block: Sequence[int]) -> Matrix:
    """What the block does to each state that repetitions of it can reach."""
    matrix: Matrix = {}
    stack = list(start)
    while stack:
        state = stack.pop()
        if state in matrix:
            continue
        vector: Vector = {state: 1}
        for observation in block:
            vector = cleared.moved(vector, observation)
        matrix[state] = vector
        stack += vector
    return matrix


def _growing(
    cleared: NumberModel, matrix: Matrix, start: set[int], suffix: Sequence[int]
) -> tuple[Rates, Fraction] | None:
    """v and up: on the component inside ``start`` that grows most and from which the suffix can come."""
    order = sorted(matrix)
    number = {state: k for k, state in enumerate(order)}
    best: tuple[Rates, Fraction] | None = None
    for component in strongly_connected_components([[number[t] for t in matrix[s]] for s in order]):
        states = [order[k] for k in component]
        if not start.issuperset(states) or not _can_show(cleared, states, suffix):
            continue
        inner = {s: {t: x for t, x in matrix[s].items() if t in set(states)} for s in states}
        vector = _rounded(_eigenvector_approx(_dense_approx(inner, states)), states)
        up = min(_quotients(vector, inner))
        if up > 0 and (best is None or up > best[1]):
            best = vector, up
    return best


def _bounding(matrix: Matrix) -> tuple[Rates, Fraction]:
    """w and down: on all states of the matrix."""
    states = sorted(matrix)
    dense = _dense_approx(matrix, states)
    rate = float(max(abs(np.linalg.eigvals(dense)), default=0.0))
    proposals = [np.ones(len(states)), _eigenvector_approx(dense)]
    proposals += [_solved_approx(dense, rate * factor) for factor in (1.001, 1.05)]
    vectors = [_rounded(proposal, states) for proposal in proposals]
    return min(((vector, max(_quotients(vector, matrix))) for vector in vectors), key=lambda bound: bound[1])


def _quotients(vector: Rates, matrix: Matrix) -> Iterator[Fraction]:
    """By how much a round multiplies each entry."""
    after = summed((t, value * x) for state, value in vector.items() for t, x in matrix[state].items())
    return (after.get(state, Fraction(0)) / value for state, value in vector.items())


def _dense_approx(matrix: Matrix, states: Sequence[int]) -> Floats:
    number = {state: k for k, state in enumerate(states)}
    dense: Floats = np.zeros((len(states), len(states)))
    largest = max((x for row in matrix.values() for x in row.values()), default=1)
    for state in states:
        for target, x in matrix[state].items():
            dense[number[state], number[target]] = x / largest
    return dense


def _eigenvector_approx(dense: Floats) -> Floats:
    """The left eigenvector by power iteration; a little of the unit matrix keeps it from going round."""
    dense = dense + np.eye(len(dense)) * max(dense.max(initial=0.0), 1e-9) / 4
    vector: Floats = np.ones(len(dense))
    for _ in range(_ROUNDS):
        vector = vector @ dense
        vector = vector / vector.max()
    return vector


def _solved_approx(dense: Floats, rate: float) -> Floats:
    """The solution of w (I - M/rate) = 1, or ones where there is none."""
    ones: Floats = np.ones(len(dense))
    if rate <= 0:
        return ones
    try:
        return np.asarray(np.abs(np.linalg.solve(np.eye(len(dense)) - dense.T / rate, ones)))
    except np.linalg.LinAlgError:
        return ones


def _rounded(vector: Floats, states: Sequence[int]) -> Rates:
    largest = float(vector.max(initial=0.0))
    if not np.isfinite(largest) or largest <= 0:
        return dict.fromkeys(states, Fraction(1))
    return {
        state: Fraction(max(round(float(x) / largest * _DIGITS), 1), _DIGITS)
        for state, x in zip(states, vector, strict=True)
    }


def _can_show(cleared: NumberModel, states: Iterable[int], word: Sequence[int]) -> bool:
    vector: Vector = dict.fromkeys(states, 1)
    for observation in word[:-1]:
        vector = dict.fromkeys(cleared.moved(vector, observation), 1)
    return cleared.value(vector, word[-1]) > 0


def _always_common(cleared: NumberModel, matrix: Matrix, start: set[int], suffix: Sequence[int]) -> bool:
    """Whether the second side can show the suffix after any number of blocks."""
    seen: set[frozenset[int]] = set()
    states = frozenset(start)
    while states not in seen:
        seen.add(states)
        if not _can_show(cleared, states, suffix):
            return False
        states = frozenset(target for state in states for target in matrix[state])
    return True

"""Chains that never stop leaking: what the labels tell in the long run.

Every run ends up in one of the closed classes of the chain, and stays there. The frequency of each word of
labels then converges to its probability under the stationary distribution of that class. So classes whose
stationary processes differ on some word are told apart almost surely, however little a single label tells:
two coins with the biases 51/100 and 49/100, thrown for ever, have the total variation 1.

A *type* is a set of closed classes that no word considered here tells apart. To put too many classes into one
type loses something and is never wrong. The probabilities of ending in each type bound the true delta from
below at any belief, and where what is revealed from above agrees with that, the belief is closed.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from bdist.chains.chain import LabelledMarkovChain
from bdist.exact.linear import solve_affine, strongly_connected_components
from bdist.exact.rationals import to_fmpq, to_fraction
from bdist.traces.certificate import Types

MOST_WORDS = 2_000
MOST_STATES = 1_000
MOST_IN_CLASS = 150


def types_of(chain: LabelledMarkovChain) -> Types | None:
    """The types of a chain; None where there is one only, or too much to solve."""
    rows = [{j: to_fmpq(p) for j, p in row} for row in chain.rows]
    if len(rows) > MOST_STATES:
        return None
    components = strongly_connected_components([list(row) for row in rows])
    home = {i: k for k, component in enumerate(components) for i in component}
    closed = [
        sorted(component)
        for k, component in enumerate(components)
        if all(home[j] == k for i in component for j in rows[i])
    ]
    if len(closed) < 2 or max(map(len, closed)) > MOST_IN_CLASS:
        return None
    stationary = [_stationary(rows, members) for members in closed]
    groups, words = _told_apart(chain, rows, stationary)
    if len(groups) < 2:
        return None
    inside = {i for members in closed for i in members}
    reach = []
    for group in groups:
        ones = {i for k in group for i in closed[k]}
        constants = [fmpq(1) if i in ones else fmpq(0) for i in range(len(rows))]
        weights = [{} if i in inside else row for i, row in enumerate(rows)]
        solution = solve_affine(weights, constants)
        if solution is None:
            return None
        reach.append(tuple((chain.states[i], to_fraction(r)) for i, r in enumerate(solution) if r))
    return Types(
        tuple(
            tuple(tuple((chain.states[i], to_fraction(p)) for i, p in stationary[k].items()) for k in group)
            for group in groups
        ),
        words,
        tuple(reach),
    )


def _stationary(rows: Sequence[dict[int, fmpq]], members: list[int]) -> dict[int, fmpq]:
    """The stationary distribution of a closed class: expected visits between two of its first state."""
    first, *others = members
    place = {i: k for k, i in enumerate(others)}
    weights: list[dict[int, fmpq]] = [{} for _ in others]
    for i in others:
        for j, p in rows[i].items():
            if j != first:
                weights[place[j]][place[i]] = p
    visits = solve_affine(weights, [rows[first].get(i, fmpq(0)) for i in others])
    if visits is None:  # pragma: no cover - every state of the class leads back to the first one
        raise ArithmeticError
    total = sum(visits, fmpq(1))
    return {first: 1 / total} | {i: v / total for i, v in zip(others, visits, strict=True)}


def _told_apart(
    chain: LabelledMarkovChain, rows: Sequence[dict[int, fmpq]], stationary: list[dict[int, fmpq]]
) -> tuple[list[list[int]], tuple[tuple[str, ...], ...]]:
    """Groups of classes that differ on some word, and the words that were of use.

    Words grow from the end of those looked at before, breadth first, as long as they are possible for some
    class; a word that splits no group is not kept, but those that begin with it are still looked at.
    """
    groups = [list(range(len(stationary)))]
    useful: list[tuple[str, ...]] = []
    level: list[tuple[tuple[str, ...], list[dict[int, fmpq]]]] = [((), stationary)]
    looked = 0
    while level and looked < MOST_WORDS and any(len(group) > 1 for group in groups):
        longer = []
        for word, vectors in level:
            for label in chain.states_by_label:
                parts = [{i: x for i, x in v.items() if chain.labels[i] == label} for v in vectors]
                if not any(parts):
                    continue
                looked += 1
                masses = [sum(part.values(), fmpq(0)) for part in parts]
                split = _split(groups, masses)
                if len(split) > len(groups):
                    groups = split
                    useful.append((*word, label))
                longer.append(((*word, label), [_after(rows, part) for part in parts]))
        level = longer
    return groups, tuple(useful)


def _split(groups: list[list[int]], masses: list[fmpq]) -> list[list[int]]:
    found: list[list[int]] = []
    for group in groups:
        parts: dict[fmpq, list[int]] = {}
        for k in group:
            parts.setdefault(masses[k], []).append(k)
        found += parts.values()
    return found


def _after(rows: Sequence[dict[int, fmpq]], vector: dict[int, fmpq]) -> dict[int, fmpq]:
    after: dict[int, fmpq] = {}
    for i, x in vector.items():
        for j, p in rows[i].items():
            after[j] = after.get(j, fmpq(0)) + x * p
    return after

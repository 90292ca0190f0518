"""What can still be seen from a state: the coordinates in which beliefs are written.

An observer reads labels. After each of them what counts about the state that the chain is in is only its
*future*: the probabilities of the labels to come. Two states with the same future are one coordinate, also
where their own labels differ, because these have been read already: after the answers "yes" and "no" of a
survey that goes on in the same way, the observer has learned what there was to learn.

There are two ways to find equal futures.

* States that are bisimilar have the same future, and so have two states whose rows agree up to bisimilarity.
  (If rows agree up to futures, they do so up to bisimilarity: targets of one future and one label are
  bisimilar.) One quotient and one look at its rows find these classes; that is done always.
* Futures are vectors, indexed by words, in a space whose dimension is at most the number of states. Where it
  is less, some futures are combinations of others: states may be *trace equivalent*, alone or mixed, without
  being bisimilar. Then coordinates are states whose futures are a basis, and the others are written in them,
  with numbers that may be negative. Now two beliefs are proportional if and only if no sequence of labels
  tells them apart, so that graphs close that otherwise go on for ever. It takes an elimination over all
  states, so it is tried only where the first way did not lead to an end.

A certificate lists the combinations, and they are checked by looking at the rows once (`SPEC.md`, section 2).

Beliefs are pairs of vectors over the coordinates, and either of them goes its own way: the *direction* of a
vector, which is the vector divided by the largest integer that divides all its entries, and a label determine
the next direction and a factor. Directions are numbered, and each is stepped once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm

from flint import fmpq, fmpq_mat

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.quotient import quotient
from bdist.exact.rationals import to_fraction

Vector = tuple[tuple[int, int], ...]
"""Coordinates, increasing, with integers that are not 0."""

Step = Mapping[str, tuple[int, Fraction]]
"""By next label: the number of the next direction, and the factor."""

Combination = tuple[tuple[int, Fraction], ...]

MOST_SPANNED = 80  # coordinates, beyond which no elimination is tried
_PRIME = 2**31 - 1
_PIECE = 512  # bits of a number that count as one


@dataclass(frozen=True)
class Futures:
    """The coordinates of a chain, and how a unit of each goes on.

    ``names[k]`` is the state that coordinate k stands for, and ``number`` its inverse; ``others`` has, for
    every other state that was asked for or is reached, its combination of coordinates; ``rows[k]`` lists
    (label, coordinate, numerator) over ``denominators[k]``.
    """

    names: tuple[str, ...]
    number: Mapping[str, int]
    others: Mapping[str, Combination]
    rows: tuple[tuple[tuple[str, int, int], ...], ...]
    denominators: tuple[int, ...]

    @classmethod
    def of(cls, chain: LabelledMarkovChain, states: Iterable[str]) -> Futures:
        """The futures of some states, and of all that they reach, by equal rows.

        Raises: ParameterError where the chain has no such state.
        """
        part = chain.restricted_to_reachable(chain.index(state) for state in states)
        merged = quotient(part)
        labels, integer_rows = merged.chain.labels, merged.chain.integer_rows
        by_row: dict[object, int] = {}
        place: list[int] = []
        first: list[int] = []
        for position, row in enumerate(integer_rows):
            k = by_row.setdefault((row.targets, row.numerators, row.denominator), len(by_row))
            place.append(k)
            if k == len(first):
                first.append(position)
        names = tuple(merged.chain.states[position] for position in first)
        number = {name: k for k, name in enumerate(names)}
        return cls(
            names,
            number,
            {
                state: ((k, Fraction(1)),)
                for k, members in zip(place, merged.classes, strict=True)
                for state in members
                if state not in number
            },
            tuple(
                tuple(
                    (labels[j], place[j], x)
                    for j, x in zip(integer_rows[i].targets, integer_rows[i].numerators, strict=True)
                )
                for i in first
            ),
            tuple(integer_rows[i].denominator for i in first),
        )

    def __len__(self) -> int:
        return len(self.names)

    def at(self, state: str) -> int:
        """The coordinate with the future of a state. Requires: there is one, not a mixture of several."""
        return self.number[state] if state in self.number else self.others[state][0][0]

    def spanned(self, keep: Sequence[int]) -> Futures | None:
        """The same futures over a basis that contains those coordinates; None where they are one already.

        Requires: the coordinates in ``keep`` have independent futures.
        """
        if len(self) > MOST_SPANNED:
            return None
        closure = self._closure()
        if len(closure) == len(self):
            return None
        # an elimination modulo a prime, which only proposes
        reduced: list[tuple[int, list[int]]] = []
        basis = []
        for k in (*keep, *(k for k in range(len(self)) if k not in keep)):
            row = _reduce([values[k] for _, values in closure], reduced)
            if row is not None:
                reduced.append(row)
                basis.append(k)
        if len(basis) != len(closure):
            return None
        return self._over(sorted(basis), [word for word, _ in closure])

    def _over(self, basis: list[int], words: list[tuple[str, ...]]) -> Futures | None:
        """The futures written in some of them, which these words tell apart; None where that fails."""
        inside = {k: place for place, k in enumerate(basis)}
        table = [self._values(word) for word in words]
        square = fmpq_mat([[column[k] for k in basis] for column in table])
        outside = [k for k in range(len(self)) if k not in inside]
        right = fmpq_mat([[column[k] for k in outside] for column in table])
        solution = square.solve(right)
        combination: dict[int, Combination] = {k: ((inside[k], Fraction(1)),) for k in basis}
        for column, k in enumerate(outside):
            entries = ((place, solution[place, column]) for place in range(len(basis)))
            combination[k] = tuple((place, to_fraction(x)) for place, x in entries if x)
        stepped = [self._stepped(k, combination) for k in range(len(self))]
        # every combination must step as its state does, and be as likely
        for k in range(len(self)):
            rest = dict(stepped[k])
            for place, share in combination[k]:
                for key, value in stepped[basis[place]].items():
                    rest[key] = rest.get(key, Fraction(0)) - share * value
            if any(rest.values()) or sum(share for _, share in combination[k]) != 1:
                return None
        denominators = tuple(lcm(*(value.denominator for value in stepped[k].values())) for k in basis)
        rows = tuple(
            tuple((label, place, int(value * scale)) for (label, place), value in stepped[k].items() if value)
            for k, scale in zip(basis, denominators, strict=True)
        )
        others = {self.names[k]: combination[k] for k in outside}
        others |= {state: combination[k] for state, ((k, _),) in self.others.items()}
        names = tuple(self.names[k] for k in basis)
        return Futures(names, {name: k for k, name in enumerate(names)}, others, rows, denominators)

    def _stepped(self, k: int, combination: Mapping[int, Combination]) -> dict[tuple[str, int], Fraction]:
        """By label and coordinate of the basis, how a unit of a coordinate goes on."""
        total: dict[tuple[str, int], Fraction] = {}
        for label, j, x in self.rows[k]:
            for place, share in combination[j]:
                key = (label, place)
                total[key] = total.get(key, Fraction(0)) + Fraction(x, self.denominators[k]) * share
        return total

    def _values(self, word: tuple[str, ...]) -> list[fmpq]:
        """The probability of a word from each coordinate, its own label not counted."""
        values = [fmpq(1)] * len(self)
        for label in reversed(word):
            values = [
                sum((values[j] * x for c, j, x in row if c == label), fmpq(0)) / denominator
                for row, denominator in zip(self.rows, self.denominators, strict=True)
            ]
        return values

    def _closure(self) -> list[tuple[tuple[str, ...], list[int]]]:
        """Words whose probabilities from all coordinates, modulo a prime, span those of all words."""
        inverse = [pow(d, -1, _PRIME) if d % _PRIME else 0 for d in self.denominators]
        by_label: dict[str, list[list[tuple[int, int]]]] = {}
        for k, row in enumerate(self.rows):
            for label, j, x in row:
                matrix = by_label.setdefault(label, [[] for _ in self.rows])
                matrix[k].append((j, x * inverse[k] % _PRIME))
        start = [1] * len(self)
        found: list[tuple[tuple[str, ...], list[int]]] = []
        reduced: list[tuple[int, list[int]]] = []
        waiting: list[tuple[tuple[str, ...], list[int]]] = [((), start)]
        while waiting:
            word, values = waiting.pop(0)
            rest = _reduce(values, reduced)
            if rest is None:
                continue
            reduced.append(rest)
            found.append((word, values))
            for label, matrix in by_label.items():
                after = [sum(values[j] * x for j, x in line) % _PRIME for line in matrix]
                waiting.append(((label, *word), after))
        return found


def _reduce(row: list[int], reduced: list[tuple[int, list[int]]]) -> tuple[int, list[int]] | None:
    """A row less what others account for, scaled to 1 at its pivot, modulo the prime; None where it is 0."""
    rest = list(row)
    for pivot, other in reduced:
        factor = rest[pivot]
        if factor:
            rest = [(x - factor * y) % _PRIME for x, y in zip(rest, other, strict=True)]
    pivot = next((k for k, x in enumerate(rest) if x), -1)
    if pivot < 0:
        return None
    inverse = pow(rest[pivot], -1, _PRIME)
    return pivot, [x * inverse % _PRIME for x in rest]


@dataclass
class Directions:
    """The directions that vectors over some coordinates take, numbered; 0 is the empty one."""

    futures: Futures
    vectors: list[Vector] = field(default_factory=lambda: [()])
    _numbers: dict[Vector, int] = field(default_factory=lambda: {(): 0})
    _steps: list[Step | None] = field(default_factory=lambda: [{}])
    work: int = 0  # products that were taken, long ones several times

    def unit(self, coordinate: int) -> int:
        """The direction of one coordinate."""
        return self._number(((coordinate, 1),))

    def mass(self, number: int) -> int:
        """The sum of the entries of a direction, which is positive."""
        return sum(x for _, x in self.vectors[number])

    def step(self, number: int) -> Step:
        """Where a direction goes with each label that it can show next."""
        known = self._steps[number]
        if known is not None:
            return known
        futures, vector = self.futures, self.vectors[number]
        scale = lcm(*(futures.denominators[i] for i, _ in vector))
        pieces = 1 + max((x.bit_length() for _, x in vector), default=0) // _PIECE
        self.work += pieces * pieces * sum(len(futures.rows[i]) for i, _ in vector)  # as for divisors
        parts: dict[str, dict[int, int]] = {}
        for i, x in vector:
            factor = x * (scale // futures.denominators[i])
            for label, j, p in futures.rows[i]:
                part = parts.setdefault(label, {})
                part[j] = part.get(j, 0) + factor * p
        found = {}
        for label, part in parts.items():
            divisor = gcd(*part.values())
            if divisor:
                child = self._number(tuple((j, part[j] // divisor) for j in sorted(part) if part[j]))
                found[label] = (child, Fraction(divisor, scale))
        self._steps[number] = found
        return found

    def _number(self, vector: Vector) -> int:
        known = self._numbers.get(vector)
        if known is None:
            known = self._numbers[vector] = len(self.vectors)
            self.vectors.append(vector)
            self._steps.append(None)
        return known

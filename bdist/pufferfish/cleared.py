"""A model with numbers only, its denominators cleared: what the search computes with.

Ratios of probabilities do not change if both are multiplied by the same number. So all observation
probabilities are multiplied by one common denominator and all transition probabilities by another, and what
is left are integers. The two sides of a pair start from vectors that are cleared together.

Parameters have values here, or there are none; `bdist.pufferfish.polynomial_model` does the same with
polynomials. Vector pairs are scaled to integers without a common divisor, as SPEC-PUFFERFISH asks, so it
does not matter how the clearing was done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from bdist.errors import ParameterError
from bdist.exact.polynomials import Entry, Quotient, entry_at, entry_text, value_at
from bdist.exact.reading import rational_text
from bdist.pufferfish.model import HiddenMarkovModel, Pair
from bdist.pufferfish.numbers import Vector, VectorPair, pushed, scaled, scaled_fractions

IntegerRow = tuple[tuple[int, int], ...]
Point = Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class Step:
    """What an observation does to a vector pair: its value on both sides, and the pair that follows."""

    observation: int
    first: int
    second: int
    child: VectorPair


@dataclass(frozen=True)
class ClearedModel:
    """Emissions and rows as integers: each is the probability times a common denominator.

    Requires: the point gives a value to every parameter.
    """

    model: HiddenMarkovModel
    point: Point | None = None
    live: frozenset[int] | None = None  # the states that are followed; None for all of them

    @cached_property
    def observation_numbers(self) -> dict[str, int]:
        """The observations by name."""
        return {name: number for number, name in enumerate(self.model.observations)}

    @cached_property
    def emissions(self) -> tuple[IntegerRow, ...]:
        """For each state the observations that it shows, by number, with their weights."""
        return _over_one_denominator(self._emitted)[0]

    @cached_property
    def rows(self) -> tuple[IntegerRow, ...]:
        """For each state where it goes, with weights; empty where it halts."""
        rows = _over_one_denominator(self._moves)[0]
        if self.live is None:
            return rows
        return tuple(tuple((t, x) for t, x in row if t in self.live) for row in rows)

    @cached_property
    def weight_of_one(self) -> Fraction:
        """By how much an observation and a move weigh more here than in the cleared form of SPEC-PUFFERFISH.

        That is the common denominators, over the values of the denominators that are polynomials.
        """
        weight = Fraction(_over_one_denominator(self._emitted)[1] * _over_one_denominator(self._moves)[1])
        emitted = [entry for state in self.model.states for _, entry in state.observations]
        moved = [entry for state in self.model.states for _, entry in state.row or ()]
        for entries in (emitted, moved):
            for below in {entry.denominator for entry in entries if isinstance(entry, Quotient)}:
                point = [(self.point or {})[name] for name in self.model.ring.names]
                weight /= value_at(self.model.ring.element(below), point)
        return weight

    @cached_property
    def _emitted(self) -> list[list[tuple[int, Fraction]]]:
        numbers = self.observation_numbers
        return [
            [(numbers[o], self.number(entry)) for o, entry in state.observations]
            for state in self.model.states
        ]

    @cached_property
    def _moves(self) -> list[list[tuple[int, Fraction]]]:
        return [[(t, self.number(entry)) for t, entry in state.row or ()] for state in self.model.states]

    def root(self, pair: Pair) -> VectorPair:
        """The vector pair with which the runs of a pair begin. Raises: ParameterError."""
        first, second = (self.distribution(side, pair.prior) for side in (pair.first, pair.second))
        if self.live is not None:
            first, second = ({s: x for s, x in side.items() if s in self.live} for side in (first, second))
        return scaled_fractions(first, second)

    def distribution(self, side: str, prior: str | None = None) -> dict[int, Fraction]:
        """The initial distribution that a side of a pair names.

        Raises: ParameterError where it names none, or the secret has probability 0.
        """
        if prior is not None:
            weights: dict[int, Fraction] = {}
            for case in self.model.priors[prior].cases:
                if side in case.secrets:
                    weights[case.state] = weights.get(case.state, Fraction(0)) + self.number(case.probability)
            total = sum(weights.values())
            if not total:
                raise ParameterError(f"the secret '{side}' has probability 0 under the prior '{prior}'")
            return {state: weight / total for state, weight in weights.items() if weight}
        initial = self.model.initials_by_name.get(side)
        if initial is not None:
            return {state: self.number(entry) for state, entry in initial.row}
        return {self.model.index(side): Fraction(1)}

    def number(self, entry: Entry) -> Fraction:
        """The value of an entry. Raises: ParameterError where its denominator is 0 at the point."""
        if isinstance(entry, Fraction):
            return entry
        point = self.point or {}
        value = entry_at(entry, self.model.ring, point)
        if value is None:
            shown = entry_text(entry, self.model.ring.names)
            where = ", ".join(f"{name} = {rational_text(x)}" for name, x in point.items())
            raise ParameterError(f"the entry {shown} has denominator 0 at {where}")
        return value

    def steps(self, pair: VectorPair) -> Iterator[Step]:
        """One step for each observation that the first side can show, in the order of observations."""
        first, second = self._shown(pair.alpha), self._shown(pair.beta)
        for observation in sorted(first):
            alpha, beta = first[observation], second.get(observation, {})
            child = VectorPair({}, {})
            pushed_alpha = pushed(alpha.items(), self.rows)
            if pushed_alpha:
                child = scaled(pushed_alpha, pushed(beta.items(), self.rows))
            yield Step(observation, sum(alpha.values()), sum(beta.values()), child)

    def moved(self, vector: Vector, observation: int) -> Vector:
        """One side after an observation, not scaled."""
        return pushed(self._shown(vector).get(observation, {}).items(), self.rows)

    def value(self, vector: Vector, observation: int) -> int:
        """The weight with which one side shows an observation."""
        return sum(self._shown(vector).get(observation, {}).values())

    def _shown(self, vector: Vector) -> dict[int, Vector]:
        """The vector split by what is observed."""
        result: dict[int, Vector] = {}
        for state, value in vector.items():
            for observation, weight in self.emissions[state]:
                result.setdefault(observation, {})[state] = value * weight
        return result


def _over_one_denominator(
    rows: Sequence[Sequence[tuple[int, Fraction]]],
) -> tuple[tuple[IntegerRow, ...], int]:
    """The numerators over a common denominator, and that."""
    common = lcm(*{value.denominator for row in rows for _, value in row})
    numerators = tuple(
        tuple((target, value.numerator * (common // value.denominator)) for target, value in row if value)
        for row in rows
    )
    return numerators, common

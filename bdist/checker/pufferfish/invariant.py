"""One upper bound of the loss at all lengths: vectors that no observation leads out of. SPEC section 3.2.

At a fixed c, the ratio of a word is at most c if and only if α − c β has a value of at most 0 by that word;
and α − c β is one vector, on which an observation acts linearly. The certificate names vectors. Each has a
value of at most 0 by every single observation, and what an observation makes of it is at most a sum of named
vectors with multipliers that are not negative. So are the vectors with which the pairs begin. Hence no word
of any length has a positive value.

Where only common words count, a vector comes with the states in which the second side may be, and only the
words that these can show are asked about; what answers for a vector must be asked about them too.

Vectors are made integers one by one; what that multiplies them with goes to the other side of a comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Generic, NoReturn

from ..core import Rejected
from ..core.numbers import brief, common_denominator, scaled, size
from ..core.text import shown
from .document import Combination, Invariant
from .model import HiddenModel
from .systems import E, System, Vector


def verify_invariant(
    model: HiddenModel, invariant: Invariant, common: bool, system: System[E], per_step: Fraction
) -> None:
    """Return if the bound is proved. Raises: Rejected, TooLarge.

    A step of the system, times ``per_step``, is one of the specification.
    """
    if invariant.bound < 0:
        _fail(f"the bound {brief(invariant.bound)} is negative")
    _check_numbers("roots", len(invariant.roots), len(system.roots))
    _check_numbers("steps", len(invariant.steps), len(invariant.vectors))
    _check_numbers("second", len(invariant.second), len(invariant.vectors) if common else 0)
    _Invariant(model, invariant, common, system).check(per_step)


class _Invariant(Generic[E]):
    def __init__(self, model: HiddenModel, invariant: Invariant, common: bool, system: System[E]) -> None:
        self._model, self._invariant, self._system = model, invariant, system
        self._vectors: list[Vector[E]] = []
        self._denominators: list[int] = []
        for number, named in enumerate(invariant.vectors):
            vector, denominator = self._read(f"vectors[{number}]", named)
            self._vectors.append(vector)
            self._denominators.append(denominator)
        self._possible: list[frozenset[int]] | None = None
        if common:
            self._possible = [
                self._states(f"second[{number}]", names) for number, names in enumerate(invariant.second)
            ]

    def _read(self, place: str, named: Mapping[str, Fraction]) -> tuple[Vector[E], int]:
        """A vector of integers, and what it was multiplied with."""
        self._states(place, named)
        numbers = {self._model.numbers[name]: value for name, value in named.items() if value}
        denominator = common_denominator(numbers.values(), self._system.work)
        entries = scaled(numbers, denominator)
        bits = max(map(int.bit_length, entries.values()), default=0)
        self._system.work.keep(1 + len(entries), bits)
        return {state: self._system.number(value) for state, value in entries.items()}, denominator

    def _states(self, place: str, names: Iterable[str]) -> frozenset[int]:
        states: set[int] = set()
        for name in names:
            number = self._model.numbers.get(name)
            if number is None:
                _fail(f"{place} names {shown(name)}, not a state of the model")
            if number in states:
                _fail(f"{place} names {shown(name)} twice")
            states.add(number)
        self._system.work.keep(1 + len(states), 0)
        return frozenset(states)

    def check(self, per_step: Fraction) -> None:
        """The step invariant."""
        above, below = self._invariant.bound.as_integer_ratio()
        for number, combination in enumerate(self._invariant.roots):
            alpha, beta = self._system.roots[number]
            root = self._system.combined([(below, alpha), (-above, beta)])
            self._check_below(
                f"roots[{number}]", root, Fraction(1, below), combination, frozenset(beta), "the root"
            )
        for number, named in enumerate(self._invariant.steps):
            steps: dict[str, Combination] = {}
            for observation, combination in named:
                place = f"steps[{number}]"
                if observation not in self._model.observations:
                    _fail(f"{place}: {shown(observation)} is no observation of the model")
                if observation in steps:
                    _fail(f"{place} has {shown(observation)} twice")
                steps[observation] = combination
            self._check_vector(number, steps, per_step)

    def _check_vector(self, number: int, steps: Mapping[str, Combination], per_step: Fraction) -> None:
        """That no observation has a positive value, or leads to what is not answered for."""
        system, vector = self._system, self._vectors[number]
        possible = None if self._possible is None else self._possible[number]
        system.work.spend(len(vector) + sum(len(system.observed[state]) for state in vector))
        observations = {observation: None for state in vector for observation in system.observed[state]}
        for observation in {**observations, **dict.fromkeys(steps)}:
            showing, after = self._after(possible, observation)
            combination, place = steps.get(observation, ()), f"steps[{number}] by {shown(observation)}"
            seen = system.seen(vector, observation)
            if showing and not system.at_most_zero(system.total(seen)):
                _fail(f"vectors[{number}] has a positive value by {shown(observation)}, or may have")
            scale = per_step / self._denominators[number]
            self._check_below(place, system.moved(seen), scale, combination, after, "what it leads to")

    def _after(self, possible: frozenset[int] | None, observation: str) -> tuple[bool, frozenset[int]]:
        """Whether states can show it, and where they are then; where all words count, nothing is asked."""
        if possible is None:
            return True, frozenset()
        observed, rows = self._system.observed, self._system.rows
        showing = [state for state in possible if observation in observed[state]]
        self._system.work.spend(1 + len(possible) + sum(len(rows[state]) for state in showing))
        return bool(showing), frozenset(target for state in showing for target in rows[state])

    def _check_below(
        self,
        place: str,
        vector: Vector[E],
        scale: Fraction,
        combination: Combination,
        possible: frozenset[int],
        what: str,
    ) -> None:
        """That the vector times a scale is at most the combination, unless no common word can follow."""
        work = self._system.work
        weights: dict[int, Fraction] = {}
        for index, multiplier in combination:
            if index >= len(self._vectors):
                _fail(f"{place} names the vector {index}, and there are {len(self._vectors)}")
            if index in weights:
                _fail(f"{place} names the vector {index} twice")
            if multiplier <= 0:
                _fail(f"{place}: the multiplier {brief(multiplier)} is not positive")
            work.reduce(size(multiplier) + size(scale) + self._denominators[index].bit_length())
            weights[index] = multiplier / (scale * self._denominators[index])
        if self._possible is not None:
            if not possible:
                return
            for index in weights:
                work.spend(1 + len(possible))
                if not possible <= self._possible[index]:
                    _fail(f"{place}: the second side may be in states that second[{index}] does not name")
        over = common_denominator(weights.values(), work)
        terms = [(-factor, self._vectors[index]) for index, factor in scaled(weights, over).items()]
        for state, entry in self._system.combined([(over, vector), *terms]).items():
            if not self._system.at_most_zero(entry):
                name = shown(self._model.states[state].name)
                _fail(f"{place}: in the state {name}, {what} is above the combination, or may be")


def _check_numbers(what: str, found: int, wanted: int) -> None:
    if found != wanted:
        _fail(f"{what} has {found} entries, and {wanted} are needed")


def _fail(problem: str) -> NoReturn:
    raise Rejected("invariant", problem)

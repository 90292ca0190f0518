"""What is asked: a model, pairs, which words count, their lengths, and values for parameters or none.

A file's scenario says most of it; whoever asks may say otherwise. All of it is looked at here once, before
anything is computed, so that a mistake is reported as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from bdist.errors import ParameterError
from bdist.exact.epsilon import Epsilon
from bdist.exact.rationals import as_rational, rational_text
from bdist.pufferfish.model import HiddenMarkovModel, Lengths, Pair, Scenario, Words
from bdist.pufferfish.polynomials import Entry, Quotient
from bdist.pufferfish.vectors import NumberModel, PolynomialModel
from bdist.report import OneLine

DEFAULT_MOST = 12  # observations, where nothing says how long words may be and runs need not halt
LONGEST = 100_000

Value = Fraction | int | str
LengthsGiven = Lengths | int | str | tuple[int, int] | None
Pairs = Iterable[Pair | tuple[str, str]]


@dataclass(frozen=True, repr=False)
class Question(OneLine):
    """Pairs in one direction each; ``at`` has a value for each parameter, or is None."""

    model: HiddenMarkovModel
    pairs: tuple[Pair, ...]
    words: Words
    lengths: Lengths
    epsilon: Epsilon | None = None
    at: Mapping[str, Fraction] | None = None
    scenario: str = ""

    @cached_property
    def is_parametric(self) -> bool:
        """Whether polynomials are needed: parameters have no values, and something asked depends on them."""
        if self.at is not None or not self.model.parameters:
            return False
        entries: list[Entry] = []
        for state in self.model.states:
            entries += [entry for _, entry in (*state.observations, *(state.row or ()))]
        for pair in self.pairs:
            if pair.prior is not None:
                entries += [case.probability for case in self.model.priors[pair.prior].cases]
            else:
                starts = (self.model.start(pair.first), self.model.start(pair.second))
                entries += [entry for start in starts for _, entry in start]
        return any(isinstance(entry, Quotient) for entry in entries)

    @property
    def has_free_parameters(self) -> bool:
        """Whether there are parameters without a value, whether or not anything depends on them.

        The checker then computes with polynomials, even if all of them are constant.
        """
        return self.at is None and bool(self.model.parameters)

    def decided_epsilon(self) -> Epsilon:
        """The epsilon. Raises: ParameterError where there is none."""
        if self.epsilon is None:
            raise ParameterError("the scenario has no epsilon; give one")
        return self.epsilon

    def any_point(self) -> dict[str, Fraction] | None:
        """Values of parameters that a proof may name where it does not matter which; None without them."""
        if not self.has_free_parameters:
            return None
        return {p.name: (p.low + p.high) / 2 for p in self.model.parameters}

    def cleared(self) -> NumberModel:
        """The model in integers, with the states that are live. Requires: not parametric."""
        whole = NumberModel(self.model, point=self.at)
        return replace(whole, live=whole.live_states(self.words, self.pairs))

    def polynomial_model(self) -> PolynomialModel:
        """The model in polynomials, with the states that are live."""
        whole = PolynomialModel(self.model)
        return replace(whole, live=whole.live_states(self.words, self.pairs))


def ask(
    model: HiddenMarkovModel,
    scenario: str | None = None,
    *,
    pairs: Pairs | None = None,
    directed: bool = False,
    words: Words | str | None = None,
    lengths: LengthsGiven = None,
    epsilon: Epsilon | Value | None = None,
    at: Mapping[str, Value] | None = None,
) -> Question:
    """The question of a scenario, with what is given in place of what the file says.

    Pairs that are given name states, initial distributions or secrets. As in a file, a pair names both
    directions, unless ``directed`` says that only the one written is meant.
    Raises: ParameterError.
    """
    found = Scenario("", ())
    if pairs is None or scenario is not None:
        found = model.scenario(scenario)
    if pairs is None and directed:
        raise ParameterError("directed is about pairs that are given, and none are")
    chosen = model.pairs_of(found)
    if pairs is not None:
        given = [_pair(model, found, named) for named in pairs]
        chosen = tuple(
            dict.fromkeys(p for one in given for p in ((one,) if directed else (one, one.mirrored)))
        )
    if not chosen:
        raise ParameterError("there is no pair to compare")
    budget = found.epsilon if epsilon is None else Epsilon.of(epsilon)
    point = point_of(model, at) if at else None
    if point is not None:
        cleared = NumberModel(model, point=point)
        _ = cleared.rows, cleared.emissions, [cleared.root(pair) for pair in chosen]  # refused here if at all
    return Question(
        model=model,
        pairs=chosen,
        words=found.words if words is None else _words(words),
        lengths=found.lengths or Lengths(1, longest_run(model) or DEFAULT_MOST)
        if lengths is None
        else read_lengths(lengths),
        epsilon=budget,
        at=point,
        scenario=found.name,
    )


def read_lengths(given: LengthsGiven) -> Lengths:
    """From ``5`` (words of length 5), ``"1..5"``, ``(1, 5)`` or ``"any"``. Raises: ParameterError."""
    if isinstance(given, Lengths):
        return given
    parts: list[object] = list(given) if isinstance(given, tuple) else [given]
    if isinstance(given, str):
        if given.strip() == "any":
            return Lengths()
        parts = list(given.split(".."))
    numbers = [_length(part, given) for part in parts]
    if len(numbers) > 2 or numbers[0] > numbers[-1]:
        raise ParameterError(f"the length {_shown(given)} is not of the form K, 1..K or any")
    return Lengths(numbers[0], numbers[-1])


def _length(part: object, given: object) -> int:
    try:
        number = as_rational(part, "length")
    except ParameterError:
        raise ParameterError(f"the length {_shown(given)} is not of the form K, 1..K or any") from None
    if number.denominator != 1 or not 1 <= number <= LONGEST:
        raise ParameterError(f"the length {rational_text(number)} must be a whole number from 1 to {LONGEST}")
    return number.numerator


def _shown(given: object) -> str:
    text = f"'{given}'"
    return text if len(text) <= 40 else text[:37] + "...'"


def longest_run(model: HiddenMarkovModel) -> int | None:
    """How many observations a run has at most; None where there is no end."""
    after = {number: [t for t, _ in state.row or ()] for number, state in enumerate(model.states)}
    depth: dict[int, int] = {}
    try:
        for state in TopologicalSorter(after).static_order():
            depth[state] = 1 + max((depth[target] for target in after[state]), default=0)
    except CycleError:
        return None
    return max(depth.values())


def _pair(model: HiddenMarkovModel, scenario: Scenario, given: Pair | tuple[str, str]) -> Pair:
    pair = given if isinstance(given, Pair) else Pair(*given)
    if pair.first == pair.second:
        raise ParameterError(f"the pair compares '{pair.first}' with itself")
    if pair.prior is not None:
        prior = model.priors.get(pair.prior)
        if prior is None:
            raise ParameterError(f"there is no prior '{pair.prior}'")
        secrets = {secret for case in prior.cases for secret in case.secrets}
        for side in (pair.first, pair.second):
            if side not in secrets:
                raise ParameterError(f"the prior '{pair.prior}' has no secret '{side}'")
        return pair
    sides = (pair.first, pair.second)
    starts = [side in model.numbers or side in model.initials_by_name for side in sides]
    if not any(starts) and len(scenario.priors) == 1:
        return _pair(model, scenario, Pair(*sides, scenario.priors[0].name))
    for side, is_start in zip(sides, starts, strict=True):
        if not is_start:
            raise ParameterError(f"'{side}' is neither a state nor an initial distribution")
    return pair


def _words(given: Words | str) -> Words:
    try:
        return Words(given)
    except ValueError:
        known = " or ".join(words.value for words in Words)
        raise ParameterError(f"words is '{given}'; it must be {known}") from None


def point_of(model: HiddenMarkovModel, at: Mapping[str, Value]) -> dict[str, Fraction]:
    """Values for all parameters, inside of their ranges. Raises: ParameterError."""
    ranges = {parameter.name: parameter for parameter in model.parameters}
    for name in at:
        if name not in ranges:
            known = ", ".join(ranges) or "none"
            raise ParameterError(f"the model has no parameter '{name}'; there are {known}")
    point: dict[str, Fraction] = {}
    for name, parameter in ranges.items():
        if name not in at:
            raise ParameterError(f"the parameter '{name}' has no value; give all of them, or none")
        value = as_rational(at[name], name)
        if not parameter.low < value < parameter.high:
            ends = f"{rational_text(parameter.low)} and {rational_text(parameter.high)}"
            raise ParameterError(f"{name} = {rational_text(value)} must lie strictly between {ends}")
        point[name] = value
    return point

"""Hidden Markov models, and the scenarios in which their privacy is asked for (Pufferfish).

A hidden Markov model has states that nobody sees. A run begins in a state drawn from an initial
distribution; in each state it shows an observation, drawn from the state's own distribution, and moves on
along the state's row; a state without a row *halts*. The model of a mechanism has the data sets among its
states, and its outputs are the observations (Liu, Wang and Zhang, Verifying Pufferfish privacy in hidden
Markov models). Every entry is a rational, or a quotient of polynomials in named *parameters*, each with a
range.

What is asked is a *scenario* (Kifer and Machanavajjhala 2014): pairs of things that no observer should be
able to tell apart. A side of a pair is an initial distribution, or a state, in which a run then begins; or it
is a *secret*, under every prior of the scenario. A *prior* is what an observer believes about the data: a
distribution on cases, each of them a state with the secrets that are true in it. A secret then means the
prior conditioned on it. The author of a file writes the prior, and the theory (`bdist.pufferfish`) conditions
and normalises it, so that nobody does so by hand and gets it wrong.

Like a chain, a model is data that is checked when it is made (`bdist.pufferfish.checks`).
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any

from bdist.errors import ParameterError
from bdist.exact.bernstein import Box
from bdist.exact.epsilon import Epsilon
from bdist.exact.polynomials import Entry, Ring

Entries = tuple[tuple[int, Entry], ...]


class Words(Enum):
    """Which words count: all, or those that both sides of a pair can show."""

    ALL = "all"
    COMMON = "common"


@dataclass(frozen=True, slots=True)
class Range:
    """A parameter with its range; whether an end belongs to it makes no difference to what is proved."""

    name: str
    low: Fraction
    high: Fraction
    has_low: bool = False
    has_high: bool = False


@dataclass(frozen=True, slots=True)
class HiddenState:
    """A state: what it shows, and where it goes by number; without a row it halts."""

    name: str
    observations: tuple[tuple[str, Entry], ...]
    row: Entries | None


@dataclass(frozen=True, slots=True)
class Initial:
    """A named initial distribution."""

    name: str
    row: Entries


@dataclass(frozen=True, slots=True)
class Case:
    """A state, the secrets that are true in this case, sorted, and how likely it is, which may be 0."""

    state: int
    secrets: tuple[str, ...]
    probability: Entry


@dataclass(frozen=True, slots=True)
class Prior:
    """A named distribution on cases."""

    name: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What a file says of a pair: two sides, in both directions or in the one written."""

    first: str
    second: str
    both: bool = True


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides in one direction: how much more likely is a word under the first? With secrets, a prior."""

    first: str
    second: str
    prior: str | None = None

    def __str__(self) -> str:
        return f"{self.first} / {self.second}" + ("" if self.prior is None else f" under {self.prior}")


@dataclass(frozen=True, slots=True)
class Lengths:
    """Words of which lengths count; ``most`` is None where there is no end."""

    least: int = 1
    most: int | None = None

    @property
    def text(self) -> str:
        """As in a file."""
        if self.most is None:
            return "any"
        return str(self.most) if self.least == self.most else f"{self.least}..{self.most}"


@dataclass(frozen=True, slots=True)
class Scenario:
    """A question about a model; what it leaves open, whoever asks must say."""

    name: str
    neighbours: tuple[Neighbours, ...]
    priors: tuple[Prior, ...] = ()
    words: Words = Words.ALL
    epsilon: Epsilon | None = None
    lengths: Lengths | None = None


@dataclass(frozen=True)
class HiddenMarkovModel:
    """States, parameters, initial distributions and scenarios. The name is a caption and does not count.

    Raises: ModelError where something is no distribution for all parameter values, or named twice.
    """

    states: tuple[HiddenState, ...]
    parameters: tuple[Range, ...] = ()
    initials: tuple[Initial, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        from bdist.pufferfish.checks import check_model

        check_model(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HiddenMarkovModel) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.states, self.parameters, self.initials, self.scenarios, self.name)

    def __repr__(self) -> str:
        title = f"{self.name!r}: " if self.name else ""
        return f"<HiddenMarkovModel {title}{len(self.states)} states, {len(self.observations)} observations>"

    @property
    def _content(self) -> tuple[object, ...]:
        return self.states, self.parameters, self.initials, self.scenarios

    @cached_property
    def ring(self) -> Ring:
        """The polynomials in the parameters, which are in the order of their names."""
        return Ring(tuple(sorted(parameter.name for parameter in self.parameters)))

    @cached_property
    def box(self) -> Box:
        """The closed ranges of the parameters, in the order of their names."""
        ranges = {parameter.name: (parameter.low, parameter.high) for parameter in self.parameters}
        return tuple(ranges[name] for name in self.ring.names)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The states by name."""
        return {state.name: number for number, state in enumerate(self.states)}

    @cached_property
    def observations(self) -> tuple[str, ...]:
        """All observations, in the order in which the states show them."""
        return tuple(dict.fromkeys(o for state in self.states for o, _ in state.observations))

    @cached_property
    def priors(self) -> dict[str, Prior]:
        """The priors of all scenarios by name."""
        return {prior.name: prior for scenario in self.scenarios for prior in scenario.priors}

    @cached_property
    def initials_by_name(self) -> dict[str, Initial]:
        """The initial distributions by name."""
        return {initial.name: initial for initial in self.initials}

    def index(self, state: str) -> int:
        """The number of a state. Raises: ParameterError where there is none of that name."""
        number = self.numbers.get(state)
        if number is None:
            raise ParameterError(f"there is no state '{state}'{resembling(state, list(self.numbers))}")
        return number

    def scenario(self, name: str | None = None) -> Scenario:
        """The scenario of that name, or the only one. Raises: ParameterError."""
        names = [scenario.name for scenario in self.scenarios]
        listed = ", ".join(f"'{known}'" for known in names)
        if name is None:
            if len(names) == 1:
                return self.scenarios[0]
            if not names:
                raise ParameterError("the model has no scenario; name the pairs to compare")
            raise ParameterError(f"the model has {len(names)} scenarios; name one of {listed}")
        if name not in names:
            raise ParameterError(f"there is no scenario '{name}'; there are {listed or 'none'}")
        return self.scenarios[names.index(name)]

    def pairs_of(self, scenario: Scenario) -> tuple[Pair, ...]:
        """All pairs of a scenario, each in one direction, each once; secrets under each prior."""
        found: dict[Pair, None] = {}
        for neighbours in scenario.neighbours:
            sides = (neighbours.first, neighbours.second)
            priors: Sequence[str | None] = [None]
            if not all(side in self.numbers or side in self.initials_by_name for side in sides):
                priors = [prior.name for prior in scenario.priors]
            for prior in priors:
                found[Pair(*sides, prior)] = None
                if neighbours.both:
                    found[Pair(sides[1], sides[0], prior)] = None
        return tuple(found)


def resembling(wanted: str, names: Sequence[str]) -> str:
    """The end of a message that refuses a name: the one it resembles most."""
    near = difflib.get_close_matches(wanted, names, n=1)
    return f"; did you mean '{near[0]}'?" if near else ""

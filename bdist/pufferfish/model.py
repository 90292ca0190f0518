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
prior conditioned on it. The author of a file writes the prior, and we condition and normalise it, so that
nobody does so by hand and gets it wrong.

Like a chain, a model is data that is checked when it is made (SPEC section 1). A distribution with parameters
must be one for all their values: every entry nowhere negative on the ranges, which Bernstein coefficients
show, and the sum equal to 1 as a polynomial identity. A prior that sums to 1 for some p only is refused with
what it sums to.

What a certificate means by "this model" is the fingerprint, SHA-256 of the canonical form in SPEC. The name
of the model, the order of its parts, the way in which numbers are written, which ends belong to a range, and
what a scenario asks do not count; the priors do. The checker builds the same text from the file by itself,
and a test holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, NoReturn

from bdist.errors import ModelError, ParameterError
from bdist.exact.epsilon import Epsilon
from bdist.exact.rationals import counted, rational_text, sum_over_one_denominator
from bdist.printing import beginning
from bdist.pufferfish.formulas import LETTERS, MOST_PARAMETERS, beyond_limits
from bdist.pufferfish.polynomials import (
    Box,
    Entry,
    Polynomial,
    Ring,
    added,
    entry_text,
    plain,
    polynomial_text,
    shown_nonnegative,
)
from bdist.report import OneLine, titled
from bdist.text.files import json_text, sha256_of
from bdist.text.scanner import check_characters, resembling

Entries = tuple[tuple[int, Entry], ...]


class Words(Enum):
    """Which words count: all, or those that both sides of a pair can show."""

    ALL = "all"
    COMMON = "common"


@dataclass(frozen=True, slots=True, repr=False)
class Range(OneLine):
    """A parameter with its range; whether an end belongs to it makes no difference to what is proved."""

    name: str
    low: Fraction
    high: Fraction
    has_low: bool = False
    has_high: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class HiddenState(OneLine):
    """A state: what it shows, and where it goes by number; without a row it halts."""

    name: str
    observations: tuple[tuple[str, Entry], ...]
    row: Entries | None


@dataclass(frozen=True, slots=True, repr=False)
class Initial(OneLine):
    """A named initial distribution."""

    name: str
    row: Entries


@dataclass(frozen=True, slots=True, repr=False)
class Case(OneLine):
    """A state, the secrets that are true in this case, sorted, and how likely it is, which may be 0."""

    state: int
    secrets: tuple[str, ...]
    probability: Entry


@dataclass(frozen=True, slots=True, repr=False)
class Prior(OneLine):
    """A named distribution on cases."""

    name: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Neighbours(OneLine):
    """What a file says of a pair: two sides, in both directions or in the one written."""

    first: str
    second: str
    both: bool = True


@dataclass(frozen=True, slots=True, repr=False)
class Pair(OneLine):
    """Two sides in one direction: how much more likely is a word under the first? With secrets, a prior."""

    first: str
    second: str
    prior: str | None = None

    @property
    def mirrored(self) -> Pair:
        """The same sides in the other direction."""
        return Pair(self.second, self.first, self.prior)

    def __str__(self) -> str:
        return f"{self.first} / {self.second}" + ("" if self.prior is None else f" under {self.prior}")


@dataclass(frozen=True, slots=True, repr=False)
class Lengths(OneLine):
    """Words of which lengths count; ``most`` is None where there is no end."""

    least: int = 1
    most: int | None = None

    @property
    def text(self) -> str:
        """As in a file."""
        if self.most is None:
            return "any"
        return str(self.most) if self.least == self.most else f"{self.least}..{self.most}"


@dataclass(frozen=True, slots=True, repr=False)
class Scenario(OneLine):
    """A question about a model; what it leaves open, whoever asks must say."""

    name: str
    neighbours: tuple[Neighbours, ...]
    priors: tuple[Prior, ...] = ()
    words: Words = Words.ALL
    epsilon: Epsilon | None = None
    lengths: Lengths | None = None


@dataclass(frozen=True, repr=False)
class HiddenMarkovModel(OneLine):
    """States, parameters, initial distributions and scenarios. The name is a caption and does not count.

    Raises: ModelError where something is no distribution for all parameter values, or named twice.
    """

    states: tuple[HiddenState, ...]
    parameters: tuple[Range, ...] = ()
    initials: tuple[Initial, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_model(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.states, self.parameters, self.initials, self.scenarios, self.name)

    def _essence(self) -> str:
        sizes = (counted(len(self.states), "state"), counted(len(self.observations), "observation"))
        return titled(self.name, *sizes)

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

    def start(self, side: str) -> Entries:
        """The distribution that an initial distribution or a state names. Raises: ParameterError."""
        initial = self.initials_by_name.get(side)
        return ((self.index(side), Fraction(1)),) if initial is None else initial.row

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
                pair = Pair(*sides, prior)
                found |= dict.fromkeys((pair, pair.mirrored) if neighbours.both else (pair,))
        return tuple(found)


# --- what must hold, with messages for the author ---


def check_model(model: HiddenMarkovModel) -> None:
    """Raises: ModelError; its ``state`` is the state, or the kind and name of what else is wrong."""
    _check_parameters(model)
    if not model.states:
        raise ModelError("a hidden Markov model needs at least one state")
    _check_names(model)
    for state in model.states:
        place = f"state '{state.name}'"
        _refuse_twice([o for o, _ in state.observations], f"{place} shows", state.name)
        _check_distribution(
            model, [e for _, e in state.observations], f"the observation distribution of {place}", state.name
        )
        if state.row is not None:
            _check_row(model, state.row, f"the row of {place}", state.name)
    for initial in model.initials:
        _check_row(
            model, initial.row, f"the initial distribution '{initial.name}'", f"initial {initial.name}"
        )
    _check_end_is_seen(model)
    for scenario in model.scenarios:
        for prior in scenario.priors:
            _check_prior(model, prior)
        _check_scenario(model, scenario)


def _refuse(key: str, message: str) -> NoReturn:
    raise ModelError(message, state=key)


def _check_parameters(model: HiddenMarkovModel) -> None:
    if len(model.parameters) > MOST_PARAMETERS:
        raise ModelError(f"there are {len(model.parameters)} parameters; at most {MOST_PARAMETERS} are read")
    _refuse_twice([parameter.name for parameter in model.parameters], "the model declares parameter", "")
    for parameter in model.parameters:
        key = f"parameter {parameter.name}"
        if not LETTERS.fullmatch(parameter.name):
            _refuse(key, f"the parameter name '{parameter.name}' must be letters, digits and _")
        if not parameter.low < parameter.high:
            ends = f"{rational_text(parameter.low)} to {rational_text(parameter.high)}"
            _refuse(key, f"the range of parameter '{parameter.name}' is empty: {ends}")


def _check_names(model: HiddenMarkovModel) -> None:
    kinds: dict[str, str] = {}
    secrets = {s for prior in model.priors.values() for case in prior.cases for s in case.secrets}
    scenario_priors = [prior.name for scenario in model.scenarios for prior in scenario.priors]
    for kind, names in (
        ("state", [state.name for state in model.states]),
        ("initial distribution", [initial.name for initial in model.initials]),
        ("secret", sorted(secrets)),
    ):
        for name in names:
            check_characters(name, kind)
            if name in kinds:
                what = f"twice: as {kinds[name]} and as {kind}" if kinds[name] != kind else "twice"
                key = name if kind != "initial distribution" else f"initial {name}"
                raise ModelError(f"{kind} '{name}' is declared {what}", state=key)
            kinds[name] = kind
    for observation in model.observations:
        check_characters(observation, "observation")
    for scenario in model.scenarios:
        check_characters(scenario.name, "scenario")
    for name in scenario_priors:
        check_characters(name, "prior")
    check_characters(model.name, "model name")
    _refuse_twice(scenario_priors, "the model declares prior", "")
    scenarios = [scenario.name for scenario in model.scenarios]
    if scenarios.count("") > 1:
        _refuse("", "the model has two scenarios without a name")
    _refuse_twice(scenarios, "the model declares scenario", "")


def _check_row(model: HiddenMarkovModel, row: Sequence[tuple[int, Entry]], what: str, key: str) -> None:
    for target, _ in row:
        _check_number(model, target, what, key)
    _refuse_twice([model.states[target].name for target, _ in row], f"{what} names", key)
    _check_distribution(model, [entry for _, entry in row], what, key)


def _check_number(model: HiddenMarkovModel, state: int, what: str, key: str) -> None:
    if not 0 <= state < len(model.states):
        _refuse(key, f"{what} names state number {state} of {len(model.states)}")


def _check_prior(model: HiddenMarkovModel, prior: Prior) -> None:
    what, key = f"the prior '{prior.name}'", f"prior {prior.name}"
    seen: set[tuple[int, tuple[str, ...]]] = set()
    for case in prior.cases:
        _check_number(model, case.state, what, key)
        if list(case.secrets) != sorted(set(case.secrets)):
            _refuse(key, f"{what} has a case whose secrets are not sorted, or one is there twice")
        if (case.state, case.secrets) in seen:
            name = model.states[case.state].name
            _refuse(key, f"{what} has two cases with state '{name}' and the same secrets")
        seen.add((case.state, case.secrets))
    possible = [case.probability for case in prior.cases if case.probability != 0]
    _check_distribution(model, possible, what, key)


def _check_scenario(model: HiddenMarkovModel, scenario: Scenario) -> None:
    what = f"scenario '{scenario.name}'" if scenario.name else "the scenario"
    key = f"scenario {scenario.name}"
    if not scenario.neighbours:
        _refuse(key, f"{what} has no pair; write: pair A B")
    secrets = {s for prior in scenario.priors for case in prior.cases for s in case.secrets}
    starts = [*model.numbers, *model.initials_by_name]
    for neighbours in scenario.neighbours:
        sides = (neighbours.first, neighbours.second)
        for side in sides:
            if side not in starts and side not in secrets:
                none = f"'{side}', which is no state, initial distribution or secret"
                _refuse(key, f"{what} compares {none}{resembling(side, [*starts, *secrets])}")
        if (sides[0] in secrets) != (sides[1] in secrets):
            _refuse(key, f"{what} compares a secret with a start: '{sides[0]}', '{sides[1]}'")
        if sides[0] == sides[1]:
            _refuse(key, f"{what} compares '{sides[0]}' with itself")
        for prior, side in product(scenario.priors if sides[0] in secrets else (), sides):
            if not any(side in case.secrets and case.probability != 0 for case in prior.cases):
                impossible = f"the secret '{side}' has probability 0 under the prior '{prior.name}'"
                _refuse(f"prior {prior.name}", f"{impossible}, so nothing can be conditioned on it")
    lengths = scenario.lengths or Lengths()
    if lengths.least < 1 or (lengths.most is not None and lengths.least > lengths.most):
        _refuse(key, f"{what} asks for words of length {lengths.text}")
    if lengths.most is None and lengths.least > 1:
        _refuse(key, f"{what} asks for words of any length, from {lengths.least} on; begin with 1")


def _check_end_is_seen(model: HiddenMarkovModel) -> None:
    shown = {o: state.name for state in model.states if state.row is not None for o, _ in state.observations}
    for state in model.states:
        for observation, _ in state.observations if state.row is None else ():
            if observation in shown:
                both = (
                    f"state '{state.name}' halts and shows '{observation}', as state '{shown[observation]}'"
                )
                _refuse(state.name, f"{both} does, which goes on; an observer must see that a run has ended")


def _check_distribution(model: HiddenMarkovModel, entries: list[Entry], what: str, key: str) -> None:
    """Raises: ModelError where an entry may be negative or the sum is not 1."""
    numbers = [entry for entry in entries if isinstance(entry, Fraction)]
    for entry in entries:
        if entry == 0:
            _refuse(key, f"{what} lists an entry with probability 0; leave it out")
        if isinstance(entry, Fraction) and entry < 0:
            _refuse(key, f"{what} has the negative probability {rational_text(entry)}")
        if not isinstance(entry, Fraction):
            _check_entry(model, entry, what, key)
    if len(numbers) == len(entries):
        found = sum_over_one_denominator(numbers)
        if found is None:
            _refuse(key, f"{what} has too long a common denominator")
        if found[0] != found[1]:
            _refuse(key, f"{what} sums to {rational_text(Fraction(*found))}, not to 1")
        return
    above, below = model.ring.constant(0), model.ring.constant(1)
    for entry in entries:
        above, below = added((above, below), model.ring.fraction_of(entry))
        excess = beyond_limits((above, below))
        if excess:
            _refuse(key, f"{what} sums to a formula with {excess}")
    if above != below:
        names = model.ring.names
        text = polynomial_text(plain(above), names)
        if not below.is_constant():
            text = f"({text})/({polynomial_text(plain(below), names)})"
        _refuse(key, f"{what} sums to {beginning(text, 80)}, which is not 1 for every {', '.join(names)}")


def _check_entry(model: HiddenMarkovModel, entry: Entry, what: str, key: str) -> None:
    above, below = model.ring.fraction_of(entry)
    for part, name in ((below, "denominator"), (above, "numerator")):
        if not shown_nonnegative(part, model.box):
            shown = beginning(entry_text(entry, model.ring.names), 80)
            ranges = ", ".join(
                f"{x} in [{rational_text(low)}, {rational_text(high)}]"
                for x, (low, high) in zip(model.ring.names, model.box, strict=True)
            )
            problem = f"whose {name} is negative, or not shown to be at least 0, for {ranges}"
            _refuse(key, f"{what} has the entry {shown}, {problem}")


def _refuse_twice(names: Iterable[str], what: str, key: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            _refuse(key, f"{what} '{name}' twice")
        seen.add(name)


# --- the fingerprint ---


def fingerprint(model: HiddenMarkovModel) -> str:
    """SHA-256 of the canonical form, in hexadecimal."""
    return sha256_of([canonical_form(model)])


def canonical_form(model: HiddenMarkovModel) -> str:
    """The canonical text: equal for two models iff they have the same parameters, states, initial
    distributions and priors, by name.
    """

    def formula(entry: Entry) -> object:
        if isinstance(entry, Fraction):
            return rational_text(entry)
        return [_terms(entry.numerator), _terms(entry.denominator)]

    def row(entries: tuple[tuple[int, Entry], ...]) -> list[list[object]]:
        named = [(model.states[target].name, entry) for target, entry in entries]
        return [[name, formula(entry)] for name, entry in sorted(named, key=lambda item: item[0])]

    parameters = sorted([p.name, rational_text(p.low), rational_text(p.high)] for p in model.parameters)
    states = [
        [
            state.name,
            [[o, formula(e)] for o, e in sorted(state.observations, key=lambda item: item[0])],
            None if state.row is None else row(state.row),
        ]
        for state in sorted(model.states, key=lambda state: state.name)
    ]
    initials = [[i.name, row(i.row)] for i in sorted(model.initials, key=lambda i: i.name)]
    priors = [
        [
            name,
            [
                [model.states[case.state].name, list(case.secrets), formula(case.probability)]
                for case in sorted(prior.cases, key=lambda c: (model.states[c.state].name, c.secrets))
                if case.probability != 0
            ],
        ]
        for name, prior in sorted(model.priors.items())
    ]
    return json_text(["hmm", parameters, states, initials, priors])


def _terms(polynomial: Polynomial) -> list[list[object]]:
    return [[list(exponents), rational_text(value)] for exponents, value in polynomial.terms]

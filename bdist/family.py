"""What all families share: parameters with a kind, a range and a default, and draws for those with a seed.

A parameter serves twice. The command line hands in text and wants it read; the generator wants a number
that it can trust. Both call ``read``, so a range is written once, is checked on either road, and can be
printed in a help text beside the default. Numbers follow the rule of the whole package: text is read exactly
and a float is refused.

Upper ends are there for the user who types one digit too many: a refusal in one line is kinder than a machine
out of memory.

*Draws.* A family with a seed means the same member on every machine and every Python. Python promises a
stable sequence for ``Random.random`` only; the algorithms of ``sample``, ``shuffle`` and ``randrange`` may
change from version to version. So everything here is drawn from ``getrandbits``, the raw output of the
Mersenne twister, and what is built on it (a uniform number by rejection, a subset by Floyd's method, 1987) is
written out below. A chain named in a bug report stays that chain, and tests pin some.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import Generic, TypeVar

from bdist.errors import ParameterError
from bdist.exact.rationals import as_rational, parse_rational, rational_text
from bdist.printing import beginning
from bdist.report import OneLine
from bdist.text.scanner import suggestion

Value = str | int | Fraction
Made = TypeVar("Made", covariant=True)
Outcome = TypeVar("Outcome")

_INTEGER = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True)
class Parameter(ABC):
    """A named parameter; ``help`` is one line for the user."""

    name: str
    default: Value
    help: str

    @property
    @abstractmethod
    def range(self) -> str:
        """The admitted values, in words."""

    @abstractmethod
    def read(self, value: object) -> Value:
        """The value, read if it is text. Raises: ParameterError naming the parameter and its range."""

    def _refusal(self, found: str) -> ParameterError:
        return ParameterError(f"parameter {self.name} is {beginning(found)}; it must be {self.range}")


@dataclass(frozen=True)
class IntegerParameter(Parameter):
    """An integer between ``least`` and ``most``, both included."""

    default: int
    least: int
    most: int

    @property
    def range(self) -> str:
        """The admitted values, in words."""
        return f"an integer from {self.least} to {self.most}"

    def read(self, value: object) -> int:
        """The integer, from int or text. Raises: ParameterError naming the parameter and its range."""
        if isinstance(value, str):
            if not _INTEGER.fullmatch(value.strip()):
                raise self._refusal(f"'{value}'")
            value = parse_rational(value).numerator
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._refusal(f"the {type(value).__name__} {value}")
        if not self.least <= value <= self.most:
            raise self._refusal(rational_text(Fraction(value)))
        return value


@dataclass(frozen=True)
class RationalParameter(Parameter):
    """A rational strictly between ``above`` and ``below``."""

    default: Fraction
    above: Fraction = Fraction(0)
    below: Fraction = Fraction(1)

    @property
    def range(self) -> str:
        """The admitted values, in words."""
        return f"strictly between {rational_text(self.above)} and {rational_text(self.below)}"

    def read(self, value: object) -> Fraction:
        """The rational, from Fraction, int or text. Raises: ParameterError naming parameter and range."""
        number = as_rational(value, f"parameter {self.name}")
        if not self.above < number < self.below:
            raise self._refusal(rational_text(number))
        return number


@dataclass(frozen=True)
class ChoiceParameter(Parameter):
    """One of a few words."""

    default: str
    choices: tuple[str, ...]

    @property
    def range(self) -> str:
        """The admitted values, in words."""
        return " or ".join(self.choices)

    def read(self, value: object) -> str:
        """The word. Raises: ParameterError naming the parameter and its choices."""
        if not isinstance(value, str):
            raise self._refusal(f"the {type(value).__name__} {value}")
        if value.strip() not in self.choices:
            raise self._refusal(f"'{value}'")
        return value.strip()


@dataclass(frozen=True, repr=False)
class Family(OneLine, Generic[Made]):
    """A family of chains or of automata: name, one line of what it is, parameters, and the function that
    makes a member.
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    generator: Callable[..., Made]

    @property
    def defaults(self) -> Mapping[str, Value]:
        """The default of every parameter, in order."""
        return MappingProxyType({parameter.name: parameter.default for parameter in self.parameters})

    def __call__(self, /, *values: Value, **named: Value) -> Made:
        """As `make`, where the first values may be given in the order of the parameters."""
        first = list(self.defaults)[: len(values)]
        return self.make(**dict(zip(first, values, strict=True)), **named)

    def make(self, /, **values: Value) -> Made:
        """The member with these values, given as text or as numbers; the rest are defaults.

        Raises: ParameterError where a parameter is unknown, of the wrong kind or out of range.
        """
        by_name = {parameter.name: parameter for parameter in self.parameters}
        for name in values:
            if name not in by_name:
                known = suggestion(name, by_name)
                raise ParameterError(f"family {self.name} has no parameter '{name}'; {known}")
        given = {**self.defaults, **values}
        return self.generator(**{name: by_name[name].read(value) for name, value in given.items()})


def family(name: str, summary: str, *parameters: Parameter) -> Callable[[Callable[..., Made]], Family[Made]]:
    """Makes a function that takes these parameters a family; it is given values that were read."""
    return lambda generator: Family(name, summary, parameters, generator)


def by_name(families: Iterable[Family[Made]]) -> Mapping[str, Family[Made]]:
    """Families by their names, in order."""
    return MappingProxyType({family.name: family for family in families})


def make_named(
    families: Mapping[str, Family[Made]], kind: str, name: str, values: Mapping[str, Value] | None = None
) -> Made:
    """The member of a family by name; ``kind`` says in a message what these are families of.

    Values are text, as typed, or numbers; what is not given is default.
    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    if name not in families:
        raise ParameterError(f"there is no family of {kind} '{name}'; {suggestion(name, list(families))}")
    return families[name].make(**(values or {}))


DENOMINATOR = IntegerParameter(
    "denominator", 12, "common denominator of all probabilities", least=1, most=10**12
)
SEED = IntegerParameter("seed", 1, "seed of the generator", least=0, most=2**64 - 1)


class Draw:
    """Uniform draws, all of them from ``getrandbits``."""

    def __init__(self, seed: int) -> None:
        self._bits = random.Random(seed).getrandbits  # noqa: S311 - reproducible, not secret

    def below(self, limit: int) -> int:
        """A number in 0 .. limit - 1, by rejection."""
        while True:
            number = self._bits(limit.bit_length())
            if number < limit:
                return number

    def subset(self, population: int, size: int) -> list[int]:
        """A subset of 0 .. population - 1, in increasing order, by Floyd's method."""
        chosen: set[int] = set()
        for newest in range(population - size, population):
            candidate = self.below(newest + 1)
            chosen.add(newest if candidate in chosen else candidate)
        return sorted(chosen)

    def composition(self, total: int, parts: int) -> list[int]:
        """Positive integers, ``parts`` of them, that sum to ``total``."""
        cuts = [0, *(cut + 1 for cut in self.subset(total - 1, parts - 1)), total]
        return [right - left for left, right in pairwise(cuts)]

    def distribution(self, outcomes: Sequence[Outcome], denominator: int) -> list[tuple[Outcome, Fraction]]:
        """Positive probabilities of all outcomes, multiples of 1/denominator, that sum to 1."""
        parts = self.composition(denominator, len(outcomes))
        return [(outcome, Fraction(part, denominator)) for outcome, part in zip(outcomes, parts, strict=True)]

    def shuffled(self, items: list[int]) -> list[int]:
        """The items in random order (Fisher and Yates)."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items

"""What the families of hidden Markov models share: putting one together by names, and formulas of priors.

The families write their models down as one draws them, states and targets by name. Priors are binomial for
the most part: people who are ill independently of each other. They are stated as formulas, as in a file, and
become polynomials as they would there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from bdist.exact.formulas import read_formula
from bdist.exact.polynomials import Entry, Ring
from bdist.pufferfish.model import Case, HiddenMarkovModel, HiddenState, Initial, Prior, Range, Scenario


@dataclass(frozen=True)
class Drawn:
    """A state by names: what it shows, and its row, without which it halts; shares may be 0."""

    name: str
    shows: Mapping[str, Fraction]
    row: Mapping[str, Fraction] | None = None


@dataclass(frozen=True)
class Believed:
    """A case of a prior: its formula, the state by name, and the secrets that are true."""

    formula: str
    state: str
    secrets: tuple[str, ...]


def put_together(
    name: str,
    states: Sequence[Drawn],
    scenarios: Iterable[Scenario],
    parameters: Iterable[str] = (),
    initials: Mapping[str, Mapping[str, Fraction]] | None = None,
) -> HiddenMarkovModel:
    """The model of these states; its parameters are between 0 and 1.

    Requires: every name is that of a state that is there.
    """
    numbers = {state.name: number for number, state in enumerate(states)}

    def entries(row: Mapping[str, Fraction]) -> tuple[tuple[int, Entry], ...]:
        return tuple((numbers[target], share) for target, share in row.items() if share)

    return HiddenMarkovModel(
        tuple(
            HiddenState(
                state.name,
                tuple((o, share) for o, share in state.shows.items() if share),
                None if state.row is None else entries(state.row),
            )
            for state in states
        ),
        tuple(Range(parameter, Fraction(0), Fraction(1)) for parameter in parameters),
        tuple(Initial(start, entries(row)) for start, row in (initials or {}).items()),
        tuple(scenarios),
        name,
    )


def prior(name: str, cases: Iterable[Believed], states: Sequence[Drawn], parameters: Sequence[str]) -> Prior:
    """A prior of a model with these states and parameters."""
    numbers = {state.name: number for number, state in enumerate(states)}
    ring = Ring(tuple(sorted(parameters)))
    box = ((Fraction(0), Fraction(1)),) * len(parameters)
    made = (
        Case(numbers[case.state], tuple(sorted(case.secrets)), read_formula(case.formula, ring, box))
        for case in cases
    )
    return Prior(name, tuple(made))


def always(observation: str) -> dict[str, Fraction]:
    """What a state shows that shows one thing."""
    return {observation: Fraction(1)}


def uniform(names: Iterable[str]) -> dict[str, Fraction]:
    """The uniform distribution."""
    listed = list(names)
    return dict.fromkeys(listed, Fraction(1, len(listed)))


def binomial(ill: int, people: int, parameter: str) -> str:
    """The probability that so many of the people are ill, each with the same probability, as a formula."""
    factors = [str(comb(people, ill))]
    factors += [f"{parameter}^{ill}"] if ill else []
    factors += [f"(1-{parameter})^{people - ill}"] if people > ill else []
    return "*".join(factors)

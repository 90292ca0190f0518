"""Random hidden Markov models for tests and benchmarks, reproducible from their parameters.

The same parameters give the same model, on every machine and every Python (`bdist.family` says how). A state
that goes on shows every observation, so that all words have a positive probability and ratios are finite; a
share of the states halts instead, and shows ``end``, which may make them infinite. The two initial
distributions are on all states. Rows have a few targets, and all their numbers a common denominator.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.errors import ParameterError
from bdist.family import DENOMINATOR, SEED, Draw, Family, IntegerParameter
from bdist.pufferfish.families.hidden import Drawn, always, put_together
from bdist.pufferfish.model import HiddenMarkovModel, Lengths, Neighbours, Scenario

STATES = IntegerParameter("states", 4, "number of states", least=1, most=10_000)
OBSERVATIONS = IntegerParameter("observations", 2, "number of observations", least=1, most=1_000)
DEGREE = IntegerParameter("degree", 2, "targets in a row", least=1, most=1_000)
HALTING = IntegerParameter("halting", 0, "percent of states that halt", least=0, most=100)
LENGTH = IntegerParameter("length", 5, "largest length of words in the scenario", least=1, most=10**6)

_STARTS = ("first", "second")


def random_hidden_model(
    states: int = STATES.default,
    observations: int = OBSERVATIONS.default,
    degree: int = DEGREE.default,
    denominator: int = DENOMINATOR.default,
    halting: int = HALTING.default,
    length: int = LENGTH.default,
    seed: int = SEED.default,
) -> HiddenMarkovModel:
    """States s0, s1, ..., observations a0, a1, ..., and the pair of the initial distributions first, second.

    Raises: ParameterError, also where the denominator is too small for the number of parts.
    """
    states, observations = STATES.read(states), OBSERVATIONS.read(observations)
    degree, denominator = min(DEGREE.read(degree), states), DENOMINATOR.read(denominator)
    halting, length, draw = HALTING.read(halting), LENGTH.read(length), Draw(SEED.read(seed))
    for parts, what in ((observations, "observations"), (degree, "degree")):
        if parts > denominator:
            raise ParameterError(
                f"parameter {what} is {parts}; it must be at most denominator = {denominator}"
            )

    def shares(names: list[str]) -> dict[str, Fraction]:
        parts = draw.composition(denominator, len(names))
        return {name: Fraction(part, denominator) for name, part in zip(names, parts, strict=True)}

    def start() -> dict[str, Fraction]:
        weights = [1 + draw.below(denominator) for _ in range(states)]
        return {f"s{number}": Fraction(weight, sum(weights)) for number, weight in enumerate(weights)}

    drawn = []
    for number in range(states):
        if draw.below(100) < halting:
            drawn.append(Drawn(f"s{number}", always("end")))
            continue
        shows = shares([f"a{observation}" for observation in range(observations)])
        drawn.append(Drawn(f"s{number}", shows, shares([f"s{t}" for t in draw.subset(states, degree)])))
    scenario = Scenario("starts", (Neighbours(*_STARTS),), lengths=Lengths(1, length))
    initials = {name: start() for name in _STARTS}
    return put_together(f"hidden-random-{seed}", drawn, [scenario], initials=initials)


FAMILY = Family(
    "hidden-random",
    "random hidden Markov models, reproducible from their seed",
    (STATES, OBSERVATIONS, DEGREE, DENOMINATOR, HALTING, LENGTH, SEED),
    random_hidden_model,
)

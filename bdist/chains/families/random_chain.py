"""Random chains for tests, benchmarks and fuzzing, reproducible from their parameters.

The same parameters give the same chain, on every machine and every Python (`bdist.family` says how). A chain
named in a bug report stays that chain, and a test pins one.

A row has ``degree`` targets, a uniform subset, and its probabilities are a uniform composition of
``denominator`` into that many positive parts. Every label occurs. The ``acyclic`` shape draws the targets of
a state among the states after it; the last state is absorbing and the states before it have as many targets
as are left, if those are fewer than ``degree``. It reaches its last state within ``states``
steps, so that an oracle can enumerate the traces.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.errors import ParameterError
from bdist.family import DENOMINATOR, SEED, ChoiceParameter, Draw, Family, IntegerParameter

Shape = Literal["general", "acyclic"]

STATES = IntegerParameter("states", 8, "number of states", least=1, most=10_000)
LABELS = IntegerParameter(
    "labels", 2, "number of labels, at most that of the states; all occur", least=1, most=10_000
)
DEGREE = IntegerParameter(
    "degree", 3, "targets of a row, at most the states and at most the denominator", least=1, most=200
)
SHAPE = ChoiceParameter(
    "shape",
    "general",
    "whether a state may go anywhere or only to later states",
    choices=("general", "acyclic"),
)


def random_chain(
    states: int = STATES.default,
    labels: int = LABELS.default,
    degree: int = DEGREE.default,
    denominator: int = DENOMINATOR.default,
    seed: int = SEED.default,
    shape: Shape = "general",
) -> LabelledMarkovChain:
    """A random chain with states s0, s1, ... and labels l0, l1, ..., a function of its parameters alone.

    Requires: labels <= states, degree <= states, degree <= denominator.
    Raises: ParameterError.
    """
    states, labels, degree = STATES.read(states), LABELS.read(labels), DEGREE.read(degree)
    denominator, seed = DENOMINATOR.read(denominator), SEED.read(seed)
    acyclic = SHAPE.read(shape) == "acyclic"
    for name, value, limit_name, limit in [
        ("labels", labels, "states", states),
        ("degree", degree, "states", states),
        ("degree", degree, "denominator", denominator),
    ]:
        if value > limit:
            raise ParameterError(
                f"parameter {name} is {value}; it must be at most {limit_name}, which is {limit}"
            )
    draw = Draw(seed)
    label_numbers = draw.shuffled([*range(labels), *(draw.below(labels) for _ in range(states - labels))])
    rows: list[Row] = []
    for i in range(states):
        first = min(i + 1, states - 1) if acyclic else 0
        targets = draw.subset(states - first, min(degree, states - first))
        parts = draw.composition(denominator, len(targets))
        rows.append(tuple((first + j, Fraction(x, denominator)) for j, x in zip(targets, parts, strict=True)))
    return LabelledMarkovChain(
        tuple(f"s{i}" for i in range(states)),
        tuple(f"l{k}" for k in label_numbers),
        tuple(rows),
        f"random-{seed}",
    )


FAMILY = Family(
    "random",
    "random chains, reproducible from their seed; general or acyclic",
    (STATES, LABELS, DEGREE, DENOMINATOR, SEED, SHAPE),
    random_chain,
)

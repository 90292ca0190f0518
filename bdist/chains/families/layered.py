"""Sparse layered chains: large, acyclic, with small classes, reproducible from their parameters.

A state of layer k goes to ``degree`` states of layer k + 1, a uniform subset, with probabilities that are a
uniform composition of ``denominator``; the states of the last layer are absorbing. The label of a state is
its layer together with one of ``labels`` symbols, drawn at random: ``17.b``.

What for? To ask about two states of a chain with a hundred thousand. Since the label names the layer, a class
has about ``width / labels`` states however many layers there are, and a query leads from a layer to the next
only. How many pairs it meets there depends on the labels. A pair of rows has up to ``2 degree`` targets, each
two of which share a label with probability ``1 / labels``: with few labels the pairs multiply until they are
all those of a layer, with many they die out after some layers.

As in `random_chain`, the same parameters give the same chain everywhere (`bdist.family`).
"""

from __future__ import annotations

from fractions import Fraction
from string import ascii_lowercase

from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.errors import ParameterError
from bdist.family import DENOMINATOR, SEED, Draw, Family, IntegerParameter

MOST_STATES = 1_000_000

LAYERS = IntegerParameter("layers", 10, "number of layers; the last is absorbing", least=1, most=100_000)
WIDTH = IntegerParameter("width", 6, "states of a layer", least=1, most=10_000)
LABELS = IntegerParameter(
    "labels", 2, "symbols that the label of a state may have beside its layer", least=1, most=26
)
DEGREE = IntegerParameter(
    "degree", 2, "targets of a row, at most the width and at most the denominator", least=1, most=200
)


def layered_chain(
    layers: int = LAYERS.default,
    width: int = WIDTH.default,
    labels: int = LABELS.default,
    degree: int = DEGREE.default,
    denominator: int = DENOMINATOR.default,
    seed: int = SEED.default,
) -> LabelledMarkovChain:
    """A layered chain, a function of its parameters alone; state 3 of layer 17 is s17.3, labelled 17.a, ...

    Requires: degree <= width, degree <= denominator, layers * width <= MOST_STATES.
    Raises: ParameterError.
    """
    layers, width, labels = LAYERS.read(layers), WIDTH.read(width), LABELS.read(labels)
    degree, denominator, seed = DEGREE.read(degree), DENOMINATOR.read(denominator), SEED.read(seed)
    for limit_name, limit in [("width", width), ("denominator", denominator)]:
        if degree > limit:
            raise ParameterError(
                f"parameter degree is {degree}; it must be at most {limit_name}, which is {limit}"
            )
    if layers * width > MOST_STATES:
        raise ParameterError(f"{layers} layers of {width} states are more than {MOST_STATES} states")
    draw = Draw(seed)
    symbols: list[str] = []
    rows: list[Row] = []
    for layer in range(layers):
        following = (layer + 1) * width
        for _ in range(width):
            symbols.append(f"{layer}.{ascii_lowercase[draw.below(labels)]}")
            if layer == layers - 1:
                rows.append(((len(rows), Fraction(1)),))
                continue
            targets = draw.subset(width, degree)
            parts = draw.composition(denominator, degree)
            rows.append(
                tuple((following + j, Fraction(x, denominator)) for j, x in zip(targets, parts, strict=True))
            )
    return LabelledMarkovChain(
        tuple(f"s{layer}.{place}" for layer in range(layers) for place in range(width)),
        tuple(symbols),
        tuple(rows),
        f"layered-{seed}",
    )


FAMILY = Family(
    "layered",
    "sparse layered chains, reproducible from their seed; compare states of the first layer",
    (LAYERS, WIDTH, LABELS, DEGREE, DENOMINATOR, SEED),
    layered_chain,
)

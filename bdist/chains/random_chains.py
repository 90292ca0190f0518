"""Random chains for tests, benchmarks and fuzzing, reproducible from their parameters.

The same parameters give the same chain, on every machine and every Python (`bdist.family` says how). A chain
named in a bug report stays that chain, and a test pins one. A row has ``degree`` targets, a uniform subset,
and its probabilities are a uniform composition of ``denominator`` into that many positive parts.

*random*: every label occurs. The ``acyclic`` shape draws the targets of a state among the states after it;
the last state is absorbing and the states before it have as many targets as are left, if those are fewer than
``degree``. It reaches its last state within ``states`` steps, so that an oracle can enumerate the traces.

*layered*: large, sparse and acyclic, with small classes. A state of layer k goes to states of layer k + 1;
those of the last layer are absorbing. The label of a state is its layer together with one of ``labels``
symbols, drawn at random: ``17.b``. What for? To ask about two states of a chain with a hundred thousand.
Since the label names the layer, a class has about ``width / labels`` states however many layers there are,
and a query leads from a layer to the next only. How many pairs it meets there depends on the labels. A pair
of rows has up to ``2 degree`` targets, each two of which share a label with probability ``1 / labels``: with
few labels the pairs multiply until they are all those of a layer, with many they die out after some layers.
"""

from __future__ import annotations

from fractions import Fraction
from string import ascii_lowercase
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
    _require_at_most("labels", labels, "states", states)
    _require_at_most("degree", degree, "states", states)
    _require_at_most("degree", degree, "denominator", denominator)
    draw = Draw(seed)
    label_numbers = draw.shuffled([*range(labels), *(draw.below(labels) for _ in range(states - labels))])
    rows: list[Row] = []
    for i in range(states):
        first = min(i + 1, states - 1) if acyclic else 0
        targets = draw.subset(states - first, min(degree, states - first))
        rows.append(tuple(draw.distribution([first + j for j in targets], denominator)))
    return LabelledMarkovChain(
        tuple(f"s{i}" for i in range(states)),
        tuple(f"l{k}" for k in label_numbers),
        tuple(rows),
        f"random-{seed}",
    )


RANDOM = Family(
    "random",
    "random chains, reproducible from their seed; general or acyclic",
    (STATES, LABELS, DEGREE, DENOMINATOR, SEED, SHAPE),
    random_chain,
)


def _require_at_most(name: str, value: int, limit_name: str, limit: int) -> None:
    if value > limit:
        raise ParameterError(
            f"parameter {name} is {value}; it must be at most {limit_name}, which is {limit}"
        )


MOST_STATES = 1_000_000

LAYERS = IntegerParameter("layers", 10, "number of layers; the last is absorbing", least=1, most=100_000)
WIDTH = IntegerParameter("width", 6, "states of a layer", least=1, most=10_000)
SYMBOLS = IntegerParameter(
    "labels", 2, "symbols that the label of a state may have beside its layer", least=1, most=26
)
OUT_DEGREE = IntegerParameter(
    "degree", 2, "targets of a row, at most the width and at most the denominator", least=1, most=200
)


def layered_chain(
    layers: int = LAYERS.default,
    width: int = WIDTH.default,
    labels: int = SYMBOLS.default,
    degree: int = OUT_DEGREE.default,
    denominator: int = DENOMINATOR.default,
    seed: int = SEED.default,
) -> LabelledMarkovChain:
    """A layered chain, a function of its parameters alone; state 3 of layer 17 is s17.3, labelled 17.a, ...

    Requires: degree <= width, degree <= denominator, layers * width <= MOST_STATES.
    Raises: ParameterError.
    """
    layers, width, labels = LAYERS.read(layers), WIDTH.read(width), SYMBOLS.read(labels)
    degree, denominator, seed = OUT_DEGREE.read(degree), DENOMINATOR.read(denominator), SEED.read(seed)
    _require_at_most("degree", degree, "width", width)
    _require_at_most("degree", degree, "denominator", denominator)
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
            rows.append(tuple(draw.distribution([following + j for j in targets], denominator)))
    return LabelledMarkovChain(
        tuple(f"s{layer}.{place}" for layer in range(layers) for place in range(width)),
        tuple(symbols),
        tuple(rows),
        f"layered-{seed}",
    )


LAYERED = Family(
    "layered",
    "sparse layered chains, reproducible from their seed; compare states of the first layer",
    (LAYERS, WIDTH, SYMBOLS, OUT_DEGREE, DENOMINATOR, SEED),
    layered_chain,
)

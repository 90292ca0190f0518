"""Families of chains: the examples of papers with their numbers made parameters, and small traps.

A family is what a paper's example becomes when its numbers are made parameters. To add one, write a function
that makes a member, decorate it with `family`, and name it in the table at the end; everything else reads
that table. Each family stands under the reason for it: what it models, where it is from, and what to compare
in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from string import ascii_lowercase

from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.chains.formats import lmc
from bdist.chains.subsampling import subsampling_as_published, subsampling_majority
from bdist.errors import ParameterError
from bdist.family import (
    DENOMINATOR,
    SEED,
    ChoiceParameter,
    Draw,
    Family,
    IntegerParameter,
    RationalParameter,
    by_name,
    family,
    make_named,
)


def _fixed(name: str, summary: str, rows: str) -> Family[LabelledMarkovChain]:
    """A family of one chain, whose rows are written as in ``.lmc`` files."""
    return Family(name, summary, (), lambda: lmc.read(f"lmc {name}\n{rows}"))


# ----------------------------------------------------------------------------------------------------------
# Four states: a chain that is private without being bisimilar (Fig. 1 of Chistikov, Murawski and Purser).
#
# s0 and s1 look alike and go to s2 and s3, which do not, with probabilities 0.4, 0.6 and 0.6, 0.4. They are
# not bisimilar, yet at alpha = 3/2 no event is told apart: 0.6 - 3/2 * 0.4 = 0. It is the first chain to
# try anything on.


figure_one = _fixed(
    "figure-one",
    "Fig. 1 of the paper: not bisimilar, distance 0 at 3/2; compare s0, s1",
    """
    s0 [start] -> 2/5 s2, 3/5 s3
    s1 [start] -> 3/5 s2, 2/5 s3
    s2 [left]  -> 1 s2
    s3 [right] -> 1 s3
    """,
)


# ----------------------------------------------------------------------------------------------------------
# Dining cryptographers with biased coins (Chaum, 1988; Fig. 2 of Chistikov, Murawski and Purser).
#
# Diners sit in a ring and each adjacent pair flips a coin that both of them see. Every diner announces
# whether the two coins he sees differ; the one who paid announces the opposite. So the number of *differ*
# is odd exactly if one of them paid, and with fair coins nobody learns who. With heads of probability p !=
# 1/2 a little is learnt, and the start states s0, s1, ... (payer 0, 1, ...) are to be compared.
#
# The program hides everything but the announcements, and leaves open what one step is. Two presentations
# are offered, because the bisimilarity distance, unlike the true delta, depends on it:
#
# * *merged*: one step is one announcement; the first step resolves the first flip and diner 0's flip
#   together. 8n^2 - 7n + 1 states.
# * *stepwise*: the first flip is a silent step of its own, labelled ``flip``. 2n states more.
#
# A state after an announcement carries five variables: payer, first flip, last flip, diner, and the
# announcement, which is its label. The state ``p0.HT.1.differ`` reads: diner 0 paid, the first flip was
# heads and the last tails, diner 1 has just announced *differ*. Only reachable states are made: diner 0's
# announcement is a function of the flips, and the last diner's flip is the first one again. (Merging
# further, such as forgetting the payer after the last announcement, would be a quotient, whose distance may
# be smaller.)


DINERS = IntegerParameter("diners", 2, "number of cryptographers at the table", least=2, most=100)
BIAS = RationalParameter("bias", Fraction(49, 100), "probability of heads, of every coin")
PRESENTATION = ChoiceParameter(
    "presentation",
    "merged",
    "whether the first flip is merged into the first announcement or is a step of its own",
    choices=("merged", "stepwise"),
)


@dataclass(frozen=True)
class _Announced:
    """The machine just after diner ``diner`` made his announcement."""

    payer: int
    first: str
    last: str
    diner: int
    announcement: str

    def __str__(self) -> str:
        return f"p{self.payer}.{self.first}{self.last}.{self.diner}.{self.announcement}"


@family(
    "dining-cryptographers",
    "dining cryptographers with biased coins; compare s0, s1, ... (who paid)",
    *(DINERS, BIAS, PRESENTATION),
)
def dining_cryptographers(diners: int, bias: Fraction, presentation: str) -> LabelledMarkovChain:
    """The chain of Fig. 2; start states s0, s1, ... by payer."""
    stepwise = presentation == "stepwise"
    coin = {"H": bias, "T": 1 - bias}

    def announce(payer: int, first: str, previous: str, diner: int) -> dict[_Announced, Fraction]:
        """One turn of the loop, lines 4 to 13."""
        flips = coin if diner < diners - 1 else {first: Fraction(1)}
        return {
            _Announced(payer, first, this, diner, _announcement(diner == payer, previous, this)): probability
            for this, probability in flips.items()
        }

    starts: list[tuple[str, str, dict[str, Fraction]]] = []
    others: list[tuple[str, str, dict[str, Fraction]]] = []
    for payer in range(diners):
        opening = {first: announce(payer, first, first, 0) for first in coin}
        layer = [state for row in opening.values() for state in row]
        if stepwise:
            starts.append((f"s{payer}", "start", {f"p{payer}.{first}": coin[first] for first in coin}))
            others += [(f"p{payer}.{first}", "flip", _named(row)) for first, row in opening.items()]
        else:
            both = {s: coin[first] * p for first, row in opening.items() for s, p in row.items()}
            starts.append((f"s{payer}", "start", _named(both)))
        for diner in range(1, diners):
            following = {state: announce(payer, state.first, state.last, diner) for state in layer}
            others += [(str(state), state.announcement, _named(row)) for state, row in following.items()]
            layer = list(dict.fromkeys(state for row in following.values() for state in row))
        others += [(str(state), state.announcement, {"end": Fraction(1)}) for state in layer]
    end = ("end", "end", {"end": Fraction(1)})
    return LabelledMarkovChain.from_rows([*starts, *others, end], name=f"{diners}-diners-{presentation}")


def _announcement(paying: bool, previous: str, this: str) -> str:
    """Lines 9 to 12: announce(true) is *differ*, announce(false) is *agree*."""
    truth = (previous == this) if paying else (previous != this)
    return "differ" if truth else "agree"


def _named(row: dict[_Announced, Fraction]) -> dict[str, Fraction]:
    return {str(state): probability for state, probability in row.items()}


# ----------------------------------------------------------------------------------------------------------
# The survey of Liu, Wang and Zhang (Model checking differentially private properties), asked once or twice.
#
# Have you been diagnosed with the disease? The surveyee flips a coin. With probability ``truth`` she
# answers truthfully, and otherwise 1 or 0, each with probability 1/2. So the true answer is given with
# probability (1 + truth) / 2, and one survey is ln((1 + truth) / (1 - truth))-differentially private: ln 3
# for a fair coin (section 3.1). Asked twice, with a new coin, the loss of both answers is twice that, ln 9
# (Fig. 4), but that of the second answer alone is no more than of one.
#
# The start states ``plus`` and ``minus`` are the diagnosis, with one label, as nobody sees it; the answers
# have the labels ``out1`` and ``out0``. The paper's ``s`` and ``t`` are the last answers. Before, in the
# double survey, the state remembers the diagnosis: in ``plus.s`` the diagnosis is positive and the first
# answer was 1. What the paper leaves out, it sends to a state with a loop; that is ``sink`` here.
#
# Randomised response (`response`) is the same idea with the coin hidden in one number, any number of
# questions, and the answers as labels; these two are the paper's, state for state, so that its formulas can
# be typed.


DEMAND = RationalParameter("truth", Fraction(1, 2), "probability that the coin demands a truthful answer")

_SURVEY_LABELS = {"s": "out1", "t": "out0"}
_TRUTHFUL = {"plus": "s", "minus": "t"}


@family("survey", "a survey question answered through a coin; compare plus, minus", DEMAND)
def survey(truth: Fraction) -> LabelledMarkovChain:
    """One survey; 5 states."""
    return _surveys(truth, "survey", twice=False)


@family("double-survey", "the same survey question asked twice; compare plus, minus", DEMAND)
def double_survey(truth: Fraction) -> LabelledMarkovChain:
    """Two surveys in sequence; 9 states."""
    return _surveys(truth, "double-survey", twice=True)


def _surveys(truth: Fraction, name: str, *, twice: bool) -> LabelledMarkovChain:
    def answers(diagnosis: str, prefix: str) -> dict[str, Fraction]:
        true, false = (1 + truth) / 2, (1 - truth) / 2
        return {prefix + said: true if said == _TRUTHFUL[diagnosis] else false for said in _SURVEY_LABELS}

    rows = [(whose, "diagnosis", answers(whose, f"{whose}." if twice else "")) for whose in _TRUTHFUL]
    for whose in _TRUTHFUL if twice else ():
        rows += [(f"{whose}.{said}", label, answers(whose, "")) for said, label in _SURVEY_LABELS.items()]
    rows += [
        (end, label, {"sink": Fraction(1)}) for end, label in (*_SURVEY_LABELS.items(), ("sink", "sink"))
    ]
    return LabelledMarkovChain.from_rows(rows, name=name)


# ----------------------------------------------------------------------------------------------------------
# Randomised response (Warner, 1965): a sensitive question, answered through a biased coin.
#
# The answer is truthful with probability ``truth`` and false otherwise. The start states ``yes`` and ``no``
# are the true answer, and the announced answers are the labels. One question is the textbook mechanism,
# ln(truth / (1 - truth))-differentially private: at truth = 3/4 the distance is 0 from alpha = 3 on. Asked
# again, the person draws afresh, and privacy composes: after q questions the ratio is the q-th power.
#
# Before the last answer a state remembers the truth, since it governs the answers to come
# (``yes.1.says-no``: the truth is yes, the first announcement was no). After the last answer nothing
# depends on the truth any more, so both sides share ``says-yes`` and ``says-no``. That is more than thrift:
# a skewed distance allows two states at distance 0 values that differ by the factor alpha, and so counts
# two copies of a state as if they could still be told apart a little. One shared state leaves no such room.


TRUTH = RationalParameter("truth", Fraction(3, 4), "probability of a truthful answer")
QUESTIONS = IntegerParameter("questions", 1, "how often the same question is asked", least=1, most=10_000)

_OPPOSITE = {"yes": "no", "no": "yes"}


@family(
    "randomised-response",
    "a sensitive question answered through a biased coin; compare yes, no",
    *(TRUTH, QUESTIONS),
)
def randomised_response(truth: Fraction, questions: int) -> LabelledMarkovChain:
    """One sensitive question asked ``questions`` times; 4 questions + 1 states."""

    def answers(fact: str, asked: int) -> dict[str, Fraction]:
        shared = asked == questions
        return {
            f"says-{said}" if shared else f"{fact}.{asked}.says-{said}": truth if said == fact else 1 - truth
            for said in (fact, _OPPOSITE[fact])
        }

    rows: list[tuple[str, str, dict[str, Fraction]]] = [
        (fact, "start", answers(fact, 1)) for fact in _OPPOSITE
    ]
    rows += [
        (f"{fact}.{asked}.says-{said}", f"says-{said}", answers(fact, asked + 1))
        for asked in range(1, questions)
        for fact in _OPPOSITE
        for said in _OPPOSITE
    ]
    rows += [(f"says-{said}", f"says-{said}", {"end": Fraction(1)}) for said in _OPPOSITE]
    rows.append(("end", "end", {"end": Fraction(1)}))
    return LabelledMarkovChain.from_rows(rows, name="randomised-response")


# ----------------------------------------------------------------------------------------------------------
# The truncated geometric mechanism (Ghosh, Roughgarden and Sundararajan, 2009): a count with noise.
#
# A count between 0 and n is published. The noise is two-sided geometric, P(k) = (1 - r)/(1 + r) r^|k|, and
# what falls below 0 or above n is published as 0 or n:
#
#     P(out = j | count = i) = (1 - r)/(1 + r) r^|i-j|    for 0 < j < n,
#                              r^|i-j| / (1 + r)          for j = 0 and j = n.
#
# Neighbouring counts differ by a factor of at most 1/r everywhere, and by exactly that at the ends: the
# distance of ``count0`` and ``count1`` falls to 0 at alpha = 1/r and not before. Unlike the Laplace
# mechanism all its probabilities are rational, so the model is exact.


LARGEST = IntegerParameter("largest", 3, "largest count; counts are 0 to this", least=1, most=200)
RATIO = RationalParameter("ratio", Fraction(1, 2), "ratio of the noise, e^-epsilon")


@family(
    "geometric",
    "truncated geometric mechanism on counts; compare count0, count1 and other neighbours",
    *(LARGEST, RATIO),
)
def geometric_mechanism(largest: int, ratio: Fraction) -> LabelledMarkovChain:
    """Counts 0 to ``largest`` and as many outputs, each with its own label."""
    counts, noise = range(largest + 1), truncated_noise(largest, ratio)
    rows = [(f"count{i}", "start", {f"out{j}": noise[i][j] for j in counts}) for i in counts]
    rows += [(f"out{j}", f"out{j}", {f"out{j}": Fraction(1)}) for j in counts]
    return LabelledMarkovChain.from_rows(rows, name="geometric")


def truncated_noise(largest: int, ratio: Fraction) -> list[list[Fraction]]:
    """The matrix of P(out = j | count = i)."""
    tail = [ratio**distance / (1 + ratio) for distance in range(largest + 1)]
    counts = range(largest + 1)
    return [[tail[abs(i - j)] * (1 if j in (0, largest) else 1 - ratio) for j in counts] for i in counts]


# ----------------------------------------------------------------------------------------------------------
# Random chains for tests, benchmarks and fuzzing, reproducible from their parameters.
#
# The same parameters give the same chain, on every machine and every Python (`bdist.family` says how). A
# chain named in a bug report stays that chain, and a test pins one. A row has ``degree`` targets, a uniform
# subset, and its probabilities are a uniform composition of ``denominator`` into that many positive parts.
#
# *random*: every label occurs. The ``acyclic`` shape draws the targets of a state among the states after
# it; the last state is absorbing and the states before it have as many targets as are left, if those are
# fewer than ``degree``. It reaches its last state within ``states`` steps, so that an oracle can enumerate
# the traces.
#
# *layered*: large, sparse and acyclic, with small classes. A state of layer k goes to states of layer k +
# 1; those of the last layer are absorbing. The label of a state is its layer together with one of
# ``labels`` symbols, drawn at random: ``17.b``. What for? To ask about two states of a chain with a hundred
# thousand. Since the label names the layer, a class has about ``width / labels`` states however many layers
# there are, and a query leads from a layer to the next only. How many pairs it meets there depends on the
# labels. A pair of rows has up to ``2 degree`` targets, each two of which share a label with probability
# ``1 / labels``: with few labels the pairs multiply until they are all those of a layer, with many they die
# out after some layers.


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


@family(
    "random",
    "random chains, reproducible from their seed; general or acyclic",
    *(STATES, LABELS, DEGREE, DENOMINATOR, SEED, SHAPE),
)
def random_chain(
    states: int, labels: int, degree: int, denominator: int, seed: int, shape: str
) -> LabelledMarkovChain:
    """A random chain with states s0, s1, ... and labels l0, l1, ..., a function of its parameters alone.

    Raises: ParameterError unless labels <= states, degree <= states and degree <= denominator.
    """
    _require_at_most("labels", labels, "states", states)
    _require_at_most("degree", degree, "states", states)
    _require_at_most("degree", degree, "denominator", denominator)
    draw = Draw(seed)
    label_numbers = draw.shuffled([*range(labels), *(draw.below(labels) for _ in range(states - labels))])
    rows: list[Row] = []
    for i in range(states):
        first = min(i + 1, states - 1) if shape == "acyclic" else 0
        targets = draw.subset(states - first, min(degree, states - first))
        rows.append(tuple(draw.distribution([first + j for j in targets], denominator)))
    names = tuple(f"s{i}" for i in range(states))
    return LabelledMarkovChain(names, tuple(f"l{k}" for k in label_numbers), tuple(rows), f"random-{seed}")


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


@family(
    "layered",
    "sparse layered chains, reproducible from their seed; compare states of the first layer",
    *(LAYERS, WIDTH, SYMBOLS, OUT_DEGREE, DENOMINATOR, SEED),
)
def layered_chain(
    layers: int, width: int, labels: int, degree: int, denominator: int, seed: int
) -> LabelledMarkovChain:
    """A layered chain, a function of its parameters alone; state 3 of layer 17 is s17.3, labelled 17.a, ...

    Raises: ParameterError unless degree <= width, degree <= denominator, layers * width <= MOST_STATES.
    """
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
    names = tuple(f"s{layer}.{place}" for layer in range(layers) for place in range(width))
    return LabelledMarkovChain(names, tuple(symbols), tuple(rows), f"layered-{seed}")


# ----------------------------------------------------------------------------------------------------------
# Three small chains on which a plausible implementation of the bisimilarity distance goes wrong.
#
# They are families, and not just test data, so that a user can make them, look at them and run another tool
# on them.
#
# * ``lemma_three_erratum``: the dual program as printed in Lemma 3 (and Fig. 5) of Chistikov, Murawski and
#   Purser leaves out the multiplier of f <= 1. At alpha = 2 Definition 12 gives 13/50 for (q0, q1), the
#   printed dual 27/100: a sound bound, and not the distance.
# * ``not_monotone``: the distance of (s, t) is 0 at alpha = 2 and positive again at 5/2, against the remark
#   after Lemma 2. So a value at a larger alpha is no lower bound for one at a smaller alpha, and bisection
#   over alpha may go astray.
# * ``outside_states``: the linear program of (s, t) needs states that neither s nor t goes to. k and l are
#   outside both supports; at alpha = 2 the program over the supports gives 1/5, adding either of them alone
#   leaves it at 1/5, and both together give the distance, 23/120.


lemma_three_erratum = _fixed(
    "lemma-three-erratum",
    "the printed dual of Lemma 3 overestimates here; compare q0, q1 at 2",
    """
    q0 [start] -> 1/10 q3, 7/10 q4, 1/10 q5, 1/10 q6
    q1 [start] -> 7/10 q2, 1/5 q3, 1/10 q5
    q2 [mid]   -> 9/10 q7, 1/10 q8
    q3 [mid]   -> 7/10 q7, 3/10 q8
    q4 [mid]   -> 4/10 q7, 6/10 q8
    q5 [mid]   -> 6/10 q7, 4/10 q8
    q6 [mid]   -> 1 q8
    q7 [left]  -> 1 q7
    q8 [right] -> 1 q8
    """,
)
not_monotone = _fixed(
    "not-monotone",
    "the distance falls to 0 and rises again with alpha; compare s, t from 3/2 to 4",
    """
    s [start] -> 1/3 i, 2/3 j
    t [start] -> 1 j
    i [mid]   -> 1/2 x, 1/2 y
    k [mid]   -> 1/4 x, 3/4 y
    j [mid]   -> 1/8 x, 7/8 y
    x [left]  -> 1 x
    y [right] -> 1 y
    """,
)
outside_states = _fixed(
    "outside-states",
    "states outside both supports lower the distance; compare s, t at 2",
    """
    s [start] -> 1/2 i, 1/2 j
    t [start] -> 1 i
    i [mid]   -> 7/20 x, 5/20 y, 8/20 z
    j [mid]   -> 1/20 x, 1/20 y, 18/20 z
    k [mid]   -> 6/20 x, 7/20 y, 7/20 z
    l [mid]   -> 2/20 x, 4/20 y, 14/20 z
    x [x]     -> 1 x
    y [y]     -> 1 y
    z [z]     -> 1 z
    """,
)


# The table, ordered as a reader would meet them.

FAMILIES: Mapping[str, Family[LabelledMarkovChain]] = by_name(
    (
        *(figure_one, dining_cryptographers, survey, double_survey, randomised_response),
        *(geometric_mechanism, subsampling_majority, subsampling_as_published, random_chain, layered_chain),
        *(lemma_three_erratum, not_monotone, outside_states),
    )
)
make_family = partial(make_named, FAMILIES, "chains")

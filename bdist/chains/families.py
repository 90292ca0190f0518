"""Families of chains: the examples of papers with their numbers made parameters, and small traps.

A family is what a paper's example becomes when its numbers are made parameters. To add one, write a `Family`
and name it in the table at the end; everything else reads that table. Each family stands under the reason for
it: what it models, where it is from, and what to compare in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb
from typing import Literal

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.random_chains import LAYERED, RANDOM
from bdist.errors import ParameterError
from bdist.exact.epsilon import LARGEST_EPSILON, exponential_down, exponential_up
from bdist.family import (
    ChoiceParameter,
    Family,
    IntegerParameter,
    RationalParameter,
    Value,
    by_name,
    named_family,
)

# ----------------------------------------------------------------------------------------------------------
# Four states: a chain that is private without being bisimilar (Fig. 1 of Chistikov, Murawski and Purser).
#
# s0 and s1 look alike and go to s2 and s3, which do not, with probabilities 0.4, 0.6 and 0.6, 0.4. They are
# not bisimilar, yet at alpha = 3/2 no event is told apart: 0.6 - 3/2 * 0.4 = 0. It is the first chain to
# try anything on.


def figure_one() -> LabelledMarkovChain:
    """The chain of Fig. 1; compare s0 and s1."""
    rows = {
        "s0": ("start", {"s2": "2/5", "s3": "3/5"}),
        "s1": ("start", {"s2": "3/5", "s3": "2/5"}),
        "s2": ("left", {"s2": "1"}),
        "s3": ("right", {"s3": "1"}),
    }
    return LabelledMarkovChain.from_rows(rows, name="figure-one")


FIGURE_ONE = Family(
    "figure-one", "Fig. 1 of the paper: not bisimilar, distance 0 at 3/2; compare s0, s1", (), figure_one
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


Presentation = Literal["merged", "stepwise"]

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


def dining_cryptographers(
    diners: int = DINERS.default,
    bias: Fraction = BIAS.default,
    presentation: Presentation = "merged",
) -> LabelledMarkovChain:
    """The chain of Fig. 2; start states s0, s1, ... by payer.

    Requires: at least two diners; 0 < bias < 1.
    Raises: ParameterError.
    """
    diners, bias = DINERS.read(diners), BIAS.read(bias)
    stepwise = PRESENTATION.read(presentation) == "stepwise"
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
    return LabelledMarkovChain.from_rows(
        [*starts, *others, end], name=f"{diners}-diners-{'stepwise' if stepwise else 'merged'}"
    )


def _announcement(paying: bool, previous: str, this: str) -> str:
    """Lines 9 to 12: announce(true) is *differ*, announce(false) is *agree*."""
    truth = (previous == this) if paying else (previous != this)
    return "differ" if truth else "agree"


def _named(row: dict[_Announced, Fraction]) -> dict[str, Fraction]:
    return {str(state): probability for state, probability in row.items()}


DINING_CRYPTOGRAPHERS = Family(
    "dining-cryptographers",
    "dining cryptographers with biased coins; compare s0, s1, ... (who paid)",
    (DINERS, BIAS, PRESENTATION),
    dining_cryptographers,
)


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


def survey(truth: Fraction = DEMAND.default) -> LabelledMarkovChain:
    """One survey; 5 states; compare ``plus`` and ``minus``.

    Requires: 0 < truth < 1.
    Raises: ParameterError.
    """
    truth = DEMAND.read(truth)
    rows = [(diagnosis, "diagnosis", _survey_answers(diagnosis, truth)) for diagnosis in _TRUTHFUL]
    return LabelledMarkovChain.from_rows([*rows, *_survey_ends()], name="survey")


def double_survey(truth: Fraction = DEMAND.default) -> LabelledMarkovChain:
    """Two surveys in sequence; 9 states; compare ``plus`` and ``minus``.

    Requires: 0 < truth < 1.
    Raises: ParameterError.
    """
    truth = DEMAND.read(truth)
    rows = [
        (diagnosis, "diagnosis", _survey_answers(diagnosis, truth, f"{diagnosis}."))
        for diagnosis in _TRUTHFUL
    ]
    rows += [
        (f"{diagnosis}.{answer}", label, _survey_answers(diagnosis, truth))
        for diagnosis in _TRUTHFUL
        for answer, label in _SURVEY_LABELS.items()
    ]
    return LabelledMarkovChain.from_rows([*rows, *_survey_ends()], name="double-survey")


def _survey_answers(diagnosis: str, truth: Fraction, prefix: str = "") -> dict[str, Fraction]:
    return {
        prefix + answer: (1 + truth if answer == _TRUTHFUL[diagnosis] else 1 - truth) / 2
        for answer in _SURVEY_LABELS
    }


def _survey_ends() -> list[tuple[str, str, dict[str, Fraction]]]:
    rows = [(answer, label, {"sink": Fraction(1)}) for answer, label in _SURVEY_LABELS.items()]
    return [*rows, ("sink", "sink", {"sink": Fraction(1)})]


SURVEY = Family("survey", "a survey question answered through a coin; compare plus, minus", (DEMAND,), survey)
DOUBLE_SURVEY = Family(
    "double-survey", "the same survey question asked twice; compare plus, minus", (DEMAND,), double_survey
)


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


def randomised_response(
    truth: Fraction = TRUTH.default, questions: int = QUESTIONS.default
) -> LabelledMarkovChain:
    """One sensitive question asked ``questions`` times; 4 questions + 1 states; compare ``yes`` and ``no``.

    Requires: 0 < truth < 1; at least one question.
    Raises: ParameterError.
    """
    truth, questions = TRUTH.read(truth), QUESTIONS.read(questions)

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


RANDOMISED_RESPONSE = Family(
    "randomised-response",
    "a sensitive question answered through a biased coin; compare yes, no",
    (TRUTH, QUESTIONS),
    randomised_response,
)


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


def geometric_mechanism(
    largest: int = LARGEST.default, ratio: Fraction = RATIO.default
) -> LabelledMarkovChain:
    """Counts 0 to ``largest`` and as many outputs, each with its own label; compare count0, count1 and so on.

    Requires: largest >= 1; 0 < ratio < 1.
    Raises: ParameterError.
    """
    largest, ratio = LARGEST.read(largest), RATIO.read(ratio)
    counts, noise = range(largest + 1), truncated_noise(largest, ratio)
    rows = [(f"count{i}", "start", {f"out{j}": noise[i][j] for j in counts}) for i in counts]
    rows += [(f"out{j}", f"out{j}", {f"out{j}": Fraction(1)}) for j in counts]
    return LabelledMarkovChain.from_rows(rows, name="geometric")


def truncated_noise(largest: int, ratio: Fraction) -> list[list[Fraction]]:
    """The matrix of P(out = j | count = i)."""
    tail = [ratio**distance / (1 + ratio) for distance in range(largest + 1)]
    counts = range(largest + 1)
    return [[tail[abs(i - j)] * (1 if j in (0, largest) else 1 - ratio) for j in counts] for i in counts]


GEOMETRIC = Family(
    "geometric",
    "truncated geometric mechanism on counts; compare count0, count1 and other neighbours",
    (LARGEST, RATIO),
    geometric_mechanism,
)


# ----------------------------------------------------------------------------------------------------------
# Subsampling majority: which team is larger, told only where the answer does not depend on single members.
#
# Algorithm 1 and Fig. 3 of Liu, Wang and Zhang (Model checking differentially private properties, section
# 3.3), for three members, each red or blue. From the data set, ``samples`` subsets are drawn, in each of
# which every member is with probability ``rate``. Let c of them have a red majority (ties, and so the empty
# set, count as red), and let r = |c - (samples - c)| / (4 samples rate) - 1. If r and Laplace noise of
# scale 1/epsilon exceed ln(1/delta)/epsilon, the mechanism answers: 1 if at least as many are red as blue,
# 0 otherwise. If not, it says nothing.
#
# Paper and chain. The paper sets rate and samples from epsilon and delta, which makes hundreds of thousands
# of samples; here they are parameters. Its figure sends counts with the same r to one state, which has then
# forgotten which team was in front; here the state remembers it.
#
#     rrr, rrb, rbb, bbb     dataset      neighbours differ in one member: rrr:rrb, rrb:rbb, rbb:bbb
#     red0, red1, ...        counted      as many samples with a red majority
#     answers1, answers0     answers      the noise was large enough
#     one, zero, silent      out1, out0, bot    for ever
#
# All probabilities but the noise are rational. That is y = e^(epsilon r), and the probability to answer
#
#   P(Lap(1/epsilon) > ln(1/delta)/epsilon - r)  =  delta y / 2  if delta y <= 1,  else  1 - 1 / (2 delta y),
#
# an increasing and continuous function of y. So from a rational below and a rational above y (FLINT's ball
# arithmetic, rounded outward, within 2^-39 of each other; `rationals.exponential`) come a rational below
# and one above the probability, and ``side`` says which of them is in the chain. Where r = 0, both are
# exact. The probabilities of F out1 and of F out0 grow with those of answering, so their truth lies between
# the two chains, and that of F bot as well. A formula D[...] compares two such numbers, and holds of the
# mechanism if the ends that are further apart satisfy it; it is not enough that both chains do.
# `bdist.dpctl.enclosures` asks that of all chains between the two, ``bdist modelcheck lower.lmc FORMULA
# --enclosure upper.lmc``: rows have two entries where the sides differ, so every entry of the true row is
# between those of the two.
#
# With the parameters below, D[eps=1, delta=1/10] (F out0) and (F out1) hold, as epsilon and delta of the
# mechanism would have it, and so they do at eps = 1/2 and delta = 1/100; at eps = 1/4 and delta = 1/100 the
# latter is violated, between rbb and bbb.


SAMPLES = IntegerParameter("samples", 4, "number of subsets that are drawn, m", least=1, most=100)
RATE = RationalParameter("rate", Fraction(1, 10), "probability of each member to be in a subset, q")
EPSILON = RationalParameter("epsilon", Fraction(1), "the noise has scale 1/epsilon", below=Fraction(100))
DELTA = RationalParameter("delta", Fraction(1, 10), "the bar for answering is ln(1/delta)/epsilon")
SIDE = ChoiceParameter(
    "side",
    "lower",
    "the irrational probability of answering is rounded to this side; the truth lies between the two",
    choices=("lower", "upper"),
)

_DATASETS = ("rrr", "rrb", "rbb", "bbb")


def subsampling_majority(
    samples: int = SAMPLES.default,
    rate: Fraction = RATE.default,
    epsilon: Fraction = EPSILON.default,
    delta: Fraction = DELTA.default,
    side: str = SIDE.default,
) -> LabelledMarkovChain:
    """Three members; compare ``rrr`` and ``rrb``, ``rrb`` and ``rbb``, ``rbb`` and ``bbb``.

    Requires: samples >= 1; 0 < rate < 1; 0 < epsilon < 100; 0 < delta < 1; side is lower or upper.
    Raises: ParameterError.
    """
    samples, rate, epsilon = SAMPLES.read(samples), RATE.read(rate), EPSILON.read(epsilon)
    delta, side = DELTA.read(delta), SIDE.read(side)
    one = Fraction(1)
    rows = []
    for members in _DATASETS:
        red = _red_majority(members, rate)
        shares = {
            f"red{c}": comb(samples, c) * red**c * (1 - red) ** (samples - c) for c in range(samples + 1)
        }
        rows.append((members, "dataset", shares))
    for c in range(samples + 1):
        r = Fraction(abs(2 * c - samples), 4 * samples) / rate - 1
        answers = _answering(epsilon * r, delta, side)
        answer = "answers1" if 2 * c >= samples else "answers0"
        rows.append((f"red{c}", "counted", {answer: answers, "silent": 1 - answers}))
    rows += [("answers1", "answers", {"one": one}), ("answers0", "answers", {"zero": one})]
    for state, label in (("one", "out1"), ("zero", "out0"), ("silent", "bot")):
        rows.append((state, label, {state: one}))
    return LabelledMarkovChain.from_rows(rows, name=f"subsampling-majority-{side}")


def _red_majority(members: str, rate: Fraction) -> Fraction:
    """The probability that a random subset of the members has at least as many red ones as blue ones."""
    total = Fraction(0)
    for chosen in product((False, True), repeat=len(members)):
        taken = [member for member, is_in in zip(members, chosen, strict=True) if is_in]
        if 2 * taken.count("r") >= len(taken):
            total += rate ** len(taken) * (1 - rate) ** (len(members) - len(taken))
    return total


def _answering(exponent: Fraction, delta: Fraction, side: str) -> Fraction:
    """A rational at that side of the probability to answer, for epsilon r."""
    if abs(exponent) > LARGEST_EPSILON:
        raise ParameterError(f"epsilon / rate is too large: epsilon r exceeds {LARGEST_EPSILON}")
    if exponent >= 0:
        y = exponential_down(exponent) if side == "lower" else exponential_up(exponent)
    else:
        y = 1 / (exponential_up(-exponent) if side == "lower" else exponential_down(-exponent))
    return delta * y / 2 if delta * y <= 1 else 1 - 1 / (2 * delta * y)


SUBSAMPLING_MAJORITY = Family(
    "subsampling-majority",
    "majority of three members by subsampling; the truth lies between side=lower and side=upper; compare "
    "rrr, rrb",
    (SAMPLES, RATE, EPSILON, DELTA, SIDE),
    subsampling_majority,
)


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


def lemma_three_erratum() -> LabelledMarkovChain:
    """Five middle states that tell the printed dual of Lemma 3 from the primal; compare q0 and q1."""
    tenths = {"q2": 9, "q3": 7, "q4": 4, "q5": 6, "q6": 0}
    rows = {
        "q0": ("start", {"q3": "1/10", "q4": "7/10", "q5": "1/10", "q6": "1/10"}),
        "q1": ("start", {"q2": "7/10", "q3": "1/5", "q5": "1/10"}),
        **{q: ("mid", {"q7": f"{k}/10", "q8": f"{10 - k}/10"}) for q, k in tenths.items()},
        "q7": ("left", {"q7": "1"}),
        "q8": ("right", {"q8": "1"}),
    }
    return LabelledMarkovChain.from_rows(rows, name="lemma-three-erratum")


def not_monotone() -> LabelledMarkovChain:
    """Three middle states that make the distance fall to 0 and rise again as alpha grows; compare s and t."""
    rows = {
        "s": ("start", {"i": "1/3", "j": "2/3"}),
        "t": ("start", {"j": "1"}),
        "i": ("mid", {"x": "1/2", "y": "1/2"}),
        "k": ("mid", {"x": "1/4", "y": "3/4"}),
        "j": ("mid", {"x": "1/8", "y": "7/8"}),
        "x": ("left", {"x": "1"}),
        "y": ("right", {"y": "1"}),
    }
    return LabelledMarkovChain.from_rows(rows, name="not-monotone")


def outside_states() -> LabelledMarkovChain:
    """Two states outside both supports that together lower the distance; compare s and t."""
    twentieths = {"i": (7, 5, 8), "j": (1, 1, 18), "k": (6, 7, 7), "l": (2, 4, 14)}
    ends = ("x", "y", "z")
    rows = {
        "s": ("start", {"i": "1/2", "j": "1/2"}),
        "t": ("start", {"i": "1"}),
        **{
            state: ("mid", {end: f"{part}/20" for end, part in zip(ends, parts, strict=True)})
            for state, parts in twentieths.items()
        },
        **{end: (end, {end: "1"}) for end in ends},
    }
    return LabelledMarkovChain.from_rows(rows, name="outside-states")


LEMMA_THREE_ERRATUM = Family(
    "lemma-three-erratum",
    "the printed dual of Lemma 3 overestimates here; compare q0, q1 at 2",
    (),
    lemma_three_erratum,
)
NOT_MONOTONE = Family(
    "not-monotone",
    "the distance falls to 0 and rises again with alpha; compare s, t from 3/2 to 4",
    (),
    not_monotone,
)
OUTSIDE_STATES = Family(
    "outside-states", "states outside both supports lower the distance; compare s, t at 2", (), outside_states
)


# The table, ordered as a reader would meet them.

FAMILIES: Mapping[str, Family[LabelledMarkovChain]] = by_name(
    (
        *(FIGURE_ONE, DINING_CRYPTOGRAPHERS, SURVEY, DOUBLE_SURVEY, RANDOMISED_RESPONSE, GEOMETRIC),
        *(SUBSAMPLING_MAJORITY, RANDOM, LAYERED, LEMMA_THREE_ERRATUM, NOT_MONOTONE, OUTSIDE_STATES),
    )
)


def make_family(name: str, values: Mapping[str, Value] | None = None) -> LabelledMarkovChain:
    """The chain of a family by name.

    Values are text, as typed, or numbers; what is not given is default.
    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    return named_family(name, FAMILIES, "chains").make(**(values or {}))

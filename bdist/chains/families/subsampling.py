"""Subsampling majority: which team is larger, told only where the answer does not depend on single members.

Algorithm 1 and Fig. 3 of Liu, Wang and Zhang (Model checking differentially private properties, section 3.3),
for three members, each red or blue. From the data set, ``samples`` subsets are drawn, in each of which every
member is with probability ``rate``. Let c of them have a red majority (ties, and so the empty set, count as
red), and let r = |c - (samples - c)| / (4 samples rate) - 1. If r and Laplace noise of scale 1/epsilon exceed
ln(1/delta)/epsilon, the mechanism answers: 1 if at least as many are red as blue, 0 otherwise. If not, it
says nothing.

Paper and chain. The paper sets rate and samples from epsilon and delta, which makes hundreds of thousands of
samples; here they are parameters. Its figure sends counts with the same r to one state, which has then
forgotten which team was in front; here the state remembers it.

    rrr, rrb, rbb, bbb     dataset      neighbours differ in one member: rrr:rrb, rrb:rbb, rbb:bbb
    red0, red1, ...        counted      as many samples with a red majority
    answers1, answers0     answers      the noise was large enough
    one, zero, silent      out1, out0, bot    for ever

All probabilities but the noise are rational. That is y = e^(epsilon r), and the probability to answer

    P(Lap(1/epsilon) > ln(1/delta)/epsilon - r)  =  delta y / 2  if delta y <= 1,  else  1 - 1 / (2 delta y),

an increasing and continuous function of y. So from a rational below and a rational above y (FLINT's ball
arithmetic, rounded outward, within 2^-39 of each other; `rationals.exponential`) come a rational below and
one above the probability, and ``side`` says which of them is in the chain. Where r = 0, both are exact. The
probabilities of F out1 and of F out0 grow with those of answering, so their truth lies between the two
chains, and that of F bot as well. A formula D[...] compares two such numbers, and holds of the mechanism if
the ends that are further apart satisfy it; it is not enough that both chains do. `bdist.dpctl.enclosures`
asks that of all chains between the two, ``bdist modelcheck lower.lmc FORMULA --enclosure upper.lmc``: rows
have two entries where the sides differ, so every entry of the true row is between those of the two.

With the parameters below, D[eps=1, delta=1/10] (F out0) and (F out1) hold, as epsilon and delta of the
mechanism would have it, and so they do at eps = 1/2 and delta = 1/100; at eps = 1/4 and delta = 1/100 the
latter is violated, between rbb and bbb.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import ParameterError
from bdist.exact.epsilon import LARGEST_EPSILON, exponential_down, exponential_up
from bdist.family import ChoiceParameter, Family, IntegerParameter, RationalParameter

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


FAMILY = Family(
    "subsampling-majority",
    "majority of three members by subsampling; the truth lies between side=lower and side=upper; compare "
    "rrr, rrb",
    (SAMPLES, RATE, EPSILON, DELTA, SIDE),
    subsampling_majority,
)

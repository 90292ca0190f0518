"""Subsampling majority: which team is larger, told only where the answer does not depend on single members.

Algorithm 1 and Fig. 3 of Liu, Wang and Zhang (Model checking differentially private properties, section
3.3), for three members, each red or blue. From the data set, ``samples`` subsets are drawn, in each of
which every member is with probability ``rate``. Let c of them have a red majority (ties, and so the empty
set, count as red), and let r = |c - (samples - c)| / (4 samples rate) - 1. If r and Laplace noise of
scale 1/epsilon exceed ln(1/delta)/epsilon, the mechanism answers: 1 if at least as many are red as blue,
0 otherwise. If not, it says nothing.

Paper and chain. The paper sets rate and samples from epsilon and delta, which makes thousands of samples; in
the first family they are parameters, the second one has them as the paper has. Its figure sends counts with
the same r to one state, which has then forgotten which team was in front; here the state remembers it.

    rrr, rrb, rbb, bbb     dataset      neighbours differ in one member: rrr:rrb, rrb:rbb, rbb:bbb
    red0, red1, ...        counted      as many samples with a red majority
    answers1, answers0     answers      the noise was large enough
    one, zero, silent      out1, out0, bot    for ever

All probabilities but the noise are rational. That is y = e^(epsilon r), and the probability to answer

  P(Lap(1/epsilon) > ln(1/delta)/epsilon - r)  =  delta y / 2  if delta y <= 1,  else  1 - 1 / (2 delta y),

an increasing and continuous function of y. So from a rational below and a rational above y (FLINT's ball
arithmetic, rounded outward, within 2^-39 of each other; `rationals.exponential`) come a rational below
and one above the probability, and ``side`` says which of them is in the chain. Where r = 0, both are
exact. The probabilities of F out1 and of F out0 grow with those of answering, so their truth lies between
the two chains, and that of F bot as well. A formula D[...] compares two such numbers, and holds of the
mechanism if the ends that are further apart satisfy it; it is not enough that both chains do.
`bdist.dpctl.enclosures` asks that of all chains between the two, ``bdist modelcheck lower.lmc FORMULA
--enclosure upper.lmc``: rows have two entries where the sides differ, so every entry of the true row is
between those of the two.

With the parameters below, D[eps=1, delta=1/10] (F out0) and (F out1) hold, as epsilon and delta of the
mechanism would have it, and so they do at eps = 1/2 and delta = 1/100; at eps = 1/4 and delta = 1/100 the
latter is violated, between rbb and bbb.

**As the paper sets it**, q = epsilon / (64 ln(1/delta)) and m = log(n/delta) / q^2, rounded up: epsilon =
4 and delta = 1/10 make 4,617 samples. Counts are put together in buckets of equal width, near the counts
that occur, and those below in one bucket for each team in front. q is irrational, so is everything else;
all of it is enclosed: how likely a subset has a red majority, the buckets by the incomplete beta function
(from whichever tail is the smaller), and the probability to answer by its values at the two ends of a
bucket, between which it moves one way. (Within a bucket it is a mean over counts, which are not as likely
from one data set as from another; so the row of a bucket depends on where the run began. Claims about all
chains between allow for that: dpctl/SPEC.md, part III, lets every visit have a row of its own.) In the
lower chain every entry of a row but the largest is the lower end of its enclosure, and in the upper chain
the upper one, so the truth of every entry is between the two. The rarest bucket, a blue majority, has a
probability of about 2^-10000, which is why epsilon = 1 with delta = 1/100 is refused: a row may not have
as many bits as that one would.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import comb

from flint import arb, ctx

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import ParameterError
from bdist.exact.epsilon import LARGEST_EPSILON, exponential_down, exponential_up
from bdist.exact.rationals import point_value, to_fmpq
from bdist.family import ChoiceParameter, IntegerParameter, RationalParameter, family

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


@family(
    "subsampling-majority",
    "majority of three members by subsampling; the truth lies between side=lower and side=upper; compare "
    "rrr, rrb",
    *(SAMPLES, RATE, EPSILON, DELTA, SIDE),
)
def subsampling_majority(
    samples: int, rate: Fraction, epsilon: Fraction, delta: Fraction, side: str
) -> LabelledMarkovChain:
    """Three members; compare ``rrr`` and ``rrb``, ``rrb`` and ``rbb``, ``rbb`` and ``bbb``."""
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
        answers = _answering_at(epsilon * r, delta, side)
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


def _answering_at(exponent: Fraction, delta: Fraction, side: str) -> Fraction:
    """A rational at that side of the probability to answer, for epsilon r."""
    if abs(exponent) > LARGEST_EPSILON:
        raise ParameterError(f"epsilon / rate is too large: epsilon r exceeds {LARGEST_EPSILON}")
    if exponent >= 0:
        y = exponential_down(exponent) if side == "lower" else exponential_up(exponent)
    else:
        y = 1 / (exponential_up(-exponent) if side == "lower" else exponential_down(-exponent))
    return delta * y / 2 if delta * y <= 1 else 1 - 1 / (2 * delta * y)


# --- with the parameters of the paper ---

MEMBERS = IntegerParameter("members", 3, "number of members, n", least=1, most=20)
CLAIMED_EPSILON = RationalParameter(
    "epsilon", Fraction(4), "the epsilon of the mechanism", above=Fraction(0), below=Fraction(100)
)
CLAIMED_DELTA = RationalParameter(
    "delta", Fraction(1, 10), "the delta of the mechanism", above=Fraction(0), below=Fraction(1)
)
BUCKETS = IntegerParameter("buckets", 64, "how many buckets likely counts are put into", least=1, most=5000)
_BITS = 128  # of the balls
_SHOWN_BITS = 40  # of the probabilities, so that they are short, and the same whatever computes the balls
_MOST_SAMPLES = 10**8
_FAR = 6  # standard deviations below the expected counts that have buckets of their own


@family(
    "subsampling-as-published",
    "majority by subsampling with rate and samples as its paper sets them, counts in buckets; the truth lies "
    "between side=lower and side=upper; compare data sets that differ in one member: rrr, rrb",
    *(MEMBERS, CLAIMED_EPSILON, CLAIMED_DELTA, BUCKETS, SIDE),
)
def subsampling_as_published(
    members: int, epsilon: Fraction, delta: Fraction, buckets: int, side: str
) -> LabelledMarkovChain:
    """Data sets by how many members are red: rrr, rrb, rbb, bbb for three."""
    before = ctx.prec
    ctx.prec = _BITS
    try:
        rows = _published_rows(members, epsilon, delta, buckets, side)
    finally:
        ctx.prec = before
    one = Fraction(1)
    rows += [("answers1", "answers", {"one": one}), ("answers0", "answers", {"zero": one})]
    for state, label in (("one", "out1"), ("zero", "out0"), ("silent", "bot")):
        rows.append((state, label, {state: one}))
    return LabelledMarkovChain.from_rows(rows, name=f"subsampling-as-published-{side}")


def _published_rows(
    members: int, epsilon: Fraction, delta: Fraction, buckets: int, side: str
) -> list[tuple[str, str, dict[str, Fraction]]]:
    """The rows of data sets and of buckets."""
    rate = arb(to_fmpq(epsilon)) / (64 * (1 / arb(to_fmpq(delta))).log())
    if not rate < 1:
        raise ParameterError(f"epsilon {epsilon} and delta {delta} make a rate above 1")
    samples = _rounded_up((members / arb(to_fmpq(delta))).log() / rate**2)
    likely = {red: _likely_majority(red, members, rate) for red in range(members, -1, -1)}
    edges = _edges(samples, [float(p) for p in likely.values()], buckets)
    rows: list[tuple[str, str, dict[str, Fraction]]] = []
    for red, p in likely.items():
        balls = {_bucket(first, last): _share(samples, p, first, last) for first, last in edges}
        rows.append(("r" * red + "b" * (members - red), "dataset", _row(balls, side)))
    for first, last in edges:
        # the more one team is in front the likelier an answer, and a bucket has one team in front
        ends = [_answering(abs(2 * c - samples), samples, rate, epsilon, delta) for c in (first, last)]
        rarer = min((0, 1), key=lambda k: max(_high(both[k]) for both in ends))  # so that none becomes 0
        least = (side == "lower") == (rarer == 0)
        ends_of_it = [both[rarer] for both in ends]
        value = min(map(_low, ends_of_it)) if least else max(map(_high, ends_of_it))
        team = "answers1" if 2 * first >= samples else "answers0"
        outcomes = (team, "silent") if rarer == 0 else ("silent", team)
        rows.append((_bucket(first, last), "counted", dict(zip(outcomes, (value, 1 - value), strict=True))))
    return rows


def _low(ball: arb) -> Fraction:
    """A short number that is not above a ball."""
    value = point_value(ball.lower())
    unit = _unit(value)
    return value // unit * unit


def _high(ball: arb) -> Fraction:
    """A short number that is not below a ball."""
    value = point_value(ball.upper())
    unit = _unit(value)
    return -(-value // unit) * unit


def _unit(value: Fraction) -> Fraction:
    """A power of two, some 2^-40 times a number."""
    length = abs(value.numerator).bit_length() - value.denominator.bit_length()
    return Fraction(2) ** (length - _SHOWN_BITS)


def _rounded_up(ball: arb) -> int:
    """The least integer not below a number. Raises: ParameterError where that is not known, or large."""
    found = -(-_low(ball) // 1)
    if found < _high(ball) or found > _MOST_SAMPLES:
        raise ParameterError(
            f"these parameters make {float(ball):.3g} samples, and at most {_MOST_SAMPLES} are taken"
        )
    return int(found)


def _likely_majority(red: int, members: int, rate: arb) -> arb:
    """How likely a random subset has at least as many red members as blue ones; 1 where none is blue."""
    if red == members:
        return arb(1)
    total = arb(0)
    for r, b in product(range(red + 1), range(members - red + 1)):
        if r >= b:
            ways = comb(red, r) * comb(members - red, b)
            total += ways * rate ** (r + b) * (1 - rate) ** (members - r - b)
    return total


def _edges(samples: int, likely: list[float], buckets: int) -> list[tuple[int, int]]:
    """The first and the last count of each bucket; no bucket has counts with either team in front."""
    half = (samples + 1) // 2  # the least count with the red ones in front
    start = max(half, int(min(likely) * samples - _FAR * samples**0.5 / 2))
    width = max(1, -(-(samples - start) // buckets))
    firsts = {0, half, *range(start, samples, width), samples}  # all subsets: with one team only, for sure
    return [(first, after - 1) for first, after in pairwise([*sorted(firsts), samples + 1])]


def _bucket(first: int, last: int) -> str:
    return f"red{first}" if first == last else f"red{first}..{last}"


def _share(samples: int, p: arb, first: int, last: int) -> arb:
    """The probability that a binomial count is in a bucket."""
    if p == 1:
        return arb(int(last == samples))

    def at_most(count: int) -> arb:
        if count < 0 or count >= samples:
            return arb(int(count >= 0))
        return (1 - p).beta_lower(samples - count, count + 1, True)

    def above(count: int) -> arb:
        if count < 0 or count >= samples:
            return arb(int(count < 0))
        return p.beta_lower(count + 1, samples - count, True)

    if first > float(p) * samples:
        return above(first - 1) - above(last)
    return at_most(last) - at_most(first - 1)


def _row(balls: dict[str, arb], side: str) -> dict[str, Fraction]:
    """The row at one side: all entries but the largest at their lower or upper ends."""
    ends = {name: (_low(ball), _high(ball)) for name, ball in balls.items()}
    ends = {name: (low, high) for name, (low, high) in ends.items() if high > 0}
    for name, (low, _) in ends.items():
        if low <= 0:
            raise ParameterError(f"the probability of {name} is not told from 0; take fewer buckets")
    largest = max(ends, key=lambda name: ends[name][0])
    row = {name: low if side == "lower" else high for name, (low, high) in ends.items() if name != largest}
    return {**row, largest: 1 - sum(row.values(), Fraction(0))}


def _answering(apart: int, samples: int, rate: arb, epsilon: Fraction, delta: Fraction) -> tuple[arb, arb]:
    """The probabilities to answer and not to, where the two counts are so far apart."""
    r = arb(apart) / (4 * samples * rate) - 1
    exponent = arb(to_fmpq(epsilon)) * r + arb(to_fmpq(delta)).log()  # epsilon r - ln(1/delta)
    rarer = (-abs(exponent)).exp() / 2
    if exponent <= 0:
        return rarer, 1 - rarer
    if exponent >= 0:
        return 1 - rarer, rarer
    raise ParameterError("the noise is compared with a number that is too close to 0 to tell its sign")

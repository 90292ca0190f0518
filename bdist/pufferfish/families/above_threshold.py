"""Above threshold: the first of many queries that exceeds a threshold, with noise on both.

Algorithm 4 of Liu, Wang and Zhang (Verifying Pufferfish privacy in hidden Markov models), in the manner of
their Fig. 3. Counts and thresholds are 0, 1, 2. A noisy threshold is drawn once; then every query gets noise
of its own, ``bot`` is shown while that is below the noisy threshold, and ``T`` at the first that is not,
which ends the run. There are two copies, top and bottom, for two neighbouring data sets; a symbol such as
``12`` says that the next query counts 1 in the top copy and 2 in the bottom one. As `noisy_max_factorised`
explains, the ratio of a word is that of the mechanism on the two sequences of counts that the word spells:
a copy draws the next count uniformly, shows each pair that fits with probability 1/3, and symbols that the
other copy never shows with what is left.

A run begins in a state such as ``top.t2.r1``, with the threshold 2 and the count 1 of the first query. That
count is part of the state, so the first pair of a word must be the pair of counts where its sides begin. The
paper has a state for every noisy count; here those that show the same and go on alike are one.

The continuous mechanism has the budget ln(1/threshold) + 2 ln(1/query), which is the scenario's epsilon, 4
ln 2 with the paper's noise. The discrete one is not private at all. Let m > 1 queries count 1 on top and 2 on
the bottom, but for the last, which counts 1 and 0: then ``bot`` m - 1 times and ``T`` has the ratio 2^m.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.chains.families import truncated_noise
from bdist.exact.epsilon import Epsilon
from bdist.family import Family, RationalParameter
from bdist.pufferfish.families.hidden import Drawn, always, put_together, uniform
from bdist.pufferfish.families.noisy_max_factorised import COPIES
from bdist.pufferfish.model import HiddenMarkovModel, Lengths, Neighbours, Scenario, Words

THRESHOLD = RationalParameter("threshold", Fraction(1, 4), "ratio of the noise on the threshold")
QUERY = RationalParameter("query", Fraction(1, 2), "ratio of the noise on each query")

_COUNTS = range(3)
_LONGEST = 11  # the paper's bound on the length of words


def hidden_above_threshold(
    threshold: Fraction = THRESHOLD.default, query: Fraction = QUERY.default
) -> HiddenMarkovModel:
    """The two copies, and all pairs of their first states with one threshold and neighbouring counts.

    Raises: ParameterError.
    """
    threshold, query = THRESHOLD.read(threshold), QUERY.read(query)
    states = [Drawn("above", always("T"))]
    for copy in COPIES:
        states += _copy(copy, truncated_noise(2, threshold), truncated_noise(2, query))
    top, bottom = COPIES
    pairs = tuple(
        Neighbours(f"{top}.t{i}.r{j}", f"{bottom}.t{i}.r{k}")
        for i in _COUNTS
        for j in _COUNTS
        for k in _COUNTS
        if abs(j - k) <= 1
    )
    scenario = Scenario(
        "neighbours",
        pairs,
        words=Words.COMMON,
        epsilon=Epsilon(None, 1 / (threshold * query**2)),
        lengths=Lengths(1, _LONGEST),
    )
    return put_together("above-threshold", states, [scenario])


def _copy(copy: str, threshold: list[list[Fraction]], query: list[list[Fraction]]) -> list[Drawn]:
    """The states of a copy: the first ones, then those with a noisy threshold and a count, then ``bot``."""
    first = [
        Drawn(
            f"{copy}.t{i}.r{j}",
            always("start"),
            {f"{copy}.noisy{k}.r{j}": threshold[i][k] for k in _COUNTS},
        )
        for i in _COUNTS
        for j in _COUNTS
    ]
    asked = []
    for k in _COUNTS:
        for j in _COUNTS:
            below = sum(query[j][:k], start=Fraction(0))
            row = {f"{copy}.noisy{k}.below": below, "above": 1 - below}
            asked.append(Drawn(f"{copy}.noisy{k}.r{j}", _symbols(copy, j), row))
    below_it = [
        Drawn(f"{copy}.noisy{k}.below", always("bot"), uniform(f"{copy}.noisy{k}.r{j}" for j in _COUNTS))
        for k in _COUNTS[1:]
    ]
    return [*first, *asked, *below_it]


def _symbols(copy: str, count: int) -> dict[str, Fraction]:
    """The pairs that fit a count, and what is left: the extreme counts have one neighbour only."""
    others = [other for other in _COUNTS if abs(count - other) <= 1]
    pairs = [f"{count}{other}" if copy == COPIES[0] else f"{other}{count}" for other in others]
    own = {0: "low", 2: "high"}.get(count)
    return dict.fromkeys([*pairs, *([] if own is None else [f"{copy}.{own}"])], Fraction(1, 3))


FAMILY = Family(
    "hidden-above-threshold",
    "above threshold on counts 0 to 2, two copies that words synchronise; not private for any epsilon",
    (THRESHOLD, QUERY),
    hidden_above_threshold,
)

"""Three small chains on which a plausible implementation of the bisimilarity distance goes wrong.

They are families, and not just test data, so that a user can make them, look at them and run another tool on
them.

* ``lemma_three_erratum``: the dual program as printed in Lemma 3 (and Fig. 5) of Chistikov, Murawski and
  Purser leaves out the multiplier of f <= 1. At alpha = 2 Definition 12 gives 13/50 for (q0, q1), the printed
  dual 27/100: a sound bound, and not the distance.
* ``not_monotone``: the distance of (s, t) is 0 at alpha = 2 and positive again at 5/2, against the remark
  after Lemma 2. So a value at a larger alpha is no lower bound for one at a smaller alpha, and bisection over
  alpha may go astray.
* ``outside_states``: the linear program of (s, t) needs states that neither s nor t goes to. k and l are
  outside both supports; at alpha = 2 the program over the supports gives 1/5, adding either of them alone
  leaves it at 1/5, and both together give the distance, 23/120.
"""

from __future__ import annotations

from bdist.chains.chain import LabelledMarkovChain
from bdist.family import Family


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


ERRATUM_FAMILY = Family(
    "lemma-three-erratum",
    "the printed dual of Lemma 3 overestimates here; compare q0, q1 at 2",
    (),
    lemma_three_erratum,
)
MONOTONE_FAMILY = Family(
    "not-monotone",
    "the distance falls to 0 and rises again with alpha; compare s, t from 3/2 to 4",
    (),
    not_monotone,
)
OUTSIDE_FAMILY = Family(
    "outside-states", "states outside both supports lower the distance; compare s, t at 2", (), outside_states
)

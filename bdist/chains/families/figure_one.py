"""Four states: a chain that is private without being bisimilar (Fig. 1 of Chistikov, Murawski and Purser).

s0 and s1 look alike and go to s2 and s3, which do not, with probabilities 0.4, 0.6 and 0.6, 0.4. They are not
bisimilar, yet at alpha = 3/2 no event is told apart: 0.6 - 3/2 * 0.4 = 0. It is the first chain to try
anything on.
"""

from __future__ import annotations

from bdist.chains.chain import LabelledMarkovChain
from bdist.family import Family


def figure_one() -> LabelledMarkovChain:
    """The chain of Fig. 1; compare s0 and s1."""
    rows = {
        "s0": ("start", {"s2": "2/5", "s3": "3/5"}),
        "s1": ("start", {"s2": "3/5", "s3": "2/5"}),
        "s2": ("left", {"s2": "1"}),
        "s3": ("right", {"s3": "1"}),
    }
    return LabelledMarkovChain.from_rows(rows, name="figure-one")


FAMILY = Family(
    "figure-one", "Fig. 1 of the paper: not bisimilar, distance 0 at 3/2; compare s0, s1", (), figure_one
)

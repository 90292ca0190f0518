"""The truncated geometric mechanism (Ghosh, Roughgarden and Sundararajan, 2009): a count with noise.

A count between 0 and n is published. The noise is two-sided geometric, P(k) = (1 - r)/(1 + r) r^|k|, and what
falls below 0 or above n is published as 0 or n:

    P(out = j | count = i) = (1 - r)/(1 + r) r^|i-j|    for 0 < j < n,
                             r^|i-j| / (1 + r)          for j = 0 and j = n.

Neighbouring counts differ by a factor of at most 1/r everywhere, and by exactly that at the ends: the
distance of ``count0`` and ``count1`` falls to 0 at alpha = 1/r and not before. Unlike the Laplace mechanism
all its probabilities are rational, so the model is exact.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.chains.chain import LabelledMarkovChain
from bdist.family import Family, IntegerParameter, RationalParameter

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


FAMILY = Family(
    "geometric",
    "truncated geometric mechanism on counts; compare count0, count1 and other neighbours",
    (LARGEST, RATIO),
    geometric_mechanism,
)

"""The sparse vector technique as automata: which query is the first to exceed a threshold?

The threshold gets noise once, every query gets its own, and only the comparisons are published: bot as long
as the query is below, top for the first that is not. However many queries there are, this costs one epsilon
(Dwork and Roth; the running example of Chadha, Sistla and Viswanathan, LICS 2021, and of their talk). In
automata: the cycle that says bot is free, and the weight counts the threshold once and the final query twice,

    weight = threshold + 2 query = 1/2 + 2 * 1/4 = 1    with the coefficients of the talk.

Around it are its relatives:

* ``sparse-vector-leaking-threshold`` publishes the noisy threshold as well, for which no budget suffices: the
  talk's example of how subtle this is.
* ``numeric-sparse`` publishes the query that exceeds the threshold, with fresh noise (insample', which has a
  coefficient of its own): threshold + 2 query + answer = 4/9 + 2 * 2/9 + 1/9 = 1 with Dwork and Roth's.
* ``sparse-vectors`` starts again with a fresh threshold after each top, so that budgets add up: blocks * 1.
* ``thresholds`` makes the query that exceeded the threshold the next one, without fresh noise: threshold +
  blocks * 2 query. Each stored value is at least the one before, so all cycles may say *below*. If the last
  one says *above*, it makes a leaking pair with the first: x is known from both sides.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from bdist.dipa.automaton import Automaton, ControlState, Real
from bdist.dipa.families.automata import (
    AT_LEAST,
    LESS,
    STOP,
    TRUE,
    Arrow,
    asking,
    coefficient,
    put_together,
    quiet,
)
from bdist.family import ChoiceParameter, Family, IntegerParameter

Side = Literal["below", "above"]

THRESHOLD = coefficient("threshold", Fraction(1, 2), "the threshold")
QUERY = coefficient("query", Fraction(1, 4), "a query")
NUMERIC_THRESHOLD = coefficient("threshold", Fraction(4, 9), "the threshold")
NUMERIC_QUERY = coefficient("query", Fraction(2, 9), "a query in the comparison")
ANSWER = coefficient("answer", Fraction(1, 9), "the answer that is published")
BLOCKS = IntegerParameter("blocks", 2, "how often a query may exceed a threshold", least=1, most=300_000)
LAST = ChoiceParameter(
    "last",
    "below",
    "what repeats in the last block: queries below the threshold, as before, or above, which leaks",
    choices=("below", "above"),
)


def sparse_vector(threshold: Fraction = THRESHOLD.default, query: Fraction = QUERY.default) -> Automaton:
    """The automaton of the talk: private, of weight threshold + 2 query.

    Requires: positive coefficients. Raises: ParameterError.
    """
    return _one_block("sparse-vector", THRESHOLD.read(threshold), QUERY.read(query), "bot")


def leaking_threshold(threshold: Fraction = THRESHOLD.default, query: Fraction = QUERY.default) -> Automaton:
    """The same with the noisy threshold published: not private, whatever the coefficients.

    Requires: positive coefficients. Raises: ParameterError.
    """
    name = "sparse-vector-leaking-threshold"
    return _one_block(name, THRESHOLD.read(threshold), QUERY.read(query), Real.SAMPLE)


def numeric_sparse(
    threshold: Fraction = NUMERIC_THRESHOLD.default,
    query: Fraction = NUMERIC_QUERY.default,
    answer: Fraction = ANSWER.default,
) -> Automaton:
    """The first query that exceeds the threshold is answered, with fresh noise.

    Requires: positive coefficients. Raises: ParameterError.
    """
    threshold, query = NUMERIC_THRESHOLD.read(threshold), NUMERIC_QUERY.read(query)
    return put_together(
        "numeric-sparse",
        [quiet("q0", threshold), asking("q1", query, ANSWER.read(answer)), STOP],
        [
            Arrow("q0", "q1", TRUE, "bot", assigns=True),
            Arrow("q1", "q1", LESS, "bot"),
            Arrow("q1", "stop", AT_LEAST, Real.SECOND),
        ],
    )


def sparse_vectors(
    blocks: int = BLOCKS.default,
    threshold: Fraction = THRESHOLD.default,
    query: Fraction = QUERY.default,
) -> Automaton:
    """Sparse vectors in sequence, each with a fresh threshold: private, weight blocks (threshold + 2 query).

    Requires: at least one block; positive coefficients. Raises: ParameterError.
    """
    blocks, threshold, query = BLOCKS.read(blocks), THRESHOLD.read(threshold), QUERY.read(query)
    states: list[ControlState] = []
    arrows: list[Arrow] = []
    for block in range(blocks):
        draw, ask = f"draw{block}", f"ask{block}"
        states += [quiet(draw, threshold), asking(ask, query)]
        arrows += [
            Arrow(draw, ask, TRUE, "next", assigns=True),
            Arrow(ask, ask, LESS, "bot"),
            Arrow(ask, f"draw{block + 1}" if block < blocks - 1 else STOP.name, AT_LEAST, "top"),
        ]
    return put_together("sparse-vectors", [*states, STOP], arrows)


def thresholds(
    blocks: int = BLOCKS.default,
    threshold: Fraction = THRESHOLD.default,
    query: Fraction = QUERY.default,
    last: Side = "below",
) -> Automaton:
    """Each query that exceeds the threshold is the next one: private iff ``last`` is below or there is only
    one block, and then of weight threshold + 2 blocks query.

    Requires: at least one block; positive coefficients. Raises: ParameterError.
    """
    blocks, threshold, query = BLOCKS.read(blocks), THRESHOLD.read(threshold), QUERY.read(query)
    above = LAST.read(last) == "above"
    states = [quiet("draw", threshold), *(asking(f"ask{block}", query) for block in range(blocks)), STOP]
    arrows = [Arrow("draw", "ask0", TRUE, "next", assigns=True)]
    for block in range(blocks):
        ask, is_last = f"ask{block}", block == blocks - 1
        stay, leave = (AT_LEAST, LESS) if above and is_last else (LESS, AT_LEAST)
        arrows += [
            Arrow(ask, ask, stay, "bot"),
            Arrow(ask, STOP.name if is_last else f"ask{block + 1}", leave, "top", assigns=not is_last),
        ]
    return put_together("thresholds", states, arrows)


def _one_block(name: str, threshold: Fraction, query: Fraction, first: str | Real) -> Automaton:
    return put_together(
        name,
        [quiet("q0", threshold), asking("q1", query), STOP],
        [
            Arrow("q0", "q1", TRUE, first, assigns=True),
            Arrow("q1", "q1", LESS, "bot"),
            Arrow("q1", "stop", AT_LEAST, "top"),
        ],
    )


SPARSE_FAMILY = Family(
    "sparse-vector",
    "the sparse vector technique: the first query that exceeds a threshold; weight 1",
    (THRESHOLD, QUERY),
    sparse_vector,
)
LEAKING_FAMILY = Family(
    "sparse-vector-leaking-threshold",
    "sparse vector that publishes its noisy threshold; not private",
    (THRESHOLD, QUERY),
    leaking_threshold,
)
NUMERIC_FAMILY = Family(
    "numeric-sparse",
    "sparse vector that answers the query found, with fresh noise; weight 1",
    (NUMERIC_THRESHOLD, NUMERIC_QUERY, ANSWER),
    numeric_sparse,
)
BLOCKS_FAMILY = Family(
    "sparse-vectors",
    "sparse vectors in sequence, each with a fresh threshold; weight blocks",
    (BLOCKS, THRESHOLD, QUERY),
    sparse_vectors,
)
THRESHOLDS_FAMILY = Family(
    "thresholds",
    "the query that exceeds a threshold is the next threshold; private while all repeat below",
    (BLOCKS, THRESHOLD, QUERY, LAST),
    thresholds,
)

"""The two automata of the talk that leak (Chadha, Sistla and Viswanathan, LICS 2021).

* ``descending-order``: bot as long as the queries descend, top for the first pair in the wrong order. Each
  query is compared with the one before and stored in its place, so the loop of q1 both assigns x and compares
  with it: a *leaking cycle*. Queries -1, -2, -3, -4, ... descend surely where epsilon is large, and
  -2, -1, -4, -3, ... hardly, at distance 1.
* ``below-then-above``: bot while the queries are below a threshold, then top while they are above, and stop
  at the first that is below again. One cycle knows x from below and one from above, and x is the same in
  both: a *leaking pair*.

Coefficients play no role in that, but are parameters all the same, since somebody may want to see it.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.dipa.automaton import Automaton
from bdist.dipa.families.automata import AT_LEAST, LESS, STOP, TRUE, Arrow, asking, put_together, quiet
from bdist.dipa.families.sparse_vector import QUERY, THRESHOLD
from bdist.family import Family


def descending_order(query: Fraction = QUERY.default) -> Automaton:
    """Queries in descending order: not private, by a leaking cycle.

    Requires: a positive coefficient. Raises: ParameterError.
    """
    query = QUERY.read(query)
    return put_together(
        "descending-order",
        [asking("q0", query), asking("q1", query), STOP],
        [
            Arrow("q0", "q1", TRUE, "bot", assigns=True),
            Arrow("q1", "q1", LESS, "bot", assigns=True),
            Arrow("q1", "stop", AT_LEAST, "top"),
        ],
    )


def below_then_above(threshold: Fraction = THRESHOLD.default, query: Fraction = QUERY.default) -> Automaton:
    """Queries below a threshold, then above it: not private, by a leaking pair.

    Requires: positive coefficients. Raises: ParameterError.
    """
    threshold, query = THRESHOLD.read(threshold), QUERY.read(query)
    return put_together(
        "below-then-above",
        [quiet("q0", threshold), asking("q1", query), asking("q2", query), STOP],
        [
            Arrow("q0", "q1", TRUE, "bot", assigns=True),
            Arrow("q1", "q1", LESS, "bot"),
            Arrow("q1", "q2", AT_LEAST, "top"),
            Arrow("q2", "q2", AT_LEAST, "top"),
            Arrow("q2", "stop", LESS, "bot"),
        ],
    )


DESCENDING_FAMILY = Family(
    "descending-order",
    "bot while queries descend; not private: a leaking cycle",
    (QUERY,),
    descending_order,
)
PAIR_FAMILY = Family(
    "below-then-above",
    "queries below a threshold, then above it; not private: a leaking pair",
    (THRESHOLD, QUERY),
    below_then_above,
)

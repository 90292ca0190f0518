"""Hypothesis strategies for chains, distributions, tables and alpha.

Random numbers are a poor diet for a solver of linear programs: with generic data no two vertices tie, no
bound is exactly met, and the faults that live in degenerate cases are never seen. So these strategies prefer
coincidence. Probabilities have small denominators, tables are full of 0, 1 and a few repeated values, and
alpha is often one of the values at which something happens: 1, where the skew is gone, 11/10, 3/2, 2, and 5,
where most distances vanish.

They also avoid the trivial. Left to chance, most small chains have distances 0 and 1 only: rows are
deterministic, all ends look alike, or alpha is so large that nothing can be told apart. Larger sizes are
therefore drawn more often than smaller ones, the ends of acyclic chains get different labels while these
last, and alpha is mostly below 3.

A chain keeps whatever states nothing leads to. They are the states outside all supports, which the lift has
to take into account.

All shrink towards little: fewer states, one label, deterministic rows, tables of zeros, alpha = 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from bdist.chains.chain import LabelledMarkovChain

NOTABLE_ALPHAS = (Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(5))
REPEATED_VALUES = (Fraction(1, 2), Fraction(1, 4), Fraction(3, 4), Fraction(1, 3), Fraction(2, 3))


def alphas() -> st.SearchStrategy[Fraction]:
    """Rationals from 1 to 3, and 5; half of them are 1, 11/10, 3/2, 2 or 5."""
    return st.sampled_from(NOTABLE_ALPHAS) | st.fractions(min_value=1, max_value=3, max_denominator=12)


def _sizes(largest: int) -> st.SearchStrategy[int]:
    """1 to ``largest``, each drawn in proportion to itself; shrinks towards 1."""
    return st.sampled_from([size for size in range(1, largest + 1) for _ in range(size)])


@st.composite
def distributions(
    draw: st.DrawFn,
    n: int,
    max_degree: int | None = None,
    max_denominator: int = 12,
    targets: Sequence[int] | None = None,
) -> list[Fraction]:
    """A distribution over states 0..n-1, as a list with zeros, over a denominator up to ``max_denominator``.

    At most ``max_degree`` states have a positive probability, all of them in ``targets``; by default any may.
    """
    allowed = list(range(n) if targets is None else targets)
    most = min(len(allowed), max_denominator, n if max_degree is None else max_degree)
    degree = draw(_sizes(most))
    support = draw(st.lists(st.sampled_from(allowed), min_size=degree, max_size=degree, unique=True))
    # To share D units among k states so that none goes without: cut the row of units in k - 1 places.
    denominator = draw(st.integers(degree, max_denominator))
    places = st.sampled_from(range(1, denominator)) if degree > 1 else st.nothing()
    inner = draw(st.lists(places, min_size=degree - 1, max_size=degree - 1, unique=True))
    cuts = [0, *sorted(inner), denominator]
    mass = [Fraction(0)] * n
    for k, state in enumerate(support):
        mass[state] = Fraction(cuts[k + 1] - cuts[k], denominator)
    return mass


@st.composite
def symmetric_tables(draw: st.DrawFn, n: int) -> dict[tuple[int, int], Fraction]:
    """A symmetric table with values in [0,1] and zeros on the diagonal: no triangle inequality, many ties."""
    values = (
        st.just(Fraction(0))
        | st.just(Fraction(1))
        | st.sampled_from(REPEATED_VALUES)
        | st.fractions(min_value=0, max_value=1, max_denominator=20)
    )
    table = {(i, i): Fraction(0) for i in range(n)}
    for i in range(n):
        for j in range(i):
            table[i, j] = table[j, i] = draw(values)
    return table


@st.composite
def chains(
    draw: st.DrawFn,
    max_states: int = 6,
    max_labels: int = 2,
    max_degree: int = 3,
    max_denominator: int = 6,
    acyclic: bool = False,
    shared_labels: bool = False,
) -> LabelledMarkovChain:
    """A chain with states s0, s1, ...; its rows have ``max_degree`` targets and ``max_denominator`` at most.

    An ``acyclic`` chain is layered: each state goes to states in later layers, and those in the last absorb.
    Then each layer has up to ``max_labels`` labels of its own, so that exact iteration settles for certain in
    one round more than there are layers; with ``shared_labels`` all use the same ones, and it need not.
    """
    n = draw(_sizes(max_states))
    layers = _layers(draw, n) if acyclic else [list(range(n))]
    matrix: list[list[Fraction]] = []
    labels: list[str] = []
    for depth, layer in enumerate(layers):
        absorbing = acyclic and depth + 1 == len(layers)
        kinds = draw(st.integers(1, max_labels))
        for position, state in enumerate(layer):
            kind = position % max_labels if absorbing else draw(st.integers(0, kinds - 1))
            labels.append(f"{depth}.{kind}" if acyclic and not shared_labels else f"{kind}")
            if absorbing:
                targets = [state]
            elif acyclic:
                targets = list(range(layer[-1] + 1, n))
            else:
                targets = list(range(n))
            matrix.append(draw(distributions(n, max_degree, max_denominator, targets)))
    return LabelledMarkovChain.from_matrix(matrix, labels)


def _layers(draw: st.DrawFn, n: int) -> list[list[int]]:
    """States 0..n-1 cut into consecutive layers; the last has two or three states, where n allows."""
    ends = draw(st.integers(min(n, 2), min(n, 3)))
    layers: list[list[int]] = []
    for state in range(n - ends):
        if not layers or draw(st.sampled_from([False, False, True])):
            layers.append([])
        layers[-1].append(state)
    return [*layers, list(range(n - ends, n))]

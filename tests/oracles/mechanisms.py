"""Mechanisms as data: trees whose meaning is computed by recursion, and Python functions that do the same.

A tree is one of ("return", value), ("show", value, tree), ("flip", p, tree, tree), ("choose", {value: p},
{value: tree}), ("uniform", [tree, ...]), ("input", {input: tree}).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

Seen = tuple[object, ...]
Distribution = dict[Seen, Fraction]


def distribution(tree: Any, given: object) -> Distribution:
    """The probability of each sequence of shown values, with the returned one at the end."""
    kind = tree[0]
    if kind == "return":
        return {(tree[1],): Fraction(1)}
    if kind == "show":
        return {(tree[1], *seen): p for seen, p in distribution(tree[2], given).items()}
    if kind == "input":
        return distribution(tree[1][given], given)
    if kind == "flip":
        parts = [(tree[1], tree[2]), (1 - tree[1], tree[3])]
    elif kind == "choose":
        parts = [(p, tree[2][value]) for value, p in tree[1].items()]
    else:
        parts = [(Fraction(1, len(tree[1])), part) for part in tree[1]]
    found: Distribution = Counter()  # type: ignore[assignment]
    for weight, part in parts:
        for seen, p in distribution(part, given).items():
            found[seen] += weight * p
    return {seen: p for seen, p in found.items() if p}


def function(tree: Any) -> Callable[[Any, object], object]:
    """The tree as a function that draws and shows."""

    def run(rng: Any, given: object) -> object:
        at = tree
        while at[0] != "return":
            if at[0] == "show":
                rng.show(at[1])
                at = at[2]
            elif at[0] == "input":
                at = at[1][given]
            elif at[0] == "flip":
                at = at[2] if rng.flip(at[1]) else at[3]
            elif at[0] == "choose":
                at = at[2][rng.choose(at[1])]
            else:
                at = at[1][rng.uniform(len(at[1]))]
        return at[1]

    return run


def delta(first: Distribution, second: Distribution, alpha: Fraction) -> Fraction:
    """The true delta, in the worse order: the best event takes every sequence that pays."""
    zero = Fraction(0)
    return max(
        sum((max(zero, p - alpha * other.get(seen, zero)) for seen, p in one.items()), zero)
        for one, other in ((first, second), (second, first))
    )


_VALUES = st.sampled_from(["a", "b", 0])
_CHANCES = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), Fraction(1)])


def trees(inputs: tuple[object, ...]) -> st.SearchStrategy[Any]:
    """Trees of a few draws and shows that may ask for the input anywhere."""
    return st.recursive(
        st.tuples(st.just("return"), _VALUES),
        lambda smaller: st.one_of(
            st.tuples(st.just("show"), _VALUES, smaller),
            st.tuples(st.just("flip"), _CHANCES, smaller, smaller),
            st.tuples(st.just("uniform"), st.lists(smaller, min_size=1, max_size=3)),
            st.tuples(st.just("input"), st.fixed_dictionaries(dict.fromkeys(inputs, smaller))),
            st.builds(
                lambda p, x, y: ("choose", {"x": p, "y": 1 - p}, {"x": x, "y": y}), _CHANCES, smaller, smaller
            ),
        ),
        max_leaves=12,
    )

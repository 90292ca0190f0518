"""Good words at every length, found quickly: a beam search.

In most models where all words count, the vector pairs of a search are soon such that alpha <= c beta for a
c that is not above the loss that other words have already shown; these need not be followed. For that the
search must know, before it has come there, what is lost at every later length. A beam search finds out: of
each layer it follows only a few vector pairs, half of them with the largest ratio so far, half of them with
the largest entry alpha(s)/beta(s), which is what the ratio could still become. Its ratios are exact, but
they need not be the largest.

Where the two sides of a pair never share a state nothing can be closed, and there is no use for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bdist.budget import Budget
from bdist.pufferfish.cleared import ClearedModel
from bdist.pufferfish.model import Pair, Words
from bdist.pufferfish.numbers import VectorPair
from bdist.pufferfish.traces import Best, Node

WIDTH = 24


def incumbent_words(
    cleared: ClearedModel, pairs: Sequence[Pair], most: int, words: Words, budget: Budget
) -> list[Best]:
    """For each length up to some length the best word that was found."""
    beam = [Node(cleared.root(pair), None, -1, number) for number, pair in enumerate(pairs)]
    found: list[Best] = []
    while beam and len(found) < most and not budget.exhausted():
        above, below = 0, 1
        best = Best.none()
        children: dict[object, Node] = {}
        for node in beam:
            for step in cleared.steps(node.vectors):
                if not step.second and words is Words.COMMON:
                    continue
                if step.first * below > above * step.second:
                    above, below = step.first, step.second
                    best = Best(Fraction(above, below) if below else None, node, step.observation)
                if step.child.alpha and step.child.beta:
                    child = Node(step.child, node, step.observation, node.root)
                    children.setdefault(step.child.key, child)
        found.append(best)
        beam = _promising(list(children.values()))
    return found


def lost_later(found: Sequence[Best], most: int) -> list[Fraction | None]:
    """For each depth up to a length the least ratio at the lengths above; None where all are infinite."""
    ratios = [best.ratio for best in found] + [Fraction(0)] * (most - len(found))
    result: list[Fraction | None] = [None]
    for ratio in reversed(ratios):
        last = result[-1]
        result.append(last if ratio is None else ratio if last is None else min(ratio, last))
    return result[::-1]


def sides_can_meet(cleared: ClearedModel, pairs: Sequence[Pair]) -> bool:
    """Whether some state can be reached from both sides of one pair."""
    for pair in pairs:
        root = cleared.root(pair)
        if _reached(cleared, set(root.alpha)) & _reached(cleared, set(root.beta)):
            return True
    return False


def _promising(children: list[Node]) -> list[Node]:
    if len(children) <= WIDTH:
        return children
    by_sum = sorted(children, key=lambda node: _ratio(node.vectors), reverse=True)
    by_entry = sorted(children, key=lambda node: _largest_entry(node.vectors), reverse=True)
    chosen = {id(node): node for node in (*by_sum[: WIDTH // 2], *by_entry[: WIDTH // 2])}
    return list(chosen.values())


def _ratio(vectors: VectorPair) -> Fraction:
    return Fraction(sum(vectors.alpha.values()), sum(vectors.beta.values()))


def _largest_entry(vectors: VectorPair) -> float:
    return max(
        (_quotient(value, vectors.beta[state]) if state in vectors.beta else float("inf"))
        for state, value in vectors.alpha.items()
    )


def _quotient(above: int, below: int) -> float:
    try:
        return above / below
    except OverflowError:
        return float("inf")


def _reached(cleared: ClearedModel, states: set[int]) -> set[int]:
    seen, stack = set(states), list(states)
    while stack:
        for target, _ in cleared.rows[stack.pop()]:
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return seen

"""States from which a word that both sides can show may go on.

Where only common words count, models have symbols that one side alone can show, and states that show
nothing else. They carry weight that no word will ever use, and that would keep one vector pair from
dominating another: without them the search for the worst noisy max of twelve queries is six times as fast.
A word that counts has only observations that are *shared* by its pair, shown by states that can be reached
from both sides; a state that shows nothing shared is not live, and is left out (SPEC-PUFFERFISH section 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bdist.pufferfish.model import Words


def live_states(
    words: Words,
    sides: Iterable[tuple[Iterable[int], Iterable[int]]],
    targets: Sequence[Sequence[int]],
    shown: Sequence[frozenset[str]],
) -> frozenset[int] | None:
    """The live states, for the supports of both sides of each pair; None where that is all of them.

    ``targets`` and ``shown`` say where each state goes, and what it shows.
    """
    if words is Words.ALL:
        return None
    known: dict[frozenset[int], frozenset[str]] = {}

    def shown_from(start: frozenset[int]) -> frozenset[str]:
        if start not in known:
            seen, stack = set(start), list(start)
            while stack:
                new = set(targets[stack.pop()]) - seen
                seen |= new
                stack += new
            known[start] = frozenset().union(*(shown[state] for state in seen))
        return known[start]

    shared: set[str] = set()
    for first, second in sides:
        shared |= shown_from(frozenset(first)) & shown_from(frozenset(second))
    return frozenset(state for state, seen in enumerate(shown) if not shared.isdisjoint(seen))

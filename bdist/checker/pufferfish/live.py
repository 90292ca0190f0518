"""States from which a word that both sides can show may go on: SPEC-PUFFERFISH section 1, live states.

Where only common words count, models have symbols that one side alone can show, and states that show nothing
else; they carry weight that no word will ever use, and would have to be compared all the same. They are
found by what can be reached from both sides of a pair, and left out.
"""

from __future__ import annotations

from ..core.limits import Work
from .clearing import ClearedModel, Side


def live_part(model: ClearedModel, work: Work) -> ClearedModel:
    """The model without states that show nothing that both sides of some pair can show. Raises: TooLarge."""
    reached: dict[tuple[int, ...], set[str]] = {}

    def shown_from(side: Side) -> set[str]:
        start = tuple(sorted(side))
        if start not in reached:
            found = reached[start] = _shown_from(model, start, work)
            work.keep(len(start) + len(found), 0)
        return reached[start]

    shared: set[str] = set()
    for alpha, beta in model.roots:
        first, second = shown_from(alpha), shown_from(beta)
        work.spend(len(alpha) + len(beta) + min(len(first), len(second)))
        shared |= first & second
    work.release(sum(len(start) + len(found) for start, found in reached.items()), 0)
    live = {state for state, seen in enumerate(model.observed) if not shared.isdisjoint(seen)}

    def kept(side: Side) -> Side:
        return {state: entry for state, entry in side.items() if state in live}

    return ClearedModel(
        model.observed, [kept(row) for row in model.rows], [(kept(a), kept(b)) for a, b in model.roots]
    )


def _shown_from(model: ClearedModel, start: tuple[int, ...], work: Work) -> set[str]:
    """All observations of the states that can be reached from these."""
    found: set[str] = set()
    seen, stack = set(start), list(start)
    while stack:
        state = stack.pop()
        work.spend(1 + len(model.rows[state]) + len(model.observed[state]))
        found |= model.observed[state].keys()
        new = model.rows[state].keys() - seen
        seen |= new
        stack += new
    return found

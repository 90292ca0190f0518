"""What of a chain is drawn: all of it, what some states can reach, or its bisimulation quotient.

A picture of more than some eighty boxes, or of more arrows than a reader can follow, explains nothing. So the
subject of a drawing is chosen: the whole chain where it is small enough, otherwise what the states in
question can reach, otherwise the same with bisimilar states merged, which shows the same behaviour. A chain
for which none of that is small enough is not drawn, and the reason is one line. What was chosen is said in
the caption: nobody should take a part for the whole.

Layers are distances from the roots: the states asked for, or else the first state of every component that
nothing else enters. From these everything drawn can be reached, and no transition skips a layer forwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.quotient import quotient
from bdist.chains.structure import components
from bdist.exact.display import counted
from bdist.printing import printable, shortened

MOST_STATES = 80
MOST_TRANSITIONS = 160
_ROOTS_NAMED = 4


@dataclass(frozen=True)
class Subject:
    """The chain to draw, and how it came out of the ``original``.

    ``drawn_as[state]`` is the position in ``chain`` that stands for a state of the original, where one does.
    """

    chain: LabelledMarkovChain
    original: LabelledMarkovChain
    roots: tuple[int, ...]
    drawn_as: dict[str, int]
    caption: str

    @property
    def layers(self) -> list[list[int]]:
        """The states by the number of steps from a root, in the order of declaration."""
        level = dict.fromkeys(self.roots, 0)
        made = [sorted(self.roots)]
        while made[-1]:
            following = {j for i in made[-1] for j, _ in self.chain.rows[i] if j not in level}
            level.update(dict.fromkeys(following, len(made)))
            made.append(sorted(following))
        return made[:-1]


@dataclass(frozen=True)
class NotDrawn:
    """Why there is no drawing."""

    reason: str


def subject_of(
    chain: LabelledMarkovChain, roots: Sequence[str] = (), *, only_reachable: bool = False
) -> Subject | NotDrawn:
    """What to draw of a chain, for a question about the states ``roots``.

    With ``only_reachable`` the whole chain is not considered, however small.
    Raises: ParameterError where a root is no state of the chain.
    """
    starts = [chain.index(state) for state in roots]
    if not (only_reachable and starts) and _fits(chain):
        return _subject(chain, chain, starts, {s: s for s in chain.states}, _all_of(chain))
    part, where = chain, _all_of(chain)
    if starts:
        part = chain.restricted_to_reachable(starts)
        where = f"what {_named(roots)} can reach: {counted(len(part), 'state')} of {len(chain)}"
        if _fits(part):
            places = [part.index(state) for state in roots]
            return _subject(part, chain, places, {s: s for s in part.states}, where)
    merged = quotient(part)
    if _fits(merged.chain):
        places = [merged.chain.index(merged.of(state)) for state in roots]
        caption = f"{where}, and {len(merged.chain)} after merging those that are bisimilar"
        names = {state: merged.of(state) for state in part.states}
        return _subject(merged.chain, chain, places, names, caption)
    which = f"what {_named(roots)} can reach has" if starts else "the chain has"
    sizes = f"{counted(len(part), 'state')} and {counted(_transitions(part), 'transition')}"
    after = f"{len(merged.chain)} and {_transitions(merged.chain)} after merging those that are bisimilar"
    limit = f"at most {MOST_STATES} and {MOST_TRANSITIONS} are drawn"
    return NotDrawn(f"{which} {sizes}, and {after}; {limit}")


def _subject(
    drawn: LabelledMarkovChain,
    original: LabelledMarkovChain,
    roots: Iterable[int],
    names: dict[str, str],
    caption: str,
) -> Subject:
    first = tuple(sorted(set(roots)))
    reached = set(drawn.reachable(first))
    if len(reached) < len(drawn):
        first = tuple(
            sorted({*first, *(part[0] for part in components(drawn).top if part[0] not in reached)})
        )
    position = {state: i for i, state in enumerate(drawn.states)}
    return Subject(drawn, original, first, {s: position[name] for s, name in names.items()}, caption)


def _fits(chain: LabelledMarkovChain) -> bool:
    return len(chain) <= MOST_STATES and _transitions(chain) <= MOST_TRANSITIONS


def _transitions(chain: LabelledMarkovChain) -> int:
    return sum(map(len, chain.rows))


def _all_of(chain: LabelledMarkovChain) -> str:
    return f"all {len(chain)} states" if len(chain) > 1 else "the one state"


def _named(roots: Sequence[str]) -> str:
    shown = [printable(shortened(state)) for state in roots[:_ROOTS_NAMED]]
    if len(roots) > _ROOTS_NAMED:
        shown.append(f"{len(roots) - _ROOTS_NAMED} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"

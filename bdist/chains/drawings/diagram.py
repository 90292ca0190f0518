"""What is drawn: of a chain all of it, a part, or its quotient; of anything, boxes, arrows and marks.

A picture of more than some eighty boxes, or of more arrows than a reader can follow, explains nothing. So the
subject of a drawing is chosen: the whole chain where it is small enough, otherwise what the states in
question can reach, otherwise the same with bisimilar states merged, which shows the same behaviour. A chain
for which none of that is small enough is not drawn, and the reason is one line. What was chosen is said in
the caption: nobody should take a part for the whole.

Layers are distances from the roots: the states asked for, or else the first state of every component that
nothing else enters. From these everything drawn can be reached, and no transition skips a layer forwards.

A *diagram* has boxes with two lines of text, arrows with one, and marks. A chain becomes one
(`bdist.chains.drawings.pictures`), and so does a test of labels, with the same limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.quotient import quotient
from bdist.chains.structure import components
from bdist.exact.rationals import counted
from bdist.printing import printable, shortened

MOST_STATES = 80
MOST_TRANSITIONS = 160
_ROOTS_NAMED = 4


@dataclass(frozen=True)
class DrawnChain:
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
) -> DrawnChain | NotDrawn:
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
) -> DrawnChain:
    first = tuple(sorted(set(roots)))
    reached = set(drawn.reachable(first))
    if len(reached) < len(drawn):
        first = tuple(
            sorted({*first, *(part[0] for part in components(drawn).top if part[0] not in reached)})
        )
    position = {state: i for i, state in enumerate(drawn.states)}
    return DrawnChain(drawn, original, first, {s: position[name] for s, name in names.items()}, caption)


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


@dataclass(frozen=True)
class BoxText:
    """A box: its name, a line below it, and what it says when it is pointed at. Equal lines share a tint."""

    name: str
    below: str
    tooltip: str = ""


@dataclass(frozen=True)
class ArrowText:
    """An arrow between two boxes, by number; its text, and what it says when it is pointed at."""

    source: int
    target: int
    text: str
    tooltip: str = ""


@dataclass(frozen=True)
class Mark:
    """Boxes, by number, and arrows, by their ends, that a drawing emphasises; and why."""

    meaning: str
    states: frozenset[int]
    transitions: frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Diagram:
    """Boxes by layers, the roots first; arrows, marks; and what it is, for those who cannot see it."""

    boxes: tuple[BoxText, ...]
    arrows: tuple[ArrowText, ...]
    layers: tuple[tuple[int, ...], ...]
    description: str
    caption: str
    marks: tuple[Mark, ...] = ()


def diagram(
    boxes: Sequence[BoxText], arrows: Sequence[ArrowText], caption: str, *marks: Mark
) -> Diagram | NotDrawn:
    """A diagram whose first box is the root. Requires: every box is reached from it."""
    if len(boxes) > MOST_STATES or len(arrows) > MOST_TRANSITIONS:
        sizes = f"{len(boxes)} boxes and {len(arrows)} arrows"
        return NotDrawn(f"it has {sizes}; at most {MOST_STATES} and {MOST_TRANSITIONS} are drawn")
    layers: list[tuple[int, ...]] = [(0,)]
    placed = {0}
    while layers[-1]:
        following = {a.target for a in arrows if a.source in layers[-1]} - placed
        placed |= following
        layers.append(tuple(sorted(following)))
    description = f"A graph of {len(boxes)} boxes and {len(arrows)} arrows: {caption}."
    return Diagram(tuple(boxes), tuple(arrows), tuple(layers[:-1]), description, caption, marks)

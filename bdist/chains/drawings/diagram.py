"""What a drawing shows, whatever it is of: boxes with two lines of text, arrows with one, and marks.

A chain becomes one (`bdist.chains.drawings.pictures`), and so does a test of labels. The limits are those of
chains: a picture of more than some eighty boxes explains nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bdist.chains.drawings.subject import MOST_STATES, MOST_TRANSITIONS, NotDrawn


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

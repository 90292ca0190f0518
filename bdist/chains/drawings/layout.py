"""Sizes in, places out: what a layout is given and what it gives back.

A layout knows boxes and labels by their sizes and arrows by the numbers of their boxes. No name and no label
of a model gets this far, whoever computes the places. Two can: Graphviz, where it is installed, and the
layered layout of this package; each is asked to go down the page and across it, and what is easiest to read
is taken (`quality`). Coordinates grow to the right and downwards; the unit is a pixel of the drawing.
"""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True)
class Size:
    """Width and height."""

    width: float
    height: float


@dataclass(frozen=True)
class Arrow:
    """From the box ``source`` to the box ``target``, with a label of some size."""

    source: int
    target: int
    label: Size


@dataclass(frozen=True)
class Plan:
    """What is to be placed: boxes, arrows, and the boxes by layers, the roots first."""

    boxes: tuple[Size, ...]
    arrows: tuple[Arrow, ...]
    layers: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Route:
    """The way of an arrow: a start, then the three points of each cubic curve; and its label's centre."""

    curve: tuple[Point, ...]
    label: Point


@dataclass(frozen=True)
class Layout:
    """The centres of the boxes and the routes of the arrows, in the order of the plan.

    Labels stand beside their lines or, with ``labels_on_lines``, on them.
    """

    boxes: tuple[Point, ...]
    routes: tuple[Route, ...]
    labels_on_lines: bool = False


@dataclass(frozen=True)
class Frame:
    """The rectangle that a layout fills."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top


def frame_of(plan: Plan, layout: Layout) -> Frame:
    """The least rectangle around all boxes, labels and curves."""
    sized = [*zip(layout.boxes, plan.boxes, strict=True)]
    sized += [(route.label, arrow.label) for route, arrow in zip(layout.routes, plan.arrows, strict=True)]
    sized += [(point, Size(0, 0)) for route in layout.routes for point in route.curve]
    return Frame(
        min(x - size.width / 2 for (x, _), size in sized),
        min(y - size.height / 2 for (_, y), size in sized),
        max(x + size.width / 2 for (x, _), size in sized),
        max(y + size.height / 2 for (_, y), size in sized),
    )

"""Sizes in, places out: what a layout is given, what it gives back, and which of several is easiest to read.

A layout knows boxes and labels by their sizes and arrows by the numbers of their boxes. No name and no label
of a model gets this far, whoever computes the places. Two can: Graphviz, where it is installed, and the
layered layout of this package; each is asked to go down the page and across it, and what is easiest to read
is taken. Coordinates grow to the right and downwards; the unit is a pixel of the drawing.

What makes a drawing hard to read is lines that cross, lines that run through boxes, labels that lie on each
other, and a size that has to shrink to fit a page. All of it can be counted: curves are followed as a few
straight pieces, and every crossing is a point against a layout. Graphviz and the layout of this package are
each better on some chains (dot tangles the lines of a complete bipartite graph, ours has no taste for long
ways back), and counting settles it drawing by drawing. Crossings are found by a sweep from left to right; the
largest drawings take some tenths of a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice, pairwise

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


_PAGE = (1000.0, 640.0)  # the shape that is easiest to read on a screen
_PIECES = 7  # a curve is followed as that many straight lines; odd, so that halves do not meet in a joint
_THROUGH_A_BOX = 3  # how many crossings a line through a box is worth

_Rectangle = tuple[float, float, float, float]


def easiest_to_read(plan: Plan, layouts: list[Layout]) -> Layout:
    """The layout with the fewest tangles, where one that must shrink to fit a page has more of them."""

    def difficulty(layout: Layout) -> float:
        frame = frame_of(plan, layout)
        shrinking = max(1.0, frame.width / _PAGE[0], frame.height / _PAGE[1])
        return (len(plan.boxes) + tangles(plan, layout)) * shrinking

    return min(layouts, key=difficulty)


def tangles(plan: Plan, layout: Layout) -> int:
    """How often something lies across something else."""
    ways = [_polyline(route.curve) for route in layout.routes]
    boxes = [_rectangle(place, size) for place, size in zip(layout.boxes, plan.boxes, strict=True)]
    labels = [_rectangle(r.label, a.label) for r, a in zip(layout.routes, plan.arrows, strict=True)]
    through = 0
    for arrow, way in zip(plan.arrows, ways, strict=True):
        extent = _extent(way)
        for number, box in enumerate(boxes):
            if number not in (arrow.source, arrow.target) and _meet(extent, box):
                through += _runs_through(way, box)
    on_each_other = sum(_meet(one, other) for one, other in combinations([*labels, *boxes], 2))
    return _crossings(ways) + _THROUGH_A_BOX * through + on_each_other


def _crossings(ways: list[list[Point]]) -> int:
    """How many pieces of different lines cross: a sweep from left to right over all of them."""
    pieces = sorted(
        (min(a[0], b[0]), max(a[0], b[0]), number, a, b)
        for number, way in enumerate(ways)
        for a, b in pairwise(way)
    )
    count = 0
    for k, (_, right, number, a, b) in enumerate(pieces):
        low, high = min(a[1], b[1]), max(a[1], b[1])
        for left, _, other, c, d in islice(pieces, k + 1, None):
            if left > right:
                break
            if other != number and low < max(c[1], d[1]) and min(c[1], d[1]) < high:
                count += _cross(a, b, c, d)
    return count


def _polyline(curve: tuple[Point, ...]) -> list[Point]:
    """Points on a curve of cubic pieces."""
    made = [curve[0]]
    for k in range(0, len(curve) - 1, 3):
        a, b, c, d = curve[k : k + 4]
        for step in range(1, _PIECES + 1):
            t = step / _PIECES
            u = 1 - t
            weights = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
            x, y = (sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))
            made.append((x, y))
    return made


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the segments ab and cd cross, in their insides."""

    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def _rectangle(place: Point, size: Size) -> _Rectangle:
    (x, y), across, down = place, size.width / 2 - 1, size.height / 2 - 1
    return x - across, y - down, x + across, y + down


def _extent(way: list[Point]) -> _Rectangle:
    xs, ys = [x for x, _ in way], [y for _, y in way]
    return min(xs), min(ys), max(xs), max(ys)


def _meet(one: _Rectangle, other: _Rectangle) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _runs_through(way: list[Point], box: _Rectangle) -> bool:
    """Whether a line passes a box, that is, crosses one of its diagonals."""
    left, top, right, bottom = box
    diagonals = (((left, top), (right, bottom)), ((left, bottom), (right, top)))
    return any(_cross(a, b, c, d) for a, b in pairwise(way) for c, d in diagonals)

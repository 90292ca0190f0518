"""Layouts: sizes in, places out, by Graphviz or by a layered layout of our own, whichever is easier to read.

A layout knows boxes and labels by their sizes and arrows by the numbers of their boxes. No name and no label
of a model gets this far, whoever computes the places. Two can: Graphviz, where it is installed, and the
layered layout of this package; each is asked to go down the page and across it, and what is easiest to read
is taken. Coordinates grow to the right and downwards; the unit is a pixel of the drawing.

What makes a drawing hard to read is lines that cross, lines that run through boxes, labels that lie on each
other, and a size that has to shrink to fit a page. All of it can be counted: curves are followed as a few
straight pieces, and every crossing, found by a sweep from left to right, is a point against a layout. Dot
tangles the lines of a complete bipartite graph, ours has no taste for long ways back; counting settles it.

*The layered layout* follows Sugiyama (1981): put the boxes into layers, order each layer so that few arrows
cross, then choose places that keep arrows short. Two things make it small here. The layers are given,
distances from the roots, so an arrow leads at most one layer forward. And a label is a vertex: between any
two layers of boxes there is a layer of labels, and what keeps boxes from overlapping keeps labels from
overlapping too. An arrow that leads back over several layers goes through a *bend* in each one between. A
loop stands on its own box, which is made larger for it.

Orders come from barycentres, swept forwards and backwards. Places within a layer are the nearest ones to what
the neighbours pull towards that keep the order and the distances: a projection that pooling adjacent
violators finds in linear time. Everything is computed along and across the layers, and turned at the end.

*Graphviz.* ``dot`` is a program of others that reads a language of its own, so it runs in a process of its
own, with a time limit, and gets as little as possible. For a layout that is nothing but numbers: boxes are
called n0, n1, and so on, their sizes are given, and a label on an arrow is a row of zeros as long as the text
that will stand there (``Courier`` has one width in every version of Graphviz, with or without fonts). Its
answer is checked as what it is, a text from outside. Where anything about it fails, there is a layout of our
own.

``dot`` also paints PNG files, and there it must get the texts. They are quoted as its grammar asks,
backslashes and ampersands included, which dot would otherwise read as commands and as entities.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice, pairwise
from math import ceil, isfinite
from typing import NamedTuple

from bdist.chains.drawings.diagram import Diagram, Mark
from bdist.errors import BackendError
from bdist.printing import printable, shortened

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


class Frame(NamedTuple):
    """A rectangle."""

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

    def meets(self, other: Frame) -> bool:
        """Whether the two have more than an edge in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def _frame(place: Point, size: Size, shrunk: float = 0) -> Frame:
    """The rectangle of a size around a place, less a margin."""
    (x, y), across, down = place, size.width / 2 - shrunk, size.height / 2 - shrunk
    return Frame(x - across, y - down, x + across, y + down)


def _around(frames: Iterable[Frame]) -> Frame:
    lefts, tops, rights, bottoms = zip(*frames, strict=True)
    return Frame(min(lefts), min(tops), max(rights), max(bottoms))


def frame_of(plan: Plan, layout: Layout) -> Frame:
    """The least rectangle around all boxes, labels and curves."""
    boxes = map(_frame, layout.boxes, plan.boxes)
    labels = [_frame(r.label, a.label) for r, a in zip(layout.routes, plan.arrows, strict=True)]
    return _around([*boxes, *labels, *(Frame(*p, *p) for route in layout.routes for p in route.curve)])


# --- which layout is easiest to read ---

_PAGE = (1000.0, 640.0)  # the shape that is easiest to read on a screen
_PIECES = 7  # a curve is followed as that many straight lines; odd, so that halves do not meet in a joint
_THROUGH_A_BOX = 3  # how many crossings a line through a box is worth


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
    boxes = [_frame(place, size, 1) for place, size in zip(layout.boxes, plan.boxes, strict=True)]
    labels = [_frame(r.label, a.label, 1) for r, a in zip(layout.routes, plan.arrows, strict=True)]
    through = 0
    for arrow, way in zip(plan.arrows, ways, strict=True):
        extent = _around(Frame(*point, *point) for point in way)
        for number, box in enumerate(boxes):
            if number not in (arrow.source, arrow.target) and extent.meets(box):
                through += _runs_through(way, box)
    on_each_other = sum(one.meets(other) for one, other in combinations([*labels, *boxes], 2))
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


def _runs_through(way: list[Point], box: Frame) -> bool:
    """Whether a line passes a box, that is, crosses one of its diagonals."""
    left, top, right, bottom = box
    diagonals = (((left, top), (right, bottom)), ((left, bottom), (right, top)))
    return any(_cross(a, b, c, d) for a, b in pairwise(way) for c, d in diagonals)


# --- the layered layout ---

_SWEEPS = 24
_SMOOTHINGS = 12
_ROOM_OF_A_BOX, _ROOM_OF_A_LABEL = 7.0, 3.0  # kept free on either side, across the layers
_AHEAD = (16.0, 64.0)  # along the layers, from a box to a label: at least, and where arrows are steep
_STEEPNESS = 0.22
_LOOP = 22.0  # how far a loop reaches out of its box
_BEND = 6.0  # the room that a bend takes


@dataclass
class _Vertex:
    """Something with a place: a box, a label or a bend. ``before`` is what it needs on the side of a loop."""

    layer: int
    room: float
    along: float
    across: float
    before: float = 0.0
    place: float = 0.0
    neighbours: list[int] = field(default_factory=list)


@dataclass
class _Graph:
    vertices: list[_Vertex]
    layers: list[list[int]]
    ways: list[list[int]]  # for every arrow the vertices it goes through, both boxes included; a loop: [box]


def layered_layout(plan: Plan, *, downwards: bool) -> Layout:
    """Places for every box and arrow of a plan."""
    graph = _graph_of(plan, downwards)
    _order(graph)
    _place(graph)
    return _drawn(graph, plan, downwards)


def _graph_of(plan: Plan, downwards: bool) -> _Graph:
    def sides(size: Size) -> tuple[float, float]:
        return (size.height, size.width) if downwards else (size.width, size.height)

    level = {k: 2 * depth for depth, layer in enumerate(plan.layers) for k in layer}
    loops = {arrow.source: arrow for arrow in plan.arrows if arrow.source == arrow.target}
    vertices = [_Vertex(level[k], _ROOM_OF_A_BOX, *sides(size)) for k, size in enumerate(plan.boxes)]
    for k, arrow in loops.items():
        vertices[k].before = _LOOP + sides(arrow.label)[1]
    layers: list[list[int]] = [[] for _ in range(2 * len(plan.layers))]
    for depth, layer in enumerate(plan.layers):
        layers[2 * depth] = list(layer)
    ways = []
    for arrow in plan.arrows:
        way = [arrow.source]
        if arrow.source != arrow.target:
            start, end = level[arrow.source], level[arrow.target]
            step = -1 if end < start else 1
            for passed in [start + 1] if start == end else range(start + step, end, step):
                extent = sides(arrow.label) if passed == start + step else (0.0, _BEND)
                way.append(len(vertices))
                layers[passed].append(len(vertices))
                vertices.append(_Vertex(passed, _ROOM_OF_A_LABEL, *extent))
            way.append(arrow.target)
            for one, other in pairwise(way):
                vertices[one].neighbours.append(other)
                vertices[other].neighbours.append(one)
        ways.append(way)
    return _Graph(vertices, layers, ways)


def _order(graph: _Graph) -> None:
    """Order every layer by barycentres, there and back, and keep the best order seen."""
    best, fewest = [list(layer) for layer in graph.layers], _layer_crossings(graph)
    for sweep in range(_SWEEPS):
        forwards = sweep % 2 == 0
        count = len(graph.layers)
        for k in range(1, count) if forwards else range(count - 2, -1, -1):
            _sort(graph, graph.layers[k], graph.layers[k - 1 if forwards else k + 1])
        crossings = _layer_crossings(graph)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in graph.layers], crossings
    graph.layers = best


def _sort(graph: _Graph, layer: list[int], fixed: Sequence[int]) -> None:
    """Sort a layer by the mean ranks of its neighbours in another; its own rank counts where it has none."""
    rank = {v: position for position, v in enumerate(fixed)}
    barycentres = {}
    for position, v in enumerate(layer):
        ranks = [rank[w] for w in graph.vertices[v].neighbours if w in rank]
        barycentres[v] = sum(ranks) / len(ranks) if ranks else float(position)
    layer.sort(key=lambda v: barycentres[v])


def _layer_crossings(graph: _Graph) -> int:
    """How many pairs of lines between neighbouring layers cross."""
    total = 0
    for k in range(len(graph.layers) - 1):
        below = {v: position for position, v in enumerate(graph.layers[k + 1])}
        seen: list[int] = []
        for v in graph.layers[k]:
            ends = sorted(below[w] for w in graph.vertices[v].neighbours if w in below)
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _place(graph: _Graph) -> None:
    """Pull every vertex towards its neighbours, as far as the order and the distances allow."""
    for layer in graph.layers:
        _settle(graph, layer, [0.0] * len(layer))
    for smoothing in range(_SMOOTHINGS):
        for layer in graph.layers if smoothing % 2 == 0 else reversed(graph.layers):
            _settle(graph, layer, [_pull(graph, v) for v in layer])


def _pull(graph: _Graph, vertex: int) -> float:
    neighbours = graph.vertices[vertex].neighbours
    if not neighbours:
        return graph.vertices[vertex].place
    return sum(graph.vertices[v].place for v in neighbours) / len(neighbours)


def _settle(graph: _Graph, layer: Sequence[int], wanted: Sequence[float]) -> None:
    """The places nearest to those wanted that keep the order and the distances, by pooling violators."""
    offsets, reach = [], 0.0
    for position, v in enumerate(layer):
        vertex = graph.vertices[v]
        reach += vertex.room + vertex.before + vertex.across / 2 if position else 0.0
        offsets.append(reach)
        reach += vertex.across / 2 + vertex.room
    pools: list[tuple[float, int]] = []  # (sum of what is wanted, number of members)
    for want, offset in zip(wanted, offsets, strict=True):
        total, members = want - offset, 1
        while pools and pools[-1][0] / pools[-1][1] > total / members:
            more, others = pools.pop()
            total, members = total + more, members + others
        pools.append((total, members))
    settled = [total / members for total, members in pools for _ in range(members)]
    for v, offset, place in zip(layer, offsets, settled, strict=True):
        graph.vertices[v].place = place + offset


def _drawn(graph: _Graph, plan: Plan, downwards: bool) -> Layout:
    along = _layer_places(graph)

    def turned(a: float, b: float) -> Point:
        return (b, a) if downwards else (a, b)

    ports = _Ports(graph)
    boxes = tuple(
        turned(along[graph.vertices[k].layer], graph.vertices[k].place) for k in range(len(plan.boxes))
    )
    routes = []
    for way in graph.ways:
        flat, label = _loop(graph, way[0], along) if len(way) == 1 else _curve(graph, way, along, ports)
        routes.append(Route(tuple(turned(*point) for point in flat), turned(*label)))
    return Layout(boxes, tuple(routes), labels_on_lines=True)


def _layer_places(graph: _Graph) -> list[float]:
    """The middle of every layer, along; layers with steep arrows between them stand further apart."""
    places, reach = [], 0.0
    for layer in graph.layers:
        extent, steepest = 0.0, 0.0
        for v in layer:
            vertex = graph.vertices[v]
            extent = max(extent, vertex.along)
            for other in (graph.vertices[w] for w in vertex.neighbours):
                if other.layer > vertex.layer:
                    steepest = max(steepest, abs(other.place - vertex.place))
        places.append(reach + extent / 2)
        reach += extent + min(_AHEAD[1], max(_AHEAD[0], _STEEPNESS * steepest))
    return places


class _Ports:
    """Where on the two sides of a box its arrows meet it: side by side, in the order of their other ends."""

    def __init__(self, graph: _Graph) -> None:
        self._graph = graph
        self._met: defaultdict[tuple[int, bool], list[int]] = defaultdict(list)
        for way in graph.ways:
            if len(way) > 1:
                self._met[way[0], self._ahead(way[0], way[1])].append(way[1])
                self._met[way[-1], self._ahead(way[-1], way[-2])].append(way[-2])
        for ends in self._met.values():
            ends.sort(key=lambda v: graph.vertices[v].place)

    def _ahead(self, box: int, via: int) -> bool:
        return self._graph.vertices[via].layer > self._graph.vertices[box].layer

    def at(self, box: int, via: int, along: Sequence[float]) -> tuple[Point, float]:
        """Where the line between a box and the first vertex of a way meets it, and the direction outwards."""
        ahead = self._ahead(box, via)
        ends = self._met[box, ahead]
        vertex = self._graph.vertices[box]
        spread = min(8.0, 0.7 * vertex.across / len(ends))
        place = vertex.place + (ends.index(via) - (len(ends) - 1) / 2) * spread
        outwards = 1.0 if ahead else -1.0
        return (along[vertex.layer] + outwards * vertex.along / 2, place), outwards


def _curve(
    graph: _Graph, way: Sequence[int], along: Sequence[float], ports: _Ports
) -> tuple[list[Point], Point]:
    """A smooth line from box to box through the label and the bends, level where it passes them."""
    start, leaving = ports.at(way[0], way[1], along)
    end, _ = ports.at(way[-1], way[-2], along)
    label = graph.vertices[way[1]]
    middle = (along[label.layer], label.place)
    if graph.vertices[way[0]].layer == graph.vertices[way[-1]].layer:
        return _arch(start, end, middle, leaving)
    points = [start]
    for v in way[1:-1]:
        vertex = graph.vertices[v]
        half = leaving * vertex.along / 2
        points += [(along[vertex.layer] - half, vertex.place), (along[vertex.layer] + half, vertex.place)]
    points.append(end)
    curve = [start]
    for one, other in pairwise(points):
        reach = (other[0] - one[0]) / 2
        curve += [(one[0] + reach, one[1]), (other[0] - reach, other[1]), other]
    return curve, middle


def _arch(start: Point, end: Point, middle: Point, outwards: float) -> tuple[list[Point], Point]:
    """From one box to another of the same layer, out through the label and back."""
    rise = (end[1] - start[1]) / 4
    out = (start[0] + middle[0]) / 2 + outwards * abs(middle[0] - start[0]) / 2
    curve = [start, (out, start[1]), (middle[0], middle[1] - rise), middle]
    return [*curve, (middle[0], middle[1] + rise), (out, end[1]), end], middle


def _loop(graph: _Graph, box: int, along: Sequence[float]) -> tuple[list[Point], Point]:
    """Out of the side of a box and back into it, the label beyond."""
    vertex = graph.vertices[box]
    centre, edge = along[vertex.layer], vertex.place - vertex.across / 2
    half = min(14.0, vertex.along / 4)
    top = edge - _LOOP
    curve = [(centre - half, edge), (centre - half - 4, top), (centre + half + 4, top), (centre + half, edge)]
    beyond = (vertex.before - _LOOP) / 2
    return curve, (centre, edge - 0.75 * _LOOP - beyond - 3)


POINTS_PER_INCH = 72
SECONDS = 10.0
_LABEL_FONT = 14.0  # larger than what will stand there, so that lines keep away
_COURIER = 0.6  # the advance of Courier, in sizes of the font


_THICK = ', color="#0b4f8a", penwidth=2.4'


def dot_program() -> str | None:
    """Where ``dot`` is, if it is on the path; a folder that is named relative to the current one is no place.

    The current folder may be a stranger's, with a ``dot`` of his in it.
    """
    folders = [entry for entry in os.get_exec_path() if os.path.isabs(entry)]
    return shutil.which("dot", path=os.pathsep.join(folders)) if folders else None


def graphviz_layout(plan: Plan, program: str, *, downwards: bool) -> Layout | None:
    """The layout that dot finds; None where it finds none in time, or gives an answer that is not one."""
    answer = _answer(program, "-Tjson0", _source_of(plan, downwards))
    return None if answer is None else _read(answer, plan)


def paint_png(program: str, drawn: Diagram, marks: Sequence[Mark]) -> bytes:
    """A picture by dot. Raises: BackendError where it paints none, or not in time."""
    painted = _answer(program, "-Tpng", painting_source(drawn, marks))
    if painted is None or not painted.startswith(b"\x89PNG"):
        raise BackendError(f"dot painted no picture within {SECONDS:g} s; an .svg file needs no dot")
    return painted


def painting_source(drawn: Diagram, marks: Sequence[Mark]) -> str:
    """A diagram with its texts in the dot language; what is marked is drawn with thick lines."""
    lines = [
        "digraph {",
        'graph [rankdir=LR, dpi=144, bgcolor="white", nodesep=0.22, ranksep=0.32];',
        'node [shape=box, style="rounded,filled", fillcolor="#f4f6f8", color="#5b6670", '
        'fontname="DejaVu Sans Mono", fontsize=12];',
        'edge [color="#5b6670", fontname="DejaVu Sans Mono", fontsize=10, arrowsize=0.7];',
    ]
    for k, box in enumerate(drawn.boxes):
        thick = _THICK if any(k in mark.states for mark in marks) else ""
        lines.append(f"n{k} [label={_quoted(shortened(box.name), shortened(box.below))}{thick}];")
    for arrow in drawn.arrows:
        ends = (arrow.source, arrow.target)
        thick = _THICK if any(ends in mark.transitions for mark in marks) else ""
        lines.append(f"n{arrow.source} -> n{arrow.target} [label={_quoted(arrow.text)}{thick}];")
    return "\n".join([*lines, "}"])


def _quoted(*lines: str) -> str:
    """A string of the dot language that shows some lines as they are, or spelled out."""
    shown = map(printable, lines)
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in shown]
    return '"' + "\\n".join(escaped) + '"'


def _answer(program: str, form: str, source: str) -> bytes | None:
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command; the source is quoted above
            [program, form],
            input=source.encode("utf-8"),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _source_of(plan: Plan, downwards: bool) -> str:
    lines = [
        "digraph {",
        f"rankdir={'TB' if downwards else 'LR'}; nodesep=0.22; ranksep=0.5;",
        'node [shape=box, fixedsize=true, label=""];',
        f'edge [dir=none, fontname="Courier", fontsize={_LABEL_FONT:g}];',
    ]
    for k, size in enumerate(plan.boxes):
        width, height = (side / POINTS_PER_INCH for side in (size.width, size.height))
        lines.append(f"n{k} [width={width:.4f}, height={height:.4f}];")
    lines.append("{rank=source; " + " ".join(f"n{k};" for k in plan.layers[0]) + "}")
    for number, arrow in enumerate(plan.arrows):
        zeros = "0" * max(1, ceil(arrow.label.width / (_COURIER * _LABEL_FONT)))
        lines.append(f'n{arrow.source} -> n{arrow.target} [id="{number}", label="{zeros}"];')
    return "\n".join([*lines, "}"])


def _read(answer: bytes, plan: Plan) -> Layout | None:
    """The places in dot's answer; None where one is missing or no number."""
    try:
        document = json.loads(answer)
        boxes: dict[int, Point] = {
            int(node["name"][1:]): _points(node["pos"])[0] for node in document["objects"] if "pos" in node
        }
        routes: dict[int, Route] = {}
        for edge in document["edges"]:
            routes[int(edge["id"])] = Route(_points(edge["pos"]), _points(edge["lp"])[0])
        return Layout(
            tuple(boxes[k] for k in range(len(plan.boxes))),
            tuple(routes[k] for k in range(len(plan.arrows))),
        )
    except (KeyError, ValueError, TypeError, IndexError):
        return None


def _points(text: str) -> tuple[Point, ...]:
    """Points of dot, whose heights grow upwards. Raises: ValueError."""
    made = []
    for pair in text.split():
        x, y = (float(number) for number in pair.split(","))
        if not (isfinite(x) and isfinite(y)):
            raise ValueError(pair)
        made.append((x, -y))
    if len(made) % 3 != 1:
        raise ValueError(text)
    return tuple(made)

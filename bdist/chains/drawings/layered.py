"""A layered layout of our own, for machines without Graphviz.

The way is Sugiyama's (1981): put the boxes into layers, order each layer so that few arrows cross, then
choose places that keep arrows short. Two things make it small here. The layers are given, distances from the
roots, so an arrow leads at most one layer forward. And a label is a vertex: between any two layers of boxes
there is a layer of labels, every arrow goes through its label, and what keeps boxes from overlapping keeps
labels from overlapping too. An arrow that leads back over several layers goes through a *bend* in each one
between. A loop stands on its own box, which is made larger for it.

Orders come from barycentres, swept forwards and backwards, and the order with the fewest crossings is kept.
Places within a layer are the nearest ones to what the neighbours pull towards that keep the order and the
distances: a projection that pooling adjacent violators finds in linear time. Everything is computed along and
across the layers, and turned into x and y at the end.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bdist.chains.drawings.layout import Layout, Plan, Point, Route, Size

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
    best, fewest = [list(layer) for layer in graph.layers], _crossings(graph)
    for sweep in range(_SWEEPS):
        forwards = sweep % 2 == 0
        count = len(graph.layers)
        for k in range(1, count) if forwards else range(count - 2, -1, -1):
            _sort(graph, graph.layers[k], graph.layers[k - 1 if forwards else k + 1])
        crossings = _crossings(graph)
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


def _crossings(graph: _Graph) -> int:
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

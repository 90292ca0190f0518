"""Weights on a grid of likelihood ratios: bounds from both sides where exact weights are too many.

Cells are the powers of one ratio rho > 1. A node of the belief graph (up to two scales) holds, for each cell,
fixed-point probabilities X from the first state and Y from the second; a round moves all of it one label on.

* From above an edge whose ratio lies between two powers is *split* on both, so that the sums are kept, and X
  is rounded up, Y down. A split spreads the ratio a little, which only helps an attacker.
* From below whatever falls into one cell is *added up*, whatever its exact ratio, X rounded down, Y up. To
  forget the difference only hinders him.

Both errors are of second order in the width of a cell: a split with the offset theta of a cell adds the
variance theta (1 - theta) ln(rho)^2 to the privacy loss, and nothing to its mean. Where all ratios of the
graph are powers of one number, as for k-fold randomised response, that number is rho, nothing is split, and
the two sides differ by rounding alone.

Here the passes are made in floating point: they propose lists of atoms, with a margin for all rounding. The
checker makes the same passes in integers, with the cells of a node packed into one long one, and disposes.
That takes ten times as long, so to make the exact passes here as well would double the time of an answer and
add nothing to what is proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1, floor, log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from bdist.exact.rationals import log_approx
from bdist.traces.beliefs import Graph
from bdist.traces.counting import common_root

Floats = NDArray[np.float64]

MOST_CELLS = 200_000
_MARGIN, _SPLIT_MARGIN = 1e-15, 1e-12  # relative, for the rounding of one round, and of shares of a split
_PLACES = 100
_TAIL = 6.2  # standard deviations of the privacy loss that the cells cover
_LONG_BITS, _BITS = 89, 59  # places after the binary point: factors of three or two digits in Python
_NEAR = 1e-9  # of a cell: then a ratio is taken for a power of rho


@dataclass(frozen=True)
class Grid:
    """The cells, the places after the binary point, and how many labels are read."""

    ratio: Fraction
    bits: int
    rounds: int
    low: int
    high: int


def is_layered(graph: Graph) -> bool:
    """Whether every inner node is met after one number of labels only."""
    depth = {0: 0}
    level = [0]
    while level:
        after = dict.fromkeys(
            e.child for u in level for e in graph.edges.get(u, ()) if e.child in graph.edges
        )
        if any(child in depth for child in after):
            return False
        depth.update(dict.fromkeys(after, depth[level[0]] + 1))
        level = list(after)
    return True


@dataclass(frozen=True)
class Spread:
    """Where the privacy loss moves, in floats: its least and largest likely value on the way from the first
    and from the second state, and how many labels it takes until nearly all has reached a leaf.
    """

    low: float
    high: float
    rounds: int


def grid_of_common_root(graph: Graph, spread: Spread) -> Grid | None:
    """The grid on which no edge is split, if there is one; it then covers all that can be reached."""
    ratios = {e.g / e.h for u in graph.edges for e in graph.flow(u) if e.g and e.h}
    root = common_root(ratios)
    if root is None:
        return None
    most = max(log_approx(max(ratio, 1 / ratio)) for ratio in ratios)
    cells = spread.rounds * max(1, round(most / log_approx(root)))
    return Grid(root, _LONG_BITS, spread.rounds, -cells, cells) if cells <= MOST_CELLS // 10 else None


def grid_of_cells(spread: Spread, cells: int, *, layered: bool) -> Grid:
    """A grid with about so many cells where the loss is likely to be. It splits nearly every edge.

    Where a node is met again and again, its rounding adds up; there more places are kept.
    """
    parts = max(2, round(min(cells, MOST_CELLS) / (spread.high - spread.low)))
    cell = log1p(1 / parts)
    return Grid(
        1 + Fraction(1, parts),
        _BITS if layered else _LONG_BITS,
        spread.rounds,
        floor(spread.low / cell),
        ceil(spread.high / cell),
    )


def spread_approx(graph: Graph, most_rounds: int, rest: float) -> Spread:
    """Move mass, mean and mean square of the loss through the graph, in floats, from either state.

    Whatever comes out, bounds on the grid are sound; it only should not be too narrow on the way either:
    what leaves the grid early might have come back.
    """
    edges = {
        u: [(e.child, float(e.g), float(e.h), log_approx(e.g / e.h)) for e in graph.flow(u) if e.g and e.h]
        for u in graph.edges
    }
    low, high, rounds = -1.0, 1.0, 0
    for side in (0, 1):
        level = {0: (1.0, 0.0, 0.0)}
        for number in range(1, most_rounds + 1):
            after: dict[int, tuple[float, float, float]] = {}
            for u, (mass, mean, square) in level.items():
                for child, *chances, loss in edges.get(u, ()):
                    p = chances[side]
                    m, f, s = after.get(child, (0.0, 0.0, 0.0))
                    after[child] = (
                        m + p * mass,
                        f + p * (mean + loss * mass),
                        s + p * (square + loss * (2 * mean + loss * mass)),
                    )
            level = {u: values for u, values in after.items() if u in edges}
            mass, mean, square = (sum(values[k] for values in after.values()) for k in range(3))
            if mass > 0.0:
                mean /= mass
                tail = _TAIL * sqrt(max(square / mass - mean * mean, 0.0))
                low, high = (min(low, mean - tail), high) if side == 0 else (low, max(high, mean + tail))
            rounds = max(rounds, number)
            if sum(values[0] for values in level.values()) <= rest:
                break
    return Spread(low, high, rounds)


# --- the passes, in floating point ---


@dataclass
class _Cells:
    """The cells of a node from ``first`` on: probabilities from both states."""

    x: Floats
    y: Floats
    first: int

    @property
    def end(self) -> int:
        return self.first + len(self.x)


@dataclass
class Atoms:
    """Probabilities by cell, and what is certain: mass that only one of the two states can have."""

    cells: _Cells
    only_s: float = 0.0
    only_t: float = 0.0
    is_split: bool = False  # whether shares were computed in floats, whose logarithms lose some digits

    def pairs(self, grid: Grid, above: bool, times: int) -> list[tuple[Fraction, Fraction]]:
        """Atoms whose function bounds that of the exact pass of the checker, by a margin for all rounding.

        From above p is rounded up and q down, from below the other way round. The checker rounds each cell
        of a node once a round; ``times`` is how often one of these cells may have got that.
        """
        slack_approx = 4.0 * times * 2.0**-grid.bits
        sign = 1 if above else -1
        margin = (_SPLIT_MARGIN if self.is_split else _MARGIN) * (grid.rounds + 10)
        more, less = 1 + sign * margin, 1 - sign * margin
        # what lies beyond the ends is emptied, or added to the last cells, and was rounded cell by cell
        beyond = slack_approx * (grid.high - grid.low + len(self.cells.x))
        last = len(self.cells.x) - 1
        found = []
        for k, (p, q) in enumerate(zip(self.cells.x.tolist(), self.cells.y.tolist(), strict=True)):
            if p > 0.0 or q > 0.0:
                slack = sign * (slack_approx if 0 < k < last else beyond)
                found.append((_rounded(p * more + slack), _rounded(q * less - slack)))
        found.append((_rounded(self.only_s * more + sign * beyond), Fraction(0)))
        found.append((Fraction(0), _rounded(self.only_t * less - sign * beyond)))
        return found


def bounds_on_grid(graph: Graph, grid: Grid, *, above: bool, ask: Callable[[], None]) -> Atoms:
    """The atoms that one of the two passes ends with. ``ask`` is called once a round, and may raise."""
    cell = log_approx(grid.ratio)
    edges = {
        u: [
            (e.child, pieces_approx(float(e.g), float(e.h), cell, above), float(e.g), float(e.h))
            for e in graph.flow(u)
        ]
        for u in graph.edges
    }
    total = Atoms(_Cells(np.zeros(1), np.zeros(1), 0))
    total.is_split = any(len(parts) > 1 for out in edges.values() for _, parts, _, _ in out)
    level = {0: _Cells(np.ones(1), np.ones(1), 0)}
    for _ in range(grid.rounds):
        ask()
        after: dict[int, list[_Part]] = {}
        for u, cells in level.items():
            for child, parts, g, h in edges.get(u, ()):
                if not parts:
                    total.only_s += g * float(cells.x.sum())
                    total.only_t += h * float(cells.y.sum())
                else:
                    after.setdefault(child, []).extend((cells, *part) for part in parts)
        level = {}
        for v, inflow in after.items():
            cells = _sum(inflow)
            if v in edges:
                level[v] = _trimmed(cells, grid, above, total)
            else:
                _collect(total, graph, v, cells, grid, above)
        if not level:
            break
    for v, cells in level.items():
        _collect(total, graph, v, cells, grid, above)
    return total


def coarsened(atoms: Atoms, times: int, ratio: Fraction, above: bool) -> Atoms:
    """The same atoms on cells that are so many times as wide: split from above, added up from below."""
    if times <= 1:
        return atoms
    cells = atoms.cells
    first = cells.first // times
    blocks = -(-cells.end // times) - first + 1
    positions = np.arange(cells.first, cells.end)
    block, inside = positions // times - first, positions % times
    x, y = np.zeros(blocks), np.zeros(blocks)
    if not above:
        block = block + (2 * inside > times)
        np.add.at(x, block, cells.x)
        np.add.at(y, block, cells.y)
    else:  # a ratio rho^inside between 1 and rho^times: the parts keep both sums
        cell = log_approx(ratio)
        upper = np.expm1(inside * cell) / np.expm1(times * cell)
        for offset, share in ((0, 1 - upper), (1, upper)):
            np.add.at(y, block + offset, cells.y * share)
            ratios = np.exp((positions - inside + offset * times) * cell)
            np.add.at(x, block + offset, cells.y * share * ratios)
    return Atoms(_Cells(x, y, first), atoms.only_s, atoms.only_t, is_split=True)


_Part = tuple[_Cells, int, float, float]


def _sum(parts: list[_Part]) -> _Cells:
    """Cells, each shifted and with factors for both sides, added up."""
    first = min(cells.first + shift for cells, shift, _, _ in parts)
    end = max(cells.end + shift for cells, shift, _, _ in parts)
    x, y = np.zeros(end - first), np.zeros(end - first)
    for cells, shift, g, h in parts:
        place = slice(cells.first + shift - first, cells.end + shift - first)
        x[place] += cells.x * g
        y[place] += cells.y * h
    return _Cells(x, y, first)


def _trimmed(cells: _Cells, grid: Grid, above: bool, total: Atoms) -> _Cells:
    """The cells within the grid; what is beyond is revealed, or added to the last one."""
    start, stop = max(0, grid.low - cells.first), len(cells.x) - max(0, cells.end - 1 - grid.high)
    if start == 0 and stop == len(cells.x):
        return cells
    if start >= stop:  # all of it is beyond one end
        at = grid.low if start else grid.high
        x, y = float(cells.x.sum()), float(cells.y.sum())
        if above:
            total.only_s += x
            total.only_t += y
            x = y = 0.0
        return _Cells(np.array([x]), np.array([y]), at)
    kept = _Cells(cells.x[start:stop].copy(), cells.y[start:stop].copy(), cells.first + start)
    for part, place in ((slice(0, start), 0), (slice(stop, None), -1)):
        x, y = float(cells.x[part].sum()), float(cells.y[part].sum())
        if above:
            total.only_s += x
            total.only_t += y
        else:
            kept.x[place] += x
            kept.y[place] += y
    return kept


def _collect(total: Atoms, graph: Graph, v: int, cells: _Cells, grid: Grid, above: bool) -> None:
    """Add what a leaf holds to the atoms; from above the coordinate of an open one is revealed."""
    parts: list[_Part] = [(total.cells, 0, 1.0, 1.0)]
    if graph.is_closed(v) or not above:
        parts.append((cells, 0, 1.0, 1.0))
    else:
        total.is_split = True
        left, right = graph.masses(v)
        for a, b in graph.revealed(v):
            if not a or not b:
                total.only_s += a / left * float(cells.x.sum())
                total.only_t += b / right * float(cells.y.sum())
            parts += [
                (cells, *part) for part in pieces_approx(a / left, b / right, log_approx(grid.ratio), above)
            ]
    total.cells = _sum(parts)


def _rounded(value: float) -> Fraction:
    """A float as a rational with a short denominator, negative ones as 0; the margin covers the cut."""
    return Fraction(max(0, round(value * 2.0**_PLACES)), 2**_PLACES)


def pieces_approx(g: float, h: float, cell: float, above: bool) -> list[tuple[int, float, float]]:
    """An edge as a pass has it: shifts, and the part of (g, h) that each takes; none where one side is empty.

    ``cell`` is ln rho.
    """
    if not g or not h:
        return []
    loss = (log(g) - log(h)) / cell
    nearest = round(loss)
    if not above or abs(loss - nearest) < _NEAR:
        return [(nearest, g, h)]
    k = floor(loss)
    share = h * expm1((loss - k) * cell) / expm1(cell)
    return [(k, (h - share) * exp(k * cell), h - share), (k + 1, share * exp((k + 1) * cell), share)]

"""The grid: weights in fixed-point numbers, rounded in a known direction. Section 6 of the SPEC.

Where ratios hardly ever repeat, a node has more weights than can be kept. So they are put into cells, at the
powers of a number ρ. The pessimistic pass splits a scale into two pieces whose ratios are exactly those of
neighbouring cells, and rounds x up and y down; the optimistic one adds up what falls into a cell, and rounds
x down and y up. After that there is an error in both lists, but on the safe side. Scales are relative to the
masses of nodes here, so that all numbers are probabilities.

All cells of a node are one long integer each for X and Y, in which a cell has `width` bits. Then moving along
a piece is one product with a number of `bits` bits, whatever the number of cells, and rounding is one sum,
one shift and one mask. A cell must not overflow into the next: with each long integer goes a bound on the sum
of its cells, which is looked at before they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ..core import TooLarge
from ..core.digits import size
from ..core.limits import Work
from .document import Grid
from .graph import Edge


class Piece(NamedTuple):
    """A move to the node k, j cells up, with g' and h' times 2^bits, rounded; j is None if one is 0."""

    k: int
    j: int | None
    g: int
    h: int


class Content(NamedTuple):
    """X and Y of so many cells from ``low`` on, and what the sum of all X and of all Y does not exceed."""

    low: int
    cells: int
    x: int
    y: int
    most_x: int
    most_y: int


Pairs = list[tuple[int, int]]  # X and Y, in units of 2^−bits


class Pass:
    """One of the two passes over a graph whose scales are relative to masses."""

    def __init__(self, grid: Grid, edges: Sequence[Sequence[Edge]], pessimistic: bool, work: Work) -> None:
        self.grid, self.bits, self.work, self.pessimistic = grid, grid.bits, work, pessimistic
        self.width = (2 * grid.bits + 32 + 7) // 8 * 8  # whole bytes
        powers = _Powers(grid.ratio, work)
        self.pieces = [[p for edge in out for p in self._pieces(edge, powers)] for out in edges]
        # in so many cells: what is added to those that are rounded up; and what is kept of each after the
        # shift, which is all but the bits that come from the next cell
        self.cells, self.nearly, self.kept = 1, (1 << self.bits) - 1, (1 << self.width - self.bits) - 1

    def _pieces(self, edge: Edge, powers: _Powers) -> list[Piece]:
        k, (g1, g2), (h1, h2) = edge.k, edge.g.as_integer_ratio(), edge.h.as_integer_ratio()
        self.work.spend(8, size(edge.g) + self.bits, size(edge.h) + self.bits)
        if not g1 or not h1:
            return [Piece(k, None, self._x(g1, g2), self._y(h1, h2))]
        j, n, d = powers.below(edge.g / edge.h)  # ρ^j = n / d is the largest one with ρ^j ≤ g/h
        n1, d1 = self.grid.ratio.as_integer_ratio()
        bits = n.bit_length() + d.bit_length() + size(edge.g) + size(edge.h) + size(self.grid.ratio)
        self.work.spend(12, bits, bits + self.bits)
        if not self.pessimistic:  # k', which is k, or k + 1 if (g/h)² > ρ^(2k+1)
            far = (g1 * h2 * d) ** 2 * d1 > (h1 * g2 * n) ** 2 * n1
            return [Piece(k, j + far, self._x(g1, g2), self._y(h1, h2))]
        c = g1 * h2 * d - h1 * g2 * n  # g − h ρ^k, times g2 h2 d
        if not c:  # g/h = ρ^k: the one piece (k, g, h)
            return [Piece(k, j, self._x(g1, g2), self._y(h1, h2))]
        # with c = (g − h ρ^k) / (ρ^(k+1) − ρ^k) the two pieces (k, (h−c) ρ^k, h−c) and (k+1, c ρ^(k+1), c)
        rest = h1 * g2 * n * (n1 - d1) - c * d1
        of_x, of_y = g2 * h2 * d * (n1 - d1), g2 * h2 * n * (n1 - d1)
        return [
            Piece(k, j, self._x(rest, of_x), self._y(rest, of_y)),
            Piece(k, j + 1, self._x(c * n1, of_x), self._y(c * d1, of_y)),
        ]

    def _x(self, above: int, below: int) -> int:
        """⌈g' 2^bits⌉ in the pessimistic pass, ⌊g' 2^bits⌋ in the optimistic one."""
        return -((-above << self.bits) // below) if self.pessimistic else (above << self.bits) // below

    def _y(self, above: int, below: int) -> int:
        """⌊h' 2^bits⌋ in the pessimistic pass, ⌈h' 2^bits⌉ in the optimistic one."""
        return (above << self.bits) // below if self.pessimistic else -((-above << self.bits) // below)

    def run(self) -> dict[int, Pairs]:
        """What the nodes hold after all rounds. Raises: TooLarge."""
        one = 1 << self.bits
        held = {0: Content(0, 1, one, one, one, one)} if self.pieces else {}  # X = Y = 2^bits in cell 0
        ended: dict[int, Pairs] = {}
        for _ in range(self.grid.rounds):
            moving = [(u, held.pop(u)) for u in list(held) if self.pieces[u]]
            if not moving:  # no inner node has anything
                break
            arriving: dict[int, list[Content]] = {}
            for u, content in moving:
                for piece in self.pieces[u]:
                    arriving.setdefault(piece.k, []).append(self._moved(content, piece))
            for k, parts in arriving.items():
                got = self._rounded(self._joined(parts))
                if self.pieces[k]:
                    got, x = self._within(got)
                    if x:  # the atom (X 2^−bits, 0), and one (0, Y 2^−bits), which is worth nothing
                        ended.setdefault(k, []).append((x, 0))
                if got.x or got.y:
                    held[k] = self._joined([held[k], got]) if k in held else got  # leaves keep what they get
        return {u: self._pairs(held.get(u)) + ended.get(u, []) for u in held | ended}

    def _moved(self, content: Content, piece: Piece) -> Content:
        """What a piece takes along, times 4^bits."""
        low, cells, x, y, most_x, most_y = content
        self.work.spend(1, cells * self.width, self.bits)
        if piece.j is None:  # the sum of all X of u, times g, to the one cell, and likewise for Y
            low, cells, x, y = 0, 1, self._sum(x), self._sum(y)
        return Content(
            low + (piece.j or 0), cells, x * piece.g, y * piece.h, most_x * piece.g, most_y * piece.h
        )

    def _sum(self, packed: int) -> int:
        """The sum of all cells, which is smaller than this number, modulo which 2^width is 1."""
        return packed % ((1 << self.width) - 1)

    def _joined(self, parts: Sequence[Content]) -> Content:
        """The sum of cells that stay below 2^width − 2^bits. Raises: TooLarge where they do not."""
        low = min(part.low for part in parts)
        cells = max(part.low + part.cells for part in parts) - low
        most_x, most_y = sum(part.most_x for part in parts), sum(part.most_y for part in parts)
        if max(most_x, most_y) >= (1 << self.width) - (1 << self.bits):
            raise TooLarge(f"with {self.bits} bits the errors of a grid grow beyond all measure")
        self.work.spend(1, cells * self.width)
        self.work.hold(2 * len(parts) + 6, cells * self.width)
        x = sum(part.x << (part.low - low) * self.width for part in parts)
        y = sum(part.y << (part.low - low) * self.width for part in parts)
        return Content(low, cells, x, y, most_x, most_y)

    def _rounded(self, content: Content) -> Content:
        """All cells divided by 2^bits: ⌈S / 2^bits⌉ and ⌊T / 2^bits⌋, or ⌊S / 2^bits⌋ and ⌈T / 2^bits⌉."""
        low, cells, x, y, most_x, most_y = content
        while self.cells < cells:
            shift = self.cells * self.width
            self.work.keep(2, shift)
            self.nearly, self.kept = self.nearly << shift | self.nearly, self.kept << shift | self.kept
            self.cells *= 2
        nearly = self.nearly >> (self.cells - cells) * self.width
        x, y = (x + nearly, y) if self.pessimistic else (x, y + nearly)
        x, y = x >> self.bits & self.kept, y >> self.bits & self.kept
        return Content(low, cells, x, y, (most_x >> self.bits) + cells, (most_y >> self.bits) + cells)

    def _within(self, content: Content) -> tuple[Content, int]:
        """The cells from `low` to `high`, when those beyond are emptied, and the sum of X that ends there."""
        low, cells, x, y, most_x, most_y = content
        first, last = max(low, self.grid.low), min(low + cells - 1, self.grid.high)
        if cells == last - first + 1:
            return content, 0
        start, inside = (first - low) * self.width, max(last - first + 1, 0) * self.width
        (below_x, x, above_x), (below_y, y, above_y) = (
            (
                self._sum(packed & ((1 << start) - 1)),
                packed >> start & ((1 << inside) - 1),
                self._sum(packed >> start + inside),
            )
            for packed in (x, y)
        )
        if self.pessimistic:
            return Content(first, inside // self.width, x, y, most_x, most_y), below_x + above_x
        # in the optimistic pass their content is added to the cell `low` or `high`, whichever is nearer
        first, last = min(first, self.grid.high), max(last, self.grid.low)
        end = (last - first) * self.width
        x, y = x + below_x + (above_x << end), y + below_y + (above_y << end)
        return Content(first, last - first + 1, x, y, most_x, most_y), 0

    def _pairs(self, content: Content | None) -> Pairs:
        if content is None:
            return []
        width = self.width // 8
        self.work.keep(2 * content.cells, self.width)
        xs, ys = (packed.to_bytes(content.cells * width, "little") for packed in (content.x, content.y))
        cut = [slice(start, start + width) for start in range(0, content.cells * width, width)]
        pairs = ((int.from_bytes(xs[s], "little"), int.from_bytes(ys[s], "little")) for s in cut)
        return [pair for pair in pairs if any(pair)]


class _Powers:
    """The powers of ρ, as exact numbers."""

    def __init__(self, rho: Fraction, work: Work) -> None:
        self.work = work
        self.squares = [rho.as_integer_ratio()]  # ρ, ρ², ρ⁴, ...

    def below(self, r: Fraction) -> tuple[int, int, int]:
        """The largest k with ρ^k ≤ r, and ρ^k as two numbers. Requires: r > 0."""
        if r >= 1:
            return self._up_to(r)
        k, n, d = self._up_to(1 / r)
        if n * r.numerator != d * r.denominator:  # ρ^k < 1/r < ρ^(k+1)
            k, n, d = k + 1, n * self.squares[0][0], d * self.squares[0][1]
        return -k, d, n

    def _up_to(self, r: Fraction) -> tuple[int, int, int]:
        """The largest k ≥ 0 with ρ^k ≤ r, and ρ^k. Requires: r ≥ 1."""
        i, k, n, d = 0, 0, 1, 1
        while self._at_most(self._square(i), r):
            i += 1
        while i > 0:
            i -= 1
            above, below = self._square(i)
            self.work.spend(2, n.bit_length() + d.bit_length(), above.bit_length())
            if self._at_most((n * above, d * below), r):
                k, n, d = k + (1 << i), n * above, d * below
        return k, n, d

    def _square(self, i: int) -> tuple[int, int]:
        if i == len(self.squares):
            n, d = self.squares[-1]
            self.work.spend(2, n.bit_length(), n.bit_length())
            self.work.keep(2, 2 * n.bit_length())
            self.squares.append((n * n, d * d))
        return self.squares[i]

    def _at_most(self, power: tuple[int, int], r: Fraction) -> bool:
        self.work.spend(2, power[0].bit_length(), size(r))
        return power[0] * r.denominator <= r.numerator * power[1]

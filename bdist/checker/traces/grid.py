"""The grid: weights in fixed-point numbers, rounded in a known direction. Section 6 of the SPEC.

Where ratios hardly ever repeat, a node has more weights than can be kept. So they are put into cells, at the
powers of a number ρ. The pessimistic pass splits an edge into two pieces whose ratios are exactly those of
neighbouring cells, and rounds x up and y down; the optimistic one adds up what falls into a cell, and rounds
x down and y up. After that there is an error in both lists, but on the safe side.

All cells of a node are one long integer each for X and Y, in which a cell has `width` bits. Then moving along
a piece is one product with a number of `bits` bits, whatever the number of cells, and rounding is one sum,
one shift and one mask. A cell must not overflow into the next. In a round with R rounds, N nodes of up to P
pieces each, and C cells, the sum of all cells grows at most by the factor 1 + P / 2^bits, since factors are
rounded, and by N C. So in the end it is at most (2^bits + R N C) e^(R P / 2^bits), and `Pass` refuses a grid
for which that could be 2^(bits + 31). A cell of a sum of products is then below 2^width − 2^bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ..core import TooLarge
from ..core.limits import Work
from ..core.numbers import size
from .document import Grid
from .graph import Edge
from .weights import Held


class Piece(NamedTuple):
    """A move to the node k, j cells up, with g' and h' times 2^bits, rounded."""

    k: int
    j: int
    g: int
    h: int


class Content(NamedTuple):
    """X and Y of so many cells from ``low`` on."""

    low: int
    cells: int
    x: int
    y: int


class Pass:
    """One of the two passes over a graph. Raises: TooLarge."""

    def __init__(self, grid: Grid, edges: Sequence[Sequence[Edge]], pessimistic: bool, work: Work) -> None:
        self.grid, self.bits, self.work, self.pessimistic = grid, grid.bits, work, pessimistic
        self.width = (2 * grid.bits + 32 + 7) // 8 * 8  # whole bytes
        self._squares = [grid.ratio.as_integer_ratio()]  # ρ, ρ², ρ⁴, ...
        self.pieces = [[p for edge in out for p in self._pieces(edge)] for out in edges]
        most = max(map(len, self.pieces), default=0)
        cells = grid.high - grid.low + 1 + 2 * max((abs(p.j) for out in self.pieces for p in out), default=0)
        # R P ≤ 4 2^bits, and R N C ≤ 2^(bits + 24)
        if grid.rounds * max(most << 22, len(edges) * cells) > 1 << grid.bits + 24:
            raise TooLarge(f"with {self.bits} bits the errors of a grid grow beyond all measure")
        # in so many cells: what is added to those that are rounded up; and what is kept of each after the
        # shift, which is all but the bits that come from the next cell
        self.cells, self.nearly, self.kept = 1, (1 << self.bits) - 1, (1 << self.width - self.bits) - 1

    def _pieces(self, edge: Edge) -> list[Piece]:
        k, (g1, g2), (h1, h2) = edge.k, edge.g.as_integer_ratio(), edge.h.as_integer_ratio()
        self.work.spend(8, size(edge.g) + self.bits, size(edge.h) + self.bits)
        if not g1 or not h1:
            return [Piece(k, 0, self._x(g1, g2), self._y(h1, h2))]
        j, n, d = self._power(edge.g / edge.h)  # ρ^j = n / d is the largest one with ρ^j ≤ g/h
        n1, d1 = self.grid.ratio.as_integer_ratio()
        bits = n.bit_length() + d.bit_length() + size(edge.g) + size(edge.h) + size(self.grid.ratio)
        self.work.spend(12, bits, bits + self.bits)
        c = g1 * h2 * d - h1 * g2 * n  # g − h ρ^k, times g2 h2 d
        if not self.pessimistic or not c:  # the one piece (k, g, h), or (k + 1, g, h) if (g/h)² > ρ^(2k+1)
            j += not self.pessimistic and (g1 * h2 * d) ** 2 * d1 > (h1 * g2 * n) ** 2 * n1
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

    def _power(self, r: Fraction) -> tuple[int, int, int]:
        """The largest k with ρ^k ≤ r, and ρ^k as two numbers. Requires: r > 0."""
        if r < 1:  # from the largest k with ρ^k ≤ 1/r, which is one more where they are not equal
            k, n, d = self._power(1 / r)
            more = n * r.numerator != d * r.denominator
            n1, d1 = self._squares[0] if more else (1, 1)
            return -k - more, d * d1, n * n1
        i, k, n, d = 0, 0, 1, 1
        while self._at_most(*self._squares[i], r):
            i += 1
            if i == len(self._squares):
                n1, d1 = self._squares[-1]
                self.work.spend(2, n1.bit_length(), n1.bit_length())
                self.work.keep(2, 2 * n1.bit_length())
                self._squares.append((n1 * n1, d1 * d1))
        for power in range(i - 1, -1, -1):
            n1, d1 = self._squares[power]
            self.work.spend(2, n.bit_length() + d.bit_length(), n1.bit_length())
            if self._at_most(n * n1, d * d1, r):
                k, n, d = k + (1 << power), n * n1, d * d1
        return k, n, d

    def _at_most(self, above: int, below: int, r: Fraction) -> bool:
        self.work.spend(2, above.bit_length(), size(r))
        return above * r.denominator <= r.numerator * below

    def run(self) -> dict[int, Held]:
        """What the nodes hold after all rounds. Raises: TooLarge."""
        one = 1 << self.bits
        held = {0: Content(0, 1, one, one)} if self.pieces else {}  # X = Y = 2^bits in cell 0
        ended: dict[int, list[tuple[int, int]]] = {}
        for _ in range(self.grid.rounds):
            moving = [(u, held.pop(u)) for u in list(held) if self.pieces[u]]
            if not moving:  # no inner node has anything
                break
            arriving: dict[int, list[Content]] = {}
            for u, (low, cells, x, y) in moving:
                for k, j, g, h in self.pieces[u]:  # what a piece takes along, times 4^bits
                    self.work.spend(1, cells * self.width, self.bits)
                    arriving.setdefault(k, []).append(Content(low + j, cells, x * g, y * h))
            for k, parts in arriving.items():
                got = self._rounded(self._joined(parts))
                if self.pieces[k]:
                    got, x = self._within(got)
                    if x:  # the atom (X 2^−bits, 0), and one (0, Y 2^−bits), which is worth nothing
                        ended.setdefault(k, []).append((x, 0))
                if got.x or got.y:
                    held[k] = self._joined([held[k], got]) if k in held else got  # leaves keep what they get
        return {u: (self._pairs(held.get(u)) + ended.get(u, []), one, one) for u in held | ended}

    def _joined(self, parts: Sequence[Content]) -> Content:
        low = min(part.low for part in parts)
        cells = max(part.low + part.cells for part in parts) - low
        self.work.spend(1, cells * self.width)
        self.work.hold(2 * len(parts) + 6, cells * self.width)
        x = sum(part.x << (part.low - low) * self.width for part in parts)
        y = sum(part.y << (part.low - low) * self.width for part in parts)
        return Content(low, cells, x, y)

    def _rounded(self, content: Content) -> Content:
        """All cells divided by 2^bits: ⌈S / 2^bits⌉ and ⌊T / 2^bits⌋, or ⌊S / 2^bits⌋ and ⌈T / 2^bits⌉."""
        low, cells, x, y = content
        while self.cells < cells:
            shift = self.cells * self.width
            self.work.keep(2, shift)
            self.nearly, self.kept = self.nearly << shift | self.nearly, self.kept << shift | self.kept
            self.cells *= 2
        nearly = self.nearly >> (self.cells - cells) * self.width
        x, y = (x + nearly, y) if self.pessimistic else (x, y + nearly)
        return Content(low, cells, x >> self.bits & self.kept, y >> self.bits & self.kept)

    def _within(self, content: Content) -> tuple[Content, int]:
        """The cells from `low` to `high`, when those beyond are emptied, and the sum of X that ends there."""
        low, cells, *both = content
        first, last = max(low, self.grid.low), min(low + cells - 1, self.grid.high)
        if cells == last - first + 1:
            return content, 0
        start, inside = (first - low) * self.width, max(last - first + 1, 0) * self.width
        unit = (1 << self.width) - 1  # modulo which a number is the sum of its cells, which is smaller
        (below_x, x, above_x), (below_y, y, above_y) = (
            ((n & (1 << start) - 1) % unit, n >> start & (1 << inside) - 1, (n >> start + inside) % unit)
            for n in both
        )
        if self.pessimistic:
            return Content(first, inside // self.width, x, y), below_x + above_x
        # in the optimistic pass their content is added to the cell `low` or `high`, whichever is nearer
        first, last = min(first, self.grid.high), max(last, self.grid.low)
        end = (last - first) * self.width
        x, y = x + below_x + (above_x << end), y + below_y + (above_y << end)
        return Content(first, last - first + 1, x, y), 0

    def _pairs(self, content: Content | None) -> list[tuple[int, int]]:
        if content is None:
            return []
        width = self.width // 8
        self.work.keep(2 * content.cells, self.width)
        xs, ys = (packed.to_bytes(content.cells * width, "little") for packed in content[2:])
        cut = [slice(start, start + width) for start in range(0, content.cells * width, width)]
        pairs = ((int.from_bytes(xs[s], "little"), int.from_bytes(ys[s], "little")) for s in cut)
        return [pair for pair in pairs if any(pair)]

"""The grid: weights in fixed-point numbers, rounded in a known direction. Section 6 of the SPEC.

Where ratios hardly ever repeat, a node has more weights than can be kept. So they are put into cells, at the
powers of ρ = 1 + 2^−step. The pessimistic pass splits a scale into two pieces whose ratios are exactly those
of neighbouring cells, and rounds x up and y down; the optimistic one adds up what falls into a cell, and
rounds x down and y up. After that there is an error in both lists, but on the safe side.

All cells of a node are one long integer each for X and Y, in which a cell has `width` bits. Then moving along
a piece is one product with a number of `bits` bits, whatever the number of cells, and rounding is one sum,
one shift and one mask. A cell must not overflow into the next: with each long integer goes a bound on the sum
of its cells, which is looked at before cells are added or multiplied.
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
from .weights import Weights


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


def weigh_on_grid(
    grid: Grid, edges: Sequence[Sequence[Edge]], pessimistic: bool, work: Work
) -> dict[int, Weights]:
    """What the nodes hold after all rounds of a pass. Raises: TooLarge."""
    return _Pass(grid, edges, pessimistic, work).run()


class _Pass:
    def __init__(self, grid: Grid, edges: Sequence[Sequence[Edge]], pessimistic: bool, work: Work) -> None:
        self.grid, self.bits, self.work, self.pessimistic = grid, grid.bits, work, pessimistic
        self.width = (2 * grid.bits + 32 + 7) // 8 * 8  # whole bytes
        powers = _Powers(grid.step, work)
        self.pieces = [[p for edge in out for p in self._pieces(edge, powers)] for out in edges]
        # in so many cells: what is added to those that are rounded up; and what is kept of each after the
        # shift, which is all but the bits that come from the next cell
        self.count, self.nearly, self.kept = 1, (1 << self.bits) - 1, (1 << self.width - self.bits) - 1

    def _pieces(self, edge: Edge, powers: _Powers) -> list[Piece]:
        k, g, h = edge
        self.work.spend(8, size(g) + self.bits, size(h) + self.bits)
        if not g or not h:
            return [Piece(k, None, self._x(*g.as_integer_ratio()), self._y(*h.as_integer_ratio()))]
        j, n, d = powers.below(g / h)  # ρ^j = n / d is the largest one with ρ^j ≤ g/h
        (g1, g2), (h1, h2), s = g.as_integer_ratio(), h.as_integer_ratio(), self.grid.step
        self.work.spend(12, n.bit_length() + size(g) + self.bits, d.bit_length() + size(h) + self.bits)
        if not self.pessimistic:  # k', which is k, or k + 1 if (g/h)² > ρ^(2k+1)
            far = ((g1 * h2 * d) ** 2 << s) > (h1 * g2 * n) ** 2 * ((1 << s) + 1)
            return [Piece(k, j + far, self._x(g1, g2), self._y(h1, h2))]
        # c = (g − h ρ^k) / (ρ^(k+1) − ρ^k); c and h, with g2 h2 n as their denominator, are
        c, whole = g1 * h2 * d - h1 * g2 * n << s, h1 * g2 * n
        of_x, of_y = g2 * h2 * d, g2 * h2 * n
        if not c:  # g/h = ρ^k: the one piece (k, g, h)
            return [Piece(k, j, self._x(g1, g2), self._y(h1, h2))]
        return [  # (k, (h−c) ρ^k, h−c) and (k+1, c ρ^(k+1), c)
            Piece(k, j, self._x(whole - c, of_x), self._y(whole - c, of_y)),
            Piece(k, j + 1, self._x(c * ((1 << s) + 1), of_x << s), self._y(c, of_y)),
        ]

    def _x(self, above: int, below: int) -> int:
        """⌈g' 2^bits⌉ in the pessimistic pass, ⌊g' 2^bits⌋ in the optimistic one."""
        return -((-above << self.bits) // below) if self.pessimistic else (above << self.bits) // below

    def _y(self, above: int, below: int) -> int:
        """⌊h' 2^bits⌋ in the pessimistic pass, ⌈h' 2^bits⌉ in the optimistic one."""
        return (above << self.bits) // below if self.pessimistic else -((-above << self.bits) // below)

    def run(self) -> dict[int, Weights]:
        one = 1 << self.bits
        held = {0: Content(0, 1, one, one, one, one)} if self.pieces else {}  # X = Y = 2^bits in cell 0
        for _ in range(self.grid.rounds):
            moving = [u for u in held if self.pieces[u]]
            if not moving:  # no inner node has anything
                break
            arriving: dict[int, list[Content]] = {}
            for u in moving:
                cells = held.pop(u)
                for piece in self.pieces[u]:
                    arriving.setdefault(piece.k, []).append(self._moved(cells, piece))
            self.work.hold(sum(map(len, arriving.values())), 0)
            for k, parts in arriving.items():
                got = self._rounded(self._joined(parts))
                if got.x or got.y:
                    held[k] = self._joined([held[k], got]) if k in held else got  # leaves keep what they get
        return {u: self._unpacked(cells) for u, cells in held.items()}

    def _moved(self, cells: Content, piece: Piece) -> Content:
        """What a piece takes along, times 4^bits: the sums are rounded, not the terms."""
        low, count, x, y, most_x, most_y = cells
        self.work.spend(2, count * self.width, self.bits)
        if (
            piece.j is None
        ):  # the sum of all X of u, times g, to the one cell; 2^width is 1 modulo this number
            x, y = x % ((1 << self.width) - 1), y % ((1 << self.width) - 1)
            return Content(0, 1, x * piece.g, y * piece.h, most_x * piece.g, most_y * piece.h)
        return Content(low + piece.j, count, x * piece.g, y * piece.h, most_x * piece.g, most_y * piece.h)

    def _joined(self, parts: Sequence[Content]) -> Content:
        """The sum of cells that stay below 2^width − 2^bits. Raises: TooLarge where they do not."""
        low = min(part.low for part in parts)
        count = max(part.low + part.cells for part in parts) - low
        most_x, most_y = (sum(part[side] for part in parts) for side in (4, 5))
        if max(most_x, most_y) >= (1 << self.width) - (1 << self.bits):
            raise TooLarge(f"with {self.bits} bits the errors of a grid grow beyond all measure")
        self.work.spend(len(parts), count * self.width)
        self.work.hold(2 * len(parts) + 4, count * self.width)
        x, y = (sum(part[side] << (part.low - low) * self.width for part in parts) for side in (2, 3))
        return Content(low, count, x, y, most_x, most_y)

    def _rounded(self, cells: Content) -> Content:
        """All cells divided by 2^bits, and rounded."""
        low, count, x, y, most_x, most_y = cells
        while self.count < count:
            shift = self.count * self.width
            self.work.keep(2, shift)
            self.count, self.nearly, self.kept = (
                2 * self.count,
                self.nearly << shift | self.nearly,
                self.kept << shift | self.kept,
            )
        self.work.spend(2, count * self.width)
        nearly = self.nearly >> (self.count - count) * self.width
        x, y = (x + nearly, y) if self.pessimistic else (x, y + nearly)
        most_x, most_y = (most >> self.bits for most in (most_x, most_y))
        return Content(
            low, count, x >> self.bits & self.kept, y >> self.bits & self.kept, most_x + count, most_y + count
        )

    def _unpacked(self, cells: Content) -> Weights:
        """The cells as weights; their ratios are nobody's concern any more, and each has a number instead."""
        _, count, x, y, _, _ = cells
        size = self.width // 8
        self.work.keep(2 * count, self.width)
        xs, ys = (number.to_bytes(count * size, "little") for number in (x, y))
        cut = [slice(start, start + size) for start in range(0, count * size, size)]
        pairs = ((int.from_bytes(xs[s], "little"), int.from_bytes(ys[s], "little")) for s in cut)
        return Weights(
            {(n, 1): pair for n, pair in enumerate(pairs) if any(pair)}, 1 << self.bits, 1 << self.bits
        )


class _Powers:
    """The powers of ρ = (2^step + 1) / 2^step, as exact numbers."""

    def __init__(self, step: int, work: Work) -> None:
        self.step, self.work = step, work
        self.squares = [(1 << step) + 1]  # the numerators of ρ, ρ², ρ⁴, ...

    def below(self, r: Fraction) -> tuple[int, int, int]:
        """The largest k with ρ^k ≤ r, and ρ^k as two numbers. Requires: r > 0."""
        if r >= 1:
            k, n, _ = self._up_to(r)
            return k, n, 1 << k * self.step
        k, n, exact = self._up_to(1 / r)
        if not exact:  # ρ^k < 1/r < ρ^(k+1)
            k, n = k + 1, n * self.squares[0]
        return -k, 1 << k * self.step, n

    def _up_to(self, r: Fraction) -> tuple[int, int, bool]:
        """The largest k ≥ 0 with ρ^k ≤ r, the numerator of ρ^k, and whether it is r. Requires: r ≥ 1."""
        i = 0
        while self._at_most(self._square(i), 1 << i, r):
            i += 1
        k, n = 0, 1
        while i > 0:
            i -= 1
            square = self._square(i)
            self.work.spend(1, n.bit_length(), square.bit_length())
            if self._at_most(n * square, k + (1 << i), r):
                k, n = k + (1 << i), n * square
        return k, n, n * r.denominator == r.numerator << k * self.step

    def _square(self, i: int) -> int:
        if i == len(self.squares):
            last = self.squares[-1]
            self.work.spend(1, last.bit_length(), last.bit_length())
            self.work.keep(1, 2 * last.bit_length())
            self.squares.append(last * last)
        return self.squares[i]

    def _at_most(self, n: int, k: int, r: Fraction) -> bool:
        """n / 2^(k step) ≤ r."""
        self.work.spend(2, n.bit_length() + k * self.step, size(r))
        return n * r.denominator <= r.numerator << k * self.step

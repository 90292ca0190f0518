"""A path as independent events, and the integral of each.

Where a step stores its sample whatever it is, what follows does not depend on what came before. So a path
falls apart into *segments* between such steps, and into samples that are compared with nothing. Their
probabilities multiply, and equal ones are computed once.

A segment is a sequence of *stages*: a sample Z_k is stored, and samples of their own are compared with it.
The samples of a stage are independent given the stored value, so their order does not matter: equal ones are
counted and become a power, even if a cycle of the automaton interleaves them. With f_k(x) the density of the
stored value, jointly with everything up to the end of stage k,

    f_0(y) = w_0(y),    f_k(y) = w_k(y) * integral of f_{k-1} over x <= y  (if Z_k >= x is demanded; x > y
                                                                            for Z_k < x)

where w_k(y) is the density of Z_k, zero outside its interval, times the probabilities of the comparisons.
The probability of the segment is the integral of the last f_k. All of this takes place on one grid, cut at
all means and ends of intervals of the segment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from flint import arb, fmpq

from bdist.budget import Budget
from bdist.dipa.automaton import Guard
from bdist.dipa.laplace import Factor, Interval, Laplace
from bdist.dipa.piecewise import Cell, Exponentials, Piecewise, cut_line, product


@dataclass(frozen=True, slots=True)
class Draw:
    """A sample that must fall into an interval, and on the side of x that the guard demands."""

    noise: Laplace
    interval: Interval
    guard: Guard


@dataclass(frozen=True, slots=True)
class Stage:
    """A sample that is stored, and the samples that are compared with it, each with its multiplicity."""

    stored: Draw
    compared: tuple[tuple[Draw, int], ...]

    def points(self) -> Iterator[fmpq]:
        """Where a density or a comparison changes its form."""
        for draw in (self.stored, *(draw for draw, _ in self.compared)):
            yield draw.noise.mean
            yield from draw.interval.ends

    def weight(self, cell: Cell) -> Exponentials:
        """The function w of the essay on a cell; without terms where it is zero."""
        if cell.misses(self.stored.interval):
            return {}
        factors: list[tuple[Factor, int]] = [(self.stored.noise.density(cell, cell.origin), 1)]
        for draw, count in self.compared:
            upward = draw.guard is Guard.AT_LEAST
            factor = draw.noise.comparison(
                upward=upward, interval=draw.interval, cell=cell, origin=cell.origin
            )
            if factor is None:
                return {}
            factors.append((factor, count))
        return product(factors)


Segment = tuple[Stage, ...]


@dataclass(frozen=True)
class Events:
    """The independent events of a path, each with its multiplicity."""

    alone: Counter[Draw]
    segments: Counter[Segment]

    def probability(self, budget: Budget) -> arb:
        """At the precision that is set. Raises: Stopped where the budget is used up."""
        result = arb(1)
        for draw, count in self.alone.items():
            result *= draw.noise.mass(draw.interval) ** count
        for segment, count in self.segments.items():
            result *= segment_probability(segment, budget) ** count
        return result


def segment_probability(segment: Segment, budget: Budget) -> arb:
    """The integral over all stored values of a segment. Raises: Stopped where the budget is used up."""
    cells = cut_line(point for stage in segment for point in stage.points())
    density = Piecewise.one(cells, budget)
    for number, stage in enumerate(segment):
        if number:
            upward = stage.stored.guard is Guard.AT_LEAST
            density = density.integral_below() if upward else density.integral_above()
        density = density.times(stage.weight)
    return density.total()

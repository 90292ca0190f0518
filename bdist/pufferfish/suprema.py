"""The supremum of a quotient of polynomials on a box: where it seems to be, and what it is there.

Floats look for it, on a grid and then by descent along the axes; the place is rounded to the simplest
numbers nearby, and to the edge of the box where it is close to it. Suprema of privacy losses are nearly
always at corners, as p comes to 0 or 1, and there the value is exact once the numerator and the denominator
have lost what they have in common. What is found is a lower bound and no more; Bernstein coefficients prove
that nothing is above it (`parametric_search`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt

from bdist.exact.bernstein import Box
from bdist.exact.polynomials import Element, plain, value_at
from bdist.exact.rationals import simplest_between

Floats = npt.NDArray[np.float64]

_GRID = {1: 33, 2: 13, 3: 7, 4: 5}
_ROUNDS = 60
_NEAR_EDGE = 1e-4
_SHRINK = 0.7


@dataclass(frozen=True)
class Place:
    """A point of the closed box, and the ratio there, or its limit there; None is an infinite one.

    ``inside`` says whether it is an inner point, where the ratio is attained.
    """

    point: tuple[Fraction, ...]
    ratio: Fraction | None
    inside: bool

    def beats(self, other: Place | None) -> bool:
        """Whether its ratio is larger, or it is as large and attained."""
        if other is None:
            return True
        if self.ratio == other.ratio:
            return self.inside and not other.inside
        return other.ratio is not None and (self.ratio is None or self.ratio > other.ratio)


def best_place(above: Element, below: Element, box: Box) -> Place | None:
    """A place where above/below is large, hopefully its supremum. None where no place was found.

    Requires: both are nowhere negative on the box and have nothing in common; below is not 0.
    """
    found: Place | None = None
    for point in _candidates(above, below, box):
        place = place_at(above, below, box, point)
        if place is not None and place.beats(found):
            found = place
    return found


def place_at(above: Element, below: Element, box: Box, point: Sequence[Fraction]) -> Place | None:
    """The ratio at a point; None where it is 0/0 there."""
    inside = all(low < x < high for x, (low, high) in zip(point, box, strict=True))
    top, bottom = value_at(above, point), value_at(below, point)
    if bottom:
        return Place(tuple(point), top / bottom, inside)
    return Place(tuple(point), None, inside) if top else None


def inner_points(point: Sequence[Fraction], box: Box) -> Iterator[tuple[Fraction, ...]]:
    """Simple inner points that come closer and closer to a point of the closed box."""
    middle = [(low + high) / 2 for low, high in box]
    for k in range(1, 60):
        near = [x + (m - x) / 2**k for x, m in zip(point, middle, strict=True)]
        yield tuple(
            _simple_near(x, (high - low) / 2 ** (k + 4), low, high)
            for x, (low, high) in zip(near, box, strict=True)
        )


def _candidates(above: Element, below: Element, box: Box) -> Iterator[tuple[Fraction, ...]]:
    yield tuple((low + high) / 2 for low, high in box)
    if len(box) <= 8:
        yield from product(*box)
    for approx in _maxima_approx(above, below, box):
        yield _rounded(approx, box, to_edges=True)
        yield _rounded(approx, box, to_edges=False)


def _maxima_approx(above: Element, below: Element, box: Box) -> list[list[float]]:
    """Local maxima of the quotient in floats, from the best points of a grid."""
    lows = np.array([float(low) for low, _ in box])
    widths = np.array([float(high - low) for low, high in box])
    top, bottom = _Evaluated(above, len(box)), _Evaluated(below, len(box))

    def ratios(points: Floats) -> Floats:
        places = lows + widths * points
        with np.errstate(divide="ignore", invalid="ignore"):
            values = top(places) / bottom(places)
        return np.nan_to_num(values, nan=0.0, posinf=1e300)

    axis = np.linspace(0, 1, _GRID.get(len(box), 3))
    axis[0], axis[-1] = 1e-6, 1 - 1e-6
    grid = np.array(list(product(axis, repeat=len(box))))
    order = np.argsort(ratios(grid))[::-1][:4]
    return [(lows + widths * _ascended_approx(grid[k], ratios)).tolist() for k in order]


def _ascended_approx(start: Floats, ratios: Callable[[Floats], Floats]) -> Floats:
    """Pattern search: a step along every axis, either way; shorter steps when none is better."""
    point, step = start.copy(), 0.25
    moves = np.vstack([np.eye(len(start)), -np.eye(len(start))])
    best = float(ratios(point[None, :])[0])
    for _ in range(_ROUNDS):
        tried = np.clip(point + step * moves, 1e-9, 1 - 1e-9)
        values = ratios(tried)
        k = int(np.argmax(values))
        if values[k] > best:
            best, point = float(values[k]), tried[k]
        else:
            step *= _SHRINK**2
    return point


class _Evaluated:
    """A polynomial in floats, on many points at once."""

    def __init__(self, element: Element, parameters: int) -> None:
        found = plain(element).terms
        self._exponents = np.array([e for e, _ in found], dtype=np.float64).reshape(len(found), parameters)
        self._values = np.array([_as_float(value) for _, value in found])

    def __call__(self, points: Floats) -> Floats:
        powers = np.prod(points[:, None, :] ** self._exponents[None, :, :], axis=2)
        return np.asarray(powers @ self._values)


def _as_float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return 1e300


def _rounded(approx: Sequence[float], box: Box, *, to_edges: bool) -> tuple[Fraction, ...]:
    point = []
    for x, (low, high) in zip(approx, box, strict=True):
        width = high - low
        exact = Fraction(x)
        if to_edges and exact - low < width * Fraction(_NEAR_EDGE):
            point.append(low)
        elif to_edges and high - exact < width * Fraction(_NEAR_EDGE):
            point.append(high)
        else:
            precision = Fraction(1, 10**4) if to_edges else Fraction(1, 10**8)
            point.append(_simple_near(exact, width * precision, low, high))
    return tuple(point)


def _simple_near(x: Fraction, distance: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """The simplest fraction near x and strictly inside the range."""
    left, right = max(x - distance, low), min(x + distance, high)
    if left < 0 < right:
        return Fraction(0)
    sign = -1 if right <= 0 else 1
    ends = sorted((sign * left, sign * right))
    open_ends = {sign * low, sign * high}
    found = simplest_between(*ends, open_low=ends[0] in open_ends, open_high=ends[1] in open_ends)
    return x if found is None else sign * found

"""Polynomials that are nowhere negative on a box, shown by their Bernstein coefficients.

Written in the Bernstein basis of a box, whose members are nonnegative and sum to 1, a polynomial lies between
its least and its largest coefficient there; so coefficients >= 0 prove that it is nowhere negative, with
integer additions and multiplications only. Where they do not, the box is cut: on small boxes the coefficients
come close to the values. A polynomial that is positive on a box is shown to be so after finitely many cuts.
One that touches 0 is, if it does so at corners of boxes; cuts go to the simplest fraction in the middle part
of a side, so that zeros at 1/2, 1/3 or 2/5 become corners early.

Decided against: sums of squares, which need a semidefinite solver and rounding, and cylindrical algebraic
decomposition, which is complete and whose traces nobody can check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod

from flint import fmpq

from bdist.errors import InternalError
from bdist.exact.rationals import simplest_between, to_fmpq, to_fraction
from bdist.pufferfish.polynomials import Element

Box = tuple[tuple[Fraction, Fraction], ...]

DECLARED_BOXES = 4096  # that pufferfish/SPEC.md allows for a formula of a model
MOST_BOXES = 20_000
MOST_COEFFICIENTS = 200_000
DEEPEST = 48  # cuts within each other: a certificate writes them as arrays within arrays


@dataclass(frozen=True, slots=True)
class Cut:
    """A box cut in two, at a value of the parameter with that number; below is the part with less."""

    axis: int
    at: Fraction
    below: Cover
    above: Cover


Cover = Cut | None  # None is a box with coefficients >= 0


@dataclass(frozen=True, slots=True)
class Negative:
    """A point of the closed box where a polynomial is negative."""

    point: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Undecided:
    """Neither a proof nor a negative point within that many boxes; the box where it went on longest."""

    boxes: int
    where: Box


def bernstein_coefficients(f: Element, box: Box) -> tuple[list[fmpq], tuple[int, ...]]:
    """All coefficients, the last parameter running fastest, and the degrees of f, to which they belong."""
    degrees = tuple(max(int(degree), 0) for degree in f.degrees())
    sizes = [degree + 1 for degree in degrees]
    result = [fmpq(0)] * prod(sizes)
    moved = f
    if box:
        sides = zip(f.context().gens(), box, strict=True)
        onto = (to_fmpq(low) + to_fmpq(high - low) * x for x, (low, high) in sides)
        moved = f.compose(*onto, ctx=f.context())
    strides = _strides(sizes)
    for exponents, value in moved.to_dict().items():
        place = sum(int(e) * stride for e, stride in zip(exponents, strides, strict=True))
        weight = prod(comb(degree, int(e)) for degree, e in zip(degrees, exponents, strict=True))
        result[place] = value / weight
    for size, stride in zip(sizes, strides, strict=True):
        _sum_along(result, size, stride)
    return result, degrees


def shown_nonnegative(f: Element, box: Box) -> bool:
    """Whether f is shown to be >= 0 on the box by halving it, as pufferfish/SPEC.md section 1 says."""
    boxes, stack = 0, [(box, 0)]
    while stack:
        part, depth = stack.pop()
        boxes += 1
        if boxes > DECLARED_BOXES:
            return False
        coefficients, degrees = bernstein_coefficients(f, part)
        if min(coefficients) >= 0:
            continue
        if any(coefficients[place] < 0 for place, _ in _corners(part, degrees)):
            return False
        axis = depth % len(part)
        low, high = part[axis]
        stack += [(half, depth + 1) for half in _halves(part, axis, (low + high) / 2)]
    return True


def cover_nonnegative(
    f: Element, box: Box, stop: Callable[[], object] = lambda: None
) -> Cover | Negative | Undecided:
    """A tree of boxes that proves f >= 0 on a box, a point where it is not, or neither within the limits.

    It gives up where ``stop`` returns something that is true.
    """
    count = 0

    def cover(part: Box, depth: int) -> Cover | Negative | Undecided:
        nonlocal count
        count += 1
        coefficients, degrees = bernstein_coefficients(f, part)
        if min(coefficients) >= 0:
            return None
        for place, corner in _corners(part, degrees):
            if coefficients[place] < 0:
                return Negative(corner)
        if count >= MOST_BOXES or depth >= DEEPEST or stop():
            return Undecided(count, part)
        axis = _widest(part, box, degrees)
        at = _middle(*part[axis])
        halves = []
        for half in _halves(part, axis, at):
            found = cover(half, depth + 1)
            if isinstance(found, Negative | Undecided):
                return found
            halves.append(found)
        return Cut(axis, at, *halves)

    if prod(int(degree) + 1 for degree in f.degrees()) > MOST_COEFFICIENTS:
        return Undecided(0, box)
    return cover(box, 0)


def least_coefficient(f: Element, box: Box) -> Fraction:
    """A lower bound of f on a box."""
    return to_fraction(min(bernstein_coefficients(f, box)[0]))


def _strides(sizes: Sequence[int]) -> list[int]:
    return [prod(sizes[axis + 1 :]) for axis in range(len(sizes))]


def _sum_along(values: list[fmpq], size: int, stride: int) -> None:
    """b_I = sum over J <= I of C(I, J) a_J along one axis, in place."""
    if size == 1:
        return
    for start in range(len(values)):
        if start // stride % size:
            continue
        line = values[start : start + size * stride : stride]
        # Pascal's triangle, a row a round: C(i, j) = C(i - 1, j) + C(i - 1, j - 1)
        for j in range(1, size):
            for i in range(size - 1, j - 1, -1):
                line[i] = line[i] + line[i - 1]
        values[start : start + size * stride : stride] = line


def _corners(box: Box, degrees: Sequence[int]) -> list[tuple[int, tuple[Fraction, ...]]]:
    """The corners of a box, each with the place among the coefficients where the value of f there stands."""
    corners: list[tuple[int, tuple[Fraction, ...]]] = [(0, ())]
    strides = _strides([degree + 1 for degree in degrees])
    for (low, high), degree, stride in zip(box, degrees, strides, strict=True):
        ends = ((0, low), (degree * stride, high)) if degree else ((0, low),)
        corners = [(place + step, (*corner, end)) for place, corner in corners for step, end in ends]
    return corners


def _widest(part: Box, whole: Box, degrees: Sequence[int]) -> int:
    """The axis along which the part is widest, compared with the whole box, of those that f depends on."""
    axes = [axis for axis, degree in enumerate(degrees) if degree]
    if not axes:
        raise InternalError("a constant that is negative has a negative corner")
    return max(axes, key=lambda k: (part[k][1] - part[k][0]) / (whole[k][1] - whole[k][0]))


def _middle(low: Fraction, high: Fraction) -> Fraction:
    quarter = (high - low) / 4
    left, right = low + quarter, high - quarter
    if left <= 0 <= right:
        return Fraction(0)
    if right < 0:
        return -_middle(-high, -low)
    found = simplest_between(left, right)
    if found is None:
        raise InternalError(f"there is no fraction between {left} and {right}")
    return found


def _halves(box: Box, axis: int, at: Fraction) -> tuple[Box, Box]:
    low, high = box[axis]
    return (*box[:axis], (low, at), *box[axis + 1 :]), (*box[:axis], (at, high), *box[axis + 1 :])

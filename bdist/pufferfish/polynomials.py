"""Polynomials and their quotients in a few named parameters, exact, and proofs that one is nowhere negative.

An entry of a model with parameters is a number or a quotient of two polynomials. As data it is plain: a
polynomial is its terms, sorted, with exponents in the order of the parameters' names. It can be compared,
hashed, sent to another process. To compute, a `Ring` turns it into FLINT's polynomials, which are fast and
none of that, and back.

Quotients are never cancelled. What is written in a file is then what is hashed, and a second reader, which
has no algorithm for common divisors, comes to the same quotient (pufferfish/SPEC.md section 1 has the rules).

*Nowhere negative on a box*, shown by Bernstein coefficients. Written in the Bernstein basis of a box, whose
members are nonnegative and sum to 1, a polynomial lies between its least and its largest coefficient there;
so coefficients >= 0 prove that it is nowhere negative, with integer additions and multiplications only. Where
they do not, the box is cut: on small boxes the coefficients come close to the values. A polynomial that is
positive on a box is shown to be so after finitely many cuts. One that touches 0 is, if it does so at corners
of boxes; cuts go to the simplest fraction in the middle part of a side, so that zeros at 1/2, 1/3 or 2/5
become corners early.

Decided against: sums of squares, which need a semidefinite solver and rounding, and cylindrical algebraic
decomposition, which is complete and whose traces nobody can check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, prod
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from bdist.errors import InternalError
from bdist.exact.rationals import rational_text, simplest_between, to_fmpq, to_fraction

Exponents = tuple[int, ...]
Element = fmpq_mpoly


@dataclass(frozen=True, slots=True)
class Polynomial:
    """The nonzero terms of a polynomial, sorted by exponents; none of them is the polynomial 0."""

    terms: tuple[tuple[Exponents, Fraction], ...]

    @property
    def is_constant(self) -> bool:
        """Whether no parameter occurs in it."""
        return all(not any(exponents) for exponents, _ in self.terms)


@dataclass(frozen=True, slots=True)
class Quotient:
    """A numerator over a denominator that is not 0, in the normal form of pufferfish/SPEC.md."""

    numerator: Polynomial
    denominator: Polynomial


Entry = Fraction | Quotient


@dataclass(frozen=True)
class Ring:
    """Polynomials in parameters with these names, which are sorted."""

    names: tuple[str, ...]

    @cached_property
    def context(self) -> Any:
        """FLINT's context, in which the largest term is the one with the largest exponents."""
        return fmpq_mpoly_ctx.get(self.names, Ordering.lex)

    def element(self, polynomial: Polynomial) -> Element:
        """A polynomial to compute with."""
        element: Element = self.context.from_dict(
            {exponents: to_fmpq(value) for exponents, value in polynomial.terms}
        )
        return element

    def constant(self, value: Fraction | int) -> Element:
        """A number as a polynomial."""
        element: Element = self.context.constant(to_fmpq(value))
        return element

    def parameter(self, name: str) -> Element:
        """A parameter as a polynomial."""
        element: Element = self.context.gen(self.names.index(name))
        return element

    def fraction_of(self, entry: Entry) -> tuple[Element, Element]:
        """Numerator and denominator of an entry."""
        if isinstance(entry, Fraction):
            return self.constant(entry), self.constant(1)
        return self.element(entry.numerator), self.element(entry.denominator)


def plain(element: Element) -> Polynomial:
    """A polynomial as data."""
    terms = (
        (tuple(map(int, exponents)), to_fraction(value)) for exponents, value in element.to_dict().items()
    )
    return Polynomial(tuple(sorted(terms)))


def number_in(element: Element) -> Fraction | None:
    """The value of a constant polynomial; None where a parameter occurs."""
    if not element.is_constant():
        return None
    return Fraction(0) if element.is_zero() else to_fraction(element.leading_coefficient())


def value_at(element: Element, point: Sequence[Fraction]) -> Fraction:
    """The value of a polynomial, with the parameters in the order of the ring."""
    return to_fraction(element(*map(to_fmpq, point)))


def entry_at(entry: Entry, ring: Ring, point: Mapping[str, Fraction]) -> Fraction | None:
    """The value of an entry; None where its denominator is 0."""
    if isinstance(entry, Fraction):
        return entry
    values = [point[name] for name in ring.names]
    above, below = (value_at(part, values) for part in ring.fraction_of(entry))
    return None if below == 0 else above / below


def entry_text(entry: Entry, names: Sequence[str]) -> str:
    """An entry as a formula that reads back as the same entry."""
    if isinstance(entry, Fraction):
        return rational_text(entry)
    above = polynomial_text(entry.numerator, names)
    below = polynomial_text(entry.denominator, names)
    if below == "1":
        return above
    return f"({above})/({below})"


def polynomial_text(polynomial: Polynomial, names: Sequence[str]) -> str:
    """A polynomial as a formula without blanks, the largest terms first, unless that begins with a minus."""
    parts: list[str] = []
    terms = polynomial.terms
    for exponents, value in terms if terms and terms[-1][1] < 0 else reversed(terms):
        powers = [
            name if exponent == 1 else f"{name}^{exponent}"
            for name, exponent in zip(names, exponents, strict=True)
            if exponent
        ]
        size = rational_text(abs(value))
        factors = powers if size == "1" and powers else [size, *powers]
        parts.append(("-" if value < 0 else "+" if parts else "") + "*".join(factors))
    return "".join(parts) or "0"


def largest_degree(element: Element) -> int:
    """The largest exponent of any parameter."""
    return max(map(int, element.degrees()), default=0)


def added(left: tuple[Element, Element], right: tuple[Element, Element]) -> tuple[Element, Element]:
    """The sum of two quotients, by the rule of pufferfish/SPEC.md."""
    if left[1] == right[1]:
        return left[0] + right[0], left[1]
    return left[0] * right[1] + right[0] * left[1], left[1] * right[1]


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

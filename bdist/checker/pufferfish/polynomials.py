"""Polynomials in a few parameters: a dictionary from exponents to coefficients, and nothing that is zero.

The entries of a hidden Markov model may depend on parameters, so a proof compares polynomials. What that
takes is little: sums, products, values at a point or along a line, and a common denominator. A polynomial
is a plain dictionary ``{exponents: coefficient}`` without zeros, so the polynomial 0 is the empty one, and
false; the exponents are a tuple, one for each parameter in the order of their names. The coefficients are
fractions where a model is read, and integers where it is followed.

Exponents packed into one integer would be two or three times as fast. They would also have to be kept from
running into each other in products of a million factors, and that is one thing more to believe. Every
product is counted as work before it is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd
from operator import add as plus
from typing import TypeVar

from ..core.digits import size
from ..core.limits import PIECE, Work
from ..core.vectors import least_common_multiple

Exponents = tuple[int, ...]
Polynomial = dict[Exponents, int]
RationalPolynomial = dict[Exponents, Fraction]

_C = TypeVar("_C", int, Fraction)


def constant(value: _C, parameters: int) -> dict[Exponents, _C]:
    """A number as a polynomial in so many parameters."""
    return {(0,) * parameters: value} if value else {}


def is_constant(polynomial: Mapping[Exponents, _C]) -> bool:
    """Whether no parameter occurs."""
    return not any(map(any, polynomial))


def longest(polynomials: Iterable[Mapping[Exponents, int]]) -> int:
    """The bits of the longest coefficient."""
    return max((c.bit_length() for polynomial in polynomials for c in polynomial.values()), default=0)


def add(left: dict[Exponents, _C], right: dict[Exponents, _C], work: Work) -> dict[Exponents, _C]:
    """The sum. Raises: TooLarge."""
    work.spend(len(left) + len(right), _bits(left), _bits(right))
    found = dict(left)
    for exponents, c in right.items():
        total = found.get(exponents, 0) + c
        if total:
            found[exponents] = total
        else:
            del found[exponents]
    return found


def negate(polynomial: dict[Exponents, _C]) -> dict[Exponents, _C]:
    """The polynomial times −1."""
    return {exponents: -c for exponents, c in polynomial.items()}


def times(factor: _C, polynomial: dict[Exponents, _C]) -> dict[Exponents, _C]:
    """The polynomial times a number that is not 0."""
    return {exponents: factor * c for exponents, c in polynomial.items()}


def multiply(left: dict[Exponents, _C], right: dict[Exponents, _C], work: Work) -> dict[Exponents, _C]:
    """The product. Raises: TooLarge."""
    found: dict[Exponents, _C] = {}
    add_product(found, left, right, work)
    return {exponents: c for exponents, c in found.items() if c}


def add_product(
    total: dict[Exponents, _C], left: dict[Exponents, _C], right: dict[Exponents, _C], work: Work
) -> None:
    """Add a product to a sum that is being made, in which terms may come to 0. Raises: TooLarge."""
    work.spend(len(left) * len(right), _bits(left), _bits(right))
    for e, x in left.items():
        for f, y in right.items():
            exponents = tuple(map(plus, e, f))
            total[exponents] = total.get(exponents, 0) + x * y


def product(
    factors: Iterable[dict[Exponents, _C]], one: dict[Exponents, _C], work: Work
) -> dict[Exponents, _C]:
    """The product of any number of factors. Raises: TooLarge."""
    found = one
    for factor in factors:
        found = multiply(found, factor, work)
    return found


def degrees(polynomial: Mapping[Exponents, _C], parameters: int) -> list[int]:
    """The degree in each parameter, which is 0 for the polynomial 0."""
    return [max((e[i] for e in polynomial), default=0) for i in range(parameters)]


def value_at(polynomial: RationalPolynomial, point: Sequence[Fraction], work: Work) -> Fraction:
    """The value where the parameters have these values. Raises: TooLarge."""
    total = Fraction(0)
    for exponents, c in polynomial.items():
        term = c
        for x, e in zip(point, exponents, strict=True):
            if e:
                work.reduce(e * size(x))
                power = x**e
                work.reduce(size(term) + size(power))
                term *= power
        work.reduce(size(total) + size(term))
        total += term
    return total


def cleared(polynomials: Sequence[RationalPolynomial], work: Work) -> tuple[list[Polynomial], int]:
    """Polynomials times one positive integer that makes all coefficients integers, and that integer.

    Raises: TooLarge.
    """
    denominators = {c.denominator for polynomial in polynomials for c in polynomial.values()}
    m = least_common_multiple(denominators, work)
    terms = sum(map(len, polynomials))
    work.spend(terms, m.bit_length(), max((_bits(polynomial) for polynomial in polynomials), default=0))
    work.keep(terms, m.bit_length())
    scaled = [
        {exponents: c.numerator * (m // c.denominator) for exponents, c in polynomial.items()}
        for polynomial in polynomials
    ]
    return scaled, m


def primitive(vectors: Sequence[dict[int, Polynomial]], work: Work) -> list[dict[int, Polynomial]]:
    """Vectors divided by the greatest common divisor of all their coefficients. Raises: TooLarge."""
    numbers = [c for vector in vectors for polynomial in vector.values() for c in polynomial.values()]
    bits = max(map(int.bit_length, numbers), default=0)
    work.spend(4 * len(numbers), bits, bits)
    common = gcd(*numbers)
    if common <= 1:
        return list(vectors)
    work.spend(len(numbers), bits, common.bit_length())
    return [
        {place: {e: c // common for e, c in polynomial.items()} for place, polynomial in vector.items()}
        for vector in vectors
    ]


def _bits(polynomial: Mapping[Exponents, _C]) -> int:
    """The bits of the longest coefficient, or 0 where that is short and makes no difference."""
    bits = max((_length(c) for c in polynomial.values()), default=0)
    return bits if bits >= PIECE else 0


def _length(c: int | Fraction) -> int:
    return c.bit_length() if isinstance(c, int) else size(c)

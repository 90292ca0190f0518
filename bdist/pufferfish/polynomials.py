"""Polynomials and quotients of them in a few named parameters, exact.

An entry of a model with parameters is a number or a quotient of two polynomials. As data it is plain: a
polynomial is its terms, sorted, with exponents in the order of the parameters' names. It can be compared,
hashed, sent to another process. To compute, a `Ring` turns it into FLINT's polynomials, which are fast and
none of that, and back.

Quotients are never cancelled. What is written in a file is then what is hashed, and a second reader, which
has no algorithm for common divisors, comes to the same quotient (pufferfish/SPEC.md section 1 has the rules).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import Ordering, fmpq_mpoly, fmpq_mpoly_ctx

from bdist.exact.rationals import rational_text, to_fmpq, to_fraction

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

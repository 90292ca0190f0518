"""Formulas: the quotients of polynomials that a hidden Markov model has for probabilities.

A formula is read by descent along its grammar (SPEC-PUFFERFISH section 1), and computed on the way as a
pair of polynomials, num and den, by the rules of the specification: nothing is cancelled but a constant.
Two readers that cancelled differently would give different fingerprints to one file.

A short text can stand for a large polynomial, as ``(a+b+c+d+e+f+g+h)^64`` does, so every intermediate
result is within limits, and every product is counted as work before it is made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from ..core.chain import shown
from ..core.digits import BadNumber, rational_text, read_number
from ..core.limits import ROW_BITS, Work
from .boxes import Box, shown_at_least_zero
from .polynomials import (
    RationalPolynomial,
    add,
    cleared,
    constant,
    degrees,
    is_constant,
    multiply,
    negate,
    times,
)

LARGEST_EXPONENT = 64
HIGHEST_DEGREE = 64
MOST_TERMS = 10_000
MOST_BITS = ROW_BITS  # of a numerator or denominator
DEEPEST = 64  # parentheses within each other

_TOKEN = re.compile(
    r"""[ \t\r]*+ (?:
        (?P<decimal> (?: [0-9]++ \.?+ [0-9]*+ | \.[0-9]++ ) (?: [eE] [+-]?+ [0-9]{1,12}+ )?+ )
      | (?P<letters> [A-Za-z_] [A-Za-z0-9_]*+ )
      | (?P<mark>    [-+*/^()] )
      | (?P<end>     \Z )
    )""",
    re.VERBOSE,
)
_DIGITS = re.compile(r"[0-9]+")


class BadFormula(Exception):
    """What is wrong with a formula; the message goes on after the formula itself."""


class Formula(NamedTuple):
    """A quotient of polynomials."""

    num: RationalPolynomial
    den: RationalPolynomial

    def form(self) -> str:
        """What stands for it in the canonical form."""
        if is_constant(self.num) and is_constant(self.den):  # and then den is 1
            return f'"{rational_text(next(iter(self.num.values()), Fraction(0)))}"'
        return f"[{_terms_form(self.num)},{_terms_form(self.den)}]"


def _terms_form(polynomial: RationalPolynomial) -> str:
    terms = (f'[[{",".join(map(str, e))}],"{rational_text(c)}"]' for e, c in sorted(polynomial.items()))
    return f"[{','.join(terms)}]"


class Calculator:
    """Formulas in the parameters of a model, computed within the limits. Raises: BadFormula, TooLarge."""

    def __init__(self, parameters: Mapping[str, int], box: Box, work: Work) -> None:
        """The parameters have numbers, those of their ranges in the box."""
        self._parameters, self._box, self._work = parameters, box, work
        self.one = constant(Fraction(1), len(box))
        self.zero = Formula({}, self.one)

    def read(self, text: str) -> tuple[Formula, frozenset[str]]:
        """What a formula is, not yet in the form of the specification, and the letters in it."""
        reading = _Reading(text, self._parameters, self)
        return reading.whole(), frozenset(reading.letters)

    def number(self, value: Fraction) -> Formula:
        """A number."""
        return self._within(Formula(constant(value, len(self._box)), self.one))

    def parameter(self, number: int) -> Formula:
        """A parameter."""
        exponents = tuple(int(place == number) for place in range(len(self._box)))
        return Formula({exponents: Fraction(1)}, self.one)

    def sum(self, left: Formula, right: Formula) -> Formula:
        """The sum, over the denominator if that is one and the same."""
        work = self._work
        (a, b), (c, d) = left, right
        if b == d:
            return self._within(Formula(add(a, c, work), b))
        crossed = add(multiply(a, d, work), multiply(c, b, work), work)
        return self._within(Formula(crossed, multiply(b, d, work)))

    def product(self, left: Formula, right: Formula) -> Formula:
        """The product."""
        (a, b), (c, d) = left, right
        return self._within(Formula(multiply(a, c, self._work), self._times(b, d)))

    def quotient(self, left: Formula, right: Formula) -> Formula:
        """The quotient."""
        (a, b), (c, d) = left, right
        if not c:
            raise BadFormula("divides by zero")
        return self._within(Formula(self._times(a, d), self._times(b, c)))

    def power(self, base: Formula, exponent: int) -> Formula:
        """The product of so many factors."""
        found = Formula(self.one, self.one)
        for _ in range(exponent):
            found = self.product(found, base)
        return found

    def normal(self, formula: Formula) -> Formula:
        """The form of the specification: over 1, or over a denominator that is ≥ 0 if that can be."""
        num, den = formula
        if not num:
            return self.zero
        if is_constant(den):
            (c,) = den.values()
            return self._within(Formula(times(1 / c, num), self.one))
        first = abs(den[max(den)])
        num, den = self._within(Formula(times(1 / first, num), times(1 / first, den)))
        if not self.is_shown(den) and self.is_shown(negate(den)):
            return Formula(negate(num), negate(den))
        return Formula(num, den)

    def is_shown(self, polynomial: RationalPolynomial) -> bool:
        """Whether a polynomial is shown to be ≥ 0 on the ranges of the parameters."""
        if all(c >= 0 for c in polynomial.values()) and is_constant(polynomial):
            return True
        (scaled,), _ = cleared([polynomial], self._work)
        return shown_at_least_zero(scaled, self._box, self._work)

    def _times(self, left: RationalPolynomial, right: RationalPolynomial) -> RationalPolynomial:
        if right == self.one:
            return left
        return multiply(left, right, self._work)

    def _within(self, formula: Formula) -> Formula:
        for polynomial in formula:
            if len(polynomial) > MOST_TERMS:
                raise BadFormula(f"has {len(polynomial)} terms on the way, and at most {MOST_TERMS} are read")
            if max(degrees(polynomial, len(self._box)), default=0) > HIGHEST_DEGREE:
                raise BadFormula(f"has a degree on the way that is beyond {HIGHEST_DEGREE}")
            for c in polynomial.values():
                if max(c.numerator.bit_length(), c.denominator.bit_length()) > MOST_BITS:
                    raise BadFormula(f"has a number on the way with more than {MOST_BITS} bits")
        return formula


class _Reading:
    """One formula, read from left to right."""

    def __init__(self, text: str, parameters: Mapping[str, int], calculator: Calculator) -> None:
        self._text, self._parameters, self._calculator = text, parameters, calculator
        self._position, self._depth = 0, 0
        self._kind, self._token = "", ""
        self.letters: set[str] = set()
        self._next()

    def whole(self) -> Formula:
        found = self._sum()
        if self._kind != "end":
            raise BadFormula(f"is not a formula: {shown(self._token)} stands where an operator should")
        return found

    def _next(self) -> None:
        match = _TOKEN.match(self._text, self._position)
        if match is None:
            rest = self._text[self._position :].lstrip(" \t\r")
            raise BadFormula(f"is not a formula: {shown(rest[:20])} is no part of one")
        self._kind = match.lastgroup or ""
        self._token, self._position = match[self._kind], match.end()

    def _take(self, *marks: str) -> str:
        """The next mark, if it is one of these, which is then behind; otherwise nothing."""
        token = self._token
        if self._kind != "mark" or token not in marks:
            return ""
        self._next()
        return token

    def _sum(self) -> Formula:
        sign = self._take("+", "-")
        found = self._product()
        if sign == "-":
            found = Formula(negate(found.num), found.den)
        while sign := self._take("+", "-"):
            other = self._product()
            if sign == "-":
                other = Formula(negate(other.num), other.den)
            found = self._calculator.sum(found, other)
        return found

    def _product(self) -> Formula:
        found = self._power()
        while sign := self._take("*", "/"):
            other = self._power()
            compute = self._calculator.product if sign == "*" else self._calculator.quotient
            found = compute(found, other)
        return found

    def _power(self) -> Formula:
        base = self._atom()
        if not self._take("^"):
            return base
        digits = self._token
        if self._kind != "decimal" or not _DIGITS.fullmatch(digits):
            raise BadFormula("is not a formula: an exponent is written in digits")
        self._next()
        significant = digits.lstrip("0") or "0"
        if len(significant) > 2 or int(significant) > LARGEST_EXPONENT:
            raise BadFormula(f"has an exponent of a power beyond {LARGEST_EXPONENT}")
        return self._calculator.power(base, int(significant))

    def _atom(self) -> Formula:
        kind, token = self._kind, self._token
        if kind == "decimal":
            self._next()
            try:
                return self._calculator.number(read_number(token))
            except BadNumber as problem:
                raise BadFormula(f"holds a number that {problem}") from None
        if kind == "letters":
            self._next()
            if token not in self._parameters:
                raise BadFormula(f"names {shown(token)}, which is not a parameter")
            self.letters.add(token)
            return self._calculator.parameter(self._parameters[token])
        if not self._take("("):
            found = "it ends" if kind == "end" else f"{shown(token)} stands"
            raise BadFormula(f"is not a formula: {found} where a number, a parameter or ( should stand")
        self._depth += 1
        if self._depth > DEEPEST:
            raise BadFormula(f"has more than {DEEPEST} parentheses within each other")
        found_sum = self._sum()
        if not self._take(")"):
            raise BadFormula("is not a formula: a parenthesis is not closed")
        self._depth -= 1
        return found_sum

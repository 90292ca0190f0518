"""Polynomials in a few parameters: what they are, where they are at least 0, and how formulas are read.

The entries of a hidden Markov model may depend on parameters, so a proof compares polynomials. What that
takes is little: sums, products, values at a point or along a line, and a common denominator. A polynomial
is a plain dictionary ``{exponents: coefficient}`` without zeros, so the polynomial 0 is the empty one, and
false; the exponents are a tuple, one for each parameter in the order of their names. The coefficients are
fractions where a model is read, and integers where it is followed.

Exponents packed into one integer would be two or three times as fast. They would also have to be kept from
running into each other in products of a million factors, and that is one thing more to believe. Every
product is counted as work before it is made.

*Bernstein coefficients* (SPEC section 1). On a box, a polynomial is a mixture of its Bernstein coefficients
with weights that are at least 0, so it is at least 0 where they are. That is a proof, and no search for a
minimum. The converse fails only near zeros of the polynomial, or where it is nearly 0; smaller boxes help
there. With x = l + (h − l) t and u = t / (1 − t), a power of x is

    x^k = (l + h u)^k (1 + u)^(n−k) / (1 + u)^n,

so the coefficients of u^I, when the powers are multiplied out, are C(n, I) times the Bernstein coefficient
b_I. With the common denominator D of l and h, multiplied in n times, they are integers. One parameter after
the other is treated like that, and signs are all that is looked at, so what is found is b_I up to a
positive factor that depends on I. A coefficient that is not in the dictionary is 0.

*Formulas* are the quotients of polynomials that a model has for probabilities. A formula is read by descent
along its grammar, and computed on the way as a pair of polynomials, num and den, by the rules of the
specification: nothing is cancelled but a constant. Two readers that cancelled differently would give
different fingerprints to one file. A short text can stand for a large polynomial, as
``(a+b+c+d+e+f+g+h)^64`` does, so every intermediate result is within limits, and every product is counted as
work before it is made.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm
from operator import add as plus
from typing import NamedTuple, TypeVar

from ..core.limits import PIECE, ROW_BITS, Work
from ..core.numbers import BadNumber, least_common_multiple, rational_text, read_number, scaled, size
from ..core.text import shown

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


def times(factor: _C, polynomial: dict[Exponents, _C]) -> dict[Exponents, _C]:
    """The polynomial times a number that is not 0."""
    return {exponents: factor * c for exponents, c in polynomial.items()}


def multiply(left: dict[Exponents, _C], right: dict[Exponents, _C], work: Work) -> dict[Exponents, _C]:
    """The product. Raises: TooLarge."""
    work.spend(len(left) * len(right), _bits(left), _bits(right))
    found: dict[Exponents, _C] = {}
    for e, x in left.items():
        for f, y in right.items():
            exponents = tuple(map(plus, e, f))
            found[exponents] = found.get(exponents, 0) + x * y
    return {exponents: c for exponents, c in found.items() if c}


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
    return [scaled(polynomial, m) for polynomial in polynomials], m


def _bits(polynomial: Mapping[Exponents, _C]) -> int:
    """The bits of the longest coefficient, or 0 where that is short and makes no difference."""
    bits = max((_length(c) for c in polynomial.values()), default=0)
    return bits if bits >= PIECE else 0


def _length(c: int | Fraction) -> int:
    return c.bit_length() if isinstance(c, int) else size(c)


# --- where a polynomial is at least 0 ---


MOST_BOXES = 4096


class Range(NamedTuple):
    """The values of a parameter between two ends."""

    low: Fraction
    high: Fraction


Box = tuple[Range, ...]


def signed_coefficients(polynomial: Polynomial, box: Box, work: Work) -> Polynomial:
    """The Bernstein coefficients that are not 0, each times some positive number. Raises: TooLarge."""
    found = polynomial
    for place, degree in enumerate(degrees(polynomial, len(box))):
        if degree:
            found = _along(found, place, _powers(box[place], degree, work), work)
    return found


def at_least_zero(polynomial: Polynomial, box: Box, work: Work) -> bool:
    """Whether all Bernstein coefficients on the box are at least 0. Raises: TooLarge."""
    return all(c >= 0 for c in signed_coefficients(polynomial, box, work).values())


def shown_at_least_zero(polynomial: Polynomial, box: Box, work: Work) -> bool:
    """Whether the polynomial is shown to be ≥ 0, on the box or on its parts. Raises: TooLarge."""
    ends = [sorted({0, degree}) for degree in degrees(polynomial, len(box))]
    waiting, looked_at = [(box, 0)], 0
    while waiting:
        if looked_at == MOST_BOXES:
            return False
        looked_at += 1
        part, depth = waiting.pop()
        found = signed_coefficients(polynomial, part, work)
        if all(c >= 0 for c in found.values()):
            continue
        if not part or any(found.get(corner, 0) < 0 for corner in itertools.product(*ends)):
            return False
        place = depth % len(part)
        low, high = part[place]
        work.reduce((low + high).denominator.bit_length())
        middle = (low + high) / 2
        halves = (Range(middle, high), Range(low, middle))
        waiting += [((*part[:place], half, *part[place + 1 :]), depth + 1) for half in halves]
    return True


def _along(polynomial: Polynomial, place: int, powers: Sequence[Sequence[int]], work: Work) -> Polynomial:
    """Replace x^k, for the parameter at a place, by the k-th of these polynomials in u."""
    bits, by = longest([polynomial]), max(map(int.bit_length, (c for power in powers for c in power)))
    terms = len(polynomial) * len(powers)
    work.spend(terms, bits, by)
    work.hold(terms, bits + by)
    found: Polynomial = {}
    for exponents, c in polynomial.items():
        before, after = exponents[:place], exponents[place + 1 :]
        for k, factor in enumerate(powers[exponents[place]]):
            if factor:
                key = (*before, k, *after)
                found[key] = found.get(key, 0) + c * factor
    return {exponents: c for exponents, c in found.items() if c}


def _powers(ends: Range, n: int, work: Work) -> list[list[int]]:
    """For each k the coefficients of (l + h u)^k (1 + u)^(n−k), times the n-th power of a denominator."""
    below = lcm(ends.low.denominator, ends.high.denominator)
    low, high = (end.numerator * (below // end.denominator) for end in ends)
    longest_base = max(low.bit_length(), high.bit_length(), below.bit_length())
    work.spend(4 * (n + 1) * (n + 1), (n + 1) * longest_base, longest_base)
    work.hold((n + 1) * (n + 1), (n + 1) * longest_base)
    return _all_powers(low, high, below, n)


@lru_cache(maxsize=64)
def _all_powers(low: int, high: int, below: int, n: int) -> list[list[int]]:
    """All (low + high u)^k (below + below u)^(n−k): each is the one before, divided and multiplied."""
    found = [[comb(n, i) * below**n for i in range(n + 1)]]
    for _ in range(n):
        quotient, last = [], 0
        for c in found[-1][:-1]:
            last = c // below - last
            quotient.append(last)
        found.append([low * x + high * y for x, y in zip((*quotient, 0), (0, *quotient), strict=True)])
    return found


# --- formulas ---


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

    def form(self) -> object:
        """What stands for it in the canonical form, as JSON."""
        if is_constant(self.num) and is_constant(self.den):  # and then den is 1
            return rational_text(next(iter(self.num.values()), Fraction(0)))
        return [[[e, rational_text(c)] for e, c in sorted(part.items())] for part in self]


class Calculator:
    """Formulas in the parameters of a model, computed within the limits. Raises: BadFormula, TooLarge."""

    def __init__(self, parameters: Mapping[str, int], box: Box, work: Work) -> None:
        """The parameters have numbers, those of their ranges in the box."""
        self.parameters, self._box, self._work = parameters, box, work
        self.one = constant(Fraction(1), len(box))

    def read(self, text: str) -> tuple[Formula, frozenset[str]]:
        """What a formula is, not yet in the form of the specification, and the letters in it."""
        reading = _Reading(text, self)
        return reading.whole(), frozenset(reading.letters)

    def sum(self, left: Formula, right: Formula) -> Formula:
        """The sum, over the denominator if that is one and the same."""
        (a, b), (c, d), work = left, right, self._work
        if b == d:
            return self.within(Formula(add(a, c, work), b))
        crossed = add(multiply(a, d, work), multiply(c, b, work), work)
        return self.within(Formula(crossed, multiply(b, d, work)))

    def product(self, left: Formula, right: Formula) -> Formula:
        """The product."""
        (a, b), (c, d), work = left, right, self._work
        return self.within(Formula(multiply(a, c, work), multiply(b, d, work)))

    def normal(self, formula: Formula) -> Formula:
        """The form of the specification: over 1, or over a denominator that is ≥ 0 if that can be."""
        num, den = formula
        if not num:
            return Formula({}, self.one)
        if is_constant(den):
            (c,) = den.values()
            return self.within(Formula(times(1 / c, num), self.one))
        first = abs(den[max(den)])
        num, den = self.within(Formula(times(1 / first, num), times(1 / first, den)))
        opposite = Formula(times(Fraction(-1), num), times(Fraction(-1), den))
        return opposite if not self.is_shown(den) and self.is_shown(opposite.den) else Formula(num, den)

    def is_shown(self, polynomial: RationalPolynomial) -> bool:
        """Whether a polynomial is shown to be ≥ 0 on the ranges of the parameters."""
        if all(c >= 0 for c in polynomial.values()) and is_constant(polynomial):
            return True
        (integral,), _ = cleared([polynomial], self._work)
        return shown_at_least_zero(integral, self._box, self._work)

    def within(self, formula: Formula) -> Formula:
        """The same formula. Raises: BadFormula where it is beyond the limits."""
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
    def __init__(self, text: str, calculator: Calculator) -> None:
        self._text, self._calculator = text, calculator
        self._position, self._depth = 0, 0
        self._kind, self._token = "", ""
        self.letters: set[str] = set()
        self._next()

    def whole(self) -> Formula:
        found = self._sum()
        if self._kind != "end":
            raise BadFormula(f"is not a formula: {shown(self._token)} stands where an operator should")
        return found

    def _next(self) -> str:
        """Step over a token, which is returned."""
        token = self._token
        match = _TOKEN.match(self._text, self._position)
        if match is None:
            rest = self._text[self._position :].lstrip(" \t\r")
            raise BadFormula(f"is not a formula: {shown(rest[:20])} is no part of one")
        self._kind = match.lastgroup or ""
        self._token, self._position = match[self._kind], match.end()
        return token

    def _take(self, marks: str) -> str:
        """The next mark, if it is one of these, which is then behind; otherwise nothing."""
        return self._next() if self._kind == "mark" and self._token in marks else ""

    def _sum(self) -> Formula:
        found = self._summand(self._take("+-"))
        while sign := self._take("+-"):
            found = self._calculator.sum(found, self._summand(sign))
        return found

    def _summand(self, sign: str) -> Formula:
        found = self._power()
        while operator := self._take("*/"):
            other = self._power()
            if operator == "/":
                if not other.num:
                    raise BadFormula("divides by zero")
                other = Formula(other.den, other.num)
            found = self._calculator.product(found, other)
        return Formula(times(Fraction(-1), found.num), found.den) if sign == "-" else found

    def _power(self) -> Formula:
        base = self._atom()
        if not self._take("^"):
            return base
        if self._kind != "decimal" or not _DIGITS.fullmatch(self._token):
            raise BadFormula("is not a formula: an exponent is written in digits")
        significant = self._next().lstrip("0") or "0"
        if len(significant) > 2 or int(significant) > LARGEST_EXPONENT:
            raise BadFormula(f"has an exponent of a power beyond {LARGEST_EXPONENT}")
        found = Formula(self._calculator.one, self._calculator.one)
        for _ in range(int(significant)):
            found = self._calculator.product(found, base)
        return found

    def _atom(self) -> Formula:
        kind, one = self._kind, self._calculator.one
        parameters = self._calculator.parameters
        if kind == "decimal":
            try:
                value = read_number(self._next())
            except BadNumber as problem:
                raise BadFormula(f"holds a number that {problem}") from None
            return self._calculator.within(Formula(constant(value, len(parameters)), one))
        if kind == "letters":
            letters = self._next()
            if letters not in parameters:
                raise BadFormula(f"names {shown(letters)}, which is not a parameter")
            self.letters.add(letters)
            exponents = tuple(int(place == parameters[letters]) for place in range(len(parameters)))
            return Formula({exponents: Fraction(1)}, one)
        if not self._take("("):
            found = "it ends" if kind == "end" else f"{shown(self._token)} stands"
            raise BadFormula(f"is not a formula: {found} where a number, a parameter or ( should stand")
        self._depth += 1
        if self._depth > DEEPEST:
            raise BadFormula(f"has more than {DEEPEST} parentheses within each other")
        found_sum = self._sum()
        if not self._take(")"):
            raise BadFormula("is not a formula: a parenthesis is not closed")
        self._depth -= 1
        return found_sum

"""Formulas in a model file: sums, products, quotients and powers of numbers and parameters.

    sum     = ["+" | "-"] product {("+" | "-") product}
    product = power {("*" | "/") power}
    power   = atom ["^" digits]
    atom    = decimal | letters | "(" sum ")"

A formula is evaluated while it is read, to a numerator and a denominator, by the rules of pufferfish/SPEC.md
section 1, and brought to its normal form at the end. Whoever writes ``1/3`` means the number, and whoever
writes ``p/(1-p)`` a quotient; there is no difference here. Limits on degrees, terms and digits keep a short
text such as ``(1+p+q)^64`` from becoming a long computation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NoReturn

from bdist.errors import ParameterError
from bdist.exact.rationals import parse_rational, to_fmpq
from bdist.pufferfish.polynomials import (
    Box,
    Element,
    Entry,
    Quotient,
    Ring,
    added,
    largest_degree,
    number_in,
    plain,
    shown_nonnegative,
)

MOST_PARAMETERS = 8
LARGEST_POWER = 64
MOST_TERMS = 10_000
MOST_BITS = 332_000  # of a coefficient: those of a number of 100,000 digits
DEEPEST = 64
_SHORT = 1000  # characters of a number that is surely within the limits

LETTERS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOKEN = re.compile(
    r"[ \t\r]*+(?:((?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]{1,12}+)?)"
    r"|([A-Za-z_][A-Za-z0-9_]*+)|([-+*/^()]))"
)
_PLAIN_NUMBER = re.compile(r"[0-9]+/[0-9]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,12})?")

Fractional = tuple[Element, Element]


class BadFormula(ParameterError):
    """A text is no formula; ``offset`` says where in it the trouble is."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class UnknownParameter(BadFormula):
    """A formula uses a parameter that there is none of."""

    def __init__(self, name: str, known: Sequence[str], offset: int) -> None:
        super().__init__(f"'{name}' is not a parameter ({', '.join(known) or 'none is declared'})", offset)
        self.name = name


def read_formula(text: str, ring: Ring, box: Box) -> Entry:
    """The entry that a formula states, in normal form. Raises: BadFormula."""
    if len(text) <= _SHORT and _PLAIN_NUMBER.fullmatch(text):
        return _number(text, 0)
    return normal_form(_Parser(text, ring).formula(), ring, box)


def _number(text: str, offset: int) -> Fraction:
    try:
        return parse_rational(text)
    except ParameterError as error:
        raise BadFormula(str(error), offset) from None


def normal_form(fraction: Fractional, ring: Ring, box: Box) -> Entry:
    """A quotient as an entry: a number where it is one, otherwise with a denominator scaled and signed.

    Requires: the denominator is not 0.
    """
    above, below = fraction
    if above.is_zero():
        return Fraction(0)
    divisor = number_in(below)
    if divisor is not None:
        above, below = above / to_fmpq(divisor), ring.constant(1)
        value = number_in(above)
        if value is not None:
            return value
    else:
        leading = abs(below.leading_coefficient())
        above, below = above / leading, below / leading
        if not shown_nonnegative(below, box) and shown_nonnegative(-below, box):
            above, below = -above, -below
    return Quotient(plain(above), plain(below))


def beyond_limits(fraction: Fractional) -> str:
    """Which of the limits of pufferfish/SPEC.md section 5 a quotient exceeds, in words; empty if none."""
    for element in fraction:
        if largest_degree(element) > LARGEST_POWER or len(element) > MOST_TERMS:
            return f"a degree above {LARGEST_POWER} or more than {MOST_TERMS} terms"
        if any(max(int(c.p).bit_length(), int(c.q).bit_length()) > MOST_BITS for c in element.coeffs()):
            return f"a coefficient of more than {MOST_BITS} bits"
    return ""


class _Parser:
    """A text and the place in it that is read next: the kind of the next part, the part, where it starts."""

    def __init__(self, text: str, ring: Ring) -> None:
        self._text, self._ring = text, ring
        self._position, self._depth = 0, 0
        self._kind, self._part, self._start = "", "", 0
        self._advance()

    def formula(self) -> Fractional:
        result = self._sum()
        if self._kind != "end":
            self._fail("an operator + - * / ^")
        return result

    def _sum(self) -> Fractional:
        result = self._product(self._take("+-"))
        while sign := self._take("+-"):
            result = self._within(added(result, self._product(sign)))
        return result

    def _product(self, sign: str) -> Fractional:
        result = self._power()
        start = self._start
        while operator := self._take("*/"):
            above, below = self._power()
            if operator == "/":
                if above.is_zero():
                    raise BadFormula("a division by zero", start)
                above, below = below, above
            result = self._within((result[0] * above, result[1] * below))
            start = self._start
        return (-result[0], result[1]) if sign == "-" else result

    def _power(self) -> Fractional:
        above, below = self._atom()
        if not self._take("^"):
            return above, below
        if self._kind != "number" or not self._part.isdecimal():
            self._fail("an exponent, which is a natural number")
        digits = self._part.lstrip("0") or "0"
        exponent = int(digits) if len(digits) <= 4 else LARGEST_POWER + 1
        if exponent > LARGEST_POWER:
            raise BadFormula(f"an exponent above {LARGEST_POWER}", self._start)
        self._advance()
        result = self._ring.constant(1), self._ring.constant(1)
        for _ in range(exponent):  # one by one, so that the limits are looked at before it is too late
            result = self._within((result[0] * above, result[1] * below))
        return result

    def _atom(self) -> Fractional:
        if self._kind == "number":
            value = self._ring.constant(_number(self._part, self._start))
            found = self._within((value, self._ring.constant(1)))
            self._advance()
            return found
        if self._kind == "name":
            if self._part not in self._ring.names:
                raise UnknownParameter(self._part, self._ring.names, self._start)
            return self._ring.parameter(self._advance()), self._ring.constant(1)
        start = self._start
        if not self._take("("):
            self._fail("a number, a parameter or '('")
        self._depth += 1
        if self._depth > DEEPEST:
            raise BadFormula(f"more than {DEEPEST} parentheses within each other", start)
        result = self._sum()
        if not self._take(")"):
            self._fail("')'")
        self._depth -= 1
        return result

    def _take(self, signs: str) -> str:
        """Step over one of these signs, which is returned; nothing if none stands here."""
        return self._advance() if self._kind == "sign" and self._part in signs else ""

    def _within(self, fraction: Fractional) -> Fractional:
        excess = beyond_limits(fraction)
        if excess:
            raise BadFormula(f"the formula has {excess} here", self._start)
        return fraction

    def _advance(self) -> str:
        """Step over a part, which is returned."""
        part = self._part
        found = _TOKEN.match(self._text, self._position)
        if found is None:
            rest = self._text[self._position :]
            self._start = self._position + len(rest) - len(rest.lstrip(" \t\r"))
            self._kind, self._part = ("end" if not rest.strip(" \t\r") else "bad"), rest.strip(" \t\r")[:1]
            return part
        self._position = found.end()
        self._kind = "number" if found[1] else "name" if found[2] else "sign"
        self._part = found[1] or found[2] or found[3]
        self._start = found.end() - len(self._part)
        return part

    def _fail(self, expected: str) -> NoReturn:
        found = "the end of the formula" if self._kind == "end" else f"'{self._part[:20]}'"
        raise BadFormula(f"expected {expected}; found {found}", self._start)

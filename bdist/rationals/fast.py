"""The two exact number types and the one door between them.

Everything a user sees is a ``fractions.Fraction``: standard library, hashable, printable. Everything inside a
solver is FLINT's ``fmpq``, about five times as fast and backed by subquadratic big-integer arithmetic. They
do not mix in one expression, on purpose: a ``Fraction`` that strays into a hot loop raises a TypeError
instead of making it slow.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

ZERO = fmpq(0)
ONE = fmpq(1)


def fast(value: Fraction | int) -> fmpq:
    """The fmpq equal to a Fraction or an int."""
    return fmpq(value.numerator, value.denominator)


def slow(value: fmpq) -> Fraction:
    """The Fraction equal to an fmpq."""
    return Fraction(int(value.p), int(value.q))

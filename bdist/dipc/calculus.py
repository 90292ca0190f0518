"""Integrals of reals and sums of integers: what is different between Laplace and discrete Laplace noise.

The elimination of variables (`elimination`) is the same for both: a density on each side of its centre, a
largest lower bound, a least upper bound, a function whose differences are what is asked for. A term is

    c  v^n ...  e^((lam v + ... + kappa) h)        divided by atoms, for integers

* Reals (`RealCalculus`). Coordinates are scaled so that h = 1 in front of them: v stands for a multiple of
  epsilon x, and a constant b of the program becomes b h, where h is a multiple of epsilon. So constants carry
  a power of h with them (``rest`` counts it), integrals of e^(lam v) divide by numbers only, and
  probabilities are sums of P(epsilon) e^(k epsilon) with polynomials P.
* Integers (`IntegerCalculus`). Sums of e^(lam v h) divide by 1 - e^(-s h); ``rest`` lists these atoms with
  their powers, as ((s, power), ...).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import comb, factorial

from flint import fmpq

Exact = int | Fraction  # a Fraction only where it is not whole: these are keys, and integers are fast ones
Rest = int | tuple[tuple[int, int], ...]
Piece = tuple[fmpq, int, Exact, Rest]  # c, n, kappa, rest: c v^n e^(kappa h), with what rest says


def tidy(value: Exact) -> Exact:
    """An integer where the value is one."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def exact(value: Exact) -> fmpq:
    """The value as a fast rational."""
    return fmpq(value.numerator, value.denominator)


class Calculus(ABC):
    """How to integrate, or to sum."""

    gap: int  # between x <= b and not x <= b: 0 for reals, 1 for integers
    none: Rest  # what ``rest`` is where there is nothing

    @abstractmethod
    def weight(self, scale: int) -> fmpq:
        """The factor of e^(-scale |v|) that is left inside of the integral."""

    @abstractmethod
    def primitive(self, n: int, lam: Exact) -> Sequence[Piece]:
        """Pieces whose sum times e^(lam v h) has the derivative (the difference) v^n e^(lam v h)."""

    @abstractmethod
    def product(self, left: Rest, right: Rest) -> Rest:
        """The rest of a product."""

    @abstractmethod
    def constant(self, power: int) -> Rest:
        """What the power of a constant of the program leaves in ``rest``."""


class RealCalculus(Calculus):
    """Integrals over reals."""

    gap = 0
    none = 0

    def weight(self, scale: int) -> fmpq:
        """The density (scale / 2) e^(-scale |v|)."""
        return fmpq(scale, 2)

    def primitive(self, n: int, lam: Exact) -> Sequence[Piece]:
        """By parts, n times."""
        return _integral(n, lam)

    def product(self, left: Rest, right: Rest) -> Rest:
        """Powers of h add up."""
        return left + right  # type: ignore[operator]

    def constant(self, power: int) -> Rest:
        """b h to the power is h to the power."""
        return power


class IntegerCalculus(Calculus):
    """Sums over integers; the factor (1 - e^(-s)) / (1 + e^(-s)) of the density is put in at the end."""

    gap = 1
    none = ()

    def weight(self, scale: int) -> fmpq:
        """Nothing: see above."""
        return fmpq(1)

    def primitive(self, n: int, lam: Exact) -> Sequence[Piece]:
        """A function with these differences."""
        return _sum(n, lam)

    def product(self, left: Rest, right: Rest) -> Rest:
        """Atoms with their powers."""
        if not left:
            return right
        if not right:
            return left
        return _merged(left, right)

    def constant(self, power: int) -> Rest:
        """A constant is a number."""
        return ()


@cache
def _integral(n: int, lam: Exact) -> tuple[Piece, ...]:
    if lam == 0:
        return ((fmpq(1, n + 1), n + 1, 0, 0),)
    inverse = 1 / exact(lam)
    return tuple(
        ((-1) ** (n - k) * fmpq(factorial(n), factorial(k)) * inverse ** (n - k + 1), k, 0, 0)
        for k in range(n, -1, -1)
    )


@cache
def _sum(n: int, lam: Exact) -> tuple[Piece, ...]:
    """For w = e^(lam h): S(v) = w^v q(v) with w q(v + 1) - q(v) = v^n, coefficient by coefficient.

    That is q_n = 1 / (w - 1) and q_j = -w / (w - 1) times the sum of q_i comb(i, j) over i > j. Where lam is
    0 it is the polynomial with the differences v^n.
    """
    if lam == 0:
        return tuple((c, power, 0, ()) for power, c in enumerate(_faulhaber(n)) if c)
    if not isinstance(lam, int):
        raise TypeError("exponents of integers are scaled to integers")
    size = abs(lam)
    sign, shift = (-1, 0) if lam < 0 else (1, -size)  # 1 / (w - 1) = sign e^(shift h) / (1 - e^(-size h))
    found: dict[int, dict[tuple[int, int], fmpq]] = {n: {(shift, 1): fmpq(sign)}}
    for j in range(n - 1, -1, -1):
        total: dict[tuple[int, int], fmpq] = {}
        for i in range(j + 1, n + 1):
            for (kappa, power), c in found[i].items():
                key = kappa + shift + lam, power + 1
                total[key] = total.get(key, fmpq(0)) - sign * comb(i, j) * c
        found[j] = total
    return tuple(
        (c, j, kappa, ((size, power),))
        for j, terms in found.items()
        for (kappa, power), c in terms.items()
        if c
    )


def _faulhaber(n: int) -> list[fmpq]:
    """The coefficients of S with S(v + 1) - S(v) = v^n and S(0) = 0."""
    coefficients = [fmpq(0)] * (n + 2)
    wanted = [fmpq(0)] * n + [fmpq(1)]
    for power in range(n, -1, -1):
        c = wanted[power] / (power + 1)
        coefficients[power + 1] = c
        for lower in range(power + 1):
            wanted[lower] -= c * comb(power + 1, lower)
    return coefficients


@cache
def _merged(left: tuple[tuple[int, int], ...], right: tuple[tuple[int, int], ...]) -> Rest:
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items()))

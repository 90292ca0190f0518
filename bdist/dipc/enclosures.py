"""Enclosures of exponential polynomials by ball arithmetic: at a point, on a box, near 0, and far out.

On a box around c with radius r, F lies within t_1 r + ... of t_0, where t_j are the Taylor coefficients at c;
the last of them is taken over the whole box, which covers the remainder (Taylor's theorem with Lagrange's
remainder). Plain ball arithmetic, the same with one coefficient, would need many more
boxes: the terms of F are large and cancel.

FLINT's precision is a setting of the whole process; here it is set for a block and restored.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial

from flint import arb, arb_series, ctx, fmpq, fmpq_poly

from bdist.dipc.exponentials import ExponentialPolynomial
from bdist.exact.fast import fast

ORDER = 8  # Taylor coefficients on a box
PRECISION = 192  # bits


def taylor(f: ExponentialPolynomial, at: arb, order: int) -> list[arb]:
    """The first coefficients of F(at + s) in s."""
    total = arb_series([0], order)
    for k, polynomial in f.terms:
        shifted = arb_series(_shifted(polynomial, at, order), order)
        if k:
            exponent = arb(f.exponent(k))
            shifted = shifted * arb_series([exponent * at, exponent], order).exp()
        total = total + shifted
    found: list[arb] = [total[j] for j in range(order)]
    return found


def _shifted(polynomial: fmpq_poly, at: arb, order: int) -> list[arb]:
    """The coefficients of P(at + s), by Horner's rule."""
    found = [arb(0)]
    for c in reversed(polynomial.coeffs()):
        following = [arb(0)] * min(len(found) + 1, order)
        for j, value in enumerate(found):
            following[j] += value * at
            if j + 1 < order:
                following[j + 1] += value
        following[0] += arb(c)
        found = following
    return found


def value_at(f: ExponentialPolynomial, point: Fraction, precision: int = PRECISION) -> arb:
    """F at a rational point, as a ball."""
    with ctx.workprec(precision):
        at = fast(point)
        total = arb(0)
        for k, polynomial in f.terms:
            total += arb(polynomial(at)) * arb(f.exponent(k) * at).exp()
        return total


def sign_at(f: ExponentialPolynomial, point: Fraction, most: int = 1 << 16) -> int | None:
    """The sign of F at a rational point other than 0; None if ``most`` bits do not tell.

    By Lindemann's theorem F is 0 there only if every polynomial is.
    """
    at = fast(point)
    if all(polynomial(at) == 0 for _, polynomial in f.terms):
        return 0
    precision = PRECISION
    while precision <= most:
        ball = value_at(f, point, precision)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        precision *= 2
    return None


def is_positive_on(f: ExponentialPolynomial, low: Fraction, high: Fraction) -> bool:
    """Whether the enclosure on [low, high] shows that F > 0 there."""
    with ctx.workprec(PRECISION):
        middle, radius = fast((low + high) / 2), arb(fast((high - low) / 2))
        at = taylor(f, arb(middle), ORDER)
        box = arb(middle, radius.upper()) if low < high else arb(middle)
        last = taylor(f, box, ORDER + 1)[ORDER] if low < high else arb(0)
        return bool(_lower(at, last, radius) > 0)


def _lower(coefficients: Sequence[arb], last: arb, radius: arb) -> arb:
    """A lower bound of the sum of t_j s^j for |s| <= radius."""
    slack = last.abs_upper()
    for t in reversed(coefficients[1:]):
        slack = slack * radius + t.abs_upper()
    return coefficients[0] - slack * radius


def first_coefficient(f: ExponentialPolynomial) -> tuple[int, fmpq]:
    """The order of F at 0 and the Taylor coefficient there, exactly. Requires: F is not 0.

    The order is below the number of all coefficients: exponential monomials are solutions of one linear
    differential equation of that order.
    """
    most = sum(len(polynomial.coeffs()) for _, polynomial in f.terms)
    for order in range(most):
        value = coefficient_at_zero(f, order)
        if value:
            return order, value
    raise ArithmeticError("an exponential polynomial that is not 0 has a first coefficient")


def coefficient_at_zero(f: ExponentialPolynomial, order: int) -> fmpq:
    """The Taylor coefficient at 0."""
    total = fmpq(0)
    for k, polynomial in f.terms:
        exponent = f.exponent(k)
        for j, c in enumerate(polynomial.coeffs()[: order + 1]):
            total += c * exponent ** (order - j) / factorial(order - j)
    return total


def is_positive_near_zero(f: ExponentialPolynomial, high: Fraction, order: int) -> bool:
    """Whether F > 0 on (0, high], by its expansion at 0, which begins at that order."""
    with ctx.workprec(PRECISION):
        exact = [arb(coefficient_at_zero(f, order + j)) for j in range(ORDER)]
        half = arb(fast(high / 2))
        last = taylor(f, arb(fast(high / 2), half.upper()), order + ORDER + 1)[order + ORDER]
        return bool(_lower(exact, last, arb(fast(high))) > 0)


def is_positive_beyond(f: ExponentialPolynomial, low: Fraction) -> bool:
    """Whether F > 0 on [low, infinity): the largest exponent wins over all others.

    With s = eps - low and g the distance of exponents, s^j e^(-g s) <= j! / g^j.
    """
    top, leading = f.terms[-1]
    shift = fmpq_poly([fast(low), 1])
    ahead = leading(shift).coeffs()
    if any(c < 0 for c in ahead) or ahead[0] <= 0:
        return False
    with ctx.workprec(PRECISION):
        total = arb(0)
        for k, polynomial in f.terms[:-1]:
            gap = f.exponent(top - k)
            bound = sum(
                (abs(c) * factorial(j) / gap**j for j, c in enumerate(polynomial(shift).coeffs())), fmpq(0)
            )
            total += arb(bound) * (arb(-gap) * arb(fast(low))).exp()
        return bool(total < arb(ahead[0]))

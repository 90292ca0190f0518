"""Exponential polynomials: sums of P_k(eps) e^(k eps / D), with rational polynomials P_k and integers k.

They are what probabilities of programs are made of, and what must be shown to be nowhere negative. Three
views:

* As an element of Q[x, y] with x = eps and y = e^(eps / D), for arithmetic, common divisors and factors
  (`Ratio`, FLINT's multivariate polynomials). D, the *unit*, is one number for all that is computed of a
  program, found before the first of them is made. By Lindemann's theorem x and y are algebraically
  independent at every eps but finitely many, and in any case as functions: so equality of functions is
  equality of polynomials.
* As a list of univariate polynomials by exponent, for derivatives and enclosures (`ExponentialPolynomial`).
  Its normal form, as the specification of certificates has it, is without common factors e^(k eps) and
  eps^j, with coprime integers for coefficients. What is positive stays positive by that, and equal
  questions are asked once.
* As a person reads it (`ClosedForm`): text, LaTeX, JSON, and balls. It is written over one denominator, with
  integers for coefficients and no negative exponent, as papers do:

      (-22 - 3 eps + 32 e^(eps/4)) / (48 e^(eps/2))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from flint import Ordering, arb, ctx, fmpq, fmpq_mpoly, fmpq_mpoly_ctx, fmpq_poly

from bdist.errors import InternalError
from bdist.exact.display import decimal_down, decimal_up
from bdist.exact.rationals import to_fmpq, to_fraction
from bdist.exact.reading import rational_text

RING = fmpq_mpoly_ctx.get(("x", "y"), Ordering.lex)
ONE = RING.from_dict({(0, 0): 1})
ZERO = RING.from_dict({})

ExpSum = Mapping[tuple[Fraction, int], fmpq]  # c by (k, j): the sum of c eps^j e^(k eps)


@dataclass(frozen=True)
class ExponentialPolynomial:
    """The sum of P_k(eps) e^(k eps / unit), by increasing k; no P_k is 0."""

    unit: int
    terms: tuple[tuple[int, fmpq_poly], ...]

    @cached_property
    def key(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """What tells normal forms apart. Requires: integer coefficients."""
        return tuple((k, tuple(int(c.p) for c in polynomial.coeffs())) for k, polynomial in self.terms)

    @property
    def is_polynomial(self) -> bool:
        """Whether there is no exponential in it."""
        return len(self.terms) == 1 and self.terms[0][0] == 0

    def exponent(self, k: int) -> fmpq:
        """The factor of eps in e^(k eps / unit)."""
        return fmpq(k, self.unit)

    def as_document(self) -> list[list[object]]:
        """As certificates write it."""
        return [
            [
                rational_text(Fraction(k, self.unit)),
                [rational_text(to_fraction(c)) for c in polynomial.coeffs()],
            ]
            for k, polynomial in self.terms
        ]


def normal_form(polynomial: fmpq_mpoly, unit: int) -> ExponentialPolynomial:
    """An element of Q[x, y] over a power of y, up to positive factors: coprime integers, least powers 0."""
    terms = polynomial.to_dict()
    if not terms:
        return ExponentialPolynomial(unit, ())
    x = min(j for j, _ in terms)
    y = min(k for _, k in terms)
    divisor, multiple = 0, 1
    for c in terms.values():
        divisor, multiple = gcd(divisor, int(c.p)), lcm(multiple, int(c.q))
    by_exponent: dict[int, dict[int, int]] = {}
    for (j, k), c in terms.items():
        by_exponent.setdefault(int(k) - int(y), {})[int(j) - int(x)] = (
            int(c.p) // divisor * (multiple // int(c.q))
        )
    return ExponentialPolynomial(unit, _polynomials(by_exponent))


def _polynomials(
    by_exponent: Mapping[int, Mapping[int, int | fmpq]],
) -> tuple[tuple[int, fmpq_poly], ...]:
    found = []
    for k in sorted(by_exponent):
        coefficients = by_exponent[k]
        found.append((k, fmpq_poly([coefficients.get(j, 0) for j in range(max(coefficients) + 1)])))
    return tuple(found)


@dataclass(frozen=True)
class Ratio:
    """numerator / (y^shift denominator): a probability as a function of eps.

    Normalised: no common divisor; neither part divisible by y; the denominator has coprime integer
    coefficients, the leading one positive. So equal functions are equal objects.
    """

    numerator: fmpq_mpoly
    shift: int
    denominator: fmpq_mpoly

    def __add__(self, other: Ratio) -> Ratio:
        low, high = (self, other) if self.shift <= other.shift else (other, self)
        raised = low.numerator * _y(high.shift - low.shift)
        if low.denominator == high.denominator:
            return ratio(raised + high.numerator, high.shift, low.denominator)
        top = raised * high.denominator + high.numerator * low.denominator
        return ratio(top, high.shift, low.denominator * high.denominator)

    def __neg__(self) -> Ratio:
        return Ratio(-self.numerator, self.shift, self.denominator)

    def __sub__(self, other: Ratio) -> Ratio:
        return self + -other

    def __mul__(self, other: Ratio) -> Ratio:
        top, bottom = self.numerator * other.numerator, self.denominator * other.denominator
        return ratio(top, self.shift + other.shift, bottom)

    def __truediv__(self, other: Ratio) -> Ratio:
        top, bottom = self.numerator * other.denominator, self.denominator * other.numerator
        return ratio(top, self.shift - other.shift, bottom)

    def __bool__(self) -> bool:
        return not self.numerator.is_zero()

    def refined(self, factor: int) -> Ratio:
        """The same function where y stands for e^(eps / (factor D))."""
        top, bottom = self.numerator.inflate([1, factor]), self.denominator.inflate([1, factor])
        return Ratio(top, self.shift * factor, bottom)

    def raised(self, power: int) -> Ratio:
        """Times y^power."""
        return Ratio(self.numerator, self.shift - power, self.denominator)


def ratio(numerator: fmpq_mpoly, shift: int, denominator: fmpq_mpoly) -> Ratio:
    """The normalised quotient. Requires: the denominator is not 0."""
    if numerator.is_zero():
        return ZERO_RATIO
    numerator, up = _without_y(numerator)
    if denominator == ONE:
        return Ratio(numerator, shift - up, ONE)
    denominator, down = _without_y(denominator)
    common = numerator.gcd(denominator)
    if common != ONE:
        numerator, denominator = numerator / common, denominator / common
    leading = denominator.leading_coefficient()
    terms = denominator.to_dict()
    divisor, multiple = 0, 1
    for c in terms.values():
        divisor, multiple = gcd(divisor, int(c.p)), lcm(multiple, int(c.q))
    scale = fmpq(multiple, divisor) * (1 if leading > 0 else -1)
    return Ratio(numerator * scale, shift - up + down, denominator * scale)


ZERO_RATIO = Ratio(ZERO, 0, ONE)
ONE_RATIO = Ratio(ONE, 0, ONE)


def _y(power: int) -> fmpq_mpoly:
    return RING.from_dict({(0, power): 1})


def _without_y(polynomial: fmpq_mpoly) -> tuple[fmpq_mpoly, int]:
    least = min(int(k) for _, k in polynomial.monoms())
    if least == 0:
        return polynomial, 0
    return RING.from_dict({(j, k - least): c for (j, k), c in polynomial.to_dict().items()}), least


def in_ring(terms: ExpSum, unit: int) -> Ratio:
    """A sum of c eps^j e^(k eps) as an element of the ring. Requires: unit k is an integer for each k."""
    if not terms:
        return ZERO_RATIO
    if any(unit % k.denominator for k, _ in terms):
        raise InternalError(f"an exponent is no multiple of 1/{unit}")
    exponents = {k: int(k * unit) for k, _ in terms}
    least = min(exponents.values())
    found = RING.from_dict({(j, exponents[k] - least): c for (k, j), c in terms.items() if c})
    return ratio(found, -least, ONE)


def units_of(terms: ExpSum) -> int:
    """The least unit in which a sum can be written."""
    return lcm(*(k.denominator for k, _ in terms)) if terms else 1


def exponential_parts(value: Ratio, unit: int) -> tuple[ExponentialPolynomial, ExponentialPolynomial]:
    """Numerator and denominator of a probability, as certificates write them: e^(k eps) is in the first."""
    top: dict[int, dict[int, fmpq]] = {}
    for (j, k), c in value.numerator.to_dict().items():
        top.setdefault(int(k) - value.shift, {})[int(j)] = c
    bottom: dict[int, dict[int, fmpq]] = {}
    for (j, k), c in value.denominator.to_dict().items():
        bottom.setdefault(int(k), {})[int(j)] = c
    return ExponentialPolynomial(unit, _polynomials(top)), ExponentialPolynomial(unit, _polynomials(bottom))


def cleared(summands: Iterable[Ratio]) -> fmpq_mpoly:
    """A sum of quotients times the product of their different denominators, and times a power of y."""
    listed = [summand for summand in summands if summand]
    if not listed:
        return ZERO
    bottoms: list[fmpq_mpoly] = []
    for summand in listed:
        if summand.denominator != ONE and not any(summand.denominator == known for known in bottoms):
            bottoms.append(summand.denominator)
    highest = max(summand.shift for summand in listed)
    total = ZERO
    for summand in listed:
        term = summand.numerator * _y(highest - summand.shift)
        for bottom in bottoms:
            if bottom != summand.denominator:
                term = term * bottom
        total = total + term
    return total


# --- closed forms ---


_Terms = list[tuple[int, int, Fraction]]  # c eps^j e^(k eps / unit), as (k, j, c)


@dataclass(frozen=True)
class ClosedForm:
    """A probability as a function of epsilon."""

    ratio: Ratio
    unit: int

    @property
    def is_zero(self) -> bool:
        """Whether the probability is 0 for every epsilon."""
        return not self.ratio

    def text(self) -> str:
        """As plain text."""
        return self._written(_TEXT)

    def latex(self) -> str:
        """As LaTeX, for mathematical mode."""
        return self._written(_LATEX)

    def document(self) -> dict[str, object]:
        """Numerator and denominator as certificates write them, and the text."""
        top, bottom = exponential_parts(self.ratio, self.unit)
        return {"text": self.text(), "numerator": top.as_document(), "denominator": bottom.as_document()}

    def ball(self, epsilon: Fraction, precision: int = 128) -> arb:
        """Its value at a rational epsilon, enclosed."""
        with ctx.workprec(precision):
            x = to_fmpq(epsilon)
            y = arb(x / self.unit).exp()
            top, bottom = (_evaluated(part, x, y) for part in (self.ratio.numerator, self.ratio.denominator))
            return top / bottom * y**-self.ratio.shift

    def enclosure(self, epsilon: Fraction, digits: int = 7) -> tuple[str, str]:
        """Decimals below and above its value at a rational epsilon."""
        ball = self.ball(epsilon)
        ends = []
        for end in (ball.lower(), ball.upper()):
            mantissa, exponent = end.man_exp()
            ends.append(Fraction(int(mantissa)) * Fraction(2) ** int(exponent))
        return decimal_down(max(ends[0], Fraction(0)), digits), decimal_up(ends[1], digits)

    def _written(self, style: _Style) -> str:
        if self.is_zero:
            return "0"
        top, bottom, scale, power = self._parts()
        below = []
        if scale != 1:
            below.append(str(scale))
        if power:
            below.append(style.exponential(Fraction(power, self.unit)))
        if bottom:
            sum_below = _sum_text(bottom, self.unit, style)
            below.append(sum_below if style.is_latex and not below else style.bracket(sum_below))
        above = _sum_text(top, self.unit, style)
        if not below:
            return above
        return style.quotient(above, len(top) > 1, style.times.join(below), len(below) > 1)

    def _parts(self) -> tuple[_Terms, _Terms, int, int]:
        """Numerator with integers and exponents from 0 on, denominator or nothing, number, power of y."""
        top, bottom = _sorted_terms(self.ratio.numerator), _sorted_terms(self.ratio.denominator)
        multiple = lcm(*(c.denominator for _, _, c in top))
        divisor = gcd(*(int(c * multiple) for _, _, c in top))
        power = self.ratio.shift
        if self.ratio.denominator == ONE:
            bottom = []
        common = gcd(divisor, multiple)
        top = [(k + max(0, -power), j, c * multiple / common) for k, j, c in top]
        return top, bottom, multiple // common, max(0, power)


def _evaluated(polynomial: fmpq_mpoly, x: object, y: arb) -> arb:
    total = arb(0)
    for (j, k), c in polynomial.terms():
        total += arb(c * x ** int(j)) * y ** int(k)  # type: ignore[operator]
    return total


def _sorted_terms(polynomial: fmpq_mpoly) -> _Terms:
    """The terms, by growing exponent and degree."""
    return sorted((int(k), int(j), to_fraction(c)) for (j, k), c in polynomial.terms())


@dataclass(frozen=True)
class _Style:
    epsilon: str
    times: str
    is_latex: bool

    def exponential(self, rate: Fraction) -> str:
        if self.is_latex:
            return f"e^{{{self._multiple(rate)}}}"
        text = self._multiple(rate)
        return f"e^{text}" if text == self.epsilon else f"e^({text})"

    def _multiple(self, rate: Fraction) -> str:
        top = {1: "", -1: "-"}.get(rate.numerator, f"{rate.numerator}{' ' if not self.is_latex else ''}")
        if rate.denominator == 1:
            return f"{top}{self.epsilon}"
        return f"{top}{self.epsilon}/{rate.denominator}"

    def power(self, degree: int) -> str:
        if degree == 1:
            return self.epsilon
        return f"{self.epsilon}^{{{degree}}}" if self.is_latex else f"{self.epsilon}^{degree}"

    def bracket(self, text: str) -> str:
        return f"({text})"

    def quotient(self, above: str, is_sum: bool, below: str, is_product: bool) -> str:
        if self.is_latex:
            return rf"\frac{{{above}}}{{{below}}}"
        return f"{self.bracket(above) if is_sum else above} / {self.bracket(below) if is_product else below}"


_TEXT = _Style("eps", " ", is_latex=False)
_LATEX = _Style(r"\varepsilon", r"\,", is_latex=True)


def _sum_text(terms: Sequence[tuple[int, int, Fraction]], unit: int, style: _Style) -> str:
    pieces: list[str] = []
    for k, j, c in terms:
        factors = []
        if abs(c) != 1 or (k == 0 and j == 0):
            factors.append(str(abs(c)))
        if j:
            factors.append(style.power(j))
        if k:
            factors.append(style.exponential(Fraction(k, unit)))
        text = style.times.join(factors)
        sign = "-" if c < 0 else "+"
        pieces.append(f" {sign} {text}" if pieces else ("-" if c < 0 else "") + text)
    return "".join(pieces)

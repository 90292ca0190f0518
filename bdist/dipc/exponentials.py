"""Exponential polynomials: sums of P_k(eps) e^(k eps / D), with rational polynomials P_k and integers k.

They are what probabilities of programs are made of, and what must be shown to be nowhere negative. Two views:

* A `ClosedForm` is a quotient in Q[x, y] with x = eps and y = e^(eps / D), for arithmetic, common divisors
  and factors (FLINT's multivariate polynomials), and for a person: text, LaTeX, JSON, and balls. D is its
  *unit*; two of them are brought to a common one before they meet. By Lindemann's theorem x and y are
  algebraically independent at every eps but finitely many, and in any case as functions: so equality of
  functions is equality of polynomials.
* An `ExponentialPolynomial` is a list of univariate polynomials by exponent, for derivatives and enclosures.
  Its normal form, as the specification of certificates has it, is without common factors e^(k eps) and
  eps^j, with coprime integers for coefficients. What is positive stays positive by that, and equal
  questions are asked once.

As text a closed form is written over one denominator, with integers for coefficients and no negative
exponent, as papers do:

    (-22 - 3 eps + 32 e^(eps/4)) / (48 e^(eps/2))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from flint import Ordering, arb, ctx, fmpq, fmpq_mpoly, fmpq_mpoly_ctx, fmpq_poly

from bdist.exact.rationals import decimal_down, decimal_up, point_value, rational_text, to_fmpq, to_fraction
from bdist.report import OneLine

RING = fmpq_mpoly_ctx.get(("x", "y"), Ordering.lex)
_ONE = RING.from_dict({(0, 0): 1})


# --- lists of polynomials ---


@dataclass(frozen=True)
class ExponentialPolynomial:
    """The sum of P_k(eps) e^(k eps / unit), by increasing k; no P_k is 0."""

    unit: int
    terms: tuple[tuple[int, fmpq_poly], ...]

    @cached_property
    def key(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """What tells normal forms of one unit apart. Requires: integer coefficients."""
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
    if polynomial.is_zero():
        return ExponentialPolynomial(unit, ())
    scaled = polynomial / _content(polynomial)
    x, y = (min(map(int, powers)) for powers in zip(*scaled.monoms(), strict=True))
    return _by_exponent(scaled, unit, x, y)


def _by_exponent(polynomial: fmpq_mpoly, unit: int, x: int = 0, y: int = 0) -> ExponentialPolynomial:
    """An element of Q[x, y] over x^x y^y."""
    found: dict[int, dict[int, fmpq]] = {}
    for (j, k), c in polynomial.terms():
        found.setdefault(int(k) - y, {})[int(j) - x] = c
    rows = ((k, [row.get(j, 0) for j in range(max(row) + 1)]) for k, row in sorted(found.items()))
    return ExponentialPolynomial(unit, tuple((k, fmpq_poly(row)) for k, row in rows))


def _content(polynomial: fmpq_mpoly) -> fmpq:
    """The positive rational by which coefficients become integers without a common divisor."""
    coefficients = polynomial.coeffs()
    return fmpq(gcd(*(int(c.p) for c in coefficients)), lcm(*(int(c.q) for c in coefficients)))


# --- quotients ---


_FEW_TERMS = 40  # of a closed form that is shown at a prompt


@dataclass(frozen=True, eq=False, repr=False)
class ClosedForm(OneLine):
    """numerator / (y^shift denominator) with y = e^(eps / unit): a probability as a function of epsilon.

    Normalised: no common divisor; neither part divisible by y; the denominator has coprime integer
    coefficients, the leading one positive. So equal functions in one unit have equal parts.
    """

    numerator: fmpq_mpoly
    shift: int
    denominator: fmpq_mpoly
    unit: int

    def __add__(self, other: ClosedForm) -> ClosedForm:
        one, other = _alike(self, other)
        low, high = (one, other) if one.shift <= other.shift else (other, one)
        raised = low.numerator * _y(high.shift - low.shift)
        if low.denominator == high.denominator:
            return _quotient(raised + high.numerator, high.shift, low.denominator, low.unit)
        top = raised * high.denominator + high.numerator * low.denominator
        return _quotient(top, high.shift, low.denominator * high.denominator, low.unit)

    def __neg__(self) -> ClosedForm:
        return ClosedForm(-self.numerator, self.shift, self.denominator, self.unit)

    def __sub__(self, other: ClosedForm) -> ClosedForm:
        return self + -other

    def __mul__(self, other: ClosedForm) -> ClosedForm:
        one, other = _alike(self, other)
        top, bottom = one.numerator * other.numerator, one.denominator * other.denominator
        return _quotient(top, one.shift + other.shift, bottom, one.unit)

    def __truediv__(self, other: ClosedForm) -> ClosedForm:
        one, other = _alike(self, other)
        top, bottom = one.numerator * other.denominator, one.denominator * other.numerator
        return _quotient(top, one.shift - other.shift, bottom, one.unit)

    def __bool__(self) -> bool:
        return not self.numerator.is_zero()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClosedForm):
            return NotImplemented
        one, other = _alike(self, other)
        return one.key == other.key

    @property
    def key(self) -> tuple[object, ...]:
        """What tells functions of one unit apart."""
        return self.shift, str(self.numerator), str(self.denominator)

    @property
    def is_sum(self) -> bool:
        """Whether there is no denominator but a power of y."""
        return bool(self.denominator == _ONE)

    def on(self, unit: int) -> ClosedForm:
        """The same function in a multiple of its unit."""
        factor = unit // self.unit
        if factor == 1:
            return self
        top, bottom = self.numerator.inflate([1, factor]), self.denominator.inflate([1, factor])
        return ClosedForm(top, self.shift * factor, bottom, unit)

    def raised(self, rate: Fraction) -> ClosedForm:
        """Times e^(rate eps)."""
        fine = self.on(lcm(self.unit, rate.denominator))
        return ClosedForm(fine.numerator, fine.shift - int(rate * fine.unit), fine.denominator, fine.unit)

    def below(self) -> ExponentialPolynomial:
        """The normal form of the denominator."""
        return normal_form(self.denominator, self.unit)

    def parts(self) -> tuple[ExponentialPolynomial, ExponentialPolynomial]:
        """Numerator and denominator, as certificates write them: e^(k eps) is in the first."""
        top = _by_exponent(self.numerator, self.unit, y=self.shift)
        return top, _by_exponent(self.denominator, self.unit)

    def multiple(self) -> Fraction | None:
        """The c where this is c eps."""
        c = self.numerator.to_dict().get((1, 0), fmpq(0))
        return to_fraction(c) if self == EPSILON * constant(c) else None

    def text(self) -> str:
        """As plain text."""
        return self._written(_TEXT)

    def latex(self) -> str:
        """As LaTeX, for mathematical mode."""
        return self._written(_LATEX)

    def document(self) -> dict[str, object]:
        """Numerator and denominator as certificates write them, and the text."""
        top, bottom = self.parts()
        return {"text": self.text(), "numerator": top.as_document(), "denominator": bottom.as_document()}

    def ball(self, epsilon: Fraction, precision: int = 128) -> arb:
        """Its value at a rational epsilon, enclosed."""
        with ctx.workprec(precision):
            x = to_fmpq(epsilon)
            y = arb(x / self.unit).exp()
            top, bottom = (
                sum((arb(c * x ** int(j)) * y ** int(k) for (j, k), c in part.terms()), arb(0))
                for part in (self.numerator, self.denominator)
            )
            return top / bottom * y**-self.shift

    def enclosure(self, epsilon: Fraction, digits: int = 7) -> tuple[str, str]:
        """Decimals below and above its value at a rational epsilon."""
        ball = self.ball(epsilon)
        low, high = point_value(ball.lower()), point_value(ball.upper())
        return decimal_down(max(low, Fraction(0)), digits), decimal_up(high, digits)

    def _written(self, style: _Style) -> str:
        if not self:
            return "0"
        content = to_fraction(_content(self.numerator))
        scale, power = content.denominator, max(0, self.shift)
        top = self.numerator * scale * _y(power - self.shift)
        above = style.sum(top, self.unit)
        below = [str(scale)] if scale != 1 else []
        if power:
            below.append(style.exponential(Fraction(power, self.unit)))
        if not self.is_sum:
            divisor = style.sum(self.denominator, self.unit)
            below.append(divisor if style.is_latex and not below else f"({divisor})")
        if not below:
            return above
        product = style.times.join(below)
        if style.is_latex:
            return rf"\frac{{{above}}}{{{product}}}"
        return f"{f'({above})' if len(top) > 1 else above} / {f'({product})' if len(below) > 1 else product}"

    def _essence(self) -> str:
        terms = len(self.numerator) + len(self.denominator)
        return self.text() if terms <= _FEW_TERMS else f"{terms} terms"


def _alike(one: ClosedForm, other: ClosedForm) -> tuple[ClosedForm, ClosedForm]:
    """Both in one unit."""
    if one.unit == other.unit:
        return one, other
    unit = lcm(one.unit, other.unit)
    return one.on(unit), other.on(unit)


def _quotient(numerator: fmpq_mpoly, shift: int, denominator: fmpq_mpoly, unit: int) -> ClosedForm:
    """The normalised quotient. Requires: the denominator is not 0."""
    if numerator.is_zero():
        return ZERO
    numerator, up = _without_y(numerator)
    if denominator == _ONE:
        return ClosedForm(numerator, shift - up, _ONE, unit)
    denominator, down = _without_y(denominator)
    common = numerator.gcd(denominator)
    if common != _ONE:
        numerator, denominator = numerator / common, denominator / common
    sign = 1 if denominator.leading_coefficient() > 0 else -1
    scale = sign / _content(denominator)
    return ClosedForm(numerator * scale, shift - up + down, denominator * scale, unit)


def _y(power: int) -> fmpq_mpoly:
    return RING.from_dict({(0, power): 1})


def _without_y(polynomial: fmpq_mpoly) -> tuple[fmpq_mpoly, int]:
    least = min(int(k) for _, k in polynomial.monoms())
    return polynomial / _y(least) if least else polynomial, least


def constant(value: fmpq) -> ClosedForm:
    """A number."""
    return ClosedForm(RING.from_dict({(0, 0): value}), 0, _ONE, 1)


def exponential(rate: Fraction) -> ClosedForm:
    """e^(rate eps)."""
    return ClosedForm(_ONE, -rate.numerator, _ONE, rate.denominator)


def sum_of(terms: Mapping[tuple[Fraction, int], fmpq]) -> ClosedForm:
    """The sum of c eps^j e^(k eps) over {(k, j): c}."""
    unit = lcm(*(k.denominator for k, _ in terms))
    least = min((int(k * unit) for k, _ in terms), default=0)
    found = RING.from_dict({(j, int(k * unit) - least): c for (k, j), c in terms.items() if c})
    return _quotient(found, -least, _ONE, unit)


ZERO, ONE = constant(fmpq(0)), constant(fmpq(1))
EPSILON = sum_of({(Fraction(0), 1): fmpq(1)})


def cleared(summands: Iterable[ClosedForm]) -> ExponentialPolynomial:
    """The normal form of a sum, which is multiplied by the product of the different denominators.

    Requires: the summands are in one unit.
    """
    listed = [summand for summand in summands if summand]
    bottoms: list[fmpq_mpoly] = []
    for summand in listed:
        if not summand.is_sum and not any(summand.denominator == known for known in bottoms):
            bottoms.append(summand.denominator)
    highest = max((summand.shift for summand in listed), default=0)
    total = ZERO.numerator
    for summand in listed:
        term = summand.numerator * _y(highest - summand.shift)
        for bottom in bottoms:
            if bottom != summand.denominator:
                term = term * bottom
        total = total + term
    return normal_form(total, listed[0].unit if listed else 1)


# --- as a person reads it ---


@dataclass(frozen=True)
class _Style:
    epsilon: str
    times: str
    is_latex: bool

    def exponential(self, rate: Fraction) -> str:
        gap = "" if self.is_latex else " "
        top = {1: "", -1: "-"}.get(rate.numerator, f"{rate.numerator}{gap}")
        text = f"{top}{self.epsilon}" + (f"/{rate.denominator}" if rate.denominator > 1 else "")
        if self.is_latex:
            return f"e^{{{text}}}"
        return f"e^{text}" if text == self.epsilon else f"e^({text})"

    def power(self, degree: int) -> str:
        if degree == 1:
            return self.epsilon
        return f"{self.epsilon}^{{{degree}}}" if self.is_latex else f"{self.epsilon}^{degree}"

    def sum(self, polynomial: fmpq_mpoly, unit: int) -> str:
        """The terms, by growing exponent and degree."""
        text = ""
        for k, j, c in sorted((int(k), int(j), to_fraction(c)) for (j, k), c in polynomial.terms()):
            factors = [str(abs(c))] if abs(c) != 1 or (k == 0 and j == 0) else []
            if j:
                factors.append(self.power(j))
            if k:
                factors.append(self.exponential(Fraction(k, unit)))
            sign = "-" if c < 0 else "+"
            text += f" {sign} " if text else sign.strip("+")
            text += self.times.join(factors)
        return text


_TEXT = _Style("eps", " ", is_latex=False)
_LATEX = _Style(r"\varepsilon", r"\,", is_latex=True)

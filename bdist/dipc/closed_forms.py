"""Probabilities as functions of epsilon that a person can read: text, LaTeX, JSON, and balls.

A closed form is written over one denominator, with integers for coefficients and no negative exponent, as
papers do:

    (-22 - 3 eps + 32 e^(eps/4)) / (48 e^(eps/2))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from flint import arb, ctx, fmpq_mpoly

from bdist.dipc.exponentials import ONE, Ratio, exponential_parts
from bdist.exact.display import decimal_down, decimal_up
from bdist.exact.fast import fast

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
            x = fast(epsilon)
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
        top, bottom = _listed(self.ratio.numerator), _listed(self.ratio.denominator)
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


def _listed(polynomial: fmpq_mpoly) -> _Terms:
    """The terms, by growing exponent and degree."""
    return sorted((int(k), int(j), Fraction(int(c.p), int(c.q))) for (j, k), c in polynomial.terms())


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

"""Couplings: upper bounds on a linear program, for upper records and for the leaves of trees alike.

If Σ_j w(i,j) + b(i) − α Σ_j w(j,i) ≥ μ(i) − α ν(i) at every state i, with w, b ≥ 0, then
Σ_i f_i (μ(i) − α ν(i)) ≤ Σ w(i,j) U(i,j) + Σ b(i) for every f with 0 ≤ f ≤ 1 and f_i − α f_j ≤ U(i,j).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

from ..core import Rejected
from ..core.chain import Model
from ..core.digits import comparison
from ..core.limits import Work
from ..core.text import shown
from ..core.vectors import Vector, common_denominator, scaled
from .document import Coupling, Pair

ZERO, ONE = Fraction(0), Fraction(1)

UpperTable = Callable[[str, str], Fraction]


def upper_table(model: Model, recorded: Mapping[Pair, Fraction]) -> UpperTable:
    """U, where the values of the records are given under ordered pairs."""

    def upper(i: str, j: str) -> Fraction:
        """U(i, j)."""
        if i == j:
            return ZERO
        if model.labels[i] != model.labels[j]:
            return ONE
        return recorded.get((i, j), ONE)

    return upper


class Multipliers(NamedTuple):
    """A coupling as integers over one denominator m."""

    w: dict[Pair, int]
    b: dict[str, int]
    m: int

    @staticmethod
    def of(coupling: Coupling, work: Work) -> Multipliers:
        """The same numbers. Raises: TooLarge."""
        m = common_denominator([*coupling.w.values(), *coupling.b.values()], work)
        return Multipliers(scaled(coupling.w, m), scaled(coupling.b, m), m)


def check_coupling(
    step: str, title: object, coupling: Multipliers, mu: Vector, nu: Vector, alpha: Fraction, work: Work
) -> None:
    """The inequalities above. Raises: Rejected, with the step; TooLarge.

    They are tested on integers: with α = p/q, and with m, r, s for the common denominators of w and b, of μ
    and of ν, the left side is an integer over q m, and the right side one over q r s.
    """
    p, q = alpha.as_integer_ratio()
    m, r, s = coupling.m, mu.denominator, nu.denominator
    terms = len(coupling.w) + len(coupling.b) + len(mu.numerators) + len(nu.numerators)
    work.spend(terms, (p * m).bit_length(), (p * r * s).bit_length())
    work.hold(terms, (p * m).bit_length() + (p * r * s).bit_length())
    left: defaultdict[str, int] = defaultdict(int)  # Σ_j w(i,j) + b(i) − α Σ_j w(j,i), times q m, by i
    for (i, j), x in coupling.w.items():
        if not x >= 0:  # w ≥ 0
            place = f"{title}: w({shown(i)}, {shown(j)})"
            raise Rejected(step, f"{place} is {comparison(Fraction(x, m), '<', ZERO)}")
        left[i] += q * x
        left[j] -= p * x
    for i, x in coupling.b.items():
        if not x >= 0:  # b ≥ 0
            raise Rejected(step, f"{title}: b({shown(i)}) is {comparison(Fraction(x, m), '<', ZERO)}")
        left[i] += q * x
    right: defaultdict[str, int] = defaultdict(int)  # μ(i) − α ν(i), times q r s
    for i, x in mu.numerators.items():
        right[i] += q * s * x
    for i, x in nu.numerators.items():
        right[i] -= p * r * x
    for i in {**left, **right}:  # at every other state both sides are 0
        if not left[i] * r * s >= right[i] * m:  # Σ_j w(i,j) + b(i) − α Σ_j w(j,i) ≥ μ(i) − α ν(i)
            numbers = comparison(Fraction(left[i], q * m), "<", Fraction(right[i], q * r * s))
            raise Rejected(step, f"{title}, state {shown(i)}: the left side is too small, {numbers}")


def cost(coupling: Multipliers, upper: UpperTable, work: Work) -> Fraction:
    """Σ_{i,j} w(i,j) U(i,j) + Σ_i b(i). Raises: TooLarge."""
    prices = {(i, j): upper(i, j) for i, j in coupling.w}  # U(i,j)
    d = common_denominator(prices.values(), work)
    bits = coupling.m.bit_length() + d.bit_length()
    work.spend(len(prices), coupling.m.bit_length(), d.bit_length())
    work.reduce(bits)
    total = d * sum(coupling.b.values())  # Σ_i b(i), times m d
    for pair, u in scaled(prices, d).items():
        total += coupling.w[pair] * u  # Σ_{i,j} w(i,j) U(i,j), times m d
    return Fraction(total, coupling.m * d)

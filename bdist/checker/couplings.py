"""Couplings: upper bounds on a linear program, for upper records and for the leaves of trees alike.

If Σ_j w(i,j) + b(i) − α Σ_j w(j,i) ≥ μ(i) − α ν(i) at every state i, with w, b ≥ 0, then
Σ_i f_i (μ(i) − α ν(i)) ≤ Σ w(i,j) U(i,j) + Σ b(i) for every f with 0 ≤ f ≤ 1 and f_i − α f_j ≤ U(i,j).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction

from .digits import comparison
from .document import Coupling, Pair
from .model import Model, shown
from .steps import Rejected
from .vectors import Vector, common_denominator

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


def check_coupling(
    step: str, title: str, coupling: Coupling, mu: Vector, nu: Vector, alpha: Fraction
) -> None:
    """The inequalities above. Raises: Rejected, with the step.

    They are tested on integers: with α = p/q, and with m, r, s for the common denominators of w and b, of μ
    and of ν, the left side is an integer over q m, and the right side one over q r s.
    """
    p, q = alpha.as_integer_ratio()
    m = common_denominator([*coupling.w.values(), *coupling.b.values()])
    r, s = mu.denominator, nu.denominator
    left: defaultdict[str, int] = defaultdict(int)  # Σ_j w(i,j) + b(i) − α Σ_j w(j,i), times q m, by i
    for (i, j), x in coupling.w.items():
        if not x >= 0:  # w ≥ 0
            place = f"{title}: w({shown(i)}, {shown(j)})"
            raise Rejected(step, f"{place} is {comparison(x, '<', ZERO)}")
        xm = x.numerator * (m // x.denominator)
        left[i] += q * xm
        left[j] -= p * xm
    for i, x in coupling.b.items():
        if not x >= 0:  # b ≥ 0
            raise Rejected(step, f"{title}: b({shown(i)}) is {comparison(x, '<', ZERO)}")
        left[i] += q * x.numerator * (m // x.denominator)
    for i in dict.fromkeys([*left, *mu.numerators, *nu.numerators]):  # at every other state both sides are 0
        # μ(i) − α ν(i), times q r s
        right = q * s * mu.numerators.get(i, 0) - p * r * nu.numerators.get(i, 0)
        if not left[i] * r * s >= right * m:  # Σ_j w(i,j) + b(i) − α Σ_j w(j,i) ≥ μ(i) − α ν(i)
            numbers = comparison(Fraction(left[i], q * m), "<", Fraction(right, q * r * s))
            raise Rejected(step, f"{title}, state {shown(i)}: the left side is too small, {numbers}")


def cost(coupling: Coupling, upper: UpperTable) -> Fraction:
    """Σ_{i,j} w(i,j) U(i,j) + Σ_i b(i)."""
    moved = sum((x * upper(i, j) for (i, j), x in coupling.w.items()), ZERO)
    return moved + sum(coupling.b.values(), ZERO)

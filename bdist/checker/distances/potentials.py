"""Potentials: lower bounds on a linear program, for the lower records.

A potential f with 0 ≤ f ≤ 1 and f_i − α f_j ≤ d(i,j), for all states i, j with the same label, shows that
K(d)(μ, ν) is at least Σ_i f_i (μ(i) − α ν(i)). It is given by its values at some states, by a value for the
other states of a label where the certificate lists one, and is 0 elsewhere.

These others may be a thousand states, and few of their constraints need a look. Between two of them it is
c − α c ≤ d, which holds because α ≥ 1 and d ≥ 0. Between i, which f names, and each of them the left side is
the same, f_i − α c, or c − α f_i in the other order. So it is enough to look at the one where d is least.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from ..core.chain import Model, shown
from ..core.digits import brief, comparison
from ..core.limits import PIECE, Work
from ..core.steps import Rejected
from .document import Potential
from .tables import Ratio, Table
from .vectors import Vector, common_denominator, scaled


class Scaled(NamedTuple):
    """A potential as integers over one denominator m."""

    named: dict[str, int]
    rest: dict[str, int]  # by label
    m: int

    @staticmethod
    def of(f: Potential, work: Work) -> Scaled:
        """The same function. Raises: TooLarge."""
        m = common_denominator([*f.named.values(), *f.rest.values()], work)
        return Scaled(scaled(f.named, m), scaled(f.rest, m), m)

    def at(self, i: str, model: Model) -> int:
        """h_i: the value named for i, else the rest of its label, else 0."""
        return self.named[i] if i in self.named else self.rest.get(model.labels[i], 0)


def check_range(step: str, title: object, f: Potential) -> None:
    """0 ≤ f ≤ 1. Raises: Rejected."""
    letter = step[-1]  # f or g
    for i, x in f.named.items():
        if not 0 <= x.numerator <= x.denominator:  # 0 ≤ f_i ≤ 1
            raise Rejected(step, f"{title}: {letter}({shown(i)}) = {brief(x)} is not between 0 and 1")
    for c, x in f.rest.items():
        if not 0 <= x.numerator <= x.denominator:  # 0 ≤ f_i ≤ 1, where ℓ(i) = c and f does not name i
            what = f"the rest of the label {shown(c)}"
            raise Rejected(step, f"{title}: {letter} is {brief(x)} at {what}, which is not between 0 and 1")


def check_differences(
    step: str, title: object, h: Scaled, table: Table, model: Model, alpha: Fraction
) -> None:
    """f_i − α f_j ≤ d(i,j) for all i, j with the same label. Requires: d, f ≥ 0. Raises: Rejected, TooLarge.

    It is tested on integers: with f = h/m and α = p/q, it is q h_i − p h_j ≤ d(i,j) q m.
    """
    qm = alpha.denominator * h.m
    bits = qm.bit_length()
    for left, i, j in _differences(h, table, model, alpha):
        above, below = table.at(i, j)  # d(i,j) = above / below
        if bits + below.bit_length() > PIECE:  # short ones are counted where they come from
            table.work.spend(1, bits, max(above, below).bit_length())
        if not left * below <= above * qm:  # f_i − α f_j ≤ d(i,j)
            numbers = comparison(Fraction(left, qm), ">", Fraction(above, below))
            what = f"{step[-1]}({shown(i)}) − α {step[-1]}({shown(j)})"
            raise Rejected(step, f"{title}: {what} exceeds its bound, {numbers}")


def _differences(h: Scaled, table: Table, model: Model, alpha: Fraction) -> Iterator[tuple[int, str, str]]:
    """The left sides q h_i − p h_j that need a look at d(i,j), with i and j. See above; all of them are > 0.

    For i = j the left side is ≤ 0, because α ≥ 1.
    """
    p, q = alpha.as_integer_ratio()
    table.work.hold(2 * len(h.named), (p * h.m).bit_length())
    groups: dict[str, list[tuple[str, int, int]]] = {}  # i, q h_i, p h_i for the named states i, by label
    for i, h_i in h.named.items():
        groups.setdefault(model.labels[i], []).append((i, q * h_i, p * h_i))
    for c, named in groups.items():
        h_k = h.rest.get(c, 0)  # at each state k of the label that h does not name
        some_unnamed = len(named) < len(model.states_of[c])
        table.work.spend(len(named) * (len(named) + 2), (p * h.m).bit_length())
        for i, qh_i, ph_i in named:
            for j, _, ph_j in named:
                if qh_i - ph_j > 0:
                    yield qh_i - ph_j, i, j
            if some_unnamed and qh_i - p * h_k > 0:
                yield qh_i - p * h_k, i, _first_unnamed(table.rising_from(i), h)
            if some_unnamed and q * h_k - ph_i > 0:
                yield q * h_k - ph_i, _first_unnamed(table.rising_to(i), h), i


def _first_unnamed(states: Iterable[str], h: Scaled) -> str:
    return next(k for k in states if k not in h.named)


def objective(h: Scaled, mu: Vector, nu: Vector, model: Model, alpha: Fraction, work: Work) -> Ratio:
    """Σ_i f_i (μ(i) − α ν(i)), with a denominator > 0. Raises: TooLarge."""
    p, q = alpha.as_integer_ratio()
    length = (p * mu.denominator * nu.denominator).bit_length()
    work.spend(len(mu.numerators) + len(nu.numerators), h.m.bit_length(), length)
    over_mu = sum(x * h.at(i, model) for i, x in mu.numerators.items())  # Σ_i f_i μ(i), times r m
    over_nu = sum(x * h.at(i, model) for i, x in nu.numerators.items())  # Σ_i f_i ν(i), times s m
    r, s = mu.denominator, nu.denominator
    return q * s * over_mu - p * r * over_nu, q * r * s * h.m

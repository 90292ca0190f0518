"""Lower bounds: tables of numbers, the table B of what words tell, and the potentials of the lower records.

*Potentials.* A potential f with 0 ≤ f ≤ 1 and f_i − α f_j ≤ d(i,j), for all states i, j with the same label,
shows that K(d)(μ, ν) is at least Σ_i f_i (μ(i) − α ν(i)). It is given by its values at some states, by a
value for the other states of a label where the certificate lists one, and is 0 elsewhere. These others may be
a thousand states, and few of their constraints need a look. Between two of them it is c − α c ≤ d, which
holds because α ≥ 1 and d ≥ 0. Between i, which f names, and each of them the left side is the same,
f_i − α c, or c − α f_i in the other order. So it is enough to look at the one where d is least.

*Tables* hold numbers d(i,j) for different states i and j with the same label. A table knows how to compute
each of its numbers, and does so when it is looked at, once; and it lists the states in rising order of d(i,k)
or of d(k,i): one sort for a state, instead of a loop over all states in every record. What is computed is
kept, and both are counted as work: a short certificate can ask for the numbers of all pairs of a long model.

*Words.* The base table B says how well the labels of the next m steps tell two states apart, a lower bound on
the distance that needs no record: whoever watches m labels after i, or after j, and accepts the words that
are more than α times as likely after i, gains

    B→(i,j) = Σ_u max(0, P_i(u) − α P_j(u)) = 1 − Σ_u min(P_i(u), α P_j(u)),

where P_i(u) is the probability that the m states after i carry the labels of the word u. (Both sums are the
same, because max(0, a − b) = a − min(a, b) and P_i has the sum 1; the second needs only words that occur
after both.) For bd_α the better order counts, B(i,j) = max(B→(i,j), B→(j,i)); for ld_α B is B→. SPEC section
4 shows that B is not above the distance. The checker computes it from the model, so a certificate says m and
nothing more. It does so for the pairs that are looked at, and P for the states that are passed on the way. A
word is the integer that its labels make as digits, and P_i a dictionary of integers over one denominator.
There may be exponentially many words, so each that is kept is counted, and where there are too many the
certificate is too large to check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cmp_to_key
from math import gcd, lcm
from typing import NamedTuple

from ..core import Rejected
from ..core.chain import Model
from ..core.digits import brief, comparison
from ..core.limits import PIECE, Work
from ..core.text import shown
from ..core.vectors import Vector, common_denominator, least_common_multiple, scaled
from .document import Potential

Ratio = tuple[int, int]  # x/y is (x, y), with y > 0, and not always in lowest terms
NIL: Ratio = (0, 1)
UNIT: Ratio = (1, 1)

_Listed = tuple[str, Ratio]


class Table:
    """d, entered or else computed; if it is symmetric, d(i,j) = d(j,i) is one number."""

    def __init__(
        self, model: Model, symmetric: bool, compute: Callable[[str, str], Ratio], work: Work
    ) -> None:
        self.work = work
        self._model = model
        self._symmetric = symmetric
        self._compute = compute
        self._rows: dict[str, dict[str, Ratio]] = {state: {} for state in model.labels}
        self._rising: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})  # rows, columns

    def at(self, i: str, j: str) -> Ratio:
        """d(i,j). Requires: i ≠ j, and they have the same label. Raises: TooLarge."""
        value = self._rows[i].get(j)
        if value is None:
            value = self._compute(i, j)
            self.work.keep(1, value[1].bit_length())
            self._set(i, j, value)
        return value

    def enter(self, i: str, j: str, value: Ratio) -> None:
        """Let d(i,j) be this number."""
        self._set(i, j, value)
        for rising in self._rising:  # what was sorted with another number is forgotten
            rising.pop(i, None)
            rising.pop(j, None)

    def rising_from(self, i: str) -> list[str]:
        """The other states k with the label of i, that with the least d(i,k) first."""
        rows, _ = self._rising
        if i not in rows:
            rows[i] = self._sorted([(k, self.at(i, k)) for k in self._peers(i)])
        return rows[i]

    def rising_to(self, j: str) -> list[str]:
        """The other states k with the label of j, that with the least d(k,j) first."""
        if self._symmetric:
            return self.rising_from(j)
        _, columns = self._rising
        if j not in columns:
            columns[j] = self._sorted([(k, self.at(k, j)) for k in self._peers(j)])
        return columns[j]

    def _peers(self, i: str) -> list[str]:
        return [k for k in self._model.states_of[self._model.labels[i]] if k != i]

    def _set(self, i: str, j: str, value: Ratio) -> None:
        self._rows[i][j] = value
        if self._symmetric:
            self._rows[j][i] = value

    def _sorted(self, listed: list[_Listed]) -> list[str]:
        def difference(one: _Listed, other: _Listed) -> int:
            (_, (x, y)), (_, (u, v)) = one, other
            return x * v - u * y  # has the sign of x/y − u/v

        longest = max((max(ratio).bit_length() for _, ratio in listed), default=0)
        self.work.spend(len(listed) * len(listed).bit_length(), longest, longest)
        return [k for k, _ in sorted(listed, key=cmp_to_key(difference))]


Distribution = tuple[dict[int, int], int]  # of words of one length: numerators, and their denominator


class _Words:
    """The probabilities of words."""

    def __init__(self, model: Model, work: Work) -> None:
        self._model = model
        self._work = work
        self._digit = {label: digit for digit, label in enumerate(dict.fromkeys(model.labels.values()))}
        self._known: dict[int, dict[str, Distribution]] = {}

    def after(self, i: str, m: int) -> Distribution:
        """P_i for the words of length m, without those of probability 0. Raises: TooLarge."""
        if m == 0:
            return {0: 1}, 1  # P_i(empty word) = 1
        known = self._known.setdefault(m, {})
        if i not in known:
            known[i] = self._one_step_before(i, m)
        return known[i]

    def _one_step_before(self, i: str, m: int) -> Distribution:
        """P_i(c u) = Σ_{k: ℓ(k) = c} μ_i(k) P_k(u), where u is one label shorter."""
        row = self._model.vectors[i]  # μ_i
        parts = [(k, x, *self.after(k, m - 1)) for k, x in row.numerators.items()]
        scale = least_common_multiple([denominator for _, _, _, denominator in parts], self._work)
        below = row.denominator * scale
        place = len(self._digit) ** (m - 1)  # the value of the first of m digits
        sums: dict[int, int] = {}
        for k, x, part, denominator in parts:
            first, factor = self._digit[self._model.labels[k]] * place, x * (scale // denominator)
            self._work.spend(len(part), factor.bit_length(), denominator.bit_length())
            words = len(sums)
            for u, y in part.items():
                sums[first + u] = sums.get(first + u, 0) + factor * y
            self._work.keep(len(sums) - words, below.bit_length())
        self._work.reduce(below.bit_length())
        common = gcd(below, *sums.values())
        return {u: x // common for u, x in sums.items()}, below // common


def base_table(model: Model, alpha: Fraction, m: int, symmetric: bool, work: Work) -> Table:
    """B, for words of length m."""
    p, q = alpha.as_integer_ratio()
    words = _Words(model, work)

    def one_order(i: str, j: str) -> Ratio:
        """B→(i,j), over q times the common denominator of P_i and P_j."""
        (x, below_x), (y, below_y) = words.after(i, m), words.after(j, m)
        below = lcm(below_x, below_y)
        factor_x, factor_y = q * (below // below_x), p * (below // below_y)
        bits = (p * below).bit_length()
        work.spend(len(x) + 4, bits, bits)
        common = 0  # Σ_u min(P_i(u), α P_j(u)); a word that one of them does not produce adds nothing
        for u, x_u in x.items():
            if u in y:
                one, other = factor_x * x_u, factor_y * y[u]
                common += one if one < other else other
        return q * below - common, q * below  # Σ_u max(0, P_i(u) − α P_j(u)), as Σ_u P_i(u) = 1

    def base(i: str, j: str) -> Ratio:
        """B(i,j)."""
        above, below = one_order(i, j)
        if symmetric:  # the denominator is the same in both orders
            above = max(above, one_order(j, i)[0])
        common = gcd(above, below)
        return above // common, below // common

    return Table(model, symmetric, base, work)


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

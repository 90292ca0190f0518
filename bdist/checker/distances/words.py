"""The base table B: how well the labels of the next m steps tell two states apart.

A lower bound on the distance that needs no record: whoever watches m labels after i, or after j, and accepts
the words that are more than α times as likely after i, gains

    B→(i,j) = Σ_u max(0, P_i(u) − α P_j(u)) = 1 − Σ_u min(P_i(u), α P_j(u)),

where P_i(u) is the probability that the m states after i carry the labels of the word u. (Both sums are the
same, because max(0, a − b) = a − min(a, b) and P_i has the sum 1; the second needs only words that occur
after both.) For bd_α the better order counts, B(i,j) = max(B→(i,j), B→(j,i)); for ld_α B is B→. SPEC section
4 shows that B is not above the distance. The checker computes it from the model, so a certificate says m and
nothing more.

B is computed for the pairs that are looked at, and P for the states that are passed on the way. A word is the
integer that its labels make as digits, and P_i a dictionary of integers over one denominator. There may be
exponentially many words, so each that is kept is counted, and where there are too many the certificate is too
large to check.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from ..core.chain import Model
from ..core.limits import Work
from .tables import Ratio, Table
from .vectors import least_common_multiple

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

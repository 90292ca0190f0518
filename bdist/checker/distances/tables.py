"""Tables of lower bounds, and what words tell.

*Words.* The base table B says how well the labels of the next m steps tell two states apart, a lower bound on
the distance that needs no function: whoever watches m labels after i, or after j, and accepts the words that
are more than α times as likely after i, gains

    B→(i,j) = Σ_u max(0, P_i(u) − α P_j(u)) = 1 − Σ_u min(P_i(u), α P_j(u)),

where P_i(u) is the probability that the m states after i carry the labels of the word u. (Both sums are the
same, because max(0, a − b) = a − min(a, b) and P_i has the sum 1; the second needs only words that occur
after both.) A word is the integer that its labels make as digits, and P_i a dictionary of integers over one
denominator. There may be exponentially many words, so each that is kept is counted.

*Tables* hold numbers d(i,j) for different states of one label, those that were entered and else a default,
which is computed where it is looked at. A function is compared with whole lines of a table, d(i,·) or d(·,i),
and most comparisons are not close. So a line is a list of integers, the numbers times 2^64 and rounded down,
and a number itself is looked at only where the rounded one does not settle the comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd, lcm

from ..core.limits import Work
from ..core.vectors import least_common_multiple
from .document import Pair
from .quotient import Chain
from .upper import Ratio

SCALE = 64  # bits behind the point of a rounded number
NIL: Ratio = (0, 1)
UNIT: Ratio = (1, 1)

Distribution = tuple[dict[int, int], int]  # of words of one length: numerators, and their denominator


class Words:
    """The probabilities of words, and how well they tell two states apart."""

    def __init__(self, chain: Chain, alpha: Fraction, longest: int, symmetric: bool, work: Work) -> None:
        self.longest = longest
        self._chain = chain
        self._alpha = alpha.as_integer_ratio()
        self._symmetric = symmetric
        self._work = work
        self._digit = {label: digit for digit, label in enumerate(chain.group)}
        self._known: dict[Pair, Distribution] = {}

    def base(self, i: int, j: int) -> Ratio:
        """B(i,j)."""
        if self.longest == 0:
            return NIL
        above, below = self._gain(i, j)
        if self._symmetric:  # the denominator is the same in both orders
            above = max(above, self._gain(j, i)[0])
        common = gcd(above, below)
        return above // common, below // common

    def shortest(self, i: int, j: int, most: int) -> int | None:
        """m(p) for the pair p of i and j, if it is at most so much."""
        return next((m for m in range(1, most + 1) if self.tell(i, j, m)), None)

    def tell(self, i: int, j: int, m: int) -> bool:
        """Whether B→_m(i,j) > 0, or B→_m(j,i) > 0 if the quantity is bd."""
        return self.favour(i, j, m) or (self._symmetric and self.favour(j, i, m))

    def favour(self, i: int, j: int, m: int) -> bool:
        """Whether B→_m(i,j) > 0: some word is more than α times as likely after i as after j."""
        (x, below_x), (y, below_y), (p, q) = self._after(i, m), self._after(j, m), self._alpha
        one, other = q * below_y, p * below_x
        self._work.spend(len(x) + 1, one.bit_length(), other.bit_length())
        return any(one * x_u > other * y.get(u, 0) for u, x_u in x.items())

    def _gain(self, i: int, j: int) -> Ratio:
        """B→(i,j), over q times the common denominator of P_i and P_j."""
        (x, below_x), (y, below_y) = self._after(i, self.longest), self._after(j, self.longest)
        (p, q), below = self._alpha, lcm(below_x, below_y)
        factor_x, factor_y = q * (below // below_x), p * (below // below_y)
        bits = (p * below).bit_length()
        self._work.spend(len(x) + 4, bits, bits)
        common = 0  # Σ_u min(P_i(u), α P_j(u)); a word that one of them does not produce adds nothing
        for u, x_u in x.items():
            if u in y:
                one, other = factor_x * x_u, factor_y * y[u]
                common += one if one < other else other
        return q * below - common, q * below  # Σ_u max(0, P_i(u) − α P_j(u)), as Σ_u P_i(u) = 1

    def _after(self, i: int, m: int) -> Distribution:
        """P_i for the words of length m, without those of probability 0. Raises: TooLarge.

        P_i(c u) = Σ_{k: ℓ(k) = c} μ_i(k) P_k(u), where u is one label shorter.
        """
        if m == 0:
            return {0: 1}, 1  # P_i(empty word) = 1
        if (i, m) in self._known:
            return self._known[i, m]
        chain, work = self._chain, self._work
        parts = [(k, x, *self._after(k, m - 1)) for k, x in chain.rows[i].items()]
        scale = least_common_multiple([denominator for _, _, _, denominator in parts], work)
        below = chain.overs[i] * scale
        place = len(self._digit) ** (m - 1)  # the value of the first of m digits
        sums: dict[int, int] = {}
        for k, x, part, denominator in parts:
            first, factor = self._digit[chain.labels[k]] * place, x * (scale // denominator)
            work.spend(len(part), factor.bit_length(), denominator.bit_length())
            words = len(sums)
            for u, y in part.items():
                sums[first + u] = sums.get(first + u, 0) + factor * y
            work.keep(len(sums) - words, below.bit_length())
        work.reduce(below.bit_length())
        common = gcd(below, *sums.values())
        found = self._known[i, m] = {u: x // common for u, x in sums.items()}, below // common
        return found


class Table:
    """d, entered or else a default; if it is symmetric, d(i,j) = d(j,i) is one number."""

    def __init__(
        self, chain: Chain, symmetric: bool, default: Callable[[int, int], Ratio], work: Work
    ) -> None:
        self.entered: dict[Pair, Ratio] = {}
        self._chain = chain
        self._symmetric = symmetric
        self._default = default
        self._work = work
        self._computed: dict[Pair, Ratio] = {}
        rows: dict[int, list[int]] = {}
        rising: dict[int, list[int]] = {}
        # of d(i,·) and of d(·,i), which are the same if the table is symmetric
        self._lines = (rows, rows if symmetric else {})
        self._rising = (rising, rising if symmetric else {})

    def key(self, i: int, j: int) -> Pair:
        """The pair of i and j, which has one number."""
        return (j, i) if self._symmetric and j < i else (i, j)

    def at(self, i: int, j: int) -> Ratio:
        """d(i,j). Requires: i ≠ j, and they have the same label. Raises: TooLarge."""
        pair = self.key(i, j)
        value = self.entered.get(pair) or self._computed.get(pair)
        if value is None:
            value = self._computed[pair] = self._default(i, j)
            self._work.keep(1, value[1].bit_length())
        return value

    def enter(self, pair: Pair, value: Ratio) -> None:
        """Let the number of a pair, as `key` has it, be this one."""
        self.entered[pair] = value
        rounded, place = (value[0] << SCALE) // value[1], self._chain.place
        for (i, j), across in ((pair, 0), (pair[::-1], 1)):
            if i in self._lines[across]:
                self._lines[across][i][place[j]] = rounded
                self._rising[across].pop(i, None)

    def line(self, i: int, across: int) -> list[int]:
        """d(i,k), or d(k,i) across, rounded down, for the states k of the label of i; 1 where k = i."""
        lines = self._lines[across]
        if i not in lines:
            peers = self._chain.group[self._chain.labels[i]]
            self._work.keep(len(peers), SCALE)
            self._work.spend(len(peers))
            line = []
            for k in peers:
                value = UNIT
                if k != i:
                    pair = self.key(k, i) if across else self.key(i, k)
                    value = self.entered.get(pair) or self._computed.get(pair) or self._default(*pair)
                line.append((value[0] << SCALE) // value[1])
            lines[i] = line
        return lines[i]

    def rising(self, i: int, across: int) -> list[int]:
        """The states k with the label of i, that with the least number in that line first."""
        rising = self._rising[across]
        if i not in rising:
            line, peers = self.line(i, across), self._chain.group[self._chain.labels[i]]
            self._work.spend(len(peers) * len(peers).bit_length())
            rising[i] = sorted(peers, key=lambda k: line[self._chain.place[k]])
        return rising[i]

"""Lower bounds: what words tell, the stages of functions, and the escapes of those that are circular.

*Words.* The base table B says how well the labels of the next m steps tell two states apart, a lower bound on
the distance that needs no function: whoever watches m labels after i, or after j, and accepts the words that
are more than α times as likely after i, gains

    B→(i,j) = Σ_u max(0, P_i(u) − α P_j(u)) = 1 − Σ_u min(P_i(u), α P_j(u)),

where P_i(u) is the probability that the m states after i carry the labels of the word u. (Both sums are the
same, because max(0, a − b) = a − min(a, b) and P_i has the sum 1; the second needs only words that occur
after both.) A word is the integer that its labels make as digits, and P_i a dictionary of integers over one
denominator. There may be exponentially many words, so each that is kept is counted.

*Functions.* f with 0 ≤ f ≤ 1 and f_i − α f_j ≤ d(i,j), for all states i, j with the same label, shows that
K(d)(μ, ν) is at least Σ_i f_i (μ(i) − α ν(i)). It is given by its values at some states, by a value for the
other states of a label where the certificate lists one, and is 0 elsewhere. These others may be a thousand
states, and few of their constraints need a look. Between two of them it is c − α c ≤ d, which holds because
α ≥ 1 and d ≥ 0. Between i, which f names, and each of them the left side is the same, f_i − α c, or c − α f_i
in the other order; so they are looked at in rising order of d, up to the first where it holds.

*Tables* hold numbers d(i,j) for different states of one label, those that were entered and else a default. A
function is compared with whole lines of a table, d(i,·) or d(·,i), and most comparisons are not close. So a
line is a list of integers, the numbers times 2^64 and rounded down, and a number itself is looked at only
where the rounded one does not settle the comparison.

*Circles.* In a circular stage functions lean on numbers that the stage itself proves. Such a circle could
support any common value, and SPEC section 4 shows why it does not where each pair has an escape: a reason, in
ranks, why its distance is not 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import gcd, lcm
from operator import add
from typing import NamedTuple

from ..core import Rejected
from ..core.limits import Work
from ..core.numbers import brief, comparison, least_common_multiple
from .chain import Chain
from .document import Escape, Function, Pair, Stage

Ratio = tuple[int, int]  # x/y is (x, y), with y > 0, and not always in lowest terms

SCALE = 64  # bits behind the point of a rounded number
NIL: Ratio = (0, 1)
ONE: Ratio = (1, 1)


class Words:
    """The probabilities of words, and how well they tell two states apart."""

    def __init__(self, chain: Chain, alpha: Fraction, longest: int, symmetric: bool, work: Work) -> None:
        self.longest = longest
        self._chain, self._symmetric, self._work = chain, symmetric, work
        self._alpha = alpha.as_integer_ratio()
        self._digit = {label: digit for digit, label in enumerate(chain.group)}
        self._known: dict[Pair, tuple[dict[int, int], int]] = {}

    def gain(self, i: int, j: int, m: int) -> Ratio:
        """B→_m(i,j), over q times the common denominator of P_i and P_j."""
        (x, below_x), (y, below_y) = self._after(i, m), self._after(j, m)
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

    def base(self, i: int, j: int, m: int | None = None) -> Ratio:
        """B(i,j), or B with m in place of M."""
        m = self.longest if m is None else m
        gain = self.gain(i, j, m)
        return (
            max(gain, self.gain(j, i, m)) if self._symmetric else gain
        )  # the denominator is the same in both

    def shortest(self, i: int, j: int, most: int) -> int | None:
        """m(p) for the pair p of i and j, if it is at most so much."""
        return next((m for m in range(1, most + 1) if self.base(i, j, m)[0] > 0), None)

    def _after(self, i: int, m: int) -> tuple[dict[int, int], int]:
        """P_i for the words of length m, without those of probability 0, and a denominator. Raises: TooLarge.

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
        self._chain, self._symmetric, self._default, self._work = chain, symmetric, default, work
        self._computed: dict[Pair, Ratio] = {}
        # of d(i,·), and of d(·,i), across, which are the same if the table is symmetric
        rows, least = dict[int, list[int]](), dict[int, int]()
        self._lines, self._least = (rows, rows if symmetric else {}), (least, least if symmetric else {})

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
        for (i, j), lines, least in zip((pair, pair[::-1]), self._lines, self._least, strict=True):
            if i in lines:
                lines[i][self._chain.place[j]] = (value[0] << SCALE) // value[1]
                least.pop(i, None)

    def line(self, i: int, across: int, below: int) -> list[int]:
        """d(i,k), or d(k,i) across, rounded down, for the states k of the label of i; 1 where k = i.

        Or nothing, if none of these numbers is below that one.
        """
        lines, least = self._lines[across], self._least[across]
        if below <= 0:  # as all of them are ≥ 0
            return []
        if i not in lines:
            peers = self._chain.group[self._chain.labels[i]]
            self._work.keep(len(peers), SCALE)
            self._work.spend(len(peers))
            line = lines[i] = []
            for k in peers:
                pair = self.key(k, i) if across else self.key(i, k)
                known = ONE if k == i else self.entered.get(pair) or self._computed.get(pair)
                value = known or self._default(*pair)
                line.append((value[0] << SCALE) // value[1])
        if i not in least:
            least[i] = min(lines[i])
        if least[i] >= below:
            return []
        self._work.spend(2 * len(lines[i]))  # for who goes through it
        return lines[i]


class Leader(NamedTuple):
    """The largest number of a pair in a stage, and the direction (s, t) in which a function gives it."""

    value: Ratio
    direction: Pair


class Lower:
    """What the stages that were added prove: ``table`` is K, and after the last one L."""

    def __init__(self, chain: Chain, alpha: Fraction, words: int, symmetric: bool, work: Work) -> None:
        self._chain, self._alpha, self._symmetric = chain, alpha.as_integer_ratio(), symmetric
        self._work = work
        self._words = Words(chain, alpha, words, symmetric, work)
        self._longest = 0  # bits of a number up to here
        self.table = Table(chain, symmetric, self._words.base, work)

    def at(self, s: str, t: str) -> Fraction:
        """L of two states by name, which have the same label."""
        i, j = self._chain.number[s], self._chain.number[t]
        return Fraction(*(NIL if i == j else self.table.at(i, j)))

    def add(self, title: str, stage: Stage) -> None:
        """Verify a stage, and enter its numbers. Raises: Rejected, TooLarge."""
        named = [(f"{title}.functions[{place}]", f) for place, f in enumerate(stage.functions)]
        for name, f in named:
            self._check_range("lower-f", name, f)
        new = self._new_pairs(named)
        # from here to where its numbers are entered, the table is K
        circular = any(True for f in stage.functions for _ in self.excesses(f, self.table))
        below_k = circular or any(_less(p.value, self.table.at(*pair)) for pair, p in new.items())
        for pair, leader in new.items():
            self.table.enter(pair, leader.value)
        # and now it is L; where L ≥ K, what holds for K holds for L
        for name, f in named:
            if below_k:
                self._check_differences("lower-f", name, f, self.table)
            sums: dict[int, int] = {}
            for s, t, value in f.pairs:
                above, below = self.objective(f, s, t, sums)
                if not above >= value * below:  # Σ_i f_i (μ_s(i) − α μ_t(i)) ≥ v
                    numbers = comparison(Fraction(above, below * f.over), "<", Fraction(value, f.over))
                    where = f"{name}, the pair ({self._chain.shown(s, t)})"
                    raise Rejected("lower-objective", f"{where}: the objective falls short, {numbers}")
        if circular:
            self._check_escapes(title, stage.escapes, new)

    def _new_pairs(self, named: Sequence[tuple[str, Function]]) -> dict[Pair, Leader]:
        """The new pairs of a stage, with their leaders."""
        best: dict[Pair, Leader] = {}
        for title, f in named:
            self._longest = max(self._longest, f.over.bit_length())
            self._work.spend(len(f.pairs), self._longest, self._longest)
            for s, t, value in f.pairs:
                if not 0 <= value <= f.over:  # v ≥ 0; and no objective is above 1
                    where = f"{title}, the pair ({self._chain.shown(s, t)})"
                    number = brief(Fraction(value, f.over))
                    raise Rejected("lower-objective", f"{where}: {number} is not between 0 and 1")
                pair, number_of_f = self.table.key(s, t), (value, f.over)
                if pair not in best or _less(best[pair].value, number_of_f):
                    best[pair] = Leader(number_of_f, (s, t))
        known = self.table.entered
        return {pair: p for pair, p in best.items() if pair not in known or _less(known[pair], p.value)}

    # --- functions ---

    def _check_range(self, step: str, title: str, f: Function | Escape) -> None:
        """0 ≤ f ≤ 1, at the states that it names and at the rests."""
        for x in (*f.f.values(), *f.rest.values()):
            if not 0 <= x <= f.over:
                what = f"{step[-1]} has the value {brief(Fraction(x, f.over))}, not between 0 and 1"
                raise Rejected(step, f"{title}: {what}")

    def _check_differences(self, step: str, title: str, f: Function | Escape, table: Table) -> None:
        """f_i − α f_j ≤ d(i,j) for all i, j with the same label."""
        for i, j in self.excesses(f, table):
            left, letter = Fraction(self._difference(f, i, j), self._alpha[1] * f.over), step[-1]
            what = f"{letter}({self._chain.shown(i)}) − α {letter}({self._chain.shown(j)})"
            numbers = comparison(left, ">", Fraction(*table.at(i, j)))
            raise Rejected(step, f"{title}: {what} exceeds its bound, {numbers}")

    def excesses(self, f: Function | Escape, table: Table) -> Iterator[Pair]:
        """The pairs of one label where f_i − α f_j ≤ d(i,j) does not hold. Requires: 0 ≤ f ≤ 1, d ≥ 0.

        First f_i is rounded up, α f_j and d(i,j) are rounded down, and what holds for these is settled.
        """
        (p, q), place, m = self._alpha, self._chain.place, f.over
        by_label: dict[str, list[int]] = {}
        for i in f.f:
            by_label.setdefault(self._chain.labels[i], []).append(i)
        for label, named in by_label.items():
            peers, rest = self._chain.group[label], f.rest.get(label, 0)
            self._work.spend(4 * len(named) + 4, (p * m).bit_length())
            self._work.spend(len(named) + 2 * len(peers))
            rest_up, rest_down = -((-rest << SCALE) // m), (p * rest << SCALE) // (q * m)
            down = [rest_down] * len(peers)  # α f_k
            for k in named:
                down[place[k]] = (p * f.f[k] << SCALE) // (q * m)
            lowest = min(down)
            for i in named:
                up, low = -((-f.f[i] << SCALE) // m), down[place[i]]  # f_i and α f_i
                line = table.line(i, 0, up - lowest)  # it has a 1 at i
                if line and up > min(map(add, down, line)):
                    for k, bound in zip(peers, map(add, down, line), strict=True):
                        if up > bound and self._exceeds(f, i, k, table):
                            yield i, k
                # f_k − α f_i ≤ d(k,i), for the states k that f does not name
                for k, bound in zip(peers, table.line(i, 1, rest_up - low), strict=False):
                    if rest_up > low + bound and k not in f.f and self._exceeds(f, k, i, table):
                        yield k, i

    def _exceeds(self, f: Function | Escape, i: int, j: int, table: Table) -> bool:
        """Whether f_i − α f_j > d(i,j), exactly; both sides times q m and the denominator of d(i,j)."""
        left = self._difference(f, i, j)
        if left <= 0:
            return False
        above, below = table.at(i, j)
        self._work.spend(1, left.bit_length(), below.bit_length())
        return left * below > above * self._alpha[1] * f.over

    def _difference(self, f: Function | Escape, i: int, j: int) -> int:
        """f_i − α f_j, times q m."""
        (p, q), labels = self._alpha, self._chain.labels
        f_i, f_j = (f.f[k] if k in f.f else f.rest.get(labels[k], 0) for k in (i, j))
        return q * f_i - p * f_j

    def objective(self, f: Function | Escape, s: int, t: int, sums: dict[int, int]) -> Ratio:
        """Σ_i f_i (μ_s(i) − α μ_t(i)), times the denominator of f.

        With r for the denominator of a row, ``sums`` keeps Σ_i f_i μ(i), times that of f and r.
        """
        chain, (p, q), bits = self._chain, self._alpha, f.over.bit_length()
        for state in (s, t):
            if state not in sums:
                row, over = chain.rows[state], chain.overs[state].bit_length()
                self._work.spend(len(row), bits, over)
                self._work.hold(len(sums) + 1, bits + over)
                sums[state] = sum(
                    x * (f.f[i] if i in f.f else f.rest.get(chain.labels[i], 0)) for i, x in row.items()
                )
        q_r, p_r = q * chain.overs[t], p * chain.overs[s]
        self._work.spend(3, bits + chain.overs[s].bit_length(), q_r.bit_length() + p_r.bit_length())
        return q_r * sums[s] - p_r * sums[t], q_r * chain.overs[s]

    # --- escapes ---

    def _check_escapes(self, title: str, escapes: Sequence[Escape], new: dict[Pair, Leader]) -> None:
        """The steps lower-rank, lower-words, lower-g and lower-escape of a circular stage."""
        first: dict[Pair, int] = {}  # for a new pair, the first escape that lists it
        for number, g in enumerate(escapes):
            for s, t, _ in g.pairs:
                if self.table.key(s, t) in new:
                    first.setdefault(self.table.key(s, t), number)
        ranks = self._ranks(title, {pair: escapes[number].rank for pair, number in first.items()}, new)

        # R_k: 1 where K > 0, except at the new pairs; it grows with k, so the escapes are taken by rank
        reached = Table(self._chain, self._symmetric, self._positive, self._work)
        for pair in new:
            reached.enter(pair, NIL)
        waiting = sorted(new, key=lambda pair: -ranks[pair])  # pairs where it is still 0, the next one last
        for number, g in sorted(enumerate(escapes), key=lambda item: item[1].rank):
            while waiting and ranks[waiting[-1]] < g.rank:
                reached.enter(waiting.pop(), ONE)
            name = f"{title}.escapes[{number}]"
            self._check_range("lower-g", name, g)
            self._check_differences("lower-g", name, g, reached)
            listed, sums = {(s, t) for s, t, _ in g.pairs}, dict[int, int]()
            for pair in {
                self.table.key(s, t) for s, t in listed if first.get(self.table.key(s, t)) == number
            }:
                where = f"{name}, the pair ({self._chain.shown(*new[pair].direction)})"
                if new[pair].direction not in listed:
                    raise Rejected("lower-escape", f"{where} is listed in the other direction")
                above, below = self.objective(g, *new[pair].direction, sums)
                if not above > 0:  # Σ_i g_i (μ_s(i) − α μ_t(i)) > 0
                    numbers = comparison(Fraction(above, below * g.over), "<=", Fraction(0))
                    raise Rejected("lower-escape", f"{where}: the objective of g is not positive, {numbers}")

    def _ranks(self, title: str, listed: dict[Pair, int], new: dict[Pair, Leader]) -> dict[Pair, int]:
        """r(p) for the new pairs: those of the escapes that list them, the others by words."""
        words, length = self._words, dict[Pair, int | None]()  # m(p)
        for pair, (_, (s, t)) in new.items():
            if pair not in listed:
                name = f"{title}, the pair ({self._chain.shown(s, t)})"
                m = length[pair] = words.shortest(s, t, words.longest)
                if m is None:
                    raise Rejected("lower-rank", f"{name} has no escape, and no words tell its states apart")
                if not words.gain(s, t, m)[0] > 0:  # B→_m(s,t) > 0
                    what = f"words of length {m} tell its states apart in the other direction only"
                    raise Rejected("lower-words", f"{name}: {what}")
        longest = max((m or 0 for m in length.values()), default=0)
        length |= {pair: words.shortest(*pair, longest) for pair in listed}
        ranks, after = {**listed}, 0  # and T(m − 1)
        for m in range(1, longest + 1):
            told = [pair for pair, its in length.items() if its == m]
            ranks |= {pair: after + 1 for pair in told if pair not in listed}
            after = max([after, *(ranks[pair] for pair in told)])
        return ranks

    def _positive(self, i: int, j: int) -> Ratio:
        """1 if K(i,j) > 0, and 0 otherwise. Requires: it is not a new pair."""
        known = self.table.entered.get(self.table.key(i, j)) or self._words.base(i, j)
        return ONE if known[0] > 0 else NIL


def _less(one: Ratio, other: Ratio) -> bool:
    return one[0] * other[1] < other[0] * one[1]

"""Lower bounds: the stages of functions, and the escapes of those that are circular.

A function f with 0 ≤ f ≤ 1 and f_i − α f_j ≤ d(i,j), for all states i, j with the same label, shows that
K(d)(μ, ν) is at least Σ_i f_i (μ(i) − α ν(i)). It is given by its values at some states, by a value for the
other states of a label where the certificate lists one, and is 0 elsewhere. These others may be a thousand
states, and few of their constraints need a look. Between two of them it is c − α c ≤ d, which holds because
α ≥ 1 and d ≥ 0. Between i, which f names, and each of them the left side is the same, f_i − α c, or c − α f_i
in the other order; so they are looked at in rising order of d, up to the first where it holds.

In a circular stage functions lean on numbers that the stage itself proves. Such a circle could support any
common value, and SPEC section 4 shows why it does not where each pair has an escape: a reason, in ranks, why
its distance is not 0.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from operator import add
from typing import NamedTuple

from ..core import Rejected
from ..core.digits import brief, comparison
from ..core.limits import Work
from ..core.text import shown
from .document import Function, Pair, Stage
from .quotient import Chain
from .tables import NIL, SCALE, UNIT, Table, Words
from .upper import Ratio


class Leader(NamedTuple):
    """The largest number of a pair in a stage, and the direction (s, t) in which a function gives it."""

    value: Ratio
    direction: Pair


class Lower:
    """What the stages that were added prove: ``table`` is K, and after the last one L."""

    def __init__(self, chain: Chain, alpha: Fraction, words: int, symmetric: bool, work: Work) -> None:
        self._chain = chain
        self._alpha = alpha.as_integer_ratio()
        self._symmetric = symmetric
        self._work = work
        self._words = Words(chain, alpha, words, symmetric, work)
        self._longest = 0  # bits of a number up to here
        self.table = Table(chain, symmetric, self._words.base, work)

    def add(self, title: str, stage: Stage) -> None:
        """Verify a stage, and enter its numbers. Raises: Rejected, TooLarge."""
        titles = [f"{title}.functions[{place}]" for place in range(len(stage.functions))]
        for name, f in zip(titles, stage.functions, strict=True):
            self._check_range("lower-f", name, f)
        new = self._new_pairs(titles, stage.functions)
        # from here to where its numbers are entered, the table is K
        circular = any(True for f in stage.functions for _ in self.excesses(f, self.table))
        below_k = circular or any(_less(p.value, self.table.at(*pair)) for pair, p in new.items())
        for pair, leader in new.items():
            self.table.enter(pair, leader.value)
        # and now it is L; where L ≥ K, what holds for K holds for L
        for name, f in zip(titles, stage.functions, strict=True):
            if below_k:
                self._check_differences("lower-f", name, f, self.table)
            self._check_objectives(name, f)
        if circular:
            self._check_escapes(title, stage.escapes, new)

    def _new_pairs(self, titles: Sequence[str], functions: Sequence[Function]) -> dict[Pair, Leader]:
        """The new pairs of a stage, with their leaders."""
        best: dict[Pair, Leader] = {}
        for title, f in zip(titles, functions, strict=True):
            self._longest = max(self._longest, f.over.bit_length())
            self._work.spend(len(f.numbers), self._longest, self._longest)
            for (s, t), value in zip(f.pairs, f.numbers, strict=True):
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

    def _check_range(self, step: str, title: str, f: Function) -> None:
        """0 ≤ f ≤ 1, at the states that it names and at the rests."""
        named = ((self._chain.shown(i), x) for i, x in f.named.items())
        rests = ((f"the rest of the label {shown(c)}", x) for c, x in f.rest.items())
        values = (*f.named.values(), *f.rest.values())
        if values and not (min(values) >= 0 and max(values) <= f.over):
            place, x = next((place, x) for place, x in (*named, *rests) if not 0 <= x <= f.over)
            what = f"{step[-1]} is {brief(Fraction(x, f.over))} at {place}"
            raise Rejected(step, f"{title}: {what}, not between 0 and 1")

    def _check_differences(self, step: str, title: str, f: Function, table: Table) -> None:
        """f_i − α f_j ≤ d(i,j) for all i, j with the same label."""
        for i, j in self.excesses(f, table):
            left, letter = Fraction(self._difference(f, i, j), self._alpha[1] * f.over), step[-1]
            what = f"{letter}({self._chain.shown(i)}) − α {letter}({self._chain.shown(j)})"
            numbers = comparison(left, ">", Fraction(*table.at(i, j)))
            raise Rejected(step, f"{title}: {what} exceeds its bound, {numbers}")

    def excesses(self, f: Function, table: Table) -> Iterator[Pair]:
        """The pairs of one label where f_i − α f_j ≤ d(i,j) does not hold. Requires: 0 ≤ f ≤ 1, d ≥ 0.

        First f_i is rounded up, α f_j and d(i,j) are rounded down, and what holds for these is settled.
        """
        (p, q), place, m = self._alpha, self._chain.place, f.over
        by_label: dict[str, list[int]] = {}
        for i in f.named:
            by_label.setdefault(self._chain.labels[i], []).append(i)
        for label, named in by_label.items():
            rest, peers = f.rest.get(label, 0), len(self._chain.group[label])
            self._work.spend(4 * len(named) + 4, (p * m).bit_length())
            self._work.spend(len(named) * (len(named) + 2))
            named.sort(key=f.named.__getitem__)
            rounded_up = [-((-f.named[i] << SCALE) // m) for i in named]  # f_i
            rounded_down = [(p * f.named[i] << SCALE) // (q * m) for i in named]  # α f_i
            rest_up, rest_down = -((-rest << SCALE) // m), (p * rest << SCALE) // (q * m)
            places = [place[i] for i in named]
            for i, up, down in zip(named, rounded_up, rounded_down, strict=True):
                if up > rounded_down[0]:
                    line = table.line(i, 0)  # it has a 1 at i
                    close = bisect_left(rounded_down, up - line[place[table.rising(i, 0)[0]]])
                    bounds = [*map(add, rounded_down[:close], map(line.__getitem__, places))]
                    settled = not bounds or min(bounds) >= up
                    for j in () if settled else [j for j, x in zip(named, bounds, strict=False) if x < up]:
                        if self._exceeds(f, i, j, table):
                            yield i, j
                if len(named) == peers:
                    continue
                # the states k that f does not name: f_i − α f_k ≤ d(i,k), and across f_k − α f_i ≤ d(k,i)
                for across, high, low in ((0, up, rest_down), (1, rest_up, down)):
                    if high > low:
                        line = table.line(i, across)
                        for k in table.rising(i, across):
                            if k not in f.named:
                                if high <= low + line[place[k]]:
                                    break
                                pair = (k, i) if across else (i, k)
                                if self._exceeds(f, *pair, table):
                                    yield pair

    def _exceeds(self, f: Function, i: int, j: int, table: Table) -> bool:
        """Whether f_i − α f_j > d(i,j), exactly; both sides times q m and the denominator of d(i,j)."""
        left = self._difference(f, i, j)
        if left <= 0:
            return False
        above, below = table.at(i, j)
        self._work.spend(1, left.bit_length(), below.bit_length())
        return left * below > above * self._alpha[1] * f.over

    def _difference(self, f: Function, i: int, j: int) -> int:
        """f_i − α f_j, times q m: with α = p/q and m for the denominator of f."""
        (p, q), labels = self._alpha, self._chain.labels
        f_i = f.named[i] if i in f.named else f.rest.get(labels[i], 0)
        f_j = f.named[j] if j in f.named else f.rest.get(labels[j], 0)
        return q * f_i - p * f_j

    def _check_objectives(self, title: str, f: Function) -> None:
        sums: dict[int, int] = {}
        for (s, t), value in zip(f.pairs, f.numbers, strict=True):
            above, below = self.objective(f, s, t, sums)
            if not above >= value * below:  # Σ_i f_i (μ_s(i) − α μ_t(i)) ≥ v
                where = f"{title}, the pair ({self._chain.shown(s, t)})"
                numbers = comparison(Fraction(above, below * f.over), "<", Fraction(value, f.over))
                raise Rejected("lower-objective", f"{where}: the objective falls short, {numbers}")

    def objective(self, f: Function, s: int, t: int, sums: dict[int, int]) -> Ratio:
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
                    x * (f.named[i] if i in f.named else f.rest.get(chain.labels[i], 0))
                    for i, x in row.items()
                )
        q_r, p_r = q * chain.overs[t], p * chain.overs[s]
        self._work.spend(3, bits + chain.overs[s].bit_length(), q_r.bit_length() + p_r.bit_length())
        return q_r * sums[s] - p_r * sums[t], q_r * chain.overs[s]

    # --- escapes ---

    def _check_escapes(self, title: str, escapes: Sequence[Function], new: dict[Pair, Leader]) -> None:
        """The steps lower-rank, lower-words, lower-g and lower-escape of a circular stage."""
        first: dict[Pair, int] = {}  # for a new pair, the first escape that lists it
        for number, g in enumerate(escapes):
            for s, t in g.pairs:
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
                reached.enter(waiting.pop(), UNIT)
            name = f"{title}.escapes[{number}]"
            self._check_range("lower-g", name, g)
            self._check_differences("lower-g", name, g, reached)
            listed, sums = {*g.pairs}, dict[int, int]()
            for pair in {self.table.key(s, t) for s, t in listed}:
                if first.get(pair) == number:
                    where = f"{name}, the pair ({self._chain.shown(*new[pair].direction)})"
                    if new[pair].direction not in listed:
                        raise Rejected("lower-escape", f"{where} is listed in the other direction")
                    above, below = self.objective(g, *new[pair].direction, sums)
                    if not above > 0:  # Σ_i g_i (μ_s(i) − α μ_t(i)) > 0
                        numbers = comparison(Fraction(above, below * g.over), "<=", Fraction(0))
                        what = f"the objective of g is not positive, {numbers}"
                        raise Rejected("lower-escape", f"{where}: {what}")

    def _ranks(self, title: str, listed: dict[Pair, int], new: dict[Pair, Leader]) -> dict[Pair, int]:
        """r(p) for the new pairs: those of the escapes that list them, the others by words."""
        words, by_words = self._words, dict[Pair, int]()
        for pair, (_, (s, t)) in new.items():
            if pair not in listed:
                name = f"{title}, the pair ({self._chain.shown(s, t)})"
                m = words.shortest(s, t, words.longest)  # m(p)
                if m is None:
                    raise Rejected("lower-rank", f"{name} has no escape, and no words tell its states apart")
                if not words.favour(s, t, m):  # B→_m(s,t) > 0
                    what = f"words of length {m} tell its states apart in the other direction only"
                    raise Rejected("lower-words", f"{name}: {what}")
                by_words[pair] = m
        lengths = {*by_words.values()}
        longest = max(lengths, default=0)
        highest = [0] * (longest + 1)  # the highest rank of a listed pair with m(p) = m, by m
        for pair, rank in listed.items():
            m = words.shortest(*pair, longest)
            if m is not None:
                highest[m] = max(highest[m], rank)
        after, by_length = 0, dict[int, int]()  # T(m − 1), and T(m − 1) + 1 by m
        for m in range(1, longest + 1):
            by_length[m] = after + 1
            after = max(after + (m in lengths), highest[m])
        return listed | {pair: by_length[m] for pair, m in by_words.items()}

    def _positive(self, i: int, j: int) -> Ratio:
        """1 if K(i,j) > 0, and 0 otherwise. Requires: it is not a new pair."""
        known = self.table.entered.get(self.table.key(i, j))
        positive = self._words.tell(i, j, self._words.longest) if known is None else known[0] > 0
        return UNIT if positive else NIL


def _less(one: Ratio, other: Ratio) -> bool:
    return one[0] * other[1] < other[0] * one[1]

"""bd and ld of all pairs, exact, cycles included: strategy iteration as one would write it down.

`naive` climbs to the distance from below and arrives only where the chain is layered. This module arrives
everywhere, and is meant for chains of thirty states. Of the package it reads names, labels and rows of the
chain. It knows none of the short cuts that it is here to judge: all pairs of all labels are solved, every
lift keeps all states of the labels in question, whether they are in a support or not, and states with equal
rows are as different as any two states.

What it leaves out of a lift is what Definition 12 makes vacuous. A bound f_i - alpha f_j <= 1 between
different labels says nothing, and neither does f_i - alpha f_i <= 0. A state whose label occurs in neither
support is not weighed, and bounded only by its like: f = 0 there.

The maximiser picks one of two directions for every pair, the minimiser answers each with a coupling (w, b):

    min  sum_ij w_ij d(i,j) + sum_i b_i,   w, b >= 0,
         sum_j w_ij + b_i - alpha sum_j w_ji  >=  mu_i - alpha nu_i   for all i

For fixed directions, `_solved` finds the least fixed point. The pairs at 0 are the largest set that couplings
can stay in for nothing. For the others a policy of couplings is a linear system; it starts from those that
are optimal where every such pair costs 1, and a coupling changes where another is strictly cheaper. Then
directions change where the other one is strictly larger, until none is; that is bd. For ld there is one
direction for every ordered pair, and nothing to change.

A program is kept from one question to the next. Its prices change and its constraints do not, so the basis of
the last answer is where the search for the next one starts. Rationals decide everything. Floating point only
looks through the columns first, and what it finds within 1e-6 of a tie is decided again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from bdist.chains.chain import LabelledMarkovChain

Key = tuple[int, int]
Table = dict[tuple[str, str], Fraction]
Policy = dict[Key, "Coupling"]

ZERO, ONE = fmpq(0), fmpq(1)
NEAR = 1e-6  # reduced prices of this size are compared again, in rationals
PATIENCE = 200  # pivots that take the steepest column; then Bland's rule, which cannot cycle


@dataclass(frozen=True)
class Coupling:
    """A basic solution of a lift: w on ordered pairs of states, and the sum of b."""

    w: Mapping[Key, fmpq]
    leak: fmpq


class Prices:
    """A symmetric or directed table d, in rationals and in floats."""

    def __init__(self, size: int) -> None:
        self.exact: dict[Key, fmpq] = {}
        self.approx = np.zeros((size, size))

    def put(self, i: int, j: int, value: fmpq) -> None:
        """d(i,j) = value."""
        self.exact[i, j] = value
        self.approx[i, j] = int(value.p) / int(value.q)


class Lift:
    """The directed lift from one row to another: a dual program that keeps its basis.

    A basic variable is ("w", i, j), ("b", i, i), or ("s", i, i) for the surplus of the constraint of i.
    ``inverse`` holds the rows of the inverted basis, without their zeros.
    """

    def __init__(
        self, states: list[int], arcs: tuple[list[int], list[int]], skew: dict[int, fmpq], alpha: fmpq
    ) -> None:
        self._alpha = alpha
        self._heads, self._tails = (np.array(side, dtype=np.int64) for side in arcs)
        self._slope = int(alpha.p) / int(alpha.q)
        self._basis = [("b" if skew.get(i, ZERO) > 0 else "s", i, i) for i in states]
        signs = [ONE if skew.get(i, ZERO) > 0 else -ONE for i in states]
        self._inverse = [{i: sign} for i, sign in zip(states, signs, strict=True)]
        self._solution = [sign * skew.get(i, ZERO) for i, sign in zip(states, signs, strict=True)]

    def optimum(self, prices: Prices) -> fmpq:
        """K(d) of the two rows. Ensures: the basis is an optimal one for these prices."""
        pivots = 0
        while True:
            f = self._multipliers(prices)
            entering = self._entering(prices, f, steepest=pivots < PATIENCE)
            if entering is None:
                return sum(
                    (
                        self._price(v, prices) * x
                        for v, x in zip(self._basis, self._solution, strict=True)
                        if x
                    ),
                    ZERO,
                )
            self._pivot(entering)
            pivots += 1

    def coupling(self) -> Coupling:
        """The basic solution."""
        w: dict[Key, fmpq] = {}
        leak = ZERO
        for (kind, i, j), x in zip(self._basis, self._solution, strict=True):
            if x and kind == "w":
                w[i, j] = x
            elif x and kind == "b":
                leak += x
        return Coupling(w, leak)

    @staticmethod
    def _price(variable: tuple[str, int, int], prices: Prices) -> fmpq:
        kind, i, j = variable
        return prices.exact[i, j] if kind == "w" else ONE if kind == "b" else ZERO

    def _multipliers(self, prices: Prices) -> dict[int, fmpq]:
        """The f of the basis: zero reduced price on all basic variables; zeros are left out."""
        f: dict[int, fmpq] = {}
        for variable, row in zip(self._basis, self._inverse, strict=True):
            price = self._price(variable, prices)
            if price:
                for i, x in row.items():
                    f[i] = f.get(i, ZERO) + price * x
        return {i: value for i, value in f.items() if value}

    def _entering(self, prices: Prices, f: dict[int, fmpq], *, steepest: bool) -> tuple[str, int, int] | None:
        """A variable with a negative reduced price, that is a constraint of the primal that f breaks."""
        dense = np.zeros(len(prices.approx))
        for i, value in f.items():
            if value < ZERO:
                return "s", i, i
            if value > ONE:
                return "b", i, i
            dense[i] = int(value.p) / int(value.q)
        heads, tails = self._heads, self._tails
        reduced = prices.approx[heads, tails] - dense[heads] + self._slope * dense[tails]
        # f >= 0 holds by now: where f_i is 0, nothing that begins in i is broken
        (open_,) = np.nonzero((reduced < NEAR) & (dense[heads] > 0))
        order = open_[np.argsort(reduced[open_], kind="stable")] if steepest else open_
        for place in order.tolist():
            i, j = int(heads[place]), int(tails[place])
            if f.get(i, ZERO) - self._alpha * f.get(j, ZERO) > prices.exact[i, j]:
                return "w", i, j
        return None

    def _pivot(self, entering: tuple[str, int, int]) -> None:
        kind, i, j = entering
        column = {"b": {i: ONE}, "s": {i: -ONE}, "w": {i: ONE, j: -self._alpha}}[kind]
        moved: list[tuple[int, fmpq]] = []
        for r, row in enumerate(self._inverse):
            entry = sum((x * row[k] for k, x in column.items() if k in row), ZERO)
            if entry:
                moved.append((r, entry))
        _, _, leave = min((self._solution[r] / x, self._basis[r], r) for r, x in moved if x > 0)
        pivot = next(x for r, x in moved if r == leave)
        solved = {k: x / pivot for k, x in self._inverse[leave].items()}
        amount = self._solution[leave] / pivot
        for r, factor in moved:
            if r != leave:
                row = self._inverse[r]
                for k, x in solved.items():
                    left = row.get(k, ZERO) - factor * x
                    if left:
                        row[k] = left
                    else:
                        row.pop(k, None)
                self._solution[r] -= factor * amount
        self._basis[leave], self._inverse[leave], self._solution[leave] = entering, solved, amount


class Game:
    """The pairs of a chain, with the lift of each direction; ``outside``: states outside supports count.

    Without them, which is wrong, the value can be too large. Tests use that to see how much a chain asks.
    """

    def __init__(
        self,
        chain: LabelledMarkovChain,
        alpha: Fraction | int | str,
        quantity: str = "bd",
        *,
        outside: bool = True,
    ) -> None:
        skew = Fraction(alpha)
        self.chain, self.alpha, self._outside = chain, fmpq(skew.numerator, skew.denominator), outside
        self._symmetric = quantity == "bd"
        self._rows = [{k: fmpq(p.numerator, p.denominator) for k, p in row} for row in chain.rows]
        self._members: dict[str, list[int]] = {}
        for i, label in enumerate(chain.labels):
            self._members.setdefault(label, []).append(i)
        self._lifts: dict[Key, list[Lift]] = {}
        for group in self._members.values():
            for s in group:
                for t in group:
                    if s != t and (s < t or not self._symmetric):
                        ways = [(s, t), (t, s)] if self._symmetric else [(s, t)]
                        self._lifts[s, t] = [self._lift(*way) for way in ways]

    def _lift(self, s: int, t: int) -> Lift:
        mu, nu = self._rows[s], self._rows[t]
        inside = mu.keys() | nu.keys()
        labels = sorted({self.chain.labels[k] for k in inside})
        groups = [[k for k in self._members[label] if self._outside or k in inside] for label in labels]
        arcs = [(i, j) for group in groups for i in group for j in group if i != j]
        skew = {k: mu.get(k, ZERO) - self.alpha * nu.get(k, ZERO) for k in inside}
        heads, tails = [i for i, _ in arcs], [j for _, j in arcs]
        return Lift([k for group in groups for k in group], (heads, tails), skew, self.alpha)

    def _key(self, i: int, j: int) -> Key:
        return (j, i) if self._symmetric and j < i else (i, j)

    def _prices(self, values: Mapping[Key, fmpq]) -> Prices:
        prices = Prices(len(self.chain))
        for (i, j), value in values.items():
            prices.put(i, j, value)
            if self._symmetric:
                prices.put(j, i, value)
        return prices

    def values(self) -> dict[Key, fmpq]:
        """The distance of every pair of states with the same label."""
        directions = dict.fromkeys(self._lifts, 0)
        while True:
            found = self._solved(directions)
            prices = self._prices(found)
            better = [
                (key, way)
                for key, lifts in self._lifts.items()
                for way, lift in enumerate(lifts)
                if way != directions[key] and lift.optimum(prices) > found[key]
            ]
            if not better:
                return found
            directions |= dict(better)

    def _solved(self, directions: Mapping[Key, int]) -> dict[Key, fmpq]:
        """The least fixed point for fixed directions."""
        lifts = {key: ways[directions[key]] for key, ways in self._lifts.items()}
        zero = set(lifts)
        while True:
            prices = self._prices({key: ZERO if key in zero else ONE for key in lifts})
            leaving = [key for key in zero if lifts[key].optimum(prices) > 0]
            if not leaving:
                break
            zero.difference_update(leaving)
        policy: Policy = {}
        for key, lift in lifts.items():
            if key not in zero:
                lift.optimum(prices)
                policy[key] = lift.coupling()
        while True:
            found = {**dict.fromkeys(zero, ZERO), **self._of_policy(policy)}
            prices = self._prices(found)
            better = [key for key in policy if lifts[key].optimum(prices) < found[key]]
            if not better:
                return {key: found[key] for key in lifts}
            for key in better:
                policy[key] = lifts[key].coupling()

    def _of_policy(self, policy: Policy) -> dict[Key, fmpq]:
        """The values d(p) = w_p d + |b_p|; pairs that are not in the policy are 0."""
        needs = {key: self._by_pair(coupling, policy) for key, coupling in policy.items()}
        found: dict[Key, fmpq] = {}
        waiting = list(policy)
        while waiting:  # what depends on known values only, as far as that leads; the rest at once
            ready = [key for key in waiting if needs[key].keys() <= found.keys()]
            if not ready:
                found |= _system(waiting, needs, policy, found)
                return found
            for key in ready:
                found[key] = policy[key].leak + sum((x * found[q] for q, x in needs[key].items()), ZERO)
            waiting = [key for key in waiting if key not in found]
        return found

    def _by_pair(self, coupling: Coupling, policy: Policy) -> dict[Key, fmpq]:
        weights: dict[Key, fmpq] = {}
        for (i, j), x in coupling.w.items():
            key = self._key(i, j)
            if key in policy:
                weights[key] = weights.get(key, ZERO) + x
        return weights


def _system(
    keys: list[Key], needs: Mapping[Key, Mapping[Key, fmpq]], policy: Policy, known: Mapping[Key, fmpq]
) -> dict[Key, fmpq]:
    """Solves (I - W) d = c for some pairs, where the values of the others that they need are known."""
    place = {key: n for n, key in enumerate(keys)}
    matrix, right = fmpq_mat(len(keys), len(keys)), fmpq_mat(len(keys), 1)
    for key, n in place.items():
        matrix[n, n] += 1
        right[n, 0] = policy[key].leak
        for other, x in needs[key].items():
            if other in place:
                matrix[n, place[other]] -= x
            else:
                right[n, 0] += x * known[other]
    solved = matrix.solve(right)
    return {key: solved[n, 0] for key, n in place.items()}


def distances(
    chain: LabelledMarkovChain, alpha: Fraction | int | str, quantity: str = "bd", *, outside: bool = True
) -> Table:
    """bd, or ld, of all ordered pairs of different states with the same label."""
    found = Game(chain, alpha, quantity, outside=outside).values()
    names = chain.states
    table = {(names[i], names[j]): Fraction(int(v.p), int(v.q)) for (i, j), v in found.items()}
    return table if quantity == "ld" else table | {(t, s): v for (s, t), v in table.items()}


def pairs_of(chain: LabelledMarkovChain) -> Iterable[tuple[str, str]]:
    """All pairs of different states with the same label, each once."""
    for i, s in enumerate(chain.states):
        for t in chain.states[i + 1 :]:
            if chain.label(s) == chain.label(t):
                yield s, t


def quotient(chain: LabelledMarkovChain) -> tuple[LabelledMarkovChain, dict[str, str]]:
    """The bisimulation quotient of all states, and the class of each; by refining the labels until they hold.

    A class has the name of its first state.
    """
    block = {s: chain.label(s) for s in chain.states}
    while True:
        seen: dict[object, str] = {}
        finer = {s: seen.setdefault((block[s], frozenset(_into(chain, s, block).items())), s) for s in block}
        if len(set(finer.values())) == len(set(block.values())):
            break
        block = finer
    block = finer
    rows = {s: (chain.label(s), _into(chain, s, block)) for s in chain.states if block[s] == s}
    return LabelledMarkovChain.from_rows(rows), block


def _into(chain: LabelledMarkovChain, state: str, block: Mapping[str, str]) -> dict[str, Fraction]:
    """What the row of a state gives to each block."""
    masses: dict[str, Fraction] = {}
    for target, p in chain.row(state).items():
        masses[block[target]] = masses.get(block[target], Fraction(0)) + p
    return masses

"""The skewed bisimilarity distance as it is defined, written down once and never made faster.

This module exists to be believed. It imports nothing of the package but the chain itself, and of the chain it
reads only names, labels and rows. It keeps every state and every constraint: the lift has one inequality for
each ordered pair of states, the diagonal and the pairs with different labels included, and a state outside
both supports is a state like any other. (That is no pedantry. An outside state k can stand between two
others: f_i <= alpha f_k + d(i,k) and f_k <= alpha f_j + d(k,j) can together forbid what f_i <= alpha f_j +
d(i,j) allows, and to leave k out then makes the lift too large.) So it is slow, and fit for chains of ten
states or so.

For distributions mu, nu, a table d >= 0 and alpha >= 1 the directed lift is a linear program. It is solved in
two ways:

    primal   max  sum_i f_i (mu_i - alpha nu_i)       0 <= f <= 1,   f_i - alpha f_j <= d(i,j)  for all i, j
    dual     min  sum_ij w_ij d(i,j) + sum_i b_i      w, b >= 0,
                  sum_j w_ij + b_i - alpha sum_j w_ji  >=  mu_i - alpha nu_i  for all i

The primal runs in a dictionary (Chvatal's name for a tableau of the nonbasic columns), from f = 0. The dual
runs in a full tableau in equality form, from a basis of surplus and b columns. The two have no pivot in
common, both are exact, and by duality they must return the same number: a mistake in one would have to be
matched by a mistake in the other. Both use Bland's rule, which cannot cycle.

The distance is the least fixed point of Gamma, and Kleene iteration from the zero table climbs to it from
below. In exact arithmetic an iterate that repeats *is* the least fixed point. Where none repeats the iterates
are lower bounds, and nothing here says how good: for a proof from above, look elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog

from bdist.chains.chain import LabelledMarkovChain

Measure = Mapping[Any, Fraction] | Sequence[Fraction]
"""A distribution over all states: a list over states 0..n-1, or a dict that names every state, zeros too."""

Distance = Mapping[tuple[Any, Any], Fraction] | Callable[[Any, Any], Fraction]
"""A distance on ordered pairs of states: a dict or a function. It must be >= 0, and need be nothing else."""

Table = dict[tuple[str, str], Fraction]
FloatTable = dict[tuple[str, str], float]


class NotSettledError(Exception):
    """Kleene iteration has not reached a fixed point in the rounds it was given."""


# --- The lift -----------------------------------------------------------------------------------------------


def directed_lift(mu: Measure, nu: Measure, d: Distance, alpha: Fraction | int) -> Fraction:
    """K(d)(mu, nu), the largest sum_i f_i (mu_i - alpha nu_i) over the f that d allows; exact, by the primal.

    Raises: ValueError, where mu and nu are over different states, alpha < 1, or d is negative somewhere.
    """
    skew, cost = _program(mu, nu, d, alpha)
    n = len(skew)
    rows: list[list[Fraction]] = []
    bounds: list[Fraction] = []
    for i in range(n):
        for j in range(n):
            row = [Fraction(0)] * n
            row[i] += 1
            row[j] -= Fraction(alpha)
            rows.append(row)
            bounds.append(cost[i][j])
    for i in range(n):
        row = [Fraction(0)] * n
        row[i] += 1
        rows.append(row)
        bounds.append(Fraction(1))
    return _maximum(skew, rows, bounds)


def directed_lift_dual(mu: Measure, nu: Measure, d: Distance, alpha: Fraction | int) -> Fraction:
    """K(d)(mu, nu) again: the cheapest coupling (w, b). Exact, and solved apart from ``directed_lift``.

    Raises: ValueError, as ``directed_lift``.
    """
    skew, cost = _program(mu, nu, d, alpha)
    n = len(skew)
    # The columns are w_00, w_01, ..., then b_0, b_1, ..., then a surplus s_0, s_1, ... for each inequality:
    # sum_j w_ij + b_i - alpha sum_j w_ji - s_i = mu_i - alpha nu_i.
    w, b, s = 0, n * n, n * n + n
    prices = [cost[i][j] for i in range(n) for j in range(n)] + [Fraction(1)] * n + [Fraction(0)] * n
    rows: list[list[Fraction]] = []
    basis: list[int] = []
    for i in range(n):
        row = [Fraction(0)] * (n * n + 2 * n)
        for j in range(n):
            row[w + i * n + j] += 1
            row[w + j * n + i] -= Fraction(alpha)
        row[b + i] = Fraction(1)
        row[s + i] = Fraction(-1)
        # To start, b_i carries a right-hand side that is positive; otherwise, signs reversed, s_i carries it.
        if skew[i] > 0:
            rows.append([*row, skew[i]])
            basis.append(b + i)
        else:
            rows.append([-x for x in (*row, skew[i])])
            basis.append(s + i)
    return _minimum(prices, rows, basis)


def lift(mu: Measure, nu: Measure, d: Distance, alpha: Fraction | int) -> Fraction:
    """The larger of K(d)(mu, nu) and K(d)(nu, mu)."""
    return max(directed_lift(mu, nu, d, alpha), directed_lift(nu, mu, d, alpha))


def _program(
    mu: Measure, nu: Measure, d: Distance, alpha: Fraction | int
) -> tuple[list[Fraction], list[list[Fraction]]]:
    """The vector mu - alpha nu and the matrix d, over the states in one order."""
    left, right = _as_dict(mu), _as_dict(nu)
    if left.keys() != right.keys():
        raise ValueError(f"mu is over {list(left)} and nu over {list(right)}; both must name all states")
    if alpha < 1:
        raise ValueError(f"alpha is {alpha}, below 1")
    states = list(left)
    distance = d if callable(d) else lambda i, j: d[i, j]
    skew = [Fraction(left[i]) - Fraction(alpha) * Fraction(right[i]) for i in states]
    cost = [[Fraction(distance(i, j)) for j in states] for i in states]
    if any(entry < 0 for row in cost for entry in row):
        raise ValueError("d is negative somewhere")
    return skew, cost


def _as_dict(measure: Measure) -> dict[Any, Fraction]:
    return dict(measure) if isinstance(measure, Mapping) else dict(enumerate(measure))


# --- Two simplex methods ------------------------------------------------------------------------------------


def _maximum(
    objective: Sequence[Fraction], rows: Sequence[Sequence[Fraction]], bounds: Sequence[Fraction]
) -> Fraction:
    """The maximum of objective . x subject to rows . x <= bounds and x >= 0, where bounds >= 0.

    A dictionary writes each basic variable, and the objective z, in terms of the nonbasic ones:
    ``basic[r] = constant[r] + sum_c body[r][c] * nonbasic[c]``.
    At first the slack variables, numbered n, n+1, ..., are basic.
    """
    n = len(objective)
    nonbasic = list(range(n))
    basic = [n + r for r in range(len(rows))]
    body = [[-x for x in row] for row in rows]
    constant = list(bounds)
    gain = list(objective)
    z = Fraction(0)
    while True:
        improving = [c for c in range(n) if gain[c] > 0]
        if not improving:
            return z
        enter = min(improving, key=lambda c: nonbasic[c])
        limiting = [r for r in range(len(body)) if body[r][enter] < 0]
        if not limiting:
            raise ArithmeticError("the program is unbounded")
        leave = min(limiting, key=lambda r: (constant[r] / -body[r][enter], basic[r]))

        # Solve the leaving row for the entering variable.
        pivot = body[leave][enter]
        solved = [-x / pivot for x in body[leave]]
        solved[enter] = 1 / pivot
        solved_constant = -constant[leave] / pivot

        # Put that expression in place of the entering variable in every other row and in the objective.
        for r in range(len(body)):
            if r != leave:
                factor = body[r][enter]
                constant[r] += factor * solved_constant
                body[r] = _substituted(body[r], enter, solved)
        z += gain[enter] * solved_constant
        gain = _substituted(gain, enter, solved)
        body[leave] = solved
        constant[leave] = solved_constant
        basic[leave], nonbasic[enter] = nonbasic[enter], basic[leave]


def _substituted(row: list[Fraction], enter: int, solved: list[Fraction]) -> list[Fraction]:
    factor = row[enter]
    if factor == 0:
        return row
    return [
        factor * y if c == enter else x + factor * y for c, (x, y) in enumerate(zip(row, solved, strict=True))
    ]


def _minimum(
    prices: Sequence[Fraction], rows: Sequence[Sequence[Fraction]], start: Sequence[int]
) -> Fraction:
    """The minimum of prices . x subject to A x = h and x >= 0; ``rows`` is A with h >= 0 as its last column.

    ``start`` is the first basis: the column of ``start[r]`` is 1 in row r and 0 in all other rows.
    """
    tableau = [list(row) for row in rows]
    basis = list(start)
    while True:
        # The reduced price of a column: its own price, less that of the basic variables it stands in for.
        reduced = [
            prices[c] - sum(prices[basis[r]] * tableau[r][c] for r in range(len(tableau)))
            for c in range(len(prices))
        ]
        enter = next((c for c, price in enumerate(reduced) if price < 0), None)
        if enter is None:
            return sum((prices[basis[r]] * tableau[r][-1] for r in range(len(tableau))), Fraction(0))
        ratios = [(row[-1] / row[enter], basis[r], r) for r, row in enumerate(tableau) if row[enter] > 0]
        if not ratios:
            raise ArithmeticError("the program is unbounded")
        _, _, leave = min(ratios)

        pivot = tableau[leave][enter]
        tableau[leave] = [x / pivot for x in tableau[leave]]
        for r in range(len(tableau)):
            if r != leave:
                factor = tableau[r][enter]
                tableau[r] = [x - factor * y for x, y in zip(tableau[r], tableau[leave], strict=True)]
        basis[leave] = enter


# --- The distance -------------------------------------------------------------------------------------------


def distribution(chain: LabelledMarkovChain, state: str) -> dict[str, Fraction]:
    """The row of a state over all states, zeros written out."""
    row = chain.row(state)
    return {target: row.get(target, Fraction(0)) for target in chain.states}


def zero_table(chain: LabelledMarkovChain) -> Table:
    """The least table: 0 for every ordered pair of states."""
    return {(s, t): Fraction(0) for s in chain.states for t in chain.states}


def all_pairs(chain: LabelledMarkovChain, value: Callable[[str, str], Fraction]) -> Table:
    """0 from a state to itself, 1 between states with different labels, a given value between others."""
    made: Table = {(s, s): Fraction(0) for s in chain.states}
    for s in chain.states:
        for t in chain.states:
            if s != t:
                made[s, t] = Fraction(1) if chain.label(s) != chain.label(t) else value(s, t)
    return made


def gamma(chain: LabelledMarkovChain, alpha: Fraction | int, d: Distance) -> Table:
    """Gamma(d): 1 where labels differ, and the lift of d to the two rows where they agree."""
    made: Table = {}
    for s in chain.states:
        for t in chain.states:
            if (t, s) in made:  # both directions are in the lift: Gamma(d) is symmetric, whatever d is
                made[s, t] = made[t, s]
            elif chain.label(s) != chain.label(t):
                made[s, t] = Fraction(1)
            else:
                made[s, t] = lift(distribution(chain, s), distribution(chain, t), d, alpha)
    return made


def kleene_exact(chain: LabelledMarkovChain, alpha: Fraction | int, limit: int | None = None) -> Table:
    """bd_alpha, exact: iterates Gamma from the zero table until the table repeats.

    Where the chain is layered, the last layer absorbs, and no label occurs in two layers, that takes at most
    one round more than there are layers. A label in two layers lets states of the one count in lifts for the
    other, as states outside the supports: then even a chain without cycles can take more rounds than that.
    ``limit`` is by default twice the number of states.
    Raises: NotSettledError, where the table does not repeat within ``limit`` rounds.
    """
    rounds = 2 * len(chain) if limit is None else limit
    table = zero_table(chain)
    for _ in range(rounds):
        following = gamma(chain, alpha, table)
        if following == table:
            return table
        table = following
    raise NotSettledError(f"no fixed point in {rounds} rounds")


def kleene_exact_rounds(chain: LabelledMarkovChain, alpha: Fraction | int, rounds: int) -> list[Table]:
    """The zero table and ``rounds`` applications of Gamma to it, in order: rising lower bounds of bd."""
    tables = [zero_table(chain)]
    for _ in range(rounds):
        tables.append(gamma(chain, alpha, tables[-1]))
    return tables


def kleene_float(
    chain: LabelledMarkovChain, alpha: Fraction | float, tolerance: float, limit: int = 10_000
) -> FloatTable:
    """bd_alpha from below, in floating point: iterates until no entry changes by ``tolerance`` or more.

    The *change* is that small, not the error: on a chain with long cycles the distance can be further up.
    Raises: NotSettledError, where that takes more than ``limit`` rounds.
    """
    table = {(s, t): 0.0 for s in chain.states for t in chain.states}
    for _ in range(limit):
        following = {pair: _gamma_float(chain, float(alpha), table, *pair) for pair in table}
        change = max(abs(following[pair] - table[pair]) for pair in table)
        table = following
        if change < tolerance:
            return table
    raise NotSettledError(f"still changing by {tolerance} or more after {limit} rounds")


def _gamma_float(chain: LabelledMarkovChain, alpha: float, d: FloatTable, s: str, t: str) -> float:
    if chain.label(s) != chain.label(t):
        return 1.0
    mu, nu = distribution(chain, s), distribution(chain, t)
    return max(_directed_lift_float(mu, nu, d, alpha), _directed_lift_float(nu, mu, d, alpha))


def _directed_lift_float(
    mu: Mapping[str, Fraction], nu: Mapping[str, Fraction], d: FloatTable, alpha: float
) -> float:
    states = list(mu)
    n = len(states)
    rows = np.zeros((n * n, n))
    for i in range(n):
        for j in range(n):
            rows[i * n + j, i] += 1
            rows[i * n + j, j] -= alpha
    result = linprog(
        c=[alpha * float(nu[i]) - float(mu[i]) for i in states],
        A_ub=rows,
        b_ub=[d[i, j] for i in states for j in states],
        bounds=(0, 1),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not result.success:
        raise ArithmeticError(f"linprog gave up: {result.message}")
    return max(0.0, -float(result.fun))

"""dpCTL* on Markov chains as it is defined, with the probability of a path formula in a way of its own.

This module exists to be believed. Of the package it imports the types of formulas and epsilon, no method. It
is fit for chains of five states and formulas of four temporal operators.

**Types.** The closure of a formula is the set of its subformulas, with f U<=j g for each j < k beside f U<=k
g. The type of a run is the set of formulas of the closure that hold of it. It is fixed by the first state s
and the type B of the run without that state: X f holds if f is in B, and f U g holds if g does, or f does and
f U g is in B. Call it T(s, B). Let mu(s, A) be the probability that a run from s has type A. Then

    mu(s, A) = sum_t P(s, t) sum_{B : T(s, B) = A} mu(t, B),        sum_A mu(s, A) = 1,

and the probability of f from s is the sum of mu(s, A) over all A that contain f. These equations need not
have one solution only, since "f U g" can be put off for ever in a set that is no type of any run. So it is
first found out which sets are types.

**Bottom components.** In a bottom component C of the chain, look at the stationary process, which has neither
beginning nor end, and read it backwards: from (t, B) to (s, T(s, B)), where s is one of the states that lead
to t, with the probability that s came before t. That is a finite Markov chain on pairs of a state of C and a
set; its graph does not depend on the numbers. The pairs of a state and the true type of the run from there
are a stationary process of that chain, and an ergodic one, as a function of an ergodic process: hence they
keep to one recurrent class. Call a recurrent class fulfilling if for every f U g of the closure it has a pair
(s, A) with f U g not in A, or with g in A.

*The true class is fulfilling.* Otherwise f U g would hold all the time and g never.
*Every fulfilling class is the true one.* Take the stationary process of the class. It visits each pair of the
class infinitely often in the future (Poincare). By induction on f, it is in the set exactly if it holds: all
cases but f U g are immediate from T. If f U g is in the set, it is passed on, with f, until g is in the set;
that happens, since otherwise f U g is in all later sets and g in none. If it is not in the set, g is not, and
either f is not, or f U g is not in the next set: so no g comes while f lasts. So its sets are the true types.

So there is exactly one fulfilling class (asserted), and the types with mu(s, A) > 0 are those in it. On it
the equations have one solution: pi(s) mu(s, A) is the stationary distribution of the class.

**Transient states.** The types are what T makes of types of successors. The equations again have one
solution: the difference x of two has sum_A |x(s, A)| <= sum_t P(s, t) sum_B |x(t, B)| and is zero on bottom
components, so it is zero. The solver below insists that the solution is unique.

Two ways to check that: `by_runs`, where every cycle of the chain is deterministic, and `by_prefixes`, bounds
from the runs that a prefix decides.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import chain as joined
from itertools import combinations
from typing import TypeVar

from bdist.dpctl.formulas import (
    And,
    Atom,
    Comparison,
    Formula,
    Next,
    Not,
    Private,
    Probability,
    Truth,
    Until,
    is_state_formula,
)
from bdist.exact.epsilon import Epsilon

Rows = Mapping[str, Mapping[str, Fraction]]
"""For every state the probabilities of its successors, all positive."""

Labels = Mapping[str, AbstractSet[str]]
"""For every state its propositions."""

K = TypeVar("K", bound=Hashable)
Pairs = Iterable[tuple[str, str]]
Type = frozenset[Formula]
Node = tuple[str, Type]


# --- dpCTL* -------------------------------------------------------------------------------------------------


def sat(rows: Rows, labels: Labels, neighbours: Pairs, formula: Formula) -> set[str]:
    """The states that satisfy a state formula. Raises: ValueError where it is none."""
    if not is_state_formula(formula):
        raise ValueError("a path formula is not true or false of a state")
    pairs = list(neighbours)
    if isinstance(formula, Truth):
        return set(rows)
    if isinstance(formula, Atom):
        return {s for s in rows if formula.name in labels[s]}
    if isinstance(formula, Not):
        return set(rows) - sat(rows, labels, pairs, formula.inner)
    if isinstance(formula, And):
        return sat(rows, labels, pairs, formula.left) & sat(rows, labels, pairs, formula.right)
    assert isinstance(formula, Probability | Private)
    p = probabilities(rows, labels, pairs, formula.inner)
    if isinstance(formula, Probability):
        return {s for s in rows if _compares(p[s], formula.comparison, formula.bound)}
    close = {
        (s, t)
        for s in rows
        for t in rows
        if at_most(p[s], formula.epsilon, p[t], formula.delta)
        and at_most(p[t], formula.epsilon, p[s], formula.delta)
    }
    return {s for s in rows if all((s, t) in close for t in rows if (s, t) in pairs or (t, s) in pairs)}


def probabilities(rows: Rows, labels: Labels, neighbours: Pairs, formula: Formula) -> dict[str, Fraction]:
    """The probability of a path formula of dpCTL* from every state."""
    propositions = {s: set(labels[s]) for s in rows}
    return ltl(rows, propositions, _named(rows, labels, list(neighbours), formula, propositions))


def _named(
    rows: Rows, labels: Labels, pairs: Pairs, formula: Formula, propositions: dict[str, set[str]]
) -> Formula:
    """The formula with a new proposition for each P and D, which is put down where that is satisfied."""
    if isinstance(formula, Not | Next):
        return type(formula)(_named(rows, labels, pairs, formula.inner, propositions))
    if isinstance(formula, And | Until):
        left = _named(rows, labels, pairs, formula.left, propositions)
        right = _named(rows, labels, pairs, formula.right, propositions)
        return And(left, right) if isinstance(formula, And) else Until(left, right, formula.bound)
    if isinstance(formula, Probability | Private):
        name = f"\0{formula!r}"  # no name of a user's begins so
        for state in sat(rows, labels, pairs, formula):
            propositions[state].add(name)
        return Atom(name)
    return formula


def _compares(p: Fraction, comparison: Comparison, bound: Fraction) -> bool:
    return {
        Comparison.LESS: p < bound,
        Comparison.AT_MOST: p <= bound,
        Comparison.AT_LEAST: p >= bound,
        Comparison.MORE: p > bound,
    }[comparison]


def at_most(p: Fraction, epsilon: Epsilon, q: Fraction, delta: Fraction) -> bool:
    """Whether p <= e^epsilon q + delta, for p, q, epsilon, delta >= 0."""
    if epsilon.alpha is not None:
        return p <= epsilon.alpha * q + delta
    x = epsilon.value
    assert x is not None
    if p - delta <= q:
        return True
    if q == 0:
        return False
    # e^x is irrational, as x is not 0 but rational. The terms after the n-th sum up to at most twice the
    # next one, as soon as n + 2 >= 2 x, so that each is at most half of the one before.
    lower, term, n = Fraction(1), Fraction(1), 0
    while True:
        n += 1
        term *= x / n
        lower += term
        if p <= lower * q + delta:
            return True
        if n + 2 >= 2 * x and p > (lower + 2 * term * x / (n + 1)) * q + delta:
            return False


# --- The probability of an LTL formula ----------------------------------------------------------------------


def ltl(rows: Rows, labels: Labels, formula: Formula) -> dict[str, Fraction]:
    """The probability of a formula without P and D from every state."""
    nodes: set[Node] = set()
    for component in bottom_components(rows):
        nodes |= _fulfilling_class(rows, labels, component, formula)
    recurrent = {s for s, _ in nodes}
    closed = closure(formula)
    while True:
        found = {
            (s, type_of(closed, labels[s], later))
            for s in rows
            if s not in recurrent
            for t, later in nodes
            if t in rows[s]
        }
        if found <= nodes:
            break
        nodes |= found

    equations: list[tuple[dict[Node, Fraction], Fraction]] = []
    balance = {node: {node: Fraction(1)} for node in nodes}
    for t, later in nodes:
        for s in rows:
            if t in rows[s]:
                row = balance[s, type_of(closed, labels[s], later)]
                row[t, later] = row.get((t, later), Fraction(0)) - rows[s][t]
    equations += [(row, Fraction(0)) for row in balance.values()]
    equations += [({node: Fraction(1) for node in nodes if node[0] == s}, Fraction(1)) for s in rows]
    mu = solve(equations)
    assert set(mu) == nodes
    assert all(0 < value <= 1 for value in mu.values())
    return {
        s: sum((mu[t, kind] for t, kind in nodes if t == s and formula in kind), Fraction(0)) for s in rows
    }


def closure(formula: Formula) -> list[Formula]:
    """The subformulas, each after those that it is made of."""
    parts: list[Formula] = []
    if isinstance(formula, Not | Next):
        parts = closure(formula.inner)
    elif isinstance(formula, And | Until):
        parts = closure(formula.left) + closure(formula.right)
        if isinstance(formula, Until) and formula.bound:
            parts += closure(_rest(formula))
    elif not isinstance(formula, Truth | Atom):
        raise TypeError(f"{formula!r} is no formula of LTL")
    return list(dict.fromkeys([*parts, formula]))


def _rest(formula: Until) -> Until:
    """What f U g asks of the next state, if g does not hold now."""
    return formula if formula.bound is None else Until(formula.left, formula.right, formula.bound - 1)


def type_of(closed: Iterable[Formula], here: AbstractSet[str], later: AbstractSet[Formula]) -> Type:
    """The type of a run with these propositions at its first state and this type thereafter."""
    true: set[Formula] = set()
    for formula in closed:
        if isinstance(formula, Truth):
            holds = True
        elif isinstance(formula, Atom):
            holds = formula.name in here
        elif isinstance(formula, Not):
            holds = formula.inner not in true
        elif isinstance(formula, And):
            holds = formula.left in true and formula.right in true
        elif isinstance(formula, Next):
            holds = formula.inner in later
        else:
            assert isinstance(formula, Until)
            put_off = formula.bound != 0 and formula.left in true and _rest(formula) in later
            holds = formula.right in true or put_off
        if holds:
            true.add(formula)
    return frozenset(true)


def _fulfilling_class(rows: Rows, labels: Labels, component: set[str], formula: Formula) -> set[Node]:
    closed = closure(formula)
    asked: set[Formula] = {f.inner for f in closed if isinstance(f, Next)}
    asked |= {_rest(f) for f in closed if isinstance(f, Until) and f.bound != 0}
    subsets = joined.from_iterable(combinations(asked, size) for size in range(len(asked) + 1))
    laters = [frozenset(subset) for subset in subsets]
    nodes = {(s, type_of(closed, labels[s], later)) for s in component for later in laters}
    backwards = {
        (t, later): {(s, type_of(closed, labels[s], later)) for s in component if t in rows[s]}
        for t, later in nodes
    }
    untils = [f for f in closed if isinstance(f, Until) and f.bound is None]
    fulfilling = [
        found
        for found in bottom_components(backwards)
        if all(any(f not in kind or f.right in kind for _, kind in found) for f in untils)
    ]
    assert len(fulfilling) == 1
    return fulfilling[0]


# --- Graphs and equations -----------------------------------------------------------------------------------


def bottom_components(graph: Mapping[K, Iterable[K]]) -> list[set[K]]:
    """The strongly connected components that nothing leaves."""
    inverse: dict[K, list[K]] = {node: [] for node in graph}
    for node in graph:
        for target in graph[node]:
            inverse[target].append(node)
    found: list[set[K]] = []
    left = set(graph)
    while left:
        # Go on from a node to one that does not lead back, while there is one. What leads to the component
        # where that ends is in it, or in none; other components are kept whole.
        node = next(iter(left))
        while True:
            after: set[K] = _reachable(graph, node)
            before: set[K] = _reachable(inverse, node)
            if after <= before:
                break
            node = next(iter(after - before))
        found.append(after)
        left -= before
    return found


def _reachable(graph: Mapping[K, Iterable[K]], start: K) -> set[K]:
    reached, waiting = {start}, [start]
    while waiting:
        new = set(graph[waiting.pop()]) - reached
        reached |= new
        waiting += new
    return reached


def solve(equations: Iterable[tuple[Mapping[K, Fraction], Fraction]]) -> dict[K, Fraction]:
    """The one solution of linear equations (coefficients, right side).

    Raises: ArithmeticError where there is none, or more than one.
    """
    solved: dict[K, tuple[dict[K, Fraction], Fraction]] = {}  # x = right side - the sum of the others
    unknowns: set[K] = set()
    for coefficients, right in equations:
        unknowns |= set(coefficients)
        row, value = dict(coefficients), right
        for x in [x for x in row if x in solved]:
            value -= row[x] * solved[x][1]
            row = _minus(row, row[x], {x: Fraction(1), **solved[x][0]})
        row = {x: c for x, c in row.items() if c != 0}
        if not row:
            if value != 0:
                raise ArithmeticError("the equations contradict each other")
            continue
        pivot = next(iter(row))
        scale = row.pop(pivot)
        new = {x: c / scale for x, c in row.items()}, value / scale
        for x, (others, constant) in solved.items():
            if others.get(pivot):
                factor = others[pivot]
                solved[x] = (
                    {
                        y: c
                        for y, c in _minus(others, factor, {pivot: Fraction(1), **new[0]}).items()
                        if c != 0
                    },
                    constant - factor * new[1],
                )
        solved[pivot] = new
    if set(solved) != unknowns or any(others for others, _ in solved.values()):
        raise ArithmeticError("the equations have more than one solution")
    return {x: constant for x, (_, constant) in solved.items()}


def _minus(row: Mapping[K, Fraction], factor: Fraction, other: Mapping[K, Fraction]) -> dict[K, Fraction]:
    return {x: row.get(x, Fraction(0)) - factor * other.get(x, Fraction(0)) for x in {**row, **other}}


# --- Enumeration --------------------------------------------------------------------------------------------


def by_runs(rows: Rows, labels: Labels, formula: Formula) -> dict[str, Fraction]:
    """The same, where a state on a cycle has one successor only: by all runs, each of them a lasso.

    Raises: ValueError where the chain is not so.
    """

    def explore(prefix: tuple[str, ...]) -> Fraction:
        total = Fraction(0)
        for state, p in rows[prefix[-1]].items():
            if state not in prefix:
                total += p * explore((*prefix, state))
            elif p != 1 or any(len(rows[s]) > 1 for s in prefix[prefix.index(state) :]):
                raise ValueError("a cycle has an exit")
            else:
                total += int(holds([labels[s] for s in prefix], prefix.index(state), 0, formula))
        return total

    return {s: explore((s,)) for s in rows}


def holds(word: Sequence[AbstractSet[str]], loop: int, at: int, formula: Formula) -> bool:
    """Whether a formula holds at a position of the word in which all from position ``loop`` is repeated."""

    def position(later: int) -> int:
        return later if later < len(word) else loop + (later - loop) % (len(word) - loop)

    if isinstance(formula, Truth):
        return True
    if isinstance(formula, Atom):
        return formula.name in word[at]
    if isinstance(formula, Not):
        return not holds(word, loop, at, formula.inner)
    if isinstance(formula, And):
        return holds(word, loop, at, formula.left) and holds(word, loop, at, formula.right)
    if isinstance(formula, Next):
        return holds(word, loop, position(at + 1), formula.inner)
    assert isinstance(formula, Until)
    steps = len(word) if formula.bound is None else formula.bound  # after len(word) steps all was seen
    return any(
        holds(word, loop, position(at + j), formula.right)
        and all(holds(word, loop, position(at + i), formula.left) for i in range(j))
        for j in range(steps + 1)
    )


def by_prefixes(
    rows: Rows, labels: Labels, formula: Formula, length: int
) -> dict[str, tuple[Fraction, Fraction]]:
    """Bounds: the probability of prefixes that decide for the formula, and of those not against it."""

    def explore(prefix: tuple[str, ...]) -> tuple[Fraction, Fraction]:
        verdict = decided([labels[s] for s in prefix], formula)
        if verdict is not None or len(prefix) == length:
            return Fraction(verdict is True), Fraction(verdict is not False)
        parts = [(p, explore((*prefix, s))) for s, p in rows[prefix[-1]].items()]
        return (
            sum((p * low for p, (low, _) in parts), Fraction(0)),
            sum((p * high for p, (_, high) in parts), Fraction(0)),
        )

    return {s: explore((s,)) for s in rows}


def decided(word: Sequence[AbstractSet[str]], formula: Formula) -> bool | None:
    """What a prefix says of all runs that begin so; None where it may not say."""
    if isinstance(formula, Truth):
        return True
    if not word:
        return None
    if isinstance(formula, Atom):
        return formula.name in word[0]
    if isinstance(formula, Not):
        inner = decided(word, formula.inner)
        return None if inner is None else not inner
    if isinstance(formula, And):
        return _both(decided(word, formula.left), decided(word, formula.right))
    if isinstance(formula, Next):
        return decided(word[1:], formula.inner)
    assert isinstance(formula, Until)
    now = decided(word, formula.right)
    if now or formula.bound == 0:
        return now
    later = _both(decided(word, formula.left), decided(word[1:], _rest(formula)))
    return later if now is False or later else None


def _both(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return True if left and right else None

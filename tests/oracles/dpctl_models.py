"""Hypothesis strategies for formulas of dpCTL*, and for chains whose labels are sets of propositions.

Formulas have a budget of temporal operators, which is shared among their parts, and a depth to which P and D
are nested. They prefer the shapes in which mistakes live: untils in untils, G F and F G, negated untils, and
state formulas that are made of P and D. All is drawn over the propositions that occur in the chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.dpctl.formulas import And, Atom, Comparison, Formula, Next, Not, Private, Probability, Truth, Until
from bdist.exact.epsilon import Epsilon

from .strategies import chains

LABELS = tuple(frozenset(names) for names in ("a", "b", "", "c", "ab", "bc", "a", "b"))
BOUNDS = (Fraction(0), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1))
DELTAS = (Fraction(0), Fraction(0), Fraction(1, 12), Fraction(1, 4), Fraction(1, 2))
EPSILONS = (
    Epsilon(None, Fraction(2)),
    Epsilon(None, Fraction(3, 2)),
    Epsilon(Fraction(0)),
    Epsilon(Fraction(1, 10)),
    Epsilon(Fraction(1)),
)


@dataclass(frozen=True)
class Model:
    """A chain, what its labels mean, and neighbours."""

    chain: LabelledMarkovChain
    labels: dict[str, frozenset[str]]
    neighbours: list[tuple[str, str]]

    @property
    def rows(self) -> dict[str, dict[str, Fraction]]:
        """For every state the probabilities of its successors."""
        return {state: self.chain.row(state) for state in self.chain.states}

    @property
    def propositions(self) -> list[str]:
        """Those that some state has."""
        return sorted(frozenset().union(*self.labels.values()))


@st.composite
def models(draw: st.DrawFn, max_states: int = 4, acyclic: bool = False) -> Model:
    """A chain with a set of propositions at each state (as a label: ``a,c``, or ``{}``) and neighbours.

    Two states of a chain that is not acyclic often absorb: left to chance, few chains have two ends.
    """
    chain = draw(chains(max_states=max_states, max_labels=1, acyclic=acyclic, shared_labels=True))
    rows = list(chain.rows)
    if not acyclic and draw(st.booleans()):
        for end in range(max(len(rows) - 2, 0), len(rows)):
            rows[end] = ((end, Fraction(1)),)
    state = st.sampled_from(chain.states)
    neighbours = draw(st.lists(st.tuples(state, state), max_size=4))
    return _model(draw, chain.states, rows, neighbours)


@st.composite
def winding_models(draw: st.DrawFn, max_states: int = 5) -> Model:
    """A chain that branches only before it winds up in a cycle without exits."""
    n = draw(st.sampled_from([size for size in range(1, max_states + 1) for _ in range(size)]))
    first = draw(st.integers(0, max(n - 2, 0)))  # states from here on have one successor
    rows: list[Row] = []
    for i in range(n):
        if i >= first:
            rows.append(((draw(st.integers(first, n - 1)), Fraction(1)),))
        else:
            targets = draw(st.lists(st.integers(i + 1, n - 1), min_size=2, max_size=2, unique=True))
            p = draw(st.sampled_from([Fraction(1, 2), Fraction(1, 3)]))
            rows.append(tuple(sorted(zip(targets, [p, 1 - p], strict=True))))
    return _model(draw, tuple(f"s{i}" for i in range(n)), rows, [])


def _model(
    draw: st.DrawFn, states: tuple[str, ...], rows: Sequence[Row], neighbours: list[tuple[str, str]]
) -> Model:
    sets = [draw(st.sampled_from(LABELS)) for _ in states]
    texts = tuple(",".join(sorted(names)) or "{}" for names in sets)
    chain = LabelledMarkovChain(states, texts, tuple(rows))
    return Model(chain, dict(zip(states, sets, strict=True)), neighbours)


def _literals(propositions: Sequence[str]) -> st.SearchStrategy[Formula]:
    if not propositions:
        return st.sampled_from([Truth(), Not(Truth())])
    atoms = [Atom(name) for name in propositions]
    return st.sampled_from([*atoms, *(Not(atom) for atom in atoms), *atoms, Truth()])


@st.composite
def path_formulas(
    draw: st.DrawFn, propositions: Sequence[str], operators: int = 4, nesting: int = 0, largest_bound: int = 2
) -> Formula:
    """With at most so many temporal operators outside of P and D, and P and D nested at most so deep."""
    if operators == 0:
        if nesting > 0 and draw(st.integers(0, 2)) == 0:
            return draw(state_formulas(propositions, nesting=nesting))
        return draw(_literals(propositions))

    def part(budget: int) -> Formula:
        return draw(path_formulas(propositions, budget, nesting, largest_bound))

    operators = draw(st.integers(1, operators))
    kind = draw(st.sampled_from(["X", "U", "U", "U<=", "F", "G", "!", "&"]))
    if kind == "!":
        return Not(part(operators))
    if kind == "X":
        return Next(part(operators - 1))
    if kind == "F":
        return Until(Truth(), part(operators - 1))
    if kind == "G":
        return Not(Until(Truth(), Not(part(operators - 1))))
    share = draw(st.integers(0, operators - (kind != "&")))
    left, right = part(share), part(operators - (kind != "&") - share)
    if kind == "&":
        return And(left, right)
    return Until(left, right, draw(st.integers(0, largest_bound)) if kind == "U<=" else None)


@st.composite
def state_formulas(
    draw: st.DrawFn, propositions: Sequence[str], operators: int = 2, nesting: int = 2
) -> Formula:
    """P and D of path formulas, which may hold P and D in turn, negated or conjoined."""
    if nesting == 0:
        return draw(_literals(propositions))
    kind = draw(st.sampled_from(["P", "D", "P", "D", "!", "&"]))
    if kind == "&":
        left = draw(state_formulas(propositions, operators, nesting - 1))
        return And(left, draw(state_formulas(propositions, operators, nesting)))
    if kind == "!":
        return Not(draw(state_formulas(propositions, operators, nesting)))
    inner = draw(path_formulas(propositions, operators, nesting - 1))
    if kind == "P":
        return Probability(draw(st.sampled_from(Comparison)), draw(st.sampled_from(BOUNDS)), inner)
    return Private(draw(st.sampled_from(EPSILONS)), draw(st.sampled_from(DELTAS)), inner)

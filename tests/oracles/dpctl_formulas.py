"""Hypothesis strategies for formulas of dpCTL*.

`formulas` makes state formulas, `path_formulas` any; both over given propositions and to a depth, where each
abbreviation counts as one level, although it is more of the core. Shapes that abbreviations leave behind are
as likely as those that they do not, so that a printer meets both, and near misses of them. Numbers are few,
so that they coincide. All shrink towards a proposition.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from bdist.dpctl.formulas import And, Atom, Comparison, Formula, Next, Not, Private, Probability, Truth, Until
from bdist.exact.epsilon import Epsilon

AWKWARD = (
    *(
        "X",
        "F",
        "G",
        "U",
        "W",
        "R",
        "P",
        "D",
        "true",
        "false",
        "forall",
        "in",
        "and",
        "or",
        "not",
        "XX",
        "ln",
    ),
    *(
        "",
        " ",
        "+",
        "-",
        "a b",
        "a-b",
        "in_3",
        "out1",
        "k+1",
        "1",
        "'",
        "_",
        "#",
        '"',
        "\\",
        '\\"',
        "a\\",
        "[]",
    ),
    *("∧", "naïve \u2028 日本", "\u00a0", "\x85", "{}", "a,b", "eps", "->", "a'", "P>=1"),
)
NUMBERS = tuple(Fraction(n) for n in ("0", "1", "1/2", "1/3", "3/10"))
EPSILONS = tuple(Epsilon.of(text) for text in ("0", "ln 3", "ln 3/2", "1", "1/2", "2 ln 3"))


def formulas(atoms: Sequence[str], depth: int) -> st.SearchStrategy[Formula]:
    """State formulas: propositions, P and D, and what ! and & make of them."""
    simplest = _simplest(atoms)
    if depth <= 1:
        return simplest
    state, path = formulas(atoms, depth - 1), path_formulas(atoms, depth - 1)
    return st.one_of(simplest, _boolean(state), _quantified(path))


def path_formulas(atoms: Sequence[str], depth: int) -> st.SearchStrategy[Formula]:
    """Any formulas."""
    simplest = _simplest(atoms)
    if depth <= 1:
        return simplest
    path = path_formulas(atoms, depth - 1)
    return st.one_of(simplest, _temporal(path), _boolean(path), _quantified(path))


def _simplest(atoms: Sequence[str]) -> st.SearchStrategy[Formula]:
    return st.one_of(st.sampled_from(atoms).map(Atom), st.just(Truth()))


def _boolean(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    return st.one_of(
        inner.map(Not),
        st.builds(And, inner, inner),
        st.builds(lambda f, g: Not(And(Not(f), Not(g))), inner, inner),
        st.builds(lambda f, g: Not(And(f, Not(g))), inner, inner),
        st.builds(lambda f, g: And(Not(And(f, Not(g))), Not(And(g, Not(f)))), inner, inner),
        st.builds(lambda f, g, h, i: And(And(f, g), And(h, i)), inner, inner, inner, inner),
    )


def _temporal(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    bounds = st.none() | st.integers(0, 3)
    return st.one_of(
        inner.map(Next),
        inner.map(lambda f: Next(Next(Next(f)))),
        st.builds(Until, inner, inner, bounds),
        st.builds(lambda f, k: Until(Truth(), f, k), inner, bounds),
        st.builds(lambda f, k: Not(Until(Truth(), Not(f), k)), inner, bounds),
        st.builds(lambda f, g: Not(Until(Not(g), And(Not(f), Not(g)))), inner, inner),
        st.builds(lambda f, g, k: Not(Until(Not(f), Not(g), k)), inner, inner, bounds),
    )


def _quantified(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    return st.one_of(
        st.builds(Probability, st.sampled_from(Comparison), st.sampled_from(NUMBERS), inner),
        st.builds(Private, st.sampled_from(EPSILONS), st.sampled_from(NUMBERS), inner),
    )

"""Formulas of dpCTL* (Liu, Wang and Zhang, Model checking differentially private properties).

State formulas speak of a state, path formulas of a run; a state formula is a path formula, about the first
state of the run. There is one type for both, since that is how they are written; what a formula is can be
asked (`is_state_formula`). Only the operators that the semantics defines are here, with the bounded until
as the one addition; everything else that can be typed (``|``, ``=>``, ``F``, ``G``, ``W``, ``R``,
``forall``) is an abbreviation, made by the parser and undone by the printer where it can be.

    true   p   !f   f & g   X f   f U g   f U<=k g   P>=q [f]   D[eps=e, delta=d] (f)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from bdist.exact.epsilon import Epsilon


@dataclass(frozen=True, slots=True)
class Truth:
    """What every state satisfies."""


@dataclass(frozen=True, slots=True)
class Atom:
    """An atomic proposition."""

    name: str


@dataclass(frozen=True, slots=True)
class Not:
    """Not the formula."""

    inner: Formula


@dataclass(frozen=True, slots=True)
class And:
    """Both formulas."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Next:
    """X: the formula holds of the run from its second state on."""

    inner: Formula


@dataclass(frozen=True, slots=True)
class Until:
    """U: at some point the right formula holds, and before that the left one does at every point.

    With a ``bound`` that point is reached after at most so many steps.
    """

    left: Formula
    right: Formula
    bound: int | None = None


class Comparison(Enum):
    """How a probability is compared with a bound."""

    LESS = "<"
    AT_MOST = "<="
    AT_LEAST = ">="
    MORE = ">"


@dataclass(frozen=True, slots=True)
class Probability:
    """P: the probability of the runs from a state of which the formula holds compares so with a bound."""

    comparison: Comparison
    bound: Fraction
    inner: Formula


@dataclass(frozen=True, slots=True)
class Private:
    """D: for every neighbour, in both directions, p <= e^epsilon p' + delta for the probabilities p, p'."""

    epsilon: Epsilon
    delta: Fraction
    inner: Formula


Formula = Truth | Atom | Not | And | Next | Until | Probability | Private


def is_state_formula(formula: Formula) -> bool:
    """Whether a formula speaks of a state alone: no temporal operator stands outside of P and D."""
    if isinstance(formula, Truth | Atom | Probability | Private):
        return True
    if isinstance(formula, Not):
        return is_state_formula(formula.inner)
    return isinstance(formula, And) and is_state_formula(formula.left) and is_state_formula(formula.right)


def atoms_of(formula: Formula) -> frozenset[str]:
    """All propositions that occur."""
    if isinstance(formula, Truth):
        return frozenset()
    if isinstance(formula, Atom):
        return frozenset((formula.name,))
    if isinstance(formula, And | Until):
        return atoms_of(formula.left) | atoms_of(formula.right)
    return atoms_of(formula.inner)

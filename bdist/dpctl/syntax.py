"""What can be typed of dpCTL* beyond its core: the abbreviations, the words, the limits.

The core (`formulas`) has true, propositions, !, &, X, U, P and D. The rest stands for something:

    false      !true                  F f      true U f              F<=k f    true U<=k f
    f | g      !(!f & !g)             G f      !(true U !f)          G<=k f    !(true U<=k !f)
    f => g     !(f & !g)              f W g    !(!g U (!f & !g))     X^k f     X ... X f, k times
    f <=> g    (f => g) & (g => f)    f R g    !(!f U !g)

The parser builds with the functions below and the printer recognises what they build, so that a formula that
was typed with an abbreviation is shown with it. A conjunction of many is a balanced tree, not a chain: a
schema may have 10,000 instances, and the depth of a formula is what all recursive algorithms, and the limits
of certificates, have to bear. Two and three of them are what one would expect, (f & g) and ((f & g) & h). A
disjunction of many is the negation of one conjunction, which saves two negations a member.

Of all texts that abbreviate a formula twice (``<=>`` and ``W`` do) the size is counted: 40 of them, nested,
would have 2^40 parts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Sized

from bdist.dpctl.formulas import And, Atom, Formula, Next, Not, Private, Probability, Truth, Until
from bdist.errors import ParameterError, UnsupportedError

RESERVED = frozenset(("X", "F", "G", "U", "W", "R", "P", "D", "true", "false", "forall", "in"))
RESERVED |= {"and", "or", "not"}
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_.'+-]*")

DEEPEST = 200  # levels of a formula, and of parentheses in its text
MOST_CHECKED = 50  # levels that the checker reads (SPEC-DPCTL section 5)
MOST_INSTANCES = 10_000  # of one schema
MOST_PARTS = 100_000  # of a formula, with all instances written out
LARGEST_BOUND = 10_000  # of U<=k, as certificates have it

TRUE = Truth()
FALSE = Not(TRUE)


def conjunction(members: Sequence[Formula]) -> Formula:
    """All of the formulas, as a balanced tree in their order. Requires: there is one."""
    if len(members) == 1:
        return members[0]
    half = (len(members) + 1) // 2
    return And(conjunction(members[:half]), conjunction(members[half:]))


def disjunction(members: Sequence[Formula]) -> Formula:
    """One of the formulas at least. Requires: there is one."""
    return members[0] if len(members) == 1 else Not(conjunction([Not(member) for member in members]))


def implication(left: Formula, right: Formula) -> Formula:
    """If the left formula then the right one."""
    return Not(And(left, Not(right)))


def equivalence(left: Formula, right: Formula) -> Formula:
    """Both or neither."""
    return And(implication(left, right), implication(right, left))


def eventually(inner: Formula, bound: int | None = None) -> Formula:
    """F: at some point, within so many steps."""
    return Until(TRUE, inner, bound)


def always(inner: Formula, bound: int | None = None) -> Formula:
    """G: at every point, up to so many steps."""
    return Not(Until(TRUE, Not(inner), bound))


def weak_until(left: Formula, right: Formula) -> Formula:
    """W: the left formula up to where the right one holds, or for ever."""
    return Not(Until(Not(right), And(Not(left), Not(right))))


def release(left: Formula, right: Formula) -> Formula:
    """R: the right formula up to and with where the left one holds, or for ever."""
    return Not(Until(Not(left), Not(right)))


def next_times(inner: Formula, times: int) -> Formula:
    """X^k: the formula, so many steps from here."""
    for _ in range(times):
        inner = Next(inner)
    return inner


def depth_of(formula: Formula) -> int:
    """How deep a formula is nested: 1 for a proposition. It does not recurse, so any formula may be asked."""
    levels, level = 0, [formula]
    while level:
        levels += 1
        below = {id(inner): inner for outer in level for inner in operands_of(outer)}
        level = list(below.values())
    return levels


def check_depth(formula: Formula) -> None:
    """Raises: UnsupportedError where a formula is nested more deeply than the checker reads."""
    depth = depth_of(formula)
    if depth > MOST_CHECKED:
        raise UnsupportedError(f"the formula is {depth} levels deep; at most {MOST_CHECKED} can be checked")


def mentions_privacy(formula: Formula) -> bool:
    """Whether there is a D in a formula, at any depth."""
    return isinstance(formula, Private) or any(map(mentions_privacy, operands_of(formula)))


def require_neighbours(formula: Formula, pairs: Sized) -> None:
    """Refuse a D where no two states are neighbours: it would hold of itself, and prove nothing.

    Raises: ParameterError.
    """
    if not len(pairs) and mentions_privacy(formula):
        raise ParameterError(
            "D is about neighbours, and without any it would hold of itself; say which states are, as with "
            "--pairs s:t"
        )


def operands_of(formula: Formula) -> tuple[Formula, ...]:
    """The formulas directly below one."""
    if isinstance(formula, And | Until):
        return formula.left, formula.right
    if isinstance(formula, Not | Next | Probability | Private):
        return (formula.inner,)
    assert isinstance(formula, Truth | Atom)  # noqa: S101
    return ()

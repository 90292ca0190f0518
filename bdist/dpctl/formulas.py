"""Formulas of dpCTL* (Liu, Wang and Zhang, Model checking differentially private properties): what they are,
what abbreviates them, and how they are written.

State formulas speak of a state, path formulas of a run; a state formula is a path formula, about the first
state of the run. There is one type for both, since that is how they are written; what a formula is can be
asked (`is_state_formula`). Only the operators that the semantics defines are types, with the bounded until
as the one addition:

    true   p   !f   f & g   X f   f U g   f U<=k g   P>=q [f]   D[eps=e, delta=d] (f)

The rest of what can be typed stands for something:

    false      !true                  F f      true U f              F<=k f    true U<=k f
    f | g      !(!f & !g)             G f      !(true U !f)          G<=k f    !(true U<=k !f)
    f => g     !(f & !g)              f W g    !(!g U (!f & !g))     X^k f     X ... X f, k times
    f <=> g    (f => g) & (g => f)    f R g    !(!f U !g)

The parser builds with the functions below and `text_of` recognises what they build, so that a formula that
was typed with an abbreviation is shown with it. A conjunction of many is a balanced tree, since the depth of
a formula is what all recursive algorithms, and the limits of certificates, have to bear; a disjunction of
many is the negation of one conjunction. ``<=>`` and ``W`` abbreviate a formula twice, so the size of their
texts is counted: 40 of them, nested, would have 2^40 parts.

The text is canonical, and parses back: abbreviations wherever the shape is that of one (``|`` before ``=>``
where it is both), parentheses only where the grammar needs them, names in quotes only where they must be. A
balanced tree of conjunctions is written without parentheses, since that is how such a text is read; any other
tree, which only a program makes, keeps them. Writing does not recurse: a formula is a few texts with formulas
between them, which wait on a stack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from operator import ge, gt, le, lt

from bdist.errors import ParameterError, parameter
from bdist.exact.epsilon import Epsilon
from bdist.exact.rationals import rational_text
from bdist.report import OneLine
from bdist.text.scanner import quoted

RESERVED = frozenset(("X", "F", "G", "U", "W", "R", "P", "D", "true", "false", "forall", "in"))
RESERVED |= {"and", "or", "not"}
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_.'+-]*")

DEEPEST = 200  # levels of a formula, and of parentheses in its text
MOST_CHECKED = 50  # levels that the checker reads (SPEC, section 5)
MOST_INSTANCES = 10_000  # of one schema
MOST_PARTS = 100_000  # of a formula, with all instances written out
LARGEST_BOUND = 10_000  # of U<=k, as certificates have it


@dataclass(frozen=True, slots=True, repr=False)
class Truth(OneLine):
    """What every state satisfies."""


@dataclass(frozen=True, slots=True, repr=False)
class Atom(OneLine):
    """An atomic proposition."""

    name: str


@dataclass(frozen=True, slots=True, repr=False)
class Not(OneLine):
    """Not the formula."""

    inner: Formula


@dataclass(frozen=True, slots=True, repr=False)
class And(OneLine):
    """Both formulas."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True, repr=False)
class Next(OneLine):
    """X: the formula holds of the run from its second state on."""

    inner: Formula


@dataclass(frozen=True, slots=True, repr=False)
class Until(OneLine):
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


_COMPARED: dict[Comparison, Callable[[Fraction, Fraction], bool]] = {
    Comparison.LESS: lt,
    Comparison.AT_MOST: le,
    Comparison.AT_LEAST: ge,
    Comparison.MORE: gt,
}


@dataclass(frozen=True, slots=True, repr=False)
class Probability(OneLine):
    """P: the probability of the runs from a state of which the formula holds compares so with a bound."""

    comparison: Comparison
    bound: Fraction
    inner: Formula

    def accepts(self, probability: Fraction) -> bool:
        """Whether a probability compares so with the bound."""
        return _COMPARED[self.comparison](probability, self.bound)


@dataclass(frozen=True, slots=True, repr=False)
class Private(OneLine):
    """D: for every neighbour, in both directions, p <= e^epsilon p' + delta for the probabilities p, p'."""

    epsilon: Epsilon
    delta: Fraction
    inner: Formula

    def bounds(self, p: Fraction, q: Fraction) -> bool:
        """Whether p <= e^epsilon q + delta, exactly."""
        return p <= self.delta or (q > 0 and self.epsilon.allows((p - self.delta) / q))

    def accepts(self, p: Fraction, q: Fraction) -> bool:
        """Whether two probabilities are that close, in both directions."""
        return self.bounds(p, q) and self.bounds(q, p)


@dataclass(frozen=True, slots=True, repr=False)
class AlwaysPrivate(Private):
    """D of ``next^k`` of the formula, for every k from 0 on. Only on decision processes is it decided."""


Formula = Truth | Atom | Not | And | Next | Until | Probability | Private


def is_state_formula(formula: Formula) -> bool:
    """Whether a formula speaks of a state alone: no temporal operator stands outside of P and D."""
    if isinstance(formula, Next | Until):
        return False
    return isinstance(formula, Probability | Private) or all(map(is_state_formula, operands_of(formula)))


def subformulas(formula: Formula) -> Iterator[Formula]:
    """All occurrences of formulas in one, itself the last, in the order in which they end."""
    for inner in operands_of(formula):
        yield from subformulas(inner)
    yield formula


def depth_of(formula: Formula) -> int:
    """How deep a formula is nested: 1 for a proposition. It does not recurse, so any formula may be asked."""
    levels, level = 0, [formula]
    while level:
        levels += 1
        below = {id(inner): inner for outer in level for inner in operands_of(outer)}
        level = list(below.values())
    return levels


def mentions_privacy(formula: Formula) -> bool:
    """Whether there is a D in a formula, at any depth."""
    return any(isinstance(part, Private) for part in subformulas(formula))


def require_neighbours(formula: Formula, pairs: Sized) -> None:
    """Refuse a D where no two states are neighbours: it would hold of itself, and prove nothing.

    Raises: ParameterError.
    """
    if not len(pairs) and mentions_privacy(formula):
        raise ParameterError(
            "D is about neighbours, and without any it would hold of itself; say which states are, as with "
            + parameter("pairs", "s:t", "[('s', 't')]")
        )


def require_state_formula(formula: Formula) -> Formula:
    """The formula, which is of states. Raises: ParameterError where it speaks of runs."""
    if not is_state_formula(formula):
        raise ParameterError(
            f"'{text_of(formula)}' speaks of runs, not of states; put it into P>=q [...] or D[...] (...)"
        )
    return formula


def require_privacy(formula: Formula) -> Private:
    """The formula, which is a D. Raises: ParameterError where it is none, or is one for all k."""
    if not isinstance(formula, Private) or isinstance(formula, AlwaysPrivate):
        raise ParameterError(f"'{text_of(formula)}' is not of the form D[...] (...), which has parameters")
    return formula


def operands_of(formula: Formula) -> tuple[Formula, ...]:
    """The formulas directly below one."""
    match formula:
        case And(left, right) | Until(left, right):
            return left, right
        case Truth() | Atom():
            return ()
        case _:
            return (formula.inner,)


# --- abbreviations ------------------------------------------------------------------------------------------

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


# --- the text and the array ---------------------------------------------------------------------------------

_EQUIVALENCE, _IMPLICATION, _DISJUNCTION, _CONJUNCTION, _UNTIL, _UNARY, _ATOMIC = range(7)
_NEXTS_WRITTEN_OUT = 2

Document = list[object]
_Piece = str | tuple[int, Formula]  # a text, or a formula where something is expected that binds so tightly
_Written = tuple[int, list[_Piece]]  # how tightly it binds, and what it is written as


def text_of(formula: Formula) -> str:
    """The canonical text, in one line; the parser reads it as the same formula."""
    written: list[str] = []
    waiting: list[_Piece] = [(_EQUIVALENCE, formula)]
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, str):
            written.append(piece)
            continue
        least, inner = piece
        level, pieces = _pieces(inner)
        waiting += reversed(pieces if level >= least else ["(", *pieces, ")"])
    return "".join(written)


def document_of(formula: Formula) -> Document:
    """The formula as the JSON array of section 1 of SPEC.md."""
    operands = map(document_of, operands_of(formula))
    match formula:
        case Truth():
            return ["true"]
        case Atom(name):
            return ["atom", name]
        case Until(_, _, bound):
            return ["until", *operands] if bound is None else ["within", bound, *operands]
        case Probability(comparison, bound):
            return ["P", comparison.value, rational_text(bound), *operands]
        case Private(epsilon, delta):
            exact = rational_text(epsilon.value) if epsilon.value is not None else None
            spelled = exact or ["ln", rational_text(epsilon.alpha_down())]  # which is alpha itself
            kind = "D*" if isinstance(formula, AlwaysPrivate) else "D"
            return [kind, spelled, rational_text(delta), *operands]
    return ["not" if isinstance(formula, Not) else "and" if isinstance(formula, And) else "next", *operands]


def _pieces(formula: Formula) -> _Written:
    match formula:
        case Truth():
            return _ATOMIC, ["true"]
        case Not(Truth()):
            return _ATOMIC, ["false"]
        case Atom(name):
            is_bare = IDENTIFIER.fullmatch(name) and name not in RESERVED
            return _ATOMIC, [name if is_bare else quoted(name)]
        case Probability(comparison, bound, inner):
            return _ATOMIC, [f"P{comparison.value}{rational_text(bound)} [", (_EQUIVALENCE, inner), "]"]
        case AlwaysPrivate(epsilon, delta, inner):
            head = f"D[eps={epsilon.text}, delta={rational_text(delta)}]"
            steps = 0
            while isinstance(inner, Next):
                steps, inner = steps + 1, inner.inner
            return _EQUIVALENCE, [f"forall k in {steps}..: {head} (X^k ", (_UNARY, inner), ")"]
        case Private(epsilon, delta, inner):
            head = f"D[eps={epsilon.text}, delta={rational_text(delta)}]"
            return _UNARY, [f"{head} (", (_EQUIVALENCE, inner), ")"]
        case Next(inner):
            times = 1
            while isinstance(inner, Next):
                times, inner = times + 1, inner.inner
            return _UNARY, ["X " * times if times <= _NEXTS_WRITTEN_OUT else f"X^{times} ", (_UNARY, inner)]
        case Until(Truth(), inner, steps):
            return _UNARY, [_bounded("F", steps) + " ", (_UNARY, inner)]
        case Until(left, right, steps):
            return _binary(_UNTIL, left, _bounded("U", steps), right)
        case Not(Until(Truth(), Not(inner), steps)):
            return _UNARY, [_bounded("G", steps) + " ", (_UNARY, inner)]
        case Not(Until(Not(left), Not(right), None)):
            return _binary(_UNTIL, left, "R", right)
        case Not(Until(Not(right) as before, And(Not(left), after), None)) if after == before:
            return _binary(_UNTIL, left, "W", right)
        case And(Not(And(left, Not(right))), _) if formula == equivalence(left, right):
            return _binary(_EQUIVALENCE, left, "<=>", right)
        case And(left, right):
            return _CONJUNCTION, _joined(" & ", _UNTIL, _members(formula) or [left, right])
        case Not(And() as inner) if all(isinstance(member, Not) for member in _members(inner) or [inner]):
            negated = [member.inner for member in _members(inner) if isinstance(member, Not)]
            return _DISJUNCTION, _joined(" | ", _CONJUNCTION, negated)
        case Not(And(left, Not(right))):
            return _binary(_IMPLICATION, left, "=>", right)
        case Not(inner):
            return _UNARY, ["!", (_UNARY, inner)]


def _bounded(operator: str, steps: int | None) -> str:
    return operator if steps is None else f"{operator}<={steps}"


def _members(formula: And) -> list[Formula]:
    """What a balanced tree of conjunctions is the conjunction of; nothing if the tree is not balanced."""
    members: list[Formula] = []
    waiting: list[Formula] = [formula]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, And):
            waiting += (inner.right, inner.left)
        else:
            members.append(inner)
    trees: list[tuple[Formula, int]] = [(formula, len(members))]
    while trees:
        inner, leaves = trees.pop()
        if isinstance(inner, And) != (leaves > 1):
            return []
        if isinstance(inner, And):
            half = (leaves + 1) // 2
            trees += ((inner.left, half), (inner.right, leaves - half))
    return members


def _binary(level: int, left: Formula, sign: str, right: Formula) -> _Written:
    """Two operands of an operator that is right associative."""
    return level, [(level + 1, left), f" {sign} ", (level, right)]


def _joined(sign: str, least: int, members: list[Formula]) -> list[_Piece]:
    pieces: list[_Piece] = [(least, members[0])]
    for member in members[1:]:
        pieces += (sign, (least, member))
    return pieces

"""Formulas as text that parses back to them, and as the arrays of certificates.

The text is canonical: abbreviations wherever the shape is that of one (`syntax` has the list), parentheses
only where the grammar needs them, names in quotes only where they must be. Some shapes are those of two
abbreviations. Then ``|`` goes before ``=>``, which reads better, and either parses back. A tree of
conjunctions that is balanced is written without parentheses, since that is how such a text is read; any other
tree, which only a program makes, keeps the parentheses that say so.

Writing does not recurse: a formula is a few texts with formulas between them, which wait on a stack.
"""

from __future__ import annotations

from bdist.dpctl.formulas import And, Atom, Formula, Next, Not, Private, Probability, Truth, Until
from bdist.dpctl.syntax import IDENTIFIER, RESERVED, TRUE, equivalence
from bdist.exact.reading import rational_text

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
    """The formula as the JSON array of section 1 of SPEC-DPCTL.md."""
    if isinstance(formula, Truth):
        return ["true"]
    if isinstance(formula, Atom):
        return ["atom", formula.name]
    if isinstance(formula, And):
        return ["and", document_of(formula.left), document_of(formula.right)]
    if isinstance(formula, Until):
        operands = [document_of(formula.left), document_of(formula.right)]
        return ["until", *operands] if formula.bound is None else ["within", formula.bound, *operands]
    inner = document_of(formula.inner)
    if isinstance(formula, Probability):
        return ["P", formula.comparison.value, rational_text(formula.bound), inner]
    if isinstance(formula, Private):
        epsilon = formula.epsilon
        exact = rational_text(epsilon.value) if epsilon.value is not None else None
        spelled = exact or ["ln", rational_text(epsilon.alpha_down())]  # which is alpha itself
        return ["D", spelled, rational_text(formula.delta), inner]
    return ["not" if isinstance(formula, Not) else "next", inner]


def name_text(name: str) -> str:
    """The name of a proposition as it is typed: in quotes where it must be."""
    if IDENTIFIER.fullmatch(name) and name not in RESERVED:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _pieces(formula: Formula) -> _Written:
    if isinstance(formula, Truth):
        return _ATOMIC, ["true"]
    if isinstance(formula, Atom):
        return _ATOMIC, [name_text(formula.name)]
    if isinstance(formula, And):
        return _and(formula)
    if isinstance(formula, Until):
        bound = "" if formula.bound is None else f"<={formula.bound}"
        if formula.left == TRUE:
            return _UNARY, [f"F{bound} ", (_UNARY, formula.right)]
        return _binary(_UNTIL, formula.left, f"U{bound}", formula.right)
    if isinstance(formula, Probability):
        head = f"P{formula.comparison.value}{rational_text(formula.bound)}"
        return _ATOMIC, [f"{head} [", (_EQUIVALENCE, formula.inner), "]"]
    if isinstance(formula, Private):
        head = f"D[eps={formula.epsilon.text}, delta={rational_text(formula.delta)}]"
        return _UNARY, [f"{head} (", (_EQUIVALENCE, formula.inner), ")"]
    return _next(formula) if isinstance(formula, Next) else _not(formula)


def _next(formula: Next) -> _Written:
    times, inner = 1, formula.inner
    while isinstance(inner, Next):
        times, inner = times + 1, inner.inner
    return _UNARY, ["X " * times if times <= _NEXTS_WRITTEN_OUT else f"X^{times} ", (_UNARY, inner)]


def _and(formula: And) -> _Written:
    left, right = formula.left, formula.right
    if isinstance(left, Not) and isinstance(left.inner, And) and isinstance(left.inner.right, Not):
        one, other = left.inner.left, left.inner.right.inner
        if formula == equivalence(one, other):
            return _binary(_EQUIVALENCE, one, "<=>", other)
    return _CONJUNCTION, _joined(" & ", _UNTIL, _members(formula) or [left, right])


def _not(formula: Not) -> _Written:
    inner = formula.inner
    if isinstance(inner, Truth):
        return _ATOMIC, ["false"]
    if isinstance(inner, And):
        members = _members(inner)
        negated = [member.inner for member in members if isinstance(member, Not)]
        if members and len(negated) == len(members):
            return _DISJUNCTION, _joined(" | ", _CONJUNCTION, negated)
        if isinstance(inner.right, Not):
            return _binary(_IMPLICATION, inner.left, "=>", inner.right.inner)
    if isinstance(inner, Until):
        left, right = inner.left, inner.right
        if left == TRUE and isinstance(right, Not):
            bound = "" if inner.bound is None else f"<={inner.bound}"
            return _UNARY, [f"G{bound} ", (_UNARY, right.inner)]
        if inner.bound is None and isinstance(left, Not):
            if isinstance(right, Not):
                return _binary(_UNTIL, left.inner, "R", right.inner)
            if isinstance(right, And) and right.right == left and isinstance(right.left, Not):
                return _binary(_UNTIL, right.left.inner, "W", left.inner)
    return _UNARY, ["!", (_UNARY, inner)]


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

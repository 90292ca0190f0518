"""Random programs as one may write them, and the same text spelled in another way.

The programs follow the grammar and have declarations that make sense; most of them break a rule for kinds, as
that does not matter to a reader or a writer.
"""

from __future__ import annotations

import re
from fractions import Fraction

from hypothesis import strategies as st

from bdist.dipc.program import (
    Assign,
    Binary,
    Call,
    Choose,
    Claim,
    Declared,
    DiscreteLaplace,
    Discretised,
    Epsilon,
    Exit,
    ExponentialMechanism,
    Expression,
    For,
    Function,
    If,
    Interval,
    Laplace,
    ListedPairs,
    Norm,
    Number,
    Program,
    Statement,
    Truth,
    Unary,
    Variable,
    While,
    Within,
)

NAMES = st.sampled_from(["x", "y", "r", "x'", "_a1", "Epsilon", "inf_", "domains"])
NUMBERS = st.integers(0, 12) | st.sampled_from([Fraction(1, 2), Fraction(21, 8), Fraction(7, 1000)])
RATIONALS = st.fractions(-3, 3, max_denominator=7)
BINARY = ["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "and", "or"]
TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_']*|[0-9]+(?:\.[0-9]+)?|:=|\.\.|[<>=!]=|\S")
BLANKS = ["", " ", "\n", "\t \r\n", "# no token: { := ;\n", "  #\n#\n "]


def expressions() -> st.SearchStrategy[Expression]:
    """Any expression of the grammar."""
    leaves: st.SearchStrategy[Expression] = (
        st.builds(lambda value: Number(Fraction(value)), NUMBERS)
        | st.builds(Truth, st.booleans())
        | st.just(Epsilon())
        | st.builds(Variable, NAMES)
    )

    def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        calls = st.sampled_from(["abs", "min", "max", "exp", "f", "g"])
        return (
            st.builds(Unary, st.sampled_from(["-", "not"]), inner)
            | st.builds(Binary, st.sampled_from(BINARY), inner, inner)
            | st.builds(Call, calls, st.lists(inner, min_size=1, max_size=3).map(tuple))
            | st.builds(Variable, NAMES, inner)
        )

    return st.recursive(leaves, larger, max_leaves=8)


EXPRESSIONS = expressions()


def statements() -> st.SearchStrategy[Statement]:
    """Any statement of the grammar."""
    targets = st.builds(Variable, NAMES, st.none() | EXPRESSIONS)
    options = st.lists(st.tuples(EXPRESSIONS, EXPRESSIONS), min_size=1, max_size=3).map(tuple)
    candidates = st.lists(EXPRESSIONS, min_size=1, max_size=3).map(tuple)
    leaves: st.SearchStrategy[Statement] = (
        st.builds(Assign, targets, EXPRESSIONS)
        | st.builds(Laplace, targets, EXPRESSIONS, EXPRESSIONS)
        | st.builds(DiscreteLaplace, targets, EXPRESSIONS, EXPRESSIONS)
        | st.builds(ExponentialMechanism, targets, EXPRESSIONS, NAMES, candidates, EXPRESSIONS)
        | st.builds(Choose, targets, options)
        | st.just(Exit())
    )

    def larger(inner: st.SearchStrategy[Statement]) -> st.SearchStrategy[Statement]:
        blocks = st.lists(inner, max_size=2).map(tuple)
        branches = st.lists(st.tuples(EXPRESSIONS, blocks), min_size=1, max_size=2).map(tuple)
        return (
            st.builds(If, branches, blocks)
            | st.builds(While, EXPRESSIONS, blocks)
            | st.builds(For, NAMES, EXPRESSIONS, EXPRESSIONS, blocks)
        )

    return st.recursive(leaves, larger, max_leaves=4)


STATEMENTS = statements()


@st.composite
def functions(draw: st.DrawFn, name: str) -> Function:
    """A function of that name."""
    parameters = tuple(draw(st.lists(NAMES, min_size=1, max_size=2, unique=True)))
    if draw(st.booleans()):
        return Function(name, parameters, draw(EXPRESSIONS))
    points = st.tuples(*[RATIONALS] * len(parameters))
    rows = draw(st.dictionaries(points, RATIONALS, min_size=1, max_size=3))
    return Function(name, parameters, None, tuple(rows.items()))


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    """An interval of positive numbers that is not empty."""
    low = abs(draw(RATIONALS))
    width = draw(st.none() | st.fractions(0, 3, max_denominator=5))
    has_low = low > 0 and draw(st.booleans())
    if width is None:
        return Interval(low, None, has_low, False)
    if width == 0:
        return Interval(low + 1, low + 1, True, True)
    return Interval(low, low + width, has_low, draw(st.booleans()))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A program with declarations that make sense."""
    domain = tuple(draw(st.lists(RATIONALS, min_size=1, max_size=4, unique=True)))
    sizes = st.none() | st.integers(1, 3)
    names = draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
    inputs = tuple(Declared(name, draw(sizes)) for name in names)
    steps = st.lists(RATIONALS, min_size=2, max_size=4, unique=True).map(lambda found: tuple(sorted(found)))
    variables = st.builds(Variable, NAMES, st.none() | EXPRESSIONS)
    outputs = st.builds(Declared, NAMES, sizes) | st.builds(Discretised, variables, steps)
    points = st.tuples(*[st.sampled_from(domain)] * sum(item.size or 1 for item in inputs))
    adjacency = st.builds(Within, st.sampled_from(Norm), RATIONALS.filter(lambda r: r > 0)) | st.builds(
        ListedPairs, st.lists(st.tuples(points, points), min_size=1, max_size=3).map(tuple)
    )
    return Program(
        name=draw(st.just("") | NAMES),
        domain=domain,
        inputs=inputs,
        outputs=tuple(draw(st.lists(outputs, min_size=1, max_size=2))),
        adjacency=draw(adjacency),
        claim=Claim(abs(draw(RATIONALS)), draw(st.just(Number(Fraction(0))) | EXPRESSIONS)),
        interval=draw(intervals()),
        functions=tuple(draw(functions(name)) for name in ("f", "g")[: draw(st.integers(0, 2))]),
        body=tuple(draw(st.lists(STATEMENTS, max_size=3))),
    )


@st.composite
def respelled(draw: st.DrawFn, text: str) -> str:
    """The same tokens with other blanks and comments between them."""
    made, before = "", ""
    random = draw(st.randoms(use_true_random=False))
    for token in TOKEN.findall(text):
        blank = random.choice(BLANKS)
        glued = not blank and TOKEN.findall(before + token) != [before, token]
        made += (" " if glued else blank) + token
        before = token
    return made

"""The sparse vector technique as programs: which queries are above a threshold, and how it was got wrong.

The threshold 0 gets noise, every query gets noise of its own, and what is published is 1 for a query that is
at least the threshold and 0 for one that is below, up to the c-th 1. Neighbours differ by at most 1 in every
query. Lyu, Su and Li (Understanding the sparse vector technique for differential privacy, 2017, Fig. 1)
compare six published versions, here with sensitivity 1 and T = 0; the number is that of their algorithm. With
Lap(s, m) of density (s/2) e^(-s|x - m|), in multiples of eps:

    program  threshold  queries            what is private
    svt      1/2        1/(4c)             eps
    svt2     1/(2c)     1/(4c)             eps; the threshold is drawn again after each 1
    svt3     1/2        1/(2c)             nothing: the noisy query is published in place of 1
    svt4     1/4        3/4                (1 + 6c)/4 eps
    svt5     1/2        no noise           nothing; no query is the last
    svt6     1/2        1/2                nothing; no query is the last

*Nothing* means for any number of queries: a program with few of them may be private for its eps. Barthe,
Chadha, Jagannath, Sistla and Viswanathan decide svt, svt2 and svt5 with three queries (their Table 1).

What svt3 publishes is a real number, of which the program here shows whether it is above 0: 1 if it is not, 2
if it is. ``svt-discrete`` is svt with discrete Laplace noise, private for the same reason.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.dipc.families.program_parts import (
    LARGEST,
    QUERIES,
    around_zero,
    assign,
    binary,
    element,
    expression,
    factor,
    laplace,
    put_together,
    repeat,
    times_eps,
    when,
)
from bdist.dipc.program import Declared, DiscreteLaplace, Exit, Laplace, Program, Statement, Variable
from bdist.family import Family, IntegerParameter

COUNT = IntegerParameter(
    "count", 1, "c, the number of queries above the threshold that end it", least=1, most=50
)
COUNT_TWO = IntegerParameter("count", 2, COUNT.help, least=1, most=50)
FACTOR = factor(Fraction(1))

_HALF, _QUARTER = Fraction(1, 2), Fraction(1, 4)
_QUERY = element("q", "i")
_ANSWER = element("o", "i")
_NOISY = element("r", "i")


def svt(
    queries: int = QUERIES.default,
    count: int = COUNT.default,
    largest: int = LARGEST.default,
    factor: Fraction = FACTOR.default,
) -> Program:
    """Algorithm 1: private for eps, whatever the number of queries. Raises: ParameterError."""
    count = COUNT.read(count)
    noisy = laplace(_NOISY, _QUARTER / count, _QUERY)
    return _program("svt", queries, largest, factor, [_threshold(_HALF)], noisy, _above(count))


def svt2(
    queries: int = QUERIES.default,
    count: int = COUNT_TWO.default,
    largest: int = LARGEST.default,
    factor: Fraction = FACTOR.default,
) -> Program:
    """Algorithm 2, of Dwork and Roth: a new threshold after each 1. Raises: ParameterError."""
    count = COUNT_TWO.read(count)
    threshold = _threshold(_HALF / count)
    noisy = laplace(_NOISY, _QUARTER / count, _QUERY)
    above = _above(count, again=[threshold])
    return _program("svt2", queries, largest, factor, [threshold], noisy, above)


def svt3(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """Algorithm 3, of Roth's lecture notes, with c = 1: the noisy query is published. Raises: ParameterError.

    With N queries, 0 everywhere against 1 everywhere gives N - 1 zeros and 1 with the ratio e^(N eps / 2), as
    then all N noisy queries are at most 0.
    """
    shown = when(binary(_NOISY, "<=", 0), [assign(_ANSWER, 1)], [assign(_ANSWER, 2)])
    noisy = laplace(_NOISY, _HALF, _QUERY)
    return _program("svt3", queries, largest, factor, [_threshold(_HALF)], noisy, [shown, Exit()])


def svt4(
    queries: int = QUERIES.default,
    count: int = COUNT.default,
    largest: int = LARGEST.default,
    factor: Fraction = FACTOR.default,
) -> Program:
    """Algorithm 4, of Lee and Clifton: noise that does not grow with c. Raises: ParameterError."""
    noisy = laplace(_NOISY, Fraction(3, 4), _QUERY)
    above = _above(COUNT.read(count))
    return _program("svt4", queries, largest, factor, [_threshold(_QUARTER)], noisy, above)


def svt5(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """Algorithm 5, of Stoddard and others: queries without noise. Raises: ParameterError."""
    return _program("svt5", queries, largest, factor, [_threshold(_HALF)], None, [assign(_ANSWER, 1)])


def svt6(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """Algorithm 6, of Chen and others: no end after c ones. Raises: ParameterError."""
    noisy = laplace(_NOISY, _HALF, _QUERY)
    return _program("svt6", queries, largest, factor, [_threshold(_HALF)], noisy, [assign(_ANSWER, 1)])


def svt_discrete(
    queries: int = QUERIES.default,
    count: int = COUNT.default,
    largest: int = LARGEST.default,
    factor: Fraction = FACTOR.default,
) -> Program:
    """Algorithm 1 with discrete Laplace noise: private for eps. Raises: ParameterError."""
    count = COUNT.read(count)
    threshold = DiscreteLaplace(Variable("rT"), times_eps(_HALF), expression(0))
    noisy = DiscreteLaplace(_NOISY, times_eps(_QUARTER / count), _QUERY)
    return _program("svt_discrete", queries, largest, factor, [threshold], noisy, _above(count))


def _threshold(scale: Fraction) -> Laplace:
    return laplace("rT", scale, 0)


def _above(count: int, again: list[Laplace] | None = None) -> list[Statement]:
    """What is done for a query that is not below: it is published, and the c-th ends the run."""
    if count == 1:
        return [assign(_ANSWER, 1), Exit()]
    counted = assign("count", binary("count", "+", 1))
    end = when(binary("count", ">=", count), [Exit()])
    return [assign(_ANSWER, 1), counted, end, *(again or [])]


def _program(
    name: str,
    queries: int,
    largest: int,
    factor: Fraction,
    before: list[Statement],
    noisy: Statement | None,
    above: list[Statement],
) -> Program:
    queries, largest, factor = QUERIES.read(queries), LARGEST.read(largest), FACTOR.read(factor)
    compared = _QUERY if noisy is None else _NOISY
    counts = any(statement == assign("count", binary("count", "+", 1)) for statement in above)
    body = [
        repeat("i", 1, queries, assign(_ANSWER, 0)),
        *([assign("count", 0)] if counts else []),
        *before,
        repeat(
            "i",
            1,
            queries,
            *([] if noisy is None else [noisy]),
            when(binary(compared, ">=", "rT"), above),
        ),
    ]
    outputs = [Declared("o", queries)]
    return put_together(name, around_zero(largest), Declared("q", queries), outputs, factor, body)


SVT_FAMILY = Family(
    "svt",
    "sparse vector: queries that are above a noisy threshold; private for eps",
    (QUERIES, COUNT, LARGEST, FACTOR),
    svt,
)
SVT2_FAMILY = Family(
    "svt2",
    "sparse vector with a new threshold after each query above it; private for eps",
    (QUERIES, COUNT_TWO, LARGEST, FACTOR),
    svt2,
)
SVT3_FAMILY = Family(
    "svt3",
    "sparse vector that publishes the noisy query itself; not private",
    (QUERIES, LARGEST, FACTOR),
    svt3,
)
SVT4_FAMILY = Family(
    "svt4",
    "sparse vector with too little noise; private for (1 + 6 count)/4 eps only",
    (QUERIES, COUNT, LARGEST, FACTOR),
    svt4,
)
SVT5_FAMILY = Family(
    "svt5",
    "sparse vector without noise on the queries; not private",
    (QUERIES, LARGEST, FACTOR),
    svt5,
)
SVT6_FAMILY = Family(
    "svt6",
    "sparse vector that never ends early; not private",
    (QUERIES, LARGEST, FACTOR),
    svt6,
)
DISCRETE_FAMILY = Family(
    "svt-discrete",
    "sparse vector with discrete Laplace noise; private for eps",
    (QUERIES, COUNT, LARGEST, FACTOR),
    svt_discrete,
)

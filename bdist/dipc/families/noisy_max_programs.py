"""Report noisy max as programs: which query is the largest, if each gets noise?

Four versions, as Ding, Wang, Wang, Zhang and Kifer number them (Detecting violations of differential privacy,
2018), with noise of scale 1/2 eps and neighbours that differ by at most 1 in every query:

* ``nmax1`` publishes the index of the largest, with Laplace noise: private for eps;
* ``nmax2`` the same with exponential noise, the absolute value of Laplace noise: private for eps;
* ``nmax3`` and ``nmax4`` publish the largest noisy query itself, which is not private. What the programs show
  of it is the step of -largest < ... < largest that it is in.

Barthe and others find counterexamples with 3 queries for nmax3 and with 1 for nmax4 (their Table 2).
"""

from __future__ import annotations

from fractions import Fraction

from bdist.dipc.families.program_parts import (
    LARGEST,
    QUERIES,
    around_zero,
    assign,
    binary,
    discretised,
    element,
    factor,
    laplace,
    put_together,
    repeat,
    when,
)
from bdist.dipc.program import Declared, Output, Program, Statement
from bdist.family import Family

FACTOR = factor(Fraction(1))

_SCALE = Fraction(1, 2)
_QUERY = element("q", "i")
_NOISY = element("r", "i")


def nmax1(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """The index of the largest query with Laplace noise. Raises: ParameterError."""
    return _program("nmax1", queries, largest, factor, _laplace_noise(), shows_index=True)


def nmax2(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """The index of the largest query with exponential noise. Raises: ParameterError."""
    return _program("nmax2", queries, largest, factor, _exponential_noise(), shows_index=True)


def nmax3(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """The largest query with Laplace noise itself. Raises: ParameterError.

    With N queries, -1 everywhere against 0 everywhere shows at most -1 with the ratio e^(N eps / 2).
    """
    return _program("nmax3", queries, largest, factor, _laplace_noise(), shows_index=False)


def nmax4(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """The largest query with exponential noise itself: it is at least every query. Raises: ParameterError."""
    return _program("nmax4", queries, largest, factor, _exponential_noise(), shows_index=False)


def _laplace_noise() -> list[Statement]:
    return [laplace(_NOISY, _SCALE, _QUERY)]


def _exponential_noise() -> list[Statement]:
    plus, minus = (assign(_NOISY, binary(_QUERY, sign, "z")) for sign in "+-")
    return [laplace("z", _SCALE, 0), when(binary("z", ">=", 0), [plus], [minus])]


def _program(
    name: str, queries: int, largest: int, factor: Fraction, noise: list[Statement], *, shows_index: bool
) -> Program:
    queries, largest, factor = QUERIES.read(queries), LARGEST.read(largest), FACTOR.read(factor)
    outputs: list[Output] = [Declared("o") if shows_index else discretised("best", largest)]
    better = [assign("best", _NOISY), *([assign("o", "i")] if shows_index else [])]
    body: list[Statement] = [
        repeat("i", 1, queries, *noise),
        assign("best", element("r", 1)),
        *([assign("o", 1)] if shows_index else []),
        repeat("i", 2, queries, when(binary(_NOISY, ">", "best"), better)),
    ]
    return put_together(name, around_zero(largest), Declared("q", queries), outputs, factor, body)


NMAX1_FAMILY = Family(
    "nmax1",
    "the index of the largest query, with Laplace noise; private for eps",
    (QUERIES, LARGEST, FACTOR),
    nmax1,
)
NMAX2_FAMILY = Family(
    "nmax2",
    "the index of the largest query, with exponential noise; private for eps",
    (QUERIES, LARGEST, FACTOR),
    nmax2,
)
NMAX3_FAMILY = Family(
    "nmax3",
    "the largest query itself, with Laplace noise; not private",
    (QUERIES, LARGEST, FACTOR),
    nmax3,
)
NMAX4_FAMILY = Family(
    "nmax4",
    "the largest query itself, with exponential noise; not private",
    (QUERIES, LARGEST, FACTOR),
    nmax4,
)

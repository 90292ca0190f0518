"""What the families of programs share: writing one down in few words, and their parameters.

The families write their programs as one would type them, with arrays and loops, so that what `bdist make`
writes can be read and changed by hand. Numbers and names become expressions where one is wanted.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from bdist.dipc.program import (
    Adjacency,
    Assign,
    Binary,
    Call,
    Choose,
    Claim,
    Declared,
    Discretised,
    Epsilon,
    Expression,
    For,
    If,
    Interval,
    Laplace,
    Norm,
    Number,
    Output,
    Program,
    Statement,
    Unary,
    Variable,
    Within,
)
from bdist.family import IntegerParameter, RationalParameter

Given = Expression | Fraction | int | str  # a text is the name of a variable

QUERIES = IntegerParameter("queries", 3, "number of queries", least=1, most=50)
LARGEST = IntegerParameter("largest", 1, "inputs are the integers from -largest to largest", least=1, most=50)
EPS = Epsilon()

_MOST = Fraction(10**6)


def factor(default: Fraction) -> RationalParameter:
    """The parameter for the t of the claim t * eps."""
    return RationalParameter("factor", default, "the t of the claim t*eps", below=_MOST)


def coefficient(name: str, default: Fraction, sample: str) -> RationalParameter:
    """The parameter for the c of a scale c * eps."""
    return RationalParameter(name, default, f"coefficient c of the scale c*eps of {sample}", below=_MOST)


# --- expressions ---


def expression(given: Given) -> Expression:
    """An expression from a number, the name of a variable, or an expression."""
    if isinstance(given, str):
        return Variable(given)
    if not isinstance(given, int | Fraction):
        return given
    value = Fraction(given)
    if value < 0:
        return Unary("-", expression(-value))
    above = Number(Fraction(value.numerator))
    return above if value.denominator == 1 else Binary("/", above, Number(Fraction(value.denominator)))


def element(array: str, index: Given) -> Variable:
    """An element of an array."""
    return Variable(array, expression(index))


def binary(left: Given, operator: str, right: Given) -> Binary:
    """Two operands with an operator between them."""
    return Binary(operator, expression(left), expression(right))


def call(function: str, *arguments: Given) -> Call:
    """A call of a function."""
    return Call(function, tuple(map(expression, arguments)))


def times_eps(value: Fraction) -> Expression:
    """``value*eps``."""
    return EPS if value == 1 else binary(value, "*", EPS)


# --- statements ---


def assign(target: Variable | str, value: Given) -> Assign:
    """``target := value``."""
    return Assign(_variable(target), expression(value))


def laplace(target: Variable | str, scale: Fraction, mean: Given) -> Laplace:
    """``target ~ Lap(scale*eps, mean)``."""
    return Laplace(_variable(target), times_eps(scale), expression(mean))


def choose(target: Variable | str, *options: tuple[Given, Given]) -> Choose:
    """``target ~ choose {value: weight, ...}``."""
    pairs = tuple((expression(value), expression(weight)) for value, weight in options)
    return Choose(_variable(target), pairs)


def when(condition: Expression, body: Iterable[Statement], otherwise: Iterable[Statement] = ()) -> If:
    """``if condition {...} else {...}``."""
    return If(((condition, tuple(body)),), tuple(otherwise))


def repeat(counter: str, first: Given, last: Given, *body: Statement) -> For:
    """``for counter in first..last {...}``."""
    return For(counter, expression(first), expression(last), body)


# --- programs ---


def around_zero(largest: int) -> tuple[Fraction, ...]:
    """The integers from -largest to largest."""
    return tuple(Fraction(value) for value in range(-largest, largest + 1))


def discretised(variable: Variable | str, largest: int) -> Discretised:
    """``disc(variable, -largest < ... < largest)``."""
    return Discretised(_variable(variable), around_zero(largest))


def put_together(
    name: str,
    domain: Iterable[Fraction],
    inputs: Declared,
    outputs: Iterable[Output],
    claim: Claim | Fraction,
    body: Iterable[Statement],
    norm: Norm = Norm.LINF,
) -> Program:
    """A program for all positive epsilon whose neighbours are at most 1 apart."""
    adjacency: Adjacency = Within(norm, Fraction(1))
    claimed = claim if isinstance(claim, Claim) else Claim(claim)
    return Program(
        name, tuple(domain), (inputs,), tuple(outputs), adjacency, claimed, Interval(), (), tuple(body)
    )


def _variable(given: Variable | str) -> Variable:
    return Variable(given) if isinstance(given, str) else given

"""Expressions of a program that have a value before it runs: ends of loops, indices, the factor of a claim.

They are made of numbers, counters, ``+ - * /``, ``abs``, ``min`` and ``max``. A claim may have ``eps`` once
as a factor; it is read as a + b eps, and a must be 0. Nobody counts to numbers of more than a few digits, but
a loop may ask for the same long product a hundred thousand times, so what is longer than it can be meant is
refused.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.dipc.program import (
    ARITHMETIC,
    BUILT_IN,
    Binary,
    Call,
    Epsilon,
    Expression,
    Number,
    Unary,
    Variable,
    error_at,
)

_MOST_BITS = 256
_MOST_BITS_OF_CLAIM = 4_000

_Linear = tuple[Fraction, Fraction]  # a + b eps


def constant_value(expression: Expression, what: str, source: str = "") -> Fraction:
    """The value of a constant expression, in which counters were replaced by theirs.

    Raises: ProgramError where it is none; ``what`` names it.
    """
    return Fraction(_constant(expression, what, source))


def claimed_factor(expression: Expression, source: str = "") -> Fraction:
    """The t of a claim t * eps. Raises: ProgramError where it is no such multiple, or t < 0."""
    value, slope = _linear(expression, source)
    if value or slope < 0:
        raise error_at(
            "the claim is t * eps with a constant t >= 0, such as 1/2*eps", expression.place, source
        )
    return slope


def _constant(expression: Expression, what: str, source: str) -> Fraction | int:
    """The value, as an integer if it is one: those are added in a tenth of the time."""
    value: Fraction | int
    if isinstance(expression, Number):
        value = expression.value
    elif isinstance(expression, Binary) and expression.operator in ARITHMETIC:
        left = _constant(expression.left, what, source)
        right = _constant(expression.right, what, source)
        if expression.operator == "+":
            value = left + right
        elif expression.operator == "-":
            value = left - right
        elif expression.operator == "*":
            value = left * right
        elif right:
            value = Fraction(left) / right
        else:
            raise error_at(f"{what} divides by zero", expression.place, source)
    elif isinstance(expression, Unary) and expression.operator == "-":
        value = -_constant(expression.inner, what, source)
    elif isinstance(expression, Call) and expression.function in BUILT_IN:
        values = [_constant(argument, what, source) for argument in expression.arguments]
        if expression.function == "abs":
            if len(values) != 1:
                raise error_at(f"abs has 1 argument, not {len(values)}", expression.place, source)
            values.append(-values[0])
        value = min(values) if expression.function == "min" else max(values)
    else:
        made_of = "numbers, counters of for, + - * /, abs, min and max"
        message = f"{what} is made of {made_of} only, {_found(expression)}"
        raise error_at(message, expression.place, source)
    if value.numerator.bit_length() > _MOST_BITS or value.denominator.bit_length() > _MOST_BITS:
        raise error_at(f"{what} has a number of more than {_MOST_BITS} bits", expression.place, source)
    return value.numerator if value.denominator == 1 else value


def _linear(expression: Expression, source: str) -> _Linear:
    """The a and b of a claim a + b eps."""
    match expression:
        case Number(value):
            found = value, Fraction(0)
        case Epsilon():
            found = Fraction(0), Fraction(1)
        case Unary("-", inner):
            value, slope = _linear(inner, source)
            found = -value, -slope
        case Binary("+" | "-" | "*" | "/"):
            found = _arithmetic(expression, source)
        case _:
            message = f"the claim is made of numbers, eps and + - * / only, {_found(expression)}"
            raise error_at(message, expression.place, source)
    if any(max(abs(part.numerator), part.denominator).bit_length() > _MOST_BITS_OF_CLAIM for part in found):
        message = f"the claim has a number of more than {_MOST_BITS_OF_CLAIM} bits"
        raise error_at(message, expression.place, source)
    return found


def _arithmetic(expression: Binary, source: str) -> _Linear:
    a, b = _linear(expression.left, source)
    c, d = _linear(expression.right, source)
    match expression.operator:
        case "+":
            return a + c, b + d
        case "-":
            return a - c, b - d
        case "*" if not (b and d):
            return a * c, a * d + b * c
        case "/" if not _has_epsilon(expression.right):
            if not c:
                raise error_at("the claim divides by zero", expression.place, source)
            return a / c, b / c
    raise error_at("the claim is not linear in eps", expression.place, source)


def _has_epsilon(expression: Expression) -> bool:
    match expression:
        case Epsilon():
            return True
        case Unary(_, inner):
            return _has_epsilon(inner)
        case Binary(_, left, right):
            return _has_epsilon(left) or _has_epsilon(right)
    return False


def _found(expression: Expression) -> str:
    match expression:
        case Variable(name):
            return f"and '{name}' is a variable"
        case Call(function):
            return f"and '{function}' is a function"
        case Unary(operator) | Binary(operator):
            return f"not of '{operator}'"
        case Epsilon():
            return "not of eps"
    return "not of true and false"

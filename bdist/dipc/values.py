"""What expressions are worth: finite values exactly, noise as linear forms, weights as exponential sums.

A real or integer variable is never a number here: it is a `Linear` form of independent samples, each centred
at 0, so that a mean is part of the constant. Comparisons of such forms are not decided but assumed, one way
and the other (`events`).

Numbers have a bounded length, and it is looked at before they are multiplied: a loop that squares a variable
takes a dozen lines and, twenty rounds later, all memory there is. The bound is the checker's.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bdist.dipc import program as syntax
from bdist.dipc.exponentials import EPSILON, ClosedForm, constant, exponential
from bdist.dipc.program import Exact, Expression, Place, built_in, error_at, tidy
from bdist.errors import InternalError, ProgramError, UnsupportedModel
from bdist.exact.rationals import to_fmpq


@dataclass(frozen=True, slots=True)
class Linear:
    """A sum of coefficients times samples, and a constant; by increasing number of the sample."""

    entries: tuple[tuple[int, Exact], ...]
    constant: Exact

    def __add__(self, other: Linear | Exact) -> Linear:
        if not isinstance(other, Linear):
            return Linear(self.entries, tidy(self.constant + other))
        found = dict(self.entries)
        for sample, c in other.entries:
            found[sample] = found.get(sample, 0) + c
        entries = tuple(sorted((sample, tidy(c)) for sample, c in found.items() if c))
        return Linear(entries, tidy(self.constant + other.constant))

    def __mul__(self, factor: Exact) -> Linear:
        entries = tuple((sample, tidy(c * factor)) for sample, c in self.entries) if factor else ()
        return Linear(entries, tidy(self.constant * factor))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Linear:
        return self * -1

    def __sub__(self, other: Linear | Exact) -> Linear:
        return self + -other

    def __rsub__(self, other: Exact) -> Linear:
        return -self + other


Finite = int | Fraction | bool
Value = Finite | Linear
Store = Mapping[str, Value]
Functions = Mapping[str, syntax.Function]

COMPARE: dict[str, Callable[[Exact, Exact], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_COMBINE: dict[str, Callable[[Any, Any], Any]] = {  # finite values, forms, and functions of epsilon
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}

MOST_BITS = 2**20  # of the operands of an operation


def length(value: Value) -> int:
    """The bits of the longest number in a value, numerator and denominator together."""
    if isinstance(value, Linear):
        return max(map(length, (value.constant, *(c for _, c in value.entries))))
    return value.numerator.bit_length() + value.denominator.bit_length()


class Unread(InternalError):
    """A variable has no value yet; of an input that is read when it is used first, no error."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the variable {name} has no value")
        self.name = name


class NoisyComparison(Exception):
    """A comparison of noise stands where only finite values can be evaluated."""


class Evaluator:
    """Evaluates expressions of a program. Requires: kinds were checked."""

    def __init__(self, functions: Functions, source: str = "") -> None:
        self._functions = functions
        self._source = source

    def refusal(self, place: Place, problem: str) -> ProgramError:
        """An error of the program that only a run shows."""
        return error_at(problem, place, self._source)

    def value(self, expression: Expression, store: Store) -> Value:
        """A finite value or a linear form. Raises: ProgramError, NoisyComparison."""
        if isinstance(expression, syntax.Variable):
            found = store.get(expression.name)
            if found is None:
                raise Unread(expression.name)
            return found
        if isinstance(expression, syntax.Number):
            return tidy(expression.value)
        if isinstance(expression, syntax.Truth):
            return expression.value
        if isinstance(expression, syntax.Unary):
            inner = self.value(expression.inner, store)
            if expression.operator == "not":
                return not inner
            return -inner
        if isinstance(expression, syntax.Call):
            return self._call(expression, store)
        if isinstance(expression, syntax.Binary):
            return self._binary(expression, store)
        raise InternalError("eps is not the value of a variable")

    def finite(self, expression: Expression, store: Store) -> Exact:
        """A finite value."""
        found = self.value(expression, store)
        if isinstance(found, Linear):
            raise InternalError("noise stands where a finite value must")
        return found

    def _binary(self, expression: syntax.Binary, store: Store) -> Value:
        sign = expression.operator
        left = self.value(expression.left, store)
        if sign == "and":
            return bool(left) and bool(self.value(expression.right, store))
        if sign == "or":
            return bool(left) or bool(self.value(expression.right, store))
        right = self.value(expression.right, store)
        if sign in COMPARE:
            if isinstance(left, Linear) or isinstance(right, Linear):
                raise NoisyComparison
            return COMPARE[sign](left, right)
        if length(left) + length(right) > MOST_BITS:
            raise UnsupportedModel(f"a value takes more than {MOST_BITS} bits; does it grow in a loop?")
        if isinstance(right, Linear):
            if sign == "/" or (sign == "*" and isinstance(left, Linear)):
                raise InternalError("a product of noise and noise, or a division by it")
        elif sign == "/":
            if right == 0:
                raise self.refusal(expression.place, "division by zero")
            sign, right = "*", 1 / Fraction(right)
        found = _COMBINE[sign](left, right)
        return found if isinstance(found, Linear) else tidy(found)

    def _call(self, expression: syntax.Call, store: Store) -> Value:
        values = [self.finite(argument, store) for argument in expression.arguments]
        name = expression.function
        if name in syntax.BUILT_IN:
            return built_in(name, values)
        function = self._functions[name]
        if function.body is not None:
            return self.value(function.body, dict(zip(function.parameters, values, strict=True)))
        row = next((found for arguments, found in function.table if list(arguments) == values), None)
        if row is not None:
            return tidy(row)
        listed = ", ".join(map(str, values))
        raise self.refusal(expression.place, f"the table of {name} has no row for ({listed})")

    # --- functions of epsilon ---

    def exponential(self, expression: Expression, store: Store) -> ClosedForm:
        """A weight, a scale or a delta."""
        if isinstance(expression, syntax.Epsilon):
            return EPSILON
        if isinstance(expression, syntax.Unary):
            return -self.exponential(expression.inner, store)
        if isinstance(expression, syntax.Call) and expression.function == "exp":
            rate = self.exponential(expression.arguments[0], store).multiple()
            if rate is None:
                raise self.refusal(expression.place, "exp(...) is of a multiple of eps")
            return exponential(rate)
        if not isinstance(expression, syntax.Binary):
            return constant(to_fmpq(self.finite(expression, store)))
        left = self.exponential(expression.left, store)
        if expression.operator == "/":
            divisor = self.finite(expression.right, store)
            if divisor == 0:
                raise self.refusal(expression.place, "division by zero")
            return left / constant(to_fmpq(divisor))
        combined: ClosedForm = _COMBINE[expression.operator](left, self.exponential(expression.right, store))
        return combined

    def scale(self, expression: Expression, store: Store) -> Fraction:
        """The c of a scale c eps. Raises: ProgramError where it is not positive."""
        rate = self.exponential(expression, store).multiple()
        if rate is None or rate <= 0:
            raise self.refusal(expression.place, "a scale is c*eps with c > 0, and here it is not")
        return rate

"""The value of an expression in a run: exact rationals, truth values, linear forms of samples, weights.

Kinds are known to fit when a program runs (``program.py``), so what can go wrong here is what depends
on values: a division by zero, a table without the arguments, a number that should be whole. Such a program
is one that nothing is certified about, and ``Unfit`` says so. A comparison of samples that the run has not
decided yet raises ``Split``.

Scales, weights and deltas are exponential polynomials of ε.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..core import TooLarge
from ..core.digits import brief, size
from ..core.limits import PIECE, Work
from .events import Event, Events, Linear, holds
from .exponentials import Exponential
from .text import BUILT_IN, COMPARISONS, Expression, Function, Point

Value = Fraction | bool | Linear
Store = Mapping[str, Value]

HIGHEST = 250  # operators and calls within each other, those of the functions that are called included
_EPS = Exponential({(0, 1): 1})


class Unfit(Exception):
    """What a program does that makes it one that nothing is certified about."""


class Evaluator:
    """Evaluates expressions with the functions of a program."""

    def __init__(self, functions: Mapping[str, Function], events: Events, work: Work) -> None:
        self._functions = functions
        self._events = events
        self._work = work
        self._tables: dict[str, dict[Point, Fraction]] = {
            name: dict(function.table) for name, function in functions.items() if function.body is None
        }

    def value(self, expression: Expression, store: Store, event: Event) -> Value:
        """The value. Raises: Unfit; Split where the event does not decide a comparison; TooLarge."""
        tag = expression[0]
        if tag == "number" or tag == "truth":
            found: Value = expression[1]
            return found
        self._work.spend(8)
        if tag == "var":
            return store[expression[1]]
        if tag == "call":
            return self._call(
                expression[1], [self.value(part, store, event) for part in expression[2:]], event
            )
        left = self.value(expression[1], store, event)
        if tag == "neg":
            return left.times(Fraction(-1)) if isinstance(left, Linear) else Fraction(-left)
        if tag == "not":
            return not left
        if tag == "and" or tag == "or":
            return left if left == (tag == "or") else self.value(expression[2], store, event)
        right = self.value(expression[2], store, event)
        if tag in COMPARISONS:
            return self.compare(left, tag, right, event)
        return self._arithmetic(left, tag, right)

    def compare(self, left: Value, sign: str, right: Value, event: Event) -> bool:
        """Whether two values stand in a relation. Raises: Split, TooLarge."""
        if isinstance(left, bool) or isinstance(right, bool):
            if not (isinstance(left, bool) and isinstance(right, bool) and sign in ("==", "!=")):
                raise Unfit("a Boolean is compared with something else, or by its size")
            return (left == right) == (sign == "==")
        if isinstance(left, Linear) or isinstance(right, Linear):
            integer = (
                left.integer if isinstance(left, Linear) else isinstance(right, Linear) and right.integer
            )
            difference = _linear(left, integer).plus(_linear(right, integer).times(Fraction(-1)))
            return self._events.decide(difference, sign, event)
        self._count(left, right)
        return holds(left - right, sign)

    def number(self, expression: Expression, store: Store, event: Event) -> Fraction:
        """The value of an expression that is finite. Raises: as `value`."""
        found = self.value(expression, store, event)
        if isinstance(found, bool) or not isinstance(found, Fraction):
            raise Unfit("an expression that should be a number is none")
        return found

    def _arithmetic(self, left: Value, sign: str, right: Value) -> Value:
        if isinstance(left, Linear) or isinstance(right, Linear):
            return self._linear_arithmetic(left, sign, right)
        self._count(left, right)
        if sign == "+":
            return Fraction(left + right)
        if sign == "-":
            return Fraction(left - right)
        if sign == "*":
            return Fraction(left * right)
        if not right:
            raise Unfit("there is a division by zero")
        return Fraction(left) / right

    def _linear_arithmetic(self, left: Value, sign: str, right: Value) -> Linear:
        form = left if isinstance(left, Linear) else right
        if not isinstance(form, Linear):
            raise Unfit("an expression is of no kind")
        for other in (left, right):
            if form.integer and isinstance(other, Fraction) and other.denominator != 1:
                raise Unfit(f"an integer meets {brief(other)}, which is not a whole number")
        for other in (left, right):
            self._work.spend(4 * len(other.parts) + 4 if isinstance(other, Linear) else 4)
        if sign in ("+", "-"):
            second = _linear(right, form.integer)
            return _linear(left, form.integer).plus(second if sign == "+" else second.times(Fraction(-1)))
        factor = right if form is left else left
        if isinstance(factor, Linear):
            raise Unfit("two values that are not finite are multiplied")
        if sign == "/":
            if not factor:
                raise Unfit("there is a division by zero")
            factor = 1 / Fraction(factor)
        self._work.reduce(size(Fraction(factor)) + size(form.constant))
        return form.times(Fraction(factor))

    def _call(self, name: str, arguments: list[Value], event: Event) -> Value:
        numbers = [argument for argument in arguments if isinstance(argument, Fraction)]
        if name in BUILT_IN:
            if name == "abs":
                return abs(numbers[0])
            return min(numbers) if name == "min" else max(numbers)
        function = self._functions[name]
        if function.body is not None:
            return self.value(function.body, dict(zip(function.parameters, arguments, strict=True)), event)
        found = self._tables[name].get(tuple(numbers))
        if found is None:
            listed = ", ".join(map(brief, numbers))
            raise Unfit(f"the table of {name} has no row for ({listed})")
        return found

    def _count(self, left: Fraction | bool, right: Fraction | bool) -> None:
        bits = size(Fraction(left)) + size(Fraction(right))
        if bits > PIECE:
            self._work.reduce(bits)
            if bits > PIECE * PIECE:
                raise TooLarge(f"a number with more than {PIECE * PIECE} bits")

    # --- functions of ε ---

    def weight(self, expression: Expression, store: Store, event: Event) -> Exponential:
        """The value of a weight or a delta. Raises: Unfit, TooLarge."""
        tag = expression[0]
        if tag == "eps":
            return _EPS
        if tag == "call" and expression[1] == "exp":
            rate = multiple_of_eps(self.weight(expression[2], store, event))
            if rate is None:
                raise Unfit("the exponent of exp is not a multiple of eps")
            return Exponential.of({(rate, 0): Fraction(1)})
        if tag == "neg":
            return self.weight(expression[1], store, event).negated()
        if tag not in ("+", "-", "*", "/"):
            return Exponential.number(self.number(expression, store, event))
        left = self.weight(expression[1], store, event)
        if tag == "/":
            divisor = self.number(expression[2], store, event)
            if not divisor:
                raise Unfit("there is a division by zero")
            return left.times(Exponential.number(1 / divisor), self._work)
        right = self.weight(expression[2], store, event)
        if tag == "*":
            return left.times(right, self._work)
        return left.plus(right if tag == "+" else right.negated(), self._work)

    def scale(self, expression: Expression, store: Store, event: Event) -> Fraction:
        """The c of a scale c·eps. Raises: Unfit, TooLarge."""
        found = multiple_of_eps(self.weight(expression, store, event))
        if found is None or found <= 0:
            raise Unfit("a scale is not a positive multiple of eps")
        return found


def multiple_of_eps(function: Exponential) -> Fraction | None:
    """The c, if the function is c ε."""
    if not function:
        return Fraction(0)
    if set(function.terms) != {(0, 1)}:
        return None
    return Fraction(function.terms[0, 1], function.denominator)


def height(expression: Expression, functions: Mapping[str, int]) -> int:
    """How many operators and calls are within each other, with those of functions of these heights."""
    below = [height(part, functions) for part in expression[1:] if isinstance(part, tuple)]
    own = functions.get(expression[1], 0) if expression[0] == "call" else 0
    return 1 + own + max(below, default=0)


def _linear(value: Value, integer: bool) -> Linear:
    return value if isinstance(value, Linear) else Linear(integer, Fraction(value))

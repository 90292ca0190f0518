"""The value of an expression in a run: exact rationals, truth values, linear forms of samples, weights.

Each value is held to its use here: what is added is a number, what is compared can be, a variable that is
read has a value. What also depends on values is a division by zero, a table without the arguments, a number
that should be whole. A program with such a run is one that nothing is certified about, and ``Unfit`` says so.
A comparison of samples that the run has not decided yet raises ``Split``.

Scales and weights are exponential polynomials of ε.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..core import TooLarge
from ..core.digits import brief, size
from ..core.limits import PIECE, Work
from .events import Event, Events, Linear, holds
from .exponentials import EPSILON, Exponential
from .text import BUILT_IN, COMPARISONS, Expression, Function, Point

Value = Fraction | bool | Linear
Store = Mapping[str, Value]


class Unfit(Exception):
    """What a program does that makes it one that nothing is certified about."""

    step = "program"


class Evaluator:
    """Evaluates expressions with the functions of a program."""

    def __init__(self, functions: Mapping[str, Function], events: Events, work: Work) -> None:
        self._functions = functions
        self._events = events
        self._work = work
        self._tables: dict[str, dict[Point, Fraction]] = {
            name: dict(function.body[1])
            for name, function in functions.items()
            if function.body[0] == "table"
        }

    def value(self, expression: Expression, store: Store, event: Event) -> Value:
        """The value. Raises: Unfit; Split where the event does not decide a comparison; TooLarge."""
        tag = expression[0]
        if tag in ("number", "truth"):
            found: Value = expression[1]
            return found
        self._work.spend(8)
        if tag == "var":
            if expression[1] not in store:
                raise Unfit(f"{expression[1]} is used, and has no value")
            return store[expression[1]]
        if tag == "call":
            return self._call(expression[1], expression[2:], store, event)
        if tag == "eps":
            raise Unfit("eps stands outside of scales and weights")
        if tag == "not":
            return not self.truth(expression[1], store, event)
        if tag in ("and", "or"):
            left = self.truth(expression[1], store, event)
            return left if left == (tag == "or") else self.truth(expression[2], store, event)
        operands = [self.value(part, store, event) for part in expression[1:]]
        if tag in COMPARISONS:
            return self.compare(operands[0], tag, operands[1], event)
        if any(isinstance(operand, bool) for operand in operands):
            raise Unfit(f"an operand of {tag} is a Boolean")
        if len(operands) == 1:
            return self._arithmetic(Fraction(-1), "*", operands[0])
        return self._arithmetic(operands[0], tag, operands[1])

    def truth(self, expression: Expression, store: Store, event: Event) -> bool:
        """The value of an expression that is Boolean. Raises: as `value`."""
        found = self.value(expression, store, event)
        if not isinstance(found, bool):
            raise Unfit("a condition, or an operand of not, and, or, is no Boolean")
        return found

    def number(self, expression: Expression, store: Store, event: Event) -> Fraction:
        """The value of an expression that is finite. Raises: as `value`."""
        found = self.value(expression, store, event)
        if not isinstance(found, Fraction):
            raise Unfit("an expression that should be a number is none")
        return found

    def compare(self, left: Value, sign: str, right: Value, event: Event) -> bool:
        """Whether two values stand in a relation. Raises: Unfit, Split, TooLarge."""
        if isinstance(left, bool) or isinstance(right, bool):
            if not (isinstance(left, bool) and isinstance(right, bool) and sign in ("==", "!=")):
                raise Unfit("a Boolean is compared with something else, or by its size")
            return (left == right) == (sign == "==")
        difference = self._arithmetic(left, "-", right, exact=False)
        if isinstance(difference, Linear):
            return self._events.decide(difference, sign, event)
        return holds(difference, sign)

    def _arithmetic(self, left: Value, sign: str, right: Value, exact: bool = True) -> Fraction | Linear:
        """A sum, difference, product or quotient; ``exact``: an integer meets whole numbers only."""
        if sign == "/":
            if isinstance(right, Linear) or (isinstance(left, Linear) and left.integer):
                raise Unfit("a division by a sample, or of an integer")
            if not right:
                raise Unfit("there is a division by zero")
            left, sign, right = 1 / Fraction(right), "*", left
        form = next((side for side in (left, right) if isinstance(side, Linear)), None)
        if form is None:
            one, other = Fraction(left), Fraction(right)  # type: ignore[arg-type]
            self._count(one, other)
            return one * other if sign == "*" else one + other if sign == "+" else one - other
        for side in (left, right):
            self._work.spend(4 * len(side.parts) + 4 if isinstance(side, Linear) else 4)
            if isinstance(side, Linear):
                if side.integer != form.integer:
                    raise Unfit("a real and an integer meet")
            elif exact and form.integer and Fraction(side).denominator != 1:
                raise Unfit(f"an integer meets {brief(Fraction(side))}, which is not a whole number")
        if sign == "*":
            factor = right if form is left else left
            if isinstance(factor, Linear):
                raise Unfit("two values that are not finite are multiplied")
            self._work.reduce(size(Fraction(factor)) + size(form.constant))
            return form.times(Fraction(factor))
        one_form, other_form = _linear(left, form.integer), _linear(right, form.integer)
        return one_form.plus(other_form if sign == "+" else other_form.times(Fraction(-1)))

    def _call(self, name: str, arguments: tuple[Expression, ...], store: Store, event: Event) -> Value:
        if name == "exp":
            raise Unfit("exp stands outside of weights")
        numbers = [self.number(argument, store, event) for argument in arguments]
        if name in BUILT_IN:
            return abs(numbers[0]) if name == "abs" else min(numbers) if name == "min" else max(numbers)
        function = self._functions[name]
        if name not in self._tables:
            return self.value(function.body, dict(zip(function.parameters, numbers, strict=True)), event)
        found = self._tables[name].get(tuple(numbers))
        if found is None:
            listed = ", ".join(map(brief, numbers))
            raise Unfit(f"the table of {name} has no row for ({listed})")
        return found

    def _count(self, left: Fraction, right: Fraction) -> None:
        bits = size(left) + size(right)
        if bits > PIECE:
            self._work.reduce(bits)
            if bits > PIECE * PIECE:
                raise TooLarge(f"a number with more than {PIECE * PIECE} bits")

    # --- functions of ε ---

    def weight(self, expression: Expression, store: Store, event: Event) -> Exponential:
        """The value of a weight. Raises: Unfit, TooLarge."""
        tag = expression[0]
        if tag == "eps":
            return EPSILON
        if tag == "call" and expression[1] == "exp":
            return Exponential.of({(self._multiple(expression[2], store, event), 0): Fraction(1)})
        if tag not in ("+", "-", "*", "/"):
            return Exponential.number(self.number(expression, store, event))
        left = self.weight(expression[1], store, event)
        if len(expression) == 2:
            return left.negated()
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
        found = self._multiple(expression, store, event)
        if found <= 0:
            raise Unfit("a scale is not a positive multiple of eps")
        return found

    def _multiple(self, expression: Expression, store: Store, event: Event) -> Fraction:
        """The c, if the weight is c·eps."""
        function = self.weight(expression, store, event)
        if not function.terms.keys() <= {(0, 1)}:
            raise Unfit("a scale, or the exponent of exp, is not a multiple of eps")
        return Fraction(function.terms.get((0, 1), 0), function.denominator)


def _linear(value: Value, integer: bool) -> Linear:
    return value if isinstance(value, Linear) else Linear(integer, Fraction(value))

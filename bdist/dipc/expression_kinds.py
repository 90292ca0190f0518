"""The kind of an expression, and which expressions may stand where epsilon may.

The rules are those of SPEC-DIPC, section 1. What can be decided is comparisons of *linear* expressions of
samples: a product of two of them, a quotient by one, or a real beside an integer has no place in them, and is
refused by name. Epsilon is not a value of the program. A scale is c eps, a weight a sum of products of finite
values, eps and exp(c eps), and both are known from the form of the expression alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from bdist.dipc.program import (
    ARITHMETIC,
    BUILT_IN,
    CONNECTIVES,
    Binary,
    Call,
    Epsilon,
    Expression,
    Function,
    Kind,
    Number,
    Truth,
    Unary,
    Variable,
    error_at,
)
from bdist.errors import ProgramError

FINITE, BOOLEAN, REAL, INTEGER = Kind.FINITE, Kind.BOOLEAN, Kind.REAL, Kind.INTEGER
RANDOM = (REAL, INTEGER)

_NOUNS = {FINITE: "a finite value", BOOLEAN: "a Boolean", REAL: "a real", INTEGER: "an integer"}
_PLURALS = {FINITE: "finite values", BOOLEAN: "Booleans", REAL: "reals", INTEGER: "integers"}


@dataclass(frozen=True)
class Signature:
    """How many arguments a function of the program has, and what it gives: a finite value or a Boolean."""

    arguments: int
    result: Kind


@dataclass(frozen=True)
class Scope:
    """What is known where an expression stands: kinds of variables, which of them have a value, functions.

    ``assigned`` is None where all have a value, or no run arrives; ``of`` says whose variables they are, if
    not the program's; ``candidate`` is a name that stands for something else here, and of which kind.
    """

    kinds: Mapping[str, Kind]
    assigned: AbstractSet[str] | None
    functions: Mapping[str, Signature]
    source: str
    of: str = ""
    candidate: tuple[str, Kind] | None = None

    def kind(self, expression: Expression) -> Kind:
        """The kind of an expression. Raises: ProgramError with the rule that is broken."""
        match expression:
            case Number():
                return FINITE
            case Truth():
                return BOOLEAN
            case Epsilon():
                where = "in scales, in weights of choose, in the claim and in delta"
                raise self.error(f"eps occurs only {where}", expression)
            case Variable():
                return self._variable(expression)
            case Unary("not", inner):
                self.require(inner, BOOLEAN, "the operand of not")
                return BOOLEAN
            case Unary(_, inner):
                kind = self.kind(inner)
                if kind is BOOLEAN:
                    raise self.error("the operand of - is a Boolean; it must be a number", expression)
                return kind
            case Binary(operator, left, right) if operator in CONNECTIVES:
                for side in (left, right):
                    self.require(side, BOOLEAN, f"an operand of {operator}")
                return BOOLEAN
            case Binary(operator) if operator in ARITHMETIC:
                return self._arithmetic(expression)
            case Binary():
                return self._comparison(expression)
            case Call():
                return self._call(expression)

    def require(self, expression: Expression, wanted: Kind, what: str) -> None:
        """Raises: ProgramError where an expression is of another kind; ``what`` names it."""
        kind = self.kind(expression)
        if kind is not wanted:
            raise self.error(f"{what} is {_NOUNS[kind]}; it must be {_NOUNS[wanted]}", expression)

    def require_common(self, expressions: tuple[Expression, ...], what: str) -> Kind:
        """The kind of values that are all finite or all Boolean. Raises: ProgramError where they are not."""
        kinds = [self.kind(expression) for expression in expressions]
        for expression, kind in zip(expressions, kinds, strict=True):
            if kind in RANDOM:
                raise self.error(f"{what} is {_NOUNS[kind]}; it must be finite or Boolean", expression)
            if kind is not kinds[0]:
                raise self.error(f"{what} is {_NOUNS[kind]}, and the first is {_NOUNS[kinds[0]]}", expression)
        return kinds[0]

    def require_scale(self, expression: Expression, what: str = "the scale") -> None:
        """Raises: ProgramError where an expression is not c * eps with a finite c, linear in eps."""
        if not self._is_multiple(expression, what):
            raise self.error(f"{what} does not depend on eps; it must be c*eps", expression)

    def require_weight(self, expression: Expression, what: str) -> None:
        """Raises: ProgramError where an expression is not made as a weight or delta is."""
        if not _has_epsilon(expression):
            self.require(expression, FINITE, what)
            return
        match expression:
            case Unary("-", inner):
                self.require_weight(inner, what)
            case Binary("+" | "-" | "*", left, right):
                self.require_weight(left, what)
                self.require_weight(right, what)
            case Binary("/", left, right):
                self.require_weight(left, what)
                if _has_epsilon(right):
                    raise self.error(f"{what} is divided by finite values only, without eps", right)
                self.require(right, FINITE, "a divisor")
            case Call("exp", arguments):
                if len(arguments) != 1:
                    raise self.error(f"exp has 1 argument, not {len(arguments)}", expression)
                self.require_scale(arguments[0], "the argument of exp")
            case Epsilon():
                pass
            case _:
                raise self.error(f"{what} has eps inside of what is none of + - * / and exp", expression)

    def _is_multiple(self, expression: Expression, what: str) -> bool:
        """Whether it is c * eps; otherwise it is finite. Raises: ProgramError where it is neither."""
        if not _has_epsilon(expression):
            self.require(expression, FINITE, f"a part of {what}")
            return False
        match expression:
            case Epsilon():
                return True
            case Unary("-", inner):
                return self._is_multiple(inner, what)
            case Binary("*" | "/" | "+" | "-" as operator, left, right):
                one, other = self._is_multiple(left, what), self._is_multiple(right, what)
                if operator == "*" and not (one and other):
                    return True
                if (operator == "/" and not other) or (operator in ("+", "-") and one and other):
                    return True
        raise self.error(f"{what} is not linear in eps; it must be c*eps with a finite c", expression)

    def _variable(self, variable: Variable) -> Kind:
        name = variable.name
        kind = self.kinds.get(name)
        if variable.index is not None:
            if self.of:
                raise self.error(f"'{name}' has an index, and {self.of} has no arrays", variable)
            raise self.error(f"'{name}' has an index; expand the program first", variable)
        if self.candidate is not None and name == self.candidate[0]:
            return self.candidate[1]
        if kind is None and self.of:
            raise self.error(f"'{name}' is no variable of {self.of}", variable)
        if kind is None or (self.assigned is not None and name not in self.assigned):
            raise self.error(f"'{name}' is used before it is assigned{self._hint(name)}", variable)
        return kind

    def _hint(self, name: str) -> str:
        if name in self.kinds:
            return " on every way to here"
        if f"{name}[1]" in self.kinds:
            return f"; '{name}' is an array, with elements such as {name}[1]"
        array = name.partition("[")[0]
        return f"; '{array}' is no array" if array != name and array in self.kinds else ""

    def _arithmetic(self, expression: Binary) -> Kind:
        operator = expression.operator
        left, right = self.kind(expression.left), self.kind(expression.right)
        for kind in (left, right):
            if kind is BOOLEAN:
                raise self.error(f"an operand of {operator} is a Boolean; it must be a number", expression)
        if left is FINITE and right is FINITE:
            return FINITE
        if operator == "/":
            if right is not FINITE:
                raise self.error(f"a quotient by {_NOUNS[right]}: divisors are finite values", expression)
            if left is INTEGER:
                raise self.error(
                    "a quotient of an integer: only reals and finite values are divided", expression
                )
            return REAL
        if left is FINITE or right is FINITE:
            return right if left is FINITE else left
        if left is not right:
            raise self.error("a real and an integer meet; they are not mixed", expression)
        if operator == "*":
            message = f"a product of two {_PLURALS[left]}: expressions of samples are linear"
            raise self.error(message, expression)
        return left

    def _comparison(self, expression: Binary) -> Kind:
        left, right = self.kind(expression.left), self.kind(expression.right)
        if BOOLEAN in (left, right):
            if left is not right:
                raise self.error(f"{_NOUNS[left]} is compared with {_NOUNS[right]}", expression)
            if expression.operator not in ("==", "!="):
                raise self.error("Booleans are compared with == and != only", expression)
        elif {left, right} == {REAL, INTEGER}:
            raise self.error(f"{_NOUNS[left]} is compared with {_NOUNS[right]}", expression)
        return BOOLEAN

    def _call(self, call: Call) -> Kind:
        if call.function == "exp":
            raise self.error("exp occurs only in weights of choose and in delta", call)
        found = len(call.arguments)
        if call.function in BUILT_IN:
            wanted, result = (1 if call.function == "abs" else found), FINITE
        else:
            signature = self.functions.get(call.function)
            if signature is None:
                raise self.error(f"there is no function '{call.function}' above", call)
            wanted, result = signature.arguments, signature.result
        if found != wanted:
            raise self.error(f"{call.function} has {wanted} argument{'s' * (wanted != 1)}, not {found}", call)
        for argument in call.arguments:
            self.require(argument, FINITE, f"an argument of {call.function}")
        return result

    def error(self, message: str, expression: Expression) -> ProgramError:
        """The error with that message at the place of an expression."""
        return error_at(message, expression.place, self.source)


def signatures_of(functions: tuple[Function, ...], source: str) -> dict[str, Signature]:
    """What calls need to know of all functions. Raises: ProgramError where a body breaks a rule."""
    known: dict[str, Signature] = {}
    for function in functions:
        kinds = dict.fromkeys(function.parameters, FINITE)
        scope = Scope(kinds, None, known, source, of=f"function '{function.name}'")
        result = FINITE if function.body is None else scope.kind(function.body)
        known[function.name] = Signature(len(function.parameters), result)
    return known


def noun_of(kind: Kind) -> str:
    """A kind in a sentence."""
    return _NOUNS[kind]


def _has_epsilon(expression: Expression) -> bool:
    match expression:
        case Epsilon():
            return True
        case Unary(_, inner):
            return _has_epsilon(inner)
        case Binary(_, left, right):
            return _has_epsilon(left) or _has_epsilon(right)
        case Call(function, arguments):
            return function == "exp" or any(map(_has_epsilon, arguments))
    return False

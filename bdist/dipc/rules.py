"""The rules that a program follows, which make its privacy decidable, and the kinds of its variables.

Three layers, each with its own refusals, all with the place and the rule (SPEC.md, section 1):

* *Declarations.* Names of inputs and functions differ, tables and listed neighbours have as many numbers as
  they should, steps increase, and the interval of epsilon holds a positive number.
* *Expressions.* What can be decided is comparisons of *linear* expressions of samples: a product of two of
  them, a quotient by one, or a real beside an integer has no place in them, and is refused by name. Epsilon
  is not a value of the program. A scale is c eps, a weight a sum of products of finite values, eps and
  exp(c eps), and both are known from the form of the expression alone.
* *Statements.* One walk along the text finds the kinds and the variables that certainly have a value. One
  walk is enough, because a variable that has a value whenever it is used was assigned further up in the text:
  going round a ``while`` again needs nothing that coming to it for the first time did not need. The walk does
  not look at values; a branch that is never taken is held to the rules, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

from bdist.dipc import program as syntax
from bdist.dipc.expansion import expanded
from bdist.dipc.program import (
    Expression,
    Kind,
    Place,
    Point,
    Program,
    Statement,
    error_at,
    has_epsilon,
    variable_of,
)
from bdist.errors import ProgramError
from bdist.exact.rationals import rational_text

# --- declarations ---


def check_declarations(program: Program) -> None:
    """Raises: ProgramError with the place of the first declaration that breaks a rule."""
    source = program.source
    if not program.domain or len(set(program.domain)) < len(program.domain):
        raise error_at("the domain holds distinct values, at least one", Place(0, 0), source)
    if not program.inputs or not program.outputs:
        raise error_at("a program has inputs and outputs", Place(0, 0), source)
    names = [(declared.name, "an input", declared.place) for declared in program.inputs]
    names += [(function.name, "a function", function.place) for function in program.functions]
    _check_distinct(names, source)
    for output in program.outputs:
        if isinstance(output, syntax.Discretised):
            steps = output.steps
            if len(steps) < 2 or any(a >= b for a, b in pairwise(steps)):
                raise error_at("the constants of disc increase", output.place, source)
    for function in program.functions:
        _check_function(function, source)
    _check_adjacency(program)
    _check_interval(program.interval, source)
    if program.claim.factor < 0:
        claim = program.claim
        raise error_at("the claim is t * eps with t >= 0", claim.place, claim.source or source)


def _check_distinct(names: Iterable[tuple[str, str, Place]], source: str) -> None:
    seen: dict[str, str] = {}
    for name, what, place in names:
        if name in seen:
            raise error_at(f"'{name}' is the name of {seen[name]} already", place, source)
        seen[name] = what


def _check_function(function: syntax.Function, source: str) -> None:
    parameters = function.parameters
    _check_distinct(((name, "a parameter", function.place) for name in parameters), source)
    if function.body is not None:
        return
    seen: set[Point] = set()
    for arguments, _ in function.table:
        shown = f"the table of '{function.name}' has a row for {_point_text(arguments)}"
        if len(arguments) != len(parameters):
            wanted = f"and {len(parameters)} parameter{'s' * (len(parameters) != 1)}"
            raise error_at(f"{shown} {wanted}", function.place, source)
        if arguments in seen:
            raise error_at(f"{shown} twice", function.place, source)
        seen.add(arguments)


def _check_adjacency(program: Program) -> None:
    adjacency, source = program.adjacency, program.source
    if not isinstance(adjacency, syntax.ListedPairs):
        if adjacency.distance <= 0:
            raise error_at("the distance of neighbours is positive", adjacency.place, source)
        return
    entries, domain = len(program.input_names), frozenset(program.domain)
    for pair in adjacency.pairs:
        for point in pair:
            if len(point) != entries:
                message = f"{_point_text(point)} has {len(point)} entries, and there are {entries} inputs"
                raise error_at(message, adjacency.place, source)
            if not domain.issuperset(point):
                message = f"{_point_text(point)} has a value that is not in the domain"
                raise error_at(message, adjacency.place, source)


def _check_interval(interval: syntax.Interval, source: str) -> None:
    low, high = interval.low, interval.high
    if low < 0 or (low == 0 and interval.has_low):
        raise error_at("epsilon is positive: an interval begins with (0 or above", interval.place, source)
    if high is None:
        if interval.has_high:
            raise error_at("inf is not a value of epsilon: write inf)", interval.place, source)
    elif high < low or (high == low and not (interval.has_low and interval.has_high)):
        raise error_at("there is no epsilon in this interval", interval.place, source)


def _point_text(point: Point) -> str:
    shown = ", ".join(rational_text(value) for value in point[:6])
    return f"({shown}{', ...' if len(point) > 6 else ''})"


# --- expressions ---


FINITE, BOOLEAN, REAL, INTEGER = Kind.FINITE, Kind.BOOLEAN, Kind.REAL, Kind.INTEGER
RANDOM = (REAL, INTEGER)

_NOUNS = {FINITE: "a finite value", BOOLEAN: "a Boolean", REAL: "a real", INTEGER: "an integer"}
_PLURALS = {FINITE: "finite values", BOOLEAN: "Booleans", REAL: "reals", INTEGER: "integers"}


Signature = tuple[int, Kind]  # how many arguments a function has, and what it gives: finite or a Boolean


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
            case syntax.Number():
                return FINITE
            case syntax.Truth():
                return BOOLEAN
            case syntax.Epsilon():
                where = "in scales, in weights of choose, in the claim and in delta"
                raise self.error(f"eps occurs only {where}", expression)
            case syntax.Variable():
                return self._variable(expression)
            case syntax.Unary("not", inner):
                self.require(inner, BOOLEAN, "the operand of not")
                return BOOLEAN
            case syntax.Unary(_, inner):
                kind = self.kind(inner)
                if kind is BOOLEAN:
                    raise self.error("the operand of - is a Boolean; it must be a number", expression)
                return kind
            case syntax.Binary(operator, left, right) if operator in syntax.CONNECTIVES:
                for side in (left, right):
                    self.require(side, BOOLEAN, f"an operand of {operator}")
                return BOOLEAN
            case syntax.Binary(operator) if operator in syntax.ARITHMETIC:
                return self._arithmetic(expression)
            case syntax.Binary():
                return self._comparison(expression)
            case syntax.Call():
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
        if not has_epsilon(expression):
            self.require(expression, FINITE, what)
            return
        match expression:
            case syntax.Unary("-", inner):
                self.require_weight(inner, what)
            case syntax.Binary("+" | "-" | "*", left, right):
                self.require_weight(left, what)
                self.require_weight(right, what)
            case syntax.Binary("/", left, right):
                self.require_weight(left, what)
                if has_epsilon(right):
                    raise self.error(f"{what} is divided by finite values only, without eps", right)
                self.require(right, FINITE, "a divisor")
            case syntax.Call("exp", arguments):
                if len(arguments) != 1:
                    raise self.error(f"exp has 1 argument, not {len(arguments)}", expression)
                self.require_scale(arguments[0], "the argument of exp")
            case syntax.Epsilon():
                pass
            case _:
                raise self.error(f"{what} has eps inside of what is none of + - * / and exp", expression)

    def _is_multiple(self, expression: Expression, what: str) -> bool:
        """Whether it is c * eps; otherwise it is finite. Raises: ProgramError where it is neither."""
        if not has_epsilon(expression):
            self.require(expression, FINITE, f"a part of {what}")
            return False
        match expression:
            case syntax.Epsilon():
                return True
            case syntax.Unary("-", inner):
                return self._is_multiple(inner, what)
            case syntax.Binary("*" | "/" | "+" | "-" as operator, left, right):
                one, other = self._is_multiple(left, what), self._is_multiple(right, what)
                if operator == "*" and not (one and other):
                    return True
                if (operator == "/" and not other) or (operator in ("+", "-") and one and other):
                    return True
        raise self.error(f"{what} is not linear in eps; it must be c*eps with a finite c", expression)

    def _variable(self, variable: syntax.Variable) -> Kind:
        name = variable.name
        kind = self.kinds.get(name)
        if variable.index is not None:  # where nothing is expanded
            raise self.error(f"'{name}' has an index, and {self.of} has no arrays", variable)
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

    def _arithmetic(self, expression: syntax.Binary) -> Kind:
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

    def _comparison(self, expression: syntax.Binary) -> Kind:
        left, right = self.kind(expression.left), self.kind(expression.right)
        if BOOLEAN in (left, right):
            if left is not right:
                raise self.error(f"{_NOUNS[left]} is compared with {_NOUNS[right]}", expression)
            if expression.operator not in ("==", "!="):
                raise self.error("Booleans are compared with == and != only", expression)
        elif {left, right} == {REAL, INTEGER}:
            raise self.error(f"{_NOUNS[left]} is compared with {_NOUNS[right]}", expression)
        return BOOLEAN

    def _call(self, call: syntax.Call) -> Kind:
        if call.function == "exp":
            raise self.error("exp occurs only in weights of choose and in delta", call)
        found = len(call.arguments)
        if call.function in syntax.BUILT_IN:
            wanted, result = (1 if call.function == "abs" else found), FINITE
        else:
            signature = self.functions.get(call.function)
            if signature is None:
                raise self.error(f"there is no function '{call.function}' above", call)
            wanted, result = signature
        if found != wanted:
            raise self.error(f"{call.function} has {wanted} argument{'s' * (wanted != 1)}, not {found}", call)
        for argument in call.arguments:
            self.require(argument, FINITE, f"an argument of {call.function}")
        return result

    def error(self, message: str, expression: Expression) -> ProgramError:
        """The error with that message at the place of an expression."""
        return error_at(message, expression.place, self.source)


def signatures_of(functions: tuple[syntax.Function, ...], source: str) -> dict[str, Signature]:
    """What calls need to know of all functions. Raises: ProgramError where a body breaks a rule."""
    known: dict[str, Signature] = {}
    for function in functions:
        kinds = dict.fromkeys(function.parameters, FINITE)
        scope = Scope(kinds, None, known, source, of=f"function '{function.name}'")
        result = FINITE if function.body is None else scope.kind(function.body)
        known[function.name] = len(function.parameters), result
    return known


# --- statements ---


_OUTSIDE = "such programs are outside of the decidable class (DiPWhile, section 6)"


def kinds_of(program: Program) -> Mapping[str, Kind]:
    """The kind of every variable, inputs first.

    Requires: an expanded program (`expansion`).
    Ensures: the program follows all rules of SPEC.md, section 1, that do not depend on values.
    Raises: ProgramError with the place and the rule.
    """
    check_declarations(program)
    walk = _Walk(program)
    walk.check()
    return MappingProxyType(walk.kinds)


def well_formed(program: Program) -> Program:
    """The program with loops unrolled. Raises: ModelError where it breaks a rule of the language."""
    flat = expanded(program)
    kinds_of(flat)
    return flat


class _Walk:
    """What is known where the walk is.

    ``_assigned`` is the set of variables that have a value on every way to where the walk is; behind an
    ``exit``, where no way leads, ``_reached`` is false. A branch adds to that one set, and what it added is
    taken back, as a program may have a hundred thousand variables and as many branches, and copies of the set
    would be slow.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions = signatures_of(program.functions, program.source)
        self.kinds: dict[str, Kind] = {}
        self._first: dict[str, Place] = {}  # where a variable got its kind
        for declared in program.inputs:
            self.kinds[declared.name] = FINITE
            self._first[declared.name] = declared.place
        self._outputs = list(map(variable_of, program.outputs))
        self._shown = frozenset(self._outputs)
        self._missing = set(self._shown - self.kinds.keys())
        self._assigned = set(self.kinds)
        self._added: list[str] = []  # to that, in this order
        self._reached = True
        self._loops = 0

    def check(self) -> None:
        claim = self._program.claim
        delta = Scope({}, None, self._functions, claim.source or self._program.source, of="delta")
        delta.require_weight(claim.delta, "delta")
        self._walk(self._program.body)
        body = self._program.body
        last = body[-1].place if body else self._program.outputs[0].place
        self._check_end("the end of the program", last)
        self._check_outputs()

    def _walk(self, body: Iterable[Statement]) -> None:
        for statement in body:
            self._step(statement)

    def _step(self, statement: Statement) -> None:
        scope = self._scope()
        match statement:
            case syntax.Assign(target, value):
                self._assign(target, scope.kind(value), "assigned")
            case syntax.Noise(target, scale, mean):
                is_integer = isinstance(statement, syntax.DiscreteLaplace)
                kind = INTEGER if is_integer else REAL
                scope.require_scale(scale)
                if scope.kind(mean) not in (FINITE, kind):
                    what = "DLap is finite or an integer" if is_integer else "Lap is finite or real"
                    raise scope.error(f"the mean of {what}", mean)
                self._assign(target, kind, "drawn")
            case syntax.ExponentialMechanism():
                self._exponential(statement, scope)
            case syntax.Choose(target, options):
                kind = scope.require_common(tuple(value for value, _ in options), "a value of choose")
                for _, weight in options:
                    scope.require_weight(weight, "a weight")
                self._assign(target, kind, "drawn")
            case syntax.If():
                self._if(statement)
            case syntax.While(condition, body):
                scope.require(condition, BOOLEAN, "the condition of while")
                self._loops += 1
                self._branch(body)
                self._loops -= 1
            case syntax.Exit(place=place):
                self._check_end("this exit", place)
                self._reached = False

    def _scope(self) -> Scope:
        known = self._assigned if self._reached else None
        return Scope(self.kinds, known, self._functions, self._program.source)

    def _if(self, statement: syntax.If) -> None:
        ends = []
        for condition, body in statement.branches:
            self._scope().require(condition, BOOLEAN, "the condition of if")
            ends.append(self._branch(body))
        ends.append(self._branch(statement.otherwise))
        reached = [added for added in ends if added is not None]
        if reached:
            for name in set.intersection(*reached):
                self._give_value(name)
        else:
            self._reached = False

    def _branch(self, body: Iterable[Statement]) -> set[str] | None:
        """Walk along a block and come back: the variables that it gives a value, None if it does not end."""
        before, was_reached = len(self._added), self._reached
        self._walk(body)
        added = set(self._added[before:])
        del self._added[before:]
        self._assigned -= added
        self._missing |= added & self._shown
        ends, self._reached = self._reached, was_reached
        return added if ends else None

    def _give_value(self, name: str) -> None:
        if name not in self._assigned:
            self._assigned.add(name)
            self._added.append(name)
            self._missing.discard(name)

    def _exponential(self, statement: syntax.ExponentialMechanism, scope: Scope) -> None:
        scope.require_scale(statement.scale)
        kind = scope.require_common(statement.candidates, "a candidate")
        inner = replace(scope, candidate=(statement.candidate, kind))
        inner.require(statement.score, FINITE, "the score")
        self._assign(statement.target, kind, "drawn")

    def _assign(self, target: syntax.Variable, kind: Kind, how: str) -> None:
        name, place = target.name, target.place
        if self._loops and kind in RANDOM:
            word = "a real" if kind is REAL else "an integer"
            message = f"{word} variable is {how} inside of while: '{name}'; {_OUTSIDE}"
            raise self._error(message, place)
        known = self.kinds.setdefault(name, kind)
        first = self._first.setdefault(name, place)
        if known is not kind:
            where = f" (line {first.line}, column {first.column})" if first.line else ""
            message = f"'{name}' is {_NOUNS[kind]} here and {_NOUNS[known]} before{where}"
            raise self._error(f"{message}; a variable has one kind", place)
        self._give_value(name)

    def _check_end(self, what: str, place: Place) -> None:
        if self._reached and self._missing:
            name = next(name for name in self._outputs if name in self._missing)
            raise self._error(f"output '{name}' is not assigned on every way to {what}", place)

    def _check_outputs(self) -> None:
        for name, output in zip(self._outputs, self._program.outputs, strict=True):
            kind = self.kinds.get(name)
            if kind is None:
                raise self._error(f"output '{name}' is never assigned", output.place)
            if isinstance(output, syntax.Discretised) and kind is BOOLEAN:
                raise self._error(f"disc is of a number, and '{name}' is a Boolean", output.place)
            if isinstance(output, syntax.Declared) and kind in RANDOM:
                hint = f"write disc({name}, ...), or assign a finite value"
                raise self._error(f"output '{name}' is {_NOUNS[kind]}; {hint}", output.place)

    def _error(self, message: str, place: Place) -> ProgramError:
        return error_at(message, place, self._program.source)

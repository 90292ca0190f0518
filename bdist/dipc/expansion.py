"""Programs without ``for`` and without indices: loops unrolled, arrays written out; and their fingerprint.

    for i in 1..2 { r[i] ~ Lap(eps, q[i]); }      r[1] ~ Lap(eps, q[1]);  r[2] ~ Lap(eps, q[2]);

A counter is replaced by its value wherever it stands, and an index by its value, so that ``r[2]`` is from
then on a variable of that name (SPEC.md, section 1). Counters differ from inputs, functions and the counters
around them, and are not assigned; the candidate of an exponential mechanism is no counter either.

A few characters can ask for a billion statements, so all that comes out is counted, and loops without a body
are, too. Memory and time are in proportion to what comes out: about two seconds at the limits. Ends of loops,
indices and the factor of a claim have a value before the program runs. Nobody counts to numbers of more than
a few digits, but a loop may ask for the same long product a hundred thousand times, so what is longer than it
can be meant is refused.

The fingerprint, which says what a certificate means by "this program", is SHA-256 of the canonical form of
what comes out, a text that the checker builds from the file itself:

    ["dip",DOMAIN,INPUTS,OUTPUTS,ADJACENT,FUNCTIONS,BODY]

The name of the program, its claim, the interval of epsilon, layout and comments do not count; the order of
statements, the form of expressions and the names of variables do.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from bdist.dipc import program as syntax
from bdist.dipc.program import (
    Expression,
    Place,
    Program,
    Statement,
    element_name,
    elements_of,
    error_at,
    has_epsilon,
    operands,
)
from bdist.errors import ProgramError
from bdist.exact.reading import rational_text
from bdist.text.canonical import sha256_of

MOST_STATEMENTS = 100_000
MOST_PARTS = 1_000_000  # statements, rounds of loops, and what expressions are made of

_Part = TypeVar("_Part", bound=syntax.Placed)


def expanded(program: Program) -> Program:
    """The same program without loops that count, indices and arrays; expanding it again changes nothing.

    Raises: ProgramError where an index or the end of a loop is no whole number or out of range, a counter is
    assigned or named as something else, or there is more than MOST_STATEMENTS or MOST_PARTS.
    """
    expansion = _Expansion(program)
    return replace(
        program,
        inputs=tuple(_written_out(program.inputs)),
        outputs=tuple(expansion.outputs()),
        body=tuple(expansion.statements(program.body)),
    )


def _written_out(declared: Iterable[syntax.Declared]) -> Iterator[syntax.Declared]:
    for item in declared:
        for name in elements_of(item):
            yield syntax.Declared(name, place=item.place)


def _counters_of(body: tuple[Statement, ...]) -> Iterator[str]:
    """The names of all counters."""
    for statement in body:
        if isinstance(statement, syntax.For):
            yield statement.counter
        if isinstance(statement, syntax.For | syntax.While):
            yield from _counters_of(statement.body)
        elif isinstance(statement, syntax.If):
            for _, inner in statement.branches:
                yield from _counters_of(inner)
            yield from _counters_of(statement.otherwise)


class _Expansion:
    """One expansion: the counters around the place where it is, and how much came out so far."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._counters: dict[str, int] = {}
        self._statements = 0
        self._parts = 0
        self._names = frozenset(_counters_of(program.body))
        self._plain: dict[int, int] = {}  # by the identity of an expression of the program, which stays
        self._constants: dict[int, int] = {}  # the values of those that stay as they are
        self._taken = {function.name: "a function" for function in program.functions}
        self._taken |= {declared.name: "an input" for declared in program.inputs}
        self._sizes: dict[str, int] = {}
        for item in (*program.inputs, *program.outputs):
            if isinstance(item, syntax.Declared) and item.size is not None:
                self._sizes[item.name] = min(item.size, self._sizes.get(item.name, item.size))

    def outputs(self) -> Iterator[syntax.Output]:
        for output in self._program.outputs:
            if isinstance(output, syntax.Declared):
                yield from _written_out([output])
            else:
                yield syntax.Discretised(self._variable(output.variable), output.steps, place=output.place)

    def statements(self, body: tuple[Statement, ...]) -> list[Statement]:
        made: list[Statement] = []
        for statement in body:
            if isinstance(statement, syntax.For):
                made += self._unrolled(statement)
            else:
                self._statements += 1
                if self._statements > MOST_STATEMENTS:
                    many = f"without for, the program has more than {MOST_STATEMENTS} statements"
                    raise self._error(many, statement.place)
                self._count(statement.place)
                made.append(self._statement(statement))
        return made

    def _unrolled(self, loop: syntax.For) -> list[Statement]:
        counter, place = loop.counter, loop.place
        taken = "a counter around" if counter in self._counters else self._taken.get(counter)
        if taken is not None:
            raise self._error(f"the counter '{counter}' is the name of {taken} already", place)
        first = self._whole(loop.first, "the first number of for")
        last = self._whole(loop.last, "the last number of for")
        made: list[Statement] = []
        for value in range(first, last + 1):
            self._count(place)
            self._counters[counter] = value
            made += self.statements(loop.body)
        self._counters.pop(counter, None)
        return made

    def _statement(self, statement: Statement) -> Statement:
        target = getattr(statement, "target", None)
        if isinstance(target, syntax.Variable) and target.name in self._counters:
            raise self._error(f"the counter '{target.name}' is not assigned", target.place)
        if isinstance(statement, syntax.ExponentialMechanism) and statement.candidate in self._counters:
            message = f"the candidate '{statement.candidate}' is the name of a counter already"
            raise self._error(message, statement.place)
        return self._rebuilt(statement)

    def _rebuilt(self, part: _Part) -> _Part:
        """A statement or an expression with all that it is made of expanded."""
        return type(part)(*map(self._made, part.parts()), place=part.place)

    def _made(self, part: object) -> object:
        """An expression, a block, or a tuple of such; names and operators stay."""
        if isinstance(part, tuple):
            is_block = bool(part) and isinstance(part[0], Statement)
            return tuple(self.statements(part) if is_block else map(self._made, part))
        return self._expression(part) if isinstance(part, Expression) else part

    def _variable(self, variable: syntax.Variable) -> syntax.Variable:
        name, place = variable.name, variable.place
        if variable.index is None:
            return variable
        if name in self._counters:
            raise self._error(f"the counter '{name}' has no elements", place)
        index = self._whole(variable.index, f"the index of '{name}'")
        size = self._sizes.get(name)
        if size is not None and not 1 <= index <= size:
            raise self._error(f"'{name}' has the elements 1 to {size}, and the index is {index}", place)
        return syntax.Variable(element_name(name, index), place=place)

    def _expression(self, expression: Expression) -> Expression:
        place = expression.place
        size = self._plain_size(expression)
        self._count(place, size or 1)
        if size:
            return expression
        if isinstance(expression, syntax.Variable):
            if expression.index is None and expression.name in self._counters:
                return syntax.Number(Fraction(self._counters[expression.name]), place=place)
            return self._variable(expression)
        return self._rebuilt(expression)

    def _plain_size(self, expression: Expression) -> int:
        """How many parts an expression has if it stays as it is, without counters and indices; else 0."""
        known = self._plain.get(id(expression))
        if known is not None:
            return known
        size = 1
        if isinstance(expression, syntax.Variable):
            size = int(expression.index is None and expression.name not in self._names)
        else:
            sizes = [self._plain_size(part) for part in operands(expression)]
            size = 1 + sum(sizes) if all(sizes) else 0
        self._plain[id(expression)] = size
        return size

    def _whole(self, expression: Expression, what: str) -> int:
        size = self._plain_size(expression)
        known = self._constants.get(id(expression)) if size else None
        if known is not None:
            self._count(expression.place, size)
            return known
        value = constant_value(self._expression(expression), what, self._program.source)
        if value.denominator != 1:
            message = f"{what} is {rational_text(value)}; it must be a whole number"
            raise self._error(message, expression.place)
        self._constants[id(expression)] = value.numerator
        return value.numerator

    def _count(self, place: Place, parts: int = 1) -> None:
        self._parts += parts
        if self._parts > MOST_PARTS:
            raise self._error(f"without for, the program has more than {MOST_PARTS} parts", place)

    def _error(self, message: str, place: Place) -> ProgramError:
        return error_at(message, place, self._program.source)


# --- expressions with a value before the program runs ---


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
    if isinstance(expression, syntax.Number):
        value = expression.value
    elif isinstance(expression, syntax.Binary) and expression.operator in syntax.ARITHMETIC:
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
    elif isinstance(expression, syntax.Unary) and expression.operator == "-":
        value = -_constant(expression.inner, what, source)
    elif isinstance(expression, syntax.Call) and expression.function in syntax.BUILT_IN:
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
        case syntax.Number(value):
            found = value, Fraction(0)
        case syntax.Epsilon():
            found = Fraction(0), Fraction(1)
        case syntax.Unary("-", inner):
            value, slope = _linear(inner, source)
            found = -value, -slope
        case syntax.Binary("+" | "-" | "*" | "/"):
            found = _arithmetic(expression, source)
        case _:
            message = f"the claim is made of numbers, eps and + - * / only, {_found(expression)}"
            raise error_at(message, expression.place, source)
    if any(max(abs(part.numerator), part.denominator).bit_length() > _MOST_BITS_OF_CLAIM for part in found):
        message = f"the claim has a number of more than {_MOST_BITS_OF_CLAIM} bits"
        raise error_at(message, expression.place, source)
    return found


def _arithmetic(expression: syntax.Binary, source: str) -> _Linear:
    a, b = _linear(expression.left, source)
    c, d = _linear(expression.right, source)
    match expression.operator:
        case "+":
            return a + c, b + d
        case "-":
            return a - c, b - d
        case "*" if not (b and d):
            return a * c, a * d + b * c
        case "/" if not has_epsilon(expression.right):
            if not c:
                raise error_at("the claim divides by zero", expression.place, source)
            return a / c, b / c
    raise error_at("the claim is not linear in eps", expression.place, source)


def _found(expression: Expression) -> str:
    match expression:
        case syntax.Variable(name):
            return f"and '{name}' is a variable"
        case syntax.Call(function):
            return f"and '{function}' is a function"
        case syntax.Unary(operator) | syntax.Binary(operator):
            return f"not of '{operator}'"
        case syntax.Epsilon():
            return "not of eps"
    return "not of true and false"


# --- the canonical form ---


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)

# what an array of the canonical form begins with; one of operators begins with the operator
_TAGS: Mapping[type, str] = {
    syntax.Number: "number",
    syntax.Truth: "truth",
    syntax.Epsilon: "eps",
    syntax.Variable: "var",
    syntax.Call: "call",
    syntax.Discretised: "disc",
    syntax.Assign: "assign",
    syntax.Laplace: "Lap",
    syntax.DiscreteLaplace: "DLap",
    syntax.ExponentialMechanism: "Exp",
    syntax.Choose: "choose",
    syntax.If: "if",
    syntax.While: "while",
    syntax.Exit: "exit",
}


def canonical_form(program: Program) -> str:
    """The canonical text. Raises: ProgramError where the program cannot be expanded."""
    whole = expanded(program)
    adjacency = whole.adjacency
    adjacent = (
        (adjacency.norm.value, adjacency.distance)
        if isinstance(adjacency, syntax.Within)
        else ("pairs", adjacency.pairs)
    )
    functions = tuple(
        (one.name, one.parameters, ("table", one.table) if one.body is None else one.body)
        for one in whole.functions
    )
    form = (tuple(sorted(whole.domain)), whole.inputs, whole.outputs, adjacent, functions, whole.body)
    return _ENCODER.encode(["dip", *map(_form, form)])


def fingerprint(program: Program) -> str:
    """SHA-256 of the canonical form, in hexadecimal. Raises: ProgramError as `canonical_form`."""
    return sha256_of([canonical_form(program)])


def _form(part: object) -> object:
    """A part of a program as JSON: its tag and its parts."""
    if isinstance(part, Fraction):
        return rational_text(part)
    if isinstance(part, tuple):
        return [_form(item) for item in part]
    if isinstance(part, syntax.Declared):
        return part.name
    if isinstance(part, syntax.Call):
        return ["call", part.function, *map(_form, part.arguments)]
    if isinstance(part, syntax.Placed):
        tag = _TAGS.get(type(part))
        parts = [_form(item) for item in part.parts() if item is not None]
        return parts if tag is None else [tag, *parts]
    return part

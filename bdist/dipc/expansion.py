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
from typing import NamedTuple, TypeVar

from bdist.dipc import program as syntax
from bdist.dipc.program import (
    Exact,
    Expression,
    Place,
    Program,
    Statement,
    built_in,
    element_name,
    elements_of,
    error_at,
    has_epsilon,
    operands,
    statements_in,
    tidy,
)
from bdist.errors import ProgramError
from bdist.exact.rationals import rational_text
from bdist.text.files import sha256_of

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


class _Expansion:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._counters: dict[str, int] = {}
        self._statements = 0
        self._parts = 0
        loops = (part for part in statements_in(program.body) if isinstance(part, syntax.For))
        self._names = frozenset(loop.counter for loop in loops)
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
        value, _ = _constants(what, self._program.source).value(self._expression(expression))
        if value.denominator != 1:
            message = f"{what} is {rational_text(Fraction(value))}; it must be a whole number"
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


def claimed_factor(expression: Expression, source: str = "") -> Fraction:
    """The t of a claim t * eps. Raises: ProgramError where it is no such multiple, or t < 0."""
    claim = _Constants("the claim", "numbers, eps and + - * /", 4_000, source, with_epsilon=True)
    value, slope = claim.value(expression)
    if value or slope < 0:
        raise error_at(
            "the claim is t * eps with a constant t >= 0, such as 1/2*eps", expression.place, source
        )
    return Fraction(slope)


def _constants(what: str, source: str) -> _Constants:
    """Indices and ends of loops, in which counters were replaced by their values."""
    made_of = "numbers, counters of for, + - * /, abs, min and max"
    return _Constants(what, made_of, 256, source)


class _Constants(NamedTuple):
    """Expressions with a value a + b eps before the program runs; ``what`` names them in messages."""

    what: str
    made_of: str
    most_bits: int
    source: str
    with_epsilon: bool = False

    def value(self, expression: Expression) -> tuple[Exact, Exact]:
        """The a and b. Raises: ProgramError where there are none."""
        place = expression.place
        a, b = self._value(expression)
        if any(max(abs(x.numerator), x.denominator).bit_length() > self.most_bits for x in (a, b)):
            message = f"{self.what} has a number of more than {self.most_bits} bits"
            raise error_at(message, place, self.source)
        return tidy(a), tidy(b)

    def _value(self, expression: Expression) -> tuple[Exact, Exact]:
        place = expression.place
        match expression:
            case syntax.Number(value):
                return value, 0
            case syntax.Epsilon() if self.with_epsilon:
                return 0, 1
            case syntax.Unary("-", inner):
                a, b = self.value(inner)
                return -a, -b
            case syntax.Binary(sign, left, right) if sign in syntax.ARITHMETIC:
                (a, b), (c, d) = self.value(left), self.value(right)
                if sign in "+-":
                    return (a + c, b + d) if sign == "+" else (a - c, b - d)
                if sign == "*" and not (b and d):
                    return a * c, a * d + b * c
                if sign == "/" and not has_epsilon(right):
                    if not c:
                        raise error_at(f"{self.what} divides by zero", place, self.source)
                    return Fraction(a) / c, Fraction(b) / c
                raise error_at(f"{self.what} is not linear in eps", place, self.source)
            case syntax.Call(function, arguments) if function in syntax.BUILT_IN and not self.with_epsilon:
                values = [self.value(argument)[0] for argument in arguments]
                if function == "abs" and len(values) != 1:
                    raise error_at(f"abs has 1 argument, not {len(values)}", place, self.source)
                return built_in(function, values), 0
        message = f"{self.what} is made of {self.made_of} only, {_found(expression)}"
        raise error_at(message, place, self.source)


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

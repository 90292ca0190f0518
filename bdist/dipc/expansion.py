"""Programs without ``for`` and without indices: loops unrolled, arrays written out element by element.

    for i in 1..2 { r[i] ~ Lap(eps, q[i]); }      r[1] ~ Lap(eps, q[1]);  r[2] ~ Lap(eps, q[2]);

A counter is replaced by its value wherever it stands, and an index by its value, so that ``r[2]`` is from
then on a variable of that name (SPEC-DIPC, section 1). Counters differ from inputs, functions and the
counters around them, and are not assigned; the candidate of an exponential mechanism is no counter either.

A few characters can ask for a billion statements, so all that comes out is counted, and loops without a body
are, too. Memory and time are in proportion to what comes out: about two seconds at the limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from bdist.dipc.constants import constant_value
from bdist.dipc.program import (
    Assign,
    Binary,
    Call,
    Choose,
    Declared,
    DiscreteLaplace,
    Discretised,
    ExponentialMechanism,
    Expression,
    For,
    If,
    Laplace,
    Number,
    Output,
    Place,
    Program,
    Statement,
    Unary,
    Variable,
    While,
    element_name,
    elements_of,
    error_at,
)
from bdist.errors import ProgramError
from bdist.exact.reading import rational_text

MOST_STATEMENTS = 100_000
MOST_PARTS = 1_000_000  # statements, rounds of loops, and what expressions are made of


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


def _written_out(declared: Iterable[Declared]) -> Iterator[Declared]:
    for item in declared:
        for name in elements_of(item):
            yield Declared(name, None, item.place)


def _counters_of(body: tuple[Statement, ...]) -> Iterator[str]:
    """The names of all counters."""
    for statement in body:
        if isinstance(statement, For):
            yield statement.counter
        if isinstance(statement, For | While):
            yield from _counters_of(statement.body)
        elif isinstance(statement, If):
            for _, inner in statement.branches:
                yield from _counters_of(inner)
            yield from _counters_of(statement.otherwise)


def _parts_of(expression: Expression) -> tuple[Expression, ...]:
    """The operands or arguments of what is no variable."""
    if isinstance(expression, Binary):
        return expression.left, expression.right
    if isinstance(expression, Unary):
        return (expression.inner,)
    return expression.arguments if isinstance(expression, Call) else ()


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
            if isinstance(item, Declared) and item.size is not None:
                self._sizes[item.name] = min(item.size, self._sizes.get(item.name, item.size))

    def outputs(self) -> Iterator[Output]:
        for output in self._program.outputs:
            if isinstance(output, Declared):
                yield from _written_out([output])
            else:
                yield Discretised(self._variable(output.variable), output.steps, output.place)

    def statements(self, body: tuple[Statement, ...]) -> list[Statement]:
        made: list[Statement] = []
        for statement in body:
            if isinstance(statement, For):
                made += self._unrolled(statement)
            else:
                self._statements += 1
                if self._statements > MOST_STATEMENTS:
                    many = f"without for, the program has more than {MOST_STATEMENTS} statements"
                    raise self._error(many, statement.place)
                self._count(statement.place)
                made.append(self._statement(statement))
        return made

    def _unrolled(self, loop: For) -> list[Statement]:
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
        place = statement.place
        match statement:
            case Assign(target, value):
                return Assign(self._target(target), self._expression(value), place)
            case Laplace(target, scale, mean):
                return Laplace(self._target(target), self._expression(scale), self._expression(mean), place)
            case DiscreteLaplace(target, scale, mean):
                return DiscreteLaplace(
                    self._target(target), self._expression(scale), self._expression(mean), place
                )
            case ExponentialMechanism():
                return self._exponential(statement)
            case Choose(target, options):
                pairs = tuple((self._expression(v), self._expression(w)) for v, w in options)
                return Choose(self._target(target), pairs, place)
            case If(branches, otherwise):
                cases = tuple((self._expression(c), tuple(self.statements(body))) for c, body in branches)
                return If(cases, tuple(self.statements(otherwise)), place)
            case While(condition, body):
                return While(self._expression(condition), tuple(self.statements(body)), place)
        return statement

    def _exponential(self, statement: ExponentialMechanism) -> ExponentialMechanism:
        if statement.candidate in self._counters:
            raise self._error(
                f"the candidate '{statement.candidate}' is the name of a counter already", statement.place
            )
        return ExponentialMechanism(
            self._target(statement.target),
            self._expression(statement.scale),
            statement.candidate,
            tuple(self._expression(candidate) for candidate in statement.candidates),
            self._expression(statement.score),
            statement.place,
        )

    def _target(self, variable: Variable) -> Variable:
        if variable.name in self._counters:
            raise self._error(f"the counter '{variable.name}' is not assigned", variable.place)
        return self._variable(variable)

    def _variable(self, variable: Variable) -> Variable:
        name, place = variable.name, variable.place
        if variable.index is None:
            return variable
        if name in self._counters:
            raise self._error(f"the counter '{name}' has no elements", place)
        index = self._whole(variable.index, f"the index of '{name}'")
        size = self._sizes.get(name)
        if size is not None and not 1 <= index <= size:
            raise self._error(f"'{name}' has the elements 1 to {size}, and the index is {index}", place)
        return Variable(element_name(name, index), None, place)

    def _expression(self, expression: Expression) -> Expression:
        place = expression.place
        size = self._plain_size(expression)
        self._count(place, size or 1)
        if size:
            return expression
        if isinstance(expression, Variable):
            if expression.index is None and expression.name in self._counters:
                return Number(Fraction(self._counters[expression.name]), place)
            return self._variable(expression)
        if isinstance(expression, Unary):
            return Unary(expression.operator, self._expression(expression.inner), place)
        if isinstance(expression, Binary):
            left, right = self._expression(expression.left), self._expression(expression.right)
            return Binary(expression.operator, left, right, place)
        if isinstance(expression, Call):
            return Call(expression.function, tuple(map(self._expression, expression.arguments)), place)
        return expression

    def _plain_size(self, expression: Expression) -> int:
        """How many parts an expression has if it stays as it is, without counters and indices; else 0."""
        known = self._plain.get(id(expression))
        if known is not None:
            return known
        size = 1
        if isinstance(expression, Variable):
            size = int(expression.index is None and expression.name not in self._names)
        else:
            parts = _parts_of(expression)
            sizes = [self._plain_size(part) for part in parts]
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

"""The program that a text means: unfolded, with its fingerprint and its inputs (SPEC.md section 1).

*Expansion.* Loops with counters are repeated, with the counter replaced by its number, and an element of an
array becomes a variable of its own, ``q[1]``. A short text can ask for a long program, so statements are
counted as they are made. What comes out has the shape of the canonical form, and is written as it is.

*Kinds* are not looked at here. That a variable is finite, Boolean, real or integer everywhere, and assigned
before it is used, is what makes privacy decidable, and bdist refuses other programs. What a certificate says
is about the runs of a program. So each value is held to its use when a run comes there (``values.py``), and
the only rule about kinds that is held in the text is the one that a run could not see: a sample in a
``while`` would be a new one each time round.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from ..core import TooLarge
from ..core.limits import Work
from ..core.numbers import brief, rational_text
from ..core.text import fingerprint_of, refuse_line
from .text import (
    BUILT_IN,
    MOST_VARIABLES,
    Expression,
    Function,
    Output,
    Source,
    Statement,
    read_source,
    statement_at,
)

MOST_STATEMENTS = 100_000
MOST_PARTS = 1_000_000  # statements, rounds of loops, and parts of expressions
MOST_INPUTS = 100_000
CONSTANT_BITS = 256
HIGHEST = 250  # operators and calls within each other, those of the functions that are called included

Counters = Mapping[str, int]
Disc = tuple[str, Expression, tuple[Fraction, ...]]  # "disc", the variable and its steps


class Program(NamedTuple):
    """An expanded program."""

    domain: tuple[Fraction, ...]  # sorted
    inputs: tuple[str, ...]
    outputs: tuple[str | Disc, ...]
    adjacent: tuple[str, Any]
    functions: dict[str, Function]
    body: tuple[Statement, ...]

    def canonical_form(self) -> str:
        """The JSON text of SPEC.md section 1: tuples are arrays, rationals are strings."""
        functions = [function[:3] for function in self.functions.values()]
        form = ("dip", self.domain, self.inputs, self.outputs, self.adjacent, functions, self.body)
        return json.dumps(form, default=rational_text, ensure_ascii=False, separators=(",", ":"))

    def fingerprint(self) -> str:
        """SHA-256 of the canonical form, in lower-case hexadecimal."""
        return fingerprint_of([self.canonical_form()])


def read_program(text: str, work: Work) -> Program:
    """The program that a text means, with the rules of SPEC.md section 1 kept, but those of kinds.

    Raises: BadModel, TooLarge.
    """
    program = _Expansion(read_source(text, work), work).program()
    values = set(program.domain)
    if (len(values) > 1 and len(program.inputs) > 20) or len(values) ** len(program.inputs) > MOST_INPUTS:
        refuse_line(1, f"there are more than {MOST_INPUTS} inputs")
    if program.adjacent[0] == "pairs":
        for point in (point for pair in program.adjacent[1] for point in pair):
            if len(point) != len(program.inputs) or not values.issuperset(point):
                refuse_line(1, f"({', '.join(map(brief, point))}) is listed as an input, and is none")
    return program


class _Expansion:
    def __init__(self, source: Source, work: Work) -> None:
        self._source, self._work = source, work
        self._statements = self._made = 0
        self._sizes = {name: size for name, size in source.inputs if size is not None}
        self._taken = {name for name, _ in source.inputs}
        if len(self._taken) < len(source.inputs):
            refuse_line(1, "an input is declared twice")
        self._sizes |= {out.variable[1]: out.size for out in source.outputs if out.size is not None}
        self._functions: dict[str, Function] = {}
        self._heights: dict[str, int] = {}
        for function in source.functions:
            self._declare(function)

    def _declare(self, function: Function) -> None:
        """Functions are declared before they are used, and use their parameters only."""
        name, parameters, body, line = function
        if name in self._taken:
            refuse_line(line, f"{name} is declared twice")
        if len(set(parameters)) < len(parameters):
            refuse_line(line, f"a parameter of {name} stands twice")
        if body[0] == "table":
            rows = body[1]
            if any(len(arguments) != len(parameters) for arguments, _ in rows):
                refuse_line(line, f"a row of {name} has another number of arguments than {name}")
            if len({arguments for arguments, _ in rows}) < len(rows):
                refuse_line(line, f"{name} has two rows with the same arguments")
        else:
            self._check_body(body, parameters, line)
            self._heights[name] = self._height(body, line)
        self._taken.add(name)
        self._functions[name] = function

    def _check_body(self, expression: Expression, parameters: tuple[str, ...], line: int) -> None:
        """That the body of a function has no variables but its parameters."""
        if expression[0] == "var" and (len(expression) > 2 or expression[1] not in parameters):
            refuse_line(line, f"{expression[1]} is not a parameter of the function")
        self._check_call(expression, line)
        for part in expression[1:]:
            if isinstance(part, tuple):
                self._check_body(part, parameters, line)

    def _check_call(self, expression: Expression, line: int) -> None:
        if expression[0] == "call":
            _, name, *arguments = expression
            if name in BUILT_IN:
                if name in ("abs", "exp") and len(arguments) != 1:
                    refuse_line(line, f"{name} has one argument")
            elif name not in self._functions:
                refuse_line(line, f"there is no function {name} before this")
            elif len(arguments) != len(self._functions[name].parameters):
                refuse_line(line, f"{name} has another number of arguments")

    def _height(self, expression: Expression, line: int) -> int:
        found = _height(expression, self._heights)
        if found > HIGHEST:
            raise TooLarge(
                f"line {line}: more than {HIGHEST} operators and calls of functions within each other"
            )
        return found

    def program(self) -> Program:
        source = self._source
        outputs = tuple(output for declared in source.outputs for output in self._outputs(declared))
        if len(outputs) > MOST_VARIABLES:
            refuse_line(1, f"there are more than {MOST_VARIABLES} outputs")
        return Program(
            domain=tuple(sorted(source.domain)),
            inputs=tuple(name for declared, size in source.inputs for name in _elements(declared, size)),
            outputs=outputs,
            adjacent=source.adjacent,
            functions=self._functions,
            body=self._block(source.body, {}, looping=False),
        )

    def _outputs(self, output: Output) -> list[str] | list[Disc]:
        if output.steps is None:
            return _elements(output.variable[1], output.size)
        return [("disc", self._expression(output.variable, {}, 1), output.steps)]

    def _block(
        self, block: tuple[Statement, ...], counters: Counters, looping: bool
    ) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for statement in block:
            if statement[0] == "for":
                found += self._repeated(statement, counters, looping)
            else:
                self._statements += 1
                if self._statements > MOST_STATEMENTS:
                    refuse_line(statement.line, f"the program has more than {MOST_STATEMENTS} statements")
                self._count(statement.line)
                found.append(self._statement(statement, counters, looping))
        return tuple(found)

    def _repeated(self, loop: Statement, counters: Counters, looping: bool) -> list[Statement]:
        _, counter, first, last, body = loop
        if counter in self._taken or counter in counters:
            refuse_line(loop.line, f"the counter {counter} has the name of something else")
        low, high = (self._integer(end, counters, loop.line) for end in (first, last))
        found: list[Statement] = []
        for i in range(low, high + 1):
            self._count(loop.line)
            found += self._block(body, {**counters, counter: i}, looping)
        return found

    def _statement(self, statement: Statement, counters: Counters, looping: bool) -> Statement:
        what, *parts = statement
        line = statement.line

        def expanded(part: Any) -> Any:
            """Expressions, and tuples of them; the name of a candidate stays."""
            if not isinstance(part, tuple):
                return part
            if isinstance(part[0], str):
                return self._expression(part, counters, line)
            return tuple(map(expanded, part))

        if what == "while":
            body = self._block(parts[1], counters, looping=True)
            return statement_at(line, what, expanded(parts[0]), body)
        if what == "if":
            cases = tuple((expanded(test), self._block(block, counters, looping)) for test, block in parts[0])
            return statement_at(line, what, cases, self._block(parts[1], counters, looping))
        if what != "exit" and parts[0][1] in counters:
            refuse_line(line, f"the counter {parts[0][1]} is assigned")
        if what == "Exp" and parts[2] in counters:
            refuse_line(line, f"the candidate {parts[2]} has the name of a counter")
        if what in ("Lap", "DLap") and looping:
            refuse_line(line, f"{parts[0][1]} is drawn in a while loop")
        return statement_at(line, what, *map(expanded, parts))

    def _expression(self, expression: Expression, counters: Counters, line: int) -> Expression:
        found = self._unfolded(expression, counters, line)
        self._height(found, line)
        return found

    def _unfolded(self, expression: Expression, counters: Counters, line: int) -> Expression:
        self._count(line)
        if expression[0] == "var":
            _, name, *index = expression
            if not index:
                return ("number", Fraction(counters[name])) if name in counters else expression
            if name in counters:
                refuse_line(line, f"the counter {name} has no elements")
            k = self._integer(index[0], counters, line)
            size = self._sizes.get(name)
            if size is not None and not 1 <= k <= size:
                refuse_line(line, f"{name} has the elements 1 to {size}, and no element {brief(Fraction(k))}")
            return "var", f"{name}[{brief(Fraction(k))}]"
        self._check_call(expression, line)
        return tuple(
            self._unfolded(part, counters, line) if isinstance(part, tuple) else part for part in expression
        )

    def _integer(self, expression: Expression, counters: Counters, line: int) -> int:
        value = _constant(self._expression(expression, counters, line), line)
        if value.denominator != 1:
            refuse_line(line, f"an index or an end of a loop is {brief(value)}, and not a whole number")
        return int(value)

    def _count(self, line: int) -> None:
        self._made += 1
        self._work.spend(2)
        if self._made > MOST_PARTS:
            refuse_line(line, f"the program has more than {MOST_PARTS} parts")


def _constant(expression: Expression, line: int) -> Fraction:
    """The number that an expression is, without variables and functions of the program."""
    tag = expression[0]
    if tag == "number":
        found: Fraction = expression[1]
    elif tag in ("+", "-", "*", "/") or (tag == "call" and expression[1] in ("abs", "min", "max")):
        parts = [_constant(part, line) for part in expression[1:] if isinstance(part, tuple)]
        if tag == "/" and not parts[1]:
            refuse_line(line, "there is a division by zero in an index or an end of a loop")
        found = _CONSTANT[expression[1] if tag == "call" else tag](*parts)
    else:
        what = f"{expression[1]} is in it" if tag in ("var", "call") else "it is not made of numbers"
        refuse_line(line, f"an index or an end of a loop is not a constant: {what}")
    if max(found.numerator.bit_length(), found.denominator.bit_length()) > CONSTANT_BITS:
        refuse_line(line, f"a number of more than {CONSTANT_BITS} bits in an index or an end of a loop")
    return found


_CONSTANT: dict[str, Callable[..., Fraction]] = {
    "+": operator.add,
    "-": lambda *parts: -parts[0] if len(parts) == 1 else parts[0] - parts[1],
    "*": operator.mul,
    "/": operator.truediv,
    "abs": abs,
    "min": lambda *parts: min(parts),
    "max": lambda *parts: max(parts),
}


def _elements(name: str, size: int | None) -> list[str]:
    return [name] if size is None else [f"{name}[{k}]" for k in range(1, size + 1)]


def _height(expression: Expression, functions: Mapping[str, int]) -> int:
    """How many operators and calls are within each other, with those of functions of these heights."""
    below = [_height(part, functions) for part in expression[1:] if isinstance(part, tuple)]
    own = functions.get(expression[1], 0) if expression[0] == "call" else 0
    return 1 + own + max(below, default=0)

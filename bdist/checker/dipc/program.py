"""The program that a text means: unfolded, held to the rules, with its fingerprint and its inputs.

SPEC.md section 1, in four parts:

* *Expansion.* Loops with counters are repeated, with the counter replaced by its number, and an element of an
  array becomes a variable of its own, ``q[1]``. A short text can ask for a long program, so statements are
  counted as they are made.
* *The canonical form* of what comes out, and its fingerprint.
* *Kinds.* A variable is finite, Boolean, real or integer, everywhere, and assigned before it is used. A text
  that breaks a rule is refused, whether or not a run would come by: what is certified is certified of
  programs that have a meaning. Expressions with ``eps`` are of two more kinds: linear in it, as a scale has
  to be, or a weight. One walk through the text does it. It carries the variables that are assigned on every
  way that leads here; behind an ``exit`` no way leads on, and everything counts as assigned.
* *Adjacency*: the inputs, and which of them are neighbours.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

from ..core import TooLarge
from ..core.digits import brief, rational_text
from ..core.limits import Work
from ..core.text import fingerprint_of, refuse_line
from .events import ALWAYS, Events
from .text import (
    BUILT_IN,
    COMPARISONS,
    MOST_VARIABLES,
    Expression,
    Function,
    Output,
    Point,
    Source,
    Statement,
    read_source,
)
from .values import HIGHEST, Evaluator, Unfit, height, multiple_of_eps

MOST_STATEMENTS = 100_000
MOST_PARTS = 1_000_000  # statements, rounds of loops, and parts of expressions
MOST_INPUTS = 100_000
CONSTANT_BITS = 256

Counters = Mapping[str, int]


class Program(NamedTuple):
    """An expanded program."""

    domain: tuple[Fraction, ...]  # sorted
    inputs: tuple[str, ...]
    outputs: tuple[tuple[str, tuple[Fraction, ...] | None], ...]  # with the steps of disc
    norm: str | None
    radius: Fraction
    pairs: tuple[tuple[Point, Point], ...]
    functions: dict[str, Function]
    claim: tuple[Expression, Expression | None] | None
    body: tuple[Statement, ...]

    def canonical_form(self) -> str:
        """The JSON text of SPEC.md section 1."""
        adjacent = [self.norm, rational_text(self.radius)] if self.norm else ["pairs", _array(self.pairs)]
        form = [
            "dip",
            _array(self.domain),
            list(self.inputs),
            [name if steps is None else ["disc", name, _array(steps)] for name, steps in self.outputs],
            adjacent,
            [_function_form(function) for function in self.functions.values()],
            _block_form(self.body),
        ]
        return json.dumps(form, ensure_ascii=False, separators=(",", ":"))

    def fingerprint(self) -> str:
        """SHA-256 of the canonical form, in lower-case hexadecimal."""
        return fingerprint_of([self.canonical_form()])


def read_program(text: str, work: Work) -> Program:
    """The program that a text means, with all rules of SPEC.md section 1 kept that a text can break.

    Raises: BadModel, TooLarge.
    """
    expansion = _Expansion(read_source(text, work), work)
    program = expansion.program()
    expansion.kinds.check(program)
    _check_adjacent(program)
    _check_claim(program, work)
    return program


def _check_adjacent(program: Program) -> None:
    """That there are not too many inputs, and that listed points are some."""
    values = set(program.domain)
    if (len(values) > 1 and len(program.inputs) > 20) or len(values) ** len(program.inputs) > MOST_INPUTS:
        refuse_line(1, f"there are more than {MOST_INPUTS} inputs")
    for pair in program.pairs:
        for point in pair:
            if len(point) != len(program.inputs) or not values.issuperset(point):
                refuse_line(1, f"({', '.join(map(brief, point))}) is listed as an input, and is none")


def _check_claim(program: Program, work: Work) -> None:
    """That the claim is t·eps with t ≥ 0, and delta a function of eps."""
    if program.claim is None:
        return
    if not _is_linear(program.claim[0]):
        refuse_line(1, "the claim is made of other things than numbers, eps and arithmetic")
    evaluator = Evaluator(program.functions, Events(work), work)
    try:
        factor = multiple_of_eps(evaluator.weight(program.claim[0], {}, ALWAYS))
        if program.claim[1] is not None:
            evaluator.weight(program.claim[1], {}, ALWAYS)
    except Unfit as unfit:
        refuse_line(1, f"the claim: {unfit}")
    if factor is None or factor < 0:
        refuse_line(1, "the claim is not a multiple of eps, or a negative one")


def _is_linear(expression: Expression) -> bool:
    """Whether an expression is made of numbers, eps and arithmetic."""
    if expression[0] not in ("number", "eps", "neg", "+", "-", "*", "/"):
        return False
    return all(_is_linear(part) for part in expression[1:] if isinstance(part, tuple))


class _Expansion:
    """What is declared, and the statements that were made."""

    def __init__(self, source: Source, work: Work) -> None:
        self._source, self._work = source, work
        self._statements = self._made = 0
        self._sizes = {name: size for name, size in source.inputs if size is not None}
        self._taken = {name for name, _ in source.inputs}
        if len(self._taken) < len(source.inputs):
            refuse_line(1, "an input is declared twice")
        self._sizes |= {out.name: out.size for out in source.outputs if out.size is not None}
        self.kinds = Kinds()
        self._functions: dict[str, Function] = {}
        self._heights: dict[str, int] = {}
        for function in source.functions:
            self._declare(function)

    def _declare(self, function: Function) -> None:
        """Functions are declared before they are used, and use their parameters only."""
        name, line = function.name, function.line
        if name in self._taken:
            refuse_line(line, f"{name} is declared twice")
        if len(set(function.parameters)) < len(function.parameters):
            refuse_line(line, f"a parameter of {name} stands twice")
        if any(len(arguments) != len(function.parameters) for arguments, _ in function.table):
            refuse_line(line, f"a row of {name} has another number of arguments than {name}")
        if len({arguments for arguments, _ in function.table}) < len(function.table):
            refuse_line(line, f"{name} has two rows with the same arguments")
        if function.body is not None:
            function = function._replace(body=self._plain(function.body, function.parameters, line))
            self._heights[name] = self._height(function.body or (), line)
        self._taken.add(name)
        self._functions[name] = function
        self.kinds.declare(function)

    def _plain(self, expression: Expression, parameters: tuple[str, ...], line: int) -> Expression:
        """The body of a function, with the variables that it may have."""
        if expression[0] == "var":
            _, name, index = expression
            if index is not None or name not in parameters:
                refuse_line(line, f"{name} is not a parameter of the function")
            return "var", name
        self._check_call(expression, line)
        return tuple(
            self._plain(part, parameters, line) if isinstance(part, tuple) else part for part in expression
        )

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
        found = height(expression, self._heights)
        if found > HIGHEST:
            raise TooLarge(
                f"line {line}: more than {HIGHEST} operators and calls of functions within each other"
            )
        return found

    def program(self) -> Program:
        """All of it."""
        source = self._source
        claim = source.claim
        if claim is not None:
            claim = (
                self._expression(claim[0], {}, 1),
                None if claim[1] is None else self._expression(claim[1], {}, 1),
            )
        return Program(
            domain=tuple(sorted(source.domain)),
            inputs=tuple(name for declared, size in source.inputs for name in _elements(declared, size)),
            outputs=self._all_outputs(),
            norm=source.norm,
            radius=source.radius,
            pairs=source.pairs,
            functions=self._functions,
            claim=claim,
            body=self._block(source.body, {}),
        )

    def _all_outputs(self) -> tuple[tuple[str, tuple[Fraction, ...] | None], ...]:
        found = tuple(output for declared in self._source.outputs for output in self._outputs(declared))
        if len(found) > MOST_VARIABLES:
            refuse_line(1, f"there are more than {MOST_VARIABLES} outputs")
        return found

    def _outputs(self, output: Output) -> list[tuple[str, tuple[Fraction, ...] | None]]:
        if output.steps is None:
            return [(name, None) for name in _elements(output.name, output.size)]
        _, name = self._expression(("var", output.name, output.element), {}, 1)
        return [(name, output.steps)]

    def _block(self, block: tuple[Statement, ...], counters: Counters) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for statement in block:
            if statement.what == "for":
                found += self._repeated(statement, counters)
            else:
                self._statements += 1
                if self._statements > MOST_STATEMENTS:
                    refuse_line(statement.line, f"the program has more than {MOST_STATEMENTS} statements")
                self._count(statement.line)
                found.append(self._statement(statement, counters))
        return tuple(found)

    def _repeated(self, loop: Statement, counters: Counters) -> list[Statement]:
        counter, first, last, body = loop.parts
        if counter in self._taken or counter in counters:
            refuse_line(loop.line, f"the counter {counter} has the name of something else")
        low, high = (self._integer(end, counters, loop.line) for end in (first, last))
        found: list[Statement] = []
        for i in range(low, high + 1):
            self._count(loop.line)
            found += self._block(body, {**counters, counter: i})
        return found

    def _statement(self, statement: Statement, counters: Counters) -> Statement:
        what, parts, line = statement

        def expanded(expression: Expression) -> Expression:
            return self._expression(expression, counters, line)

        if what == "exit":
            return statement
        if what == "while":
            return statement._replace(parts=(expanded(parts[0]), self._block(parts[1], counters)))
        if what == "if":
            cases = tuple((expanded(test), self._block(block, counters)) for test, block in parts[0])
            return statement._replace(parts=(cases, self._block(parts[1], counters)))
        if parts[0][1] in counters:
            refuse_line(line, f"the counter {parts[0][1]} is assigned")
        target = expanded(parts[0])[1]
        if what == "choose":
            chances = tuple((expanded(value), expanded(weight)) for value, weight in parts[1])
            return statement._replace(parts=(target, chances))
        if what == "Exp":
            _, scale, candidate, candidates, score = parts
            if candidate in counters:
                refuse_line(line, f"the candidate {candidate} has the name of a counter")
            listed = tuple(map(expanded, candidates))
            return statement._replace(parts=(target, expanded(scale), candidate, listed, expanded(score)))
        return statement._replace(parts=(target, *map(expanded, parts[1:])))

    def _expression(self, expression: Expression, counters: Counters, line: int) -> Expression:
        found = self._unfolded(expression, counters, line)
        self._height(found, line)
        return found

    def _unfolded(self, expression: Expression, counters: Counters, line: int) -> Expression:
        self._count(line)
        if expression[0] == "var":
            _, name, index = expression
            if index is None:
                return ("number", Fraction(counters[name])) if name in counters else ("var", name)
            if name in counters:
                refuse_line(line, f"the counter {name} has no elements")
            k = self._integer(index, counters, line)
            size = self._sizes.get(name)
            if size is not None and not 1 <= k <= size:
                refuse_line(line, f"{name} has the elements 1 to {size}, and no element {brief(Fraction(k))}")
            return "var", f"{name}[{brief(Fraction(k))}]"
        self._check_call(expression, line)
        return tuple(
            self._unfolded(part, counters, line) if isinstance(part, tuple) else part for part in expression
        )

    def _integer(self, expression: Expression, counters: Counters, line: int) -> int:
        """The number that an expression is, without variables."""
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
    elif tag in ("+", "-", "*", "/", "neg") or (tag == "call" and expression[1] in ("abs", "min", "max")):
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
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "neg": operator.neg,
    "abs": abs,
    "min": lambda *parts: min(parts),
    "max": lambda *parts: max(parts),
}


def _elements(name: str, size: int | None) -> list[str]:
    return [name] if size is None else [f"{name}[{k}]" for k in range(1, size + 1)]


# --- the canonical form ---


def _array(value: Any) -> Any:
    """Rationals as strings, in nested arrays."""
    return rational_text(value) if isinstance(value, Fraction) else [_array(item) for item in value]


def _function_form(function: Function) -> list[Any]:
    body = ["table", _array(function.table)] if function.body is None else _expression_form(function.body)
    return [function.name, list(function.parameters), body]


def _expression_form(expression: Expression) -> list[Any]:
    if expression[0] == "number":
        return [rational_text(expression[1])]
    if expression[0] == "truth":
        return [expression[1]]
    return [_expression_form(part) if isinstance(part, tuple) else part for part in expression]


def _block_form(block: tuple[Statement, ...]) -> list[Any]:
    return [[statement.what, *_parts_form(statement)] for statement in block]


def _parts_form(statement: Statement) -> list[Any]:
    parts = statement.parts
    if statement.what == "exit":
        return []
    if statement.what == "while":
        return [_expression_form(parts[0]), _block_form(parts[1])]
    if statement.what == "if":
        return [
            [[_expression_form(test), _block_form(block)] for test, block in parts[0]],
            _block_form(parts[1]),
        ]
    if statement.what == "choose":
        return [parts[0], [[_expression_form(value), _expression_form(weight)] for value, weight in parts[1]]]
    if statement.what == "Exp":
        target, scale, candidate, candidates, score = parts
        listed = [_expression_form(value) for value in candidates]
        return [target, _expression_form(scale), candidate, listed, _expression_form(score)]
    return [parts[0], *map(_expression_form, parts[1:])]


# --- kinds ---


FINITE, BOOLEAN, REAL, INTEGER = "finite", "Boolean", "real", "integer"
LINEAR, WEIGHT = "linear in eps", "made of eps"  # of expressions only

_FREE = (REAL, INTEGER)
_OF_EPS = (LINEAR, WEIGHT)
_Assigned = int | None  # a bit for each variable; None where no way leads
Lookup = Callable[[str], str | None]  # the kind of a variable, or None if it must not be used


class Kinds:
    """The kinds of functions and variables that were met so far."""

    def __init__(self) -> None:
        self._functions: dict[str, str] = {}
        self.variables: dict[str, str] = {}
        self._places: dict[str, int] = {}

    # --- expressions ---

    def declare(self, function: Function) -> None:
        """Find the kind of a function. Raises: BadModel."""
        found = FINITE
        if function.body is not None:
            known = dict.fromkeys(function.parameters, FINITE)
            found = self.of(function.body, known.get, function.line)
        self._functions[function.name] = found

    def of(self, expression: Expression, variables: Lookup, line: int, with_eps: bool = False) -> str:
        """The kind of an expression. Raises: BadModel."""
        tag = expression[0]
        if tag == "number":
            return FINITE
        if tag == "truth":
            return BOOLEAN
        if tag == "eps":
            if not with_eps:
                refuse_line(line, "eps stands outside of scales, weights, the claim and delta")
            return LINEAR
        if tag == "var":
            kind = variables(expression[1])
            if kind is None:
                refuse_line(line, f"{expression[1]} is used, and not on every way is it assigned before")
            return kind
        if tag == "call":
            return self._call(expression, variables, line, with_eps)
        plain = with_eps and tag in ("neg", "+", "-", "*", "/")
        kinds = [self.of(part, variables, line, plain) for part in expression[1:]]
        found = self._unary(tag, kinds[0]) if len(kinds) == 1 else self._binary(tag, kinds[0], kinds[1])
        if found is None:
            refuse_line(line, f"there is no {tag} of {' and '.join(kinds)}")
        return found

    def _call(self, expression: Expression, variables: Lookup, line: int, with_eps: bool) -> str:
        _, name, *arguments = expression
        if name == "exp":
            if not with_eps:
                refuse_line(line, "exp stands outside of weights and delta")
            if self.of(arguments[0], variables, line, with_eps=True) != LINEAR:
                refuse_line(line, "the exponent of exp is not a multiple of eps")
            return WEIGHT
        for argument in arguments:
            self._expect(FINITE, argument, variables, line, f"an argument of {name}")
        return self._functions.get(name, FINITE)

    @staticmethod
    def _unary(tag: str, kind: str) -> str | None:
        if tag == "not":
            return BOOLEAN if kind == BOOLEAN else None
        return kind if kind != BOOLEAN else None

    def _binary(self, tag: str, left: str, right: str) -> str | None:
        if tag in ("and", "or"):
            return BOOLEAN if left == right == BOOLEAN else None
        if tag in COMPARISONS:
            if left == right == BOOLEAN:
                return BOOLEAN if tag in ("==", "!=") else None
            return BOOLEAN if _meet(left, right) is not None else None
        if left in _OF_EPS or right in _OF_EPS:
            return _of_eps(tag, left, right)
        found = _meet(left, right)
        if found is None or tag in ("+", "-"):
            return found
        if found == FINITE or (tag == "/" and left == REAL and right == FINITE):
            return found
        return found if tag == "*" and left != right else None

    def _expect(self, kind: str, expression: Expression, variables: Lookup, line: int, what: str) -> None:
        found = self.of(expression, variables, line)
        if found != kind:
            refuse_line(line, f"{what} is {found}, and should be {kind}")

    # --- statements ---

    def check(self, program: Program) -> None:
        """The whole program. Raises: BadModel."""
        self.variables = dict.fromkeys(program.inputs, FINITE)
        self._outputs = program.outputs
        if program.claim is not None:
            for expression in program.claim:
                if expression is not None and self.of(expression, no_variable, 1, True) not in (
                    FINITE,
                    LINEAR,
                    WEIGHT,
                ):
                    refuse_line(1, "the claim is not a function of eps")
        first = 0
        for name in program.inputs:
            first |= self._bit(name)
        left = self._block(program.body, first, False)
        if left is not None:
            self._end(left, program.body[-1].line if program.body else 1)

    def _bit(self, name: str) -> int:
        return 1 << self._places.setdefault(name, len(self._places))

    def _end(self, assigned: int, line: int) -> None:
        for name, steps in self._outputs:
            if not assigned & self._bit(name):
                refuse_line(line, f"the output {name} is not assigned on every way to this end")
            kind = self.variables[name]
            if kind == BOOLEAN if steps is not None else kind in _FREE:
                refuse_line(line, f"the output {name} is {kind}")

    def _block(self, block: tuple[Statement, ...], assigned: _Assigned, looping: bool) -> _Assigned:
        for statement in block:
            assigned = self._statement(statement, assigned, looping)
        return assigned

    def _statement(self, statement: Statement, assigned: _Assigned, looping: bool) -> _Assigned:
        what, parts, line = statement
        known = self._known(assigned)
        if what == "exit":
            if assigned is not None:
                self._end(assigned, line)
            return None
        if what == "while":
            self._expect(BOOLEAN, parts[0], known, line, "a condition")
            self._block(parts[1], assigned, True)
            return assigned
        if what == "if":
            ends = []
            for test, block in parts[0]:
                self._expect(BOOLEAN, test, self._known(assigned), line, "a condition")
                ends.append(self._block(block, assigned, looping))
            ends.append(self._block(parts[1], assigned, looping))
            ways = [end for end in ends if end is not None]
            return reduce(operator.and_, ways) if ways else None
        kind = self._target_kind(what, parts, known, line)
        if looping and kind in _FREE:
            refuse_line(line, f"{parts[0]} is {kind}, and gets a value in a while loop")
        before = self.variables.setdefault(parts[0], kind)
        if before != kind:
            refuse_line(line, f"{parts[0]} is {kind} here and {before} elsewhere")
        return None if assigned is None else assigned | self._bit(parts[0])

    def _known(self, assigned: _Assigned) -> Lookup:
        """The kinds of the variables that may be used."""
        if assigned is None:
            return self.variables.get
        return lambda name: self.variables.get(name) if assigned & self._bit(name) else None

    def _target_kind(self, what: str, parts: tuple[Expression, ...], known: Lookup, line: int) -> str:
        """The kind of what a variable is assigned."""
        if what == "assign":
            return self.of(parts[1], known, line)
        if what == "choose":
            for _, weight in parts[1]:
                if self.of(weight, known, line, True) not in (FINITE, LINEAR, WEIGHT):
                    refuse_line(line, "a weight is not a function of eps")
            return self._common([value for value, _ in parts[1]], known, line)
        if self.of(parts[1], known, line, True) != LINEAR:
            refuse_line(line, "a scale is not linear in eps")
        if what == "Exp":
            candidate, candidates, score = str(parts[2]), parts[3], parts[4]
            kind = self._common(list(candidates), known, line)
            self._expect(
                FINITE, score, lambda name: kind if name == candidate else known(name), line, "a score"
            )
            return kind
        found = REAL if what == "Lap" else INTEGER
        if self.of(parts[2], known, line) not in (FINITE, found):
            refuse_line(line, f"the mean of {what} is not finite or {found}")
        return found

    def _common(self, expressions: list[Expression], known: Lookup, line: int) -> str:
        kinds = {self.of(expression, known, line) for expression in expressions}
        if kinds not in ({FINITE}, {BOOLEAN}):
            refuse_line(line, "candidates and values are all finite, or all Boolean")
        return kinds.pop()


def no_variable(name: str) -> None:
    """Where no variable may be used."""


def _meet(left: str, right: str) -> str | None:
    """The kind of a sum of two kinds, if there is one."""
    if left == right and left != BOOLEAN:
        return left
    if FINITE in (left, right):
        other = left if right == FINITE else right
        return other if other in _FREE else None
    return None


def _of_eps(tag: str, left: str, right: str) -> str | None:
    """The kind of an operation with eps."""
    kinds = (left, right)
    if not all(kind in (FINITE, LINEAR, WEIGHT) for kind in kinds):
        return None
    if tag == "/":
        return left if right == FINITE else None
    mixed = FINITE in kinds
    return LINEAR if WEIGHT not in kinds and mixed == (tag == "*") else WEIGHT


# --- adjacency ---


class Adjacency:
    """The adjacent inputs of a program, as SPEC.md section 1 defines them."""

    def __init__(self, program: Program, work: Work) -> None:
        self._program, self._work = program, work
        self._listed: dict[Point, dict[Point, None]] = {}
        for left, right in program.pairs:
            if left != right:
                self._listed.setdefault(left, {})[right] = None
                self._listed.setdefault(right, {})[left] = None
        self._near = {x: self._distances(x) for x in program.domain} if program.norm else {}

    def _distances(self, x: Fraction) -> list[tuple[Fraction, Fraction]]:
        """The values of the domain with what it costs to differ by them, the radius at most."""
        self._work.spend(4 * len(self._program.domain))
        self._work.keep(len(self._program.domain), 0)
        found = []
        for y in self._program.domain:
            cost = Fraction(x != y) if self._program.norm == "l0" else abs(x - y)
            if cost <= self._program.radius:
                found.append((y, cost))
        return found

    def adjacent(self, left: Point, right: Point) -> bool:
        """Whether two inputs are adjacent."""
        return any(neighbour == right for neighbour in self.neighbours(left))

    def is_input(self, point: Point) -> bool:
        """Whether there is a value of the domain for each input."""
        return len(point) == len(self._program.inputs) and set(point) <= set(self._program.domain)

    def neighbours(self, point: Point) -> Iterator[Point]:
        """All inputs that are adjacent to one. Raises: TooLarge."""
        if self._program.norm is None:
            yield from self._listed.get(point, {})
            return
        adds_up = self._program.norm != "linf"
        partial: list[tuple[Point, Fraction]] = [((), self._program.radius)]
        while partial:
            begun, left = partial.pop()
            self._work.spend(4)
            if len(begun) == len(point):
                if begun != point:
                    yield begun
                continue
            for value, cost in self._near[point[len(begun)]]:
                if cost <= left:
                    partial.append(((*begun, value), left - cost if adds_up else left))

    def inputs(self) -> Iterator[Point]:
        """All inputs that have a neighbour. Raises: TooLarge."""
        if self._program.norm is None:
            yield from self._listed
            return
        partial: list[Point] = [()]
        while partial:
            begun = partial.pop()
            self._work.spend(4)
            if len(begun) < len(self._program.inputs):
                partial += [(*begun, value) for value in self._program.domain]
            elif next(self.neighbours(begun), None) is not None:
                yield begun

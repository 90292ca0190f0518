"""The ``.dip`` file as its declarations and statements: a second reader of the text, SPEC.md section 1.

This reader shares no code with the rest of bdist. The text is cut into tokens, and a descent through the
grammar makes declarations, statements and expressions of them, which are nested tuples in the form of the
arrays of the canonical form: ``("+", left, right)``, ``("number", 1/2)``, ``("assign", target, value)``. An
element of an array is ``("var", name, index)``, and a loop ``for`` is a statement of its own, until
``program.py`` unfolds both. What the file asks for, its claim and its interval, is passed over, as a
certificate says itself what it claims.

A stranger's text may nest what a stack does not hold, so brackets, blocks, signs and operators within each
other are counted, and refused beyond limits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn, TypeVar

from ..core.limits import Work
from ..core.text import BadModel, number_of, refuse_line, shown, start_of

MOST_BRACKETS = 100  # of expressions, open in one place
HIGHEST = 100  # operators, calls and indices within each other, and the innermost part
DIGITS = 1_000  # of a number
RESERVED = frozenset(
    (
        *("program", "domain", "input", "output", "adjacent", "claim", "epsilon", "delta", "function"),
        *("table", "if", "else", "while", "for", "in", "exit", "true", "false", "and", "or", "not", "eps"),
        *("exp", "abs", "min", "max", "disc", "Lap", "DLap", "Exp", "choose", "linf", "l1", "l0", "inf"),
    )
)
BUILT_IN = ("abs", "min", "max", "exp")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")

PROGRAM_CHARACTERS = 2**20
MOST_VALUES = 10_000  # of a domain
MOST_VARIABLES = 10_000  # that are inputs, or outputs
MOST_BLOCKS = 30  # within each other

Expression = tuple[Any, ...]
Point = tuple[Fraction, ...]
_Item = TypeVar("_Item")

_TOKEN = re.compile(
    r"""(?:[ \t\r\n]++|\#[^\n]*+)*+
    (?: (?P<name>[A-Za-z_][A-Za-z0-9_']*+)
      | (?P<number>[0-9]++(?:\.[0-9]++)?+)
      | (?P<mark>:=|<=|>=|==|!=|\.\.|[;,(){}\[\]~:<>=+*/-])
      | (?P<end>\Z) )""",
    re.VERBOSE,
)
_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_STRENGTH = {"or": 1, "and": 2, **dict.fromkeys(COMPARISONS, 4), "+": 5, "-": 5, "*": 6, "/": 6}
_NOT, _COMPARED = 3, 4
_NEEDED = ("domain", "input", "output", "adjacent")


class Statement(tuple[Any, ...]):
    """A statement: what it is, then its parts, of which blocks are tuples of statements; with its line."""

    line: int


def statement_at(line: int, *parts: Any) -> Statement:
    """A statement with its line."""
    found = Statement(parts)
    found.line = line
    return found


class Function(NamedTuple):
    """A function of a program; its body is an expression of its parameters, or ``("table", rows)``."""

    name: str
    parameters: tuple[str, ...]
    body: Expression
    line: int


class Output(NamedTuple):
    """An output: a variable, with the size of a declared array, or with the steps that discretise it."""

    variable: Expression
    size: int | None
    steps: tuple[Fraction, ...] | None


class Source(NamedTuple):
    """What is written in a file."""

    domain: tuple[Fraction, ...]
    inputs: tuple[tuple[str, int | None], ...]
    outputs: tuple[Output, ...]
    adjacent: tuple[str, Any]  # a norm and a radius, or "pairs" and the pairs of points
    functions: tuple[Function, ...]
    body: tuple[Statement, ...]


def read_source(text: str, work: Work) -> Source:
    """The declarations and statements of a text. Raises: BadModel, TooLarge."""
    if len(text) > PROGRAM_CHARACTERS:
        raise BadModel(f"the text has {len(text)} characters, and at most {PROGRAM_CHARACTERS} are read")
    work.keep(len(text), 0)
    return _Reader(text).program()


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str, int]] = []
        place, line = 0, 1
        while True:
            match = _TOKEN.match(text, place)
            if match is None:
                blank = _BLANK.match(text, place)
                start = place if blank is None else blank.end()
                line += text.count("\n", place, start)
                refuse_line(line, f"no token begins at {shown(text[start : start + 20])}")
            line += text.count("\n", place, match.end())
            kind = str(match.lastgroup)
            self._tokens.append((kind, match[kind], line))
            place = match.end()
            if kind == "end":
                break
        self._at = 0
        self._brackets = 0  # of expressions that are open
        self._blocks = 0  # that are open
        self._signs = 0  # - and not before the place, without anything between

    # --- tokens ---

    @property
    def _next(self) -> str:
        return self._tokens[self._at][1]

    @property
    def _line(self) -> int:
        return self._tokens[self._at][2]

    def _maybe(self, *marks: str) -> str:
        """One of these tokens, if it comes next, which is then behind."""
        kind, text, _ = self._tokens[self._at]
        if text in marks and kind != "end":
            self._at += 1
            return text
        return ""

    def _need(self, *marks: str) -> str:
        return self._maybe(*marks) or self._fail(" or ".join(marks))

    def _name(self) -> str:
        kind, text, _ = self._tokens[self._at]
        if kind != "name" or text in RESERVED:
            self._fail("a name")
        self._at += 1
        return text

    def _number(self) -> Fraction:
        kind, text, line = self._tokens[self._at]
        if kind != "number":
            self._fail("a number")
        self._at += 1
        if len(text) - text.count(".") > DIGITS:
            refuse_line(line, f"a number has more than {DIGITS} digits")
        return number_of(text, line)

    def _listed(self, item: Callable[[], _Item]) -> tuple[_Item, ...]:
        found = [item()]
        while self._maybe(","):
            found.append(item())
        return tuple(found)

    def _within(self, left: str, item: Callable[[], _Item], right: str) -> _Item:
        """Something between two marks."""
        self._need(left)
        found = item()
        self._need(right)
        return found

    def _fail(self, expected: str) -> NoReturn:
        kind, text, line = self._tokens[self._at]
        found = "the end of the file" if kind == "end" else start_of(text)
        refuse_line(line, f"expected {expected}; found {found}")

    # --- expressions ---

    def _expression(self) -> Expression:
        line, found = self._line, self._binary(1)
        self._check_height(found, line)
        return found

    def _check_height(self, expression: Expression, line: int) -> None:
        """That nothing that follows an expression down to its parts goes too deep; without recursion."""
        waiting = [(expression, 1)]
        while waiting:
            found, height = waiting.pop()
            if height > HIGHEST:
                refuse_line(line, f"more than {HIGHEST} operators, calls and indices within each other")
            waiting += [(part, height + 1) for part in found if isinstance(part, tuple)]

    def _nested(self) -> Expression:
        self._brackets += 1
        if self._brackets > MOST_BRACKETS:
            refuse_line(self._line, f"more than {MOST_BRACKETS} brackets are open")
        found = self._binary(1)
        self._brackets -= 1
        return found

    def _sign(self) -> None:
        self._at += 1
        self._signs += 1
        if self._signs > HIGHEST:
            refuse_line(self._line, f"more than {HIGHEST} operators, calls and indices within each other")

    def _binary(self, least: int) -> Expression:
        """An expression whose operators outside of brackets bind at least so strongly."""
        if self._next == "not" and least <= _NOT:
            self._sign()
            found: Expression = ("not", self._binary(_NOT))
            self._signs -= 1
            most = _NOT - 1
        else:
            found, most = self._signed(), 6
        while least <= (strength := _STRENGTH.get(self._next, 0)) <= most:
            operator = self._next
            self._at += 1
            found = (operator, found, self._binary(strength + 1))
            most = strength - 1 if strength == _COMPARED else strength
        return found

    def _signed(self) -> Expression:
        if self._next != "-":
            return self._atom()
        self._sign()
        found = ("-", self._signed())
        self._signs -= 1
        return found

    def _atom(self) -> Expression:
        kind, text, _ = self._tokens[self._at]
        if kind == "number":
            return "number", self._number()
        if text in ("true", "false"):
            self._at += 1
            return "truth", text == "true"
        if self._maybe("eps"):
            return ("eps",)
        if text == "(":
            return self._within("(", self._nested, ")")
        called = text in BUILT_IN or (kind == "name" and self._tokens[self._at + 1][1] == "(")
        if called and (text in BUILT_IN or text not in RESERVED):
            self._at += 1
            return ("call", text, *self._within("(", lambda: self._listed(self._nested), ")"))
        if kind != "name" or text in RESERVED:
            self._fail("an expression")
        return self._variable()

    def _variable(self) -> Expression:
        name = self._name()
        if not self._maybe("["):
            return "var", name
        line, index = self._line, self._nested()
        self._check_height(("var", name, index), line)
        self._need("]")
        return "var", name, index

    # --- declarations ---

    def program(self) -> Source:
        if self._maybe("program"):
            self._name()
            self._need(";")
        found: dict[str, Any] = {}
        functions: list[Function] = []
        readers = {
            "domain": self._domain,
            "input": lambda: self._listed(self._declared),
            "output": lambda: self._listed(self._output),
            "adjacent": self._adjacent,
            "claim": self._passed_over,
            "epsilon": self._passed_over,
        }
        while (keyword := self._next) in readers or keyword == "function":
            line = self._line
            self._at += 1
            if keyword == "function":
                functions.append(self._function(line))
            elif keyword in found:
                refuse_line(line, f"a second declaration {keyword}")
            else:
                found[keyword] = readers[keyword]()
            self._need(";")
        for keyword in _NEEDED:
            if keyword not in found:
                refuse_line(self._line, f"there is no declaration {keyword} before this")
        body = []
        while self._tokens[self._at][0] != "end":
            body.append(self._statement())
        domain, inputs, outputs, adjacent = (found[keyword] for keyword in _NEEDED)
        return Source(domain, inputs, outputs, adjacent, tuple(functions), tuple(body))

    def _domain(self) -> tuple[Fraction, ...]:
        line = self._line
        self._need("{")
        values = [self._constant()]
        if self._maybe(".."):
            last = self._constant()
            if (last - values[0]).denominator != 1 or last < values[0]:
                refuse_line(line, "the end of the domain is not its beginning and a whole number more")
            if last - values[0] >= MOST_VALUES:
                refuse_line(line, f"the domain has more than {MOST_VALUES} values")
            values = [values[0] + i for i in range(int(last - values[0]) + 1)]
        else:
            while self._maybe(","):
                values.append(self._constant())
        self._need("}")
        if len(set(values)) < len(values):
            refuse_line(line, "a value of the domain is listed twice")
        if len(values) > MOST_VALUES:
            refuse_line(line, f"the domain has more than {MOST_VALUES} values")
        return tuple(values)

    def _declared(self) -> tuple[str, int | None]:
        name = self._name()
        if not self._maybe("["):
            return name, None
        line, size = self._line, self._number()
        self._need("]")
        if size.denominator != 1 or not 1 <= size <= MOST_VARIABLES:
            refuse_line(line, f"the size of {name} is not a whole number from 1 to {MOST_VARIABLES}")
        return name, int(size)

    def _output(self) -> Output:
        if not self._maybe("disc"):
            name, size = self._declared()
            return Output(("var", name), size, None)
        line = self._line
        self._need("(")
        variable = self._variable()
        self._need(",")
        steps = [self._constant()]
        self._need("<")
        steps.append(self._constant())
        while self._maybe("<"):
            steps.append(self._constant())
        self._need(")")
        if any(low >= high for low, high in pairwise(steps)):
            refuse_line(line, "the steps of disc do not increase")
        return Output(variable, None, tuple(steps))

    def _adjacent(self) -> tuple[str, Any]:
        norm = self._maybe("linf", "l1", "l0")
        if not norm:
            return "pairs", self._listed(self._pair)
        line, radius = self._line, self._constant()
        if radius <= 0:
            refuse_line(line, "the distance of adjacent inputs is not positive")
        return norm, radius

    def _pair(self) -> tuple[Point, Point]:
        left = self._point()
        self._need("~")
        return left, self._point()

    def _point(self) -> Point:
        return self._within("(", lambda: self._listed(self._constant), ")")

    def _passed_over(self) -> None:
        """What the file asks; a certificate says itself what it proves."""
        while self._next not in (";", ""):
            self._at += 1

    def _function(self, line: int) -> Function:
        name = self._name()
        parameters = self._within("(", lambda: self._listed(self._name), ")")
        self._need("=")
        if not self._maybe("table"):
            return Function(name, parameters, self._expression(), line)
        rows = self._within("{", lambda: self._listed(self._row), "}")
        return Function(name, parameters, ("table", rows), line)

    def _row(self) -> tuple[Point, Fraction]:
        arguments = self._point() if self._next == "(" else (self._constant(),)
        self._need(":")
        return arguments, self._constant()

    def _constant(self) -> Fraction:
        sign = -1 if self._maybe("-") else 1
        above = self._number()
        if not self._maybe("/"):
            return sign * above
        line, below = self._line, self._number()
        if below == 0:
            refuse_line(line, "a denominator is zero")
        return sign * above / below

    # --- statements ---

    def _block(self) -> tuple[Statement, ...]:
        self._need("{")
        self._blocks += 1
        if self._blocks > MOST_BLOCKS:
            refuse_line(self._line, f"more than {MOST_BLOCKS} blocks within each other")
        found = []
        while not self._maybe("}"):
            found.append(self._statement())
        self._blocks -= 1
        return tuple(found)

    def _statement(self) -> Statement:
        line = self._line
        keyword = self._maybe("if", "while", "for", "exit")
        if keyword == "if":
            return self._if(line)
        if keyword == "while":
            return statement_at(line, "while", self._expression(), self._block())
        if keyword == "for":
            counter = self._name()
            self._need("in")
            first = self._expression()
            self._need("..")
            return statement_at(line, "for", counter, first, self._expression(), self._block())
        if keyword == "exit":
            self._need(";")
            return statement_at(line, "exit")
        variable = self._variable()
        if self._need(":=", "~") == ":=":
            found = statement_at(line, "assign", variable, self._expression())
        else:
            found = self._draw(variable, line)
        self._need(";")
        return found

    def _if(self, line: int) -> Statement:
        cases = [(self._expression(), self._block())]
        otherwise: tuple[Statement, ...] = ()
        while self._maybe("else"):
            if not self._maybe("if"):
                otherwise = self._block()
                break
            cases.append((self._expression(), self._block()))
        return statement_at(line, "if", tuple(cases), otherwise)

    def _draw(self, variable: Expression, line: int) -> Statement:
        what = self._need("Lap", "DLap", "Exp", "choose")
        if what == "choose":
            chances = self._within("{", lambda: self._listed(self._chance), "}")
            return statement_at(line, what, variable, chances)
        self._need("(")
        scale = self._expression()
        self._need(",")
        if what != "Exp":
            found = statement_at(line, what, variable, scale, self._expression())
        else:
            candidate = self._name()
            self._need("in")
            candidates = self._within("{", lambda: self._listed(self._expression), "}")
            self._need(":")
            score = self._expression()
            found = statement_at(line, what, variable, scale, candidate, candidates, score)
        self._need(")")
        return found

    def _chance(self) -> tuple[Expression, Expression]:
        value = self._expression()
        self._need(":")
        return value, self._expression()

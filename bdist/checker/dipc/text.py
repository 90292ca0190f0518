"""The ``.dip`` file as its declarations and statements: a second reader of the text, SPEC-DIPC section 1.

This reader shares no code with the rest of bdist. ``program_expressions.py`` cuts the text into tokens and
reads expressions; here a descent through the rest of the grammar makes declarations and statements of them.
Loops with counters and indices are unfolded later, by ``program_expansion.py``: until then a loop ``for`` is
a statement of its own, and a variable has a name and an index. What the file asks for, its claim and its
interval, is read and otherwise ignored, as a certificate says itself what it claims.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from ..core.chain import BadModel
from ..core.limits import Work
from .expressions import Expression, ExpressionReader, refuse

PROGRAM_CHARACTERS = 2**20
MOST_VALUES = 10_000  # of a domain
MOST_VARIABLES = 10_000  # that are inputs, or outputs
MOST_BLOCKS = 30  # within each other
Point = tuple[Fraction, ...]


class Statement(NamedTuple):
    """A statement: what it is, its parts, and its line; blocks are tuples of statements."""

    what: str
    parts: tuple[Any, ...]
    line: int


class Function(NamedTuple):
    """A function of a program: an expression of its parameters, or a table."""

    name: str
    parameters: tuple[str, ...]
    body: Expression | None
    table: tuple[tuple[Point, Fraction], ...]
    line: int


class Output(NamedTuple):
    """An output: a name with its size, or a variable that is discretised."""

    name: str
    size: int | None  # of a declared array
    element: Expression | None  # the index of what is discretised
    steps: tuple[Fraction, ...] | None


class Source(NamedTuple):
    """What is written in a file."""

    domain: tuple[Fraction, ...]
    inputs: tuple[tuple[str, int | None], ...]
    outputs: tuple[Output, ...]
    norm: str | None  # of adjacent inputs, with its radius; or the pairs of points
    radius: Fraction
    pairs: tuple[tuple[Point, Point], ...]
    claim: tuple[Expression, Expression | None] | None
    functions: tuple[Function, ...]
    body: tuple[Statement, ...]


def read_source(text: str, work: Work) -> Source:
    """The declarations and statements of a text. Raises: BadModel, TooLarge."""
    if len(text) > PROGRAM_CHARACTERS:
        raise BadModel(f"the text has {len(text)} characters, and at most {PROGRAM_CHARACTERS} are read")
    work.keep(len(text), 0)
    return _Reader(text).program()


class _Reader(ExpressionReader):
    """The declarations and statements of a text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._blocks = 0  # that are open

    # --- declarations ---

    def program(self) -> Source:
        """All of the text."""
        if self._maybe("program"):
            self._name()
            self._need(";")
        found: dict[str, Any] = {}
        functions: list[Function] = []
        readers = {
            "domain": self._domain,
            "input": self._inputs,
            "output": self._outputs,
            "adjacent": self._adjacent,
            "claim": self._claim,
            "epsilon": self._epsilon,
        }
        while (keyword := self._next) in readers or keyword == "function":
            line = self._line
            self._at += 1
            if keyword == "function":
                functions.append(self._function(line))
            elif keyword in found:
                refuse(line, f"a second declaration {keyword}")
            else:
                found[keyword] = readers[keyword]()
            self._need(";")
        for keyword in ("domain", "input", "output", "adjacent"):
            if keyword not in found:
                refuse(self._line, f"there is no declaration {keyword} before this")
        body = []
        while self._tokens[self._at][0] != "end":
            body.append(self._statement())
        norm, radius, pairs = found["adjacent"]
        return Source(
            found["domain"],
            found["input"],
            found["output"],
            norm,
            radius,
            pairs,
            found.get("claim"),
            tuple(functions),
            tuple(body),
        )

    def _domain(self) -> tuple[Fraction, ...]:
        line = self._line
        self._need("{")
        values = [self._constant()]
        if self._maybe(".."):
            last = self._constant()
            if (last - values[0]).denominator != 1 or last < values[0]:
                refuse(line, "the end of the domain is not its beginning and a whole number more")
            if last - values[0] >= MOST_VALUES:
                refuse(line, f"the domain has more than {MOST_VALUES} values")
            values = [values[0] + i for i in range(int(last - values[0]) + 1)]
        else:
            while self._maybe(","):
                values.append(self._constant())
        self._need("}")
        if len(set(values)) < len(values):
            refuse(line, "a value of the domain is listed twice")
        if len(values) > MOST_VALUES:
            refuse(line, f"the domain has more than {MOST_VALUES} values")
        return tuple(values)

    def _inputs(self) -> tuple[tuple[str, int | None], ...]:
        found = [self._declared()]
        while self._maybe(","):
            found.append(self._declared())
        return tuple(found)

    def _declared(self) -> tuple[str, int | None]:
        name = self._name()
        if not self._maybe("["):
            return name, None
        line, size = self._line, self._number()
        self._need("]")
        if size.denominator != 1 or not 1 <= size <= MOST_VARIABLES:
            refuse(line, f"the size of {name} is not a whole number from 1 to {MOST_VARIABLES}")
        return name, int(size)

    def _outputs(self) -> tuple[Output, ...]:
        found = [self._output()]
        while self._maybe(","):
            found.append(self._output())
        return tuple(found)

    def _output(self) -> Output:
        if not self._maybe("disc"):
            return Output(*self._declared(), None, None)
        line = self._line
        self._need("(")
        _, name, index = self._variable()
        self._need(",")
        steps = [self._constant()]
        self._need("<")
        steps.append(self._constant())
        while self._maybe("<"):
            steps.append(self._constant())
        self._need(")")
        if any(low >= high for low, high in pairwise(steps)):
            refuse(line, "the steps of disc do not increase")
        return Output(name, None, index, tuple(steps))

    def _adjacent(self) -> tuple[str | None, Fraction, tuple[tuple[Point, Point], ...]]:
        norm = self._maybe("linf", "l1", "l0")
        if norm:
            line, radius = self._line, self._constant()
            if radius <= 0:
                refuse(line, "the distance of adjacent inputs is not positive")
            return norm, radius, ()
        pairs = [self._pair()]
        while self._maybe(","):
            pairs.append(self._pair())
        return None, Fraction(0), tuple(pairs)

    def _pair(self) -> tuple[Point, Point]:
        left = self._point()
        self._need("~")
        return left, self._point()

    def _point(self) -> Point:
        self._need("(")
        found = [self._constant()]
        while self._maybe(","):
            found.append(self._constant())
        self._need(")")
        return tuple(found)

    def _claim(self) -> tuple[Expression, Expression | None]:
        factor, delta = self._expression(), None
        if self._maybe(","):
            self._need("delta")
            delta = self._expression()
        return factor, delta

    def _epsilon(self) -> None:
        """The interval that the file asks about; a certificate says itself which one it is about."""
        line = self._line
        self._need("in")
        left = self._need("(", "[")
        low = self._constant()
        self._need(",")
        high = None if self._maybe("inf") else self._constant()
        right = self._need(")", "]")
        if low < 0 or (left == "[" and low == 0) or (high is None and right == "]"):
            refuse(line, "the interval of epsilon has 0, a negative number or infinity in it")
        if high is not None and (high < low or (high == low and left + right != "[]")):
            refuse(line, "the interval of epsilon is empty")

    def _function(self, line: int) -> Function:
        name = self._name()
        self._need("(")
        parameters = [self._name()]
        while self._maybe(","):
            parameters.append(self._name())
        self._need(")")
        self._need("=")
        if not self._maybe("table"):
            return Function(name, tuple(parameters), self._expression(), (), line)
        self._need("{")
        rows = [self._row()]
        while self._maybe(","):
            rows.append(self._row())
        self._need("}")
        return Function(name, tuple(parameters), None, tuple(rows), line)

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
            refuse(line, "a denominator is zero")
        return sign * above / below

    # --- statements ---

    def _block(self) -> tuple[Statement, ...]:
        self._need("{")
        self._blocks += 1
        if self._blocks > MOST_BLOCKS:
            refuse(self._line, f"more than {MOST_BLOCKS} blocks within each other")
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
            return Statement("while", (self._expression(), self._block()), line)
        if keyword == "for":
            counter = self._name()
            self._need("in")
            first = self._expression()
            self._need("..")
            return Statement("for", (counter, first, self._expression(), self._block()), line)
        if keyword == "exit":
            self._need(";")
            return Statement("exit", (), line)
        variable = self._variable()
        if self._need(":=", "~") == ":=":
            found = Statement("assign", (variable, self._expression()), line)
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
        return Statement("if", (tuple(cases), otherwise), line)

    def _draw(self, variable: Expression, line: int) -> Statement:
        what = self._need("Lap", "DLap", "Exp", "choose")
        if what == "choose":
            self._need("{")
            chances = [self._chance()]
            while self._maybe(","):
                chances.append(self._chance())
            self._need("}")
            return Statement(what, (variable, tuple(chances)), line)
        self._need("(")
        scale = self._expression()
        self._need(",")
        if what != "Exp":
            found = Statement(what, (variable, scale, self._expression()), line)
        else:
            candidate = self._name()
            self._need("in")
            self._need("{")
            candidates = [self._expression()]
            while self._maybe(","):
                candidates.append(self._expression())
            self._need("}")
            self._need(":")
            score = self._expression()
            found = Statement(what, (variable, scale, candidate, tuple(candidates), score), line)
        self._need(")")
        return found

    def _chance(self) -> tuple[Expression, Expression]:
        value = self._expression()
        self._need(":")
        return value, self._expression()

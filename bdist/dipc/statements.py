"""Declarations and statements of ``.dip`` programs.

A block is read by a call of its own, so blocks are at most 30 deep; ``else if`` is not a block in a block, so
a long chain of them is none too many. What must hold beyond the grammar is the business of the model
(`bdist.dipc.declarations`, `program_expansion`, `program_kinds`), but for what would make reading
itself costly.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from bdist.dipc.constants import claimed_factor
from bdist.dipc.expressions import ExpressionReader
from bdist.dipc.program import (
    DEEPEST_BLOCK,
    MOST_ELEMENTS,
    MOST_VALUES,
    Adjacency,
    Assign,
    Choose,
    Claim,
    Declared,
    DiscreteLaplace,
    Discretised,
    Exit,
    ExponentialMechanism,
    Expression,
    For,
    Function,
    If,
    Interval,
    Laplace,
    ListedPairs,
    Norm,
    Output,
    Place,
    Point,
    Program,
    Statement,
    Variable,
    While,
    Within,
)
from bdist.dipc.tokens import Tokens

_DECLARATIONS = ("domain", "input", "output", "adjacent", "claim", "epsilon", "function")
_NEEDED = {
    "domain": "domain {0, 1}",
    "input": "input x",
    "output": "output y",
    "adjacent": "adjacent linf 1",
}
_STATEMENT = "a statement, which begins with a variable or with if, while, for or exit"
_NORMS = {norm.value: norm for norm in Norm}
_Item = TypeVar("_Item")


class ProgramReader(ExpressionReader):
    """One reading of a text."""

    def __init__(self, text: str, source: str | Path) -> None:
        super().__init__(Tokens(text, source))
        self._source = source
        self._seen: dict[str, Place] = {}
        self._domain: tuple[Fraction, ...] = ()
        self._inputs: tuple[Declared, ...] = ()
        self._outputs: tuple[Output, ...] = ()
        self._adjacency: Adjacency = ListedPairs(())
        self._claim = Claim()
        self._interval = Interval()
        self._functions: list[Function] = []
        self._blocks = 0

    def program(self) -> Program:
        """The whole text. Raises: FormatError; ProgramError where the claim is not t * eps."""
        tokens = self.tokens
        name = ""
        if tokens.takes("program"):
            name = tokens.name("the program's name")
            tokens.expect(";")
        while tokens.text in _DECLARATIONS:
            self._declaration()
        for needed, example in _NEEDED.items():
            if needed not in self._seen:
                tokens.fail(f"a declaration such as {example}", f"; there is no {needed} yet")
        body: list[Statement] = []
        while tokens.text:
            if tokens.text in _DECLARATIONS:
                tokens.refuse("declarations stand before all statements")
            body.append(self._statement())
        return Program(
            name=name,
            domain=self._domain,
            inputs=self._inputs,
            outputs=self._outputs,
            adjacency=self._adjacency,
            claim=self._claim,
            interval=self._interval,
            functions=tuple(self._functions),
            body=tuple(body),
            source=str(self._source),
        )

    def claim(self) -> Claim:
        """A text that is a claim alone, as it stands after ``claim``. Raises: as `program`."""
        return self._alone(self._claimed(self.tokens.place))

    def delta(self) -> Expression:
        """A text that is a delta alone. Raises: as `program`."""
        return self._alone(self.expression("a function of eps"))

    def interval(self) -> Interval:
        """A text that is an interval alone, as it stands after ``in``. Raises: as `program`."""
        return self._alone(self._span(self.tokens.place))

    def _alone(self, found: _Item) -> _Item:
        if self.tokens.text:
            self.tokens.fail("the end")
        return found

    # --- declarations ---

    def _declaration(self) -> None:
        tokens, place, word = self.tokens, self.tokens.place, self.tokens.text
        if word != "function":
            if word in self._seen:
                tokens.refuse(f"{word} is declared in line {self._seen[word].line} already")
            self._seen[word] = place
        tokens.step()
        if word == "domain":
            self._domain = self._values()
        elif word == "input":
            self._inputs = self._listed(self._declared)
            self._check_elements(self._inputs, place)
        elif word == "output":
            self._outputs = self._listed(self._output)
            self._check_elements(self._outputs, place)
        elif word == "adjacent":
            self._adjacency = self._adjacent(place)
        elif word == "claim":
            self._claim = self._claimed(place)
        elif word == "epsilon":
            self._interval = self._epsilon(place)
        else:
            self._functions.append(self._function(place))
        tokens.expect(";")

    def _values(self) -> tuple[Fraction, ...]:
        tokens = self.tokens
        tokens.expect("{")
        place = tokens.place
        first = tokens.constant()
        if tokens.takes(".."):
            last = tokens.constant()
            if last < first or (last - first).denominator != 1:
                tokens.refuse("the ends of a domain are a and a + n with a whole number n >= 0", place)
            if last - first >= MOST_VALUES:
                tokens.refuse(f"the domain has more than {MOST_VALUES} values", place)
            values = [first + number for number in range((last - first).numerator + 1)]
        else:
            values = [first]
            while tokens.takes(","):
                values.append(tokens.constant())
        tokens.expect("}", "',' or '}'" if len(values) > 1 else "',', '..' or '}'")
        if len(values) > MOST_VALUES:
            tokens.refuse(f"the domain has more than {MOST_VALUES} values", place)
        if len(set(values)) < len(values):
            tokens.refuse("a value stands twice in the domain", place)
        return tuple(values)

    def _listed(self, item: Callable[[], _Item], closing: str = "") -> tuple[_Item, ...]:
        items = [item()]
        while self.tokens.takes(","):
            items.append(item())
        if closing:
            self.tokens.expect(closing, f"',' or '{closing}'")
        return tuple(items)

    def _declared(self) -> Declared:
        tokens, place = self.tokens, self.tokens.place
        name, size = tokens.name("a variable"), None
        if tokens.takes("["):
            size = tokens.whole_number("the number of elements", MOST_ELEMENTS)
            tokens.expect("]")
        return Declared(name, size, place)

    def _output(self) -> Output:
        tokens, place = self.tokens, self.tokens.place
        if not tokens.takes("disc"):
            return self._declared()
        tokens.expect("(")
        variable = self.variable()
        tokens.expect(",")
        steps = [tokens.constant()]
        while tokens.takes("<"):
            steps.append(tokens.constant())
        tokens.expect(")", "'<' and a larger constant" if len(steps) == 1 else "'<' or ')'")
        if len(steps) == 1:
            tokens.refuse("disc needs two constants at least: disc(x, a < b)", place)
        return Discretised(variable, tuple(steps), place)

    def _check_elements(self, declared: tuple[Output, ...], place: Place) -> None:
        elements = sum(item.size or 1 if isinstance(item, Declared) else 1 for item in declared)
        if elements > MOST_ELEMENTS:
            message = f"there are {elements} variables here, element by element; at most {MOST_ELEMENTS}"
            self.tokens.refuse(message, place)

    def _adjacent(self, place: Place) -> Adjacency:
        tokens = self.tokens
        norm = _NORMS.get(tokens.text)
        if norm is not None:
            tokens.step()
            return Within(norm, tokens.constant(), place)
        if tokens.text != "(":
            tokens.fail("linf, l1 or l0 and a constant, or pairs such as (0, 0) ~ (0, 1)")
        return ListedPairs(self._listed(self._pair), place)

    def _pair(self) -> tuple[Point, Point]:
        one = self._point()
        self.tokens.expect("~")
        return one, self._point()

    def _point(self) -> Point:
        self.tokens.expect("(", "'(' and an input")
        return self._listed(self.tokens.constant, ")")

    def _claimed(self, place: Place) -> Claim:
        budget = self.expression("the budget, such as eps or 1/2*eps")
        factor = claimed_factor(budget, str(self._source))
        if not self.tokens.takes(","):
            return Claim(factor, place=place, source=str(self._source))
        self.tokens.expect("delta")
        return Claim(factor, self.expression("a function of eps"), place, str(self._source))

    def _epsilon(self, place: Place) -> Interval:
        self.tokens.expect("in")
        return self._span(place)

    def _span(self, place: Place) -> Interval:
        tokens = self.tokens
        has_low = tokens.text == "["
        if not has_low and tokens.text != "(":
            tokens.fail("an interval such as (0, inf) or [1/2, 1]")
        tokens.step()
        low = tokens.constant()
        tokens.expect(",")
        high = None if tokens.takes("inf") else tokens.constant("a constant or inf")
        has_high = tokens.text == "]"
        if not has_high and tokens.text != ")":
            tokens.fail("')' or ']'")
        tokens.step()
        return Interval(low, high, has_low, has_high, place)

    def _function(self, place: Place) -> Function:
        tokens = self.tokens
        name = tokens.name("the function's name")
        tokens.expect("(")
        parameters = self._listed(lambda: tokens.name("a parameter"), ")")
        tokens.expect("=")
        if not tokens.takes("table"):
            return Function(name, parameters, self.expression("an expression or a table"), (), place)
        tokens.expect("{")
        return Function(name, parameters, None, self._listed(self._row, "}"), place)

    def _row(self) -> tuple[Point, Fraction]:
        point = self._point() if self.tokens.text == "(" else (self.tokens.constant(),)
        self.tokens.expect(":")
        return point, self.tokens.constant()

    # --- statements ---

    def _block(self) -> tuple[Statement, ...]:
        tokens, place = self.tokens, self.tokens.place
        tokens.expect("{", "an operator or '{'")
        self._blocks += 1
        if self._blocks > DEEPEST_BLOCK:
            tokens.refuse(f"blocks are nested more than {DEEPEST_BLOCK} deep", place)
        statements = []
        while tokens.text != "}":
            if not tokens.text:
                tokens.fail(f"'}}' to close the block of line {place.line}, column {place.column}")
            statements.append(self._statement())
        tokens.step()
        self._blocks -= 1
        return tuple(statements)

    def _statement(self) -> Statement:
        tokens, place, word = self.tokens, self.tokens.place, self.tokens.text
        if word == "if":
            return self._if(place)
        if tokens.takes("while"):
            return While(self.expression("a condition"), self._block(), place)
        if tokens.takes("for"):
            counter = tokens.name("a counter")
            tokens.expect("in")
            first = self.expression("the first number")
            tokens.expect("..", "an operator or '..'")
            return For(counter, first, self.expression("the last number"), self._block(), place)
        if tokens.takes("exit"):
            tokens.expect(";")
            return Exit(place)
        if not tokens.is_name():
            tokens.fail(_STATEMENT)
        target = self.variable()
        statement = self._assignment(target, place)
        tokens.expect(";", "an operator or ';'" if isinstance(statement, Assign) else "';'")
        return statement

    def _if(self, place: Place) -> If:
        branches = []
        while True:
            self.tokens.expect("if")
            condition = self.expression("a condition")
            branches.append((condition, self._block()))
            if not self.tokens.takes("else"):
                return If(tuple(branches), (), place)
            if self.tokens.text != "if":
                return If(tuple(branches), self._block(), place)

    def _assignment(self, target: Variable, place: Place) -> Statement:
        tokens = self.tokens
        if tokens.takes(":="):
            return Assign(target, self.expression(), place)
        if not tokens.takes("~"):
            hint = "; an assignment is x := 1" if tokens.text == "=" else ""
            tokens.fail("':=' or '~'", hint)
        if tokens.takes("Lap"):
            return Laplace(target, *self._scale_and_mean(), place)
        if tokens.takes("DLap"):
            return DiscreteLaplace(target, *self._scale_and_mean(), place)
        if tokens.takes("Exp"):
            return self._exponential(target, place)
        if tokens.takes("choose"):
            tokens.expect("{")
            return Choose(target, self._listed(self._option, "}"), place)
        return tokens.fail("Lap, DLap, Exp or choose")

    def _scale_and_mean(self) -> tuple[Expression, Expression]:
        tokens = self.tokens
        tokens.expect("(")
        scale = self.expression("the scale, such as 1/2*eps")
        tokens.expect(",", "an operator or ','")
        mean = self.expression("the mean")
        tokens.expect(")", "an operator or ')'")
        return scale, mean

    def _exponential(self, target: Variable, place: Place) -> ExponentialMechanism:
        tokens = self.tokens
        tokens.expect("(")
        scale = self.expression("the scale, such as 1/2*eps")
        tokens.expect(",", "an operator or ','")
        candidate = tokens.name("a name for the candidate")
        tokens.expect("in")
        tokens.expect("{")
        candidates = self._listed(lambda: self.expression("a candidate"), "}")
        tokens.expect(":", "':' and the score")
        score = self.expression("the score")
        tokens.expect(")", "an operator or ')'")
        return ExponentialMechanism(target, scale, candidate, candidates, score, place)

    def _option(self) -> tuple[Expression, Expression]:
        value = self.expression("a value")
        self.tokens.expect(":", "an operator, or ':' and the weight")
        return value, self.expression("a weight")

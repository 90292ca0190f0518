"""Expressions of ``.dip`` programs, read without recursion but for parentheses.

From loose to tight: ``or``, ``and``, ``not``, comparisons (which do not chain), ``+ -``, ``* /``, the sign.
What stands between two parentheses is a flat sequence of operands and operators, grouped as it is read with
two stacks, so Python's stack has three frames for a parenthesis, of which there are at most 100 open. Sums
and products group to the left, so a long one is a deep tree, and whatever walks a program walks trees: the
height is counted while they grow, and at most 100.
"""

from __future__ import annotations

from bdist.dipc.program import (
    BUILT_IN,
    COMPARISONS,
    DEEPEST_EXPRESSION,
    Binary,
    Call,
    Epsilon,
    Expression,
    Number,
    Place,
    Truth,
    Unary,
    Variable,
)
from bdist.dipc.tokens import Tokens

OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, ATOM = range(8)
LEVELS = {
    "or": OR,
    "and": AND,
    **dict.fromkeys(COMPARISONS, COMPARISON),
    **dict.fromkeys(("+", "-"), SUM),
    **dict.fromkeys(("*", "/"), PRODUCT),
}
_CALLED = (*BUILT_IN, "exp")

_Placed = tuple[Expression, int]  # with its height
_Pending = tuple[str, int, Place]  # an operator, its level, and where it stands


class ExpressionReader:
    """Reads expressions from tokens."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._open = 0

    def expression(self, what: str = "an expression") -> Expression:
        """A whole expression. Raises: FormatError where there is none."""
        return self._sequence(what)[0]

    def variable(self, what: str = "a variable") -> Variable:
        """A variable, perhaps with an index. Raises: FormatError where there is none."""
        place = self.tokens.place
        return self._indexed(self.tokens.name(what), place)[0]

    def _sequence(self, what: str) -> _Placed:
        """Operands with operators between them, up to what is neither."""
        tokens = self.tokens
        operands: list[_Placed] = []
        pending: list[_Pending] = []
        while True:
            while tokens.text == "not":
                if pending and pending[-1][1] > NOT:
                    tokens.fail("a number or a variable", "; write (not ...)")
                pending.append(("not", NOT, tokens.place))
                self._check_height(len(pending))
                tokens.step()
            operands.append(self._signed(what if not pending else "an expression"))
            operator, place = tokens.text, tokens.place
            level = LEVELS.get(operator)
            if level is None:
                break
            while pending and pending[-1][1] >= level:
                if level == COMPARISON and pending[-1][1] == COMPARISON:
                    tokens.refuse("comparisons do not chain; write a < b and b < c")
                self._reduce(operands, pending)
            pending.append((operator, level, place))
            tokens.step()
        while pending:
            self._reduce(operands, pending)
        return operands[0]

    def _reduce(self, operands: list[_Placed], pending: list[_Pending]) -> None:
        """Apply the last operator that is pending to the last operands."""
        operator, _, place = pending.pop()
        right, height = operands.pop()
        if operator == "not":
            operands.append((Unary("not", right, place), self._check_height(height + 1)))
            return
        left, left_height = operands.pop()
        height = self._check_height(max(height, left_height) + 1)
        operands.append((Binary(operator, left, right, place), height))

    def _signed(self, what: str) -> _Placed:
        signs = []
        while self.tokens.text == "-":
            signs.append(self.tokens.place)
            self._check_height(len(signs))
            self.tokens.step()
        inner, height = self._atom(what)
        for place in reversed(signs):
            inner, height = Unary("-", inner, place), self._check_height(height + 1)
        return inner, height

    def _atom(self, what: str) -> _Placed:
        tokens, place, text = self.tokens, self.tokens.place, self.tokens.text
        if tokens.is_number():
            return Number(tokens.number(what), place), 1
        if text in ("true", "false"):
            tokens.step()
            return Truth(text == "true", place), 1
        if tokens.takes("eps"):
            return Epsilon(place), 1
        if tokens.takes("("):
            self._enter(place)
            found = self._sequence("an expression")
            self._leave(")", place, "an operator or ')'")
            return found
        if text in _CALLED:
            tokens.step()
            tokens.expect("(")
            return self._call(text, place)
        if not tokens.is_name():
            tokens.fail(what)
        tokens.step()
        if tokens.takes("("):
            return self._call(text, place)
        return self._indexed(text, place)

    def _call(self, function: str, place: Place) -> tuple[Call, int]:
        """The rest of a call."""
        self._enter(place)
        arguments = [self._sequence("an argument")]
        while self.tokens.takes(","):
            arguments.append(self._sequence("an argument"))
        self._leave(")", place, "an operator, ',' or ')'")
        height = self._check_height(1 + max(height for _, height in arguments))
        return Call(function, tuple(argument for argument, _ in arguments), place), height

    def _indexed(self, name: str, place: Place) -> tuple[Variable, int]:
        """The rest of a variable."""
        if not self.tokens.takes("["):
            return Variable(name, None, place), 1
        self._enter(place)
        index, height = self._sequence("an index")
        self._leave("]", place, "an operator or ']'")
        return Variable(name, index, place), self._check_height(height + 1)

    def _enter(self, place: Place) -> None:
        self._open += 1
        if self._open > DEEPEST_EXPRESSION:
            self.tokens.refuse(f"more than {DEEPEST_EXPRESSION} parentheses are open here", place)

    def _leave(self, closing: str, place: Place, expected: str) -> None:
        if self.tokens.text != closing:
            where = f"line {place.line}, column {place.column}"
            self.tokens.fail(f"{expected} to close what begins in {where}")
        self.tokens.step()
        self._open -= 1

    def _check_height(self, height: int) -> int:
        if height > DEEPEST_EXPRESSION:
            self.tokens.refuse(f"the expression is nested more than {DEEPEST_EXPRESSION} deep")
        return height

"""The tokens of a ``.dip`` file, and the expressions that they make: SPEC-DIPC section 1.

An expression is a nested tuple in the form of the arrays of the canonical form: ``("+", left, right)``,
``("number", 1/2)``, ``("truth", True)``. A variable is ``("var", name, index)``, with an expression or None
for the index, until ``program_expansion.py`` makes a name of both.

A stranger's text may nest what a stack does not hold, so brackets, blocks, signs and operators within each
other are counted, and refused beyond limits.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, NoReturn

from ..core.chain import BadModel, shown
from ..core.digits import BadNumber, read_number

MOST_BRACKETS = 100  # of expressions, open in one place
HIGHEST = 100  # operators, calls and indices within each other, and the innermost part
DIGITS = 1_000  # of a number
RESERVED = frozenset(
    [
        *[
            "program",
            "domain",
            "input",
            "output",
            "adjacent",
            "claim",
            "epsilon",
            "delta",
            "function",
            "table",
        ],
        *[
            "if",
            "else",
            "while",
            "for",
            "in",
            "exit",
            "true",
            "false",
            "and",
            "or",
            "not",
            "eps",
            "exp",
            "abs",
        ],
        *["min", "max", "disc", "Lap", "DLap", "Exp", "choose", "linf", "l1", "l0", "inf"],
    ]
)
BUILT_IN = ("abs", "min", "max", "exp")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")

Expression = tuple[Any, ...]

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


def refuse(line: int, message: str) -> NoReturn:
    """Refuse the file."""
    raise BadModel(f"line {line}: {message}")


class ExpressionReader:
    """The tokens, and how many of them are behind."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str, int]] = []
        place, line = 0, 1
        while True:
            match = _TOKEN.match(text, place)
            if match is None:
                blank = _BLANK.match(text, place)
                start = place if blank is None else blank.end()
                line += text.count("\n", place, start)
                refuse(line, f"no token begins at {shown(text[start : start + 20])}")
            line += text.count("\n", place, match.end())
            kind = str(match.lastgroup)
            self._tokens.append((kind, match[kind], line))
            place = match.end()
            if kind == "end":
                break
        self._at = 0
        self._brackets = 0  # of expressions that are open
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
            refuse(line, f"a number has more than {DIGITS} digits")
        try:
            return read_number(text)
        except BadNumber as problem:
            refuse(line, f"{shown(text[:20])} {problem}")

    def _fail(self, expected: str) -> NoReturn:
        kind, text, line = self._tokens[self._at]
        found = (
            "the end of the file" if kind == "end" else shown(text if len(text) <= 40 else text[:37] + "...")
        )
        refuse(line, f"expected {expected}; found {found}")

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
                refuse(line, f"more than {HIGHEST} operators, calls and indices within each other")
            waiting += [(part, height + 1) for part in found if isinstance(part, tuple)]

    def _nested(self) -> Expression:
        """An expression within brackets."""
        self._brackets += 1
        if self._brackets > MOST_BRACKETS:
            refuse(self._line, f"more than {MOST_BRACKETS} brackets are open")
        found = self._binary(1)
        self._brackets -= 1
        return found

    def _sign(self) -> None:
        self._at += 1
        self._signs += 1
        if self._signs > HIGHEST:
            refuse(self._line, f"more than {HIGHEST} operators, calls and indices within each other")

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
        found = ("neg", self._signed())
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
        if self._maybe("("):
            found = self._nested()
            self._need(")")
            return found
        called = text in BUILT_IN or (kind == "name" and self._tokens[self._at + 1][1] == "(")
        if called and (text in BUILT_IN or text not in RESERVED):
            self._at += 1
            self._need("(")
            arguments = [self._nested()]
            while self._maybe(","):
                arguments.append(self._nested())
            self._need(")")
            return ("call", text, *arguments)
        if kind != "name" or text in RESERVED:
            self._fail("an expression")
        return self._variable()

    def _variable(self) -> Expression:
        name = self._name()
        if not self._maybe("["):
            return "var", name, None
        line, index = self._line, self._nested()
        self._check_height(("var", name, index), line)
        self._need("]")
        return "var", name, index

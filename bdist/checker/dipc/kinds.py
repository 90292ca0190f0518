"""Kinds, and variables that are assigned before they are used: the rules of SPEC-DIPC section 1 on a program.

A variable is finite, Boolean, real or integer, everywhere. A text that breaks a rule is refused, whether or
not a run would come by: what is certified is certified of programs that have a meaning. Expressions with
``eps`` are of two more kinds: linear in it, as a scale has to be, or a weight.

One walk through the text does both. It carries the variables that are assigned on every way that leads here;
behind an ``exit`` no way leads on, and everything counts as assigned.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING

from .expressions import COMPARISONS, Expression, refuse
from .text import Function, Statement

if TYPE_CHECKING:
    from .expansion import Program

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
                refuse(line, "eps stands outside of scales, weights, the claim and delta")
            return LINEAR
        if tag == "var":
            kind = variables(expression[1])
            if kind is None:
                refuse(line, f"{expression[1]} is used, and not on every way is it assigned before")
            return kind
        if tag == "call":
            return self._call(expression, variables, line, with_eps)
        plain = with_eps and tag in ("neg", "+", "-", "*", "/")
        kinds = [self.of(part, variables, line, plain) for part in expression[1:]]
        found = self._unary(tag, kinds[0]) if len(kinds) == 1 else self._binary(tag, kinds[0], kinds[1])
        if found is None:
            refuse(line, f"there is no {tag} of {' and '.join(kinds)}")
        return found

    def _call(self, expression: Expression, variables: Lookup, line: int, with_eps: bool) -> str:
        _, name, *arguments = expression
        if name == "exp":
            if not with_eps:
                refuse(line, "exp stands outside of weights and delta")
            if self.of(arguments[0], variables, line, with_eps=True) != LINEAR:
                refuse(line, "the exponent of exp is not a multiple of eps")
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
            refuse(line, f"{what} is {found}, and should be {kind}")

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
                    refuse(1, "the claim is not a function of eps")
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
                refuse(line, f"the output {name} is not assigned on every way to this end")
            kind = self.variables[name]
            if kind == BOOLEAN if steps is not None else kind in _FREE:
                refuse(line, f"the output {name} is {kind}")

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
            refuse(line, f"{parts[0]} is {kind}, and gets a value in a while loop")
        before = self.variables.setdefault(parts[0], kind)
        if before != kind:
            refuse(line, f"{parts[0]} is {kind} here and {before} elsewhere")
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
                    refuse(line, "a weight is not a function of eps")
            return self._common([value for value, _ in parts[1]], known, line)
        if self.of(parts[1], known, line, True) != LINEAR:
            refuse(line, "a scale is not linear in eps")
        if what == "Exp":
            candidate, candidates, score = str(parts[2]), parts[3], parts[4]
            kind = self._common(list(candidates), known, line)
            self._expect(
                FINITE, score, lambda name: kind if name == candidate else known(name), line, "a score"
            )
            return kind
        found = REAL if what == "Lap" else INTEGER
        if self.of(parts[2], known, line) not in (FINITE, found):
            refuse(line, f"the mean of {what} is not finite or {found}")
        return found

    def _common(self, expressions: list[Expression], known: Lookup, line: int) -> str:
        kinds = {self.of(expression, known, line) for expression in expressions}
        if kinds not in ({FINITE}, {BOOLEAN}):
            refuse(line, "candidates and values are all finite, or all Boolean")
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

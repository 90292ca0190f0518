"""The kinds of a program's variables, and the rules that make its privacy decidable.

One walk along the text finds the kinds and the variables that certainly have a value, and checks every rule
of SPEC-DIPC, section 1. One walk is enough, because a variable that has a value whenever it is used was
assigned further up in the text: going round a ``while`` again needs nothing that coming to it for the first
time did not need. The walk does not look at values; a branch that is never taken is held to the rules, too.

``_assigned`` is the set of variables that have a value on every way to where the walk is; behind an ``exit``,
where no way leads, ``_reached`` is false. A branch adds to that one set, and what it added is taken back, as
a program may have a hundred thousand variables and as many branches, and copies of the set would be slow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from bdist.dipc.declarations import check_declarations
from bdist.dipc.expression_kinds import BOOLEAN, FINITE, INTEGER, RANDOM, REAL, Scope, noun_of, signatures_of
from bdist.dipc.program import (
    Assign,
    Choose,
    Declared,
    DiscreteLaplace,
    Discretised,
    Exit,
    ExponentialMechanism,
    For,
    If,
    Kind,
    Laplace,
    Place,
    Program,
    Statement,
    Variable,
    While,
    error_at,
)
from bdist.errors import ProgramError

_OUTSIDE = "such programs are outside of the decidable class (DiPWhile, section 6)"


def kinds_of(program: Program) -> Mapping[str, Kind]:
    """The kind of every variable, inputs first.

    Requires: an expanded program (`program_expansion`).
    Ensures: the program follows all rules of SPEC-DIPC, section 1, that do not depend on values.
    Raises: ProgramError with the place and the rule.
    """
    check_declarations(program)
    walk = _Walk(program)
    walk.check()
    return MappingProxyType(walk.kinds)


class _Walk:
    """What is known where the walk is."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions = signatures_of(program.functions, program.source)
        self.kinds: dict[str, Kind] = {}
        self._first: dict[str, Place] = {}  # where a variable got its kind
        for declared in program.inputs:
            if declared.size is not None:
                raise self._error(f"'{declared.name}' is an array; expand the program first", declared.place)
            self.kinds[declared.name] = FINITE
            self._first[declared.name] = declared.place
        self._outputs = [
            output.name if isinstance(output, Declared) else output.variable.name
            for output in program.outputs
        ]
        self._shown = frozenset(self._outputs)
        self._missing = set(self._shown - self.kinds.keys())
        self._assigned = set(self.kinds)
        self._added: list[str] = []  # to that, in this order
        self._reached = True
        self._loops = 0

    def check(self) -> None:
        claim = self._program.claim
        delta = Scope({}, None, self._functions, claim.source or self._program.source, of="delta")
        delta.require_weight(claim.delta, "delta")
        self._walk(self._program.body)
        body = self._program.body
        last = body[-1].place if body else self._program.outputs[0].place
        self._check_end("the end of the program", last)
        self._check_outputs()

    def _walk(self, body: Iterable[Statement]) -> None:
        for statement in body:
            self._step(statement)

    def _step(self, statement: Statement) -> None:
        scope = self._scope()
        match statement:
            case Assign(target, value):
                self._assign(target, scope.kind(value), "assigned")
            case Laplace(target, scale, mean):
                scope.require_scale(scale)
                if scope.kind(mean) not in (FINITE, REAL):
                    raise scope.error("the mean of Lap is finite or real", mean)
                self._assign(target, REAL, "drawn")
            case DiscreteLaplace(target, scale, mean):
                scope.require_scale(scale)
                if scope.kind(mean) not in (FINITE, INTEGER):
                    raise scope.error("the mean of DLap is finite or an integer", mean)
                self._assign(target, INTEGER, "drawn")
            case ExponentialMechanism():
                self._exponential(statement, scope)
            case Choose(target, options):
                kind = scope.require_common(tuple(value for value, _ in options), "a value of choose")
                for _, weight in options:
                    scope.require_weight(weight, "a weight")
                self._assign(target, kind, "drawn")
            case If():
                self._if(statement)
            case While(condition, body):
                scope.require(condition, BOOLEAN, "the condition of while")
                self._loops += 1
                self._branch(body)
                self._loops -= 1
            case Exit(place):
                self._check_end("this exit", place)
                self._reached = False
            case For(place=place):
                raise self._error("here is a for; expand the program first", place)

    def _scope(self) -> Scope:
        known = self._assigned if self._reached else None
        return Scope(self.kinds, known, self._functions, self._program.source)

    def _if(self, statement: If) -> None:
        ends = []
        for condition, body in statement.branches:
            self._scope().require(condition, BOOLEAN, "the condition of if")
            ends.append(self._branch(body))
        ends.append(self._branch(statement.otherwise))
        reached = [added for added in ends if added is not None]
        if reached:
            for name in set.intersection(*reached):
                self._give_value(name)
        else:
            self._reached = False

    def _branch(self, body: Iterable[Statement]) -> set[str] | None:
        """Walk along a block and come back: the variables that it gives a value, None if it does not end."""
        before, was_reached = len(self._added), self._reached
        self._walk(body)
        added = set(self._added[before:])
        del self._added[before:]
        self._assigned -= added
        self._missing |= added & self._shown
        ends, self._reached = self._reached, was_reached
        return added if ends else None

    def _give_value(self, name: str) -> None:
        if name not in self._assigned:
            self._assigned.add(name)
            self._added.append(name)
            self._missing.discard(name)

    def _exponential(self, statement: ExponentialMechanism, scope: Scope) -> None:
        scope.require_scale(statement.scale)
        kind = scope.require_common(statement.candidates, "a candidate")
        inner = replace(scope, candidate=(statement.candidate, kind))
        inner.require(statement.score, FINITE, "the score")
        self._assign(statement.target, kind, "drawn")

    def _assign(self, target: Variable, kind: Kind, how: str) -> None:
        name, place = target.name, target.place
        if target.index is not None:
            raise self._error(f"'{name}' has an index; expand the program first", place)
        if self._loops and kind in RANDOM:
            word = "a real" if kind is REAL else "an integer"
            message = f"{word} variable is {how} inside of while: '{name}'; {_OUTSIDE}"
            raise self._error(message, place)
        known = self.kinds.setdefault(name, kind)
        first = self._first.setdefault(name, place)
        if known is not kind:
            where = f" (line {first.line}, column {first.column})" if first.line else ""
            message = f"'{name}' is {noun_of(kind)} here and {noun_of(known)} before{where}"
            raise self._error(f"{message}; a variable has one kind", place)
        self._give_value(name)

    def _check_end(self, what: str, place: Place) -> None:
        if self._reached and self._missing:
            name = next(name for name in self._outputs if name in self._missing)
            raise self._error(f"output '{name}' is not assigned on every way to {what}", place)

    def _check_outputs(self) -> None:
        for name, output in zip(self._outputs, self._program.outputs, strict=True):
            kind = self.kinds.get(name)
            if kind is None:
                raise self._error(f"output '{name}' is never assigned", output.place)
            if isinstance(output, Discretised) and kind is BOOLEAN:
                raise self._error(f"disc is of a number, and '{name}' is a Boolean", output.place)
            if isinstance(output, Declared) and kind in RANDOM:
                hint = f"write disc({name}, ...), or assign a finite value"
                raise self._error(f"output '{name}' is {noun_of(kind)}; {hint}", output.place)

    def _error(self, message: str, place: Place) -> ProgramError:
        return error_at(message, place, self._program.source)

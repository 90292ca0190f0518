"""A program as a list of steps with jumps, and which variables still matter before each.

Statements nest; runs do not. So the body is laid out once as steps: do something and go on, decide and go to
one of two places, or stop. Before each step only those variables are kept that some later step reads: runs
that differ in nothing else are then one state, without which a loop with a scratch variable would have many
times the states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bdist.dipc.program import (
    Assign,
    Binary,
    Call,
    Choose,
    Declared,
    DiscreteLaplace,
    Exit,
    ExponentialMechanism,
    Expression,
    For,
    If,
    Laplace,
    Output,
    Program,
    Statement,
    Unary,
    Variable,
    While,
)

Simple = Assign | Laplace | DiscreteLaplace | ExponentialMechanism | Choose

STOP = 0  # the step at which a run ends


@dataclass
class Do:
    """A statement, and the step after it."""

    statement: Simple
    after: int


@dataclass
class Decide:
    """A condition, and the steps where it is true and where it is false. ``loops``: that of a ``while``."""

    condition: Expression
    yes: int
    no: int
    loops: bool


@dataclass(frozen=True)
class Flow:
    """The steps; number 0 is the end. ``live`` has the variables that matter before each."""

    steps: tuple[Do | Decide | None, ...]
    start: int
    live: tuple[frozenset[str], ...]


def flow_of(program: Program) -> Flow:
    """The steps of an expanded program."""
    steps: list[Do | Decide | None] = [None]
    start = _lay_out(program.body, STOP, steps)
    shown = frozenset(_shown(output) for output in program.outputs)
    return Flow(tuple(steps), start, _live(steps, shown))


def _shown(output: Output) -> str:
    return output.name if isinstance(output, Declared) else output.variable.name


def _lay_out(body: Sequence[Statement], after: int, steps: list[Do | Decide | None]) -> int:
    """Where a sequence of statements begins, if it goes on at ``after``; the last one is laid out first."""
    for statement in reversed(body):
        if isinstance(statement, Exit):
            after = STOP
        elif isinstance(statement, If):
            no = _lay_out(statement.otherwise, after, steps)
            for condition, block in reversed(statement.branches):
                yes = _lay_out(block, after, steps)
                steps.append(Decide(condition, yes, no, loops=False))
                no = len(steps) - 1
            after = no
        elif isinstance(statement, While):
            head = Decide(statement.condition, STOP, after, loops=True)
            steps.append(head)
            place = len(steps) - 1
            head.yes = _lay_out(statement.body, place, steps)
            after = place
        elif isinstance(statement, For):
            raise TypeError("loops with a counter are unrolled before")
        else:
            steps.append(Do(statement, after))
            after = len(steps) - 1
    return after


def _live(steps: Sequence[Do | Decide | None], shown: frozenset[str]) -> tuple[frozenset[str], ...]:
    """The least solution of: what a step reads, and what later steps do unless it is assigned here."""
    live = [frozenset[str]() for _ in steps]
    live[STOP] = shown
    changed = True
    while changed:
        changed = False
        for number, step in enumerate(steps):
            if step is None:
                continue
            if isinstance(step, Do):
                found = (live[step.after] - {step.statement.target.name}) | frozenset(_reads(step.statement))
            else:
                found = live[step.yes] | live[step.no] | frozenset(names_in(step.condition))
            if found != live[number]:
                live[number], changed = found, True
    return tuple(live)


def _reads(statement: Simple) -> Iterator[str]:
    if isinstance(statement, Assign):
        yield from names_in(statement.value)
    elif isinstance(statement, Laplace | DiscreteLaplace):
        yield from names_in(statement.scale)
        yield from names_in(statement.mean)
    elif isinstance(statement, ExponentialMechanism):
        yield from names_in(statement.scale)
        for candidate in statement.candidates:
            yield from names_in(candidate)
        yield from (name for name in names_in(statement.score) if name != statement.candidate)
    else:
        for value, weight in statement.options:
            yield from names_in(value)
            yield from names_in(weight)


def names_in(expression: Expression) -> Iterator[str]:
    """The variables of an expression."""
    if isinstance(expression, Variable):
        yield expression.name
    elif isinstance(expression, Unary):
        yield from names_in(expression.inner)
    elif isinstance(expression, Binary):
        yield from names_in(expression.left)
        yield from names_in(expression.right)
    elif isinstance(expression, Call):
        for argument in expression.arguments:
            yield from names_in(argument)

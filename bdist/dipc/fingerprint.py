"""What a certificate means by "this program": SHA-256 of the canonical form in SPEC-DIPC, section 1.

As for chains (`fingerprint`), a certificate is bound to a text that the checker builds from the file itself:

    ["dip",DOMAIN,INPUTS,OUTPUTS,ADJACENT,FUNCTIONS,BODY]

after expansion. The name of the program, its claim, the interval of epsilon, layout and comments do not
count; the order of statements, the form of expressions and the names of variables do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from fractions import Fraction

from bdist.dipc.expansion import expanded
from bdist.dipc.program import (
    Adjacency,
    Assign,
    Binary,
    Call,
    Choose,
    Declared,
    DiscreteLaplace,
    Epsilon,
    ExponentialMechanism,
    Expression,
    Function,
    If,
    Laplace,
    Number,
    Output,
    Point,
    Program,
    Statement,
    Truth,
    Unary,
    Variable,
    While,
    Within,
)
from bdist.exact.reading import rational_text

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)

_Json = str | bool | list["_Json"]


def canonical_form(program: Program) -> str:
    """The canonical text. Raises: ProgramError where the program cannot be expanded."""
    whole = expanded(program)
    return _ENCODER.encode(
        [
            "dip",
            _rationals(sorted(whole.domain)),
            [declared.name for declared in whole.inputs],
            [_output(output) for output in whole.outputs],
            _adjacency(whole.adjacency),
            [_function(function) for function in whole.functions],
            _block(whole.body),
        ]
    )


def fingerprint(program: Program) -> str:
    """SHA-256 of the canonical form, in hexadecimal. Raises: ProgramError as `canonical_form`."""
    return hashlib.sha256(canonical_form(program).encode("utf-8")).hexdigest()


def _rationals(values: Iterable[Fraction]) -> _Json:
    return [rational_text(value) for value in values]


def _output(output: Output) -> _Json:
    if isinstance(output, Declared):
        return output.name
    return ["disc", output.variable.name, _rationals(output.steps)]


def _adjacency(adjacency: Adjacency) -> _Json:
    if isinstance(adjacency, Within):
        return [adjacency.norm.value, rational_text(adjacency.distance)]
    return ["pairs", [[_rationals(one), _rationals(other)] for one, other in adjacency.pairs]]


def _function(function: Function) -> _Json:
    parameters: _Json = [*function.parameters]
    if function.body is not None:
        return [function.name, parameters, _expression(function.body)]
    return [function.name, parameters, ["table", [_row(*row) for row in function.table]]]


def _row(arguments: Point, value: Fraction) -> _Json:
    return [_rationals(arguments), rational_text(value)]


def _block(body: Iterable[Statement]) -> _Json:
    return [_statement(statement) for statement in body]


def _statement(statement: Statement) -> _Json:
    match statement:
        case Assign(target, value):
            return ["assign", target.name, _expression(value)]
        case Laplace(target, scale, mean):
            return ["Lap", target.name, _expression(scale), _expression(mean)]
        case DiscreteLaplace(target, scale, mean):
            return ["DLap", target.name, _expression(scale), _expression(mean)]
        case ExponentialMechanism(target, scale, candidate, candidates, score):
            values: _Json = [_expression(value) for value in candidates]
            return ["Exp", target.name, _expression(scale), candidate, values, _expression(score)]
        case Choose(target, options):
            return ["choose", target.name, [[_expression(v), _expression(w)] for v, w in options]]
        case If(branches, otherwise):
            return ["if", [[_expression(c), _block(body)] for c, body in branches], _block(otherwise)]
        case While(condition, body):
            return ["while", _expression(condition), _block(body)]
    return ["exit"]


def _expression(expression: Expression) -> _Json:
    match expression:
        case Number(value):
            return [rational_text(value)]
        case Truth(value):
            return [value]
        case Epsilon():
            return ["eps"]
        case Variable(name):
            return ["var", name]
        case Unary(operator, inner):
            return ["neg" if operator == "-" else operator, _expression(inner)]
        case Binary(operator, left, right):
            return [operator, _expression(left), _expression(right)]
        case Call(function, arguments):
            return ["call", function, *map(_expression, arguments)]

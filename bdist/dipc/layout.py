"""Programs as ``.dip`` text: one layout, and as few parentheses as the grammar allows.

A number in an expression is written as the grammar reads one, without a sign and with a decimal point where
it is not whole, because ``-1`` and ``1/2`` are an operator and its operands there, and numbers in
declarations. So what was read is written to a text that reads back to an equal program. An expanded program
cannot be: its variable ``q[1]`` is a name, and the text of it an element of an array.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from bdist.dipc.expressions import ATOM, COMPARISON, LEVELS, NOT, PRODUCT, SIGN
from bdist.dipc.program import (
    Adjacency,
    Assign,
    Binary,
    Call,
    Choose,
    Claim,
    Declared,
    DiscreteLaplace,
    Epsilon,
    ExponentialMechanism,
    Expression,
    For,
    Function,
    If,
    Interval,
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

_WIDTH = 100


def text_of(program: Program) -> str:
    """The program as text. Requires: it is not expanded. Ensures: reading it gives an equal program."""
    lines = [f"program {program.name};"] if program.name else []
    lines += _wrapped("domain {", map(rational_text, program.domain), "};")
    lines += _wrapped("input ", map(_output_text, program.inputs), ";")
    lines += _wrapped("output ", map(_output_text, program.outputs), ";")
    lines += _adjacency_lines(program.adjacency)
    lines.append(_claim_text(program.claim))
    lines.append(_interval_text(program.interval))
    for function in program.functions:
        lines += _function_lines(function)
    if program.body:
        lines += ["", *_block_lines(program.body, "")]
    return "\n".join(lines) + "\n"


def expression_text(expression: Expression) -> str:
    """An expression as text."""
    return _placed(expression)[0]


def _wrapped(head: str, parts: Iterable[str], tail: str, indent: str = "") -> list[str]:
    """Parts with commas between them, on lines of a width that can be read; the rest are indented."""
    lines = [indent + head]
    listed = list(parts)
    for number, part in enumerate(listed):
        ending = tail if number == len(listed) - 1 else ","
        if number and len(lines[-1]) + 1 + len(part) + len(ending) > _WIDTH:
            lines.append(f"{indent}    {part}{ending}")
        else:
            lines[-1] += (" " if number else "") + part + ending
    return lines


# --- declarations ---


def _output_text(output: Output) -> str:
    if isinstance(output, Declared):
        return output.name if output.size is None else f"{output.name}[{output.size}]"
    steps = " < ".join(map(rational_text, output.steps))
    return f"disc({expression_text(output.variable)}, {steps})"


def _adjacency_lines(adjacency: Adjacency) -> list[str]:
    if isinstance(adjacency, Within):
        return [f"adjacent {adjacency.norm.value} {rational_text(adjacency.distance)};"]
    return _wrapped("adjacent ", (f"{_point(one)} ~ {_point(other)}" for one, other in adjacency.pairs), ";")


def _claim_text(claim: Claim) -> str:
    factor = "eps" if claim.factor == 1 else f"{rational_text(claim.factor)}*eps"
    if claim.delta == Number(Fraction(0)):
        return f"claim {factor};"
    return f"claim {factor}, delta {expression_text(claim.delta)};"


def _interval_text(interval: Interval) -> str:
    left, right = "[" if interval.has_low else "(", "]" if interval.has_high else ")"
    high = "inf" if interval.high is None else rational_text(interval.high)
    return f"epsilon in {left}{rational_text(interval.low)}, {high}{right};"


def _function_lines(function: Function) -> list[str]:
    head = f"function {function.name}({', '.join(function.parameters)}) = "
    if function.body is not None:
        return [f"{head}{expression_text(function.body)};"]
    rows = (f"{_arguments(point)}: {rational_text(value)}" for point, value in function.table)
    return _wrapped(f"{head}table {{", rows, "};")


def _arguments(point: Point) -> str:
    return rational_text(point[0]) if len(point) == 1 else _point(point)


def _point(point: Point) -> str:
    return f"({', '.join(map(rational_text, point))})"


# --- statements ---


def _block_lines(body: Iterable[Statement], indent: str) -> Iterator[str]:
    for statement in body:
        yield from _statement_lines(statement, indent)


def _statement_lines(statement: Statement, indent: str) -> Iterator[str]:
    inner = indent + "  "
    match statement:
        case Assign(target, value):
            yield f"{indent}{expression_text(target)} := {expression_text(value)};"
        case Laplace(target, scale, mean):
            yield f"{indent}{expression_text(target)} ~ Lap({_listed((scale, mean))});"
        case DiscreteLaplace(target, scale, mean):
            yield f"{indent}{expression_text(target)} ~ DLap({_listed((scale, mean))});"
        case ExponentialMechanism(target, scale, candidate, candidates, score):
            head = f"{expression_text(target)} ~ Exp({expression_text(scale)}, {candidate} in {{"
            tail = f"}}: {expression_text(score)});"
            yield from _wrapped(head, map(expression_text, candidates), tail, indent)
        case Choose(target, options):
            pairs = (f"{expression_text(value)}: {expression_text(weight)}" for value, weight in options)
            yield from _wrapped(f"{expression_text(target)} ~ choose {{", pairs, "};", indent)
        case If(branches, otherwise):
            head = indent
            for condition, body in branches:
                yield f"{head}if {expression_text(condition)} {{"
                yield from _block_lines(body, inner)
                head = indent + "} else "
            if otherwise:
                yield f"{indent}}} else {{"
                yield from _block_lines(otherwise, inner)
            yield indent + "}"
        case While(condition, body):
            yield f"{indent}while {expression_text(condition)} {{"
            yield from _block_lines(body, inner)
            yield indent + "}"
        case For(counter, first, last, body):
            yield f"{indent}for {counter} in {expression_text(first)}..{expression_text(last)} {{"
            yield from _block_lines(body, inner)
            yield indent + "}"
        case _:
            yield f"{indent}exit;"


# --- expressions ---


def _placed(expression: Expression) -> tuple[str, int]:
    """The text, and how tightly its outermost operator binds."""
    match expression:
        case Number(value):
            return _number(value)
        case Truth(value):
            return ("true" if value else "false"), ATOM
        case Epsilon():
            return "eps", ATOM
        case Variable(name, index):
            return (name if index is None else f"{name}[{expression_text(index)}]"), ATOM
        case Call(function, arguments):
            return f"{function}({_listed(arguments)})", ATOM
        case Unary("not", inner):
            return f"not {_within(inner, NOT)}", NOT
        case Unary(_, inner):
            return f"-{_within(inner, SIGN)}", SIGN
        case Binary(operator, left, right):
            level = LEVELS[operator]
            blank = "" if level == PRODUCT else " "
            first = _within(left, level + 1 if level == COMPARISON else level)
            return f"{first}{blank}{operator}{blank}{_within(right, level + 1)}", level


def _within(expression: Expression, level: int) -> str:
    """The text, in parentheses if it binds less tightly than its place demands."""
    text, own = _placed(expression)
    return text if own >= level else f"({text})"


def _listed(expressions: Iterable[Expression]) -> str:
    return ", ".join(map(expression_text, expressions))


def _number(value: Fraction) -> tuple[str, int]:
    """Digits, with a decimal point if need be; else a quotient, which no text is read to."""
    if value < 0:
        return f"-{_number(-value)[0]}", PRODUCT if value.denominator > 1 else SIGN
    places = _places(value.denominator)
    if places is None:
        return rational_text(value), PRODUCT
    if places == 0:
        return rational_text(value), ATOM
    digits = rational_text(value * 10**places).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}", ATOM


def _places(denominator: int) -> int | None:
    """How many decimal places a denominator takes, None where no number of them will do."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None

"""Probabilistic programs with finite inputs and outputs (DiPWhile), parametrised by epsilon.

The language is that of Barthe, Chadha, Jagannath, Sistla and Viswanathan (Deciding differential privacy for
programs with finite inputs and outputs, LICS 2020, Fig. 1), with arrays and bounded ``for`` loops on top,
which `expansion` unrolls. A program reads finite inputs, draws noise whose scale is a multiple of
epsilon, compares, and writes finite outputs; ``adjacent`` says which inputs are neighbours and ``claim``
what is asked: P(in, S) <= e^(t epsilon) P(in', S) + delta(epsilon) for all adjacent inputs, all sets S of
outputs and all epsilon of an interval.

Variables have one of four kinds (`Kind`), found by `rules` from how they are used:

* FINITE: rational numbers, of which a run meets finitely many; the inputs are among them;
* BOOLEAN: true and false;
* REAL: a Laplace sample, or a linear expression of reals with finite coefficients;
* INTEGER: a discrete Laplace sample, or a linear expression of integers with integer coefficients.

Reals and integers occur in linear expressions and comparisons only, are not mixed, and are neither drawn nor
assigned inside ``while``: that is what makes the question decidable (their section 6).

This module is data: what a program consists of, as it was written. Positions are carried along for messages
and do not count when programs are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from bdist.errors import ProgramError
from bdist.exact.rationals import counted
from bdist.report import OneLine, titled


class Kind(Enum):
    """What a variable holds."""

    FINITE = "finite"
    BOOLEAN = "Boolean"
    REAL = "real"
    INTEGER = "integer"


@dataclass(frozen=True)
class Place:
    """Where something was written, counted from 1."""

    line: int
    column: int


NOWHERE = Place(0, 0)


@dataclass(frozen=True)
class Placed:
    """A part of a program, with the place where it was written."""

    place: Place = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    def parts(self) -> list[object]:
        """What it is made of, in the order in which it was written."""
        names: tuple[str, ...] = self.__match_args__
        return [getattr(self, name) for name in names]


# --- expressions ---


@dataclass(frozen=True)
class Number(Placed):
    """A rational constant."""

    value: Fraction


@dataclass(frozen=True)
class Truth(Placed):
    """``true`` or ``false``."""

    value: bool


@dataclass(frozen=True)
class Epsilon(Placed):
    """``eps``, the parameter; only in scales, weights, and the claim."""


@dataclass(frozen=True)
class Variable(Placed):
    """A variable, or with an ``index`` an element of an array. After expansion there are no indices."""

    name: str
    index: Expression | None = None


@dataclass(frozen=True)
class Unary(Placed):
    """``-`` or ``not`` of an expression."""

    operator: str
    inner: Expression


@dataclass(frozen=True)
class Binary(Placed):
    """``+ - * /``, ``< <= > >= == !=``, ``and``, ``or`` of two expressions."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Call(Placed):
    """A function of the program, or ``abs``, ``min``, ``max`` of finite values, or ``exp`` in weights."""

    function: str
    arguments: tuple[Expression, ...]


Point = tuple[Fraction, ...]  # an input: a value for each input variable
Expression = Number | Truth | Epsilon | Variable | Unary | Binary | Call


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The operands or arguments; of what has none, and of a variable, nothing."""
    if isinstance(expression, Binary):
        return expression.left, expression.right
    if isinstance(expression, Unary):
        return (expression.inner,)
    return expression.arguments if isinstance(expression, Call) else ()


def variables_in(expression: Expression) -> Iterator[str]:
    """The names of the variables in an expression, but those in indices."""
    if isinstance(expression, Variable):
        yield expression.name
    for part in operands(expression):
        yield from variables_in(part)


def has_epsilon(expression: Expression) -> bool:
    """Whether ``eps`` or ``exp`` occurs in an expression."""
    is_exp = isinstance(expression, Call) and expression.function == "exp"
    return is_exp or isinstance(expression, Epsilon) or any(map(has_epsilon, operands(expression)))


COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
ARITHMETIC = ("+", "-", "*", "/")
CONNECTIVES = ("and", "or")
BUILT_IN = ("abs", "min", "max")

MOST_VALUES = 10_000  # of a domain
MOST_ELEMENTS = 10_000  # of all arrays of inputs or of outputs
DEEPEST_EXPRESSION = 100  # operators, calls and indices within each other
DEEPEST_BLOCK = 30  # blocks within each other; Python's stack is enough for all that walks programs


# --- statements ---


@dataclass(frozen=True)
class Assign(Placed):
    """``target := value``."""

    target: Variable
    value: Expression


@dataclass(frozen=True)
class Noise(Placed):
    """A sample with this scale, a multiple of eps, around this mean."""

    target: Variable
    scale: Expression
    mean: Expression


class Laplace(Noise):
    """``target ~ Lap(scale, mean)``: density (s/2) e^(-s|x - mean|) with s = scale."""


class DiscreteLaplace(Noise):
    """``target ~ DLap(scale, mean)``: on the integers, in proportion to e^(-s|i - mean|)."""


@dataclass(frozen=True)
class ExponentialMechanism(Placed):
    """``target ~ Exp(scale, v in {...}: score)``: a candidate v in proportion to e^(s score(v))."""

    target: Variable
    scale: Expression
    candidate: str
    candidates: tuple[Expression, ...]
    score: Expression


@dataclass(frozen=True)
class Choose(Placed):
    """``target ~ choose {value: weight, ...}``: a value in proportion to its weight, a function of eps."""

    target: Variable
    options: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True)
class If(Placed):
    """``if c {...} else if c {...} else {...}``."""

    branches: tuple[tuple[Expression, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class While(Placed):
    """``while c {...}``."""

    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class For(Placed):
    """``for i in first..last {...}``, both ends included; unrolled, so the ends are constants."""

    counter: str
    first: Expression
    last: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Exit(Placed):
    """``exit``: the run ends here."""


Statement = Assign | Laplace | DiscreteLaplace | ExponentialMechanism | Choose | If | While | For | Exit


def statements_in(body: Iterable[Statement]) -> Iterator[Statement]:
    """All statements, those of inner blocks too, in the order of the text."""
    for statement in body:
        yield statement
        if isinstance(statement, While | For):
            yield from statements_in(statement.body)
        elif isinstance(statement, If):
            for block in (*(block for _, block in statement.branches), statement.otherwise):
                yield from statements_in(block)


# --- the program ---


@dataclass(frozen=True)
class Declared(Placed):
    """A name after ``input`` or ``output``; with a ``size`` it is an array with elements 1 to size."""

    name: str
    size: int | None = None


@dataclass(frozen=True)
class Discretised(Placed):
    """``disc(variable, a0 < a1 < ... < an)``: the output is the a_i that stands for where the value lies.

    That is a0 up to a0, a_i above a_(i-1) and up to a_i for 0 < i < n, and an above a_(n-1) (their section
    7.1). A violation carries over to the program that shows the value itself; privacy does not.
    """

    variable: Variable
    steps: tuple[Fraction, ...]


Output = Declared | Discretised


def variable_of(output: Output) -> str:
    """The variable that an output shows."""
    return output.name if isinstance(output, Declared) else output.variable.name


@dataclass(frozen=True)
class Function(Placed):
    """A function on finite values: an expression of its parameters, or a table from arguments to values."""

    name: str
    parameters: tuple[str, ...]
    body: Expression | None
    table: tuple[tuple[tuple[Fraction, ...], Fraction], ...] = ()


class Norm(Enum):
    """How far inputs may be apart to be adjacent: in each entry, in the sum, or in how many entries."""

    LINF = "linf"
    L1 = "l1"
    L0 = "l0"


@dataclass(frozen=True)
class Within(Placed):
    """``adjacent linf 1``: different inputs at most so far apart."""

    norm: Norm
    distance: Fraction


@dataclass(frozen=True)
class ListedPairs(Placed):
    """``adjacent (0, 0) ~ (0, 1), ...``: these pairs, in both directions."""

    pairs: tuple[tuple[tuple[Fraction, ...], tuple[Fraction, ...]], ...]


Adjacency = Within | ListedPairs


@dataclass(frozen=True)
class Interval(Placed):
    """The values of epsilon that are asked about: 0 <= low, high is None for infinity."""

    low: Fraction = Fraction(0)
    high: Fraction | None = None
    has_low: bool = False
    has_high: bool = False


@dataclass(frozen=True)
class Claim(Placed):
    """(t eps, delta)-differential privacy; delta is an expression of eps.

    ``source`` is where it was read, for messages: the file of the program, or what was asked in its place.
    """

    factor: Fraction = Fraction(1)
    delta: Expression = field(default_factory=lambda: Number(Fraction(0)))
    source: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, repr=False)
class Program(OneLine):
    """A program and the question that it comes with; ``source`` is the file, for messages."""

    name: str
    domain: tuple[Fraction, ...]
    inputs: tuple[Declared, ...]
    outputs: tuple[Output, ...]
    adjacency: Adjacency
    claim: Claim
    interval: Interval
    functions: tuple[Function, ...]
    body: tuple[Statement, ...]
    source: str = field(default="", compare=False, repr=False)

    @property
    def input_names(self) -> tuple[str, ...]:
        """The input variables, arrays element by element."""
        return tuple(name for declared in self.inputs for name in elements_of(declared))

    def _essence(self) -> str:
        sizes = (counted(len(self.inputs), "input"), counted(len(self.body), "statement"))
        return titled(self.name, *sizes)


Exact = int | Fraction  # a Fraction only where it is not whole: these are keys, and integers are fast ones


def tidy(value: Exact) -> Exact:
    """An integer where the value is one."""
    return value.numerator if value.denominator == 1 else value


def built_in(function: str, values: Sequence[Exact]) -> Exact:
    """The value of ``abs``, ``min`` or ``max``."""
    if function == "abs":
        return max(values[0], -values[0])
    found: Exact = min(values) if function == "min" else max(values)
    return found


def error_at(message: str, place: Place, source: str = "") -> ProgramError:
    """The error of a program, with the place where it stands."""
    return ProgramError(message, source=source, line=place.line, column=place.column)


def elements_of(declared: Declared) -> tuple[str, ...]:
    """The variables that a declaration makes: the name, or ``name[1]``, ``name[2]``, ..."""
    if declared.size is None:
        return (declared.name,)
    return tuple(element_name(declared.name, k) for k in range(1, declared.size + 1))


def element_name(array: str, index: int) -> str:
    """The variable that is an element of an array."""
    return f"{array}[{index}]"

"""The certificate of a program: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC.md section 2. What the parts mean is the business of the proofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from ..core import reading
from ..core.digits import brief
from ..core.limits import Work
from .exponentials import Exponential

FORMAT = "bdist-dipc-certificate"
HOLDS, VIOLATED = "holds", "violated"

Point = tuple[Fraction, ...]
Output = tuple[Fraction | str, ...]  # "true" and "false" are strings here: in Python True is 1
Form = tuple[Fraction, frozenset[tuple[int, Fraction, Fraction]]]  # a constant; draws, their scales, factors
State = tuple[int, tuple[Fraction | str | Form, ...], frozenset[Form]]  # a while, values, what is < 0 (≤ 0)
Row = tuple[Point, tuple[tuple[Output, int], ...], dict[State, int]]  # outputs and states, with indices


class Interval(NamedTuple):
    """The ε that a certificate is about; ``high`` is None for ∞."""

    low: Fraction
    high: Fraction | None
    has_low: bool
    has_high: bool

    @property
    def point(self) -> Fraction | None:
        """The only ε, if there is one only."""
        return self.low if self.low == self.high else None

    def holds(self, value: Fraction) -> bool:
        """Whether an ε belongs to it."""
        above = value > self.low or (value == self.low and self.has_low)
        return above and (self.high is None or value < self.high or (value == self.high and self.has_high))

    def __str__(self) -> str:
        high = "inf" if self.high is None else brief(self.high)
        return f"{'[' if self.has_low else '('}{brief(self.low)}, {high}{']' if self.has_high else ')'}"


@dataclass(frozen=True)
class Proof:
    """One of the four kinds; ``points`` are those of a cover, ``factors`` those of a product."""

    kind: str
    points: tuple[Fraction, ...] = ()
    factors: tuple[tuple[Exponential, int, Proof | None], ...] = ()


class Counterexample(NamedTuple):
    """Two inputs, a set of outputs, and an ε."""

    input: Point
    neighbour: Point
    outputs: tuple[Output, ...]
    epsilon: Fraction


@dataclass(frozen=True)
class ProgramCertificate:
    """All that a certificate says."""

    program: str
    factor: Fraction
    delta: Exponential
    interval: Interval
    holds: bool
    kept: tuple[tuple[str, ...], ...]  # the variables that are kept at each while, Exp and choose
    probabilities: tuple[tuple[Exponential, Exponential], ...]
    table: tuple[Row, ...]
    inequalities: tuple[tuple[Exponential, Proof], ...]
    counterexample: Counterexample | None


def read_program_certificate(text: str, work: Work) -> ProgramCertificate:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    return reading.read_text(text, _certificate, work)


def _certificate(value: object) -> ProgramCertificate:
    form, version, *parts = reading.members(value, ("format", "version", *_READERS))
    reading.check_format(FORMAT, form, version)
    found: dict[str, Any] = {}
    for (name, read), part in zip(_READERS.items(), parts, strict=True):
        found[name] = reading.at(f".{name}", read, part)
    holds = found.pop("answer") == HOLDS
    if holds != (found["counterexample"] is None):
        wanted = "null, as the answer is holds" if holds else "an array of 4"
        reading.at(".counterexample", lambda part: reading.fail(wanted, part), parts[-1])
    return ProgramCertificate(holds=holds, **found)


_rationals = reading.list_of(reading.rational)


def _interval(value: object) -> Interval:
    low, high, has_low, has_high = reading.array(value, 4)
    return Interval(
        reading.at("[0]", reading.rational, low),
        reading.at("[1]", reading.nullable(reading.rational), high),
        reading.at("[2]", reading.boolean, has_low),
        reading.at("[3]", reading.boolean, has_high),
    )


def _function(value: object) -> Exponential:
    before: Fraction | None = None
    found: dict[tuple[Fraction, int], Fraction] = {}

    def part(item: object) -> None:
        nonlocal before
        exponent, coefficients = reading.array(item, 2)
        k = reading.at("[0]", reading.rational, exponent)
        if before is not None and k <= before:
            reading.refuse("the exponents do not increase")
        before = k
        row = reading.at("[1]", _rationals, coefficients)
        if not row or not row[-1]:
            reading.refuse("the last coefficient is 0, or there is none")
        found.update({(k, j): c for j, c in enumerate(row) if c})

    reading.each(value, part)
    return Exponential.of(found)


def _output_value(value: object) -> Fraction | str:
    return str(value).lower() if isinstance(value, bool) else reading.rational(value)


_output = reading.list_of(_output_value)
_outputs = reading.list_of(reading.pair_of(_output, reading.index_of_part))


_terms = reading.list_of(reading.triple_of(reading.index_of_part, reading.rational, reading.rational))


def _form(value: object) -> Form:
    constant, terms = reading.pair_of(reading.rational, _terms)(value)
    return constant, frozenset(terms)


def _value(value: object) -> Fraction | str | Form:
    return _form(value) if isinstance(value, list) else _output_value(value)


_states = reading.triple_of(reading.index_of_part, reading.list_of(_value), reading.list_of(_form))


def _state(value: object) -> State:
    number, values, forms = _states(value)
    return number, values, frozenset(forms)


_table_row = reading.triple_of(
    _rationals, _outputs, reading.table_of(reading.pair_of(_state, reading.index_of_part))
)


def _proof(value: object) -> Proof:
    if not reading.array(value):
        reading.fail('a proof such as ["chain"]', value)
    kind, *parts = reading.array(value)
    kind = reading.at("[0]", reading.one_of("chain", "cover", "point", "factors"), kind)
    reading.array(value, 1 if kind in ("chain", "point") else 2)
    if kind == "cover":
        return Proof(kind, points=reading.at("[1]", _points, parts[0]))
    if kind == "factors":
        return Proof(kind, factors=reading.at("[1]", reading.list_of(_factor), parts[0]))
    return Proof(kind)


def _points(value: object) -> tuple[Fraction, ...]:
    found = reading.each(value, reading.rational)
    if not found:
        reading.fail("an array of one or more rationals", value)
    if any(low >= high for low, high in pairwise(found)):
        reading.refuse("the points do not increase")
    return found


def _factor(value: object) -> tuple[Exponential, int, Proof | None]:
    function, power, proof = reading.array(value, 3)
    m = reading.at("[1]", reading.index_of_part, power)
    if m < 1:
        reading.at("[1]", lambda part: reading.fail("an integer of at least 1", part), power)
    return reading.at("[0]", _function, function), m, reading.at("[2]", reading.nullable(_proof), proof)


def _counterexample(value: object) -> Counterexample:
    point, neighbour, outputs, epsilon = reading.array(value, 4)
    return Counterexample(
        reading.at("[0]", _rationals, point),
        reading.at("[1]", _rationals, neighbour),
        reading.at("[2]", reading.list_of(_output), outputs),
        reading.at("[3]", reading.rational, epsilon),
    )


_READERS: dict[str, reading.Reader[Any]] = {
    "program": lambda value: reading.fingerprint(value).lower(),
    "factor": reading.rational,
    "delta": _function,
    "interval": _interval,
    "answer": reading.one_of(HOLDS, VIOLATED),
    "kept": reading.list_of(reading.list_of(reading.named("the name of a variable"))),
    "probabilities": reading.list_of(reading.pair_of(_function, _function)),
    "table": reading.list_of(_table_row),
    "inequalities": reading.list_of(reading.pair_of(_function, _proof)),
    "counterexample": reading.nullable(_counterexample),
}

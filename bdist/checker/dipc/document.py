"""The certificate of a program: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC.md section 2. What the parts mean is the business of the proofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, NamedTuple

from ..core import Malformed, reading
from ..core.limits import Work
from ..core.numbers import brief
from ..core.reading import (
    Fingerprint,
    Index,
    Version,
    form,
    list_of,
    one_of,
    rational,
    refuse,
    row_of,
    tuple_of,
)
from .exponentials import Exponential

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


def _output_value(value: object) -> Fraction | str:
    return str(value).lower() if isinstance(value, bool) else rational(value)


def _form(value: object) -> Form:
    constant, terms = _sum(value)
    return constant, frozenset(terms)


def _value(value: object) -> Fraction | str | Form:
    return _form(value) if isinstance(value, list) else _output_value(value)


def _state(value: object) -> State:
    number, values, forms = _parts(value)
    return number, values, frozenset(forms)


def _function(value: object) -> Exponential:
    terms = _terms(value)
    for place, (k, row) in enumerate(terms):
        if place and k <= terms[place - 1][0]:
            refuse("the exponents do not increase")
        if not row or not row[-1]:
            refuse("the last coefficient is 0, or there is none")
    return Exponential.of({(k, j): c for k, row in terms for j, c in enumerate(row) if c})


def _proof(value: object) -> Proof:
    kind, *parts = reading.array(value) or reading.fail('a proof such as ["chain"]', value)
    kind = reading.at("[0]", one_of("chain", "cover", "point", "factors"), kind)
    reading.array(value, 1 if kind in ("chain", "point") else 2)
    if kind == "cover":
        return Proof(kind, points=reading.at("[1]", _points, parts[0]))
    return Proof(kind, factors=reading.at("[1]", list_of(_factor), parts[0])) if parts else Proof(kind)


def _points(value: object) -> tuple[Fraction, ...]:
    found = list_of(rational, 1)(value)
    if any(low >= high for low, high in pairwise(found)):
        refuse("the points do not increase")
    return found


_sum = form(tuple[Fraction, tuple[tuple[Index, Fraction, Fraction], ...]])
_terms = form(tuple[tuple[Fraction, tuple[Fraction, ...]], ...])
_power = reading.whole_number("an integer of at least 1", 1, reading.MOST_INDEX - 1)
_factor = tuple_of(_function, _power, reading.nullable(_proof))
_parts = tuple_of(reading.index_of_part, list_of(_value), list_of(_form))
_output = list_of(_output_value)


class Counterexample(NamedTuple):
    """Two inputs, a set of outputs, and an ε."""

    input: Point
    neighbour: Point
    outputs: tuple[Annotated[Output, _output], ...]
    epsilon: Fraction


class ProgramCertificate(NamedTuple):
    """All that a certificate says."""

    format: Annotated[str, one_of("bdist-dipc-certificate")]
    version: Version
    program: Fingerprint
    factor: Fraction
    delta: Annotated[Exponential, _function]
    interval: Annotated[Interval, row_of(Interval)]
    answer: Annotated[str, one_of(HOLDS, VIOLATED)]
    kept: tuple[tuple[str, ...], ...]  # the variables that are kept at each while, Exp and choose
    probabilities: tuple[tuple[Annotated[Exponential, _function], Annotated[Exponential, _function]], ...]
    table: tuple[
        tuple[
            Point,
            tuple[tuple[Annotated[Output, _output], Index], ...],
            dict[Annotated[State, _state], Index],
        ],
        ...,
    ]
    inequalities: tuple[tuple[Annotated[Exponential, _function], Annotated[Proof, _proof]], ...]
    counterexample: Annotated[Counterexample, row_of(Counterexample)] | None

    @property
    def holds(self) -> bool:
        """Whether it is about privacy, and not about a counterexample."""
        return self.answer == HOLDS


_document = form(ProgramCertificate)


def read_program_certificate(text: str, work: Work) -> ProgramCertificate:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    found: ProgramCertificate = reading.read_text(text, _document, work)
    if found.holds != (found.counterexample is None):
        raise Malformed(f"counterexample: expected {'null' if found.holds else 'an array of 4'}")
    return found

"""The certificate document: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC section 2 and nothing of what the numbers mean. It is strict on purpose: a
member that is ignored here may be a member that a reader of the certificate relies on. A state of a record is
its position in ``states``; whether there is such a position is left to the step `pairs`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import repeat
from typing import Annotated, NamedTuple

from ..core import Malformed
from ..core.limits import Work
from ..core.reading import (
    Fingerprint,
    Some,
    Version,
    form,
    integers,
    one_of,
    read_text,
    refuse_repeated,
    table_of_members,
    whole_number,
)

MOST_WORDS = 64

Pair = tuple[int, int]


def _weights(value: object) -> list[int]:
    flat = integers(value, 3)
    refuse_repeated([*zip(flat[::3], flat[1::3], strict=True)], 3)
    return flat


def _vector(value: object) -> list[int]:
    flat = integers(value, 2)
    refuse_repeated(flat[::2], 2)
    return flat


def _values(value: object) -> dict[int, int]:
    flat = _vector(value)
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _numbers(value: object) -> list[tuple[int, int, int]]:
    flat = integers(value, 3, least=1)
    return [*zip(flat[::3], flat[1::3], flat[2::3], strict=True)]


def _escaping(value: object) -> list[tuple[int, int, int]]:
    flat = integers(value, 2, least=1)
    return [*zip(flat[::2], flat[1::2], repeat(0), strict=False)]


def _different_states(value: object) -> tuple[str, ...]:
    states: tuple[str, ...] = form(tuple[str, ...])(value)
    refuse_repeated(states)
    return states


_length = whole_number(f"an integer between 0 and {MOST_WORDS}", 0, MOST_WORDS)
Positive = Annotated[int, whole_number("an integer of at least 1", 1)]
Coupling = tuple[
    Annotated[list[int], _weights], Annotated[list[int], _vector]
]  # w and b, as they are written
Values = Annotated[dict[int, int], _values]
Rest = Annotated[dict[str, int], table_of_members(whole_number("an integer"))]
Classes = tuple[Annotated[tuple[str, ...], 2], ...]


class Claim(NamedTuple):
    """The statement lower ≤ quantity(pair) ≤ upper."""

    pair: tuple[str, str]
    lower: Fraction
    upper: Fraction


class UpperRecord(NamedTuple):
    """A value that bd_α or ld_α does not exceed at a pair, and why; backward for bd only."""

    pair: Pair
    over: Positive
    value: int
    forward: Coupling
    backward: Coupling | None = None


class Function(NamedTuple):
    """A function on the states: named values, else those by label, else 0.

    With each pair goes the number that its distance reaches.
    """

    over: Positive
    f: Values
    rest: Rest
    pairs: Annotated[list[tuple[int, int, int]], _numbers]


class Escape(NamedTuple):
    """A function of some rank with its pairs, which have 0 for a number."""

    rank: Positive
    over: Positive
    f: Values
    rest: Rest
    pairs: Annotated[list[tuple[int, int, int]], _escaping]


class Stage(NamedTuple):
    """Functions that may lean on each other's numbers, with escapes against circular proofs if they do."""

    functions: Some[Function]
    escapes: tuple[Escape, ...]


class Certificate(NamedTuple):
    """The document, with every value of its type."""

    format: Annotated[str, one_of("bdist-certificate")]
    version: Version
    quantity: Annotated[str, one_of("bd", "ld")]
    model: Fingerprint
    alpha: Fraction
    claims: Some[Claim]
    states: Annotated[tuple[str, ...], _different_states]
    upper: tuple[UpperRecord, ...]
    lower: tuple[Stage, ...]
    words: Annotated[int, _length] = 0
    partition: Classes | None = None
    clock: Some[str] = ()
    merged: Classes = ()


_document = form(Certificate)


def read_certificate(text: str, work: Work) -> Certificate:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    certificate: Certificate = read_text(text, _document, work)
    for number, upper in enumerate(certificate.upper):
        if (upper.backward is None) == (certificate.quantity == "bd"):
            raise Malformed(f"upper[{number}]: the member backward is for the quantity bd, and for that only")
    return certificate

"""The certificate document: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC section 2 and nothing of what the numbers mean. It is strict on purpose: a
member that is ignored here may be a member that a reader of the certificate relies on.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ..core.limits import Work
from ..core.reading import (
    ABSENT,
    array,
    at,
    check_format,
    each,
    fail,
    fingerprint,
    label,
    list_of,
    members,
    one_of,
    pair_of,
    rational,
    read_text,
    some,
    state,
    table_of,
    whole_number,
)

Pair = tuple[str, str]

MOST_WORDS = 64


@dataclass(frozen=True)
class Claim:
    """The statement lower ≤ quantity(pair) ≤ upper."""

    pair: Pair
    lower: Fraction
    upper: Fraction


@dataclass(frozen=True)
class Coupling:
    """The multipliers w(i, j) and b(i); what is not listed is 0."""

    w: dict[Pair, Fraction]
    b: dict[str, Fraction]


@dataclass(frozen=True)
class UpperRecord:
    """A value that bd_α or ld_α does not exceed at a pair, with a coupling for each direction that counts."""

    pair: Pair
    value: Fraction
    forward: Coupling
    backward: Coupling | None  # there if and only if the quantity is bd


@dataclass(frozen=True)
class Potential:
    """A function on the states: its values where it names them, elsewhere a value by label, and else 0."""

    named: dict[str, Fraction]
    rest: dict[str, Fraction]


@dataclass(frozen=True)
class LowerRecord:
    """A value that bd_α or ld_α reaches at a pair: potentials f, g, and a rank against circular proofs."""

    pair: Pair
    value: Fraction
    direction: str
    f: Potential
    g: Potential
    rank: int


@dataclass(frozen=True)
class Certificate:
    """The document, with every value of its type."""

    quantity: str
    model: str
    alpha: Fraction
    words: int  # 0 where the document does not say
    partition: tuple[tuple[str, ...], ...] | None
    clock: tuple[str, ...]  # empty where the document does not say
    claims: tuple[Claim, ...]
    upper: tuple[UpperRecord, ...]
    lower: tuple[LowerRecord, ...]


def read_certificate(text: str, work: Work) -> Certificate:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    return read_text(text, _certificate, work)


_pair = pair_of(state, state)
_state_table = table_of(pair_of(state, rational))
_label_table = table_of(pair_of(label, rational))
_rank = whole_number("an integer of at least 1", 1)
_word_length = whole_number(f"an integer between 0 and {MOST_WORDS}", 0, MOST_WORDS)


def _certificate(value: object) -> Certificate:
    names = ("format", "version", "quantity", "model", "alpha", "claims", "upper", "lower")
    found = members(value, names, optional=("partition", "clock", "words"))
    form, version, named, model, alpha, claims, upper, lower, partition, clock, words = found
    check_format("bdist-certificate", form, version)
    quantity = at(".quantity", one_of("bd", "ld"), named)
    return Certificate(
        quantity=quantity,
        model=at(".model", fingerprint, model),
        alpha=at(".alpha", rational, alpha),
        words=0 if words is ABSENT else at(".words", _word_length, words),
        partition=None if partition is ABSENT else at(".partition", list_of(_class), partition),
        clock=() if clock is ABSENT else at(".clock", some(label), clock),
        claims=at(".claims", some(_claim), claims),
        upper=at(".upper", list_of(partial(_upper_record, quantity)), upper),
        lower=at(".lower", list_of(partial(_lower_record, quantity)), lower),
    )


def _class(value: object) -> tuple[str, ...]:
    states = each(value, state)
    if len(states) < 2:
        fail("an array of two or more states", value)
    return states


def _claim(value: object) -> Claim:
    pair, lower, upper = members(value, ("pair", "lower", "upper"))
    return Claim(at(".pair", _pair, pair), at(".lower", rational, lower), at(".upper", rational, upper))


def _upper_record(quantity: str, value: object) -> UpperRecord:
    directions = ("forward", "backward") if quantity == "bd" else ("forward",)
    pair, number, *couplings = members(value, ("pair", "value", *directions))
    return UpperRecord(
        pair=at(".pair", _pair, pair),
        value=at(".value", rational, number),
        forward=at(".forward", _coupling, couplings[0]),
        backward=at(".backward", _coupling, couplings[1]) if quantity == "bd" else None,
    )


def _coupling(value: object) -> Coupling:
    w, b = members(value, ("w", "b"))
    return Coupling(at(".w", _pair_table, w), at(".b", _state_table, b))


def _lower_record(quantity: str, value: object) -> LowerRecord:
    names = ("pair", "value", "direction", "f", "g", "rank")
    pair, number, direction, f, g, rank, f_rest, g_rest = members(value, names, ("f_rest", "g_rest"))
    directions = ("forward", "backward") if quantity == "bd" else ("forward",)
    return LowerRecord(
        rank=at(".rank", _rank, rank),
        pair=at(".pair", _pair, pair),
        value=at(".value", rational, number),
        direction=at(".direction", one_of(*directions), direction),
        f=Potential(at(".f", _state_table, f), at(".f_rest", _rest, f_rest)),
        g=Potential(at(".g", _state_table, g), at(".g_rest", _rest, g_rest)),
    )


def _rest(value: object) -> dict[str, Fraction]:
    return {} if value is ABSENT else _label_table(value)


def _pair_entry(value: object) -> tuple[Pair, Fraction]:
    i, j, amount = array(value, 3)
    return (at("[0]", state, i), at("[1]", state, j)), at("[2]", rational, amount)


_pair_table = table_of(_pair_entry)

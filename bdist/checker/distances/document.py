"""The certificate document: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC section 2 and nothing of what the numbers mean. It is strict on purpose: a
member that is ignored here may be a member that a reader of the certificate relies on. A state of a record is
its position in ``states``; whether there is such a position is left to the step `pairs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from ..core.limits import Work
from ..core.reading import (
    ABSENT,
    array,
    at,
    check_format,
    each,
    fail,
    fingerprint,
    integers,
    label,
    list_of,
    members,
    one_of,
    pair_of,
    rational,
    read_text,
    refuse_repeated,
    some,
    state,
    table_of_members,
    whole_number,
)

MOST_WORDS = 64

Names = tuple[str, str]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Claim:
    """The statement lower ≤ quantity(pair) ≤ upper."""

    pair: Names
    lower: Fraction
    upper: Fraction


class Coupling(NamedTuple):
    """The multipliers w(i, j) and b(i), flat as they are written; what is not listed is 0."""

    w: list[int]
    b: list[int]


class UpperRecord(NamedTuple):
    """A value that bd_α or ld_α does not exceed at a pair, and why: forward and, for bd, backward."""

    pair: Pair
    over: int
    value: int
    couplings: tuple[Coupling, ...]


class Function(NamedTuple):
    """A function on the states: named values, else those by label, else 0; and the pairs that it is for."""

    over: int
    named: dict[int, int]
    rest: dict[str, int]
    pairs: list[Pair]
    numbers: list[int]  # that the distances of the pairs reach; none in an escape
    rank: int  # of an escape; 0 in any other function


class Stage(NamedTuple):
    """Functions that may lean on each other's numbers, with escapes against circular proofs if they do."""

    functions: tuple[Function, ...]
    escapes: tuple[Function, ...]


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
    states: tuple[str, ...]
    upper: tuple[UpperRecord, ...]
    lower: tuple[Stage, ...]


def read_certificate(text: str, work: Work) -> Certificate:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    return read_text(text, _certificate, work)


def _certificate(value: object) -> Certificate:
    names = ("format", "version", "quantity", "model", "alpha", "claims", "states", "upper", "lower")
    found = members(value, names, optional=("partition", "clock", "words"))
    form, version, named, model, alpha, claims, states, upper, lower, partition, clock, words = found
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
        states=at(".states", _different_states, states),
        upper=at(".upper", list_of(partial(_upper_record, quantity)), upper),
        lower=at(".lower", list_of(_stage), lower),
    )


_names = pair_of(state, state)
_word_length = whole_number(f"an integer between 0 and {MOST_WORDS}", 0, MOST_WORDS)
_positive = whole_number("an integer of at least 1", 1)
_integer = whole_number("an integer")
_by_label = table_of_members(_integer)


def _class(value: object) -> tuple[str, ...]:
    states = each(value, state)
    if len(states) < 2:
        fail("an array of two or more states", value)
    return states


def _claim(value: object) -> Claim:
    pair, lower, upper = members(value, ("pair", "lower", "upper"))
    return Claim(at(".pair", _names, pair), at(".lower", rational, lower), at(".upper", rational, upper))


def _different_states(value: object) -> tuple[str, ...]:
    states = each(value, state)
    refuse_repeated(states)
    return states


def _upper_record(quantity: str, value: object) -> UpperRecord:
    directions = ("forward", "backward") if quantity == "bd" else ("forward",)
    pair, over, number, *couplings = members(value, ("pair", "over", "value", *directions))
    s, t = at(".pair", _pair, pair)
    return UpperRecord(
        pair=(s, t),
        over=at(".over", _positive, over),
        value=at(".value", _integer, number),
        couplings=tuple(at(f".{name}", _coupling, c) for name, c in zip(directions, couplings, strict=True)),
    )


def _pair(value: object) -> Sequence[int]:
    return integers(array(value, 2))


def _coupling(value: object) -> Coupling:
    w, b = array(value, 2)
    return Coupling(at("[0]", _weights, w), at("[1]", _vector, b))


def _weights(value: object) -> list[int]:
    flat = integers(value, 3)
    refuse_repeated(list(zip(flat[::3], flat[1::3], strict=True)), 3)
    return flat


def _vector(value: object) -> list[int]:
    flat = integers(value, 2)
    refuse_repeated(flat[::2], 2)
    return flat


def _stage(value: object) -> Stage:
    functions, escapes = members(value, ("functions", "escapes"))
    return Stage(at(".functions", some(_function), functions), at(".escapes", list_of(_escape), escapes))


def _function(value: object) -> Function:
    over, f, rest, pairs = members(value, ("over", "f", "rest", "pairs"))
    flat = at(".pairs", _entries_of_three, pairs)
    listed = list(zip(flat[::3], flat[1::3], strict=True))
    return Function(*_values(over, f, rest), listed, flat[2::3], rank=0)


def _escape(value: object) -> Function:
    rank, over, f, rest, pairs = members(value, ("rank", "over", "f", "rest", "pairs"))
    flat = at(".pairs", _entries_of_two, pairs)
    listed = list(zip(flat[::2], flat[1::2], strict=True))
    return Function(*_values(over, f, rest), listed, [], at(".rank", _positive, rank))


def _values(over: object, f: object, rest: object) -> tuple[int, dict[int, int], dict[str, int]]:
    flat = at(".f", _vector, f)
    named = dict(zip(flat[::2], flat[1::2], strict=True))
    return at(".over", _positive, over), named, at(".rest", _by_label, rest)


def _entries_of_three(value: object) -> list[int]:
    return integers(value, 3, least=1)


def _entries_of_two(value: object) -> list[int]:
    return integers(value, 2, least=1)

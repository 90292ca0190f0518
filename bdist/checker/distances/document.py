"""The certificate document: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC section 2 and nothing of what the numbers mean. It is strict on purpose: a
member that is ignored here may be a member that a reader of the certificate relies on. A state of a record is
its position in ``states``; whether there is such a position is left to the step `pairs`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from ..core import reading
from ..core.limits import Work
from ..core.reading import ABSENT, at, integers, list_of, pair_of, rational, record, refuse_repeated, state

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
    merged: tuple[tuple[str, ...], ...]  # likewise
    claims: tuple[Claim, ...]
    states: tuple[str, ...]
    upper: tuple[UpperRecord, ...]
    lower: tuple[Stage, ...]


def read_certificate(text: str, work: Work) -> Certificate:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    return reading.read_text(text, _certificate, work)


def _certificate(value: object) -> Certificate:
    names = ("format", "version", "quantity", "model", "alpha", "claims", "states", "upper", "lower")
    found = reading.members(value, names, optional=("partition", "clock", "words", "merged"))
    form, version, named, model, alpha, claims, states, upper, lower, *rest = found
    partition, clock, words, merged = rest
    reading.check_format("bdist-certificate", form, version)
    quantity = at(".quantity", reading.one_of("bd", "ld"), named)
    return Certificate(
        quantity=quantity,
        model=at(".model", reading.fingerprint, model),
        alpha=at(".alpha", rational, alpha),
        words=0 if words is ABSENT else at(".words", _word_length, words),
        partition=None if partition is ABSENT else at(".partition", list_of(_class), partition),
        clock=() if clock is ABSENT else at(".clock", reading.some(reading.label), clock),
        merged=() if merged is ABSENT else at(".merged", list_of(_class), merged),
        claims=at(".claims", reading.some(_claim), claims),
        states=at(".states", _different_states, states),
        upper=at(".upper", list_of(_upper[quantity]), upper),
        lower=at(".lower", list_of(_stage), lower),
    )


def _class(value: object) -> tuple[str, ...]:
    states = reading.each(value, state)
    return states if len(states) >= 2 else reading.fail("an array of two or more states", value)


def _different_states(value: object) -> tuple[str, ...]:
    states = reading.each(value, state)
    refuse_repeated(states)
    return states


def _pair(value: object) -> Pair:
    s, t = integers(reading.array(value, 2))
    return s, t


def _weights(value: object) -> list[int]:
    flat = integers(value, 3)
    refuse_repeated(list(zip(flat[::3], flat[1::3], strict=True)), 3)
    return flat


def _vector(value: object) -> list[int]:
    flat = integers(value, 2)
    refuse_repeated(flat[::2], 2)
    return flat


def _upper_record(pair: Pair, over: int, value: int, *couplings: tuple[list[int], list[int]]) -> UpperRecord:
    return UpperRecord(pair, over, value, tuple(Coupling(w, b) for w, b in couplings))


def _function(over: int, f: dict[int, int], rest: dict[str, int], pairs: list[int]) -> Function:
    return Function(over, f, rest, list(zip(pairs[::3], pairs[1::3], strict=True)), pairs[2::3], 0)


def _escape(rank: int, over: int, f: dict[int, int], rest: dict[str, int], pairs: list[int]) -> Function:
    return Function(over, f, rest, list(zip(pairs[::2], pairs[1::2], strict=True)), [], rank)


def _named(value: object) -> dict[int, int]:
    flat = _vector(value)
    return dict(zip(flat[::2], flat[1::2], strict=True))


_word_length = reading.whole_number(f"an integer between 0 and {MOST_WORDS}", 0, MOST_WORDS)
_positive = reading.whole_number("an integer of at least 1", 1)
_integer = reading.whole_number("an integer")
_coupling = pair_of(_weights, _vector)
_claim = record(Claim, pair=pair_of(state, state), lower=rational, upper=rational)
_forward: dict[str, reading.Reader[object]] = {
    "pair": _pair,
    "over": _positive,
    "value": _integer,
    "forward": _coupling,
}
_upper = {
    "ld": record(_upper_record, **_forward),
    "bd": record(_upper_record, **_forward, backward=_coupling),
}
_values: dict[str, reading.Reader[object]] = {
    "over": _positive,
    "f": _named,
    "rest": reading.table_of_members(_integer),
}
_functions = reading.some(record(_function, **_values, pairs=partial(integers, group=3, least=1)))
_escapes = list_of(record(_escape, rank=_positive, **_values, pairs=partial(integers, group=2, least=1)))
_stage = record(Stage, functions=_functions, escapes=_escapes)

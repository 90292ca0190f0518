"""The certificate of an automaton: from JSON text to typed records, or ``Malformed``.

This module knows the form of SPEC.md section 2, in ``bdist/dipa``, which for some kinds of leaks says that a
part is empty, or a single transition. What the parts mean is the business of the proofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ..core import reading
from ..core.limits import Work
from .automaton import AT_LEAST, LESS, TRUE

TransitionName = tuple[str, str]  # the state that it leaves, and its guard

LEAKING_CYCLE = "leaking cycle"
LEAKING_PAIR = "leaking pair"
DISCLOSING_CYCLE = "disclosing cycle"
DISCLOSED_STORE = "disclosed store"
DISCLOSED_SAMPLE = "disclosed sample"
LATE_DISCLOSURE = "late disclosure"
KINDS = (
    *(LEAKING_CYCLE, LEAKING_PAIR, DISCLOSING_CYCLE),
    *(DISCLOSED_STORE, DISCLOSED_SAMPLE, LATE_DISCLOSURE),
)

_COMMON = ("format", "version", "model", "private")
_OF_PRIVACY = ("weight", "components", "left", "path")
_OF_A_LEAK = ("kind", "rising", "prefix", "first", "between", "second")
_CYCLES_ALONE = (LEAKING_CYCLE, DISCLOSING_CYCLE)
_transitions = reading.list_of(reading.pair_of(reading.state, reading.one_of(TRUE, LESS, AT_LEAST)))


@dataclass(frozen=True)
class PrivacyClaim:
    """The automaton is private with this weight; ``left`` has one number for each component."""

    model: str
    weight: Fraction
    components: tuple[tuple[str, ...], ...]
    left: tuple[Fraction, ...]
    path: tuple[TransitionName, ...]


@dataclass(frozen=True)
class LeakClaim:
    """The automaton is not private: a way through it, in parts, that a leak of that kind has."""

    model: str
    kind: str
    rising: bool
    prefix: tuple[TransitionName, ...]
    first: tuple[TransitionName, ...]
    between: tuple[TransitionName, ...]
    second: tuple[TransitionName, ...]


def read_claim(text: str, work: Work) -> PrivacyClaim | LeakClaim:
    """The claim in a JSON text. Raises: Malformed, TooLarge."""
    return reading.read_text(text, _claim, work)


def _claim(value: object) -> PrivacyClaim | LeakClaim:
    form, version, model, private, *others = reading.members(
        value, _COMMON, optional=_OF_PRIVACY + _OF_A_LEAK
    )
    reading.check_format("bdist-dipa-certificate", form, version)
    named = reading.at(".model", reading.fingerprint, model)
    of_privacy, of_a_leak = others[: len(_OF_PRIVACY)], others[len(_OF_PRIVACY) :]
    if reading.at(".private", reading.boolean, private):
        _check_members("true", dict(zip(_OF_PRIVACY, of_privacy, strict=True)), _OF_A_LEAK, of_a_leak)
        return _privacy(named, *of_privacy)
    _check_members("false", dict(zip(_OF_A_LEAK, of_a_leak, strict=True)), _OF_PRIVACY, of_privacy)
    return _leak(named, *of_a_leak)


def _check_members(
    private: str, there: dict[str, object], not_there: tuple[str, ...], values: list[object]
) -> None:
    """Which members there are depends on the member private."""
    for name, value in there.items():
        if value is reading.ABSENT:
            reading.refuse(f"the member {name} is missing, and private is {private}")
    for name, value in zip(not_there, values, strict=True):
        if value is not reading.ABSENT:
            reading.refuse(f"there is a member {name}, and private is {private}")


def _privacy(model: str, weight: object, components: object, left: object, path: object) -> PrivacyClaim:
    found = reading.at(".components", reading.list_of(_component), components)
    return PrivacyClaim(
        model=model,
        weight=reading.at(".weight", reading.rational, weight),
        components=found,
        left=reading.at(
            ".left", lambda value: reading.each(reading.array(value, len(found)), reading.rational), left
        ),
        path=reading.at(".path", _transitions, path),
    )


def _leak(model: str, kind: object, rising: object, *parts: object) -> LeakClaim:
    name = reading.at(".kind", reading.one_of(*KINDS), kind)
    direction = reading.at(".rising", reading.boolean, rising)
    if name in _CYCLES_ALONE and not direction:
        reading.at(".rising", lambda value: reading.fail(f"true, as the kind is {name}", value), rising)
    lengths = _lengths(name)
    prefix, first, between, second = (
        reading.at(f".{part}", partial(_part, name, lengths.get(part)), value)
        for part, value in zip(_OF_A_LEAK[2:], parts, strict=True)
    )
    return LeakClaim(model, name, direction, prefix, first, between, second)


def _lengths(kind: str) -> dict[str, int]:
    """How many transitions some parts have, by the kind of the leak."""
    if kind in _CYCLES_ALONE:
        return {"between": 0, "second": 0}
    if kind == LATE_DISCLOSURE:
        return {"second": 1}
    return {} if kind == LEAKING_PAIR else {"first": 1}


def _part(kind: str, length: int | None, value: object) -> tuple[TransitionName, ...]:
    if length is not None and len(reading.array(value)) != length:
        reading.fail(f"an array of {length}, as the kind is {kind}", value)
    return _transitions(value)


def _component(value: object) -> tuple[str, ...]:
    if value == []:
        reading.fail("an array of one or more states", value)
    return reading.each(value, reading.state)

"""Chains from a step function: all that some states can reach, explored breadth-first.

Whoever has a model in code has states of some type and a function that says where a state goes. `build` calls
it once for every state that there is to find, and keeps the exact probabilities that it returns:

    def step(tries):                      # a state may be any hashable value
        return {tries + 1: "1/3", "sent": "2/3"} if tries < 3 else {"lost": 1}

The order of states is that in which they are met, so that the same function gives the same chain. A row that
does not sum to 1 is refused when it is met, with the state, and not after a million others.

*Names.* Files, certificates and commands know states by text. A text is its own name; a tuple is named by its
fields with commas between them, which is how relations by Hamming distance read names; a named tuple or a
dataclass by its fields and their values, as ``x=3,done=True``, which is what states of PRISM programs are
called; anything else, and a text with control characters, by what Python prints. Where two states would have
one name, the later one gets ``#2``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from numbers import Rational
from typing import Any

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.conversions import number_reader
from bdist.errors import ModelError, ParameterError
from bdist.exact.rationals import as_rational, rational_text
from bdist.printing import beginning
from bdist.text.scanner import is_unshown

MOST_STATES = 1_000_000
_REPORTED = 1_000  # states between two reports of progress

Successors = Mapping[Any, Any] | Iterable[tuple[Any, Any]]


def build(
    starts: Iterable[Hashable],
    successors: Callable[[Any], Successors],
    label: Callable[[Any], str],
    *,
    names: Callable[[Any], str] | None = None,
    limit: int = MOST_STATES,
    floats: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    name: str = "",
) -> LabelledMarkovChain:
    """The chain on what the ``starts`` can reach by a step function.

    ``successors(state)`` is {state: probability}, or pairs (state, probability), of which those that name
    a state twice are added; ``label(state)`` is what an observer sees. Probabilities are Fraction, int or
    str, or floats to be read as ``floats`` says ("shortest", "simplest" or "exact"). States are called by
    their text, or as ``names`` says; ``progress`` is told how many are explored and how many are known.
    Ensures: states are in the order in which they are met, the starts first.
    Raises: ModelError, with the state, where a row is no distribution and where there are more than ``limit``
    states; ParameterError for a probability that is a float or no number.
    """
    number = number_reader(floats)
    if limit < 1:
        raise ParameterError(f"limit = {limit} must be at least 1")
    positions: dict[Hashable, int] = {}
    order: list[Any] = []
    rows: list[dict[int, Fraction]] = []

    def position(state: Any, source: str) -> int:
        try:
            known = positions.get(state)
        except TypeError:
            what = f"{beginning(repr(state))}, a {type(state).__name__}"
            raise ModelError(f"{source} {what}; a state is a hashable value") from None
        if known is None:
            if len(order) >= limit:
                reached = f"{len(rows)} of {limit} were explored, and {source} another"
                raise ModelError(f"more than {limit} states: {reached}; give a larger limit, or fewer states")
            known = positions[state] = len(order)
            order.append(state)
        return known

    for state in starts:
        position(state, "the starts have")
    for state in order:  # which grows
        shown = f"state '{beginning(state_text(state))}'"
        try:
            step: Any = successors(state)
            if not isinstance(step, Iterable):
                what = f"the successors of {shown} are a {type(step).__name__}"
                raise ModelError(f"{what}; give {{state: probability}}, or pairs")
            entries = list(step.items() if isinstance(step, Mapping) else step)
        except Exception as error:
            error.add_note(f"bdist.build: at {shown}")
            raise
        row: dict[int, Fraction] = {}
        for entry in entries:
            if not isinstance(entry, tuple | list) or len(entry) != 2:
                what = f"{shown} goes to {beginning(repr(entry))}"
                raise ModelError(f"{what}, which is no pair of a state and a probability")
            target, value = entry
            probability = number(value, f"probability of {shown} -> '{beginning(state_text(target))}'")
            if probability:
                at = position(target, f"{shown} goes to")
                row[at] = row.get(at, Fraction(0)) + probability
        total = sum(row.values(), Fraction(0))
        if total != 1:
            raise ModelError(f"the row of {shown} sums to {rational_text(total)}, not to 1")
        rows.append(row)
        if progress is not None and len(rows) % _REPORTED == 0:
            progress(len(rows), len(order))
    labels = tuple(label(state) for state in order)
    made = tuple(tuple(sorted(row.items())) for row in rows)
    return LabelledMarkovChain(unique_names(order, names or state_text), labels, made, name)


def state_text(state: Any) -> str:
    """A value as the name of a state."""
    if is_dataclass(state) and not isinstance(state, type):
        return ",".join(f"{x.name}={_field_text(getattr(state, x.name))}" for x in fields(state))
    if isinstance(state, tuple) and state:
        named = getattr(state, "_fields", None)
        texts = map(_field_text, state)
        return ",".join(texts if named is None else map("{}={}".format, named, texts))
    return _field_text(state)


def _field_text(value: Any) -> str:
    if isinstance(value, str) and not is_unshown(value):
        return value
    if isinstance(value, bool | Enum):
        return repr(value)
    return rational_text(as_rational(value, "a name")) if isinstance(value, Rational) else repr(value)


def unique_names(values: Iterable[Any], name: Callable[[Any], str] = state_text) -> tuple[str, ...]:
    """A name for each value, in order; later ones with a name that is there already get a number."""
    taken: dict[str, int] = {}
    made = []
    for value in values:
        text = called = name(value)
        while called in taken:
            taken[text] += 1
            called = f"{text}#{taken[text]}"
        taken[called] = 1
        made.append(called)
    return tuple(made)

"""Chains as JSON, for programs that write models themselves.

    {
      "format": "bdist-chain",
      "version": 1,
      "name": "coin",
      "states": [
        {"name": "h", "label": "flip", "to": {"h": "1/2", "t": "1/2"}},
        {"name": "t", "label": "tails", "to": {"t": 1}}
      ]
    }

The ``name`` of the chain may be left out, nothing else may, and a member that is misspelled, or given twice,
is refused. A probability is a string (``"1/2"``, ``"0.25"``, ``"1e-4"``) or a JSON number; numbers are read
from their digits and never become floats. The checks are written out by hand: a schema language would be a
dependency, and its messages do not say which state is meant.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.chains.formats import ReadOptions
from bdist.errors import ModelError, ParameterError
from bdist.exact.rationals import rational_text
from bdist.printing import beginning
from bdist.text.files import read_text
from bdist.text.scanner import Numbers, Place

FORMAT_NAME = "bdist-chain"
VERSION = 1

_STATE = ("label", "name", "to")


class _Digits(str):
    """A number as the file spells it."""


class _Refusal(ValueError):
    """Something in the document that is not said to be JSON's fault."""


def read(text: str, source: str | Path = "<text>") -> LabelledMarkovChain:
    """Parse a chain. Raises: FormatError; ModelError naming the state."""
    place = Place(source)
    try:
        document = json.loads(
            text,
            object_pairs_hook=_members,
            parse_float=_Digits,
            parse_int=_Digits,
            parse_constant=lambda text: _refuse(f"{text} is not a number that JSON knows"),
        )
        return _chain(document)
    except json.JSONDecodeError as error:
        place.refuse(f"not JSON: {error.msg}", error.lineno, error.colno)
    except _Refusal as error:
        place.refuse(str(error))
    except RecursionError:
        place.refuse("nested too deeply for a chain")
    except ModelError as error:
        raise place.model_error(error) from None


def write(chain: LabelledMarkovChain) -> str:
    """The chain as JSON text, one state a line; reading it back gives an equal chain of the same name."""
    states = [
        json.dumps(
            {"name": state, "label": label, "to": {chain.states[j]: rational_text(p) for j, p in row}},
            ensure_ascii=False,
        )
        for state, label, row in zip(chain.states, chain.labels, chain.rows, strict=True)
    ]
    head = [f'"format": "{FORMAT_NAME}"', f'"version": {VERSION}']
    if chain.name:
        head.append(f'"name": {json.dumps(chain.name, ensure_ascii=False)}')
    listed = ",\n    ".join(states)
    return "{\n  " + ",\n  ".join([*head, f'"states": [\n    {listed}\n  ]']) + "\n}\n"


def load(path: Path, _: ReadOptions) -> LabelledMarkovChain:
    """Read a file. Raises: as `read`."""
    return read(read_text(path), path)


def _chain(document: Any) -> LabelledMarkovChain:
    if not isinstance(document, dict) or document.get("format") != FORMAT_NAME:
        _refuse(f'expected an object with "format": "{FORMAT_NAME}"')
    version = document.get("version")
    if version != str(VERSION) or not isinstance(version, _Digits):
        _refuse(f'expected "version": {VERSION}; found {_shown(version)}')
    name = document.get("name", "")
    if not _is_text(name):
        _refuse(f'"name" is {_shown(name)}; it must be a string')
    _check_members(document, ("format", "states", "version"), "the document", "name")
    states = document["states"]
    if not isinstance(states, list) or not states:
        _refuse(f'"states" is {_shown(states)}; it must be an array of at least one state')
    for number, state in enumerate(states):
        _check_state(state, number)
    names = [state["name"] for state in states]
    positions = {name: i for i, name in enumerate(names)}
    numbers = Numbers()
    rows = tuple(_row(state, positions, numbers) for state in states)
    return LabelledMarkovChain(tuple(names), tuple(state["label"] for state in states), rows, name)


def _check_state(state: Any, number: int) -> None:
    what = f"state number {number}"
    if not isinstance(state, dict):
        _refuse(f"{what} is {_shown(state)}; it must be an object")
    if _is_text(state.get("name")):
        what = f"state '{beginning(state['name'])}'"
    _check_members(state, _STATE, what)
    for member in ("name", "label"):
        if not _is_text(state[member]):
            _refuse(f'"{member}" of {what} is {_shown(state[member])}; it must be a string')
    if not isinstance(state["to"], dict):
        _refuse(f'"to" of {what} is {_shown(state["to"])}; it must be an object {{target: probability}}')


def _row(state: dict[str, Any], positions: dict[str, int], numbers: Numbers) -> Row:
    entries: list[tuple[int, Fraction]] = []
    for target, value in state["to"].items():
        try:
            if target not in positions:
                _refuse("it is not a state")
            if not isinstance(value, str):
                _refuse(f"probability {_shown(value)} must be a string or a number")
            probability = numbers(value)
        except (_Refusal, ParameterError) as error:
            _refuse(f"state '{beginning(state['name'])}' goes to '{beginning(target)}': {error}")
        if probability:
            entries.append((positions[target], probability))
    return tuple(sorted(entries))


def _check_members(found: dict[str, Any], required: Sequence[str], what: str, *optional: str) -> None:
    allowed = sorted([*required, *optional])
    for member in found:
        if member not in allowed:
            _refuse(f'{what} has a member "{beginning(member)}"; allowed are {", ".join(allowed)}')
    for member in required:
        if member not in found:
            _refuse(f'{what} has no member "{member}"')


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for name, count in Counter(name for name, _ in pairs).items():
        if count > 1:
            _refuse(f'member "{beginning(name)}" stands twice in one object')
    return dict(pairs)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, _Digits)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array" if value else "an empty array"
    return beginning(value if isinstance(value, _Digits) else json.dumps(value))


def _refuse(message: str) -> NoReturn:
    raise _Refusal(message)

"""JSON values of a required form.

Python's ``json`` is more lenient than the specification in three places, and each is closed here:
repeated members (they are refused where an object is made), ``NaN`` and ``Infinity`` (they are floats, and no
float is accepted anywhere), and ``true`` for 1 (in Python a bool is an int). Size, depth and digits are
within limits before that parser sees the text.

A reader is a function of a value. Those of arrays and objects are made of those of their parts. A theory
writes down the types of its document, and `form` makes the reader that these types ask for. No reader is told
where its value stands: a failure learns that on its way out, as in ``upper[3].forward.w[0]``.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from sys import intern
from typing import Annotated, Any, NoReturn, TypeVar, get_args, get_origin, get_type_hints

from . import Malformed
from .limits import Work, check_text
from .numbers import brief
from .numbers import integer as int_of_any_length
from .text import shown

_T = TypeVar("_T")
_K = TypeVar("_K")
_V = TypeVar("_V")

Reader = Callable[[object], _T]  # of a JSON value; it refuses one of another form

MOST_INDEX = 2**31

_RATIONAL = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")
_FORMAT_FIRST = re.compile(r'[ \t\n\r]*+\{[ \t\n\r]*+"format"[ \t\n\r]*+:[ \t\n\r]*+"([^"\\]*+)"')
_FINGERPRINT = re.compile(r"[0-9A-Fa-f]{64}")


class _Wrong(Exception):
    """What is wrong with a value, and the steps to its place, the innermost first."""

    def __init__(self, problem: str, *steps: str) -> None:
        super().__init__(problem)
        self.problem, self.steps = problem, list(steps)


def read_text(text: str, read: Reader[_T], work: Work) -> _T:
    """What a reader makes of a JSON text. Raises: Malformed, TooLarge."""
    with collector_paused():
        parse_int = int_of_any_length if check_text(text, work) else int
        try:
            # NaN, Infinity and numbers with a fraction come out as floats; no member of a document is one
            return read(json.loads(text, object_pairs_hook=_members, parse_int=parse_int))
        except json.JSONDecodeError as error:
            raise Malformed(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
        except _Wrong as wrong:
            place = "".join(reversed(wrong.steps)).removeprefix(".")
            raise Malformed(f"{place or 'the document'}: {wrong.problem}") from None


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else refuse("a member stands twice in an object")


def format_of(text: str) -> str | None:
    """The member ``format`` of a JSON text, or None; what else it holds is not looked at."""
    if first := _FORMAT_FIRST.match(text):  # so that a long certificate is not read twice
        return first[1]
    try:
        value = read_text(text, lambda value: value if isinstance(value, dict) else {}, Work(len(text)))
    except Malformed:
        return None
    return value["format"] if isinstance(value.get("format"), str) else None


@contextmanager
def collector_paused() -> Iterator[None]:
    """Without the search for cycles of objects, which doubles the time; nothing that is read has any."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def at(step: str, read: Reader[_T], value: object) -> _T:
    """Read a part of a value; the step leads there, as ``.pair`` or ``[0]``."""
    try:
        return read(value)
    except _Wrong as wrong:
        wrong.steps.append(step)
        raise


def refuse(problem: str) -> NoReturn:
    """Refuse the value that is being read, and say why."""
    raise _Wrong(problem)


def fail(expected: str, value: object) -> NoReturn:
    """Refuse a value of the wrong form. It may be of any depth and size, so little of it is shown."""
    if isinstance(value, list | dict):
        found = f"an array of {len(value)}" if isinstance(value, list) else "an object"
    elif type(value) is int:
        found = brief(Fraction(value))
    else:
        found = json.dumps(value[:40] if isinstance(value, str) else value)
    refuse(f"expected {expected}; found {found}")


# --- what a document may hold -----------------------------------------------------------------------------


def form(of: Any) -> Reader[Any]:
    """The reader of what a type says.

    A named tuple is an object with exactly its fields as members, of which those with a default may be left
    out; ``tuple[x, ...]`` is an array, ``tuple[x, y]`` an array of two, ``dict[x, y]`` an array of such pairs
    without a second one for the same key, ``x | None`` may be null. ``Annotated`` names another reader, or
    the least length of an array.
    """
    origin, parts = get_origin(of), get_args(of)
    if origin is Annotated:
        kind, how = parts
        return how if callable(how) else list_of(form(get_args(kind)[0]), how)
    if origin is tuple:
        return list_of(form(parts[0])) if parts[1:] == (...,) else tuple_of(*map(form, parts))
    if origin is dict:
        return _table_of(tuple_of(*map(form, parts)))
    if parts:
        return nullable(form(parts[0]))
    return _record(of) if issubclass(of, tuple) else _PLAIN[of]


def _record(make: Any) -> Reader[Any]:
    optional = make._field_defaults
    names = [name for name in make._fields if name not in optional]
    hints = get_type_hints(make, include_extras=True).items()
    # a member that may be left out may not be null
    of = {name: get_args(hint)[0] if optional.get(name, ()) is None else hint for name, hint in hints}
    reads = {name: form(hint) for name, hint in of.items()}

    def read_record(value: object) -> Any:
        given = value if isinstance(value, dict) else fail(f"an object with {', '.join(names)}", value)
        for name in names:
            if name not in given:
                refuse(f"the member {name} is missing")
        made = {}
        for name, member in given.items():
            if name not in reads:
                refuse(f"unknown member {shown(name)}")
            try:
                made[name] = reads[name](member)
            except _Wrong as wrong:
                wrong.steps.append(f".{name}")
                raise
        return make(**made)

    return read_record


def row_of(make: Any) -> Reader[Any]:
    """A reader of arrays whose elements are the fields of a named tuple, as their types say."""
    read = tuple_of(*map(form, get_type_hints(make, include_extras=True).values()))
    return lambda value: make(*read(value))


def table_of_members(read: Reader[_V]) -> Reader[dict[str, _V]]:
    """A reader of an object with any members as a dictionary."""

    def read_members(value: object) -> dict[str, _V]:
        found = value if isinstance(value, dict) else fail("an object", value)
        return {intern(name): at(f".{shown(name)}", read, member) for name, member in found.items()}

    return read_members


def array(value: object, length: int | None = None) -> list[object]:
    """An array, of this length if one is given."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        fail("an array" if length is None else f"an array of {length}", value)
    return value


def list_of(read: Reader[_T], least: int = 0) -> Reader[tuple[_T, ...]]:
    """A reader of arrays with at least so many elements."""

    def read_list(value: object) -> tuple[_T, ...]:
        items, found = array(value), []
        if len(items) < least:
            fail(f"an array of at least {least}", value)
        try:
            for item in items:
                found.append(read(item))  # noqa: PERF401 (the handler looks how many there are)
        except _Wrong as wrong:
            wrong.steps.append(f"[{len(found)}]")
            raise
        return tuple(found)

    return read_list


def some(read: Reader[_T]) -> Reader[tuple[_T, ...]]:
    """A reader of arrays that are not empty."""
    return list_of(read, 1)


def tuple_of(*reads: Reader[Any]) -> Reader[Any]:
    """A reader of arrays with exactly these elements."""
    steps = [f"[{place}]" for place in range(len(reads))]
    return lambda value: tuple(map(at, steps, reads, array(value, len(reads))))


def _table_of(entry: Reader[tuple[_K, _V]]) -> Reader[dict[_K, _V]]:
    read_entries = list_of(entry)

    def read_table(value: object) -> dict[_K, _V]:
        entries = read_entries(value)
        refuse_repeated([key for key, _ in entries])
        return dict(entries)

    return read_table


def integers(value: object, group: int = 1, least: int = 0) -> list[int]:
    """A flat array of integers, in groups of so many, with at least so many groups."""
    flat = array(value)
    if not {*map(type, flat)} <= {int}:  # type() and not isinstance(): True is 1
        list_of(_PLAIN[int])(flat)
    if len(flat) % group or len(flat) < least * group:
        refuse(f"expected {group} integers an entry{', and one entry' * least}; found {len(flat)}")
    return flat  # type: ignore[return-value]


def refuse_repeated(keys: Sequence[object], width: int = 1) -> None:
    """Refuse an array in which a key stands twice, where each entry has this width."""
    if len({*keys}) < len(keys):
        seen: set[object] = set()
        for place, key in enumerate(keys):
            if key in seen:
                raise _Wrong("a second entry for the same key", f"[{place * width}]")
            seen.add(key)


def nullable(read: Reader[_T]) -> Reader[_T | None]:
    """A reader of what may also be null."""
    return lambda value: None if value is None else read(value)


def whole_number(what: str, least: int | None = None, most: int | None = None) -> Reader[int]:
    """A reader of integers, perhaps within bounds; ``what`` they are stands in messages."""

    def read_integer(value: object) -> int:
        if type(value) is not int:  # type() and not isinstance(): True is 1
            fail(what, value)
        if (least is not None and value < least) or (most is not None and value > most):
            fail(what, value)
        return value

    return read_integer


def one_of(*allowed: str) -> Reader[str]:
    """A reader of strings of which there are only these."""
    expected = " or ".join(f'"{text}"' for text in allowed)
    return lambda value: value if isinstance(value, str) and value in allowed else fail(expected, value)


def read_name(value: object) -> str:
    """A string; a name is one string wherever it stands."""
    return intern(value) if isinstance(value, str) else fail("a name", value)


def _fingerprint(value: object) -> str:
    match = isinstance(value, str) and _FINGERPRINT.fullmatch(value)
    return match[0] if match else fail("a string of 64 hexadecimal digits", value)


def rational(value: object) -> Fraction:
    """A rational, as SPEC section 2 writes it."""
    match = _RATIONAL.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        fail('a rational such as "1/2", as a string', value)
    above, below = int_of_any_length(match[1]), int_of_any_length(match[2] or "1")
    return Fraction(above, below) if below else refuse("the denominator is zero")


_PLAIN: dict[type, Reader[Any]] = {
    str: read_name,
    int: whole_number("an integer"),
    bool: lambda value: value if isinstance(value, bool) else fail("true or false", value),
    Fraction: rational,
}
Some = Annotated[tuple[_T, ...], 1]  # an array that is not empty
# where a part stands among others; no text has as many parts as the limit, and a message can show it
index_of_part = whole_number("an integer from 0 to 2^31 - 1", 0, MOST_INDEX - 1)
Index = Annotated[int, index_of_part]
Fingerprint = Annotated[str, _fingerprint]
Version = Annotated[int, whole_number("the integer 1", 1, 1)]

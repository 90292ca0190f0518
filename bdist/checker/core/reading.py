"""The two files as texts, and JSON values of a required form.

*Files* are read as what they were when they were opened, and no further: only regular files, up to a limit,
and one that changes in the meantime is refused, as half a file may well be a file of another meaning.

*JSON.* Python's ``json`` is more lenient than the specification in three places, and each is closed here:
repeated members (objects are kept as lists of pairs until they are counted), ``NaN`` and ``Infinity`` (they
are floats, and no float is accepted anywhere), and ``true`` for 1 (in Python a bool is an int). Size, depth
and digits are within limits before that parser sees the text.

A reader is a function of a value. Those of arrays and objects are made of those of their parts (`list_of`,
`pair_of`, `record`), so that a document of a theory is written down as what its parts are. No reader is told
where its value stands: a failure learns that on its way out, as in ``upper[3].forward.w[0]``.
"""

from __future__ import annotations

import gc
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from sys import intern
from typing import NoReturn, TypeVar

from . import Malformed
from .digits import brief, integer
from .limits import Work, check_text
from .text import shown

_NO_WAITING = getattr(os, "O_NONBLOCK", 0)  # a pipe is opened, and refused, without waiting for its writer


class Unreadable(Exception):
    """A file cannot be read, is too large, or is no text; the message names it."""


def read_file(path: str, encoding: str, limit: int) -> str:
    """The text of a file of at most so many bytes. Raises: Unreadable."""
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _NO_WAITING)) as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise Unreadable(f"{path}: cannot be read: not a regular file")
            if before.st_size > limit:
                raise Unreadable(f"{path}: {before.st_size} bytes long, and at most {limit} are read")
            data = file.read(before.st_size + 1)
            after = os.fstat(file.fileno())
        if (len(data), after.st_size, after.st_mtime_ns) != (*[before.st_size] * 2, before.st_mtime_ns):
            raise Unreadable(f"{path}: changed while it was read")
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path}: not UTF-8 text (byte {error.start})") from None
    except (OSError, ValueError) as error:  # ValueError: there is a null character in the path
        raise Unreadable(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


# --- JSON -------------------------------------------------------------------------------------------------

_T = TypeVar("_T")
_K = TypeVar("_K")
_U = TypeVar("_U")
_V = TypeVar("_V")

Reader = Callable[[object], _T]  # of a JSON value; it refuses one of another form

ABSENT = object()  # the value of an optional member that is not there; null is another thing, and malformed

MOST_INDEX = 2**31

_RATIONAL = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")
_FORMAT_FIRST = re.compile(r'[ \t\n\r]*+\{[ \t\n\r]*+"format"[ \t\n\r]*+:[ \t\n\r]*+"([^"\\]*+)"')
_FINGERPRINT = re.compile(r"[0-9A-Fa-f]{64}")


class _Wrong(Exception):
    """What is wrong with a value, and the steps to its place, the innermost first."""

    def __init__(self, problem: str, *steps: str) -> None:
        super().__init__(problem)
        self.problem, self.steps = problem, list(steps)


class JsonObject(tuple[tuple[str, object], ...]):
    """A JSON object as its members in the order of the text, repeated ones included."""


def read_text(text: str, read: Reader[_T], work: Work) -> _T:
    """What a reader makes of a JSON text. Raises: Malformed, TooLarge."""
    with collector_paused():
        value = _parsed(text, work)
        try:
            return read(value)
        except _Wrong as wrong:
            place = "".join(reversed(wrong.steps)).removeprefix(".")
            raise Malformed(f"{place or 'the document'}: {wrong.problem}") from None


def _parsed(text: str, work: Work) -> object:
    long = check_text(text, work)
    try:
        # NaN, Infinity and numbers with a fraction come out as floats; no member of a document is one
        return json.loads(text, object_pairs_hook=JsonObject, parse_int=integer if long else int)
    except json.JSONDecodeError as error:
        raise Malformed(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None


def format_of(text: str) -> str | None:
    """The first member ``format`` of a JSON text, or None; what else it holds is not looked at."""
    if first := _FORMAT_FIRST.match(text):  # so that a long certificate is not read twice
        return first[1]
    try:
        with collector_paused():
            value = _parsed(text, Work(len(text)))
    except Malformed:
        return None
    listed = value if isinstance(value, JsonObject) else ()
    found = next((member for name, member in listed if name == "format"), None)
    return found if isinstance(found, str) else None


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
    if isinstance(value, str):
        found = f"the string {json.dumps(value if len(value) <= 40 else value[:37] + '...')}"
    elif isinstance(value, list):
        found = f"an array of {len(value)}"
    elif isinstance(value, JsonObject):
        found = "an object"
    elif value is None or isinstance(value, bool):
        found = json.dumps(value)
    elif isinstance(value, int):
        found = f"the integer {brief(Fraction(value))}"
    else:
        found = "a number that is no integer"
    raise _Wrong(f"expected {expected}; found {found}")


# --- objects ----------------------------------------------------------------------------------------------


def members(value: object, names: tuple[str, ...], optional: tuple[str, ...] = ()) -> list[object]:
    """The values of exactly these members, each once, in this order; an optional one may be ABSENT."""
    if not isinstance(value, JsonObject):
        fail(f"an object with {', '.join(names)}", value)
    found: dict[str, object] = {}
    for name, member in value:
        if name not in names and name not in optional:
            raise _Wrong(f"unknown member {shown(name)}")
        if name in found:
            raise _Wrong(f"the member {name} stands twice")
        found[name] = member
    for name in names:
        if name not in found:
            raise _Wrong(f"the member {name} is missing")
    return [found.get(name, ABSENT) for name in (*names, *optional)]


def record(make: Callable[..., _T], **parts: Reader[object]) -> Reader[_T]:
    """A reader of objects with exactly these members, from which something is made."""
    names = tuple(parts)
    steps = [(f".{name}", read) for name, read in parts.items()]

    def read_record(value: object) -> _T:
        found = zip(steps, members(value, names), strict=True)
        return make(*[at(step, read, member) for (step, read), member in found])

    return read_record


def table_of_members(read: Reader[_V]) -> Reader[dict[str, _V]]:
    """A reader of an object with any members, none of them twice, as a dictionary."""

    def read_members(value: object) -> dict[str, _V]:
        if not isinstance(value, JsonObject):
            fail("an object", value)
        found: dict[str, _V] = {}
        for name, member in value:
            if name in found:
                raise _Wrong(f"the member {shown(name)} stands twice")
            found[name] = at(f".{shown(name)}", read, member)
        return found

    return read_members


# --- arrays -----------------------------------------------------------------------------------------------


def array(value: object, length: int | None = None) -> list[object]:
    """An array, of this length if one is given."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        fail("an array" if length is None else f"an array of {length}", value)
    return value


def each(value: object, read: Reader[_T]) -> tuple[_T, ...]:
    """The elements of an array."""
    items, found = array(value), []
    try:
        for item in items:
            found.append(read(item))  # noqa: PERF401 (the handler looks how many there are)
    except _Wrong as wrong:
        wrong.steps.append(f"[{len(found)}]")
        raise
    return tuple(found)


def list_of(read: Reader[_T]) -> Reader[tuple[_T, ...]]:
    """A reader of arrays of any length."""
    return lambda value: each(value, read)


def some(read: Reader[_T]) -> Reader[tuple[_T, ...]]:
    """A reader of arrays that are not empty."""
    return lambda value: each(value, read) or refuse("there is none, and there must be at least one")


def pair_of(first: Reader[_T], second: Reader[_U]) -> Reader[tuple[_T, _U]]:
    """A reader of arrays of two."""

    def read_pair(value: object) -> tuple[_T, _U]:
        x, y = array(value, 2)
        return at("[0]", first, x), at("[1]", second, y)

    return read_pair


def triple_of(first: Reader[_T], second: Reader[_U], third: Reader[_V]) -> Reader[tuple[_T, _U, _V]]:
    """A reader of arrays of three."""

    def read_triple(value: object) -> tuple[_T, _U, _V]:
        x, y, z = array(value, 3)
        return at("[0]", first, x), at("[1]", second, y), at("[2]", third, z)

    return read_triple


def table_of(entry: Reader[tuple[_K, _V]]) -> Reader[dict[_K, _V]]:
    """A reader of entries as a dictionary; a key that stands twice is refused, not overwritten."""

    def read_table(value: object) -> dict[_K, _V]:
        entries = each(value, entry)
        refuse_repeated([key for key, _ in entries])
        return dict(entries)

    return read_table


def integers(value: object, group: int = 1, least: int = 0) -> list[int]:
    """A flat array of integers, in groups of so many, with at least so many groups."""
    flat = array(value)
    if not {*map(type, flat)} <= {int}:  # type() and not isinstance(): True is 1
        each(flat, whole_number("an integer"))
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


# --- strings and numbers ----------------------------------------------------------------------------------


def nullable(read: Reader[_T]) -> Reader[_T | None]:
    """A reader of what may also be null."""
    return lambda value: None if value is None else read(value)


def named(what: str) -> Reader[str]:
    """A reader of strings; ``what`` they name stands in messages. A name is one string wherever it stands."""
    return lambda value: intern(value) if isinstance(value, str) else fail(what, value)


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


state = named("the name of a state")
label = named("a label")
# where a part stands among others; no text has as many parts as the limit, and a message can show it
index_of_part = whole_number("an integer from 0 to 2^31 - 1", 0, MOST_INDEX - 1)
_version = whole_number("the integer 1", 1, 1)


def check_format(name: str, form: object, version: object) -> None:
    """The first two members of a document: the name of its format, and its version, of which there is one."""
    at(".format", one_of(name), form)
    at(".version", _version, version)


def fingerprint(value: object) -> str:
    """The fingerprint of a model."""
    if not isinstance(value, str) or not _FINGERPRINT.fullmatch(value):
        fail("a string of 64 hexadecimal digits", value)
    return value


def boolean(value: object) -> bool:
    """True or false."""
    return value if isinstance(value, bool) else fail("true or false", value)


def rational(value: object) -> Fraction:
    """A rational, as SPEC section 2 writes it."""
    match = _RATIONAL.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        fail('a rational such as "1/2", as a string', value)
    above, below = integer(match[1]), integer(match[2] or "1")
    return Fraction(above, below) if below else refuse("the denominator is zero")

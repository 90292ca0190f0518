"""The document of a profile: from JSON text to typed records, or ``Malformed`` (section 1 of the SPEC).

Nothing here knows what the numbers mean. What depends on the model, such as whether a name is that of a
state, is left to the steps of the proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from ..core import reading
from ..core.limits import Work
from ..core.reading import ABSENT, Reader, at, list_of, pair_of, rational, record, some, state, table_of

PROFILE_FORMAT = "bdist-profile"

Integers = dict[str, int]  # a vector; what is not listed is 0
Atom = tuple[Fraction, Fraction]
_T = TypeVar("_T")


@dataclass(frozen=True)
class Node:
    """A pair of vectors (a, b), and for an inner node the numbers of the nodes that the labels lead to."""

    a: Integers
    b: Integers
    next: dict[str, int] | None  # None: a leaf


@dataclass(frozen=True)
class Types:
    """The types, each as its sets with their π; words that tell sets of different types apart; the r_τ."""

    classes: tuple[tuple[dict[str, Fraction], ...], ...]
    words: tuple[tuple[str, ...], ...]
    reach: tuple[dict[str, Fraction], ...]


@dataclass(frozen=True)
class Grid:
    """Cells from low to high at the powers of a ratio, numbers of so many bits, and how many rounds."""

    ratio: Fraction
    bits: int
    rounds: int
    low: int
    high: int


@dataclass(frozen=True)
class Bounds:
    """The claim about one α: bounds on lv_α(s,t), forward, and on lv_α(t,s), backward."""

    alpha: Fraction
    forward: tuple[Fraction, Fraction]
    backward: tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Lists:
    """The claim optimistic ≤ lv ≤ pessimistic for every α; where it is about atoms, both are that list."""

    optimistic: tuple[Atom, ...]
    pessimistic: tuple[Atom, ...]
    exact: bool


@dataclass(frozen=True)
class Profile:
    """A certificate."""

    model: str
    pair: tuple[str, str]
    futures: dict[str, dict[str, Fraction]] | None
    nodes: tuple[Node, ...]
    visits: dict[int, tuple[Atom, ...]] | None
    types: Types | None
    grid: Grid | None
    claim: Lists | Bounds


def read_profile(text: str, work: Work) -> Profile:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    return reading.read_text(text, _profile, work)


def _profile(value: object) -> Profile:
    names = ("format", "version", "model", "pair", "nodes", "claim")
    found = reading.members(value, names, ("futures", "visits", "types", "grid"))
    form, version, model, pair, nodes, claim, futures, visits, types, grid = found
    reading.check_format(PROFILE_FORMAT, form, version)
    if grid is not ABSENT and visits is not ABSENT:
        reading.refuse("there is a grid together with visits")
    return Profile(
        model=at(".model", reading.fingerprint, model),
        pair=at(".pair", pair_of(state, state), pair),
        futures=_optional(".futures", table_of(pair_of(state, _future)), futures),
        nodes=at(".nodes", list_of(_node), nodes),
        visits=_optional(".visits", table_of(pair_of(reading.index_of_part, some(_atom))), visits),
        types=_optional(".types", _types, types),
        grid=_optional(".grid", _grid, grid),
        claim=at(".claim", _claim, claim),
    )


def _optional(step: str, read: Reader[_T], value: object) -> _T | None:
    return None if value is ABSENT else at(step, read, value)


def _not_zero(value: object) -> int:
    n = reading.whole_number("an integer other than 0")(value)
    return n if n else reading.fail("an integer other than 0", value)


_atom = pair_of(rational, rational)
_atoms = list_of(_atom)
_states = table_of(pair_of(state, rational))
_vector = table_of(pair_of(state, _not_zero))
_next = table_of(pair_of(reading.label, reading.whole_number("the number of a node")))
_types = record(
    Types, classes=list_of(some(_states)), words=list_of(list_of(reading.label)), reach=list_of(_states)
)


def _future(value: object) -> dict[str, Fraction]:
    return _states(value) or reading.fail("an array that is not empty", value)


def _node(value: object) -> Node:
    a, b, following = reading.members(value, ("a", "b"), ("next",))
    return Node(at(".a", _vector, a), at(".b", _vector, b), _optional(".next", _next, following))


def _above_one(value: object) -> Fraction:
    x = rational(value)
    return x if x > 1 else reading.refuse("it is not greater than 1")


_grid = record(
    Grid,
    ratio=_above_one,
    bits=reading.whole_number("an integer from 1 to 4096", 1, 4096),
    rounds=reading.whole_number("an integer from 1 to 10^6", 1, 10**6),
    low=reading.whole_number("an integer from -2^31 to 0", -(2**31), 0),
    high=reading.whole_number("an integer from 0 to 2^31", 0, 2**31),
)
_bounds = record(Bounds, alpha=rational, forward=_atom, backward=_atom)
_exact = record(lambda atoms: Lists(atoms, atoms, exact=True), atoms=_atoms)
_lists = record(lambda low, high: Lists(low, high, exact=False), optimistic=_atoms, pessimistic=_atoms)


def _claim(value: object) -> Lists | Bounds:
    if not isinstance(value, reading.JsonObject):
        reading.fail("an object with atoms, with optimistic and pessimistic, or with alpha", value)
    given = {name for name, _ in value}
    if "alpha" in given:
        return _bounds(value)
    return _exact(value) if "atoms" in given else _lists(value)

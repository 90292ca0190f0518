"""The document of a profile: from JSON text to typed records, or ``Malformed`` (section 1 of the SPEC).

Nothing here knows what the numbers mean. What depends on the model, such as whether a name is that of a
state, is left to the steps of the proof.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, NamedTuple

from ..core import Malformed
from ..core.limits import Work
from ..core.reading import (
    Fingerprint,
    Index,
    Some,
    Version,
    fail,
    form,
    one_of,
    read_text,
    refuse,
    whole_number,
)

Atom = tuple[Fraction, Fraction]
_integer = whole_number("an integer other than 0")


def _not_zero(value: object) -> int:
    return _integer(value) or fail("an integer other than 0", value)


def _above_one(value: object) -> Fraction:
    x: Fraction = form(Fraction)(value)
    return x if x > 1 else refuse("it is not greater than 1")


Integers = dict[str, Annotated[int, _not_zero]]  # a vector; what is not listed is 0
Shares = dict[str, Fraction]


class Node(NamedTuple):
    """A pair of vectors (a, b), and for an inner node the numbers of the nodes that the labels lead to."""

    a: Integers
    b: Integers
    next: dict[str, int] | None = None  # a leaf has none


class Types(NamedTuple):
    """The types, each as its sets with their π; words that tell sets of different types apart; the r_τ."""

    classes: tuple[Some[Shares], ...]
    words: tuple[tuple[str, ...], ...]
    reach: tuple[Shares, ...]


class Grid(NamedTuple):
    """Cells from low to high at the powers of a ratio, numbers of so many bits, and how many rounds."""

    ratio: Annotated[Fraction, _above_one]
    bits: Annotated[int, whole_number("an integer from 1 to 4096", 1, 4096)]
    rounds: Annotated[int, whole_number("an integer from 1 to 10^6", 1, 10**6)]
    low: Annotated[int, whole_number("an integer from -2^31 to 0", -(2**31), 0)]
    high: Annotated[int, whole_number("an integer from 0 to 2^31", 0, 2**31)]


class Claim(NamedTuple):
    """optimistic ≤ lv ≤ pessimistic for every α; where the claim is about atoms, all three are that list."""

    atoms: Some[Atom] = ()
    optimistic: Some[Atom] = ()
    pessimistic: Some[Atom] = ()

    @property
    def exact(self) -> bool:
        """Whether the list is the privacy-loss distribution."""
        return bool(self.atoms)


class Profile(NamedTuple):
    """A certificate."""

    format: Annotated[str, one_of("bdist-profile")]
    version: Version
    model: Fingerprint
    pair: tuple[str, str]
    nodes: tuple[Node, ...]
    claim: Claim
    futures: dict[str, Shares] | None = None
    visits: dict[Index, Some[Atom]] | None = None
    types: Types | None = None
    grid: Grid | None = None


_document = form(Profile)


def read_profile(text: str, work: Work) -> Profile:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    profile: Profile = read_text(text, _document, work)
    if profile.grid is not None and profile.visits is not None:
        raise Malformed("visits: there is a grid, too")
    atoms, low, high = profile.claim
    if (bool(low), bool(high)) != (not atoms, not atoms):
        raise Malformed("claim: expected atoms, or optimistic and pessimistic")
    return profile._replace(claim=Claim(atoms, atoms, atoms)) if atoms else profile

"""A certificate as data, and as the JSON document that SPEC.md defines.

Claims, the upper part and the lower part are separate, and nothing in them repeats the model: a certificate
names its model by fingerprint and is meaningless without the file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction

from bdist.certificates import Document, array_text, document_text
from bdist.exact.reading import rational_text

FORMAT = "bdist-certificate"
VERSION = 1

Pair = tuple[str, str]


@dataclass(frozen=True)
class Coupling:
    """Weights w on ordered pairs of states and leaks b on states."""

    w: tuple[tuple[str, str, Fraction], ...]
    b: tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True)
class UpperRecord:
    """An upper bound at a pair, with a coupling for each direction that counts."""

    pair: Pair
    value: Fraction
    forward: Coupling
    backward: Coupling | None = None


@dataclass(frozen=True)
class LowerRecord:
    """A lower bound at a pair: a direction, an f that attains it, a g and a rank against circular support.

    A rest is the value at the states of a label that f (or g) does not name; it is 0 for other labels.
    """

    pair: Pair
    value: Fraction
    direction: str
    f: tuple[tuple[str, Fraction], ...]
    g: tuple[tuple[str, Fraction], ...]
    rank: int
    f_rest: tuple[tuple[str, Fraction], ...] = ()
    g_rest: tuple[tuple[str, Fraction], ...] = ()


@dataclass(frozen=True)
class Claim:
    """lower <= distance of the pair <= upper."""

    pair: Pair
    lower: Fraction
    upper: Fraction


@dataclass(frozen=True)
class Certificate(Document):
    """A proof of its claims about the model with that fingerprint.

    With a ``partition`` (its classes of two or more states) the records speak of the quotient. With a
    ``clock`` (the labels that mark an end) labels say how many steps are left until one. The lower records
    may use what ``words`` of that many labels tell about every other pair.
    """

    model: str
    quantity: str
    alpha: Fraction
    claims: tuple[Claim, ...]
    upper: tuple[UpperRecord, ...]
    lower: tuple[LowerRecord, ...]
    partition: tuple[tuple[str, ...], ...] | None = None
    words: int = 0
    clock: tuple[str, ...] | None = None

    def to_json(self) -> str:
        """The document of SPEC.md, one record a line."""
        head: dict[str, object] = {
            "format": FORMAT,
            "version": VERSION,
            "quantity": self.quantity,
            "model": self.model,
            "alpha": rational_text(self.alpha),
        }
        if self.words > 0:
            head["words"] = self.words
        members = {name: json.dumps(value) for name, value in head.items()}
        if self.partition is not None:
            members["partition"] = array_text(map(list, self.partition))
        if self.clock is not None:
            members["clock"] = json.dumps(list(self.clock))
        members["claims"] = array_text(map(_claim, self.claims))
        members["upper"] = array_text(map(_upper, self.upper))
        members["lower"] = array_text(map(_lower, self.lower))
        return document_text(members)


def _claim(claim: Claim) -> dict[str, object]:
    return {
        "pair": list(claim.pair),
        "lower": rational_text(claim.lower),
        "upper": rational_text(claim.upper),
    }


def _upper(record: UpperRecord) -> dict[str, object]:
    document: dict[str, object] = {
        "pair": list(record.pair),
        "value": rational_text(record.value),
        "forward": _coupling(record.forward),
    }
    if record.backward is not None:
        document["backward"] = _coupling(record.backward)
    return document


def _coupling(coupling: Coupling) -> dict[str, object]:
    return {
        "w": [[i, j, rational_text(x)] for i, j, x in coupling.w],
        "b": [[i, rational_text(x)] for i, x in coupling.b],
    }


def _lower(record: LowerRecord) -> dict[str, object]:
    document: dict[str, object] = {
        "pair": list(record.pair),
        "value": rational_text(record.value),
        "direction": record.direction,
        "f": [[i, rational_text(x)] for i, x in record.f],
        "g": [[i, rational_text(x)] for i, x in record.g],
        "rank": record.rank,
    }
    if record.f_rest:
        document["f_rest"] = [[c, rational_text(x)] for c, x in record.f_rest]
    if record.g_rest:
        document["g_rest"] = [[c, rational_text(x)] for c, x in record.g_rest]
    return document

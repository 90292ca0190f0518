"""A certificate as data, and as the JSON document that SPEC.md defines.

Claims, the upper part and the lower part are separate, and nothing in them repeats the model: a certificate
names its model by fingerprint and is meaningless without the file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from bdist.rationals.reading import rational_text

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
    """An upper bound at a pair with a coupling for each direction."""

    pair: Pair
    value: Fraction
    forward: Coupling
    backward: Coupling


@dataclass(frozen=True)
class LowerRecord:
    """A lower bound at a pair: a direction, a function f that attains it, and a function g with a rank that
    rules out circular support.
    """

    pair: Pair
    value: Fraction
    direction: str
    f: tuple[tuple[str, Fraction], ...]
    g: tuple[tuple[str, Fraction], ...]
    rank: int


@dataclass(frozen=True)
class Claim:
    """lower <= distance of the pair <= upper."""

    pair: Pair
    lower: Fraction
    upper: Fraction


@dataclass(frozen=True)
class Certificate:
    """A proof of its claims about the model with that fingerprint."""

    model: str
    quantity: str
    alpha: Fraction
    claims: tuple[Claim, ...]
    upper: tuple[UpperRecord, ...]
    lower: tuple[LowerRecord, ...]

    def to_json(self) -> str:
        """The document of SPEC.md, one record a line."""
        head = {
            "format": FORMAT,
            "version": VERSION,
            "quantity": self.quantity,
            "model": self.model,
            "alpha": rational_text(self.alpha),
        }
        lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
        lines.append(_section("claims", [_claim(claim) for claim in self.claims]) + ",")
        lines.append(_section("upper", [_upper(record) for record in self.upper]) + ",")
        lines.append(_section("lower", [_lower(record) for record in self.lower]))
        return "{\n" + "\n".join(lines) + "\n}\n"

    def write(self, path: str | Path) -> None:
        """Write the document to a file."""
        Path(path).write_text(self.to_json(), encoding="utf-8")


def _section(name: str, items: list[dict[str, object]]) -> str:
    if not items:
        return f'  "{name}": []'
    body = ",\n".join("    " + json.dumps(item) for item in items)
    return f'  "{name}": [\n{body}\n  ]'


def _claim(claim: Claim) -> dict[str, object]:
    return {
        "pair": list(claim.pair),
        "lower": rational_text(claim.lower),
        "upper": rational_text(claim.upper),
    }


def _upper(record: UpperRecord) -> dict[str, object]:
    return {
        "pair": list(record.pair),
        "value": rational_text(record.value),
        "forward": _coupling(record.forward),
        "backward": _coupling(record.backward),
    }


def _coupling(coupling: Coupling) -> dict[str, object]:
    return {
        "w": [[i, j, rational_text(x)] for i, j, x in coupling.w],
        "b": [[i, rational_text(x)] for i, x in coupling.b],
    }


def _lower(record: LowerRecord) -> dict[str, object]:
    return {
        "pair": list(record.pair),
        "value": rational_text(record.value),
        "direction": record.direction,
        "f": [[i, rational_text(x)] for i, x in record.f],
        "g": [[i, rational_text(x)] for i, x in record.g],
        "rank": record.rank,
    }

"""What the work of an audit yields: checked certificates, each with what it does not say itself.

Everything that an audit finds out is a certificate about one pair or several, and for tv an attack. Entries
are made by whoever does the work (this process, its helpers, a cluster), written to the journal one a line,
and read back from it; a finding is nothing but what the entries about a pair prove together. So a resumed
audit, one on a cluster and one in a single process arrive at the same findings by the same code.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bdist.certificates.document import Claim
from bdist.results import Distance
from bdist.traces.attack import Attack

Pair = tuple[str, str]


@dataclass(frozen=True)
class Entry:
    """A certificate that has been checked, with its claims.

    ``limit`` says what cut the computation short, if anything did; ``allowed`` is the time limit a pair that
    it ran under, in seconds, None for none. ``seconds`` is what it took, for all its claims together.
    """

    quantity: str
    claims: tuple[Claim, ...]
    certificate: str
    attack: Attack | None = None
    limit: str | None = None
    allowed: float | None = None
    seconds: float = 0.0

    @property
    def named_pairs(self) -> tuple[Pair, ...]:
        """The pairs of states that the claims name, in their order."""
        return tuple(claim.pair for claim in self.claims)

    @property
    def pairs(self) -> set[frozenset[str]]:
        """The pairs of states that the claims are about, without order."""
        return {frozenset(claim.pair) for claim in self.claims}


def entry_of(
    distance: Distance, seconds: float, limit: str | None, allowed: float | None, attack: Attack | None
) -> Entry:
    """An entry for a distance that was computed here, whose certificate has been checked here."""
    certificate = distance.certificate
    return Entry(
        certificate.quantity,
        certificate.claims,
        certificate.to_json(),
        attack,
        limit,
        allowed,
        round(seconds, 6),
    )


class Archive(Mapping[str, str]):
    """The texts of certificates by their SHA-256, compressed: they are long, and much alike."""

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}

    def keep(self, text: str) -> str:
        """Store a text and return its SHA-256 in hexadecimal."""
        data = text.encode("utf-8")
        name = hashlib.sha256(data).hexdigest()
        if name not in self._packed:
            self._packed[name] = zlib.compress(data, 1)
        return name

    def __getitem__(self, name: str) -> str:
        return zlib.decompress(self._packed[name]).decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)

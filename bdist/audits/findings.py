"""What an audit finds: for every pair of neighbours what is proved, and a verdict for all of them.

A *proof* here is what a checked certificate claims about one pair, named by the SHA-256 of the certificate's
text, so that a finding stays small however long its proofs are. A finding holds up to four of them, bd, ld in
both orders and tv, and what follows from them: a bracket on the true delta at e^epsilon. The upper end is the
least of bd, of the larger ld and of tv, each computed at a rational at or below e^epsilon; the lower end is
the advantage of an attack, evaluated at a rational at or above. A pair is private where the upper end is at
most delta, and is not where the lower end is above delta; in between nobody knows, and the reason is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from bdist.results import Answer, Bracket
from bdist.traces.attack import Attack

Pair = tuple[str, str]


@dataclass(frozen=True)
class Proof:
    """lower <= quantity(pair) <= upper at the audit's alpha, by the checked certificate of that SHA-256."""

    quantity: str
    pair: Pair
    lower: Fraction
    upper: Fraction
    certificate: str


@dataclass(frozen=True)
class Finding:
    """What is known about one pair of neighbours.

    ``delta`` is the bracket on the true delta at e^epsilon. ``ld`` are both orders, the pair's own first.
    ``limit`` says what cut the computation short, if anything did, and ``reason`` why an answer is UNKNOWN.
    """

    pair: Pair
    answer: Answer
    delta: Bracket
    bd: Proof | None
    ld: tuple[Proof | None, Proof | None]
    tv: Proof | None
    attack: Attack | None
    limit: str | None
    reason: str | None
    seconds: float

    @property
    def proofs(self) -> tuple[Proof, ...]:
        """All proofs that there are: bd, ld, tv."""
        return tuple(proof for proof in (self.bd, *self.ld, self.tv) if proof is not None)


@dataclass(frozen=True)
class Audit:
    """The findings for all pairs of a relation, the worst first, and the verdict.

    ``alpha`` is the rational at or below e^epsilon at which distances were computed, ``attack_alpha`` the one
    at or above at which attacks were evaluated; ``epsilon`` the text that they came from, if any.
    ``certificates`` gives the text of each certificate by its SHA-256. ``limit`` says what ended the whole
    audit early, if anything did.
    """

    model: str
    name: str
    epsilon: str | None
    alpha: Fraction
    attack_alpha: Fraction
    delta: Fraction
    answer: Answer
    findings: tuple[Finding, ...]
    certificates: Mapping[str, str]
    limit: str | None
    seconds: float

"""What the work of an audit yields: checked certificates, each with what it does not say itself.

Everything that an audit finds out is a certificate about one pair or several, and for tv an attack. Entries
are made by whoever does the work (this process, its helpers, a cluster), written to the journal one a line,
and read back from it; a finding is nothing but what the entries about a pair prove together. So a resumed
audit, one on a cluster and one in a single process arrive at the same findings by the same code.

*From elsewhere.* A journal was written by another process at another time, and a cluster's worker runs on
another machine with whatever is installed there. Neither is believed. What is read back is a `Received`,
which no ledger takes; texts that will be shown are stripped of what would steer a terminal, and lengths are
limited before anything is looked at. Only an `Examiner` makes an entry of it, by checking the certificate and
evaluating the attack here. What counts is what the certificate proves, so the claims are taken from the
checker's report; what an entry says of itself (how long it took, what cut it short) decides nothing.

An attack is part of the answer: it must be about a pair of its certificate, and reach the lower bound that
the certificate proves of that pair. One that was shortened, exchanged or left out would still have true
probabilities, and yet tell less than what was found. Only an attack with too many prefixes to list may fall
short, and then has as many as are ever listed. An entry whose attack does not do is not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bdist.certificates.checking import check_text
from bdist.certificates.document import Claim
from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import CertificateRejected
from bdist.printing import one_line
from bdist.results import Distance
from bdist.traces.attack import MOST_PREFIXES, Attack, Prefix, event_probability

Pair = tuple[str, str]
_MOST_READ = 10_000
_LONGEST_ATTACK = 1_000_000  # labels in all prefixes together
LONGEST_REASON = 1000  # characters
QUANTITIES = ("bd", "ld", "tv")


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


class Malformed(Exception):
    """What is wrong with data that should be an entry."""


@dataclass(frozen=True)
class Received:
    """What somebody says that he has proved: a certificate, the prefixes of an attack, and how it went."""

    certificate: str
    attacked: object
    prefixes: tuple[tuple[str, ...], ...] | None
    limit: str | None
    allowed: float | None
    seconds: float


def entry_document(entry: Entry) -> dict[str, object]:
    """An entry as data for JSON; its claims are left out, since nobody would believe them."""
    attack = entry.attack
    return {
        "certificate": entry.certificate,
        "attack": None
        if attack is None
        else {
            "pair": list(attack.pair),
            "prefixes": [list(prefix) for prefix in attack.prefixes],
        },
        "limit": entry.limit,
        "allowed": entry.allowed,
        "seconds": entry.seconds,
    }


def read_entry(document: object) -> Received:
    """What `entry_document` has made, or somebody else. Raises: Malformed."""
    if not isinstance(document, dict):
        raise Malformed("the entry is not an object")
    certificate, attack = document.get("certificate"), document.get("attack")
    allowed, seconds = document.get("allowed"), document.get("seconds")
    if not isinstance(certificate, str):
        raise Malformed("the entry has no certificate")
    limit = read_reason(document.get("limit"), "the entry's limit")
    if not (allowed is None or _is_number(allowed)) or seconds is None or not _is_number(seconds):
        raise Malformed("the entry's times are not numbers")
    if not (attack is None or isinstance(attack, dict)):
        raise Malformed("the entry's attack is not an object")
    pair = None if attack is None else attack.get("pair")
    prefixes = None if attack is None else _prefixes(attack.get("prefixes"))
    return Received(certificate, pair, prefixes, limit, allowed, float(seconds))


def read_reason(value: object, what: str) -> str | None:
    """A text that says why, in one line, or None. Raises: Malformed."""
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > LONGEST_REASON:
        raise Malformed(f"{what} is not a text")
    return one_line(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


def _prefixes(value: Any) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list) or len(value) > _MOST_READ:
        raise Malformed(f"the attack is not a list of at most {_MOST_READ} prefixes")
    if not all(isinstance(prefix, list) and all(isinstance(x, str) for x in prefix) for prefix in value):
        raise Malformed("the attack's prefixes are not lists of labels")
    if sum(map(len, value)) > _LONGEST_ATTACK:
        raise Malformed(f"the attack has more than {_LONGEST_ATTACK} labels")
    return tuple(tuple(prefix) for prefix in value)


class Examiner:
    """Checks entries for one chain at one alpha."""

    def __init__(self, chain: LabelledMarkovChain, alpha: Fraction) -> None:
        self._chain, self._alpha = chain, alpha

    def entry(self, found: Received) -> Entry:
        """An entry with the claims that the certificate proves and an attack's true probabilities.

        Raises: CertificateError where the certificate does not hold, or the attack falls short of it;
        ParameterError where the attack is none.
        """
        report = check_text(self._chain, found.certificate)
        if report.quantity not in QUANTITIES or report.alpha != self._alpha:
            raise CertificateRejected("audit", "the certificate is about another quantity or another alpha")
        if report.partition and report.quantity != "tv":
            raise CertificateRejected("audit", "the certificate is about the quotient's distance")
        claims = tuple(Claim(claim.pair, claim.lower, claim.upper) for claim in report.claims)
        attack = self._attack(report.quantity, claims, found.attacked, found.prefixes or ())
        return Entry(
            report.quantity, claims, found.certificate, attack, found.limit, found.allowed, found.seconds
        )

    def _attack(
        self, quantity: str, claims: tuple[Claim, ...], pair: object, prefixes: tuple[Prefix, ...]
    ) -> Attack | None:
        """The attack of an entry, evaluated here; None where the certificate proves nothing from below."""
        if not prefixes:
            if quantity == "tv" and any(claim.lower > 0 for claim in claims):
                raise CertificateRejected("audit", "the attack behind the lower bound is missing")
            return None
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise CertificateRejected("audit", "the attack is not about a pair of states")
        first, second = pair
        orders = ((first, second), (second, first))
        lower = next((claim.lower for claim in claims if claim.pair in orders), None)
        if quantity != "tv" or lower is None:
            raise CertificateRejected("audit", "the attack is not about a pair of the certificate")
        p, q = (event_probability(self._chain, state, prefixes) for state in (first, second))
        complete = p - self._alpha * q >= lower
        if not complete and len(prefixes) < MOST_PREFIXES:
            raise CertificateRejected("audit", "the attack falls short of the lower bound that is proved")
        return Attack((first, second), prefixes, p, q, complete)

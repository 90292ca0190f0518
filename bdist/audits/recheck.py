"""Entries from elsewhere, checked as a stranger's: the certificate by the checker, the attack by evaluation.

A journal was written by another process at another time, and a cluster's worker runs on another machine with
whatever is installed there. Neither is believed. What counts about an entry is what its certificate proves,
so its claims are taken from the checker's report; what it says of itself (how long it took, what cut it
short) decides nothing.

An attack is part of the answer: it must be about a pair of its certificate, and reach the lower bound that
the certificate proves of that pair. One that was shortened, exchanged or left out would still have true
probabilities, and yet tell less than what was found. Only an attack with too many prefixes to list may fall
short, and then has as many as are ever listed. An entry whose attack does not do is not used.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.audits.entries import Entry
from bdist.audits.entry_text import Received
from bdist.certificates.checking import check_text
from bdist.certificates.document import Claim
from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import CertificateRejected
from bdist.traces.attack import MOST_PREFIXES, Attack, Prefix, event_probability

QUANTITIES = ("bd", "ld", "tv")


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

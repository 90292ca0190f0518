"""Entries from elsewhere, checked as a stranger's: the certificate by the checker, the attack by evaluation.

A journal was written by another process at another time, and a cluster's worker runs on another machine with
whatever is installed there. Neither is believed. What counts about an entry is what its certificate proves,
so its claims are taken from the checker's report; what it says of itself (how long it took, what cut it
short) decides nothing.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.audits.entries import Entry
from bdist.audits.entry_text import Unchecked
from bdist.certificates.checking import check_text
from bdist.certificates.document import Claim
from bdist.distances.attack import Attack, event_probability
from bdist.errors import CertificateRejected
from bdist.models.chain import LabelledMarkovChain

QUANTITIES = ("bd", "ld", "tv")


class Examiner:
    """Checks entries for one chain at one alpha."""

    def __init__(self, chain: LabelledMarkovChain, alpha: Fraction) -> None:
        self._chain, self._alpha = chain, alpha

    def entry(self, found: Unchecked) -> Entry:
        """An entry with the claims that the certificate proves and an attack's true probabilities.

        Raises: CertificateError where the certificate does not hold; ParameterError where the attack is none.
        """
        report = check_text(self._chain, found.certificate)
        if report.quantity not in QUANTITIES or report.alpha != self._alpha:
            raise CertificateRejected("audit", "the certificate is about another quantity or another alpha")
        if report.partition and report.quantity != "tv":
            raise CertificateRejected("audit", "the certificate is about the quotient's distance")
        claims = tuple(Claim(claim.pair, claim.lower, claim.upper) for claim in report.claims)
        attack = None
        if found.prefixes is not None:
            attack = self._attack(found.attacked, found.prefixes, found.complete)
        return Entry(
            report.quantity, claims, found.certificate, attack, found.limit, found.allowed, found.seconds
        )

    def _attack(self, pair: object, prefixes: tuple[tuple[str, ...], ...], complete: bool) -> Attack:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise CertificateRejected("audit", "the attack is not about a pair of states")
        first, second = pair
        p, q = (event_probability(self._chain, state, prefixes) for state in (first, second))
        return Attack((first, second), prefixes, p, q, complete)

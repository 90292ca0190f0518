"""Decisions about automata: the check of a certificate as a whole, SPEC-DIPA section 3.

``automaton.py`` reads the model, ``automaton_document.py`` the certificate; ``automaton_privacy.py`` follows
the proof that an automaton is private, ``automaton_leaks.py`` that it is not, and ``automaton_ways.py`` what
both need to find their way. With chains they share the reading of JSON, the limits and the exceptions. They
are loaded when the first automaton is checked, so that who asks about chains does not wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..core.limits import Allowance, Work
from ..core.reading import collector_paused
from ..core.steps import Rejected

AUTOMATON_STEPS = (
    "model",
    "components",
    "order",
    "connected",
    "leaking-cycle",
    "disclosing-cycle",
    "leaking-pair",
    "disclosed-store",
    "disclosed-sample",
    "late-disclosure",
    "left",
    "weight",
    "path",
    "prefix",
    "first",
    "between",
    "second",
)


@dataclass(frozen=True)
class AutomatonReport:
    """What an accepted certificate proves about an automaton.

    With a weight: it is (weight · ε)-differentially private for every ε > 0, and no path costs more than the
    weight, and one as much. Without: for no ε > 0 is it private to any degree, by a leak of that kind.
    """

    weight: Fraction | None
    leak: str | None
    transitions: int  # of the automaton

    @property
    def private(self) -> bool:
        """Whether the automaton is private."""
        return self.weight is not None


def check_automaton(
    model_text: str, certificate_text: str, allowed: Allowance | None = None
) -> AutomatonReport:
    """Verify a certificate against the text of a ``.dipa`` model (without a byte order mark).

    Raises: BadModel where the model cannot be read; Malformed where the certificate is not a document of the
    specified form, and TooLarge, which is a kind of it, where it is beyond the limits; Rejected where it is
    one, and does not prove what it claims.
    """
    from .automaton import read_automaton
    from .document import PrivacyClaim, read_claim
    from .leaks import verify_leak
    from .privacy import verify_privacy

    work = Work(len(model_text) + len(certificate_text), allowed)
    with collector_paused():
        automaton = read_automaton(model_text)
        claim = read_claim(certificate_text, work)
        found = automaton.fingerprint()
        if claim.model != found:
            raise Rejected("model", f"the certificate is for the model {claim.model}, and this is {found}")
        if isinstance(claim, PrivacyClaim):
            verify_privacy(automaton, claim, work)
            return AutomatonReport(claim.weight, None, len(automaton.transitions))
        verify_leak(automaton, claim)
        return AutomatonReport(None, claim.kind, len(automaton.transitions))

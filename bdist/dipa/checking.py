"""Running the independent checker on decisions about automata.

As for chains (`bdist.certificates.checking`), the checker is handed the two texts that a stranger would hand
it, the automaton's and the certificate's, and its verdict is translated into our exceptions.
"""

from __future__ import annotations

from pathlib import Path

from bdist import checker
from bdist.budget import Budget
from bdist.certificates.checking import translated, vouched
from bdist.dipa import text as dipa
from bdist.dipa.automaton import Automaton
from bdist.dipa.certificate import DipaCertificate
from bdist.text.files import CERTIFICATE_BYTES, read_text


def check(
    model: Automaton | str | Path, certificate: DipaCertificate | str | Path
) -> checker.AutomatonReport:
    """Check a certificate against an automaton; both may be files. Returns what is now proved.

    Raises: CertificateRejected with the failing step, CertificateSyntaxError, FormatError.
    """
    if isinstance(certificate, DipaCertificate):
        proof, text = "certificate", certificate.to_json()
    else:
        proof, text = str(certificate), read_text(certificate, "utf-8", CERTIFICATE_BYTES)
    with translated(proof, "model" if isinstance(model, Automaton) else str(model)):
        return checker.check_automaton(
            dipa.write(model) if isinstance(model, Automaton) else read_text(model), text
        )


def vouch(automaton: Automaton, certificate: DipaCertificate, budget: Budget | None = None) -> None:
    """Check a certificate that we made ourselves. Raises: as `bdist.certificates.checking.vouched`."""
    vouched(checker.check_automaton, "model.dipa", dipa.write(automaton), certificate.to_json(), budget)

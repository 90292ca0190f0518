"""Running the independent checker on decisions about automata.

As for chains (`bdist.certificates.checking`), the checker is handed the two texts that a stranger would hand
it, the automaton's and the certificate's, and its verdict is translated into our exceptions.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bdist import checker
from bdist.certificates.checking import translated
from bdist.dipa.certificate import DipaCertificate
from bdist.errors import CertificateRejected, CertificateSyntaxError, FormatError, InternalError
from bdist.formats import dipa
from bdist.formats.files import CERTIFICATE_BYTES, read_text
from bdist.models.automaton import Automaton


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


def vouch(automaton: Automaton, certificate: DipaCertificate) -> None:
    """Check a certificate that we made ourselves.

    Raises: InternalError, after saving a reproducer, where it does not hold.
    """
    try:
        check(automaton, certificate)
    except (CertificateRejected, CertificateSyntaxError, FormatError) as error:
        folder = Path(tempfile.mkdtemp(prefix="bdist-internal-error-"))
        (folder / "model.dipa").write_text(dipa.write(automaton), encoding="utf-8")
        certificate.write(folder / "certificate.json")
        raise InternalError(
            f"an answer failed its own check and is withheld: {error}; model and certificate are in {folder}"
        ) from error

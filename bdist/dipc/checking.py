"""Running the independent checker on decisions about programs.

As for chains (`bdist.certificates.checking`), the checker is handed the two texts that a stranger would hand
it, the program's and the certificate's, and its verdict is translated into our exceptions. It computes all
distributions a second time, with code of its own.
"""

from __future__ import annotations

from pathlib import Path

from bdist import checker
from bdist.certificates.checking import translated, withheld_unless_accepted
from bdist.dipc.certificate import DipcCertificate
from bdist.formats import dip
from bdist.formats.files import CERTIFICATE_BYTES, read_text
from bdist.models.program import Program


def check(model: Program | str | Path, certificate: DipcCertificate | str | Path) -> checker.ProgramReport:
    """Check a certificate against a program; both may be files. Returns what is now proved.

    Raises: CertificateRejected with the failing step, CertificateSyntaxError, FormatError.
    """
    if isinstance(certificate, DipcCertificate):
        proof, text = "certificate", certificate.to_json()
    else:
        proof, text = str(certificate), read_text(certificate, "utf-8", CERTIFICATE_BYTES)
    with translated(proof, "program" if isinstance(model, Program) else str(model)):
        return checker.check_program(
            dip.text_of(model) if isinstance(model, Program) else read_text(model), text
        )


def vouch(program: Program, certificate: DipcCertificate) -> None:
    """Check a certificate that we made ourselves.

    Raises: InternalError, after saving a reproducer, where it does not hold; UnsupportedError where it is too
    long to be checked.
    """
    text = certificate.to_json()
    with (
        withheld_unless_accepted("program.dip", lambda: dip.text_of(program), text),
        translated("certificate", "program"),
    ):
        checker.check_program(dip.text_of(program), text)

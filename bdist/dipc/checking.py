"""Running the independent checker on decisions about programs.

As for chains (`bdist.certificates.checking`), the checker is handed the two texts that a stranger would hand
it, the program's and the certificate's, and its verdict is translated into our exceptions. It computes all
distributions a second time, with code of its own.
"""

from __future__ import annotations

from pathlib import Path

from bdist import checker
from bdist.budget import Budget
from bdist.certificates.checking import translated, vouched
from bdist.dipc import text as dip
from bdist.dipc.certificate import DipcCertificate
from bdist.dipc.program import Program
from bdist.text.files import CERTIFICATE_BYTES, read_text


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


def vouch(program: Program, certificate: DipcCertificate, budget: Budget | None = None) -> None:
    """Check a certificate that we made ourselves. Raises: as `bdist.certificates.checking.vouched`."""
    vouched(checker.check_program, "program.dip", dip.text_of(program), certificate.to_json(), budget)

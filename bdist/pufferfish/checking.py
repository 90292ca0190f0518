"""Running the independent checker on statements about hidden Markov models.

As for chains (`bdist.certificates.checking`), the checker is handed the two texts that a stranger would
hand it, the model's and the certificate's, and its verdict is translated into our exceptions.
"""

from __future__ import annotations

from pathlib import Path

from bdist import checker
from bdist.budget import Budget
from bdist.certificates.checking import translated, vouched
from bdist.pufferfish import text as hmm
from bdist.pufferfish.certificate import PufferfishCertificate
from bdist.pufferfish.model import HiddenMarkovModel
from bdist.text.files import CERTIFICATE_BYTES, read_text


def check(
    model: HiddenMarkovModel | str | Path, certificate: PufferfishCertificate | str | Path
) -> checker.HiddenModelReport:
    """Check a certificate against a model; both may be files. Returns what is now proved.

    Raises: CertificateRejected with the failing step, CertificateSyntaxError, FormatError.
    """
    if isinstance(certificate, PufferfishCertificate):
        proof, text = "certificate", certificate.to_json()
    else:
        proof, text = str(certificate), read_text(certificate, "utf-8", CERTIFICATE_BYTES)
    with translated(proof, "model" if isinstance(model, HiddenMarkovModel) else str(model)):
        return checker.check_hidden_model(
            hmm.write(model) if isinstance(model, HiddenMarkovModel) else read_text(model), text
        )


def vouch(
    model: HiddenMarkovModel, certificate: PufferfishCertificate, budget: Budget | None = None
) -> checker.HiddenModelReport:
    """Check a certificate that we made ourselves. Raises: as `bdist.certificates.checking.vouched`."""
    return vouched(checker.check_hidden_model, "model.hmm", hmm.write(model), certificate.to_json(), budget)

"""Running the independent checker from inside the package.

The checker is a folder of its own that imports nothing of bdist. This module hands it the two texts that a
stranger would hand it, the model's and the certificate's, and translates its verdict into our exceptions.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bdist import checker
from bdist.certificates.document import Certificate
from bdist.errors import CertificateRejected, CertificateSyntaxError, FormatError, InternalError
from bdist.formats import lmc, load
from bdist.formats.files import read_text
from bdist.models.chain import LabelledMarkovChain


def check(model: LabelledMarkovChain | str | Path, certificate: Certificate | str | Path) -> checker.Report:
    """Check a certificate against a model; both may be files. Returns the claims that are now proved.

    Raises: CertificateRejected with the failing step, CertificateSyntaxError, FormatError or ModelError.
    """
    text = certificate.to_json() if isinstance(certificate, Certificate) else read_text(certificate, "utf-8")
    try:
        return checker.check(_model_text(model), text)
    except checker.Rejected as error:
        raise CertificateRejected(error.step, error.reason) from None
    except checker.Malformed as error:
        source = "certificate" if isinstance(certificate, Certificate) else str(certificate)
        raise CertificateSyntaxError(f"{source}: {error}") from None
    except checker.BadModel as error:
        raise FormatError(
            str(error), source="model" if isinstance(model, LabelledMarkovChain) else model
        ) from None


def vouch(chain: LabelledMarkovChain, certificate: Certificate) -> None:
    """Check a certificate that we made ourselves.

    Raises: InternalError, after saving a reproducer, where it does not hold.
    """
    try:
        check(chain, certificate)
    except (CertificateRejected, CertificateSyntaxError, FormatError) as error:
        folder = Path(tempfile.mkdtemp(prefix="bdist-internal-error-"))
        (folder / "model.lmc").write_text(lmc.write(chain), encoding="utf-8")
        certificate.write(folder / "certificate.json")
        raise InternalError(
            f"an answer failed its own check and is withheld: {error}; model and certificate are in {folder}"
        ) from error


def _model_text(model: LabelledMarkovChain | str | Path) -> str:
    if isinstance(model, LabelledMarkovChain):
        return lmc.write(model)
    # The checker reads .lmc itself; any other format is translated by our reader first.
    return read_text(model) if Path(model).suffix.lower() == ".lmc" else lmc.write(load(model))

"""Running the independent checker from inside the package.

The checker is a folder of its own that imports nothing of bdist. This module hands it the two texts that a
stranger would hand it, the model's and the certificate's, and translates its verdict into our exceptions.
`bdist.check` finds the checker that a file asks for.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from bdist import checker
from bdist.budget import Budget, Unchecked
from bdist.certificates import Document
from bdist.certificates.document import Certificate
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import lmc
from bdist.errors import (
    BdistError,
    CertificateRejected,
    CertificateSyntaxError,
    CertificateTooLarge,
    FormatError,
    InternalError,
    UnsupportedError,
    by_caller,
)
from bdist.text.files import CERTIFICATE_BYTES, read_text, write_files

Model = TypeVar("Model")
Report = TypeVar("Report")


def check_text(chain: LabelledMarkovChain, certificate: str) -> checker.Report:
    """Check the text of a certificate that came from elsewhere. Raises: as `check`."""
    with translated("certificate", "model"):
        return checker.check(lmc.write(chain), certificate)


def check_given(
    check: Callable[[str, str], Report],
    model: Model | str | Path,
    written: Callable[[Model], str],
    called: str,
    certificate: Document | str | Path,
) -> Report:
    """Check a certificate against a model, each of them an object or a file; ``called`` is what messages call
    a model that is no file.

    Raises: CertificateRejected with the failing step, CertificateSyntaxError, FormatError.
    """
    if isinstance(certificate, Document):
        source, proof = "certificate", certificate.to_json()
    else:
        source, proof = str(certificate), read_text(certificate, "utf-8", CERTIFICATE_BYTES)
    with translated(source, str(model) if isinstance(model, str | Path) else called):
        return check(read_text(model) if isinstance(model, str | Path) else written(model), proof)


def vouch(chain: LabelledMarkovChain, certificate: Certificate, budget: Budget | None = None) -> None:
    """Check a certificate of a distance that we made ourselves. Raises: as `vouched`."""
    vouched(checker.check, "model.lmc", lmc.write(chain), certificate.to_json(), budget)


def reason_unchecked(chain: LabelledMarkovChain, certificate: Certificate, budget: Budget) -> str | None:
    """Check a certificate of a distance; None where it holds, and else why it was not checked to the end.

    Raises: InternalError where it does not hold.
    """
    try:
        vouch(chain, certificate, budget)
    except (Unchecked, UnsupportedError) as error:
        return str(error)
    return None


def vouched(
    check: Callable[[str, str, checker.Allowance | None], Report],
    name: str,
    model: str,
    certificate: str,
    budget: Budget | None = None,
) -> Report:
    """What is proved by a certificate that we made ourselves, as the independent checker finds.

    One that fails is our mistake, and its answer is withheld. The model's text is that of a file of the given
    name.
    Raises: InternalError where it does not hold, after saving both texts; UnsupportedError where it is longer
    than the checker reads, or takes more work than it allows itself; Unchecked where the time is up.
    """
    allowed = allowance(budget or Budget())
    if len(certificate) > CERTIFICATE_BYTES:
        raise UnsupportedError(
            f"the proof has {len(certificate)} characters; the checker reads at most {CERTIFICATE_BYTES}"
        )
    try:
        with translated("certificate", "model"):
            return check(model, certificate, allowed)
    except CertificateTooLarge as error:
        ask = f"; allow it more memory{by_caller(' (--memory-limit)', '')}"
        more = ask if "bytes of memory" in str(error) else ""
        raise UnsupportedError(
            f"an answer was found, and its proof cannot be checked: {error}{more}"
        ) from None
    except (CertificateRejected, CertificateSyntaxError, FormatError) as error:
        where = _saved({name: model, "certificate.json": certificate})
        raise InternalError(f"an answer failed its own check and is withheld: {error}; {where}") from error


def _saved(texts: Mapping[str, str]) -> str:
    """Save what reproduces a mistake of ours, and say where it is, or why it is not."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="bdist-internal-error-"))
        write_files({folder / name: text for name, text in texts.items()})
    except (OSError, BdistError) as error:
        return f"model and certificate could not be saved: {error}"
    return f"model and certificate are in {folder}"


def allowance(budget: Budget) -> checker.Allowance:
    """What a budget allows a check."""

    def ask() -> None:
        if budget.overdue():
            raise Unchecked

    return checker.Allowance(budget.memory, ask)


@contextmanager
def translated(certificate: str, model: str) -> Iterator[None]:
    """The checker's exceptions as ours, with the names of the two sources."""
    try:
        yield
    except checker.Rejected as error:
        raise CertificateRejected(error.step, error.reason) from None
    except checker.TooLarge as error:
        raise CertificateTooLarge(f"{certificate}: {error}") from None
    except checker.Malformed as error:
        raise CertificateSyntaxError(f"{certificate}: {error}") from None
    except checker.BadModel as error:
        raise FormatError(str(error), source=model) from None

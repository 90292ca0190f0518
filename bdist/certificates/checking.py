"""Running the independent checker from inside the package.

The checker is a folder of its own that imports nothing of bdist. This module hands it the two texts that a
stranger would hand it, the model's and the certificate's, and translates its verdict into our exceptions. Of
automata and hidden Markov models it knows the names of files only; `bdist.dipa.checking` and
`bdist.pufferfish.checking` have the rest.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, overload

from bdist import checker
from bdist.budget import Budget, Unchecked
from bdist.certificates.document import Certificate
from bdist.errors import (
    BdistError,
    CertificateRejected,
    CertificateSyntaxError,
    CertificateTooLarge,
    FormatError,
    InternalError,
    UnsupportedError,
)
from bdist.files import write_texts
from bdist.formats import dip, dipa, hmm, lmc, load_model, mdp
from bdist.formats.description import ReadOptions
from bdist.formats.files import CERTIFICATE_BYTES, read_text
from bdist.models.chain import LabelledMarkovChain
from bdist.models.mdp import MarkovDecisionProcess

Report = TypeVar("Report")
AnyReport = (
    checker.Report
    | checker.AutomatonReport
    | checker.HiddenModelReport
    | checker.FormulaReport
    | checker.DecisionReport
    | checker.ProgramReport
)


@overload
def check(
    model: LabelledMarkovChain,
    certificate: Certificate | str | Path,
    options: ReadOptions | None = None,
    budget: Budget | None = None,
) -> checker.Report: ...


@overload
def check(
    model: str | Path,
    certificate: Certificate,
    options: ReadOptions | None = None,
    budget: Budget | None = None,
) -> checker.Report: ...


@overload
def check(
    model: str | Path,
    certificate: str | Path,
    options: ReadOptions | None = None,
    budget: Budget | None = None,
) -> AnyReport: ...


def check(
    model: LabelledMarkovChain | str | Path,
    certificate: Certificate | str | Path,
    options: ReadOptions | None = None,
    budget: Budget | None = None,
) -> AnyReport:
    """Check a certificate against a model; both may be files. Returns what is now proved.

    The checker reads an ``.lmc`` file itself, a ``.dipa`` file (an automaton), an ``.hmm`` file (a hidden
    Markov model), an ``.mdp`` file (a decision process) and a ``.dip`` file (a program); another one is read
    by `load_model`, with those options. Whether a certificate of a chain is about distances or about a
    formula, it says itself.
    Raises: CertificateRejected with the failing step, CertificateSyntaxError, FormatError, ModelError, or
    UnsupportedError for an option that does not fit the file; Unchecked where the budget ends first.
    """
    allowed = _allowance(budget or Budget())
    text = (
        certificate.to_json()
        if isinstance(certificate, Certificate)
        else read_text(certificate, "utf-8", CERTIFICATE_BYTES)
    )
    proof = "certificate" if isinstance(certificate, Certificate) else str(certificate)
    with translated(proof, "model" if isinstance(model, LabelledMarkovChain) else str(model)):
        if not isinstance(model, LabelledMarkovChain):
            suffix = Path(model).suffix.lower()
            if suffix == dipa.SUFFIX:
                return checker.check_automaton(_plain_text(model, options or ReadOptions()), text, allowed)
            if suffix == hmm.SUFFIX:
                return checker.check_hidden_model(_plain_text(model, options or ReadOptions()), text, allowed)
            if suffix == mdp.SUFFIX:
                return checker.check_decision_process(
                    _plain_text(model, options or ReadOptions()), text, allowed
                )
            if suffix == dip.SUFFIX:
                return checker.check_program(_plain_text(model, options or ReadOptions()), text, allowed)
            if suffix != ".lmc":
                read = load_model(model, options)
                if isinstance(read, MarkovDecisionProcess):
                    return checker.check_decision_process(mdp.write(read), text, allowed)
                model = read
            if checker.is_formula_certificate(text):
                return checker.check_formula(_model_text(model, options or ReadOptions()), text, allowed)
        return checker.check(_model_text(model, options or ReadOptions()), text, allowed)


def check_text(chain: LabelledMarkovChain, certificate: str) -> checker.Report:
    """Check the text of a certificate that came from elsewhere. Raises: as `check`."""
    with translated("certificate", "model"):
        return checker.check(lmc.write(chain), certificate)


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
    allowed = _allowance(budget or Budget())
    if len(certificate) > CERTIFICATE_BYTES:
        raise UnsupportedError(
            f"the proof has {len(certificate)} characters; the checker reads at most {CERTIFICATE_BYTES}"
        )
    try:
        with translated("certificate", "model"):
            return check(model, certificate, allowed)
    except CertificateTooLarge as error:
        more = "; allow it more memory (--memory-limit)" if "bytes of memory" in str(error) else ""
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
        write_texts({folder / name: text for name, text in texts.items()})
    except (OSError, BdistError) as error:
        return f"model and certificate could not be saved: {error}"
    return f"model and certificate are in {folder}"


def _allowance(budget: Budget) -> checker.Allowance:
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


def _model_text(model: LabelledMarkovChain | str | Path, options: ReadOptions) -> str:
    if isinstance(model, LabelledMarkovChain):
        return lmc.write(model)
    return _plain_text(model, options)


def _plain_text(model: str | Path, options: ReadOptions) -> str:
    suffix = Path(model).suffix.lower()
    for option in options.given():
        raise UnsupportedError(f"{model}: {option} is not an option of {suffix} files, which have no options")
    return read_text(model)

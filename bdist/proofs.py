"""Certificates of every kind: which check a file and its certificate ask for."""

from __future__ import annotations

from pathlib import Path
from typing import overload

from bdist import checker
from bdist.budget import Budget
from bdist.certificates.checking import allowance, translated
from bdist.certificates.document import Certificate
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import ReadOptions, lmc
from bdist.dipa import text as dipa
from bdist.dipc import text as dip
from bdist.dpctl import text as mdp
from bdist.dpctl.formats import load_model
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.errors import UnsupportedError
from bdist.pufferfish import text as hmm
from bdist.text.files import CERTIFICATE_BYTES, read_text

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
    allowed = allowance(budget or Budget())
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


def _model_text(model: LabelledMarkovChain | str | Path, options: ReadOptions) -> str:
    if isinstance(model, LabelledMarkovChain):
        return lmc.write(model)
    return _plain_text(model, options)


def _plain_text(model: str | Path, options: ReadOptions) -> str:
    suffix = Path(model).suffix.lower()
    for option in options.given():
        raise UnsupportedError(f"{model}: {option} is not an option of {suffix} files, which have no options")
    return read_text(model)

"""Models and certificates of every kind: which reader a file asks for, and which check a certificate.

What is here knows no theory by name: a suffix, a format that may hold one of two kinds of model, and what a
certificate says of itself lead to a line of `bdist.theories`, and from there to a folder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, overload

from bdist import checker
from bdist.budget import Budget
from bdist.certificates import Document, verified
from bdist.certificates.checking import allowance, translated
from bdist.certificates.document import Certificate
from bdist.certificates.plain import plain_distances, plain_profile
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import LMC, ReadOptions, lmc
from bdist.errors import UnsupportedError
from bdist.exact.rationals import counted, exact_text, rational_text
from bdist.printing import named
from bdist.report import Report
from bdist.text.files import CERTIFICATE_BYTES, read_text
from bdist.theories import THEORIES, kind_of

PROFILE = "bdist-profile"  # the format of certificates of privacy profiles
_LONGEST_LIST = 20


@dataclass(frozen=True)
class Proved:
    """What a certificate proves: the checker's report, how it is told, and the two texts."""

    report: Any
    describe: Callable[[Any], Report]
    model: str
    certificate: str


@overload
def check(
    model: LabelledMarkovChain | str | Path,
    certificate: Certificate,
    options: ReadOptions | None = None,
    budget: Budget | None = None,
) -> checker.Report: ...


@overload
def check(
    model: LabelledMarkovChain | str | Path,
    certificate: Document | str | Path,
    options: ReadOptions | None = None,
    budget: Budget | None = None,
) -> Any: ...


def check(
    model: LabelledMarkovChain | str | Path,
    certificate: Document | str | Path,
    options: ReadOptions | None = None,
    budget: Budget | None = None,
) -> Any:
    """Check a certificate against a model; both may be files. Returns the checker's report of what is proved.

    The checker reads ``.lmc`` files and those of the theories itself (``.dipa``, an automaton; ``.hmm``, a
    hidden Markov model; ``.mdp``, a decision process; ``.dip``, a program); another one is read by
    `load_model`, with those options. Whether a certificate of a chain is about distances, about a privacy
    profile or about a formula, it says itself.
    Raises: CertificateRejected with the failing step, CertificateSyntaxError, FormatError, ModelError, or
    UnsupportedError for an option that does not fit the file; Unchecked where the budget ends first.
    """
    return examine(model, certificate, options, budget).report


def examine(
    model: LabelledMarkovChain | str | Path,
    certificate: Document | str | Path,
    options: ReadOptions | None = None,
    budget: Budget | None = None,
) -> Proved:
    """As `check`, with what there is to tell about it."""
    allowed = allowance(budget or Budget())
    if isinstance(certificate, Document):
        source, text = "certificate", certificate.to_json()
    else:
        source, text = str(certificate), read_text(certificate, "utf-8", CERTIFICATE_BYTES)
    with translated(source, "model" if isinstance(model, LabelledMarkovChain) else str(model)):
        if isinstance(model, LabelledMarkovChain):
            return _about_a_chain(lmc.write(model), text, allowed)
        model_text, folder = _text_of(
            model if isinstance(model, Path) else Path(model), options or ReadOptions()
        )
        if folder is not None:
            theory = import_module(f"bdist.{folder}.kind")
            report = theory.check(model_text, text, allowed)
            return Proved(report, theory.proved, model_text, text)
        for known in THEORIES:
            if known.judges_chains:
                theory = import_module(f"bdist.{known.name}.kind")
                if theory.is_about_a_chain(text):
                    report = theory.check_chain(model_text, text, allowed)
                    return Proved(report, theory.proved, model_text, text)
        return _about_a_chain(model_text, text, allowed)


def _about_a_chain(model: str, text: str, allowed: checker.Allowance) -> Proved:
    """The check of a certificate of distances or of a privacy profile: it says itself what it is."""
    if checker.format_of(text) == PROFILE:
        from bdist.traces.certificate import proved  # not where a distance is checked

        return Proved(checker.check_profile(model, text, allowed), proved, model, text)
    return Proved(checker.check(model, text, allowed), _proved, model, text)


def verify(proved: Proved, budget: Budget | None = None) -> bool:
    """Let the verified checker decide, too; whether it knows certificates like this.

    Raises: as `bdist.certificates.verified.check`.
    """
    text: str | None = None
    if isinstance(proved.report, checker.Report):
        text = plain_distances(proved.model, proved.certificate)
    elif isinstance(proved.report, checker.ProfileReport):
        text = plain_profile(proved.model, proved.certificate)
    if text is not None:
        verified.check(text, budget or Budget())
    return text is not None


def load_model(path: str | Path, options: ReadOptions | None = None) -> Any:
    """Read a chain, or a model of a theory that shares formats with chains. Raises: as `bdist.load`."""
    return model_formats().load_model(path, options)


def model_formats() -> Any:
    """The module that reads and writes chains and the models that share formats with them."""
    return import_module(next(f"bdist.{theory.name}.formats" for theory in THEORIES if theory.shares_formats))


def _text_of(path: Path, options: ReadOptions) -> tuple[str, str | None]:
    """The text of a model as the checker reads it, and the folder of its theory; None for a chain."""
    suffix = path.suffix.lower()
    theory = next((theory.name for theory in THEORIES if theory.suffix == suffix), None)
    if theory is not None or suffix == LMC.suffixes[0]:
        for option in options.given():
            raise UnsupportedError(
                f"{path}: {option} is not an option of {suffix} files, which have no options"
            )
        return read_text(path), theory
    model = load_model(path, options)
    kind = kind_of(model)
    return kind.write(model), next((t.name for t in THEORIES if t.suffix == kind.suffix), None)


def _proved(report: checker.Report) -> Report:
    """The claims of a checked certificate of distances, and how much was checked for them."""
    document = {
        "accepted": True,
        "quantity": report.quantity,
        "alpha": rational_text(report.alpha),
        "claims": [
            {"pair": list(c.pair), "lower": rational_text(c.lower), "upper": rational_text(c.upper)}
            for c in report.claims
        ],
        "of_the_quotient": _of_the_quotient(report),
        "upper_records": report.upper_records,
        "lower_records": report.lower_records,
    }
    return Report("\n".join(_lines(report)), document)


def _lines(report: checker.Report) -> list[str]:
    alpha, lines = rational_text(report.alpha), []
    for claim in report.claims[:_LONGEST_LIST]:
        where = " of the quotient" if _of_the_quotient(report) else ""
        name = f"{report.quantity}({named(claim.pair[0])}, {named(claim.pair[1])}){where} at alpha {alpha}"
        if claim.lower == claim.upper:
            lines.append(f"accepted  {name} = {exact_text(claim.upper)}")
        else:
            lines.append(f"accepted  {rational_text(claim.lower)} <= {name} <= {rational_text(claim.upper)}")
    if len(report.claims) > _LONGEST_LIST:
        lines.append(f"accepted  {counted(len(report.claims) - _LONGEST_LIST, 'more claim')}")
    records = f"{report.upper_records} upper and {counted(report.lower_records, 'lower record')}"
    return [*lines, f"          {records} checked"]


def _of_the_quotient(report: checker.Report) -> bool:
    """Whether the claims speak of the quotient; lv and tv are the same there."""
    return report.partition and report.quantity in ("bd", "ld")

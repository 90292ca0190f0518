"""Formulas of dpCTL*: the check of a certificate as a whole, SPEC-DPCTL section 3.

``formula_document.py`` reads the certificate, ``formula_sets.py`` evaluates the formula, with
``formula_chain.py`` for the temporal operators and ``formula_powers.py`` for e^ε. With the distances of
chains they share the model, the reading of JSON, the limits and the exceptions. They are loaded when the
first formula is checked, so that who asks about distances does not wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..core.chain import Model, read_model, shown
from ..core.digits import comparison
from ..core.limits import Allowance, Work
from ..core.reading import collector_paused, format_of
from ..core.steps import Rejected

if TYPE_CHECKING:
    from .formula_document import FormulaCertificate

FORMULA_FORMAT = "bdist-dpctl-certificate"
FORMULA_STEPS = ("model", "neighbours", "formula", "solution", "satisfied", "probabilities")


@dataclass(frozen=True)
class FormulaReport:
    """What an accepted certificate proves: which states satisfy the formula, or how likely it is from some.

    The formula is the array of the document as nested tuples, with rationals in place of their texts.
    """

    formula: tuple[object, ...]
    satisfied: tuple[str, ...] | None
    probabilities: tuple[tuple[str, Fraction], ...] | None
    neighbours: int  # pairs that are listed
    states: int  # of the model


def check_formula(model_text: str, certificate_text: str, allowed: Allowance | None = None) -> FormulaReport:
    """Verify a certificate against the text of an ``.lmc`` model (without a byte order mark).

    Raises: BadModel where the model cannot be read; Malformed where the certificate is not a document of the
    specified form, and TooLarge, which is a kind of it, where it is beyond the limits; Rejected where it is
    one, and does not prove what it claims.
    """
    from .formula_document import read_formula_certificate

    work = Work(len(model_text) + len(certificate_text), allowed)
    model = read_model(model_text)
    certificate = read_formula_certificate(certificate_text, work)
    with collector_paused():
        _verify(model, certificate, work)
    return FormulaReport(
        formula=certificate.formula.as_tuple(),
        satisfied=certificate.satisfied,
        probabilities=certificate.probabilities,
        neighbours=len(certificate.neighbours),
        states=len(model.labels),
    )


def is_formula_certificate(text: str) -> bool:
    """Whether the JSON text of a certificate says, by its ``format``, that it is about a formula."""
    if "dpctl" not in text and "\\u" not in text:
        return False  # so that long certificates about distances are not read twice
    return format_of(text, Work(len(text))) == FORMULA_FORMAT


def _verify(model: Model, certificate: FormulaCertificate, work: Work) -> None:
    from .formula_sets import Evaluation

    found = model.fingerprint()
    if certificate.model != found:
        raise Rejected("model", f"the certificate is for the model {certificate.model}, and this is {found}")
    for place, pair in enumerate(certificate.neighbours):
        for name in pair:
            if name not in model.labels:
                what = f"neighbours[{place}] names {shown(name)}, not a state of the model"
                raise Rejected("neighbours", what)
    formula = certificate.formula
    if certificate.satisfied is None and certificate.probabilities is None:
        raise Rejected("formula", "nothing is claimed: satisfied and probabilities are null")
    if certificate.satisfied is not None and not formula.is_state_formula:
        raise Rejected("formula", "satisfied is not null, and the formula is not a state formula")
    evaluation = Evaluation(model, certificate, work)
    if formula.is_state_formula:
        true = evaluation.satisfying(formula)
        likely = [Fraction(inside) for inside in true]
    else:
        likely = evaluation.probabilities(formula)
    evaluation.check_all_used()
    values = dict(zip(evaluation.names, likely, strict=True))
    if certificate.satisfied is not None:
        _check_satisfied(certificate.satisfied, values)
    if certificate.probabilities is not None:
        _check_probabilities(certificate.probabilities, values)


def _check_satisfied(claimed: tuple[str, ...], values: dict[str, Fraction]) -> None:
    _check_names("satisfied", claimed, values)
    for place, name in enumerate(claimed):
        if values[name] == 0:
            raise Rejected("satisfied", f"satisfied[{place}] is {shown(name)}, which does not satisfy it")
    listed = set(claimed)
    for name, value in values.items():
        if value == 1 and name not in listed:
            raise Rejected("satisfied", f"{shown(name)} satisfies the formula and is not listed")


def _check_probabilities(claimed: tuple[tuple[str, Fraction], ...], values: dict[str, Fraction]) -> None:
    _check_names("probabilities", tuple(name for name, _ in claimed), values)
    for place, (name, value) in enumerate(claimed):
        if value != values[name]:
            what = f"probabilities[{place}], of {shown(name)}: {comparison(value, '!=', values[name])}"
            raise Rejected("probabilities", what)


def _check_names(step: str, claimed: tuple[str, ...], values: dict[str, Fraction]) -> None:
    """That all are states of the model, each once."""
    places: dict[str, int] = {}
    for place, name in enumerate(claimed):
        if name not in values:
            raise Rejected(step, f"{step}[{place}] names {shown(name)}, not a state of the model")
        if name in places:
            raise Rejected(step, f"{step}[{place}] names {shown(name)}, as {step}[{places[name]}] does")
        places[name] = place

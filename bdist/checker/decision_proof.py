"""Formulas on Markov decision processes: the check of a certificate as a whole, SPEC-DPCTL section 8.

``decision_model.py`` reads the process, ``decision_document.py`` the certificate, ``decision_process.py`` has
the process by numbers and checks the values of an ``until``, ``decision_nodes.py`` computes those of a
bounded formula, and ``decision_claims.py`` tests the claims. Formulas, propositions, solutions of an
``until`` on a chain and powers of e are those of chains (``formula_proof.py``). All are loaded when the
first certificate of this kind is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .limits import Work
from .model import shown
from .reading import collector_paused
from .steps import Rejected

if TYPE_CHECKING:
    from .decision_document import DecisionCertificate
    from .decision_model import DecisionProcess
    from .formula_document import Formula

DECISION_FORMAT = "bdist-dpctl-mdp-certificate"
DECISION_STEPS = ("model", "neighbours", "formula", "values", "holds", "violated")


@dataclass(frozen=True)
class DecisionReport:
    """What an accepted certificate proves: in which states the formula holds, and in which it is violated.

    Of other states nothing is known. The formula is the array of the document as nested tuples, with
    rationals in place of their texts.
    """

    formula: tuple[object, ...]
    holds: tuple[str, ...]
    violated: tuple[str, ...]
    neighbours: int  # pairs that are listed
    states: int  # of the model
    actions: int


def check_decision_process(model_text: str, certificate_text: str) -> DecisionReport:
    """Verify a certificate against the text of an ``.mdp`` model (without a byte order mark).

    Raises: BadModel where the model cannot be read; Malformed where the certificate is not a document of the
    specified form, and TooLarge, which is a kind of it, where it is beyond the limits; Rejected where it is
    one, and does not prove what it claims.
    """
    from .decision_document import read_decision_certificate
    from .decision_model import read_decision_process

    work = Work(len(model_text) + len(certificate_text))
    model = read_decision_process(model_text)
    certificate = read_decision_certificate(certificate_text, work)
    with collector_paused():
        _verify(model, certificate, work)
    return DecisionReport(
        formula=certificate.formula.as_tuple(),
        holds=certificate.holds,
        violated=tuple(state for state, _ in certificate.violated),
        neighbours=len(certificate.neighbours),
        states=len(model.labels),
        actions=len(model.actions),
    )


def _verify(model: DecisionProcess, certificate: DecisionCertificate, work: Work) -> None:
    from .decision_claims import Claims
    from .decision_process import Process

    found = model.fingerprint()
    if certificate.model != found:
        raise Rejected("model", f"the certificate is for the model {certificate.model}, and this is {found}")
    for place, pair in enumerate(certificate.neighbours):
        for name in pair:
            if name not in model.labels:
                what = f"neighbours[{place}] names {shown(name)}, not a state of the model"
                raise Rejected("neighbours", what)
    _check_formula(certificate.formula)
    claims = Claims(Process(model, work), certificate, work)  # checks the values
    claims.check_holds()
    claims.check_violated()


def _check_formula(formula: Formula) -> None:
    """That it is of a form of section 6."""
    from .formula_document import NOT, PRIVACY, PROBABILITY, UNTIL

    if formula.kind not in (PRIVACY, PROBABILITY):
        raise Rejected("formula", "the formula is neither P nor D of another one")
    path = formula.parts[0]
    kinds = set(_kinds(path))
    if kinds & {PRIVACY, PROBABILITY}:
        raise Rejected("formula", "there is a P or D within the formula")
    if UNTIL in kinds:
        until = path.parts[0] if path.kind == NOT else path
        if until.kind != UNTIL or not all(part.is_state_formula for part in until.parts):
            what = "neither an until of state formulas, nor not of one"
            raise Rejected("formula", f"the formula has an until, and is {what}")


def _kinds(formula: Formula) -> list[str]:
    return [formula.kind, *(kind for part in formula.parts for kind in _kinds(part))]

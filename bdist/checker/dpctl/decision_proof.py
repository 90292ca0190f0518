"""Formulas on Markov decision processes: the check of a certificate as a whole, SPEC-DPCTL section 8.

``decision_model.py`` reads the process, ``decision_document.py`` the certificate, ``decision_process.py`` has
the process by numbers and checks the values of an ``until``, ``decision_nodes.py`` computes those of a
bounded formula, ``decision_part.py`` tests the claims about one part, with ``decision_trees.py`` for the
sequences of queries, and ``decision_known.py`` says what follows for the formula. Formulas, propositions,
solutions of an ``until`` on a chain and powers of e are those of chains (``formula_proof.py``). All are
loaded when the first certificate of this kind is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ..core.chain import shown
from ..core.limits import Allowance, Work
from ..core.reading import collector_paused
from ..core.steps import Rejected

if TYPE_CHECKING:
    from .decision_document import DecisionCertificate, Part
    from .decision_known import Knowledge
    from .decision_model import DecisionProcess
    from .decision_part import Neighbours
    from .decision_process import Process
    from .formula_document import Formula

DECISION_FORMAT = "bdist-dpctl-mdp-certificate"
DECISION_STEPS = (
    *("model", "neighbours", "formula", "parts", "values", "holds", "violated", "queries", "extremes"),
    "claims",
)


class ProvedQueries(NamedTuple):
    """How likely a path formula is from a state, with these actions; the last is repeated for an until."""

    formula: tuple[object, ...]
    state: str
    actions: tuple[str, ...]
    probability: Fraction


class ProvedExtremes(NamedTuple):
    """The least and the largest probability of a path formula from a state, over all schedulers."""

    formula: tuple[object, ...]
    state: str
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class DecisionReport:
    """What an accepted certificate proves: in which states the formula holds, and in which it is violated.

    Of other states nothing is known. Besides, it may prove probabilities of path formulas. A formula is the
    array of the document as nested tuples, with rationals in place of their texts.
    """

    formula: tuple[object, ...]
    holds: tuple[str, ...]
    violated: tuple[str, ...]
    queries: tuple[ProvedQueries, ...]
    extremes: tuple[ProvedExtremes, ...]
    parts: int  # occurrences of P and D, and the formula itself if it is of paths
    neighbours: int  # pairs that are listed
    states: int  # of the model
    actions: int


def check_decision_process(
    model_text: str, certificate_text: str, allowed: Allowance | None = None
) -> DecisionReport:
    """Verify a certificate against the text of an ``.mdp`` model (without a byte order mark).

    Raises: BadModel where the model cannot be read; Malformed where the certificate is not a document of the
    specified form, and TooLarge, which is a kind of it, where it is beyond the limits; Rejected where it is
    one, and does not prove what it claims.
    """
    from .decision_document import read_decision_certificate
    from .decision_known import parts_of, path_of
    from .decision_model import read_decision_process

    work = Work(len(model_text) + len(certificate_text), allowed)
    model = read_decision_process(model_text)
    certificate = read_decision_certificate(certificate_text, work)
    with collector_paused():
        _verify(model, certificate, work)
    paths = [
        (path_of(formula).as_tuple() if part.queries or part.extremes else (), part)
        for formula, part in zip(parts_of(certificate.formula), certificate.parts, strict=True)
    ]
    return DecisionReport(
        formula=certificate.formula.as_tuple(),
        holds=certificate.holds,
        violated=certificate.violated,
        queries=tuple(ProvedQueries(path, *query) for path, part in paths for query in part.queries),
        extremes=tuple(ProvedExtremes(path, *extreme) for path, part in paths for extreme in part.extremes),
        parts=len(paths),
        neighbours=len(certificate.neighbours),
        states=len(model.labels),
        actions=len(model.actions),
    )


def _verify(model: DecisionProcess, certificate: DecisionCertificate, work: Work) -> None:
    from .decision_known import Knowledge, parts_of
    from .decision_process import Process

    found = model.fingerprint()
    if certificate.model != found:
        raise Rejected("model", f"the certificate is for the model {certificate.model}, and this is {found}")
    neighbours: Neighbours = {}
    work.keep(2 * len(certificate.neighbours), 0)
    for place, (s, t) in enumerate(certificate.neighbours):
        for name in (s, t):
            if name not in model.labels:
                what = f"neighbours[{place}] names {shown(name)}, not a state of the model"
                raise Rejected("neighbours", what)
        neighbours.setdefault(s, {})[t] = None
        neighbours.setdefault(t, {})[s] = None
    formula = certificate.formula
    if not formula.is_state_formula and (certificate.holds or certificate.violated):
        raise Rejected("formula", "holds or violated is not empty, and the formula is not a state formula")
    parts = parts_of(formula)
    if len(parts) != len(certificate.parts):
        counts = f"{len(certificate.parts)} parts, and the formula has {len(parts)}"
        raise Rejected("parts", f"the certificate has {counts}")
    process = Process(model, work)
    knowledge = Knowledge(process, work)
    for number, (occurrence, part) in enumerate(zip(parts, certificate.parts, strict=True)):
        if not part.is_empty():  # of one that is, nothing has to be proved
            with work.forgotten():
                _check_part(process, occurrence, part, f"parts[{number}]", knowledge, neighbours, work)
        knowledge.learn(occurrence, part.holds, tuple(name for name, _ in part.violated))
    _check_claims(process, certificate, knowledge)


def _check_part(
    process: Process,
    occurrence: Formula,
    part: Part,
    place: str,
    knowledge: Knowledge,
    neighbours: Neighbours,
    work: Work,
) -> None:
    from .decision_known import is_bounded, path_of, until_of
    from .decision_part import PartCheck

    path = path_of(occurrence)
    if not is_bounded(path) and until_of(path) is None:
        why = "neither bounded, nor an until of state formulas, nor not of one"
        raise Rejected("parts", f"{place} is not empty, and its path formula is {why}")
    leaves = knowledge.leaves(path)
    if leaves is None:
        why = "a state formula in its path formula is not known everywhere"
        raise Rejected("parts", f"{place} is not empty, and {why}")
    check = PartCheck(process, occurrence, leaves, neighbours, part, place, work)  # checks the values
    check.check_holds()
    check.check_violated()
    check.check_queries()
    check.check_extremes()


def _check_claims(process: Process, certificate: DecisionCertificate, knowledge: Knowledge) -> None:
    """The claims about the formula as a whole."""
    if not certificate.formula.is_state_formula:
        return
    known = knowledge.known(certificate.formula)
    claims = {"holds": (certificate.holds, known.true), "violated": (certificate.violated, known.false)}
    places: dict[str, str] = {}
    for kind, (states, inside) in claims.items():
        for number, name in enumerate(states):
            place = f"{kind}[{number}]"
            if name not in process.number:
                raise Rejected("claims", f"{place} names {shown(name)}, not a state of the model")
            if name in places:
                raise Rejected("claims", f"{place} names {shown(name)}, as {places[name]} does")
            places[name] = place
            if not inside[process.number[name]]:
                what = "true" if kind == "holds" else "false"
                raise Rejected("claims", f"{place}, of {shown(name)}: the formula is not known to be {what}")

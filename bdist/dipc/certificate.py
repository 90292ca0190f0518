"""A decision about a program as a document that a stranger can check, and the check; SPEC.md defines it.

It names its program by fingerprint, repeats the question, and lists the output distributions, how often the
states of loops are visited, the different inequalities with their proofs, or the counterexample. The
independent checker is handed the two texts that a stranger would hand it, the program's and the
certificate's. It follows the program and computes every distribution a second time, with code of its own, and
compares; they are written down because the inequalities are made from them, and equal functions can be
written in many ways. What it does not search for are the visits of loops, the proofs of the inequalities, and
the counterexample.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from bdist import checker
from bdist.budget import Budget
from bdist.certificates import Document
from bdist.certificates.checking import check_given, vouched
from bdist.dipc import text as dip
from bdist.dipc.exploration import Shown
from bdist.dipc.exponentials import ExponentialPolynomial
from bdist.dipc.positivity import Chain, Cover, Factors, Proof
from bdist.dipc.privacy import PrivacyCheck
from bdist.dipc.program import Point, Program
from bdist.exact.rationals import rational_text
from bdist.results import Answer

FORMAT = "bdist-dipc-certificate"
VERSION = 1


@dataclass(frozen=True, repr=False)
class DipcCertificate(Document):
    """The document, ready to be written."""

    document: Mapping[str, object]

    def to_json(self) -> str:
        """The text of the certificate."""
        return json.dumps(self.document, separators=(",", ":"), ensure_ascii=False) + "\n"


def certificate_of(fingerprint: str, decided: PrivacyCheck, answer: Answer) -> DipcCertificate:
    """The certificate of an answer that is not UNKNOWN; of a violation only what it takes."""
    counterexample, found, question = decided.counterexample, decided.distributions, decided.question
    points, used = _used(decided)
    place = {number: k for k, number in enumerate(used)}
    interval = question.interval
    document = {
        "format": FORMAT,
        "version": VERSION,
        "program": fingerprint,
        "factor": rational_text(question.factor),
        "delta": question.delta.parts()[0].as_document(),
        "interval": [
            rational_text(interval.low),
            None if interval.high is None else rational_text(interval.high),
            interval.has_low,
            interval.has_high,
        ],
        "answer": answer.value,
        "kept": found.kept,
        "probabilities": [[part.as_document() for part in found.ratios[number].parts()] for number in used],
        "table": [
            [
                values_document(point),
                [[values_document(shown), place[number]] for shown, number in found.table[point].items()],
                [[state, place[number]] for state, number in found.visits[point].items()],
            ]
            for point in points
        ],
        "inequalities": [[f.as_document(), _proof_document(proof)] for f, proof in proofs_of(decided)],
        "counterexample": None
        if counterexample is None
        else [
            values_document(counterexample.point),
            values_document(counterexample.neighbour),
            [values_document(shown) for shown in counterexample.outputs],
            rational_text(counterexample.epsilon),
        ],
    }
    return DipcCertificate(document)


def proofs_of(decided: PrivacyCheck) -> list[tuple[ExponentialPolynomial, Proof]]:
    """The inequalities that a certificate has: all; of a violation those of the denominators it needs.

    Those about weights come first. They may be written in another unit, and are told apart as they are
    written.
    """
    found, proofs = decided.distributions, decided.proofs
    if decided.counterexample is not None:
        bottoms = {found.ratios[number].below().key for number in _used(decided)[1]}
        proofs = {key: proof for key, proof in proofs.items() if key in bottoms}
    if not found.weights:
        return list(proofs.values())
    return list({str(proof[0].as_document()): proof for proof in (*found.weights, *proofs.values())}.values())


def _used(decided: PrivacyCheck) -> tuple[Sequence[Point], list[int]]:
    found, counterexample = decided.distributions, decided.counterexample
    points: Sequence[Point] = list(found.table)
    if counterexample is not None:
        points = [counterexample.point, counterexample.neighbour]
    rows = (row for point in points for row in (found.table[point], found.visits[point]))
    return points, sorted({number for row in rows for number in row.values()})


def values_document(values: Point | Shown) -> list[object]:
    """An input or an output, as certificates and reports write it."""
    return [value if isinstance(value, bool) else rational_text(Fraction(value)) for value in values]


def _proof_document(proof: Proof) -> list[object]:
    match proof:
        case Cover(points):
            return ["cover", [rational_text(point) for point in points]]
        case Factors(factors):
            parts = [
                [f.as_document(), power, None if inner is None else _proof_document(inner)]
                for f, power, inner in factors
            ]
            return ["factors", parts]
    return ["chain" if isinstance(proof, Chain) else "point"]


# --- the check ---


def check(model: Program | str | Path, certificate: DipcCertificate | str | Path) -> checker.ProgramReport:
    """Check a certificate against a program; both may be files. Returns what is now proved.

    Raises: CertificateRejected with the failing step, CertificateSyntaxError, FormatError.
    """
    return check_given(checker.check_program, model, dip.write, "program", certificate)


def vouch(program: Program, certificate: DipcCertificate, budget: Budget) -> None:
    """Check a certificate that we made ourselves. Raises: as `bdist.certificates.checking.vouched`."""
    vouched(checker.check_program, "program.dip", dip.write(program), certificate.to_json(), budget)

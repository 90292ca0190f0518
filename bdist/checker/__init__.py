"""An independent checker of bdist's certificates: small enough to read, and enough to believe.

A certificate says: in this model, the distance of these two states lies between these two rationals. It was
found with floating-point solvers, heuristics and thousands of lines of code. None of that has to be trusted,
because the certificate carries the reason, and this folder follows the reason in exact arithmetic. Whoever
doubts a result of bdist needs to trust Python's integers, its JSON parser and SHA-256, the argument in
section 4 of ``certificates/SPEC.md``, and the files here:

* ``model.py`` reads the model file (a second reader, not bdist's) and computes its fingerprint;
* ``document.py`` turns the JSON text, of version 1 or 2, into typed records, or says where it is malformed,
  with ``reading.py`` for values of a required form;
* ``proof.py`` tests the inequalities of the specification, one step after another, with ``quotient.py`` for
  the partition into bisimilar states, ``couplings.py`` for upper bounds, ``potentials.py`` for lower bounds,
  ``words.py`` for those that follow from the next labels alone, and ``trees.py`` for the attacker;
* ``tables.py`` keeps the numbers that belong to pairs of states;
* ``automaton_proof.py`` checks decisions about automata in place of chains (``certificates/SPEC-DIPA.md``),
  and says which modules it needs for that;
* ``hidden_proof.py`` does the same for losses of hidden Markov models (``certificates/SPEC-PUFFERFISH.md``);
* ``formula_proof.py`` does it for formulas of dpCTL* on chains (``certificates/SPEC-DPCTL.md``);
* ``decision_proof.py`` does it for formulas of dpCTL* on Markov decision processes (its Part II);
* ``program_proof.py`` does it for programs with noise (``certificates/SPEC-DIPC.md``);
* ``steps.py`` names the steps;
* ``limits.py`` says what is too large to check, and counts the work;
* ``digits.py`` converts long numbers from and to text, ``numerals.py`` reads those of models, ``vectors.py``
  turns fractions to integers;
* ``files.py`` reads the two files.

The folder imports the standard library and itself, nothing of bdist, and nothing random or parallel. It can
be copied anywhere and run alone, without installed packages:

    python -I -S path/to/checker MODEL.lmc CERTIFICATE.json
    python -I -S path/to/checker MODEL.dipa CERTIFICATE.json
    python -I -S path/to/checker MODEL.hmm CERTIFICATE.json
    python -I -S path/to/checker MODEL.mdp CERTIFICATE.json
    python -I -S path/to/checker MODEL.dip CERTIFICATE.json

A certificate of an ``.lmc`` model says by its ``format`` whether it is about distances or about a formula.
From Python, ``check``, ``check_formula``, ``check_automaton``, ``check_hidden_model``,
``check_decision_process`` and ``check_program`` do the same on two texts. No float takes part.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .automaton_proof import AUTOMATON_STEPS, AutomatonReport, check_automaton
from .decision_proof import (
    DECISION_STEPS,
    DecisionReport,
    ProvedExtremes,
    ProvedQueries,
    check_decision_process,
)
from .digits import brief, rational_text
from .document import Claim, read_certificate
from .files import Unreadable, read_file
from .formula_proof import FORMULA_STEPS, FormulaReport, check_formula, is_formula_certificate
from .hidden_proof import (
    HIDDEN_MODEL_STEPS,
    HiddenModelReport,
    ProvedGrowth,
    ProvedWord,
    check_hidden_model,
)
from .limits import CERTIFICATE_BYTES, MODEL_BYTES, Allowance, Work
from .model import BadModel, read_model, shown
from .program_proof import PROGRAM_STEPS, ProgramReport, check_program
from .proof import verify
from .steps import STEPS, Malformed, Rejected, TooLarge

__all__ = [
    "AUTOMATON_STEPS",
    "CERTIFICATE_BYTES",
    "DECISION_STEPS",
    "FORMULA_STEPS",
    "HIDDEN_MODEL_STEPS",
    "MODEL_BYTES",
    "PROGRAM_STEPS",
    "STEPS",
    "Allowance",
    "AutomatonReport",
    "BadModel",
    "Claim",
    "DecisionReport",
    "FormulaReport",
    "HiddenModelReport",
    "Malformed",
    "ProgramReport",
    "ProvedExtremes",
    "ProvedGrowth",
    "ProvedQueries",
    "ProvedWord",
    "Rejected",
    "Report",
    "TooLarge",
    "Unreadable",
    "brief",
    "check",
    "check_automaton",
    "check_decision_process",
    "check_formula",
    "check_hidden_model",
    "check_program",
    "is_formula_certificate",
    "rational_text",
    "read_file",
    "shown",
]


@dataclass(frozen=True)
class Report:
    """What an accepted certificate proves, and how many records and trees the proof has.

    With a partition, claims about bd and ld speak of the quotient chain, in which each class is one state;
    claims about lv and tv are about the model itself all the same.
    """

    quantity: str
    alpha: Fraction
    claims: tuple[Claim, ...]
    upper_records: int
    lower_records: int
    trees: int = 0
    partition: bool = False


def check(model_text: str, certificate_text: str, allowed: Allowance | None = None) -> Report:
    """Verify a certificate against the text of an ``.lmc`` model (without a byte order mark).

    Raises: BadModel where the model cannot be read; Malformed where the certificate is not a document of the
    specified form, and TooLarge, which is a kind of it, where it is beyond the limits; Rejected where it is
    one, and does not prove what it claims.
    """
    work = Work(len(model_text) + len(certificate_text), allowed)
    model = read_model(model_text)
    certificate = read_certificate(certificate_text, work)
    verify(model, certificate, work)
    return Report(
        quantity=certificate.quantity,
        alpha=certificate.alpha,
        claims=certificate.claims,
        upper_records=len(certificate.upper),
        lower_records=len(certificate.lower),
        trees=len(certificate.trees),
        partition=certificate.partition is not None,
    )

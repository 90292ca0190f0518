"""Is an automaton private, for every epsilon, on inputs of any length? In linear time, and with a proof."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget
from bdist.dipa.automaton import Automaton
from bdist.dipa.certificate import DipaCertificate, LeakProof, PrivacyProof, leak_proof, privacy_proof
from bdist.dipa.checking import vouch
from bdist.dipa.fingerprint import fingerprint
from bdist.dipa.structure import Structure
from bdist.dipa.violations import Violation, find_violation
from bdist.dipa.weight import Weight, weigh
from bdist.results import Answer, Statistics


@dataclass(frozen=True)
class Decision:
    """HOLDS with the weight, for which the automaton is (weight * eps)-private for all eps > 0, or VIOLATED.

    Either way the certificate has been checked; there is no third answer.
    """

    answer: Answer
    automaton: Automaton
    weight: Weight | None
    violation: Violation | None
    certificate: DipaCertificate
    stats: Statistics

    @property
    def value(self) -> Fraction | None:
        """The weight, where the automaton is private."""
        return None if self.weight is None else self.weight.value


def decide(automaton: Automaton, *, budget: Budget | None = None) -> Decision:
    """Decide differential privacy of an automaton (Chadha, Sistla and Viswanathan, LICS 2021).

    Ensures: the certificate was checked by the independent checker.
    Raises: InternalError where it does not hold; UnsupportedError where it is too long to be checked;
    Unchecked where the check does not end in time.
    """
    began = time.monotonic()
    structure = Structure(automaton)
    violation = find_violation(structure)
    weight: Weight | None = None
    proof: PrivacyProof | LeakProof
    if violation is None:
        weight = weigh(structure)
        proof = privacy_proof(structure, weight)
    else:
        proof = leak_proof(automaton, violation)
    certificate = DipaCertificate(fingerprint(automaton), proof)
    solved = time.monotonic()
    vouch(automaton, certificate, budget)
    stats: Statistics = {
        "states": len(automaton.states),
        "transitions": len(automaton.transitions),
        "reached": len(structure.reached),
        "components": len(structure.members),
        "seconds": round(solved - began, 6),
        "check_seconds": round(time.monotonic() - solved, 6),
    }
    answer = Answer.HOLDS if violation is None else Answer.VIOLATED
    return Decision(answer, automaton, weight, violation, certificate, stats)

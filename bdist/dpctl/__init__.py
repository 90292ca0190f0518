"""dpCTL*: model checking of differentially private properties on Markov chains, exactly.

pairs = [("plus", "minus")] bdist.dpctl.check(chain, "D[eps=ln 3] (X out1) & D[eps=ln 3] (X out0)",
pairs).satisfied bdist.dpctl.probabilities(chain, "X (out1 & X out1)").values["plus"]      # Fraction(9, 16)
bdist.dpctl.tight(chain, "D[eps=0] (X out1)", pairs).delta                # the smallest delta, and epsilon
"""

from __future__ import annotations

from bdist.dpctl.answers import Checked, Failure, Probabilities, Tight, check, probabilities, tight
from bdist.dpctl.formulas import (
    And,
    Atom,
    Comparison,
    Formula,
    Next,
    Not,
    Private,
    Probability,
    Truth,
    Until,
)
from bdist.dpctl.parser import parse
from bdist.dpctl.printer import text_of
from bdist.dpctl.processes import (
    Extremes,
    ProcessChecked,
    ProcessTight,
    ProcessWitness,
    check_process,
    extremes,
    tight_process,
)

__all__ = [
    "And",
    "Atom",
    "Checked",
    "Comparison",
    "Extremes",
    "Failure",
    "Formula",
    "Next",
    "Not",
    "Private",
    "Probabilities",
    "Probability",
    "ProcessChecked",
    "ProcessTight",
    "ProcessWitness",
    "Tight",
    "Truth",
    "Until",
    "check",
    "check_process",
    "extremes",
    "parse",
    "probabilities",
    "text_of",
    "tight",
    "tight_process",
]

"""dpCTL*: model checking of differentially private properties on Markov chains and decision processes.

    pairs = [("plus", "minus")]
    bdist.dpctl.check(chain, "D[eps=ln 3] (X out1) & D[eps=ln 3] (X out0)", pairs).satisfied
    bdist.dpctl.probabilities(chain, "X (out1 & X out1)").values["plus"]      # Fraction(9, 16)
    bdist.dpctl.tight(chain, "D[eps=0] (X out1)", pairs).delta               # the smallest delta, and epsilon

On a decision process it is `check_process`, `extremes` and `tight_process`, and on all chains between two
`check_enclosure` and `enclosed_probabilities`.
"""

from __future__ import annotations

from bdist.dpctl.answers import Checked, Failure
from bdist.dpctl.chains import Apart, Probabilities, Tight, check, probabilities, tight
from bdist.dpctl.enclosures import EnclosedProbabilities, check_enclosure, enclosed_probabilities
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
    text_of,
)
from bdist.dpctl.parser import parse
from bdist.dpctl.processes import Extremes, ProcessTight, check_process, extremes, tight_process

__all__ = [
    "And",
    "Apart",
    "Atom",
    "Checked",
    "Comparison",
    "EnclosedProbabilities",
    "Extremes",
    "Failure",
    "Formula",
    "Next",
    "Not",
    "Private",
    "Probabilities",
    "Probability",
    "ProcessTight",
    "Tight",
    "Truth",
    "Until",
    "check",
    "check_enclosure",
    "check_process",
    "enclosed_probabilities",
    "extremes",
    "parse",
    "probabilities",
    "text_of",
    "tight",
    "tight_process",
]

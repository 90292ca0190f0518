"""The interactive survey of Liu, Wang and Zhang (Model checking differentially private properties, Fig. 5).

As in the survey (`survey`), a surveyee is asked for her diagnosis and answers truly with some probability
only. Here the surveyor chooses how accurate the answer shall be: the action ``L`` asks for a true answer with
probability 3/4, as in the survey, and ``H`` with 4/5. So the answer is (ln 3, 0)-differentially private under
one and (ln 4, 0) under the other, and ln 4 is what the process can promise for every query.

The states are those of the survey: ``plus`` and ``minus`` are the diagnosis, ``s`` and ``t`` the answers,
with the propositions ``out1`` and ``out0``. What the paper's figure leaves out goes to ``sink``.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.family import Family, RationalParameter

LOW = RationalParameter("low", Fraction(3, 4), "probability of a true answer under the action L")
HIGH = RationalParameter("high", Fraction(4, 5), "probability of a true answer under the action H")


def interactive_survey(low: Fraction = LOW.default, high: Fraction = HIGH.default) -> MarkovDecisionProcess:
    """One answer, of the accuracy that is asked for; 5 states; compare ``plus`` and ``minus``.

    Requires: 0 < low < 1; 0 < high < 1.
    Raises: ParameterError.
    """
    accuracy = {"L": LOW.read(low), "H": HIGH.read(high)}
    to_sink = {"sink": Fraction(1)}
    over = dict.fromkeys(accuracy, to_sink)
    return MarkovDecisionProcess.from_rows(
        accuracy,
        [
            ("plus", "diagnosis", {action: {"s": p, "t": 1 - p} for action, p in accuracy.items()}),
            ("minus", "diagnosis", {action: {"s": 1 - p, "t": p} for action, p in accuracy.items()}),
            ("s", "out1", over),
            ("t", "out0", over),
            ("sink", "sink", over),
        ],
        name="interactive-survey",
    )


FAMILY = Family(
    "interactive-survey",
    "a survey question whose accuracy is the surveyor's choice, actions L and H; compare plus, minus",
    (LOW, HIGH),
    interactive_survey,
)

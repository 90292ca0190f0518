"""The survey of Liu, Wang and Zhang (Model checking differentially private properties), asked once or twice.

Have you been diagnosed with the disease? The surveyee flips a coin. With probability ``truth`` she answers
truthfully, and otherwise 1 or 0, each with probability 1/2. So the true answer is given with probability (1 +
truth) / 2, and one survey is ln((1 + truth) / (1 - truth))-differentially private: ln 3 for a fair coin
(section 3.1). Asked twice, with a new coin, the loss of both answers is twice that, ln 9 (Fig. 4), but that
of the second answer alone is no more than of one.

The start states ``plus`` and ``minus`` are the diagnosis, with one label, as nobody sees it; the answers have
the labels ``out1`` and ``out0``. The paper's ``s`` and ``t`` are the last answers. Before, in the double
survey, the state remembers the diagnosis: in ``plus.s`` the diagnosis is positive and the first answer was 1.
What the paper leaves out, it sends to a state with a loop; that is ``sink`` here.

Randomised response (`response`) is the same idea with the coin hidden in one number, any number of questions,
and the answers as labels; these two are the paper's, state for state, so that its formulas can be typed.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.chains.chain import LabelledMarkovChain
from bdist.family import Family, RationalParameter

TRUTH = RationalParameter("truth", Fraction(1, 2), "probability that the coin demands a truthful answer")

_ANSWERS = {"s": "out1", "t": "out0"}
_TRUTHFUL = {"plus": "s", "minus": "t"}


def survey(truth: Fraction = TRUTH.default) -> LabelledMarkovChain:
    """One survey; 5 states; compare ``plus`` and ``minus``.

    Requires: 0 < truth < 1.
    Raises: ParameterError.
    """
    truth = TRUTH.read(truth)
    rows = [(diagnosis, "diagnosis", _answers(diagnosis, truth)) for diagnosis in _TRUTHFUL]
    return LabelledMarkovChain.from_rows([*rows, *_last_answers()], name="survey")


def double_survey(truth: Fraction = TRUTH.default) -> LabelledMarkovChain:
    """Two surveys in sequence; 9 states; compare ``plus`` and ``minus``.

    Requires: 0 < truth < 1.
    Raises: ParameterError.
    """
    truth = TRUTH.read(truth)
    rows = [(diagnosis, "diagnosis", _answers(diagnosis, truth, f"{diagnosis}.")) for diagnosis in _TRUTHFUL]
    rows += [
        (f"{diagnosis}.{answer}", label, _answers(diagnosis, truth))
        for diagnosis in _TRUTHFUL
        for answer, label in _ANSWERS.items()
    ]
    return LabelledMarkovChain.from_rows([*rows, *_last_answers()], name="double-survey")


def _answers(diagnosis: str, truth: Fraction, prefix: str = "") -> dict[str, Fraction]:
    return {
        prefix + answer: (1 + truth if answer == _TRUTHFUL[diagnosis] else 1 - truth) / 2
        for answer in _ANSWERS
    }


def _last_answers() -> list[tuple[str, str, dict[str, Fraction]]]:
    rows = [(answer, label, {"sink": Fraction(1)}) for answer, label in _ANSWERS.items()]
    return [*rows, ("sink", "sink", {"sink": Fraction(1)})]


FAMILY = Family("survey", "a survey question answered through a coin; compare plus, minus", (TRUTH,), survey)
DOUBLE_FAMILY = Family(
    "double-survey", "the same survey question asked twice; compare plus, minus", (TRUTH,), double_survey
)

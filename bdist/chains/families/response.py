"""Randomised response (Warner, 1965): a sensitive question, answered through a biased coin.

The answer is truthful with probability ``truth`` and false otherwise. The start states ``yes`` and ``no`` are
the true answer, and the announced answers are the labels. One question is the textbook mechanism, ln(truth /
(1 - truth))-differentially private: at truth = 3/4 the distance is 0 from alpha = 3 on. Asked again, the
person draws afresh, and privacy composes: after q questions the ratio is the q-th power.

Before the last answer a state remembers the truth, since it governs the answers to come (``yes.1.says-no``:
the truth is yes, the first announcement was no). After the last answer nothing depends on the truth any more,
so both sides share ``says-yes`` and ``says-no``. That is more than thrift: a skewed distance allows two
states at distance 0 values that differ by the factor alpha, and so counts two copies of a state as if they
could still be told apart a little. One shared state leaves no such room.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.chains.chain import LabelledMarkovChain
from bdist.family import Family, IntegerParameter, RationalParameter

TRUTH = RationalParameter("truth", Fraction(3, 4), "probability of a truthful answer")
QUESTIONS = IntegerParameter("questions", 1, "how often the same question is asked", least=1, most=10_000)

_OPPOSITE = {"yes": "no", "no": "yes"}


def randomised_response(
    truth: Fraction = TRUTH.default, questions: int = QUESTIONS.default
) -> LabelledMarkovChain:
    """One sensitive question asked ``questions`` times; 4 questions + 1 states; compare ``yes`` and ``no``.

    Requires: 0 < truth < 1; at least one question.
    Raises: ParameterError.
    """
    truth, questions = TRUTH.read(truth), QUESTIONS.read(questions)

    def answers(fact: str, asked: int) -> dict[str, Fraction]:
        shared = asked == questions
        return {
            f"says-{said}" if shared else f"{fact}.{asked}.says-{said}": truth if said == fact else 1 - truth
            for said in (fact, _OPPOSITE[fact])
        }

    rows: list[tuple[str, str, dict[str, Fraction]]] = [
        (fact, "start", answers(fact, 1)) for fact in _OPPOSITE
    ]
    rows += [
        (f"{fact}.{asked}.says-{said}", f"says-{said}", answers(fact, asked + 1))
        for asked in range(1, questions)
        for fact in _OPPOSITE
        for said in _OPPOSITE
    ]
    rows += [(f"says-{said}", f"says-{said}", {"end": Fraction(1)}) for said in _OPPOSITE]
    rows.append(("end", "end", {"end": Fraction(1)}))
    return LabelledMarkovChain.from_rows(rows, name="randomised-response")


FAMILY = Family(
    "randomised-response",
    "a sensitive question answered through a biased coin; compare yes, no",
    (TRUTH, QUESTIONS),
    randomised_response,
)

"""Programs at the edge of what is decided: zeros at the ends of an interval, and values that grow."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from bdist import checker, dipc
from bdist.checker.core.chain import BadModel
from bdist.errors import CertificateRejected, UnsupportedError
from bdist.results import Answer

FADING = """domain {0, 1}; input x; output o; adjacent linf 1;
claim 0*eps, delta 1; epsilon in (0, 3];
o ~ choose {x: 3 - eps, 1 - x: 1};
"""
GROWING = """domain {0, 1}; input x; output o; adjacent linf 1;
a := x; b := 0;
while b == 0 { a := a/2 + 1; b ~ choose {0: 1, 1: 1}; }
if a > 1 { o := 1; } else { o := 0; }
"""


def test_a_weight_may_be_zero_at_the_upper_end() -> None:
    """A polynomial that is positive below an end is shown to be so from there downwards."""
    found = dipc.decide(dipc.read(FADING))
    assert found.answer is Answer.HOLDS
    assert found.stats["covers"] == 0


def test_a_zero_at_an_end_that_belongs_is_not_positive() -> None:
    """P = (3 - eps) / (4 - eps) is 0 at 3: there, a denominator 3 - eps would be one of 0."""
    assert found_at("(0, 3]") is Answer.VIOLATED
    assert found_at("(0, 2]") is Answer.VIOLATED
    certificate = dipc.decide(dipc.read(FADING)).certificate
    assert certificate is not None
    beyond = FADING.replace("(0, 3]", "(0, 4)")
    with pytest.raises(CertificateRejected):
        dipc.check(dipc.read(beyond.replace("3 - eps", "2 - eps")), certificate)
    checker.check_program(beyond, certificate.to_json())  # its own interval counts, not the program's


def found_at(interval: str) -> Answer:
    return dipc.decide(dipc.read(FADING), factor=0, delta="1/4", interval=interval).answer


def test_a_value_that_grows_in_a_loop_is_refused_soon() -> None:
    with pytest.raises(
        UnsupportedError, match=r"^a value of a takes more than 1000 bits; does it grow in a loop"
    ):
        dipc.decide(dipc.read(GROWING))


COINS = """domain {0, 1}; input x; output out; adjacent linf 1;
b ~ choose {true: 1, false: 1};
y ~ choose {1: 1, 0: 1};
if y > 0 and y <= 1 { out := x; } else { out := 0; }
"""


def test_the_checker_tells_true_from_one() -> None:
    """Equal in Python, different as values: a choice of Booleans is not the choice of numbers before it."""
    found = dipc.decide(dipc.read(COINS))
    assert found.answer is Answer.VIOLATED
    assert found.certificate is not None
    always = {"probabilities": [[[["0", ["1"]]], [["0", ["1"]]]]]}
    rows = [[["0"], [[["0"], 0]]], [["1"], [[["0"], 0]]]]
    forged = {**found.certificate.document, **always, "factor": "0", "answer": "holds", "table": rows}
    with pytest.raises(checker.Rejected, match="table"):
        checker.check_program(COINS, json.dumps({**forged, "counterexample": None}))


@pytest.mark.parametrize("exponent", ["1" + "0" * 400, "1/1" + "0" * 400])
def test_exponents_of_any_length_end_in_an_answer_of_the_checker(exponent: str) -> None:
    certificate = dipc.decide(dipc.read(FADING)).certificate
    assert certificate is not None
    terms = sorted([["0", ["1"]], [exponent, ["1"]], ["1", ["1"]]], key=lambda term: Fraction(str(term[0])))
    document = {**certificate.document, "inequalities": [[terms, ["cover", ["1"]]]]}
    with pytest.raises((checker.Rejected, checker.TooLarge)):
        checker.check_program(FADING, json.dumps(document))


def test_brackets_with_all_operators_in_them_are_read_or_refused() -> None:
    deep = "true or true and 1 < 1 + 1 * (" * 99 + "-" * 99 + "1" + ")" * 99
    with pytest.raises((BadModel, checker.Malformed)):
        checker.check_program(f"domain {{0, 1}}; input x; output y; adjacent linf 1;\ny := {deep};\n", "{}")

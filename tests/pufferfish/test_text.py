"""The ``.hmm`` format: what is written is read back, however it is spelled, and what is wrong is refused.

There are two readers: bdist's, and the checker's own, which shares no line with it. Readers that disagree
would let a certificate be about another model than the one that was solved. So they accept the same texts
and give them the same canonical form; only what a scenario asks is bdist's business alone: it refuses
questions that make no sense, and the checker reads on.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist import checker
from bdist.checker.core.limits import Work
from bdist.checker.pufferfish.model import read_hidden_model
from bdist.errors import BdistError, FormatError, ModelError
from bdist.exact.epsilon import Epsilon
from bdist.pufferfish import text as hmm
from bdist.pufferfish.model import (
    Case,
    HiddenMarkovModel,
    HiddenState,
    Initial,
    Lengths,
    Neighbours,
    Prior,
    Range,
    Scenario,
    Words,
    canonical_form,
    fingerprint,
)
from bdist.pufferfish.polynomials import Polynomial, Quotient
from tests.oracles.hidden_models import hidden_models, texts_of
from tests.oracles.readers import HMM, hidden_model_by_both
from tests.tools import refusal_by

ZERO, ONE, HALF, THIRD = Fraction(0), Fraction(1), Fraction(1, 2), Fraction(1, 3)
EXAMPLE = "\n".join(line.removeprefix("    ") for line in (hmm.__doc__ or "").splitlines()[2:17]) + "\n"
NUMBER_ONE = Polynomial((((0,), ONE),))
P = Quotient(Polynomial((((1,), ONE),)), NUMBER_ONE)
NOT_P = Quotient(Polynomial((((0,), ONE), ((1,), -ONE))), NUMBER_ONE)
HALF_P = Quotient(Polynomial((((1,), HALF),)), NUMBER_ONE)
HALF_NOT_P = Quotient(Polynomial((((0,), HALF), ((1,), -HALF))), NUMBER_ONE)
TWO_PEOPLE = HiddenMarkovModel(
    (
        HiddenState("none", (("low", 2 * THIRD), ("high", THIRD)), None),
        HiddenState("both", (("low", THIRD), ("high", 2 * THIRD)), None),
        HiddenState("home", (("quiet", ONE),), ((0, HALF), (1, HALF_NOT_P), (3, HALF_P))),
        HiddenState("a guest", (("high", ONE),), None),
    ),
    (Range("p", ZERO, ONE),),
    (Initial("asleep", ((2, ONE),)),),
    (
        Scenario(
            "contagious",
            (Neighbours("ill", "well"),),
            (Prior("family", (Case(1, ("ill",), P), Case(0, ("well",), NOT_P))),),
            Words.ALL,
            Epsilon(None, Fraction(2)),
            Lengths(1, 1),
        ),
    ),
)
BASE = """\
hmm
parameter p in (0, 1)
s [a] -> 1/2 s, 1/2 t
t [1/2 x, 1/2 y]
initial here -> 1/2 s, 1/2 t
scenario first
  prior belief -> p s [c], (1 - p) t [nc]
  pair c nc
"""
LINES = BASE.splitlines()
FILES = sorted((Path(__file__).parents[2] / "instances").rglob("*.hmm"))


def refusal(text: str, kind: type[BdistError], line: int, column: int = 0) -> str:
    return refusal_by(lambda: hmm.read(text, "a.hmm"), kind, "a.hmm", line, column)


def inserted(statement: str, before: int) -> str:
    """The base with another statement, so that it stands in the line ``before``."""
    return "\n".join([*LINES[: before - 1], statement, *LINES[before - 1 :]])


# --- what is read and written --------------------------------------------------------------------------


def test_the_documented_example() -> None:
    model = hmm.read(EXAMPLE)
    assert model == TWO_PEOPLE
    assert model.name == "two-people"


def test_the_text_that_is_written() -> None:
    written = hmm.write(
        hmm.read(EXAMPLE.replace("length 1 ", "length 2 .. 7 ").replace("ill well ", "ill -> well"))
    )
    assert written == (
        "hmm two-people\n"
        "parameter p in (0, 1)\n"
        "none [2/3 low, 1/3 high]\n"
        "both [1/3 low, 2/3 high]\n"
        'home [quiet] -> 1/2 none, 1/2-1/2*p both, 1/2*p "a guest"\n'
        '"a guest" [high]\n'
        "initial asleep -> 1 home\n"
        "\n"
        "scenario contagious\n"
        "  prior family -> p both [ill], 1-p none [well]\n"
        "  pair ill -> well\n"
        "  words all\n"
        "  epsilon ln 2\n"
        "  length 2..7\n"
    )


@given(st.booleans().flatmap(hidden_models))
@settings(max_examples=40, deadline=None)
def test_what_is_written_is_read_back(model: HiddenMarkovModel) -> None:
    again = hmm.read(hmm.write(model))
    assert again == model
    assert again.name == model.name
    assert fingerprint(again) == fingerprint(model)
    assert hmm.write(again) == hmm.write(model)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_the_same_model_however_it_is_spelled(data: st.DataObject) -> None:
    model = data.draw(hidden_models(data.draw(st.booleans())))
    again = hmm.read(data.draw(texts_of(model)))
    assert again == model
    assert again.name == model.name


def test_long_rows_go_on_in_the_next_line() -> None:
    names = [f"a-state-with-a-long-name-{number}" for number in range(20)]
    row = tuple((number, Fraction(1, 20)) for number in range(20))
    shown = tuple((f"seen-{number}-of-many", Fraction(1, 20)) for number in range(20))
    cases = tuple(Case(number, ("c", "nc"), Fraction(1, 20)) for number in range(20))
    scenario = Scenario("", (Neighbours("c", "nc"),), (Prior("all-of-them", cases),))
    model = HiddenMarkovModel(
        tuple(HiddenState(name, shown, row) for name in names), (), (Initial("i", row),), (scenario,)
    )
    text = hmm.write(model)
    assert max(map(len, text.splitlines())) <= 100
    assert hmm.read(text) == model


def test_words_of_the_format_are_names_where_nothing_else_may_stand() -> None:
    words = (
        *("parameter", "initial", "scenario", "prior", "pair", "words", "epsilon", "length"),
        *("hmm", "in", "ln"),
    )
    text = "hmm hmm\n" + "".join(f"{word} [{word}] -> 1 {word}\n" for word in words)
    text += "initial start ->1 pair\nscenario scenario\nprior prior -> 1 prior [all, common]\n"
    text += "pair all common\npair pair words\nwords all\n"
    model = hmm.read(text)
    assert model.name == "hmm"
    assert [state.name for state in model.states] == list(words)
    assert model.observations == words
    assert model.scenario("scenario").neighbours == (Neighbours("all", "common"), Neighbours("pair", "words"))
    assert hmm.read(hmm.write(model)) == model


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("[1]", {"1": ONE}),
        ("[p]", {"p": ONE}),
        ("[-]", {"-": ONE}),
        ('["1/2 x"]', {"1/2 x": ONE}),
        ("[1 1]", {"1": ONE}),
        ("[p -, (1-p) +]", {"-": P, "+": NOT_P}),
        ('[.5"x",5e-1 "y" ]', {"x": HALF, "y": HALF}),
        ("[0 x, 1 y]", {"y": ONE}),
        ("[(p - p)/3 x, ( 1 ) y]", {"y": ONE}),
        ("[1/2 x, # and\n\n\t1/2 y]", {"x": HALF, "y": HALF}),
        ("[2^0/3 x, 2/(1+2) y]", {"x": THIRD, "y": 2 * THIRD}),
        ("[p/2+p/2 x,(1 -\tp) y]", {"x": P, "y": NOT_P}),
        ("[p^0000001 x, (1-p) y]", {"x": P, "y": NOT_P}),
    ],
)  # fmt: skip
def test_what_a_state_shows(shown: str, expected: dict[str, object]) -> None:
    model = hmm.read(f"hmm\nparameter p in (0,1)\ns{shown}\n")
    assert dict(model.states[0].observations) == expected
    assert hmm.read(hmm.write(model)) == model


def test_names_and_arrows_that_run_together() -> None:
    text = 'hmm\na- [x]->1"b"\n"b"["y"]\nscenario\npair a- ->"b"\npair"b"a-\npair - "->"\n- [y]\n"->" [y]\n'
    lines = text.splitlines()
    model = hmm.read("\n".join([*lines[:3], *lines[7:], *lines[3:7]]))
    assert [state.name for state in model.states] == ["a-", "b", "-", "->"]
    assert model.scenario("").neighbours == (
        Neighbours("a-", "b", both=False),
        Neighbours("b", "a-"),
        Neighbours("-", "->"),
    )
    assert hmm.read(hmm.write(model)) == model


def test_a_formula_counts_in_the_ring_of_all_parameters() -> None:
    """A parameter that is declared later takes part in every polynomial, but not in earlier formulas."""
    model = hmm.read(
        "hmm\nparameter q in [0, 1]\ns [q x, (1-q) y]\nparameter p in (0, 1]\nt [p x, (1-p) y]\n"
    )
    assert model.ring.names == ("p", "q")
    assert model.parameters == (Range("q", ZERO, ONE, True, True), Range("p", ZERO, ONE, False, True))
    entry = dict(model.states[0].observations)["x"]
    assert entry == Quotient(Polynomial((((0, 1), ONE),)), Polynomial((((0, 0), ONE),)))
    assert hmm.read(hmm.write(model)) == model


def test_quotients_are_read_in_their_normal_form() -> None:
    text = "hmm\nparameter p in (0, 1)\ns [2*p/(4 - 2*p) x, (4-4*p)/(4-2*p) y]\n"
    shown = dict(hmm.read(text).states[0].observations)
    below = Polynomial((((0,), Fraction(2)), ((1,), -ONE)))
    assert shown["x"] == Quotient(Polynomial((((1,), ONE),)), below)
    assert shown["y"] == Quotient(Polynomial((((0,), Fraction(2)), ((1,), Fraction(-2)))), below)


def test_what_a_scenario_asks() -> None:
    for spelled, epsilon in [
        ("0", Epsilon(None, ONE)),
        ("ln 1", Epsilon(None, ONE)),
        ("ln +2.5e0", Epsilon(None, Fraction(5, 2))),
        ("ln\t.5e1", Epsilon(None, Fraction(5))),
        ("0.50", Epsilon(HALF)),
    ]:
        model = hmm.read(f"{BASE}  epsilon {spelled} # x")
        assert model.scenario().epsilon == epsilon
        assert hmm.read(hmm.write(model)) == model
    for spelled, lengths in [
        ("any", Lengths()),
        ("007", Lengths(7, 7)),
        ("1..3", Lengths(1, 3)),
        ("1 ..\t3", Lengths(1, 3)),
    ]:
        assert hmm.read(f"{BASE}length {spelled}\n").scenario().lengths == lengths
    assert hmm.read(f"{BASE}words common").scenario().words is Words.COMMON
    plain = hmm.read(BASE).scenario()
    assert (plain.words, plain.epsilon, plain.lengths) == (Words.ALL, None, None)


def test_entries_that_are_zero_are_dropped_but_for_cases() -> None:
    """Which secrets there are does not depend on how likely they are; what the model is does."""
    text = BASE.replace("p s [c], (1 - p) t [nc]", "0 s, p s [d, c], 0 t [e], (1-p) t [nc,b]")
    model, zero = hmm.read(text), Fraction(0)
    likely = (Case(0, ("c", "d"), P), Case(1, ("b", "nc"), NOT_P))
    assert model.priors["belief"].cases == (Case(0, (), zero), likely[0], Case(1, ("e",), zero), likely[1])
    assert fingerprint(model) == fingerprint(hmm.read(text.replace("0 s, ", "").replace("0 t [e], ", "")))
    assert hmm.read(hmm.write(model)) == model
    assert hmm.read(BASE.replace("1/2 x, 1/2 y", "0 z, 1/2 x, 1/2 y, 0 w")) == hmm.read(BASE)
    assert hmm.read(BASE.replace("here -> 1/2 s, 1/2 t", "here -> 0 s, 1 t")).initials[0].row == (
        (1, Fraction(1)),
    )


# --- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 0, 0, "the file is empty"),
        ("# only\n \t\r\n#", 0, 0, "the file is empty"),
        ("lmc\ns [a] -> 1 s", 1, 1, "expected the keyword 'hmm' at the beginning of the file; found 'lmc'"),
        ("hmm-x", 1, 1, "expected the keyword 'hmm'"),
        ("hmm [x]", 1, 5, "expected the model's name"),
        ("hmm a b", 1, 7, "expected the end of the line or a comment; found 'b'"),
        ('hmm "a', 1, 5, "expected a closing double quote on the same line"),
        ("hmm", 1, 4, "expected a state such as: s0 [start] -> 1/2 s1, 1/2 s2; found the end of the line"),
        ("hmm\n# x\n", 3, 1, "expected a state such as"),
        ("hmm\nscenario\npair a b\n", 4, 1, "expected a state such as"),
    ],
)
def test_a_file_that_is_none(text: str, line: int, column: int, message: str) -> None:
    assert message in refusal(text, FormatError, line, column)


@pytest.mark.parametrize(
    ("statement", "column", "message"),
    [
        ("r", 1, "expected a state such as: s0 [start] -> 1/2 s1, 1/2 s2, or one of the words parameter"),
        ("hmm", 1, "found 'hmm'"),
        ("parametr q in (0, 1)", 1, "found 'parametr'; did you mean 'parameter'?"),
        ("r -> 1 s", 3, "expected '[' and what state 'r' shows, as in: s0 [start] -> 1 s1; found '-> 1 s'"),
        ('"r"', 4, "expected '[' and what state 'r' shows"),
        ("[x]", 1, "expected a state such as: s0 [start] -> 1/2 s1, 1/2 s2, or one of the words"),
        ('"r" initial -> 1 s', 5, "expected '[' and what state 'r' shows"),
        ("r []", 4, "expected a probability such as 1/2, 0.5 or (1 - p); found ']'"),
        ("r [", 4, "expected a probability such as 1/2"),
        ("r [x", 4, "'x' is not a parameter that is declared above"),
        ("r [x, y]", 4, "'x' is not a parameter that is declared above"),
        ("r [1/2]", 7, "expected the name of an observation: letters, digits"),
        ("r [1 x", 7, "expected ',' and another probability, or ']' after what the state shows"),
        ("r [1 x y]", 8, "another probability, or ']' after what the state shows; found 'y]'"),
        ("r [1/2 x,]", 10, "expected a probability such as 1/2, 0.5 or (1 - p); found ']'"),
        ("r [1/2 x, 1/2 x]", 15, "state 'r' shows 'x' twice"),
        ("r [1 x, 0 x]", 11, "state 'r' shows 'x' twice"),
        ("r [x] 1 s", 7, "expected '->' and the row, the end of the line or a comment; found '1 s'"),
        ("r [x] ->", 9, "expected a probability such as 1/2"),
        ("r [x] -> 1", 11, "expected the name of a state"),
        ("r [x] -> s", 10, "'s' is not a parameter that is declared above"),
        ("r [x] -> 1 s t", 14, "expected ',' and another probability, the end of the line or a comment"),
        ("r [x] -> 1 - p s, p t", 12, "a formula with blanks stands in parentheses, as in: (1 - p) name"),
        ("r [x] -> 1 -p s", 12, "a formula with blanks stands in parentheses"),
        ("r [x] -> 1- p s", 12, "a formula with blanks stands in parentheses"),
        ("r [x] -> p * p s", 12, "a formula with blanks stands in parentheses"),
        ("r [x] -> p (1-p) s", 12, "a formula with blanks stands in parentheses"),
        ("r [1 - p x]", 6, "a formula with blanks stands in parentheses"),
        ("r [x] -> P s", 10, "'P' is not a parameter that is declared above"),
        ("r [x] -> (1 - pp) s", 15, "'pp' is not a parameter that is declared above; did you mean 'p'?"),
        ("r [x] -> (1 - p s", 17, "expected ')'; found 's'"),
        ("r [x] -> (1 - p", 16, "expected ')'; found the end of the formula"),
        ("r [x] -> 1/0 s", 10, "'1/0' has denominator zero"),
        ("r [x] -> p/(p-p) s", 11, "a division by zero"),
        ("r [x] -> p^65 s", 12, "an exponent above 64"),
        ("r [x] -> 1e1001 s", 10, "has an exponent beyond 1000"),
        ("r [x] -> p) s", 11, "expected an operator + - * / ^; found ')'"),
        ("r [x] -> \u0661 s", 10, "expected a number, a parameter or '('"),
        ("r [x] -> 1 ss", 12, "there is no state 'ss'; did you mean 's'?"),
        ("r [x] -> 1 nowhere", 12, "there is no state 'nowhere'"),
        ("r [x] -> 0 nowhere, 1 s", 12, "there is no state 'nowhere'"),
        ("r [x] -> 1/2 s, 1/2 s", 21, "target 's' stands twice in one row"),
        ("s [x]", 1, "state 's' is declared twice"),
        ('  "s" [x]', 3, "state 's' is declared twice"),
        ("here [x]", 1, "declared twice: as"),
        ('r ["x]', 4, "expected a closing double quote on the same line"),
        ('r ["\x07"]', 4, "holds a control character or half of a surrogate pair"),
        ('"r\ud800" [x]', 1, "holds a control character or half of a surrogate pair"),
        ("r [\u202e]", 4, "expected a number, a parameter or '('"),
        ("initial [x], t", 12, "expected '->' and the row"),
        ("initial -> 1 s", 10, "expected '->' with a blank before it, and the distribution; found '> 1 s'"),
        ("initial i -> 1 ß", 16, "expected the name of a state"),
        ("initial i->1 s", 11, "expected '->' with a blank before it"),
        ("initial here -> 1 s", 9, "initial distribution 'here' is declared twice"),
        ("initial s -> 1 s", 9, "'s' is declared twice: as state and as initial distribution"),
        ("initial i -> 1 tt", 16, "there is no state 'tt'; did you mean 't'?"),
        ("parameter 1p in (0, 1)", 11, "expected the name of the parameter: letters, digits and _"),
        ('parameter "q" in (0, 1)', 11, "expected the name of the parameter"),
        ("parameter p in (0, 1)", 11, "parameter 'p' is declared twice"),
        ("parameter q (0, 1)", 13, "expected 'in' and the range, as in: parameter q in (0, 1)"),
        ("parameter q in 0, 1", 16, "expected '(' or '[' and the low end of the range; found '0, 1'"),
        ("parameter q in (0 1)", 19, "expected ',' and the high end of the range; found '1)'"),
        ("parameter q in (0, p)", 20, "'p' is not a number"),
        ("parameter q in (0, 1", 21, "expected ')' or ']' after the range"),
        ("parameter q in (1, 0)", 17, "the range of parameter 'q' is empty: 1 to 0"),
        ("parameter q in (1/0, 2)", 17, "'1/0' has denominator zero"),
        ("parameter q in (0, 1) x", 23, "expected the end of the line or a comment; found 'x'"),
        ("pair s t", 1, "'pair' stands in a scenario; write a line with 'scenario' and its name before it"),
        ("  prior q -> 1 s", 3, "'prior' stands in a scenario"),
        ("words all", 1, "'words' stands in a scenario"),
        ("epsilon 1", 1, "'epsilon' stands in a scenario"),
        ("length any", 1, "'length' stands in a scenario"),
    ],
)  # fmt: skip
def test_a_statement_that_is_none(statement: str, column: int, message: str) -> None:
    line = 6 if message.startswith("declared twice: as") or "'here'" in message else 5
    assert message in refusal(inserted(statement, line), FormatError, line, column)


def test_scenarios_without_a_name() -> None:
    text = "hmm\ns [x]\nt [x]\nscenario\n  pair s t\n"
    assert "there is a second scenario without a name" in refusal(f"{text}scenario\n", FormatError, 6, 9)
    misplaced = refusal(f"{text}u [x]\n", FormatError, 6, 1)
    assert "state 'u' stands in a scenario; all of them stand before the first scenario" in misplaced
    model = hmm.read(text, "a.hmm")
    with pytest.raises(ModelError, match="two scenarios without a name"):
        replace(model, scenarios=model.scenarios * 2)


@pytest.mark.parametrize(
    ("statement", "column", "message"),
    [
        ("r [x]", 1, "state 'r' stands in scenario 'first'; all of them stand before the first scenario"),
        ("parameter q in (0, 1)", 1, "a parameter stands in scenario 'first'"),
        (" initial q -> 1 s", 2, "an initial distribution stands in scenario 'first'"),
        ("scenario first", 10, "scenario 'first' is declared twice"),
        ("scenario a b", 12, "expected the end of the line or a comment; found 'b'"),
        ("prior belief -> 1 s [c]", 7, "prior 'belief' is declared twice"),
        ("prior -> 1 s", 8, "expected '->' with a blank before it, and the cases"),
        ("prior q 1 s", 9, "expected '->' with a blank before it, and the cases"),
        ("prior q -> 1 u [c]", 14, "there is no state 'u'"),
        ("prior q -> 1 s []", 17, "expected a secret: letters, digits"),
        ("prior q -> 1 s [c", 18, "expected ',' and another secret, or ']'"),
        ("prior q -> 1 s [c d]", 19, "expected ',' and another secret, or ']'; found 'd]'"),
        ("prior q -> 1 s [c, d, c]", 23, "the secret 'c' stands twice in one case"),
        ("prior q -> 1/2 s [c, d], 1/2 s [d, c]", 30, "prior 'q' has two cases with state 's' and the same"),
        ("prior q -> 1 s [t]", 17, "'t' is declared twice: as state and as secret"),
        ("prior q -> 1 s, 0 t [here]", 22, "'here' is declared twice: as initial distribution and as secret"),
        ("prior q -> 1 s [c] [d]", 20, "expected '[' and secrets, ',' and another case, the end of the line"),
        ("prior q -> 1 - p s [c]", 14, "a formula with blanks stands in parentheses"),
        ("pair c", 7, "expected a state, an initial distribution or a secret: letters"),
        ("pair c ->", 10, "expected a state, an initial distribution or a secret"),
        ("pair c nc s", 11, "expected the end of the line or a comment; found 's'"),
        ("pair c->nc", 8, "expected a state, an initial distribution or a secret"),
        ("pair c ncc", 8, "initial distribution or secret of the scenario; did you mean 'nc'?"),
        ("pair belief c", 6, "'belief' is no state, initial distribution or secret of the scenario"),
        ("words some", 7, "expected 'all' or 'common'; found 'some'"),
        ("words all common", 11, "expected the end of the line or a comment"),
        ("epsilon", 8, "expected a number such as 0.5, or 'ln' and a number; found the end of the line"),
        ("epsilon ln", 11, "expected a number; found the end of the line"),
        ("epsilon ln2", 9, "'ln2' is not a number"),
        ("epsilon ln(2)", 11, "expected a number; found '(2)'"),
        ("epsilon ln 1/2", 12, "epsilon = ln 1/2 is negative or none; it must be at least 0"),
        ("epsilon -1", 9, "epsilon = -1 is negative; it must be at least 0"),
        ("epsilon 1e9", 9, "no privacy is left there"),
        ("epsilon 2 ln 2", 11, "expected the end of the line or a comment; found 'ln 2'"),
        ("length", 7, "expected a length such as 5, 1..5 or any"),
        ("length -1", 8, "expected a length"),
        ("length 1..", 11, "expected the largest length"),
        ("length 1...2", 11, "expected the largest length; found '.2'"),
        ("length 1.5", 9, "expected the end of the line or a comment; found '.5'"),
        ("length 12345678901", 8, "a length of more than 9 digits"),
    ],
)  # fmt: skip
def test_a_statement_that_is_none_in_a_scenario(statement: str, column: int, message: str) -> None:
    assert message in refusal(inserted(statement, 9), FormatError, 9, column)


@pytest.mark.parametrize("word", ["words all", "epsilon 1", "epsilon ln 1", "length any"])
def test_a_scenario_says_a_thing_once(word: str) -> None:
    message = refusal(f"{BASE}{word}\n  {word}\n", FormatError, 10, 3)
    assert message == f"the scenario says '{word.split()[0]}' twice"
    assert len(hmm.read(f"{BASE}{word}\nscenario\npair s t\n{word}\n").scenarios) == 2


def test_a_comma_at_the_end_of_the_file() -> None:
    assert refusal("hmm\ns [x] -> 1 s, # more", FormatError, 2, 21).startswith("expected another probability")
    assert refusal("hmm\ns [1/2 x,\n\n", FormatError, 4, 1).startswith(
        "expected another probability after ','"
    )
    text = "hmm\ns [x]\nscenario\nprior q -> 1 s [a,"
    assert refusal(text, FormatError, 4, 19).startswith("expected another secret after ','")


def test_there_are_at_most_eight_parameters() -> None:
    text = "hmm\ns [x]\n" + "".join(f"parameter p{number} in (0, 1)\n" for number in range(9))
    assert refusal(text, FormatError, 11, 11) == "there are more than 8 parameters"
    assert len(hmm.read(text.replace("parameter p8 in (0, 1)\n", "")).parameters) == 8


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("-> 1/2 s, 1/2 t", "-> 1/2 s, 1/3 t", 3, "the row of state 's' sums to 5/6, not to 1"),
        ("-> 1/2 s, 1/2 t", "-> p s, p t", 3, "the row of state 's' sums to 2*p, which is not 1 for every p"),
        ("1/2 x, 1/2 y", "3/2 x, -1/2 y", 4, "the observation distribution of state 't' has the negative"),
        ("1/2 x, 1/2 y", "2*p x, (1-2*p) y", 4,
         "the observation distribution of state 't' has the entry 1-2*p, whose"),
        ("1/2 x, 1/2 y", "1/(2+p^40) x, 1/(2+p^33) y", 4,
         "the observation distribution of state 't' sums to a formula"),
        ("1/2 x", "1/2 a", 4, "state 't' halts and shows 'a', as state 's' does, which goes on"),
        ("here -> 1/2 s", "here -> 1/4 s", 5, "the initial distribution 'here' sums to 3/4"),
        ("p s [c]", "p^2 s [c]", 7, "the prior 'belief' sums to"),
        ("p s [c], (1 - p) t", "0 s [c], 1 t", 7, "the secret 'c' has probability 0 under the prior"),
        ("pair c nc", "words all", 6, "scenario 'first' has no pair"),
        ("pair c nc", "pair c s", 6, "scenario 'first' compares a secret with a start"),
        ("pair c nc", "pair s s", 6, "scenario 'first' compares 's' with itself"),
        ("pair c nc", "pair c nc\nlength 0", 6, "scenario 'first' asks for words of length 0"),
        ("pair c nc", "pair c nc\nlength 5..0", 6, "scenario 'first' asks for words of length 5..0"),
        ("pair c nc", "pair c nc\nprior q -> 1 s [c]", 9, "the secret 'nc' has probability 0 under"),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_refused_with_the_line_of_its_part(
    old: str, new: str, line: int, message: str
) -> None:
    assert old in BASE
    assert refusal(BASE.replace(old, new, 1), ModelError, line).startswith(message)


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_a_truncated_or_garbled_text_is_refused_or_a_model(data: st.DataObject) -> None:
    text = EXAMPLE if data.draw(st.booleans()) else hmm.write(data.draw(hidden_models(True, 3)))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    pieces = st.sampled_from(
        ("[", "]", '"', "\\", "#", "->", ",", "\n", "(", "-", "^", "\0", "\npair ", " p")
    )
    text = text[:start] + data.draw(pieces | st.text(max_size=3)) + text[end:]
    outcome = outcome_of(text)
    if isinstance(outcome, HiddenMarkovModel):
        assert hmm.read(hmm.write(outcome)) == outcome
    else:
        assert str(outcome).startswith("a.hmm")
        assert str(outcome).isprintable()


def outcome_of(text: str) -> HiddenMarkovModel | BdistError:
    try:
        return hmm.read(text, "a.hmm")
    except (FormatError, ModelError) as error:
        return error


LONG = 1_000_000


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        pytest.param("\n" * LONG, "", id="line feeds"),
        pytest.param(" \t\r" * LONG, "", id="blanks"),
        pytest.param("r" * LONG, "expected a state", id="word"),
        pytest.param("r [" + "1" * LONG + " x]", "has 1000000 digits", id="number"),
        pytest.param("r [" + "9" * 10**5 + "/" + "9" * 10**5 + " x]", "more than 332000 bits", id="bits"),
        pytest.param("r [" + "(" * LONG, "more than 64 parentheses", id="parentheses"),
        pytest.param("r [" + "( " * LONG, "more than 64 parentheses", id="parentheses and blanks"),
        pytest.param("r [x" + "," * LONG, "'x' is not a parameter", id="commas"),
        pytest.param('r ["' + "\\" * (LONG + 1), "expected a closing double quote", id="backslashes"),
        pytest.param("r [1+" + "p" * LONG, "is not a parameter", id="letters"),
        pytest.param("r [(1+p)^64*(1+p)^64 x]", "has a degree above 64", id="degree"),
    ],
)
def test_a_long_line_is_answered_at_once(statement: str, message: str) -> None:
    text = inserted(statement, 5)
    if not message:
        assert hmm.read(text) == hmm.read(BASE)
        return
    with pytest.raises(FormatError, match=message) as caught:
        hmm.read(text)
    assert len(str(caught.value)) < 1300


# --- both readers --------------------------------------------------------------------------------------


def agree(text: str, model: HiddenMarkovModel) -> None:
    found = read_hidden_model(text, Work(len(text)))
    assert "".join(found.canonical_parts()) == canonical_form(model)
    assert found.fingerprint() == fingerprint(model)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_committed_models(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    agree(text, hmm.read(text))


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_every_spelling_of_a_random_model(data: st.DataObject) -> None:
    model = data.draw(hidden_models(data.draw(st.booleans())))
    text = data.draw(texts_of(model))
    assert hidden_model_by_both(text) == "accepted"
    agree(text, model)
    agree(hmm.write(model), model)


PIECES = (
    *("parameter", "initial", "scenario", "prior", "pair", "words", "epsilon", "length", "hmm", "in", "ln"),
    *("any", "all", "common", "p", "q", "s", "t", "s0", "a", "x", "-", "--", "0 x", ", 0 s", ", 0 nowhere"),
    *(" ", "  ", "\t", "\r", "\n", "\n\n", "\x0b", "\u00a0", "\u2028", "\x85", "\0", "\x1f", "\ud800", "#"),
    *("->", "[", "]", "[c]", "(", ")", ",", ",\n", "*", "/", "^", "+", '"', "\\", '\\"', '""', '"s"', '"p"'),
    *("0", "1", "2", "1/2", "1/3", "-1", "+1", "1e3", "1e", "1e1001", "1/0", "0/0"),
    *(".5", ".", "1.", "..", "٣"),
    *("p^2", "p^65", "(1 - p)", "1-p", "2p", "(1 2)", "1/(1+p)", "1/p", "1/(p-p)", "p/p", "(p - 1/2)^2"),
    *("\nscenario\npair s t\n", "\nprior b -> 1 s [u]", "\nparameter q in [0, 1]\n", "z [w]\n"),
)


@given(st.data())
@settings(max_examples=75, deadline=None)
def test_a_text_that_is_garbled(data: st.DataObject) -> None:
    small = st.booleans().flatmap(lambda parametric: hidden_models(parametric, max_states=2))
    text = data.draw(st.sampled_from([BASE, HMM.decode()]) | small.flatmap(texts_of))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 6)))
        text = text[:start] + data.draw(st.sampled_from(PIECES) | st.text(max_size=2)) + text[end:]
    hidden_model_by_both(text)


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.booleans())
@settings(max_examples=50, deadline=None)
def test_a_line_of_pieces(pieces: list[str], in_scenario: bool) -> None:
    head = BASE if in_scenario else BASE.partition("scenario")[0]
    hidden_model_by_both(head + "".join(pieces))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("1/2 t\nt", "1/2 t, 0 nowhere\nt", id="0 of a state that is none"),
        pytest.param("1/2 t\nscenario", "1/2 t, 0 nowhere\nscenario", id="0 of a start that is none"),
        pytest.param("t [nc]", "t [nc], 0 nowhere [c]", id="0 of a case that is none"),
        pytest.param("1/2 t\nt", "1/2 t, 0 s\nt", id="0 of a state that is there"),
        pytest.param("1/2 y", "1/2 y, 0 x", id="0 of what is shown"),
        pytest.param("t [nc]", "t [nc], 0 t [nc]", id="0 of a case that is there"),
        pytest.param("t [nc]", "t [nc], 0 t [s]", id="0 of a secret that is a state"),
        pytest.param("t [nc]", "t [nc, nc]", id="secret twice"),
        pytest.param("[c]", "[here]", id="secret that is a start"),
        pytest.param("here", "s", id="start that is a state"),
        pytest.param("1/2 x", "1/2 a", id="end that is not seen"),
        pytest.param("1/2 x", "p x", id="sum"),
        pytest.param("parameter p in (0, 1)", "parameter p in (0, 2)", id="negative"),
        pytest.param("parameter p in (0, 1)", "parameter p in (1, 1)", id="range"),
        pytest.param("parameter p in (0, 1)\n", "parameter p in (0, 1)\n" * 2, id="parameter twice"),
        pytest.param("scenario first", "scenario first\nscenario first", id="scenario twice"),
        pytest.param("pair c nc", "pair c nc\nz [a] -> 1 z", id="state in a scenario"),
        pytest.param("pair c nc", "pair c nc\nwords some", id="words"),
        pytest.param("pair c nc", "pair c nc\nwords all\nwords all", id="words twice"),
        pytest.param("pair c nc", "pair c nc\nlength 1...2", id="dots"),
        pytest.param("pair c nc", "pair c nc\nlength -1", id="negative length"),
        pytest.param("pair c nc", "pair c nc\nepsilon ln", id="no number"),
        pytest.param("pair c nc", "pair c nc\nepsilon 1e1001", id="exponent"),
    ],
)
def test_what_both_refuse(old: str, new: str) -> None:
    assert old in BASE
    assert hidden_model_by_both(BASE.replace(old, new, 1)) == "refused"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("1/2 y", "1/2 y, 0 z", id="0 of what is not shown"),
        pytest.param("1/2 y", "1/2 y, 0 a", id="0 of what goes on"),
        pytest.param("t [nc]", "t [nc], 0 s [c, nc]", id="0 of another case"),
        pytest.param("1/2 x, 1/2 y", "(p-p) w, p x, (1 - p) y", id="0 by a formula"),
        pytest.param("here -> 1/2 s, 1/2 t", "here -> 0 s, 1 t", id="0 of a state"),
        pytest.param("pair c nc", "pair c -> nc\nepsilon +0.5\nlength 01 .. 00000000005", id="question"),
        pytest.param("pair c nc", "pair c nc\nepsilon ln 1\nlength any\nwords common", id="another question"),
    ],
)
def test_what_both_accept(old: str, new: str) -> None:
    assert old in BASE
    text = BASE.replace(old, new, 1)
    assert hidden_model_by_both(text) == "accepted"
    agree(text, hmm.read(text))


@pytest.mark.parametrize(
    "asked",
    [
        *["epsilon -1", "epsilon ln 1/2", "epsilon ln -2", "epsilon 1e9", "length 0", "length 5..0"],
        *["length 3..2", "length 1234567890", "length 1..1234567890", "pair c c", "pair c s"],
        *["pair nobody c", "pair c belief", "prior other -> 1 s [c]", "scenario empty"],
    ],
)
def test_a_question_that_makes_no_sense_is_refused_by_bdist_alone(asked: str) -> None:
    text = f"{BASE}{asked}\n"
    assert hidden_model_by_both(text) == "a question"
    read = read_hidden_model(text, Work())
    if "prior" not in asked:
        assert read.fingerprint() == fingerprint(hmm.read(BASE))


def test_a_formula_may_be_too_large_for_the_checker_alone() -> None:
    """How much work a formula takes is counted by the checker; that is no verdict, and no agreement."""
    with pytest.raises(checker.TooLarge):
        read_hidden_model(BASE, _Little())


class _Little(Work):
    def __init__(self) -> None:
        super().__init__()
        self._steps = 1

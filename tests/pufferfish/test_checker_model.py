"""The checker's own ``.hmm`` reader, its formulas and its polynomials: by example and by definition."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from itertools import product
from math import comb, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.checker import BadModel, TooLarge
from bdist.checker.core import limits
from bdist.checker.core import text as model_text
from bdist.checker.core.limits import Work
from bdist.checker.pufferfish import polynomials
from bdist.checker.pufferfish.model import HiddenModel, read_hidden_model
from bdist.checker.pufferfish.polynomials import (
    Polynomial,
    Range,
    at_least_zero,
    shown_at_least_zero,
    signed_coefficients,
)

BARE = "hmm\ns [x] -> 1 s\n"

SURVEY = """\
# a comment, and then an empty line

hmm "a caption" # which is no part of the model
parameter q in [0, 0.7)
parameter p in (1/4, 3e-1]
s [p/(1 + p) x', 1/(1+p)"y z"] -> 1/2"t",
    # the row goes on here

    0 s, 0.5 stop
t [x'] -> (p + q) t, (1 -\tp- q) s
stop ["\\"" ]
initial a.'+- -> 2*p^2 s,1-2*p^2 stop
scenario
prior pi -> q s [T, S], 1-q s, 0 t [U]
pair S -> T
pair S T
words common
epsilon ln 3/2
length 1 .. 20
scenario "two"
length any
epsilon -1e3
"""


def read(text: str) -> HiddenModel:
    return read_hidden_model(text, Work(len(text)))


def test_the_canonical_form_is_that_of_the_specification() -> None:
    one = '[[[0,0],"1"]]'
    over = '[[[0,0],"1"],[[1,0],"1"]]'
    form = (
        '["hmm",[["p","1/4","3/10"],["q","0","7/10"]],['
        f'["s",[["x\'",[[[[1,0],"1"]],{over}]],["y z",[{one},{over}]]],[["stop","1/2"],["t","1/2"]]],'
        '["stop",[["\\"","1"]],null],'
        f'["t",[["x\'","1"]],[["s",[[[[0,0],"1"],[[0,1],"-1"],[[1,0],"-1"]],{one}]],'
        f'["t",[[[[0,1],"1"],[[1,0],"1"]],{one}]]]]'
        f'],[["a.\'+-",[["s",[[[[2,0],"2"]],{one}]],["stop",[[[[0,0],"1"],[[2,0],"-2"]],{one}]]]]],'
        f'[["pi",[["s",[],[[[[0,0],"1"],[[0,1],"-1"]],{one}]],["s",["S","T"],[[[[0,1],"1"]],{one}]]]]]]'
    )
    model = read(SURVEY)
    assert "".join(model.canonical_parts()) == form
    assert model.fingerprint() == hashlib.sha256(form.encode("ascii")).hexdigest()


def test_what_the_file_asks_and_how_it_is_laid_out_is_no_part_of_the_model() -> None:
    model = read(BARE)
    for text in [
        *["hmm s # x\r\n\r\ns[x]->1 s", '\t# y\nhmm ""\n"s" ["x"]->1"s"', "hmm\ns [1 x] -> 1 s"],
        "hmm\ns [0 y, 1.0 x] -> (3 - 2)/1 s",
        "hmm\ns [x] -> 1 s\nscenario\nlength 0",
        "hmm\ns [x] -> 2/2 s",
    ]:
        assert read(text).fingerprint() == model.fingerprint(), text
    assert read("hmm\ns [y] -> 1 s").fingerprint() != model.fingerprint()
    assert read("hmm\ns [x]").fingerprint() != model.fingerprint()
    assert read(BARE + "parameter p in (0, 1)").fingerprint() != model.fingerprint()
    assert read(BARE + "initial i -> 1 s").fingerprint() != model.fingerprint()


def test_a_keyword_before_a_bracket_is_a_state() -> None:
    names = ["hmm", "parameter", "initial", "scenario", "prior", "pair", "words", "epsilon", "length"]
    text = (
        "hmm hmm\n"
        + "".join(f"{name} [{name}] -> 1 {name}\n" for name in names)
        + "initial initial2 -> 1 hmm"
    )
    model = read(text)
    assert [state.name for state in model.states] == names
    assert list(model.initials) == ["initial2"]


def test_names_in_quotes() -> None:
    model = read(
        'hmm\n"\\"a\\\\\\b" ["#,["] -> 1 "\\"a\\\\\\b"\n"" [é] -> 1 ""'.replace("[é]", '["é\U0001d11e"]')
    )
    assert [state.name for state in model.states] == ['"a\\\\b', ""]
    assert [list(state.observed) for state in model.states] == [["#,["], ["é\U0001d11e"]]
    assert '["\\u00e9\\ud834\\udd1e","1"]' in "".join(model.canonical_parts())


@pytest.mark.parametrize(
    ("formula", "form"),
    [
        *[("1/2", '"1/2"'), ("0.5", '"1/2"'), (".5e0", '"1/2"'), ("5.E-1", '"1/2"'), ("+1/2", '"1/2"')],
        *[("1-1/2", '"1/2"'), ("2^3/16", '"1/2"'), ("(1+\t(2))/6", '"1/2"'), ("-1+3/2", '"1/2"')],
        *[("1/2*x^0", '"1/2"'), ("(x-x+1)/2", '"1/2"'), ("-(-1/2+0)", '"1/2"')],
        ("x", '[[[[1],"1"]],[[[0],"1"]]]'),
        ("x*x/x", '[[[[2],"1"]],[[[1],"1"]]]'),
        ("x/(2*x+2)", '[[[[1],"1/2"]],[[[0],"1"],[[1],"1"]]]'),
        ("x/(4-2*x)", '[[[[1],"1/2"]],[[[0],"2"],[[1],"-1"]]]'),
        ("(0-x)/(x - 4)", '[[[[1],"1"]],[[[0],"4"],[[1],"-1"]]]'),
        ("x/(x+1)+x/(x+1)", '[[[[1],"2"]],[[[0],"1"],[[1],"1"]]]'),
        (
            "x/(x+1)+x/(1+x)/2",
            '[[[[1],"3/2"],[[2],"3/2"]],[[[0],"1"],[[1],"2"],[[2],"1"]]]',
        ),
        (
            "(x - 1/8)^2/(x-1/8)^2/3",
            '[[[[0],"1/192"],[[1],"-1/12"],[[2],"1/3"]],[[[0],"1/64"],[[1],"-1/4"],[[2],"1"]]]',
        ),
    ],
)
def test_formulas(formula: str, form: str) -> None:
    """What a formula comes to, by the rules of the specification: nothing is cancelled but constants."""
    model = read(f"hmm\nparameter x in (0, 1/4)\ns [x] -> {formula} s, (1 - ({formula})) t\nt [y] -> 1 t")
    row = model.states[0].row
    assert row is not None
    assert json.dumps(row[0].form(), separators=(",", ":")) == form


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected the keyword 'hmm'"),
        ("# nothing\n\n", "line 3: expected the keyword 'hmm'"),
        ("lmc\n", "line 1: expected the keyword 'hmm' and perhaps a name; found lmc"),
        ('"hmm"\n', "line 1: expected the keyword 'hmm'"),
        ("hmm [x] -> 1 hmm\n", "line 1: expected a name or the end of the line"),
        ("hmm a b\n", "line 1: expected the end of the statement; found b"),
        ("hmm a,\n", 'line 1: expected the end of the statement; found ","'),
        ("hmm\n", "line 2: there is no state"),
        (f"{BARE}hmm", "line 3: expected a state such as: s [x] -> 1 s, or one of the statements parameter"),
        (f'{BARE}"initial" i -> 1 s', "line 3: expected a state"),
        (f"{BARE}t -> 1 t", "line 3: expected a state"),
        (f"{BARE}t [x -> 1 t", "line 3: expected a comma or ]; found"),
        (f"{BARE}t [] -> 1 t", "line 3: expected a probability"),
        (f"{BARE}t [1/2] -> 1 t", 'line 3: expected a name; found "] -> 1 t"'),
        (f"{BARE}t [1 x, ] -> 1 t", "line 3: expected a probability"),
        (f"{BARE}t [x, y] -> 1 t", 'line 3: expected a name; found ", y] -> 1 t"'),
        (f"{BARE}t [x] ->", "line 3: expected a probability; found the end of the line"),
        (f"{BARE}t [x] -> # 1 t", "line 3: expected a probability; found the end of the line"),
        (f"{BARE}t [x] -> 1 t,", "line 3: expected a probability; found the end of the line"),
        (f"{BARE}t [x] -> 1 t,\n# and\n", "line 5: expected a probability; found the end of the line"),
        (f"{BARE}t [x] -> 1 t 1 s", 'line 3: expected the end of the statement; found "1 s"'),
        (f"{BARE}t [x] -> 1/2 t,\n1/2", "line 4: expected a name; found the end of the line"),
        (f"{BARE}t [x] -> 1/2 t,\n1/2 s s", "line 4: expected the end of the statement; found s"),
        (f"{BARE}t [x] -> (1/2)t", "line 3: expected a name"),
        (f"{BARE}t [x] -> 1 - 0 t", "line 3: expected the end of the statement"),
        (f'{BARE}t [x] -> 1 "t', "line 3: expected a name"),
        (f'{BARE}t ["\x07"] -> 1 t', 'line 3: the name "\\u0007" holds a control character'),
        (f'{BARE}t ["\x7f"] -> 1 t', 'line 3: the name "\\u007f" holds a control character'),
        (f'{BARE}t ["\ud800"] -> 1 t', 'line 3: the name "\\ud800" holds a control character or half'),
        (f"{BARE}s [y] -> 1 s", "line 3: the state s is declared twice"),
        (f"{BARE}t [x] -> 1 u", "line 3: the state u is not declared"),
        (f"{BARE}t [x] -> 1 t,\n0 u", "line 4: the state u is not declared"),
        (f"{BARE}t [1/2 x, 1/2 x] -> 1 t", "line 3: x stands twice in the state t"),
        (f"{BARE}t [x] -> 1/2 t,\n1/2 t", "line 4: t stands twice in the row of the state t"),
        (
            f"{BARE}t [1/2 x, 1/3 y] -> 1 t",
            "line 3: the sum of the observations of the state t is 5/6, not 1",
        ),
        (f"{BARE}t [x] -> 1/2 t, 1/3 s", "line 3: the sum of the row of the state t is 5/6, not 1"),
        (f"{BARE}t [x] -> 3/2 t, -1/2 s", 'line 3: "-1/2" is not a probability: its numerator'),
        (f"{BARE}t [x]", "line 2: the state s shows x, as t does, which halts, and does not halt"),
        (f"{BARE}initial s -> 1 s", "line 3: s is a state and an initial distribution"),
        (f"{BARE}initial i -> 1 s\ninitial i -> 1 s", "line 4: the initial distribution i is declared twice"),
        (f"{BARE}initial i 1 s", "line 3: expected ->; found"),
        (f"{BARE}initial i-> 1 s", "line 3: expected ->; found"),
        (f"{BARE}initial i -> 1/2 s", "line 3: the sum of the initial distribution i is 1/2, not 1"),
        (f"{BARE}initial i -> 1 t", "line 3: the state t is not declared"),
        (f"{BARE}initial i -> 1 s [S]", "line 3: expected the end of the statement"),
        # parameters
        (f"{BARE}parameter 1p in (0, 1)", "line 3: expected the name of a parameter"),
        (f"{BARE}parameter p-q in (0, 1)", "line 3: expected the name of a parameter"),
        (f'{BARE}parameter "p" in (0, 1)', "line 3: expected the name of a parameter"),
        (f"{BARE}parameter p (0, 1)", "line 3: expected in; found"),
        (f"{BARE}parameter p in 0, 1", "line 3: expected ( or [; found"),
        (f"{BARE}parameter p in (0 1)", "line 3: expected a comma; found"),
        (f"{BARE}parameter p in (0,\nx)", "line 4: x is not a number such as 1/2, 0.5 or 1e-4"),
        (f"{BARE}parameter p in (0, 1/0)", 'line 3: "1/0" has denominator zero'),
        (f"{BARE}parameter p in (0, 1", "line 3: expected ) or ]; found the end of the line"),
        (f"{BARE}parameter p in (1, 1)", "line 3: the range of p is empty, or a single number"),
        (f"{BARE}parameter p in (1, 0)", "line 3: the range of p is empty, or a single number"),
        (f"{BARE}parameter p in (0, 1)\nparameter p in (0, 1)", "line 4: the parameter p is declared twice"),
        (
            f"{BARE}initial i -> p s, 1-p s2\ns2 [x] -> 1 s\nparameter p in (0, 1)",
            "line 3: p names p, which is declared after it",
        ),
        (BARE + "".join(f"parameter p{i} in (0, 1)\n" for i in range(9)), "line 12: there are 9 parameters"),
        # scenarios
        (f"{BARE}pair s s", "line 3: the statement pair stands outside of any scenario"),
        (f"{BARE}words all", "line 3: the statement words stands outside of any scenario"),
        (f"{BARE}scenario\nt [x] -> 1 t", "line 4: a state stands in a scenario"),
        (f"{BARE}scenario\ninitial i -> 1 s", "line 4: an initial distribution stands in a scenario"),
        (f"{BARE}scenario\nparameter p in (0, 1)", "line 4: a parameter stands in a scenario"),
        (f'{BARE}scenario\nscenario ""', 'line 4: a second scenario is called ""'),
        (f"{BARE}scenario a b", "line 3: expected the end of the statement; found b"),
        (f"{BARE}scenario\nwords all\nwords all", "line 5: a second statement words in one scenario"),
        (f"{BARE}scenario\nepsilon 1\nepsilon 1", "line 5: a second statement epsilon in one scenario"),
        (f"{BARE}scenario\nlength 1\nlength 1", "line 5: a second statement length in one scenario"),
        (f"{BARE}scenario\nwords most", "line 4: expected all or common after words"),
        (f"{BARE}scenario\nepsilon ln2", "line 4: ln2 is not a number"),
        (f"{BARE}scenario\nepsilon ln", "line 4: expected a number; found the end of the line"),
        (f"{BARE}scenario\nlength 1..", "line 4: expected digits; found the end of the line"),
        (f"{BARE}scenario\nlength 1.5", "line 4: expected the end of the statement"),
        (f"{BARE}scenario\nlength some", "line 4: expected digits, or any"),
        (f"{BARE}scenario\npair S", "line 4: expected a name; found the end of the line"),
        (f"{BARE}scenario\npair S-> T", "line 4: expected a name"),
        (f"{BARE}scenario\npair S T U", "line 4: expected the end of the statement; found U"),
        (f"{BARE}scenario\nprior t -> 1 s []", "line 4: expected a name"),
        (f"{BARE}scenario\nprior t -> 1 s [S", "line 4: expected a comma or ]; found the end of the line"),
        (
            f"{BARE}scenario\nprior t -> 1 s [S,\nS]",
            "line 4: the secret S stands twice in one case of the prior t",
        ),
        (f"{BARE}scenario\nprior t -> 1 s [s]", "line 4: s is a state and a secret"),
        (f"{BARE}scenario\nprior t -> 1/2 s [S]", "line 4: the sum of the prior t is 1/2, not 1"),
        (f"{BARE}scenario\nprior t -> 1 u [S]", "line 4: the state u is not declared"),
        (
            f"{BARE}scenario\nprior t -> 1 s\nscenario 2\nprior t -> 1 s",
            "line 6: the prior t is declared twice",
        ),
        (
            f"{BARE}scenario\nprior t -> 1/2 s [S, T],\n1/2 s [T, S]",
            "line 5: two cases of the prior t have the state s and the same secrets",
        ),
        (
            f"{BARE}initial S -> 1 s\nscenario\nprior t -> 1 s [S]",
            "line 5: S is an initial distribution and a secret",
        ),
    ],
)
def test_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(BadModel) as caught:
        read(text)
    assert str(caught.value).startswith(message)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("1/0", "divides by zero"),
        ("1/(x-x)", "divides by zero"),
        ("y", "names y, which is not a parameter"),
        ("2x", "is not a formula: x stands where an operator should"),
        ("1(2)", 'is not a formula: "(" stands'),
        ("(1 2)", "is not a formula: a parenthesis is not closed"),
        ("1)", 'is not a formula: ")" stands where an operator should'),
        ("2*-3", "is not a formula: - stands"),
        ("--1", "is not a formula: - stands"),
        ("1+", "is not a formula: it ends where a number"),
        ("()", "is"),
        ("x^x", "is not a formula: an exponent is written in digits"),
        ("x^1.0", "is not a formula: an exponent"),
        ("x^1^2", 'is not a formula: "^" stands'),
        ("x^-1", "is not a formula: an exponent"),
        ("1..2", "is not"),
        ("1%", 'is not a formula: "%" is no part of one'),
        ("(1\xa0)", "is not a formula"),
        ("x.y", "is not"),
        ("1e1001", "holds a number that has an exponent beyond 1000"),
        ("x^65", "has an exponent of a power"),
        *[("(x^33)^2", "has a degree on the way that is beyond 64"), ("x^64*x", "has a degree on the way")],
        ("(x-1)", "is not a probability: its numerator"),
        ("1/(x-1/8)", "is not a probability: its denominator"),
        ("x^100000000000", "has an exponent of a power"),
        ("(1e1000)^64/(1e-1000)^64", "has a number on the way with more than 332000 bits"),
        ("(" * 65 + "1" + ")" * 65, "has more than 64 parentheses within each other"),
    ],
)
def test_says_what_is_wrong_with_a_formula(formula: str, message: str) -> None:
    with pytest.raises(BadModel) as caught:
        read(f"hmm\nparameter x in (0, 1/4)\ns [x] -> 1 s\nt [y] -> {formula} s, 1 t")
    assert str(caught.value).startswith("line 4: ")
    assert f" {message}" in str(caught.value)


def test_a_formula_at_the_limits_is_read() -> None:
    nested = "(" * 64 + "1" + ")" * 64
    text = (
        f"hmm\nparameter x in (0, 1)\ns [{nested} x] -> x^64 s, 1-x^064 t\nt [y] -> (1e1000)^64/(1e1000)^64 t"
    )
    assert len(read(text).states) == 2


def test_limits_on_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (polynomials.MOST_TERMS, polynomials.MOST_BITS, polynomials.HIGHEST_DEGREE) == (
        10_000,
        332_000,
        64,
    )
    text = "hmm\nparameter x in (0, 1)\ns [1/2*(1-(1-x)^3) x, (1 - 1/2*(1-(1-x)^3)) y] -> 1 s"
    assert len(read(text).states) == 1
    monkeypatch.setattr(polynomials, "MOST_TERMS", 3)
    with pytest.raises(BadModel, match=r"line 3: .* has 4 terms on the way, and at most 3 are read"):
        read(text)


def test_the_work_of_reading_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STEPS", 10**5)
    eight = "abcdefgh"
    declared = "".join(f"parameter {letter} in (0, 1/8)\n" for letter in eight)
    text = f"hmm\n{declared}s [x] -> ({'+'.join(eight)})^7 s, (1 - ({'+'.join(eight)})^7) t\nt [y] -> 1 t"
    with pytest.raises(TooLarge):
        read(text)


def test_a_text_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_text, "MODEL_BYTES", len(BARE) - 1)
    with pytest.raises(BadModel, match=r"line 1: the text has \d+ characters"):
        read(BARE)


@pytest.mark.parametrize(
    ("statement", "readable"),
    [
        pytest.param("\n" * 10**6, True, id="line feeds"),
        pytest.param("#\n" * 10**6, True, id="comments"),
        pytest.param(" " * 10**6, True, id="blanks"),
        pytest.param("t [x] -> 1 t," + "\n" * 10**6 + "0 s", True, id="lines within"),
        pytest.param("t [x] -> (1" + " " * 10**6 + ") t", True, id="blanks within"),
        pytest.param("q" * 10**6, False, id="word"),
        pytest.param("t [1" + "," * 10**6, False, id="commas"),
        pytest.param("t [x] -> " + "(" * 10**6, False, id="parentheses"),
        pytest.param('"' + "\\" * (10**6 + 1), False, id="backslashes"),
        pytest.param("t [x] -> 1" + "+0" * 10**4 + " t", True, id="a long sum"),
    ],
)
def test_a_long_text_is_answered_at_once(statement: str, readable: bool) -> None:
    outcome = "a model"
    try:
        read(f"{BARE}{statement}\n")
    except BadModel as error:
        outcome = str(error)
    assert outcome == "a model" if readable else outcome.startswith("line 3: ")
    assert len(outcome) < 400


# --- polynomials ----------------------------------------------------------------------------------------


def naive_coefficients(polynomial: Polynomial, box: tuple[Range, ...]) -> dict[tuple[int, ...], Fraction]:
    """The Bernstein coefficients, as the specification defines them."""
    m = len(box)
    top = [max((e[i] for e in polynomial), default=0) for i in range(m)]
    shifted: dict[tuple[int, ...], Fraction] = {}
    for e, coefficient in polynomial.items():
        for j in product(*(range(k + 1) for k in e)):
            term = Fraction(coefficient)
            for i in range(m):
                low, high = box[i]
                term *= comb(e[i], j[i]) * low ** (e[i] - j[i]) * (high - low) ** j[i]
            shifted[j] = shifted.get(j, Fraction(0)) + term
    found = {}
    for index in product(*(range(n + 1) for n in top)):
        total = Fraction(0)
        for j, c in shifted.items():
            if all(x <= y for x, y in zip(j, index, strict=True)):
                factors = [Fraction(comb(index[i], j[i]), comb(top[i], j[i])) for i in range(m)]
                total += c * prod(factors)
        found[index] = total
    return found


polynomials_in_two = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(-9, 9).filter(bool), max_size=5
)
ranges = st.tuples(st.fractions(-2, 2, max_denominator=6), st.fractions(0, 2, max_denominator=6)).map(
    lambda ends: Range(ends[0], ends[0] + ends[1] + Fraction(1, 7))
)


@given(polynomials_in_two, st.tuples(ranges, ranges))
@settings(max_examples=75, deadline=None)
def test_bernstein_coefficients_have_the_signs_of_the_definition(
    polynomial: Polynomial, box: tuple[Range, Range]
) -> None:
    naive = naive_coefficients(polynomial, box)
    found = signed_coefficients(polynomial, box, Work())
    assert found.keys() <= naive.keys()
    for index, value in naive.items():
        ours = found.get(index, 0)
        assert (ours > 0, ours < 0) == (value > 0, value < 0)
    if at_least_zero(polynomial, box, Work()):
        for x, y in product(*((low, (low + high) / 2, high) for low, high in box)):
            assert sum(c * x**i * y**j for (i, j), c in polynomial.items()) >= 0


@pytest.mark.parametrize(
    ("polynomial", "shown"),
    [
        pytest.param({}, True, id="zero"),
        pytest.param({(0,): -1}, False, id="negative"),
        pytest.param({(0,): 1, (1,): -4, (2,): 4}, True, id="a zero in the middle"),  # (1 - 2x)²
        pytest.param({(0,): 1, (1,): -6, (2,): 9}, False, id="a zero at a third"),  # (1 - 3x)²
        pytest.param({(0,): 10, (1,): -60, (2,): 91}, True, id="close to zero at a third"),
        pytest.param({(0,): 99, (1,): -600, (2,): 900}, False, id="below zero near a third"),
        pytest.param({(0,): 1, (1,): -1}, True, id="zero at the end"),
        pytest.param({(0,): 1, (1,): -2}, False, id="negative at the end"),
    ],
)
def test_shown_to_be_at_least_zero(polynomial: Polynomial, shown: bool) -> None:
    assert shown_at_least_zero(polynomial, (Range(Fraction(0), Fraction(1)),), Work()) == shown


def test_the_box_is_halved_along_the_parameters_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """(1 - 2y)² takes the halves of the second parameter, which come after those of the first: 7 boxes."""
    box = (Range(Fraction(0), Fraction(1)),) * 2
    for most, shown in ((7, True), (6, False)):
        monkeypatch.setattr("bdist.checker.pufferfish.polynomials.MOST_BOXES", most)
        assert shown_at_least_zero({(0, 0): 1, (0, 1): -4, (0, 2): 4}, box, Work()) == shown

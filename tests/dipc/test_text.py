"""The ``.dip`` format: what is written is read back, however it is spelled, and what is wrong is refused."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.dipc import text as dip
from bdist.dipc.expansion import expanded, fingerprint
from bdist.dipc.program import (
    Assign,
    Binary,
    Claim,
    Declared,
    Discretised,
    Epsilon,
    Exit,
    For,
    Function,
    If,
    Interval,
    Laplace,
    ListedPairs,
    Norm,
    Number,
    Program,
    Unary,
    Variable,
    Within,
)
from bdist.dipc.rules import kinds_of
from bdist.errors import BdistError, FormatError, ModelError, ProgramError
from tests.oracles.programs import EXPRESSIONS, programs, respelled
from tests.tools import refusal_by

EXAMPLE = "\n".join(line.removeprefix("    ") for line in (dip.__doc__ or "").splitlines()[2:21]) + "\n"
HEAD = "domain {0, 1};\ninput q[2];\noutput o;\nadjacent linf 1;\n"
NO_DOMAIN = "expected a declaration such as domain {0, 1}, found the end of the text; there is no domain yet"
A_STATEMENT = "expected a statement, which begins with a variable or with if, while, for or exit"
DEEP = "if q[1] == 0 {" * 30 + "o := 1" + " + 1" * 99 + ";" + "}" * 30


def refusal(text: str, kind: type[BdistError], line: int, column: int = 0) -> str:
    return refusal_by(lambda: dip.read(text, "a.dip"), kind, "a.dip", line, column)


def number(value: int) -> Number:
    return Number(Fraction(value))


# --- what is read and written --------------------------------------------------------------------------


def test_the_documented_example() -> None:
    program = dip.read(EXAMPLE)
    assert program.name == "svt"
    assert program.domain == (Fraction(-1), Fraction(0), Fraction(1))
    assert program.inputs == (Declared("q", 2),)
    assert program.outputs == (Declared("o", 2),)
    assert program.input_names == ("q[1]", "q[2]")
    assert program.adjacency == Within(Norm.LINF, Fraction(1))
    assert program.claim == Claim()
    assert program.interval == Interval()
    first, zeros, loop = program.body
    quarter = Binary("*", Binary("/", number(1), number(4)), Epsilon())
    half = Binary("*", Binary("/", number(1), number(2)), Epsilon())
    assert first == Laplace(Variable("rT"), half, number(0))
    answer = Variable("o", Variable("i"))
    assert zeros == For("i", number(1), number(2), (Assign(answer, number(0)),))
    condition = Binary(">=", Variable("r"), Variable("rT"))
    assert isinstance(loop, For)
    assert loop.body == (
        Laplace(Variable("r"), quarter, Variable("q", Variable("i"))),
        If(((condition, (Assign(answer, number(1)), Exit())),), ()),
    )
    assert set(kinds_of(expanded(program))) == {"q[1]", "q[2]", "rT", "o[1]", "o[2]", "r"}


def test_the_text_that_is_written() -> None:
    text = """program all_at_once;
domain {-1, 0, 1/2};
input q[2], p;
output o, disc(r[1], -1 < 0 < 1/2);
adjacent (0, 0, 1/2) ~ (0, 0, 0), (-1, 0, 0) ~ (0, 0, 0);
claim 3/2*eps, delta 1/100*exp(-2*eps);
epsilon in [1/2, 3);
function f(x, y) = max(x, 2*y) - abs(-x);
function g(x) = table {-1: 0, 0: 1/2, 1/2: 0.5};

r[1] ~ Lap(f(1, 2)*eps, q[1] + 1);
n ~ DLap(eps, -1);
o ~ Exp(1/2*eps, v in {0, 1}: -abs(v - p));
b ~ choose {true: exp(eps), false: 1};
if not (b or r[1] < 1.25) and q[2] != 0 {
  o := 1 - (2 - 3)*-(4*5);
} else if b {
  exit;
} else {
  while b == (not b) {
    b := false;
  }
}
for i in 1..2 {
  x[2*i] := q[i]/2/(3/4);
}
""".replace("0.5", "1/2")
    program = dip.read(text)
    assert dip.write(program) == text
    assert program.functions[1] == Function(
        "g",
        ("x",),
        None,
        (
            ((Fraction(-1),), Fraction(0)),
            ((Fraction(0),), Fraction(1, 2)),
            ((Fraction(1, 2),), Fraction(1, 2)),
        ),
    )
    assert program.outputs[1] == Discretised(
        Variable("r", number(1)), (Fraction(-1), Fraction(0), Fraction(1, 2))
    )
    assert isinstance(program.adjacency, ListedPairs)
    assert program.interval == Interval(Fraction(1, 2), Fraction(3), True, False)


@given(programs())
@settings(max_examples=25, deadline=None)
def test_what_is_written_is_read_back(program: Program) -> None:
    text = dip.write(program)
    again = dip.read(text)
    assert again == program
    assert dip.write(again) == text
    try:
        expected = fingerprint(program)
    except ModelError:
        return
    assert fingerprint(again) == expected


@given(st.data())
@settings(max_examples=8, deadline=None)
def test_the_same_program_however_it_is_spelled(data: st.DataObject) -> None:
    program = data.draw(programs())
    assert dip.read(data.draw(respelled(dip.write(program)))) == program


@given(EXPRESSIONS)
@settings(max_examples=25, deadline=None)
def test_no_parentheses_are_written_in_vain(expression: object) -> None:
    """Without any pair of them, the text is none, or another expression."""
    assign = Assign(Variable("x"), expression)  # type: ignore[arg-type]
    program = dip.read(HEAD)
    text = dip.write(Program(**{**vars(program), "body": (assign,)}))
    start = text.index("x :=")
    opened: list[int] = []
    for place in range(start, len(text)):
        if text[place] == "(":
            opened.append(place)
        elif text[place] == ")":
            first = opened.pop()
            word = re.search(r"[A-Za-z_'][A-Za-z0-9_']*$", text[:first])
            if word is not None and word[0] not in ("and", "or", "not"):
                continue  # the parentheses of a call
            without = f"{text[:first]} {text[first + 1 : place]} {text[place + 1 :]}"
            try:
                assert dip.read(without).body != (assign,)
            except FormatError:
                continue


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("-x*y", "(-x)*y"),
        ("a - b - c", "(a - b) - c"),
        ("a/b*c", "(a/b)*c"),
        ("not a < b", "not (a < b)"),
        ("not a and b or c", "((not a) and b) or c"),
        ("a or b and c", "a or (b and c)"),
        ("a + b < c*d", "(a + b) < (c*d)"),
        ("--x", "-(-x)"),
        ("not not a", "not (not a)"),
        ("1.50", "1.5"),
        ("007", "7"),
        ("a-1", "a - 1"),
        ("1and 2", "1 and 2"),
    ],
)
def test_how_operators_bind(text: str, same: str) -> None:
    assert dip.read(f"{HEAD}x := {text};") == dip.read(f"{HEAD}x := {same};")


def test_numbers_are_exact_and_keep_their_form() -> None:
    (half, quotient, minus) = dip.read(f"{HEAD}x := 0.5; x := 1/2; x := -1;").body
    assert half == Assign(Variable("x"), Number(Fraction(1, 2)))
    assert quotient == Assign(Variable("x"), Binary("/", number(1), number(2)))
    assert minus == Assign(Variable("x"), Unary("-", number(1)))
    assert dip.read("domain {0.5, -1/2}; input q; output q; adjacent l1 1;").domain == (
        Fraction(1, 2),
        Fraction(-1, 2),
    )
    assert dip.read("domain {-1/2 .. 3/2}; input q; output q; adjacent l1 1;").domain == (
        Fraction(-1, 2),
        Fraction(1, 2),
        Fraction(3, 2),
    )


def test_long_lists_go_on_in_the_next_line() -> None:
    rows = ", ".join(f"({i}, {j}): {i * j}" for i in range(8) for j in range(8))
    options = ", ".join(f"{i}: exp({i}*eps)" for i in range(30))
    text = f"{HEAD}function f(x, y) = table {{{rows}}};\nif true {{ o ~ choose {{{options}}}; }}"
    written = dip.write(dip.read(text))
    assert max(map(len, written.splitlines())) <= 100
    assert dip.read(written) == dip.read(text)


def test_places_are_those_of_the_text() -> None:
    (loop,) = dip.read(f"{HEAD}# é\r\n\tfor i in 1 .. 2 {{ o :=\n 1 +\n  q[i]; }}").body
    assert (loop.place.line, loop.place.column) == (6, 2)
    assert isinstance(loop, For)
    (assign,) = loop.body
    assert isinstance(assign, Assign)
    assert (assign.place.line, assign.place.column) == (6, 20)
    value = assign.value
    assert isinstance(value, Binary)
    assert (value.place.line, value.place.column) == (7, 4)
    assert (value.right.place.line, value.right.place.column) == (8, 3)


def test_what_is_large_and_deep_and_still_read() -> None:
    for text in (
        f"{HEAD}o := 0; {DEEP}",
        f"{HEAD}o := {'(' * 100}1{')' * 100};",
        f"{HEAD}o := {'abs(' * 99}1{')' * 99};",
        f"{HEAD}o := {'-' * 99}1;",
        f"{HEAD}b := {'not ' * 99}true; o := {'9' * 1000}.0;".replace(".0", ""),
        f"{HEAD}o := 0;" + "if q[1] == 0 {} " + "else if q[2] == 0 {} " * 2000,
    ):
        program = dip.read(text)
        assert dip.read(dip.write(program)) == program
        assert hash(program) == hash(dip.read(text))
        assert kinds_of(expanded(program))
        assert repr(program)
        assert len(fingerprint(program)) == 64


def test_a_file_that_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "a.dip"
    for data, message in [
        (b"#" * (2**22 + 1), "has 4194305 bytes; at most 4194304 are read"),
        (b"#" * (2**20 + 1), "has 1048577 characters; at most 1048576 are read"),
    ]:
        path.write_bytes(data)
        with pytest.raises(FormatError, match=message) as caught:
            dip.load_program(path)
        assert str(caught.value).startswith(str(path))


def test_a_program_knows_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.dip"
    path.write_text(EXAMPLE, encoding="utf-8")
    assert dip.load_program(str(path)).source == str(path)


# --- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, NO_DOMAIN),
        ("program", 8, "expected the program's name, found the end of the text"),
        ("program if;", 9, "expected the program's name; 'if' is a reserved word"),
        ("program svt", 12, "expected ';', found the end of the text"),
        ("x := 1;", 1, "expected a declaration such as domain {0, 1}, found 'x'; there is no domain yet"),
        ("domain {0, 1;", 13, "expected ',' or '}', found ';'"),
        ("domain {1..0};", 9, "the ends of a domain are a and a + n with a whole number n >= 0"),
        ("domain {0..1/2};", 9, "the ends of a domain are a and a + n with a whole number n >= 0"),
        ("domain {0, 0};", 9, "a value stands twice in the domain"),
        ("domain {0 1};", 11, "expected ',', '..' or '}', found '1'"),
        ("domain {};", 9, "expected a constant such as 2, -1 or 1/2, found '}'"),
        ("domain {1/0};", 11, "the denominator is zero"),
        ("domain {--1};", 10, "expected a constant such as 2, -1 or 1/2, found '-'"),
        ("domain {1e3};", 10, "expected ',', '..' or '}', found 'e3'"),
        ("domain {0,1}; domain {0,1};", 15, "domain is declared in line 1 already"),
        ("input q[0];", 9, "expected the number of elements, from 1 to 10000"),
        ("input q[x];", 9, "expected the number of elements, found 'x'"),
        ("input q[1.5];", 9, "expected the number of elements, found '1.5'"),
        ("input 3;", 7, "expected a variable, found '3'"),
        ("input q q;", 9, "expected ';', found 'q'"),
        ("input q[99999];", 9, "expected the number of elements, from 1 to 10000"),
        ("output disc(x);", 14, "expected ',', found ')'"),
        ("output disc(x, 1);", 8, "disc needs two constants at least: disc(x, a < b)"),
        ("output disc(x, 1 < 0);", 23, NO_DOMAIN),
        ("output eps;", 8, "expected a variable; 'eps' is a reserved word"),
        (
            "adjacent l2 1;",
            10,
            "expected linf, l1 or l0 and a constant, or pairs such as (0, 0) ~ (0, 1), found 'l2'",
        ),
        ("adjacent linf;", 14, "expected a constant such as 2, -1 or 1/2, found ';'"),
        ("adjacent (0) (1);", 14, "expected '~', found '('"),
        ("adjacent (0 ~ 1);", 13, "expected ',' or ')', found '~'"),
        ("claim;", 6, "expected the budget, such as eps or 1/2*eps, found ';'"),
        ("claim 2;", 7, "the claim is t * eps with a constant t >= 0, such as 1/2*eps"),
        ("claim eps*eps;", 10, "the claim is not linear in eps"),
        ("claim -eps;", 7, "the claim is t * eps with a constant t >= 0, such as 1/2*eps"),
        ("claim x*eps;", 7, "the claim is made of numbers, eps and + - * / only, and 'x' is a variable"),
        ("claim eps/0;", 10, "the claim divides by zero"),
        ("claim eps, 1/2;", 12, "expected 'delta', found '1'"),
        ("claim eps/eps;", 10, "the claim is not linear in eps"),
        ("claim true;", 7, "the claim is made of numbers, eps and + - * / only, not of true and false"),
        ("claim abs(eps);", 7, "the claim is made of numbers, eps and + - * / only, and 'abs' is a function"),
        ("epsilon (0, 1);", 9, "expected 'in', found '('"),
        ("epsilon in 0, 1;", 12, "expected an interval such as (0, inf) or [1/2, 1], found '0'"),
        ("epsilon in (0; 1);", 14, "expected ',', found ';'"),
        ("epsilon in (0, 1;", 17, "expected ')' or ']', found ';'"),
        ("function f = 1;", 12, "expected '(', found '='"),
        ("function f(x) x;", 15, "expected '=', found 'x'"),
        ("function f() = 1;", 12, "expected a parameter, found ')'"),
        ("function f(x) = table {0 1};", 26, "expected ':', found '1'"),
        ("function abs(x) = 1;", 10, "expected the function's name; 'abs' is a reserved word"),
        ("function f(x) = ;", 17, "expected an expression or a table, found ';'"),
    ],
)
def test_declarations_that_are_none(text: str, column: int, message: str) -> None:
    kind = ProgramError if message.startswith("the claim") else FormatError
    assert refusal(text, kind, 1, column) == message


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("x = 1;", 3, "expected ':=' or '~', found '='; an assignment is x := 1"),
        ("x + 1;", 3, "expected ':=' or '~', found '+'"),
        ("x := 1", 7, "expected an operator or ';', found the end of the text"),
        ("x := ;", 6, "expected an expression, found ';'"),
        ("x ~ lap(eps, 0);", 5, "expected Lap, DLap, Exp or choose, found 'lap'"),
        ("x ~ Lap(eps);", 12, "expected an operator or ',', found ')'"),
        ("x ~ Lap(eps, 0;", 15, "expected an operator or ')', found ';'"),
        ("x ~ Exp(eps, 1 in {0}: 0);", 14, "expected a name for the candidate, found '1'"),
        ("x ~ Exp(eps, v in {0} 0);", 23, "expected ':' and the score, found '0'"),
        ("x ~ choose {0};", 14, "expected an operator, or ':' and the weight, found '}'"),
        ("x ~ choose {0: 1, };", 19, "expected a value, found '}'"),
        ("if x := 1 {}", 6, "expected an operator or '{', found ':='"),
        ("if x {", 7, "expected '}' to close the block of line 5, column 6, found the end of the text"),
        ("if x }", 6, "expected an operator or '{', found '}'"),
        ("else {}", 1, f"{A_STATEMENT}, found 'else'"),
        ("l1 := 1;", 1, "expected a variable; 'l1' is a reserved word"),
        ("inf ~ Lap(eps, 0);", 1, "expected a variable; 'inf' is a reserved word"),
        ("disc # a\n[1] := 1;", 1, "expected a variable; 'disc' is a reserved word"),
        ("x := 1 + l1;", 10, "expected an expression; 'l1' is a reserved word"),
        ("exit", 5, "expected ';', found the end of the text"),
        ("exit; }", 7, f"{A_STATEMENT}, found '}}'"),
        ("for i in 1 {}", 12, "expected an operator or '..', found '{'"),
        ("for 1 in 1..2 {}", 5, "expected a counter, found '1'"),
        ("for i in 1..2 x := 1;", 15, "expected an operator or '{', found 'x'"),
        ("x := 1 < 2 < 3;", 12, "comparisons do not chain; write a < b and b < c"),
        ("x := 1 + not true;", 10, "expected a number or a variable, found 'not'; write (not ...)"),
        ("x := (1;", 8, "expected an operator or ')' to close what begins in line 5, column 6, found ';'"),
        (
            "x := f(1;",
            9,
            "expected an operator, ',' or ')' to close what begins in line 5, column 6, found ';'",
        ),
        ("x := y[1;", 9, "expected an operator or ']' to close what begins in line 5, column 6, found ';'"),
        ("x := 1 2;", 8, "expected an operator or ';', found '2'"),
        ("x := 1.5.2;", 9, "expected an operator or ';', found '.'"),
        ("x := exp 1;", 10, "expected '(', found '1'"),
        ("x := $;", 6, "expected an expression, found '$'"),
        ("x := min();", 10, "expected an argument, found ')'"),
        ("domain {0};", 1, "domain is declared in line 1 already"),
        ("x := 1; input y;", 9, "declarations stand before all statements"),
        ("x := 'a';", 6, "expected an expression, found '''"),
        ("x := 1 == 1 != 2;", 13, "comparisons do not chain; write a < b and b < c"),
        ("x := \x1b[2J;", 6, "expected an expression, found '\\x1b'"),
        ("if := 1;", 4, "expected a condition, found ':='"),
        ("x[1] = 2;", 6, "expected ':=' or '~', found '='; an assignment is x := 1"),
        (
            "while (x {}",
            10,
            "expected an operator or ')' to close what begins in line 5, column 7, found '{'",
        ),
        ("x := a.b;", 7, "expected an operator or ';', found '.'"),
    ],
)
def test_statements_that_are_none(text: str, column: int, message: str) -> None:
    assert refusal(HEAD + text, FormatError, 5, column) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("adjacent linf 0;", "the distance of neighbours is positive"),
        ("adjacent l1 -1;", "the distance of neighbours is positive"),
        ("adjacent (0, 0) ~ (0, 2);", "(0, 2) has a value that is not in the domain"),
        ("adjacent (0, 0) ~ (0);", "(0) has 1 entries, and there are 2 inputs"),
        ("epsilon in [0, 1];", "epsilon is positive: an interval begins with (0 or above"),
        ("epsilon in (-1, 1);", "epsilon is positive: an interval begins with (0 or above"),
        ("epsilon in (0, inf];", "inf is not a value of epsilon: write inf)"),
        ("epsilon in (1, 1];", "there is no epsilon in this interval"),
        ("epsilon in (2, 1);", "there is no epsilon in this interval"),
        ("function q(x) = 1;", "'q' is the name of an input already"),
        ("function f(x) = 1; function f(x) = 1;", "'f' is the name of a function already"),
        ("function f(x, x) = 1;", "'x' is the name of a parameter already"),
        ("function f(x) = table {(0, 1): 1};", "the table of 'f' has a row for (0, 1) and 1 parameter"),
        ("function f(x, y) = table {0: 1};", "the table of 'f' has a row for (0) and 2 parameters"),
        ("function f(x) = table {0: 1, (0): 2};", "the table of 'f' has a row for (0) twice"),
        ("output disc(x, 1 < 0);", "the constants of disc increase"),
        ("output disc(x, 0 < 1 < 1);", "the constants of disc increase"),
    ],
)
def test_declarations_that_make_no_sense(text: str, message: str) -> None:
    word = text.split()[0]
    before = "".join(line for line in HEAD.splitlines(keepends=True) if not line.startswith(word))
    line = before.count("\n") + 1
    column = text.rindex("function") + 1 if "function f(x) = 1; f" in text else 8 if word == "output" else 1
    assert refusal(before + text, ProgramError, line, column) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + ";" * 1_000_000, "5:1: expected a statement"),
        (HEAD + "o := " + "(" * 900_000, "5:106: more than 100 parentheses are open here"),
        (HEAD + "o := " + "f(" * 400_000, "5:206: more than 100 parentheses are open here"),
        (HEAD + "o := " + "x[" * 400_000, "5:206: more than 100 parentheses are open here"),
        (HEAD + "o := " + "-" * 900_000, "5:106: the expression is nested more than 100 deep"),
        (HEAD + "o := " + "not " * 200_000, "5:406: the expression is nested more than 100 deep"),
        (HEAD + "o := 1" + "+1" * 500_000, "5:207: the expression is nested more than 100 deep"),
        (HEAD + "o := 1" + "<1" * 500_000, "5:9: comparisons do not chain"),
        (HEAD + "while q {" * 100_000, "5:279: blocks are nested more than 30 deep"),
        (HEAD + "o := " + "9" * 1_000_000, "5:6: '9999999999999999999999999999999999999...' has 1000000 dig"),
        (HEAD + "x" * 2**20, ": has 1048630 characters; at most 1048576 are read"),
        ("domain {0 .. 10000};", "1:9: the domain has more than 10000 values"),
        (
            "domain {" + ", ".join(map(str, range(10_001))) + "};",
            "1:9: the domain has more than 10000 values",
        ),
        ("input a[9999], b, c;", "1:1: there are 10001 variables here, element by element; at most 10000"),
        ("output a[9999], disc(x, 0 < 1), b;", "1:1: there are 10001 variables here"),
        ("\n" * 1_000_000, "1000001:1: expected a declaration"),
    ],
)
def test_what_is_too_large_is_refused_at_once(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        dip.read(text)
    assert str(caught.value).removeprefix("<text>:").startswith(message.removeprefix(":"))
    assert len(str(caught.value)) < 300

"""The checker's reader of ``.dip`` files: the rules that a text can break, and that both readers agree."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from bdist.checker import BadModel, TooLarge
from bdist.checker.core.limits import Work
from bdist.checker.dipc.program import Program, read_program
from bdist.dipc import text as dip
from bdist.dipc.expansion import expanded, fingerprint
from bdist.dipc.rules import kinds_of
from bdist.errors import BdistError

HERE = Path(__file__).parent
INSTANCES = HERE.parents[1] / "instances" / "dipc"
HEAD = "domain {0, 1}; input x, q[2]; output y; adjacent linf 1; "

EVERYTHING = """
program every'thing;  # a comment; with "marks"
domain {-1 .. 1};
input x, q[2];
output b, out[2], disc(r, -1 < 0.5 < 1), disc(k, 0 < 2);
adjacent (0, 0, 0) ~ (1, 0, 1), (1, 0, 0)~(1, 1, -1);
claim 3/2*eps, delta 1/10*exp(-eps) + 0;
epsilon in [1/2, 3];
function f(a, c) = abs(a - c) + max(a, c, 1) - min(2, a)/3;
function g(a) = table {-1: 0, 0: 1, (1): 2.5};
function small(a) = not a >= f(a, 1) or a == 0 and true;
r ~ Lap(eps/(2 + x), g(x));
k ~ DLap(2*eps - eps/2, 3);
b := small(q[1]) != false;
n := 0;
while n < 2 and not b {
  b ~ choose {true: exp(eps/2)*(1 + eps), false: 1/2*eps, n < 1: 2};
  if k > 3 or k == 2 { n := n + 1; } else if k != 4 { n := n + 2; } else { n := 2; }
}
for i in 1..2 { for j in i..1 + 1 { z[i*j - 2] := q[i]*j; out[i] := z[i*j - 2] - -1; } }
v ~ Exp(eps, x in {0, 1, n}: -f(x, n));
s := -(r - 2*x) + r/3*2;
l := k*2 - 1 + v*0;
if s <= r { b := s < 3; exit; }
if l >= k { b := 1/2 != l; }
"""


def read(text: str) -> Program:
    return read_program(text, Work())


def test_reads_everything() -> None:
    program = read(EVERYTHING)
    assert [str(x) for x in program.domain] == ["-1", "0", "1"]
    assert program.inputs == ("x", "q[1]", "q[2]")
    assert [name for name, _ in program.outputs] == ["b", "out[1]", "out[2]", "r", "k"]
    assert fingerprint(dip.read(EVERYTHING)) == program.fingerprint()


def test_canonical_form() -> None:
    text = """program p; domain {1/2, -1}; input x; output y[2], disc(r, 0 < 1.50); adjacent l1 3/6;
    claim eps; function f(a) = -a; function g(a) = table {0: 1};
    r ~ Lap(eps/2, x); for i in 1..2 { y[i] := f(i) < -i; }
    if true { exit; } else if false { } else { y[1] ~ choose {x == 1: 1/3}; }
    while y[2] and false { z ~ Exp(eps, v in {0}: v); }"""
    form = (
        '["dip",["-1","1/2"],["x"],["y[1]","y[2]",["disc","r",["0","3/2"]]],["l1","1/2"],'
        '[["f",["a"],["neg",["var","a"]]],["g",["a"],["table",[[["0"],"1"]]]]],'
        '[["Lap","r",["/",["eps"],["2"]],["var","x"]],'
        '["assign","y[1]",["<",["call","f",["1"]],["neg",["1"]]]],'
        '["assign","y[2]",["<",["call","f",["2"]],["neg",["2"]]]],'
        '["if",[[[true],[["exit"]]],[[false],[]]],'
        '[["choose","y[1]",[[["==",["var","x"],["1"]],["/",["1"],["3"]]]]]]],'
        '["while",["and",["var","y[2]"],[false]],'
        '[["Exp","z",["eps"],"v",[["0"]],["var","v"]]]]]]'
    )
    assert read(text).canonical_form() == form


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        ("y := z;", "z is used"),
        ("y := y;", "y is used"),
        ("if x == 1 { y := 1; }", "the output y is not assigned"),
        ("if x == 1 { exit; } y := 1;", "the output y is not assigned"),
        ("while x == 1 { y := 1; }", "the output y is not assigned"),
        ("y := 1; y := true;", "y is Boolean here and finite elsewhere"),
        ("y := 1; exit; y := z;", "z is used"),
        ("r ~ Lap(eps, 0); y := r;", "the output y is real"),
        ("y := 1; while x == 1 { r ~ Lap(eps, 0); }", "gets a value in a while loop"),
        ("y := 1; r ~ Lap(eps, 0); while x == 1 { if x == 0 { s := r + 1; } }", "in a while loop"),
        ("r ~ Lap(eps, 0); y := r*r < 1;", r"no \* of real and real"),
        ("r ~ Lap(eps, 0); k ~ DLap(eps, 0); y := r < k;", "no < of real and integer"),
        ("k ~ DLap(eps, 0); y := k/2 < 1;", "no / of integer and finite"),
        ("r ~ Lap(eps, 0); y := 1/r < 1;", "no / of finite and real"),
        ("r ~ Lap(eps, 0); y := abs(r);", "an argument of abs is real"),
        ("y := true < false;", "no < of Boolean and Boolean"),
        ("y := true + 1;", r"no \+ of Boolean and finite"),
        ("y := not 1;", "no not of finite"),
        ("y := -true;", "no neg of Boolean"),
        ("y := 1 < 2 < 3;", "expected ;"),
        ("y := 1 + not true;", "expected an expression"),
        ("y := eps;", "eps stands outside"),
        ("y := exp(1);", "exp stands outside"),
        ("y := x; r ~ Lap(1, 0);", "a scale is not linear in eps"),
        ("y := x; r ~ Lap(eps*eps, 0);", "a scale is not linear in eps"),
        ("y := x; r ~ Lap(eps + 1, 0);", "a scale is not linear in eps"),
        ("y := x; r ~ Lap(eps, true);", "the mean of Lap"),
        ("r ~ Lap(eps, 0); k ~ DLap(eps, r); y := 1;", "the mean of DLap"),
        ("y ~ choose {0: true};", "a weight is not a function of eps"),
        ("y ~ choose {0: 1/eps};", "no / of finite and linear in eps"),
        ("y ~ choose {0: exp(1)};", "exponent of exp"),
        ("y ~ choose {0: 1, true: 1};", "all finite, or all Boolean"),
        ("y ~ Exp(eps, v in {0}: true);", "a score is Boolean"),
        ("y := f(1);", "no function f"),
        ("y := min();", "expected an expression"),
        ("y := abs(1, 2);", "abs has one argument"),
        ("y := q[3];", "no element 3"),
        ("y := q[x];", "x is in it"),
        ("y := q[1/2];", "not a whole number"),
        ("y := q[1/0];", "division by zero"),
        ("y := q;", "q is used"),
        ("for x in 1..2 { y := 1; }", "the name of something else"),
        ("for i in 1..2 { for i in 1..2 { y := 1; } }", "the name of something else"),
        ("for i in 1..2 { i := 1; } y := 1;", "the counter i is assigned"),
        ("for i in 1..2 { y ~ Exp(eps, i in {0}: i); }", "the name of a counter"),
        ("for i in 1..x { y := 1; }", "x is in it"),
        ("for i in 1..2 { y := 1; } y := i;", "i is used"),
        ("y := 1", "expected ;"),
        ("y := 1;}", "expected a name"),
        ("if x { y := 1; }", "a condition is finite"),
        ("y := 1; $", "no token begins"),
        ("y := 1/2.;", "no token|expected"),
        ("y := if;", "expected an expression"),
        ("y := " + "(" * 101 + "1" + ")" * 101 + ";", "brackets are open"),
        ("y := " + "-" * 101 + "1;", "within each other"),
        ("y := " + "1+" * 100 + "1;", "within each other"),
        ("y := " + "not " * 5000 + "true;", "within each other"),
        ("y := 1;" + "if true {" * 31 + "}" * 31, "blocks within each other"),
        ("y := 1" + "0" * 1000 + ";", "digits"),
        ("y := q[" + "9*" * 90 + "9];", "256 bits"),
        ("y := 1; for i in 1..99999999 { }", "1000000 parts"),
        ("y := 1; for i in 1..400 { for j in 1..400 { y := 1; } }", "100000 statements"),
    ],
)
def test_refuses(statements: str, why: str) -> None:
    with pytest.raises(BadModel, match=why) as caught:
        read(HEAD + statements)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no declaration domain"),
        ("domain {0, 0}; input x; output x; adjacent linf 1;", "listed twice"),
        ("domain {1 .. 0}; input x; output x; adjacent linf 1;", "the end of the domain"),
        ("domain {0 .. 10000}; input x; output x; adjacent linf 1;", "10000 values"),
        ("domain {0}; domain {0}; input x; output x; adjacent linf 1;", "a second declaration"),
        ("domain {0}; input x, x; output x; adjacent linf 1;", "declared twice"),
        ("domain {0}; input x[0]; output x; adjacent linf 1;", "the size of x"),
        ("domain {0}; input x; output disc(x, 1 < 1); adjacent linf 1;", "do not increase"),
        ("domain {0}; input x; output x; adjacent linf 0;", "not positive"),
        ("domain {0}; input x; output x; adjacent (1) ~ (0);", "is listed as an input"),
        ("domain {0}; input x; output x; adjacent (0, 0) ~ (0);", "is listed as an input"),
        ("domain {0}; input x; output x; adjacent linf 1; claim 1;", "not a multiple of eps"),
        ("domain {0}; input x; output x; adjacent linf 1; claim -1*eps;", "a negative one"),
        ("domain {0}; input x; output x; adjacent linf 1; claim eps, delta x;", "x is used"),
        ("domain {0}; input x; output x; adjacent linf 1; epsilon in [0, 1];", "has 0"),
        ("domain {0}; input x; output x; adjacent linf 1; epsilon in (1, 1];", "is empty"),
        ("domain {0}; input x; output x; adjacent linf 1; epsilon in (1, inf];", "infinity"),
        ("domain {0}; input x; output x; adjacent linf 1; function f(a, a) = 1;", "stands twice"),
        ("domain {0}; input x; output x; adjacent linf 1; function f(a) = x;", "not a parameter"),
        ("domain {0}; input x; output x; adjacent linf 1; function f(a) = f(a);", "no function f"),
        ("domain {0}; input x; output x; adjacent linf 1; function x(a) = 1;", "declared twice"),
        ("domain {0}; input x; output x; adjacent linf 1; function f(a) = eps;", "eps stands"),
        ("domain {0}; input x; output x; adjacent linf 1; function f(a) = table {(0, 0): 1};", "a row"),
        ("domain {0}; input x; output x; adjacent linf 1; function f(a) = table {0: 1, 0: 2};", "two rows"),
        ("domain {0, 1}; input x[17]; output x[1]; adjacent linf 1;", "100000 inputs"),
        ("domain {1/0}; input x; output x; adjacent linf 1;", "denominator is zero"),
    ],
)
def test_refuses_declarations(text: str, why: str) -> None:
    with pytest.raises(BadModel, match=why):
        read(text)


def test_functions_that_call_each_other_too_deeply() -> None:
    functions = "function f0(a) = a;" + "".join(f"function f{i}(a) = f{i - 1}(a) + 1;" for i in range(1, 200))
    with pytest.raises(TooLarge, match="within each other"):
        read(f"domain {{0}}; input x; output y; adjacent linf 1; {functions} y := f199(x);")


@pytest.mark.parametrize("path", sorted(INSTANCES.glob("*.dip")), ids=lambda path: path.stem)
def test_both_readers_give_the_same_fingerprint(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert read(text).fingerprint() == fingerprint(dip.read(text))


def test_both_readers_refuse_the_same_texts() -> None:
    """Texts with one to three tokens changed: refused by both, or read as the same program."""
    dice = random.Random(7)  # noqa: S311
    token = re.compile(r"[A-Za-z_][A-Za-z0-9_']*|[0-9]+(?:\.[0-9]+)?|:=|[<>=!]=|\.\.|[^\sA-Za-z0-9]|\s+")
    texts = [EVERYTHING, *((HERE / "models" / f"{name}.dip").read_text("utf-8") for name in ("svt", "again"))]
    cut = [token.findall(re.sub(r"#[^\n]*", "", text)) for text in texts]
    others = list("01-+*/()[]{};,<~xrbi")
    others += ["true", "eps", "exp", "not", "and", "<=", "==", "for", "while", "if", "exit", "..", ":="]
    accepted = 0
    for _ in range(300):
        parts = list(dice.choice(cut))
        for _ in range(dice.choice((1, 1, 2, 3))):
            place = dice.randrange(len(parts))
            parts[place : place + dice.choice((0, 1))] = dice.choice(
                ([dice.choice(others)], [dice.choice(parts)], [])
            )
        text = "".join(parts)
        try:
            program = dip.read(text)
            kinds_of(expanded(program))
            theirs = fingerprint(program)
        except BdistError:
            theirs = "refused"
        try:
            ours = read(text).fingerprint()
        except BadModel:
            ours = "refused"
        assert ours == theirs, text
        accepted += ours != "refused"
    assert accepted > 30

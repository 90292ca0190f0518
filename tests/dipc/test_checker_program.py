"""The checker's reader of ``.dip`` files: the rules that a text can break, and that both readers agree."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from pathlib import Path

import pytest

from bdist.checker import BadModel, TooLarge
from bdist.checker.core.limits import Work
from bdist.checker.dipc.document import State
from bdist.checker.dipc.exponentials import ONE, Exponential, add_quotients
from bdist.checker.dipc.program import Program, read_program
from bdist.checker.dipc.runs import Runs, Unfit, compile_program
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
    assert [name if isinstance(name, str) else name[1] for name in program.outputs] == [
        *("b", "out[1]", "out[2]", ("var", "r"), ("var", "k"))
    ]
    assert fingerprint(dip.read(EVERYTHING)) == program.fingerprint()


def test_canonical_form() -> None:
    text = """program p; domain {1/2, -1}; input x; output y[2], disc(r, 0 < 1.50); adjacent l1 3/6;
    claim eps; function f(a) = -a; function g(a) = table {0: 1};
    r ~ Lap(eps/2, x); for i in 1..2 { y[i] := f(i) < -i; }
    if true { exit; } else if false { } else { y[1] ~ choose {x == 1: 1/3}; }
    while y[2] and false { z ~ Exp(eps, v in {0}: v); }"""
    form = (
        '["dip",["-1","1/2"],["x"],["y[1]","y[2]",["disc",["var","r"],["0","3/2"]]],["l1","1/2"],'
        '[["f",["a"],["-",["var","a"]]],["g",["a"],["table",[[["0"],"1"]]]]],'
        '[["Lap",["var","r"],["/",["eps"],["number","2"]],["var","x"]],'
        '["assign",["var","y[1]"],["<",["call","f",["number","1"]],["-",["number","1"]]]],'
        '["assign",["var","y[2]"],["<",["call","f",["number","2"]],["-",["number","2"]]]],'
        '["if",[[["truth",true],[["exit"]]],[["truth",false],[]]],'
        '[["choose",["var","y[1]"],[[["==",["var","x"],["number","1"]],["/",["number","1"],["number","3"]]]]]]],'
        '["while",["and",["var","y[2]"],["truth",false]],'
        '[["Exp",["var","z"],["eps"],"v",[["number","0"]],["var","v"]]]]]]'
    )
    assert read(text).canonical_form() == form


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        ("y := 1 < 2 < 3;", "expected ;"),
        ("y := 1 + not true;", "expected an expression"),
        ("y := f(1);", "no function f"),
        ("y := min();", "expected an expression"),
        ("y := abs(1, 2);", "abs has one argument"),
        ("y := q[3];", "no element 3"),
        ("y := q[x];", "x is in it"),
        ("y := q[1/2];", "not a whole number"),
        ("y := q[1/0];", "division by zero"),
        ("for x in 1..2 { y := 1; }", "the name of something else"),
        ("for i in 1..2 { for i in 1..2 { y := 1; } }", "the name of something else"),
        ("for i in 1..2 { i := 1; } y := 1;", "the counter i is assigned"),
        ("for i in 1..2 { y ~ Exp(eps, i in {0}: i); }", "the name of a counter"),
        ("for i in 1..x { y := 1; }", "x is in it"),
        ("y := 1", "expected ;"),
        ("y := 1;}", "expected a name"),
        ("y := 1; while x == 1 { r ~ Lap(eps, 0); }", "r is drawn in a while loop"),
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
    ("statements", "why"),
    [
        ("y := z;", "z is used"),
        ("y := y;", "y is used"),
        ("y := q;", "q is used"),
        ("for i in 1..2 { y := 1; } y := i;", "i is used"),
        ("if x == 1 { y := 1; }", "y is used"),
        ("if x == 1 { exit; } y := 1;", "y is used"),
        ("while x == 2 { y := 1; }", "y is used"),
        ("r ~ Lap(eps, 0); y := r;", "an output is not finite"),
        ("r ~ Lap(eps, 0); y := r*r < 1;", "not finite are multiplied"),
        ("r ~ Lap(eps, 0); k ~ DLap(eps, 0); y := r < k;", "a real and an integer meet"),
        ("r ~ Lap(eps, 0); k ~ DLap(eps, 0); y := r + k < 1;", "a real and an integer meet"),
        ("k ~ DLap(eps, 0); y := k/2 < 1;", "a division by a sample, or of an integer"),
        ("k ~ DLap(eps, 0); y := k + 1/2 < 1;", "not a whole number"),
        ("k ~ DLap(eps, 1/2); y := k < 1;", "not a whole number"),
        ("r ~ Lap(eps, 0); y := 1/r < 1;", "a division by a sample"),
        ("r ~ Lap(eps, 0); y := abs(r);", "should be a number"),
        ("y := true < false;", "by its size"),
        ("y := true == 1;", "compared with something else"),
        ("y := true + 1;", r"an operand of \+ is a Boolean"),
        ("y := not 1;", "no Boolean"),
        ("y := true and 1;", "no Boolean"),
        ("y := -true;", "an operand of - is a Boolean"),
        ("y := abs(true);", "should be a number"),
        ("if x { y := 1; }", "a condition"),
        ("y := eps;", "eps stands outside"),
        ("y := exp(1);", "exp stands outside"),
        ("y := x; r ~ Lap(1, 0);", "not a multiple of eps"),
        ("y := x; r ~ Lap(eps*eps, 0);", "not a multiple of eps"),
        ("y := x; r ~ Lap(eps + 1, 0);", "not a multiple of eps"),
        ("y := x; r ~ Lap(-eps, 0);", "not a positive multiple"),
        ("y := x; r ~ Lap(eps, true);", "the mean of a sample"),
        ("r ~ Lap(eps, 0); k ~ DLap(eps, r); y := 1;", "the mean of a sample"),
        ("y ~ choose {0: true};", "should be a number"),
        ("y ~ choose {0: 1/eps};", "eps stands outside"),
        ("y ~ choose {0: exp(1)};", "exponent of exp"),
        ("r ~ Lap(eps, 0); y ~ choose {r: 1};", "neither finite nor Boolean"),
        ("r ~ Lap(eps, 0); y ~ choose {0: r < 0};", "a comparison of samples stands in a weight"),
        ("y ~ Exp(eps, v in {0}: true);", "should be a number"),
        ("y ~ Exp(eps, v in {true}: v);", "should be a number"),
    ],
)
def test_refuses_when_it_runs(statements: str, why: str) -> None:
    """Rules about kinds, which bdist holds in the text, are held by the checker where a run comes by."""
    program = read(HEAD + statements)
    places = sum(instruction.what in ("while", "choose", "Exp") for instruction in compile_program(program))
    kept = (*program.inputs, *(["r"] if "r ~" in statements else []))
    runs = Runs(program, (kept,) * places, {}, Work())
    points = [(Fraction(x), Fraction(0), Fraction(0)) for x in (0, 1)]
    visits: dict[State, tuple[Exponential, Exponential]] = {}
    visits |= {(0, point, frozenset()): (ONE, ONE) for point in points}
    with pytest.raises(Unfit, match=why):
        assert [runs.distribution(point, visits) for point in points]


def test_a_variable_that_is_true_is_not_one_that_is_1() -> None:
    """Equal in Python: states that differ in that are not the same."""
    program = read(HEAD + "if x == 0 { z := true; } else { z := 1; } b ~ choose {0: 1, 1: 1}; y := z;")
    runs = Runs(program, (("z",),), {}, Work())
    outputs = [set(runs.distribution((Fraction(x), Fraction(0), Fraction(0)), {})) for x in (0, 1)]
    assert outputs == [{("true",)}, {(Fraction(1),)}]


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
        ("domain {0}; input x; output x; adjacent linf 1; claim eps", "expected ;"),
        ("domain {0}; input x; output x; adjacent linf 1; function f(a, a) = 1;", "stands twice"),
        ("domain {0}; input x; output x; adjacent linf 1; function f(a) = x;", "not a parameter"),
        ("domain {0}; input x; output x; adjacent linf 1; function f(a) = f(a);", "no function f"),
        ("domain {0}; input x; output x; adjacent linf 1; function x(a) = 1;", "declared twice"),
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
    """Texts with one to three tokens changed: refused by both, or read as the same program.

    Rules about kinds are another matter, and what is asked the checker passes over.
    """
    dice = random.Random(7)  # noqa: S311
    token = re.compile(r"[A-Za-z_][A-Za-z0-9_']*|[0-9]+(?:\.[0-9]+)?|:=|[<>=!]=|\.\.|[^\sA-Za-z0-9]|\s+")
    texts = [EVERYTHING, *((HERE / "models" / f"{name}.dip").read_text("utf-8") for name in ("svt", "again"))]
    cut = [token.findall(re.sub(r"#[^\n]*", "", text)) for text in texts]
    others = list("01-+*/()[]{};,<~xrbi")
    others += ["true", "eps", "exp", "not", "and", "<=", "==", "for", "while", "if", "exit", "..", ":="]
    asked = re.compile(r"\b(claim|epsilon)\b[^;]*;")
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
            ours = read(text).fingerprint()
        except BadModel:
            ours = "refused"
        try:
            program = dip.read(asked.sub("", text))
            theirs = fingerprint(program)
        except BdistError:
            theirs = "refused"
        if ours != theirs:  # a sample in a loop, a call of nothing: bdist looks at it with the kinds
            assert ours == "refused"
            with pytest.raises(BdistError):
                kinds_of(expanded(program))
        accepted += ours != "refused"
    assert accepted > 30


# --- states that runs share ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        # What was 1 on one input and true on the other does not become the same.
        ("if x == 1 { y := true; } else { y := 1; } r ~ Lap(eps, 0); if r > 0 { z := 1; }", "1 true"),
        # An input that was given another value is not read again, and one that is used late is.
        ("x := x + 1; r ~ Lap(eps, 0); if r > 0 { z := 1; } y := x;", "1 2"),
        ("r ~ Lap(eps, 0); if r > 0 { z := 1; } y := x;", "0 1"),
        # A sample that nothing knows of any more leaves its name to the next one.
        ("r ~ Lap(eps, x); r ~ Lap(eps, 0); s ~ Lap(eps, 0); y := x; if s > r { y := 2; }", "0,2 1,2"),
    ],
)
def test_runs_share_states_and_keep_them_apart(statements: str, expected: str) -> None:
    text = f"domain {{0, 1}}; input x; output y; adjacent linf 1; {statements}"
    runs = Runs(read_program(text, Work()), (), {}, Work())
    shown = [sorted(str(y) for (y,) in runs.distribution((Fraction(x),), {})) for x in (0, 1)]
    assert shown == [each.split(",") for each in expected.split()]
    for x in (0, 1):
        for parts in runs.distribution((Fraction(x),), {}).values():
            total = add_quotients([runs.events.probability(event) for _, event in parts], Work())
            chance = Fraction(1, len(shown[x]))  # by symmetry
            assert total.same_as(Exponential.number(chance), ONE, Work())

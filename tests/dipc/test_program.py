"""Programs: what expansion, kinds, inputs and fingerprints make of them, and what they refuse."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.checker.core.limits import Work
from bdist.checker.dipc.adjacency import Adjacency
from bdist.checker.dipc.program import read_program
from bdist.dipc import adjacency
from bdist.dipc import text as dip
from bdist.dipc.adjacency import Neighbours
from bdist.dipc.expansion import canonical_form, expanded, fingerprint
from bdist.dipc.program import (
    Assign,
    Declared,
    Discretised,
    Kind,
    ListedPairs,
    Norm,
    Number,
    Point,
    Program,
    Variable,
    Within,
)
from bdist.dipc.rules import kinds_of
from bdist.errors import ModelError, ProgramError
from tests.oracles.programs import programs

HEAD = "domain {0, 1};\ninput q[2];\noutput o;\nadjacent linf 1;\n"
MADE_OF = "made of numbers, counters of for, + - * /, abs, min and max only, "
OUTSIDE = "such programs are outside of the decidable class (DiPWhile, section 6)"
NOT_ON_EVERY_WAY = "is not assigned on every way to"
NOT_LINEAR = "the scale is not linear in eps; it must be c*eps with a finite c"
LAPLACE = "r ~ Lap(eps, 0); "
DISCRETE = "n ~ DLap(eps, 0); "


def read(text: str) -> Program:
    return dip.read(HEAD + text, "a.dip")


def refusal(program: Program) -> tuple[int, int, str]:
    """Line, column and message of what is wrong with a program."""
    with pytest.raises(ProgramError) as caught:
        kinds_of(expanded(program))
    error = caught.value
    message = str(error)
    assert message.isprintable()
    assert isinstance(error, ModelError)
    place = f"a.dip:{error.line}:{error.column}: " if error.line else "a.dip: "
    assert message.startswith(place)
    return error.line, error.column, message.removeprefix(place)


# --- expansion -------------------------------------------------------------------------------------------


def test_loops_are_unrolled_and_arrays_written_out() -> None:
    program = read("for i in 1..2 { for j in i..2 { x[2*i - j] := q[j] + i; } } o := x[0];")
    same = """domain {0, 1};
    input q_1, q_2;
    output o;
    adjacent linf 1;
    x_1 := q_1 + 1; x_0 := q_2 + 1; x_2 := q_2 + 2; o := x_0;"""
    whole = expanded(program)
    assert whole.inputs == (Declared("q[1]"), Declared("q[2]"))
    assert whole.input_names == program.input_names
    names = {"q_1": "q[1]", "q_2": "q[2]", "x_0": "x[0]", "x_1": "x[1]", "x_2": "x[2]"}
    form = canonical_form(dip.read(same))
    for written, meant in names.items():
        form = form.replace(f'"{written}"', f'"{meant}"')
    assert canonical_form(program) == form


def test_outputs_are_written_out_and_counters_may_be_negative() -> None:
    text = "domain {0}; input q; output o[2], disc(x[1 + 1], 0 < 1); adjacent l1 1;"
    whole = expanded(dip.read(text + "for i in -1..-1 { y := i; x[-i] := 1; x[abs(i)*2] := i; }"))
    assert whole.outputs == (
        Declared("o[1]"),
        Declared("o[2]"),
        Discretised(Variable("x[2]"), (Fraction(0), Fraction(1))),
    )
    minus = Number(Fraction(-1))
    assert whole.body == (
        Assign(Variable("y"), minus),
        Assign(Variable("x[1]"), Number(Fraction(1))),
        Assign(Variable("x[2]"), minus),
    )


def test_loops_that_do_not_run_and_counters_that_come_again() -> None:
    assert expanded(read("for i in 1..0 { o := x[i/2]; } for i in 2..1 {}")).body == ()
    whole = expanded(
        read("for i in 1..1 { o := i; } i := 5; for j in 1..1 { for i in j..j { o := i; } } o := i;")
    )
    one = Assign(Variable("o"), Number(Fraction(1)))
    assert whole.body == (
        one,
        Assign(Variable("i"), Number(Fraction(5))),
        one,
        Assign(Variable("o"), Variable("i")),
    )


@given(programs())
@settings(max_examples=15, deadline=None)
def test_expanding_again_changes_nothing(program: Program) -> None:
    try:
        whole = expanded(program)
    except ProgramError:
        return
    assert expanded(whole) == whole
    assert fingerprint(whole) == fingerprint(program)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("o := q[3];", 6, "'q' has the elements 1 to 2, and the index is 3"),
        ("o := q[0];", 6, "'q' has the elements 1 to 2, and the index is 0"),
        ("o := q[1/2];", 9, "the index of 'q' is 1/2; it must be a whole number"),
        ("o := q[x];", 8, f"the index of 'q' is {MADE_OF}and 'x' is a variable"),
        ("o := q[q[1]];", 8, f"the index of 'q' is {MADE_OF}and 'q[1]' is a variable"),
        ("for i in 1..q[1] {} o:=1;", 13, f"the last number of for is {MADE_OF}and 'q[1]' is a variable"),
        ("for q in 1..2 {} o:=1;", 1, "the counter 'q' is the name of an input already"),
        (
            "for i in 1..2 {for i in 1..2 {}} o:=1;",
            16,
            "the counter 'i' is the name of a counter around already",
        ),
        ("for i in 1..2 {i := 1;} o:=1;", 16, "the counter 'i' is not assigned"),
        ("for i in 1..2 {o := i[1];}", 21, "the counter 'i' has no elements"),
        ("for i in 1..2 {i[1] := 1;} o:=1;", 16, "the counter 'i' is not assigned"),
        (
            "for v in 1..1 {o ~ Exp(eps, v in {0}: v);}",
            16,
            "the candidate 'v' is the name of a counter already",
        ),
        ("for i in 1/2..2 {} o:=1;", 11, "the first number of for is 1/2; it must be a whole number"),
        ("for i in 1..2/0 {} o:=1;", 14, "the last number of for divides by zero"),
        ("for i in eps..2 {} o:=1;", 10, f"the first number of for is {MADE_OF}not of eps"),
        ("for i in 1..true {} o:=1;", 13, f"the last number of for is {MADE_OF}not of true and false"),
        ("for i in 1..abs(1,2) {} o:=1;", 13, "abs has 1 argument, not 2"),
        ("for i in 1..not 1 {} o:=1;", 13, f"the last number of for is {MADE_OF}not of 'not'"),
        ("function f(x) = 1; for f in 1..2 {}", 20, "the counter 'f' is the name of a function already"),
        (
            "o := x[1000*1000*1000/3*0 + " + "9" * 80 + "];",
            29,
            "the index of 'x' has a number of more than 256 bits",
        ),
    ],
)
def test_what_cannot_be_expanded(text: str, column: int, message: str) -> None:
    assert refusal(read(text)) == (5, column, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("for i in 1..99999 { for j in 1..99999 {} }", "more than 1000000 parts"),
        ("for i in 1..100001 { o := 0; }", "more than 100000 statements"),
        ("for i in 1..1000 { if true { for j in 1..1000 { exit; } } }", "more than 100000 statements"),
        ("for i in 1..99999 { o := x[" + "+".join(["1"] * 90) + "]; }", "more than 1000000 parts"),
        ("for i in 1.." + "9" * 70 + " {}", "more than 1000000 parts"),
        ("for i in 1.." + "*".join(["9" * 60] * 90) + " {}", "more than 256 bits"),
    ],
)
def test_what_is_too_much_is_refused_soon(text: str, message: str) -> None:
    assert message in refusal(read(text))[2]


# --- kinds -----------------------------------------------------------------------------------------------


def test_kinds() -> None:
    program = dip.read(
        """domain {0, 1}; input q; output o, b, disc(s, 0 < 1), disc(n, 0 < 1), disc(o, 0 < 1);
        adjacent l1 1;
        function f(x) = 2*x; function above(x, y) = f(x) > y; function t(x) = table {0: 1, 1: 0};
        o := f(q)/3 + t(q) - min(q, 1, -2);
        b := above(q, 1);
        r ~ Lap(f(2)*eps/3 + eps, q);
        s ~ Lap(-eps*-1, 2*r - q);
        s := (r - s*2)/4 + o;
        n ~ DLap(eps, o); n := 3 - 2*n*q + n; m ~ DLap(2*eps, n);
        e ~ Exp(eps, v in {true, b}: 1); e := r < s or n == m and not b != true or 1 > r;
        w ~ Exp(1/2*eps, o in {0, q}: -abs(o - q));
        c ~ choose {q: exp(-eps/2)*q + eps*eps/2, 2: 1};
        while e { e := r >= 0; o := o + 1; c ~ choose {0: 1}; }"""
    )
    kinds = kinds_of(expanded(program))
    finite, boolean, real, integer = Kind.FINITE, Kind.BOOLEAN, Kind.REAL, Kind.INTEGER
    assert dict(kinds) == {
        **dict.fromkeys(("q", "o", "w", "c"), finite),
        **dict.fromkeys(("b", "e"), boolean),
        **dict.fromkeys(("r", "s"), real),
        **dict.fromkeys(("n", "m"), integer),
    }
    assert next(iter(kinds)) == "q"


@pytest.mark.parametrize(
    "text",
    [
        "if q[1] == 0 { o := 1; } else { o := 2; }",
        "if q[1] == 0 { o := 1; exit; } o := 2;",
        "if q[1] == 0 { x := 1; } else if q[2] == 0 { o := 0; exit; } else { x := 2; } o := x;",
        "o := 0; if q[1] == 0 { exit; } else { exit; } x := o; y := x;",
        "o := 1; while true { x := o; o := x; exit; }",
        "o := 0; if true { if true { r ~ Lap(eps, 0); } else { r ~ Lap(eps, 1); } if r < 1 { o := 1; } }",
        "o := 0; exit; exit;",
        "q[1] := 2; o := q[1];",
    ],
)
def test_every_way_counts_that_leads_somewhere(text: str) -> None:
    assert kinds_of(expanded(read(text)))["o"] is Kind.FINITE


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("o := x;", 6, "'x' is used before it is assigned"),
        ("if q[1] == 0 { o := 1; }", 1, f"output 'o' {NOT_ON_EVERY_WAY} the end of the program"),
        ("while q[1] == 0 { o := 1; }", 1, f"output 'o' {NOT_ON_EVERY_WAY} the end of the program"),
        ("if q[1]==0 {exit;} o := 1;", 13, f"output 'o' {NOT_ON_EVERY_WAY} this exit"),
        ("o := q;", 6, "'q' is used before it is assigned; 'q' is an array, with elements such as q[1]"),
        (
            "o := 0; while q[1]==0 { r ~ Lap(eps, 0); }",
            25,
            f"a real variable is drawn inside of while: 'r'; {OUTSIDE}",
        ),
        (
            "o := 0; r ~ Lap(eps, 0); while q[1]==0 { r := r + 1; }",
            42,
            f"a real variable is assigned inside of while: 'r'; {OUTSIDE}",
        ),
        (
            "o := 0; while q[1]==0 { n ~ DLap(eps, 0); }",
            25,
            f"an integer variable is drawn inside of while: 'n'; {OUTSIDE}",
        ),
        (
            "r ~ Lap(eps,0); n ~ DLap(eps,0); if r < n {o:=1;} else {o:=0;}",
            39,
            "a real is compared with an integer",
        ),
        (
            "r ~ Lap(eps,0); n ~ DLap(eps,0); x := r + n; o:=0;",
            41,
            "a real and an integer meet; they are not mixed",
        ),
        ("r ~ Lap(eps,0); x := r*r; o:=0;", 23, "a product of two reals: expressions of samples are linear"),
        (
            "n ~ DLap(eps,0); x := n*n; o:=0;",
            24,
            "a product of two integers: expressions of samples are linear",
        ),
        ("r ~ Lap(eps,0); x := 1/r; o:=0;", 23, "a quotient by a real: divisors are finite values"),
        (
            "n ~ DLap(eps,0); x := n/2; o:=0;",
            24,
            "a quotient of an integer: only reals and finite values are divided",
        ),
        ("r ~ Lap(eps,0); o := abs(r);", 26, "an argument of abs is a real; it must be a finite value"),
        ("o := true + 1;", 11, "an operand of + is a Boolean; it must be a number"),
        ("o := -true;", 6, "the operand of - is a Boolean; it must be a number"),
        ("o := not 1;", 10, "the operand of not is a finite value; it must be a Boolean"),
        ("o := 1 and true;", 6, "an operand of and is a finite value; it must be a Boolean"),
        ("if 1 {} o:=1;", 4, "the condition of if is a finite value; it must be a Boolean"),
        ("while 0 {} o:=1;", 7, "the condition of while is a finite value; it must be a Boolean"),
        ("o := true < false;", 11, "Booleans are compared with == and != only"),
        ("o := true == 1;", 11, "a Boolean is compared with a finite value"),
        ("o := f(1);", 6, "there is no function 'f' above"),
        ("o := abs(1, 2);", 6, "abs has 1 argument, not 2"),
        ("o := eps;", 6, "eps occurs only in scales, in weights of choose, in the claim and in delta"),
        ("o := exp(eps);", 6, "exp occurs only in weights of choose and in delta"),
        ("o := exp(1);", 6, "exp occurs only in weights of choose and in delta"),
        ("r ~ Lap(1, 0); o := 1;", 9, "the scale does not depend on eps; it must be c*eps"),
        ("r ~ Lap(eps*eps, 0); o := 1;", 12, NOT_LINEAR),
        ("r ~ Lap(eps + 1, 0); o := 1;", 13, NOT_LINEAR),
        ("r ~ Lap(1/eps, 0); o := 1;", 10, NOT_LINEAR),
        ("r ~ Lap(abs(eps), 0); o := 1;", 9, NOT_LINEAR),
        ("r ~ Lap(true*eps, 0); o := 1;", 9, "a part of the scale is a Boolean; it must be a finite value"),
        ("r ~ Lap(eps, true); o := 1;", 14, "the mean of Lap is finite or real"),
        ("n ~ DLap(eps, 0); r ~ Lap(eps, n); o := 1;", 32, "the mean of Lap is finite or real"),
        ("r ~ Lap(eps, 0); n ~ DLap(eps, r); o := 1;", 32, "the mean of DLap is finite or an integer"),
        (
            "r ~ Lap(eps, 0); s ~ Lap(r*eps, 0); o := 1;",
            26,
            "a part of the scale is a real; it must be a finite value",
        ),
        (
            "o := 1; o := true;",
            9,
            "'o' is a Boolean here and a finite value before (line 5, column 1); a variable has one kind",
        ),
        (
            "r ~ Lap(eps, 0); o := 1; o := r;",
            26,
            "'o' is a real here and a finite value before (line 5, column 18); a variable has one kind",
        ),
        (
            "o ~ choose {1: 1, true: 1};",
            19,
            "a value of choose is a Boolean, and the first is a finite value",
        ),
        (
            "r ~ Lap(eps, 0); o ~ choose {r: 1};",
            30,
            "a value of choose is a real; it must be finite or Boolean",
        ),
        ("o ~ choose {1: true};", 16, "a weight is a Boolean; it must be a finite value"),
        ("o ~ choose {1: 1/eps};", 18, "a weight is divided by finite values only, without eps"),
        ("o ~ choose {1: exp(1)};", 20, "the argument of exp does not depend on eps; it must be c*eps"),
        ("o ~ choose {1: exp(eps, eps)};", 16, "exp has 1 argument, not 2"),
        ("o ~ choose {1: min(eps, 1)};", 16, "a weight has eps inside of what is none of + - * / and exp"),
        ("o ~ Exp(eps, v in {0, true}: 1);", 23, "a candidate is a Boolean, and the first is a finite value"),
        ("o ~ Exp(eps, v in {true, false}: v);", 34, "the score is a Boolean; it must be a finite value"),
        ("o ~ Exp(eps, v in {0, 1}: v + w);", 31, "'w' is used before it is assigned"),
        (
            "q[1] := true; o:=1;",
            1,
            "'q[1]' is a Boolean here and a finite value before (line 2, column 7); a variable has one kind",
        ),
        ("exit; o := 1;", 1, f"output 'o' {NOT_ON_EVERY_WAY} this exit"),
        ("o := 1; exit; o := z;", 20, "'z' is used before it is assigned"),
        (
            "x[1] := 1; o := x;",
            17,
            "'x' is used before it is assigned; 'x' is an array, with elements such as x[1]",
        ),
        ("x := 1; o := x[1];", 14, "'x[1]' is used before it is assigned; 'x' is no array"),
        (
            "o := 0; if q[1] == 0 { x := 1; } o := x;",
            39,
            "'x' is used before it is assigned on every way to here",
        ),
        (
            "o := 0; while q[1] == 0 { x := 1; } o := x;",
            42,
            "'x' is used before it is assigned on every way to here",
        ),
        ("o := 0; while x == 0 { x := 1; }", 15, "'x' is used before it is assigned"),
        ("for i in 1..2 {} o := i;", 23, "'i' is used before it is assigned"),
        (
            "if q[1] == 0 { exit; } else if q[2] == 0 { o := 1; exit; } o := 1;",
            16,
            f"output 'o' {NOT_ON_EVERY_WAY} this exit",
        ),
    ],
)
def test_rules_for_statements(text: str, column: int, message: str) -> None:
    assert refusal(read(text)) == (5, column, message)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("function f(x) = y;", 17, "'y' is no variable of function 'f'"),
        ("function f(x) = f(x);", 17, "there is no function 'f' above"),
        ("function f(x) = x[1];", 17, "'x' has an index, and function 'f' has no arrays"),
        (
            "function f(x) = x < 1; function g(x) = f(f(x));",
            42,
            "an argument of f is a Boolean; it must be a finite value",
        ),
        (
            "function f(x) = eps;",
            17,
            "eps occurs only in scales, in weights of choose, in the claim and in delta",
        ),
        ("function f(x) = x; function g(x, y) = f(x, y);", 39, "f has 1 argument, not 2"),
        ("claim eps, delta x;", 18, "'x' is no variable of delta"),
        ("claim eps, delta true;", 18, "delta is a Boolean; it must be a finite value"),
        ("claim eps, delta 1/eps;", 20, "delta is divided by finite values only, without eps"),
    ],
)
def test_rules_for_functions_and_delta(text: str, column: int, message: str) -> None:
    assert refusal(read(f"{text} o := 1;")) == (5, column, message)


@pytest.mark.parametrize(
    ("output", "line", "column", "message"),
    [
        ("disc(b, 0 < 1)", 3, 8, "disc is of a number, and 'b' is a Boolean"),
        ("o, r", 3, 11, "output 'r' is a real; write disc(r, ...), or assign a finite value"),
        ("o, n", 3, 11, "output 'n' is an integer; write disc(n, ...), or assign a finite value"),
        ("o[2]", 5, 47, f"output 'o[1]' {NOT_ON_EVERY_WAY} the end of the program"),
    ],
)
def test_rules_for_outputs(output: str, line: int, column: int, message: str) -> None:
    text = HEAD.replace("output o", f"output {output}") + f"{LAPLACE}{DISCRETE}b := true; o := 1;"
    assert refusal(dip.read(text, "a.dip")) == (line, column, message)
    assert refusal(read("")) == (3, 8, f"output 'o' {NOT_ON_EVERY_WAY} the end of the program")


def test_large_programs_are_checked_in_time() -> None:
    text = "domain {0, 1}; input q; output o[10000]; adjacent l1 1; for i in 1..10000 { o[i] := 0; }"
    whole = expanded(dip.read(f"{text} for i in 1..5000 {{ x[i] := 1; if q == 0 {{ exit; }} }}"))
    assert len(kinds_of(whole)) == 15_001


# --- inputs and neighbours -------------------------------------------------------------------------------


def with_inputs(domain: tuple[Fraction, ...], inputs: int, adjacency: Within | ListedPairs) -> Program:
    program = dip.read(HEAD)
    declared = (Declared("q", inputs),)
    return Program(**{**vars(program), "domain": domain, "inputs": declared, "adjacency": adjacency})


@given(
    st.lists(st.fractions(-2, 2, max_denominator=3), min_size=1, max_size=4, unique=True).map(tuple),
    st.integers(1, 3),
    st.sampled_from(Norm),
    st.fractions(Fraction(1, 3), 3, max_denominator=3),
)
@settings(max_examples=25, deadline=None)
def test_neighbours_by_definition(
    domain: tuple[Fraction, ...], inputs: int, norm: Norm, distance: Fraction
) -> None:
    program = with_inputs(domain, inputs, Within(norm, distance))
    points = list(product(sorted(domain), repeat=inputs))

    def apart(one: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> Fraction:
        steps = [abs(a - b) for a, b in zip(one, other, strict=True)]
        if norm is Norm.L0:
            return Fraction(sum(step > 0 for step in steps))
        return max(steps) if norm is Norm.LINF else sum(steps, start=Fraction(0))

    expected = [(u, v) for u in points for v in points if u != v and apart(u, v) <= distance]
    neighbours = Neighbours(expanded(program))
    assert adjacent_pairs(program) == expected
    assert neighbours.count == len(expected)
    assert neighbours.inputs == tuple(sorted({u for u, _ in expected}))
    # In classes: what may stand beside each other, and examples of it.
    classes = {point: place % 3 for place, point in enumerate(points) if place % 4}
    found = neighbours.compared(classes)
    assert set(found) == {(classes[u], classes.get(v, -1)) for u, v in expected if u in classes}
    for (first, second), (u, v) in found.items():
        assert (u, v) in expected
        assert (first, second) == (classes[u], classes.get(v, -1))
    # The same by the checker.
    text = dip.write(program)
    theirs = Adjacency(read_program(text, Work()), Work())
    assert theirs.count() == len(expected)
    assert sorted(theirs.inputs()) == list(neighbours.inputs)
    again = {(first, -1 if second is None else second) for first, second, *_ in theirs.compared(classes)}
    assert again == set(found)
    assert all(theirs.adjacent(u, v) and (u, v) in expected for _, _, u, v in theirs.compared(classes))
    assert {(u, v) for u in points for v in points if theirs.adjacent(u, v)} == set(expected)


def adjacent_pairs(program: Program) -> list[tuple[Point, Point]]:
    """All of them: each input is a class of its own."""
    neighbours = Neighbours(program)
    classes = {point: number for number, point in enumerate(neighbours.inputs)}
    return sorted(neighbours.compared(classes).values())


def test_listed_neighbours() -> None:
    text = HEAD.replace("linf 1", "(0, 0) ~ (0, 1), (0, 1) ~ (0, 0), (1, 1) ~ (1, 1), (1, 1) ~ (0, 1)")
    found = [[[int(value) for value in point] for point in pair] for pair in adjacent_pairs(dip.read(text))]
    assert found == [[[0, 0], [0, 1]], [[0, 1], [0, 0]], [[0, 1], [1, 1]], [[1, 1], [0, 1]]]


def test_many_inputs() -> None:
    values = tuple(Fraction(value) for value in range(-1, 2))
    program = with_inputs(values, 7, Within(Norm.L0, Fraction(1)))
    assert len(Neighbours(program).inputs) == 3**7
    assert Neighbours(program).count == 3**7 * 7 * 2
    five = with_inputs(values, 5, Within(Norm.LINF, Fraction(1)))
    assert Neighbours(five).count == len(adjacent_pairs(five)) == 7**5 - 3**5
    long = tuple(Fraction(1, 3**80 + number) for number in range(3))
    assert len(adjacent_pairs(with_inputs(long, 2, Within(Norm.L1, Fraction(1))))) == 9 * 8
    nine = with_inputs(values, 9, Within(Norm.LINF, Fraction(1)))
    neighbours = Neighbours(nine)
    assert neighbours.count == 7**9 - 3**9
    sums = {point: int(sum(point)) + 9 for point in neighbours.inputs}
    near = {(a, b) for a in range(19) for b in range(19) if abs(a - b) <= 9}
    assert set(neighbours.compared(sums)) == near - {(0, 0), (18, 18)}  # one input each


def test_too_many_inputs_and_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    values = tuple(Fraction(value) for value in range(10))
    many = with_inputs(values, 6, Within(Norm.LINF, Fraction(1)))
    with pytest.raises(ProgramError, match=r"more than 100000 inputs: 10 values for each of 6 input var"):
        Neighbours(many)
    with pytest.raises(ProgramError, match=r"more than 100000 inputs"):
        adjacent_pairs(with_inputs(values, 10_000, Within(Norm.L0, Fraction(1))))
    assert adjacency.MOST_PAIRS == 1_000_000
    monkeypatch.setattr(adjacency, "MOST_PAIRS", 20_000)
    with pytest.raises(ProgramError, match=r"more than 20000 pairs of classes of adjacent inputs"):
        adjacent_pairs(with_inputs(values, 4, Within(Norm.LINF, Fraction(9))))


# --- the fingerprint -------------------------------------------------------------------------------------


def test_the_canonical_form_by_hand() -> None:
    program = dip.read(
        """program name; domain {1, -1/2}; input q[1], p; output o, disc(r, 0 < 1.5); adjacent l1 0.50;
        claim 3*eps; function f(x, y) = -x < 1/2; function g(x) = table {1: 0.5, (-1): -2};
        for i in 2..2 { r ~ Lap(0.5*eps, q[i - 1]); }
        n ~ DLap(eps, -1);
        o ~ Exp(eps, v in {0, i}: g(v)); b ~ choose {true: exp(eps), not false: 1};
        if f(p, 1) { exit; } else if b {} else { while b != b { x[-1] := 2 - 1 - 1; } }"""
    )
    expected = (
        '["dip",["-1/2","1"],["q[1]","p"],["o",["disc",["var","r"],["0","3/2"]]],["l1","1/2"],'
        '[["f",["x","y"],["<",["-",["var","x"]],["/",["number","1"],["number","2"]]]],'
        '["g",["x"],["table",[[["1"],"1/2"],[["-1"],"-2"]]]]],'
        '[["Lap",["var","r"],["*",["number","1/2"],["eps"]],["var","q[1]"]],'
        '["DLap",["var","n"],["eps"],["-",["number","1"]]],'
        '["Exp",["var","o"],["eps"],"v",[["number","0"],["var","i"]],["call","g",["var","v"]]],'
        '["choose",["var","b"],[[["truth",true],["call","exp",["eps"]]],'
        '[["not",["truth",false]],["number","1"]]]],'
        '["if",[[["call","f",["var","p"],["number","1"]],[["exit"]]],[["var","b"],[]]],'
        '[["while",["!=",["var","b"],["var","b"]],'
        '[["assign",["var","x[-1]"],["-",["-",["number","2"],["number","1"]],["number","1"]]]]]]]]]'
    )
    assert canonical_form(program) == expected
    assert fingerprint(program) == hashlib.sha256(expected.encode()).hexdigest()
    pairs = dip.read(HEAD.replace("linf 1", "(0, 1) ~ (1, 1)"))
    assert '["pairs",[[["0","1"],["1","1"]]]]' in canonical_form(pairs)


def test_what_the_fingerprint_knows() -> None:
    found = fingerprint(read("for i in 1..1 { o := i; }"))
    same = "# comment\nprogram p; claim 2*eps, delta 1/2; epsilon in (0, 1);\n" + HEAD + "o := (1);"
    assert fingerprint(dip.read(same.replace("{0, 1}", "{1, 0}"))) == found
    assert fingerprint(read("o := 1 + 0;")) != found
    assert fingerprint(dip.read(HEAD.replace("linf", "l1") + "o := 1;")) != found
    with pytest.raises(ProgramError):
        fingerprint(read("o := q[3];"))

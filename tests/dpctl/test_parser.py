"""The text of formulas: what is read as what, what is written, and where it is refused."""

from __future__ import annotations

import json
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bdist.dpctl.formulas import (
    And,
    Atom,
    Comparison,
    Formula,
    Next,
    Not,
    Private,
    Probability,
    Truth,
    Until,
    conjunction,
    depth_of,
    document_of,
    text_of,
)
from bdist.dpctl.parser import parse
from bdist.errors import FormatError
from bdist.exact.epsilon import Epsilon
from tests.oracles.dpctl_formulas import AWKWARD, formulas, path_formulas

A, B, C, D = (Atom(name) for name in "abcd")
TRUE = Truth()
NAMES = st.text(st.characters(min_codepoint=32, exclude_categories=("Cs", "Cc")), max_size=6)


def private(alpha: int, inner: Formula, delta: str = "0") -> Formula:
    return Private(Epsilon.of(f"ln {alpha}"), Fraction(delta), inner)


@given(path_formulas(("a", "b", *AWKWARD), 4))
def test_what_is_written_reads_back(formula: Formula) -> None:
    text = text_of(formula)
    assert parse(text) == formula
    assert text_of(parse(text)) == text
    assert "\n" not in text


@given(formulas(("a", "b"), 4))
def test_blanks_and_comments_change_nothing(formula: Formula) -> None:
    text = text_of(formula).replace(" ", " # a comment ( \n\t")
    assert parse("\n" + text + " # the end") == formula


@given(NAMES)
def test_every_name_can_be_written(name: str) -> None:
    assert parse(text_of(Atom(name))) == Atom(name)


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("a <=> b <=> c", "a <=> (b <=> c)"),
        ("a => b => c", "a => (b => c)"),
        ("a <=> b => c", "a <=> (b => c)"),
        ("a => b <=> c", "(a => b) <=> c"),
        ("a => b | c", "a => (b | c)"),
        ("a | b => c", "(a | b) => c"),
        ("a | b & c", "a | (b & c)"),
        ("a & b | c", "(a & b) | c"),
        ("a & b & c", "(a & b) & c"),
        ("a & b & c & d", "(a & b) & (c & d)"),
        ("a & b U c", "a & (b U c)"),
        ("a U b & c", "(a U b) & c"),
        ("a U b U c", "a U (b U c)"),
        ("a U<=2 b W c R d", "a U<=2 (b W (c R d))"),
        ("! a U b", "(!a) U b"),
        ("a U X b", "a U (X b)"),
        ("X a U b", "(X a) U b"),
        ("F a & b", "(F a) & b"),
        ("G F a | b", "(G (F a)) | b"),
        ("!X F<=3 a", "!(X (F<=3 a))"),
        ("D[eps=1] X a U b", "(D[eps=1] (X a)) U b"),
        ("D[eps=1] (X a) & b", "(D[eps=1] (X a)) & b"),
        ("P>=1/2 [a U b] U c", "(P>=1/2 [(a U b)]) U c"),
        ("a & forall x in {b, c}: x | d", "a & ((b | d) & (c | d))"),
        ("not a and b or c", "((!a) & b) | c"),
        ("¬a ∧ b ∨ c", "((!a) & b) | c"),
    ],
)
def test_precedence(text: str, grouped: str) -> None:
    assert parse(text) == parse(grouped)


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("false", Not(TRUE)),
        ("a | b", Not(And(Not(A), Not(B)))),
        ("a | b | c", Not(And(And(Not(A), Not(B)), Not(C)))),
        ("a => b", Not(And(A, Not(B)))),
        ("a <=> b", And(Not(And(A, Not(B))), Not(And(B, Not(A))))),
        ("F a", Until(TRUE, A)),
        ("F<=3 a", Until(TRUE, A, 3)),
        ("G a", Not(Until(TRUE, Not(A)))),
        ("G <= 0 a", Not(Until(TRUE, Not(A), 0))),
        ("a W b", Not(Until(Not(B), And(Not(A), Not(B))))),
        ("a R b", Not(Until(Not(A), Not(B)))),
        ("a U b", Until(A, B)),
        ("a U<=7 b", Until(A, B, 7)),
        ("X^0 a", A),
        ("X^3 a", Next(Next(Next(A)))),
        ("!!a", Not(Not(A))),
        ('"X" & "say \\"hi\\" \\\\ \\n"', And(Atom("X"), Atom('say "hi" \\ \\n'))),
        ("out1 & in_3 & a-b.c'+", conjunction([Atom("out1"), Atom("in_3"), Atom("a-b.c'+")])),
        ("P<.25 [a]", Probability(Comparison.LESS, Fraction(1, 4), A)),
        ("P <= 1e-2 [X a]", Probability(Comparison.AT_MOST, Fraction(1, 100), Next(A))),
        ("P>1/3[a]", Probability(Comparison.MORE, Fraction(1, 3), A)),
        ("P=1 [a]", Probability(Comparison.AT_LEAST, Fraction(1), A)),
        ("P = 0 [a]", Probability(Comparison.AT_MOST, Fraction(0), A)),
        ("D[] a", private(1, A)),
        ("D[delta=1/2] a", private(1, A, "1/2")),
        ("D[ delta = .5 , epsilon = 2 ln 3 ] (a)", private(9, A, "1/2")),
        ("D[eps=0.5](a)", Private(Epsilon.of("1/2"), Fraction(0), A)),
    ],
)
def test_core(text: str, core: Formula) -> None:
    assert parse(text) == core


@pytest.mark.parametrize(
    ("schema", "written_out"),
    [
        ("forall x in {a}: x", "a"),
        ('forall x in {a, "b c", d}: X x', 'X a & X "b c" & X d'),
        ('forall x in {a, b}: x U "x"', '(a U "x") & (b U "x")'),
        ("forall k in 0..2: X^k a", "a & X a & X X a"),
        (
            "forall k in 1..2: a U<=k F<=k-1 G<=k+1 b",
            "a U<=1 F<=0 G<=2 b & a U<=2 F<=1 G<=3 b",
        ),
        ("forall k in 1..1: X^(k + 1) X^k - 1 a", "X X a"),
        ("forall x in {a, b}, k in 0..1: F<=k x", "F<=0 a & F<=1 a & F<=0 b & F<=1 b"),
        ("forall x in {a, b}: forall y in {c, d}: x U y", "(a U c & a U d) & (b U c & b U d)"),
        ("(forall x in {a, b}: x) & x", "(a & b) & x"),
        ("P=1 [forall x in {a, b}: F x]", "P=1 [F a & F b]"),
    ],
)
def test_schemas(schema: str, written_out: str) -> None:
    assert parse(schema) == parse(written_out)


def test_a_large_schema_is_shallow() -> None:
    formula = parse("forall k in 0..99, j in 0..99: F<=k X^1 a")
    assert depth_of(formula) == 14 + 3
    assert parse(text_of(parse("forall k in 0..99: F<=k a"))) == parse("forall k in 0..99: F<=k a")


OUT0, OUT1 = Atom("out0"), Atom("out1")
LN3 = "D[eps=ln 3, delta=0]"


@pytest.mark.parametrize(
    ("text", "core"),
    [
        (f"{LN3} (X out1) & {LN3} (X out0)", And(private(3, Next(OUT1)), private(3, Next(OUT0)))),
        (
            "forall o in {out0, out1, out2, out3, out4, out5}: D[eps=ln 2, delta=0] (X o)",
            conjunction([private(2, Next(Atom(f"out{k}"))) for k in range(6)]),
        ),
        (
            'D[eps=1, delta=0.1] (F "0") & D[eps=1, delta=0.1] (F "1")',
            And(*(Private(Epsilon.of(1), Fraction(1, 10), Until(TRUE, Atom(n))) for n in "01")),
        ),
        ("D[eps=ln 9, delta=0] (X (out1 & X out1))", private(9, Next(And(OUT1, Next(OUT1))))),
        (
            "forall a1 in {out1, out0}, a2 in {out1, out0}: D[eps=ln 9, delta=0] (X (a1 & X a2))",
            conjunction([private(9, Next(And(a, Next(b)))) for a in (OUT1, OUT0) for b in (OUT1, OUT0)]),
        ),
        (f"{LN3} (X X out1)", private(3, Next(Next(OUT1)))),
        (f"{LN3} (X (out1 & {LN3} (X out1)))", private(3, Next(And(OUT1, private(3, Next(OUT1)))))),
        ("D[eps=0, delta=.5] (X out1)", private(1, Next(OUT1), "1/2")),
    ],
)
def test_the_formulas_of_section_six(text: str, core: Formula) -> None:
    assert parse(text) == core
    assert parse(text_of(core)) == core


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("((a))&((b)|(c))", "a & (b | c)"),
        ("[[a] & (b | [c])]", "a & (b | c)"),
        ("P>=1/2 (F [a]) & D[eps=ln 3] [X a]", "P>=1/2 [F a] & D[eps=ln 3, delta=0] (X a)"),
        ("(a&b)&(c&d)", "a & b & c & d"),
        ("a & (b & c)", "a & (b & c)"),
        ("!(a|b)", "!(a | b)"),
        ("!a | b", "!a | b"),
        ("a&b=>c", "a & b => c"),
        ("(a=>b)=>c", "a & !b | c"),
        ("a=>b=>c", "a => b => c"),
        ("(a U b) U c U d", "(a U b) U c U d"),
        ("a W b R c", "a W b R c"),
        ("!(a U !b)", "!(a U !b)"),
        ("G(a)", "G a"),
        ("G<=3 !F<=2 (a&b)", "G<=3 !F<=2 (a & b)"),
        ("X X X^2 a", "X^4 a"),
        ("X X a", "X X a"),
        ("true U a", "F a"),
        ("!true", "false"),
        ("a<=>b", "a <=> b"),
        ("D[delta=.5]X a", "D[eps=0, delta=1/2] (X a)"),
        ("P=1[G F a]", "P>=1 [G F a]"),
        ('"a" & "X"', 'a & "X"'),
    ],
)
def test_canonical_text(typed: str, shown: str) -> None:
    assert text_of(parse(typed)) == shown


def test_documents() -> None:
    text = 'D[eps=ln 3] (X a) & D[eps=1/2, delta=1/3] (a U<=4 "b c") & !P>=1/2 [a U true]'
    within = ["within", 4, ["atom", "a"], ["atom", "b c"]]
    quantified = ["P", ">=", "1/2", ["until", ["atom", "a"], ["true"]]]
    private_pair = ["and", ["D", ["ln", "3"], "0", ["next", ["atom", "a"]]], ["D", "1/2", "1/3", within]]
    assert document_of(parse(text)) == ["and", private_pair, ["not", quantified]]
    assert document_of(parse("D[] a")) == ["D", ["ln", "1"], "0", ["atom", "a"]]


@given(path_formulas(("a", "b"), 3))
def test_documents_nest_as_deep_as_formulas(formula: Formula) -> None:
    def depth(document: object) -> int:
        inner = document[1:] if isinstance(document, list) and document[0] != "ln" else []
        below = [depth(part) for part in inner if isinstance(part, list) and part[0] != "ln"]
        return 1 + max(below, default=0)

    document = document_of(formula)
    assert json.loads(json.dumps(document)) == document
    assert depth(document) == depth_of(formula)


OPERATOR = "expected an operator or the end of the formula, found "
REFUSALS = [
    ("", 1, 1, "expected a formula, found the end of the formula"),
    (" # only a comment\n", 2, 1, "expected a formula, found the end of the formula"),
    ("a b", 1, 3, OPERATOR + "'b'"),
    ("a &\n  & b", 2, 3, "expected a formula, found '&'"),
    ("a -> b", 1, 3, OPERATOR + "'->'; implication is =>"),
    ("XX a", 1, 4, OPERATOR + "'a'; 'XX' is one name: put blanks between operators"),
    ("a & b)", 1, 6, OPERATOR + "')'"),
    ("(a\n b", 2, 2, "expected an operator or ')' to close the '(' of line 1, column 1, found 'b'"),
    ("a | (b", 1, 7, "to close the '(' of line 1, column 5, found the end of the formula"),
    ("a U U b", 1, 5, "expected a formula, found 'U', which is reserved; for a proposition write \"U\""),
    ("in", 1, 1, "'in', which is reserved"),
    ("+", 1, 1, "expected a formula, found '+'"),
    ("a | é", 1, 5, "expected a formula, found 'é'"),
    ('a | "b', 1, 5, "this double quote is not closed in its line"),
    ('"a\nb"', 1, 1, "this double quote is not closed in its line"),
    ('"a\tb"', 1, 3, r"the name holds '\t'; no name holds control characters"),
    ("a W<=3 b", 1, 4, "W takes no bound; U, F and G do"),
    ("a R <=3 b", 1, 5, "R takes no bound; U, F and G do"),
    ("X<=3 a", 1, 2, "expected a formula, found '<='"),
    ("F^3 a", 1, 2, "expected a formula, found '^'"),
    ("F<=2.5 a", 1, 4, "expected a whole number, or a variable of a forall such as k or k+1, found '2.5'"),
    ("F<=-1 a", 1, 4, "expected a whole number"),
    ("F<=10001 a", 1, 4, "a bound is 10001; it must be from 0 to 10000"),
    ("X^201 a", 1, 3, "X^ is 201; it must be from 0 to 200"),
    (f"X^{'9' * 5000} a", 1, 3, "it must be from 0 to 200"),
    ("X^(2 a", 1, 6, "expected ')', found 'a'"),
    ("X^k a", 1, 3, "'k' is no variable of a forall over numbers"),
    ("forall k in {a}: X^k a", 1, 20, "'k' is no variable of a forall over numbers"),
    ("forall k in 0..3: X^k-1 a", 1, 21, "X^ is k-1, where k = 0; it must be from 0 to 200"),
    ("forall k in 0..3:\n a & k", 2, 6, "'k' is a number, of a forall, and no proposition"),
    ("forall a in {b}, a in {c}: a", 1, 18, "there is a variable 'a' already"),
    ("forall a in {b}: forall a in {c}: a", 1, 25, "there is a variable 'a' already"),
    ("forall a in {b}, c in {a}: a", 1, 24, "'a' is a variable; the set is of propositions"),
    ("forall a-b in {b}: c", 1, 8, "a variable is letters, digits and '_', and this is 'a-b'"),
    ("forall X in {b}: c", 1, 8, "expected a variable, found 'X', which is reserved"),
    ("forall a of {b}: c", 1, 10, "expected 'in' after the variable, found 'of'"),
    ("forall a in {}: c", 1, 14, "expected a proposition, found '}'"),
    ("forall a in {b c}: c", 1, 16, "expected ',' or '}', found 'c'"),
    ("forall a in b: c", 1, 13, "expected a set such as {out0, out1} or numbers such as 0..5, found 'b'"),
    ("forall k in 3: c", 1, 14, "expected '..' and the last number, found ':'"),
    ("forall k in 3..; c", 1, 16, "expected the last number, or ':', found ';'"),
    ("forall k in 3..2: c", 1, 13, "there is no number from 3 to 2"),
    ("forall a in {b} a", 1, 17, "expected ',' and another variable, or ':' and a formula, found 'a'"),
    ("a & forall k in 0..10000: a", 1, 5, "this forall has 10001 instances; at most 10000 are read"),
    (f"forall k in 0..{'9' * 5000}: a", 1, 1, "at most 10000 are read"),
    ("P [a]", 1, 3, "expected <, <=, >=, > or = after P, found '['"),
    ("P>= [a]", 1, 5, "expected a probability such as 1/2, found '['"),
    ("P>=x [a]", 1, 4, "'x' is not a number"),
    ("P>=1/0 [a]", 1, 4, "'1/0' has denominator zero"),
    ("P>=3/2 [a]", 1, 4, "the bound of P is 3/2; it must be from 0 to 1"),
    ("P<-1/2 [a]", 1, 3, "the bound of P is -1/2; it must be from 0 to 1"),
    ("P=1/2 [a]", 1, 2, "P= is read with 0 and with 1; write P>=q [f] & P<=q [f]"),
    ("P>=1/2 a", 1, 8, "expected '[' or '(', and a path formula, found 'a'"),
    ("[a & b)", 1, 7, "expected an operator or ']' to close the '[' of line 1, column 1, found ')'"),
    ("D[eps=log 3] (a)", 1, 7, "'log 3' may be to the base e, 2 or 10; for the natural logarithm write ln"),
    ("P>=1/2 [a", 1, 10, "expected an operator or ']' to close the P of line 1, column 1, found the end"),
    ("D (X a)", 1, 3, "expected '[', as in D[eps=ln 3, delta=0], found '('"),
    ("D[3] a", 1, 3, "expected eps or delta, found '3'"),
    ("D[eps] a", 1, 6, "expected '=' after eps, found ']'"),
    ("D[eps=] a", 1, 7, "expected a number such as 1/2 or ln 3, found ']'"),
    ("D[delta=] a", 1, 9, "expected a number such as 1/2, found ']'"),
    ("D[eps=1,\n epsilon=2] a", 2, 2, "eps is given twice"),
    ("D[eps=1 (a)", 1, 7, "epsilon: '1 (a)' is not a number"),
    ("D[eps=-1] a", 1, 7, "epsilon = -1 is negative; it must be at least 0"),
    (f"D[eps=50 ln 1{'0' * 5000}] a", 1, 7, "epsilon = 50 ln of a number of 16610 bits: its power has mo"),
    ("D[eps=ln 1/2] a", 1, 7, "epsilon = ln 1/2 is negative; it must be at least 0"),
    ("D[delta=-1] a", 1, 9, "delta is -1; it must be from 0 to 1"),
    ("D[delta=1.01] a", 1, 9, "delta is 1.01; it must be from 0 to 1"),
    ("D[delta=ln 3] a", 1, 9, "'ln 3' is not a number"),
    ("D[eps=1]", 1, 9, "expected a formula, found the end of the formula"),
    ("(" * 100_000, 1, 202, "more than 200 parentheses and brackets are open here"),
    ("P>0 [" * 100_000, 1, 1006, "more than 200 parentheses and brackets are open here"),
    ("!" * 100_000 + "a", 1, 202, "more than 200 operators stand in a row"),
    (" U ".join("a" * 1000), 1, 1, "the formula is nested 1000 deep without abbreviations; at most 200"),
    (" <=> ".join("a" * 60), 1, 296 + 60, "the formula has more than 100000 parts"),
    (" W ".join("a" * 60), 1, 238, "the formula has more than 100000 parts"),
    ("forall k in 1..9999: a #" + "long" * 10_000, 1, 0, "the formula has more than 100000 parts"),
    ("forall k in 1..9999: a" + " & a" * 30, 1, 0, "the formula has more than 100000 parts"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), REFUSALS, ids=lambda value: str(value)[:30])
def test_refusals_say_where(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert caught.value.source == "<formula>"
    assert caught.value.line == line
    assert column in (0, caught.value.column)
    assert "\n" not in str(caught.value)


@given(st.text(alphabet='aXFGUWRPD!&|=><()[]{}"\\^k0123.,:# \n-+', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        formula = parse(text)
    except FormatError as error:
        assert error.line >= 1  # noqa: PT017
        return
    assert parse(text_of(formula)) == formula


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("kind", ["and", "until", "P", "D", "not", "next", "or"])
def test_the_deepest_formulas_read_back(kind: str, side: str) -> None:
    formula: Formula = A
    while depth_of(formula) < 198:
        pair = (formula, B) if side == "left" else (B, formula)
        made: dict[str, Formula] = {
            "and": And(*pair),
            "until": Until(*pair),
            "P": Probability(Comparison.MORE, Fraction(1, 2), formula),
            "D": private(2, formula),
            "not": Not(And(*pair)),
            "next": Next(Until(*pair)),
            "or": Not(And(*(Not(member) for member in pair))),
        }
        formula = made[kind]
    assert parse(text_of(formula)) == formula


def test_schemas_nest() -> None:
    nested = "".join(f"forall v{n} in {{a}}: " for n in range(200))
    assert parse(nested + "v7") == A
    with pytest.raises(FormatError, match="more than 200 parentheses and brackets are open"):
        parse(nested + "forall w in {a}: w")


def test_a_caller_who_is_deep_in_the_stack_gets_a_formula_or_a_refusal() -> None:
    def call(levels: int) -> Formula:
        return call(levels - 1) if levels else parse("(" * 190 + "a" + ")" * 190)

    assert call(10) == A
    with pytest.raises(FormatError, match="too deeply for what is left of Python's stack"):
        call(sys.getrecursionlimit() - 350)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("forall k in 0..: D[eps=1] (X^k a)", "forall k in 0..: D[eps=1, delta=0] (X^k a)"),
        ("forall n in 0..: D[eps=1] X^n (X a)", "forall k in 1..: D[eps=1, delta=0] (X^k a)"),
        (
            "b & (forall k in 2..: D[] (X^k a) & D[delta=1/2] (X^k b))",
            "b & ((forall k in 2..: D[eps=0, delta=0] (X^k a)) & "
            "(forall k in 2..: D[eps=0, delta=1/2] (X^k b)))",
        ),
    ],
)
def test_a_forall_without_a_last_number(text: str, canonical: str) -> None:
    formula = parse(text)
    assert text_of(formula) == canonical
    assert parse(canonical) == formula


@pytest.mark.parametrize(
    "text",
    [
        "forall k in 0..: D[eps=1] (F<=k a)",
        "forall k in 0..: P>=1 [X^k a]",
        "forall k in 0..: D[eps=1] (X^k F<=k a)",
        "forall k in 0..: D[eps=1] (X^k X^k a)",
        "forall k in 0..: D[eps=1] a",
        "forall k in 0.., j in 0..2: D[eps=1] (X^k a)",
    ],
)
def test_a_forall_without_a_last_number_is_of_one_form(text: str) -> None:
    with pytest.raises(FormatError, match=r"without a last k|stands alone"):
        parse(text)

"""The checker's own ``.lmc`` reader: by example, and held against bdist's reader on random texts.

Two readers that disagree would let a certificate be about another model than the one that was solved, so they
must accept the same texts, and give the same fingerprint to those.
"""

from __future__ import annotations

import hashlib
import re
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bdist.chains.chain import LabelledMarkovChain, canonical_form, fingerprint
from bdist.chains.formats import lmc
from bdist.checker import BadModel
from bdist.checker.core.chain import Model, read_model
from bdist.checker.core.numbers import comparison, integer, integer_text
from bdist.errors import InputError

ONE_STATE = "lmc\ns [a] -> 1 s\n"


def row_of(probability: str) -> Fraction:
    """What the reader makes of a probability, where the rest of the row is a dummy that makes 1."""
    return read_model(f"lmc\ns [a] -> {probability} s\n").rows["s"]["s"]


def test_reads_states_labels_and_rows() -> None:
    model = read_model("lmc two\ns [a] -> 1/3 s, 2/3 t\nt [b] -> 0 s, 1 t\n")
    assert model.labels == {"s": "a", "t": "b"}
    assert model.rows == {"s": {"s": Fraction(1, 3), "t": Fraction(2, 3)}, "t": {"t": Fraction(1)}}


def test_quoted_names_and_escapes() -> None:
    spelled = r'"q\"b\\s\n # , [x] ->"'  # the escapes are those of the quote and of the backslash, not of n
    model = read_model(f'lmc "a \\"chain\\""\n{spelled} ["\\\\"] -> 1 {spelled}\n')
    assert model.labels == {r'q"b\s\n # , [x] ->': "\\"}


def test_empty_names_are_names() -> None:
    assert read_model('lmc ""\n"" [""] -> 1 ""\n').labels == {"": ""}


def test_continuation_lines_comments_and_blanks() -> None:
    text = """
    # a comment before the keyword
      lmc\tthree # the name
    \t
    s[a]->1/2\ts,# ends in a comma, and a comment

        # between the halves
    1/4 "#t" ,
    0.25 u
    "#t" [b] -> 1 "#t"#
    u [b] -> 1 u"""
    model = read_model(text)
    assert model.rows["s"] == {"s": Fraction(1, 2), "#t": Fraction(1, 4), "u": Fraction(1, 4)}


def test_carriage_returns_are_blanks() -> None:
    assert read_model(ONE_STATE.replace("\n", "\r\n")) == read_model(ONE_STATE)


def test_other_line_separators_are_not_line_ends() -> None:
    names = "".join(["\x85", "\u2028", "\u2029", "\u00a0"])
    assert list(read_model(f'lmc\n"{names}" [a] -> 1 "{names}"\n').labels) == [names]
    with pytest.raises(BadModel):
        read_model(ONE_STATE.replace("s [a]", "s\u2028[a]"))


@pytest.mark.parametrize("one", ["1", "+1", "007/7", "1.", "1.000", "0.1e1", "100E-2", ".01e+2", "10e-01"])
def test_probabilities_that_are_one(one: str) -> None:
    assert row_of(one) == 1


def test_long_probabilities() -> None:
    many = "9" * 20_000
    text = f"lmc\ns [a] -> 0.{many} s, 1/1{'0' * 20_000} t, -0/5 u\nt [a] -> 1 t\nu [a] -> {many}/{many} u\n"
    model = read_model(text)
    assert model.rows["s"] == {"s": 1 - Fraction(1, 10**20_000), "t": Fraction(1, 10**20_000)}
    assert model.fingerprint() == fingerprint(lmc.read(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected the keyword 'lmc' and perhaps a name; found the end of the line"),
        ("# lmc\n", "line 2: expected the keyword 'lmc' and perhaps a name; found the end of the line"),
        ("\n\nLMC\n", "line 3: expected the keyword 'lmc' and perhaps a name; found LMC"),
        ('"lmc"\ns [a] -> 1 s', 'line 1: expected the keyword \'lmc\' and perhaps a name; found "\\"lmc\\""'),
        (
            "\ufefflmc\ns [a] -> 1 s",
            "line 1: expected the keyword 'lmc' and perhaps a name; found \"\\ufefflmc\"",
        ),
        ("lmc a b\ns [a] -> 1 s", "line 1: expected the end of the statement; found b"),
        ("lmc a/b\ns [a] -> 1 s", 'line 1: expected the end of the statement; found "/b"'),
        ("lmc ,\ns [a] -> 1 s", "line 1: "),
        ("lmc\n", "line 2: the file ends without a state"),
        ("lmc\ns", "line 2: expected a state such as: s [label] -> 1/2 s, 1/2 t; found s"),
        (
            "lmc\ns [a -> 1 s",
            'line 2: expected a state such as: s [label] -> 1/2 s, 1/2 t; found "s [a -> 1 s"',
        ),
        (
            "lmc\ns [] -> 1 s",
            'line 2: expected a state such as: s [label] -> 1/2 s, 1/2 t; found "s [] -> 1 s"',
        ),
        ("lmc\ns [a] 1 s", 'line 2: expected a state such as: s [label] -> 1/2 s, 1/2 t; found "s [a] 1 s"'),
        ("lmc\ns [a] ->", "line 2: expected a probability and its target; found the end of the line"),
        ("lmc\ns [a] -> 1", "line 2: expected a probability and its target; found 1"),
        ("lmc\ns [a] -> 1 s s", "line 2: expected the end of the statement; found s"),
        (
            "lmc\ns [a] -> 1 s,\n# no more\n",
            "line 4: expected a probability and its target; found the end of the line",
        ),
        ("lmc\ns [a] -> 1/2 s,\nt [a] -> 1 t", "line 3: expected"),
        ("lmc\ns [a] -> 1 s # fine\ns [a] -> 1 s", "line 3: state s is declared twice"),
        ("lmc\ns [a] -> 1/2 s, 1/2 s", "line 2: the target s stands twice"),
        ("lmc\ns [a] -> 1 s, 0 t", "line 2: the target t is not declared"),
        ("lmc\ns [a] -> 1/2 s", "line 2: the row of state s sums to 1/2, not to 1"),
        ("lmc\ns [a] -> 3/2 s, -1/2 t\nt [a] -> 1 t", 'line 2: the probability "-1/2" is negative'),
        ("lmc\ns [a] -> 1/0 s", 'line 2: "1/0" has denominator zero'),
        ("lmc\ns [a] -> one s", "line 2: one is not a probability"),
        ('lmc\ns [a] -> "1" s', 'line 2: expected a probability and its target; found "\\"1\\" s"'),
        ("lmc\ns [a] -> 1/1/1 s", 'line 2: "1/1/1" is not a probability'),
        ("lmc\ns [a] -> 0.5/0.5 s", "line 2: "),
        ("lmc\ns [a] -> 1e s", "line 2: 1e is not a probability"),
        ("lmc\ns [a] -> . s", "line 2: . is not a probability"),
        ("lmc\ns [a] -> 1e1001 s", "line 2: 1e1001 has an exponent beyond 1000"),
        ("lmc\ns [a] -> 1e-999999999999 s", "line 2: 1e-999999999999 has an exponent beyond"),
        ("lmc\ns [a] -> ١ s", 'line 2: expected a probability and its target; found "١ s"'),
        (
            'lmc\n"s [a] -> 1 s',
            'line 2: expected a state such as: s [label] -> 1/2 s, 1/2 t; found "\\"s [a] -> 1 s"',
        ),
        (
            'lmc\n"s\\" [a] -> 1 s',
            'line 2: expected a state such as: s [label] -> 1/2 s, 1/2 t; found "\\"s\\\\\\" [a] -> 1 s"',
        ),
        (
            'lmc\n"s\n" [a] -> 1 s',
            'line 2: expected a state such as: s [label] -> 1/2 s, 1/2 t; found "\\"s"',
        ),
        ('lmc\n"s\t" [a] -> 1 "s\t"', r'line 2: the name "s\t" holds a control character'),
        ('lmc\ns ["\ud800"] -> 1 s', r'line 2: the name "\ud800" holds a control character'),
        ('lmc "\x7f"\ns [a] -> 1 s', "line 1: the name"),
        ("lmc\ns [a] -> 1 s;", 'line 2: expected the end of the statement; found ";"'),
    ],
)
def test_refuses(text: str, message: str) -> None:
    with pytest.raises(BadModel, match=f"^{re.escape(message)}") as caught:
        read_model(text)
    assert str(caught.value).isprintable()
    with pytest.raises(InputError):
        lmc.read(text)


def test_canonical_form_is_that_of_the_specification() -> None:
    odd = '"ä\U0001d11e\\\\"'
    text = f'lmc name\nb [x] -> 1 b\n{odd} ["\\""] -> 2/4 b, .5 {odd}, 0 B\nB [x] -> 1.0 B\n'
    form = (
        '[["B","x",[["B","1"]]],["b","x",[["b","1"]]],'
        r'["\u00e4\ud834\udd1e\\","\"",[["b","1/2"],["\u00e4\ud834\udd1e\\","1/2"]]]]'
    )
    model = read_model(text)
    assert "".join(model.canonical_parts()) == form
    assert model.fingerprint() == hashlib.sha256(form.encode("ascii")).hexdigest()


@given(st.integers(min_value=-(10**700), max_value=10**700), st.integers(min_value=0, max_value=5000))
@settings(max_examples=40, deadline=None)
def test_integers_survive_text(head: int, zeros: int) -> None:
    number = head * 10**zeros + zeros
    text = integer_text(number)
    assert re.fullmatch(r"0|-?[1-9][0-9]*", text)
    assert integer(text) == number


@pytest.mark.parametrize("digits", [499, 500, 501, 999, 1000, 1001, 4299, 4300, 4301, 100_000])
def test_integers_of_every_length(digits: int) -> None:
    for text in ("1" + "0" * (digits - 1), "9" * digits, "-" + "12345" * (digits // 5 + 1)):
        assert integer_text(integer(text)) == text
    assert integer("-" + "0" * digits + "7") == -7


def test_long_numbers_are_shortened_in_a_comparison() -> None:
    left, right = Fraction(1, 3) + Fraction(1, 10**5000), Fraction(1, 3)
    assert comparison(left, ">", right) == "0.333333333333... > 1/3"
    assert comparison(Fraction(-(10**300)), "<", right) == "about -10^299 < 1/3"


# --- against the other reader -----------------------------------------------------------------------

_awkward = st.sampled_from(list("\"\\#,[]->/ +.'ab01é→\x85\xa0\u2028\ufeff😀"))
_any_character = st.characters(exclude_categories=["Cs"], exclude_characters=[*map(chr, range(32)), "\x7f"])
names = st.text(_awkward | _any_character, max_size=6)


@st.composite
def chains(draw: st.DrawFn) -> LabelledMarkovChain:
    states = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    labels = draw(st.lists(names, min_size=len(states), max_size=len(states)))
    rows = []
    for _ in states:
        targets = draw(st.lists(st.integers(0, len(states) - 1), min_size=1, max_size=3, unique=True))
        weights = {j: draw(st.integers(1, 9)) for j in sorted(targets)}
        rows.append(tuple((j, Fraction(w, sum(weights.values()))) for j, w in weights.items()))
    return LabelledMarkovChain(tuple(states), tuple(labels), tuple(rows), draw(names))


@given(chains())
@settings(max_examples=40, deadline=None)
def test_both_readers_agree_on_what_bdist_writes(chain: LabelledMarkovChain) -> None:
    model = read_model(lmc.write(chain))
    assert "".join(model.canonical_parts()) == canonical_form(chain)
    assert model.fingerprint() == fingerprint(chain)


_pieces = st.sampled_from(
    [
        *[
            "\n",
            "\r",
            "\r\n",
            "\t",
            " ",
            ",",
            ",\n",
            "#",
            '"',
            '\\"',
            "\\",
            "\\\\",
            "->",
            "-",
            ">",
            "[",
            "]",
            "/",
            ".",
        ],
        *[
            "0",
            "1",
            "1/2",
            "0 s",
            "1e",
            "e1",
            "1e-1",
            "+",
            "-0",
            "lmc",
            "lmc x",
            "s",
            ",0 s",
            '"" ',
            " [a] -> 1 ",
        ],
        *[
            "\x00",
            "\x0b",
            "\x1c",
            "\x7f",
            "\x85",
            "\xa0",
            "\u2028",
            "\ufeff",
            "\ud800",
            "١",
            "\ns [a] -> 1 s\n",
        ],
    ]
)
Edit = tuple[int, int, str]
edits = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 3), _pieces | st.just("")), max_size=4)


def edited(text: str, changes: list[Edit]) -> str:
    """Replace, at each place (modulo the length), some characters by a piece."""
    for place, removed, piece in changes:
        at = place % (len(text) + 1)
        text = text[:at] + piece + text[at + removed :]
    return text


def verdicts(text: str) -> tuple[LabelledMarkovChain | None, Model | None]:
    try:
        chain: LabelledMarkovChain | None = lmc.read(text)
    except InputError:
        chain = None
    try:
        model: Model | None = read_model(text)
    except BadModel:
        model = None
    return chain, model


@given(chains().map(lmc.write), edits)
@example("lmc\ns [a] -> 1 s\n", [(11, 0, ",0 s")])
@settings(max_examples=40, deadline=None)
def test_both_readers_accept_the_same_texts(text: str, changes: list[Edit]) -> None:
    chain, model = verdicts(edited(text, changes))
    assert (chain is None) == (model is None)
    if chain is not None and model is not None:
        assert model.fingerprint() == fingerprint(chain)


_tokens = st.sampled_from(
    [
        *["\n", "\n", " ", "lmc", "s", "t", '"s"', '"\\s"', "[", "]", "[a]", "->", ",", "#", "0", "1", "1/2"],
        *[
            "\ns [a] -> 1 s",
            "\nt[b]->1/2 s,\n.5 t",
            "\t",
            "\r",
            ".5",
            "5e-1",
            "+1.0",
            "-0",
            "\\",
            "s [a]",
            "-> 1",
        ],
    ]
)


@given(st.lists(_tokens, max_size=14))
@settings(max_examples=40, deadline=None)
def test_both_readers_agree_on_token_soup(tokens: list[str]) -> None:
    chain, model = verdicts("lmc\n" + "".join(tokens))
    assert (chain is None) == (model is None)
    if chain is not None and model is not None:
        assert model.fingerprint() == fingerprint(chain)


_number_text = st.text(st.sampled_from("0123456789./eE+-"), min_size=1, max_size=8)


@given(_number_text | st.fractions(0, 1).map(str) | st.decimals(0, 1, places=3).map(str))
@settings(max_examples=40, deadline=None)
@example("1e0000000000000")
@example("0e1001")
@example("1e-1000")
@example("+.5")
@example("-.5")
def test_both_readers_agree_on_numbers(number: str) -> None:
    # the second target makes the row sum to 1 where the number is a probability, whatever its spelling
    try:
        rest = str(1 - Fraction(number))
    except (ValueError, ZeroDivisionError):
        rest = "0"
    chain, model = verdicts(f"lmc\ns [a] -> {number} s, {rest} t\nt [a] -> 1 t\n")
    assert (chain is None) == (model is None)
    if chain is not None and model is not None:
        assert model.fingerprint() == fingerprint(chain)

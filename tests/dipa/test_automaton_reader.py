"""The checker's own ``.dipa`` reader: by example, and held against bdist's reader on random texts.

Two readers that disagree would let a certificate be about another automaton than the one that was decided, so
they must accept the same texts, and give the same fingerprint to those.
"""

from __future__ import annotations

import contextlib
import hashlib
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.checker import BadModel
from bdist.checker.core import limits
from bdist.checker.dipa import automaton as checker_automaton
from bdist.checker.dipa.automaton import SECOND, Automaton, read_automaton
from bdist.dipa import automaton as automaton_module
from bdist.dipa import text as dipa
from bdist.dipa.automaton import canonical_form, fingerprint
from bdist.errors import InputError
from bdist.exact import reading
from bdist.exact.reading import rational_text
from bdist.text import scanner
from tests.oracles.automata import automata, texts_of

SPARSE = """\
dipa sparse-vector # a caption
state q0 [1/2, 0]
state q1 input [1/4, -0.5] [2e-1]

state "q 2" [1]
q0 -> q1 true / bot x := insample
q1 -> q1 insample < x / insample'
q1 -> "q 2" insample >= x / "insample"
"""
BARE = "dipa\nstate q [1]\nq -> q true / a x := insample\n"


def read_by_both(text: str) -> Automaton | None:
    """What the checker reads, or None where it refuses; bdist's reader must do the same."""
    ours = theirs = "refused"
    automaton = None
    with contextlib.suppress(InputError):
        ours = fingerprint(dipa.read(text))
    try:
        automaton = read_automaton(text)
        theirs = automaton.fingerprint()
    except BadModel as error:
        message = str(error)
        assert message.startswith("line ")
        assert message.isprintable()
        assert len(message) < 400
    assert ours == theirs, f"bdist: {ours}, checker: {theirs}"
    return automaton


def test_reads_states_and_transitions() -> None:
    automaton = read_automaton(SPARSE)
    assert [state.name for state in automaton.states] == ["q0", "q1", "q 2"]
    asking = automaton.states[1]
    assert asking.reads_input
    assert (asking.noise.d, asking.noise.mu) == (Fraction(1, 4), Fraction(-1, 2))
    assert asking.second is not None
    assert (asking.second.d, asking.second.mu) == (Fraction(1, 5), Fraction(0))
    assert [tuple(move) for move in automaton.transitions] == [
        (0, 1, "true", "bot", True),
        (1, 1, "<", SECOND, False),
        (1, 2, ">=", "insample", False),
    ]
    assert automaton.initial == 0


def test_the_canonical_form_is_that_of_the_specification() -> None:
    form = (
        '["dipa","q0",['
        '["q 2",false,["1","0"],null,[]],'
        '["q0",false,["1/2","0"],null,[["true","bot",true,"q1"]]],'
        '["q1",true,["1/4","-1/2"],["1/5","0"],'
        '[["<",2,false,"q1"],[">=","insample",false,"q 2"]]]'
        "]]"
    )
    automaton = read_automaton(SPARSE)
    assert automaton.canonical_form() == form == canonical_form(dipa.read(SPARSE))
    assert automaton.fingerprint() == hashlib.sha256(form.encode("ascii")).hexdigest()


def test_a_name_with_quotes_is_not_the_quoted_name() -> None:
    text = 'dipa\nstate "\\"q\\"" [1]\nstate q [1]\n"\\"q\\"" -> "q" true / a x := insample\n'
    automaton = read_automaton(text)
    assert [state.name for state in automaton.states] == ['"q"', "q"]
    assert automaton.transitions[0][:2] == (0, 1)
    assert read_by_both(text) is not None


@given(automata(max_states=4), st.data())
@settings(max_examples=120, deadline=None)
def test_every_spelling_is_read(automaton: automaton_module.Automaton, data: st.DataObject) -> None:
    read = read_by_both(data.draw(texts_of(automaton)))
    assert read is not None
    assert read.fingerprint() == fingerprint(automaton)


PIECES = (
    *("state", "initial", "input", "true", "insample", "insample'", "x", "dipa", "q", "q0", "q1", "a", "-"),
    *(" ", "  ", "\t", "\r", "\n", "\x0b", "\x0c", "\u00a0", "\u2028", "\x85", "\0", "\x1f", "\ud800"),
    *("->", "/", ":=", "<", ">=", ">", "=", "[", "]", ",", "#", '"', "\\", '\\"', '""', '"q0"', '"state"'),
    *("1", "0", "1/2", "-1", "+1", "1e3", "1e1001", "1/0", "0.5", ".", "1.", ".5", "e", "1e", "1/-2", "٣"),
    *("[1]", "[1, 0]", "[1/2] [1/3]", " true / a", " insample < x / b", " x := insample", "state q [1]\n"),
)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_both_readers_agree_on_texts_that_are_garbled(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([SPARSE, BARE]) | automata(max_states=2).flatmap(texts_of))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 6)))
        text = text[:start] + data.draw(st.sampled_from(PIECES) | st.text(max_size=2)) + text[end:]
    read_by_both(text)


@given(st.lists(st.sampled_from(PIECES), max_size=16))
@settings(max_examples=80, deadline=None)
def test_both_readers_agree_on_a_line_of_pieces(pieces: list[str]) -> None:
    read_by_both(BARE + "".join(pieces))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected the keyword 'dipa' and perhaps a name; found \"\""),
        ("# only\n\n", "line 3: expected the keyword 'dipa'"),
        ("lmc\n", "line 1: expected the keyword 'dipa' and perhaps a name; found lmc"),
        ("dipa a b\n", "line 1: expected the keyword 'dipa'"),
        ("dipa\n\n", "line 2: there is no state"),
        (f"{BARE}nonsense\n", "line 4: expected a state such as: state q0 [1/2, 0], or a transition"),
        (
            f"\n# x\n\n{BARE}\n\n\n[\n",
            "line 10: expected a state such as: state q0 [1/2, 0], or a transition",
        ),
        (f"{BARE}q -> p true / b", "line 4: the state p is not declared"),
        (f"{BARE}state q [2]", "line 4: state q is declared twice"),
        (f'{BARE}state "q" [2]', "line 4: state q is declared twice"),
        (f"{BARE}state p [0]", "line 4: the scale coefficient 0 is not positive"),
        (f"{BARE}state p [1] [-1/2]", "line 4: the scale coefficient -1/2 is not positive"),
        (f"{BARE}state p [1/0]", 'line 4: "1/0" has denominator zero'),
        (f"{BARE}state p [1, one]", "line 4: one is not a number such as 1/2, 0.5 or 1e-4"),
        (f"{BARE}state p [1e1001]", "line 4: 1e1001 has an exponent beyond 1000"),
        (f'{BARE}state "\x07" [1]', 'line 4: the name "\\u0007" holds a control character'),
        (f'{BARE}q -> q true / "\x7f"', 'line 4: the name "\\u007f" holds a control character'),
        ('dipa "\x00"\n', 'line 1: the name "\\u0000" holds a control character'),
        (f"{BARE}q -> q true / b", "line 2: state q has guards that do not exclude each other"),
        (
            f"{BARE}state p initial [1]\nstate r initial [1]",
            "line 5: state r is a second initial one",
        ),
        (
            f"{BARE}state p input [1]\np -> q insample < x / a\np -> q insample >= x / a",
            "line 4: state p has outputs that do not tell its transitions apart",
        ),
        (
            f"{BARE}state p input [1] [1]\np -> q insample < x / insample\np -> q insample >= x / insample'",
            "line 4: state p has outputs that do not tell its transitions apart",
        ),
        (
            f"{BARE}state p input [1]\np -> q insample < x / a\np -> q insample < x / b",
            "line 4: state p has guards that do not exclude each other",
        ),
        (f"{BARE}state p [1]\np -> q insample < x / a", "line 4: state p reads no input and compares"),
        (f"{BARE}state p [1]\np -> q true / insample'", "line 4: state p writes insample', whose noise"),
        ("dipa\nstate q [1]\n", "line 2: the initial state q must have one transition"),
        ("dipa\nstate q [1]\nq -> q true / a\n", "line 2: the initial state q must have one transition"),
        (
            "dipa\nstate q input [1]\nq -> q insample < x / a x := insample\n",
            "line 2: the initial state q must have one transition, with the guard true, that assigns x",
        ),
    ],
)
def test_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(BadModel) as caught:
        read_automaton(text)
    assert str(caught.value).startswith(message)
    assert read_by_both(text) is None


@pytest.mark.parametrize(
    ("number", "accepted"),
    [
        *[("1" + "0" * 99_999, True), ("1" + "0" * 100_000, False), ("1e1000", True), ("1e-1001", False)],
        *[("1." + "0" * 99_999, True), ("1." + "0" * 100_000, False), ("+.5E+03", True)],
    ],
    ids=lambda value: value[:8] if isinstance(value, str) else None,
)
def test_numbers_at_and_beyond_the_limits(number: str, accepted: bool) -> None:
    read = read_by_both(f"dipa\nstate q [{number}]\nq -> q true / a x := insample\n")
    assert (read is not None) == accepted


@pytest.mark.parametrize(("power", "accepted"), [(331_998, True), (331_999, False)])
def test_the_common_denominator_of_coefficients_has_a_limit(power: int, accepted: bool) -> None:
    assert checker_automaton.COMMON_BITS == reading.ROW_BITS == 332_000
    long = rational_text(Fraction(1, 2**power))
    text = f"{BARE}state p [1/3, 1/7] [1/6]\nstate r input [{long}, 1/11]\n"  # 3 * 2^331998 has 332,000 bits
    assert (read_by_both(text) is not None) == accepted


def test_the_bits_of_different_numbers_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checker_automaton.NUMBERS_BITS == 2 * reading.ROWS_BITS == 2**32
    text = "dipa\nstate q [1/7, 3] [7/2]\nstate p [1/7, 6/2]\nq -> q true / a x := insample\n"
    bits = (1 + 3) + (2 + 1) + (3 + 2) + (2 + 1)  # of 1/7, 3, 7/2, and 3 as it is written again
    for most in (bits, bits - 1):
        monkeypatch.setattr(checker_automaton, "NUMBERS_BITS", most)
        monkeypatch.setattr(scanner, "ROWS_BITS", Fraction(most, 2))
        assert (read_by_both(text) is not None) == (most == bits)


def test_a_text_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits.MODEL_BYTES == 2**30
    monkeypatch.setattr(checker_automaton, "MODEL_BYTES", len(BARE) - 1)
    with pytest.raises(BadModel, match=r"line 1: the text has \d+ characters"):
        read_automaton(BARE)


@pytest.mark.parametrize(
    ("statement", "readable"),
    [
        pytest.param("\n" * 10**7, True, id="line feeds"),
        pytest.param("#\n" * 10**7, True, id="comments"),
        pytest.param(" " * 10**7, True, id="blanks"),
        pytest.param("state p [" + " " * 10**7 + "1]", True, id="blanks within"),
        pytest.param("q" * 10**7, False, id="word"),
        pytest.param("state p [1" + "," * 10**7, False, id="commas"),
        pytest.param('"' + "\\" * (10**7 + 1), False, id="backslashes"),
        pytest.param("q -> " * 10**6, False, id="arrows"),
    ],
)
def test_a_long_text_is_answered_at_once(statement: str, readable: bool) -> None:
    outcome = "an automaton"
    try:
        read_automaton(f"{BARE}{statement}\n")
    except BadModel as error:
        outcome = str(error)
    assert outcome == "an automaton" if readable else outcome.startswith("line 4: expected a state")
    assert len(outcome) < 400

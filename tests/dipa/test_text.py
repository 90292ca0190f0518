"""The ``.dipa`` format: what is written is read back, however it is spelled, and what is wrong is refused.

The checker has a reader of its own. Two readers that disagree would let a certificate be about another
automaton than the one that was decided, so they must accept the same texts, and give the same fingerprint to
those.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.checker import BadModel
from bdist.checker.core import limits
from bdist.checker.core import text as model_text
from bdist.checker.dipa import automaton as checker_automaton
from bdist.checker.dipa.automaton import SECOND, read_automaton
from bdist.checker.dipa.automaton import Automaton as CheckedAutomaton
from bdist.dipa import text as dipa
from bdist.dipa.automaton import (
    Automaton,
    ControlState,
    Guard,
    Noise,
    Real,
    Transition,
    canonical_parts,
    fingerprint,
)
from bdist.errors import BdistError, FormatError, InputError, ModelError
from bdist.exact import rationals
from bdist.exact.rationals import rational_text
from bdist.text import scanner
from tests.oracles.dipa_automata import automata, texts_of
from tests.tools import refusal_by

EXAMPLE = """\
# comment to the end of the line
dipa sparse-vector                         # keyword, optional name
state q0 [1/2, 0]                          # [scale coefficient d, mean offset mu]; reads no input
state q1 input [1/4, 0]                    # reads an input
state q2 [1]                               # an offset that is left out is 0
q0 -> q1 true / bot x := insample          # source -> target guard / output, and perhaps the assignment
q1 -> q1 insample < x / bot
q1 -> q2 insample >= x / top
"""
HALF, QUARTER = Noise(Fraction(1, 2)), Noise(Fraction(1, 4))
SPARSE = Automaton(
    (
        ControlState("q0", False, HALF),
        ControlState("q1", True, QUARTER),
        ControlState("q2", False, Noise(Fraction(1))),
    ),
    (
        Transition(0, 1, Guard.TRUE, "bot", True),
        Transition(1, 1, Guard.LESS, "bot", False),
        Transition(1, 2, Guard.AT_LEAST, "top", False),
    ),
)
SECOND_SAMPLE = """\
dipa sparse-vector # a caption
state q0 [1/2, 0]
state q1 input [1/4, -0.5] [2e-1]

state "q 2" [1]
q0 -> q1 true / bot x := insample
q1 -> q1 insample < x / insample'
q1 -> "q 2" insample >= x / "insample"
"""
BARE = "dipa\nstate q [1]\nq -> q true / a x := insample\n"


def refusal(text: str, kind: type[BdistError], line: int, column: int = 0) -> str:
    return refusal_by(lambda: dipa.read(text, "a.dipa"), kind, "a.dipa", line, column)


# --- what is read and written --------------------------------------------------------------------------


def test_the_documented_example() -> None:
    automaton = dipa.read(EXAMPLE)
    assert automaton == SPARSE
    assert automaton.name == "sparse-vector"
    assert EXAMPLE.splitlines()[1:] == [
        line.removeprefix("    ") for line in (dipa.__doc__ or "").splitlines()[3:10]
    ]


def test_the_text_that_is_written() -> None:
    written = dipa.write(
        dipa.read(EXAMPLE.replace("[1/4, 0]", "[.25, -1.50] [2e-1]").replace("top", "insample'"))
    )
    assert written == (
        "dipa sparse-vector\n"
        "state q0 [1/2, 0]\n"
        "state q1 input [1/4, -3/2] [1/5, 0]\n"
        "state q2 [1, 0]\n"
        "q0 -> q1 true / bot x := insample\n"
        "q1 -> q1 insample < x / bot\n"
        "q1 -> q2 insample >= x / insample'\n"
    )


@given(automata())
@settings(max_examples=30, deadline=None)
def test_what_is_written_is_read_back(automaton: Automaton) -> None:
    again = dipa.read(dipa.write(automaton))
    assert again == automaton
    assert again.name == automaton.name
    assert dipa.write(again) == dipa.write(automaton)


@given(automata(), st.data())
@settings(max_examples=60, deadline=None)
def test_the_same_automaton_however_it_is_spelled(automaton: Automaton, data: st.DataObject) -> None:
    text = data.draw(texts_of(automaton))
    again = dipa.read(text)
    assert again == automaton
    assert again.name == automaton.name
    assert read_automaton(text).fingerprint() == fingerprint(automaton)


def test_words_of_the_format_are_names_where_nothing_else_may_stand() -> None:
    words = ("initial", "input", "true", "insample", "x", "dipa", "->")
    text = "dipa dipa\nstate state initial [1]\n"
    text += "".join(f"state {word} input [1]\n" for word in words[:-1])
    text += 'state -- [1]\n"state" -> state true / state x := insample\n'
    text += "".join(f"{word} -> {word} insample < x / {word} x := insample\n" for word in words[:3])
    automaton = dipa.read(text)
    assert automaton.name == "dipa"
    assert [state.name for state in automaton.states] == ["state", *words[:-1], "--"]
    assert [move.output for move in automaton.transitions] == ["state", *words[:3]]
    assert dipa.read(dipa.write(automaton)) == automaton


def test_samples_and_symbols_of_their_spelling() -> None:
    text = "dipa\nstate q [1] [2]\nq -> q true / {} x := insample\n"
    outputs = {
        spelled: dipa.read(text.format(spelled)).transitions[0].output
        for spelled in ("insample", '"insample"', "insample'", '"insample\'"', "insample''", "x")
    }
    assert list(outputs.values()) == [Real.SAMPLE, "insample", Real.SECOND, "insample'", "insample''", "x"]
    for spelled in outputs:
        automaton = dipa.read(text.format(spelled))
        assert dipa.read(dipa.write(automaton)) == automaton


def test_the_initial_state_is_the_first_or_the_one_that_says_so() -> None:
    assert dipa.read(EXAMPLE).initial == 0
    lines = EXAMPLE.splitlines()
    moved = "\n".join([lines[1], *lines[3:5], "state q0 initial [1/2]", *lines[5:]])
    automaton = dipa.read(moved)
    assert automaton.initial == 2
    assert fingerprint(automaton) == fingerprint(SPARSE)
    assert dipa.read(dipa.write(automaton)) == automaton


def test_numbers_are_exact() -> None:
    tiny = Fraction(1, 3**9000 + 2)
    huge = dipa.read(EXAMPLE.replace("[1/2, 0]", f"[{rational_text(tiny)}, -1e400]"))
    assert huge.states[0].noise == Noise(tiny, Fraction(-(10**400)))
    assert dipa.read(dipa.write(huge)) == huge
    assert dipa.read(EXAMPLE.replace("[1]", "[1e400]")).states[2].noise.d == 10**400


# --- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 0, 0, "the file is empty"),
        ("# only\n \t\r\n#", 0, 0, "the file is empty"),
        ("lmc\ns [a] -> 1 s", 1, 1, "expected the keyword 'dipa' at the beginning of the file; found 'lmc'"),
        ("dipa-x", 1, 1, "expected the keyword 'dipa'"),
        ("dipa a b", 1, 8, "expected the end of the line or a comment; found 'b'"),
        ('dipa "a', 1, 6, "expected a closing double quote on the same line"),
        ("dipa ß", 1, 6, "expected the automaton's name"),
        ("dipa", 1, 5, "expected a state such as: state q0 [1/2, 0]; found the end of the file"),
        ("dipa\n# x\n", 3, 1, "found the end of the file"),
        ("dipa\nq -> q true / a x := insample\n", 3, 1, "expected a state such as"),
    ],
)
def test_a_file_that_is_none(text: str, line: int, column: int, message: str) -> None:
    assert message in refusal(text, FormatError, line, column)


@pytest.mark.parametrize(
    ("statement", "column", "message"),
    [
        ("state", 6, "expected the name of the state: letters, digits"),
        ("state [1]", 7, "expected the name of the state"),
        ("state p", 8, "expected input, or '[' and the scale coefficient; found the end of the line"),
        ("state p initial", 16, "expected input, or '['"),
        ("state p input", 14, "expected '[' and the scale coefficient"),
        ("state p input initial [1]", 15, "expected '[' and the scale coefficient; found 'initial [1]'"),
        ("state p [", 10, "expected a scale coefficient such as 1/2; found the end of the line"),
        ("state p []", 10, "expected a scale coefficient"),
        ("state p [1", 11, "expected ']', or ',' and the mean offset"),
        ("state p [1 2]", 12, "expected ']', or ',' and the mean offset; found '2]'"),
        ("state p [1,]", 12, "expected a mean offset such as 0; found ']'"),
        ("state p [1, 0", 14, "expected ']' after the mean offset"),
        ("state p [1, 0, 0]", 14, "expected ']' after the mean offset; found ', 0]'"),
        ("state p [1] [", 14, "expected a scale coefficient"),
        ("state p [1] [1] [1]", 17, "expected the end of the line or a comment; found '[1]'"),
        ("state p [1] input", 13, "expected '[' and the noise of insample', the end of the line"),
        ("state p [NaN]", 10, "'NaN' is not a number"),
        ("state p [1, Infinity]", 13, "'Infinity' is not a number"),
        ("state p [1/0]", 10, "'1/0' has denominator zero"),
        ("state p [1e1001]", 10, "has an exponent beyond 1000"),
        ("state p [0x1]", 10, "'0x1' is not a number"),
        ("state p [\u0661]", 10, "is not a number"),
        ("state p [1\u00a0]", 11, "expected ']'"),
        (f"state p [{'9' * 100_001}]", 10, "has 100001 digits; at most 100000 are read"),
        ("state q1 [1]", 7, "state 'q1' is declared twice"),
        ('  state "q1" initial [1]', 9, "state 'q1' is declared twice"),
        ("state -> q1 true / a", 8, "coefficient; found '> q1 true / a'"),
        ("statement", 10, "expected '->' with a blank before it, and the target"),
        ("-> q1 true / a", 2, "expected '->' with a blank before it, and the target; found '> q1"),
        ("[1]", 1, "expected a state such as: state q0 [1/2, 0], or a transition such as: q0 -> q1 true"),
        ("q1->q2 true / a", 4, "expected '->' with a blank before it, and the target; found '>q2 true / a'"),
        ("q1 - > q2 true / a", 4, "expected '->'"),
        ("q1 ->", 6, "expected the name of the target state"),
        ("q1 -> q2", 9, "expected a guard: true, insample < x, or insample >= x; found the end"),
        ("q1 -> q2 false / a", 10, "expected a guard"),
        ("q1 -> q2 True / a", 10, "expected a guard"),
        ("q1 -> q2 / a", 10, "expected a guard"),
        ("q1 -> q2 x > insample / a", 10, "expected a guard"),
        ("q1 -> q2 insample' < x / a", 10, "expected a guard"),
        ("q1 -> q2 insample > x / a", 19, "expected '< x' or '>= x'; found '> x / a'"),
        ("q1 -> q2 insample <= x / a", 20, "expected 'x' after '<'; found '= x / a'"),
        ("q1 -> q2 insample >= y / a", 22, "expected 'x' after '>='; found 'y / a'"),
        ("q1 -> q2 insample < x", 22, "expected '/' and the output; found the end of the line"),
        ("q1 -> q2 true a", 15, "expected '/' and the output; found 'a'"),
        ("q1 -> q2 true /", 16, "expected an output (insample, insample', or a symbol)"),
        ("q1 -> q2 true / a b", 19, "expected 'x := insample', the end of the line or a comment; found 'b'"),
        ("q1 -> q2 true / x := insample", 19, "expected 'x := insample', the end of the line or a comment"),
        ("q1 -> q2 true / a x", 20, "expected ':= insample'"),
        ("q1 -> q2 true / a x = insample", 21, "expected ':= insample'; found '= insample'"),
        ("q1 -> q2 true / a x := insample'", 24, "expected 'insample', which is all that may be assigned"),
        ("q1 -> q2 true / a x := insample a", 33, "expected the end of the line or a comment; found 'a'"),
        ('q1 -> q2 true / "a', 17, "expected a closing double quote on the same line"),
        ('q1 -> q2 true / "a\\', 17, "expected a closing double quote"),
        ('q1 -> q2 true / "a\x07"', 17, "holds a control character or half of a surrogate pair"),
        ('state "a\ud800" [1]', 7, "holds a control character or half of a surrogate pair"),
        ('"\x7f" -> q2 true / a', 1, "holds a control character"),
        ("q1 -> q2 true / \u202e", 17, "expected an output"),
        ("q1 -> nowhere true / a", 7, "a transition goes to 'nowhere', which is not declared"),
        ('q1 -> "no where" true / a', 7, "a transition goes to 'no where', which is not declared"),
        ("nobody -> q1 true / a", 1, "a transition leaves 'nobody', which is not declared"),
        (" 'nobody  -> nowhere true / a", 2, "a transition leaves ''nobody', which is not declared"),
        ("q1 \f-> q2 true / a", 4, "expected '->'"),
    ],
)  # fmt: skip
def test_a_statement_that_is_none(statement: str, column: int, message: str) -> None:
    """Before the last line, in the middle, and in the last line without its end."""
    lines = [line for line in EXAMPLE.splitlines() if not line.startswith("#")]
    for place in (len(lines) - 1, 6, len(lines)):
        text = "\n".join([*lines[:place], statement, *lines[place:]])
        assert message in refusal(text, FormatError, place + 1, column)


def test_only_one_state_is_initial() -> None:
    text = EXAMPLE.replace("q0 [", "q0 initial [").replace("q1 input", "q1  initial input")
    assert refusal(text, FormatError, 4, 11) == "state 'q1' is initial, as 'q0' is already; there is only one"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("[1/4, 0]", "[0]", 4, "state 'q1' has scale coefficient 0, not positive"),
        ("[1/4, 0]", "[-1/4, 0]", 4, "state 'q1' has scale coefficient -1/4, not positive"),
        ("[1/4, 0]", "[1] [0]", 4, "state 'q1' has scale coefficient 0, not positive"),
        (" x := insample", "", 3, "initialisation: the transition of the initial state 'q0' must"),
        ("q0 -> q1 true", "q2 -> q1 true", 3, "initialisation: the initial state 'q0' has 0 transitions"),
        ("q1 input", "q1", 4, "state 'q1' reads no input and compares; without input the guard is true"),
        (
            "insample < x",
            "insample >= x",
            4,
            "determinacy: the guards of state 'q1' do not exclude each other",
        ),
        ("insample < x", "true", 4, "determinacy: the guards of state 'q1' do not exclude each other"),
        ("top", "bot", 4, "output distinction: the outputs of state 'q1' do not tell its transitions apart"),
        ("top", "insample'", 4, "state 'q1' writes insample', whose noise is not given"),
    ],
)
def test_every_assumption_is_named_with_the_line_of_its_state(
    old: str, new: str, line: int, message: str
) -> None:
    assert old in EXAMPLE
    assert refusal(EXAMPLE.replace(old, new, 1), ModelError, line).startswith(message)


def test_two_samples_tell_no_transitions_apart() -> None:
    text = (
        EXAMPLE.replace("[1/4, 0]", "[1] [1]")
        .replace("< x / bot", "< x / insample")
        .replace("top", "insample'")
    )
    assert refusal(text, ModelError, 4).startswith("output distinction: the outputs of state 'q1'")


def test_the_line_is_that_of_a_state_that_is_declared_late_and_has_no_name() -> None:
    text = 'dipa\nq0 -> "" true / a x := insample\nstate q0 [1]\n\nstate "" [1]\n"" -> q0 insample < x / a\n'
    assert refusal(text, ModelError, 5).startswith("state '' reads no input and compares")


LONG = 1_000_000


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        pytest.param("\n" * LONG, "", id="line feeds"),
        pytest.param("#\n" * (LONG // 2), "", id="comments"),
        pytest.param(" \t\r" * (LONG // 3), "", id="blanks"),
        pytest.param("state p [1," + " " * LONG + "1]", "", id="blanks within"),
        pytest.param("q" * LONG, "expected '->'", id="word"),
        pytest.param("state p [" + "1" * LONG + "]", "has 1000000 digits", id="number"),
        pytest.param("state p [1" + "," * LONG, "expected a mean offset", id="commas"),
        pytest.param('"' + "\\" * (LONG + 1), "expected a closing double quote", id="backslashes"),
        pytest.param('"' + '\\"' * (LONG // 2), "expected a closing double quote", id="quotes"),
        pytest.param("q2 -> " + "p" * LONG + " true / a", "which is not declared", id="target"),
        pytest.param("q2 -> " * (LONG // 6), "expected a guard", id="arrows"),
    ],
)
def test_a_long_line_is_answered_at_once(statement: str, message: str) -> None:
    """By both readers: no repetition is taken back, and no line is cut out twice."""
    text = f"{EXAMPLE}{statement}\n"
    if not message:
        assert len(dipa.read(text).transitions) == len(read_automaton(text).transitions) == 3
        return
    with pytest.raises(FormatError, match=message) as ours:
        dipa.read(text)
    with pytest.raises(BadModel, match=r"^line ") as theirs:
        read_automaton(text)
    assert max(len(str(ours.value)), len(str(theirs.value))) < 1300


# --- fingerprints --------------------------------------------------------------------------------------


def test_the_canonical_form_is_the_documented_one() -> None:
    text = (
        EXAMPLE.replace("[1/4, 0]", "[0.25, -1.50] [2e-1]")
        .replace("top", "insample'")
        .replace("bot", '"ß\\""', 1)
    )
    expected = (
        '["dipa","q0",[["q0",false,["1/2","0"],null,[["true","\\u00df\\"",true,"q1"]]],'
        '["q1",true,["1/4","-3/2"],["1/5","0"],[["<","bot",false,"q1"],[">=",2,false,"q2"]]],'
        '["q2",false,["1","0"],null,[]]]]'
    )
    automaton = dipa.read(text)
    checked = read_automaton(text)
    assert "".join(canonical_parts(automaton)) == "".join(checked.canonical_parts()) == expected
    digest = hashlib.sha256(expected.encode()).hexdigest()
    assert fingerprint(automaton) == checked.fingerprint() == digest


@given(automata())
@settings(max_examples=25, deadline=None)
def test_the_canonical_form_is_that_of_the_specification(automaton: Automaton) -> None:
    """Built again, all at once."""

    def noise(of: Noise | None) -> list[str] | None:
        return None if of is None else [str(of.d), str(of.mu)]

    names = [state.name for state in automaton.states]
    states: list[Any] = []
    for number, state in enumerate(automaton.states):
        moves: list[Any] = [
            [
                move.guard.value.replace("insample ", "").replace(" x", ""),
                {Real.SAMPLE: 1, Real.SECOND: 2}[move.output]
                if isinstance(move.output, Real)
                else move.output,
                move.assigns,
                names[move.target],
            ]
            for move in automaton.transitions
            if move.source == number
        ]
        states.append([state.name, state.reads_input, noise(state.noise), noise(state.second), sorted(moves)])
    document = ["dipa", names[automaton.initial], sorted(states)]
    assert "".join(canonical_parts(automaton)) == json.dumps(document, separators=(",", ":"))
    assert (
        fingerprint(automaton)
        == hashlib.sha256("".join(canonical_parts(automaton)).encode("ascii")).hexdigest()
    )


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_order_and_caption_do_not_count(data: st.DataObject) -> None:
    automaton = data.draw(automata())
    order = data.draw(st.permutations(range(len(automaton.states))))
    moved = {old: new for new, old in enumerate(order)}
    moves = [
        Transition(moved[m.source], moved[m.target], m.guard, m.output, m.assigns)
        for m in automaton.transitions
    ]
    again = Automaton(
        tuple(automaton.states[old] for old in order),
        tuple(data.draw(st.permutations(moves))),
        moved[automaton.initial],
        "another name",
    )
    assert fingerprint(again) == fingerprint(automaton)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[1/4, 0]", "[1/5, 0]"),
        ("[1/4, 0]", "[1/4, 1]"),
        ("[1/4, 0]", "[1/4, 0] [1]"),
        ("state q2 [", "state q2 input ["),
        ("< x / bot", "< x / top'"),
        ("< x / bot", "< x / insample"),
        ("< x / bot", '< x / "insample"'),
        ("< x / bot", "< x / bot x := insample"),
        ("q1 -> q1", "q1 -> q2"),
        ("q1 -> q2 insample >= x / top", ""),
    ],
)
def test_everything_else_counts(old: str, new: str) -> None:
    changed = dipa.read(EXAMPLE.replace(old, new))
    assert changed != SPARSE
    assert fingerprint(changed) != fingerprint(SPARSE)


def test_a_symbol_is_no_sample() -> None:
    real, symbol = (dipa.read(EXAMPLE.replace("top", text)) for text in ("insample", '"insample"'))
    assert fingerprint(real) != fingerprint(symbol)


# --- the reader of the checker -----------------------------------------------------------------------------


def read_by_both(text: str) -> CheckedAutomaton | None:
    """What the checker reads, or None where it refuses; bdist's reader must do the same."""
    ours = theirs = "refused"
    automaton = None
    try:
        read = dipa.read(text, "a.dipa")
        ours = fingerprint(read)
        assert dipa.read(dipa.write(read)) == read
    except InputError as error:
        message = str(error)
        assert message.startswith("a.dipa:")
        assert message.isprintable()
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


def test_the_checker_reads_states_and_transitions() -> None:
    automaton = read_automaton(SECOND_SAMPLE)
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


def test_a_name_with_quotes_is_not_the_quoted_name() -> None:
    text = 'dipa\nstate "\\"q\\"" [1]\nstate q [1]\n"\\"q\\"" -> "q" true / a x := insample\n'
    automaton = read_automaton(text)
    assert [state.name for state in automaton.states] == ['"q"', "q"]
    assert automaton.transitions[0][:2] == (0, 1)
    assert read_by_both(text) is not None


PIECES = (
    *("state", "initial", "input", "true", "insample", "insample'", "x", "dipa", "q", "q0", "q1", "a", "-"),
    *(" ", "  ", "\t", "\r", "\n", "\x0b", "\x0c", "\u00a0", "\u2028", "\x85", "\0", "\x1f", "\ud800"),
    *("->", "/", ":=", "<", ">=", ">", "=", "[", "]", ",", "#", '"', "\\", '\\"', '""', '"q0"', '"state"'),
    *("1", "0", "1/2", "-1", "+1", "1e3", "1e1001", "1/0", "0.5", ".", "1.", ".5", "e", "1e", "1/-2", "٣"),
    *("[1]", "[1, 0]", "[1/2] [1/3]", " true / a", " insample < x / b", " x := insample", "state q [1]\n"),
)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_both_readers_agree_on_texts_that_are_garbled(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([SECOND_SAMPLE, BARE]) | automata(max_states=2).flatmap(texts_of))
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
    assert checker_automaton.COMMON_BITS == rationals.ROW_BITS == 332_000
    long = rational_text(Fraction(1, 2**power))
    text = f"{BARE}state p [1/3, 1/7] [1/6]\nstate r input [{long}, 1/11]\n"  # 3 * 2^331998 has 332,000 bits
    assert (read_by_both(text) is not None) == accepted


def test_the_bits_of_different_numbers_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checker_automaton.NUMBERS_BITS == 2 * rationals.ROWS_BITS == 2**32
    text = "dipa\nstate q [1/7, 3] [7/2]\nstate p [1/7, 6/2]\nq -> q true / a x := insample\n"
    bits = (1 + 3) + (2 + 1) + (3 + 2) + (2 + 1)  # of 1/7, 3, 7/2, and 3 as it is written again
    for most in (bits, bits - 1):
        monkeypatch.setattr(checker_automaton, "NUMBERS_BITS", most)
        monkeypatch.setattr(scanner, "ROWS_BITS", Fraction(most, 2))
        assert (read_by_both(text) is not None) == (most == bits)


def test_a_text_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits.MODEL_BYTES == 2**30
    monkeypatch.setattr(model_text, "MODEL_BYTES", len(BARE) - 1)
    with pytest.raises(BadModel, match=r"line 1: the text has \d+ characters"):
        read_automaton(BARE)

"""The ``.mdp`` format: what is written is read back, and what is wrong is refused where it stands."""

from __future__ import annotations

import copy
import hashlib
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.dpctl import text as mdp
from bdist.dpctl.mdp import MarkovDecisionProcess, Row, fingerprint
from bdist.errors import BdistError, FormatError, ModelError, ParameterError
from tests.tools import refusal_by

EXAMPLE = "\n".join(line.removeprefix("    ") for line in (mdp.__doc__ or "").splitlines()[2:14]) + "\n"
BASE = """\
mdp
actions a, b
s [p]
t [q]
s a -> 1/2 s, 1/2 t
s b -> 1 t
t * -> 1 t
"""
LINES = BASE.splitlines()
NAMES = st.one_of(
    st.sampled_from(
        ["actions", "sink", "*", "mdp", "->", "[", "#", "a,b", 'quo"te', "back\\slash", "", "{}"]
    ),
    st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=4),
)


@st.composite
def processes(draw: st.DrawFn) -> MarkovDecisionProcess:
    states = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    actions = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    labels = draw(st.lists(NAMES, min_size=len(states), max_size=len(states)))

    def row() -> Row:
        weights = draw(st.lists(st.integers(0, 4), min_size=len(states), max_size=len(states)).filter(any))
        return tuple((j, Fraction(w, sum(weights))) for j, w in enumerate(weights) if w)

    rows = []
    for _ in states:
        shared = row() if draw(st.booleans()) else None
        rows.append(tuple(row() if shared is None else shared for _ in actions))
    return MarkovDecisionProcess(tuple(states), tuple(labels), tuple(actions), tuple(rows), draw(NAMES))


def refusal(text: str, kind: type[BdistError], line: int, column: int = 0) -> str:
    return refusal_by(lambda: mdp.read(text, "a.mdp"), kind, "a.mdp", line, column)


def with_line(number: int, text: str) -> str:
    """The base with another line, counted from 1, in the place of that one."""
    return "\n".join([*LINES[: number - 1], text, *LINES[number:]])


# --- what is read and written --------------------------------------------------------------------------


def test_the_documented_example() -> None:
    process = mdp.read(EXAMPLE)
    assert process.name == "interactive-survey"
    assert process.states == ("plus", "yes", "no", "over")
    assert process.labels == ("diagnosis", "out1", "out0", "{}")
    assert process.actions == ("L", "H")
    assert process.row("plus", "L") == {"yes": Fraction(3, 4), "no": Fraction(1, 4)}
    assert process.row("plus", "H") == {"yes": Fraction(4, 5), "no": Fraction(1, 5)}
    for state in ("yes", "no", "over"):
        assert process.row(state, "L") == process.row(state, "H") == {"over": 1}
    assert mdp.write(process) == (
        "mdp interactive-survey\n"
        "actions L, H\n"
        "plus [diagnosis]\n"
        "yes [out1]\n"
        "no [out0]\n"
        'over ["{}"]\n'
        "plus L -> 3/4 yes, 1/4 no\n"
        "plus H -> 4/5 yes, 1/5 no\n"
        "yes * -> 1 over\n"
        "no * -> 1 over\n"
        "over * -> 1 over\n"
    )


@given(processes())
@settings(max_examples=80, deadline=None)
def test_what_is_written_is_read_back(process: MarkovDecisionProcess) -> None:
    text = mdp.write(process)
    again = mdp.read(text)
    assert again == process
    assert again.name == process.name
    assert mdp.write(again) == text
    assert fingerprint(again) == fingerprint(process)
    assert copy.copy(process) == process


@given(processes(), st.randoms())
@settings(max_examples=40, deadline=None)
def test_order_does_not_count_for_the_fingerprint(process: MarkovDecisionProcess, random: object) -> None:
    header, actions, *rest = mdp.write(process).splitlines()
    random.shuffle(rest)  # type: ignore[attr-defined]
    again = mdp.read("\n".join([header, actions, *rest]))
    assert fingerprint(again) == fingerprint(process)


def test_the_canonical_form() -> None:
    form = (
        '["mdp",["a","b"],['
        '["s","p",[[["s","1/2"],["t","1/2"]],[["t","1"]]]],'
        '["t","q",[[["t","1"]],[["t","1"]]]]]]'
    )
    process = mdp.read(BASE)
    known_as = hashlib.sha256(form.encode()).hexdigest()
    assert fingerprint(process) == known_as
    turned = mdp.read(
        "mdp x\nactions b,\n  a # comment\nt [q]\ns [p]\nsink t\ns a -> 0.5 t, 2/4 s, 0 t2\nt2 [q]\n"
    )
    assert fingerprint(turned) != known_as  # it has a state more
    assert turned.row("s", "b") == {"t": 1}
    less = mdp.read("mdp x\nactions b,\n  a # comment\nt [q]\ns [p]\nsink t\ns a -> 0.5 t, 2/4 s\n")
    assert fingerprint(less) == known_as


def test_words_are_names_too() -> None:
    text = 'mdp\nactions sink, "*"\nsink [actions]\nactions [sink]\nsink sink\n"actions" sink -> 1 actions\n'
    process = mdp.read(text)
    assert process.states == ("sink", "actions")
    assert process.actions == ("sink", "*")
    assert process.row("actions", "*") == process.row("sink", "sink") == {"sink": 1}
    assert process.row("actions", "sink") == {"actions": 1}
    assert mdp.read(mdp.write(process)) == process


def test_a_row_for_all_may_be_left_without_actions() -> None:
    assert mdp.read(BASE + "s * -> 1 s") == mdp.read(BASE)
    assert "sums to 1/2, not to 1" in refusal(BASE + "s * -> 1/2 s", ModelError, 8)


# --- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 0, 0, "the file is empty"),
        ("lmc\n", 1, 1, "expected the keyword 'mdp'"),
        (with_line(2, ""), 5, 1, "the actions stand before all rows"),
        ("mdp\ns [p]", 2, 6, "expected the actions"),
        ("mdp\nactions a", 2, 10, "expected a state"),
        (with_line(2, "actions a, a"), 2, 12, "action 'a' is declared twice"),
        (with_line(2, "actions a, b,"), 3, 3, "expected the end of the line"),
        (with_line(2, "actions a b"), 2, 11, "expected the end of the line"),
        (with_line(2, "actions"), 2, 8, "expected the name of an action"),
        (BASE + "actions c", 8, 1, "the actions are declared twice"),
        (BASE + "actions c -> 1 s", 8, 1, "the actions are declared twice"),
        (BASE + "sink * -> 1 s", 8, 6, "expected the name of the sink"),
        (BASE + "sink a -> 1 s", 8, 8, "'sink' begins a statement of its own"),
        (BASE + "sink u", 8, 6, "the sink 'u' is not declared"),
        (BASE + "sink s\nsink s", 9, 1, "there is a sink already"),
        (BASE + "s [q]", 8, 1, "state 's' is declared twice"),
        (with_line(5, "s c -> 1 s"), 5, 3, "there is no action 'c'"),
        (with_line(5, "s b -> 1 s"), 6, 3, "state 's' has a row for action 'b' already"),
        (BASE + "t * -> 1 s", 8, 3, "state 't' has a row for all actions already"),
        (with_line(5, "u a -> 1 s"), 5, 1, "state 'u' is not declared"),
        (with_line(5, "s a -> 1 u"), 5, 10, "state 's' goes to 'u', which is not declared"),
        (with_line(5, "s a -> 1/2 t, 1/2 t"), 5, 19, "target 't' stands twice"),
        (with_line(5, "s a -> x t"), 5, 8, ""),
        (with_line(5, "s a -> -1 t, 2 s"), 5, 8, "probability -1 is negative"),
        (with_line(5, "s a 1 t"), 5, 5, "expected '->'"),
        (with_line(5, "s a -> 1 t t"), 5, 12, "expected the end of the line"),
        (with_line(5, "s"), 5, 2, "expected '[' and the label"),
        (with_line(5, "[p]"), 5, 1, "expected a state such as"),
        (with_line(3, "s [p"), 3, 5, "expected ']'"),
        (with_line(3, 's ["\x01"]'), 3, 4, "name '\\x01' holds a control character"),
    ],
)
def test_refusals_of_form(text: str, line: int, column: int, message: str) -> None:
    assert refusal(text, FormatError, line, column).startswith(message)


def test_rows_must_be_distributions() -> None:
    said = refusal(with_line(6, "s b -> 1/2 t"), ModelError, 6)
    assert said == "the row of state 's' sums to 1/2, not to 1"
    said = refusal(with_line(6, ""), ModelError, 3)
    assert said.startswith("state 's' has no row for action 'b', and there is no sink")


ONE: Row = ((0, Fraction(1)),)


@pytest.mark.parametrize(
    ("states", "labels", "actions", "rows", "message"),
    [
        ((), (), ("a",), (), "needs at least one state and one action"),
        (("s",), ("p",), (), ((),), "needs at least one state and one action"),
        (("s",), (), ("a",), ((ONE,),), "must agree"),
        (("s", "s"), ("p", "p"), ("a",), ((ONE,), (ONE,)), "state 's' is declared twice"),
        (("s",), ("p",), ("a", "a"), ((ONE, ONE),), "action 'a' is declared twice"),
        (("s\n",), ("p",), ("a",), ((ONE,),), "control character"),
        (("s",), ("p",), ("a", "b"), ((ONE,),), "has 1 rows for 2 actions"),
        (("s",), ("p",), ("a",), ((((1, Fraction(1)),),),), "under action 'a' names a state that is not"),
        (("s",), ("p",), ("a",), ((((0, Fraction(0)),),),), "not positive"),
        (("s",), ("p",), ("a",), (((),),), "sums to 0, not to 1"),
    ],
)
def test_models_are_checked(
    states: tuple[str, ...],
    labels: tuple[str, ...],
    actions: tuple[str, ...],
    rows: tuple[tuple[Row, ...], ...],
    message: str,
) -> None:
    with pytest.raises(ModelError, match=message):
        MarkovDecisionProcess(states, labels, actions, rows)


def test_rows_by_name() -> None:
    go = {"s": Fraction(1), "t": Fraction(0)}
    made = MarkovDecisionProcess.from_rows(
        "ab", [("s", "p", {"a": go, "b": go}), ("t", "q", {"a": go, "b": go})]
    )
    assert made.rows == ((ONE, ONE), (ONE, ONE))
    with pytest.raises(ModelError, match="no row for action 'b'"):
        MarkovDecisionProcess.from_rows("ab", [("s", "p", {"a": {"s": Fraction(1)}})])
    with pytest.raises(ModelError, match="goes to 't', which is not there"):
        MarkovDecisionProcess.from_rows("a", [("s", "p", {"a": go})])
    for ask in (lambda: made.under("c"), lambda: made.row("s", "c"), lambda: made.row("u", "a")):
        with pytest.raises(ParameterError, match="there is no"):
            ask()
    assert made.under("a").row("s") == {"s": 1}

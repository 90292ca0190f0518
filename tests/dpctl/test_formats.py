"""Markov decision processes in the files of other tools: Storm's ``.drn``, and PRISM programs."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
import stormpy
from hypothesis import given, settings

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import ReadOptions, load
from bdist.dpctl import text as mdp
from bdist.dpctl.formats import (
    load_decision_process,
    load_model,
    save_decision_process,
    save_model,
    spell_action,
    unspell_action,
)
from bdist.dpctl.mdp import MOST_ENTRIES, MarkovDecisionProcess
from bdist.errors import BdistError, FormatError, ModelError, ParameterError, UnsupportedError
from tests.chains.test_formats import DRN, SOUND
from tests.dpctl.test_mdp import processes
from tests.oracles.readers import DRN_PROCESS, PRISM_PROCESS
from tests.tools import refusal_by

EXPLICIT = DRN_PROCESS.decode()
PROGRAM = PRISM_PROCESS.decode()
SINK = ReadOptions(sink="over")


def written(tmp_path: Path, text: str, suffix: str = ".drn") -> Path:
    path = tmp_path / f"m{suffix}"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path: Path, kind: type[BdistError], line: int = 0, options: ReadOptions | None = None) -> str:
    return refusal_by(lambda: load_decision_process(path, options), kind, str(path), line)


# --- Storm's explicit files ------------------------------------------------------------------------------


def test_a_process_with_a_sink(tmp_path: Path) -> None:
    """By hand: the first state has both actions, the second does the same under both, the third lacks one."""
    process = load_decision_process(written(tmp_path, EXPLICIT), SINK)
    assert process.states == ("s0", "s1", "s2", "over")
    assert process.labels == ("asked,two words", "answered", "{}", "{}")
    assert process.actions == ("low", "a b")
    assert process.row("s0", "low") == {"s0": Fraction(1, 3), "s2": Fraction(2, 3)}
    assert process.row("s1", "low") == process.row("s1", "a b") == {"s1": 1}
    assert process.row("s2", "low") == {"s1": Fraction(1, 2), "s2": Fraction(1, 2)}
    assert process.row("s2", "a b") == process.row("over", "low") == process.row("over", "a b") == {"over": 1}
    there = load_decision_process(written(tmp_path, EXPLICIT), ReadOptions(("answered",), sink="s1"))
    assert there.states == ("s0", "s1", "s2")
    assert there.labels == ("{}", "answered", "{}")
    assert there.row("s2", "a b") == {"s1": 1}


def test_a_sink_that_nothing_needs_is_not_added(tmp_path: Path) -> None:
    path = written(tmp_path, EXPLICIT.replace("\taction a%20b", "\taction x"))
    assert "over" in load_decision_process(path, SINK).states
    text = EXPLICIT.replace("\taction low\n", "\taction __NOLABEL__\n")
    assert load_decision_process(written(tmp_path, text), SINK).states == ("s0", "s1", "s2")
    assert load_decision_process(written(tmp_path, text)).states == ("s0", "s1", "s2")


@pytest.mark.parametrize(
    ("old", "new", "kind", "line", "message"),
    [
        (
            "",
            "",
            ModelError,
            23,
            "state 's2' has no action 'a b'; every action must be there in every state: nam",
        ),
        ("a%20b", "low", FormatError, 18, "state 's0' has two choices for the action 'low'"),
        ("a%20b", "__NOLABEL__", FormatError, 18, "state 's0' has 2 choices, of which one has no name"),
        ("a%20b", "a b", FormatError, 18, "expected an action and its name, which has no blanks"),
        (
            "2 : 2/3",
            "2 : 1/2",
            ModelError,
            15,
            "the row of state 's0' under action 'low' sums to 5/6, not to 1",
        ),
        (
            "\t\t1 : 0.5\n\t\t2 : 1/2\n",
            "",
            ModelError,
            24,
            "the row of state 's2' under action 'low' sums to 0",
        ),
        ("choices\n4", "choices\n5", FormatError, 0, "@nr_choices says 5, and there are 4 choices"),
        ("states\n3", "states\n4", FormatError, 0, "@nr_states says 4, and there are 3 states"),
        ("\taction low\n", "", FormatError, 24, "expected an action of state 2; found a transition"),
        ("MDP", "POMDP", FormatError, 1, "this is a model with @type: POMDP; only mdp is read"),
        ("MDP", "DTMC", FormatError, 1, "this is a model with @type: DTMC; only mdp is read"),
    ],
)
def test_what_is_wrong_is_refused_with_the_line(
    old: str, new: str, kind: type[BdistError], line: int, message: str, tmp_path: Path
) -> None:
    assert old in EXPLICIT
    assert refusal(written(tmp_path, EXPLICIT.replace(old, new, 1)), kind, line).startswith(message)


def test_without_names_there_are_no_actions(tmp_path: Path) -> None:
    text = "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction __NOLABEL__\n\t\t0 : 1\n"
    assert load_decision_process(written(tmp_path, text)).actions == ("step",)  # where nothing is to choose
    two = text + "\taction __NOLABEL__\n\t\t0 : 1\n"
    assert refusal(written(tmp_path, two), FormatError).startswith("no choice has a name")
    assert load_decision_process(written(tmp_path, text.replace("__NOLABEL__", "0"))).actions == ("0",)


@given(processes())
@settings(max_examples=25, deadline=None)
def test_storm_reads_what_we_write_and_we_read_what_storm_writes(process: MarkovDecisionProcess) -> None:
    options = stormpy.io.DirectEncodingParserOptions()
    options.build_choice_labeling = True
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder) / "ours.drn", Path(folder) / "theirs.drn"
        save_decision_process(process, path)
        kept = process.labels, process.actions, process.rows
        for read in (load_decision_process(path), load_model(path)):
            assert isinstance(read, MarkovDecisionProcess)
            assert (read.labels, read.actions, read.rows) == kept
        model = stormpy.build_model_from_drn[stormpy.Rational](path, options=options)
        assert (model.nr_states, model.nr_choices) == (
            len(process.states),
            model.nr_states * len(process.actions),
        )
        if not any(
            "[" in label for label in process.labels
        ):  # Storm does not read back its own "state 0 [r]"
            stormpy.io.export_to_drn(model, again)
            read = load_decision_process(again)
            assert (read.labels, read.actions, read.rows) == kept


def test_names_of_actions_survive() -> None:
    for name in ("", " ", "%", "%20", "%25", "a b", "100%", "__NOLABEL__", "%5F_NOLABEL__", "[1]", '"'):
        assert " " not in spell_action(name)
        assert spell_action(name) not in ("", "__NOLABEL__")
        assert unspell_action(spell_action(name)) == name
    assert len({spell_action(name) for name in ("%", "", "%25", " ", "%20")}) == 5


# --- PRISM programs ----------------------------------------------------------------------------------------


def test_a_program(tmp_path: Path) -> None:
    path = written(tmp_path, PROGRAM, ".prism")
    process = load_decision_process(path, SINK)
    assert process.states == ("x=0", "x=1", "x=2", "over")
    assert process.labels == ("{}", "{}", "done", "{}")
    assert process.actions == ("a", "b")
    assert process.row("x=0", "a") == {"x=1": Fraction(1, 3), "x=0": Fraction(2, 3)}
    assert process.row("x=1", "b") == {"over": 1}
    assert process.row("x=2", "a") == process.row("x=2", "b") == {"x=2": 1}
    assert load_model(path, SINK) == process
    assert refusal(path, ModelError).startswith("state 'x=1' has no action 'b'; every action must be there")
    with pytest.raises(FormatError, match=r"a Markov decision process, not a chain; ask: bdist modelcheck"):
        load(path)


@pytest.mark.parametrize(
    ("old", "new", "kind", "message"),
    [
        ("[b]", "[a]", FormatError, "state 'x=0' has two choices for the action 'a'"),
        ("[b]", "[]", FormatError, "state 'x=0' has 2 choices, of which one has no name; name its action"),
        ("  [] x=2 -> true;\n", "", None, ""),
        ("mdp", "dtmc", FormatError, "this is a program of type DTMC; only MDP is read"),
    ],
)
def test_programs_that_need_something(
    old: str, new: str, kind: type[BdistError] | None, message: str, tmp_path: Path
) -> None:
    assert old in PROGRAM
    path = written(tmp_path, PROGRAM.replace(old, new, 1), ".prism")
    if kind is not None:
        assert message in refusal(path, kind, options=SINK)
    else:  # a state without commands lacks all actions
        assert load_decision_process(path, SINK).row("x=2", "a") == {"over": 1}


def test_without_a_sink_deadlocks_stay(tmp_path: Path) -> None:
    text = PROGRAM.replace("  [] x=2 -> true;\n", "").replace("[b]", "[a]", 1)
    text = text.replace("[a] x=0", "[a] false & x=0", 1)  # so that one action is enough
    path, notes = written(tmp_path, text, ".prism"), list[str]()
    process = load_decision_process(path, ReadOptions(notes=notes.append))
    assert process.row("x=2", "a") == {"x=2": 1}
    assert "1 state stays for ever" in notes[0]
    assert "state 'x=2' has no choice (a deadlock)" in refusal(
        path, ModelError, options=ReadOptions(deadlocks="refuse")
    )


# --- the registry ----------------------------------------------------------------------------------------


def test_chains_are_read_as_before(tmp_path: Path) -> None:
    path = written(tmp_path, DRN)
    assert load_model(path) == SOUND
    with pytest.raises(ParameterError, match="a sink is for decision processes, and this is a chain"):
        load_model(path, SINK)
    with pytest.raises(UnsupportedError, match=r"sink is not an option of \.drn files"):
        load(path, SINK)
    assert refusal(tmp_path / "m.lmc", FormatError).startswith(
        "no reader of decision processes for the suffix"
    )


def test_writing_by_suffix(tmp_path: Path) -> None:
    process = load_decision_process(written(tmp_path, EXPLICIT), SINK)
    assert save_model(process, tmp_path / "a.mdp") == ()
    assert load_decision_process(tmp_path / "a.mdp") == load_model(tmp_path / "a.mdp") == process
    assert save_model(process, tmp_path / "a.drn") == (
        "not kept: state names, which become s0, s1, ... in the same order",
    )
    with pytest.raises(UnsupportedError, match=r"no writer of decision processes for the suffix '\.lmc'"):
        save_model(process, tmp_path / "a.lmc")
    with pytest.raises(UnsupportedError, match=r"\.mdp files hold decision processes, and this is a chain"):
        save_model(SOUND, tmp_path / "b.mdp")
    assert save_model(SOUND, tmp_path / "b.lmc") == ()
    assert isinstance(load_model(tmp_path / "b.lmc"), LabelledMarkovChain)
    with pytest.raises(UnsupportedError, match=r"sink is not an option of \.mdp files, which has no options"):
        load_decision_process(tmp_path / "a.mdp", SINK)


def test_a_short_text_does_not_stand_for_rows_without_end(tmp_path: Path) -> None:
    """As the checker has it; a sink stands for the rows of all states and actions that are not written."""
    count = 4500
    assert count**2 > MOST_ENTRIES
    states = "".join(f"s{k} [p]\n" for k in range(count))
    text = f"mdp\nactions {', '.join(f'a{k}' for k in range(count))}\nsink s0\n{states}"
    with pytest.raises(
        ModelError, match=rf"4500 states with 4500 actions have more than {MOST_ENTRIES} rows"
    ):
        mdp.read(text)
    body = "".join(f"state {k}\n\taction a{k}\n\t\t{k} : 1\n" for k in range(count))
    path = written(tmp_path, f"@type: MDP\n@nr_states\n{count}\n@model\n{body}")
    assert "have more than" in refusal(path, ModelError, options=SINK)

"""What PRISM and Storm really write, and what they make of what we write."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import stormpy
from hypothesis import given, settings

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import ReadOptions, load, prism, save
from bdist.chains.formats.propositions import propositions_of, unspell
from bdist.errors import BackendError, BdistError, FormatError, ModelError, ParameterError, UnsupportedError
from tests.chains.test_formats import DRN, LAB, SOUND, TRA, awkward_chains, refusal, written

WALK = """\
dtmc
const int N;
const double p = 1/3;
module walk
  x : [0..N] init 0;
  b : bool init false;
  [go] x<N -> p : (x'=x+1) + 1-p : (x'=0)&(b'=!b);
  [] x=N -> true;
endmodule
label "done" = x=N;
label "odd" = mod(x,2)=1;
"""
N2 = ReadOptions(constants={"N": "2"})


# PRISM's explicit files.


def test_newer_prism_writes_comments_actions_and_initial_states(tmp_path: Path) -> None:
    text = "# Transitions (DTMC)\n2 3\n- 0\n0 0 0.5 go\n# between\n\n0 1 .5 go\n1 1 1\n"
    labels = "# Labels\n" + LAB
    assert load(written(tmp_path, ".tra", text, labels)) == SOUND


def test_storms_own_explicit_files(tmp_path: Path) -> None:
    text = "dtmc\n0 0 0.5\n0 1 0.5\n1 1 1\n"
    labels = "#DECLARATION\ninit a\nb deadlock\n#END\n0 init a\n1 b\n"
    assert load(written(tmp_path, ".tra", text, labels)) == SOUND
    gap = written(tmp_path, ".tra", text.replace("1 1 1", "1 999999999 1"), labels)
    assert refusal(gap, FormatError).startswith("1000000000 states and 3 transitions: most states cannot be")


@pytest.mark.parametrize(
    ("labels", "line", "message"),
    [
        ("", 0, "the file is empty; it must begin by declaring its labels"),
        ("7: 0 2\n", 1, "state 7 is labelled, and there are"),
        ("heads\n", 1, "expected labels to be declared as in"),
        ('0="a" 0="b"\n', 1, 'label 0="b" is declared twice'),
        ('0="a" 1="a"\n', 1, 'label 1="a" is declared twice'),
        ('0="a\n', 1, "expected labels to be declared"),
        ('0="a"\n2: 0\n', 2, "state 2 is labelled, and there are 2 states"),
        ('0="a"\n0: 1\n', 2, "label 1 of state 0 is not declared"),
        ('0="a"\n0: 0\n0: 0\n', 3, "state 0 is labelled twice"),
        ('0="a"\nx: 0\n', 2, "'x' is not the number of a state"),
        ('0="a"\n0 0\n', 2, "expected: state: label label; found '0 0'"),
        ("#DECLARATION\na\n0 a\n", 0, "the declaration of labels has no #END"),
        ("#DECLARATION\na\n#END\n0 b\n", 4, "label b of state 0 is not declared"),
        ('0="100%" 1="100%25"\n', 0, "two labels are the same once %22 and %25 are read"),
    ],
)
def test_label_files_are_refused_with_their_line(
    labels: str, line: int, message: str, tmp_path: Path
) -> None:
    path = written(tmp_path, ".tra", TRA, labels)
    with pytest.raises(FormatError) as caught:
        load(path)
    place = f"{path.with_suffix('.lab')}:{line}: " if line else f"{path.with_suffix('.lab')}: "
    assert str(caught.value).startswith(f"{place}{message}")


def test_a_missing_label_file_and_a_label_with_a_control_character(tmp_path: Path) -> None:
    path = written(tmp_path, ".tra", TRA, LAB.replace('"a"', '"a\tb"'))
    with pytest.raises(ModelError, match=r"model\.lab: label 'a.*tb' holds a control character"):
        load(path)
    path.with_suffix(".lab").unlink()
    assert refusal(path, FormatError).startswith("there is no model.lab beside it")


def test_rates_are_no_probabilities(tmp_path: Path) -> None:
    path = written(tmp_path, ".tra", TRA.replace("0 1 1/2", "0 1 200.5"))
    assert refusal(path, ModelError, 2).endswith("; the rates of a CTMC are no probabilities")


def test_labels_that_are_not_declared_go_by_their_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, ".tra", TRA, "0: 0 2\n1: 3 2\n")
    assert load(path).labels == ("2", "2,3")  # 0 is init, as PRISM numbers it, and does not count
    assert load(path, ReadOptions(labels=("init", "3"))).labels == ("init", "3")


@pytest.mark.parametrize(
    ("suffix", "text"), [(".tra", TRA), (".drn", DRN.replace("init a\n", 'init a "c d"\n'))]
)
def test_the_labels_that_count(suffix: str, text: str, tmp_path: Path) -> None:
    labels = LAB.replace("\n0:", ' 4="c d"\n0:').replace("0: 0 2", "0: 0 2 4")
    path = written(tmp_path, suffix, text, labels)
    assert load(path).labels == ("a,c d", "b")
    assert load(path, ReadOptions(labels=("a", "b"))).labels == ("a", "b")
    assert load(path, ReadOptions(labels=("b", "init"))).labels == ("init", "b")
    assert load(path, ReadOptions(labels=())).labels == ("{}", "{}")
    with pytest.raises(ParameterError, match="there is no label 'd'; it has a, b, c d"):
        load(path, ReadOptions(labels=("d",)))


@pytest.mark.parametrize(
    ("suffix", "options", "message"),
    [
        (".lmc", ReadOptions(labels=("a",)), "labels is not an option of .lmc files, which has no options"),
        (".json", ReadOptions(constants={"N": "1"}), "constants is not an option of .json files"),
        (".tlmc", ReadOptions(formulas={"a": "x=1"}), "formulas is not an option of .tlmc files"),
        (
            ".tra",
            ReadOptions(constants={"N": "1"}),
            "of .tra files, which understands deadlocks, labels, repair",
        ),
        (
            ".drn",
            ReadOptions(formulas={"a": "x=1"}),
            "of .drn files, which understands deadlocks, labels, repair",
        ),
    ],
)
def test_options_that_a_format_does_not_use_are_refused(
    suffix: str, options: ReadOptions, message: str, tmp_path: Path
) -> None:
    assert message in refusal(tmp_path / f"x{suffix}", UnsupportedError, options=options)


# Storm's explicit files, held against Storm itself.


@given(awkward_chains())
@settings(max_examples=12, deadline=None)
def test_storm_reads_what_we_write_and_we_read_what_storm_writes(chain: LabelledMarkovChain) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder) / "ours.drn", Path(folder) / "theirs.drn"
        save(chain, path)
        model = stormpy.build_model_from_drn[stormpy.Rational](path)
        assert model.nr_states == len(chain)
        assert list(model.initial_states) == [0]
        for state in model.states:
            (action,) = state.actions
            row = {entry.column: str(entry.value) for entry in action.transitions}
            assert row == {j: str(p) for j, p in chain.rows[state.id]}
            names = {unspell(name) for name in state.labels - {"init"}}
            assert names == set(propositions_of(chain.labels[state.id]))
        if not any("[" in label for label in chain.labels):  # Storm does not read back its own "state 0 [r]"
            stormpy.io.export_to_drn(model, again)
            read = load(again)
            assert (read.labels, read.rows) == (chain.labels, chain.rows)


def test_rewards_comments_and_placeholders_of_storm(tmp_path: Path) -> None:
    text = (
        DRN.replace("@reward_models\n\n", "@reward_models\ncoins\n@placeholders\n$h : 1/2\n")
        .replace("state 0 init a", "state 0 [1, 2] init a\n//[x=0]")
        .replace("action 0\n\t\t0 : 1/2", "action go [3]\n\t\t0 : $h")
        .replace("@nr_choices\n2\n", "")
        .replace("@type: DTMC", "@type: DTMC\n@value_type: rational")
    )
    assert load(written(tmp_path, ".drn", text)) == SOUND


# PRISM programs.


def program(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "walk.pm"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_program_with_constants_labels_and_names(tmp_path: Path) -> None:
    path = program(tmp_path, WALK)
    chain = load(path, N2)
    assert len(chain) == 6
    assert chain.row("b=false,x=0") == {"b=false,x=1": Fraction(1, 3), "b=true,x=0": Fraction(2, 3)}
    assert chain.label("b=false,x=0") == "{}"
    assert chain.label("b=true,x=1") == "odd"
    assert chain.label("b=true,x=2") == "done"
    options = ReadOptions(("done", "win"), {"N": "3"}, {"win": "b & x=3"})
    chain = load(path, options)
    assert chain.label("b=true,x=3") == "done,win"
    assert chain.label("b=false,x=3") == "done"
    assert chain.label("b=true,x=1") == "{}"


def test_decimals_are_exact_and_several_states_may_be_initial(tmp_path: Path) -> None:
    text = (
        "dtmc\nconst double q;\nmodule m\n x : [-1..1];\n [] true -> q : (x'=0) + 1-q : (x'=1);\nendmodule\n"
    )
    path = program(tmp_path, text + 'init x<1 endinit\nlabel "one" = x=1;\n')
    chain = load(path, ReadOptions(constants={"q": "0.1"}))
    assert chain.states == ("x=-1", "x=0", "x=1")
    assert {str(p) for row in chain.rows for _, p in row} == {"1/10", "9/10"}


@pytest.mark.parametrize(
    ("old", "new", "options", "kind", "message"),
    [
        ("", "", ReadOptions(), ParameterError, "constants without a value: N"),
        (
            "",
            "",
            ReadOptions(constants={"N": "1/2"}),
            ParameterError,
            "constant N is 1/2; it must be an integ",
        ),
        (
            "",
            "",
            ReadOptions(constants={"N": "true"}),
            ParameterError,
            "constant N is true; it must be a numb",
        ),
        (
            "",
            "",
            ReadOptions(constants={"N": "2", "p": "1"}),
            ParameterError,
            "no undefined constant 'p'; the",
        ),
        ("", "", ReadOptions(("even",), {"N": "2"}), ParameterError, "there is no label 'even'; it has"),
        ("", "", ReadOptions(None, {"N": "2"}, {"odd": "x=1"}), ParameterError, "has a label 'odd' already"),
        (
            "",
            "",
            ReadOptions(None, {"N": "2"}, {"a": "y=1"}),
            ParameterError,
            "a label of formulas is not understood",
        ),
        ("dtmc", "mdp", N2, FormatError, "this is a Markov decision process, not a chain; ask: bdist mod"),
        ("1-p :", "1-2*p :", N2, FormatError, "Storm refuses it: Probabilities do not sum to one"),
        ("(x'=x+1)", "(x'=x+5)", N2, FormatError, "leads to an out-of-bounds value (5) for the variable 'x'"),
        (
            "[] x=N -> true;",
            "",
            replace(N2, deadlocks="refuse"),
            ModelError,
            "state 'b=false,x=2' has no enabled command (a deadlock); deadlocks='loop' lets it stay",
        ),
        ("p : (x'", "p/(N-2) : (x'", N2, BackendError, "killed by SIGFPE; a division by zero in the program"),
    ],
)
def test_what_is_wrong_with_a_program_is_one_line(
    old: str, new: str, options: ReadOptions, kind: type[BdistError], message: str, tmp_path: Path
) -> None:
    path = program(tmp_path, WALK.replace(old, new, 1) if old else WALK)
    assert message in refusal(path, kind, options=options)


def test_a_parse_error_has_its_line(tmp_path: Path) -> None:
    path = program(tmp_path, WALK.replace("endmodule", "endmodul"))
    assert "not a PRISM program: expecting" in refusal(path, FormatError, 9, N2)


def test_a_program_without_labels_has_a_note(tmp_path: Path) -> None:
    path = program(tmp_path, WALK.partition("label")[0])
    notes: list[str] = []
    assert set(load(path, replace(N2, notes=notes.append)).labels) == {"{}"}
    hint = "it has no labels but init, so that all states look alike; name some, with formulas"
    assert notes == [f"{path}: {hint}"]
    assert load(path, ReadOptions(None, {"N": "2"}, {"a": "x=1"})).states_by_label.keys() == {"{}", "a"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ReadOptions(constants={"N-1": "2"}), "constant 'N-1' is not an identifier"),
        (ReadOptions(constants={"N": "two"}), "constant N: 'two' is not a number"),
        (ReadOptions(formulas={"a b": "x=1"}), "label 'a b' must be an identifier"),
        (ReadOptions(formulas={"init": "x=1"}), "label 'init' must be an identifier other than init"),
        (ReadOptions(formulas={"a": 'x=1; label "b" = true'}), "is not one expression such as x=1"),
        (ReadOptions(formulas={"a": " "}), "is not one expression"),
    ],
)
def test_options_are_checked_before_storm_is_asked(
    options: ReadOptions, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError) as caught:
        load(tmp_path / "none.pm", options)
    assert message in str(caught.value)


def test_without_storm_the_hint_is_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prism, "find_spec", lambda name: None)
    with pytest.raises(BackendError, match=r"pip install 'bdist\[storm\]'$"):
        load(program(tmp_path, WALK), N2)


def test_labels_from_a_file_of_properties(tmp_path: Path) -> None:
    path, properties = program(tmp_path, WALK), tmp_path / "walk.props"
    properties.write_text(
        '// "old": P=? [ F x=7 ];\nlabel "odd" = false;\nlabel "start" = x=0 & !b;\n'
        '"late": P=? [ F x=N\n  & b ];\n"reach": P>=1 [ F "done" ];\n"nested": P=? [ F (P>0.5 [ G x=1 ]) ];\n'
        '"until": P=? [ F x=1 U x=2 ];\n"cost": R=? [ F x=1 ];\n',
        encoding="utf-8",
    )
    chain = load(path, replace(N2, properties=properties))
    labels = {name for label in chain.labels for name in propositions_of(label)}
    assert labels == {"done", "odd", "start", "late"}  # odd is the program's own
    assert "odd" in propositions_of(chain.label("b=true,x=1"))
    assert chain.label("b=true,x=2") == "done,late"
    notes: list[str] = []
    properties.write_text('P=? [ F "done" ]', encoding="utf-8")
    assert load(path, replace(N2, properties=properties, notes=notes.append)) == load(path, N2)
    assert "it defines no label" in notes[0]
    properties.write_text('label "more" = y>1;', encoding="utf-8")
    with pytest.raises(ParameterError, match="is not understood"):
        load(path, replace(N2, properties=properties))


def test_many_initial_states(tmp_path: Path) -> None:
    text = WALK.replace(" init 0", "").replace(" init false", "") + "init x<N & !b endinit\n"
    chain = load(program(tmp_path, text), ReadOptions(("init",), {"N": "2"}))
    assert {s for s in chain.states if chain.label(s) == "init"} == {"b=false,x=0", "b=false,x=1"}


def test_values_beside_a_file_are_names(tmp_path: Path) -> None:
    path = written(tmp_path, ".tra", TRA)
    beside = path.with_suffix(".sta")
    beside.write_text("(x,done)\n0:(3,false)\n1:(-1,true)\n", encoding="utf-8")
    assert load(path).states == ("x=3,done=false", "x=-1,done=true")
    for text, message in (
        ("", "expected the variables, as in (x,done); found ''"),
        ("(x)\n0:(1,2)\n", "expected state 0 and 1 values, as in 0:(3,true); found '0:(1,2)'"),
        ("(x)\n0:(1)\n1:(1)\n", "two states have the values x=1"),
        ("(x)\n0:(1)\n0:(2)\n", "expected state 1 and 1 values"),
        ("(x)\n0:(1)\n", "it has the values of 1 states, and there are 2"),
    ):
        beside.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError) as caught:
            load(path)
        assert str(caught.value).startswith(str(beside))
        assert message in str(caught.value)

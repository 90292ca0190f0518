"""One suite for every file format: what is written is read back, and what is wrong is refused in one line."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import FORMATS, ReadOptions, load, save
from bdist.chains.formats.propositions import label_of, propositions_of, spell, unspell
from bdist.errors import BdistError, FormatError, ModelError, ParameterError, UnsupportedError
from bdist.exact.rationals import LARGEST_EXPONENT
from tests.oracles.strategies import chains

WRITTEN = (".lmc", ".json", ".tra", ".drn")
ALSO_WRITTEN = (".umb",)  # by umbi, in tests of its own
WITH_NAMES = (".lmc", ".json")
READ = (*WRITTEN, ".tlmc", ".pm")

AWKWARD = (
    *("", " ", "a b", 'say "hi"', "<script>alert(1)</script>", "naïve \u2028 日本", "#", "# x", "\u00a0"),
    *("a,b", "b,a", "a,a", ",", "{}", '"{}"', '"a,b"', '"', "\\", '\\"', "init", "deadlock", "%69nit", "%"),
    *("%25", "%22", "100%", "[r]", "//x", "@model", "$p", "state 0", "0", "0: 1", "-", "'", "start"),
)
NAMES = st.sampled_from(AWKWARD) | st.text(
    st.characters(min_codepoint=32, exclude_categories=("Cs", "Cc")), max_size=6
)


@st.composite
def awkward_chains(draw: st.DrawFn) -> LabelledMarkovChain:
    chain = draw(chains(max_states=4, max_labels=3))
    states = draw(st.lists(NAMES, min_size=len(chain), max_size=len(chain), unique=True))
    labels = {label: draw(NAMES) for label in chain.states_by_label}
    return LabelledMarkovChain(
        tuple(states), tuple(labels[label] for label in chain.labels), chain.rows, draw(NAMES)
    )


def through(chain: LabelledMarkovChain, *suffixes: str) -> LabelledMarkovChain:
    """The chain after it was written and read in each of some formats."""
    for suffix in suffixes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"chain{suffix}"
            save(chain, path)
            chain = load(path)
    return chain


def test_the_registry_knows_every_format_once() -> None:
    suffixes = [suffix for known in FORMATS for suffix in known.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert {suffix for known in FORMATS if known.is_written for suffix in known.suffixes} == {
        *WRITTEN,
        *ALSO_WRITTEN,
    }
    assert set(READ) <= set(suffixes)


@pytest.mark.parametrize("suffix", WRITTEN)
@given(chain=awkward_chains())
@settings(max_examples=20, deadline=None)
def test_what_is_written_is_read_back(suffix: str, chain: LabelledMarkovChain) -> None:
    again = through(chain, suffix)
    assert again.labels == chain.labels
    assert again.rows == chain.rows
    if suffix in WITH_NAMES:
        assert again.states == chain.states
        assert again.name == chain.name
    else:
        assert again.states == tuple(f"s{i}" for i in range(len(chain)))
        assert again.name == ""


@given(chain=awkward_chains(), way=st.permutations(WRITTEN))
@settings(max_examples=20, deadline=None)
def test_labels_and_rows_survive_every_way_round(chain: LabelledMarkovChain, way: list[str]) -> None:
    again = through(chain, *way)
    assert (again.labels, again.rows) == (chain.labels, chain.rows)


@pytest.mark.parametrize("suffix", WRITTEN)
def test_big_rationals_survive(suffix: str) -> None:
    tiny = Fraction(1, 3**9000 + 2)
    chain = LabelledMarkovChain(
        ("s0", "s1"), ("a", "b"), (((0, tiny), (1, 1 - tiny)), ((1, Fraction(1)),)), name=""
    )
    assert through(chain, suffix) == chain


def test_the_losses_are_said(tmp_path: Path) -> None:
    chain = LabelledMarkovChain.from_rows({"a": ("x y", {"b": 1}), "b": ("z", {"b": 1})}, name="pair")
    names = "not kept: state names, which become s0, s1, ... in the same order, and the name of the chain"
    identifiers = "PRISM reads only labels that are identifiers, and 'x y' is none"
    assert save(chain, tmp_path / "a.lmc") == ()
    assert save(chain, tmp_path / "a.json") == ()
    assert save(chain, tmp_path / "a.drn") == (names,)
    assert save(chain, tmp_path / "a.tra") == (names, identifiers)
    assert save(load(tmp_path / "a.drn"), tmp_path / "b.drn") == ()


@pytest.mark.parametrize("suffix", [".tlmc", ".pm", ".prism", ".txt", ""])
def test_what_has_no_writer_is_refused(suffix: str, tmp_path: Path) -> None:
    chain = LabelledMarkovChain.from_rows({"a": ("x", {"a": 1})})
    with pytest.raises(
        UnsupportedError, match=r"no writer .* written are \.drn, \.json, \.lmc, \.tra, \.umb$"
    ):
        save(chain, tmp_path / f"a{suffix}")
    with pytest.raises(ParameterError, match="cannot write"):
        save(chain, tmp_path / "no" / "folder.tra")


# Sets of propositions and labels.

TEXTS = st.text('ab,"\\{}%', max_size=8) | NAMES


@given(TEXTS)
def test_every_label_is_that_of_one_set(text: str) -> None:
    assert label_of(propositions_of(text)) == text
    assert list(propositions_of(text)) == sorted(set(propositions_of(text)))


@given(st.sets(TEXTS, max_size=4))
def test_every_set_has_one_label(names: set[str]) -> None:
    assert set(propositions_of(label_of(names))) == names


@given(TEXTS)
def test_a_spelling_means_its_name_and_fits_into_the_files(text: str) -> None:
    spelled = spell(text)
    assert unspell(spelled) == text
    assert spelled
    assert '"' not in spelled
    assert spelled not in ("init", "deadlock")


def test_labels_that_need_no_care() -> None:
    assert label_of([]) == "{}"
    assert label_of(["heads"]) == "heads"
    assert label_of(["heads", "end"]) == "end,heads"
    assert label_of(["a,b"]) == '"a,b"'
    assert label_of(["b,a"]) == "b,a"
    assert label_of(["a,b", "c"]) == '"a,b",c'
    assert spell("heads") == "heads"


# What is refused. Every format with the same mistakes; the number is the line that is named, 0 for none.

LMC = "lmc\ns0 [a] -> 1/2 s0, 1/2 s1\ns1 [b] -> 1 s1\n"
TLMC = "tlmc\ns0 -> 1/2 [a] s0, 1/2 [a] s1\ns1 -> 1 [b] s1\n"
JSON = (
    '{"format": "bdist-chain", "version": 1, "states": [\n'
    '{"name": "s0", "label": "a", "to": {"s0": "1/2", "s1": "1/2"}},\n'
    '{"name": "s1", "label": "b", "to": {"s1": 1}}]}\n'
)
TRA = "2 3\n0 0 1/2\n0 1 1/2\n1 1 1\n"
LAB = '0="init" 1="deadlock" 2="a" 3="b"\n0: 0 2\n1: 3\n'
DRN = (
    "// Exported by storm\n@type: DTMC\n@parameters\n\n@reward_models\n\n"
    "@nr_states\n2\n@nr_choices\n2\n@model\n"
    "state 0 init a\n\taction 0\n\t\t0 : 1/2\n\t\t1 : 1/2\nstate 1 b\n\taction 0\n\t\t1 : 1\n"
)
GOOD: Mapping[str, str] = {".lmc": LMC, ".tlmc": TLMC, ".json": JSON, ".tra": TRA, ".drn": DRN}
SOUND = LabelledMarkovChain.from_rows({"s0": ("a", {"s0": "1/2", "s1": "1/2"}), "s1": ("b", {"s1": 1})})

FIRST_HALF: Mapping[str, tuple[str, str, int]] = {
    ".lmc": ("1/2 s0", "{} s0", 2),
    ".tlmc": ("1/2 [a] s0", "{} [a] s0", 2),
    ".json": ('"s0": "1/2"', '"s0": "{}"', 0),
    ".tra": ("0 0 1/2", "0 0 {}", 2),
    ".drn": ("0 : 1/2", "0 : {}", 14),
}
ROW_LINE = {".lmc": 2, ".tlmc": 2, ".json": 0, ".tra": 2, ".drn": 12}


def written(tmp_path: Path, suffix: str, text: str | bytes, labels: str = LAB) -> Path:
    path = tmp_path / f"model{suffix}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    if suffix == ".tra":
        path.with_suffix(".lab").write_text(labels, encoding="utf-8")
    return path


def refusal(path: Path, kind: type[BdistError], line: int = 0, options: ReadOptions | None = None) -> str:
    """The message of the refusal, after its place: one line that names the file, and the line where known."""
    with pytest.raises(kind) as caught:
        load(path, options)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 500
    place = f"{path}:{line}:" if line else f"{path}: "
    assert message.startswith(place), message
    return message.removeprefix(place)


@pytest.mark.parametrize("suffix", WRITTEN)
def test_the_sound_file_is_read(suffix: str, tmp_path: Path) -> None:
    assert load(written(tmp_path, suffix, GOOD[suffix])) == SOUND
    crlf = GOOD[suffix].replace("\n", "\r\n")
    labels = LAB.replace("\n", "\r\n")
    assert load(written(tmp_path, suffix, "\ufeff" + crlf, labels)) == SOUND


@pytest.mark.parametrize("suffix", GOOD)
@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("nan", "'nan' is not a number"),
        ("Infinity", "is not a number"),
        ("1/0", "denominator zero"),
        ("-1/2", "probability -1/2 is negative"),
        (f"1e{LARGEST_EXPONENT + 1}", f"exponent beyond {LARGEST_EXPONENT}"),
        ("one", "'one' is not a number"),
        ("0x1", "'0x1' is not a number"),
        ("1_0", "'1_0' is not a number"),
        ("١", "is not a number"),
    ],
)
def test_what_is_no_probability_is_refused(suffix: str, number: str, message: str, tmp_path: Path) -> None:
    old, new, line = FIRST_HALF[suffix]
    path = written(tmp_path, suffix, GOOD[suffix].replace(old, new.format(number)))
    assert message in refusal(path, FormatError, line)


@pytest.mark.parametrize("suffix", GOOD)
@pytest.mark.parametrize(
    ("number", "total"),
    [
        ("1/3", "sums to 5/6, not to 1"),
        ("0", "sums to 1/2, not to 1"),
        ("1e400", "sums to more than 1000000"),
    ],
)
def test_a_row_that_does_not_sum_to_one_is_refused(
    suffix: str, number: str, total: str, tmp_path: Path
) -> None:
    old, new, _ = FIRST_HALF[suffix]
    path = written(tmp_path, suffix, GOOD[suffix].replace(old, new.format(number)))
    message = refusal(path, ModelError, ROW_LINE[suffix])
    assert f"the row of state 's0' {total}" in message


@pytest.mark.parametrize("suffix", [".tra", ".drn"])
def test_rounded_decimals_come_with_a_hint(suffix: str, tmp_path: Path) -> None:
    old, new, _ = FIRST_HALF[suffix]
    path = written(tmp_path, suffix, GOOD[suffix].replace(old, new.format("0.499999")))
    message = refusal(path, ModelError, ROW_LINE[suffix])
    assert "sums to 999999/1000000, not to 1; decimals such as 0.333333 are rounded numbers" in message


@pytest.mark.parametrize("suffix", READ)
def test_files_that_are_no_text_or_empty(suffix: str, tmp_path: Path) -> None:
    assert "not text" in refusal(written(tmp_path, suffix, b"\x89PNG\x00\x1a"), FormatError)
    assert "not UTF-8" in refusal(written(tmp_path, suffix, b"\xfflmc"), FormatError, 1)
    empty = written(tmp_path, suffix, "")
    with pytest.raises(FormatError, match=f"^{empty}"):
        load(empty)
    assert refusal(written(tmp_path, suffix, "\x01\x02"), FormatError, 1).isprintable()
    empty.unlink()
    assert refusal(empty, FormatError).startswith("cannot be read")


@pytest.mark.parametrize("suffix", GOOD)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_a_truncated_or_garbled_file_is_refused_or_a_chain(suffix: str, data: st.DataObject) -> None:
    text = GOOD[suffix]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    text = text[:start] + data.draw(st.text(max_size=3)) + text[end:]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model{suffix}"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        path.with_suffix(".lab").write_text(LAB)
        outcome = outcome_of(path)
    if isinstance(outcome, BdistError):
        assert "\n" not in str(outcome)
        assert str(path.with_suffix("")) in str(outcome)
    else:
        assert all(sum(p for _, p in row) == 1 for row in outcome.rows)


def outcome_of(path: Path) -> LabelledMarkovChain | BdistError:
    try:
        return load(path)
    except BdistError as error:
        return error


@pytest.mark.parametrize(
    ("suffix", "old", "new", "line", "message"),
    [
        (".lmc", "s1 [b]", "s0 [b]", 3, "state 's0' is declared twice"),
        (".lmc", "1 s1\n", "1 s2\n", 3, "state 's1' goes to 's2', which is not declared"),
        (".tlmc", "s1 -> 1", "s0 -> 1", 3, "state 's0' is declared twice"),
        (".tlmc", "[b] s1", "[b] s2", 3, "state 's1' goes to 's2', which is not declared"),
        (".tlmc", "[a] s1", "[a] s0", 2, "target 's0' by label 'a' stands twice in one row"),
        (".tlmc", " [b]", "", 3, "expected '[' and the label; found 's1'"),
        (".tlmc", "tlmc", "lmc", 1, "expected the keyword 'tlmc' at the beginning of the file"),
        (".json", '"s1": 1}', '"s2": 1}', 0, "state 's1' goes to 's2': it is not a state"),
        (".json", '"s1": "1/2"', '"s0": "1/2"', 0, 'member "s0" stands twice in one object'),
        (".json", '"version": 1', '"version": 2', 0, 'expected "version": 1; found 2'),
        (".json", '"version": 1', '"version": "1"', 0, 'expected "version": 1; found "1"'),
        (".json", '"version": 1', '"version": true', 0, 'expected "version": 1; found true'),
        (".json", "bdist-chain", "other", 0, 'expected an object with "format": "bdist-chain"'),
        (".json", '"label": "a"', '"lable": "a"', 0, "state 's0' has a member \"lable\"; allowed are label,"),
        (".json", '"label": "a", ', "", 0, "state 's0' has no member \"label\""),
        (".json", '"label": "a"', '"label": 3', 0, "\"label\" of state 's0' is 3; it must be a string"),
        (".json", '"s1": 1}', '"s1": [1]}', 0, "probability an array must be a string or a number"),
        (".json", '"s1": 1}', '"s1": null}', 0, "probability null must be a string or a number"),
        (".json", '"s1": 1}', '"s1": NaN}', 0, "NaN is not a number that JSON knows"),
        (".json", '"s1": 1}', '"s1": -0.5}', 0, "probability -0.5 is negative"),
        (".json", '"s1": 1}', '"s1": 1', 3, "not JSON: Expecting ',' delimiter"),
        (".tra", "1 1 1\n", "0 1 1\n", 4, "the transition from 0 to 1 stands twice"),
        (".tra", "1 1 1\n", "1 2 1\n", 4, "there is no state 2; the header counts 2 states"),
        (".tra", "1 1 1\n", "1 999999999999999 1\n", 4, "there is no state 999999999999999; the header"),
        (".tra", "1 1 1\n", "1 -1 1\n", 4, "'-1' is not the number of a state"),
        (".tra", "1 1 1\n", "1 1\n", 4, "expected: source target probability; found '1 1'"),
        (".tra", "1 1 1\n", "1 0.5:1 0.5:0\n", 4, "this is PRISM's row form; export without -exportrows"),
        (".tra", "1 1 1\n", "1 1 [0.1,1]\n", 4, "this is an interval Markov chain"),
        (".tra", "1 1 1\n", "1 0 1 1\n", 4, "four numbers are a choice of an MDP"),
        (".tra", "2 3\n", "2 4\n", 0, "the header counts 4 transitions, and there are 3"),
        (".tra", "2 3\n", "999999999999 3\n", 0, "999999999999 states and 3 transitions: most states"),
        (".tra", "2 3\n", "0 0\n", 2, "there is no state 0; the header counts 0 states"),
        (".tra", "2 3\n", "1 3\n", 3, "there is no state 1; the header counts 1 states"),
        (".tra", "2 3\n", "2 2 3\n", 1, "this is an MDP, with 3 counts in its header, not a DTMC"),
        (".tra", "2 3\n", "mdp\n", 1, "this is a model of type MDP, not a DTMC"),
        (".tra", "2 3\n", "# Transitions (CTMC)\n2 3\n", 1, "this is a model of type CTMC, not a DTMC"),
        (".tra", "2 3\n", "STATES 2\nTRANSITIONS 3\n", 1, "this is MRMC's form, which counts from 1"),
        (".tra", "2 3\n", "", 1, "expected the numbers of states and transitions; found '0 0 1/2'"),
        (".tra", "2 3\n", "two 3\n", 1, "expected the numbers of states and transitions; found 'two 3'"),
        (".drn", "DTMC", "MDP", 2, "this is a Markov decision process, not a chain; ask: bdist modelcheck"),
        (".drn", "DTMC", "CTMC", 2, "this is a model with @type: CTMC; only dtmc is read"),
        (".drn", "@parameters\n", "@parameters\np q", 4, "this is a parametric model, in p q"),
        (".drn", "DTMC\n", "DTMC\n@value_type: double-interval\n", 3, "@value_type: double-interval; only"),
        (".drn", "@type: DTMC\n", "", 10, "section @type is missing"),
        (".drn", "@nr_states\n2\n", "", 9, "section @nr_states is missing"),
        (".drn", "@nr_states\n2\n", "@nr_states\n3\n", 11, "there are not as many choices as states"),
        (".drn", "@model", "@modle", 11, "expected a section such as @type: DTMC; found '@modle'"),
        (".drn", "@model", "@nr_states\n2\n@model", 11, "section @nr_states stands twice"),
        (".drn", "state 1 b", "state 0 b", 16, "expected state 1; found 'state 0 b'"),
        (".drn", "1 : 1\n", "2 : 1\n", 18, "there is no state 2; @nr_states says 2"),
        (".drn", "\t\t1 : 1/2", "\t\t0 : 1/2", 15, "the transition from 0 to 0 stands twice"),
        (".drn", "\t\t1 : 1/2", "\taction 1\n\t\t1 : 1/2", 15, "state 0 has a second action; this is an MDP"),
        (".drn", "\t\t1 : 1/2", "\t\t1 : $p", 15, "placeholder $p is not defined"),
        (".drn", "\t\t1 : 1/2", "\t\t1 - 1/2", 15, "expected a state, an action or a transition"),
        (".drn", "state 1 b", 'state 1 b"', 16, "expected labels; found 'b\"'"),
    ],
)
def test_what_a_format_does_not_allow_is_refused_with_the_line(
    suffix: str, old: str, new: str, line: int, message: str, tmp_path: Path
) -> None:
    assert old in GOOD[suffix]
    path = written(tmp_path, suffix, GOOD[suffix].replace(old, new, 1))
    assert message in refusal(path, FormatError, line)


@pytest.mark.parametrize("suffix", [".json", ".drn"])
def test_what_is_missing_at_the_end(suffix: str, tmp_path: Path) -> None:
    lines = GOOD[suffix].splitlines(keepends=True)
    path = written(tmp_path, suffix, "".join(lines[:-1] if suffix == ".json" else lines[:-3]))
    message = refusal(path, FormatError, 3 if suffix == ".json" else 0)
    assert ("not JSON" if suffix == ".json" else "@nr_states says 2, and there are 1 states") in message


@pytest.mark.parametrize(
    ("suffix", "old", "new", "line"), [(".drn", "\t\t1 : 1\n", "", 16), (".tra", "2 3\n0", "3 3\n0", 0)]
)
def test_deadlocks_stay_with_a_note_unless_they_are_refused(
    suffix: str, old: str, new: str, line: int, tmp_path: Path
) -> None:
    path = written(tmp_path, suffix, GOOD[suffix].replace(old, new))
    end = "s1" if suffix == ".drn" else "s2"
    message = f"state '{end}' has no transition (a deadlock); deadlocks='loop' lets it stay"
    assert message in refusal(path, ModelError, line, ReadOptions(deadlocks="refuse"))
    notes: list[str] = []
    chain = load(path, ReadOptions(notes=notes.append))
    assert chain.row(end) == {end: 1}
    [note] = notes
    assert f"1 state stays for ever, as PRISM and Storm have it for deadlocks ({end})" in note
    assert load(path, ReadOptions(labels=("deadlock",))).states_by_label["deadlock"] == (chain.index(end),)


def test_a_state_twice_in_json_is_refused(tmp_path: Path) -> None:
    path = written(
        tmp_path, ".json", JSON.replace('"name": "s1"', '"name": "s0"').replace('"s1": ', '"s0": ')
    )
    assert "twice" in refusal(path, FormatError)
    path = written(
        tmp_path, ".json", JSON.replace('"name": "s0"', '"name": "s1"').replace('"s0": "1/2", ', "")
    )
    assert refusal(path, ModelError) == "state 's1' is declared twice"


def test_json_is_strict_about_depth_and_long_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, ".json", "[" * 100_000)
    assert refusal(path, FormatError) == "nested too deeply for a chain"
    zeros = "0" * LARGEST_EXPONENT
    path = written(tmp_path, ".json", JSON.replace('"s1": 1}', f'"s1": 1{zeros}.0e-{len(zeros)}}}'))
    assert load(path) == SOUND


@pytest.mark.parametrize("suffix", GOOD)
def test_a_hostile_number_does_not_reach_the_terminal(suffix: str, tmp_path: Path) -> None:
    old, new, line = FIRST_HALF[suffix]
    path = written(tmp_path, suffix, GOOD[suffix].replace(old, new.format("1\u202e\u2028")))
    message = refusal(path, FormatError, line)
    assert message.isprintable()
    assert "\\u202e" in message

"""``bdist show`` as a user types it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import bdist
from bdist.chains.chain import fingerprint
from tests.cli.runner import ROOT, refusal_of, run_bdist
from tests.tools import program

TWO = "instances/dining-cryptographers/two.lmc"
FIGURE = "instances/figure-one/chain.lmc"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_bdist("show", *arguments)


@pytest.fixture
def large(tmp_path: Path) -> str:
    """A ring of 100 states, no two of them bisimilar, with a tail that leads into it."""
    path = tmp_path / "large.lmc"
    ring = [f"s{i} [{'mark' if i == 0 else 'ring'}] -> 1 s{(i + 1) % 100}" for i in range(100)]
    path.write_text("\n".join(["lmc ring", *ring, "tail [ring] -> 1/3 tail, 2/3 s0", ""]))
    return str(path)


def test_numbers_and_a_list() -> None:
    done = run(FIGURE)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "figure-one: 4 states, 6 transitions, 3 labels",
        "  labels        start 2, left 1, right 1",
        "  components    4, each of one state",
        "  bottom        2 components that no run leaves: s2, s3",
        "  cycles        none but absorbing states",
        "  bisimilar     no two states",
        "  denominators  largest 5 (s0 -> s2)",
        f"  fingerprint   {fingerprint(bdist.load(ROOT / FIGURE))}",
        "",
        "layer  state  label    goes to",
        "0      s0     [start]  2/5      s2",
        "                       3/5      s3",
        "       s1     [start]  3/5      s2",
        "                       2/5      s3",
        "1      s2     [left]   1        s2 (itself)",
        "       s3     [right]  1        s3 (itself)",
    ]


def test_a_large_chain_is_counted_and_not_listed(large: str) -> None:
    lines = run(large).stdout.splitlines()
    assert lines[0] == "ring: 101 states, 102 transitions, 2 labels"
    assert lines[2] == "  components    2; those of more than one state have 100 states"
    assert lines[3] == (
        "  bottom        1 component that no run leaves: {s0, s1, s2, s3, s4, s5, s6, s7, 92 more}"
    )
    assert lines[4] == "  cycles        there are some, so runs can go round"
    assert lines[6] == "  denominators  largest 3 (tail -> s0)"
    assert lines[-1] == (
        "not listed: the chain has 101 states and 102 transitions, and 101 and 102 after merging those that "
        "are bisimilar; at most 80 and 160 are drawn; --from STATE lists what a state can reach"
    )


def test_one_class_is_one(tmp_path: Path) -> None:
    path = tmp_path / "alike.lmc"
    path.write_text("lmc\ns [a] -> 1 t\nt [a] -> 1 s\n")
    assert "  bisimilar     1 class: 2 states merge into 1" in run(str(path)).stdout.splitlines()


def test_json_has_the_same_numbers(tmp_path: Path) -> None:
    out = tmp_path / "two.svg"
    document = json.loads(run(TWO, "--json", "--draw", str(out)).stdout)
    assert document["states"] == 19
    assert document["transitions"] == 25
    assert document["labels"] == {"differ": 8, "agree": 8, "start": 2, "end": 1}
    assert document["components"] == {"number": 19, "sizes": [1] * 19, "bottom": [["end"]]}
    assert document["acyclic"] is True
    assert document["bisimulation"]["classes"] == 7
    assert [len(members) for members in document["bisimulation"]["merged"]] == [4, 4, 4, 4]
    assert document["denominators"][0] == {"denominator": "10000", "transition": ["s0", "p0.HH.0.differ"]}
    assert document["fingerprint"] == fingerprint(bdist.load(ROOT / TWO))
    assert document["drawing"] == str(out)
    assert document["drawn"] == "all 19 states"
    assert out.read_text(encoding="utf-8").count('class="box"') == 19


def test_only_what_a_state_can_reach(tmp_path: Path) -> None:
    out = tmp_path / "part.svg"
    done = run(TWO, "--from", "p0.HH.0.differ", "--from", "p0.HT.0.agree", "--draw", str(out))
    lines = done.stdout.splitlines()
    caption = "what p0.HH.0.differ and p0.HT.0.agree can reach: 5 states of 19"
    assert lines[9] == caption
    assert lines[11].split() == ["0", "p0.HH.0.differ", "[differ]", "1", "p0.HH.1.agree"]
    assert lines[-1] == f"{out}: {caption}"
    assert "2-diners-merged" in out.read_text(encoding="utf-8")


def test_a_png_through_graphviz(tmp_path: Path) -> None:
    program("dot")
    out = tmp_path / "two.png"
    assert run(TWO, "--draw", str(out)).returncode == 0
    assert out.read_bytes()[:4] == b"\x89PNG"


def test_names_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "names.lmc"
    path.write_text('lmc "a\u202eb"\n"x\u009b31m" ["\u202e"] -> 1 "x\u009b31m"\n', encoding="utf-8")
    done = run(str(path))
    assert done.returncode == 0
    assert done.stdout.replace("\n", "").isprintable()
    assert '"x\\u009b31m"' in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            [TWO, "--draw", "two.gif"],
            2,
            "cannot draw to 'two.gif'; the name must end in .svg or .png or .dot",
        ),
        ([TWO, "--draw", "no/such/folder/two.svg"], 2, "cannot write no/such/folder/two.svg"),
        ([TWO, "--from", "s9"], 2, "there is no state 's9'"),
    ],
)
def test_wrong_input_is_one_line_and_a_code(arguments: list[str], code: int, message: str) -> None:
    assert message in refusal_of("show", *arguments, code=code)


def test_what_is_too_large_to_draw_is_refused(large: str, tmp_path: Path) -> None:
    done = run(large, "--draw", str(tmp_path / "large.svg"))
    assert done.returncode == 2
    assert done.stderr.startswith("bdist: not drawn: the chain has 101 states")
    assert done.stderr.endswith("; --from STATE draws what a state can reach\n")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "large.svg").exists()

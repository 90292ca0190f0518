"""Habits of the command line: ``-`` for standard input and output, colours, short options, completion."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from bdist.chains.chain import fingerprint
from bdist.chains.formats import load
from bdist.cli.colour import is_coloured
from bdist.cli.completion import SCRIPTS, candidates
from bdist.cli.standard_input import suffix_of
from bdist.errors import FormatError
from tests.cli.runner import ROOT, answer_of, document_of, refusal_of, run_bdist

FIGURE = "instances/figure-one/chain.lmc"


class _Piped:
    """Standard input with these bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = self
        self.data = data

    def read(self, size: int) -> bytes:
        return self.data[:size]

    def isatty(self) -> bool:
        return not self.data


def piped(path: str | Path) -> mock._patch[_Piped]:
    data = path.read_bytes() if isinstance(path, Path) else path.encode()
    return mock.patch.object(sys, "stdin", _Piped(data))


@pytest.mark.parametrize(
    ("path", "arguments", "said"),
    [
        (FIGURE, ("delta", "-", "s0", "s1", "--alpha", "1"), "true delta(s0, s1) at alpha 1 = 1/5"),
        ("instances/dpctl/above-threshold-two.mdp", ("validate", "-"), "ok: standard input: 41 states"),
        ("instances/dipa/sparse-vector.dipa", ("automaton", "-"), "sparse-vector is private"),
        (
            "instances/dipc/discrete-count.dip",
            ("program", "-"),
            "discrete_count is eps-differentially private",
        ),
        ("instances/pufferfish/above-threshold.hmm", ("hmm", "-", "--length", "1"), "above-threshold, "),
    ],
)
def test_every_theory_reads_standard_input(path: str, arguments: tuple[str, ...], said: str) -> None:
    with piped(ROOT / path):
        done = run_bdist(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(said)


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("# a comment\n\nlmc x\n", ".lmc"),
        ("mdp\nactions a\n", ".mdp"),
        ("mdp\nmodule m\nendmodule\n", ".pm"),
        ("// by storm\n@type: DTMC\n", ".drn"),
        ('{"jani-version": 1}', ".jani"),
        ('\ufeff {"format": "bdist-chain"}', ".json"),
        ("domain {0, 1};", ".dip"),
    ],
)
def test_a_model_is_known_by_how_it_begins(text: str, suffix: str) -> None:
    assert suffix_of(text.encode()) == suffix


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(FormatError, match="does not begin like a model"):
        suffix_of(b"STATES 3")
    with piped("lmc x y"):
        assert refusal_of("show", "-", code=4).startswith("bdist: standard input:1:7: expected")
    with piped(""):
        assert "that is the terminal; pipe it in" in refusal_of("show", "-", code=2)
    with piped("lmc x"):
        assert "read once only" in refusal_of("check", "-", "-", code=2)
    assert "--draw -: the answer is on standard output" in refusal_of("show", FIGURE, "--draw", "-", code=2)
    assert "both print on standard output" in refusal_of(
        "quotient", FIGURE, "-o", "-", "--apart", "s:t", code=2
    )


def test_a_certificate_comes_from_standard_input_too(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    answer_of("delta", FIGURE, "s0", "s1", "--alpha", "1", "--no-true-delta", "--certificate", str(proof))
    with piped(proof):
        assert answer_of("check", FIGURE, "-").startswith("accepted")
    with piped(ROOT / FIGURE):
        done = run_bdist("check", "-", str(proof), "--json")
    assert document_of(done)["accepted"] is True


def test_models_go_through_a_pipe_as_they_are(tmp_path: Path) -> None:
    written = tmp_path / "written.lmc"
    written.write_text(answer_of("convert", FIGURE, "-"))
    assert fingerprint(load(written)) == fingerprint(load(ROOT / FIGURE))
    assert answer_of("make", "geometric", "-o", "-") == answer_of("make", "geometric")
    assert answer_of("quotient", FIGURE, "-o", "-") == answer_of("convert", FIGURE, "-")


@pytest.mark.parametrize("arguments", [("make",), ("delta", "--help"), ("completion", "zsh")])
def test_a_reader_that_has_gone_is_no_mistake(arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "bdist", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("de", ["delta"]),
        ("hm", ["hmm"]),
        ("delta --met", ["--method"]),
        ("delta x s t --method=st", ["--method=strategy"]),
        ("delta x s t --method = st", ["strategy"]),
        ("hmm x --words ", ["all", "common"]),
        (f"delta {FIGURE} --alpha 2 s0 s", ["s0", "s1", "s2", "s3"]),
        ("make geometric-", ["geometric-count"]),
        ("make random --param st", ["states="]),
        ("delta ins", []),
        ("nothing x", []),
    ],
)
def test_words_are_completed(words: str, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert candidates(words.split(" ")) == found


@pytest.mark.parametrize("shell", SCRIPTS)
def test_scripts_are_what_their_shells_read(shell: str) -> None:
    assert answer_of("completion", shell) == SCRIPTS[shell]
    if shutil.which(shell):
        done = subprocess.run([shell, "-n", "/dev/stdin"], input=SCRIPTS[shell], text=True, check=False)
        assert done.returncode == 0


def test_bash_completes_with_the_script() -> None:
    asked = 'COMP_WORDS=(bdist audit x --col); COMP_CWORD=3; _bdist; echo "${COMPREPLY[@]}"'
    function = f'bdist() {{ "{sys.executable}" -m bdist "$@"; }}'
    done = subprocess.run(
        [shutil.which("bash") or "bash", "-c", f"{function}\n{SCRIPTS['bash']}\n{asked}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("--color\n", "")


def test_versions_and_help_are_short_too() -> None:
    assert answer_of("-V") == answer_of("--version")
    assert run_bdist("-h").stdout == run_bdist("--help").stdout
    assert run_bdist("delta", "-h").stdout == run_bdist("delta", "--help").stdout
    assert "Usage: bdist hmm" in answer_of("hmm", "-h")


def test_colours_are_on_a_terminal_or_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    question = ("threshold", FIGURE, "s0", "s1", "--alpha", "1", "--theta", "1/5")
    plain = run_bdist(*question).stdout
    painted = run_bdist(*question, "--color", "always").stdout
    assert "\x1b[32mholds\x1b[0m        \x1b[32mcertified\x1b[0m" in painted
    assert "\x1b" not in plain
    assert "\x1b" not in run_bdist(*question, "--color", "always", "--json").stdout
    assert run_bdist("make", "geometric", "--color", "always").stdout == run_bdist("make", "geometric").stdout
    assert "\x1b[1;31mbdist:\x1b[0m" in run_bdist("show", "none.lmc", "--color", "always").stderr
    assert "write auto, always or never" in refusal_of("show", FIGURE, "--color", "red", code=2)
    terminal = mock.Mock(**{"isatty.return_value": True})
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert is_coloured(terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not is_coloured(terminal)

"""``bdist convert``, ``bdist validate`` and the options of reading, as a user types them."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from bdist import load
from bdist.chains.chain import fingerprint
from bdist.cli import SUBCOMMANDS, new_app
from bdist.cli.models import read_options
from bdist.errors import ParameterError
from tests.cli.runner import CHECKER, ROOT, document_of, refusal_of, run_bdist, run_checker

TWO = "instances/dining-cryptographers/two.lmc"
FIGURE = "instances/figure-one/chain.lmc"

COINS = """\
dtmc
const double p;
module coins
  c : [0..3];
  [] c=0 -> p : (c'=2) + 1-p : (c'=3);
  [] c=1 -> 1/2 : (c'=2) + 1/2 : (c'=3);
  [] c>1 -> true;
endmodule
init c<2 endinit
label "heads" = c=2;
"""


@pytest.fixture
def coins(tmp_path: Path) -> str:
    path = tmp_path / "coins.pm"
    path.write_text(COINS)
    return str(path)


def test_there_and_back_again(tmp_path: Path) -> None:
    json_file, drn, tra, lmc = (
        str(tmp_path / f"two{suffix}") for suffix in (".json", ".drn", ".tra", ".lmc")
    )
    done = run_bdist("convert", TWO, json_file)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{json_file}: 19 states, 25 transitions, 4 labels\n"
    done = run_bdist("convert", json_file, drn)
    lost = "not kept: state names, which become s0, s1, ... in the same order, and the name of the chain"
    assert (done.returncode, done.stderr) == (0, f"bdist: {drn}: {lost}\n")
    done = run_bdist("convert", drn, tra)
    assert (done.returncode, done.stderr) == (0, "")
    assert Path(tra).with_suffix(".lab").is_file()
    done = run_bdist("convert", tra, lmc, "--json")
    original = load(ROOT / TWO)
    again = load(lmc)
    assert (again.labels, again.rows) == (original.labels, original.rows)
    assert document_of(done) == {
        "output": lmc,
        "states": 19,
        "transitions": 25,
        "labels": 4,
        "fingerprint": fingerprint(again),
        "losses": [],
    }


def test_a_suffix_that_is_not_written_is_refused_before_anything_is_read() -> None:
    done = run_bdist("convert", "none.lmc", "out.pm")
    assert (done.returncode, done.stdout) == (2, "")
    written = ".drn, .json, .lmc, .mdp, .tra, .umb"
    assert done.stderr == f"bdist: out.pm: no writer for the suffix '.pm'; written are {written}\n"
    done = run_bdist("convert", TWO, "no/such/folder/x.drn")
    assert done.returncode == 2
    assert done.stderr.startswith("bdist: cannot write no/such/folder/x.drn: ")


def test_validate_says_ok_or_why_not(tmp_path: Path) -> None:
    done = run_bdist("validate", TWO)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"ok: {TWO}: 19 states, 25 transitions, 4 labels\n"
    document = document_of(run_bdist("validate", TWO, "--json"))
    assert document.pop("fingerprint") == fingerprint(load(ROOT / TWO))
    assert document == {"ok": True, "file": TWO, "states": 19, "transitions": 25, "labels": 4}
    wrong = tmp_path / "wrong.lmc"
    wrong.write_text("lmc\ns [a] -> 99/100 s\n")
    message = f"{wrong}:2: the row of state 's' sums to 99/100, not to 1"
    done = run_bdist("validate", str(wrong))
    assert (done.returncode, done.stdout, done.stderr) == (4, "", f"bdist: {message}\n")
    done = run_bdist("validate", str(wrong), "--json")
    assert (done.returncode, done.stderr) == (4, "")
    error = {"kind": "ModelError", "message": message, "exit_code": 4}
    assert document_of(done) == {"ok": False, "file": str(wrong), "error": error}


def test_a_program_with_its_options_from_file_to_proof(coins: str, tmp_path: Path) -> None:
    options = ["--const", "p=0.6", "--label", "tails=c=3"]
    out = str(tmp_path / "out.json")
    done = run_bdist(
        "delta", coins, "c=0", "c=1", "--alpha", "1", "--no-true-delta", *options, "--certificate", out
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("bd(c=0, c=1) at alpha 1 = 1/10 = 0.1        exact, certified\n")
    done = run_bdist("check", coins, out, *options)
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        0,
        "accepted  bd(c=0, c=1) of the quotient at alpha 1 = 1/10 = 0.1",
    )
    done = run_bdist("check", coins, out, "--const", "p=0.6")
    assert done.returncode == 1
    assert done.stdout.startswith("rejected at model")
    # The way without trust in bdist's readers: convert, look at the file, run the checker alone.
    lmc = str(tmp_path / "coins.lmc")
    assert run_bdist("convert", coins, lmc, *options).returncode == 0
    alone = run_checker(CHECKER, lmc, out)
    assert alone.returncode == 0, alone.stderr


def test_the_labels_that_count_decide(tmp_path: Path) -> None:
    path = tmp_path / "coins.drn"
    text = "@type: DTMC\n@nr_states\n2\n@model\nstate 0 init heads\n0 : 1\nstate 1 tails\n1 : 1\n"
    path.write_text(text)
    done = run_bdist("table", str(path), "--alpha", "1", "--labels", "init,heads,tails")
    assert done.stdout == "no two states have the same label; the distance of any two is 1\n"
    done = run_bdist("validate", str(path), "--labels", "deadlock")
    assert done.returncode == 2
    assert done.stderr == f"bdist: {path}: there is no label 'deadlock'; it has heads, init, tails\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["delta", TWO, "s0", "s1", "--alpha", "1", "--labels", "a"],
            2,
            "labels is not an option of .lmc files",
        ),
        (["check", TWO, "c.json", "--const", "N=1"], 4, "c.json: cannot be read"),
        (["delta", "none.lmc", "s0", "s1", "--alpha", "1/2"], 2, "alpha"),
        (["delta", "none.lmc", "s0", "s1", "--alpha", "1", "--const", "N"], 2, "--const 'N' must be a name,"),
    ],
)
def test_wrong_input_is_one_line_and_a_code(arguments: list[str], code: int, message: str) -> None:
    assert message in refusal_of(*arguments, code=code)


@pytest.mark.parametrize(
    ("labels", "constants", "formulas", "message"),
    [
        ("a,,b", [], [], "--labels 'a,,b' has an empty name"),
        (None, ["N=1,N=2"], [], "--const gives N twice"),
        (None, ["=1"], [], "--const '=1' must be a name"),
        (None, ["N="], [], "--const 'N=' must be a name"),
        (None, [], ["win"], "--label 'win' must be a name"),
        (None, [], ["win=x=1", "win=x=2"], "--label gives win twice"),
    ],
)
def test_options_that_cannot_be_read(
    labels: str | None, constants: list[str], formulas: list[str], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        read_options(labels, constants, formulas)


def test_options_as_they_are_typed() -> None:
    options = read_options("a, b", ["N=5,K=1", "p=1/2"], ["win=x=1 & y>=2"])
    assert options.labels == ("a", "b")
    assert options.constants == {"N": "5", "K": "1", "p": "1/2"}
    assert options.formulas == {"win": "x=1 & y>=2"}
    assert read_options(None, [], []).given() == ()


def test_help_has_an_example_and_the_options() -> None:
    assert {"convert", "validate"} <= set(SUBCOMMANDS)
    text = " ".join(run_bdist("convert", "--help").stdout.split())
    for part in ("Example: bdist convert", "--labels A,B", "--const", "--label NAME=EXPR", "--json"):
        assert part in text


def test_every_subcommand_that_takes_a_file_takes_the_options() -> None:
    app = new_app([])
    taking = {}
    for info in app.registered_commands:
        assert info.callback is not None
        parameters = inspect.signature(info.callback).parameters
        if "file" in parameters and info.name not in (
            "dipa",
            "dipc",
            "pufferfish",
            "bench",
        ):  # which read no chains, or as they are
            taking[info.name] = {"labels", "const", "label"} <= parameters.keys()
    assert {"delta", "check", "convert", "validate", "table"} <= taking.keys()
    assert [name for name, has_options in taking.items() if not has_options] == []

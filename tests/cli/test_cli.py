"""The command line as a user types it: real processes, their output and their exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from unittest import mock

import pytest

from bdist.budget import Budget
from bdist.chains.families import make_family
from bdist.chains.formats import lmc
from bdist.distances.compute import Settings, Skew, compute_distance
from tests.cli.runner import CHECKER, ROOT, document_of, refusal_of, run_checker, run_signalled
from tests.cli.runner import run_bdist as bdist

TWO = "instances/dining-cryptographers/two.lmc"
EIGHT = "instances/random/eight-states.lmc"
SUBCOMMANDS = ["delta", "attack", "threshold", "check", "table", "kantorovich", "make"]


def test_the_main_job() -> None:
    done = bdist("delta", TWO, "s0", "s1", "--alpha", "1.0002")
    assert done.returncode == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    where = "(s0, s1) at alpha 5001/5000"
    assert lines[0] == f"true delta{where} = 7501/25000000 = 0.00030004        exact, certified"
    assert f"bd{where} = 1/2500 = 0.0004        exact, certified" in lines
    assert "  why       bd is above the true delta" in done.stdout
    single = bdist("delta", TWO, "s0", "s1", "--alpha", "1.0002", "--no-bd")
    assert single.stdout.startswith(lines[0])
    assert "bd(" not in single.stdout
    assert "(ln(5001/5000), 7501/25000000)-differential privacy" in done.stdout
    alone = bdist("delta", TWO, "s0", "s1", "--alpha", "1.0002", "--no-true-delta")
    assert "(ln(5001/5000), 1/2500)-differential privacy" in alone.stdout


def test_json_of_the_main_job() -> None:
    document = document_of(bdist("delta", TWO, "s0", "s1", "--alpha", "1.0002", "--json"))
    stats = document.pop("stats")
    assert document.pop("true_delta") == {
        "lower": "7501/25000000",
        "upper": "7501/25000000",
        "exact": True,
        "evidence": {"lower": "certified", "upper": "certified"},
        "limit": None,
        "attack": {
            "pair": ["s0", "s1"],
            "prefixes": [["start", "differ"]],
            "probabilities": ["2501/5000", "2499/5000"],
            "test": {"kind": "automaton", "states": [{"start": 1}, {"differ": "accept"}]},
        },
    }
    assert document == {
        "quantity": "bd",
        "pair": ["s0", "s1"],
        "alpha": "5001/5000",
        "epsilon": None,
        "alpha_is_exact": True,
        "lower": "1/2500",
        "upper": "1/2500",
        "exact": True,
        "evidence": {"lower": "certified", "upper": "certified"},
        "limit": None,
    }
    assert stats["pairs"] == 25


def test_certificates_are_written_checked_and_checked_without_us(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert bdist("delta", TWO, "s0", "s1", "--alpha", "1.0002", "--certificate", str(out)).returncode == 0
    accepted = bdist("check", TWO, str(out))
    assert accepted.returncode == 0
    assert "accepted  bd(s0, s1) at alpha 5001/5000 = 1/2500" in accepted.stdout
    alone = run_checker(CHECKER, ROOT / TWO, out)
    assert alone.returncode == 0, alone.stderr
    forged = out.read_text().replace('"upper": "1/2500"', '"upper": "1/2501"')
    out.write_text(forged)
    rejected = bdist("check", TWO, str(out))
    assert rejected.returncode == 1
    assert rejected.stdout.startswith("rejected at claim-upper: ")
    as_json = bdist("check", TWO, str(out), "--json")
    assert as_json.returncode == 1
    assert json.loads(as_json.stdout)["step"] == "claim-upper"
    other_model = bdist("check", EIGHT, str(out))
    assert other_model.returncode == 1
    assert "rejected at model" in other_model.stdout
    out.write_text("{")
    malformed = bdist("check", TWO, str(out))
    assert malformed.returncode == 4
    assert malformed.stderr.startswith(f"bdist: {out}: ")


@pytest.mark.parametrize("quantity", ["bd", "ld", "lv", "tv"])
@pytest.mark.parametrize("extra", [[], ["--quotient"]])
def test_every_quantity_has_a_certificate(tmp_path: Path, quantity: str, extra: list[str]) -> None:
    out = tmp_path / "out.json"
    options = ["--quantity", quantity, "--certificate", str(out), "--json", *extra]
    done = bdist("delta", TWO, "s0", "s1", "--alpha", "1.0002", *options)
    document = json.loads(done.stdout)
    as_drawn = quantity in ("bd", "ld") and not extra
    assert document["upper"] == ("1/2500" if as_drawn else "7501/25000000")
    assert document["quantity"] == quantity
    alone = run_checker(CHECKER, ROOT / TWO, out)
    assert alone.returncode == 0, alone.stderr
    assert bdist("check", TWO, str(out)).returncode == 0


def test_an_attack_is_found_replayed_and_read_back(tmp_path: Path) -> None:
    found = bdist("attack", TWO, "s0", "s1", "--alpha", "1.0002", "--runs", "2000")
    assert found.returncode == 0
    assert found.stdout.splitlines()[0] == "say 's0' when the labels begin with: start differ"
    assert "probability from s0: 2501/5000 = 0.5002" in found.stdout
    assert "replayed 2000 times from s1" in found.stdout
    saved = tmp_path / "attack.json"
    saved.write_text(bdist("attack", TWO, "s0", "s1", "--alpha", "1.0002", "--json").stdout)
    again = bdist("attack", TWO, "s1", "s0", "--alpha", "1", "--replay", str(saved), "--runs", "0", "--json")
    assert json.loads(again.stdout)["attack"]["advantage"] == "-1/2500"
    saved.write_text('{"prefixes": [["start"], ["start", "differ"]]}')
    overlapping = bdist("attack", TWO, "s0", "s1", "--alpha", "1", "--replay", str(saved))
    assert overlapping.returncode == 2
    saved.write_text('{"prefixes": 3}')
    assert bdist("attack", TWO, "s0", "s1", "--alpha", "1", "--replay", str(saved)).returncode == 4
    none = bdist("attack", "instances/randomised-response/one-question.lmc", "yes", "no", "--alpha", "3")
    assert none.stdout == "no event tells yes and no apart at alpha 3: the true delta is 0, certified\n"


@pytest.mark.parametrize(("theta", "answer", "code"), [("1/5", "holds", 0), ("1/6", "violated", 1)])
@pytest.mark.parametrize("backend", ["strategy", "sat-lp", "milp", "smt", "sat-bits"])
def test_threshold(tmp_path: Path, theta: str, answer: str, code: int, backend: str) -> None:
    chain = "instances/figure-one/chain.lmc"
    out = tmp_path / "out.json"
    options = ["--alpha", "1", "--theta", theta, "--backend", backend, "--certificate", str(out)]
    done = bdist("threshold", chain, "s0", "s1", *options, "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["answer"]) == (code, answer)
    assert document["evidence"] == "certified"
    assert bdist("check", chain, str(out)).returncode == 0
    text = bdist("threshold", chain, "s0", "s1", *options)
    assert f"bd(s0, s1) <= {theta} at alpha 1: {answer}        certified" in text.stdout


def test_the_formulas_can_be_written_out(tmp_path: Path) -> None:
    chain = "instances/lemma-three-erratum/chain.lmc"
    smt2, dimacs = tmp_path / "out.smt2", tmp_path / "out.cnf"
    question = ["threshold", chain, "q0", "q1", "--alpha", "2", "--theta", "0.3"]
    assert bdist(*question, "--backend", "smt", "--smt2", str(smt2)).returncode == 0
    assert smt2.read_text().count("(assert") > 20
    bdist(*question, "--backend", "sat-bits", "--dimacs", str(dimacs))
    assert any(line.startswith("p cnf ") for line in dimacs.read_text().splitlines())


def test_search_shows_its_steps() -> None:
    chain = "instances/lemma-three-erratum/chain.lmc"
    done = bdist(
        "delta", chain, "q0", "q1", "--alpha", "2", "--method", "search", "--backend", "sat-lp", "--verbose"
    )
    assert done.returncode == 0
    assert "\nbd(q0, q1) at alpha 2 = 13/50 = 0.26        exact, certified\n" in done.stdout
    assert "search with sat-lp" in done.stdout
    assert "bd <= 1/2? holds" in done.stderr
    assert "by the linear system" in done.stderr


def test_a_table_with_one_certificate_for_all(tmp_path: Path) -> None:
    out = tmp_path / "table.json"
    done = bdist("table", EIGHT, "--alpha", "11/10", "--certificate", str(out))
    assert done.returncode == 0
    assert "12 pairs at alpha 11/10, certified" in done.stdout
    document = json.loads(bdist("table", EIGHT, "--alpha", "11/10", "--json").stdout)
    assert len(document["distances"]) == 12
    checked = json.loads(bdist("check", EIGHT, str(out), "--json").stdout)
    assert len(checked["claims"]) == 12


def test_epsilon_says_which_alpha_was_used() -> None:
    exact = bdist("delta", "instances/randomised-response/one-question.lmc", "yes", "no", "--epsilon", "ln 3")
    assert "\nbd(yes, no) at epsilon ln 3 (alpha 3) = 0 " in exact.stdout
    document = json.loads(bdist("delta", TWO, "s0", "s1", "--epsilon", "0.0002", "--json").stdout)
    assert document["alpha_is_exact"] is False
    assert 1 < Fraction(document["alpha"]) < Fraction(10003, 10000)


def test_kantorovich_shows_the_erratum() -> None:
    arguments = (
        "kantorovich",
        "instances/lemma-three-erratum/chain.lmc",
        "q0",
        "q1",
        "--alpha",
        "2",
        "--json",
    )
    assert json.loads(bdist(*arguments).stdout)["value"] == "13/50"
    assert json.loads(bdist(*arguments, "--form", "dual", "--backend", "exact").stdout)["value"] == "13/50"
    assert json.loads(bdist(*arguments, "--form", "printed").stdout)["value"] == "27/100"
    assert "omega" in bdist(*arguments[:-1]).stdout


def test_make_writes_what_delta_reads(tmp_path: Path) -> None:
    out = tmp_path / "three.lmc"
    made = bdist(
        "make", "dining-cryptographers", "--param", "diners=3", "--param", "bias=0.49", "-o", str(out)
    )
    assert made.returncode == 0
    assert "52 states" in made.stdout
    assert bdist("make", "figure-one").stdout.startswith("lmc")
    assert "dining-cryptographers" in bdist("make").stdout
    assert "dining-cryptographers" in json.loads(bdist("make", "--json").stdout)
    done = bdist("delta", str(out), "s0", "s1", "--alpha", "1.0002", "--json")
    assert json.loads(done.stdout)["upper"] == "99/125000"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["delta", TWO, "s0", "s1", "--alpha", "0.5"], 2, "alpha = 1/2 is below 1"),
        (["delta", TWO, "s0", "s1", "--epsilon", "-1"], 2, "epsilon = -1 is negative"),
        (["delta", TWO, "s0", "s1", "--alpha", "x"], 2, "'x' is not a number"),
        (["delta", TWO, "s0", "s1"], 2, "exactly one of --alpha and --epsilon"),
        (
            ["delta", TWO, "s0", "s1", "--alpha", "1", "--epsilon", "0"],
            2,
            "exactly one of --alpha and --epsilon",
        ),
        (["delta", TWO, "s0", "s9", "--alpha", "1"], 2, "no state 's9'; this chain has s"),
        (["delta", TWO, "s0", "s1", "--alpha", "1", "--method", "magic"], 2, "no method 'magic'"),
        (["delta", TWO, "s0", "s1", "--alpha", "1", "--backend", "magic"], 2, "no LP backend 'magic'"),
        (["delta", TWO, "s0", "s1", "--alpha", "1", "--time-limit", "-3"], 2, "positive number of seconds"),
        (["delta", TWO, "s0", "s1", "--alpha", "1", "--tolerance", "-1"], 2, "negative"),
        (["delta", TWO, "s0", "s1", "--alpha", "1", "--certificate", "no/such/folder/x"], 2, "cannot write"),
        (["delta", "none.lmc", "s0", "s1", "--alpha", "1"], 4, "none.lmc: cannot be read"),
        (["delta", "README.md", "s0", "s1", "--alpha", "1"], 4, "no reader for the suffix '.md'"),
        (["check", TWO, "none.json"], 4, "none.json: cannot be read"),
        (["delta", TWO, "s0", "s1", "--alpha", "1", "--quantity", "xd"], 2, "no quantity 'xd'"),
        (
            ["delta", TWO, "s0", "s1", "--alpha", "1", "--method", "search", "--quantity", "ld"],
            2,
            "search computes bd",
        ),
        (
            ["delta", TWO, "s0", "s1", "--alpha", "1", "--method", "search", "--backend", "highs"],
            2,
            "no threshold backend",
        ),
        (["threshold", TWO, "s0", "s1", "--alpha", "1", "--theta", "x"], 2, "--theta: 'x' is not a number"),
        (
            ["threshold", TWO, "s0", "s1", "--alpha", "1", "--theta", "1", "--backend", "magic"],
            2,
            "no threshold backend",
        ),
        (["make", "no-such-family"], 2, "no family 'no-such-family'"),
        (["make", "figure-one", "--param", "x"], 2, "must be a name, '='"),
        (["make", "dining-cryptographers", "--param", "diners=1"], 2, "diners"),
        (["delta"], 2, "Missing argument"),
        (["nonsense"], 2, "No such command"),
    ],
)
def test_wrong_input_is_one_line_and_a_code(arguments: list[str], code: int, message: str) -> None:
    assert message in refusal_of(*arguments, code=code)


def test_a_broken_row_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.lmc"
    path.write_text("lmc\ns [a] -> 0.5 s, 0.499 t\nt [a] -> 1 t\n")
    done = bdist("delta", str(path), "s", "t", "--alpha", "1")
    assert done.returncode == 4
    assert done.stderr == f"bdist: {path}:2: the row of state 's' sums to 999/1000, not to 1\n"


def test_a_time_limit_gives_the_bracket_so_far(tmp_path: Path) -> None:
    model, out = tmp_path / "big.lmc", tmp_path / "out.json"
    bdist("make", "random", "--param", "states=40", "--param", "labels=1", "-o", str(model))
    limited = ["delta", str(model), "s0", "s1", "--alpha", "1.1", "--time-limit", "0.001"]
    done = bdist(*limited, "--json", "--certificate", str(out))
    document = json.loads(done.stdout)
    assert done.returncode == 3
    assert document["exact"] is False
    assert document["limit"] == "time limit of 0.001 s reached"
    assert Fraction(document["lower"]) <= Fraction(document["upper"])
    assert bdist("check", str(model), str(out)).returncode == 0


def test_control_c_gives_the_bracket_so_far(tmp_path: Path) -> None:
    model = tmp_path / "big.lmc"
    bdist(
        "make",
        "random",
        "--param",
        "states=300",
        "--param",
        "labels=2",
        "--param",
        "seed=1",
        "-o",
        str(model),
    )
    done = run_signalled(signal.SIGINT, 50, "delta", str(model), "s0", "s11", "--alpha", "1.1")
    assert done.returncode == 3
    assert "certified bracket; interrupted" in done.stdout
    assert "stopping with what is proved so far" in done.stderr


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_has_help_with_an_example_and_json(name: str) -> None:
    done = bdist(name, "--help")
    assert done.returncode == 0
    assert "Example: bdist " + name in " ".join(done.stdout.split())
    assert "--json" in done.stdout


def test_help_lists_the_subcommands_and_exit_codes() -> None:
    done = bdist("--help")
    assert all(name in done.stdout for name in SUBCOMMANDS)
    assert "Exit codes" in done.stdout
    assert bdist("--version").stdout.startswith("bdist ")


def test_a_reader_that_goes_away_is_not_complained_about() -> None:
    command = f"{sys.executable} -m bdist table {EIGHT} --alpha 1 | true"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
    assert done.returncode == 0
    assert done.stderr == ""


def test_it_works_from_any_folder(tmp_path: Path) -> None:
    env = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-m", "bdist", "delta", str(ROOT / TWO), "s0", "s1", "--alpha", "1"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0


COINS = """lmc coins
s [tails] -> 1/2 s, 1/2 h
h [heads] -> 1/2 s, 1/2 h
t [tails] -> 1/3 t, 2/3 k
k [heads] -> 1/3 t, 2/3 k
"""


@contextmanager
def _already_stopped(most: float | None = None) -> Iterator[Budget]:
    budget = Budget(most)
    budget.stop.set()
    yield budget


def test_an_attack_that_is_not_found_is_not_excluded(tmp_path: Path) -> None:
    """A search that was cut short before it found anything must not deny that there is something."""
    model = tmp_path / "random.lmc"
    model.write_text(lmc.write(make_family("random", {"states": 12, "labels": 2, "seed": 2})))
    with mock.patch("bdist.cli.attack.interruptible", _already_stopped):
        done = bdist("attack", str(model), "s0", "s1", "--alpha", "2")
        as_json = bdist("attack", str(model), "s0", "s1", "--alpha", "2", "--json", "--draw", "none.svg")
    assert done.stdout.splitlines() == [
        "unknown whether an event tells s0 and s1 apart at alpha 2",
        "  known     0 <= true delta <= 1",
        "  reason    interrupted",
    ]
    assert (done.returncode, as_json.returncode) == (3, 3)
    document = json.loads(as_json.stdout)
    assert (document["answer"], document["attack"], document["limit"]) == ("unknown", None, "interrupted")
    assert (document["lower"], document["upper"], document["exact"]) == ("0", "1", False)
    assert document["drawing"] is None


def test_a_replay_keeps_the_sign_and_refuses_an_event_that_never_happens(tmp_path: Path) -> None:
    model, event = tmp_path / "coins.lmc", tmp_path / "event.json"
    model.write_text(COINS)
    event.write_text('{"prefixes": [["tails", "heads"]]}')
    options = [str(model), "s", "t", "--alpha", "3", "--replay", str(event)]
    done = bdist("attack", *options, "--runs", "1")
    assert "advantage at alpha 3: -3/2 = -1.5        exact" in done.stdout.splitlines()
    assert done.stdout.splitlines()[0] == "say 's' when the labels begin with: tails heads"
    assert "replayed 1 time from s: it happened " in done.stdout
    document = json.loads(bdist("attack", *options, "--runs", "0", "--json").stdout)
    assert document["answer"] == "replayed"
    assert document["attack"]["prefixes"] == [["tails", "heads"]]
    event.write_text('{"prefixes": []}')
    done = bdist("attack", *options)
    assert done.returncode == 4
    assert (
        done.stderr
        == f"bdist: {event}: 'prefixes' is empty, an event that never happens; there is no attack\n"
    )
    event.write_text('{"test": {"kind": "automaton", "states": [{"tails": 0}]}}')
    done = bdist("attack", *options)
    assert done.returncode == 4
    assert done.stderr == (
        f"bdist: {event}: the test accepts nothing, an event that never happens; there is no attack\n"
    )


def test_a_test_that_counts_is_found_drawn_and_replayed(tmp_path: Path) -> None:
    model, saved, picture = tmp_path / "coins.lmc", tmp_path / "attack.json", tmp_path / "attack.svg"
    model.write_text(COINS)
    options = [str(model), "s", "t", "--alpha", "2"]
    saved.write_text(bdist("attack", *options, "--runs", "0", "--json").stdout)
    document = json.loads(saved.read_text())["attack"]
    assert document["test"]["kind"] == "counting"
    assert document["prefixes"] is None
    done = bdist("attack", *options, "--replay", str(saved), "--runs", "200", "--draw", str(picture))
    lines = done.stdout.splitlines()
    assert re.fullmatch(
        r"say '[st]' if (heads|tails) is counted at least [0-9]+ times in the first 300 labels", lines[0]
    )
    assert lines[-1] == f"{picture}: the test as a picture"
    assert "<svg" in picture.read_text()
    assert bdist("attack", *options, "--draw", "attack.gif").returncode == 2


def test_a_test_that_goes_round_says_how_far_it_was_followed(tmp_path: Path) -> None:
    model, event = tmp_path / "wait.lmc", tmp_path / "event.json"
    rows = "s [wait] -> 99999/100000 s, 1/100000 a\nt [wait] -> 1 t\na [a] -> 1 a\n"
    model.write_text(f"lmc wait\n{rows}")
    event.write_text('{"test": {"kind": "automaton", "states": [{"wait": 0, "a": "accept"}]}}')
    done = bdist("attack", str(model), "s", "t", "--alpha", "1", "--replay", str(event), "--runs", "10")
    lines = done.stdout.splitlines()
    assert lines[0] == "say 's' when the labels begin with: any number of wait, then a"
    assert lines[1:4] == [
        "probability from s: 1",
        "probability from t: 0",
        "advantage at alpha 1: 1        exact",
    ]
    assert lines[5].startswith(
        "replayed 10 times from t: it happened within 1000 labels 0 times (10 runs undecided by then), "
        "so with 99% confidence its probability within 1000 labels is in [0, "
    )


def test_two_states_that_are_told_apart_with_certainty(tmp_path: Path) -> None:
    model = tmp_path / "apart.lmc"
    model.write_text("lmc apart\ns [a] -> 1 u\nt [a] -> 1 v\nu [b] -> 1 u\nv [c] -> 1 v\n")
    certain = "told apart with certainty"
    for command in (
        ["delta", str(model), "s", "t", "--alpha", "2"],
        ["delta", str(model), "s", "t", "--epsilon", "1", "--quantity", "tv"],
        ["curve", str(model), "s", "t", "--epsilon", "0..1", "--points", "2"],
        ["epsilon", str(model), "s", "t", "--delta", "1/2"],
        ["audit", str(model), "--pairs", "s:t", "--alpha", "2", "--jobs", "1"],
    ):
        text = bdist(*command, cwd=tmp_path).stdout
        assert certain in text, text
        assert "as far as is proved" not in text
        assert "none is proved" not in text
    without = bdist("delta", str(model), "s", "t", "--alpha", "2", "--no-true-delta").stdout
    assert "none is proved" in without  # a bd of 1 says nothing about the true delta


def test_work_that_was_cut_short_is_counted() -> None:
    """What was done before the stop is told, and not what the bounds of the last moment took."""
    chain = make_family("random", {"states": 14, "labels": 2})
    asked = 0

    def exhausted(self: Budget) -> str | None:
        nonlocal asked
        asked += 1
        return "enough" if asked > 20 else None

    with mock.patch.object(Budget, "exhausted", exhausted):
        found = compute_distance(chain, ("s0", "s1"), Skew.of("11/10", None), settings=Settings("strategy"))
    assert found.limit == "enough"
    assert found.stats["method"] == "strategy"
    assert found.stats["pairs"] == 42
    assert int(found.stats["linear_programs"]) > 0


def test_an_event_that_counts_below_e_to_the_epsilon_only_is_no_attack(tmp_path: Path) -> None:
    """p / q is between the rationals just below and just above e^(1/2): nothing is known at e^(1/2)."""
    model = tmp_path / "near.lmc"
    p, q, total = 3112733, 1887968, 5000701
    rows = f"s [a] -> {p}/{total} u, {q}/{total} v\nt [a] -> {q}/{total} u, {p}/{total} v\n"
    model.write_text(f"lmc near\n{rows}u [b] -> 1 u\nv [c] -> 1 v\n")
    done = bdist("attack", str(model), "s", "t", "--epsilon", "1/2")
    assert done.returncode == 3
    lines = done.stdout.splitlines()
    assert lines[0] == "unknown whether an event tells s and t apart at alpha 1238221/751019"
    assert lines[1].startswith("  known     0 <= true delta <= ")
    assert lines[2] == (
        "  reason    an event tells them apart at alpha 1874512/1136949, just below e^(1/2), "
        "but not at 1238221/751019, just above"
    )
    document = json.loads(bdist("delta", str(model), "s", "t", "--epsilon", "1/2", "--json").stdout)
    assert document["true_delta"]["attack"] is None

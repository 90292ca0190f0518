"""``--time-limit`` holds for the whole command, and an answer whose check does not end in time says so.

Time is made short in two ways that do not depend on the machine: limits that are over before anything begins,
and an alarm that rings while something waits on purpose.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from bdist import BackendError, Certificate, ReadOptions, budget, check, load, proofs
from bdist.budget import Budget, Unchecked
from bdist.certificates import checking
from bdist.chains import formats
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import make_family
from bdist.checker.core import limits as checker_limits
from bdist.cli import SUBCOMMANDS, UNLIMITED, limits
from bdist.distances.compute import Settings, Skew, compute_distance, compute_distances
from bdist.results import Evidence
from bdist.thresholds import formula
from bdist.thresholds.decide import decide_threshold
from bdist.traces.answers import compute_trace_distance
from bdist.traces.compute import ProfileSettings
from tests.cli.runner import ROOT
from tests.cli.runner import run_bdist as bdist
from tests.tools import missing

TWO = "instances/dining-cryptographers/two.lmc"
EIGHT = "instances/random/eight-states.lmc"
OVER = "1e-9"


@pytest.fixture(autouse=True)
def _attentive(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check asks for the time at every step; by itself it does so a few times a second."""
    monkeypatch.setattr(checker_limits, "STEPS_BETWEEN_LOOKS", 0)


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that a check and the command have after the limit is nothing again."""
    monkeypatch.setattr(budget, "_LATE_SECONDS", 0.0)
    monkeypatch.setattr(budget, "_LATE_FACTOR", 1.0)


@pytest.mark.parametrize("name", [name for name in SUBCOMMANDS if name not in UNLIMITED])
def test_every_command_has_the_option(name: str) -> None:
    assert "--time-limit" in bdist(name, "--help").stdout


@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan"])
@pytest.mark.parametrize("command", [("delta", TWO, "s0", "s1", "--alpha", "2"), ("show", TWO)])
def test_a_limit_that_is_none_is_refused(command: tuple[str, ...], value: str) -> None:
    done = bdist(*command, "--time-limit", value)
    assert done.returncode == 2
    assert "must be a positive number of seconds" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("show", EIGHT),
        ("quotient", EIGHT),
        ("validate", EIGHT),
        ("convert", EIGHT, "out.drn"),
        ("check", EIGHT, "none.json"),
        ("delta", EIGHT, "s0", "s3", "--alpha", "2"),
        ("kantorovich", EIGHT, "s0", "s3", "--alpha", "2"),
        ("audit", EIGHT, "--pairs", "s0:s3", "--alpha", "2"),
    ],
)
def test_reading_is_under_the_limit(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The reader of files waits until the alarm rings, and would wait for ten minutes more."""
    monkeypatch.setattr(limits, "_LATE_SECONDS", 0.0)
    monkeypatch.setattr(proofs, "load_model", _waits)
    monkeypatch.setattr(proofs, "read_text", _waits)
    monkeypatch.setattr(formats.lmc, "read_text", _waits)
    arguments = [str(ROOT / word) if word.startswith("instances") else word for word in command]
    done = bdist(*arguments, "--time-limit", "0.05", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert done.stderr == "bdist: UNKNOWN: the time limit of 0.05 s was reached before there was an answer\n"
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def _waits(*_: object, **__: object) -> None:
    time.sleep(600)
    raise AssertionError("nobody stopped the reader")


def test_the_alarm_ends_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_LATE_SECONDS", 0.2)
    monkeypatch.setattr(limits, "_LATE_FACTOR", 0.0)
    assert bdist("validate", TWO, "--time-limit", "0.001").returncode in (0, 3)
    time.sleep(0.3)  # an alarm that is still set would end this test


@pytest.mark.usefixtures("_impatient")
def test_an_answer_without_its_check_is_not_certified(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = bdist("delta", EIGHT, "s0", "s3", "--alpha", "2", "--time-limit", OVER, "--certificate", str(out))
    assert done.returncode == 3
    assert "not certified: the check of the proof did not end in time" in done.stdout
    assert "privacy   none is proved: the proof is not checked" in done.stdout
    assert "not checked" in done.stdout
    assert "exact" not in done.stdout
    assert " certified" not in done.stdout.replace("not certified", "")
    assert bdist("check", EIGHT, str(out)).returncode == 0  # later, with time


@pytest.mark.usefixtures("_impatient")
def test_the_same_in_json_and_for_all_pairs() -> None:
    document = json.loads(
        bdist("delta", EIGHT, "s0", "s3", "--alpha", "2", "--time-limit", OVER, "--json").stdout
    )
    assert document["exact"] is False
    assert document["evidence"] == {"lower": "unchecked", "upper": "unchecked"}
    table = bdist("table", EIGHT, "--alpha", "2", "--time-limit", OVER)
    assert table.returncode == 3
    assert ", not certified\n" in table.stdout
    values = bdist("table", EIGHT, "--alpha", "2", "--time-limit", OVER, "--json")
    assert all(not each["exact"] for each in json.loads(values.stdout)["distances"])


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("quantity", ["bd", "ld", "tv", "lv"])
def test_whoever_combines_bounds_gets_none_that_is_not_certified(quantity: str) -> None:
    chain = load(ROOT / EIGHT)
    skew, late = Skew.of(2, None), Budget(1e-9)
    if quantity in ("tv", "lv"):
        found = compute_trace_distance(
            chain, ("s0", "s3"), skew, quantity, ProfileSettings(budget=late)
        ).distance
    else:
        found = compute_distance(chain, ("s0", "s3"), skew, quantity, Settings(budget=late))
    assert found.bracket.lower.value == 0
    assert found.bracket.upper.value == 1
    assert found.bracket.lower.evidence is Evidence.CERTIFIED
    assert found.limit == "the check of the proof did not end in time"
    check(chain, found.certificate)


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("backend", ["strategy", "sat-lp"])
def test_a_threshold_without_its_check_is_unknown(backend: str) -> None:
    chain = load(ROOT / EIGHT)
    decided = decide_threshold(chain, ("s0", "s3"), Skew.of(2, None), Fraction(1), backend, _Late())
    assert decided.answer.value == "unknown"
    assert decided.reason == "the check of the proof did not end in time"


class _Late(Budget):
    """Time for the search, and none for the check."""

    def overdue(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("dipc", "instances/dipc/svt-two.dip"), "an uncertified proof that it holds"),
        (
            ("pufferfish", "instances/pufferfish/above-threshold.hmm", "--epsilon", "ln 16"),
            "did not end in time",
        ),
        (("pufferfish", "instances/pufferfish/above-threshold.hmm", "--optimise"), "did not end in time"),
        (("dipa", "instances/dipa/sparse-vector.dipa"), "did not end in time"),
        (
            (
                "modelcheck",
                "instances/dpctl/double-survey.lmc",
                "D[eps=ln 3] (X out1)",
                "--pairs",
                "plus:minus",
            ),
            "unknown",
        ),
    ],
)
def test_other_theories_without_their_check(
    command: tuple[str, ...], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Budget, "overdue", lambda self: True)
    done = bdist(*command)
    assert done.returncode == 3, done.stdout
    assert words in done.stdout + done.stderr
    assert "certified" not in done.stdout.replace("uncertified", "")


def test_a_check_asks_as_it_goes() -> None:
    chain = make_family("random", {"states": 12, "labels": 1, "seed": 3})
    found = compute_distances(chain, [("s0", "s1")], Skew.of("11/10", None), "bd", Settings())[0]
    assert isinstance(found.certificate, Certificate)
    with pytest.raises(Unchecked):
        checking.vouch(chain, found.certificate, _Late())


def test_formulas_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formula, "MOST_ARCS", 10)
    chain = load(ROOT / EIGHT)
    for backend in ("milp", "smt", "sat-bits"):
        decided = decide_threshold(
            chain, ("s0", "s3"), Skew.of("11/10", None), Fraction(1, 2), backend, Budget(), confirm=False
        )
        assert decided.answer.value == "unknown"
        assert decided.reason == "the formula has more than 10 arcs"


@pytest.mark.parametrize("backend", ["milp", "smt", "sat-bits", "sat-lp", "strategy"])
def test_encoders_look_at_the_time(backend: str) -> None:
    chain = load(ROOT / EIGHT)
    decided = decide_threshold(
        chain, ("s0", "s3"), Skew.of("11/10", None), Fraction(1, 2), backend, Budget(1e-9)
    )
    assert decided.answer.value == "unknown"
    assert decided.reason == "time limit of 1e-09 s reached"


def test_transition_labels_do_not_grow_into_millions(tmp_path: Path) -> None:
    states = range(110)
    rows = [f"s{i} -> " + ", ".join(f"1/110 [a{i}_{j}] s{j}" for j in states) + "\n" for i in states]
    path = tmp_path / "grows.tlmc"
    path.write_text("tlmc grows\n" + "".join(rows))
    done = bdist("validate", str(path))
    assert done.returncode == 4
    assert "12210 states and 1343100 transitions from 12100" in done.stderr


def test_programs_whose_numbers_grow(tmp_path: Path) -> None:
    head = "program s;\ndomain {2 .. 3};\ninput q[1];\noutput o[1];\nadjacent linf 1;\nclaim eps;\n"
    path = tmp_path / "grows.dip"
    path.write_text(head + "o[1] := q[1];\nwhile o[1] > 0 { o[1] := o[1]*o[1]; }\n")
    assert "takes more than 1000 bits" in bdist("dipc", str(path)).stderr
    calls = "function f(x) = x*x*x*x*x*x*x*x;\nfunction g(x) = f(f(f(f(x))));\n"
    path.write_text(head + calls + "o[1] := g(g(g(q[1])));\n")
    assert "takes more than 1048576 bits" in bdist("dipc", str(path)).stderr


def test_memory_for_a_check_by_the_users_word(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checker_limits, "BYTES", 1000)
    monkeypatch.setattr(checker_limits, "BYTES_A_CHARACTER", 0)
    program = "instances/dipc/svt-two.dip"
    refused = bdist("dipc", program)
    assert refused.returncode == 3
    assert "an uncertified proof that it holds" in refused.stdout
    assert "--memory-limit" in refused.stdout
    out = tmp_path / "out.json"
    allowed = bdist("dipc", program, "--memory-limit", "1G", "--certificate", str(out))
    assert allowed.returncode == 0
    assert bdist("check", program, str(out)).returncode == 4
    assert bdist("check", program, str(out), "--memory-limit", "1G").returncode == 0


@pytest.mark.parametrize("options", [(), ("--distances",), ("--compose", "3"), ("--group", "2")])
def test_an_audit_keeps_its_limit_for_all_pairs(tmp_path: Path, options: tuple[str, ...]) -> None:
    chain: LabelledMarkovChain = make_family("random", {"states": 30, "labels": 1, "seed": 3})
    formats.save(chain, tmp_path / "chain.lmc")
    done = bdist(
        *("audit", "chain.lmc", "--pairs", "s0:s1,s1:s2", "--alpha", "11/10", "--time-limit", OVER),
        *options,
        cwd=tmp_path,
    )
    assert done.returncode == 3, done.stderr
    assert "time limit of 1e-09 s reached" in done.stdout
    assert "UNKNOWN" in done.stdout


@pytest.fixture
def slow_storm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A program; in place of the process in which Storm builds it, one that sleeps for ten minutes."""
    if importlib.util.find_spec("stormpy") is None:
        missing("stormpy is not installed")
    sleeper = tmp_path / "sleeper"
    sleeper.write_text("#!/bin/sh\nexec sleep 600\n")
    sleeper.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(sleeper))
    program = tmp_path / "coin.prism"
    program.write_text("dtmc\nmodule m\nx:[0..1] init 0;\n[] x=0 -> 1:(x'=1);\n[] x=1 -> true;\nendmodule\n")
    return program


def test_storm_is_under_the_limit(slow_storm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_LATE_SECONDS", 0.0)
    done = bdist("show", str(slow_storm), "--time-limit", "0.05")
    assert done.returncode == 3
    assert "the time limit of 0.05 s was reached" in done.stderr


def test_storm_has_a_limit_in_the_library(slow_storm: Path) -> None:
    with pytest.raises(BackendError, match=r"Storm did not build the model: time limit of 0\.05 s reached"):
        load(slow_storm, ReadOptions(time_limit=0.05))

"""One front door: library and command line refuse the same, and what is printed as JSON is one object.

An option that would be ignored is refused with what to write instead. With ``--json`` whatever goes wrong is
an object on standard output as well, and the line on standard error stays.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import bdist
from bdist.chains.families import make_family
from bdist.thresholds.question import Options
from tests.cli.runner import document_of, run_bdist

TWO = "instances/dining-cryptographers/two.lmc"
RESPONSE = "instances/randomised-response/one-question.lmc"

DISTANCE = [  # parameters of the library, the same on the command line, what is said about them
    ({"quantity": "tv", "method": "magic"}, "there is no method 'magic'"),
    ({"quantity": "tv", "method": "strategy"}, "tv is found by following beliefs and takes no method"),
    ({"quantity": "lv", "backend": "magic"}, "lv is found by following beliefs and takes no backend"),
    ({"quantity": "tv", "precision": "x"}, "takes no precision; leave it out, or write tolerance"),
    ({"quantity": "tv", "jobs": 2}, "takes no jobs"),
    ({"quantity": "tv", "tolerance": -1}, "tolerance = -1 is negative"),
    ({"quantity": "xd"}, "there is no quantity 'xd'; choose one of bd, ld, lv, tv"),
    ({"method": "search", "quotient": True}, "search computes bd of the chain as it is"),
    ({"method": "search", "quantity": "ld"}, "search computes bd of the chain as it is"),
    ({"method": "search", "backend": "highs"}, "there is no threshold backend 'highs'"),
    ({"method": "search", "precision": "1/10"}, "the method search takes no precision"),
    ({"method": "search", "jobs": 2}, "the method search works in one thread"),
    ({"method": "search", "tolerance": "1/10"}, "use the method iterate, or a precision"),
    ({"method": "strategy", "tolerance": "1/10"}, "the method strategy takes no tolerance; use the method"),
    ({"tolerance": "1/10"}, "the method auto takes no tolerance"),
    ({"method": "strategy", "precision": 0}, "the method strategy takes no precision; strategy is exact"),
    ({"method": "iterate", "precision": 0}, "the method iterate takes no precision; iterate has a tolerance"),
    ({"method": "iterate", "jobs": 2}, "the method iterate works in one thread; leave out jobs"),
    ({"backend": "smt"}, "there is no LP backend 'smt'; it decides thresholds: use the method search"),
    ({"backend": "higs"}, "there is no LP backend 'higs'; choose one of auto, highs"),
]
TABLE = [
    ({"method": "search"}, "the method search is for one pair"),
    ({"method": "strategy", "tolerance": "1/10"}, "the method strategy takes no tolerance"),
    ({"method": "iterate", "precision": 0}, "the method iterate takes no precision"),
    ({"backend": "magic"}, "there is no LP backend 'magic'"),
]


def _options(parameters: dict[str, Any]) -> list[str]:
    words: list[str] = []
    for name, value in parameters.items():
        words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return words


def _refused(function: Callable[..., object], message: str, *arguments: object, **parameters: Any) -> None:
    with pytest.raises(bdist.ParameterError) as caught:
        function(*arguments, **parameters)
    assert message in str(caught.value)


@pytest.mark.parametrize(("parameters", "message"), DISTANCE)
def test_a_distance_is_refused_on_both_sides(parameters: dict[str, Any], message: str) -> None:
    _refused(bdist.distance, message, make_family("figure-one"), "s0", "s1", alpha=1, **parameters)
    done = run_bdist("delta", TWO, "s0", "s1", "--alpha", "1", *_options(parameters))
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.parametrize(("parameters", "message"), TABLE)
def test_a_table_is_refused_on_both_sides(parameters: dict[str, Any], message: str) -> None:
    _refused(bdist.distance_table, message, make_family("figure-one"), alpha=1, **parameters)
    done = run_bdist("table", TWO, "--alpha", "1", *_options(parameters))
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.parametrize(
    ("options", "backend", "name"),
    [
        ({"milp_solver": "cbc"}, "smt", "milp"),
        ({"bits": 4}, "strategy", "sat-bits"),
        ({"dimacs": Path("out.cnf")}, "sat-lp", "sat-bits"),
        ({"smt2": Path("out.smt2")}, "milp", "smt"),
    ],
)
def test_an_option_of_another_backend_is_refused_on_both_sides(
    options: dict[str, Any], backend: str, name: str
) -> None:
    message = f" is of the backend {name}, and this is {backend}; leave it out, or choose"
    [called] = options
    [typed, _] = _options(options)
    asked: dict[str, Any] = {"theta": 1, "alpha": 1, "backend": backend, "options": Options(**options)}
    _refused(bdist.threshold, f"{called}{message}", make_family("figure-one"), "s0", "s1", **asked)
    question = ["threshold", TWO, "s0", "s1", "--theta", "1", "--alpha", "1", "--backend", backend]
    done = run_bdist(*question, *_options(options))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{typed}{message}" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--no-true-delta", "--max-beliefs", "9"], "--max-beliefs is for the true delta; leave it out, or"),
        (["--no-bd", "--no-true-delta"], "--no-bd leaves the true delta alone; leave out the other, or this"),
        (
            ["--no-bd", "--quantity", "ld"],
            "--no-bd leaves the true delta alone; leave out the other, or this",
        ),
        (
            ["--no-bd", "--quantity", "tv"],
            "--no-bd leaves the true delta alone; leave out the other, or this",
        ),
        (["--no-bd", "--method", "strategy"], "tv is found by following beliefs and takes no method"),
        (["--no-bd", "--jobs", "2"], "tv is found by following beliefs and takes no jobs"),
        (["--quantity", "tv", "--no-true-delta"], "tv is the true delta; leave out --no-true-delta"),
        (["--verbose"], "--verbose shows threshold calls; leave it out, or use --method search"),
    ],
)
def test_what_the_terminal_adds_is_refused_where_it_does_not_apply(
    arguments: list[str], message: str
) -> None:
    done = run_bdist("delta", TWO, "s0", "s1", "--alpha", "1", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


SVT = "instances/dipc/svt-three.dip"
HIDDEN = "instances/pufferfish/above-threshold.hmm"


@pytest.mark.parametrize(
    ("question", "option", "other"),
    [
        (("dipc", SVT, "--tight"), ("--plot", "x.png"), "--tight"),
        (("dipc", SVT, "--tight"), ("--latex",), "--tight"),
        (("dipc", SVT, "--print"), ("--tight",), "--print"),
        (("dipc", SVT, "--probability", "in=0,0,0"), ("--claim", "eps"), "--probability"),
        (("dipc", SVT), ("--precision", "1/9"), "a question other than --tight"),
        (("dipa", "x.dipa", "--no-witness"), ("--epsilon", "2"), "--no-witness"),
        (("attack", TWO, "s0", "s1", "--alpha", "1", "--runs", "0"), ("--seed", "1"), "--runs 0"),
        (("make",), ("--param", "x=1"), "the list of families"),
        (("make",), ("-o", "x.lmc"), "the list of families"),
        (("pufferfish", HIDDEN, "--word", "T"), ("--length", "3"), "--word"),
        (("pufferfish", HIDDEN, "--bracket", "1..2"), ("--epsilon", "2"), "--bracket"),
        (("pufferfish", HIDDEN, "--plot", "x.png"), ("--epsilon", "2"), "--optimise"),
        (("pufferfish", HIDDEN, "--true-delta"), ("--backend", "z3"), "--true-delta"),
    ],
)
def test_an_option_that_does_nothing_is_refused(
    question: tuple[str, ...], option: tuple[str, ...], other: str
) -> None:
    name = {"-o": "--output"}.get(option[0], option[0])
    done = run_bdist(*question, *option)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{name} does nothing with {other}; leave out one of the two" in done.stderr


@pytest.mark.parametrize("spelling", ["log 3", "2 log(3)", "log2 8", "lg 3"])
def test_an_ambiguous_logarithm_is_refused_with_the_right_word(spelling: str) -> None:
    chain = make_family("figure-one")
    message = f"'{spelling}' may be to the base e, 2 or 10; for the natural logarithm write ln"
    _refused(bdist.true_delta, message, chain, "s0", "s1", epsilon=spelling)
    _refused(bdist.curve, message, chain, "s0", "s1", epsilon=(0, spelling))
    for question in (
        ("table", TWO, "--epsilon", spelling),
        ("curve", TWO, "s0", "s1", "--epsilon", f"0..{spelling}"),
        ("dipa", "instances/dipa/below-then-above.dipa", "--epsilon", spelling),
        ("dipc", SVT, "--epsilon", spelling),
        ("pufferfish", HIDDEN, "--epsilon", spelling),
    ):
        assert message in run_bdist(*question).stderr


def test_a_logarithm_is_an_epsilon_where_only_rationals_are_computed_with() -> None:
    ends = ("curve", "instances/geometric/four-counts.lmc", "count0", "count1", "--epsilon", "ln 1..ln 2")
    points = document_of(run_bdist(*ends, "--points", "2", "--json"))["points"]
    assert [point["epsilon"] for point in points] == ["0", "6931471/10000000"]
    leak = run_bdist("dipa", "instances/dipa/below-then-above.dipa", "--epsilon", "ln 2").stdout
    assert "at epsilon 0.6931471, just below ln 2" in leak
    program = "instances/dipc/discrete-count.dip"
    around = run_bdist("dipc", program, "--epsilon", "ln 2").stdout
    assert "for every eps in [6931471/10000000, 433217/625000]        certified" in around
    assert "ln 2 is irrational, and lies in this interval" in around
    done = run_bdist("dipc", program, "--probability", "in=0", "--epsilon", "ln 2")
    assert "write 6931471/10000000" in done.stderr


def test_the_library_refuses_numbers_that_make_no_sense() -> None:
    chain = make_family("figure-one")
    _refused(bdist.true_delta, "computes tv or lv, not 'bd'", chain, "s0", "s1", alpha=1, quantity="bd")
    _refused(bdist.true_delta, "max_beliefs = 0", chain, "s0", "s1", alpha=1, max_beliefs=0)
    _refused(bdist.distance, "jobs = 0 must be at least 1", chain, "s0", "s1", alpha=1, jobs=0)
    _refused(bdist.distance_table, "a table is of bd or ld", chain, alpha=1, quantity="tv")
    _refused(bdist.profile, "max_beliefs = 0", chain, "s0", "s1", max_beliefs=0)
    _refused(bdist.profile, "width = -1", chain, "s0", "s1", width=-1)
    _refused(bdist.curve, "points = 1", chain, "s0", "s1", epsilon=(0, 1), points=1)
    _refused(bdist.least_epsilon, "tolerance = -1", chain, "s0", "s1", delta=0, tolerance=-1)
    for ask in (bdist.audit, bdist.require_private):
        _refused(ask, "group = 0 must be at least 1", chain, [("s0", "s1")], alpha=1, group=0)
        _refused(ask, "compose = 0 must be at least 1", chain, [("s0", "s1")], alpha=1, compose=0)
        both = {"distances": True, "compose": 2}
        _refused(ask, "distances are about one run", chain, [("s0", "s1")], alpha=1, **both)
    _refused(bdist.audit, "jobs = 0", chain, [("s0", "s1")], alpha=1, jobs=0)
    _refused(bdist.audit, "a time limit of -1 s", chain, [("s0", "s1")], alpha=1, pair_time_limit=-1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("delta", RESPONSE, "yes", "no", "--alpha", "2"),
        ("attack", RESPONSE, "yes", "no", "--alpha", "2", "--runs", "0"),
        ("profile", RESPONSE, "yes", "no", "--alpha", "2"),
        ("epsilon", RESPONSE, "yes", "no", "--delta", "0"),
        ("curve", RESPONSE, "yes", "no", "--epsilon", "0..1", "--points", "2"),
        ("threshold", RESPONSE, "yes", "no", "--alpha", "2", "--theta", "1"),
        ("table", RESPONSE, "--alpha", "2"),
        ("kantorovich", RESPONSE, "yes", "no", "--alpha", "2"),
        ("audit", RESPONSE, "--pairs", "yes:no", "--alpha", "3", "--jobs", "1"),
        ("audit", RESPONSE, "--pairs", "yes:no", "--alpha", "3", "--distances", "--group", "2"),
        ("audit", RESPONSE, "--pairs", "yes:no", "--alpha", "9", "--compose", "2"),
        ("delta", RESPONSE, "yes", "no", "--alpha", "2", "--no-bd"),
        ("delta", RESPONSE, "yes", "no", "--alpha", "2", "--max-beliefs", "9"),
        ("dipa", "instances/dipa/sparse-vector.dipa"),
        ("show", RESPONSE),
        ("validate", RESPONSE),
        ("quotient", RESPONSE),
        ("make",),
        ("make", "figure-one"),
    ],
)
def test_every_json_object_names_its_versions(arguments: tuple[str, ...]) -> None:
    done = run_bdist(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert document_of(done)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["delta", TWO, "s0", "s1"], {"kind": "ParameterError", "exit_code": 2}),
        (["delta", TWO, "s0", "s1", "--alpha", "1", "--jobs", "0"], {"kind": "BadParameter", "exit_code": 2}),
        (["delta", TWO], {"kind": "MissingParameter", "exit_code": 2}),
        (
            ["delta", "none.lmc", "s0", "s1", "--alpha", "1"],
            {"kind": "FormatError", "exit_code": 4, "source": "none.lmc"},
        ),
        (
            ["delta", TWO, "s0", "s1", "--alpha", "1", "--time-limit", "0"],
            {"kind": "ParameterError", "exit_code": 2},
        ),
        (["check", TWO, "none.json"], {"kind": "FormatError", "exit_code": 4, "source": "none.json"}),
        (["dipa", "README.md"], {"kind": "FormatError", "exit_code": 4, "source": "README.md"}),
    ],
)
def test_with_json_an_error_is_an_object(arguments: list[str], error: dict[str, object]) -> None:
    done = run_bdist(*arguments, "--json")
    assert done.returncode == error["exit_code"]
    document = document_of(done)
    assert list(document) == ["error"]
    message = document["error"].pop("message")
    assert {key: value for key, value in document["error"].items() if key in error} == error
    said = " ".join(done.stderr.replace("│", " ").split())
    assert " ".join(message.split()) in said
    alone = run_bdist(*arguments)
    assert (alone.returncode, alone.stdout, alone.stderr) == (done.returncode, "", done.stderr)


def test_an_error_in_a_file_says_where(tmp_path: Path) -> None:
    path = tmp_path / "broken.lmc"
    path.write_text("lmc\ns [a] -> 1 s s\n")
    error = document_of(run_bdist("delta", str(path), "s", "s", "--alpha", "1", "--json"))["error"]
    assert (error["kind"], error["source"], error["line"]) == ("FormatError", str(path), 2)
    assert error["column"] > 1


def test_what_was_not_planned_is_an_object_too() -> None:
    with mock.patch("bdist.cli.models.load", side_effect=RuntimeError("surprise")):
        done = run_bdist("delta", TWO, "s0", "s1", "--alpha", "1", "--json")
    error = document_of(done)["error"]
    assert (done.returncode, error["kind"], error["exit_code"]) == (70, "RuntimeError", 70)
    assert error["message"].startswith("RuntimeError: surprise; please report it")


def test_the_answer_of_an_audit_stays_alone_where_its_report_cannot_be_written(tmp_path: Path) -> None:
    options = ["--pairs", "yes:no", "--alpha", "3", "--jobs", "1", "--report", str(tmp_path / "out.html")]
    options += ["--journal", str(tmp_path / "journal.jsonl")]
    with mock.patch("bdist.cli.audit._write_report", side_effect=bdist.OutputError("the disk is full")):
        done = run_bdist("audit", RESPONSE, *options, "--json")
    assert done.returncode == 70
    assert json.loads(done.stdout)["answer"] == "holds"
    assert "the disk is full" in done.stderr
